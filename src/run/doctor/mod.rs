//! Checks notes, files, journals and run records of a vault, and repairs problems with a unique
//! fix.

pub mod audit;
pub mod canvas;
mod conflict_copies;
pub mod disk;

use crate::change::apply::recover_only;
use crate::jobs::doctor::{self, DoctorFinding, ProblemKind};
use crate::run::plan::apply::{apply, record_recovered};
use crate::run::prelude::*;
use crate::run::report::group::{GroupOutcome, GroupReport};

/// Returns a cache verified against every file. The quick check before a search may miss an edit of
/// an old note.
pub fn verified_cache(session: &Session) -> Result<Cache> {
    if session.env.no_sync {
        return session.cache();
    }
    Cache::doubt(&session.homes.cache);
    let indexed = session.index_if_writable()?;
    Ok(session.ask(indexed, |cache| cache.read()?.verify())?.1)
}

/// Checks the notes `among`, or the whole vault, for problems of the kinds `only`, or of all kinds that are not
/// [on request](ProblemKind::ON_REQUEST). Returns the number of checked notes and the sorted
/// problems.
pub fn check(
    session: &Session,
    cache: Cache,
    among: Option<&[Entry]>,
    only: &[ProblemKind],
) -> Result<(usize, Vec<DoctorFinding>, Cache)> {
    let disk = disk::list(session, &session.env.now);
    let renamed = session.renamed()?;
    let ask = |cache: &Cache| -> Result<_, CacheError> {
        let view = View::new(&session.vault, cache.read()?, session.env.now.clone());
        let report = doctor::check(&view, &disk.files, &renamed, among)?;
        let left_out = view.reading().meta()?.problems;
        let copies = conflict_copies::findings(session, &view, among)?;
        Ok((report, left_out, copies))
    };
    let ((report, left_out, copies), cache) = session.ask(cache, ask)?;
    let mut findings = [report.findings, copies].concat();
    if among.is_none() {
        findings.extend(canvas::findings(&session.vault, &disk.files));
        findings.extend(disk.findings);
        findings.extend(disk::runs(session)?);
        findings.extend(disk::drafts(session));
        findings.extend(disk::journals(session)?);
        let left_out = left_out.into_iter();
        findings.extend(
            left_out.map(|(path, why)| DoctorFinding::new(ProblemKind::LeftOut, path, why)),
        );
    }
    if !only.is_empty() {
        findings.retain(|finding| only.contains(&finding.kind));
    }
    let (more, cache) = audit::problems(session, cache, among, only)?;
    findings.extend(more);
    doctor::sort(&mut findings);
    Ok((report.notes, findings, cache))
}

/// Returns the plan of all repairs, one group per note; warns about notes that cannot be repaired
/// now.
pub fn repairs(output: &Output, view: &View<'_>, findings: &[DoctorFinding]) -> Plan {
    let mut groups = Vec::new();
    let repairs = doctor::repairs(findings).into_iter();
    let links = repairs.map(|repair| (repair.title, repair.reason, vec![repair.act]));
    // All copies of a note have the same acts.
    let mut copies: Vec<(&[Act], Vec<&DoctorFinding>)> = Vec::new();
    for finding in findings.iter().filter(|finding| !finding.acts.is_empty()) {
        match copies.iter_mut().find(|(acts, _)| *acts == finding.acts) {
            Some((_, of)) => of.push(finding),
            None => copies.push((&finding.acts, vec![finding])),
        }
    }
    let others = copies.into_iter().map(|(acts, of)| {
        let paths: Vec<&str> = of.iter().map(|finding| finding.path.as_str()).collect();
        let note = of[0].others.join(", ");
        let title = format!("join {} with {note}", paths.join(" and "));
        (title, format!("conflict copies of {note}"), acts.to_vec())
    });
    for (title, reason, acts) in links.chain(others) {
        match acts::manual_group(view, &reason, &acts) {
            Ok(group) => groups.push(Group { title, ..group }),
            Err(error) => output.warn(&format!("cannot {title}: {error}")),
        }
    }
    Plan::new("doctor", groups)
}

/// The repaired problems.
#[derive(Default)]
pub struct Repairs {
    /// Changes to notes.
    pub groups: Vec<GroupReport>,
    /// The run id for `mem undo`.
    pub run: Option<String>,
    /// Notes whose links were repaired.
    notes: HashSet<String>,
    /// Notes moved to the trash.
    removed: HashSet<String>,
    leftovers: HashSet<String>,
    runs: bool,
    /// Journals of this machine.
    journals: HashSet<String>,
}

impl Repairs {
    /// Returns a preview of `plan`.
    pub fn preview(session: &Session, plan: &Plan) -> Self {
        Self {
            groups: GroupReport::previews(&session.vault, plan),
            ..Self::default()
        }
    }

    /// Whether this problem was repaired.
    pub fn has(&self, finding: &DoctorFinding) -> bool {
        if self.removed.contains(&finding.path) {
            return true;
        }
        match finding.kind {
            ProblemKind::DuplicateId => finding
                .others
                .iter()
                .all(|path| self.removed.contains(path)),
            ProblemKind::Leftover => self.leftovers.contains(&finding.path),
            ProblemKind::UnfinishedRun => self.runs,
            ProblemKind::JournalCopy
            | ProblemKind::SharedDevice
            | ProblemKind::UnreadableJournal => self.journals.contains(&finding.path),
            _ => {
                let has_repair = finding.repair.is_some() || !finding.acts.is_empty();
                has_repair && self.notes.contains(&finding.path)
            }
        }
    }
}

/// Applies `plan` and repairs the `findings` that are not about notes.
pub fn repair(
    session: &Session,
    cache: Cache,
    plan: &Plan,
    findings: &[DoctorFinding],
) -> Result<Repairs> {
    let mut repaired = Repairs::default();
    let mut kinds = findings.iter().map(|finding| finding.kind);
    if kinds.any(|kind| kind == ProblemKind::UnfinishedRun) {
        let settled = recover_only(&session.vault, &session.homes, &session.env.run_info())?;
        record_recovered(session, &settled);
        repaired.runs = settled.iter().all(|recovered| recovered.problem.is_none());
    }
    repaired.leftovers = disk::clear_leftovers(session, findings);
    repaired.journals = disk::join_journals(session, findings)?;
    let report: RunReport = apply(session, cache, plan)?;
    repaired.groups = GroupReport::of_run(plan, &report);
    repaired.run = report.run.as_ref().map(ToString::to_string);
    let outcomes = repaired.groups.iter().zip(&plan.groups);
    for (group, planned) in outcomes.filter(|(group, _)| group.outcome == GroupOutcome::Applied) {
        repaired.notes.extend(group.files.iter().cloned());
        let trashed = planned.changes.iter().filter_map(|change| match change {
            Change::Trash { path, .. } => Some(path.to_string()),
            _ => None,
        });
        repaired.removed.extend(trashed);
    }
    Ok(repaired)
}
