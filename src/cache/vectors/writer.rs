//! Appends to a vector file; the caller holds the lock of the cache.
//!
//! Nothing is synced: checksums detect rows lost in a power cut. Rows are valid once the catalog confirms
//! them, and are overwritten otherwise.

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::file::{MAX_LENGTH, VectorHeader, Vectors, encode_row, path};
use super::hnsw::graph;
use super::quantized::{QuantizedVector, padded, quantize_unit};
use super::{Result, VectorError};
use crate::cache::failpoint;
use crate::vault::if_found;

const BUFFER: usize = 1 << 20;

/// A vector file open for appending.
#[derive(Debug)]
pub struct VectorWriter {
    file: BufWriter<File>,
    path: PathBuf,
    folder: PathBuf,
    header: VectorHeader,
    rows: u32,
    bytes: Vec<u8>,
    /// The first error; nothing is written after it.
    failed: Option<VectorError>,
}

impl VectorWriter {
    /// Creates vector file `number` in `folder` without rows, replacing an existing one.
    ///
    /// `dims` is from 1 to 65,536.
    pub fn create(folder: &Path, number: u32, model: &str, dims: usize) -> Result<Self> {
        let path = path(folder, number);
        let header = VectorHeader {
            number,
            dims,
            model: model.to_owned(),
        };
        if dims == 0 || dims > MAX_LENGTH || model.len() > MAX_LENGTH {
            return Err(VectorError::Width {
                path,
                expected: MAX_LENGTH,
                found: dims.max(model.len()),
            });
        }
        let io = &VectorError::at(path.clone());
        // A file mapped by a reader must not be truncated.
        if_found(fs::remove_file(&path)).map_err(io)?;
        let mut file = File::create_new(&path).map_err(io)?;
        failpoint::pass(folder);
        file.write_all(&header.encode()).map_err(io)?;
        failpoint::pass(folder);
        Ok(Self::over(file, path, folder, header, 0))
    }

    /// Opens vector file `number` in `folder`, made by `model`, to append after its first `rows` rows.
    pub fn append(folder: &Path, number: u32, rows: u32, model: &str) -> Result<Self> {
        let path = path(folder, number);
        let io = |source| VectorError::io(&path, source);
        let options = OpenOptions::new().read(true).write(true).open(&path);
        let mut file = options.map_err(io)?;
        let header = VectorHeader::read(&file, &path)?;
        header.confirm(&path, number, model)?;
        let end = header.length() as u64 + u64::from(rows) * header.stride() as u64;
        if file.metadata().map_err(io)?.len() < end {
            let reason = format!("it contains fewer than {rows} rows");
            return Err(VectorError::damaged(&path, reason));
        }
        file.seek(SeekFrom::Start(end)).map_err(io)?;
        Ok(Self::over(file, path, folder, header, rows))
    }

    fn over(file: File, path: PathBuf, folder: &Path, header: VectorHeader, rows: u32) -> Self {
        Self {
            file: BufWriter::with_capacity(BUFFER, file),
            path,
            folder: folder.to_owned(),
            bytes: Vec::with_capacity(header.stride()),
            header,
            rows,
            failed: None,
        }
    }

    /// Returns the number of components of a vector.
    pub fn dims(&self) -> usize {
        self.header.dims
    }

    /// Appends the vector of a passage of the note `slot` and returns its row.
    ///
    /// The vector need not be normalised. [`VectorWriter::finish`] returns any error.
    pub fn push(&mut self, slot: u32, text: u64, vector: &[f32]) -> u32 {
        if vector.len() != self.dims() {
            let (path, expected, found) = (self.path.clone(), self.dims(), vector.len());
            self.failed.get_or_insert(VectorError::Width {
                path,
                expected,
                found,
            });
            return self.rows;
        }
        let mut components = vec![0; padded(self.dims())];
        self.put(slot, text, quantize_unit(vector, &mut components))
    }

