//! `mem man`

use clap::Id;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::help::conventions::{ENVIRONMENT, EXIT_STATUS, FILES, terms};
use super::help::examples;
use crate::commands::prelude::*;
use crate::config::{Setting, nearest};
use crate::jobs;
use crate::output::reply::Text;

/// Print a manual page, or write all of them to a folder
///
/// `mem man | man -l -` shows it, `mem man search | man -l -` that of a command; `mem man
/// ~/.local/share/man/man1` installs them.
#[derive(Debug, clap::Args)]
pub struct ManRequest {
    /// Command whose page to print, or folder to write `mem.1`, `mem-search.1` … to
    #[arg(value_name = "COMMAND|FOLDER")]
    what: Option<PathBuf>,
    /// The command line to describe.
    #[arg(skip)]
    definition: clap::Command,
}

impl ManRequest {
    #[must_use]
    pub fn of(self, definition: clap::Command) -> Self {
        Self { definition, ..self }
    }
}

impl Request<Environment> for ManRequest {
    type Reply<'s> = Text;

    /// Returns a page, or writes all.
    fn answer(&self, env: &Environment) -> Result<Text> {
        let pages = pages(self.definition.clone())?;
        let named = |name: &str| pages.iter().find(|(page, _)| page == name);
        let page = match self.what.as_deref().map(|what| what.to_string_lossy()) {
            None => named("mem.1"),
            Some(name) => named(&format!("mem-{name}.1")),
        };
        if let Some((_, page)) = page {
            let text = String::from_utf8_lossy(page).into_owned();
            return Ok(Text { text });
        }
        let Some(folder) = &self.what else {
            return Ok(Text::default());
        };
        if folder.components().count() == 1 && !folder.is_dir() {
            return Err(no_command(&folder.to_string_lossy(), &pages));
        }
        fs::create_dir_all(folder).map_err(|error| Error::io("make", folder, &error))?;
        for (name, page) in &pages {
            let path = folder.join(name);
            fs::write(&path, page).map_err(|error| Error::io("write", &path, &error))?;
        }
        env.output
            .say(&format!("wrote {}", count(pages.len(), "page")));
        Ok(Text::default())
    }
}

/// The error for a single word that is neither a command nor a folder.
fn no_command(name: &str, pages: &[(String, Vec<u8>)]) -> Error {
    let commands = pages
        .iter()
        .filter_map(|(page, _)| page.strip_prefix("mem-"));
    let error = Error::new(format!("no command `{name}`, nor a folder"));
    match nearest(name, commands.map(|page| page.trim_end_matches(".1"))) {
        Some(command) => error.hint(format!("did you mean `{command}`?")),
        None => error.hint(format!("`mem man ./{name}` makes the folder")),
    }
}

/// Returns the file names and texts of all pages, the main page first.
pub fn pages(definition: clap::Command) -> Result<Vec<(String, Vec<u8>)>> {
    let mut definition = definition.disable_help_subcommand(true);
    definition.build();
    let arguments = definition.get_arguments().filter(|arg| arg.is_global_set());
    let global: Vec<Id> = arguments.map(|arg| arg.get_id().clone()).collect();
    let mut pages = vec![page("mem", definition.clone(), &[])?];
    add_subpages("mem", &definition, &global, &mut pages)?;
    Ok(pages)
}

/// Adds the pages of all subcommands of `above`, without the options `global`.
fn add_subpages(
    above: &str,
    definition: &clap::Command,
    global: &[Id],
    pages: &mut Vec<(String, Vec<u8>)>,
) -> Result<()> {
    let shown = |command: &&clap::Command| !command.is_hide_set() && command.get_name() != "help";
    for command in definition.get_subcommands().filter(shown) {
        let name = format!("{above}-{}", command.get_name());
        pages.push(page(&name, command.clone().name(name.clone()), global)?);
        add_subpages(&name, command, global, pages)?;
    }
    Ok(())
}

/// Renders a page without the options `left_out`, which only `mem(1)` explains.
fn page(name: &str, definition: clap::Command, left_out: &[Id]) -> Result<(String, Vec<u8>)> {
    let is_whole = name == "mem";
    let command_name = name.strip_prefix("mem-").unwrap_or(name);
    let command = definition.mut_args(|arg| {
        let hidden = left_out.contains(arg.get_id());
        arg.hide(hidden)
    });
    let long = match jobs::named(command_name) {
        Some(job) => Some(job.long_about()),
        None => command.get_long_about().map(ToString::to_string),
    };
    let subcommands = command.has_subcommands();
    let usage = command.clone().render_usage().to_string();
    // The first line of a description is already in the section before it.
    let rest = long.as_deref().and_then(|text| text.split_once("\n\n"));
    let man = match rest {
        Some((_, rest)) => Man::new(command.long_about(rest.to_owned())),
        None => Man::new(command),
    }
    .date("");
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    let mut synopsis = Roff::new();
    synopsis.control("SH", ["SYNOPSIS"]);
    for line in usage.trim_start_matches("Usage:").lines() {
        synopsis.text([roman(line.trim())]).control("br", []);
    }
    synopsis.to_writer(&mut text)?;
    if rest.is_some() {
        man.render_description_section(&mut text)?;
    }
    man.render_options_section(&mut text)?;
    if subcommands {
        man.render_subcommands_section(&mut text)?;
    }
    let mut roff = Roff::new();
    let examples = examples::of(command_name);
    section(&mut roff, "EXAMPLES", examples.into_iter());
    if is_whole {
        section(&mut roff, "EXIT STATUS", terms(EXIT_STATUS));
        section(&mut roff, "ENVIRONMENT", terms(ENVIRONMENT));
        section(&mut roff, "FILES", terms(FILES));
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
            roman("(1): the options of every command, exit status, environment, files"),
        ]);
    }
    roff.to_writer(&mut text)?;
    // Each section was rendered with its own preamble.
    let begin = Roff::new().render();
    let text = begin.clone() + &String::from_utf8_lossy(&text).replace(&begin, "");
    Ok((format!("{name}.1"), text.into_bytes()))
}

/// Adds a section of terms and meanings, if there are any.
fn section<'a>(roff: &mut Roff, title: &str, entries: impl Iterator<Item = (&'a str, &'a str)>) {
    let mut entries = entries.peekable();
    if entries.peek().is_some() {
        roff.control("SH", [title]);
    }
    for (term, meaning) in entries {
        roff.control("TP", [])
            .text([bold(term)])
            .text([roman(meaning)]);
    }
}
