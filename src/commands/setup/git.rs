//! `mem git`

use crate::commands::prelude::*;
use crate::commands::upkeep::sleep::install::program;
use crate::run::adapters::git::{Git, may_be_in_work_tree};

/// Make git merge notes by structure
///
/// `install` adds the merge driver `mem merge-file` to the configuration of this clone and names the files that use it in
/// `.gitattributes`; `uninstall` removes both. Commit `.gitattributes`, and run `install` in each clone. Where mem is
/// not installed, git merges lines as before.
#[derive(Clone, Debug, clap::Args)]
pub struct GitRequest {
    action: GitAction,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum GitAction {
    /// Use the merge driver of mem
    Install,
    /// Use that of git again
    Uninstall,
}

/// The lines in `.gitattributes`. They come first, so that lines of the user have precedence.
const ATTRIBUTES: &str = "\
# >>> mem: merges notes by structure, see mem git
*.md merge=mem
.mem/journal/**/*.jsonl merge=mem
.mem/trash/**/trash.jsonl merge=mem
.mem/state/*.json merge=mem
# <<< mem
";

const FIRST_LINE: &str = "# >>> mem";
const LAST_LINE: &str = "# <<< mem";

/// What the driver does if mem did not merge: the program is gone, or it failed. git itself would keep our side without
/// markers, and the other side's lines would be missing in the next commit. 1 is a conflict, which mem marked.
const FALLBACK: &str =
    "{ test $? -eq 1 && exit 1; git merge-file -L ours -L base -L theirs %A %O %B; }";

/// What `mem git` changed or would change.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GitReport {
    /// The attributes file.
    attributes: String,
    /// The lines that were added to it or removed.
    lines: Vec<String>,
    /// The command of the merge driver that was set or removed.
    driver: Option<String>,
    is_installed: bool,
    dry_run: bool,
    /// The value of the attribute `merge` of notes, if another rule has precedence.
    #[serde(skip_serializing_if = "Option::is_none")]
    overruled_by: Option<String>,
}

impl Reply for GitReport {
    fn show(&self, page: &Page<'_>) {
        let (verb, done) = match (self.is_installed, self.dry_run) {
            (true, true) => ("+", "would add"),
            (true, false) => ("+", "added"),
            (false, true) => ("-", "would remove"),
            (false, false) => ("-", "removed"),
        };
        if self.lines.is_empty() && self.driver.is_none() {
            page.say(if self.is_installed {
                "already installed"
            } else {
                "not installed"
            });
            return;
        }
        if !self.lines.is_empty() {
            page.line(&page.clean(&self.attributes));
            for line in &self.lines {
                page.line(&format!("  {verb} {}", page.clean(line)));
            }
        }
        if let Some(driver) = &self.driver {
            page.line("git config of this clone");
            page.line(&format!(
                "  {verb} merge.mem.driver = {}",
                page.clean(driver)
            ));
        }
        page.say(&format!("{done} the merge driver"));
        if self.is_installed && !self.dry_run {
            page.hint("commit `.gitattributes`; each clone needs `mem git install`");
        }
    }

    fn messages(&self) -> Vec<Message> {
        let value = self.overruled_by.iter();
        let message = value.map(|value| {
            Message::Warning(format!(
                "notes do not use the driver: another rule sets `merge` to `{value}`, see `git check-attr -a note.md`"
            ))
        });
        message.collect()
    }
}

impl Request<Environment> for GitRequest {
    type Reply<'s> = GitReport;

    fn answer(&self, env: &Environment) -> Result<GitReport> {
        let vault = Vault::find(&env.start)?;
        let root = vault.root();
        if !may_be_in_work_tree(root) {
            let error = Error::new(format!("`{}` is not in a git work tree", root.display()));
            return Err(error.hint("run `git init` there"));
        }
        let git = Git::of(root)?;
        let program = program()?;
        let wanted = (self.action == GitAction::Install).then(|| {
            format!(
                "{} merge-file %O %A %B -- %P || {FALLBACK}",
                shell_word(&program)
            )
        });
        let file = root.join(".gitattributes");
        let text = match own_files::read(&file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            read => read.map_err(|error| Error::io("read", &file, &error))?,
        };
        let (old, others) = without_block(&text)?;
        let new = if wanted.is_some() { ATTRIBUTES } else { "" };
        let known = git.driver()?;
        let mut report = GitReport {
            attributes: file.display().to_string(),
            lines: if old == new {
                Vec::new()
            } else {
                let shown = if new.is_empty() { &old } else { new };
                shown.lines().map(str::to_owned).collect()
            },
            driver: if known == wanted {
                None
            } else {
                wanted.clone().or(known.clone())
            },
            is_installed: wanted.is_some(),
            dry_run: self.dry_run,
            overruled_by: None,
        };
        if self.dry_run {
            return Ok(report);
        }
        if known != wanted {
            git.set_driver(wanted.as_deref())?;
        }
        if old != new {
            let text = format!("{new}{others}");
            let written = if text.is_empty() {
                std::fs::remove_file(&file)
            } else {
                own_files::write_atomically(&file, text.as_bytes())
            };
            written.map_err(|error| Error::io("write", &file, &error))?;
        }
        if report.is_installed {
            let attributes = git.text("check-attr -z merge --", &["note.md"])?;
            let value = attributes.split('\0').nth(2).unwrap_or_default();
            report.overruled_by = (value != "mem").then(|| value.to_owned());
        }
        Ok(report)
    }
}

/// Splits the text of an attributes file into the lines of mem and the others.
fn without_block(text: &str) -> Result<(String, String)> {
    let Some(start) = text.find(FIRST_LINE) else {
        return Ok((String::new(), text.to_owned()));
    };
    let Some(length) = text[start..].find(LAST_LINE) else {
        let error = Error::new(format!(
            "`.gitattributes` has `{FIRST_LINE}` without `{LAST_LINE}`"
        ));
        return Err(error.hint("remove these lines by hand"));
    };
    let last = start + length;
    let end = text[last..]
        .find('\n')
        .map_or(text.len(), |end| last + end + 1);
    Ok((
        text[start..end].to_owned(),
        format!("{}{}", &text[..start], &text[end..]),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_is_removed_exactly() {
        for others in [
            "",
            "*.png binary",
            "*.png binary\n\n",
            "# mine\r\n*.md text\r\n",
        ] {
            let installed = format!("{ATTRIBUTES}{others}");
            let (block, left) = without_block(&installed).unwrap();
            assert_eq!((block.as_str(), left.as_str()), (ATTRIBUTES, others));
            let (none, left) = without_block(others).unwrap();
            assert_eq!((none.as_str(), left.as_str()), ("", others));
        }
        let moved = format!("a\n{ATTRIBUTES}b\n");
        assert_eq!(without_block(&moved).unwrap().1, "a\nb\n");
        assert!(without_block("# >>> mem\n*.md merge=mem\n").is_err());
    }
}
