//! Extracts headings, links, tags and block ids from a note's body.
//!
//! Headings, Markdown links and HTML tags come from the [`Document`]. Its code, HTML and math are holes in the text. Wikilinks,
//! tags and block ids are not Markdown, so they are scanned byte by byte between the holes. The construct that begins
//! first wins: a `[[` in code is code, and code in a wikilink is part of the link.

use std::ops::Range;

use pulldown_cmark::LinkType;

use super::document::{Document, MarkdownNode, NodeKind, Target, WalkStep};
use super::links::{self, HtmlId, Link};
use super::tags;

/// Maximum nesting of images that become links; each holds a copy of all labels inside it.
const MAX_NESTED_LINKS: usize = 8;

/// A heading of the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Level 1 to 6.
    pub level: u8,
    /// Text without markup; wikilinks verbatim.
    pub text: String,
    /// Byte offset in the note's text.
    pub at: usize,
}

/// The id of a paragraph, list item or other block: `^id` at its end or on a line of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockId {
    /// Without `^`; compared without regard to case.
    pub id: String,
    /// Span in the note's text, including `^`.
    pub span: Range<usize>,
}

/// The elements of a body, each in document order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct BodyOutline {
    pub(crate) headings: Vec<Heading>,
    pub(crate) links: Vec<Link>,
    /// Spans including `#`, with duplicates.
    pub(crate) tags: Vec<Range<usize>>,
    pub(crate) blocks: Vec<BlockId>,
    pub(crate) html_ids: Vec<HtmlId>,
}

/// Scans `text[body]`; all spans refer to `text`. A body without `[`, `#`, `^`, `<` and underlined headings is not parsed.
pub(crate) fn scan(text: &str, body: Range<usize>) -> BodyOutline {
    let markdown = &text[body.clone()];
    if !markdown.contains(['[', '#', '^', '<']) && !has_underline(markdown) {
        return BodyOutline::default();
    }
    BodyOutline::of(&Document::of(text, body))
}

impl BodyOutline {
    pub(crate) fn of(document: &Document<'_>) -> Self {
        let mut outline = Self::default();
        let mut heading: Option<Heading> = None;
        // End offsets of the links that enclose the node.
        let mut open_links: Vec<usize> = Vec::new();
        for step in document.walk() {
            match (step, &mut heading) {
                (WalkStep::Enter(node), _) => match &node.kind {
                    NodeKind::Heading(level) => {
                        heading = Some(Heading {
                            level: *level,
                            text: String::new(),
                            at: node.span.start,
                        });
                    }
                    NodeKind::Link(target) | NodeKind::Image(target) => {
                        outline.add_link(document, node, target, &mut open_links);
                    }
                    NodeKind::Strikethrough => {
                        keep_strikethrough(document, node.span.start, &mut heading);
                    }
                    _ => {}
                },
                (WalkStep::Leave(node), _) => match &node.kind {
                    NodeKind::Heading(_) => {
                        if let Some(mut done) = heading.take() {
                            done.text.truncate(done.text.trim_end().len());
                            outline.headings.push(done);
                        }
                    }
                    NodeKind::Strikethrough => {
                        keep_strikethrough(document, node.span.end - 1, &mut heading);
                    }
                    _ => {}
                },
                (WalkStep::Leaf(node), Some(heading)) => match &node.kind {
                    NodeKind::InlineHtml(_) => {
                        let html = &document.text()[node.span.clone()];
                        outline
                            .html_ids
                            .extend(links::html_ids(html, node.span.start));
                    }
                    NodeKind::Text(content) | NodeKind::Code(content) => {
                        heading.text.push_str(document.said(content));
                    }
                    NodeKind::InlineMath(content) | NodeKind::DisplayMath(content) => {
                        let content = document.said(content).replace(['\n', '\r'], " ");
                        heading.text.push_str(&content);
                    }
                    NodeKind::SoftBreak | NodeKind::HardBreak => heading.text.push(' '),
                    _ => {}
                },
                (WalkStep::Leaf(node), None) => {
                    if matches!(node.kind, NodeKind::Html(_) | NodeKind::InlineHtml(_)) {
                        let html = &document.text()[node.span.clone()];
                        outline.links.extend(links::in_html(html, node.span.start));
                        outline
                            .html_ids
                            .extend(links::html_ids(html, node.span.start));
                    }
                }
            }
        }
        outline.scan_outside_holes(document);
        outline
            .links
            .sort_by_key(|link| (link.span.start, link.span.end));
        outline.tags.sort_unstable_by_key(|tag| tag.start);
        outline
    }

