//! Events since the last update of the journal: `events`, one per line, on this machine only.
//!
//! ```json
//! {"k":"recalled","at":1763704740,"notes":["a.md","b.md"]}
//! ```
//!
//! A command that only reads appends its line with one write, not synced, that no other process can
//! interleave. A torn line, a full disk or a read-only disk costs only that event.

use std::fs::{self, File, Metadata};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::lines::{self, read_own};
use crate::note::VaultPath;
use crate::vault::{if_found, own_files};

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// A search returned the note.
    Listed,
    /// A recall printed it, or a program read it.
    Recalled,
    /// A person read it.
    Shown,
    /// A person opened it in an editor.
    Edited,
    /// Its body changed outside of mem.
    Changed,
    /// A note changed outside of mem now links to it.
    Linked,
    /// It proved useful or useless.
    Reinforced,
    /// A person or an agent confirmed that it is still true.
    Confirmed,
    /// mem wrote these texts; not an external change.
    Wrote,
    /// It was renamed.
    Moved,
    /// Another note absorbed it.
    Merged,
    /// It moved to the trash.
    Trashed,
    /// It was restored, or its merge was undone.
    Returned,
    /// A note was added or rewritten by anything but maintenance.
    Ingested,
}

/// One line of `events`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UsageEvent {
    #[serde(rename = "k")]
    pub kind: EventKind,
    /// Seconds since 1970.
    pub at: i64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Hashes of the changed notes' contents, in the order of `notes`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<TextHash>,
    /// The new path of the note, or the note that absorbed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// From −1 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reward: Option<f64>,
    /// The question that the note answered, as given by the caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
}

/// A hash serialized as text, because some JSON readers round large numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextHash(pub u64);

impl Serialize for TextHash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:x}", self.0))
    }
}

impl<'de> Deserialize<'de> for TextHash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let hash = u64::from_str_radix(&text, 16);
        hash.map(Self).map_err(serde::de::Error::custom)
    }
}

impl UsageEvent {
    /// Returns an event of this kind for `notes`.
    pub fn new<'n>(
        kind: EventKind,
        at: i64,
        notes: impl IntoIterator<Item = &'n VaultPath>,
    ) -> Self {
        Self {
            kind,
            at,
            notes: notes.into_iter().map(ToString::to_string).collect(),
            texts: Vec::new(),
            to: None,
            reward: None,
            question: None,
        }
    }

    /// Returns the event without the matching notes, or `None` if no note remains.
    fn without(mut self, is_forgotten: impl Fn(&str) -> bool) -> Option<Self> {
        let kept: Vec<bool> = self.notes.iter().map(|note| !is_forgotten(note)).collect();
        let mut keeps = kept.iter();
        self.notes.retain(|_| *keeps.next().unwrap_or(&true));
        let mut keeps = kept.iter();
        self.texts.retain(|_| *keeps.next().unwrap_or(&true));
        (!self.notes.is_empty()).then_some(self)
    }
}

/// The last line of a batch.
#[derive(Serialize, Deserialize)]
struct BatchFooter {
    batch: TextHash,
}

/// Above this many bytes of pending events the next writer adds them to the journal.
pub const MAX_PENDING_BYTES: u64 = 256 << 10;

/// The pending events of one vault on this machine.
#[derive(Clone, Debug)]
pub struct Events {
    file: PathBuf,
    /// The batch in progress, or one left by a crash.
    batch_file: PathBuf,
}

impl Events {
    /// Returns the events in `state`, the vault's folder in the state home.
    pub fn of(state: &Path) -> Self {
        Self {
            file: state.join("events"),
            batch_file: state.join("events.taken"),
        }
    }

    /// Appends `events`. Each line begins with a line break, so a torn line damages no other.
    pub fn append(&self, events: &[UsageEvent]) -> io::Result<()> {
        self.write(events).map(drop)
    }

    /// Like [`Self::append`], but survives a power cut once the folder is synced.
    pub fn append_synced(&self, events: &[UsageEvent]) -> io::Result<()> {
        self.write(events)?.map_or(Ok(()), |file| file.sync_data())
    }

