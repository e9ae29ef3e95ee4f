//! What a person said outranks what an assistant repeated at length.
//!
//! An assistant takes up every word of what it was told, and says it better: by words and meaning its reply
//! is nearer to a question than the statement that answers it. Where a vault tells the two apart (see
//! [`crate::note::words::voice`]), replies count less, unless they are what is asked for. In a vault of one voice
//! nothing changes.

/// What the score of a reply counts beside that of a statement. On BEAM coverage at ten is .44 without,
/// .58 to .59 with any factor of .5 to .74, in each half of its chats; no other corpus has two voices.
pub(super) const REPLY: f32 = 0.67;

/// Words after `your` that mean a reply.
const REPLIES: [&str; 7] = [
    "advice",
    "suggestion",
    "suggestions",
    "recommendation",
    "recommendations",
    "answer",
    "explanation",
];

/// Pasts of what an assistant does that do not end in `ed`.
const SAID: [&str; 7] = ["said", "told", "gave", "wrote", "made", "found", "showed"];

/// Beginnings of words that want all that was said, by whomever.
const WHOLE: [&str; 5] = ["summar", "overview", "recap", "zusammenf", "überblick"];

/// Returns whether `question` asks for what an assistant said, or for all that was said.
pub(super) fn asks_for_replies(question: &str) -> bool {
    let question = question.to_lowercase();
    let words: Vec<&str> = question
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .collect();
    let is_whole = |word: &&str| WHOLE.iter().any(|whole| word.starts_with(whole));
    let is_said = |pair: &[&str]| match *pair {
        ["did" | "have" | "were" | "had", "you"] | ["hast", "du"] | ["haben", "sie"] => true,
        ["you", word] => word.ends_with("ed") || SAID.contains(&word),
        ["your", word] => REPLIES.contains(&word),
        _ => false,
    };
    words.contains(&"assistant") || words.iter().any(is_whole) || words.windows(2).any(is_said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_questions_are_about_replies() {
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
