//! `mem extract`

use crate::commands::args::query_args::{meant, query_text};
use crate::commands::render::fact_record::FactRecord;
use crate::error::{Error, Exit};
use crate::output::{Form, Style, count};
use crate::run::judge::facts::read_facts;
use crate::run::sleep::signals::exit_on_signal;
use crate::session::{Environment, Session};
use crate::view::facts::FactFilter;

/// List what notes state, as subject, predicate, object
///
/// Reads plain forms only: properties and relations (`requires: 20`), headings over a list of links,
/// definition lists, `**Key**: value` and `key:: value`, and simple English sentences (`Ann founded Acme`,
/// `Superseded by [[Plan B]]`). What is denied, planned, asked or perhaps so states nothing. A name that
/// is a note's title, alias, file name or number is that note.
///
/// These are read from the notes each time: nothing is stored, nothing goes stale, and `mem sleep`
/// has nothing to do for it. `mem graph NAME` follows them from one thing to the next.
///
/// With `--judge` the model or command of your settings (see `mem judge --help`) first reads the notes that changed
/// since it last read them, within the caps of `mem judge`. It must quote the note, and name subject and object in
/// the quote; other facts are dropped. Its facts are kept in the journal until the note says something else. A
/// command gets `{"instructions", "kind": "facts", "note"}` on stdin.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only this note, or the notes that match this query [default: all]
    #[arg(value_name = "NOTE|QUERY", value_parser = query_text())]
    query: Vec<String>,
    /// Only facts of this predicate, like `requires` or `works at`; repeatable
    #[arg(long = "predicate", value_name = "NAME")]
    predicates: Vec<String>,
    /// Have the judge read the notes first
    #[arg(long)]
    judge: bool,
    /// With --judge, show what it would be asked, and ask nobody
    #[arg(long, requires = "judge")]
    dry_run: bool,
    /// List at most N
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
}

/// Lists them.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let session = env.open()?;
    let failure = if args.judge {
        read(&session, args)?
    } else {
        None
    };
    if args.judge && args.dry_run {
        return Ok(Exit::found(true));
    }
    let selection = meant(&session, &args.query)?;
    let filter = FactFilter {
        predicates: args.predicates.clone(),
        among: None,
        limit: args.limit.unwrap_or(usize::MAX),
    };
    let (graph, skipped) = selection.view.facts_of(&selection.entries, &filter)?;
    let output = &env.output;
    for why in skipped {
        output.warn(&why);
    }
    if output.form == Form::Human {
        for fact in &graph.facts {
            let [subject, object] = [fact.subject, fact.object].map(|place| {
                let thing = &graph.things[place];
                let style = thing.note.as_ref().map(|_| Style::Title);
                style.map_or_else(
                    || output.clean(&thing.name),
                    |style| output.paint(style, &thing.name),
                )
            });
            let predicate = output.clean(&fact.predicate);
            let place = output.place_at(fact.source.path.as_str(), fact.line);
            output.line(&format!("{place}: {subject} -{predicate}-> {object}"))?;
        }
        if output.stdout_is_terminal && graph.is_cut {
            output.say(&format!("the first {}", count(graph.facts.len(), "fact")));
        }
    } else {
        let facts = graph.facts.iter().map(|fact| FactRecord::of(&graph, fact));
        output.records("facts", &facts.collect::<Vec<_>>())?;
    }
    if graph.facts.is_empty() {
        output.say(if selection.entries.is_empty() {
            "no matches"
        } else {
            "no facts in plain forms"
        });
    }
    match failure {
        Some(failure) => Err(failure),
        None => Ok(Exit::found(!graph.facts.is_empty())),
    }
}

/// Has the judge read what it has not read; returns why it read nothing, where it failed. What the notes state in
/// plain forms is listed all the same.
fn read(session: &Session, args: &Args) -> Result<Option<Error>, Error> {
    let entries = meant(session, &args.query)?.entries;
    let cache = session.cache()?;
    // A call that was paid for is recorded before a signal ends the process.
    let stop = &session.env.stop;
    let work = stop.critical_section();
    exit_on_signal(stop, || ())?;
    let report = read_facts(session, &cache, &entries, args.dry_run);
    drop(work);
    let report = report?;
    let output = &session.env.output;
    let calls = count(report.calls, "call");
    let tokens = count(report.tokens, "token");
    if args.dry_run {
        let notes = count(report.notes, "note");
        let judge = output.clean(&report.judge);
        if output.form == Form::Human {
            output.say(&format!("{notes}, {calls}, about {tokens}, to {judge}"));
        } else {
            output.record(&report)?;
        }
    } else if report.calls > 0 {
        let failed = match report.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        let facts = count(report.facts, "fact");
        output.say(&format!("{calls}, {tokens}{failed}: {facts} read"));
    }
    if let Some(why) = report.left_out_why {
        let left_out = count(report.left_out, "fact");
        output.say(&output.clean(&format!("{left_out} left out: {why}")));
    }
    if report.left > 0 {
        let left = count(report.left, "note");
        output.say(&format!(
            "{left} left for the next run (`judge.calls`, `judge.calls_per_kind`, `judge.tokens`)"
        ));
    }
    let Some(why) = report.why else {
        return Ok(None);
    };
    if report.failed < report.calls {
        output.warn(&format!("some notes were not read: {why}"));
        return Ok(None);
    }
    let failure = Error::new(format!("the judge failed: {why}"));
    Ok(Some(failure.hint(if report.is_absent {
        "is the server running, does the command work? `mem judge --help`"
    } else {
        "it is asked again in a later run, three times in all; what it is told: `mem judge --prompt facts`"
    })))
}
