//! `mem doctor`

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;

use crate::cache::Cache;
use crate::commands::args::note_lookup::find_note;
use crate::commands::render;
use crate::error::{Error, Exit};
use crate::finding::plan::Plan;
use crate::jobs::doctor::{Finding, Kind};
use crate::output::columns::GAP;
use crate::output::{Form, Output, Style, count, size};
use crate::run::doctor::disk::{PlaceRecord, is_fixable, places};
use crate::run::doctor::{self, Repaired};
use crate::run::report::group::GroupReport;
use crate::session::{Environment, Session};
use crate::view::Entry;

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
    let cache = doctor::verified_cache(&session)?;
    let among = named(&session, &cache, &args.note)?;
    let (notes, mut findings, cache) = doctor::check(&session, cache, among.as_deref())?;
    if !args.only.is_empty() {
        findings.retain(|finding| args.only.contains(&finding.kind));
    }
    let plan = if args.fix {
        doctor::repairs(output, &session.view(&cache)?, &findings)
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
    let repaired = match (args.fix, args.dry_run) {
        (false, _) => Repaired::default(),
        (true, true) => Repaired::preview(&session, &plan),
        (true, false) => doctor::repair(&session, cache, &plan, &findings)?,
    };
    let is_open = |finding: &&Finding| !repaired.has(finding);
    let open: Vec<&Finding> = findings.iter().filter(is_open).collect();
    let places = if args.sizes {
        places(&session)
    } else {
        Vec::new()
    };
    if output.form == Form::Human {
        env.page(&session.settings)?;
        render::show_groups(output, &repaired.groups)?;
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
            output.record(&record(finding, repaired.has(finding)))?;
        }
    } else {
        let counts = by_kind(&findings);
        output.record(&Record {
            dry_run: args.dry_run,
            notes,
            findings: findings
                .iter()
                .map(|finding| record(finding, repaired.has(finding)))
                .collect(),
            counts,
            run: repaired.run.clone(),
            groups: repaired.groups,
            places,
        })?;
    }
    say_ends(&session, args, &open);
    if let Some(run) = &repaired.run {
        output.hint_undo(run);
    }
    Ok(Exit::found(open.is_empty()))
}

/// Returns the notes that `names` mean; `None` for all.
fn named(session: &Session, cache: &Cache, names: &[String]) -> Result<Option<Vec<Entry>>, Error> {
    if names.is_empty() {
        return Ok(None);
    }
    let view = session.view(cache)?;
    let entries = names
        .iter()
        .map(|name| find_note(&session.env, &view, name));
    entries.collect::<Result<_, _>>().map(Some)
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
    let own = open.iter().filter(|finding| is_fixable(session, finding));
    let fixable = repairs.count() + own.count();
    if fixable > 0 && !args.fix {
        output.hint(&format!(
            "`mem doctor --fix` repairs {fixable} of them; `--fix --dry-run` previews it"
        ));
    }
}
