//! The catalog: what is known of every note, in one LMDB file that any process can read at once.
//!
//! Keys of the one unnamed database:
//!
//! ```text
//! m                        Meta (postcard)
//! r <slot u32 BE>          row: a `Row`, then the path
//! d <slot u32 BE>          details (postcard)
//! k <hash u64 BE> <slot>   nothing; says that the note has this key (see [`Key`])
//! ```
//!
//! The catalog is committed last, after the text index, with a higher generation: what it does not
//! confirm does not exist. A file of another format, a truncated or zeroed one is an error that the
//! cache answers by building afresh.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use heed::types::Bytes;
use heed::{Database, Env, EnvFlags, EnvOpenOptions, RoTxn, RwTxn, WithoutTls};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::failpoint;
use super::row::{Details, Row, Rows, Slot};
use crate::note::letters::folded;
use crate::note::path::VaultPath;
use crate::vault::Stat;

/// Version of everything in the cache folder; any other is built afresh.
pub const FORMAT: u32 = 5;

/// Address space set aside for the map; the file grows only as far as it is used.
const MAP_SIZE: usize = 1 << 36;

/// How many of the notes changed last are looked at before each read.
pub const RECENT: usize = 256;

const FILE: &str = "catalog.mdb";

/// Why the catalog cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// There is none.
    #[error("there is no index yet")]
    Missing,
    /// Another version of mem wrote it.
    #[error("the index has format {found}, this mem writes {FORMAT}")]
    Format {
        /// The format that was found.
        found: u32,
    },
    /// Its bytes make no sense.
    #[error("the index is damaged: {0}")]
    Damaged(String),
    /// The file system refused.
    #[error("{path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
}

impl From<heed::Error> for CatalogError {
    fn from(error: heed::Error) -> Self {
        Self::Damaged(error.to_string())
    }
}

/// What is known of the vault as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// See [`FORMAT`].
    pub format: u32,
    /// Tells this cache from any other, so that a half-replaced one is noticed.
    pub instance: u64,
    /// Counts commits; the text index carries the same number.
    pub generation: u64,
    /// The next free slot.
    pub next_slot: Slot,
    /// Number of notes.
    pub notes: u32,
    /// Number of notes that are forgotten or have an end: those that a search may hide.
    pub hideable: u32,
    /// The names of all properties, and how many notes have each.
    pub properties: BTreeMap<String, u32>,
    /// The language of the text index's stems.
    pub language: String,
    /// Every folder with notes or folders in it, and its modification time before it was listed.
    pub folders: Vec<(String, i64)>,
    /// Files that say what is a note, and their modification times.
    pub rules: Vec<(String, i64)>,
    /// The notes changed last, newest first.
    pub recent: Vec<(i64, Slot)>,
    /// Files that look like notes but could not be read, and why.
    pub problems: Vec<(String, String)>,
    /// The vectors of passages; none were ever made where there is none.
    pub vectors: Option<VectorFile>,
    /// Notes whose passages have no vectors yet.
    pub pending: u32,
}

/// What the catalog knows of the vector file: only so much of it exists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorFile {
    /// Which of the files it is.
    pub number: u32,
    /// Its rows; what lies behind them was never committed.
    pub rows: u32,
    /// Of these, the rows of passages that notes have now.
    pub living: u32,
    /// The numbers of a vector.
    pub dims: u32,
    /// What the numbers mean.
    pub model: String,
}

/// A hash under which notes are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(u64);

impl Key {
    /// The exact path.
    #[must_use]
    pub fn path(path: &VaultPath) -> Self {
        Self(xxh3_64_with_seed(path.as_str().as_bytes(), 1))
    }

    /// A title, alias or id, whatever its case.
    #[must_use]
    pub fn name(name: &str) -> Self {
        Self(xxh3_64_with_seed(folded(name).as_bytes(), 2))
    }

    /// The file name without its ending, whatever its case.
    #[must_use]
    pub fn stem(stem: &str) -> Self {
        Self(xxh3_64_with_seed(folded(stem).as_bytes(), 3))
    }

