//! `mem watch` with editors, sync tools and other `mem` processes. File operations are those of
//! such programs, which need not be installed.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, SystemTime};

use expect_test::expect;
use rustix::process::Signal;

use crate::support::records::{RememberReply, Search, Status, WatchLine};
use crate::support::watching::{ReportedChanges, Watch, assert_like_new};
use crate::support::{TestVault, job_names};

/// Returns the paths of the notes that contain `word`.
#[track_caller]
fn saying(vault: &TestVault, word: &str) -> Vec<String> {
    let outcome = vault
        .run(["search", "--mode", "lexical", "--json", "-n", "100", word])
        .raw();
    let record: Search = serde_json::from_str(&outcome.stdout).unwrap();
    let mut paths: Vec<String> = record.hits.into_iter().map(|hit| hit.path).collect();
    paths.sort();
    paths
}

fn changed(paths: &[&str]) -> ReportedChanges {
    ReportedChanges {
        changed: paths.iter().map(|path| (*path).to_owned()).collect(),
        ..ReportedChanges::default()
    }
}

/// Waits for a reported change, which only file events can cause.
#[track_caller]
fn next_change(watch: &Watch<'_>) -> ReportedChanges {
    watch.until(|told| !told.changed.is_empty())
}

fn strings(paths: &[&str]) -> Vec<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

/// How a program saves a note, given the vault and the new text.
type Save = fn(&TestVault, &str);

#[test]
fn save_is_reported_once_for_any_editor() {
    const NOTE: &str = "tea/Oolong.md";
    let vault = TestVault::indexed("sample");
    let mut watch = Watch::start(&vault);
    let saves: [(&str, Save); 7] = [
        ("in place", |vault, text| vault.write(NOTE, text)),
        ("vim", |vault, text| {
            let backup = vault.path("tea/Oolong.md~");
            fs::write(vault.path("tea/4913"), "").unwrap();
            fs::remove_file(vault.path("tea/4913")).unwrap();
            fs::rename(vault.path(NOTE), &backup).unwrap();
            vault.write(NOTE, text);
            fs::remove_file(backup).unwrap();
        }),
        ("a new file from the same folder", |vault, text| {
            vault.write("tea/.Oolong.md.AbC123", text);
            fs::rename(vault.path("tea/.Oolong.md.AbC123"), vault.path(NOTE)).unwrap();
        }),
        ("a new file from outside", |vault, text| {
            fs::write(vault.home("new"), text).unwrap();
            fs::rename(vault.home("new"), vault.path(NOTE)).unwrap();
        }),
        ("cut, then written in pieces", |vault, text| {
            let mut file = fs::File::create(vault.path(NOTE)).unwrap();
            for piece in text.as_bytes().chunks(5) {
                file.write_all(piece).unwrap();
                file.sync_data().unwrap();
            }
        }),
        ("deleted and made anew", |vault, text| {
            fs::remove_file(vault.path(NOTE)).unwrap();
            vault.write(NOTE, text);
        }),
        ("through an exchange of names", |vault, text| {
            use rustix::fs::{CWD, RenameFlags, renameat_with};
            let temp = vault.path("tea/.new");
            fs::write(&temp, text).unwrap();
            let note = vault.path(NOTE);
            if renameat_with(CWD, &temp, CWD, &note, RenameFlags::EXCHANGE).is_err() {
                fs::rename(&temp, &note).unwrap();
            }
            let _ = fs::remove_file(&temp);
        }),
    ];
    for (number, (how, save)) in saves.into_iter().enumerate() {
        let word = format!("zucchini{number}");
        save(&vault, &format!("The {word} blooms, it is a new word.\n"));
        let told = watch.until(|told| !told.changed.is_empty());
        assert_eq!(told, changed(&[NOTE]), "{how}");
        assert_eq!(saying(&vault, &word), [NOTE], "{how}");
        assert_eq!(watch.fence(), ReportedChanges::default(), "{how}");
    }
    for number in 0..10 {
        vault.write(
            NOTE,
            &format!("Saved as often as a zeppelin{number} lands.\n"),
        );
    }
    let told = watch.fence();
    assert!(
        !told.changed.is_empty() && told.changed.len() < 10,
        "{told:?}"
    );
    assert!(told.changed.iter().all(|path| path == NOTE), "{told:?}");
    assert_eq!(saying(&vault, "zeppelin9"), [NOTE]);
    watch.end("");
}

