//! `mem doctor`

mod disk;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;

use self::disk::PlaceRecord;
use crate::cache::{Cache, CacheError};
use crate::change::acts;
use crate::change::apply::{RunReport, settle};
use crate::commands::args::note_lookup::find_note;
use crate::commands::render;
use crate::error::{Error, Exit};
use crate::finding::plan::{Group, Plan};
use crate::jobs::doctor::{self, Finding, Kind, NoteRepair};
use crate::output::columns::GAP;
use crate::output::{Form, Output, Style, count, size};
use crate::run::plan::apply::{apply, take_recovered};
use crate::run::report::group::{GroupOutcome, GroupReport};
use crate::session::{Environment, Session};
use crate::view::{Entry, View};

/// Check the vault for problems
///
/// Finds broken links, embeds, headings and blocks, wikilinks that name only an alias or are
/// ambiguous, duplicate ids, cycles of `evolved_from`, unreadable front matter and files, names that differ only in case,
/// leftovers of interrupted runs, and copies that a sync tool made of mem's journals. Prints one problem per line and exits with 1 if there are any.
///
/// `--fix` repairs what has only one possible fix: a link to an alias or title of one note, a link
/// to a file that moved. `mem undo` reverts it. It also joins the copies of this machine's journals.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Check only the links, id and front matter of these notes [default: everything]
    note: Vec<String>,
    /// Only these kinds of problems, comma-separated
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kinds())]
    only: Vec<Kind>,
    /// Repair what can be repaired, in your own notes too
    #[arg(long)]
    fix: bool,
    /// Preview what `--fix` would change
    #[arg(short = 'n', long, requires = "fix")]
    dry_run: bool,
    /// Refuse to change anything if more than N notes would change
    #[arg(long, value_name = "N", requires = "fix")]
    expect: Option<usize>,
    /// Also show disk usage
    #[arg(long)]
    sizes: bool,
}

/// Reads the name of a kind.
fn kinds() -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(Kind::ALL.map(Kind::name)).map(|name| {
        let known = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        known.expect("clap lets only the names of kinds pass")
    })
}

#[derive(Debug, Serialize)]
struct Record {
    dry_run: bool,
    /// How many notes were looked at.
    notes: usize,
    findings: Vec<FindingRecord>,
    /// How many there are of each kind.
    counts: BTreeMap<&'static str, usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    groups: Vec<GroupReport>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    places: Vec<PlaceRecord>,
}

#[derive(Debug, Serialize)]
struct FindingRecord {
    kind: Kind,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    words: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    others: Vec<String>,
    /// What `--fix` puts in the place of the link.
    #[serde(skip_serializing_if = "Option::is_none")]
    repair: Option<String>,
    /// Whether this run put it right.
    repaired: bool,
}

/// Looks, and repairs.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let session = env.open()?;
    let output = &env.output;
    let (notes, findings, cache) = look(&session, args)?;
    let plan = if args.fix {
        repairs(output, &session.view(&cache)?, &findings)
    } else {
        Plan::default()
    };
    if let Some(expected) = args.expect.filter(|expected| plan.groups.len() > *expected) {
        return Err(Error::new(format!(
            "{} would change, more than the expected {expected}; nothing was changed",
            count(plan.groups.len(), "note")
        ))
        .hint("`--dry-run` lists them"));
    }
    let mended = match (args.fix, args.dry_run) {
        (false, _) => Mended::default(),
        (true, true) => Mended {
            groups: GroupReport::previews(&session.vault, &plan),
            ..Mended::default()
        },
        (true, false) => mend(&session, cache, &plan, &findings)?,
    };
    let is_open = |finding: &&Finding| !mended.has(finding);
    let open: Vec<&Finding> = findings.iter().filter(is_open).collect();
    let places = if args.sizes {
        disk::places(&session)
    } else {
        Vec::new()
    };
    if output.form == Form::Human {
        env.page(&session.settings)?;
        render::show_groups(output, &mended.groups)?;
        for finding in &open {
            let is_planned = args.dry_run && finding.repair.is_some();
            if !is_planned {
                show(output, finding)?;
            }
        }
        if findings.is_empty() {
            output.line("no problems")?;
        }
        show_places(output, &places)?;
    } else if output.form == Form::JsonLines {
        for finding in &findings {
            output.record(&record(finding, mended.has(finding)))?;
        }
    } else {
        let counts = by_kind(&findings);
        output.record(&Record {
            dry_run: args.dry_run,
            notes,
            findings: findings
                .iter()
                .map(|finding| record(finding, mended.has(finding)))
                .collect(),
            counts,
            run: mended.run.clone(),
            groups: mended.groups,
            places,
        })?;
    }
    say_ends(&session, args, &open);
    if let Some(run) = &mended.run {
        output.hint_undo(run);
    }
    Ok(Exit::found(open.is_empty()))
}

