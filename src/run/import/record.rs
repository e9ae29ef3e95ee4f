//! A memory of another system in the terms of a vault, and the fields that it is read from.

use crate::note::retag::is_tag;
use crate::note::words::one_line::one_line;
use crate::run::prelude::*;
use crate::signals::dates::moment;
use crate::signals::salience::Salience;
use crate::signals::tier::Tier;
use crate::signals::usage::Usage;

/// Number of values above which a list of numbers is an embedding.
const MAX_NUMBERS: usize = 64;

/// A memory to import.
#[derive(Debug, Default)]
pub(super) struct ImportRecord {
    /// Its identifier in the source.
    pub id: String,
    /// Other identifiers that relations may use.
    pub other_ids: Vec<String>,
    /// File and position in the export, for messages.
    pub origin: String,
    /// Path below the imported folder, if the note keeps it.
    pub path: Option<String>,
    pub title: Option<String>,
    pub body: String,
    /// Front matter with the keys of a vault.
    pub properties: Map<String, Value>,
    pub usage: Usage,
    /// Fields without an equivalent in a vault.
    pub rest: Map<String, Value>,
    /// Whether the source has deleted it.
    pub is_deleted: bool,
    /// The identifier of the memory that replaced it.
    pub replaced_by: Option<String>,
    /// Whether it had an embedding, which is not imported.
    pub had_vector: bool,
}

/// A relation between two memories, by their identifiers.
#[derive(Debug, Default)]
pub(super) struct ImportEdge {
    pub from: String,
    pub to: String,
    pub label: String,
    pub weight: Option<f64>,
    pub reason: Option<String>,
    /// The relation as the source states it.
    pub raw: Value,
    /// Whether `raw` has other fields.
    pub has_more: bool,
}

/// The content of an export.
#[derive(Debug, Default)]
pub(super) struct Export {
    pub records: Vec<ImportRecord>,
    pub edges: Vec<ImportEdge>,
    /// Positions of records that further records may add to, by id.
    pub entities: HashMap<String, usize>,
    /// Records that are not imported: position and reason.
    pub skipped: Vec<(String, String)>,
    /// Number of skipped records that cannot be read.
    pub unreadable: usize,
}

impl Export {
    pub(super) fn skip(&mut self, origin: &str, reason: impl Into<String>) {
        self.skipped.push((origin.to_owned(), reason.into()));
    }

    pub(super) fn skip_unreadable(&mut self, origin: &str, reason: impl Into<String>) {
        self.skip(origin, reason);
        self.unreadable += 1;
    }
}

/// The meaning of a field.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Meaning {
    Id,
    OtherId,
    Title,
    Text,
    /// A list whose items are lines of the body.
    Lines,
    /// Named values with an optional history; lines of the body.
    Values,
    Property(String),
    /// A property with a name in lower case.
    Kind,
    Share(String),
    Date(String),
    Tags,
    Tier,
    Keep,
    Archived,
    Deleted,
    ReplacedBy,
    Accesses,
    Uses,
    Rewards,
    Accessed,
    Reviewed,
    Confirmed,
    Stability,
    Salience,
    Activity,
}

/// Names of fields with their meanings; all others go to `rest`.
pub(super) type Fields = Vec<(String, Meaning)>;

impl ImportRecord {
    /// Reads the fields of `map`.
    pub(super) fn of(mut map: Map<String, Value>, fields: &Fields, origin: &str) -> Self {
        let mut record = Self {
            origin: origin.to_owned(),
            ..Self::default()
        };
        map.retain(|_, value| {
            record.had_vector |= is_vector(value);
            !value.is_null() && !is_vector(value)
        });
        // In the order of the table, which is that of the body.
        for (key, meaning) in fields {
            let value = map.get(key);
            if value.is_some_and(|value| record.read(meaning, value)) {
                map.remove(key);
            }
        }
        record.rest = map;
        record
    }

