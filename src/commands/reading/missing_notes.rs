//! `mem list --missing`: notes that links name and that do not exist.

use crate::commands::prelude::*;
use crate::view::link_targets::MissingNote;

#[derive(Debug, Serialize, JsonSchema)]
pub struct MissingNotes {
    total: usize,
    missing: Vec<MissingNote>,
}

impl MissingNotes {
    /// Returns the missing notes that `entries` link to, most wanted first, at most `limit`.
    pub(crate) fn of(
        view: &View<'_>,
        entries: &[Entry],
        limit: Option<usize>,
    ) -> Result<Self, CacheError> {
        let mut missing = view.missing_notes(entries)?;
        let total = missing.len();
        missing.truncate(limit.unwrap_or(usize::MAX));
        Ok(Self { total, missing })
    }
}

impl Reply for MissingNotes {
    fn show(&self, page: &Page<'_>) {
        let max_links = self.missing.first().map_or(0, |most| most.links);
        let widest = max_links.to_string().len();
        for MissingNote { name, links, from } in &self.missing {
            let name = page.paint(Style::Title, &page.clean(name));
            if page.stdout_is_terminal {
                let from = page.paint(Style::Faint, &count(from.len(), "note"));
                page.line(&format!("{links:>widest$}{GAP}{name}{GAP}{from}"));
            } else {
                page.line(&format!("{links}\t{name}"));
            }
        }
    }

    list!(missing, "no link leads to a missing note");
}
