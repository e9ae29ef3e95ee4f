//! Computes the edits that keep links working when notes are moved or merged.
//!
//! A [`Remap`] describes the future vault. `mv` gets edits for all affected notes: moved notes with
//! relative links, notes that link to them, and notes whose links the new name would capture. A
//! merge asks for one link at a time. A link changes only if it would lead elsewhere, and keeps its
//! form: name, path, relative path, with or without `.md`. Label and block stay. A heading that
//! contains a changed link gets another name: `# Met [[Anna]]`. Links to it then name the new one.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::NoteTextError;
use super::link_targets::has_extension;
use super::links::{best_match, rebased, relative, without_ending};
use crate::cache::target_stem;
use crate::note::markdown::parts::Parts;
use crate::note::splice::{Outer, line_around};
use crate::note::{self, Edit, Link, LinkKind, Note, edit};
use crate::view::prelude::*;

/// Why links cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum RemapError {
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The text of a linking note is unavailable.
    #[error(transparent)]
    Text(#[from] NoteTextError),
    /// The front matter of a linking note cannot be parsed, so mem does not write it.
    #[error("`{0}` has a link to update, but its front matter cannot be read")]
    Unreadable(VaultPath),
    /// No form of link can express the target.
    #[error("no link form in `{linking}` can express `{path}`")]
    Unnameable {
        /// The intended target.
        path: VaultPath,
        /// The note with the link.
        linking: VaultPath,
    },
    /// No fragment can tell the target from other headings or blocks of its name.
    #[error("`{link}` in `{linking}` would lead to another heading or block of that name")]
    UncertainPart { link: String, linking: VaultPath },
    /// The parser would read the new link differently.
    #[error("`{link}` in `{linking}` cannot be rewritten safely")]
    Unwritable { link: String, linking: VaultPath },
}

impl RemapError {
    pub(super) fn uncertain(link: &Link, linking: &VaultPath) -> Self {
        Self::UncertainPart {
            link: link.to_string(),
            linking: linking.clone(),
        }
    }

    pub fn unwritable(link: &Link, linking: &VaultPath) -> Self {
        Self::Unwritable {
            link: link.to_string(),
            linking: linking.clone(),
        }
    }
}

/// The paths of notes after moves, or after a merge into `successor`.
pub struct Remap<'a, 'v> {
    view: &'a View<'v>,
    /// New paths of moved notes.
    moved: HashMap<Slot, VaultPath>,
    /// Removed notes; links to them lead to `successor`.
    removed: Vec<Slot>,
    successor: Option<Slot>,
    /// Stems whose links may lead elsewhere.
    stems: Vec<String>,
    /// The changed headings of notes.
    renamed_headings: HashMap<Slot, RenamedHeadings>,
}

/// Maximum number of rounds over headings that contain links to changed headings.
pub const MAX_ROUNDS_OF_HEADINGS: usize = 8;

/// The edits that change headings of a note, with its headings before and after.
struct RenamedHeadings {
    edits: Vec<Edit>,
    before: Parts,
    after: Parts,
}

impl<'a, 'v> Remap<'a, 'v> {
    /// Creates the remap for these moves.
    pub fn moving(view: &'a View<'v>, moves: &[(Entry, VaultPath)]) -> Self {
        let both =
            |(entry, to): &(Entry, VaultPath)| [entry.path.stem(), to.stem()].map(str::to_owned);
        let stems = moves.iter().flat_map(both);
        let places = moves.iter().map(|(entry, to)| (entry.slot, to.clone()));
        Self {
            view,
            moved: places.collect(),
            removed: Vec::new(),
            successor: None,
            stems: stems.collect(),
            renamed_headings: HashMap::new(),
        }
    }

    /// Creates the remap in which `successor` replaces the notes `removed`.
    pub fn replacing(view: &'a View<'v>, removed: Vec<Slot>, successor: &Entry) -> Self {
        Self {
            view,
            moved: HashMap::new(),
            removed,
            successor: Some(successor.slot),
            stems: Vec::new(),
            renamed_headings: HashMap::new(),
        }
    }

    /// Returns the notes with links that must change, ordered by path, and their edits.
    ///
    /// # Errors
    ///
    /// Fails if any of these notes cannot be written: updating only some links is useless.
    pub fn edits(mut self) -> Result<Vec<(Entry, Vec<Edit>)>, RemapError> {
        let mut edited = self.edits_once()?;
        for _ in 0..MAX_ROUNDS_OF_HEADINGS {
            if !self.rename_headings(&edited)? {
                break;
            }
            edited = self.edits_once()?;
        }
        Ok(edited)
    }

