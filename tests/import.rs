//! `mem import`

use std::fs::{self, File, FileTimes};
use std::time::{Duration, SystemTime};

use expect_test::expect;
use serde::Deserialize;

use crate::support::records::Undo;
use crate::support::{TestVault, project};

/// The reply of `mem import --json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ImportReply {
    dry_run: bool,
    records: Vec<RecordReply>,
    relations: usize,
    unreadable: usize,
    vectors: usize,
    run: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordReply {
    origin: String,
    state: String,
    path: Option<String>,
    reason: Option<String>,
}

impl ImportReply {
    fn count(&self, state: &str) -> usize {
        let records = self.records.iter();
        records.filter(|record| record.state == state).count()
    }
}

/// Sources with their fixture, the numbers of new and of skipped records, and of relations.
const EXPORTS: [(&str, &str, usize, usize, usize); 9] = [
    ("ormah", "ormah", 3, 1, 1),
    ("automem", "automem.json", 2, 1, 2),
    ("ownsona", "ownsona.json", 3, 1, 1),
    ("memstate", "memstate.json", 2, 0, 1),
    ("server-memory", "server-memory.jsonl", 2, 1, 1),
    ("mem0", "mem0.json", 1, 1, 0),
    ("basic-memory", "basic-memory", 2, 0, 2),
    ("claude", "claude", 2, 1, 0),
    ("openclaw", "openclaw", 2, 0, 0),
];

/// Copies an export out of the vault, with a fixed time of the files.
fn export(vault: &TestVault, name: &str) -> String {
    let root = project().join("fixtures/import");
    for entry in walkdir::WalkDir::new(root.join(name)) {
        let entry = entry.unwrap();
        let to = vault
            .home("")
            .join(entry.path().strip_prefix(&root).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(&to).unwrap();
        } else {
            fs::copy(entry.path(), &to).unwrap();
            let saved = SystemTime::UNIX_EPOCH + Duration::from_secs(1_770_000_000);
            let times = FileTimes::new().set_modified(saved);
            File::options()
                .write(true)
                .open(&to)
                .unwrap()
                .set_times(times)
                .unwrap();
        }
    }
    vault.home(name).to_str().unwrap().to_owned()
}

#[test]
fn every_source_is_previewed_imported_once_and_undone() {
    for (source, file, new, skipped, relations) in EXPORTS {
        let unreadable = i32::from(["ormah", "server-memory"].contains(&source));
        let vault = TestVault::indexed("sample");
        let before = vault.tree();
        let path = export(&vault, file);
        let import = |more: &[&str]| -> ImportReply {
            let args = [&["-q", "import", "--json", source, &path], more].concat();
            vault.run(args).json(unreadable)
        };
        let preview = import(&[]);
        assert!(preview.dry_run && preview.run.is_none());
        before.assert_same(&vault.tree());

        let written = import(&["--apply"]);
        let of =
            |reply: &ImportReply| (reply.count("new"), reply.count("skipped"), reply.relations);
        assert_eq!(
            of(&preview),
            (new, skipped, relations),
            "{source}: {preview:#?}"
        );
        assert_eq!(of(&written), of(&preview), "{source}");
        assert_eq!(written.records.len(), new + skipped, "{source}");
        for record in &written.records {
            let is_new = record.state == "new";
            assert_eq!(record.path.is_some(), is_new, "{record:?}");
            assert_eq!(record.reason.is_some(), !is_new, "{record:?}");
            assert!(!record.origin.is_empty());
            if let Some(path) = &record.path {
                assert!(vault.path(path).exists(), "{path}");
            }
        }

        let again = import(&["--apply"]);
        let of = (
            again.count("new"),
            again.count("known"),
            again.run.as_deref(),
        );
        assert_eq!(of, (0, new, None), "{source}: {again:#?}");
        assert_eq!(
            (again.vectors, again.unreadable),
            (0, usize::from(unreadable == 1))
        );

        let _: Undo = vault.run(["-q", "undo", "--json"]).json(0);
        before.assert_same(&vault.tree());
    }
}

