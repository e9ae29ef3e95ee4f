//! The state of the picker, and the effect of keys.

use crate::commands::prelude::*;
use crate::output::keys::Key;

/// A listed note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PickRow {
    pub path: String,
    pub title: Line,
    /// The matching line, counted from 1, and its text.
    pub text: Option<(usize, Line)>,
}

/// An action requested by a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Nothing,
    /// The query changed.
    Rows,
    /// Show notes related to the chosen one, or all notes again.
    Related,
    All,
    Choose,
    New,
    CopyLink,
    Suspend,
    Leave,
    /// Ctrl-C, which ends the process as at a prompt.
    Interrupt,
}

/// The query line and the list.
#[derive(Debug, Default)]
pub(super) struct PickState {
    pub query: String,
    /// Index of the character after the cursor.
    pub cursor: usize,
    pub rows: Vec<PickRow>,
    /// The numbers of matching notes and of all notes.
    pub counts: Option<(usize, usize)>,
    pub at: usize,
    /// First visible row; corrected so that the chosen one is visible.
    pub top: usize,
    /// Paths of marked notes, if several may be chosen.
    pub marked: BTreeSet<String>,
    pub may_mark: bool,
    /// The title of the note whose related notes are listed.
    pub related_to: Option<String>,
    /// Why the list is missing.
    pub problem: Option<String>,
    /// A message that is shown until the next key.
    pub message: Option<String>,
}

impl PickState {
    /// Replaces the rows; keeps the chosen note if the person moved to it.
    pub(super) fn list(&mut self, rows: Vec<PickRow>) {
        let chosen = self.rows.get(self.at).filter(|_| self.at > 0);
        let again = chosen.and_then(|chosen| rows.iter().position(|row| row.path == chosen.path));
        self.at = again.unwrap_or(0);
        self.top = self.top.min(self.at);
        self.rows = rows;
    }

    /// Chooses the row of a note if it is listed.
    pub(super) fn choose(&mut self, path: &str) {
        if let Some(at) = self.rows.iter().position(|row| row.path == path) {
            self.at = at;
        }
    }

    pub(super) fn chosen(&self) -> Option<&PickRow> {
        self.rows.get(self.at)
    }

    /// Handles a key; `height` is the number of visible rows.
    pub(super) fn press(&mut self, key: Key, height: usize) -> Action {
        self.message = None;
        let before = self.query.clone();
        match key {
            Key::Char(c) => {
                self.query.insert(self.byte(), c);
                self.cursor += 1;
            }
            Key::Backspace => self.delete(self.cursor.saturating_sub(1)..self.cursor),
            Key::Delete => self.delete(self.cursor..self.cursor + 1),
            Key::Ctrl('d') if !self.query.is_empty() => self.delete(self.cursor..self.cursor + 1),
            Key::Ctrl('u') => self.delete(0..self.cursor),
            Key::Ctrl('w') => self.delete(self.word()..self.cursor),
            Key::Left | Key::Ctrl('b') => self.cursor = self.cursor.saturating_sub(1),
            Key::Right | Key::Ctrl('f') => self.cursor = (self.cursor + 1).min(self.length()),
            Key::Home | Key::Ctrl('a') => self.cursor = 0,
            Key::End | Key::Ctrl('e') => self.cursor = self.length(),
            Key::Up | Key::Ctrl('p' | 'k') => self.at = self.at.saturating_sub(1),
            Key::Down | Key::Ctrl('j') => self.go_down(1),
            Key::PageUp => self.at = self.at.saturating_sub(height),
            Key::PageDown => self.go_down(height),
            Key::Tab | Key::BackTab if self.may_mark => self.mark(key == Key::Tab),
            Key::Enter if self.chosen().is_some() => return Action::Choose,
            Key::Ctrl('n') => return Action::New,
            Key::Ctrl('y') if self.chosen().is_some() => return Action::CopyLink,
            Key::Ctrl('r') if self.chosen().is_some() => return Action::Related,
            Key::Ctrl('z') => return Action::Suspend,
            Key::Escape if self.related_to.is_some() => return Action::All,
            Key::Ctrl('c') => return Action::Interrupt,
            Key::Escape | Key::Ctrl('d' | 'g') => return Action::Leave,
            _ => {}
        }
        self.top = self
            .top
            .clamp((self.at + 1).saturating_sub(height), self.at);
        if self.query == before {
            return Action::Nothing;
        }
        self.at = 0;
        Action::Rows
    }

    fn go_down(&mut self, rows: usize) {
        self.at = (self.at + rows).min(self.rows.len().saturating_sub(1));
    }

    /// Toggles the mark of the chosen note and moves to the next or previous one.
    fn mark(&mut self, is_next: bool) {
        if let Some(row) = self.rows.get(self.at) {
            let path = row.path.clone();
            if !self.marked.remove(&path) {
                self.marked.insert(path);
            }
        }
        if is_next {
            self.go_down(1);
        } else {
            self.at = self.at.saturating_sub(1);
        }
    }

    /// Deletes characters of the query.
    fn delete(&mut self, characters: Range<usize>) {
        let indexed = self.query.chars().enumerate();
        let kept = indexed.filter(|(index, _)| !characters.contains(index));
        self.query = kept.map(|(_, c)| c).collect();
        self.cursor = characters.start;
    }

    fn length(&self) -> usize {
        self.query.chars().count()
    }

