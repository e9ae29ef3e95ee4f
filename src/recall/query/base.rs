//! Translates the filters of an Obsidian base into a query, as far as the syntax allows.
//!
//! | base | query |
//! |---|---|
//! | `file.hasTag("a", "b")`, `file.tags.contains("a")` | `(tag:a OR tag:b)` |
//! | `file.inFolder("x")`, `file.hasLink("x")`, `file.hasProperty("x")` | `in:x`, `link:x`, `has:x` |
//! | `status == "done"`, `price > 5`, `due < date("2026-06-01")` | `status:done`, `price:>5`, `due:<2026-06-01` |
//! | `title.contains("x")`, `title.startsWith("x")`, `title.isEmpty()`, `title` | `title:*x*`, `title:x*`, `-has:title`, `has:title` |
//! | `and`, `or`, `not`, `&&`, `\|\|`, `!` | the same operators |
//!
//! Formulas, arithmetic and file times have no equivalent. A filter that uses one is an error; it is not
//! ignored.

use serde_json::{Map, Value};

use crate::note::front_matter::yaml;

/// A query that matches every note.
const ANY_NOTE: &str = "path:.md";

/// Returns the name of the base that `text` begins with, and its length in `text`. Forms:
/// `@lists/Books.base`, `@"My books.base#To read"`.
pub(super) fn name_of(text: &str) -> Option<(&str, usize)> {
    let rest = text.strip_prefix('@')?;
    let (name, length) = if let Some(quoted) = rest.strip_prefix('"') {
        let name = &quoted[..quoted.find('"')?];
        (name, name.len() + 3)
    } else {
        let end = rest.find(|c: char| c.is_whitespace() || c == ')');
        let name = &rest[..end.unwrap_or(rest.len())];
        (name, name.len() + 1)
    };
    let (_, ending) = parts_of(name).0.rsplit_once('.')?;
    ending
        .eq_ignore_ascii_case("base")
        .then_some((name, length))
}

/// Returns the names of the bases in a query.
pub fn names(query: &str) -> impl Iterator<Item = &str> {
    let starts = query.match_indices('@');
    starts.filter_map(|(at, _)| Some(name_of(&query[at..])?.0))
}

/// Returns the file of a base, and its view if one is named.
pub fn parts_of(name: &str) -> (&str, Option<&str>) {
    name.split_once('#')
        .map_or((name, None), |(file, view)| (file, Some(view)))
}

/// Returns the query for a base: for the named view, else for the first.
pub fn query_of(base: &str, view: Option<&str>) -> Result<String, String> {
    let base = yaml::parse(base).map_err(|error| error.to_string())?;
    let list = base.get("views").and_then(Value::as_array);
    let views: Vec<&Map<String, Value>> = list
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .collect();
    let name = |view: &Map<String, Value>| view.get("name")?.as_str().map(str::to_owned);
    let chosen = match view {
        None => views.first(),
        Some(wanted) => {
            let is_it = |view: &&&Map<_, _>| {
                name(view).is_some_and(|name| name.to_lowercase() == wanted.to_lowercase())
            };
            let found = views.iter().find(is_it);
            let known: Vec<String> = views.iter().filter_map(|view| name(view)).collect();
            let none = || format!("no view `{wanted}`; its views: {}", known.join(", "));
            Some(found.ok_or_else(none)?)
        }
    };
    let own = chosen.and_then(|view| view.get("filters"));
    let filter_values = [base.get("filters"), own].into_iter().flatten();
    let filters: Vec<String> = filter_values.map(filter_query).collect::<Result<_, _>>()?;
    let query = filters.join(" ");
    Ok(if query.trim().is_empty() {
        ANY_NOTE.to_owned()
    } else {
        query
    })
}

fn filter_query(filter: &Value) -> Result<String, String> {
    match filter {
        Value::Null => Ok(String::new()),
        Value::String(text) => FilterParser::parse(text),
        Value::Object(members) => {
            let members = members.iter().map(|(key, filters)| {
                let of = filters.as_array().map(Vec::as_slice).unwrap_or_default();
                let all: Vec<String> = of.iter().map(filter_query).collect::<Result<_, _>>()?;
                match key.as_str() {
                    _ if all.is_empty() => Ok(String::new()),
                    "and" => Ok(format!("({} )", all.join(" "))),
                    "or" => Ok(any_of(&all)),
                    "not" => Ok(format!("NOT {}", any_of(&all))),
                    _ => Err(format!("unknown filter `{key}`")),
                }
            });
            Ok(members.collect::<Result<Vec<_>, _>>()?.join(" "))
        }
        other => Err(format!("`{other}` is not a filter")),
    }
}

fn any_of(members: &[String]) -> String {
    format!("({} )", members.join(" OR "))
}

fn condition(field: &str, value: &str) -> String {
    format!("{field}:\"{}\"", value.replace('"', " "))
}

