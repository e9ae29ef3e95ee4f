//! Generated files for packagers: `completions/`, `man/`, and `schemas/` with the JSON schema of
//! each reply.
//!
//! `UPDATE_EXPECT=1 cargo test` rewrites them after a change of the command line or a reply.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use clap_complete::Shell;
use expect_test::expect;

use crate::support::{TestVault, project};

/// Compares the files of a project folder with `wanted`, or writes them.
fn same(folder: &str, wanted: &BTreeMap<String, Vec<u8>>) {
    let folder = project().join(folder);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        for (name, bytes) in wanted {
            fs::write(folder.join(name), bytes).unwrap();
        }
    }
    let found: BTreeMap<String, Vec<u8>> = read(&folder);
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        names(&found),
        names(wanted),
        "run `UPDATE_EXPECT=1 cargo test`"
    );
    for (name, bytes) in wanted {
        assert!(
            found[name] == *bytes,
            "{} is not what mem writes; run `UPDATE_EXPECT=1 cargo test`",
            folder.join(name).display()
        );
    }
}

fn read(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (
                entry.file_name().into_string().unwrap(),
                fs::read(entry.path()).unwrap(),
            )
        })
        .collect()
}

#[test]
fn completions_are_up_to_date() {
    let files = [
        (Shell::Bash, "mem.bash"),
        (Shell::Zsh, "_mem"),
        (Shell::Fish, "mem.fish"),
    ];
    let script = mem::commands::setup::completions::script;
    same(
        "completions",
        &files
            .map(|(shell, name)| (name.to_owned(), script(shell)))
            .into(),
    );
}

#[test]
fn man_pages_are_up_to_date() {
    same("man", &crate::man::pages().unwrap());
}

#[test]
fn schemas_are_up_to_date() {
    let schemas = crate::schemas::schemas().into_iter();
    let files = schemas.map(|(command, schema)| {
        let text = serde_json::to_string_pretty(&schema).unwrap();
        (format!("{command}.json"), format!("{text}\n").into_bytes())
    });
    same("schemas", &files.collect());
}

#[test]
fn completions_print_the_generated_file() {
    let vault = TestVault::empty();
    // Needs no vault.
    let script = mem::commands::setup::completions::script(Shell::Fish);
    vault
        .command(["completions", "fish"])
        .in_folder(&vault.home(""))
        .run()
        .stdout(String::from_utf8(script).unwrap())
        .code(0);
    vault
        .run(["completions", "nosh"])
        .stderr(expect![[r#"
            error: invalid value 'nosh' for '<SHELL>'
              [possible values: bash, elvish, fish, powershell, zsh]

            For more information, try '--help'.
        "#]])
        .code(2);
}

/// Every command and flag has a page.
#[test]
fn every_command_and_flag_is_documented() {
    let definition = mem::cli::definition();
    let pages = crate::man::pages().unwrap();
    for command in definition.get_subcommands() {
        let name = command.get_name();
        let page = pages.get(&format!("mem-{name}.1"));
        let page = String::from_utf8_lossy(page.unwrap_or_else(|| panic!("no page of {name}")));
        for flag in command.get_arguments().filter_map(clap::Arg::get_long) {
            let roff = format!("\\-\\-{}", flag.replace('-', "\\-"));
            assert!(page.contains(&roff), "{name} --{flag}");
        }
    }
}
