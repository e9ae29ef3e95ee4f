//! Ranks statements of a person above replies of an assistant.
//!
//! An assistant repeats every word of the person and phrases it better. Its reply therefore scores higher
//! than the statement that answers the question, both lexically and semantically.
//! If a vault marks speakers (see [`crate::note::words::speaker`]), replies score lower unless the question is
//! about them. In a vault with one speaker nothing changes.

/// Factor on the score of a reply. On BEAM, coverage at 10 is .44 without it, and .58 to .59 with any factor
/// from .5 to .74, in each half of its chats. No other corpus has two speakers.
pub(super) const REPLY_FACTOR: f32 = 0.67;

/// Words after `your` that refer to a reply.
const REPLY_NOUNS: [&str; 7] = [
    "advice",
    "suggestion",
    "suggestions",
    "recommendation",
    "recommendations",
    "answer",
    "explanation",
];

/// Past tenses of an assistant's actions that do not end in `ed`.
const IRREGULAR_REPLY_VERBS: [&str; 7] =
    ["said", "told", "gave", "wrote", "made", "found", "showed"];

/// Prefixes of words that ask for all statements of all speakers.
const SUMMARY_PREFIXES: [&str; 5] = ["summar", "overview", "recap", "zusammenf", "überblick"];

/// Returns whether `question` asks for statements of the assistant, or for all statements.
pub(super) fn asks_for_replies(question: &str) -> bool {
    let question = question.to_lowercase();
    let words: Vec<&str> = question
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .collect();
    let asks_for_summary =
        |word: &&str| SUMMARY_PREFIXES.iter().any(|whole| word.starts_with(whole));
    let refers_to_reply = |pair: &[&str]| match *pair {
        ["did" | "have" | "were" | "had", "you"] | ["hast", "du"] | ["haben", "sie"] => true,
        ["you", word] => word.ends_with("ed") || IRREGULAR_REPLY_VERBS.contains(&word),
        ["your", word] => REPLY_NOUNS.contains(&word),
        _ => false,
    };
    words.contains(&"assistant")
        || words.iter().any(asks_for_summary)
        || words.windows(2).any(refers_to_reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_questions_about_replies() {
        for (question, expected) in [
            ("How did you recommend structuring the work?", true),
            ("what was your advice on sneakers", true),
            ("the library you suggested", true),
            ("Can you summarize how my goals developed?", true),
            ("Was hast du mir empfohlen?", true),
            ("Can you suggest some options I might like?", false),
            ("How many columns did I want to add?", false),
            ("when is the deadline", false),
            ("", false),
        ] {
            assert_eq!(asks_for_replies(question), expected, "{question}");
        }
    }
}
