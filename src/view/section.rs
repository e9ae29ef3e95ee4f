//! Moves a section of a note into a note of its own and keeps all links working.

use std::ops::Range;

use super::links::relative;
use super::remap::{Remap, RemapError, is_wikilink_target, repointed, without_repetitions};
use super::style::wikilink;
use crate::finding::Act;
use crate::note::markdown::labels::definition_changes;
use crate::note::markdown::links::destination;
use crate::note::markdown::parts::Parts;
use crate::note::splice::Splice;
use crate::note::{self, Edit, Link, LinkKind, spliced};
use crate::view::prelude::*;

/// A section and its destination.
struct SectionMove<'a, 'v> {
    view: &'a View<'v>,
    from: &'a Entry,
    to: &'a VaultPath,
    /// Headings and blocks above the section: of two equal headings a link means the first.
    above: Parts,
    own: Parts,
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
        above: parts(&text[..span.start]),
        own: parts(&text[span.clone()]),
    };
    let remap = Remap::moving(view, &[]);
    let parting = definition_changes(&text, &span);
    let is_in = |spans: &[Range<usize>], at| spans.iter().any(|span| span.contains(&at));
    // Edits in the text that moves and in the text that stays.
    let (mut there, mut here) = (Vec::new(), Vec::new());
    for link in &note.links {
        let place = link.place();
        let is_inside = span.contains(&place.start);
        let leads_to_source =
            link.target.is_empty() || section.leads_to_source(&from.path, link)?;
        let moves = leads_to_source && section.moves_with_section(link);
        if is_inside || is_in(&parting.taken, place.start) {
            let target = match (leads_to_source, moves) {
                (true, true) if link.target.is_empty() => None,
                (true, true) => Some(section.name_of(to, to, link)?),
                (true, false) => Some(section.name_of(&from.path, to, link)?),
                (false, _) => remap.target(link, &from.path, to)?,
            };
            there.extend(target.map(|target| (place.clone(), link.retargeted(&text, &target))));
        }
        if moves && (!is_inside || is_in(&parting.left, place.start)) {
            let target = section.name_of(to, &from.path, link)?;
            here.push((place, link.retargeted(&text, &target)));
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
    let edits = without_repetitions(edits);
    let mut acts = vec![
        Act::Create {
            path: to.clone(),
            text: written,
        },
        Act::edit(&from.path, edits),
    ];
    for source in view.linking_to(from)? {
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
    /// Whether the link, in a note at `source`, leads to the note that contains the section.
    fn leads_to_source(&self, source: &VaultPath, link: &Link) -> Result<bool> {
        let is_markdown = link.kind == LinkKind::Markdown;
        let led = self.view.resolve(source, &link.target, is_markdown)?;
        Ok(led.is_some_and(|led| led.slot == self.from.slot))
    }

    /// Whether the part that a link to the note names moves with the section.
    fn moves_with_section(&self, link: &Link) -> bool {
        let part = link.part.as_deref();
        part.is_some_and(|part| {
            self.above.missing(part).is_some() && self.own.missing(part).is_none()
        })
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
            self.view.reading().find(Key::stem(path.stem()))?.len() < 2
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
            return format!("{sign}[{}]({place})", name.unwrap_or(target));
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
        for link in &note.links {
            if self.moves_with_section(link) && self.leads_to_source(&source.path, link)? {
                let target = self.name_of(self.to, &source.path, link)?;
                edits.push(repointed(&text, link, &target));
            }
        }
        Ok(without_repetitions(edits))
    }
}
