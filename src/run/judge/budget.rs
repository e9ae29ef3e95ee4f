//! The remaining budget of a run: calls, calls per kind of question, tokens.

use std::collections::HashMap;

use super::options::JudgeOptions;

/// Average bytes of a token. Paths and dates in JSON have shorter tokens than prose.
const BYTES_PER_TOKEN: usize = 3;

/// Returns the estimated number of tokens in `bytes` bytes.
pub(super) fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_PER_TOKEN)
}

#[derive(Clone, Debug)]
pub(super) struct Budget {
    calls: usize,
    calls_per_kind: usize,
    tokens: usize,
    /// Calls made so far, by kind.
    calls_of_kind: HashMap<&'static str, usize>,
}

impl Budget {
    pub(super) fn of(options: &JudgeOptions) -> Self {
        Self {
            calls: options.calls,
            calls_per_kind: options.calls_per_kind,
            tokens: options.tokens,
            calls_of_kind: HashMap::new(),
        }
    }

    /// Whether `calls` more calls are allowed, tokens aside.
    pub(super) fn has_room(&self, kind: &'static str, calls: usize) -> bool {
        let calls_of_kind = self.calls_of_kind.get(&kind).copied().unwrap_or(0);
        self.calls >= calls && self.calls_per_kind >= calls_of_kind + calls
    }

    /// Reserves `calls` calls of `tokens` tokens each. Returns false, and reserves nothing, if they
    /// do not fit.
    pub(super) fn reserve(&mut self, kind: &'static str, calls: usize, tokens: usize) -> bool {
        let fits = self.has_room(kind, calls) && self.tokens >= tokens * calls;
        if fits {
            self.calls -= calls;
            self.tokens -= tokens * calls;
            *self.calls_of_kind.entry(kind).or_default() += calls;
        }
        fits
    }

    /// Returns the reservation of a call that was not made.
    pub(super) fn release(&mut self, kind: &'static str, tokens: usize) {
        self.calls += 1;
        self.tokens += tokens;
        *self.calls_of_kind.entry(kind).or_default() -= 1;
    }

    /// Replaces the estimated tokens of a call by the actual ones.
    pub(super) fn correct(&mut self, estimate: usize, tokens: usize) {
        self.tokens = (self.tokens + estimate).saturating_sub(tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_limit_is_exceeded() {
        let options = JudgeOptions {
            calls: 5,
            calls_per_kind: 3,
            tokens: 100,
            ..JudgeOptions::default()
        };
        let mut budget = Budget::of(&options);
        assert!(budget.reserve("merge", 2, 10));
        // Exceeds the calls per kind.
        assert!(!budget.reserve("merge", 2, 10));
        // Exceeds the tokens.
        assert!(!budget.reserve("link", 1, 81));
        assert!(budget.reserve("link", 1, 80));
        assert!(!budget.reserve("link", 1, 1));
        budget.correct(80, 30);
        assert!(budget.reserve("link", 1, 50));
        budget.release("link", 50);
        assert!(budget.reserve("link", 2, 1));
        // Exceeds the calls.
        assert!(!budget.reserve("conflict", 1, 0));
        budget.release("link", 1);
        budget.correct(1, 1_000);
        assert!(!budget.reserve("conflict", 1, 1));
    }
}