    /// A link to some note of this stem.
    #[must_use]
    pub fn link(target: &str) -> Self {
        Self(xxh3_64_with_seed(folded(target_stem(target)).as_bytes(), 4))
    }

    /// A tag or one that it lies below, whatever its case: `a/b` has the keys of `a/b` and `a`.
    #[must_use]
    pub fn tag(tag: &str) -> Self {
        Self(xxh3_64_with_seed(folded(tag).as_bytes(), 6))
    }

    /// The body, by its normal hash.
    #[must_use]
    pub fn body(hash: u64) -> Self {
        Self(xxh3_64_with_seed(&hash.to_le_bytes(), 5))
    }

    fn bytes(self, slot: Slot) -> [u8; 13] {
        let mut bytes = [b'k'; 13];
        bytes[1..9].copy_from_slice(&self.0.to_be_bytes());
        bytes[9..].copy_from_slice(&slot.to_be_bytes());
        bytes
    }
}

/// Returns the last part of a link target, without `.md`.
#[must_use]
pub fn target_stem(target: &str) -> &str {
    let name = target.rsplit(['/', '\\']).next().unwrap_or(target);
    match name
        .len()
        .checked_sub(3)
        .and_then(|cut| name.split_at_checked(cut))
    {
        Some((stem, ending)) if ending.eq_ignore_ascii_case(".md") => stem,
        _ => name,
    }
}

/// Every key of a note.
fn keys(path: &VaultPath, row: &Row, details: &Details) -> Vec<Key> {
    let mut keys = vec![Key::path(path), Key::stem(path.stem())];
    if details.titled {
        keys.push(Key::name(&details.title));
    }
    keys.extend(details.id.as_deref().map(Key::name));
    keys.extend(details.aliases.iter().map(|alias| Key::name(alias)));
    keys.extend(details.links.iter().map(|link| Key::link(&link.target)));
    for tag in &details.tags {
        let above = tag.match_indices('/').map(|(end, _)| &tag[..end]);
        keys.extend(above.chain([tag.as_str()]).map(Key::tag));
    }
    if row.body != 0 {
        keys.push(Key::body(row.body));
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The open catalog.
#[derive(Debug)]
pub struct Catalog {
    env: Env<WithoutTls>,
    db: Database<Bytes, Bytes>,
    folder: PathBuf,
}

impl Catalog {
    /// Opens the catalog in `folder`.
    pub fn open(folder: &Path) -> Result<Self, CatalogError> {
        let file = folder.join(FILE);
        let size = match fs::metadata(&file) {
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(CatalogError::Missing);
            }
            Err(source) => return Err(CatalogError::Io { path: file, source }),
        };
        if size == 0 {
            return Err(CatalogError::Damaged("the catalog is empty".to_owned()));
        }
        let env = environment(&file)?;
        // Pages past the end of the file would end the process with SIGBUS when touched.
        let pages = env.info().last_page_number as u64 + 1;
        if pages * page_size(&file)? > size {
            return Err(CatalogError::Damaged(
                "the catalog was cut short".to_owned(),
            ));
        }
        let txn = env.read_txn()?;
        let db = env
            .open_database(&txn, None)?
            .ok_or_else(|| CatalogError::Damaged("the catalog has no table".to_owned()))?;
        txn.commit()?;
        let folder = folder.to_owned();
        let catalog = Self { env, db, folder };
        let found = catalog.read()?.meta()?.format;
        if found != FORMAT {
            return Err(CatalogError::Format { found });
        }
        Ok(catalog)
    }

    /// Makes an empty catalog in `folder`, which has none.
    pub fn create(folder: &Path, meta: &Meta) -> Result<Self, CatalogError> {
        let env = environment(&folder.join(FILE))?;
        let mut txn = env.write_txn()?;
        let db = env.create_database(&mut txn, None)?;
        txn.commit()?;
        let folder = folder.to_owned();
        let catalog = Self { env, db, folder };
        let mut writing = catalog.write()?;
        writing.set_meta(meta)?;
        writing.commit()?;
        Ok(catalog)
    }

    /// Returns a picture of the catalog at this moment; later commits do not change it.
    pub fn read(&self) -> Result<Reading, CatalogError> {
        Ok(Reading {
            txn: self.env.clone().static_read_txn()?,
            db: self.db,
        })
    }

    /// Begins a change; waits for another one under way.
    pub fn write(&self) -> Result<Writing<'_>, CatalogError> {
        Ok(Writing {
            txn: self.env.write_txn()?,
            db: self.db,
            folder: &self.folder,
        })
    }
}

