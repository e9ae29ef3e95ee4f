//! Stores the open findings and the processed notes of each job: one file per job in the cache.
//!
//! A job starts only from notes that changed since its last run: those with a new path or
//! [authored] hash.
//! Earlier findings remain valid while their notes are unchanged. The file is a cache: without it
//! the job
//! examines all notes and finds the same. Answers are in the journal.
//!
//! What happened to a finding need not be recorded: a merge removes notes, a relation is visible in
//! its note,
//! a "no" is an answer. In each case the next run does not find it again.
//!
//! If the catalog is unchanged since the last run, no note is read.
//!
//! Jobs that depend on the age of notes, or on all notes at once, always start from all notes.
//!
//! [authored]: crate::cache::row::Row::authored

use std::io::Read as _;
use std::time::SystemTime;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::cache::row::PassageRows;
use crate::cache::{Result, Slot};
use crate::jobs::find::{Findings, Seeds};
use crate::run::prelude::*;

/// Format of the file; other formats are ignored.
const FORMAT: u32 = 8;

/// Maximum number of bytes that [`last_findings`] reads.
const MAX_BYTES_OF_FINDINGS: u64 = 1 << 18;

/// If at least [`FULL_SCAN_MIN_NOTES`] notes and one in `FULL_SCAN_DIVISOR` changed, a full scan is cheaper than an incremental
/// one.
const FULL_SCAN_DIVISOR: usize = 8;
const FULL_SCAN_MIN_NOTES: usize = 100;

/// Which notes a job starts from.
#[derive(Clone, Debug)]
pub enum Scope {
    /// Notes that changed since the last run, and its unprocessed notes. Earlier findings remain
    /// valid.
    Incremental,
    /// Like `Incremental`, but leaves the backlog of the last run alone: listing open findings must
    /// stay cheap.
    IncrementalWithoutBacklog,
    /// All notes.
    Full,
    /// Only pairs that include one of these notes; nothing is stored.
    Only(HashSet<Slot>),
}

/// Findings of a job and the notes it has processed.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct StoredFindings {
    format: u32,
    /// Hash of settings, model and forgotten answers; findings of another basis are invalid.
    basis: u64,
    /// Hash of the catalog, if all its notes were processed or are in `unprocessed`.
    catalog: Option<u64>,
    found: Vec<Finding>,
    /// Hashes of path and authored hash of the processed notes, ascending.
    authored_hashes: Vec<u64>,
    /// Hashes of path and content of all notes, ascending.
    content_hashes: Vec<u64>,
    /// Hashes as in `authored_hashes` of the unprocessed notes, ascending; the next run starts with them.
    unprocessed: Vec<u64>,
    /// Findings that were answered no; they are examined again if the answer is lost.
    refused: Vec<Finding>,
}

impl StoredFindings {
    /// Reads the file; empty if it is missing, unreadable or of another basis.
    fn load(file: &Path, basis: u64) -> Self {
        let bytes = fs::read(file).unwrap_or_default();
        let stored: Option<Self> = postcard::from_bytes(&bytes).ok();
        let known = stored.filter(|known| known.format == FORMAT && known.basis == basis);
        known.unwrap_or_default()
    }

    /// Returns the findings that were answered no, without duplicates.
    fn refused(&self, answers: &Answers) -> Vec<&Finding> {
        let mut keys = HashSet::new();
        let known = self.refused.iter().chain(&self.found);
        let refused = known.filter(|finding| finding.answer(answers) == Some(Answer::No));
        refused.filter(|finding| keys.insert(finding.key)).collect()
    }

    /// Writes the file atomically.
    fn save(&self, file: &Path) -> io::Result<()> {
        let bytes = postcard::to_stdvec(self).map_err(io::Error::other)?;
        own_files::write_atomically(file, &bytes)
    }
}

/// The beginning of [`StoredFindings`].
#[derive(Deserialize)]
struct StoredBeginning {
    format: u32,
    _basis: u64,
    _catalog: Option<u64>,
    found: Vec<Finding>,
}

/// A finding and when it was stored.
#[derive(Debug, Serialize, Deserialize)]
struct DatedFinding {
    finding: Finding,
    stored_at: SystemTime,
}

/// Returns the findings of the last run of `job` from the cache in use under `home`, and those added after it.
pub fn last_findings(home: &Path, job: &str) -> Vec<Finding> {
    let Some(folder) = Cache::folder_in(home).map(|folder| folder.join("found")) else {
        return Vec::new();
    };
    let last_run = findings_of_last_run(&folder, job);
    let added = added_findings(&folder, job, last_run.as_ref().map(|(_, at)| *at));
    let added = added.into_iter().map(|added| added.finding);
    let stored = last_run.into_iter().flat_map(|(stored, _)| stored);
    added.chain(stored).collect()
}

