//! Splits a note into unrelated facts; pure.
//!
//! A unit is a section, else a paragraph with its list, else an item. Units with a common content word or number
//! belong to one fact, as does a unit that refers to the one before it. A specific title holds a note together;
//! generic titles, and titles that name several of the facts, do not.

use std::sync::LazyLock;

use crate::jobs::prelude::*;
use crate::note::markdown::loss_check::missing_text;
use crate::note::markdown::sections;
use crate::note::markdown::sections::{Block, Section, Sections};
use crate::note::markdown::sentences::{is_running_text, sentences};
use crate::note::names::naming::slug;
use crate::note::words::lists::Lists;
use crate::note::{BlockKind, WordEffect, title_of};

/// Maximum number of facts; a note with more is a log or a reference.
const MAX_FACTS: usize = 12;

/// Minimum number of words in a statement.
const MIN_STATEMENT_WORDS: usize = 4;

const LISTS_TEXT: &str = include_str!("parts.txt");
static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::of(LISTS_TEXT));

/// A note for one of the facts.
#[derive(Debug, PartialEq)]
pub(super) struct SplitPart {
    pub(super) title: String,
    pub(super) body: String,
    /// Text in the original note, with heading or list mark.
    whole: String,
}

/// A section, paragraph or item.
struct Unit {
    span: Range<usize>,
    /// Text of the heading, and the position of the text below it.
    heading: Option<(String, usize)>,
    is_item: bool,
    stems: BTreeSet<String>,
    continues: bool,
}

/// Returns the facts of a note; `None` if there is only one, or if a split would lose something.
pub(super) fn parts(title: &str, body: &str) -> Option<Vec<SplitPart>> {
    if body.contains('\r') || !is_running_text(body) {
        return None;
    }
    let read = sections::read(body);
    if read.unclosed.is_some() {
        return None;
    }
    let (units, is_headed) = units(title, body, &read)?;
    let facts = group_into_facts(&units);
    // Sections alone do not indicate several subjects; the title has to.
    let is_sectioned = units.iter().any(|unit| unit.heading.is_some());
    let is_named = is_headed || is_sectioned || !is_derived_from(title, body);
    if !(2..=MAX_FACTS).contains(&facts.len())
        || is_named && names_single_subject(title, &units, &facts)
    {
        return None;
    }
    let parts: Vec<SplitPart> = facts
        .iter()
        .map(|fact| part(body, fact.iter().map(|at| &units[*at])))
        .collect();
    let names: HashSet<String> = parts.iter().map(|part| slug(&part.title)).collect();
    let wholes: Vec<&str> = parts.iter().map(|part| part.whole.as_str()).collect();
    let is_all = missing_text(&[body], &[title], &wholes.join("\n\n")).is_none();
    (names.len() == parts.len() && is_all).then_some(parts)
}

/// Returns true if `title` is only the beginning of the text.
fn is_derived_from(title: &str, body: &str) -> bool {
    slug(title) == slug(&title_of(body))
}

/// Returns the units of a body, and whether a heading for the whole note precedes them. `None` if a part is not a
/// statement, or belongs to all of them.
fn units(title: &str, body: &str, read: &Sections) -> Option<(Vec<Unit>, bool)> {
    let all = &read.all;
    let is_headed = all[0].blocks.is_empty()
        && all
            .get(1)
            .is_some_and(|first| first.level == 1 && first.title == title)
        && all.iter().filter(|one| one.level == 1).count() == 1;
    let first = usize::from(is_headed);
    let units = if all.len() == first + 1 {
        units_of_blocks(body, &all[first].blocks)?
    } else if all[first].blocks.is_empty() {
        units_of_sections(body, all, first + 1)?
    } else {
        return None;
    };
    // `He is 45 years old.` depends on earlier text.
    if units.first().is_some_and(|first| first.continues) {
        return None;
    }
    let mut rest = units.iter().enumerate();
    rest.all(|(at, unit)| is_statement(body, unit) || at > 0 && unit.continues)
        .then_some((units, is_headed))
}

fn units_of_sections(body: &str, all: &[Section], from: usize) -> Option<Vec<Unit>> {
    let top = all[from..].iter().map(|section| section.level).min()?;
    let mut units: Vec<Unit> = Vec::new();
    for at in from..all.len() {
        if all[at].level > top {
            // Subsections belong to their section; text before the first one belongs to all.
            units.last_mut()?.span.end = all[at].end;
            continue;
        }
        let before = all[at - 1].end;
        let start = before + (body[before..].len() - body[before..].trim_start().len());
        let below = all[at].blocks.first()?.span.start;
        units.push(Unit::of(
            start..all[at].end,
            Some((all[at].title.clone(), below)),
            false,
        ));
    }
    for unit in &mut units {
        unit.read(body);
    }
    Some(units)
}

