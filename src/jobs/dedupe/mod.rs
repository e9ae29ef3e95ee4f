//! `dedupe`: finds duplicate notes and merges them.
//!
//! [`candidates`] selects pairs that share a sketch band, an explicit title, most of the shorter text or a near
//! vector. Notes without content are excluded. [`similarity`] judges each pair by its texts, and [`clusters`]
//! combines the verdicts into merges and questions. Certain merges depend on words alone and join all duplicates
//! of the best note. Likely pairs become questions, most similar first; several copies of a text become one question.
//! A pair that other questions connect already waits for their answers.
//!
//! Notes that were replaced, expired or are not valid yet are never duplicates, and events of different days stay
//! separate.
//! Each note takes part in at most one merge per run, so that no decision rests on a text that is about to
//! change. The keeper is the note with `keep`, then with the higher tier, then the original of a copy, then the
//! one with more words, then by path. `change::acts` defines the merged content.

mod candidates;
mod clusters;
mod folders;
mod keeper;
mod options;
pub mod similarity;
mod titles;

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::boilerplate::Boilerplate;
use super::find::{is_evidence, living};
use super::pool::Pool;
use crate::cache::Details;
use crate::jobs::prelude::*;
use crate::note::front_matter::property::property;
use crate::note::front_matter::verbatim::mark_quoted_numbers;
use crate::note::names::filename;

use candidates::Pairs;
use clusters::{Cluster, JudgedPair};
use folders::FolderIndex;
use keeper::measures;
pub use options::{DedupeOptions, Titles};
use titles::TitleMerger;

use similarity::{
    MIN_CONTENT_WEIGHT_OF_COPY, NoteFeatures, NoteFields, SimilarityVerdict, TextFeatures,
};

/// Job table entry.
pub static JOB: Job = Job {
    name: DedupeOptions::NAME,
    aliases: &["duplicate_merger", "revise"],
    about: "Merge duplicate notes",
    help: include_str!("help.txt"),
    looks: ("pair", "compared"),
    done: "merged",
    nothing: "no duplicates",
    every: Interval::days(1),
    every_about: "how often `mem sleep` runs dedupe",
    kinds: &[QuestionKind::Merge],
    options: job::JobOptions::of::<DedupeOptions>(),
};

