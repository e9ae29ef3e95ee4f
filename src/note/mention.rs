//! Where the running text of a note names something that could become a link there.

use std::ops::Range;

use super::names::Names;
use super::prose::prose;
use super::{Note, hash};

/// Characters that an excerpt shows on each side of a name.
const AROUND: usize = 30;

/// A note's text, with what of it is running text.
#[derive(Debug)]
pub struct RunningText<'t> {
    text: &'t str,
    note: Note,
    prose: Vec<Range<usize>>,
}

impl<'t> RunningText<'t> {
    /// Finds the running text of a note whose file is called `stem`.
    #[must_use]
    pub fn of(text: &'t str, stem: &str) -> Self {
        let note = super::read(text, stem);
        let prose = prose(text, &note);
        Self { text, note, prose }
    }

    /// Returns the number and the span of each of `names`, in the order of the text.
    pub fn mentions(&self, names: &Names) -> impl Iterator<Item = (u32, Range<usize>)> {
        let start = self.note.body.start;
        // The characters around a stretch decide, too: `Tea` in `Tea[1]`.
        let in_body = names.in_text(&self.text[self.note.body.clone()]);
        in_body.into_iter().filter_map(move |(number, span)| {
            let span = span.start + start..span.end + start;
            let at = self.prose.partition_point(|stretch| stretch.end < span.end);
            let stretch = self.prose.get(at)?;
            (stretch.start <= span.start && span.end <= stretch.end).then_some((number, span))
        })
    }

    /// Returns the hash of the line around `span` as a reader sees it: it stays the same when a name on
    /// the line becomes a link.
    #[must_use]
    pub fn line(&self, span: &Range<usize>) -> u64 {
        let start = self.text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let end = self.text[span.end..].find('\n');
        let end = end.map_or(self.text.len(), |at| span.end + at);
        let mut line = String::new();
        let mut at = start;
        let links = &self.note.links;
        let first = links.partition_point(|link| link.span.start < start);
        for link in &links[first..] {
            if link.span.end > end {
                break;
            }
            if link.span.start >= at {
                line.push_str(&self.text[at..link.span.start]);
                line.push_str(&link.unlinked());
                at = link.span.end;
            }
        }
        line.push_str(&self.text[at..end]);
        hash::normal_hash(&line)
    }

    /// Returns `span` with up to [`AROUND`] characters of its line on each side.
    #[must_use]
    pub fn excerpt(&self, span: &Range<usize>) -> String {
        let before = &self.text[self.note.body.start..span.start];
        let before = before.rsplit('\n').next().unwrap_or_default();
        let behind = self.text[span.end..].split('\n').next().unwrap_or_default();
        let skipped = before.chars().count().saturating_sub(AROUND);
        let mut excerpt = String::from(if skipped > 0 { "…" } else { "" });
        excerpt.extend(before.chars().skip(skipped));
        excerpt.push_str(&self.text[span.clone()]);
        excerpt.extend(behind.chars().take(AROUND));
        if behind.chars().nth(AROUND).is_some() {
            excerpt.push('…');
        }
        excerpt.trim().to_owned()
    }
}
