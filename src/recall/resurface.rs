//! Selects notes worth rereading without a query.

use std::f64::consts::LN_2;

use schemars::JsonSchema;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::cache::CacheError;
use crate::signals::fields::Signal;
use crate::view::{Entry, View};

/// Why a note is selected.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum SelectionReason {
    /// Written on this day some years ago.
    OnThisDay {
        years: i16,
    },
    /// Close to its forgetting threshold, on either side.
    Due {
        retrievability: f64,
    },
    Chance,
}

/// A selection method; see [`SelectionReason`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Criterion {
    Day,
    Due,
    Chance,
}

/// Maximum distance of the logarithm of the retrievability from that of the floor: from half to twice the
/// floor.
const MAX_LOG_DISTANCE: f64 = LN_2;

/// Returns at most `limit` of `entries`, alternating between `kinds`, each note once.
pub fn resurface(
    view: &View<'_>,
    entries: &[Entry],
    kinds: &[Criterion],
    limit: usize,
    seed: u64,
) -> Result<Vec<(Entry, SelectionReason)>, CacheError> {
    let mut lists = Vec::new();
    for kind in kinds {
        let list = match kind {
            Criterion::Day => on_this_day(view, entries),
            Criterion::Due => due(view, entries)?,
            Criterion::Chance => by_chance(entries, seed),
        };
        lists.push(list.into_iter());
    }
    let mut chosen: Vec<(Entry, SelectionReason)> = Vec::new();
    while chosen.len() < limit {
        let before = chosen.len();
        for list in &mut lists {
            let mut fresh = list.filter(|(at, _)| {
                chosen
                    .iter()
                    .all(|(known, _)| known.slot != entries[*at].slot)
            });
            let next = fresh.next();
            if let Some((at, reason)) = next.filter(|_| chosen.len() < limit) {
                chosen.push((entries[at].clone(), reason));
            }
        }
        if chosen.len() == before {
            break;
        }
    }
    Ok(chosen)
}

/// The most recent year first.
fn on_this_day(view: &View<'_>, entries: &[Entry]) -> Vec<(usize, SelectionReason)> {
    let today = view.now.date();
    let mut found: Vec<(i16, usize)> = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        // The date of a copied file does not make an anniversary.
        let Some(created) = entry.row.stated() else {
            continue;
        };
        // A date without a time is in UTC, regardless of the user's time zone.
        let is_day = entry.row.created % 86_400 == 0;
        let zone = if is_day {
            jiff::tz::TimeZone::UTC
        } else {
            view.now.time_zone().clone()
        };
        let day = created.to_zoned(zone).date();
        let years = today.year() - day.year();
        if years > 0 && (day.month(), day.day()) == (today.month(), today.day()) {
            found.push((years, at));
        }
    }
    found.sort_by(|a, b| (a.0, &entries[a.1].path).cmp(&(b.0, &entries[b.1].path)));
    let reason = |(years, at)| (at, SelectionReason::OnThisDay { years });
    found.into_iter().map(reason).collect()
}

/// Nearest to the floor first.
fn due(view: &View<'_>, entries: &[Entry]) -> Result<Vec<(usize, SelectionReason)>, CacheError> {
    let floor = view
        .signal_options()
        .lifecycle
        .min_retrievability
        .max(f64::MIN_POSITIVE);
    let usages = view.usages(entries)?;
    let measured = view.measured(entries, &usages, &[Signal::Retrievability])?;
    let mut found: Vec<(f64, usize, f64)> = Vec::new();
    for (at, values) in measured.iter().enumerate() {
        let distance = (values[0] / floor).ln().abs();
        if distance <= MAX_LOG_DISTANCE {
            found.push((distance, at, values[0]));
        }
    }
    found.sort_by(|a, b| {
        let by_distance = a.0.total_cmp(&b.0);
        by_distance.then_with(|| entries[a.1].path.cmp(&entries[b.1].path))
    });
    let reason = |(_, at, retrievability)| (at, SelectionReason::Due { retrievability });
    Ok(found.into_iter().map(reason).collect())
}

fn by_chance(entries: &[Entry], seed: u64) -> Vec<(usize, SelectionReason)> {
    let random_key = |at: &usize| xxh3_64_with_seed(entries[*at].path.as_str().as_bytes(), seed);
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(random_key);
    order
        .into_iter()
        .map(|at| (at, SelectionReason::Chance))
        .collect()
}
