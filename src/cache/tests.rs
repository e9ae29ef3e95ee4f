//! Interrupts an index pass at every step and checks that the next command answers correctly.
//!
//! [`failpoint::pass`] is called between all changes of the cache folder: creating, writing, renaming and
//! removing text index files, catalog commits, and the swap of `current`. A test runs a whole pass, copies
//! the folder at each step, and opens every copy in two forms. One is the state after a killed process. The
//! other is the state after a power cut, with unsynced files missing, empty, truncated or zeroed. (LMDB syncs
//! its own commits; those are assumed complete.)
//!
//! The suite tries some copies and one damage for each. To try all of them:
//!
//! ```text
//! MEM_FAULT_SEEDS=20 cargo test --release --lib cache::tests
//! ```

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::embedding::backfill;
use super::failpoint;
use super::sync::{self, SyncSource, rebuild};
use super::text::clause::Clause;
use super::{Cache, CacheError, RebuildReason, Result};
use crate::embed::{Embedder as _, embedded};
use crate::note::{LanguageSetting, Pattern};
use crate::vault::Vault;

type Files = BTreeMap<PathBuf, Vec<u8>>;

fn files(home: &Path) -> Files {
    let entries = walkdir::WalkDir::new(home).into_iter().flatten();
    let files = entries.filter(|entry| entry.file_type().is_file());
    // A file removed in the meantime is ignored.
    let read = |path: &Path| {
        Some((
            path.strip_prefix(home).ok()?.to_owned(),
            fs::read(path).ok()?,
        ))
    };
    files.filter_map(|entry| read(entry.path())).collect()
}

fn put(home: &Path, files: &Files) {
    let _ = fs::remove_dir_all(home);
    fs::create_dir_all(home).unwrap();
    for (name, bytes) in files {
        fs::create_dir_all(home.join(name).parent().unwrap()).unwrap();
        fs::write(home.join(name), bytes).unwrap();
    }
}

/// Runs `pass` on the cache at `home` and returns the files at each step.
fn run_and_record(home: &Path, pass: impl FnOnce()) -> Vec<Files> {
    let copies = Arc::new(Mutex::new(Vec::new()));
    let (kept, folder) = (Arc::clone(&copies), home.to_owned());
    let hook = move || kept.lock().unwrap().push(files(&folder));
    failpoint::watch(home, hook, pass);
    let mut copies = std::mem::take(&mut *copies.lock().unwrap());
    copies.push(files(home));
    copies
}

/// Contents of the caches: every note with its hash, details and passage vectors, and the notes of each word.
#[derive(Clone, Debug, PartialEq)]
struct Answers {
    notes: BTreeMap<String, String>,
    meanings: BTreeMap<String, Vec<(u64, Vec<f32>)>>,
    words: BTreeMap<&'static str, BTreeSet<String>>,
}

const WORDS: [&str; 6] = ["tea", "coffee", "milk", "new", "gone", "moved"];

fn answers(cache: &Cache) -> Result<Answers> {
    let reading = cache.read()?;
    let mut slots = Vec::new();
    reading.scan(|slot, _, _| slots.push(slot))?;
    let vectors = cache.vectors_of(&reading.meta()?, &embedded().model().id)?;
    let mut notes = BTreeMap::new();
    let mut meanings = BTreeMap::new();
    let mut paths = BTreeMap::new();
    for slot in slots {
        let (row, path) = reading.row(slot)?.expect("it was listed");
        let details = reading.details(slot)?.unwrap_or_default();
        notes.insert(path.to_owned(), format!("{:?} {details:?}", row.content));
        paths.insert(u64::from(slot), path.to_owned());
        let passages = row.rows.range().filter_map(|row| {
            let vectors = vectors.as_ref()?;
            assert_eq!(vectors.slot(row), slot);
            Some((vectors.text(row), vectors.vector(row)))
        });
        meanings.insert(path.to_owned(), passages.collect());
    }
    let reader = cache.text.reader()?;
    let mut words = BTreeMap::new();
    for word in WORDS {
        let found = reader.matches(&Clause::of(Pattern::Word(word.to_owned())))?;
        // As in a search: entries that the catalog does not confirm do not exist.
        let found = found.iter().filter_map(|key| paths.get(key).cloned());
        words.insert(word, found.collect());
    }
    Ok(Answers {
        notes,
        meanings,
        words,
    })
}

