//! Open documents, positions in them, and addresses of files.

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

use crate::commands::prelude::*;

/// The unit of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf16,
}

impl Encoding {
    /// Returns UTF-8 if the client offers it, else the UTF-16 of every client.
    pub(super) fn negotiated(capabilities: &Value) -> Self {
        let offered = capabilities["general"]["positionEncodings"].as_array();
        if offered.is_some_and(|offered| offered.contains(&json!("utf-8"))) {
            Self::Utf8
        } else {
            Self::Utf16
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
        }
    }

    fn width(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
        }
    }
}

/// A text with the offsets of its lines, which end in `\n`, `\r\n` or `\r`.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    pub(super) text: String,
    starts: Vec<usize>,
    encoding: Encoding,
    /// Ends of the characters that have more bytes than units, each with the surplus bytes up to there.
    surplus: OnceCell<Vec<(usize, usize)>>,
}

impl Lines {
    pub(super) fn new(text: String, encoding: Encoding) -> Self {
        let starts = std::iter::once(0).chain(starts_in(&text, 0..text.len()));
        Self {
            starts: starts.collect(),
            text,
            encoding,
            surplus: OnceCell::new(),
        }
    }

    /// Returns the index of the line that contains `offset`.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }

    /// Returns the span of a line without its end; an empty one after the last line.
    pub(super) fn line_span(&self, line: usize) -> Range<usize> {
        let Some(start) = self.starts.get(line) else {
            return self.text.len()..self.text.len();
        };
        let next = self.starts.get(line + 1);
        let line = &self.text[*start..*next.unwrap_or(&self.text.len())];
        *start..start + line.trim_end_matches(['\n', '\r']).len()
    }

    /// Returns the offset of a position; columns beyond the line mean its end.
    pub(super) fn offset(&self, position: &Value) -> usize {
        let line = position["line"].as_u64().unwrap_or_default() as usize;
        let column = position["character"].as_u64().unwrap_or_default() as usize;
        let span = self.line_span(line);
        let mut width = 0;
        let mut chars = self.text[span.clone()].char_indices();
        let beyond = chars.find(|(_, c)| {
            width += self.encoding.width(*c);
            width > column
        });
        beyond.map_or(span.end, |(at, _)| span.start + at)
    }

    pub(super) fn position(&self, offset: usize) -> Value {
        let line = self.line(offset);
        let start = self.starts[line];
        let surplus = self.surplus(offset) - self.surplus(start);
        json!({"line": line, "character": offset - start - surplus})
    }

    /// Returns the number of bytes before `offset` above the number of units.
    fn surplus(&self, offset: usize) -> usize {
        let surplus = self.surplus.get_or_init(|| {
            let mut sum = 0;
            let chars = self.text.char_indices().filter(|(_, c)| !c.is_ascii());
            let sums = chars.map(|(at, c)| {
                sum += c.len_utf8() - self.encoding.width(c);
                (at + c.len_utf8(), sum)
            });
            sums.collect()
        });
        let before = surplus.partition_point(|(end, _)| *end <= offset);
        before.checked_sub(1).map_or(0, |last| surplus[last].1)
    }

    pub(super) fn range(&self, span: &Range<usize>) -> Value {
        json!({"start": self.position(span.start), "end": self.position(span.end)})
    }

    pub(super) fn span(&self, range: &Value) -> Range<usize> {
        let start = self.offset(&range["start"]);
        start..self.offset(&range["end"]).max(start)
    }

    /// Applies a change of the editor.
    fn change(&mut self, change: &Value) {
        let new = change["text"].as_str().unwrap_or_default();
        match &change["range"] {
            Value::Null => *self = Self::new(new.to_owned(), self.encoding),
            range => self.replace(self.span(range), new),
        }
    }

    /// Replaces a span. Only the lines that it touches are read again: an editor may send thousands of changes at once.
    fn replace(&mut self, span: Range<usize>, new: &str) {
        // A `\r` before the span may become a part of `\r\n`.
        let first = self.line(span.start).saturating_sub(1);
        let later = self.starts.split_off(self.line(span.end) + 1);
        let rest = later.first().map_or(0, |next| self.text.len() - next);
        self.starts.truncate(first + 1);
        self.text.replace_range(span.clone(), new);
        let touched = self.starts[first]..self.text.len() - rest;
        self.starts.extend(starts_in(&self.text, touched));
        let moved = later
            .iter()
            .skip(1)
            .map(|start| start - span.len() + new.len());
        self.starts.extend(moved);
        self.surplus.take();
    }
}

/// Returns the starts of the lines after the line breaks in `span`.
fn starts_in(text: &str, span: Range<usize>) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    let is_break = |at: &usize| match bytes[*at] {
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        byte => byte == b'\n',
    };
    span.filter(is_break).map(|at| at + 1)
}

