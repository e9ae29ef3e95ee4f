//! An index pass: reads notes, compares hashes, and commits real changes.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::io::ErrorKind;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::catalog::{CatalogReader, CatalogRecord};
use super::super::embedding::{self, InlineVectors, Passage, VectorAppender};
use super::super::index_entry::{IndexEntry, index_entry, language as language_of};
use super::super::meta::{CacheMeta, RECENT_NOTES_CHECKED};
use super::super::row::{Flags, LinkTo, PassageRows, Row, Slot};
use super::super::text::schema::{Column, TextIndexEntry};
use super::super::text::writer::{Load, TextWriter};
use super::super::{Cache, Result};
use super::plan::{SyncPlan, is_racy};
use crate::embed::Embedder;
use crate::note;
use crate::note::markdown::listing;
use crate::note::{ContentHash, Document, Language, LanguageSetting, VaultPath};
use crate::vault::walk::WalkedNote;
use crate::vault::{ReadError, Stat, Vault};

/// The result of a pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IndexSyncReport {
    pub notes: usize,
    pub added: usize,
    pub changed: usize,
    pub moved: usize,
    pub removed: usize,
    /// Files that could not be read as notes, with the reason.
    pub problems: Vec<(String, String)>,
    #[serde(skip)]
    pub changed_notes: ChangedNotes,
}

/// The changed notes, each list sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedNotes {
    pub added: Vec<VaultPath>,
    pub changed: Vec<VaultPath>,
    /// Old and new paths of moved notes.
    pub moved: Vec<(String, VaultPath)>,
    pub removed: Vec<String>,
    /// The changed notes with a different body.
    pub rewritten: Vec<(VaultPath, ContentHash)>,
    /// The added links.
    pub linked: Vec<(VaultPath, ContentHash, LinkTo)>,
}

impl IndexSyncReport {
    /// Returns the number of changed notes.
    pub fn changes(&self) -> usize {
        self.added + self.changed + self.moved + self.removed
    }
}

/// Called with the number of notes read so far and the number of notes to read.
pub type ProgressCallback<'p> = &'p (dyn Fn(usize, usize) + Sync);

#[derive(Clone, Copy)]
pub struct SyncSource<'p> {
    pub vault: &'p Vault,
    pub embedder: Option<&'p dyn Embedder>,
    pub progress: ProgressCallback<'p>,
}

impl<'p> SyncSource<'p> {
    /// Returns a source for a background pass.
    pub fn quiet(vault: &'p Vault, embedder: Option<&'p dyn Embedder>) -> Self {
        Self {
            vault,
            embedder,
            progress: &|_, _| {},
        }
    }
}

pub(super) struct IndexPass<'p> {
    vault: &'p Vault,
    cache: &'p Cache,
    reading: &'p CatalogReader,
    /// The metadata after the pass.
    meta: CacheMeta,
    report: IndexSyncReport,
    problems: HashMap<String, String>,
    /// Removed notes by content: a new note with the same content is a moved note.
    gone: HashMap<ContentHash, Slot>,
    fresh: Vec<CatalogRecord>,
    /// Number of fresh notes per property name.
    property_counts: HashMap<String, u32>,
    /// Notes with a new time and unchanged content.
    restamped: Vec<(Slot, Stat)>,
    text: LazyTextWriter,
    vectors: Option<(InlineVectors<'p>, VectorAppender<'p>)>,
}

impl<'p> IndexPass<'p> {
    pub(super) fn begin(
        source: SyncSource<'p>,
        cache: &'p Cache,
        reading: &'p CatalogReader,
        plan: &mut SyncPlan,
    ) -> Result<Self> {
        let meta = reading.meta()?;
        let vectors = source.embedder.and_then(|embedder| {
            embedding::inline(cache, &meta, embedder, plan.replaced_vectors.take())
        });
        let mut gone = HashMap::new();
        for slot in &plan.remove {
            if let Some(row) = reading.fields(*slot)? {
                gone.insert(row.content, *slot);
            }
        }
        let problems = plan
            .problems
            .take()
            .unwrap_or_else(|| meta.problems.clone());
        Ok(Self {
            vault: source.vault,
            vectors,
            cache,
            reading,
            text: LazyTextWriter {
                writer: None,
                is_bulk: meta.notes == 0,
            },
            problems: problems.into_iter().collect(),
            meta: CacheMeta {
                folders: plan.folders.take().unwrap_or_else(|| meta.folders.clone()),
                rules: plan.rules.take().unwrap_or_else(|| meta.rules.clone()),
                ..meta
            },
            report: IndexSyncReport::default(),
            gone,
            fresh: Vec::new(),
            property_counts: HashMap::new(),
            restamped: Vec::new(),
        })
    }