/// Opens the file; where nothing can be written there, for reading only.
fn environment(file: &Path) -> Result<Env<WithoutTls>, CatalogError> {
    let flags = EnvFlags::NO_SUB_DIR | EnvFlags::NO_READ_AHEAD;
    let read_only = flags | EnvFlags::READ_ONLY | EnvFlags::NO_LOCK;
    let env = match open(file, flags) {
        Err(heed::Error::Io(error)) if cannot_write(&error) => open(file, read_only),
        env => env,
    };
    env.map_err(|error| match error {
        heed::Error::Io(source) => CatalogError::Io {
            path: file.to_owned(),
            source,
        },
        other => CatalogError::Damaged(other.to_string()),
    })
}

fn open(file: &Path, flags: EnvFlags) -> Result<Env<WithoutTls>, heed::Error> {
    let mut options = EnvOpenOptions::new().read_txn_without_tls();
    options.map_size(MAP_SIZE).max_readers(512);
    // SAFETY: the file lies in a folder that only mem writes to, always through LMDB and its lock
    // file; replacing the cache removes the whole folder and never rewrites a mapped file. Without
    // the lock file it is only read, where nobody can write.
    #[expect(unsafe_code, reason = "a mapped file is the point of LMDB")]
    unsafe {
        options.flags(flags);
        options.open(file)
    }
}

/// Returns true for what a system says where nothing can be written.
#[must_use]
pub fn cannot_write(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
    )
}

/// Reads the page size that the file was made with from its first meta page.
fn page_size(file: &Path) -> Result<u64, CatalogError> {
    // Meta page: 16 bytes of page header, magic u32, version u32, address 8, map size 8, then the
    // table of free pages, whose first field LMDB uses for the page size.
    const AT: usize = 16 + 4 + 4 + 8 + 8;
    let io = |source| CatalogError::Io {
        path: file.to_owned(),
        source,
    };
    let mut head = [0; AT + 4];
    std::io::Read::read_exact(&mut fs::File::open(file).map_err(io)?, &mut head).map_err(io)?;
    let size = u32::from_ne_bytes([head[AT], head[AT + 1], head[AT + 2], head[AT + 3]]);
    if size.is_power_of_two() && (512..=65536).contains(&size) {
        Ok(size.into())
    } else {
        Err(CatalogError::Damaged(format!(
            "the catalog claims pages of {size} bytes"
        )))
    }
}

/// One consistent picture of the catalog.
pub struct Reading {
    txn: RoTxn<'static, WithoutTls>,
    db: Database<Bytes, Bytes>,
}

impl Reading {
    /// Returns what is known of the whole vault.
    pub fn meta(&self) -> Result<Meta, CatalogError> {
        let bytes = self
            .db
            .get(&self.txn, b"m")?
            .ok_or_else(|| CatalogError::Damaged("the catalog has no head".to_owned()))?;
        // The format is the first field, so that a catalog of any version can say which.
        let (format, _) = postcard::take_from_bytes::<u32>(bytes).map_err(damaged)?;
        if format != FORMAT {
            return Ok(Meta {
                format,
                ..Meta::default()
            });
        }
        postcard::from_bytes(bytes).map_err(damaged)
    }

