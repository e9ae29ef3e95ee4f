//! Checks files on disk: names, leftovers of runs, journals, sizes.

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt as _;

use walkdir::{DirEntry, WalkDir};

use crate::change::trash;
use crate::jobs::doctor::{DoctorFinding, Files, ProblemKind};
use crate::journal::check::{JournalProblemKind, check, merge_copies};
use crate::run::prelude::*;
use crate::vault::swap::TEMP_PREFIX;
use crate::vault::{STATE, TRASH};

/// All files of the vault, and problems with some of them.
pub(super) struct Disk {
    pub(super) files: Files,
    pub(super) findings: Vec<DoctorFinding>,
}

/// Lists the vault including hidden folders, except `.git` and `.mem`.
pub(super) fn list(session: &Session, now: &Zoned) -> Disk {
    let root = session.vault.root();
    let unfinished = unfinished_runs(session);
    let is_foreign = |entry: &DirEntry| {
        entry.file_type().is_dir()
            && (entry.file_name() == ".git" || entry.file_name() == OWN_FOLDER)
    };
    let (mut paths, mut findings) = (Vec::new(), Vec::new());
    let mut linked: HashMap<(u64, u64), Vec<String>> = HashMap::new();
    let walk = WalkDir::new(root).min_depth(1).into_iter();
    // The index has already reported unreadable folders.
    for entry in walk.filter_entry(|entry| !is_foreign(entry)).flatten() {
        if entry.file_type().is_dir() {
            continue;
        }
        let relative = entry.path().strip_prefix(root).ok().and_then(Path::to_str);
        let Some(path) = relative.and_then(|path| VaultPath::new(path).ok()) else {
            continue;
        };
        if let Some(run) = run_of_leftover(entry.file_name()) {
            if !unfinished.contains(run.as_str()) && is_old(&run, now) {
                let words = "left by an interrupted run";
                findings.push(DoctorFinding::new(
                    ProblemKind::Leftover,
                    path.as_str(),
                    words,
                ));
            }
            continue;
        }
        let is_note = path.stem().len() < entry.file_name().len();
        if is_note
            && entry.file_type().is_file()
            && let Ok(meta) = entry.metadata()
            && meta.nlink() > 1
        {
            let file = (meta.dev(), meta.ino());
            linked.entry(file).or_default().push(path.to_string());
        }
        paths.push(path);
    }
    for mut names in linked.into_values().filter(|names| names.len() > 1) {
        names.sort_unstable();
        let path = names.remove(0);
        let others = names.join("`, `");
        let words = format!("is the same file as `{others}`; mem writes to neither");
        findings.push(DoctorFinding {
            others: names,
            ..DoctorFinding::new(ProblemKind::SameName, path, words)
        });
    }
    Disk {
        files: Files::new(paths),
        findings,
    }
}

/// Returns the run that staged a file under this name.
fn run_of_leftover(name: &OsStr) -> Option<RunId> {
    let rest = name.to_str()?.strip_prefix(TEMP_PREFIX)?;
    let run = rest.rsplit_once('-').map_or(rest, |(run, _)| run);
    run.parse().ok()
}

/// Whether a run is more than a day old. A younger one may be active on another machine that syncs
/// the folder.
fn is_old(run: &RunId, now: &Zoned) -> bool {
    let now = now.timestamp().as_second();
    run.at()
        .is_none_or(|began| began.as_second() + 86_400 < now)
}

fn unfinished_runs(session: &Session) -> HashSet<String> {
    let folder = fs::read_dir(session.homes.unfinished());
    let names = folder.into_iter().flatten().flatten();
    names
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}

/// Returns problems with run records: an interrupted run, unreadable records.
pub(super) fn runs(session: &Session) -> Result<Vec<DoctorFinding>> {
    let history = History::new(session.vault.fs(), &session.homes);
    let mut findings = Vec::new();
    // A held lock means that another process is writing now.
    if history.is_unfinished() && !Lock::is_held(&session.homes.lock()) {
        let folder = session.homes.unfinished();
        let words = "an interrupted run will be recovered by the next write";
        let path = folder.display().to_string();
        findings.push(DoctorFinding::new(ProblemKind::UnfinishedRun, path, words));
    }
    for (run, why) in history.list()?.1 {
        let path = session.homes.history().join(run.as_str());
        let (path, words) = (
            path.display().to_string(),
            format!("cannot be undone: {why}"),
        );
        findings.push(DoctorFinding::new(ProblemKind::RunRecord, path, words));
    }
    Ok(findings)
}

/// Returns temporary files of mem that a crash left behind.
pub(super) fn drafts(session: &Session) -> Vec<DoctorFinding> {
    let homes = &session.homes;
    let own = session.vault.root().join(OWN_FOLDER);
    let places = [own, homes.state.clone(), homes.cache.clone()];
    // The folder above has the files of this machine, and the folders of other vaults.
    let shared = homes
        .state
        .parent()
        .map(|above| WalkDir::new(above).max_depth(1));
    let walks = places.iter().map(WalkDir::new).chain(shared);
    let files = walks.flatten().flatten();
    let drafts = files.filter(|entry| own_files::is_abandoned_draft(entry.path()));
    drafts
        .map(|draft| {
            let path = draft.path().display().to_string();
            DoctorFinding::new(ProblemKind::Leftover, path, "left by an interrupted write")
        })
        .collect()
}

