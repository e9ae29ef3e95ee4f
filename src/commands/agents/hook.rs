//! `mem hook`

use std::io::{Read as _, Write as _};

use serde_json::json;
use xxhash_rust::xxh3::xxh3_64;

use super::context::{ContextRequest, first_statements};
use super::named::{is_request, named_at, search_words};
use crate::cache;
use crate::cache::row::Slot;
use crate::commands::prelude::*;
use crate::run::plan::open_conflicts::OpenConflicts;

/// Answer an event of an agent's host
///
/// A host runs this with its JSON on stdin. The start of a session gets the text of `mem context`; a
/// prompt gets the notes that it names, each once a session. Prints nothing if it has nothing to
/// add, and always exits with 0. See `docs/agents.md`.
#[derive(Debug, clap::Args)]
pub struct HookArgs {
    /// `session-start` or `prompt`
    #[arg(default_value = "", hide_default_value = true)]
    event: String,
    /// The host, which decides the form of the answer: claude, codex, gemini, cursor, hermes
    /// or plain
    #[arg(long, value_name = "HOST", default_value = "plain")]
    host: String,
}

/// A host, as in `hosts.json`.
#[derive(Debug, Deserialize)]
struct Host {
    name: String,
    /// Keys of the session's id, the first present one counts.
    session: Vec<String>,
    /// JSON pointer to the prompt.
    #[serde(default = "default_prompt")]
    prompt: String,
    /// JSON pointer to a mark of the first prompt, if a session begins with it.
    #[serde(default)]
    first_turn: Option<String>,
    /// The events that take context, with their names at the host.
    events: BTreeMap<String, String>,
    form: AnswerForm,
}

/// How a host takes context.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AnswerForm {
    /// `{"hookSpecificOutput": {"hookEventName": …, "additionalContext": …}}`
    HookSpecific,
    /// `{"additional_context": …}`
    AdditionalContext,
    /// `{"context": …}`
    Context,
    Text,
}

fn default_prompt() -> String {
    "/prompt".to_owned()
}

/// What a session has been given.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct SessionRecord {
    /// Hashes of answered prompts.
    prompts: BTreeSet<u64>,
    /// Paths of notes.
    notes: BTreeSet<String>,
}

/// Maximum bytes of the host's JSON.
const MAX_INPUT_BYTES: u64 = 4 << 20;
/// Maximum bytes of a prompt that are read.
const MAX_PROMPT_BYTES: usize = 4000;
/// Maximum number of words to search for, of candidates, and of notes in an answer.
const MAX_WORDS: usize = 40;
const MAX_CANDIDATES: usize = 50;
const MAX_NOTES: usize = 4;
/// Maximum bytes of one note in an answer, about 20 tokens.
const MAX_BYTES_PER_NOTE: usize = 90;
/// Days after which the record of a session is deleted.
const MAX_DAYS: u64 = 7;

impl HookArgs {
    /// Answers the event. A failure is one line on stderr: a host may erase a prompt if its hook fails.
    pub fn run(&self, env: &Environment) -> Result<Exit> {
        match self.answer(env) {
            Ok(Some(answer)) => {
                let _ = writeln!(io::stdout(), "{answer}");
            }
            Ok(None) => {}
            Err(error) => {
                let line = error.lines().next().unwrap_or_default();
                let _ = writeln!(io::stderr(), "mem hook: {line}");
            }
        }
        Ok(Exit::Done)
    }

