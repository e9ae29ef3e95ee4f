//! The facts around one thing.

use serde::Serialize;

use super::drawing::{self, Drawn, Format};
use super::page;
use crate::cache::{Cache, CacheError};
use crate::commands::render::fact_record::{FactRecord, path};
use crate::error::{Error, Exit};
use crate::output::{Form, Output, Style, shell_word};
use crate::session::Session;
use crate::view::Entry;
use crate::view::facts::{FactFilter, FactGraph, Thing};

/// Facts are followed so far, and so many are told.
const HOPS: usize = 5;
pub(super) const FACTS: usize = 200;

#[derive(Debug, Serialize)]
struct Document<'g> {
    entities: Vec<EntityRecord<'g>>,
    facts: Vec<FactRecord<'g>>,
    /// Whether there are more than are told.
    cut: bool,
}

#[derive(Debug, Serialize)]
struct EntityRecord<'g> {
    name: &'g str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'g str>,
    distance: usize,
}

/// Shows what is stated about `middle`, a note or a name.
pub(super) fn show(
    session: &Session,
    cache: Cache,
    middle: &Result<Entry, String>,
    hops: usize,
    filter: &FactFilter,
    format: Format,
) -> Result<Exit, Error> {
    let output = &session.env.output;
    if hops > HOPS {
        return Err(
            Error::new(format!("facts are followed over at most {HOPS} hops"))
                .hint("begin at one of the things found there"),
        );
    }
    let ask = |cache: &Cache| -> Result<_, CacheError> {
        let view = session.view(cache)?.with_text_index(cache.text.reader()?);
        view.facts_around(middle, hops, filter)
    };
    let (graph, _cache) = session.ask(cache, ask)?;
    if let (Err(name), true, false) = (middle, graph.facts.is_empty(), graph.is_cut) {
        return Err(Error::new(format!("no note matches `{name}`"))
            .hint("no note states anything about it in plain forms, either")
            .hint(format!(
                "search the notes with `mem search {}`",
                shell_word(name)
            )));
    }
    session.env.page(&session.settings)?;
    match (output.form, format) {
        (Form::JsonLines, _) => {
            for fact in &graph.facts {
                output.record(&FactRecord::of(&graph, fact))?;
            }
        }
        (Form::Json, _) | (_, Format::Json) => output.record(&document(&graph))?,
        (_, Format::Dot) => drawing::dot(output, &drawn(&graph))?,
        (_, Format::Mermaid) => drawing::mermaid(output, &drawn(&graph))?,
        (_, Format::Html) => page::html(output, &drawn(&graph))?,
        (_, Format::Text) => tree(output, &graph)?,
    }
    if graph.is_cut {
        output.say(&match graph.facts.len() {
            0 => "more notes speak of it than are read for one question; narrow it with `--where`"
                .to_owned(),
            facts => format!("these are the {facts} nearest facts; there are more"),
        });
    }
    if graph.facts.is_empty() && !graph.is_cut {
        output.say("no facts in plain forms");
    }
    Ok(Exit::found(!graph.facts.is_empty()))
}

fn document(graph: &FactGraph) -> Document<'_> {
    let entities = graph.things.iter().map(|thing| EntityRecord {
        name: &thing.name,
        path: path(thing),
        distance: thing.distance,
    });
    let facts = graph.facts.iter().map(|fact| FactRecord::of(graph, fact));
    Document {
        entities: entities.collect(),
        facts: facts.collect(),
        cut: graph.is_cut,
    }
}

fn drawn(graph: &FactGraph) -> Drawn<'_> {
    let things = graph.things.iter();
    let edges = graph.facts.iter();
    Drawn {
        nodes: things
            .map(|thing| (thing.name.as_str(), path(thing).unwrap_or(&thing.name)))
            .collect(),
        edges: edges
            .map(|fact| (fact.subject, fact.object, Some(fact.predicate.as_str())))
            .collect(),
    }
}

fn tree(output: &Output, graph: &FactGraph) -> Result<(), Error> {
    let distances: Vec<usize> = graph.things.iter().map(|thing| thing.distance).collect();
    let facts = graph.facts.iter();
    let edges: Vec<(usize, usize)> = facts.map(|fact| (fact.subject, fact.object)).collect();
    output.line(&name(output, &graph.things[0]))?;
    drawing::tree(output, &distances, &edges, |at, leads_there, other| {
        let fact = &graph.facts[at];
        let predicate = output.clean(&fact.predicate);
        let arrow = if leads_there {
            format!("-{predicate}->")
        } else {
            format!("<-{predicate}-")
        };
        let other = name(output, &graph.things[other]);
        let place = output.place_at(fact.source.path.as_str(), fact.line);
        Ok(format!("{arrow} {other}  ({place})"))
    })
}

fn name(output: &Output, thing: &Thing) -> String {
    let Some(note) = &thing.note else {
        return output.clean(&thing.name);
    };
    let path = output.place(note.path.as_str());
    if note.path.stem() == thing.name {
        path
    } else {
        format!("{path}  {}", output.paint(Style::Title, &thing.name))
    }
}