    /// Returns the row and path of `slot`.
    pub fn row(&self, slot: Slot) -> Result<Option<(Row, &str)>, CatalogError> {
        match self.db.get(&self.txn, &slot_key(b'r', slot))? {
            Some(bytes) => Row::decode(bytes).map(Some).ok_or_else(bad_row),
            None => Ok(None),
        }
    }

    /// Returns the row of `slot` without its path, for those who look at a field of many notes.
    #[inline]
    pub fn fields(&self, slot: Slot) -> Result<Option<Row>, CatalogError> {
        match self.db.get(&self.txn, &slot_key(b'r', slot))? {
            Some(bytes) => Row::without_path(bytes).map(Some).ok_or_else(bad_row),
            None => Ok(None),
        }
    }

    /// Returns which rows of the vector file are the passages of `slot`.
    pub fn rows(&self, slot: Slot) -> Result<Option<Rows>, CatalogError> {
        Ok(self.fields(slot)?.map(|row| row.rows))
    }

    /// Returns the details of `slot`.
    pub fn details(&self, slot: Slot) -> Result<Option<Details>, CatalogError> {
        self.db
            .get(&self.txn, &slot_key(b'd', slot))?
            .map(|bytes| postcard::from_bytes(bytes).map_err(damaged))
            .transpose()
    }

    /// Returns the title and the other names of `slot`, read without the rest of its details.
    pub fn names(&self, slot: Slot) -> Result<Vec<String>, CatalogError> {
        let Some(bytes) = self.db.get(&self.txn, &slot_key(b'd', slot))? else {
            return Ok(Vec::new());
        };
        Details::names(bytes).map_err(damaged)
    }

    /// Calls `each` with every slot and the bytes of its row, in the order of slots.
    pub fn scan<'r>(&'r self, mut each: impl FnMut(Slot, &'r [u8])) -> Result<(), CatalogError> {
        for entry in self.db.prefix_iter(&self.txn, b"r")? {
            let (key, bytes) = entry?;
            let slot = key
                .get(1..5)
                .and_then(|key| key.try_into().ok())
                .ok_or_else(bad_row)?;
            each(Slot::from_be_bytes(slot), bytes);
        }
        Ok(())
    }

    /// Returns the notes that have `key`, in the order of slots. Hashes can collide: the caller
    /// compares the text.
    pub fn find(&self, key: Key) -> Result<Vec<Slot>, CatalogError> {
        let bytes = key.bytes(0);
        let mut slots = Vec::new();
        for entry in self.db.prefix_iter(&self.txn, &bytes[..9])? {
            let (key, _) = entry?;
            let slot = key
                .get(9..13)
                .and_then(|key| key.try_into().ok())
                .ok_or_else(bad_row)?;
            slots.push(Slot::from_be_bytes(slot));
        }
        Ok(slots)
    }

    /// Returns the slot of the note at `path`.
    pub fn at(&self, path: &VaultPath) -> Result<Option<Slot>, CatalogError> {
        for slot in self.find(Key::path(path))? {
            if self
                .row(slot)?
                .is_some_and(|(_, found)| found == path.as_str())
            {
                return Ok(Some(slot));
            }
        }
        Ok(None)
    }
}

/// A change of the catalog that is under way; dropped, nothing happened.
pub struct Writing<'c> {
    txn: RwTxn<'c>,
    db: Database<Bytes, Bytes>,
    folder: &'c Path,
}

