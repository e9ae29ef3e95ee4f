//! End-to-end tests: the built `mem` on copies of the vaults in `fixtures/`. See `tests/README.md`.

#![allow(
    clippy::needless_raw_string_hashes,
    reason = "`UPDATE_EXPECT=1` writes texts so"
)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod agent;
mod append;
mod arrows;
mod associate;
mod busy;
mod cache;
mod cluster;

mod completions;
mod config;
mod conflicts;
mod consolidate;
mod cron;
mod dedupe;
mod demo;
mod dependencies;
mod disabled;
mod doctor;
mod edit;
#[cfg(feature = "encoder")]
mod encoder;
mod endpoint;
mod evidence;
mod examples;
mod extract;
mod freshness;
mod frontmatter;
mod generated;
mod git;
mod git_merge;
mod global;
mod graph;
mod hazards;
mod hazards_of_sleep;
mod history;
mod hook;
mod hostile;
mod import;
mod index;
mod init;
mod judge;
mod ladder;
mod languages;
mod limits;
mod link;
mod list;
mod lsp;
mod machines;
mod man;
mod mcp;
mod meaning;
mod models;
mod mv;
mod pick;
mod plain_english;
mod plugin;
mod presets;
mod prompts;
mod purge;
mod races;
mod readme;
mod remember;
mod review;
mod rm;
mod rows;
mod rules;
mod schemas;
mod screens;
mod search;
mod section;
mod show;
mod shown;
mod signals;
mod sleep;
mod spaces;
mod split;
mod status;
mod story;
mod strangers;
mod streams;
mod support;
mod sync;
mod tag;
mod tasks;
mod templates;
mod timeline;
mod topics;
mod undo;
mod usage;
mod views;
mod watch;
mod written_before;

/// A file that is not a module above would never run.
#[test]
fn every_test_file_is_a_module() {
    let main = include_str!("main.rs");
    for entry in std::fs::read_dir(support::project().join("tests")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let name = name.strip_suffix(".rs").unwrap_or(&name);
        if !matches!(name, "main" | "README.md") {
            assert!(
                main.contains(&format!("\nmod {name};\n")),
                "tests/{name} is not in main.rs"
            );
        }
    }
}
