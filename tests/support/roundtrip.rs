//! Applies every kind of edit to a note, and reverts it or checks what it changed.
//!
//! Used by the conformance test over `fixtures/frontmatter` and by `cargo bench --bench roundtrip`
//! over any notes. The permitted changes are computed from lines alone, without the crate's own
//! parser.

use std::collections::BTreeMap;

use mem::note::edit::{Edit, EditError, apply};
use mem::note::front_matter::key::KeyPath;
use mem::note::front_matter::matter;
use serde_json::{Map, Value, json};

/// A key and a value that no note contains.
const NEW: &str = "roundtrip trial";

/// Results of all edits of one kind.
#[derive(Default)]
pub(crate) struct Tally {
    /// Number of attempts.
    pub(crate) tried: usize,
    /// Number of successes.
    pub(crate) held: usize,
    /// Notes with refused edits, by reason.
    pub(crate) refused: BTreeMap<String, Vec<String>>,
    /// Correct edits whose reversal did not restore the bytes.
    pub(crate) not_restored: Vec<String>,
    /// Failures and their locations.
    pub(crate) failed: Vec<String>,
}

/// Results of all edits, by kind.
pub(crate) type Tallies = BTreeMap<&'static str, Tally>;

/// Returns values of every type that a property can have.
pub(crate) fn shapes() -> Vec<Value> {
    let mut shapes = vec![
        json!("plain words"),
        json!("needs: quoting #, [all], 'of' \"it\" \\ & *x"),
        json!("several\nlines\n\n  of text\n"),
        json!("ünïcödé 日本語 👍 \u{2028}\u{feff}"),
        json!("x".repeat(3000)),
        json!(format!("{} end", "words and ".repeat(200))),
        json!("007"),
        json!("1.10"),
        json!("true"),
        json!("null"),
        json!("~"),
        json!("2026-04-07"),
        json!("2026-04-07T18:00:00Z"),
        json!("[[Link]]"),
        json!("---"),
        json!("..."),
        json!("\t tab"),
        json!(""),
        json!(" "),
        json!(0),
        json!(-7),
        json!(i64::MAX),
        json!(1.5),
        json!(-2e-9),
        json!(true),
        json!(false),
        json!(null),
        json!([]),
        json!(["a"]),
        json!(["a", "b: c", 3, 0.5, null, true, ""]),
        json!([["a", ["b"]], [], {"k": [1]}]),
        json!(["[[A]]", "[[B|c, d]]"]),
        json!({}),
        json!({"k": "v"}),
        json!({"k": {"l": {"m": [1, {"n": null}]}}, "needs: quoting": "x", "e": {}, "": 1}),
    ];
    shapes.push((0..100).map(|i| format!("item {i}")).collect());
    shapes
}

/// Tries every edit on `text`, the note called `name`.
pub(crate) fn try_all(name: &str, text: &str, tallies: &mut Tallies) {
    let mut trial = Trial {
        name,
        text,
        tallies,
    };
    let before = match matter::properties(text) {
        Ok(before) => before,
        Err(problem) => return trial.leaves_unreadable_alone(&problem.to_string()),
    };
    let new = KeyPath::from(NEW);
    for shape in shapes() {
        trial.set_and_unset("set and unset a new property", &before, &new, &shape);
    }
    trial.append_and_remove("append to a new list, remove", &before, &new);
    for list in [
        json!(["a", "b"]),
        json!([]),
        json!(null),
        json!([["a"], {"k": 1}]),
    ] {
        let set = Edit::Set {
            key: new.clone(),
            value: list,
        };
        if let Ok(with) = apply(text, &[set]) {
            let mut trial = Trial {
                name,
                text: &with,
                tallies: trial.tallies,
            };
            let before = matter::properties(&with).unwrap_or_default();
            trial.append_and_remove("append to a list just set, remove", &before, &new);
        }
    }
    let deep = new.below("a").below("b");
    for shape in [json!("x"), json!(["a"]), json!({"k": 1}), json!(null)] {
        trial.set_and_unset(
            "set and unset a new nested property",
            &before,
            &deep,
            &shape,
        );
    }
    trial.append_and_remove("append to a new nested list, remove", &before, &deep);
    for (key, value) in &before {
        trial.inside(&before, &KeyPath::from(key), value);
        trial.existing(&before, key, value);
    }
}

struct Trial<'a> {
    name: &'a str,
    text: &'a str,
    tallies: &'a mut Tallies,
}

