//! The graph file: its form, and the reading of it in place.
//!
//! ```text
//! header  magic 8 bytes | format, number, built, ground, upper, levels, twins, strays, entry u32
//!         | rows per upper level 15 × u32 | tie u64 | body u64 | check u64 of the header before it
//! body    built × u32, and ground                 where the list of each row at level 0 begins
//!         ground × row                            these lists, each nearest first
//!         per upper level: its rows, ascending, then as many × upper × row
//!         twins × (row, row), ascending           the one in the graph, and one equal to it
//!         strays × row, ascending                 rows that no path leads to
//! ```
//!
//! All little-endian; a list of an upper level that is shorter than the others ends with [`NONE`].
//! `number` and `built` say over which rows of which vector file it was made, `tie` is the checksum of
//! the last of them, `body` one of the body. Like a vector file it is only ever written under another
//! name and renamed, and a graph of any other format is built afresh.
//!
//! What a list says is not trusted: a row that is none is passed over, and a damaged graph finds
//! worse answers at most.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use xxhash_rust::xxh3::xxh3_64;

use super::VectorError;
use super::file::Vectors;

/// Version of the graph file; any other is built afresh.
pub const FORMAT: u32 = 2;

const MAGIC: &[u8; 8] = b"mem hnsw";
/// The place in a list that holds no row.
pub(super) const NONE: u32 = u32::MAX;
/// More levels than any graph has.
pub(super) const LEVELS: usize = 15;
const FIELDS: usize = 9 + LEVELS;
const HEADER: usize = 8 + 4 * FIELDS + 3 * 8;

/// What a graph file says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) number: u32,
    pub(super) built: u32,
    /// How many neighbours all rows have at level 0.
    pub(super) ground: u32,
    /// How many one has at a level above at most.
    pub(super) upper: u32,
    /// How many rows each level above 0 has, from below.
    pub(super) levels: Vec<u32>,
    pub(super) twins: u32,
    pub(super) strays: u32,
    /// The row where a search begins, at the topmost level.
    pub(super) entry: u32,
    pub(super) tie: u64,
    pub(super) body: u64,
}

impl Header {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for field in [
            FORMAT,
            self.number,
            self.built,
            self.ground,
            self.upper,
            self.levels.len() as u32,
            self.twins,
            self.strays,
            self.entry,
        ] {
            bytes.extend_from_slice(&field.to_le_bytes());
        }
        for level in 0..LEVELS {
            let rows = self.levels.get(level).copied().unwrap_or(0);
            bytes.extend_from_slice(&rows.to_le_bytes());
        }
        bytes.extend_from_slice(&self.tie.to_le_bytes());
        bytes.extend_from_slice(&self.body.to_le_bytes());
        let check = xxh3_64(&bytes);
        bytes.extend_from_slice(&check.to_le_bytes());
        bytes
    }

    fn read(file: &File, path: &Path) -> Result<Self, VectorError> {
        let damaged = |reason: &str| VectorError::damaged(path, reason);
        let mut bytes = Vec::with_capacity(HEADER);
        let read = file.take(HEADER as u64).read_to_end(&mut bytes);
        read.map_err(|source| VectorError::io(path, source))?;
        if bytes.len() < HEADER {
            return Err(damaged("it ends inside its header"));
        }
        if !bytes.starts_with(MAGIC) {
            return Err(damaged("it does not begin as a graph does"));
        }
        let (fields, _) = bytes[8..HEADER - 24].as_chunks();
        let field = |place: usize| u32::from_le_bytes(fields[place]);
        if field(0) != FORMAT {
            return Err(VectorError::Outdated {
                path: path.to_owned(),
                found: field(0),
                expected: FORMAT,
            });
        }
        let (sums, _) = bytes[HEADER - 24..].as_chunks();
        let [tie, body, check] = [0, 1, 2].map(|place: usize| u64::from_le_bytes(sums[place]));
        if xxh3_64(&bytes[..HEADER - 8]) != check {
            return Err(damaged("its header has another checksum"));
        }
        let levels = field(5) as usize;
        if levels > LEVELS || field(4) == 0 {
            return Err(damaged("its header makes no sense"));
        }
        Ok(Self {
            number: field(1),
            built: field(2),
            ground: field(3),
            upper: field(4),
            levels: (0..levels).map(|level| field(9 + level)).collect(),
            twins: field(6),
            strays: field(7),
            entry: field(8),
            tie,
            body,
        })
    }

    /// Returns how many numbers the body has, unless that is more than a file can hold.
    fn numbers(&self) -> Option<usize> {
        let level = |rows: u32, width: u32| (rows as usize).checked_mul(width as usize);
        let mut numbers = (self.built as usize)
            .checked_add(1)?
            .checked_add(self.ground as usize)?;
        for rows in &self.levels {
            numbers = numbers.checked_add(level(*rows, self.upper.checked_add(1)?)?)?;
        }
        numbers
            .checked_add(level(self.twins, 2)?)?
            .checked_add(self.strays as usize)
    }
}

