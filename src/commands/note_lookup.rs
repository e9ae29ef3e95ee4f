//! The one note that an argument means; several matches are listed, never guessed.

use dialoguer::Select;

use super::lookup::ambiguous;
use crate::cache::CacheError;
use crate::cache::beginnings::Kind;
use crate::config::nearest;
use crate::error::Error;
use crate::note::path::VaultPath;
use crate::session::Environment;
use crate::view::{Entry, View};

/// Returns the note that `name` means, asking on a terminal if it may be several.
///
/// A file that the shell would find under that name comes first: it is what completion gives in a
/// folder of the vault. A link stands for the note that it leads to.
pub(super) fn find_note(env: &Environment, view: &View<'_>, name: &str) -> Result<Entry, Error> {
    if let Some(entry) = view.at_file(&env.start.join(name))? {
        return Ok(entry);
    }
    let mut found = view.named(name)?;
    if found.len() > 1 && env.output.stderr_is_terminal && env.output.stdout_is_terminal {
        let paths: Vec<String> = found
            .iter()
            .map(|entry| env.output.clean(entry.path.as_str()))
            .collect();
        let chosen = Select::new()
            .with_prompt(format!("`{name}` is ambiguous"))
            .items(&paths)
            .default(0)
            .interact_opt();
        if let Ok(Some(at)) = chosen {
            return Ok(found.swap_remove(at));
        }
    }
    match found.len() {
        1 => Ok(found.swap_remove(0)),
        0 => {
            let error = Error::new(format!("no note matches `{name}`"));
            let names = view.reading().beginning(Kind::Name, "", usize::MAX);
            Err(match nearest(name, names.map_err(CacheError::from)?) {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error.hint(format!("search the notes with `mem search {name}`")),
            })
        }
        _ => {
            let paths: Vec<&VaultPath> = found.iter().map(|entry| &entry.path).collect();
            Err(ambiguous(name, "notes", "name it by its path:", &paths))
        }
    }
}
