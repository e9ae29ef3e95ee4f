//! Classifies file names: titles, machine-made names, copies, templates, daily notes.
//!
//! A name chosen by a person serves as a title. A hash, a date with a time or a number after `Untitled` carries
//! no meaning. A copy is identified by the name of its original.

use crate::note::words::english;
use crate::note::words::hash::normal_hash;
use crate::note::words::lists;

/// Extensions of attachments. Names like `Node.js` and `example.com` are not attachments.
const ATTACHMENTS: &str = "avif bmp gif heic ico jpeg jpg png psd svg tif tiff webp 3gp aac flac m4a mkv mov mp3 \
    mp4 ogg ogv opus wav webm avi canvas csv djvu doc docx drawio epub excalidraw odp ods odt pdf ppt pptx rtf tsv \
    xls xlsx 7z gz rar tar tgz zip";

/// Returns true for the name of an attachment (`Tea-2025.webp`) or a web address; neither is an object of a fact.
pub fn is_file_or_address(text: &str) -> bool {
    let text = text.trim();
    let ending = text.rsplit_once('.').map(|(_, ending)| ending);
    let is_attachment = |ending: &str| {
        let mut known = ATTACHMENTS.split(' ');
        known.any(|known| ending.eq_ignore_ascii_case(known))
    };
    let (scheme, _) = text.split_once("://").unwrap_or_default();
    let is_scheme = !scheme.is_empty() && scheme.chars().all(char::is_alphanumeric);
    is_scheme || text.starts_with("www.") || ending.is_some_and(is_attachment)
}

/// Returns the meaningful words of a file name.
pub fn meaningful_words(stem: &str) -> String {
    let base = original(stem).unwrap_or(stem);
    if is_uuid(base) {
        return String::new();
    }
    let is_part = |c: char| c.is_alphanumeric();
    let mut name = String::new();
    for (at, c) in base.char_indices() {
        let is_inner =
            base[..at].ends_with(is_part) && base[at + c.len_utf8()..].starts_with(is_part);
        name.push(if matches!(c, '-' | '_') && is_inner {
            ' '
        } else {
            c
        });
    }
    let words: Vec<&str> = name
        .split_whitespace()
        .filter(|word| !is_machine_made(word))
        .collect();
    let name = words.join(" ");
    let base_words = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let is_meaningful = base_words.chars().any(char::is_alphabetic)
        && !english::WORDS.has("any_name", &base_words.to_lowercase());
    if is_meaningful { name } else { String::new() }
}

/// Returns the meaningful words of a file name, without a number that distinguishes files of the same `title`.
pub fn meaningful_words_besides(stem: &str, title: &str) -> String {
    let name = meaningful_words(stem);
    match without_number(&name) {
        Some(base) if normal_hash(base) == normal_hash(title) => base.to_owned(),
        _ => name,
    }
}

fn is_uuid(stem: &str) -> bool {
    stem.len() == 36
        && stem
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Returns the machine-made words of a file name, joined; they distinguish notes with equal titles.
pub fn machine_made_words(stem: &str) -> String {
    let base = original(stem).unwrap_or(stem);
    let words = base.split(|c: char| !c.is_alphanumeric());
    let ids: Vec<&str> = words.filter(|word| is_machine_made(word)).collect();
    ids.join(" ")
}

/// Returns true for machine-made words: `01J9Z3`, `20260105T120000Z`, `3f2a9c`.
pub fn is_machine_made(word: &str) -> bool {
    if is_uuid(word) {
        return true;
    }
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    // Digits alone may be an invoice number.
    let is_hex =
        word.len() >= 6 && digits < word.len() && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_time = digits >= 8
        && is_date(word)
        && word
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"TZ.:+".contains(&byte));
    let is_long = word.len() >= 16 && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    digits > 0 && (is_hex || is_time || is_long)
}

/// Returns true if the word begins with the digits of a valid day: `20260105`, not `20261399`.
fn is_date(word: &str) -> bool {
    let number = |at: std::ops::Range<usize>| word.get(at).and_then(|part| part.parse().ok());
    let within = |at, least: u32, most| number(at).is_some_and(|n| (least..=most).contains(&n));
    within(0..4, 1900, 2099) && within(4..6, 1, 12) && within(6..8, 1, 31)
}

/// Returns true if the name `copy` marks a copy of `of`: `Tea (conflicted copy …)`, `Tea copy`, `Tea 1`.
pub fn is_copy_of(copy: &str, of: &str) -> bool {
    let is_numbered = || without_number(copy) == Some(of);
    copy != of && (original(copy).is_some_and(|base| base == of) || is_numbered())
}

/// Returns the name of the original; `None` if `stem` is not the name of a copy.
pub fn original(stem: &str) -> Option<&str> {
    let mut base = stem;
    while let Some(shorter) = without_copy_marker(base) {
        base = shorter;
    }
    (base != stem).then_some(base)
}

