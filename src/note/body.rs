//! One pass over a note's body: headings, links, tags and block ids.
//!
//! `pulldown-cmark` says what is code, HTML, mathematics, a heading or a Markdown link. It leaves
//! holes in the text; between them wikilinks, tags and block ids are looked for byte by byte, as
//! they are no part of Markdown. A body without `[`, `#` and `^` is not parsed at all.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};

use super::links::{self, Link};
use super::markdown::DIALECT;
use super::tags;

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
pub(super) struct Outline {
    pub(super) headings: Vec<Heading>,
    pub(super) links: Vec<Link>,
    /// With `#`, as often as they stand there.
    pub(super) tags: Vec<Range<usize>>,
    pub(super) blocks: Vec<BlockId>,
}

/// What the parser says of the text between its holes.
#[derive(Default)]
struct Markup {
    /// What is read as something else: code, HTML, mathematics, Markdown links.
    holes: Vec<Range<usize>>,
    tables: Vec<Range<usize>>,
    /// Where a line ends and its paragraph goes on.
    breaks: Vec<usize>,
}

/// Images in labels of images, beyond which they are no links: each label holds all inside it, so that
/// without a limit a note takes space by the square of its length.
const MAX_NESTED_LINKS: usize = 32;

/// Scans `text[body]`; all places in the outline are those of `text`.
pub(super) fn scan(text: &str, body: Range<usize>) -> Outline {
    let markdown = &text[body.clone()];
    let mut outline = Outline::default();
    if !markdown.contains(['[', '#', '^']) && !has_underline(markdown) {
        return outline;
    }
    let mut markup = Markup::default();
    let holes = &mut markup.holes;
    // Where the links end in which the one at hand stands.
    let mut around: Vec<usize> = Vec::new();
    let mut heading: Option<Heading> = None;
    let parser = Parser::new_ext(markdown, DIALECT);
    holes.extend(
        parser
            .reference_definitions()
            .iter()
            .map(|(_, definition)| definition.span.clone()),
    );
    let mut events = parser.into_offset_iter();
    while let Some((event, span)) = events.next() {
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
                    heading.text.push_str(&piece);
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
                while around.pop_if(|end| *end <= span.start).is_some() {}
                around.push(span.end);
                if around.len() > MAX_NESTED_LINKS {
                    continue;
                }
                if !matches!(link_type, LinkType::Autolink | LinkType::Email) {
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
    between(text, &body, &markup, &mut outline);
    outline
        .links
        .sort_by_key(|link| (link.span.start, link.span.end));
    outline.tags.sort_unstable_by_key(|tag| tag.start);
    outline
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
        self.tables
            .get(next)
            .is_some_and(|table| table.contains(&at))
    }
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
    let line = rest.split('\n').next().unwrap_or(rest);
    if length == 0 || !line.get(length..)?.trim().is_empty() {
        return None;
    }
    let end = at + 1 + length;
    let line_end = at + 1 + line.len();
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
                prop_assert_eq!(link.retargeted(&text, &link.target), &text[link.place()]);
                let _ = link.retargeted(&text, "other name");
            }
        }
    }
}
