//! Evaluates rules in turns: each acts on notes as left by the earlier ones, until none has anything to do.
//!
//! A note on which a rule acts repeatedly without end is in a cycle; nothing is done to it. The turns are
//! simulated on texts in memory, with the same edits and parsing as later on disk. Two rules can also form a cycle
//! across runs through their vault-wide conditions. For example, one forgets at `notes:>500`, and the rest
//! is below the `notes:<400` at which another restores all of it.

use std::fmt;

use super::action::Action;
use super::condition::VaultNumbers;
use super::rule::{NAMED, Rule, Verdict, is_refused};
use crate::cache::row::Details;
use crate::jobs::prelude::*;
use crate::note::edit;
use crate::recall::Matcher;
use crate::signals::fate::Shield;

/// Rules that would change a note endlessly.
#[derive(Debug)]
pub(super) struct Circle {
    rules: Vec<String>,
    notes: Vec<String>,
}

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules: Vec<String> = self.rules.iter().map(|rule| format!("`{rule}`")).collect();
        let notes: Vec<&str> = self.notes.iter().take(NAMED).map(String::as_str).collect();
        let (rules, notes) = (rules.join(", "), notes.join(", "));
        let more = match self.notes.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        write!(
            f,
            "the rules {rules} would change {notes}{more} for ever, each what another did; none of them does"
        )
    }
}

/// State of one rule.
pub(super) struct Player<'r, 'q> {
    verdict: Verdict<'r>,
    action: &'r Action,
    matcher: Option<Matcher<'q>>,
    /// Positions of the matching notes, ascending.
    found: Vec<usize>,
    may: bool,
    /// Number of changed notes, of people and of mem or agents.
    changed: [usize; 2],
}

impl Player<'_, '_> {
    /// Returns true if its limit is reached, which applies separately to unasked acts and questions.
    fn is_full(&self, entry: &Entry) -> bool {
        let changed = self.changed[usize::from(entry.is_managed())];
        let limit = self.verdict.rule.limit;
        limit.is_some_and(|limit| changed >= limit)
    }
}

pub(super) struct Turns<'t, 'r, 'q> {
    pub(super) view: &'t View<'t>,
    pub(super) entries: &'t [Entry],
    pub(super) answers: &'t Answers,
    pub(super) players: Vec<Player<'r, 'q>>,
    /// True if rules of the vault need no confirmation.
    pub(super) trusts_vault: bool,
}

/// Evaluates the vault-wide conditions of a rule.
type Holds<'h> = dyn Fn(&Rule, &VaultNumbers) -> bool + 'h;

/// Result of the turns on one note.
#[derive(Default)]
struct Played {
    /// Acts in order, with the number of the rule.
    acts: Vec<(usize, Act)>,
    /// Rules whose edit cannot be applied.
    stuck: Vec<usize>,
}

/// A note after the acts of some rules.
struct Standing {
    entry: Entry,
    properties: Map<String, Value>,
    /// New text and details; `None` if still as in the catalog.
    changed: Option<(String, Details)>,
}

