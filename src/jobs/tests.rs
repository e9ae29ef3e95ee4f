//! Tests the table of jobs, and for every job that accepting a suggestion preserves the links of notes.
//!
//! Links are counted by their text alone, including code, independent of `note` and of the check in `change`.
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::LazyLock;

use jiff::Zoned;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use regex::Regex;

use super::find::{Find, NoteScope, Seeds};
use super::{
    JOBS, associate, cluster, conflicts, consolidate, decay, dedupe, forget, job_of_kind, link,
    named, rules, spaces, split, views,
};
use crate::change::compile::preview;
use crate::change::{CompileOutcome, CompiledGroup, FileOp, acts};
use crate::finding::question::{Answer, QuestionKind};
use crate::finding::{Act, Answers, Change, Finding, Group, Plan};
use crate::journal;
use crate::note::front_matter::seal;
use crate::note::{ContentHash, Edit, VaultPath, edit};
use crate::vault::JOURNAL;
use crate::view::{IndexedVault, View};

/// Returns the text of an agent's note with these properties.
pub(super) fn managed(properties: &str, body: &str) -> String {
    seal::reseal(&format!(
        "---\n{properties}mem: {{by: a, seal: 0000000000000000}}\n---\n{body}\n"
    ))
}

pub(super) fn found(scene: &IndexedVault, find: &dyn Find) -> Vec<Finding> {
    let findings = find.find(&scene.view(true), &Answers::default(), &Seeds::All);
    findings.unwrap().found
}

/// Returns the vault after all findings were accepted.
pub(super) fn done(scene: &IndexedVault, find: &dyn Find) -> IndexedVault {
    let mut files: BTreeMap<String, String> = scene.files.clone();
    for finding in found(scene, find) {
        let group = acts::group(&scene.view(true), &finding, Answer::Yes).unwrap();
        for change in group.changes {
            match change {
                Change::Create { path, text } => drop(files.insert(path.to_string(), text)),
                Change::Edit { path, edits, .. } => {
                    let before = &files[path.as_str()];
                    let mut text = edit::apply(before, &edits).unwrap();
                    if seal::is_sealed(before) {
                        text = seal::reseal(&text);
                    }
                    files.insert(path.to_string(), text);
                }
                Change::Trash { path, .. } => drop(files.remove(path.as_str())),
                Change::Move { .. } => panic!("{change:?}"),
            }
        }
    }
    IndexedVault::new(files)
}

/// Every job, with options that give many findings.
fn jobs() -> Vec<Box<dyn Find>> {
    vec![
        Box::new(dedupe::DedupeOptions {
            ask: 0.3,
            ..Default::default()
        }),
        Box::new(conflicts::ConflictsOptions::default()),
        Box::new(link::LinkOptions {
            min_cosine: 0.2,
            ..Default::default()
        }),
        Box::new(spaces::SpacesOptions {
            notes: NoteScope::All,
            min_share: 0.1,
            ..Default::default()
        }),
        Box::new(associate::AssociateOptions {
            notes: NoteScope::All,
            relevance: 0.0,
            ..Default::default()
        }),
        Box::new(cluster::ClusterOptions {
            notes: NoteScope::All,
            relevance: 0.0,
            min_cosine: 0.6,
            ..Default::default()
        }),
        Box::new(consolidate::ConsolidateOptions {
            notes: NoteScope::All,
            min_cosine: 0.3,
            ..Default::default()
        }),
        Box::new(split::SplitOptions::default()),
        Box::new(decay::DecayOptions {
            notes: NoteScope::All,
        }),
        Box::new(forget::ForgetOptions {
            notes: NoteScope::All,
            ..Default::default()
        }),
        Box::new(rules::tests::rules_from(concat!(
            "[[rule]]\nname = \"a\"\neach = \"tag:tea\"\ndo = { tag = \"x\" }\n",
            "[[rule]]\nname = \"b\"\neach = \"iron\"\ndo = \"trash\"\n",
        ))),
        Box::new(views::ViewsOptions {
            notes: NoteScope::All,
        }),
    ]
}

const NAMES: [&str; 5] = [
    "Green tea",
    "Iron kettle",
    "Send trait",
    "Water hardness",
    "Brewing times",
];

