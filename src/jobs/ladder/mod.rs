//! The ladder of forgetting: working, archival, forgotten, trash. `decay` and `forget` move notes along it,
//! one step at a time.
//!
//! | job | what | what happens |
//! |---|---|---|
//! | decay | retrievability of a working note falls below `fate.fading` (and its importance below `fate.important`) | archival |
//! | decay | an archival note was used since mem made it so | working |
//! | decay | a forgotten note was used since mem made it so | archival |
//! | forget | relevance of an archival note is below `fate.archive`, and it was quiet for `fate.grace` days | forgotten |
//! | forget | mem made it forgotten as long ago as `forget.trash` says (never, by default) | trash |
//!
//! By default `forget` is off: a note that nobody uses becomes archival and stays there.
//!
//! No note goes down with `keep`, of tier core, with a stated importance of `fate.protect` or more, of a type of
//! `fate.types`, or with `derived_from` or `summarizes`. Time counts from the last use, or, if that is later, from
//! when mem knew the note first or moved it to its tier. [`super::ahead`] says what comes next.
//!
//! When mem moves a note it writes down when, as `mem.moved`: the next step down counts from then, and a
//! use after it leads a step up. A note without it stands where its author put it, and stays there.
//!
//! A note that mem or an agent wrote takes its step alone and unasked. The notes of people are moved, if at
//! all, by one question for each rule and month: all that the months before the present one came to. A
//! "no" holds for all of them, also on other devices, because only the month is its key.

#[cfg(test)]
pub(super) mod tests;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::jobs::prelude::*;
use crate::note::front_matter::key::KeyPath;
use crate::signals::fate::{self, Shield};
use crate::signals::measure::Known;
use crate::signals::stability::DAY;
use crate::signals::usage::Usage;

/// The entry of `mem` that says when mem moved the note to its tier.
const MOVED: &str = "moved";

/// Whoever lets a job move notes mostly wants what its rules say.
const WEIGHT: f32 = 0.8;

/// So many months back a "no" is looked for.
const MONTHS: i64 = 240;

/// The notes named in the reason of a question about many.
const NAMED: usize = 3;

/// A note that may take a step.
pub(super) struct Climber<'v> {
    pub(super) view: &'v View<'v>,
    pub(super) entry: Entry,
    pub(super) usage: Usage,
}

/// What more is known of it, for which its details have to be read.
pub(super) struct Standing {
    /// When mem moved it to its tier, in seconds since 1970; none if its author did.
    pub(super) moved: Option<i64>,
    kind: String,
    is_derived: bool,
}

impl Climber<'_> {
    pub(super) fn tier(&self) -> Tier {
        self.entry.row.flags.tier()
    }

    /// Returns what is known of it without links, from when mem knew it on.
    pub(super) fn known(&self) -> Result<Known<'_>> {
        Ok(Known {
            since: self.view.adopted(&self.entry)?,
            ..self.view.dated(&self.entry, &self.usage)
        })
    }

    /// Returns `known` with the links to and from it.
    pub(super) fn linked<'u>(&self, known: Known<'u>) -> Result<Known<'u>> {
        self.view.linked(&self.entry, known)
    }

    pub(super) fn standing(&self) -> Result<Standing> {
        let details = self.view.details(self.entry.slot)?;
        let properties = details.properties();
        let derived = [Relation::DerivedFrom, Relation::Summarizes].map(Relation::name);
        let mut relations = details
            .links
            .iter()
            .filter_map(|link| link.property.as_deref());
        Ok(Standing {
            moved: moved(&properties),
            kind: text_of(&properties, "type").unwrap_or_default(),
            is_derived: relations.any(|relation| derived.contains(&relation)),
        })
    }

    /// Returns what keeps it from going down, `age` days after its last use.
    pub(super) fn shield(&self, standing: &Standing, age: f64) -> Option<Shield> {
        let keep = self.entry.row.flags.has(Flags::KEEP) || standing.is_derived;
        let known = self.view.dated(&self.entry, &self.usage);
        let importance = known.fixed_importance();
        let options = &self.view.signal_options().fate;
        fate::shield(keep, importance, age, &standing.kind, options)
    }

    /// Returns when somebody used it, if that was after mem moved it.
    pub(super) fn used_since(&self, standing: &Standing) -> Option<i64> {
        let moved = standing.moved?;
        self.usage.last_reviewed.filter(|used| *used > moved)
    }

    /// Returns the step to another tier.
    pub(super) fn step(self, rule: Rule, to: Tier, due: i64, reason: String) -> Step {
        let act = Act::Edit {
            note: self.entry.path.clone(),
            edits: to_tier(to, self.view.now.timestamp()).to_vec(),
        };
        self.taking(rule, due, reason, act)
    }

    /// Returns the step to the trash.
    pub(super) fn removal(self, due: i64, reason: String) -> Step {
        let act = Act::Trash {
            note: self.entry.path.clone(),
            reason: reason.clone(),
        };
        self.taking(Rule::Remove, due, reason, act)
    }

    fn taking(self, rule: Rule, due: i64, reason: String, act: Act) -> Step {
        Step {
            entry: self.entry,
            rule,
            due,
            act,
            reason,
        }
    }
}

/// Returns from when on nothing happened to a note: it was neither used nor moved, and was known.
pub(super) fn quiet_since(known: &Known<'_>, standing: &Standing) -> i64 {
    let from = known.since.max(standing.moved.unwrap_or(i64::MIN));
    from.max(known.created).max(known.last_used())
}

