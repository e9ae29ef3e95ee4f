//! Replaces the token table by the sentence encoder once its vectors cover the vault.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use indicatif::HumanCount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Session;
use crate::cache::embedding::upgrade::{Coverage, Upgrade, lacks_many};
use crate::cache::{Cache, CacheError, Slot};
use crate::embed::{EmbedOptions, Embedder, EncoderUse, Provider, embedded, encoder_for, encoders};
use crate::error::{Error, Result};
use crate::output::count;
use crate::output::progress::Progress;
use crate::vault::LockError;

/// Maximum number of notes of a vault whose vectors `sleep` and `watch` compute unasked.
///
/// 20,000 notes have some 50,000 passages: half an hour on two cores.
pub const MAX_NOTES_FOR_ENCODER: u32 = 20_000;

/// Time to compute the vector of an English passage, in seconds: 22 ms on two idle cores.
const SECONDS_PER_PASSAGE: f64 = 0.022;

/// The sentence encoder of a vault that does not use it yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EncoderState {
    /// Number of distinct passages.
    pub passages: usize,
    /// Number of these with a vector of the encoder.
    pub covered: usize,
    /// Estimated time to compute the rest, in seconds.
    pub seconds_left: f64,
    /// Whether the index now uses the encoder.
    pub is_used: bool,
    /// Whether the vault is so large that only `mem index --encoder` computes vectors.
    pub is_large: bool,
}

impl EncoderState {
    fn of(coverage: &Coverage) -> Self {
        let left = coverage.passages - coverage.covered;
        Self {
            passages: coverage.passages,
            covered: coverage.covered,
            seconds_left: (left as f64 * SECONDS_PER_PASSAGE).round(),
            ..Self::default()
        }
    }

    /// Returns the state in one line.
    pub fn summary(&self) -> String {
        if self.is_large {
            let limit = count(MAX_NOTES_FOR_ENCODER as usize, "note");
            return format!("not used above {limit} unless `mem index --encoder` is run");
        }
        let passages = count(self.passages, "passage");
        if self.is_used {
            return format!("the sentence encoder is used now: {passages}");
        }
        let covered = HumanCount(self.covered as u64);
        let time = match (self.seconds_left / 60.0).round() {
            0.0 => "less than a minute".to_owned(),
            minutes => count(minutes as usize, "minute"),
        };
        format!("{covered} of {passages}, {time} of computing left on two idle cores")
    }
}

impl Session {
    /// Fails if the encoder is not available, with the reason.
    pub fn check_encoder(&self) -> Result<()> {
        let options: EmbedOptions = self.settings.of();
        let (why, hint) = if options.provider != Provider::Embedded {
            (
                "`embed.provider` is not \"embedded\"",
                "`mem config embed.provider embedded`",
            )
        } else if options.encoder == EncoderUse::Off {
            (
                "`embed.encoder` is \"off\"",
                "`mem config embed.encoder auto`",
            )
        } else if encoders().is_none() {
            (
                "this mem was built without the sentence encoder",
                "build it with the feature `encoder`",
            )
        } else {
            return Ok(());
        };
        Err(Error::new(why).hint(hint))
    }

    /// Whether the index opened last has vectors of the encoder.
    pub(super) fn uses_encoder(&self) -> bool {
        self.embedder.encoder().is_some()
    }

