//! Vectors for notes that have none, after the fact: those that changed while no model could be asked,
//! and all of them where there is another model.
//!
//! Some notes per commit, so that what a slow or costly endpoint has answered is never asked again,
//! whatever happens next.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use super::super::catalog::{Meta, Reading, VectorFile};
use super::super::row::{Row, Rows, Slot};
use super::super::vectors::writer::remove_others;
use super::super::{Cache, CacheError};
use super::{Appending, Known, Passage, embed, texts};
use crate::embed::{EmbedError, Embedder};
use crate::note;
use crate::note::path::VaultPath;
use crate::vault::Vault;

/// Notes whose vectors are committed together, where the model is slow.
const SLOW_CHUNK: usize = 64;

/// Notes whose vectors are made together, where it is not.
const FAST_CHUNK: usize = 2048;

/// Rows of passages that no note has any more, from which on the file is written anew, if they are
/// a third of it.
const SUPERFLUOUS: u32 = 4096;

/// Why notes could not be given vectors.
#[derive(Debug, thiserror::Error)]
pub enum FillError {
    /// The model did not answer.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The caches.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The model of this name makes other vectors than it made before.
    #[error("`{model}` answers with {found} numbers; the vectors of the index have {known}")]
    Width {
        /// The model.
        model: String,
        /// What it answers with.
        found: usize,
        /// What it answered with.
        known: u32,
    },
}

/// What one call of [`fill`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// Notes that have vectors now.
    pub done: usize,
    /// Notes that still have none.
    pub left: usize,
}

/// Gives vectors to some notes that have none. The caller holds the lock, may let go of it between
/// two calls, and stops when nothing is done any more.
///
/// Vectors of another model are forgotten first. Notes that changed since they were indexed are
/// left to the next pass.
pub fn fill(vault: &Vault, cache: &Cache, embedder: &dyn Embedder) -> Result<Filled, FillError> {
    let mut reading = cache.read()?;
    let mut meta = reading.meta().map_err(CacheError::from)?;
    let model = &embedder.model().id;
    if meta
        .vectors
        .as_ref()
        .is_some_and(|file| file.model != *model)
    {
        forget(cache)?;
        reading = cache.read()?;
        meta = reading.meta().map_err(CacheError::from)?;
    }
    let pending = pending(&reading)?;
    let filler = Filler {
        vault,
        cache,
        embedder,
        meta: &meta,
    };
    let chunk = if embedder.is_immediate() {
        FAST_CHUNK
    } else {
        SLOW_CHUNK
    };
    let mut done = 0;
    for notes in pending.chunks(chunk) {
        done = filler.some(&reading, notes)?;
        if done > 0 {
            break;
        }
    }
    Ok(Filled {
        done,
        left: pending.len() - done,
    })
}

/// Takes all vectors out of use: every note waits for new ones. The caller holds the lock.
pub fn forget(cache: &Cache) -> Result<(), CacheError> {
    let reading = cache.read()?;
    let mut meta = reading.meta()?;
    let mut slots = Vec::new();
    reading.scan(|slot, _| slots.push(slot))?;
    let mut writing = cache.catalog.write()?;
    for slot in &slots {
        writing.set_rows(*slot, Rows::PENDING)?;
    }
    meta.pending = slots.len() as u32;
    // The next file has another name, so that whoever still reads this one is not disturbed.
    let number = meta.vectors.map_or(0, |file| file.number.wrapping_add(1));
    meta.vectors = Some(VectorFile {
        number,
        ..VectorFile::default()
    });
    writing.set_meta(&meta)?;
    writing.commit()?;
    remove_others(cache.folder(), number);
    Ok(())
}

/// Lists the notes that have no vectors.
fn pending(reading: &Reading) -> Result<Vec<(Slot, VaultPath)>, CacheError> {
    let mut pending = Vec::new();
    reading.scan(|slot, bytes| {
        if let Some((row, path)) = Row::decode(bytes)
            && row.rows == Rows::PENDING
            && let Ok(path) = VaultPath::new(path)
        {
            pending.push((slot, path));
        }
    })?;
    Ok(pending)
}

struct Filler<'f> {
    vault: &'f Vault,
    cache: &'f Cache,
    embedder: &'f dyn Embedder,
    meta: &'f Meta,
}

