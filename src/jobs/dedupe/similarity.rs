//! Judges whether two notes are duplicates; pure.
//!
//! | pair | verdict |
//! |---|---|
//! | one has the full wording of the other in order, signs included, and adds little, in separate sentences that retract nothing; it is not the older one | certain |
//! | the same, but titles, file names, ids or properties differ, it is a daily note, a person wrote them on different days, or one has `keep` | question |
//! | the wording overlaps, or two short texts have a high composite of cosine, titles and words; same numbers and negations | question |
//! | the wording below the titles is the same, in sentences, and the properties are, too | question about all copies |
//! | equal titles and one text mostly contains the other; or a long text is contained almost fully | question |
//! | similar but for numbers or negations, or each names something that the other does not, or one is a template or blank | different |
//! | each name has words that the other lacks, unless both texts contain both names, or long texts are nearly equal and neither contains its name | different |
//!
//! A cosine ignores word order and negation. It therefore never makes a pair certain, and pairs with few common
//! words are not asked about. The caller supplies lower weights for boilerplate ([`TextFeatures`]).

use std::sync::OnceLock;

use crate::jobs::prelude::*;
use crate::note;
use crate::note::facts::validity::have_different_subjects;
use crate::note::markdown::content_spans::{each_content_span, is_blank};
use crate::note::names::filename;
use crate::note::words::content_words::ContentWords;
use crate::note::words::segments::TextWeights;
use crate::note::words::shingles::Shingles;
use crate::note::words::wording::Wording;
use crate::note::{is_copy_of, is_placeholder, normal_hash};
use crate::signals::property_merge::are_equivalent;

use super::options::DedupeOptions;

/// Weights of cosine, titles and words in the composite.
const COMPOSITE_WEIGHTS: [f64; 3] = [0.6, 0.2, 0.2];

/// Minimum weight of content words; a shorter text needs an equal title.
const MIN_CONTENT_WEIGHT: f64 = 3.0;

/// Maximum number of words of a short text. A longer note is near all others on its subject, so the composite
/// applies to short texts only.
const MAX_SHORT_WORDS: usize = 60;

/// Minimum weight of content words for a possible form, where only the filled-in words matter.
const MIN_FORM_WEIGHT: f64 = 20.0;

/// Minimum weight of content words for a question about copies; [`MIN_FORM_WEIGHT`] under different names.
pub(super) const MIN_CONTENT_WEIGHT_OF_COPY: f64 = 8.0;

/// Minimum number of words in sentences for the same.
const MIN_SENTENCE_WORDS_OF_COPY: usize = 12;

/// Minimum number of words of a sentence; values and list items have fewer.
const MIN_WORDS_OF_SENTENCE: usize = 8;

/// Minimum overlap of the texts with their titles for a comparison of the wording below.
const MIN_OVERLAP_OF_COPY: f64 = 0.5;

/// Above this overlap two long texts are duplicates rather than two copies of a form.
const MIN_OVERLAP_OF_FORMS: f64 = 0.9;

/// Above this containment no word of the shorter text is replaced in the longer one.
const FULL_CONTAINMENT: f64 = 0.99;

/// Minimum containment for a question about two notes with equal titles.
const MIN_CONTAINMENT_SAME_TITLE: f64 = 0.7;

/// Minimum weight of content words and minimum containment for a question whatever the titles.
const MIN_CONTENT_WEIGHT_OF_PART: f64 = 60.0;
const MIN_CONTAINMENT_OF_PART: f64 = 0.9;

/// Minimum composite of short texts; below it an updated fact is more likely than a repeated one.
const MIN_COMPOSITE: f64 = 0.7;

/// Minimum length of a file name that can distinguish two notes in a question.
const MIN_NAME_CHARS: usize = 3;

/// Minimum share of common content words for a question based on the composite.
const MIN_COMMON_CONTENT: f64 = 0.3;

