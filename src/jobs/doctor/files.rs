//! Index of all files of the vault by name, to resolve links.

use std::collections::{HashMap, HashSet};

use crate::cache::target_stem;
use crate::note::{VaultPath, folded};
use crate::view::links::{best_match, rebased};

/// Files of a vault, notes and others.
#[derive(Debug, Default)]
pub struct Files {
    paths: Vec<VaultPath>,
    by_name: HashMap<String, Vec<u32>>,
    /// Files in hidden folders; only full paths resolve to them.
    hidden: HashSet<String>,
    folders: HashSet<String>,
}

/// Target of a link.
#[derive(Debug, PartialEq)]
pub struct ResolvedLink<'f> {
    pub(super) to: &'f VaultPath,
    /// Other files with a matching name if the target was chosen only by a tie-break rule.
    pub(super) rivals: Vec<&'f VaultPath>,
}

impl Files {
    /// Builds the index.
    pub fn new(paths: impl IntoIterator<Item = VaultPath>) -> Self {
        let mut files = Self::default();
        for path in paths {
            let mut folder = path.folder();
            while !folder.is_empty() && !files.folders.contains(folder) {
                files.folders.insert(folder.to_owned());
                folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
            }
            if path.as_str().split('/').any(|part| part.starts_with('.')) {
                files.hidden.insert(path.to_string());
                continue;
            }
            let at = files.paths.len() as u32;
            let name = folded(path.stem());
            files.by_name.entry(name).or_default().push(at);
            files.paths.push(path);
        }
        files
    }

    /// Returns the files whose name matches the last component of `target`.
    pub(super) fn named(&self, target: &str) -> impl Iterator<Item = &VaultPath> + Clone {
        let named = self.by_name.get(&folded(target_stem(target)));
        named
            .into_iter()
            .flatten()
            .map(|at| &self.paths[*at as usize])
    }

    /// Resolves `target` from the note at `source`.
    pub fn resolve(
        &self,
        source: &VaultPath,
        target: &str,
        markdown: bool,
    ) -> Option<ResolvedLink<'_>> {
        let at = best_match(source, target, markdown, self.named(target))?;
        let to = self.named(target).nth(at)?;
        let mut rivals = Vec::new();
        if self.named(target).nth(1).is_some() && to.folder() != source.folder() {
            let folded_target = folded(target);
            let wanted = folded_target.strip_suffix(".md").unwrap_or(&folded_target);
            let is_relative = wanted.starts_with(['.', '/']);
            if !is_relative && folded(to.without_ending()) != wanted {
                let end = format!("/{wanted}");
                rivals = self
                    .named(target)
                    .filter(|path| *path != to && folded(path.without_ending()).ends_with(&end))
                    .collect();
            }
        }
        Some(ResolvedLink { to, rivals })
    }

    /// Returns true if an unresolved Markdown link points to a folder, into a hidden folder, or outside the vault,
    /// which commands do not inspect.
    pub(super) fn is_outside_notes(&self, source: &VaultPath, target: &str) -> bool {
        let root = VaultPath::new("x").unwrap_or_else(|_| source.clone());
        let from = if target.starts_with('/') {
            &root
        } else {
            source
        };
        let target = target.trim_start_matches('/');
        match rebased(from, target, &root) {
            Some(path) => self.hidden.contains(&path) || self.folders.contains(&path),
            None => true,
        }
    }

    /// Returns groups of paths that differ only in case or Unicode normalisation.
    pub(super) fn clashes(&self) -> Vec<Vec<&str>> {
        let mut groups: HashMap<String, Vec<&str>> = HashMap::with_capacity(self.paths.len());
        let paths = self.paths.iter().map(VaultPath::as_str);
        for path in paths.chain(self.folders.iter().map(String::as_str)) {
            groups.entry(folded(path)).or_default().push(path);
        }
        let shared_names = groups.into_values().filter(|group| group.len() > 1);
        let mut clashes: Vec<Vec<&str>> = shared_names.collect();
        for clash in &mut clashes {
            clash.sort_unstable();
        }
        // If two folders clash, their contents are not reported separately.
        let folder = |path: &str| {
            path.rsplit_once('/')
                .map_or("", |(folder, _)| folder)
                .to_owned()
        };
        clashes.retain(|clash| clash.windows(2).all(|two| folder(two[0]) == folder(two[1])));
        clashes.sort_unstable();
        clashes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> VaultPath {
        VaultPath::new(text).unwrap()
    }

    fn files(paths: &[&str]) -> Files {
        Files::new(paths.iter().map(|text| path(text)))
    }

    #[test]
    fn rivals_are_targets_excluded_by_a_tie_break() {
        let files = files(&[
            "Tea.md",
            "a/Tea.md",
            "b/c/Tea.md",
            "b/Cup.md",
            "d/Cup.md",
            "d/x.png",
        ]);
        for (source, target, markdown, to, rivals) in [
            ("x.md", "Tea", false, "Tea.md", &[][..]),
            ("x.md", "c/tea", false, "b/c/Tea.md", &[]),
            ("b/x.md", "Cup", false, "b/Cup.md", &[]),
            ("b/x.md", "Cup.md", true, "b/Cup.md", &[]),
            ("b/x.md", "../d/Cup.md", true, "d/Cup.md", &[]),
            ("x.md", "Cup", false, "b/Cup.md", &["d/Cup.md"]),
            ("d/e/x.md", "Cup", false, "b/Cup.md", &["d/Cup.md"]),
            ("x.md", "x.png", false, "d/x.png", &[]),
        ] {
            let led = files.resolve(&path(source), target, markdown).unwrap();
            let found: Vec<&str> = led.rivals.iter().map(|path| path.as_str()).collect();
            assert_eq!(
                (led.to.as_str(), &found[..]),
                (to, rivals),
                "{target} in {source}"
            );
        }
        assert_eq!(files.resolve(&path("x.md"), "Pot", false), None);
    }

    #[test]
    fn links_outside_the_notes() {
        let files = files(&["a/b/Tea.md", ".trash/Cup.md", "a/.attachments/x.png"]);
        assert!(files.resolve(&path("x.md"), "Cup", false).is_none());
        for (source, target, expected) in [
            ("x.md", "a", true),
            ("a/x.md", "b/", true),
            ("a/x.md", "/a/b", true),
            ("a/x.md", ".attachments/x.png", true),
            ("a/x.md", "../../README.md", true),
            ("a/x.md", "c/", false),
            ("a/x.md", "y.png", false),
        ] {
            let found = files.is_outside_notes(&path(source), target);
            assert_eq!(found, expected, "{target} in {source}");
        }
    }

    #[test]
    fn clashes_are_reported_once() {
        let files = files(&[
            "tea.md",
            "Tea.md",
            "a/Caf\u{e9}.md",
            "a/Cafe\u{301}.md",
            "A/x.md",
            "b/Tea.md",
            "a/x.md",
        ]);
        assert_eq!(
            files.clashes(),
            [
                vec!["A", "a"],
                vec!["Tea.md", "tea.md"],
                vec!["a/Cafe\u{301}.md", "a/Caf\u{e9}.md"],
            ]
        );
    }
}
