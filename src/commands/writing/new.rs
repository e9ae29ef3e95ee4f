//! `mem new`

use super::remember::RememberRequest;
use super::remember_args;
use crate::commands::prelude::*;

// No request: it only reads the text of a `RememberRequest`, from an editor or a pipe.
/// Create a note in your editor
///
/// The words are the title; the file is named in the style of its folder. A title like `sub/idea`
/// names the folder, too, if it exists. With --template, it starts from that template. Piped input becomes its text, without an editor. If you save nothing,
/// nothing is written.
#[derive(Debug, Default, clap::Args)]
pub struct NewArgs {
    /// The title
    title: Vec<String>,
    /// Begin with this template
    #[arg(long, value_name = "TEMPLATE")]
    template: Option<String>,
    /// Folder [default: setting `remember.folder`]
    #[arg(long = "in", value_name = "FOLDER")]
    folder: Option<String>,
    /// Tags; repeatable
    #[arg(short, long = "tag", value_name = "TAG,...", value_delimiter = ',', value_parser = new_tag)]
    tags: Vec<String>,
    /// Type: fact, decision, preference, event, person, project, …
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
}

impl NewArgs {
    /// Returns arguments for a note with this title.
    pub(crate) fn titled(title: String) -> Self {
        let title = vec![title];
        Self {
            title,
            ..Self::default()
        }
    }

    /// Creates the note.
    pub fn run(self, env: &Environment) -> Result<Exit> {
        let typed = self.title.join(" ");
        let (folder, title) = match in_folder(env, &typed) {
            Some((folder, title)) if self.folder.is_none() => (Some(folder.to_owned()), title),
            _ => (self.folder, typed.as_str()),
        };
        let request = RememberRequest {
            title: Some(title.trim().to_owned()).filter(|title| !title.is_empty()),
            template: self.template,
            folder,
            tags: self.tags,
            kind: self.kind,
            ..RememberRequest::default()
        };
        let text = Vec::new();
        remember_args::RememberArgs { text, request }.run(env)
    }
}

/// Splits `sub/idea` into an existing folder of the vault and a title; `AC/DC` is a title.
fn in_folder<'t>(env: &Environment, typed: &'t str) -> Option<(&'t str, &'t str)> {
    let (folder, title) = typed.rsplit_once('/')?;
    let path = VaultPath::new(folder).ok()?;
    let vault = Vault::find(&env.start).ok()?;
    (vault.absolute(&path).is_dir() && !title.trim().is_empty()).then_some((folder, title))
}