    /// Registers the headings that `edited` renames, for the links to them. Returns whether there are others than
    /// before.
    pub fn rename_headings(&mut self, edited: &[(Entry, Vec<Edit>)]) -> Result<bool, RemapError> {
        let mut is_changed = false;
        for (entry, edits) in edited {
            let known = self.renamed_headings.get(&entry.slot);
            if known.is_some_and(|known| known.edits == *edits) {
                continue;
            }
            let text = self.view.text(entry)?;
            let note = note::read(&text, entry.path.stem());
            if !changes_heading(&note, &text, edits) {
                continue;
            }
            // Edits that cannot be applied are refused later.
            let Ok(after) = edit::apply(&text, edits) else {
                continue;
            };
            let renamed = RenamedHeadings {
                edits: edits.clone(),
                before: Parts::of(&note, &text),
                after: Parts::of(&note::read(&after, entry.path.stem()), &after),
            };
            self.renamed_headings.insert(entry.slot, renamed);
            is_changed = true;
        }
        Ok(is_changed)
    }

    /// Returns the notes that link to the headings registered by [`rename_headings`](Self::rename_headings).
    pub fn linking_to_headings(&self) -> Result<Vec<Entry>, RemapError> {
        let mut linking = Vec::new();
        for slot in self.renamed_headings.keys() {
            if let Some(entry) = self.view.entry(*slot)? {
                linking.extend(self.view.affected_by(&entry)?);
                linking.push(entry);
            }
        }
        Ok(linking)
    }

    fn edits_once(&self) -> Result<Vec<(Entry, Vec<Edit>)>, RemapError> {
        let mut affected: BTreeMap<Slot, Entry> = BTreeMap::new();
        for slot in self.moved.keys() {
            affected.extend(self.view.entry(*slot)?.map(|entry| (*slot, entry)));
        }
        for stem in &self.stems {
            for slot in self.view.reading().find(IndexKey::link(stem))? {
                affected.extend(self.view.entry(slot)?.map(|entry| (slot, entry)));
            }
        }
        let linking = self.linking_to_headings()?;
        affected.extend(linking.into_iter().map(|entry| (entry.slot, entry)));
        // The catalog lacks their new links.
        for path in self.view.unsaved.keys() {
            affected.extend(self.view.at(path)?.map(|entry| (entry.slot, entry)));
        }
        let mut affected: Vec<Entry> = affected.into_values().collect();
        affected.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let mut edited = Vec::new();
        for entry in affected {
            let edits = self.edits_of(&entry)?;
            if !edits.is_empty() {
                edited.push((entry, edits));
            }
        }
        Ok(edited)
    }

    fn edits_of(&self, entry: &Entry) -> Result<Vec<Edit>, RemapError> {
        let text = self.view.text(entry)?;
        let note = note::read(&text, entry.path.stem());
        let to = self.path_after(entry);
        let mut edits = Vec::new();
        for link in note.maintained_links() {
            let new = self.rewritten(&text, link, &entry.path, to);
            if !matches!(new, Ok(None)) && entry.row.flags.has(Flags::UNREADABLE) {
                return Err(RemapError::Unreadable(entry.path.clone()));
            }
            let edit = new?.map(|new| Edit::replace(&text, link.place(), new));
            edits.extend(edit);
        }
        Ok(without_overlaps(edits))
    }

    /// Returns the replacement of the place of `link` in `text`, a note that moves from `from` to `to`; `None` if it
    /// stays.
    pub fn rewritten(
        &self,
        text: &str,
        link: &Link,
        from: &VaultPath,
        to: &VaultPath,
    ) -> Result<Option<String>, RemapError> {
        let target = self.target(link, from, to)?;
        let part = self.part_after(link, from)?;
        let Some(part) = part.filter(|part| Some(part) != link.part.as_ref()) else {
            let target = target.filter(|target| *target != link.target);
            let new = target.map(|target| retargeted(text, link, &target, from));
            return new.transpose();
        };
        let new = link.redirected(text, target.as_ref().unwrap_or(&link.target), &part);
        let new = new.filter(|new| *new != text[link.place()]);
        new.map(Some)
            .ok_or_else(|| RemapError::unwritable(link, from))
    }

    /// Returns the name of the renamed heading that `link`, in a note at `from`, leads to; `None` if it leads to no such
    /// heading.
    fn part_after(&self, link: &Link, from: &VaultPath) -> Result<Option<String>, RemapError> {
        let (Some(part), false) = (&link.part, self.renamed_headings.is_empty()) else {
            return Ok(None);
        };
        let led = if link.target.is_empty() {
            self.view.at(from)?
        } else {
            self.view.resolve(from, &link.target, is_markdown(link))?
        };
        let renamed = led.and_then(|led| self.renamed_headings.get(&led.slot));
        let Some(RenamedHeadings { before, after, .. }) = renamed else {
            return Ok(None);
        };
        let Some(old) = before.of_link(link) else {
            return Ok(None);
        };
        let new = after.readdressed(link.kind, part, old.target, &old, Some);
        new.map(Some)
            .ok_or_else(|| RemapError::uncertain(link, from))
    }

