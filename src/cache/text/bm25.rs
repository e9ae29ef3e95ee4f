//! Matching and scoring of query clauses from the postings: BM25F.
//!
//! The occurrences of a term in all columns of a note are weighted by column and divided by the column's
//! relative length. Their sum saturates; rare terms weigh more.
//!
//! Scores depend on living notes only. tantivy's scorers count deleted documents until a merge drops them, so
//! the same vault would rank differently after other updates. Here the postings are read directly, and all
//! statistics (documents, document frequency, mean lengths) cover living notes. Sums run in query order,
//! independent of segments. (Only a prefix with more than ten thousand terms in a column is cut per segment.)

use std::sync::Arc;

use tantivy::fieldnorm::FieldNormReader;
use tantivy::index::InvertedIndexReader;
use tantivy::postings::{Postings, SegmentPostings, TermInfo};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, TERMINATED};

use super::clause::Clause;
use super::reader::{ColumnLength, IndexSegment, TextReader};
use super::schema::Column;
use super::scored_docs::{ScoredDocs, at_least, intersection, union};
use crate::note::words::analyzer::Term;
use crate::note::{AnalysisPurpose, Analyzer, Language, Pattern};

/// Maximum number of terms that a prefix expands to, per column and segment.
const MAX_EXPANSIONS: usize = 10_000;

/// Weight of an occurrence per column, in the order of [`Column::ALL`].
const WEIGHTS: [f32; 7] = [4.0, 3.0, 2.0, 2.0, 1.0, 1.0, 0.5];
/// Length normalisation (`b`) per column: 0 for none, 1 for full.
const DISCOUNTS: [f32; 7] = [0.4, 0.3, 0.6, 0.3, 0.75, 0.4, 0.5];
/// Frequency at which a term has half of its weight (`k1`).
const SATURATION: f32 = 1.2;

/// Matches per segment.
pub(super) type Matches = Vec<ScoredDocs>;

/// A look-up in the dictionary of a column.
enum Lookup<'a> {
    /// A word, by each of its stems.
    Exact(&'a Term),
    /// All terms with either prefix.
    Prefix(&'a str, &'a str),
}

