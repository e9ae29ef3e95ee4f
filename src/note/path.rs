//! Paths of notes in a vault.

use std::fmt;
use std::path::{Component, Path};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// A path relative to the vault's root: parts separated by `/`, no `.`, `..`, root or empty part.
///
/// The text of the path cannot leave the vault; the vault itself checks symlinks.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct VaultPath(String);

/// A path that is not inside a vault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a path inside the vault")]
pub struct OutsideVault(pub String);

impl VaultPath {
    /// Parses a path, accepting `./` and doubled slashes.
    ///
    /// # Errors
    ///
    /// An absolute path, a `..` part, a NUL byte or an empty path is refused.
    pub fn new(text: &str) -> Result<Self, OutsideVault> {
        let outside = || OutsideVault(text.to_owned());
        // Fast path: nearly all of the many paths are in this form.
        let plain = |part: &str| !matches!(part, "" | "." | "..");
        if text.split('/').all(plain) && !text.contains('\0') {
            return Ok(Self(text.to_owned()));
        }
        let mut parts = Vec::new();
        for component in Path::new(text).components() {
            match component {
                Component::Normal(part) => parts.push(part.to_str().ok_or_else(outside)?),
                Component::CurDir => {}
                _ => return Err(outside()),
            }
        }
        if parts.is_empty() || text.contains('\0') {
            return Err(outside());
        }
        Ok(Self(parts.join("/")))
    }

    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the path of its folder; empty for the root.
    pub fn folder(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Returns the file name without its `.md`.
    pub fn stem(&self) -> &str {
        let name = self
            .0
            .rsplit_once('/')
            .map_or(self.0.as_str(), |(_, name)| name);
        without_ending(name)
    }

    /// Returns the path without its `.md`.
    pub fn without_ending(&self) -> &str {
        let name = self
            .0
            .rsplit_once('/')
            .map_or(self.0.as_str(), |(_, name)| name);
        &self.0[..self.0.len() - name.len() + self.stem().len()]
    }
}

/// Returns a path or link target without its `.md`; `None` for other endings.
pub fn strip_ending(path: &str) -> Option<&str> {
    let (rest, ending) = path.split_at_checked(path.len().checked_sub(3)?)?;
    ending.eq_ignore_ascii_case(".md").then_some(rest)
}

/// Returns a file name without its `.md`.
pub fn without_ending(name: &str) -> &str {
    let rest = strip_ending(name).filter(|rest| !rest.is_empty());
    rest.unwrap_or(name)
}

impl fmt::Display for VaultPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for VaultPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VaultPath({:?})", self.0)
    }
}

impl AsRef<Path> for VaultPath {
    fn as_ref(&self) -> &Path {
        Path::new(&self.0)
    }
}

impl<'de> Deserialize<'de> for VaultPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::new(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside_the_vault() {
        for (text, expected) in [
            ("a.md", Some("a.md")),
            ("./a//b.md", Some("a/b.md")),
            ("../a.md", None),
            ("a/../../b.md", None),
            ("/etc/passwd", None),
            ("", None),
            (".", None),
            ("a\0.md", None),
        ] {
            let got = VaultPath::new(text).ok();
            assert_eq!(got.as_ref().map(VaultPath::as_str), expected, "{text:?}");
        }
    }

    #[test]
    fn parts() {
        for (text, folder, stem, without_ending) in [
            ("a.md", "", "a", "a"),
            ("x/y/Tea Time.MD", "x/y", "Tea Time", "x/y/Tea Time"),
            ("v1.2.md", "", "v1.2", "v1.2"),
            (".md", "", ".md", ".md"),
            ("日記.md", "", "日記", "日記"),
            ("no-ending", "", "no-ending", "no-ending"),
        ] {
            let path = VaultPath::new(text).unwrap();
            assert_eq!(
                (path.folder(), path.stem(), path.without_ending()),
                (folder, stem, without_ending),
                "{text}"
            );
        }
    }
}
