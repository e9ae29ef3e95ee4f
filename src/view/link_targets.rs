//! Whether the links of notes resolve, computed for a whole vault from the catalog alone.
//!
//! The catalog contains notes and folders, but no other files. A link that may name an attachment,
//! an address or a path outside the vault counts neither as resolved nor as broken. `mem doctor`
//! checks all files.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::links::rebased;
use crate::cache::counts::LinkStatus;
use crate::cache::target_stem;
use crate::view::prelude::*;

/// Link targets other than notes.
pub struct OtherTargets {
    /// Names of the vault's folders.
    folders: HashSet<String>,
    root: Option<VaultPath>,
}

impl OtherTargets {
    pub fn of(view: &View<'_>) -> Result<Self> {
        let meta = view.reading().meta()?;
        let names = meta.folders.iter().map(|(path, _)| name(path).to_owned());
        Ok(Self {
            folders: names.collect(),
            root: VaultPath::new("x").ok(),
        })
    }

    /// Returns the folder names that only one of the two sets contains.
    pub(super) fn differing<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a str> {
        let differing = self.folders.symmetric_difference(&other.folders);
        differing.map(String::as_str)
    }

    /// Whether an unresolved link in the note at `source` is broken, rather than leading to a
    /// folder or outside the vault.
    pub fn is_broken(&self, source: &VaultPath, target: &str, markdown: bool) -> bool {
        let leaves = |root| rebased(source, target, root).is_none();
        let is_elsewhere = || {
            markdown
                && (self.folders.contains(name(target)) || self.root.as_ref().is_some_and(leaves))
        };
        can_only_be_note(target, markdown) && !is_elsewhere()
    }
}

/// A note that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "MissingRecord")]
pub struct MissingNote {
    /// Its name, as most links to it write it.
    pub name: String,
    /// Number of links to it.
    pub links: usize,
    /// The notes that contain these links.
    pub from: Vec<VaultPath>,
}

impl View<'_> {
    /// Returns the missing notes that `entries` link to, those with the most links first.
    pub fn missing_notes(&self, entries: &[Entry]) -> Result<Vec<MissingNote>> {
        let others = OtherTargets::of(self)?;
        // By folded name: the spellings with their numbers, and the linking notes.
        let mut missing: BTreeMap<String, (BTreeMap<String, usize>, Vec<VaultPath>)> =
            BTreeMap::new();
        for entry in entries {
            for link in self.details(entry.slot)?.links {
                let LinkTo {
                    target, markdown, ..
                } = &link;
                if !others.is_broken(&entry.path, target, *markdown)
                    || self.resolve(&entry.path, target, *markdown)?.is_some()
                {
                    continue;
                }
                let written = target_stem(target);
                let (spellings, from) = missing.entry(folded(written)).or_default();
                *spellings.entry(written.to_owned()).or_default() += 1;
                if from.last() != Some(&entry.path) {
                    from.push(entry.path.clone());
                }
            }
        }
        let notes = missing.into_values().filter_map(|(spellings, from)| {
            let links = spellings.values().sum();
            let most = spellings.into_iter().rev().max_by_key(|(_, links)| *links);
            most.map(|(name, _)| MissingNote { name, links, from })
        });
        let mut notes: Vec<MissingNote> = notes.collect();
        notes.sort_by_key(|note| Reverse(note.links));
        Ok(notes)
    }

    /// Returns whether a note has resolved and broken links.
    pub fn link_status(&self, entry: &Entry) -> Result<LinkStatus> {
        Ok(self.counts()?.get(entry.slot).status)
    }
}

/// Returns the last part of a path.
fn name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Whether a link can only mean a note.
fn can_only_be_note(target: &str, markdown: bool) -> bool {
    let name = name(target);
    if name.is_empty() || target.contains("{{") || target.contains("<%") {
        return false;
    }
    if target_stem(target).len() < name.len() {
        return true;
    }
    let is_address = target.contains(['?', ':']) || target.starts_with('/');
    !(has_extension(name) || markdown && is_address)
}

/// Whether a name has a file extension: `tea.png`, but not `v1.2` or `Dr. Who`.
pub(super) fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| {
        (1..=5).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    use crate::view::tests::IndexedVault;

    #[test]
    fn resolved_and_broken_links() {
        let cases = [
            ("a.md", "[[b]] [[Nowhere]]", true, true),
            ("b.md", "nothing", false, false),
            (
                "c.md",
                "[[c]] [[#part]] ![[tea.png]] [[Node.js]]",
                false,
                false,
            ),
            ("d/e.md", "[b](../b.md) [x](gone.md)", true, true),
            (
                "f.md",
                "[d](d) [s](/about) [q](x?y) [o](../../out.md)",
                false,
                false,
            ),
            ("g.md", "[[release v1.2]]", false, true),
            ("h.md", "[[{{title}}]] https://x.org/y", false, false),
            ("i.md", "[t](thing)", false, true),
            ("j.md", "---\nsupports: [\"[[gone]]\"]\n---\n", false, true),
        ];
        let scene = IndexedVault::new(cases.map(|(path, text, ..)| (path, text)));
        let view = scene.view(false);
        let entries = view.entries().unwrap();
        assert_eq!(entries.len(), cases.len());
        for (entry, (path, _, leads, misses)) in entries.iter().zip(cases) {
            assert_eq!(entry.path.as_str(), path);
            let found = view.link_status(entry).unwrap();
            assert_eq!(found.has_resolved, leads, "{path} leads");
            assert_eq!(found.has_broken, misses, "{path} misses");
        }
    }
}
