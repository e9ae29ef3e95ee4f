//! One pass over a note's body: headings, links, tags and block ids.
//!
//! `pulldown-cmark` finds code, HTML, mathematics, headings and Markdown links. These are holes in
//! the text; between them wikilinks, tags and block ids are looked for byte by byte, as they are no
//! part of Markdown. A body without `[`, `#` and `^` is not parsed at all.
//!
//! What begins first wins: a `[[` in code is code, and code in a wikilink is part of the link. The
//! parser does not know wikilinks, so one that contains the beginning of a hole is masked and the
//! body parsed again.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};

use super::links::{self, Link};
use super::tags;
use super::{DIALECT, with_joined_formulas};

/// How often a body is parsed at most. One parse more is enough unless code or mathematics begins in
/// one wikilink and ends in another; each further parse resolves one such case per block.
const MAX_PARSES: usize = 6;

/// Nested images above this depth are not links: each would own a copy of all labels inside it.
const MAX_NESTED_LINKS: usize = 8;

/// A heading of the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text without markup; wikilinks in it as written.
    pub text: String,
    /// Where it starts in the note's text.
    pub at: usize,
}

/// A name of a paragraph, list item or other block: `^id` at its end or on a line of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockId {
    /// Without `^`; case says nothing.
    pub id: String,
    /// Where it stands in the note's text, `^` included.
    pub span: Range<usize>,
}

/// What a body holds, each in the order of the text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    pub(crate) headings: Vec<Heading>,
    pub(crate) links: Vec<Link>,
    /// With `#`, as often as they stand there.
    pub(crate) tags: Vec<Range<usize>>,
    pub(crate) blocks: Vec<BlockId>,
}

/// What the parser finds that decides how the rest of the body is read.
#[derive(Default)]
struct Markup {
    /// What is read as something else: code, HTML, mathematics, Markdown links.
    holes: Vec<Range<usize>>,
    tables: Vec<Range<usize>>,
    /// Line ends inside paragraphs.
    breaks: Vec<usize>,
    /// Starts of blocks.
    blocks: Vec<usize>,
}

/// Scans `text[body]`; all places in the outline are those of `text`.
pub(crate) fn scan(text: &str, body: Range<usize>) -> Outline {
    let markdown = &text[body.clone()];
    if !markdown.contains(['[', '#', '^']) && !has_underline(markdown) {
        return Outline::default();
    }
    let mut parsed = with_joined_formulas(markdown);
    let mut passes = 1;
    let (mut outline, markup) = loop {
        let (outline, markup) = parse(text, &body, &parsed);
        let links = markup.masking_links(markdown);
        if links.is_empty() || passes == MAX_PARSES {
            break (outline, markup);
        }
        parsed = masked(&parsed, &links).into();
        passes += 1;
    };
    between(text, &body, &markup, &mut outline);
    outline
        .links
        .sort_by_key(|link| (link.span.start, link.span.end));
    outline.tags.sort_unstable_by_key(|tag| tag.start);
    outline
}

