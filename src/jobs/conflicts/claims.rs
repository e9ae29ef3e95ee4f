//! Claims of a note about itself: that it replaces another note, or that another note replaces it.
//!
//! Sources are properties (`superseded-by`, `replaces`) and sentences about the note itself, in the body or in
//! a property: `Superseded by [[B]]`, `This proposal replaces EIP-1`. The other note must be linked or named in
//! full. `Replaces the nonce of EIP-1` concerns a part of a note and `The method is replaced by [[B]]` another
//! subject, as does `Replaced by [[B]]` after other prose.
//!
//! Only two forms are certain, both in the newer note: a property that names the older note, and a sentence
//! before the first section that contains nothing but the claim and ends the note: a later sentence, or an earlier one
//! of a word or two, can take it back in any words. Struck text, quotations, open tasks and drafts claim nothing. A claim is a question if it is in a list, callout or later section, concerns a part of the
//! other note, or has a hedge nearby. The same holds if the other note is mentioned again. A name without a link
//! must be quoted, an id, a path, or [distinctive](NoteReference).

use std::sync::LazyLock;

use jiff::Timestamp;

use super::lexicon::{LEXICON, Role};
use crate::jobs::prelude::*;
use crate::note;
use crate::note::facts::validity::{StatementLabel, is_draft, label, validity};
use crate::note::markdown::lines::{LineRole, lines};
use crate::note::markdown::{links, prose, sentences};
use crate::note::names::filename::is_machine_made;
use crate::note::words::lists::{self, Lists};
use crate::signals::fields::CONFIDENCE;

/// Minimum length of a note name in characters; shorter names are common words.
const MIN_NAME_CHARS: usize = 4;
/// Minimum number of words in a statement.
const MIN_STATEMENT_WORDS: usize = 4;
/// Maximum number of words in a name without a link.
const MAX_NAME_WORDS: usize = 8;

const LISTS_TEXT: &str = include_str!("claims.txt");
static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::of(LISTS_TEXT));

/// A phrase that states a replacement.
struct ReplacementVerb {
    phrase: &'static str,
    /// True if the note with the phrase is the newer one.
    is_newer: bool,
    /// True if a claim with it can be certain.
    is_definite: bool,
}

static VERBS: LazyLock<Vec<ReplacementVerb>> = LazyLock::new(|| {
    let verbs = lists::rows(LISTS_TEXT, "verbs").map(|row| {
        let [phrase, which] = lists::columns(row);
        ReplacementVerb {
            phrase,
            is_newer: which.starts_with("newer"),
            is_definite: !which.ends_with('?'),
        }
    });
    verbs.collect()
});

/// The phrase that follows the older note: `[[B]] used to say 80`.
const VERB_AFTER_NOTE: &str = "used to say";

/// Words that introduce the successor of an outdated note: `Deprecated, see [[B]]`.
const SUCCESSOR_CUES: [&str; 4] = ["see ", "use ", "please see ", "please use "];

/// The claim of a note that it replaces another note, or the reverse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    /// The note named in the claim.
    pub(super) other: Slot,
    /// True if the note with the claim is the newer one.
    pub(super) is_newer: bool,
    /// The text of the claim.
    pub(super) quote: String,
    /// True if the claim is unambiguous.
    pub(super) is_certain: bool,
}

/// Returns the notes that may contain claims, by text index and catalog; `None` without a text index.
pub(super) fn possible_claimants(
    view: &View<'_>,
    entries: &[Entry],
) -> Result<Option<BTreeSet<Slot>>> {
    if !view.has_text_index() {
        return Ok(None);
    }
    let words: Vec<&str> = LISTS.words("one_of").iter().copied().collect();
    let mut slots: BTreeSet<Slot> = view.with_any(&words)?.into_iter().collect();
    let meta = view.reading().meta()?;
    if meta.properties.keys().any(|key| is_claim_key(key)) {
        for entry in entries {
            let properties = view.details(entry.slot)?.properties();
            if properties.keys().any(|key| is_claim_key(key)) {
                slots.insert(entry.slot);
            }
        }
    }
    Ok(Some(slots))
}

/// Minimum confidence of a note whose claim is recorded unasked.
const MIN_CONFIDENCE: f32 = 0.5;