fn units_of_blocks(body: &str, blocks: &[Block]) -> Option<Vec<Unit>> {
    let is_list = blocks.iter().all(|block| block.kind == BlockKind::Item);
    let mut units: Vec<Unit> = Vec::new();
    for block in blocks {
        match (block.kind, units.last_mut()) {
            (BlockKind::Item, Some(before)) if !is_list => before.span.end = block.span.end,
            (kind, _) if kind == BlockKind::Paragraph || kind == BlockKind::Item && is_list => {
                units.push(Unit::of(block.span.clone(), None, is_list));
            }
            _ => return None,
        }
    }
    for unit in &mut units {
        unit.read(body);
    }
    Some(units)
}

impl Unit {
    fn of(span: Range<usize>, heading: Option<(String, usize)>, is_item: bool) -> Self {
        Self {
            span,
            heading,
            is_item,
            stems: BTreeSet::new(),
            continues: false,
        }
    }

    fn read(&mut self, body: &str) {
        let mut is_first = true;
        each_word(&body[self.span.clone()], |word, _| {
            self.continues |= english::refers_back(word) || is_first && LISTS.has("goes_on", word);
            is_first = false;
            self.stems.extend(connecting_stem(word));
        });
        self.continues &= self.heading.is_none();
    }
}

/// Returns the stem of a word that can connect two units.
fn connecting_stem(word: &str) -> Option<String> {
    let stem = english::stem(word);
    let can_connect = english::word(word).content == WordEffect::Full
        && !LISTS.has("speakers", word.trim_end_matches("'s"))
        && (word.chars().count() > 2 || word.chars().any(char::is_numeric));
    can_connect.then_some(stem)
}

/// Returns true if a unit makes a statement, as required for a separate note.
fn is_statement(body: &str, unit: &Unit) -> bool {
    let start = unit
        .heading
        .as_ref()
        .map_or(unit.span.start, |(_, below)| *below);
    let all = sentences(body, start..unit.span.end);
    all.first().is_some_and(|first| {
        let text = body[first.clone()].trim();
        let (mut words, mut has_verb) = (0, false);
        each_word(text, |word, _| {
            words += 1;
            has_verb |= matches!(
                english::word(word).class,
                Class::Be | Class::Will | Class::May
            );
        });
        words >= MIN_STATEMENT_WORDS
            && (has_verb || text.ends_with('.'))
            && !text.ends_with([':', '?', '!'])
    })
}

/// Groups the units into facts, in the order of the text.
fn group_into_facts(units: &[Unit]) -> Vec<Vec<usize>> {
    let mut of: Vec<usize> = (0..units.len()).collect();
    for (at, unit) in units.iter().enumerate() {
        for before in 0..at {
            let follows = unit.continues && before + 1 == at;
            if follows || !unit.stems.is_disjoint(&units[before].stems) {
                let (from, to) = (of[at].max(of[before]), of[at].min(of[before]));
                for one in &mut of {
                    if *one == from {
                        *one = to;
                    }
                }
            }
        }
    }
    let mut facts: Vec<Vec<usize>> = Vec::new();
    for (at, first) in of.iter().enumerate() {
        match facts.iter_mut().find(|fact| of[fact[0]] == *first) {
            Some(fact) => fact.push(at),
            None => facts.push(vec![at]),
        }
    }
    facts
}

/// Returns true if the title names a single subject: it has content words that occur in less than two facts.
fn names_single_subject(title: &str, units: &[Unit], facts: &[Vec<usize>]) -> bool {
    let mut title_stems = BTreeSet::new();
    each_word(title, |word, _| title_stems.extend(connecting_stem(word)));
    let is_generic = |word: &String| {
        let mut words = LISTS.words("says_nothing").iter();
        words.any(|one| english::stem(one) == *word)
    };
    title_stems.retain(|word| !is_generic(word));
    let named = facts.iter().filter(|fact| {
        let mut of = fact.iter().map(|at| &units[*at].stems);
        of.any(|stems| !stems.is_disjoint(&title_stems))
    });
    !title_stems.is_empty() && named.count() < 2
}

