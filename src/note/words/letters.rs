//! Character classes and folding for search.
//!
//! Used by [`crate::note::words`] to turn text into terms.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Class of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CharClass {
    /// A letter or digit of a script with spaces between words.
    Letter,
    /// A letter of a script without spaces, or a Hangul syllable; indexed as bigrams.
    Gram,
    /// A pictograph: a term of its own.
    Emoji,
    /// A mark that combines with the preceding character.
    Mark,
    /// A separator.
    Gap,
}

/// Returns the class of `c`.
pub(crate) fn kind(c: char) -> CharClass {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() {
            CharClass::Letter
        } else {
            CharClass::Gap
        };
    }
    if is_gram(c) {
        // Thai and Khmer vowel signs are in the same blocks as their consonants.
        if is_combining_mark(c) {
            CharClass::Mark
        } else {
            CharClass::Gram
        }
    } else if is_emoji(c) {
        CharClass::Emoji
    } else if c.is_alphanumeric() && !is_combining_mark(c) {
        CharClass::Letter
    } else if is_combining_mark(c) || is_joiner(c) {
        CharClass::Mark
    } else {
        CharClass::Gap
    }
}

/// Returns `text` trimmed, composed (NFC) and in lower case, for comparison of names.
pub fn folded(text: &str) -> String {
    let text = text.trim();
    if text.is_ascii() {
        text.to_ascii_lowercase()
    } else {
        text.nfc().flat_map(char::to_lowercase).collect()
    }
}

/// Returns letters and digits in lower case, or the whole folded text if it has none.
pub fn letters_of(text: &str) -> String {
    let folded = folded(text);
    let letters: String = folded.chars().filter(|c| c.is_alphanumeric()).collect();
    if letters.is_empty() { folded } else { letters }
}

/// Returns whether `c` only affects the shape of its neighbours.
fn is_joiner(c: char) -> bool {
    matches!(
        c,
        '\u{00AD}' | '\u{200C}' | '\u{200D}' | '\u{FF9E}' | '\u{FF9F}' | '\u{1F3FB}'..='\u{1F3FF}'
    )
}

fn is_gram(c: char) -> bool {
    matches!(u32::from(c),
        0x0E01..=0x0E4E | 0x0E81..=0x0ECE | 0x0EDC..=0x0EDF // Thai, Lao; their digits are letters
        | 0x1000..=0x103F | 0x1050..=0x108F | 0xAA60..=0xAA7F // Myanmar
        | 0x1780..=0x17D3 | 0x17D7 | 0x17DC..=0x17DD // Khmer
        | 0x1100..=0x11FF | 0x3131..=0x318E | 0xA960..=0xA97C | 0xAC00..=0xD7FB // Hangul
        | 0x3005..=0x3007 | 0x3021..=0x3029 | 0x3031..=0x3035 | 0x303B
        | 0x3041..=0x3096 | 0x309D..=0x309F | 0x30A1..=0x30FA | 0x30FC..=0x30FF // Kana
        | 0x3105..=0x312F | 0x31A0..=0x31BF | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xA000..=0xA48C | 0xF900..=0xFAFF // Han, Yi
        | 0xFF66..=0xFF9D // half-width Kana
        | 0x1B000..=0x1B16F | 0x20000..=0x3FFFF)
}

fn is_emoji(c: char) -> bool {
    matches!(u32::from(c),
        0x2300..=0x23FF | 0x2600..=0x27BF | 0x2B00..=0x2BFF
        | 0x1F000..=0x1F3FA | 0x1F400..=0x1FAFF)
}

/// Returns whether `c` continues the preceding consonant in a decomposed Hangul syllable.
pub(crate) fn continues_syllable(c: char) -> bool {
    matches!(c, '\u{1160}'..='\u{11FF}' | '\u{D7B0}'..='\u{D7FB}')
}

/// Appends the folded form of `source` to `out`.
///
/// Compatibility forms are decomposed (`ﬁ`, full-width letters) and case is removed. Accents that people omit
/// when typing are removed: Latin and Greek marks, Arabic and Hebrew points, the Cyrillic stress and the dots
/// of `ё`. Marks that distinguish letters (`й`, Indic vowel signs, kana voicing) stay.
pub(crate) fn fold_into(source: &str, out: &mut String) {
    let mut base = '\0';
    let plain = source
        .nfkd()
        .flat_map(char::to_lowercase)
        .filter(move |&c| {
            if !is_combining_mark(c) {
                base = c;
                return !is_joiner(c) && c != '\u{0640}';
            }
            !is_dropped(base, c)
        })
        .nfc()
        .filter(|&c| c.is_alphanumeric() || is_combining_mark(c) || is_emoji(c));
    for c in plain {
        match c {
            'ß' => out.push_str("ss"),
            'ς' => out.push('σ'),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'ø' => out.push('o'),
            'ł' => out.push('l'),
            'đ' => out.push('d'),
            _ => out.push(c),
        }
    }
}

fn is_dropped(base: char, mark: char) -> bool {
    match mark {
        '\u{0300}'..='\u{036F}' => match base {
            '\u{0400}'..='\u{052F}' => mark <= '\u{0301}' || (base == 'е' && mark == '\u{0308}'),
            _ => true,
        },
        '\u{0591}'..='\u{05C7}'
        | '\u{0610}'..='\u{061A}'
        | '\u{064B}'..='\u{065F}'
        | '\u{0670}'
        | '\u{06D6}'..='\u{06ED}'
        | '\u{20D0}'..='\u{20FF}'
        | '\u{FE00}'..='\u{FE0F}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(text: &str) -> String {
        let mut out = String::new();
        fold_into(text, &mut out);
        out
    }

    #[test]
    fn letters_that_count_as_the_same() {
        for (text, expected) in [
            ("Café", "cafe"),
            ("cafe\u{301}", "cafe"),
            ("İstanbul", "istanbul"),
            ("STRAẞE", "strasse"),
            ("ΟΔΟΣ", "οδοσ"),
            ("οδός", "οδοσ"),
            ("Ёлка", "елка"),
            ("й", "й"),
            ("ﬁn", "fin"),
            ("Ａ１", "a1"),
            ("x²", "x2"),
            ("ｶﾞ", "ガ"),
            ("\u{1112}\u{1161}\u{11AB}", "한"),
            ("مُحَمَّد", "محمد"),
            ("שָׁלוֹם", "שלום"),
            ("हिन्दी", "हिन्दी"),
            ("smørrebrød", "smorrebrod"),
        ] {
            assert_eq!(fold(text), expected, "{text}");
        }
    }

    #[test]
    fn kinds() {
        for (c, expected) in [
            ('a', CharClass::Letter),
            ('_', CharClass::Gap),
            ('é', CharClass::Letter),
            ('ж', CharClass::Letter),
            ('漢', CharClass::Gram),
            ('ก', CharClass::Gram),
            ('\u{0E34}', CharClass::Mark),
            ('๓', CharClass::Letter),
            ('한', CharClass::Gram),
            ('🎉', CharClass::Emoji),
            ('\u{1F3FD}', CharClass::Mark),
            ('—', CharClass::Gap),
            ('\u{094D}', CharClass::Mark),
        ] {
            assert_eq!(kind(c), expected, "{c:?}");
        }
    }
}
