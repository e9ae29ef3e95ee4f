//! The index pass: brings the caches to where the vault is.
//!
//! Reads what is new or has another size or time, compares hashes, boils down what really changed,
//! and commits: text index first, catalog last. A note that cannot be read keeps its last good row
//! and is named. A vault that suddenly looks empty stops the pass.

use std::collections::{HashMap, HashSet};
use std::io::ErrorKind;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::catalog::{Meta, RECENT, Reading};
use super::diff::{Difference, diff};
use super::digest::{Digest, digest};
use super::embedding::{self, Appending, AtHand, Passage, carried};
use super::row::{Details, Flags, Row, Rows, Slot};
use super::text::schema::{Column, Entry};
use super::text::writer::{Load, TextWriter};
use super::vectors::file::Vectors;
use super::{Build, Cache, CacheError};
use crate::embed::Embedder;
use crate::note;
use crate::note::analyzer::Language;
use crate::note::hash::ContentHash;
use crate::note::path::VaultPath;
use crate::vault::walk::{WalkProblem, WalkedNote, walk};
use crate::vault::{ReadError, Stat, Vault};

/// What a pass found and did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncReport {
    /// Notes in the index now.
    pub notes: usize,
    /// New notes.
    pub added: usize,
    /// Notes whose bytes changed.
    pub changed: usize,
    /// Notes found under another path.
    pub moved: usize,
    /// Notes that are gone.
    pub removed: usize,
    /// Files that look like notes but could not be read, and why.
    pub problems: Vec<(String, String)>,
    /// Which notes were added, changed, moved and removed.
    #[serde(skip)]
    pub which: Which,
}

/// Which notes a pass found other than they were, each list in the order of paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Which {
    /// New notes.
    pub added: Vec<VaultPath>,
    /// Notes whose bytes changed.
    pub changed: Vec<VaultPath>,
    /// Where notes were, and where they are.
    pub moved: Vec<(String, VaultPath)>,
    /// Notes that are gone.
    pub removed: Vec<String>,
}

impl SyncReport {
    /// Returns how many notes are not as they were.
    #[must_use]
    pub fn changes(&self) -> usize {
        self.added + self.changed + self.moved + self.removed
    }
}

/// Called with the notes read so far and the notes to read.
pub type Progress<'p> = &'p (dyn Fn(usize, usize) + Sync);

/// What a pass works with.
#[derive(Clone, Copy)]
pub struct Source<'p> {
    /// The notes.
    pub vault: &'p Vault,
    /// What makes vectors of passages.
    pub embedder: Option<&'p dyn Embedder>,
    /// Who wants to know how far it is.
    pub progress: Progress<'p>,
}

impl<'p> Source<'p> {
    /// Returns a source for a pass that nobody waits for.
    #[must_use]
    pub fn quiet(vault: &'p Vault, embedder: Option<&'p dyn Embedder>) -> Self {
        Self {
            vault,
            embedder,
            progress: &|_, _| {},
        }
    }
}

/// Below this many missing notes a pass never suspects the disk.
const SUSPICIOUS: usize = 20;

/// Notes that are read and boiled down together.
const CHUNK: usize = 512;

/// A file time younger than this when the file was read may hide a later write: file systems stamp
/// with the tick of the kernel's clock, up to 10 ms.
const TICK_NS: i64 = 20_000_000;

/// Builds the caches afresh from the whole vault. The caller holds the lock.
pub fn rebuild(
    source: Source<'_>,
    home: &Path,
    instance: u64,
    language: Language,
) -> Result<(Cache, SyncReport), CacheError> {
    let carried = source.embedder.and_then(|embedder| carried(home, embedder));
    let (build, mut cache) = Build::begin(home, instance, language)?;
    let report = pass(source, &mut cache, carried)?;
    build.publish()?;
    Ok((cache, report))
}

/// Takes in the whole vault. The caller holds the lock.
pub fn whole(source: Source<'_>, cache: &mut Cache) -> Result<SyncReport, CacheError> {
    pass(source, cache, None)
}

