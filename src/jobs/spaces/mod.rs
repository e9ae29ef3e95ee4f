//! `spaces`: assigns the space of most neighbours to notes without one.
//!
//! | condition | result |
//! |---|---|
//! | a managed note has no `space` (by setting also a person's), and enough of the linked notes, in either direction, share one | it gets that space: certain |
//! | two spaces tie | nothing |
//! | `space_locked: true`, `space: global`, or an empty `space:` | intended by the author: nothing |
//!
//! Ormah counts only neighbours that have a space, so one note passes its space to everything reachable, a link
//! per hour. Here neighbours without one also count ([`SpacesOptions::min_share`]). Spaces that follow from other
//! assignments are assigned in the same run. A person's note votes only once it has a space.

mod options;
mod votes;

use self::votes::{Assignment, SpaceMember, assign_spaces};

use crate::jobs::prelude::*;
pub use options::SpacesOptions;

use crate::note::front_matter::property::{is_true, property};
use crate::view::EdgeFilter;
use crate::view::graph::Graph;

/// Job table entry.
pub static JOB: Job = Job {
    name: SpacesOptions::NAME,
    aliases: &["auto_cluster"],
    about: "Give notes the space of their neighbours",
    help: include_str!("help.txt"),
    looks: ("note", "checked"),
    done: "given a space",
    nothing: "nothing to assign",
    every: Interval::days(1),
    every_about: "how often `mem sleep` runs spaces",
    kinds: &[QuestionKind::Space],
    options: job::JobOptions::of::<SpacesOptions>(),
};

impl Find for SpacesOptions {
    fn find(&self, view: &View<'_>, answers: &Answers, seeds: &Seeds) -> Result<Findings> {
        if !view.reading().meta()?.properties.contains_key(SPACE) {
            return Ok(Findings::default());
        }
        let graph = view.graph(&EdgeFilter::default())?;
        let reachable = reachable(&graph, seeds);
        let mut findings = Findings::default();
        for (at, assignment) in assignments(view, &graph, self)?.into_iter().enumerate() {
            if let Some(assignment) = assignment.filter(|_| reachable[at]) {
                let finding = finding(view, &graph.nodes[at].entry, &assignment)?;
                if answers.get(finding.key) != Some(Answer::No) {
                    findings.found.push(finding);
                }
            }
        }
        findings.compared = reachable.iter().filter(|reachable| **reachable).count();
        Ok(findings)
    }

    /// Returns true if the neighbours no longer give the note this space.
    fn is_outdated(&self, view: &View<'_>, finding: &Finding) -> Result<bool> {
        let Some(entry) = view.at(&finding.notes[0])? else {
            return Ok(true);
        };
        let graph = view.neighbourhood(&entry, 1, &EdgeFilter::default())?;
        let assignment = assignments(view, &graph, self)?.swap_remove(0);
        Ok(
            !matches!(assignment, Some(assignment) if key(view, &entry, &assignment.space)? == finding.key),
        )
    }

    fn notes(&self) -> NoteScope {
        self.notes
    }
}

/// Name of the property.
const SPACE: &str = "space";

/// Returns the assigned space of each note of `graph`.
fn assignments(
    view: &View<'_>,
    graph: &Graph,
    options: &SpacesOptions,
) -> Result<Vec<Option<Assignment>>> {
    let nodes = graph.nodes.iter();
    let members: Vec<SpaceMember> = nodes
        .map(|node| member(view, &node.entry, options.notes))
        .collect::<Result<_, _>>()?;
    // Summaries do not characterise their sources, and empty notes and templates have no content.
    let has_content = |at: usize| {
        let entry = &graph.nodes[at].entry;
        let is_empty = entry.row.words == 0 || is_in_templates_folder(entry.path.as_str());
        !is_derived(entry) && !is_empty
    };
    let edges: Vec<_> = graph
        .edges
        .iter()
        .map(|edge| (edge.from, edge.to))
        .filter(|(from, to)| has_content(*from) && has_content(*to))
        .collect();
    Ok(assign_spaces(&members, &edges, options))
}

fn is_derived(note: &Entry) -> bool {
    note.row.flags.has(Flags::DERIVED)
}

fn member(view: &View<'_>, note: &Entry, notes: NoteScope) -> Result<SpaceMember> {
    let flags = note.row.flags;
    if flags.tier() == Tier::Forgotten || flags.has(Flags::UNREADABLE) || is_derived(note) {
        return Ok(SpaceMember::Global);
    }
    let properties = view.details(note.slot)?.properties();
    let is_locked = property(&properties, "space_locked").is_some_and(is_true);
    Ok(match text_of(&properties, SPACE) {
        Some(space) if space.eq_ignore_ascii_case("global") => SpaceMember::Global,
        Some(space) if !space.is_empty() => SpaceMember::Of(space),
        _ if is_locked || property(&properties, SPACE).is_some() => SpaceMember::Global,
        _ if note.is_managed() => SpaceMember::Open { is_voting: true },
        _ if notes == NoteScope::All => SpaceMember::Open { is_voting: false },
        _ => SpaceMember::Global,
    })
}