    fn answer(&self, env: &Environment) -> Result<Option<String>> {
        let hosts: Vec<Host> = serde_json::from_str(include_str!("hosts.json"))
            .map_err(|error| Error::new("invalid table of hosts").caused_by(&error))?;
        let found = hosts.into_iter().find(|host| host.name == self.host);
        let host = found.ok_or_else(|| Error::new(format!("unknown host `{}`", self.host)))?;
        if !host.events.contains_key(&self.event) {
            // Events of hosts that take no context.
            if matches!(self.event.as_str(), "stop" | "session-end") {
                return Ok(None);
            }
            let mut known: Vec<&str> = host.events.keys().map(|event| &**event).collect();
            known.sort_unstable();
            let problem = match self.event.as_str() {
                "" => "no event given".to_owned(),
                event => format!("host `{}` has no event `{event}`", self.host),
            };
            let known = known.join(", ");
            return Err(Error::new(format!("{problem}; known: {known}")));
        }
        let mut input = Vec::new();
        let read = io::stdin().take(MAX_INPUT_BYTES).read_to_end(&mut input);
        let object: Option<Map<String, Value>> =
            read.ok().and_then(|_| serde_json::from_slice(&input).ok());
        let input = Value::from(object.ok_or_else(|| Error::new("stdin is no JSON object"))?);
        let session_id = host.session.iter().find_map(|key| input.get(key)?.as_str());
        // Messages about the index are not for the host.
        let output = Output::buffered(Form::Human);
        let no_touch = true;
        let env = Environment {
            output,
            no_touch,
            ..env.clone()
        };
        let mut session = env.open()?;
        // A host does not wait for another writer: the index is used as it is.
        session.env.no_sync |= cache::is_locked(&session.homes.cache);
        if session.env.no_sync {
            let language = session.index.language;
            Cache::open(&session.homes.cache, language).map_err(|_| Error::new("no index yet"))?;
        }
        let first_turn = host.first_turn.as_ref();
        let is_first = first_turn.and_then(|at| input.pointer(at)) == Some(&Value::Bool(true));
        let mut texts = Vec::new();
        if self.event == "session-start" || is_first {
            delete_old_records(&session.homes.hooks());
            texts.extend(start_text(&session)?);
        }
        if self.event == "prompt" {
            let prompt = input.pointer(&host.prompt).and_then(Value::as_str);
            let session_id = session_id.unwrap_or_default();
            let prompt = prompt.unwrap_or_default();
            texts.extend(prompt_text(&session, session_id, prompt)?);
        }
        Ok((!texts.is_empty()).then(|| host.shown(&self.event, texts.join("\n"))))
    }
}

impl Host {
    fn shown(&self, event: &str, text: String) -> String {
        let name = self.events.get(event);
        let answer = match self.form {
            AnswerForm::HookSpecific => json!({"hookSpecificOutput": {
                "hookEventName": name,
                "additionalContext": text,
            }}),
            AnswerForm::AdditionalContext => json!({"additional_context": text}),
            AnswerForm::Context => json!({"context": text}),
            AnswerForm::Text => return text,
        };
        answer.to_string()
    }
}

/// Returns the context of a session; `None` if it is empty.
fn start_text(session: &Session) -> Result<Option<String>> {
    let output = Output::buffered(Form::Human);
    let request = ContextRequest::default();
    let (context, _) = request.reply(session);
    let context = context?;
    context.show(&Page::new(&output, &session.env.now));
    let (text, _) = output.take();
    let text = format!(
        "From the notes in {} (mem):\n{}",
        session.vault.root().display(),
        text.trim_end()
    );
    Ok((!context.is_empty()).then_some(text))
}

