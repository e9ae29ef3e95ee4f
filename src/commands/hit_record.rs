//! A hit as `search` and `recall` write it.

use serde::Serialize;

use super::note_record::NoteRecord;
use crate::output::Style;
use crate::output::lines::Line;
use crate::recall::Hit;
use crate::recall::snippet::Snippet;

/// Its stable JSON record.
#[derive(Debug, Serialize)]
pub(super) struct HitRecord {
    #[serde(flatten)]
    note: NoteRecord,
    score: f32,
    /// Between the question and the nearest passage; null if nothing was compared.
    cosine: Option<f32>,
    /// True if it has none of the words.
    by_meaning: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<ExplainRecord>,
    #[serde(skip_serializing_if = "String::is_empty")]
    heading: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<String>,
}

/// `score = (words + meaning + context) × weight × voice + name`.
#[derive(Debug, Serialize)]
struct ExplainRecord {
    words: f32,
    meaning: f32,
    context: f32,
    weight: f32,
    voice: f32,
    name: f32,
}

impl HitRecord {
    pub(super) fn new(hit: Hit, explain: bool) -> Self {
        let by_meaning = hit.is_by_meaning();
        let (line, snippet) = match hit.excerpt.snippet {
            Some(snippet) => (Some(snippet.line), Some(snippet.text)),
            None => (None, None),
        };
        Self {
            note: NoteRecord::new(&hit.entry, hit.details),
            score: hit.score.total(),
            cosine: hit.cosine,
            by_meaning,
            explain: explain.then_some(ExplainRecord {
                words: hit.score.text,
                meaning: hit.score.semantic,
                context: hit.score.context,
                weight: hit.score.weight,
                voice: hit.score.voice,
                name: hit.score.name,
            }),
            heading: hit.excerpt.heading,
            line,
            snippet,
        }
    }
}

/// Returns a snippet with what was found set off.
pub(super) fn highlighted(snippet: &Snippet) -> Line {
    let mut line = Line::default();
    let mut at = 0;
    for range in &snippet.highlights {
        line.push(None, &snippet.text[at..range.start]);
        line.push(Some(Style::Match), &snippet.text[range.clone()]);
        at = range.end;
    }
    line.and(None, &snippet.text[at..])
}