/// Parses `parsed`, which is `text[body]` with some bytes masked.
#[expect(clippy::too_many_lines, reason = "one arm per kind of event")]
fn parse(text: &str, body: &Range<usize>, parsed: &str) -> (Outline, Markup) {
    let markdown = &text[body.clone()];
    let mut outline = Outline::default();
    let mut markup = Markup::default();
    let holes = &mut markup.holes;
    let mut heading: Option<Heading> = None;
    // Where the links end that the event is in.
    let mut open_links: Vec<usize> = Vec::new();
    let parser = Parser::new_ext(parsed, DIALECT);
    holes.extend(
        parser
            .reference_definitions()
            .iter()
            .map(|(_, definition)| definition.span.clone()),
    );
    let mut events = parser.into_offset_iter();
    while let Some((event, span)) = events.next() {
        if let Event::Start(tag) = &event
            && is_block(tag)
        {
            markup.blocks.push(span.start);
        }
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let at = body.start + span.start;
                heading = Some(Heading {
                    level: level as u8,
                    text: String::new(),
                    at,
                });
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some(mut done) = heading.take() {
                    done.text.truncate(done.text.trim_end().len());
                    outline.headings.push(done);
                }
            }
            Event::Text(piece) => {
                if let Some(heading) = &mut heading {
                    // What is masked is part of a wikilink.
                    let is_verbatim = piece.len() == span.len() && parsed[span.clone()] == *piece;
                    heading
                        .text
                        .push_str(if is_verbatim { &markdown[span] } else { &piece });
                }
            }
            Event::Code(piece) => {
                if let Some(heading) = &mut heading {
                    heading.text.push_str(&piece);
                }
                holes.push(span);
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(heading) = &mut heading {
                    heading.text.push(' ');
                }
                markup.breaks.push(span.start);
            }
            Event::Start(Tag::Table(_)) => markup.tables.push(span),
            Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) | Event::InlineHtml(_) => {
                holes.push(span);
            }
            Event::InlineMath(piece) | Event::DisplayMath(piece) => {
                if let Some(heading) = &mut heading {
                    heading.text.push_str(&piece);
                }
                // `$5 and C$7` are two sums of money.
                if !markdown[span.end..].starts_with(|c: char| c.is_ascii_digit()) {
                    holes.push(span);
                }
            }
            Event::Start(tag @ (Tag::Link { link_type, .. } | Tag::Image { link_type, .. }))
                if !is_wikilink(markdown, link_type, &span) =>
            {
                let (embed, address, id) = match tag {
                    Tag::Link { dest_url, id, .. } => (false, dest_url, id),
                    Tag::Image { dest_url, id, .. } => (true, dest_url, id),
                    _ => unreachable!("the arm takes links and images only"),
                };
                let span = with_empty_brackets(markdown, link_type, span);
                while open_links.pop_if(|end| *end <= span.start).is_some() {}
                open_links.push(span.end);
                if !matches!(link_type, LinkType::Autolink | LinkType::Email)
                    && open_links.len() <= MAX_NESTED_LINKS
                {
                    let (raw, at) = (&markdown[span.clone()], body.start + span.start);
                    let link = links::markdown(raw, at, &address, embed);
                    let known = events.reference_definitions().get(&id);
                    let known = known.filter(|_| is_by_reference(link_type));
                    let definition = known.and_then(|known| {
                        let at = body.start + known.span.start;
                        let place = links::defined(&markdown[known.span.clone()], &address)?;
                        Some(at + place.start..at + place.end)
                    });
                    outline
                        .links
                        .extend(link.map(|link| Link { definition, ..link }));
                    if !embed {
                        tags_of_label(text, at..at + raw.len(), &mut outline.tags);
                    }
                }
                holes.push(span);
            }
            _ => {}
        }
    }
    holes.sort_unstable_by_key(|hole| (hole.start, hole.end));
    (outline, markup)
}

/// Returns `parsed` without what the parser could take for markup in `links`, byte for byte.
fn masked(parsed: &str, links: &[Range<usize>]) -> String {
    let mut masked = String::with_capacity(parsed.len());
    let mut at = 0;
    for link in links {
        let inner = link.start + "[[".len()..link.end - "]]".len();
        masked.push_str(&parsed[at..inner.start]);
        // The bar of a table and its escape decide where a cell ends.
        let plain = |c| match c {
            '`' | '$' | '<' | '>' | '[' | ']' | '!' => 'x',
            c => c,
        };
        masked.extend(parsed[inner.clone()].chars().map(plain));
        at = inner.end;
    }
    masked.push_str(&parsed[at..]);
    masked
}

