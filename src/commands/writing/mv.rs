//! `mem mv`

use super::mv_folder::FolderMove;
use super::mv_section;
use super::rm::canvas_warning;
use crate::commands::args::destination::{
    Destination, link_update_error, move_error, warn_of_unusual_characters,
};
use crate::commands::prelude::*;
use crate::finding::{Change, act};
use crate::note;
use crate::run::doctor::canvas;
use crate::view::links::rebased;

/// Rename or move notes, and update all links
///
/// Updates links, embeds and relations of other notes without changing their form or labels, and
/// relative links of the note itself. A note given by name is renamed in its folder; otherwise DEST
/// is relative to the current folder or the vault's root. A folder is moved with all its notes;
/// other files in it stay. `NOTE#HEADING` moves a section into a new
/// note and leaves a link in its place. The whole move is one run.
#[derive(Debug, clap::Args)]
pub struct MoveRequest {
    /// The notes or one folder, then the new name, or the folder to move them into
    #[arg(required = true, num_args = 2.., value_names = ["NOTE", "DEST"])]
    pub names: Vec<String>,
    /// Preview the changes without making them
    #[arg(long)]
    pub dry_run: bool,
    /// For a section: leave an embed in its place, not a link
    #[arg(long)]
    pub embed: bool,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct MovedNotes {
    #[serde(flatten)]
    changes: ChangeReport,
    /// Moves of whole notes.
    #[serde(flatten)]
    whole: Option<Moves>,
    /// Canvases with links to the earlier paths.
    canvases: Vec<VaultPath>,
    /// Number of other notes with links into the moved section.
    #[serde(skip)]
    linking_to_section: usize,
    /// Notes that are excluded from the index at their new path.
    #[serde(skip)]
    hidden: Vec<VaultPath>,
    /// The warning about other files of a moved folder.
    #[serde(skip)]
    rest: Option<Message>,
    /// Properties with a path that is relative to the earlier folder of their note.
    #[serde(skip)]
    paths: Vec<StalePath>,
    #[serde(skip)]
    dry_run: bool,
}

#[derive(Debug)]
struct StalePath {
    note: VaultPath,
    key: String,
    written: String,
    new: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Moves {
    moved: Vec<MovedNote>,
    /// Number of updated links, and of notes that contain them.
    links: usize,
    linking: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct MovedNote {
    from: VaultPath,
    to: VaultPath,
}

impl Request for MoveRequest {
    type Reply<'s> = MovedNotes;

    fn answer(&self, session: &Session) -> Result<MovedNotes> {
        let (dest, notes) = self.names.split_last().expect("two or more are required");
        if let Some((note, heading)) = section(session, notes) {
            let wanted = mv_section::SectionMove {
                note,
                heading,
                dest,
                embed: self.embed,
                dry_run: self.dry_run,
            };
            let (changes, linking_to_section) = mv_section::make(session, &wanted)?;
            return Ok(MovedNotes {
                changes,
                linking_to_section,
                dry_run: self.dry_run,
                ..MovedNotes::default()
            });
        }
        if self.embed {
            let error = Error::new("`--embed` is for a section");
            return Err(error.hint("`mem mv NOTE#HEADING NEW --embed`"));
        }
        let (cache, report) = session.whole_cache()?;
        let view = session.view(&cache)?;
        let folder = FolderMove::of(session, &view, notes, dest)?;
        let (entries, mut places): (Vec<Entry>, Vec<VaultPath>) = match &folder {
            Some(folder) => folder.moves(&view)?.into_iter().unzip(),
            None => (find_notes(&session.env, &view, notes)?, Vec::new()),
        };
        let stems: Vec<&str> = entries.iter().map(|entry| entry.path.stem()).collect();
        session.warn_of_unread(report, &stems);
        let goal = match (&entries[..], notes) {
            _ if folder.is_some() => Destination::Folder(String::new()),
            ([entry], [name]) => Destination::for_note(session, dest, name, &entry.path)?,
            _ => Destination::of(session, dest)?,
        };
        let mut moves: Vec<(Entry, VaultPath)> = Vec::new();
        places.reverse();
        for entry in entries {
            let to = match places.pop() {
                Some(to) => to,
                None => goal.of_note(&entry.path, notes.len() > 1)?,
            };
            if let Some((other, _)) = moves.iter().find(|(_, taken)| *taken == to) {
                let (one, other) = (&other.path, &entry.path);
                let error = format!("`{one}` and `{other}` cannot both become `{to}`");
                return Err(Error::new(error).hint("rename one of them first"));
            }
            if to == entry.path {
                let output = &session.env.output;
                output.say(&format!("`{to}` already exists; nothing was moved"));
                continue;
            }
            // If a symbolic link leads there, the real path is used, which links name.
            let vacant = session.vault.vacant_for(&to, Some(&entry.path));
            let to = vacant.map_err(|why| move_error(&entry.path, &to, &why))?;
            warn_of_unusual_characters(&session.env.output, &entry.path, &to);
            warn_of_same_name(session, &view, &entry, &to)?;
            moves.push((entry, to));
        }
        let entries: Vec<Entry> = moves.iter().map(|(entry, _)| entry.clone()).collect();
        let canvases = canvas::linking_to(&session.vault, &view, &entries)?;
        let stale = |(entry, to): &(Entry, VaultPath)| stale_paths(session, &view, entry, to);
        let paths = moves.iter().flat_map(stale).collect();
        let records = moves.iter().map(|(entry, to)| MovedNote {
            from: entry.path.clone(),
            to: to.clone(),
        });
        let renamed: Vec<MovedNote> = records.collect();
        let group = group(&view, moves, folder.as_ref())?;
        let changes = group.iter().flat_map(|group| &group.changes);
        let edits = changes.filter_map(|change| match change {
            Change::Edit { edits, .. } | Change::Move { edits, .. } if !edits.is_empty() => {
                Some(edits.len())
            }
            _ => None,
        });
        let (links, linking) = edits.fold((0, 0), |(links, notes), some| (links + some, notes + 1));
        let groups = group.into_iter().collect();
        drop(view);
        let changes = change_report::make(session, cache, "mv", groups, self.dry_run)?;
        let counts = Some((links, linking)).filter(|_| changes.is_any());
        let (links, linking) = counts.unwrap_or_default();
        let hidden = hidden(session, &renamed, self.dry_run)?;
        let is_moved = !self.dry_run && changes.is_any();
        let rest = folder
            .filter(|_| is_moved)
            .and_then(|folder| folder.clean_up(session));
        Ok(MovedNotes {
            changes,
            whole: Some(Moves {
                moved: renamed,
                links,
                linking,
            }),
            canvases,
            hidden,
            rest,
            paths,
            dry_run: self.dry_run,
            ..MovedNotes::default()
        })
    }
}

impl Reply for MovedNotes {
    fn show(&self, page: &Page<'_>) {
        self.changes.show(page);
        let update = |links: &str, notes: &str| {
            act::outcome(&format!("update {links} in {notes}"), self.dry_run)
        };
        if let Some(Moves { links, linking, .. }) = &self.whole
            && *links > 0
        {
            let (links, notes) = (count(*links, "link"), count(*linking, "note"));
            page.say(&update(&links, &notes));
        }
        if self.linking_to_section > 0 {
            let notes = count(self.linking_to_section, "other note");
            page.say(&update("links", &notes));
        }
    }

    fn messages(&self) -> Vec<Message> {
        let hidden = self.hidden.iter().map(|to| {
            Message::Warning(format!(
                "`{to}` is excluded by `.gitignore`, `.memignore` or Obsidian's settings; mem no longer reads it"
            ))
        });
        let messages = self.rest.iter().cloned();
        let paths = self.paths.iter().map(|path| {
            let StalePath { note, key, written, new } = path;
            Message::Warning(format!(
                "property `{key}` of `{note}` names the file `{written}` of the earlier folder; mem does not change it: write `{new}`"
            ))
        });
        let rest = messages.chain(canvas_warning(&self.canvases)).chain(paths);
        hidden.chain(rest).chain(self.changes.messages()).collect()
    }

    fn exit(&self) -> Result<Exit> {
        self.changes.exit()
    }
}

/// Warns if a renamed note gets the name of another one.
fn warn_of_same_name(
    session: &Session,
    view: &View<'_>,
    entry: &Entry,
    to: &VaultPath,
) -> Result<()> {
    let is_same = |other: &Entry| other.slot != entry.slot && other.path.stem() == to.stem();
    if to.stem() != entry.path.stem()
        && let Some(other) = view.entries()?.into_iter().find(is_same)
    {
        let other = other.path;
        session.env.output.warn(&format!(
            "`{other}` has the same name; links to both contain their paths"
        ));
    }
    Ok(())
}

/// Returns the note and heading if a single section is named.
fn section<'n>(session: &Session, names: &'n [String]) -> Option<(&'n str, &'n str)> {
    let [name] = names else { return None };
    let is_file = session.env.start.join(name).exists();
    name.split_once('#').filter(|_| !is_file)
}

/// Returns the properties of a note with paths of files that its new folder does not have.
fn stale_paths(
    session: &Session,
    view: &View<'_>,
    entry: &Entry,
    to: &VaultPath,
) -> Vec<StalePath> {
    let Ok(text) = view.text(entry) else {
        return Vec::new();
    };
    let exists = |from: &VaultPath, path: &str| {
        let root = VaultPath::new("root").ok()?;
        let file = VaultPath::new(&rebased(from, path, &root)?).ok()?;
        session.vault.exists(&file).then_some(())
    };
    let properties = note::read(&text, entry.path.stem()).properties;
    let mut stale = Vec::new();
    for key in properties.keys() {
        for written in note::list_of(&properties, key) {
            let is_path = written.contains(['/', '.']) && !written.starts_with('/');
            if is_path
                && exists(&entry.path, &written).is_some()
                && exists(to, &written).is_none()
                && let Some(new) = rebased(&entry.path, &written, to)
            {
                let (note, key) = (to.clone(), key.clone());
                stale.push(StalePath {
                    note,
                    key,
                    written,
                    new,
                });
            }
        }
    }
    stale
}

/// Returns the notes that are not indexed at their new path.
fn hidden(session: &Session, moved: &[MovedNote], dry_run: bool) -> Result<Vec<VaultPath>> {
    if dry_run {
        return Ok(Vec::new());
    }
    let cache = session.cache()?;
    let view = session.view(&cache)?;
    let mut hidden = Vec::new();
    for MovedNote { to, .. } in moved {
        if session.vault.absolute(to).exists() && view.at(to)?.is_none() {
            hidden.push(to.clone());
        }
    }
    Ok(hidden)
}

/// Returns the group of all moves; none if nothing moves.
fn group(
    view: &View<'_>,
    moves: Vec<(Entry, VaultPath)>,
    whole: Option<&FolderMove>,
) -> Result<Option<Group>> {
    let Some((_, to)) = moves.first() else {
        return Ok(None);
    };
    let folder = to.folder().to_owned();
    let requested = moves.into_iter().map(|(entry, to)| Act::Move {
        note: entry.path,
        to,
    });
    let moves: Vec<Act> = requested.collect();
    let mut group = acts::manual_group(view, "requested", &moves).map_err(link_update_error)?;
    if let Some(FolderMove { from, to }) = whole {
        group.title = format!("move {from}/ to {to}/ ({})", count(moves.len(), "note"));
    } else if moves.len() > 1 {
        group.title = format!("move {} to {folder}/", count(moves.len(), "note"));
    }
    Ok(Some(group))
}
