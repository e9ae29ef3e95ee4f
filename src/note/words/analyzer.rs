//! Analyzer of the text index, shared by queries and snippets.
//!
//! A word is a run of letters and digits, folded (see `letters`) and stemmed. Scripts without spaces and
//! Hangul become overlapping bigrams, so that any part of a run can be found. Each term has a position;
//! adjacent terms have adjacent positions, which phrases compare.
//!
//! Index and query terms differ in two ways. In the index, a run `東京都` gives `東 東京 京 京都 都` at 0 0 1 1 2. In a
//! query, it gives the bigrams `東京 京都` at 0 1, and a single character gives itself.
//!
//! In the index, a word followed by signs, `C++` or `A+`, gives `c c++` at 0 0. In a query, it gives `c++`:
//! with signs only exact matches are found, without them both. The plural of an abbreviation, `VMs`, gives
//! `vm vms` at 0 0 in the index, and `vm` in a query: no stemmer removes the ending of a word without vowels.
//!
//! The index keeps only stems: an exact word has the same stem on both sides, so no match is lost, and the
//! index is a third smaller.

use std::ops::Range;

use frostem::{Algorithm, Stemmer};
use xxhash_rust::xxh3::xxh3_64;

use super::hash::ByHash;
use super::language::Language;
use super::letters::{CharClass, continues_syllable, fold_into, kind};

/// Maximum bytes of a term; longer terms are cut, in notes and queries alike.
const MAX_TERM_BYTES: usize = 64;

/// A pattern to search for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// One word as typed, `eip-1559` and `東京都` included. Its terms must be adjacent if any text has them so.
    Word(String),
    /// Adjacent terms in this order.
    Phrase(String),
    /// Words with this prefix, without the `*`.
    Prefix(String),
}

/// Whether terms are for the index or for a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnalysisPurpose {
    /// The text of a note.
    Index,
    /// The text of a query.
    Query,
}

/// A term of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The folded, stemmed form.
    pub text: String,
    /// Position among the words of the text.
    pub position: usize,
    /// Source bytes.
    pub range: Range<usize>,
    /// Whether it is a part of a run without spaces.
    pub is_gram: bool,
    /// In a query: its different stems in the other languages of the vault.
    pub other_stems: Vec<String>,
}

impl Term {
    /// Returns its distinct stems over all languages.
    pub fn stems(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.text)
            .chain(&self.other_stems)
            .map(String::as_str)
    }
}

/// Converts text to terms; caches stems.
#[derive(Clone, Debug)]
pub struct Analyzer {
    /// One stemmer per language.
    stemmers: Vec<CachedStemmer>,
    /// Index of the stemmer for indexed text without a [`mark`].
    current: usize,
}

/// The first of a range of private-use characters, one per language.
const FIRST_MARK: u32 = 0xF_0000;

/// Returns the character that marks the language at the start of an indexed text.
pub fn mark(language: Language) -> char {
    char::from_u32(FIRST_MARK + u32::from(language.code())).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn marked_language(text: &str) -> Option<Language> {
    let code = u32::from(text.chars().next()?).checked_sub(FIRST_MARK)?;
    Some(Language::of_code(u8::try_from(code).ok()?))
}

impl Analyzer {
    /// Returns the analyzer of `language`.
    pub fn new(language: Language) -> Self {
        Self::of(&[language])
    }

    /// Returns an analyzer whose query terms have the stems of all `languages`.
    pub fn of(languages: &[Language]) -> Self {
        Self {
            stemmers: languages.iter().copied().map(CachedStemmer::new).collect(),
            current: 0,
        }
    }

    /// Sets the language of the next indexed text.
    pub fn set_language(&mut self, language: Language) {
        self.current = self.stemmer_of(language);
    }

    fn stemmer_of(&mut self, language: Language) -> usize {
        let known = self.stemmers.iter().position(|of| of.language == language);
        known.unwrap_or_else(|| {
            self.stemmers.push(CachedStemmer::new(language));
            self.stemmers.len() - 1
        })
    }

    /// Reads `text` term by term.
    pub fn scan<'a>(&'a mut self, text: &'a str, purpose: AnalysisPurpose) -> Scan<'a> {
        let marked = marked_language(text);
        let stemmer = match marked {
            Some(language) => self.stemmer_of(language),
            None => self.current,
        };
        self.scan_with(stemmer, text, purpose)
    }

    fn scan_with<'a>(
        &'a mut self,
        stemmer: usize,
        text: &'a str,
        purpose: AnalysisPurpose,
    ) -> Scan<'a> {
        Scan {
            text,
            at: 0,
            position: 0,
            purpose,
            pending_unit: None,
            second_term: None,
            in_run: false,
            stemmer: &mut self.stemmers[stemmer],
        }
    }

    /// Returns the terms of `text`; those of a query with their stems in every language of the analyzer.
    pub fn terms(&mut self, text: &str, purpose: AnalysisPurpose) -> Vec<Term> {
        let mut terms = Vec::new();
        let mut stem = String::new();
        let mut scan = self.scan(text, purpose);
        while let Some(place) = scan.advance(&mut stem) {
            terms.push(Term {
                text: stem.clone(),
                position: place.position,
                range: place.range,
                is_gram: place.is_gram,
                other_stems: Vec::new(),
            });
        }
        let stemmers = match purpose {
            AnalysisPurpose::Query if self.stemmers.len() > 1 => 0..self.stemmers.len(),
            _ => 0..0,
        };
        for stemmer in stemmers {
            // Word boundaries do not depend on the language.
            let mut scan = self.scan_with(stemmer, text, purpose);
            for term in &mut terms {
                if scan.advance(&mut stem).is_some() && term.stems().all(|known| known != stem) {
                    term.other_stems.push(stem.clone());
                }
            }
        }
        terms
    }
}

