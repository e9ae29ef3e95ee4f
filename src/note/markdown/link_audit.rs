//! Independent link reader that verifies edits.
//!
//! [`links`](super::links) and [`body`](super::body) decide what an edit changes. This reader verifies that the links
//! survive, so it shares no code with them. It scans lines and bytes without the Markdown parser, and skips code,
//! math, comments and escapes. Of two overlapping constructs the first wins. It also reports external addresses,
//! which an edit must not damage either.
//!
//! It may misread rare constructs (an HTML block, code in a list), but equally before and after an edit elsewhere.
//! Time is linear in the length of the text.

use std::collections::HashMap;
use std::ops::Range;

use percent_encoding::percent_decode_str;

use crate::note::front_matter::split::{Language, split};

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
    let parts = split(text);
    let body = &text[parts.body.clone()];
    if body.contains('[') || body.contains("://") {
        let blocks = Blocks::of(text, parts.body);
        for leaf in &blocks.leaves {
            InlineReader::new(&blocks, leaf.clone()).read(&mut links);
        }
    }
    links
}

/// Returns the wikilinks in the front matter, in any context. In JSON their property is unknown.
pub fn links_of_properties(text: &str) -> Vec<AuditedLink> {
    let mut links = Vec::new();
    let Some(block) = split(text).block else {
        return links;
    };
    let sign = match block.language {
        Language::Toml => Some('='),
        Language::Yaml => Some(':'),
        Language::Json | Language::Code => None,
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
        let end = start + line.len();
        let mut at = start;
        while let Some(found) = text[at..end].find("[[") {
            at += found;
            let link = wikilink(text, at, end);
            at = link.as_ref().map_or(at + 1, |link| link.span.end);
            links.extend(link.map(|link| AuditedLink {
                form: LinkForm::Property(key.to_owned()),
                ..link
            }));
        }
        start = end;
    }
    links
}

/// The paragraphs and lines of a body that can contain links.
struct Blocks {
    /// The text with code, quote and list markers, and definitions replaced by blanks.
    masked: String,
    /// Paragraphs, headings and rows of tables, in order.
    leaves: Vec<Range<usize>>,
    /// The destination of each label.
    definitions: HashMap<String, String>,
}

/// An open code fence.
struct Fence {
    mark: u8,
    length: usize,
    in_quote: bool,
    /// A less indented line ends its list item and therefore the code.
    indent: usize,
}

impl Blocks {
    fn of(text: &str, body: Range<usize>) -> Self {
        let mut reader = BlockReader {
            text,
            masked: text.as_bytes().to_vec(),
            leaves: Vec::new(),
            definitions: HashMap::new(),
            leaf: None,
            fence: None,
            in_comment: false,
            item: None,
            after_blank: true,
            in_quote: false,
            undefined: None,
        };
        let mut start = body.start;
        for line in text[body].split_inclusive('\n') {
            reader.line(start..start + line.len());
            start += line.len();
        }
        reader.flush();
        Self {
            // Masking replaces only whole characters.
            masked: String::from_utf8(reader.masked).unwrap_or_else(|_| text.to_owned()),
            leaves: reader.leaves,
            definitions: reader.definitions,
        }
    }
}

struct BlockReader<'t> {
    text: &'t str,
    masked: Vec<u8>,
    leaves: Vec<Range<usize>>,
    definitions: HashMap<String, String>,
    /// The open paragraph.
    leaf: Option<Range<usize>>,
    fence: Option<Fence>,
    in_comment: bool,
    /// Column where the text of the open list item begins.
    item: Option<usize>,
    after_blank: bool,
    in_quote: bool,
    /// A label whose destination is on the next line.
    undefined: Option<String>,
}