    /// Returns the change from the token table to the encoder in use, else to the one for the languages of the
    /// notes, if the settings permit it.
    fn upgrade(&self, cache: &Cache) -> Result<Option<Upgrade<'_>>, CacheError> {
        if !self.embedder.permits_encoder() {
            return Ok(None);
        }
        let reading = cache.read()?;
        self.embedder_of(&reading.meta()?);
        let mut encoder = self.embedder.encoder();
        if encoder.is_none() {
            let mut languages = Vec::new();
            reading.scan(|_, row, _| languages.push(row.flags.language()))?;
            encoder = encoder_for(languages);
        }
        Ok(encoder.map(|encoder| Upgrade {
            vault: &self.vault,
            home: &self.homes.cache,
            from: embedded(),
            to: encoder,
        }))
    }

    /// Returns the state of the encoder; `None` if it is in use, disabled, or has nothing to embed.
    pub fn encoder_state(&self, cache: &Cache) -> Result<Option<EncoderState>, CacheError> {
        let upgrade = self.upgrade(cache)?;
        let Some(upgrade) = upgrade.filter(|_| !self.uses_encoder()) else {
            return Ok(None);
        };
        let meta = cache.read()?.meta()?;
        if meta.notes > MAX_NOTES_FOR_ENCODER {
            return Ok(Some(EncoderState {
                is_large: true,
                ..EncoderState::default()
            }));
        }
        if !is_automatic(&upgrade) {
            return Ok(None);
        }
        let state = EncoderState::of(&upgrade.coverage(cache)?);
        Ok(Some(state).filter(|state| state.passages > 0))
    }

    /// Whether a sleep would compute vectors of the encoder.
    pub fn has_encoder_work(&self) -> bool {
        let Ok(cache) = self.open_cache() else {
            return false;
        };
        let meta = cache.read().and_then(|reading| reading.meta());
        let (Ok(meta), Ok(Some(upgrade))) = (meta, self.upgrade(&cache)) else {
            return false;
        };
        let is_due = (1..=MAX_NOTES_FOR_ENCODER).contains(&meta.notes) && is_automatic(&upgrade);
        meta.pending > 0 || !self.uses_encoder() && is_due
    }

    /// Computes vectors of the encoder for at most `time`, and has the index use them once they cover
    /// the vault. Without a limit, also for a large vault.
    ///
    /// Returns `None` if no vectors are missing, or if another process computes them.
    pub fn encode(&self, cache: Cache, time: Option<Duration>) -> Result<Option<EncoderState>> {
        let cache = self.embed_at_once(cache)?;
        let Some(upgrade) = self.upgrade(&cache)? else {
            return Ok(None);
        };
        let meta = cache.read()?.meta()?;
        if self.uses_encoder() {
            upgrade.discard();
            return Ok(None);
        }
        let is_due = meta.notes <= MAX_NOTES_FOR_ENCODER && is_automatic(&upgrade);
        if time.is_some() && !is_due {
            return Ok(None);
        }
        let patience = time.map_or(Duration::MAX, |_| Duration::ZERO);
        let _lock = match upgrade.lock(&self.env.holder(), patience) {
            Ok(lock) => lock,
            Err(LockError::Held { .. }) => return Ok(None),
            // The caches are read-only.
            Err(_) if time.is_some() => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let uses = self.uses(&cache)?;
        let until = time.and_then(|time| Instant::now().checked_add(time));
        let is_due =
            || self.env.stop.is_due() || until.is_some_and(|until| Instant::now() >= until);
        let progress = Progress::new(&self.env.output, "computing vectors of the encoder");
        let at = |done, all| progress.at(done, all);
        let mut cache = cache;
        loop {
            let filled = upgrade.fill(&cache, &uses, &is_due, &at);
            let coverage = filled.map_err(|error| Error::new(error.to_string()))?;
            let mut state = EncoderState::of(&coverage);
            // A switch takes milliseconds.
            if !coverage.is_complete() || self.env.stop.is_due() {
                return Ok(Some(state).filter(|state| state.passages > 0));
            }
            let Some(_lock) = self.lock_unless_read_only()? else {
                return Ok(Some(state));
            };
            cache = self.current_cache(cache)?;
            // A note may have been indexed since.
            if self.uses_encoder() || upgrade.switch(&cache)? {
                self.embedder_of(&cache.read()?.meta()?);
                state.is_used = true;
                return Ok(Some(state));
            }
        }
    }

    /// Returns the number of uses of each used note.
    fn uses(&self, cache: &Cache) -> Result<HashMap<Slot, u64>> {
        let view = self.view(cache)?;
        let entries = view.entries()?;
        let usages = view.usages(&entries)?;
        let uses = entries.iter().zip(usages);
        let uses = uses.map(|(entry, usage)| (entry.slot, usage.accesses));
        Ok(uses.filter(|(_, uses)| *uses > 0).collect())
    }

    /// Has an index with too few vectors of the encoder use the token table again.
    pub(super) fn step_back_if_needed(&self, cache: Cache) -> Result<Cache> {
        let lacks_many = |cache: &Cache| -> Result<Option<u32>, CacheError> {
            let meta = cache.read()?.meta()?;
            self.embedder_of(&meta);
            Ok((self.uses_encoder() && lacks_many(&meta)).then_some(meta.pending))
        };
        if lacks_many(&cache)?.is_none() {
            return Ok(cache);
        }
        let Some(_lock) = self.lock_unless_read_only()? else {
            return Ok(cache);
        };
        let cache = self.current_cache(cache)?;
        if let Some(upgrade) = self.upgrade(&cache)?
            && let Some(pending) = lacks_many(&cache)?
            && let Ok(_lock) = upgrade.lock(&self.env.holder(), Duration::ZERO)
        {
            upgrade.step_back(&cache)?;
            self.embedder_of(&cache.read()?.meta()?);
            self.env.output.say(&format!(
                "{} without vectors of the encoder: the token table is used until `mem sleep`, \
                 `mem watch` or `mem index --encoder` has computed them",
                count(pending as usize, "note")
            ));
        }
        Ok(cache)
    }
}

/// Returns whether `sleep` and `watch` compute vectors for the change.
///
/// For other languages than English only if `mem index --encoder` began: `search` finds more there, but `recall`
/// answers more questions that no note answers, 9 instead of 3 of 30 in an Italian vault.
fn is_automatic(upgrade: &Upgrade<'_>) -> bool {
    let is_english = |[english, _]: [&dyn Embedder; 2]| upgrade.to.model() == english.model();
    encoders().is_some_and(is_english) || upgrade.has_begun()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_summarised_in_one_line() {
        let state = |passages, covered, seconds_left, is_used, is_large| EncoderState {
            passages,
            covered,
            seconds_left,
            is_used,
            is_large,
        };
        for (state, expected) in [
            (
                state(5000, 1200, 84.0, false, false),
                "1,200 of 5,000 passages, 1 minute of computing left on two idle cores",
            ),
            (
                state(1, 0, 0.0, false, false),
                "0 of 1 passage, less than a minute of computing left on two idle cores",
            ),
            (
                state(50_000, 0, 1100.0, false, false),
                "0 of 50,000 passages, 18 minutes of computing left on two idle cores",
            ),
            (
                state(3, 3, 0.0, true, false),
                "the sentence encoder is used now: 3 passages",
            ),
            (
                state(0, 0, 0.0, false, true),
                "not used above 20,000 notes unless `mem index --encoder` is run",
            ),
        ] {
            assert_eq!(state.summary(), expected);
        }
    }
}
