//! Completion of links, headings, blocks, tags, and properties with their values.

use super::context::{LspContext, NoteRequest};
use super::names;
use crate::cache::prefix_index::PrefixKind;
use crate::commands::prelude::*;
use crate::note::front_matter::property_names::standard_name;
use crate::note::front_matter::write::scalar;
use crate::note::markdown::links::{anchor_of_heading, decoded, destination, part_of_heading};
use crate::note::markdown::parts::PartTarget;
use crate::note::markdown::tags;
use crate::note::words::letters::folded;
use crate::note::{list_of, text_of};
use crate::view::links::relative;
use crate::view::remap::is_wikilink_target;

/// Maximum number of proposals; more letters narrow them down.
const MAX_ITEMS: usize = 100;
/// Maximum number of notes whose property values are proposed.
const MAX_NOTES_WITH_VALUES: usize = 2000;

/// `CompletionItemKind`s.
const FILE: u32 = 17;
const REFERENCE: u32 = 18;
const KEYWORD: u32 = 14;
const PROPERTY: u32 = 10;

/// Name, text that an editor compares with what was typed, text to insert, and further information.
type Proposal = (String, String, String, String);

/// Proposals before a position.
struct Proposals {
    kind: u32,
    items: Vec<Proposal>,
    /// Length of the text before the position that they replace.
    typed: usize,
    /// Whether more letters can bring other proposals, so that the editor must ask again.
    is_incomplete: bool,
}

impl Proposals {
    fn new(kind: u32, typed: &str, items: impl IntoIterator<Item = Proposal>) -> Self {
        let (items, typed) = (Vec::from_iter(items), typed.len());
        let is_incomplete = items.len() >= MAX_ITEMS;
        Self {
            kind,
            items,
            typed,
            is_incomplete,
        }
    }

    /// Returns proposals that are inserted as `write` writes them.
    fn of_names(
        kind: u32,
        typed: &str,
        names: impl IntoIterator<Item = String>,
        write: impl Fn(&str) -> String,
    ) -> Self {
        let item = |name: String| (name.clone(), name.clone(), write(&name), String::new());
        Self::new(kind, typed, names.into_iter().map(item))
    }
}

/// Answers `textDocument/completion`.
pub(super) fn complete(request: NoteRequest<'_, '_>) -> Result<Value> {
    let (context, source) = (request.context, request.source);
    let offset = source.text.offset(&request.params["position"]);
    let line = source.text.line_span(source.text.line(offset));
    let text = &source.text.text;
    let (before, after) = (&text[line.start..offset], &text[offset..line.end]);
    let matter = source.note.block.as_ref().map(|block| block.inner.clone());
    let proposals = if let Some(typed) = opened(before, "[[", "]]") {
        let rest = after.split("[[").next().unwrap_or_default();
        wikilink(request, typed, rest)?
    } else if let Some(typed) = opened(before, "](", ")").filter(|typed| !typed.contains(' ')) {
        let rest = after.split(' ').next().unwrap_or_default();
        markdown_link(request, typed, missing(")", rest))?
    } else if matter.is_some_and(|inner| inner.start <= offset && offset <= inner.end) {
        front_matter(request, before, line.start)?
    } else {
        let start = before.rfind(tags::ends_tag).unwrap_or_default();
        let can_begin = tags::can_begin(text, line.start + start);
        let typed = before[start..].strip_prefix('#').filter(|_| can_begin);
        // A `#` alone at the start of a line begins a heading.
        match typed.filter(|typed| start > 0 || !typed.is_empty()) {
            Some(typed) => tag(context, typed)?,
            None => return Ok(Value::Null),
        }
    };
    let kind = proposals.kind;
    let range = source.text.range(&(offset - proposals.typed..offset));
    let items = proposals.items.into_iter().enumerate();
    let items = items.map(|(rank, (name, filter, new, detail))| {
        let edit = json!({"range": range, "newText": new});
        json!({"label": name, "kind": kind, "detail": detail, "filterText": filter,
            "sortText": format!("{rank:04}"), "textEdit": edit})
    });
    let items: Vec<Value> = items.collect();
    Ok(json!({"isIncomplete": proposals.is_incomplete, "items": items}))
}

