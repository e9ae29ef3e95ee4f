//! Who speaks in a note: a person, or an assistant that was asked.
//!
//! Chats kept as notes name the speaker of each, by a role. Only a value that is such a role and nothing
//! else counts: a person's own note about a model has another. Who wrote a note down (`mem: {by: …}`) is
//! another matter: an agent's notes hold what the person said, too.

use serde_json::{Map, Value};

/// Properties that name a speaker.
const SPEAKER: [&str; 4] = ["source", "role", "speaker", "author"];

/// What assistants are called there.
const ASSISTANTS: [&str; 6] = ["assistant", "ai", "agent", "bot", "chatbot", "model"];

/// Returns whether an assistant says what the note with these properties says.
#[must_use]
pub fn is_assistant(properties: &Map<String, Value>) -> bool {
    let speakers = SPEAKER
        .iter()
        .filter_map(|key| properties.get(*key)?.as_str());
    speakers
        .map(|speaker| speaker.trim().to_lowercase())
        .any(|speaker| ASSISTANTS.contains(&speaker.as_str()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_speaker_is_named_by_a_role() {
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
