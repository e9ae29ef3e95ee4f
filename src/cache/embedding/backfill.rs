//! Adds vectors to notes that lack them. Reasons are changes while no model was available, and a new model.
//!
//! Commits after a few notes, so that the results of a slow or costly endpoint survive a killed process.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use super::super::catalog::CatalogReader;
use super::super::meta::{CacheMeta, VectorFile};
use super::super::row::{PassageRows, Slot};
use super::super::vectors::writer::remove_others;
use super::super::{Cache, CacheError, Result};
use super::{Passage, VectorAppender, VectorsByText, embed, indexed_passages};
use crate::embed::{EmbedError, Embedder};
use crate::note::VaultPath;
use crate::vault::Vault;

/// Notes per commit for a slow model.
const SLOW_CHUNK: usize = 64;

/// Notes per commit for a fast model.
const FAST_CHUNK: usize = 2048;

/// Minimum number of obsolete rows at which the file is rewritten, if they are a third of it.
const MIN_OBSOLETE_ROWS: u32 = 4096;

/// Why notes could not be embedded.
#[derive(Debug, thiserror::Error)]
pub enum BackfillError {
    #[error(transparent)]
    Embed(#[from] EmbedError),
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The model of this name returns vectors of another width than before.
    #[error("`{model}` returns vectors of {found} dimensions; the index has {known}")]
    Width {
        model: String,
        found: usize,
        known: u32,
    },
}

/// The result of one call of [`backfill`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackfillResult {
    /// Number of notes embedded.
    pub done: usize,
    /// Number of notes still without vectors.
    pub left: usize,
}

/// Embeds some notes without vectors. The caller holds the lock, may release it between calls, and stops when
/// `done` is 0.
///
/// Vectors of another model are dropped first. Notes that changed since indexing are left to the next pass.
/// With a `limit`, a slow model embeds at most this number of texts, and leaves longer notes.
pub fn backfill(
    vault: &Vault,
    cache: &Cache,
    embedder: &dyn Embedder,
    limit: Option<usize>,
) -> Result<BackfillResult, BackfillError> {
    let mut reading = cache.read()?;
    let mut meta = reading.meta()?;
    let model = &embedder.model().id;
    if meta
        .vectors
        .as_ref()
        .is_some_and(|file| file.model != *model)
    {
        forget(cache)?;
        reading = cache.read()?;
        meta = reading.meta()?;
    }
    let pending = pending(&reading)?;
    let backfill = Backfill {
        vault,
        cache,
        embedder,
        meta: &meta,
        limit,
    };
    let chunk = if embedder.is_immediate() {
        FAST_CHUNK
    } else {
        SLOW_CHUNK
    };
    let mut done = 0;
    for notes in pending.chunks(chunk) {
        done = backfill.embed_unchanged(&reading, notes)?;
        if done > 0 {
            break;
        }
    }
    Ok(BackfillResult {
        done,
        left: pending.len() - done,
    })
}

/// Drops all vectors, so that every note is pending. The caller holds the lock.
pub fn forget(cache: &Cache) -> Result<()> {
    let reading = cache.read()?;
    let mut meta = reading.meta()?;
    let mut slots = Vec::new();
    reading.scan(|slot, _, _| slots.push(slot))?;
    let mut writer = cache.catalog.write()?;
    for slot in &slots {
        writer.change(*slot, |row| row.rows = PassageRows::PENDING)?;
    }
    meta.pending = slots.len() as u32;
    // The next file has another name, so that a process reading this one is not disturbed.
    let number = meta.vectors.map_or(0, |file| file.number.wrapping_add(1));
    meta.vectors = Some(VectorFile {
        number,
        ..VectorFile::default()
    });
    writer.set_meta(&meta)?;
    writer.commit()?;
    remove_others(cache.folder(), number);
    Ok(())
}

