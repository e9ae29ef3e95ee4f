//! Checks the text that a judge writes for merged notes: it must state exactly what the notes
//! state.

use std::collections::BTreeSet;

use crate::note::front_matter::split::split;
use crate::note::markdown::lines::lines_of;
use crate::note::markdown::sentences;
use crate::note::words::english;
use crate::note::words::required_items::{LowerCaseWords, items};
use crate::note::words::wording::is_restated;
use crate::note::{LineRole, WordEffect, each_word};

/// Returns why `text` cannot replace the bodies of `notes`. It must contain every sentence by the
/// measure of a
/// certain merge, and no new number, name, link or content word.
pub(super) fn rejection(notes: &[&str], text: &str) -> Option<String> {
    let bodies: Vec<&str> = notes.iter().map(|note| &note[split(note).body]).collect();
    if text.trim().is_empty() {
        return Some("it is empty".to_owned());
    }
    if split(text).block.is_some() {
        return Some("it has properties".to_owned());
    }
    let mut common = LowerCaseWords::default();
    for body in &bodies {
        common.add(body);
    }
    common.add(text);
    let words = |text: &str| content_items(text, &common);
    let of_notes: BTreeSet<String> = bodies.iter().flat_map(|body| words(body)).collect();
    if let Some(new) = words(text).difference(&of_notes).next() {
        return Some(format!("`{new}` does not occur in any source note"));
    }
    let new_statements = statements(text);
    let mut statements = bodies.iter().flat_map(|body| statements(body));
    let is_kept = |part: &str| {
        new_statements
            .iter()
            .any(|long| *long == part || is_restated(part, long))
    };
    if let Some(lost) = statements.find(|part| !is_kept(part)) {
        let brief: String = lost.chars().take(60).collect();
        return Some(format!("it lacks “{brief}”"));
    }
    let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
    let most = bodies.iter().map(|body| letters(body)).sum();
    (letters(text) > most).then(|| "it is longer than the notes together".to_owned())
}

/// Returns the sentences of `body`; lines that are not prose count as one each.
fn statements(body: &str) -> Vec<&str> {
    let mut statements = Vec::new();
    for line in lines_of(body) {
        let written = body[line.span].trim();
        let is_prose =
            line.role == LineRole::Text && written.starts_with(|c: char| c.is_alphabetic());
        if is_prose {
            statements.extend(sentences::of_line(written));
        } else if !written.is_empty() {
            statements.push(written);
        }
    }
    statements
}

