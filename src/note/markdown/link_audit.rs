//! Independent link reader that verifies edits.
//!
//! [`links`](super::links) and [`body`](super::body) decide what an edit changes. This reader verifies that the links
//! survive, so it shares no code with them, and uses another Markdown parser, `comrak`. Wikilinks are read from the
//! text, where the parser found neither code, math, comments, tags nor escapes. Of two overlapping constructs the
//! first wins. It also reports external addresses, which an edit must not damage either.
//!
//! Time is linear in the length of the text.

use std::ops::Range;
use std::sync::LazyLock;

use comrak::nodes::{AstNode, NodeLink, NodeValue, Sourcepos};
use comrak::{Arena, Options, parse_document};
use percent_encoding::percent_decode_str;
use regex::{Captures, Regex};

use crate::note::front_matter::split::{FrontMatterLanguage, split};

/// The syntax of a link.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkForm {
    /// `[[target]]`
    Wiki,
    /// `[label](target)`, or a reference: `[label][id]`, `[id]`
    Markdown,
    /// `https://example.org`
    Address,
    /// `[[target]]` in the front matter, under this top-level property.
    Property(String),
}

/// A link found by the audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditedLink {
    pub form: LinkForm,
    /// Whether it embeds its target.
    pub embed: bool,
    /// Name, path or address without fragment, percent-encoding and escapes decoded.
    pub target: String,
    /// What follows `#`.
    pub part: String,
    /// Label with whitespace collapsed, and title.
    pub label: String,
    /// Span in the text.
    pub span: Range<usize>,
}

impl AuditedLink {
    /// Returns the last path component of the target, without `.md`, in lower case.
    pub fn stem(&self) -> String {
        stem(&self.target)
    }
}

/// Returns the last component of a path, without `.md`, in lower case.
pub fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    name.strip_suffix(".md").map(str::to_owned).unwrap_or(name)
}

/// Returns the links of a note in the order of their ends.
pub fn links_of(text: &str) -> Vec<AuditedLink> {
    let mut links = links_of_properties(text);
    let body = split(text).body;
    let source = Source::new(text, body.clone());
    let arena = Arena::new();
    let root = parse_document(&arena, &source.markdown, &dialect());
    let (markdown_links, is_prose) = source.markdown_links(root);
    let wikilinks = wikilinks(text, body.start, &is_prose);
    let is_free = |link: &AuditedLink| {
        let next = wikilinks.partition_point(|wiki| wiki.span.start <= link.span.start);
        let before = wikilinks[..next].last();
        before.is_none_or(|wiki| wiki.span.end <= link.span.start)
    };
    links.extend(markdown_links.into_iter().filter(is_free));
    links.extend(wikilinks);
    links.sort_by_key(|link| link.span.end);
    links
}

fn dialect() -> Options<'static> {
    let mut options = Options::default();
    options.extension.autolink = true;
    options.extension.footnotes = true;
    options.extension.math_dollars = true;
    options.extension.table = true;
    options.parse.escaped_char_spans = true;
    options.parse.leave_footnote_definitions = true;
    options.parse.relaxed_autolinks = true;
    options
}

/// Returns the wikilinks in the front matter, in any context. In JSON and in lines of comment their property is unknown.
pub fn links_of_properties(text: &str) -> Vec<AuditedLink> {
    let mut links = Vec::new();
    let Some(block) = split(text).block else {
        return links;
    };
    let sign = match block.language {
        FrontMatterLanguage::Toml => Some('='),
        FrontMatterLanguage::Yaml => Some(':'),
        FrontMatterLanguage::Json | FrontMatterLanguage::Code => None,
    };
    let mut key = "";
    let mut start = block.inner.start;
    for line in text[block.inner.clone()].split_inclusive('\n') {
        let is_nested = line.starts_with([' ', '\t', '-', '#', '[', ']', '{', '}', ',']);
        if let Some((name, _)) = sign
            .filter(|_| !is_nested)
            .and_then(|sign| line.split_once(sign))
        {
            key = name.trim().trim_matches(['"', '\'']);
        }
        let is_comment = line.trim_start().starts_with('#');
        let property = if is_comment { "" } else { key };
        let property = unescaped(property);
        let end = start + line.len();
        let mut at = start;
        while let Some(found) = text.get(at..end).and_then(|rest| rest.find("[[")) {
            at += found;
            let link = wikilink(text, at).or_else(|| folded_wikilink(text, at, block.inner.end));
            at = link.as_ref().map_or(at + 1, |link| link.span.end);
            links.extend(link.map(|link| AuditedLink {
                form: LinkForm::Property(property.clone()),
                target: unescaped(&link.target),
                part: unescaped(&link.part),
                label: single_spaced(&unescaped(&link.label)),
                ..link
            }));
        }
        start = end;
    }
    links
}

