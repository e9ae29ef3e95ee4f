//! Whether two notes say the same: the judge over one pair, pure.
//!
//! | pair | verdict |
//! |---|---|
//! | one has all the wording of the other, signs and order included, and adds little, in sentences of its own that take nothing back | certain |
//! | the same, but titles, names of files, ids or properties speak against it, it is a daily note, a person wrote them on different days, or a note has `keep` | question |
//! | wording overlaps, or of short texts the composite of cosine, titles and words is high; same numbers, same negations | question |
//! | equal titles, and the one stands in the other for the most part; or nearly all of a long one does | question |
//! | alike but for numbers or negations, or each names something that the other does not, or one is a template or blank | different |
//! | each is called something that the other is not, unless both texts speak of both, or long texts are nearly the same and neither speaks of what it is called | different |
//!
//! A cosine sees neither word order nor "not", so it never makes a pair certain, and asks about none
//! that has not words in common. What the parts of a text weigh, because many notes have them, is the
//! caller's to say ([`Said`]).

use std::sync::OnceLock;

use crate::jobs::prelude::*;
use crate::note;
use crate::note::markdown::stated::is_blank;
use crate::note::names::filename;
use crate::note::names::filename::is_copy_of;
use crate::note::words::content_words::ContentWords;
use crate::note::words::hash::normal_hash;
use crate::note::words::segments::Weights;
use crate::note::words::shingles::Shingles;
use crate::note::words::wording::{Wording, is_placeholder};
use crate::signals::differing::agree;

use super::options::Options;

/// What the parts of the composite weigh: cosine, titles, words.
const WEIGHTS: [f64; 3] = [0.6, 0.2, 0.2];

/// A text of fewer telling words than this says too little to be known by; a title must agree.
const TELLING: f64 = 3.0;

/// Words up to which a text is a statement or a few. A whole note is near every other of its subject,
/// so that only shorter ones are asked about for their composite.
const SHORT: usize = 60;

/// Telling words from which on a text may be a form: then what is filled in is what it says.
const LONG: f64 = 20.0;

/// With as much of it the same, a long text is no form that was filled in.
const SAME: f64 = 0.9;

/// With so much of the one in the other, nothing stands in the place of something else.
const ALL: f64 = 0.99;

/// With equal titles, a text whose wording is this far contained in the other is worth a question.
const CONTAINED: f64 = 0.7;

/// A text with so many telling words that is this far contained in another is worth a question, whatever
/// the two are called.
const LONG_PART: f64 = 60.0;
const PART: f64 = 0.9;

/// With a lower composite two short texts are one fact that became another more often than one said twice.
const ALIKE: f64 = 0.7;

/// A shorter name of a file tells two alike texts not apart where somebody looks at them.
const NAME: usize = 3;

/// Share of all telling words that a pair must have in common to be asked about for its composite.
const IN_COMMON: f64 = 0.3;

/// How two notes relate, with how alike they are, 0–1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// Rules alone say that they are the same.
    Certain(f64),
    /// Somebody has to look, because the wording is much the same.
    Likely(f64),
    /// Somebody has to look, because meaning, titles and words are near.
    Alike(f64),
    /// Most of the one, by this share, stands in the other: somebody has to look.
    Contained(f64),
    /// Not the same.
    Different,
}

/// What is compared of a note.
#[derive(Debug, Default)]
pub struct Likeness {
    /// The title that its author gave it; none if it has none, or if it only repeats the text.
    title: Option<String>,
    /// Hash of the title that its author gave it; 0 if it has none.
    title_hash: u64,
    /// Hash of the title or else the name of its file.
    name: u64,
    /// Hashes of its other names.
    aliases: Vec<u64>,
    /// What it is called where that says something: by its author, or else by its file.
    called: Option<String>,
    /// The name of its file, if that says something.
    file_name: Option<String>,
    /// The telling words of what it is called.
    called_content: ContentWords,
    /// What identifies it beside that: an id that somebody gave it, or that stands in the name of its file.
    id: Option<String>,
    stem: String,
    /// The day that the file is named after.
    day: Option<String>,
    /// The day on which a person wrote it.
    written: Option<i64>,
    /// True if notes are made from it, or it states nothing itself.
    is_form: bool,
    properties: Map<String, Value>,
    keep: bool,
    pub body: String,
    skips_title: bool,
    pub said: Said,
    /// Read when a pair comes near to being certain.
    wording: OnceLock<Wording>,
}

