//! What a note says of itself as a whole: that it takes the place of another note, or that another took
//! its place.
//!
//! A property says so (`superseded-by`, `replaces`), or a sentence about the note itself, in the body or
//! in a property: `Superseded by [[B]]`, `This proposal replaces EIP-1`. The other note is linked to or
//! named in full. `Replaces the nonce of EIP-1` speaks of a part, and `The method is replaced by [[B]]` of
//! something else.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::cache::CacheError;
use crate::cache::row::Slot;
use crate::note::{self, english, sentences};
use crate::view::{Entry, View};

/// A shorter name is a word of any text.
const SHORTEST: usize = 4;
/// Words of a name that is not linked, at most.
const LONGEST: usize = 8;

/// Properties that name what a note replaces, and those that name what replaced it.
const NEWER: [&str; 3] = ["supersedes", "replaces", "obsoletes"];
const OLDER: [&str; 5] = [
    "supersededby",
    "replacedby",
    "obsoletedby",
    "deprecatedby",
    "movedto",
];
/// How properties begin that say why a note is over: `withdrawal-reason`.
const REASONS: [&str; 5] = ["withdraw", "deprecat", "supersed", "obsolet", "retire"];

/// The words of a sentence that say the same, and whether the note that says so is the later one.
const VERBS: [(&str, bool); 12] = [
    ("superseded by", false),
    ("replaced by", false),
    ("obsoleted by", false),
    ("deprecated by", false),
    ("in favor of", false),
    ("in favour of", false),
    ("moved to", false),
    ("merged into", false),
    ("supersedes", true),
    ("replaces", true),
    ("obsoletes", true),
    ("deprecates", true),
];

/// What was done to a note that others are favoured over.
const ENDED: &str = "deprecated withdrawn abandoned retired dropped removed discontinued closed rejected \
    archived superseded obsolete";
/// What a note that is over begins with, and where it leads to: `Deprecated, see [[B]]`.
const OVER: &str = "deprecated outdated obsolete superseded archived withdrawn retired";
const LEADS: [&str; 4] = ["see ", "use ", "please see ", "please use "];

/// Words by which a note speaks of itself, behind `this`.
const SELF: &str = "note page document doc proposal decision record plan version guide article post spec \
    specification standard policy draft file entry";
const AUXILIARY: &str = "is was has been had now also and fully entirely completely hereby";

/// That one note took the place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    /// The note that is named.
    pub(super) other: Slot,
    /// True if the note that says so is the later one.
    pub(super) is_newer: bool,
    /// The words that say so.
    pub(super) quote: String,
    /// True if they leave no doubt.
    pub(super) is_explicit: bool,
}

/// Words of which one stands in every text that says so.
const WORDS: [&str; 17] = [
    "supersedes",
    "superseded",
    "replaces",
    "replaced",
    "obsoletes",
    "obsoleted",
    "obsolete",
    "deprecated",
    "deprecates",
    "withdrawn",
    "retired",
    "outdated",
    "archived",
    "favor",
    "favour",
    "moved",
    "merged",
];

/// Returns the notes that may say so, as far as the text index and the catalog know; `None` without a text
/// index.
pub(super) fn claiming(
    view: &View<'_>,
    entries: &[Entry],
) -> Result<Option<BTreeSet<Slot>>, CacheError> {
    if !view.has_text_index() {
        return Ok(None);
    }
    let mut slots: BTreeSet<Slot> = view.with_any(&WORDS)?.into_iter().collect();
    let meta = view.reading().meta()?;
    if meta.properties.keys().any(|key| says(key)) {
        for entry in entries {
            let properties = view.details(entry.slot)?.properties();
            if properties.keys().any(|key| says(key)) {
                slots.insert(entry.slot);
            }
        }
    }
    Ok(Some(slots))
}

/// Returns true if a property with this key may say so.
fn says(key: &str) -> bool {
    is_newer(key).is_some() || is_reason(key)
}

/// Returns true for a property that says why a note is over.
fn is_reason(key: &str) -> bool {
    let key = key.to_lowercase();
    REASONS.iter().any(|reason| key.starts_with(reason))
}

/// Returns whether the note with this property is the later one, if the property says so at all.
fn is_newer(key: &str) -> Option<bool> {
    let plain: String = key.chars().filter(|c| c.is_alphabetic()).collect();
    let plain = plain.to_lowercase();
    let is_newer = NEWER.contains(&plain.as_str());
    (is_newer || OLDER.contains(&plain.as_str())).then_some(is_newer)
}

/// What stands in every text that says so.
const PARTS: [&str; 12] = [
    "supersed",
    "replace",
    "obsolet",
    "deprecat",
    "withdraw",
    "retire",
    "outdated",
    "archived",
    "in favor of",
    "in favour of",
    "moved",
    "merged into",
];

