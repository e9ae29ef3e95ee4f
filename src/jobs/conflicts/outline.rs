//! Compact summary of a note that excludes pairs which cannot disagree.
//!
//! Few of the candidate pairs can disagree: both notes are short and have one subject, or one reports a change
//! of something that occurs in the other. The outlines of all notes fit in memory. So each note is read once,
//! and only the few remaining pairs are compared by statement.

use super::account::{Account, BRIEF};
use super::pair::stems;
use super::topic::Topic;

/// Size of the stem filter in 64-bit words.
const BITS: usize = 16;

/// The data that decides whether a note may disagree with another.
#[derive(Debug)]
pub(super) struct Outline {
    topic: Topic,
    speaker: Option<u64>,
    words: usize,
    by_agent: bool,
    /// Stems of each old value in a reported change; a contradicting note contains all stems of one.
    over: Vec<Vec<u64>>,
    stems: Stems,
}

impl Outline {
    pub(super) fn of(account: &Account) -> Self {
        let mut all = Stems::default();
        let mut over = Vec::new();
        for statement in &account.statements {
            statement.words.iter().for_each(|word| all.add(word.stem));
            let turns = statement.turns.iter();
            let told = turns.filter(|turn| account.tells(statement, turn));
            let old = told.filter_map(|turn| turn.old.clone());
            over.extend(old.map(|old| stems(&statement.words[old])));
        }
        Self {
            topic: account.topic.clone(),
            speaker: account.speaker,
            words: account.words,
            by_agent: account.by_agent,
            over,
            stems: all,
        }
    }

    /// Returns false only if [`judge`](super::judge::judge) cannot find evidence, whatever the metadata.
    pub(super) fn may_disagree(&self, other: &Self) -> bool {
        if matches!((self.speaker, other.speaker), (Some(a), Some(b)) if a != b) {
            return false;
        }
        if self.by_agent && other.by_agent {
            return true;
        }
        let is_one = self.topic.meets(&other.topic);
        let are_brief = self.words <= BRIEF && other.words <= BRIEF;
        let may_be_twins = self.words == other.words && self.topic == other.topic;
        is_one && (are_brief || may_be_twins) || self.may_tell(other) || other.may_tell(self)
    }

    /// Returns true if this note may report a change of something in the other.
    fn may_tell(&self, other: &Self) -> bool {
        let is_of = |topic: &Topic, stems: &Stems| topic.is(|stem| stems.have(stem));
        self.over
            .iter()
            .any(|over| over.iter().all(|stem| other.stems.have(*stem)))
            && (self.topic.meets(&other.topic)
                || is_of(&other.topic, &self.stems)
                || is_of(&self.topic, &other.stems))
    }
}

/// A Bloom filter of stems: may contain more stems than were added.
#[derive(Debug, Default)]
struct Stems([u64; BITS]);

impl Stems {
    fn add(&mut self, stem: u64) {
        let (word, bit) = Self::place(stem);
        self.0[word] |= bit;
    }

    fn have(&self, stem: u64) -> bool {
        let (word, bit) = Self::place(stem);
        self.0[word] & bit != 0
    }

    fn place(stem: u64) -> (usize, u64) {
        ((stem >> 6) as usize % BITS, 1 << (stem % 64))
    }
}

#[cfg(test)]
mod tests {
    use super::super::topic::Topic;
    use super::*;
    use crate::note::markdown::document::Document;
    use crate::note::markdown::tests::{Texts, Truth, meets};

    fn outline(title: &str, body: &str) -> Outline {
        let mut account = Account::of(title, body);
        account.topic = Topic::of(title, true, &account.statements);
        Outline::of(&account)
    }

    #[test]
    fn code_and_headings_state_nothing() {
        for text in Texts::all() {
            let account = Account::of("", &text);
            let truth = Truth::of(&Document::of(&account.text, 1..account.text.len()));
            for statement in &account.statements {
                let span = statement.span.0 as usize..statement.span.1 as usize;
                let holes = [&truth.code, &truth.headings];
                let is_torn = holes.iter().any(|holes| meets(holes, &span));
                assert!(!is_torn, "{:?} in {text:?}", &account.text[span]);
            }
        }
    }

    #[test]
    fn few_pairs_can_disagree() {
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
            assert_eq!(a.may_disagree(&b), expected, "{first:?} {second:?}");
            assert_eq!(b.may_disagree(&a), expected, "{second:?} {first:?}");
        }
    }

    #[test]
    fn what_agents_wrote_is_always_compared() {
        let [mut a, mut b] = ["Tea", "Coffee"].map(|title| outline(title, "It is green."));
        a.by_agent = true;
        assert!(!a.may_disagree(&b));
        b.by_agent = true;
        assert!(a.may_disagree(&b));
    }
}