struct Fixture {
    dir: tempfile::TempDir,
    vault: Vault,
}

impl Fixture {
    fn new() -> Self {
        let attempt = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let dir = attempt.unwrap();
        fs::create_dir_all(dir.path().join("vault/.mem")).unwrap();
        fs::create_dir_all(dir.path().join("cache")).unwrap();
        let vault = Vault::open(&dir.path().join("vault")).unwrap();
        let fixture = Self { dir, vault };
        for number in 0..12 {
            let kind = ["tea", "coffee", "milk"][number % 3];
            let text = format!("---\ntags: [{kind}]\n---\nAbout {kind}, number {number}. [[n0]]\n");
            fixture.write(&format!("n{number}.md"), &text);
        }
        fixture
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("cache")
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.vault.root().join(name), text).unwrap();
    }

    /// Adds, removes, moves and changes notes.
    fn edit(&self) {
        self.write("n0.md", "new text about milk\n");
        self.write("added.md", "a new note about tea\n");
        fs::remove_file(self.vault.root().join("n1.md")).unwrap();
        let [from, to] = ["n2.md", "moved.md"].map(|name| self.vault.root().join(name));
        fs::rename(from, to).unwrap();
    }

    fn source(&self) -> SyncSource<'_> {
        SyncSource::quiet(&self.vault, Some(embedded()))
    }

    fn open(&self) -> Result<Cache, RebuildReason> {
        Cache::open(&self.home(), LanguageSetting::Auto)
    }

    fn rebuild(&self, instance: u64) -> Cache {
        let rebuilt = rebuild(self.source(), &self.home(), instance, LanguageSetting::Auto);
        rebuilt.unwrap().0
    }

    /// Runs the recovery of the next command; returns its answers, and those possible before recovery.
    fn next_command(&self, case: &str) -> (Answers, Option<Answers>) {
        let Ok(cache) = self.open() else {
            return (answers(&self.rebuild(7)).unwrap(), None);
        };
        let at_once = match answers(&cache) {
            Ok(answers) => Some(answers),
            Err(CacheError::Vectors(error)) => {
                assert!(error.is_damage(), "{error:?}");
                backfill::forget(&cache).unwrap();
                None
            }
            Err(error) => {
                assert!(error.is_damage(), "{error:?}");
                drop(cache);
                return (answers(&self.rebuild(8)).unwrap(), None);
            }
        };
        sync::sync_all(self.source(), &cache, HashSet::new).unwrap();
        while backfill::backfill(&self.vault, &cache, embedded(), None)
            .unwrap()
            .left
            > 0
        {}
        let answers = answers(&cache).unwrap_or_else(|error| panic!("{case}: {error:?}"));
        (answers, at_once)
    }
}

/// Damages a file that was not synced, as a power cut can.
fn damage(bytes: &[u8], kind: u64) -> Option<Vec<u8>> {
    match kind {
        0 => None,
        1 => Some(Vec::new()),
        2 => Some(bytes[..bytes.len() / 2].to_vec()),
        3 => Some(vec![0; bytes.len()]),
        _ => Some(bytes.to_vec()),
    }
}