/// Relation of two notes, with their similarity, 0–1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SimilarityVerdict {
    /// The same by fixed rules alone.
    Certain(f64),
    /// Question: the same wording under other names.
    Copy,
    /// Question: similar wording.
    Likely(f64),
    /// Question: similar meaning, titles and words.
    Alike(f64),
    /// Question: this share of one text is contained in the other.
    Contained(f64),
    /// Question: a sync tool kept two versions of a note.
    Versions,
    /// Not duplicates.
    Different,
}

/// The compared features of a note.
#[derive(Debug, Default)]
pub struct NoteFeatures {
    /// Explicit title in lower case; `None` if missing or if it only repeats the text.
    title: Option<String>,
    /// Hash of the explicit title; 0 if there is none.
    title_hash: u64,
    /// Hash of the explicit title, else of the file name.
    name: u64,
    /// Hashes of the aliases.
    aliases: Vec<u64>,
    /// Display name if it is meaningful: the explicit title, else the file name.
    display_name: Option<String>,
    /// File name, if it is meaningful.
    file_name: Option<String>,
    /// Content words of the display name.
    name_words: ContentWords,
    /// An id from the properties, or from the file name.
    id: Option<String>,
    stem: String,
    /// Date in the file name.
    day: Option<String>,
    /// Day on which a person wrote the note.
    written: Option<i64>,
    /// Day of the statement.
    stated: i64,
    /// True for a template or a blank note.
    is_form: bool,
    properties: Map<String, Value>,
    keep: bool,
    pub body: String,
    skips_title: bool,
    pub text_features: TextFeatures,
    /// Computed when a pair is nearly certain.
    wording: OnceLock<Wording>,
}

/// The compared features of a text, weighted.
#[derive(Clone, Debug, Default)]
pub struct TextFeatures {
    is_weighted: bool,
    tokens: HashMap<u64, f32>,
    shingles: Shingles,
    content: ContentWords,
}

/// Input of [`NoteFeatures::of`].
#[derive(Clone, Copy, Debug, Default)]
pub struct NoteFields<'t> {
    /// Explicit title.
    pub title: Option<&'t str>,
    /// True if the title is a heading in the body.
    pub is_heading: bool,
    /// Hash of the title, as in the catalog; 0 if there is none.
    pub title_hash: u64,
    /// File name without extension.
    pub stem: &'t str,
    /// Front matter.
    pub properties: Option<&'t Map<String, Value>>,
    /// True if the note must never be merged away.
    pub keep: bool,
    /// Stated day on which a person wrote the note, in days since 1970.
    pub written: Option<i64>,
    /// Day of the statement.
    pub stated: i64,
    /// True for a template.
    pub is_template: bool,
    /// Text without front matter.
    pub body: &'t str,
}

/// Comparison of two display names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameComparison {
    /// Equal, or one is missing.
    Equal,
    /// One has additional words.
    Extended,
    /// Each has words that the other lacks.
    Different,
}

impl TextFeatures {
    fn of(title: &str, document: &Document<'_>, weights: &TextWeights) -> Self {
        let body = document.text();
        let shingles = Shingles::weighted(body, weights);
        Self {
            is_weighted: !weights.is_empty(),
            tokens: if is_short(shingles.words) {
                tokens(title, body, weights)
            } else {
                HashMap::new()
            },
            shingles,
            content: ContentWords::weighted(document, weights),
        }
    }

    fn is_short(&self) -> bool {
        is_short(self.shingles.words)
    }
}

