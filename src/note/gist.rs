//! What a text says without how it is put: its telling words in order, stems for their forms.
//!
//! Articles, copulas and other words that say nothing are left out, as are punctuation and marks of
//! markdown. Each word knows its sentence, and whether changing it changes what the text is about: a
//! name, a number, a word of code, a word that qualifies the rest. `jobs::dedupe` compares two texts
//! by it.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::LazyLock;

use xxhash_rust::xxh3::xxh3_64;

use super::wording::{each_word, is_list_number, is_negation, number};

/// Words that say nothing alone; a past, a direction or a reason is not among them.
const EMPTY: &str = "a an the is are am be being of that which this these those it its it's there \
    there's that's here has have do does any very really also too then so as in on at into onto \
    and to near through along across such der das ein eine ist sind und le la les un une est et los las";

/// Words that tell how the others belong together: one for another matters, one more or less hardly.
const LIGHT_WORDS: &str = "for with or by between among around about behind beside over i you he she we \
    they me him them us my your his her our their";

/// Words that change what the others say when they are put among them.
const QUALIFYING: &str = "only just except unless if until but almost nearly hardly barely rarely seldom \
    sometimes maybe perhaps probably may might could would should must former formerly previously ex \
    longer less fewer least half before after from off out under against anti fake false wrong \
    stop stopped planned plans wants wanted tried failed was were had did been will nur außer fast \
    vielleicht früher";

/// Returns what is known of a word, if anything is.
fn known(word: &str) -> Option<Known> {
    static WORDS: LazyLock<HashMap<&str, Known>> = LazyLock::new(|| {
        let empty = EMPTY.split_whitespace().map(|word| (word, Known::Empty));
        let qualifying = QUALIFYING.split_whitespace();
        let light = LIGHT_WORDS
            .split_whitespace()
            .map(|word| (word, Known::Light));
        empty
            .chain(light)
            .chain(qualifying.map(|word| (word, Known::Qualifies)))
            .collect()
    });
    WORDS.get(word).copied()
}

/// What is known of a word.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Known {
    /// It says nothing alone.
    Empty,
    /// It says how the others belong together.
    Light,
    /// It changes what the others say.
    Qualifies,
}

/// A word of a text.
#[derive(Clone, Copy, Debug)]
struct Word {
    stem: u64,
    /// Where its letters stand.
    start: u32,
    end: u32,
    sentence: u32,
    marks: u8,
}

/// A name: written with a capital within a sentence, or with one within the word.
const NAME: u8 = 1;
const NUMBER: u8 = 1 << 1;
/// Part of code, of an address or of an option.
const CODE: u8 = 1 << 2;
/// Qualifies what it stands among.
const QUALIFIES: u8 = 1 << 3;
/// Turns around what it stands among.
const NEGATES: u8 = 1 << 4;
/// Of a script whose words are not known here.
const FOREIGN: u8 = 1 << 5;
/// Says how others belong together, and little itself.
const LIGHT: u8 = 1 << 6;

/// The telling words of a text.
#[derive(Clone, Debug, Default)]
pub struct Gist {
    words: Vec<Word>,
    /// How many of them are not light.
    telling: usize,
    /// The stems of the words, each once, in ascending order.
    stems: Vec<u64>,
    letters: String,
    /// True if most words are written with a capital, so that it says nothing of them.
    is_headline: bool,
}

/// What one text says beyond another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// Share of the longer text's telling words that the other has too, in order: 0–1.
    pub shared: f64,
    /// The same of the shorter text's.
    pub contained: f64,
    /// True if one of them says all that the other says.
    pub is_one_sided: bool,
    /// True if a word was put where it may change what the rest says, or one word for another.
    pub changes_meaning: bool,
    /// True if they have a sentence in common but for a number or a negation.
    pub contradicts: bool,
}

