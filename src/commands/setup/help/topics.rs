//! `mem help TOPIC`: texts that belong to no single command.
//!
//! A topic is a text file in this folder. Placeholders in braces are filled in from the code. A
//! test parses its examples: lines that begin with two blanks and `mem`.

use super::conventions::{DOCUMENTS, ENVIRONMENT, EXIT_STATUS, FILES, RECORDS, terms};
use super::paged::show_text;
use super::table::table;
use crate::commands::prelude::*;
use crate::config::Setting;
use crate::jobs::job::Job;
use crate::output::Color;
use crate::recall::query::STATES;
use crate::signals::{FIELDS, FieldType};

/// A help text that belongs to no single command.
#[derive(Debug)]
pub struct Topic {
    pub name: &'static str,
    pub about: &'static str,
    text: &'static str,
}

/// Defines the topics; the text of each is in the file with its name.
macro_rules! topics {
    ($($name:literal: $about:literal;)+) => {
        pub const TOPICS: &[Topic] = &[$(Topic {
            name: $name,
            about: $about,
            text: include_str!(concat!($name, ".txt")),
        }),+];
    };
}

topics! {
    "query": "Query language: words, fields, dates, saved queries";
    "json": "Output for programs: records, exit codes";
    "agents": "How a program uses a vault as its memory";
    "files": "Where files are, and which may be deleted";
    "settings": "All settings and their meaning";
    "jobs": "What each maintenance job does";
    "schedule": "When jobs run and what they may change";
    "answers": "How to answer the questions of jobs";
    "judges": "Models and programs that answer questions";
    "facts": "What mem reads as facts";
    "rule-format": "How rules are written";
}

impl Topic {
    /// Returns the topic with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TOPICS.iter().find(|topic| topic.name == name)
    }

    /// Returns its text with placeholders filled in.
    pub fn text(&self) -> String {
        let states = STATES.map(|(_, name, about)| (format!("is:{name}"), about));
        self.text
            .replace("{fields}", &table(fields(), 23))
            .replace("{states}", &table(states, 23))
            .replace("{records}", &table(terms(RECORDS).map(owned), 20))
            .replace("{things}", &table(terms(DOCUMENTS).map(owned), 20))
            .replace("{exits}", &table(terms(EXIT_STATUS).map(owned), 4))
            .replace("{files}", &table(terms(FILES).map(owned), 28))
            .replace("{settings}", &settings(true))
            .replace("{expert}", &settings(false))
            .replace("{jobs}", &jobs())
            .replace("{environment}", &table(terms(ENVIRONMENT).map(owned), 20))
    }
}

fn owned<'a>((term, meaning): (&'a str, &'a str)) -> (String, &'a str) {
    (term.to_owned(), meaning)
}

/// Returns the everyday or the expert settings with their meaning.
fn settings(is_everyday: bool) -> String {
    let settings = SCHEMA.all();
    let listed = settings.filter(|setting| setting.is_everyday == is_everyday);
    table(listed.map(meaning), 10)
}

/// Returns a setting with its meaning and accepted values.
fn meaning(setting: &Setting) -> (String, String) {
    let meaning = format!("{} (takes {})", setting.about, setting.takes);
    (setting.key.clone(), meaning)
}

/// Returns the full help of all jobs.
fn jobs() -> String {
    let help = |job: &&Job| {
        let paragraphs = job.help.trim_end().split("\n\n");
        let paragraphs = paragraphs.map(|paragraph| paragraph.replace('\n', " "));
        let first = (job.name.to_owned(), format!("{}.", job.about));
        table(
            [first]
                .into_iter()
                .chain(paragraphs.map(|text| (String::new(), text))),
            4,
        )
    };
    JOBS.iter().map(help).collect::<Vec<_>>().join("\n\n")
}

/// Returns examples of the query fields; states and properties are explained separately.
fn fields() -> impl Iterator<Item = (String, String)> {
    let listed = FIELDS
        .iter()
        .filter(|field| !matches!(field.kind, FieldType::State | FieldType::Property));
    let examples = listed.map(|field| field.example);
    examples.map(|(example, about)| (example.replace('`', ""), about.replace('`', "")))
}

#[derive(Debug, Serialize)]
struct Record<'a> {
    topic: &'a str,
    about: &'a str,
    text: &'a str,
}

/// Shows the topic.
pub fn show(topic: &Topic, form: Form, no_pager: bool, command: String) -> Result<()> {
    let text = topic.text();
    if form == Form::Human {
        return show_text(|_| text, no_pager, command);
    }
    let output = Output::new(form, false, Color::Never);
    output.record(&Record {
        topic: topic.name,
        about: topic.about,
        text: &text,
    });
    output.close()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_fit_a_terminal_without_placeholders() {
        for topic in TOPICS {
            let text = topic.text();
            for line in text.lines() {
                assert!(line.chars().count() <= 80, "{}: {line}", topic.name);
                assert!(line.trim_end() == line, "{}: {line}", topic.name);
            }
            for name in [
                "fields",
                "states",
                "records",
                "things",
                "exits",
                "files",
                "environment",
                "settings",
                "expert",
                "jobs",
            ] {
                assert!(!text.contains(&format!("{{{name}}}")), "{name}");
            }
        }
    }
}
