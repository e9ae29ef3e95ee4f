//! Checks a merged note with other code than the merge: lines and words, no model of the document.
//!
//! Every line that a side added, and every line of the base that both kept, must be in the result, and no line that a side
//! removed. A line that was merged by words is accounted for by a line of the result that contains its new words.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value};

use crate::note::front_matter::items::items;
use crate::note::front_matter::split::split;
use crate::note::front_matter::{matter, seal};

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckVerdict {
    /// Everything is accounted for.
    Proven,
    /// What is missing or broken.
    Findings(Vec<String>),
    /// Why the check is impossible.
    Unverified(String),
}

/// Maximum size of texts that are checked.
const MAX_BYTES: usize = 64 << 20;

/// Checks that `result` contains what `sides` changed since `base`.
pub fn check(base: &str, sides: [&str; 2], result: &str) -> CheckVerdict {
    let texts = [base, sides[0], sides[1], result];
    if texts.iter().any(|text| text.len() > MAX_BYTES) {
        return CheckVerdict::Unverified(format!("a text is larger than {} MB", MAX_BYTES >> 20));
    }
    let bodies = texts.map(|text| &text[split(text).body]);
    let mut findings = [missing_lines(bodies), returned_lines(bodies)].concat();
    findings.extend(ambiguous_labels(bodies));
    let problems = texts.map(matter::problem);
    if problems[1].is_none() && problems[2].is_none() {
        match matter::problem(result) {
            Some(problem) => findings.push(problem.to_string()),
            None => findings.extend(missing_values(texts)),
        }
    }
    let is_open = |text: &str| has_open_fence(&text[split(text).body]);
    let is_torn = || {
        [false, true]
            .iter()
            .any(|theirs| is_open(&resolved(result, *theirs)))
    };
    if !sides.into_iter().any(is_open) && is_torn() {
        findings.push("a code fence is not closed".to_owned());
    }
    if !findings.is_empty() {
        return CheckVerdict::Findings(findings);
    }
    let unread = problems.into_iter().take(3).flatten().next();
    unread.map_or(CheckVerdict::Proven, |problem| {
        CheckVerdict::Unverified(problem.to_string())
    })
}

/// Number of occurrences in base, ours, theirs and the result.
type Counts = [usize; 4];

/// Returns how often each line occurs in the texts, without indentation and blank lines.
fn line_counts(texts: [&str; 4]) -> BTreeMap<&str, Counts> {
    let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
    for (at, text) in texts.into_iter().enumerate() {
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            counts.entry(line).or_default()[at] += 1;
        }
    }
    counts
}

/// Minimum number of different words in a line that may not come back; shorter ones are often repeated.
const MIN_WORDS_OF_RETURNED_LINE: usize = 3;

/// Returns lines outside conflicts that the result has more often than the sides allow.
fn returned_lines([base, ours, theirs, result]: [&str; 4]) -> Vec<String> {
    let outside_lines = places(result).filter(|(_, place)| *place == Some(0));
    let outside: String = outside_lines.flat_map(|(line, _)| [line, "\n"]).collect();
    let counts = line_counts([base, ours, theirs, &outside]);
    let returned = counts
        .iter()
        .filter(|(line, [base, ours, theirs, result])| {
            *base > 0
                && *result > (ours + theirs).saturating_sub(*base)
                && words(line).len() >= MIN_WORDS_OF_RETURNED_LINE
        });
    returned
        .map(|(line, _)| format!("line `{line}` came back"))
        .collect()
}

/// Returns labels of links and footnotes that only the result defines with different texts: readers take the first.
fn ambiguous_labels([_, ours, theirs, result]: [&str; 4]) -> Vec<String> {
    let [ours, theirs, result] = [ours, theirs, result].map(labels);
    let is_ambiguous = |(label, texts): &(&String, &BTreeSet<&str>)| {
        let most = [&ours, &theirs].map(|side| side.get(*label).map_or(1, BTreeSet::len));
        texts.len() > most[0].max(most[1])
    };
    let found = result.iter().filter(is_ambiguous);
    found
        .map(|(label, _)| format!("`[{label}]` is defined twice"))
        .collect()
}

