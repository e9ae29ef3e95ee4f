//! Builds a digest of several notes from their own sentences and blocks; pure.
//!
//! A sentence is dropped if another has all of its words in the same order. A table, code block or task is dropped
//! if another note has the same one below the same headings. A sentence with `it` or `they` stays after the
//! sentence that it refers to. Then the digest must contain all important items of the sources. If an item is
//! missing, a block is split, or the digest is not shorter, there is none.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::units::{self, DigestSource, Unit};
use crate::note::markdown::document;
use crate::note::markdown::marks;
use crate::note::markdown::sections;
use crate::note::markdown::sections::Sections;
use crate::note::words::required_items::{LowerCaseWords, items};
use crate::note::{BlockKind, Document};

/// Maximum length of a digest relative to its sources. Boilerplate words have little weight, so a common heading
/// or signature does not justify a digest.
const MAX_LENGTH_SHARE: f64 = 0.9;

#[derive(Debug)]
pub(super) struct Digest {
    pub(super) body: String,
    /// Number of words of the sources, and of the digest.
    pub(super) words: [usize; 2],
    /// Number of numbers, names, links and symbols that the digest must contain.
    pub(super) items: usize,
}

/// Reason for declining a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeclineReason {
    /// An unclosed construct would swallow the text after it.
    Unclosed,
    /// Generated lines belong to the note that contains them.
    Generated,
    /// An open task would appear in two notes.
    Tasks,
    /// Two different footnotes or link definitions have the same label.
    Labels,
    /// It would not be shorter.
    NoShorter,
    /// A number, date, name, link or symbol would be lost, or a block split.
    Lost,
}

/// Returns true if the note has an open task, which the digest would duplicate.
fn has_open_task(document: &Document<'_>) -> bool {
    let mut nodes = document.nodes().iter();
    nodes.any(|node| matches!(node.kind, document::NodeKind::TaskMark(false)))
}

/// Returns the digest of `sources`.
pub(super) fn digest(sources: &[DigestSource]) -> Result<Digest, DeclineReason> {
    let mut common = LowerCaseWords::default();
    for source in sources {
        common.add(&source.body);
    }
    let (mut all, mut parts) = (Vec::new(), Vec::new());
    for (number, source) in sources.iter().enumerate() {
        let document = Document::of_body(&source.body);
        if !marks::marked_blocks(&source.body).is_empty() {
            return Err(DeclineReason::Generated);
        }
        if has_open_task(&document) {
            return Err(DeclineReason::Tasks);
        }
        let read = sections::of(&document);
        units::add_units(number, source, &read, &common, &mut all);
        if read.unclosed.is_some() {
            return Err(DeclineReason::Unclosed);
        }
        parts.push(read);
    }
    if has_conflicting_labels(&parts) {
        return Err(DeclineReason::Labels);
    }
    let kept = kept_units(&all);
    let body = render(sources, &all, &kept);
    let kept = kept.iter().map(|at| &all[*at]);
    let weight_of = |unit: &Unit| unit.words;
    let before: f64 = all.iter().map(weight_of).sum();
    if kept.clone().map(weight_of).sum::<f64>() > before * MAX_LENGTH_SHARE || all.is_empty() {
        return Err(DeclineReason::NoShorter);
    }
    let there = items(&body, &common);
    let mut needed = BTreeSet::new();
    for source in sources {
        needed.extend(items(&source.body, &common));
        for name in source.aliases.iter().chain([&source.title]) {
            needed.extend(items(name, &common));
        }
    }
    let blocks = kept.clone().filter(|unit| unit.sentence.is_none());
    let has_split_block = has_split_block(&body, blocks);
    if has_split_block || !needed.is_subset(&there) {
        return Err(DeclineReason::Lost);
    }
    Ok(Digest {
        body,
        words: [
            all.iter().map(|unit| word_count(&unit.text)).sum(),
            kept.map(|unit| word_count(&unit.text)).sum(),
        ],
        items: needed.len(),
    })
}

fn word_count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Returns true if two sources define a footnote or link label differently.
fn has_conflicting_labels(sources: &[Sections]) -> bool {
    let mut known: Vec<(String, String)> = Vec::new();
    for read in sources {
        for block in read.all.iter().flat_map(|section| &section.blocks) {
            let label = block.text.split_once("]:").map(|(label, _)| label);
            let Some(label) = label.filter(|_| block.kind == BlockKind::Definition) else {
                continue;
            };
            let is_other = |(one, text): &(String, String)| one == label && *text != block.text;
            if known.iter().any(is_other) {
                return true;
            }
            known.push((label.to_owned(), block.text.clone()));
        }
    }
    false
}

