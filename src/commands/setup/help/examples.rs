//! Lines to try, for the help of each command and its manual page.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use clap::Command;

use super::table::WIDEST;
use crate::note::words::lists;

/// Lines and what they do, by command; `mem` has what to begin with.
const EXAMPLES: &str = include_str!("examples.txt");

/// Returns the lines to try of a command; none for one that has none, like those below another.
pub fn of(command: &str) -> Vec<(&'static str, &'static str)> {
    static BY_COMMAND: LazyLock<HashMap<&str, Vec<(&str, &str)>>> = LazyLock::new(|| {
        let sections = lists::sections(EXAMPLES);
        sections
            .map(|(name, rows)| (name, rows.map(lists::commented).collect()))
            .collect()
    });
    BY_COMMAND.get(command).cloned().unwrap_or_default()
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
        assert!(lists::sections(EXAMPLES).is_sorted_by_key(|(name, _)| name));
        for (name, mut rows) in lists::sections(EXAMPLES) {
            assert!(
                rows.all(|row| !lists::commented(row).1.is_empty()),
                "{name}"
            );
        }
        assert_eq!(of("outline")[0].0, "mem outline Seedlist");
        assert_eq!(of("x"), []);
    }
}