/// Returns the findings of the last run of `job` and its time. Only the beginning of the file is read, as the rest
/// grows with the vault.
fn findings_of_last_run(folder: &Path, job: &str) -> Option<(Vec<Finding>, SystemTime)> {
    let file = fs::File::open(folder.join(job)).ok()?;
    let at = file.metadata().and_then(|meta| meta.modified()).ok()?;
    let mut bytes = Vec::new();
    let mut beginning = file.take(MAX_BYTES_OF_FINDINGS);
    beginning.read_to_end(&mut bytes).ok()?;
    let (stored, _) = postcard::take_from_bytes::<StoredBeginning>(&bytes).ok()?;
    (stored.format == FORMAT).then_some((stored.found, at))
}

/// Adds findings that `mem remember` printed, until the next run of `job` finds them itself. If they cannot be stored,
/// that run is the first to know them.
pub fn add_findings(home: &Path, job: &str, new: &[Finding]) {
    let Some(folder) = Cache::folder_in(home).map(|folder| folder.join("found")) else {
        return;
    };
    let last_run = findings_of_last_run(&folder, job).map(|(_, at)| at);
    let mut findings = added_findings(&folder, job, last_run);
    findings.retain(|added| new.iter().all(|new| new.key != added.finding.key));
    let stored_at = SystemTime::now();
    let new = new.iter().cloned();
    findings.extend(new.map(|finding| DatedFinding { finding, stored_at }));
    if let Ok(bytes) = postcard::to_stdvec(&(FORMAT, findings)) {
        let _ = own_files::write_atomically(&folder.join(added_name(job)), &bytes);
    }
}

/// Returns the findings that were added after the last run of `job`.
fn added_findings(folder: &Path, job: &str, last_run: Option<SystemTime>) -> Vec<DatedFinding> {
    let bytes = fs::read(folder.join(added_name(job))).unwrap_or_default();
    let (format, mut added): (u32, Vec<DatedFinding>) =
        postcard::from_bytes(&bytes).unwrap_or_default();
    added.retain(|added| format == FORMAT && Some(added.stored_at) > last_run);
    added
}

fn added_name(job: &str) -> String {
    format!("{job}.added")
}

