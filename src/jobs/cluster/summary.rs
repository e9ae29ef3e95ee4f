//! Content of a summary: its notes and a sentence of each, quoted from the notes.

use std::fmt::Write as _;

use crate::jobs::fresh::plain;
use crate::jobs::prelude::*;
use crate::note::WordEffect;
use crate::note::markdown::sentences::{most_similar_sentence, sentences};

/// Maximum number of quoted notes.
const MAX_QUOTED_NOTES: usize = 12;
/// Maximum number of characters of a quote.
const MAX_QUOTE_CHARS: usize = 240;
/// Maximum number of words in a title.
const MAX_TITLE_WORDS: usize = 3;
/// Number of title candidates whose frequency in the vault is looked up.
const MAX_TITLE_CANDIDATES: usize = 12;
/// Weight of a word in a title, relative to a word in the text.
const TITLE_WORD_WEIGHT: usize = 2;

/// A note of a group.
#[derive(Debug)]
pub(super) struct ClusterMember<'e> {
    pub(super) entry: &'e Entry,
    title: String,
    kind: Option<String>,
    body: String,
}

impl<'e> ClusterMember<'e> {
    pub(super) fn of(view: &View<'_>, entry: &'e Entry, text: &str) -> Result<Self> {
        let details = view.details(entry.slot)?;
        Ok(Self {
            entry,
            kind: text_of(&details.properties(), "type"),
            title: details.title,
            body: text[split::split(text).body].to_owned(),
        })
    }
}

/// Returns a title: words that most `members` contain and few other notes, else the title of the central note,
/// which is the first.
pub(super) fn title(view: &View<'_>, members: &[ClusterMember<'_>]) -> Result<String> {
    // Weight and spellings by stem.
    let mut stems: HashMap<String, (usize, BTreeMap<String, usize>)> = HashMap::new();
    for member in members {
        let mut own: HashMap<String, (usize, BTreeMap<String, usize>)> = HashMap::new();
        for (text, weight) in [(&member.title, TITLE_WORD_WEIGHT), (&member.body, 1)] {
            each_word(text, |word, _| {
                let is_word = word.chars().count() > 2 && word.chars().all(char::is_alphabetic);
                if is_word && english::word(word).content == WordEffect::Full {
                    let (most, spellings) = own.entry(english::stem(word)).or_default();
                    *most = weight.max(*most);
                    *spellings.entry(word.to_owned()).or_default() += 1;
                }
            });
        }
        for (stem, (weight, spellings)) in own {
            let (notes, known) = stems.entry(stem).or_default();
            *notes += weight;
            for (spelling, count) in spellings {
                *known.entry(spelling).or_default() += count;
            }
        }
    }
    let mut words: Vec<(usize, String)> = stems
        .into_values()
        .filter(|(notes, _)| notes * 2 > members.len())
        .filter_map(|(notes, spellings)| {
            let most = spellings
                .into_iter()
                .max_by_key(|(word, count)| (*count, std::cmp::Reverse(word.clone())));
            Some((notes, most?.0))
        })
        .collect();
    words.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    words.truncate(MAX_TITLE_CANDIDATES);
    let mut ranked = Vec::new();
    for (notes, word) in words {
        let all = view.with_any(&[&word])?.len().max(1);
        ranked.push((notes as f64 / (all as f64 + 2.0).ln(), word));
    }
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let words: Vec<String> = ranked
        .into_iter()
        .take(MAX_TITLE_WORDS)
        .map(|(_, word)| word)
        .collect();
    if words.len() < 2 {
        let middle = members.first().map_or("", |member| member.title.as_str());
        return Ok(format!("Around {}", plain(middle, MAX_QUOTE_CHARS)));
    }
    let title = words.join(", ");
    let mut rest = title.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    Ok(first.chain(rest).collect())
}

/// Returns the lines of a summary of `members`; the first is the central note.
pub(super) fn lines(members: &[ClusterMember<'_>], title: &str, targets: &[String]) -> String {
    let mut lines = String::new();
    let mut quoted: Vec<usize> = (0..members.len().min(MAX_QUOTED_NOTES)).collect();
    quoted.sort_by_key(|at| {
        let entry = members[*at].entry;
        (entry.row.created, &entry.path)
    });
    for at in quoted {
        let _ = match quote(members, at, title) {
            Some(quote) => writeln!(lines, "- {quote} ([[{}]])", targets[at]),
            None => writeln!(lines, "- [[{}]]", targets[at]),
        };
    }
    if members.len() > MAX_QUOTED_NOTES {
        let _ = writeln!(lines, "\nAnd {} more.", members.len() - MAX_QUOTED_NOTES);
    }
    lines
}

/// Returns the descriptive properties, named as in AutoMem: the most frequent type, the number of notes, and the
/// days between the oldest and the newest. Type and days are `None` if no note has one.
pub(super) fn properties(members: &[ClusterMember<'_>]) -> [(&'static str, Option<Value>); 3] {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for kind in members.iter().filter_map(|member| member.kind.as_deref()) {
        *kinds.entry(kind).or_default() += 1;
    }
    let dominant = kinds
        .iter()
        .max_by_key(|(kind, count)| (**count, std::cmp::Reverse(**kind)));
    let dated = members.iter().filter_map(|member| {
        let row = &member.entry.row;
        row.stated().map(|_| row.created)
    });
    let span = dated
        .clone()
        .max()
        .zip(dated.min())
        .map(|(newest, oldest)| {
            let days = (newest - oldest) as f64 / DAY;
            match (days * 100.0).round() / 100.0 {
                whole if whole.fract() == 0.0 => Value::from(whole as i64),
                days => Value::from(days),
            }
        });
    [
        (
            "dominant_type",
            dominant.map(|(kind, _)| plain(kind, MAX_QUOTE_CHARS).into()),
        ),
        ("cluster_size", Some(members.len().into())),
        ("temporal_span_days", span),
    ]
}

/// Returns the sentence of a note that best represents the subject of the group.
fn quote(members: &[ClusterMember<'_>], at: usize, title: &str) -> Option<String> {
    let body = &members[at].body;
    let others = members.iter().enumerate().filter(|(other, _)| *other != at);
    let bodies = others.map(|(_, member)| member.body.as_str());
    let others: Vec<&str> = bodies.take(MAX_QUOTED_NOTES).collect();
    let sentences = sentences(body, 0..body.len());
    let sentence = most_similar_sentence(body, &sentences, title, &others.join("\n"))?;
    Some(plain(&body[sentence], MAX_QUOTE_CHARS)).filter(|quote| !quote.is_empty())
}
