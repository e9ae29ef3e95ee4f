//! Where a link leads, as Obsidian resolves it: exact path, then file name, shortest path first,
//! whatever the case. A markdown link is first read from the folder of its note.

use super::{Entry, View};
use crate::cache::CacheError;
use crate::cache::catalog::{Key, folded, target_stem};
use crate::cache::row::{LinkTo, Slot};
use crate::note::path::VaultPath;

impl View<'_> {
    /// Returns the note that `target` means in the note at `source`, taking `gone` for removed.
    pub fn resolve(
        &self,
        source: &VaultPath,
        target: &str,
        markdown: bool,
        gone: &[Slot],
    ) -> Result<Option<Entry>, CacheError> {
        let mut candidates = Vec::new();
        for slot in self.reading().find(Key::stem(target_stem(target)))? {
            if !gone.contains(&slot) {
                candidates.extend(self.entry(slot)?);
            }
        }
        let best = best(
            source,
            target,
            markdown,
            candidates.iter().map(|entry| &entry.path),
        );
        Ok(best.map(|at| candidates.swap_remove(at)))
    }

    /// Returns the notes with a link to `entry`, without itself, in the order of paths.
    pub fn linking_to(&self, entry: &Entry) -> Result<Vec<Entry>, CacheError> {
        let mut sources = Vec::new();
        for slot in self.reading().find(Key::link(entry.path.stem()))? {
            let Some(source) = self.entry(slot)? else {
                continue;
            };
            if slot != entry.slot && self.links_to(&source, entry)? {
                sources.push(source);
            }
        }
        sources.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(sources)
    }

    /// Returns the notes that `entry` links to, without itself, each once, in the order of the text.
    pub fn linked_from(&self, entry: &Entry) -> Result<Vec<(LinkTo, Entry)>, CacheError> {
        let mut targets: Vec<(LinkTo, Entry)> = Vec::new();
        for link in self.details(entry.slot)?.links {
            if let Some(target) = self.resolve(&entry.path, &link.target, link.markdown, &[])?
                && target.slot != entry.slot
                && !targets.iter().any(|(_, known)| known.slot == target.slot)
            {
                targets.push((link, target));
            }
        }
        Ok(targets)
    }

    /// Returns the notes whose property `relation` names `entry`.
    pub fn related_to(
        &self,
        entry: &Entry,
        relation: &str,
    ) -> Result<impl Iterator<Item = Entry>, CacheError> {
        let mut related = Vec::new();
        for source in self.linking_to(entry)? {
            for link in self.details(source.slot)?.links {
                if link.property.as_deref() == Some(relation)
                    && self
                        .resolve(&source.path, &link.target, link.markdown, &[])?
                        .is_some_and(|target| target.slot == entry.slot)
                {
                    related.push(source);
                    break;
                }
            }
        }
        Ok(related.into_iter())
    }

    fn links_to(&self, source: &Entry, entry: &Entry) -> Result<bool, CacheError> {
        let stem = folded(entry.path.stem());
        for link in self.details(source.slot)?.links {
            if folded(target_stem(&link.target)) == stem
                && self
                    .resolve(&source.path, &link.target, link.markdown, &[])?
                    .is_some_and(|target| target.slot == entry.slot)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the wikilink target that leads from anywhere to `entry` alone, taking `gone` for
    /// removed: its stem, or its whole path if others share the stem.
    pub fn wikilink_target(&self, entry: &Entry, gone: &[Slot]) -> Result<String, CacheError> {
        let stem = entry.path.stem();
        let mut others = self.reading().find(Key::stem(stem))?;
        others.retain(|slot| *slot != entry.slot && !gone.contains(slot));
        let target = if others.is_empty() {
            stem
        } else {
            entry.path.without_ending()
        };
        Ok(target.to_owned())
    }
}

/// Returns the path that leads from the folder of `source` to `target`, for a markdown link.
#[must_use]
pub fn relative(source: &VaultPath, target: &VaultPath) -> String {
    let from: Vec<&str> = source
        .folder()
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    let to: Vec<&str> = target.as_str().split('/').collect();
    let shared = from
        .iter()
        .zip(&to[..to.len() - 1])
        .take_while(|(from, to)| from == to)
        .count();
    let mut relative = "../".repeat(from.len() - shared);
    relative.push_str(&to[shared..].join("/"));
    relative
}

/// Returns how a file that `target` names from the folder of `from` is named from that of `to`; `None`
/// if it lies outside the vault.
#[must_use]
pub fn rebased(from: &VaultPath, target: &str, to: &VaultPath) -> Option<String> {
    let mut parts: Vec<&str> = from
        .folder()
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    VaultPath::new(&parts.join("/"))
        .ok()
        .map(|file| relative(to, &file))
}

/// Returns which of `candidates`, notes whose stem is that of `target`, is meant.
fn best<'p>(
    source: &VaultPath,
    target: &str,
    markdown: bool,
    candidates: impl Iterator<Item = &'p VaultPath>,
) -> Option<usize> {
    let candidates: Vec<(usize, String)> = candidates
        .map(|path| folded(path.without_ending()))
        .enumerate()
        .collect();
    let exactly = |wanted: &str| {
        candidates
            .iter()
            .find(|(_, path)| path == wanted)
            .map(|(at, _)| *at)
    };
    let wanted = folded(without_ending(target));
    let from_folder = joined(source.folder(), &wanted);
    if wanted.starts_with("./") || wanted.starts_with("../") {
        return exactly(&from_folder?);
    }
    let wanted = wanted.trim_start_matches('/');
    if markdown && let Some(found) = from_folder.as_deref().and_then(exactly) {
        return Some(found);
    }
    if let Some(found) = exactly(wanted) {
        return Some(found);
    }
    let mut below: Vec<&(usize, String)> = candidates
        .iter()
        .filter(|(_, path)| {
            path.strip_suffix(wanted)
                .is_some_and(|folder| folder.ends_with('/'))
        })
        .collect();
    below.sort_unstable_by(|(_, a), (_, b)| {
        let depth = |path: &str| path.matches('/').count();
        (depth(a), a.len(), a).cmp(&(depth(b), b.len(), b))
    });
    below.first().map(|(at, _)| *at)
}

