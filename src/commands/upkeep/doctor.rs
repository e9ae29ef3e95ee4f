//! `mem doctor`

use std::cmp::Reverse;

use crate::commands::prelude::*;
use crate::finding::Plan;
use crate::jobs::doctor::ProblemKind;
use crate::output::size;
use crate::run::doctor::disk::{PlaceRecord, is_fixable, places};
use crate::run::doctor::{self, Repairs, audit};

/// Check the vault for problems
///
/// Finds broken links, ambiguous names, duplicate ids, cycles of `evolved_from`, unreadable files
/// and front matter, conflicts of merges and sync tools, and leftovers of interrupted runs.
/// Prints one problem per line and exits with 1 if there are any; many links to missing notes are
/// grouped by target unless `--only` is given. `--fix` repairs problems with a
/// single possible fix, like a link to a moved file; `mem undo` reverts it.
#[derive(Debug, Default, clap::Args)]
pub struct DoctorRequest {
    /// Check only the links, id and front matter of these notes [default: everything]
    pub note: Vec<String>,
    /// Only these kinds of problems, comma-separated
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = named(ProblemKind::ALL, ProblemKind::name))]
    pub only: Vec<ProblemKind>,
    /// Repair what can be repaired, in your own notes too
    #[arg(long)]
    pub fix: bool,
    /// Preview the changes of `--fix`
    #[arg(long, requires = "fix")]
    pub dry_run: bool,
    /// Refuse to change anything if more than N notes would change
    #[arg(long, value_name = "N", requires = "fix")]
    pub expect: Option<usize>,
    /// Also show disk usage
    #[arg(long)]
    pub sizes: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties")]
pub struct Checkup {
    dry_run: bool,
    /// Number of checked notes.
    notes: usize,
    findings: Vec<FindingRecord>,
    /// Number of problems of each kind.
    counts: BTreeMap<&'static str, usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    groups: Vec<GroupReport>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    places: Vec<PlaceRecord>,
    #[serde(skip)]
    fix: bool,
    /// Whether to offer `--fix`.
    #[serde(skip)]
    offers_fix: bool,
    /// Whether links to the same missing note share a line.
    #[serde(skip)]
    is_grouped: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct FindingRecord {
    kind: ProblemKind,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    words: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    /// The file that the link means, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    others: Vec<String>,
    /// The replacement of the link by `--fix`.
    #[serde(skip_serializing_if = "Option::is_none")]
    repair: Option<String>,
    /// Whether this run repaired it.
    repaired: bool,
    /// Whether `--fix` can repair it.
    #[serde(skip)]
    is_fixable: bool,
}

impl Request for DoctorRequest {
    type Reply<'s> = Checkup;