impl BlockReader<'_> {
    fn flush(&mut self) {
        self.leaves.extend(self.leaf.take());
    }

    fn mask(&mut self, span: Range<usize>) {
        for byte in &mut self.masked[span] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }

    fn line(&mut self, span: Range<usize>) {
        let text = self.text;
        let line = &text[span.clone()];
        if self.in_comment {
            self.in_comment = !line.contains("-->");
            self.mask(span);
            return;
        }
        if self.is_in_fence(line) {
            self.mask(span);
            return;
        }
        let indent = columns(line);
        let bare = line.trim_start();
        if bare.is_empty() {
            self.undefined = None;
            self.flush();
            self.after_blank = true;
            return;
        }
        let after_blank = std::mem::take(&mut self.after_blank);
        if indent < 2 && !bare.starts_with('>') && (after_blank || self.leaf.is_none()) {
            self.item = None;
        }
        if indent >= 4 && self.leaf.is_none() && self.item.is_none() {
            self.mask(span);
            return;
        }
        let start = self.content(span.clone());
        let content = text[start..span.end].trim_end();
        self.mask(span.start..start);
        if content.is_empty() {
            self.flush();
        } else if let Some(comment) = content.strip_prefix("<!--") {
            self.flush();
            self.in_comment = !comment.contains("-->");
            self.mask(span);
        } else if self.opens_fence(content, indent) || self.is_definition(content) {
            self.mask(span);
        } else {
            self.add(start..span.end, content);
        }
    }

    fn is_in_fence(&mut self, line: &str) -> bool {
        let Some(fence) = &self.fence else {
            return false;
        };
        let bare = line.trim();
        let is_outside = !bare.is_empty() && columns(line) < fence.indent;
        if is_outside || fence.in_quote && !bare.starts_with('>') {
            self.fence = None;
            return false;
        }
        let bare = bare.trim_start_matches(['>', ' ', '\t']).as_bytes();
        if bare.len() >= fence.length && bare.iter().all(|byte| *byte == fence.mark) {
            self.fence = None;
            self.after_blank = true;
        }
        true
    }

    fn opens_fence(&mut self, content: &str, indent: usize) -> bool {
        let mark = content.as_bytes()[0];
        let length = content.bytes().take_while(|byte| *byte == mark).count();
        let is_fence = matches!(mark, b'`' | b'~') && length >= 3;
        if !is_fence || mark == b'`' && content[length..].contains('`') {
            return false;
        }
        self.flush();
        self.fence = Some(Fence {
            mark,
            length,
            in_quote: self.in_quote,
            indent: self
                .item
                .filter(|_| !self.in_quote)
                .map_or(0, |item| item.min(indent.max(2))),
        });
        true
    }

    /// Returns the offset of a line's text, after markers of quotes, list items and footnotes. A marker ends the open
    /// paragraph.
    fn content(&mut self, line: Range<usize>) -> usize {
        let bytes = &self.text.as_bytes()[..line.end];
        let mut at = line.start;
        let mut in_quote = false;
        loop {
            while matches!(bytes.get(at), Some(b' ' | b'\t')) {
                at += 1;
            }
            let rest = &self.text[at..line.end];
            if rest.starts_with('>') {
                in_quote = true;
                at += 1;
            } else if let Some(length) = item_mark(rest) {
                self.flush();
                at += length;
                self.item = Some(at - line.start);
            } else if rest.starts_with("[^")
                && let Some(close) = rest.find("]:")
                && !rest[1..close].contains(['[', ']'])
            {
                self.flush();
                at += close + 2;
            } else {
                break;
            }
        }
        // A paragraph in a quote may continue without a marker.
        if in_quote && !self.in_quote {
            self.flush();
        }
        if in_quote || self.leaf.is_none() {
            self.in_quote = in_quote;
        }
        at
    }

    /// Handles a link reference definition; returns whether the line is one.
    fn is_definition(&mut self, content: &str) -> bool {
        if self.leaf.is_some() {
            return false;
        }
        let (label, rest) = if let Some(label) = self.undefined.take() {
            (label, content)
        } else {
            let Some((label, rest)) = content
                .strip_prefix('[')
                .and_then(|rest| rest.split_once("]:"))
            else {
                return false;
            };
            if label.trim().is_empty() || label.contains(['[', ']']) {
                return false;
            }
            (label_key(label), rest.trim())
        };
        if rest.is_empty() {
            self.undefined = Some(label);
            return true;
        }
        let end = destination_end(rest, 0).unwrap_or(rest.len());
        let after = rest[end..].trim();
        if !after.is_empty() && !after.starts_with(['"', '\'', '(']) {
            return false;
        }
        let destination = unescaped(&rest[..end]);
        self.definitions.entry(label).or_insert(destination);
        true
    }

    /// Adds a line of text.
    fn add(&mut self, span: Range<usize>, content: &str) {
        let marks = content.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading = (1..=6).contains(&marks) && content[marks..].starts_with([' ', '\t']);
        let is_underline = content.bytes().all(|byte| matches!(byte, b'-' | b'='));
        let is_alone = is_heading || is_underline || content.starts_with('|');
        if is_alone {
            self.flush();
        }
        match &mut self.leaf {
            Some(leaf) => leaf.end = span.end,
            None => self.leaf = Some(span),
        }
        if is_alone {
            self.flush();
        }
    }
}

