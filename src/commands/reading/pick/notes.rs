//! The names of all notes, and matching of names.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use rayon::prelude::*;

use super::state::Row;
use crate::note::folded;
use crate::output::lines::Line;

/// The names of a note.
#[derive(Debug)]
pub(super) struct NoteNames {
    pub path: String,
    pub title: String,
    /// Title, aliases and path in lower case, one per line.
    names: Box<str>,
    /// Length of the title in `names`.
    title_end: usize,
    /// The modification time of the file; only compared.
    changed: i64,
}

impl NoteNames {
    pub(super) fn new(path: String, title: String, aliases: &[&str], changed: i64) -> Self {
        let mut names = folded(&title);
        let title_end = names.len();
        for name in aliases.iter().copied().chain([path.as_str()]) {
            names.push('\n');
            names.push_str(&folded(name));
        }
        Self {
            names: names.into(),
            title_end,
            path,
            title,
            changed,
        }
    }

    /// Returns how well the names match, the least being best; none if they don't.
    fn quality(&self, wanted: &NameQuery) -> Option<MatchQuality> {
        let title = &self.names[..self.title_end];
        let mut quality = MatchQuality::Words;
        for word in &wanted.words {
            let is_met = match word {
                Word::Not(word) => !self.names.contains(word.as_str()),
                Word::Begin(word) => title.starts_with(word.as_str()),
                Word::Has(word) => {
                    let best = title.match_indices(word.as_str()).map(|(at, _)| {
                        let begins = !title[..at].ends_with(char::is_alphanumeric);
                        let ends = !title[at + word.len()..].starts_with(char::is_alphanumeric);
                        match (begins, ends) {
                            (true, true) => MatchQuality::Words,
                            (true, false) => MatchQuality::Beginnings,
                            (false, _) => MatchQuality::Letters,
                        }
                    });
                    let best = best.min().unwrap_or(MatchQuality::OtherNames);
                    quality = quality.max(best);
                    best != MatchQuality::OtherNames
                        || self.names[self.title_end..].contains(word.as_str())
                }
            };
            if !is_met {
                return None;
            }
        }
        Some(match title.strip_prefix(&wanted.whole) {
            Some("") => MatchQuality::Title,
            Some(_) if quality == MatchQuality::Words => MatchQuality::FirstWords,
            Some(_) => quality.min(MatchQuality::Beginning),
            None => quality,
        })
    }
}

/// Where the words of a query match the names, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MatchQuality {
    /// The words are the title.
    Title,
    /// The title begins with the words, at a word boundary.
    FirstWords,
    /// The title contains them as whole words.
    Words,
    /// The title begins with the text.
    Beginning,
    /// Words of the title begin with them.
    Beginnings,
    /// Words of the title contain them.
    Letters,
    /// Only other names match.
    OtherNames,
}

/// A parsed query for names.
#[derive(Debug)]
struct NameQuery {
    /// All positive words, joined as in a title.
    whole: String,
    words: Vec<Word>,
}

#[derive(Debug)]
enum Word {
    Has(String),
    Begin(String),
    Not(String),
}

impl NameQuery {
    fn of(query: &str) -> Self {
        let query = folded(query);
        let word = |word: &str| match word.split_at_checked(1) {
            Some(("!", word)) => Word::Not(word.to_owned()),
            Some(("^", word)) => Word::Begin(word.to_owned()),
            Some(("'", word)) => Word::Has(word.to_owned()),
            _ => Word::Has(word.to_owned()),
        };
        let words = query.split_whitespace().map(word);
        // A sign alone is an incomplete word.
        let is_word = |word: &Word| match word {
            Word::Has(word) | Word::Begin(word) | Word::Not(word) => !word.is_empty(),
        };
        let words: Vec<Word> = words.filter(is_word).collect();
        let plain = words.iter().filter_map(|word| match word {
            Word::Has(word) | Word::Begin(word) => Some(word.as_str()),
            Word::Not(_) => None,
        });
        let whole = plain.collect::<Vec<_>>().join(" ");
        Self { whole, words }
    }
}

/// All notes, the last modified first.
#[derive(Debug, Default)]
pub(super) struct NoteIndex(Vec<NoteNames>);

impl NoteIndex {
    pub(super) fn new(mut all: Vec<NoteNames>) -> Self {
        all.par_sort_unstable_by(|a, b| {
            let order = b.changed.cmp(&a.changed);
            order.then_with(|| a.path.cmp(&b.path))
        });
        Self(all)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, note: u32) -> &NoteNames {
        &self.0[note as usize]
    }

    /// Returns the row of a note, without highlights.
    pub(super) fn row(&self, note: u32) -> Row {
        let names = self.get(note);
        Row {
            path: names.path.clone(),
            title: Line::of(None, names.title.clone()),
            unhighlighted: Some(note),
            text: None,
        }
    }

    /// Returns the best `most` notes that match all words of `query`, and the number of all.
    ///
    /// Titles rank before other names, and equal matches by modification time.
    pub(super) fn named(&self, query: &str, most: usize) -> (Vec<u32>, usize) {
        let wanted = NameQuery::of(query);
        let quality = |note: u32| match wanted.words.as_slice() {
            [] => Some((MatchQuality::Title, note)),
            _ => Some((self.get(note).quality(&wanted)?, note)),
        };
        let notes = (0..self.len() as u32).into_par_iter();
        let found: Vec<(MatchQuality, u32)> = notes.filter_map(quality).collect();
        let count = found.len();
        (best(found, most), count)
    }

