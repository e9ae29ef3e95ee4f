//! A line of Markdown as its reader sees it: what is set, and in which look, without the marks that say so.
//!
//! Works on one line, so that a line of the note stays a line. A mark that has no partner on its line is
//! text. Code is for the caller to leave out: a line does not know that it stands in a block.

use std::ops::Range;

use pulldown_cmark::{Event, Parser};

use super::links::{self, Link};

/// In a longer line, in bytes, no marks are looked for: partners would be sought for very long.
const LONGEST: usize = 8192;

/// No sign has a longer name, in bytes: `&CounterClockwiseContourIntegral;`.
const LONGEST_ENTITY: usize = 33;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of this level.
    Heading(usize),
    /// A task: done, dropped or in a state of its own, unless it is open.
    Task {
        is_open: bool,
    },
    /// With a bullet or a number, which stays.
    Item,
    /// A row of a table.
    Row,
    /// A line across the page, the line below the head of a table, or a comment.
    Rule,
    Text,
}

/// How a piece of a line is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "looks go together")]
pub struct Look {
    pub strong: bool,
    pub emphasis: bool,
    pub struck: bool,
    pub highlight: bool,
    pub code: bool,
    /// Written, and not seen: a tag, a comment, the mark of a footnote or a block.
    pub hidden: bool,
}

/// Where a piece leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leads {
    /// To a note or a file of the vault: a wikilink's target.
    Note(String),
    /// To an address or a path, as it is written.
    Address(String),
}

/// A piece of a line that is set in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub text: String,
    /// Where it begins in the line as it is written.
    pub at: usize,
    pub look: Look,
    pub leads: Option<Leads>,
    /// Whether another cell of a table begins here.
    pub is_cell: bool,
    /// Whether something else stands here: a picture, a note.
    pub is_embed: bool,
}

impl Piece {
    /// Returns whether it is a text of the line.
    fn is_read(&self) -> bool {
        !self.look.hidden && !self.is_embed
    }
}

/// A line as it is seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub kind: Kind,
    /// How many quotes it stands in.
    pub quoted: usize,
    /// How far it is indented, in columns.
    pub indent: usize,
    pub pieces: Vec<Piece>,
}

impl Seen {
    /// Returns its words, the cells of a table parted by dots; the name of what is embedded is none of them.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for piece in self.pieces.iter().filter(|piece| piece.is_read()) {
            if piece.is_cell && !text.is_empty() {
                text.truncate(text.trim_end().len());
                text.push_str(" · ");
            }
            text.push_str(if piece.is_cell {
                piece.text.trim_start()
            } else {
                &piece.text
            });
        }
        text.trim().to_owned()
    }

    /// Returns whether it has nothing but what it embeds.
    #[must_use]
    pub fn is_embed(&self) -> bool {
        self.pieces.iter().any(|piece| piece.is_embed) && self.text().is_empty()
    }

    /// Returns where the byte `at` of [`Self::text`] stands in the line as it is written; within a
    /// link by its target, where that begins.
    #[must_use]
    pub fn origin(&self, line: &str, at: usize) -> usize {
        let text = self.text();
        let mut rest = text.as_str();
        for piece in self.pieces.iter().filter(|piece| piece.is_read()) {
            let own = piece.text.trim();
            let Some(found) = rest.find(own).filter(|_| !own.is_empty()) else {
                continue;
            };
            let start = text.len() - rest.len() + found;
            if at < start + own.len() {
                let lead = piece.text.len() - piece.text.trim_start().len();
                let inside = piece.at + lead + at.saturating_sub(start);
                let is_there = line
                    .get(piece.at + lead..)
                    .is_some_and(|l| l.starts_with(own));
                return if is_there { inside } else { piece.at };
            }
            rest = &rest[found + own.len()..];
        }
        0
    }
}

