//! The wording of a text: its visible content as tokens.
//!
//! Tokens are words, numbers, operators, signs, emoji, check boxes, and marks of emphasis, quotation and
//! deletion. Others are line breaks, nesting and numbering of lists and sections, code with its language, and
//! addresses, verbatim. Only typography is left out: list and heading markers, and the punctuation of prose
//! ([`signs`]). `jobs::dedupe` merges unattended only texts that this treats as equal
//! ([`restated_share`](Wording::restated_share)).

mod restate;
mod signs;

use std::ops::Range;

use pulldown_cmark::Alignment;
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

use super::english;
use super::tokens::each_word;
use crate::note::markdown::document::{Document, MarkdownNode, NodeKind, WalkStep};
pub use restate::is_restated;
use signs::{folded, has_meaning, is_sentence_end};

/// Markers for visible structure: noncharacters, which no text contains.
mod mark {
    pub(crate) const EMPHASIS: char = '\u{fdd0}';
    pub(crate) const STRONG: char = '\u{fdd1}';
    /// A line break.
    pub(crate) const BREAK: char = '\u{fdd2}';
    /// One for each level of list or section.
    pub(crate) const IN_ITEM: char = '\u{fdd3}';
    pub(crate) const IN_SECTION: char = '\u{fdd4}';
}

/// The visible content of a text, in sentences.
#[derive(Clone, Debug, Default)]
pub struct Wording {
    sentences: Vec<Sentence>,
    /// Whether most words are capitalised, so that capitals mark no names.
    is_headline: bool,
    has_placeholder: bool,
}

/// A sentence, a heading, a table row or a line of code.
#[derive(Clone, Debug, Default)]
struct Sentence {
    tokens: Vec<Token>,
    /// Hash of the tokens.
    key: u64,
    /// Whether it controls the meaning of the next sentence: a heading, a line that ends with a colon.
    governs: bool,
    /// Whether it is a block of its own, not one of several sentences.
    is_block: bool,
    /// Number of the outermost list or table that contains it; 0 for none.
    whole: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// A word, without the capital at the start of a sentence.
    Word(String),
    /// A number in digits.
    Number(String),
    /// A sign with a meaning.
    Sign(char),
    /// Code, an address or markup, verbatim.
    Verbatim(String),
}

impl Wording {
    /// Reads a body; `skip_title` drops its first heading of level 1.
    pub fn of(document: &Document<'_>, skip_title: bool) -> Self {
        let mut reader = Reader {
            skips_title: skip_title,
            ..Reader::default()
        };
        for step in document.walk() {
            reader.take(document, step);
        }
        reader.end_block();
        let Reader {
            mut wording,
            capitals,
            inner,
            ..
        } = reader;
        wording.is_headline = capitals * 2 > inner;
        wording
    }

    /// Reads a name such as a title: one line of plain text, ignoring its capitals.
    pub fn of_name(text: &str) -> Self {
        let mut reader = Reader::default();
        reader.line.push_str(text);
        reader.end_block();
        Self {
            is_headline: true,
            ..reader.wording
        }
    }

    /// Returns whether the prose has a template placeholder: `{{title}}`, `<% date %>`.
    pub fn has_placeholder(&self) -> bool {
        self.has_placeholder
    }

    /// Returns whether the visible content is empty.
    pub fn is_empty(&self) -> bool {
        self.sentences.is_empty()
    }

    fn len(&self) -> usize {
        let sentences = self.sentences.iter();
        sentences.map(|sentence| sentence.tokens.len()).sum()
    }
}

/// Kind of the current block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Block {
    #[default]
    Prose,
    Heading,
    /// The dropped heading.
    Title,
    Code,
}

/// State of the reader, updated by parser events.
#[derive(Default)]
struct Reader {
    wording: Wording,
    /// Visible text of the block so far.
    line: String,
    /// Verbatim ranges in `line`.
    verbatim: Vec<Range<usize>>,
    /// Positions of structure markers in `line`.
    marks: Vec<(usize, char)>,
    /// For each open item: whether it has content yet.
    items: Vec<bool>,
    /// Number of the next item of each open list; `None` if unnumbered.
    lists: Vec<Option<u64>>,
    /// Number of open lists and tables, and number of outermost ones so far.
    depth: usize,
    wholes: usize,
    /// Levels of the enclosing headings.
    sections: Vec<usize>,
    /// Address and start of each open link.
    links: Vec<(String, usize)>,
    skips_title: bool,
    block: Block,
    /// Number of capitalised words inside sentences, and of all words there.
    capitals: usize,
    inner: usize,
}