pub(super) struct Evaluation<'a> {
    reader: &'a TextReader,
    analyzer: Analyzer,
    /// Frequency gain of one occurrence, per column and column length.
    gains: [[f32; 256]; 7],
    /// Frequencies by document; all zero between two uses.
    sums: Vec<f32>,
    /// Bitmap of the documents with a frequency.
    seen: Vec<u64>,
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(reader: &'a TextReader) -> Self {
        let mut gains = [[0.0; 256]; 7];
        for (at, gains) in gains.iter_mut().enumerate() {
            let ColumnLength { tokens, notes } = reader.lengths[at];
            let mean = (tokens as f32 / notes.max(1) as f32).max(1.0);
            let discount = DISCOUNTS[at];
            for (id, gain) in gains.iter_mut().enumerate() {
                let length = FieldNormReader::id_to_fieldnorm(id as u8) as f32;
                *gain = WEIGHTS[at] / (1.0 - discount + discount * length / mean);
            }
        }
        Self {
            reader,
            analyzer: Analyzer::of(&reader.languages),
            gains,
            sums: Vec::new(),
            seen: Vec::new(),
        }
    }

    /// Returns the matches of `clause`; `None` if it has no terms.
    pub(super) fn clause(&mut self, clause: &Clause) -> tantivy::Result<Option<Matches>> {
        let (parts, join): (_, fn(&[&ScoredDocs]) -> ScoredDocs) = match clause {
            Clause::Text { pattern, column } => return self.pattern(pattern, *column),
            Clause::Any(parts) => (parts, union),
            Clause::All(parts) => (parts, intersection),
        };
        let mut matched = Vec::with_capacity(parts.len());
        for part in parts {
            matched.extend(self.clause(part)?);
        }
        Ok((!matched.is_empty()).then(|| self.joined(&matched, join)))
    }

    /// Combines several matches segment by segment.
    fn joined(&self, matched: &[Matches], join: impl Fn(&[&ScoredDocs]) -> ScoredDocs) -> Matches {
        let of_segment = |at: usize| matched.iter().map(move |matches| &matches[at]);
        (0..self.reader.segments.len())
            .map(|at| join(&of_segment(at).collect::<Vec<_>>()))
            .collect()
    }

    fn pattern(
        &mut self,
        pattern: &Pattern,
        column: Option<Column>,
    ) -> tantivy::Result<Option<Matches>> {
        let one = column.map(|column| [column]);
        let columns: &[Column] = one.as_ref().map_or(&Column::ALL, |one| one);
        match pattern {
            Pattern::Word(text) => {
                let terms = self.analyzer.terms(text, AnalysisPurpose::Query);
                let found = self.terms(&terms, columns, true)?;
                let Some(other) = other_spelling(&terms) else {
                    return Ok(found);
                };
                let terms = self.analyzer.terms(&other, AnalysisPurpose::Query);
                let matches = found.into_iter().chain(self.terms(&terms, columns, false)?);
                let found: Vec<Matches> = matches.collect();
                Ok((!found.is_empty()).then(|| self.joined(&found, union)))
            }
            Pattern::Phrase(text) => {
                let terms = self.analyzer.terms(text, AnalysisPurpose::Query);
                self.terms(&terms, columns, false)
            }
            Pattern::Prefix(text) => self.prefix(text, columns),
        }
    }

    /// Returns the notes with all of `terms` adjacent. If there are none and `may_scatter`, returns those
    /// with the terms anywhere.
    ///
    /// In a script without spaces a whole sentence is one run. If no note has all of its bigrams, those with
    /// at least a third of them match, or with any if none has that many.
    fn terms(
        &mut self,
        terms: &[Term],
        columns: &[Column],
        may_scatter: bool,
    ) -> tantivy::Result<Option<Matches>> {
        let Some(first) = terms.first() else {
            return Ok(None);
        };
        if terms.len() == 1 {
            return self.scored(&Lookup::Exact(first), columns).map(Some);
        }
        let mut each = Vec::with_capacity(terms.len());
        for term in terms {
            each.push(self.scored(&Lookup::Exact(term), columns)?);
        }
        let together = self.joined(&each, intersection);
        let mut adjacent = Vec::with_capacity(together.len());
        for (segment, hits) in self.reader.segments.iter().zip(&together) {
            adjacent.push(keep_adjacent(segment, hits, terms, columns)?);
        }
        let is_empty = |matches: &Matches| matches.iter().all(|hits| hits.docs.is_empty());
        if !may_scatter || !is_empty(&adjacent) {
            return Ok(Some(adjacent));
        }
        if !is_empty(&together) || !terms.iter().all(|term| term.is_gram) {
            return Ok(Some(together));
        }
        let third = self.joined(&each, |hits| at_least(hits, terms.len().div_ceil(3)));
        if !is_empty(&third) {
            return Ok(Some(third));
        }
        Ok(Some(self.joined(&each, |hits| at_least(hits, 1))))
    }

    /// Returns the notes with a word that begins with the last word of `text`, and the words before it.
    fn prefix(&mut self, text: &str, columns: &[Column]) -> tantivy::Result<Option<Matches>> {
        let written = Analyzer::new(Language::NONE).terms(text, AnalysisPurpose::Query);
        let stemmed = self.analyzer.terms(text, AnalysisPurpose::Query);
        let (Some(last), Some(stem)) = (written.last(), stemmed.last()) else {
            return Ok(None);
        };
        if last.is_gram {
            return self.terms(&stemmed, columns, true);
        }
        let mut parts = vec![self.scored(&Lookup::Prefix(&last.text, &stem.text), columns)?];
        parts.extend(self.terms(&stemmed[..stemmed.len() - 1], columns, true)?);
        Ok(Some(self.joined(&parts, intersection)))
    }

    /// Returns the living notes with the term, each with its score.
    fn scored(&mut self, lookup: &Lookup<'_>, columns: &[Column]) -> tantivy::Result<Matches> {
        let reader = self.reader;
        let mut matches = Vec::with_capacity(reader.segments.len());
        for segment in &reader.segments {
            matches.push(self.frequencies(segment, lookup, columns)?);
        }
        let having: usize = matches.iter().map(|hits| hits.docs.len()).sum();
        let rarity = rarity(reader.notes, having);
        for value in matches.iter_mut().flat_map(|hits| &mut hits.scores) {
            *value = rarity * *value / (SATURATION + *value);
        }
        Ok(matches)
    }

    /// Returns the living notes of `segment` with the term, each with its weighted frequency.
    fn frequencies(
        &mut self,
        segment: &IndexSegment,
        lookup: &Lookup<'_>,
        columns: &[Column],
    ) -> tantivy::Result<ScoredDocs> {
        let mut lists = Vec::new();
        for &column in columns {
            let index = segment.reader.inverted_index(column.field())?;
            for term in lookup.terms(&index)? {
                lists.push((column, Arc::clone(&index), term));
            }
        }
        let mut hits = ScoredDocs::default();
        if let [(column, index, term)] = &lists[..] {
            hits.docs.reserve(term.doc_freq as usize);
            hits.scores.reserve(term.doc_freq as usize);
            self.each_posting(segment, *column, index, term, |_, doc, gain| {
                hits.push(doc, gain);
            })?;
            return Ok(hits);
        }
        let size = segment.reader.max_doc() as usize;
        if self.sums.len() < size {
            self.sums.resize(size, 0.0);
            self.seen.resize(size.div_ceil(64), 0);
        }
        for (column, index, term) in &lists {
            self.each_posting(segment, *column, index, term, |this, doc, gain| {
                this.sums[doc as usize] += gain;
                this.seen[doc as usize / 64] |= 1 << (doc % 64);
            })?;
        }
        for (at, word) in self.seen.iter_mut().enumerate() {
            let mut bits = std::mem::take(word);
            while bits != 0 {
                let doc = at * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                hits.push(doc as DocId, std::mem::take(&mut self.sums[doc]));
            }
        }
        Ok(hits)
    }

    /// Calls `visit` with each living note of a posting list and its frequency gain.
    fn each_posting(
        &mut self,
        segment: &IndexSegment,
        column: Column,
        index: &InvertedIndexReader,
        term: &TermInfo,
        mut visit: impl FnMut(&mut Self, DocId, f32),
    ) -> tantivy::Result<()> {
        let norms = segment.reader.get_fieldnorms_reader(column.field())?;
        let alive = segment.reader.alive_bitset();
        let gains = self.gains[column as usize];
        let option = IndexRecordOption::WithFreqs;
        let mut block = index.read_block_postings_from_terminfo(term, option)?;
        while !block.docs().is_empty() {
            for (&doc, &frequency) in block.docs().iter().zip(block.freqs()) {
                if alive.is_none_or(|alive| alive.is_alive(doc)) {
                    let gain = gains[usize::from(norms.fieldnorm_id(doc))];
                    visit(self, doc, frequency as f32 * gain);
                }
            }
            block.advance();
        }
        Ok(())
    }
}

