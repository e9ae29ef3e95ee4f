//! Splits a body into units that a digest keeps or drops: sentences of prose, and blocks that have a meaning only
//! as a whole. Pure.

use crate::jobs::prelude::*;
use crate::note::markdown::sections::{Block, Section, Sections};
use crate::note::markdown::sentences::{is_running_text, sentences};
use crate::note::words::one_line::one_line;
use crate::note::words::required_items::{LowerCaseWords, items};
use crate::note::words::segments::TextWeights;
use crate::note::{BlockKind, WordEffect, folded};

/// A source of a digest.
#[derive(Clone, Debug)]
pub(super) struct DigestSource {
    pub(super) title: String,
    pub(super) aliases: Vec<String>,
    pub(super) body: String,
    /// Weights of the body; boilerplate weighs less.
    pub(super) weights: TextWeights,
    /// Link target.
    pub(super) target: String,
}

/// A part that is kept or dropped as a whole.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) source: usize,
    /// Headings above it, outermost first, without the title of the note.
    pub(super) headings: Vec<String>,
    /// Number of the paragraph or item in the source.
    pub(super) block: usize,
    pub(super) is_item: bool,
    /// Number of words; boilerplate counts less.
    pub(super) words: f64,
    /// Text in the digest: a block in full, a sentence on one line; empty for a heading without content.
    pub(super) text: String,
    pub(super) sentence: Option<Sentence>,
}

/// Content of a sentence.
#[derive(Debug)]
pub(super) struct Sentence {
    /// Stems of its words except empty ones, and its items.
    stems: BTreeSet<String>,
    /// The same words in order, as stems.
    words: Vec<String>,
    /// Negations and qualifiers.
    qualifiers: BTreeSet<String>,
    /// True if it refers to the sentence before it.
    pub(super) refers: bool,
}

impl Sentence {
    fn of(text: &str, common: &LowerCaseWords) -> Self {
        let (mut stems, mut qualifiers) = (BTreeSet::new(), BTreeSet::new());
        let (mut words, mut refers) = (Vec::new(), false);
        let mut is_begun = false;
        each_word(text, |word, _| {
            // `a spell of this scroll` names its subject.
            let is_named =
                is_begun && matches!(word, "this" | "that" | "these" | "those" | "there");
            refers |= !is_named && english::refers_back(word);
            is_begun |= english::word(word).content == WordEffect::Full;
            match english::word(word).content {
                _ if english::is_negation(word) => drop(qualifiers.insert(word.to_owned())),
                WordEffect::Qualifies => drop(qualifiers.insert(word.to_owned())),
                WordEffect::Empty => {}
                WordEffect::Full | WordEffect::Light => {
                    words.push(english::stem_keeping_past(word));
                    stems.insert(english::stem(word));
                }
            }
        });
        stems.extend(items(text, common));
        Self {
            stems,
            words,
            qualifiers,
            refers,
        }
    }

    /// Returns true if `other` contains all of its words in order, with the same qualifiers.
    fn is_covered_by(&self, other: &Self) -> bool {
        let mut others = other.words.iter();
        let has_words = self.words.iter().all(|word| others.any(|one| one == word));
        has_words && self.qualifiers == other.qualifiers && self.stems.is_subset(&other.stems)
    }
}

impl Unit {
    /// Returns true if `other` makes this unit redundant: the same headings, and at least the same content.
    pub(super) fn is_covered_by(&self, other: &Self) -> bool {
        self.folded_headings() == other.folded_headings()
            && match (&self.sentence, &other.sentence) {
                (Some(one), Some(other)) => one.is_covered_by(other),
                (None, None) => self.text == other.text,
                _ => false,
            }
    }

    /// Returns the amount of content, to choose between two equivalent units.
    pub(super) fn content_size(&self) -> usize {
        self.sentence
            .as_ref()
            .map_or(0, |sentence| sentence.stems.len())
    }

    fn folded_headings(&self) -> Vec<String> {
        self.headings.iter().map(|title| folded(title)).collect()
    }
}

