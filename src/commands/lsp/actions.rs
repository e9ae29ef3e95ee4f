//! Code actions: solve a problem, move a section into a note, convert links, insert a table of contents.

use std::collections::btree_map::Entry as MapEntry;

use super::context::NoteRequest;
use super::diagnostics::{self, edit_action};
use super::workspace_edit::of_acts;
use crate::commands::prelude::*;
use crate::jobs::views;
use crate::note::Link;
use crate::note::front_matter::split::{line_end, line_start, split};
use crate::note::markdown::links::{anchor_of_heading, part_of_heading};
use crate::note::markdown::parts::{PartTarget, Parts};
use crate::view::links::relative;
use crate::view::remap::RemapError;
use crate::view::section::extract_section;

/// Minimum number of headings for a table of contents.
const MIN_HEADINGS: usize = 2;
/// Maximum number of problems whose actions are offered for a range.
const MAX_PROBLEMS: usize = 50;

/// Answers `textDocument/codeAction`.
pub(super) fn actions(request: NoteRequest<'_, '_>) -> Result<Value> {
    let (context, source) = (request.context, request.source);
    let chosen = source.text.span(&request.params["range"]);
    let mut actions = Vec::new();
    let mut problems = diagnostics::of(context, source)?;
    problems.retain(|problem| problem.span.start <= chosen.end && chosen.start <= problem.span.end);
    for problem in problems.into_iter().take(MAX_PROBLEMS) {
        let shown = problem.shown(source);
        actions.extend((problem.actions)()?.into_iter().map(|mut action| {
            action["diagnostics"] = json!([shown]);
            action
        }));
    }
    if let Some(heading) = source.heading_at(chosen.start) {
        actions.extend(extraction(request, heading)?);
    }
    actions.extend(conversions(request, &chosen)?);
    actions.extend(contents(request, &chosen)?);
    let only = request.params["context"]["only"].as_array();
    let is_wanted = |action: &Value| {
        let kind = action["kind"].as_str().unwrap_or_default();
        let wanted = only.into_iter().flatten().filter_map(Value::as_str);
        only.is_none() || wanted.into_iter().any(|wanted| kind.starts_with(wanted))
    };
    actions.retain(is_wanted);
    Ok(json!(actions))
}

/// Returns the action that moves a section into a new note and leaves a link.
fn extraction(request: NoteRequest<'_, '_>, heading: &Heading) -> Result<Option<Value>> {
    let (context, source) = (request.context, request.source);
    let (view, text) = (&context.view, &source.text.text);
    let is_possible = heading.level > 1 && context.can("create");
    let Some(entry) = source.entry.as_ref().filter(|_| is_possible) else {
        return Ok(None);
    };
    let folder = source.path.folder();
    let name = view.naming(folder)?.name(&heading.text, 1);
    let to = VaultPath::new(format!("{folder}/{name}.md").trim_start_matches('/'))?;
    let is_taken = !view.named_exactly(to.stem())?.is_empty();
    let Some(to) = context.session.vault.vacant(&to).ok().filter(|_| !is_taken) else {
        return Ok(None);
    };
    let section = source.section(heading);
    let span = section.start..line_end(text, section.end);
    let acts = extract_section(view, entry, span, &to, Some(&heading.text));
    let acts = match acts {
        // `mem mv` reports the reason.
        Err(RemapError::UncertainPart { .. } | RemapError::Unwritable { .. }) => return Ok(None),
        acts => acts.map_err(acts::ActError::Remap)?,
    };
    let title = format!("Move the section to {to}");
    edit_action(context, &title, "refactor.extract", &acts).map(Some)
}

/// Returns the actions that write the links at `chosen` in the other syntax.
fn conversions(request: NoteRequest<'_, '_>, chosen: &Range<usize>) -> Result<Vec<Value>> {
    let (context, source) = (request.context, request.source);
    let text = &source.text.text;
    let mut links: Vec<&Link> = source.note.links.iter().collect();
    links.sort_unstable_by_key(|link| link.span.start);
    let (mut to_markdown, mut to_wiki) = (Vec::new(), Vec::new());
    let (mut reached, mut targets) = (0, BTreeMap::new());
    for (at, link) in links.iter().enumerate() {
        let next = links.get(at + 1).map_or(text.len(), |next| next.span.start);
        let is_nested = link.span.start < reached || next < link.span.end;
        reached = reached.max(link.span.end);
        if is_nested || link.span.end < chosen.start || chosen.end < link.span.start {
            continue;
        }
        if let Some(new) = converted(request, link, &mut targets)? {
            let edits = match link.kind {
                LinkKind::Wiki => &mut to_markdown,
                LinkKind::Markdown => &mut to_wiki,
            };
            edits.push(Edit::replace(text, link.span.clone(), new));
        }
    }
    let mut actions = Vec::new();
    for (edits, old, new) in [
        (to_markdown, "wikilink", "Markdown link"),
        (to_wiki, "Markdown link", "wikilink"),
    ] {
        let title = match edits.len() {
            0 => continue,
            1 => format!("Convert to a {new}"),
            many => format!("Convert {} to {new}s", count(many, old)),
        };
        let acts = [Act::edit(&source.path, edits)];
        actions.push(edit_action(context, &title, "refactor.rewrite", &acts)?);
    }
    Ok(actions)
}

