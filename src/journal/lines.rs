//! JSON Lines files that each device appends to in its own folder.
//!
//! Every device reads the files of all devices. An invalid line costs only itself: a sync
//! tool may be writing it, or a power cut tore it. Copies that sync tools make of conflicting
//! versions are read as well (`decisions.sync-conflict-….jsonl`, `decisions 2.jsonl`).
//!
//! Lines are numbered: `"n"` is one more than the greatest number that the device has seen on any
//! device. A line written with knowledge of another one therefore sorts after it, regardless of
//! clocks. The clock orders lines with equal numbers and old lines without numbers. A later line of
//! one file always sorts after an earlier one.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::hash::Hash;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use xxhash_rust::xxh3::Xxh3;

use crate::vault::{if_found, own_files};

/// A record type with one file per device.
pub trait DeviceRecord: Serialize + DeserializeOwned {
    /// The name of the file.
    const FILE: &'static str;

    /// Identifies the record; a later line with the same key replaces an earlier one.
    type Key: Hash + Eq;

    fn key(&self) -> Self::Key;

    /// Adds an earlier record with the same key; returns whether that changed anything.
    fn join_earlier(&mut self, _earlier: Self) -> bool {
        false
    }
}

const EXTENSION: &str = ".jsonl";

/// Each time a file grows past a multiple of this many bytes, superseded lines are dropped.
const COMPACTION_INTERVAL_BYTES: u64 = 16 << 20;

/// The sort key of a line; `n` is 0 in lines from before there were numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(super) struct SortKey {
    #[serde(default, deserialize_with = "number")]
    n: u64,
    #[serde(default, deserialize_with = "time")]
    at: Option<Timestamp>,
}

/// Numbers from here up are ignored: no device reaches them, and adding to them could overflow.
const MAX_NUMBER: u64 = 1 << 53;

fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let number = Value::deserialize(deserializer)?.as_u64();
    Ok(number.filter(|number| *number < MAX_NUMBER).unwrap_or(0))
}

/// A time in an unknown format is ignored, because a later version may have written it; the line is
/// kept.
fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    let time = Value::deserialize(deserializer)?;
    Ok(time.as_str().and_then(|time| time.parse().ok()))
}

#[derive(Serialize)]
struct NumberedRecord<'a, T> {
    n: u64,
    #[serde(flatten)]
    record: &'a T,
}

/// Returns the records of all devices under `journal`, in order of precedence.
pub(super) fn load<T: DeviceRecord>(journal: &Path) -> io::Result<Vec<T>> {
    let mut records: Vec<(SortKey, T)> = Vec::new();
    for device in folders(journal)? {
        for path in files(&device, T::FILE)? {
            let bytes = read(&path)?;
            let parsed = keyed_lines(&bytes).filter_map(|(order, line)| {
                let record = serde_json::from_slice(line).ok()?;
                Some((order, record))
            });
            records.extend(parsed);
        }
    }
    records.sort_by_key(|(order, _)| *order);
    Ok(records.into_iter().map(|(_, record)| record).collect())
}

/// Returns the records of all devices, each with an index of its device, unordered.
pub(super) fn load_by_device<T: DeviceRecord>(journal: &Path) -> io::Result<Vec<(usize, T)>> {
    let mut records = Vec::new();
    for (number, device) in folders(journal)?.iter().enumerate() {
        for path in files(device, T::FILE)? {
            let bytes = read(&path)?;
            records.extend(parse_lines(&bytes).map(|record| (number, record)));
        }
    }
    Ok(records)
}

/// Returns the records in `device`, this machine's folder, including those in copies of the file.
pub(super) fn load_own<T: DeviceRecord>(device: &Path) -> io::Result<Vec<T>> {
    let mut records = Vec::new();
    for path in files(device, T::FILE)? {
        let bytes = read_own(&path)?;
        records.extend(parse_lines(&bytes));
    }
    Ok(records)
}

pub(super) fn parse_lines<T: DeserializeOwned>(bytes: &[u8]) -> impl Iterator<Item = T> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok())
}

/// Returns a hash that changes whenever one of these files changes on any device.
pub(super) fn stamp(journal: &Path, names: &[&str]) -> u64 {
    let mut hash = Xxh3::new();
    for device in folders(journal).unwrap_or_default() {
        for name in names {
            for path in files(&device, name).unwrap_or_default() {
                let Ok(found) = fs::symlink_metadata(&path) else {
                    continue;
                };
                hash.update(path.as_os_str().as_encoded_bytes());
                for number in [
                    found.len() as i64,
                    found.mtime(),
                    found.mtime_nsec(),
                    found.ino() as i64,
                ] {
                    hash.update(&number.to_le_bytes());
                }
            }
        }
    }
    hash.digest()
}

/// Returns the lines of a file that are records, with nondecreasing sort keys.
fn keyed_lines(bytes: &[u8]) -> impl Iterator<Item = (SortKey, &[u8])> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines
        .scan(SortKey::default(), |last, line| {
            let order: Option<SortKey> = serde_json::from_slice(line).ok();
            *last = order.map_or(*last, |order| order.max(*last));
            Some(order.map(|_| (*last, line)))
        })
        .flatten()
}

