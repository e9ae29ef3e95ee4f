//! Languages of notes and queries: names, stemmers, stop words and detection.
//!
//! `languages.txt` lists the languages with their ISO 639-1 codes. Words of a language without a stemmer
//! match as written.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use frostem::Algorithm;
use serde_json::{Map, Value};

use super::english::query_weight;
use crate::note::front_matter::property::property;

/// Name and ISO 639-1 code of each language, `-` for stemmers without a code.
static LANGUAGES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let lines = include_str!("languages.txt").lines();
    lines.filter_map(|line| line.split_once(' ')).collect()
});

/// A language, by its line number in `languages.txt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Language(u8);

impl Language {
    /// No stemming: words match as written.
    pub const NONE: Self = Self(0);
    /// The fallback language.
    pub const ENGLISH: Self = Self(10);

    /// Returns the language with this [`Language::code`]; `NONE` for an unknown code.
    pub fn of_code(code: u8) -> Self {
        let is_known = usize::from(code) < LANGUAGES.len();
        if is_known { Self(code) } else { Self::NONE }
    }

    /// Returns its number in the cache.
    pub fn code(self) -> u8 {
        self.0
    }

    /// Returns its name as in the settings: `english`, `none`.
    pub fn name(self) -> &'static str {
        LANGUAGES[usize::from(self.0)].0
    }

    /// Returns whether the word lists of the jobs and the built-in model apply. They do for all English
    /// stemmers and for `NONE`, which is a choice and not another language.
    pub fn is_english(self) -> bool {
        let english = ["english", "none", "porter", "lovins", "earlymodernenglish"];
        english.contains(&self.name())
    }

    /// Returns all languages, in the order of their codes.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..LANGUAGES.len() as u8).map(Self)
    }

    /// Whether every noun begins with a capital, not only names.
    pub fn capitalises_nouns(self) -> bool {
        self.name() == "german"
    }

    /// Returns the stemmer; `None` if words match as written.
    pub(super) fn stemmer(self) -> Option<Algorithm> {
        Algorithm::from_name(self.name()).ok()
    }

    /// Returns whether `word`, in lower case, is a stop word of this language. English has its own weighted
    /// list: [`query_weight`](super::english::query_weight).
    pub fn is_stop_word(self, word: &str) -> bool {
        if self == Self::ENGLISH {
            return query_weight(word) < 1.0;
        }
        STOP_WORDS
            .get(word)
            .is_some_and(|of| of & self.stop_word_bit() != 0)
    }

    fn stop_word_bit(self) -> u128 {
        1 << self.0
    }
}

/// The languages of each stop word, as a bit set.
static STOP_WORDS: LazyLock<HashMap<&str, u128>> = LazyLock::new(|| {
    let mut words: HashMap<&str, u128> = HashMap::new();
    for language in Language::all() {
        let (_, code) = LANGUAGES[usize::from(language.0)];
        for word in stop_words::lookup(code).into_iter().flatten() {
            *words.entry(word).or_default() |= language.stop_word_bit();
        }
    }
    words
});

/// Returns whether `word`, in lower case, is a stop word of any language.
pub fn is_common_word(word: &str) -> bool {
    STOP_WORDS.contains_key(word)
}

impl Default for Language {
    fn default() -> Self {
        Self::ENGLISH
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Language {
    type Err = String;

    /// Parses a name (`spanish`), an ISO 639 code (`es`, `spa`) or a locale (`es-MX`).
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wanted = text.trim().to_lowercase();
        let code = wanted.split(['-', '_']).next().unwrap_or_default();
        let named = |name: &str| LANGUAGES.iter().position(|(known, _)| *known == name);
        let coded = |code: &str| LANGUAGES.iter().position(|(_, known)| *known == code);
        let number = named(&wanted)
            .or_else(|| coded(code).filter(|_| !code.is_empty()))
            .or_else(|| Some(of_whatlang(whatlang::Lang::from_code(code)?)?.0.into()))
            .ok_or_else(|| format!("unknown language `{text}`"))?;
        Ok(Self(number as u8))
    }
}

fn of_whatlang(lang: whatlang::Lang) -> Option<Language> {
    let name = match lang.eng_name() {
        "Bokmal" => "norwegian",
        "Mandarin" => "chinese",
        name => &name.to_lowercase(),
    };
    let number = LANGUAGES.iter().position(|(known, _)| *known == name)?;
    Some(Language(number as u8))
}

/// The setting `index.language`: detection per note, or one language for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LanguageSetting {
    /// Detected note by note.
    #[default]
    Auto,
    Always(Language),
}

impl LanguageSetting {
    /// Returns the language of notes without a detected one.
    pub fn fallback(self) -> Language {
        match self {
            Self::Auto => Language::ENGLISH,
            Self::Always(language) => language,
        }
    }

