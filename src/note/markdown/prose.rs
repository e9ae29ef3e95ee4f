//! Finds the running text of a body, where a word can become a link.
//!
//! Code, HTML, math, comments, template and TeX commands, headings, tables, links and their labels are excluded, and
//! so are the `[[` and `]]` of wikilinks, which the Markdown parser treats as text.

use std::borrow::Cow;
use std::ops::Range;

use super::document::{Document, NodeKind, WalkStep};
use super::links::Link;

/// HTML elements in a paragraph whose text is not running text.
const LITERAL_ELEMENTS: [&str; 10] = [
    "a", "button", "code", "kbd", "math", "ruby", "samp", "script", "style", "svg",
];

/// Returns the spans of running text of a document whose note has these `links`, in document order.
pub fn prose(document: &Document<'_>, links: &[Link]) -> Vec<Range<usize>> {
    let text = document.text();
    let start = document.body().start;
    let mut stretches: Vec<Range<usize>> = Vec::new();
    let mut inside = 0_usize;
    // The end tag of the literal element that is open.
    let mut literal: Option<String> = None;
    for step in document.walk() {
        match step {
            WalkStep::Enter(node) if is_excluded(&node.kind) => inside += 1,
            WalkStep::Leave(node) if is_excluded(&node.kind) => inside -= 1,
            WalkStep::Leave(node) if matches!(node.kind, NodeKind::Paragraph | NodeKind::Item) => {
                literal = None;
            }
            WalkStep::Leaf(node) => match &node.kind {
                NodeKind::InlineHtml(tag) => {
                    let tag = document.said(tag).to_lowercase();
                    literal = match literal {
                        Some(end) => (!tag.starts_with(&end)).then_some(end),
                        None => literal_end(&tag),
                    };
                }
                NodeKind::Text(_) if inside == 0 && literal.is_none() => match stretches.last_mut()
                {
                    Some(last) if last.end == node.span.start => last.end = node.span.end,
                    _ => stretches.push(node.span.clone()),
                },
                _ => {}
            },
            _ => {}
        }
    }
    let links = links.iter().filter(|link| link.property.is_none());
    let mut holes: Vec<Range<usize>> = links.map(|link| link.span.clone()).collect();
    holes.extend(callout_types(text, start));
    holes.extend(double_brackets(text, start));
    holes.extend(addresses(text, start));
    holes.extend(comments(text, &stretches));
    holes.extend(commands(text, start));
    holes.sort_unstable_by_key(|hole| hole.start);
    subtract(stretches, holes.into_iter())
}

/// Returns `body` with struck text, open tasks, quotations and comments replaced by spaces, so that offsets stay valid.
pub fn stated(body: &str) -> Cow<'_, str> {
    if !body.contains(['~', '>']) && !["[ ]", "%%"].iter().any(|mark| body.contains(mark)) {
        return Cow::Borrowed(body);
    }
    let mut bytes = body.as_bytes().to_vec();
    let mut blank = |span: Range<usize>| {
        let signs = bytes[span].iter_mut().filter(|byte| **byte != b'\n');
        signs.for_each(|byte| *byte = b' ');
    };
    comments(body, std::slice::from_ref(&(0..body.len())))
        .into_iter()
        .for_each(&mut blank);
    for node in Document::of_body(body).nodes() {
        let span = node.span.clone();
        let withdrawn = match node.kind {
            NodeKind::Strikethrough if body[span.clone()].starts_with("~~") => span,
            NodeKind::HtmlBlock | NodeKind::InlineHtml(_)
                if body[span.clone()].starts_with("<!--") =>
            {
                span
            }
            // A callout is a statement of the note.
            NodeKind::Quote
                if !body[span.clone()]
                    .trim_start_matches(['>', ' '])
                    .starts_with("[!") =>
            {
                span
            }
            NodeKind::TaskMark(false) => {
                let start = body[..span.start].rfind('\n').map_or(0, |at| at + 1);
                let length = body[span.start..].find('\n');
                start..length.map_or(body.len(), |length| span.start + length)
            }
            _ => continue,
        };
        blank(withdrawn);
    }
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// Returns the spans from `[[` to `]]` on one line, whether they are links or not.
fn double_brackets(text: &str, start: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open = None;
    for (at, mark) in text[start..].match_indices(['[', ']', '\n']) {
        let is_double = text.as_bytes().get(start + at + 1) == Some(&mark.as_bytes()[0]);
        match (mark, open) {
            ("[", _) if is_double => open = Some(start + at),
            ("]", Some(first)) if is_double => {
                found.push(first..start + at + "]]".len());
                open = None;
            }
            ("\n", _) => open = None,
            _ => {}
        }
    }
    found
}

