mod candidates;
mod direction;
mod named;
mod pairs;
mod subject;

use std::collections::HashSet;

use serde_json::Value;

use super::*;
use crate::change::acts;
use crate::finding::Finding;
use crate::finding::plan::Change;
use crate::note;
use crate::note::edit;
use crate::note::front_matter::relation::Relation;
use crate::note::front_matter::seal;
use crate::note::path::VaultPath;
use crate::view::scene::Scene;

impl Scene {
    pub(super) fn found(&self, options: &Options) -> Vec<Finding> {
        let findings = options
            .find(&self.view(true), &Answers::default(), &Seeds::All)
            .unwrap();
        assert_eq!(findings.skipped, Vec::<String>::new());
        findings.found
    }

    /// What two notes look like once the only finding was carried out as answered, by their stems.
    fn after(&self, answer: Answer, options: &Options) -> Vec<(String, Vec<(String, Value)>)> {
        let view = self.view(true);
        let found = self.found(options);
        let [finding] = found.as_slice() else {
            panic!("one finding is expected: {found:#?}");
        };
        let group = acts::group(&view, finding, answer).unwrap();
        let changes = group.changes.iter().map(|change| {
            let Change::Edit { path, edits, .. } = change else {
                panic!("a relation takes edits: {change:?}");
            };
            let entry = view.at(path).unwrap().unwrap();
            let before = view.text(&entry).unwrap();
            let after = edit::apply(&before, edits).unwrap();
            let before = note::read(&before, path.stem()).properties;
            let mut properties = note::read(&after, path.stem()).properties;
            properties.retain(|key, value| before.get(key) != Some(value));
            (path.stem().to_owned(), properties.into_iter().collect())
        });
        changes.collect()
    }
}

pub(super) fn dated(day: &str, more: &str, body: &str) -> String {
    format!("---\ncreated: {day}\n{more}---\n{body}\n")
}

/// What was found, as `newer <- older` or `one >< other`, with `!` if it is certain.
pub(super) fn shown(found: &[Finding]) -> Vec<String> {
    let mut shown: Vec<String> = found
        .iter()
        .map(|finding| {
            let sign = match finding.relation() {
                Some(Relation::EvolvedFrom) => "<-",
                _ => "><",
            };
            let mark = if finding.certain { "!" } else { "" };
            let [a, b] = [0, 1].map(|at: usize| finding.notes[at].stem());
            format!("{a} {sign} {b}{mark}")
        })
        .collect();
    shown.sort_unstable();
    shown
}

const SWITCHED: &str = "We switched from SQLite to Postgres for the billing service.";
const SQLITE: &str = "We use SQLite for the billing service.";
