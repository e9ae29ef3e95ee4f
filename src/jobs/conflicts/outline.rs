//! Compact summary of a note that excludes pairs which cannot disagree.
//!
//! Few of the candidate pairs can disagree: both notes are short and have one subject, or one reports a change
//! of something that occurs in the other. The outlines of all notes fit in memory. So each note is read once,
//! and only the few remaining pairs are compared by statement.

use super::pair::stems;
use super::parsed_note::{MAX_SHORT_NOTE_WORDS, ParsedNote};
use super::topic::TitleTopic;

/// Size of the stem filter in 64-bit words.
const FILTER_WORDS: usize = 16;

/// The data that decides whether a note may disagree with another.
#[derive(Debug)]
pub(super) struct ConflictOutline {
    topic: TitleTopic,
    speaker: Option<u64>,
    words: usize,
    is_memory: bool,
    /// Stems of each old value in a reported change; a contradicting note contains all stems of one.
    old_values: Vec<Vec<u64>>,
    stems: StemFilter,
}

impl ConflictOutline {
    pub(super) fn of(note: &ParsedNote) -> Self {
        let mut all = StemFilter::default();
        let mut old_values = Vec::new();
        for statement in &note.statements {
            statement.words.iter().for_each(|word| all.add(word.stem));
            let changes = statement.changes.iter();
            let completed = changes.filter(|change| note.is_completed_change(statement, change));
            let old = completed.filter_map(|change| change.old.clone());
            old_values.extend(old.map(|old| stems(&statement.words[old])));
        }
        Self {
            topic: note.topic.clone(),
            speaker: note.speaker,
            words: note.words,
            is_memory: note.is_memory(),
            old_values,
            stems: all,
        }
    }

    /// Returns false only if [`judge`](super::judge::judge) cannot find evidence, whatever the metadata.
    pub(super) fn can_disagree(&self, other: &Self) -> bool {
        if matches!((self.speaker, other.speaker), (Some(a), Some(b)) if a != b) {
            return false;
        }
        if self.is_memory && other.is_memory {
            return true;
        }
        let is_one_topic = self.topic.is_compatible(&other.topic);
        let are_short = self.words <= MAX_SHORT_NOTE_WORDS && other.words <= MAX_SHORT_NOTE_WORDS;
        let may_be_twins = self.words == other.words && self.topic == other.topic;
        is_one_topic && (are_short || may_be_twins)
            || self.can_report_change(other)
            || other.can_report_change(self)
    }

    /// Returns true if this note may report a change of something in the other.
    fn can_report_change(&self, other: &Self) -> bool {
        let is_of = |topic: &TitleTopic, stems: &StemFilter| {
            topic.is_within(|stem| stems.may_contain(stem))
        };
        self.old_values
            .iter()
            .any(|old_values| old_values.iter().all(|stem| other.stems.may_contain(*stem)))
            && (self.topic.is_compatible(&other.topic)
                || is_of(&other.topic, &self.stems)
                || is_of(&self.topic, &other.stems))
    }
}

/// A Bloom filter of stems: may contain more stems than were added.
#[derive(Debug, Default)]
struct StemFilter([u64; FILTER_WORDS]);

impl StemFilter {
    fn add(&mut self, stem: u64) {
        let (word, bit) = Self::bit_position(stem);
        self.0[word] |= bit;
    }

    fn may_contain(&self, stem: u64) -> bool {
        let (word, bit) = Self::bit_position(stem);
        self.0[word] & bit != 0
    }

    fn bit_position(stem: u64) -> (usize, u64) {
        ((stem >> 6) as usize % FILTER_WORDS, 1 << (stem % 64))
    }
}

#[cfg(test)]
mod tests {
    use super::super::topic::TitleTopic;
    use super::*;
    use crate::note::markdown::document::Document;
    use crate::note::markdown::tests::{Texts, Truth, meets};

    fn outline(title: &str, body: &str) -> ConflictOutline {
        let mut note = ParsedNote::of(title, body);
        note.topic = TitleTopic::of(title, true, &note.statements);
        ConflictOutline::of(&note)
    }

    #[test]
    fn code_and_headings_are_no_statements() {
        for text in Texts::all() {
            let note = ParsedNote::of("", &text);
            let truth = Truth::of(&Document::of(&note.text, 1..note.text.len()));
            for statement in &note.statements {
                let span = statement.span.0 as usize..statement.span.1 as usize;
                let holes = [&truth.code, &truth.headings];
                let is_torn = holes.iter().any(|holes| meets(holes, &span));
                assert!(!is_torn, "{:?} in {text:?}", &note.text[span]);
            }
        }
    }

    #[test]
    fn outline_excludes_most_pairs() {
        let talk =
            "The weather was fine and we walked along the river for an hour or two. ".repeat(6);
        let long = |text: &str| format!("{talk}{text} {talk}");
        let moved = long("The office moved from Berlin to Munich.");
        for (first, second, expected) in [
            // Short, with the same topic or without a topic.
            (
                ("Tea", "It steeps four minutes."),
                ("Tea", "It is green."),
                true,
            ),
            (
                ("Tea", "It steeps four minutes."),
                ("Coffee", "It is green."),
                false,
            ),
            (("Tea", &*talk), ("Tea", "It is green."), false),
            // One reports a change; the other may contain the old value.
            (
                ("Office", &moved),
                ("Office", &long("The office in Berlin is small.")),
                true,
            ),
            (
                ("Office", &moved),
                ("Office", &long("The kitchen has no window.")),
                false,
            ),
            (
                ("Office", &moved),
                ("Berlin", &long("The office in Berlin is small.")),
                true,
            ),
            (
                ("Office", &moved),
                ("Gardening", &long("The garden in Berlin is small.")),
                false,
            ),
            // Equal length: they may be identical but for a number.
            (
                ("Tea", &long("It costs 4 euro.")),
                ("Tea", &long("It costs 5 euro.")),
                true,
            ),
            (
                ("Tea", &long("It costs 4 euro.")),
                ("Mate", &long("It costs 5 euro.")),
                false,
            ),
            (
                ("", "Ann: I drink tea."),
                ("", "Ben: I drink coffee."),
                false,
            ),
            (
                ("", "Ann: I drink tea."),
                ("", "Ann: I drink coffee."),
                true,
            ),
        ] {
            let [a, b] = [first, second].map(|(title, body)| outline(title, body));
            assert_eq!(a.can_disagree(&b), expected, "{first:?} {second:?}");
            assert_eq!(b.can_disagree(&a), expected, "{second:?} {first:?}");
        }
    }

    #[test]
    fn memories_are_always_compared() {
        let [mut a, mut b] = ["Tea", "Coffee"].map(|title| outline(title, "It is green."));
        a.is_memory = true;
        assert!(!a.can_disagree(&b));
        b.is_memory = true;
        assert!(a.can_disagree(&b));
    }
}
