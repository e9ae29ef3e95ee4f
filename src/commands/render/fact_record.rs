//! The record of a fact, for `extract` and `graph`.

use crate::commands::prelude::*;
use crate::view::fact_graph::{FactEntity, FactGraph, StatedFact};

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FactRecord {
    pub(crate) subject: String,
    /// The note that the subject is, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) subject_path: Option<VaultPath>,
    pub(crate) predicate: String,
    pub(crate) object: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) object_path: Option<VaultPath>,
    /// The note and line that contain it.
    pub(crate) path: VaultPath,
    pub(crate) line: usize,
    rule: &'static str,
}

impl FactRecord {
    /// Returns the records of all facts in a graph.
    pub(crate) fn all(graph: &FactGraph) -> Vec<Self> {
        let facts = graph.facts.iter();
        facts.map(|fact| Self::of(graph, fact)).collect()
    }

    fn of(graph: &FactGraph, fact: &StatedFact) -> Self {
        let [subject, object] = [fact.subject, fact.object].map(|place| &graph.things[place]);
        Self {
            subject: subject.name.clone(),
            subject_path: path(subject),
            predicate: fact.predicate.clone(),
            object: object.name.clone(),
            object_path: path(object),
            path: fact.source.path.clone(),
            line: fact.line,
            rule: fact.rule.name(),
        }
    }
}

pub(crate) fn path(thing: &FactEntity) -> Option<VaultPath> {
    thing.note.as_ref().map(|note| note.path.clone())
}
