//! The headings and blocks of merged notes, and where links to them lead after the merge.

use crate::cache::Slot;
use crate::note::Note;
use crate::note::markdown::parts::{HeadingPlace, Parts};
use crate::note::{Link, LinkKind};

/// The part of a link after a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NewPart {
    /// It leads to the same heading or block, or led nowhere.
    Same,
    /// The merge omits the heading: it was the title.
    Top,
    Other(String),
}

/// The link targets in merged notes, before and after.
pub(super) struct MergedParts {
    /// Those of each note, the keeper first.
    sources: Vec<(Slot, Parts)>,
    /// Those of the merged text.
    result: Parts,
    /// Whether a supplied body replaces the texts, so that it may omit headings.
    is_supplied: bool,
}

impl MergedParts {
    /// Reads the targets in the `notes`, the keeper first, before the merged text exists.
    pub(super) fn of(notes: &[(Slot, &Note, &str)], is_supplied: bool) -> Self {
        let titles: Vec<&str> = notes
            .iter()
            .map(|(_, note, _)| note.title.as_str())
            .collect();
        let of_note = |(number, (slot, note, text)): (usize, &(Slot, &Note, &str))| {
            let own = [titles[0], titles[number]];
            let titles = if number == 0 { &titles[..] } else { &own };
            (*slot, Parts::of(note, text).with_titles(titles))
        };
        Self {
            sources: notes.iter().enumerate().map(of_note).collect(),
            result: Parts::default(),
            is_supplied,
        }
    }

    /// Sets the merged text.
    pub(super) fn set_result(&mut self, note: &Note, text: &str, titles: &[&str]) {
        self.result = Parts::of(note, text).with_titles(titles);
    }

    /// Whether a link to a heading of the keeper may lead to one that the merge adds.
    pub(super) fn may_capture_links(&self) -> bool {
        self.result.repeats_headings_of(&self.sources[0].1)
    }

    /// Whether one of the merged notes contains the heading or block.
    pub(super) fn contain(&self, part: &str) -> bool {
        let mut all = self.sources.iter();
        all.any(|(_, parts)| parts.missing(part).is_none())
    }

    /// Returns the part with which `link`, to the merged note in `slot`, leads to the same heading
    /// or block of the merged text; `None` if no part does so for certain.
    pub(super) fn after(&self, link: &Link, slot: Slot) -> Option<NewPart> {
        let (Some(part), result) = (&link.part, &self.result) else {
            return Some(NewPart::Same);
        };
        let mut sources = self.sources.iter();
        let source = &sources.find(|(source, _)| *source == slot)?.1;
        let omitted = || self.is_supplied.then_some(NewPart::Top);
        let Some(at) = source.heading(part) else {
            let is_anchor = |parts: &Parts| parts.anchors.contains(part);
            let count = |of: &Parts| usize::from(is_anchor(of));
            let anchors: usize = self.sources.iter().map(|(_, parts)| count(parts)).sum();
            let is_lost = source.missing(part).is_none() && result.missing(part).is_some()
                || is_anchor(source) && (anchors > 1 || !is_anchor(result));
            return if is_lost {
                omitted()
            } else {
                Some(NewPart::Same)
            };
        };
        let (before, after) = (source.places(), result.places());
        let place = &before[at];
        let led = result.heading(part);
        if place.0.is_empty() {
            let is_title = led.is_some_and(|at| after[at].0.is_empty());
            return Some(if is_title {
                NewPart::Same
            } else {
                NewPart::Top
            });
        }
        let equal = |places: &[HeadingPlace]| {
            let paths = places.iter().map(|(path, _)| path);
            paths.filter(|path| **path == place.0).count()
        };
        let is_keeper = slot == self.sources[0].0;
        // Sections with the same headings may change their order, except those of the keeper.
        let is_certain = is_keeper || equal(before) == equal(after);
        let Some(at) = after.iter().position(|after| is_certain && after == place) else {
            return omitted();
        };
        if led == Some(at) {
            return Some(NewPart::Same);
        }
        let is_anchor = link.kind == LinkKind::Markdown
            && !part.contains([' ', '#'])
            && *part == part.to_lowercase();
        let new = result.address(at, is_anchor);
        new.map(NewPart::Other)
    }
}
