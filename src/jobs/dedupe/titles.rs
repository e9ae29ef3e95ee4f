//! Merges notes with the same title: the `revise` of MemState.
//!
//! MemState merges all topics with exactly equal, non-empty titles. `dedupe.titles = "merge"` does the same;
//! `"ask"` gives one question per title. Unlike in MemState, a merge keeps texts, properties, links and learned
//! state.

use super::candidates::{day_of_statement, is_event};
use super::clusters::Cluster;
use super::folders::FolderIndex;
use super::keeper::{KeeperCandidate, compare_keepers, measures};
use super::options::Titles;
use crate::jobs::pool::Pool;
use crate::jobs::prelude::*;
use crate::note::{is_copy_of, is_daily, is_placeholder, is_template};

/// Maximum number of notes per title for a question; a more frequent title is too general.
const MAX_NOTES_PER_QUESTION: usize = 8;
/// Maximum number of notes per title for a merge; a more frequent title is too general.
const MAX_NOTES_PER_MERGE: usize = 64;

/// Similarity of notes that have only the title in common.
const TITLE_ONLY_WEIGHT: f32 = 0.5;

/// Selects the notes of one title that become one.
pub(super) struct TitleMerger<'a, 'v> {
    pub(super) entries: &'a Pool<'a, 'v>,
    pub(super) folders: &'a FolderIndex<'a>,
    pub(super) seeds: &'a Seeds,
    pub(super) answers: &'a Answers,
    pub(super) titles: Titles,
    /// Notes whose title is a general heading, independent of the subject.
    pub(super) general: &'a HashSet<Slot>,
}

impl TitleMerger<'_, '_> {
    /// Adds the merges by title to `clusters`, the merges by text, and returns the number of compared notes. Each
    /// note takes part in one merge. A merge by title replaces questions about texts.
    pub(super) fn add(&self, clusters: &mut Vec<Cluster>) -> Result<usize> {
        let is_certain = self.titles == Titles::Merge;
        let most = if is_certain {
            MAX_NOTES_PER_MERGE
        } else {
            MAX_NOTES_PER_QUESTION
        };
        let is_kept = |cluster: &&Cluster| cluster.certain || !is_certain;
        let kept = clusters.iter().filter(is_kept);
        let taken: HashSet<usize> = kept.flat_map(Cluster::notes).collect();
        let mut compared = 0;
        let mut merges = Vec::new();
        for ((title, day), mut group) in self.groups(&taken)? {
            compared += group.len() - 1;
            if group.len() > most {
                continue;
            }
            let all = std::mem::take(&mut group);
            for at in all {
                let entry = |at: usize| &self.entries[at];
                let is_parallel =
                    |other: &usize| self.folders.are_parallel(entry(*other), entry(at));
                if !group.iter().any(is_parallel) {
                    group.push(at);
                }
            }
            let key = key(&title, day);
            if group.len() < 2
                || self.answers.get(key) == Some(Answer::No)
                || self.is_refused(&group)?
            {
                continue;
            }
            let keeper = self.keeper(&group)?;
            merges.push(Cluster {
                keeper,
                losers: group.into_iter().filter(|at| *at != keeper).collect(),
                certain: is_certain,
                weight: TITLE_ONLY_WEIGHT,
                reason: "same title".to_owned(),
                key: Some(key),
            });
        }
        let joined: HashSet<usize> = merges.iter().flat_map(Cluster::notes).collect();
        clusters.retain(|cluster| !cluster.notes().any(|at| joined.contains(&at)));
        clusters.append(&mut merges);
        Ok(compared)
    }

    /// Returns the note of `group` to keep.
    fn keeper(&self, group: &[usize]) -> Result<usize> {
        let measured = measures(self.entries, group.iter().copied())?;
        let stem = |at: &usize| self.entries[*at].path.stem();
        let candidate = |at: &usize| KeeperCandidate {
            entry: &self.entries[*at],
            is_copy: group.iter().any(|other| is_copy_of(stem(at), stem(other))),
            measure: measured.get(at).copied().unwrap_or_default(),
        };
        let best = group
            .iter()
            .min_by(|a, b| compare_keepers(candidate(a), candidate(b)));
        Ok(best.copied().unwrap_or(group[0]))
    }

