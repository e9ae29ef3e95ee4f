//! Merges two commits without the work tree.
//!
//! Git merges the trees with the drivers of the user. No conflict stops the merge: a note keeps both
//! versions between the markers of the driver or of git, and any other file is kept twice. A note
//! that was edited on one side and merged into another note on the other side is removed, if the
//! edit can be applied to the other note; otherwise it stays.

use crate::change::splice::revert_change;
use crate::journal::moves;
use crate::note::front_matter::{matter, split::split};
use crate::run::adapters::failed;
use crate::run::prelude::*;
use crate::vault::{TRASH, is_note_name};

/// A file that both sides changed in ways that git could not merge.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Conflict {
    /// Path of the file in the vault.
    pub path: String,
    pub result: ConflictResult,
    /// The other file with the result, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConflictResult {
    /// Both versions are in the note, between markers.
    Marked,
    /// The version of the other side is another file.
    KeptTwice,
    /// One side removed or renamed the file; the edited one was kept.
    Kept,
    /// The edit was applied to the note that absorbed this one.
    Moved,
}

/// A file in a tree: mode and blob.
#[derive(Clone, Debug, PartialEq)]
struct Blob {
    mode: String,
    id: String,
}

/// The versions of a file in a conflict: base, ours, theirs.
type Stages = [Option<Blob>; 3];

/// Returns the merge of HEAD and the branch `theirs`, whose name is in conflict markers, and the
/// conflicts.
pub(super) fn merge(git: &Git, theirs: &str, title: &str) -> Result<(String, Vec<Conflict>)> {
    let prefix = &git.prefix;
    // All paths begin at the root of the work tree.
    let git = &git.of_whole_work_tree()?;
    let (tree, mut stages) = merge_trees(git, theirs)?;
    let mut resolution = Resolution {
        git,
        prefix,
        tree,
        edits: BTreeMap::new(),
        conflicts: Vec::new(),
    };
    for copy in resolution.trash_edits(theirs)? {
        resolution.take_out_of_trash(&copy, theirs, &mut stages)?;
    }
    for (path, versions) in &stages {
        resolution.resolve(path, versions)?;
    }
    let tree = resolution.edited_tree()?;
    let mut message = format!("{title}\n");
    if !resolution.conflicts.is_empty() {
        message.push_str("\nConflicts, both versions kept:\n");
    }
    for conflict in &resolution.conflicts {
        let _ = writeln!(message, "- {}", conflict.path);
    }
    let parents = [tree.as_str(), "-p", "HEAD", "-p", theirs];
    let commit = git.succeed("commit-tree", &parents, &message)?;
    Ok((commit.trim_end().to_owned(), resolution.conflicts))
}

/// Returns the merged tree, and the versions of files in conflict.
fn merge_trees(git: &Git, theirs: &str) -> Result<(String, BTreeMap<String, Stages>)> {
    // A folder whose only note went to the trash looks renamed, and a new note of the other side would follow.
    let merge = "-c merge.directoryRenames=false merge-tree --write-tree -z --no-messages HEAD";
    let ended = git.run(merge, &[theirs], "")?;
    let output = String::from_utf8_lossy(&ended.stdout);
    let mut parts = output.split('\0');
    // What merge drivers printed precedes the id.
    let first = parts.next().unwrap_or_default();
    let length = git.commit_id("HEAD")?.map_or(0, |id| id.len());
    let start = first.len().checked_sub(length).filter(|_| length > 0);
    let tree = start.and_then(|start| first.get(start..));
    let is_done = ended.status.code().is_some_and(|code| code <= 1);
    let Some(tree) = tree.filter(|_| is_done).map(str::to_owned) else {
        let failure = failed("git merge-tree", &ended);
        let has_base = git.answer("merge-base HEAD", &[theirs])?.is_some();
        let shallow = git.text("rev-parse --is-shallow-repository", &[])?;
        return Err(failure.hint(match (has_base, shallow.trim_end()) {
            (false, "true") => "the clone is shallow; `git fetch --unshallow` completes it",
            (false, _) => "the branches have no common commit; clone the remote again, and copy your notes into it",
            _ => "mem sync needs git 2.38 or later",
        }));
    };
    let mut stages: BTreeMap<String, Stages> = BTreeMap::new();
    // `<mode> <id> <stage>`, a tab, and the path.
    for (blob, path) in parts.filter_map(|part| part.split_once('\t')) {
        if let [mode, id, stage] = blob.split(' ').collect::<Vec<_>>()[..] {
            let stage = stage.parse::<usize>().unwrap_or(1).clamp(1, 3) - 1;
            let [mode, id] = [mode, id].map(str::to_owned);
            stages.entry(path.to_owned()).or_default()[stage] = Some(Blob { mode, id });
        }
    }
    Ok((tree, stages))
}

