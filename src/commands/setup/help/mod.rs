//! The help: groups of commands, examples and topics.

pub mod conventions;
pub mod examples;
pub mod groups;
pub mod paged;
mod table;
pub mod topics;

use std::fmt::Write as _;

use clap::Command;

use groups::groups;
use topics::{TOPICS, Topic};

/// Returns the command line with commands in groups and examples at the end of each help.
pub fn complete(definition: Command) -> Command {
    let names = groups().flat_map(|(_, _, names)| names);
    let definition = names
        .enumerate()
        .fold(definition, |definition, (order, name)| {
            if name == "help" {
                return definition;
            }
            definition.mut_subcommand(name, |command| {
                let examples = examples::section(&command, name).unwrap_or_default();
                let after_help = command.get_after_long_help();
                let long = after_help.map(|text| format!("{text}\n\n{examples}"));
                let command = command.display_order(order).after_help(examples);
                match long {
                    Some(long) => command.after_long_help(long),
                    None => command,
                }
            })
        });
    let header = *definition.get_styles().get_header();
    let mut topics = format!("{header}Topics, as in `mem help query`:{header:#}\n");
    for Topic { name, about, .. } in TOPICS {
        let _ = writeln!(topics, "  {name:11}  {about}");
    }
    let examples = examples::section(&definition, "mem").unwrap_or_default();
    let (short, long) = (groups::short(&definition), groups::long(&definition));
    definition
        .help_template(format!(
            "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{{before-help}}\
             {header}Options:{header:#}\n{{options}}{{after-help}}"
        ))
        .before_help(short)
        .before_long_help(long)
        .after_help("`mem` alone finds a note as you type; `mem help COMMAND` explains a command.")
        .after_long_help(format!("{topics}\n{examples}"))
}
