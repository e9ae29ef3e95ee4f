//! Embeds notes into rows of the vector file.
//!
//! An immediate model embeds during the index pass, while the text is in memory: see [`inline`]. For all
//! others [`mod@backfill`] adds vectors later.
//!
//! Vectors are identified by the hash of their text. A passage that an earlier version of the note, or the
//! index being replaced, contains is not embedded again.

pub mod backfill;
pub mod graph;
#[cfg(test)]
mod tests;
pub mod upgrade;

use std::collections::HashMap;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::Cache;
use super::catalog::Catalog;
use super::home::current;
use super::meta::{CacheMeta, VectorFile};
use super::row::{PassageRows, Slot};
use super::vectors::VectorError;
use super::vectors::file::Vectors;
use super::vectors::writer::VectorWriter;
use crate::embed::{EmbedError, Embedder, EmbeddingPurpose, normalise};
use crate::note::markdown::listing;
use crate::note::markdown::passages::passages;
use crate::note::{self, ContentHash, Document, Language, Note, VaultPath};
use crate::vault::Vault;

/// An embedded passage of a note.
#[derive(Clone, Debug)]
pub(super) struct Passage {
    /// Hash of the embedded text.
    text: u64,
    vector: Vec<f32>,
}

/// Vectors available immediately while a note is read.
pub(super) enum InlineVectors<'p> {
    /// An immediate model.
    Embedder(&'p dyn Embedder),
    /// Vectors that another model computed before.
    Stored(VectorsByText),
}

impl InlineVectors<'_> {
    /// Returns the passages of a note if all have vectors. Empty in a language that the model does not
    /// support.
    pub(super) fn passages(
        &self,
        document: &Document<'_>,
        (note, language): (&Note, Language),
    ) -> Option<Vec<Passage>> {
        let texts = passages(document, note);
        match self {
            Self::Embedder(embedder) if !embedder.knows_language(language) => Some(Vec::new()),
            Self::Embedder(embedder) => embed(*embedder, &texts).ok(),
            Self::Stored(vectors) => texts.iter().map(|text| vectors.passage(text)).collect(),
        }
    }
}

/// The vectors of a file by the hash of their text.
#[derive(Default)]
pub(super) struct VectorsByText(Option<(Vectors, HashMap<u64, u32>)>);

impl VectorsByText {
    fn of(vectors: Vectors) -> Self {
        let texts = (0..vectors.rows()).map(|row| (vectors.text(row), row));
        let rows = texts.collect();
        Self(Some((vectors, rows)))
    }

    fn passage(&self, text: &str) -> Option<Passage> {
        let (vectors, rows) = self.0.as_ref()?;
        let text = xxh3_64(text.as_bytes());
        let vector = vectors.vector(*rows.get(&text)?);
        Some(Passage { text, vector })
    }
}

/// Returns the passages of the note at `path`; `None` unless its content is the indexed one.
fn indexed_passages(vault: &Vault, path: &VaultPath, content: ContentHash) -> Option<Vec<String>> {
    let file = vault.read(path).ok()?;
    let text = (file.hash == content).then(|| listing::blanked(&file.text))?;
    let document = Document::of_note(&text);
    let note = note::of(&document, path.stem());
    Some(passages(&document, &note))
}

fn embed(embedder: &dyn Embedder, texts: &[String]) -> Result<Vec<Passage>, EmbedError> {
    let asked: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embedder.embed(&asked, EmbeddingPurpose::Passage)?;
    let passage = |(text, vector): (&str, Vec<f32>)| Passage {
        text: xxh3_64(text.as_bytes()),
        vector,
    };
    Ok(asked.into_iter().zip(vectors).map(passage).collect())
}

/// Returns the normalised mean of the passage vectors of `note`, which was read from `text`. `None` if the
/// model knows no word of it. Equal to the note's later vector in the index.
pub fn mean(
    embedder: &dyn Embedder,
    text: &str,
    note: &Note,
) -> Result<Option<Vec<f32>>, EmbedError> {
    let text = listing::blanked(text);
    let document = Document::of(&text, note.body.clone());
    let passages = embed(embedder, &passages(&document, note))?;
    let vectors = passages.iter().map(|passage| passage.vector.as_slice());
    Ok(normalised_sum(vectors))
}

/// Returns the sum of vectors, normalised to length 1; `None` if it is zero.
pub fn normalised_sum<'v>(vectors: impl Iterator<Item = &'v [f32]>) -> Option<Vec<f32>> {
    let mut sum: Vec<f32> = Vec::new();
    for vector in vectors {
        sum.resize(vector.len(), 0.0);
        for (sum, number) in sum.iter_mut().zip(vector) {
            *sum += number;
        }
    }
    normalise(&mut sum).then_some(sum)
}

