//! Cost of the built-in model: first vector and throughput.
//!
//! ```text
//! cargo bench --bench embed -- FOLDER [--runs 20] [--bytes 1024]
//! ```
//!
//! Reads the Markdown files below `FOLDER` and cuts them into pieces of `--bytes`. The rows of the
//! table, medians of `--runs`:
//!
//! * first vector: a fresh process embeds one query; time from the start of `main`, and page
//!   faults;
//! * whole process: the same from outside, next to a process that exits at once;
//! * pieces per second on one core and on two, each over all pieces, the best of three; and the
//!   share of a core that the process got meanwhile, which is less than all on a busy machine.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

mod support;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use mem::embed::{Embedder as _, embedded};
use support::flags::{self, Flags};
use support::{AtPath, Outcome, rough};

const USAGE: &str = "cargo bench --bench embed -- FOLDER [--runs 20] [--bytes 1024]";

/// Argument of a measured process.
const FIRST: &str = "--first-vector";
const NOTHING: &str = "--nothing";

fn main() -> ExitCode {
    let start = Instant::now();
    match std::env::args().nth(1).as_deref() {
        Some(FIRST) => {
            let before = page_faults();
            let vector = embedded().embed_one("where did we put the tea");
            let took = start.elapsed().as_nanos();
            println!("{took} {} {}", page_faults() - before, vector[0]);
            ExitCode::SUCCESS
        }
        Some(NOTHING) => ExitCode::SUCCESS,
        _ => flags::run(USAGE, &["--runs", "--bytes"], embed),
    }
}

fn embed(flags: &Flags) -> Outcome<ExitCode> {
    let folder = flags.path("folder")?;
    let runs: usize = flags.number("--runs", 20usize)?.max(1);
    let bytes: usize = flags.number("--bytes", 1024usize)?.max(1);
    let mut pieces = Vec::new();
    for file in rough::markdown_files(&folder)? {
        let text = fs::read(&file).at(&file)?;
        cut(&String::from_utf8_lossy(&text), bytes, &mut pieces);
    }
    println!(
        "{}, `{}`, model `{}`",
        jiff::Zoned::now().date(),
        flags::command_line("embed"),
        embedded().model().id
    );
    println!("{} pieces of {bytes} bytes\n", pieces.len());
    println!("| what | figure | beside |\n|---|---:|---:|");
    first_vector(runs)?;
    for cores in [1, 2] {
        in_bulk(&pieces, cores)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Cuts a text at character boundaries into pieces of `bytes`; the rest is dropped.
fn cut(text: &str, bytes: usize, pieces: &mut Vec<String>) {
    let mut rest = text;
    while rest.len() >= bytes {
        let end = (bytes..=rest.len()).find(|&end| rest.is_char_boundary(end));
        let (piece, left) = rest.split_at(end.unwrap_or(rest.len()));
        pieces.push(piece.to_owned());
        rest = left;
    }
}

fn first_vector(runs: usize) -> Outcome<()> {
    let own: PathBuf = std::env::current_exe()?;
    let (mut firsts, mut wholes, mut nothings, mut faults) = (vec![], vec![], vec![], vec![]);
    for _ in 0..runs {
        let start = Instant::now();
        let output = Command::new(&own).arg(FIRST).output()?;
        wholes.push(start.elapsed());
        let start = Instant::now();
        Command::new(&own).arg(NOTHING).output()?;
        nothings.push(start.elapsed());
        let said = String::from_utf8(output.stdout)?;
        let mut words = said.split(' ');
        let mut number = || -> Outcome<u64> { Ok(words.next().unwrap_or_default().parse()?) };
        firsts.push(Duration::from_nanos(number()?));
        faults.push(number()?);
    }
    faults.sort_unstable();
    println!(
        "| first vector | {:.3} ms | {} page faults |",
        milliseconds(firsts),
        faults[runs / 2]
    );
    println!(
        "| whole process | {:.2} ms | {:.2} ms for nothing |",
        milliseconds(wholes),
        milliseconds(nothings)
    );
    Ok(())
}

fn in_bulk(pieces: &[String], cores: usize) -> Outcome<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(cores).build()?;
    let mut best = (0.0, 0.0);
    for _ in 0..3 {
        let (start, used) = (Instant::now(), processor_time());
        let sum: f32 = pool.install(|| {
            pieces
                .par_iter()
                .map(|piece| embedded().embed_one(piece)[0])
                .sum()
        });
        std::hint::black_box(sum);
        let took = start.elapsed().as_secs_f64();
        let rate = pieces.len() as f64 / took;
        if rate > best.0 {
            best = (rate, (processor_time() - used) / took);
        }
    }
    let (rate, share) = best;
    println!("| pieces a second, {cores} at a time | {rate:.0} | {share:.2} cores |");
    Ok(())
}

/// Returns the CPU time of this process in seconds.
fn processor_time() -> f64 {
    // In ticks of 10 ms.
    (process_stat(11) + process_stat(12)) as f64 / 100.0
}

/// Returns the number of page faults of this process.
fn page_faults() -> u64 {
    process_stat(7)
}

/// Returns a number from `/proc/self/stat`, counted from the state field; 0 on other systems.
fn process_stat(field: usize) -> u64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name, in parentheses, may contain blanks.
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let number = fields.split(' ').nth(field);
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn milliseconds(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e3
}
