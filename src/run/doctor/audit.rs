//! Checks that only matter for the memory of an agent: size limits of hosts, secrets, copies, contradictions.

use std::fs::{File, FileTimes};
use std::os::unix::fs::symlink;

use ignore::WalkBuilder;
use tempfile::TempDir;

use crate::jobs::find::Seeds;
use crate::jobs::{conflicts, dedupe};
use crate::note::secrets;
use crate::run::prelude::*;
use crate::session::environment::UserFolders;
use crate::vault::walk::IGNORE_FILES;

/// Maximum number of files in the memory directory of an agent.
const MAX_FILES: usize = 10_000;

/// Limits of hosts for the files that they load into each session: host, file, a folder that this
/// host keeps next to it, lines, bytes.
const LIMITS: [(&str, &str, &str, usize, usize); 3] = [
    ("Claude Code", "MEMORY.md", "", 200, 25_000),
    ("OpenClaw", "MEMORY.md", "memory/", usize::MAX, 12_000),
    ("Codex", "AGENTS.md", "", usize::MAX, 32 << 10),
];

const MEMORY_HINT: &str = "name the memory directory of an agent; `mem doctor` checks a vault";

/// Copies a directory to a temporary vault and opens it. Nothing is written outside of the copy.
pub fn open_copy(env: &Environment, folder: &Path) -> Result<(Session, TempDir)> {
    let failed = |error: &io::Error| Error::io("read", folder, error);
    let root = folder.canonicalize().map_err(|error| failed(&error))?;
    if !root.is_dir() {
        let error = Error::new(format!("`{}` is not a folder", folder.display()));
        return Err(error.hint(MEMORY_HINT));
    }
    let scratch = tempfile::tempdir();
    let scratch = scratch.map_err(|error| Error::io("write to", &std::env::temp_dir(), &error))?;
    let [notes, cache, state] = ["notes", "cache", "state"].map(|name| scratch.path().join(name));
    fs::create_dir(&notes).map_err(|error| failed(&error))?;
    copy(&root, &notes)?;
    fs::create_dir_all(notes.join(OWN_FOLDER)).map_err(|error| failed(&error))?;
    let folders = UserFolders {
        cache,
        state,
        ..env.folders.clone()
    };
    let session = Environment {
        start: notes,
        no_touch: true,
        folders,
        ..env.clone()
    }
    .open()?;
    Ok((session, scratch))
}

/// Copies the readable files of a directory that a vault would have, with their times.
fn copy(root: &Path, to: &Path) -> Result<()> {
    let mut walk = WalkBuilder::new(root);
    walk.hidden(false).parents(false).require_git(false);
    walk.git_global(false).git_exclude(false);
    walk.add_custom_ignore_filename(IGNORE_FILES[0]);
    walk.filter_entry(|entry| {
        let name = entry.file_name().to_str().unwrap_or_default();
        let is_kept = [OWN_FOLDER, ".obsidian"].contains(&name) || IGNORE_FILES.contains(&name);
        entry.depth() == 0 || is_kept || !name.starts_with('.')
    });
    let mut files = 0;
    for entry in walk.build().flatten() {
        let path = to.join(entry.path().strip_prefix(root).unwrap_or(entry.path()));
        let kind = entry.file_type();
        let copied = if kind.is_some_and(|kind| kind.is_dir()) {
            fs::create_dir_all(&path)
        } else if kind.is_some_and(|kind| kind.is_symlink()) {
            copy_link(entry.path(), &path)
        } else if kind.is_some_and(|kind| kind.is_file()) && File::open(entry.path()).is_ok() {
            files += 1;
            copy_file(entry.path(), &path)
        } else {
            Ok(())
        };
        copied.map_err(|error| Error::io("copy", entry.path(), &error))?;
        if files > MAX_FILES {
            let root = root.display();
            let error = Error::new(format!("`{root}` has more than {MAX_FILES} files"));
            return Err(error.hint(MEMORY_HINT));
        }
    }
    Ok(())
}