impl Reader {
    fn take(&mut self, document: &Document<'_>, step: WalkStep<'_>) {
        match step {
            WalkStep::Enter(node) => self.start(document, node),
            WalkStep::Leave(node) => self.end(&node.kind),
            WalkStep::Leaf(node) => self.leaf(document, node),
        }
    }

    fn leaf(&mut self, document: &Document<'_>, node: &MarkdownNode) {
        if let (NodeKind::Text(_) | NodeKind::Code(_), Some(has_content)) =
            (&node.kind, self.items.last_mut())
        {
            *has_content = true;
        }
        match &node.kind {
            NodeKind::Text(said) | NodeKind::Html(said) => self.line.push_str(document.said(said)),
            NodeKind::Code(said)
            | NodeKind::InlineHtml(said)
            | NodeKind::InlineMath(said)
            | NodeKind::DisplayMath(said) => self.as_written(document.said(said)),
            NodeKind::FootnoteMark(name) => {
                self.as_written(&format!("[^{}]", document.said(name)));
            }
            NodeKind::SoftBreak => self.line.push(' '),
            NodeKind::HardBreak => {
                self.mark(mark::BREAK, 1);
                self.line.push(' ');
            }
            NodeKind::TaskMark(done) => self.line.push_str(if *done { "☑ " } else { "☐ " }),
            _ => self.end_block(),
        }
    }

    fn start(&mut self, document: &Document<'_>, node: &MarkdownNode) {
        match &node.kind {
            NodeKind::Emphasis => self.mark(mark::EMPHASIS, 1),
            NodeKind::Strong => self.mark(mark::STRONG, 1),
            NodeKind::Strikethrough => self.line.push('~'),
            NodeKind::Link(target) | NodeKind::Image(target) => {
                let address = document.said(&target.destination).to_owned();
                self.links.push((address, self.line.len()));
            }
            NodeKind::TableCell => {}
            NodeKind::List(first) => {
                self.end_block();
                self.open();
                self.lists.push(*first);
            }
            NodeKind::Item => {
                self.end_block();
                self.mark(mark::IN_ITEM, self.items.len());
                self.items.push(false);
                if let Some(Some(number)) = self.lists.last_mut() {
                    let written = format!("{number}.");
                    *number += 1;
                    self.as_written(&written);
                }
                self.item(&document.text()[node.span.clone()]);
            }
            kind => {
                self.end_block();
                self.start_block(document, kind);
            }
        }
    }

    fn start_block(&mut self, document: &Document<'_>, kind: &NodeKind) {
        // An item begins with its first block; the others are nested in it.
        let depth = self.items.len();
        match self.items.last_mut() {
            Some(has_content @ false) => *has_content = true,
            Some(_) if !matches!(kind, NodeKind::TableHead | NodeKind::TableRow) => {
                self.mark(mark::IN_ITEM, depth);
            }
            _ => {}
        }
        match kind {
            NodeKind::Heading(level) => self.heading(usize::from(*level)),
            NodeKind::CodeBlock(language) => {
                let language = language.as_ref().map(|language| document.said(language));
                if let Some(language) = language.filter(|language| !language.is_empty()) {
                    self.as_written(&format!("```{language}"));
                }
                self.end_block();
                self.block = Block::Code;
            }
            NodeKind::HtmlBlock => {
                self.end_block();
                self.block = Block::Code;
            }
            NodeKind::Quote => self.line.push('>'),
            NodeKind::Table(columns) => {
                self.open();
                if columns.iter().any(|column| *column != Alignment::None) {
                    self.as_written(&format!("{columns:?}"));
                }
            }
            NodeKind::Footnote(name) => self.as_written(&format!("[^{}]:", document.said(name))),
            _ => {}
        }
    }

