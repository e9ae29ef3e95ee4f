//! Rules take turns: each acts on notes as the ones before it leave them, until none has anything to do.
//!
//! A note whose turns have no end, because a rule comes up again and again, is in a circle: nothing is done
//! to it. The turns are played out on texts in memory, by the same edits and the same reading as later on disk.

use std::fmt;

use serde_json::{Map, Value};

use super::action::Action;
use super::rule::{NAMED, Rule, Verdict, is_refused};
use crate::cache::CacheError;
use crate::cache::row::Details;
use crate::finding::act::Act;
use crate::finding::question::Answers;
use crate::note::edit;
use crate::recall::Matcher;
use crate::signals::fate::Shield;
use crate::view::{Entry, View};

/// Rules that would change a note for ever.
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

/// One rule at the table.
struct Player<'r, 'q> {
    verdict: Verdict<'r>,
    action: &'r Action,
    matcher: Option<Matcher<'q>>,
    /// Which of the notes it finds as they are, ascending.
    found: Vec<usize>,
    may: bool,
}

pub(super) struct Turns<'t, 'r, 'q> {
    view: &'t View<'t>,
    entries: &'t [Entry],
    answers: &'t Answers,
    players: Vec<Player<'r, 'q>>,
}

/// Which players act, one after the other, and how.
type Acts = Vec<(usize, Act)>;

/// A note as some rules left it.
struct Standing {
    entry: Entry,
    properties: Map<String, Value>,
    /// None as long as it is what the catalog knows.
    changed: Option<(String, Details)>,
}

impl<'t, 'r, 'q> Turns<'t, 'r, 'q> {
    pub(super) fn new(view: &'t View<'t>, entries: &'t [Entry], answers: &'t Answers) -> Self {
        Self {
            view,
            entries,
            answers,
            players: Vec::new(),
        }
    }

    /// Has a rule join, which acts only if it `may`.
    pub(super) fn add(
        &mut self,
        rule: &'r Rule,
        action: &'r Action,
        matcher: Option<Matcher<'q>>,
        holds: bool,
        may: bool,
    ) -> Result<(), CacheError> {
        let mut found = Vec::new();
        if let Some(matcher) = &matcher {
            for (at, entry) in self.entries.iter().enumerate() {
                if matcher.holds(entry)? {
                    found.push(at);
                }
            }
        }
        self.players.push(Player {
            verdict: Verdict {
                rule,
                holds,
                found: found.iter().map(|at| self.entries[*at].clone()).collect(),
                acts: Vec::new(),
                left: Vec::new(),
            },
            action,
            matcher,
            found,
            may,
        });
        Ok(())
    }