/// Returns the place of the graph over vector file `number` in `folder`.
pub(super) fn path(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("graph.{number}"))
}

/// Rows in the file, in their bytes.
type Rows = [[u8; 4]];

/// The graph over the first rows of a vector file, mapped; see the [module](self).
#[derive(Debug)]
pub struct Graph {
    map: Mmap,
    path: PathBuf,
    header: Header,
    /// Where each level above 0 begins, then the twins, then the strays, in numbers.
    starts: Vec<usize>,
}

impl Graph {
    /// Opens the graph over `vectors` in `folder`.
    ///
    /// Reads the header only: see [`Graph::verify`]. One that was made over another file is damaged.
    pub fn open(folder: &Path, vectors: &Vectors) -> Result<Self, VectorError> {
        let path = path(folder, vectors.number());
        let io = |source| VectorError::io(&path, source);
        let damaged = |reason: &str| VectorError::damaged(&path, reason);
        let file = File::open(&path).map_err(io)?;
        let header = Header::read(&file, &path)?;
        if header.number != vectors.number() || header.built == 0 {
            return Err(damaged("it was made over another vector file"));
        }
        if header.built > vectors.rows() {
            let reason = format!(
                "it was made over {} rows, there are {}",
                header.built,
                vectors.rows()
            );
            return Err(VectorError::damaged(&path, reason));
        }
        if header.tie != vectors.check(header.built - 1) {
            return Err(damaged("it was made over another vector file"));
        }
        let size = file.metadata().map_err(io)?.len();
        let bytes = header.numbers().and_then(|numbers| numbers.checked_mul(4));
        let bytes = bytes.and_then(|bytes| bytes.checked_add(HEADER));
        if bytes.is_none_or(|bytes| bytes as u64 != size) {
            return Err(damaged("it has another length than it says"));
        }
        // SAFETY: the file lies in a folder that only mem writes to, gets its name when it is whole,
        // and is never written to or cut short after that, only replaced or removed.
        #[expect(unsafe_code, reason = "a search reads a small part of it, in place")]
        let map = unsafe { Mmap::map(&file) }.map_err(io)?;
        // Neighbours lie anywhere: what is near one on the disk is of no use.
        #[cfg(unix)]
        let _ = map.advise(memmap2::Advice::Random);
        let mut at = header.built as usize + 1 + header.ground as usize;
        let mut starts = Vec::with_capacity(header.levels.len() + 2);
        for rows in &header.levels {
            starts.push(at);
            at += *rows as usize * (1 + header.upper as usize);
        }
        starts.push(at);
        starts.push(at + 2 * header.twins as usize);
        Ok(Self {
            map,
            path,
            header,
            starts,
        })
    }

    /// Returns how many of the first rows of the vector file it was made over.
    #[must_use]
    pub fn built(&self) -> u32 {
        self.header.built
    }