/// A document that is open in the editor.
#[derive(Debug)]
pub(super) struct EditorDocument {
    pub(super) version: Value,
    pub(super) text: Lines,
}

/// The open documents by address, as the editor writes it.
pub(super) type Documents = BTreeMap<String, EditorDocument>;

/// Applies the changes of `textDocument/didChange`.
pub(super) fn change(documents: &mut Documents, params: &Value) {
    let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
    let Some(document) = documents.get_mut(uri) else {
        return;
    };
    document.version = params["textDocument"]["version"].clone();
    for change in params["contentChanges"].as_array().into_iter().flatten() {
        document.text.change(change);
    }
}

/// Characters of a path that an address contains unencoded.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Returns the address of a file.
pub(super) fn uri(file: &Path) -> String {
    let path = percent_encode(file.as_os_str().as_bytes(), PATH);
    format!("file://{path}")
}

/// Returns the file at an address; `None` for other schemes and hosts.
pub(super) fn file(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let bytes: Vec<u8> = percent_decode_str(path).collect();
    path.starts_with('/')
        .then(|| PathBuf::from(OsStr::from_bytes(&bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_units_of_the_encoding() {
        let text = "a\r\n茶🍵b\n\rc\r\rd";
        for (encoding, line, column, offset) in [
            (Encoding::Utf16, 0, 1, 1),
            (Encoding::Utf16, 0, 9, 1),
            (Encoding::Utf16, 1, 1, 6),
            (Encoding::Utf16, 1, 3, 10),
            (Encoding::Utf8, 1, 3, 6),
            (Encoding::Utf8, 1, 7, 10),
            (Encoding::Utf8, 2, 0, 12),
            (Encoding::Utf16, 3, 1, 14),
            (Encoding::Utf16, 5, 0, 16),
        ] {
            let text = Lines::new(text.to_owned(), encoding);
            let position = json!({"line": line, "character": column});
            assert_eq!(text.offset(&position), offset, "{encoding:?} {position}");
            if column < 9 {
                assert_eq!(text.position(offset), position, "{encoding:?}");
            }
        }
        // Inside a character and beyond the text.
        let text = Lines::new(text.to_owned(), Encoding::Utf16);
        assert_eq!(text.offset(&json!({"line": 1, "character": 2})), 6);
        assert_eq!(text.offset(&json!({"line": 7, "character": 2})), 17);
        // The end of a line belongs to no column.
        assert_eq!(text.line_span(0), 0..1);
    }

    #[test]
    fn changes_replace_ranges_or_everything() {
        let mut text = Lines::new("one\n🍵 two\n".to_owned(), Encoding::Utf16);
        let at = |line: u32, from: u32, to: u32| json!({"start": {"line": line, "character": from}, "end": {"line": line, "character": to}});
        text.change(&json!({"range": at(1, 3, 6), "text": "cups\nthree"}));
        assert_eq!(text.text, "one\n🍵 cups\nthree\n");
        text.change(&json!({"range": at(2, 0, 5), "text": ""}));
        text.change(&json!({"range": at(0, 0, 0), "text": "> "}));
        assert_eq!(text.text, "> one\n🍵 cups\n\n");
        text.change(&json!({"text": "new"}));
        assert_eq!(text.text, "new");
    }

    #[test]
    fn a_change_finds_the_lines_of_the_new_text() {
        const PIECES: [&str; 4] = ["", "\r", "\n", "茶"];
        for number in 0..4_usize.pow(6) {
            let pieces: Vec<&str> = (0..6).map(|at| PIECES[number >> (2 * at) & 3]).collect();
            let (before, new, after) = (pieces[..2].concat(), pieces[2], pieces[4..].concat());
            let text = [&before, pieces[3], &after].concat();
            let mut lines = Lines::new(text, Encoding::Utf16);
            let span = before.len()..before.len() + pieces[3].len();
            // No position is within `\r\n`.
            if [span.start, span.end]
                .iter()
                .any(|at| lines.text[..*at].ends_with('\r') && lines.text[*at..].starts_with('\n'))
            {
                continue;
            }
            lines.replace(span, new);
            let fresh = Lines::new([&before, new, &after].concat(), Encoding::Utf16);
            assert_eq!(lines.starts, fresh.starts, "{pieces:?}");
        }
    }

    #[test]
    fn addresses_round_trip() {
        let path = Path::new("/a b/Tee & 茶#1.md");
        assert_eq!(uri(path), "file:///a%20b/Tee%20%26%20%E8%8C%B6%231.md");
        assert_eq!(file(&uri(path)).as_deref(), Some(path));
        assert_eq!(file("untitled:Untitled-1"), None);
        assert_eq!(file("file://host/a.md"), None);
    }
}