/// Texts with links next to names of notes.
const LINKS: [&str; 14] = [
    "See [[Iron kettle]] first.",
    "The [[Iron kettle|heavy `Green tea` kettle]] boils.",
    "Of [[Send trait#Why `Green tea`|the `Send trait` itself]] more is known.",
    "By [[Water hardness#Sec $Green tea$ y|label]] it differs.",
    "![[Brewing times|Green tea]]",
    "Read [about Green tea](Iron%20kettle.md#Green%20tea \"Green tea\").",
    "![Green tea in a cup](Green%20tea.png)",
    "As in [the Green tea book][book], or [book].\n\n[book]: <Water hardness.md> \"tea\"",
    "> [!note] Green tea\n> with [[Water hardness|Green tea]] in it",
    "| a | b |\n|---|---|\n| [[Send trait\\|Green tea]] | Green tea |",
    "- Green tea\n  - [[Brewing times]] of Green tea",
    "At https://example.org/Green tea/x and <https://example.org/Green> more.",
    "## Green tea and [[Water hardness]]",
    "Footnote of Green tea[^1].\n\n[^1]: See [[Send trait|Green tea]].",
];

/// Texts that only look like links, and a generated list.
const OTHERS: [&str; 6] = [
    "Code: `[[Green tea]] Green tea` it was.",
    "```\n[[Iron kettle]] Green tea\n```",
    "So $[[Green tea]] + Green tea$ holds.",
    "Not \\[[Green tea]] nor `a [[Green tea|b` Green tea]] is.",
    "<!-- [[Green tea]] Green tea -->",
    "<!-- mem list tag:tea -->\n<!-- /mem -->",
];

/// Front matter with links.
const FRONTS: [&str; 4] = [
    "",
    "related_to: [\"[[Water hardness]]\"]\n",
    "up: \"[[Iron kettle|Green tea]]\"\n",
    "tags: [tea]\nsources:\n  - '[[Send trait#Green tea]]'\n",
];

/// Generates a vault with a finding of every job: the fixture with links added to some notes.
fn vaults_of_every_job() -> impl Strategy<Value = BTreeMap<String, String>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/vaults/every-job");
    let named = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, fs::read_to_string(path).unwrap())
    };
    let mut notes: BTreeMap<String, String> = fs::read_dir(folder).unwrap().map(named).collect();
    let facts = "Postgres listens on port 5432.\n\nAda was born in Basel.";
    notes.insert("Facts.md".to_owned(), managed("", facts));
    let piece = prop::sample::select([&LINKS[..], &OTHERS[..5]].concat());
    let pieces = prop::collection::vec(prop::option::weighted(0.3, piece), notes.len());
    let front = prop::collection::vec(0..FRONTS.len() * 3, notes.len());
    (pieces, front).prop_map(move |(pieces, fronts)| {
        let more = pieces.into_iter().zip(fronts);
        let decorated = notes
            .iter()
            .zip(more)
            .map(|((name, text), (piece, front))| {
                let mut text = text.clone();
                if let Some(piece) = piece {
                    text = format!("{text}\n{piece}\n");
                }
                let front = FRONTS.get(front).copied().unwrap_or_default();
                text = match text.strip_prefix("---\n") {
                    Some(rest) => format!("---\n{front}{rest}"),
                    None if front.is_empty() => text,
                    None => format!("---\n{front}---\n{text}"),
                };
                let is_managed = text.contains("seal: ");
                (
                    name.clone(),
                    if is_managed {
                        seal::reseal(&text)
                    } else {
                        text
                    },
                )
            });
        decorated.collect()
    })
}

/// Returns the view of a later time, after a sleep saw all notes.
fn aged(scene: &IndexedVault) -> View<'_> {
    let at = |day: &str| format!("2060-{day}T12:00[UTC]").parse::<Zoned>().unwrap();
    let device = scene.vault.own_path(JOURNAL).join("x");
    let mut view = scene.view(true);
    if !device.exists() {
        fs::create_dir_all(&device).unwrap();
        view.now = at("01-01");
        journal::append(&device, &view.unknown(|_| true).unwrap()).unwrap();
        view = scene.view(true);
    }
    view.now = at("09-01");
    view
}

/// Generates a vault of similar notes.
fn vaults() -> impl Strategy<Value = BTreeMap<String, String>> {
    let pieces = prop::collection::vec(prop::sample::select([&LINKS[..], &OTHERS].concat()), 1..6);
    let note = (pieces, prop::sample::select(FRONTS.to_vec()), any::<bool>());
    prop::collection::vec(note, NAMES.len() + 1).prop_map(|notes| {
        let mut files = BTreeMap::new();
        for (at, (pieces, front, is_managed)) in notes.into_iter().enumerate() {
            // The last note is an extended copy of the one before.
            let name = NAMES.get(at).copied().unwrap_or("Times of brewing");
            let about = NAMES.get(at).unwrap_or(&NAMES[NAMES.len() - 1]);
            let body = format!(
                "The {about} was bought in Basel in the year of the flood, with Green tea.\n\n{}\n\n\
                 The {about} stayed for long.\n",
                pieces.join("\n\n"),
            );
            let front = format!("created: 2026-01-0{}\n{front}", at + 1);
            let text = if is_managed {
                managed(&front, &body)
            } else {
                format!("---\n{front}---\n{body}")
            };
            files.insert(format!("{name}.md"), text);
        }
        files
    })
}