/// Takes in the whole vault; `carried` are the vectors of the index that this one replaces.
fn pass(
    source: Source<'_>,
    cache: &mut Cache,
    carried: Option<Vectors>,
) -> Result<SyncReport, CacheError> {
    let vault = source.vault;
    let rules = rules(vault);
    let walk = walk(vault)?;
    let found: Vec<(String, String)> = walk
        .problems
        .iter()
        .map(|(path, why)| (path.clone(), why.to_string()))
        .collect();
    let reading = cache.read()?;
    let mut known = known(&reading)?;
    // Slots are mostly in the order of paths already.
    known.sort_by(|a, b| a.path.cmp(b.path));
    let hidden = Hidden::by(&walk.problems);
    let mut todo = Todo::default();
    let differences = diff(
        known.iter(),
        walk.notes.iter(),
        |known| known.path,
        |seen| seen.path.as_str(),
        |known, seen| !known.is_racy && known.stat == seen.stat,
    );
    for difference in differences {
        match difference {
            Difference::Added(seen) => todo.read(seen.clone(), None),
            Difference::Changed(known, seen) => todo.read(seen.clone(), Some(known.slot)),
            // What lies in a folder that could not be listed is not gone.
            Difference::Removed(known) if hidden.covers(known.path) => {}
            Difference::Removed(known) => todo.remove.push(known.slot),
            Difference::Same(_) => {}
        }
    }
    let gone = todo.remove.len();
    if gone > SUSPICIOUS && gone * 2 > known.len() && gone > todo.read.len() {
        return Err(CacheError::SuddenlyEmpty {
            gone,
            known: known.len(),
        });
    }
    todo.folders = Some(walk.folders.into_iter().map(folder_unless_racy).collect());
    todo.rules = Some(rules);
    todo.problems = Some(found);
    take_in_with(source, cache, &reading, todo, carried)
}

/// What a pass has to do.
#[derive(Debug, Default)]
pub(super) struct Todo {
    read: Vec<(WalkedNote, Option<Slot>)>,
    remove: Vec<Slot>,
    /// The folders, where they were listed anew.
    pub(super) folders: Option<Vec<(String, i64)>>,
    rules: Option<Vec<(String, i64)>>,
    /// What the walk could not read, where it looked at everything.
    problems: Option<Vec<(String, String)>>,
}

impl Todo {
    fn read(&mut self, seen: WalkedNote, slot: Option<Slot>) {
        self.read.push((seen, slot));
    }

    /// Adds what has to be done for `path`, by looking at the file.
    pub(super) fn look_at(
        &mut self,
        vault: &Vault,
        reading: &Reading,
        path: &VaultPath,
    ) -> Result<(), CacheError> {
        let slot = reading.at(path)?;
        match vault.stat(path) {
            Ok(stat) => self.read(
                WalkedNote {
                    path: path.clone(),
                    stat,
                },
                slot,
            ),
            Err(ReadError::Missing { .. }) => self.remove.extend(slot),
            // What cannot be looked at is not gone.
            Err(_) => {}
        }
        Ok(())
    }

    /// Adds a note that is new or changed.
    pub(super) fn add(&mut self, seen: WalkedNote, slot: Option<Slot>) {
        self.read(seen, slot);
    }

    /// Adds a note that is gone.
    pub(super) fn gone(&mut self, slot: Slot) {
        self.remove.push(slot);
    }

    /// Returns true if nothing has to be dropped and every note to read says what is known of it.
    pub(super) fn says_nothing_new(
        &self,
        vault: &Vault,
        reading: &Reading,
    ) -> Result<bool, CacheError> {
        for (seen, slot) in &self.read {
            let known = slot.map(|slot| reading.row(slot)).transpose()?.flatten();
            let same = known.is_some_and(|(row, _)| {
                vault
                    .read(&seen.path)
                    .is_ok_and(|file| file.hash == row.content)
            });
            if !same {
                return Ok(false);
            }
        }
        Ok(self.remove.is_empty())
    }

    /// How many notes have to be dropped.
    pub(super) fn removals(&self) -> usize {
        self.remove.len()
    }

    /// How many notes have to be read or dropped.
    pub(super) fn len(&self) -> usize {
        self.read.len() + self.remove.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0 && self.folders.is_none()
    }
}

