//! Computes the majority space among the neighbours of a note.
//!
//! Follows Ormah's `auto_cluster`: every edge is a vote in both directions, so two edges between the same notes
//! count twice. Ormah uses the spaces before the pass and breaks ties by order; here a tie assigns nothing.

use std::collections::BTreeMap;

use super::SpacesOptions;

/// A note in the vote.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SpaceMember {
    /// No space yet; it may get one, which counts in the same run if it `votes`.
    Open { is_voting: bool },
    /// It has this space.
    Of(String),
    /// No space, as intended by the author.
    Global,
}

impl SpaceMember {
    fn is_open(&self) -> bool {
        matches!(self, Self::Open { .. })
    }
}

/// A space assigned to a note.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Assignment {
    pub(super) space: String,
    /// Number of edges to notes of this space, and of all edges.
    pub(super) votes: usize,
    pub(super) total: usize,
}

/// Returns the space assigned to each open member, by position.
///
/// `edges` are pairs of positions in `members`.
pub(super) fn assign_spaces(
    members: &[SpaceMember],
    edges: &[(usize, usize)],
    options: &SpacesOptions,
) -> Vec<Option<Assignment>> {
    let mut neighbours = vec![Vec::new(); members.len()];
    for &(from, to) in edges {
        neighbours[from].push(to);
        neighbours[to].push(from);
    }
    let mut assignments: Vec<Option<Assignment>> = vec![None; members.len()];
    let mut passes = 0;
    while options.passes == 0 || passes < options.passes {
        let space = |at: &usize| match &members[*at] {
            SpaceMember::Of(space) => Some(space.as_str()),
            SpaceMember::Open { is_voting: true } => assignments[*at]
                .as_ref()
                .map(|assignment| assignment.space.as_str()),
            SpaceMember::Open { is_voting: false } | SpaceMember::Global => None,
        };
        let open =
            (0..members.len()).filter(|at| members[*at].is_open() && assignments[*at].is_none());
        let new: Vec<(usize, Assignment)> = open
            .filter_map(|at| {
                Some((
                    at,
                    winner(neighbours[at].iter().map(space), options.min_share)?,
                ))
            })
            .collect();
        if new.is_empty() {
            break;
        }
        for (at, winner) in new {
            assignments[at] = Some(winner);
        }
        passes += 1;
    }
    assignments
}

/// Returns the space with strictly the most votes and at least the share `min_share` of all.
fn winner<'a>(votes: impl Iterator<Item = Option<&'a str>>, min_share: f32) -> Option<Assignment> {
    let mut counts: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    let mut total = 0;
    for vote in votes {
        total += 1;
        if let Some(space) = vote {
            *counts
                .entry(space.to_lowercase())
                .or_default()
                .entry(space)
                .or_default() += 1;
        }
    }
    let votes_for = |spellings: &BTreeMap<&str, usize>| spellings.values().sum::<usize>();
    let votes = counts.values().map(votes_for).max()?;
    let mut best = counts
        .values()
        .filter(|spellings| votes_for(spellings) == votes);
    let spellings = best.next()?;
    if best.next().is_some() || (votes as f32) < min_share * total as f32 {
        return None;
    }
    // Use the most frequent spelling; ties go to the first in alphabetical order.
    let mut spelling = ("", 0);
    for (written, times) in spellings {
        if *times > spelling.1 {
            spelling = (*written, *times);
        }
    }
    Some(Assignment {
        space: spelling.0.to_owned(),
        votes,
        total,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde_json::Value;

    use super::*;
    use crate::jobs::find::NoteScope;

    const ORMAH: SpacesOptions = SpacesOptions {
        notes: NoteScope::All,
        min_share: 0.0,
        passes: 1,
    };

    fn member(space: &str) -> SpaceMember {
        match space {
            "" => SpaceMember::Open { is_voting: true },
            "?" => SpaceMember::Open { is_voting: false },
            "-" => SpaceMember::Global,
            space => SpaceMember::Of(space.to_owned()),
        }
    }

    #[test]
    fn majority_of_neighbours_wins() {
        for (members, edges, expected) in [
            // Both neighbours agree.
            ("a,a,", &[(0, 2), (2, 1)][..], ",,a"),
            // A tie, and a tie broken by a second edge.
            ("a,b,", &[(0, 2), (1, 2)], ",,"),
            ("a,b,", &[(0, 2), (1, 2), (2, 0)], ",,a"),
            // Half of all neighbours suffice, less does not.
            ("a,,", &[(0, 1), (1, 2)], ",a,a"),
            ("a,?,", &[(0, 1), (1, 2)], ",a,"),
            ("a,,,", &[(0, 1), (1, 2), (1, 3)], ",,,"),
            ("a,-,", &[(0, 2), (1, 2)], ",,a"),
            ("a,-,-,", &[(0, 3), (1, 3), (2, 3)], ",,,"),
            // A global note stays global, and nothing spreads across it.
            ("a,-,", &[(0, 1), (1, 2)], ",,"),
            // One space in two spellings.
            (
                "Tea,tea,Tea,b,b,",
                &[(0, 5), (1, 5), (2, 5), (3, 5), (4, 5)],
                ",,,,,Tea",
            ),
            (",", &[(0, 1)], ","),
            ("", &[], ""),
        ] {
            let members: Vec<SpaceMember> = members.split(',').map(member).collect();
            let assignments: Vec<String> =
                assign_spaces(&members, edges, &SpacesOptions::default())
                    .into_iter()
                    .map(|assignment| {
                        assignment.map_or(String::new(), |assignment| assignment.space)
                    })
                    .collect();
            assert_eq!(assignments.join(","), expected, "{members:?} {edges:?}");
        }
    }

    /// Expected values computed by Ormah's own code (fixtures/signals/README.txt).
    #[test]
    fn results_match_ormah() {
        let fixture: Value = serde_json::from_str(include_str!(
            "../../../fixtures/signals/ormah_auto_cluster.json"
        ))
        .unwrap();
        let cases = fixture["cases"].as_array().unwrap();
        assert!(cases.len() >= 40);
        for case in cases {
            let spaces = case["spaces"].as_object().unwrap();
            let names: HashMap<&str, usize> = spaces
                .keys()
                .enumerate()
                .map(|(at, name)| (name.as_str(), at))
                .collect();
            let members: Vec<SpaceMember> = spaces
                .values()
                .map(|space| member(space.as_str().unwrap()))
                .collect();
            let edges: Vec<(usize, usize)> = case["edges"]
                .as_array()
                .unwrap()
                .iter()
                .map(|edge| {
                    (
                        names[edge[0].as_str().unwrap()],
                        names[edge[1].as_str().unwrap()],
                    )
                })
                .collect();
            let ties = case["tie_order_dependent"].as_array().unwrap();
            let assignments = assign_spaces(&members, &edges, &ORMAH);
            for (name, at) in &names {
                if !ties.contains(&Value::from(*name)) && members[*at].is_open() {
                    let expected = case["expected_spaces"][name].as_str().unwrap();
                    let found = assignments[*at]
                        .as_ref()
                        .map_or("", |assignment| assignment.space.as_str());
                    assert_eq!(found, expected, "{name} of {case}");
                }
            }
        }
    }
}
