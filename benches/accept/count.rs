//! Counts links in plain text, ignoring code spans, and compares them with the permitted changes of
//! acts.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use mem::change::file_op::{CompiledGroup, FileOp, FileWrite};
use mem::finding::act::Act;
use mem::note::path::VaultPath;
use regex::Regex;

/// A link: everything except its target, and its target.
pub(crate) type RawLink = (String, String);

static LINK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?x) (!?) \[\[ ([^\[\]|\#\n]*?) ( (?: \# [^\[\]|\n]*? )? (?: \\?\| [^\n]*? )? ) \]\]
        | (!?\[ [^\[\]]* \] \( <?) ([^()<>\#\s]*) ( (?:\#[^\s()]*)? >? (?:\s+"[^"]*")? \) )
        | ^\s*(\[[^\[\]^]+\]:\s) (\S[^\n]*)
        | (!?\[[^\[\]]+\]\[[^\[\]]*\])
        | (https?://[^\s<>\[\]"']+)"#,
    )
    .expect("a valid pattern")
});

static BLOCK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?s)<!-- mem .*?<!-- /mem.*?-->").expect("a valid pattern"));

/// Returns everything that looks like a link in front matter and body, except in generated blocks.
pub(crate) fn links(text: &str) -> Vec<RawLink> {
    let text = BLOCK.replace_all(text, "");
    let mut links = Vec::new();
    for line in text.lines() {
        for found in LINK.captures_iter(line) {
            let part = |at: usize| found.get(at).map_or("", |part| part.as_str());
            let shape = [1, 3, 4, 6, 7, 9, 10].map(part).join("|");
            links.push((shape, [2, 5, 8].map(part).concat()));
        }
    }
    links
}

/// Returns the elements that `all` contains more often than `others`.
fn surplus<'l>(all: &'l [RawLink], others: &[RawLink]) -> Vec<&'l RawLink> {
    let mut counts: BTreeMap<&RawLink, usize> = BTreeMap::new();
    for link in others {
        *counts.entry(link).or_default() += 1;
    }
    let is_more = |link: &&RawLink| match counts.get_mut(*link) {
        Some(count @ 1..) => {
            *count -= 1;
            false
        }
        _ => true,
    };
    all.iter().filter(is_more).collect()
}

/// Returns the last component of a target, as text.
fn stem(target: &str) -> String {
    let plain = target.trim_matches(['<', '>']).replace("%20", " ");
    let plain = plain.replace("%28", "(").replace("%29", ")");
    let name = plain.rsplit('/').next().unwrap_or_default();
    name.trim_end_matches(".md")
        .trim_end_matches('\\')
        .to_lowercase()
}

/// Names whose links acts change.
struct PermittedChanges {
    merged: Vec<VaultPath>,
    names: Vec<String>,
    made: usize,
    /// Whether acts change properties.
    in_properties: bool,
}

impl PermittedChanges {
    fn by(acts: &[Act]) -> Self {
        let mut changed = Self {
            merged: Vec::new(),
            names: Vec::new(),
            made: 0,
            in_properties: false,
        };
        for act in acts {
            match act {
                Act::Merge { keeper, others, .. } => {
                    changed
                        .merged
                        .extend(others.iter().chain([keeper]).cloned());
                }
                Act::Move { note, to } => {
                    changed
                        .names
                        .extend([note, to].map(|path| stem(path.as_str())));
                }
                Act::LinkMention { .. } => changed.made += 1,
                Act::Relate { .. } => {
                    changed.made += 1;
                    changed.in_properties = true;
                }
                Act::Edit { .. } | Act::Resolve { .. } => changed.in_properties = true,
                Act::Refresh { .. } | Act::Create { .. } | Act::Trash { .. } => {}
            }
        }
        let merged = changed.merged.iter().map(|path| stem(path.as_str()));
        changed.names.extend(merged);
        changed
    }
}

/// Effect of a group on the links of its notes.
#[derive(Default)]
pub(crate) struct LinkCount {
    pub(crate) notes: usize,
    pub(crate) links: usize,
    /// Differences that no act explains.
    pub(crate) unexplained: Vec<String>,
}

/// Counts the links of every note that `group` writes for `acts`.
pub(crate) fn count(acts: &[Act], group: &CompiledGroup) -> LinkCount {
    let changed = PermittedChanges::by(acts);
    let mut count = LinkCount::default();
    let text = |text: &Option<std::sync::Arc<str>>| text.clone().unwrap_or_else(|| "".into());
    for write in &group.writes {
        let before = links(&text(&write.before));
        match &write.op {
            FileOp::Edit => {
                let after = links(&text(&write.after));
                count.notes += 1;
                count.links += before.len();
                let found = unexplained(&changed, write, &before, &after);
                count.unexplained.extend(found);
            }
            FileOp::Trash {
                keeper: Some(keeper),
                ..
            } => {
                count.notes += 1;
                count.links += before.len();
                let kept = group.writes.iter().find(|other| other.path == *keeper);
                // A keeper that already contains everything is not written.
                if let Some(kept) = kept {
                    let after: Vec<_> = links(&text(&kept.after)).into_iter().map(named).collect();
                    let before: Vec<_> = before.into_iter().map(named).collect();
                    let lost = surplus(&before, &after);
                    let lost = lost.iter().filter(|link| !changed.names.contains(&link.1));
                    count.unexplained.extend(lost.map(|link| {
                        format!("{} in {keeper}: not taken over: {link:?}", write.path)
                    }));
                }
            }
            _ => {}
        }
    }
    count
}

static PART: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"\#([^|)>"\\]*)"#).expect("a valid pattern"));

