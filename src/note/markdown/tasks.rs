//! Tasks of a note: items of lists that begin with `[ ]` or `[x]`.

use std::ops::Range;

use jiff::civil::Date;

use super::document::{Document, NodeKind};

/// A task list item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Line number in the whole text, from 1.
    pub line: usize,
    pub done: bool,
    /// Span of the sign between the brackets, in the whole text.
    pub mark: Range<usize>,
    /// The text after the brackets on that line.
    pub text: String,
    /// Due date in the syntax of plugins: `📅 2026-01-31`, `[due:: 2026-01-31]`.
    pub due: Option<Date>,
}

/// Returns the tasks in `text` after offset `body`, in document order.
pub fn tasks(text: &str, body: usize) -> Vec<Task> {
    let rest = &text[body..];
    // Fast path: most notes have no tasks.
    if !["[ ]", "[x]", "[X]"].iter().any(|mark| rest.contains(mark)) {
        return Vec::new();
    }
    of(&Document::of(text, body..text.len()))
}

/// Returns the tasks of a document in document order.
pub fn of(document: &Document<'_>) -> Vec<Task> {
    let text = document.text();
    let (mut line, mut counted) = (1, 0);
    let mut tasks = Vec::new();
    for node in document.nodes() {
        let NodeKind::TaskMark(done) = node.kind else {
            continue;
        };
        // The span may include text around the brackets.
        let Some(open) = text[node.span.clone()].find('[') else {
            continue;
        };
        let mark = node.span.start + open + 1..node.span.start + open + 2;
        line += text[counted..mark.start].matches('\n').count();
        counted = mark.start;
        let after = text.get(mark.end + 1..).unwrap_or_default();
        let content = after.lines().next().unwrap_or_default().trim();
        tasks.push(Task {
            line,
            done,
            mark,
            text: content.to_owned(),
            due: due(content),
        });
    }
    tasks
}

fn due(text: &str) -> Option<Date> {
    let after = ["📅", "due::"]
        .iter()
        .find_map(|sign| text.split_once(sign));
    let date = after?.1.trim_start_matches(['\u{fe0f}', ' ']).get(..10)?;
    date.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_items_of_lists() {
        let text = "---\na: 1\n---\n# Plan\n\n- [ ] Buy tea 📅 2026-01-31\n  1. [x] Green [due:: 2026-02-01]\n\n\
                    > * [X] quoted\r\n\n```\n- [ ] code\n```\n\nRunning [ ] text. [x](y)\n- [] none\n- [ ] last";
        let body = text.find("# Plan").unwrap();
        let found: Vec<String> = tasks(text, body)
            .into_iter()
            .map(|task| {
                assert_eq!(["x", "X"].contains(&&text[task.mark.clone()]), task.done);
                let due = task.due.map(|due| format!(" by {due}")).unwrap_or_default();
                format!("{} {} {}{due}", task.line, task.done, task.text)
            })
            .collect();
        assert_eq!(
            found,
            [
                "6 false Buy tea 📅 2026-01-31 by 2026-01-31",
                "7 true Green [due:: 2026-02-01] by 2026-02-01",
                "9 true quoted",
                "17 false last",
            ]
        );
    }

    #[test]
    fn only_dates_are_due() {
        for (text, expected) in [
            ("x 📅 2026-01-31 y", Some("2026-01-31")),
            ("x 📅\u{fe0f}2026-01-31", Some("2026-01-31")),
            ("(due:: 2026-01-31)", Some("2026-01-31")),
            ("due:: soon enough", None),
            ("📅 2026-02-31", None),
            ("📅", None),
            ("📅 äöüäöüäöü", None),
        ] {
            let found = due(text).map(|date| date.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