/// Returns the stems of content words and negations in `text`, and its numbers, names and links.
fn content_items(text: &str, common: &LowerCaseWords) -> BTreeSet<String> {
    let mut content_items = items(text, common);
    each_word(text, |word, _| {
        if english::word(word).content != WordEffect::Empty || english::is_negation(word) {
            content_items.insert(english::stem(word));
        }
    });
    content_items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::markdown::document::Document;
    use crate::note::markdown::tests::{Texts, Truth};

    #[test]
    fn code_is_split_by_lines() {
        for text in Texts::all() {
            let statements = statements(&text);
            for code in Truth::of(&Document::of_body(&text)).code {
                let lines = text[code]
                    .lines()
                    .map(|line| line.trim_start_matches([' ', '>', '\t']));
                // The first line may follow a list marker.
                for line in lines.skip(1).filter(|line| !line.is_empty()) {
                    let is_there = statements.iter().any(|part| part.ends_with(line.trim()));
                    assert!(is_there, "{line:?} in {text:?}");
                }
            }
        }
    }

    #[test]
    fn a_rewrite_must_state_exactly_what_the_notes_state() {
        let notes = [
            "---\ntype: fact\n---\nAnna moved to Bern on 2026-03-04. She does not like the noise.\n",
            "Since 2026-03-04 Anna lives in Bern, see [[Moving]].\n",
        ];
        let good = "Since 2026-03-04 Anna lives in Bern, see [[Moving]].\n\n\
             Anna moved to Bern on 2026-03-04. She does not like the noise.\n";
        let lost = |sentence: &str| Some(format!("it lacks “{sentence}”"));
        let new = |word: &str| Some(format!("`{word}` does not occur in any source note"));
        let fault = |text: &str| Some(text.to_owned());
        let lives = "Since 2026-03-04 Anna lives in Bern, see [[Moving]].";
        for (text, expected) in [
            (good, None),
            (" \n", fault("it is empty")),
            ("---\na: 1\n---\nx\n", fault("it has properties")),
            (&good.replace("lives in Bern", "lives"), lost(lives)),
            (&good.replace("2026-03-04", "2026-03-05"), new("05")),
            (&good.replace("[[Moving]]", "that"), lost(lives)),
            (
                &good.replace("does not like", "does like"),
                lost("She does not like the noise."),
            ),
            (&good.replace("noise", "trams"), new("tram")),
            (&good.replace("She", "Eva"), new("Eva")),
            (
                &good.replace("moved to Bern on", "moved from Bern on"),
                new("from"),
            ),
            (
                &good.replace("Anna moved", "Bern moved"),
                lost("Anna moved to Bern on 2026-03-04."),
            ),
            (
                &good.repeat(3),
                fault("it is longer than the notes together"),
            ),
        ] {
            assert_eq!(rejection(&notes, text), expected, "{text}");
        }
    }

    #[test]
    fn changed_words_are_rejected() {
        let tea = "Brew green tea at 70 degrees for two minutes. Do not boil it. Ask Ann before you do it again.\n\
             - [ ] Buy tea from Ann\n- [x] Pay 5 to Bob\n";
        let more = format!("{tea}Use the blue pot.\n");
        for (from, to) in [
            ("green", "black"),
            ("two minutes", "ten minutes"),
            ("Do not boil it", "Do boil it, not the pot"),
            ("before", "after"),
            ("[ ] Buy", "[x] Buy"),
            ("Ask Ann", "Ask Bob"),
            ("Use the blue pot.\n", ""),
            ("Use the blue pot", "Use the green pot"),
        ] {
            let text = more.replace(from, to);
            assert!(rejection(&[tea, &more], &text).is_some(), "{text}");
        }
        assert_eq!(rejection(&[tea, &more], &more), None);
    }

    #[test]
    fn words_must_stay_in_their_sentence() {
        for (note, text) in [
            (
                "The boiler heats to 60 degrees and must not be switched off at night.",
                "The boiler heats not to 60 degrees and must be switched off at night.",
            ),
            (
                "Bob paid Ada 60 euros and Ada paid Carl 40.",
                "Ada paid Bob 40 euros and Carl paid Ada 60.",
            ),
            (
                "- [ ] order the filter\n- [x] pay the plumber",
                "- [x] order the filter\n- [ ] pay the plumber",
            ),
            (
                "| filter | 12 |\n| valve | 30 |",
                "| filter | 30 |\n| valve | 12 |",
            ),
            (
                "Read [the manual](https://a.example/m) and [the invoice](https://b.example/i).",
                "Read [the manual](https://b.example/i) and [the invoice](https://a.example/m).",
            ),
            (
                "It holds 40 litres and weighs 12 kg.",
                "It holds 40 kg and weighs 12 litres.",
            ),
            (
                "The inspection is on the third of May, the bill comes on the tenth of June.",
                "The inspection is on the tenth of June, the bill comes on the third of May.",
            ),
            (
                "If it rains, close the window; if it freezes, open the tap.",
                "If it freezes, close the window; if it rains, open the tap.",
            ),
            (
                "We let anna and zoltan test the pump in the cellar, it runs at seven bar.",
                "We let anna test the pump in the cellar, it runs.",
            ),
        ] {
            assert!(rejection(&[note, note], text).is_some(), "{text}");
        }
    }
}