/// Returns true if a property with this key may hold a claim.
fn is_claim_key(key: &str) -> bool {
    is_newer(key).is_some() || is_reason(key)
}

/// Returns true if a property gives the reason why a note is outdated.
fn is_reason(key: &str) -> bool {
    let key = key.to_lowercase();
    let mut reasons = LISTS.words("reasons").iter();
    reasons.any(|reason| key.starts_with(reason))
}

/// Returns `Some(true)` if a note with this property is the newer one, `None` for any other key.
pub(in crate::jobs) fn is_newer(key: &str) -> Option<bool> {
    let letters: String = key.chars().filter(|c| c.is_alphabetic()).collect();
    let plain = letters.to_lowercase();
    let is_newer = LISTS.has("newer", &plain);
    (is_newer || LISTS.has("older", &plain)).then_some(is_newer)
}

/// Returns true if the text may contain a claim; a cheap pre-check.
pub(super) fn can_contain_claim(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let mut parts = LISTS.words("parts").iter();
    parts.any(|part| text.contains(part))
}

/// Returns the claims that the note at `entry` makes in `text`.
pub(super) fn claims(view: &View<'_>, entry: &Entry, text: &str) -> Result<Vec<Claim>> {
    let note = note::read(text, entry.path.stem());
    let own_names = [note.title.as_str(), entry.path.stem()]
        .into_iter()
        .chain(note.aliases.iter().map(String::as_str));
    let body = &text[note.body.clone()];
    let status = note::text_of(&note.properties, "status").unwrap_or_default();
    if is_draft(&note.title, &note.tags, &status) {
        return Ok(Vec::new());
    }
    let stated = prose::stated(body);
    let document = Document::of_body(&stated);
    let paragraphs = paragraphs(&document);
    let headings = paragraphs.iter().map(|(_, text)| text.as_str());
    let headings = headings.filter(|text| text.starts_with('#'));
    let kind = note::text_of(&note.properties, "type").unwrap_or_default();
    let labels = note.tags.iter().map(String::as_str);
    // `draft: true`, `templates/Store.md`
    let flags = note.properties.iter();
    let flags = flags.filter(|(_, value)| **value == Value::Bool(true));
    let flags = flags.map(|(key, _)| key.as_str());
    let folders = entry.path.as_str().split('/').rev().skip(1);
    let mut labels = labels
        .chain([status.as_str(), &kind])
        .chain(flags)
        .chain(folders);
    let is_undecided = |label: &str| words(label).any(|word| LISTS.has("undecided", &word));
    let day_of = |at: Timestamp| at.to_zoned(view.now.time_zone().clone()).date();
    let written = day_of(entry.row.stated().unwrap_or(view.now.timestamp()));
    let is_in_force = |text: &str| {
        let mut sentences = sentences::of_line(text).into_iter();
        sentences.all(|sentence| validity(sentence, written, view.now.date()).is_lasting())
    };
    let mut titles = headings.chain([note.title.as_str()]);
    let is_withdrawn = |title: &str| words(title).any(|word| LISTS.has("withdrawals", &word));
    let resolver = ReferenceResolver {
        view,
        entry,
        own_names: own_names.map(str::to_lowercase).collect(),
        body,
        is_decided: !labels.any(is_undecided)
            && entry.row.expires > view.now.timestamp().as_second()
            && !view.is_row_upcoming(entry.slot, &entry.row)?
            && CONFIDENCE.of(&entry.row.ratings) >= MIN_CONFIDENCE
            && !titles.any(is_withdrawn)
            && paragraphs.iter().all(|(_, text)| is_in_force(text)),
    };
    let mut claims = Vec::new();
    for (key, value) in &note.properties {
        if let Some(is_newer) = is_newer(key) {
            for name in note::list_of(&note.properties, key) {
                for named in resolver.listed(&name)? {
                    claims.push(Claim {
                        other: named.slot,
                        is_newer,
                        quote: format!("{key}: {name}"),
                        is_certain: is_newer && resolver.is_certain(&named, 0),
                    });
                }
            }
        } else if let Value::String(text) = value
            && key != "title"
        {
            let known = claims.len();
            let place = Place {
                is_first: false,
                leads_section: true,
            };
            resolver.add_sentence_claims(text, place, None, &mut claims)?;
            if is_reason(key)
                && claims.len() == known
                && let [other] = resolver.mentioned(text)?.as_slice()
            {
                claims.push(Claim {
                    other: *other,
                    is_newer: false,
                    quote: format!("{key}: {text}"),
                    is_certain: false,
                });
            }
        }
    }
    let lead = prose::lead(&document);
    let (mut is_first, mut leads_section) = (true, true);
    let last = paragraphs.last().map_or(0, |(start, _)| *start);
    let mut follows_remark = false;
    for &(start, ref paragraph) in &paragraphs {
        if can_contain_claim(paragraph) {
            let is_end = lead.iter().any(|span| span.contains(&start)) && start == last;
            let in_lead = is_end && !follows_remark;
            let before = in_lead.then(|| &body[..start]);
            let place = Place {
                is_first,
                leads_section,
            };
            resolver.add_sentence_claims(paragraph, place, before, &mut claims)?;
        }
        leads_section = paragraph.starts_with('#');
        follows_remark |= !leads_section && has_remark(&sentences::of_line(paragraph));
        is_first &= leads_section;
    }
    Ok(claims)
}

