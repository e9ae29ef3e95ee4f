//! Conflict copies of sync tools, joined with their notes by a three-way merge.
//!
//! The base is the recorded or committed version of the note that is most similar to the copy. An older version than the
//! real ancestor is safe, because what both texts have in common is not a change of one of them. A newer one is not:
//! nothing is joined if a line of the note would go.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use crate::cache::row::Flags;
use crate::jobs::doctor::{DoctorFinding, ProblemKind};
use crate::note::edit;
use crate::note::front_matter::matter;
use crate::note::front_matter::split::{FrontMatterLanguage, split};
use crate::note::front_matter::verbatim;
use crate::note::names::filename::{conflict_original, numbered_original};
use crate::note::text_of;
use crate::note::three_way;
use crate::note::three_way::check::{CheckVerdict, check};
use crate::output::shell_word;
use crate::run::adapters::git::{Git, may_be_in_work_tree};
use crate::run::prelude::{Act, CacheError, Edit, Entry, History, Session, VaultPath, View};

/// Maximum number of committed versions that are compared.
const MAX_VERSIONS: usize = 50;

/// Minimum share of the shorter text in common lines of two versions of a note.
const MIN_SHARE: f64 = 0.9;

/// The same for notes that were created in the same minute.
const MIN_SHARE_SAME_TIME: f64 = 0.6;

/// Minimum size of the common lines; less may be equal by chance.
const MIN_COMMON_BYTES: usize = 60;

/// Returns the conflict copies among these notes, or all, each with the acts that join it.
pub(super) fn findings(
    session: &Session,
    view: &View<'_>,
    among: Option<&[Entry]>,
) -> Result<Vec<DoctorFinding>, CacheError> {
    let all = if among.is_none() {
        view.entries()?
    } else {
        Vec::new()
    };
    let mut findings: Vec<DoctorFinding> = Vec::new();
    let mut notes: HashMap<VaultPath, JoinedNote> = HashMap::new();
    for entry in among.unwrap_or(&all) {
        let stem = entry.path.stem();
        let marked = conflict_original(stem);
        let Some(name) = marked.or_else(|| numbered_original(stem)) else {
            continue;
        };
        let folder = entry.path.folder();
        let slash = if folder.is_empty() { "" } else { "/" };
        let Ok(original) = VaultPath::new(&format!("{folder}{slash}{name}.md")) else {
            continue;
        };
        if view.at(&original)?.is_none() {
            continue;
        }
        let texts = [&original, &entry.path].map(|path| session.vault.read(path).ok());
        if let [Some(note), Some(copy)] = texts {
            let texts = [&*note.text, &*copy.text];
            // A note that others link to is one of its own.
            if marked.is_none() && (!are_versions(texts) || !view.linking_to(entry)?.is_empty()) {
                continue;
            }
            let versions = versions(session, &original);
            // Equal notes are duplicates, and a new note from a template is equal to the first version of the last one.
            let is_version = texts[0] == texts[1] || versions.iter().any(|old| old == texts[1]);
            if marked.is_some() || !is_version {
                let note = notes.entry(original.clone()).or_insert_with(|| JoinedNote {
                    text: texts[0].to_owned(),
                    ..JoinedNote::default()
                });
                let joined = if entry.row.flags.has(Flags::KEEP) {
                    Err("it has `keep: true`".to_owned())
                } else {
                    joined([texts[0], &note.text, texts[1]], &versions)
                };
                let paths = [&original, &entry.path];
                let at = findings.len();
                findings.push(finding(paths, joined.as_ref().err()));
                if let Ok((edits, text)) = joined {
                    *note = JoinedNote {
                        edits,
                        text,
                        ..std::mem::take(note)
                    };
                    note.findings.push(at);
                }
            }
        }
    }
    for (path, note) in notes {
        let acts = note.acts(&path, &findings);
        for at in note.findings {
            findings[at].acts.clone_from(&acts);
        }
    }
    Ok(findings)
}

