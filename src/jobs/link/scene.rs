//! A vault for the tests of this job, and what is done with what it finds.

use std::collections::BTreeMap;
use std::fs;

use jiff::{Timestamp, Zoned};

use super::{JOB, Options};
use crate::cache::Cache;
use crate::cache::sync::{self, Source};
use crate::change::acts;
use crate::embed::{Embedder as _, embedded};
use crate::finding::Finding;
use crate::finding::plan::{Change, Group};
use crate::finding::question::{Answer, Answers};
use crate::jobs::find::{Find as _, Findings, Seeds};
use crate::journal::provenance::{self, BodyHash, Origin};
use crate::note::analyzer::Language;
use crate::note::edit;
use crate::note::path::VaultPath;
use crate::vault::Vault;
use crate::view::near::Near;
use crate::view::{Entry, View};

pub(super) struct Scene {
    pub(super) files: BTreeMap<String, String>,
    vault: Vault,
    cache: Cache,
    folder: tempfile::TempDir,
}

impl Scene {
    pub(super) fn of<P: Into<String>, T: Into<String>>(
        files: impl IntoIterator<Item = (P, T)>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let files = files.into_iter();
        let files = files
            .map(|(path, text)| (path.into(), text.into()))
            .collect();
        Self::in_folder(folder, files)
    }

    fn in_folder(folder: tempfile::TempDir, files: BTreeMap<String, String>) -> Self {
        let root = folder.path().join("vault");
        fs::create_dir_all(root.join(".mem")).unwrap();
        for (name, text) in &files {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let vault = Vault::open(&root).unwrap();
        let home = folder.path().join("cache");
        let _ = fs::remove_dir_all(&home);
        fs::create_dir(&home).unwrap();
        let source = Source::quiet(&vault, Some(embedded()));
        let (cache, _) = sync::rebuild(source, &home, 1, Language::default()).unwrap();
        Self {
            files,
            vault,
            cache,
            folder,
        }
    }

    /// The vault as it is after other texts were written, indexed afresh.
    pub(super) fn with<P: Into<String>>(
        self,
        changed: impl IntoIterator<Item = (P, String)>,
    ) -> Self {
        let Self {
            mut files,
            cache,
            folder,
            ..
        } = self;
        drop(cache);
        files.extend(changed.into_iter().map(|(path, text)| (path.into(), text)));
        Self::in_folder(folder, files)
    }

    pub(super) fn view(&self) -> View<'_> {
        let now: Zoned = "2026-04-01T12:00:00Z[UTC]".parse().unwrap();
        View::new(&self.vault, self.cache.read().unwrap(), now)
    }

    pub(super) fn view_with_near(&self) -> View<'_> {
        let view = self.view();
        let model = embedded().model();
        let meta = view.reading().meta().unwrap();
        let vectors = self.cache.vectors_of(&meta, &model.id).unwrap();
        let near = vectors.map(|vectors| Near::new(vectors, model.thresholds, 1));
        view.with_near(near)
            .with_text_index(self.cache.text.reader().unwrap())
    }

    pub(super) fn entry(&self, path: &str) -> Entry {
        let path = VaultPath::new(path).unwrap();
        self.view().at(&path).unwrap().unwrap()
    }

    pub(super) fn seeds(&self, paths: &[&str]) -> Seeds {
        Seeds::Of(paths.iter().map(|path| self.entry(path).slot).collect())
    }

    pub(super) fn found(&self, answers: &Answers, seeds: &Seeds, options: &Options) -> Findings {
        options
            .find(&self.view_with_near(), answers, seeds)
            .unwrap()
    }

    pub(super) fn group(&self, finding: &Finding, answer: Answer) -> Group {
        acts::group(&self.view(), finding, answer).unwrap()
    }

    /// The texts after a group was carried out.
    pub(super) fn after(&self, group: &Group) -> BTreeMap<String, String> {
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
