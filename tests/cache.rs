//! Damage in the cache folder: the next search gives the right answer, prints at most one line
//! about it and exits with 0.

use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect;

use crate::support::expected::compare;
use crate::support::{Outcome, TestVault};

/// Searches, checks the answer, and returns stderr.
#[track_caller]
fn search(vault: &TestVault, what: &str) -> String {
    let outcome: Outcome = vault.run(["search", "tieguanyin"]).raw();
    compare(
        &expect![[r#"
            tea/Oolong.md:10
              A Tieguanyin that smells of lilac, brought by Tomasz from Taipei. I keep comparing it with Green tea, which is unfair to both.
        "#]],
        &outcome.stdout,
    );
    assert_eq!(outcome.code, 0, "{what}: {}", outcome.stderr);
    assert!(
        outcome.stderr.lines().count() <= 1,
        "{what}: {}",
        outcome.stderr
    );
    outcome.stderr
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let walk = walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .flatten();
    walk.filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .collect()
}

/// An intact cache to damage repeatedly.
struct CachedVault {
    vault: TestVault,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl CachedVault {
    fn new() -> Self {
        let vault = TestVault::indexed("sample");
        let files = files(&vault.cache())
            .into_iter()
            .map(|file| (file.clone(), fs::read(file).unwrap()))
            .collect();
        Self { vault, files }
    }

    /// Restores the cache, damages it with `harm`, and searches twice; the second search reports
    /// nothing.
    #[track_caller]
    fn after(&mut self, what: &str, harm: impl FnOnce(&TestVault)) -> String {
        fs::remove_dir_all(self.vault.home(".cache")).unwrap();
        for (file, bytes) in &self.files {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, bytes).unwrap();
        }
        harm(&self.vault);
        let said = search(&self.vault, what);
        assert_eq!(search(&self.vault, what), "", "{what}, the second time");
        said
    }
}

#[test]
fn cache_can_be_deleted_partly_or_completely() {
    let mut cached = CachedVault::new();
    assert_eq!(cached.after("untouched", |_| {}), "");
    let said = cached.after("all", |vault| {
        fs::remove_dir_all(vault.home(".cache")).unwrap();
    });
    assert_eq!(said, "indexed 41 notes\n");
    cached.after("index folder", |vault| {
        fs::remove_dir_all(vault.index()).unwrap();
    });
    cached.after("text folder", |vault| {
        fs::remove_dir_all(vault.index().join("text")).unwrap();
    });
    for (file, _) in cached.files.clone() {
        if !is_segment(&file) {
            let what = format!("deleted {}", file.display());
            cached.after(&what, |_| fs::remove_file(&file).unwrap());
        }
    }
}

#[test]
fn damaged_files_are_detected() {
    let mut cached = CachedVault::new();
    for (file, bytes) in cached.files.clone() {
        if !is_segment(&file) {
            damage(&mut cached, &file, &bytes);
        }
    }
}

#[test]
fn damage_that_kills_a_process_is_repaired_by_the_next() {
    let vault = TestVault::indexed("sample");
    let catalog = vault.index().join("catalog.mdb");
    let mut bytes = fs::read(&catalog).unwrap();
    // The upper half of the length of each row, which then ends far beyond the file. Index pages
    // look the same, with a page number instead of the length.
    let row = b"\x05\0r\0\0";
    let is_long = |at: usize| u16::from_le_bytes([bytes[at - 6], bytes[at - 5]]) > 150;
    let places = bytes.windows(row.len()).enumerate();
    let places = places.filter(|(at, _)| *at > 6 && is_long(*at));
    let places: Vec<usize> = places
        .filter(|(_, key)| key == row)
        .map(|(at, _)| at)
        .collect();
    for at in places {
        bytes[at - 4..at - 2].fill(0xff);
    }
    fs::write(&catalog, bytes).unwrap();
    let outcome: Outcome = vault.run(["search", "tieguanyin"]).raw();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    let words = "error: the index is damaged and was taken out of use\n\
        hint: run the command again to rebuild the index\n";
    assert_eq!(outcome.stderr, words);
    assert_eq!(search(&vault, "afterwards"), "indexed 41 notes\n");
}

#[test]
fn search_detects_damaged_rows() {
    let mut cached = CachedVault::new();
    let file = |name: &str| {
        let is_it = |(file, _): &&(PathBuf, Vec<u8>)| {
            let found = file.file_name().unwrap();
            found.to_str().unwrap().starts_with(name)
        };
        cached.files.iter().find(is_it).unwrap().clone()
    };
    let (catalog, vectors) = (file("catalog.mdb"), file("vectors."));
    let path = b"tea/Oolong.md";
    let rows = catalog.1.windows(path.len()).enumerate();
    let rows: Vec<usize> = rows
        .filter(|(_, part)| part == path)
        .map(|(at, _)| at)
        .collect();
    for ((file, mut bytes), places) in [(catalog, rows), (vectors, vec![200])] {
        for at in places {
            bytes[at] ^= 1;
        }
        let what = file.display().to_string();
        let said = cached.after(&what, |_| fs::write(&file, bytes).unwrap());
        assert_ne!(said, "", "{what}");
    }
}

#[test]
fn list_and_status_rebuild_damaged_files() {
    let vault = TestVault::indexed("sample");
    let listed: Outcome = vault.run(["list", "--json"]).raw();
    let catalog = |harmed: &[u8]| {
        let file = vault.index().join("catalog.mdb");
        let mut bytes = fs::read(&file).unwrap();
        let places = bytes.windows(harmed.len()).enumerate();
        let places = places.filter(|(_, part)| *part == harmed);
        let places: Vec<usize> = places.map(|(at, _)| at).collect();
        assert!(!places.is_empty());
        for at in places {
            bytes[at] ^= 1;
        }
        fs::write(&file, bytes).unwrap();
    };
    // A link label, which only details contain, and a path, which rows contain.
    for harmed in [b"tomatoes".as_slice(), b"tea/Oolong.md"] {
        for command in ["list", "status"] {
            catalog(harmed);
            let first: Outcome = vault.run([command, "--json"]).raw();
            let second: Outcome = vault.run([command, "--json"]).raw();
            let reads = command == "list" || harmed == b"tea/Oolong.md";
            assert_eq!(first.code, 0, "{command}: {}", first.stderr);
            assert_eq!(
                !first.stderr.is_empty(),
                reads,
                "{command}: {}",
                first.stderr
            );
            assert_eq!(second.stderr, "", "{command}");
            if command == "list" {
                assert_eq!(first.stdout, listed.stdout);
            }
        }
    }
}

#[test]
fn text_index_files_can_be_deleted_or_damaged() {
    let mut cached = CachedVault::new();
    let segments: Vec<_> = cached
        .files
        .iter()
        .filter(|(file, _)| is_segment(file))
        .take(6)
        .cloned()
        .collect();
    assert_eq!(segments.len(), 6);
    for (file, bytes) in segments {
        cached.after("deleted", |_| fs::remove_file(&file).unwrap());
        damage(&mut cached, &file, &bytes);
    }
}

fn is_segment(file: &Path) -> bool {
    file.parent().is_some_and(|folder| folder.ends_with("text")) && !file.ends_with("meta.json")
}

fn damage(cached: &mut CachedVault, file: &Path, bytes: &[u8]) {
    for (harm, harmed) in [
        ("empty", Vec::new()),
        ("cut in half", bytes[..bytes.len() / 2].to_vec()),
        ("zeroed", vec![0; bytes.len()]),
        (
            "garbage",
            (0..bytes.len()).map(|at| (at * 151 + 7) as u8).collect(),
        ),
    ] {
        let what = format!("{harm} {}", file.display());
        cached.after(&what, |_| fs::write(file, &harmed).unwrap());
    }
}

#[test]
fn cache_of_another_version_is_rebuilt() {
    let mut cached = CachedVault::new();
    let format = mem::cache::meta::FORMAT;
    for (other, words) in [
        (
            format + 1,
            "the index was written by a newer mem; reindexed 41 notes\n",
        ),
        (
            format - 1,
            "the index was written by an older mem; reindexed 41 notes\n",
        ),
    ] {
        let said = cached.after(words, |vault| {
            let file = vault.index().join("catalog.mdb");
            let mut bytes = fs::read(&file).unwrap();
            // LMDB writes the length of the key, the key `m`, and the record, which begins with its
            // format. An older page may contain another one.
            let record = [1, 0, b'm', u8::try_from(format).unwrap()];
            let places: Vec<usize> = (3..bytes.len())
                .filter(|at| bytes[at - 3..=*at] == record)
                .collect();
            assert!(!places.is_empty());
            for at in places {
                bytes[at] = u8::try_from(other).unwrap();
            }
            fs::write(&file, bytes).unwrap();
        });
        assert_eq!(said, words);
    }
    let said = cached.after("another language", |vault| {
        vault.write(".mem/config.toml", "[index]\nlanguage = \"german\"\n");
    });
    assert_eq!(
        said,
        "the index was built for another `index.language` (auto); reindexed 41 notes\n"
    );
}

#[test]
fn invalid_index_pointer_is_ignored() {
    let mut cached = CachedVault::new();
    for pointer in [
        "",
        "../../..",
        "0000000000000000",
        "zz",
        "/etc",
        "\u{0}\u{ff}",
    ] {
        let what = format!("current = {pointer:?}");
        cached.after(&what, |vault| {
            fs::write(vault.cache().join("current"), pointer).unwrap();
        });
    }
}

#[test]
fn cache_can_be_inside_the_vault() {
    let vault = TestVault::from("sample");
    vault.write(".mem/config.toml", "[cache]\ninside = true\n");
    assert_eq!(search(&vault, "inside"), "indexed 41 notes\n");
    assert_eq!(search(&vault, "inside"), "");
    assert!(vault.path(".mem/cache/current").exists() && !vault.home(".cache").exists());
}
