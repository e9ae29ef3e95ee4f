//! A graph as a self-contained page for a browser, without external scripts, fonts or images.
//!
//! Text of notes is embedded as JSON that cannot end its element, and shown as text only. A content
//! security policy allows no other script and no loading.

use crate::commands::prelude::*;

use xxhash_rust::xxh3::xxh3_128;

use super::drawing::{Drawing, Format};

const PAGE: &str = include_str!("page.html");

/// The name of links in the text among the relations.
const LINK: &str = "link";

#[derive(Serialize)]
struct Data<'g> {
    /// Title and path of each node.
    nodes: Vec<(&'g str, &'g str)>,
    /// Indices of two nodes and of a relation.
    edges: Vec<(usize, usize, usize)>,
    relations: Vec<&'g str>,
}

/// Writes a drawing; text and JSON are not drawings and write nothing.
pub(super) fn draw(output: &Output, format: Format, drawn: &Drawing) {
    match format {
        Format::Dot => drawn.dot(output),
        Format::Mermaid => drawn.mermaid(output),
        Format::Html => {
            if let Some(page) = output.keep(html(output, drawn)) {
                output.raw(page.as_bytes());
            }
        }
        Format::Text | Format::Json => {}
    }
}

/// Returns the page, but not for a terminal.
fn html(output: &Output, drawn: &Drawing) -> Result<String> {
    if output.stdout_is_terminal {
        let error = Error::new("a page for a browser cannot be shown on a terminal");
        return Err(error.hint("write it to a file: `mem graph --format html > graph.html`"));
    }
    page(drawn)
}

fn page(drawn: &Drawing) -> Result<String> {
    let has_edge = drawn.has_edge();
    let mut places = vec![0; drawn.nodes.len()];
    let mut nodes = Vec::new();
    for (number, node) in drawn.nodes.iter().enumerate() {
        places[number] = nodes.len();
        if has_edge[number] {
            nodes.push((node.title.as_str(), node.tooltip()));
        }
    }
    let labels = drawn.edges.iter().map(|edge| &edge.label);
    let named = labels.map(|label| label.as_deref().unwrap_or(LINK));
    let mut relations: Vec<&str> = named.clone().collect();
    relations.sort_unstable_by_key(|name| (*name != LINK, *name));
    relations.dedup();
    let place = |label: &str| relations.iter().position(|name| *name == label);
    let edges = drawn.edges.iter().zip(named).map(|(edge, label)| {
        let relation = place(label).unwrap_or(0);
        (places[edge.from], places[edge.to], relation)
    });
    let graph = Data {
        edges: edges.collect(),
        nodes,
        relations,
    };
    let data = html_safe_json(&serde_json::to_string(&graph).map_err(std::io::Error::from)?);
    // The nonce is a hash of all data, so that no note can contain it.
    let nonce = format!("{:032x}", xxh3_128(data.as_bytes()));
    let (before, behind) = PAGE.split_once("DATA").unwrap_or((PAGE, ""));
    let [before, behind] = [before, behind].map(|part| part.replace("NONCE", &nonce));
    Ok(format!("{before}{data}{behind}"))
}

/// Escapes a JSON document so that it cannot begin or end an HTML element.
fn html_safe_json(document: &str) -> String {
    let mut html = String::with_capacity(document.len());
    for c in document.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(html, "\\u{:04x}", u32::from(c));
            }
            c => html.push(c),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::super::drawing::{DrawnEdge, DrawnNode};
    use super::*;

    /// Returns the data of a page as a browser parses it: up to the end of its element.
    fn data(page: &str) -> Value {
        let (_, behind) = page.split_once("type=\"application/json\">").unwrap();
        let (data, _) = behind.split_once("</script>").unwrap();
        serde_json::from_str(data).unwrap()
    }

    fn drawing(nodes: &[(&str, &str)], edges: &[(usize, usize, Option<&str>)]) -> Drawing {
        let nodes = nodes.iter().map(|(title, path)| DrawnNode {
            title: (*title).to_owned(),
            path: VaultPath::new(path).ok(),
            distance: 0,
        });
        let edges = edges.iter().map(|(from, to, label)| DrawnEdge {
            from: *from,
            to: *to,
            label: label.map(str::to_owned),
            inverse: None,
        });
        Drawing {
            nodes: nodes.collect(),
            edges: edges.collect(),
        }
    }

    #[test]
    fn page_is_complete_and_loads_nothing() {
        let drawn = drawing(
            &[("A", "a.md"), ("Alone", "b.md"), ("C", "c.md")],
            &[(2, 0, Some("supports")), (0, 2, None)],
        );
        let page = page(&drawn).unwrap();
        assert_eq!(
            data(&page),
            json!({
                "nodes": [["A", "a.md"], ["C", "c.md"]],
                "edges": [[1, 0, 1], [0, 1, 0]],
                "relations": ["link", "supports"],
            })
        );
        for elsewhere in [
            "http:", "https:", "src=", "href=", "@import", "url(", "NONCE", "onclick",
        ] {
            assert!(!page.contains(elsewhere), "{elsewhere}");
        }
        assert!(page.contains("default-src 'none'; script-src 'nonce-"));
        assert_eq!(page, super::page(&drawn).unwrap());
    }

    proptest! {
        #[test]
        fn any_title_is_data(title in "(\\PC|</script>|<!--|-->|<script>|DATA|NONCE|[\"'\\\\&\u{2028}\u{2029}\n\r\0])*") {
            let drawn = drawing(&[(&title, "a.md"), ("B", "b.md")], &[(0, 1, Some(&title))]);
            let page = page(&drawn).unwrap();
            prop_assert_eq!(&data(&page)["nodes"][0][0], &json!(title));
            prop_assert_eq!(page.matches("<script").count(), 2);
            prop_assert_eq!(page.matches("</script>").count(), 2);
            prop_assert_eq!(page.matches("<!--").count(), 0);
        }
    }
}
