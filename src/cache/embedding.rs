//! From notes to rows of the vector file.
//!
//! A model that answers at once embeds in the middle of a pass, while the text is at hand: see
//! [`inline`]. Everything else is given vectors afterwards by [`mod@backfill`].
//!
//! Vectors are known by the hash of the text they were made of. A passage that a note had before, or
//! that the vector file of an index just being replaced has, is not embedded again.

pub mod backfill;
pub mod graph;

use std::collections::HashMap;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::Cache;
use super::catalog::Catalog;
use super::home::current;
use super::meta::{Meta, VectorFile};
use super::row::{Rows, Slot};
use super::vectors::VectorError;
use super::vectors::file::Vectors;
use super::vectors::writer::VectorWriter;
use crate::embed::{EmbedError, Embedder, Purpose, normalise};
use crate::note::Note;
use crate::note::markdown::document::Document;
use crate::note::markdown::listing;
use crate::note::markdown::passages::passages;
use crate::note::words::language::Language;

/// A passage of a note, embedded.
#[derive(Clone, Debug)]
pub(super) struct Passage {
    /// Hash of the text that was embedded.
    text: u64,
    vector: Vec<f32>,
}

/// Vectors that can be had at once, while a note is read.
pub(super) enum InlineVectors<'p> {
    /// A model that answers at once.
    Embedder(&'p dyn Embedder),
    /// What another one was asked before.
    Stored(VectorsByText),
}

impl InlineVectors<'_> {
    /// Returns the passages of a note, if there are vectors for all of them; none in a language that the
    /// model does not know.
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

/// The vectors of a file by the text they were made of.
#[derive(Default)]
pub(super) struct VectorsByText(Option<(Vectors, HashMap<u64, u32>)>);

impl VectorsByText {
    fn of(vectors: Vectors) -> Self {
        let rows = (0..vectors.rows()).map(|row| (vectors.text(row), row));
        let rows = rows.collect();
        Self(Some((vectors, rows)))
    }

    fn passage(&self, text: &str) -> Option<Passage> {
        let (vectors, rows) = self.0.as_ref()?;
        let text = xxh3_64(text.as_bytes());
        let vector = vectors.vector(*rows.get(&text)?);
        Some(Passage { text, vector })
    }
}

fn embed(embedder: &dyn Embedder, texts: &[String]) -> Result<Vec<Passage>, EmbedError> {
    let asked: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embedder.embed(&asked, Purpose::Passage)?;
    let passage = |(text, vector): (&str, Vec<f32>)| Passage {
        text: xxh3_64(text.as_bytes()),
        vector,
    };
    Ok(asked.into_iter().zip(vectors).map(passage).collect())
}

/// Returns the mean of the vectors of the passages of `note`, which was read from `text`, of length one;
/// `None` if the model knows nothing in it. As the index will have it once the note is there.
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

/// Returns the sum of vectors at length one; `None` if there is nothing in it.
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

/// What a pass needs to add vectors while it reads; `None` where [`mod@backfill`] has to do it
/// afterwards.
pub(super) fn inline<'p>(
    cache: &'p Cache,
    meta: &Meta,
    embedder: &'p dyn Embedder,
    replaced: Option<Vectors>,
) -> Option<(InlineVectors<'p>, VectorAppender<'p>)> {
    let folder = cache.folder();
    let model = &embedder.model().id;
    let appender = match &meta.vectors {
        Some(file) if file.model == *model => VectorAppender::to(folder, file.clone()),
        None if meta.notes == 0 => VectorAppender::afresh(folder, None, model),
        // None of this model, for notes that were indexed before.
        _ => return None,
    };
    if embedder.is_immediate() {
        return Some((InlineVectors::Embedder(embedder), appender));
    }
    let stored = match &meta.vectors {
        Some(file) => cache.vectors(file).ok(),
        None => replaced,
    };
    let stored = stored.map_or_else(VectorsByText::default, VectorsByText::of);
    Some((InlineVectors::Stored(stored), appender))
}

/// Returns the vectors of the index at `home`, which is about to be replaced, if they cost something
/// and are those of `embedder`.
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

/// Rows that are being added to the vector file.
pub(super) struct VectorAppender<'p> {
    folder: &'p Path,
    /// As it will be.
    file: VectorFile,
    writer: Option<VectorWriter>,
}

impl<'p> VectorAppender<'p> {
    /// Goes on with `file` in `folder`.
    pub(super) fn to(folder: &'p Path, file: VectorFile) -> Self {
        Self {
            folder,
            file,
            writer: None,
        }
    }

    /// Begins the next file after `last`, which is for other vectors.
    pub(super) fn afresh(folder: &'p Path, last: Option<&VectorFile>, model: &str) -> Self {
        let file = VectorFile {
            number: last.map_or(0, |last| last.number.wrapping_add(1)),
            model: model.to_owned(),
            ..VectorFile::default()
        };
        Self::to(folder, file)
    }

    pub(super) fn add(&mut self, slot: Slot, passages: &[Passage]) -> Result<Rows, VectorError> {
        let first = self.file.rows;
        for passage in passages {
            let writer = self.writer(passage.vector.len())?;
            writer.push(slot, passage.text, &passage.vector);
        }
        Ok(self.added(first, passages.len()))
    }

    /// Adds rows of another file as they are.
    fn copy(&mut self, slot: Slot, from: &Vectors, rows: Rows) -> Result<Rows, VectorError> {
        let first = self.file.rows;
        for row in rows.range() {
            self.writer(from.dims())?.copy(slot, from, row);
        }
        Ok(self.added(first, rows.count as usize))
    }

    fn added(&mut self, first: u32, count: usize) -> Rows {
        let count = count as u32;
        self.file.rows += count;
        self.file.living += count;
        Rows { first, count }
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

    /// Takes in that a note no longer has these rows.
    pub(super) fn forget(&mut self, rows: Rows) {
        self.file.living = self.file.living.saturating_sub(rows.count);
    }

    /// Writes what was added and returns the file as the catalog should know it; `None` if there
    /// is none yet.
    pub(super) fn finish(self) -> Result<Option<VectorFile>, VectorError> {
        if let Some(writer) = self.writer {
            writer.finish()?;
        }
        let VectorFile { number, rows, .. } = self.file;
        Ok((rows > 0 || number > 0).then_some(self.file))
    }
}
