//! The text that a judge writes for notes that become one: taken only if it says what they say.

use std::collections::BTreeSet;

use crate::note::english::is_negation;
use crate::note::items::{Common, items};
use crate::note::split::split;
use crate::note::tokens::each_word;

/// Returns why `text` cannot be the body of a note in place of those of `notes`: every number, date, name, link,
/// symbol and negation of theirs is in it, and no other.
pub(super) fn fault(notes: &[&str], text: &str) -> Option<String> {
    let bodies: Vec<&str> = notes.iter().map(|note| &note[split(note).body]).collect();
    if text.trim().is_empty() {
        return Some("it is empty".to_owned());
    }
    if split(text).block.is_some() {
        return Some("it has properties".to_owned());
    }
    if text.len() > bodies.iter().map(|body| body.len()).sum() {
        return Some("it is longer than the notes together".to_owned());
    }
    let mut common = Common::default();
    for body in &bodies {
        common.add(body);
    }
    common.add(text);
    let of_notes = bodies
        .iter()
        .flat_map(|body| marks(body, &common))
        .collect();
    let of_text = marks(text, &common);
    let first = |of: &BTreeSet<String>, not_of| of.difference(not_of).next().cloned();
    match (first(&of_notes, &of_text), first(&of_text, &of_notes)) {
        (Some(lost), _) => Some(format!("it leaves out `{lost}`")),
        (None, Some(new)) => Some(format!("`{new}` stands in none of the notes")),
        (None, None) => None,
    }
}

fn marks(text: &str, common: &Common) -> BTreeSet<String> {
    let mut marks = items(text, common);
    each_word(text, |word, _| {
        if is_negation(word) {
            marks.insert(word.to_owned());
        }
    });
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_says_what_the_notes_say_or_is_not_taken() {
        let notes = [
            "---\ntype: fact\n---\nAnna moved to Bern on 2026-03-04. She does not like the noise.\n",
            "Since 2026-03-04 Anna lives in Bern, see [[Moving]].\n",
        ];
        let good =
            "Anna lives in Bern since 2026-03-04 ([[Moving]]). She does not like the noise.\n";
        for (text, expected) in [
            (good, None),
            (" \n", Some("it is empty")),
            ("---\na: 1\n---\nx\n", Some("it has properties")),
            (
                &good.replace("2026-03-04", "2026"),
                Some("it leaves out `2026-03-04`"),
            ),
            (&good.replace("Bern", "town"), Some("it leaves out `Bern`")),
            (
                &good.replace(" ([[Moving]])", ""),
                Some("it leaves out `Moving`"),
            ),
            (
                &good.replace("does not like", "likes"),
                Some("it leaves out `not`"),
            ),
            (
                &good.replace("noise", "noise of 40 trams"),
                Some("`40` stands in none of the notes"),
            ),
            (
                &good.replace("She", "Anna's sister Eva"),
                Some("`Anna's` stands in none of the notes"),
            ),
            (
                &good.repeat(3),
                Some("it is longer than the notes together"),
            ),
        ] {
            assert_eq!(fault(&notes, text).as_deref(), expected, "{text}");
        }
    }
}