/// Returns the bytes of a file; anything but a file counts as empty.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    empty_if_missing(own_files::read_bytes(path))
}

/// Like [`read`], but without a size limit, because only this device can compact its file.
pub(super) fn read_own(path: &Path) -> io::Result<Vec<u8>> {
    empty_if_missing(own_files::read_up_to(u64::MAX, path))
}

fn empty_if_missing(read: io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
    use io::ErrorKind::{InvalidInput, NotFound};
    match read {
        Err(error) if matches!(error.kind(), NotFound | InvalidInput) => Ok(Vec::new()),
        read => read,
    }
}

/// Returns the folders of all devices, sorted by name, without symbolic links.
pub(super) fn folders(journal: &Path) -> io::Result<Vec<PathBuf>> {
    if !if_found(fs::symlink_metadata(journal))?.is_some_and(|found| found.is_dir()) {
        return Ok(Vec::new());
    }
    let mut folders = Vec::new();
    for entry in fs::read_dir(journal)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.push(entry.path());
        }
    }
    folders.sort();
    Ok(folders)
}

/// Returns the total size of the file on all devices, copies included; every append changes it.
pub fn bytes<T: DeviceRecord>(journal: &Path) -> u64 {
    let devices = folders(journal).unwrap_or_default();
    let bytes = devices.iter().map(|device| bytes_of(device, T::FILE));
    bytes.sum()
}

/// Returns the size of `file` of one device in bytes, copies included.
pub(super) fn bytes_of(device: &Path, file: &str) -> u64 {
    let files = files(device, file).unwrap_or_default();
    let lengths = files
        .iter()
        .filter_map(|path| fs::symlink_metadata(path).ok());
    lengths.map(|found| found.len()).sum()
}

/// Returns `file` in the folder of a device, then the copies that sync tools made of it.
fn files(device: &Path, file: &str) -> io::Result<Vec<PathBuf>> {
    let mut files = vec![device.join(file)];
    files.extend(copies(device, file)?);
    Ok(files)
}

/// Returns the copies that sync tools made of `file`: all of them keep the start of its name and
/// its extension.
pub(super) fn copies(device: &Path, file: &str) -> io::Result<Vec<PathBuf>> {
    let stem = file.strip_suffix(EXTENSION).unwrap_or(file);
    let mut copies = Vec::new();
    for entry in fs::read_dir(device)? {
        let entry = entry?;
        let name = entry.file_name();
        let rest = name.to_str().and_then(|name| name.strip_prefix(stem));
        let suffix = rest.and_then(|rest| rest.strip_suffix(EXTENSION));
        let is_copy =
            suffix.is_some_and(|suffix| suffix.starts_with(|c: char| !c.is_alphanumeric()));
        if is_copy && entry.file_type()?.is_file() {
            copies.push(entry.path());
        }
    }
    copies.sort();
    Ok(copies)
}

/// Returns files whose names contain `file` but that are not read, such as leftovers of merge tools
/// and editors (`decisions.jsonl.orig`).
pub(super) fn strays(device: &Path, file: &str) -> io::Result<Vec<PathBuf>> {
    let read = files(device, file)?;
    let mut strays = Vec::new();
    for entry in fs::read_dir(device)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.contains(file) && !read.contains(&path) {
            strays.push(path);
        }
    }
    strays.sort();
    Ok(strays)
}

