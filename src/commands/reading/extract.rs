//! `mem extract`

use crate::commands::prelude::*;
use crate::commands::render::fact_record::FactRecord;
use crate::run::interrupt::exit_on_signal;
use crate::run::judge::facts::{FactsReport, read_facts};
use crate::run::template::remove_templates;
use crate::view::FactFilter;

/// List the facts in notes as subject, predicate, object
///
/// Reads properties, relations, definition lists, `key:: value` lines and simple English sentences
/// each time it runs; `mem help facts` lists the forms. Nothing is stored. `mem graph NAME` follows
/// facts from one thing to the next.
#[derive(Debug, clap::Args)]
pub struct ExtractRequest {
    /// Only this note, or the notes that match this query [default: all]
    #[arg(value_name = "NOTE|QUERY", value_parser = query_text())]
    pub query: Vec<String>,
    /// Only facts with this predicate, like `requires` or `works at`; repeatable
    #[arg(long = "predicate", value_name = "NAME")]
    pub predicates: Vec<String>,
    /// Let the judge read changed notes first
    #[arg(long)]
    pub judge: bool,
    /// With --judge, show the calls it would make, and make none
    #[arg(long, requires = "judge")]
    pub dry_run: bool,
    /// List at most N
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FactList {
    facts: Vec<FactRecord>,
    /// Whether there are more facts than the limit.
    #[serde(skip)]
    is_cut: bool,
    /// Whether any note matched.
    #[serde(skip)]
    has_notes: bool,
    /// Why the judge read no note.
    #[serde(skip)]
    failure: Option<Error>,
}

impl Request for ExtractRequest {
    type Reply<'s> = Either<FactList, FactsReport>;

    fn answer(&self, session: &Session) -> Result<Self::Reply<'_>> {
        let mut failure = None;
        if self.judge {
            let report = read_with_judge(session, self)?;
            if self.dry_run {
                return Ok(Either::Right(report));
            }
            failure = report_judge(&session.env.output, report);
        }
        let selection = notes_to_read(session, &self.query)?;
        let filter = FactFilter {
            predicates: self.predicates.clone(),
            among: None,
            limit: self.limit.unwrap_or(usize::MAX),
        };
        let (graph, skipped) = selection.view.facts_of(&selection.entries, &filter)?;
        for why in skipped {
            session.env.output.warn(&why);
        }
        Ok(Either::Left(FactList {
            facts: FactRecord::all(&graph),
            is_cut: graph.is_cut,
            has_notes: !selection.entries.is_empty(),
            failure,
        }))
    }
}

impl Reply for FactList {
    fn show(&self, page: &Page<'_>) {
        for fact in &self.facts {
            let name = |name: &str, path: Option<&VaultPath>| match path {
                Some(_) => page.paint(Style::Title, name),
                None => page.clean(name),
            };
            page.row(&format!(
                "{}: {} -{}-> {}",
                page.place_at(fact.path.as_str(), fact.line),
                name(&fact.subject, fact.subject_path.as_ref()),
                page.clean(&fact.predicate),
                name(&fact.object, fact.object_path.as_ref())
            ));
        }
        if page.stdout_is_terminal && self.is_cut {
            page.say(&format!("the first {}", count(self.facts.len(), "fact")));
        }
    }

    list!(facts);

    fn empty_message(&self) -> &'static str {
        if self.has_notes {
            "no facts found; `mem help facts` lists the forms"
        } else {
            "no matches"
        }
    }

    fn exit(&self) -> Result<Exit> {
        match &self.failure {
            Some(failure) => Err(failure.clone()),
            None => Ok(Exit::found(!self.facts.is_empty())),
        }
    }
}

/// The dry run of a judge.
impl Reply for FactsReport {
    fn show(&self, page: &Page<'_>) {
        let notes = count(self.notes, "note");
        let calls = count(self.calls, "call");
        let tokens = count(self.tokens, "token");
        let judge = page.clean(&self.judge);
        page.say(&format!("{notes}, {calls}, about {tokens}, to {judge}"));
    }

    fn messages(&self) -> Vec<Message> {
        let mut messages = Vec::new();
        if let Some(why) = &self.left_out_why {
            let left_out = count(self.left_out, "fact");
            messages.push(format!("{left_out} left out: {why}").replace(['\n', '\r'], " "));
        }
        if self.left > 0 {
            let left = count(self.left, "note");
            messages.push(format!(
                "{left} left for the next run (`judge.calls`, `judge.calls_per_kind`, `judge.tokens`)"
            ));
        }
        messages.into_iter().map(Message::Status).collect()
    }
}

/// Returns the note or the notes to read; a template only if it is the only one.
fn notes_to_read<'s>(session: &'s Session, query: &[String]) -> Result<Selection<'s>> {
    let mut selection = named_or_selected(session, query)?;
    if selection.entries.len() > 1 {
        remove_templates(session, &mut selection.entries);
    }
    Ok(selection)
}

/// Lets the judge read notes that changed since it last read them.
fn read_with_judge(session: &Session, request: &ExtractRequest) -> Result<FactsReport> {
    let entries = notes_to_read(session, &request.query)?.entries;
    let cache = session.cache()?;
    // Delays signals until the answer of a paid call is recorded.
    let stop = &session.env.stop;
    let _work = stop.critical_section();
    exit_on_signal(stop, || ())?;
    read_facts(session, &cache, &entries, request.dry_run)
}

/// Reports the judge's work; returns the error if all its calls failed.
///
/// Facts in plain forms are listed even then.
fn report_judge(output: &Output, report: FactsReport) -> Option<Error> {
    if report.calls > 0 {
        let calls = count(report.calls, "call");
        let tokens = count(report.tokens, "token");
        let failed = match report.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        let facts = count(report.facts, "fact");
        output.say(&format!("{calls}, {tokens}{failed}: {facts} read"));
    }
    report
        .messages()
        .iter()
        .for_each(|one| output.print_message(one));
    let why = report.why?;
    if report.failed < report.calls {
        output.warn(&format!("some notes were not read: {why}"));
        return None;
    }
    let failure = Error::new(format!("the judge failed: {why}"));
    Some(failure.hint(if report.is_absent {
        "check that the server or command works; see `mem help judges`"
    } else {
        "it is retried in later runs, three times in all; `mem judge --prompt facts` prints its prompt"
    }))
}