/// A note with the copies that join it so far.
#[derive(Default)]
struct JoinedNote {
    /// The edits of the note as it is.
    edits: Vec<Edit>,
    /// Its text after them.
    text: String,
    /// The positions of the findings about these copies.
    findings: Vec<usize>,
}

impl JoinedNote {
    /// Returns the acts that join all copies at once; each of their findings has them.
    fn acts(&self, path: &VaultPath, findings: &[DoctorFinding]) -> Vec<Act> {
        let edit = (!self.edits.is_empty()).then(|| Act::edit(path, self.edits.clone()));
        let copies = self.findings.iter().map(|at| &findings[*at].path);
        let copies = copies.filter_map(|copy| VaultPath::new(copy).ok());
        let trash = copies.map(|copy| Act::trash(&copy, format!("joined with {path}")));
        edit.into_iter().chain(trash).collect()
    }
}

/// Whether the texts show that two notes are versions of one: they have the same id, or one contains most lines of the
/// other and they do not state different times of creation.
fn are_versions(texts: [&str; 2]) -> bool {
    let properties = texts.map(|text| matter::properties(text).unwrap_or_default());
    let stated = |key| properties.each_ref().map(|of| text_of(of, key));
    if let [Some(ours), Some(theirs)] = stated("id") {
        return ours == theirs;
    }
    let min_share = match stated("created") {
        [Some(ours), Some(theirs)] if ours != theirs => return false,
        // With a time of day: midnight is a date.
        [Some(created), Some(_)] if created.contains(':') && !created.contains("00:00") => {
            MIN_SHARE_SAME_TIME
        }
        _ => MIN_SHARE,
    };
    let [ours, theirs] = texts.map(|text| &text[split(text).body]);
    let length = |text: &str| text.lines().map(str::len).sum::<usize>();
    let common: usize = common_lines(ours, theirs).map(str::len).sum();
    let shorter = length(ours).min(length(theirs));
    common >= MIN_COMMON_BYTES && common as f64 >= min_share * shorter as f64
}

/// Returns the lines of `text` that `other` has, too.
fn common_lines<'t>(other: &'t str, text: &'t str) -> impl Iterator<Item = &'t str> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for line in other.lines() {
        *counts.entry(line).or_default() += 1;
    }
    text.lines().filter(move |line| {
        let count = counts.get_mut(line).filter(|count| **count > 0);
        count.map(|count| *count -= 1).is_some()
    })
}

fn finding([note, copy]: [&VaultPath; 2], why_not: Option<&String>) -> DoctorFinding {
    let mut message = format!("conflict copy of {note}");
    if let Some(why) = why_not {
        let [note, copy] = [note, copy].map(|path| shell_word(path.as_str()));
        let _ = write!(
            message,
            ": {why}; `mem merge {note} {copy}` keeps the text of both"
        );
    }
    DoctorFinding {
        others: vec![note.to_string()],
        ..DoctorFinding::new(ProblemKind::ConflictCopy, copy.as_str(), message)
    }
}

/// Returns the edits of `original` that join the copy with the note, and its text after them, or why there are none.
/// Earlier copies may have joined the note.
fn joined(
    [original, note, copy]: [&str; 3],
    versions: &[String],
) -> Result<(Vec<Edit>, String), String> {
    let (merged, base) = if note == copy {
        (note.to_owned(), note)
    } else {
        let base = base_of(copy, versions).ok_or("no common earlier version is known")?;
        let merged = three_way::merge(base, note, copy);
        if let Some(conflict) = merged.conflicts.first() {
            return Err(conflict.refusal.to_string());
        }
        (merged.text, base)
    };
    let edits = edits(original, &merged);
    let edited = edit::apply(original, &edits).map_err(|error| error.to_string())?;
    if let Some(line) = dropped_line(note, &edited) {
        return Err(format!("it lacks the line `{line}`"));
    }
    match check(base, [note, copy], &edited) {
        CheckVerdict::Proven => Ok((edits, edited)),
        CheckVerdict::Findings(findings) => Err(findings.into_iter().next().unwrap_or_default()),
        CheckVerdict::Unverified(why) => Err(why),
    }
}