/// A token of a filter statement.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// `note.price`, `file.hasTag`
    Name(String),
    Text(String),
    Number(String),
    /// An operator, a bracket or a comma.
    Sign(&'static str),
}

/// Longer operators first.
const SIGNS: [&str; 17] = [
    "==", "!=", ">=", "<=", "&&", "||", ">", "<", "!", "(", ")", ",", "+", "-", "*", "/", "%",
];

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let length = if matches!(first, '"' | '\'') {
            let inner = &rest[1..];
            let end = inner.find(first)?;
            tokens.push(Token::Text(inner[..end].to_owned()));
            end + 2
        } else if first.is_ascii_digit() {
            let next = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
            let end = next.unwrap_or(rest.len());
            tokens.push(Token::Number(rest[..end].to_owned()));
            end
        } else if first == '[' {
            // `note["my price"]`
            let inner = rest.strip_prefix("[\"")?;
            let end = inner.find("\"]")?;
            let Some(Token::Name(name)) = tokens.last_mut() else {
                return None;
            };
            name.push('.');
            name.push_str(&inner[..end]);
            end + 4
        } else if is_name(first) || first == '.' {
            let next = rest.find(|c: char| !is_name(c) && c != '.');
            let end = next.unwrap_or(rest.len());
            match tokens.last_mut() {
                Some(Token::Name(name)) if first == '.' => name.push_str(&rest[..end]),
                _ => tokens.push(Token::Name(rest[..end].to_owned())),
            }
            end
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign))?;
            tokens.push(Token::Sign(sign));
            sign.len()
        };
        rest = rest[length..].trim_start();
    }
    Some(tokens)
}

/// Parser of filter statements.
struct FilterParser {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
}

impl FilterParser {
    fn parse(text: &str) -> Result<String, String> {
        let refused = || format!("no query syntax for `{text}`");
        let mut reader = Self {
            tokens: tokens(text).ok_or_else(refused)?.into_iter().peekable(),
        };
        let query = reader.disjunction().ok_or_else(refused)?;
        if reader.tokens.next().is_some() {
            return Err(refused());
        }
        Ok(query)
    }

    fn consume(&mut self, sign: &'static str) -> bool {
        self.tokens.next_if_eq(&Token::Sign(sign)).is_some()
    }

    fn disjunction(&mut self) -> Option<String> {
        let mut members = vec![self.conjunction()?];
        while self.consume("||") {
            members.push(self.conjunction()?);
        }
        Some(if members.len() == 1 {
            members.remove(0)
        } else {
            any_of(&members)
        })
    }

    fn conjunction(&mut self) -> Option<String> {
        let mut members = vec![self.operand()?];
        while self.consume("&&") {
            members.push(self.operand()?);
        }
        Some(members.join(" "))
    }

    fn operand(&mut self) -> Option<String> {
        if self.consume("!") {
            return Some(format!("NOT ({} )", self.operand()?));
        }
        if self.consume("(") {
            let inner = self.disjunction()?;
            return self.consume(")").then(|| format!("({inner} )"));
        }
        let Token::Name(name) = self.tokens.next()? else {
            return None;
        };
        if self.consume("(") {
            let mut arguments = Vec::new();
            while !self.consume(")") {
                match self.tokens.next()? {
                    Token::Text(text) | Token::Number(text) => arguments.push(text),
                    _ => return None,
                }
                self.consume(",");
            }
            return method_call(&name, &arguments);
        }
        let signs = ["==", "!=", ">=", "<=", ">", "<"];
        match signs.into_iter().find(|sign| self.consume(sign)) {
            None => Some(condition("has", property(&name)?)),
            Some(sign) => {
                let value = self.value()?;
                comparison(&name, sign, &value)
            }
        }
    }

    /// Reads a string, a number, a boolean or a date.
    fn value(&mut self) -> Option<String> {
        match self.tokens.next()? {
            Token::Text(value) | Token::Number(value) => Some(value),
            Token::Name(name) if matches!(&*name, "true" | "false") => Some(name),
            Token::Name(name) if name == "today" => {
                (self.consume("(") && self.consume(")")).then_some(name)
            }
            Token::Name(name) if name == "date" && self.consume("(") => {
                let Token::Text(day) = self.tokens.next()? else {
                    return None;
                };
                self.consume(")").then_some(day)
            }
            Token::Sign("-") => Some(format!("-{}", self.value()?)),
            _ => None,
        }
    }
}

