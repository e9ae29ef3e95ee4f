//! A fact as `extract` and `graph` write it.

use serde::Serialize;

use crate::view::facts::{FactGraph, Stated, Thing};

#[derive(Debug, Serialize)]
pub(crate) struct FactRecord<'g> {
    subject: &'g str,
    /// The note that it is, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    subject_path: Option<&'g str>,
    predicate: &'g str,
    object: &'g str,
    #[serde(skip_serializing_if = "Option::is_none")]
    object_path: Option<&'g str>,
    /// The note that states it, and where.
    path: &'g str,
    line: usize,
    rule: &'static str,
}

impl<'g> FactRecord<'g> {
    pub(crate) fn of(graph: &'g FactGraph, fact: &'g Stated) -> Self {
        let [subject, object] = [fact.subject, fact.object].map(|place| &graph.things[place]);
        Self {
            subject: &subject.name,
            subject_path: path(subject),
            predicate: &fact.predicate,
            object: &object.name,
            object_path: path(object),
            path: fact.source.path.as_str(),
            line: fact.line,
            rule: fact.rule.name(),
        }
    }
}

pub(crate) fn path(thing: &Thing) -> Option<&str> {
    thing.note.as_ref().map(|note| note.path.as_str())
}
