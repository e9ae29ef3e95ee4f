//! `mem graph`

mod drawing;
mod facts;
mod page;

use std::borrow::Cow;

use schemars::{Schema, SchemaGenerator};
use serde::Serializer;
use serde::ser::{Error as _, SerializeStruct as _};

use drawing::{Drawing, Format};
use facts::FactNeighbourhood;
use page::draw;

use crate::commands::prelude::*;
use crate::view::graph::{Edge, Graph, Label, Node};
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
    type Reply<'s> = Either<LinkGraph<'s>, FactNeighbourhood>;

    fn answer<'s>(&self, session: &'s Session) -> Result<Self::Reply<'s>> {
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
        let Selection {
            entries,
            view,
            cache,
            ..
        } = selected(session, &query)?;
        let mut among: Option<HashSet<_>> =
            (!query.is_empty()).then(|| entries.iter().map(|entry| entry.slot).collect());
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
        let start = name.map(|name| {
            find_note_to_show(env, &view, name).map_err(|error| {
                error.hint(format!(
                    "to show facts about it: `mem graph '{name}' --facts`"
                ))
            })
        });
        let start = start.transpose()?;
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
            Ok((view, graph))
        };
        let ((view, graph), _cache) = session.ask(cache, ask)?;
        // Fail before the first byte is written.
        view.provenance()?;
        Ok(Either::Left(LinkGraph {
            view,
            graph,
            has_start: start.is_some(),
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
struct NodeRecord<'g> {
    path: &'g VaultPath,
    title: &'g str,
    /// Distance in edges from the start note, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<usize>,
}

/// An edge in a JSON record.
#[derive(Debug, Serialize, JsonSchema)]
struct EdgeRecord<'g> {
    from: &'g VaultPath,
    to: &'g VaultPath,
    /// The property of the relation; none for a link in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<&'g str>,
    /// Strength of the relation; none for a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<f32>,
    /// Why mem wrote the relation.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'g str>,
    /// The job or command that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'g str>,
    /// When it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Timestamp>,
}

/// A graph of links and relations, with the origins of its edges.
pub struct LinkGraph<'s> {
    view: View<'s>,
    graph: Graph,
    has_start: bool,
    /// Whether no filter is set.
    is_all: bool,
    format: Format,
}

/// The JSON document; it is streamed, since a large vault has hundreds of thousands of edges.
#[derive(JsonSchema)]
#[schemars(rename = "LinkGraph")]
#[expect(dead_code, reason = "only its schema is used")]
struct GraphDocument<'g> {
    nodes: Vec<NodeRecord<'g>>,
    edges: Vec<EdgeRecord<'g>>,
}

impl JsonSchema for LinkGraph<'_> {
    fn schema_name() -> Cow<'static, str> {
        GraphDocument::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        GraphDocument::json_schema(generator)
    }
}

impl Serialize for LinkGraph<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = serializer.serialize_struct("LinkGraph", 2)?;
        document.serialize_field("nodes", &Nodes(self))?;
        document.serialize_field("edges", &Edges(self))?;
        document.end()
    }
}

struct Nodes<'a>(&'a LinkGraph<'a>);

impl Serialize for Nodes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let LinkGraph {
            graph, has_start, ..
        } = self.0;
        let edges = graph.edges.iter().map(|edge| (edge.from, edge.to));
        let has_edge = drawing::has_edge(graph.nodes.len(), edges);
        let nodes = graph.nodes.iter().enumerate();
        // Only notes with an edge, and the start note.
        let nodes = nodes.filter(|(place, _)| has_edge[*place] || *has_start && *place == 0);
        serializer.collect_seq(nodes.map(|(_, node)| NodeRecord {
            path: &node.entry.path,
            title: &node.title,
            distance: has_start.then_some(node.distance),
        }))
    }
}

struct Edges<'a>(&'a LinkGraph<'a>);

impl Serialize for Edges<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.edges())
    }
}

/// An edge that is converted to a record when written.
struct LinkEdge<'a>(&'a LinkGraph<'a>, &'a Edge);

impl Serialize for LinkEdge<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let record = self.0.record(self.1).map_err(S::Error::custom)?;
        record.serialize(serializer)
    }
}