/// Position of a paragraph.
struct Place {
    /// True if only headings precede it in the note.
    is_first: bool,
    /// True if only the heading precedes it in its section.
    leads_section: bool,
}

/// A reference to another note.
struct NoteReference<'t> {
    slot: Slot,
    /// The name or link target, as written.
    text: &'t str,
    /// True if the reference is unambiguous: a link to the whole note, a quoted title, an id, a path, or a title
    /// with digits or of three words in its original spelling.
    is_distinct: bool,
}

/// Context for resolving references in a note.
struct ReferenceResolver<'n, 'v> {
    view: &'n View<'v>,
    entry: &'n Entry,
    /// Names of the note itself, in lower case.
    own_names: Vec<String>,
    body: &'n str,
    /// False if status, type, a tag, a property, a folder, the title or a heading marks the note as undecided or withdrawn,
    /// or one of its sentences does not hold now: `Effective 1 March 2027`.
    is_decided: bool,
}

impl ReferenceResolver<'_, '_> {
    /// Adds the claims in the sentences of `text`. A claim can be certain only if `before`, the body text before
    /// the paragraph, is given.
    fn add_sentence_claims(
        &self,
        text: &str,
        Place {
            is_first,
            leads_section,
        }: Place,
        before: Option<&str>,
        claims: &mut Vec<Claim>,
    ) -> Result<()> {
        let all = sentences::of_line(text);
        let opening = before.filter(|_| !has_markup(text));
        // `Plan B` replaces `Plan A`: a word of both names expresses no doubt.
        let is_plain = |named: &NoteReference<'_>| {
            let of_note = self.view.details(named.slot).map(|details| details.title);
            let name: Vec<String> = words(&of_note.unwrap_or_default()).collect();
            let title = self.own_names.first().map_or("", String::as_str);
            let is_doubtful = |text: &str| {
                let own = words(text).filter(|word| !name.contains(word));
                text.contains('?') || is_doubtful(&own.collect::<Vec<_>>().join(" "))
            };
            opening.is_some_and(|opening| !is_doubtful(title) && !is_doubtful(opening))
        };
        let mut is_over = false;
        for (index, sentence) in all.iter().copied().enumerate() {
            if sentence.ends_with('?') || label(sentence) == Some(StatementLabel::Draft) {
                continue;
            }
            let lower = sentence.to_ascii_lowercase();
            let known = claims.len();
            for &ReplacementVerb {
                phrase: verb,
                is_newer,
                is_definite,
            } in VERBS.iter()
            {
                let Some(at) = lower.find(verb) else {
                    continue;
                };
                if verb == VERB_AFTER_NOTE {
                    let (named, rest) = self.leading_names(sentence[..at].trim_end())?;
                    if rest.is_empty() {
                        claims.extend(named.into_iter().map(|named| Claim {
                            other: named.slot,
                            is_newer,
                            quote: sentence.to_owned(),
                            is_certain: false,
                        }));
                    }
                    break;
                }
                // `Superseded by: B`, `**Superseded by** B`.
                let rest = &sentence[at + verb.len()..];
                let behind = rest.trim_start_matches([' ', ':', '*', '_']);
                let before = &sentence[..at];
                // `A protocol for mail. Replaced by [[B]]`: the protocol is replaced, not the note.
                let omits_subject = !before.contains(char::is_alphanumeric);
                let follows_prose = !leads_section || index > 0 && !is_over;
                let is_label = rest.trim_start_matches(['*', '_']).starts_with(':');
                if !is_newer && omits_subject && follows_prose && !is_label {
                    continue;
                }
                if behind.len() < rest.len() && self.is_claim(verb, before, is_first) {
                    let (named, rest) = self.leading_names(behind)?;
                    // `Replaced by [[TLS]]` may concern the subject of the note instead of the note.
                    let is_certain = is_newer
                        && is_definite
                        && self.is_exactly_the_note(before)
                        && rest.chars().all(|c| " .!*_".contains(c))
                        && !all[..index].iter().any(|sentence| is_doubtful(sentence))
                        && !has_remark(&all[..index])
                        && index + 1 == all.len();
                    claims.extend(named.into_iter().map(|named| Claim {
                        other: named.slot,
                        is_newer,
                        quote: sentence.to_owned(),
                        is_certain: is_certain
                            && is_plain(&named)
                            && self.is_certain(&named, 1)
                            && self.is_upheld(named.text),
                    }));
                    break;
                }
            }
            is_over |= is_first
                && lower
                    .split(|c: char| !c.is_alphabetic())
                    .any(|word| LISTS.has("over", word));
            if is_over && claims.len() == known {
                claims.extend(self.successor(sentence)?);
            }
        }
        Ok(())
    }

    /// Returns true if the words before `verb` make it a claim about the note itself.
    fn is_claim(&self, verb: &str, before: &str, is_first: bool) -> bool {
        match verb {
            "in favor of" | "in favour of" => {
                let before = before.trim_end();
                let (rest, ended) = before.rsplit_once(' ').unwrap_or(("", before));
                let ended = ended.trim_matches(|c: char| !c.is_alphabetic());
                LISTS.has("ended", &ended.to_lowercase()) && self.is_the_note(rest)
            }
            // A list item with `moved to` is usually a rescheduled task.
            "moved to" | "merged into" => {
                let is_said = before.contains(char::is_alphanumeric);
                let is_item = before.trim_start().starts_with(['-', '*', '+']);
                (is_said || is_first && !is_item) && self.is_the_note(before)
            }
            _ => self.is_the_note(before),
        }
    }

    /// Returns the successor of an outdated note: `Deprecated, see [[B]]`, `Use [[B]] instead`.
    fn successor(&self, sentence: &str) -> Result<Option<Claim>> {
        for (start, _) in sentence.char_indices() {
            let begins =
                start == 0 || sentence[..start].ends_with([' ', ',', ';', ':', '(', '*', '_']);
            let rest = &sentence[start..];
            let found = SUCCESSOR_CUES.iter().find(|lead| {
                begins
                    && rest
                        .get(..lead.len())
                        .is_some_and(|text| text.eq_ignore_ascii_case(lead))
            });
            let Some(lead) = found else { continue };
            let before = sentence[..start].trim_end();
            let last = before.rsplit(' ').next().unwrap_or_default();
            let is_end =
                !before.ends_with(char::is_alphanumeric) || LISTS.has("over", &last.to_lowercase());
            if is_end && let Some((named, _)) = self.leading_name(&rest[lead.len()..])? {
                return Ok(Some(Claim {
                    other: named.slot,
                    is_newer: false,
                    quote: sentence.to_owned(),
                    is_certain: false,
                }));
            }
        }
        Ok(None)
    }

    /// Returns the distinct notes named anywhere in `text`.
    fn mentioned(&self, text: &str) -> Result<Vec<Slot>> {
        let mut found = Vec::new();
        let mut end = 0;
        for (start, c) in text.char_indices() {
            let begins = start == 0 || !text[..start].ends_with(char::is_alphanumeric);
            if start < end || !begins || !(c == '[' || c.is_uppercase() || c.is_ascii_digit()) {
                continue;
            }
            if let Some((named, behind)) = self.leading_name(&text[start..])? {
                end = text.len() - behind.len();
                found.push(named.slot);
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Returns true if the words before the verb refer to the note itself or are just a label.
    fn is_the_note(&self, before: &str) -> bool {
        let before = before.trim_matches(|c: char| c.is_whitespace() || "-*+>#_(".contains(c));
        if before.is_empty() {
            return true;
        }
        if let Some(label) = before.strip_suffix(':') {
            return label.split_whitespace().count() <= 3;
        }
        let lower = before.to_lowercase();
        let named = self
            .own_names
            .iter()
            .filter(|name| name.chars().count() >= MIN_NAME_CHARS);
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
                    pronoun if pronoun == "this" || LISTS.has("pronouns", pronoun) => {
                        let is_self_reference =
                            words.first().is_some_and(|word| is_self_reference(word));
                        words.drain(..usize::from(is_self_reference));
                    }
                    _ if LISTS.has("auxiliary", &first) => {}
                    _ => return false,
                }
                words
            }
        };
        rest.retain(|word| !LISTS.has("auxiliary", &word.to_lowercase()));
        rest.is_empty()
    }

    /// Returns true if the words before the verb refer to this note and nothing else: not `it`, not a list item.
    fn is_exactly_the_note(&self, before: &str) -> bool {
        let before = before.trim_matches(|c: char| c.is_whitespace() || "*_".contains(c));
        let mut words = before.split_whitespace().map(str::to_lowercase);
        match before.strip_suffix(':') {
            Some(label) => LISTS.has(
                "labels",
                label.trim_end_matches(['*', '_']).to_lowercase().trim(),
            ),
            None => {
                !before.starts_with(['-', '+', '>', '#', '('])
                    && words.all(|word| word != "it" && word != "had")
                    && self.is_the_note(before)
            }
        }
    }

    /// Returns true if a claim about `named` is certain given the rest of the note: the body mentions it at most
    /// `times`.
    fn is_certain(&self, named: &NoteReference<'_>, times: usize) -> bool {
        named.is_distinct && self.is_decided && self.body.matches(named.text).count() <= times
    }

    /// Returns true if no word of the note outside the name `named` doubts, denies or withdraws what it says.
    fn is_upheld(&self, named: &str) -> bool {
        let text = self.body.replace(named, " ");
        let withdraws = |word: &str| {
            let mut sections = ["taken_back", "withdrawals", "fiction"].iter();
            sections.any(|section| LISTS.has(section, word))
        };
        !words(&text).any(|word| english::denies(&word) || withdraws(&word))
    }

    /// Returns the notes listed at the start of `text`, and the remaining text.
    fn leading_names<'t>(&self, text: &'t str) -> Result<(Vec<NoteReference<'t>>, &'t str)> {
        let mut found = Vec::new();
        let mut rest = text.trim_start();
        while let Some((named, behind)) = self.leading_name(rest)? {
            found.push(named);
            rest = behind.trim_start();
            let next = [", and ", ",", "and ", "& "]
                .iter()
                .find_map(|joint| rest.strip_prefix(joint));
            match next {
                Some(next) => rest = next.trim_start(),
                None => break,
            }
        }
        Ok((found, rest))
    }

    /// Returns the notes listed in a property value.
    fn listed<'t>(&self, names: &'t str) -> Result<Vec<NoteReference<'t>>> {
        let linked = self
            .leading_name(names)?
            .filter(|(_, behind)| behind.is_empty());
        let whole = match linked.filter(|_| names.starts_with('[')) {
            Some((linked, _)) => Some(linked),
            None => self.by_name(names)?,
        };
        if let Some(whole) = whole {
            return Ok(vec![whole]);
        }
        let mut found = Vec::new();
        for name in names.split(',') {
            let name = name.trim();
            let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
            let other = if is_number || name.starts_with('[') {
                self.leading_name(name)?
                    .map(|(named, behind)| NoteReference {
                        is_distinct: named.is_distinct && behind.is_empty(),
                        ..named
                    })
            } else {
                self.by_name(name)?
            };
            found.extend(other);
        }
        Ok(found)
    }

    /// Returns the note named at the start of `text`, and the remaining text. `None` if the name goes on, as in
    /// `EIP-1's base fee`.
    fn leading_name<'t>(&self, text: &'t str) -> Result<Option<(NoteReference<'t>, &'t str)>> {
        let text = text.strip_prefix("the ").unwrap_or(text);
        // `Obsoletes: 793` in `rfc9293`
        let digits = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        if digits > 0
            && let Some(slot) = self.in_series(&text[..digits])?
            && is_name_end(&text[digits..])
        {
            let named = NoteReference {
                slot,
                text: &text[..digits],
                is_distinct: true,
            };
            return Ok(Some((named, &text[digits..])));
        }
        if let Some((whole, is_markdown, behind)) = link(text) {
            let target = whole.split('#').next().unwrap_or_default();
            let led = self.view.resolve(&self.entry.path, target, is_markdown)?;
            let slot = match led {
                Some(other) => Some(other.slot),
                // A wikilink may use a title, which does not resolve as a link.
                None if !is_markdown => self.slot_by_name(target)?,
                None => None,
            };
            let other = slot.filter(|other| *other != self.entry.slot && is_name_end(behind));
            // A bare name that several notes have: which one was meant is not certain.
            let is_ambiguous =
                other.is_some() && !target.contains('/') && self.view.namesakes(target)?.len() > 1;
            let named = other.map(|slot| NoteReference {
                slot,
                text: target,
                is_distinct: target == whole && !is_ambiguous,
            });
            return Ok(named.map(|named| (named, behind)));
        }
        let mut word_ends = Vec::new();
        for word in text.split_inclusive(' ').take(MAX_NAME_WORDS) {
            let start = word_ends.last().copied().unwrap_or(0);
            word_ends.push(start + word.len());
            if word.trim_end().ends_with([',', ';', ':', ')', '.']) {
                break;
            }
        }
        for end in word_ends.into_iter().rev() {
            let name = text[..end].trim_end_matches([' ', ',', ';', ':', ')', '.']);
            let (written, behind) = (name.trim_matches(QUOTES), &text[name.len()..]);
            let is_name = written.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
                || written.contains(' ')
                || is_path(written);
            if !is_name || !is_name_end(behind) {
                continue;
            }
            let is_quoted = name.starts_with(['"', '“', '\'', '`']) && name != written;
            let named = match self.by_name(written)? {
                None if is_quoted => self.first_namesake(written)?,
                named => named.map(|named| NoteReference {
                    is_distinct: named.is_distinct || is_quoted,
                    ..named
                }),
            };
            if let Some(named) = named {
                return Ok(Some((named, behind)));
            }
        }
        Ok(None)
    }

    /// Returns the only other note with this name, as a reference.
    fn by_name<'t>(&self, name: &'t str) -> Result<Option<NoteReference<'t>>> {
        let Some(slot) = self.slot_by_name(name)? else {
            return Ok(None);
        };
        let words = name.split_whitespace().count();
        let is_mixed =
            name.contains(char::is_alphabetic) && name.contains(|c: char| c.is_ascii_digit());
        let is_distinct = is_path(name)
            || is_machine_made(name)
            || (is_mixed || words > 2) && {
                let details = self.view.details(slot)?;
                let path = self.view.entry(slot)?.map(|entry| entry.path);
                let is_stem = path.is_some_and(|path| path.stem().eq_ignore_ascii_case(name));
                is_stem
                    || details.title == name
                    || details.aliases.iter().any(|alias| alias == name)
            };
        Ok(Some(NoteReference {
            slot,
            text: name,
            is_distinct,
        }))
    }

    /// Returns one of several other notes with this name: which one was meant is not certain.
    fn first_namesake<'t>(&self, name: &'t str) -> Result<Option<NoteReference<'t>>> {
        let mut named = self.view.namesakes(name)?.into_iter();
        let other = named.find(|other| other.slot != self.entry.slot);
        Ok(other.map(|other| NoteReference {
            slot: other.slot,
            text: name,
            is_distinct: false,
        }))
    }

    /// Returns the note with this number in the same series: `793` in `rfc9293` is `rfc793`.
    fn in_series(&self, number: &str) -> Result<Option<Slot>> {
        let stem = self.entry.path.stem();
        let series = stem.trim_end_matches(|c: char| c.is_ascii_digit());
        if series.is_empty() || series.len() == stem.len() {
            return Ok(None);
        }
        self.slot_by_name(&format!("{series}{number}"))
    }

    /// Returns the slot of the only other note with this name.
    fn slot_by_name(&self, name: &str) -> Result<Option<Slot>> {
        if name.chars().count() < MIN_NAME_CHARS {
            return Ok(None);
        }
        let named = self.view.named_exactly(name)?;
        Ok(match named.as_slice() {
            [one] if one.slot != self.entry.slot => Some(one.slot),
            _ => None,
        })
    }
}

