//! Which questions were skipped, in this vault on this machine: they come last the next time.

use crate::run::prelude::*;

/// What was skipped, the longest ago first.
pub struct Skipped {
    file: PathBuf,
    keys: Vec<QuestionKey>,
}

impl Skipped {
    pub fn load(session: &Session) -> Self {
        let file = session.homes.skipped();
        let text = fs::read_to_string(&file).unwrap_or_default();
        Self {
            file,
            keys: text.lines().filter_map(|line| line.parse().ok()).collect(),
        }
    }

    /// Returns `open` with what was skipped at its end.
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

    /// Keeps it; that it could not be kept costs only the order.
    fn save(&self) {
        let mut lines = String::new();
        for key in &self.keys {
            let _ = writeln!(lines, "{key}");
        }
        let _ = fs::write(&self.file, lines);
    }
}
