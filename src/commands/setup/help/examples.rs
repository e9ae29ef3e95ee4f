//! Lines to try, for the help of each command and its manual page.

use std::fmt::Write as _;

use clap::Command;

use super::table::WIDEST;

/// A command with its lines, each with what it does.
type Examples = (&'static str, &'static [(&'static str, &'static str)]);

/// The commands in the order of the alphabet; `mem` is what to begin with.
const EXAMPLES: &[Examples] = &[
    (
        "append",
        &[
            (
                "mem append Seedlist '- [ ] Tell Anna' --under 'What is next'",
                "Add a task under a heading",
            ),
            (
                "mem append --daily 'Met Anna'",
                "Add a line to the note of today",
            ),
            (
                "date | mem append --daily -",
                "Add what another program prints",
            ),
        ],
    ),
    (
        "associate",
        &[(
            "mem associate --dry-run",
            "See which notes have to do with each other",
        )],
    ),
    (
        "cluster",
        &[(
            "mem cluster --dry-run",
            "See the summaries that it would write",
        )],
    ),
    (
        "completions",
        &[(
            "echo 'source <(mem completions bash)' >> ~/.bashrc",
            "Complete notes, tags and settings in bash",
        )],
    ),
    (
        "config",
        &[
            ("mem config", "Show all settings and where each comes from"),
            (
                "mem config sleep.apply none",
                "Change one, for all of your vaults",
            ),
            (
                "mem config --vault review.daily 5",
                "Change one for this vault",
            ),
        ],
    ),
    (
        "confirm",
        &[(
            "mem list type:fact 'idle:>1y' -0 | xargs -0r mem confirm",
            "Say that old facts still hold",
        )],
    ),
    (
        "conflicts",
        &[(
            "mem conflicts --dry-run",
            "See what contradicts, and which is later",
        )],
    ),
    (
        "consolidate",
        &[(
            "mem consolidate --dry-run tag:meeting",
            "See the digests of some notes",
        )],
    ),
    (
        "daily",
        &[
            ("mem daily", "Open the note of today"),
            ("mem daily last monday", "Open that of another day"),
        ],
    ),
    (
        "decay",
        &[("mem decay --dry-run", "See which notes fade, and why")],
    ),
    (
        "dedupe",
        &[
            ("mem dedupe --dry-run", "Preview each merge as a diff"),
            ("mem dedupe type:fact --limit 5", "Merge at most five facts"),
        ],
    ),
    (
        "demo",
        &[("mem demo", "Try it on sample notes, then undo all of it")],
    ),
    (
        "doctor",
        &[
            ("mem doctor", "Check notes, links and files"),
            ("mem doctor --sizes", "Show what takes how much room"),
        ],
    ),
    (
        "edit",
        &[
            ("mem edit Seedlist", "Open a note in your editor"),
            (
                "mem list tag:release -0 | xargs -0r mem edit --set status=done --append tags=archive",
                "Set properties of many notes",
            ),
        ],
    ),
    (
        "extract",
        &[
            (
                "mem extract type:person",
                "List what notes about people state",
            ),
            (
                "mem extract --predicate 'depends on' --jsonl",
                "List what depends on what",
            ),
        ],
    ),
    (
        "forget",
        &[("mem forget --dry-run", "See what would leave your searches")],
    ),
    (
        "graph",
        &[
            (
                "mem graph 'Chose SQLite' --hops 2",
                "Show what is around a note",
            ),
            (
                "mem graph --relation contradicts",
                "Show one relation in the vault",
            ),
            (
                "mem graph --where tag:work --format dot | dot -Tsvg > work.svg",
                "Draw a part of the vault",
            ),
            (
                "mem graph --format html > graph.html",
                "Make a page to look around in",
            ),
        ],
    ),
    (
        "help",
        &[
            ("mem help search", "Explain a command"),
            ("mem help query", "Explain what can be asked"),
        ],
    ),
    (
        "history",
        &[
            ("mem history -n 5", "List the last five runs"),
            ("mem history 757x", "Show all that a run did"),
        ],
    ),
    (
        "index",
        &[
            ("mem index", "Take in what changed"),
            ("mem index --rebuild", "Make the index anew"),
        ],
    ),
    (
        "init",
        &[
            (
                "mem init ~/notes",
                "Make your notes a vault; no note is changed",
            ),
            (
                "mem init --preset quiet",
                "Begin with the settings of a preset",
            ),
        ],
    ),
    (
        "judge",
        &[
            (
                "mem judge --dry-run",
                "See what would be asked, and what it costs",
            ),
            (
                "mem judge --kind conflict --limit 5",
                "Have five questions answered",
            ),
        ],
    ),
    (
        "link",
        &[
            ("mem link --dry-run", "See the links that are missing"),
            ("mem link Seedlist", "Link one note"),
        ],
    ),
    (
        "list",
        &[
            (
                "mem list tag:work 'modified:<7d'",
                "List what you wrote about work this week",
            ),
            (
                "mem list --sort importance -r -n 5",
                "List the five least important notes",
            ),
            (
                "mem list --format '{{ path }}: {{ title }}'",
                "Print them your way",
            ),
        ],
    ),
    (
        "man",
        &[
            ("mem man search | man -l -", "Read the page of a command"),
            ("mem man ~/.local/share/man/man1", "Install all pages"),
        ],
    ),
    (
        "mem",
        &[
            ("mem demo", "See what it does, on sample notes"),
            ("mem init ~/notes", "Turn a folder of notes into a vault"),
            ("mem search green tea", "Find notes by words and meaning"),
            ("mem sleep --dry-run", "Preview what maintenance would do"),
            ("mem review", "Answer what maintenance asks"),
            ("mem undo", "Undo the last run"),
        ],
    ),
    (
        "mv",
        &[
            (
                "mem mv 'Chose SQLite' 'decisions/Chose Postgres'",
                "Rename a note and what links to it",
            ),
            (
                "mem mv Sourdough Ochazuke kitchen/",
                "Move notes into a folder",
            ),
            (
                "mem mv 'Seedlist#What is next' 'Seedlist tasks'",
                "Make a note of a section",
            ),
        ],
    ),
    (
        "new",
        &[
            ("mem new Seed swap", "Begin a note in your editor"),
            (
                "mem new Seed swap --template meeting",
                "Begin it as a template does",
            ),
            (
                "ls | mem new What is here",
                "Save what another program prints",
            ),
        ],
    ),
    (
        "outline",
        &[("mem outline Seedlist", "Show the headings of a note")],
    ),
    (
        "pick",
        &[
            ("mem", "Choose a note and open it in your editor"),
            (
                "vim \"$(mem pick tea)\"",
                "Begin with what may be meant by tea",
            ),
            (
                "mem pick --multi -0 | xargs -0r mem edit --tag read",
                "Choose several",
            ),
        ],
    ),
    (
        "presets",
        &[
            ("mem presets", "List the presets"),
            ("mem presets automem", "Read one"),
        ],
    ),
    (
        "recall",
        &[
            (
                "mem recall what did we decide about the database",
                "Print the passages that answer",
            ),
            (
                "mem recall --budget 500 'tag:tea water temperature' | llm",
                "Hand a model what it needs to know",
            ),
        ],
    ),
    (
        "reinforce",
        &[(
            "mem reinforce 'Moved to Postgres' --query 'which database do we use'",
            "Say what a note helped with",
        )],
    ),
    (
        "related",
        &[("mem related Seedlist -n 5", "Show what is near a note")],
    ),
    (
        "remember",
        &[
            (
                "mem remember 'The invoice service listens on port 8080' --tag work",
                "Save a note",
            ),
            (
                "df -h | mem remember - --title 'Room on the disks'",
                "Save what another program prints",
            ),
        ],
    ),
    (
        "restore",
        &[(
            "mem restore 'Beer traps work'",
            "Bring a note back from the trash",
        )],
    ),
    (
        "resurface",
        &[
            ("mem resurface", "Show what is worth another look"),
            (
                "mem resurface --on-this-day",
                "Show what you wrote on this day",
            ),
        ],
    ),
    (
        "review",
        &[
            ("mem review", "Answer question by question"),
            ("mem review --all --jsonl", "Print all that is open"),
            (
                "mem review accept 2333",
                "Answer one by the beginning of its id",
            ),
        ],
    ),
    (
        "rm",
        &[(
            "mem rm 'Beer traps work' --reason 'they do not'",
            "Move a note to the trash",
        )],
    ),
    (
        "rules",
        &[
            (
                "mem rules test --at 2027-01-01",
                "See what your rules would do that day",
            ),
            ("mem rules check", "Look for mistakes and for circles"),
        ],
    ),
    (
        "score",
        &[("mem score --limit 5", "Show whose worth moved most")],
    ),
    (
        "search",
        &[
            ("mem search green tea", "Find notes by words and meaning"),
            (
                "mem search '\"port 8080\" tag:work'",
                "Find a phrase in notes with a tag",
            ),
            (
                "mem search postgres 'created:>2026-01'",
                "Find what was written since then",
            ),
            (
                "mem search postgres -0 | xargs -0r wc -w",
                "Hand the paths to another program",
            ),
        ],
    ),
    (
        "settle",
        &[("mem settle --dry-run", "See what was learned from use")],
    ),
    (
        "show",
        &[
            ("mem show Seedlist", "Read a note"),
            (
                "mem show Seedlist --links",
                "Show what leads to it and from it",
            ),
        ],
    ),
    (
        "sleep",
        &[
            ("mem sleep --dry-run", "Preview each change with its reason"),
            ("mem sleep --install cron", "Have it run every hour"),
            ("mem sleep --report", "Read what the last one did"),
        ],
    ),
    (
        "spaces",
        &[("mem spaces --dry-run", "See where notes would belong")],
    ),
    (
        "split",
        &[("mem split --dry-run", "See which notes are several")],
    ),
    (
        "status",
        &[(
            "mem status --json | jq .notes",
            "Count the notes in a script",
        )],
    ),
    (
        "tag",
        &[
            ("mem tag", "List the tags"),
            (
                "mem tag mv tea drink/tea --dry-run",
                "Preview a new name for one",
            ),
        ],
    ),
    (
        "tasks",
        &[
            ("mem tasks '#work'", "List what is to be done at work"),
            ("mem tasks --toggle work/Seedlist.md:19", "Tick a task"),
        ],
    ),
    (
        "trash",
        &[
            ("mem trash", "List what is in it"),
            ("mem trash empty --older-than 30d", "Delete what is old"),
        ],
    ),
    (
        "undo",
        &[
            ("mem undo", "Undo the last run"),
            ("mem undo 757x --dry-run", "Preview undoing another one"),
        ],
    ),
    (
        "views",
        &[(
            "mem views --dry-run",
            "See which lists in notes are out of date",
        )],
    ),
    (
        "watch",
        &[("mem watch --no-sleep", "Keep the index fresh, run no jobs")],
    ),
    (
        "why",
        &[(
            "mem why Seedlist",
            "Explain a note's numbers and what awaits it",
        )],
    ),
];

/// Returns the lines to try of a command; none for one that has none, like those below another.
#[must_use]
pub fn of(command: &str) -> &'static [(&'static str, &'static str)] {
    let found = EXAMPLES.binary_search_by_key(&command, |(name, _)| name);
    found.map_or(&[], |index| EXAMPLES[index].1)
}

/// Returns them as the end of the command's help: side by side where all lines are short.
pub(super) fn section(definition: &Command, command: &str) -> Option<String> {
    let header = definition.get_styles().get_header();
    let lines = of(command);
    let widest = lines.iter().map(|(line, _)| line.len()).max()?;
    let is_short = lines
        .iter()
        .all(|(_, about)| 2 + widest + 2 + about.len() <= WIDEST);
    let mut section = format!("{header}Examples:{header:#}");
    for (line, about) in lines {
        let _ = if is_short {
            write!(section, "\n  {line:widest$}  {about}")
        } else {
            write!(section, "\n  {line}\n      {about}")
        };
    }
    Some(section)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_found_by_name() {
        assert!(EXAMPLES.is_sorted_by_key(|(name, _)| name));
        assert_eq!(of("outline")[0].0, "mem outline Seedlist");
        assert_eq!(of("x"), []);
    }
}