impl Filler<'_> {
    /// Gives vectors to those of `notes` that are as they were indexed, and returns how many that are.
    fn some(&self, reading: &Reading, notes: &[(Slot, VaultPath)]) -> Result<usize, FillError> {
        let mut known = Vec::with_capacity(notes.len());
        for (slot, path) in notes {
            if let Some((row, _)) = reading.row(*slot).map_err(CacheError::from)? {
                known.push((*slot, path, row.content));
            }
        }
        let texts: Vec<(Slot, Vec<String>)> = known
            .par_iter()
            .filter_map(|(slot, path, content)| {
                let file = self
                    .vault
                    .read(path)
                    .ok()
                    .filter(|file| file.hash == *content)?;
                let note = note::read(&file.text, path.stem());
                Some((*slot, texts(&file.text, &note)))
            })
            .collect();
        let embedded = self.embed(&texts)?;
        let file = self.meta.vectors.clone();
        let file = file.map(|file| VectorFile {
            model: self.embedder.model().id.clone(),
            ..file
        });
        let mut appending = match file {
            Some(file) => Appending::to(self.cache.folder(), file),
            None => Appending::afresh(self.cache.folder(), None, &self.embedder.model().id),
        };
        let mut rows = Vec::with_capacity(embedded.len());
        for (slot, passages) in &embedded {
            rows.push((
                *slot,
                appending.add(*slot, passages).map_err(CacheError::from)?,
            ));
        }
        let vectors = appending.finish().map_err(CacheError::from)?;
        self.commit(vectors, &rows)?;
        Ok(rows.len())
    }

    fn commit(&self, vectors: Option<VectorFile>, rows: &[(Slot, Rows)]) -> Result<(), CacheError> {
        let mut writing = self.cache.catalog.write()?;
        for (slot, rows) in rows {
            writing.set_rows(*slot, *rows)?;
        }
        writing.set_meta(&Meta {
            pending: self.meta.pending.saturating_sub(rows.len() as u32),
            vectors,
            ..self.meta.clone()
        })?;
        Ok(writing.commit()?)
    }

    fn embed(&self, notes: &[(Slot, Vec<String>)]) -> Result<Vec<(Slot, Vec<Passage>)>, FillError> {
        if self.embedder.is_immediate() {
            let one =
                |(slot, texts): &(Slot, Vec<String>)| Ok((*slot, embed(self.embedder, texts)?));
            return notes.par_iter().map(one).collect();
        }
        let known = match &self.meta.vectors {
            Some(file) if file.rows > 0 => Known::of(self.cache.vectors(file)?),
            _ => Known::default(),
        };
        // Each text once, all of them in one request or a few.
        let mut passages: HashMap<&str, Option<Passage>> = HashMap::new();
        for text in notes.iter().flat_map(|(_, texts)| texts) {
            passages.entry(text).or_insert_with(|| known.passage(text));
        }
        let mut asked: Vec<String> = Vec::new();
        let mut seen = HashSet::new();
        for text in notes.iter().flat_map(|(_, texts)| texts) {
            if passages[text.as_str()].is_none() && seen.insert(text) {
                asked.push(text.clone());
            }
        }
        let answered = embed(self.embedder, &asked)?;
        self.check_width(&answered)?;
        for (text, passage) in asked.iter().zip(answered) {
            passages.insert(text, Some(passage));
        }
        let of_note = |(slot, texts): &(Slot, Vec<String>)| {
            let of_text = |text: &String| passages[text.as_str()].clone();
            Some((*slot, texts.iter().map(of_text).collect::<Option<_>>()?))
        };
        Ok(notes.iter().filter_map(of_note).collect())
    }

    fn check_width(&self, answered: &[Passage]) -> Result<(), FillError> {
        let known = self.meta.vectors.as_ref().filter(|file| file.rows > 0);
        let other = |file: &VectorFile| {
            let found = answered.iter().map(|passage| passage.vector.len());
            found.into_iter().find(|found| *found != file.dims as usize)
        };
        match known.and_then(|file| Some((file, other(file)?))) {
            Some((file, found)) => Err(FillError::Width {
                model: file.model.clone(),
                found,
                known: file.dims,
            }),
            None => Ok(()),
        }
    }
}

