//! Files of one JSON record a line, to which each device appends its own.
//!
//! What one device wrote is read by all; a line that is no record, because a sync tool is writing it
//! or a power cut tore it, costs only itself.

use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::vault::own;

/// Returns the records in `file` of every device under `journal`, those of one device in the order in
/// which it wrote them.
pub(super) fn load<T: DeserializeOwned>(journal: &Path, file: &str) -> io::Result<Vec<T>> {
    let mut records = Vec::new();
    for device in folders(journal)? {
        match own::read_bytes(&device.join(file)) {
            Ok(bytes) => records.extend(
                bytes
                    .split(|byte| *byte == b'\n')
                    .filter_map(|line| serde_json::from_slice(line).ok()),
            ),
            // Something else in its place is no record.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::InvalidInput
                ) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(records)
}

/// The folders of all devices, by name; links are passed over.
fn folders(journal: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::symlink_metadata(journal) {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => return Ok(Vec::new()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
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

/// Appends records to `file`, which is this device's, durably.
pub(super) fn append<T: Serialize>(file: &Path, records: &[T]) -> io::Result<()> {
    if records.is_empty() {
        return Ok(());
    }
    let mut file = own::append(file)?;
    let mut lines = Vec::new();
    // A line that a power cut left open must not swallow the next one.
    let length = file.metadata()?.len();
    if length > 0 {
        let mut last = [0];
        file.seek(SeekFrom::Start(length - 1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            lines.push(b'\n');
        }
    }
    for record in records {
        serde_json::to_writer(&mut lines, record)?;
        lines.push(b'\n');
    }
    file.write_all(&lines)?;
    file.sync_data()
}
