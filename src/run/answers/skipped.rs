//! Questions skipped on this machine, which come last in the next review.

use crate::run::prelude::*;

/// The skipped questions, oldest first.
pub struct SkippedQuestions {
    file: PathBuf,
    keys: Vec<QuestionKey>,
}

impl SkippedQuestions {
    pub fn load(session: &Session) -> Self {
        let file = session.homes.skipped();
        let text = fs::read_to_string(&file).unwrap_or_default();
        Self {
            file,
            keys: text.lines().filter_map(|line| line.parse().ok()).collect(),
        }
    }

    /// Returns `open` with the skipped questions moved to the end.
    pub fn last<'q>(&self, open: &'q [Finding]) -> Vec<&'q Finding> {
        let (mut order, later): (Vec<&Finding>, Vec<&Finding>) = open
            .iter()
            .partition(|asked| !self.keys.contains(&asked.key));
        order.extend(later);
        order
    }

    pub fn add(&mut self, key: QuestionKey) {
        self.keys.retain(|known| *known != key);
        self.keys.push(key);
        self.save();
    }

    pub fn remove(&mut self, keys: &[QuestionKey]) {
        let before = self.keys.len();
        self.keys.retain(|known| !keys.contains(known));
        if self.keys.len() < before {
            self.save();
        }
    }

    /// Saves the list. Errors are ignored, because only the order is lost.
    fn save(&self) {
        let mut lines = String::new();
        for key in &self.keys {
            let _ = writeln!(lines, "{key}");
        }
        let _ = fs::write(&self.file, lines);
    }
}
