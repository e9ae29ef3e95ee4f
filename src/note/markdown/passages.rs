//! Splits a note into passages, which are embedded separately.
//!
//! One vector represents a long note poorly. A body is split at headings, then at paragraphs, list items, table rows
//! and code blocks, and finally at sentence ends. Small neighbours under one heading are joined, and so are small
//! sections. The cache stores one vector per passage; `recall` shows the line and heading of the best one.
//!
//! Passages are in document order, do not overlap and cover all words of the prose. Only the beginning of a code
//! block is read, so that it cannot outweigh the prose. Front matter, comments, HTML tags, link addresses and the
//! markers of footnotes, callouts and blocks are omitted. Time and memory are linear in the length of the text.

mod blocks;
mod plain;
mod size;

use std::ops::Range;

use self::blocks::{PassageBlock, PassageDocument};
pub(super) use self::plain::without_block_id;
use super::{document, listing};
use crate::note::Note;

/// Target tokens when blocks of one section are joined.
const TARGET_BLOCK_TOKENS: usize = 220;
/// Maximum tokens of a passage's body, except in notes that exceed [`MAX_PASSAGES`].
const MAX_PASSAGE_TOKENS: usize = 300;
/// Minimum tokens of the last passage of a section; a smaller one joins the one before it.
const MIN_LAST_PASSAGE_TOKENS: usize = 60;
/// Target tokens when sections are joined.
const TARGET_SECTION_TOKENS: usize = 120;
/// Maximum passages of a note; a longer note gets larger passages.
const MAX_PASSAGES: usize = 256;
/// Maximum tokens read of a title.
const MAX_TITLE_TOKENS: usize = 60;
/// Maximum tokens read of aliases and tags.
const MAX_NAMES_TOKENS: usize = 60;

/// The position of a passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassagePosition {
    /// Span in the note's text; the whole body if it has no words.
    pub span: Range<usize>,
    /// Enclosing headings, outermost first: `Plans > May`. Empty if there are none.
    pub heading: String,
}

/// Returns the texts to embed, at least one: plain text with the names of the note and the headings. `document` is
/// the body of `note` with generated lists blanked.
pub fn passages(document: &document::Document<'_>, note: &Note) -> Vec<String> {
    let document = blocks::document(document, TARGET_BLOCK_TOKENS);
    let title = size::clipped(&note.title, MAX_TITLE_TOKENS);
    let all_names = [&note.aliases[..], &note.tags].concat().join(" ");
    let names = size::clipped(&all_names, MAX_NAMES_TOKENS);
    let groups = groups(&document);
    if groups.is_empty() {
        return vec![embedding_text(title, names, &[], "")];
    }
    let text = |group: &Group| {
        let blocks = &document.blocks[group.blocks.clone()];
        let section = document.common_section(blocks);
        let mut body = String::new();
        for block in blocks {
            let is_enclosing_heading =
                block.is_heading && document.is_within(section, block.section);
            let plain = document.plain[block.plain.clone()].trim();
            if !is_enclosing_heading && !plain.is_empty() {
                body.push_str(if body.is_empty() { "" } else { "\n" });
                body.push_str(plain);
            }
        }
        embedding_text(title, names, &document.path_to(section), &body)
    };
    groups.iter().map(text).collect()
}

/// Returns the positions of the [`passages`] of a note whose `body` is this range of `text`, in the same order.
pub fn positions(text: &str, body: Range<usize>) -> Vec<PassagePosition> {
    let text = listing::blanked(text);
    let document = blocks::document(
        &document::Document::of(&text, body.clone()),
        TARGET_BLOCK_TOKENS,
    );
    let place = |group: &Group| {
        let blocks = &document.blocks[group.blocks.clone()];
        let headings = document.path_to(document.common_section(blocks));
        PassagePosition {
            span: blocks[0].span.start..blocks[blocks.len() - 1].span.end,
            heading: headings.join(" > "),
        }
    };
    let places: Vec<PassagePosition> = groups(&document).iter().map(place).collect();
    if places.is_empty() {
        let heading = String::new();
        return vec![PassagePosition {
            span: body,
            heading,
        }];
    }
    places
}

/// Composes the text that is embedded for a passage.
///
/// Names matter as much as words. Tags and aliases raise semantic recall at 10 from .535 to .578 on conversations
/// tagged by speaker (`LoCoMo`), and from .782 to .831 on a garden. The note's date adds nothing,
/// whether or not the title contains it.
fn embedding_text(title: &str, names: &str, headings: &[&str], body: &str) -> String {
    let headings = headings.iter().filter(|heading| **heading != title);
    let lines = [title, names].into_iter().chain(headings.copied());
    let mut text = String::with_capacity(title.len() + names.len() + body.len() + 64);
    for line in lines.chain([body]).filter(|line| !line.is_empty()) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
    }
    text
}