    /// Returns the new target of `link` in a note that moves from `from` to `to`. `None` if the old
    /// target still works or was broken.
    pub fn target(
        &self,
        link: &Link,
        from: &VaultPath,
        to: &VaultPath,
    ) -> Result<Option<String>, RemapError> {
        use TargetForm::{Dotted, Name, Relative, Rooted, Whole};
        if link.target.is_empty() {
            return Ok(None);
        }
        let markdown = is_markdown(link);
        let Some(led) = self.view.resolve(from, &link.target, markdown)? else {
            return match self.attachment_target(link, from, to) {
                None => self.attachment_path(link, from, to),
                target => Ok(target),
            };
        };
        let slot = match self.successor {
            Some(successor) if self.removed.contains(&led.slot) => successor,
            _ => led.slot,
        };
        // A file system may distinguish `tea.md` and `Tea.md`.
        let is_other_case = |a: &str, b: &str| a != b && folded(a) == folded(b);
        let is_respelled = self.moved.get(&slot).is_some_and(|to| {
            is_other_case(to.as_str(), led.path.as_str())
                || is_other_case(to.stem(), led.path.stem())
        });
        let leads_there =
            !is_respelled && self.resolve_after(to, &link.target, markdown)? == Some(slot);
        if leads_there && !markdown {
            return Ok(None);
        }
        let Some(goal) = self.view.entry(slot)? else {
            return Ok(None);
        };
        let goal = self.path_after(&goal);
        // A note `p.png.md` needs its ending, else the link means the picture.
        let ending = without_ending(&link.target) != link.target || has_extension(goal.stem());
        let forms: &[TargetForm] = if markdown {
            &[Relative, Dotted, Rooted, Whole, Name]
        } else {
            &[Name, Whole, Dotted, Rooted]
        };
        let written = folded(&link.target);
        let same = forms.iter().find(|form| {
            let target = form.write(from, &led.path, true);
            let spellings = [target.as_str(), without_ending(&target)];
            spellings.map(folded).contains(&written)
        });
        let usual = if markdown { Relative } else { Name };
        let form = *same.unwrap_or(&usual);
        // Obsidian searches other folders for a relative path that does not exist; other programs
        // do not, so such a path must be exact.
        let by_path = matches!(same, Some(Relative | Dotted));
        if leads_there && !(by_path && folded(&form.write(to, goal, ending)) != written) {
            return Ok(None);
        }
        let plain = if markdown { Relative } else { Whole };
        for (form, ending) in [(form, ending), (plain, ending), (plain, true)] {
            let target = form.write(to, goal, ending);
            let fits = markdown || is_wikilink_target(&target);
            if fits
                && (form != Name || self.is_alone(slot, goal)?)
                && self.resolve_after(to, &target, markdown)? == Some(slot)
            {
                return Ok(Some(target));
            }
        }
        Err(RemapError::Unnameable {
            path: goal.clone(),
            linking: from.clone(),
        })
    }

    /// Returns the new target of a relative link to an attachment.
    fn attachment_target(&self, link: &Link, from: &VaultPath, to: &VaultPath) -> Option<String> {
        let dotted = link.target.starts_with("./") || link.target.starts_with("../");
        let from_folder = dotted || is_markdown(link) && !link.target.starts_with('/');
        if !from_folder || from.folder() == to.folder() {
            return None;
        }
        let vault = self.view.vault;
        // Skip targets that do not exist there: they are broken or resolved differently.
        let whole = rebased(from, &link.target, &VaultPath::new("root").ok()?)?;
        let there = VaultPath::new(&whole).is_ok_and(|file| {
            let path = vault.absolute(&file);
            vault.fs().stat(&path).is_ok()
        });
        let mut target = there.then(|| rebased(from, &link.target, to)).flatten()?;
        if dotted && !is_markdown(link) && !target.starts_with("../") {
            target.insert_str(0, "./");
        }
        Some(target)
    }

    /// Returns the path of the attachment that the link names, if a note at `to` would find another.
    fn attachment_path(
        &self,
        link: &Link,
        from: &VaultPath,
        to: &VaultPath,
    ) -> Result<Option<String>, RemapError> {
        let (target, markdown) = (&link.target, is_markdown(link));
        if from.folder() == to.folder() || target.starts_with(['/', '.']) {
            return Ok(None);
        }
        let vault = self.view.vault;
        let folders = self.view.reading().meta()?.folders;
        let in_folder = |(folder, _): &(String, i64)| {
            let path = format!("{folder}/{target}");
            let file = VaultPath::new(path.trim_start_matches('/')).ok()?;
            let exists = vault.fs().stat(&vault.absolute(&file)).is_ok();
            exists.then_some(file)
        };
        let files: Vec<VaultPath> = folders.iter().filter_map(in_folder).collect();
        let found = |note| best_match(note, target, markdown, files.iter());
        let (before, after) = (found(from), found(to));
        let changed = before.filter(|_| before != after).map(|at| &files[at]);
        Ok(changed.map(|file| {
            if markdown {
                relative(to, file)
            } else {
                file.to_string()
            }
        }))
    }

    /// Returns the future path of a note.
    fn path_after<'e>(&'e self, entry: &'e Entry) -> &'e VaultPath {
        self.moved.get(&entry.slot).unwrap_or(&entry.path)
    }