/// Returns the name of the original of a copy that a sync tool made of two conflicting versions.
pub fn conflict_original(stem: &str) -> Option<&str> {
    let base = without_copy_marker(stem)?;
    let marker = stem[base.len()..].to_lowercase();
    let words = ["conflict", "konflikt", "conflit"];
    words
        .iter()
        .any(|word| marker.contains(word))
        .then_some(base)
}

/// Returns the name of the original of a copy that iCloud numbered, like `Tea 2`. The name alone proves nothing.
pub fn numbered_original(stem: &str) -> Option<&str> {
    let base = without_number(stem)?;
    let number = stem[base.len()..].strip_prefix(' ')?;
    let is_plain = !number.starts_with('0') && number != "1";
    is_plain.then_some(base)
}

/// Words in the names of copies.
fn copy_words() -> impl Iterator<Item = &'static str> {
    lists::words(include_str!("copies.txt"), "words")
}

/// Returns the name without one trailing copy marker.
fn without_copy_marker(stem: &str) -> Option<&str> {
    let end = |base: &'_ str| base.trim_end_matches([' ', '-', '_', '.']).len();
    let lower = stem.to_ascii_lowercase();
    let cut = if let Some(at) = lower.find(".sync-conflict-") {
        at
    } else if let Some(inner) = lower.strip_suffix(')') {
        let at = inner.rfind('(')?;
        let mark = &inner[at + 1..];
        let is_number =
            !mark.is_empty() && mark.len() <= 2 && mark.bytes().all(|byte| byte.is_ascii_digit());
        let is_copying = || copy_words().any(|word| mark.contains(word));
        if !is_number && !is_copying() {
            return None;
        }
        at
    } else {
        let without_word = |name: &str| {
            let base = copy_words().find_map(|word| name.strip_suffix(word))?;
            base.ends_with([' ', '-', '_']).then_some(base.len())
        };
        let marks = ["~", ".bak", ".orig"];
        let base = marks.iter().find_map(|mark| lower.strip_suffix(mark));
        base.map(str::len)
            .or_else(|| without_word(&lower))
            .or_else(|| without_word(without_number(&lower)?))?
    };
    let base_end = end(stem.get(..cut)?);
    (base_end > 0).then(|| &stem[..base_end])
}

/// Returns the name without the small trailing number that distinguishes a duplicate name.
pub fn without_number(stem: &str) -> Option<&str> {
    let base = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = stem.len() - base.len();
    let is_set_off = base.ends_with([' ', '-', '_']) && base.len() > 1;
    (is_set_off && (1..=2).contains(&digits)).then(|| &base[..base.len() - 1])
}

/// Returns true if the note is in a templates folder or is named like a template.
pub fn is_template(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or_default();
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let mut words = stem.split(|c: char| !c.is_alphanumeric());
    is_in_templates_folder(path)
        || words.next().is_some_and(is_template_word)
        || words.next_back().is_some_and(is_template_word)
}

/// Returns true if the note is in a templates folder.
pub fn is_in_templates_folder(path: &str) -> bool {
    path.rsplit('/').skip(1).any(is_template_word)
}

fn is_template_word(name: &str) -> bool {
    let name = name.trim_matches(|c: char| !c.is_alphabetic());
    ["template", "templates", "tpl"].contains(&name.to_lowercase().as_str())
}

/// Returns true if the file is named after a day, week or month, in any format: `2026-01-05 weekly`, `January 5th,
/// 2026`, `05.01.2026`.
pub fn is_daily(stem: &str) -> bool {
    const CALENDAR: &str = "january february march april may june july august september october november \
        december monday tuesday wednesday thursday friday saturday sunday";
    let stem = original(stem).unwrap_or(stem).to_lowercase();
    let words: Vec<&str> = stem
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let is_number = |word: &&str| {
        let number = word.trim_end_matches(|c: char| c.is_ascii_lowercase());
        let ordinal = &word[number.len()..];
        !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && ["", "st", "nd", "rd", "th"].contains(&ordinal)
    };
    let is_calendar =
        |word: &&str| word.len() >= 3 && CALENDAR.split(' ').any(|name| name.starts_with(word));
    let numbers = words.iter().filter(|word| is_number(word)).count();
    let is_year =
        |word: &&str| word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    let is_date = words
        .iter()
        .all(|word| is_number(word) || is_calendar(word))
        && numbers >= 2
        && words.iter().any(is_year);
    is_date || day_of(&stem.to_uppercase()).is_some()
}