/// Adjacent blocks that form one passage.
#[derive(Debug)]
struct Group {
    blocks: Range<usize>,
    size: usize,
}

impl Group {
    fn join(&mut self, next: &Self) {
        self.blocks.end = next.blocks.end;
        self.size += next.size;
    }
}

fn groups(document: &PassageDocument) -> Vec<Group> {
    let joined = joined(join_within_sections(document), |last, next| {
        let only_headings = document.blocks[last.blocks.clone()]
            .iter()
            .all(|block| block.is_heading);
        let max_tokens = if only_headings {
            MAX_PASSAGE_TOKENS
        } else {
            TARGET_SECTION_TOKENS
        };
        last.size + next.size <= max_tokens
    });
    if joined.len() <= MAX_PASSAGES {
        return joined;
    }
    // Any two neighbours of the result exceed `room`, which bounds the number of passages.
    let total: usize = joined.iter().map(|group| group.size).sum();
    let room = 2 * total / (MAX_PASSAGES - 1) + 1;
    self::joined(joined, |last, next| last.size + next.size <= room)
}

/// Joins the blocks of each section.
fn join_within_sections(document: &PassageDocument) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (at, block) in document.blocks.iter().enumerate() {
        let next = Group {
            blocks: at..at + 1,
            size: block.size,
        };
        match groups.last_mut() {
            Some(last) if !block.is_heading && last.size + next.size <= TARGET_BLOCK_TOKENS => {
                last.join(&next);
            }
            _ => {
                join_rest(&mut groups, document);
                groups.push(next);
            }
        }
    }
    join_rest(&mut groups, document);
    groups
}

/// Joins the last group with the one before it if it is small and in the same section.
fn join_rest(groups: &mut Vec<Group>, document: &PassageDocument) {
    if let [.., before, last] = groups.as_mut_slice()
        && last.size < MIN_LAST_PASSAGE_TOKENS
        && before.size + last.size <= MAX_PASSAGE_TOKENS
        && document.section_at(before) == document.section_at(last)
    {
        before.join(last);
        groups.pop();
    }
}

/// Joins each group with its successor while `fit` returns true.
fn joined(groups: Vec<Group>, fit: impl Fn(&Group, &Group) -> bool) -> Vec<Group> {
    let mut joined: Vec<Group> = Vec::with_capacity(groups.len());
    for next in groups {
        match joined.last_mut() {
            Some(last) if fit(last, &next) => last.join(&next),
            _ => joined.push(next),
        }
    }
    joined
}

impl PassageDocument {
    /// Returns the section of a group's first block.
    fn section_at(&self, group: &Group) -> usize {
        self.blocks[group.blocks.start].section
    }

    /// Returns the innermost section that contains all of `blocks`; enclosing headings count as inside.
    fn common_section(&self, blocks: &[PassageBlock]) -> usize {
        let prose = blocks.iter().filter(|block| !block.is_heading);
        let mut common = prose
            .map(|block| block.section)
            .reduce(|a, b| self.common(a, b))
            .unwrap_or(blocks[0].section);
        for heading in blocks.iter().filter(|block| block.is_heading) {
            if !self.is_within(common, heading.section) {
                common = self.common(common, heading.section);
            }
        }
        common
    }

    fn common(&self, mut a: usize, mut b: usize) -> usize {
        // A section has a higher index than its ancestors.
        while a != b {
            if a > b {
                a = self.sections[a].parent;
            } else {
                b = self.sections[b].parent;
            }
        }
        a
    }

    /// Returns whether `section` is `outer` or inside it.
    fn is_within(&self, mut section: usize, outer: usize) -> bool {
        while section > outer {
            section = self.sections[section].parent;
        }
        section == outer
    }