/// A merged tree and its changes because of conflicts. Paths begin at the root of the work tree.
struct Resolution<'g> {
    git: &'g Git,
    /// The folder of the vault.
    prefix: &'g str,
    tree: String,
    /// The files to add to the tree, and those to remove.
    edits: BTreeMap<String, Option<Blob>>,
    conflicts: Vec<Conflict>,
}

impl Resolution<'_> {
    /// Returns the copies in the trash that differ from those of both sides.
    ///
    /// Git takes a removed note for renamed to its copy, so it makes edits of the other side there.
    fn trash_edits(&self, theirs: &str) -> Result<Vec<String>> {
        let trash = format!(":(literal){}{OWN_FOLDER}/{TRASH}", self.prefix);
        let diff = "diff --name-only -z --no-renames";
        let changed = |side| self.git.text(diff, &[side, &self.tree, "--", &trash]);
        let [ours, theirs] = [changed("HEAD")?, changed(theirs)?];
        let ours: HashSet<&str> = ours.split_terminator('\0').collect();
        let paths = theirs.split_terminator('\0');
        let both = paths.filter(|path| ours.contains(path));
        Ok(both.map(str::to_owned).collect())
    }

    /// Restores a copy in the trash, and adds a conflict between removal and edit of the note.
    fn take_out_of_trash(
        &mut self,
        copy: &str,
        theirs: &str,
        stages: &mut BTreeMap<String, Stages>,
    ) -> Result<()> {
        // `.mem/trash/<run>/<note>`, from the root of the work tree.
        let path = self.in_vault(copy).splitn(4, '/').nth(3);
        let note = format!("{}{}", self.prefix, path.unwrap_or_default());
        let commit = self.git.answer("merge-base HEAD", &[theirs])?;
        let base = commit.map_or(Ok(None), |base| self.blob_in(&base, &note))?;
        for (remover, editor) in [("HEAD", theirs), (theirs, "HEAD")] {
            let original = self.blob_in(remover, copy)?;
            let edited = self.blob_in(editor, &note)?;
            if let (Some(original), Some(edited)) = (original, edited) {
                stages.remove(copy);
                self.edits.insert(copy.to_owned(), Some(original.clone()));
                let base = base.clone().or(Some(original));
                stages.insert(note.clone(), [base, Some(edited), None]);
            }
        }
        Ok(())
    }

    fn resolve(&mut self, path: &str, stages: &Stages) -> Result<()> {
        let merged = self.blob_in(&self.tree, path)?;
        // It may have absorbed a note whose edit was made here.
        let pending = self.edits.get(path).cloned().flatten();
        match stages {
            [Some(base), Some(edited), None] | [Some(base), None, Some(edited)] => {
                let edited = pending.as_ref().unwrap_or(edited);
                let keeper = self.follow(path, base, edited)?;
                let result = if keeper.is_some() {
                    ConflictResult::Moved
                } else {
                    let merged = merged.filter(|_| pending.is_none());
                    let blob = merged.unwrap_or_else(|| edited.clone());
                    self.edits.insert(path.to_owned(), Some(blob));
                    ConflictResult::Kept
                };
                self.add(path, result, keeper);
            }
            [_, Some(ours), Some(theirs)] => {
                let Some(merged) = merged else {
                    self.add(path, ConflictResult::Kept, None);
                    return Ok(());
                };
                // A driver that fails and a binary file leave one version unchanged.
                let is_marked = merged.id != ours.id && merged.id != theirs.id;
                if is_marked && is_note_name(self.in_vault(path)) {
                    self.add(path, ConflictResult::Marked, None);
                } else if ours.id != theirs.id {
                    let (kept, other) = match pending {
                        Some(pending) if merged.id == theirs.id => (pending, ours),
                        pending => (pending.unwrap_or_else(|| ours.clone()), theirs),
                    };
                    let copy = copy_name(path, &other.id);
                    self.edits.insert(path.to_owned(), Some(kept));
                    self.edits.insert(copy.clone(), Some(other.clone()));
                    self.add(path, ConflictResult::KeptTwice, Some(copy));
                }
            }
            [None, ..] => self.add(path, ConflictResult::Kept, None),
            // The old path of a file that both sides renamed.
            _ => {}
        }
        Ok(())
    }

    fn add(&mut self, path: &str, result: ConflictResult, other: Option<String>) {
        self.conflicts.push(Conflict {
            path: self.in_vault(path).to_owned(),
            result,
            other: other.map(|other| self.in_vault(&other).to_owned()),
        });
    }

    /// Returns the path of a file in the vault.
    fn in_vault<'p>(&self, path: &'p str) -> &'p str {
        path.strip_prefix(self.prefix).unwrap_or(path)
    }

    /// Applies the edit of a removed note to the note that absorbed it, if there is one.
    fn follow(&mut self, path: &str, base: &Blob, edited: &Blob) -> Result<Option<String>> {
        let prefix = self.prefix;
        let Some(keeper) = self.keeper_of(self.in_vault(path))? else {
            return Ok(None);
        };
        let keeper = format!("{prefix}{keeper}");
        let pending = self.edits.get(&keeper).cloned().flatten();
        let Some(blob) =
            pending.map_or_else(|| self.blob_in(&self.tree, &keeper), |it| Ok(Some(it)))?
        else {
            return Ok(None);
        };
        let [base, edited, now] = [base, edited, &blob].map(|blob| self.text(&blob.id));
        let Some(text) = with_edit(&now?, &base?, &edited?) else {
            return Ok(None);
        };
        let write = "hash-object -w --no-filters --stdin";
        let id = self.git.succeed(write, &[], &text)?.trim_end().to_owned();
        self.edits.insert(keeper.clone(), Some(Blob { id, ..blob }));
        self.edits.insert(path.to_owned(), None);
        Ok(Some(keeper))
    }

    /// Returns the note that absorbed `note`, by the journals of the merged tree.
    fn keeper_of(&self, note: &str) -> Result<Option<String>> {
        let failed = |error: io::Error| Error::new("cannot read the moves").caused_by(&error);
        let folder = tempfile::tempdir().map_err(failed)?;
        let journals = format!("{}{OWN_FOLDER}/{JOURNAL}", self.prefix);
        let tree = [self.tree.as_str(), "--", &journals];
        let files = self.git.text("ls-tree -r -z --name-only", &tree)?;
        for path in files.split('\0') {
            let Some((device, "moves.jsonl")) = path.rsplit_once('/') else {
                continue;
            };
            let device = folder
                .path()
                .join(device.rsplit('/').next().unwrap_or_default());
            let text = self.text(&format!("{}:{path}", self.tree))?;
            fs::create_dir_all(&device)
                .and_then(|()| fs::write(device.join("moves.jsonl"), text))
                .map_err(failed)?;
        }
        let moves = moves::load(folder.path()).map_err(failed)?;
        let now = moves.renamed().find(|(was, _)| *was == note);
        Ok(now.map(|(_, now)| now))
    }

    fn text(&self, blob: &str) -> Result<String> {
        self.git.text("cat-file blob", &[blob])
    }

    /// Returns a file of a tree.
    fn blob_in(&self, tree: &str, path: &str) -> Result<Option<Blob>> {
        let list = self
            .git
            .text("ls-tree --full-tree -z", &[tree, "--", path])?;
        let mut files = list.split('\0').filter_map(|line| line.split_once('\t'));
        let found = files.find(|(_, found)| *found == path);
        let mut fields = found.map(|(blob, _)| blob.split(' ')).into_iter().flatten();
        let blob = (fields.next(), fields.nth(1));
        let (Some(mode), Some(id)) = blob else {
            return Ok(None);
        };
        let [mode, id] = [mode, id].map(str::to_owned);
        Ok(Some(Blob { mode, id }))
    }

    /// Returns the merged tree with the edits.
    fn edited_tree(&self) -> Result<String> {
        if self.edits.is_empty() {
            return Ok(self.tree.clone());
        }
        let failed = |error: io::Error| Error::new("cannot write a file for git").caused_by(&error);
        let folder = tempfile::tempdir().map_err(failed)?;
        let mut git = self.git.clone();
        git.index = Some(folder.path().join("index"));
        git.text("read-tree", &[&self.tree])?;
        let rows = self.edits.iter().map(|(path, blob)| match blob {
            Some(Blob { mode, id }) => format!("{mode} {id} 0\t{path}\0"),
            None => format!("0 {} 0\t{path}\0", "0".repeat(self.tree.len())),
        });
        let lines: String = rows.collect();
        git.succeed("update-index -z --index-info", &[], &lines)?;
        Ok(git.text("write-tree", &[])?.trim_end().to_owned())
    }
}

