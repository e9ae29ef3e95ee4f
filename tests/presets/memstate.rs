//! MemState: four events and their effects.
//!
//! | event | forget | revise |
//! |---|---|---|
//! | ingest_complete | at or above the soft limit | when the store has topics |
//! | query_complete | at or above the soft limit | skipped |
//! | cron | at or above the soft limit | when the store has topics |
//! | memory_pressure | always | skipped |

use super::with_preset;
use crate::support::TestVault;
use crate::support::records::Sleep;

/// Soft limit of the tests instead of 500 notes, for speed.
const LIMIT: usize = 6;

/// The preset's own rule with another limit.
fn relieve() -> String {
    let preset = TestVault::empty().run(["presets", "memstate"]).raw().stdout;
    let from = preset.find("[[rule]]\nname = \"relieve\"").unwrap();
    let rule = preset[from..].split("\n\n").next().unwrap();
    let (published, tested) = ("\"notes:>=500\"", format!("\"notes:>={LIMIT}\""));
    assert!(
        rule.contains(published) && rule.contains("\"activity:<0.05\""),
        "{rule}"
    );
    rule.replace(published, &tested)
}

/// Gives a note negative feedback.
fn dismiss(vault: &TestVault, note: &str) {
    vault.run(["-q", "reinforce", note, "--reward", "-1"]).raw();
}

/// Returns a vault with this many notes, one of them with low activity.
fn vault(notes: usize) -> TestVault {
    let vault = with_preset("memstate", []);
    for number in 0..notes - 2 {
        vault.write(&format!("pile {number}.md"), &format!("Pile {number}.\n"));
    }
    for (title, text) in [
        ("Dull", "Nobody cares for the weather of 1903."),
        ("Oak", "Oak is cut in winter."),
    ] {
        vault.run(["-q", "remember", "--title", title, text]).raw();
    }
    vault
        .run(["-q", "config", "--vault", "activity.penalty", "1"])
        .raw();
    dismiss(&vault, "dull");
    vault.write(".mem/rules.toml", &relieve());
    // A vault's rule forgets only with the user's permission.
    vault
        .run(["-q", "config", "rules.trust_vault", "true"])
        .raw();
    vault
}

/// Returns whether a sleep after `event` forgot and revised.
fn did(vault: &TestVault, event: &str) -> (bool, bool) {
    let outcome = vault.run(["sleep", "--json", "--event", event]).raw();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let sleep: Sleep = serde_json::from_str(&outcome.stdout).unwrap();
    let is_forgotten = vault.read("dull.md").contains("tier: forgotten");
    (
        is_forgotten,
        sleep.jobs.iter().any(|job| job.job == "dedupe"),
    )
}

#[test]
fn events_act_as_in_the_table() {
    for (event, below, above) in [
        // Whether it forgets and revises, below the limit and above it.
        ("ingest", (false, true), (true, true)),
        ("recall", (false, false), (true, false)),
        // Its cron.
        ("sleep", (false, true), (true, true)),
        ("pressure", (true, false), (true, false)),
    ] {
        for (notes, expected) in [(LIMIT - 1, below), (LIMIT, above)] {
            let vault = vault(notes);
            // Earlier events and that day's cron are done.
            vault.run(["-q", "sleep", "--skip", "rules"]).raw();
            vault.at("2026-04-01T12:10:00Z");
            assert_eq!(did(&vault, event), expected, "{event}, {notes} notes");
        }
    }
}

#[test]
fn archived_notes_do_not_count_towards_the_limit() {
    let vault = vault(LIMIT);
    vault.run(["-q", "sleep", "--skip", "rules"]).raw();
    assert!(did(&vault, "recall").0);
    dismiss(&vault, "oak");
    vault.at("2026-04-01T12:10:00Z");
    did(&vault, "recall");
    assert!(!vault.read("oak.md").contains("tier: forgotten"));
}
