//! Finds pairs of paragraphs in two notes where one contains the other. Either it has all its
//! sentences and more, or it is a different wording of it ([`is_restated`]). The second case
//! includes list items. The longer one is kept. Both are kept if they differ in a significant word,
//! a number, a name or a link.

use std::collections::{HashMap, HashSet};

use super::outline::MergeOutline;
use crate::note::markdown::sections::Block;
use crate::note::words::english;
use crate::note::words::wording::is_restated;
use crate::note::{BlockKind, spliced};

/// A paragraph or item with the headings above it.
type Paragraph<'a> = (&'a [String], &'a Block);

/// Minimum number of words for a match in the middle of a paragraph; shorter ones may match by
/// chance.
const MIN_WORDS_INSIDE: usize = 5;

/// Maximum number of candidates with a common sentence or word to compare.
const MAX_CANDIDATES: usize = 16;

/// Returns the text of `keeper` in which paragraphs of `other` replace those that they contain.
///
/// Returns `None` if no such paragraph exists.
pub(super) fn with_longer_paragraphs(
    keeper: &MergeOutline<'_>,
    other: &MergeOutline<'_>,
) -> Option<String> {
    let (short, long) = (
        missing_paragraphs(keeper, other),
        missing_paragraphs(other, keeper),
    );
    let mut pairs = containing_pairs(&short, &long);
    // Items stay in their lists, and equal wording gains nothing.
    pairs.retain(|(s, l)| {
        let [ours, theirs] = [short[*s].1, long[*l].1];
        ours.kind == BlockKind::Paragraph && words(&theirs.text) > words(&ours.text)
    });
    if pairs.is_empty() {
        return None;
    }
    let splices = pairs.iter().map(|(s, l)| {
        let theirs = &other.text[long[*l].1.span.clone()];
        (short[*s].1.span.clone(), theirs.to_owned())
    });
    let new = spliced(keeper.text, 0..keeper.text.len(), splices.collect());
    // The text around it must be parsed as before.
    let read = MergeOutline::of(&new, ["", ""]);
    let replaced: HashMap<usize, &str> = pairs
        .iter()
        .map(|(s, l)| (short[*s].1.span.start, long[*l].1.text.as_str()))
        .collect();
    let before = keeper.blocks().map(|(section, block)| {
        let text = replaced.get(&block.span.start).copied();
        (section, block.kind, text.unwrap_or(&block.text))
    });
    let after = read
        .blocks()
        .map(|(section, block)| (section, block.kind, block.text.as_str()));
    let is_same = before.eq(after) && keeper.sections.all.len() == read.sections.all.len();
    is_same.then_some(new)
}

/// Returns the start offsets of paragraphs of `other` that a paragraph of `keeper` contains.
pub(super) fn contained_paragraphs(
    keeper: &MergeOutline<'_>,
    other: &MergeOutline<'_>,
) -> HashSet<usize> {
    let (short, long) = (
        missing_paragraphs(other, keeper),
        missing_paragraphs(keeper, other),
    );
    let pairs = containing_pairs(&short, &long).into_iter();
    pairs
        .map(|(number, _)| short[number].1.span.start)
        .collect()
}

/// Returns the paragraphs and items of `one` that `other` has less often under the same headings.
fn missing_paragraphs<'a>(
    one: &'a MergeOutline<'_>,
    other: &MergeOutline<'_>,
) -> Vec<Paragraph<'a>> {
    let mut known = other.counts();
    let mut only = Vec::new();
    for (section, block) in one.blocks() {
        let key = one.key(section, block);
        match known.get_mut(&key) {
            Some(count @ 1..) => *count -= 1,
            _ if matches!(block.kind, BlockKind::Paragraph | BlockKind::Item) => {
                only.push((key.0, block));
            }
            _ => {}
        }
    }
    only
}

