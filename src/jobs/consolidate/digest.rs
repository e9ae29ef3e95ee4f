//! One text that says what several say, in their own sentences. Pure.
//!
//! A sentence stays unless another one has all of its words in their order, and before a sentence with `it`
//! or `they` the one that names it. What of all that the notes hold must not get lost is looked up in the
//! result: if something is missing, or the digest is no shorter, there is none.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;

use crate::note::english::{self, Content};
use crate::note::items::{Common, items};
use crate::note::sentences::{is_running_text, sentences};
use crate::note::tokens::each_word;

/// A digest of more than this share of the words of its sources saves nothing.
const SAVES: f64 = 0.9;

/// A note that goes into a digest.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) title: String,
    pub(super) body: String,
    /// How a link names it.
    pub(super) target: String,
}

#[derive(Debug)]
pub(super) struct Digest {
    pub(super) body: String,
    /// Words of the sources, and of the digest.
    pub(super) words: [usize; 2],
    /// Numbers, names, links and symbols that were looked up in it.
    pub(super) items: usize,
}

/// A sentence and what it says.
struct Sentence {
    source: usize,
    span: Range<usize>,
    /// Its words but for those that say nothing, as stems, with its items.
    says: BTreeSet<String>,
    /// These words in their order, as they are written but for case.
    words: Vec<String>,
    /// What turns around or limits what it says.
    limits: BTreeSet<String>,
    /// Whether it speaks of something that the sentence before it names.
    refers: bool,
}

impl Sentence {
    /// Returns true if this one can go because of `other`, which has all of its words in their order.
    fn is_said_by(&self, other: &Self) -> bool {
        let mut others = other.words.iter();
        let has_words = self.words.iter().all(|word| others.any(|one| one == word));
        has_words && self.limits == other.limits && self.says.is_subset(&other.says)
    }
}

/// Returns the digest of `sources`; none if they have other than running text, if it would lose something
/// or if it would save nothing.
pub(super) fn digest(sources: &[Source]) -> Option<Digest> {
    if !sources.iter().all(|source| is_running_text(&source.body)) {
        return None;
    }
    let mut common = Common::default();
    for source in sources {
        common.add(&source.body);
    }
    let all = read(sources, &common);
    let kept = chosen(&all);
    let text = |at: usize| {
        let Sentence { source, span, .. } = &all[at];
        let words = sources[*source].body[span.clone()].split_whitespace();
        words.collect::<Vec<_>>().join(" ")
    };
    let mut of_source = vec![Vec::new(); sources.len()];
    for at in kept {
        of_source[all[at].source].push(text(at));
    }
    let body = written(sources, &of_source);
    let before: usize = sources.iter().map(|source| count(&source.body)).sum();
    let after: usize = of_source
        .iter()
        .flatten()
        .map(|sentence| count(sentence))
        .sum();
    if before == 0 || after as f64 > before as f64 * SAVES {
        return None;
    }
    let there = items(&body, &common);
    let mut needed = BTreeSet::new();
    for source in sources {
        needed.extend(items(&source.body, &common));
        needed.extend(items(&source.title, &common));
    }
    needed.is_subset(&there).then_some(Digest {
        body,
        words: [before, after],
        items: needed.len(),
    })
}

fn count(text: &str) -> usize {
    text.split_whitespace().count()
}

fn read(sources: &[Source], common: &Common) -> Vec<Sentence> {
    let mut all = Vec::new();
    for (source, Source { body, .. }) in sources.iter().enumerate() {
        for span in sentences(body, 0..body.len()) {
            let text = &body[span.clone()];
            let items = items(text, common);
            let (mut says, mut limits) = (BTreeSet::new(), BTreeSet::new());
            let mut words = Vec::new();
            each_word(text, |word, _| match english::word(word).content {
                _ if english::is_negation(word) => drop(limits.insert(word.to_owned())),
                Content::Qualifies => drop(limits.insert(word.to_owned())),
                Content::Empty => {}
                Content::Full | Content::Light => {
                    words.push(word.to_owned());
                    says.insert(english::stem(word));
                }
            });
            says.extend(items);
            let mut refers = false;
            each_word(text, |word, _| refers |= english::refers_back(word));
            all.push(Sentence {
                source,
                span,
                says,
                words,
                limits,
                refers,
            });
        }
    }
    all
}