/// Returns the edits that move a note to a tier, as mem does.
pub fn to_tier(tier: Tier, now: Timestamp) -> [Edit; 2] {
    let now = Timestamp::from_second(now.as_second()).unwrap_or_default();
    [
        Edit::Set {
            key: "tier".into(),
            value: tier.name().into(),
        },
        Edit::Set {
            key: KeyPath::from("mem").below(MOVED),
            value: now.to_string().into(),
        },
    ]
}

/// Returns when mem moved a note with these properties to its tier, in seconds since 1970.
pub fn moved(properties: &Map<String, Value>) -> Option<i64> {
    let moved = properties.get("mem")?.get(MOVED)?.as_str()?;
    Some(moved.parse::<Timestamp>().ok()?.as_second())
}

/// Why a note takes a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    Archive,
    Forget,
    Remove,
    Return,
}

impl Rule {
    fn name(self) -> &'static str {
        match self {
            Self::Archive => "archive",
            Self::Forget => "forget",
            Self::Remove => "remove",
            Self::Return => "return",
        }
    }
}

/// A step that a note should take.
pub(super) struct Step {
    entry: Entry,
    rule: Rule,
    /// Since when, in seconds since 1970.
    due: i64,
    act: Act,
    reason: String,
}

/// Returns the notes of these tiers that may take a step, with what was learned of them.
pub(super) fn climbers<'v>(
    view: &'v View<'v>,
    seeds: &Seeds,
    notes: Notes,
    tiers: &[Tier],
) -> Result<Vec<Climber<'v>>> {
    let mut entries = view.entries()?;
    entries.retain(|entry| {
        let flags = entry.row.flags;
        let may = notes.has(entry) && !flags.has(Flags::UNREADABLE);
        may && tiers.contains(&flags.tier()) && seeds.has(entry.slot)
    });
    let usages = view.usages(&entries)?;
    let climbers = entries.into_iter().zip(usages);
    Ok(climbers
        .map(|(entry, usage)| Climber { view, entry, usage })
        .collect())
}

/// Returns what is proposed so that these steps are taken.
pub(super) fn findings(
    view: &View<'_>,
    answers: &Answers,
    kind: Kind,
    steps: Vec<Step>,
    compared: usize,
) -> Result<Findings> {
    let mut findings = Findings {
        compared,
        ..Findings::default()
    };
    let (own, theirs): (Vec<Step>, Vec<Step>) =
        steps.into_iter().partition(|step| step.entry.is_managed());
    for step in own {
        let rule = xxh3_64(step.rule.name().as_bytes());
        let key = QuestionKey::new(kind, &[view.content_key(&step.entry)?, rule]);
        if answers.get(key) != Some(Answer::No) {
            findings.found.push(Finding {
                certain: true,
                ..Finding::new(
                    key,
                    vec![step.entry.path],
                    vec![step.act],
                    WEIGHT,
                    step.reason,
                )
            });
        }
    }
    let now = month(view.now.timestamp().as_second());
    for rule in [Rule::Archive, Rule::Forget, Rule::Remove, Rule::Return] {
        let steps = theirs.iter().filter(|step| step.rule == rule);
        findings
            .found
            .extend(of_months(answers, kind, rule, now, steps));
    }
    Ok(findings)
}

/// Returns the one question about all `steps` of `rule` that were due before this month and that nobody
/// said no to.
fn of_months<'s>(
    answers: &Answers,
    kind: Kind,
    rule: Rule,
    now: i64,
    steps: impl Iterator<Item = &'s Step>,
) -> Option<Finding> {
    let key = |month: i64| {
        let rule = xxh3_64(rule.name().as_bytes());
        QuestionKey::new(kind, &[rule, xxh3_64(&month.to_le_bytes())])
    };
    let mut months = (now - MONTHS..now).rev();
    let refused = months.find(|month| answers.get(key(*month)) == Some(Answer::No));
    let mut steps: Vec<&Step> = steps
        .filter(|step| {
            let due = month(step.due);
            due < now && refused.is_none_or(|refused| due > refused)
        })
        .collect();
    steps.sort_by(|a, b| (a.due, &a.entry.path).cmp(&(b.due, &b.entry.path)));
    let notes: Vec<_> = steps.iter().map(|step| step.entry.path.clone()).collect();
    let named: Vec<&str> = notes.iter().take(NAMED).map(VaultPath::as_str).collect();
    let reason = match (notes.len(), steps.first()?) {
        (1, step) => step.reason.clone(),
        (count, step) => {
            let more = match count.saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("{}{more}; the first: {}", named.join(", "), step.reason)
        }
    };
    Some(Finding::new(
        key(now - 1),
        notes,
        steps.iter().map(|step| step.act.clone()).collect(),
        WEIGHT,
        reason,
    ))
}

/// Returns the month that a moment is in, counted from the year 0, alike on all devices.
fn month(second: i64) -> i64 {
    let at = Timestamp::from_second(second).unwrap_or_default();
    let date = at.to_zoned(TimeZone::UTC).date();
    i64::from(date.year()) * 12 + i64::from(date.month())
}

/// Returns the days between two moments.
pub(super) fn days(from: i64, to: i64) -> f64 {
    to.saturating_sub(from).max(0) as f64 / DAY
}

/// Returns whole days as words.
pub(super) fn in_days(days: f64) -> String {
    match days.floor() {
        1.0 => "1 day".to_owned(),
        days => format!("{days} days"),
    }
}
