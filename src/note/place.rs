//! Where a property stands among the lines of the front matter, and which splices change it.
//!
//! `yaml-edit` keeps every token of the YAML, comments and blanks included, so its tree says
//! exactly which bytes are a key, a value, an item. Used by [`edit`](super::edit) alone, which
//! checks whatever comes out of here against a second parser: where this module misreads a
//! strange layout, the edit is refused, not written.

use std::ops::Range;

use serde_json::Value;
use yaml_edit::{AsYaml, SyntaxKind, YamlFile, YamlNode};

use super::edit::Splice;
use super::split::line_end;
use super::write;

/// What a look for a key found.
pub(super) enum Search {
    /// The property.
    Found(Place),
    /// No such key; the line of a new one goes to `end`.
    Missing {
        /// Where a line starts, behind all that is said.
        end: usize,
    },
    /// The properties are written in a way that is not edited: `{a: 1}`, or `? a`.
    Unsure,
}

/// Where a property stands.
pub(super) struct Place {
    /// Its first byte.
    start: usize,
    /// Behind the colon.
    colon: usize,
    /// Its value, without the blanks around; empty when it has none.
    value: Range<usize>,
    /// What kind of value that is.
    form: Form,
}

enum Form {
    /// A list in brackets, with the end of its last item.
    FlowList { last: Option<usize> },
    /// A list with a dash before each item.
    BlockList,
    /// A map with a key before each value.
    BlockMap,
    /// Anything else.
    Other,
}

impl Place {
    /// Looks for the property `key` in `yaml`.
    pub(super) fn find(yaml: &str, key: &str) -> Search {
        let said = yaml.trim_end().len();
        let end = line_end(yaml, said);
        let Some(document) = YamlFile::parse(yaml).tree().document() else {
            return Search::Missing { end };
        };
        let Some(mapping) = document
            .as_mapping()
            .filter(|mapping| !mapping.is_flow_style())
        else {
            return Search::Unsure;
        };
        let mut last = None;
        for entry in mapping.entries() {
            let (Some(name), value) = (entry.key_node(), entry.value_node()) else {
                return Search::Unsure;
            };
            if name.as_scalar().is_some_and(|name| name.as_string() == key) {
                return Self::at(yaml, &name, value.as_ref()).map_or(Search::Unsure, Search::Found);
            }
            last = value;
        }
        // Blank lines at the end of `|+` text are part of it.
        let keeps_blanks = last.as_ref().and_then(range).is_some_and(|last| {
            let header = yaml[last].lines().next().unwrap_or_default();
            header.starts_with(['|', '>']) && header.contains('+')
        });
        Search::Missing {
            end: if keeps_blanks { yaml.len() } else { end },
        }
    }

    fn at(yaml: &str, name: &YamlNode, value: Option<&YamlNode>) -> Option<Self> {
        let key = range(name)?;
        let entry = name
            .as_node()?
            .ancestors()
            .find(|node| node.kind() == SyntaxKind::MAPPING_ENTRY)?;
        let between = yaml[key.end..].find(|c| !matches!(c, ' ' | '\t'))?;
        let colon = key.end + between;
        if usize::from(entry.text_range().start()) != key.start || !yaml[colon..].starts_with(':') {
            return None;
        }
        let colon = colon + 1;
        let value_span = value
            .and_then(range)
            .filter(|span| !yaml[span.clone()].trim().is_empty());
        let value_span = value_span.map_or(colon..colon, |span| {
            span.start..span.start + yaml[span].trim_end().len()
        });
        let form = match value {
            Some(YamlNode::Sequence(list)) if list.is_flow_style() => Form::FlowList {
                last: list.last().as_ref().and_then(range).map(|last| last.end),
            },
            Some(YamlNode::Sequence(_)) => Form::BlockList,
            Some(YamlNode::Mapping(map)) if !map.is_flow_style() => Form::BlockMap,
            _ => Form::Other,
        };
        Some(Self {
            start: key.start,
            colon,
            value: value_span,
            form,
        })
    }

    /// Returns what writes `wanted` in place of the value.
    pub(super) fn set(&self, yaml: &str, wanted: &Value) -> Vec<Splice> {
        let value = self.value.clone();
        let behind = line_end(yaml, value.end);
        let below = yaml[self.colon..value.start].contains('\n');
        let mut lines = String::new();
        // A list or map that has a line per entry keeps that form.
        let keeps_form = match (&self.form, wanted) {
            (Form::BlockList, Value::Array(items)) => !items.is_empty(),
            (Form::BlockMap, Value::Object(entries)) => !entries.is_empty(),
            _ => false,
        };
        if below && keeps_form {
            let first = line_start(yaml, value.start);
            write::block(&mut lines, value.start - first, wanted);
            return vec![Splice {
                span: first..behind,
                text: lines,
            }];
        }
        let text = write::inline(wanted).unwrap_or_else(|| {
            write::block(&mut lines, 2, wanted);
            String::new()
        });
        if !below && !value.is_empty() && !text.is_empty() {
            return vec![Splice { span: value, text }];
        }
        // Behind the colon stands nothing, or what goes: only a comment may stay there.
        let gone = if below { self.colon } else { value.end };
        let blanks = yaml[gone..].len() - yaml[gone..].trim_start_matches([' ', '\t']).len();
        let comment = yaml[gone + blanks..].starts_with('#');
        let until = if comment { gone } else { gone + blanks };
        let text = if text.is_empty() {
            text
        } else {
            format!(" {text}")
        };
        vec![
            Splice {
                span: self.colon..until,
                text,
            },
            Splice {
                span: if below {
                    line_start(yaml, value.start)
                } else {
                    behind
                }..behind,
                text: lines,
            },
        ]
    }

    /// Returns what removes the property: its lines and the indented comments below, not the
    /// blank lines or comments after them.
    pub(super) fn unset(&self, yaml: &str) -> Splice {
        let mut end = line_end(yaml, self.value.end);
        // Left behind, such a comment could become text of a `|` value above.
        while yaml[end..].trim_start_matches([' ', '\t']).starts_with('#')
            && !yaml[end..].starts_with('#')
        {
            end = line_end(yaml, end);
        }
        Splice {
            span: line_start(yaml, self.start)..end,
            text: String::new(),
        }
    }

    /// Returns what adds `value` to the list that the property is; `None` when it is none, or
    /// an empty one.
    pub(super) fn append(&self, yaml: &str, value: &Value) -> Option<Splice> {
        match self.form {
            Form::FlowList { last: Some(end) } => Some(Splice {
                span: end..end,
                text: format!(", {}", write::flow(value)),
            }),
            Form::BlockList => {
                let mut text = String::new();
                let indent = self.value.start - line_start(yaml, self.value.start);
                write::block(&mut text, indent, &Value::from(vec![value.clone()]));
                let end = line_end(yaml, self.value.end);
                Some(Splice {
                    span: end..end,
                    text,
                })
            }
            _ => None,
        }
    }
}

fn range(node: &YamlNode) -> Option<Range<usize>> {
    node.as_node().map(|node| node.text_range().into())
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |found| found + 1)
}