    fn heading(&mut self, level: usize) {
        if self.skips_title && level == 1 {
            self.skips_title = false;
            self.block = Block::Title;
            return;
        }
        self.sections.retain(|above| *above < level);
        self.mark(mark::IN_SECTION, self.sections.len());
        self.sections.push(level);
        self.block = Block::Heading;
    }

    fn end(&mut self, kind: &NodeKind) {
        match kind {
            NodeKind::Emphasis => self.mark(mark::EMPHASIS, 1),
            NodeKind::Strong => self.mark(mark::STRONG, 1),
            NodeKind::Strikethrough => self.line.push('~'),
            NodeKind::Link(_) | NodeKind::Image(_) => {
                if let Some((address, start)) = self.links.pop()
                    && self.line[start..] != address
                {
                    self.as_written(&address);
                }
            }
            NodeKind::TableCell => self.line.push_str(" | "),
            _ => {
                if matches!(kind, NodeKind::Quote) {
                    self.end_block();
                    self.line.push('<');
                }
                self.end_block();
                self.block = Block::Prose;
                match kind {
                    NodeKind::Item => drop(self.items.pop()),
                    NodeKind::List(_) => {
                        self.lists.pop();
                        self.depth -= 1;
                    }
                    NodeKind::Table(_) => self.depth -= 1,
                    _ => {}
                }
            }
        }
    }

    /// Begins a list or a table.
    fn open(&mut self) {
        self.wholes += usize::from(self.depth == 0);
        self.depth += 1;
    }

    /// The marker of an item can be a sign: `+ fast`, `- 5 points`.
    fn item(&mut self, item: &str) {
        let mark = item.chars().next().filter(|c| matches!(c, '-' | '+' | '*'));
        let text = item[mark.map_or(0, char::len_utf8)..].trim_start();
        let is_number = |c: char| !c.is_alphabetic() && !matches!(c, '[' | '*' | '_' | '`' | '"');
        if let Some(mark) = mark.filter(|mark| *mark == '+' || text.starts_with(is_number)) {
            self.line.push(mark);
            self.line.push(' ');
        }
    }

    fn as_written(&mut self, text: &str) {
        let start = self.line.len();
        self.line.push_str(text);
        self.verbatim.push(start..self.line.len());
    }

    fn mark(&mut self, mark: char, count: usize) {
        let at = self.line.len();
        self.marks.extend(std::iter::repeat_n((at, mark), count));
    }

    fn push(&mut self, tokens: Vec<Token>, governs: bool, is_block: bool) {
        if tokens.is_empty() || self.block == Block::Title {
            return;
        }
        let mut key = Xxh3Default::new();
        for token in &tokens {
            let (kind, text) = token.parts();
            key.update(&xxh3_64(text.as_bytes()).to_le_bytes());
            key.update(&[kind]);
        }
        self.wording.sentences.push(Sentence {
            key: key.digest(),
            tokens,
            governs,
            is_block,
            whole: if self.depth == 0 { 0 } else { self.wholes },
        });
    }

    /// Splits the block into sentences; each line of code is one, with its spaces.
    fn end_block(&mut self) {
        let line = std::mem::take(&mut self.line);
        if self.block == Block::Code {
            for line in line.lines() {
                self.push(vec![Token::Verbatim(line.to_owned())], false, true);
            }
            return;
        }
        let verbatim = std::mem::take(&mut self.verbatim);
        let marks = std::mem::take(&mut self.marks).into_iter();
        let mut apart: Vec<(Range<usize>, Token)> = marks
            .map(|(at, mark)| (at..at, Token::Sign(mark)))
            .collect();
        let verbatim = addresses(&line, verbatim).into_iter();
        apart.extend(verbatim.map(|span| (span.clone(), Token::Verbatim(line[span].to_owned()))));
        apart.sort_by_key(|(span, _)| (span.start, span.end));
        let first = self.wording.sentences.len();
        let mut tokens = Vec::new();
        let mut at = 0;
        for (span, token) in apart {
            if span.start > at {
                self.prose(&line, at..span.start, &mut tokens);
            }
            tokens.push(token);
            at = at.max(span.end);
        }
        self.prose(&line, at..line.len(), &mut tokens);
        let governs = self.block == Block::Heading || line.trim_end().ends_with(':');
        self.push(tokens, governs, false);
        if let Some([only]) = self.wording.sentences.get_mut(first..) {
            only.is_block = true;
        }
    }