    fn write(&self, events: &[UsageEvent]) -> io::Result<Option<File>> {
        if events.is_empty() {
            return Ok(None);
        }
        let mut lines = Vec::new();
        for event in events {
            lines.push(b'\n');
            serde_json::to_writer(&mut lines, event)?;
        }
        lines.push(b'\n');
        let mut file = match self.open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(self.file.parent().unwrap_or(Path::new(".")))?;
                self.open()?
            }
            opened => opened?,
        };
        file.write_all(&lines)?;
        Ok(Some(file))
    }

    /// Opens the file and locks it against removal until the line is written.
    fn open(&self) -> io::Result<File> {
        loop {
            let file = own_files::open_log(&self.file)?;
            // On disks without locks the line may be lost with the file.
            let is_locked = file.lock_shared().is_ok();
            let own = file.metadata()?;
            match fs::symlink_metadata(&self.file) {
                Ok(found) if found.ino() == own.ino() => return Ok(file),
                // Another process removed it in between.
                _ if is_locked => {}
                _ => return Ok(file),
            }
        }
    }

    /// Returns the size of the pending events in bytes.
    pub fn bytes(&self) -> u64 {
        let length = |path| fs::symlink_metadata(path).map_or(0, |found| found.len());
        length(&self.file) + length(&self.batch_file)
    }

    /// Returns the pending events, oldest first.
    pub fn waiting(&self) -> io::Result<Vec<UsageEvent>> {
        let mut events = Vec::new();
        for file in [&self.batch_file, &self.file] {
            events.extend(lines::parse_lines(&read_own(file)?));
        }
        Ok(events)
    }

    /// Whether a batch is in progress or was left by a crash.
    pub fn has_batch(&self) -> bool {
        self.batch_file.exists()
    }

    /// Returns the next batch of events, or `None` if there are none.
    ///
    /// A batch left by a crash comes first. The caller holds the lock of the device's journal and
    /// finishes the batch with [`EventBatch::done`].
    pub fn take(&self) -> io::Result<Option<EventBatch>> {
        if !self.has_batch() {
            let Some(mut file) = self.open_exclusive()? else {
                return Ok(None);
            };
            // The batch contains its own number, which stays the same when its lines are rewritten.
            let id = batch_id(&read_own(&self.file)?, &file.metadata()?);
            let number = serde_json::to_string(&BatchFooter { batch: id })?;
            file.write_all(format!("\n{number}\n").as_bytes())?;
            // A tally names the batches it contains, so a power cut must not change this one.
            file.sync_all()?;
            fs::rename(&self.file, &self.batch_file)?;
            sync_folder(&self.batch_file)?;
        }
        let bytes = read_own(&self.batch_file)?;
        let mut numbers =
            nonempty_lines(&bytes).filter_map(|line| serde_json::from_slice(line).ok());
        let id = match numbers.next_back() {
            Some(BatchFooter { batch }) => batch,
            None => batch_id(&bytes, &fs::symlink_metadata(&self.batch_file)?),
        };
        Ok(Some(EventBatch {
            events: lines::parse_lines(&bytes).collect(),
            id,
            file: self.batch_file.clone(),
        }))
    }

    /// Drops the matching notes from the pending events. The caller holds the lock of the device's
    /// journal.
    pub fn forget(&self, is_forgotten: impl Fn(&str) -> bool) -> io::Result<()> {
        // Keeps others from appending to a file that is about to be replaced.
        let _exclusive = self.open_exclusive()?;
        for path in [&self.file, &self.batch_file] {
            let bytes = read_own(path)?;
            let (mut kept, mut is_changed) = (Vec::with_capacity(bytes.len()), false);
            for line in nonempty_lines(&bytes) {
                let event = serde_json::from_slice::<UsageEvent>(line).ok();
                let meant = event.filter(|event| event.notes.iter().any(|note| is_forgotten(note)));
                let Some(event) = meant else {
                    kept.extend(line);
                    kept.push(b'\n');
                    continue;
                };
                is_changed = true;
                if let Some(event) = event.without(&is_forgotten) {
                    serde_json::to_writer(&mut kept, &event)?;
                    kept.push(b'\n');
                }
            }
            if is_changed {
                own_files::write_atomically(path, &kept)?;
            }
        }
        Ok(())
    }

    /// Opens the file of pending events exclusively, after current writers finish; `None` if it
    /// does not exist.
    fn open_exclusive(&self) -> io::Result<Option<File>> {
        if if_found(fs::symlink_metadata(&self.file))?.is_none() {
            return Ok(None);
        }
        let file = own_files::open_log(&self.file)?;
        match file.lock() {
            Ok(()) => Ok(Some(file)),
            // On disks without locks, a line that is being written may be lost.
            Err(error) if is_without_locks(&error) => Ok(Some(file)),
            Err(error) => Err(error),
        }
    }
}

