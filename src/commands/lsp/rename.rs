//! Renames notes, headings and tags with all links.

use super::context::{EditorNote, LspContext, NoteRequest};
use super::document::file;
use super::navigation::tagged;
use super::workspace_edit::of_acts;
use crate::commands::args::destination::move_error;
use crate::commands::prelude::*;
use crate::note::markdown::parts::Parts;
use crate::note::retag::{edits, is_tag};
use crate::view::remap::{Remap, without_overlaps};

/// What a rename concerns.
enum RenameTarget {
    Note(Entry),
    /// A heading and the note that contains it.
    Heading(Box<EditorNote>, Heading),
    Tag(String),
}

/// Returns what is at a position, and its span.
fn renamed(request: NoteRequest<'_, '_>) -> Result<Option<(RenameTarget, Range<usize>)>> {
    let (context, source) = (request.context, request.source);
    let subject = request.subject()?;
    let (offset, span) = (
        source.text.offset(&request.params["position"]),
        subject.span,
    );
    let sign = source.text.text[span.clone()].find('#');
    let is_in_part = sign.is_some_and(|sign| offset > span.start + sign);
    let what = if let Some(tag) = subject.tag {
        Some(RenameTarget::Tag(tag))
    } else if subject.link.is_none() {
        let heading = source.heading_at(offset).cloned();
        let owner = context.read(source.path.clone())?;
        heading.map(|heading| RenameTarget::Heading(Box::new(owner), heading))
    } else if let Some(note) = subject.note {
        match subject
            .link
            .filter(|link| is_in_part && link.part.is_some())
        {
            None => Some(RenameTarget::Note(note)),
            Some(link) => {
                let owner = context.read(note.path)?;
                let heading = owner.heading_of(&link).cloned();
                heading.map(|heading| RenameTarget::Heading(Box::new(owner), heading))
            }
        }
    } else {
        None
    };
    Ok(what.map(|what| (what, span)))
}

/// Answers `textDocument/prepareRename`.
pub(super) fn prepare(request: NoteRequest<'_, '_>) -> Result<Value> {
    let source = request.source;
    let Some((what, span)) = renamed(request)? else {
        return Ok(Value::Null);
    };
    let name = match what {
        RenameTarget::Note(entry) => entry.path.stem().to_owned(),
        RenameTarget::Heading(owner, heading) => {
            owner.text.text[owner.heading_span(&heading)].to_owned()
        }
        RenameTarget::Tag(tag) => tag,
    };
    Ok(json!({"range": source.text.range(&span), "placeholder": name}))
}

/// Answers `textDocument/rename`.
pub(super) fn rename(request: NoteRequest<'_, '_>) -> Result<Value> {
    let context = request.context;
    let new = request.params["newName"]
        .as_str()
        .unwrap_or_default()
        .trim();
    let acts = match renamed(request)? {
        Some((RenameTarget::Note(entry), _)) => vec![move_of(context, &entry, new)?],
        Some((RenameTarget::Heading(owner, heading), _)) => {
            heading_edits(context, &owner, &heading, new)?
        }
        Some((RenameTarget::Tag(tag), _)) => tag_edits(context, &tag, new.trim_start_matches('#'))?,
        None => return Err(Error::new("only links, headings and tags can be renamed")),
    };
    of_acts(context, &acts)
}

/// Returns the move of a note to a name in its folder, or to a path from the root.
fn move_of(context: &LspContext<'_>, entry: &Entry, new: &str) -> Result<Act> {
    if !context.can("rename") {
        let why = "this editor renames no files for a server: rename the note with `mem mv`";
        return Err(Error::new(why));
    }
    let new = new.strip_suffix(".md").unwrap_or(new);
    let folder = if new.contains('/') {
        ""
    } else {
        entry.path.folder()
    };
    let to = VaultPath::new(format!("{folder}/{new}.md").trim_start_matches('/'))?;
    let vacant = context.session.vault.vacant_for(&to, Some(&entry.path));
    let to = vacant.map_err(|why| move_error(&entry.path, &to, &why))?;
    let note = entry.path.clone();
    Ok(Act::Move { note, to })
}