    /// Appends `row` of another file for the note `slot`, and returns the new row.
    pub fn copy(&mut self, slot: u32, from: &Vectors, row: u32) -> u32 {
        if from.dims() == self.dims() {
            self.put(slot, from.text(row), from.row(row))
        } else {
            self.push(slot, from.text(row), &from.vector(row))
        }
    }

    fn put(&mut self, slot: u32, text: u64, vector: QuantizedVector<'_>) -> u32 {
        let row = self.rows;
        if self.failed.is_some() {
            return row;
        }
        encode_row(&mut self.bytes, self.header.number, row, vector, slot, text);
        match self.file.write_all(&self.bytes) {
            Ok(()) => self.rows += 1,
            Err(source) => self.failed = Some(VectorError::at(&self.path)(source)),
        }
        row
    }

    /// Flushes all rows to the system and returns the number of rows in the file.
    pub fn finish(mut self) -> Result<u32> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        failpoint::pass(&self.folder);
        let written = self.file.flush();
        failpoint::pass(&self.folder);
        match written {
            Ok(()) => Ok(self.rows),
            Err(source) => Err(VectorError::io(&self.path, source)),
        }
    }
}

/// Removes all vector files and graphs in `folder` except number `keep`, and leftovers of a killed build. The
/// caller holds the lock.
pub fn remove_others(folder: &Path, keep: u32) {
    let kept = [path(folder, keep), graph::path(folder, keep)];
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_ours = name
            .to_str()
            .is_some_and(|name| name.starts_with("vectors.") || name.starts_with("graph."));
        if is_ours && !kept.contains(&entry.path()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::vectors::tests::{MODEL, vector_file, vectors};

    #[test]
    fn reads_back_pushed_rows() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = VectorWriter::create(dir.path(), 3, MODEL, 3).unwrap();
        assert_eq!(writer.push(7, 70, &[3.0, 0.0, 4.0]), 0);
        assert_eq!(writer.push(8, 80, &[0.0, 0.0, 0.0]), 1);
        assert_eq!(writer.push(9, 90, &[f32::NAN, 1.0, 0.0]), 2);
        assert_eq!(writer.push(9, 91, &[0.0, f32::INFINITY, 0.0]), 3);
        assert_eq!(writer.finish().unwrap(), 4);
        let vectors = Vectors::open(dir.path(), 3, 4, MODEL).unwrap();
        vectors.verify().unwrap();
        assert_eq!(
            (vectors.rows(), vectors.dims(), vectors.number()),
            (4, 3, 3)
        );
        assert_eq!((vectors.slot(0), vectors.text(0)), (7, 70));
        assert_eq!((vectors.slot(3), vectors.text(3)), (9, 91));
        for (x, expected) in vectors.vector(0).iter().zip([0.6, 0.0, 0.8]) {
            assert!((x - expected).abs() < 0.005);
        }
        // These vectors have no direction.
        for row in 1..4 {
            assert_eq!(vectors.vector(row), [0.0; 3]);
        }
    }

    #[test]
    fn overwrites_rows_left_by_a_crash() {
        let dir = tempfile::tempdir().unwrap();
        vector_file(dir.path(), 1, &vectors(5, 40, 1));
        let old = Vectors::open(dir.path(), 1, 2, MODEL).unwrap();
        let kept: Vec<_> = (0..2)
            .map(|row| (old.row(row).components.to_vec(), old.check(row)))
            .collect();
        // The catalog confirms two rows; the other three were never confirmed.
        let mut writer = VectorWriter::append(dir.path(), 1, 2, MODEL).unwrap();
        let new = &vectors(1, 40, 2)[0];
        assert_eq!(writer.push(99, 990, new), 2);
        assert_eq!(writer.finish().unwrap(), 3);
        let vectors = Vectors::open(dir.path(), 1, 3, MODEL).unwrap();
        vectors.verify().unwrap();
        assert_eq!(vectors.slot(2), 99);
        assert!(vectors.cosine(2, &super::super::query::VectorQuery::new(new)) > 0.999);
        for (row, kept) in (0..2).zip(&kept) {
            for file in [&vectors, &old] {
                assert_eq!(file.row(row).components, kept.0);
                assert_eq!(file.check(row), kept.1);
            }
        }
    }

    #[test]
    fn old_and_new_readers_work_during_appends() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(3_000, 40, 3);
        vector_file(dir.path(), 1, &all[..1_000]);
        let mut readers = vec![Vectors::open(dir.path(), 1, 1_000, MODEL).unwrap()];
        let before = readers[0].nearest(&all[0], 20, None, None);
        std::thread::scope(|scope| {
            let adding = scope.spawn(|| {
                for part in all[1_000..].chunks(50) {
                    let path = dir.path();
                    let size = std::fs::metadata(path.join("vectors.1")).unwrap().len();
                    let rows = ((size - 64) / (64 + 24)) as u32;
                    let mut writer = VectorWriter::append(path, 1, rows, MODEL).unwrap();
                    for vector in part {
                        writer.push(1, 1, vector);
                    }
                    writer.finish().unwrap();
                }
            });
            while !adding.is_finished() {
                assert_eq!(readers[0].nearest(&all[0], 20, None, None), before);
                readers[0].verify().unwrap();
            }
        });
        for rows in [1_500, 3_000] {
            readers.push(Vectors::open(dir.path(), 1, rows, MODEL).unwrap());
        }
        for reader in &readers {
            reader.verify().unwrap();
            let found = reader.nearest(&all[reader.rows() as usize - 1], 1, None, None);
            assert_eq!(found[0].row, reader.rows() - 1);
        }
    }

    #[test]
    fn copies_a_row_to_another_note() {
        let dir = tempfile::tempdir().unwrap();
        let from = vector_file(dir.path(), 1, &vectors(6, 40, 4));
        let mut writer = VectorWriter::create(dir.path(), 2, MODEL, 40).unwrap();
        for (index, row) in [5, 0, 3].into_iter().enumerate() {
            assert_eq!(writer.copy(50 + row, &from, row), index as u32);
        }
        assert_eq!(writer.finish().unwrap(), 3);
        let to = Vectors::open(dir.path(), 2, 3, MODEL).unwrap();
        to.verify().unwrap();
        for (new, old) in [(0, 5), (1, 0), (2, 3)] {
            assert_eq!(to.vector(new), from.vector(old));
            assert_eq!((to.slot(new), to.text(new)), (50 + old, from.text(old)));
        }
    }

    #[test]
    fn refuses_a_vector_of_another_width() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = VectorWriter::create(dir.path(), 1, MODEL, 4).unwrap();
        writer.push(1, 1, &[1.0; 4]);
        writer.push(1, 2, &[1.0; 5]);
        writer.push(1, 3, &[1.0; 4]);
        let failed = writer.finish().unwrap_err();
        let VectorError::Width {
            expected, found, ..
        } = failed
        else {
            panic!("{failed}");
        };
        assert_eq!((expected, found), (4, 5));
        for dims in [0, MAX_LENGTH + 1] {
            assert!(VectorWriter::create(dir.path(), 2, MODEL, dims).is_err());
        }
    }

    #[test]
    fn a_reader_keeps_its_replaced_file() {
        let dir = tempfile::tempdir().unwrap();
        let old = vector_file(dir.path(), 1, &vectors(100, 40, 5));
        let writer = VectorWriter::create(dir.path(), 1, MODEL, 40).unwrap();
        assert_eq!(writer.finish().unwrap(), 0);
        old.verify().unwrap();
        assert!(Vectors::open(dir.path(), 1, 1, MODEL).is_err());
    }

    #[test]
    fn removes_only_files_of_other_numbers() {
        let dir = tempfile::tempdir().unwrap();
        for name in [
            "vectors.1",
            "vectors.12",
            "graph.1",
            "graph.2",
            "boot",
            "graph.x8Yz",
        ] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        remove_others(dir.path(), 1);
        let mut left: Vec<_> = fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["boot", "graph.1", "vectors.1"]);
    }
}
