//! What a run may still spend: calls, calls about one kind of question, tokens.

use std::collections::HashMap;

use super::options::JudgeOptions;

/// About so many bytes are a token: JSON with paths and dates has shorter ones than prose.
const BYTES_A_TOKEN: usize = 3;

/// Returns about how many tokens so many bytes are.
pub(super) fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_A_TOKEN)
}

#[derive(Clone, Debug)]
pub(super) struct Budget {
    calls: usize,
    calls_per_kind: usize,
    tokens: usize,
    /// Calls about each kind so far.
    of_kind: HashMap<&'static str, usize>,
}

impl Budget {
    pub(super) fn of(options: &JudgeOptions) -> Self {
        Self {
            calls: options.calls,
            calls_per_kind: options.calls_per_kind,
            tokens: options.tokens,
            of_kind: HashMap::new(),
        }
    }

    /// Returns true if there are so many calls left, of however many tokens.
    pub(super) fn has(&self, kind: &'static str, calls: usize) -> bool {
        let of_kind = self.of_kind.get(&kind).copied().unwrap_or(0);
        self.calls >= calls && self.calls_per_kind >= of_kind + calls
    }

    /// Takes so many calls of so many tokens each, or nothing and returns false.
    pub(super) fn take(&mut self, kind: &'static str, calls: usize, tokens: usize) -> bool {
        let is_there = self.has(kind, calls) && self.tokens >= tokens * calls;
        if is_there {
            self.calls -= calls;
            self.tokens -= tokens * calls;
            *self.of_kind.entry(kind).or_default() += calls;
        }
        is_there
    }

    /// Puts back what a call did not take that was not made.
    pub(super) fn put_back(&mut self, kind: &'static str, tokens: usize) {
        self.calls += 1;
        self.tokens += tokens;
        *self.of_kind.entry(kind).or_default() -= 1;
    }

    /// Takes what a call took beyond the estimate, or puts back the rest.
    pub(super) fn correct(&mut self, estimate: usize, tokens: usize) {
        self.tokens = (self.tokens + estimate).saturating_sub(tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cap_is_passed() {
        let options = JudgeOptions {
            calls: 5,
            calls_per_kind: 3,
            tokens: 100,
            ..JudgeOptions::default()
        };
        let mut budget = Budget::of(&options);
        assert!(budget.take("merge", 2, 10));
        // Of the kind.
        assert!(!budget.take("merge", 2, 10));
        // Of the tokens.
        assert!(!budget.take("link", 1, 81));
        assert!(budget.take("link", 1, 80));
        assert!(!budget.take("link", 1, 1));
        budget.correct(80, 30);
        assert!(budget.take("link", 1, 50));
        budget.put_back("link", 50);
        assert!(budget.take("link", 2, 1));
        // Of all calls.
        assert!(!budget.take("conflict", 1, 0));
        budget.put_back("link", 1);
        budget.correct(1, 1_000);
        assert!(!budget.take("conflict", 1, 1));
    }
}