/// Returns true if a text may say so.
pub(super) fn may_claim(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let mut parts = PARTS.iter();
    parts.any(|part| text.contains(part))
}

/// Returns what the note at `entry` says in `text` to have replaced or to be replaced by.
pub(super) fn claims(view: &View<'_>, entry: &Entry, text: &str) -> Result<Vec<Claim>, CacheError> {
    let note = note::read(text, entry.path.stem());
    let own = [note.title.as_str(), entry.path.stem()];
    let own = own
        .into_iter()
        .chain(note.aliases.iter().map(String::as_str));
    let naming = Naming {
        view,
        entry,
        own: own.map(str::to_lowercase).collect(),
    };
    let mut claims = Vec::new();
    for (key, value) in &note.properties {
        if let Some(is_newer) = is_newer(key) {
            for name in note::list_of(&note.properties, key) {
                for other in naming.listed(&name)? {
                    claims.push(Claim {
                        other,
                        is_newer,
                        quote: format!("{key}: {name}"),
                        is_explicit: true,
                    });
                }
            }
        } else if let Value::String(text) = value {
            let known = claims.len();
            naming.told(text, false, &mut claims)?;
            if is_reason(key)
                && claims.len() == known
                && let [other] = naming.mentioned(text)?.as_slice()
            {
                claims.push(Claim {
                    other: *other,
                    is_newer: false,
                    quote: format!("{key}: {text}"),
                    is_explicit: false,
                });
            }
        }
    }
    let mut is_first = true;
    for paragraph in paragraphs(&text[note.body.clone()]) {
        if may_claim(&paragraph) {
            naming.told(&paragraph, is_first, &mut claims)?;
        }
        is_first &= paragraph.starts_with('#');
    }
    Ok(claims)
}

/// How a note names itself and others.
struct Naming<'n, 'v> {
    view: &'n View<'v>,
    entry: &'n Entry,
    /// Its own names, in small letters.
    own: Vec<String>,
}

impl Naming<'_, '_> {
    /// Adds what the sentences of `text` claim; `is_first` if the note begins with it.
    fn told(&self, text: &str, is_first: bool, claims: &mut Vec<Claim>) -> Result<(), CacheError> {
        let mut sentences = sentences::of_line(text);
        sentences.retain(|sentence| !sentence.ends_with('?'));
        let mut is_over = false;
        for sentence in sentences {
            let lower = sentence.to_ascii_lowercase();
            let known = claims.len();
            for (verb, is_newer) in VERBS {
                let Some(at) = lower.find(verb) else {
                    continue;
                };
                // `Superseded by: B`, `**Superseded by** B`.
                let rest = &sentence[at + verb.len()..];
                let behind = rest.trim_start_matches([' ', ':', '*', '_']);
                let before = &sentence[..at];
                if behind.len() < rest.len() && self.is_claim(verb, before, is_first) {
                    let named = self.names(behind)?.into_iter();
                    claims.extend(named.map(|other| Claim {
                        other,
                        is_newer,
                        quote: sentence.to_owned(),
                        is_explicit: !matches!(verb, "moved to" | "merged into"),
                    }));
                    break;
                }
            }
            is_over |= is_first
                && lower
                    .split(|c: char| !c.is_alphabetic())
                    .any(|word| is_listed(OVER, word));
            if is_over && claims.len() == known {
                claims.extend(self.led(sentence)?);
            }
        }
        Ok(())
    }

    /// Returns true if what stands before `verb` makes it a claim about the note itself.
    fn is_claim(&self, verb: &str, before: &str, is_first: bool) -> bool {
        match verb {
            "in favor of" | "in favour of" => {
                let before = before.trim_end();
                let (rest, ended) = before.rsplit_once(' ').unwrap_or(("", before));
                let ended = ended.trim_matches(|c: char| !c.is_alphabetic());
                is_listed(ENDED, &ended.to_lowercase()) && self.is_of_the_note(rest)
            }
            // A task of a list is moved to another day.
            "moved to" | "merged into" => {
                let is_said = before.contains(char::is_alphanumeric);
                let is_item = before.trim_start().starts_with(['-', '*', '+']);
                (is_said || is_first && !is_item) && self.is_of_the_note(before)
            }
            _ => self.is_of_the_note(before),
        }
    }