/// Returns the indentation of a line in columns.
fn columns(line: &str) -> usize {
    let blanks = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
    blanks.map(|byte| if byte == b'\t' { 4 } else { 1 }).sum()
}

/// Returns the length of the list item marker at the start of `rest`.
fn item_mark(rest: &str) -> Option<usize> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let length = match rest.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    rest[length..].starts_with([' ', '\t']).then_some(length)
}

/// Returns the normalised label, as compared with definitions.
fn label_key(label: &str) -> String {
    single_spaced(label).to_lowercase()
}

fn single_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads the links of one paragraph.
struct InlineReader<'b> {
    blocks: &'b Blocks,
    text: &'b str,
    bytes: &'b [u8],
    at: usize,
    end: usize,
    /// Start offsets of backtick runs by length.
    ticks: HashMap<usize, Vec<usize>>,
    /// End of the last comment.
    comments_end: usize,
    /// Offsets of `$` that may close math, and of `$$`.
    dollars: [Vec<usize>; 2],
    open: Vec<Bracket>,
}

/// An opening bracket of a label.
struct Bracket {
    /// Start of the link, including `!`.
    start: usize,
    label: usize,
    embed: bool,
    /// Number of links before it.
    links: usize,
}

/// Maximum depth of brackets that open a link.
const MAX_DEPTH: usize = 32;

/// Maximum length of a label, as in `CommonMark`.
const MAX_LABEL: usize = 999;

impl<'b> InlineReader<'b> {
    fn new(blocks: &'b Blocks, leaf: Range<usize>) -> Self {
        let bytes = blocks.masked.as_bytes();
        let mut ticks: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut dollars = [Vec::new(), Vec::new()];
        let mut at = leaf.start;
        while at < leaf.end {
            let length = run(&bytes[..leaf.end], at);
            match bytes[at] {
                b'`' => ticks.entry(length).or_default().push(at),
                b'$' if length == 1 => {
                    let is_closing = at > leaf.start
                        && !bytes[at - 1].is_ascii_whitespace()
                        && !bytes[..leaf.end]
                            .get(at + 1)
                            .is_some_and(u8::is_ascii_digit);
                    dollars[0].extend(is_closing.then_some(at));
                }
                b'$' => dollars[1].push(at),
                b'\\' if length % 2 == 1 && bytes.get(at + length) == Some(&b'$') => at += 1,
                _ => {}
            }
            at += length;
        }
        Self {
            blocks,
            text: &blocks.masked[..leaf.end],
            bytes: &bytes[..leaf.end],
            at: leaf.start,
            end: leaf.end,
            comments_end: blocks.masked[leaf.clone()]
                .rfind("-->")
                .map_or(0, |end| leaf.start + end),
            ticks,
            dollars,
            open: Vec::new(),
        }
    }

    fn read(mut self, links: &mut Vec<AuditedLink>) {
        while self.at < self.end {
            let at = self.at;
            self.at = match self.bytes[at] {
                b'\\' => at + 2,
                b'`' => self.skip_code(),
                b'$' => self.skip_math(),
                b'<' => self.skip_angle(links),
                b'!' if self.bytes.get(at + 1) == Some(&b'[') => {
                    self.open_bracket(at, at + 1, links)
                }
                b'[' => self.open_bracket(at, at, links),
                b']' => self.close_bracket(links),
                b'h' => self.read_address(links),
                _ => at + 1,
            };
        }
    }

    fn skip_code(&self) -> usize {
        let length = run(self.bytes, self.at);
        let starts = self.ticks.get(&length).map_or(&[][..], Vec::as_slice);
        let next = starts.partition_point(|start| *start <= self.at);
        starts.get(next).unwrap_or(&self.at) + length
    }

