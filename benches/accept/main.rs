//! Whether links survive when every suggestion is accepted.
//!
//! ```text
//! cargo bench --bench accept -- VAULT... [--moves 50] [--rounds 2] [--set KEY=VALUE]… [--show 5]
//! ```
//!
//! `VAULT` is only read. In a copy, each job runs in turn, all its proposals are accepted, and the
//! index is updated; this repeats `--rounds` times. `--set` sets a setting of the vault. Then
//! `--moves` notes get other names in other folders. In every written note, links are counted
//! before and after in plain text, independently of `mem`'s parser and check, and compared with the
//! permitted changes.
//!
//! | figure | what it is |
//! |---|---|
//! | acts | groups written |
//! | notes | notes edited or merged into another, with repetitions |
//! | links | links of these notes before |
//! | unexplained | link differences that no act explains |
//! | refused | groups that the check of links refuses |
//! | dropped | groups not applied for another reason, mostly because an earlier one removed the note |
//!
//! The exit code is 1 if a difference is unexplained.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

mod count;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use mem::change::DropReason;
use mem::change::acts;
use mem::change::apply::apply;
use mem::change::compile::{CompileOutcome, preview};
use mem::finding::act::Act;
use mem::finding::plan::{Group, Plan};
use mem::finding::question::{Answer, Answers};
use mem::jobs::JOBS;
use mem::jobs::find::Seeds;
use mem::note::path::VaultPath;
use mem::session::Session;
use mem::view::View;

use support::flags::{self, Flags};
use support::process::copy_folder;
use support::vault::{Homes, indexed, words};
use support::{AtPath, Outcome};

const USAGE: &str = "cargo bench --bench accept -- VAULT... [--moves 50] [--rounds 2] \
                     [--set KEY=VALUE]… [--show 5]";

fn main() -> ExitCode {
    flags::run(USAGE, &["--moves", "--rounds", "--set", "--show"], bench)
}

/// Results of one vault.
#[derive(Default)]
struct Tally {
    acts: usize,
    notes: usize,
    links: usize,
    unexplained: Vec<String>,
    refused: Vec<String>,
    dropped: usize,
    kinds: BTreeMap<String, usize>,
}

fn bench(flags: &Flags) -> Outcome<ExitCode> {
    let show: usize = flags.number("--show", 5)?;
    let mut failed = false;
    println!(
        "{}, `{}`\n",
        jiff::Zoned::now().date(),
        flags::command_line("accept")
    );
    println!("| vault | acts | notes | links | unexplained | refused | dropped | by kind |");
    println!("|---|---:|---:|---:|---:|---:|---:|---|");
    for root in flags.words() {
        let root = Path::new(root);
        let tally = measure(root, flags)?;
        let kinds = tally
            .kinds
            .iter()
            .map(|(kind, count)| format!("{count} {kind}"));
        println!(
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            root.file_name().unwrap_or_default().display(),
            tally.acts,
            tally.notes,
            tally.links,
            tally.unexplained.len(),
            tally.refused.len(),
            tally.dropped,
            kinds.collect::<Vec<_>>().join(", "),
        );
        for line in tally.unexplained.iter().take(show) {
            eprintln!("unexplained: {line}");
        }
        for line in tally.refused.iter().take(show) {
            eprintln!("refused: {line}");
        }
        failed |= !tally.unexplained.is_empty();
    }
    Ok(ExitCode::from(u8::from(failed)))
}

fn measure(root: &Path, flags: &Flags) -> Outcome<Tally> {
    let folder = tempfile::tempdir()?;
    let vault = folder.path().join("vault");
    copy_folder(root, &vault)?;
    let own = vault.join(".mem");
    fs::create_dir_all(&own).at(&own)?;
    let settings = own.join("config.toml");
    fs::write(&settings, flags.all("--set").join("\n")).at(&settings)?;
    let session = indexed(&Homes::below(folder.path()), &vault)?;
    let mut tally = Tally::default();
    for _ in 0..flags.number("--rounds", 2usize)? {
        for job in JOBS {
            let find = job.configured(&session.settings).find;
            step(&session, &mut tally, |view| {
                let found = find.find(view, &Answers::default(), &Seeds::All)?;
                let done = found.found.into_iter().filter_map(|finding| {
                    let group = acts::group(view, &finding, Answer::Yes).ok()?;
                    let name = finding.kind().name().to_owned();
                    Some((name, finding.answered(Answer::Yes), group))
                });
                Ok(done.collect())
            })?;
        }
    }
    let moves = flags.number("--moves", 50usize)?;
    step(&session, &mut tally, |view| {
        let entries = view.entries()?;
        let every = (entries.len() / moves.max(1)).max(1);
        let mut done = Vec::new();
        for entry in entries.iter().step_by(every).take(moves) {
            let to = format!("moved to (here)/{} renamed.md", entry.path.stem());
            let note = entry.path.clone();
            let acts = vec![Act::Move {
                note,
                to: VaultPath::new(&to)?,
            }];
            if let Ok(group) = acts::manual_group(view, "bench", &acts) {
                done.push(("move".to_owned(), acts, group));
            }
        }
        Ok(done)
    })?;
    Ok(tally)
}

type AcceptedProposal = (String, Vec<Act>, Group);

/// Accepts the proposals of `propose` for the current vault.
fn step(
    session: &Session,
    tally: &mut Tally,
    propose: impl FnOnce(&View<'_>) -> Outcome<Vec<AcceptedProposal>>,
) -> Outcome<()> {
    let (cache, _) = session.index().map_err(|error| words(&error))?;
    let cache = session.embed(cache).map_err(|error| words(&error))?;
    let accepted = propose(&session.view_with_near(&cache)?)?;
    let plan = Plan {
        job: "bench".to_owned(),
        groups: accepted.iter().map(|(_, _, group)| group.clone()).collect(),
    };
    for (compiled, (kind, acts, group)) in preview(&session.vault, &plan).iter().zip(&accepted) {
        match compiled {
            CompileOutcome::Ready(ready) => {
                let count = count::count(acts, ready);
                tally.acts += 1;
                *tally.kinds.entry(kind.clone()).or_default() += 1;
                tally.notes += count.notes;
                tally.links += count.links;
                tally.unexplained.extend(count.unexplained);
            }
            CompileOutcome::Dropped {
                path,
                reason: DropReason::Links(damage),
            } => {
                tally
                    .refused
                    .push(format!("{}: {path}: {damage}", group.title));
            }
            CompileOutcome::Dropped { .. } => tally.dropped += 1,
            CompileOutcome::Unchanged => {}
        }
    }
    apply(
        &session.vault,
        &session.homes,
        &plan,
        &session.env.run_info(),
    )?;
    Ok(())
}
