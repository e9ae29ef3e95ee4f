//! Whether a merge loses content, on pairs made of real notes.
//!
//! ```text
//! cargo bench --bench merge -- VAULT... [--pairs 2000] [--seed 1] [--show 3]
//! ```
//!
//! Draws notes of each vault and makes two variants of each: parts moved, repeated, nested,
//! reordered, with other labels, properties and comments, constructs that parsers disagree on,
//! other line endings and front matter formats. One is merged into the other. The result must
//! contain every event of a Markdown parser with its headings and items, all lines (without
//! parsing), and the values and comments of the front matter. The table counts pairs merged,
//! refused (nothing is changed then), and merged with missing content. Only copies in a temporary
//! folder are written.
//!
//! The exit code is 1 if anything is missing.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

#[path = "../support/mod.rs"]
mod support;

mod check;
mod vary;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use jiff::Zoned;
use mem::cache::sync::{self, SyncSource};
use mem::change::acts;
use mem::change::compile::{CompileOutcome, preview};
use mem::finding::act::Act;
use mem::finding::plan::Plan;
use mem::note::front_matter::split::split;
use mem::note::path::VaultPath;
use mem::note::words::language::LanguageSetting;
use mem::vault::Vault;
use mem::view::View;

use support::flags::{self, Flags};
use support::random::Random;
use support::rough::markdown_files;
use support::{AtPath, Outcome};

const USAGE: &str = "cargo bench --bench merge -- VAULT... [--pairs 2000] [--seed 1] [--show 3]";

fn main() -> ExitCode {
    flags::run(USAGE, &["--pairs", "--seed", "--show"], bench)
}

fn bench(flags: &Flags) -> Outcome<ExitCode> {
    let pairs: usize = flags.number("--pairs", 2000)?;
    let seed: u64 = flags.number("--seed", 1)?;
    let mut show: usize = flags.number("--show", 3)?;
    let mut lost = 0;
    println!("vault | pairs | merged | refused | something missing");
    println!("--|--|--|--|--");
    for (number, root) in flags.words().iter().enumerate() {
        let root = Path::new(root);
        let mut random = Random::new(seed, number as u64);
        let [merged, refused, lacking] = measure(root, pairs, &mut random, &mut show)?;
        let name = root.display();
        println!(
            "{name} | {} | {merged} | {refused} | {lacking}",
            merged + refused
        );
        lost += lacking;
    }
    Ok(ExitCode::from(u8::from(lost > 0)))
}

/// Returns how many pairs from the vault at `root` were merged, were refused, and lack content.
fn measure(
    root: &Path,
    pairs: usize,
    random: &mut Random,
    show: &mut usize,
) -> Outcome<[usize; 3]> {
    let files = markdown_files(root)?;
    let folder = tempfile::tempdir()?;
    let (copies, home) = (folder.path().join("vault"), folder.path().join("cache"));
    fs::create_dir_all(copies.join(".mem")).at(&copies)?;
    fs::create_dir(&home).at(&home)?;
    let mut made = Vec::new();
    while made.len() < pairs {
        let file = random.pick(&files);
        let Ok(text) = fs::read_to_string(file) else {
            continue;
        };
        let pair = vary::pair(&text.replace("\r\n", "\n"), random);
        for (name, text) in ["a", "b"].iter().zip(&pair) {
            let path = copies.join(format!("{} {name}.md", made.len()));
            fs::write(&path, text).at(&path)?;
        }
        made.push(pair);
    }
    let vault = Vault::open(&copies)?;
    let (cache, _) = sync::rebuild(
        SyncSource::quiet(&vault, None),
        &home,
        1,
        LanguageSetting::Auto,
    )?;
    let now: Zoned = "2026-06-01T12:00[UTC]".parse()?;
    let view = View::new(&vault, cache.read()?, now);
    let mut counts = [0; 3];
    for (number, [keeper, other]) in made.iter().enumerate() {
        let path = |name: &str| VaultPath::new(&format!("{number} {name}.md"));
        let act = Act::Merge {
            keeper: path("a")?,
            others: vec![path("b")?],
            body: None,
        };
        let group = match acts::manual_group(&view, "bench", &[act]) {
            Ok(group) => group,
            Err(error) => {
                counts[1] += 1;
                eprintln!("refused: {error}");
                continue;
            }
        };
        let plan = Plan {
            job: "bench".to_owned(),
            groups: vec![group],
        };
        let compiled = preview(&vault, &plan).pop();
        let merged = match compiled.ok_or("no group")? {
            // Refused by the check of links, or after the texts are combined.
            CompileOutcome::Dropped { path, reason } => {
                counts[1] += 1;
                eprintln!("refused: `{path}`: {reason}");
                continue;
            }
            CompileOutcome::Unchanged => keeper.clone(),
            CompileOutcome::Ready(ready) => {
                let kept = path("a")?;
                let after = ready.writes.into_iter().find(|write| write.path == kept);
                let after = after.and_then(|write| write.after);
                after.map_or_else(|| keeper.clone(), |text| text.to_string())
            }
        };
        counts[0] += 1;
        let missing = missing([keeper, other], &merged, number);
        if !missing.is_empty() {
            counts[2] += 1;
            if *show > 0 {
                *show -= 1;
                eprintln!(
                    "{missing:#?}\n--- keeper\n{keeper}\n--- other\n{other}\n--- merged\n{merged}"
                );
            }
        }
    }
    Ok(counts)
}

/// Returns what the merged note lacks.
fn missing(sources: [&str; 2], merged: &str, number: usize) -> Vec<String> {
    let body = |text: &str| text[split(text).body].to_owned();
    let mut titles = vec![format!("{number} a"), format!("{number} b")];
    for source in sources {
        titles.extend(check::title(&body(source)));
        let title = source.lines().find_map(|line| line.strip_prefix("title: "));
        titles.extend(title.map(|title| title.trim_matches(['"', '\'']).to_owned()));
    }
    let front = &merged[..split(merged).body.start];
    let mut missing = Vec::new();
    for source in sources {
        let [said, kept] =
            [source, merged].map(|text| check::with_last_steps(&body(text).replace("\r\n", "\n")));
        missing.extend(check::missing(&said, &kept, &titles));
        missing.extend(check::missing_lines(&said, &kept, &titles));
        let said = vary::required_values(source).into_iter();
        missing.extend(
            said.filter(|said| !front.contains(said))
                .map(|said| format!("front matter: {said}")),
        );
    }
    missing
}
