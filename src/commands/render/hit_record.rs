//! A hit as `search` and `recall` write it.

use super::note_record::NoteRecord;
use crate::commands::args::row_args::keys;
use crate::commands::prelude::*;
use crate::recall::Hit;
use crate::recall::ranking::Score;
use crate::recall::snippet::Snippet;

/// Its stable JSON record.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HitRecord {
    #[serde(flatten)]
    pub(crate) note: NoteRecord,
    score: f32,
    /// Between the question and the nearest passage; null if nothing was compared.
    cosine: Option<f32>,
    /// True if it has none of the words.
    pub(crate) by_meaning: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Score>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) heading: String,
    #[serde(flatten)]
    pub(crate) snippet: Option<Snippet>,
    /// What `--format` asks for beside them.
    #[serde(flatten)]
    pub(crate) fields: Map<String, Value>,
}

impl HitRecord {
    /// All keys that it may have, beside those of the note.
    const OWN_KEYS: &str = "score cosine by_meaning heading line snippet explain";

    /// All keys that it may have.
    pub(crate) fn keys() -> Vec<&'static str> {
        keys(NoteRecord::KEYS).chain(keys(Self::OWN_KEYS)).collect()
    }

    pub(crate) fn new(hit: Hit, explain: bool) -> Self {
        let by_meaning = hit.is_by_meaning();
        Self {
            note: NoteRecord::new(&hit.entry, hit.details),
            score: hit.score.total(),
            cosine: hit.cosine,
            by_meaning,
            explain: explain.then_some(hit.score),
            heading: hit.excerpt.heading,
            snippet: hit.excerpt.snippet,
            fields: Map::new(),
        }
    }

    /// Returns how the score is computed, if that was asked for.
    pub(crate) fn explanation(&self) -> Option<String> {
        let terms = self.explain.as_ref()?;
        let mut text = format!(
            "score {:.4} = (words {:.4} + meaning {:.4} + context {:.4}) × weight {:.3}",
            self.score, terms.text, terms.semantic, terms.context, terms.weight
        );
        for (name, factor) in [("voice", terms.voice), ("space", terms.space)] {
            if factor < 1.0 {
                let _ = write!(text, " × {name} {factor:.3}");
            }
        }
        if terms.salience != 0.0 || terms.helped != 0.0 {
            let _ = write!(
                text,
                " × learned {:.3} (1 + salience {:.3} + helped {:.3})",
                terms.learned(),
                terms.salience,
                terms.helped
            );
        }
        if terms.name != 0.0 {
            let _ = write!(text, " + name {:.4}", terms.name);
        }
        let _ = match self.cosine {
            Some(cosine) => write!(text, "; cosine {cosine:.3}"),
            None => write!(text, "; no vectors"),
        };
        Some(text)
    }
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
