//! Extracts facts from notes with a judge, once per text. Every fact is checked against the note's
//! words.

use super::budget::Budget;
use super::call_context::{CallContext, CallFailure, CallRequest, CallResult, MAX_BUSY_WAIT};
use super::dispatch::{PlannedCall, run_calls};
use super::judges::{Judge, judges};
use super::prompts::{FACTS, Prompts};
use super::reply::json_objects;
use crate::journal::facts::{ReadFacts, hash_text};
use crate::journal::opinions::MAX_FAILURES;
use crate::note::facts::{JudgedFact, MAX_FACT_PART_CHARS};
use crate::note::markdown::listing;
use crate::note::normal_hash;
use crate::run::prelude::*;

/// Estimated size of a fact in a reply, in bytes.
const EXPECTED_FACT_BYTES: usize = 200;

/// Maximum length of a quote, in characters.
const MAX_QUOTE_CHARS: usize = 500;

/// Bytes of a note per requested fact.
const BYTES_PER_FACT: usize = 20;

/// Result of extracting facts.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct FactsReport {
    /// Notes that were read, or would be in a dry run.
    pub notes: usize,
    pub calls: usize,
    pub failed: usize,
    /// The judge and where it runs.
    pub judge: String,
    /// Facts whose words occur in their notes.
    pub facts: usize,
    /// Facts that were rejected.
    pub left_out: usize,
    pub left_out_why: Option<String>,
    /// Tokens used, as far as the judge counts them; an estimate in a dry run.
    pub tokens: usize,
    /// Notes left for the next run because a limit was reached.
    pub left: usize,
    /// Error of the first failed call.
    pub why: Option<String>,
    /// Whether the judge was unreachable.
    pub is_absent: bool,
}

/// A request to extract facts from a note, or from a part of a long one.
#[derive(Debug)]
struct FactsRequest {
    instructions: String,
    /// The whole text of the note, which facts are checked against.
    text: String,
    stem: String,
    most: usize,
    bytes: usize,
    question: String,
}

/// The question as JSON.
#[derive(Serialize)]
struct NoteDocument<'p> {
    path: &'p str,
    title: &'p str,
    most: usize,
    text: &'p str,
}

#[derive(Deserialize)]
struct Reply {
    facts: Vec<Value>,
}

/// The usable part of a reply.
#[derive(Debug, Default)]
struct ParsedFacts {
    facts: Vec<JudgedFact>,
    /// Number of rejected facts; `why` has the first reason.
    left_out: usize,
    why: Option<String>,
}

impl CallRequest for FactsRequest {
    type Reply = ParsedFacts;

    fn kind(&self) -> &'static str {
        FACTS
    }

    fn instructions(&self) -> &str {
        &self.instructions
    }

    fn question(&self) -> &str {
        &self.question
    }

    fn document(&self) -> Vec<u8> {
        let note: Value = serde_json::from_str(&self.question).unwrap_or_default();
        let document = json!({"instructions": self.instructions, "kind": FACTS, "note": note});
        document.to_string().into_bytes()
    }

    fn schema(&self) -> Value {
        // Without limits a small model repeats itself for ever.
        let text = json!({"type": "string", "maxLength": MAX_FACT_PART_CHARS});
        let quote = json!({"type": "string", "maxLength": self.bytes.min(MAX_QUOTE_CHARS)});
        let fact = json!({
            "type": "object",
            "properties": {"subject": text, "predicate": text, "object": text, "quote": quote},
            "required": ["subject", "predicate", "object", "quote"],
            "additionalProperties": false,
        });
        json!({
            "type": "object",
            "properties": {"facts": {"type": "array", "items": fact, "maxItems": max_facts(self.bytes, self.most)}},
            "required": ["facts"],
            "additionalProperties": false,
        })
    }

    fn reply_bytes(&self) -> usize {
        self.bytes.min(self.most * EXPECTED_FACT_BYTES)
    }

    /// Returns the facts that the note supports; fails if there are facts but none is supported.
    fn read(&self, text: &str) -> Result<ParsedFacts, String> {
        let Some(Reply { facts }) = json_objects(text).next() else {
            let brief: String = text.trim().chars().take(80).collect();
            return Err(format!("no facts in “{brief}”"));
        };
        let note = note::read(&self.text, &self.stem);
        let mut parsed = ParsedFacts::default();
        for fact in facts {
            let read = serde_json::from_value::<JudgedFact>(fact)
                .map_err(|error| error.to_string())
                .and_then(|fact| {
                    fact.fact(&self.text, &note, &self.stem)?;
                    if parsed.facts.len() == self.most {
                        return Err(format!("at most {} facts per note are accepted", self.most));
                    }
                    Ok(fact)
                });
            match read {
                Ok(fact) => parsed.facts.push(fact),
                Err(why) => {
                    parsed.left_out += 1;
                    parsed.why.get_or_insert(why);
                }
            }
        }
        match parsed.why {
            Some(why) if parsed.facts.is_empty() => Err(why),
            _ => Ok(parsed),
        }
    }
}

/// Returns the number of facts to request for a text of `bytes` bytes.
fn max_facts(bytes: usize, most: usize) -> usize {
    most.min(1 + bytes / BYTES_PER_FACT)
}

/// A note, or a part of a long one, as the key of stored facts.
#[derive(Clone)]
struct TextPart {
    path: String,
    key: u64,
    /// Hash of the part; none for a whole note.
    part: Option<u64>,
}

impl TextPart {
    fn part(&self) -> String {
        self.part.map_or_else(String::new, hash_text)
    }
}