/// Returns the property that `name` refers to.
fn property(name: &str) -> Option<&str> {
    let name = name.strip_prefix("note.").unwrap_or(name);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

fn comparison(name: &str, sign: &str, value: &str) -> Option<String> {
    let is = match (name, value) {
        ("file.ext", "md") => ANY_NOTE.to_owned(),
        _ if matches!(sign, "==" | "!=") => condition(property(name)?, value),
        _ if value.contains(char::is_whitespace) => return None,
        _ => return Some(format!("{}:{sign}{value}", property(name)?)),
    };
    match sign {
        "==" => Some(is),
        "!=" => Some(format!("NOT {is}")),
        _ => None,
    }
}

fn method_call(name: &str, arguments: &[String]) -> Option<String> {
    let (owner, method) = name.rsplit_once('.')?;
    let of_each = |field: &str, form: fn(&str) -> String| {
        let each: Vec<String> = arguments
            .iter()
            .map(|value| condition(field, &form(value)))
            .collect();
        (!each.is_empty()).then_some(each)
    };
    let whole = str::to_owned;
    let part: fn(&str) -> String = |value| format!("*{value}*");
    let is_tags = matches!(owner, "file.tags" | "tags" | "note.tags");
    match (owner, method) {
        ("file", "hasTag") => Some(any_of(&of_each("tag", whole)?)),
        ("file", "inFolder") => Some(any_of(&of_each("in", whole)?)),
        ("file", "hasLink") => Some(any_of(&of_each("link", whole)?)),
        ("file", "hasProperty") => Some(any_of(&of_each("has", whole)?)),
        ("file.path", "contains") => Some(any_of(&of_each("path", whole)?)),
        (_, "contains" | "containsAny") if is_tags => Some(any_of(&of_each("tag", whole)?)),
        (_, "containsAll") if is_tags => Some(of_each("tag", whole)?.join(" ")),
        (_, "contains" | "containsAny") => Some(any_of(&of_each(property(owner)?, part)?)),
        (_, "containsAll") => Some(of_each(property(owner)?, part)?.join(" ")),
        (_, "startsWith") => Some(any_of(&of_each(property(owner)?, |value| {
            format!("{value}*")
        })?)),
        (_, "isEmpty") if arguments.is_empty() => {
            Some(format!("NOT {}", condition("has", property(owner)?)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn translates_filters() {
        let of = |filters: &str| query_of(&format!("filters: {filters}"), None);
        for (filters, query) in [
            (r#"'file.hasTag("a", "b")'"#, r#"(tag:"a" OR tag:"b" )"#),
            (r#"'file.inFolder("My books")'"#, r#"(in:"My books" )"#),
            (r#"'status == "to do"'"#, r#"status:"to do""#),
            (r#"'note.status != "done"'"#, r#"NOT status:"done""#),
            (r#"'note["status"] == true'"#, r#"status:"true""#),
            ("price > 2.1", "price:>2.1"),
            (r#"'due <= date("2026-06-01")'"#, "due:<=2026-06-01"),
            ("due < today()", "due:<today"),
            ("author", r#"has:"author""#),
            ("author.isEmpty()", r#"NOT has:"author""#),
            (
                r#"'author.contains("Le Guin")'"#,
                r#"(author:"*Le Guin*" )"#,
            ),
            (
                r#"'file.tags.contains("a") && !(price > 5 || sold)'"#,
                r#"(tag:"a" ) NOT (((price:>5 OR has:"sold" ) ) )"#,
            ),
            (r#"'file.ext == "md"'"#, "path:.md"),
            (
                r#"{or: ['file.hasTag("a")', {not: ['x == 1', "y"]}]}"#,
                r#"((tag:"a" ) OR NOT (x:"1" OR has:"y" ) )"#,
            ),
            ("{and: []}", "path:.md"),
        ] {
            assert_eq!(of(filters).as_deref(), Ok(query), "{filters}");
        }
        for filters in [
            "formula.ppu > 5",
            "price / age > 2",
            r#"'file.mtime > now() - "1 week"'"#,
            "file.size > 10",
            r#"'a == "b'"#,
            r#"'a == "b" c'"#,
            "{nor: [a]}",
        ] {
            assert!(of(filters).is_err(), "{filters}");
        }
        assert!(query_of("a: [", None).is_err());
    }

    #[test]
    fn combines_base_and_view_filters() {
        let base = "filters: a\nviews:\n  - name: All\n  - {name: Sold, filters: sold}\n";
        let of = |view| query_of(base, view);
        assert_eq!(of(None).as_deref(), Ok(r#"has:"a""#));
        assert_eq!(of(Some("sold")).as_deref(), Ok(r#"has:"a" has:"sold""#));
        let none = of(Some("x"));
        assert_eq!(none, Err("no view `x`; its views: All, Sold".to_owned()));
    }

    #[test]
    fn finds_bases_in_a_query() {
        let found: Vec<&str> =
            names(r#"tea @open (@a/Books.base) @"My books.base#To read" @x.base"#).collect();
        assert_eq!(found, ["a/Books.base", "My books.base#To read", "x.base"]);
        assert_eq!(name_of("@a.base) b"), Some(("a.base", 7)));
        assert_eq!(name_of(r#"@"a b.base" c"#), Some(("a b.base", 11)));
    }
}
