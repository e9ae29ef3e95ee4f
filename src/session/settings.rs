//! Reads and writes the files with settings.

use std::fs;
use std::io;
use std::path::PathBuf;

use toml::Value;

use super::Environment;
use crate::config::edit::with_value;
use crate::config::{Origin, Settings};
use crate::error::{Error, Result};
use crate::vault::{CONFIG, RULES, Vault, if_found, own_files};

/// The table of settings that contains saved queries.
pub const SAVED_QUERIES: &str = "queries";

impl Environment {
    /// Reads the settings that apply in a vault, or outside of any.
    pub fn settings(&self, vault: Option<&Vault>) -> Settings {
        let user = Origin::User(self.user_settings());
        let vault = vault.map(|vault| Origin::Vault(settings_file(vault)));
        let origins: Vec<Origin> = [user].into_iter().chain(vault).collect();
        let files = origins.iter().map(|origin| (origin.clone(), read(origin)));
        let mut settings = Settings::load(self.schema, files, |name| std::env::var(name).ok());
        for origin in origins {
            let rules = sibling(origin, RULES);
            if let Some(text) = if_found(read(&rules)).transpose() {
                settings.add_rules(rules, text.map_err(|error| error.to_string()));
            }
        }
        settings
    }

    /// Returns the user's settings file.
    pub fn user_settings(&self) -> PathBuf {
        self.folders.config.join(CONFIG)
    }
}

/// Returns the path of a file next to that of a layer.
fn sibling(origin: Origin, name: &str) -> Origin {
    match origin {
        Origin::User(path) => Origin::User(path.with_file_name(name)),
        Origin::Vault(path) => Origin::Vault(path.with_file_name(name)),
        other => other,
    }
}

/// Returns the settings file of a vault.
pub fn settings_file(vault: &Vault) -> PathBuf {
    vault.own_path(CONFIG)
}

/// Sets or removes `key` in the file of `origin`; returns whether the file changed.
pub fn write(origin: &Origin, key: &str, value: Option<&Value>) -> Result<bool> {
    let (Origin::User(path) | Origin::Vault(path)) = origin else {
        return Ok(false);
    };
    let failed = |error: io::Error| Error::io("write", path, &error);
    let text = if_found(read(origin)).map_err(failed)?.unwrap_or_default();
    let changed = with_value(&text, key, value).map_err(|why| {
        Error::new(format!("`{}` {why}", path.display())).hint("fix it in an editor first")
    })?;
    if changed == text {
        return Ok(false);
    }
    let target = match origin {
        Origin::User(_) => fs::canonicalize(path).unwrap_or_else(|_| path.clone()),
        _ => path.clone(),
    };
    own_files::write_atomically(&target, changed.as_bytes()).map_err(failed)?;
    Ok(true)
}

/// Reads a settings file.
///
/// The user's file may be a link, which is followed. A vault's file may link anywhere, so it is
/// not.
fn read(origin: &Origin) -> io::Result<String> {
    match origin {
        Origin::User(path) => fs::read_to_string(path),
        Origin::Vault(path) => own_files::read(path),
        _ => Err(io::ErrorKind::NotFound.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_link_is_followed_and_a_vaults_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "# c\n").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let value = toml::Value::from("none");
        let written = write(&Origin::User(link.clone()), "sleep.apply", Some(&value));
        assert!(written.unwrap());
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let text = "# c\n\n[sleep]\napply = \"none\"\n";
        assert_eq!(fs::read_to_string(&real).unwrap(), text);
        let refused = write(&Origin::Vault(link), "sleep.apply", None).unwrap_err();
        assert!(
            refused.message().starts_with("cannot write `"),
            "{refused:?}"
        );
    }
}
