//! Independent check for text lost in a merge.
//!
//! A line-based reader records the content of a body, its number of occurrences and its headings. It shares no code
//! with the edits, and does not use the Markdown parser. Only the test for rewordings is shared:
//! [`wording`](crate::note::words::wording) also decides which merges need no confirmation.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::note::words::one_line::shortened;
use crate::note::words::wording::is_restated;

/// Maximum characters of a text in a message.
const MAX_EXCERPT_CHARS: usize = 80;

/// Prefix of headings that a merge adds for text without a matching section; they are not content of a source.
pub const MERGED_FROM: &str = "Merged from ";

/// Returns a description of the first content of `sources` that `result` lacks.
pub fn missing_text(sources: &[&str], titles: &[&str], result: &str) -> Option<String> {
    let found = BodyReader::of(result, titles);
    let (units, headings) = (found.units(), found.headings());
    for source in sources {
        let source = BodyReader::of(source, titles);
        let lost = source
            .headings()
            .into_iter()
            .find(|(heading, count)| headings.get(heading) < Some(count));
        if let Some((heading, _)) = lost {
            return Some(format!("the heading `{heading}`"));
        }
        let own = source.units();
        let mut free: Vec<&Unit> = Vec::new();
        for (unit, count) in units
            .iter()
            .filter(|(unit, _)| unit.is_prose || unit.is_item)
        {
            let more = count.saturating_sub(own.get(unit).copied().unwrap_or(0));
            free.extend(std::iter::repeat_n(unit, more));
        }
        for (unit, count) in &own {
            let lacking = count.saturating_sub(units.get(unit).copied().unwrap_or(0));
            for _ in 0..lacking {
                let Some(longer) = free.iter().position(|longer| longer.can_replace(unit)) else {
                    return Some(unit.description());
                };
                free.swap_remove(longer);
            }
        }
    }
    None
}

/// A block of lines and its context.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Unit {
    /// Enclosing headings; empty for a definition, which applies to the whole note.
    headings_above: String,
    /// Text including the enclosing items.
    text: String,
    is_hidden: bool,
    /// Whether it is a top-level paragraph.
    is_prose: bool,
    /// Whether it is a top-level list item.
    is_item: bool,
}

impl Unit {
    /// Returns the beginning of the text, and the heading above it if there is one.
    fn description(&self) -> String {
        let text = shortened(self.text.trim(), MAX_EXCERPT_CHARS);
        match self.headings_above.as_str() {
            "" => format!("`{text}`"),
            heading => format!("`{text}` under `{heading}`"),
        }
    }

    /// Returns true if this paragraph or item can replace `other` without loss: it contains its sentences in order
    /// and more, or rewords it.
    fn can_replace(&self, other: &Self) -> bool {
        let mut rest = sentences(&self.text).into_iter();
        let mut all = sentences(&other.text).into_iter();
        let is_longer = || self.text.len() > other.text.len();
        let is_of_one_kind = self.is_prose && other.is_prose || self.is_item && other.is_item;
        is_of_one_kind
            && self.headings_above == other.headings_above
            && self.is_hidden == other.is_hidden
            && (self.is_prose && is_longer() && all.all(|it| rest.any(|known| known == it))
                || self.rewords(other))
    }

    /// Returns true if this rewords all of `other`. Text with line breaks is excluded, because breaks carry meaning.
    fn rewords(&self, other: &Self) -> bool {
        let (long, short) = (self.text.trim(), other.text.trim());
        !long.contains('\n') && !short.contains('\n') && is_restated(short, long)
    }
}

/// Splits a paragraph into sentences, without full stops.
fn sentences(text: &str) -> Vec<&str> {
    // A hard break belongs to the sentence after it.
    let ends = SENTENCE_END.find_iter(text).map(|end| match end.as_str() {
        "\\\n" => end.start(),
        _ => end.end(),
    });
    let mut sentences = Vec::new();
    let mut start = 0;
    for end in ends.chain([text.len()]) {
        let sentence = text[start..end].trim();
        sentences.push(sentence.strip_suffix('.').unwrap_or(sentence));
        start = end;
    }
    sentences
}

