//! Definitions, references, hover texts, outlines, links and names.

use super::context::{EditorNote, LspContext, NoteRequest};
use super::names;
use crate::note::Link;
use crate::note::retag::renamed;
use crate::output::DAY_FORMAT;
use crate::view::links::rebased;

use crate::commands::prelude::*;

/// Maximum number of notes that a search for names returns.
const MAX_SYMBOLS: usize = 50;
/// Maximum lines of a note in a hover text.
const MAX_HOVER_LINES: usize = 12;
/// `SymbolKind` of a note and of a heading.
const FILE_SYMBOL: u32 = 1;
const HEADING_SYMBOL: u32 = 15;

/// Answers `textDocument/definition`: the target of a link.
pub(super) fn definition(request: NoteRequest<'_, '_>) -> Result<Value> {
    let (context, source) = (request.context, request.source);
    let subject = request.subject()?;
    let Some(link) = subject.link else {
        return Ok(Value::Null);
    };
    if let Some(target) = subject.note {
        let target = context.read(target.path)?;
        let span = target.part(&link);
        return Ok(context.location(&target, &span));
    }
    let start = json!({"line": 0, "character": 0});
    let file = attachment(context, source, &link);
    Ok(file.map_or(
        Value::Null,
        |uri| json!({"uri": uri, "range": {"start": start, "end": start}}),
    ))
}

/// Returns the address of the other file that a link leads to.
fn attachment(context: &LspContext<'_>, source: &EditorNote, link: &Link) -> Option<String> {
    let root = VaultPath::new("x").ok()?;
    let from_folder = rebased(&source.path, &link.target, &root);
    let from_root = rebased(&root, link.target.trim_start_matches('/'), &root);
    let mut paths = [from_folder, from_root].into_iter().flatten();
    let path = paths.find_map(|path| {
        let path = VaultPath::new(&path).ok()?;
        context.session.vault.exists(&path).then_some(path)
    });
    Some(context.uri(&path?))
}

/// Answers `textDocument/references`: the links to what a position refers to, else to the note.
pub(super) fn references(request: NoteRequest<'_, '_>) -> Result<Value> {
    let (context, source) = (request.context, request.source);
    let subject = request.subject()?;
    let mut locations = Vec::new();
    if let Some(tag) = subject.tag {
        for other in tagged(context, &tag)? {
            let tags = other.tags().into_iter();
            let spans = tags.filter(|(name, _)| renamed(name, &tag, "").is_some());
            locations.extend(spans.map(|(_, span)| context.location(&other, &span)));
        }
        return Ok(json!(locations));
    }
    let part = subject.part;
    let is_declaration = subject.link.is_none() && part.is_some();
    if is_declaration && request.params["context"]["includeDeclaration"] == true {
        locations.push(context.location(source, &subject.span));
    }
    let Some(target) = subject.note else {
        return Ok(json!(locations));
    };
    let parts = context.read(target.path.clone())?.parts();
    for (other, links) in context.links_to(&target)? {
        let is_meant =
            |link: &&Link| part.is_none() || parts.of_link(link).map(|found| found.target) == part;
        let links = links.iter().filter(is_meant);
        locations.extend(links.map(|link| context.location(&other, &link.span)));
    }
    Ok(json!(locations))
}

/// Returns the notes with `tag` or one below it.
pub(super) fn tagged(context: &LspContext<'_>, tag: &str) -> Result<Vec<EditorNote>> {
    let view = &context.view;
    let has = |tags: &[String]| tags.iter().any(|has| renamed(has, tag, "").is_some());
    let mut found = Vec::new();
    for entry in view.entries()? {
        if view.unsaved.contains_key(&entry.path) || has(&view.details(entry.slot)?.tags) {
            found.push(context.read(entry.path)?);
        }
    }
    // An unsaved text may have lost the tag.
    found.retain(|source| has(&source.note.tags));
    Ok(found)
}

/// Answers `textDocument/hover`: the text and state of a linked note, else of this note at its
/// title.
pub(super) fn hover(request: NoteRequest<'_, '_>) -> Result<Value> {
    let (context, source) = (request.context, request.source);
    let subject = request.subject()?;
    let range = source.text.range(&subject.span);
    if let Some(tag) = subject.tag {
        let notes = count(tagged(context, &tag)?.len(), "note");
        let contents = json!({"kind": "markdown", "value": format!("`#{tag}`: {notes}")});
        return Ok(json!({"range": range, "contents": contents}));
    }
    // In the text of a note only its title has a hover text.
    let is_title = !subject.span.is_empty() && subject.part.is_none();
    let Some(entry) = subject.note.filter(|_| subject.link.is_some() || is_title) else {
        return Ok(Value::Null);
    };
    let mut value = state(context, &entry)?;
    if let Some(link) = subject.link {
        let target = context.read(entry.path)?;
        let text = &target.text.text;
        let offset = match &link.part {
            Some(_) => target.part(&link).start,
            None => target.note.body.start,
        };
        let start = target.text.line_span(target.text.line(offset)).start;
        let lines: Vec<&str> = text[start..]
            .trim_start()
            .lines()
            .take(MAX_HOVER_LINES)
            .collect();
        let _ = write!(value, "\n\n---\n\n{}", lines.join("\n"));
    }
    let contents = json!({"kind": "markdown", "value": value});
    Ok(json!({"range": range, "contents": contents}))
}

