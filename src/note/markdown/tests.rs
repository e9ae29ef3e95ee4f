//! Tests that all readers agree on what is code, a heading, a list item or a link.
//!
//! The generated texts contain constructs that hand-written readers misread: fences of both signs and any length,
//! indented code, quotes, callouts, tables, underlined headings, HTML, comments, marked blocks, wikilinks with code
//! or math, tasks, footnotes. `MEM_TEXTS` sets the number of texts. A failure is printed with one of its texts. 1,000
//! texts take about one second on one core.

use std::collections::BTreeMap;
use std::ops::Range;

use super::body::BodyOutline;
use super::content_spans::each_content_span;
use super::document::{Document, NodeKind};
use super::passages::positions;
use super::prose::prose;
use super::tasks::tasks;
use super::{marks, sections, sentences};
use crate::note::read;
use crate::note::words::segments::each_segment;

/// Texts per run of the suite.
const DEFAULT_TEXTS: u64 = 1500;

/// Texts that some reader misread before all readers shared a [`Document`].
const CASES: [&str; 12] = [
    // Sentences and stated parts: a heading that does not begin its line.
    "> - # Word1x\n",
    "> # Word1x is so.\n",
    // The same: an underlined heading.
    "Word1x is so.\n===\n",
    // Segments, sentences, claims: three ticks that close on their line open no block.
    "```Word1x``` Word2x\nWord3x is so.\n",
    // Sentences, claims, statements, parts of a rewritten text: three ticks do not close four.
    "````\n```\n# Word1x\n````\nWord2x is so.\n",
    // Parts of a rewritten text: tildes do not close ticks.
    "```\n~~~\nWord1x is so.\n```\nWord2x is so.\n",
    // All of them: a fence with text after it closes nothing.
    "```\nWord1x\n``` Word2x\nWord3x is so.\n```\n",
    // All of them: a fence in an item ends with the item.
    "- ```\n  Word1x\n\nWord2x is so.\n",
    // All of them: indented code, and an indented line that continues a paragraph.
    "Word1x\n\n    Word2x is so.\n",
    "Word1x\n    Word2x is so.\n",
    // Content words: a fence of tildes, and ticks in it.
    "~~~\n`Word1x\n~~~\nWord2x is so.\n",
    // Sections, labels, wording: a formula with a line of `=`, code in a wikilink.
    "$$\nWord1x\n=\n# Word2x\n$$\n[[Word3x|`Word4x]] Word5x `\n",
];

/// A deterministic generator of texts, seeded by a number.
pub(crate) struct Texts {
    state: u64,
    words: usize,
}

impl Texts {
    /// Returns the known cases and `MEM_TEXTS` generated texts.
    pub(crate) fn all() -> impl Iterator<Item = String> {
        let wanted = std::env::var("MEM_TEXTS").ok();
        let count = wanted.and_then(|count| count.parse().ok());
        let cases = CASES.iter().map(|case| (*case).to_owned());
        cases.chain((0..count.unwrap_or(DEFAULT_TEXTS)).map(Self::text))
    }

    fn text(number: u64) -> String {
        let mut texts = Self {
            state: number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678,
            words: 0,
        };
        // Keeps a rule from starting front matter.
        let mut text = "Begun.\n\n".to_owned();
        for _ in 0..2 + texts.below(5) {
            let prefix = ["", "", "", "> ", "- ", "1. ", "> - ", "- > "][texts.below(8)];
            let block = texts.block();
            let below: String = prefix
                .chars()
                .map(|c| if c == '>' { '>' } else { ' ' })
                .collect();
            for (at, line) in block.lines().enumerate() {
                text.push_str(if at == 0 { prefix } else { &below });
                text.push_str(line);
                text.push('\n');
            }
            text.push_str(["\n", "\n", ""][texts.below(3)]);
        }
        text
    }

