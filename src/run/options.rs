//! Settings of unattended maintenance.

use std::str::FromStr;

use jiff::fmt::friendly::{Designator, SpanParser, SpanPrinter};
use toml::Value;

use crate::config::Trust;
use crate::config::values::{Domain, ParsedText};
use crate::run::prelude::*;

section! {
    /// Settings of `mem sleep`.
    #[derive(Eq)]
    pub struct SleepOptions: "sleep", everyday [apply, idle, commit] {
        /// which certain changes are applied without asking: those to notes written by mem or an
        /// agent, those to all notes, or none
        apply: Apply, "\"managed\", \"all\" or \"none\"", Trust::may_lower::<Apply>();
        /// skip notes saved more recently than this, for editors that leave no lock or swap file
        idle: Duration, DurationOrZero;
        /// whether `mem sleep` commits its changes to git; git hooks run
        commit: Commit, "\"never\", \"always\" or \"clean\"", Trust::Nothing;
        /// jobs that `mem sleep` runs first, in this order; the others follow in the default order
        order: Order, ParsedText("names of jobs, like \"link, dedupe\"");
    }
}

/// A duration that may be 0.
#[derive(Debug)]
struct DurationOrZero;

impl Domain<Duration> for DurationOrZero {
    fn takes(&self) -> String {
        "a time like \"10m\", or \"0s\"".to_owned()
    }

    fn read(&self, value: &Value) -> Option<Duration> {
        let parser = SpanParser::new();
        parser.parse_unsigned_duration(value.as_str()?).ok()
    }

    fn write(&self, value: &Duration) -> Value {
        let printer = SpanPrinter::new().designator(Designator::Compact);
        printer.unsigned_duration_to_string(value).into()
    }
}

/// Which certain changes are applied without asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Apply {
    /// None; all are proposed.
    None,
    /// Changes of notes that mem or an agent wrote and that were not edited since.
    #[default]
    Managed,
    /// All certain changes.
    All,
}

/// When a sleep commits its changes, in a vault under git.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Commit {
    #[default]
    Never,
    /// Always commit, except notes with uncommitted changes from before.
    Always,
    /// Always commit; change nothing while a note has uncommitted changes.
    Clean,
}

/// The jobs that a sleep runs first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order(Vec<&'static Job>);

/// Not the name of a job, or a duplicate.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a job, or is a duplicate")]
pub struct InvalidOrder(String);

impl FromStr for Order {
    type Err = InvalidOrder;

    fn from_str(text: &str) -> Result<Self, InvalidOrder> {
        let mut order: Vec<&'static Job> = Vec::new();
        for name in values::names(text) {
            match jobs::named(name) {
                Some(job) if !order.contains(&job) => order.push(job),
                _ => return Err(InvalidOrder(name.to_owned())),
            }
        }
        Ok(Self(order))
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|job| job.name).collect();
        f.write_str(&names.join(", "))
    }
}

impl Order {
    /// Returns all steps in this order: index first, then jobs, judge and settle last.
    pub fn steps(&self) -> impl Iterator<Item = Step> {
        let place = |step: &Step| {
            let named = match step {
                Step::Job(job) => self.0.iter().position(|named| named == job),
                Step::Index => return (0, 0),
                Step::Judge | Step::Settle => return (2, 0),
            };
            (1, named.unwrap_or(usize::MAX))
        };
        let mut steps: Vec<Step> = Step::all().collect();
        steps.sort_by_key(place);
        steps.into_iter()
    }
}

section! {
    /// Settings of `mem watch`.
    #[derive(Copy, Eq)]
    pub struct WatchOptions: "watch" {
        /// how long the vault must be unchanged before `mem watch` runs due jobs
        quiet: Interval = Interval::minutes(2), Interval::DOMAIN;
        /// jobs that `mem watch` missed by more than this wait for their next regular time; "off"
        /// runs all missed jobs
        grace: Interval = Interval::Never, Interval::DOMAIN;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_jobs_come_first_between_index_and_settle() {
        let steps = |text: &str| {
            let order: Order = text.parse().unwrap();
            let names: Vec<&str> = order.steps().map(Step::name).collect();
            names.join(" ")
        };
        let usual: Vec<&str> = Step::all().map(Step::name).collect();
        assert_eq!(steps(""), usual.join(" "));
        assert_eq!(
            steps("forget, associate"),
            "index forget associate dedupe conflicts link spaces cluster consolidate split decay rules views judge settle"
        );
        for wrong in ["index", "link, link", "importance_scorer"] {
            assert!(wrong.parse::<Order>().is_err(), "{wrong}");
        }
    }
}
