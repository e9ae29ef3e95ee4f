//! `mem merge`

use crate::commands::args::prompt::{confirm, is_attended};
use crate::commands::prelude::*;

/// Merge notes into the first one
///
/// The first note gets all text and properties of the others that it lacks, links to the others
/// lead to it, and the others go to the trash. Nothing is merged if any text would be lost. Shows
/// the changes and asks at a terminal; `mem undo` reverts it.
#[derive(Clone, Debug, clap::Args)]
pub struct MergeRequest {
    /// The note to keep, then those to merge into it
    #[arg(required = true, num_args = 2.., value_name = "NOTE")]
    pub notes: Vec<String>,
    /// Also merge notes marked `keep: true` into the first
    #[arg(short, long)]
    pub force: bool,
    /// Ask nothing
    #[arg(short, long)]
    pub yes: bool,
    /// Preview the changes without making them
    #[arg(long)]
    pub dry_run: bool,
}

impl Request for MergeRequest {
    type Reply<'s> = ChangeReport;

    /// Shows the changes and asks a person first.
    fn run(&self, env: &Environment) -> Result<Exit> {
        let session = env.open()?;
        if !self.yes && !self.dry_run && is_attended(env) {
            let preview = Self {
                dry_run: true,
                ..self.clone()
            };
            env.print(&preview.answer(&session)?)?;
            if confirm(env, "merge them?", true) == Some(false) {
                return Ok(Exit::Nothing);
            }
        }
        env.print(&self.answer(&session)?)
    }

    fn answer(&self, session: &Session) -> Result<ChangeReport> {
        let (cache, view) = session.fresh_view()?;
        let entries = find_notes(&session.env, &view, &self.notes)?;
        let [keeper, others @ ..] = entries.as_slice() else {
            return Err(Error::new("no note is named"));
        };
        if others.is_empty() {
            let error = Error::new(format!(
                "all arguments are the same note, `{}`",
                keeper.path
            ));
            return Err(error.hint("name another note by its path"));
        }
        let is_kept = |entry: &&Entry| entry.row.flags.has(Flags::KEEP);
        if let Some(entry) = others.iter().find(is_kept).filter(|_| !self.force) {
            let error = Error::new(format!("`{}` is marked `keep: true`", entry.path));
            return Err(error.hint("name it first, or pass `--force` to merge it anyway"));
        }
        let act = Act::Merge {
            keeper: keeper.path.clone(),
            others: others.iter().map(|entry| entry.path.clone()).collect(),
            body: None,
        };
        let group = acts::manual_group(&view, "requested", &[act])?;
        drop(view);
        change_report::make(session, cache, "merge", vec![group], self.dry_run)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::json;

    use super::*;
    use crate::commands::tests::TestVault;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        request: MergeRequest,
    }

    fn request(arguments: &[&str]) -> MergeRequest {
        Line::parse_from([&["merge"], arguments].concat()).request
    }

    fn vault() -> TestVault {
        TestVault::new(&[
            ("Tea.md", "# Tea\n\nSencha is green.\n"),
            (
                "Chai.md",
                "---\ntags: [drink]\n---\n# Chai\n\nChai has milk.\n",
            ),
            ("Home.md", "[[Chai]] and [[Tea]].\n"),
            ("Kept.md", "---\nkeep: true\n---\nStays.\n"),
        ])
    }

    #[test]
    fn merges_into_the_first_note() {
        let vault = vault();
        let text = |path: &str| {
            let path = VaultPath::new(path).unwrap();
            vault.session.vault.read(&path).map(|file| file.text).ok()
        };
        let planned = vault.json(&request(&["Tea", "Chai", "--dry-run"])).unwrap();
        assert_eq!(planned["groups"][0]["outcome"], json!("planned"));
        assert!(text("Chai.md").is_some());
        let merged = vault.json(&request(&["Tea", "Chai"])).unwrap();
        assert_eq!(
            merged["groups"][0]["title"],
            json!("merge Chai.md into Tea.md")
        );
        assert_eq!(text("Chai.md"), None);
        assert_eq!(text("Home.md").unwrap(), "[[Tea]] and [[Tea]].\n");
        let tea = text("Tea.md").unwrap();
        for part in ["Sencha is green.", "Chai has milk.", "drink"] {
            assert!(tea.contains(part), "{part}: {tea}");
        }
    }

    #[test]
    fn refuses_kept_and_equal_notes() {
        let vault = vault();
        for (arguments, expected) in [
            (&["Tea", "Kept"][..], "`Kept.md` is marked `keep: true`"),
            (
                &["Tea", "tea.md"],
                "all arguments are the same note, `Tea.md`",
            ),
            (&["Tea", "Coffee"], "no note matches `Coffee`"),
        ] {
            let error = vault.json(&request(arguments)).unwrap_err().to_string();
            assert!(error.contains(expected), "{arguments:?}: {error}");
        }
        vault.json(&request(&["Tea", "Kept", "--force"])).unwrap();
    }
}