/// Position of a term; see [`Term`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermSpan {
    /// Position among the words of the text.
    pub position: usize,
    /// Source bytes.
    pub range: Range<usize>,
    /// Whether it is a part of a run without spaces.
    pub is_gram: bool,
}

/// The state of a scan over a text.
#[derive(Debug)]
pub struct Scan<'a> {
    text: &'a str,
    at: usize,
    position: usize,
    purpose: AnalysisPurpose,
    /// The character of a run whose bigram is pending.
    pending_unit: Option<Range<usize>>,
    /// A word that yields a second term: with the signs after it, or with a plural ending.
    second_term: Option<(Range<usize>, usize)>,
    in_run: bool,
    stemmer: &'a mut CachedStemmer,
}

impl Scan<'_> {
    /// Writes the next term to `out`, replacing its content, and returns its position.
    pub fn advance(&mut self, out: &mut String) -> Option<TermSpan> {
        let bytes = self.text.as_bytes();
        if let Some((word, end)) = self.second_term.take() {
            self.fold_signed(word.clone(), end, out);
            return Some(TermSpan {
                position: self.position - 1,
                range: word.start..end,
                is_gram: false,
            });
        }
        loop {
            if let Some(unit) = self.pending_unit.take()
                && let Some(place) = self.pair(&unit, out)
            {
                return Some(place);
            }
            while bytes
                .get(self.at)
                .is_some_and(|&byte| byte < 0x80 && !is_ascii_letter(byte))
            {
                self.at += 1;
            }
            let start = self.at;
            let first = *bytes.get(start)?;
            let found = if first < 0x80 {
                self.word(start, out)
            } else {
                let c = self.char_at(start)?;
                match kind(c) {
                    CharClass::Letter => self.word(start, out),
                    CharClass::Gram => self.gram(start, out),
                    CharClass::Emoji => {
                        self.at += c.len_utf8();
                        out.clear();
                        out.push(c);
                        Some(self.next_span(start..self.at, false))
                    }
                    CharClass::Mark | CharClass::Gap => {
                        self.at += c.len_utf8();
                        None
                    }
                }
            };
            if found.is_some() {
                return found;
            }
        }
    }

    fn char_at(&self, at: usize) -> Option<char> {
        self.text[at..].chars().next()
    }

    fn next_span(&mut self, range: Range<usize>, is_gram: bool) -> TermSpan {
        let position = self.position;
        self.position += 1;
        TermSpan {
            position,
            range,
            is_gram,
        }
    }

    /// Reads the word that begins at `start`.
    fn word(&mut self, start: usize, out: &mut String) -> Option<TermSpan> {
        let bytes = self.text.as_bytes();
        let mut end = start;
        let mut is_ascii = true;
        loop {
            while bytes.get(end).is_some_and(|&byte| is_ascii_letter(byte)) {
                end += 1;
            }
            match bytes.get(end) {
                Some(&byte) if byte >= 0x80 => {}
                _ => break,
            }
            let Some(c) = self.char_at(end) else { break };
            if !matches!(kind(c), CharClass::Letter | CharClass::Mark) {
                break;
            }
            is_ascii = false;
            end += c.len_utf8();
        }
        let (tail, resume) = self.contraction(end);
        let signs = signs(&bytes[end..]);
        self.at = resume.max(end + signs);
        if signs > 0 && self.purpose == AnalysisPurpose::Query {
            self.fold_signed(start..end, end + signs, out);
            return (out.len() > signs).then(|| self.next_span(start..end + signs, false));
        }
        let plural = signs == 0 && is_plural_of_capitals(&self.text[start..end]);
        let kept = end - usize::from(plural);
        let source = cut(&self.text[start..kept], MAX_TERM_BYTES * 4);
        out.clear();
        if is_ascii {
            out.push_str(cut(source, MAX_TERM_BYTES));
            out.make_ascii_lowercase();
        } else {
            fold_into(source, out);
        }
        out.push_str(tail);
        out.truncate(cut(out, MAX_TERM_BYTES).len());
        if out.is_empty() {
            return None;
        }
        self.stemmer.stem(out);
        let is_more = self.purpose == AnalysisPurpose::Index && plural || signs > 0;
        self.second_term = is_more.then_some((start..end, end + signs));
        Some(self.next_span(start..resume, false))
    }

    /// Writes the folded word at `word` to `out`, with the signs after it up to `end`.
    fn fold_signed(&self, word: Range<usize>, end: usize, out: &mut String) {
        out.clear();
        let signs = &self.text[word.end..end];
        fold_into(cut(&self.text[word], MAX_TERM_BYTES * 4), out);
        out.truncate(cut(out, MAX_TERM_BYTES - signs.len()).len());
        out.push_str(signs);
    }

    /// Reads the end of `don't` and `Ann's` after the word that ends at `end`.
    ///
    /// Returns the suffix that the word keeps and the position where the scan continues. Other apostrophes
    /// separate: `avion` finds `l'avion`.
    fn contraction(&self, end: usize) -> (&'static str, usize) {
        let rest = &self.text[end..];
        let Some(rest) = rest.strip_prefix('\'').or_else(|| rest.strip_prefix('’')) else {
            return ("", end);
        };
        let length = rest
            .bytes()
            .take_while(|byte| is_ascii_letter(*byte) || *byte >= 0x80)
            .count();
        if length > 2 {
            return ("", end);
        }
        let kept = match rest[..length].to_ascii_lowercase().as_str() {
            "s" => "",
            "t" => "t",
            "d" => "d",
            "m" => "m",
            "ll" => "ll",
            "re" => "re",
            "ve" => "ve",
            _ => return ("", end),
        };
        (kept, self.text.len() - rest.len() + length)
    }

    /// Reads the character of a run that begins at `start`.
    fn gram(&mut self, start: usize, out: &mut String) -> Option<TermSpan> {
        let end = self.unit_end(start);
        self.at = end;
        let next = self.char_at(end);
        let follows = next.is_some_and(|c| kind(c) == CharClass::Gram);
        let unit = start..end;
        let continues = std::mem::replace(&mut self.in_run, follows);
        let place = self.next_span(unit.clone(), true);
        match self.purpose {
            AnalysisPurpose::Index => self.pending_unit = follows.then_some(unit.clone()),
            AnalysisPurpose::Query if follows => {
                self.pending_unit = Some(unit);
                return None;
            }
            AnalysisPurpose::Query if continues => return None,
            AnalysisPurpose::Query => {}
        }
        out.clear();
        fold_into(cut(&self.text[unit], MAX_TERM_BYTES), out);
        (!out.is_empty()).then_some(place)
    }

    /// Reads the bigram of `unit` and the next character.
    fn pair(&mut self, unit: &Range<usize>, out: &mut String) -> Option<TermSpan> {
        let next = self.unit_end(unit.end);
        out.clear();
        fold_into(cut(&self.text[unit.start..next], MAX_TERM_BYTES), out);
        (!out.is_empty()).then(|| TermSpan {
            position: self.position - 1,
            range: unit.start..next,
            is_gram: true,
        })
    }

    /// Returns the end of the character that begins at `start`, with its marks.
    fn unit_end(&self, start: usize) -> usize {
        let mut chars = self.text[start..].char_indices().skip(1);
        chars
            .find(|&(_, c)| kind(c) != CharClass::Mark && !continues_syllable(c))
            .map_or(self.text.len(), |(offset, _)| start + offset)
    }
}

