//! Hashes of text, to detect changed and equal notes.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::str::FromStr;

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};
use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::note::front_matter::as_text::serde_as_text;

/// A map whose keys are hashes already.
pub type ByHash<T> = HashMap<u64, T, BuildHasherDefault<IdentityHasher>>;

/// A hasher that returns its input.
#[derive(Debug, Default)]
pub struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn write(&mut self, _: &[u8]) {
        unreachable!("only a u64 is a hash");
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The xxh3-128 hash of a file's bytes.
///
/// Not cryptographic: it detects changes, but an attacker can cause collisions.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
#[repr(transparent)]
pub struct ContentHash(pub u128);

impl ContentHash {
    /// Returns the hash of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(xxh3_128(bytes))
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

impl FromStr for ContentHash {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u128::from_str_radix(text, 16).map(Self)
    }
}

serde_as_text!(ContentHash);

/// Returns the hash of `text` with normalised case and white space; 0 for a blank text.
pub fn normal_hash(text: &str) -> u64 {
    let mut normal = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !normal.is_empty() {
            normal.push(' ');
        }
        if word.is_ascii() {
            normal.extend(
                word.bytes()
                    .map(|byte| char::from(byte.to_ascii_lowercase())),
            );
        } else {
            normal.extend(word.chars().flat_map(char::to_lowercase));
        }
    }
    if normal.is_empty() {
        0
    } else {
        xxh3_64(normal.as_bytes()).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_as_text() {
        for bytes in [&b""[..], b"a", b"\0\xff"] {
            let hash = ContentHash::of(bytes);
            assert_eq!(hash.to_string().parse(), Ok(hash));
        }
        assert_ne!(ContentHash::of(b"a"), ContentHash::of(b"b"));
    }

    #[test]
    fn normal_hash_ignores_case_and_space() {
        assert_eq!(normal_hash(" Green\n tea "), normal_hash("green TEA"));
        assert_ne!(normal_hash("green tea"), normal_hash("greentea"));
        assert_eq!(normal_hash(" \n"), 0);
    }
}