    /// Returns the note that `target` will mean in the note at `source`.
    fn resolve_after(
        &self,
        source: &VaultPath,
        target: &str,
        markdown: bool,
    ) -> Result<Option<Slot>> {
        let mut candidates = self.notes_with_stem(target_stem(target))?;
        let paths = candidates.iter().map(|(_, path)| path);
        let found = best_match(source, target, markdown, paths);
        Ok(found.map(|at| candidates.swap_remove(at).0))
    }

    /// Returns the notes that will have this stem.
    fn notes_with_stem(&self, stem: &str) -> Result<Vec<(Slot, VaultPath)>> {
        let mut found = Vec::new();
        for slot in self.view.reading().find(IndexKey::stem(stem))? {
            if !self.removed.contains(&slot)
                && !self.moved.contains_key(&slot)
                && let Some(entry) = self.view.entry(slot)?
            {
                found.push((slot, entry.path));
            }
        }
        let stem = folded(stem);
        let has_stem = |(_, to): &(&Slot, &VaultPath)| folded(to.stem()) == stem;
        let moved = self.moved.iter().filter(has_stem);
        found.extend(moved.map(|(slot, to)| (*slot, to.clone())));
        Ok(found)
    }

    /// Whether no other note will have the stem of this one.
    fn is_alone(&self, slot: Slot, path: &VaultPath) -> Result<bool> {
        let others = self.notes_with_stem(path.stem())?;
        Ok(others.iter().all(|(other, _)| *other == slot))
    }
}

/// A form of a link target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TargetForm {
    /// `Tea`
    Name,
    /// `drinks/Tea`, from the root
    Whole,
    /// `../drinks/Tea`, from the folder of the note with the link
    Relative,
    /// The same, with `./` before paths without `..`
    Dotted,
    /// `/drinks/Tea`
    Rooted,
}

impl TargetForm {
    pub(super) fn write(self, source: &VaultPath, path: &VaultPath, ending: bool) -> String {
        let mut target = match self {
            Self::Name => last_part(path.as_str()).to_owned(),
            Self::Whole => path.to_string(),
            Self::Rooted => format!("/{path}"),
            Self::Relative => relative(source, path),
            Self::Dotted => {
                let relative = relative(source, path);
                let dots = if relative.starts_with("../") {
                    ""
                } else {
                    "./"
                };
                format!("{dots}{relative}")
            }
        };
        if !ending {
            target.truncate(without_ending(&target).len());
        }
        target
    }
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a wikilink can contain the target: `#`, `|` and brackets have another meaning there.
pub fn is_wikilink_target(target: &str) -> bool {
    !target.contains(['[', ']', '|', '#']) && target.trim() == target
}

/// Whether `edits` change a line of a heading.
fn changes_heading(note: &Note, text: &str, edits: &[Edit]) -> bool {
    let mut lines = note
        .headings
        .iter()
        .map(|heading| line_around(text, &(heading.at..heading.at)));
    lines.any(|line| {
        edits.iter().any(|edit| {
            matches!(edit, Edit::Replace { span, .. } if span.start < line.end && line.start < span.end)
        })
    })
}

/// Whether the link resolves from the folder of its note first.
pub fn is_markdown(link: &Link) -> bool {
    link.kind == LinkKind::Markdown
}

/// Returns the edit that makes `link` lead to `target`.
pub fn repointed(text: &str, link: &Link, target: &str) -> Edit {
    Edit::replace(text, link.place(), link.retargeted(text, target))
}

/// Returns the replacement of the place of `link`, in a note at `linking`, that makes it lead to `target`.
pub fn retargeted(
    text: &str,
    link: &Link,
    target: &str,
    linking: &VaultPath,
) -> Result<String, RemapError> {
    let is_written = |new: &String| {
        (*new != text[link.place()] || target == link.target)
            && (!link.is_property_text()
                || edit::apply(text, &[Edit::replace(text, link.place(), new)]).is_ok())
    };
    // An apostrophe is written twice in a text in single quotes.
    let mut forms = [target.to_owned(), target.replace('\'', "''")].into_iter();
    let new = forms.find_map(|form| Some(link.retargeted(text, &form)).filter(is_written));
    new.ok_or_else(|| RemapError::unwritable(link, linking))
}

/// Returns the edits of links without overlaps: links with the same definition add the same edit, and a link may
/// contain another in its label.
pub fn without_overlaps(edits: Vec<Edit>) -> Vec<Edit> {
    let (mut replaced, others): (Vec<_>, Vec<_>) = edits
        .into_iter()
        .partition(|edit| matches!(edit, Edit::Replace { .. }));
    replaced.sort_by_key(|edit| match edit {
        Edit::Replace { span, .. } => (span.start, Reverse(span.end)),
        _ => (0, Reverse(0)),
    });
    replaced.dedup();
    let mut outer: Vec<(Outer, String)> = Vec::new();
    for edit in replaced {
        let Edit::Replace { span, was, text } = edit else {
            continue;
        };
        let last = outer.last_mut();
        if !last.is_some_and(|(outer, _)| outer.combine(&span, &was, &text)) {
            outer.push((Outer::new(span, text), was));
        }
    }
    let combined = outer
        .into_iter()
        .map(|(Outer { span, with, .. }, was)| Edit::Replace {
            span,
            was,
            text: with,
        });
    combined.chain(others).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::note::edit;
    use crate::view::tests::IndexedVault;

    fn path(text: &str) -> VaultPath {
        VaultPath::new(text).unwrap()
    }

    type Files = BTreeMap<String, String>;

    impl IndexedVault {
        /// Returns the files after these moves.
        fn moved(&self, moves: &[(&str, &str)]) -> Result<Files, String> {
            let view = self.view(false);
            let moves: Vec<(Entry, VaultPath)> = moves
                .iter()
                .map(|(from, to)| (view.at(&path(from)).unwrap().unwrap(), path(to)))
                .collect();
            let remap = Remap::moving(&view, &moves);
            let mut files = self.files.clone();
            for (entry, edits) in remap.edits().map_err(|error| error.to_string())? {
                let text = files.get_mut(entry.path.as_str()).unwrap();
                *text = edit::apply(text, &edits).unwrap();
            }
            let texts: Vec<(String, String)> = moves
                .iter()
                .map(|(entry, to)| {
                    let text = files.remove(entry.path.as_str()).unwrap();
                    (to.to_string(), text)
                })
                .collect();
            files.extend(texts);
            Ok(files)
        }
    }

    fn files<const N: usize>(files: [(&str, &str); N]) -> Files {
        files
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect()
    }

    type Case<'c> = (
        &'c str,
        Files,
        &'c [(&'c str, &'c str)],
        &'c [(&'c str, &'c str)],
    );