    /// Returns the titles of the ancestors of `section` and its own.
    fn path_to(&self, mut section: usize) -> Vec<&str> {
        let mut path = Vec::new();
        while section > 0 {
            let title = &*self.sections[section].title;
            if !title.is_empty() {
                path.push(title);
            }
            section = self.sections[section].parent;
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::*;
    use crate::note::read;

    #[derive(Debug)]
    struct Passage {
        span: Range<usize>,
        heading: String,
        text: String,
    }

    fn of(text: &str) -> Vec<Passage> {
        let text = listing::blanked(text);
        let note = read(&text, "Stem");
        let texts = passages(&document::Document::of_note(&text), &note);
        let places = positions(&text, note.body);
        assert_eq!(texts.len(), places.len());
        let passages =
            places
                .into_iter()
                .zip(texts)
                .map(|(PassagePosition { span, heading }, text)| Passage {
                    span,
                    heading,
                    text,
                });
        passages.collect()
    }

    fn words(count: usize, word: &str) -> String {
        [word].repeat(count).join(" ")
    }

    #[test]
    fn passages_contain_rendered_text() {
        for (text, expected) in [
            ("---\ntitle: T\ntags: [x, y]\n---\nBody.\n", "T\nx y\nBody."),
            ("a *b* __c__ ~~d~~ `e`\nf\n", "Stem\na b c d e f"),
            ("# Stem\na\n", "Stem\na"),
            ("# H\na\n", "H\na"),
            ("intro\n\n# H\na\n\n## I\nb\n", "H\nintro\nH\na\nI\nb"),
            (
                "see [[x/Tea|tea]], [[x/Cup]], [pot](pot.md) and ![a pan](p.png)\n",
                "Stem\nsee tea, Cup, pot and a pan",
            ),
            ("- [ ] a\n- [x] b\n  - [-] c ^id\n", "Stem\na\nb\nc"),
            (
                "|A|B|\n|-|-|\n|a [[N\\|n]]|b|\n|c|d|\n",
                "Stem\nA B\na n b\nc d",
            ),
            ("a <b>b</b><br>c <!-- d -->\n", "Stem\na  b  c"),
            (
                "<details open>\n<summary>A < B</summary>\nc <!-- d\ne --> f\n</details>\n\ng\n",
                "Stem\nA < B\nc  f\ng",
            ),
            ("<style>\np {}\n</style>\n", "Stem"),
            (
                "> [!note]- A callout\n> its text\n",
                "Stem\nA callout its text",
            ),
            ("a[^1] b\n\n[^1]: the foot\n", "Stem\na b\nthe foot"),
            ("[r]: https://a.b\n\nsee [r]\n", "Stem\nsee r"),
            ("<https://a.b/some-page>\n", "Stem\na.b some page"),
            ("```rust\nlet x = 1;\n```\n", "Stem\nlet x = 1;"),
            ("---\naliases: [A, B]\ntags: t\n---\n \n", "Stem\nA B t"),
            ("", "Stem"),
        ] {
            let texts: Vec<String> = of(text).into_iter().map(|passage| passage.text).collect();
            assert_eq!(texts, [expected], "{text:?}");
        }
    }

    #[test]
    fn passages_contain_names_and_headings() {
        let text = format!(
            "---\ntitle: Plans\naliases: [Aims, Goals]\ntags: year\n---\n# Plans\n{}\n## May\n### [[x/First|First]] week\n{}\n",
            words(150, "a"),
            words(150, "b")
        );
        let found = of(&text);
        let [first, second] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!(first.heading, "Plans");
        assert!(
            first.text.starts_with("Plans\nAims Goals year\na a"),
            "{first:?}"
        );
        assert_eq!(second.heading, "Plans > May > First week");
        assert!(
            second
                .text
                .starts_with("Plans\nAims Goals year\nMay\nFirst week\nb b"),
            "{second:?}"
        );
        assert!(text[second.span.clone()].starts_with("## May\n### [[x/First|"));
    }

    #[test]
    fn cuts_and_joins() {
        let item = |word: &str| format!("- {}\n", words(30, word));
        for (name, text, expected) in [
            ("one short section", "a\n\nb\n\n- c\n".to_owned(), 1),
            ("small sections", "# A\na\n# B\nb\n# C\nc\n".to_owned(), 1),
            (
                "large sections",
                format!("# A\n{}\n# B\n{}\n", words(100, "a"), words(100, "b")),
                2,
            ),
            ("list", (0..14).map(|_| item("a")).collect(), 2),
            (
                "a small rest",
                format!("{}\n\n{}\n", words(210, "a"), words(50, "b")),
                1,
            ),
            (
                "a large rest",
                format!("{}\n\n{}\n", words(210, "a"), words(90, "b")),
                2,
            ),
            ("sentences", words(100, "a b c d e."), 3),
            (
                "code",
                format!("a\n```\n{}```\nb\n", "let x = 1;\n".repeat(5000)),
                1,
            ),
            ("headings only", "# A\n".repeat(100), 1),
        ] {
            let found = of(&text);
            assert_eq!(found.len(), expected, "{name}: {found:?}");
        }
    }

    #[test]
    fn long_notes_have_a_limited_number_of_passages() {
        let mut text = String::new();
        for number in 0..5000 {
            let _ = write!(text, "# Section {number}\n{}\n", words(150, "a"));
        }
        let found = of(&text);
        assert!(
            (129..=MAX_PASSAGES).contains(&found.len()),
            "{}",
            found.len()
        );
        assert!(found.last().unwrap().text.contains("Section 4999"));
    }

    #[test]
    fn long_lists_are_cut_between_items() {
        let mut text = String::new();
        for number in 0..40 {
            let _ = writeln!(text, "- item{number} {}", words(20, "é"));
        }
        let found = of(&text);
        assert!(found.len() > 2);
        for passage in &found {
            let source = &text[passage.span.clone()];
            let first = passage.text.split(['\n', ' ']).nth(1).unwrap();
            assert!(
                source.trim_start_matches("- ").starts_with(first),
                "{source} {first}"
            );
        }
    }

    #[derive(Clone, Debug)]
    enum Part {
        Heading(usize, usize),
        Paragraph(usize),
        Items(usize),
        Row(usize),
        Quote(usize),
    }

    fn part() -> impl Strategy<Value = Part> {
        prop_oneof![
            (1_usize..7, 1_usize..4).prop_map(|(level, words)| Part::Heading(level, words)),
            (1_usize..700).prop_map(Part::Paragraph),
            (1_usize..60).prop_map(Part::Items),
            (1_usize..10).prop_map(Part::Row),
            (1_usize..90).prop_map(Part::Quote),
        ]
    }

    /// Builds a note from `parts` in which every word is unique.
    fn note_of(parts: &[Part], wrap: &[&str]) -> (String, usize) {
        let mut count = 0;
        let mut word = || {
            count += 1;
            let (before, after) = wrap[count % wrap.len()].split_once('w').unwrap();
            format!("{before}w{count}w{after}")
        };
        let mut text = String::new();
        for part in parts {
            match *part {
                Part::Heading(level, words) => {
                    let _ = write!(text, "{} ", "#".repeat(level));
                    (0..words).for_each(|_| text.push_str(&(word() + " ")));
                }
                Part::Paragraph(words) => {
                    for at in 0..words {
                        text.push_str(&word());
                        text.push_str(if at % 13 == 12 { ". " } else { " " });
                    }
                }
                Part::Items(items) => {
                    for at in 0..items {
                        let _ = writeln!(text, "{}- {}", "  ".repeat(at % 2), word());
                    }
                }
                Part::Row(rows) => {
                    text.push_str("|h|h|\n|-|-|\n");
                    for _ in 0..rows {
                        let _ = writeln!(text, "|{}|{}|", word(), word());
                    }
                }
                Part::Quote(words) => {
                    text.push_str("> ");
                    (0..words).for_each(|_| text.push_str(&(word() + " ")));
                }
            }
            text.push_str("\n\n");
        }
        (text, count)
    }

    fn check(text: &str, passages: &[Passage]) -> Result<(), TestCaseError> {
        let note = read(text, "Stem");
        let mut end = note.body.start;
        for passage in passages {
            prop_assert!(passage.span.start >= end, "{:?}", passage.span);
            prop_assert!(passage.span.end <= note.body.end);
            prop_assert!(text.get(passage.span.clone()).is_some());
            end = passage.span.end;
            let max_tokens = MAX_PASSAGE_TOKENS + MAX_TITLE_TOKENS + MAX_NAMES_TOKENS + 6 * 40;
            prop_assert!(
                passages.len() > 100 || size::size(&passage.text) <= max_tokens,
                "{}",
                passage.text
            );
        }
        prop_assert!((1..=MAX_PASSAGES).contains(&passages.len()));
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_word_is_in_one_passage(parts in prop::collection::vec(part(), 0..12)) {
            let (text, count) = note_of(&parts, &["w", "*w*", "[w](x.md)", "[[x/w]]", "**w**,", "`w`", "<b>w</b>", "éw"]);
            let found = of(&text);
            check(&text, &found)?;
            for number in 1..=count {
                let word = format!("w{number}w");
                let containing: Vec<_> = found.iter().filter(|passage| passage.text.contains(&word)).collect();
                prop_assert!(!containing.is_empty(), "{} in {:?}", word, found);
                prop_assert!(found.iter().any(|passage| text[passage.span.clone()].contains(&word)));
            }
        }

        #[test]
        fn arbitrary_text_has_passages(text in "([#>|`*_~$%<\\[\\](!^:.\\-\n\t 1aé、日]|---\n|```\n|\\[\\[|https://|<!--|-->|\\[\\^1\\]|&amp;){0,200}") {
            check(&text, &of(&text))?;
        }
    }
}
