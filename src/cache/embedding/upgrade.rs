//! Replaces the vectors of an index by those of a better, slower model, without a gap.
//!
//! [`Upgrade::fill`] computes vectors into a second file while everything uses the first model. [`Upgrade::switch`] replaces the vectors of the index in one commit, once the file covers every
//! passage. The model that the catalog records is the one in use. [`Upgrade::step_back`] reverses the switch
//! if too many notes lack vectors of the better model, and keeps its vectors in the second file.
//!
//! ```text
//! <cache home>/mem/<vault>/encoder/
//!   lock         held by the process that computes or moves vectors
//!   vectors.0    the vectors so far, by the hash of their text
//! ```
//!
//! Edits, renames and rebuilds of the index reuse these rows. The file ends at its first damaged row, so a
//! killed process or a power cut loses only the last rows.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::super::catalog::CatalogReader;
use super::super::meta::CacheMeta;
use super::super::row::{Flags, PassageRows, Slot};
use super::super::vectors::file::{self, Vectors};
use super::super::vectors::writer::{VectorWriter, remove_others};
use super::super::{Cache, CacheError, Result};
use super::backfill::{BackfillError, forget};
use super::{VectorAppender, embed, indexed_passages};
use crate::embed::Embedder;
use crate::note::{ContentHash, VaultPath};
use crate::vault::{Holder, Lock, LockError, Vault};

/// Name of the folder below the cache folder of the vault.
const FOLDER: &str = "encoder";

/// Number of the vector file in that folder.
const NUMBER: u32 = 0;

/// Number of texts embedded between two writes: about a quarter of a second of work.
const TEXTS_PER_WRITE: usize = 16;

/// Minimum number of notes without vectors that are too many.
const MIN_MANY_NOTES: u32 = 16;

/// The same as a share of all notes, inverted.
const MANY_NOTES_RATIO: u32 = 10;

/// Returns whether too many notes lack vectors, so that the index must go back to the first model.
///
/// Fewer are found by words alone until they are embedded, and jobs wait for them.
pub fn lacks_many(meta: &CacheMeta) -> bool {
    meta.pending > MIN_MANY_NOTES.max(meta.notes / MANY_NOTES_RATIO)
}

/// A change of the model of one index.
#[derive(Clone, Copy)]
pub struct Upgrade<'u> {
    pub vault: &'u Vault,
    /// The cache folder of the vault.
    pub home: &'u Path,
    /// The immediate model.
    pub from: &'u dyn Embedder,
    /// The better model.
    pub to: &'u dyn Embedder,
}

/// The part of a vault with vectors of the better model.
#[derive(Debug)]
pub struct Coverage {
    /// Number of distinct passages.
    pub passages: usize,
    /// Number of these with a vector.
    pub covered: usize,
    uncovered: Vec<NotePassages>,
}

impl Coverage {
    /// Whether the index can be switched.
    pub fn is_complete(&self) -> bool {
        self.covered > 0 && self.uncovered.is_empty()
    }
}

/// The passages of a note that need vectors.
#[derive(Debug)]
struct NotePassages {
    slot: Slot,
    path: VaultPath,
    content: ContentHash,
    mtime_ns: i64,
    flags: Flags,
    rows: PassageRows,
    /// The hashes of the texts; `None` if the note changed since it was indexed.
    texts: Option<Vec<u64>>,
}

impl NotePassages {
    fn is_covered(&self, has: impl Fn(u64) -> bool) -> bool {
        let texts = self.texts.as_ref();
        texts.is_some_and(|texts| texts.iter().all(|text| has(*text)))
    }
}

/// The second vector file, open for reading and appending. The caller holds the lock.
struct PreparedVectors<'u> {
    folder: PathBuf,
    model: &'u str,
    vectors: Option<Vectors>,
    /// The row of each text.
    rows: HashMap<u64, u32>,
}

impl<'u> PreparedVectors<'u> {
    fn open(upgrade: &Upgrade<'u>) -> Self {
        let (folder, model) = (upgrade.folder(), upgrade.to.model().id.as_str());
        // A file of another model or format is replaced.
        let vectors = Vectors::open_intact(&folder, NUMBER, model).ok();
        let texts = vectors.iter().flat_map(|vectors| {
            let rows = 0..vectors.rows();
            rows.map(|row| (vectors.text(row), row))
        });
        let rows = texts.collect();
        Self {
            folder,
            model,
            vectors,
            rows,
        }
    }

    fn has(&self, text: u64) -> bool {
        self.rows.contains_key(&text)
    }