fn without_ending(target: &str) -> &str {
    match target
        .len()
        .checked_sub(3)
        .and_then(|cut| target.split_at_checked(cut))
    {
        Some((rest, ending)) if ending.eq_ignore_ascii_case(".md") => rest,
        _ => target,
    }
}

/// Joins a relative target to a folder; `None` if it leaves the vault.
fn joined(folder: &str, target: &str) -> Option<String> {
    let folder = folded(folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> VaultPath {
        VaultPath::new(text).unwrap()
    }

    #[test]
    fn resolution() {
        let notes = ["Tea.md", "a/Tea.md", "a/b/Tea.md", "z/a/b/Tea.md"].map(path);
        for (source, target, markdown, expected) in [
            ("x.md", "Tea", false, Some("Tea.md")),
            ("x.md", "tea.MD", false, Some("Tea.md")),
            ("a/x.md", "Tea", false, Some("Tea.md")),
            ("a/x.md", "Tea.md", true, Some("a/Tea.md")),
            ("x.md", "b/Tea", false, Some("a/b/Tea.md")),
            ("x.md", "a/b/Tea", false, Some("a/b/Tea.md")),
            ("a/b/x.md", "../Tea", false, Some("a/Tea.md")),
            ("a/b/x.md", "./Tea", false, Some("a/b/Tea.md")),
            ("a/x.md", "../../Tea", false, None),
            ("a/x.md", "/Tea", false, Some("Tea.md")),
            ("x.md", "c/Tea", false, None),
            ("x.md", "ea", false, None),
        ] {
            let found = best(&path(source), target, markdown, notes.iter());
            assert_eq!(
                found.map(|at| notes[at].as_str()),
                expected,
                "{target} in {source}"
            );
        }
        let deeper = ["long-folder/Tea.md", "a/b/Tea.md"].map(path);
        assert_eq!(best(&path("x.md"), "Tea", false, deeper.iter()), Some(0));
    }

    #[test]
    fn files_keep_their_place() {
        for (from, target, to, expected) in [
            ("a/n.md", "img/x.png", "b/n.md", Some("../a/img/x.png")),
            ("a/n.md", "../x.png", "n.md", Some("x.png")),
            ("n.md", "./x.png", "a/n.md", Some("../x.png")),
            ("n.md", "../x.png", "a/n.md", None),
        ] {
            assert_eq!(rebased(&path(from), target, &path(to)).as_deref(), expected);
        }
    }

    #[test]
    fn relative_paths() {
        for (source, target, expected) in [
            ("a.md", "b.md", "b.md"),
            ("x/a.md", "b.md", "../b.md"),
            ("x/a.md", "x/b.md", "b.md"),
            ("x/y/a.md", "x/z/b.md", "../z/b.md"),
            ("a.md", "x/b.md", "x/b.md"),
        ] {
            assert_eq!(relative(&path(source), &path(target)), expected);
        }
    }
}
