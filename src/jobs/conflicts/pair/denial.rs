//! Compares negations and definitions: one statement denies what the other affirms, or defines a thing otherwise.

use super::{Evidence, Pair, TagOverlap, are_exclusive, stems};
use crate::jobs::conflicts::{
    lexicon::{Marker, Role},
    parsed_note::ParsedNote,
    state_change,
    statement::ConflictStatement,
    token::{VerbForm, WordToken},
};
use crate::note::words::english::Class;

impl Pair<'_> {
    /// `a` denies what `b` affirms.
    pub(super) fn denial(&self) -> Option<Evidence> {
        let at = self.a.negation.filter(|_| !self.b.is_negated)?;
        let words = &self.a.words;
        let next = words.get(at + 1)?;
        // `No, …`, `said no to`, `may not`, `not only`, `couldn't agree more` do not deny anything.
        if next.is_after_break
            || matches!(next.class, Class::Only | Class::To)
            || at > 0 && words[at - 1].class == Class::May
            || words[at..]
                .iter()
                .any(|word| matches!(word.class, Class::More | Class::Longer))
        {
            return None;
        }
        let ends = |at: &usize| words[*at].is_after_break || words[*at].class == Class::And;
        let end = (at + 1..words.len()).find(ends).unwrap_or(words.len());
        let denied = stems(&words[at..end]);
        let cover = self.shared.len() as f32 / self.a.content.len() as f32;
        if denied.is_empty() || self.shared.len() < 2 || denied.len() < 2 && cover < 0.7 {
            return None;
        }
        // `Ann is allergic`, `Ben is not allergic`
        if self.context.is_asked && self.has_other_names() {
            return None;
        }
        // `Trains leave from platform 6`, `Trains do not leave from platform 2`
        let number = |word: &WordToken| word.number.as_ref().map(|number| number.digits.clone());
        let theirs: Vec<String> = self.b.words.iter().filter_map(number).collect();
        let mut numbers = words[at..end].iter().filter_map(number);
        if !theirs.is_empty() && numbers.any(|number| !theirs.contains(&number)) {
            return None;
        }
        // `without` in `b` may express the same denial.
        if self.b.words.iter().any(|word| word.class == Class::Without) {
            return None;
        }
        // A negated opposite has the same meaning.
        let opposite = self.a.value_words.iter().any(|ours| {
            self.b.value_words.iter().any(|theirs| {
                let (ours, theirs) = (&words[*ours], &self.b.words[*theirs]);
                are_exclusive(ours, theirs)
            })
        });
        if opposite {
            return None;
        }
        let has = |stem: &&u64| self.b.has(**stem);
        let share = denied.iter().filter(has).count() as f32 / denied.len() as f32;
        // Conversation denies much that was never stated: `can't wait to see it`.
        if (self.context.is_same_speaker.is_some() || self.is_same_person()) && share < 0.75 {
            return None;
        }
        let score = 0.5 * share + 0.3 * cover + 0.2 * self.overlap();
        let cue = format!(
            "\u{201c}{}\u{201d}",
            self.first_source(at..(at + 4).min(words.len()))
        );
        Some(Evidence::new(score, cue))
    }

    /// `a` states that something never happened which `b` reports: `never met Ann`, `met Ann in May`.
    pub(super) fn never_happened(&self) -> Option<Evidence> {
        let writes = |statement: &ConflictStatement| {
            let mut words = statement.words.iter();
            words.any(|word| word.marker == Marker::Writer)
        };
        // Notes with the same tags or space have the same writer.
        let is_one = self.is_same_person()
            || (self.context.tags == TagOverlap::All || self.context.is_same_space)
                && writes(self.a)
                && writes(self.b);
        if !is_one || self.b.is_negated {
            return None;
        }
        let words = &self.a.words;
        let at = words.iter().position(|word| word.marker == Marker::Never)?;
        let ends = |at: &usize| words[*at].is_after_break || words[*at].class == Class::And;
        let end = (at + 1..words.len()).find(ends).unwrap_or(words.len());
        let denied = &words[at + 1..end];
        // `b` must report it as past, not as a plan.
        let b = &self.b.words;
        let told = b.iter().position(|word| word.form == VerbForm::Past)?;
        if state_change::is_open(b, told) {
            return None;
        }
        let says: Vec<&WordToken> = denied.iter().filter(|word| word.is_content()).collect();
        let found = says.iter().filter(|word| self.b.has(word.stem)).count();
        let named = says
            .iter()
            .any(|word| word.is_name && self.b.has(word.stem));
        if found * 2 < says.len() || found < 2 && !named {
            return None;
        }
        let share = found as f32 / says.len() as f32;
        let cue = format!("\u{201c}{}\u{201d}", self.first_source(at..end));
        Some(Evidence::new(0.4 + 0.3 * share, cue))
    }

    /// Both define a named thing; the predicate of `a`, the shorter one, is missing in `b`.
    pub(super) fn other_definition(&self) -> Option<Evidence> {
        if !self.compares_all()
            || self.is_same_person()
            || self.a.content.len() > self.b.content.len()
            || self.a.is_negated
            || self.a.words.iter().any(|word| word.class == Class::Or)
        {
            return None;
        }
        let (ours, theirs) = (copula_position(self.a)?, copula_position(self.b)?);
        let words = &self.a.words;
        // Properties and activities are many; a definition has an article.
        let has_article = |words: &[WordToken], at: usize| {
            words
                .get(at + 1)
                .is_some_and(|word| word.class == Class::Article)
        };
        if self.context.is_asked
            && !(has_article(words, ours) && has_article(&self.b.words, theirs))
        {
            return None;
        }
        let subject = stems(&words[..ours]);
        let has = |stem: &u64| self.b.has(*stem);
        let of_both = stems(&self.b.words[..theirs]);
        let mut names = subject.iter().filter(|stem| of_both.contains(stem));
        // In conversation the first word of a sentence is rarely a name, and an opinion does not define anything.
        let is_talk = self.context.is_same_speaker.is_some();
        let is_name = |stem: &u64| {
            if is_talk {
                self.is_surely_name(*stem)
            } else {
                self.is_name(*stem)
            }
        };
        if !names.any(is_name) {
            return None;
        }
        // If all numbers or dates recur in `b`, the rest is a paraphrase.
        let repeated = |at: &usize| {
            let number = words[*at].number.as_deref();
            self.b
                .numbers
                .iter()
                .any(|index| self.b.words[*index].number.as_deref() == number)
        };
        if !self.a.numbers.is_empty() && self.a.numbers.iter().all(repeated) {
            return None;
        }
        let rest = words[ours..].iter();
        let predicate = rest.filter(|word| word.is_content() && !subject.contains(&word.stem));
        let missing = predicate
            .clone()
            .filter(|word| !has(&word.stem) && !self.has_common_prefix(word))
            .count();
        if missing == 0 {
            return None;
        }
        let share = missing as f32 / predicate.count() as f32;
        let covered = subject.iter().filter(|stem| has(stem)).count() as f32 / subject.len() as f32;
        let mut score = 0.25 + 0.15 * covered + 0.2 * share;
        if words
            .get(ours + 1)
            .is_some_and(|word| word.class == Class::Article)
        {
            score += 0.1;
        }
        let cue = format!(
            "\u{201c}{}\u{201d}",
            self.first_source(ours..words.len().min(ours + 5))
        );
        Some(Evidence::new(score, cue))
    }

    /// Returns true if each statement begins with a name that the other lacks.
    fn has_other_names(&self) -> bool {
        let lacks = |ours: &ConflictStatement, theirs: &ConflictStatement| {
            ours.words.first().is_some_and(|word| {
                let is_name = word.is_name || word.may_be_name && word.role == Role::Plain;
                is_name && !theirs.has(word.stem)
            })
        };
        lacks(self.a, self.b) && lacks(self.b, self.a)
    }

    /// Returns true if the second statement has a word with the same first letters: `Europe`, `European`.
    fn has_common_prefix(&self, word: &WordToken) -> bool {
        const PREFIX_CHARS: usize = 5;
        let prefix = |note: &'_ ParsedNote, word: &WordToken| -> Vec<char> {
            let text = note.source(std::slice::from_ref(word));
            text.chars().take(PREFIX_CHARS).collect()
        };
        let ours = prefix(self.notes[0], word);
        let mut theirs = self.b.words.iter();
        ours.len() == PREFIX_CHARS && theirs.any(|word| prefix(self.notes[1], word) == ours)
    }
}

/// Returns the position of the finite form of `be` in a statement that has a subject.
fn copula_position(statement: &ConflictStatement) -> Option<usize> {
    let words = &statement.words;
    (1..words.len()).find(|at| words[*at].class == Class::Be && words[*at].form == VerbForm::Finite)
}
