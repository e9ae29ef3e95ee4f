//! Evaluates rules in turns: each acts on notes as left by the earlier ones, until none has anything to do.
//!
//! A note on which a rule acts repeatedly without end is in a cycle; nothing is done to it. The turns are
//! simulated on texts in memory, with the same edits and parsing as later on disk. Two rules can also form a cycle
//! across runs through their vault-wide conditions. For example, one forgets at `notes:>500`, and the rest
//! is below the `notes:<400` at which another restores all of it.

use super::action::RuleAction;
use super::condition::VaultTotals;
use super::rule::{MAX_NAMED_NOTES, Rule, RuleResult, is_refused};
use crate::cache::Details;
use crate::finding::first_names;
use crate::jobs::prelude::*;
use crate::note::edit;
use crate::recall::Matcher;

/// Rules that would change a note endlessly.
#[derive(Debug)]
pub(super) struct RuleCycle {
    rules: Vec<String>,
    notes: Vec<String>,
}

impl fmt::Display for RuleCycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules: Vec<String> = self.rules.iter().map(|rule| format!("`{rule}`")).collect();
        let notes = first_names(self.notes.iter(), MAX_NAMED_NOTES);
        write!(
            f,
            "the rules {} would change {notes} endlessly, each undoing another; none of them is applied",
            rules.join(", ")
        )
    }
}

/// State of one rule.
pub(super) struct RuleState<'r, 'q> {
    verdict: RuleResult<'r>,
    action: &'r RuleAction,
    matcher: Option<Matcher<'q>>,
    /// Positions of the matching notes, ascending.
    found: Vec<usize>,
    is_allowed: bool,
    /// Number of changed notes, of people and of mem or agents.
    changed: [usize; 2],
}

impl RuleState<'_, '_> {
    /// Returns true if its limit is reached, which applies separately to unasked acts and questions.
    fn is_at_limit(&self, entry: &Entry) -> bool {
        let changed = self.changed[usize::from(entry.is_managed())];
        let limit = self.verdict.rule.limit;
        limit.is_some_and(|limit| changed >= limit)
    }
}

pub(super) struct TurnSimulation<'t, 'r, 'q> {
    pub(super) view: &'t View<'t>,
    pub(super) entries: &'t [Entry],
    pub(super) answers: &'t Answers,
    pub(super) states: Vec<RuleState<'r, 'q>>,
    /// True if rules of the vault need no confirmation.
    pub(super) trusts_vault: bool,
}

/// Evaluates the vault-wide conditions of a rule.
type ConditionCheck<'h> = dyn Fn(&Rule, &VaultTotals) -> bool + 'h;

/// Result of the turns on one note.
#[derive(Default)]
struct TurnResult {
    /// Acts in order, with the number of the rule.
    acts: Vec<(usize, Act)>,
    /// Rules whose edit cannot be applied.
    failed: Vec<usize>,
}

/// A note after the acts of some rules.
struct NoteState {
    entry: Entry,
    properties: Map<String, Value>,
    /// New text and details; `None` if still as in the catalog.
    changed: Option<(String, Details)>,
}

