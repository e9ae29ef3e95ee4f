//! Whether an act is needless, because the notes are already as it would leave them.

use crate::finding::act::Act;
use crate::note::front_matter::property;
use crate::view::prelude::*;

impl View<'_> {
    /// Returns true if every one of `acts` is needless.
    pub fn are_done(&self, acts: &[Act]) -> Result<bool> {
        for act in acts {
            if !self.is_done(act)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns true if `act` is needless; of a relation also if the two are joined by one that says as
    /// much or more.
    pub fn is_done(&self, act: &Act) -> Result<bool> {
        match act {
            // A merge takes notes away: while they are there it is not done. A list is looked at anew each time.
            Act::Merge { .. } | Act::Refresh { .. } => Ok(false),
            Act::Relate { edge, .. } => {
                let settles = |link: &LinkTo| settles(link, edge.relation);
                let (Some(from), Some(to)) = (self.at(&edge.from)?, self.at(&edge.to)?) else {
                    return Ok(false);
                };
                Ok(self.has_link(&from, &to, settles)? || self.has_link(&to, &from, settles)?)
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
                Ok(edits.all(|edit| property::is_made(edit, &properties)))
            }
            Act::Create { path, .. } => Ok(self.at(path)?.is_some()),
            Act::Move { note, to } => Ok(self.at(note)?.is_none() && self.at(to)?.is_some()),
            Act::Trash { note, .. } => Ok(self.at(note)?.is_none()),
        }
    }
}

/// Returns true if `link` makes it needless to state `relation` of the same two notes: any link where
/// `related_to` would only say that they have to do with each other, either of the two answers to a
/// conflict, else the relation itself.
fn settles(link: &LinkTo, relation: Relation) -> bool {
    use Relation::{Contradicts, EvolvedFrom, RelatedTo};
    let stated = link.property.as_deref().and_then(Relation::named);
    match relation {
        RelatedTo => true,
        EvolvedFrom | Contradicts => matches!(stated, Some(EvolvedFrom | Contradicts)),
        relation => stated == Some(relation),
    }
}