    /// Returns the language of a note: that of its property `language` or `lang`, else the setting's, else
    /// the one detected in `prose`.
    pub fn of_note<'t>(
        self,
        properties: &Map<String, Value>,
        prose: impl Iterator<Item = &'t str>,
    ) -> Language {
        let value = property(properties, "language").or_else(|| property(properties, "lang"));
        let stated = value.and_then(Value::as_str);
        if let Some(language) = stated.and_then(|name| name.parse().ok()) {
            return language;
        }
        let detected = (self == Self::Auto).then(|| detect(prose)).flatten();
        detected.unwrap_or(self.fallback())
    }
}

impl fmt::Display for LanguageSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Always(language) => language.fmt(f),
        }
    }
}

impl FromStr for LanguageSetting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim().eq_ignore_ascii_case("auto") {
            return Ok(Self::Auto);
        }
        text.parse().map(Self::Always)
    }
}

/// Numbers of stop words in a text by language.
struct StopWordCounts([usize; 128]);

impl StopWordCounts {
    fn new() -> Self {
        Self([0; 128])
    }

    /// Counts `word`, which is in lower case.
    fn add(&mut self, word: &str) {
        let mut of = STOP_WORDS.get(word).copied().unwrap_or_default();
        while of != 0 {
            self.0[of.trailing_zeros() as usize] += 1;
            of &= of - 1;
        }
    }

    fn of(&self, language: Language) -> usize {
        self.0[usize::from(language.0)]
    }

    fn most(&self) -> usize {
        self.0.iter().copied().max().unwrap_or_default()
    }
}

fn letter_words(text: &str) -> impl Iterator<Item = &str> {
    let is_break = |c: char| !c.is_alphabetic() && !matches!(c, '\'' | '\u{2019}');
    text.split(is_break).filter(|word| !word.is_empty())
}

/// Languages that jobs and `recall` have lists of words for.
const LISTED: &str = "english german spanish french italian portuguese dutch";

/// Detects one of them.
static LISTED_DETECTOR: LazyLock<whatlang::Detector> = LazyLock::new(|| {
    let is_listed = |lang: &whatlang::Lang| {
        of_whatlang(*lang)
            .is_some_and(|language| LISTED.split(' ').any(|name| name == language.name()))
    };
    let listed = whatlang::Lang::all().iter().copied().filter(is_listed);
    whatlang::Detector::with_allowlist(listed.collect())
});

/// Returns those of the [`LISTED`] languages that have most of the words of `text` as stop words, for texts too short
/// for [`detect`]. All of them if it has no stop word.
pub fn likely_languages(text: &str) -> Vec<Language> {
    let mut counts = StopWordCounts::new();
    for word in letter_words(text) {
        counts.add(&word.to_lowercase());
    }
    let is_listed = |language: &Language| LISTED.split(' ').any(|name| name == language.name());
    let listed = || Language::all().filter(is_listed);
    let most = listed().map(|language| counts.of(language)).max();
    listed()
        .filter(|&language| Some(counts.of(language)) == most)
        .collect()
}

/// Maximum words that detection reads; more do not change the result, and cost time at indexing.
const MAX_SAMPLE_WORDS: usize = 120;

/// Minimum stop words for a detection, and for that of English: `x = y + 1` has two.
const MIN_STOP_WORDS: usize = 2;
const MIN_ENGLISH_STOP_WORDS: usize = 3;

/// Minimum words of a sentence for which one stop word suffices, if `whatlang` calls its result reliable.
const MIN_RELIABLE_WORDS: usize = 4;

/// Minimum share of stop words. Running text has at least a quarter in every language with a list; lists,
/// tables and names lower it.
const MIN_STOP_WORD_SHARE: f32 = 0.12;

