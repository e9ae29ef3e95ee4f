//! The changes that state a relation of two notes: one property of the note that says it.
//!
//! What `link` and `remember` state only holds a place: a `related_to` of theirs goes with the group
//! that says what the two really have to do with each other. One that a person wrote stays.
//!
//! Where the later note supersedes the earlier one, the same group ends the validity of that: it stays
//! as it is, and searches pass it over.

use jiff::Timestamp;
use serde_json::Value;

use super::GroupError;
use crate::cache::CacheError;
use crate::cache::row::{Flags, LinkTo};
use crate::finding::Finding;
use crate::finding::plan::{Change, Edge, Group};
use crate::finding::question::{Answer, Kind};
use crate::journal::provenance::Origin;
use crate::note::edit::Edit;
use crate::note::path::VaultPath;
use crate::note::relation::Relation;
use crate::note::{self, Note};
use crate::view::{Entry, View};

/// Returns the group that states what `answer` says of the two notes of `finding`.
pub(super) fn group(
    view: &View<'_>,
    finding: &Finding,
    answer: Answer,
) -> Result<Group, GroupError> {
    let proposed = finding.relation.unwrap_or(Relation::RelatedTo);
    let (relation, turned) = match answer {
        Answer::Yes | Answer::No => (proposed, false),
        Answer::Is(relation) => (relation, false),
        Answer::Inverse(relation) => (relation, true),
    };
    let [first, second] = [0, 1].map(|at| &finding.notes[at]);
    let (from, to) = if turned {
        (second, first)
    } else {
        (first, second)
    };
    let [from, to] = [at(view, from)?, at(view, to)?];
    let text = view.text(&from)?;
    let note = note::read(&text, from.path.stem());
    let link = Value::from(format!("[[{}]]", view.wikilink_target(&to)?));
    let mut edits = vec![stating(&from.path, &note, relation, link)?];
    let mut theirs = Vec::new();
    if relation != Relation::RelatedTo {
        edits.extend(without_provisional(view, (&from, &note), &to)?);
        theirs = unsaying(view, &to, &from)?;
    }
    if finding.supersedes && relation == Relation::EvolvedFrom {
        theirs.extend(ending(view, &to, &from));
    }
    let also = (!theirs.is_empty()).then(|| Change::Edit {
        path: to.path.clone(),
        base: to.row.content,
        edits: theirs,
    });
    let title = if answer == Answer::Yes {
        finding.title()
    } else {
        format!("say that {} is {} {}", from.path, relation, to.path)
    };
    Ok(Group {
        title,
        reason: finding.reason.clone(),
        question: Some(finding.key),
        changes: [Change::Edit {
            path: from.path.clone(),
            base: from.row.content,
            edits,
        }]
        .into_iter()
        .chain(also)
        .collect(),
        edges: vec![Edge {
            from: from.path,
            relation,
            to: to.path,
            weight: weight(finding, relation),
        }],
    })
}

/// Returns how strong an edge is: of a link, how near the two are; else what the relation weighs.
fn weight(finding: &Finding, relation: Relation) -> f32 {
    if relation == Relation::RelatedTo {
        finding.weight
    } else {
        relation.weight()
    }
}

/// Returns the edit that ends the validity of `older` where `newer` begins; none if it ends before, if
/// its front matter cannot be read or if nothing may end it.
fn ending(view: &View<'_>, older: &Entry, newer: &Entry) -> Option<Edit> {
    let flags = older.row.flags;
    if flags.has(Flags::KEEP) || flags.has(Flags::UNREADABLE) {
        return None;
    }
    let begins = if newer.row.flags.has(Flags::UNDATED) {
        view.now.timestamp()
    } else {
        Timestamp::from_second(newer.row.created).ok()?
    };
    (older.row.expires > begins.as_second()).then(|| Edit::Set {
        key: "valid_until".into(),
        value: begins.strftime("%Y-%m-%dT%H:%M:%SZ").to_string().into(),
    })
}