    /// Appends rows that `add` writes, and opens the file again.
    fn append(&mut self, dims: usize, add: impl FnOnce(&mut VectorWriter)) -> Result<()> {
        fs::create_dir_all(&self.folder).map_err(CacheError::at(&self.folder))?;
        let end = self.vectors.take().map(|vectors| vectors.rows());
        let mut writer = match end {
            Some(end) => VectorWriter::append(&self.folder, NUMBER, end, self.model)?,
            None => VectorWriter::create(&self.folder, NUMBER, self.model, dims)?,
        };
        add(&mut writer);
        let rows = writer.finish()?;
        let vectors = Vectors::open(&self.folder, NUMBER, rows, self.model)?;
        let new = end.unwrap_or(0)..rows;
        self.rows.extend(new.map(|row| (vectors.text(row), row)));
        self.vectors = Some(vectors);
        Ok(())
    }
}

impl Upgrade<'_> {
    fn folder(&self) -> PathBuf {
        self.home.join(FOLDER)
    }

    /// Takes the lock of the second file, waiting for about `patience`.
    pub fn lock(&self, holder: &Holder, patience: Duration) -> Result<Lock, LockError> {
        Lock::wait(&self.folder().join("lock"), holder, patience)
    }

    /// Returns whether some vectors of the better model were computed or kept.
    pub fn has_begun(&self) -> bool {
        file::path(&self.folder(), NUMBER).exists()
    }

    /// Removes the second file.
    pub fn discard(&self) {
        let _ = fs::remove_file(file::path(&self.folder(), NUMBER));
    }

    /// Returns which part of the vault has vectors of the better model.
    pub fn coverage(&self, cache: &Cache) -> Result<Coverage> {
        self.coverage_by(cache, &PreparedVectors::open(self))
    }

    fn coverage_by(&self, cache: &Cache, prepared: &PreparedVectors<'_>) -> Result<Coverage> {
        let notes = self.passages(cache, &cache.read()?, prepared)?;
        let texts = notes.iter().filter_map(|note| note.texts.as_ref());
        let texts: HashSet<u64> = texts.flatten().copied().collect();
        let mut uncovered = notes;
        uncovered.retain(|note| !note.is_covered(|text| prepared.has(text)));
        Ok(Coverage {
            passages: texts.len(),
            covered: texts.iter().filter(|text| prepared.has(**text)).count(),
            uncovered,
        })
    }

    /// Returns the passages of every note.
    ///
    /// The vectors in use have the hashes of the texts. Only notes without them are read.
    fn passages(
        &self,
        cache: &Cache,
        reading: &CatalogReader,
        prepared: &PreparedVectors<'_>,
    ) -> Result<Vec<NotePassages>> {
        let meta = reading.meta()?;
        let vectors = cache.vectors_of(&meta, &self.from.model().id)?;
        let unreadable: HashSet<&str> = meta.problems.iter().map(|(path, _)| &**path).collect();
        let mut notes = Vec::with_capacity(meta.notes as usize);
        reading.scan(|slot, row, path| {
            notes.extend(VaultPath::new(path).ok().map(|path| NotePassages {
                slot,
                path,
                content: row.content,
                mtime_ns: row.stat.mtime_ns,
                flags: row.flags,
                rows: row.rows,
                texts: None,
            }));
        })?;
        notes.par_iter_mut().for_each(|note| {
            let language = note.flags.language();
            let is_embedded =
                note.rows != PassageRows::PENDING && self.from.knows_language(language);
            let is_empty = is_embedded && note.rows.count == 0;
            note.texts = if is_empty || !self.to.knows_language(language) {
                Some(Vec::new())
            } else if is_embedded && let Some(vectors) = &vectors {
                Some(note.rows.range().map(|row| vectors.text(row)).collect())
            } else {
                let texts = indexed_passages(self.vault, &note.path, note.content);
                texts.map(|texts| texts.iter().map(|text| xxh3_64(text.as_bytes())).collect())
            };
            // Its vectors cannot be computed until it is readable, and then it is indexed again.
            let is_lost = !note.is_covered(|text| prepared.has(text))
                && unreadable.contains(note.path.as_str());
            if is_lost {
                note.texts = Some(Vec::new());
            }
        });
        Ok(notes)
    }

    /// Computes missing vectors until `is_due`: of the notes most used first, then of the newest.
    ///
    /// The caller holds [`Upgrade::lock`]. `uses` has the number of uses of each used note; `progress` is
    /// called with the number of covered passages and of all.
    pub fn fill(
        &self,
        cache: &Cache,
        uses: &HashMap<Slot, u64>,
        is_due: &dyn Fn() -> bool,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Coverage, BackfillError> {
        let mut prepared = PreparedVectors::open(self);
        let mut coverage = self.coverage_by(cache, &prepared)?;
        coverage.uncovered.sort_by_key(|note| {
            let uses = uses.get(&note.slot).copied().unwrap_or_default();
            (Reverse(uses), Reverse(note.mtime_ns), note.slot)
        });
        let mut waiting: Vec<String> = Vec::new();
        let mut done = coverage.covered;
        let mut left = coverage.uncovered.iter().peekable();
        while !is_due() && (left.peek().is_some() || !waiting.is_empty()) {
            while waiting.len() < TEXTS_PER_WRITE
                && let Some(note) = left.next()
            {
                waiting.extend(
                    indexed_passages(self.vault, &note.path, note.content).unwrap_or_default(),
                );
                let mut seen = HashSet::new();
                waiting.retain(|text| {
                    let hash = xxh3_64(text.as_bytes());
                    !prepared.has(hash) && seen.insert(hash)
                });
            }
            let rest = waiting.split_off(TEXTS_PER_WRITE.min(waiting.len()));
            let passages = embed(self.to, &waiting)?;
            waiting = rest;
            if let Some(first) = passages.first() {
                prepared.append(first.vector.len(), |writer| {
                    for passage in &passages {
                        writer.push(0, passage.text, &passage.vector);
                    }
                })?;
            }
            done += passages.len();
            progress(done, coverage.passages);
        }
        Ok(self.coverage_by(cache, &prepared)?)
    }

    /// Replaces the vectors of the index by those of the better model; false if some are missing.
    ///
    /// The caller holds the lock of the cache and [`Upgrade::lock`].
    pub fn switch(&self, cache: &Cache) -> Result<bool> {
        let prepared = PreparedVectors::open(self);
        let reading = cache.read()?;
        let meta = reading.meta()?;
        let notes = self.passages(cache, &reading, &prepared)?;
        let is_covered = notes
            .iter()
            .all(|note| note.is_covered(|text| prepared.has(text)));
        let (Some(vectors), true) = (&prepared.vectors, is_covered) else {
            return Ok(false);
        };
        let model = &self.to.model().id;
        let mut appender = VectorAppender::afresh(cache.folder(), meta.vectors.as_ref(), model);
        let mut writer = cache.catalog.write()?;
        for note in notes {
            let texts = note.texts.unwrap_or_default();
            let rows = texts.iter().map(|text| prepared.rows[text]);
            let rows = appender.copy(note.slot, vectors, rows)?;
            writer.change(note.slot, |row| row.rows = rows)?;
        }
        let vectors = appender.finish()?;
        let Some(file) = vectors.filter(|file| file.rows > 0) else {
            return Ok(false);
        };
        let number = file.number;
        writer.set_meta(&CacheMeta {
            vectors: Some(file),
            pending: 0,
            ..meta
        })?;
        writer.commit()?;
        remove_others(cache.folder(), number);
        self.discard();
        Ok(true)
    }

    /// Drops the vectors of the better model from the index, so that it gets those of the first model, and
    /// keeps them in the second file.
    ///
    /// The caller holds the lock of the cache and [`Upgrade::lock`].
    pub fn step_back(&self, cache: &Cache) -> Result<()> {
        // Vectors that cannot be kept are computed again.
        let _ = self.keep(cache);
        forget(cache)
    }

    /// Adds the vectors of an index to the second file, if it uses the better model.
    ///
    /// The caller holds [`Upgrade::lock`].
    fn keep(&self, cache: &Cache) -> Result<()> {
        let reading = cache.read()?;
        let Some(vectors) = cache.vectors_of(&reading.meta()?, &self.to.model().id)? else {
            return Ok(());
        };
        vectors.verify()?;
        let mut prepared = PreparedVectors::open(self);
        let mut rows: HashMap<u64, u32> = HashMap::new();
        reading.scan(|_, row, _| {
            let texts = row.rows.range().map(|row| (vectors.text(row), row));
            rows.extend(texts.filter(|(text, _)| !prepared.has(*text)));
        })?;
        let mut rows: Vec<u32> = rows.into_values().collect();
        rows.sort_unstable();
        prepared.append(vectors.dims(), |writer| {
            for row in rows {
                writer.copy(0, &vectors, row);
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::Write as _;

    use super::super::tests::{Endpoint, Fixture, check};
    use super::*;
    use crate::embed::embedded;

    /// A vault whose index uses the built-in model, and a better one.
    struct UpgradeFixture {
        fixture: Fixture,
        better: Endpoint,
    }

    impl UpgradeFixture {
        fn of(notes: usize) -> (Self, Cache) {
            let (fixture, better) = (Fixture::of(notes), Endpoint::named("better"));
            let cache = fixture.rebuilt(embedded(), 1);
            (Self { fixture, better }, cache)
        }

        fn upgrade(&self) -> Upgrade<'_> {
            self.to(&self.better)
        }

        fn to<'u>(&'u self, better: &'u Endpoint) -> Upgrade<'u> {
            Upgrade {
                vault: &self.fixture.vault,
                home: &self.fixture.home,
                from: embedded(),
                to: better,
            }
        }

        /// Fills with at most this number of writes; returns covered and all passages, and the number of
        /// requested texts.
        fn fill(&self, cache: &Cache, writes: usize) -> (usize, usize, usize) {
            self.fill_by(cache, writes, &HashMap::new())
        }

        fn fill_by(
            &self,
            cache: &Cache,
            writes: usize,
            uses: &HashMap<Slot, u64>,
        ) -> (usize, usize, usize) {
            let left = Cell::new(writes);
            let is_due = || left.replace(left.get().saturating_sub(1)) == 0;
            let filled = self.upgrade().fill(cache, uses, &is_due, &|_, _| {});
            let coverage = filled.unwrap();
            (coverage.covered, coverage.passages, self.better.asked())
        }

        fn switch(&self, cache: &Cache) -> bool {
            let is_switched = self.upgrade().switch(cache).unwrap();
            assert_eq!(self.better.asked(), 0, "a switch embeds nothing");
            is_switched
        }

        /// Fills and switches.
        fn finish(&self, cache: &Cache) {
            let (covered, passages, _) = self.fill(cache, 1000);
            assert_eq!(covered, passages);
            assert!(self.switch(cache));
            check(&self.fixture, cache, &self.better);
            self.better.asked();
        }
    }

    #[test]
    fn the_first_model_is_used_until_the_better_one_covers_all() {
        let (vault, cache) = UpgradeFixture::of(150);
        assert_eq!(vault.fill(&cache, 2), (32, 150, 32));
        assert!(!vault.switch(&cache));
        check(&vault.fixture, &cache, embedded());

        // A process was killed while it wrote a row, and another row was lost.
        let file = vault.upgrade().folder().join("vectors.0");
        let bytes = fs::read(&file).unwrap();
        let row = (bytes.len() - 64) / 32;
        fs::write(&file, &bytes[..bytes.len() - row]).unwrap();
        let mut appended = fs::OpenOptions::new().append(true).open(&file).unwrap();
        appended.write_all(&vec![7; row / 2]).unwrap();
        assert_eq!(vault.fill(&cache, 1), (47, 150, 16));

        // An edit, a rename, a new note and a rebuild of the index in the meantime.
        vault.fixture.write(149, "something else");
        vault.fixture.write(150, "new");
        let [from, to] = ["n148.md", "moved.md"].map(|name| vault.fixture.vault.root().join(name));
        fs::rename(from, to).unwrap();
        vault.fixture.pass(&cache, embedded());
        drop(cache);
        let cache = vault.fixture.rebuilt(embedded(), 2);
        let (covered, passages, asked) = vault.fill(&cache, 1000);
        assert_eq!((covered, passages), (151, 151));
        assert!((104..=105).contains(&asked), "{asked}");
        check(&vault.fixture, &cache, embedded());

        assert!(vault.switch(&cache));
        assert_eq!(check(&vault.fixture, &cache, &vault.better), 151);
        vault.better.asked();
        assert!(!file.exists());

        // Afterwards only new texts are embedded, and a rebuild reuses the vectors.
        vault.fixture.write(7, "edited");
        vault.fixture.pass(&cache, &vault.better);
        vault.fixture.filled(&cache, &vault.better);
        assert_eq!(vault.better.asked(), 1);
        drop(cache);
        let cache = vault.fixture.rebuilt(&vault.better, 3);
        assert_eq!(vault.better.asked(), 0);
        check(&vault.fixture, &cache, &vault.better);
    }

    #[test]
    fn an_edit_before_the_switch_prevents_it() {
        let (vault, cache) = UpgradeFixture::of(20);
        assert_eq!(vault.fill(&cache, 1000), (20, 20, 20));
        // Indexed, and not yet indexed.
        vault.fixture.write(3, "edited");
        vault.fixture.pass(&cache, embedded());
        assert!(!vault.switch(&cache));
        vault.fixture.write(4, "edited");
        assert_eq!(vault.fill(&cache, 1000), (20, 20, 1));
        assert!(vault.switch(&cache));
        vault.fixture.pass(&cache, &vault.better);
        vault.fixture.filled(&cache, &vault.better);
        check(&vault.fixture, &cache, &vault.better);
    }

    #[test]
    fn notes_most_used_and_newest_come_first() {
        let (vault, cache) = UpgradeFixture::of(40);
        let uses = HashMap::from([(5, 1), (9, 3)]);
        vault.fixture.write(2, "the newest");
        vault.fixture.pass(&cache, embedded());
        let order = |text: &str| {
            let number = text.split_whitespace().find_map(|word| word.parse().ok());
            number.unwrap_or(usize::MAX)
        };
        let upgrade = vault.upgrade();
        upgrade.fill(&cache, &uses, &|| false, &|_, _| {}).unwrap();
        let asked: Vec<usize> = vault
            .better
            .texts()
            .iter()
            .map(|text| order(text))
            .collect();
        assert_eq!(asked[..3], [9, 5, 2]);
    }

    #[test]
    fn an_index_without_many_vectors_steps_back() {
        let (vault, cache) = UpgradeFixture::of(150);
        vault.finish(&cache);
        for (changed, expected) in [(16, false), (17, true)] {
            for number in 0..changed {
                vault.fixture.write(number, &format!("version {changed}"));
            }
            vault.fixture.pass(&cache, &vault.better);
            let meta = cache.read().unwrap().meta().unwrap();
            assert_eq!(
                (meta.pending, lacks_many(&meta)),
                (changed as u32, expected)
            );
            if !expected {
                vault.fixture.filled(&cache, &vault.better);
                assert_eq!(vault.better.asked(), changed);
            }
        }
        vault.upgrade().step_back(&cache).unwrap();
        vault.fixture.filled(&cache, embedded());
        check(&vault.fixture, &cache, embedded());
        // Only the new texts are embedded again.
        assert_eq!(vault.fill(&cache, 1000), (150, 150, 17));
        assert!(vault.switch(&cache));
        check(&vault.fixture, &cache, &vault.better);
    }

    #[test]
    fn many_notes_are_a_tenth() {
        for (notes, pending, expected) in [
            (0, 0, false),
            (3, 3, false),
            (16, 16, false),
            (17, 17, true),
            (160, 17, true),
            (1000, 100, false),
            (1000, 101, true),
        ] {
            let meta = CacheMeta {
                notes,
                pending,
                ..CacheMeta::default()
            };
            assert_eq!(lacks_many(&meta), expected, "{pending} of {notes}");
        }
    }

    #[test]
    fn an_unreadable_note_does_not_prevent_the_switch() {
        let (vault, cache) = UpgradeFixture::of(5);
        let file = vault.fixture.vault.root().join("n003.md");
        fs::write(&file, [0xff, 0xfe, 0, 0xff]).unwrap();
        vault.fixture.pass(&cache, embedded());
        assert_eq!(vault.fill(&cache, 1000), (4, 4, 4));
        assert!(vault.switch(&cache));
        let reading = cache.read().unwrap();
        assert_eq!(reading.meta().unwrap().pending, 0);
        // It is embedded once it is readable.
        vault.fixture.write(3, "readable");
        vault.fixture.pass(&cache, &vault.better);
        vault.fixture.filled(&cache, &vault.better);
        check(&vault.fixture, &cache, &vault.better);
    }

    #[test]
    fn languages_of_the_better_model_alone_are_embedded() {
        let (vault, cache) = UpgradeFixture::of(2);
        let text =
            "Il treno per la montagna parte alle otto di mattina, e la sera torna in città.\n";
        fs::write(vault.fixture.vault.root().join("it.md"), text).unwrap();
        vault.fixture.pass(&cache, embedded());
        assert_eq!(vault.fill(&cache, 1000), (3, 3, 3));
        assert!(vault.switch(&cache));
        assert_eq!(check(&vault.fixture, &cache, &vault.better), 3);
    }

    #[test]
    fn a_file_of_another_model_is_replaced() {
        let (vault, cache) = UpgradeFixture::of(20);
        vault.fill(&cache, 1);
        let newer = Endpoint::named("newer");
        let filled = vault
            .to(&newer)
            .fill(&cache, &HashMap::new(), &|| false, &|_, _| {});
        assert_eq!((filled.unwrap().covered, newer.asked()), (20, 20));
        assert!(!vault.switch(&cache));
        assert!(vault.to(&newer).switch(&cache).unwrap());
        check(&vault.fixture, &cache, &newer);
    }
}