    /// Returns where a note that is over leads to: `Deprecated, see [[B]]`, `Use [[B]] instead`.
    fn led(&self, sentence: &str) -> Result<Option<Claim>, CacheError> {
        for (start, _) in sentence.char_indices() {
            let begins =
                start == 0 || sentence[..start].ends_with([' ', ',', ';', ':', '(', '*', '_']);
            let rest = &sentence[start..];
            let found = LEADS.iter().find(|lead| {
                begins
                    && rest
                        .get(..lead.len())
                        .is_some_and(|text| text.eq_ignore_ascii_case(lead))
            });
            let Some(lead) = found else { continue };
            let before = sentence[..start].trim_end();
            let last = before.rsplit(' ').next().unwrap_or_default();
            let is_end =
                !before.ends_with(char::is_alphanumeric) || is_listed(OVER, &last.to_lowercase());
            if is_end && let Some((other, _)) = self.name(&rest[lead.len()..])? {
                return Ok(Some(Claim {
                    other,
                    is_newer: false,
                    quote: sentence.to_owned(),
                    is_explicit: false,
                }));
            }
        }
        Ok(None)
    }

    /// Returns the notes that are named anywhere in `text`, each once.
    fn mentioned(&self, text: &str) -> Result<Vec<Slot>, CacheError> {
        let mut found = Vec::new();
        let mut end = 0;
        for (start, c) in text.char_indices() {
            let begins = start == 0 || !text[..start].ends_with(char::is_alphanumeric);
            if start < end || !begins || !(c == '[' || c.is_uppercase() || c.is_ascii_digit()) {
                continue;
            }
            if let Some((slot, behind)) = self.name(&text[start..])? {
                end = text.len() - behind.len();
                found.push(slot);
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Returns true if what stands before the verb is the note itself, or nothing but a label.
    fn is_of_the_note(&self, before: &str) -> bool {
        let before = before.trim_matches(|c: char| c.is_whitespace() || "-*+>#_(".contains(c));
        if before.is_empty() {
            return true;
        }
        if let Some(label) = before.strip_suffix(':') {
            return label.split_whitespace().count() <= 3;
        }
        let lower = before.to_lowercase();
        let named = self
            .own
            .iter()
            .filter(|name| name.chars().count() >= SHORTEST);
        let mut rest: Vec<&str> = match named
            .clone()
            .find_map(|name| lower.strip_prefix(name.as_str()))
        {
            Some(rest) if !rest.starts_with(char::is_alphanumeric) => {
                rest.split_whitespace().collect()
            }
            _ => {
                let mut words = before.split_whitespace();
                let first = words.next().unwrap_or_default().to_lowercase();
                let mut words: Vec<&str> = words.collect();
                match first.as_str() {
                    "it" => {}
                    "this" => {
                        let is_self = words.first().is_some_and(|word| is_self(word));
                        words.drain(..usize::from(is_self));
                    }
                    _ if is_listed(AUXILIARY, &first) => {}
                    _ => return false,
                }
                words
            }
        };
        rest.retain(|word| !is_listed(AUXILIARY, &word.to_lowercase()));
        rest.is_empty()
    }

    /// Returns the notes that `text` begins with the names of.
    fn names(&self, text: &str) -> Result<Vec<Slot>, CacheError> {
        let mut found = Vec::new();
        let mut rest = text.trim_start();
        while let Some((slot, behind)) = self.name(rest)? {
            found.push(slot);
            let behind = behind.trim_start();
            let next = [", and ", ",", "and ", "& "]
                .iter()
                .find_map(|joint| behind.strip_prefix(joint));
            match next {
                Some(next) => rest = next.trim_start(),
                None => break,
            }
        }
        Ok(found)
    }

    /// Returns the notes that a property lists.
    fn listed(&self, names: &str) -> Result<Vec<Slot>, CacheError> {
        let whole = self.slot(names)?;
        if whole.is_some() {
            return Ok(whole.into_iter().collect());
        }
        let mut found = Vec::new();
        for name in names.split(',') {
            let name = name.trim();
            let slot = if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) {
                self.of_series(name)?
            } else if name.starts_with('[') {
                self.name(name)?.map(|(slot, _)| slot)
            } else {
                self.slot(name)?
            };
            found.extend(slot);
        }
        Ok(found)
    }

    /// Returns the note whose name `text` begins with, and what stands behind it; none if the name goes
    /// on, as in `EIP-1's base fee`.
    fn name<'t>(&self, text: &'t str) -> Result<Option<(Slot, &'t str)>, CacheError> {
        let text = text.strip_prefix("the ").unwrap_or(text);
        // `Obsoletes: 793` in `rfc9293`
        let digits = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        if digits > 0
            && let Some(slot) = self.of_series(&text[..digits])?
            && ends(&text[digits..])
        {
            return Ok(Some((slot, &text[digits..])));
        }
        if let Some((target, is_markdown, behind)) = link(text) {
            let target = target.split('#').next().unwrap_or_default();
            let other = self.view.resolve(&self.entry.path, target, is_markdown)?;
            let other = other.filter(|other| other.slot != self.entry.slot && ends(behind));
            return Ok(other.map(|other| (other.slot, behind)));
        }
        let mut ends_at = Vec::new();
        for word in text.split_inclusive(' ').take(LONGEST) {
            let start = ends_at.last().copied().unwrap_or(0);
            ends_at.push(start + word.len());
            if word.trim_end().ends_with([',', ';', ':', ')', '.']) {
                break;
            }
        }
        for end in ends_at.into_iter().rev() {
            let name = text[..end].trim_end_matches([' ', ',', ';', ':', ')', '.']);
            let (written, behind) = (name.trim_matches(QUOTES), &text[name.len()..]);
            let is_name = written.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
                || written.contains(' ');
            if is_name
                && ends(behind)
                && let Some(slot) = self.slot(written)?
            {
                return Ok(Some((slot, behind)));
            }
        }
        Ok(None)
    }

    /// Returns the note of this number in the series of this one, where the number is the name.
    fn of_series(&self, number: &str) -> Result<Option<Slot>, CacheError> {
        let stem = self.entry.path.stem();
        let series = stem.trim_end_matches(|c: char| c.is_ascii_digit());
        if series.is_empty() || series.len() == stem.len() {
            return Ok(None);
        }
        self.slot(&format!("{series}{number}"))
    }

    /// Returns the only other note of this name.
    fn slot(&self, name: &str) -> Result<Option<Slot>, CacheError> {
        if name.chars().count() < SHORTEST {
            return Ok(None);
        }
        let named = self.view.named_exactly(name)?;
        Ok(match named.as_slice() {
            [one] if one.slot != self.entry.slot => Some(one.slot),
            _ => None,
        })
    }
}

/// What a name may stand in.
const QUOTES: [char; 7] = ['"', '“', '”', '\'', '*', '_', '`'];

/// Returns true if a name ends before `behind`: no word of its own follows.
fn ends(behind: &str) -> bool {
    if behind.starts_with(['\'', '’', '-']) || behind.starts_with(char::is_alphanumeric) {
        return false;
    }
    let next = behind.trim_start_matches([' ', '*', '_']);
    let word: String = next.chars().take_while(|c| c.is_alphanumeric()).collect();
    word.is_empty() || english::word(&word.to_lowercase()).class != english::Class::Plain
}

/// Returns where a link that `text` begins with leads, whether it is written as markdown has it, and what
/// stands behind it.
fn link(text: &str) -> Option<(&str, bool, &str)> {
    if let Some(inner) = text.strip_prefix("[[") {
        let (inner, behind) = inner.split_once("]]")?;
        return Some((inner.split('|').next()?, false, behind));
    }
    let (_, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (target, behind) = rest.split_once(')')?;
    Some((target, true, behind))
}

/// Returns true for what a note calls itself: `page`, or the kind it is of, as `EIP`.
fn is_self(word: &str) -> bool {
    word.chars().count() > 1 && word.chars().all(char::is_uppercase)
        || is_listed(SELF, &word.to_lowercase())
}

fn is_listed(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

/// Returns the paragraphs, items and headings of a body, each on one line; no code and no tables.
fn paragraphs(body: &str) -> Vec<String> {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut goes_on = false;
    let mut fence: Option<&str> = None;
    for line in body.lines() {
        let mut line = line.trim().trim_start_matches(['>', ' ']);
        if let Some((_, title)) = line
            .strip_prefix("[!")
            .and_then(|line| line.split_once(']'))
        {
            goes_on = false;
            line = title.trim_start_matches(['+', '-', ' ']);
        }
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| line.starts_with(mark));
        match fence {
            None => fence = mark,
            Some(open) if mark == Some(open) => {
                fence = None;
                goes_on = false;
                continue;
            }
            Some(_) => {}
        }
        if fence.is_some() || line.is_empty() || line.starts_with('|') {
            goes_on = false;
            continue;
        }
        // `1. Superseded by B`
        let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
        if number.len() < line.len()
            && let Some(item) = number
                .strip_prefix(". ")
                .or_else(|| number.strip_prefix(") "))
        {
            goes_on = false;
            line = item;
        }
        let is_item = line.starts_with(['-', '*', '+', '#', '[']);
        match paragraphs.last_mut().filter(|_| goes_on && !is_item) {
            Some(last) => {
                last.push(' ');
                last.push_str(line);
            }
            None => paragraphs.push(line.to_owned()),
        }
        goes_on = !line.starts_with('#');
    }
    paragraphs
}