    fn below(&mut self, most: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % most as u64) as usize
    }

    /// Returns a word that is unique in the text.
    fn word(&mut self) -> String {
        self.words += 1;
        format!("Word{}x", self.words)
    }

    fn inline(&mut self) -> String {
        let [a, b] = [self.word(), self.word()];
        match self.below(14) {
            0 => format!("`{a}` {b}"),
            1 => format!("[[{a}|`{b}`]]"),
            2 => format!("[[{a}#$x$ {b}]]"),
            3 => format!("**{a}** {b}."),
            4 => format!("[{a}]({b}.md)"),
            5 => format!("```{a}``` {b}"),
            6 => format!("$x_{a}$ {b}"),
            7 => format!("<b>{a}</b> {b}"),
            8 => format!("%%{a}%% {b}"),
            9 => format!("{a} #tag {b} ^id-1"),
            10 => format!("![[{a}]] `` ` [[{b}]] ``"),
            11 => format!("{a} \\# {b} [^1]"),
            _ => format!("{a} is {b}."),
        }
    }

    fn block(&mut self) -> String {
        let [a, b] = [self.inline(), self.inline()];
        let sign = ["`", "~"][self.below(2)].repeat(3 + self.below(3));
        let other = ["```", "~~~", "````", "~~~~~"][self.below(4)];
        match self.below(24) {
            0 => format!("# {a}"),
            1 => format!("### {a} ###\n{b}"),
            2 => format!("{a}\n==="),
            3 => format!("{a}\n{b}\n---"),
            4 => format!("{sign}rust\n{a}\n{other}\n# {b}\n{sign}"),
            5 => format!("{sign}\n{a}\n{sign} {b}\n\n- {b}\n{sign}{sign}"),
            6 => format!("{sign}\n{a}\n\n    {b}\n"),
            7 => format!("    {a}\n    # {b}\n\n    - [ ] {a}"),
            8 => format!("\t{a}\n\t```\n\t{b}"),
            9 => format!("> [!note] {a}\n> # {b}\n> ```\n> {a}\n> ```"),
            10 => format!("| {a} | b |\n|---|---|\n| {b} | `c` |"),
            11 => format!("{a} | b\n--|--\n{b} | c"),
            12 => format!("<div>\n{a}\n# {b}\n</div>"),
            13 => format!("<!-- {a}\n# {b}\n-->"),
            14 => format!("%%\n{a}\n# {b}\n%%"),
            15 => format!("<!-- mem list tag:x -->\n- {a}\n<!-- /mem -->"),
            16 => format!("```\n<!-- mem list tag:x -->\n- {a}\n<!-- /mem -->\n```"),
            17 => format!("- [ ] {a}\n  - [x] {b}\n    ```\n    - [ ] {a}\n    ```"),
            18 => format!("[^1]: {a}\n    {b}\n\n[id]: {}.md", self.word()),
            19 => format!("$$\n{a}\n=\n# {b}\n$$"),
            20 => format!("1789. {a}\n- {b}\n\n      {a}"),
            21 => format!("---\n{a}\n***"),
            22 => format!("  {sign}\n  {a}\n  {sign}\n{b}"),
            _ => format!("{a}\n{b}\n{a}"),
        }
    }
}

/// The expected spans that readers must agree on.
pub(crate) struct Truth {
    pub(crate) code: Vec<Range<usize>>,
    pub(crate) headings: Vec<Range<usize>>,
    tables: Vec<Range<usize>>,
    html: Vec<Range<usize>>,
    code_in_lines: Vec<Range<usize>>,
    tasks: Vec<usize>,
    /// Running text of paragraphs and items.
    texts: Vec<Range<usize>>,
}

impl Truth {
    pub(crate) fn of(document: &Document<'_>) -> Self {
        let spans = |is_wanted: &dyn Fn(&NodeKind) -> bool| -> Vec<Range<usize>> {
            let nodes = document.nodes().iter().filter(|node| is_wanted(&node.kind));
            nodes.map(|node| node.span.clone()).collect()
        };
        let mut truth = Self {
            code: spans(&|kind| matches!(kind, NodeKind::CodeBlock(_))),
            headings: spans(&|kind| matches!(kind, NodeKind::Heading(_))),
            tables: spans(&|kind| matches!(kind, NodeKind::Table(_))),
            html: spans(&|kind| matches!(kind, NodeKind::HtmlBlock)),
            code_in_lines: spans(&|kind| matches!(kind, NodeKind::Code(_))),
            tasks: spans(&|kind| matches!(kind, NodeKind::TaskMark(_)))
                .into_iter()
                .map(|span| span.start + document.text()[span].find('[').unwrap_or(0))
                .collect(),
            texts: spans(&|kind| matches!(kind, NodeKind::Text(_))),
        };
        let others = [&truth.code, &truth.headings, &truth.tables, &truth.html].map(Clone::clone);
        truth
            .texts
            .retain(|text| others.iter().all(|spans| !meets(spans, text)));
        truth
    }
}