/// A known note, as far as the diff needs it.
#[derive(Debug)]
pub(super) struct Known<'r> {
    pub(super) slot: Slot,
    pub(super) path: &'r str,
    pub(super) stat: Stat,
    /// Whether size and time cannot tell that the file is as it was read.
    pub(super) is_racy: bool,
}

/// Lists every note of the catalog, in the order of slots.
pub(super) fn known(reading: &Reading) -> Result<Vec<Known<'_>>, CacheError> {
    let mut known = Vec::with_capacity(reading.meta()?.notes as usize);
    reading.scan(|slot, bytes| {
        if let Some((row, path)) = Row::decode(bytes) {
            known.push(Known {
                slot,
                path,
                stat: row.stat,
                is_racy: row.flags.has(Flags::RACY),
            });
        }
    })?;
    Ok(known)
}

/// Folders that could not be listed: their notes are unknown, not gone.
struct Hidden<'p>(HashSet<&'p str>);

impl<'p> Hidden<'p> {
    fn by(problems: &'p [(String, WalkProblem)]) -> Self {
        let unreadable = problems
            .iter()
            .filter(|(_, why)| matches!(why, WalkProblem::Unreadable(_)));
        Self(unreadable.map(|(path, _)| path.as_str()).collect())
    }

    fn covers(&self, path: &str) -> bool {
        !self.0.is_empty()
            && (self.0.contains(path)
                || self.0.contains("")
                || path
                    .match_indices('/')
                    .any(|(at, _)| self.0.contains(&path[..at])))
    }
}

/// A note that was read: what it says, or that it says what it said before.
enum Taken {
    New(Box<Digest>, Option<Vec<Passage>>),
    Same(Stat),
    Unreadable(String),
    /// It is gone since it was seen: the next look knows.
    Gone,
}

/// Reads, boils down and commits.
pub(super) fn take_in(
    source: Source<'_>,
    cache: &mut Cache,
    reading: &Reading,
    todo: Todo,
) -> Result<SyncReport, CacheError> {
    take_in_with(source, cache, reading, todo, None)
}

fn take_in_with(
    source: Source<'_>,
    cache: &mut Cache,
    reading: &Reading,
    todo: Todo,
    carried: Option<Vectors>,
) -> Result<SyncReport, CacheError> {
    let Todo {
        read,
        remove,
        folders,
        rules,
        problems,
    } = todo;
    let mut pass = Pass::begin(source, cache, reading, &remove, problems, carried)?;
    let total = read.len();
    for (number, chunk) in read.chunks(CHUNK).enumerate() {
        (source.progress)(number * CHUNK, total);
        pass.read(chunk)?;
    }
    (source.progress)(total, total);
    let removed = pass.remove(remove)?;
    pass.meta.folders = folders.unwrap_or(pass.meta.folders);
    pass.meta.rules = rules.unwrap_or(pass.meta.rules);
    pass.commit(&removed)
}

/// A pass under way.
struct Pass<'p> {
    vault: &'p Vault,
    cache: &'p Cache,
    reading: &'p Reading,
    /// What will be known of the whole vault.
    meta: Meta,
    report: SyncReport,
    problems: HashMap<String, String>,
    /// Notes that are gone, by content: a new note of the same content is one of them, moved.
    gone: HashMap<ContentHash, Slot>,
    fresh: Vec<(Slot, VaultPath, Row, Details)>,
    /// How many of the fresh notes have a property of this name.
    names: HashMap<String, u32>,
    touched: Vec<(Slot, Stat)>,
    writer: Writer,
    vectors: Option<(AtHand<'p>, Appending<'p>)>,
}

