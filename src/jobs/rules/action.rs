//! Actions of rules on notes.
//!
//! | action | from | to |
//! |---|---|---|
//! | `demote` | working | archival |
//! | `forget` | working, archival | forgotten |
//! | `restore` | archival, forgotten | working |
//! | `promote` | all others | core |
//! | `trash` | anywhere | the trash |
//! | `tag`, `untag`, `set` | | properties |
//!
//! All actions are idempotent.

use jiff::Timestamp;

use crate::jobs::conflicts::claims::is_newer;
use crate::jobs::ladder::tier_edits;
use crate::jobs::prelude::*;
use crate::note::front_matter::property::{is_applied, property, standard_name};
use crate::signals::lifecycle::{LifecycleOptions, protection};
use crate::signals::{Field, IMPORTANCE};

/// Properties that protect a note.
const PROTECTING_PROPERTIES: [&str; 5] =
    ["keep", "importance", "type", "derived_from", "summarizes"];

/// Action of a rule on each matching note.
#[derive(Clone, Debug, PartialEq)]
pub enum RuleAction {
    Demote,
    Forget,
    Restore,
    Promote,
    Trash,
    Tag(String),
    Untag(String),
    Set(Map<String, Value>),
    /// Prints the text in the report.
    Notify(String),
}

impl fmt::Display for RuleAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Demote => f.write_str("demote"),
            Self::Forget => f.write_str("forget"),
            Self::Restore => f.write_str("restore"),
            Self::Promote => f.write_str("promote"),
            Self::Trash => f.write_str("trash"),
            Self::Tag(tag) => write!(f, "tag {tag}"),
            Self::Untag(tag) => write!(f, "untag {tag}"),
            Self::Set(values) => {
                let values: Vec<String> = values
                    .iter()
                    .map(|(key, value)| format!("{key} {value}"))
                    .collect();
                write!(f, "set {}", values.join(", "))
            }
            Self::Notify(text) => write!(f, "notify \"{text}\""),
        }
    }
}

impl RuleAction {
    /// All actions, with an example of the value of those that take one.
    pub(super) const NAMES: [(&str, &str); 9] = [
        ("demote", ""),
        ("forget", ""),
        ("restore", ""),
        ("promote", ""),
        ("trash", ""),
        ("tag", "\"old\""),
        ("untag", "\"inbox\""),
        ("set", "{ status = \"old\" }"),
        ("notify", "\"too many drafts\""),
    ];

    /// Returns the act on a note with these properties; `None` if it would change nothing.
    pub(super) fn act(
        &self,
        entry: &Entry,
        properties: &Map<String, Value>,
        now: Timestamp,
        reason: &str,
    ) -> Option<Act> {
        let tier = entry.row.flags.tier();
        let to = |to: Tier| tier_edits(to, now).to_vec();
        let edits = match self {
            Self::Demote => (tier == Tier::Working).then(|| to(Tier::Archival))?,
            Self::Forget => {
                matches!(tier, Tier::Working | Tier::Archival).then(|| to(Tier::Forgotten))?
            }
            Self::Restore => {
                matches!(tier, Tier::Archival | Tier::Forgotten).then(|| to(Tier::Working))?
            }
            Self::Promote => (tier != Tier::Core).then(|| to(Tier::Core))?,
            Self::Trash => {
                return Some(Act::trash(&entry.path, reason));
            }
            Self::Tag(tag) => vec![Edit::append("tags", tag.as_str())],
            Self::Untag(tag) => vec![Edit::Remove {
                key: "tags".into(),
                value: tag.as_str().into(),
            }],
            Self::Set(values) => {
                let set = values
                    .iter()
                    .map(|(key, value)| Edit::set(key.as_str(), value.clone()));
                set.collect()
            }
            Self::Notify(_) => return None,
        };
        let edits: Vec<Edit> = edits
            .into_iter()
            .filter(|edit| !is_applied(edit, properties))
            .collect();
        (!edits.is_empty()).then(|| Act::edit(&entry.path, edits))
    }

    /// Returns true if the action may hide a note with these properties or lose data, now or later. Rules of an
    /// untrusted vault do this only after a yes.
    pub(super) fn can_lose(&self, properties: &Map<String, Value>) -> bool {
        match self {
            Self::Forget | Self::Trash | Self::Untag(_) => true,
            Self::Set(values) => values.keys().any(|key| {
                let is_known = Field::named(key).is_some()
                    || PROTECTING_PROPERTIES.contains(&standard_name(key))
                    || Relation::named(key).is_some()
                    || Relation::named_from_other_end(key).is_some()
                    || is_newer(key).is_some();
                is_known || property(properties, key).is_some()
            }),
            Self::Demote | Self::Restore | Self::Promote | Self::Tag(_) | Self::Notify(_) => false,
        }
    }

    /// Returns what protects a note with these properties from demotion or loss of its protection. Rules respect the
    /// same protection as jobs, except for the age, which the rule itself states.
    pub(super) fn protection(
        &self,
        entry: &Entry,
        properties: &Map<String, Value>,
        options: &LifecycleOptions,
    ) -> Option<Protection> {
        let weakens = match self {
            Self::Demote | Self::Forget | Self::Trash => true,
            Self::Set(values) => values
                .keys()
                .any(|key| PROTECTING_PROPERTIES.contains(&standard_name(key))),
            _ => false,
        };
        if !weakens {
            return None;
        }
        let flags = entry.row.flags;
        let is_derived = [Relation::DerivedFrom, Relation::Summarizes]
            .iter()
            .any(|relation| property(properties, relation.name()).is_some());
        let keep = flags.has(Flags::KEEP) || flags.tier() == Tier::Core || is_derived;
        let importance = IMPORTANCE.stated(&entry.row.ratings).map(f64::from);
        let kind = text_of(properties, "type").unwrap_or_default();
        protection(keep, importance, f64::INFINITY, &kind, options)
    }
}