/// The type of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
enum LineKind {
    Plain,
    Item,
    Quote,
    Table,
    Html,
    Rule,
    /// A link reference definition.
    Address,
    Code,
    Fence,
}

#[derive(Default)]
struct BodyReader {
    /// Headings including the path of their ancestors.
    headings: Vec<String>,
    /// Number of all headings, including those that are not counted as content.
    all_headings: usize,
    raw: Vec<(Unit, LineKind)>,
    /// Destination of each label.
    labels: HashMap<String, String>,
    path: Vec<(usize, String)>,
    /// Titles of the notes; headings equal to them are not content.
    titles: Vec<String>,
    items: Vec<(usize, String)>,
    run: Vec<String>,
    kind: Option<LineKind>,
    in_definition: bool,
    /// Opening delimiter of the open comment.
    hidden: Option<&'static str>,
    /// Number of open HTML elements; headings inside them are ignored.
    elements: usize,
    /// The open fence, whether it is in a quote, and the indentation of its item.
    fence: Option<(String, bool, usize)>,
}

/// Returns whether a line is a thematic break: three or more equal markers.
fn is_rule(line: &str) -> bool {
    let marks: String = line.split_whitespace().collect();
    let is_mark = |mark: &char| marks.chars().all(|c| c == *mark);
    marks.len() >= 3 && ['-', '*', '_'].iter().any(is_mark)
}

/// Returns a trimmed line of prose, with its trailing hard break if it has one.
fn with_break(line: &str) -> String {
    let bare = line.trim();
    let slashes = bare.len() - bare.trim_end_matches('\\').len();
    match bare.strip_suffix('\\') {
        Some(bare) if slashes % 2 == 1 && line.ends_with('\\') => format!("{bare}\\\n"),
        _ if line.ends_with("  ") => format!("{bare}\\\n"),
        _ => bare.to_owned(),
    }
}

fn indent(line: &str) -> usize {
    let blanks = line.chars().take_while(|c| c.is_whitespace());
    blanks.map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a valid pattern")
}