/// Returns how many notes were looked at, and what is wrong.
fn look(session: &Session, args: &Args) -> Result<(usize, Vec<Finding>, Cache), Error> {
    // A check wants the whole truth: the quick look before a search may miss an old note's edit.
    let cache = if session.env.no_sync {
        session.cache()?
    } else {
        Cache::doubt(&session.homes.cache);
        let indexed = session.index_if_writable()?;
        session.ask(indexed, |cache| Ok(cache.read()?.verify()?))?.1
    };
    let among: Option<Vec<Entry>> = if args.note.is_empty() {
        None
    } else {
        let view = session.view(&cache)?;
        let notes = args.note.iter();
        Some(
            notes
                .map(|name| find_note(&session.env, &view, name))
                .collect::<Result<_, _>>()?,
        )
    };
    let disk = disk::list(session, &session.env.now);
    let renamed = session.renamed()?;
    let ask = |cache: &Cache| -> Result<_, CacheError> {
        let view = View::new(&session.vault, cache.read()?, session.env.now.clone());
        let report = doctor::check(
            &session.vault,
            &view,
            &disk.files,
            &renamed,
            among.as_deref(),
        )?;
        let left_out = view.reading().meta()?.problems;
        Ok((report, left_out))
    };
    let ((report, left_out), cache) = session.ask(cache, ask)?;
    let mut findings = report.findings;
    if among.is_none() {
        findings.extend(disk.findings);
        findings.extend(disk::runs(session)?);
        findings.extend(disk::drafts(session));
        findings.extend(disk::journals(session)?);
        let left_out = left_out.into_iter();
        findings.extend(left_out.map(|(path, why)| Finding::new(Kind::LeftOut, path, why)));
    }
    if !args.only.is_empty() {
        findings.retain(|finding| args.only.contains(&finding.kind));
    }
    doctor::sort(&mut findings);
    Ok((report.notes, findings, cache))
}

/// The plan of all repairs, a group for each note; one that cannot be repaired now is named and left.
fn repairs(output: &Output, view: &View<'_>, findings: &[Finding]) -> Plan {
    let mut groups = Vec::new();
    for NoteRepair { title, reason, act } in doctor::repairs(findings) {
        match acts::by_hand(view, &reason, &[act]) {
            Ok(group) => groups.push(Group { title, ..group }),
            Err(error) => output.warn(&format!("cannot {title}: {error}")),
        }
    }
    Plan {
        job: "doctor".to_owned(),
        groups,
    }
}

/// What was put right.
#[derive(Default)]
struct Mended {
    groups: Vec<GroupReport>,
    run: Option<String>,
    /// Notes whose links were repaired.
    notes: HashSet<String>,
    leftovers: HashSet<String>,
    runs: bool,
    /// Journals of this machine.
    journals: HashSet<String>,
}

impl Mended {
    fn has(&self, finding: &Finding) -> bool {
        match finding.kind {
            Kind::Leftover => self.leftovers.contains(&finding.path),
            Kind::UnfinishedRun => self.runs,
            Kind::JournalCopy | Kind::SharedDevice | Kind::UnreadableJournal => {
                self.journals.contains(&finding.path)
            }
            _ => finding.repair.is_some() && self.notes.contains(&finding.path),
        }
    }
}