/// A link without its target, and the target.
type Raw = (String, String);

/// Returns everything that looks like a link, in front matter and body.
fn raw_links(text: &str) -> Vec<Raw> {
    static LINK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r#"(?x) (!?) \[\[ ([^\[\]|\#\n]*?) ( (?: \# [^\[\]|\n]*? )? (?: \\?\| [^\n]*? )? ) \]\]
            | (!?\[ [^\[\]]* \] \( ) ([^()\#\s]*) ( (?:\#[^\s()]*)? (?:\s+"[^"]*")? \) )
            | ^(\[[^\[\]]*\]:\ ) (\S[^\n]*)
            | (!?\[[^\[\]]+\]\[[^\[\]]*\])
            | (https?://[^\s<>\[\]]+)"#,
        )
        .unwrap()
    });
    static BLOCK: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?s)<!-- mem .*?<!-- /mem.*?-->").unwrap());
    let text = BLOCK.replace_all(text, "");
    let mut links = Vec::new();
    for line in text.lines() {
        for found in LINK.captures_iter(line) {
            let part = |at: usize| found.get(at).map_or("", |part| part.as_str());
            let shape = [1, 3, 4, 6, 7, 9, 10].map(part).join("|");
            let target = [2, 5, 8].map(part).concat();
            links.push((shape, target));
        }
    }
    links
}

/// Returns the links that occur more often in `all` than in `others`.
fn beyond<'l>(all: &'l [Raw], others: &[Raw]) -> Vec<&'l Raw> {
    let mut counts: BTreeMap<&Raw, usize> = BTreeMap::new();
    for link in others {
        *counts.entry(link).or_default() += 1;
    }
    let is_more = |link: &&Raw| match counts.get_mut(*link) {
        Some(count @ 1..) => {
            *count -= 1;
            false
        }
        _ => true,
    };
    all.iter().filter(is_more).collect()
}

fn is_among(target: &str, notes: &[&VaultPath]) -> bool {
    let stem = target.trim_start_matches('<').replace("%20", " ");
    notes.iter().any(|note| stem.starts_with(note.stem()))
}

/// Checks the links of all notes that a group with these acts writes.
fn check(acts: &[Act], group: &CompiledGroup) -> Result<(), TestCaseError> {
    let merged: Vec<&VaultPath> = acts
        .iter()
        .flat_map(|act| match act {
            Act::Merge { keeper, others, .. } => others.iter().chain([keeper]).collect(),
            _ => Vec::new(),
        })
        .collect();
    for act in acts {
        if let Act::Create { path, text } = act {
            let write = group.writes.iter().find(|write| write.path == *path);
            let after = write.and_then(|write| write.after.as_deref());
            prop_assert_eq!(after.map(raw_links), Some(raw_links(text)), "{}", path);
        }
    }
    let adds_link = |act: &&Act| matches!(act, Act::LinkMention { .. } | Act::Relate { .. });
    let made = acts.iter().filter(adds_link).count();
    for write in group.writes.iter().filter(|write| write.op == FileOp::Edit) {
        let read = |text: &Option<std::sync::Arc<str>>| raw_links(text.as_deref().unwrap());
        let (before, after) = (read(&write.before), read(&write.after));
        let (lost, new) = (beyond(&before, &after), beyond(&after, &before));
        let context = || format!("{acts:?}\n{:?}\n{:?}", write.before, write.after);
        if merged.is_empty() {
            prop_assert!(lost.is_empty(), "{lost:?} {}", context());
            prop_assert!(new.len() <= made, "{new:?} {}", context());
            continue;
        }
        // A link to a merged note may now point to the kept note.
        let is_same = |(shape, target): &&Raw, other: &&Raw| {
            *shape == other.0 && (*target == other.1 || is_among(target, &merged))
        };
        for link in lost {
            let is_there = new.iter().any(|new| is_same(&link, new));
            let is_own = merged.contains(&&write.path) && is_among(&link.1, &merged);
            prop_assert!(is_there || is_own, "{link:?} {}", context());
        }
        let sources = group.writes.iter().filter(|other| match &other.op {
            FileOp::Trash { keeper, .. } => keeper.as_ref() == Some(&write.path),
            _ => false,
        });
        for source in sources {
            for link in beyond(&read(&source.before), &after) {
                prop_assert!(is_among(&link.1, &merged), "{link:?} {}", context());
            }
        }
    }
    Ok(())
}

