//! Why a query cannot match.

use crate::cache::text::clause::Clause;
use crate::cache::text::reader::TextReader;
use crate::note::words::analyzer::{AnalysisPurpose, Analyzer};

/// Why a query has no results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoResults {
    /// It has no content word: `the`, `!!!`.
    SaysNothing,
    /// It excludes every word that it asks for: `kettle -kettle`.
    LeftOut,
    /// The notes found are not relevant.
    Irrelevant,
}

/// Returns why only a note with that name can match, if so. In a recall, words that occur in any text are no
/// content words.
pub(super) fn no_results_reason(
    reader: &TextReader,
    (wanted, unwanted): (&[Clause], &[Clause]),
    is_recall: bool,
) -> Option<NoResults> {
    let mut analyzer = Analyzer::of(&reader.languages);
    let mut terms = |clause: &Clause| -> Option<Vec<String>> {
        let terms = analyzer.terms(clause.word()?, AnalysisPurpose::Query);
        Some(terms.into_iter().map(|term| term.text).collect())
    };
    let unwanted: Vec<_> = unwanted.iter().filter_map(&mut terms).collect();
    let mut nothing = NoResults::SaysNothing;
    for clause in wanted {
        // Phrases and fields match literally.
        let terms = terms(clause)?;
        if terms.is_empty() || is_recall && !reader.is_content(clause, wanted) {
            continue;
        }
        if !unwanted.contains(&terms) {
            return None;
        }
        nothing = NoResults::LeftOut;
    }
    Some(nothing)
}