static ESCAPES: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?:\\(?:x[[:xdigit:]]{2}|u[[:xdigit:]]{4}|U[[:xdigit:]]{8}))+";
    Regex::new(pattern).expect("a valid pattern")
});

/// Returns a text in quotes without escapes; a quote is doubled or escaped.
fn unescaped(text: &str) -> String {
    let decoded = ESCAPES.replace_all(text, |found: &Captures<'_>| {
        let mut units = Vec::new();
        for digits in found[0].split(['\\', 'x', 'u', 'U']) {
            let code = u32::from_str_radix(digits, 16).ok();
            // In JSON two escapes may be one character.
            match code.map(|code| (u16::try_from(code), char::from_u32(code))) {
                Some((Ok(unit), _)) => units.push(unit),
                Some((_, Some(c))) => units.extend_from_slice(c.encode_utf16(&mut [0; 2])),
                _ => {}
            }
        }
        String::from_utf16_lossy(&units)
    });
    let decoded = decoded.replace("\\_", "\u{a0}");
    decoded.replace("''", "'").replace("\\\"", "\"")
}

static FOLDS: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"\\\r?\n[ \t]+(\\ )?|[ \t]*\r?\n[ \t]+";
    Regex::new(pattern).expect("a valid pattern")
});

/// Parses the wikilink on several indented lines of `text[..end]` whose brackets open at `at`.
fn folded_wikilink(text: &str, at: usize, end: usize) -> Option<AuditedLink> {
    let inner = text[at + 2..end].split("[[").next()?;
    let span = at..at + 2 + inner.find("]]")? + 2;
    let unfolded = FOLDS.replace_all(&text[span.clone()], |found: &Captures<'_>| {
        let is_joined = found[0].starts_with('\\') && found.get(1).is_none();
        if is_joined { "" } else { " " }
    });
    wikilink(&unfolded, 0).map(|link| AuditedLink { span, ..link })
}

/// A body as the parser reads it.
struct Source<'t> {
    text: &'t str,
    /// The body without the bytes for which the parser reports wrong columns.
    markdown: String,
    /// Start of each line in the text, and the bytes that its indentation gained.
    lines: Vec<(usize, usize)>,
}

/// Total bytes of the destinations of references that the parser resolves, if the text is as long.
const MAX_DESTINATION_BYTES: usize = 100_000;

/// Columns of a tab.
const TAB: &str = "    ";

impl<'t> Source<'t> {
    fn new(text: &'t str, body: Range<usize>) -> Self {
        let mut markdown = String::with_capacity(body.len());
        let mut lines = Vec::new();
        let mut start = body.start;
        for line in text[body].split_inclusive('\n') {
            let (indent, rest) =
                line.split_at(line.len() - line.trim_start_matches([' ', '\t']).len());
            markdown += &indent.replace('\t', TAB);
            markdown += &rest.replace("\\|", "__").replace(['\r', '\0'], " ");
            lines.push((start, indent.matches('\t').count() * (TAB.len() - 1)));
            start += line.len();
        }
        if markdown.contains("]:") {
            markdown.extend(std::iter::repeat_n(' ', MAX_DESTINATION_BYTES));
        }
        Self {
            text,
            markdown,
            lines,
        }
    }