/// Returns the spans of bare addresses: `https://a.b/tea`.
fn addresses(text: &str, start: usize) -> Vec<Range<usize>> {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"');
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in text[start..].match_indices("://") {
        let at = start + at;
        if found.last().is_some_and(|last| at < last.end) {
            continue;
        }
        let rest = &text[at..];
        let end = at + rest.find(is_end).unwrap_or(rest.len());
        found.push(at..end);
    }
    found
}

/// Returns the end tag of the literal element that `tag`, in lower case, opens.
fn literal_end(tag: &str) -> Option<String> {
    let name = tag.strip_prefix('<')?;
    let end = name.find(|c: char| !c.is_ascii_alphanumeric())?;
    let name = &name[..end];
    (LITERAL_ELEMENTS.contains(&name) && !tag.ends_with("/>")).then(|| format!("</{name}"))
}

/// Returns the spans between pairs of `%%` in running text, also over several paragraphs.
fn comments(text: &str, stretches: &[Range<usize>]) -> Vec<Range<usize>> {
    let marks = stretches.iter().flat_map(|stretch| {
        let found = text[stretch.clone()].match_indices("%%");
        found.map(|(at, mark)| stretch.start + at..stretch.start + at + mark.len())
    });
    let marks: Vec<_> = marks.collect();
    let pairs = marks.chunks_exact(2);
    pairs.map(|pair| pair[0].start..pair[1].end).collect()
}

/// Returns the spans of template commands, `{% include tea %}`, and of TeX commands with an argument, `\cite{tea}`.
fn commands(text: &str, start: usize) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in text[start..].match_indices('{') {
        let at = start + at;
        let line = text[at..].lines().next().unwrap_or_default();
        let before = text[..at].trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let end = if line.starts_with("{%") {
            line.find("%}").map(|end| end + "%}".len())
        } else if before.len() < at && before.ends_with('\\') {
            line.find('}').map(|end| end + 1)
        } else {
            None
        };
        found.extend(end.map(|end| at..at + end));
    }
    found
}

/// Returns the top-level paragraphs before the first section and any HTML block: statements about the whole note. A
/// paragraph after a line that ends with a colon is omitted.
pub fn lead(document: &Document<'_>) -> Vec<Range<usize>> {
    let mut paragraphs = Vec::new();
    let (mut has_content, mut follows_colon) = (false, false);
    for node in document.outermost() {
        if matches!(node.kind, NodeKind::Rule) {
            continue;
        }
        match node.kind {
            NodeKind::Heading(_) if has_content => break,
            NodeKind::HtmlBlock => break,
            NodeKind::Paragraph if !follows_colon => paragraphs.push(node.span.clone()),
            _ => {}
        }
        has_content = true;
        follows_colon = document.text()[node.span.clone()].trim_end().ends_with(':');
    }
    paragraphs
}

/// Returns the spans of callout types after `start`: `[!note|wide]`.
fn callout_types(text: &str, start: usize) -> impl Iterator<Item = Range<usize>> {
    text[start..]
        .match_indices("[!")
        .filter_map(move |(at, _)| {
            let at = at + start;
            let line = text[..at].rsplit('\n').next()?;
            let is_callout = line.ends_with(['>', ' ']) && line.trim_matches(['>', ' ']).is_empty();
            let end = text[at..].find([']', '\n'])?;
            (is_callout && line.contains('>')).then_some(at..at + end + 1)
        })
}

fn is_excluded(kind: &NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Heading(_)
            | NodeKind::CodeBlock(_)
            | NodeKind::HtmlBlock
            | NodeKind::Table(_)
            | NodeKind::Link(_)
            | NodeKind::Image(_)
    )
}

