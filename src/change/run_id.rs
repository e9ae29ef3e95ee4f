//! Ids of runs: the time and a random suffix, `20261121-055900-k3f9`.
//!
//! Ids sort in the order of runs on this machine, even within one second or after the clock was set
//! back. [`RunId::next`] always exceeds the newest id. The record contains the true time. The part
//! after the last dash is the short id, unique among the runs known to a machine.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use jiff::tz::TimeZone;
use jiff::{Timestamp, civil};

use crate::note::front_matter::as_text::serde_as_text;

/// Digits in ascending byte order, without letters that look like digits.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The id of a run; safe as a folder name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(String);

/// Returns the short id of the run `id`.
pub fn short(id: &str) -> &str {
    id.rsplit('-').next().unwrap_or(id)
}

/// The error for an invalid run id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a run id")]
pub struct InvalidRunId(pub String);

impl RunId {
    /// Returns an id for a run at `at` that exceeds all `known` ones and has a new short id.
    pub fn next(at: Timestamp, seed: u64, known: &[Self]) -> Self {
        // The lower half of the range, so there is room for more runs in the same second.
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
        // All digits are at their maximum: a longer text sorts after its prefix.
        Self(format!("{self}0"))
    }

    /// Returns the time of the run to the second, if the id contains it.
    pub fn at(&self) -> Option<Timestamp> {
        let moment = civil::DateTime::strptime("%Y%m%d-%H%M%S", self.0.get(..15)?)
            .ok()?
            .to_zoned(TimeZone::UTC)
            .ok()?;
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
    type Err = InvalidRunId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_allowed =
            |byte: u8| byte.is_ascii_digit() || byte.is_ascii_lowercase() || byte == b'-';
        if text.is_empty()
            || text.len() > 64
            || !text.bytes().all(is_allowed)
            || text.starts_with('-')
        {
            return Err(InvalidRunId(text.to_owned()));
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
    fn ids_sort_by_run_order() {
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
    fn short_ids_are_unique() {
        let first = RunId::next(at("2026-11-21T05:59:00Z"), 1, &[]);
        let second = RunId::next(at("2026-11-22T05:59:00Z"), 1, std::slice::from_ref(&first));
        assert_eq!(second.at(), Some(at("2026-11-22T05:59:00Z")));
        assert_ne!(first.short(), second.short());
        assert_eq!(RunId("1-zzzz".to_owned()).short(), "zzzz");
    }

    #[test]
    fn paths_are_invalid_ids() {
        for text in ["", "..", "a/b", "-x", "A", "a\0", &"a".repeat(65)] {
            assert!(text.parse::<RunId>().is_err(), "{text:?}");
        }
    }
}