/// Returns the source of vectors for a pass; `None` if [`mod@backfill`] must add them later.
pub(super) fn inline<'p>(
    cache: &'p Cache,
    meta: &CacheMeta,
    embedder: &'p dyn Embedder,
    replaced: Option<Vectors>,
) -> Option<(InlineVectors<'p>, VectorAppender<'p>)> {
    let folder = cache.folder();
    let model = &embedder.model().id;
    let appender = match &meta.vectors {
        Some(file) if file.model == *model => VectorAppender::to(folder, file.clone()),
        None if meta.notes == 0 => VectorAppender::afresh(folder, None, model),
        // No vectors of this model exist for notes indexed before.
        _ => return None,
    };
    if embedder.is_immediate() {
        return Some((InlineVectors::Embedder(embedder), appender));
    }
    let vectors = match &meta.vectors {
        Some(file) => cache.vectors(file).ok(),
        None => replaced,
    };
    let stored = vectors.map_or_else(VectorsByText::default, VectorsByText::of);
    Some((InlineVectors::Stored(stored), appender))
}

/// Returns the vectors of the index at `home`, which is about to be replaced, if they were expensive and
/// belong to `embedder`.
pub(super) fn reusable_vectors(home: &Path, embedder: &dyn Embedder) -> Option<Vectors> {
    if embedder.is_immediate() {
        return None;
    }
    let folder = home.join(current(home)?);
    let meta = Catalog::open(&folder).and_then(|catalog| catalog.read()?.meta());
    let file = meta.ok()?.vectors?;
    let is_reusable = file.model == embedder.model().id;
    is_reusable.then(|| file.open(&folder).ok()).flatten()
}

/// Appends rows to the vector file.
pub(super) struct VectorAppender<'p> {
    folder: &'p Path,
    /// State of the file after the append.
    file: VectorFile,
    writer: Option<VectorWriter>,
}

impl<'p> VectorAppender<'p> {
    /// Continues `file` in `folder`.
    pub(super) fn to(folder: &'p Path, file: VectorFile) -> Self {
        Self {
            folder,
            file,
            writer: None,
        }
    }

    /// Starts the file after `last`, for another model.
    pub(super) fn afresh(folder: &'p Path, last: Option<&VectorFile>, model: &str) -> Self {
        let file = VectorFile {
            number: last.map_or(0, |last| last.number.wrapping_add(1)),
            model: model.to_owned(),
            ..VectorFile::default()
        };
        Self::to(folder, file)
    }

    pub(super) fn add(
        &mut self,
        slot: Slot,
        passages: &[Passage],
    ) -> Result<PassageRows, VectorError> {
        let first = self.file.rows;
        for passage in passages {
            let writer = self.writer(passage.vector.len())?;
            writer.push(slot, passage.text, &passage.vector);
        }
        Ok(self.added(first, passages.len()))
    }

    /// Copies rows of another file.
    fn copy(
        &mut self,
        slot: Slot,
        from: &Vectors,
        rows: impl ExactSizeIterator<Item = u32>,
    ) -> Result<PassageRows, VectorError> {
        let (first, count) = (self.file.rows, rows.len());
        for row in rows {
            self.writer(from.dims())?.copy(slot, from, row);
        }
        Ok(self.added(first, count))
    }

    fn added(&mut self, first: u32, count: usize) -> PassageRows {
        let count = count as u32;
        self.file.rows += count;
        self.file.living += count;
        PassageRows { first, count }
    }

    fn writer(&mut self, dims: usize) -> Result<&mut VectorWriter, VectorError> {
        if self.writer.is_none() {
            let VectorFile {
                number,
                rows,
                ref model,
                ..
            } = self.file;
            self.file.dims = dims as u32;
            self.writer = Some(if rows == 0 {
                VectorWriter::create(self.folder, number, model, dims)?
            } else {
                VectorWriter::append(self.folder, number, rows, model)?
            });
        }
        Ok(self.writer.as_mut().expect("was just set"))
    }

    /// Records that these rows no longer belong to a note.
    pub(super) fn forget(&mut self, rows: PassageRows) {
        self.file.living = self.file.living.saturating_sub(rows.count);
    }

    /// Writes all rows and returns the file for the catalog; `None` if there is none yet.
    pub(super) fn finish(self) -> Result<Option<VectorFile>, VectorError> {
        if let Some(writer) = self.writer {
            writer.finish()?;
        }
        let VectorFile { number, rows, .. } = self.file;
        Ok((rows > 0 || number > 0).then_some(self.file))
    }
}
