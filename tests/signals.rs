//! `mem why`, `score`, `resurface`, and signals in queries and sort orders.

use std::fs::File;
use std::time::{Duration, UNIX_EPOCH};

use expect_test::expect;
use serde_json::Value;

use crate::support::TestVault;

/// A vault whose files were saved on 1 March 2026.
fn vault() -> TestVault {
    let vault = TestVault::of([
        (
            "Hub.md",
            "---\ncreated: 2025-04-01\nupdated: 2026-03-01\n---\n[[Old]] [[Stated]] [[2026-03-20 walk]]\n",
        ),
        (
            "Old.md",
            "---\ncreated: 2025-01-01\nupdated: 2026-03-01\nvalid_until: 2027-01-01\n---\nAn old thing.\n",
        ),
        (
            "Stated.md",
            "---\nimportance: 0.9\ntype: decision\n---\nWe do it like [[Old]].\n",
        ),
        ("2026-03-20 walk.md", "A walk.\n"),
    ]);
    for note in ["Hub.md", "Old.md", "Stated.md", "2026-03-20 walk.md"] {
        let file = File::options().write(true).open(vault.path(note)).unwrap();
        let saved = UNIX_EPOCH + Duration::from_secs(1_772_323_200);
        file.set_modified(saved).unwrap();
    }
    vault
}