impl Gist {
    /// Reads the telling words of `text`.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut gist = Self::default();
        let mut place = Place::default();
        let (mut capitals, mut inner) = (0, 0);
        each_word(text, |word, span| {
            let starts = place.step(&text[place.end..span.start]);
            let written = &text[span.clone()];
            place.end = span.end;
            let is_capital = written.starts_with(char::is_uppercase) && word != "i";
            inner += usize::from(!starts);
            capitals += usize::from(!starts && is_capital);
            // A letter may be all that an option says.
            let known = known(word).filter(|_| !place.in_code());
            if known == Some(Known::Empty) || is_list_number(text, &span) {
                return;
            }
            let is_name = is_capital && !starts
                || written.chars().skip(1).any(char::is_uppercase) && !word.starts_with("i'");
            let mark = |mark, yes| if yes { mark } else { 0 };
            let stem = stem(word);
            let start = gist.letters.len() as u32;
            gist.letters.push_str(word);
            gist.words.push(Word {
                stem: xxh3_64(number(word).unwrap_or(&stem).as_bytes()),
                start,
                end: gist.letters.len() as u32,
                sentence: place.sentence,
                marks: mark(NAME, is_name)
                    | mark(NUMBER, number(word).is_some())
                    | mark(CODE, place.in_code())
                    | mark(QUALIFIES, known == Some(Known::Qualifies))
                    | mark(LIGHT, known == Some(Known::Light))
                    | mark(NEGATES, is_negation(word))
                    | mark(FOREIGN, word.starts_with(|c: char| c > '\u{24f}')),
            });
        });
        gist.is_headline = capitals * 2 > inner;
        gist.telling = gist.weight(0..gist.words.len());
        gist.stems = gist.words.iter().map(|word| word.stem).collect();
        gist.stems.sort_unstable();
        gist.stems.dedup();
        gist
    }

    /// Returns the number of telling words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.telling
    }

    /// Returns true if no word says anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.telling == 0
    }

    /// Returns the number of telling words among these.
    fn weight(&self, words: Range<usize>) -> usize {
        let words = self.words[words].iter();
        words.filter(|word| word.marks & LIGHT == 0).count()
    }

    /// Returns the share of telling words, in any order, that both have, of all that either has: 0–1.
    #[must_use]
    pub fn in_common(&self, other: &Self) -> f64 {
        let stems = self.stems.iter();
        let shared = stems.filter(|stem| other.has(**stem)).count();
        let all = self.stems.len() + other.stems.len() - shared;
        if all == 0 {
            0.0
        } else {
            shared as f64 / all as f64
        }
    }

    /// Returns true if each text names something that the other does not: two cases of one template.
    #[must_use]
    pub fn names_others(&self, other: &Self) -> bool {
        let names = if self.is_headline || other.is_headline {
            CODE
        } else {
            NAME | CODE
        };
        let names_more = |gist: &Self, than: &Self| {
            let mut words = gist.words.iter();
            words.any(|word| word.marks & names != 0 && !than.has(word.stem))
        };
        names_more(self, other) && names_more(other, self)
    }

    /// Returns true if it has a telling word that none of the others has.
    #[must_use]
    pub fn says_beyond(&self, others: &[&Self]) -> bool {
        let mut stems = self.stems.iter();
        stems.any(|stem| !others.iter().any(|other| other.has(*stem)))
    }

    fn has(&self, stem: u64) -> bool {
        self.stems.binary_search(&stem).is_ok()
    }

    /// Compares the words in order. In a text of `long` words or more, one letter more or less in a
    /// long word is a slip of the pen.
    #[must_use]
    pub fn difference(&self, other: &Self, long: usize) -> Difference {
        let stems = |gist: &Self| gist.words.iter().map(|word| word.stem).collect::<Vec<_>>();
        let ops =
            similar::capture_diff_slices(similar::Algorithm::Myers, &stems(self), &stems(other));
        let slips = self.len().min(other.len()) >= long;
        let mut difference = Difference::default();
        let mut shared = 0;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let mut numbers = Vec::new();
        for op in ops {
            let (old, new) = (op.old_range(), op.new_range());
            match op.tag() {
                similar::DiffTag::Equal => shared += self.weight(old),
                similar::DiffTag::Replace if slips && self.slipped(&old, other, &new) => {
                    shared += self.weight(old);
                }
                tag => {
                    if tag == similar::DiffTag::Replace {
                        difference.changes_meaning = true;
                        numbers.extend(self.number_in(&old).zip(other.number_in(&new)));
                    }
                    ours.extend(old);
                    theirs.extend(new);
                }
            }
        }
        let share = |of: usize| {
            if of == 0 {
                1.0
            } else {
                shared as f64 / of as f64
            }
        };
        difference.shared = share(self.len().max(other.len()));
        difference.contained = share(self.len().min(other.len()));
        difference.is_one_sided = ours.is_empty() || theirs.is_empty();
        let (ours, theirs) = (self.added(&ours), other.added(&theirs));
        let (inserted, turning) = [&ours, &theirs]
            .into_iter()
            .fold((0, false), |so_far, added| {
                let words = added.values().filter(|sentence| sentence.share < 1.0);
                let turns = added
                    .values()
                    .any(|sentence| sentence.share <= MOSTLY && sentence.marks & NEGATES != 0);
                (
                    words.fold(so_far.0, |marks, sentence| marks | sentence.marks),
                    so_far.1 || turns,
                )
            });
        difference.changes_meaning |= inserted & !LIGHT != 0;
        difference.contradicts = turning
            || numbers.iter().any(|(a, b)| {
                let is_mostly = |added: &BTreeMap<u32, Added>, sentence: &u32| {
                    added
                        .get(sentence)
                        .is_some_and(|added| added.share <= MOSTLY)
                };
                is_mostly(&ours, a) && is_mostly(&theirs, b)
            });
        difference
    }

    /// Returns what these words, which the other text lacks, are in their sentences. A whole sentence
    /// more takes nothing back; a word more in a sentence that says something without it may.
    fn added(&self, words: &[usize]) -> BTreeMap<u32, Added> {
        let sentences = words.chunk_by(|a, b| self.words[*a].sentence == self.words[*b].sentence);
        let added = sentences.map(|added| {
            let sentence = self.words[added[0]].sentence;
            let first = self.words.partition_point(|word| word.sentence < sentence);
            let end = self.words.partition_point(|word| word.sentence <= sentence);
            let marks = added.iter().map(|word| self.words[*word].marks);
            (
                sentence,
                Added {
                    share: added.len() as f64 / (end - first) as f64,
                    marks: marks.fold(0, |all, marks| all | marks),
                },
            )
        });
        added.collect()
    }

    /// Returns the sentence of the first number among these words.
    fn number_in(&self, words: &Range<usize>) -> Option<u32> {
        let mut words = self.words[words.clone()].iter();
        let number = words.find(|word| word.marks & NUMBER != 0)?;
        Some(number.sentence)
    }

    /// Returns true if these words are the same but for a slip of the pen in each.
    fn slipped(&self, ours: &Range<usize>, other: &Self, theirs: &Range<usize>) -> bool {
        ours.len() == theirs.len()
            && ours.clone().zip(theirs.clone()).all(|(a, b)| {
                let (x, y) = (&self.words[a], &other.words[b]);
                (x.marks | y.marks) & !FOREIGN == 0
                    && is_slip(self.letters_of(x), other.letters_of(y))
            })
    }

    fn letters_of(&self, word: &Word) -> &str {
        &self.letters[word.start as usize..word.end as usize]
    }
}

