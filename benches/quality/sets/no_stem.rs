//! Questions without a word in common with their note, which only semantic search can find.
//!
//! Pairs of question and relevant note from the other sets that share no stem. Title, aliases,
//! headings, tags, properties, path and body count, including stop words. Stems are those of the
//! text index, since they decide what lexical search finds. Conversations have few such pairs,
//! because questions name the speaker. `bodies` are pairs where no content word of the question (by
//! `mem`'s own list) shares a stem with the body.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use mem::note::words::analyzer::{AnalysisPurpose, Analyzer};
use mem::note::words::english::query_weight;
use mem::note::words::language::Language;

use super::{Question, Set, conversations, links, memorybench as facts};
use crate::support::{AtPath, Outcome, rough};

/// Link texts of a garden.
pub(super) fn garden(corpora: &Path) -> Outcome<Option<Set>> {
    let set = links::garden(corpora)?;
    set.map(|set| without_common_stem(set, "no stem, garden", false))
        .transpose()
}

/// Link texts of a manual.
pub(super) fn manual(corpora: &Path) -> Outcome<Option<Set>> {
    let set = links::manual(corpora)?;
    set.map(|set| without_common_stem(set, "no stem, manual", false))
        .transpose()
}

/// Questions about a user.
pub(super) fn memorybench(corpora: &Path) -> Outcome<Option<Set>> {
    let set = facts::load(corpora)?;
    set.map(|set| without_common_stem(set, "no stem, memorybench", false))
        .transpose()
}

/// Questions about conversations.
pub(super) fn locomo(corpora: &Path) -> Outcome<Option<Set>> {
    let set = conversations::merged(corpora)?;
    set.map(|set| without_common_stem(set, "no stem, locomo", false))
        .transpose()
}

/// The weaker condition.
pub(super) fn locomo_bodies(corpora: &Path) -> Outcome<Option<Set>> {
    let set = conversations::merged(corpora)?;
    set.map(|set| without_common_stem(set, "no stem in bodies, locomo", true))
        .transpose()
}

/// Keeps the pairs of question and note that share no stem.
fn without_common_stem(set: Set, name: &'static str, bodies: bool) -> Outcome<Set> {
    let mut analyzer = Analyzer::new(Language::ENGLISH);
    let mut known: HashMap<(usize, String), HashSet<String>> = HashMap::new();
    let mut questions = Vec::new();
    for question in set.questions.iter().filter(|question| question.counts) {
        let asked = stems(&mut analyzer, &question.text, bodies);
        for path in &question.relevant {
            let key = (question.vault, path.clone());
            if !known.contains_key(&key) {
                let file = set.vaults[question.vault].join(path);
                let text = fs::read_to_string(&file).at(&file)?;
                let note = rough::read_note(path, &text);
                let seen = if bodies {
                    note.body
                } else {
                    format!("{path}\n{}\n{text}", note.title)
                };
                known.insert(key.clone(), stems(&mut analyzer, &seen, false));
            }
            if !asked.is_empty() && known[&key].is_disjoint(&asked) {
                questions.push(Question {
                    relevant: vec![path.clone()],
                    group: "pairs".to_owned(),
                    ..question.clone()
                });
            }
        }
    }
    Ok(Set {
        name,
        questions,
        ..set
    })
}

/// Returns the stems of `text`; only of content words if `telling`.
fn stems(analyzer: &mut Analyzer, text: &str, telling: bool) -> HashSet<String> {
    let words = text.split_whitespace().filter(|word| {
        let plain = Analyzer::new(Language::NONE).terms(word, AnalysisPurpose::Query);
        let says_little = |word: &str| (query_weight(word) - 1.0).abs() > f32::EPSILON;
        !(telling && plain.iter().all(|term| says_little(&term.text)))
    });
    words
        .flat_map(|word| analyzer.terms(word, AnalysisPurpose::Query))
        .map(|term| term.text)
        .collect()
}