    /// Reads notes in parallel and adds their text to the text index.
    pub(super) fn read(&mut self, notes: &[(WalkedNote, Option<Slot>)]) -> Result<()> {
        let mut hashes = Vec::with_capacity(notes.len());
        for (note, slot) in notes {
            let stored = slot.map(|slot| self.reading.row(slot)).transpose()?;
            let row = stored
                .flatten()
                .filter(|(_, path)| *path == note.path.as_str());
            hashes.push(row.map(|(row, _)| row.content));
        }
        let (vault, language) = (self.vault, self.cache.language);
        let vectors = self.vectors.as_ref().map(|(inline, _)| inline);
        let outcomes: Vec<ReadOutcome> = notes
            .par_iter()
            .zip(hashes)
            .with_min_len(16)
            .map(|((note, _), hash)| read(vault, (vectors, language), &note.path, hash))
            .collect();
        for ((note, slot), outcome) in notes.iter().zip(outcomes) {
            let path = &note.path;
            if !matches!(outcome, ReadOutcome::Unreadable(_)) {
                self.problems.remove(path.as_str());
            }
            match outcome {
                ReadOutcome::New(entry, passages) => self.add(path, *slot, *entry, passages)?,
                ReadOutcome::Same(stat) => self.restamped.extend(slot.map(|slot| (slot, stat))),
                ReadOutcome::Unreadable(reason) => {
                    self.problems.insert(path.as_str().to_owned(), reason);
                }
                ReadOutcome::Gone => {}
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        path: &VaultPath,
        slot: Option<Slot>,
        entry: IndexEntry,
        passages: Option<Vec<Passage>>,
    ) -> Result<()> {
        let slot = self.slot_for(slot, entry.row.content);
        let rows = self.append(slot, passages)?;
        for name in entry.property_names {
            *self.property_counts.entry(name).or_default() += 1;
        }
        let language = entry.row.flags.language();
        self.text.add(self.cache, (slot, language), entry.columns)?;
        self.fresh.push(CatalogRecord {
            slot,
            path: path.clone(),
            row: Row { rows, ..entry.row },
            details: entry.details,
            segments: entry.segments,
        });
        Ok(())
    }

    /// Appends the vectors of a note, if available.
    fn append(&mut self, slot: Slot, passages: Option<Vec<Passage>>) -> Result<PassageRows> {
        let (Some((_, appender)), Some(passages)) = (&mut self.vectors, passages) else {
            return Ok(PassageRows::PENDING);
        };
        match appender.add(slot, &passages) {
            // The next search detects the damage too and has the vectors recomputed.
            Err(error) if error.is_damage() => {
                self.vectors = None;
                Ok(PassageRows::PENDING)
            }
            rows => Ok(rows?),
        }
    }

    /// Returns the slot of a note with new content: its own, that of the moved note, or the next free one.
    fn slot_for(&mut self, known: Option<Slot>, content: ContentHash) -> Slot {
        if let Some(slot) = known {
            self.report.changed += 1;
            slot
        } else if let Some(slot) = self.gone.remove(&content) {
            self.report.moved += 1;
            slot
        } else {
            self.report.added += 1;
            self.meta.next_slot += 1;
            self.meta.next_slot - 1
        }
    }

    /// Removes the missing notes that did not reappear under another path.
    fn remove(&mut self, gone: Vec<Slot>) -> Result<Vec<Slot>> {
        let reused: HashSet<Slot> = self.fresh.iter().map(|note| note.slot).collect();
        let mut removed = gone;
        removed.retain(|slot| !reused.contains(slot));
        for slot in &removed {
            self.text.open(self.cache)?.remove((*slot).into());
        }
        self.report.removed = removed.len();
        self.meta.notes = self.meta.notes + self.report.added as u32 - removed.len() as u32;
        Ok(removed)
    }

    /// Removes `gone` notes and commits: text index first, catalog last.
    pub(super) fn commit(mut self, gone: Vec<Slot>) -> Result<IndexSyncReport> {
        let removed = self.remove(gone)?;
        self.meta.problems = self.remaining_problems();
        self.report.notes = self.meta.notes as usize;
        self.report.problems.clone_from(&self.meta.problems);
        self.meta.recent = self.recent(&removed)?;
        self.uncount_replaced(&removed)?;
        self.count_fresh();
        if let Some((_, appender)) = self.vectors.take() {
            self.meta.vectors = appender.finish()?;
        }
        let text_changed = self.text.writer.is_some();
        if !text_changed && self.restamped.is_empty() && self.meta == self.reading.meta()? {
            return Ok(self.report);
        }
        if text_changed {
            self.meta.generation += 1;
        }
        // On a full disk this fails before any change.
        let notes = self.restamped.len() + removed.len() + self.fresh.len();
        self.cache.catalog.reserve(notes)?;
        self.text.commit(self.meta.generation)?;
        self.commit_catalog(&removed)?;
        self.report.changed_notes = changed_notes(self.reading, self.fresh, &removed)?;
        Ok(self.report)
    }

    fn commit_catalog(&self, removed: &[Slot]) -> Result<()> {
        let mut writer = self.cache.catalog.write()?;
        for (slot, stat) in &self.restamped {
            writer.change(*slot, |row| row.touch(*stat, is_racy(stat.mtime_ns)))?;
        }
        for slot in removed
            .iter()
            .chain(self.fresh.iter().map(|note| &note.slot))
        {
            writer.remove(*slot)?;
        }
        writer.insert(&self.fresh)?;
        writer.set_meta(&self.meta)?;
        writer.commit()
    }

    /// Returns the problems that remain. A missing file is not one of them; only a walk can check names that
    /// are invalid or too long.
    fn remaining_problems(&mut self) -> Vec<(String, String)> {
        let root = self.vault.root();
        let is_there = |path: &str| {
            let metadata = root.join(path).symlink_metadata();
            metadata.map_or_else(|error| error.kind() != ErrorKind::NotFound, |_| true)
        };
        let mut problems: Vec<_> = self.problems.drain().collect();
        problems.retain(|(path, _)| path.contains(char::REPLACEMENT_CHARACTER) || is_there(path));
        problems.sort();
        problems
    }

    /// Subtracts replaced and removed notes from the counts in the metadata.
    fn uncount_replaced(&mut self, removed: &[Slot]) -> Result<()> {
        let replaced = self.fresh.iter().map(|note| &note.slot);
        for slot in removed.iter().chain(replaced) {
            let Some(row) = self.reading.fields(*slot)? else {
                continue;
            };
            self.meta.hideable -= u32::from(row.is_hideable());
            self.meta.unmerged -= u32::from(row.flags.has(Flags::UNMERGED));
            self.meta.pending -= u32::from(row.rows == PassageRows::PENDING);
            if let Some((_, appender)) = &mut self.vectors {
                appender.forget(row.rows);
            } else if let Some(file) = &mut self.meta.vectors {
                file.living = file.living.saturating_sub(row.rows.count);
            }
            let details = self.reading.details(*slot)?.unwrap_or_default();
            for name in details.properties().keys() {
                if let Some(notes) = self.meta.properties.get_mut(name) {
                    *notes -= 1;
                }
            }
        }
        Ok(())
    }

    fn count_fresh(&mut self) {
        for CatalogRecord { row, .. } in &self.fresh {
            self.meta.hideable += u32::from(row.is_hideable());
            self.meta.unmerged += u32::from(row.flags.has(Flags::UNMERGED));
            self.meta.pending += u32::from(row.rows == PassageRows::PENDING);
        }
        for (name, notes) in self.property_counts.drain() {
            *self.meta.properties.entry(name).or_default() += notes;
        }
        self.meta.properties.retain(|_, notes| *notes > 0);
    }

    /// Returns the most recently changed notes, newest first.
    fn recent(&self, removed: &[Slot]) -> Result<Vec<(i64, Slot)>> {
        let before = self.meta.recent.iter().map(|(time, slot)| (*slot, *time));
        let fresh = self.fresh.iter().map(|note| (note.slot, note.row.stat));
        let stats = fresh.chain(self.restamped.iter().copied());
        let mut times: HashMap<Slot, i64> = before.collect();
        times.extend(stats.map(|(slot, stat)| (slot, stat.mtime_ns)));
        for slot in removed {
            times.remove(slot);
        }
        if times.len() < RECENT_NOTES_CHECKED && self.meta.notes as usize > times.len() {
            self.reading.scan(|slot, row, _| {
                if !removed.contains(&slot) {
                    times.entry(slot).or_insert(row.stat.mtime_ns);
                }
            })?;
        }
        let mut recent: Vec<(i64, Slot)> =
            times.into_iter().map(|(slot, time)| (time, slot)).collect();
        recent.sort_unstable_by_key(|(time, slot)| (Reverse(*time), *slot));
        recent.truncate(RECENT_NOTES_CHECKED);
        Ok(recent)
    }
}

/// Returns the changes of `fresh` and `removed` notes relative to `reading`.
fn changed_notes(
    reading: &CatalogReader,
    fresh: Vec<CatalogRecord>,
    removed: &[Slot],
) -> Result<ChangedNotes> {
    let mut notes = ChangedNotes::default();
    let is_first = reading.meta()?.notes == 0;
    for note in fresh {
        let (path, row) = (note.path, note.row);
        let before = reading.row(note.slot)?;
        if !is_first {
            let old_links = reading.details(note.slot)?.unwrap_or_default().links;
            let known: HashSet<LinkTo> = old_links.into_iter().collect();
            let links = note.details.links.into_iter();
            let new = links.filter(|link| !known.contains(link));
            let linked = new.map(|link| (path.clone(), row.content, link));
            notes.linked.extend(linked);
        }
        match before {
            None => notes.added.push(path),
            Some((before, known)) if known == path.as_str() => {
                if before.body != row.body {
                    notes.rewritten.push((path.clone(), row.content));
                }
                notes.changed.push(path);
            }
            Some((_, before)) => notes.moved.push((before.to_owned(), path)),
        }
    }
    for slot in removed {
        let row = reading.row(*slot)?;
        notes.removed.extend(row.map(|(_, path)| path.to_owned()));
    }
    notes.added.sort_unstable();
    notes.changed.sort_unstable();
    notes.moved.sort_unstable();
    notes.removed.sort_unstable();
    Ok(notes)
}

/// Writer of the text index, opened on first use.
struct LazyTextWriter {
    writer: Option<TextWriter>,
    /// Whether the index was empty.
    is_bulk: bool,
}

impl LazyTextWriter {
    fn open(&mut self, cache: &Cache) -> Result<&mut TextWriter> {
        if self.writer.is_none() {
            let load = if self.is_bulk { Load::Many } else { Load::Few };
            self.writer = Some(cache.text.writer(load)?);
        }
        Ok(self.writer.as_mut().expect("was just set"))
    }

    fn add(
        &mut self,
        cache: &Cache,
        (slot, language): (Slot, Language),
        columns: Vec<(Column, String)>,
    ) -> Result<()> {
        let mut entry = TextIndexEntry::new(slot.into(), language);
        for (column, text) in columns {
            entry.add(column, &text);
        }
        let is_bulk = self.is_bulk;
        let writer = self.open(cache)?;
        if is_bulk {
            writer.insert(entry)?;
        } else {
            writer.replace(entry)?;
        }
        Ok(())
    }

    fn commit(&mut self, generation: u64) -> Result<()> {
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        writer.commit(&generation.to_string())?;
        // A bulk build leaves several large segments; a single one is faster to search.
        if self.is_bulk {
            writer.merge_all()?;
        }
        Ok(())
    }
}

/// Result of reading a note.
enum ReadOutcome {
    New(Box<IndexEntry>, Option<Vec<Passage>>),
    /// Only the file time changed.
    Same(Stat),
    Unreadable(String),
    /// Removed since the walk; the next check detects it.
    Gone,
}

fn read(
    vault: &Vault,
    (vectors, language): (Option<&InlineVectors<'_>>, LanguageSetting),
    path: &VaultPath,
    indexed: Option<ContentHash>,
) -> ReadOutcome {
    let file = match vault.read(path) {
        Ok(file) => file,
        Err(ReadError::Missing { .. }) => return ReadOutcome::Gone,
        Err(error) => return ReadOutcome::Unreadable(error.reason()),
    };
    if indexed == Some(file.hash) {
        return ReadOutcome::Same(file.stat);
    }
    let text = listing::blanked(&file.text);
    let document = Document::of_note(&text);
    let note = note::of(&document, path.stem());
    let language = language_of(language, &document, &note);
    let passages = vectors.and_then(|vectors| vectors.passages(&document, (&note, language)));
    let mut entry = index_entry(path, (&file.text, &document), file.stat, (note, language));
    let flags = entry.row.flags;
    entry.row.flags = flags.with(Flags::RACY, is_racy(file.stat.mtime_ns));
    ReadOutcome::New(Box::new(entry), passages)
}
