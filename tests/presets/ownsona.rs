//! OwnSona: every job is off until enabled, and only pairs with a common tag are compared.

use super::{slept, with_preset};
use crate::support::records::Sleep;

const PORTS: [(&str, &str); 3] = [
    (
        "Port.md",
        "---\ntags: [web]\n---\nThe port of the web server is 8080.\n",
    ),
    (
        "Port now.md",
        "---\ntags: [web]\n---\nThe port of the web server is 9090.\n",
    ),
    (
        "Port there.md",
        "---\ntags: [other]\n---\nThe port of the web server is 7070.\n",
    ),
];

#[test]
fn nothing_runs_until_it_is_enabled() {
    let vault = with_preset("ownsona", PORTS);
    for now in ["2026-04-01T12:00:00Z", "2027-04-01T12:00:00Z"] {
        assert_eq!(slept(&vault, now), "index");
    }
    let enable = |key: &str| vault.run(["-q", "config", "--vault", key, "1d"]).raw();
    // Each has its own switch.
    enable("consolidate.every");
    assert_eq!(slept(&vault, "2027-04-02T12:00:00Z"), "index consolidate");
    enable("conflicts.every");
    assert_eq!(
        slept(&vault, "2027-04-03T12:00:00Z"),
        "index conflicts consolidate"
    );
}

#[test]
fn conflicts_need_a_common_tag() {
    for (same_tag, compared) in [("true", 1), ("false", 3)] {
        let vault = with_preset("ownsona", PORTS);
        let set = ["-q", "config", "--vault", "conflicts.same_tag", same_tag];
        vault.run(set).raw();
        let sleep: Sleep = vault
            .run(["-q", "sleep", "--all", "--only", "conflicts", "--json"])
            .json(0);
        assert_eq!(sleep.job("conflicts").processed, compared, "{same_tag}");
    }
}

/// The ranking includes salience, which starts at the importance, even without feedback.
#[test]
fn importance_affects_the_ranking() {
    let text =
        |importance: &str| format!("---\nimportance: {importance}\n---\nThe quay is of oak.\n");
    let notes = [("a.md", &*text("0.1")), ("b.md", &*text("0.9"))];
    for (preset, first) in [("ownsona", "## b.md"), ("mem", "## a.md")] {
        let vault = with_preset(preset, notes);
        let recalled = vault.run(["recall", "quay of oak", "--all"]).raw();
        assert!(recalled.stdout.starts_with(first), "{}", recalled.stdout);
    }
}

#[test]
fn time_alone_changes_no_note() {
    let vault = with_preset("ownsona", []);
    let text = "The quay needs forty piles.";
    vault.run(["-q", "remember", "--title", "Quay", text]).raw();
    slept(&vault, "2026-04-01T12:00:00Z");
    let before = vault.tree();
    slept(&vault, "2036-04-01T12:00:00Z");
    before.assert_same(&vault.tree());
}
