//! A hit as `search` and `recall` write it.

use serde::Serialize;
use serde_json::{Map, Value};

use super::note_record::NoteRecord;
use crate::output::Style;
use crate::output::lines::Line;
use crate::recall::Hit;
use crate::recall::snippet::Snippet;

/// Its stable JSON record.
#[derive(Debug, Serialize)]
pub(crate) struct HitRecord {
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
    /// What `--format` asks for beside them.
    #[serde(flatten)]
    pub(crate) fields: Map<String, Value>,
}

/// `score = (words + meaning + context) × weight × voice × space × (1 + salience + helped) + name`.
#[derive(Debug, Serialize)]
struct ExplainRecord {
    words: f32,
    meaning: f32,
    context: f32,
    weight: f32,
    voice: f32,
    space: f32,
    /// In a recall, of notes that feedback was given on.
    #[serde(skip_serializing_if = "Option::is_none")]
    salience: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    helped: Option<f32>,
    name: f32,
}

impl HitRecord {
    /// All keys that it may have beside those of its note.
    pub(crate) const KEYS: &[&str] = &[
        "score",
        "cosine",
        "by_meaning",
        "heading",
        "line",
        "snippet",
        "explain",
    ];

    pub(crate) fn new(hit: Hit, explain: bool) -> Self {
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
                space: hit.score.space,
                salience: some(hit.score.salience),
                helped: some(hit.score.helped),
                name: hit.score.name,
            }),
            heading: hit.excerpt.heading,
            line,
            snippet,
            fields: Map::new(),
        }
    }
}

/// Returns a term if there is anything to it.
fn some(term: f32) -> Option<f32> {
    Some(term).filter(|term| *term != 0.0)
}

/// Says how a score comes about.
pub(crate) fn explanation(hit: &Hit) -> String {
    let score = &hit.score;
    let cosine = match hit.cosine {
        Some(cosine) => format!("cosine {cosine:.3}"),
        None => "no vectors".to_owned(),
    };
    let name = match score.name {
        0.0 => String::new(),
        name => format!(" + name {name:.4}"),
    };
    let less = |name: &str, factor: f32| {
        if factor < 1.0 {
            format!(" × {name} {factor:.3}")
        } else {
            String::new()
        }
    };
    let (voice, space) = (less("voice", score.voice), less("space", score.space));
    let learned = if score.salience == 0.0 && score.helped == 0.0 {
        String::new()
    } else {
        format!(
            " × learned {:.3} (1 + salience {:.3} + helped {:.3})",
            score.learned(),
            score.salience,
            score.helped
        )
    };
    format!(
        "score {:.4} = (words {:.4} + meaning {:.4} + context {:.4}) × weight {:.3}{voice}{space}{learned}{name}; {cosine}",
        score.total(),
        score.text,
        score.semantic,
        score.context,
        score.weight
    )
}

/// Returns a snippet with what was found set off, and marks where it is cut.
pub(crate) fn highlighted(snippet: &Snippet) -> Line {
    let mut line = Line::default();
    if snippet.is_cut_before {
        line.push(Some(Style::Faint), "…");
    }
    let mut at = 0;
    for range in &snippet.highlights {
        line.push(None, &snippet.text[at..range.start]);
        line.push(Some(Style::Match), &snippet.text[range.clone()]);
        at = range.end;
    }
    line.push(None, &snippet.text[at..]);
    if snippet.is_cut_after {
        line.push(Some(Style::Faint), "…");
    }
    line
}