impl NoteFeatures {
    /// Computes the features of a note.
    pub fn of(fields: NoteFields<'_>) -> Self {
        let document = Document::of_body(fields.body);
        let text_features = TextFeatures::of(
            fields.title.unwrap_or_default(),
            &document,
            &TextWeights::default(),
        );
        // A title that repeats the first words does not name the note.
        let title = fields
            .title
            .filter(|title| fields.is_heading || !text_features.shingles.opens_with(title));
        let stem = filename::meaningful_words(fields.stem);
        let file_name =
            (!stem.is_empty() && !text_features.shingles.opens_with(&stem)).then_some(&stem);
        let stem_says = fields.title.is_none() && file_name.is_some();
        let properties = fields.properties.cloned().unwrap_or_default();
        let called = title.or(stem_says.then_some(stem.as_str()));
        let is_name = title.is_some() || stem.chars().count() >= MIN_NAME_CHARS;
        let telling = called.filter(|_| is_name).unwrap_or_default();
        let id = text_of(&properties, "id").filter(|id| !filename::is_machine_made(id));
        let of_name = stem_says.then(|| filename::machine_made_words(fields.stem));
        let aliases = note::aliases(&properties);
        let mut likeness = Self {
            name_words: ContentWords::of(telling),
            display_name: called.map(str::to_owned),
            file_name: file_name.map(|_| {
                filename::meaningful_words_besides(fields.stem, fields.title.unwrap_or_default())
            }),
            id: id.or(of_name.filter(|ids| !ids.is_empty())),
            stem: fields.stem.to_owned(),
            is_form: fields.is_template,
            written: fields.written,
            stated: fields.stated,
            title: title.map(|title| title.trim().to_lowercase()),
            title_hash: fields.title_hash,
            name: match fields.title_hash {
                0 => normal_hash(fields.stem),
                title => title,
            },
            aliases: aliases.iter().map(|alias| normal_hash(alias)).collect(),
            day: filename::day_of(fields.stem).map(str::to_owned),
            properties,
            keep: fields.keep,
            body: fields.body.to_owned(),
            skips_title: fields.is_heading && fields.title.is_some(),
            text_features,
            wording: OnceLock::new(),
        };
        likeness.is_form |= is_blank(&document)
            || is_placeholder(fields.body) && likeness.wording().has_placeholder();
        likeness
    }

    /// Returns the features of the text with weights for boilerplate.
    pub fn weighted(&self, weights: &TextWeights) -> TextFeatures {
        TextFeatures::of(
            self.title.as_deref().unwrap_or_default(),
            &Document::of_body(&self.body),
            weights,
        )
    }

    fn wording(&self) -> &Wording {
        self.wording
            .get_or_init(|| Wording::of(&Document::of_body(&self.body), self.skips_title))
    }

    /// Returns the relation of two notes; `cosine` is their similarity if known.
    pub fn judge(
        &self,
        other: &Self,
        cosine: Option<f32>,
        options: &DedupeOptions,
    ) -> SimilarityVerdict {
        self.judge_by(
            [&self.text_features, &other.text_features],
            other,
            cosine,
            options,
        )
    }