    /// Adds a Markdown link or image, and the tags in its label.
    fn add_link(
        &mut self,
        document: &Document<'_>,
        node: &MarkdownNode,
        target: &Target,
        open: &mut Vec<usize>,
    ) {
        if document.is_wikilink(target.form, &node.span) {
            return;
        }
        let span = document.link_span(target.form, &node.span);
        let embed = matches!(node.kind, NodeKind::Image(_));
        while open.pop_if(|end| *end <= span.start).is_some() {}
        open.push(span.end);
        if matches!(target.form, LinkType::Autolink | LinkType::Email)
            || open.len() > MAX_NESTED_LINKS
        {
            return;
        }
        let text = document.text();
        let address = document.said(&target.destination);
        let link = links::markdown(&text[span.clone()], span.start, address, embed);
        let definition = target.definition.as_ref().and_then(|known| {
            let place = links::definition_destination(&text[known.clone()], address)?;
            Some(known.start + place.start..known.start + place.end)
        });
        self.links
            .extend(link.map(|link| Link { definition, ..link }));
        if !embed {
            tags_of_label(text, span, &mut self.tags);
        }
    }

    /// Collects wikilinks, tags and block ids outside the holes.
    fn scan_outside_holes(&mut self, document: &Document<'_>) {
        let body = document.body();
        let markdown = &document.text()[..body.end];
        let bytes = markdown.as_bytes();
        let all_holes = document.holes();
        let mut holes = all_holes.iter().peekable();
        let spans = |is_wanted: fn(&NodeKind) -> bool| -> Vec<Range<usize>> {
            let nodes = document.nodes().iter().filter(|node| is_wanted(&node.kind));
            nodes.map(|node| node.span.clone()).collect()
        };
        let tables = spans(|kind| matches!(kind, NodeKind::Table(_)));
        // Line ends inside paragraphs.
        let breaks = spans(|kind| matches!(kind, NodeKind::SoftBreak | NodeKind::HardBreak));
        let in_table = |at: usize| {
            let next = tables.partition_point(|table| table.end <= at);
            tables.get(next).is_some_and(|table| table.start <= at)
        };
        // End of the last hole, link or tag. Text directly after it counts as the beginning of a token.
        let mut ended = body.start;
        let mut at = body.start;
        while at < bytes.len() {
            while let Some(hole) = holes.next_if(|hole| hole.start <= at) {
                at = at.max(hole.end);
                ended = at;
            }
            let found = match bytes.get(at) {
                Some(b'[') if bytes.get(at + 1) == Some(&b'[') => {
                    let is_outside_holes =
                        |link: &Link| holes.peek().is_none_or(|hole| hole.start >= link.span.end);
                    links::wikilink(markdown, at)
                        .filter(is_outside_holes)
                        .map(|link| {
                            let end = link.span.end;
                            self.links.push(link);
                            end
                        })
                }
                Some(b'#')
                    if at == ended
                        || tags::can_begin(markdown, at)
                        || bytes[at - 1] == b'|' && in_table(at) =>
                {
                    tags::inline(markdown, at).map(|end| {
                        self.tags.push(at..end);
                        let slashes = bytes[end..].iter().take_while(|byte| **byte == b'/');
                        end + slashes.count()
                    })
                }
                Some(b'^') => block_id(markdown, at, &breaks).inspect(|end| {
                    self.blocks.push(BlockId {
                        id: markdown[at + 1..*end].to_owned(),
                        span: at..*end,
                    });
                }),
                _ => None,
            };
            if let Some(end) = found {
                ended = end;
            }
            at = found.unwrap_or(at + 1);
        }
    }
}