/// Returns pairs of a paragraph of `short` and one of `long` that contains it, each used once.
fn containing_pairs(short: &[Paragraph<'_>], long: &[Paragraph<'_>]) -> Vec<(usize, usize)> {
    let mut pairs = quoted_pairs(short, long);
    let mut is_paired = [vec![false; short.len()], vec![false; long.len()]];
    for (short, long) in &pairs {
        (is_paired[0][*short], is_paired[1][*long]) = (true, true);
    }
    // A paragraph with the same meaning contains its longest word.
    let mut having: HashMap<(&[String], String), Vec<usize>> = HashMap::new();
    for (number, (path, block)) in long.iter().enumerate() {
        let known: HashSet<String> = stems(&block.text).collect();
        for word in known {
            having.entry((path, word)).or_default().push(number);
        }
    }
    for (number, (path, block)) in short.iter().enumerate() {
        let longest = stems(&block.text).max_by_key(String::len);
        let found = longest.and_then(|word| having.get(&(*path, word)));
        let mut free = found
            .into_iter()
            .flatten()
            .copied()
            .filter(|it| !is_paired[1][*it])
            .take(MAX_CANDIDATES);
        let restated = free.find(|it| is_rewording(long[*it].1, block));
        if let (Some(longer), false) = (restated, is_paired[0][number]) {
            is_paired[1][longer] = true;
            pairs.push((number, longer));
        }
    }
    pairs
}

/// Whether `long` is a different wording of `short`.
///
/// False for blocks of several lines, where line breaks or nested items carry meaning.
fn is_rewording(long: &Block, short: &Block) -> bool {
    let is_plain = |block: &Block| !block.text.contains('\n');
    long.kind == short.kind
        && is_plain(long)
        && is_plain(short)
        && is_restated(&short.text, &long.text)
}

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

fn stems(text: &str) -> impl Iterator<Item = String> {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(|word| english::stem_keeping_past(&word.to_lowercase()))
}

