//! Whether two notes say the same: the judge over one pair, pure.
//!
//! | pair | verdict |
//! |---|---|
//! | one has all the wording of the other, signs and order included, and adds little, in sentences of its own that take nothing back | certain |
//! | the same, but titles, names of files or properties speak against it, it is a daily note, or a note has `keep` | question |
//! | wording overlaps, or the composite of cosine, titles and words is high; same numbers, same negations | question |
//! | equal titles, and the one stands in the other for the most part | question |
//! | alike but for numbers or negations, or each names something that the other does not, or one is a template | different |
//!
//! A cosine sees neither word order nor "not", so it never makes a pair certain, and asks about none
//! that has not words in common.

use std::collections::HashSet;

use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_64;

use crate::note::content_words::ContentWords;
use crate::note::hash::normal_hash;
use crate::note::shingles::Shingles;
use crate::note::wording::Wording;
use crate::signals::differing::agree;

use super::names::{self, is_copy_of};
use super::options::Options;

/// What the parts of the composite weigh: cosine, titles, words.
const WEIGHTS: [f64; 3] = [0.6, 0.2, 0.2];

/// A text of fewer telling words than this says too little to be known by; a title must agree.
const TELLING: usize = 3;

/// Words up to which a text is a statement or a few. A whole note is near every other of its subject,
/// so that only shorter ones are asked about for their composite.
const SHORT: usize = 60;

/// Telling words from which on a text may be a form: then what is filled in is what it says.
const LONG: usize = 20;

/// With as much of it the same, a long text is no form that was filled in.
const SAME: f64 = 0.9;

/// With equal titles, a text whose wording is this far contained in the other is worth a question.
const CONTAINED: f64 = 0.7;

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
#[derive(Clone, Debug, Default)]
pub struct Likeness {
    /// The title that its author gave it; none if it has none, or if it only repeats the text.
    title: Option<String>,
    /// Its telling words.
    title_content: ContentWords,
    /// Hash of the title that its author gave it; 0 if it has none.
    title_hash: u64,
    /// Hash of the title or else the name of its file.
    name: u64,
    /// What it is called where that says something: by its author, or else by its file.
    called: Option<Wording>,
    stem: String,
    /// The day that the file is named after.
    day: Option<String>,
    is_daily: bool,
    is_template: bool,
    properties: Map<String, Value>,
    keep: bool,
    tokens: HashSet<u64>,
    shingles: Shingles,
    content: ContentWords,
    wording: Wording,
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
    /// Whether notes are made from it.
    pub is_template: bool,
    /// The text without front matter.
    pub body: &'t str,
}

impl Likeness {
    /// Reads what is compared.
    #[must_use]
    pub fn of(fields: NoteFields<'_>) -> Self {
        let shingles = Shingles::of(fields.body);
        // A title made of the first words names nothing.
        let title = fields
            .title
            .filter(|title| fields.is_heading || !shingles.opens_with(title));
        let wording = Wording::of(fields.body, fields.is_heading && fields.title.is_some());
        let stem = names::telling(fields.stem);
        let stem_says = fields.title.is_none() && !stem.is_empty() && !shingles.opens_with(&stem);
        let day = names::day_of(fields.stem);
        Self {
            called: title
                .or(stem_says.then_some(stem.as_str()))
                .map(Wording::of_name),
            stem: fields.stem.to_owned(),
            is_daily: names::is_daily(fields.stem),
            is_template: fields.is_template || wording.has_placeholder(),
            title_content: ContentWords::of(title.unwrap_or_default()),
            title: title.map(|title| title.trim().to_lowercase()),
            title_hash: fields.title_hash,
            name: match fields.title_hash {
                0 => normal_hash(fields.stem),
                title => title,
            },
            day: day.map(str::to_owned),
            properties: fields.properties.cloned().unwrap_or_default(),
            keep: fields.keep,
            tokens: if is_short(shingles.words) {
                tokens(fields.title.unwrap_or_default(), fields.body)
            } else {
                HashSet::new()
            },
            shingles,
            content: ContentWords::of(fields.body),
            wording,
        }
    }

