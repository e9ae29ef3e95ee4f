//! Cost and recall of nearest-passage search: exact scan against graph, and all notes at once.
//!
//! ```text
//! cargo bench --bench vectors -- [--rows 100000] [--dims 256] [--seed 1]
//! cargo bench --bench vectors -- --cache FOLDER [--number N --count ROWS --model ID]
//! ```
//!
//! Without `--cache` it generates unit vectors in nested clusters, which flatters every approximate
//! method. With it, it reads the vector file of a real cache (the folder with `catalog.mdb`;
//! without that file the three flags describe the vectors). Queries are rows with a third of noise.
//! The page cache is warm, and methods alternate in one run. The rows of the table:
//!
//! * graph: build time over the first 90 % of the rows, size, and peak memory so far;
//! * nearest 10: p50 and p95 of a query in this process by exact scan and by graph, and the recall
//!   of the graph: over the first 90 %, over all with the rest not in the graph, with a fifth of
//!   the rows removed, with filters;
//! * fresh process: open and one query, the whole process, and its memory;
//! * notes: the 10 nearest of 1,000 notes and of all, with every row as a note, and the share of
//!   the neighbours by full comparison that the full pass finds.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

mod support;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use mem::cache::catalog::Catalog;
use mem::cache::vectors::file::Vectors;
use mem::cache::vectors::hnsw::graph::HnswGraph;
use mem::cache::vectors::neighbours::Neighbourhood;
use mem::cache::vectors::note_vectors::NoteVectors;
use mem::cache::vectors::writer::VectorWriter;
use mem::cache::vectors::{Accept, NearRow};

use support::flags::{self, Flags};
use support::random::Random;
use support::{AtPath, Outcome};

const USAGE: &str = "cargo bench --bench vectors -- [--rows 100000] [--dims 256] [--seed 1] | \
    --cache FOLDER [--number N --count ROWS --model ID]";
const KNOWN: &[&str] = &[
    "--rows", "--dims", "--seed", "--cache", "--number", "--count", "--model", "--child",
];
const QUESTIONS: usize = 200;
const PROCESSES: usize = 40;

fn main() -> ExitCode {
    flags::run(USAGE, KNOWN, |flags| match flags.text("--child") {
        Some(way) => child(flags, way),
        None => bench(flags),
    })
}

/// A vector file.
struct VectorFile {
    folder: PathBuf,
    number: u32,
    rows: u32,
    model: String,
}

impl VectorFile {
    fn open(&self, rows: u32) -> Outcome<Vectors> {
        Ok(Vectors::open(&self.folder, self.number, rows, &self.model)?)
    }
}

fn bench(flags: &Flags) -> Outcome<ExitCode> {
    let scratch = tempfile::tempdir()?;
    let mut random = Random::new(flags.number("--seed", 1)?, 0);
    let place = match flags.text("--cache") {
        Some(cache) => copy_vectors(flags, Path::new(cache), scratch.path())?,
        None => make(flags, &mut random, scratch.path())?,
    };
    let all = place.open(place.rows)?;
    let questions: Vec<Vec<f32>> = (0..QUESTIONS)
        .map(|_| question(&all, &mut random))
        .collect();
    println!(
        "{}, `{}`",
        jiff::Zoned::now().date(),
        flags::command_line("vectors")
    );
    println!("{} rows of {} numbers\n", all.rows(), all.dims());
    println!("| what | every row p50 / p95 | graph p50 / p95 | found of the same |");
    println!("|---|---:|---:|---:|");
    let indexed = place.open(place.rows / 10 * 9)?;
    let began = Instant::now();
    let graph = HnswGraph::build(&indexed, &|_, _| true, 1, &place.folder)?;
    let took = began.elapsed();
    let measured = RoughScan {
        all: &all,
        graph: &graph,
        questions: &questions,
    };
    measured.row("nearest 10, all in the graph", &indexed, 10, None);
    measured.row("nearest 50, all in the graph", &indexed, 50, None);
    measured.row("a tenth not in it", &all, 10, None);
    let hash = |row: u32| row.wrapping_mul(0x9e37_79b1) >> 8;
    let share = |of: u32| move |row: u32, _: u32| hash(row).is_multiple_of(of);
    let living = |row: u32, _: u32| !hash(row).is_multiple_of(5);
    measured.row("a fifth removed", &all, 10, Some(&living));
    measured.row("filter 10 %", &all, 10, Some(&share(10)));
    measured.row("filter 1 %", &all, 10, Some(&share(100)));
    measured.row("filter 0.1 %", &all, 10, Some(&share(1000)));
    fresh(&place, &questions)?;
    let size = fs::metadata(place.folder.join(format!("vectors.{}", place.number)))?.len();
    println!(
        "\nvector file {} MB; graph over {} rows {} MB, built in {} s; peak memory {} MB",
        size / 1_000_000,
        graph.covered(),
        graph.bytes() / 1_000_000,
        took.as_secs(),
        memory("VmHWM")? / 1_000,
    );
    println!("\n{}", notes(&all));
    Ok(ExitCode::SUCCESS)
}

