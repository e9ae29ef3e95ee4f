//! The name of this machine in a vault's journal.

use std::fs;
use std::io;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use crate::vault::own_files;

/// The name of one machine and account: 8 hex digits, generated once and kept outside the vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device(String);

impl Device {
    /// Returns the device named in `state`, or generates its name from `seed`.
    ///
    /// Replaces a file without a valid name, which a power cut may leave.
    pub fn of(state: &Path, seed: u64) -> io::Result<Self> {
        let file = state.join("device");
        if let Some(name) = read(&file) {
            return Ok(Self(name));
        }
        let name = format!("{:08x}", xxh3_64(&seed.to_le_bytes()) as u32);
        let line = format!("{name}\n");
        if own_files::create_atomically(&file, line.as_bytes()).is_err() {
            // If two first runs race, the second one uses the name of the first.
            if let Some(name) = read(&file) {
                return Ok(Self(name));
            }
            own_files::write_atomically(&file, line.as_bytes())?;
        }
        Ok(Self(name))
    }

    pub fn name(&self) -> &str {
        &self.0
    }
}

fn read(file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let name = text.trim();
    let is_valid = name.len() == 8 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_valid.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_generated_once() {
        let folder = tempfile::tempdir().unwrap();
        let first = Device::of(folder.path(), 1).unwrap();
        assert_eq!(Device::of(folder.path(), 2).unwrap(), first);
        let other = tempfile::tempdir().unwrap();
        assert_ne!(Device::of(other.path(), 2).unwrap(), first);
    }

    #[test]
    fn a_damaged_name_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        for damaged in ["", "\0\0\0\0", "../../etc", "0123456\n"] {
            fs::write(folder.path().join("device"), damaged).unwrap();
            let device = Device::of(folder.path(), 1).unwrap();
            assert_eq!(Device::of(folder.path(), 2).unwrap(), device, "{damaged:?}");
        }
    }
}
