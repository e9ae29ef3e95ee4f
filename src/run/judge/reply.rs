//! Parses replies: one of the allowed answers, plain or in JSON, with or without surrounding text.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::finding::question::{Answer, Kind, QuestionKey};

/// Maximum length of a stored reason, in characters.
pub(super) const LONGEST_WHY: usize = 300;

/// A usable reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub answer: Answer,
    /// The judge's reason; empty if it gave none.
    pub why: String,
    /// The body written by the judge, not yet checked.
    pub text: Option<String>,
}

#[derive(Deserialize)]
struct Written {
    answer: String,
    #[serde(default, alias = "reason")]
    why: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    id: Option<String>,
}

/// Parses the reply to question `asked`, or returns why it is unusable.
pub(super) fn read(text: &str, asked: QuestionKey) -> Result<Reply, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("it said nothing".to_owned());
    }
    if let Some(answer) = plain(text, asked.kind()) {
        let why = String::new();
        return Ok(Reply {
            answer,
            why,
            text: None,
        });
    }
    // Models often add an introduction or a code fence.
    let mut objects = objects::<Written>(text).peekable();
    let Some(written) = objects.next() else {
        return Err(format!("no answer in “{}”", shortened(text, 80)));
    };
    if objects.peek().is_some() {
        return Err("it gave several answers".to_owned());
    }
    if let Some(id) = written.id.filter(|id| *id != asked.to_string()) {
        return Err(format!(
            "it answers `{}`, not this question",
            shortened(&id, 40)
        ));
    }
    let answer = answer(written.answer.trim(), asked.kind())?;
    let why = written.why.unwrap_or_default();
    let why = shortened(why.trim(), LONGEST_WHY);
    let text = written.text;
    Ok(Reply { answer, why, text })
}

/// Returns all JSON objects in `text` that deserialize to `T`, wherever they start.
pub(super) fn objects<T: DeserializeOwned>(text: &str) -> impl Iterator<Item = T> {
    let begun = text.match_indices('{');
    begun.filter_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter();
        values.next()?.ok()
    })
}

/// Returns the answer in the first or last line of `text`, if the text contains no other allowed
/// answer.
fn plain(text: &str, kind: Kind) -> Option<Answer> {
    if text.contains('{') {
        return None;
    }
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next()?;
    let ends = [Some(first), lines.next_back()];
    let said = ends.into_iter().flatten().find_map(|line| {
        let is_mark = |c: char| !c.is_alphanumeric();
        let line = line.trim_matches(is_mark).to_lowercase();
        // `**Answer:** no`.
        let word = line.strip_prefix("answer").unwrap_or(&line);
        answer(word.trim_start_matches(is_mark), kind).ok()
    })?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = text.split(|c: char| !is_word(c));
    let is_other = |word: &str| answer(word, kind).is_ok_and(|other| other != said);
    (!words.any(is_other)).then_some(said)
}

fn answer(word: &str, kind: Kind) -> Result<Answer, String> {
    let found = word.to_lowercase().parse::<Answer>().ok();
    let found = found.filter(|answer| kind.answers().contains(answer));
    found.ok_or_else(|| format!("`{}` is not one of its answers", shortened(word, 40)))
}

fn shortened(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::front_matter::relation::Relation;

    #[test]
    fn what_is_taken_for_an_answer_in_prose() {
        for (text, kind, expected) in [
            ("YES.", Kind::Merge, Some(Answer::Yes)),
            ("yes\n", Kind::Merge, Some(Answer::Yes)),
            ("**yes**", Kind::Merge, Some(Answer::Yes)),
            ("`part_of`", Kind::Link, Some(Answer::Is(Relation::PartOf))),
            ("No.\n\nThey name two teas.", Kind::Merge, Some(Answer::No)),
            (
                "Both are about one tea.\n\nAnswer: yes",
                Kind::Merge,
                Some(Answer::Yes),
            ),
            ("Yes.\n\nThere is no difference.", Kind::Merge, None),
            ("yes\nno", Kind::Merge, None),
            ("supports\nIt is part_of it, too.", Kind::Link, None),
            ("Yes, if the dates are right", Kind::Merge, None),
        ] {
            assert_eq!(plain(text, kind), expected, "{text}");
        }
    }

    #[test]
    fn what_is_taken_for_an_answer() {
        let merge = QuestionKey::new(Kind::Merge, &[1, 2]);
        let link = QuestionKey::new(Kind::Link, &[1, 2]);
        let right = format!(r#"{{"id":"{merge}","answer":"no"}}"#);
        let wrong = format!(r#"{{"id":"{link}","answer":"no"}}"#);
        let wrong_why = format!("it answers `{link}`, not this question");
        for (text, asked, expected) in [
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
            ("", merge, Err("it said nothing")),
            (" \n", merge, Err("it said nothing")),
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
                Err("it gave several answers"),
            ),
            (
                "I would say yes",
                merge,
                Err("no answer in “I would say yes”"),
            ),
            (&wrong, merge, Err(&wrong_why)),
        ] {
            let found = read(text, asked);
            let expected = expected
                .map(|(answer, why)| Reply {
                    answer,
                    why: why.to_owned(),
                    text: None,
                })
                .map_err(str::to_owned);
            assert_eq!(found, expected, "{text}");
        }
    }
}