/// Returns title, state, backlinks and last use of a note.
fn state(context: &LspContext<'_>, entry: &Entry) -> Result<String> {
    let view = &context.view;
    let date = |seconds: i64| {
        let at = Timestamp::from_second(seconds).unwrap_or_default();
        crate::output::format_time(at, &view.now, DAY_FORMAT)
    };
    let mut facts = vec![
        entry.row.flags.tier().name().to_owned(),
        count(view.linking_to(entry)?.len(), "backlink"),
    ];
    if let Some(used) = view.usage(entry)?.anchor() {
        facts.push(format!("last used {}", date(used)));
    }
    if let Some(created) = entry.row.stated() {
        facts.push(format!("created {}", date(created.as_second())));
    }
    if let Some(newer) = view.last_replacement(entry)? {
        facts.push(format!("replaced by [[{}]]", view.wikilink_target(&newer)?));
    }
    let title = view.details(entry.slot)?.title;
    Ok(format!(
        "**{title}** `{}`\n\n{}",
        entry.path,
        facts.join(" · ")
    ))
}

/// Answers `textDocument/documentSymbol`: the headings as a tree.
#[expect(clippy::unnecessary_wraps, reason = "all answers have one signature")]
pub(super) fn outline(request: NoteRequest<'_, '_>) -> Result<Value> {
    let source = request.source;
    Ok(json!(tree(source, &source.note.headings)))
}

fn tree(source: &EditorNote, mut headings: &[Heading]) -> Vec<Value> {
    let mut symbols = Vec::new();
    while let [heading, rest @ ..] = headings {
        let below = rest.iter().take_while(|other| other.level > heading.level);
        let (children, later) = rest.split_at(below.count());
        let name = if heading.text.is_empty() {
            "#"
        } else {
            &heading.text
        };
        symbols.push(json!({
            "name": name,
            "kind": HEADING_SYMBOL,
            "range": source.text.range(&source.section(heading)),
            "selectionRange": source.text.range(&source.heading_span(heading)),
            "children": tree(source, children),
        }));
        headings = later;
    }
    symbols
}

/// Answers `textDocument/documentLink`.
pub(super) fn document_links(request: NoteRequest<'_, '_>) -> Result<Value> {
    let (context, source) = (request.context, request.source);
    let mut links = Vec::new();
    for link in &source.note.links {
        let uri = match context.target(source, link)? {
            Some(target) => Some(context.uri(&target.path)),
            None => attachment(context, source, link),
        };
        if let Some(uri) = uri {
            links.push(json!({"range": source.text.range(&link.span), "target": uri}));
        }
    }
    Ok(json!(links))
}

/// Answers `textDocument/foldingRange`: front matter and sections.
#[expect(clippy::unnecessary_wraps, reason = "all answers have one signature")]
pub(super) fn folds(request: NoteRequest<'_, '_>) -> Result<Value> {
    let source = request.source;
    let headings = source.note.headings.iter();
    let sections = headings.map(|heading| source.section(heading));
    let blocks = source.note.block.iter();
    let matter = blocks.map(|block| block.whole.start..block.inner.end);
    let lines = matter.chain(sections).map(|span| {
        let last = source.text.line(span.end);
        json!({"startLine": source.text.line(span.start), "endLine": last})
    });
    Ok(lines.collect())
}

/// Returns the notes whose names match `query`.
pub(super) fn symbols(context: &LspContext<'_>, query: &str) -> Result<Vec<Value>> {
    let matches = names::matching(&context.view, query, MAX_SYMBOLS)?.into_iter();
    let found = matches.map(|found| symbol(&found.name, &context.uri(&found.path), &found.path));
    Ok(found.collect())
}

/// Returns a note as a result of `workspace/symbol`.
pub(super) fn symbol(name: &str, uri: &str, path: &VaultPath) -> Value {
    let start = json!({"line": 0, "character": 0});
    let location = json!({"uri": uri, "range": {"start": start, "end": start}});
    json!({"name": name, "kind": FILE_SYMBOL, "location": location, "containerName": path.folder()})
}