    /// Groups notes by title if a group has several notes and a seed. Excludes notes that are `taken`, replaced,
    /// daily notes, templates or empty. Events are also grouped by day.
    fn groups(&self, taken: &HashSet<usize>) -> Result<BTreeMap<TitleKey, Vec<usize>>> {
        let mut by_hash: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (at, entry) in self.entries.iter().enumerate() {
            let row = &entry.row;
            let is_free = !taken.contains(&at) && !row.flags.has(Flags::KEEP);
            let stem = entry.path.stem();
            let is_own = !is_daily(stem) && !is_template(entry.path.as_str());
            let is_titled = row.title != 0 && !self.general.contains(&entry.slot);
            if is_titled && row.words > 0 && is_free && is_own {
                by_hash.entry(row.title).or_default().push(at);
            }
        }
        let has_seed = |at: &usize| self.seeds.has(self.entries[*at].slot);
        let several = |group: &Vec<usize>| group.len() > 1 && group.iter().any(has_seed);
        // The title hash ignores case.
        let mut by_title: BTreeMap<TitleKey, Vec<usize>> = BTreeMap::new();
        for at in by_hash.into_values().filter(several).flatten() {
            let entry = &self.entries[at];
            let details = self.entries.view.details(entry.slot)?;
            if is_placeholder(&details.title) || self.entries.view.replaced_by(entry)?.is_some() {
                continue;
            }
            let day = is_event(&details.properties()).then(|| day_of_statement(entry));
            by_title.entry((details.title, day)).or_default().push(at);
        }
        by_title.retain(|_, group| several(group));
        Ok(by_title)
    }

    /// Returns true if an answer keeps two notes of `group` apart.
    fn is_refused(&self, group: &[usize]) -> Result<bool> {
        let keys: Vec<u64> = group
            .iter()
            .map(|at| self.entries.view.content_key(&self.entries[*at]))
            .collect::<Result<_, _>>()?;
        let mut pairs = (0..keys.len()).flat_map(|b| keys[..b].iter().map(move |a| (*a, b)));
        Ok(pairs.any(|(a, b)| {
            self.answers
                .get(QuestionKey::new(QuestionKind::Merge, &[a, keys[b]]))
                == Some(Answer::No)
        }))
    }
}

/// A title, and the day for events.
type TitleKey = (String, Option<i64>);

