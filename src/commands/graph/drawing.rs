//! A graph for programs that draw: Graphviz and Mermaid.
//!
//! Notes bear numbers, so that no title can be taken for anything but a label; in labels everything is
//! escaped that such a program could read as its own.

use std::fmt::Write as _;

use crate::error::Error;
use crate::output::Output;
use crate::view::graph::Graph;

/// Returns for each note whether an edge joins it to another.
pub(super) fn joined(graph: &Graph) -> Vec<bool> {
    let mut joined = vec![false; graph.nodes.len()];
    for edge in &graph.edges {
        (joined[edge.from], joined[edge.to]) = (true, true);
    }
    joined
}

/// Writes the graph in the language of Graphviz; a note's path is its tooltip.
pub(super) fn dot(output: &Output, graph: &Graph) -> Result<(), Error> {
    output.line("digraph mem {")?;
    output.line("  node [shape=box];")?;
    for (place, _) in joined(graph).iter().enumerate().filter(|(_, is)| **is) {
        let node = &graph.nodes[place];
        let label = in_dot(&output.clean(&node.title));
        let path = in_dot(&output.clean(node.entry.path.as_str()));
        output.line(&format!("  n{place} [label={label}, tooltip={path}];"))?;
    }
    for edge in &graph.edges {
        let label = edge.label.name().map(|name| in_dot(&output.clean(name)));
        let label = label.map_or_else(String::new, |label| format!(" [label={label}]"));
        output.line(&format!("  n{} -> n{}{label};", edge.from, edge.to))?;
    }
    output.line("}")
}

/// Writes the graph in the language of Mermaid.
pub(super) fn mermaid(output: &Output, graph: &Graph) -> Result<(), Error> {
    output.line("flowchart LR")?;
    for (place, _) in joined(graph).iter().enumerate().filter(|(_, is)| **is) {
        let label = in_mermaid(&output.clean(&graph.nodes[place].title));
        output.line(&format!("  n{place}[{label}]"))?;
    }
    for edge in &graph.edges {
        let label = edge
            .label
            .name()
            .map(|name| in_mermaid(&output.clean(name)));
        let label = label.map_or_else(String::new, |label| format!("|{label}|"));
        output.line(&format!("  n{} -->{label} n{}", edge.from, edge.to))?;
    }
    Ok(())
}

/// Returns a text as a string of Graphviz that is shown as it is.
fn in_dot(text: &str) -> String {
    let mut string = String::with_capacity(text.len() + 2);
    string.push('"');
    for c in text.chars() {
        match c {
            // `\N` would be the name of the node, `\n` another line, `&lt;` a `<`.
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

/// Returns a text as a string of Mermaid that is shown as it is.
fn in_mermaid(text: &str) -> String {
    let mut string = String::with_capacity(text.len() + 2);
    string.push('"');
    for c in text.chars() {
        match c {
            c if c.is_control() => string.push(' '),
            // Not only quotes end something there: `%%{` begins a directive, "`" Markdown, `<` HTML,
            // `#` a character by its number.
            c if c.is_ascii_punctuation()
                && !matches!(c, '-' | '.' | ',' | '/' | '_' | '\'' | '!' | '?' | '+') =>
            {
                let _ = write!(string, "#{};", u32::from(c));
            }
            c => string.push(c),
        }
    }
    // An empty label would be no label.
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

    /// What Graphviz reads from a string: it ends at the first quote that no backslash escapes.
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
        fn any_title_is_a_label(text in "(\\PC|[\"\\\\\\[\\]{}<>|#;&%`\n\r\0])*") {
            let shown: String = text
                .chars()
                .map(|c| if c.is_control() { ' ' } else { c })
                .collect();
            // A title may say `&amp;` itself.
            if !text.contains("&amp;") {
                prop_assert_eq!(read_dot(&in_dot(&text)), Some(shown.clone()));
            }
            let shown = if shown.is_empty() { " ".to_owned() } else { shown };
            prop_assert_eq!(read_mermaid(&in_mermaid(&text)), Some(shown));
        }
    }

    #[test]
    fn what_a_drawing_program_would_read_as_its_own() {
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
            assert_eq!(in_dot(text), dot, "{text}");
            assert_eq!(in_mermaid(text), mermaid, "{text}");
        }
    }
}
