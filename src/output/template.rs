//! Jinja templates for records: `{{ title }}`, `{% if tags %}`.
//!
//! A template may be untrusted: it reads no files, and a limit on steps ends it. An unknown key is
//! an error before anything is written.

use std::collections::BTreeSet;

use jiff::{Timestamp, civil, fmt::strtime};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{Environment, ErrorKind, UndefinedBehavior};
use serde::Serialize;

use crate::error::{Error, Result};

/// Maximum number of steps of one run, far more than a line or a note needs.
const FUEL: u64 = 100_000;

/// The name of the only template in its environment.
const NAME: &str = "template";

/// A parsed template.
#[derive(Clone, Debug)]
pub struct Template(Environment<'static>);

impl Template {
    /// Parses a template.
    pub fn read(text: &str) -> Result<Self> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_fuel(Some(FUEL));
        let syntax = SyntaxConfig::builder().keep_trailing_newline(true).build();
        environment.set_syntax(syntax.map_err(|error| failure(&error))?);
        environment.add_filter("date", date);
        environment
            .add_template_owned(NAME, text.to_owned())
            .map_err(|error| failure(&error))?;
        Ok(Self(environment))
    }

    /// Returns the names of the variables it uses, sorted.
    pub fn names(&self) -> Result<Vec<String>> {
        let template = self.0.get_template(NAME);
        let template = template.map_err(|error| failure(&error))?;
        let mut named: Vec<String> = template.undeclared_variables(false).into_iter().collect();
        named.sort_unstable();
        Ok(named)
    }

    /// Fails if it uses a variable that is not in `keys`.
    pub fn check(&self, keys: &[&str]) -> Result<()> {
        let globals: BTreeSet<&str> = self.0.globals().map(|(name, _)| name).collect();
        let named = self.names()?;
        let is_known = |name: &str| keys.contains(&name) || globals.contains(name);
        let Some(unknown) = named.iter().find(|name| !is_known(name)) else {
            return Ok(());
        };
        Err(Error::new(format!("no key `{unknown}` in `--format`"))
            .hint(format!("keys: {}", keys.join(", "))))
    }

    /// Returns the template rendered with the values of `record`.
    pub fn render(&self, record: impl Serialize) -> Result<String> {
        let template = self.0.get_template(NAME);
        let rendered = template.and_then(|template| template.render(Value::from(Serde(record))));
        rendered.map_err(|error| failure(&error))
    }
}

/// Filter: formats a time or date as `strftime` does: `{{ created | date("%d.%m.%Y") }}`. No value
/// gives an empty text.
fn date(value: &Value, form: &str) -> Result<String, minijinja::Error> {
    let wrong = |why: String| minijinja::Error::new(ErrorKind::InvalidOperation, why);
    if value.is_none() || value.is_undefined() {
        return Ok(String::new());
    }
    let text = value.to_string();
    let moment = match text.parse::<Timestamp>() {
        Ok(moment) => strtime::format(form, &moment.to_zoned(jiff::tz::TimeZone::system())),
        Err(_) => match text.parse::<civil::Date>() {
            Ok(day) => strtime::format(form, day),
            Err(_) => return Err(wrong(format!("`{text}` is not a date"))),
        },
    };
    moment.map_err(|error| wrong(format!("invalid form `{form}`: {error}")))
}

fn failure(error: &minijinja::Error) -> Error {
    let line = error
        .line()
        .map_or_else(String::new, |line| format!(" in line {line}"));
    let kind = error.kind();
    let what = match (kind, error.detail()) {
        (ErrorKind::OutOfFuel, _) => "it takes too many steps".to_owned(),
        (_, Some(detail)) => detail.to_owned(),
        (kind, None) => kind.to_string(),
    };
    Error::new(format!("cannot use `--format`{line}: {what}"))
        .hint("write a value as `{{ title }}`; `--tsv` shows all keys")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rendered(text: &str) -> String {
        let keys = ["title", "tags", "created", "score", "space"];
        let record = json!({
            "title": "Tea <b>", "tags": ["a", "b"], "created": "2026-03-01T12:00:00Z", "score": 0.5, "space": null,
        });
        let template =
            Template::read(text).and_then(|template| template.check(&keys).map(|()| template));
        match template.and_then(|template| template.render(&record)) {
            Ok(text) => text,
            Err(error) => error.message().clone(),
        }
    }

    #[test]
    fn templates_are_rendered() {
        for (text, expected) in [
            ("{{ title }}\t{{score}}", "Tea <b>\t0.5"),
            (
                "{{ tags | join('/') }} {% if space %}in {{ space }}{% else %}free{% endif %}",
                "a/b free",
            ),
            ("{% for tag in tags %}#{{ tag }} {% endfor %}", "#a #b "),
            ("{{ created | date('%Y') }}{{ space | date('%Y') }}", "2026"),
            ("no value\n", "no value\n"),
            ("titel {{ titel }}", "no key `titel` in `--format`"),
            (
                "\n{% if autor %}x{% endif %}",
                "no key `autor` in `--format`",
            ),
            (
                "{{ title",
                "cannot use `--format` in line 1: unexpected end of input, expected end of variable block",
            ),
            (
                "{{ title | date('%Y') }}",
                "cannot use `--format` in line 1: `Tea <b>` is not a date",
            ),
            (
                "{% for a in range(1000) %}{% for b in range(1000) %}{% for c in range(1000) %}{% endfor %}{% endfor %}{% endfor %}",
                "cannot use `--format` in line 1: it takes too many steps",
            ),
            (
                "{% include 'x' %}",
                "cannot use `--format` in line 1: unknown statement include",
            ),
        ] {
            assert_eq!(rendered(text), expected, "{text}");
        }
    }
}