    /// Returns what the two are to each other, `cosine` being how near they are, if that is known.
    #[must_use]
    pub fn judge(&self, other: &Self, cosine: Option<f32>, options: &Options) -> Verdict {
        // Files of one name, an index in every folder, need not be about the same; titles are.
        let is_titled = self.title_hash != 0 || other.title_hash != 0;
        let same_title = is_titled && self.name == other.name;
        let tells = self.content.len().min(other.content.len()) >= TELLING;
        if self.keep && other.keep
            || self.is_template
            || other.is_template
            || self.day.is_some() && other.day.is_some() && self.day != other.day
            || !(same_title || tells)
            || !same_title && self.titles_number(other)
        {
            return Verdict::Different;
        }
        let overlap = self.shingles.overlap(&other.shingles);
        let facts = self.shingles.agrees_on_facts(&other.shingles);
        if facts && self.is_certain(other, overlap, same_title, options) {
            return Verdict::Certain(overlap);
        }
        let is_template = !same_title
            && (self.content.names_others(&other.content)
                || overlap < SAME && self.is_titled_apart(other));
        if overlap >= options.ask {
            // Alike texts of one title may add facts; what contradicts is no copy.
            let agree = facts || same_title && !self.content.difference(&other.content).contradicts;
            return if agree && !is_template {
                Verdict::Likely(overlap)
            } else {
                Verdict::Different
            };
        }
        if facts && !is_template && self.is_short() && other.is_short() {
            let likeness = self.likeness(other, cosine);
            if likeness >= options.ask {
                return Verdict::Alike(likeness);
            }
        }
        let contained = self.shingles.containment(&other.shingles);
        if same_title && contained >= CONTAINED.max(options.ask) {
            return Verdict::Contained(contained);
        }
        Verdict::Different
    }

    fn is_certain(&self, other: &Self, overlap: f64, same_title: bool, options: &Options) -> bool {
        // Most pairs are far from it, and comparing words in order takes its time.
        let least = if self.is_short() && other.is_short() {
            0.0
        } else {
            0.5
        };
        let is_kept = self.keep || other.keep || self.is_daily || other.is_daily;
        if is_kept
            || overlap < least
            || !self.may_be_called_like(other)
            || !agree(&self.properties, &other.properties)
        {
            return false;
        }
        let is_form = !same_title && self.content.len().min(other.content.len()) >= LONG;
        let least = if is_form {
            options.certain.max(SAME)
        } else {
            options.certain
        };
        let ours = self.wording.says_all(&other.wording);
        let shared = ours.or_else(|| other.wording.says_all(&self.wording));
        // An empty note says nothing that could be the same.
        let is_said = self.wording.is_empty() == other.wording.is_empty();
        is_said && shared.is_some_and(|shared| shared >= least)
    }

    /// Returns true if what the two are called does not tell them apart.
    fn may_be_called_like(&self, other: &Self) -> bool {
        let (Some(ours), Some(theirs)) = (&self.called, &other.called) else {
            return true;
        };
        ours.is_same(theirs)
            || is_copy_of(&self.stem, &other.stem)
            || is_copy_of(&other.stem, &self.stem)
    }

    /// Returns true if both titles have numbers, and other ones: parts, days, versions of something.
    fn titles_number(&self, other: &Self) -> bool {
        let numbers = |title: &Option<String>| {
            title
                .as_deref()
                .map(Shingles::of)
                .filter(Shingles::has_numbers)
        };
        match (numbers(&self.title), numbers(&other.title)) {
            (Some(a), Some(b)) => !a.agrees_on_facts(&b),
            _ => false,
        }
    }

    /// Returns true if both have titles, and one has a word in it that the other note does not say.
    fn is_titled_apart(&self, other: &Self) -> bool {
        let says_more =
            |a: &Self, b: &Self| a.title_content.says_beyond(&[&b.title_content, &b.content]);
        self.title.is_some()
            && other.title.is_some()
            && (says_more(self, other) || says_more(other, self))
    }

    fn is_short(&self) -> bool {
        is_short(self.shingles.words)
    }