    #[expect(clippy::too_many_lines, reason = "a table of cases")]
    #[test]
    fn moves_update_links() {
        let cases: [Case; 14] = [
            (
                "in every form, with what belongs to it",
                files([
                    ("Tea.md", ""),
                    (
                        "x/n.md",
                        "---\nrelated_to: [\"[[Tea]]\", '[[tea|T]]']\n---\n[[Tea]] ![[Tea#How]] [[Tea|green]] [[Tea.md#^a1|x]]\n\
                         [t](../Tea.md) [t](../Tea) [t](../Tea.md#How%20to \"T\") [t](</Tea.md>) [t](../tea.MD)\n\
                         <a href='../Tea.md#How'>t</a>\n| [[Tea\\|T]] |\n[t][r] [r][] [r]\n\n[r]: ../Tea.md \"T\"\n`[[Tea]]`\n",
                    ),
                ]),
                &[("Tea.md", "drinks/Green tea.md")],
                &[(
                    "x/n.md",
                    "---\nrelated_to: [\"[[Green tea]]\", '[[Green tea|T]]']\n---\n[[Green tea]] ![[Green tea#How]] [[Green tea|green]] [[Green tea.md#^a1|x]]\n\
                     [t](../drinks/Green%20tea.md) [t](../drinks/Green%20tea) [t](../drinks/Green%20tea.md#How%20to \"T\") [t](</drinks/Green tea.md>) [t](../drinks/Green%20tea.md)\n\
                     <a href='../drinks/Green%20tea.md#How'>t</a>\n| [[Green tea\\|T]] |\n[t][r] [r][] [r]\n\n[r]: ../drinks/Green%20tea.md \"T\"\n`[[Tea]]`\n",
                )],
            ),
            (
                "in the text of properties, but not in comments",
                files([
                    ("Tea.md", ""),
                    (
                        "n.md",
                        "---\nrel: '[[Tea]]'\nup: [[Tea]]\nlist: [x, [[tea|t]]]\nmap:\n  k: ['see [[Tea#How]], ![[Tea]]']\n  t: \"a [[Tea]]\"\n\
                         text: |\n  [[Tea]]\n# [[Tea]]\nm: [[1, 2], [3]]\n---\n",
                    ),
                    ("t.md", "+++\nrel = \"[[Tea]]\"\n+++\n"),
                    ("j.md", "{\"rel\": \"a [[Tea]]\"}\n"),
                    (
                        "e.md",
                        "---\nup: \"[[T\\x65a|\\u2713]]\"\nt: \"a [[\\u0054ea|\\u2713]] \\t\"\nx: \"[[Tea\\x7cb]] c\"\n---\n",
                    ),
                    ("d/r.md", "---\nup: at [[../Tea]]\n---\n"),
                ]),
                &[("Tea.md", "it's.md")],
                &[
                    (
                        "n.md",
                        "---\nrel: '[[it''s]]'\nup: [[it's]]\nlist: [x, [[it's|t]]]\nmap:\n  k: ['see [[it''s#How]], ![[it''s]]']\n  t: \"a [[it's]]\"\n\
                         text: |\n  [[it's]]\n# [[Tea]]\nm: [[1, 2], [3]]\n---\n",
                    ),
                    ("t.md", "+++\nrel = \"[[it's]]\"\n+++\n"),
                    ("j.md", "{\"rel\": \"a [[it's]]\"}\n"),
                    (
                        "e.md",
                        "---\nup: \"[[it's|✓]]\"\nt: \"a [[it's|\\u2713]] \\t\"\nx: \"[[Tea\\x7cb]] c\"\n---\n",
                    ),
                    ("d/r.md", "---\nup: at [[../it's]]\n---\n"),
                ],
            ),
            (
                "in the labels of other links",
                files([
                    ("B.md", ""),
                    ("p.png", ""),
                    (
                        "n.md",
                        "[![a](p.png)](B.md) [![a](p.png) ![a](p.png)](B.md)[^1] [![a][p]](B.md) [![a](p.png)][r]\n[<img src=\"p.png\"><img src=\"p.png\">](B.md) [[B|![i](p.png)]]\n\
                         \n[^1]: [x ![a](p.png \"B.md\") y](<B.md> \"p.png\")\n\n[p]: p.png\n[r]: B.md\n",
                    ),
                ]),
                &[("n.md", "x/n.md"), ("B.md", "C.md")],
                &[(
                    "x/n.md",
                    "[![a](../p.png)](../C.md) [![a](../p.png) ![a](../p.png)](../C.md)[^1] [![a][p]](../C.md) [![a](../p.png)][r]\n[<img src=\"../p.png\"><img src=\"../p.png\">](../C.md) [[C|![i](p.png)]]\n\
                     \n[^1]: [x ![a](../p.png \"B.md\") y](<../C.md> \"p.png\")\n\n[p]: ../p.png\n[r]: ../C.md\n",
                )],
            ),
            (
                "by name into another folder: nothing to do",
                files([("Tea.md", ""), ("n.md", "[[Tea]]")]),
                &[("Tea.md", "a/Tea.md")],
                &[("n.md", "[[Tea]]")],
            ),
            (
                "by path stays by path",
                files([
                    ("a/Tea.md", ""),
                    ("n.md", "[[a/Tea]] [t](a/Tea.md)"),
                    ("b/n.md", "[t](a/Tea.md)"),
                ]),
                &[("a/Tea.md", "c/Cup.md")],
                &[
                    ("n.md", "[[c/Cup]] [t](c/Cup.md)"),
                    ("b/n.md", "[t](c/Cup.md)"),
                ],
            ),
            (
                "the links of the note itself, and attachments",
                files([
                    (
                        "a/n.md",
                        "[o](o.md) [o](./o.md) ![](img/p.png) ![](gone.png) ![[p.png]] [[../top]] [[top]] [me](n.md#x) [[n]] [w](https://o.md)",
                    ),
                    ("a/o.md", ""),
                    ("a/img/p.png", ""),
                    ("top.md", ""),
                ]),
                &[("a/n.md", "b/c/m.md")],
                &[(
                    "b/c/m.md",
                    "[o](../../a/o.md) [o](../../a/o.md) ![](../../a/img/p.png) ![](gone.png) ![[p.png]] [[../../top]] [[top]] [me](m.md#x) [[m]] [w](https://o.md)",
                )],
            ),
            (
                "an attachment of a name that the new folder has, too",
                files([
                    (
                        "a/n.md",
                        "![[p.png]] [t](p.png) ![[q.png]] ![[img/r.png]] ![[a/p.png]] ![[only.png]]",
                    ),
                    ("a/p.png", "1"),
                    ("b/p.png", "2"),
                    ("q.png", "3"),
                    ("a/q.png", "4"),
                    ("a/img/r.png", "5"),
                    ("b/img/r.png", "6"),
                    ("a/only.png", "7"),
                ]),
                &[("a/n.md", "b/n.md")],
                &[(
                    "b/n.md",
                    "![[a/p.png]] [t](../a/p.png) ![[q.png]] ![[a/img/r.png]] ![[a/p.png]] ![[only.png]]",
                )],
            ),
            (
                "a new name that would catch the links of others",
                files([
                    ("deep/x/Tea.md", ""),
                    ("Cup.md", ""),
                    ("n.md", "[[Tea]] [[Cup]] [t](deep/x/Tea.md)"),
                ]),
                &[("Cup.md", "Tea.md")],
                &[("n.md", "[[deep/x/Tea]] [[Tea]] [t](deep/x/Tea.md)")],
            ),
            (
                "to headings that contain a changed link",
                files([
                    ("Tea.md", ""),
                    (
                        "a.md",
                        "---\nup: \"[[a#On Tea]]\"\n---\n# On [[Tea]]\n[[#On Tea]] [x](#on-tea)\n## [[tea|T]] [t](Tea.md)\nUnder [[Tea]]\n---\n",
                    ),
                    (
                        "b.md",
                        "---\nt: see [[a#On Tea]]\n---\n[[a#On Tea#tea T t|l]] [x](a.md#under-tea) [[a#Gone Tea]]\n# See [[a#On Tea]]\n",
                    ),
                    ("c.md", "[[b#See a On Tea]]"),
                ]),
                &[("Tea.md", "Cup.md"), ("a.md", "x/A.md")],
                &[
                    (
                        "x/A.md",
                        "---\nup: \"[[A#On Cup]]\"\n---\n# On [[Cup]]\n[[#On Cup]] [x](#on-cup)\n## [[Cup|T]] [t](../Cup.md)\nUnder [[Cup]]\n---\n",
                    ),
                    (
                        "b.md",
                        "---\nt: see [[A#On Cup]]\n---\n[[A#On Cup#Cup T t|l]] [x](x/A.md#under-cup) [[A#Gone Tea]]\n# See [[A#On Cup]]\n",
                    ),
                    ("c.md", "[[b#See A On Cup]]"),
                ],
            ),
            (
                "to a name in another case",
                files([
                    ("a/Tea.md", ""),
                    ("n.md", "[t](a/Tea.md) [[tea]] [[Tea#H|l]]"),
                ]),
                &[("a/Tea.md", "a/tea.md")],
                &[("n.md", "[t](a/tea.md) [[tea]] [[tea#H|l]]")],
            ),
            (
                "away from others of its name",
                files([
                    ("Tea.md", ""),
                    ("a/Tea.md", ""),
                    ("n.md", "[[Tea]] [[a/Tea]]"),
                ]),
                &[("Tea.md", "b/c/Tea.md")],
                &[("n.md", "[[b/c/Tea]] [[a/Tea]]")],
            ),
            (
                "two that change places",
                files([
                    ("A.md", "[[B]] [b](B.md)"),
                    ("B.md", "[[A]]"),
                    ("n.md", "[[A]] [[B]]"),
                ]),
                &[("A.md", "B.md"), ("B.md", "A.md")],
                &[
                    ("A.md", "[[B]]"),
                    ("B.md", "[[A]] [b](A.md)"),
                    ("n.md", "[[B]] [[A]]"),
                ],
            ),
            (
                "several moved into one folder keep their links",
                files([
                    ("A.md", "[b](B.md) [c](C.md)"),
                    ("B.md", "[a](A.md)"),
                    ("C.md", "[[A]]"),
                ]),
                &[("A.md", "x/A.md"), ("B.md", "x/B.md")],
                &[
                    ("x/A.md", "[b](B.md) [c](../C.md)"),
                    ("x/B.md", "[a](A.md)"),
                    ("C.md", "[[A]]"),
                ],
            ),
            (
                "a name with marks in a Markdown link",
                files([("A.md", ""), ("n.md", "[a](A.md) [a](<A.md>)")]),
                &[("A.md", "C# (old).md")],
                &[("n.md", "[a](C%23%20%28old%29.md) [a](<C%23 (old).md>)")],
            ),
        ];
        for (name, before, moves, expected) in cases {
            let after = IndexedVault::of(before, None).moved(moves).unwrap();
            for (note, text) in expected {
                assert_eq!(after[*note], *text, "{name}: {note}");
            }
        }
    }

