//! Lowers notes of other projects; notes without a project are unaffected.
//!
//! A factor, not a filter (`space:` is one): information that only another project has is still found. If no
//! candidate is of the caller's project, nothing changes.

use crate::cache::CacheError;
use crate::cache::row::Slot;
use crate::note::front_matter::matter::list_of;
use crate::view::View;

/// The property with the project of a note.
const PROPERTY: &str = "space";

/// The project of the caller.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    pub name: String,
    /// Factor on the score of notes of other projects.
    pub others: f32,
}

impl Space {
    /// Returns the factors of `slots`; `None` if no note is of this project.
    pub(super) fn factors(
        &self,
        view: &View<'_>,
        slots: impl Iterator<Item = Slot>,
    ) -> Result<Option<Vec<f32>>, CacheError> {
        if !view.reading().meta()?.properties.contains_key(PROPERTY) {
            return Ok(None);
        }
        let mut factors = Vec::new();
        for slot in slots {
            let properties = view.details(slot)?.properties();
            factors.push(self.factor(&list_of(&properties, PROPERTY)));
        }
        let is_known = factors.contains(&Some(1.0));
        let factors = factors.into_iter().map(|factor| factor.unwrap_or(1.0));
        Ok(is_known.then(|| factors.collect()))
    }

    /// Returns the factor of a note in these spaces; `None` without spaces.
    fn factor(&self, spaces: &[String]) -> Option<f32> {
        let own = self.name.to_lowercase();
        let is_own = |space: &String| space.trim().to_lowercase() == own;
        match spaces {
            [] => None,
            spaces if spaces.iter().any(is_own) => Some(1.0),
            _ => Some(self.others),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowers_notes_of_other_projects() {
        let space = Space {
            name: "Seedlist".to_owned(),
            others: 0.6,
        };
        for (spaces, expected) in [
            (&["seedlist"][..], Some(1.0)),
            (&["ormah", "Seedlist "], Some(1.0)),
            (&["ormah"], Some(0.6)),
            (&[], None),
        ] {
            let spaces: Vec<String> = spaces.iter().map(|&space| space.to_owned()).collect();
            assert_eq!(space.factor(&spaces), expected, "{spaces:?}");
        }
    }
}