impl Trial<'_> {
    fn leaves_unreadable_alone(&mut self, problem: &str) {
        let edit = Edit::Set {
            key: NEW.into(),
            value: json!(1),
        };
        let tally = self.tallies.entry("unreadable, left alone").or_default();
        tally.tried += 1;
        match apply(self.text, &[edit]) {
            Err(EditError::UnreadableMatter(_)) => {
                let names = tally.refused.entry(problem.to_owned()).or_default();
                names.push(self.name.to_owned());
            }
            other => tally.failed.push(format!("{}: {other:?}", self.name)),
        }
    }

    /// Adds to and removes from lists and maps at any depth.
    fn inside(&mut self, before: &Map<String, Value>, key: &KeyPath, value: &Value) {
        match value {
            Value::Array(items) => {
                self.append_and_remove("append to an existing list, remove", before, key);
                if let Some(item) = items.first() {
                    self.takes_out(before, key, items, item);
                }
            }
            Value::Object(entries) => {
                let new = key.below(NEW);
                for shape in [
                    json!("x"),
                    json!(["a"]),
                    json!({"k": {"l": 1}}),
                    json!(null),
                ] {
                    self.set_and_unset("set and unset in an existing map", before, &new, &shape);
                }
                for (name, value) in entries {
                    self.inside(before, &key.below(name), value);
                }
            }
            Value::Null => {
                self.append_and_remove("append to an empty property, remove", before, key);
                let below = key.below(NEW).below("a");
                let what = "set and unset below an empty property";
                self.set_and_unset(what, before, &below, &json!("x"));
            }
            _ => {}
        }
    }

    fn set_and_unset(
        &mut self,
        what: &'static str,
        before: &Map<String, Value>,
        key: &KeyPath,
        value: &Value,
    ) {
        let set = Edit::Set {
            key: key.clone(),
            value: value.clone(),
        };
        let unset = Edit::Unset { key: key.clone() };
        self.there_and_back(what, before, key, Some(value), &set, &unset);
    }

    fn append_and_remove(
        &mut self,
        what: &'static str,
        before: &Map<String, Value>,
        key: &KeyPath,
    ) {
        let value = json!("[[roundtrip trial]]");
        let append = Edit::Append {
            key: key.clone(),
            value: value.clone(),
        };
        let remove = Edit::Remove {
            key: key.clone(),
            value,
        };
        self.there_and_back(what, before, key, None, &append, &remove);
    }

    fn there_and_back(
        &mut self,
        what: &'static str,
        before: &Map<String, Value>,
        key: &KeyPath,
        value: Option<&Value>,
        there: &Edit,
        back: &Edit,
    ) {
        let outcome = apply(self.text, std::slice::from_ref(there)).and_then(|with| {
            let after = matter::properties(&with)?;
            if value.is_some_and(|value| value_at(&after, key) != Some(value)) {
                return Ok(Err(format!("reads back otherwise:\n{with}")));
            }
            if others(before, key.top()) != others(&after, key.top()) {
                return Ok(Err(format!("another property changed:\n{with}")));
            }
            let again = apply(&with, std::slice::from_ref(back))?;
            Ok(if again == self.text {
                Ok(())
            } else if others(&matter::properties(&again)?, key.top()) == others(before, key.top()) {
                Err(String::new())
            } else {
                Err(format!(
                    "another property changed on the way back:\n{again}"
                ))
            })
        });
        if matches!(&outcome, Ok(Err(why)) if why.is_empty()) {
            let tally = self.tallies.entry(what).or_default();
            tally.tried += 1;
            tally.not_restored.push(format!("{} `{key}`", self.name));
            return;
        }
        self.count(what, key, outcome);
    }

    /// Removes `item` from the list at `key`.
    fn takes_out(
        &mut self,
        before: &Map<String, Value>,
        key: &KeyPath,
        items: &[Value],
        item: &Value,
    ) {
        let what = "remove an existing item";
        let rest: Vec<Value> = items
            .iter()
            .filter(|other| *other != item)
            .cloned()
            .collect();
        let remove = Edit::Remove {
            key: key.clone(),
            value: item.clone(),
        };
        let outcome = apply(self.text, &[remove]).and_then(|new| {
            let after = matter::properties(&new)?;
            let left = match value_at(&after, key) {
                Some(Value::Array(items)) => items.clone(),
                _ => Vec::new(),
            };
            Ok(
                if others(before, key.top()) != others(&after, key.top()) || left != rest {
                    Err(format!("another value changed:\n{new}"))
                } else if one_place_differs(&new, self.text) {
                    Ok(())
                } else {
                    Err(format!("another line changed:\n{new}"))
                },
            )
        });
        self.count(what, key, outcome);
    }

    /// Sets an existing property to other values and to its own, and removes it.
    fn existing(&mut self, before: &Map<String, Value>, key: &str, value: &Value) {
        let path = KeyPath::from(key);
        let set = |value: &Value| Edit::Set {
            key: path.clone(),
            value: value.clone(),
        };
        let same = apply(self.text, &[set(value)]).map(|new| {
            if new == self.text {
                Ok(())
            } else {
                Err("changes the text".to_owned())
            }
        });
        self.count("set to the value it has", &path, same);
        let mut wanted = vec![
            json!("another value"),
            json!(7),
            json!(null),
            json!(["x", "y: z"]),
            json!({"k": ["v"], "l": {"m": 1}}),
            json!("two\nlines"),
        ];
        match value {
            Value::Array(items) => {
                let mut longer = items.clone();
                longer.insert(longer.len() / 2, json!("in between"));
                wanted.push(longer.into());
            }
            Value::Object(entries) => {
                let mut more = entries.clone();
                more.insert("one more".to_owned(), json!(1));
                wanted.push(more.into());
            }
            _ => {}
        }
        wanted.retain(|wanted| wanted != value);
        for wanted in wanted {
            let outcome = apply(self.text, &[set(&wanted)]);
            self.changes_its_lines_only(
                "set to another value",
                before,
                key,
                Some(&wanted),
                outcome,
            );
        }
        let outcome = apply(self.text, &[Edit::Unset { key: path.clone() }]);
        self.changes_its_lines_only("unset", before, key, None, outcome);
    }

    fn changes_its_lines_only(
        &mut self,
        what: &'static str,
        before: &Map<String, Value>,
        key: &str,
        wanted: Option<&Value>,
        outcome: Result<String, EditError>,
    ) {
        let outcome = outcome.and_then(|new| {
            let after = matter::properties(&new)?;
            Ok(
                if others(before, key) != others(&after, key) || after.get(key) != wanted {
                    Err(format!("another value changed:\n{new}"))
                } else if only_lines_of(key, self.text, &new) {
                    Ok(())
                } else {
                    Err(format!("another line changed:\n{new}"))
                },
            )
        });
        self.count(what, &key.into(), outcome);
    }

    fn count(
        &mut self,
        what: &'static str,
        key: &KeyPath,
        outcome: Result<Result<(), String>, EditError>,
    ) {
        let tally = self.tallies.entry(what).or_default();
        tally.tried += 1;
        match outcome {
            Ok(Ok(())) => tally.held += 1,
            Ok(Err(why)) => tally.failed.push(format!("{} `{key}`: {why}", self.name)),
            Err(refusal) => {
                let kind = match refusal {
                    EditError::UnusualLayout { .. } => "unusual layout",
                    EditError::WouldChangeMore { .. } => "would change more",
                    EditError::NoNull { .. } => "TOML has no null",
                    _ => "other",
                };
                let names = tally.refused.entry(kind.to_owned()).or_default();
                names.push(format!("{} `{key}`", self.name));
            }
        }
    }
}