impl<'p> Pass<'p> {
    /// Begins; `problems` are those of a walk that looked at everything.
    fn begin(
        source: Source<'p>,
        cache: &'p Cache,
        reading: &'p Reading,
        remove: &[Slot],
        problems: Option<Vec<(String, String)>>,
        carried: Option<Vectors>,
    ) -> Result<Self, CacheError> {
        let meta = reading.meta()?;
        let vectors = source
            .embedder
            .and_then(|embedder| embedding::during(cache, &meta, embedder, carried));
        let mut gone = HashMap::new();
        for slot in remove {
            if let Some((row, _)) = reading.row(*slot)? {
                gone.insert(row.content, *slot);
            }
        }
        Ok(Self {
            vault: source.vault,
            vectors,
            cache,
            reading,
            writer: Writer {
                text: None,
                bulk: meta.notes == 0,
            },
            problems: problems
                .unwrap_or_else(|| meta.problems.clone())
                .into_iter()
                .collect(),
            meta,
            report: SyncReport::default(),
            gone,
            fresh: Vec::new(),
            names: HashMap::new(),
            touched: Vec::new(),
        })
    }

    /// Reads some notes at once and adds what they say to the text index.
    fn read(&mut self, notes: &[(WalkedNote, Option<Slot>)]) -> Result<(), CacheError> {
        let mut known = Vec::with_capacity(notes.len());
        for (seen, slot) in notes {
            let row = slot
                .map(|slot| self.reading.row(slot))
                .transpose()?
                .flatten();
            let row = row.filter(|(_, path)| *path == seen.path.as_str());
            known.push(row.map(|(row, _)| row.content));
        }
        let vault = self.vault;
        let at_hand = self.vectors.as_ref().map(|(at_hand, _)| at_hand);
        let taken: Vec<Taken> = notes
            .par_iter()
            .zip(known)
            .with_min_len(16)
            .map(|((seen, _), known)| take(vault, at_hand, &seen.path, known))
            .collect();
        for ((seen, slot), taken) in notes.iter().zip(taken) {
            if let Taken::Unreadable(why) = taken {
                self.problems.insert(seen.path.as_str().to_owned(), why);
                continue;
            }
            self.problems.remove(seen.path.as_str());
            match taken {
                Taken::New(digest, passages) => {
                    let slot = self.slot_for(*slot, digest.row.content);
                    let Digest {
                        mut row,
                        details,
                        names,
                        columns,
                    } = *digest;
                    row.rows = self.append(slot, passages)?;
                    for name in names {
                        *self.names.entry(name).or_default() += 1;
                    }
                    self.writer.add(self.cache, slot, columns)?;
                    self.fresh.push((slot, seen.path.clone(), row, details));
                }
                Taken::Same(stat) => self.touched.extend(slot.map(|slot| (slot, stat))),
                Taken::Unreadable(_) | Taken::Gone => {}
            }
        }
        Ok(())
    }

    /// Adds the vectors of a note, if they are at hand and can be.
    fn append(&mut self, slot: Slot, passages: Option<Vec<Passage>>) -> Result<Rows, CacheError> {
        let (Some((_, appending)), Some(passages)) = (&mut self.vectors, passages) else {
            return Ok(Rows::PENDING);
        };
        match appending.add(slot, &passages) {
            // Whoever asks for them next finds the damage, too, and has them made anew.
            Err(error) if error.is_damage() => {
                self.vectors = None;
                Ok(Rows::PENDING)
            }
            rows => Ok(rows?),
        }
    }

    /// The slot of a note with new content: its own, that of the note it was, or the next.
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

    /// Drops the notes that are gone and did not turn up elsewhere.
    fn remove(&mut self, gone: Vec<Slot>) -> Result<Vec<Slot>, CacheError> {
        let reused: HashSet<Slot> = self.fresh.iter().map(|note| note.0).collect();
        let removed: Vec<Slot> = gone
            .into_iter()
            .filter(|slot| !reused.contains(slot))
            .collect();
        for slot in &removed {
            self.writer.get(self.cache)?.remove((*slot).into());
        }
        self.report.removed = removed.len();
        self.meta.notes = self.meta.notes + self.report.added as u32 - removed.len() as u32;
        Ok(removed)
    }

