//! Moves a section of a note into a note of its own and keeps all links working.

use std::ops::Range;

use super::links::relative;
use super::remap::{Remap, RemapError, is_wikilink_target, retargeted, without_overlaps};
use super::style::wikilink;
use crate::finding::Act;
use crate::note::markdown::labels::definition_changes;
use crate::note::markdown::links::destination;
use crate::note::markdown::parts::{PartTarget, Parts};
use crate::note::splice::Splice;
use crate::note::{self, Edit, Link, LinkKind, spliced};
use crate::view::prelude::*;

/// A section and its destination.
struct SectionMove<'a, 'v> {
    view: &'a View<'v>,
    from: &'a Entry,
    to: &'a VaultPath,
    span: Range<usize>,
    /// Headings and blocks of the note, and of both notes after the move.
    before: Parts,
    staying: Parts,
    moving: Parts,
}

/// Returns the acts that move the section `span` of `from` to the new note `to`. No other note has
/// the stem of `to`. A link named `name` replaces the section, or an embed if `name` is `None`.
pub fn extract_section(
    view: &View<'_>,
    from: &Entry,
    span: Range<usize>,
    to: &VaultPath,
    name: Option<&str>,
) -> Result<Vec<Act>, RemapError> {
    let text = view.text(from)?;
    let note = note::read(&text, from.path.stem());
    let parts = |text: &str| Parts::of(&note::read(text, ""), text);
    let section = SectionMove {
        view,
        from,
        to,
        before: Parts::of(&note, &text),
        staying: parts(&[&text[..span.start], "\n", &text[span.end..]].concat()),
        moving: parts(&text[span.clone()]),
        span: span.clone(),
    };
    let parting = definition_changes(&text, &span);
    let is_in = |spans: &[Range<usize>], at| spans.iter().any(|span| span.contains(&at));
    // Edits in the text that moves and in the text that stays.
    let (mut there, mut here) = (Vec::new(), Vec::new());
    for link in note.maintained_links() {
        let place = link.place();
        let is_inside = span.contains(&place.start);
        if is_inside || is_in(&parting.taken, place.start) {
            let new = section.rewritten(&text, link, &from.path, to)?;
            there.extend(new.map(|new| (place.clone(), new)));
        }
        if !is_inside || is_in(&parting.left, place.start) {
            let new = section.rewritten(&text, link, &from.path, &from.path)?;
            here.extend(new.map(|new| (place, new)));
        }
    }
    let ending = note::front_matter::split::split(&text).ending;
    let ended = |text: String| {
        let end = if text.ends_with('\n') { "" } else { ending };
        text + end
    };
    let copies = |definitions: &[Range<usize>], new: &[Splice]| {
        let (mut copies, mut end) = (String::new(), None);
        for lines in definitions {
            // A blank line separates the definitions from the paragraph above.
            if end != Some(lines.start) {
                copies += ending;
            }
            copies += &ended(spliced(&text, lines.clone(), new.to_vec()));
            end = Some(lines.end);
        }
        copies
    };
    let link = section.link(&note.links, name) + ending + &copies(&parting.left, &here);
    let removals = parting
        .gone
        .iter()
        .map(|lines| (lines.clone(), String::new()));
    let gone: Vec<Splice> = removals.collect();
    let own = spliced(&text, span.clone(), [&there[..], &gone].concat());
    let written = ended(own) + &copies(&parting.taken, &there);
    here.retain(|(place, _)| !is_in(&parting.gone, place.start));
    let mut edits = Vec::new();
    for (place, new) in here.into_iter().chain(gone) {
        if !span.contains(&place.start) {
            edits.push(Edit::replace(&text, place, new));
        }
    }
    edits.push(Edit::replace(&text, span, link));
    let edits = without_overlaps(edits);
    let mut acts = vec![
        Act::Create {
            path: to.clone(),
            text: written,
        },
        Act::edit(&from.path, edits),
    ];
    for source in view.affected_by(from)? {
        if source.slot != from.slot {
            let edits = section.edits_of(&source)?;
            if !edits.is_empty() {
                acts.push(Act::edit(&source.path, edits));
            }
        }
    }
    Ok(acts)
}

