//! Whether an act is redundant because the notes already have its result.

use crate::finding::Act;
use crate::note::front_matter::property;
use crate::view::prelude::*;

impl View<'_> {
    /// Whether all `acts` are redundant.
    pub fn are_done(&self, acts: &[Act]) -> Result<bool> {
        for act in acts {
            if !self.is_done(act)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether `act` is redundant. A relation is redundant if the notes are already joined by an
    /// equal or stronger one.
    pub fn is_done(&self, act: &Act) -> Result<bool> {
        match act {
            // A merge removes notes, so it is pending while they exist. Lists are always compared
            // again.
            Act::Merge { .. } | Act::Refresh { .. } | Act::Resolve { .. } => Ok(false),
            Act::Relate { edge, .. } => {
                let covers = |link: &LinkTo| covers(link, edge.relation);
                let (Some(from), Some(to)) = (self.at(&edge.from)?, self.at(&edge.to)?) else {
                    return Ok(false);
                };
                Ok(self.has_link(&from, &to, covers)? || self.has_link(&to, &from, covers)?)
            }
            Act::LinkMention { note, to, .. } => match (self.at(note)?, self.at(to)?) {
                (Some(from), Some(to)) => self.has_link(&from, &to, |_| true),
                _ => Ok(false),
            },
            Act::Edit { note, edits } => {
                let Some(entry) = self.at(note)? else {
                    return Ok(false);
                };
                let properties = self.details(entry.slot)?.properties();
                let mut edits = edits.iter();
                Ok(edits.all(|edit| property::is_applied(edit, &properties)))
            }
            Act::Create { path, .. } => Ok(self.at(path)?.is_some()),
            Act::Move { note, to } => Ok(self.at(note)?.is_none() && self.at(to)?.is_some()),
            Act::Trash { note, .. } => Ok(self.at(note)?.is_none()),
        }
    }
}

/// Whether `link` makes stating `relation` between the same two notes redundant. Any link covers
/// `related_to`; either answer to a conflict covers both; other relations must be equal.
fn covers(link: &LinkTo, relation: Relation) -> bool {
    use Relation::{Contradicts, EvolvedFrom, RelatedTo};
    let stated = link.property.as_deref().and_then(Relation::named);
    match relation {
        RelatedTo => true,
        EvolvedFrom | Contradicts => matches!(stated, Some(EvolvedFrom | Contradicts)),
        relation => stated == Some(relation),
    }
}