    /// Makes it so: text index first, catalog last.
    fn commit(mut self, removed: &[Slot]) -> Result<SyncReport, CacheError> {
        // A file that is gone is no problem any more; whether one is whose name is no text, or whose
        // path is too long, only a walk can tell.
        let root = self.vault.root();
        self.problems.retain(|path, _| {
            let found = root.join(path).symlink_metadata();
            path.contains(char::REPLACEMENT_CHARACTER)
                || found.map_or_else(|error| error.kind() != ErrorKind::NotFound, |_| true)
        });
        let mut problems: Vec<(String, String)> = self.problems.drain().collect();
        problems.sort();
        self.report.notes = self.meta.notes as usize;
        self.report.problems.clone_from(&problems);
        self.meta.problems = problems;
        self.remember_recent(removed)?;
        self.count(removed)?;
        if let Some((_, appending)) = self.vectors.take() {
            self.meta.vectors = appending.finish()?;
        }
        let text_changed = self.writer.text.is_some();
        if !text_changed && self.touched.is_empty() && self.meta == self.reading.meta()? {
            return Ok(self.report);
        }
        if text_changed {
            self.meta.generation += 1;
        }
        self.writer.commit(self.meta.generation)?;
        let mut writing = self.cache.catalog.write()?;
        for slot in removed {
            writing.remove(*slot)?;
        }
        for (slot, stat) in self.touched {
            writing.touch(slot, stat, is_racy(stat.mtime_ns))?;
        }
        if self.writer.bulk {
            writing.fill(&self.fresh)?;
        } else {
            for (slot, path, row, details) in &self.fresh {
                writing.put(*slot, path, row, details)?;
            }
        }
        writing.set_meta(&self.meta)?;
        writing.commit()?;
        self.report.which = which(self.reading, self.fresh, removed)?;
        Ok(self.report)
    }