    /// Adds what a further record of the same entity states; other values of its fields go to `rest`.
    pub(super) fn merge(&mut self, other: Self) {
        self.origin = format!("{}, {}", self.origin, other.origin);
        let own: HashSet<String> = list_items(&self.body).collect();
        let items = list_items(&other.body).filter(|item| !own.contains(item));
        self.body.extend(items.map(|item| format!("- {item}\n")));
        for (key, value) in other.properties.into_iter().chain(other.rest) {
            let stated = [&self.properties, &self.rest];
            if stated.iter().any(|map| map.get(&key) == Some(&value)) {
                continue;
            }
            let place = self
                .rest
                .entry(key)
                .or_insert_with(|| Value::Array(Vec::new()));
            match place {
                Value::Array(values) => values.push(value),
                one => *one = Value::Array(vec![one.take(), value]),
            }
        }
    }

    /// Reads one value; returns false if it does not have the expected form.
    fn read(&mut self, meaning: &Meaning, value: &Value) -> bool {
        let usage = &mut self.usage;
        let text = text_of(value).filter(|text| !text.trim().is_empty());
        let number = value.as_f64().filter(|number| number.is_finite());
        match meaning {
            Meaning::Id => text.map(|text| self.id = text).is_some(),
            Meaning::OtherId => text.map(|text| self.other_ids.push(text)).is_some(),
            Meaning::Title => text
                .map(|text| self.title = Some(one_line(&text)))
                .is_some(),
            Meaning::Text => text.map(|text| self.add_lines(&text)).is_some(),
            Meaning::Lines => value.as_array().is_some_and(|items| {
                let texts = items.iter().filter_map(text_of);
                let lines: Vec<String> = texts.map(|item| bullet(&item)).collect();
                self.add_lines(&lines.join("\n"));
                items.iter().all(|item| item.is_string() || item.is_null())
            }),
            Meaning::Values => {
                let (lines, is_complete) = values(value);
                self.add_lines(&lines.join("\n"));
                is_complete
            }
            Meaning::Property(key) => self.put(key, Some(value.clone())),
            Meaning::Kind => self.put("type", text.map(|text| text.to_lowercase().into())),
            Meaning::Share(key) => {
                let share = number.filter(|share| (0.0..=1.0).contains(share));
                self.put(key, share.map(Value::from))
            }
            Meaning::Date(key) => {
                let date = second(value).and_then(|at| Timestamp::from_second(at).ok());
                self.put(key, date.map(|date| date.to_string().into()))
            }
            Meaning::Tags => self.read_tags(value),
            Meaning::Tier => {
                let tier = text.and_then(|text| Tier::named(&text));
                let name = tier.filter(|tier| *tier != Tier::Working).map(Tier::name);
                tier.is_some() && (name.is_none() || self.put("tier", name.map(Value::from)))
            }
            Meaning::Keep => is_true(value) && self.put("keep", Some(true.into())),
            Meaning::Archived => {
                value == &Value::Bool(false)
                    || is_true(value) && self.put("tier", Some(Tier::Archival.name().into()))
            }
            Meaning::Deleted => {
                self.is_deleted = is_true(value);
                // The date stays in the note.
                false
            }
            Meaning::ReplacedBy => {
                self.replaced_by.clone_from(&text);
                text.is_some()
            }
            Meaning::Accesses => value.as_u64().map(|n| usage.accesses = n).is_some(),
            Meaning::Uses => value
                .as_u64()
                .map(|n| (usage.uses, usage.accesses) = (n, n.max(usage.accesses)))
                .is_some(),
            Meaning::Rewards => number.map(|sum| usage.rewards = sum).is_some(),
            Meaning::Accessed => {
                usage.last_accessed = usage.last_accessed.max(second(value));
                second(value).is_some()
            }
            Meaning::Reviewed => {
                usage.last_reviewed = second(value);
                second(value).is_some()
            }
            Meaning::Confirmed => {
                usage.last_confirmed = second(value);
                second(value).is_some()
            }
            Meaning::Stability => {
                usage.stability = number.filter(|days| *days > 0.0);
                usage.stability.is_some()
            }
            Meaning::Salience => number
                .map(|salience| usage.salience = Salience::fixed(salience.clamp(0.0, 3.0)))
                .is_some_and(|()| number.is_some_and(|salience| (0.0..=3.0).contains(&salience))),
            Meaning::Activity => number
                .filter(|activity| *activity >= 0.0)
                .map(|activity| usage.activity = activity)
                .is_some(),
        }
    }

