//! Replaces superseded notes by their successors.

use std::collections::HashSet;

use super::filters::Filters;
use super::outdated::OutdatedReason;
use super::ranking::RankedHit;
use super::semantic::SemanticQuery;
use crate::cache::CacheError;
use crate::cache::row::{Flags, Slot};
use crate::note::front_matter::relation::Relation;
use crate::signals::tier::Tier;
use crate::view::{Entry, View};

/// Maximum number of replacements to follow.
const MAX_HOPS: usize = 5;

/// Replaces each superseded note by the head of its chain, if it passes the filters, else marks it, without duplicates.
/// A note whose successor is forgotten is dropped, since it is invalid too.
pub(super) fn with_heads(
    view: &View<'_>,
    filters: &Filters<'_>,
    semantic: Option<&SemanticQuery<'_>>,
    ranked: Vec<RankedHit>,
) -> Result<Vec<RankedHit>, CacheError> {
    let mut shown = HashSet::new();
    let mut kept = Vec::with_capacity(ranked.len());
    for mut candidate in ranked {
        if let Some((head, older)) = head(view, filters, &candidate.entry)? {
            let passage = semantic.map(|semantic| semantic.nearest_passage(view, head.slot));
            let near = passage.transpose()?.flatten();
            candidate.cosine = near.map(|near| near.cosine);
            candidate.passage = near.map(|near| near.passage);
            (candidate.entry, candidate.replaces) = (head, Some(older.path));
        }
        // Its successor does not meet the conditions of the query.
        if let Some(newer) = view.replaced_now(&candidate.entry)? {
            if newer.row.flags.tier() == Tier::Forgotten {
                continue;
            }
            candidate.outdated = Some(OutdatedReason::NewerStatement {
                newer: newer.path,
                question: None,
            });
        }
        if shown.insert(candidate.entry.slot) {
            kept.push(candidate);
        }
    }
    Ok(kept)
}

/// Marks summaries and digests that may quote what is not valid any more.
pub(super) fn mark_quotes(view: &View<'_>, ranked: &mut [RankedHit]) -> Result<(), CacheError> {
    for candidate in ranked {
        if candidate.outdated.is_none() && candidate.entry.row.flags.has(Flags::DERIVED) {
            candidate.outdated = outdated_source(view, &candidate.entry)?;
        }
    }
    Ok(())
}

/// Returns why a summary or digest may quote what is not valid any more.
fn outdated_source(view: &View<'_>, entry: &Entry) -> Result<Option<OutdatedReason>, CacheError> {
    let now = view.now.timestamp().as_second();
    let [summarizes, derived_from] =
        [Relation::Summarizes, Relation::DerivedFrom].map(Relation::name);
    for link in view.details(entry.slot)?.links {
        let Some(property) = link.property.as_deref() else {
            continue;
        };
        if property != summarizes && property != derived_from {
            continue;
        }
        let Some(source) = view.resolve(&entry.path, &link.target, link.markdown)? else {
            if property == summarizes {
                return Ok(Some(OutdatedReason::SourceEnded(link.target)));
            }
            continue;
        };
        for newer in view.related_to(&source, Relation::EvolvedFrom.name())? {
            if newer.slot != entry.slot && !view.is_upcoming(&newer)? {
                let (newer, question) = (newer.path, None);
                return Ok(Some(OutdatedReason::NewerStatement { newer, question }));
            }
        }
        // A digest may end its sources as of its own date.
        if source.row.expires <= now && source.row.expires != entry.row.created {
            return Ok(Some(OutdatedReason::SourceEnded(source.path.to_string())));
        }
    }
    Ok(None)
}

/// Returns the head of the chain of `entry`, and the note that the head replaced.
pub(super) fn head(
    view: &View<'_>,
    filters: &Filters<'_>,
    entry: &Entry,
) -> Result<Option<(Entry, Entry)>, CacheError> {
    let mut passed: HashSet<Slot> = HashSet::from([entry.slot]);
    let mut head: Option<(Entry, Entry)> = None;
    for _ in 0..MAX_HOPS {
        let from = head.as_ref().map_or(entry, |(head, _)| head).clone();
        let mut newer = None;
        for note in view.related_to(&from, Relation::EvolvedFrom.name())? {
            if !passed.contains(&note.slot) && filters.admits(note.slot)? {
                newer = Some(note);
                break;
            }
        }
        let Some(newer) = newer else { break };
        passed.insert(newer.slot);
        head = Some((newer, from));
    }
    Ok(head)
}
