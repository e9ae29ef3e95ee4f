//! Checks and repairs of journal files.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::adoption::Adoption;
use super::decisions::Decision;
use super::facts::ReadFacts;
use super::lines::{self, DeviceRecord};
use super::moves::Move;
use super::opinions::Opinion;
use super::provenance::RelationOrigin;
use super::tally::UsageTally;

/// The name of a file and its compaction: always, or only if most lines are superseded.
type Compaction = (&'static str, fn(&File, &Path, bool) -> io::Result<()>);

/// All files of a device.
const COMPACTIONS: [Compaction; 7] = [
    (Decision::FILE, lines::compact_if_needed::<Decision>),
    (
        RelationOrigin::FILE,
        lines::compact_if_needed::<RelationOrigin>,
    ),
    (Move::FILE, lines::compact_if_needed::<Move>),
    (Adoption::FILE, lines::compact_if_needed::<Adoption>),
    (Opinion::FILE, lines::compact_if_needed::<Opinion>),
    (ReadFacts::FILE, lines::compact_if_needed::<ReadFacts>),
    (UsageTally::FILE, lines::compact_if_needed::<UsageTally>),
];

/// A problem with a journal file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalProblem {
    pub path: PathBuf,
    pub kind: JournalProblemKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JournalProblemKind {
    /// A sync tool made this copy of a file that was written in two places.
    Copy,
    /// A merge tool or an editor left this file; it is not read.
    Stray,
    /// Two machines write to it under one device name.
    TwoMachines,
    /// It cannot be read, for example because it is too large.
    Unreadable,
}

/// Returns the problems in the journals of all devices.
pub fn check(journal: &Path) -> io::Result<Vec<JournalProblem>> {
    let mut troubles = Vec::new();
    for device in lines::folders(journal)? {
        for (file, _) in COMPACTIONS {
            let copies = lines::copies(&device, file)?.into_iter();
            let strays = lines::strays(&device, file)?.into_iter();
            let copies = copies.map(|path| (path, JournalProblemKind::Copy));
            let named = copies.chain(strays.map(|path| (path, JournalProblemKind::Stray)));
            troubles.extend(named.map(|(path, kind)| JournalProblem { path, kind }));
            let kind = match lines::has_number_conflict(&device, file) {
                Ok(false) => continue,
                Ok(true) => JournalProblemKind::TwoMachines,
                Err(_) => JournalProblemKind::Unreadable,
            };
            let path = device.join(file);
            troubles.push(JournalProblem { path, kind });
        }
    }
    Ok(troubles)
}

/// Compacts the files in `device`, this machine's folder, if most of their lines are superseded.
pub fn tidy(device: &Path) -> io::Result<()> {
    compact_all(device, false)
}

/// Merges the copies of files in `device`, this machine's folder, and drops superseded lines.
pub fn merge_copies(device: &Path) -> io::Result<()> {
    compact_all(device, true)
}

fn compact_all(device: &Path, always: bool) -> io::Result<()> {
    let lock = lines::lock(device)?;
    COMPACTIONS
        .iter()
        .try_for_each(|(_, compact)| compact(&lock, device, always))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use jiff::Timestamp;

    use super::*;
    use crate::journal::append;
    use crate::journal::events::TextHash;
    use crate::note::front_matter::relation::Relation;

    #[test]
    fn a_file_with_mostly_superseded_lines_is_compacted() {
        let root = tempfile::tempdir().unwrap();
        let device = root.path().join("a");
        fs::create_dir(&device).unwrap();
        let origin = RelationOrigin {
            from: "a.md".to_owned(),
            relation: Relation::RelatedTo,
            to: "b.md".to_owned(),
            weight: 0.5,
            reason: "because".to_owned(),
            by: "link".to_owned(),
            at: Timestamp::UNIX_EPOCH,
            run: "r".to_owned(),
            bodies: [TextHash(1), TextHash(2)],
        };
        let file = device.join(RelationOrigin::FILE);
        let length = || file.metadata().unwrap().len();
        append(&device, &vec![origin.clone(); 10]).unwrap();
        let small = length();
        tidy(&device).unwrap();
        assert_eq!(length(), small);
        append(&device, &vec![origin; 1000]).unwrap();
        tidy(&device).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 1);
    }
}
