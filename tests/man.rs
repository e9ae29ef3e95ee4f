//! The man pages in `man/`, generated from the definition of the command line.

use std::collections::BTreeMap;
use std::io;

use clap::Id;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use mem::commands::setup::help::conventions::{ENVIRONMENT, EXIT_STATUS, FILES, terms};
use mem::commands::setup::help::examples;
use mem::commands::setup::settings::SCHEMA;
use mem::config::Setting;
use mem::jobs;

/// Returns the texts of all pages by file name.
pub(crate) fn pages() -> io::Result<BTreeMap<String, Vec<u8>>> {
    let mut definition = mem::cli::definition().disable_help_subcommand(true);
    definition.build();
    let arguments = definition.get_arguments().filter(|arg| arg.is_global_set());
    let global: Vec<Id> = arguments.map(|arg| arg.get_id().clone()).collect();
    let mut pages = BTreeMap::from([page("mem", definition.clone(), &[])?]);
    add_subpages("mem", &definition, &global, &mut pages)?;
    Ok(pages)
}

/// Adds the pages of all subcommands of `above`, without the options `global`.
fn add_subpages(
    above: &str,
    definition: &clap::Command,
    global: &[Id],
    pages: &mut BTreeMap<String, Vec<u8>>,
) -> io::Result<()> {
    let shown = |command: &&clap::Command| !command.is_hide_set() && command.get_name() != "help";
    for command in definition.get_subcommands().filter(shown) {
        let name = format!("{above}-{}", command.get_name());
        pages.extend([page(&name, command.clone().name(name.clone()), global)?]);
        add_subpages(&name, command, global, pages)?;
    }
    Ok(())
}

/// Renders a page without the options `left_out`, which only `mem(1)` explains.
fn page(name: &str, definition: clap::Command, left_out: &[Id]) -> io::Result<(String, Vec<u8>)> {
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