/// Collects what stands outside of the holes, whose places are those of the body.
fn between(text: &str, body: &Range<usize>, markup: &Markup, outline: &mut Outline) {
    let markdown = &text[body.clone()];
    let bytes = markdown.as_bytes();
    let placed = |span: Range<usize>| span.start + body.start..span.end + body.start;
    let mut holes = markup.holes.iter().peekable();
    // Where the last hole, link or tag ended: what stands right behind it is read afresh.
    let mut ended = 0;
    let mut at = 0;
    while at < bytes.len() {
        while let Some(hole) = holes.next_if(|hole| hole.start <= at) {
            at = at.max(hole.end);
            ended = at;
        }
        let found = match bytes.get(at) {
            Some(b'[') if bytes.get(at + 1) == Some(&b'[') => {
                let clear =
                    |link: &Link| holes.peek().is_none_or(|hole| hole.start >= link.span.end);
                links::wikilink(markdown, at).filter(clear).map(|mut link| {
                    let end = link.span.end;
                    link.span = placed(link.span);
                    outline.links.push(link);
                    end
                })
            }
            Some(b'#')
                if at == ended
                    || tags::is_begun(markdown, at)
                    || bytes[at - 1] == b'|' && markup.is_table(at) =>
            {
                tags::inline(markdown, at).map(|end| {
                    outline.tags.push(placed(at..end));
                    let slashes = bytes[end..].iter().take_while(|byte| **byte == b'/');
                    end + slashes.count()
                })
            }
            Some(b'^') => block_id(markdown, at, &markup.breaks).inspect(|end| {
                outline.blocks.push(BlockId {
                    id: markdown[at + 1..*end].to_owned(),
                    span: placed(at..*end),
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

impl Markup {
    fn is_table(&self, at: usize) -> bool {
        let next = self.tables.partition_point(|table| table.end <= at);
        let table = self.tables.get(next);
        table.is_some_and(|table| table.start <= at)
    }

    /// Returns the inner spans, from `[[` to `]]`, of wikilinks that a hole begins in.
    ///
    /// A hole that ends behind its wikilink makes the rest of the block doubtful: only the blocks
    /// behind it are searched.
    fn masking_links(&self, markdown: &str) -> Vec<Range<usize>> {
        let mut links = Vec::new();
        let mut holes = self.holes.iter().peekable();
        let mut at = 0;
        while let Some(length) = markdown[at..].find("[[") {
            at += length;
            // No hole is left to begin in a wikilink.
            if holes.peek().is_none() {
                break;
            }
            if let Some(hole) = holes.next_if(|hole| hole.start <= at) {
                at = at.max(hole.end);
                continue;
            }
            let Some(link) = links::wikilink(markdown, at) else {
                at += 1;
                continue;
            };
            let end = link.span.end;
            let mut inside: Option<usize> = None;
            while let Some(hole) = holes.next_if(|hole| hole.start < end) {
                inside = inside.max(Some(hole.end));
            }
            if inside.is_some() {
                links.push(at..end);
            }
            at = match inside {
                Some(inside) if inside > end => {
                    let next = self.blocks.partition_point(|block| *block < end);
                    self.blocks.get(next).map_or(markdown.len(), |next| *next)
                }
                _ => end,
            };
        }
        links
    }
}

/// Whether a tag begins a block, so that no code or mathematics reaches over its start.
fn is_block(tag: &Tag) -> bool {
    use Tag::{Emphasis, Image, Link, Strikethrough, Strong, Subscript, Superscript};
    !matches!(
        tag,
        Emphasis | Strong | Strikethrough | Superscript | Subscript | Link { .. } | Image { .. }
    )
}

/// Adds the tags in the label of the Markdown link at `span`, the rest of which is a hole.
fn tags_of_label(text: &str, span: Range<usize>, tags: &mut Vec<Range<usize>>) {
    let label = links::label(&text[span.clone()]);
    let start = span.start + label.start;
    let label = &text[start..span.start + label.end];
    for (at, _) in label.match_indices('#') {
        if tags::is_begun(label, at)
            && let Some(end) = tags::inline(label, at)
        {
            tags.push(start + at..start + end);
        }
    }
}

/// Returns where the block id ends whose `^` stands at `at`: a blank before it, letters, digits and
/// dashes to the end of the line, and no more lines of its paragraph.
fn block_id(markdown: &str, at: usize, breaks: &[usize]) -> Option<usize> {
    let begun = markdown[..at]
        .chars()
        .next_back()
        .is_none_or(char::is_whitespace);
    if !begun {
        return None;
    }
    let rest = &markdown[at + 1..];
    let is_id = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let length = rest.find(|c| !is_id(c)).unwrap_or(rest.len());
    let end = at + 1 + length;
    // Not the whole line: it may have as many `^` as blanks.
    let behind = markdown[end..].trim_start_matches(|c: char| c != '\n' && c.is_whitespace());
    if length == 0 || !(behind.is_empty() || behind.starts_with('\n')) {
        return None;
    }
    let line_end = markdown.len() - behind.len();
    let next = breaks.partition_point(|place| *place < end);
    let goes_on = breaks.get(next).is_some_and(|place| *place <= line_end);
    (!goes_on).then_some(end)
}

/// Whether the parser took the inner brackets of `[[a]]` for a link by reference.
fn is_wikilink(markdown: &str, link_type: LinkType, span: &Range<usize>) -> bool {
    is_by_reference(link_type)
        && markdown[..span.start].ends_with('[')
        && markdown[span.end..].starts_with(']')
}

/// Returns where all of `[label][]` stands: the parser leaves the empty brackets out.
fn with_empty_brackets(markdown: &str, link_type: LinkType, span: Range<usize>) -> Range<usize> {
    let is_cut = link_type == LinkType::Collapsed && !markdown[..span.end].ends_with("[]");
    let cut = is_cut && markdown[span.end..].starts_with("[]");
    span.start..span.end + if cut { "[]".len() } else { 0 }
}

fn is_by_reference(link_type: LinkType) -> bool {
    use LinkType::{Collapsed, Reference, Shortcut};
    matches!(link_type, Reference | Collapsed | Shortcut)
}

/// Whether some line may underline a heading: only `=` or only `-`.
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

    fn scanned(text: &str) -> Outline {
        scan(text, 0..text.len())
    }

    #[test]
    fn labels_of_nested_images_are_kept_to_a_certain_depth() {
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
            let tags = scanned(text).tags;
            let tags: Vec<&str> = tags
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
            // What has no end, or only looks like a formula, is none.
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
    fn places_are_those_of_the_whole_text() {
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
        fn survives_anything_and_spans_fit(
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
