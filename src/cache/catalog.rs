//! The catalog: index records of every note, in one LMDB file that processes read concurrently.
//!
//! Keys of the single unnamed database:
//!
//! ```text
//! m                        Meta (postcard)
//! r <slot u32 BE>          row: a `Row`, then the path
//! d <slot u32 BE>          details (postcard)
//! s <slot u32 BE>          segments of the body, u32 LE each, ascending (see [`segments`](crate::note::words::segments))
//! k <hash u64 BE> <slot>   empty; the note has this key (see [`IndexKey`])
//! n p t …                  prefix index of names, paths and tags (see [`prefix_index`])
//! ```
//!
//! Each value ends in a checksum that every read verifies. Branch pages have none; only
//! [`CatalogReader::verify`] detects the records that a damaged one hides.
//!
//! The catalog commits last, after the text index, with a higher generation. Entries that it does not confirm
//! do not exist. A file of another format, truncated or zeroed, is an error; the cache is then rebuilt.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use heed::types::Bytes;
use heed::{Database, Env, RoTxn, RwTxn, WithoutTls};
use rayon::prelude::*;

use super::error::{CacheError, Result};
use super::failpoint;
use super::key::{IndexKey, keys};
use super::lmdb;
use super::meta::{CacheMeta, FORMAT};
use super::prefix_index::{self, PrefixKind};
use super::row::{Details, DetailsHead, PassageRows, Row, Slot};
use super::sealed;
use crate::note::words::segments::SegmentHash;
use crate::note::{VaultPath, folded};

const FILE: &str = "catalog.mdb";

/// Key of the [`CacheMeta`].
const META_KEY: &[u8] = b"m";

/// Upper bound of a commit's disk space in bytes: fixed part, and per note.
const COMMIT_BYTES: u64 = 256 << 10;
const NOTE_BYTES: u64 = 8 << 10;

#[derive(Debug)]
pub struct Catalog {
    env: Env<WithoutTls>,
    db: Database<Bytes, Bytes>,
    folder: PathBuf,
}

impl Catalog {
    pub fn open(folder: &Path) -> Result<Self> {
        let env = lmdb::open(&folder.join(FILE))?;
        let txn = env.read_txn()?;
        let db = env
            .open_database(&txn, None)?
            .ok_or_else(|| CacheError::Damaged("the catalog has no table".to_owned()))?;
        txn.commit()?;
        let folder = folder.to_owned();
        let catalog = Self { env, db, folder };
        let found = catalog.read()?.meta()?.format;
        if found != FORMAT {
            return Err(CacheError::Format { found });
        }
        Ok(catalog)
    }

    /// Reserves disk space for changes of `notes` notes before any is made.
    pub fn reserve(&self, notes: usize) -> Result<()> {
        lmdb::reserve(
            &self.folder.join(FILE),
            COMMIT_BYTES + notes as u64 * NOTE_BYTES,
        )
    }

    /// Creates an empty catalog in `folder`.
    pub fn create(folder: &Path, meta: &CacheMeta) -> Result<Self> {
        let env = lmdb::create(&folder.join(FILE))?;
        let mut txn = env.write_txn()?;
        let db = env.create_database(&mut txn, None)?;
        txn.commit()?;
        let folder = folder.to_owned();
        let catalog = Self { env, db, folder };
        let mut writer = catalog.write()?;
        writer.set_meta(meta)?;
        writer.commit()?;
        Ok(catalog)
    }

    /// Returns a snapshot of the catalog; later commits do not change it.
    pub fn read(&self) -> Result<CatalogReader> {
        Ok(CatalogReader {
            txn: self.env.clone().static_read_txn()?,
            db: self.db,
        })
    }

    /// Begins a write transaction; waits for another one to end.
    pub fn write(&self) -> Result<CatalogWriter<'_>> {
        Ok(CatalogWriter {
            txn: self.env.write_txn()?,
            db: self.db,
            env: &self.env,
            folder: &self.folder,
        })
    }
}

