//! What one note can be to another: the names of properties that hold relations.
//!
//! A relation is stated by one note, in a list of whole-string wikilinks under the relation's name;
//! how it reads from the other end is derived, never stored.

use std::fmt;
use std::str::FromStr;

use super::as_text::serde_as_text;

/// A relation, read from the note that states it to the note that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// Gives grounds for it.
    Supports,
    /// Says what cannot be true beside it.
    Contradicts,
    PartOf,
    /// Needs it.
    DependsOn,
    /// Was made from it.
    DerivedFrom,
    /// Says what became of it: the newer names the older.
    EvolvedFrom,
    /// Comes after it.
    PrecededBy,
    /// Came about through it.
    CausedBy,
    /// Is one of its kind.
    InstanceOf,
    /// Says what it is.
    Defines,
    /// Has to do with it; nobody said how.
    RelatedTo,
    /// Says it in short.
    Summarizes,
    /// Sees the same matter from the other side.
    ContrastsWith,
    /// Says why it is so.
    Explains,
    /// Is about the same theme.
    SharesTheme,
    /// Is the same in another field.
    ParallelContext,
}

use Relation::{
    CausedBy, Contradicts, ContrastsWith, Defines, DependsOn, DerivedFrom, EvolvedFrom, Explains,
    InstanceOf, ParallelContext, PartOf, PrecededBy, RelatedTo, SharesTheme, Summarizes, Supports,
};

/// Each relation, its name, and its name from the other end; the same for those that go both ways.
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
    /// Every relation.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|(relation, _, _)| *relation)
    }

    /// Returns the relation that the property `key` holds, if it is one's name in any case.
    pub fn named(key: &str) -> Option<Self> {
        let mut names = NAMES.iter();
        names
            .find(|(_, name, _)| name.eq_ignore_ascii_case(key))
            .map(|(relation, _, _)| *relation)
    }

    /// Returns the relation whose name from the other end this is; none that goes both ways.
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

    /// Returns the name, which is that of the property.
    pub fn name(self) -> &'static str {
        self.names().0
    }

    /// Returns the name from the other end.
    pub fn inverse(self) -> &'static str {
        self.names().1
    }

    /// Returns true if it says the same from both ends.
    pub fn is_symmetric(self) -> bool {
        let (name, inverse) = self.names();
        name == inverse
    }

    /// Returns how strong one is of which nobody said it, 0–1: Ormah's 0.9 for what conflicts, 1 for
    /// what a note was made from, 0.5 else.
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
    fn names_lead_back() {
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