#[test]
fn import_prints_counts_and_reasons() {
    let vault = TestVault::empty();
    let file = export(&vault, "ormah");
    vault
        .run(["import", "ormah", &file])
        .stdout(expect![[r#"
            skipped  nodes/fact_broken_00.md: cannot read its front matter: front matter line 3: `[` is not closed, or a comma is missing
            new      ormah/the-shed-has-no-power.md  from deleted/fact_old_99.md
            new      ormah/csv-files-for-the-seed-list.md  from nodes/decision_csv-files_77aa.md
            new      ormah/sqlite-for-the-seed-list.md  from nodes/decision_sqlite-for-the-seed-list_5b1e.md
            4 records: 3 to write, 0 imported before, 0 with the text of a note, 1 skipped; 1 relation
        "#]])
        .stderr(expect![[r#"
            indexed 0 notes
            1 record cannot be read; export again and repeat the import, which writes only what is new
            hint: write them with `--apply`
        "#]])
        .code(1);
    vault
        .run(["import", "ormah", "nothing"])
        .stderr(expect![[r#"
            error: cannot read `nothing`
            caused by: No such file or directory (os error 2)
        "#]])
        .code(2);
}

#[test]
fn repeated_and_empty_entities_and_broken_files_lose_nothing_unnamed() {
    let vault = TestVault::empty();
    let file = vault.home("memory.jsonl");
    let lines = [
        r#"{"type":"entity","name":"Ida","entityType":"person","observations":["Speaks Norwegian"]}"#,
        r#"{"type":"entity","name":"Nursery","entityType":"place","observations":[]}"#,
        r#"{"type":"entity","name":"Ida","entityType":"nurse","observations":["Speaks Norwegian","Likes tea"]}"#,
        r#"{"type":"relation","from":"Ida","to":"Nursery","relationType":"works_at"}"#,
        r#"{"type":"relation","from":"Nobody","to":"Nowhere","relationType":"lives_in"}"#,
    ];
    fs::write(&file, lines.join("\n")).unwrap();
    vault
        .run([
            "-q",
            "import",
            "server-memory",
            file.to_str().unwrap(),
            "--apply",
        ])
        .stdout(expect![[r#"
            new      server-memory/ida.md  from memory.jsonl:1, memory.jsonl:3
            new      server-memory/nursery.md  from memory.jsonl:2
            skipped  Nobody lives_in Nowhere: a relation between unknown records
            3 records: 2 written, 0 imported before, 0 with the text of a note, 1 skipped; 1 relation
        "#]])
        .code(0);
    vault.assert_text(
        "server-memory/ida.md",
        expect![[r#"
        ---
        id: 5ACM22W64N9ZANS0HG0JCPY0NM
        title: Ida
        type: person
        works_at: ["[[nursery]]"]
        imported:
          from: server-memory
          id: Ida
          type: [nurse]
        mem:
          by: server-memory
          seal: "6c3cd2e68d29382c"
        ---
        - Speaks Norwegian
        - Likes tea
    "#]],
    );
    vault.assert_text(
        "server-memory/nursery.md",
        expect![[r#"
        ---
        id: 6FS35EQSXW7MJWAKYF7NDAXBR8
        title: Nursery
        type: place
        imported:
          from: server-memory
          id: Nursery
        mem:
          by: server-memory
          seal: "1c1f2361155a67c6"
        ---
        Nursery
    "#]],
    );
    for (source, text) in [
        ("server-memory", &lines.concat()[..40]),
        (
            "mem0",
            "{\n  \"memories\": [\n    {\"id\": 1, \"memory\": \"Likes tea\"},\n",
        ),
    ] {
        fs::write(&file, text).unwrap();
        let reply: ImportReply = vault
            .run(["-q", "import", "--json", source, file.to_str().unwrap()])
            .json(1);
        let reason = reply.records[0].reason.as_deref().unwrap();
        assert!(reason.starts_with("cut off: "), "{reason}");
        assert_eq!((reply.records.len(), reply.unreadable), (1, 1));
    }
}

#[test]
fn ormah_keeps_use_relations_and_computed_importance() {
    let vault = TestVault::empty();
    let file = export(&vault, "ormah");
    let _: ImportReply = vault
        .run(["-q", "import", "--json", "ormah", &file, "--apply"])
        .json(1);
    vault.assert_text(
        "ormah/sqlite-for-the-seed-list.md",
        expect![[r#"
        ---
        id: 3JEYG1GT01BPEJSZ7ZWV671RPC
        title: SQLite for the seed list
        type: decision
        space: seedlist
        tags: [database, about_self]
        created: 2025-11-02T09:30:00Z
        updated: 2025-12-01T10:00:00Z
        confidence: 0.9
        source: agent:claude
        evolved_from: ["[[csv-files-for-the-seed-list]]"]
        imported:
          from: ormah
          id: "5b1e7a40-0000-4000-8000-000000000001"
          importance: 0.7231
          relations:
            - edge: supports
              from: "5b1e7a40-0000-4000-8000-000000000001"
              target: "5b1e7a40-0000-4000-8000-0000000000ff"
              weight: 0.7
        mem:
          accesses: 12
          by: ormah
          last: 2026-03-20T08:15:00Z
          reviewed: 2026-03-19T08:00:00Z
          seal: "2a16e9af36ca5251"
          stability: 8.5
        ---
        The seed list is stored in SQLite since the second season.
    "#]],
    );
    vault.assert_text(
        "ormah/the-shed-has-no-power.md",
        expect![[r#"
        ---
        id: 4NJAGHKG51FZVAZRA6NH0R3P6P
        title: The shed has no power
        type: fact
        tier: forgotten
        created: 2025-01-01T00:00:00Z
        imported:
          from: ormah
          id: "5b1e7a40-0000-4000-8000-000000000003"
        mem:
          by: ormah
          seal: "f52d5c773aec0ba9"
        ---
        The shed has no power.
    "#]],
    );
    vault
        .run(["why", "SQLite for the seed list"])
        .stdout(expect![[r#"
            ormah/sqlite-for-the-seed-list.md
            created         2025-11-02 09:30, 150 days ago (property `created`)
            last used       2026-03-20 08:15, 12 days ago (snapshot in the note)
            used            12 times on 0 days
            links           1
            importance      0.478 = access 0.222 + links 0.075 + recency 0.181
            retrievability  0.239
            stability       8.500 days
            relevance       0.150 = its floor; without it 0.121 = age 0.223 * access 0.463 * links 1.208 * importance 1.000 * confidence 0.970
            salience        0.500
            activity        1
            promotion       0.342 = relevance 0.000 + frequency 0.240 + diversity 0.000 + recency 0.082 + consolidation 0.000 + richness 0.020
            next            jobs keep its tier: protected by its type
        "#]])
        .code(0);
    vault
        .run(["graph", "--relation", "evolved_from"])
        .stdout(expect![[r#"
            ormah/sqlite-for-the-seed-list.md -evolved_from-> ormah/csv-files-for-the-seed-list.md  0.90  "The newer decision replaces the plan for CSV files" (import)
        "#]])
        .code(0);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn other_exports_keep_their_fields() {
    for (source, file, note, text) in [
        (
            "automem",
            "automem.json",
            "the-staging-database-listens-on-port-5433",
            expect![[r#"
                ---
                id: 5V8MHKE9RJKA0AS6SZQGRACCA3
                title: The staging database listens on port 5433
                type: context
                tags: [ops, entity/tools/postgres]
                created: 2025-10-01T08:00:00Z
                updated: 2025-10-02T08:00:00Z
                confidence: 0.95
                importance: 0.8
                keep: true
                evolved_from: ["[[the-staging-database-listens-on-port-5432]]"]
                prefers_over: ["[[the-staging-database-listens-on-port-5432]]"]
                imported:
                  from: automem
                  id: a-1
                  metadata: '{"ticket": 12}'
                  relations:
                    - properties:
                        strength: 0.6
                      source_id: 0
                      target_id: 1
                      type: PREFERS_OVER
                  relevance_score: 0.41
                mem:
                  by: automem
                  last: 2026-03-01T08:00:00Z
                  seal: "e6a0d44e876a50f7"
                ---
                The staging database listens on port 5433.
            "#]],
        ),
        (
            "ownsona",
            "ownsona.json",
            "anna-prefers-tea-to-coffee",
            expect![[r#"
                ---
                id: 5MCPW8B4XSRCZ654JRFGZFXG37
                title: Anna prefers tea to coffee
                tags: [anna, food]
                created: 2025-05-05T10:00:00Z
                updated: 2025-05-05T10:00:00Z
                importance: 0.6
                keep: true
                source: chatgpt
                imported:
                  capture_mode: explicit
                  from: ownsona
                  id: "7"
                mem:
                  accesses: 4
                  by: ownsona
                  confirmed: 2026-02-01T10:00:00Z
                  last: 2026-02-01T10:00:00Z
                  rewards: 4.0
                  salience: 1.284
                  seal: "6005cc263b70ed42"
                  uses: 4
                ---
                Anna prefers tea to coffee.
            "#]],
        ),
        (
            "ownsona",
            "ownsona.json",
            "anna-lives-in-linz",
            expect![[r#"
                ---
                id: 4WW5FVAV51YZ3V2XP44DVS0HMY
                title: Anna lives in Linz
                created: 2025-08-01T10:00:00Z
                importance: 0.5
                evolved_from: ["[[anna-lives-in-graz]]"]
                imported:
                  from: ownsona
                  id: "9"
                  keep: "N"
                mem:
                  by: ownsona
                  seal: "650364e92a3f3bda"
                ---
                Anna lives in Linz.
            "#]],
        ),
        (
            "memstate",
            "memstate.json",
            "garden",
            expect![[r#"
            ---
            id: 0V6B9MJ51GX8AXGQBXJKFHK39G
            title: Garden
            type: place
            imported:
              community: 0
              fields:
                - current_value: 6
                  field_type: int
                  history_len: 1
                  name: beds
                  ref_topic_id:
                - current_value: clay
                  field_type: string
                  history_len: 2
                  name: soil
                  ref_topic_id:
              from: memstate
              id: t1
              label: Garden
            mem:
              activity: 2.3
              by: memstate
              seal: "350099e8eb622e73"
            ---
            Beds and soil of the garden.

            - beds: 6
            - soil: clay
        "#]],
        ),
        (
            "memstate",
            "memstate.json",
            "compost",
            expect![[r#"
            ---
            id: 7Q0SCDJRX5YSBBV1Z7SXEP0JJ3
            title: Compost
            tier: archival
            feeds: ["[[garden]]"]
            imported:
              community: 0
              from: memstate
              id: t2
              label: Compost
              topic_kind: ""
            mem:
              activity: 0.02
              by: memstate
              seal: "aadf2cc5e37154c5"
            ---
            Two heaps behind the shed.
        "#]],
        ),
        (
            "server-memory",
            "server-memory.jsonl",
            "ida-berg",
            expect![[r#"
                ---
                id: 37WGJEQKBY69NQMJBEGNDSRZ04
                title: Ida Berg
                type: person
                works_at: ["[[nursery]]"]
                imported:
                  from: server-memory
                  id: Ida Berg
                mem:
                  by: server-memory
                  seal: "1f66e3387192539e"
                ---
                - Speaks Norwegian
                - Works at the nursery
            "#]],
        ),
        (
            "mem0",
            "mem0.json",
            "is-allergic-to-hazelnuts",
            expect![[r#"
                ---
                id: 4KXJNMV1K09SVB26VD8RDT490N
                title: Is allergic to hazelnuts
                tags: [health]
                created: 2025-07-01T17:00:00Z
                updated: 2025-07-02T17:00:00Z
                imported:
                  from: mem0
                  hash: "0d3f"
                  id: m-1
                  metadata:
                    room: kitchen
                  user_id: ida
                mem:
                  by: mem0
                  seal: "2252744dcb40df26"
                ---
                Is allergic to hazelnuts
            "#]],
        ),
        (
            "basic-memory",
            "basic-memory",
            "Brewing",
            expect![[r#"
            ---
            id: 0GBVC03JZT47JR6HAGH5XST3ZK
            title: Brewing
            type: note
            tags: [tea]
            created: 2026-02-02T02:40:00Z
            depends_on: ["[[kettle]]"]
            related_to: ["[[kettle]]"]
            imported:
              from: basic-memory
              id: brewing
              status: draft
            mem:
              by: basic-memory
              seal: "76067622af13dc72"
            ---
            # Brewing

            - [method] Water at 70 °C for sencha #water
            - relates_to [[Kettle]]
            - requires [[Kettle]] (for the temperature)
        "#]],
        ),
        (
            "claude",
            "claude",
            "commit-style",
            expect![[r#"
            ---
            id: 56N9W3WGYVMBRWXM7FRF9BT0S3
            title: commit-style
            type: feedback
            description: How commits are written here
            created: 2026-02-03T09:00:00Z
            updated: 2026-02-03T09:00:00Z
            imported:
              from: claude
              id: commit-style.md
              metadata:
                type: feedback
            mem:
              by: claude
              seal: "b842dfc399b89d94"
            ---
            Subjects have at most 72 characters. See [the release](release.md).
        "#]],
        ),
        (
            "openclaw",
            "openclaw",
            "memory/2026-02-14-van",
            expect![[r#"
                ---
                id: 7XXRDTZ8NYBHH760WNMF2DBRFZ
                title: Van
                imported:
                  from: openclaw
                  id: memory/2026-02-14-van.md
                mem:
                  by: openclaw
                  seal: "e1b4ce516d3ac332"
                ---
                # Van

                The van passed its inspection.
            "#]],
        ),
    ] {
        let vault = TestVault::empty();
        let file = export(&vault, file);
        let args = [
            "-q", "import", "--json", source, &file, "--apply", "--into", "in",
        ];
        let unreadable = i32::from(source == "server-memory");
        let _: ImportReply = vault.run(args).json(unreadable);
        vault.assert_text(&format!("in/{note}.md"), text);
    }
}

#[test]
fn a_moved_and_edited_import_is_known() {
    let vault = TestVault::empty();
    let file = export(&vault, "claude");
    let import = || -> ImportReply {
        vault
            .run(["-q", "import", "--json", "claude", &file, "--apply"])
            .json(0)
    };
    import();
    vault.edit("claude/release.md", "Fridays", "Mondays");
    vault
        .run(["-q", "mv", "claude/release.md", "Releases.md"])
        .raw();
    let again = import();
    assert_eq!((again.count("new"), again.count("known")), (0, 2));
    assert!(
        again
            .records
            .iter()
            .any(|record| record.path.as_deref() == Some("Releases.md"))
    );
}