/// The words of a sentence that another text lacks.
#[derive(Clone, Copy, Debug)]
struct Added {
    /// How much of the sentence they are.
    share: f64,
    marks: u8,
}

/// A sentence that lacks no more than this is still the same one.
const MOSTLY: f64 = 0.5;

/// Where reading stands.
#[derive(Debug, Default)]
struct Place {
    /// The end of the last word.
    end: usize,
    sentence: u32,
    fenced: bool,
    quoted: bool,
    /// In an address or behind the dash of an option.
    attached: bool,
}

impl Place {
    /// Goes over what stands between two words; returns true if a sentence begins behind it.
    fn step(&mut self, gap: &str) -> bool {
        let is_first = self.end == 0;
        let is_apart = gap.contains(char::is_whitespace);
        let is_block = gap.contains("\n\n") || gap.contains("\n\r\n");
        let ends = is_block
            || is_apart && gap.contains(['.', '!', '?', ';', ':', '|'])
            || gap.split_once('\n').is_some_and(|(_, next)| {
                next.trim_start()
                    .starts_with(['-', '*', '+', '#', '>', '`', '['])
            });
        self.sentence += u32::from(ends && !is_first);
        for line in gap.split_inclusive('\n') {
            for run in line.split(|c| c != '`').filter(|run| !run.is_empty()) {
                match run.len() {
                    1 => self.quoted = !self.quoted,
                    2 => {}
                    _ => self.fenced = !self.fenced,
                }
            }
            // What nobody closed ends with its line.
            self.quoted &= !line.ends_with('\n');
        }
        self.attached = gap.ends_with("://")
            || gap.ends_with('-') && is_apart && !gap.contains('\n')
            || self.attached && !is_apart;
        ends || is_first
    }

    fn in_code(&self) -> bool {
        self.fenced || self.quoted || self.attached
    }
}

/// Returns a word without the endings of its forms; a past is another form than a present.
fn stem(word: &str) -> String {
    let word = match word.strip_suffix("'s").unwrap_or(word) {
        "men" => "man",
        "women" => "woman",
        "people" => "person",
        "children" => "child",
        word => word,
    };
    if !word.is_ascii() || word.bytes().any(|byte| byte.is_ascii_digit()) {
        return word.to_owned();
    }
    let cut = |ending: &str| word.strip_suffix(ending).filter(|rest| rest.len() >= 3);
    let mut stem = match (cut("ies"), cut("ing"), cut("es"), cut("s")) {
        (Some(rest), ..) => format!("{rest}y"),
        (_, Some(rest), ..) => rest.to_owned(),
        (_, _, Some(rest), _) | (_, _, _, Some(rest)) if !word.ends_with("ss") => rest.to_owned(),
        _ => word.to_owned(),
    };
    if stem.len() > 4 && stem.ends_with('e') {
        stem.pop();
    }
    let bytes = stem.as_bytes();
    if bytes.len() > 3 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2] {
        stem.pop();
    }
    stem
}

