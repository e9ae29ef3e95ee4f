//! Changes of notes as unified diffs.

use std::collections::HashSet;

use similar::TextDiff;

use super::{Output, Style};
use crate::change::file_op::FileWrite;
use crate::change::{CompileOutcome, CompiledGroup, FileOp};
use crate::note::VaultPath;

/// Returns the diff of a compiled group; moves are written as git writes renames.
pub fn of_compiled(compiled: &CompileOutcome) -> String {
    match compiled {
        CompileOutcome::Ready(ready) => of_ready(ready),
        CompileOutcome::Unchanged | CompileOutcome::Dropped { .. } => String::new(),
    }
}

/// Returns the diff of a compiled group that is ready to be applied.
pub fn of_ready(ready: &CompiledGroup) -> String {
    let departs = |write: &&FileWrite| matches!(write.op, FileOp::Depart { .. });
    let departures = ready.writes.iter().filter(departs);
    let departed: HashSet<&VaultPath> = departures.map(|write| &write.path).collect();
    let diff = |write: &FileWrite| match &write.op {
        FileOp::Depart { .. } => String::new(),
        FileOp::Edit if departed.contains(&write.path) => String::new(),
        FileOp::Arrive { from } => {
            let is_edit = |edit: &&FileWrite| edit.path == *from && edit.op == FileOp::Edit;
            let edit = ready.writes.iter().find(is_edit);
            let after = write.after.as_deref();
            let before = edit.map_or(after, |edit| edit.before.as_deref());
            renamed(from.as_str(), write.path.as_str(), before, after)
        }
        _ => {
            let path = write.path.as_str();
            between(
                [path, path],
                write.before.as_deref(),
                write.after.as_deref(),
            )
        }
    };
    ready.writes.iter().map(diff).collect()
}

/// Returns the diff of a note moved from `from` to `to`, in the format of git.
fn renamed(from: &str, to: &str, before: Option<&str>, after: Option<&str>) -> String {
    let text = between([from, to], before, after);
    format!("rename from {from}\nrename to {to}\n{text}")
}

/// Returns the diff of a note; `None` is a note that does not exist.
pub fn between(paths: [&str; 2], before: Option<&str>, after: Option<&str>) -> String {
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

/// Writes a unified diff, coloured if colour is on.
pub fn print(output: &Output, diff: &str) {
    for line in diff.lines() {
        let style = match line.as_bytes().first() {
            Some(b'-') if !line.starts_with("--- ") => Style::Removed,
            Some(b'+') if !line.starts_with("+++ ") => Style::Added,
            Some(b'@') => Style::Faint,
            _ => {
                output.line(&output.clean(line));
                continue;
            }
        };
        output.line(&output.paint(style, line));
    }
}