/// Returns pairs of a paragraph of `short` and one of `long` with all its sentences, each used
/// once.
fn quoted_pairs(short: &[Paragraph<'_>], long: &[Paragraph<'_>]) -> Vec<(usize, usize)> {
    let sentences: Vec<Vec<&str>> = short.iter().map(|(_, block)| split(&block.text)).collect();
    let mut beginning: HashMap<(&[String], &str), Vec<usize>> = HashMap::new();
    let is_paragraph = |it: &(usize, &Paragraph<'_>)| it.1.1.kind == BlockKind::Paragraph;
    for (number, (path, _)) in short.iter().enumerate().filter(is_paragraph) {
        let with = beginning.entry((path, sentences[number][0])).or_default();
        with.push(number);
    }
    let mut is_paired = vec![false; short.len()];
    let mut pairs = Vec::new();
    for (longer, (path, block)) in long.iter().enumerate().filter(is_paragraph) {
        let all = split(&block.text);
        let found = (0..all.len()).find_map(|start| {
            let candidates = beginning.get(&(*path, all[start]))?.iter();
            let mut free = candidates
                .filter(|number| !is_paired[**number])
                .take(MAX_CANDIDATES);
            free.find(|number| contains_sentences(&sentences[**number], &all, start))
                .copied()
        });
        if let Some(number) = found {
            is_paired[number] = true;
            pairs.push((number, longer));
        }
    }
    pairs
}

/// Whether `long` contains all sentences of `short` in order, starting at `start`, and more.
fn contains_sentences(short: &[&str], long: &[&str], start: usize) -> bool {
    if short.len() == long.len() {
        return false;
    }
    if start == 0 && long.starts_with(short) {
        return true;
    }
    let mut rest = long[start..].iter();
    let words: usize = short.iter().map(|it| it.split_whitespace().count()).sum();
    words >= MIN_WORDS_INSIDE && short.iter().all(|sentence| rest.any(|it| it == sentence))
}

/// Returns the sentences of a paragraph without full stops; a hard line break starts a new one.
fn split(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let ends = c == '\n' || c == ' ' && matches!(before, '.' | '!' | '?' | '…');
        if ends {
            sentences.push(&text[start..at]);
            // The line break belongs to the sentence after it.
            start = at + usize::from(c == ' ');
        }
        before = c;
    }
    sentences.push(&text[start..]);
    let bare = |sentence: &&str| -> usize { sentence.len() - usize::from(sentence.ends_with('.')) };
    sentences
        .into_iter()
        .map(|sentence| &sentence[..bare(&sentence)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_replaces_the_one_it_contains() {
        for (name, keeper, other, expected) in [
            (
                "one sentence more",
                "# K\n\na b\n\nc\n",
                "a b. More.\n",
                Some("# K\n\na b. More.\n\nc\n"),
            ),
            (
                "as it is wrapped",
                "a\nb.\n",
                "a b.\nMore\n",
                Some("a b.\nMore\n"),
            ),
            ("half a sentence", "a b\n", "a b c. More.\n", None),
            ("a question", "a b?\n", "a b. More.\n", None),
            ("a line that breaks", "a.  \nb.\n", "a. b. c.\n", None),
            (
                "in the middle",
                "It rains in the night. So stay.\n",
                "Look. It rains in the night. Yes. So stay. Go.\n",
                Some("Look. It rains in the night. Yes. So stay. Go.\n"),
            ),
            (
                "in another order",
                "It rains in the night. So stay.\n",
                "So stay. It rains in the night. Go.\n",
                None,
            ),
            ("too little", "Yes.\n", "Do you? Yes.\n", None),
            (
                "under another heading",
                "## A\n\na b.\n",
                "## B\n\na b. More.\n",
                None,
            ),
            ("what it says already", "a.\n\na. b.\n", "a. b.\n", None),
            (
                "one for one",
                "a.\n\nb.\n",
                "a. b.\n",
                Some("a. b.\n\nb.\n"),
            ),
            (
                "a longer wording",
                "Key hangs in office\n",
                "The key is hanging in the office.\n",
                Some("The key is hanging in the office.\n"),
            ),
            (
                "insignificant words",
                "Key hangs in the office\n",
                "The key hangs in the office.\n",
                Some("The key hangs in the office.\n"),
            ),
            (
                "another word",
                "The key hangs in the office.\n",
                "The staging key hangs in the office.\n",
                None,
            ),
            (
                "a link",
                "The key hangs in the [[Office]].\n",
                "The key hangs there in the office.\n",
                None,
            ),
            (
                "said already",
                "The key hangs in the office.\n",
                "the key hangs in the office\n",
                None,
            ),
            ("an id of a block", "a. ^x\n", "a. b.\n", None),
            ("an item", "- a.\n", "- a. b.\n", None),
        ] {
            let ours = MergeOutline::of(keeper, ["K", "K"]);
            let theirs = MergeOutline::numbered_like(other, ["K", "K"], &ours);
            assert_eq!(
                with_longer_paragraphs(&ours, &theirs).as_deref(),
                expected,
                "{name}"
            );
        }
    }

    #[test]
    fn contained_paragraphs_are_found() {
        for (keeper, other, expected) in [
            ("a. b.\n", "a\n", Some(0)),
            ("a. b.\n", "c\n\na.\n\na.\n", Some(3)),
            ("a. b.\n", "a. b.\n\na.\n", None),
            ("The tea is hot.\n", "tea is hot\n", Some(0)),
            ("Tea is hot\n", "The tea is hot!\n", Some(0)),
            ("The tea is hot.\n", "tea is not hot\n", None),
            ("Ask Bob.\n", "ask bob\n", None),
            ("Ask May.\n", "Ask may.\n", None),
            ("Tea takes five minutes.\n", "Tea takes 5 minutes.\n", None),
            ("Tea is [[hot]].\n", "The tea is hot.\n", Some(0)),
            ("The tea is hot.\n", "Tea is [[hot]].\n", None),
            ("Tea is **hot**.\n", "The tea is hot.\n", None),
            ("- [ ] Buy the tea\n", "- [ ] buy tea.\n", Some(0)),
            ("- Buy the tea\n", "- Buy tea.\n", Some(0)),
            ("- [x] Buy the tea\n", "- [ ] Buy the tea.\n", None),
            ("- Buy the tea\n  - green\n", "- Buy tea.\n", None),
        ] {
            let ours = MergeOutline::of(keeper, ["K", "K"]);
            let theirs = MergeOutline::numbered_like(other, ["K", "K"], &ours);
            let found: Vec<usize> = contained_paragraphs(&ours, &theirs).into_iter().collect();
            assert_eq!(found, Vec::from_iter(expected), "{keeper:?} {other:?}");
        }
    }
}
