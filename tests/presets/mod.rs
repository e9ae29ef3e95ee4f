//! Presets behave like the system that they are named after, step by step. `fixtures/presets`
//! contains the numbers that each system publishes.

use std::fs;

use expect_test::expect;
use mem::run::presets::PRESETS;

use crate::support::records::{Config, Sleep};
use crate::support::{TestVault, project};

mod automem;
mod memstate;
mod openclaw;
mod ormah;
mod ownsona;

/// Returns a vault with a preset and these notes.
fn with_preset<const N: usize>(preset: &str, notes: [(&str, &str); N]) -> TestVault {
    let vault = TestVault::of(notes);
    vault.run(["-q", "init", "--preset", preset]).raw();
    vault
}

/// Returns the jobs that a sleep at `now` ran, in order.
fn slept(vault: &TestVault, now: &str) -> String {
    vault.at(now);
    let outcome = vault.run(["sleep", "--json"]).raw();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let sleep: Sleep = serde_json::from_str(&outcome.stdout).unwrap();
    // Views, snapshots and rules are mem's own.
    let own = |job: &str| matches!(job, "views" | "settle" | "rules");
    let jobs = sleep.jobs.iter().map(|job| job.job.as_str());
    jobs.filter(|job| !own(job)).collect::<Vec<_>>().join(" ")
}

#[test]
fn settings_equal_the_published_numbers() {
    for (preset, _) in PRESETS.iter().filter(|(name, _)| *name != "mem") {
        let table = project().join(format!("fixtures/presets/{preset}.tsv"));
        let table = fs::read_to_string(table).unwrap();
        let vault = with_preset(preset, []);
        let config: Config = vault.run(["config", "--all", "--json"]).json(0);
        let mut rows = table.lines().skip(1).peekable();
        assert!(rows.peek().is_some(), "{preset}");
        for row in rows {
            let [theirs, published, key, ours] = row.split('\t').collect::<Vec<_>>()[..] else {
                panic!("{preset}: {row}");
            };
            let setting = config.settings.iter().find(|setting| setting.key == key);
            let value = &setting.unwrap_or_else(|| panic!("no {key}")).value;
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            assert_eq!(value, ours, "{preset}: {theirs}");
            assert!(says_the_same(published, ours), "{preset}: {row}");
        }
    }
}

/// Whether a published number equals ours. Our intervals are in seconds or have a unit; words are
/// compared by their letters.
fn says_the_same(published: &str, ours: &str) -> bool {
    let seconds = |text: &str| -> Option<f64> {
        let at = text
            .find(|c: char| c.is_ascii_alphabetic())
            .unwrap_or(text.len());
        let number: f64 = text[..at].parse().ok()?;
        let unit = match &text[at..] {
            "" => 1.0,
            "m" => 60.0,
            "h" => 3_600.0,
            "d" => 86_400.0,
            _ => return None,
        };
        Some(number * unit)
    };
    let words = published.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let mut numbers = words.filter_map(seconds);
    let letters = |text: &str| {
        let letters = text.chars().filter(char::is_ascii_alphanumeric);
        letters.collect::<String>().to_lowercase()
    };
    match (published, seconds(ours)) {
        ("none" | "false" | "0", None) => ours == "off",
        (_, Some(ours)) => numbers.any(|number| (number - ours).abs() < 1e-9),
        // Jobs under the name of that system.
        _ if published.contains(" -> ") => {
            let jobs = published
                .split(" -> ")
                .map(|job| mem::jobs::named(job).map(|job| job.name));
            jobs.eq(ours.split(", ").map(Some))
        }
        _ => letters(published).contains(&letters(ours)),
    }
}

#[test]
fn init_accepts_a_preset() {
    let vault = TestVault::folder("sample");
    vault
        .run(["init", "--preset", "automem,busy"])
        .stdout(expect!["created vault $VAULT (41 notes)"])
        .stderr(expect![[r#"
            hint: `mem search WORDS` finds notes; `mem sleep --dry-run` previews maintenance
        "#]])
        .code(0);
    let text = vault.read(".mem/config.toml");
    let end: Vec<&str> = text.lines().rev().take(3).collect();
    expect![[r#"

        [rules]
        preset = "automem, busy""#]]
    .assert_eq(&end.into_iter().rev().collect::<Vec<_>>().join("\n"));
    // In an existing vault the rest of the file is kept.
    vault.run(["-q", "init", "--preset", "ormah"]).raw();
    assert_eq!(
        vault.read(".mem/config.toml"),
        text.replace("automem, busy", "ormah")
    );
    let before = vault.tree();
    vault
        .run(["init", "--preset", "ormah, automen"])
        .stderr(expect![[r#"
            error: unknown preset `automen`
            hint: did you mean `automem`?
        "#]])
        .code(2);
    before.assert_same(&vault.tree());
    vault
        .run(["config", "dedupe"])
        .stdout(expect![[r#"
            dedupe.every   = "24h"  preset `ormah`
            dedupe.certain = 0.6    built in
            dedupe.ask     = 0.6    built in
            dedupe.titles  = "off"  built in
        "#]])
        .code(0);
}

#[test]
fn presets_and_foreign_names_are_shown() {
    let vault = TestVault::empty();
    vault.run(["presets"]).stdout(expect![[r#"
        mem           The defaults of mem: the built-in settings and no rules.
        ormah         Ormah as documented on 2026-04-07: a timer for each job, fading by retrievability and importance.
        automem       AutoMem as documented: four timed tasks, relevance that halves in a week, an archive.
        automem-later AutoMem as in its code of 2026-07: slower, with protection; forgetting is disabled by default.
        ownsona       OwnSona: jobs run only if enabled, nothing fades with time, only feedback changes salience.
        memstate      MemState: maintenance follows events (a note was written, a question asked), not the clock.
        openclaw      OpenClaw's dreaming: promotes useful notes to core once a day; combines with any other preset.
        busy          More than 10,000 notes a day (AutoMem's tuning): 2 h, 12 h and 24 h. An overlay for another preset.
        quiet         Few new notes (AutoMem's tuning): associate hourly, cluster daily, forget weekly. An overlay for another preset.
        small         Little space (AutoMem's tuning): forget twice a day, unimportant notes only. An overlay for another preset.
    "#]]).code(0);
    for (name, text) in PRESETS {
        assert_eq!(
            vault.run(["presets", name]).raw().stdout.trim(),
            text.trim()
        );
    }
    let failure = vault.run(["presets", "ormha", "--json"]).failure();
    assert_eq!(failure.hints, ["did you mean `ormah`?"]);
    let help = vault.run(["help", "presets"]).raw().stdout;
    let rows = include_str!("../../src/run/presets/seeds.txt").lines();
    for (theirs, ours) in rows.filter_map(|row| row.split_once("  # ")) {
        assert!(help.contains(theirs) && help.contains(ours), "{theirs}");
    }
}
