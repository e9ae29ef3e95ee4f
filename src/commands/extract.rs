//! `mem extract`

use super::fact_record::{FactRecord, place};
use super::query_args::{meant, query_text};
use crate::error::{Error, Exit};
use crate::output::{Form, Style, count};
use crate::session::Environment;
use crate::view::facts::FactFilter;

/// List what notes state, as subject, predicate, object
///
/// Reads plain forms only: properties and relations (`requires: 20`), headings over a list of links,
/// definition lists, `**Key**: value` and `key:: value`, and simple English sentences (`Ann founded Acme`,
/// `Superseded by [[Plan B]]`). What is denied, planned, asked or perhaps so states nothing. A name that
/// is a note's title, alias, file name or number is that note.
///
/// The facts are read from the notes each time: nothing is stored, nothing goes stale, and `mem sleep`
/// has nothing to do for it. `mem graph NAME` follows them from one thing to the next.
///
/// Examples: `mem extract type:person`, `mem extract --predicate requires --jsonl`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only this note, or the notes that match this query [default: all]
    #[arg(value_parser = query_text())]
    query: Vec<String>,
    /// Only facts of this predicate, like `requires` or `works at`; repeatable
    #[arg(long = "predicate", value_name = "NAME")]
    predicates: Vec<String>,
    /// List at most N
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
}

/// Lists them.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let session = env.open()?;
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
            let place = place(output, fact);
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
    Ok(Exit::found(!graph.facts.is_empty()))
}
