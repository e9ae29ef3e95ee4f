//! One pass over a note's body: headings, links and tags.
//!
//! `pulldown-cmark` says what is code, HTML, mathematics, a heading or a Markdown link. It leaves
//! holes in the text; between them wikilinks and tags are looked for byte by byte, as they are
//! no part of Markdown. A body without `[` and `#` is not parsed at all.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use super::links::{self, Link};
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

/// What a body holds, each in the order of the text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outline {
    pub(super) headings: Vec<Heading>,
    pub(super) links: Vec<Link>,
    /// Without `#`, as often as they stand there.
    pub(super) tags: Vec<String>,
}

/// Scans `text[body]`; all places in the outline are those of `text`.
pub(super) fn scan(text: &str, body: Range<usize>) -> Outline {
    let markdown = &text[body.clone()];
    let mut outline = Outline::default();
    if !markdown.contains(['[', '#']) && !has_underline(markdown) {
        return outline;
    }
    let mut holes = Vec::new();
    let mut heading: Option<Heading> = None;
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_MATH;
    let parser = Parser::new_ext(markdown, options);
    holes.extend(
        parser
            .reference_definitions()
            .iter()
            .map(|(_, definition)| definition.span.clone()),
    );
    for (event, span) in parser.into_offset_iter() {
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
            }
            Event::Start(Tag::HtmlBlock) if markdown[span.clone()].starts_with("<!--") => {
                // The block goes on to the end of its line; what follows the comment is text.
                let end = markdown[span.clone()]
                    .find("-->")
                    .map_or(span.end, |at| span.start + at);
                holes.push(span.start..end);
            }
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
                let (embed, address) = match tag {
                    Tag::Link { dest_url, .. } => (false, dest_url),
                    Tag::Image { dest_url, .. } => (true, dest_url),
                    _ => unreachable!("the arm takes links and images only"),
                };
                if !matches!(link_type, LinkType::Autolink | LinkType::Email) {
                    let (raw, at) = (&markdown[span.clone()], body.start + span.start);
                    outline
                        .links
                        .extend(links::markdown(raw, at, &address, embed));
                }
                holes.push(span);
            }
            _ => {}
        }
    }
    holes.sort_unstable_by_key(|hole| (hole.start, hole.end));
    between(text, &body, &holes, &mut outline);
    outline
        .links
        .sort_by_key(|link| (link.span.start, link.span.end));
    outline
}

/// Collects the wikilinks and tags outside of `holes`, whose places are those of the body.
fn between(text: &str, body: &Range<usize>, holes: &[Range<usize>], outline: &mut Outline) {
    let markdown = &text[body.clone()];
    let bytes = markdown.as_bytes();
    let mut holes = holes.iter().peekable();
    let mut at = 0;
    while at < bytes.len() {
        while let Some(hole) = holes.next_if(|hole| hole.start <= at) {
            at = at.max(hole.end);
        }
        match bytes.get(at) {
            Some(b'[') if bytes.get(at + 1) == Some(&b'[') => {
                let clear =
                    |link: &Link| holes.peek().is_none_or(|hole| hole.start >= link.span.end);
                if let Some(mut link) = links::wikilink(markdown, at).filter(clear) {
                    at = link.span.end;
                    link.span = link.span.start + body.start..link.span.end + body.start;
                    outline.links.push(link);
                } else {
                    at += 1;
                }
            }
            Some(b'#') => match tags::inline(markdown, at) {
                Some((tag, end)) => {
                    outline.tags.push(tag.to_owned());
                    at = end;
                }
                None => at += 1,
            },
            _ => at += 1,
        }
    }
}

/// Whether the parser took the inner brackets of `[[a]]` for a link by reference.
fn is_wikilink(markdown: &str, link_type: LinkType, span: &Range<usize>) -> bool {
    let by_reference = matches!(
        link_type,
        LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut
    );
    by_reference && markdown[..span.start].ends_with('[') && markdown[span.end..].starts_with(']')
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
            ("# Heading #f\n## g\n", &["f"]),
            (
                "`#a` [[N#b]] [t](<x #c>) <https://x/#d> https://x/#e [#f](g)",
                &[],
            ),
            (
                "```\n#a\n```\n\n    #b\n\n<!-- #c -->\n<a href=\"x\" title=' #d'>#e</a> #g",
                &["g"],
            ),
            ("| # | #a |\n|---|---|\n| #b | x#c |\n", &["a", "b"]),
            ("[r]: x.md 'a #b'\n\n#c [r]", &["c"]),
            ("#1 #1a \\#b #c", &["1a", "c"]),
            ("#a [[B]] #c [[D #e", &["a", "c", "e"]),
        ] {
            assert_eq!(scanned(text).tags, expected, "{text:?}");
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
                    "=", "---", "[a]: ", "&amp;", "\r\n", "\t", "x.md", "https:",
                ]),
                0..40,
            ),
        ) {
            let text = pieces.concat();
            let outline = scanned(&text);
            for link in &outline.links {
                prop_assert!(!link.target.is_empty() || link.part.is_some());
                prop_assert_eq!(link.retargeted(&text, &link.target), &text[link.span.clone()]);
                let _ = link.retargeted(&text, "other name");
            }
        }
    }
}