    #[test]
    fn unrepresentable_links_are_refused() {
        for (before, to, problem) in [
            (
                files([("A.md", ""), ("n.md", "[[A]]")]),
                "C#.md",
                "no link form in `n.md` can express `C#.md`",
            ),
            (
                files([("A.md", ""), ("n.md", "---\nup: [[A]], [[C]]\n---\n")]),
                "B.md",
                "`n.md` has a link to update, but its front matter cannot be read",
            ),
            (
                files([("A.md", ""), ("n.md", "---\ntitle: a: b\n---\n[[A]]")]),
                "B.md",
                "`n.md` has a link to update, but its front matter cannot be read",
            ),
        ] {
            assert_eq!(
                IndexedVault::of(before, None)
                    .moved(&[("A.md", to)])
                    .unwrap_err(),
                problem
            );
        }
        let fine = files([("A.md", ""), ("n.md", "---\ntitle: a: b\n---\n[[A]]")]);
        IndexedVault::of(fine, None)
            .moved(&[("A.md", "x/A.md")])
            .unwrap();
    }

    /// Returns each link of each note with the old name of its target.
    fn led(files: &Files, was: impl Fn(&str) -> String) -> Vec<(String, Option<String>, Link)> {
        let notes: Vec<VaultPath> = files.keys().map(|name| path(name)).collect();
        let mut led = Vec::new();
        for note in &notes {
            for mut link in note::read(&files[note.as_str()], note.stem()).links {
                let stem = folded(target_stem(&link.target));
                let of_stem: Vec<&VaultPath> = notes
                    .iter()
                    .filter(|path| folded(path.stem()) == stem)
                    .collect();
                let markdown = is_markdown(&link);
                let best = best_match(note, &link.target, markdown, of_stem.iter().copied());
                let resolved = best.filter(|_| !link.target.is_empty());
                let found = resolved.map(|at| was(of_stem[at].as_str()));
                if found.is_some() {
                    link.target.clear();
                }
                link.span = 0..0;
                led.push((was(note.as_str()), found, link));
            }
        }
        led.sort_by(|a, b| a.0.cmp(&b.0));
        led
    }