fn value_at<'a>(properties: &'a Map<String, Value>, key: &KeyPath) -> Option<&'a Value> {
    let mut keys = key.keys().iter();
    let first = properties.get(keys.next()?)?;
    keys.try_fold(first, |value, key| value.get(key))
}

fn others<'a>(properties: &'a Map<String, Value>, key: &str) -> Vec<(&'a String, &'a Value)> {
    properties
        .iter()
        .filter(|(other, _)| *other != key)
        .collect()
}

/// Whether `new` differs from `old` only in lines of the top-level property `key`.
///
/// These are the line that starts with it and the following lines that are indented, blank,
/// comments or items. A block on one line, `{a: 1}`, counts as one property.
fn only_lines_of(key: &str, old: &str, new: &str) -> bool {
    if key.contains('\n') {
        return true;
    }
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    let open = |line: &str| {
        let line = line.trim_start_matches(['\u{feff}', '?', '&', '"', '\'', '{', ' ', '\t']);
        let rest = line.strip_prefix(key);
        let rest = rest.map(|rest| rest.trim_start_matches(['"', '\'', ' ', '\t', '\r', '\n']));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    };
    let top = |line: &&str| !line.starts_with([' ', '\t']) && open(line);
    let first = lines.iter().position(top);
    let Some(first) = first.or_else(|| lines.iter().position(|line| open(line))) else {
        // The lines of a key in unusual spelling cannot be distinguished.
        return true;
    };
    let below = lines[first + 1..].iter();
    let count = below
        .take_while(|line| line.starts_with([' ', '\t', '\r', '\n', '#', '-', ']', '}', ':']))
        .filter(|line| !matches!(line.trim_end(), "---" | "..."))
        .count();
    let before = lines[..first].concat();
    let after = lines[(first + 1 + count).min(lines.len())..].concat();
    // Removing the last property removes the fences; removing the last one in braces removes the
    // comma before it.
    let fence = before.trim_start_matches('\u{feff}').starts_with("---") && first == 1;
    let comma = before.trim_end().strip_suffix(',');
    (new.starts_with(&before) || fence || comma.is_some_and(|before| new.starts_with(before)))
        && (new.ends_with(&after) || after.starts_with("---") || after.starts_with("..."))
}

/// Whether `shorter` is `longer` without lines in one place, with at most one line changed there.
fn one_place_differs(shorter: &str, longer: &str) -> bool {
    let shorter: Vec<&str> = shorter.split_inclusive('\n').collect();
    let longer: Vec<&str> = longer.split_inclusive('\n').collect();
    let equal = |(a, b): &(&&str, &&str)| a == b;
    let start = shorter.iter().zip(&longer).take_while(equal).count();
    let ends = shorter[start..]
        .iter()
        .rev()
        .zip(longer[start..].iter().rev());
    shorter.len() - start - ends.take_while(equal).count() <= 1
}
