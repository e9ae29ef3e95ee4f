//! Resolves an argument to notes in the trash; several matches are listed, never guessed.

use crate::change::TrashedNote;
use crate::note::folded;
use crate::run::lookup::{Match, ambiguous, by_prefix};
use crate::run::prelude::*;

/// Minimum length of a run id prefix: a date alone is more likely the name of a note.
const MIN_RUN_PREFIX: usize = 8;

/// Returns the notes of `list` that `name` refers to; empty if there are none.
///
/// `name` is a run id, a path with or without its run, a file name, or the prefix of a run id.
/// `choose`
/// selects one of several matches.
pub fn trashed_by_name(
    list: &[TrashedNote],
    name: &str,
    choose: impl Fn(&[String]) -> Option<usize>,
) -> Result<Vec<TrashedNote>> {
    let name = name.trim().trim_end_matches('/');
    let runs: BTreeSet<&RunId> = list.iter().map(|trashed| &trashed.run).collect();
    let of_run = |run: &RunId| list.iter().filter(|one| one.run == *run).cloned().collect();
    if let Some(run) = runs.iter().find(|run| run.as_str() == name) {
        return Ok(of_run(run));
    }
    let wanted = folded(name);
    let matchers: [&dyn Fn(&TrashedNote) -> bool; 3] = [
        &|trashed| full_name(trashed) == name,
        &|trashed| {
            let path = &trashed.path;
            folded(path.as_str()) == wanted || folded(path.without_ending()) == wanted
        },
        &|trashed| folded(trashed.path.stem()) == wanted,
    ];
    for is_match in matchers {
        let found: Vec<TrashedNote> = list.iter().filter(|one| is_match(one)).cloned().collect();
        match found.len() {
            0 => {}
            1 => return Ok(found),
            _ => {
                // Most recently removed notes first.
                let found: Vec<TrashedNote> = found.into_iter().rev().collect();
                let names: Vec<String> = found.iter().map(full_name).collect();
                if let Some(at) = choose(&names) {
                    return Ok(vec![found[at].clone()]);
                }
                let (things, hint) = ("notes in the trash", "add its run:");
                return Err(ambiguous(name, things, hint, &names));
            }
        }
    }
    if name.len() <= MIN_RUN_PREFIX {
        return Ok(Vec::new());
    }
    match by_prefix(runs, ToString::to_string, name) {
        Match::One(run) => Ok(of_run(run)),
        Match::None => Ok(Vec::new()),
        Match::Several(runs) => Err(ambiguous(name, "runs", "use a longer prefix:", &runs)),
    }
}

/// Returns the unique name of a note in the trash.
fn full_name(trashed: &TrashedNote) -> String {
    format!("{}/{}", trashed.run, trashed.path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::path::VaultPath;

    #[test]
    fn a_note_is_found_by_run_path_or_name() {
        let list: Vec<TrashedNote> = [
            ("20260101-000000-000a", "a/Tea.md"),
            ("20260101-000000-000a", "Cup.md"),
            ("20260102-000000-000b", "b/tea.md"),
            ("20260103-000000-000c", "Cup.md"),
        ]
        .map(|(run, path)| TrashedNote {
            run: run.parse().unwrap(),
            path: VaultPath::new(path).unwrap(),
            record: None,
        })
        .to_vec();
        let found = |name: &str| {
            trashed_by_name(&list, name, |_| None)
                .map(|found| found.iter().map(full_name).collect::<Vec<_>>().join(" "))
                .map_err(|error| error.to_string())
        };
        for (name, expected) in [
            (
                "20260101-000000-000a",
                "20260101-000000-000a/a/Tea.md 20260101-000000-000a/Cup.md",
            ),
            ("20260102-", "20260102-000000-000b/b/tea.md"),
            ("20260102", ""),
            ("a/tea", "20260101-000000-000a/a/Tea.md"),
            ("20260103-000000-000c/Cup.md", "20260103-000000-000c/Cup.md"),
            ("nothing", ""),
        ] {
            assert_eq!(found(name), Ok(expected.to_owned()), "{name}");
        }
        assert_eq!(
            found("cup"),
            Err(
                "error: `cup` matches 2 notes in the trash\nhint: add its run:\n\
                 hint:   20260103-000000-000c/Cup.md\nhint:   20260101-000000-000a/Cup.md\n"
                    .to_owned()
            )
        );
        assert!(found("TEA").is_err());
    }
}
