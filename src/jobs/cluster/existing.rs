//! Existing summaries, and their assignment to groups.

use super::options::ClusterOptions;
use crate::jobs::prelude::*;
use crate::note::words::speaker;

/// Minimum Jaccard similarity of a summary's notes and a group.
const MIN_JACCARD: f64 = 0.5;

/// An existing summary.
#[derive(Debug)]
pub(super) struct ExistingSummary {
    pub(super) entry: Entry,
    /// The notes that it summarizes and that exist.
    pub(super) members: BTreeSet<Slot>,
    /// True if this job wrote it, not an agent or a person.
    pub(super) is_own: bool,
    /// True if it names a missing note.
    pub(super) has_missing_note: bool,
}

/// Returns the summaries of the vault, ordered by path.
pub(super) fn existing_summaries(view: &View<'_>) -> Result<Vec<ExistingSummary>> {
    let mut known = Vec::new();
    for entry in view.entries()? {
        if !entry.row.flags.has(Flags::DERIVED) {
            continue;
        }
        let details = view.details(entry.slot)?;
        let properties = details.properties();
        if !speaker::is_meta(&properties) {
            continue;
        }
        let (mut members, mut has_missing_note) = (BTreeSet::new(), false);
        let named = Some(Relation::Summarizes.name());
        let links = details.links.iter();
        for link in links.filter(|link| link.property.as_deref() == named) {
            match view.resolve(&entry.path, &link.target, link.markdown)? {
                Some(member) => drop(members.insert(member.slot)),
                None => has_missing_note = true,
            }
        }
        if !members.is_empty() || has_missing_note {
            known.push(ExistingSummary {
                entry,
                members,
                is_own: speaker::writer(&properties) == Some(ClusterOptions::NAME),
                has_missing_note,
            });
        }
    }
    Ok(known)
}

/// Assigns `known` summaries to `groups`, at most one each, by largest similarity first.
pub(super) fn match_groups(groups: &[Vec<Slot>], known: &[ExistingSummary]) -> Vec<Option<usize>> {
    let mut of: HashMap<Slot, Vec<usize>> = HashMap::new();
    for (at, one) in known.iter().enumerate() {
        for member in &one.members {
            of.entry(*member).or_default().push(at);
        }
    }
    let mut pairs = Vec::new();
    for (group, members) in groups.iter().enumerate() {
        let having = members.iter().filter_map(|member| of.get(member));
        let candidates: BTreeSet<usize> = having.flatten().copied().collect();
        for at in candidates {
            let one = &known[at].members;
            let shared = members.iter().filter(|slot| one.contains(slot)).count();
            let share = shared as f64 / (one.len() + members.len() - shared) as f64;
            if share >= MIN_JACCARD {
                pairs.push((share, at, group));
            }
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut matched = vec![None; groups.len()];
    let mut taken = HashSet::new();
    for (_, at, group) in pairs {
        if matched[group].is_none() && taken.insert(at) {
            matched[group] = Some(at);
        }
    }
    matched
}
