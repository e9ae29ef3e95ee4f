//! A change of a note as a unified diff.

use similar::TextDiff;

use super::{Output, Style};
use crate::error::Error;

/// Returns how the note at `path` changes; `None` for a note that is not there.
#[must_use]
pub fn unified(path: &str, before: Option<&str>, after: Option<&str>) -> String {
    between([path, path], before, after)
}

/// Returns how the note at `from` changes as it moves to `to`, in the words of git.
#[must_use]
pub fn renamed(from: &str, to: &str, before: Option<&str>, after: Option<&str>) -> String {
    let text = between([from, to], before, after);
    format!("rename from {from}\nrename to {to}\n{text}")
}

fn between(paths: [&str; 2], before: Option<&str>, after: Option<&str>) -> String {
    let [from, to] = paths;
    let name = |side: &str, path: &str, text: Option<&str>| {
        if text.is_some() {
            format!("{side}/{path}")
        } else {
            "/dev/null".to_owned()
        }
    };
    TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default())
        .unified_diff()
        .context_radius(2)
        .header(&name("a", from, before), &name("b", to, after))
        .to_string()
}

/// Writes a unified diff, coloured where there is colour.
pub fn print(output: &Output, diff: &str) -> Result<(), Error> {
    for line in diff.lines() {
        let style = match line.as_bytes().first() {
            Some(b'-') if !line.starts_with("--- ") => Style::Removed,
            Some(b'+') if !line.starts_with("+++ ") => Style::Added,
            Some(b'@') => Style::Faint,
            _ => {
                output.line(&output.clean(line))?;
                continue;
            }
        };
        output.line(&output.paint(style, line))?;
    }
    Ok(())
}