/// Returns `line` as it is seen.
#[must_use]
pub fn seen(line: &str) -> Seen {
    let mut seen = Seen {
        kind: Kind::Text,
        quoted: 0,
        indent: 0,
        pieces: Vec::new(),
    };
    if line.len() > LONGEST {
        let mut scan = Scan::new(line, line.len());
        scan.push(0, line);
        seen.pieces = scan.pieces();
        return seen;
    }
    let mut at = 0;
    loop {
        let rest = &line[at..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        seen.indent += rest[..blanks]
            .bytes()
            .map(|b| if b == b'\t' { 4 } else { 1 })
            .sum::<usize>();
        at += blanks;
        if !line[at..].starts_with('>') {
            break;
        }
        seen.quoted += 1;
        seen.indent = 0;
        at += 1;
        at += usize::from(line[at..].starts_with(' '));
    }
    let end = at + without_block_id(line[at..].trim_end()).len();
    let rest = &line[at..end];
    if is_rule(rest) {
        seen.kind = Kind::Rule;
        return seen;
    }
    let mut scan = Scan::new(line, end);
    let hashes = rest.bytes().take_while(|b| *b == b'#').count();
    if (1..=6).contains(&hashes) && rest[hashes..].starts_with([' ', '\t']) {
        seen.kind = Kind::Heading(hashes);
        at += hashes;
        at += line[at..end].len() - line[at..end].trim_start().len();
        // `# Title #`
        let closed = line[at..end].trim_end_matches('#');
        if closed.ends_with(' ') {
            scan.end = at + closed.trim_end().len();
        }
    } else if let Some(mark) = item_mark(rest) {
        seen.kind = Kind::Item;
        at += mark;
        if let Some((state, length)) = task_mark(&line[at..end]) {
            let is_open = state == ' ';
            seen.kind = Kind::Task { is_open };
            at += length;
        } else if rest.as_bytes()[0].is_ascii_digit() {
            scan.push(at - mark, &rest[..mark]);
        }
    } else if rest.starts_with('|') {
        seen.kind = Kind::Row;
        scan.is_row = true;
    } else if seen.quoted > 0
        && let Some(length) = callout_mark(rest)
    {
        at += length;
    }
    scan.run(at);
    let written = line.trim_end().len();
    if scan.end < written && scan.end == end {
        scan.hidden(end..written);
    }
    seen.pieces = scan.pieces();
    seen
}

/// Returns whether a line says nothing: a rule, the line below a table's head, a comment.
fn is_rule(line: &str) -> bool {
    let marks = || line.chars().filter(|c| !c.is_whitespace());
    let is_of = |of: char| marks().count() >= 3 && marks().all(|c| c == of);
    let is_comment =
        line.starts_with("<!--") && line.ends_with("-->") && !line[4..].contains("<!--");
    ['-', '*', '_', '='].into_iter().any(is_of) || is_delimiter(line) || is_comment || line == "%%"
}

/// Returns whether `line` parts the head of a table from its rows.
#[must_use]
pub fn is_delimiter(line: &str) -> bool {
    let is_sign = |c: char| matches!(c, '|' | '-' | ':' | ' ' | '\t');
    line.contains('-') && line.contains('|') && line.chars().all(is_sign)
}

/// Returns how long the mark of a list item is with the blanks behind it.
fn item_mark(rest: &str) -> Option<usize> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let length = match rest.as_bytes() {
        [b'-' | b'*' | b'+', ..] => 1,
        bytes if (1..=9).contains(&digits) && matches!(bytes.get(digits), Some(b'.' | b')')) => {
            digits + 1
        }
        _ => return None,
    };
    let behind = &rest[length..];
    let blanks = behind.len() - behind.trim_start().len();
    (blanks > 0).then_some(length + blanks)
}

/// Returns the state of a task, `[x] `, and how long that mark is.
fn task_mark(rest: &str) -> Option<(char, usize)> {
    let mut chars = rest.strip_prefix('[')?.chars();
    let state = chars.next()?;
    let behind = chars.as_str().strip_prefix(']')?;
    let blanks = behind.len() - behind.trim_start().len();
    let is_task = blanks > 0 || behind.is_empty();
    is_task.then_some((state, rest.len() - behind.len() + blanks))
}

/// Returns how long the mark of a callout is: `[!note]- `.
fn callout_mark(rest: &str) -> Option<usize> {
    let (_, behind) = rest.strip_prefix("[!")?.split_once(']')?;
    let behind = behind.strip_prefix(['-', '+']).unwrap_or(behind);
    Some(rest.len() - behind.trim_start().len())
}

/// Returns `text` without ` ^id` at its end.
fn without_block_id(text: &str) -> &str {
    let before = text.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '-');
    match before.strip_suffix('^') {
        Some(start) if before.len() < text.len() && (start.is_empty() || start.ends_with(' ')) => {
            start.trim_end()
        }
        _ => text,
    }
}