/// Returns the texts of each label that is defined outside conflicts.
fn labels(body: &str) -> BTreeMap<String, BTreeSet<&str>> {
    let mut labels: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (line, _) in places(body).filter(|(_, place)| *place == Some(0)) {
        let definition = line.trim_start().strip_prefix('[');
        if let Some((label, text)) = definition.and_then(|line| line.split_once("]:")) {
            let text = text.trim();
            let title = text.split_once(char::is_whitespace).map_or("", |it| it.1);
            // With other text after the address, the line does not define a link.
            let is_link = title.is_empty() || title.trim_start().starts_with(['"', '\'', '(']);
            if label.starts_with('^') || is_link {
                labels.entry(label.to_lowercase()).or_default().insert(text);
            }
        }
    }
    labels
}

fn missing_lines(texts: [&str; 4]) -> Vec<String> {
    let counts = line_counts(texts);
    let missing = counts.iter().filter(|(_, [base, ours, theirs, result])| {
        let expected = if ours >= base && theirs >= base {
            *ours.max(theirs)
        } else {
            (ours + theirs).saturating_sub(*base)
        };
        *result < expected
    });
    let bags = |at: usize, least: usize| -> Vec<Bag<'_>> {
        let lines = counts
            .iter()
            .filter(|(_, counts)| counts[at] > if least == 0 { 0 } else { counts[0] });
        lines.map(|(line, _)| words(line)).collect()
    };
    let (old_lines, new_lines) = (bags(0, 0), bags(3, 1));
    let all_words = words(texts[3]);
    let missing =
        missing.filter(|(line, _)| !is_merged(&words(line), &old_lines, &new_lines, &all_words));
    missing
        .map(|(line, _)| format!("line `{line}` is missing"))
        .collect()
}

/// The words of a text with their number.
type Bag<'t> = HashMap<&'t str, usize>;

fn words(text: &str) -> Bag<'_> {
    let mut bag = Bag::new();
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.for_each(|word| *bag.entry(word).or_default() += 1);
    bag
}

/// Returns the words of `a` that `b` lacks.
fn minus<'t>(a: &Bag<'t>, b: &Bag<'_>) -> Bag<'t> {
    let left = a.iter().map(|(word, count)| {
        (
            *word,
            count.saturating_sub(b.get(word).copied().unwrap_or(0)),
        )
    });
    left.filter(|(_, count)| *count > 0).collect()
}

fn size(bag: &Bag<'_>) -> usize {
    bag.values().sum()
}

/// Whether the words of a changed line are in the result: the new ones in one line, the others removed by the other side.
fn is_merged(line: &Bag<'_>, old: &[Bag<'_>], new: &[Bag<'_>], all: &Bag<'_>) -> bool {
    let common = |other: &Bag<'_>| size(line) - size(&minus(line, other));
    let Some(before) = old
        .iter()
        .max_by_key(|other| (common(other), usize::MAX - size(other)))
    else {
        return false;
    };
    let added = minus(line, before);
    if common(before) == 0 || !minus(&added, all).is_empty() {
        return false;
    }
    new.iter().any(|after| {
        minus(&added, after).is_empty() && minus(&minus(line, after), before).is_empty()
    })
}