/// A consistent snapshot of the catalog.
pub struct CatalogReader {
    txn: RoTxn<'static, WithoutTls>,
    db: Database<Bytes, Bytes>,
}

impl CatalogReader {
    pub fn meta(&self) -> Result<CacheMeta> {
        let bytes = self
            .db
            .get(&self.txn, META_KEY)?
            .ok_or_else(|| CacheError::Damaged("the catalog has no metadata".to_owned()))?;
        // The format is the first field, so that any version can be recognised.
        let (format, _) = postcard::take_from_bytes::<u32>(bytes).map_err(damaged)?;
        if format != FORMAT {
            return Ok(CacheMeta {
                format,
                ..CacheMeta::default()
            });
        }
        let bytes = sealed::open(META_KEY, bytes).ok_or_else(invalid_row)?;
        postcard::from_bytes(bytes).map_err(damaged)
    }

    /// Returns the verified value of `key`.
    #[inline]
    fn value(&self, key: &[u8]) -> Result<Option<&[u8]>> {
        unsealed(self.db, &self.txn, key)
    }

    /// Returns the row and path of `slot`.
    pub fn row(&self, slot: Slot) -> Result<Option<(Row, &str)>> {
        match self.value(&slot_key(b'r', slot))? {
            Some(bytes) => Row::decode(bytes).map(Some).ok_or_else(invalid_row),
            None => Ok(None),
        }
    }

    /// Returns the row of `slot` without its path, for scans over single fields.
    #[inline]
    pub fn fields(&self, slot: Slot) -> Result<Option<Row>> {
        match self.value(&slot_key(b'r', slot))? {
            Some(bytes) => Row::without_path(bytes).map(Some).ok_or_else(invalid_row),
            None => Ok(None),
        }
    }

    /// Returns the rows of the vector file with the passages of `slot`.
    pub fn rows(&self, slot: Slot) -> Result<Option<PassageRows>> {
        Ok(self.fields(slot)?.map(|row| row.rows))
    }

    /// Returns the details of `slot`; an error if there are none.
    pub fn details(&self, slot: Slot) -> Result<Option<Details>> {
        match self.value(&slot_key(b'd', slot))? {
            Some(bytes) => postcard::from_bytes(bytes).map(Some).map_err(damaged),
            None if self.fields(slot)?.is_some() => Err(invalid_row()),
            None => Ok(None),
        }
    }