impl<'r, 'q> Turns<'_, 'r, 'q> {
    /// Adds a rule, which acts only if it `may`.
    pub(super) fn add(
        &mut self,
        rule: &'r Rule,
        action: &'r Action,
        matcher: Option<Matcher<'q>>,
        holds: bool,
        may: bool,
    ) -> Result<()> {
        let mut found = Vec::new();
        if let Some(matcher) = matcher.as_ref().filter(|_| holds) {
            for (at, entry) in self.entries.iter().enumerate() {
                if matcher.holds(entry)? {
                    found.push(at);
                }
            }
        }
        self.players.push(Player {
            changed: [0; 2],
            verdict: Verdict {
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
            may,
        });
        Ok(())
    }

    /// Returns the result of each rule, and the cycles.
    pub(super) fn play(mut self, holds: &Holds<'_>) -> Result<(Vec<Verdict<'r>>, Vec<Circle>)> {
        let mut circles: Vec<Circle> = Vec::new();
        let touched = self.players.iter().flat_map(|one| one.found.clone());
        let mut touched: Vec<usize> = touched.collect();
        touched.sort_unstable();
        touched.dedup();
        for at in touched {
            let everyone = self.turns(at, |_| true)?;
            if let Err(rules) = everyone {
                let note = self.entries[at].path.to_string();
                match circles.iter_mut().find(|circle| circle.rules == rules) {
                    Some(circle) => circle.notes.push(note),
                    None => circles.push(Circle {
                        rules,
                        notes: vec![note],
                    }),
                }
                continue;
            }
            let played = if self.players.iter().all(|player| player.may) {
                everyone
            } else {
                self.turns(at, |player| player.may)?
            };
            let Played { acts, stuck } = played.unwrap_or_default();
            let mut is_asked = false;
            for (number, act) in acts {
                is_asked |= self.asks_first(number, at)?;
                let entry = &self.entries[at];
                let one = &mut self.players[number];
                // Acts that depend on an unconfirmed one wait with it.
                if is_asked {
                    one.verdict.asked.insert(entry.slot);
                }
                one.changed[usize::from(entry.is_managed())] += 1;
                one.verdict.acts.push((entry.clone(), act));
            }
            self.note_left(at, &stuck)?;
        }
        if let Some(circle) = self.circle_of_conditions(holds)? {
            circles.push(circle);
        }
        let verdicts = self.players.into_iter().map(|player| player.verdict);
        Ok((verdicts.collect(), circles))
    }

    /// Returns true if a rule of the vault would hide a note or lose data.
    fn asks_first(&self, player: usize, at: usize) -> Result<bool> {
        let player = &self.players[player];
        if self.trusts_vault || !player.verdict.rule.is_of_vault() {
            return Ok(false);
        }
        let details = self.view.details(self.entries[at].slot)?;
        Ok(player.action.can_lose(&details.properties()))
    }

    /// Simulates the turns on one note; returns the acts, or the names of the rules in a cycle.
    fn turns(
        &self,
        at: usize,
        may: impl Fn(&Player<'_, '_>) -> bool,
    ) -> Result<Result<Played, Vec<String>>> {
        let mut standing = self.standing(at)?;
        let (mut acts, mut stuck) = (Vec::new(), Vec::new());
        loop {
            let before = acts.len();
            for (number, player) in self.players.iter().enumerate() {
                let is_out = !may(player)
                    || !player.verdict.holds
                    || player.is_full(&standing.entry)
                    || stuck.contains(&number);
                if is_out || !Self::holds(player, at, &standing)? {
                    continue;
                }
                let Some(act) = self.act(player, at, &standing)? else {
                    continue;
                };
                let times = |number: usize| acts.iter().filter(|(who, _)| *who == number).count();
                // All rules that acted twice by now belong to the cycle.
                if times(number) == 2 {
                    let players = self.players.iter().enumerate();
                    let circle = players.filter(|(number, _)| times(*number) == 2);
                    let rules = circle.map(|(_, player)| player.verdict.rule.name.clone());
                    return Ok(Err(rules.collect()));
                }
                let is_over = matches!(act, Act::Trash { .. });
                let is_alone = self.players.len() == 1;
                if !is_over && !is_alone {
                    if let Some(after) = self.after(&standing, at, &act) {
                        standing = after;
                    } else {
                        stuck.push(number);
                        continue;
                    }
                }
                acts.push((number, act));
                if is_over || is_alone {
                    return Ok(Ok(Played { acts, stuck }));
                }
            }
            if acts.len() == before {
                return Ok(Ok(Played { acts, stuck }));
            }
        }
    }

    fn standing(&self, at: usize) -> Result<Standing> {
        let entry = self.entries[at].clone();
        let properties = self.view.details(entry.slot)?.properties();
        Ok(Standing {
            entry,
            properties,
            changed: None,
        })
    }

    fn holds(player: &Player<'_, '_>, at: usize, standing: &Standing) -> Result<bool> {
        match (&player.matcher, &standing.changed) {
            (None, _) => Ok(false),
            (_, None) => Ok(player.found.binary_search(&at).is_ok()),
            (Some(matcher), Some((_, details))) => {
                matcher.holds_as(&standing.entry, details.clone())
            }
        }
    }

    fn act(&self, player: &Player<'_, '_>, at: usize, standing: &Standing) -> Result<Option<Act>> {
        let Standing {
            entry, properties, ..
        } = standing;
        let options = &self.view.signal_options().fate;
        let now = self.view.now.timestamp();
        let rule = player.verdict.rule;
        let act = player.action.act(entry, properties, now, &rule.reason());
        let mut is_protected = player.action.shield(entry, properties, options).is_some();
        if act.is_some() && !is_protected && standing.changed.is_some() {
            // An earlier rule cannot remove the protection.
            let now = self.standing(at)?;
            let shield = player.action.shield(&now.entry, &now.properties, options);
            is_protected = shield.is_some();
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
    fn after(&self, before: &Standing, at: usize, act: &Act) -> Option<Standing> {
        let Act::Edit { edits, .. } = act else {
            return None;
        };
        let text = match &before.changed {
            Some((text, _)) => text.clone(),
            None => self.view.text(&self.entries[at]).ok()?,
        };
        let text = edit::apply(&text, edits).ok()?;
        let (entry, details) = self.view.as_if(&self.entries[at], &text);
        Some(Standing {
            properties: details.properties(),
            entry,
            changed: Some((text, details)),
        })
    }

    /// Simulates the next run to find cycles through vault-wide conditions.
    ///
    /// After the current acts the vault may satisfy the condition of another rule, whose acts on the same notes may
    /// restore the condition of the first. Then neither acts on these notes.
    fn circle_of_conditions(&mut self, holds: &Holds<'_>) -> Result<Option<Circle>> {
        let asks = |player: &Player<'_, '_>| player.verdict.rule.asks_of_vault();
        let acts = |player: &Player<'_, '_>| asks(player) && !player.verdict.acts.is_empty();
        if !self.players.iter().any(acts) {
            return Ok(None);
        }
        let mut entries = self.entries.to_vec();
        let mut changed: Vec<(usize, Standing)> = Vec::new();
        let mut acts: HashMap<Slot, Vec<&Act>> = HashMap::new();
        for player in &self.players {
            for (entry, act) in &player.verdict.acts {
                acts.entry(entry.slot).or_default().push(act);
            }
        }
        for (at, entry) in self.entries.iter().enumerate() {
            let Some(acts) = acts.get(&entry.slot) else {
                continue;
            };
            let mut standing = Some(self.standing(at)?);
            for act in acts {
                standing = standing.and_then(|before| self.after(&before, at, act));
            }
            // No rule restores notes from the trash.
            if let Some(standing) = standing {
                entries[at] = standing.entry.clone();
                changed.push((at, standing));
            }
        }
        let numbers = VaultNumbers::of(&entries);
        let mut back: Vec<(usize, usize, Standing)> = Vec::new();
        for (number, player) in self.players.iter().enumerate() {
            if player.verdict.holds || !holds(player.verdict.rule, &numbers) {
                continue;
            }
            for (at, standing) in &changed {
                if Self::holds(player, *at, standing)?
                    && let Some(act) = self.act(player, *at, standing)?
                    && let Some(after) = self.after(standing, *at, &act)
                {
                    entries[*at] = after.entry.clone();
                    back.push((number, *at, after));
                }
            }
        }
        let numbers = VaultNumbers::of(&entries);
        let (mut names, mut notes) = (Vec::new(), Vec::new());
        for (other, at, standing) in &back {
            for (number, player) in self.players.iter().enumerate() {
                let is_again = number != *other
                    && player.verdict.holds
                    && holds(player.verdict.rule, &numbers)
                    && Self::holds(player, *at, standing)?
                    && self.act(player, *at, standing)?.is_some();
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
            let acts = &mut self.players[*number].verdict.acts;
            acts.retain(|(entry, _)| !slots.contains(&entry.slot));
        }
        let name = |number: &usize| self.players[*number].verdict.rule.name.clone();
        let path = |at: &usize| self.entries[*at].path.to_string();
        Ok(Some(Circle {
            rules: names.iter().map(name).collect(),
            notes: notes.iter().map(path).collect(),
        }))
    }

    /// Records which rules match this note but skip it, and why.
    fn note_left(&mut self, at: usize, stuck: &[usize]) -> Result<()> {
        let standing = self.standing(at)?;
        for number in 0..self.players.len() {
            let player = &self.players[number];
            if player.found.binary_search(&at).is_err() {
                continue;
            }
            let last = player.verdict.acts.last();
            if last.is_some_and(|(entry, _)| entry.slot == standing.entry.slot) {
                continue;
            }
            let options = &self.view.signal_options().fate;
            let (entry, properties) = (&standing.entry, &standing.properties);
            let shield = player.action.shield(entry, properties, options);
            let rule = player.verdict.rule;
            let now = self.view.now.timestamp();
            let would = player.action.act(entry, properties, now, "").is_some();
            let why = match shield {
                Some(Shield::Keep) => "is kept",
                Some(Shield::Importance) => "matters to its author",
                Some(Shield::Type) => "its type is protected",
                Some(Shield::Age) => "is too young",
                None if is_refused(self.view, self.answers, rule, &standing.entry)? => {
                    "you said no"
                }
                None if stuck.contains(&number) => "its properties cannot be edited so",
                None if player.is_full(&standing.entry) && would => {
                    "the limit of the rule is reached"
                }
                None => continue,
            };
            let left = &mut self.players[number].verdict.left;
            left.push((standing.entry.clone(), why));
        }
        Ok(())
    }
}