/// Returns all open findings of `job` within `scope`.
///
/// `folder` is that of the cache. If it is not writable, or without `save`, the next call starts
/// from the same state.
#[expect(
    clippy::too_many_lines,
    reason = "each step needs the results of the steps before"
)]
pub fn open_findings(
    view: &View<'_>,
    job: &ConfiguredJob,
    answers: &Answers,
    scope: &Scope,
    folder: &Path,
    save: bool,
) -> Result<Findings> {
    if let Scope::Only(slots) = scope {
        return job.find.find(view, answers, &Seeds::Of(slots.clone()));
    }
    if job.find.always_full() {
        return job.find.find(view, answers, &Seeds::All);
    }
    let file = folder.join("found").join(job.job.name);
    let basis = job.basis(view, answers);
    let known = match scope {
        Scope::Incremental | Scope::IncrementalWithoutBacklog => StoredFindings::load(&file, basis),
        Scope::Full | Scope::Only(_) => StoredFindings::default(),
    };
    if is_current(view, job, answers, scope, &known)? {
        return Ok(Findings {
            found: known.found,
            ..Findings::default()
        });
    }
    let entries = view.entries()?;
    let is_new = |entry: &Entry| !is_in(&known.authored_hashes, authored_hash(entry));
    let is_postponed = |entry: &Entry| {
        matches!(scope, Scope::IncrementalWithoutBacklog)
            && is_in(&known.unprocessed, authored_hash(entry))
    };
    let new = entries
        .iter()
        .filter(|entry| is_new(entry) && !is_postponed(entry));
    let mut seeds: HashSet<Slot> = new.map(|entry| entry.slot).collect();
    // If a relation of mem was removed, perhaps by accident, the note is examined again.
    for entry in &entries {
        if !is_new(entry)
            && !is_in(&known.content_hashes, content_hash(entry))
            && has_lost_relation(view, entry)?
        {
            seeds.insert(entry.slot);
        }
    }
    seeds.extend(job.find.dirty_slots(view)?);
    let mut still_open = Vec::new();
    let refused = known.refused(answers);
    for finding in &known.refused {
        if finding.answer(answers) != Some(Answer::No) {
            seeds.extend(notes_of(finding, &entries).iter().map(|note| note.slot));
        }
    }
    for finding in &known.found {
        let notes = notes_of(finding, &entries);
        let is_unchanged = |note: &&Entry| is_in(&known.content_hashes, content_hash(note));
        let is_there = notes.len() == finding.notes.len();
        if is_there && !notes.iter().all(is_unchanged) && view.are_done(&finding.acts)? {
            continue;
        }
        let is_valid = is_there
            && !notes.iter().any(|note| is_new(note) && !is_postponed(note))
            && finding.answer(answers) != Some(Answer::No)
            && !job.find.is_outdated(view, finding)?;
        if is_valid {
            still_open.push(finding);
        } else {
            // It may have hidden other findings about these notes.
            seeds.extend(notes.iter().map(|note| note.slot));
        }
    }
    let mut findings = if seeds.is_empty() {
        Findings::default()
    } else if known.unprocessed.is_empty()
        && seeds.len() >= FULL_SCAN_MIN_NOTES.min(entries.len())
        && seeds.len() * FULL_SCAN_DIVISOR >= entries.len()
    {
        job.find.find(view, answers, &Seeds::All)?
    } else {
        job.find.find(view, answers, &Seeds::Of(seeds))?
    };
    let found: HashSet<_> = findings.found.iter().map(|finding| finding.key).collect();
    let still_open = still_open
        .into_iter()
        .filter(|old| !found.contains(&old.key));
    findings.found.extend(still_open.cloned());
    if save {
        // A note without vectors has not been compared by vectors yet.
        let needs_vectors = view.near().is_some();
        let is_unprocessed =
            |entry: &&Entry| findings.left.contains(&entry.slot) || is_postponed(entry);
        let is_processed = |entry: &&Entry| {
            let has_all = !needs_vectors || entry.row.rows != PassageRows::PENDING;
            has_all && !is_unprocessed(entry)
        };
        let is_all = entries
            .iter()
            .all(|entry| is_processed(&entry) || is_unprocessed(&entry));
        let now = StoredFindings {
            format: FORMAT,
            basis,
            catalog: catalog_hash(view)?.filter(|_| is_all),
            authored_hashes: sorted(entries.iter().filter(is_processed).map(authored_hash)),
            content_hashes: sorted(entries.iter().map(content_hash)),
            unprocessed: sorted(entries.iter().filter(is_unprocessed).map(authored_hash)),
            found: findings.found.clone(),
            refused: refused.into_iter().cloned().collect(),
        };
        if now != known {
            // If it cannot be saved, the next run finds the same again.
            let _ = now.save(&file);
        }
    }
    Ok(findings)
}

fn is_in(ascending: &[u64], hash: u64) -> bool {
    ascending.binary_search(&hash).is_ok()
}

/// Returns the number of changed notes that `job` has not processed, its backlog excluded.
pub fn count_unprocessed(
    view: &View<'_>,
    job: &ConfiguredJob,
    answers: &Answers,
    folder: &Path,
) -> Result<usize> {
    if job.find.always_full() {
        return Ok(0);
    }
    let known = StoredFindings::load(
        &folder.join("found").join(job.job.name),
        job.basis(view, answers),
    );
    if known.catalog.is_some() && known.catalog == catalog_hash(view)? {
        return Ok(0);
    }
    let entries = view.entries()?;
    let is_new = |entry: &&Entry| {
        let hash = authored_hash(entry);
        !is_in(&known.authored_hashes, hash) && !is_in(&known.unprocessed, hash)
    };
    Ok(entries.iter().filter(is_new).count())
}

/// Returns a hash of the catalog's metadata, which changes with any note.
pub(super) fn catalog_hash(view: &View<'_>) -> Result<Option<u64>> {
    let meta = postcard::to_stdvec(&view.reading().meta()?);
    Ok(meta
        .ok()
        .map(|meta| xxh3_64_with_seed(&meta, FORMAT.into())))
}