    /// Returns the relation of two notes by the given text features.
    pub fn judge_by(
        &self,
        [ours, theirs]: [&TextFeatures; 2],
        other: &Self,
        cosine: Option<f32>,
        options: &DedupeOptions,
    ) -> SimilarityVerdict {
        // Equal file names, such as an index in each folder, need not mean the same subject; equal titles do.
        let is_titled = self.title_hash != 0 || other.title_hash != 0;
        let same_title = is_titled && self.name == other.name;
        let telling = ours.content.weight().min(theirs.content.weight());
        if self.keep && other.keep
            || self.is_form
            || other.is_form
            || self.day.is_some() && other.day.is_some() && self.day != other.day
            || !(same_title || telling >= MIN_CONTENT_WEIGHT)
        {
            return SimilarityVerdict::Different;
        }
        if !same_title && self.have_different_numbers(other) {
            return SimilarityVerdict::Different;
        }
        let overlap = ours.shingles.overlap(&theirs.shingles);
        let facts = ours.shingles.agrees_on_facts(&theirs.shingles);
        let called = if same_title {
            NameComparison::Equal
        } else {
            self.compare_names(other)
        };
        if facts && self.is_certain([ours, theirs], other, same_title, options) {
            return SimilarityVerdict::Certain(overlap);
        }
        // A title gives the subject of a short note.
        let least = if called == NameComparison::Different {
            MIN_FORM_WEIGHT
        } else {
            MIN_CONTENT_WEIGHT_OF_COPY
        };
        if !same_title
            && overlap >= MIN_OVERLAP_OF_COPY
            && are_equivalent(&self.properties, &other.properties)
            && !self.has_other_aliases(other)
            && self.has_wording_of(other, least)
        {
            return SimilarityVerdict::Copy;
        }
        let contained = ours.shingles.containment(&theirs.shingles);
        let is_apart = match (called, self.has_unmatched_name(other)) {
            (NameComparison::Equal, _) => false,
            (NameComparison::Extended, has_own_name) => {
                overlap < MIN_OVERLAP_OF_FORMS && has_own_name
            }
            (NameComparison::Different, true) => {
                overlap < MIN_OVERLAP_OF_FORMS
                    || telling < MIN_FORM_WEIGHT
                    || self.are_instances(other)
            }
            // Each text contains the words of both names.
            (NameComparison::Different, false) => contained < FULL_CONTAINMENT,
        };
        let is_short = ours.is_short() && theirs.is_short();
        let names_other = || {
            ours.content.names_others(&theirs.content)
                || is_short && have_different_subjects([&self.body, &other.body])
        };
        let is_other = is_apart || !same_title && names_other();
        if overlap >= options.ask {
            // Similar texts of one title may differ in facts unless they contradict each other.
            let agree =
                facts || same_title && !ours.content.difference(&theirs.content).contradicts;
            return if agree && !is_other {
                SimilarityVerdict::Likely(overlap)
            } else {
                SimilarityVerdict::Different
            };
        }
        // The words of a common heading only repeat the title.
        let in_heading = if self.skips_title && same_title {
            self.name_words.weight()
        } else {
            0.0
        };
        let tells = telling - in_heading >= MIN_CONTENT_WEIGHT;
        if facts && tells && !is_other && called == NameComparison::Equal && is_short {
            let similarity = self.similarity([ours, theirs], other, cosine);
            if similarity >= options.ask.max(MIN_COMPOSITE) {
                return SimilarityVerdict::Alike(similarity);
            }
        }
        let is_contained =
            telling >= MIN_CONTENT_WEIGHT_OF_PART && contained >= MIN_CONTAINMENT_OF_PART;
        if is_contained || same_title && contained >= MIN_CONTAINMENT_SAME_TITLE.max(options.ask) {
            return SimilarityVerdict::Contained(contained);
        }
        SimilarityVerdict::Different
    }

    fn is_certain(
        &self,
        [ours, theirs]: [&TextFeatures; 2],
        other: &Self,
        same_title: bool,
        options: &DedupeOptions,
    ) -> bool {
        let overlap = ours.shingles.overlap(&theirs.shingles);
        // Most pairs fail here; the ordered comparison of words is expensive.
        let least = if ours.is_short() && theirs.is_short() {
            0.0
        } else {
            0.5
        };
        let is_daily = |note: &Self| filename::is_daily(&note.stem);
        if self.keep
            || other.keep
            || overlap < least
            || is_daily(self)
            || is_daily(other)
            || !self.have_compatible_names(other)
            || self.are_from_different_days(other)
            || !are_equivalent(&self.properties, &other.properties)
        {
            return false;
        }
        let telling = self
            .text_features
            .content
            .len()
            .min(other.text_features.content.len());
        let is_form = !same_title && telling as f64 >= MIN_FORM_WEIGHT;
        let least = if is_form {
            options.certain.max(MIN_OVERLAP_OF_FORMS)
        } else {
            options.certain
        };
        // Boilerplate proves nothing.
        let is_weighted = ours.is_weighted || theirs.is_weighted;
        if is_weighted && ours.content.in_common(&theirs.content) < least {
            return false;
        }
        let restated = |whole: &Self, part: &Self| whole.wording().restated_share(part.wording());
        let shared = restated(self, other).or_else(|| restated(other, self));
        // A merge gives the whole note the later date, also the statements that were not repeated then.
        let is_later_part = |whole: &Self, part: &Self| {
            whole.stated < part.stated && restated(part, whole).is_none()
        };
        shared.is_some_and(|shared| shared >= least)
            && !is_later_part(self, other)
            && !is_later_part(other, self)
    }

