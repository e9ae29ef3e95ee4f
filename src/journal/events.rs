//! What happened to notes since it was last taken into the journal: `events`, on this machine alone, one
//! event a line.
//!
//! ```json
//! {"k":"recalled","at":1763704740,"notes":["a.md","b.md"]}
//! ```
//!
//! A command that only reads appends its line and is done: one write that no other process can come in
//! between, not synced. A line that is torn, and a disk that is full or read-only, cost only the event.

use std::fs::{self, File, Metadata};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::lines::{self, read_own};
use crate::note::path::VaultPath;
use crate::vault::fs::if_found;
use crate::vault::own;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A search found it.
    Listed,
    /// A recall printed it, or a program read it.
    Recalled,
    /// A person read it.
    Shown,
    /// A person had it open in an editor.
    Edited,
    /// Its body was changed outside of mem.
    Changed,
    /// A note that was changed outside of mem links to it now.
    Linked,
    /// It proved useful, or useless.
    Reinforced,
    /// It is still true.
    Confirmed,
    /// mem wrote these texts: they are no change from outside.
    Wrote,
    /// It has another name.
    Moved,
    /// Another note took it in.
    Merged,
    /// It went to the trash.
    Trashed,
    /// It came back from there.
    Returned,
    /// Some note came in or was written anew, by whatever hand but that of maintenance.
    Ingested,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    #[serde(rename = "k")]
    pub kind: Kind,
    /// In seconds since 1970.
    pub at: i64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Hashes of what changed notes say, each beside its note.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<TextHash>,
    /// Where the note is now, or what took it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// From −1 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reward: Option<f64>,
    /// What the note was useful for, in the words of whoever said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
}

/// A hash as text: a number in JSON is not read to its last digit everywhere.
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

impl Event {
    /// Returns the event that `kind` happened to `notes`.
    #[must_use]
    pub fn new<'n>(kind: Kind, at: i64, notes: impl IntoIterator<Item = &'n VaultPath>) -> Self {
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

    /// Returns the event as it is without the notes that are meant; `None` if it says nothing then.
    fn without(mut self, is_meant: impl Fn(&str) -> bool) -> Option<Self> {
        let kept: Vec<bool> = self.notes.iter().map(|note| !is_meant(note)).collect();
        let mut keeps = kept.iter();
        self.notes.retain(|_| *keeps.next().unwrap_or(&true));
        let mut keeps = kept.iter();
        self.texts.retain(|_| *keeps.next().unwrap_or(&true));
        (!self.notes.is_empty()).then_some(self)
    }
}

/// The last line of a batch.
#[derive(Serialize, Deserialize)]
struct Numbered {
    batch: TextHash,
}

/// How many bytes of events are worth taking in at the next occasion.
pub const MANY: u64 = 256 << 10;

/// The events of one vault on this machine.
#[derive(Clone, Debug)]
pub struct Events {
    file: PathBuf,
    /// What is being taken in, or was when a process died.
    taking_in: PathBuf,
}

impl Events {
    /// Returns the events that are kept in `state`, the folder of the vault in the state home.
    #[must_use]
    pub fn of(state: &Path) -> Self {
        Self {
            file: state.join("events"),
            taking_in: state.join("events.taken"),
        }
    }

    /// Appends `events`; each line begins with a line break, so that a torn one swallows no other.
    pub fn append(&self, events: &[Event]) -> io::Result<()> {
        self.write(events).map(drop)
    }

    /// As [`Self::append`]; they stay through a power cut, once the folder is synced.
    pub fn append_synced(&self, events: &[Event]) -> io::Result<()> {
        self.write(events)?.map_or(Ok(()), |file| file.sync_data())
    }