/// Returns true if a name is the path of a note.
fn is_path(name: &str) -> bool {
    name.contains('/') || name.to_ascii_lowercase().ends_with(".md")
}

/// Returns true if a text contains a question mark or a word of doubt, planning, wishing or reporting.
fn is_doubtful(text: &str) -> bool {
    let is_open = |word: &str| {
        let known = LEXICON.get(word, &stem(word));
        let is_hedge = known.role == Role::Hedge || matches!(known.class, Class::May | Class::Will);
        is_hedge || LISTS.has("doubt", word)
    };
    text.contains('?') || words(text).any(|word| is_open(&word))
}

/// Returns true if a sentence is as short as a remark about the note: `Vetoed.`, `Ask Tom first.`
fn has_remark(sentences: &[&str]) -> bool {
    let mut sentences = sentences.iter();
    sentences.any(|sentence| words(sentence).count() < MIN_STATEMENT_WORDS)
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Returns true if a paragraph may contain struck-through text, comments or HTML.
fn has_markup(text: &str) -> bool {
    text.contains("~~") || text.contains("%%") || text.contains('<')
}

/// Characters that may enclose a name.
const QUOTES: [char; 7] = ['"', '“', '”', '\'', '*', '_', '`'];

/// Returns true if a name ends before `behind`: no content word follows.
fn is_name_end(behind: &str) -> bool {
    if behind.starts_with(['\'', '’', '-']) || behind.starts_with(char::is_alphanumeric) {
        return false;
    }
    let next = behind.trim_start_matches([' ', '*', '_']);
    let word: String = next.chars().take_while(|c| c.is_alphanumeric()).collect();
    word.is_empty() || english::word(&word.to_lowercase()).class != english::Class::Plain
}

/// Parses a link at the start of `text`: target, whether it is a Markdown link, remaining text.
fn link(text: &str) -> Option<(&str, bool, &str)> {
    if text.starts_with("[[") {
        let end = links::wikilink(text, 0)?.span.end;
        let target = text[2..end - 2].split('|').next()?;
        return Some((target, false, &text[end..]));
    }
    let (_, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (target, behind) = rest.split_once(')')?;
    Some((target, true, behind))
}

/// Returns true for a word that refers to the note: `page`, or its kind in capitals, such as `EIP`.
fn is_self_reference(word: &str) -> bool {
    word.chars().count() > 1 && word.chars().all(char::is_uppercase)
        || LISTS.has("self", &word.to_lowercase())
}

/// Returns the paragraphs, items and headings of a body, each joined to one line, with their byte offsets.
/// Code and tables are excluded.
fn paragraphs(document: &Document<'_>) -> Vec<(usize, String)> {
    let body = document.text();
    let mut paragraphs: Vec<(usize, String)> = Vec::new();
    // Block of the previous line if the paragraph may continue.
    let mut open = None;
    for found in lines(document) {
        let whole = &body[found.span.clone()];
        let start = found.span.end - whole.trim_start().len();
        let mut line = whole.trim().trim_start_matches(['>', ' ']);
        if !matches!(
            found.role,
            LineRole::Text | LineRole::Heading(_) | LineRole::Html
        ) || line.is_empty()
        {
            open = None;
            continue;
        }
        if let LineRole::Heading(_) = found.role
            && !line.starts_with('#')
        {
            paragraphs.push((start, format!("# {line}")));
            continue;
        }
        if let Some((_, title)) = line
            .strip_prefix("[!")
            .and_then(|line| line.split_once(']'))
        {
            open = None;
            line = title.trim_start_matches(['+', '-', ' ']);
        }
        // `1. Superseded by B`
        let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
        if found.is_item
            && number.len() < line.len()
            && let Some(item) = number.strip_prefix(['.', ')'])
        {
            line = item.trim_start();
        }
        let begins = found.is_item || line.starts_with(['#', '[']) || open != found.block;
        match paragraphs.last_mut().filter(|_| !begins && open.is_some()) {
            Some((_, last)) => {
                last.push(' ');
                last.push_str(line);
            }
            None => paragraphs.push((start, line.to_owned())),
        }
        open = found.block.filter(|_| !line.starts_with('#'));
    }
    paragraphs
}

#[cfg(test)]
mod tests;