    /// Returns true if no id, title or file name distinguishes the notes.
    fn have_compatible_names(&self, other: &Self) -> bool {
        if is_copy_of(&self.stem, &other.stem) || is_copy_of(&other.stem, &self.stem) {
            return true;
        }
        let same_id = match (&self.id, &other.id) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => true,
        };
        let same_name = match (&self.display_name, &other.display_name) {
            (Some(ours), Some(theirs)) => Wording::of_name(ours).is_same(&Wording::of_name(theirs)),
            _ => true,
        };
        // Notes in a folder may all be titled `Meeting` and be named after the participants.
        let same_file = match (&self.file_name, &other.file_name) {
            (Some(ours), Some(theirs)) if self.title.is_some() && other.title.is_some() => {
                Wording::of_name(ours).is_same(&Wording::of_name(theirs))
            }
            _ => true,
        };
        same_id && same_name && same_file
    }

    /// Returns true if a person wrote the notes on different days: recurring events have equal texts.
    fn are_from_different_days(&self, other: &Self) -> bool {
        let days = self.written.zip(other.written);
        days.is_some_and(|(ours, theirs)| ours != theirs)
    }

    fn compare_names(&self, other: &Self) -> NameComparison {
        if self.display_name.is_none()
            || other.display_name.is_none()
            || is_copy_of(&self.stem, &other.stem)
            || is_copy_of(&other.stem, &self.stem)
            || self.aliases.contains(&other.name)
            || other.aliases.contains(&self.name)
        {
            return NameComparison::Equal;
        }
        let has_more_words = |a: &Self, b: &Self| a.name_words.has_word_beyond(&[&b.name_words]);
        match (has_more_words(self, other), has_more_words(other, self)) {
            (true, true) => NameComparison::Different,
            (false, false) => NameComparison::Equal,
            _ => NameComparison::Extended,
        }
    }

    /// Returns true if both names have numbers, and different ones: parts, days or versions.
    fn have_different_numbers(&self, other: &Self) -> bool {
        let numbers = |display_name: &Option<String>| {
            display_name
                .as_deref()
                .map(Shingles::of)
                .filter(Shingles::has_numbers)
        };
        match (numbers(&self.display_name), numbers(&other.display_name)) {
            (Some(a), Some(b)) => !a.agrees_on_facts(&b),
            _ => false,
        }
    }

    /// Returns whether both have the same wording below their titles, with content words of weight `least` and in
    /// sentences.
    ///
    /// Cards with a few values are equal for different things: `Halberd`, `Glaive`.
    pub(super) fn has_wording_of(&self, other: &Self, least: f64) -> bool {
        let has_text = |note: &Self| {
            note.text_features.content.weight() >= least
                && words_in_sentences(&note.body) >= MIN_SENTENCE_WORDS_OF_COPY
        };
        has_text(self) && has_text(other) && self.wording().is_same(other.wording())
    }

    /// Returns whether the author gave each note other names of its own.
    fn has_other_aliases(&self, other: &Self) -> bool {
        let (ours, theirs) = (&self.aliases, &other.aliases);
        !ours.is_empty() && !theirs.is_empty() && !ours.iter().any(|alias| theirs.contains(alias))
    }

    /// Returns true if one name has a word that the other note lacks.
    fn has_unmatched_name(&self, other: &Self) -> bool {
        let has_more_words = |a: &Self, b: &Self| {
            a.name_words
                .has_word_beyond(&[&b.name_words, &b.text_features.content])
        };
        has_more_words(self, other) || has_more_words(other, self)
    }

    /// Returns true if each text contains words of its own name that the other text lacks.
    fn are_instances(&self, other: &Self) -> bool {
        let has_own_name = |a: &Self, b: &Self| {
            let own = a.name_words.beyond(&b.name_words);
            own.iter().any(|stem| {
                a.text_features.content.has_stem(*stem) && !b.text_features.content.has_stem(*stem)
            })
        };
        has_own_name(self, other) && has_own_name(other, self)
    }

    /// Returns the similarity of two short texts, 0–1: the composite, or what is available of it. 0 if they have
    /// few common words.
    fn similarity(
        &self,
        [ours, theirs]: [&TextFeatures; 2],
        other: &Self,
        cosine: Option<f32>,
    ) -> f64 {
        let in_common = ours.content.in_common(&theirs.content);
        if in_common < MIN_COMMON_CONTENT {
            return 0.0;
        }
        let words = token_overlap(&ours.tokens, &theirs.tokens);
        match (cosine, &self.title, &other.title) {
            (None, ..) => ours.content.difference(&theirs.content).shared,
            (Some(cosine), Some(a), Some(b)) => {
                composite(cosine.into(), title_similarity(a, b), words)
            }
            (Some(cosine), ..) => {
                composite(cosine.into(), 0.0, words) / (1.0 - COMPOSITE_WEIGHTS[1])
            }
        }
    }
}