/// What is compared of a text, each part as far as it weighs something.
#[derive(Clone, Debug, Default)]
pub struct Said {
    is_weighted: bool,
    tokens: HashMap<u64, f32>,
    shingles: Shingles,
    content: ContentWords,
}

/// What [`Likeness::of`] reads.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoteFields<'t> {
    /// The title that its author gave it.
    pub title: Option<&'t str>,
    /// True if the title stands in the body.
    pub is_heading: bool,
    /// Hash of that title, as in the catalog; 0 if it has none.
    pub title_hash: u64,
    /// The name of its file, without ending.
    pub stem: &'t str,
    /// The front matter.
    pub properties: Option<&'t Map<String, Value>>,
    /// Whether it is never merged away.
    pub keep: bool,
    /// The day on which a person wrote it, since 1970, if that is stated.
    pub written: Option<i64>,
    /// Whether notes are made from it.
    pub is_template: bool,
    /// The text without front matter.
    pub body: &'t str,
}

/// What two notes are called, held against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Called {
    /// The same, or one says nothing.
    Alike,
    /// One says more.
    Further,
    /// Each says something that the other does not.
    Apart,
}

impl Said {
    fn of(title: &str, document: &Document<'_>, weights: &Weights) -> Self {
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

impl Likeness {
    /// Reads what is compared.
    #[must_use]
    pub fn of(fields: NoteFields<'_>) -> Self {
        let document = Document::of_body(fields.body);
        let said = Said::of(
            fields.title.unwrap_or_default(),
            &document,
            &Weights::default(),
        );
        // A title made of the first words names nothing.
        let title = fields
            .title
            .filter(|title| fields.is_heading || !said.shingles.opens_with(title));
        let stem = filename::telling(fields.stem);
        let file_name = (!stem.is_empty() && !said.shingles.opens_with(&stem)).then_some(&stem);
        let stem_says = fields.title.is_none() && file_name.is_some();
        let properties = fields.properties.cloned().unwrap_or_default();
        let called = title.or(stem_says.then_some(stem.as_str()));
        let is_name = title.is_some() || stem.chars().count() >= NAME;
        let telling = called.filter(|_| is_name).unwrap_or_default();
        let id = text_of(&properties, "id").filter(|id| !filename::is_machine_made(id));
        let of_name = stem_says.then(|| filename::ids(fields.stem));
        let aliases = note::aliases(&properties);
        let mut likeness = Self {
            called_content: ContentWords::of(telling),
            called: called.map(str::to_owned),
            file_name: file_name
                .map(|_| filename::telling_beside(fields.stem, fields.title.unwrap_or_default())),
            id: id.or(of_name.filter(|ids| !ids.is_empty())),
            stem: fields.stem.to_owned(),
            is_form: fields.is_template,
            written: fields.written,
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
            said,
            wording: OnceLock::new(),
        };
        likeness.is_form |= is_blank(&document)
            || is_placeholder(fields.body) && likeness.wording().has_placeholder();
        likeness
    }

    /// Returns what its text says where parts of it weigh less.
    pub fn weighted(&self, weights: &Weights) -> Said {
        Said::of(
            self.title.as_deref().unwrap_or_default(),
            &Document::of_body(&self.body),
            weights,
        )
    }

    fn wording(&self) -> &Wording {
        self.wording
            .get_or_init(|| Wording::of(&Document::of_body(&self.body), self.skips_title))
    }

    /// Returns what the two are to each other, `cosine` being how near they are, if that is known.
    pub fn judge(&self, other: &Self, cosine: Option<f32>, options: &Options) -> Verdict {
        self.judge_by([&self.said, &other.said], other, cosine, options)
    }

    /// Returns what the two are to each other by what they said.
    pub fn judge_by(
        &self,
        [ours, theirs]: [&Said; 2],
        other: &Self,
        cosine: Option<f32>,
        options: &Options,
    ) -> Verdict {
        // Files of one name, an index in every folder, need not be about the same; titles are.
        let is_titled = self.title_hash != 0 || other.title_hash != 0;
        let same_title = is_titled && self.name == other.name;
        let telling = ours.content.weight().min(theirs.content.weight());
        if self.keep && other.keep
            || self.is_form
            || other.is_form
            || self.day.is_some() && other.day.is_some() && self.day != other.day
            || !(same_title || telling >= TELLING)
            || !same_title && self.names_number(other)
        {
            return Verdict::Different;
        }
        let overlap = ours.shingles.overlap(&theirs.shingles);
        let facts = ours.shingles.agrees_on_facts(&theirs.shingles);
        let called = if same_title {
            Called::Alike
        } else {
            self.called_beside(other)
        };
        if facts && self.is_certain([ours, theirs], other, same_title, options) {
            return Verdict::Certain(overlap);
        }
        let contained = ours.shingles.containment(&theirs.shingles);
        let is_apart = match (called, self.is_called_apart(other)) {
            (Called::Alike, _) => false,
            (Called::Further, speaks) => overlap < SAME && speaks,
            (Called::Apart, true) => overlap < SAME || telling < LONG || self.are_instances(other),
            // Each text has the words of both names, which say what of it mattered.
            (Called::Apart, false) => contained < ALL,
        };
        let is_other = !same_title && ours.content.names_others(&theirs.content) || is_apart;
        if overlap >= options.ask {
            // Alike texts of one title may add facts; what contradicts is no copy.
            let agree =
                facts || same_title && !ours.content.difference(&theirs.content).contradicts;
            return if agree && !is_other {
                Verdict::Likely(overlap)
            } else {
                Verdict::Different
            };
        }
        let is_short = ours.is_short() && theirs.is_short();
        // A heading that both have says nothing beyond the title.
        let in_heading = if self.skips_title && same_title {
            self.called_content.weight()
        } else {
            0.0
        };
        let tells = telling - in_heading >= TELLING;
        if facts && tells && !is_other && called == Called::Alike && is_short {
            let likeness = self.likeness([ours, theirs], other, cosine);
            if likeness >= options.ask.max(ALIKE) {
                return Verdict::Alike(likeness);
            }
        }
        let is_contained = telling >= LONG_PART && contained >= PART;
        if is_contained || same_title && contained >= CONTAINED.max(options.ask) {
            return Verdict::Contained(contained);
        }
        Verdict::Different
    }

    fn is_certain(
        &self,
        [ours, theirs]: [&Said; 2],
        other: &Self,
        same_title: bool,
        options: &Options,
    ) -> bool {
        let overlap = ours.shingles.overlap(&theirs.shingles);
        // Most pairs are far from it, and comparing words in order takes its time.
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
            || !self.may_be_called_like(other)
            || self.was_written_apart(other)
            || !agree(&self.properties, &other.properties)
        {
            return false;
        }
        let telling = self.said.content.len().min(other.said.content.len());
        let is_form = !same_title && telling as f64 >= LONG;
        let least = if is_form {
            options.certain.max(SAME)
        } else {
            options.certain
        };
        // What many notes have proves nothing.
        let is_weighted = ours.is_weighted || theirs.is_weighted;
        if is_weighted && ours.content.in_common(&theirs.content) < least {
            return false;
        }
        let (wording, other) = (self.wording(), other.wording());
        let shared = wording.says_all(other).or_else(|| other.says_all(wording));
        shared.is_some_and(|shared| shared >= least)
    }

    /// Returns true if nothing that the two are called by tells them apart.
    fn may_be_called_like(&self, other: &Self) -> bool {
        if is_copy_of(&self.stem, &other.stem) || is_copy_of(&other.stem, &self.stem) {
            return true;
        }
        let same_id = match (&self.id, &other.id) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => true,
        };
        let same_name = match (&self.called, &other.called) {
            (Some(ours), Some(theirs)) => Wording::of_name(ours).is_same(&Wording::of_name(theirs)),
            _ => true,
        };
        // A folder of `Meeting` notes has one title, and files named after who met.
        let same_file = match (&self.file_name, &other.file_name) {
            (Some(ours), Some(theirs)) if self.title.is_some() && other.title.is_some() => {
                Wording::of_name(ours).is_same(&Wording::of_name(theirs))
            }
            _ => true,
        };
        same_id && same_name && same_file
    }

    /// Returns true if a person wrote the two on different days: what happened again reads the same.
    fn was_written_apart(&self, other: &Self) -> bool {
        let days = self.written.zip(other.written);
        days.is_some_and(|(ours, theirs)| ours != theirs)
    }

    fn called_beside(&self, other: &Self) -> Called {
        if self.called.is_none()
            || other.called.is_none()
            || is_copy_of(&self.stem, &other.stem)
            || is_copy_of(&other.stem, &self.stem)
            || self.aliases.contains(&other.name)
            || other.aliases.contains(&self.name)
        {
            return Called::Alike;
        }
        let says_more = |a: &Self, b: &Self| a.called_content.says_beyond(&[&b.called_content]);
        match (says_more(self, other), says_more(other, self)) {
            (true, true) => Called::Apart,
            (false, false) => Called::Alike,
            _ => Called::Further,
        }
    }

    /// Returns true if both are called by numbers, and other ones: parts, days, versions of something.
    fn names_number(&self, other: &Self) -> bool {
        let numbers = |called: &Option<String>| {
            called
                .as_deref()
                .map(Shingles::of)
                .filter(Shingles::has_numbers)
        };
        match (numbers(&self.called), numbers(&other.called)) {
            (Some(a), Some(b)) => !a.agrees_on_facts(&b),
            _ => false,
        }
    }

    /// Returns true if one is called by a word that the other note does not say.
    fn is_called_apart(&self, other: &Self) -> bool {
        let says_more = |a: &Self, b: &Self| {
            a.called_content
                .says_beyond(&[&b.called_content, &b.said.content])
        };
        says_more(self, other) || says_more(other, self)
    }

    /// Returns true if both are called apart, and each text speaks of what it is called by alone.
    fn are_instances(&self, other: &Self) -> bool {
        let speaks = |a: &Self, b: &Self| {
            let own = a.called_content.beyond(&b.called_content);
            own.iter()
                .any(|stem| a.said.content.says(*stem) && !b.said.content.says(*stem))
        };
        speaks(self, other) && speaks(other, self)
    }

    /// Returns how alike two short texts are, 0–1: the composite, or without titles or cosine what is
    /// known of it; nothing if they have hardly a word in common.
    fn likeness(&self, [ours, theirs]: [&Said; 2], other: &Self, cosine: Option<f32>) -> f64 {
        let in_common = ours.content.in_common(&theirs.content);
        if in_common < IN_COMMON {
            return 0.0;
        }
        let words = token_overlap(&ours.tokens, &theirs.tokens);
        match (cosine, &self.title, &other.title) {
            (None, ..) => ours.content.difference(&theirs.content).shared,
            (Some(cosine), Some(a), Some(b)) => {
                composite(cosine.into(), title_similarity(a, b), words)
            }
            (Some(cosine), ..) => composite(cosine.into(), 0.0, words) / (1.0 - WEIGHTS[1]),
        }
    }
}

/// Returns how alike two notes are, 0–1, of the likeness of their vectors, titles and words.
fn composite(cosine: f64, titles: f64, words: f64) -> f64 {
    let [of_cosine, of_titles, of_words] = WEIGHTS;
    of_cosine * cosine + of_titles * titles + of_words * words
}

/// Returns how alike two titles are, 0–1: letters to change, over the longer one's; 0 if one is empty.
fn title_similarity(a: &str, b: &str) -> f64 {
    let (a, b) = (a.trim().to_lowercase(), b.trim().to_lowercase());
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    strsim::normalized_levenshtein(&a, &b)
}

/// Returns the share of words that both have, of all that either has: 0–1; 0 if one has none.
fn token_overlap(a: &HashMap<u64, f32>, b: &HashMap<u64, f32>) -> f64 {
    let total = |tokens: &HashMap<u64, f32>| -> f64 {
        let mut weights: Vec<f32> = tokens.values().copied().collect();
        // A sum is the same in any order only if it is added up in one.
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

/// Returns the words of a note as white space divides them, hashed, with what each weighs.
fn tokens(title: &str, body: &str, weights: &Weights) -> HashMap<u64, f32> {
    let mut tokens = HashMap::new();
    let mut add = |word: &str, weight: f32| {
        let token = tokens.entry(xxh3_64(word.to_lowercase().as_bytes()));
        let known = token.or_insert(weight);
        *known = known.max(weight);
    };
    title.split_whitespace().for_each(|word| add(word, 1.0));
    for word in body.split_whitespace() {
        // A part of `body`, so the distance fits.
        let at = word.as_ptr() as usize - body.as_ptr() as usize;
        add(word, weights.at(at));
    }
    tokens
}

/// Returns true if a text of so many words is a statement or a few.
pub(super) fn is_short(words: usize) -> bool {
    words <= SHORT
}

#[cfg(test)]
mod tests;