/// Returns the notes without vectors.
fn pending(reading: &CatalogReader) -> Result<Vec<(Slot, VaultPath)>> {
    let mut pending = Vec::new();
    reading.scan(|slot, row, path| {
        if row.rows == PassageRows::PENDING
            && let Ok(path) = VaultPath::new(path)
        {
            pending.push((slot, path));
        }
    })?;
    Ok(pending)
}

struct Backfill<'f> {
    vault: &'f Vault,
    cache: &'f Cache,
    embedder: &'f dyn Embedder,
    meta: &'f CacheMeta,
    /// Maximum number of texts to embed.
    limit: Option<usize>,
}

impl Backfill<'_> {
    /// Embeds those of `notes` unchanged since indexing, and returns their number.
    fn embed_unchanged(
        &self,
        reading: &CatalogReader,
        notes: &[(Slot, VaultPath)],
    ) -> Result<usize, BackfillError> {
        let mut hashes = Vec::with_capacity(notes.len());
        for (slot, path) in notes {
            let row = reading.fields(*slot)?;
            hashes.extend(row.map(|row| (*slot, path, row)));
        }
        let texts: Vec<(Slot, Vec<String>)> = hashes
            .par_iter()
            .filter_map(|(slot, path, row)| {
                if !self.embedder.knows_language(row.flags.language()) {
                    return Some((*slot, Vec::new()));
                }
                Some((*slot, indexed_passages(self.vault, path, row.content)?))
            })
            .collect();
        Ok(self.append(&self.embed(&texts)?)?)
    }

    /// Writes and commits vectors; returns the number of notes.
    fn append(&self, embedded: &[(Slot, Vec<Passage>)]) -> Result<usize> {
        let (folder, model) = (self.cache.folder(), &self.embedder.model().id);
        let mut appender = match self.meta.vectors.clone() {
            Some(file) => {
                let model = model.clone();
                VectorAppender::to(folder, VectorFile { model, ..file })
            }
            None => VectorAppender::afresh(folder, None, model),
        };
        let mut rows = Vec::with_capacity(embedded.len());
        for (slot, passages) in embedded {
            rows.push((*slot, appender.add(*slot, passages)?));
        }
        self.commit(appender.finish()?, &rows)?;
        Ok(rows.len())
    }

    fn commit(&self, vectors: Option<VectorFile>, rows: &[(Slot, PassageRows)]) -> Result<()> {
        let mut writer = self.cache.catalog.write()?;
        for (slot, rows) in rows {
            writer.change(*slot, |row| row.rows = *rows)?;
        }
        writer.set_meta(&CacheMeta {
            pending: self.meta.pending.saturating_sub(rows.len() as u32),
            vectors,
            ..self.meta.clone()
        })?;
        writer.commit()
    }

    fn embed(
        &self,
        notes: &[(Slot, Vec<String>)],
    ) -> Result<Vec<(Slot, Vec<Passage>)>, BackfillError> {
        if self.embedder.is_immediate() {
            let one =
                |(slot, texts): &(Slot, Vec<String>)| Ok((*slot, embed(self.embedder, texts)?));
            return notes.par_iter().map(one).collect();
        }
        let stored = match &self.meta.vectors {
            Some(file) if file.rows > 0 => VectorsByText::of(self.cache.vectors(file)?),
            _ => VectorsByText::default(),
        };
        // Each distinct text once, in one request or a few.
        let mut passages: HashMap<&str, Option<Passage>> = HashMap::new();
        for text in notes.iter().flat_map(|(_, texts)| texts) {
            passages.entry(text).or_insert_with(|| stored.passage(text));
        }
        let mut seen = HashSet::new();
        let mut asked: Vec<String> = Vec::new();
        for (_, texts) in notes {
            let missing = texts
                .iter()
                .filter(|text| passages[text.as_str()].is_none());
            let missing: Vec<&String> = missing.filter(|text| !seen.contains(*text)).collect();
            if self
                .limit
                .is_none_or(|limit| asked.len() + missing.len() <= limit)
            {
                let new = missing.into_iter().filter(|text| seen.insert(*text));
                asked.extend(new.cloned());
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

    fn check_width(&self, answered: &[Passage]) -> Result<(), BackfillError> {
        let known = self.meta.vectors.as_ref().filter(|file| file.rows > 0);
        let other = |file: &VectorFile| {
            let mut widths = answered.iter().map(|passage| passage.vector.len());
            widths.find(|width| *width != file.dims as usize)
        };
        match known.and_then(|file| Some((file, other(file)?))) {
            Some((file, found)) => Err(BackfillError::Width {
                model: file.model.clone(),
                found,
                known: file.dims,
            }),
            None => Ok(()),
        }
    }
}

/// Rewrites the vector file without its obsolete rows, if there are many. The caller holds the lock.
pub fn compact(cache: &Cache) -> Result<bool> {
    let reading = cache.read()?;
    let meta = reading.meta()?;
    let Some(file) = &meta.vectors else {
        return Ok(false);
    };
    let superfluous = file.rows - file.living.min(file.rows);
    if superfluous < MIN_OBSOLETE_ROWS || superfluous < file.rows / 3 {
        return Ok(false);
    }
    let old = cache.vectors(file)?;
    let mut appender = VectorAppender::afresh(cache.folder(), Some(file), &file.model);
    let mut kept = Vec::with_capacity(meta.notes as usize);
    reading.scan(|slot, row, _| {
        if row.rows != PassageRows::PENDING {
            kept.push((slot, row.rows));
        }
    })?;
    let mut writer = cache.catalog.write()?;
    for (slot, rows) in kept {
        let rows = appender.copy(slot, &old, rows.range())?;
        writer.change(slot, |row| row.rows = rows)?;
    }
    let vectors = appender.finish()?;
    let number = vectors.as_ref().map_or(0, |file| file.number);
    writer.set_meta(&CacheMeta { vectors, ..meta })?;
    writer.commit()?;
    remove_others(cache.folder(), number);
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::Ordering;

    use super::super::tests::{Endpoint, Fixture, check};
    use super::*;
    use crate::embed::embedded;

    #[test]
    fn embeds_each_text_once() {
        let fixture = Fixture::of(150);
        let endpoint = Endpoint::named("one");
        let cache = fixture.rebuilt(&endpoint, 1);
        assert_eq!(endpoint.asked(), 0, "not while notes are read");
        assert_eq!(
            fixture.fill(&cache, &endpoint),
            BackfillResult { done: 64, left: 86 }
        );
        assert_eq!(endpoint.asked(), 64);

        fixture.filled(&cache, &endpoint);
        assert_eq!(endpoint.asked(), 86);
        check(&fixture, &cache, &endpoint);
        endpoint.asked();

        // A renamed note with unchanged text, a new text, and an earlier text.
        let [from, to] = ["n001.md", "moved.md"].map(|name| fixture.vault.root().join(name));
        fs::rename(from, to).unwrap();
        fixture.write(2, "something else");
        fixture.pass(&cache, &endpoint);
        fixture.filled(&cache, &endpoint);
        assert_eq!(endpoint.asked(), 1);
        fixture.write(2, "first version");
        fixture.pass(&cache, &endpoint);
        assert_eq!(fixture.fill(&cache, &endpoint), BackfillResult::default());
        assert_eq!(endpoint.asked(), 0);
        check(&fixture, &cache, &endpoint);
        endpoint.asked();

        // A rebuilt index reuses the vectors.
        drop(cache);
        let cache = fixture.rebuilt(&endpoint, 2);
        assert_eq!(fixture.fill(&cache, &endpoint), BackfillResult::default());
        assert_eq!(endpoint.asked(), 0);
        check(&fixture, &cache, &endpoint);
    }

    #[test]
    fn a_model_change_midway_mixes_no_vectors() {
        let fixture = Fixture::of(100);
        let [one, two] = ["one", "two"].map(Endpoint::named);
        let cache = fixture.rebuilt(&one, 1);
        fixture.fill(&cache, &one);
        // A pass with the other model, then both in turn, each interrupted.
        fixture.write(3, "new");
        fixture.pass(&cache, &two);
        assert_eq!(
            fixture.fill(&cache, &two),
            BackfillResult { done: 64, left: 36 }
        );
        assert_eq!(
            fixture.fill(&cache, &one),
            BackfillResult { done: 64, left: 36 }
        );
        fixture.filled(&cache, &two);
        check(&fixture, &cache, &two);
        // Back to the immediate model.
        fixture.filled(&cache, embedded());
        check(&fixture, &cache, embedded());
        let mut files: Vec<_> = fs::read_dir(cache.folder())
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
            .filter(|name| name.starts_with("vectors."))
            .collect();
        assert_eq!(files.len(), 1, "{files:?}");
        files.clear();
    }

    #[test]
    fn a_limit_leaves_notes_with_more_texts() {
        let fixture = Fixture::of(8);
        let endpoint = Endpoint::named("one");
        let cache = fixture.rebuilt(&endpoint, 1);
        let long = "A sentence of a long note, again and again. ".repeat(400);
        fs::write(fixture.vault.root().join("n000.md"), long).unwrap();
        fixture.pass(&cache, &endpoint);
        let few = |limit| backfill(&fixture.vault, &cache, &endpoint, Some(limit)).unwrap();
        for (limit, expected, asked) in [(0, 0, 0), (3, 3, 3), (5, 4, 4), (5, 0, 0)] {
            assert_eq!(few(limit).done, expected, "{limit}");
            assert_eq!(endpoint.asked(), asked);
        }
        assert_eq!(few(1000).done, 1);
        check(&fixture, &cache, &endpoint);
    }

    #[test]
    fn refuses_vectors_of_another_width() {
        let fixture = Fixture::of(100);
        let endpoint = Endpoint::named("one");
        let cache = fixture.rebuilt(&endpoint, 1);
        fixture.fill(&cache, &endpoint);
        endpoint.width.store(32, Ordering::Relaxed);
        let refused = backfill(&fixture.vault, &cache, &endpoint, None)
            .unwrap_err()
            .to_string();
        assert_eq!(
            refused,
            "`one` returns vectors of 32 dimensions; the index has 64"
        );
    }

    #[test]
    fn compacts_obsolete_rows() {
        let fixture = Fixture::of(600);
        let cache = fixture.rebuilt(embedded(), 1);
        assert!(!compact(&cache).unwrap());
        for round in 0..9 {
            for number in 0..600 {
                fixture.write(number, &format!("edited in round {round}"));
            }
            fixture.pass(&cache, embedded());
            assert!(check(&fixture, &cache, embedded()) >= 600);
            if compact(&cache).unwrap() {
                assert_eq!(check(&fixture, &cache, embedded()), 600);
                assert_eq!(round, 6);
                return;
            }
        }
        panic!("never compacted");
    }

    #[test]
    fn rebuilds_a_damaged_file() {
        for harm in ["gone", "short", "zeroed"] {
            let fixture = Fixture::of(5);
            let cache = fixture.rebuilt(embedded(), 1);
            let file = cache.folder().join("vectors.0");
            let bytes = fs::read(&file).unwrap();
            match harm {
                "gone" => fs::remove_file(&file).unwrap(),
                "short" => fs::write(&file, &bytes[..bytes.len() / 2]).unwrap(),
                _ => fs::write(&file, vec![0; bytes.len()]).unwrap(),
            }
            // A pass continues without vectors.
            fixture.write(1, "new");
            fixture.pass(&cache, embedded());
            let meta = cache.read().unwrap().meta().unwrap();
            assert_eq!(meta.pending, 1, "{harm}");
            assert!(cache.vectors_of(&meta, &embedded().model().id).is_err());
            forget(&cache).unwrap();
            fixture.filled(&cache, embedded());
            check(&fixture, &cache, embedded());
        }
    }
}