/// Returns the sentences that stay, ascending.
fn chosen(all: &[Sentence]) -> Vec<usize> {
    let goes = |at: usize| {
        let one = &all[at];
        all.iter().enumerate().any(|(other, by)| {
            let is_better = by.says.len() > one.says.len() || other < at;
            other != at && is_better && one.is_said_by(by)
        })
    };
    let kept: Vec<usize> = (0..all.len()).filter(|at| !goes(*at)).collect();
    // What a sentence refers to stays before it, although another note says it, too.
    let mut whole: Vec<usize> = Vec::new();
    for at in kept.into_iter().rev() {
        let mut at = at;
        while !whole.contains(&at) {
            whole.push(at);
            let has_before = at > 0 && all[at - 1].source == all[at].source;
            if !all[at].refers || !has_before {
                break;
            }
            at -= 1;
        }
    }
    whole.sort_unstable();
    whole
}

/// Returns the text: an item for each source, with a link to it.
fn written(sources: &[Source], kept: &[Vec<String>]) -> String {
    let link = |source: &Source| {
        let is_label = !source.title.is_empty() && !source.title.contains(['[', ']', '|', '\n']);
        if is_label && source.title != source.target {
            format!("[[{}|{}]]", source.target, source.title)
        } else {
            format!("[[{}]]", source.target)
        }
    };
    let mut text = String::new();
    for (source, sentences) in sources.iter().zip(kept) {
        if !sentences.is_empty() {
            let _ = writeln!(text, "- {} ({})", sentences.join(" "), link(source));
        }
    }
    let others = sources.iter().zip(kept).filter(|(_, kept)| kept.is_empty());
    let others: Vec<String> = others.map(|(source, _)| link(source)).collect();
    if !others.is_empty() {
        let _ = writeln!(text, "\nThe same: {}.", others.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bodies: &[&str]) -> Option<Digest> {
        let sources = bodies.iter().enumerate().map(|(at, body)| Source {
            title: String::new(),
            body: (*body).to_owned(),
            target: at.to_string(),
        });
        digest(&sources.collect::<Vec<_>>())
    }

    #[test]
    fn what_is_said_twice_is_said_once() {
        for (bodies, expected) in [
            (
                &[
                    "The port is 5432. It is open.",
                    "Port 5432. The host is db1.",
                ][..],
                Some("- The port is 5432. It is open. ([[0]])\n- The host is db1. ([[1]])\n"),
            ),
            (
                &["Ada sails.", "Ada sails."],
                Some("- Ada sails. ([[0]])\n\nThe same: [[1]].\n"),
            ),
            // Who it is stays before it.
            (
                &[
                    "Ada sails. She won in 2025.",
                    "Ada sails. Bob swims.",
                    "Bob swims. Ada sails.",
                ],
                Some(
                    "- Ada sails. She won in 2025. ([[0]])\n- Bob swims. ([[1]])\n\nThe same: [[2]].\n",
                ),
            ),
            // A denial and a limit say something else, another number and another subject, too.
            (&["The port is open.", "The port is not open."], None),
            (&["The port was open.", "The port is open."], None),
            (&["Backup costs 5 euro.", "Hosting costs 5 euro."], None),
            // What is no running text is not cut.
            (&["a\n\n| b |\n|---|\n| c |", "a"], None),
            (&["a\n\n```\nb\n```", "a"], None),
            (&["- [ ] a", "- [x] a"], None),
            // A heading would be lost with the name in it.
            (&["## Ada\n\nsails.", "sails."], None),
            (&["", ""], None),
        ] {
            let found = of(bodies).map(|digest| digest.body);
            assert_eq!(found.as_deref(), expected, "{bodies:?}");
        }
    }

    #[test]
    fn nothing_that_counts_is_lost() {
        let bodies = [
            "Ada met Bob on 2026-01-02 in [[Basel]]. Both talked for a long time about the weather.",
            "Ada met Bob on 2026-01-02 in [[Basel]]. Both talked about the weather for long. Lunch cost €40.",
            "Both talked about the long weather. Time passed.",
        ];
        let digest = of(&bodies).unwrap();
        for item in ["Ada", "Bob", "2026-01-02", "[[Basel]]", "€40"] {
            assert!(digest.body.contains(item), "{item}: {}", digest.body);
        }
        assert_eq!(digest.body.matches("2026-01-02").count(), 1);
        assert!(digest.words[1] < digest.words[0]);
    }
}
