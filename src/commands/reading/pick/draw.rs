//! Draws the picker: query, list, text of the chosen note, keys.

use super::state::{PickRow, PickState};
use crate::commands::prelude::*;

/// Minimum width in columns for the text next to the list.
const MIN_SIDE_BY_SIDE_WIDTH: usize = 110;
/// Minimum height in rows for the text below the list.
const MIN_STACKED_HEIGHT: usize = 14;
/// Minimum width in columns for showing text.
const MIN_TEXT_WIDTH: usize = 20;

/// Minimum width in columns of the query; if there is less, the counts are left out.
const MIN_QUERY_WIDTH: usize = 4;

const OPEN_KEYS: &[&str] = &["Enter open", "^N new note", "^Y copy link", "^R related"];
const PICK_KEYS: &[&str] = &["Enter pick", "^Y copy link", "^R related"];
const MARK_KEYS: &[&str] = &["Enter pick", "Tab mark", "^Y copy link", "^R related"];

/// The layout of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    size: [usize; 2],
    /// Width and height of the list and of the text.
    pub list: [usize; 2],
    pub text: [usize; 2],
}

impl Layout {
    pub(super) fn of(size: [usize; 2]) -> Self {
        let [width, height] = size;
        let rows = height.saturating_sub(2).max(1);
        let (list, text) = if width >= MIN_SIDE_BY_SIDE_WIDTH {
            let left = width * 2 / 5;
            ([left, rows], [width - left - 3, rows])
        } else if height >= MIN_STACKED_HEIGHT && width >= MIN_TEXT_WIDTH {
            // A rule separates them.
            let above = (rows - 1) / 2;
            ([width, above], [width, rows - 1 - above])
        } else {
            ([width, rows], [0, 0])
        };
        Self { size, list, text }
    }

    fn is_beside(&self) -> bool {
        self.text[0] > 0 && self.list[1] == self.text[1] && self.list[0] < self.size[0]
    }
}

/// What to do with the chosen note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PickMode {
    Open,
    Pick,
}

/// Draws `state` and the text of the chosen note; returns the rows of the screen and the cursor
/// column.
pub(super) fn frame(
    output: &Output,
    state: &PickState,
    layout: &Layout,
    text: &[Line],
    mode: PickMode,
) -> (Vec<Line>, usize) {
    let [width, height] = layout.size;
    let (query, cursor) = query_line(output, state, width);
    let mut rows = vec![query];
    let [list_width, list_height] = layout.list;
    let least = (state.at + 1).saturating_sub(list_height);
    let top = state.top.clamp(least, state.at);
    let listed = (top..top + list_height).map(|index| match state.rows.get(index) {
        Some(row) => listed(output, state, row, index == state.at, list_width),
        None => Line::default(),
    });
    if layout.is_beside() {
        let mut text = text.iter();
        rows.extend(listed.map(|row| {
            let gap = " ".repeat(list_width.saturating_sub(row.width()));
            let row = row.and(None, gap).and(Style::Faint, " │ ");
            row.join(text.next().cloned().unwrap_or_default())
        }));
    } else {
        rows.extend(listed);
        if layout.text[1] > 0 {
            let place = state.chosen().map(place).unwrap_or_default();
            let head = output.clipped(&Line::of(Style::Place, place), width.saturating_sub(4));
            let rest = width.saturating_sub(head.width() + 4);
            let rule = Line::of(Style::Faint, "── ").join(head).and(None, " ");
            rows.push(rule.and(Style::Faint, "─".repeat(rest)));
            let mut text = text.to_vec();
            text.resize(layout.text[1], Line::default());
            rows.extend(text);
        }
    }
    rows.truncate(height.saturating_sub(1).max(1));
    if height > 1 {
        let message = match state.message.as_ref().or(state.problem.as_ref()) {
            Some(message) => Line::of(Style::Warning, message.clone()),
            None => Line::of(Style::Faint, footer(state, mode, width)),
        };
        rows.push(output.clipped(&message, width));
    }
    (rows, cursor.min(width.saturating_sub(1)))
}

/// Returns the key hints: how to leave, and as many others as fit.
fn footer(state: &PickState, mode: PickMode, width: usize) -> String {
    let keys = match mode {
        PickMode::Open => OPEN_KEYS,
        PickMode::Pick if state.may_mark => MARK_KEYS,
        PickMode::Pick => PICK_KEYS,
    };
    let leave = match &state.related_to {
        Some(_) => "Esc back",
        None => "Esc leave",
    };
    let line = |first: &usize| [&keys[..*first], &[leave]].concat().join("  ");
    let fits = |first: &usize| line(first).len() <= width;
    let first = (0..=keys.len()).rev().find(fits).unwrap_or(0);
    line(&first)
}

/// Returns the query line, with the counts at its right end.
fn query_line(output: &Output, state: &PickState, width: usize) -> (Line, usize) {
    let prompt = match &state.related_to {
        Some(title) => format!("around {title}> "),
        None => "> ".to_owned(),
    };
    let sign = output.clipped(&Line::of(Style::Faint, prompt), width / 2);
    let count = match state.counts {
        Some((meant, all)) if meant == all => format!(" {all}"),
        Some((meant, all)) => format!(" {meant} of {all}"),
        None => " …".to_owned(),
    };
    // In a narrow terminal the query comes first.
    let fits = sign.width() + count.chars().count() + MIN_QUERY_WIDTH <= width;
    let count = if fits { count } else { String::new() };
    let room = width.saturating_sub(sign.width() + count.chars().count() + 1);
    // A long query is scrolled to show the part before the cursor.
    let before: String = state.query.chars().take(state.cursor).collect();
    let mut hidden = 0;
    while Line::of(None, before.chars().skip(hidden).collect::<String>()).width() > room {
        hidden += 1;
    }
    let shown: String = state.query.chars().skip(hidden).collect();
    let offset = Line::of(None, before.chars().skip(hidden).collect::<String>()).width();
    let cursor = sign.width() + offset;
    let line = sign.join(output.clipped(&Line::of(None, shown), room));
    let gap = " ".repeat(width.saturating_sub(line.width() + count.chars().count()));
    (line.and(None, gap).and(Style::Faint, count), cursor)
}

