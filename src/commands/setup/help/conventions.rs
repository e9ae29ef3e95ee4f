//! What holds for every command: exit codes, environment, files. Each is a term and what it means.

pub const EXIT_STATUS: [(&str, &str); 3] = [
    ("0", "Done, or found"),
    ("1", "Nothing found, or a check found problems"),
    (
        "2",
        "An error, or a command line that mem does not understand",
    ),
];

pub const ENVIRONMENT: [(&str, &str); 9] = [
    ("MEM_VAULT", "The vault, as with --dir"),
    (
        "MEM_SLEEP_APPLY, MEM_DEDUPE_EVERY, …",
        "Settings: each has such a variable, which overrides the files",
    ),
    ("MEM_BY", "Who writes: a program's name, as with --by"),
    (
        "MEM_NO_TOUCH",
        "Finding and reading notes does not count as a use",
    ),
    (
        "MEM_NOW, MEM_SEED",
        "The time (2026-01-31T12:00:00Z) and the seed of chance, for runs that can be repeated",
    ),
    ("VISUAL, EDITOR", "Your editor"),
    (
        "MEM_PAGER, PAGER",
        "What shows output that is longer than the terminal",
    ),
    ("NO_COLOR", "No colour"),
    (
        "XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME",
        "Where the files of mem are, if not in `~`",
    ),
];

pub const FILES: [(&str, &str); 7] = [
    (".mem/config.toml", "Settings of the vault"),
    (
        ".mem/journal/",
        "Answers, uses, moves and what judges said, one folder per device",
    ),
    (".mem/trash/", "Removed notes, until `mem trash empty`"),
    (".mem/state/", "Last runs of the jobs, one file per device"),
    ("~/.config/mem/config.toml", "Your settings"),
    (
        "~/.local/state/mem/",
        "Undo history, locks, reports of sleeps",
    ),
    ("~/.cache/mem/", "The index; can be deleted at any time"),
];
