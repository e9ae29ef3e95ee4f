//! `mem mv NOTE#HEADING NEW`: moves a section into a new note.

use super::append::placement_error;
use crate::change::acts::ActError;
use crate::commands::args::destination::{move_error, warn_of_unusual_characters};
use crate::commands::prelude::*;
use crate::note::markdown::append::section;
use crate::view::section::extract_section;

/// The section to move, and its destination.
#[derive(Debug)]
pub(crate) struct SectionMove<'a> {
    pub note: &'a str,
    pub heading: &'a str,
    pub dest: &'a str,
    /// Whether to leave an embed in its place.
    pub embed: bool,
    pub dry_run: bool,
}

/// Moves the section; returns the number of other notes whose links are updated.
pub(crate) fn make(session: &Session, request: &SectionMove<'_>) -> Result<(ChangeReport, usize)> {
    let env = &session.env;
    let (cache, report) = session.whole_cache()?;
    let view = session.view(&cache)?;
    let from = find_note(env, &view, request.note)?;
    session.warn_of_unread(report, &[from.path.stem()]);
    let text = view.text(&from);
    let text = text.map_err(|error| link_update_error(error.into()))?;
    if request.heading.trim_matches(['#', ' ']).is_empty() {
        let error = Error::new("name a heading after the `#`");
        return Err(error.hint(headings(&from.path, &text)));
    }
    let found = section(&text, request.heading).map_err(|why| {
        let exact = shell_word(&format!("{}### {}", from.path, request.heading));
        let exact = format!("mem mv {exact} NEW");
        placement_error(&from.path, request.heading, why, &exact)
    })?;
    let span = found.ok_or_else(|| {
        let error = format!("`{}` has no heading `{}`", from.path, request.heading);
        Error::new(error).hint(headings(&from.path, &text))
    })?;
    // The heading as written in the note.
    let first_line = text[span.clone()].lines().next().unwrap_or_default();
    let heading = first_line.trim().trim_matches('#').trim();
    let name = view.naming(from.path.folder())?.name(heading, 1);
    let unplaced = VaultPath::new(&format!("{name}.md"))?;
    let goal = Destination::for_note(session, request.dest, request.note, &from.path)?;
    let to = goal.of_note(&unplaced, false)?;
    let vacant = session.vault.vacant(&to);
    let to = vacant.map_err(|why| move_error(&from.path, &to, &why))?;
    if let Some(other) = view.named_exactly(to.stem())?.first() {
        let error = Error::new(format!("`{}` is called `{}`, too", other.path, to.stem()));
        return Err(error.hint("links would be ambiguous; choose another name"));
    }
    warn_of_unusual_characters(&env.output, &from.path, &to);
    let name = (!request.embed).then_some(heading);
    let acts = extract_section(&view, &from, span, &to, name);
    let acts = acts.map_err(|error| link_update_error(ActError::Remap(error)))?;
    let linking = acts.len() - 2;
    let group = Group {
        title: format!("move `{heading}` of {} to {to}", from.path),
        ..acts::manual_group(&view, "requested", &acts).map_err(link_update_error)?
    };
    drop(view);
    let changes = change_report::make(session, cache, "mv", vec![group], request.dry_run)?;
    Ok((changes, linking))
}

/// Returns a hint with the headings of the note.
fn headings(note: &VaultPath, text: &str) -> String {
    let headings = note::read(text, note.stem()).headings;
    let names = headings.iter().map(|heading| {
        let level = usize::from(heading.level);
        format!("{} {}", "#".repeat(level), heading.text)
    });
    let names: Vec<String> = names.collect();
    if names.is_empty() {
        return "the note has no headings".to_owned();
    }
    let note = shell_word(note.as_str());
    format!("`mem outline {note}` shows them: {}", names.join(", "))
}
