//! The passages that a person needs to answer a question.

use crate::change::file_op::FileWrite;
use crate::change::{CompiledGroup, FileOp};
use crate::commands::prelude::*;
use crate::finding::EvidencePart;
use crate::note::markdown::sentences::{most_similar_sentence, sentences};
use crate::output::word_diff::{changes, marked_differences};
use crate::run::answers::edited_text::MentionSpan;
use crate::run::answers::outcome::AnswerPreview;

/// Maximum number of bytes shown of a sentence.
const MAX_SENTENCE_BYTES: usize = 320;

/// Returns the lines to show, or the reason why the question is obsolete.
pub(super) fn passage(
    session: &Session,
    view: &View<'_>,
    asked: &Finding,
) -> Result<Result<Vec<Line>, String>> {
    let mut lines = Vec::new();
    let outcome = match AnswerPreview::of(&session.vault, view, asked)? {
        AnswerPreview::Ready(ready) => Some(ready),
        AnswerPreview::Cannot(why) => {
            let why = format!("cannot be done now: {why}");
            lines.push(Line::of(Style::Warning, why));
            None
        }
        AnswerPreview::Gone(why) => return Ok(Err(why)),
    };
    let mut notes = Vec::new();
    for path in &asked.notes {
        match NotePassage::of(view, path)? {
            Some(note) => notes.push(note),
            None => return Ok(Err(format!("{path} cannot be read"))),
        }
    }
    match (asked.kind().spec().evidence, outcome, notes.as_slice()) {
        (EvidencePart::Differences, Some(ready), [keeper, ..]) => {
            lines.extend(merge(keeper, &ready));
        }
        (EvidencePart::Line, Some(_), [note, to, ..]) => {
            if let Ok(mention) = MentionSpan::of(view, asked) {
                lines.extend(note.mention_lines(&mention));
            }
            // The sentence of the target that relates most to this note.
            lines.extend(to.with_head(&Line::of(None, to.most_related_sentence(note).0), None));
        }
        (EvidencePart::Quotes, _, [a, b, ..]) if asked.quotes.len() > 1 => {
            let quotes = [&asked.quotes[0], &asked.quotes[1]].map(String::as_str);
            let marked = marked_differences(quotes);
            for ((note, line), quote) in [a, b].into_iter().zip(&marked).zip(quotes) {
                let place = note.place_of(quote);
                if quote.trim() == note.title {
                    lines.extend([note.head(line.clone(), place), Line::default()]);
                } else {
                    lines.extend(note.with_head(line, place));
                }
            }
        }
        (EvidencePart::Quotes, _, [note]) if asked.quotes.len() > 1 => {
            lines.push(note.head(Line::of(Style::Title, note.title.clone()), None));
            let quotes = [&asked.quotes[0], &asked.quotes[1]].map(String::as_str);
            for (version, line) in ["ours", "theirs"]
                .into_iter()
                .zip(marked_differences(quotes))
            {
                lines.push(Line::of(Style::Faint, format!("  {version}: ")).join(line));
            }
        }
        _ => {
            for (at, note) in notes.iter().enumerate() {
                // The first note is compared with the second, all others with the first.
                let other = &notes[if at == 0 { notes.len().min(2) - 1 } else { 0 }];
                let (text, place) = note.most_related_sentence(other);
                lines.extend(note.with_head(&Line::of(None, text), place));
            }
        }
    }
    // Blank lines separate notes; none at the end.
    while lines.last().is_some_and(|line| line.text().is_empty()) {
        lines.pop();
    }
    Ok(Ok(lines))
}

/// A note whose passage is shown.
struct NotePassage {
    path: VaultPath,
    title: String,
    /// Its date, if it has one.
    day: Option<String>,
    text: String,
    body: Range<usize>,
}

impl NotePassage {
    /// Reads the note; `None` if it differs from the index.
    fn of(view: &View<'_>, path: &VaultPath) -> Result<Option<Self>> {
        let Some(entry) = view.at(path)? else {
            return Ok(None);
        };
        let Ok(text) = view.text(&entry) else {
            return Ok(None);
        };
        let note = note::read(&text, path.stem());
        Ok(Some(Self {
            path: path.clone(),
            title: note.title,
            day: entry.row.stated().map(|at| {
                let at = at.to_zoned(view.now.time_zone().clone());
                at.strftime("%Y-%m-%d").to_string()
            }),
            body: note.body,
            text,
        }))
    }

    /// Returns the head of the note and `line`, the passage at byte `place`.
    fn with_head(&self, line: &Line, place: Option<usize>) -> Vec<Line> {
        let title = Line::of(Style::Title, self.title.clone());
        let mut lines = vec![self.head(title, place)];
        if !line.text().trim().is_empty() {
            lines.push(Line::of(None, "  ").join(line.clone()));
        }
        lines.push(Line::default());
        lines
    }

    /// Returns `title` with path, line and date.
    fn head(&self, title: Line, place: Option<usize>) -> Line {
        let line = place.map(|at| self.text[..at].matches('\n').count() + 1);
        let number = line.map_or_else(String::new, |number| format!(":{number}"));
        let mut head = title.and(None, "  ");
        head.push(Some(Style::Place), &format!("{}{number}", self.path));
        if let Some(day) = &self.day {
            head.push(Some(Style::Faint), &format!("  {day}"));
        }
        head
    }

