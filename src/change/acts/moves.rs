//! Moves notes to other paths and updates the links to them.

use super::draft::Draft;
use super::error::Result;
use crate::finding::{Act, Change};
use crate::note::VaultPath;
use crate::view::Entry;
use crate::view::remap::Remap;

/// Adds all moves among `acts`.
pub(super) fn compile(draft: &mut Draft<'_, '_>, acts: &[Act]) -> Result<()> {
    let mut moves: Vec<(Entry, VaultPath)> = Vec::new();
    for act in acts {
        if let Act::Move { note, to } = act {
            moves.push((draft.entry(note)?, to.clone()));
        }
    }
    if moves.is_empty() {
        return Ok(());
    }
    let linking = Remap::moving(draft.view, &moves).edits()?;
    for (entry, to) in moves {
        draft.push(Change::Move {
            path: entry.path,
            base: entry.row.content,
            to,
            edits: Vec::new(),
        });
    }
    for (entry, edits) in linking {
        draft.edit(&entry.path, entry.row.content, edits);
    }
    Ok(())
}
