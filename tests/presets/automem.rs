//! AutoMem: four tasks and their intervals, the control record, and archiving.

use super::{slept, with_preset};
use crate::support::TestVault;
use crate::support::records::Status;

fn vault(preset: &str) -> TestVault {
    let vault = with_preset(preset, [("Mine.md", "The quay is mine.\n")]);
    vault
        .run([
            "-q",
            "remember",
            "--title",
            "Quay",
            "The quay needs forty piles.",
        ])
        .raw();
    vault
}

#[test]
fn tasks_run_at_their_intervals() {
    // creative 3600, cluster 21600, forget 86400; decay has no equivalent.
    let vault = vault("automem");
    for (now, ran) in [
        ("2026-04-01T12:00:00Z", "index associate cluster forget"),
        ("2026-04-01T12:59:00Z", ""),
        ("2026-04-01T13:00:00Z", "index associate"),
        ("2026-04-01T17:59:00Z", "index associate"),
        ("2026-04-01T18:00:00Z", "index cluster"),
        ("2026-04-02T11:00:00Z", "index associate cluster"),
        ("2026-04-02T12:00:00Z", "index associate forget"),
    ] {
        assert_eq!(slept(&vault, now), ran, "{now}");
    }
}

#[test]
fn control_record_and_history_are_kept() {
    let vault = vault("automem");
    // One more run of a task than the history keeps.
    for hour in 0..22 {
        let (day, hour) = (1 + hour / 12, 12 + hour % 12);
        slept(&vault, &format!("2026-04-0{day}T{hour}:00:00Z"));
    }
    let status: Status = vault.run(["status", "--json"]).json(0);
    let last = |job: &str| status.jobs[job].last_success.clone().unwrap();
    // last_creative, last_cluster, last_forget.
    assert_eq!(last("associate"), "2026-04-02T21:00:00Z");
    assert_eq!(last("cluster"), "2026-04-02T18:00:00Z");
    assert_eq!(last("forget"), "2026-04-02T12:00:00Z");
    assert_eq!(status.history.len(), 20);
    assert_eq!(status.history[0].at, "2026-04-02T21:00:00Z");
    let off = [
        "dedupe",
        "conflicts",
        "link",
        "spaces",
        "consolidate",
        "decay",
    ];
    assert!(
        off.iter()
            .all(|job| !status.jobs.contains_key(*job) || status.jobs[*job].runs == 0)
    );
}

#[test]
fn low_relevance_archives_below_the_importance_threshold() {
    // Relevance of a note of importance .5, confidence 1, without links, d days old: e^(-.1d) *
    // e^(-.05d), below .2 after 10.8 days, below .05 after 20 days.
    for (preset, importance, day, tier) in [
        ("automem", "0.5", 10, ""),
        ("automem", "0.5", 12, "tier: forgotten"),
        ("automem", "0.2", 12, "tier: forgotten"),
        // Only less important memories, following the tuning with the threshold of .3.
        ("automem, small", "0.5", 12, ""),
        ("automem, small", "0.2", 12, "tier: forgotten"),
        // No importance is stated.
        ("automem, small", "", 12, "tier: forgotten"),
        // The later code protects for 90 days and does not forget.
        ("automem-later", "0.2", 12, ""),
    ] {
        let vault = vault(preset);
        if !importance.is_empty() {
            let set = format!("importance={importance}");
            vault.run(["-q", "edit", "quay", "--set", &set]).raw();
        }
        slept(&vault, "2026-04-01T12:00:00Z");
        slept(&vault, &format!("2026-04-{:02}T12:00:00Z", 1 + day));
        let text = vault.read("quay.md");
        let found = text.lines().find(|line| line.starts_with("tier:"));
        assert_eq!(
            found.unwrap_or_default(),
            tier,
            "{preset} {importance} {day}"
        );
        assert_eq!(vault.read("Mine.md"), "The quay is mine.\n");
    }
}

#[test]
fn minimal_relevance_moves_to_the_trash() {
    let vault = vault("automem");
    for (day, is_there) in [(0, true), (12, true), (19, true), (21, false)] {
        slept(&vault, &format!("2026-04-{:02}T12:00:00Z", 1 + day));
        assert_eq!(vault.path("quay.md").exists(), is_there, "{day}");
    }
    // AutoMem deletes permanently; here the note can be restored.
    vault.run(["-q", "restore", "quay"]).raw();
    assert!(vault.read("quay.md").contains("forty piles"));
}
