//! The tools of `mem mcp`: a table, and the command line of a call.
//!
//! `tools.json` declares each tool as clients see it, and its command. Arguments become options of the same
//! name, so a new option of a command needs no code here.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::memory;

/// A tool.
#[derive(Debug, Deserialize)]
pub(super) struct Tool {
    pub(super) name: String,
    /// Whether it changes notes in every call.
    #[serde(default)]
    pub(super) writes: bool,
    /// Whether it is the memory tool, which is offered on request and runs no command.
    #[serde(default)]
    pub(super) is_memory: bool,
    /// The subcommand.
    #[serde(default)]
    command: Vec<String>,
    /// The argument that is a positional value.
    positional: Option<String>,
    /// Arguments that are subcommands with a list of values. A call with one of them changes notes.
    #[serde(default)]
    verbs: Vec<String>,
    /// Values of missing arguments.
    #[serde(default)]
    defaults: Map<String, Value>,
    #[serde(rename = "inputSchema")]
    schema: InputSchema,
    /// The fields that clients see, besides name and schema.
    #[serde(flatten)]
    shown: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
struct InputSchema {
    properties: Map<String, Value>,
    #[serde(default)]
    required: Vec<String>,
}

/// An argument that selects a reply instead of an option.
pub(super) const IDEMPOTENCY_KEY: &str = "idempotency_key";

static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("tools.json")).expect("the table of tools is valid")
});

