//! `mem completions` in a real bash.

use std::process::Command;

use crate::support::terminal::Terminal;
use crate::support::{MEM, TestVault};

/// Returns the completions of the last of `words`, quoted as shown.
fn offered(vault: &TestVault, words: &[&str]) -> Vec<String> {
    let quoted: Vec<String> = words.iter().map(|word| word.replace(' ', "\\ ")).collect();
    // Bash splits words at colons.
    let last = quoted.last().unwrap().rsplit(':').next().unwrap();
    let script = format!(
        "source <({MEM} completions bash)\n\
         mem() {{ {MEM} \"$@\"; }}\n\
         COMP_LINE='mem {}'\n\
         COMP_POINT=${{#COMP_LINE}}\n\
         _mem mem '{last}' ''\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        quoted.join(" "),
    );
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", &script]);
    vault.prepare(&mut bash);
    let output = bash.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words:?}");
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines = lines.lines().map(|line| line.trim_end().to_owned());
    lines.filter(|line| !line.is_empty()).collect()
}

#[test]
fn bash_completes_names_from_the_vault() {
    let vault = TestVault::indexed("sample");
    vault.run(["edit", "Oolong", "--set", "status=old"]).raw();
    vault.run(["mv", "Oolong", "Oolong tea"]).raw();
    vault.run(["rm", "Tomasz"]).raw();
    vault
        .run(["edit", "Compost", "--set", "tier=archival"])
        .raw();
    let run = vault.run(["config", "queries.open", "is:open"]).raw();
    assert_eq!(run.code, 0, "{}", run.stderr);
    let cases: &[(&[&str], &[&str])] = &[
        (&["sea"], &["search"]),
        (&["search", "--mo"], &["--mode"]),
        (&["search", "--mode", "s"], &["semantic"]),
        (&["show", "gran"], &["Grandmother"]),
        (&["show", "green t"], &[r"Green\ tea", r"Green\ tea.md"]),
        (&["show", "garden/comp"], &["garden/Compost.md"]),
        (&["rm", "Gran"], &["Grandmother"]),
        (&["edit", "Compost", "--tag", "te"], &["tea"]),
        (
            &["edit", "Compost", "--tag", "kitchen,te"],
            &["kitchen,tea"],
        ),
        (&["edit", "Compost", "--set", "stat"], &["status="]),
        (&["edit", "Compost", "--unset", "stat"], &["status"]),
        (&["list", "--sort", "sal"], &["salience"]),
        (&["restore", "people/"], &["people/Tomasz.md"]),
        (&["restore", "garden/"], &["garden/Compost.md"]),
        (&["list", "@o"], &["@open"]),
        (&["list", "#kit"], &[r"\#kitchen"]),
        // Bash replaces the text after the colon.
        (&["list", "tag:KIT"], &["kitchen"]),
        (&["list", "is:open", "tag:kit"], &["kitchen"]),
        (&["list", "tag:kit", "tie"], &["tier:"]),
        (&["list", "is:o"], &["open", "orphan"]),
        (&["list", "tier:arch"], &["archival"]),
        (&["list", "title:"], &[]),
        (&["search", "tag:tea/"], &[]),
        (&["config", "review.dai"], &["review.daily"]),
    ];
    for (words, expected) in cases {
        assert_eq!(offered(&vault, words), *expected, "{words:?}");
    }
    assert_eq!(offered(&vault, &["undo", "2"]).len(), 4);
    assert!(offered(&vault, &["list", "tag:"]).len() > 2);
    assert_eq!(offered(&vault, &["-C", "nowhere", "show", "gran"]), [""; 0]);
    // Another vault than the shell's folder.
    let tea = offered(&vault, &["-C", "tea", "show", "gran"]);
    assert_eq!(tea, ["Grandmother"], "the vault above it");
}

#[test]
fn tags_complete_without_changing_typed_text() {
    let vault = TestVault::from("sample");
    vault.write("tea/Kinds/Assam.md", "");
    vault.write("tea/kinds/Ceylon.md", "");
    vault.write("tea/kinds/Assam.md", "");
    vault.run(["index"]).raw();
    for (typed, expected) in [
        ("mem list --tag garde\t", "--tag garden"),
        ("mem list tag:garde\t", "tag:garden"),
        ("mem show garden/comp\t", "show garden/Compost.md"),
        ("mem show 'green t\t", "show 'Green tea"),
        ("mem show green\\ t\t", "show Green\\ tea"),
        // Several candidates with different cases share only `tea/`.
        ("mem show tea/kinds/A\t", "show tea/kinds/Assam.md"),
        ("mem list is:\to\t\t", "open"),
        ("mem list is:\t", "is:"),
    ] {
        let words = ["bash", "--norc", "--noprofile", "-i"];
        let mut terminal = Terminal::program(&vault, [80, 24], &words, &[("PS1", "> ")]);
        terminal.wait(">");
        terminal.press(&format!(
            "mem() {{ {MEM} \"$@\"; }}; source <({MEM} completions bash); clear\r"
        ));
        terminal.wait(">");
        terminal.press(typed);
        terminal.wait_for(expected);
        terminal.press("\x15exit\r");
        terminal.end();
        let shown = terminal.contents();
        assert!(!shown.contains("garden/ "), "{shown}");
        let wrong = format!("{expected}/");
        assert!(!shown.contains(&wrong), "{shown}");
    }
}

#[test]
fn ids_of_todays_questions_are_completed() {
    let vault = TestVault::indexed("sample");
    let asked = vault.run(["review", "--jsonl"]).raw();
    let ids = asked.stdout.lines().map(|line| {
        let question: serde_json::Value = serde_json::from_str(line).unwrap();
        question["id"].as_str().unwrap().to_owned()
    });
    let mut ids: Vec<String> = ids.collect();
    ids.sort_unstable();
    assert!(!ids.is_empty());
    let found = offered(&vault, &["review", "accept", ""]);
    assert_eq!(found[..ids.len()], ids, "then flags");
    let found = offered(&vault, &["review", "reject", &ids[0][..8]]);
    assert_eq!(found, ids[..1]);
}

#[test]
fn missing_index_is_not_built() {
    let vault = TestVault::from("sample");
    assert_eq!(offered(&vault, &["show", "gran"]), [""; 0]);
    assert!(!vault.home(".cache/mem").exists());
}
