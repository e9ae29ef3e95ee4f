//! Setting one value in a settings file, leaving every other byte of it as it is.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::PathBuf;

use toml_edit::{DocumentMut, Item, Value};

use super::Origin;
use crate::vault::own;

/// Why a settings file was not written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It is no TOML, so that nobody knows what would become of it.
    #[error("`{}` cannot be read: {cause}", .path.display())]
    NotToml {
        /// The file.
        path: PathBuf,
        /// What the parser said.
        cause: String,
    },
    /// A value stands where the table of the setting should.
    #[error("`{}` has a value where the table [{table}] should be", .path.display())]
    NotATable {
        /// The file.
        path: PathBuf,
        /// The table.
        table: String,
    },
    /// The file system refused.
    #[error("cannot write `{}`", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// Sets `key` in the file of `origin`, or removes it; returns whether the file changed.
pub fn write(origin: &Origin, key: &str, value: Option<&toml::Value>) -> Result<bool, FileError> {
    let (Origin::User(path) | Origin::Vault(path)) = origin else {
        return Ok(false);
    };
    let io = |source| FileError::Io {
        path: path.clone(),
        source,
    };
    // Yours may be a link to where you keep such files: then that is what changes.
    let (read, place) = match origin {
        Origin::Vault(_) => (own::read(path), path.clone()),
        _ => (
            fs::read_to_string(path),
            fs::canonicalize(path).unwrap_or_else(|_| path.clone()),
        ),
    };
    let text = match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        read => read.map_err(io)?,
    };
    let changed = changed(&text, key, value).map_err(|error| match error {
        ChangeError::NotToml(cause) => FileError::NotToml {
            path: path.clone(),
            cause,
        },
        ChangeError::NotATable(table) => FileError::NotATable {
            path: path.clone(),
            table,
        },
    })?;
    if changed == text {
        return Ok(false);
    }
    own::write_atomically(&place, changed.as_bytes()).map_err(io)?;
    Ok(true)
}

#[derive(Debug, PartialEq, Eq)]
enum ChangeError {
    NotToml(String),
    NotATable(String),
}

/// Returns `text` with `key` set, or without it.
fn changed(text: &str, key: &str, value: Option<&toml::Value>) -> Result<String, ChangeError> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(1, |before| before.matches('\n').count() + 1);
        ChangeError::NotToml(format!("line {line}: {}", error.message()))
    })?;
    let (table, name) = key.split_once('.').unwrap_or(("", key));
    let not_a_table = || ChangeError::NotATable(table.to_owned());
    let Some(value) = value else {
        if let Some(item) = document.get_mut(table) {
            item.as_table_like_mut()
                .ok_or_else(not_a_table)?
                .remove(name);
        }
        return Ok(document.to_string());
    };
    let new: Value = match value {
        toml::Value::Boolean(truth) => (*truth).into(),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => (*number).into(),
        toml::Value::String(text) => text.as_str().into(),
        other => other.to_string().into(),
    };
    let Some(item) = document.get_mut(table) else {
        // At the end, below comments too: they stand above what they speak of.
        let mut text = text.to_owned();
        if !text.is_empty() {
            text.push_str(if text.ends_with('\n') { "\n" } else { "\n\n" });
        }
        let _ = write!(text, "[{table}]\n{name} = {new}\n");
        return Ok(text);
    };
    let table = item.as_table_like_mut().ok_or_else(not_a_table)?;
    match table.get_mut(name).and_then(Item::as_value_mut) {
        // A comment behind it stays.
        Some(old) => {
            let decor = old.decor().clone();
            *old = new;
            *old.decor_mut() = decor;
        }
        None => {
            table.insert(name, Item::Value(new));
        }
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_changes_and_nothing_else() {
        let all = toml::Value::from("all");
        for (text, value, expected) in [
            ("", Some(&all), "[sleep]\napply = \"all\"\n"),
            (
                "# mine\n[sleep]   # at night\napply = 'none' # why\n\n[x]\ny=1",
                Some(&all),
                "# mine\n[sleep]   # at night\napply = \"all\" # why\n\n[x]\ny=1\n",
            ),
            (
                "sleep.apply = 'none'\n",
                Some(&all),
                "sleep.apply = \"all\"\n",
            ),
            (
                "sleep = { apply = 'none' }\n",
                Some(&all),
                "sleep = { apply = \"all\" }\n",
            ),
            (
                "[index]\n# c\nlanguage = 'none'\n",
                Some(&all),
                "[index]\n# c\nlanguage = 'none'\n\n[sleep]\napply = \"all\"\n",
            ),
            (
                "[index]\nlanguage = 'none'\n# end",
                Some(&all),
                "[index]\nlanguage = 'none'\n# end\n\n[sleep]\napply = \"all\"\n",
            ),
            (
                "[sleep]\napply = 1 # x\n",
                Some(&toml::Value::Integer(2)),
                "[sleep]\napply = 2 # x\n",
            ),
            ("", Some(&toml::Value::Float(0.5)), "[sleep]\napply = 0.5\n"),
            ("[sleep]\napply = 'all'\nx = 1\n", None, "[sleep]\nx = 1\n"),
            ("# c\n", None, "# c\n"),
        ] {
            assert_eq!(changed(text, "sleep.apply", value), Ok(expected.to_owned()));
        }
        assert_eq!(
            changed("sleep = 1", "sleep.apply", Some(&all)),
            Err(ChangeError::NotATable("sleep".to_owned()))
        );
        assert!(matches!(
            changed("[", "sleep.apply", Some(&all)),
            Err(ChangeError::NotToml(_))
        ));
    }

    #[test]
    fn a_link_is_written_through_and_a_vaults_is_not() {
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
        let refused = write(&Origin::Vault(link), "sleep.apply", None);
        assert!(matches!(refused, Err(FileError::Io { .. })), "{refused:?}");
    }
}
