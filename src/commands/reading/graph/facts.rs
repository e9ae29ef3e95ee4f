//! The facts about one thing.

use super::drawing::{Drawing, DrawnEdge, DrawnNode, Format};
use super::page::draw;
use crate::commands::prelude::*;
use crate::commands::render::fact_record::{FactRecord, path};
use crate::view::FactFilter;
use crate::view::fact_graph::FactGraph;

/// Maximum number of hops, and of facts shown.
const MAX_HOPS: usize = 5;
pub(super) const MAX_FACTS: usize = 200;

#[derive(Debug, Serialize, JsonSchema)]
pub struct FactNeighbourhood {
    entities: Vec<EntityRecord>,
    facts: Vec<FactRecord>,
    /// Whether there are more facts than are shown.
    cut: bool,
    #[serde(skip)]
    drawing: Drawing,
    #[serde(skip)]
    format: Format,
}

#[derive(Debug, Serialize, JsonSchema)]
struct EntityRecord {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<VaultPath>,
    distance: usize,
}

/// Returns the facts about `middle`, a note or a name.
pub(super) fn neighbourhood(
    session: &Session,
    cache: Cache,
    middle: &Result<Entry, String>,
    hops: usize,
    filter: &FactFilter,
    format: Format,
) -> Result<FactNeighbourhood> {
    if hops > MAX_HOPS {
        let error = Error::new(format!("facts are followed over at most {MAX_HOPS} hops"));
        return Err(error.hint("start at a name that these facts contain"));
    }
    let ask = |cache: &Cache| -> Result<_, CacheError> {
        let view = session.view(cache)?.with_text_index(cache.text.reader()?);
        view.facts_around(middle, hops, filter)
    };
    let (graph, _cache) = session.ask(cache, ask)?;
    if let (Err(name), true, false) = (middle, graph.facts.is_empty(), graph.is_cut) {
        return Err(Error::new(format!("no note matches `{name}`"))
            .hint("no note contains facts about it")
            .hint(format!(
                "search the notes with `mem search {}`",
                shell_word(name)
            )));
    }
    let entities = graph.things.iter().map(|thing| EntityRecord {
        name: thing.name.clone(),
        path: path(thing),
        distance: thing.distance,
    });
    Ok(FactNeighbourhood {
        entities: entities.collect(),
        facts: FactRecord::all(&graph),
        cut: graph.is_cut,
        drawing: drawing(graph),
        format,
    })
}

impl Reply for FactNeighbourhood {
    fn show(&self, page: &Page<'_>) {
        let place = |at: usize| {
            let FactRecord { path, line, .. } = &self.facts[at];
            format!("  ({})", page.place_at(path.as_str(), *line))
        };
        match self.format {
            Format::Json => page.record(self),
            Format::Text => self.drawing.tree(page, place),
            format => draw(page, format, &self.drawing),
        }
    }

    list!(facts);

    fn messages(&self) -> Vec<Message> {
        let words = match (self.facts.len(), self.cut) {
            (0, true) => "too many notes mention it; narrow it with `--where`".to_owned(),
            (facts, true) => format!("these are the {facts} nearest facts; there are more"),
            (0, false) => "no facts found; `mem help facts` lists the forms".to_owned(),
            _ => return Vec::new(),
        };
        vec![Message::Status(words)]
    }
}

fn drawing(graph: FactGraph) -> Drawing {
    let nodes = graph.things.into_iter().map(|thing| DrawnNode {
        path: path(&thing),
        title: thing.name,
        distance: thing.distance,
    });
    let edges = graph.facts.into_iter().map(|fact| DrawnEdge {
        from: fact.subject,
        to: fact.object,
        label: Some(fact.predicate),
        inverse: None,
    });
    Drawing {
        nodes: nodes.collect(),
        edges: edges.collect(),
    }
}
