//! The name of a run: when it was and a little chance, `20261121-055900-k3f9`.
//!
//! Ids sort as runs happened on this machine, also within one second and when the clock was set
//! back: [`RunId::next`] never goes below the newest there is. The true time is in the record. What
//! stands behind the last dash is the short id of a run: no two that a machine knows share one.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use jiff::tz::TimeZone;
use jiff::{Timestamp, civil};

use crate::note::front_matter::as_text::serde_as_text;

/// In ascending order of their bytes, without letters that look like digits.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The name of a run; safe as the name of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(String);

/// Returns the short id of the run whose id is `id`.
pub fn short(id: &str) -> &str {
    id.rsplit('-').next().unwrap_or(id)
}

/// A text that is no run id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a run id")]
pub struct NotARunId(pub String);

impl RunId {
    /// Returns the id of a run at `at`, greater than all that are `known` and of another short id.
    #[must_use]
    pub fn next(at: Timestamp, seed: u64, known: &[Self]) -> Self {
        // The lower half: room above for more runs of the same second.
        let chance = xxhash_rust::xxh3::xxh3_64_with_seed(b"run", seed) & 0x7_ffff;
        let suffix: String = [15, 10, 5, 0]
            .map(|shift| char::from(DIGITS[(chance >> shift) as usize & 31]))
            .iter()
            .collect();
        let mut id = Self(format!("{}-{suffix}", at.strftime("%Y%m%d-%H%M%S")));
        if let Some(newest) = known.iter().max().filter(|newest| **newest >= id) {
            id = newest.successor();
        }
        let taken: HashSet<&str> = known.iter().map(Self::short).collect();
        while taken.contains(id.short()) {
            id = id.successor();
        }
        id
    }

    /// Returns the short id.
    pub fn short(&self) -> &str {
        short(&self.0)
    }

    fn successor(&self) -> Self {
        let mut bytes = self.0.clone().into_bytes();
        let start = self.0.rfind('-').map_or(0, |dash| dash + 1);
        for byte in bytes[start..].iter_mut().rev() {
            let digit = DIGITS.iter().position(|digit| digit == byte).unwrap_or(0);
            *byte = DIGITS[(digit + 1) % DIGITS.len()];
            if digit + 1 < DIGITS.len() {
                return Self(String::from_utf8_lossy(&bytes).into_owned());
            }
        }
        // All at their last digit: a longer text sorts after its beginning.
        Self(format!("{self}0"))
    }

    /// Returns when the run was, to the second, if its name says it.
    pub fn at(&self) -> Option<Timestamp> {
        let moment = civil::DateTime::strptime("%Y%m%d-%H%M%S", self.0.get(..15)?).ok()?;
        let moment = moment.to_zoned(TimeZone::UTC).ok()?;
        Some(moment.timestamp())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for RunId {
    type Err = NotARunId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let good = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_lowercase() || byte == b'-';
        if text.is_empty() || text.len() > 64 || !text.bytes().all(good) || text.starts_with('-') {
            return Err(NotARunId(text.to_owned()));
        }
        Ok(Self(text.to_owned()))
    }
}

serde_as_text!(RunId);

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn sorts_as_runs_happen() {
        let second = at("2026-11-21T05:59:00.7Z");
        let mut known = vec![RunId::next(second, 1, &[])];
        assert!(known[0].as_str().starts_with("20261121-055900-"));
        assert_eq!(known[0].as_str().len(), 20);
        // The same second, a clock set back, and every seed.
        for seed in 0..500 {
            let now = if seed % 2 == 0 {
                second
            } else {
                at("2001-01-01T00:00:00Z")
            };
            let next = RunId::next(now, seed, &known);
            assert!(next > *known.last().unwrap(), "{next} {known:?}");
            assert_eq!(next.as_str().parse(), Ok(next.clone()));
            known.push(next);
        }
        let newest = known.last().unwrap();
        assert_eq!(newest.at(), Some(at("2026-11-21T05:59:00Z")));
        assert_eq!("1-x".parse::<RunId>().unwrap().at(), None);
        let later = RunId::next(at("2026-11-21T05:59:01Z"), 1, &known);
        assert!(later.as_str().starts_with("20261121-055901-") && later > *newest);
        assert!(RunId("1-zzzz".to_owned()).successor() > RunId("1-zzzz".to_owned()));
        assert_eq!(RunId("1-0zzz".to_owned()).successor().as_str(), "1-1000");
    }

    #[test]
    fn no_two_share_a_short_id() {
        let first = RunId::next(at("2026-11-21T05:59:00Z"), 1, &[]);
        let second = RunId::next(at("2026-11-22T05:59:00Z"), 1, std::slice::from_ref(&first));
        assert_eq!(second.at(), Some(at("2026-11-22T05:59:00Z")));
        assert_ne!(first.short(), second.short());
        assert_eq!(RunId("1-zzzz".to_owned()).short(), "zzzz");
    }

    #[test]
    fn is_no_path() {
        for text in ["", "..", "a/b", "-x", "A", "a\0", &"a".repeat(65)] {
            assert!(text.parse::<RunId>().is_err(), "{text:?}");
        }
    }
}
