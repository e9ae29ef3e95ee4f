//! Writes many new notes as one run.

use super::super::plan::apply::apply;
use super::findings::NoteFindings;
use super::{KnownNote, NewNote, findings_about, notes_stating, restatement, same_text};
use crate::note::front_matter::seal;
use crate::note::names::naming::FileNameStyle;
use crate::note::{Relation, new_note};
use crate::run::prelude::*;

/// Paths for new notes that are free in the vault and in the batch.
#[derive(Debug, Default)]
pub struct FreePaths {
    taken: HashSet<String>,
    styles: HashMap<String, FileNameStyle>,
}

impl FreePaths {
    /// Reserves the first free path in `folder` made from `title`.
    pub fn reserve(
        &mut self,
        session: &Session,
        view: &View<'_>,
        folder: Option<&VaultPath>,
        title: &str,
    ) -> Result<VaultPath> {
        let folder = folder.map_or_else(String::new, |folder| format!("{folder}/"));
        let style = match self.styles.get(&folder) {
            Some(style) => *style,
            None => view.naming(&folder)?,
        };
        self.styles.insert(folder.clone(), style);
        for number in 1.. {
            let name = style.name(title, number);
            let path = VaultPath::new(&format!("{folder}{name}.md"))
                .map_err(|error| Error::from(error).hint("give it another title"))?;
            if self.take(session, &path) {
                return Ok(path);
            }
        }
        unreachable!("there is always a greater number")
    }

    /// Reserves `path`, unless a file or a note of the batch has it.
    pub fn take(&mut self, session: &Session, path: &VaultPath) -> bool {
        !session.vault.exists(path) && self.taken.insert(path.as_str().to_lowercase())
    }
}

/// Returns the group that creates one note.
pub fn creation(path: VaultPath, text: String) -> Group {
    requested(format!("create {path}"), Change::Create { path, text })
}

/// Returns the group of one change that a person or an agent asked for.
pub fn requested(title: String, change: Change) -> Group {
    Group {
        title,
        reason: "requested".to_owned(),
        changes: vec![change],
        ..Group::default()
    }
}

/// Applies the groups of a batch as one run of `job`.
pub fn write(session: &Session, cache: Cache, job: &str, groups: Vec<Group>) -> Result<RunReport> {
    let report = apply(session, cache, &Plan::new(job, groups))?;
    if report.applied() > 0 {
        session.note_ingest();
    }
    Ok(report)
}

/// A note of a batch.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BatchNote {
    pub path: VaultPath,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub title: String,
    /// False if the text was already known.
    pub created: bool,
    /// What the jobs would ask about it, if the batch creates at most [`MAX_EXAMINED`] notes.
    #[serde(flatten)]
    pub asked: NoteFindings,
}

impl BatchNote {
    /// Whether it was written and has this title, id or path.
    pub fn is_named(&self, name: &str) -> bool {
        let path = [
            self.path.as_str(),
            self.path.without_ending(),
            self.path.stem(),
        ];
        let names = path
            .into_iter()
            .chain([&*self.title])
            .chain(self.id.as_deref());
        let name = name.trim().to_lowercase();
        self.created && names.map(str::to_lowercase).any(|own| own == name)
    }
}

/// Maximum number of new notes in a batch about which the jobs are asked at once: an agent's report, not an import.
const MAX_EXAMINED: usize = 100;

/// Notes in the order of a batch, each with the reason if it was not saved.
pub type BatchReplies = Vec<Result<BatchNote, String>>;

