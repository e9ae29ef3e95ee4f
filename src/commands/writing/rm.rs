//! `mem rm`

use crate::commands::prelude::*;
use crate::finding::first_names;
use crate::run::doctor::canvas;

/// Move notes to the trash
///
/// The note goes to `.mem/trash` unchanged, with the reason; nothing is deleted. `mem restore NOTE`
/// restores it, `mem trash` lists the trash, `mem trash empty` empties it. Links to the note are
/// reported and stay as they are.
#[derive(Debug, clap::Args)]
pub struct RemoveRequest {
    /// The notes
    #[arg(required = true, value_name = "NOTE")]
    pub notes: Vec<String>,
    /// Reason, shown in the trash
    #[arg(long, value_name = "TEXT", default_value = "removed by hand")]
    pub reason: String,
    /// Also remove notes marked `keep: true`
    #[arg(short, long)]
    pub force: bool,
    /// Preview the changes without making them
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct RemovedNotes {
    #[serde(flatten)]
    changes: ChangeReport,
    /// Notes with links to removed notes, which are now broken.
    still_linked: Vec<LinkedNote>,
    /// Canvases with links to removed notes.
    canvases: Vec<VaultPath>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LinkedNote {
    note: VaultPath,
    from: Vec<VaultPath>,
}

/// Maximum number of linking notes named in a warning.
const MAX_NAMED_NOTES: usize = 5;

impl Request for RemoveRequest {
    type Reply<'s> = RemovedNotes;

    fn answer(&self, session: &Session) -> Result<RemovedNotes> {
        let (cache, view) = session.fresh_view()?;
        let entries = find_notes(&session.env, &view, &self.notes)?;
        let is_kept = |entry: &&Entry| entry.row.flags.has(Flags::KEEP);
        if let Some(entry) = entries.iter().find(is_kept).filter(|_| !self.force) {
            let error = Error::new(format!("`{}` is marked `keep: true`", entry.path));
            return Err(error.hint(format!(
                "`mem rm --force` removes it anyway; `mem edit --no-keep {}` removes the mark",
                shell_word(entry.path.as_str())
            )));
        }
        let still_linked = still_linked(&view, &entries)?;
        let canvases = canvas::linking_to(&session.vault, &view, &entries)?;
        let groups = entries.iter().map(|entry| {
            let (note, reason) = (entry.path.clone(), self.reason.clone());
            acts::manual_group(&view, &self.reason, &[Act::Trash { note, reason }])
        });
        let groups = groups.collect::<Result<Vec<Group>, _>>()?;
        drop(view);
        Ok(RemovedNotes {
            changes: change_report::make(session, cache, "rm", groups, self.dry_run)?,
            still_linked,
            canvases,
        })
    }
}

impl Reply for RemovedNotes {
    fn show(&self, page: &Page<'_>) {
        self.changes.show(page);
    }

    fn messages(&self) -> Vec<Message> {
        let linked = self.still_linked.iter().map(|LinkedNote { note, from }| {
            let names = first_names(from.iter(), MAX_NAMED_NOTES);
            let link = if from.len() == 1 { "links" } else { "link" };
            let notes = count(from.len(), "note");
            Message::Warning(format!("{notes} still {link} to `{note}`: {names}"))
        });
        let canvases = canvas_warning(&self.canvases);
        linked
            .chain(canvases)
            .chain(self.changes.messages())
            .collect()
    }

    fn exit(&self) -> Result<Exit> {
        self.changes.exit()
    }
}

/// Returns the warning that canvases contain links to the earlier paths of notes.
pub(super) fn canvas_warning(canvases: &[VaultPath]) -> Option<Message> {
    let names: Vec<&str> = canvases.iter().map(VaultPath::as_str).collect();
    let files = count(canvases.len(), "canvas file");
    let words = format!(
        "mem does not write canvases; update the links in {files}: {}",
        names.join(", ")
    );
    Some(Message::Warning(words)).filter(|_| !canvases.is_empty())
}

/// Returns the remaining notes that link to each of the removed ones.
fn still_linked(view: &View<'_>, entries: &[Entry]) -> Result<Vec<LinkedNote>> {
    let mut linked = Vec::new();
    for entry in entries {
        let mut from = view.affected_by(entry)?;
        from.retain(|source| entries.iter().all(|gone| gone.slot != source.slot));
        if !from.is_empty() {
            linked.push(LinkedNote {
                note: entry.path.clone(),
                from: from.into_iter().map(|source| source.path).collect(),
            });
        }
    }
    Ok(linked)
}