impl Find for DedupeOptions {
    /// Finds duplicates, ordered by the path of the keeper.
    fn find(&self, view: &View<'_>, answers: &Answers, seeds: &Seeds) -> Result<Findings> {
        let now = view.now.timestamp().as_second();
        let mut entries = Vec::new();
        for entry in living(view)? {
            if is_evidence(&entry) && entry.row.expires > now && !view.is_upcoming(&entry)? {
                entries.push(entry);
            }
        }
        let entries = Pool::new(view, entries);
        let folders = FolderIndex::of(&entries);
        let twins = candidates::twins(view, &entries, &folders, answers)?;
        let mut findings = Findings {
            compared: twins.compared(&entries, seeds),
            ..Findings::default()
        };
        let mut candidates = candidates::pairs(view, &entries, &twins, seeds, self)?;
        candidates::remove_replaced(view, &entries, &mut candidates)?;
        let general = view.general_titles(&entries)?;
        let read = read_notes(&entries, (&candidates, &general), &mut findings.skipped)?;
        findings.compared += candidates.len();
        let judged = judge_pairs(view, &read, &candidates, self)?;
        let mut pairs = Vec::new();
        let mut apart = HashSet::new();
        for ((a, b), verdict) in candidates.into_keys().zip(judged) {
            let [first, second] = [a, b].map(|at| &entries[at]);
            let are_versions = || {
                let is_read = [a, b].iter().all(|at| read.contains_key(at));
                let is_copy = candidates::is_conflict_copy(first, second)
                    || candidates::is_conflict_copy(second, first);
                is_read && is_copy
            };
            let verdict = match verdict {
                SimilarityVerdict::Different if are_versions() => SimilarityVerdict::Versions,
                verdict => verdict,
            };
            let is_other = folders.are_parallel(first, second)
                || candidates::are_events_of_different_days(view, first, second)?;
            if is_other || verdict == SimilarityVerdict::Different {
                apart.insert((a, b));
                continue;
            }
            let keys = [view.content_key(first)?, view.content_key(second)?];
            match answers.get(QuestionKey::new(QuestionKind::Merge, &keys)) {
                Some(Answer::No) => {
                    apart.insert((a, b));
                }
                answer => pairs.push(JudgedPair {
                    notes: (a, b),
                    verdict,
                    // Several questions about equal texts would have one key.
                    are_copies: verdict == SimilarityVerdict::Copy || keys[0] == keys[1],
                    is_confirmed: answer.is_some(),
                }),
            }
        }
        let places = pairs.iter().flat_map(|pair| [pair.notes.0, pair.notes.1]);
        let measured = measures(&entries, places)?;
        let of = |at: usize| measured.get(&at).copied().unwrap_or_default();
        let is_rejected = |a: usize, b: usize| {
            let keys = [a, b].map(|at| view.content_key(&entries[at]).ok());
            let [Some(first), Some(second)] = keys else {
                return false;
            };
            let key = QuestionKey::new(QuestionKind::Merge, &[first, second]);
            answers.get(key) == Some(Answer::No)
        };
        let mut clusters =
            clusters::clusters(&entries, &twins, seeds, &pairs, &apart, is_rejected, of);
        if self.titles != Titles::Off {
            let title_merger = TitleMerger {
                entries: &entries,
                folders: &folders,
                seeds,
                answers,
                titles: self.titles,
                general: &general,
            };
            findings.compared += title_merger.add(&mut clusters)?;
        }
        for cluster in clusters {
            if let Some(finding) = finding(view, &entries, cluster, answers)? {
                findings.found.push(finding);
            }
        }
        findings.found.sort_by(|a, b| a.notes.cmp(&b.notes));
        Ok(findings)
    }