/// Returns a line of `note` that `joined` has neither as it is nor with other words beside at least half of its own.
///
/// The version may be later than the real ancestor. What the copy lacks is then no deletion.
fn dropped_line<'t>(note: &'t str, joined: &str) -> Option<&'t str> {
    let words = |line: &str| -> HashSet<String> {
        let words = line.split(|c: char| !c.is_alphanumeric());
        words
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    let kept: Vec<HashSet<String>> = joined.lines().map(words).collect();
    let body = &note[split(note).body];
    body.lines().find(|line| {
        let own = words(line);
        !own.is_empty()
            && !kept
                .iter()
                .any(|kept| own.intersection(kept).count() * 2 >= own.len())
    })
}

/// Returns the version that is most similar to `text`, if they have half of their lines in common.
fn base_of<'v>(text: &str, versions: &'v [String]) -> Option<&'v str> {
    let measured = versions.iter().map(|version| {
        let all = text.lines().count() + version.lines().count();
        let common = common_lines(version, text).count();
        (all - common * 2, all, version)
    });
    let nearest = measured.min_by_key(|(different, ..)| *different);
    let (.., version) = nearest.filter(|(different, all, _)| different * 2 <= *all)?;
    Some(version)
}

/// Returns the recorded and committed texts of a note, the newest of each first.
fn versions(session: &Session, note: &VaultPath) -> Vec<String> {
    let history = History::new(session.vault.fs(), &session.homes);
    let mut versions = Vec::new();
    for run in history.list().map(|(runs, _)| runs).unwrap_or_default() {
        for file in run.applied().flat_map(|(_, group)| &group.files) {
            let file_images = [file.after, file.before].into_iter().flatten();
            let images = file_images.filter(|_| file.path == *note);
            versions.extend(images.filter_map(|image| history.image(&run.run.id, image).ok()));
        }
    }
    let root = session.vault.root();
    if may_be_in_work_tree(root) {
        let committed = Git::of(root).and_then(|git| git.versions(note.as_str(), MAX_VERSIONS));
        versions.extend(committed.unwrap_or_default());
    }
    versions
}

