//! A small vault with vectors, for the tests of jobs.

use std::fs;

use jiff::Zoned;

use crate::cache::Cache;
use crate::cache::sync::{self, Source};
use crate::embed::{Embedder as _, embedded};
use crate::note::analyzer::Language;
use crate::vault::Vault;
use crate::view::View;
use crate::view::near::Near;

pub(crate) struct Scene {
    vault: Vault,
    cache: Cache,
    _folder: tempfile::TempDir,
}

impl Scene {
    pub(crate) fn new<P: AsRef<str>, T: AsRef<str>>(
        notes: impl IntoIterator<Item = (P, T)>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (root, home) = (folder.path().join("vault"), folder.path().join("cache"));
        fs::create_dir_all(root.join(".mem")).unwrap();
        fs::create_dir(&home).unwrap();
        for (path, text) in notes {
            fs::write(root.join(path.as_ref()), text.as_ref()).unwrap();
        }
        let vault = Vault::open(&root).unwrap();
        let source = Source::quiet(&vault, Some(embedded()));
        let (cache, _) = sync::rebuild(source, &home, 1, Language::default()).unwrap();
        Self {
            vault,
            cache,
            _folder: folder,
        }
    }

    pub(crate) fn view(&self, with_vectors: bool) -> View<'_> {
        let now: Zoned = "2026-06-01T12:00[UTC]".parse().unwrap();
        let reading = self.cache.read().unwrap();
        let model = embedded().model();
        let vectors = self.cache.vectors_of(&reading.meta().unwrap(), &model.id);
        let near = vectors.unwrap().filter(|_| with_vectors);
        let near = near.map(|vectors| Near::new(vectors, model.thresholds, 1));
        View::new(&self.vault, reading, now).with_near(near)
    }
}
