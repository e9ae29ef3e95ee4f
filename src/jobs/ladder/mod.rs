//! The ladder of forgetting: working, archival, forgotten, trash.
//!
//! `decay` and `forget` move notes along it, one step at a time:
//!
//! | job | condition | new tier |
//! |---|---|---|
//! | decay | retrievability of a working note falls below `lifecycle.min_retrievability` (and its importance below `lifecycle.max_importance`) | archival |
//! | decay | an archival note was used since mem moved it | working |
//! | decay | a forgotten note was used since mem moved it | archival |
//! | forget | relevance of an archival note is below `lifecycle.min_relevance`, and it was unused for `lifecycle.grace_days` days | forgotten |
//! | forget | mem forgot the note longer ago than `forget.trash` (never, by default) | trash |
//!
//! By default `forget` is off: an unused note becomes archival and stays so.
//!
//! Protected from demotion are notes with `keep`, of tier core, with a stated importance of at least
//! `lifecycle.protected_importance`, of a type in `lifecycle.protected_types`, or with `derived_from` or `summarizes`. Time counts from the last
//! use, from adoption or from the last move by mem, whichever is latest. [`super::next_step`] predicts the next step.
//!
//! mem records the time of a move as `mem.moved`. The next demotion counts from it, and a later use restores the
//! note. Without it the author chose the tier, so the note stays there.
//!
//! Notes written by mem or an agent are moved individually and unasked. Notes of people are moved, if at all, by
//! one question per rule and month, which covers all earlier months. The month is the only key of the question,
//! so a "no" applies to all of these notes, on all devices.

#[cfg(test)]
pub(super) mod tests;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::finding::first_names;
use crate::jobs::prelude::*;
use crate::note::KeyPath;
use crate::note::words::lists::named;
use crate::signals::lifecycle::{self, Protection};
use crate::signals::usage::Usage;
use crate::signals::{DAY, SignalInputs};

/// Key below `mem` with the time of the last move by mem.
const MOVED_KEY: &str = "moved";

/// Weight of findings; users who enable these jobs usually accept their moves.
const MOVE_WEIGHT: f32 = 0.8;

/// Number of past months searched for a "no".
const MAX_MONTHS_BACK: i64 = 240;

/// Maximum number of notes named in the reason of a question.
const MAX_NAMED_NOTES: usize = 3;

/// A note that may be moved, with its usage.
pub(super) struct LadderNote<'v> {
    pub(super) view: &'v View<'v>,
    pub(super) entry: Entry,
    pub(super) usage: Usage,
}

/// Properties of a note that require reading its details.
pub(super) struct LadderDetails {
    /// Time of the last move by mem, in seconds since 1970; `None` if the author set the tier.
    pub(super) moved: Option<i64>,
    kind: String,
    is_derived: bool,
}