impl<'r, 'q> TurnSimulation<'_, 'r, 'q> {
    /// Adds a rule, which acts only if `is_allowed`.
    pub(super) fn add(
        &mut self,
        rule: &'r Rule,
        action: &'r RuleAction,
        matcher: Option<Matcher<'q>>,
        holds: bool,
        is_allowed: bool,
    ) -> Result<()> {
        let mut found = Vec::new();
        if let Some(matcher) = matcher.as_ref().filter(|_| holds) {
            for (at, entry) in self.entries.iter().enumerate() {
                if matcher.holds(entry)? {
                    found.push(at);
                }
            }
        }
        self.states.push(RuleState {
            changed: [0; 2],
            verdict: RuleResult {
                rule,
                holds,
                found: found.iter().map(|at| self.entries[*at].clone()).collect(),
                acts: Vec::new(),
                asked: HashSet::new(),
                left: Vec::new(),
            },
            action,
            matcher,
            found,
            is_allowed,
        });
        Ok(())
    }

    /// Returns the result of each rule, and the cycles.
    pub(super) fn run(
        mut self,
        holds: &ConditionCheck<'_>,
    ) -> Result<(Vec<RuleResult<'r>>, Vec<RuleCycle>)> {
        let mut cycles: Vec<RuleCycle> = Vec::new();
        let mut touched: Vec<usize> = self
            .states
            .iter()
            .flat_map(|one| one.found.clone())
            .collect();
        touched.sort_unstable();
        touched.dedup();
        for at in touched {
            let all_rules = self.turns(at, |_| true)?;
            if let Err(rules) = all_rules {
                let path = self.entries[at].path.to_string();
                match cycles.iter_mut().find(|cycle| cycle.rules == rules) {
                    Some(cycle) => cycle.notes.push(path),
                    None => cycles.push(RuleCycle {
                        rules,
                        notes: vec![path],
                    }),
                }
                continue;
            }
            let result = if self.states.iter().all(|state| state.is_allowed) {
                all_rules
            } else {
                self.turns(at, |state| state.is_allowed)?
            };
            let TurnResult { acts, failed } = result.unwrap_or_default();
            let mut is_asked = false;
            for (number, act) in acts {
                is_asked |= self.needs_approval(number, at)?;
                let entry = &self.entries[at];
                let one = &mut self.states[number];
                // Acts that depend on an unconfirmed one wait with it.
                if is_asked {
                    one.verdict.asked.insert(entry.slot);
                }
                one.changed[usize::from(entry.is_managed())] += 1;
                one.verdict.acts.push((entry.clone(), act));
            }
            self.record_skipped(at, &failed)?;
        }
        if let Some(cycle) = self.cycle_of_conditions(holds)? {
            cycles.push(cycle);
        }
        let verdicts = self.states.into_iter().map(|state| state.verdict);
        Ok((verdicts.collect(), cycles))
    }

    /// Returns true if a rule of the vault would hide a note or lose data.
    fn needs_approval(&self, state: usize, at: usize) -> Result<bool> {
        let state = &self.states[state];
        if self.trusts_vault || !state.verdict.rule.is_of_vault() {
            return Ok(false);
        }
        let details = self.view.details(self.entries[at].slot)?;
        Ok(state.action.can_lose(&details.properties()))
    }

    /// Simulates the turns on one note; returns the acts, or the names of the rules in a cycle.
    fn turns(
        &self,
        at: usize,
        is_allowed: impl Fn(&RuleState<'_, '_>) -> bool,
    ) -> Result<Result<TurnResult, Vec<String>>> {
        let mut note = self.note_state(at)?;
        let (mut acts, mut failed) = (Vec::new(), Vec::new());
        loop {
            let before = acts.len();
            for (number, state) in self.states.iter().enumerate() {
                let is_inactive = !is_allowed(state)
                    || !state.verdict.holds
                    || state.is_at_limit(&note.entry)
                    || failed.contains(&number);
                if is_inactive || !Self::holds(state, at, &note)? {
                    continue;
                }
                let Some(act) = self.act(state, at, &note)? else {
                    continue;
                };
                let times = |number: usize| acts.iter().filter(|(who, _)| *who == number).count();
                // All rules that acted twice by now belong to the cycle.
                if times(number) == 2 {
                    let states = self.states.iter().enumerate();
                    let cycle = states.filter(|(number, _)| times(*number) == 2);
                    let rules = cycle.map(|(_, state)| state.verdict.rule.name.clone());
                    return Ok(Err(rules.collect()));
                }
                let is_trashed = matches!(act, Act::Trash { .. });
                let is_only_rule = self.states.len() == 1;
                if !is_trashed && !is_only_rule {
                    if let Some(after) = self.after(&note, at, &act) {
                        note = after;
                    } else {
                        failed.push(number);
                        continue;
                    }
                }
                acts.push((number, act));
                if is_trashed || is_only_rule {
                    return Ok(Ok(TurnResult { acts, failed }));
                }
            }
            if acts.len() == before {
                return Ok(Ok(TurnResult { acts, failed }));
            }
        }
    }

    fn note_state(&self, at: usize) -> Result<NoteState> {
        let entry = self.entries[at].clone();
        let properties = self.view.details(entry.slot)?.properties();
        Ok(NoteState {
            entry,
            properties,
            changed: None,
        })
    }

    fn holds(state: &RuleState<'_, '_>, at: usize, note: &NoteState) -> Result<bool> {
        match (&state.matcher, &note.changed) {
            (None, _) => Ok(false),
            (_, None) => Ok(state.found.binary_search(&at).is_ok()),
            (Some(matcher), Some((_, details))) => matcher.holds_as(&note.entry, details.clone()),
        }
    }

    fn act(&self, state: &RuleState<'_, '_>, at: usize, note: &NoteState) -> Result<Option<Act>> {
        let NoteState {
            entry, properties, ..
        } = note;
        let options = &self.view.signal_options().lifecycle;
        let now = self.view.now.timestamp();
        let rule = state.verdict.rule;
        let act = state.action.act(entry, properties, now, &rule.reason());
        let mut is_protected = state
            .action
            .protection(entry, properties, options)
            .is_some();
        if act.is_some() && !is_protected && note.changed.is_some() {
            // An earlier rule cannot remove the protection.
            let now = self.note_state(at)?;
            let protection = state
                .action
                .protection(&now.entry, &now.properties, options);
            is_protected = protection.is_some();
        }
        Ok(match act {
            Some(act) if !is_protected => {
                let refused = is_refused(self.view, self.answers, rule, &self.entries[at])?;
                (!refused).then_some(act)
            }
            _ => None,
        })
    }

    /// Returns the note after `act`; `None` if it cannot be applied.
    fn after(&self, before: &NoteState, at: usize, act: &Act) -> Option<NoteState> {
        let Act::Edit { edits, .. } = act else {
            return None;
        };
        let old_text = match &before.changed {
            Some((text, _)) => text.clone(),
            None => self.view.text(&self.entries[at]).ok()?,
        };
        let text = edit::apply(&old_text, edits).ok()?;
        let (entry, details) = self.view.as_if(&self.entries[at], &text);
        Some(NoteState {
            properties: details.properties(),
            entry,
            changed: Some((text, details)),
        })
    }

    /// Simulates the next run to find cycles through vault-wide conditions.
    ///
    /// After the current acts the vault may satisfy the condition of another rule, whose acts on the same notes may
    /// restore the condition of the first. Then neither acts on these notes.
    fn cycle_of_conditions(&mut self, holds: &ConditionCheck<'_>) -> Result<Option<RuleCycle>> {
        let asks = |state: &RuleState<'_, '_>| state.verdict.rule.has_vault_condition();
        let acts = |state: &RuleState<'_, '_>| asks(state) && !state.verdict.acts.is_empty();
        if !self.states.iter().any(acts) {
            return Ok(None);
        }
        let mut entries = self.entries.to_vec();
        let mut changed: Vec<(usize, NoteState)> = Vec::new();
        let mut acts: HashMap<Slot, Vec<&Act>> = HashMap::new();
        for state in &self.states {
            for (entry, act) in &state.verdict.acts {
                acts.entry(entry.slot).or_default().push(act);
            }
        }
        for (at, entry) in self.entries.iter().enumerate() {
            let Some(acts) = acts.get(&entry.slot) else {
                continue;
            };
            let mut note = Some(self.note_state(at)?);
            for act in acts {
                note = note.and_then(|before| self.after(&before, at, act));
            }
            // No rule restores notes from the trash.
            if let Some(note) = note {
                entries[at] = note.entry.clone();
                changed.push((at, note));
            }
        }
        let numbers = VaultTotals::of(&entries);
        let mut back: Vec<(usize, usize, NoteState)> = Vec::new();
        for (number, state) in self.states.iter().enumerate() {
            if state.verdict.holds || !holds(state.verdict.rule, &numbers) {
                continue;
            }
            for (at, note) in &changed {
                if Self::holds(state, *at, note)?
                    && let Some(act) = self.act(state, *at, note)?
                    && let Some(after) = self.after(note, *at, &act)
                {
                    entries[*at] = after.entry.clone();
                    back.push((number, *at, after));
                }
            }
        }
        let numbers = VaultTotals::of(&entries);
        let (mut names, mut notes) = (Vec::new(), Vec::new());
        for (other, at, note) in &back {
            for (number, state) in self.states.iter().enumerate() {
                let is_again = number != *other
                    && state.verdict.holds
                    && holds(state.verdict.rule, &numbers)
                    && Self::holds(state, *at, note)?
                    && self.act(state, *at, note)?.is_some();
                if is_again {
                    names.extend([number, *other]);
                    notes.push(*at);
                }
            }
        }
        if notes.is_empty() {
            return Ok(None);
        }
        names.sort_unstable();
        names.dedup();
        notes.sort_unstable();
        notes.dedup();
        let slots: HashSet<Slot> = notes.iter().map(|at| self.entries[*at].slot).collect();
        for number in &names {
            let acts = &mut self.states[*number].verdict.acts;
            acts.retain(|(entry, _)| !slots.contains(&entry.slot));
        }
        let name = |number: &usize| self.states[*number].verdict.rule.name.clone();
        let path = |at: &usize| self.entries[*at].path.to_string();
        Ok(Some(RuleCycle {
            rules: names.iter().map(name).collect(),
            notes: notes.iter().map(path).collect(),
        }))
    }

    /// Records which rules match this note but skip it, and why.
    fn record_skipped(&mut self, at: usize, failed: &[usize]) -> Result<()> {
        let note = self.note_state(at)?;
        for number in 0..self.states.len() {
            let state = &self.states[number];
            if state.found.binary_search(&at).is_err() {
                continue;
            }
            let last = state.verdict.acts.last();
            if last.is_some_and(|(entry, _)| entry.slot == note.entry.slot) {
                continue;
            }
            let options = &self.view.signal_options().lifecycle;
            let (entry, properties) = (&note.entry, &note.properties);
            let protection = state.action.protection(entry, properties, options);
            let rule = state.verdict.rule;
            let now = self.view.now.timestamp();
            let would = state.action.act(entry, properties, now, "").is_some();
            let why = match protection {
                Some(Protection::Keep) => "is kept",
                Some(Protection::Importance) => "is protected by its importance",
                Some(Protection::Type) => "its type is protected",
                Some(Protection::Age) => "is too young",
                None if is_refused(self.view, self.answers, rule, &note.entry)? => "you said no",
                None if failed.contains(&number) => "its properties cannot be edited this way",
                None if state.is_at_limit(&note.entry) && would => {
                    "the limit of the rule is reached"
                }
                None => continue,
            };
            let left = &mut self.states[number].verdict.left;
            left.push((note.entry.clone(), why));
        }
        Ok(())
    }
}