    /// Reads prose, `line[range]`: words, and the signs with meaning between them.
    fn prose(&mut self, line: &str, range: Range<usize>, tokens: &mut Vec<Token>) {
        self.wording.has_placeholder |= is_placeholder(&line[range.clone()]);
        let mut at = range.start;
        let mut words: Vec<(String, Range<usize>)> = Vec::new();
        each_word(&line[range.clone()], |word, span| {
            words.push((
                word.to_owned(),
                span.start + range.start..span.end + range.start,
            ));
        });
        for (word, span) in words {
            self.gap(line, at..span.start, tokens);
            self.word(&word, &line[span.clone()], tokens);
            at = span.end;
        }
        self.gap(line, at..range.end, tokens);
    }

    fn gap(&mut self, line: &str, range: Range<usize>, tokens: &mut Vec<Token>) {
        for (offset, c) in line[range.clone()].char_indices() {
            let at = range.start + offset;
            if has_meaning(line, at, c) {
                tokens.push(Token::Sign(folded(c)));
            }
            if is_sentence_end(line, at, c) {
                let tokens = std::mem::take(tokens);
                self.push(tokens, false, false);
            }
        }
    }

    /// Adds a word: `word` in lower case, `written` as in the text.
    fn word(&mut self, word: &str, written: &str, tokens: &mut Vec<Token>) {
        if let Some(number) = english::number(word) {
            // The number may have a unit, whose case matters.
            let number = if number == word { written } else { number };
            tokens.push(Token::Number(number.to_owned()));
            return;
        }
        let begins = tokens.iter().all(|token| matches!(token, Token::Sign(_)));
        let mut rest = written.chars();
        let is_capital = rest.next().is_some_and(char::is_uppercase);
        let is_plain = !rest.any(char::is_uppercase);
        if !begins {
            self.inner += 1;
            self.capitals += usize::from(is_capital);
        }
        let text = if is_plain && (begins || !is_capital) {
            word.to_owned()
        } else {
            written.replace('’', "'")
        };
        match text.as_str() {
            "cannot" | "can't" => tokens.extend(["can", "not"].map(of_word)),
            "won't" => tokens.extend(["will", "not"].map(of_word)),
            "it's" => tokens.extend(["it", "is"].map(of_word)),
            _ => match text.strip_suffix("n't") {
                Some(verb) if !verb.is_empty() => tokens.extend([verb, "not"].map(of_word)),
                _ => tokens.push(Token::Word(text)),
            },
        }
    }
}

/// Returns whether prose has a template placeholder: `{{title}}`, `<% date %>`.
pub fn is_placeholder(line: &str) -> bool {
    [("{{", "}}"), ("<%", "%>")].iter().any(|(open, close)| {
        let behind = line.split_once(open).map(|(_, behind)| behind);
        behind.is_some_and(|behind| behind.contains(close))
    })
}

fn of_word(word: &str) -> Token {
    Token::Word(word.to_owned())
}

impl Token {
    fn parts(&self) -> (u8, std::borrow::Cow<'_, str>) {
        match self {
            Self::Word(text) => (0, text.into()),
            Self::Number(text) => (1, text.into()),
            Self::Sign(sign) => (2, sign.to_string().into()),
            Self::Verbatim(text) => (3, text.into()),
        }
    }
}

/// Adds the addresses in the rest of the line to the verbatim ranges.
fn addresses(line: &str, mut verbatim: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut from = 0;
    while let Some(found) = line[from..].find("://") {
        let at = from + found;
        let start = line[..at]
            .rfind(|c: char| !c.is_ascii_alphanumeric())
            .map_or(0, |before| {
                before + line[before..].chars().next().map_or(1, char::len_utf8)
            });
        let behind = line[at..]
            .find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"'))
            .map_or(line.len(), |length| at + length);
        let end = line[..behind]
            .trim_end_matches(['.', ',', ';', ':', '!', ')', ']'])
            .len()
            .max(at + 3);
        let is_free = |other: &Range<usize>| other.end <= start || end <= other.start;
        if verbatim.iter().all(is_free) {
            verbatim.push(start..end);
        }
        from = end;
    }
    verbatim.sort_by_key(|span| span.start);
    verbatim
}
