//! What the tests of this job do with a vault and with what it finds there.

use std::collections::BTreeMap;
use std::fs;

use jiff::Timestamp;

use super::{JOB, Options};
use crate::change::acts;
use crate::finding::Finding;
use crate::finding::plan::{Change, Group};
use crate::finding::question::{Answer, Answers};
use crate::jobs::find::{Find as _, Findings, Seeds};
use crate::journal::provenance::{self, BodyHash, Origin};
use crate::note::edit;
use crate::note::path::VaultPath;
use crate::view::Entry;
use crate::view::scene::Scene;

impl Scene {
    pub(super) fn entry(&self, path: &str) -> Entry {
        let path = VaultPath::new(path).unwrap();
        self.view(true).at(&path).unwrap().unwrap()
    }

    pub(super) fn seeds(&self, paths: &[&str]) -> Seeds {
        Seeds::Of(paths.iter().map(|path| self.entry(path).slot).collect())
    }

    pub(super) fn findings(&self, answers: &Answers, seeds: &Seeds, options: &Options) -> Findings {
        options.find(&self.view(true), answers, seeds).unwrap()
    }

    pub(super) fn group(&self, finding: &Finding, answer: Answer) -> Group {
        acts::group(&self.view(true), finding, answer).unwrap()
    }

    /// The texts after a group was carried out.
    pub(super) fn files_after(&self, group: &Group) -> BTreeMap<String, String> {
        let mut files = self.files.clone();
        for change in &group.changes {
            let Change::Edit { path, edits, .. } = change else {
                panic!("{change:?}");
            };
            let text = files.get_mut(path.as_str()).unwrap();
            *text = edit::apply(text, edits).unwrap();
        }
        files
    }

    /// Writes down where what `group` states comes from, as if `by` had been run.
    pub(super) fn keep_origins(&self, group: &Group, by: &str, at: i64) {
        let origin = |edge: &crate::finding::plan::Edge| Origin {
            from: edge.from.to_string(),
            relation: edge.relation,
            to: edge.to.to_string(),
            weight: edge.weight,
            reason: group.reason.clone(),
            by: by.to_owned(),
            at: Timestamp::from_second(at).unwrap(),
            run: "r".to_owned(),
            bodies: [&edge.from, &edge.to].map(|path| BodyHash(self.entry(path.as_str()).row.body)),
        };
        let origins: Vec<Origin> = group.edges.iter().map(origin).collect();
        let device = self.vault.root().join(".mem/journal/0a0a0a0a");
        fs::create_dir_all(&device).unwrap();
        provenance::append(&device, &origins).unwrap();
    }

    /// Carries out everything that was found, as one run.
    pub(super) fn carried_out(self, found: &[Finding]) -> Self {
        let mut edits: BTreeMap<String, Vec<edit::Edit>> = BTreeMap::new();
        for finding in found {
            let group = self.group(finding, Answer::Yes);
            self.keep_origins(&group, JOB.name, 1_000);
            for change in group.changes {
                let Change::Edit {
                    path, edits: own, ..
                } = change
                else {
                    panic!("{change:?}");
                };
                edits.entry(path.to_string()).or_default().extend(own);
            }
        }
        let changed: Vec<_> = edits
            .into_iter()
            .map(|(path, edits)| {
                (
                    path.clone(),
                    edit::apply(&self.files[&path], &edits).unwrap(),
                )
            })
            .collect();
        self.with(changed)
    }
}