    /// Returns the span in the text of a position, `skipped` lines further down.
    fn span(&self, position: Sourcepos, skipped: usize) -> Range<usize> {
        let offset = |line: usize, column: usize| {
            let line = self.lines.get((line + skipped).saturating_sub(1));
            let (start, gained) = line.copied().unwrap_or((self.text.len(), 0));
            let mut offset = (start + column.saturating_sub(gained)).min(self.text.len());
            while !self.text.is_char_boundary(offset) {
                offset -= 1;
            }
            offset
        };
        let start = offset(position.start.line, position.start.column.saturating_sub(1));
        start..offset(position.end.line, position.end.column).max(start)
    }

    /// Returns the links and pictures in Markdown, and for each byte whether it may begin a wikilink.
    fn markdown_links<'a>(&self, root: &'a AstNode<'a>) -> (Vec<AuditedLink>, Vec<bool>) {
        let mut links = Vec::new();
        let mut is_prose = vec![false; self.text.len()];
        let mut others = Vec::new();
        let mut skipped = 0;
        for node in root.descendants() {
            let data = node.data.borrow();
            if data.value.block() {
                skipped = self.definition_lines(node);
            }
            let mut span = self.span(data.sourcepos, skipped);
            let is_link = matches!(&data.value, NodeValue::Link(_) | NodeValue::Image(_));
            if is_link && span.is_empty() {
                // The parser gives a wrong place to a link with a line break before its end.
                let start = self.text[..span.start].rfind('[').unwrap_or(0);
                let end = self.text[start..].find(')').map(|at| start + at + 1);
                span = start..end.unwrap_or(self.text.len());
            }
            match &data.value {
                NodeValue::Text(_) => is_prose[span].fill(true),
                NodeValue::Escaped => others.push(span),
                NodeValue::Link(_) | NodeValue::Image(_) if self.is_wikilink(&span) => {
                    is_prose[span].fill(true);
                }
                NodeValue::Link(link) | NodeValue::Image(link) => {
                    let inner = node.first_child().zip(node.last_child());
                    let label = inner.and_then(|(first, last)| {
                        let [first, last] = [first, last].map(|part| part.data.borrow().sourcepos);
                        let span = self.span(first, skipped).start..self.span(last, skipped).end;
                        let label = self.text.get(span.clone())?;
                        let start = |at: usize| at.checked_sub(span.start);
                        // Links inside are compared by themselves.
                        let mut own = label.to_owned();
                        for inner in links_inside(node).into_iter().rev() {
                            let inner = self.span(inner, skipped);
                            let inner = start(inner.start)?..start(inner.end)?;
                            if own.get(inner.clone()).is_some() {
                                own.replace_range(inner, "[]");
                            }
                        }
                        Some(own)
                    });
                    links.extend(self.link(link, &label.unwrap_or_default(), span.clone()));
                    others.push(span);
                }
                _ => {}
            }
        }
        for span in others {
            is_prose[span].fill(false);
        }
        (links, is_prose)
    }

    /// Returns the number of lines with definitions before the text of a paragraph, whose position ignores them.
    fn definition_lines<'a>(&self, block: &'a AstNode<'a>) -> usize {
        let data = block.data.borrow();
        let is_after_definitions = matches!(data.value, NodeValue::Paragraph)
            && self.text[self.span(data.sourcepos, 0)].starts_with('[');
        let last = block.last_child().filter(|_| is_after_definitions);
        last.map_or(0, |last| {
            let end = last.data.borrow().sourcepos.end.line;
            data.sourcepos.end.line.saturating_sub(end)
        })
    }

    /// Returns whether brackets and parentheses are a wikilink before parentheses, as in `[[vault]](s)`. A link with a
    /// label in brackets is `[[1]](address)`.
    fn is_wikilink(&self, span: &Range<usize>) -> bool {
        let bracket = span.start + usize::from(self.text[span.clone()].starts_with('!'));
        let resource = wikilink(self.text, bracket)
            .and_then(|link| self.text.get(link.span.end..span.end)?.strip_prefix('('));
        resource.is_some_and(|resource| {
            !resource.contains([
                ' ', '\t', '\r', '\n', '.', '/', '#', ':', '%', '<', '\\', '"',
            ])
        })
    }

    /// Returns a link with this label and span; none if its target is empty.
    fn link(&self, link: &NodeLink, label: &str, span: Range<usize>) -> Option<AuditedLink> {
        let raw = &self.text[span.clone()];
        if !raw.starts_with(['[', '!']) {
            return Some(AuditedLink {
                form: LinkForm::Address,
                embed: false,
                target: raw.trim_matches(['<', '>']).to_owned(),
                part: String::new(),
                label: String::new(),
                span,
            });
        }
        let (target, part) = link.url.split_once('#').unwrap_or((&link.url, ""));
        // The title of a reference belongs to the definition.
        let title = Some(&link.title)
            .filter(|title| !title.is_empty() && raw.ends_with(')'))
            .map(|title| format!(" \"{title}\""))
            .unwrap_or_default();
        let label = label.replace("\n>", "\n") + &title;
        (!link.url.trim_matches('#').is_empty()).then(|| AuditedLink {
            form: LinkForm::Markdown,
            embed: raw.starts_with('!'),
            target: decoded(target),
            part: decoded(part),
            label: single_spaced(&label),
            span,
        })
    }
}