    /// Returns a text with its links blanked.
    fn between(text: &str) -> String {
        let mut rest = text.to_owned();
        let links = note::read(text, "n").links;
        for link in links.iter().rev() {
            rest.replace_range(link.span.clone(), "·");
        }
        rest
    }

    const PATHS: [&str; 10] = [
        "Tea.md",
        "a/Tea.md",
        "a/b/tea.md",
        "b/Tea.md",
        "Cup.md",
        "b/Cup.md",
        "a/x y.md",
        "x y.md",
        "a/b/It's (1).md",
        "b/C#.md",
    ];

    const LINKS: [&str; 22] = [
        "[[Tea]]",
        "[[tea.md]]",
        "![[Tea#Part|label]]",
        "[[b/Tea|T]]",
        "[[a/b/tea]]",
        "[[../Tea]]",
        "[[./Cup]]",
        "[[/a/Tea#^b1]]",
        "[[Cup]]",
        "[[x y]]",
        "[[a/x y#H]]",
        "[[It's (1)]]",
        "[t](Tea.md)",
        "[t](../Tea.md \"title\")",
        "[t](a/Tea)",
        "![t](</b/Cup.md>)",
        "[t](x%20y.md#A%20b)",
        "[t](./a/b/tea.md)",
        "[c](b/C%23.md)",
        "[[nowhere]]",
        "[t](no/where.md)",
        "[[#here]]",
    ];

