//! Examples for the help and manual page of each command.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use clap::Command;

use super::table::MAX_WIDTH;
use crate::note::words::lists;

/// The examples by command; `mem` has those for beginners.
const EXAMPLES: &str = include_str!("examples.txt");

/// Returns the examples of a command; empty for nested subcommands.
pub fn of(command: &str) -> Vec<(&'static str, &'static str)> {
    static BY_COMMAND: LazyLock<HashMap<&str, Vec<(&str, &str)>>> = LazyLock::new(|| {
        let sections = lists::sections(EXAMPLES);
        sections
            .map(|(name, rows)| (name, rows.map(lists::split_comment).collect()))
            .collect()
    });
    BY_COMMAND.get(command).cloned().unwrap_or_default()
}

/// Returns the section of examples for the help; in two columns if all lines are short.
pub(super) fn section(definition: &Command, command: &str) -> Option<String> {
    let header = definition.get_styles().get_header();
    let lines = of(command);
    let widest = lines.iter().map(|(line, _)| line.len()).max()?;
    let is_short = lines
        .iter()
        .all(|(_, about)| 2 + widest + 2 + about.len() <= MAX_WIDTH);
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
    fn examples_are_found_by_name() {
        assert!(lists::sections(EXAMPLES).is_sorted_by_key(|(name, _)| name));
        for (name, mut rows) in lists::sections(EXAMPLES) {
            assert!(
                rows.all(|row| !lists::split_comment(row).1.is_empty()),
                "{name}"
            );
        }
        assert_eq!(of("outline")[0].0, "mem outline Seedlist");
        assert_eq!(of("x"), []);
    }
}