/// Whether the catalog is unchanged, all findings are still valid, and no note needs to be
/// examined.
fn is_current(
    view: &View<'_>,
    job: &ConfiguredJob,
    answers: &Answers,
    scope: &Scope,
    known: &StoredFindings,
) -> Result<bool> {
    let is_refused = |finding: &Finding| finding.answer(answers) == Some(Answer::No);
    let has_no_backlog =
        known.unprocessed.is_empty() || matches!(scope, Scope::IncrementalWithoutBacklog);
    if !has_no_backlog
        || known.catalog.is_none()
        || known.catalog != catalog_hash(view)?
        || known.found.iter().any(is_refused)
        || !known.refused.iter().all(is_refused)
        || !job.find.dirty_slots(view)?.is_empty()
    {
        return Ok(false);
    }
    for finding in &known.found {
        if job.find.is_outdated(view, finding)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a relation that mem wrote into the note is missing.
fn has_lost_relation(view: &View<'_>, entry: &Entry) -> Result<bool> {
    let mut links = None;
    for origin in view.provenance()?.stated_by(&entry.path) {
        let links = match &mut links {
            Some(links) => links,
            None => links.insert(view.details(entry.slot)?.links),
        };
        let mut is_present = false;
        for link in links
            .iter()
            .filter(|link| link.property.as_deref() == Some(origin.relation.name()))
        {
            let target = view.resolve(&entry.path, &link.target, link.markdown)?;
            is_present |= target.is_some_and(|target| target.path.as_str() == origin.to);
        }
        if !is_present {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the existing notes of `finding`; `entries` are sorted by path.
fn notes_of<'e>(finding: &Finding, entries: &'e [Entry]) -> Vec<&'e Entry> {
    let at = |path| entries.binary_search_by(|entry| entry.path.cmp(path));
    let found = finding.notes.iter().filter_map(|path| at(path).ok());
    found.map(|at| &entries[at]).collect()
}

fn authored_hash(entry: &Entry) -> u64 {
    xxh3_64_with_seed(entry.path.as_str().as_bytes(), entry.row.authored)
}

fn content_hash(entry: &Entry) -> u64 {
    let content = entry.row.content.0;
    xxh3_64_with_seed(
        entry.path.as_str().as_bytes(),
        content as u64 ^ (content >> 64) as u64,
    )
}

fn sorted(hashes: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut hashes: Vec<u64> = hashes.collect();
    hashes.sort_unstable();
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::conflicts;
    use crate::view::tests::IndexedVault;

    #[test]
    fn a_backlog_is_processed_over_several_runs() {
        let note = |number: usize| {
            let name: String = [number / 30, number / 3 % 10]
                .into_iter()
                .filter_map(|digit| "bcdfghjklm".chars().nth(digit))
                .collect();
            let text = format!("The port of service qu{name} is {number}.\n");
            (format!("{number:03}.md"), text)
        };
        let scene = IndexedVault::new((0..240).map(note));
        let folder = tempfile::tempdir().unwrap();
        let view = scene.view(true);
        let options = conflicts::ConflictsOptions {
            cap: 200,
            near: 5,
            ..conflicts::ConflictsOptions::default()
        };
        let run = |options: &conflicts::ConflictsOptions| {
            let job = ConfiguredJob {
                job: &conflicts::JOB,
                find: Box::new(options.clone()),
            };
            let answers = Answers::default();
            let folder = folder.path();
            open_findings(&view, &job, &answers, &Scope::Incremental, folder, true).unwrap()
        };
        let mut left = vec![240];
        while left.last() != Some(&0) && left.len() < 50 {
            left.push(run(&options).left.len());
        }
        assert!(
            left.len() > 3 && left.is_sorted_by(|a, b| a > b),
            "{left:?}"
        );
        // Listing open findings leaves the backlog to the job.
        let other = tempfile::tempdir().unwrap();
        let asked = |options: &conflicts::ConflictsOptions, scope: &Scope| {
            let job = ConfiguredJob {
                job: &conflicts::JOB,
                find: Box::new(options.clone()),
            };
            let folder = other.path();
            let found =
                open_findings(&view, &job, &Answers::default(), scope, folder, true).unwrap();
            let count_unprocessed =
                count_unprocessed(&view, &job, &Answers::default(), folder).unwrap();
            (found.found.len(), found.compared, count_unprocessed)
        };
        let (first, ..) = asked(&options, &Scope::Incremental);
        assert_eq!(
            asked(&options, &Scope::IncrementalWithoutBacklog),
            (first, 0, 0)
        );
        assert!(asked(&options, &Scope::Incremental).0 > first);
        // Equals the findings of one run without a limit.
        let mut found: Vec<_> = run(&options).found.iter().map(|found| found.key).collect();
        let all = conflicts::ConflictsOptions {
            cap: usize::MAX,
            ..options.clone()
        };
        let mut expected: Vec<_> = run(&all).found.iter().map(|found| found.key).collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert!(expected.len() >= 160, "{}", expected.len());
        assert_eq!(found, expected);
        assert_eq!(run(&all).compared, 0);
    }
}