/// Returns the notes that a prompt names and the session was not given yet.
fn prompt_text(session: &Session, session_id: &str, prompt: &str) -> Result<Option<String>> {
    let end = (0..=MAX_PROMPT_BYTES.min(prompt.len())).rfind(|end| prompt.is_char_boundary(*end));
    let prompt = &prompt[..end.unwrap_or(0)];
    if !is_request(prompt) {
        return Ok(None);
    }
    let name = format!("{:016x}.json", xxh3_64(session_id.as_bytes()));
    let record = session.homes.hooks().join(name);
    let bytes = fs::read(&record).unwrap_or_default();
    let mut given: SessionRecord = serde_json::from_slice(&bytes).unwrap_or_default();
    if !session_id.is_empty() && !given.prompts.insert(xxh3_64(prompt.as_bytes())) {
        return Ok(None);
    }
    let words = search_words(prompt, MAX_WORDS);
    if words.is_empty() {
        return Ok(None);
    }
    let options = SearchOptions {
        mode: Mode::Lexical,
        limit: MAX_CANDIDATES,
        snippet_width: 0,
        ..SearchOptions::default()
    };
    // Any of the words: a prompt contains more than the name.
    let any = words.split(' ').collect::<Vec<_>>().join(" OR ");
    let mut hits = session.search(&any, &options)?.results.hits;
    let is_unique = |word: &str| {
        let titles = hits.iter().map(|hit| hit.details.title.to_lowercase());
        let with_word = titles.filter(|title| title.split_whitespace().any(|part| part == word));
        with_word.count() == 1
    };
    let position = |hit: &Hit| {
        let (title, aliases) = (&hit.details.title, &hit.details.aliases);
        named_at(prompt, title, aliases, is_unique)
    };
    let named: HashMap<Slot, usize> = hits
        .iter()
        .filter_map(|hit| Some((hit.entry.slot, position(hit)?)))
        .collect();
    if named.is_empty() {
        return Ok(None);
    }
    // Only the answer to the question itself marks what is out of date.
    let options = SearchOptions {
        only_relevant: true,
        ..options
    };
    let parts = prompt.split(|c: char| !c.is_alphanumeric());
    let plain = parts.filter(|word| !matches!(*word, "" | "OR" | "AND" | "NOT"));
    let question = plain.take(MAX_WORDS).collect::<Vec<_>>().join(" ");
    let marks: HashMap<Slot, OutdatedReason> = session
        .search(&question, &options)?
        .results
        .hits
        .into_iter()
        .filter_map(|hit| Some((hit.entry.slot, hit.outdated?)))
        .collect();
    hits.retain(|hit| named.contains_key(&hit.entry.slot));
    hits.sort_by_key(|hit| named[&hit.entry.slot]);
    let cache = session.cache()?;
    let view = session.view(&cache)?;
    let conflicts = OpenConflicts::load(session);
    let mut lines = Vec::new();
    for hit in &hits {
        let successor = view.last_replacement(&hit.entry)?;
        let entry = successor.as_ref().unwrap_or(&hit.entry);
        let path = entry.path.to_string();
        let is_hidden = entry.row.flags.tier() == Tier::Forgotten
            || entry.row.expires <= session.env.now.timestamp().as_second();
        if lines.len() == MAX_NOTES || given.notes.contains(&path) || is_hidden {
            continue;
        }
        let text = first_statements(&view, entry, MAX_BYTES_PER_NOTE);
        let text = text.unwrap_or_else(|| hit.details.title.clone());
        let mark = if successor.is_some() {
            format!(", replaces {}", hit.entry.path)
        } else {
            let asked = conflicts.as_ref();
            let asked = asked.map(|conflicts| conflicts.replacement(&view, entry));
            let asked = asked.transpose()?.flatten();
            let reason = asked.as_ref().or_else(|| marks.get(&entry.slot));
            reason.map_or_else(String::new, |reason| format!(", {reason}"))
        };
        lines.push(format!("- {text} ({path}{mark})"));
        given.notes.insert(path);
    }
    // Without the record a note is given twice, which is better than no answer.
    if !session_id.is_empty()
        && let Ok(bytes) = serde_json::to_vec(&given)
    {
        let _ = fs::create_dir_all(session.homes.hooks());
        let _ = own_files::write_atomically(&record, &bytes);
    }
    Ok((!lines.is_empty()).then(|| format!("Notes (mem):\n{}", lines.join("\n"))))
}

/// Deletes the records of sessions that ended long ago.
fn delete_old_records(folder: &Path) {
    let max_age = Duration::from_secs(MAX_DAYS * 24 * 3600);
    let is_old = |path: &Path| {
        let modified = fs::metadata(path).and_then(|metadata| metadata.modified());
        modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > max_age))
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|ending| ending == "json") && is_old(&path) {
            let _ = fs::remove_file(path);
        }
    }
}
