//! `mem man`

use std::fs;
use std::path::PathBuf;

use clap::Id;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::commands::settings::SCHEMA;
use crate::config::Setting;
use crate::error::{Error, Exit};
use crate::output::count;
use crate::session::Environment;

/// Print the manual page, or write the pages of all commands to a folder
///
/// `mem man | man -l -` shows it, `mem man search | man -l -` that of a command;
/// `mem man ~/.local/share/man/man1` installs them.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Command whose page to print, or folder to write `mem.1`, `mem-search.1` … to
    #[arg(value_name = "COMMAND|FOLDER")]
    what: Option<PathBuf>,
}

/// Prints or writes the pages.
pub fn run(env: &Environment, args: &Args, definition: clap::Command) -> Result<Exit, Error> {
    let pages = pages(definition)?;
    let named = |name: &str| pages.iter().find(|(page, _)| page == name);
    let page = match args.what.as_deref().map(|what| what.to_string_lossy()) {
        None => named("mem.1"),
        Some(name) => named(&format!("mem-{name}.1")),
    };
    if let Some((_, page)) = page {
        env.output.raw(page)?;
        return Ok(Exit::Done);
    }
    let Some(folder) = &args.what else {
        return Ok(Exit::Done);
    };
    fs::create_dir_all(folder).map_err(|error| Error::io("make", folder, &error))?;
    for (name, page) in &pages {
        let path = folder.join(name);
        fs::write(&path, page).map_err(|error| Error::io("write", &path, &error))?;
    }
    env.output
        .say(&format!("wrote {}", count(pages.len(), "page")));
    Ok(Exit::Done)
}

/// Returns the file name and text of every page, the main one first.
pub fn pages(definition: clap::Command) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let mut definition = definition.disable_help_subcommand(true);
    definition.build();
    let global = definition.get_arguments().filter(|arg| arg.is_global_set());
    let global: Vec<Id> = global.map(|arg| arg.get_id().clone()).collect();
    let mut pages = vec![page("mem", definition.clone(), &[])?];
    below("mem", &definition, &global, &mut pages)?;
    Ok(pages)
}

/// Adds the pages of the subcommands of `above`, and of theirs, without the options `global`.
fn below(
    above: &str,
    definition: &clap::Command,
    global: &[Id],
    pages: &mut Vec<(String, Vec<u8>)>,
) -> Result<(), Error> {
    let shown = |command: &&clap::Command| !command.is_hide_set() && command.get_name() != "help";
    for command in definition.get_subcommands().filter(shown) {
        let name = format!("{above}-{}", command.get_name());
        pages.push(page(&name, command.clone().name(name.clone()), global)?);
        below(&name, command, global, pages)?;
    }
    Ok(())
}

/// Renders one page without the options `left_out`, which only `mem(1)` explains.
fn page(
    name: &str,
    definition: clap::Command,
    left_out: &[Id],
) -> Result<(String, Vec<u8>), Error> {
    let is_whole = name == "mem";
    let command = definition.mut_args(|arg| {
        let hidden = left_out.contains(arg.get_id());
        arg.hide(hidden)
    });
    let long = command.get_long_about().map(ToString::to_string);
    let subcommands = command.has_subcommands();
    // A description begins with the line that the section before it shows already.
    let rest = long.as_deref().and_then(|text| text.split_once("\n\n"));
    let man = match rest {
        Some((_, rest)) => Man::new(command.long_about(rest.to_owned())),
        None => Man::new(command),
    }
    .date("");
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    if rest.is_some() {
        man.render_description_section(&mut text)?;
    }
    man.render_options_section(&mut text)?;
    if subcommands {
        man.render_subcommands_section(&mut text)?;
    }
    let mut roff = Roff::new();
    if is_whole {
        for (title, entries) in MAIN {
            section(&mut roff, title, entries.iter().copied());
        }
    }
    if name == "mem-config" {
        let takes = |setting: &Setting| format!("{} (takes {})", setting.about, setting.takes);
        let meanings: Vec<String> = SCHEMA.all().map(takes).collect();
        let keys = SCHEMA.all().map(|setting| &*setting.key);
        section(
            &mut roff,
            "SETTINGS",
            keys.zip(meanings.iter().map(|text| &**text)),
        );
    }
    if !is_whole {
        roff.control("SH", ["SEE ALSO"]);
        roff.text([
            bold("mem"),
            roman("(1): the options of every command, exit status, files"),
        ]);
    }
    roff.to_writer(&mut text)?;
    // Every section was rendered as a page of its own.
    let begin = Roff::new().render();
    let text = begin.clone() + &String::from_utf8_lossy(&text).replace(&begin, "");
    Ok((format!("{name}.1"), text.into_bytes()))
}

/// Adds a section of terms, each with what it means.
fn section<'a>(roff: &mut Roff, title: &str, entries: impl Iterator<Item = (&'a str, &'a str)>) {
    roff.control("SH", [title]);
    for (term, meaning) in entries {
        roff.control("TP", [])
            .text([bold(term)])
            .text([roman(meaning)]);
    }
}

/// The sections that only the main page has.
const MAIN: [(&str, &[(&str, &str)]); 4] = [
    ("EXIT STATUS", &EXIT_STATUS),
    ("ENVIRONMENT", &ENVIRONMENT),
    ("FILES", &FILES),
    ("EXAMPLES", &EXAMPLES),
];

pub(super) const EXIT_STATUS: [(&str, &str); 3] = [
    ("0", "Done, or found"),
    ("1", "Nothing found, or a check found problems"),
    (
        "2",
        "An error, or a command line that mem does not understand",
    ),
];

pub(super) const ENVIRONMENT: [(&str, &str); 7] = [
    ("MEM_VAULT", "The vault, as with --dir"),
    (
        "MEM_SLEEP_APPLY, MEM_DEDUPE_EVERY, …",
        "Settings: each has such a variable, which overrides the files",
    ),
    (
        "MEM_BY",
        "The author that `mem remember` writes into a note",
    ),
    (
        "MEM_NOW, MEM_SEED",
        "The date and the seed of chance, for runs that can be repeated",
    ),
    ("VISUAL, EDITOR", "Your editor"),
    ("NO_COLOR", "No colour"),
    (
        "XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME",
        "Where the files of mem are, if not in `~`",
    ),
];

pub(super) const FILES: [(&str, &str); 7] = [
    (".mem/config.toml", "Settings of the vault"),
    (
        ".mem/journal/",
        "Answers, and why mem stated a relation, one folder per device",
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

const EXAMPLES: [(&str, &str); 6] = [
    ("mem init ~/notes", "Turn a folder of notes into a vault"),
    ("mem search green tea", "Find notes by words and meaning"),
    (
        "mem recall what did we decide about the database",
        "Print the passages that answer a question",
    ),
    ("mem sleep --dry-run", "Preview what maintenance would do"),
    ("mem review", "Answer what maintenance asks"),
    ("mem undo", "Undo the last run"),
];