#[test]
fn other_files_are_never_reported() {
    let vault = TestVault::indexed("sample");
    let mut watch = Watch::start(&vault);
    for path in [
        ".syncthing.Oolong.md.tmp",
        "tea/.syncthing.Oolong.md.tmp",
        "tea/Oolong.md.part",
        "tea/Oolong.md~",
        "tea/.Oolong.md.swp",
        "tea/.#Oolong.md",
        "tea/.~mem-20260401-120000-abcd-0",
        "tea/picture.jpg",
        ".git/refs/note.md",
        ".obsidian/plugins/note.md",
        ".mem/note.md",
    ] {
        vault.write(path, "The zucchini blooms.\n");
    }
    // Nor files that a `.gitignore` excludes, even after it is rewritten.
    vault.write("tea/.gitignore", "draft*\n");
    vault.write("tea/draft.md", "The zucchini blooms.\n");
    assert_eq!(watch.fence(), ReportedChanges::default());
    vault.write("tea/draft.md", "The zucchini still blooms.\n");
    assert_eq!(watch.fence(), ReportedChanges::default());
    assert_eq!(saying(&vault, "zucchini"), [""; 0]);
    watch.end("");
}

#[test]
fn folders_are_added_moved_and_removed() {
    let vault = TestVault::indexed("sample");
    let mut watch = Watch::start(&vault);
    // A folder moved in with notes: there are no events for them.
    let outside = vault.home("outside");
    fs::create_dir_all(outside.join("deep")).unwrap();
    for name in ["1.md", "deep/2.md"] {
        fs::write(outside.join(name), format!("Zucchini {name}.\n")).unwrap();
    }
    fs::rename(&outside, vault.path("in")).unwrap();
    let told = watch.until(|told| told.added.len() == 2);
    assert_eq!(told.added, ["in/1.md", "in/deep/2.md"]);
    assert_eq!(saying(&vault, "zucchini"), ["in/1.md", "in/deep/2.md"]);
    // Now they are watched in place.
    vault.write("in/deep/2.md", "Courgette.\n");
    assert_eq!(next_change(&watch), changed(&["in/deep/2.md"]));
    // Renamed, and watched under the new name.
    fs::rename(vault.path("in"), vault.path("tea/kept")).unwrap();
    let moved = watch.fence().moved;
    let expected = [
        ("in/1.md", "tea/kept/1.md"),
        ("in/deep/2.md", "tea/kept/deep/2.md"),
    ];
    assert_eq!(
        moved,
        expected.map(|(from, to)| (from.to_owned(), to.to_owned()))
    );
    vault.write("tea/kept/deep/2.md", "Zucchini again.\n");
    assert_eq!(next_change(&watch), changed(&["tea/kept/deep/2.md"]));
    // Another folder with the old name is a different one.
    vault.write("in/deep/3.md", "Zucchini.\n");
    assert_eq!(
        watch.until(|told| !told.added.is_empty()).added,
        ["in/deep/3.md"]
    );
    vault.write("in/deep/3.md", "Zucchini, once more.\n");
    assert_eq!(next_change(&watch), changed(&["in/deep/3.md"]));
    vault.write("tea/kept/1.md", "Zucchini, too.\n");
    assert_eq!(next_change(&watch), changed(&["tea/kept/1.md"]));
    // Moved out of the vault.
    fs::rename(vault.path("tea/kept"), &outside).unwrap();
    fs::write(outside.join("1.md"), "Zucchini outside.\n").unwrap();
    let told = watch.fence();
    assert_eq!(told.removed, ["tea/kept/1.md", "tea/kept/deep/2.md"]);
    assert_eq!(told.added.len() + told.changed.len(), 0, "{told:?}");
    fs::remove_dir_all(vault.path("in")).unwrap();
    assert_eq!(watch.fence().removed, ["in/deep/3.md"]);
    assert_eq!(saying(&vault, "zucchini"), [""; 0]);
    // Two folders that swap names are different ones under known names.
    vault.write("one/a.md", "One.\n");
    vault.write("two/b.md", "Two.\n");
    watch.until(|told| told.added.len() == 2);
    watch.fence();
    for (from, to) in [("one", "aside"), ("two", "one"), ("aside", "two")] {
        fs::rename(vault.path(from), vault.path(to)).unwrap();
    }
    assert_eq!(watch.fence().moved.len(), 2);
    vault.write("one/b.md", "Two, saved.\n");
    assert_eq!(next_change(&watch), changed(&["one/b.md"]));
    vault.write("two/a.md", "One, saved.\n");
    assert_eq!(next_change(&watch), changed(&["two/a.md"]));
    // A folder may have the name of a note.
    fs::create_dir(vault.path("folder.md")).unwrap();
    vault.write("folder.md/note.md", "Zucchini.\n");
    assert_eq!(
        watch.until(|told| !told.added.is_empty()).added,
        ["folder.md/note.md"]
    );
    vault.write("folder.md/note.md", "Courgette.\n");
    assert_eq!(next_change(&watch), changed(&["folder.md/note.md"]));
    watch.end("");
}