/// Copies a link to a file of the same folder; links to other places would lead out of the copy.
fn copy_link(from: &Path, to: &Path) -> io::Result<()> {
    match fs::read_link(from) {
        Ok(target) if target.file_name() == Some(target.as_os_str()) => symlink(target, to),
        _ => Ok(()),
    }
}

/// Copies a file with its time, which may be the date of a note.
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    let modified = fs::metadata(from)?.modified()?;
    File::open(to)?.set_times(FileTimes::new().set_modified(modified))
}

/// Returns the problems of these kinds, and the cache, which may have more vectors.
pub(super) fn problems(
    session: &Session,
    cache: Cache,
    among: Option<&[Entry]>,
    kinds: &[ProblemKind],
) -> Result<(Vec<DoctorFinding>, Cache)> {
    let is_wanted = |kind| kinds.contains(&kind);
    let mut findings = Vec::new();
    if !ProblemKind::ON_REQUEST.into_iter().any(is_wanted) {
        return Ok((findings, cache));
    }
    let view = session.view(&cache)?;
    let all = view.entries()?;
    for entry in among.unwrap_or(&all) {
        let Ok(text) = view.text(entry) else { continue };
        let found = |kind, line, message: String| DoctorFinding {
            line,
            ..DoctorFinding::new(kind, entry.path.as_str(), message)
        };
        if is_wanted(ProblemKind::Secret) {
            let secrets = secrets::find(&text).into_iter();
            findings.extend(secrets.map(|secret| {
                let line = Some(secret.line);
                found(ProblemKind::Secret, line, secret.form.to_owned())
            }));
        }
        if is_wanted(ProblemKind::OverLimit) {
            let limits = over_limits(&entry.path, &text, &all).into_iter();
            findings.extend(limits.map(|message| found(ProblemKind::OverLimit, None, message)));
        }
    }
    drop(view);
    let mut jobs = [
        (ProblemKind::Copy, &dedupe::JOB, "may be a copy of"),
        (
            ProblemKind::Contradiction,
            &conflicts::JOB,
            "may contradict or replace",
        ),
    ]
    .into_iter()
    .filter(|(kind, ..)| is_wanted(*kind))
    .peekable();
    if jobs.peek().is_none() {
        return Ok((findings, cache));
    }
    let cache = session.embed_at_once(cache)?;
    let view = session.view_with_near(&cache)?;
    let seeds = among.map_or(Seeds::All, |among| {
        Seeds::Of(among.iter().map(|entry| entry.slot).collect())
    });
    for (kind, job, relation) in jobs {
        let find = job.configured(&session.settings).find;
        for found in find.find(&view, &session.answers()?, &seeds)?.found {
            let others = found.notes.iter().skip(1).map(ToString::to_string);
            let others: Vec<String> = others.collect();
            let message = format!("{relation} {} ({})", others.join(", "), found.reason);
            findings.push(DoctorFinding {
                others,
                ..DoctorFinding::new(kind, found.notes[0].as_str(), message)
            });
        }
    }
    drop(view);
    Ok((findings, cache))
}

/// Returns a message for each host that loads only a part of the file at `path`.
fn over_limits(path: &VaultPath, text: &str, all: &[Entry]) -> Vec<String> {
    let text_of_path = path.as_str();
    let name = text_of_path.rsplit('/').next().unwrap_or_default();
    let folder = &text_of_path[..text_of_path.len() - name.len()];
    let has = |name: &str| {
        let wanted = format!("{folder}{name}");
        all.iter()
            .any(|entry| entry.path.as_str().starts_with(&wanted))
    };
    let (lines, bytes) = (text.lines().count(), text.len());
    let limits = LIMITS
        .iter()
        .filter(|limit| name == limit.1 && has(limit.2));
    let exceeded = limits.filter_map(|(host, _, _, max_lines, max_bytes)| {
        let sizes = [(lines, max_lines, "lines"), (bytes, max_bytes, "bytes")];
        let mut exceeded = sizes.into_iter().filter(|(size, max, _)| size > max);
        let (size, max, unit) = exceeded.next()?;
        Some(format!("{size} {unit}: {host} loads the first {max}"))
    });
    exceeded.collect()
}