    fn skip_math(&self) -> usize {
        let length = run(self.bytes, self.at);
        let after = self.at + length;
        let is_closed_by = |closings: &[usize], length: usize| {
            let next = closings.partition_point(|closing| *closing < after);
            closings.get(next).map(|closing| closing + length)
        };
        let next = self.bytes.get(after);
        let end = match length {
            1 if next.is_some_and(|next| !next.is_ascii_whitespace()) => {
                is_closed_by(&self.dollars[0], 1)
            }
            2 => is_closed_by(&self.dollars[1], 2),
            _ => None,
        };
        end.unwrap_or(after)
    }

    /// Skips a comment, an address in angle brackets, or a tag.
    fn skip_angle(&self, links: &mut Vec<AuditedLink>) -> usize {
        let at = self.at;
        let rest = &self.text[at..];
        if rest.starts_with("<!--") {
            let is_closed = at < self.comments_end;
            let end = is_closed.then(|| rest.find("-->")).flatten();
            return end.map_or(at + 1, |end| at + end + 3);
        }
        let mut quote = None;
        for (length, byte) in rest.bytes().enumerate().skip(1) {
            match (byte, quote) {
                (b'>', None) => {
                    let inner = &rest[1..length];
                    let end = at + length + 1;
                    let is_name = inner.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
                    if is_address(inner) && !inner.contains(char::is_whitespace) {
                        links.push(address(inner, at..end));
                        return end;
                    }
                    return if is_name { end } else { at + 1 };
                }
                (b'<' | b'[' | b'`', None) => break,
                (byte, Some(open)) if byte == open => quote = None,
                (b'"' | b'\'', None) => quote = Some(byte),
                _ => {}
            }
        }
        at + 1
    }

    /// Reads a bare address.
    fn read_address(&self, links: &mut Vec<AuditedLink>) -> usize {
        let at = self.at;
        let rest = &self.text[at..];
        let is_begun = at > 0 && self.bytes[at - 1].is_ascii_alphanumeric();
        if is_begun || !(rest.starts_with("http://") || rest.starts_with("https://")) {
            return at + 1;
        }
        let is_end = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '[' | ']' | '"' | '`');
        let end = rest.find(is_end).unwrap_or(rest.len());
        let is_mark = |c: char| c.is_ascii_punctuation() && c != '/';
        let address_text = rest[..end].trim_end_matches(is_mark);
        links.push(address(address_text, at..at + address_text.len()));
        at + address_text.len()
    }

    /// Reads the wikilink at a bracket, or pushes the bracket as the start of a label.
    fn open_bracket(
        &mut self,
        start: usize,
        bracket: usize,
        links: &mut Vec<AuditedLink>,
    ) -> usize {
        let embed = start < bracket;
        if let Some(link) = wikilink(self.text, bracket, self.end) {
            let end = link.span.end;
            // `[[1]](address)` is a Markdown link with a label in brackets, `[[vault]](s)` a wikilink.
            let is_address = || {
                let after = self.resource(end).map(|(_, _, after)| after);
                let inner = after.map(|after| &self.bytes[end + 1..after - 1]);
                inner.is_some_and(|inner| {
                    let mut signs = inner.iter();
                    signs.any(|sign| b" \t\r\n./#:%<\\\"".contains(sign))
                })
            };
            if self.bytes.get(end) != Some(&b'(') || !is_address() {
                links.push(AuditedLink {
                    embed,
                    span: start..end,
                    ..link
                });
                return end;
            }
        }
        if self.open.len() < MAX_DEPTH {
            self.open.push(Bracket {
                start,
                label: bracket + 1,
                embed,
                links: links.len(),
            });
        }
        bracket + 1
    }

    fn close_bracket(&mut self, links: &mut Vec<AuditedLink>) -> usize {
        let close = self.at;
        let Some(bracket) = self.open.pop() else {
            return close + 1;
        };
        let label = bracket.label..close;
        let inline = match self.bytes.get(close + 1) {
            Some(b'(') => self.resource(close + 1),
            _ => None,
        };
        let found = inline.or_else(|| self.referenced(label.clone()));
        let Some((destination, title, end)) = found else {
            return close + 1;
        };
        let (target, part) = destination.split_once('#').unwrap_or((&destination, ""));
        if target.is_empty() && part.is_empty() {
            return end;
        }
        // A link's label may contain pictures, but no links.
        let inside = links.split_off(bracket.links.min(links.len()));
        links.extend(inside.into_iter().filter(|link| link.embed));
        links.push(AuditedLink {
            form: LinkForm::Markdown,
            embed: bracket.embed,
            target: decoded(target),
            part: decoded(part),
            label: single_spaced(&[&self.text[label], " ", title].concat()),
            span: bracket.start..end,
        });
        if !bracket.embed {
            self.open.retain(|above| above.embed);
        }
        end
    }

    /// Returns destination and title of the parentheses at `at`, and the offset after them.
    fn resource(&self, at: usize) -> Option<(String, &'b str, usize)> {
        let blank = |at: usize| {
            let rest = &self.text[at..];
            at + rest.len() - rest.trim_start().len()
        };
        let start = blank(at + 1);
        let end = destination_end(self.text, start)?;
        let destination = unescaped(&self.text[start..end]);
        let title = blank(end);
        let mut after = title;
        if title > end
            && let Some(quote @ (b'"' | b'\'' | b'(')) = self.bytes.get(title)
        {
            let quote = if *quote == b'(' { b')' } else { *quote };
            after += 1;
            while *self.bytes.get(after)? != quote {
                // Not a valid title; searching for its end would make time quadratic.
                if quote == b')' && self.bytes[after] == b'(' {
                    return None;
                }
                after += if self.bytes[after] == b'\\' { 2 } else { 1 };
            }
            after += 1;
        }
        let end = blank(after);
        let is_closed = self.bytes.get(end) == Some(&b')');
        is_closed.then(|| (destination, &self.text[title..after], end + 1))
    }

    /// Returns the destination of a label that has a definition, and the end of the link.
    fn referenced(&self, label: Range<usize>) -> Option<(String, &'b str, usize)> {
        let close = label.end;
        let mut end = close + 1;
        let mut id = &self.text[label];
        if self.bytes.get(end) == Some(&b'[') {
            let rest = &self.text[end + 1..];
            let length = rest
                .find(['[', ']'])
                .filter(|at| rest[*at..].starts_with(']'))?;
            end += length + 2;
            if !rest[..length].trim().is_empty() {
                id = &rest[..length];
            }
        }
        if id.len() > MAX_LABEL || self.blocks.definitions.is_empty() {
            return None;
        }
        let definition = self.blocks.definitions.get(&label_key(id))?;
        Some((definition.clone(), "", end))
    }
}