/// Returns true if one of `blocks` is not a block of `body`.
fn has_split_block<'u>(body: &str, mut blocks: impl Iterator<Item = &'u Unit>) -> bool {
    let texts = |text: &str| -> Vec<String> {
        let all = sections::read(text).all.into_iter();
        all.flat_map(|section| section.blocks)
            .map(|block| block.text)
            .collect()
    };
    let there: BTreeSet<String> = texts(body).into_iter().collect();
    sections::read(body).unclosed.is_some()
        || blocks.any(|unit| texts(&unit.text).iter().any(|text| !there.contains(text)))
}

/// Returns the positions of the units to keep, ascending.
fn kept_units(all: &[Unit]) -> Vec<usize> {
    let is_redundant = |at: usize| {
        let one = &all[at];
        all.iter().enumerate().any(|(other, by)| {
            let is_better = by.content_size() > one.content_size() || other < at;
            // A block that occurs twice in one note may be intended.
            let can_be_dropped = one.sentence.is_some() || by.source != one.source;
            other != at && is_better && can_be_dropped && one.is_covered_by(by)
        })
    };
    let kept: Vec<usize> = (0..all.len()).filter(|at| !is_redundant(*at)).collect();
    // A referring sentence needs the one before it, even if another note contains that, too.
    let mut whole: BTreeSet<usize> = BTreeSet::new();
    for mut at in kept {
        while whole.insert(at) && depends_on_previous(all, at) {
            at -= 1;
        }
    }
    // Sentences kept for this reason may make others redundant.
    for at in whole.clone() {
        let is_needed = whole.contains(&(at + 1)) && depends_on_previous(all, at + 1);
        let mut others = whole.iter().filter(|other| **other != at);
        let is_covered = others.any(|other| all[at].is_covered_by(&all[*other]));
        if !is_needed && is_covered && all[at].sentence.is_some() {
            whole.remove(&at);
        }
    }
    whole.into_iter().collect()
}

/// Returns true if a sentence depends on the one before it.
fn depends_on_previous(all: &[Unit], at: usize) -> bool {
    let refers = |unit: &Unit| unit.sentence.as_ref().is_some_and(|one| one.refers);
    at > 0 && refers(&all[at]) && all[at - 1].source == all[at].source
}

/// Positions of units that the same sources contain.
struct SourceGroup {
    sources: Vec<usize>,
    units: Vec<usize>,
}

/// Groups the kept units by the sources that contain them, most sources first.
fn group_by_sources(all: &[Unit], kept: &[usize]) -> Vec<SourceGroup> {
    let is_in_source = |source: usize, at: usize| {
        let by = |unit: &Unit| unit.source == source && all[at].is_covered_by(unit);
        all[at].source == source || all.iter().any(by)
    };
    let count = all.last().map_or(0, |unit| unit.source + 1);
    let mut groups: Vec<SourceGroup> = Vec::new();
    let mut rest = kept.iter().copied().peekable();
    while let Some(at) = rest.next() {
        let mut units = vec![at];
        while let Some(next) = rest.next_if(|next| depends_on_previous(all, *next)) {
            units.push(next);
        }
        let contains_all = |source: &usize| units.iter().all(|at| is_in_source(*source, *at));
        let sources: Vec<usize> = (0..count).filter(contains_all).collect();
        match groups.iter_mut().find(|group| group.sources == sources) {
            Some(group) => group.units.extend(units),
            None => groups.push(SourceGroup { sources, units }),
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.sources.len()));
    groups
}

/// Renders the digest: each group with links to its sources, as list items if all units are sentences, else as
/// sections.
fn render(sources: &[DigestSource], all: &[Unit], kept: &[usize]) -> String {
    let link = |source: &usize| {
        let source = &sources[*source];
        let is_label = !source.title.is_empty() && !source.title.contains(['[', ']', '|', '\n']);
        if is_label && source.title != source.target {
            format!("[[{}|{}]]", source.target, source.title)
        } else {
            format!("[[{}]]", source.target)
        }
    };
    let links = |sources: &[usize]| sources.iter().map(link).collect::<Vec<_>>().join(", ");
    let groups = group_by_sources(all, kept);
    let units = groups.iter().flat_map(|group| &group.units);
    let is_plain = units
        .map(|at| &all[*at])
        .all(|unit| unit.headings.is_empty() && unit.sentence.is_some() && !unit.is_item);
    let mut text = String::new();
    for group in &groups {
        if is_plain {
            let sentences = group
                .units
                .iter()
                .map(|at| all[*at].text.as_str())
                .collect::<Vec<_>>()
                .join(" ");
            let _ = writeln!(text, "- {sentences} ({})", links(&group.sources));
        } else {
            let gap = if text.is_empty() { "" } else { "\n" };
            let _ = writeln!(text, "{gap}## {}", links(&group.sources));
            render_section(&mut text, all, &group.units);
        }
    }
    let is_there = |source: &usize| groups.iter().any(|group| group.sources.contains(source));
    let fully_covered: Vec<usize> = (0..sources.len()).filter(|one| !is_there(one)).collect();
    if !fully_covered.is_empty() {
        let _ = writeln!(text, "\nThe same: {}.", links(&fully_covered));
    }
    text
}