/// Writes the vector file anew without the rows that no note has any more, if these are many.
/// The caller holds the lock.
pub fn compact(cache: &Cache) -> Result<bool, CacheError> {
    let reading = cache.read()?;
    let meta = reading.meta()?;
    let Some(file) = &meta.vectors else {
        return Ok(false);
    };
    let superfluous = file.rows - file.living.min(file.rows);
    if superfluous < SUPERFLUOUS || superfluous < file.rows / 3 {
        return Ok(false);
    }
    let old = cache.vectors(file)?;
    let mut appending = Appending::afresh(cache.folder(), Some(file), &file.model);
    let mut kept = Vec::with_capacity(meta.notes as usize);
    reading.scan(|slot, bytes| {
        let rows = Row::without_path(bytes).map(|row| row.rows);
        kept.extend(
            rows.filter(|rows| *rows != Rows::PENDING)
                .map(|rows| (slot, rows)),
        );
    })?;
    let mut writing = cache.catalog.write()?;
    for (slot, rows) in kept {
        writing.set_rows(slot, appending.copy(slot, &old, rows)?)?;
    }
    let vectors = appending.finish()?;
    let number = vectors.as_ref().map_or(0, |file| file.number);
    writing.set_meta(&Meta { vectors, ..meta })?;
    writing.commit()?;
    remove_others(cache.folder(), number);
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::super::super::sync::{self, Source, rebuild};
    use super::*;
    use crate::embed::{Embedder, Model, Purpose, embedded};
    use crate::note::analyzer::Language;

    /// An endpoint as far as the caches see one: to be asked for as little as possible, and not there
    /// at times. Its numbers are the first of those of the model in the program.
    struct Endpoint {
        model: Model,
        width: AtomicUsize,
        is_down: AtomicBool,
        asked: Mutex<Vec<String>>,
    }

    impl Endpoint {
        fn named(name: &str) -> Self {
            Self {
                model: Model {
                    id: name.to_owned(),
                    thresholds: embedded().model().thresholds,
                },
                width: AtomicUsize::new(64),
                is_down: AtomicBool::new(false),
                asked: Mutex::default(),
            }
        }

        /// Returns how many texts it was asked for since the last call.
        fn asked(&self) -> usize {
            std::mem::take(&mut *self.asked.lock().unwrap()).len()
        }
    }

    impl Embedder for Endpoint {
        fn model(&self) -> &Model {
            &self.model
        }

        fn dims(&self) -> Option<usize> {
            None
        }

        fn is_immediate(&self) -> bool {
            false
        }

        fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
            if self.is_down.load(Ordering::Relaxed) {
                return Err(EmbedError::Unreachable {
                    url: "http://localhost".to_owned(),
                    cause: "connection refused".to_owned(),
                });
            }
            let mut asked = self.asked.lock().unwrap();
            asked.extend(texts.iter().map(|text| (*text).to_owned()));
            let mut vectors = embedded().embed(texts, purpose)?;
            for vector in &mut vectors {
                vector.truncate(self.width.load(Ordering::Relaxed));
            }
            Ok(vectors)
        }
    }

    struct Scene {
        dir: tempfile::TempDir,
        vault: Vault,
    }

    impl Scene {
        fn of(notes: usize) -> Self {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir_all(dir.path().join("vault/.mem")).unwrap();
            let vault = Vault::open(&dir.path().join("vault")).unwrap();
            let scene = Self { dir, vault };
            for number in 0..notes {
                scene.write(number, "as it was at first");
            }
            scene
        }

        fn write(&self, number: usize, text: &str) {
            let file = self.vault.root().join(format!("n{number:03}.md"));
            fs::write(file, format!("# Note {number}\n\nIt is {text}.\n")).unwrap();
        }

        fn source<'s>(&'s self, embedder: &'s dyn Embedder) -> Source<'s> {
            Source::quiet(&self.vault, Some(embedder))
        }

        fn rebuilt(&self, embedder: &dyn Embedder, instance: u64) -> Cache {
            let home = self.dir.path().join("cache");
            fs::create_dir_all(&home).unwrap();
            let built = rebuild(self.source(embedder), &home, instance, Language::ENGLISH);
            built.unwrap().0
        }

        fn pass(&self, cache: &mut Cache, embedder: &dyn Embedder) {
            sync::whole(self.source(embedder), cache).unwrap();
        }

        fn fill(&self, cache: &Cache, embedder: &dyn Embedder) -> Filled {
            fill(&self.vault, cache, embedder).unwrap()
        }

        /// Fills until nothing is left.
        fn filled(&self, cache: &Cache, embedder: &dyn Embedder) {
            while self.fill(cache, embedder).left > 0 {}
        }
    }

    /// Every note has vectors, those of its text; returns how many rows the file has.
    fn check(scene: &Scene, cache: &Cache, embedder: &dyn Embedder) -> u32 {
        let reading = cache.read().unwrap();
        let meta = reading.meta().unwrap();
        let file = meta.vectors.clone().unwrap();
        assert_eq!((meta.pending, &file.model), (0, &embedder.model().id));
        let vectors = cache.vectors(&file).unwrap();
        vectors.verify().unwrap();
        let mut living = 0;
        for (slot, path) in every(&reading) {
            let text = scene.vault.read(&path).unwrap().text;
            let note = note::read(&text, path.stem());
            let rows = reading.rows(slot).unwrap().unwrap();
            let expected = embed(embedder, &texts(&text, &note)).unwrap();
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

    fn every(reading: &Reading) -> Vec<(Slot, VaultPath)> {
        let mut notes = Vec::new();
        reading
            .scan(|slot, bytes| {
                notes.push((slot, VaultPath::new(Row::decode(bytes).unwrap().1).unwrap()));
            })
            .unwrap();
        notes
    }

    #[test]
    fn an_endpoint_is_asked_for_each_text_once() {
        let scene = Scene::of(150);
        let endpoint = Endpoint::named("one");
        let mut cache = scene.rebuilt(&endpoint, 1);
        assert_eq!(endpoint.asked(), 0, "not while notes are read");
        assert_eq!(scene.fill(&cache, &endpoint), Filled { done: 64, left: 86 });
        assert_eq!(endpoint.asked(), 64);

        scene.filled(&cache, &endpoint);
        assert_eq!(endpoint.asked(), 86);
        check(&scene, &cache, &endpoint);
        endpoint.asked();

        // Another name, the same text; a new text; one that it had before.
        let [from, to] = ["n001.md", "moved.md"].map(|name| scene.vault.root().join(name));
        fs::rename(from, to).unwrap();
        scene.write(2, "something else");
        scene.pass(&mut cache, &endpoint);
        scene.filled(&cache, &endpoint);
        assert_eq!(endpoint.asked(), 1);
        scene.write(2, "as it was at first");
        scene.pass(&mut cache, &endpoint);
        assert_eq!(scene.fill(&cache, &endpoint), Filled::default());
        assert_eq!(endpoint.asked(), 0);
        check(&scene, &cache, &endpoint);
        endpoint.asked();

        // An index made afresh takes the vectors over.
        drop(cache);
        let cache = scene.rebuilt(&endpoint, 2);
        assert_eq!(scene.fill(&cache, &endpoint), Filled::default());
        assert_eq!(endpoint.asked(), 0);
        check(&scene, &cache, &endpoint);
    }

    #[test]
    fn another_model_in_the_middle_mixes_nothing() {
        let scene = Scene::of(100);
        let [one, two] = ["one", "two"].map(Endpoint::named);
        let mut cache = scene.rebuilt(&one, 1);
        scene.fill(&cache, &one);
        // A pass under the other model, then both by turns, each cut short.
        scene.write(3, "new");
        scene.pass(&mut cache, &two);
        assert_eq!(scene.fill(&cache, &two), Filled { done: 64, left: 36 });
        assert_eq!(scene.fill(&cache, &one), Filled { done: 64, left: 36 });
        scene.filled(&cache, &two);
        check(&scene, &cache, &two);
        // And back to the model that answers at once.
        scene.filled(&cache, embedded());
        check(&scene, &cache, embedded());
        let mut files: Vec<_> = fs::read_dir(cache.folder())
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
            .filter(|name| name.starts_with("vectors."))
            .collect();
        assert_eq!(files.len(), 1, "{files:?}");
        files.clear();
    }

    #[test]
    fn vectors_of_another_width_are_refused() {
        let scene = Scene::of(100);
        let endpoint = Endpoint::named("one");
        let cache = scene.rebuilt(&endpoint, 1);
        scene.fill(&cache, &endpoint);
        endpoint.width.store(32, Ordering::Relaxed);
        let refused = fill(&scene.vault, &cache, &endpoint)
            .unwrap_err()
            .to_string();
        assert_eq!(
            refused,
            "`one` answers with 32 numbers; the vectors of the index have 64"
        );
    }

    #[test]
    fn rows_that_no_note_has_are_dropped_in_time() {
        let scene = Scene::of(600);
        let mut cache = scene.rebuilt(embedded(), 1);
        assert!(!compact(&cache).unwrap());
        for round in 0..9 {
            for number in 0..600 {
                scene.write(number, &format!("edited in round {round}"));
            }
            scene.pass(&mut cache, embedded());
            assert!(check(&scene, &cache, embedded()) >= 600);
            if compact(&cache).unwrap() {
                assert_eq!(check(&scene, &cache, embedded()), 600);
                assert_eq!(round, 6);
                return;
            }
        }
        panic!("never compacted");
    }

    #[test]
    fn a_damaged_file_is_made_anew() {
        for harm in ["gone", "short", "zeroed"] {
            let scene = Scene::of(5);
            let mut cache = scene.rebuilt(embedded(), 1);
            let file = cache.folder().join("vectors.0");
            let bytes = fs::read(&file).unwrap();
            match harm {
                "gone" => fs::remove_file(&file).unwrap(),
                "short" => fs::write(&file, &bytes[..bytes.len() / 2]).unwrap(),
                _ => fs::write(&file, vec![0; bytes.len()]).unwrap(),
            }
            // A pass goes on without them.
            scene.write(1, "new");
            scene.pass(&mut cache, embedded());
            let meta = cache.read().unwrap().meta().unwrap();
            assert_eq!(meta.pending, 1, "{harm}");
            assert!(cache.vectors_of(&meta, &embedded().model().id).is_err());
            forget(&cache).unwrap();
            scene.filled(&cache, embedded());
            check(&scene, &cache, embedded());
        }
    }
}
