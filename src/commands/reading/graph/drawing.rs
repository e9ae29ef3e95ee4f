//! Draws a graph as a tree of lines, or for Graphviz and Mermaid.
//!
//! In Graphviz and Mermaid nodes are numbered, so that a title is never syntax. All special
//! characters in labels are escaped.

use crate::commands::prelude::*;
use crate::view::graph::Graph;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Text for a person
    #[default]
    Text,
    /// One JSON document, as with `--json`; `--jsonl` writes one edge per line
    Json,
    /// Graphviz
    Dot,
    /// Mermaid, for Markdown
    Mermaid,
    /// A page for a browser, with search and navigation
    Html,
}

/// A graph to draw: title and tooltip of each node, and edges with labels.
pub(super) struct Drawing<'g> {
    pub(super) nodes: Vec<(&'g str, &'g str)>,
    pub(super) edges: Vec<(usize, usize, Option<&'g str>)>,
}

impl<'g> Drawing<'g> {
    pub(super) fn of(graph: &'g Graph) -> Self {
        let nodes = graph.nodes.iter();
        let edges = graph.edges.iter();
        Self {
            nodes: nodes
                .map(|node| (node.title.as_str(), node.entry.path.as_str()))
                .collect(),
            edges: edges
                .map(|edge| (edge.from, edge.to, edge.label.name()))
                .collect(),
        }
    }

    /// Returns the nodes that have an edge, with their numbers.
    fn connected_nodes(&self) -> impl Iterator<Item = (usize, &(&'g str, &'g str))> {
        let has_edge = has_edge(
            self.nodes.len(),
            self.edges.iter().map(|(from, to, _)| (*from, *to)),
        );
        let nodes = self.nodes.iter().enumerate();
        nodes.filter(move |(place, _)| has_edge[*place])
    }
}

