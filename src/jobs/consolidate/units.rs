//! A body as what a digest takes or leaves: sentences of running text, and blocks that mean something only as
//! a whole. Pure.

use crate::jobs::prelude::*;
use crate::note::markdown::sections::{Block, Kind, Section, Sections};
use crate::note::markdown::sentences::{is_running_text, sentences};
use crate::note::words::english::Content;
use crate::note::words::items::{Common, items};
use crate::note::words::letters::folded;
use crate::note::words::segments::Weights;

/// A note that goes into a digest.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) title: String,
    pub(super) aliases: Vec<String>,
    pub(super) body: String,
    /// What of the body many notes have.
    pub(super) weights: Weights,
    /// How a link names it.
    pub(super) target: String,
}

/// What stays or goes as a whole.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) source: usize,
    /// The headings above it, as written, the outermost first; not the title of the note.
    pub(super) headings: Vec<String>,
    /// The paragraph or item of the source it is of, by number.
    pub(super) block: usize,
    pub(super) is_item: bool,
    /// How much it says, in words: those that many notes have weigh less.
    pub(super) words: f64,
    /// As a digest has it: lines of a block, a sentence in one line; empty for a heading with nothing below.
    pub(super) text: String,
    pub(super) sentence: Option<Sentence>,
}

/// What a sentence says.
#[derive(Debug)]
pub(super) struct Sentence {
    /// Its words but for those that say nothing, as stems, with its items.
    says: BTreeSet<String>,
    /// These words in their order, as stems.
    words: Vec<String>,
    /// What turns around or limits what it says.
    limits: BTreeSet<String>,
    /// Whether it speaks of something that the sentence before it names.
    pub(super) refers: bool,
}

impl Sentence {
    fn of(text: &str, common: &Common) -> Self {
        let (mut says, mut limits) = (BTreeSet::new(), BTreeSet::new());
        let (mut words, mut refers) = (Vec::new(), false);
        let mut is_begun = false;
        each_word(text, |word, _| {
            // `a spell of this scroll` names what it is.
            let is_named =
                is_begun && matches!(word, "this" | "that" | "these" | "those" | "there");
            refers |= !is_named && english::refers_back(word);
            is_begun |= english::word(word).content == Content::Full;
            match english::word(word).content {
                _ if english::is_negation(word) => drop(limits.insert(word.to_owned())),
                Content::Qualifies => drop(limits.insert(word.to_owned())),
                Content::Empty => {}
                Content::Full | Content::Light => {
                    words.push(english::stem_keeping_past(word));
                    says.insert(english::stem(word));
                }
            }
        });
        says.extend(items(text, common));
        Self {
            says,
            words,
            limits,
            refers,
        }
    }

    /// Returns true if `other` has all of its words in their order.
    fn is_said_by(&self, other: &Self) -> bool {
        let mut others = other.words.iter();
        let has_words = self.words.iter().all(|word| others.any(|one| one == word));
        has_words && self.limits == other.limits && self.says.is_subset(&other.says)
    }
}

impl Unit {
    /// Returns true if this one can go because of `other`: below the same headings it says the same, or more.
    pub(super) fn is_said_by(&self, other: &Self) -> bool {
        self.place() == other.place()
            && match (&self.sentence, &other.sentence) {
                (Some(one), Some(other)) => one.is_said_by(other),
                (None, None) => self.text == other.text,
                _ => false,
            }
    }

    /// Returns how much it says, where one of two that say the same goes.
    pub(super) fn weight(&self) -> usize {
        self.sentence
            .as_ref()
            .map_or(0, |sentence| sentence.says.len())
    }

    fn place(&self) -> Vec<String> {
        self.headings.iter().map(|title| folded(title)).collect()
    }
}

/// Adds what a source is made of, which has this number and these sections.
pub(super) fn read(
    source: usize,
    Source {
        title,
        body,
        weights,
        ..
    }: &Source,
    read: &Sections,
    common: &Common,
    units: &mut Vec<Unit>,
) {
    let weigh = |span: Range<usize>| {
        let mut sum = 0.0;
        for word in body[span].split_whitespace() {
            // A part of `body`, so the distance is its place.
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
            // `The ports are:` belongs to its list.
            let is_begun = body[span.clone()].trim_end().ends_with(':');
            if is_begun && block.kind == Kind::Paragraph {
                let is_list = blocks.peek().is_some_and(|next| next.kind == Kind::Item);
                while let Some(next) = blocks.next_if(|next| is_list == (next.kind == Kind::Item)) {
                    span.end = next.span.end;
                    if !is_list {
                        break;
                    }
                }
            }
            let text = &body[span.clone()];
            let number = units.len();
            let is_whole = span != block.span || !is_of_sentences(block, text);
            let unit = |text: String, words: f64, sentence: Option<Sentence>| Unit {
                source,
                headings: match block.kind {
                    // It holds for all of the note.
                    Kind::Definition => Vec::new(),
                    _ => headings.clone(),
                },
                block: number,
                is_item: block.kind == Kind::Item,
                words,
                text,
                sentence,
            };
            if is_whole {
                units.push(unit(text.to_owned(), weigh(span), None));
                continue;
            }
            for part in whole_sentences(body, span) {
                let line = body[part.clone()].split_whitespace();
                let line = line.collect::<Vec<_>>().join(" ");
                let sentence = Sentence::of(&line, common);
                units.push(unit(line, weigh(part), Some(sentence)));
            }
        }
    }
}

/// Returns the sentences of `span`; what begins as none does goes on, as behind `5 ft.`, and what is all in bold
/// heads the next one.
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

/// Returns the titles of the sections that this one is in, the outermost first, and its own; without that of
/// the note.
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

/// Returns true if a block is running text whose lines may be joined.
fn is_of_sentences(block: &Block, text: &str) -> bool {
    let lines = || text.lines();
    let is_broken = |line: &str| line.ends_with("  ") || line.ends_with('\\');
    let is_single = block.kind == Kind::Paragraph || lines().count() == 1;
    matches!(block.kind, Kind::Paragraph | Kind::Item)
        && is_single
        && is_running_text(text)
        && !lines().any(is_broken)
        && !text.contains("<!--")
        && !text.contains(" ^")
        && !text.trim_start().starts_with('^')
}