    /// Returns at most `most` notes whose names contain the letters of each word in order, best
    /// first.
    ///
    /// Includes notes that contain the words.
    pub(super) fn similar(&self, query: &str, most: usize) -> Vec<u32> {
        let pattern = pattern(query);
        let matcher = || (Matcher::new(config()), Vec::new());
        let score = |(matcher, buffer): &mut (Matcher, Vec<char>), note: u32| {
            let names = Utf32Str::new(&self.get(note).names, buffer);
            Some((u32::MAX - pattern.score(names, matcher)?, note))
        };
        let notes = (0..self.len() as u32).into_par_iter();
        best(notes.map_init(matcher, score).flatten().collect(), most)
    }

    /// Returns the indices of the matched characters in the title of `note`.
    pub(super) fn highlights(&self, note: u32, query: &str) -> Vec<u32> {
        let called = self.get(note);
        let mut letters = Vec::new();
        pattern(query).indices(
            Utf32Str::new(&called.names, &mut Vec::new()),
            &mut Matcher::new(config()),
            &mut letters,
        );
        let length = called.title.chars().count() as u32;
        letters.retain(|letter| *letter < length);
        letters.sort_unstable();
        letters.dedup();
        letters
    }
}

/// Returns the `most` least of the rated notes, in order.
fn best<Q: Ord>(mut rated: Vec<(Q, u32)>, most: usize) -> Vec<u32> {
    if rated.len() > most {
        rated.select_nth_unstable(most);
        rated.truncate(most);
    }
    rated.sort_unstable();
    rated.into_iter().map(|(_, note)| note).collect()
}

fn config() -> Config {
    let mut config = Config::DEFAULT;
    config.prefer_prefix = true;
    config
}

fn pattern(query: &str) -> Pattern {
    Pattern::parse(query, CaseMatching::Ignore, Normalization::Smart)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: usize = 10;

    fn notes() -> NoteIndex {
        let note = |path: &str, title: &str, aliases: &[&str], changed| {
            NoteNames::new(path.to_owned(), title.to_owned(), aliases, changed)
        };
        NoteIndex::new(vec![
            note("tea/Green tea.md", "Green tea", &["Sencha"], 3),
            note("tea/Kettle.md", "Kettle", &[], 9),
            note("work/great team.md", "A great team", &[], 5),
            note("work/Tea.md", "Tea", &[], 4),
            note("work/Postgres.md", "Postgres", &["PG"], 7),
            note("茶/緑茶.md", "緑茶", &[], 1),
        ])
    }

    fn titles<'n>(notes: &'n NoteIndex, found: &[u32]) -> Vec<&'n str> {
        let titles = found.iter().map(|note| notes.get(*note).title.as_str());
        titles.collect()
    }

    #[test]
    fn words_match_names() {
        let notes = notes();
        let all = [
            "Kettle",
            "Postgres",
            "A great team",
            "Tea",
            "Green tea",
            "緑茶",
        ];
        for (query, expected) in [
            ("", &all[..]),
            ("  ", &all),
            ("green", &["Green tea"]),
            ("GREEN tea", &["Green tea"]),
            ("tea green", &["Green tea"]),
            ("sencha", &["Green tea"]),
            // The title itself, a title that begins so, a word of the title, then paths.
            ("tea", &["Tea", "Green tea", "A great team", "Kettle"]),
            ("te", &["Tea", "A great team", "Green tea", "Kettle"]),
            ("ea", &["A great team", "Tea", "Green tea", "Kettle"]),
            ("eat", &["A great team"]),
            ("team", &["A great team"]),
            ("work", &["Postgres", "A great team", "Tea"]),
            ("work !team", &["Postgres", "Tea"]),
            ("^gr", &["Green tea"]),
            ("'tea ^k", &["Kettle"]),
            ("tea !", &["Tea", "Green tea", "A great team", "Kettle"]),
            ("緑", &["緑茶"]),
            ("grtea", &[]),
        ] {
            let (named, count) = notes.named(query, MOST);
            assert_eq!(titles(&notes, &named), expected, "{query}");
            assert_eq!(count, expected.len(), "{query}");
        }
        let (few, count) = notes.named("e", 2);
        assert_eq!((few.len(), count), (2, 5));
    }

    #[test]
    fn letters_in_order_match_names() {
        let notes = notes();
        for (query, expected) in [
            ("grtea", &["Green tea", "A great team"][..]),
            ("pg", &["Postgres"]),
            ("xyz", &[]),
        ] {
            assert_eq!(
                titles(&notes, &notes.similar(query, MOST)),
                expected,
                "{query}"
            );
        }
    }

    #[test]
    fn matched_letters_are_highlighted() {
        let notes = notes();
        let green = notes.0.iter().position(|note| note.title == "Green tea");
        let green = green.unwrap() as u32;
        assert_eq!(notes.highlights(green, "tea"), [6, 7, 8]);
        assert_eq!(notes.highlights(green, "sencha"), [] as [u32; 0]);
    }
}