/// Whether two different lines of a device share a number, so two machines write under its name.
pub(super) fn has_number_conflict(device: &Path, file: &str) -> io::Result<bool> {
    let mut known: HashMap<u64, Vec<u8>> = HashMap::new();
    for path in files(device, file)? {
        for line in read(&path)?.split(|byte| *byte == b'\n') {
            let Ok(SortKey { n: n @ 1.., .. }) = serde_json::from_slice(line) else {
                continue;
            };
            let other = known.insert(n, line.to_vec());
            if other.is_some_and(|other| other != line) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Appends records durably to their file in `device`, this machine's folder.
///
/// The last line with a key wins; earlier ones are dropped once the file has grown.
pub fn append<T: DeviceRecord>(device: &Path, records: &[T]) -> io::Result<()> {
    if records.is_empty() {
        return Ok(());
    }
    append_locked(&lock(device)?, device, records)
}

/// Like [`append`]; the caller holds the lock of `device`.
pub(super) fn append_locked<T: DeviceRecord>(
    lock: &File,
    device: &Path,
    records: &[T],
) -> io::Result<()> {
    if records.is_empty() {
        return Ok(());
    }
    let mut opened = own_files::append(&device.join(T::FILE))?;
    let mut lines = Vec::new();
    // A line left open by a power cut must not swallow the next one.
    let length = opened.metadata()?.len();
    if length > 0 {
        let mut last = [0];
        opened.seek(SeekFrom::Start(length - 1))?;
        opened.read_exact(&mut last)?;
        if last != *b"\n" {
            lines.push(b'\n');
        }
    }
    let mut n = last_number(device, T::FILE)?;
    for record in records {
        n = n.saturating_add(1);
        serde_json::to_writer(&mut lines, &NumberedRecord { n, record })?;
        lines.push(b'\n');
    }
    opened.write_all(&lines)?;
    opened.sync_data()?;
    if length / COMPACTION_INTERVAL_BYTES
        != (length + lines.len() as u64) / COMPACTION_INTERVAL_BYTES
    {
        compact::<T>(lock, device, |_| true)?;
    }
    Ok(())
}

/// Locks the files of this device against other processes until dropped.
pub(super) fn lock(device: &Path) -> io::Result<File> {
    let folder = File::open(device)?;
    folder.lock()?;
    Ok(folder)
}

/// Returns the greatest number that any device has used.
fn last_number(device: &Path, file: &str) -> io::Result<u64> {
    let mut greatest = 0;
    for folder in folders(device.parent().unwrap_or(device))? {
        for path in files(&folder, file)? {
            let bytes = if folder == device {
                read_own(&path)?
            } else {
                read(&path)?
            };
            let last = keyed_lines(&bytes).last();
            greatest = last.map_or(greatest, |(order, _)| greatest.max(order.n));
        }
    }
    Ok(greatest)
}

/// Merges the copies of a file in `device`, this machine's folder, into it and removes them.
///
/// Keeps the last line with each key, of the records to `keep`, joined with the earlier ones, and
/// makes numbers unique. Keeps lines that this version cannot parse, because a newer one may have
/// written them.
pub(super) fn compact<T: DeviceRecord>(
    _lock: &File,
    device: &Path,
    keep: impl Fn(&T) -> bool,
) -> io::Result<()> {
    let copies = copies(device, T::FILE)?;
    let path = device.join(T::FILE);
    let mut all: Vec<(SortKey, Vec<u8>)> = Vec::new();
    for path in [&path].into_iter().chain(&copies) {
        let bytes = read_own(path)?;
        all.extend(keyed_lines(&bytes).map(|(order, line)| (order, line.to_vec())));
    }
    if all.is_empty() && copies.is_empty() {
        return Ok(());
    }
    all.sort_by_key(|(order, _)| *order);
    let mut lines: Vec<(SortKey, Vec<u8>)> = Vec::new();
    let mut records: HashMap<T::Key, (usize, T)> = HashMap::new();
    let mut unread = HashSet::new();
    for (order, line) in all.into_iter().rev() {
        let Ok(record) = serde_json::from_slice::<T>(&line) else {
            if unread.insert(line.clone()) {
                lines.push((order, line));
            }
            continue;
        };
        if let Some((at, last)) = records.get_mut(&record.key()) {
            if last.join_earlier(record) {
                let n = lines[*at].0.n;
                lines[*at].1 = serde_json::to_vec(&NumberedRecord { n, record: last })?;
            }
        } else if keep(&record) {
            records.insert(record.key(), (lines.len(), record));
            lines.push((order, line));
        }
    }
    lines.reverse();
    let mut last = 0;
    let mut joined = Vec::new();
    for (order, line) in lines {
        let number = if order.n > last { order.n } else { last + 1 };
        if order.n == 0 || number == order.n {
            joined.extend(line);
        } else {
            let mut record: Map<String, Value> = serde_json::from_slice(&line)?;
            record.insert("n".to_owned(), number.into());
            serde_json::to_writer(&mut joined, &record)?;
        }
        last = if order.n == 0 { last } else { number };
        joined.push(b'\n');
    }
    own_files::write_atomically(&path, &joined)?;
    copies.iter().try_for_each(fs::remove_file)
}

/// Minimum size in bytes of a file that is compacted because of superseded lines.
pub(super) const MIN_COMPACTED_BYTES: u64 = 64 << 10;
/// Minimum ratio of all lines to live lines for that.
const MAX_LINES_PER_RECORD: usize = 2;

/// [Compacts](compact) the file if `always`, if it has copies, or if most lines are superseded.
pub(super) fn compact_if_needed<T: DeviceRecord>(
    lock: &File,
    device: &Path,
    always: bool,
) -> io::Result<()> {
    let is_long = !always && bytes_of(device, T::FILE) > MIN_COMPACTED_BYTES && {
        let records: Vec<T> = load_own(device)?;
        let living: HashSet<T::Key> = records.iter().map(T::key).collect();
        records.len() > MAX_LINES_PER_RECORD * living.len()
    };
    if always || is_long || !copies(device, T::FILE)?.is_empty() {
        compact::<T>(lock, device, |_| true)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_numbers_and_times_do_not_affect_order() {
        for (line, n, is_timed) in [
            (r#"{"n": 7, "at": "2026-01-05T12:00:00Z"}"#, 7, true),
            (r#"{"n": 18446744073709551615}"#, 0, false),
            (r#"{"n": "7", "at": 5}"#, 0, false),
            (r"{}", 0, false),
        ] {
            let order: SortKey = serde_json::from_str(line).unwrap();
            assert_eq!((order.n, order.at.is_some()), (n, is_timed), "{line}");
        }
    }
}