/// Returns the edits that take away what `from` says of `to` for want of anything better.
fn unsaying(view: &View<'_>, from: &Entry, to: &Entry) -> Result<Vec<Edit>, GroupError> {
    if !is_provisional(view, from, to)? {
        return Ok(Vec::new());
    }
    let text = view.text(from)?;
    let note = note::read(&text, from.path.stem());
    without_provisional(view, (from, &note), to)
}

/// Returns the edits that take away what a note says of `to` for want of anything better.
fn without_provisional(
    view: &View<'_>,
    (from, note): (&Entry, &Note),
    to: &Entry,
) -> Result<Vec<Edit>, GroupError> {
    // A note whose front matter cannot be read is never written.
    if note.problem.is_some() || !is_provisional(view, from, to)? {
        return Ok(Vec::new());
    }
    let key = Relation::RelatedTo.name();
    let Some(property) = note.properties.get(key) else {
        return Ok(Vec::new());
    };
    let leads_there = |value: &Value| -> Result<bool, CacheError> {
        let Some(target) = value.as_str().and_then(target_of) else {
            return Ok(false);
        };
        let target = view.resolve(&from.path, target, false)?;
        Ok(target.is_some_and(|target| target.slot == to.slot))
    };
    let mut edits = Vec::new();
    match property {
        Value::Array(items) => {
            for item in items {
                if leads_there(item)? {
                    edits.push(Edit::Remove {
                        key: key.into(),
                        value: item.clone(),
                    });
                }
            }
        }
        one if leads_there(one)? => edits.push(Edit::Unset { key: key.into() }),
        _ => {}
    }
    Ok(edits)
}

fn is_provisional(view: &View<'_>, from: &Entry, to: &Entry) -> Result<bool, CacheError> {
    let provenance = view.provenance()?;
    let origin = provenance.origin(from.end(), Relation::RelatedTo, to.end());
    Ok(origin.is_some_and(Origin::is_provisional))
}

/// Returns what a text that is one whole wikilink names.
fn target_of(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix("[[")?.strip_suffix("]]")?;
    inner.split(['|', '#']).next().map(str::trim)
}

/// Returns true if the notes of `finding` are joined by what it would state, or by what makes it
/// needless: for a conflict one of the two relations that settle it, for a mention a link of the note
/// that mentions, else any link.
pub(super) fn is_joined(view: &View<'_>, finding: &Finding) -> Result<bool, CacheError> {
    let notes = [view.at(&finding.notes[0])?, view.at(&finding.notes[1])?];
    let [Some(first), Some(second)] = notes else {
        return Ok(false);
    };
    let settles = |link: &LinkTo| {
        finding.kind() != Kind::Conflict
            || matches!(
                link.property.as_deref().and_then(Relation::named),
                Some(Relation::EvolvedFrom | Relation::Contradicts)
            )
    };
    let ways = [(&first, &second), (&second, &first)];
    let ways = match finding.kind() {
        Kind::Mention => &ways[..1],
        Kind::Merge | Kind::Conflict | Kind::Link => &ways[..],
    };
    for (from, to) in ways.iter().copied() {
        for link in view
            .details(from.slot)?
            .links
            .iter()
            .filter(|link| settles(link))
        {
            let target = view.resolve(&from.path, &link.target, link.markdown)?;
            if target.is_some_and(|target| target.slot == to.slot) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn at(view: &View<'_>, path: &VaultPath) -> Result<Entry, GroupError> {
    view.at(path)?.ok_or_else(|| GroupError::Gone(path.clone()))
}

/// Returns the edit that adds `link` to what the note states as `relation`.
fn stating(
    path: &VaultPath,
    note: &Note,
    relation: Relation,
    link: Value,
) -> Result<Edit, GroupError> {
    let key = relation.name();
    let is_free = match note.properties.get(key) {
        None | Some(Value::Null) => true,
        Some(Value::Array(items)) => items.iter().all(is_link),
        Some(one) => is_link(one),
    };
    // Appended, so that several groups of one run can each add theirs.
    if is_free {
        Ok(Edit::Append {
            key: key.into(),
            value: link,
        })
    } else {
        Err(GroupError::Taken {
            note: path.clone(),
            relation,
        })
    }
}

fn is_link(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| text.trim().starts_with("[[") && text.trim().ends_with("]]"))
}