/// Returns the tool with this name.
pub(super) fn named(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// Returns the tools as clients see them, in a fixed order. Tools that only write are listed if writes are
/// allowed, the memory tool on request.
pub(super) fn listed(allow_writes: bool, with_memory: bool) -> Vec<Value> {
    let tools = TOOLS
        .iter()
        .filter(|tool| (allow_writes || !tool.writes) && (with_memory || !tool.is_memory));
    tools.map(Tool::description).collect()
}

impl Tool {
    fn description(&self) -> Value {
        let mut shown = self.shown.clone();
        shown.insert("name".to_owned(), json!(self.name));
        let mut schema = json!({"type": "object", "properties": self.schema.properties});
        if !self.schema.required.is_empty() {
            schema["required"] = json!(self.schema.required);
        }
        schema["additionalProperties"] = json!(false);
        shown.insert("inputSchema".to_owned(), schema);
        Value::Object(shown)
    }

    /// Returns whether a call with these arguments changes notes.
    pub(super) fn would_write(&self, arguments: &Map<String, Value>) -> bool {
        if self.is_memory {
            return memory::would_write(arguments);
        }
        self.writes || self.verbs.iter().any(|verb| arguments.contains_key(verb))
    }

    /// Returns the command line of a call, or why the arguments are invalid.
    pub(super) fn command_line(
        &self,
        arguments: &Map<String, Value>,
        author: &str,
    ) -> Result<Vec<String>, String> {
        self.check(arguments)?;
        let mut line = vec!["mem".to_owned()];
        line.extend(self.command.iter().cloned());
        if self.name == "remember" {
            line.push(format!("--by={author}"));
        }
        let verb = self.verbs.iter().find(|verb| arguments.contains_key(*verb));
        if let Some(verb) = verb {
            line.push(verb.clone());
        }
        let missing = self
            .defaults
            .iter()
            .filter(|(name, _)| !arguments.contains_key(*name));
        for (name, value) in arguments.iter().chain(missing) {
            let is_value = Some(name) == self.positional.as_ref() || Some(name) == verb;
            if is_value || name == IDEMPOTENCY_KEY || self.verbs.contains(name) {
                continue;
            }
            match value {
                Value::Bool(true) => line.push(format!("--{}", name.replace('_', "-"))),
                Value::Bool(false) => {}
                _ => line.extend(
                    texts(value).map(|value| format!("--{}={value}", name.replace('_', "-"))),
                ),
            }
        }
        let positional = self.positional.as_ref().or(verb);
        if let Some(value) = positional.and_then(|name| arguments.get(name)) {
            line.push("--".to_owned());
            line.extend(texts(value));
        }
        Ok(line)
    }

    /// Checks names and types.
    fn check(&self, arguments: &Map<String, Value>) -> Result<(), String> {
        let schema = &self.schema;
        let invalid = |why: String| Err(format!("Invalid arguments for tool {}: {why}", self.name));
        let mut required = schema.required.iter();
        if let Some(missing) = required.find(|key| !arguments.contains_key(*key)) {
            return invalid(format!("missing `{missing}`"));
        }
        for (key, value) in arguments {
            let Some(property) = schema.properties.get(key) else {
                return invalid(format!("unknown `{key}`"));
            };
            let is_text = |value: &Value| {
                let text = value.as_str().map(str::trim);
                text.is_some_and(|text| !text.is_empty() && text != "-" && !text.contains('\0'))
            };
            let wanted = property["type"].as_str().unwrap_or("string");
            let is_valid = match (wanted, value) {
                ("integer", value) => value.is_u64(),
                ("boolean", value) => value.is_boolean(),
                ("array", Value::Array(items)) => !items.is_empty() && items.iter().all(is_text),
                ("array", _) => false,
                (_, value) => is_text(value),
            };
            if !is_valid {
                return invalid(format!("`{key}` must be a non-empty {wanted}"));
            }
        }
        let given = self
            .verbs
            .iter()
            .filter(|verb| arguments.contains_key(*verb));
        if given.count() > 1 {
            return invalid(format!("give one of {:?}", self.verbs));
        }
        Ok(())
    }
}

/// Returns the values of an argument as text.
fn texts(value: &Value) -> impl Iterator<Item = String> + '_ {
    let items: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        one => vec![one],
    };
    items.into_iter().map(|item| match item {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_becomes_a_command_line() {
        for (tool, arguments, expected) in [
            (
                "recall",
                json!({"query": "-v --help", "all": true}),
                Ok("mem recall --all --budget=800 -- -v --help"),
            ),
            (
                "remember",
                json!({"text": "- tea", "tag": ["a", "b"], "valid_until": "2026-01-31",
                    "replaces": "Old", "idempotency_key": "k"}),
                Ok(
                    "mem remember --by=x --replaces=Old --tag=a --tag=b --valid-until=2026-01-31 -- - tea",
                ),
            ),
            ("review", json!({"limit": 3}), Ok("mem review --limit=3")),
            (
                "review",
                json!({"accept": ["a", "b"]}),
                Ok("mem review accept -- a b"),
            ),
            ("history", json!({}), Ok("mem history --limit=10")),
            ("undo", json!({"run": "-n"}), Ok("mem undo -- -n")),
            ("recall", json!({}), Err("missing `query`")),
            (
                "recall",
                json!({"query": "a", "dry": 1}),
                Err("unknown `dry`"),
            ),
            (
                "recall",
                json!({"query": "a", "budget": "9"}),
                Err("`budget` must"),
            ),
            ("remember", json!({"text": "-"}), Err("`text` must")),
            (
                "review",
                json!({"accept": ["a"], "reject": ["b"]}),
                Err("give one of"),
            ),
        ] {
            let line = named(tool)
                .unwrap()
                .command_line(arguments.as_object().unwrap(), "x");
            match (line, expected) {
                (Ok(line), Ok(expected)) => assert_eq!(line.join(" "), expected),
                (Err(error), Err(expected)) => assert!(error.contains(expected), "{error}"),
                (line, _) => panic!("{line:?}"),
            }
        }
    }

    #[test]
    fn the_list_of_tools_is_small() {
        let all = serde_json::to_string(&listed(true, false)).unwrap();
        assert!(all.len() / 4 <= 2000, "{} tokens", all.len() / 4);
        assert!(listed(false, false).len() < listed(true, false).len());
        assert!(
            !all.contains("\"command\"") && !all.contains("\"positional\""),
            "{all}"
        );
    }
}
