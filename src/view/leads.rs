//! Whether the links of notes lead anywhere: looked at for a whole vault at once, in the catalog alone.
//!
//! The catalog knows notes and folders, no other files: a link to what may be a picture, an address or a
//! place outside of the vault is neither counted as a way out nor missed. `mem doctor` looks at all files.

use std::collections::HashSet;

use super::View;
use super::graph::Stems;
use super::links::rebased;
use crate::cache::CacheError;
use crate::cache::key::target_stem;
use crate::cache::row::{LinkTarget, Slot};
use crate::note::path::VaultPath;

/// What the links of a note come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leads {
    /// One of them leads to another note.
    pub somewhere: bool,
    /// One of them names a note that is not there.
    pub nowhere: bool,
}

impl View<'_> {
    /// Returns the notes whose links `test` holds for.
    pub fn leading(&self, test: impl Fn(Leads) -> bool) -> Result<HashSet<Slot>, CacheError> {
        let entries = self.by_slot()?;
        let stems = Stems::of(&entries);
        let folders = self.reading().meta()?.folders;
        let folders: HashSet<&str> = folders.iter().map(|(folder, _)| name(folder)).collect();
        let root = VaultPath::new("x").ok();
        let (mut found, mut from) = (HashSet::new(), 0);
        self.reading().scan_named(|slot, named| {
            while entries.get(from).is_some_and(|entry| entry.slot < slot) {
                from += 1;
            }
            let Some(entry) = entries.get(from).filter(|entry| entry.slot == slot) else {
                return;
            };
            let mut leads = Leads::default();
            for link in &named.links {
                if let Some(to) = stems.resolve(&entries, &entry.path, link.target, link.markdown) {
                    leads.somewhere |= to != from;
                } else if is_of_note(link) {
                    let leaves = |root| rebased(&entry.path, link.target, root).is_none();
                    let is_elsewhere = link.markdown
                        && (folders.contains(name(link.target))
                            || root.as_ref().is_some_and(leaves));
                    leads.nowhere |= !is_elsewhere;
                }
            }
            if test(leads) {
                found.insert(slot);
            }
        })?;
        Ok(found)
    }
}

/// Returns the last part of a path.
fn name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Tells whether a link can mean nothing but a note.
fn is_of_note(link: &LinkTarget<'_>) -> bool {
    let name = name(link.target);
    if name.is_empty() || link.target.contains("{{") || link.target.contains("<%") {
        return false;
    }
    if target_stem(link.target).len() < name.len() {
        return true;
    }
    let is_address = link.target.contains(['?', ':']) || link.target.starts_with('/');
    !(has_ending(name) || link.markdown && is_address)
}

/// Tells whether a name ends like that of a file: `tea.png`, but not `v1.2` or `Dr. Who`.
fn has_ending(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| {
        (1..=5).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    use crate::view::scene::Scene;

    #[test]
    fn where_links_lead() {
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
        let scene = Scene::new(cases.map(|(path, text, ..)| (path, text)));
        let view = scene.view(false);
        let somewhere = view.leading(|leads| leads.somewhere).unwrap();
        let nowhere = view.leading(|leads| leads.nowhere).unwrap();
        let entries = view.entries().unwrap();
        assert_eq!(entries.len(), cases.len());
        for (entry, (path, _, leads, misses)) in entries.iter().zip(cases) {
            assert_eq!(entry.path.as_str(), path);
            assert_eq!(somewhere.contains(&entry.slot), leads, "{path} leads");
            assert_eq!(nowhere.contains(&entry.slot), misses, "{path} misses");
        }
    }
}