/// Returns the text after the last `open`, unless `close` follows.
fn opened<'b>(before: &'b str, open: &str, close: &str) -> Option<&'b str> {
    let typed = &before[before.rfind(open)? + open.len()..];
    (!typed.contains(close)).then_some(typed)
}

/// Returns the part of the `end` of a link that its `rest`, the text after the position, lacks. An editor may have
/// inserted one bracket with the other.
fn missing(end: &'static str, rest: &str) -> &'static str {
    if rest.contains(end) {
        return "";
    }
    if rest.starts_with(&end[..1]) {
        &end[1..]
    } else {
        end
    }
}

/// Proposes notes, or after `#` the headings and after `#^` the blocks of a note.
fn wikilink(request: NoteRequest<'_, '_>, typed: &str, rest: &str) -> Result<Proposals> {
    let context = request.context;
    let end = missing("]]", rest);
    if let Some((target, part)) = typed.split_once('#') {
        let last = part.rsplit('#').next().unwrap_or(part);
        let blocks = last.starts_with('^');
        return parts(request, (target, LinkKind::Wiki), (last, blocks), end);
    }
    let view = &context.view;
    let mut items = Vec::new();
    // What follows a `|` is free text.
    let most = if typed.contains('|') { 0 } else { MAX_ITEMS };
    // A heading or label may follow already.
    let can_have_label = !end.is_empty() || rest.starts_with("]]");
    let query = typed.trim();
    for found in names::matching(view, query, most)? {
        let Some(entry) = view.at(&found.path)? else {
            continue;
        };
        let target = view.wikilink_target(&entry)?;
        let targets = [&*target, entry.path.stem(), entry.path.without_ending()].map(folded);
        let has_label = !targets.contains(&folded(&found.name)) && is_wikilink_target(&found.name);
        let label = if has_label && can_have_label {
            format!("|{}", found.name)
        } else {
            String::new()
        };
        if is_wikilink_target(&target) {
            let (name, new) = (found.name, format!("{target}{label}{end}"));
            items.push((name.clone(), name, new, entry.path.to_string()));
        }
    }
    let mut proposals = Proposals::new(FILE, typed, items);
    // Without a query only titles are proposed.
    proposals.is_incomplete |= query.is_empty();
    Ok(proposals)
}

/// Proposes notes by relative path, or after `#` the anchors of a note.
fn markdown_link(request: NoteRequest<'_, '_>, typed: &str, end: &str) -> Result<Proposals> {
    let (context, source) = (request.context, request.source);
    if let Some((target, part)) = typed.split_once('#') {
        let target = decoded(target);
        return parts(request, (&target, LinkKind::Markdown), (part, false), end);
    }
    let text = decoded(typed);
    let query = text.trim_start_matches(['.', '/']);
    let folders = &typed[..typed.len() - typed.trim_start_matches(['.', '/']).len()];
    let found = names::matching(&context.view, query, MAX_ITEMS)?.into_iter();
    let items = found.map(|found| {
        // The name contains neither what leads to other folders nor percent-encoding.
        let filter = if text == typed {
            format!("{folders}{}", found.name)
        } else {
            typed.to_owned()
        };
        let new = destination(&relative(&source.path, &found.path)) + end;
        (found.name, filter, new, found.path.to_string())
    });
    let mut proposals = Proposals::new(FILE, typed, items);
    proposals.is_incomplete |= query.is_empty() || text != typed;
    Ok(proposals)
}

/// Proposes the headings or `^` block ids of the note that `target` means, each by its own address.
fn parts(
    request: NoteRequest<'_, '_>,
    (target, kind): (&str, LinkKind),
    (typed, are_blocks): (&str, bool),
    end: &str,
) -> Result<Proposals> {
    let (context, source) = (request.context, request.source);
    let found = if target.is_empty() {
        Some(source.path.clone())
    } else {
        let is_markdown = kind == LinkKind::Markdown;
        let entry = context.view.resolve(&source.path, target, is_markdown)?;
        entry.map(|entry| entry.path)
    };
    let mut items = Vec::new();
    if let Some(owner) = found.map(|path| context.read(path)).transpose()? {
        let parts = owner.parts();
        let blocks = owner.note.blocks.iter().filter(|_| are_blocks);
        let names = blocks.map(|block| format!("^{}", block.id));
        items.extend(names.map(|name| (name.clone(), name.clone(), name + end, String::new())));
        let headings = owner.note.headings.iter().enumerate();
        for (number, heading) in headings.filter(|_| !are_blocks) {
            let address = parts.address(kind, PartTarget::Heading(number), &[]);
            let usual = || match kind {
                LinkKind::Wiki => part_of_heading(&heading.text),
                LinkKind::Markdown => anchor_of_heading(&heading.text),
            };
            let address = address.unwrap_or_else(usual);
            let name = heading.text.clone();
            let filter = match kind {
                LinkKind::Wiki => name.clone(),
                LinkKind::Markdown => address.clone(),
            };
            items.push((name, filter, address + end, String::new()));
        }
    }
    Ok(Proposals::new(REFERENCE, typed, items))
}

fn tag(context: &LspContext<'_>, typed: &str) -> Result<Proposals> {
    let tags = context
        .view
        .reading()
        .beginning(PrefixKind::Tag, typed, MAX_ITEMS)?;
    Ok(Proposals::of_names(KEYWORD, typed, tags, str::to_owned))
}

/// Proposes properties at the start of a line, and values after a key.
fn front_matter(
    request: NoteRequest<'_, '_>,
    before: &str,
    line_start: usize,
) -> Result<Proposals> {
    let (context, source) = (request.context, request.source);
    let key_of = |line: &str| {
        let key = line.split_once(':')?.0;
        (!key.is_empty() && !key.starts_with([' ', '-', '#'])).then(|| key.to_owned())
    };
    let mut above = source.text.text[..line_start].lines().rev();
    let is_item = before.trim_start().starts_with("- ");
    let key = key_of(before).or_else(|| above.find_map(key_of).filter(|_| is_item));
    let Some(key) = key else {
        let mut names: BTreeSet<String> = context
            .view
            .reading()
            .meta()?
            .properties
            .into_keys()
            .collect();
        names.extend(Relation::all().map(|relation| relation.name().to_owned()));
        names.retain(|name| !source.note.properties.contains_key(name));
        let typed = before.trim_start();
        return Ok(Proposals::of_names(PROPERTY, typed, names, |name| {
            format!("{name}: ")
        }));
    };
    let start = before.rfind([':', ',', '[', '-']).map_or(0, |at| at + 1);
    let opened = before[start..].trim_start();
    let typed = opened.trim_start_matches(['"', '\'']);
    let quotes = &opened[..opened.len() - typed.len()];
    if standard_name(&key) == tags::PROPERTY {
        return tag(context, typed);
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for entry in context.view.entries()?.iter().take(MAX_NOTES_WITH_VALUES) {
        let properties = context.view.details(entry.slot)?.properties();
        let one = text_of(&properties, &key).into_iter();
        for value in one.chain(list_of(&properties, &key)) {
            *counts.entry(value).or_default() += 1;
        }
    }
    counts.retain(|value, _| folded(value).contains(&folded(typed)));
    let mut values: Vec<(String, usize)> = counts.into_iter().collect();
    values.sort_by_key(|(_, notes)| std::cmp::Reverse(*notes));
    let values = values.into_iter().take(MAX_ITEMS).map(|(value, _)| value);
    let is_in_list = before[..start].contains('[');
    Ok(Proposals::of_names(PROPERTY, typed, values, |value| {
        if quotes.is_empty() {
            scalar(value, is_in_list)
        } else {
            value.to_owned()
        }
    }))
}