impl Lookup<'_> {
    fn terms(&self, index: &InvertedIndexReader) -> tantivy::Result<Vec<TermInfo>> {
        let dictionary = index.terms();
        let (prefix, stem) = match *self {
            Self::Exact(term) => {
                let found = term.stems().map(|stem| dictionary.get(stem));
                return Ok(found
                    .collect::<Result<Vec<_>, _>>()?
                    .into_iter()
                    .flatten()
                    .collect());
            }
            Self::Prefix(prefix, stem) => (prefix, stem),
        };
        let mut terms = Vec::new();
        // The index holds stems: `migration*` must find `migrat`.
        if !stem.starts_with(prefix) {
            terms.extend(dictionary.get(stem)?);
        }
        let mut stream = dictionary.range().ge(prefix).into_stream()?;
        while let Some((term, info)) = stream.next() {
            if !term.starts_with(prefix.as_bytes()) || terms.len() == MAX_EXPANSIONS {
                break;
            }
            terms.push(info.clone());
        }
        Ok(terms)
    }
}

/// Returns the other spelling of a word with a number: `erc 20` for `erc20`, `erc20` for `erc-20`.
fn other_spelling(terms: &[Term]) -> Option<String> {
    let (word, number, between) = match terms {
        [term] => {
            let (word, number) = term
                .text
                .split_at(term.text.find(|c: char| c.is_ascii_digit())?);
            (word, number, " ")
        }
        [word, number] => (&*word.text, &*number.text, ""),
        _ => return None,
    };
    let is_word = word.chars().count() > 1 && word.chars().all(char::is_alphabetic);
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_word && is_number).then(|| format!("{word}{between}{number}"))
}