/// Has the first judge extract facts from the texts of `entries` that it has not read yet.
pub fn read_facts(
    session: &Session,
    cache: &Cache,
    entries: &[Entry],
    dry_run: bool,
) -> Result<FactsReport> {
    let options: JudgeOptions = session.settings.of();
    let prompts = Prompts::load(&session.env.folders.config)?;
    let judges = judges(&options, &prompts, (!dry_run).then_some(&session.env))?;
    let judge = &judges[0];
    let _lock = (!dry_run).then(|| super::lock(session)).transpose()?;
    let budget = Mutex::new(Budget::of(&options));
    let mut report = FactsReport {
        judge: judge.location(),
        ..FactsReport::default()
    };
    let planned = {
        let view = session.view(cache)?;
        let told = prompts.joined(&[FACTS]);
        plan(
            &view,
            entries,
            judge,
            &options,
            (&told, &budget),
            &mut report,
        )?
    };
    if dry_run {
        report.calls = planned.len();
        report.tokens = planned.iter().map(|one| one.request.tokens()).sum();
        return Ok(report);
    }
    let progress = Progress::spinner(&session.env.output, FACTS);
    let context = CallContext {
        vault: session.vault.root(),
        timeout: options.timeout,
        stop: &session.env.stop,
        budget: &budget,
        patience: &Mutex::new(MAX_BUSY_WAIT),
        report_wait: &|words| progress.says(words),
    };
    let device = session.journal_folder()?;
    let at = session.env.now.timestamp();
    run_calls(&planned, options.parallel, &context, |planned, result| {
        report.calls += 1;
        report.tokens += result.tokens.unwrap_or(0);
        match record_of(planned, at, result, &mut report) {
            Some(read) => journal::append(&device, &[read])
                .map_err(|error| Error::io("write to", &device, &error)),
            None => Ok(()),
        }
    })?;
    drop(progress);
    Ok(report)
}

/// Returns the record of a call, or none if the judge was unreachable.
fn record_of(
    planned: &PlannedCall<'_, TextPart, FactsRequest>,
    at: jiff::Timestamp,
    result: CallResult<ParsedFacts>,
    report: &mut FactsReport,
) -> Option<ReadFacts> {
    let mut read = ReadFacts {
        key: hash_text(planned.about.key),
        part: planned.about.part(),
        judge: planned.judge.name(FACTS).to_owned(),
        facts: Vec::new(),
        why: None,
        at,
        about: planned.about.path.clone(),
        failures: planned.failures,
    };
    match result.reply {
        Ok(parsed) => {
            report.facts += parsed.facts.len();
            report.left_out += parsed.left_out;
            report.left_out_why = report.left_out_why.take().or(parsed.why);
            read.facts = parsed.facts;
        }
        Err(failure) => {
            report.failed += 1;
            let why = failure.why();
            report.why.get_or_insert_with(|| why.to_owned());
            read.failures += 1;
            read.why = Some(why.to_owned());
            if matches!(failure, CallFailure::Absent(_)) {
                report.is_absent = true;
                return None;
            }
        }
    }
    Some(read)
}

/// Returns the parts of notes to read, within the budget.
fn plan<'j>(
    view: &View<'_>,
    entries: &[Entry],
    judge: &'j Judge,
    options: &JudgeOptions,
    (instructions, budget): (&str, &Mutex<Budget>),
    report: &mut FactsReport,
) -> Result<Vec<PlannedCall<'j, TextPart, FactsRequest>>> {
    let mut budget = budget.lock().unwrap_or_else(PoisonError::into_inner);
    let known = view.known_facts()?;
    let (mut seen, mut planned) = (HashSet::new(), Vec::new());
    for entry in entries {
        let key = view.content_key(entry)?;
        let before = |part: &str| {
            let mut known = known.of(key).iter();
            known.find(|read| read.judge == judge.name(FACTS) && read.part == part)
        };
        let is_final = |read: &ReadFacts| read.why.is_none() || read.failures >= MAX_FAILURES;
        if before("").is_some_and(is_final) {
            continue;
        }
        let Ok(text) = view.text(entry) else {
            continue;
        };
        let title = view.details(entry.slot)?.title;
        let text = listing::blanked(&text).into_owned();
        let parts = super::excerpt::parts(&text, options.bytes);
        let (mut is_read, mut is_left) = (false, false);
        for part in &parts {
            let text_part = TextPart {
                path: entry.path.to_string(),
                key,
                part: (parts.len() > 1).then(|| normal_hash(part)),
            };
            let before = before(&text_part.part());
            // Equal texts are read once.
            if before.is_some_and(is_final) || !seen.insert((key, text_part.part)) {
                continue;
            }
            let request = FactsRequest {
                instructions: instructions.to_owned(),
                question: serde_json::to_string(&NoteDocument {
                    path: entry.path.as_str(),
                    title: &title,
                    most: max_facts(part.len(), options.facts),
                    text: part,
                })
                .unwrap_or_default(),
                text: text.clone(),
                stem: entry.path.stem().to_owned(),
                most: options.facts,
                bytes: part.len(),
            };
            if !budget.reserve(FACTS, 1, request.tokens()) {
                is_left = true;
                continue;
            }
            is_read = true;
            planned.push(PlannedCall {
                about: text_part,
                request,
                judge,
                failures: before.map_or(0, |read| read.failures),
            });
        }
        report.notes += usize::from(is_read);
        report.left += usize::from(is_left);
    }
    Ok(planned)
}
