//! A fake endpoint and a small vault, for the tests of this folder.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::catalog::CatalogReader;
use super::super::sync::{self, SyncSource, rebuild};
use super::backfill::{BackfillResult, backfill};
use super::*;
use crate::embed::{Model, embedded};
use crate::note::words::language::LanguageSetting;

/// A fake endpoint: records the texts. Its vectors are prefixes of the built-in model's.
#[derive(Debug)]
pub(super) struct Endpoint {
    model: Model,
    /// Number of components of its vectors.
    pub(super) width: AtomicUsize,
    asked: Mutex<Vec<String>>,
}

impl Endpoint {
    pub(super) fn named(name: &str) -> Self {
        Self {
            model: Model {
                id: name.to_owned(),
                thresholds: embedded().model().thresholds,
                search_weight: embedded().model().search_weight,
                question_weight: embedded().model().question_weight,
                baseline: 0.0,
            },
            width: AtomicUsize::new(64),
            asked: Mutex::default(),
        }
    }

    /// Returns the number of texts embedded since the last call.
    pub(super) fn asked(&self) -> usize {
        self.texts().len()
    }

    /// Returns these texts.
    pub(super) fn texts(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

impl Embedder for Endpoint {
    fn model(&self) -> &Model {
        &self.model
    }

    fn is_immediate(&self) -> bool {
        false
    }

    fn embed(
        &self,
        texts: &[&str],
        purpose: EmbeddingPurpose,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut asked = self.asked.lock().unwrap();
        asked.extend(texts.iter().map(|text| (*text).to_owned()));
        let mut vectors = embedded().embed(texts, purpose)?;
        for vector in &mut vectors {
            vector.truncate(self.width.load(Ordering::Relaxed));
        }
        Ok(vectors)
    }
}

/// A vault of notes of one passage each.
pub(super) struct Fixture {
    _dir: tempfile::TempDir,
    pub(super) vault: Vault,
    /// The cache folder of the vault.
    pub(super) home: PathBuf,
}

impl Fixture {
    pub(super) fn of(notes: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("vault/.mem")).unwrap();
        let vault = Vault::open(&dir.path().join("vault")).unwrap();
        let home = dir.path().join("cache");
        let fixture = Self {
            _dir: dir,
            vault,
            home,
        };
        for number in 0..notes {
            fixture.write(number, "first version");
        }
        fixture
    }

    pub(super) fn write(&self, number: usize, text: &str) {
        let file = self.vault.root().join(format!("n{number:03}.md"));
        fs::write(file, format!("# Note {number}\n\nIt is {text}.\n")).unwrap();
    }

    fn source<'s>(&'s self, embedder: &'s dyn Embedder) -> SyncSource<'s> {
        SyncSource::quiet(&self.vault, Some(embedder))
    }

    pub(super) fn rebuilt(&self, embedder: &dyn Embedder, instance: u64) -> Cache {
        fs::create_dir_all(&self.home).unwrap();
        let built = rebuild(
            self.source(embedder),
            &self.home,
            instance,
            LanguageSetting::Auto,
        );
        built.unwrap().0
    }

    pub(super) fn pass(&self, cache: &Cache, embedder: &dyn Embedder) {
        sync::sync_all(self.source(embedder), cache, HashSet::new).unwrap();
    }

    pub(super) fn fill(&self, cache: &Cache, embedder: &dyn Embedder) -> BackfillResult {
        backfill(&self.vault, cache, embedder, None).unwrap()
    }

    /// Backfills until no note is pending.
    pub(super) fn filled(&self, cache: &Cache, embedder: &dyn Embedder) {
        while self.fill(cache, embedder).left > 0 {}
    }
}

/// Checks that every note has the vectors of its text; returns the number of rows.
pub(super) fn check(fixture: &Fixture, cache: &Cache, embedder: &dyn Embedder) -> u32 {
    let reading = cache.read().unwrap();
    let meta = reading.meta().unwrap();
    let file = meta.vectors.clone().unwrap();
    assert_eq!((meta.pending, &file.model), (0, &embedder.model().id));
    let vectors = cache.vectors(&file).unwrap();
    vectors.verify().unwrap();
    let mut living = 0;
    for (slot, path) in every(&reading) {
        let text = fixture.vault.read(&path).unwrap().text;
        let document = Document::of_note(&text);
        let note = note::of(&document, path.stem());
        let rows = reading.rows(slot).unwrap().unwrap();
        let expected = embed(embedder, &passages(&document, &note)).unwrap();
        assert_eq!(rows.count as usize, expected.len());
        for (row, passage) in rows.range().zip(&expected) {
            assert_eq!((vectors.slot(row), vectors.text(row)), (slot, passage.text));
            let found = vectors.vector(row);
            let product: f32 = found.iter().zip(&passage.vector).map(|(a, b)| a * b).sum();
            let length = passage
                .vector
                .iter()
                .map(|number| number * number)
                .sum::<f32>();
            assert!(
                (product / length.sqrt() - 1.0).abs() < 0.01,
                "{path}: {product}"
            );
        }
        living += rows.count;
    }
    assert_eq!(file.living, living);
    file.rows
}

fn every(reading: &CatalogReader) -> Vec<(Slot, VaultPath)> {
    let mut notes = Vec::new();
    reading
        .scan(|slot, _, path| notes.push((slot, VaultPath::new(path).unwrap())))
        .unwrap();
    notes
}
