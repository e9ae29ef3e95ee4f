//! A small indexed vault for tests.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::PathBuf;

use jiff::Zoned;

use super::View;
use super::similarity::NoteSimilarity;
use crate::cache::sync::{self, ChangedNotes, SyncSource};
use crate::cache::{Cache, CatalogReader};
use crate::embed::{Embedder, embedded};
use crate::note::LanguageSetting;
use crate::vault::Vault;
use crate::vault::tests::write_vault;

pub(crate) struct IndexedVault {
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) vault: Vault,
    cache: Cache,
    folder: tempfile::TempDir,
}

impl IndexedVault {
    /// Creates a vault of these files; paths that do not end in `.md` become other files.
    pub(crate) fn new<P: Into<String>, T: Into<String>>(
        files: impl IntoIterator<Item = (P, T)>,
    ) -> Self {
        Self::of(files, Some(embedded()))
    }

    pub(crate) fn of<P: Into<String>, T: Into<String>>(
        files: impl IntoIterator<Item = (P, T)>,
        embedder: Option<&dyn Embedder>,
    ) -> Self {
        let owned = |(path, text): (P, T)| (path.into(), text.into());
        let files = files.into_iter().map(owned).collect();
        Self::in_folder(tempfile::tempdir().unwrap(), files, embedder)
    }

    fn in_folder(
        folder: tempfile::TempDir,
        files: BTreeMap<String, String>,
        embedder: Option<&dyn Embedder>,
    ) -> Self {
        let (root, home) = (folder.path().join("vault"), folder.path().join("cache"));
        write_vault(&root, &files);
        let vault = Vault::open(&root).unwrap();
        let _ = fs::remove_dir_all(&home);
        fs::create_dir(&home).unwrap();
        let source = SyncSource::quiet(&vault, embedder);
        let (cache, _) = sync::rebuild(source, &home, 1, LanguageSetting::Auto).unwrap();
        Self {
            files,
            vault,
            cache,
            folder,
        }
    }

    /// Returns the vault rebuilt with these files changed.
    pub(crate) fn with<P: Into<String>>(
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
        Self::in_folder(folder, files, Some(embedded()))
    }

    /// Returns the path of a file outside the vault.
    pub(crate) fn home(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn reading(&self) -> CatalogReader {
        self.cache.read().unwrap()
    }

    /// Replaces all notes by `files` and returns what the index pass detected.
    pub(crate) fn becomes(&mut self, files: BTreeMap<String, String>) -> ChangedNotes {
        let root = self.vault.root();
        for name in self.files.keys().filter(|name| !files.contains_key(*name)) {
            fs::remove_file(root.join(name)).unwrap();
        }
        write_vault(root, &files);
        self.files = files;
        let pass = sync::sync_all(
            SyncSource::quiet(&self.vault, None),
            &self.cache,
            HashSet::new,
        );
        pass.unwrap().changed_notes
    }

    pub(crate) fn view(&self, with_vectors: bool) -> View<'_> {
        let now: Zoned = "2026-06-01T12:00[UTC]".parse().unwrap();
        let reading = self.cache.read().unwrap();
        let model = embedded().model();
        let stored = self.cache.vectors_of(&reading.meta().unwrap(), &model.id);
        let vectors = stored.unwrap().filter(|_| with_vectors);
        let near = vectors.map(|vectors| NoteSimilarity::new(vectors, model.thresholds, 1));
        View::new(&self.vault, reading, now)
            .with_near(near)
            .with_text_index(self.cache.text.reader().unwrap())
    }
}