/// Returns the inverse document frequency of a term that `having` of `notes` notes have.
pub(super) fn rarity(notes: u64, having: usize) -> f32 {
    let having = having as f32;
    (1.0 + (notes as f32 - having + 0.5) / (having + 0.5)).ln()
}

/// Returns those of `hits` with `terms` at their relative positions in one of `columns`.
pub(super) fn keep_adjacent(
    segment: &IndexSegment,
    hits: &ScoredDocs,
    terms: &[Term],
    columns: &[Column],
) -> tantivy::Result<ScoredDocs> {
    if hits.docs.is_empty() {
        return Ok(ScoredDocs::default());
    }
    let mut is_adjacent = vec![false; hits.docs.len()];
    for &column in columns {
        let index = segment.reader.inverted_index(column.field())?;
        let mut lists = Vec::with_capacity(terms.len());
        for term in terms {
            let mut stems = Vec::new();
            for info in Lookup::Exact(term).terms(&index)? {
                let option = IndexRecordOption::WithFreqsAndPositions;
                stems.push(index.read_postings_from_terminfo(&info, option)?);
            }
            if stems.is_empty() {
                break;
            }
            lists.push((stems, term.position as u32));
        }
        if lists.len() < terms.len() {
            continue;
        }
        let mut starts = Vec::new();
        let mut positions = Vec::new();
        for (at, &doc) in hits.docs.iter().enumerate() {
            let reach = |stems: &mut [SegmentPostings]| {
                stems
                    .iter_mut()
                    .filter_map(|list| reaches(list, doc).then_some(()))
                    .count()
                    > 0
            };
            if !is_adjacent[at] && lists.iter_mut().all(|(stems, _)| reach(stems)) {
                is_adjacent[at] = meet(doc, &mut lists, &mut starts, &mut positions);
            }
        }
    }
    let mut kept = ScoredDocs::default();
    for ((&doc, &value), is_adjacent) in hits.docs.iter().zip(&hits.scores).zip(is_adjacent) {
        if is_adjacent {
            kept.push(doc, value);
        }
    }
    Ok(kept)
}

fn reaches(list: &mut SegmentPostings, doc: DocId) -> bool {
    let at = list.doc();
    at == doc || (at < doc && at != TERMINATED && list.seek(doc) == doc)
}

/// Returns whether the positions of all lists in `doc`, their current document, align to one start.
fn meet(
    doc: DocId,
    lists: &mut [(Vec<SegmentPostings>, u32)],
    starts: &mut Vec<u32>,
    positions: &mut Vec<u32>,
) -> bool {
    starts.clear();
    for (at, (stems, offset)) in lists.iter_mut().enumerate() {
        positions.clear();
        for list in stems.iter_mut().filter(|list| list.doc() == doc) {
            list.append_positions_with_offset(0, positions);
        }
        positions.sort_unstable();
        let found = positions
            .iter()
            .filter_map(|position| position.checked_sub(*offset));
        if at == 0 {
            starts.extend(found);
        } else {
            let mut found = found.peekable();
            starts.retain(|start| {
                while found.next_if(|position| position < start).is_some() {}
                found.peek() == Some(start)
            });
        }
        if starts.is_empty() {
            return false;
        }
    }
    true
}