/// Returns the positions of the outermost links and pictures in the label of a link.
fn links_inside<'a>(link: &'a AstNode<'a>) -> Vec<Sourcepos> {
    let mut found: Vec<Sourcepos> = Vec::new();
    for node in link.descendants().skip(1) {
        let data = node.data.borrow();
        let is_link = matches!(&data.value, NodeValue::Link(_) | NodeValue::Image(_));
        let end = found.last().map(|last| (last.end.line, last.end.column));
        if is_link && end < Some((data.sourcepos.start.line, data.sourcepos.start.column)) {
            found.push(data.sourcepos);
        }
    }
    found
}

/// Returns the wikilinks from `start` on whose brackets are prose.
fn wikilinks(text: &str, start: usize, is_prose: &[bool]) -> Vec<AuditedLink> {
    let mut links = Vec::new();
    let mut at = start;
    while let Some(found) = text[at..].find("[[") {
        at += found;
        let Some(link) = wikilink(text, at).filter(|_| is_prose[at]) else {
            at += 1;
            continue;
        };
        let embed = text[start..at].ends_with('!') && is_prose[at - 1];
        links.push(AuditedLink {
            embed,
            span: at - usize::from(embed)..link.span.end,
            ..link
        });
        at = link.span.end;
    }
    links
}

fn single_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Parses the wikilink whose brackets open at `at`. It ends on its line and before the next `[[`.
fn wikilink(text: &str, at: usize) -> Option<AuditedLink> {
    let inner = text.get(at..)?.strip_prefix("[[")?;
    let pairs = inner.as_bytes().windows(2);
    let close = pairs
        .take_while(|pair| pair[0] != b'\n' && *pair != b"[[")
        .position(|pair| pair == b"]]")?;
    let bar = inner[..close].find('|').filter(|bar| *bar > 0);
    let label = bar.map_or("", |bar| &inner[bar + 1..close]);
    let left = &inner[..bar.unwrap_or(close)];
    // In a table the bar is written `\|`.
    let left = left
        .strip_suffix('\\')
        .filter(|_| bar.is_some())
        .unwrap_or(left);
    let (target, part) = left.split_once('#').unwrap_or((left, ""));
    let (target, part) = (target.trim(), part.trim());
    if left.contains(['[', ']']) || target.is_empty() && part.is_empty() {
        return None;
    }
    Some(AuditedLink {
        form: LinkForm::Wiki,
        embed: false,
        target: target.to_owned(),
        part: part.to_owned(),
        label: single_spaced(label),
        span: at..at + 2 + close + 2,
    })
}