/// Keeps the strikethrough delimiter at `at` in the text of a heading.
fn keep_strikethrough(document: &Document<'_>, at: usize, heading: &mut Option<Heading>) {
    if let Some(heading) = heading {
        let text = document.text();
        let is_double = text[at..].starts_with("~~") || text[..=at].ends_with("~~");
        heading.text.push_str(if is_double { "~~" } else { "~" });
    }
}

/// Adds the tags in the label of the Markdown link at `span`; the rest of the link is a hole.
fn tags_of_label(text: &str, span: Range<usize>, tags: &mut Vec<Range<usize>>) {
    let label = links::label(&text[span.clone()]);
    let start = span.start + label.start;
    let label = &text[start..span.start + label.end];
    for (at, _) in label.match_indices('#') {
        if tags::can_begin(label, at)
            && let Some(end) = tags::inline(label, at)
        {
            tags.push(start + at..start + end);
        }
    }
}

/// Returns the end of the block id whose `^` is at `at`. It follows whitespace, consists of letters, digits and
/// dashes, and ends the last line of its paragraph.
fn block_id(markdown: &str, at: usize, breaks: &[Range<usize>]) -> Option<usize> {
    let is_separate = markdown[..at]
        .chars()
        .next_back()
        .is_none_or(char::is_whitespace);
    if !is_separate {
        return None;
    }
    let rest = &markdown[at + 1..];
    let is_id = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let length = rest.find(|c| !is_id(c)).unwrap_or(rest.len());
    let end = at + 1 + length;
    // Not the whole line: it may contain as many `^` as blanks, which would make time quadratic.
    let after = markdown[end..].trim_start_matches(|c: char| c != '\n' && c.is_whitespace());
    if length == 0 || !(after.is_empty() || after.starts_with('\n')) {
        return None;
    }
    let line_end = markdown.len() - after.len();
    let next = breaks.partition_point(|place| place.start < end);
    let continues = breaks
        .get(next)
        .is_some_and(|place| place.start <= line_end);
    (!continues).then_some(end)
}