    fn answer(&self, session: &Session) -> Result<Checkup> {
        let cache = doctor::verified_cache(session)?;
        let named = find_notes(&session.env, &session.view(&cache)?, &self.note)?;
        let among = (!self.note.is_empty()).then_some(&named[..]);
        let (notes, findings, cache) = doctor::check(session, cache, among, &self.only)?;
        let plan = if self.fix {
            doctor::repairs(&session.env.output, &session.view(&cache)?, &findings)
        } else {
            Plan::default()
        };
        if let Some(expected) = self.expect.filter(|expected| plan.groups.len() > *expected) {
            return Err(Error::new(format!(
                "{} would change, more than the expected {expected}; nothing was changed",
                count(plan.groups.len(), "note")
            ))
            .hint("`--dry-run` lists them"));
        }
        let repaired = match (self.fix, self.dry_run) {
            (false, _) => Repairs::default(),
            (true, true) => Repairs::preview(session, &plan),
            (true, false) => doctor::repair(session, cache, &plan, &findings)?,
        };
        let mut counts = BTreeMap::new();
        for finding in &findings {
            *counts.entry(finding.kind.name()).or_default() += 1;
        }
        let findings = findings.into_iter().map(|finding| FindingRecord {
            repaired: repaired.has(&finding),
            is_fixable: finding.repair.is_some() || is_fixable(session, &finding),
            kind: finding.kind,
            path: finding.path,
            line: finding.line,
            words: finding.message,
            link: finding.link,
            target: finding.target,
            others: finding.others,
            repair: finding.repair.map(|repair| repair.text),
        });
        Ok(Checkup {
            dry_run: self.dry_run,
            notes,
            findings: findings.collect(),
            counts,
            run: repaired.run,
            groups: repaired.groups,
            places: if self.sizes {
                places(session)
            } else {
                Vec::new()
            },
            fix: self.fix,
            offers_fix: !self.fix,
            is_grouped: self.only.is_empty() && self.note.is_empty(),
        })
    }
}

/// Check the memory directory of an agent
///
/// Checks a copy of it, so that nothing is written: files longer than what its host loads, links to
/// missing files, copies, contradictions and replaced facts, keys and tokens. Uses the limits of
/// Claude Code, OpenClaw and Codex. Prints one problem per line and exits with 1 if there are any.
#[derive(Debug, clap::Args)]
pub struct AuditRequest {
    /// The directory, like `~/.claude/projects/PROJECT/memory`
    pub folder: PathBuf,
}

impl Request<Environment> for AuditRequest {
    type Reply<'s> = Checkup;

    fn answer(&self, env: &Environment) -> Result<Checkup> {
        let (session, _copy) = audit::open_copy(env, &self.folder)?;
        let only = ProblemKind::ALL.to_vec();
        let request = DoctorRequest {
            only,
            ..DoctorRequest::default()
        };
        // Messages about the index are about the copy.
        let (reply, _) = request.reply(&session);
        Ok(Checkup {
            offers_fix: false,
            ..reply?
        })
    }
}

impl Checkup {
    /// Returns the problems that are not repaired.
    fn open(&self) -> impl Iterator<Item = &FindingRecord> + Clone {
        self.findings.iter().filter(|finding| !finding.repaired)
    }

    /// Returns the numbers of problems in one line.
    fn summary(&self) -> String {
        let paths: BTreeSet<&str> = self.open().map(|finding| finding.path.as_str()).collect();
        let left = if self.fix && !self.dry_run {
            " left"
        } else {
            ""
        };
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for finding in self.open() {
            *counts.entry(finding.kind.name()).or_default() += 1;
        }
        let mut kinds: Vec<(&str, usize)> = counts.into_iter().collect();
        kinds.sort_by_key(|(_, number)| Reverse(*number));
        let phrases: Vec<String> = kinds
            .iter()
            .map(|(name, number)| format!("{number} {name}"))
            .collect();
        let kinds = match phrases.as_slice() {
            [_] => String::new(),
            several => format!(": {}", several.join(", ")),
        };
        let problems = count(self.open().count(), "problem");
        format!("{problems}{left} in {}{kinds}", count(paths.len(), "file"))
    }
}

impl Reply for Checkup {
    fn show(&self, page: &Page<'_>) {
        render::show_groups(page, &self.groups);
        let missing: Vec<&FindingRecord> = self.open().filter(|one| one.is_missing()).collect();
        let is_grouped = self.is_grouped && missing.len() > MAX_LISTED_LINKS;
        for finding in self.open() {
            let is_planned = self.dry_run && finding.repair.is_some();
            if !(is_planned || is_grouped && finding.is_missing()) {
                finding.show(page);
            }
        }
        if is_grouped {
            show_missing(page, &missing);
        }
        if self.findings.is_empty() {
            page.line("no problems");
        }
        for place in &self.places {
            page.line(&format!(
                "{:<8} {:>9}  {:>14}  {}",
                place.what,
                size(place.bytes),
                count(place.files as usize, "file"),
                page.place(&place.path)
            ));
        }
    }

    list!(findings);