/// Returns whether `span` overlaps one of `spans`.
pub(crate) fn meets(spans: &[Range<usize>], span: &Range<usize>) -> bool {
    spans
        .iter()
        .any(|other| other.start < span.end && span.start < other.end)
}

fn has_word(text: &str) -> bool {
    text.contains("Word")
}

/// Returns the readers that misread `text`, with the reason.
fn misreadings(text: &str) -> Vec<(&'static str, String)> {
    let document = Document::of_body(text);
    let truth = Truth::of(&document);
    let note = read(text, "stem");
    let mut wrong: Vec<(&'static str, String)> = Vec::new();
    let mut check = |reader, spans: &[Range<usize>], holes: &[&[Range<usize>]]| {
        for span in spans {
            if has_word(&text[span.clone()]) && holes.iter().any(|holes| meets(holes, span)) {
                wrong.push((reader, text[span.clone()].to_owned()));
            }
        }
    };
    let outline = BodyOutline::of(&document);
    let links: Vec<_> = outline.links.iter().map(|link| link.span.clone()).collect();
    check(
        "links",
        &links,
        &[&truth.code, &truth.code_in_lines, &truth.html],
    );
    let links: Vec<_> = note.links.iter().map(|link| link.span.clone()).collect();
    check("note", &links, &[&truth.code, &truth.code_in_lines]);
    check(
        "prose",
        &prose(&document, &note.links),
        &[
            &truth.code,
            &truth.headings,
            &truth.tables,
            &truth.html,
            &truth.code_in_lines,
        ],
    );
    let all = sentences::sentences(text, 0..text.len());
    check("sentences", &all, &[&truth.code, &truth.headings]);
    let mut stated = Vec::new();
    each_content_span(&document, |span| stated.push(span));
    check("stated", &stated, &[&truth.headings]);
    let blocks: Vec<_> = marks::marked_blocks(text)
        .iter()
        .map(|block| block.command.clone())
        .collect();
    for block in blocks {
        if meets(&truth.code, &block) {
            wrong.push(("marks", text[block].to_owned()));
        }
    }
    for span in &truth.texts {
        let is_in = |spans: &[Range<usize>]| meets(spans, span);
        if has_word(&text[span.clone()]) && !is_in(&all) {
            wrong.push(("sentences miss", text[span.clone()].to_owned()));
        }
    }
    let found: Vec<usize> = tasks(text, 0)
        .iter()
        .map(|task| task.mark.start - 1)
        .collect();
    if found != truth.tasks {
        wrong.push(("tasks", format!("{found:?} {:?}", truth.tasks)));
    }
    let headings: Vec<usize> = outline.headings.iter().map(|heading| heading.at).collect();
    let there: Vec<usize> = truth.headings.iter().map(|heading| heading.start).collect();
    if headings != there {
        wrong.push(("headings", format!("{headings:?} {there:?}")));
    }
    for block in sections::read(text)
        .all
        .iter()
        .flat_map(|section| &section.blocks)
    {
        for code in &truth.code {
            let end = code.start + text[code.clone()].trim_end().len();
            let is_split = code.start < block.span.end
                && block.span.start < end
                && !(block.span.start <= code.start && end <= block.span.end);
            if is_split {
                wrong.push(("sections", text[block.span.clone()].to_owned()));
            }
        }
    }
    for place in positions(text, 0..text.len()) {
        let steps = place.heading.split(" > ").flat_map(str::split_whitespace);
        for word in steps.filter(|word| word.starts_with("Word")) {
            let contains_word = |heading: &Range<usize>| text[heading.clone()].contains(word);
            if !truth.headings.iter().any(contains_word) {
                wrong.push(("passages", place.heading.clone()));
            }
        }
    }
    let mut segments = Vec::new();
    each_segment(text, |span, _| segments.push(span));
    for span in truth
        .texts
        .iter()
        .filter(|span| has_word(&text[(*span).clone()]))
    {
        if !meets(&segments, span) {
            wrong.push(("segments", text[span.clone()].to_owned()));
        }
    }
    wrong
}

#[test]
fn readers_agree_on_code_headings_items_and_links() {
    let mut failures: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    for text in Texts::all() {
        for (reader, what) in misreadings(&text) {
            let found = format!("{what:?} in {text:?}");
            let known = failures.entry(reader).or_insert((0, found.clone()));
            known.0 += 1;
            if found.len() < known.1.len() {
                known.1 = found;
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