#[test]
fn why_explains_each_signal() {
    let vault = vault();
    let before = vault.tree();
    vault.run(["why", "old"]).stdout(expect![[r#"
        Old.md
        created         2025-01-01 00:00, 456 days ago (property `created`)
        last used       2026-03-01 00:00, 32 days ago (property `updated`)
        used            never
        links           2
        importance      0.188 = access 0.000 + links 0.119 + recency 0.069
        retrievability  0.004
        stability       5.814 days
        relevance       0.150 = its floor; without it 0.004 = age 0.011 * access 0.300 * links 1.330 * importance 1.000 * confidence 1.000
        salience        0.500
        activity        1
        promotion       0.000 = relevance 0.000 + frequency 0.000 + diversity 0.000 + recency 0.000 + consolidation 0.000 + richness 0.000
        next            it is yours: jobs keep its tier unless `decay.notes` is "all"
        next            searches leave it out from 2027-01-02 00:00 (`valid_until`)
    "#]]).code(0);
    vault
        .run(["why", "2026-03-20"])
        .stdout(expect![[r#"
            2026-03-20 walk.md
            created         2026-03-20 00:00, 12 days ago (file name)
            last used       2026-03-20 00:00, 12 days ago (when it was created)
            used            never
            links           1
            importance      0.253 = access 0.000 + links 0.075 + recency 0.178
            retrievability  0.116
            stability       5.814 days
            relevance       0.491 = age 0.882 * access 0.461 * links 1.208 * importance 1.000 * confidence 1.000
            salience        0.500
            activity        1
            promotion       0.000 = relevance 0.000 + frequency 0.000 + diversity 0.000 + recency 0.000 + consolidation 0.000 + richness 0.000
            next            it is yours: jobs keep its tier unless `decay.notes` is "all"
        "#]])
        .code(0);
    let record: Value = vault.run(["--json", "why", "stated"]).json(0);
    assert_eq!(record["created"]["from"], "file_time");
    assert_eq!(record["signals"]["importance"]["made"], "stated");
    assert_eq!(record["next"]["ladder"]["by"], "importance");
    let record: Value = vault.run(["--json", "why", "hub"]).json(0);
    let importance = &record["signals"]["importance"];
    let terms = importance["terms"].as_object().unwrap().values();
    let sum: f64 = terms.map(|term| term.as_f64().unwrap()).sum();
    assert!((sum - importance["value"].as_f64().unwrap()).abs() < 1e-9);
    assert_eq!(
        record["created"]["from"],
        serde_json::json!({"property": "created"})
    );
    vault
        .run(["why", "nowhere"])
        .stderr(expect![[r#"
        error: no note matches `nowhere`
        hint: search the notes with `mem search nowhere`
    "#]])
        .code(2);
    assert_eq!(vault.tree(), before);
}

#[test]
fn signals_filter_and_sort_notes() {
    let vault = vault();
    for (arguments, expected) in [
        (
            &["--sort", "importance"][..],
            "Stated.md 2026-03-20 walk.md Hub.md Old.md",
        ),
        (&["importance:>=0.9"], "Stated.md"),
        (&["--sort", "relevance", "-n", "1"], "Stated.md"),
        (&["retrievability:<0.1"], "Hub.md Old.md Stated.md"),
        (&["idle:>20d"], "Hub.md Old.md Stated.md"),
        (
            &["-accesses:>0"],
            "2026-03-20 walk.md Hub.md Old.md Stated.md",
        ),
        (&["salience:0.9"], "Stated.md"),
        (
            &[
                "activity:1",
                "stability:<6",
                "promotion:<1",
                "relevance:<0.2",
            ],
            "Hub.md Old.md",
        ),
    ] {
        let outcome = vault.run([&["list"], arguments].concat()).raw();
        let lines = outcome.stdout.lines();
        let paths: Vec<&str> = lines.map(|line| line.split('\t').next().unwrap()).collect();
        let listed = paths.join(" ");
        assert_eq!(
            (listed.as_str(), outcome.stderr.as_str()),
            (expected, ""),
            "{arguments:?}"
        );
    }
    vault
        .run(["list", "--sort", "relevance", "-n", "2"])
        .stdout(expect![[r#"
            Stated.md	0.492
            2026-03-20 walk.md	0.491
        "#]])
        .code(0);
    vault
        .run(["list", "accessed:<7d"])
        .stderr(expect!["no matches"])
        .code(1);
    // Another formula gives another number.
    vault
        .run(["-q", "config", "importance.half_life_days", "1000"])
        .raw();
    vault
        .run(["list", "importance:>0.35", "importance:<0.9"])
        .stdout(expect![[r#"
            2026-03-20 walk.md
            Hub.md
            Old.md
        "#]])
        .code(0);
}

#[test]
fn resurface_by_date_fading_or_chance() {
    let vault = vault();
    vault
        .run(["resurface", "--on-this-day"])
        .stdout(expect!["Hub.md	a year ago today"])
        .code(0);
    vault
        .run(["resurface", "--due"])
        .stderr(expect![[r#"
            no note is about to fade; `mem list --sort retrievability` shows how close each note is
        "#]])
        .code(1);
    vault.at("2026-03-08T12:00:00Z");
    vault
        .run(["resurface", "--due", "path:Stated OR path:Old"])
        .stdout(expect![[r#"
            Old.md	fading: retrievability 0.28
            Stated.md	fading: retrievability 0.28
        "#]])
        .code(0);
    let drawn = || {
        vault
            .run(["resurface", "--seed", "7", "-n", "3"])
            .raw()
            .stdout
    };
    assert_eq!(drawn(), drawn());
    assert_eq!(drawn().lines().count(), 3);
    vault
        .run(["resurface", "tag:none"])
        .stderr(expect![[r#"
            hint: no note has the tag `none`
            no matches
        "#]])
        .code(1);
}

#[test]
fn score_reports_changes_once_and_writes_managed_notes() {
    let vault = vault();
    vault
        .run([
            "-q",
            "remember",
            "--title",
            "Quay",
            "The quay needs [[Old]] piles.",
        ])
        .raw();
    let before = vault.tree();
    vault
        .run(["score"])
        .stderr(expect![[r#"
        scored 5 notes; the next run reports changes
    "#]])
        .code(0);
    vault
        .run(["score"])
        .stderr(expect![[r#"
        scored 5 notes; 0 moved since 2026-04-01 12:00
    "#]])
        .code(0);
    assert_eq!(vault.tree(), before);
    vault.at("2026-04-03T12:00:00Z");
    vault.edit("2026-03-20 walk.md", "A walk", "A walk to [[Old]]");
    vault
        .run(["score", "path:Old"])
        .stdout(expect![[r#"
            Old.md	importance 0.22 -> 0.56, retrievability 0.00 -> 1.00, promotion 0.00 -> 0.27 (1 use, links +1)
        "#]])
        .stderr(expect![[r#"
            scored 1 note; 1 moved since 2026-04-01 12:00
        "#]])
        .code(0);
    vault
        .run(["-q", "config", "signals.persist", "relevance"])
        .raw();
    vault
        .run(["-q", "score", "--limit", "0", "--dry-run"])
        .stdout(expect![[r#"
            would set mem.relevance of quay.md to 0.6766
            --- a/quay.md
            +++ b/quay.md
            @@ -6,4 +6,5 @@
               by: mem
               seal: "0dd233ed9c975a76"
            +  relevance: 0.6766
             ---
             The quay needs [[Old]] piles.
        "#]])
        .code(0);
    assert!(!vault.read("quay.md").contains("relevance"));
    vault
        .run(["score", "--limit", "0"])
        .stdout(expect!["set mem.relevance of quay.md to 0.6766"])
        .stderr(expect![[r#"
            scored 5 notes; 3 moved since 2026-04-01 12:00
            hint: undo with `mem undo 757y`
        "#]])
        .code(0);
    assert!(vault.read("quay.md").contains("relevance: 0."));
    vault
        .run(["list", "is:managed"])
        .stdout(expect!["quay.md"])
        .code(0);
    // Nothing moved.
    vault
        .run(["-q", "score", "--limit", "0"])
        .stdout(expect![[""]])
        .code(0);
    vault.run(["-q", "undo"]).raw();
    assert!(!vault.read("quay.md").contains("relevance"));
}
