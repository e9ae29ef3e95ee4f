//! Relations between notes: names of properties.
//!
//! A note states a relation as a list of whole-string wikilinks under the relation's name. The inverse is derived,
//! never stored.

use std::fmt;
use std::str::FromStr;

use super::as_text::serde_as_text;

/// A relation from the note that states it to the note that it links to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// Gives evidence for the target.
    Supports,
    /// Cannot be true together with the target.
    Contradicts,
    PartOf,
    /// Requires the target.
    DependsOn,
    /// Is based on the target.
    DerivedFrom,
    /// Replaces the target, an older state of the same matter.
    EvolvedFrom,
    /// Follows the target.
    PrecededBy,
    /// Is an effect of the target.
    CausedBy,
    /// Is an example of the target.
    InstanceOf,
    /// Defines the target.
    Defines,
    /// Is related to the target in an unspecified way.
    RelatedTo,
    /// Summarizes the target.
    Summarizes,
    /// Presents an opposite view of the same matter.
    ContrastsWith,
    /// Gives the reason for the target.
    Explains,
    /// Shares a theme with the target.
    SharesTheme,
    /// Is an analogue in another field.
    ParallelContext,
}

use Relation::{
    CausedBy, Contradicts, ContrastsWith, Defines, DependsOn, DerivedFrom, EvolvedFrom, Explains,
    InstanceOf, ParallelContext, PartOf, PrecededBy, RelatedTo, SharesTheme, Summarizes, Supports,
};

/// Relations with their names and inverse names; equal names for symmetric relations.
const NAMES: [(Relation, &str, &str); 16] = [
    (Supports, "supports", "supported_by"),
    (Contradicts, "contradicts", "contradicts"),
    (PartOf, "part_of", "has_part"),
    (DependsOn, "depends_on", "required_by"),
    (DerivedFrom, "derived_from", "consolidated_into"),
    (EvolvedFrom, "evolved_from", "replaced_by"),
    (PrecededBy, "preceded_by", "followed_by"),
    (CausedBy, "caused_by", "causes"),
    (InstanceOf, "instance_of", "has_instance"),
    (Defines, "defines", "defined_by"),
    (RelatedTo, "related_to", "related_to"),
    (Summarizes, "summarizes", "summarized_by"),
    (ContrastsWith, "contrasts_with", "contrasts_with"),
    (Explains, "explains", "explained_by"),
    (SharesTheme, "shares_theme", "shares_theme"),
    (ParallelContext, "parallel_context", "parallel_context"),
];

impl Relation {
    /// Returns every relation.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|(relation, _, _)| *relation)
    }

    /// Returns the relation named `key`, ignoring case.
    pub fn named(key: &str) -> Option<Self> {
        let mut names = NAMES.iter();
        names
            .find(|(_, name, _)| name.eq_ignore_ascii_case(key))
            .map(|(relation, _, _)| *relation)
    }

    /// Returns the asymmetric relation with this inverse name.
    pub fn named_from_other_end(name: &str) -> Option<Self> {
        let mut names = NAMES.iter().filter(|(_, name, inverse)| name != inverse);
        names
            .find(|(_, _, inverse)| *inverse == name)
            .map(|(relation, _, _)| *relation)
    }

    fn names(self) -> (&'static str, &'static str) {
        let (_, name, inverse) = NAMES[self as usize];
        (name, inverse)
    }

    /// Returns the name of the relation and of its property.
    pub fn name(self) -> &'static str {
        self.names().0
    }

    /// Returns the name of the inverse.
    pub fn inverse(self) -> &'static str {
        self.names().1
    }

    /// Returns whether the relation equals its inverse.
    pub fn is_symmetric(self) -> bool {
        let (name, inverse) = self.names();
        name == inverse
    }

    /// Returns the default weight of a relation without a recorded one, 0–1: 0.9 for conflicts (from Ormah), 1 for
    /// derivation, 0.5 otherwise.
    pub fn weight(self) -> f32 {
        match self {
            Contradicts | EvolvedFrom => 0.9,
            DerivedFrom | Summarizes => 1.0,
            _ => 0.5,
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Relation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::named(text).ok_or_else(|| format!("unknown relation `{text}`"))
    }
}

serde_as_text!(Relation);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for (place, relation) in Relation::all().enumerate() {
            assert_eq!(relation as usize, place);
            assert_eq!(Relation::named(relation.name()), Some(relation));
            let from_other_end = (!relation.is_symmetric()).then_some(relation);
            assert_eq!(
                Relation::named_from_other_end(relation.inverse()),
                from_other_end
            );
        }
        assert_eq!(Relation::named("tags"), None);
    }
}
