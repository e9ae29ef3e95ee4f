//! The names of all notes, and matching of names.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use rayon::prelude::*;

use super::preview::highlighted;
use super::state::PickRow;
use crate::note::folded;

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
    ///
    /// Matches of the title rank before those of other names, whole `words` of it before parts, and
    /// short titles before longer ones.
    fn rank(&self, wanted: &Pattern, words: &[&str], matcher: &mut Matcher) -> Option<Rank> {
        let (mut buffer, title) = (Vec::new(), &self.names[..self.title_end]);
        let score = wanted.score(Utf32Str::new(&self.names, &mut buffer), matcher)?;
        let of_title = wanted.score(Utf32Str::new(title, &mut buffer), matcher);
        let score = u32::MAX - of_title.unwrap_or(score);
        let whole: Vec<&str> = title.split(|c: char| !c.is_alphanumeric()).collect();
        let partial = words.iter().filter(|word| !whole.contains(word)).count();
        Some((of_title.is_none(), partial, score, self.title_end))
    }
}

/// Whether only other names match, the number of words that the title does not have, what the score lacks, and the length
/// of the title.
type Rank = (bool, usize, u32, usize);

/// All notes, the last modified first.
#[derive(Debug, Default)]
pub(super) struct NameIndex(Vec<NoteNames>);

impl NameIndex {
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

    /// Returns the row of a note, with the words of its title highlighted.
    pub(super) fn row(&self, note: u32, words: &[String]) -> PickRow {
        let names = self.get(note);
        PickRow {
            path: names.path.clone(),
            title: highlighted(&names.title, words),
            text: None,
        }
    }

    /// Returns the best `most` notes whose names contain all words of `query`, and the number of all.
    /// With `is_fuzzy` the letters of each word in order suffice.
    ///
    /// Equal matches are ordered by modification time.
    pub(super) fn named(&self, query: &str, is_fuzzy: bool, most: usize) -> (Vec<u32>, usize) {
        let query = folded(query);
        let words: Vec<&str> = query.split_whitespace().collect();
        let mut wanted = Pattern::parse(&query, CaseMatching::Ignore, Normalization::Smart);
        for atom in &mut wanted.atoms {
            if atom.kind == AtomKind::Fuzzy && !is_fuzzy {
                atom.kind = AtomKind::Substring;
            }
        }
        if wanted.atoms.is_empty() {
            return ((0..self.len() as u32).take(most).collect(), self.len());
        }
        let mut config = Config::DEFAULT;
        config.prefer_prefix = true;
        let notes = (0..self.len() as u32).into_par_iter();
        let matches = notes.map_init(
            || Matcher::new(config.clone()),
            |matcher, note| Some((self.get(note).rank(&wanted, &words, matcher)?, note)),
        );
        let mut ranked: Vec<_> = matches.flatten().collect();
        let count = ranked.len();
        if count > most {
            ranked.select_nth_unstable(most);
            ranked.truncate(most);
        }
        ranked.sort_unstable();
        (ranked.into_iter().map(|(_, note)| note).collect(), count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: usize = 10;

    fn notes() -> NameIndex {
        let note = |path: &str, title: &str, aliases: &[&str], changed| {
            NoteNames::new(path.to_owned(), title.to_owned(), aliases, changed)
        };
        NameIndex::new(vec![
            note("tea/Green tea.md", "Green tea", &["Sencha"], 3),
            note("tea/Kettle.md", "Kettle", &[], 9),
            note("work/great team.md", "A great team", &[], 5),
            note("work/Tea.md", "Tea", &[], 4),
            note("work/Postgres.md", "Postgres", &["PG"], 7),
            note("茶/緑茶.md", "緑茶", &[], 1),
        ])
    }

    fn titles<'n>(notes: &'n NameIndex, found: &[u32]) -> Vec<&'n str> {
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
            ("te", &["Tea", "Green tea", "A great team", "Kettle"]),
            ("ea", &["Tea", "A great team", "Green tea", "Kettle"]),
            ("eat", &["A great team"]),
            ("team", &["A great team"]),
            ("work", &["Tea", "Postgres", "A great team"]),
            ("work !team", &["Tea", "Postgres"]),
            ("^gr", &["Green tea"]),
            ("'tea ^k", &["Kettle"]),
            ("tea !", &["Tea", "Green tea", "A great team", "Kettle"]),
            ("緑", &["緑茶"]),
            ("grtea", &[]),
        ] {
            let (named, count) = notes.named(query, false, MOST);
            assert_eq!(titles(&notes, &named), expected, "{query}");
            assert_eq!(count, expected.len(), "{query}");
        }
        let (few, count) = notes.named("e", false, 2);
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
            let (named, _) = notes.named(query, true, MOST);
            assert_eq!(titles(&notes, &named), expected, "{query}");
        }
    }
}