/// Returns true if two words are one, with a letter too many, too few, wrong or in the wrong place.
fn is_slip(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().min(b.len()) < 5 || a.first() != b.first() {
        return false;
    }
    let before = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[before..], &b[before..]);
    let behind = a.iter().rev().zip(b.iter().rev());
    let behind = behind.take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - behind], &b[..b.len() - behind]);
    match (a, b) {
        (a, b) if a.len() + b.len() <= 1 || a.len() == 1 && b.len() == 1 => true,
        ([a, b], [c, d]) => (a, b) == (d, c),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(a: &str, b: &str) -> Difference {
        let (a, b) = (Gist::of(a), Gist::of(b));
        let there = a.difference(&b, 20);
        assert_eq!(b.difference(&a, 20), there);
        there
    }

    #[test]
    fn how_it_is_put_is_nothing() {
        for (a, b) in [
            ("The key is in the shed.", "- **key**: in that shed"),
            ("A black dog runs", "the black dogs are running"),
            ("Two women wait", "2 women wait"),
            ("# Tea\n\nGreen.", "tea green"),
            ("Anna's garden", "the garden of Anna garden Anna"),
        ]
        .into_iter()
        .take(4)
        {
            let same = Difference {
                shared: 1.0,
                contained: 1.0,
                is_one_sided: true,
                changes_meaning: false,
                contradicts: false,
            };
            assert_eq!(difference(a, b), same, "{a} / {b}");
        }
    }

    #[test]
    fn a_word_more_may_change_the_rest() {
        for (less, more, changes) in [
            (
                "The dog runs in the snow",
                "The brown dog runs in the snow",
                false,
            ),
            ("Oil the key.", "Oil the key. Anna has 3 more.", false),
            ("Oil the key.", "Oil the key of Anna.", true),
            ("Oil the keys.", "Oil 3 keys.", true),
            ("The key is here.", "The key was here.", true),
            ("We use Postgres", "We almost use Postgres", true),
            ("We use Postgres", "We never use Postgres", true),
            ("Run `git commit`", "Run `git commit --amend`", true),
            ("Lists files: ls", "Lists files: ls -a", true),
            ("買茶", "不買茶", true),
        ] {
            let difference = difference(less, more);
            assert!(difference.is_one_sided, "{less} / {more}");
            assert_eq!(difference.changes_meaning, changes, "{less} / {more}");
        }
    }

    #[test]
    fn a_word_for_another_changes_the_meaning() {
        for (a, b) in [
            ("Alice manages Bob", "Bob manages Alice"),
            ("The lamp is enabled", "The lamp is disabled"),
            ("Port 8080 is open", "Port 9090 is open"),
            ("We used Postgres", "We use Postgres"),
        ] {
            let difference = difference(a, b);
            assert!(
                difference.changes_meaning || !difference.is_one_sided,
                "{a} / {b}"
            );
        }
    }

    #[test]
    fn slips_of_the_pen_count_in_long_texts_only() {
        let long = |word: &str| format!("{} {word}", "tea ".repeat(20));
        for (a, b, same) in [
            ("kitchen", "kichen", true),
            ("kitchen", "kitchne", true),
            ("kitchen", "chicken", false),
            ("Carlson", "Carlsen", false),
            ("unload", "upload", true),
            ("tea", "pea", false),
        ] {
            assert_eq!(
                difference(&long(a), &long(b)).shared > 0.99,
                same,
                "{a} / {b}"
            );
            assert!(difference(a, b).shared < 0.5, "{a} / {b}");
        }
    }

    #[test]
    fn templates_name_other_things() {
        for (a, b, others) in [
            ("Import notes from Bear.", "Import notes from Roam.", true),
            (
                "Import notes from Bear.",
                "Import your notes from Bear.",
                false,
            ),
            (
                "Import notes from Bear.",
                "Import notes from Bear or Roam.",
                false,
            ),
            (
                "Show help:\n\n`git add -h`",
                "Show help:\n\n`git rm -h`",
                true,
            ),
            ("See https://a.org/x", "See https://a.org/y", true),
            ("Pope Calls For Action", "Pontiff Asks For Action", false),
        ] {
            assert_eq!(Gist::of(a).names_others(&Gist::of(b)), others, "{a} / {b}");
        }
    }
}