/// Returns problems with the journals in the vault.
pub(super) fn journals(session: &Session) -> Result<Vec<DoctorFinding>> {
    let troubles = session.read_journal(check)?;
    let found = troubles.into_iter().map(|trouble| {
        let path = trouble.path.strip_prefix(session.vault.root());
        let path = path.unwrap_or(&trouble.path).display().to_string();
        let is_own = is_of_this_machine(session, &path);
        let who = if is_own { "" } else { " on its machine" };
        let (kind, words) = match trouble.kind {
            JournalProblemKind::Copy => (
                ProblemKind::JournalCopy,
                format!("copied by a sync tool; it is read, and `mem doctor --fix`{who} merges it"),
            ),
            JournalProblemKind::Stray => (
                ProblemKind::Leftover,
                "is not read; append lines that only it has to the original file".to_owned(),
            ),
            JournalProblemKind::TwoMachines => (
                ProblemKind::SharedDevice,
                format!(
                    "two machines use this device name, for example after copying a home folder; on one of them \
                     remove `mem/device` from the state folder (`~/.local/state`), then run `mem doctor \
                     --fix`{who}"
                ),
            ),
            JournalProblemKind::Unreadable => (
                ProblemKind::UnreadableJournal,
                format!("cannot be read, or is too large; `mem doctor --fix`{who} leaves out what no longer holds"),
            ),
        };
        DoctorFinding::new(kind, path, words)
    });
    Ok(found.collect())
}

fn is_of_this_machine(session: &Session, path: &str) -> bool {
    let rest = path.strip_prefix(&format!("{OWN_FOLDER}/{JOURNAL}/"));
    let device = rest.and_then(|rest| rest.split('/').next());
    device.is_some_and(|device| session.env.device().is_ok_and(|own| own.name() == device))
}

/// Whether `--fix` repairs the problem without changing a note.
pub fn is_fixable(session: &Session, finding: &DoctorFinding) -> bool {
    match finding.kind {
        ProblemKind::Leftover | ProblemKind::UnfinishedRun => true,
        ProblemKind::JournalCopy | ProblemKind::SharedDevice | ProblemKind::UnreadableJournal => {
            is_of_this_machine(session, &finding.path)
        }
        _ => !finding.acts.is_empty(),
    }
}

/// Joins this machine's journals if one has a problem; returns the repaired paths.
pub(super) fn join_journals(
    session: &Session,
    findings: &[DoctorFinding],
) -> Result<HashSet<String>> {
    let mut own: HashSet<String> = findings.iter().map(|one| one.path.clone()).collect();
    own.retain(|path| is_of_this_machine(session, path));
    if !own.is_empty() {
        let folder = session.journal_folder()?;
        merge_copies(&folder).map_err(|error| Error::io("join the files in", &folder, &error))?;
    }
    Ok(own)
}

/// Moves leftovers to the trash of their runs, where `mem trash` lists them, and deletes temporary
/// files. Returns
/// the paths that are gone.
pub(super) fn clear_leftovers(session: &Session, findings: &[DoctorFinding]) -> HashSet<String> {
    let (mut cleared, mut removed) = (HashSet::new(), HashSet::new());
    let is_leftover = |finding: &&DoctorFinding| finding.kind == ProblemKind::Leftover;
    for DoctorFinding { path, .. } in findings.iter().filter(is_leftover) {
        let from = session.vault.root().join(path);
        if own_files::is_abandoned_draft(&from) {
            // Its destination is unchanged or was written since.
            if session.vault.fs().remove_file(&from).is_ok() {
                removed.insert(path.clone());
            }
            continue;
        }
        let run = from.file_name().and_then(run_of_leftover);
        // The note it was staged for is unknown.
        let folder = path.rfind('/').map_or(0, |end| end + 1);
        let note = VaultPath::new(&format!("{}left over.md", &path[..folder]));
        let (Some(run), Ok(note)) = (run, note) else {
            continue;
        };
        match trash::keep_in_trash(&session.vault, &run, &note, &from) {
            Ok(()) => {
                cleared.insert(path.clone());
            }
            Err(error) => {
                let error = Error::io("move", &from, &error);
                session.env.output.warn(&error.message());
            }
        }
    }
    if !cleared.is_empty() {
        let files = count(cleared.len(), "file");
        session.env.output.say(&format!(
            "moved {files} of interrupted runs to the trash; list them with `mem trash`"
        ));
    }
    cleared.extend(removed);
    cleared
}

/// Number and size of the files in one of mem's folders.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlaceRecord {
    pub what: &'static str,
    pub path: String,
    pub files: u64,
    pub bytes: u64,
}

/// Returns number and size of files in each folder.
pub fn places(session: &Session) -> Vec<PlaceRecord> {
    let root = session.vault.root();
    let own = root.join(OWN_FOLDER);
    [
        ("vault", root.to_owned()),
        ("journal", own.join(JOURNAL)),
        ("state", own.join(STATE)),
        ("trash", own.join(TRASH)),
        ("history", session.homes.state.clone()),
        ("index", session.homes.cache.clone()),
    ]
    .into_iter()
    .map(|(what, path)| {
        let is_own = |entry: &DirEntry| what == "vault" && entry.path() == own;
        let walk = WalkDir::new(&path).into_iter();
        let (mut count, mut bytes) = (0, 0);
        for entry in walk.filter_entry(|entry| !is_own(entry)).flatten() {
            if entry.file_type().is_file() {
                count += 1;
                bytes += entry.metadata().map_or(0, |meta| meta.len());
            }
        }
        PlaceRecord {
            what,
            path: path.display().to_string(),
            files: count,
            bytes,
        }
    })
    .collect()
}
