//! What can be wrong with the files of a journal, and what the device they belong to does about it.

use std::io;
use std::path::{Path, PathBuf};

use super::{decisions, lines, moves, provenance, usage};

/// Something that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub path: PathBuf,
    pub kind: TroubleKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TroubleKind {
    /// A sync tool made it of a file that was written in two places.
    Copy,
    /// A merge tool or an editor set it aside; it is not read.
    Stray,
    /// Two machines write it under the name of one device.
    TwoMachines,
    /// It cannot be read, because it is too large for instance.
    Unreadable,
}

/// Returns what is wrong with the journals of all devices.
pub fn check(journal: &Path) -> io::Result<Vec<Trouble>> {
    let mut troubles = Vec::new();
    for device in lines::folders(journal)? {
        for file in [decisions::FILE, provenance::FILE, usage::FILE, moves::FILE] {
            let copies = lines::copies(&device, file)?.into_iter();
            let strays = lines::strays(&device, file)?.into_iter();
            let copies = copies.map(|path| (path, TroubleKind::Copy));
            let named = copies.chain(strays.map(|path| (path, TroubleKind::Stray)));
            troubles.extend(named.map(|(path, kind)| Trouble { path, kind }));
            let kind = match lines::is_written_twice(&device, file) {
                Ok(false) => continue,
                Ok(true) => TroubleKind::TwoMachines,
                Err(_) => TroubleKind::Unreadable,
            };
            let path = device.join(file);
            troubles.push(Trouble { path, kind });
        }
    }
    Ok(troubles)
}

/// Joins the copies of the files in `device`, the folder of this one, and leaves out of them what does
/// not hold any more.
pub fn join(device: &Path) -> io::Result<()> {
    let lock = lines::lock(device)?;
    lines::compact(&lock, device, decisions::FILE, decisions::key)?;
    lines::compact(&lock, device, provenance::FILE, provenance::key)?;
    lines::compact(&lock, device, moves::FILE, moves::key)?;
    usage::join(&lock, device)
}