    fn vaults() -> impl Strategy<Value = Files> {
        let links = proptest::collection::vec(0..LINKS.len(), 0..6);
        let relation = proptest::option::of(0..12_usize);
        let notes = proptest::collection::btree_map(0..PATHS.len(), (links, relation), 2..8);
        notes.prop_map(|notes| {
            let text = |(links, relation): (Vec<usize>, Option<usize>)| {
                let mut text = relation.map_or_else(String::new, |link| {
                    format!(
                        "---\nrel: [\"{}\"] # c\n---\n",
                        LINKS[link].trim_start_matches('!')
                    )
                });
                for link in links {
                    text.push_str(LINKS[link]);
                    text.push_str(", ");
                }
                text
            };
            notes
                .into_iter()
                .map(|(index, note)| (PATHS[index].to_owned(), text(note)))
                .collect()
        })
    }

    /// Checks every link and all bytes between links after these moves.
    fn check(scene: &IndexedVault, moves: &[(&str, &str)]) -> Result<(), TestCaseError> {
        let files = &scene.files;
        let after = match scene.moved(moves) {
            Ok(after) => after,
            Err(error) => {
                prop_assert!(
                    moves.iter().any(|(_, to)| to.contains('#')),
                    "{moves:?}: {error}"
                );
                return Ok(());
            }
        };
        let was = |name: &str| {
            let origin = moves.iter().find(|(_, to)| *to == name);
            origin.map_or(name, |(from, _)| *from).to_owned()
        };
        // The new name may happen to repair a broken link, so only working links must keep their
        // target.
        let before = led(files, str::to_owned);
        let found = led(&after, was);
        prop_assert_eq!(before.len(), found.len());
        for (one, other) in before.iter().zip(&found) {
            if one.1.is_some() {
                prop_assert_eq!(one, other, "{:?}", moves);
            }
        }
        for (name, text) in files {
            let to = moves.iter().find(|(from, _)| *from == name);
            let now = &after[to.map_or(name.as_str(), |(_, to)| *to)];
            prop_assert_eq!(between(text), between(now));
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn moves_keep_every_link_target(files in vaults()) {
            let scene = IndexedVault::of(files.clone(), None);
            for from in files.keys() {
                for to in PATHS {
                    let taken = files.keys().any(|name| name != from && folded(name) == folded(to));
                    if !taken && to != from {
                        check(&scene, &[(from, to)])?;
                    }
                }
            }
        }

        #[test]
        fn simultaneous_moves_keep_every_link_target(files in vaults(), turn in 1..PATHS.len()) {
            let scene = IndexedVault::of(files.clone(), None);
            // Moves each note to the path of another, or to a free path.
            let moves: Vec<(&str, &str)> = files
                .keys()
                .map(|from| {
                    let index = PATHS.iter().position(|path| path == from).unwrap();
                    (from.as_str(), PATHS[(index + turn) % PATHS.len()])
                })
                .collect();
            check(&scene, &moves)?;
        }
    }

    /// A comparison of each with all others takes minutes.
    #[test]
    fn overlaps_are_found_in_linear_time() {
        let started = std::time::Instant::now();
        let text = "[[tea]]".repeat(150_000);
        let places = text
            .match_indices("tea")
            .map(|(at, tea)| at..at + tea.len());
        let edits: Vec<Edit> = places
            .map(|place| Edit::replace(&text, place, "oolong".to_owned()))
            .collect();
        let twice = [&edits[..], &edits[..]].concat();
        assert!(without_overlaps(twice) == edits);
        assert!(started.elapsed() < std::time::Duration::from_secs(60));
    }
}
