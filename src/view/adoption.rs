//! Since when mem has known notes: `adopted`, on this machine alone.
//!
//! What goes by age counts from then, so that a vault that is years old when mem comes to it loses nothing
//! for its years. A note that lies elsewhere now is known anew; so are all if the file is lost.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::{Entry, View};
use crate::cache::CacheError;
use crate::vault::own;

/// When each note was seen first, in seconds since 1970, by path.
type Moments = HashMap<String, i64>;

#[derive(Debug, Default)]
pub(super) struct Adoption {
    file: PathBuf,
    moments: OnceLock<Moments>,
}

impl Adoption {
    fn moments(&self) -> &Moments {
        self.moments.get_or_init(|| {
            let bytes = own::read_bytes(&self.file).unwrap_or_default();
            postcard::from_bytes(&bytes).unwrap_or_default()
        })
    }
}

impl View<'_> {
    /// Returns this view, which finds in `file` since when notes are known.
    #[must_use]
    pub fn with_adoption(mut self, file: PathBuf) -> Self {
        self.adoption = Adoption {
            file,
            ..Adoption::default()
        };
        self
    }

    /// Returns since when mem has known a note, in seconds since 1970: now if it is new to it.
    #[must_use]
    pub fn adopted(&self, entry: &Entry) -> i64 {
        let known = self.adoption.moments().get(entry.path.as_str());
        known.copied().unwrap_or(self.now.timestamp().as_second())
    }

    /// Keeps since when the notes are known that `counts` is true of. Where nothing can be kept they are
    /// new the next time, too.
    pub fn adopt(&self, counts: impl Fn(&Entry) -> bool) -> Result<(), CacheError> {
        let known = self.adoption.moments();
        let entries = self.entries()?;
        let moments: Moments = entries
            .iter()
            .filter(|entry| known.contains_key(entry.path.as_str()) || counts(entry))
            .map(|entry| (entry.path.to_string(), self.adopted(entry)))
            .collect();
        if moments != *known {
            let bytes = postcard::to_stdvec(&moments).unwrap_or_default();
            let _ = own::write_atomically(&self.adoption.file, &bytes);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan as _;

    use crate::view::scene::Scene;

    #[test]
    fn a_note_is_known_since_it_was_seen_first() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("adopted");
        let scene = Scene::new([("a.md", "one"), ("b.md", "two")]);
        let view = |days: i64| {
            let mut view = scene.view(false).with_adoption(file.clone());
            view.now = view.now.checked_add(days.days()).unwrap();
            view
        };
        let ages = |days| -> Vec<i64> {
            let view = view(days);
            let now = view.now.timestamp().as_second();
            let entries = view.entries().unwrap();
            let ages = entries.iter().map(|entry| now - view.adopted(entry));
            ages.map(|age| age / 86_400).collect()
        };
        assert_eq!(ages(0), [0, 0]);
        view(0)
            .adopt(|entry| entry.path.as_str() == "a.md")
            .unwrap();
        assert_eq!(ages(9), [9, 0]);
        view(9).adopt(|_| true).unwrap();
        assert_eq!(ages(10), [10, 1]);
        std::fs::write(&file, "torn").unwrap();
        assert_eq!(ages(10), [0, 0]);
    }
}
