//! Code actions: solve a problem, move a section into a note, convert links, insert a table of contents.

use super::context::{Context, Source};
use super::diagnostics::{self, edit_action};
use super::workspace_edit::of_acts;
use crate::commands::prelude::*;
use crate::jobs::views;
use crate::note::Link;
use crate::note::front_matter::split::{line_end, line_start};
use crate::note::markdown::links::{anchor_of_heading, part_of_heading};
use crate::note::markdown::parts::PartTarget;
use crate::view::links::relative;
use crate::view::remap::RemapError;
use crate::view::section::extract_section;

/// Minimum number of headings for a table of contents.
const MIN_HEADINGS: usize = 2;

/// Answers `textDocument/codeAction`.
pub(super) fn actions(context: &Context<'_>, source: &Source, params: &Value) -> Result<Value> {
    let chosen = source.text.span(&params["range"]);
    let mut actions = Vec::new();
    for problem in diagnostics::of(context, source)? {
        if problem.span.start <= chosen.end && chosen.start <= problem.span.end {
            let shown = problem.shown(source);
            actions.extend(problem.actions.into_iter().map(|mut action| {
                action["diagnostics"] = json!([shown]);
                action
            }));
        }
    }
    if let Some(heading) = source.heading_at(chosen.start) {
        actions.extend(extraction(context, source, heading)?);
    }
    actions.extend(conversions(context, source, chosen.start)?);
    actions.extend(contents(context, source, &chosen)?);
    let only = params["context"]["only"].as_array();
    let is_wanted = |action: &Value| {
        let kind = action["kind"].as_str().unwrap_or_default();
        let wanted = only.into_iter().flatten().filter_map(Value::as_str);
        only.is_none() || wanted.into_iter().any(|wanted| kind.starts_with(wanted))
    };
    actions.retain(is_wanted);
    Ok(json!(actions))
}

/// Returns the action that moves a section into a new note and leaves a link.
fn extraction(context: &Context<'_>, source: &Source, heading: &Heading) -> Result<Option<Value>> {
    let (view, text) = (&context.view, &source.text.text);
    let Some(entry) = source.entry.as_ref().filter(|_| heading.level > 1) else {
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

/// Returns the actions that write the link at `offset`, or all links of its syntax, in the other syntax.
fn conversions(context: &Context<'_>, source: &Source, offset: usize) -> Result<Vec<Value>> {
    let (text, links) = (&source.text.text, &source.note.links);
    let is_at = |link: &&Link| link.span.start <= offset && offset <= link.span.end;
    let Some(chosen) = links
        .iter()
        .filter(is_at)
        .min_by_key(|link| link.span.len())
    else {
        return Ok(Vec::new());
    };
    let is_nested = |link: &Link| {
        let with =
            |other: &&Link| other.span.start < link.span.end && link.span.start < other.span.end;
        links.iter().filter(with).count() > 1
    };
    let (mut one, mut all) = (None, Vec::new());
    for link in links
        .iter()
        .filter(|link| link.kind == chosen.kind && !is_nested(link))
    {
        if let Some(new) = converted(context, source, link)? {
            let edit = Edit::replace(text, link.span.clone(), new);
            one = one.or((link == chosen).then(|| edit.clone()));
            all.push(edit);
        }
    }
    let Some(one) = one else {
        return Ok(Vec::new());
    };
    let (old, new) = match chosen.kind {
        LinkKind::Wiki => ("wikilink", "Markdown link"),
        LinkKind::Markdown => ("Markdown link", "wikilink"),
    };
    let mut choices = vec![(format!("Convert to a {new}"), vec![one])];
    if all.len() > 1 {
        choices.push((
            format!("Convert all {} to {new}s", count(all.len(), old)),
            all,
        ));
    }
    let actions = choices.into_iter().map(|(title, edits)| {
        let acts = [Act::edit(&source.path, edits)];
        edit_action(context, &title, "refactor.rewrite", &acts)
    });
    actions.collect()
}

/// Returns a link to a note in the other syntax, if it can express the link.
fn converted(context: &Context<'_>, source: &Source, link: &Link) -> Result<Option<String>> {
    let Some(target) = context.target(source, link)? else {
        return Ok(None);
    };
    let is_wikilink = link.kind == LinkKind::Wiki;
    let part = match &link.part {
        Some(part) => {
            let parts = context.read(target.path.clone())?.parts();
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
pub(super) fn updated_lists(context: &Context<'_>, source: &Source, _: &Value) -> Result<Value> {
    let Some(entry) = &source.entry else {
        return Ok(Value::Null);
    };
    let options = context.session.settings.of::<views::Options>();
    let acts = views::updates(&context.view, entry, &options)?;
    let mut edit = of_acts(context, &acts)?;
    let edits = edit.pointer_mut("/documentChanges/0/edits");
    Ok(edits.map(Value::take).unwrap_or_default())
}

/// Returns the action that inserts links to all later headings.
fn contents(context: &Context<'_>, source: &Source, at: &Range<usize>) -> Result<Option<Value>> {
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
    let first = note.headings.len() - later.len();
    let lines = later.iter().enumerate().map(|(number, heading)| {
        let indent = "  ".repeat(usize::from(heading.level - top));
        let (name, target) = (&heading.text, PartTarget::Heading(first + number));
        if is_markdown {
            let part = parts.address(LinkKind::Markdown, target, &[]);
            let part = part.unwrap_or_else(|| anchor_of_heading(name));
            format!("{indent}- [{name}](#{part})\n")
        } else {
            let part = parts.address(LinkKind::Wiki, target, &[]);
            let part = part.unwrap_or_else(|| part_of_heading(name));
            format!("{indent}- [[#{part}]]\n")
        }
    });
    let lines: String = lines.collect();
    let start = line_start(text, at.start);
    let edit = Edit::replace(text, start..start, lines + "\n");
    let act = Act::Edit {
        note: source.path.clone(),
        edits: vec![edit],
    };
    let title = "Insert a table of contents";
    edit_action(context, title, "source", &[act]).map(Some)
}