    /// Keeps the numbers of notes that a search may hide and that have a property.
    fn count(&mut self, removed: &[Slot]) -> Result<(), CacheError> {
        let replaced = self.fresh.iter().map(|note| &note.0);
        for slot in removed.iter().chain(replaced) {
            let Some((row, _)) = self.reading.row(*slot)? else {
                continue;
            };
            self.meta.hideable -= u32::from(row.is_hideable());
            self.meta.pending -= u32::from(row.rows == Rows::PENDING);
            if let Some((_, appending)) = &mut self.vectors {
                appending.replaced(row.rows);
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
        self.meta.hideable += self
            .fresh
            .iter()
            .filter(|(_, _, row, _)| row.is_hideable())
            .count() as u32;
        self.meta.pending += self
            .fresh
            .iter()
            .filter(|(_, _, row, _)| row.rows == Rows::PENDING)
            .count() as u32;
        for (name, notes) in self.names.drain() {
            *self.meta.properties.entry(name).or_default() += notes;
        }
        self.meta.properties.retain(|_, notes| *notes > 0);
        Ok(())
    }

    /// Keeps the list of the notes changed last.
    fn remember_recent(&mut self, removed: &[Slot]) -> Result<(), CacheError> {
        let mut times: HashMap<Slot, i64> = self
            .meta
            .recent
            .iter()
            .map(|(time, slot)| (*slot, *time))
            .collect();
        let fresh = self
            .fresh
            .iter()
            .map(|(slot, _, row, _)| (*slot, row.stat.mtime_ns));
        times.extend(fresh);
        times.extend(
            self.touched
                .iter()
                .map(|(slot, stat)| (*slot, stat.mtime_ns)),
        );
        for slot in removed {
            times.remove(slot);
        }
        if times.len() < RECENT && self.meta.notes as usize > times.len() {
            self.reading.scan(|slot, bytes| {
                if let Some(row) = Row::without_path(bytes)
                    && !removed.contains(&slot)
                {
                    times.entry(slot).or_insert(row.stat.mtime_ns);
                }
            })?;
        }
        let mut recent: Vec<(i64, Slot)> =
            times.into_iter().map(|(slot, time)| (time, slot)).collect();
        recent.sort_unstable_by_key(|(time, slot)| (std::cmp::Reverse(*time), *slot));
        recent.truncate(RECENT);
        self.meta.recent = recent;
        Ok(())
    }
}

/// Tells what became of the notes that are `fresh` or `removed` since `reading`.
fn which(
    reading: &Reading,
    fresh: Vec<(Slot, VaultPath, Row, Details)>,
    removed: &[Slot],
) -> Result<Which, CacheError> {
    let mut which = Which::default();
    for (slot, path, _, _) in fresh {
        match reading.row(slot)? {
            None => which.added.push(path),
            Some((_, before)) if before == path.as_str() => which.changed.push(path),
            Some((_, before)) => which.moved.push((before.to_owned(), path)),
        }
    }
    for slot in removed {
        which
            .removed
            .extend(reading.row(*slot)?.map(|(_, path)| path.to_owned()));
    }
    which.added.sort_unstable();
    which.changed.sort_unstable();
    which.moved.sort_unstable();
    which.removed.sort_unstable();
    Ok(which)
}

/// The writer of the text index, opened when the first note needs it.
struct Writer {
    text: Option<TextWriter>,
    bulk: bool,
}

impl Writer {
    fn get(&mut self, cache: &Cache) -> Result<&mut TextWriter, CacheError> {
        if self.text.is_none() {
            let load = if self.bulk { Load::Many } else { Load::Few };
            self.text = Some(cache.text.writer(load)?);
        }
        Ok(self.text.as_mut().expect("was just set"))
    }

    fn add(
        &mut self,
        cache: &Cache,
        slot: Slot,
        columns: Vec<(Column, String)>,
    ) -> Result<(), CacheError> {
        let mut entry = Entry::new(slot.into());
        for (column, text) in columns {
            entry.add(column, &text);
        }
        let bulk = self.bulk;
        let text = self.get(cache)?;
        Ok(if bulk {
            text.insert(entry)
        } else {
            text.replace(entry)
        }?)
    }

    fn commit(&mut self, generation: u64) -> Result<(), CacheError> {
        let Some(text) = &mut self.text else {
            return Ok(());
        };
        text.commit(&generation.to_string())?;
        // A whole vault leaves several large segments; one is searched faster.
        Ok(if self.bulk { text.tidy() } else { Ok(()) }?)
    }
}

fn take(
    vault: &Vault,
    vectors: Option<&AtHand<'_>>,
    path: &VaultPath,
    known: Option<ContentHash>,
) -> Taken {
    let file = match vault.read(path) {
        Ok(file) => file,
        Err(ReadError::Missing { .. }) => return Taken::Gone,
        Err(error) => return Taken::Unreadable(reason(&error)),
    };
    if known == Some(file.hash) {
        return Taken::Same(file.stat);
    }
    let note = note::read(&file.text, path.stem());
    let passages = vectors.and_then(|vectors| vectors.passages(&file.text, &note));
    let mut digest = digest(path, &file.text, file.stat, note);
    let flags = digest.row.flags;
    digest.row.flags = flags.with(Flags::RACY, is_racy(file.stat.mtime_ns));
    Taken::New(Box::new(digest), passages)
}

/// Why a note cannot be read, without its name.
fn reason(error: &ReadError) -> String {
    match error {
        ReadError::Missing { .. } => "it is gone".to_owned(),
        ReadError::Outside { .. } => "it leads out of the vault".to_owned(),
        ReadError::NotText { at, .. } => format!("it is not UTF-8 text (byte {at})"),
        ReadError::Io { source, .. } => source.to_string(),
    }
}

/// Returns true if a file with this time may be written again without the time changing: the next
/// look has to read it.
fn is_racy(mtime_ns: i64) -> bool {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |age| age.as_nanos() as i64);
    mtime_ns.saturating_add(TICK_NS) > now
}

/// The files in the root that say what is a note, with their times.
pub(super) fn rules(vault: &Vault) -> Vec<(String, i64)> {
    [".memignore", ".gitignore", ".ignore", ".obsidian/app.json"]
        .iter()
        .filter_map(|name| {
            let metadata = std::fs::symlink_metadata(vault.root().join(name)).ok()?;
            let time = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
            Some(((*name).to_owned(), time.as_nanos() as i64))
        })
        .collect()
}

/// A folder's time, or one that no folder has if it changed just now: the next look lists it again.
#[must_use]
pub(super) fn folder_unless_racy((folder, time): (String, i64)) -> (String, i64) {
    (folder, if is_racy(time) { i64::MIN } else { time })
}
