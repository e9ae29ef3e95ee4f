//! Changes of notes as edits for the editor, so that unsaved text counts and the editor can undo.

use super::context::{EditorNote, LspContext};
use crate::commands::prelude::*;
use crate::finding::plan::Change;
use crate::note::edit;
use crate::note::splice::{Splice, spliced};

/// Returns the `WorkspaceEdit` that applies `acts`, compiled as for a command.
pub(super) fn of_acts(context: &LspContext<'_>, acts: &[Act]) -> Result<Value> {
    let group = acts::manual_group(&context.view, "requested", acts).map_err(link_update_error)?;
    let mut edits = Vec::new();
    // Moves come last, because the edits name the old paths.
    let mut moves = Vec::new();
    for change in &group.changes {
        match change {
            Change::Create { path, text } => {
                let uri = context.uri(path);
                let start = json!({"line": 0, "character": 0});
                edits.push(json!({"kind": "create", "uri": uri}));
                edits.push(json!({
                    "textDocument": {"uri": uri, "version": null},
                    "edits": [{"range": {"start": start, "end": start}, "newText": text}],
                }));
            }
            Change::Edit {
                path, edits: made, ..
            } => edits.extend(edited(context, path, made)?),
            Change::Move {
                path,
                to,
                edits: made,
                ..
            } => {
                edits.extend(edited(context, path, made)?);
                let (old, new) = (context.uri(path), context.uri(to));
                moves.push(json!({"kind": "rename", "oldUri": old, "newUri": new}));
            }
            Change::Trash { path, .. } => {
                edits.push(json!({"kind": "delete", "uri": context.uri(path)}));
            }
        }
    }
    edits.extend(moves);
    Ok(json!({"documentChanges": edits}))
}

/// Returns the `TextDocumentEdit` of one note; `None` if nothing changes.
fn edited(context: &LspContext<'_>, path: &VaultPath, edits: &[Edit]) -> Result<Option<Value>> {
    let source = context.read(path.clone())?;
    let after = edit::apply(&source.text.text, edits)
        .map_err(|error| Error::new(format!("cannot edit `{path}`: {error}")))?;
    let text = &source.text.text;
    let splices = edits.iter().filter_map(|edit| match edit {
        Edit::Replace { span, text, .. } => Some((span.clone(), text.clone())),
        _ => None,
    });
    let mut splices: Vec<Splice> = splices.collect();
    // The front matter may get other quotes.
    if spliced(text, 0..text.len(), splices.clone()) != after {
        splices = vec![(0..text.len(), after)];
    }
    let edits = splices
        .iter()
        .filter_map(|(span, new)| text_edit(&source, span, new));
    let edits: Vec<Value> = edits.collect();
    let (uri, version) = (context.uri(path), context.version(path));
    Ok((!edits.is_empty())
        .then(|| json!({"textDocument": {"uri": uri, "version": version}, "edits": edits})))
}

/// Returns the replacement of a span, without its unchanged beginning and end; `None` if nothing changes.
fn text_edit(source: &EditorNote, span: &Range<usize>, after: &str) -> Option<Value> {
    let whole = &source.text.text;
    let was = &whole[span.clone()];
    if was == after {
        return None;
    }
    let differs = difference(was, after);
    let mut new = after[differs.start..after.len() - (was.len() - differs.end)].to_owned();
    let (mut start, mut end) = (span.start + differs.start, span.start + differs.end);
    // No position is within `\r\n`.
    let is_within_break = |at: usize| whole[..at].ends_with('\r') && whole[at..].starts_with('\n');
    if is_within_break(start) {
        start -= 1;
        new.insert(0, '\r');
    }
    if is_within_break(end) {
        end += 1;
        new.push('\n');
    }
    Some(json!({"range": source.text.range(&(start..end)), "newText": new}))
}

/// Returns the span of `was` that differs from `now`.
fn difference(was: &str, now: &str) -> Range<usize> {
    let pairs = was.char_indices().zip(now.chars());
    let same = pairs.take_while(|((_, a), b)| a == b).last();
    let start = same.map_or(0, |((at, c), _)| at + c.len_utf8());
    let ends = was[start..].chars().rev().zip(now[start..].chars().rev());
    let same_end = ends.take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8());
    start..was.len() - same_end.sum::<usize>()
}
