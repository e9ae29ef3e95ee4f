//! Matches the sections of two bodies.
//!
//! A section is identified by the headings above it. Sections with the same headings are numbered,
//! and [`MergeOutline::numbered_like`] gives each section of the other note the number of the most
//! similar one. The title of a note and the heading of an earlier merge do not count as headings.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::note::BlockKind;
use crate::note::markdown::loss_check::MERGED_FROM;
use crate::note::markdown::sections;
use crate::note::markdown::sections::{Block, Section, Sections};

/// The headings above a text, from the top down; `name\n2` is the second heading `name`.
pub(super) type Headings = Vec<String>;

/// The number of occurrences of each block below its headings.
pub(super) type BlockCounts<'a> = HashMap<(&'a [String], &'a str), usize>;

/// The headings of a definition, which is valid anywhere in a note.
static DEFINITION_HEADINGS: [String; 1] = [String::new()];

/// Maximum number of sections of one name that are compared for similarity.
const MAX_COMPARED_SECTIONS: usize = 64;

/// The sections of a body and the headings above each, including its own.
pub(super) struct MergeOutline<'t> {
    pub(super) text: &'t str,
    pub(super) sections: Sections,
    pub(super) paths: Vec<Headings>,
    titles: [&'t str; 2],
    /// The index of each section by headings.
    places: HashMap<Headings, usize>,
    /// The sections with the same name below the same heading, in order.
    namesakes: HashMap<Headings, Vec<usize>>,
}