/// Returns the language of the text in `parts`, without code; `None` if too little of it is prose.
///
/// `whatlang` compares trigrams and is wrong on short or technical text, so stop words must confirm its
/// result: that over all languages, or that over the [`LISTED`] ones if it has as many. It is skipped if English stop
/// words are the most frequent. Of 564 notes of one sentence in seven languages 497 are right and 3 in a wrong language
/// but English; of 13,206 English lines of at most twelve words, sentences and fragments, 15 are not English.
pub fn detect<'t>(parts: impl Iterator<Item = &'t str>) -> Option<Language> {
    let mut sample = String::new();
    let mut counts = StopWordCounts::new();
    let mut words = 0;
    for word in parts.flat_map(letter_words) {
        let word = word.to_lowercase();
        counts.add(&word);
        sample.push_str(&word);
        sample.push(' ');
        words += 1;
        if words == MAX_SAMPLE_WORDS {
            break;
        }
    }
    let count = |language| counts.of(language);
    let is_confirmed = |language, min| {
        count(language) >= min && count(language) as f32 >= MIN_STOP_WORD_SHARE * words as f32
    };
    if count(Language::ENGLISH) == counts.most()
        && is_confirmed(Language::ENGLISH, MIN_ENGLISH_STOP_WORDS)
    {
        return Some(Language::ENGLISH);
    }
    let detected = whatlang::detect(&sample)?;
    let of_all = of_whatlang(detected.lang());
    if detected.script() != whatlang::Script::Latin {
        return of_all;
    }
    let among_listed = LISTED_DETECTOR.detect(&sample);
    let of_listed = among_listed
        .as_ref()
        .and_then(|found| of_whatlang(found.lang()));
    let is_sentence =
        among_listed.is_some_and(|found| found.is_reliable()) && words >= MIN_RELIABLE_WORDS;
    let language = [of_all, of_listed]
        .into_iter()
        .flatten()
        .max_by_key(|one| count(*one))?;
    let min = if is_sentence && of_listed == Some(language) {
        1
    } else {
        MIN_STOP_WORDS
    };
    (count(language) > count(Language::ENGLISH) && is_confirmed(language, min)).then_some(language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_codes_of_languages() {
        for (text, expected) in [
            ("english", Some("english")),
            (" Spanish ", Some("spanish")),
            ("es", Some("spanish")),
            ("es-MX", Some("spanish")),
            ("pt_BR", Some("portuguese")),
            ("ces", Some("czech")),
            ("zh", Some("chinese")),
            ("nob", Some("norwegian")),
            ("none", Some("none")),
            ("-", None),
            ("", None),
            ("klingon", None),
        ] {
            let found = text.parse().ok().map(Language::name);
            assert_eq!(found, expected, "{text}");
        }
        for language in Language::all() {
            assert_eq!(Language::of_code(language.code()), language);
            assert_eq!(language.name().parse(), Ok(language));
        }
        assert_eq!(Language::of_code(u8::MAX), Language::NONE);
        assert_eq!(Language::ENGLISH.name(), "english");
        let stemmers = Language::all().filter(|language| language.stemmer().is_some());
        assert_eq!(stemmers.count(), Algorithm::all().len());
    }

    #[test]
    fn detected_languages() {
        for (text, expected) in [
            (
                "The kettle is old, and we have to buy one that is not made of steel.",
                Some("english"),
            ),
            (
                "La tetera es vieja y tenemos que comprar una que no sea de acero.",
                Some("spanish"),
            ),
            (
                "Il bollitore è vecchio e dobbiamo comprarne uno che non sia di acciaio.",
                Some("italian"),
            ),
            (
                "Konvice je stará a musíme koupit novou, která není z oceli, protože by se mohla kazit.",
                Some("czech"),
            ),
            (
                "Der Wasserkocher ist alt, und wir müssen einen kaufen, der nicht aus Stahl ist.",
                Some("german"),
            ),
            ("주전자가 오래되어 새것을 사야 합니다.", Some("korean")),
            (
                "やかんは古いので、新しいものを買わなければなりません。",
                Some("japanese"),
            ),
            (
                "Чайник старый, и нам нужно купить новый, который не из стали.",
                Some("russian"),
            ),
            ("Meine Schwester wohnt in Kassel.", Some("german")),
            (
                "Der Drucker steht neben Annas Schreibtisch.",
                Some("german"),
            ),
            (
                "La cuota del club de tenis es de 35 euros.",
                Some("spanish"),
            ),
            (
                "Het wachtwoord van de alarmcentrale is Tulp.",
                Some("dutch"),
            ),
            ("Wondrous Item, minor, rare", None),
            ("Kettle, teapot, samovar", None),
            ("x = y + 1", None),
            ("", None),
        ] {
            let found = detect(std::iter::once(text)).map(Language::name);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_property_overrides_the_setting_and_the_setting_the_text() {
        let spanish = "La tetera es vieja y tenemos que comprar una que no sea de acero.";
        let french: Language = "french".parse().unwrap();
        for (setting, properties, expected) in [
            (LanguageSetting::Auto, "{}", "spanish"),
            (LanguageSetting::Always(french), "{}", "french"),
            (
                LanguageSetting::Always(french),
                r#"{"language": "de"}"#,
                "german",
            ),
            (LanguageSetting::Auto, r#"{"lang": "it-IT"}"#, "italian"),
            (LanguageSetting::Auto, r#"{"language": "Rust"}"#, "spanish"),
        ] {
            let properties = serde_json::from_str(properties).unwrap();
            let found = setting.of_note(&properties, std::iter::once(spanish));
            assert_eq!(found.name(), expected, "{setting} {properties:?}");
        }
        for text in ["auto", "spanish", "none"] {
            assert_eq!(text.parse::<LanguageSetting>().unwrap().to_string(), text);
        }
    }
}