#[test]
fn note_in_new_folders_is_found() {
    let vault = TestVault::indexed("sample");
    let watch = Watch::start(&vault);
    for number in 0..10 {
        vault.write(
            &format!("new{number}/a/b/c.md"),
            &format!("Zucchini{number}.\n"),
        );
        vault.write(&format!("new{number}/a/d.md"), "Zucchini.\n");
    }
    let told = watch.until(|told| told.added.len() == 20);
    assert_eq!(told.added.len(), 20);
    assert_eq!(saying(&vault, "zucchini7"), ["new7/a/b/c.md"]);
    vault.write("new7/a/b/c.md", "Courgette.\n");
    assert_eq!(next_change(&watch), changed(&["new7/a/b/c.md"]));
    watch.end("");
}

#[test]
fn exclusions_may_change() {
    let vault = TestVault::indexed("sample");
    let mut watch = Watch::start(&vault);
    vault.write(".memignore", "tea/\n");
    let told = watch.until(|told| told.removed.len() >= 2);
    assert!(
        told.removed.iter().all(|path| path.starts_with("tea/")),
        "{told:?}"
    );
    vault.write("tea/Oolong.md", "The zucchini blooms.\n");
    assert_eq!(watch.fence(), ReportedChanges::default());
    fs::remove_file(vault.path(".memignore")).unwrap();
    let back = watch.until(|back| back.added.len() >= told.removed.len());
    assert_eq!(back.added, told.removed);
    vault.write("tea/Oolong.md", "The zucchini withers.\n");
    assert_eq!(next_change(&watch), changed(&["tea/Oolong.md"]));
    // Obsidian stores its list in a hidden folder.
    vault.write(".obsidian/app.json", r#"{"userIgnoreFilters": ["tea/"]}"#);
    assert_eq!(
        watch.until(|out| !out.removed.is_empty()).removed,
        told.removed
    );
    vault.write(".obsidian/app.json", "{}");
    assert_eq!(
        watch.until(|back| !back.added.is_empty()).added,
        told.removed
    );
    watch.end("");
}

#[test]
fn a_thousand_notes_at_once() {
    let vault = TestVault::indexed("sample");
    let watch = Watch::start(&vault);
    let path = |number: usize| format!("branch/{}/{number}.md", number % 7);
    for number in 0..1000 {
        vault.write(&path(number), &format!("Zucchini{number} grows.\n"));
    }
    let told = watch.until(|told| told.added.len() + told.changed.len() >= 1000);
    assert_eq!(told.added.len(), 1000);
    assert_eq!(saying(&vault, "zucchini500"), [path(500)]);
    for number in 0..1000 {
        vault.write(&path(number), &format!("Courgette{number} grows.\n"));
    }
    for number in 0..100 {
        fs::remove_file(vault.path(&path(number))).unwrap();
    }
    let told = watch.until(|told| told.changed.len() >= 900 && told.removed.len() >= 100);
    assert_eq!((told.added.len(), told.moved.len()), (0, 0));
    assert_eq!(saying(&vault, "courgette500"), [path(500)]);
    watch.end("");
}

#[test]
fn unreadable_note_is_reported_once() {
    let vault = TestVault::indexed("sample");
    let mut watch = Watch::start(&vault);
    fs::write(vault.path("work/bad.md"), b"Zucchini \xff.\n").unwrap();
    assert_eq!(watch.fence(), ReportedChanges::default());
    fs::write(vault.path("work/bad.md"), b"Zucchini \xff!\n").unwrap();
    assert_eq!(watch.fence(), ReportedChanges::default());
    // Saved in place: neither the folder's time nor the catalog shows it.
    fs::write(vault.path("work/bad.md"), "Zucchini.\n").unwrap();
    assert_eq!(watch.fence().added, ["work/bad.md"]);
    assert_eq!(saying(&vault, "zucchini"), ["work/bad.md"]);
    fs::write(vault.path("tea/Oolong.md"), b"\xff").unwrap();
    assert_eq!(watch.fence(), ReportedChanges::default());
    vault.write("tea/Oolong.md", "The zucchini blooms.\n");
    assert_eq!(watch.fence(), changed(&["tea/Oolong.md"]));
    watch.end(
        "warning: skipped `work/bad.md`: it is not UTF-8 text (byte 9)\n\
         warning: skipped `tea/Oolong.md`: it is not UTF-8 text (byte 0)\n",
    );
}

#[test]
fn single_watch_and_no_blocking() {
    let vault = TestVault::indexed("sample");
    let status = || vault.run(["status", "--json"]).json::<Status>(0).watch;
    assert!(status().is_none());
    vault.at("2026-04-01T12:00:00.123456789Z");
    let first = Watch::start(&vault);
    let found = status().unwrap();
    assert_eq!(found.pid, first.pid());
    assert_eq!(found.since, "2026-04-01T12:00:00Z");
    let pid = first.pid();
    vault
        .run(["watch"])
        .naming(&pid, "$PID")
        .stderr(expect![[r#"
            error: another watch is already running in this vault by process $PID, since 2026-04-01T12:00:00Z
            hint: stop it with `kill $PID`
        "#]])
        .code(2);
    let human = vault.run(["status"]).raw().stdout;
    let line = format!("\nwatch       by process {pid} since 2026-04-01 12:00\n");
    assert!(human.contains(&line), "{human}");
    // After a kill, nothing needs cleanup and no stale state is used.
    first.signal(Signal::KILL);
    assert_eq!(first.wait().code, None);
    assert!(status().is_none());
    vault.write("tea/Oolong.md", "The zucchini blooms.\n");
    assert_eq!(saying(&vault, "zucchini"), ["tea/Oolong.md"]);
    Watch::start(&vault).end("");
}

#[test]
fn hanging_watch_makes_no_answer_stale() {
    let vault = TestVault::indexed("sample");
    let watch = Watch::start(&vault);
    let mut answered = 0;
    for number in 0..30 {
        if answered == 3 {
            break;
        }
        let word = format!("zucchini{number}");
        watch.settle();
        watch.signal(Signal::STOP);
        vault.write("tea/Oolong.md", &format!("The {word} blooms.\n"));
        let search = ["search", "--mode", "lexical", &word];
        let outcome = vault.run(search).raw();
        watch.signal(Signal::CONT);
        // On a busy machine it may have been stopped while writing the index. Then there is no
        // answer, so ask again.
        if outcome.code == 2 {
            let pid = format!("process {}", watch.pid());
            assert!(outcome.stderr.contains(&pid), "{outcome:?}");
        } else {
            assert!(
                outcome.stdout.starts_with("tea/Oolong.md:1\n"),
                "{outcome:?}"
            );
            answered += 1;
        }
    }
    assert_eq!(answered, 3);
    watch.end("");
}

/// A search directly after a save, which the watch may not have seen yet.
#[test]
fn answers_reflect_current_notes() {
    let vault = TestVault::indexed("sample");
    let watch = Watch::start(&vault);
    for number in 0..30 {
        if number % 3 == 0 {
            watch.settle();
        }
        let word = format!("zucchini{number}");
        vault.write("tea/Oolong.md", &format!("The {word} blooms.\n"));
        assert_eq!(saying(&vault, &word), ["tea/Oolong.md"]);
    }
    watch.end("");
}

/// A watch updates one index; readers update any other.
#[test]
fn other_indexes_are_updated_by_readers() {
    let vault = TestVault::indexed("sample");
    let mut watch = Watch::start(&vault);
    let elsewhere = |word: &str| {
        let search = vault.command(["-q", "search", "--mode", "lexical", "--json", word]);
        let outcome = search
            .env("XDG_CACHE_HOME", vault.home("other"))
            .run()
            .raw();
        let record: Search = serde_json::from_str(&outcome.stdout).unwrap();
        record.total
    };
    assert_eq!(elsewhere("zucchini"), 0);
    vault.write("tea/Oolong.md", "The zucchini blooms.\n");
    watch.fence();
    assert_eq!(elsewhere("zucchini"), 1);
    watch.end("");
}

/// A search alone cannot detect this: an old note, saved in place, that was not a hit.
#[test]
fn in_place_save_of_an_old_note_is_found() {
    let vault = TestVault::empty();
    for number in 0..400 {
        vault.write(&format!("{number}.md"), &format!("Words {number}.\n"));
    }
    let dated = |path: &str, seconds: u64| {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let times = fs::FileTimes::new().set_modified(time);
        let file = fs::File::open(vault.path(path)).unwrap();
        file.set_times(times).unwrap();
    };
    vault.write("old/7.md", "Old words 7.\n");
    dated("old/7.md", 1_000_000);
    dated("old", 1_000_000);
    vault.run(["-q", "index"]).raw();
    vault.write("old/7.md", "The zeppelin lands.\n");
    dated("old/7.md", 1_000_001);
    assert_eq!(saying(&vault, "zeppelin"), [""; 0]);
    let mut watch = Watch::start(&vault);
    assert_eq!(watch.fence(), changed(&["old/7.md"]));
    assert_eq!(saying(&vault, "zeppelin"), ["old/7.md"]);
    vault.write("old/7.md", "The zucchini blooms.\n");
    dated("old/7.md", 1_000_002);
    assert_eq!(watch.fence(), changed(&["old/7.md"]));
    assert_eq!(saying(&vault, "zucchini"), ["old/7.md"]);
    watch.end("");
}

#[test]
fn own_writes_are_reported_at_most_once() {
    let vault = TestVault::indexed("sample");
    let mut watch = Watch::start(&vault);
    let count = |told: &ReportedChanges, path: &str| {
        let all = told.added.iter().chain(&told.changed).chain(&told.removed);
        all.filter(|found| *found == path).count()
            + told.moved.iter().filter(|(_, to)| to == path).count()
    };
    let remembered: RememberReply = vault
        .run(["-q", "remember", "--json", "-t", "Zucchini", "It blooms."])
        .json(0);
    let path = remembered.path.as_str();
    let told = watch.fence();
    assert!(count(&told, path) <= 1, "{told:?}");
    for (arguments, path) in [
        (&["edit", path, "--set", "status=green"][..], path),
        (&["mv", path, "garden/Courgette.md"], "garden/Courgette.md"),
        (&["rm", "garden/Courgette.md"], "garden/Courgette.md"),
    ] {
        let outcome = vault.run([&["-q"], arguments].concat()).raw();
        assert_eq!(outcome.code, 0, "{arguments:?}: {}", outcome.stderr);
        let told = watch.fence();
        assert!(count(&told, path) <= 1, "{arguments:?}: {told:?}");
    }
    watch.end("");
}

#[test]
fn caches_settings_and_vault_may_disappear_and_return() {
    let vault = TestVault::indexed("sample");
    let mut watch = Watch::start(&vault);
    let rebuilt = |watch: &Watch<'_>, expected: usize| loop {
        if let WatchLine::Rebuilt { notes, .. } = watch.next() {
            return assert_eq!(notes, expected);
        }
    };
    fs::remove_dir_all(vault.home(".cache")).unwrap();
    vault.write("tea/Oolong.md", "The zucchini blooms.\n");
    rebuilt(&watch, 41);
    assert_eq!(saying(&vault, "zucchini"), ["tea/Oolong.md"]);
    // From the next batch words are not stemmed.
    let outcome = vault.run(["-q", "config", "index.language", "none"]).raw();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    vault.write("new.md", "New.\n");
    rebuilt(&watch, 42);
    assert_eq!(saying(&vault, "bloom"), [""; 0]);
    watch.fence();
    let away = vault.home("away");
    fs::rename(vault.path(""), &away).unwrap();
    watch.until_warned("cannot watch for changes at the moment");
    fs::write(away.join("tea/Oolong.md"), "The zeppelin lands.\n").unwrap();
    fs::rename(&away, vault.path("")).unwrap();
    let told = watch.until(|told| !told.changed.is_empty());
    assert_eq!(told, changed(&["tea/Oolong.md"]));
    watch.settle();
    watch.signal(Signal::TERM);
    let ended = watch.wait();
    assert_eq!(ended.code, Some(0));
    let words: Vec<&str> = ended.stderr.lines().collect();
    let away = words
        .iter()
        .filter(|line| line.contains("at the moment"))
        .count();
    assert_eq!(away, 1, "{}", ended.stderr);
    assert_like_new(&vault);
}

#[test]
fn messages_and_clean_exit() {
    let vault = TestVault::indexed("sample");
    for (arguments, signal) in [
        (&["watch"][..], Signal::INT),
        (&["watch", "-q"], Signal::TERM),
        (&["watch", "--json"], Signal::HUP),
    ] {
        let watch = Watch::begin(&vault, arguments);
        let mut lines = Vec::new();
        if arguments == ["watch"] {
            lines.push(watch.line());
            for number in 0..7 {
                vault.write(&format!("new {number}.md"), "New.\n");
            }
            // Files may arrive in several batches.
            while lines.len() < 6 {
                lines.push(watch.line());
            }
            assert!(
                lines[0].starts_with("12:00:00  watching 41 notes in 13 folders"),
                "{lines:?}"
            );
            assert!(lines[1].starts_with("12:00:00  added   new "), "{lines:?}");
        }
        watch.settle();
        watch.signal(signal);
        let ended = watch.wait();
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
        let last = ended.lines.last().map(String::as_str);
        let expected = match arguments {
            ["watch"] => Some("12:00:00  stopped"),
            ["watch", "-q"] => None,
            _ => Some(r#"{"event":"stopped"}"#),
        };
        assert_eq!(last, expected);
    }
}

#[test]
fn due_jobs_run_when_idle() {
    let vault = TestVault::indexed("sample");
    vault.run(["-q", "config", "watch.quiet", "1s"]).raw();
    let mut watch = Watch::start(&vault);
    let jobs = loop {
        if let WatchLine::Slept { jobs, .. } = watch.next() {
            break jobs;
        }
    };
    let ends: Vec<(&str, &str, usize)> = jobs
        .iter()
        .map(|job| (job.job.as_str(), job.outcome.as_str(), job.changed))
        .collect();
    let mut expected = job_names();
    expected.insert(0, "index");
    let changed = |job| usize::from(job == "dedupe");
    let expected = expected.into_iter().map(|job| (job, "done", changed(job)));
    assert_eq!(ends, expected.collect::<Vec<_>>());
    // Changes of its own sleep are reported by the sleep.
    let told = watch.fence();
    assert!(told.changed.len() + told.removed.len() <= 3, "{told:?}");
    let run = jobs[1].run.clone().unwrap();
    let outcome = vault.run(["-q", "undo", &run]).raw();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    watch.end("");
}

#[test]
fn views_follow_their_queries() {
    const HOME: &str = "<!-- mem list tag:open -->\n<!-- /mem -->\n";
    let vault = TestVault::of([("Home.md", HOME), ("Tea.md", "#open\n")]);
    vault.run(["-q", "sleep", "--all"]).raw();
    assert!(vault.read("Home.md").contains("- [[Tea]]\n<!-- /mem"));
    vault.run(["-q", "config", "watch.quiet", "1s"]).raw();
    let mut watch = Watch::start(&vault);
    vault.write("Cup.md", "#open\n");
    let jobs = loop {
        if let WatchLine::Slept { jobs, .. } = watch.next() {
            break jobs;
        }
    };
    let done: Vec<(&str, usize)> = jobs
        .iter()
        .map(|job| (job.job.as_str(), job.changed))
        .collect();
    assert_eq!(done, [("views", 1)]);
    let written = vault.read("Home.md");
    assert!(
        written.contains("- [[Cup]]\n- [[Tea]]\n<!-- /mem"),
        "{written}"
    );
    // Its own writes do not trigger another write.
    std::thread::sleep(Duration::from_millis(2500));
    watch.fence();
    assert_eq!(vault.read("Home.md"), written);
    watch.end("");
}

#[test]
fn running_sleep_is_not_disturbed() {
    let vault = TestVault::indexed("sample");
    vault.run(["-q", "config", "watch.quiet", "1s"]).raw();
    let state = fs::read_dir(vault.home(".local/state/mem")).unwrap();
    let folder = state.flatten().find(|entry| entry.path().is_dir()).unwrap();
    let lock = fs::File::create(folder.path().join("sleep")).unwrap();
    lock.lock().unwrap();
    let mut watch = Watch::start(&vault);
    // Longer than the quiet time: a sleep is tried, blocked by the lock, and not reported.
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(watch.fence(), ReportedChanges::default());
    watch.end("");
}

#[test]
fn reader_of_events_may_disconnect() {
    let vault = TestVault::indexed("sample");
    let mut watch = Watch::begin(&vault, &["watch", "--jsonl"]);
    assert!(matches!(watch.next(), WatchLine::Started { notes: 41, .. }));
    watch.read_no_more();
    for number in 0..2 {
        vault.write("new.md", &format!("New {number}.\n"));
        watch.settle_or_end();
    }
    let ended = watch.wait();
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
}

#[test]
fn unreadable_folder_drops_no_notes() {
    let vault = TestVault::indexed("sample");
    let mut watch = Watch::start(&vault);
    let mode = |mode| {
        fs::set_permissions(vault.path("tea"), fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(0o000);
    // Root may read everything.
    let is_hidden = fs::read_dir(vault.path("tea")).is_err();
    assert_eq!(watch.fence(), ReportedChanges::default());
    mode(0o755);
    vault.write("tea/Oolong.md", "The zucchini blooms.\n");
    assert_eq!(watch.fence(), changed(&["tea/Oolong.md"]));
    let warning = "warning: skipped `tea`: cannot read it (permission denied)\n";
    watch.end(if is_hidden { warning } else { "" });
}

#[test]
fn events_are_complete() {
    let vault = TestVault::indexed("sample");
    let watch = Watch::begin(&vault, &["watch", "--jsonl"]);
    assert!(matches!(watch.next(), WatchLine::Started { notes: 41, folders, .. } if folders > 5));
    vault.write("tea/Oolong.md", "The zucchini blooms.\n");
    let WatchLine::Indexed {
        added,
        changed,
        moved,
        removed,
        seconds,
        whole,
    } = watch.next()
    else {
        panic!("not indexed");
    };
    assert_eq!(changed, strings(&["tea/Oolong.md"]));
    assert_eq!((added.len(), moved.len(), removed.len()), (0, 0, 0));
    assert!((0.0..20.0).contains(&seconds) && !whole);
}