/// Returns values that a side added to the front matter and the result lacks. Counters of `mem` have no values to keep.
fn missing_values(texts: [&str; 4]) -> Vec<String> {
    let [base, ours, theirs, result] =
        texts.map(|text| matter::properties(text).unwrap_or_default());
    let block = |text: &str| {
        split(text)
            .block
            .map_or(String::new(), |block| text[block.whole].to_owned())
    };
    let merged = block(texts[3]);
    let beside = merged.clone() + &marked_lines(texts[3]);
    let all_words = joined_words(&beside);
    let are_managed = texts[1..3].iter().all(|side| seal::is_sealed(side));
    let kept = leaves(&result);
    // A text that continues on the next line, in a comment or between markers.
    let is_beside = |value: &str| {
        let text = serde_json::from_str::<String>(value);
        text.is_ok_and(|text| all_words.contains(&joined_words(&text)))
    };
    let mut findings = Vec::new();
    for (side, text) in [(&ours, texts[1]), (&theirs, texts[2])] {
        let added = leaves(side)
            .into_iter()
            .filter(|leaf| !leaves(&base).contains(leaf));
        let missing = added.filter(|(key, value)| {
            let is_derived =
                key.starts_with("mem") || key.eq_ignore_ascii_case("updated") || are_managed;
            !is_derived
                && !kept.contains(&(key.clone(), value.clone()))
                && !beside.contains(value.trim_matches('"'))
                && !is_beside(value)
        });
        findings.extend(missing.map(|(key, value)| format!("`{key}: {value}` is missing")));
        let old = block(texts[0]);
        let new = block(text);
        // After a quote it may be part of a value.
        let comments = new.lines().map(str::trim).filter_map(|line| {
            let at = line
                .starts_with('#')
                .then_some(0)
                .or_else(|| line.find(" #"))?;
            Some(line[at..].trim()).filter(|comment| at == 0 || !comment.contains(['"', '\'']))
        });
        let lost = comments.filter(|line| !old.contains(line) && !beside.contains(line));
        findings.extend(lost.map(|line| format!("comment `{line}` is missing")));
    }
    let both = leaves(&base)
        .into_iter()
        .filter(|leaf| leaves(&ours).contains(leaf) && leaves(&theirs).contains(leaf));
    let lost = both.filter(|leaf| !kept.contains(leaf));
    findings.extend(lost.map(|(key, value)| format!("`{key}: {value}` is missing")));
    findings
}

/// Returns the words of lines and of comments.
fn joined_words(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim_start_matches(['#', ' ']));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ")
}

/// Returns the scalars of properties with their top-level keys.
fn leaves(properties: &Map<String, Value>) -> BTreeSet<(String, String)> {
    fn collect(key: &str, value: &Value, into: &mut BTreeSet<(String, String)>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| collect(key, item, into)),
            Value::Object(map) => map.values().for_each(|item| collect(key, item, into)),
            one => {
                into.insert((key.to_owned(), one.to_string()));
            }
        }
    }
    let mut found = BTreeSet::new();
    for (key, value) in properties {
        let items = if value.is_string() {
            items(key, value)
        } else {
            vec![value.clone()]
        };
        for item in items {
            collect(key, &item, &mut found);
        }
    }
    found
}

/// Returns each line with its place: 0 outside a conflict, 1 in ours, 2 in theirs; `None` for markers.
fn places(text: &str) -> impl Iterator<Item = (&str, Option<usize>)> {
    let mut place = 0;
    text.lines().map(move |line| {
        let next = match place {
            0 if line.starts_with("<<<<<<< ") => 1,
            1 if line == "=======" => 2,
            2 if line.starts_with(">>>>>>> ") => 0,
            _ => return (line, Some(place)),
        };
        place = next;
        (line, None)
    })
}

/// Returns the lines between conflict markers.
fn marked_lines(text: &str) -> String {
    let marked = places(text).filter(|(_, place)| place.is_some_and(|place| place > 0));
    marked.flat_map(|(line, _)| [line, "\n"]).collect()
}

/// Returns a text with each conflict resolved to one side.
fn resolved(text: &str, is_theirs: bool) -> String {
    let other = if is_theirs { 1 } else { 2 };
    let kept = places(text).filter(|(_, place)| place.is_some_and(|place| place != other));
    kept.flat_map(|(line, _)| [line, "\n"]).collect()
}

/// Whether a code fence is not closed.
fn has_open_fence(body: &str) -> bool {
    let mut open: Option<(char, usize)> = None;
    for line in body.lines() {
        let unquoted = line.trim_start_matches(|c: char| c.is_whitespace() || c == '>');
        let line = unquoted.trim_start_matches(['-', '*', '+']).trim_start();
        let Some(mark) = line.chars().next().filter(|c| matches!(c, '`' | '~')) else {
            continue;
        };
        let length = line.len() - line.trim_start_matches(mark).len();
        let rest = &line[length..];
        open = match open {
            None if length >= 3 && !(mark == '`' && rest.contains('`')) => Some((mark, length)),
            Some((fence, least)) if mark == fence && length >= least && rest.trim().is_empty() => {
                None
            }
            open => open,
        };
    }
    open.is_some()
}