    /// Returns how alike two short texts are, 0–1: the composite, or without titles or cosine what is
    /// known of it; nothing if they have hardly a word in common.
    fn likeness(&self, other: &Self, cosine: Option<f32>) -> f64 {
        let in_common = self.content.in_common(&other.content);
        if in_common < IN_COMMON {
            return 0.0;
        }
        let words = token_overlap(&self.tokens, &other.tokens);
        match (cosine, &self.title, &other.title) {
            (None, ..) => self.content.difference(&other.content).shared,
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
fn token_overlap(a: &HashSet<u64>, b: &HashSet<u64>) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let shared = a.intersection(b).count();
    shared as f64 / (a.len() + b.len() - shared) as f64
}

/// Returns hashes of the words of a note as white space divides them.
fn tokens(title: &str, body: &str) -> HashSet<u64> {
    let words = title.split_whitespace().chain(body.split_whitespace());
    words
        .map(|word| xxh3_64(word.to_lowercase().as_bytes()))
        .collect()
}

/// Returns true if a text of so many words is a statement or a few.
pub(super) fn is_short(words: usize) -> bool {
    words <= SHORT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_similarities() {
        for (a, b, expected) in [
            ("Rust build cache", " rust build cache", 1.0),
            ("Rust build cache", "", 0.0),
            ("kitten", "sitting", 1.0 - 3.0 / 7.0),
            ("Rust build cache", "sitting", 1.0 - 14.0 / 16.0),
            ("naïve", "naive", 0.8),
            ("日本語のメモ", "日本のメモ", 1.0 - 1.0 / 6.0),
        ] {
            assert!(
                (title_similarity(a, b) - expected).abs() < 1e-9,
                "{a} / {b}"
            );
            assert!(
                (title_similarity(b, a) - expected).abs() < 1e-9,
                "{b} / {a}"
            );
        }
    }

    #[test]
    fn token_overlaps() {
        for (a, b, expected) in [
            (
                "the user prefers tabs over spaces",
                "The user prefers spaces over tabs",
                1.0,
            ),
            (
                "the user prefers tabs over spaces",
                "user prefers tabs",
                0.5,
            ),
            (
                "the user prefers tabs over spaces",
                "The deploy runs on port 8080.",
                1.0 / 11.0,
            ),
            ("a a a b", "b a", 1.0),
            ("Hello, world", "hello world", 1.0 / 3.0),
            ("x\ty\nz", "z y x", 1.0),
            ("", "", 0.0),
        ] {
            let (x, y) = (tokens("", a), tokens("", b));
            assert!((token_overlap(&x, &y) - expected).abs() < 1e-9, "{a} / {b}");
        }
    }

    #[test]
    fn composites() {
        for (cosine, titles, words, expected) in [
            (0.0, 0.0, 0.0, 0.0),
            (0.25, 0.4, 0.3, 0.29),
            (0.5, 0.0, 1.0, 0.5),
            (1.0, 1.0, 1.0, 1.0),
        ] {
            assert!((composite(cosine, titles, words) - expected).abs() < 1e-9);
        }
    }

    fn said<'t>(title: Option<&'t str>, body: &'t str) -> NoteFields<'t> {
        NoteFields {
            title,
            title_hash: title.map_or(0, normal_hash),
            body,
            ..NoteFields::default()
        }
    }

    fn verdict(a: NoteFields<'_>, b: NoteFields<'_>, cosine: Option<f32>) -> Verdict {
        let (a, b) = (Likeness::of(a), Likeness::of(b));
        let verdict = a.judge(&b, cosine, &Options::default());
        assert_eq!(b.judge(&a, cosine, &Options::default()), verdict);
        verdict
    }

    /// What becomes of a pair, in a word.
    fn word(verdict: Verdict) -> &'static str {
        match verdict {
            Verdict::Certain(_) => "certain",
            Verdict::Likely(_) | Verdict::Alike(_) | Verdict::Contained(_) => "asked",
            Verdict::Different => "different",
        }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table")]
    fn what_a_person_expects_of_statements() {
        for (a, b, expected) in [
            (
                "Assign to a particular task",
                "assign to a particular task.",
                "certain",
            ),
            (
                "A black dog runs in the snow.",
                "- The black dog is running in the snow",
                "certain",
            ),
            (
                "A **black** dog runs in the snow.",
                "A *black* dog runs in the snow.",
                "asked",
            ),
            (
                "- Pack the tent.\n- Take the dog.",
                "- Pack the tent.\n  - Take the dog.",
                "asked",
            ),
            (
                "Build it:\n\n```sh\nmake all clean\n```",
                "Build it:\n\n```make\nmake all clean\n```",
                "asked",
            ),
            (
                "Roses are red  \nviolets are blue",
                "Roses are red\nviolets are blue",
                "asked",
            ),
            (
                "Build it:\n\n```\nmake all \\ \nclean\n```",
                "Build it:\n\n```\nmake all \\\nclean\n```",
                "asked",
            ),
            (
                "# House\n\nPaint it red.\n\n## Shed\n\nSweep it out.",
                "# House\n\nPaint it red.\n\n# Shed\n\nSweep it out.",
                "asked",
            ),
            (
                "A dog runs along the beach.",
                "A white dog runs along the beach.",
                "asked",
            ),
            (
                "Alice manages Bob in Berlin",
                "Bob manages Alice in Berlin",
                "asked",
            ),
            (
                "The garden lamp is enabled",
                "The garden lamp is disabled",
                "asked",
            ),
            (
                "Pope calls for action on the climate",
                "Pope urges action on the climate",
                "asked",
            ),
            (
                "The user prefers tabs over spaces",
                "The user prefers spaces over tabs",
                "asked",
            ),
            (
                "We use Postgres for billing",
                "We almost use Postgres for billing",
                "asked",
            ),
            (
                "We use Postgres for billing",
                "We used Postgres for billing",
                "asked",
            ),
            (
                "We use Postgres for billing",
                "We do not use Postgres for billing",
                "different",
            ),
            (
                "The service listens on port 8080",
                "The service listens on port 9090",
                "different",
            ),
            (
                "We upgraded to version 1.2 of it",
                "We upgraded to version 1.3 of it",
                "different",
            ),
            (
                "The concert is on 5 May 2026",
                "The concert is on 6 May 2026",
                "different",
            ),
            (
                "Import your notes from Bear",
                "Import your notes from Roam",
                "different",
            ),
            (
                "Call with Anna about the garden",
                "Call with Ben about the garden",
                "different",
            ),
            (
                "List files: `ls -a {{path}}`",
                "List files: `dir -a {{folder}}`",
                "different",
            ),
            ("Thanks!", "Thanks!", "different"),
            ("", "", "different"),
        ] {
            // As near as a model that sees no order and no "not" can say.
            let verdict = verdict(said(None, a), said(None, b), Some(0.98));
            assert_eq!(word(verdict), expected, "{a} / {b}: {verdict:?}");
        }
    }

    #[test]
    fn what_stands_around_the_text_counts() {
        let text =
            "The spare key of the shed hangs behind the rain barrel, wrapped in a yellow bag.";
        let other = "The spare key of the shed hangs behind the old rain barrel, wrapped in a bag.";
        let plain = said(None, text);
        let titled = |title| said(Some(title), text);
        let [fact, goal] =
            ["fact", "goal"].map(|kind| Map::from_iter([("type".to_owned(), kind.into())]));
        let with = |properties| NoteFields {
            properties: Some(properties),
            ..plain
        };
        for (name, a, b, expected) in [
            ("nothing", plain, plain, "certain"),
            ("one title", titled("Where it hangs"), plain, "certain"),
            ("same title", titled("Key"), titled("Key"), "certain"),
            ("two titles", titled("Green"), titled("Blue"), "asked"),
            (
                "a title that repeats the text",
                titled("The spare key of the shed"),
                titled("Blue"),
                "certain",
            ),
            (
                "numbered titles",
                titled("Part 1"),
                titled("Part 2"),
                "different",
            ),
            (
                "the name of a file",
                NoteFields {
                    stem: "Key",
                    ..plain
                },
                titled("key"),
                "certain",
            ),
            (
                "days",
                NoteFields {
                    stem: "2026-01-05",
                    ..plain
                },
                NoteFields {
                    stem: "2026-01-06",
                    ..plain
                },
                "different",
            ),
            ("types", with(&fact), with(&goal), "asked"),
            ("one type", with(&fact), plain, "certain"),
            (
                "keep",
                NoteFields {
                    keep: true,
                    ..plain
                },
                plain,
                "asked",
            ),
            (
                "keep both",
                NoteFields {
                    keep: true,
                    ..plain
                },
                NoteFields {
                    keep: true,
                    ..plain
                },
                "different",
            ),
            ("both say more", plain, said(None, other), "asked"),
        ] {
            assert_eq!(word(verdict(a, b, None)), expected, "{name}");
        }
    }

    #[test]
    fn a_form_that_was_filled_in_is_no_copy_of_the_form() {
        let form = "Who was there. What was decided. What is open. Who does what until when. What \
            went well. What went wrong. What to try next time. When to meet again. Where to meet.";
        let filled = format!("{form} We decided to plant beans and peas behind the shed.");
        let asked = verdict(said(None, form), said(None, &filled), None);
        assert_eq!(word(asked), "asked");
        let same = verdict(said(Some("Plan"), form), said(Some("Plan"), &filled), None);
        assert_eq!(word(same), "certain");
    }

    #[test]
    fn thresholds_of_nothing_and_of_all() {
        let texts = [
            "tea is green in spring",
            "tea is green in the spring",
            "tea is white in spring",
            "Anna walks home",
        ];
        for (certain, ask) in [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)] {
            let options = Options {
                certain,
                ask,
                ..Options::default()
            };
            let judge = |a: &str, b: &str| {
                Likeness::of(said(None, a)).judge(&Likeness::of(said(None, b)), Some(0.9), &options)
            };
            assert_eq!(word(judge(texts[0], texts[1])), "certain", "{options:?}");
            let asked = if ask < 1.0 { "asked" } else { "different" };
            assert_eq!(word(judge(texts[0], texts[2])), asked, "{options:?}");
            assert_eq!(word(judge(texts[0], "")), "different", "{options:?}");
        }
    }
}
