//! `mem graph`

mod drawing;
mod facts;
mod page;

use drawing::{Drawing, DrawnEdge, DrawnNode, Format};
use facts::FactNeighbourhood;
use page::draw;

use crate::commands::prelude::*;
use crate::view::graph::{Edge, Graph};
use crate::view::{EdgeFilter, FactFilter};

/// Show links and relations between notes
///
/// Without a note, lists all edges of the vault. With one, shows its neighbourhood in both
/// directions; an incoming relation has its inverse name, like `replaced_by`. Edges that mem wrote
/// have weight, reason and job. With --facts, or if no note has that name, shows the facts about
/// it; see `mem help facts`.
#[derive(Debug, clap::Args)]
pub struct GraphRequest {
    /// Start at this note, or at a name that occurs in facts [default: the whole vault]
    pub note: Option<String>,
    /// Show facts about it instead of links and relations
    #[arg(long, requires = "note", conflicts_with = "by")]
    pub facts: bool,
    /// Number of edges to follow
    #[arg(long, value_name = "N", default_value_t = 1, requires = "note")]
    pub hops: usize,
    /// Only edges of this relation (in either direction), property or predicate; `link` is a link
    /// in the text; repeatable
    #[arg(long = "relation", value_name = "NAME")]
    pub relations: Vec<String>,
    /// Only edges written by this job or command: link, conflicts, remember, review, …
    #[arg(long, value_name = "JOB")]
    pub by: Option<String>,
    /// Only edges between notes that match this query; repeatable
    #[arg(
        long = "where",
        value_name = "QUERY",
        allow_hyphen_values = true,
        value_parser = query_text()
    )]
    pub query: Vec<String>,
    /// Output format
    #[arg(
        long,
        value_name = "FORM",
        default_value = "text",
        conflicts_with_all = ["json", "jsonl"]
    )]
    pub format: Format,
}

impl Request for GraphRequest {
    type Reply<'s> = Either<LinkGraph, FactNeighbourhood>;

    fn answer(&self, session: &Session) -> Result<Self::Reply<'static>> {
        let env = &session.env;
        let name = self.note.as_deref();
        if name.is_some_and(|name| name.trim().is_empty()) {
            return Err(Error::new("the name of the note is empty")
                .hint("omit it to show all links of the vault"));
        }
        // Parentheses keep the queries separate.
        let query: Vec<String> = match self.query.as_slice() {
            many @ [_, _, ..] => many.iter().map(|query| format!("({query})")).collect(),
            one => one.to_vec(),
        };
        let found = selected(session, &query)?;
        let (view, cache) = (found.view, found.cache);
        let slots = || found.entries.iter().map(|entry| entry.slot).collect();
        let mut among: Option<HashSet<_>> = (!query.is_empty()).then(slots);
        let about = match name {
            Some(name) if self.by.is_none() => fact_subject(env, &view, name, self.facts)?,
            _ => None,
        };
        if let Some(about) = about {
            drop(view);
            let which = FactFilter {
                predicates: self.relations.clone(),
                among,
                limit: facts::MAX_FACTS,
            };
            let facts =
                facts::neighbourhood(session, cache, &about, self.hops, &which, self.format)?;
            return Ok(Either::Right(facts));
        }
        let lookup = name.map(|name| {
            find_note_to_show(env, &view, name).map_err(|error| {
                error.hint(format!(
                    "to show facts about it: `mem graph '{name}' --facts`"
                ))
            })
        });
        let start = lookup.transpose()?;
        if let (Some(among), Some(start)) = (&mut among, &start) {
            among.insert(start.slot);
        }
        let which = EdgeFilter {
            names: self.relations.clone(),
            by: self.by.clone(),
            among,
        };
        drop(view);
        let ask = |cache: &Cache| -> Result<_, CacheError> {
            let view = session.view(cache)?;
            let graph = match &start {
                None => view.graph(&which)?,
                Some(start) => view.neighbourhood(start, self.hops, &which)?,
            };
            let edges = edge_records(&view, &graph)?;
            Ok((graph, edges))
        };
        let ((graph, edges), _cache) = session.ask(cache, ask)?;
        let drawing = drawing(graph);
        let has_start = start.is_some();
        Ok(Either::Left(LinkGraph {
            nodes: node_records(&drawing, has_start),
            edges,
            drawing,
            has_start,
            is_all: which.is_all(),
            format: self.format,
        }))
    }
}