/// Returns a link to a note in the other syntax, if it can express the link.
///
/// `targets` are the notes read so far.
fn converted(
    request: NoteRequest<'_, '_>,
    link: &Link,
    targets: &mut BTreeMap<VaultPath, Parts>,
) -> Result<Option<String>> {
    let (context, source) = (request.context, request.source);
    let Some(target) = context.target(source, link)? else {
        return Ok(None);
    };
    let is_wikilink = link.kind == LinkKind::Wiki;
    let part = match &link.part {
        Some(part) => {
            let parts = match targets.entry(target.path.clone()) {
                MapEntry::Occupied(known) => known.into_mut(),
                MapEntry::Vacant(place) => place.insert(context.read(target.path.clone())?.parts()),
            };
            let Some(found) = parts.of_link(link).map(|found| found.target) else {
                return Ok(None);
            };
            let kind = if is_wikilink {
                LinkKind::Markdown
            } else {
                LinkKind::Wiki
            };
            let address = parts.address(kind, found, &[]);
            let Some(address) =
                address.or_else(|| parts.is_meant(kind, part, found).then(|| part.clone()))
            else {
                return Ok(None);
            };
            Some(address)
        }
        None => None,
    };
    let name = if link.target.is_empty() {
        String::new()
    } else if is_wikilink {
        relative(&source.path, &target.path)
    } else {
        context.view.wikilink_target(&target)?
    };
    Ok(link.converted(&source.text.text, &name, part.as_deref()))
}

/// Answers `textDocument/willSaveWaitUntil`: updates the lists of notes in the note.
pub(super) fn updated_lists(request: NoteRequest<'_, '_>) -> Result<Value> {
    let (context, source) = (request.context, request.source);
    let Some(entry) = &source.entry else {
        return Ok(Value::Null);
    };
    let options = context.session.settings.of::<views::ViewsOptions>();
    let acts = views::updates(&context.view, entry, &options)?;
    let mut edit = of_acts(context, &acts)?;
    let edits = edit.pointer_mut("/documentChanges/0/edits");
    Ok(edits.map(Value::take).unwrap_or_default())
}

/// Returns the action that inserts links to all later headings.
fn contents(request: NoteRequest<'_, '_>, at: &Range<usize>) -> Result<Option<Value>> {
    let (context, source) = (request.context, request.source);
    let (note, text) = (&source.note, &source.text.text);
    let later: Vec<&Heading> = note
        .headings
        .iter()
        .filter(|heading| heading.at > at.start)
        .collect();
    let Some(top) = later.iter().map(|heading| heading.level).min() else {
        return Ok(None);
    };
    if later.len() < MIN_HEADINGS || at.start < note.body.start {
        return Ok(None);
    }
    let markdown = note
        .links
        .iter()
        .filter(|link| link.kind == LinkKind::Markdown);
    let is_markdown = markdown.count() * 2 > note.links.len();
    let parts = source.parts();
    let (first, ending) = (note.headings.len() - later.len(), split(text).ending);
    let lines = later.iter().enumerate().map(|(number, heading)| {
        let indent = "  ".repeat(usize::from(heading.level - top));
        let (name, target) = (&heading.text, PartTarget::Heading(first + number));
        if is_markdown {
            let part = parts.address(LinkKind::Markdown, target, &[]);
            let part = part.unwrap_or_else(|| anchor_of_heading(name));
            format!("{indent}- [{name}](#{part}){ending}")
        } else {
            let part = parts.address(LinkKind::Wiki, target, &[]);
            let part = part.unwrap_or_else(|| part_of_heading(name));
            format!("{indent}- [[#{part}]]{ending}")
        }
    });
    let lines: String = lines.collect();
    let start = line_start(text, at.start);
    let edit = Edit::replace(text, start..start, lines + ending);
    let acts = [Act::edit(&source.path, vec![edit])];
    edit_action(context, "Insert a table of contents", "source", &acts).map(Some)
}