/// Subtracts the holes from the stretches; both are sorted.
fn subtract(
    stretches: Vec<Range<usize>>,
    holes: impl Iterator<Item = Range<usize>>,
) -> Vec<Range<usize>> {
    let mut holes = holes.peekable();
    let mut remaining = Vec::with_capacity(stretches.len());
    for stretch in stretches {
        let mut start = stretch.start;
        while let Some(hole) = holes.peek().filter(|hole| hole.start < stretch.end) {
            if start < hole.start {
                remaining.push(start..hole.start);
            }
            start = start.max(hole.end);
            // This hole may extend into the next stretch.
            if hole.end > stretch.end {
                break;
            }
            holes.next();
        }
        if start < stretch.end {
            remaining.push(start..stretch.end);
        }
    }
    remaining
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretches(text: &str) -> Vec<&str> {
        let note = crate::note::read(text, "stem");
        let stretches = prose(&Document::of(text, note.body.clone()), &note.links).into_iter();
        stretches.map(|stretch| &text[stretch]).collect()
    }

    #[test]
    fn struck_text_open_tasks_quotations_and_comments_are_not_stated() {
        for (body, expected) in [
            ("~~In Berlin.~~ In Munich.", "In Munich."),
            ("- [ ] move it\n- [x] done\n- plain", "- [x] done\n- plain"),
            ("~~In Berlin.~~", ""),
            ("a ~ b", "a ~ b"),
            ("> In Berlin.\n\nIn Munich.", "In Munich."),
            ("> [!note]\n> In Berlin.", "> [!note]\n> In Berlin."),
            ("<!-- In Berlin. -->\nIn Munich.", "In Munich."),
            (
                "In Munich <!-- not Berlin --> now.",
                "In Munich                     now.",
            ),
            ("In Munich. %%In Berlin.%%", "In Munich."),
        ] {
            let stated = stated(body);
            assert_eq!(stated.len(), body.len(), "{body}");
            assert_eq!(stated.trim(), expected, "{body}");
        }
    }

    #[test]
    fn prose_excludes_other_constructs() {
        for (text, expected) in [
            (
                "---\ntitle: Tea\n---\n# Tea\n\ngreen tea\n",
                &["green tea"][..],
            ),
            (
                "Tea\n===\n\n- one *two* three\n",
                &["one ", "two", " three"],
            ),
            ("a [[b]] c ![[d|e]] f", &["a ", " c ", " f"]),
            (
                "a [b](c.md) d <e@f.g> <https://h.i> `j` k",
                &["a ", " d ", " ", " ", " k"],
            ),
            (
                "```\na\n```\n\n    b\n\n<p>c</p>\n\nd <b>e</b>",
                &["d ", "e"],
            ),
            ("| a | b |\n|---|---|\n| c | d |\n\ne $f$ g", &["e ", " g"]),
            ("> [!note] a\n> b [^1]\n\n[^1]: c", &[" a", "b ", "c"]),
            ("> > [!wide|clean b]- d\n\n[!e] f", &["- d", "[!e] f"]),
            ("[a][b]\n\n[b]: c.md\n", &[]),
            ("[[a]][[b]]", &[]),
            ("a [[b|`c` d]] e [[f#$g$ h]] i", &["a ", " e ", " i"]),
            ("a [[b [c] d]] e ![[f]]", &["a ", " e "]),
            (
                "a https://b.c/d,e f <a href=\"g\">h</a> i",
                &["a https", " f ", " i"],
            ),
            ("$$\na\n=\nb\n$$\nc", &["c"]),
            (
                "a <code>b <i>c</i> d</code> e <Kbd>f</Kbd> <b>g</b><svg/> h",
                &["a ", " e ", " ", "g", " h"],
            ),
            (
                "a %%b%% c\n\n%%\nd\n\ne\n%%\n\nf 5 %%",
                &["a ", " c", "f 5 %%"],
            ),
            ("a {% b c %} d \\cite{e} {f}", &["a ", " d \\cite", " {f}"]),
            ("", &[]),
        ] {
            assert_eq!(stretches(text), expected, "{text:?}");
        }
    }
}