    fn write(&self, events: &[Event]) -> io::Result<Option<File>> {
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

    /// Opens the file so that nobody takes it away before the line is in it.
    fn open(&self) -> io::Result<File> {
        loop {
            let file = own::log(&self.file)?;
            // Where the disk knows no locks, the line may be lost with the file.
            let is_locked = file.lock_shared().is_ok();
            let own = file.metadata()?;
            match fs::symlink_metadata(&self.file) {
                Ok(found) if found.ino() == own.ino() => return Ok(file),
                // It was taken away in between.
                _ if is_locked => {}
                _ => return Ok(file),
            }
        }
    }

    /// Returns how many bytes wait to be taken in.
    pub fn bytes(&self) -> u64 {
        let length = |path| fs::symlink_metadata(path).map_or(0, |found| found.len());
        length(&self.file) + length(&self.taking_in)
    }

    /// Returns what waits to be taken in, the oldest first.
    pub fn waiting(&self) -> io::Result<Vec<Event>> {
        let mut events = Vec::new();
        for file in [&self.taking_in, &self.file] {
            events.extend(lines::parsed(&read_own(file)?));
        }
        Ok(events)
    }

    /// Returns true if a batch is being taken in, or was when a process died.
    pub fn is_being_taken_in(&self) -> bool {
        self.taking_in.exists()
    }

    /// Returns a batch of events to be taken in, whose file is to be [`Batch::done`] with then; `None` if
    /// there are none. The caller holds the lock of the device's journal.
    ///
    /// What a process left that died is taken first.
    pub fn take(&self) -> io::Result<Option<Batch>> {
        if !self.is_being_taken_in() {
            let Some(mut file) = self.alone()? else {
                return Ok(None);
            };
            // The batch carries its own number, which stays when its lines are rewritten.
            let id = id_of(&read_own(&self.file)?, &file.metadata()?);
            let number = serde_json::to_string(&Numbered { batch: id })?;
            file.write_all(format!("\n{number}\n").as_bytes())?;
            // What a tally says that it has must not come back otherwise after a power cut.
            file.sync_all()?;
            fs::rename(&self.file, &self.taking_in)?;
            sync_folder(&self.taking_in)?;
        }
        let bytes = read_own(&self.taking_in)?;
        let mut numbers =
            nonempty_lines(&bytes).filter_map(|line| serde_json::from_slice(line).ok());
        let id = match numbers.next_back() {
            Some(Numbered { batch }) => batch,
            None => id_of(&bytes, &fs::symlink_metadata(&self.taking_in)?),
        };
        Ok(Some(Batch {
            events: lines::parsed(&bytes).collect(),
            id,
            file: self.taking_in.clone(),
        }))
    }

    /// Leaves out what waits about the notes that are meant. The caller holds the lock of the device's journal.
    pub fn forget(&self, is_meant: impl Fn(&str) -> bool) -> io::Result<()> {
        // Nobody appends to a file that is about to be replaced.
        let _alone = self.alone()?;
        for path in [&self.file, &self.taking_in] {
            let bytes = read_own(path)?;
            let (mut kept, mut is_changed) = (Vec::with_capacity(bytes.len()), false);
            for line in nonempty_lines(&bytes) {
                let event = serde_json::from_slice::<Event>(line).ok();
                let meant = event.filter(|event| event.notes.iter().any(|note| is_meant(note)));
                let Some(event) = meant else {
                    kept.extend(line);
                    kept.push(b'\n');
                    continue;
                };
                is_changed = true;
                if let Some(event) = event.without(&is_meant) {
                    serde_json::to_writer(&mut kept, &event)?;
                    kept.push(b'\n');
                }
            }
            if is_changed {
                own::write_atomically(path, &kept)?;
            }
        }
        Ok(())
    }

    /// Opens the file of what waits so that nobody else appends to it, once those who have it open have
    /// written; `None` if there is none.
    fn alone(&self) -> io::Result<Option<File>> {
        if if_found(fs::symlink_metadata(&self.file))?.is_none() {
            return Ok(None);
        }
        let file = own::log(&self.file)?;
        match file.lock() {
            Ok(()) => Ok(Some(file)),
            // Where the disk knows no locks, a line may be lost that is just being written.
            Err(error) if knows_no_locks(&error) => Ok(Some(file)),
            Err(error) => Err(error),
        }
    }
}

/// Events that are being taken in.
#[derive(Debug)]
pub struct Batch {
    pub events: Vec<Event>,
    /// By which a tally says that it has them already.
    pub id: TextHash,
    file: PathBuf,
}

impl Batch {
    /// Removes the file: its events are in the journal.
    pub fn done(self) -> io::Result<()> {
        fs::remove_file(&self.file)?;
        sync_folder(&self.file)
    }
}

fn knows_no_locks(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported
        || error.raw_os_error() == Some(Errno::NOLCK.raw_os_error())
}

fn sync_folder(file: &Path) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Returns a number for a batch: two may say the same; when they were written differs.
fn id_of(bytes: &[u8], file: &Metadata) -> TextHash {
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

    fn event(note: &str, at: i64) -> Event {
        Event::new(Kind::Recalled, at, [&VaultPath::new(note).unwrap()])
    }

    #[test]
    fn a_torn_line_costs_only_itself() {
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
    fn a_batch_that_a_crash_left_is_taken_first() {
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
    fn what_is_forgotten_is_in_no_file() {
        let home = tempfile::tempdir().unwrap();
        let events = Events::of(home.path());
        let both = Event {
            notes: vec!["a.md".to_owned(), "b.md".to_owned()],
            texts: vec![TextHash(1), TextHash(2)],
            ..event("a.md", 1)
        };
        events.append(std::slice::from_ref(&both)).unwrap();
        let before = events.take().unwrap().unwrap().id;
        events.append(&[both.clone(), event("a.md", 2)]).unwrap();
        events.forget(|note| note == "a.md").unwrap();
        // Whoever has taken the batch in already knows it still.
        assert_eq!(events.take().unwrap().unwrap().id, before);
        let left = Event {
            notes: vec!["b.md".to_owned()],
            texts: vec![TextHash(2)],
            ..both
        };
        assert_eq!(events.waiting().unwrap(), [left.clone(), left]);
    }
}
