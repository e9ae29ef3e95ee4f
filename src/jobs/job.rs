//! Entry of a job in the table, used by the command line, settings, sleep, reports and review.

use crate::config::{Schema, Settings, SettingsSection};
use crate::jobs::prelude::*;
use crate::view::NoteSimilarity;

/// A maintenance job; [`super::JOBS`] lists them all.
#[derive(Debug)]
pub struct Job {
    /// Name of its command and of its section in the settings.
    pub name: &'static str,
    /// Names of equivalent jobs in other systems, accepted wherever its own name is.
    pub aliases: &'static [&'static str],
    /// First line of its help.
    pub about: &'static str,
    /// The rest of its help, in paragraphs.
    pub help: &'static str,
    /// Unit and participle for the report: `pair`, `compared`.
    pub looks: (&'static str, &'static str),
    /// Participle for changed notes in the report.
    pub done: &'static str,
    /// Message if it finds nothing.
    pub nothing: &'static str,
    /// Default interval, and the help of that setting.
    pub every: Interval,
    pub every_about: &'static str,
    /// Kinds of its questions; each kind belongs to one job.
    pub kinds: &'static [QuestionKind],
    /// Its options: [`JobOptions::of`] their type.
    pub options: JobOptions,
}

impl PartialEq for Job {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Job {}

impl Job {
    /// Returns the job with its options from `settings`.
    pub fn configured(&'static self, settings: &Settings) -> ConfiguredJob {
        ConfiguredJob {
            job: self,
            find: (self.options.read)(settings),
        }
    }

    /// Returns the full help text.
    pub fn long_about(&self) -> String {
        let paragraphs = self.help.trim_end().split("\n\n");
        paragraphs.fold(self.about.to_owned(), |text, paragraph| {
            text + "\n\n" + &paragraph.replace('\n', " ")
        })
    }

    /// Adds its settings to the schema.
    pub fn declare(&self, schema: Schema) -> Schema {
        let schema = schema.interval(self.name, self.every_about, self.every);
        (self.options.declare)(schema)
    }
}

/// The options type of a job, as function pointers.
pub struct JobOptions {
    read: fn(&Settings) -> Box<dyn Find>,
    declare: fn(Schema) -> Schema,
}

impl JobOptions {
    /// Options that depend on more than one section of the settings.
    pub(super) const fn with(
        read: fn(&Settings) -> Box<dyn Find>,
        declare: fn(Schema) -> Schema,
    ) -> Self {
        Self { read, declare }
    }

    pub(super) const fn of<O: SettingsSection + Find + 'static>() -> Self {
        Self {
            read: |settings| Box::new(settings.of::<O>()),
            declare: Schema::section::<O>,
        }
    }
}

impl fmt::Debug for JobOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JobOptions")
    }
}

/// A job with its options.
#[derive(Debug)]
pub struct ConfiguredJob {
    pub job: &'static Job,
    pub find: Box<dyn Find>,
}

impl ConfiguredJob {
    /// Returns a hash of everything besides the notes that determines the findings.
    pub fn basis(&self, view: &View<'_>, answers: &Answers) -> u64 {
        let Self { job, find } = self;
        let (thresholds, forgotten) = (
            view.near().map(NoteSimilarity::thresholds),
            answers.forgotten(),
        );
        xxh3_64(format!("{} {find:?} {thresholds:?} {forgotten}", job.name).as_bytes())
    }
}
