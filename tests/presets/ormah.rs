//! Ormah: an interval per job, the order of a sleep cycle, the grace period of the scheduler.

use super::{slept, with_preset};
use crate::support::TestVault;
use crate::support::records::Sleep;

fn vault() -> TestVault {
    with_preset(
        "ormah",
        [("SQLite.md", "---\ntype: fact\n---\nOrmah uses SQLite.\n")],
    )
}

#[test]
fn jobs_run_at_intervals_in_sleep_cycle_order() {
    let vault = vault();
    // Default intervals: index 1m, spaces 60m, the others 24h.
    for (now, ran) in [
        (
            "2026-04-01T12:00:00Z",
            "index dedupe conflicts link spaces consolidate decay",
        ),
        ("2026-04-01T12:01:00Z", "index"),
        ("2026-04-01T12:59:00Z", "index"),
        ("2026-04-01T13:00:00Z", "index spaces"),
        ("2026-04-01T15:00:00Z", "index spaces"),
        // A day after their last run.
        (
            "2026-04-02T12:00:00Z",
            "index dedupe conflicts link spaces consolidate decay",
        ),
    ] {
        assert_eq!(slept(&vault, now), ran, "{now}");
    }
    // run-all: regardless of intervals.
    let all: Sleep = vault.run(["sleep", "--all", "--json"]).json(0);
    let jobs: Vec<&str> = all.jobs.iter().map(|job| job.job.as_str()).collect();
    assert_eq!(
        jobs[..7].join(" "),
        "index dedupe conflicts link spaces consolidate decay"
    );
}

/// A setting decides whose stated importance is final.
#[test]
fn important_notes_do_not_fade() {
    fades_unless_important("everyone", "");
}

#[test]
fn importance_stated_by_an_agent_is_recomputed() {
    fades_unless_important("people", "tier: archival");
}

fn fades_unless_important(stated: &str, important: &str) {
    let vault = vault();
    let set = ["-q", "config", "--vault", "importance.stated", stated];
    vault.run(set).raw();
    for (title, importance) in [("Fading", "0.4"), ("Important", "0.5")] {
        let text = format!("{title} words of an agent.");
        vault.run(["-q", "remember", "--title", title, &text]).raw();
        let set = format!("importance={importance}");
        vault.run(["-q", "edit", title, "--set", &set]).raw();
    }
    slept(&vault, "2026-04-01T12:00:00Z");
    // Stability starts at a day: e^(-t/1) < 0.3 after 1.2 days.
    for (now, tiers) in [
        ("2026-04-02T12:00:00Z", ["", ""]),
        ("2026-04-03T12:00:00Z", ["tier: archival", important]),
    ] {
        slept(&vault, now);
        for (note, tier) in ["fading.md", "important.md"].iter().zip(tiers) {
            let text = vault.read(note);
            let found = text.lines().find(|line| line.starts_with("tier:"));
            assert_eq!(found.unwrap_or_default(), tier, "{note} {now}");
        }
    }
}