/// Returns which notes of `graph` are seeds or connected to one.
fn reachable(graph: &Graph, seeds: &Seeds) -> Vec<bool> {
    let seeds = graph.nodes.iter().map(|node| seeds.has(node.entry.slot));
    let mut reachable: Vec<bool> = seeds.collect();
    loop {
        let before = reachable.iter().filter(|reachable| **reachable).count();
        for edge in &graph.edges {
            let either = reachable[edge.from] || reachable[edge.to];
            (reachable[edge.from], reachable[edge.to]) = (either, either);
        }
        if reachable.iter().filter(|reachable| **reachable).count() == before {
            return reachable;
        }
    }
}

/// Returns the key of the question whether a note belongs to `space`.
fn key(view: &View<'_>, note: &Entry, space: &str) -> Result<QuestionKey> {
    let space = xxh3_64(space.to_lowercase().as_bytes());
    Ok(QuestionKey::new(
        QuestionKind::Space,
        &[view.content_key(note)?, space],
    ))
}

fn finding(view: &View<'_>, note: &Entry, assignment: &Assignment) -> Result<Finding> {
    let Assignment {
        space,
        votes,
        total,
    } = assignment;
    let reason = match (votes, total) {
        (1, 1) => format!("its only link is with a note of {space}"),
        (1, _) => format!("1 of its {total} links is with a note of {space}"),
        _ => format!("{votes} of its {total} links are with notes of {space}"),
    };
    let act = Act::edit(&note.path, vec![Edit::set(SPACE, space.as_str())]);
    // A smoothed share: one neighbour is weaker evidence than ten.
    let weight = (*votes as f32 + 1.0) / (*total as f32 + 2.0);
    let key = key(view, note, space)?;
    Ok(Finding {
        certain: true,
        ..Finding::new(key, vec![note.path.clone()], vec![act], weight, reason)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::tests::IndexedVault;

    fn note(properties: &str, body: &str) -> String {
        format!("---\n{properties}---\n{body}\n")
    }

    fn found(scene: &IndexedVault, seeds: &Seeds, options: &SpacesOptions) -> Vec<String> {
        let view = scene.view(false);
        let findings = options.find(&view, &Answers::default(), seeds).unwrap();
        let found = findings.found.iter();
        found
            .map(|finding| format!("{}: {}", finding.title(), finding.reason))
            .collect()
    }

    fn all() -> SpacesOptions {
        SpacesOptions {
            notes: NoteScope::All,
            ..SpacesOptions::default()
        }
    }

    fn garden() -> IndexedVault {
        IndexedVault::new([
            ("Beds.md", note("space: Garden\n", "Four of them.")),
            ("Peas.md", note("space: garden\n", "In [[Beds]].")),
            ("Soil.md", note("", "For [[Beds]] and [[Peas]].")),
            ("Worms.md", note("", "Live in [[Soil]].")),
            ("Locked.md", note("space_locked: true\n", "[[Beds]]")),
            ("Empty.md", note("space:\n", "[[Beds]]")),
            ("Global.md", note("space: global\n", "[[Beds]]")),
            ("Gone.md", note("tier: forgotten\n", "[[Beds]]")),
            ("Alone.md", note("", "No link.")),
        ])
    }

    #[test]
    fn note_gets_the_space_of_its_neighbours() {
        let scene = garden();
        let soil = "set space of Soil.md to Garden: 2 of its 3 links are with notes of Garden";
        assert_eq!(found(&scene, &Seeds::All, &all()), [soil]);
        // Notes that are not connected to a seed are ignored.
        let slot = |path: &str| {
            let path = crate::note::path::VaultPath::new(path).unwrap();
            scene.view(false).at(&path).unwrap().unwrap().slot
        };
        for (seed, expected) in [("Peas.md", &[soil][..]), ("Alone.md", &[])] {
            let seeds = Seeds::Of([slot(seed)].into());
            assert_eq!(found(&scene, &seeds, &all()), expected);
        }
        for options in [
            SpacesOptions {
                min_share: 1.0,
                ..all()
            },
            // All notes here were written by a person.
            SpacesOptions::default(),
        ] {
            assert!(
                found(&scene, &Seeds::All, &options).is_empty(),
                "{options:?}"
            );
        }
    }

    #[test]
    fn finding_is_outdated_when_neighbours_change() {
        let scene = garden();
        let find = |scene: &IndexedVault| {
            let findings = all().find(&scene.view(false), &Answers::default(), &Seeds::All);
            findings.unwrap().found.remove(0)
        };
        let finding = find(&scene);
        let is_outdated =
            |scene: &IndexedVault| all().is_outdated(&scene.view(false), &finding).unwrap();
        assert!(!is_outdated(&scene));
        let scene = scene.with([("Peas.md", note("space: kitchen\n", "In [[Beds]]."))]);
        assert!(is_outdated(&scene));
    }

    #[test]
    fn vault_without_spaces_gives_no_findings() {
        let scene = IndexedVault::new([
            ("a.md", note("tags: [x]\n", "[[b]]")),
            ("b.md", note("", "x")),
        ]);
        let findings = all()
            .find(&scene.view(false), &Answers::default(), &Seeds::All)
            .unwrap();
        assert_eq!((findings.found.len(), findings.compared), (0, 0));
    }
}