/// Few cases, because each indexes a vault.
fn config() -> Config {
    Config {
        failure_persistence: None,
        ..Config::with_cases(16)
    }
}

fn compiled(scene: &IndexedVault, group: Group) -> CompileOutcome {
    let plan = Plan {
        job: "test".to_owned(),
        groups: vec![group],
    };
    preview(&scene.vault, &plan).remove(0)
}

#[test]
fn accepting_a_suggestion_preserves_all_links() {
    let accepted = RefCell::new(BTreeSet::new());
    // A fixed seed: the set of kinds and acts that occur is part of the test.
    let generator = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config(), generator);
    let vaults = prop_oneof![vaults().boxed(), vaults_of_every_job().boxed()];
    runner
        .run(&vaults, |files| {
            let scene = IndexedVault::new(files);
            for job in jobs() {
                let view = aged(&scene);
                let findings = job.find(&view, &Answers::default(), &Seeds::All);
                for finding in findings.unwrap().found {
                    let answers = finding.kind().answers().iter();
                    for answer in answers.filter(|answer| **answer != Answer::No) {
                        let Ok(group) = acts::group(&view, &finding, *answer) else {
                            continue;
                        };
                        let acts = finding.answered(*answer);
                        if let CompileOutcome::Ready(ready) = compiled(&scene, group) {
                            check(&acts, &ready)?;
                            let mut accepted = accepted.borrow_mut();
                            accepted.insert(finding.kind().name().to_owned());
                            accepted.extend(acts.iter().map(act_name));
                        }
                    }
                }
            }
            Ok(())
        })
        .unwrap();
    let accepted: Vec<String> = accepted.into_inner().into_iter().collect();
    expect_test::expect!["Create Edit LinkMention Merge Refresh Relate Trash association cluster conflict consolidate decay forget link mention merge rule space split view"].assert_eq(&accepted.join(" "));
}

/// Returns the name of the variant.
fn act_name(act: &Act) -> String {
    let text = format!("{act:?}");
    text.split([' ', '{']).next().unwrap_or_default().to_owned()
}

/// A wrong suggestion, as from a misread note: the same name linked at any position.
#[test]
fn links_at_wrong_positions_are_refused() {
    let mut runner = TestRunner::new(config());
    runner
        .run(&vaults(), |files| {
            let scene = IndexedVault::of(files.clone(), None);
            for (name, text) in &files {
                let body = text.rfind("\n---\n").unwrap() + 4;
                let found = OTHERS.iter().flat_map(|other| text.match_indices(other));
                let others: Vec<_> = found.map(|(at, other)| at..at + other.len()).collect();
                let is_text = |at: usize| at > body && others.iter().all(|it| !it.contains(&at));
                let names = text.match_indices("Green tea");
                for (at, was) in names.filter(|(at, _)| is_text(*at)) {
                    let edit = Edit::Replace {
                        span: at..at + was.len(),
                        was: was.to_owned(),
                        text: format!("[[Water hardness|{was}]]"),
                    };
                    let path = VaultPath::new(name).unwrap();
                    let base = ContentHash::of(text.as_bytes());
                    let changes = vec![Change::Edit {
                        path,
                        base,
                        edits: vec![edit],
                    }];
                    let group = Group {
                        changes,
                        ..Group::default()
                    };
                    let after =
                        format!("{}[[Water hardness|{was}]]{}", &text[..at], &text[at + 9..]);
                    let lost = beyond(&raw_links(text), &raw_links(&after)).len();
                    match compiled(&scene, group) {
                        CompileOutcome::Ready(_) => prop_assert_eq!(lost, 0, "{}", after),
                        other => prop_assert_ne!(lost, 0, "{:?} {}", other, after),
                    }
                }
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn names_and_kinds_belong_to_one_job() {
    let names = || {
        JOBS.iter()
            .flat_map(|job| job.aliases.iter().chain([&job.name]))
    };
    assert_eq!(names().collect::<BTreeSet<_>>().len(), names().count());
    for kind in QuestionKind::ALL {
        let jobs = JOBS.iter().filter(|job| job.kinds.contains(&kind));
        let expected = usize::from(kind != QuestionKind::MergeConflict);
        assert_eq!(jobs.count(), expected, "{kind:?}");
        assert!(job_of_kind(kind).is_none_or(|job| job.kinds.contains(&kind)));
    }
    assert!(JOBS.iter().all(|job| named(job.name) == Some(job)));
}
