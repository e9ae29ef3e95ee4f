//! Detects the user's current project: the git repository of the working folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::Session;
use crate::recall::space::Space;
use crate::signals::RecallOptions;

impl Session {
    /// Returns the project for a query: `given`, or else the repository of the working folder if
    /// `is_found`.
    ///
    /// Returns `None` if the project has no effect.
    pub fn space(&self, given: Option<&str>, is_found: bool) -> Option<Space> {
        let others = self.settings.of::<RecallOptions>().other_space as f32;
        let found = || {
            let here = std::env::current_dir().ok().filter(|_| is_found)?;
            project_of(&here, self.vault.root())
        };
        let name = given.map(str::to_owned).or_else(found)?;
        (others < 1.0 && !name.trim().is_empty()).then_some(Space { name, others })
    }
}

/// Returns the name of the git repository that contains `folder`.
///
/// Returns `None` if the repository also contains `vault`, because then all notes belong to it.
fn project_of(folder: &Path, vault: &Path) -> Option<String> {
    let holds_git = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
    let tree = folder.ancestors().find(holds_git)?;
    if vault.starts_with(tree) {
        return None;
    }
    let repository = main_tree(&tree.join(".git")).unwrap_or_else(|| tree.to_owned());
    Some(repository.file_name()?.to_str()?.to_owned())
}

/// Returns the main work tree of a repository, given the `.git` file of a linked work tree.
fn main_tree(git: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(git).ok()?;
    let own = Path::new(text.trim().strip_prefix("gitdir: ")?);
    let git = own.ancestors().nth(2)?;
    let is_tree = own.parent()?.ends_with("worktrees") && git.ends_with(".git");
    git.parent().filter(|_| is_tree).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_a_project() {
        let home = tempfile::tempdir().unwrap();
        let at = |path: &str| home.path().join(path);
        for folder in [
            "app/.git/worktrees/fix",
            "app/src",
            "fix",
            "module",
            "plain",
            "app/notes",
        ] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        let link = |to: &str| format!("gitdir: {}\n", at(to).display());
        fs::write(at("fix/.git"), link("app/.git/worktrees/fix")).unwrap();
        fs::write(at("module/.git"), link("app/.git/modules/module")).unwrap();
        for (folder, vault, expected) in [
            ("app/src", "notes", Some("app")),
            ("fix", "notes", Some("app")),
            ("module", "notes", Some("module")),
            ("plain", "notes", None),
            ("app/src", "app/notes", None),
        ] {
            let found = project_of(&at(folder), &at(vault));
            assert_eq!(found.as_deref(), expected, "{folder}");
        }
    }
}