/// Whether a line may underline a heading: only `=` or only `-`.
fn has_underline(markdown: &str) -> bool {
    markdown.lines().any(|line| {
        let line = line.trim_start_matches([' ', '>']).trim_end();
        line.starts_with(['=', '-'])
            && (line.bytes().all(|byte| byte == b'=') || line.bytes().all(|byte| byte == b'-'))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scanned(text: &str) -> BodyOutline {
        scan(text, 0..text.len())
    }

    #[test]
    fn nested_images_have_a_depth_limit() {
        let nested = |depth: usize| "![a ".repeat(depth) + "b" + &"](x.png)".repeat(depth);
        for (depth, found) in [
            (1, 1),
            (MAX_NESTED_LINKS, MAX_NESTED_LINKS),
            (500, MAX_NESTED_LINKS),
        ] {
            let text = format!("{}\n\n{}\n[c](d.md)\n", nested(depth), nested(1));
            assert_eq!(scanned(&text).links.len(), found + 2, "{depth}");
        }
    }

    #[test]
    fn finds_headings() {
        for (text, expected) in [
            ("# A\ntext\n## B ##\n", &[(1, "A", 0), (2, "B", 9)][..]),
            ("A\n=\n\nB\n---\n", &[(1, "A", 0), (2, "B", 5)]),
            ("A *b* `c`\n> # D [[e]]\n", &[(1, "D [[e]]", 12)]),
            ("# D [[e|`f` $g$ <h>]]\n", &[(1, "D [[e|`f` $g$ <h>]]", 0)]),
            ("# *A* `b` [c](d) \\# &amp;\n", &[(1, "A b c # &", 0)]),
            ("#tag\n#\n", &[(1, "", 5)]),
            ("```\n# A\n```\n    # B\n", &[]),
            ("- a\n- b\n", &[]),
        ] {
            let outline = scanned(text);
            let found: Vec<_> = outline
                .headings
                .iter()
                .map(|h| (h.level, h.text.as_str(), h.at))
                .collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn finds_tags() {
        for (text, expected) in [
            ("#a, #b/c\n- [ ] #d\n> #e", &["a", "b/c", "d", "e"][..]),
            (
                "#a#b, #c/#d `x`#e [[X]]#f \\[#g",
                &["a", "b", "c", "d", "e", "f", "g"],
            ),
            ("|a|b|\n|-|-|\n|#c|#d e|\n", &["c", "d"]),
            ("<div>\n#a\n</div>\n\n<!-- x --> #b\n#c\n", &["c"]),
            ("# Heading #f\n## g\n", &["f"]),
            (
                "`#a` [[N#b]] [t](<x #c>) <https://x/#d> https://x/#e [#f g](<h #i>)",
                &["f"],
            ),
            (
                "```\n#a\n```\n\n    #b\n\n<!-- #c -->\nx <a href=\"x\" title=' #d'>e</a> #g",
                &["g"],
            ),
            ("| # | #a |\n|---|---|\n| #b | x#c |\n", &["a", "b"]),
            ("[r]: x.md 'a #b'\n\n#c [r]", &["c"]),
            ("#1 #1a \\#b #c", &["1a", "c"]),
            ("#a [[B]] #c [[D #e", &["a", "c", "e"]),
        ] {
            let tags: Vec<&str> = scanned(text)
                .tags
                .iter()
                .map(|tag| &text[tag.start + 1..tag.end])
                .collect();
            assert_eq!(tags, expected, "{text:?}");
        }
    }

    #[test]
    fn finds_block_ids() {
        for (text, expected) in [
            ("a ^x-1\n\nb ^Y  \r\n", &["^x-1", "^Y"][..]),
            ("a\n^x\n\n^y\n", &["^x", "^y"]),
            ("- a ^x\n  - b ^y\n- c\n  d ^z\n", &["^x", "^y", "^z"]),
            ("> [!note] a\n> b\n\n^x\n", &["^x"]),
            ("|a|\n|-|\n|b|\n^x\n", &["^x"]),
            ("# A ^x\n```\na\n```\n^y", &["^x", "^y"]),
            ("a ^x\ngoes on ^y and on\n^a_b\na^z\n[^1]\n", &[]),
            ("```\na ^x\n```\n`b ^y`\n\n    c ^z\n", &[]),
        ] {
            let blocks = scanned(text).blocks;
            let found: Vec<&str> = blocks.iter().map(|id| &text[id.span.clone()]).collect();
            assert_eq!(found, expected, "{text:?}");
            assert!(blocks.iter().all(|id| text[id.span.clone()][1..] == id.id));
        }
    }

    #[test]
    fn a_formula_has_no_headings_links_or_tags() {
        for (text, expected) in [
            ("$$\na\n=\nb\n$$\n# H\n", &["H"][..]),
            ("$$\na\n---\n\n# b #c [[d]]\n$$\n# H\n", &["H"]),
            ("> $$\n> a\n> =\n> $$\n> # H\n", &["H"]),
            ("- x\n\n  $$\n  a\n  ==\n  $$ ^id\n\n# H\n", &["H"]),
            ("$$a\n= b$$.\n\nH\n=\n", &["H"]),
            ("$$ a $$\n# H\n$$ b $$\n# I\n", &["H", "I"]),
            // An unclosed formula, or text that only looks like one, does not count.
            ("$$\n# H\n", &["H"]),
            ("$$ cheap\n\n# H\n\n$$\n", &["H"]),
            ("$$$\n# H\n$$$\n", &["H"]),
            ("```\n$$\n```\n# H\n```\n$$\n```\n", &["H"]),
            ("a $$\n# H\n$$\n", &["H"]),
        ] {
            let outline = scanned(text);
            let found: Vec<_> = outline.headings.iter().map(|h| h.text.as_str()).collect();
            assert_eq!(found, expected, "{text:?}");
            assert!(
                outline.links.is_empty() && outline.tags.is_empty(),
                "{text:?}"
            );
        }
    }

    /// A quadratic pass over any of these takes minutes.
    #[test]
    fn time_is_linear_in_length() {
        const LENGTH: usize = 100_000;
        for piece in [
            "[[a|`b`]] ",
            "[[a`]] ",
            "[[a$]] $",
            "[[a`]]\n\n",
            "[[",
            "[[a ",
            "[[[",
            "[[a|b",
            "[",
            "`[[",
            "``[[a`]]",
            "$[[",
            "$$\n",
            "$$ a\n\n",
            "\\[[",
            " ^a",
            " ^",
            "*#a",
            "|#a",
            "#a/",
            "![",
            "[[a]](b) ",
            "[a][",
            "<b [[",
            "|[[a\\|`b`]]\n",
            "- [[a`]]\n",
            "> [[a`]] `\n",
            "[[a|<b>]] <",
        ] {
            let start = std::time::Instant::now();
            let text = piece.repeat(LENGTH / piece.len());
            scanned(&format!("{text}\n$$\n[c]: d\n"));
            let taken = start.elapsed();
            assert!(taken.as_secs() < 20, "{piece:?}: {taken:?}");
        }
        let nested = format!("{}a{}", "![".repeat(20_000), "](b)".repeat(20_000));
        let start = std::time::Instant::now();
        assert!(scanned(&nested).links.len() <= MAX_NESTED_LINKS);
        assert!(start.elapsed().as_secs() < 20);
    }

    #[test]
    fn spans_refer_to_the_whole_text() {
        let text = "é\n---\n# A [[B]] [c](d.md)\n";
        let outline = scan(text, 7..text.len());
        assert_eq!(outline.headings[0].at, 7);
        let found: Vec<_> = outline
            .links
            .iter()
            .map(|link| &text[link.span.clone()])
            .collect();
        assert_eq!(found, ["[[B]]", "[c](d.md)"]);
    }

    proptest! {
        #[test]
        fn arbitrary_text_gives_valid_spans(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "[", "]", "[[", "]]", "(", ")", "](", "!", "|", "\\", "#", "^", "`", "```", "\n", "\n\n",
                    "<", ">", "<!--", "-->", "$", "$$", "a", " ", "é", "\"", "'", "%20", "%", "    ", "- ",
                    "=", "---", "[a]: ", "&amp;", "\r\n", "\t", "x.md", "https:", "_", "|-|",
                ]),
                0..40,
            ),
        ) {
            let text = pieces.concat();
            let outline = scanned(&text);
            prop_assert!(outline.tags.iter().all(|tag| text[tag.clone()].starts_with('#')));
            prop_assert!(outline.blocks.iter().all(|id| text[id.span.clone()].starts_with('^')));
            for link in &outline.links {
                prop_assert!(!link.target.is_empty() || link.part.is_some());
                let inside = |other: &&Link| other.span != link.span && link.span.contains(&other.span.start);
                let is_wiki = link.kind == links::LinkKind::Wiki;
                prop_assert!(!is_wiki || !outline.links.iter().any(|other| inside(&other)), "{text:?}");
                prop_assert_eq!(link.retargeted(&text, &link.target), &text[link.place()]);
                let _ = link.retargeted(&text, "other name");
            }
        }
    }
}