    /// Returns the sentence with the mention.
    fn mention_lines(&self, mention: &MentionSpan) -> Vec<Line> {
        let span = mention.span.clone();
        let all = sentences(&self.text, self.body.clone());
        let around = all
            .into_iter()
            .find(|sentence| sentence.start <= span.start && span.end <= sentence.end)
            .unwrap_or_else(|| span.clone());
        let [before, behind] = self.context(&around, &span);
        let line = Line::of(None, before)
            .and(Style::Match, &self.text[span.clone()])
            .and(None, behind);
        self.with_head(&line, Some(span.start))
    }

    /// Returns the text of a sentence before and after `span`, shortened on both sides.
    fn context(&self, sentence: &Range<usize>, span: &Range<usize>) -> [String; 2] {
        let mut before = &self.text[sentence.start..span.start];
        let mut behind = &self.text[span.end..sentence.end];
        let mut cut = ["", ""];
        if before.len() > MAX_SENTENCE_BYTES / 2 {
            let from = before.len() - MAX_SENTENCE_BYTES / 2;
            let blank = before
                .char_indices()
                .find(|(at, c)| *at >= from && *c == ' ');
            before = blank.map_or("", |(at, _)| &before[at..]);
            cut[0] = "…";
        }
        if behind.len() > MAX_SENTENCE_BYTES / 2 {
            behind = prefix(behind, MAX_SENTENCE_BYTES / 2);
            cut[1] = " …";
        }
        [format!("{}{before}", cut[0]), format!("{behind}{}", cut[1])]
    }

    /// Returns the sentence that relates most to `other`, and its position.
    fn most_related_sentence(&self, other: &Self) -> (String, Option<usize>) {
        let all = sentences(&self.text, self.body.clone());
        let other_body = &other.text[other.body.clone()];
        let Some(span) = most_similar_sentence(&self.text, &all, &other.title, other_body) else {
            return (String::new(), None);
        };
        let sentence = &self.text[span.clone()];
        let shown = prefix(sentence, MAX_SENTENCE_BYTES);
        let end = if shown.len() < sentence.len() {
            " …"
        } else {
            ""
        };
        (format!("{shown}{end}"), Some(span.start))
    }

    /// Returns the position of a quote.
    fn place_of(&self, quote: &str) -> Option<usize> {
        let quote = quote.trim_end_matches('…').trim();
        let body = &self.text[self.body.clone()];
        let at = body.find(quote).map(|at| self.body.start + at);
        at.or_else(|| self.text.find(quote))
            .filter(|_| !quote.is_empty())
    }
}

/// Returns a prefix of at most `max_bytes` bytes, cut at a blank if possible.
fn prefix(text: &str, max_bytes: usize) -> &str {
    if text.len() <= max_bytes {
        return text;
    }
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
    let end = ends.take_while(|end| *end <= max_bytes).last().unwrap_or(0);
    let blank = text[..end].rfind(' ').filter(|at| *at > 0);
    &text[..blank.unwrap_or(end)]
}

/// Returns the effect of a merge on each note.
fn merge(keeper: &NotePassage, ready: &CompiledGroup) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut part = |title: String, changes: Vec<Line>| {
        lines.push(Line::of(Style::Title, title));
        lines.extend(changes);
        lines.push(Line::default());
    };
    let kept = ready.writes.iter().find(|write| write.path == keeper.path);
    let planned = kept.and_then(|write| write.after.clone());
    let after = planned.unwrap_or_else(|| Arc::from(keeper.text.as_str()));
    let name = &keeper.path;
    match kept {
        Some(write) => {
            let before = write.before.as_deref().unwrap_or_default();
            part(format!("{name} becomes"), changes(before, &after));
        }
        None => part(format!("{name} is unchanged"), Vec::new()),
    }
    let is_removed = |write: &&FileWrite| matches!(write.op, FileOp::Trash { .. });
    for write in ready.writes.iter().filter(is_removed) {
        let path = &write.path;
        // The merge accounts for properties; a person decides by the text.
        let body =
            |text: &str, path: &VaultPath| text[note::read(text, path.stem()).body].to_owned();
        let before = body(write.before.as_deref().unwrap_or_default(), path);
        let lost: Vec<Line> = changes(before.trim(), body(&after, name).trim())
            .iter()
            .filter_map(|line| {
                line.without(Style::Added)
                    .filter(|line| line.has(Style::Removed))
            })
            .collect();
        let rest = if lost.is_empty() {
            format!("{name} contains all of its text")
        } else {
            format!("{name} differs in")
        };
        part(format!("{path} goes to the trash; {rest}"), lost);
    }
    let follows = |write: &&FileWrite| write.path != *name && !is_removed(write);
    let writes = ready.writes.iter().filter(follows);
    let linking: Vec<&str> = writes.map(|write| write.path.as_str()).collect();
    if !linking.is_empty() {
        let says = format!("links are updated in {}", linking.join(", "));
        lines.push(Line::of(Style::Faint, says));
    }
    lines
}