/// What stands in a line, before marks have found their partners.
#[derive(Debug)]
enum Token {
    Piece(Piece),
    /// A run of one sign that may set what follows.
    Mark {
        sign: char,
        at: usize,
        length: usize,
        opens: bool,
        closes: bool,
        /// The place of its partner, and whether it is the first of the two.
        partner: Option<bool>,
    },
}

/// The pass over a line.
struct Scan<'l> {
    line: &'l str,
    end: usize,
    is_row: bool,
    tokens: Vec<Token>,
    next_is_cell: bool,
}

impl<'l> Scan<'l> {
    fn new(line: &'l str, end: usize) -> Self {
        Self {
            line,
            end,
            is_row: false,
            tokens: Vec::new(),
            next_is_cell: false,
        }
    }

    fn push(&mut self, at: usize, text: &str) {
        self.push_as(at, text, Look::default(), None);
    }

    fn push_as(&mut self, at: usize, text: &str, look: Look, leads: Option<Leads>) {
        let is_cell = std::mem::take(&mut self.next_is_cell);
        self.tokens.push(Token::Piece(Piece {
            text: text.to_owned(),
            at,
            look,
            leads,
            is_cell,
            is_embed: false,
        }));
    }

    /// Says of the pieces from the token `first` on that they stand for something else.
    fn embed(&mut self, first: usize) {
        for token in &mut self.tokens[first..] {
            if let Token::Piece(piece) = token {
                piece.is_embed = true;
            }
        }
    }

    /// Reads the line from `start` on.
    fn run(&mut self, start: usize) {
        let line = &self.line[..self.end];
        let (mut from, mut at) = (start, start);
        while at < self.end {
            let rest = &line[at..];
            let c = rest.chars().next().unwrap_or_default();
            let before = self.tokens.len();
            let written = from..at;
            let next = match c {
                '\\' => self.escape(written, at),
                '&' => self.entity(written, at),
                '`' => self.code(written, at),
                '!' | '[' => self.link(written, at),
                '<' => self.tag(written, at),
                '%' if rest.starts_with("%%") => rest[2..].find("%%").map(|length| {
                    self.text(written);
                    self.hidden(at..at + length + 4)
                }),
                '*' | '_' | '~' | '=' => Some(self.mark(written, at, c)),
                '|' if self.is_row => {
                    self.text(written);
                    self.next_is_cell = true;
                    Some(at + 1)
                }
                _ => None,
            };
            debug_assert!(next.is_some() || before == self.tokens.len());
            at = next.unwrap_or(at + c.len_utf8());
            if next.is_some() {
                from = at;
            }
        }
        self.text(from..self.end);
    }

    fn text(&mut self, span: Range<usize>) {
        if !span.is_empty() {
            let text = &self.line[span.clone()];
            if !(self.is_row && text.trim().is_empty() && self.next_is_cell) {
                self.push(span.start, text);
            }
        }
    }

    /// Adds what is written and not seen; returns where it ends.
    fn hidden(&mut self, span: Range<usize>) -> usize {
        let look = Look {
            hidden: true,
            ..Look::default()
        };
        let is_cell = self.next_is_cell;
        self.next_is_cell = false;
        self.push_as(span.start, &self.line[span.clone()], look, None);
        self.next_is_cell = is_cell;
        span.end
    }

    fn escape(&mut self, before: Range<usize>, at: usize) -> Option<usize> {
        let sign = *self.line.as_bytes()[..self.end].get(at + 1)?;
        sign.is_ascii_punctuation().then(|| {
            self.text(before);
            self.push(at + 1, &self.line[at + 1..at + 2]);
            at + 2
        })
    }

    fn entity(&mut self, before: Range<usize>, at: usize) -> Option<usize> {
        let rest = &self.line[at..self.end];
        let is_named = |c: char| c.is_ascii_alphanumeric() || c == '#';
        let name = rest[1..].split(|c| !is_named(c)).next()?;
        let entity = rest.get(..name.len() + 2)?;
        if !entity.ends_with(';') || entity.len() > LONGEST_ENTITY {
            return None;
        }
        let texts = Parser::new(entity).filter_map(|event| match event {
            Event::Text(text) => Some(text.into_string()),
            _ => None,
        });
        let sign: String = texts.collect();
        (sign != entity).then(|| {
            self.text(before);
            self.push(at, &sign);
            at + entity.len()
        })
    }