fn part<'u>(body: &str, units: impl Iterator<Item = &'u Unit>) -> SplitPart {
    let units: Vec<&Unit> = units.collect();
    let text = |unit: &Unit| body[unit.span.clone()].trim_end().to_owned();
    let texts: Vec<String> = units.iter().map(|unit| text(unit)).collect();
    let whole = texts.join(if units[0].is_item { "\n" } else { "\n\n" });
    let text = match (&units[..], &units[0].heading) {
        ([one], Some((heading, below))) if !heading.contains(['[', '`', '*', '_', '#']) => {
            body[*below..one.span.end].trim_end()
        }
        ([one], None) if one.is_item && !whole.contains('\n') => {
            whole.trim_start_matches(['-', '*', '+']).trim_start()
        }
        _ => &whole,
    };
    let title = match &units[0].heading {
        Some((title, _)) => title.clone(),
        None => title_of(text),
    };
    SplitPart {
        title,
        body: text.to_owned(),
        whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table")]
    fn unrelated_facts_are_split() {
        for (title, body, expected) in [
            (
                "The port is 5432",
                "The port is 5432.\n\nAda was born in Basel.\n",
                &["The port is 5432.", "Ada was born in Basel."][..],
            ),
            (
                "Notes",
                "- The port is 5432\n- Ada was born in Basel\n- It rained there\n",
                &[
                    "The port is 5432",
                    "- Ada was born in Basel\n- It rained there",
                ],
            ),
            (
                "Misc",
                "# Misc\n\n## Port\n\nThe server listens on 5432.\n\n### Why\n\nIt always did.\n\n## Ada\n\nShe was born in Basel.\n",
                &[
                    "The server listens on 5432.\n\n### Why\n\nIt always did.",
                    "She was born in Basel.",
                ],
            ),
            (
                "Port and Ada",
                "The port is 5432.\n\nAda was born in Basel.\n",
                &["The port is 5432.", "Ada was born in Basel."],
            ),
            // `User` is not a subject: all notes of an assistant are about the user.
            (
                "User likes green tea",
                "User likes green tea.\n\nUser works at a bank.\n",
                &["User likes green tea.", "User works at a bank."],
            ),
            // Units with a common word, number or reference belong together.
            (
                "a",
                "The port is 5432.\n\nAda was born in Basel.\n\nIn Basel the port is closed.\n",
                &[],
            ),
            (
                "The port is 5432",
                "The port is 5432.\n\nIt was chosen by Ada.\n",
                &[],
            ),
            (
                "The port is 5432",
                "The port is 5432.\n\nHowever Ada was against.\n",
                &[],
            ),
            // A title, an introduction or a list of words holds a note together.
            (
                "Cooking",
                "Salt the water well.\n\nRest meat for five minutes.\n",
                &[],
            ),
            (
                "The port",
                "The port is 5432.\n\nAda was born in Basel.\n",
                &[],
            ),
            (
                "Notes",
                "We agreed on this:\n\n- The port is 5432.\n- Ada was born in Basel.\n",
                &[],
            ),
            (
                "Notes",
                "Of all.\n\n## Port\n\nThe port is 5432.\n\n## Ada\n\nAda was born.\n",
                &[],
            ),
            (
                "Notes",
                "- green tea from Japan\n- two loaves of bread\n",
                &[],
            ),
            (
                "Notes",
                "- [ ] The port is open.\n- [ ] Ada was born in Basel.\n",
                &[],
            ),
            (
                "Notes",
                "1. The port is 5432.\n2. Ada was born in Basel.\n",
                &[],
            ),
            ("Notes", "What is the port?\n\nWhere was Ada born?\n", &[]),
            (
                "Notes",
                "The port is 5432.\n\n```\nx\n```\n\nAda was born in Basel.\n",
                &[],
            ),
            (
                "Notes",
                "The port is 5432.[^1]\n\nAda was born in Basel.\n\n[^1]: x\n",
                &[],
            ),
            (
                "Notes",
                "The port is 5432.\r\n\r\nAda was born in Basel.\r\n",
                &[],
            ),
            ("Notes", "The port is 5432.\n", &[]),
            (
                "Port",
                "## Port\n\nThe server listens on 5432.\n\n## Copyright\n\nAll rights were given up.\n",
                &[],
            ),
            (
                "I was there",
                "I was there.\n\nThanks for the advice!\n",
                &[],
            ),
            ("", "", &[]),
        ] {
            let parts = parts(title, body).unwrap_or_default();
            let found: Vec<&str> = parts.iter().map(|part| part.body.as_str()).collect();
            assert_eq!(found, expected, "{title}: {body}");
        }
    }

    proptest::proptest! {
        /// No line is lost or duplicated, and no part can be split again.
        #[test]
        fn parts_keep_all_lines_and_cannot_be_split_again(
            lines in proptest::collection::vec(
                proptest::sample::select(&[
                    "", "# Notes", "## Port", "## Ada", "- The port is 5432.", "- Ada was born in Basel.",
                    "  - Below it is more.", "Tea was cheap in spring.", "It rained all day.", "The lake is deep.",
                    "1. One is a number.", "> The quote is old.", "- [ ] The task is open.", "```", "[^1]: x y",
                ][..]),
                0..12,
            ),
        ) {
            let body = lines.join("\n");
            for part in parts("Notes", &body).iter().flatten() {
                proptest::prop_assert!(parts(&part.title, &part.body).is_none(), "{body}");
            }
            let lines = |text: &str| {
                let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
                let mut lines: Vec<String> = lines.map(str::to_owned).collect();
                lines.sort_unstable();
                lines
            };
            if let Some(parts) = parts("Notes", &body) {
                let whole: Vec<&str> = parts.iter().map(|part| part.whole.as_str()).collect();
                let (mut whole, body) = (lines(&whole.join("\n")), lines(&body));
                if whole.len() < body.len() {
                    whole.push("# Notes".to_owned());
                    whole.sort_unstable();
                }
                proptest::prop_assert_eq!(whole, body);
            }
        }
    }
}
