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
    same(
        "man",
        &mem::commands::setup::man::pages(mem::cli::definition())
            .unwrap()
            .into_iter()
            .collect(),
    );
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
fn commands_print_the_generated_files() {
    let vault = TestVault::empty();
    let pages: BTreeMap<String, Vec<u8>> = mem::commands::setup::man::pages(mem::cli::definition())
        .unwrap()
        .into_iter()
        .collect();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_owned()).unwrap();
    // Neither needs a vault.
    let outside = vault.home("");
    let script = text(&mem::commands::setup::completions::script(Shell::Fish));
    let run = vault
        .command(["completions", "fish"])
        .in_folder(&outside)
        .run();
    run.stdout(script).code(0);
    let run = vault.command(["man"]).in_folder(&outside).run();
    run.stdout(text(&pages["mem.1"])).code(0);
    let run = vault
        .command(["man", "share/man1"])
        .in_folder(&outside)
        .run();
    run.naming(&pages.len(), "$COUNT")
        .stderr(expect!["wrote $COUNT pages"])
        .code(0);
    assert_eq!(read(&vault.home("share/man1")), pages);
}

#[test]
fn write_errors_are_reported() {
    let vault = TestVault::empty();
    vault
        .run(["completions", "nosh"])
        .stderr(expect![[r#"
            error: invalid value 'nosh' for '<SHELL>'
              [possible values: bash, elvish, fish, powershell, zsh]

            For more information, try '--help'.
        "#]])
        .code(2);
    vault
        .run(["man", "serach"])
        .stderr(expect![[r#"
        error: no command `serach`, nor a folder
        hint: did you mean `search`?
    "#]])
        .code(2);
    vault.write("file", "");
    vault
        .run(["man", "file/man1"])
        .stderr(expect![[r#"
            error: cannot make `file/man1`
            caused by: Not a directory (os error 20)
        "#]])
        .code(2);
}

/// Every command and flag has a page.
#[test]
fn every_command_and_flag_is_documented() {
    let definition = mem::cli::definition();
    let pages: BTreeMap<String, Vec<u8>> = mem::commands::setup::man::pages(mem::cli::definition())
        .unwrap()
        .into_iter()
        .collect();
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
