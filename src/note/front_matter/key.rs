//! Paths of properties.
//!
//! A top-level key is a single name with arbitrary characters; a property inside maps is the chain of keys that leads
//! to it. Edits and the command line identify properties by this path.

use std::fmt;
use std::str::FromStr;

use super::as_text::serde_as_text;

/// The path of a property: a top-level key, optionally followed by keys of nested maps. Never empty.
///
/// Its text form separates keys with `.`; a dot in a key is written `\.`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyPath(Vec<String>);

impl KeyPath {
    /// Returns the top-level key.
    pub fn top(&self) -> &str {
        &self.0[0]
    }

    /// Returns all keys, outermost first.
    pub fn keys(&self) -> &[String] {
        &self.0
    }

    /// Returns the path with another top-level key.
    #[must_use]
    pub(crate) fn with_top(&self, top: &str) -> Self {
        let mut keys = self.0.clone();
        top.clone_into(&mut keys[0]);
        Self(keys)
    }

    /// Returns the path of the first `depth` keys, at least one.
    pub(crate) fn first(&self, depth: usize) -> Self {
        Self(self.0[..depth.max(1)].to_vec())
    }

    /// Returns the path of `key` in the map at this path.
    #[must_use]
    pub fn below(&self, key: &str) -> Self {
        let mut keys = self.0.clone();
        keys.push(key.to_owned());
        Self(keys)
    }
}

impl FromStr for KeyPath {
    type Err = String;

    /// Parses the text form: `.` enters a map, `\.` is a dot, `\\` a backslash.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut keys = vec![String::new()];
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            let escaped = letter == '\\' && matches!(letters.peek(), Some('.' | '\\'));
            let letter = if escaped {
                letters.next()
            } else {
                Some(letter)
            };
            match (letter, keys.last_mut()) {
                (Some('.'), _) if !escaped => keys.push(String::new()),
                (Some(letter), Some(key)) => key.push(letter),
                _ => {}
            }
        }
        if keys.iter().any(String::is_empty) {
            let why = "a key is empty; write `\\.` for a dot that is part of a key";
            return Err(why.to_owned());
        }
        Ok(Self(keys))
    }
}

impl<T: Into<String>> From<T> for KeyPath {
    fn from(key: T) -> Self {
        Self(vec![key.into()])
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (depth, key) in self.0.iter().enumerate() {
            if depth > 0 {
                f.write_str(".")?;
            }
            let mut letters = key.chars().peekable();
            while let Some(letter) = letters.next() {
                // A backslash is escaped only where it would start an escape.
                let ambiguous = letter == '\\' && matches!(letters.peek(), None | Some('.' | '\\'));
                if letter == '.' || ambiguous {
                    f.write_str("\\")?;
                }
                write!(f, "{letter}")?;
            }
        }
        Ok(())
    }
}

serde_as_text!(KeyPath);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn dots_separate_keys() {
        for (text, keys) in [
            ("a", Some(&["a"][..])),
            ("a.b.c d", Some(&["a", "b", "c d"])),
            (r"a\.b.c", Some(&["a.b", "c"])),
            (r"a\\.b", Some(&[r"a\", "b"])),
            (r"a\b", Some(&[r"a\b"])),
            ("", None),
            (".", None),
            ("a..b", None),
            ("a.", None),
        ] {
            let path = text.parse::<KeyPath>().ok();
            let expected = keys.map(|keys| keys.iter().map(|key| (*key).to_owned()).collect());
            assert_eq!(path, expected.map(KeyPath), "{text:?}");
        }
        assert_eq!(KeyPath::from("a.b").keys(), ["a.b"]);
        assert_eq!(KeyPath::from("a.b").below("c").to_string(), r"a\.b.c");
    }

    proptest! {
        #[test]
        fn reads_back_as_printed(keys in prop::collection::vec(r"[a.\\]{1,4}", 1..4)) {
            let path = KeyPath(keys);
            prop_assert_eq!(path.to_string().parse::<KeyPath>(), Ok(path));
        }
    }
}