    /// Sets a property; returns false without a value.
    fn put(&mut self, key: &str, value: Option<Value>) -> bool {
        let is_given = value.is_some();
        self.properties
            .extend(value.map(|value| (key.to_owned(), value)));
        is_given
    }

    /// Appends a paragraph to the body.
    pub(super) fn add_lines(&mut self, lines: &str) {
        let text = lines.replace("\r\n", "\n");
        let lines = text.trim_matches('\n');
        if !lines.trim().is_empty() {
            if !self.body.is_empty() {
                self.body.push('\n');
            }
            self.body.push_str(lines);
            self.body.push('\n');
        }
    }

    fn read_tags(&mut self, value: &Value) -> bool {
        let given: Vec<String> = match value {
            Value::Array(items) => items.iter().filter_map(text_of).collect(),
            Value::String(list) => list.split(',').map(|tag| tag.trim().to_owned()).collect(),
            _ => return false,
        };
        // `entity:people:anna` is a nested tag.
        let spelled = given.iter().map(|tag| {
            let tag = tag.trim().trim_start_matches('#').replace(':', "/");
            tag.replace(char::is_whitespace, "-")
        });
        let (tags, others): (Vec<String>, Vec<String>) = spelled.partition(|tag| is_tag(tag));
        if !tags.is_empty() {
            self.put("tags", Some(tags.into()));
        }
        others.iter().all(String::is_empty)
    }
}

/// Returns the lines of named values, and whether they state all of `value`.
fn values(value: &Value) -> (Vec<String>, bool) {
    let named: Vec<(String, &Value)> = match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), value))
            .collect(),
        Value::Array(items) => {
            let name = |item: &Value| item.get("name").and_then(text_of).unwrap_or_default();
            items.iter().map(|item| (name(item), item)).collect()
        }
        _ => return (Vec::new(), false),
    };
    let mut is_complete = true;
    let lines = named.iter().filter_map(|(name, field)| {
        let history = field.get("history").and_then(Value::as_array);
        is_complete &= history.is_none_or(|history| history.len() < 2)
            && field.get("nested_fields").is_none()
            && field
                .get("history_len")
                .is_none_or(|length| length.as_u64() < Some(2));
        let latest = history.and_then(|history| history.first()?.get("value"));
        let current = latest
            .or_else(|| field.get("current_value"))
            .unwrap_or(field);
        let text = text_of(current).unwrap_or_else(|| current.to_string());
        (!current.is_null()).then(|| bullet(&format!("{name}: {text}")))
    });
    (lines.collect(), is_complete)
}

/// Returns the texts of list items that [`bullet`] wrote.
fn list_items(body: &str) -> impl Iterator<Item = String> {
    let items = body.trim_end().strip_prefix("- ").into_iter();
    items
        .flat_map(|items| items.split("\n- "))
        .map(str::to_owned)
}

/// Returns a list item; further lines are indented.
fn bullet(text: &str) -> String {
    format!("- {}", text.trim().replace('\n', "\n  "))
}

/// Returns a text or number as text.
pub(super) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns whether a flag is set: `true`, `Y`, a number or a reason, as the systems write it.
fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(is_set) => *is_set,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => {
            let text = text.trim().to_lowercase();
            !matches!(
                &*text,
                "" | "n" | "u" | "0" | "no" | "not" | "false" | "none"
            )
        }
        _ => false,
    }
}

/// Parses a date, or a number of seconds or milliseconds, into seconds since 1970.
fn second(value: &Value) -> Option<i64> {
    match value {
        // PostgreSQL writes a space before the time and a short zone.
        Value::String(text) => moment(text)
            .or_else(|| moment(text.split_once('.')?.0))
            .or_else(|| moment(text.split_once('+')?.0)),
        Value::Number(number) => {
            let at = number.as_f64()?;
            Some(if at > 1e11 { at / 1000.0 } else { at } as i64)
        }
        _ => None,
    }
}

fn is_vector(value: &Value) -> bool {
    let items = value.as_array();
    items.is_some_and(|items| items.len() > MAX_NUMBERS && items.iter().all(Value::is_number))
}
