//! Changes of notes as edits for the editor, so that unsaved text counts and the editor can undo.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::context::{Context, Source};
use crate::commands::prelude::*;
use crate::finding::plan::Change;
use crate::note::edit;
use crate::note::splice::{Splice, spliced};

/// Returns the `WorkspaceEdit` that applies `acts`, compiled as for a command.
pub(super) fn of_acts(context: &Context<'_>, acts: &[Act]) -> Result<Value> {
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
fn edited(context: &Context<'_>, path: &VaultPath, edits: &[Edit]) -> Result<Option<Value>> {
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
        .flat_map(|(span, new)| text_edits(&source, span, new));
    let edits: Vec<Value> = edits.collect();
    let (uri, version) = (context.uri(path), context.version(path));
    Ok((!edits.is_empty())
        .then(|| json!({"textDocument": {"uri": uri, "version": version}, "edits": edits})))
}

/// Returns the edits of the changed lines of a span, each without its unchanged beginning and end.
fn text_edits(source: &Source, span: &Range<usize>, after: &str) -> Vec<Value> {
    let whole = &source.text.text;
    let is_within_break = |at: usize| whole[..at].ends_with('\r') && whole[at..].starts_with('\n');
    let (at, before) = (span.start, &whole[span.clone()]);
    let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<&str>>();
    let (old, new) = (lines(before), lines(after));
    let length = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    let operations = capture_diff_slices(Algorithm::Myers, &old, &new);
    let changed = operations
        .iter()
        .filter(|operation| !matches!(operation, DiffOp::Equal { .. }));
    let edits = changed.map(|operation| {
        let start = length(&old[..operation.old_range().start]);
        let was = &before[start..start + length(&old[operation.old_range()])];
        let text = new[operation.new_range()].concat();
        let (kept, span) = difference(was, &text);
        let mut new = text[kept..text.len() - (was.len() - span.end)].to_owned();
        let mut span = at + start + span.start..at + start + span.end;
        // No position is within `\r\n`.
        if is_within_break(span.start) {
            span.start -= 1;
            new.insert(0, '\r');
        }
        if is_within_break(span.end) {
            span.end += 1;
            new.push('\n');
        }
        json!({"range": source.text.range(&span), "newText": new})
    });
    edits.collect()
}

/// Returns the length of the common beginning, and the span of `was` that differs.
fn difference(was: &str, now: &str) -> (usize, Range<usize>) {
    let pairs = was.char_indices().zip(now.chars());
    let same = pairs.take_while(|((_, a), b)| a == b).last();
    let start = same.map_or(0, |((at, c), _)| at + c.len_utf8());
    let (was_rest, now_rest) = (&was[start..], &now[start..]);
    let ends = was_rest.chars().rev().zip(now_rest.chars().rev());
    let same_end = ends.take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8());
    (start, start..was.len() - same_end.sum::<usize>())
}