/// Returns the day, week or month in a file name: `2026-01-05 weekly`, `2026-W02`.
///
/// A date that a sync tool added to the name of a copy is ignored.
pub fn day_of(stem: &str) -> Option<&str> {
    let stem = original(stem).unwrap_or(stem);
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '_' | '.' | 'W');
    stem.split(|c| !is_part(c))
        .map(|part| part.trim_matches(['-', '_', '.']))
        .find(|part| {
            let digits = part.bytes().filter(u8::is_ascii_digit).count();
            (part.starts_with("19") || part.starts_with("20")) && (6..=8).contains(&digits)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_and_addresses() {
        for (text, expected) in [
            ("Tea-2025.webp", true),
            ("Pasted image 20250101.PNG", true),
            ("https://a.b/c d", true),
            ("www.a.b", true),
            ("Node.js", false),
            ("a note.md", false),
            ("v1.2", false),
            ("see https://a.b", false),
            ("png", false),
            ("", false),
        ] {
            assert_eq!(is_file_or_address(text), expected, "{text}");
        }
    }

    #[test]
    fn meaningful_words_of_names() {
        for (stem, expected) in [
            ("associative-law", "associative law"),
            ("grade A+", "grade A+"),
            ("port 8080", "port 8080"),
            ("Tea (conflicted copy 2026-03-02)", "Tea"),
            ("invoice-100234", "invoice 100234"),
            ("INV-20240099", "INV 20240099"),
            ("work-42", "work 42"),
            ("task_7", "task 7"),
            ("3f2a9c81", ""),
            ("01J9Z3QK8VBM6T5W2XRYD4E7HN", ""),
            ("550e8400-e29b-41d4-a716-446655440000", ""),
            ("20260105T120000Z", ""),
            ("2026-01-05", ""),
            ("202601051230 Tea", "Tea"),
            ("index", ""),
            ("Untitled 12", ""),
            ("note 1431", ""),
            ("]]", ""),
        ] {
            assert_eq!(meaningful_words(stem), expected, "{stem}");
        }
    }

    #[test]
    fn copies_are_named_after_the_original() {
        for (copy, of, expected) in [
            ("Tea (copy)", "Tea", true),
            ("Tea (2)", "Tea", true),
            ("Tea 1", "Tea", true),
            ("tea-2", "tea", true),
            ("Tea copy 3", "Tea", true),
            ("Tea - Copy (2)", "Tea", true),
            ("Tea.sync-conflict-20260105-120000-ABCDEFG", "Tea", true),
            ("Tea (Anna's conflicted copy 2026-03-02)", "Tea", true),
            ("Pan (copia)", "Pan", true),
            ("Pão (cópia 2)", "Pão", true),
            ("Brot - Kopie (2)", "Brot", true),
            ("Pain copie", "Pain", true),
            ("Pain copie 2", "Pain", true),
            ("Tee (Konflikt 2026-03-02)", "Tee", true),
            ("Photocopie", "Photo", false),
            ("Tea", "Tea", false),
            ("Tea green", "Tea", false),
            ("Tea-house", "Tea", false),
            ("Tea (green)", "Tea", false),
            ("Tea 1984", "Tea", false),
            ("Part 1", "Part 2", false),
        ] {
            assert_eq!(is_copy_of(copy, of), expected, "{copy} / {of}");
        }
    }

    #[test]
    fn icloud_numbers_copies_from_2() {
        for (stem, original) in [
            ("Tea 2", Some("Tea")),
            ("Green tea 13", Some("Green tea")),
            ("Tea 1", None),
            ("Tea 02", None),
            ("Tea-2", None),
            ("Tea 1984", None),
            ("2", None),
        ] {
            assert_eq!(numbered_original(stem), original, "{stem}");
        }
    }

    #[test]
    fn days_in_names() {
        for (stem, day) in [
            ("2026-01-05", Some("2026-01-05")),
            ("2026-03-12 weekly", Some("2026-03-12")),
            ("retro-2026-W11", Some("2026-W11")),
            ("20260105", Some("20260105")),
            ("2026-01", Some("2026-01")),
            ("202601051230", None),
            ("Tea (conflicted copy 2026-03-02)", None),
            (
                "2026-01-05 (conflicted copy 2026-03-02)",
                Some("2026-01-05"),
            ),
            ("Tea 2", None),
            ("1984", None),
        ] {
            assert_eq!(day_of(stem), day, "{stem}");
        }
    }

    #[test]
    fn names_reveal_daily_notes_and_templates() {
        for stem in [
            "2026-01-05",
            "2026-03-12 weekly",
            "January 1st, 2026",
            "Jan 1st, 2026",
            "01.02.2026",
            "01-02-2026",
            "Thu 2026-01-01",
            "2026-W03",
            "20260105",
        ] {
            assert!(is_daily(stem), "{stem}");
        }
        for stem in [
            "Tea",
            "May 2",
            "Tea 2026",
            "march",
            "Tea (conflicted copy 2026-03-02)",
            "Area 51 1984",
        ] {
            assert!(!is_daily(stem), "{stem}");
        }
        for (path, expected) in [
            ("Templates/Day.md", true),
            ("a/_templates/b.md", true),
            ("Meeting Template.md", true),
            ("tpl-meeting.md", true),
            ("contemplate.md", false),
            ("a template engine.md", false),
        ] {
            assert_eq!(is_template(path), expected, "{path}");
        }
    }
}
