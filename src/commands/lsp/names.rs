//! Fuzzy search of the names of notes.

use std::cmp::Reverse;

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use crate::commands::prelude::*;

/// A name that matches, and its note.
pub(super) struct NameHit {
    pub(super) name: String,
    pub(super) path: VaultPath,
}

/// Returns the best `most` names that contain the letters of `query` in order; without a query the
/// titles of the notes saved last. Forgotten notes are left out.
pub(super) fn matching(view: &View<'_>, query: &str, most: usize) -> Result<Vec<NameHit>> {
    let mut config = Config::DEFAULT;
    config.prefer_prefix = true;
    let (mut matcher, mut buffer) = (Matcher::new(config), Vec::new());
    let (case, form) = (CaseMatching::Ignore, Normalization::Smart);
    let pattern = Pattern::new(query, case, form, AtomKind::Fuzzy);
    let mut files = Vec::new();
    view.reading().scan(|_, row, path| {
        let is_forgotten = row.flags.tier() == Tier::Forgotten;
        files.push((path, row.saved(), is_forgotten));
    })?;
    let (mut files, mut found) = (files.into_iter(), Vec::new());
    // Both iterate in order of slots.
    view.reading().scan_heads(|_, note| {
        let Some((path, saved, false)) = files.next() else {
            return Ok(());
        };
        let whole = path.strip_suffix(".md").unwrap_or(path);
        let stem = whole.rsplit('/').next().unwrap_or(whole);
        let place = if query.contains('/') { whole } else { stem };
        let mut names = vec![note.title];
        if !query.is_empty() {
            names.extend(&note.aliases);
            names.push(place);
        }
        names.sort_unstable();
        names.dedup();
        for name in names {
            let score = pattern.score(Utf32Str::new(name, &mut buffer), &mut matcher);
            found.extend(score.map(|score| (Reverse(score), Reverse(saved), name, path)));
        }
        Ok(())
    })?;
    if found.len() > most {
        found.select_nth_unstable(most);
        found.truncate(most);
    }
    found.sort_unstable();
    let found = found.into_iter().filter_map(|(_, _, name, path)| {
        let path = VaultPath::new(path).ok()?;
        let name = name.to_owned();
        Some(NameHit { name, path })
    });
    Ok(found.collect())
}