/// Returns the edits that turn `old` into `new`; comments within changed properties stay as in `old`.
fn edits(old: &str, new: &str) -> Vec<Edit> {
    let parts = [old, new].map(split);
    let mut edits = Vec::new();
    let bodies = [&old[parts[0].body.clone()], &new[parts[1].body.clone()]];
    if bodies[0] != bodies[1] {
        edits.push(Edit::replace(old, parts[0].body.clone(), bodies[1]));
    }
    let [before, after] = [old, new].map(|text| matter::properties(text).unwrap_or_default());
    let gone = before.keys().filter(|key| !after.contains_key(*key));
    edits.extend(gone.map(|key| Edit::Unset {
        key: key.as_str().into(),
    }));
    let block = parts[1]
        .block
        .as_ref()
        .filter(|block| block.language == FrontMatterLanguage::Yaml);
    let yaml = block.map_or("", |block| &new[block.inner.clone()]);
    let sources = verbatim::properties(yaml).0;
    for (key, value) in after
        .iter()
        .filter(|(key, value)| before.get(*key) != Some(value))
    {
        let source = sources.iter().find(|source| source.key == *key);
        edits.push(match source.filter(|_| !before.contains_key(key)) {
            Some(source) => Edit::Copy {
                lines: source.lines.to_owned(),
            },
            None => Edit::set(key.as_str(), value.clone()),
        });
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_notes_are_versions_only_with_evidence() {
        const LINES: &str =
            "The spare key of the shed hangs behind the rain barrel.\n\nIn a yellow bag, dry.\n";
        let with = |matter: &str, more: &str| format!("---\n{matter}\n---\n{LINES}{more}");
        let other =
            "A different matter, told in about as many words as the note whose name it bears.\n";
        for (name, note, copy, expected) in [
            (
                "one added line",
                LINES.to_owned(),
                format!("{LINES}\nOr not.\n"),
                true,
            ),
            ("different text", LINES.to_owned(), other.to_owned(), false),
            (
                "half of the text",
                format!("{LINES}{LINES}"),
                format!("{LINES}{other}"),
                false,
            ),
            ("too short", "Key.\n".to_owned(), "Key.\n".to_owned(), false),
            ("empty", String::new(), String::new(), false),
            ("the same id", with("id: a", ""), with("id: a", other), true),
            ("two ids", with("id: a", ""), with("id: b", ""), false),
            (
                "the same time",
                with("created: 2026-01-05T10:00:01", &other[..20]),
                with("created: 2026-01-05T10:00:01", &other[20..60]),
                true,
            ),
            (
                "the same midnight",
                with("created: 2026-01-05T00:00:00", &other[..20]),
                with("created: 2026-01-05T00:00:00", &other[20..60]),
                false,
            ),
            (
                "the same day",
                with("created: 2026-01-05", &other[..20]),
                with("created: 2026-01-05", &other[20..60]),
                false,
            ),
            (
                "two days",
                with("created: 2026-01-05", ""),
                with("created: 2026-01-06", ""),
                false,
            ),
        ] {
            assert_eq!(are_versions([&note, &copy]), expected, "{name}");
            assert_eq!(are_versions([&copy, &note]), expected, "{name}, reversed");
        }
    }

    #[test]
    fn copies_are_joined_on_a_known_version() {
        const BASE: &str = "---\ntags: [a]\n---\nOne.\n\nTwo.\n\nThree.\n";
        let note = BASE.replace("One.", "One, here.").replace("[a]", "[a, b]");
        let copy = BASE
            .replace("Three.", "Three, there.")
            .replace("---\nOne", "keep: true # why\n---\nOne");
        let both =
            "---\ntags: [a, b]\nkeep: true # why\n---\nOne, here.\n\nTwo.\n\nThree, there.\n";
        let other = BASE.replace("One.", "One, elsewhere.");
        let later = BASE.replace("Two.", "Two, later.");
        for (name, note, copy, versions, expected) in [
            (
                "changed on both sides",
                &*note,
                &*copy,
                &[BASE][..],
                Ok(both),
            ),
            ("an old copy", &*note, BASE, &[BASE], Ok(&*note)),
            (
                "a version after the ancestor",
                &*later,
                &*copy,
                &[&*later, BASE],
                Ok(&*copy.replace("Two.", "Two, later.")),
            ),
            ("equal", &*note, &*note, &[], Ok(&*note)),
            (
                "no version",
                &*note,
                &*copy,
                &[],
                Err("no common earlier version is known"),
            ),
            (
                "another note",
                &*note,
                &*copy,
                &["Else.\n"],
                Err("no common earlier version is known"),
            ),
            (
                "a paragraph that the copy lacks",
                BASE,
                "---\ntags: [a]\n---\nOne.\n\nThree!\n",
                &[BASE],
                Err("it lacks the line `Two.`"),
            ),
            (
                "conflict",
                &*note,
                &*other,
                &[BASE],
                Err("both sides changed the same words"),
            ),
        ] {
            let versions: Vec<String> = versions.iter().map(|&text| text.to_owned()).collect();
            let result = joined([note, note, copy], &versions)
                .map(|(edits, _)| edit::apply(note, &edits).unwrap());
            assert_eq!(
                result.as_deref().map_err(String::as_str),
                expected,
                "{name}"
            );
        }
    }
}
