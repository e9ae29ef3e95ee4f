//! Why nothing answers, where that lies in what was asked.

use crate::cache::text::clause::Clause;
use crate::cache::text::reader::TextReader;
use crate::note::words::analyzer::{Analyzer, Purpose};

/// Why nothing answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nothing {
    /// No word of it says what is looked for: `the`, `!!!`.
    SaysNothing,
    /// What it asks for it leaves out, too: `kettle -kettle`.
    LeftOut,
    /// What was found does not belong to it.
    Irrelevant,
}

/// Returns why nothing can answer but a note that is called so, if nothing can. For who asks a memory, words
/// that any text has say nothing.
pub(super) fn says_nothing(
    reader: &TextReader,
    (wanted, unwanted): (&[Clause], &[Clause]),
    asks_memory: bool,
) -> Option<Nothing> {
    let mut analyzer = Analyzer::of(&reader.languages);
    let mut terms = |clause: &Clause| -> Option<Vec<String>> {
        let terms = analyzer.terms(clause.word()?, Purpose::Query);
        Some(terms.into_iter().map(|term| term.text).collect())
    };
    let unwanted: Vec<_> = unwanted.iter().filter_map(&mut terms).collect();
    let mut nothing = Nothing::SaysNothing;
    for clause in wanted {
        // A phrase or a field means its letters.
        let terms = terms(clause)?;
        if terms.is_empty() || asks_memory && !reader.is_content(clause, wanted) {
            continue;
        }
        if !unwanted.contains(&terms) {
            return None;
        }
        nothing = Nothing::LeftOut;
    }
    Some(nothing)
}
