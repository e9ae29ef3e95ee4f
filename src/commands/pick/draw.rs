//! The picture: the query, the list, the text of the chosen note, the keys.

use super::state::{Row, State};
use crate::output::lines::Line;
use crate::output::{Output, Style};

/// From how many columns on the text stands beside the list.
const WIDE: usize = 110;
/// From how many rows on it stands below it.
const HIGH: usize = 14;

const KEYS: &str = "Enter open  ^N new note  ^Y copy link  ^R related  Esc leave";
const PICK_KEYS: &str = "Enter pick  ^Y copy link  ^R related  Esc leave";
const MARK_KEYS: &str = "Enter pick  Tab mark  ^Y copy link  ^R related  Esc leave";

/// Where what stands on a screen.
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
        let (list, text) = if width >= WIDE {
            let left = width * 2 / 5;
            ([left, rows], [width - left - 3, rows])
        } else if height >= HIGH {
            // A line parts them.
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

/// Which keys there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keys {
    Open,
    Pick,
}

/// Draws `state` with the rows of the chosen note's text; returns the rows of the screen and the column of the
/// cursor.
pub(super) fn frame(
    output: &Output,
    state: &State,
    layout: &Layout,
    text: &[Line],
    keys: Keys,
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
        let keys = match keys {
            Keys::Open => KEYS,
            Keys::Pick if state.may_mark => MARK_KEYS,
            Keys::Pick => PICK_KEYS,
        };
        let says = match &state.says {
            Some(says) => Line::of(Style::Warning, says.clone()),
            None => Line::of(Style::Faint, keys),
        };
        rows.push(output.clipped(&says, width));
    }
    (rows, cursor.min(width.saturating_sub(1)))
}

/// The query, and at the other end how many notes it may mean.
fn query_line(output: &Output, state: &State, width: usize) -> (Line, usize) {
    let sign = match &state.around {
        Some(title) => format!("around {title}> "),
        None => "> ".to_owned(),
    };
    let sign = output.clipped(&Line::of(Style::Faint, sign), width / 2);
    let count = match state.counts {
        Some((meant, all)) if meant == all => format!(" {all}"),
        Some((meant, all)) => format!(" {meant} of {all}"),
        None => " …".to_owned(),
    };
    let room = width.saturating_sub(sign.width() + count.len() + 1);
    // Of a long query the part before the cursor is seen.
    let before: String = state.query.chars().take(state.cursor).collect();
    let mut hidden = 0;
    while Line::of(None, before.chars().skip(hidden).collect::<String>()).width() > room {
        hidden += 1;
    }
    let shown: String = state.query.chars().skip(hidden).collect();
    let cursor = Line::of(None, before.chars().skip(hidden).collect::<String>()).width();
    let cursor = sign.width() + cursor;
    let line = sign.join(output.clipped(&Line::of(None, shown), room));
    let gap = " ".repeat(width.saturating_sub(line.width() + count.chars().count()));
    (line.and(None, gap).and(Style::Faint, count), cursor)
}

/// Returns where a row leads, as editors and compilers write it.
pub(super) fn place(row: &Row) -> String {
    match &row.text {
        Some((line, _)) => format!("{}:{line}", row.path),
        None => row.path.clone(),
    }
}

fn listed(output: &Output, state: &State, row: &Row, is_chosen: bool, width: usize) -> Line {
    let sign = match (is_chosen, state.marked.contains(&row.path)) {
        (true, true) => ">*",
        (true, false) => "> ",
        (false, true) => " *",
        (false, false) => "  ",
    };
    let sign = Line::of(is_chosen.then_some(Style::Match), sign);
    let room = width.saturating_sub(2);
    let behind = match &row.text {
        Some((_, text)) => text.clone(),
        None => Line::of(Style::Faint, row.path.clone()),
    };
    // The title gives way to what stands behind it only where both are long.
    let least = room * 3 / 5;
    let title = output.clipped(&row.title, room);
    let rest = room.saturating_sub(title.width() + 2);
    let title = if rest < behind.width() && title.width() > least {
        output.clipped(&row.title, least)
    } else {
        title
    };
    let title = if is_chosen {
        title.styled(Style::Title)
    } else {
        title
    };
    let rest = room.saturating_sub(title.width() + 2);
    let row = sign.join(title);
    if rest < 4 {
        return row;
    }
    row.and(None, "  ").join(output.clipped(&behind, rest))
}