/// Returns `path:line` of a row, or its path.
pub(super) fn place(row: &PickRow) -> String {
    match &row.text {
        Some((line, _)) => format!("{}:{line}", row.path),
        None => row.path.clone(),
    }
}

fn listed(
    output: &Output,
    state: &PickState,
    row: &PickRow,
    is_chosen: bool,
    width: usize,
) -> Line {
    let marker = match (is_chosen, state.marked.contains(&row.path)) {
        (true, true) => ">*",
        (true, false) => "> ",
        (false, true) => " *",
        (false, false) => "  ",
    };
    let clipped = &marker[..marker.len().min(width)];
    let sign = Line::of(is_chosen.then_some(Style::Match), clipped);
    let room = width.saturating_sub(2);
    let behind = match &row.text {
        Some((_, text)) => text.clone(),
        None => Line::of(Style::Faint, row.path.clone()),
    };
    // The title is cut only if both texts are long.
    let least = room * 3 / 5;
    let title = output.clipped(&row.title, room);
    let rest = room.saturating_sub(title.width() + 2);
    let fitted = if rest < behind.width() && title.width() > least {
        output.clipped(&row.title, least)
    } else {
        title
    };
    let title = if is_chosen {
        fitted.styled(Style::Title)
    } else {
        fitted
    };
    let rest = room.saturating_sub(title.width() + 2);
    let row = sign.join(title);
    if rest < 4 {
        return row;
    }
    row.and(None, "  ").join(output.clipped(&behind, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{Color, Form};

    fn output(color: Color) -> Output {
        Output::new(Form::Human, true, color)
    }

    fn state(query: &str) -> PickState {
        let row = |path: &str, title: &str, text: Option<&str>| PickRow {
            path: path.to_owned(),
            title: Line::of(Some(Style::Match), title),
            text: text.map(|text| (120, Line::of(None, text))),
        };
        PickState {
            query: query.to_owned(),
            cursor: query.chars().count(),
            rows: vec![
                row(
                    "緑茶/緑茶と紅茶の淹れ方.md",
                    "緑茶と紅茶の淹れ方についての長い題名",
                    None,
                ),
                row(
                    "a.md",
                    "\u{1b}[2J\u{202e}evil",
                    Some("\u{7}\ta tab, e\u{301}"),
                ),
                row("👩‍👩‍👧/❤️ 🇩🇪.md", "", Some("👩‍👩‍👧 ❤️ 🇩🇪")),
            ],
            counts: Some((12_345, 100_000)),
            at: 1,
            related_to: (query.len() % 2 == 1).then(|| "茶".repeat(40)),
            ..PickState::default()
        }
    }

    #[test]
    fn rows_fit_all_screen_sizes() {
        let sizes = (1..=24).flat_map(|height| (1..=130).map(move |width| [width, height]));
        for size in sizes.chain([[300, 100]]) {
            for (color, query) in [
                (Color::Always, "te"),
                (Color::Never, "緑茶"),
                (Color::Never, ""),
                (Color::Always, &"a long query 緑 ".repeat(30)),
                (Color::Never, "odd"),
            ] {
                let (output, state) = (output(color), state(query));
                let layout = Layout::of(size);
                let line = Line::of(None, "茶 tea ".repeat(30));
                let fitted = output.fitted(&[line], layout.text[0].max(MIN_TEXT_WIDTH));
                let text = &fitted[..layout.text[1].min(fitted.len())];
                let (rows, cursor) = frame(&output, &state, &layout, text, PickMode::Open);
                assert_eq!(rows.len(), size[1], "{size:?} {query}");
                assert!(cursor < size[0], "{size:?} {query}");
                for row in &rows {
                    assert!(row.width() <= size[0], "{size:?} {query}: {}", row.text());
                    assert!(!row.text().contains(char::is_control), "{}", row.text());
                }
            }
        }
    }

    #[test]
    fn query_comes_before_counts() {
        for (width, query, at, expected, cursor) in [
            (30, "te", 2, "> te           12345 of 100000", 4),
            (22, "te", 2, "> te   12345 of 100000", 4),
            (21, "te", 2, "> te", 4),
            (8, "green tea", 9, "> n tea", 7),
            (8, "green tea", 0, "> gree…", 2),
        ] {
            let state = PickState {
                cursor: at,
                related_to: None,
                ..state(query)
            };
            let (line, column) = query_line(&output(Color::Never), &state, width);
            assert_eq!(
                (line.text().trim_end(), column),
                (expected, cursor),
                "{width}"
            );
        }
    }

    #[test]
    fn messages_replace_key_hints() {
        let last = |problem: Option<&str>, message: Option<&str>| {
            let state = PickState {
                problem: problem.map(str::to_owned),
                message: message.map(str::to_owned),
                ..PickState::default()
            };
            let layout = Layout::of([80, 24]);
            let (rows, _) = frame(&output(Color::Never), &state, &layout, &[], PickMode::Pick);
            rows[23].text()
        };
        assert_eq!(
            last(None, None),
            "Enter pick  ^Y copy link  ^R related  Esc leave"
        );
        assert_eq!(last(Some("reading"), None), "reading");
        assert_eq!(last(Some("reading"), Some("no")), "no");
    }
}