impl LadderNote<'_> {
    pub(super) fn tier(&self) -> Tier {
        self.entry.row.flags.tier()
    }

    /// Returns the signal inputs without links, counted from adoption.
    pub(super) fn known(&self) -> Result<SignalInputs<'_>> {
        Ok(SignalInputs {
            since: self.view.adopted(&self.entry)?,
            ..self.view.dated(&self.entry, &self.usage)
        })
    }

    /// Adds the links of the note to `known`.
    pub(super) fn linked<'u>(&self, known: SignalInputs<'u>) -> Result<SignalInputs<'u>> {
        self.view.linked(&self.entry, known)
    }

    pub(super) fn details(&self) -> Result<LadderDetails> {
        let details = self.view.details(self.entry.slot)?;
        let properties = details.properties();
        let derived = [Relation::DerivedFrom, Relation::Summarizes].map(Relation::name);
        let mut relations = details
            .links
            .iter()
            .filter_map(|link| link.property.as_deref());
        Ok(LadderDetails {
            moved: last_move(&properties),
            kind: text_of(&properties, "type").unwrap_or_default(),
            is_derived: relations.any(|relation| derived.contains(&relation)),
        })
    }

    /// Returns what protects the note from demotion, `age` days after its last use.
    pub(super) fn protection(&self, details: &LadderDetails, age: f64) -> Option<Protection> {
        let keep = self.entry.row.flags.has(Flags::KEEP) || details.is_derived;
        let known = self.view.dated(&self.entry, &self.usage);
        let importance = known.fixed_importance();
        let options = &self.view.signal_options().lifecycle;
        lifecycle::protection(keep, importance, age, &details.kind, options)
    }

    /// Returns the time of the last use if it was after the last move by mem.
    pub(super) fn used_since(&self, details: &LadderDetails) -> Option<i64> {
        let moved = details.moved?;
        self.usage.last_reviewed.filter(|used| *used > moved)
    }

    /// Returns the step to another tier.
    pub(super) fn tier_move(
        self,
        rule: LadderRule,
        to: Tier,
        due: i64,
        reason: String,
    ) -> LadderMove {
        let edits = tier_edits(to, self.view.now.timestamp());
        let act = Act::edit(&self.entry.path, edits.to_vec());
        self.into_move(rule, due, reason, act)
    }

    /// Returns the step to the trash.
    pub(super) fn trash_move(self, due: i64, reason: String) -> LadderMove {
        let act = Act::trash(&self.entry.path, &reason);
        self.into_move(LadderRule::Remove, due, reason, act)
    }

    fn into_move(self, rule: LadderRule, due: i64, reason: String, act: Act) -> LadderMove {
        LadderMove {
            entry: self.entry,
            rule,
            due,
            act,
            reason,
        }
    }
}

/// Returns the latest of adoption, creation, last use and last move.
pub(super) fn unused_since(known: &SignalInputs<'_>, details: &LadderDetails) -> i64 {
    let from = known.since.max(details.moved.unwrap_or(i64::MIN));
    from.max(known.created).max(known.last_used())
}

/// Returns the edits that move a note to a tier and record the time.
pub fn tier_edits(tier: Tier, now: Timestamp) -> [Edit; 2] {
    let now = Timestamp::from_second(now.as_second()).unwrap_or_default();
    [
        Edit::set("tier", tier.name()),
        Edit::set(KeyPath::from("mem").below(MOVED_KEY), now.to_string()),
    ]
}

/// Returns the time of the last move by mem, in seconds since 1970.
pub fn last_move(properties: &Map<String, Value>) -> Option<i64> {
    let moved = properties.get("mem")?.get(MOVED_KEY)?.as_str()?;
    Some(moved.parse::<Timestamp>().ok()?.as_second())
}

named! {
    /// Kind of a step.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum LadderRule {
        Archive = "archive",
        Forget = "forget",
        Remove = "remove",
        Return = "return",
    }
}

/// A proposed move of a note.
pub(super) struct LadderMove {
    entry: Entry,
    rule: LadderRule,
    /// Time at which it became due, in seconds since 1970.
    due: i64,
    act: Act,
    reason: String,
}

/// Returns the notes of these tiers with their usage, if they may be moved.
pub(super) fn ladder_notes<'v>(
    view: &'v View<'v>,
    seeds: &Seeds,
    notes: NoteScope,
    tiers: &[Tier],
) -> Result<Vec<LadderNote<'v>>> {
    let mut entries = view.entries()?;
    entries.retain(|entry| {
        let flags = entry.row.flags;
        let may = notes.has(entry) && !flags.has(Flags::UNREADABLE);
        may && tiers.contains(&flags.tier()) && seeds.has(entry.slot)
    });
    let usages = view.usages(&entries)?;
    let ladder_notes = entries.into_iter().zip(usages);
    Ok(ladder_notes
        .map(|(entry, usage)| LadderNote { view, entry, usage })
        .collect())
}