    /// Returns the byte offset of the cursor.
    fn byte(&self) -> usize {
        let at = self.query.char_indices().nth(self.cursor);
        at.map_or(self.query.len(), |(byte, _)| byte)
    }

    /// Returns the start of the word before the cursor.
    fn word(&self) -> usize {
        let before: Vec<char> = self.query.chars().take(self.cursor).collect();
        let end = before.iter().rposition(|c| !c.is_whitespace());
        let word = &before[..end.map_or(0, |end| end + 1)];
        let blank = word.iter().rposition(|c| c.is_whitespace());
        blank.map_or(0, |blank| blank + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEIGHT: usize = 3;

    fn rows(paths: &[&str]) -> Vec<PickRow> {
        let row = |path: &&str| PickRow {
            path: (*path).to_owned(),
            ..PickRow::default()
        };
        paths.iter().map(row).collect()
    }

    fn typed(keys: &[Key]) -> PickState {
        let mut state = PickState::default();
        for key in keys {
            state.press(*key, HEIGHT);
        }
        state
    }

    #[test]
    fn query_can_be_edited() {
        let text = |text: &str| text.chars().map(Key::Char).collect::<Vec<_>>();
        for (keys, query, cursor) in [
            (vec![], "green tea", 9),
            (vec![Key::Backspace, Key::Backspace], "green t", 7),
            (vec![Key::Home, Key::Delete], "reen tea", 0),
            (vec![Key::Home, Key::Backspace], "green tea", 0),
            (vec![Key::Delete], "green tea", 9),
            (vec![Key::Ctrl('w')], "green ", 6),
            (vec![Key::Ctrl('w'), Key::Ctrl('w')], "", 0),
            (
                vec![Key::Left, Key::Left, Key::Left, Key::Ctrl('u')],
                "tea",
                0,
            ),
            (
                vec![Key::Ctrl('a'), Key::Char('茶'), Key::Char(' ')],
                "茶 green tea",
                2,
            ),
            (
                vec![Key::Ctrl('a'), Key::Char('茶'), Key::Right, Key::Delete],
                "茶geen tea",
                2,
            ),
            (
                vec![Key::Left, Key::End, Key::Right, Key::Char('s')],
                "green teas",
                10,
            ),
            (vec![Key::Other, Key::Tab, Key::Ctrl('x')], "green tea", 9),
        ] {
            let state = typed(&[text("green tea"), keys.clone()].concat());
            assert_eq!(
                (state.query.as_str(), state.cursor),
                (query, cursor),
                "{keys:?}"
            );
        }
    }

    #[test]
    fn choice_stays_in_the_list() {
        let mut state = PickState::default();
        state.list(rows(&["a", "b", "c", "d", "e"]));
        for (key, at) in [
            (Key::Up, 0),
            (Key::Down, 1),
            (Key::PageDown, 4),
            (Key::Down, 4),
            (Key::PageUp, 1),
            (Key::Ctrl('k'), 0),
            (Key::Ctrl('j'), 1),
        ] {
            assert_eq!(state.press(key, HEIGHT), Action::Nothing);
            assert_eq!(state.at, at, "{key:?}");
        }
        // Later rows keep the choice if the person moved it.
        state.list(rows(&["x", "a", "b"]));
        assert_eq!(state.chosen().unwrap().path, "b");
        state.list(rows(&["x"]));
        assert_eq!(state.chosen().unwrap().path, "x");
        state.list(rows(&["y", "x"]));
        assert_eq!(state.chosen().unwrap().path, "y");
    }

    #[test]
    fn keys_request_actions() {
        for (name, query, listed, key, action) in [
            ("a letter", "", 2, Key::Char('a'), Action::Rows),
            ("nothing to delete", "", 2, Key::Backspace, Action::Nothing),
            ("a choice", "", 2, Key::Enter, Action::Choose),
            ("no choice", "x", 0, Key::Enter, Action::Nothing),
            ("a new note", "x", 0, Key::Ctrl('n'), Action::New),
            ("a link", "", 1, Key::Ctrl('y'), Action::CopyLink),
            ("no link", "", 0, Key::Ctrl('y'), Action::Nothing),
            ("relatives", "", 1, Key::Ctrl('r'), Action::Related),
            ("the end", "x", 1, Key::Escape, Action::Leave),
            ("the end of input", "", 1, Key::Ctrl('d'), Action::Leave),
            ("a delete", "x", 1, Key::Ctrl('d'), Action::Nothing),
        ] {
            let mut state = PickState {
                query: query.to_owned(),
                cursor: query.len(),
                ..PickState::default()
            };
            state.list(rows(&["a", "b"][..listed]));
            assert_eq!(state.press(key, HEIGHT), action, "{name}");
        }
        let mut state = PickState {
            related_to: Some("Tea".to_owned()),
            ..PickState::default()
        };
        assert_eq!(state.press(Key::Escape, HEIGHT), Action::All);
    }

    #[test]
    fn several_notes_can_be_marked() {
        let mut state = PickState {
            may_mark: true,
            ..PickState::default()
        };
        state.list(rows(&["a", "b", "c"]));
        for key in [Key::Tab, Key::Tab, Key::BackTab, Key::BackTab, Key::Tab] {
            state.press(key, HEIGHT);
        }
        // Marks a and b; moves back from c, which is marked, over b, which is unmarked; unmarks a.
        let marked: Vec<&str> = state.marked.iter().map(String::as_str).collect();
        assert_eq!((marked, state.at), (vec!["c"], 1));
    }
}