/// Returns the weighted sum of cosine, title similarity and word overlap, 0–1.
fn composite(cosine: f64, titles: f64, words: f64) -> f64 {
    let [of_cosine, of_titles, of_words] = COMPOSITE_WEIGHTS;
    of_cosine * cosine + of_titles * titles + of_words * words
}

/// Returns the normalised Levenshtein similarity of two titles, 0–1; 0 if one is empty.
fn title_similarity(a: &str, b: &str) -> f64 {
    let (a, b) = (a.trim().to_lowercase(), b.trim().to_lowercase());
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    strsim::normalized_levenshtein(&a, &b)
}

/// Returns the weighted Jaccard similarity of two token sets, 0–1; 0 if one is empty.
fn token_overlap(a: &HashMap<u64, f32>, b: &HashMap<u64, f32>) -> f64 {
    let total = |tokens: &HashMap<u64, f32>| -> f64 {
        let mut weights: Vec<f32> = tokens.values().copied().collect();
        // A fixed order makes the floating-point sum deterministic.
        weights.sort_unstable_by(f32::total_cmp);
        weights.into_iter().map(f64::from).sum()
    };
    let both = a.iter().filter_map(|(word, weight)| {
        let there = b.get(word)?;
        Some((*word, weight.min(*there)))
    });
    let shared = total(&both.collect());
    let all = total(a) + total(b) - shared;
    if all == 0.0 { 0.0 } else { shared / all }
}

/// Returns the hashed, white-space separated words of a note with their weights.
fn tokens(title: &str, body: &str, weights: &TextWeights) -> HashMap<u64, f32> {
    let mut tokens = HashMap::new();
    let mut add = |word: &str, weight: f32| {
        let token = tokens.entry(xxh3_64(word.to_lowercase().as_bytes()));
        let known = token.or_insert(weight);
        *known = known.max(weight);
    };
    title.split_whitespace().for_each(|word| add(word, 1.0));
    for word in body.split_whitespace() {
        // `word` is a slice of `body`, so the offset is its position.
        let at = word.as_ptr() as usize - body.as_ptr() as usize;
        add(word, weights.at(at));
    }
    tokens
}

/// Returns the number of words in statements of at least [`MIN_WORDS_OF_SENTENCE`] words.
fn words_in_sentences(body: &str) -> usize {
    let mut all = 0;
    each_content_span(&Document::of_body(body), |span| {
        let mut words = 0;
        each_word(&body[span], |_, _| words += 1);
        all += if words < MIN_WORDS_OF_SENTENCE {
            0
        } else {
            words
        };
    });
    all
}

/// Returns true if a text is short enough to consist of one or a few statements.
pub(super) fn is_short(words: usize) -> bool {
    words <= MAX_SHORT_WORDS
}

#[cfg(test)]
mod tests;