    fn code(&mut self, before: Range<usize>, at: usize) -> Option<usize> {
        let rest = &self.line[at..self.end];
        let ticks = rest.bytes().take_while(|b| *b == b'`').count();
        let mut inside = ticks;
        let end = loop {
            inside += rest[inside..].find('`')?;
            let run = rest[inside..].bytes().take_while(|b| *b == b'`').count();
            if run == ticks {
                break inside;
            }
            inside += run;
        };
        self.text(before);
        let text = &rest[ticks..end];
        let trimmed = match text.trim() {
            "" => text,
            trimmed => trimmed,
        };
        let lead = text.find(trimmed).unwrap_or(0);
        let look = Look {
            code: true,
            ..Look::default()
        };
        self.push_as(at + ticks + lead, trimmed, look, None);
        Some(at + end + ticks)
    }

    fn link(&mut self, before: Range<usize>, at: usize) -> Option<usize> {
        let line = &self.line[..self.end];
        let open = at + usize::from(line[at..].starts_with('!'));
        let rest = &line[open..];
        if rest.starts_with("[[") {
            let wiki = links::wikilink(line, open)?;
            self.text(before);
            let shown = shown(&wiki);
            let inside = line[wiki.span.clone()].rfind(&shown);
            let start = inside.map_or(wiki.span.start, |inside| wiki.span.start + inside);
            let target = match &wiki.part {
                Some(part) => format!("{}#{part}", wiki.target),
                None => wiki.target,
            };
            if inside.is_some() && wiki.label.is_some() {
                let label = start..start + shown.len();
                self.label(label, Some(&Leads::Note(target)), wiki.embed);
            } else {
                let first = self.tokens.len();
                self.push_as(start, &shown, Look::default(), Some(Leads::Note(target)));
                if wiki.embed {
                    self.embed(first);
                }
            }
            return Some(wiki.span.end);
        }
        if !rest.starts_with('[') {
            return None;
        }
        let close = open + closing(&line[open..], b'[', b']')?;
        if line[open..].starts_with("[^") {
            // `[^1]: ` begins what a footnote says.
            let is_first = line[..at].trim_start_matches(['>', ' ', '\t']).is_empty();
            let colon = usize::from(is_first && line[close + 1..].starts_with(':'));
            self.text(before);
            return Some(self.hidden(at..close + 1 + colon));
        }
        let label = open + 1..close;
        let behind = &line[close + 1..];
        let (address, end) = if behind.starts_with('(') {
            let end = close + 1 + closing(behind, b'(', b')')?;
            (address(&line[close + 2..end]), end + 1)
        } else if behind.starts_with('[') {
            (String::new(), close + 2 + closing(behind, b'[', b']')?)
        } else {
            return None;
        };
        self.text(before);
        let is_embed = open > at;
        let leads = (!address.is_empty() && !is_embed).then_some(Leads::Address(address));
        self.label(label, leads.as_ref(), is_embed);
        Some(end)
    }

    /// Adds the label of a link.
    fn label(&mut self, label: Range<usize>, leads: Option<&Leads>, is_embed: bool) {
        let first = self.tokens.len();
        let mut inner = Scan::new(self.line, label.end);
        inner.next_is_cell = std::mem::take(&mut self.next_is_cell);
        inner.run(label.start);
        self.next_is_cell = inner.next_is_cell;
        self.tokens.append(&mut inner.tokens);
        if is_embed {
            self.embed(first);
        }
        for token in &mut self.tokens[first..] {
            if let Token::Piece(piece) = token
                && piece.leads.is_none()
            {
                piece.leads = leads.cloned();
            }
        }
    }

    fn tag(&mut self, before: Range<usize>, at: usize) -> Option<usize> {
        let rest = &self.line[at..self.end];
        if rest.starts_with("<!--") {
            let end = at + rest.find("-->")? + 3;
            self.text(before);
            return Some(self.hidden(at..end));
        }
        let inside = &rest[1..rest.find('>')?];
        let name = inside.strip_prefix('/').unwrap_or(inside);
        if inside.starts_with("http://") || inside.starts_with("https://") {
            self.text(before);
            let leads = Leads::Address(inside.to_owned());
            self.push_as(at + 1, inside, Look::default(), Some(leads));
        } else if name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.contains(['<', '@'])
        {
            self.text(before);
            self.hidden(at..at + inside.len() + 2);
        } else {
            return None;
        }
        Some(at + inside.len() + 2)
    }