impl Reply for LinkGraph<'_> {
    fn show(&self, page: &Page<'_>) {
        match self.format {
            Format::Json => page.record(self),
            Format::Text if self.has_start => self.tree(page),
            Format::Text => self.lines(page),
            format => draw(page, format, &Drawing::of(&self.graph)),
        }
    }

    fn records(&self) -> Option<Records<'_>> {
        records(self.edges())
    }

    fn empty_message(&self) -> &'static str {
        match (self.has_start, self.is_all) {
            (true, true) => "no links or relations",
            (true, false) => "no such links or relations",
            (false, true) => "no links or relations between notes",
            (false, false) => "no such links or relations between notes",
        }
    }
}

impl LinkGraph<'_> {
    fn edges(&self) -> impl Iterator<Item = LinkEdge<'_>> {
        self.graph.edges.iter().map(|edge| LinkEdge(self, edge))
    }

    fn record<'a>(&'a self, edge: &'a Edge) -> Result<EdgeRecord<'a>, CacheError> {
        let [from, to] = [edge.from, edge.to].map(|place| &self.graph.nodes[place].entry);
        let origin = self.view.origin(from, &edge.label, to)?;
        let weight = origin.map(|origin| origin.weight);
        let relation = edge.label.relation();
        Ok(EdgeRecord {
            from: &from.path,
            to: &to.path,
            relation: edge.label.name(),
            weight: weight.or(relation.map(Relation::weight)),
            reason: origin.map(|origin| origin.reason.as_str()),
            by: origin.map(|origin| origin.by.as_str()),
            at: origin.map(|origin| origin.at),
        })
    }

    /// Writes all edges in the direction in which they are written in notes.
    fn lines(&self, output: &Output) {
        for edge in &self.graph.edges {
            let [from, to] = [edge.from, edge.to]
                .map(|place| output.place(self.graph.nodes[place].entry.path.as_str()));
            let arrow = arrow(output, &edge.label, true);
            let origin = self.origin(output, edge);
            output.line(&format!("{from} {arrow} {to}{origin}"));
        }
    }

    /// Writes the surroundings of the start note as a tree: every edge and note below the note that
    /// reached it first.
    fn tree(&self, output: &Output) {
        let graph = &self.graph;
        let distances: Vec<usize> = graph.nodes.iter().map(|node| node.distance).collect();
        let edges = graph.edges.iter();
        let edges: Vec<(usize, usize)> = edges.map(|edge| (edge.from, edge.to)).collect();
        output.line(&name(output, &graph.nodes[0]));
        drawing::tree(output, &distances, &edges, |at, is_forward, other| {
            let edge = &graph.edges[at];
            format!(
                "{} {}{}",
                arrow(output, &edge.label, is_forward),
                name(output, &graph.nodes[other]),
                self.origin(output, edge)
            )
        });
    }

    /// Returns weight, reason and job of an edge, to append to its line.
    fn origin(&self, output: &Output, edge: &Edge) -> String {
        let [from, to] = [edge.from, edge.to].map(|place| &self.graph.nodes[place].entry);
        let origin = self.view.origin(from, &edge.label, to);
        let Some(Some(origin)) = output.keep(origin.map_err(Error::from)) else {
            return String::new();
        };
        let weight = origin.weight;
        let (reason, by) = (output.clean(&origin.reason), output.clean(&origin.by));
        format!("  {weight:.2}  \"{reason}\" ({by})")
    }
}

/// Formats an edge, seen from its source or, if not `is_forward`, from its target.
fn arrow(output: &Output, label: &Label, is_forward: bool) -> String {
    match label {
        Label::Link if is_forward => "->".to_owned(),
        Label::Link => "<-".to_owned(),
        Label::Relation(relation) if is_forward => format!("-{relation}->"),
        Label::Relation(relation) => format!("-{}->", relation.inverse()),
        Label::Property(name) if is_forward => format!("-{}->", output.clean(name)),
        Label::Property(name) => format!("<-{}-", output.clean(name)),
    }
}

fn name(output: &Output, node: &Node) -> String {
    let path = &node.entry.path;
    render::titled(output, output.place(path.as_str()), path, &node.title)
}