/// Returns the key of the question about a title. It contains the title but not the notes, so a "no" also
/// applies when another note gets the title.
fn key(title: &str, day: Option<i64>) -> QuestionKey {
    let day = day.map_or(0, |day| xxh3_64(&day.to_le_bytes()));
    QuestionKey::new(QuestionKind::Merge, &[xxh3_64(title.as_bytes()), day])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Finding;
    use crate::jobs::dedupe::DedupeOptions;
    use crate::jobs::tests::{done, found, managed};
    use crate::note::path::VaultPath;
    use crate::view::tests::IndexedVault;

    const NOTES: [(&str, &str, &str); 5] = [
        (
            "a.md",
            "title: Port\nowner: Anna\n",
            "The server always listens on port 8080.",
        ),
        (
            "b.md",
            "title: Port\nroom: 12\n",
            "Ships from Lisbon land here, see [[c]].",
        ),
        (
            "c.md",
            "title: Cellar\n",
            "The cellar is dry. It is below the kitchen, see [[b]].",
        ),
        // Not equal letter by letter, and a note with `keep`.
        (
            "d.md",
            "title: PORT\n",
            "Red wine from the valley of the Douro.",
        ),
        (
            "f.md",
            "title: Port\nkeep: true\n",
            "Left, when one looks to the bow of a ship.",
        ),
    ];

    fn scene() -> IndexedVault {
        let notes = NOTES.map(|(path, own, body)| (path.to_owned(), managed(own, body)));
        IndexedVault::new(notes)
    }

    fn with(titles: Titles) -> DedupeOptions {
        DedupeOptions {
            titles,
            ..DedupeOptions::default()
        }
    }

    fn merged(finding: &Finding) -> (Vec<&str>, bool) {
        let notes = finding.notes.iter().map(VaultPath::as_str);
        (notes.collect(), finding.certain)
    }

    #[test]
    fn equal_titles_are_merged_or_asked_by_setting() {
        for (titles, expected) in [
            (Titles::Off, None),
            (Titles::Ask, Some(false)),
            (Titles::Merge, Some(true)),
        ] {
            let findings = found(&scene(), &with(titles));
            let found: Vec<_> = findings.iter().map(merged).collect();
            let expected = expected.map(|is_certain| (vec!["a.md", "b.md"], is_certain));
            assert_eq!(found, Vec::from_iter(expected), "{titles:?}");
        }
        // Properties and links are transferred, and links to the other note lead to the kept one.
        let after = done(&scene(), &with(Titles::Merge));
        let kept = &after.files["a.md"];
        for part in ["owner: Anna", "room: 12", "Lisbon", "[[c]]"] {
            assert!(kept.contains(part), "{kept}");
        }
        assert!(!after.files.contains_key("b.md") && after.files["c.md"].contains("[[a"));
        assert!(found(&after, &with(Titles::Merge)).is_empty());
    }

    #[test]
    fn a_no_applies_and_frequent_titles_are_skipped() {
        let scene = scene();
        let options = with(Titles::Ask);
        let asked = found(&scene, &options);
        let mut answers = Answers::default();
        answers.insert(asked[0].key, Answer::No);
        let view = scene.view(true);
        let left = crate::jobs::find::Find::find(&options, &view, &answers, &Seeds::All);
        assert!(left.unwrap().found.is_empty());
        let words = [
            "tea", "oak", "rain", "moss", "clay", "wool", "salt", "iron", "fern",
        ];
        let many = words.map(|word| {
            let text = managed(
                "title: Log\n",
                &format!("All about {word} and its {word}s."),
            );
            (format!("{word}.md"), text)
        });
        let many = IndexedVault::new(many);
        let by_title = |titles| {
            let mut found = found(&many, &with(titles));
            found.retain(|finding| finding.reason == "same title");
            found.len()
        };
        assert_eq!((by_title(Titles::Ask), by_title(Titles::Merge)), (0, 1));
    }

    #[test]
    fn a_no_applies_when_another_note_gets_the_title() {
        let text = |own: &str, body: &str| managed(&format!("title: Port\n{own}"), body);
        let mut notes = vec![
            ("a.md", text("", "The server listens on port 8080.")),
            ("b.md", text("", "Ships from Lisbon land here.")),
            ("c.md", text("", "Left, when one looks to the bow.")),
        ];
        let options = with(Titles::Ask);
        let asked = found(&IndexedVault::new(notes.clone()), &options);
        assert_eq!(asked[0].notes.len(), 3);
        let mut answers = Answers::default();
        answers.insert(asked[0].key, Answer::No);
        notes.push(("d.md", text("", "A sweet wine of the north.")));
        let scene = IndexedVault::new(notes);
        let view = scene.view(true);
        let left = crate::jobs::find::Find::find(&options, &view, &answers, &Seeds::All);
        assert!(left.unwrap().found.is_empty());
    }

    #[test]
    fn general_headings_are_not_titles() {
        for heading in ["Boilerplate", "Ideas"] {
            let note = |body: &str| managed("", &format!("# {heading}\n\n{body}"));
            let scene = IndexedVault::new([
                ("b1.md", note("The server listens on port 8080.")),
                ("b.md", note("Ships from Lisbon land here.")),
            ]);
            for titles in [Titles::Ask, Titles::Merge] {
                assert!(found(&scene, &with(titles)).is_empty(), "{heading}");
            }
        }
    }

    #[test]
    fn replaced_notes_and_events_of_different_days_stay_separate() {
        let port = |day: &str, more: &str, body: &str| {
            managed(&format!("title: Port\ncreated: {day}\n{more}"), body)
        };
        for (class, old, new) in [
            (
                "replaced",
                port("2026-01-01", "", "The server listens on port 8080."),
                port(
                    "2026-02-01",
                    "evolved_from: \"[[a]]\"\n",
                    "From now on it is 9090.",
                ),
            ),
            (
                "events",
                port("2026-01-01", "type: event\n", "Ships from Lisbon came in."),
                port("2026-02-01", "type: event\n", "Nobody was at the harbour."),
            ),
        ] {
            let scene = IndexedVault::new([("a.md", old), ("b.md", new)]);
            assert!(found(&scene, &with(Titles::Merge)).is_empty(), "{class}");
        }
    }
}
