//! `mem remember --jsonl -`: one note per line of stdin.

use clap::{Args as _, FromArgMatches as _};

use super::remember::{RememberRequest, show_saved};
use crate::commands::prelude::*;
use crate::run::remember::batch::{BatchNote, remember_all};

/// Fields of a line that are spelled differently as flags.
const FLAGS: [(&str, &str); 6] = [
    ("tags", "tag"),
    ("aliases", "alias"),
    ("relations", "relation"),
    ("properties", "set"),
    ("folder", "in"),
    ("space_locked", "lock-space"),
];

/// The result of one line.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LineReply {
    /// Number of the line, from 1.
    line: usize,
    #[serde(flatten)]
    note: Option<BatchNote>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LineReplies {
    lines: Vec<LineReply>,
    #[serde(skip)]
    run: Option<RunId>,
}

impl Reply for LineReplies {
    fn show(&self, page: &Page<'_>) {
        for note in self.lines.iter().filter_map(|line| line.note.as_ref()) {
            show_saved(page, &note.path, &note.asked.conflicts);
        }
    }

    fn records(&self) -> Option<Records<'_>> {
        records(&self.lines)
    }

    fn messages(&self) -> Vec<Message> {
        let run = self.run.iter();
        run.map(|run| Message::undo(run.as_str())).collect()
    }

    fn exit(&self) -> Result<Exit> {
        Ok(Exit::found(
            self.lines.iter().all(|line| line.error.is_none()),
        ))
    }
}

/// Saves the note of each line; `flags` apply to lines without the field.
pub(super) fn remember_lines(
    session: &Session,
    flags: &RememberRequest,
    text: &str,
) -> Result<LineReplies> {
    let numbered = text.lines().enumerate();
    let lines = numbered.filter(|(_, line)| !line.trim().is_empty());
    let (numbers, requests): (Vec<usize>, Vec<Result<RememberRequest>>) = lines
        .map(|(number, line)| (number + 1, request(flags, line)))
        .unzip();
    let mut ids = BTreeSet::new();
    let cache = session.fresh_cache()?;
    let (notes, run) = remember_all(session, cache, requests.len(), |at, view, earlier| {
        let request = requests[at].as_ref().map_err(Error::message)?;
        let new = request.new_note(session, view, &mut ids, earlier);
        new.map_err(|error| error.message())
    })?;
    if run.is_some() {
        start_in_background(session, RuleEvent::Ingest);
    }
    let pairs = numbers.into_iter().zip(notes);
    let lines = pairs.map(|(line, note)| match note {
        Ok(note) => LineReply {
            line,
            note: Some(note),
            error: None,
        },
        Err(error) => LineReply {
            line,
            note: None,
            error: Some(error),
        },
    });
    Ok(LineReplies {
        lines: lines.collect(),
        run,
    })
}

/// Reads a line as the flags of `mem remember`, so that both accept the same values.
fn request(flags: &RememberRequest, line: &str) -> Result<RememberRequest> {
    let map: Map<String, Value> = serde_json::from_str(line)
        .map_err(|error| Error::new(format!("not a JSON object: {error}")))?;
    let mut request = flags.clone();
    let mut arguments = vec!["remember".to_owned()];
    for (key, value) in &map {
        match (key.as_str(), value) {
            ("text", Value::String(text)) => request.text.clone_from(text),
            ("id", Value::String(id)) if !id.trim().is_empty() => request.id = Some(id.clone()),
            ("text" | "id", _) => return Err(Error::new(format!("`{key}` must be a text"))),
            _ => {
                let mut names = FLAGS.iter();
                let pair = names.find(|(name, _)| name == key);
                let flag =
                    pair.map_or_else(|| key.replace('_', "-"), |(_, flag)| (*flag).to_owned());
                add_arguments(&mut arguments, &flag, value)?;
            }
        }
    }
    if request.text.trim().is_empty() {
        return Err(Error::new("`text` is missing or empty"));
    }
    let command = RememberRequest::augment_args_for_update(clap::Command::new("remember"));
    let parsed = command
        .no_binary_name(false)
        .try_get_matches_from(&arguments);
    let read = parsed.and_then(|matches| request.update_from_arg_matches(&matches));
    read.map_err(|error| {
        let shown = error.to_string();
        let first = shown.lines().next().unwrap_or_default();
        Error::new(first.trim_start_matches("error: ").to_owned())
    })?;
    Ok(request)
}

/// Adds the arguments that state `value` for a flag.
fn add_arguments(arguments: &mut Vec<String>, flag: &str, value: &Value) -> Result<()> {
    match value {
        Value::Null | Value::Bool(false) => {}
        Value::Bool(true) => arguments.push(format!("--{flag}")),
        Value::Array(items) => {
            for item in items {
                add_arguments(arguments, flag, item)?;
            }
        }
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    // A relation to several notes.
                    Value::Array(items) if flag == "relation" => {
                        for item in items.iter().filter_map(Value::as_str) {
                            arguments.push(format!("--{flag}={key}={item}"));
                        }
                    }
                    Value::String(text) if flag == "relation" => {
                        arguments.push(format!("--{flag}={key}={text}"));
                    }
                    value => arguments.push(format!("--{flag}={key}={value}")),
                }
            }
        }
        Value::String(text) => arguments.push(format!("--{flag}={text}")),
        Value::Number(number) => arguments.push(format!("--{flag}={number}")),
    }
    Ok(())
}
