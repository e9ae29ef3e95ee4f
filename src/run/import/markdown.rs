//! Reads memories that are Markdown files.

use serde_json::json;

use super::json::edge;
use super::record::{Export, ImportEdge, ImportRecord};
use super::sources::ImportSource;
use crate::run::prelude::*;
use crate::signals::dates;

/// Adds the memory in `text`, a file at the relative path `file`, to `export`. Without a date in
/// the text or the name it was created when the file was `saved`.
pub(super) fn read(
    source: &ImportSource,
    file: &str,
    text: &str,
    saved: Option<Timestamp>,
    export: &mut Export,
) {
    let file_stem = Path::new(file).file_stem();
    let stem = file_stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let note = note::read(text, &stem);
    if let Some(problem) = note.problem {
        return export.skip_unreadable(file, format!("cannot read its front matter: {problem}"));
    }
    let body = &text[note.body];
    if source.name == "claude" && stem == "MEMORY" && is_index(body) {
        return export.skip(file, "an index of the other files");
    }
    let mut properties = note.properties;
    let connections = properties.remove("connections");
    if let Some(Value::Object(metadata)) = properties.get("metadata")
        && let Some(kind) = metadata.get("type").cloned()
    {
        properties.entry("type").or_insert(kind);
    }
    let mut record = ImportRecord::of(properties, &source.fields, file);
    record.add_lines(body);
    let path = VaultPath::new(file).ok();
    if path.is_none_or(|path| dates::created(&record.properties, &path).is_none()) {
        let updated = record.properties.get("updated").cloned();
        let saved = saved.map(|at| at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string().into());
        let created = updated.or(saved);
        record
            .properties
            .extend(created.map(|at| ("created".to_owned(), at)));
    }
    if record.id.is_empty() {
        file.clone_into(&mut record.id);
    }
    let title = record.title.get_or_insert(note.title).clone();
    let path = file.strip_suffix(".md").unwrap_or(file).to_owned();
    record.other_ids.extend([title, stem, path]);
    if source.name == "ormah" {
        record.is_deleted |= file.starts_with("deleted/");
    } else {
        // Relative links between the files stay valid.
        record.path = Some(file.to_owned());
    }
    for connection in connections.iter().filter_map(Value::as_array).flatten() {
        let mut stated = connection.as_object().cloned().unwrap_or_default();
        stated.insert("from".to_owned(), record.id.clone().into());
        match edge(&stated) {
            Some(edge) => export.edges.push(edge),
            None => drop(
                record
                    .rest
                    .insert("connections".to_owned(), connection.clone()),
            ),
        }
    }
    if source.name == "basic-memory" {
        export.edges.extend(stated_relations(&record));
    }
    export.records.push(record);
}

/// Whether every line of a text is a heading or a link to a file.
fn is_index(body: &str) -> bool {
    let mut lines = body.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.all(|line| line.starts_with('#') || line.starts_with("- [") && line.contains("]("))
}

/// Returns the relations in lines like `- depends_on [[Target]] (context)`.
fn stated_relations(record: &ImportRecord) -> Vec<ImportEdge> {
    let relation = |line: &str| {
        let (label, rest) = line.trim().strip_prefix("- ")?.split_once("[[")?;
        let (target, context) = rest.split_once("]]")?;
        let label = label.trim();
        let is_label = !label.is_empty()
            && label
                .chars()
                .all(|c| c.is_alphanumeric() || "_- ".contains(c));
        let context = context.trim().trim_start_matches('(').trim_end_matches(')');
        is_label.then(|| ImportEdge {
            from: record.id.clone(),
            to: target.split('|').next().unwrap_or(target).to_owned(),
            label: label.replace(' ', "_"),
            reason: Some(context.to_owned()).filter(|context| !context.is_empty()),
            // The body states it.
            raw: json!(Map::new()),
            ..ImportEdge::default()
        })
    };
    record.body.lines().filter_map(relation).collect()
}