    /// Returns the results of `each` for the heads of `slots`, in order. Reads sequentially, decodes on all
    /// cores.
    pub fn each_head<T: Send>(
        &self,
        slots: &[Slot],
        each: impl Fn(usize, DetailsHead<'_>) -> Result<T, postcard::Error> + Sync,
    ) -> Result<Vec<T>> {
        let mut details: Vec<&[u8]> = Vec::new();
        self.scan_details(|slot, bytes| {
            let slot = slot as usize;
            details.resize(details.len().max(slot + 1), &[]);
            details[slot] = bytes;
            Ok(())
        })?;
        let decoded = slots.par_iter().enumerate().map(|(place, slot)| {
            let bytes = details.get(*slot as usize).copied().unwrap_or_default();
            each(place, DetailsHead::of(bytes)?)
        });
        let decoded: Result<Vec<T>, postcard::Error> = decoded.collect();
        decoded.map_err(damaged)
    }

    /// Calls `each` with every slot and the head of its details, in slot order.
    pub fn scan_heads<'r>(
        &'r self,
        mut each: impl FnMut(Slot, DetailsHead<'r>) -> Result<(), postcard::Error>,
    ) -> Result<()> {
        self.scan_details(|slot, bytes| each(slot, DetailsHead::of(bytes)?))
    }

    fn scan_details<'r>(
        &'r self,
        mut each: impl FnMut(Slot, &'r [u8]) -> Result<(), postcard::Error>,
    ) -> Result<()> {
        let mut count = 0;
        for entry in self.db.prefix_iter(&self.txn, b"d")? {
            let (key, bytes) = entry?;
            let bytes = sealed::open(key, bytes).ok_or_else(invalid_row)?;
            each(last_slot(key)?, bytes).map_err(damaged)?;
            count += 1;
        }
        self.check_count(count)
    }

    /// Calls `each` with every slot, its row and its path, in slot order.
    pub fn scan<'r>(&'r self, mut each: impl FnMut(Slot, Row, &'r str)) -> Result<()> {
        let (mut count, mut next) = (0, 0);
        for entry in self.db.prefix_iter(&self.txn, b"r")? {
            let (key, bytes) = entry?;
            let slot = last_slot(key)?;
            let row = sealed::open(key, bytes).and_then(Row::decode);
            let (row, path) = row.filter(|_| slot >= next).ok_or_else(invalid_row)?;
            each(slot, row, path);
            (count, next) = (count + 1, slot.saturating_add(1));
        }
        self.check_count(count)
    }

    /// Fails unless the number of notes is `count`: a damaged page hides some of them.
    fn check_count(&self, count: u32) -> Result<()> {
        if count == self.meta()?.notes {
            Ok(())
        } else {
            Err(CacheError::Damaged(
                "notes are missing from the catalog".to_owned(),
            ))
        }
    }

    /// Verifies the checksum of every value, and the index keys of every note.
    pub fn verify(&self) -> Result<()> {
        let (mut wanted, mut beginning) = (0, 0);
        let mut tags: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
        let mut slots = Vec::new();
        self.scan(|slot, row, path| slots.push((slot, row, path)))?;
        for (slot, row, path) in slots {
            let path = VaultPath::new(path).map_err(|_| invalid_row())?;
            let details = self.details(slot)?.ok_or_else(invalid_row)?;
            for key in keys(&path, &row, &details) {
                self.db
                    .get(&self.txn, &key.bytes(slot))?
                    .ok_or_else(invalid_row)?;
                wanted += 1;
            }
            for (key, written) in prefix_index::note_keys(slot, &path, &details) {
                let is_it = self.value(&key)? == Some(written.as_bytes());
                is_it.then_some(()).ok_or_else(invalid_row)?;
                beginning += 1;
            }
            for key in prefix_index::tag_keys(&details).into_keys() {
                *tags.entry(key).or_default() += 1;
            }
        }
        for (key, notes) in &tags {
            let found = self.value(key)?.and_then(prefix_index::tag_count);
            (found == Some(*notes))
                .then_some(())
                .ok_or_else(invalid_row)?;
        }
        self.scan_segments(|_, _| ())?;
        let mut found = [0; 4];
        for (count, kind) in found.iter_mut().zip(["k", "n", "p", "t"]) {
            *count = self.db.prefix_iter(&self.txn, kind.as_bytes())?.count();
        }
        let [keys, names, paths, tag_keys] = found;
        if (keys, names + paths, tag_keys) == (wanted, beginning, tags.len()) {
            Ok(())
        } else {
            Err(invalid_row())
        }
    }

    /// Returns at most `limit` distinct texts that begin with `start`, ignoring case.
    pub fn beginning(&self, kind: PrefixKind, start: &str, most: usize) -> Result<Vec<String>> {
        let wanted = folded(start);
        let (mut found, mut known) = (Vec::new(), BTreeSet::new());
        for entry in self.db.prefix_iter(&self.txn, &kind.prefix(&wanted))? {
            let (key, bytes) = entry?;
            let value = sealed::open(key, bytes).ok_or_else(invalid_row)?;
            let written = kind.written(value).ok_or_else(invalid_row)?;
            if folded(written).starts_with(&wanted) && known.insert(written) {
                found.push(written.to_owned());
                if found.len() == most {
                    break;
                }
            }
        }
        Ok(found)
    }

    /// Calls `each` with every slot and each segment of its body.
    pub fn scan_segments(&self, mut each: impl FnMut(Slot, SegmentHash)) -> Result<()> {
        for entry in self.db.prefix_iter(&self.txn, b"s")? {
            let (key, bytes) = entry?;
            let slot = last_slot(key)?;
            let bytes = sealed::open(key, bytes).ok_or_else(invalid_row)?;
            for segment in bytes.as_chunks().0 {
                each(slot, SegmentHash::from_le_bytes(*segment));
            }
        }
        Ok(())
    }

    /// Returns the notes with `key`, in slot order. Hashes can collide: the caller compares the text.
    pub fn find(&self, key: IndexKey) -> Result<Vec<Slot>> {
        let bytes = key.bytes(0);
        let mut slots = Vec::new();
        for entry in self.db.prefix_iter(&self.txn, &bytes[..9])? {
            slots.push(last_slot(entry?.0)?);
        }
        Ok(slots)
    }

    /// Returns the slot of the note at `path`.
    pub fn at(&self, path: &VaultPath) -> Result<Option<Slot>> {
        for slot in self.find(IndexKey::path(path))? {
            let row = self.row(slot)?;
            if row.is_some_and(|(_, found)| found == path.as_str()) {
                return Ok(Some(slot));
            }
        }
        Ok(None)
    }
}

/// A note to be written to the catalog.
pub struct CatalogRecord {
    pub slot: Slot,
    pub path: VaultPath,
    pub row: Row,
    pub details: Details,
    pub segments: Vec<SegmentHash>,
}

/// A write transaction; dropping it discards all changes.
pub struct CatalogWriter<'c> {
    txn: RwTxn<'c>,
    db: Database<Bytes, Bytes>,
    env: &'c Env<WithoutTls>,
    folder: &'c Path,
}