/// Returns the number of leading signs in `rest` that belong to the word before: those of `C++`, `C#`, `A+`;
/// not those of `1+1` and `Note#Heading`.
fn signs(rest: &[u8]) -> usize {
    let Some(&sign @ (b'+' | b'#')) = rest.first() else {
        return 0;
    };
    let count = rest.iter().take_while(|&&byte| byte == sign).count();
    let joins = rest
        .get(count)
        .is_some_and(|&byte| is_ascii_letter(byte) || byte >= 0x80);
    match (sign, count) {
        (b'+', 2) => 2,
        (_, 1) if !joins => 1,
        _ => 0,
    }
}

/// Returns whether a word is an abbreviation with a plural ending: `VMs`, not `As` or `CSS`.
fn is_plural_of_capitals(word: &str) -> bool {
    let letters = word.strip_suffix('s').unwrap_or_default();
    letters.len() > 1 && letters.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn is_ascii_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

/// Returns the longest prefix of `text` of at most `limit` bytes.
fn cut(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A stemmer with a cache: most words of a text occurred before.
#[derive(Clone, Debug)]
struct CachedStemmer {
    language: Language,
    /// `None` if words are not stemmed.
    algorithm: Option<Algorithm>,
    /// Stems by the hash of the word.
    stems: ByHash<Box<str>>,
}

/// Maximum number of cached stems.
const MAX_CACHED_STEMS: usize = 1 << 14;

impl CachedStemmer {
    fn new(language: Language) -> Self {
        Self {
            language,
            algorithm: language.stemmer(),
            stems: ByHash::default(),
        }
    }

    fn stem(&mut self, word: &mut String) {
        let Some(algorithm) = self.algorithm else {
            return;
        };
        let first = word.chars().next().unwrap_or('\0');
        if !has_endings(algorithm, first) || word.bytes().any(|byte| byte.is_ascii_digit()) {
            return;
        }
        if self.stems.len() >= MAX_CACHED_STEMS {
            self.stems.clear();
        }
        let entry = self.stems.entry(xxh3_64(word.as_bytes()));
        let stem = entry.or_insert_with(|| Stemmer::new(algorithm).stem(word).into());
        if !stem.is_empty() && **stem != *word {
            word.clear();
            word.push_str(stem);
        }
    }
}

/// Returns whether `algorithm` stems words that begin with `first`: those in its own script.
fn has_endings(algorithm: Algorithm, first: char) -> bool {
    let is_latin = matches!(first, 'a'..='z' | '\u{00C0}'..='\u{024F}' | '\u{1E00}'..='\u{1EFF}');
    match algorithm {
        Algorithm::Serbian => true,
        Algorithm::Arabic
        | Algorithm::Armenian
        | Algorithm::Greek
        | Algorithm::Hindi
        | Algorithm::Nepali
        | Algorithm::Persian
        | Algorithm::Russian
        | Algorithm::Tamil
        | Algorithm::Ukrainian
        | Algorithm::Yiddish => !is_latin,
        _ => is_latin,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn terms(text: &str, purpose: AnalysisPurpose) -> Vec<(String, usize)> {
        Analyzer::new(Language::ENGLISH)
            .terms(text, purpose)
            .into_iter()
            .map(|term| (term.text, term.position))
            .collect()
    }

    #[test]
    fn indexed() {
        for (text, expected) in [
            ("Running dogs", "run@0 dog@1"),
            ("eip-1559 eip1559", "eip@0 1559@1 eip1559@2"),
            (
                "node.js foo_bar camelCase",
                "node@0 js@1 foo@2 bar@3 camelcas@4",
            ),
            ("Ann's don’t l'avion", "ann@0 dont@1 l@2 avion@3"),
            ("Café naïve", "cafe@0 naiv@1"),
            ("東京都", "東@0 東京@0 京@1 京都@1 都@2"),
            ("東京2024", "東@0 東京@0 京@1 2024@2"),
            ("학교에", "학@0 학교@0 교@1 교에@1 에@2"),
            ("हिन्दी भाषा", "हिन्दी@0 भाषा@1"),
            ("go 🎉👍🏽!", "go@0 🎉@1 👍@2"),
            ("می\u{200C}خواهم", "میخواهم@0"),
            ("— … ''", ""),
            (
                "C++ (C#), Notepad++17",
                "c@0 c++@0 c@1 c#@1 notepad@2 notepad++@2 17@3",
            ),
            (
                "1+1 [[Note#Heading]] a+++b",
                "1@0 1@1 note@2 head@3 a@4 b@5",
            ),
            ("LLMs, an LLM's", "llm@0 llms@0 an@1 llm@2"),
            ("As is CSS gas llms", "as@0 is@1 css@2 gas@3 llms@4"),
        ] {
            let got: Vec<_> = terms(text, AnalysisPurpose::Index)
                .iter()
                .map(|(t, p)| format!("{t}@{p}"))
                .collect();
            assert_eq!(got.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn asked() {
        for (text, expected) in [
            ("東京都", "東京@0 京都@1"),
            ("東", "東@0"),
            ("東京 a 京", "東京@0 a@2 京@3"),
            ("ภาษา", "ภา@0 าษ@1 ษา@2"),
            ("ก็", "ก็@0"),
            ("eip-1559", "eip@0 1559@1"),
            ("C++, A+ c", "c++@0 a+@1 c@2"),
            ("VMs vms CRDTs", "vm@0 vms@1 crdt@2"),
        ] {
            let got: Vec<_> = terms(text, AnalysisPurpose::Query)
                .iter()
                .map(|(t, p)| format!("{t}@{p}"))
                .collect();
            assert_eq!(got.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn languages() {
        for (language, word, expected) in [
            ("none", "Running", "running"),
            ("english", "Running", "run"),
            ("de", "Häuser", "haus"),
            ("russian", "собаками", "собак"),
            ("russian", "running", "running"),
            ("english", "собаками", "собаками"),
        ] {
            let mut analyzer = Analyzer::new(language.parse().unwrap());
            assert_eq!(
                analyzer.terms(word, AnalysisPurpose::Index)[0].text,
                expected,
                "{language} {word}"
            );
        }
        assert_eq!(
            "klingon".parse::<Language>(),
            Err("unknown language `klingon`".to_owned())
        );
        for language in Language::all() {
            assert_eq!(language.name().parse(), Ok(language));
        }
    }

    #[test]
    fn long_runs_are_cut() {
        for unit in ["x", "é", "ж\u{301}", "漢"] {
            let text = unit.repeat(5000);
            for purpose in [AnalysisPurpose::Index, AnalysisPurpose::Query] {
                for term in terms(&text, purpose) {
                    assert!((1..=MAX_TERM_BYTES).contains(&term.0.len()), "{unit}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn ranges_are_valid_and_positions_ascend(
            text in "([a-z'é0-9 +#]|[กิา東京한\u{1112}\u{1161}🎉👍🏽ｶﾞ]|\\PC){0,40}",
            language in 0..70_u8,
        ) {
            let mut analyzer = Analyzer::new(Language::of_code(language));
            for purpose in [AnalysisPurpose::Index, AnalysisPurpose::Query] {
                let mut last = 0;
                for term in analyzer.terms(&text, purpose) {
                    prop_assert!(text.get(term.range.clone()).is_some());
                    prop_assert!(!term.text.is_empty());
                    prop_assert!(term.position >= last);
                    last = term.position;
                }
            }
        }

        #[test]
        fn query_terms_occur_in_the_index(text in "([a-zé0-9 +#-]|[กิา東京都한글🎉]){0,30}") {
            let indexed = terms(&text, AnalysisPurpose::Index);
            for term in terms(&text, AnalysisPurpose::Query) {
                prop_assert!(indexed.contains(&term), "{term:?}");
            }
        }

        #[test]
        fn cached_stems_equal_computed_stems(words in prop::collection::vec("[a-z]{1,9}", 0..50)) {
            let mut analyzer = Analyzer::new(Language::ENGLISH);
            let stemmer = Stemmer::new(Algorithm::English);
            for word in words.iter().chain(&words) {
                let terms = analyzer.terms(word, AnalysisPurpose::Index);
                prop_assert_eq!(&terms[0].text, &*stemmer.stem(word));
            }
        }
    }
}