/// Returns a possible state after a power cut: `before` is on disk, `now` may be.
fn after_power_cut(before: &Files, now: &Files, seed: u64) -> Files {
    let mut left = Files::new();
    for (number, name) in (0_u64..).zip(before.keys().chain(now.keys()).collect::<BTreeSet<_>>()) {
        let chance = xxh3_64_with_seed(&number.to_le_bytes(), seed);
        // The first seeds damage all files alike.
        let kind = if seed % 1000 < 5 {
            seed % 1000
        } else {
            chance % 6
        };
        let was = before.get(name);
        let kept = match now.get(name) {
            Some(bytes) if was == Some(bytes) || name.ends_with("catalog.mdb") => {
                Some(bytes.clone())
            }
            // The old file, as after a lost rename.
            Some(_) if kind == 5 => was.cloned(),
            Some(bytes) => damage(bytes, kind),
            // A removal may be lost as well.
            None if chance.is_multiple_of(2) => was.cloned(),
            None => None,
        };
        if let Some(bytes) = kept {
            left.insert(name.clone(), bytes);
        }
    }
    // The boot id changes.
    for (name, bytes) in &mut left {
        if name.ends_with("boot") {
            *bytes = b"another boot".to_vec();
        }
    }
    left
}

fn seeds() -> u64 {
    let seeds = std::env::var("MEM_FAULT_SEEDS").ok();
    seeds.map_or(0, |text| text.parse().expect("a number"))
}

/// Interrupts `pass` at every step and checks the next command.
fn interrupt_everywhere(
    name: &str,
    fixture: &Fixture,
    before: &Files,
    old: &Answers,
    pass: impl FnOnce(),
) {
    let copies = run_and_record(&fixture.home(), pass);
    let new = answers(&fixture.open().unwrap()).unwrap();
    let mut kept = 0;
    // Each copy takes one or two index passes.
    let few = if seeds() == 0 {
        copies.len() / 32 + 1
    } else {
        1
    };
    for (at, copy) in copies
        .iter()
        .enumerate()
        .filter(|(at, _)| at % few == 0 || at + 1 == copies.len())
    {
        let seed = at as u64 * 1000;
        let cut_seeds: Vec<u64> = if seeds() == 0 {
            vec![seed + at as u64 % 8]
        } else {
            (0..5 + seeds()).map(|number| seed + number).collect()
        };
        let power_cuts = cut_seeds.into_iter().map(|seed| {
            let case = format!("{name}, step {at}, power cut {seed}");
            (case, after_power_cut(before, copy, seed))
        });
        let killed = (format!("{name}, step {at}, killed"), copy.clone());
        for (case, left) in [killed].into_iter().chain(power_cuts) {
            put(&fixture.home(), &left);
            let (last, at_once) = fixture.next_command(&case);
            assert_eq!(last, new, "{case}");
            if let Some(at_once) = at_once {
                assert!(at_once == *old || at_once == new, "{case}: {at_once:#?}");
                kept += 1;
            }
            let again = answers(&fixture.open().unwrap()).unwrap();
            assert_eq!(again, new, "{case}, the second time");
        }
    }
    assert!(copies.len() > 20 && kept > 0, "{} {kept}", copies.len());
}

#[test]
fn an_incremental_pass_survives_interruption_anywhere() {
    let fixture = Fixture::new();
    let old = answers(&fixture.rebuild(1)).unwrap();
    let before = files(&fixture.home());
    fixture.edit();
    interrupt_everywhere("incremental", &fixture, &before, &old, || {
        let cache = fixture.open().unwrap();
        sync::sync_all(fixture.source(), &cache, HashSet::new).unwrap();
    });
    assert_ne!(old, answers(&fixture.open().unwrap()).unwrap());
}

#[test]
fn a_rebuild_survives_interruption_anywhere() {
    let fixture = Fixture::new();
    let old = answers(&fixture.rebuild(1)).unwrap();
    let before = files(&fixture.home());
    fixture.edit();
    interrupt_everywhere("rebuild", &fixture, &before, &old, || {
        drop(fixture.rebuild(2));
    });
}

#[test]
fn the_first_build_survives_interruption_anywhere() {
    let fixture = Fixture::new();
    let none = Answers {
        notes: BTreeMap::new(),
        meanings: BTreeMap::new(),
        words: BTreeMap::new(),
    };
    interrupt_everywhere("first build", &fixture, &Files::new(), &none, || {
        drop(fixture.rebuild(1));
    });
}