impl CatalogWriter<'_> {
    /// Writes new notes in any order; their slots must be free.
    ///
    /// Writes in key order, which is several times faster than note by note.
    pub fn insert(&mut self, notes: &[CatalogRecord]) -> Result<()> {
        let mut entries = Vec::with_capacity(notes.len() * 12);
        let mut names = Vec::with_capacity(notes.len() * 2);
        let mut tags: BTreeMap<Vec<u8>, (&str, i32)> = BTreeMap::new();
        for note in notes {
            let bytes = note.row.encode(note.path.as_str());
            self.put_sealed(&slot_key(b'r', note.slot), bytes)?;
            let keys = keys(&note.path, &note.row, &note.details).into_iter();
            entries.extend(keys.map(|key| key.bytes(note.slot)));
            names.extend(prefix_index::note_keys(
                note.slot,
                &note.path,
                &note.details,
            ));
            for (key, tag) in prefix_index::tag_keys(&note.details) {
                tags.entry(key).or_insert((tag, 0)).1 += 1;
            }
        }
        for note in notes {
            let bytes = postcard::to_stdvec(&note.details).map_err(damaged)?;
            self.put_sealed(&slot_key(b'd', note.slot), bytes)?;
        }
        entries.sort_unstable();
        entries.iter().try_for_each(|entry| self.put(entry, &[]))?;
        names.sort_unstable();
        for (key, written) in names {
            self.put_sealed(&key, written.as_bytes().to_vec())?;
        }
        for (key, (tag, notes)) in tags {
            self.count_tag(&key, tag, notes)?;
        }
        for note in notes {
            let segments: Vec<u8> = note
                .segments
                .iter()
                .flat_map(|segment| segment.to_le_bytes())
                .collect();
            self.put_sealed(&slot_key(b's', note.slot), segments)?;
        }
        Ok(())
    }

    /// Adds `by` to the number of notes with a tag, and removes the tag at zero.
    fn count_tag(&mut self, key: &[u8], tag: &str, by: i32) -> Result<()> {
        let known = match unsealed(self.db, &self.txn, key)? {
            Some(bytes) => prefix_index::tag_count(bytes).ok_or_else(invalid_row)?,
            None => 0,
        };
        match known.checked_add_signed(by).ok_or_else(invalid_row)? {
            0 => {
                self.db.delete(&mut self.txn, key)?;
                Ok(())
            }
            notes => self.put_sealed(key, prefix_index::tag_value(notes, tag)),
        }
    }

    fn put_sealed(&mut self, key: &[u8], value: Vec<u8>) -> Result<()> {
        self.put(key, &sealed::seal(key, value))
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        Ok(self.db.put(&mut self.txn, key, value)?)
    }

    /// Changes the row of a note, except for fields that keys depend on.
    pub fn change(&mut self, slot: Slot, change: impl FnOnce(&mut Row)) -> Result<()> {
        let key = slot_key(b'r', slot);
        let Some(bytes) = unsealed(self.db, &self.txn, &key)? else {
            return Ok(());
        };
        let (mut row, path) = Row::decode(bytes).ok_or_else(invalid_row)?;
        change(&mut row);
        let changed = row.encode(path);
        self.put_sealed(&key, changed)
    }

    /// Removes the note of `slot`, if there is one.
    pub fn remove(&mut self, slot: Slot) -> Result<()> {
        let [row, details] = [b'r', b'd'].map(|kind| slot_key(kind, slot));
        let Some(bytes) = unsealed(self.db, &self.txn, &row)? else {
            return Ok(());
        };
        let (row, path) = Row::decode(bytes).ok_or_else(invalid_row)?;
        let path = VaultPath::new(path).map_err(|_| invalid_row())?;
        let details = match unsealed(self.db, &self.txn, &details)? {
            Some(bytes) => postcard::from_bytes(bytes).map_err(damaged)?,
            None => Details::default(),
        };
        for key in keys(&path, &row, &details) {
            self.db.delete(&mut self.txn, &key.bytes(slot))?;
        }
        for key in prefix_index::note_keys(slot, &path, &details).into_keys() {
            self.db.delete(&mut self.txn, &key)?;
        }
        for (key, tag) in prefix_index::tag_keys(&details) {
            self.count_tag(&key, tag, -1)?;
        }
        for kind in [b'r', b'd', b's'] {
            self.db.delete(&mut self.txn, &slot_key(kind, slot))?;
        }
        Ok(())
    }

    pub fn set_meta(&mut self, meta: &CacheMeta) -> Result<()> {
        let bytes = postcard::to_stdvec(meta).map_err(damaged)?;
        self.put_sealed(META_KEY, bytes)
    }

    pub fn commit(self) -> Result<()> {
        failpoint::pass(self.folder);
        self.txn.commit()?;
        failpoint::pass(self.folder);
        lmdb::extend(self.env, &self.folder.join(FILE))
    }
}

/// Returns the value of `key` after verifying its checksum.
#[inline]
fn unsealed<'t>(
    db: Database<Bytes, Bytes>,
    txn: &'t RoTxn<'_>,
    key: &[u8],
) -> Result<Option<&'t [u8]>> {
    let bytes = db.get(txn, key)?;
    bytes
        .map(|bytes| sealed::open(key, bytes).ok_or_else(invalid_row))
        .transpose()
}

fn slot_key(kind: u8, slot: Slot) -> [u8; 5] {
    let mut key = [kind; 5];
    key[1..].copy_from_slice(&slot.to_be_bytes());
    key
}

/// Returns the slot at the end of a key.
fn last_slot(key: &[u8]) -> Result<Slot> {
    let slot = key.last_chunk().ok_or_else(invalid_row)?;
    Ok(Slot::from_be_bytes(*slot))
}

fn invalid_row() -> CacheError {
    CacheError::Damaged("a row of the catalog is invalid".to_owned())
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it is the argument of map_err"
)]
fn damaged(error: postcard::Error) -> CacheError {
    CacheError::Damaged(error.to_string())
}
