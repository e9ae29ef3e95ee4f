//! Finds cycles of `evolved_from`, in which no note is the current one.

use super::finding::{DoctorFinding, ProblemKind, listed};
use crate::jobs::prelude::*;

/// Notes that each note evolved from.
type Sources = BTreeMap<VaultPath, Vec<VaultPath>>;

/// Returns a finding for each cycle of `evolved_from`.
pub(super) fn findings(view: &View<'_>, entries: &[Entry]) -> Result<Vec<DoctorFinding>> {
    let mut sources = Sources::new();
    for entry in entries {
        let mut of_note = Vec::new();
        for link in view.details(entry.slot)?.links {
            let property = link
                .property
                .as_deref()
                .map(|name| name.strip_suffix(".to").unwrap_or(name));
            if property.and_then(Relation::named) == Some(Relation::EvolvedFrom) {
                let source = view.resolve(&entry.path, &link.target, link.markdown)?;
                of_note.extend(source.map(|source| source.path));
            }
        }
        if !of_note.is_empty() {
            sources.insert(entry.path.clone(), of_note);
        }
    }
    Ok(cycles(&sources)
        .iter()
        .map(|cycle| finding(cycle))
        .collect())
}

fn finding(cycle: &[&VaultPath]) -> DoctorFinding {
    let others: Vec<String> = cycle[1..].iter().map(ToString::to_string).collect();
    let message = if others.is_empty() {
        "evolved from itself; remove that `evolved_from`".to_owned()
    } else {
        let others = listed(&others);
        format!(
            "evolved from itself through {others}; remove `evolved_from` from the oldest of them"
        )
    };
    DoctorFinding {
        others,
        ..DoctorFinding::new(ProblemKind::Cycle, cycle[0].as_str(), message)
    }
}

/// Returns a set of cycles whose removal leaves the graph acyclic; each starts at its first path.
fn cycles(sources: &Sources) -> Vec<Vec<&VaultPath>> {
    let (mut found, mut done) = (Vec::new(), HashSet::new());
    for start in sources.keys() {
        // Depth-first path, with the number of followed sources per note.
        let mut way: Vec<(&VaultPath, usize)> = vec![(start, 0)];
        let mut passed: HashMap<&VaultPath, usize> = HashMap::from([(start, 0)]);
        while let Some((note, followed)) = way.last_mut() {
            let note: &VaultPath = note;
            let next = sources.get(note).and_then(|of_note| of_note.get(*followed));
            *followed += 1;
            let Some(next) = next.filter(|_| !done.contains(note)) else {
                done.insert(note);
                passed.remove(note);
                way.pop();
                continue;
            };
            if let Some(at) = passed.get(next) {
                let mut cycle: Vec<&VaultPath> = way[*at..].iter().map(|(note, _)| *note).collect();
                let first = (0..cycle.len()).min_by_key(|at| cycle[*at]).unwrap_or(0);
                cycle.rotate_left(first);
                found.push(cycle);
            } else if !done.contains(next) {
                passed.insert(next, way.len());
                way.push((next, 0));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_cycle_and_none_in_a_long_chain() {
        let pairs: Vec<String> = (0..5_000).map(|at| format!("n{at}>n{}", at + 1)).collect();
        let long = pairs.join(" ");
        for (edges, expected) in [
            ("a>b b>c", &[][..]),
            ("a>a", &["a"]),
            ("c>a a>b b>c", &["a b c"]),
            ("x>a a>b b>a y>x", &["a b"]),
            ("a>b b>a a>c c>a d>e e>d", &["a b", "a c", "d e"]),
            ("a>b a>c b>d c>d", &[]),
            (long.as_str(), &[]),
        ] {
            let path = |name: &str| VaultPath::new(&format!("{name}.md")).unwrap();
            let mut sources = Sources::new();
            for edge in edges.split_whitespace() {
                let (from, to) = edge.split_once('>').unwrap();
                sources.entry(path(from)).or_default().push(path(to));
            }
            let paths = cycles(&sources);
            let found = paths.iter().map(|cycle| {
                let names: Vec<&str> = cycle.iter().map(|path| path.stem()).collect();
                names.join(" ")
            });
            assert_eq!(found.collect::<Vec<_>>(), expected, "{edges:.40}");
        }
    }
}