    fn mark(&mut self, before: Range<usize>, at: usize, sign: char) -> usize {
        let line = &self.line[..self.end];
        let length = line[at..]
            .bytes()
            .take_while(|b| char::from(*b) == sign)
            .count();
        let fits = match sign {
            '~' | '=' => length == 2,
            _ => length <= 3,
        };
        let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let left = line[..at].chars().next_back();
        let right = line[at + length..].chars().next();
        let (opens, closes) = match sign {
            '_' => (
                !is_blank(right) && !is_word(left),
                !is_blank(left) && !is_word(right),
            ),
            _ => (!is_blank(right), !is_blank(left)),
        };
        self.text(before);
        if !fits || !(opens || closes) {
            self.push(at, &line[at..at + length]);
            return at + length;
        }
        self.tokens.push(Token::Mark {
            sign,
            at,
            length,
            opens,
            closes,
            partner: None,
        });
        at + length
    }

    /// Lets marks find their partners and returns what is seen.
    fn pieces(mut self) -> Vec<Piece> {
        let mut open: Vec<(usize, char, usize)> = Vec::new();
        for index in 0..self.tokens.len() {
            let Token::Mark {
                sign,
                length,
                opens,
                closes,
                ..
            } = self.tokens[index]
            else {
                continue;
            };
            let fits = |(_, other, run): &(usize, char, usize)| *other == sign && *run == length;
            if closes && let Some(place) = open.iter().rposition(fits) {
                for (which, is_first) in [(open[place].0, true), (index, false)] {
                    if let Token::Mark { partner, .. } = &mut self.tokens[which] {
                        *partner = Some(is_first);
                    }
                }
                open.truncate(place);
            } else if opens {
                open.push((index, sign, length));
            }
        }
        let mut pieces: Vec<Piece> = Vec::new();
        let mut looks = vec![Look::default()];
        for token in self.tokens {
            let mut piece = match token {
                Token::Piece(piece) => piece,
                Token::Mark {
                    sign,
                    length,
                    partner: Some(true),
                    ..
                } => {
                    let mut look = looks.last().copied().unwrap_or_default();
                    match sign {
                        '~' => look.struck = true,
                        '=' => look.highlight = true,
                        _ => {
                            look.emphasis |= length != 2;
                            look.strong |= length != 1;
                        }
                    }
                    looks.push(look);
                    continue;
                }
                Token::Mark {
                    partner: Some(false),
                    ..
                } => {
                    looks.pop();
                    continue;
                }
                Token::Mark { at, length, .. } => Piece {
                    text: self.line[at..at + length].to_owned(),
                    at,
                    look: Look::default(),
                    leads: None,
                    is_cell: false,
                    is_embed: false,
                },
            };
            let around = looks.last().copied().unwrap_or_default();
            piece.look = Look {
                code: piece.look.code,
                hidden: piece.look.hidden,
                ..around
            };
            pieces.push(piece);
        }
        pieces
    }
}

