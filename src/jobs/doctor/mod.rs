//! Finds what is wrong with a vault's notes: links that lead nowhere or to a note by chance, ids
//! that two notes have, front matter that cannot be read, names that only some machines tell apart.
//!
//! Pure over the view, the notes' texts and the list of the vault's [`Files`], which the command
//! brings, as it brings what lies beside the notes (runs, leftovers). A finding that rules alone can
//! repair carries its repair, and [`repairs`] makes acts of these. What may be meant as it is, is no
//! finding: `mem doctor` is a check, and a false alarm costs its reader's trust.

mod cycles;
mod files;
mod finding;
mod links;

use rayon::prelude::*;

use crate::cache::key::Key;
use crate::jobs::prelude::*;
use crate::vault::Vault;

pub use files::Files;
pub use finding::{Finding, Kind, Repair};

use finding::listed;
use links::{Checkup, Examined};

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// How many notes were looked at.
    pub notes: usize,
    /// What is wrong, by path and line.
    pub findings: Vec<Finding>,
}

/// Checks every note, or those of `among`, against all `files` of the vault; notes were `renamed` from one path to
/// another.
pub fn check(
    vault: &Vault,
    view: &View<'_>,
    files: &Files,
    renamed: &[(String, VaultPath)],
    among: Option<&[Entry]>,
) -> Result<Report> {
    let all = view.entries()?;
    let entries = among.unwrap_or(&all);
    let notes = entries.par_iter();
    let examined = notes.filter_map(|entry| Examined::of(vault, files, entry));
    let examined: Vec<Examined> = examined.collect();
    let mut findings = Checkup::new(vault, view, files, renamed, &examined).findings()?;
    findings.extend(examined.iter().filter_map(front_matter));
    findings.extend(duplicate_ids(view, &examined)?);
    if among.is_none() {
        findings.extend(cycles::findings(view, entries)?);
        findings.extend(files.clashes().iter().map(|clash| same_name(clash)));
    }
    sort(&mut findings);
    Ok(Report {
        notes: examined.len(),
        findings,
    })
}

/// Puts findings into the order in which they are shown.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        (&a.path, a.line, a.kind, &a.message).cmp(&(&b.path, b.line, b.kind, &b.message))
    });
}

/// What repairs the links of one note.
#[derive(Debug)]
pub struct NoteRepair {
    /// What it does and why, in one line each for a person.
    pub title: String,
    pub reason: String,
    pub act: Act,
}

/// Returns what makes the repairs of `findings`, in the order of paths.
pub fn repairs(findings: &[Finding]) -> Vec<NoteRepair> {
    let mut notes: BTreeMap<&VaultPath, Vec<&Repair>> = BTreeMap::new();
    for repair in findings
        .iter()
        .filter_map(|finding| finding.repair.as_ref())
    {
        let known = notes.entry(&repair.note).or_default();
        // Links by reference may share what is to be repaired.
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
        let shown = repairs.iter().take(3);
        let shown: Vec<String> = shown
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
            act: Act::Edit {
                note: note.clone(),
                edits: repairs.iter().map(edit).collect(),
            },
        }
    }
}

fn front_matter(note: &Examined) -> Option<Finding> {
    let (line, message) = note.problem.clone()?;
    Some(Finding {
        line: Some(line),
        ..Finding::new(Kind::FrontMatter, note.entry.path.as_str(), message)
    })
}

fn duplicate_ids(view: &View<'_>, examined: &[Examined]) -> Result<Vec<Finding>> {
    let mut known: HashMap<&str, Vec<VaultPath>> = HashMap::new();
    let mut findings = Vec::new();
    for note in examined {
        let Some((id, line)) = &note.id else { continue };
        if !known.contains_key(id.as_str()) {
            let mut having = Vec::new();
            let slots = view.reading().find(Key::name(id))?;
            // Nearly always it is the note itself.
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
        let others = known[id.as_str()].iter();
        let others = others.filter(|path| **path != note.entry.path);
        let others: Vec<String> = others.map(ToString::to_string).collect();
        if !others.is_empty() {
            let message = format!("id `{id}` is also used by {}", listed(&others));
            findings.push(Finding {
                line: *line,
                others,
                ..Finding::new(Kind::DuplicateId, note.entry.path.as_str(), message)
            });
        }
    }
    Ok(findings)
}

fn same_name(clash: &[&str]) -> Finding {
    let others: Vec<String> = clash[1..].iter().map(|path| (*path).to_owned()).collect();
    let message = format!(
        "is the same name as {} on some file systems",
        listed(&others)
    );
    Finding {
        others,
        ..Finding::new(Kind::SameName, clash[0], message)
    }
}