    /// Returns how many bytes the file takes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.map.len() as u64
    }

    /// Compares the file with its checksum.
    pub fn verify(&self) -> Result<(), VectorError> {
        if xxh3_64(&self.map[HEADER..]) == self.header.body {
            return Ok(());
        }
        let reason = "its body has another checksum";
        Err(VectorError::damaged(&self.path, reason))
    }

    /// Returns the row where a search begins.
    pub(super) fn entry(&self) -> u32 {
        self.header.entry
    }

    /// Returns how many levels there are above level 0.
    pub(super) fn levels(&self) -> usize {
        self.header.levels.len()
    }

    /// Returns the neighbours of `row` at `level`, of those that were made over.
    pub(super) fn neighbours(&self, level: usize, row: u32) -> impl Iterator<Item = u32> {
        let list = match level.checked_sub(1) {
            None => self.ground(row),
            Some(above) => self.upper(above, row),
        };
        let rows = list.iter().map(|bytes| u32::from_le_bytes(*bytes));
        let built = self.built();
        rows.take_while(|row| *row != NONE)
            .filter(move |row| *row < built)
    }

    /// Returns the list of `row` at level 0.
    fn ground(&self, row: u32) -> &Rows {
        let bounds = self.part(row as usize, 2);
        let [start, end] = [0, 1].map(|at: usize| u32::from_le_bytes(bounds[at]) as usize);
        if start <= end && end <= self.header.ground as usize {
            self.part(self.built() as usize + 1 + start, end - start)
        } else {
            &[]
        }
    }

    /// Returns the list of `row` at the level `above` the first one above 0.
    fn upper(&self, above: usize, row: u32) -> &Rows {
        let (start, count) = (self.starts[above], self.header.levels[above] as usize);
        let rows = self.part(start, count);
        let width = self.header.upper as usize;
        match rows.binary_search_by_key(&row, |bytes| u32::from_le_bytes(*bytes)) {
            Ok(place) => self.part(start + count + place * width, width),
            // A neighbour may have come from a level below.
            Err(_) => &[],
        }
    }

    /// Returns the rows that are equal to `row` of the graph, ascending.
    pub(super) fn twins(&self, row: u32) -> impl Iterator<Item = u32> {
        let start = self.starts[self.levels()];
        let (pairs, _) = self
            .part(start, 2 * self.header.twins as usize)
            .as_chunks::<2>();
        let first = pairs.partition_point(|[of, _]| u32::from_le_bytes(*of) < row);
        let pairs = pairs[first..]
            .iter()
            .map(|pair| pair.map(u32::from_le_bytes));
        let built = self.built();
        pairs
            .take_while(move |[of, _]| *of == row)
            .map(|[_, twin]| twin)
            .filter(move |twin| *twin < built)
    }

    /// Returns the rows that no path leads to, ascending.
    pub(super) fn strays(&self) -> impl Iterator<Item = u32> {
        let strays = self.part(self.starts[self.levels() + 1], self.header.strays as usize);
        let strays = strays.iter().map(|bytes| u32::from_le_bytes(*bytes));
        let built = self.built();
        strays.filter(move |row| *row < built)
    }

    fn part(&self, start: usize, count: usize) -> &Rows {
        let (numbers, _) = self.map[HEADER..].as_chunks();
        &numbers[start..start + count]
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::VectorError;
    use super::super::made::{self, MODEL, vectors};
    use super::super::writer::VectorWriter;
    use super::*;

    const ROWS: usize = 300;

    #[test]
    #[expect(clippy::too_many_lines, reason = "it is a table")]
    fn every_harm_has_its_reason() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(ROWS, 24, 1);
        let file = made::file(dir.path(), 7, &all);
        let built = Graph::build(&file, &|_, _| true, 1, dir.path()).unwrap();
        let (header, place) = (built.header.clone(), path(dir.path(), 7));
        let whole = fs::read(&place).unwrap();
        let with = |change: &dyn Fn(&mut Header)| {
            let mut changed = header.clone();
            change(&mut changed);
            [&changed.encode()[..], &whole[HEADER..]].concat()
        };
        let of_format = |format: u32| {
            let mut bytes = whole.clone();
            bytes[8..12].copy_from_slice(&format.to_le_bytes());
            bytes
        };
        let flipped = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 4;
            bytes
        };
        let ends = "is damaged: it ends inside its header";
        let begin = "is damaged: it does not begin as a graph does";
        let check = "is damaged: its header has another checksum";
        let sense = "is damaged: its header makes no sense";
        let other = "is damaged: it was made over another vector file";
        let length = "is damaged: it has another length than it says";
        let cases: Vec<(&str, Vec<u8>, &str)> = vec![
            ("whole", whole.clone(), ""),
            ("empty", Vec::new(), ends),
            ("cut inside the header", whole[..HEADER - 1].to_vec(), ends),
            ("cut behind the header", whole[..HEADER].to_vec(), length),
            ("cut by one byte", whole[..whole.len() - 1].to_vec(), length),
            ("longer", [&whole[..], &[0]].concat(), length),
            ("zeroed", vec![0; whole.len()], begin),
            (
                "zeroed behind the header",
                [&whole[..HEADER], &vec![0; whole.len() - HEADER]].concat(),
                "is damaged: its body has another checksum",
            ),
            ("a flipped bit of the magic", flipped(3), begin),
            ("a flipped bit of the header", flipped(20), check),
            ("a flipped bit of the checksum", flipped(HEADER - 1), check),
            (
                "a flipped bit of the body",
                flipped(whole.len() - 1),
                "is damaged: its body has another checksum",
            ),
            (
                "an older one",
                of_format(1),
                "has format 1, this mem writes 2",
            ),
            (
                "a newer one",
                of_format(3),
                "has format 3, this mem writes 2",
            ),
            ("another number", with(&|header| header.number = 8), other),
            (
                "another file of the number",
                with(&|header| header.tie ^= 1),
                other,
            ),
            ("over no rows", with(&|header| header.built = 0), other),
            (
                "over more rows",
                with(&|header| header.built += 1),
                "is damaged: it was made over 301 rows, there are 300",
            ),
            (
                "over fewer rows",
                with(&|header| {
                    header.built -= 1;
                    header.tie = file.check(header.built - 1);
                }),
                length,
            ),
            ("without lists", with(&|header| header.upper = 0), sense),
            (
                "of endless lists",
                with(&|header| header.ground = u32::MAX),
                length,
            ),
            (
                "of endless levels",
                with(&|header| header.levels = vec![u32::MAX; LEVELS]),
                length,
            ),
            (
                "of endless lists at endless levels",
                with(&|header| {
                    header.levels = vec![u32::MAX; LEVELS];
                    header.upper = u32::MAX;
                }),
                length,
            ),
        ];
        for (name, bytes, expected) in cases {
            fs::write(&place, bytes).unwrap();
            let opened = Graph::open(dir.path(), &file);
            let said = opened.and_then(|graph| graph.verify());
            let said = said
                .err()
                .map_or_else(String::new, |error| error.to_string());
            let said = said.replace(&format!("{} ", place.display()), "");
            assert_eq!(said, expected, "{name}");
        }
        fs::remove_file(&place).unwrap();
        let opened = Graph::open(dir.path(), &file);
        assert!(matches!(opened, Err(VectorError::Missing { .. })));
    }

    #[test]
    fn a_body_of_nonsense_finds_rows_that_are_there() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(ROWS, 24, 1);
        let file = made::file(dir.path(), 1, &all);
        Graph::build(&file, &|_, _| true, 1, dir.path()).unwrap();
        let place = path(dir.path(), 1);
        let whole = fs::read(&place).unwrap();
        for mask in [0, 0xff, 0x55, 1] {
            let mut bytes = whole.clone();
            for (at, byte) in bytes[HEADER..].iter_mut().enumerate() {
                // Only the low half of each number, so that most are rows of some kind.
                if at % 4 < 2 {
                    *byte = (*byte ^ mask).wrapping_mul(at as u8 | 1);
                }
            }
            fs::write(&place, bytes).unwrap();
            let graph = Graph::open(dir.path(), &file).unwrap();
            for query in all.iter().step_by(50) {
                let found = file.nearest(query, 10, None, Some(&graph));
                assert!(found.iter().all(|near| near.row < 300));
            }
            graph.verify().unwrap_err();
        }
    }

    #[test]
    fn the_graph_of_another_vector_file_is_not_used() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(ROWS, 24, 1);
        let file = made::file(dir.path(), 1, &all);
        Graph::build(&file, &|_, _| true, 1, dir.path()).unwrap();
        // Made again under the same number, as a pass does that died and began anew.
        let mut writer = VectorWriter::create(dir.path(), 1, MODEL, 24).unwrap();
        for vector in &vectors(ROWS, 24, 2) {
            writer.push(1, 1, vector);
        }
        let rows = writer.finish().unwrap();
        let file = Vectors::open(dir.path(), 1, rows, MODEL).unwrap();
        assert!(Graph::open(dir.path(), &file).is_err());
        let file = Vectors::open(dir.path(), 1, 10, MODEL).unwrap();
        assert!(Graph::open(dir.path(), &file).is_err());
    }
}
