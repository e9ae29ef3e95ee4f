//! `mem man`

use std::fs;
use std::path::PathBuf;

use clap_mangen::Man;

use crate::error::{Error, Exit};
use crate::output::count;
use crate::session::Environment;

/// Print the manual page, or write the pages of all commands to a folder
///
/// `mem man | man -l -` shows it; `mem man ~/.local/share/man/man1` installs it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write `mem.1`, `mem-search.1` … to this folder
    folder: Option<PathBuf>,
}

/// Prints or writes the pages.
pub fn run(env: &Environment, args: &Args, definition: clap::Command) -> Result<Exit, Error> {
    let pages = pages(definition)?;
    let Some(folder) = &args.folder else {
        env.output.raw(&pages[0].1)?;
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
    let mut pages = vec![page("mem", definition.clone())?];
    below("mem", &definition, &mut pages)?;
    Ok(pages)
}

/// Adds the pages of the subcommands of `above`, and of theirs.
fn below(
    above: &str,
    definition: &clap::Command,
    pages: &mut Vec<(String, Vec<u8>)>,
) -> Result<(), Error> {
    let shown = |command: &&clap::Command| !command.is_hide_set() && command.get_name() != "help";
    for command in definition.get_subcommands().filter(shown) {
        let name = format!("{above}-{}", command.get_name());
        pages.push(page(&name, command.clone().name(name.clone()))?);
        below(&name, command, pages)?;
    }
    Ok(())
}

fn page(name: &str, command: clap::Command) -> Result<(String, Vec<u8>), Error> {
    let mut text = Vec::new();
    Man::new(command).date("").render(&mut text)?;
    Ok((format!("{name}.1"), text))
}