impl<'t> MergeOutline<'t> {
    /// Parses a body; `titles` are those of the merged notes.
    pub(super) fn of(text: &'t str, titles: [&'t str; 2]) -> Self {
        Self::read(text, titles, None)
    }

    /// Parses a body, numbering its sections like those of `keeper`.
    pub(super) fn numbered_like(text: &'t str, titles: [&'t str; 2], keeper: &Self) -> Self {
        Self::read(text, titles, Some(keeper))
    }

    fn read(text: &'t str, titles: [&'t str; 2], keeper: Option<&Self>) -> Self {
        let mut outline = Self {
            text,
            sections: sections::read(text),
            paths: Vec::new(),
            titles,
            places: HashMap::new(),
            namesakes: HashMap::new(),
        };
        let all = &outline.sections.all;
        // The section whose headings apply; text under a non-heading belongs to the section above
        // it.
        let mut owners: Vec<usize> = Vec::with_capacity(all.len());
        let mut groups: HashMap<(usize, &str), Vec<usize>> = HashMap::new();
        for (number, section) in all.iter().enumerate() {
            let is_heading = number > 0 && outline.has_heading(number) && !is_of_merge(section);
            let above = owners.get(section.parent).copied().unwrap_or(0);
            owners.push(if is_heading { number } else { above });
            if is_heading {
                let group = groups.entry((above, &section.title)).or_default();
                group.push(number);
            }
        }
        let mut paths: Vec<Headings> = vec![Vec::new()];
        let mut numbers: Vec<usize> = vec![0; all.len()];
        for (number, section) in all.iter().enumerate().skip(1) {
            let mut path = paths[owners[section.parent]].clone();
            if owners[number] == number {
                let group = &groups[&(owners[section.parent], section.title.as_str())];
                path.push(section.title.clone());
                if group[0] == number {
                    let given = keeper.map_or_else(
                        || (0..group.len()).collect(),
                        |keeper| keeper.numbers(&path, group, all),
                    );
                    for (member, given) in group.iter().zip(given) {
                        numbers[*member] = given;
                    }
                    outline.namesakes.insert(path.clone(), group.clone());
                }
                if let (Some(last), nth @ 1..) = (path.last_mut(), numbers[number]) {
                    *last = format!("{last}\n{}", nth + 1);
                }
                outline.places.entry(path.clone()).or_insert(number);
            }
            paths.push(path);
        }
        outline.paths = paths;
        outline
    }

    /// Returns the number in `path` for each of `group`, sections of `theirs`: the most similar or
    /// the next one.
    fn numbers(&self, path: &Headings, group: &[usize], theirs: &[Section]) -> Vec<usize> {
        let ours = self.namesakes.get(path).map_or(&[][..], Vec::as_slice);
        let mut is_taken = vec![false; ours.len()];
        let mut given: Vec<Option<usize>> = vec![None; group.len()];
        let mut first = 0;
        for (given, number) in given.iter_mut().zip(group) {
            while is_taken.get(first) == Some(&true) {
                first += 1;
            }
            let texts: HashSet<&str> = own_texts(&theirs[*number]).collect();
            let shared = |nth: usize| {
                let texts_of_ours = own_texts(self.section(ours[nth]));
                texts_of_ours.filter(|text| texts.contains(text)).count()
            };
            let free = (first..ours.len().min(first + MAX_COMPARED_SECTIONS))
                .filter(|nth| !is_taken[*nth]);
            let best = free.map(|nth| (shared(nth), Reverse(nth))).max();
            if let Some((1.., Reverse(nth))) = best {
                is_taken[nth] = true;
                *given = Some(nth);
            }
        }
        let mut free = (0..).filter(|nth| is_taken.get(*nth) != Some(&true));
        given
            .into_iter()
            .map(|given| given.or_else(|| free.next()).unwrap_or_default())
            .collect()
    }

    pub(super) fn section(&self, number: usize) -> &Section {
        &self.sections.all[number]
    }

    /// Returns the section with these headings.
    pub(super) fn section_at(&self, path: &Headings) -> Option<usize> {
        self.places.get(path).copied()
    }

    /// Whether the section has a heading that belongs to the note's text.
    pub(super) fn has_heading(&self, number: usize) -> bool {
        let section = self.section(number);
        let is_title =
            number == 1 && section.level == 1 && self.titles.contains(&section.title.as_str());
        number > 0 && !is_title
    }

    /// Whether the outline already contains this heading of an earlier merge.
    pub(super) fn has_merge_heading(&self, section: &Section) -> bool {
        let mut titles = self.sections.all.iter().map(|section| &section.title);
        is_of_merge(section) && titles.any(|title| *title == section.title)
    }

    /// Returns the key that identifies a block.
    pub(super) fn key<'k>(&'k self, section: usize, block: &'k Block) -> (&'k [String], &'k str) {
        let path = match block.kind {
            BlockKind::Definition => &DEFINITION_HEADINGS,
            _ => self.paths[section].as_slice(),
        };
        (path, &block.text)
    }

    /// Returns all blocks with the index of their section, in text order.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (usize, &Block)> {
        let sections = self.sections.all.iter().enumerate();
        sections
            .flat_map(|(number, section)| section.blocks.iter().map(move |block| (number, block)))
    }

    pub(super) fn counts(&self) -> BlockCounts<'_> {
        let mut counts = BlockCounts::new();
        for (section, block) in self.blocks() {
            *counts.entry(self.key(section, block)).or_default() += 1;
        }
        counts
    }

    /// Returns the count of each heading (with empty text) and block by names of headings.
    ///
    /// Skips the blocks that begin at one of `without`.
    pub(super) fn totals(&self, without: &HashSet<usize>) -> HashMap<(Vec<&str>, &str), usize> {
        let mut totals = HashMap::new();
        for (number, path) in self.paths.iter().enumerate() {
            if self.has_heading(number) && !is_of_merge(self.section(number)) {
                *totals.entry((heading_names(path), "")).or_default() += 1;
            }
        }
        for (section, block) in self.blocks() {
            if !without.contains(&block.span.start) {
                let (path, text) = self.key(section, block);
                *totals.entry((heading_names(path), text)).or_default() += 1;
            }
        }
        totals
    }

    /// Returns the sections whose headings apply to this one, from the top down.
    pub(super) fn above(&self, number: usize) -> Vec<usize> {
        let up =
            |number: &usize| Some(self.section(*number).parent).filter(|parent| parent != number);
        let mut above: Vec<usize> = std::iter::successors(Some(number), up).collect();
        above.retain(|number| self.has_heading(*number));
        above.reverse();
        above
    }

    /// Returns the offset of the section's end; with `below`, of its subsections' end.
    pub(super) fn end(&self, number: usize, below: bool) -> usize {
        let own = self.section(number);
        let rest = self.sections.all[number + 1..]
            .iter()
            .take_while(|section| below && section.level > own.level);
        rest.last().map_or(own.end, |last| last.end)
    }
}

/// Returns the blocks of a section without definitions.
fn own_texts(section: &Section) -> impl Iterator<Item = &str> {
    let blocks = section.blocks.iter();
    let own = blocks.filter(|block| block.kind != BlockKind::Definition);
    own.map(|block| block.text.as_str())
}

/// Whether an earlier merge added the heading.
fn is_of_merge(section: &Section) -> bool {
    section.title.starts_with(MERGED_FROM)
}

/// Returns the names of headings without their numbers.
fn heading_names(path: &[String]) -> Vec<&str> {
    let names = path.iter().map(|name| name.split('\n').next());
    names.map(Option::unwrap_or_default).collect()
}