/// Whether two links differ only in the path to one heading, its number, or the omission of a title.
fn is_same_heading(shape: &str, other: &str) -> bool {
    let name = |shape: &str| {
        let part = PART.captures(shape).map(|found| found[1].to_lowercase());
        let last = part.as_deref().and_then(|part| part.rsplit('#').next());
        let last = last.unwrap_or_default().replace("%20", " ");
        last.trim_end_matches(|c: char| c.is_ascii_digit())
            .trim_end_matches('-')
            .to_owned()
    };
    let [new, old] = [other, shape].map(name);
    let rest = |shape: &str| PART.replace(shape, "").into_owned();
    rest(shape) == rest(other) && (new == old || new.is_empty())
}

/// Returns a link with only the last component of its target.
fn named((shape, target): RawLink) -> RawLink {
    (shape, stem(&target))
}

fn unexplained(
    changed: &PermittedChanges,
    write: &FileWrite,
    before: &[RawLink],
    after: &[RawLink],
) -> Vec<String> {
    let lost = surplus(before, after);
    let mut new = surplus(after, before);
    let is_keeper = changed.merged.contains(&write.path);
    let mut found = Vec::new();
    for link in lost {
        let name = stem(&link.1);
        let same = new.iter().position(|other| {
            let other_name = stem(&other.1);
            let is_same_shape = other.0 == link.0
                || !changed.merged.is_empty() && is_same_heading(&link.0, &other.0);
            is_same_shape
                && (other_name == name || changed.names.contains(&other_name))
                && !changed.names.is_empty()
        });
        if let Some(at) = same {
            new.remove(at);
        } else if !(changed.in_properties || is_keeper && changed.names.contains(&name)) {
            found.push(format!("{}: lost {link:?}", write.path));
        }
    }
    if !is_keeper && !changed.in_properties && new.len() > changed.made {
        found.push(format!("{}: new {new:?}", write.path));
    }
    // A relation is a property and leaves the body unchanged.
    if changed.in_properties && changed.merged.is_empty() {
        let body = |text: &Option<std::sync::Arc<str>>| {
            let text = text.as_deref().unwrap_or_default();
            text[mem::note::front_matter::split::split(text).body].to_owned()
        };
        if body(&write.before) != body(&write.after) {
            found.push(format!("{}: a property changed the body", write.path));
        }
    }
    found
}