/// Returns the note or name whose facts to show; none if links and relations are wanted.
fn fact_subject(
    env: &Environment,
    view: &View<'_>,
    name: &str,
    facts: bool,
) -> Result<Option<Result<Entry, String>>> {
    let at_file = view.at_file(&env.start.join(name))?;
    let note = match at_file {
        None if facts => view.thing(name)?,
        at_file => at_file,
    };
    Ok(match note {
        Some(note) => facts.then_some(Ok(note)),
        None if facts || view.named(name)?.is_empty() => Some(Err(name.to_owned())),
        None => None,
    })
}

/// A note in a JSON record.
#[derive(Debug, Serialize, JsonSchema)]
struct NodeRecord {
    path: VaultPath,
    title: String,
    /// Distance in edges from the start note, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<usize>,
}

/// An edge in a JSON record.
#[derive(Debug, Serialize, JsonSchema)]
struct EdgeRecord {
    from: VaultPath,
    to: VaultPath,
    /// The property of the relation; none for a link in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<String>,
    /// Strength of the relation; none for a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<f32>,
    /// Why mem wrote the relation.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The job or command that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    /// When it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Timestamp>,
}

/// A graph of links and relations, with the origins of its edges.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LinkGraph {
    nodes: Vec<NodeRecord>,
    edges: Vec<EdgeRecord>,
    #[serde(skip)]
    drawing: Drawing,
    #[serde(skip)]
    has_start: bool,
    /// Whether no filter is set.
    #[serde(skip)]
    is_all: bool,
    #[serde(skip)]
    format: Format,
}

impl Reply for LinkGraph {
    fn show(&self, page: &Page<'_>) {
        let origin = |edge: usize| self.edges[edge].origin(page);
        match self.format {
            Format::Json => page.record(self),
            Format::Text if self.has_start => self.drawing.tree(page, origin),
            Format::Text => self.drawing.lines(page, origin),
            format => draw(page, format, &self.drawing),
        }
    }

    list!(edges);

    fn empty_message(&self) -> &'static str {
        match (self.has_start, self.is_all) {
            (true, true) => "no links or relations",
            (true, false) => "no such links or relations",
            (false, true) => "no links or relations between notes",
            (false, false) => "no such links or relations between notes",
        }
    }
}

impl EdgeRecord {
    /// Returns weight, reason and job, to append to the line of the edge.
    fn origin(&self, output: &Output) -> String {
        let (Some(weight), Some(reason), Some(by)) = (self.weight, &self.reason, &self.by) else {
            return String::new();
        };
        let (reason, by) = (output.clean(reason), output.clean(by));
        format!("  {weight:.2}  \"{reason}\" ({by})")
    }
}

fn drawing(graph: Graph) -> Drawing {
    let nodes = graph.nodes.into_iter().map(|node| DrawnNode {
        title: node.title,
        path: Some(node.entry.path),
        distance: node.distance,
    });
    let edges = graph.edges.into_iter().map(|edge| DrawnEdge {
        from: edge.from,
        to: edge.to,
        label: edge.label.name().map(str::to_owned),
        inverse: edge.label.relation().map(Relation::inverse),
    });
    Drawing {
        nodes: nodes.collect(),
        edges: edges.collect(),
    }
}

/// Returns the notes with an edge, and the start note.
fn node_records(drawing: &Drawing, has_start: bool) -> Vec<NodeRecord> {
    let has_edge = drawing.has_edge();
    let numbered = drawing.nodes.iter().enumerate();
    let nodes = numbered.filter(|(place, _)| has_edge[*place] || has_start && *place == 0);
    let record = |node: &DrawnNode| {
        Some(NodeRecord {
            path: node.path.clone()?,
            title: node.title.clone(),
            distance: has_start.then_some(node.distance),
        })
    };
    nodes.filter_map(|(_, node)| record(node)).collect()
}

fn edge_records(view: &View<'_>, graph: &Graph) -> Result<Vec<EdgeRecord>, CacheError> {
    let record = |edge: &Edge| {
        let [from, to] = [edge.from, edge.to].map(|place| &graph.nodes[place].entry);
        let origin = view.origin(from, &edge.label, to)?;
        let weight = origin.map(|origin| origin.weight);
        Ok(EdgeRecord {
            from: from.path.clone(),
            to: to.path.clone(),
            relation: edge.label.name().map(str::to_owned),
            weight: weight.or(edge.label.relation().map(Relation::weight)),
            reason: origin.map(|origin| origin.reason.clone()),
            by: origin.map(|origin| origin.by.clone()),
            at: origin.map(|origin| origin.at),
        })
    };
    graph.edges.iter().map(record).collect()
}
