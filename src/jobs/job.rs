//! The entry of a job in the table: what the command line, settings, sleep, reports and review need.

use std::fmt;

use crate::config::{Schema, Section, Settings};
use crate::jobs::prelude::*;
use crate::view::near::Near;

/// A maintenance job; [`super::JOBS`] has them all.
#[derive(Debug)]
pub struct Job {
    /// As the user types it; also its section in the settings.
    pub name: &'static str,
    /// The names by which other systems' jobs of this kind go, taken wherever its own is.
    pub aliases: &'static [&'static str],
    /// The first line of its help.
    pub about: &'static str,
    /// The rest of its help, in paragraphs of lines.
    pub help: &'static str,
    /// What it looks at, and what it does with them: `pair`, `compared`.
    pub looks: (&'static str, &'static str),
    /// What became of the notes that it changed.
    pub done: &'static str,
    /// What is said if it finds nothing.
    pub nothing: &'static str,
    /// Default interval, and the help of that setting.
    pub every: Every,
    pub every_about: &'static str,
    /// The kinds of its questions; no other job has them.
    pub kinds: &'static [Kind],
    /// Its options: [`Options::of`] their type.
    pub options: Options,
}

impl PartialEq for Job {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Job {}

impl Job {
    /// Returns the job with the options that `settings` have for it.
    pub fn configured(&'static self, settings: &Settings) -> Configured {
        Configured {
            job: self,
            find: (self.options.read)(settings),
        }
    }

    /// Returns the whole of its help.
    pub fn long_about(&self) -> String {
        let paragraphs = self.help.trim_end().split("\n\n");
        paragraphs.fold(self.about.to_owned(), |text, paragraph| {
            text + "\n\n" + &paragraph.replace('\n', " ")
        })
    }

    /// Adds its settings to those that there are.
    pub fn declare(&self, schema: Schema) -> Schema {
        let schema = schema.interval(self.name, self.every_about, self.every);
        (self.options.declare)(schema)
    }
}

/// The type of a job's options, as a value.
pub struct Options {
    read: fn(&Settings) -> Box<dyn Find>,
    declare: fn(Schema) -> Schema,
}

impl Options {
    /// Options that more than a section of the settings decides.
    pub(super) const fn with(
        read: fn(&Settings) -> Box<dyn Find>,
        declare: fn(Schema) -> Schema,
    ) -> Self {
        Self { read, declare }
    }

    pub(super) const fn of<O: Section + Find + 'static>() -> Self {
        Self {
            read: |settings| Box::new(settings.of::<O>()),
            declare: Schema::section::<O>,
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Options")
    }
}

/// A job and the options that it goes by.
#[derive(Debug)]
pub struct Configured {
    pub job: &'static Job,
    pub find: Box<dyn Find>,
}

impl Configured {
    /// Returns a hash of all that decides, beside the notes, what it finds.
    pub fn basis(&self, view: &View<'_>, answers: &Answers) -> u64 {
        let Self { job, find } = self;
        let (thresholds, forgotten) = (view.near().map(Near::thresholds), answers.forgotten());
        xxh3_64(format!("{} {find:?} {thresholds:?} {forgotten}", job.name).as_bytes())
    }
}
