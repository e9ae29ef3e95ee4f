//! The headings and blocks of merged notes, and where links to them lead after the merge.

use crate::cache::Slot;
use crate::note::Link;
use crate::note::Note;
use crate::note::markdown::parts::{HeadingPlace, PartTarget, Parts};

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
            .map(|(_, note, _)| note.title_heading())
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

    /// Whether one of the merged notes contains the heading or block that the link names.
    pub(super) fn contain(&self, link: &Link) -> bool {
        let mut all = self.sources.iter();
        all.any(|(_, parts)| parts.of_link(link).is_some())
    }

    /// Returns the part with which `link`, to the merged note in `slot`, leads to the same heading
    /// or block of the merged text; `None` if no part does so for certain.
    pub(super) fn after(&self, link: &Link, slot: Slot) -> Option<NewPart> {
        let (Some(part), result) = (&link.part, &self.result) else {
            return Some(NewPart::Same);
        };
        let mut sources = self.sources.iter();
        let source = &sources.find(|(source, _)| *source == slot)?.1;
        let Some(old) = source.of_link(link) else {
            return Some(NewPart::Same);
        };
        let omitted = || self.is_supplied.then_some(NewPart::Top);
        let PartTarget::Heading(at) = old.target else {
            // Of several blocks with one id, the link must lead to the same line.
            let all = self.sources.iter().map(|(_, parts)| parts);
            let count: usize = all.map(|parts| parts.count_of_id(source, old.target)).sum();
            let is_kept = result.resolve(link.kind, part).is_ok_and(|new| {
                let is_same = result.name(new.target) == source.name(old.target);
                old.target.with_number(0) == new.target.with_number(0) && (count == 1 || is_same)
            });
            let is_tag = matches!(old.target, PartTarget::Html(_));
            let is_certain = is_kept && !(is_tag && count > 1);
            return if is_certain {
                Some(NewPart::Same)
            } else {
                omitted()
            };
        };
        if source.places()[at].0.is_empty() {
            let led = result.of_link(link).map(|led| led.target);
            let is_title = |target| matches!(target, PartTarget::Heading(at) if result.places()[at].0.is_empty());
            let is_kept = led.is_some_and(is_title);
            return Some(if is_kept { NewPart::Same } else { NewPart::Top });
        }
        let step = |at| self.heading_after(source, at, slot);
        let Some(at) = step(at) else {
            return omitted();
        };
        let target = PartTarget::Heading(at);
        let new = result.readdressed(link.kind, part, target, &old, step)?;
        Some(if new == *part {
            NewPart::Same
        } else {
            NewPart::Other(new)
        })
    }

    /// Returns the heading of the result that is the heading `at` of `source`.
    fn heading_after(&self, source: &Parts, at: usize, slot: Slot) -> Option<usize> {
        let (before, after) = (source.places(), self.result.places());
        let place = &before[at];
        let equal = |places: &[HeadingPlace]| {
            let paths = places.iter().map(|(path, _)| path);
            paths.filter(|path| **path == place.0).count()
        };
        let is_keeper = slot == self.sources[0].0;
        // Sections with the same headings may change their order, except those of the keeper.
        let is_certain = is_keeper || equal(before) == equal(after);
        after.iter().position(|after| is_certain && after == place)
    }
}