    /// Returns what each rule does, and what none does because it had no end.
    pub(super) fn play(mut self) -> Result<(Vec<Verdict<'r>>, Vec<Circle>), CacheError> {
        let mut circles: Vec<Circle> = Vec::new();
        let mut touched: Vec<usize> = self
            .players
            .iter()
            .flat_map(|one| one.found.clone())
            .collect();
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
            let acts = if self.players.iter().all(|player| player.may) {
                everyone
            } else {
                self.turns(at, |player| player.may)?
            };
            for (number, act) in acts.unwrap_or_default() {
                let verdict = &mut self.players[number].verdict;
                verdict.acts.push((self.entries[at].clone(), act));
            }
            self.note_left(at)?;
        }
        let verdicts = self.players.into_iter().map(|player| player.verdict);
        Ok((verdicts.collect(), circles))
    }

    /// Plays the turns of one note: who acts, and how; or the names of the rules that would never end.
    fn turns(
        &self,
        at: usize,
        may: impl Fn(&Player<'_, '_>) -> bool,
    ) -> Result<Result<Acts, Vec<String>>, CacheError> {
        let mut standing = self.standing(at)?;
        let mut acts = Acts::new();
        loop {
            let before = acts.len();
            for (number, player) in self.players.iter().enumerate() {
                let is_full = (player.verdict.rule.limit)
                    .is_some_and(|limit| player.verdict.acts.len() >= limit);
                if !may(player) || is_full || !Self::holds(player, at, &standing)? {
                    continue;
                }
                let Some(act) = self.act(player, at, &standing)? else {
                    continue;
                };
                let times = |number: usize| acts.iter().filter(|(who, _)| *who == number).count();
                // Whoever comes up twice by then is in it.
                if times(number) == 2 {
                    let players = self.players.iter().enumerate();
                    let circle = players.filter(|(number, _)| times(*number) == 2);
                    let rules = circle.map(|(_, player)| player.verdict.rule.name.clone());
                    return Ok(Err(rules.collect()));
                }
                let is_over = matches!(act, Act::Trash { .. });
                let is_alone = self.players.len() == 1;
                if !is_over && !is_alone {
                    match self.after(&standing, at, &act) {
                        Some(after) => standing = after,
                        // What cannot be edited now is left for the next time.
                        None => return Ok(Ok(acts)),
                    }
                }
                acts.push((number, act));
                if is_over || is_alone {
                    return Ok(Ok(acts));
                }
            }
            if acts.len() == before {
                return Ok(Ok(acts));
            }
        }
    }

    fn standing(&self, at: usize) -> Result<Standing, CacheError> {
        let entry = self.entries[at].clone();
        let properties = self.view.details(entry.slot)?.properties();
        Ok(Standing {
            entry,
            properties,
            changed: None,
        })
    }

    fn holds(player: &Player<'_, '_>, at: usize, standing: &Standing) -> Result<bool, CacheError> {
        match (&player.matcher, &standing.changed) {
            (None, _) => Ok(false),
            (_, None) => Ok(player.found.binary_search(&at).is_ok()),
            (Some(matcher), Some((_, details))) => {
                matcher.holds_as(&standing.entry, details.clone())
            }
        }
    }

    fn act(
        &self,
        player: &Player<'_, '_>,
        at: usize,
        standing: &Standing,
    ) -> Result<Option<Act>, CacheError> {
        let Standing {
            entry, properties, ..
        } = standing;
        let options = &self.view.signal_options().fate;
        let now = self.view.now.timestamp();
        let rule = player.verdict.rule;
        let act = player.action.act(entry, properties, now, &rule.reason());
        let is_protected = player.action.shield(entry, properties, options).is_some();
        Ok(match act {
            Some(act) if !is_protected => {
                let refused = is_refused(self.view, self.answers, rule, &self.entries[at])?;
                (!refused).then_some(act)
            }
            _ => None,
        })
    }

    /// Returns the note as `act` leaves it; `None` if that cannot be done to it.
    fn after(&self, before: &Standing, at: usize, act: &Act) -> Option<Standing> {
        let Act::Edit { edits, .. } = act else {
            return None;
        };
        let text = match &before.changed {
            Some((text, _)) => text.clone(),
            None => match self.view.text(&self.entries[at]) {
                Ok(text) => text,
                Err(_) => return None,
            },
        };
        let Ok(text) = edit::apply(&text, edits) else {
            return None;
        };
        let (entry, details) = self.view.as_if(&self.entries[at], &text);
        Some(Standing {
            properties: details.properties(),
            entry,
            changed: Some((text, details)),
        })
    }

    /// Notes which rules found this note and leave it alone, and why.
    fn note_left(&mut self, at: usize) -> Result<(), CacheError> {
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
            let shield = player
                .action
                .shield(&standing.entry, &standing.properties, options);
            let rule = player.verdict.rule;
            let why = match shield {
                Some(Shield::Keep) => "is kept",
                Some(Shield::Importance) => "matters to its author",
                Some(Shield::Type) => "its type is protected",
                Some(Shield::Age) => "is too young",
                None if is_refused(self.view, self.answers, rule, &standing.entry)? => {
                    "you said no"
                }
                None => continue,
            };
            self.players[number]
                .verdict
                .left
                .push((standing.entry.clone(), why));
        }
        Ok(())
    }
}