    fn messages(&self) -> Vec<Message> {
        let mut messages = Vec::new();
        if self.open().next().is_some() {
            messages.push(Message::Status(self.summary()));
        }
        let fixable = self.open().filter(|finding| finding.is_fixable).count();
        if fixable > 0 && self.offers_fix {
            messages.push(Message::Hint(format!(
                "`mem doctor --fix` repairs {fixable} of them; `--fix --dry-run` previews it"
            )));
        }
        messages.extend(self.run.as_deref().map(Message::undo));
        messages
    }

    fn exit(&self) -> Result<Exit> {
        Ok(Exit::found(self.open().next().is_none()))
    }
}

/// Maximum number of links to missing files that are listed one by one.
const MAX_LISTED_LINKS: usize = 20;
/// Maximum number of missing files that are listed with their links.
const MAX_LISTED_TARGETS: usize = 10;
/// Maximum number of places listed per missing file.
const MAX_LISTED_PLACES: usize = 3;

/// Writes the links to missing files by target, those with the most links first.
fn show_missing(page: &Page<'_>, missing: &[&FindingRecord]) {
    let mut by_target: BTreeMap<String, Vec<&FindingRecord>> = BTreeMap::new();
    for &link in missing {
        let target = link.target.as_deref().unwrap_or_default();
        by_target
            .entry(target.to_lowercase())
            .or_default()
            .push(link);
    }
    let mut targets: Vec<Vec<&FindingRecord>> = by_target.into_values().collect();
    targets.sort_by_key(|links| Reverse(links.len()));
    for links in targets.iter().take(MAX_LISTED_TARGETS) {
        let places = links.iter().take(MAX_LISTED_PLACES).map(|link| {
            let line = link.line.map(|line| format!(":{line}"));
            format!("{}{}", page.place(&link.path), line.unwrap_or_default())
        });
        let mut places: Vec<String> = places.collect();
        if links.len() > MAX_LISTED_PLACES {
            places.push(format!("{} more", links.len() - MAX_LISTED_PLACES));
        }
        let target = links[0].target.as_deref().unwrap_or_default();
        page.row(&format!(
            "{} to missing `{}`: {}",
            count(links.len(), "link"),
            page.clean(target),
            places.join(", ")
        ));
    }
    let rest = targets.iter().skip(MAX_LISTED_TARGETS);
    let links: usize = rest.clone().map(Vec::len).sum();
    if links > 0 {
        let kinds: BTreeSet<&str> = rest.flatten().map(|link| link.kind.name()).collect();
        page.row(&format!(
            "{} to {}: `mem list --missing` counts the notes, `mem doctor --only {}` lists each",
            count(links, "link"),
            count(targets.len() - MAX_LISTED_TARGETS, "other missing file"),
            Vec::from_iter(kinds).join(",")
        ));
    }
}

impl FindingRecord {
    /// Whether it is a link to a file that does not exist under any name.
    fn is_missing(&self) -> bool {
        let is_link = [ProblemKind::BrokenLink, ProblemKind::BrokenEmbed].contains(&self.kind);
        is_link && self.target.is_some() && self.others.is_empty() && !self.is_fixable
    }

    /// Writes `path:line: kind: words` as compilers do, so that editors find the line.
    fn show(&self, page: &Page<'_>) {
        if page.stdout_is_terminal {
            let place = match self.line {
                Some(line) => page.place_at(&self.path, line),
                None => page.place(&self.path),
            };
            let kind = page.paint(Style::Warning, self.kind.name());
            page.line(&format!("{place}{GAP}{kind}"));
            return page.write_wrapped(&format!("  {}", self.words).into());
        }
        let line = self.line.map(|line| format!("{line}:"));
        page.line(&format!(
            "{}:{} {}: {}",
            page.place(&self.path),
            line.unwrap_or_default(),
            page.paint(Style::Warning, self.kind.name()),
            page.clean(&self.words)
        ));
    }
}