/// Copies the vector file of a cache.
fn copy_vectors(flags: &Flags, cache: &Path, folder: &Path) -> Outcome<VectorFile> {
    let mut place = VectorFile {
        folder: folder.to_owned(),
        number: flags.number("--number", 0)?,
        rows: flags.number("--count", 0)?,
        model: flags.text("--model").unwrap_or_default().to_owned(),
    };
    if place.rows == 0 {
        let meta = Catalog::open(cache)?.read()?.meta()?;
        let file = meta.vectors.ok_or("that cache has no vectors")?;
        (place.number, place.rows, place.model) = (file.number, file.rows, file.model);
    }
    let name = format!("vectors.{}", place.number);
    fs::copy(cache.join(&name), folder.join(&name)).at(cache)?;
    Ok(place)
}

/// Generates vectors in clusters of about 40, within larger clusters.
fn make(flags: &Flags, random: &mut Random, folder: &Path) -> Outcome<VectorFile> {
    let (rows, dims) = (
        flags.number("--rows", 100_000u32)?,
        flags.number("--dims", 256)?,
    );
    let mut around = |centre: Option<&Vec<f32>>, spread: f64| -> Vec<f32> {
        let off = (0..dims).map(|_| (random.normal() * spread) as f32);
        match centre {
            Some(centre) => centre.iter().zip(off).map(|(x, off)| x + off).collect(),
            None => off.collect(),
        }
    };
    let large: Vec<_> = (0..=rows.isqrt() / 4).map(|_| around(None, 1.0)).collect();
    let groups: Vec<_> = (0..=rows as usize / 40)
        .map(|group| around(Some(&large[group % large.len()]), 0.8))
        .collect();
    let mut writer = VectorWriter::create(folder, 1, "made", dims)?;
    for row in 0..rows {
        let group = row.wrapping_mul(0x9e37_79b1) as usize % groups.len();
        writer.push(row, row.into(), &around(Some(&groups[group]), 0.6));
    }
    Ok(VectorFile {
        folder: folder.to_owned(),
        number: 1,
        rows: writer.finish()?,
        model: "made".to_owned(),
    })
}

fn question(all: &Vectors, random: &mut Random) -> Vec<f32> {
    let vector = all.vector(random.below(all.rows() as usize) as u32);
    let spread = 0.3 / (vector.len() as f64).sqrt();
    let numbers = vector.iter();
    numbers
        .map(|x| x + (random.normal() * spread) as f32)
        .collect()
}

struct RoughScan<'b> {
    all: &'b Vectors,
    graph: &'b HnswGraph,
    questions: &'b [Vec<f32>],
}

impl RoughScan<'_> {
    /// Runs all queries both ways and prints a row of the table.
    fn row(&self, what: &str, vectors: &Vectors, k: usize, accept: Option<Accept>) {
        let (mut exact, mut graph) = (Vec::new(), Vec::new());
        let (mut same, mut wanted) = (0, 0);
        for question in self.questions {
            let timed = |graph: Option<&HnswGraph>, times: &mut Vec<Duration>| -> Vec<NearRow> {
                let began = Instant::now();
                let found = vectors.nearest(question, k, accept, graph);
                times.push(began.elapsed());
                found
            };
            let expected = timed(None, &mut exact);
            let found = timed(Some(self.graph), &mut graph);
            let is_found = |near: &&NearRow| found.iter().any(|other| other.row == near.row);
            same += expected.iter().filter(is_found).count();
            wanted += expected.len();
        }
        let of = if vectors.rows() < self.all.rows() {
            " (90 %)"
        } else {
            ""
        };
        let recall = same as f64 / f64::from(wanted.max(1) as u32);
        println!(
            "| {what}{of} | {} | {} | {recall:.4} |",
            times(&mut exact),
            times(&mut graph)
        );
    }
}

