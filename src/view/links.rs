//! Link resolution, as in Obsidian.
//!
//! Candidates are the files with the name at the end of the target, ignoring case and Unicode form.
//! An exact path from the root wins, then a file in or below the folder of the linking note, then
//! any other; ties go to the shortest path. `./` and `../` start at the folder of the linking note,
//! `/` at the root, and neither is searched elsewhere. Titles and aliases do not resolve, except in a property:
//! a note that another program renamed keeps the relations that name it by its title.
//!
//! One difference: a Markdown link is first resolved from the folder of its note, as in every other
//! program.

use crate::cache::target_stem;
use crate::note::path::strip_ending;
use crate::view::prelude::*;

impl View<'_> {
    /// Returns the note that `target` means in the note at `source`.
    pub fn resolve(
        &self,
        source: &VaultPath,
        target: &str,
        markdown: bool,
    ) -> Result<Option<Entry>> {
        let mut candidates = Vec::new();
        for slot in self.reading().find(IndexKey::stem(target_stem(target)))? {
            candidates.extend(self.entry(slot)?);
        }
        let paths = candidates.iter().map(|entry| &entry.path);
        let best = best_match(source, target, markdown, paths);
        Ok(best.map(|at| candidates.swap_remove(at)))
    }

    /// Returns the note that `link` means in the note at `source`; in a property also the only one with this title.
    fn resolve_link(&self, source: &VaultPath, link: &LinkTo) -> Result<Option<Entry>> {
        let found = self.resolve(source, &link.target, link.markdown)?;
        if found.is_some() || link.property.is_none() {
            return Ok(found);
        }
        let mut named = self.namesakes(&link.target)?;
        let Some(one) = named.pop().filter(|_| named.is_empty()) else {
            return Ok(None);
        };
        let is_title = folded(&self.details(one.slot)?.title) == folded(&link.target);
        Ok(is_title.then_some(one))
    }

    /// Returns the other notes that link to `entry`, ordered by path.
    pub fn linking_to(&self, entry: &Entry) -> Result<Vec<Entry>> {
        let stem = folded(entry.path.stem());
        let links = self.inbound(entry, |link| folded(target_stem(&link.target)) == stem)?;
        let mut sources: Vec<Entry> = links.into_iter().map(|(_, source)| source).collect();
        sources.dedup_by_key(|source| source.slot);
        Ok(sources)
    }

    /// Returns the notes of [`linking_to`](Self::linking_to), and those with a link to `entry` in the text of a
    /// property.
    pub fn affected_by(&self, entry: &Entry) -> Result<Vec<Entry>> {
        let mut sources = self.linking_to(entry)?;
        for slot in self.reading().find(IndexKey::link(entry.path.stem()))? {
            let targets = self.details(slot)?.text_links;
            let is_known = slot == entry.slot || sources.iter().any(|known| known.slot == slot);
            let Some(source) = self.entry(slot)?.filter(|_| !is_known) else {
                continue;
            };
            for target in targets {
                let led = self.resolve(&source.path, &target, false)?;
                if led.is_some_and(|led| led.slot == entry.slot) {
                    sources.push(source);
                    break;
                }
            }
        }
        sources.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(sources)
    }

    /// Returns the links to `entry` that satisfy `counts`, each with its note, ordered by path.
    fn inbound(
        &self,
        entry: &Entry,
        counts: impl Fn(&LinkTo) -> bool,
    ) -> Result<Vec<(LinkTo, Entry)>> {
        let mut inbound = Vec::new();
        let mut slots = self.reading().find(IndexKey::link(entry.path.stem()))?;
        let title = self.details(entry.slot)?.title;
        slots.extend(self.reading().find(IndexKey::link(&title))?);
        slots.sort_unstable();
        slots.dedup();
        for slot in slots {
            let mut links = self.details(slot)?.links;
            // Few of the notes that link here use a certain property.
            links.retain(&counts);
            if slot == entry.slot || links.is_empty() {
                continue;
            }
            let Some(source) = self.entry(slot)? else {
                continue;
            };
            for link in links {
                if self.leads_to(&source, &link, entry)? {
                    inbound.push((link, source.clone()));
                }
            }
        }
        inbound.sort_by(|a, b| a.1.path.cmp(&b.1.path));
        Ok(inbound)
    }

    /// Returns the other notes that `entry` links to, in text order and without duplicates.
    pub fn linked_from(&self, entry: &Entry) -> Result<Vec<(LinkTo, Entry)>> {
        let mut targets: Vec<(LinkTo, Entry)> = Vec::new();
        for link in self.details(entry.slot)?.links {
            if let Some(target) = self.resolve(&entry.path, &link.target, link.markdown)?
                && target.slot != entry.slot
                && !targets.iter().any(|(_, known)| known.slot == target.slot)
            {
                targets.push((link, target));
            }
        }
        Ok(targets)
    }

    /// Returns the notes whose property `relation` names `entry`.
    pub fn related_to(&self, entry: &Entry, relation: &str) -> Result<impl Iterator<Item = Entry>> {
        let links = self.inbound(entry, |link| link.property.as_deref() == Some(relation))?;
        let mut related: Vec<Entry> = links.into_iter().map(|(_, source)| source).collect();
        related.dedup_by_key(|source| source.slot);
        Ok(related.into_iter())
    }

    /// Returns the note recorded as the replacement of `entry`; if there are several, the first by
    /// path.
    pub fn replaced_by(&self, entry: &Entry) -> Result<Option<Entry>> {
        let mut newer = self.related_to(entry, Relation::EvolvedFrom.name())?;
        Ok(newer.next())
    }

    /// Returns the note that replaces `entry` now: a replacement that is not valid yet does not count.
    pub fn replaced_now(&self, entry: &Entry) -> Result<Option<Entry>> {
        for newer in self.related_to(entry, Relation::EvolvedFrom.name())? {
            if !self.is_upcoming(&newer)? {
                return Ok(Some(newer));
            }
        }
        Ok(None)
    }

    /// Returns the end of the chain of replacements of `entry`, which answers in its place.
    pub fn last_replacement(&self, entry: &Entry) -> Result<Option<Entry>> {
        let mut passed = HashSet::from([entry.slot]);
        let mut last = None;
        while let Some(newer) = self.replaced_now(last.as_ref().unwrap_or(entry))?
            && passed.insert(newer.slot)
        {
            last = Some(newer);
        }
        Ok(last)
    }

    /// Returns the existing notes that `entry` names in the property `relation`.
    pub fn linked_by(&self, entry: &Entry, relation: Relation) -> Result<Vec<Entry>> {
        let mut named = Vec::new();
        for link in self.details(entry.slot)?.links {
            if link.property.as_deref() == Some(relation.name()) {
                named.extend(self.resolve_link(&entry.path, &link)?);
            }
        }
        Ok(named)
    }

    /// Whether a link in `from` that satisfies `counts` leads to `to`.
    pub fn has_link(
        &self,
        from: &Entry,
        to: &Entry,
        counts: impl Fn(&LinkTo) -> bool,
    ) -> Result<bool> {
        for link in self.details(from.slot)?.links {
            if counts(&link) && self.leads_to(from, &link, to)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn leads_to(&self, from: &Entry, link: &LinkTo, to: &Entry) -> Result<bool> {
        let target = self.resolve_link(&from.path, link)?;
        Ok(target.is_some_and(|target| target.slot == to.slot))
    }

    /// Returns the relations of `entry` that either note states, ordered by path.
    pub fn relations_of(&self, entry: &Entry) -> Result<Vec<(Relation, Entry)>> {
        let relation = |link: &LinkTo| {
            let property = link.property.as_deref()?;
            Relation::named(property.strip_suffix(".to").unwrap_or(property))
        };
        let mut related = Vec::new();
        for link in self.details(entry.slot)?.links {
            if let Some(relation) = relation(&link)
                && let Some(target) = self.resolve_link(&entry.path, &link)?
            {
                related.push((relation, target));
            }
        }
        for (link, source) in self.inbound(entry, |link| relation(link).is_some())? {
            related.extend(relation(&link).map(|relation| (relation, source)));
        }
        related.retain(|(_, note)| note.slot != entry.slot);
        related.sort_by(|a, b| a.1.path.cmp(&b.1.path));
        Ok(related)
    }

    /// Returns the notes in a `contradicts` relation with `entry`, in either direction, ordered by
    /// path.
    pub fn contradicting(&self, entry: &Entry) -> Result<Vec<Entry>> {
        let name = Relation::Contradicts.name();
        let mut notes: Vec<Entry> = self.related_to(entry, name)?.collect();
        notes.extend(self.linked_by(entry, Relation::Contradicts)?);
        notes.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        notes.dedup_by_key(|note| note.slot);
        Ok(notes)
    }

    /// Returns an unambiguous wikilink target for `entry`: its stem, or its whole path if others
    /// share the stem.
    pub fn wikilink_target(&self, entry: &Entry) -> Result<String> {
        let stem = entry.path.stem();
        let mut others = self.reading().find(IndexKey::stem(stem))?;
        others.retain(|slot| *slot != entry.slot);
        let target = if others.is_empty() {
            stem
        } else {
            entry.path.without_ending()
        };
        Ok(target.to_owned())
    }
}

/// Returns the path from the folder of `source` to `target`, for a Markdown link.
pub fn relative(source: &VaultPath, target: &VaultPath) -> String {
    let parts = source.folder().split('/').filter(|part| !part.is_empty());
    let from: Vec<&str> = parts.collect();
    let to: Vec<&str> = target.as_str().split('/').collect();
    let both = from.iter().zip(&to[..to.len() - 1]);
    let shared = both.take_while(|(from, to)| from == to).count();
    let mut relative = "../".repeat(from.len() - shared);
    relative.push_str(&to[shared..].join("/"));
    relative
}

/// Converts `target` from a path relative to `from` into one relative to `to`; `None` if it is
/// outside the vault.
pub fn rebased(from: &VaultPath, target: &str, to: &VaultPath) -> Option<String> {
    let file = VaultPath::new(&joined(from.folder(), target)?).ok()?;
    Some(relative(to, &file))
}

/// Returns the index of the candidate that `target` means in the note at `source`.
///
/// `candidates` have the stem of the target. The target needs the ending of a file unless it is a
/// note.
pub fn best_match<'p>(
    source: &VaultPath,
    target: &str,
    markdown: bool,
    candidates: impl Iterator<Item = &'p VaultPath>,
) -> Option<usize> {
    let target = target.trim();
    let with_folded =
        |(at, path): (usize, &'p VaultPath)| (at, path, folded(path.without_ending()));
    let candidates: Vec<(usize, &VaultPath, String)> =
        candidates.enumerate().map(with_folded).collect();
    let wanted = folded(without_ending(target));
    // Of two paths that differ only in case, prefer the one spelled like the link.
    let is_as_written = |path: &VaultPath| {
        let target = without_ending(target).trim_start_matches('/');
        path.without_ending().ends_with(target)
    };
    let exactly = |wanted: &str| {
        let found = candidates.iter().filter(|(_, _, path)| path == wanted);
        let best = found.min_by_key(|(_, path, _)| (!is_as_written(path), *path));
        best.map(|(at, _, _)| *at)
    };
    let from_folder = joined(&folded(source.folder()), &wanted);
    if wanted.starts_with("./") || wanted.starts_with("../") {
        return exactly(&from_folder?);
    }
    if let Some(rooted) = wanted.strip_prefix('/') {
        return exactly(rooted.trim_start_matches('/'));
    }
    if markdown && let Some(found) = from_folder.as_deref().and_then(exactly) {
        return Some(found);
    }
    if let Some(found) = exactly(&wanted) {
        return Some(found);
    }
    let folder = folded(source.folder());
    let is_below = |path: &str| {
        let rest = path.strip_prefix(folder.as_str());
        rest.is_some_and(|rest| folder.is_empty() || rest.starts_with('/'))
    };
    let named = candidates.iter().filter(|(_, _, path)| {
        let folder = path.strip_suffix(wanted.as_str());
        folder.is_some_and(|folder| folder.ends_with('/'))
    });
    let best = named.min_by_key(|(_, path, folded)| {
        let length = folded.encode_utf16().count();
        (!is_below(folded), length, !is_as_written(path), *path)
    });
    best.map(|(at, _, _)| *at)
}

pub(super) fn without_ending(target: &str) -> &str {
    strip_ending(target).unwrap_or(target)
}

/// Joins a relative target to a folder; `None` if the result is outside the vault.
fn joined(folder: &str, target: &str) -> Option<String> {
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

    /// Returns the path that a link resolves to.
    fn led(files: &[&str], source: &str, target: &str, markdown: bool) -> Option<String> {
        let files: Vec<VaultPath> = files.iter().map(|file| path(file)).collect();
        let name = folded(target_stem(target));
        let named: Vec<&VaultPath> = files
            .iter()
            .filter(|file| folded(file.stem()) == name)
            .collect();
        best_match(&path(source), target, markdown, named.iter().copied())
            .map(|at| named[at].to_string())
    }

    #[test]
    fn resolution() {
        let notes = ["Tea.md", "a/Tea.md", "a/b/Tea.md", "z/a/b/Tea.md"];
        for (source, target, markdown, expected) in [
            ("x.md", "Tea", false, Some("Tea.md")),
            ("x.md", "tea.MD", false, Some("Tea.md")),
            ("a/x.md", "Tea", false, Some("Tea.md")),
            ("a/x.md", "Tea.md", true, Some("a/Tea.md")),
            ("x.md", "b/Tea", false, Some("a/b/Tea.md")),
            ("x.md", "a/b/Tea", false, Some("a/b/Tea.md")),
            ("z/x.md", "b/Tea", false, Some("z/a/b/Tea.md")),
            ("a/b/x.md", "../Tea", false, Some("a/Tea.md")),
            ("a/b/x.md", "./Tea", false, Some("a/b/Tea.md")),
            ("a/x.md", "../../Tea", false, None),
            ("a/x.md", "/Tea", false, Some("Tea.md")),
            ("a/x.md", "/b/Tea", false, None),
            ("x.md", "c/Tea", false, None),
            ("x.md", "ea", false, None),
        ] {
            let found = led(&notes, source, target, markdown);
            assert_eq!(found.as_deref(), expected, "{target} in {source}");
        }
    }

    /// As observed in Obsidian 1.13.7.
    #[test]
    fn own_folder_wins_then_shortest_path() {
        for (files, source, expected) in [
            (&["zzzz/Note.md", "a/b/Note.md"][..], "x.md", "a/b/Note.md"),
            (&["a/b/Note.md", "b/Note.md"], "x.md", "b/Note.md"),
            (&["b/Note.md", "zzzz/Note.md"], "zzzz/x.md", "zzzz/Note.md"),
            (
                &["b/Note.md", "zzzz/d/Note.md"],
                "zzzz/x.md",
                "zzzz/d/Note.md",
            ),
            (
                &["b/Note.md", "zzzz/Note.md"],
                "zzzz/deep/x.md",
                "b/Note.md",
            ),
            (&["b/Note.md", "zz/Note.md"], "z/x.md", "b/Note.md"),
            (&["Note.md", "zzzz/Note.md"], "zzzz/x.md", "Note.md"),
        ] {
            let found = led(files, source, "Note", false);
            assert_eq!(found.as_deref(), Some(expected), "{files:?} in {source}");
        }
    }

    #[test]
    fn names_are_compared_without_case_and_unicode_form() {
        let (composed, decomposed) = ("Caf\u{e9}", "Cafe\u{301}");
        for (file, target) in [
            (composed, decomposed),
            (decomposed, composed),
            (decomposed, "CAF\u{c9}"),
            ("Straße", "STRAßE"),
        ] {
            let file = format!("a/{file}.md");
            let found = led(&[&file], "x.md", target, false);
            assert_eq!(found.as_deref(), Some(file.as_str()));
        }
    }

    /// Cases from the tests of foam and quartz that Obsidian's rule decides the same way.
    #[test]
    fn cases_of_foam_and_quartz_resolve_equally() {
        let dendron = ["note.pdf", "note.md", "note.yo.md", "note2.md"];
        let suffix = ["test-file.md", "file.md"];
        let cased = ["a/Note.md", "b/note.md"];
        let quartz = [
            "a/b/c.md",
            "a/b/d.md",
            "a/b/index.md",
            "e/f.md",
            "e/g/h.md",
            "index.md",
            "a/test.png",
        ];
        for (files, source, target, expected) in [
            (&dendron[..], "x.md", "note", Some("note.md")),
            (&dendron, "x.md", "note.md", Some("note.md")),
            (&dendron, "x.md", "note.yo", Some("note.yo.md")),
            (&dendron, "x.md", "note.yo.md", Some("note.yo.md")),
            (&dendron, "x.md", "note.pdf", Some("note.pdf")),
            (&dendron, "x.md", "note2", Some("note2.md")),
            (&suffix, "x.md", "file", Some("file.md")),
            (&suffix, "x.md", "test-file", Some("test-file.md")),
            (
                &["a/path/to/file.md"],
                "x.md",
                "/a/path/to/file.md",
                Some("a/path/to/file.md"),
            ),
            // Obsidian takes the first in index order of two equally long paths; foam compares
            // case.
            (&cased, "x.md", "Note", Some("a/Note.md")),
            (&cased, "x.md", "note", Some("b/note.md")),
            (&["path/to/page-a.md"], "x.md", "page-b", None),
            (&quartz, "a/b/c.md", "d", Some("a/b/d.md")),
            (&quartz, "a/b/c.md", "h", Some("e/g/h.md")),
            (&quartz, "a/b/c.md", "a/b/index", Some("a/b/index.md")),
            (&quartz, "a/b/c.md", "index", Some("index.md")),
            (&quartz, "a/b/c.md", "test.png", Some("a/test.png")),
            (&quartz, "a/b/index.md", "d", Some("a/b/d.md")),
            (&quartz, "a/b/index.md", "h", Some("e/g/h.md")),
            (&quartz, "a/b/index.md", "index", Some("index.md")),
            (&quartz, "index.md", "d", Some("a/b/d.md")),
            (&quartz, "index.md", "h", Some("e/g/h.md")),
            (&quartz, "index.md", "a/b/index", Some("a/b/index.md")),
            (&quartz, "index.md", "index", Some("index.md")),
            (&quartz, "a/b/c.md", "a/b/d", Some("a/b/d.md")),
            (&quartz, "a/b/c.md", "e/f", Some("e/f.md")),
            (&quartz, "a/b/c.md", "e/g/h", Some("e/g/h.md")),
            (&quartz, "a/b/c.md", "a/b/c", Some("a/b/c.md")),
            (&quartz, "a/b/c.md", "a/test.png", Some("a/test.png")),
            (&quartz, "index.md", "e/g/h", Some("e/g/h.md")),
        ] {
            let found = led(files, source, target, false);
            assert_eq!(found.as_deref(), expected, "{target} in {source}");
        }
    }

    /// Quartz resolves `..` from the page's own address, `a/b/c/`; Obsidian and file systems
    /// resolve it from the folder of the note, `a/b`. The result of quartz is outside the vault.
    #[test]
    fn quartz_resolves_dots_from_one_folder_deeper() {
        let files = ["a/b/c.md", "e/g/h.md", "index.md", "a/test.png"];
        for (quartz, obsidian, expected) in [
            ("../../../index", "../../index", "index.md"),
            ("../../../a/test.png", "../../a/test.png", "a/test.png"),
            ("../../../e/g/h", "../../e/g/h", "e/g/h.md"),
        ] {
            assert_eq!(led(&files, "a/b/c.md", quartz, false), None);
            let found = led(&files, "a/b/c.md", obsidian, false);
            assert_eq!(found.as_deref(), Some(expected));
        }
    }

    /// Foam shortens a link to the unambiguous part of the path, `to/page-a`. Obsidian and mem
    /// write the bare name or the whole path, and read both.
    #[test]
    fn short_names_of_foam_resolve_equally() {
        let files = [
            "path/to/page-a.md",
            "another/way/for/page-a.md",
            "another/path/for/page-a.md",
        ];
        for (target, expected) in [
            ("to/page-a", "path/to/page-a.md"),
            ("way/for/page-a", "another/way/for/page-a.md"),
            ("path/for/page-a", "another/path/for/page-a.md"),
        ] {
            let found = led(&files, "x.md", target, false);
            assert_eq!(found.as_deref(), Some(expected));
        }
    }

    #[test]
    fn obsidians_own_vault() {
        #[derive(serde::Deserialize)]
        struct Case {
            file_path: String,
            expected: ExpectedLinks,
        }
        #[derive(serde::Deserialize)]
        struct ExpectedLinks {
            resolve_link_to_path: std::collections::BTreeMap<String, Option<String>>,
        }
        let json = include_str!("../../fixtures/obsidian/vault_paths.json");
        let paths: Vec<String> = serde_json::from_str(json).unwrap();
        let files: Vec<&str> = paths.iter().map(String::as_str).collect();
        let mut resolved = 0;
        for line in include_str!("../../fixtures/obsidian/cases.jsonl").lines() {
            let case: Case = serde_json::from_str(line).unwrap();
            for (link, expected) in case.expected.resolve_link_to_path {
                let target = link.split('#').next().unwrap();
                let found = match target {
                    "" => Some(case.file_path.clone()),
                    target => led(&files, &case.file_path, target, false),
                };
                assert_eq!(found, expected, "{link} in {}", case.file_path);
                resolved += 1;
            }
        }
        assert_eq!(resolved, 31);
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