/// Returns the findings for the steps that `next` returns.
pub(super) fn findings<'v>(
    view: &View<'_>,
    answers: &Answers,
    kind: QuestionKind,
    notes: Vec<LadderNote<'v>>,
    next: impl Fn(LadderNote<'v>) -> Result<Option<LadderMove>>,
) -> Result<Findings> {
    let mut findings = Findings {
        compared: notes.len(),
        ..Findings::default()
    };
    let next_moves = notes.into_iter().map(next).collect::<Result<Vec<_>>>()?;
    let moves = next_moves.into_iter().flatten();
    let (own, theirs): (Vec<LadderMove>, Vec<LadderMove>) =
        moves.partition(|ladder_move| ladder_move.entry.is_managed());
    for ladder_move in own {
        let rule = xxh3_64(ladder_move.rule.name().as_bytes());
        let key = QuestionKey::new(kind, &[view.content_key(&ladder_move.entry)?, rule]);
        if answers.get(key) != Some(Answer::No) {
            findings.found.push(Finding {
                certain: true,
                ..Finding::new(
                    key,
                    vec![ladder_move.entry.path],
                    vec![ladder_move.act],
                    MOVE_WEIGHT,
                    ladder_move.reason,
                )
            });
        }
    }
    let now = month(view.now.timestamp().as_second());
    for rule in LadderRule::ALL {
        let moves = theirs.iter().filter(|ladder_move| ladder_move.rule == rule);
        findings
            .found
            .extend(monthly_question(answers, kind, rule, now, moves));
    }
    Ok(findings)
}

/// Returns the question about all `moves` of `rule` that were due before this month and not refused.
fn monthly_question<'s>(
    answers: &Answers,
    kind: QuestionKind,
    rule: LadderRule,
    now: i64,
    moves: impl Iterator<Item = &'s LadderMove>,
) -> Option<Finding> {
    let key = |month: i64| {
        let rule = xxh3_64(rule.name().as_bytes());
        QuestionKey::new(kind, &[rule, xxh3_64(&month.to_le_bytes())])
    };
    let mut months = (now - MAX_MONTHS_BACK..now).rev();
    let refused = months.find(|month| answers.get(key(*month)) == Some(Answer::No));
    let mut moves: Vec<&LadderMove> = moves
        .filter(|ladder_move| {
            let due = month(ladder_move.due);
            due < now && refused.is_none_or(|refused| due > refused)
        })
        .collect();
    moves.sort_by(|a, b| (a.due, &a.entry.path).cmp(&(b.due, &b.entry.path)));
    let notes: Vec<_> = moves
        .iter()
        .map(|ladder_move| ladder_move.entry.path.clone())
        .collect();
    let reason = match (notes.len(), moves.first()?) {
        (1, ladder_move) => ladder_move.reason.clone(),
        (_, ladder_move) => {
            let named = first_names(notes.iter(), MAX_NAMED_NOTES);
            format!("{named}; the first: {}", ladder_move.reason)
        }
    };
    Some(Finding::new(
        key(now - 1),
        notes,
        moves
            .iter()
            .map(|ladder_move| ladder_move.act.clone())
            .collect(),
        MOVE_WEIGHT,
        reason,
    ))
}

/// Returns the month of a time, in UTC and counted from year 0, so that all devices agree.
fn month(second: i64) -> i64 {
    let at = Timestamp::from_second(second).unwrap_or_default();
    let date = at.to_zoned(TimeZone::UTC).date();
    i64::from(date.year()) * 12 + i64::from(date.month())
}

/// Returns the days between two times.
pub(super) fn days(from: i64, to: i64) -> f64 {
    to.saturating_sub(from).max(0) as f64 / DAY
}

/// Formats a number of whole days.
pub(super) fn format_days(days: f64) -> String {
    match days.floor() {
        1.0 => "1 day".to_owned(),
        days => format!("{days} days"),
    }
}