fn heading_edits(
    context: &LspContext<'_>,
    owner: &EditorNote,
    heading: &Heading,
    new: &str,
) -> Result<Vec<Act>> {
    if new.is_empty() || new.contains('\n') {
        return Err(Error::new("a heading needs a name on one line"));
    }
    let text = &owner.text.text;
    let span = owner.heading_span(heading);
    let renamed = [&text[..span.start], new, &text[span.end..]].concat();
    let before = owner.parts();
    let after = Parts::of(&note::read(&renamed, owner.path.stem()), &renamed);
    let own = Edit::replace(text, span, new);
    let mut edited = BTreeMap::from([(owner.path.clone(), vec![own])]);
    let linking = owner.entry.as_ref().map(|entry| context.links_to(entry));
    for (other, links) in linking.transpose()?.unwrap_or_default() {
        let text = &other.text.text;
        for link in links {
            let (Some(old), Some(part)) = (before.of_link(&link), &link.part) else {
                continue;
            };
            let part_after = after.readdressed(link.kind, part, old.target, &old, Some);
            let written = part_after.and_then(|new| {
                if new == *part {
                    Some(None)
                } else {
                    link.with_part(text, &new).map(Some)
                }
            });
            let Some(written) = written else {
                let written = &text[link.span.clone()];
                let error = format!(
                    "nothing was renamed: no link can replace `{written}` in `{}`",
                    other.path
                );
                return Err(Error::new(error).hint("choose another name for the heading"));
            };
            if let Some(written) = written {
                let edit = Edit::replace(text, link.place(), written);
                edited.entry(other.path.clone()).or_default().push(edit);
            }
        }
    }
    // Reference links may share a definition.
    let acts = edited.into_iter().map(|(note, edits)| Act::Edit {
        note,
        edits: without_overlaps(edits),
    });
    Ok(acts.collect())
}

fn tag_edits(context: &LspContext<'_>, old: &str, new: &str) -> Result<Vec<Act>> {
    if !is_tag(new) {
        return Err(Error::new(format!("`{new}` is not a tag"))
            .hint("use letters, digits, `-`, `_` and `/`"));
    }
    let notes = tagged(context, old)?.into_iter();
    let acts = notes.map(|source| Act::Edit {
        edits: edits(&source.text.text, old, new),
        note: source.path,
    });
    Ok(acts.collect())
}

/// Answers `workspace/willRenameFiles`: the edits that keep links working.
pub(super) fn moved_files(context: &LspContext<'_>, params: &Value) -> Result<Value> {
    let vault = &context.session.vault;
    let path = |uri: &Value| context.path(&file(uri.as_str()?)?);
    let mut moves: Vec<(Entry, VaultPath)> = Vec::new();
    for moved in params["files"].as_array().into_iter().flatten() {
        let (Some(from), Some(to)) = (path(&moved["oldUri"]), path(&moved["newUri"])) else {
            continue;
        };
        if let Some(entry) = context.view.at(&from)? {
            moves.push((entry, to));
        } else if vault.absolute(&from).is_dir() {
            for entry in context.view.entries()? {
                let below = entry.path.as_str().strip_prefix(from.as_str());
                if let Some(below) = below.filter(|below| below.starts_with('/')) {
                    let to = VaultPath::new(&format!("{to}{below}"))?;
                    moves.push((entry, to));
                }
            }
        }
    }
    let edited = Remap::moving(&context.view, &moves).edits();
    let edited = edited.map_err(|error| link_update_error(acts::ActError::Remap(error)))?;
    let acts = edited.into_iter().map(|(entry, edits)| Act::Edit {
        note: entry.path,
        edits,
    });
    of_acts(context, &acts.collect::<Vec<_>>())
}