impl SectionMove<'_, '_> {
    /// Returns the replacement of the place of `link`, in `text` of a note that moves from `before` to `after`; `None`
    /// if it stays.
    fn rewritten(
        &self,
        text: &str,
        link: &Link,
        before: &VaultPath,
        after: &VaultPath,
    ) -> Result<Option<String>, RemapError> {
        let is_own = link.target.is_empty() && *before == self.from.path;
        if !is_own && !self.leads_to_source(before, link)? {
            let remap = Remap::moving(self.view, &[]);
            let target = remap.target(link, before, after)?;
            return target
                .map(|target| retargeted(text, link, &target, before))
                .transpose();
        }
        let (path, part) = self.target_after(link, before)?;
        let is_same_target = if before == after {
            *path == self.from.path
        } else {
            path == self.to && link.target.is_empty()
        };
        let target = if is_same_target {
            link.target.clone()
        } else {
            self.name_of(path, after, link)?
        };
        if part == link.part {
            let is_kept = target == link.target;
            return (!is_kept)
                .then(|| retargeted(text, link, &target, before))
                .transpose();
        }
        let new = link.redirected(text, &target, part.as_deref().unwrap_or_default());
        let new = new.filter(|new| *new != text[link.place()]);
        new.map(Some)
            .ok_or_else(|| RemapError::unwritable(link, before))
    }

    /// Returns the note and the fragment of the heading or block that a link to the note means.
    fn target_after(
        &self,
        link: &Link,
        source: &VaultPath,
    ) -> Result<(&VaultPath, Option<String>), RemapError> {
        let (Some(old), Some(part)) = (self.before.of_link(link), &link.part) else {
            return Ok((&self.from.path, link.part.clone()));
        };
        let moves = self.span.contains(&self.before.offset(old.target));
        let (path, parts) = if moves {
            (self.to, &self.moving)
        } else {
            (&self.from.path, &self.staying)
        };
        let is_with_it = |at| self.span.contains(&at) == moves;
        let number = |target| self.before.count_before(target, is_with_it);
        let target = old.target.with_number(number(old.target));
        let step = |at| {
            let heading = PartTarget::Heading(at);
            is_with_it(self.before.offset(heading)).then(|| number(heading))
        };
        let is_found = parts.name(target) == self.before.name(old.target);
        let part = parts.readdressed(link.kind, part, target, &old, step);
        let part = part.filter(|_| is_found);
        let uncertain = || RemapError::uncertain(link, source);
        Ok((path, Some(part.ok_or_else(uncertain)?)))
    }

    /// Whether the link, in a note at `source`, leads to the note that contains the section.
    fn leads_to_source(&self, source: &VaultPath, link: &Link) -> Result<bool> {
        let is_markdown = link.kind == LinkKind::Markdown;
        let led = self.view.resolve(source, &link.target, is_markdown)?;
        Ok(led.is_some_and(|led| led.slot == self.from.slot))
    }

    /// Returns the target with which `link` in a note at `source` leads to the note at `path`.
    fn name_of(
        &self,
        path: &VaultPath,
        source: &VaultPath,
        link: &Link,
    ) -> Result<String, RemapError> {
        if link.kind == LinkKind::Markdown {
            return Ok(relative(source, path));
        }
        let is_alone = if path == self.to {
            true
        } else {
            self.view.reading().find(IndexKey::stem(path.stem()))?.len() < 2
        };
        let name = if is_alone {
            path.stem()
        } else {
            path.without_ending()
        };
        if is_wikilink_target(name) {
            Ok(name.to_owned())
        } else {
            Err(RemapError::Unnameable {
                path: path.clone(),
                linking: source.clone(),
            })
        }
    }

    /// Returns the link that replaces the section, in the form that most links of the note have.
    fn link(&self, links: &[Link], name: Option<&str>) -> String {
        let markdown = links.iter().filter(|link| link.kind == LinkKind::Markdown);
        let is_markdown = markdown.count() * 2 > links.len();
        let target = self.to.stem();
        if is_markdown || !is_wikilink_target(target) {
            let place = destination(&relative(&self.from.path, self.to));
            let sign = if name.is_none() { "!" } else { "" };
            // A link cannot contain another.
            let label = name.filter(|name| !name.contains('[')).unwrap_or(target);
            return format!("{sign}[{label}]({place})");
        }
        match name {
            Some(name) if is_wikilink_target(name) => wikilink(target, name),
            Some(_) => wikilink(target, target),
            None => format!("![[{target}]]"),
        }
    }

    fn edits_of(&self, source: &Entry) -> Result<Vec<Edit>, RemapError> {
        let text = self.view.text(source)?;
        let note = note::read(&text, source.path.stem());
        let mut edits = Vec::new();
        for link in note.maintained_links() {
            let path = &source.path;
            let new = self.rewritten(&text, link, path, path)?;
            edits.extend(new.map(|new| Edit::replace(&text, link.place(), new)));
        }
        Ok(without_overlaps(edits))
    }
}