/// Appends units below their headings, each paragraph and item on its own line.
fn render_section(text: &mut String, all: &[Unit], units: &[usize]) {
    let mut units: Vec<&Unit> = units.iter().map(|at| &all[*at]).collect();
    // Units below the same heading are adjacent, before those of its subheadings.
    let mut titles: Vec<&[String]> = Vec::new();
    for unit in &units {
        let depths = 1..=unit.headings.len();
        titles.extend(depths.map(|depth| &unit.headings[..depth]));
    }
    units.sort_by_cached_key(|unit| -> Vec<usize> {
        let place = |depth| {
            titles
                .iter()
                .position(|one| *one == &unit.headings[..depth])
        };
        (1..=unit.headings.len()).filter_map(place).collect()
    });
    let mut open: &[String] = &[];
    let mut before: Option<&Unit> = None;
    for unit in units {
        let same = open
            .iter()
            .zip(&unit.headings)
            .take_while(|(a, b)| a == b)
            .count();
        if same < unit.headings.len() || same < open.len() {
            for (depth, title) in unit.headings.iter().enumerate().skip(same) {
                let marks = "#".repeat((depth + 3).min(6));
                let _ = writeln!(text, "\n{marks} {title}");
            }
            open = &unit.headings;
            before = None;
        }
        let goes_on = before.is_some_and(|before| {
            before.sentence.is_some() && before.source == unit.source && before.block == unit.block
        });
        if goes_on {
            text.truncate(text.trim_end().len());
            let _ = writeln!(text, " {}", unit.text);
        } else if !unit.text.is_empty() {
            let is_list = before.is_some_and(|before| before.is_item) && unit.is_item;
            let gap = if is_list { "" } else { "\n" };
            // Sentences of an item have no list marker, so add it again.
            let mark = if unit.is_item && unit.sentence.is_some() {
                "- "
            } else {
                ""
            };
            let _ = writeln!(text, "{gap}{mark}{}", unit.text);
        }
        before = Some(unit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::words::segments::TextWeights;

    fn of(bodies: &[&str]) -> Result<Digest, DeclineReason> {
        let sources = bodies.iter().enumerate().map(|(at, body)| DigestSource {
            title: at.to_string(),
            aliases: Vec::new(),
            weights: TextWeights::default(),
            body: (*body).to_owned(),
            target: at.to_string(),
        });
        digest(&sources.collect::<Vec<_>>())
    }

    #[test]
    fn open_tasks_decline_a_digest() {
        for bodies in [
            ["- [ ] a", "- [x] a"],
            ["Ada sails.\n\n1. [ ] a", "Ada sails."],
        ] {
            assert_eq!(of(&bodies).unwrap_err(), DeclineReason::Tasks, "{bodies:?}");
        }
    }

    #[test]
    fn repeated_sentences_occur_once() {
        for (bodies, expected) in [
            (
                &[
                    "The port is 5432. It is open.",
                    "Port 5432. The host is db1.",
                ][..],
                Ok("- The port is 5432. It is open. ([[0]])\n- The host is db1. ([[1]])\n"),
            ),
            (
                &["Ada sails.", "Ada sails."],
                Ok("- Ada sails. ([[0]], [[1]])\n"),
            ),
            // The name stays before the sentence that refers to it.
            (
                &[
                    "Ada sails. She won in 2025.",
                    "Ada sails. Bob swims.",
                    "Bob swims. Ada sails.",
                ],
                Ok("- Bob swims. ([[1]], [[2]])\n- Ada sails. She won in 2025. ([[0]])\n"),
            ),
            // A sentence that names its subject need not follow the one before it.
            (
                &[
                    "Ada sails every day in summer. The mast of that boat is red.",
                    "Ada sails every day in summer. It is 5 ft. and more long.",
                ],
                Ok(
                    "- The mast of that boat is red. ([[0]])\n- Ada sails every day in summer. It is 5 ft. and more long. ([[1]])\n",
                ),
            ),
            // A label stays before the text that it heads.
            (
                &[
                    "Ada sails every day in summer. **Later.** Bob won.",
                    "Ada sails every day in summer. **Later.** Cy won.",
                ],
                Ok(
                    "- Ada sails every day in summer. ([[0]], [[1]])\n- **Later.** Bob won. ([[0]])\n- **Later.** Cy won. ([[1]])\n",
                ),
            ),
            // A negation, a qualifier, another number and another subject change the meaning.
            (
                &["The port is open.", "The port is not open."],
                Err(DeclineReason::NoShorter),
            ),
            (
                &["The port was open.", "The port is open."],
                Err(DeclineReason::NoShorter),
            ),
            (
                &["Backup costs 5 euro.", "Hosting costs 5 euro."],
                Err(DeclineReason::NoShorter),
            ),
            // Blocks that have a meaning only as a whole are not split.
            (
                &["Ada sails.\n\n| b |\n|---|\n| c |", "Ada sails."],
                Ok("## [[0]], [[1]]\n\nAda sails.\n\n## [[0]]\n\n| b |\n|---|\n| c |\n"),
            ),
            (
                &[
                    "Ada sails.\n\n```\nb\n\nc\n```",
                    "Ada sails.\n\n```\nb\n\nc\n```",
                ],
                Ok("## [[0]], [[1]]\n\nAda sails.\n\n```\nb\n\nc\n```\n"),
            ),
            (&["- [x] a", "- [x] b"], Err(DeclineReason::NoShorter)),
            (
                &["The ports:\n\n- 1\n- 2", "The ports:\n\n- 1\n- 3"],
                Err(DeclineReason::NoShorter),
            ),
            // Below another heading the same words have another meaning; the title of the note does not matter.
            (
                &[
                    "# 0\n\n## Ada\n\n- Sails at sea.",
                    "# 1\n\n## Bob\n\n- Sails at sea.",
                ],
                Err(DeclineReason::NoShorter),
            ),
            (
                &[
                    "# 0\n\n## Ada\n\n- Sails at sea.\n- Won.\n\n## Empty",
                    "# 1\n\nBob swims.\n\n## Ada\n\n- Won.\n- Sails at sea.",
                ],
                Ok(
                    "## [[0]], [[1]]\n\n### Ada\n\n- Sails at sea.\n- Won.\n\n## [[0]]\n\n### Empty\n\n## [[1]]\n\nBob swims.\n",
                ),
            ),
            (
                &["Ada sails.[^1]\n\n[^1]: A.", "Ada sails.[^1]\n\n[^1]: B."],
                Err(DeclineReason::Labels),
            ),
            (
                &["Ada sails.\n\n```\nb", "Ada sails."],
                Err(DeclineReason::Unclosed),
            ),
            (
                &["<!-- mem list tag:a -->\n<!-- /mem -->", "Ada sails."],
                Err(DeclineReason::Generated),
            ),
            (&["", ""], Err(DeclineReason::NoShorter)),
        ] {
            let body = of(bodies).map(|digest| digest.body);
            let found = body.as_ref().map(String::as_str).map_err(|why| *why);
            assert_eq!(found, expected, "{bodies:?}");
        }
    }

    #[test]
    fn boilerplate_does_not_justify_a_digest() {
        let source = |title: &str, says: &str, weight: f32| DigestSource {
            title: title.to_owned(),
            aliases: Vec::new(),
            body: format!("Thread of the first of May. {says}"),
            weights: TextWeights(vec![(0..27, weight)]),
            target: title.to_owned(),
        };
        let declined = |weight| {
            let both = [
                source("a", "Ada sails to Basel in spring.", weight),
                source("b", "Bob swims in a deep lake.", weight),
            ];
            digest(&both).err()
        };
        assert_eq!(declined(1.0), None);
        assert_eq!(declined(0.05), Some(DeclineReason::NoShorter));
        // A name that occurs only once counts, too.
        let mut both = [source("a", "", 1.0), source("b", "", 1.0)];
        assert!(digest(&both).is_ok());
        both[1].aliases.push("Cy".to_owned());
        assert_eq!(digest(&both).unwrap_err(), DeclineReason::Lost);
    }

    #[test]
    fn digest_keeps_all_items() {
        let bodies = [
            "Ada met Bob on 2026-01-02 in [[Basel]]. Both talked for a long time about the weather.",
            "Ada met Bob on 2026-01-02 in [[Basel]]. Both talked about the weather for long. Lunch cost €40.",
            "Both talked about the long weather. Time passed.",
        ];
        let digest = of(&bodies).unwrap();
        for item in ["Ada", "Bob", "2026-01-02", "[[Basel]]", "€40"] {
            assert!(digest.body.contains(item), "{item}: {}", digest.body);
        }
        assert_eq!(digest.body.matches("2026-01-02").count(), 1);
        assert!(digest.words[1] < digest.words[0]);
    }
}