/// Events on their way into the journal.
#[derive(Debug)]
pub struct EventBatch {
    pub events: Vec<UsageEvent>,
    /// Identifies the batch, so a tally can skip events that it already contains.
    pub id: TextHash,
    file: PathBuf,
}

impl EventBatch {
    /// Removes the file after its events are in the journal.
    pub fn done(self) -> io::Result<()> {
        fs::remove_file(&self.file)?;
        sync_folder(&self.file)
    }
}

fn is_without_locks(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported
        || error.raw_os_error() == Some(Errno::NOLCK.raw_os_error())
}

fn sync_folder(file: &Path) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Returns a number for a batch. Equal batches differ by their time of modification.
fn batch_id(bytes: &[u8], file: &Metadata) -> TextHash {
    let written = (file.mtime() as u64).rotate_left(32) ^ file.mtime_nsec() as u64;
    TextHash(xxh3_64_with_seed(bytes, written))
}

fn nonempty_lines(bytes: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(note: &str, at: i64) -> UsageEvent {
        UsageEvent::new(EventKind::Recalled, at, [&VaultPath::new(note).unwrap()])
    }

    #[test]
    fn a_torn_line_loses_only_itself() {
        let home = tempfile::tempdir().unwrap();
        let events = Events::of(&home.path().join("new"));
        events.append(&[event("a.md", 1)]).unwrap();
        let mut torn = fs::read(&events.file).unwrap();
        torn.extend(b"\n{\"k\":\"shown\",\"at\":2,\"notes\":[\"b\xc3");
        fs::write(&events.file, torn).unwrap();
        events
            .append(&[event("c.md", 3), event("d.md", 4)])
            .unwrap();
        let read: Vec<String> = events
            .waiting()
            .unwrap()
            .into_iter()
            .flat_map(|event| event.notes)
            .collect();
        assert_eq!(read, ["a.md", "c.md", "d.md"]);
    }

    #[test]
    fn a_batch_left_by_a_crash_comes_first() {
        let home = tempfile::tempdir().unwrap();
        let events = Events::of(home.path());
        assert!(events.take().unwrap().is_none());
        events.append(&[event("a.md", 1)]).unwrap();
        let first = events.take().unwrap().unwrap();
        events.append(&[event("b.md", 2)]).unwrap();
        assert_eq!(events.waiting().unwrap().len(), 2);
        let again = events.take().unwrap().unwrap();
        assert_eq!((again.id, &again.events), (first.id, &first.events));
        again.done().unwrap();
        let next = events.take().unwrap().unwrap();
        assert_eq!(next.events, [event("b.md", 2)]);
        next.done().unwrap();
        assert_eq!(events.bytes(), 0);
    }

    #[test]
    fn forgotten_notes_are_removed_from_all_files() {
        let home = tempfile::tempdir().unwrap();
        let events = Events::of(home.path());
        let both = UsageEvent {
            notes: vec!["a.md".to_owned(), "b.md".to_owned()],
            texts: vec![TextHash(1), TextHash(2)],
            ..event("a.md", 1)
        };
        events.append(std::slice::from_ref(&both)).unwrap();
        let before = events.take().unwrap().unwrap().id;
        events.append(&[both.clone(), event("a.md", 2)]).unwrap();
        events.forget(|note| note == "a.md").unwrap();
        // Tallies that already contain the batch still recognise it.
        assert_eq!(events.take().unwrap().unwrap().id, before);
        let left = UsageEvent {
            notes: vec!["b.md".to_owned()],
            texts: vec![TextHash(2)],
            ..both
        };
        assert_eq!(events.waiting().unwrap(), [left.clone(), left]);
    }
}