/// Adds the units of the source with number `source`.
pub(super) fn add_units(
    source: usize,
    DigestSource {
        title,
        body,
        weights,
        ..
    }: &DigestSource,
    read: &Sections,
    common: &LowerCaseWords,
    units: &mut Vec<Unit>,
) {
    let weight_of = |span: Range<usize>| {
        let mut sum = 0.0;
        for word in body[span].split_whitespace() {
            // `word` is a slice of `body`, so the offset is its position.
            let at = word.as_ptr() as usize - body.as_ptr() as usize;
            sum += f64::from(weights.at(at));
        }
        sum
    };
    for (at, section) in read.all.iter().enumerate() {
        let headings = headings(&read.all, at, title);
        let is_parent = read.all.iter().skip(at + 1).any(|one| one.parent == at);
        if section.blocks.is_empty() && !is_parent && !headings.is_empty() {
            let block = units.len();
            units.push(Unit {
                source,
                headings: headings.clone(),
                block,
                is_item: false,
                words: 0.0,
                text: String::new(),
                sentence: None,
            });
        }
        let mut blocks = section.blocks.iter().peekable();
        while let Some(block) = blocks.next() {
            let mut span = block.span.clone();
            // `The ports are:` belongs to the list after it.
            let is_begun = body[span.clone()].trim_end().ends_with(':');
            if is_begun && block.kind == BlockKind::Paragraph {
                let is_list = blocks
                    .peek()
                    .is_some_and(|next| next.kind == BlockKind::Item);
                while let Some(next) =
                    blocks.next_if(|next| is_list == (next.kind == BlockKind::Item))
                {
                    span.end = next.span.end;
                    if !is_list {
                        break;
                    }
                }
            }
            let text = &body[span.clone()];
            let number = units.len();
            let is_whole = span != block.span || !is_prose(block, text);
            let unit = |text: String, words: f64, sentence: Option<Sentence>| Unit {
                source,
                headings: match block.kind {
                    // A definition applies to the whole note.
                    BlockKind::Definition => Vec::new(),
                    _ => headings.clone(),
                },
                block: number,
                is_item: block.kind == BlockKind::Item,
                words,
                text,
                sentence,
            };
            if is_whole {
                units.push(unit(text.to_owned(), weight_of(span), None));
                continue;
            }
            for part in whole_sentences(body, span) {
                let line = one_line(&body[part.clone()]);
                let sentence = Sentence::of(&line, common);
                units.push(unit(line, weight_of(part), Some(sentence)));
            }
        }
    }
}

/// Returns the sentences of `span`. A fragment without a sentence start joins the one before, as after `5 ft.`,
/// and a bold sentence heads the next one.
fn whole_sentences(body: &str, span: Range<usize>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for part in sentences(body, span) {
        let first = body[part.clone()].chars().next();
        let begins = first.is_none_or(|c| !c.is_lowercase() && !matches!(c, '×' | '/' | '=' | '+'));
        match found.last_mut() {
            Some(last) if !begins || is_bold(&body[last.clone()]) => last.end = part.end,
            _ => found.push(part),
        }
    }
    found
}

fn is_bold(text: &str) -> bool {
    let inner = text
        .strip_prefix("**")
        .and_then(|text| text.strip_suffix("**"));
    inner.is_some_and(|inner| !inner.contains("**"))
}

/// Returns the headings of a section, outermost first, including its own but not the title of the note.
fn headings(all: &[Section], mut at: usize, title: &str) -> Vec<String> {
    let mut headings = Vec::new();
    while at > 0 {
        let section = &all[at];
        let is_title = section.level == 1 && folded(&section.title) == folded(title);
        if !is_title {
            headings.push(section.title.clone());
        }
        at = section.parent;
    }
    headings.reverse();
    headings
}

/// Returns true if a block is prose whose lines may be joined.
fn is_prose(block: &Block, text: &str) -> bool {
    let lines = || text.lines();
    let is_broken = |line: &str| line.ends_with("  ") || line.ends_with('\\');
    let is_single = block.kind == BlockKind::Paragraph || lines().count() == 1;
    matches!(block.kind, BlockKind::Paragraph | BlockKind::Item)
        && is_single
        && is_running_text(text)
        && !lines().any(is_broken)
        && !text.contains("<!--")
        && !text.contains(" ^")
        && !text.trim_start().starts_with('^')
}