/// Saves `count` notes as one run; a text that a current note states is not written twice. `note` returns the note at an
/// index, given the replies before it.
pub fn remember_all<'n>(
    session: &Session,
    cache: Cache,
    count: usize,
    mut note: impl FnMut(usize, &View<'_>, &BatchReplies) -> Result<NewNote<'n>, String>,
) -> Result<(BatchReplies, Option<RunId>)> {
    let view = session.view(&cache)?;
    let mut paths = FreePaths::default();
    let (mut replies, mut groups): (BatchReplies, Vec<(usize, Group)>) = Default::default();
    // Replies by id and by text with its properties.
    let mut stated: HashMap<String, usize> = HashMap::new();
    // Notes that earlier lines replace no longer state their text.
    let mut replaced: HashSet<VaultPath> = HashSet::new();
    for at in 0..count {
        let new = match note(at, &view, &replies) {
            Ok(new) => new,
            Err(error) => {
                replies.push(Err(error));
                continue;
            }
        };
        let text = serde_json::json!([new.body, new.given.title, new.given.properties]);
        let id = new
            .property("id")
            .and_then(Value::as_str)
            .map(str::to_owned);
        let keys = [
            text.to_string(),
            format!("id {}", id.as_deref().unwrap_or_default()),
        ];
        if let Some(earlier) = stated.get(&keys[0]) {
            let known = replies[*earlier].clone();
            replies.push(known.map(|note| BatchNote {
                created: false,
                ..note
            }));
            continue;
        }
        if stated.contains_key(&keys[1]) {
            let id = id.unwrap_or_default();
            replies.push(Err(format!(
                "the id `{id}` belongs to an earlier line with another text"
            )));
            continue;
        }
        let number = replies.len();
        stated.extend(keys.map(|key| (key, number)));
        if let Some((note, group)) = known_note(&view, &new, id.as_deref(), &replaced)? {
            groups.extend(group.map(|group| (number, group)));
            replies.push(Ok(note));
            continue;
        }
        let path = match paths.reserve(session, &view, new.folder.as_ref(), &new.title) {
            Ok(path) => path,
            Err(error) => {
                replies.push(Err(error.message()));
                continue;
            }
        };
        replaced.extend(replaced_notes(&view, &new)?);
        let text = seal::reseal(&new_note(&new.properties, &new.body));
        groups.push((number, creation(path.clone(), text)));
        replies.push(Ok(BatchNote {
            path,
            id,
            title: new.title,
            created: true,
            asked: NoteFindings::default(),
        }));
    }
    drop(view);
    let (numbers, groups): (Vec<usize>, Vec<Group>) = groups.into_iter().unzip();
    let report = write(session, cache, "remember", groups)?;
    for (number, outcome) in numbers.into_iter().zip(&report.outcomes) {
        if let Outcome::Dropped { reason, .. } = outcome {
            replies[number] = Err(format!("cannot write it: {reason}"));
        }
    }
    let created = replies.iter_mut().flatten().filter(|note| note.created);
    let mut created: Vec<&mut BatchNote> = created.collect();
    if created.len() <= MAX_EXAMINED && !created.is_empty() {
        let paths: Vec<VaultPath> = created.iter().map(|note| note.path.clone()).collect();
        let findings = findings_about(session, &paths);
        for (note, asked) in created.iter_mut().zip(findings) {
            note.asked = asked;
        }
    }
    Ok((replies, report.run))
}

/// Returns the notes that `new` replaces.
fn replaced_notes(view: &View<'_>, new: &NewNote<'_>) -> Result<Vec<VaultPath>> {
    let links = new.property(Relation::EvolvedFrom.name());
    let names = links.and_then(Value::as_array).into_iter().flatten();
    let mut replaced = Vec::new();
    for name in names.filter_map(Value::as_str) {
        let notes = view.named(name)?;
        replaced.extend(notes.into_iter().map(|entry| entry.path));
    }
    Ok(replaced)
}

/// Returns the note that states `new`, and the group that gives it a later date.
fn known_note(
    view: &View<'_>,
    new: &NewNote<'_>,
    id: Option<&str>,
    replaced: &HashSet<VaultPath>,
) -> Result<Option<(BatchNote, Option<Group>)>> {
    for entry in id.map_or_else(|| Ok(Vec::new()), |id| view.namesakes(id))? {
        let details = view.details(entry.slot)?;
        if details.id.as_deref() == id {
            let (path, id, title) = (entry.path, details.id, details.title);
            return Ok(Some((
                BatchNote {
                    path,
                    id,
                    title,
                    created: false,
                    asked: NoteFindings::default(),
                },
                None,
            )));
        }
    }
    let (mut current, _) = same_text(view, new)?;
    current.retain(|entry| !replaced.contains(&entry.path));
    let known = notes_stating(view, current, new)?;
    for known in &known {
        if known.is_stated_until(view, new)? {
            return Ok(Some((known.batch_note(), None)));
        }
    }
    for known in known.iter().filter(|known| known.may_be_restated(new)) {
        if let Some(group) = restatement(view, known, new) {
            return Ok(Some((known.batch_note(), Some(group))));
        }
    }
    Ok(None)
}

impl KnownNote {
    fn batch_note(&self) -> BatchNote {
        BatchNote {
            path: self.entry.path.clone(),
            id: self.id.clone(),
            title: self.title.clone(),
            created: false,
            asked: NoteFindings::default(),
        }
    }
}
