//! Questions whose right note has none of their words: what only meaning can find.
//!
//! The questions of the other sets, one for each right note that shares no stem at all with them:
//! title, aliases, headings, tags, properties, path and body are looked at, and every word counts,
//! the smallest too. The stems are those of the text index, as they decide what lexical search can
//! find. Few turns of a conversation are so, since questions name the speaker: `bodies` are pairs
//! with no stem in common of a question's words that say something (those that weigh less in
//! `mem`'s own list do not) and the body alone.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use mem::note::words::analyzer::{Analyzer, Language, Purpose};
use mem::note::words::english::query_weight;

use super::{Question, Set, conversations, links, memorybench as facts};
use crate::support::{AtPath, Outcome, rough};

/// Anchors of a garden.
pub(super) fn garden(corpora: &Path) -> Outcome<Option<Set>> {
    let set = links::garden(corpora)?;
    set.map(|set| apart(set, "no stem, garden", false))
        .transpose()
}

/// Anchors of a manual.
pub(super) fn manual(corpora: &Path) -> Outcome<Option<Set>> {
    let set = links::manual(corpora)?;
    set.map(|set| apart(set, "no stem, manual", false))
        .transpose()
}

/// Questions about a user.
pub(super) fn memorybench(corpora: &Path) -> Outcome<Option<Set>> {
    let set = facts::load(corpora)?;
    set.map(|set| apart(set, "no stem, memorybench", false))
        .transpose()
}

/// Questions about conversations.
pub(super) fn locomo(corpora: &Path) -> Outcome<Option<Set>> {
    let set = conversations::merged(corpora)?;
    set.map(|set| apart(set, "no stem, locomo", false))
        .transpose()
}

/// The weaker condition.
pub(super) fn locomo_bodies(corpora: &Path) -> Outcome<Option<Set>> {
    let set = conversations::merged(corpora)?;
    set.map(|set| apart(set, "no stem in bodies, locomo", true))
        .transpose()
}

/// Keeps the pairs of question and note that share no stem.
fn apart(set: Set, name: &'static str, bodies: bool) -> Outcome<Set> {
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

/// Returns the stems of `text`, without words that say little if `telling`.
fn stems(analyzer: &mut Analyzer, text: &str, telling: bool) -> HashSet<String> {
    let words = text.split_whitespace().filter(|word| {
        let plain = Analyzer::new(Language::NONE).terms(word, Purpose::Query);
        let says_little =
            |word: &str| (query_weight(Language::ENGLISH, word) - 1.0).abs() > f32::EPSILON;
        !(telling && plain.iter().all(|term| says_little(&term.text)))
    });
    words
        .flat_map(|word| analyzer.terms(word, Purpose::Query))
        .map(|term| term.text)
        .collect()
}
