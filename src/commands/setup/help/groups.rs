//! The groups of commands in the help of `mem`.

use std::fmt::Write as _;

use clap::Command;

use super::table::table;
use crate::note::words::lists;

/// Returns each group's name, remark and commands, the most common groups first.
pub fn groups() -> impl Iterator<Item = (&'static str, &'static str, Vec<&'static str>)> {
    lists::sections(include_str!("groups.txt")).map(|(header, rows)| {
        let (group, remark) = header.split_at(header.find(',').unwrap_or(header.len()));
        (
            group,
            remark,
            rows.flat_map(str::split_whitespace).collect(),
        )
    })
}

/// Returns the names of the commands by group.
pub(super) fn short(definition: &Command) -> String {
    let header = definition.get_styles().get_header();
    let rows = groups().map(|(group, _, names)| (group.to_owned(), names.join(" ")));
    format!("{header}Commands:{header:#}\n{}", table(rows, 10))
}

/// Returns the commands with their descriptions by group.
pub(super) fn long(definition: &Command) -> String {
    let header = definition.get_styles().get_header();
    let literal = definition.get_styles().get_literal();
    let mut text = String::new();
    for (group, remark, names) in groups() {
        let _ = writeln!(text, "{header}{group}{remark}:{header:#}");
        for name in names {
            let command = definition.find_subcommand(name);
            let summary = command
                .and_then(Command::get_about)
                .map(ToString::to_string);
            let about = summary.as_deref().unwrap_or("Explain a command or a topic");
            let _ = writeln!(text, "  {literal}{name:11}{literal:#}  {about}");
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}
