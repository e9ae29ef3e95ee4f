//! Parses replies: one of the allowed answers, plain or in JSON, with or without surrounding text.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::finding::QuestionKey;
use crate::finding::question::{Answer, QuestionKind};
use crate::note::words::one_line::shortened;

/// Maximum length of a stored reason, in characters.
pub(super) const MAX_REASON_CHARS: usize = 300;

/// A usable reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReasonedAnswer {
    pub answer: Answer,
    /// The judge's reason; empty if it gave none.
    pub why: String,
    /// The body written by the judge, not yet checked.
    pub text: Option<String>,
}

#[derive(Deserialize)]
struct RawReply {
    answer: String,
    #[serde(default, alias = "reason")]
    why: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    id: Option<String>,
}

/// Parses the reply to question `question`, or returns why it is unusable.
pub(super) fn read(text: &str, question: QuestionKey) -> Result<ReasonedAnswer, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("the reply is empty".to_owned());
    }
    if let Some(answer) = plain_answer(text, question.kind()) {
        let why = String::new();
        return Ok(ReasonedAnswer {
            answer,
            why,
            text: None,
        });
    }
    // Models often add an introduction or a code fence.
    let mut objects = json_objects::<RawReply>(text).peekable();
    let Some(written) = objects.next() else {
        return Err(format!("no answer in “{}”", shortened(text, 80)));
    };
    if objects.peek().is_some() {
        return Err("the reply has several answers".to_owned());
    }
    if let Some(id) = written.id.filter(|id| *id != question.to_string()) {
        return Err(format!(
            "it answers `{}`, not this question",
            shortened(&id, 40)
        ));
    }
    let answer = parse_answer(written.answer.trim(), question.kind())?;
    let reason = written.why.unwrap_or_default();
    let why = shortened(reason.trim(), MAX_REASON_CHARS);
    let text = written.text;
    Ok(ReasonedAnswer { answer, why, text })
}

/// Returns all JSON objects in `text` that deserialize to `T`, wherever they start.
pub(super) fn json_objects<T: DeserializeOwned>(text: &str) -> impl Iterator<Item = T> {
    let begun = text.match_indices('{');
    begun.filter_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter();
        values.next()?.ok()
    })
}

/// Returns the answer in the first or last line of `text`, if the text contains no other allowed
/// answer.
fn plain_answer(text: &str, kind: QuestionKind) -> Option<Answer> {
    if text.contains('{') {
        return None;
    }
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next()?;
    let ends = [Some(first), lines.next_back()];
    let found = ends.into_iter().flatten().find_map(|line| {
        let is_mark = |c: char| !c.is_alphanumeric();
        let line = line.trim_matches(is_mark).to_lowercase();
        // `**Answer:** no`.
        let word = line.strip_prefix("answer").unwrap_or(&line);
        parse_answer(word.trim_start_matches(is_mark), kind).ok()
    })?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = text.split(|c: char| !is_word(c));
    let is_other_answer = |word: &str| parse_answer(word, kind).is_ok_and(|other| other != found);
    (!words.any(is_other_answer)).then_some(found)
}

fn parse_answer(word: &str, kind: QuestionKind) -> Result<Answer, String> {
    let parsed = word.to_lowercase().parse::<Answer>().ok();
    let found = parsed.filter(|answer| kind.answers().contains(answer));
    found.ok_or_else(|| format!("`{}` is not one of its answers", shortened(word, 40)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::front_matter::relation::Relation;

    #[test]
    fn answers_in_prose_are_parsed() {
        for (text, kind, expected) in [
            ("YES.", QuestionKind::Merge, Some(Answer::Yes)),
            ("yes\n", QuestionKind::Merge, Some(Answer::Yes)),
            ("**yes**", QuestionKind::Merge, Some(Answer::Yes)),
            (
                "`part_of`",
                QuestionKind::Link,
                Some(Answer::Is(Relation::PartOf)),
            ),
            (
                "No.\n\nThey name two teas.",
                QuestionKind::Merge,
                Some(Answer::No),
            ),
            (
                "Both are about one tea.\n\nAnswer: yes",
                QuestionKind::Merge,
                Some(Answer::Yes),
            ),
            ("Yes.\n\nThere is no difference.", QuestionKind::Merge, None),
            ("yes\nno", QuestionKind::Merge, None),
            ("supports\nIt is part_of it, too.", QuestionKind::Link, None),
            ("Yes, if the dates are right", QuestionKind::Merge, None),
        ] {
            assert_eq!(plain_answer(text, kind), expected, "{text}");
        }
    }

    #[test]
    fn replies_are_parsed() {
        let merge = QuestionKey::new(QuestionKind::Merge, &[1, 2]);
        let link = QuestionKey::new(QuestionKind::Link, &[1, 2]);
        let right = format!(r#"{{"id":"{merge}","answer":"no"}}"#);
        let wrong = format!(r#"{{"id":"{link}","answer":"no"}}"#);
        let wrong_why = format!("it answers `{link}`, not this question");
        for (text, question, expected) in [
            ("yes", merge, Ok((Answer::Yes, ""))),
            ("  No.\n", merge, Ok((Answer::No, ""))),
            ("**Answer:** no.", merge, Ok((Answer::No, ""))),
            (
                r#"{"answer":"yes","why":"same\n tea"}"#,
                merge,
                Ok((Answer::Yes, "same tea")),
            ),
            (
                "```json\n{\"answer\": \"NO\", \"reason\": \"x\"}\n```",
                merge,
                Ok((Answer::No, "x")),
            ),
            (
                "Sure {here}: {\"answer\":\"no\"}",
                merge,
                Ok((Answer::No, "")),
            ),
            (
                r#"{"answer":"part_of"}"#,
                link,
                Ok((Answer::Is(Relation::PartOf), "")),
            ),
            (&right, merge, Ok((Answer::No, ""))),
            ("", merge, Err("the reply is empty")),
            (" \n", merge, Err("the reply is empty")),
            ("part_of", merge, Err("no answer in “part_of”")),
            (
                r#"{"answer":"part_of"}"#,
                merge,
                Err("`part_of` is not one of its answers"),
            ),
            (
                r#"{"answer":"maybe"}"#,
                merge,
                Err("`maybe` is not one of its answers"),
            ),
            (
                r#"{"answer":"yes""#,
                merge,
                Err("no answer in “{\"answer\":\"yes\"”"),
            ),
            (
                r#"{"answer":true}"#,
                merge,
                Err("no answer in “{\"answer\":true}”"),
            ),
            (
                r#"{"answer":"yes"} {"answer":"no"}"#,
                merge,
                Err("the reply has several answers"),
            ),
            (
                "I would say yes",
                merge,
                Err("no answer in “I would say yes”"),
            ),
            (&wrong, merge, Err(&wrong_why)),
        ] {
            let found = read(text, question);
            let expected = expected
                .map(|(answer, why)| ReasonedAnswer {
                    answer,
                    why: why.to_owned(),
                    text: None,
                })
                .map_err(str::to_owned);
            assert_eq!(found, expected, "{text}");
        }
    }
}