fn mend(
    session: &Session,
    cache: Cache,
    plan: &Plan,
    findings: &[Finding],
) -> Result<Mended, Error> {
    let mut mended = Mended::default();
    if findings
        .iter()
        .any(|finding| finding.kind == Kind::UnfinishedRun)
    {
        let settled = settle(&session.vault, &session.homes, &session.env.run_info())?;
        take_recovered(session, &settled);
        mended.runs = settled.iter().all(|recovered| recovered.problem.is_none());
    }
    mended.leftovers = disk::clear(session, findings);
    mended.journals = disk::join_journals(session, findings)?;
    let report: RunReport = apply(session, cache, plan)?;
    mended.groups = GroupReport::of_run(plan, &report);
    mended.run = report.run.as_ref().map(ToString::to_string);
    let applied = mended
        .groups
        .iter()
        .filter(|group| group.outcome == GroupOutcome::Applied);
    mended.notes = applied
        .flat_map(|group| group.files.iter().cloned())
        .collect();
    Ok(mended)
}

fn record(finding: &Finding, repaired: bool) -> FindingRecord {
    FindingRecord {
        kind: finding.kind,
        path: finding.path.clone(),
        line: finding.line,
        words: finding.message.clone(),
        link: finding.link.clone(),
        others: finding.others.clone(),
        repair: finding.repair.as_ref().map(|repair| repair.text.clone()),
        repaired,
    }
}

/// `path:line: kind: words`, as compilers have it, so that editors find the place.
fn show(output: &Output, finding: &Finding) -> Result<(), Error> {
    if output.stdout_is_terminal {
        let place = match finding.line {
            Some(line) => output.place_at(&finding.path, line),
            None => output.place(&finding.path),
        };
        let kind = output.paint(Style::Warning, finding.kind.name());
        output.line(&format!("{place}{GAP}{kind}"))?;
        return output.write_wrapped(&format!("  {}", finding.message).into());
    }
    let line = finding.line.map(|line| format!("{line}:"));
    output.line(&format!(
        "{}:{} {}: {}",
        output.place(&finding.path),
        line.unwrap_or_default(),
        output.paint(Style::Warning, finding.kind.name()),
        output.clean(&finding.message)
    ))
}

fn show_places(output: &Output, places: &[PlaceRecord]) -> Result<(), Error> {
    for place in places {
        output.line(&format!(
            "{:<8} {:>9}  {:>14}  {}",
            place.what,
            size(place.bytes),
            count(place.files as usize, "file"),
            output.place(&place.path)
        ))?;
    }
    Ok(())
}

/// Returns how many problems there are of each kind.
fn by_kind<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for finding in findings {
        *counts.entry(finding.kind.name()).or_default() += 1;
    }
    counts
}

/// Says how much is wrong and what can be done.
fn say_ends(session: &Session, args: &Args, open: &[&Finding]) {
    if open.is_empty() {
        return;
    }
    let output = &session.env.output;
    let paths: BTreeSet<&str> = open.iter().map(|finding| finding.path.as_str()).collect();
    let left = if args.fix && !args.dry_run {
        " left"
    } else {
        ""
    };
    let mut kinds: Vec<(&str, usize)> = by_kind(open.iter().copied()).into_iter().collect();
    kinds.sort_by_key(|(_, number)| Reverse(*number));
    let kinds: Vec<String> = kinds
        .iter()
        .map(|(name, number)| format!("{number} {name}"))
        .collect();
    let kinds = match kinds.as_slice() {
        [_] => String::new(),
        several => format!(": {}", several.join(", ")),
    };
    output.say(&format!(
        "{}{left} in {}{kinds}",
        count(open.len(), "problem"),
        count(paths.len(), "file")
    ));
    let repairs = open.iter().filter(|finding| finding.repair.is_some());
    let own = open
        .iter()
        .filter(|finding| disk::is_fixable(session, finding));
    let fixable = repairs.count() + own.count();
    if fixable > 0 && !args.fix {
        output.hint(&format!(
            "`mem doctor --fix` repairs {fixable} of them; `--fix --dry-run` previews it"
        ));
    }
}
