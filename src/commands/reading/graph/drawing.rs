//! Draws a graph as a tree of lines, or for Graphviz and Mermaid.
//!
//! In Graphviz and Mermaid nodes are numbered, so that a title is never syntax. All special
//! characters in labels are escaped.

use crate::commands::prelude::*;

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

/// A graph to draw.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    /// The start node first, if there is one.
    pub nodes: Vec<DrawnNode>,
    pub edges: Vec<DrawnEdge>,
}

#[derive(Debug)]
pub(super) struct DrawnNode {
    pub title: String,
    /// None for a thing without a note.
    pub path: Option<VaultPath>,
    /// Number of edges from the start node.
    pub distance: usize,
}

#[derive(Debug)]
pub(super) struct DrawnEdge {
    /// Indices of two nodes.
    pub from: usize,
    pub to: usize,
    /// None for a link in the text.
    pub label: Option<String>,
    /// The label in the other direction, if it has a name of its own.
    pub inverse: Option<&'static str>,
}

impl DrawnNode {
    /// Returns the path, or the title of a thing without a note.
    pub(super) fn tooltip(&self) -> &str {
        self.path.as_ref().map_or(&self.title, VaultPath::as_str)
    }

    /// Returns path and title for a line of text.
    fn name(&self, output: &Output) -> String {
        match &self.path {
            Some(path) => render::titled(output, output.place(path.as_str()), path, &self.title),
            None => output.clean(&self.title),
        }
    }
}

impl DrawnEdge {
    /// Formats the edge, seen from its source or, if not `is_forward`, from its target.
    fn arrow(&self, output: &Output, is_forward: bool) -> String {
        let label = self.label.as_deref().map(|label| output.clean(label));
        match (label, self.inverse) {
            (None, _) if is_forward => "->".to_owned(),
            (None, _) => "<-".to_owned(),
            (Some(label), _) if is_forward => format!("-{label}->"),
            (Some(_), Some(inverse)) => format!("-{inverse}->"),
            (Some(label), None) => format!("<-{label}-"),
        }
    }
}

impl Drawing {
    /// Returns for each node whether it has an edge.
    pub(super) fn has_edge(&self) -> Vec<bool> {
        let mut has_edge = vec![false; self.nodes.len()];
        for edge in &self.edges {
            (has_edge[edge.from], has_edge[edge.to]) = (true, true);
        }
        has_edge
    }

    /// Returns the nodes that have an edge, with their numbers.
    fn connected_nodes(&self) -> impl Iterator<Item = (usize, &DrawnNode)> {
        let has_edge = self.has_edge();
        let nodes = self.nodes.iter().enumerate();
        nodes.filter(move |(place, _)| has_edge[*place])
    }

    /// Writes all edges in the direction in which they are written in notes; `suffix` ends the
    /// line of an edge.
    pub(super) fn lines(&self, output: &Output, suffix: impl Fn(usize) -> String) {
        for (at, edge) in self.edges.iter().enumerate() {
            let place = |node: usize| output.place(self.nodes[node].tooltip());
            let (from, to) = (place(edge.from), place(edge.to));
            let arrow = edge.arrow(output, true);
            output.line(&format!("{from} {arrow} {to}{}", suffix(at)));
        }
    }

    /// Writes the surroundings of the start node as a tree: each edge and node below the node that
    /// reached it first.
    pub(super) fn tree(&self, output: &Output, suffix: impl Fn(usize) -> String) {
        let Self { nodes, edges } = self;
        // An edge belongs to the end that was reached first.
        let mut edges_of: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        for (at, edge) in edges.iter().enumerate() {
            edges_of[edge.from.min(edge.to)].push(at);
        }
        let mut drawn = vec![false; nodes.len()];
        drawn[0] = true;
        output.line(&nodes[0].name(output));
        let mut open = vec![(0, edges_of[0].iter())];
        while let Some((place, edges_here)) = open.last_mut() {
            let (place, depth) = (*place, nodes[*place].distance + 1);
            let Some(at) = edges_here.next() else {
                open.pop();
                continue;
            };
            let edge = &edges[*at];
            let is_forward = edge.from == place;
            let other = if is_forward { edge.to } else { edge.from };
            let (arrow, name) = (edge.arrow(output, is_forward), nodes[other].name(output));
            let (indent, suffix) = ("  ".repeat(depth), suffix(*at));
            output.line(&format!("{indent}{arrow} {name}{suffix}"));
            if nodes[other].distance == depth && !drawn[other] {
                drawn[other] = true;
                open.push((other, edges_of[other].iter()));
            }
        }
    }

    /// Writes the graph in the DOT language; a note's path is its tooltip.
    pub(super) fn dot(&self, output: &Output) {
        output.line("digraph mem {\n  node [shape=box];");
        for (place, node) in self.connected_nodes() {
            let [label, path] =
                [&node.title, node.tooltip()].map(|text| dot_string(&output.clean(text)));
            output.line(&format!("  n{place} [label={label}, tooltip={path}];"));
        }
        for edge in &self.edges {
            let label = edge
                .label
                .as_ref()
                .map(|label| dot_string(&output.clean(label)))
                .map_or_else(String::new, |label| format!(" [label={label}]"));
            output.line(&format!("  n{} -> n{}{label};", edge.from, edge.to));
        }
        output.line("}");
    }

    /// Writes the graph in the language of Mermaid.
    pub(super) fn mermaid(&self, output: &Output) {
        output.line("flowchart LR");
        for (place, node) in self.connected_nodes() {
            let label = mermaid_string(&output.clean(&node.title));
            output.line(&format!("  n{place}[{label}]"));
        }
        for edge in &self.edges {
            let label = edge
                .label
                .as_ref()
                .map(|label| mermaid_string(&output.clean(label)))
                .map_or_else(String::new, |label| format!("|{label}|"));
            output.line(&format!("  n{} -->{label} n{}", edge.from, edge.to));
        }
    }
}

/// Returns a text as a DOT string that is shown verbatim.
fn dot_string(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        // Unescaped, `\N` is the name of the node, `\n` a new line, `&lt;` a `<`.
        '"' | '\\' => format!("\\{c}"),
        '&' => "&amp;".to_owned(),
        c if c.is_control() => " ".to_owned(),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// Returns a text as a Mermaid string that is shown verbatim.
fn mermaid_string(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        c if c.is_control() => " ".to_owned(),
        '-' | '.' | ',' | '/' | '_' | '\'' | '!' | '?' | '+' => c.to_string(),
        // Not only quotes are special: `%%{` begins a directive, "`" Markdown, `<` HTML, `#` a
        // character code.
        c if c.is_ascii_punctuation() => format!("#{};", u32::from(c)),
        c => c.to_string(),
    });
    // An empty label would not count as a label.
    let escaped = Some(escaped.collect::<String>()).filter(|label| !label.is_empty());
    format!("\"{}\"", escaped.as_deref().unwrap_or(" "))
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
