//! Checks a vault: broken and ambiguous links, duplicate ids, unreadable front matter, clashing names.
//!
//! Pure over the view, the texts of notes, and the list of [`Files`] that the command provides. The command also
//! checks other files (runs, leftovers). A finding with an unambiguous repair carries it, and [`repairs`] converts
//! repairs to acts. Constructs that may be intended are not reported, because false alarms cost trust.

mod cycles;
mod files;
mod finding;
mod links;
mod merge_conflicts;

use rayon::prelude::*;

use crate::cache::key::IndexKey;
use crate::jobs::prelude::*;

pub use files::Files;
pub use finding::{DoctorFinding, ProblemKind, Repair};
pub use merge_conflicts::merge_conflicts;

use finding::listed;
use links::{CheckedNote, LinkCheck};

/// Result of a check.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Number of notes checked.
    pub notes: usize,
    /// Problems, ordered by path and line.
    pub findings: Vec<DoctorFinding>,
}

/// Checks all notes, or those in `among`, against all `files` of the vault. `renamed` lists former paths of notes.
pub fn check(
    view: &View<'_>,
    files: &Files,
    renamed: &[(String, VaultPath)],
    among: Option<&[Entry]>,
) -> Result<Report> {
    let all = if among.is_none() {
        view.entries()?
    } else {
        Vec::new()
    };
    let entries = among.unwrap_or(&all);
    let texts = view.texts();
    let checked: Vec<CheckedNote> = (entries.par_iter())
        .filter_map(|entry| CheckedNote::of(texts, files, entry))
        .collect();
    let mut findings = LinkCheck::new(view, files, renamed, &checked).findings()?;
    findings.extend(checked.iter().filter_map(front_matter));
    findings.extend(checked.iter().flat_map(unread_links));
    findings.extend(checked.iter().flat_map(unread_dates));
    findings.extend(checked.iter().filter_map(conflict));
    findings.extend(duplicate_ids(view, &checked)?);
    if among.is_none() {
        findings.extend(cycles::findings(view, entries)?);
        findings.extend(files.clashes().iter().map(|clash| same_name(clash)));
    }
    sort(&mut findings);
    Ok(Report {
        notes: checked.len(),
        findings,
    })
}

/// Sorts findings for display.
pub fn sort(findings: &mut [DoctorFinding]) {
    findings.sort_by(|a, b| {
        (&a.path, a.line, a.kind, &a.message).cmp(&(&b.path, b.line, b.kind, &b.message))
    });
}

/// Repair of the links of one note.
#[derive(Debug)]
pub struct NoteRepair {
    /// Title and reason, in one line each.
    pub title: String,
    pub reason: String,
    pub act: Act,
}

/// Returns the repairs of `findings` per note, ordered by path.
pub fn repairs(findings: &[DoctorFinding]) -> Vec<NoteRepair> {
    let mut notes: BTreeMap<&VaultPath, Vec<&Repair>> = BTreeMap::new();
    for repair in findings
        .iter()
        .filter_map(|finding| finding.repair.as_ref())
    {
        let known = notes.entry(&repair.note).or_default();
        // Reference links may share a definition.
        if !known.contains(&repair) {
            known.push(repair);
        }
    }
    let notes = notes.into_iter();
    notes
        .map(|(note, repairs)| NoteRepair::of(note, &repairs))
        .collect()
}

impl NoteRepair {
    fn of(note: &VaultPath, repairs: &[&Repair]) -> Self {
        let shown: Vec<String> = repairs
            .iter()
            .take(3)
            .map(|repair| format!("{} becomes {}", repair.was, repair.text))
            .collect();
        let more = if repairs.len() > shown.len() {
            ", …"
        } else {
            ""
        };
        let links = match repairs.len() {
            1 => "a link".to_owned(),
            many => format!("{many} links"),
        };
        let edit = |repair: &&Repair| Edit::Replace {
            span: repair.span.clone(),
            was: repair.was.clone(),
            text: repair.text.clone(),
        };
        Self {
            title: format!("repair {links} in {note}"),
            reason: format!("{}{more}", shown.join(", ")),
            act: Act::edit(note, repairs.iter().map(edit).collect()),
        }
    }
}

fn front_matter(note: &CheckedNote) -> Option<DoctorFinding> {
    let (line, message) = note.problem.clone()?;
    Some(DoctorFinding {
        line: Some(line),
        ..DoctorFinding::new(ProblemKind::FrontMatter, note.entry.path.as_str(), message)
    })
}

/// Reports text in properties that looks like a link to a note. Renames and merges update it, but nothing follows it:
/// without quotes it is a nested list in YAML, and beside other words it is text, in Obsidian, too.
fn unread_links<'n>(note: &'n CheckedNote<'_>) -> impl Iterator<Item = DoctorFinding> + 'n {
    note.unread_links.iter().map(|(line, link)| DoctorFinding {
        line: Some(*line),
        ..DoctorFinding::new(
            ProblemKind::UnreadLink,
            note.entry.path.as_str(),
            format!("`{link}` is not a link here; a link in a property is a whole value in quotes"),
        )
    })
}

/// Reports dates that no command reads.
fn unread_dates<'n>(note: &'n CheckedNote<'_>) -> impl Iterator<Item = DoctorFinding> + 'n {
    note.unread_dates.iter().map(|(line, why)| DoctorFinding {
        line: *line,
        ..DoctorFinding::new(
            ProblemKind::UnreadDate,
            note.entry.path.as_str(),
            why.clone(),
        )
    })
}

fn conflict(note: &CheckedNote) -> Option<DoctorFinding> {
    let (line, reason) = note.conflict.clone()?;
    let colon = if reason.is_empty() { "" } else { ": " };
    let message = format!(
        "contains both versions of a merge{colon}{reason}; keep one with `mem review` or by hand"
    );
    Some(DoctorFinding {
        line: Some(line),
        ..DoctorFinding::new(
            ProblemKind::ConflictMarkers,
            note.entry.path.as_str(),
            message,
        )
    })
}

fn duplicate_ids(view: &View<'_>, checked: &[CheckedNote]) -> Result<Vec<DoctorFinding>> {
    let mut known: HashMap<&str, Vec<VaultPath>> = HashMap::new();
    let mut findings = Vec::new();
    for note in checked {
        let Some((id, line)) = &note.id else { continue };
        if !known.contains_key(id.as_str()) {
            let mut having = Vec::new();
            let slots = view.reading().find(IndexKey::name(id))?;
            // Usually the note itself is the only one.
            if slots.len() > 1 {
                for slot in slots {
                    if view.details(slot)?.id.as_ref() == Some(id) {
                        having.extend(view.entry(slot)?.map(|entry| entry.path));
                    }
                }
            }
            having.sort_unstable();
            having.dedup();
            known.insert(id, having);
        }
        let others: Vec<String> = known[id.as_str()]
            .iter()
            .filter(|path| **path != note.entry.path)
            .map(ToString::to_string)
            .collect();
        if !others.is_empty() {
            let message = format!("id `{id}` is also used by {}", listed(&others));
            findings.push(DoctorFinding {
                line: *line,
                others,
                ..DoctorFinding::new(ProblemKind::DuplicateId, note.entry.path.as_str(), message)
            });
        }
    }
    Ok(findings)
}

fn same_name(clash: &[&str]) -> DoctorFinding {
    let others: Vec<String> = clash[1..].iter().map(|path| (*path).to_owned()).collect();
    let message = format!(
        "is the same name as {} on some file systems",
        listed(&others)
    );
    DoctorFinding {
        others,
        ..DoctorFinding::new(ProblemKind::SameName, clash[0], message)
    }
}
