//! Whether the links of notes lead anywhere: looked at for a whole vault at once, in the catalog alone.
//!
//! The catalog knows notes and folders, no other files: a link to what may be a picture, an address or a
//! place outside of the vault is neither counted as a way out nor missed. `mem doctor` looks at all files.

use super::links::rebased;
use crate::cache::counts::Leads;
use crate::cache::key::target_stem;
use crate::view::prelude::*;

/// What beside notes a link may lead to.
pub(super) struct Elsewhere {
    /// The names of the vault's folders.
    folders: HashSet<String>,
    root: Option<VaultPath>,
}

impl Elsewhere {
    pub(super) fn of(view: &View<'_>) -> Result<Self> {
        let folders = view.reading().meta()?.folders;
        let folders = folders.iter().map(|(folder, _)| name(folder).to_owned());
        Ok(Self {
            folders: folders.collect(),
            root: VaultPath::new("x").ok(),
        })
    }

    /// Returns the names of folders that are only here or only there.
    pub(super) fn differing<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a str> {
        let differing = self.folders.symmetric_difference(&other.folders);
        differing.map(String::as_str)
    }

    /// Tells whether a link that leads to no note from the one at `source` names one that is not there.
    pub(super) fn misses(&self, source: &VaultPath, target: &str, markdown: bool) -> bool {
        let leaves = |root| rebased(source, target, root).is_none();
        let is_elsewhere = || {
            markdown
                && (self.folders.contains(name(target)) || self.root.as_ref().is_some_and(leaves))
        };
        is_of_note(target, markdown) && !is_elsewhere()
    }
}

impl View<'_> {
    /// Returns where the links of a note lead.
    pub fn leads(&self, entry: &Entry) -> Result<Leads> {
        Ok(self.counts()?.get(entry.slot).leads)
    }
}

/// Returns the last part of a path.
fn name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Tells whether a link can mean nothing but a note.
fn is_of_note(target: &str, markdown: bool) -> bool {
    let name = name(target);
    if name.is_empty() || target.contains("{{") || target.contains("<%") {
        return false;
    }
    if target_stem(target).len() < name.len() {
        return true;
    }
    let is_address = target.contains(['?', ':']) || target.starts_with('/');
    !(has_ending(name) || markdown && is_address)
}

/// Tells whether a name ends like that of a file: `tea.png`, but not `v1.2` or `Dr. Who`.
pub(super) fn has_ending(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| {
        (1..=5).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    use crate::view::tests::Scene;

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
        let entries = view.entries().unwrap();
        assert_eq!(entries.len(), cases.len());
        for (entry, (path, _, leads, misses)) in entries.iter().zip(cases) {
            assert_eq!(entry.path.as_str(), path);
            let found = view.leads(entry).unwrap();
            assert_eq!(found.somewhere, leads, "{path} leads");
            assert_eq!(found.nowhere, misses, "{path} misses");
        }
    }
}