/// Returns the name of a second version, which is the same on every machine.
fn copy_name(path: &str, id: &str) -> String {
    let name = path.rfind('/').map_or(0, |at| at + 1);
    let dot = path[name..].rfind('.').filter(|at| *at > 0);
    let end = dot.map_or(path.len(), |at| name + at);
    format!("{}.conflict-{:.7}{}", &path[..end], id, &path[end..])
}

/// Applies the change from `base` to `edited` to the body of `keeper`.
///
/// `None` if its lines are not found exactly once, or if the change concerns properties that a
/// person or an agent wrote.
fn with_edit(keeper: &str, base: &str, edited: &str) -> Option<String> {
    let properties = |text| {
        let mut properties = matter::properties(text).ok()?;
        properties.retain(|key, _| !matches!(key.as_str(), "mem" | "updated"));
        Some(properties)
    };
    if properties(base)? != properties(edited)? {
        return None;
    }
    let body = |text: &str| text[split(text).body].to_owned();
    let front = &keeper[..split(keeper).body.start];
    let body = revert_change(&body(edited), &body(base), &body(keeper))?;
    Some(format!("{front}{body}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_version_keeps_folder_and_extension() {
        for (path, expected) in [
            ("a.png", "a.conflict-0123456.png"),
            ("x.y/a.b.md", "x.y/a.b.conflict-0123456.md"),
            ("x.y/a", "x.y/a.conflict-0123456"),
            (".rules", ".rules.conflict-0123456"),
        ] {
            assert_eq!(copy_name(path, "0123456789"), expected);
        }
    }

    #[test]
    fn an_edit_follows_its_text_into_another_note() {
        let keeper = "---\ntags: [a]\n---\nOne.\n\nTwo.\n\nThree.\n";
        let base = "---\nmem:\n  seal: x\n---\nTwo.\n\nThree.\n";
        for (name, edited, expected) in [
            (
                "appended",
                base.replace("Three.\n", "Three.\n\nFour.\n"),
                Some(format!("{keeper}\nFour.\n")),
            ),
            (
                "replaced, other seal",
                base.replace("Two.", "2.").replace("seal: x", "seal: y"),
                Some(keeper.replace("Two.", "2.")),
            ),
            (
                "another property",
                base.replace("mem:", "status: done\nmem:"),
                None,
            ),
        ] {
            assert_eq!(with_edit(keeper, base, &edited), expected, "{name}");
        }
        assert_eq!(with_edit("One.\n", base, &base.replace("Two.", "2.")), None);
    }
}