static ITEM: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[ \t]*([-*+]|\d{1,9}[.)])([ \t]|$)"));
static DEFINITION: LazyLock<Regex> = LazyLock::new(|| pattern(r"^ {0,3}\[([^\]]+)\]:[ \t]*(.*)"));
static LABELS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(`+[^`]*`+|\\\[)|\[\^([^\]\s]+)\]|\[([^\[\]]+)\](?:\[([^\[\]]*)\])?")
});
static ELEMENT: LazyLock<Regex> = LazyLock::new(|| {
    let names = "details|div|table|section|article|aside|figure|center|blockquote|pre|ul|ol|dl";
    pattern(&format!(r"(?i)<(/?)(?:{names})\b[^>]*[^/]?>"))
});
/// Starts an HTML block that continues to the next blank line.
static HTML: LazyLock<Regex> = LazyLock::new(|| {
    let names = "details|summary|div|p|table|t[dhr]|thead|tbody|section|article|aside|figure|figcaption|center|\
                 blockquote|pre|ul|ol|li|dl|dt|dd|h[1-6r]|header|footer|main|nav|iframe|form|script|style";
    pattern(&format!(r"(?i)^</?(?:{names})\b"))
});
/// A tag alone on its line; it also starts an HTML block, except within a paragraph.
static TAG: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>$"));
static SENTENCE_END: LazyLock<Regex> = LazyLock::new(|| pattern(r"[.!?…] |\\\n"));
static CODE: LazyLock<Regex> = LazyLock::new(|| pattern("`+[^`]*`+"));

/// Joins lines of prose; a hard break is kept only before another line.
fn prose(lines: &[String]) -> String {
    let mut text = String::new();
    for line in lines {
        // End of a paragraph in a quote.
        if line.trim_matches(['>', ' ']).is_empty() && text.ends_with("\\\n") {
            text.truncate(text.len() - 2);
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push(' ');
        }
        text.push_str(line);
    }
    let bare = text.strip_suffix("\\\n").map(str::len);
    text.truncate(bare.unwrap_or(text.len()));
    text
}

impl BodyReader {
    fn of(body: &str, titles: &[&str]) -> Self {
        let mut reading = Self {
            titles: titles.iter().map(|&title| title.to_owned()).collect(),
            ..Self::default()
        };
        for line in body.lines() {
            reading.line(line);
        }
        reading.flush();
        reading
    }

    fn line(&mut self, line: &str) {
        if self.is_in_fence(line) {
            return;
        }
        if line.trim().is_empty() {
            self.flush();
            return;
        }
        let indent = indent(line);
        if !self.opens_fence(line, indent)
            && !self.is_heading(line, indent)
            && !self.is_definition(line)
        {
            self.add(line, indent);
        }
    }

    fn is_in_fence(&mut self, line: &str) -> bool {
        let Some((mark, in_quote, inside)) = self.fence.clone() else {
            return false;
        };
        let is_outside = !line.trim().is_empty() && indent(line) < inside;
        if is_outside || in_quote && !line.trim_start().starts_with('>') {
            self.fence = None;
            let last = self.run.iter().rposition(|line| !line.trim().is_empty());
            self.run.truncate(last.map_or(0, |last| last + 1));
            self.flush();
            return false;
        }
        let rest = line.trim_start_matches([' ', '\t', '>']).trim_end();
        if rest.starts_with(&mark) && rest.chars().all(|c| mark.starts_with(c)) {
            self.run.push(line.trim_end().to_owned());
            self.fence = None;
            self.flush();
        } else {
            self.run.push(line.to_owned());
        }
        true
    }

    fn is_code(&self, indent: usize) -> bool {
        indent >= 4 && self.items.is_empty() && !self.in_definition
    }

    fn opens_fence(&mut self, line: &str, indent: usize) -> bool {
        let content = line.trim_start_matches([' ', '\t', '>', '-', '*', '+']);
        let is_mark = |c: &char| content.starts_with(*c) && matches!(c, '`' | '~');
        let mark: String = content.chars().take_while(is_mark).collect();
        if mark.len() < 3
            || content[mark.len()..].contains('`')
            || self.is_code(indent)
            || self.hidden.is_some()
            || self.kind == Some(LineKind::Html)
        {
            return false;
        }
        self.flush();
        self.in_definition &= indent >= 4;
        self.drop_items(indent);
        self.kind = Some(LineKind::Fence);
        self.run.push(line.trim_end().to_owned());
        let marks = line.len() - content.len();
        let inside = if line[..marks].contains(['-', '*', '+']) {
            marks
        } else {
            self.items.last().map_or(0, |(content, _)| *content)
        };
        let in_quote = line.trim_start().starts_with('>');
        self.fence = Some((mark, in_quote, if in_quote { 0 } else { inside }));
        true
    }

    fn is_definition(&mut self, line: &str) -> bool {
        let Some(found) = DEFINITION.captures(line) else {
            return false;
        };
        let is_note = found[1].starts_with('^');
        if !is_note && !matches!(self.kind, None | Some(LineKind::Address | LineKind::Rule)) {
            return false;
        }
        self.flush();
        self.items.clear();
        self.in_definition = true;
        let words: Vec<&str> = found[2].split_whitespace().collect();
        let content = words.join(" ");
        self.run.push(format!("[]: {content}"));
        self.labels
            .entry(found[1].to_lowercase())
            .or_insert(content);
        self.kind = Some(if is_note {
            LineKind::Plain
        } else {
            LineKind::Address
        });
        true
    }

    /// Adds a line of text.
    fn add(&mut self, line: &str, indent: usize) {
        let bare = line.trim();
        let is_code = self.is_code(indent);
        let in_html = self.kind == Some(LineKind::Html);
        let kind = match self.kind {
            _ if in_html || HTML.is_match(bare) => LineKind::Html,
            None | Some(LineKind::Code) if is_code => LineKind::Code,
            None | Some(LineKind::Html) if TAG.is_match(bare) => LineKind::Html,
            _ if is_rule(bare) => LineKind::Rule,
            _ if ITEM.is_match(line) && !is_code => LineKind::Item,
            _ if bare.starts_with('>') => LineKind::Quote,
            _ if bare.starts_with('|') => LineKind::Table,
            _ => LineKind::Plain,
        };
        let continues = match self.kind {
            Some(LineKind::Item) => kind == LineKind::Plain,
            // The title may be on the next line.
            Some(LineKind::Address) => bare.starts_with(['"', '\'', '(']),
            open => open == Some(kind),
        };
        if !continues {
            self.flush();
            self.in_definition &= indent >= 4;
            self.drop_items(indent);
            self.kind = Some(kind);
        }
        self.run.push(match kind {
            LineKind::Code | LineKind::Html => line.to_owned(),
            LineKind::Plain | LineKind::Item | LineKind::Quote => with_break(line),
            LineKind::Table | LineKind::Rule | LineKind::Address | LineKind::Fence => {
                bare.to_owned()
            }
        });
        let without_code = CODE.replace_all(bare, "");
        if self.hidden.is_none() {
            for tag in ELEMENT.captures_iter(&without_code) {
                self.elements = match &tag[1] {
                    "" => self.elements + 1,
                    _ => self.elements.saturating_sub(1),
                };
            }
        }
        self.track_comments(&without_code);
        if kind == LineKind::Item {
            let mark = bare.find([' ', '\t']).unwrap_or(bare.len());
            self.items.push((indent + mark + 1, bare.to_owned()));
        }
    }

    /// Tracks comments that span lines.
    fn track_comments(&mut self, line: &str) {
        let mut rest = line;
        loop {
            let marks = match self.hidden {
                None => &["%%", "<!--"][..],
                Some("%%") => &["%%"],
                Some(_) => &["-->"],
            };
            let first = marks
                .iter()
                .filter_map(|mark| Some((rest.find(mark)?, *mark)))
                .min();
            let Some((at, mark)) = first else { return };
            rest = &rest[at + mark.len()..];
            self.hidden = if self.hidden.is_none() {
                Some(mark)
            } else {
                None
            };
        }
    }

    /// Drops the items that a line with this indentation does not belong to.
    fn drop_items(&mut self, indent: usize) {
        self.items.retain(|(content, _)| *content <= indent);
    }

    fn is_heading(&mut self, line: &str, indent: usize) -> bool {
        if self.hidden.is_some() || self.elements > 0 || self.kind == Some(LineKind::Html) {
            return false;
        }
        let bare = line.trim();
        let level = bare.len() - bare.trim_start_matches('#').len();
        let after = &bare[level..];
        let (level, title) = if (1..=6).contains(&level)
            && indent < 4
            && (after.is_empty() || after.starts_with([' ', '\t']))
        {
            self.flush();
            let open = after.trim_end_matches('#');
            let title = if open.is_empty() || open.ends_with([' ', '\t']) {
                open
            } else {
                after
            };
            (level, title.trim().to_owned())
        } else if self.kind == Some(LineKind::Plain)
            && !self.in_definition
            && self.items.is_empty()
            && indent < 4
            && (bare.chars().all(|c| c == '=') || bare.chars().all(|c| c == '-'))
        {
            self.kind = None;
            let lines = std::mem::take(&mut self.run);
            (if bare.starts_with('=') { 1 } else { 2 }, prose(&lines))
        } else {
            return false;
        };
        self.items.clear();
        self.in_definition = false;
        self.path.retain(|(above, _)| *above < level);
        self.all_headings += 1;
        let is_title = self.all_headings == 1 && level == 1 && self.titles.contains(&title);
        if !is_title && !title.starts_with(MERGED_FROM) {
            self.path.push((level, title));
            self.headings.push(self.heading_path());
        }
        true
    }

    fn flush(&mut self) {
        let Some(kind) = self.kind.take() else { return };
        let lines = std::mem::take(&mut self.run);
        let text = match kind {
            LineKind::Code | LineKind::Fence | LineKind::Html => lines.join("\n"),
            _ => prose(&lines),
        };
        let own = usize::from(kind == LineKind::Item);
        let depth = self.items.len() - own.min(self.items.len());
        let above: Vec<&str> = self.items[..depth]
            .iter()
            .map(|(_, item)| item.as_str())
            .collect();
        let unit = Unit {
            headings_above: if self.in_definition {
                String::new()
            } else {
                self.heading_path()
            },
            text: [above.join(" > "), text].join(" "),
            is_hidden: self.hidden.is_some(),
            is_prose: kind == LineKind::Plain && self.items.is_empty() && !self.in_definition,
            is_item: kind == LineKind::Item && self.items.len() == 1,
        };
        self.in_definition &= kind != LineKind::Address;
        self.raw.push((unit, kind));
    }

    /// Returns the path of headings above the current line.
    fn heading_path(&self) -> String {
        let titles: Vec<&str> = self.path.iter().map(|(_, title)| title.as_str()).collect();
        titles.join(" > ")
    }

    /// Returns the number of occurrences of each unit, with labels replaced by their destinations.
    fn units(&self) -> HashMap<Unit, usize> {
        let mut units = HashMap::new();
        for (unit, kind) in &self.raw {
            let text = match kind {
                LineKind::Fence | LineKind::Html => unit.text.clone(),
                _ => self.resolved(&unit.text),
            };
            let unit = Unit {
                headings_above: self.resolved(&unit.headings_above),
                text,
                ..*unit
            };
            *units.entry(unit).or_default() += 1;
        }
        units
    }

    fn headings(&self) -> HashMap<String, usize> {
        let mut headings = HashMap::new();
        for heading in &self.headings {
            *headings.entry(self.resolved(heading)).or_default() += 1;
        }
        headings
    }

    fn resolved(&self, text: &str) -> String {
        let label_text = |label: &str| match self.labels.get(&label.to_lowercase()) {
            Some(address) => format!("[={address}]"),
            None => format!("[{label}]"),
        };
        LABELS
            .replace_all(text, |found: &Captures<'_>| {
                let whole = found.get(0).expect("there is a whole");
                let before = text[..whole.start()].chars().next_back();
                if let Some(note) = found.get(2) {
                    return label_text(&format!("^{}", note.as_str()));
                }
                let Some(label) = found.get(3).map(|label| label.as_str()) else {
                    // An escaped bracket is literal.
                    return whole.as_str().replace("\\[", "[");
                };
                match found.get(4).map(|label| label.as_str()) {
                    None if text[whole.end()..].starts_with('(') => whole.as_str().to_owned(),
                    _ if before == Some('[') => whole.as_str().to_owned(),
                    None | Some("") if before == Some(']') => label_text(label),
                    None | Some("") if self.labels.contains_key(&label.to_lowercase()) => {
                        format!("[{label}]{}", label_text(label))
                    }
                    None | Some("") => format!("[{label}]"),
                    Some(other) => format!("[{label}]{}", label_text(other)),
                }
            })
            .into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table")]
    fn lost_text_is_reported() {
        for (name, source, result, missing) in [
            (
                "nothing",
                "a\nb\n\n- c\n",
                "a b\n\n## Merged from x.md\n\n- c\n",
                None,
            ),
            ("a paragraph", "a\n\nb\n", "a\n", Some("`b`")),
            ("a heading", "## A\n", "a\n", Some("the heading `A`")),
            (
                "under another heading",
                "## A\na\n\n## B\n",
                "## A\n\n## B\na\n",
                Some("`a` under `A`"),
            ),
            (
                "under another item",
                "- a\n  - x\n- b\n",
                "- a\n- b\n  - x\n",
                Some("`- a - x`"),
            ),
            ("as often", "- a\n- a\n", "- a\n", Some("`- a`")),
            (
                "code in another order",
                "```\na\nb\n```\n",
                "```\nb\na\n```\n",
                Some("```` a b ````"),
            ),
            ("swallowed", "a\n", "```\n\na\n", Some("`a`")),
            ("hidden", "a\n", "b %%\n\na\n", Some("`a`")),
            ("shown", "%%\na\n\n%%\n", "a\n\n%%\n\n%%\n", Some("`%% a`")),
            (
                "another source",
                "a[^1]\n\n[^1]: x\n",
                "a[^1]\n\n[^1]: y\n\n[^2]: x\n",
                Some("`a[=x]`"),
            ),
            (
                "the same source",
                "a[^1]\n\n[^1]: x\n",
                "a[^2]\n\n[^1]: y\n\n[^2]: x\n",
                None,
            ),
            (
                "links",
                "[s] [t][s]\n\n[s]: x\n",
                "[s][s-2] [t][s-2]\n\n[s]: y\n[s-2]: x\n",
                None,
            ),
            ("setext", "A\n=\nb\n", "# A\nb\n", None),
            (
                "blanks in code",
                "```\na \n```\n",
                "```\na\n```\n",
                Some("```` a ````"),
            ),
            ("the indent of code", "      a\n", "    a\n", Some("`a`")),
            ("a line that breaks", "a  \nb\n", "a\nb\n", Some("`a\\ b`")),
            ("breaks of both kinds", "a  \nb  \n", "a\\\nb\n", None),
            (
                "a heading twice",
                "## A\na\n\n## A\na\n",
                "## A\na\n\na\n",
                Some("the heading `A`"),
            ),
            (
                "a heading below another one",
                "## A\n### C\n",
                "## A\n## B\n### C\n",
                Some("the heading `A > C`"),
            ),
            (
                "a title again",
                "# Key\n\n## Key\n",
                "# Key\n",
                Some("the heading `Key`"),
            ),
            (
                "a longer paragraph",
                "a b\n\nc\n",
                "a b. More.\n\nc\n",
                None,
            ),
            ("lines of it", "a.\n", "a.  \nb\n", None),
            (
                "one paragraph for two",
                "a.\n\na.\n",
                "a. b.\n",
                Some("`a.`"),
            ),
            (
                "one that it has itself",
                "a.\n\na. b.\n",
                "a. b.\n",
                Some("`a.`"),
            ),
            ("half a sentence", "a\n", "a b. c.\n", Some("`a`")),
            (
                "another wording",
                "Is the kettle hot? The tea is brewed in 5 minutes.\n",
                "is the kettle hot? Tea is brewed in 5 minutes\n",
                None,
            ),
            (
                "another number",
                "Tea is brewed in 5 minutes.\n",
                "The tea is brewed in 6 minutes.\n",
                Some("`Tea is brewed in 5 minutes.`"),
            ),
            (
                "another wording of an item",
                "- Buy the tea\n",
                "- Buy tea.\n",
                None,
            ),
            (
                "two items are not one",
                "- Buy the tea\n- Buy the tea\n",
                "- Buy tea.\n",
                Some("`- Buy the tea`"),
            ),
            (
                "an item is not a paragraph",
                "- a\n",
                "- a. b\n",
                Some("`- a`"),
            ),
        ] {
            let found = missing_text(&[source], &["Key"], result);
            assert_eq!(found.as_deref(), missing, "{name}");
        }
    }
}