/// Runs one query per process, alternating between the methods.
fn fresh(place: &VectorFile, questions: &[Vec<f32>]) -> Outcome<()> {
    let ways = ["every-row", "graph"];
    let mut inside = [Vec::new(), Vec::new()];
    let mut outside = [Vec::new(), Vec::new()];
    let mut memory = [0, 0];
    for question in questions.iter().take(PROCESSES) {
        let bytes: Vec<u8> = question.iter().flat_map(|x| x.to_le_bytes()).collect();
        fs::write(place.folder.join("question"), bytes)?;
        for (at, way) in ways.iter().enumerate() {
            let began = Instant::now();
            let output = Command::new(std::env::current_exe()?)
                .args(["--child", way, "--model", &place.model])
                .args(["--number", &place.number.to_string()])
                .args(["--count", &place.rows.to_string()])
                .arg(&place.folder)
                .output()?;
            outside[at].push(began.elapsed());
            let said = String::from_utf8(output.stdout)?;
            let (time, peak) = said.trim().split_once(' ').ok_or("the child failed")?;
            inside[at].push(Duration::from_nanos(time.parse()?));
            memory[at] = memory[at].max(peak.parse::<u64>()?);
        }
    }
    let [exact, graph] = inside.each_mut().map(|all| times(all));
    println!("| fresh process, open and ask | {exact} | {graph} | |");
    let [exact, graph] = outside.each_mut().map(|all| times(all));
    println!("| fresh process, whole | {exact} | {graph} | |");
    let [exact, graph] = memory.map(|peak| peak / 1_000);
    println!("| fresh process, peak memory | {exact} MB | {graph} MB | |");
    Ok(())
}

/// Opens the files, runs one query, and prints its time in nanoseconds.
fn child(flags: &Flags, way: &str) -> Outcome<ExitCode> {
    let folder = flags.path("folder")?;
    let question = fs::read(folder.join("question"))?;
    let (question, _) = question.as_chunks();
    let question: Vec<f32> = question.iter().map(|x| f32::from_le_bytes(*x)).collect();
    let model = flags.text("--model").unwrap_or_default();
    let began = Instant::now();
    let vectors = Vectors::open(
        &folder,
        flags.number("--number", 0)?,
        flags.number("--count", 0)?,
        model,
    )?;
    let graph = (way == "graph").then(|| HnswGraph::open(&folder, &vectors));
    let found = vectors.nearest(&question, 10, None, graph.transpose()?.as_ref());
    let took = began.elapsed();
    assert_eq!(found.len(), 10);
    println!("{} {}", took.as_nanos(), memory("VmHWM")?);
    Ok(ExitCode::SUCCESS)
}

/// Measures the neighbours that jobs use, with every row as a note.
fn notes(vectors: &Vectors) -> String {
    let began = Instant::now();
    let notes = NoteVectors::of(vectors, (0..vectors.rows()).map(|row| (row, row, 1)));
    let means = began.elapsed();
    let slots = notes.slots().to_vec();
    let step = (slots.len() / 1_000).max(1);
    let few: Vec<u32> = slots.iter().copied().step_by(step).collect();
    let notes = Neighbourhood::new(notes, 1);
    let began = Instant::now();
    let exact = notes.neighbours(&few, 10, 0.0);
    let of_few = began.elapsed();
    let began = Instant::now();
    let all = notes.neighbours(&slots, 10, 0.0);
    let of_all = began.elapsed();
    let mut text = format!(
        "{} notes in {} ms; nearest 10 of {} in {:.2} s, of all in {:.2} s; found of the same",
        slots.len(),
        means.as_millis(),
        few.len(),
        of_few.as_secs_f64(),
        of_all.as_secs_f64(),
    );
    for least in [0.0, 0.5, 0.7, 0.9] {
        let (mut same, mut wanted) = (0, 0);
        for note in &exact {
            let at = all.binary_search_by_key(&note.slot, |other| other.slot);
            let found = at.map_or(&[][..], |at| &all[at].near);
            for near in note.near.iter().filter(|near| near.cosine >= least) {
                wanted += 1;
                same += u32::from(found.contains(near));
            }
        }
        let share = f64::from(same) / f64::from(wanted.max(1));
        let _ = write!(text, ", above {least}: {share:.4} of {wanted}");
    }
    text
}

/// Returns p50 and p95 in milliseconds.
fn times(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let [p50, p95] = [50, 95].map(|part| times[(times.len() - 1) * part / 100].as_secs_f64() * 1e3);
    format!("{p50:.2} / {p95:.2} ms")
}

/// Returns a memory figure of this process in KB; 0 on systems without it.
fn memory(field: &str) -> Outcome<u64> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let figure = line.and_then(|line| line.split_whitespace().nth(1));
    Ok(figure.map_or(Ok(0), str::parse)?)
}