impl Writing<'_> {
    /// Writes the note of `slot`, replacing what was there.
    pub fn put(
        &mut self,
        slot: Slot,
        path: &VaultPath,
        row: &Row,
        details: &Details,
    ) -> Result<(), CatalogError> {
        self.remove(slot)?;
        let bytes = row.encode(path.as_str());
        self.db.put(&mut self.txn, &slot_key(b'r', slot), &bytes)?;
        let bytes = postcard::to_stdvec(details).map_err(damaged)?;
        self.db.put(&mut self.txn, &slot_key(b'd', slot), &bytes)?;
        for key in keys(path, row, details) {
            self.db.put(&mut self.txn, &key.bytes(slot), &[])?;
        }
        Ok(())
    }

    /// Writes many new notes at once, in any order; none of their slots is in use.
    ///
    /// Sorting the keys first makes this several times faster than one [`Self::put`] each.
    pub fn fill(&mut self, notes: &[(Slot, VaultPath, Row, Details)]) -> Result<(), CatalogError> {
        let mut found = Vec::with_capacity(notes.len() * 12);
        for (slot, path, row, details) in notes {
            let bytes = row.encode(path.as_str());
            self.db.put(&mut self.txn, &slot_key(b'r', *slot), &bytes)?;
            found.extend(
                keys(path, row, details)
                    .into_iter()
                    .map(|key| key.bytes(*slot)),
            );
        }
        for (slot, _, _, details) in notes {
            let bytes = postcard::to_stdvec(details).map_err(damaged)?;
            self.db.put(&mut self.txn, &slot_key(b'd', *slot), &bytes)?;
        }
        found.sort_unstable();
        for key in found {
            self.db.put(&mut self.txn, &key, &[])?;
        }
        Ok(())
    }

    /// Sets only size and time of a note whose content is as before.
    pub fn touch(&mut self, slot: Slot, stat: Stat, is_racy: bool) -> Result<(), CatalogError> {
        self.change(slot, |row| row.touch(stat, is_racy))
    }

    /// Sets only which rows of the vector file are the passages of a note.
    pub fn set_rows(&mut self, slot: Slot, rows: Rows) -> Result<(), CatalogError> {
        self.change(slot, |row| row.rows = rows)
    }

    /// Changes what no key is made of.
    fn change(&mut self, slot: Slot, change: impl FnOnce(&mut Row)) -> Result<(), CatalogError> {
        let key = slot_key(b'r', slot);
        let Some(bytes) = self.db.get(&self.txn, &key)? else {
            return Ok(());
        };
        let (mut row, path) = Row::decode(bytes).ok_or_else(bad_row)?;
        change(&mut row);
        let changed = row.encode(path);
        self.db.put(&mut self.txn, &key, &changed)?;
        Ok(())
    }

    /// Removes the note of `slot`, if there is one.
    pub fn remove(&mut self, slot: Slot) -> Result<(), CatalogError> {
        let Some(bytes) = self.db.get(&self.txn, &slot_key(b'r', slot))? else {
            return Ok(());
        };
        let (row, path) = Row::decode(bytes).ok_or_else(bad_row)?;
        let path = VaultPath::new(path).map_err(|_| bad_row())?;
        let details = match self.db.get(&self.txn, &slot_key(b'd', slot))? {
            Some(bytes) => postcard::from_bytes(bytes).map_err(damaged)?,
            None => Details::default(),
        };
        for key in keys(&path, &row, &details) {
            self.db.delete(&mut self.txn, &key.bytes(slot))?;
        }
        self.db.delete(&mut self.txn, &slot_key(b'r', slot))?;
        self.db.delete(&mut self.txn, &slot_key(b'd', slot))?;
        Ok(())
    }

    /// Writes what is known of the whole vault.
    pub fn set_meta(&mut self, meta: &Meta) -> Result<(), CatalogError> {
        let bytes = postcard::to_stdvec(meta).map_err(damaged)?;
        self.db.put(&mut self.txn, b"m", &bytes)?;
        Ok(())
    }

    /// Makes it so, durably.
    pub fn commit(self) -> Result<(), CatalogError> {
        failpoint::pass(self.folder);
        self.txn.commit()?;
        failpoint::pass(self.folder);
        Ok(())
    }
}

fn slot_key(kind: u8, slot: Slot) -> [u8; 5] {
    let mut key = [kind; 5];
    key[1..].copy_from_slice(&slot.to_be_bytes());
    key
}

fn bad_row() -> CatalogError {
    CatalogError::Damaged("a row of the catalog makes no sense".to_owned())
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it is the argument of map_err"
)]
fn damaged(error: postcard::Error) -> CatalogError {
    CatalogError::Damaged(error.to_string())
}