/// Returns where the bracket that `text` begins with is closed.
fn closing(text: &str, open: u8, close: u8) -> Option<usize> {
    let mut depth = 0_usize;
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        if byte == b'\\' {
            bytes.next();
        } else if byte == open {
            depth += 1;
        } else if byte == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// Returns the address of a link without its title: `<a b> "title"`.
fn address(inside: &str) -> String {
    let inside = inside.trim();
    match inside
        .strip_prefix('<')
        .and_then(|rest| rest.split_once('>'))
    {
        Some((address, _)) => address.to_owned(),
        None => inside
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned(),
    }
}

/// Returns what a reader sees of a wikilink: its label, or the name of what it names.
fn shown(link: &Link) -> String {
    match &link.label {
        // What is embedded shows itself: its label is a size or a class.
        Some(label) if !link.embed => label.clone(),
        _ => Link {
            label: None,
            target: link
                .target
                .rsplit('/')
                .next()
                .unwrap_or_default()
                .to_owned(),
            ..link.clone()
        }
        .unlinked(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_not_seen() {
        for (line, expected) in [
            (
                "plain text, a_b_c and 2 * 3 * 4",
                "plain text, a_b_c and 2 * 3 * 4",
            ),
            ("**bold**, *it*, __b__, _i_ ***x***", "bold, it, b, i x"),
            ("~~gone~~ ==seen== ~one~ a=b==c", "gone seen ~one~ a=b==c"),
            ("a ** b and **open", "a ** b and **open"),
            (
                "see [[a/b|label]] and [[a/b#Part]], ![[photo.png|300]]",
                "see label and b > Part,",
            ),
            ("[text](a.md \"t\") ![alt](x.png) [r][id] [^1]", "text  r "),
            ("![[a/b#^c|clean]] is here", "is here"),
            ("> ![[logo.png]]", ""),
            ("[^1]: a footnote", "a footnote"),
            ("a[^1]: b", "a: b"),
            ("[*a* **b**](c.md)", "a b"),
            ("[a] b [x", "[a] b [x"),
            ("`a*b*` and ``x`y`` and `open", "a*b* and x`y and `open"),
            (
                "<b>bold</b><br/> a < b > c <https://x.y/z> <!-- no --> d",
                "bold a < b > c https://x.y/z  d",
            ),
            ("a %%hidden%% b 5%% c", "a  b 5%% c"),
            ("\\*not\\* \\[x\\]", "*not* [x]"),
            ("a&nbsp;b &amp; &#8364; &x; &amp", "a\u{a0}b & € &x; &amp"),
            ("`&amp;` AT&T; R&D", "&amp; AT&T; R&D"),
            ("&amp;lt;", "&lt;"),
            ("## Heading ##", "Heading"),
            ("#tag stays", "#tag stays"),
            ("> > quoted **x**", "quoted x"),
            ("> [!note]- Title", "Title"),
            ("- [ ] open", "open"),
            ("  * [x] done", "done"),
            ("- item", "item"),
            ("3. third", "3. third"),
            ("1789. A year", "1789. A year"),
            ("| a | **b** | [[c\\|d]] |", "a · b · d"),
            ("|---|:-:|", ""),
            ("---", ""),
            ("***", ""),
            ("<!-- mem list -->", ""),
            ("the end ^b-1", "the end"),
            ("東京の**天気**は", "東京の天気は"),
            ("", ""),
            ("*", "*"),
            ("[", "["),
            ("\\", "\\"),
        ] {
            assert_eq!(seen(line).text(), expected.trim(), "{line}");
        }
    }

    #[test]
    fn a_line_says_what_it_is() {
        for (line, kind, quoted, indent) in [
            ("### Tea", Kind::Heading(3), 0, 0),
            ("- [ ] x", Kind::Task { is_open: true }, 0, 0),
            ("\t- [-] x", Kind::Task { is_open: false }, 0, 4),
            ("  - x", Kind::Item, 0, 2),
            ("> > x", Kind::Text, 2, 0),
            ("| x |", Kind::Row, 0, 0),
            ("- - -", Kind::Rule, 0, 0),
        ] {
            let seen = seen(line);
            assert_eq!(
                (seen.kind, seen.quoted, seen.indent),
                (kind, quoted, indent),
                "{line}"
            );
        }
    }

    #[test]
    fn a_piece_has_its_look_and_leads_somewhere() {
        let pieces = seen("a **b *c*** [[n|d]] [e](f.md)").pieces;
        let leads = |piece: &Piece| piece.leads.clone();
        let led: Vec<_> = pieces.iter().filter_map(leads).collect();
        assert_eq!(
            led,
            [Leads::Note("n".into()), Leads::Address("f.md".into())]
        );
        let strong: Vec<_> = seen("a **b _c_**")
            .pieces
            .into_iter()
            .filter(|piece| piece.look.strong)
            .collect();
        assert_eq!(strong.len(), 2);
        assert!(strong[1].look.emphasis && !strong[0].look.emphasis);
    }

    #[test]
    fn a_place_is_found_again() {
        for (line, word, column) in [
            ("- see [[a/b|label]] and **tea**", "label", 12),
            ("- see [[a/b|label]] and **tea**", "tea", 26),
            ("| a | tea |", "tea", 6),
            ("plain tea", "tea", 6),
        ] {
            let seen = seen(line);
            let at = seen.text().find(word).unwrap();
            assert_eq!(seen.origin(line, at), column, "{line}");
            assert!(line[column..].starts_with(word));
        }
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_seen(line in "([-*_~=`\\[\\]()!<>|%#^\\\\ ab東é\t]|\\PC){0,40}") {
            let seen = seen(&line);
            let text = seen.text();
            for (at, _) in text.char_indices() {
                proptest::prop_assert!(seen.origin(&line, at) <= line.len());
            }
        }
    }
}
