//! The speaker of a note: a person or an assistant.
//!
//! Chats stored as notes name the speaker by a role. Only the exact name of an assistant's role counts, since
//! a person's note about a model has another source. The writer of a note (`mem: {by: …}`) is different: an
//! agent also writes down statements of the person.

use serde_json::{Map, Value};

use crate::note::front_matter::property_names::property;

/// Properties that name a speaker.
const SPEAKER_PROPERTIES: [&str; 4] = ["source", "role", "speaker", "author"];

/// Role names of assistants.
const ASSISTANT_ROLES: [&str; 6] = ["assistant", "ai", "agent", "bot", "chatbot", "model"];

/// Returns whether these properties mark a note as an assistant's statement.
pub fn is_assistant(properties: &Map<String, Value>) -> bool {
    let speakers = SPEAKER_PROPERTIES
        .iter()
        .filter_map(|key| properties.get(*key)?.as_str());
    speakers
        .map(|speaker| speaker.trim().to_lowercase())
        .any(|speaker| ASSISTANT_ROLES.contains(&speaker.as_str()))
}

/// Returns whether these properties mark a note as a turn of a chat, by a person or an assistant.
pub fn is_chat_turn(properties: &Map<String, Value>) -> bool {
    let is_named = |key: &str| properties.get(key).is_some_and(Value::is_string);
    let source = properties.get("source").and_then(Value::as_str);
    let is_role = |source: &str| source == "user" || source == "human";
    is_named("speaker")
        || is_named("role")
        || source.is_some_and(is_role)
        || is_assistant(properties)
}

/// Jobs that write notes about others.
const DERIVING_JOBS: [&str; 2] = ["cluster", "consolidate"];

/// Returns whether these properties mark a note as derived by mem, even if edited since. Jobs do not start
/// from derived notes, which prevents summaries of summaries.
pub fn is_derived(properties: &Map<String, Value>) -> bool {
    writer(properties).is_some_and(|by| DERIVING_JOBS.contains(&by)) || is_meta(properties)
}

/// Returns the job or agent that wrote a note with these properties.
pub fn writer(properties: &Map<String, Value>) -> Option<&str> {
    properties.get("mem")?.get("by")?.as_str()
}

/// Returns whether a note only repeats the notes that it links to. The type `meta` alone is not sufficient:
/// people use it for their own notes.
pub fn is_meta(properties: &Map<String, Value>) -> bool {
    let kind = property(properties, "type").and_then(Value::as_str);
    kind.is_some_and(|kind| kind.eq_ignore_ascii_case("meta"))
        && property(properties, "summarizes").is_some()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn recognises_derived_notes() {
        for (properties, derived, meta) in [
            (json!({"type": "meta"}), false, false),
            (json!({"type": "meta", "summarizes": ["[[a]]"]}), true, true),
            (
                json!({"type": "Meta", "mem": {"by": "cluster"}}),
                true,
                false,
            ),
            (
                json!({"type": "fact", "mem": {"by": "consolidate"}}),
                true,
                false,
            ),
            (
                json!({"type": "fact", "mem": {"by": "claude"}}),
                false,
                false,
            ),
            (json!({"derived_from": "[[a]]"}), false, false),
        ] {
            let properties = properties.as_object().cloned().unwrap_or_default();
            let found = (is_derived(&properties), is_meta(&properties));
            assert_eq!(found, (derived, meta), "{properties:?}");
        }
    }

    #[test]
    fn recognises_assistants_by_role() {
        for (properties, expected) in [
            (json!({"source": "assistant"}), true),
            (json!({"role": "Assistant "}), true),
            (json!({"source": "user"}), false),
            (json!({"source": "https://example.org/assistant"}), false),
            (json!({"author": "Ada", "tags": ["assistant"]}), false),
            (json!({"mem": {"by": "agent"}}), false),
            (json!({"source": 3}), false),
        ] {
            let properties = properties.as_object().cloned().unwrap_or_default();
            assert_eq!(is_assistant(&properties), expected, "{properties:?}");
        }
    }
}