/// Returns for each of `count` nodes whether it has an edge.
pub(super) fn has_edge(count: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<bool> {
    let mut has_edge = vec![false; count];
    for (from, to) in edges {
        (has_edge[from], has_edge[to]) = (true, true);
    }
    has_edge
}

/// Writes the surroundings of the first node: each edge and node below the node that reached it
/// first.
///
/// `line` formats the edge with this index, seen from one of its ends.
pub(super) fn tree(
    output: &Output,
    distances: &[usize],
    edges: &[(usize, usize)],
    line: impl Fn(usize, bool, usize) -> String,
) {
    // An edge belongs to the end that was reached first.
    let mut edges_of: Vec<Vec<usize>> = vec![Vec::new(); distances.len()];
    for (at, (from, to)) in edges.iter().enumerate() {
        edges_of[*from.min(to)].push(at);
    }
    let mut drawn = vec![false; distances.len()];
    drawn[0] = true;
    let mut open = vec![(0, edges_of[0].iter())];
    while let Some((place, edges_here)) = open.last_mut() {
        let (place, depth) = (*place, distances[*place] + 1);
        let Some(at) = edges_here.next() else {
            open.pop();
            continue;
        };
        let (from, to) = edges[*at];
        let is_forward = from == place;
        let other = if is_forward { to } else { from };
        let words = line(*at, is_forward, other);
        output.line(&format!("{}{words}", "  ".repeat(depth)));
        if distances[other] == depth && !drawn[other] {
            drawn[other] = true;
            open.push((other, edges_of[other].iter()));
        }
    }
}

/// Writes the graph in the DOT language; a note's path is its tooltip.
pub(super) fn dot(output: &Output, drawn: &Drawing<'_>) {
    output.line("digraph mem {");
    output.line("  node [shape=box];");
    for (place, (title, path)) in drawn.connected_nodes() {
        let label = dot_string(&output.clean(title));
        let path = dot_string(&output.clean(path));
        output.line(&format!("  n{place} [label={label}, tooltip={path}];"));
    }
    for (from, to, label) in &drawn.edges {
        let label = label.map(|label| dot_string(&output.clean(label)));
        let label = label.map_or_else(String::new, |label| format!(" [label={label}]"));
        output.line(&format!("  n{from} -> n{to}{label};"));
    }
    output.line("}");
}

/// Writes the graph in the language of Mermaid.
pub(super) fn mermaid(output: &Output, drawn: &Drawing<'_>) {
    output.line("flowchart LR");
    for (place, (title, _)) in drawn.connected_nodes() {
        let label = mermaid_string(&output.clean(title));
        output.line(&format!("  n{place}[{label}]"));
    }
    for (from, to, label) in &drawn.edges {
        let label = label.map(|label| mermaid_string(&output.clean(label)));
        let label = label.map_or_else(String::new, |label| format!("|{label}|"));
        output.line(&format!("  n{from} -->{label} n{to}"));
    }
}

/// Returns a text as a DOT string that is shown verbatim.
fn dot_string(text: &str) -> String {
    let mut string = String::with_capacity(text.len() + 2);
    string.push('"');
    for c in text.chars() {
        match c {
            // Unescaped, `\N` is the name of the node, `\n` a new line, `&lt;` a `<`.
            '"' | '\\' => {
                string.push('\\');
                string.push(c);
            }
            '&' => string.push_str("&amp;"),
            c if c.is_control() => string.push(' '),
            c => string.push(c),
        }
    }
    string.push('"');
    string
}

/// Returns a text as a Mermaid string that is shown verbatim.
fn mermaid_string(text: &str) -> String {
    let mut string = String::with_capacity(text.len() + 2);
    string.push('"');
    for c in text.chars() {
        match c {
            c if c.is_control() => string.push(' '),
            // Not only quotes are special: `%%{` begins a directive, "`" Markdown, `<` HTML, `#` a
            // character code.
            c if c.is_ascii_punctuation()
                && !matches!(c, '-' | '.' | ',' | '/' | '_' | '\'' | '!' | '?' | '+') =>
            {
                let _ = write!(string, "#{};", u32::from(c));
            }
            c => string.push(c),
        }
    }
    // An empty label would not count as a label.
    if string.len() == 1 {
        string.push(' ');
    }
    string.push('"');
    string
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Parses a DOT string: it ends at the first quote that is not escaped.
    fn read_dot(string: &str) -> Option<String> {
        let mut chars = string.strip_prefix('"')?.chars();
        let mut read = String::new();
        loop {
            match chars.next()? {
                '"' => break,
                '\\' => read.push(chars.next()?),
                c => read.push(c),
            }
        }
        chars
            .as_str()
            .is_empty()
            .then(|| read.replace("&amp;", "&"))
    }

    fn read_mermaid(string: &str) -> Option<String> {
        let inner = string.strip_prefix('"')?.strip_suffix('"')?;
        let mut read = String::new();
        let mut rest = inner;
        while let Some(at) = rest.find('#') {
            read.push_str(&rest[..at]);
            let (number, after) = rest[at + 1..].split_once(';')?;
            read.push(char::from_u32(number.parse().ok()?)?);
            rest = after;
        }
        read.push_str(rest);
        let is_plain =
            !inner.contains(['"', '`', '<', '>', '{', '}', '[', ']', '|', '%', '&', '\n']);
        is_plain.then_some(read)
    }

    proptest! {
        #[test]
        fn any_title_is_escaped(text in "(\\PC|[\"\\\\\\[\\]{}<>|#;&%`\n\r\0])*") {
            let shown: String = text
                .chars()
                .map(|c| if c.is_control() { ' ' } else { c })
                .collect();
            // A title may contain `&amp;` itself.
            if !text.contains("&amp;") {
                prop_assert_eq!(read_dot(&dot_string(&text)), Some(shown.clone()));
            }
            let shown = if shown.is_empty() { " ".to_owned() } else { shown };
            prop_assert_eq!(read_mermaid(&mermaid_string(&text)), Some(shown));
        }
    }

    #[test]
    fn syntax_in_labels_is_escaped() {
        for (text, dot, mermaid) in [
            (r#"say "hi""#, r#""say \"hi\"""#, r#""say #34;hi#34;""#),
            (r"a\N", r#""a\\N""#, r#""a#92;N""#),
            (
                "a]\nn1 --> n2",
                "\"a] n1 --> n2\"",
                "\"a#93; n1 --#62; n2\"",
            ),
            (
                "%%{init}%%",
                r#""%%{init}%%""#,
                r##""#37;#37;#123;init#125;#37;#37;""##,
            ),
            ("a & b", r#""a &amp; b""#, r#""a #38; b""#),
            ("", r#""""#, r#"" ""#),
        ] {
            assert_eq!(dot_string(text), dot, "{text}");
            assert_eq!(mermaid_string(text), mermaid, "{text}");
        }
    }
}