    /// Returns true if one of the notes was replaced since.
    fn is_outdated(&self, view: &View<'_>, finding: &Finding) -> Result<bool> {
        for note in &finding.notes {
            if let Some(entry) = view.at(note)?
                && view.replaced_by(&entry)?.is_some()
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns the finding for a cluster, unless it was rejected.
fn finding(
    view: &View<'_>,
    entries: &[Entry],
    cluster: Cluster,
    answers: &Answers,
) -> Result<Option<Finding>> {
    let notes = || cluster.notes();
    let key = if let Some(key) = cluster.key {
        key
    } else {
        let keys = notes().map(|at| view.content_key(&entries[at]));
        QuestionKey::new(QuestionKind::Merge, &keys.collect::<Result<Vec<_>, _>>()?)
    };
    if answers.get(key) == Some(Answer::No) {
        return Ok(None);
    }
    let path = |at: usize| entries[at].path.clone();
    Ok(Some(Finding {
        certain: cluster.certain
            && !are_linked_by_different_names(view, notes().map(|at| &entries[at]))?,
        ..Finding::new(
            key,
            notes().map(path).collect(),
            vec![Act::Merge {
                keeper: path(cluster.keeper),
                others: cluster.losers.iter().copied().map(path).collect(),
                body: None,
            }],
            cluster.weight,
            cluster.reason,
        )
    }))
}

/// Returns true if a person's note links to the notes by two names, which means its author distinguishes them.
/// A copy made by a tool has the name of the original. `17` and ids are not names.
fn are_linked_by_different_names<'e>(
    view: &View<'_>,
    notes: impl Iterator<Item = &'e Entry>,
) -> Result<bool> {
    let mut named: HashMap<Slot, String> = HashMap::new();
    for note in notes {
        let name = filename::meaningful_words(note.path.stem());
        for source in view.linking_to(note)? {
            let by_person = !source.is_managed() && !source.row.flags.has(Flags::DERIVED);
            if by_person
                // Links in properties alone do not count.
                && view.has_link(&source, note, |link| link.property.is_none())?
                && *named.entry(source.slot).or_insert_with(|| name.clone()) != name
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Judges the pairs: first by the full texts, then for similar ones without boilerplate. Unreadable notes are
/// different from all others.
fn judge_pairs(
    view: &View<'_>,
    read: &BTreeMap<usize, NoteFeatures>,
    pairs: &Pairs,
    options: &DedupeOptions,
) -> Result<Vec<SimilarityVerdict>> {
    let judgements = (pairs.par_iter()).map(|((a, b), cosine)| match (read.get(a), read.get(b)) {
        (Some(a), Some(b)) => a.judge(b, *cosine, options),
        _ => SimilarityVerdict::Different,
    });
    let mut verdicts: Vec<SimilarityVerdict> = judgements.collect();
    let alike: BTreeSet<usize> = pairs
        .keys()
        .zip(&verdicts)
        .filter(|(_, verdict)| **verdict != SimilarityVerdict::Different)
        .flat_map(|((a, b), _)| [*a, *b])
        .collect();
    let bodies = alike.iter().map(|at| &*read[at].body);
    let boilerplate = Boilerplate::learn(view, bodies)?;
    let is_shared = |at: &usize| !boilerplate.is_own(&read[at].body);
    let shared: HashSet<usize> = alike.par_iter().copied().filter(is_shared).collect();
    let said: HashMap<usize, TextFeatures> = alike
        .par_iter()
        .filter_map(|at| {
            let weights = boilerplate.weights(&read[at].body);
            (!weights.is_empty()).then(|| (*at, read[at].weighted(&weights)))
        })
        .collect();
    for (((a, b), cosine), verdict) in pairs.iter().zip(&mut verdicts) {
        if shared.contains(a) || shared.contains(b) {
            let are_copies = *verdict != SimilarityVerdict::Different
                && !boilerplate.has_template_text(&read[a].body)
                && read[a].has_wording_of(&read[b], MIN_CONTENT_WEIGHT_OF_COPY);
            *verdict = if are_copies {
                SimilarityVerdict::Copy
            } else {
                SimilarityVerdict::Different
            };
        }
        if matches!(
            verdict,
            SimilarityVerdict::Different | SimilarityVerdict::Copy
        ) || !said.contains_key(a) && !said.contains_key(b)
        {
            continue;
        }
        let [first, second] = [a, b].map(|at| &read[at]);
        let by =
            [(a, first), (b, second)].map(|(at, note)| said.get(at).unwrap_or(&note.text_features));
        *verdict = match (*verdict, first.judge_by(by, second, *cosine, options)) {
            (SimilarityVerdict::Certain(_), own) => own,
            (_, SimilarityVerdict::Certain(share)) => SimilarityVerdict::Likely(share),
            (_, own) => own,
        };
    }
    Ok(verdicts)
}

/// Reads the notes of `pairs`; ignores the titles of notes in `general`, and records unreadable notes.
fn read_notes(
    pool: &Pool<'_, '_>,
    (pairs, general): (&Pairs, &HashSet<Slot>),
    skipped: &mut Vec<String>,
) -> Result<BTreeMap<usize, NoteFeatures>> {
    let places: BTreeSet<usize> = pairs.keys().flat_map(|(a, b)| [*a, *b]).collect();
    let mut details = HashMap::with_capacity(places.len());
    for at in &places {
        details.insert(*at, pool.view.details(pool[*at].slot)?);
    }
    Ok(pool.texts(places, skipped, |at, entry, text| {
        note_features(entry, text, &details[&at], general.contains(&entry.slot))
    }))
}

/// Computes the features of the note in `entry` with content `text`, without a general title.
fn note_features(entry: &Entry, text: &str, details: &Details, is_general: bool) -> NoteFeatures {
    let mut properties = details.properties();
    mark_quoted_numbers(&mut properties, text);
    let (matter, body) = text.split_at(split::split(text).body.start);
    NoteFeatures::of(NoteFields {
        title: (details.titled && !is_general).then_some(details.title.as_str()),
        is_heading: property(&properties, "title").is_none(),
        title_hash: if is_general { 0 } else { entry.row.title },
        stem: entry.path.stem(),
        properties: Some(&properties),
        keep: entry.row.flags.has(Flags::KEEP),
        written: candidates::day_written(entry),
        stated: candidates::day_of_statement(entry),
        is_template: filename::is_template(entry.path.as_str()) || is_placeholder(matter),
        body,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::path::VaultPath;
    use crate::view::tests::IndexedVault;

    fn found(
        view: &View<'_>,
        answers: &Answers,
        seeds: &Seeds,
        options: &DedupeOptions,
    ) -> Findings {
        let findings = options.find(view, answers, seeds).unwrap();
        assert_eq!(findings.skipped, Vec::<String>::new());
        findings
    }

    fn all(view: &View<'_>) -> Findings {
        found(
            view,
            &Answers::default(),
            &Seeds::All,
            &DedupeOptions::default(),
        )
    }

    #[test]
    fn merge_is_outdated_once_a_note_is_replaced() {
        let port =
            "# Port\n\nThe server of the shop listens on port 8080, and nobody changes that.\n";
        let scene = |newer: &str| {
            let newer = format!("{newer}From now on it is 9090.\n");
            IndexedVault::new([("a.md", port), ("b.md", port), ("c.md", newer.as_str())])
        };
        let before = scene("");
        let finding = all(&before.view(true)).found.remove(0);
        let is_outdated = |scene: &IndexedVault| {
            let options = DedupeOptions::default();
            options.is_outdated(&scene.view(true), &finding).unwrap()
        };
        assert!(!is_outdated(&before));
        assert!(is_outdated(&scene("---\nevolved_from: \"[[b]]\"\n---\n")));
    }

    const KEY: &str = "The spare key of the shed hangs behind the rain barrel, in a yellow bag.\n";

    #[test]
    fn zero_one_and_a_thousand_notes() {
        for with_vectors in [false, true] {
            for count in [0, 1] {
                let scene =
                    IndexedVault::new((0..count).map(|number| (format!("{number}.md"), KEY)));
                let findings = all(&scene.view(with_vectors));
                assert_eq!((findings.found.len(), findings.compared), (0, 0));
            }
            let scene = IndexedVault::new((0..1_000).map(|number| (format!("{number}.md"), KEY)));
            let view = scene.view(with_vectors);
            let findings = all(&view);
            let [one] = &findings.found[..] else {
                panic!("{} findings", findings.found.len());
            };
            assert_eq!((one.notes.len(), one.certain), (1_000, true));
            assert_eq!(findings.compared, 999);
            // A single seed in the group suffices; so does a single "no".
            let seeds = Seeds::Of([view.entries().unwrap()[500].slot].into());
            let begun = found(
                &view,
                &Answers::default(),
                &seeds,
                &DedupeOptions::default(),
            );
            assert_eq!(begun.found, findings.found);
            let mut answers = Answers::default();
            answers.insert(one.key, Answer::No);
            let left = found(&view, &answers, &Seeds::All, &DedupeOptions::default());
            assert!(left.compared < 20_000, "{}", left.compared);
        }
    }

    #[test]
    fn extreme_thresholds() {
        let notes = [
            "tea is green in spring",
            "tea is green in the spring",
            "tea is white in spring",
            "Anna walks home by the river",
        ];
        let scene = IndexedVault::new(
            notes
                .iter()
                .enumerate()
                .map(|(at, text)| (format!("{at}.md"), *text)),
        );
        for with_vectors in [false, true] {
            let view = scene.view(with_vectors);
            for share in [0.0, 1.0] {
                for neighbours in [0, 1_000] {
                    let options = DedupeOptions {
                        certain: share,
                        ask: share,
                        neighbours,
                        ..DedupeOptions::default()
                    };
                    let findings = found(&view, &Answers::default(), &Seeds::All, &options);
                    let is_sane = |finding: &Finding| {
                        finding.notes.iter().all(|note| note.as_str() != "3.md")
                    };
                    assert!(
                        findings.found.iter().all(is_sane),
                        "{options:?}: {findings:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn vectors_find_rephrased_duplicates() {
        let scene = IndexedVault::new([
            (
                "a.md",
                "Pope calls for quick action on climate change in the draft of his letter.\n",
            ),
            (
                "b.md",
                "In the draft of a letter, the pope urges quick action on climate change.\n",
            ),
            (
                "c.md",
                "The tomatoes were sown on the kitchen window, two seeds to a pot.\n",
            ),
        ]);
        let findings = all(&scene.view(true));
        assert_eq!(findings.found.len(), 1, "{findings:?}");
        let asked = &findings.found[0];
        assert!(
            !asked.certain && asked.notes[0].as_str() < "c.md" && asked.notes[1].as_str() < "c.md"
        );
    }

    #[test]
    fn mutually_similar_notes_give_few_questions() {
        let verbs = ["sells", "buys", "ships", "packs", "wraps", "weighs"];
        let notes = verbs
            .map(|verb| {
                let text = format!(
                    "On market days the small shop beside the church {verb} tea and honey.\n"
                );
                text
            })
            .into_iter()
            .enumerate();
        let scene = IndexedVault::new(notes.map(|(at, text)| (format!("{at}.md"), text)));
        let view = scene.view(true);
        let mut answers = Answers::default();
        let mut asked = 0;
        loop {
            let findings = found(&view, &answers, &Seeds::All, &DedupeOptions::default());
            assert!(findings.found.len() < verbs.len(), "{findings:?}");
            for finding in &findings.found {
                assert!(
                    !finding.certain && answers.get(finding.key).is_none(),
                    "{finding:?}"
                );
                answers.insert(finding.key, Answer::No);
                asked += 1;
            }
            if findings.found.is_empty() {
                break;
            }
        }
        // Finally, every pair was asked about exactly once.
        assert_eq!(asked, verbs.len() * (verbs.len() - 1) / 2);
    }

    #[test]
    fn seeds_limit_the_compared_pairs() {
        let pair = |of: &str| {
            format!("The {of} stands in the shed behind the house beside the old barrel.\n")
        };
        let scene = IndexedVault::new([
            ("a.md", pair("ladder")),
            ("b.md", pair("heavy ladder")),
            (
                "c.md",
                "Tomatoes are sown on the kitchen window in spring.\n".to_owned(),
            ),
            (
                "d.md",
                "Tomatoes are sown on the wide kitchen window in spring.\n".to_owned(),
            ),
        ]);
        let view = scene.view(true);
        let whole = all(&view);
        assert_eq!(whole.found.len(), 2, "{whole:?}");
        for entry in view.entries().unwrap() {
            let seeds = Seeds::Of([entry.slot].into());
            let findings = found(
                &view,
                &Answers::default(),
                &seeds,
                &DedupeOptions::default(),
            );
            let mut wanted = whole.found.clone();
            wanted.retain(|finding| finding.notes.contains(&entry.path));
            assert_eq!(findings.found, wanted, "{}", entry.path);
        }
        let nothing = found(
            &view,
            &Answers::default(),
            &Seeds::Of([].into()),
            &DedupeOptions::default(),
        );
        assert_eq!((nothing.found.len(), nothing.compared), (0, 0));
    }

    #[test]
    fn separate_notes_are_not_merged_through_a_third() {
        let titled = |title: &str| format!("---\ntitle: {title}\n---\n{KEY}");
        let scene = IndexedVault::new([
            (
                "1.md",
                format!("---\nkeep: false\n---\n{KEY}Oil it in spring.\n"),
            ),
            ("2.md", titled("Part 1")),
            ("3.md", titled("Part 2")),
        ]);
        let findings = all(&scene.view(true));
        let [one] = &findings.found[..] else {
            panic!("{findings:?}");
        };
        assert_eq!(one.notes.len(), 2, "{one:?}");
        // Nor do notes that an answer keeps apart.
        let longer = |more: &str| format!("{KEY}{more}\n");
        let scene = IndexedVault::new([
            ("1.md", longer("Oil it in spring. Anna knows it well.")),
            ("2.md", longer("Oil it in spring.")),
            ("3.md", KEY.to_owned()),
        ]);
        let view = scene.view(true);
        assert_eq!(all(&view).found[0].notes.len(), 3);
        let meaning = |path: &str| {
            let path = VaultPath::new(path).unwrap();
            view.content_key(&view.at(&path).unwrap().unwrap()).unwrap()
        };
        let mut answers = Answers::default();
        let key = QuestionKey::new(QuestionKind::Merge, &[meaning("2.md"), meaning("3.md")]);
        answers.insert(key, Answer::No);
        let findings = found(&view, &answers, &Seeds::All, &DedupeOptions::default());
        let both = |finding: &Finding| {
            let has = |name: &str| finding.notes.iter().any(|note| note.as_str() == name);
            has("2.md") && has("3.md")
        };
        assert!(!findings.found.iter().any(both), "{findings:?}");
    }

    #[test]
    fn boilerplate_is_no_evidence_of_a_duplicate() {
        let form = "Who was there and who was not.\nWhat was decided.\nWhat is open still.\n";
        let own = [
            "Beans climb the poles behind the barn.",
            "Peas went to the fair with Anna.",
            "Leeks rot when rain stays for weeks.",
            "Kale soup won the prize of the village.",
        ];
        let numbered = own.iter().enumerate();
        let filled =
            numbered.map(|(at, own)| (format!("form {at} filled.md"), format!("{form}{own}\n")));
        let mut notes: Vec<(String, String)> = filled.collect();
        // Filled in equally but for a line without meaning of its own.
        notes.push(("1.md".to_owned(), format!("{form}Open.\n")));
        notes.push(("2.md".to_owned(), form.to_owned()));
        let findings = all(&IndexedVault::new(notes.clone()).view(true));
        assert_eq!(findings.found, [], "{findings:?}");
        // Without the others the form is not recognised.
        let findings = all(&IndexedVault::new(notes.split_off(4)).view(true));
        assert_eq!(findings.found.len(), 1, "{findings:?}");
    }

    #[test]
    fn notes_without_content_are_never_merged() {
        let mut notes: Vec<(String, String)> = Vec::new();
        let mut add = |path: &str, text: &str| notes.push((path.to_owned(), text.to_owned()));
        for (at, person) in ["Anna", "Ben", "Cleo", "Dora", "Emil", "Fritz"]
            .iter()
            .enumerate()
        {
            let day = format!("2026-01-0{}", at + 1);
            add(
                &format!("books/{person}.md"),
                "# Book\n\n## Author\n\n## What I think of it\n",
            );
            add(
                &format!("people/{person}.md"),
                &format!("---\ncreated: {day}\n---\n# {person}\n\nBirthday:\nEmail:\n"),
            );
            add(
                &format!("daily/{day}.md"),
                "## To do\n\n- [ ] \n\n## Thanks for\n",
            );
            add(
                &format!("{person}/readme.md"),
                "Each folder has the notes of one person of the choir, and their songs.\n",
            );
            add(
                &format!("forms/{person}.md"),
                &format!("---\ntitle: {person}\n---\n"),
            );
        }
        for folder in ["a", "b"] {
            add(&format!("{folder}/empty.md"), "");
            add(&format!("{folder}/Tea.md"), "# Tea\n");
            add(
                &format!("{folder}/picture.md"),
                "# Picture\n\n![[barn.png]]\n",
            );
            add(
                &format!("{folder}/list.md"),
                "# List\n\n```dataview\nTABLE file.mtime FROM #tea\n```\n",
            );
            add(&format!("{folder}/stub.md"), "# Stub\n\nTODO\n");
            add(
                &format!("{folder}/visit.md"),
                "# Visit\n\nWho came through the door, and who stayed at home that evening?\n",
            );
        }
        add(
            "Templates/visit.md",
            "# Visit\n\nWho came through the door, and who stayed at home that evening?\n",
        );
        for with_vectors in [false, true] {
            let findings = all(&IndexedVault::new(notes.clone()).view(with_vectors));
            assert_eq!(findings.found, []);
        }
        // Notes with equal content of their own are still merged.
        let copies = [
            ("Key.md", KEY),
            ("Key 1.md", KEY),
            (
                "Barn.sync-conflict-20260105-120000-ABCDEFG.md",
                "# Barn\n\nRed, and open at night.\n",
            ),
            ("Barn.md", "# Barn\n\nRed, and open at night.\n"),
        ];
        notes.extend(copies.map(|(path, text)| (path.to_owned(), text.to_owned())));
        let findings = all(&IndexedVault::new(notes).view(true));
        let kept = findings
            .found
            .iter()
            .map(|finding| (finding.notes[0].as_str(), finding.certain));
        assert_eq!(
            kept.collect::<Vec<_>>(),
            [("Barn.md", true), ("Key.md", true)]
        );
    }

    #[test]
    fn both_versions_of_a_sync_tool_are_a_question() {
        const BARN: &str = "The barn is red, and 6 metres high.\n";
        const OTHER: &str = "Nobody was at home, and the dog slept in the kitchen of Anna.\n";
        const COPY: &str = "Barn (Anna's conflicted copy 2026-03-02).md";
        for (name, notes, expected) in [
            ("other words", [("Barn.md", BARN), (COPY, OTHER)], 1),
            (
                "another number",
                [
                    ("Barn.md", BARN),
                    (COPY, "The barn is red, and 7 metres high.\n"),
                ],
                1,
            ),
            ("another folder", [("a/Barn.md", BARN), (COPY, OTHER)], 0),
            ("no original", [("House.md", BARN), (COPY, OTHER)], 0),
            (
                "a numbered name",
                [("Barn.md", BARN), ("Barn 2.md", OTHER)],
                0,
            ),
        ] {
            let scene = IndexedVault::new(notes);
            let asked = all(&scene.view(true)).found;
            assert_eq!(asked.len(), expected, "{name}: {asked:?}");
            if let [finding] = &asked[..] {
                let reason = "a sync tool kept both versions";
                assert_eq!(
                    (finding.certain, &*finding.reason),
                    (false, reason),
                    "{name}"
                );
                assert_eq!(finding.notes[0].as_str(), "Barn.md", "{name}");
                let mut answers = Answers::default();
                answers.insert(finding.key, Answer::No);
                let view = scene.view(true);
                let again = found(&view, &answers, &Seeds::All, &DedupeOptions::default());
                assert_eq!(again.found, [], "{name}");
            }
        }
    }

    #[test]
    fn notes_linked_by_different_names_are_questions() {
        let certain = |more: &[(&str, &str)]| {
            let copies = [("Key.md", KEY), ("Key 1.md", KEY)];
            let notes = copies.iter().chain(more).copied();
            all(&IndexedVault::new(notes).view(false)).found[0].certain
        };
        assert!(certain(&[]));
        assert!(certain(&[
            ("a.md", "See [[Key]].\n"),
            ("b.md", "See [[Key 1]].\n")
        ]));
        assert!(certain(&[(
            "a.md",
            "---\nrelated_to: [\"[[Key]]\", \"[[Key 1]]\"]\n---\nShed.\n"
        )]));
        assert!(!certain(&[(
            "a.md",
            "Of [[Key]] and [[Key 1]] one is lost.\n"
        )]));
    }

    #[test]
    fn contained_long_note_is_found_without_its_title() {
        let word = |at: usize| {
            let parts = ["la", "be", "ro", "ki", "nu", "sa", "te", "mo"];
            [at, at / 8, at / 64].map(|at| parts[at % 8]).concat()
        };
        let line = |at: usize| {
            let of = |shift: usize| word(at + shift * at % 7);
            format!(
                "Behind the {} the {} keeps a {} dry.\n\n",
                of(0),
                of(1),
                of(3)
            )
        };
        let text = |range: std::ops::Range<usize>| range.map(line).collect::<String>();
        let scene = IndexedVault::new([
            ("Everything in the barn.md", text(0..300)),
            ("Corner.md", text(20..60)),
            ("Other.md", text(300..340)),
        ]);
        let view = scene.view(false);
        let findings = all(&view);
        let [one] = &findings.found[..] else {
            panic!("{findings:?}");
        };
        assert!(!one.certain && one.notes.iter().all(|note| note.as_str() != "Other.md"));
        let corner = view
            .at(&VaultPath::new("Corner.md").unwrap())
            .unwrap()
            .unwrap();
        let seeds = Seeds::Of([corner.slot].into());
        let begun = found(
            &view,
            &Answers::default(),
            &seeds,
            &DedupeOptions::default(),
        );
        assert_eq!(begun.found, findings.found);
    }

    #[test]
    fn notes_in_parallel_folders_stay_separate() {
        let folders = ["linux", "osx"];
        let pages = |names: &[&str]| {
            let mut notes = Vec::new();
            for (folder, name) in folders
                .iter()
                .flat_map(|folder| names.iter().map(move |name| (folder, name)))
            {
                let text = format!("# {name}\n\nOn {folder} it shows the {name} of all files.\n");
                notes.push((format!("{folder}-{name}.md").replacen('-', "/", 1), text));
                notes.push((format!("{folder}/key.md"), format!("# Key\n\n{KEY}")));
            }
            IndexedVault::new(notes)
        };
        let certain = |scene: &IndexedVault| {
            let found = all(&scene.view(false)).found;
            found.iter().filter(|finding| finding.certain).count()
        };
        assert_eq!(certain(&pages(&["size", "owner"])), 1);
        assert_eq!(certain(&pages(&["size", "owner", "date"])), 0);
    }

    #[test]
    fn copies_with_other_case_or_properties_are_not_twins() {
        let found = |first: &str, second: &str| {
            let scene = IndexedVault::new([("1.md", first), ("2.md", second)]);
            all(&scene.view(false))
                .found
                .iter()
                .any(|finding| finding.certain)
        };
        let text = "The disk of the new backup host writes more than 20 Mb a second.\n";
        assert!(found(text, text));
        assert!(!found(text, &text.replace("Mb", "MB")));
        let with = |status: &str| format!("---\nstatus: {status}\n---\n{text}");
        assert!(found(&with("done"), &with("done")));
        assert!(!found(&with("done"), &with("open")));
        assert!(!found(&with("007"), &with("\"007\"")));
        assert!(!found(text, &format!("    {text}")));
    }

    #[test]
    fn keeper_is_stable_after_link_updates() {
        let linking = |target: &str| format!("{KEY}See [[{target}]] for the rest of it.\n");
        let keeper = |target: &str| {
            let notes = [("1.md", linking("shed")), ("2.md", linking(target))];
            all(&IndexedVault::new(notes).view(false)).found[0].notes[0].clone()
        };
        assert_eq!(
            keeper("shed in the garden behind the house"),
            keeper("shed")
        );
    }

    #[test]
    fn confirmed_pairs_are_not_decided_twice() {
        // a resembles b, b resembles c; both pairs are confirmed.
        let scene = IndexedVault::new([
            (
                "a.md",
                "On market days the shop beside the church sells tea and sweet honey.\n",
            ),
            (
                "b.md",
                "On market days the shop beside the church offers tea and sweet honey.\n",
            ),
            (
                "c.md",
                "On market days the shop beside the church offers tea and good honey.\n",
            ),
        ]);
        let view = scene.view(true);
        let mut answers = Answers::default();
        for finding in all(&view).found {
            answers.insert(finding.key, Answer::Yes);
        }
        let findings = found(&view, &answers, &Seeds::All, &DedupeOptions::default());
        assert_eq!(findings.found.len(), 1, "{findings:?}");
    }
}
