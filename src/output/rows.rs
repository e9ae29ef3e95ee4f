//! Records as lines of text: tab-separated columns, or a template of the user.

use std::path::Path;

use serde_json::{Map, Value};

use super::sanitise::sanitised;
use super::template::Template;
use crate::error::Result;

/// The format of a record's line.
#[derive(Clone, Debug)]
pub enum RowFormat {
    /// Tab-separated columns with a header line.
    Tsv,
    Template(Box<Template>),
}

/// Formats records of one kind as lines.
#[derive(Clone, Debug)]
pub(super) struct RowFormatter {
    row: RowFormat,
    /// All keys of a record, in order; a missing value is an empty cell.
    keys: Vec<&'static str>,
    /// Whether the header line was written.
    has_header: bool,
}

impl RowFormatter {
    pub(super) fn new(row: RowFormat, keys: Vec<&'static str>) -> Result<Self> {
        if let RowFormat::Template(template) = &row {
            template.check(&keys)?;
        }
        Ok(Self {
            row,
            keys,
            has_header: false,
        })
    }

    /// Returns the lines of a record, sanitised: a pipe may end at a terminal.
    pub(super) fn lines(&mut self, record: &Value) -> Result<String> {
        let values = |key: &&str| record.get(*key).cloned().unwrap_or_default();
        debug_assert!(
            record
                .as_object()
                .is_some_and(|record| record.keys().all(|key| self.keys.contains(&key.as_str()))),
            "{:?} are all keys of {record}",
            self.keys
        );
        match &self.row {
            RowFormat::Tsv => {
                let cells = self.keys.iter().map(|key| cell(&values(key)));
                let line = cells.collect::<Vec<_>>().join("\t") + "\n";
                Ok(if std::mem::replace(&mut self.has_header, true) {
                    line
                } else {
                    self.keys.join("\t") + "\n" + &line
                })
            }
            RowFormat::Template(template) => {
                let keys = self.keys.iter();
                let values = keys.map(|key| ((*key).to_owned(), harmless(values(key))));
                let mut values: Map<_, _> = values.collect();
                // A path alone does not say in which of several vaults it is.
                let vault = values.get("vault").and_then(Value::as_str);
                let path = values.get("path").and_then(Value::as_str);
                if let (Some(vault), Some(path)) = (vault, path) {
                    let path = Path::new(vault).join(path).to_string_lossy().into_owned();
                    values.insert("path".to_owned(), Value::String(path));
                }
                let line = template.render(values)?;
                Ok(line + "\n")
            }
        }
    }
}

/// Returns a value with all texts sanitised and on one line.
fn harmless(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(sanitised(&text.replace(['\t', '\n', '\r'], " "))),
        Value::Array(list) => {
            let list = list.into_iter();
            Value::Array(list.map(harmless).collect())
        }
        Value::Object(map) => {
            let map = map.into_iter();
            Value::Object(map.map(|(key, value)| (key, harmless(value))).collect())
        }
        other => other,
    }
}

/// Returns a value as one cell: a list of texts joined by commas, nested values as JSON.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) if list.iter().all(Value::is_string) => {
            let texts: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            texts.join(", ")
        }
        other => other.to_string(),
    };
    let text = text.replace('\\', "\\\\").replace('\t', "\\t");
    sanitised(&text.replace('\n', "\\n").replace('\r', "\\r"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn record_is_one_tsv_line() {
        let mut rows =
            RowFormatter::new(RowFormat::Tsv, vec!["path", "tags", "score", "more"]).unwrap();
        let first = json!({"path": "a\tb\\\n\u{1b}.md", "tags": ["x", "y z"], "score": 0.5});
        assert_eq!(
            rows.lines(&first).unwrap(),
            "path\ttags\tscore\tmore\na\\tb\\\\\\n\\u{1b}.md\tx, y z\t0.5\t\n"
        );
        let second = json!({"path": "\u{202e}", "tags": [], "score": null, "more": {"a": [1]}});
        assert_eq!(rows.lines(&second).unwrap(), "\\u{202e}\t\t\t{\"a\":[1]}\n");
    }

    #[test]
    fn template_renders_one_line() {
        let template = Template::read("{{ path }}: {{ tags | join(' ') }}").unwrap();
        let mut rows = RowFormatter::new(
            RowFormat::Template(Box::new(template)),
            vec!["path", "tags"],
        )
        .unwrap();
        let record = json!({"path": "a\nb\u{1b}[m\u{9b}", "tags": ["x\ty\u{202e}"]});
        let line = "a b\\u{1b}[m\\u{9b}: x y\\u{202e}\n";
        assert_eq!(rows.lines(&record).unwrap(), line);
        let mut rows = RowFormatter::new(rows.row, vec!["path", "tags", "vault"]).unwrap();
        let record = json!({"path": "a.md", "tags": [], "vault": "/srv/team"});
        let line = rows.lines(&record).unwrap().replace('\\', "/");
        assert_eq!(line, "/srv/team/a.md: \n");
        let unknown = Template::read("{{ titel }}").unwrap();
        assert!(RowFormatter::new(RowFormat::Template(Box::new(unknown)), vec!["path"]).is_err());
    }
}
