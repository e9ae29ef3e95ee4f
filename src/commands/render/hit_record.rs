//! The record of a hit, for `search` and `recall`.

use std::borrow::Cow;

use super::note_record::NoteRecord;
use crate::commands::args::output_rows::keys;
use crate::commands::prelude::*;
use crate::recall::ranking::Score;
use crate::recall::snippet::Snippet;

/// The stable JSON record of a hit.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HitRecord {
    #[serde(flatten)]
    pub(crate) note: NoteRecord,
    /// The folder of its vault, if several were searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    vault: Option<PathBuf>,
    /// Whether its vault is not the first one.
    #[serde(skip)]
    is_further: bool,
    score: f32,
    /// Cosine of the query and the nearest passage; null without vectors.
    cosine: Option<f32>,
    /// True if it contains none of the words.
    pub(crate) by_meaning: bool,
    /// True if it lacks some of the words.
    pub(crate) partial: bool,
    /// The last note that replaces it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replaced_by: Option<VaultPath>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Score>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) heading: String,
    #[serde(flatten)]
    pub(crate) snippet: Option<Snippet>,
    /// Other fields used by `--format`.
    #[serde(flatten)]
    pub(crate) fields: Map<String, Value>,
}

impl HitRecord {
    /// The keys besides those of the note.
    const OWN_KEYS: &str =
        "vault score cosine by_meaning partial replaced_by heading line snippet explain";

    /// Returns all keys.
    pub(crate) fn keys() -> Vec<&'static str> {
        keys(NoteRecord::KEYS).chain(keys(Self::OWN_KEYS)).collect()
    }

    pub(crate) fn new(hit: Hit, explain: bool) -> Self {
        let by_meaning = hit.is_by_meaning();
        Self {
            note: NoteRecord::new(&hit.entry, hit.details),
            vault: None,
            is_further: false,
            score: hit.score.total(),
            cosine: hit.cosine,
            by_meaning,
            partial: !hit.is_complete,
            replaced_by: hit.replaced_by,
            explain: explain.then_some(hit.score),
            heading: hit.excerpt.heading,
            snippet: hit.excerpt.snippet,
            fields: Map::new(),
        }
    }

    /// Returns it as a hit of `vault`, one of several.
    pub(crate) fn of(mut self, vault: &Path, is_further: bool) -> Self {
        self.vault = Some(vault.to_owned());
        self.is_further = is_further;
        self
    }

    /// Returns the key by which the hits of several vaults are ordered, the first ones the least.
    pub(crate) fn rank(&self) -> impl Ord + use<> {
        let millionths = (self.score * 1e6) as i64;
        (self.by_meaning, self.partial, std::cmp::Reverse(millionths))
    }

    /// Returns the path to print: in the first vault, or absolute.
    pub(crate) fn shown_path(&self) -> Cow<'_, str> {
        let path = self.note.path.as_str();
        match &self.vault {
            Some(vault) if self.is_further => {
                vault.join(path).to_string_lossy().into_owned().into()
            }
            _ => path.into(),
        }
    }

    /// Returns how the score was computed, if `--explain` was given.
    pub(crate) fn explanation(&self) -> Option<String> {
        let terms = self.explain.as_ref()?;
        let mut text = format!(
            "score {:.4} = (words {:.4} + meaning {:.4} + tokens {:.4} + context {:.4}) × weight {:.3}",
            self.score, terms.text, terms.semantic, terms.tokens, terms.context, terms.weight
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

/// Returns a snippet with matches highlighted and cuts marked.
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