/// Returns the length of the run of equal bytes at `at`.
fn run(bytes: &[u8], at: usize) -> usize {
    let same = bytes[at..].iter().take_while(|byte| **byte == bytes[at]);
    same.count()
}

/// Parses the wikilink whose brackets open at `at`. It ends before `end`, on its line and before the next `[[`.
fn wikilink(text: &str, at: usize, end: usize) -> Option<AuditedLink> {
    let inner = text.get(at..end)?.strip_prefix("[[")?;
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

fn address(text: &str, span: Range<usize>) -> AuditedLink {
    AuditedLink {
        form: LinkForm::Address,
        embed: false,
        target: text.to_owned(),
        part: String::new(),
        label: String::new(),
        span,
    }
}

/// Returns whether the text begins with a scheme, as in `mailto:`.
fn is_address(text: &str) -> bool {
    let scheme = text.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Returns the end of the destination that begins at `start`, including angle brackets.
fn destination_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_angled = bytes.get(start) == Some(&b'<');
    let mut depth = 0;
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'>' if is_angled => return Some(at + 1),
            b'\n' | b'<' if is_angled && at > start => return None,
            _ if is_angled => {}
            b'(' if depth == MAX_DEPTH => return None,
            b'(' => depth += 1,
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            byte if byte.is_ascii_whitespace() || byte.is_ascii_control() => break,
            _ => {}
        }
        at += 1;
    }
    (depth == 0 && !is_angled).then_some(at.min(bytes.len()))
}

/// Returns a destination without angle brackets and escapes.
fn unescaped(destination: &str) -> String {
    let inner = destination
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'));
    let mut plain = String::new();
    let mut chars = inner.unwrap_or(destination).chars().peekable();
    while let Some(c) = chars.next() {
        let is_escape = c == '\\' && chars.peek().is_some_and(char::is_ascii_punctuation);
        plain.extend(if is_escape { chars.next() } else { Some(c) });
    }
    plain
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
            ("[![i](a.png)](b.md)", &["b.md|![i](a.png)", "!a.png|i"]),
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