/// Decodes percent-encoding in `text`.
fn decoded(text: &str) -> String {
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.unwrap_or(text.into()).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The links of a text as `target#part|label`, with `!` for embeds and the property before.
    fn links(text: &str) -> Vec<String> {
        let mut links = links_of(text);
        links.sort_by_key(|link| link.span.start);
        let shown = |link: &AuditedLink| {
            let mut shown = match &link.form {
                LinkForm::Property(key) => format!("{key}="),
                _ => String::new(),
            };
            shown += if link.embed { "!" } else { "" };
            shown += &link.target;
            for (sign, text) in [("#", &link.part), ("|", &link.label)] {
                if !text.is_empty() {
                    shown.extend([sign, text]);
                }
            }
            shown
        };
        links.iter().map(shown).collect()
    }

    #[expect(clippy::too_many_lines, reason = "a table of cases")]
    #[test]
    fn reads_links() {
        for (text, expected) in [
            (
                "[[A]], ![[A#H|b]] and [[ A # H | b ]]",
                &["A", "!A#H|b", "A#H|b"][..],
            ),
            (
                "[[Send|the `Send` trait]] [[T#Sec $x$ y|label]]",
                &["Send|the `Send` trait", "T#Sec $x$ y|label"],
            ),
            ("[[T#`x` y]] [[A|$b]] $", &["T#`x` y", "A|$b"]),
            ("`a [[x]]` ``[[B]] ` `` [[C]]", &["C"]),
            ("`a [[x\\|`]] b` [[C]]", &["C"]),
            ("a ` [[A]] `` [[B]]", &["A", "B"]),
            ("\\`[[A]]` \\[[B]] \\\\[[C]] \\![[D]]", &["A", "C", "D"]),
            ("`a\n[[B]]\n` [[C]]\n\n` [[D]]", &["C", "D"]),
            ("|x|`y|\n|-|-|\n|[[A\\|b]]|` [[C]]|\n", &["A|b", "C"]),
            ("```\n[[A]]\n```\n[[B]]\n", &["B"]),
            ("- x\n  ~~~~ md\n  [[A]]\n  ~~~\n  ~~~~\n- [[B]]\n", &["B"]),
            ("- x\n  ```\n  [[A]]\n[[B]]\n", &["B"]),
            ("> ```\n> [[A]]\n[[B]]\n", &["B"]),
            (
                "    [[A]]\n\n- [[B]]\n\n    [[C]]\n\nx\n    [[D]]\n",
                &["B", "C", "D"],
            ),
            (
                "x <!-- [[A]] --> [[B]]\n\n<!--\n[[C]]\n\n--> [[D]]\n[[E]]\n",
                &["B", "E"],
            ),
            ("<!-- a --> [[A]]\n[[B]] <!-- [[C]]\n", &["B", "C"]),
            (
                "$[[A]]$ $$\n[[B]]\n$$\n[[C]] costs $5, [[D]] C$7",
                &["C", "D"],
            ),
            ("\\$a [[B]]$ $ [[C]] $", &["B", "C"]),
            (
                "# H [[A]]\n> [!note] [[B]]\n> - [ ] [[C]]\n",
                &["A", "B", "C"],
            ),
            ("text[^1] [[A]]\n\n[^1]: see [[B]]\n", &["A", "B"]),
            ("[[A]\n[[A\n]] [[]] [[ ]] [[#]] [[#H]] [[|]]", &["#H", "|"]),
            ("[[A [[B]] [[[C]]]", &["B", "C"]),
            (
                "[t](a.md) ![](b.png) [x](c.md#H%20I \"title\") [a [b]](c.md)",
                &["a.md|t", "!b.png", "c.md#H I|x \"title\"", "c.md|a [b]"],
            ),
            (
                "[t](<a b.md>) [t](a\\)b.md) [t](a(b).md) [t](a b.md) [`]`](d.md)",
                &["a b.md|t", "a)b.md|t", "a(b).md|t", "d.md|`]`"],
            ),
            ("[![i](a.png)](b.md)", &["b.md|[]", "!a.png|i"]),
            (
                "[x ![i ![j](a.png)](b.png) y ![](c.png)](d.md)",
                &["d.md|x [] y []", "!b.png|i []", "!a.png|j", "!c.png"],
            ),
            ("[a [[B]] c](d.md)", &["d.md|a [[B]] c"]),
            (
                "[[1]](https://x.y) [[2]](a.md)",
                &["https://x.y|[1]", "a.md|[2]"],
            ),
            (
                "[[a]](s) ![[b]](s) [[c]]() [[d]](s \"t\") [[e]](#s)",
                &["a", "!b", "c", "s|[d] \"t\"", "#s|[e]"],
            ),
            ("> [d\n> e](f.md)\n\nx [a\n> b](c.md)", &["f.md|d e"]),
            (
                "[a][r] [R] [r][] [s] ![t][r]\n\n[r]: b.md#H \"t\"\n[s]:\n  <c d.md>\n",
                &["b.md#H|a", "b.md#H|R", "b.md#H|r", "c d.md|s", "!b.md#H|t"],
            ),
            ("[s]:\n\nSee [[A]].\n", &["A"]),
            ("[todo]: call [[Anna]] soon\n", &["Anna"]),
            ("[[[[](---\n)", &["---"]),
            ("[a]\n\n```\n[a]: b\n```\n    [a]: b\n", &[]),
            (
                "<https://x.y/a> (https://x.y/b). <b>[[A]]</b> <a title='[[B]]'> a <b and [[C]]>",
                &["https://x.y/a", "https://x.y/b", "A", "C"],
            ),
            (
                "---\nrel: \"[[A|b]]\"\nlist:\n  - '[[C#D]]' # [[E]]\n\"a b\": [[F]]\n---\n[[G]]\n",
                &["rel=A|b", "list=C#D", "list=E", "a b=F", "G"],
            ),
            ("+++\nrel = \"[[A]]\"\n+++\n", &["rel=A"]),
            ("{\"rel\": \"[[A]]\"}\n\n[[B]]\n", &["=A", "B"]),
            ("{\"rel\": \"[[\\u00c4|\\ud83d\\ude00]]\"}\n", &["=Ä|😀"]),
            (
                "---\n\"\\xFCber\": \"[[\\xDC\\U0001F600#\\u2713|\\xDF]]\"\n---\n",
                &["über=Ü😀#✓|ß"],
            ),
            (
                "---\na: \"[[A b\\\n  \\ c\\\n  d|e]]\"\nb: '[[A\r\n  b]]'\nc: [[A\nd: b]]\ne: \"[[A\n\n  b]]\"\n---\n",
                &["a=A b cd|e", "b=A b"],
            ),
            ("[p] [p] [p]\n\n[p]: long/path.md\n", &["long/path.md|p"; 3]),
            ("in [0, 1) [[A]], [b [[C]]", &["A", "C"]),
            (
                "- a\n\t![[A]]\n\t- `x` [[B]]\n\t\t[c](d.md)\n",
                &["!A", "B", "d.md|c"],
            ),
            ("[a]: b.md\n[[A]]\n`[[B]]` [a]\n", &["A", "b.md|a"]),
            (
                "|x|\n|-|\n|`a\\|b` [[A\\|b]][c](d.md)|\n",
                &["A|b", "d.md|c"],
            ),
            (
                "é [[é]] é `é` [é](é.md)\r\n[[B]]\r\n",
                &["é", "é.md|é", "B"],
            ),
        ] {
            assert_eq!(links(text), expected, "{text:?}");
        }
    }

    #[test]
    fn hostile_texts_take_linear_time() {
        let start = std::time::Instant::now();
        for piece in [
            "[", "![", "[[", "[a](", "[a](<", "[a](b \"", "[a](b (", "`", "a``b`", "$a ", "<!-- ",
            "<a '", "[[a|", "]", "- ", "> ", "\\", "[x][", "(", "![a](",
        ] {
            let text = format!("[z]: b\n\nhttp://x {}", piece.repeat(200_000 / piece.len()));
            assert!(links_of(&text).len() < 2, "{piece}");
        }
        // Seconds in a debug build, hours were it quadratic.
        assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    }

    proptest! {
        #[test]
        fn arbitrary_text_gives_valid_spans(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "[", "]", "[[", "]]", "(", ")", "](", "!", "|", "\\", "#", "^", "`", "```", "\n", "\n\n",
                    "<", ">", "<!--", "-->", "$", "$$", "a", " ", "é", "\"", "'", "%20", "%é", "    ", "- ",
                    "---\n", "[a]: ", "\r\n", "\t", "x.md", "https://", "_", "|-|", "\u{a0}", "{", "+++\n",
                ]),
                0..40,
            ),
        ) {
            let text = pieces.concat();
            for link in links_of(&text) {
                prop_assert!(text.get(link.span).is_some_and(|raw| !raw.is_empty()), "{:?}", text);
            }
        }
    }
}
