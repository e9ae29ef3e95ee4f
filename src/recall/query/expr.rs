//! The syntax tree of a query.

use std::collections::BTreeMap;
use std::ops::Range;

use super::period::Period;
use crate::cache::text::clause::Clause;
use crate::cache::text::schema::Column;
use crate::config::nearest;
use crate::note::words::analyzer::Pattern;
use crate::signals::fields::{DateField, FIELDS, Field, NameField, NumberField, TextField};
use crate::signals::tier::Tier;

/// Saved queries by name.
pub type SavedQueryMap = BTreeMap<String, String>;

/// A parsed query.
#[derive(Clone, Debug)]
pub struct Query {
    /// The condition; an empty [`Expr::And`] matches every note.
    pub expr: Expr,
    /// The sort field, and whether its order is reversed.
    pub sort: Option<(&'static Field, bool)>,
    /// Probable mistakes, in reading order.
    pub hints: Vec<Hint>,
}

/// A condition on a note.
///
/// In a parsed expression no `And`, `Or` or `Not` contains its own kind directly, and each `And` and `Or` has
/// at least two members, except for the empty `And`.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// All of them.
    And(Vec<Expr>),
    /// At least one of them.
    Or(Vec<Expr>),
    Not(Box<Expr>),
    /// The text of the note matches, in any column.
    Text(Pattern),
    /// A field matches.
    Filter(Filter),
}

/// A condition on one field.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// Words in a part of the note.
    Text { field: TextField, pattern: Pattern },
    /// A field with names; `*` in the value matches anything.
    Names {
        /// The field.
        field: NameField,
        /// The value, without the `#` of a tag.
        value: String,
    },
    /// The tier of the note.
    Tier(Tier),
    /// A date of the note.
    Date {
        /// The field.
        field: DateField,
        /// How it compares to the period.
        comparison: Comparison,
        period: Period,
    },
    /// A number of the note.
    Number {
        /// The field.
        field: NumberField,
        /// How it compares to the value.
        comparison: Comparison,
        /// The value, finite.
        value: f64,
    },
    /// The note has this feature.
    Has(Feature),
    /// The note is in this state.
    Is(State),
    /// A property of the front matter.
    Property {
        /// The name as written.
        name: String,
        /// How it compares to the value.
        comparison: Comparison,
        value: PropertyValue,
        /// The condition as written, without quotes.
        written: String,
    },
}

/// The value that a property is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertyValue {
    /// A text; `*` matches anything in a test for equality.
    Text(String),
    /// A number, finite; not with [`Comparison::Is`].
    Number(f64),
    Time(Period),
}

/// How a value compares to another, or to a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`: before the range.
    Below,
    /// `<=`: before its end.
    AtMost,
    /// No sign or `=`: in the range.
    Is,
    /// `>=`: at or after its start.
    AtLeast,
    /// `>`: at or after its end.
    Above,
}

impl Comparison {
    /// Returns whether `value` compares to the half-open `range` like this.
    pub fn holds_for_range<T: PartialOrd>(self, value: &T, range: &Range<T>) -> bool {
        match self {
            Self::Below => *value < range.start,
            Self::AtMost => *value < range.end,
            Self::Is => range.contains(value),
            Self::AtLeast => *value >= range.start,
            Self::Above => *value >= range.end,
        }
    }

    /// Returns whether `value` compares to `other` like this.
    pub fn holds<T: PartialOrd>(self, value: &T, other: &T) -> bool {
        match self {
            Self::Below => value < other,
            Self::AtMost => value <= other,
            Self::Is => value == other,
            Self::AtLeast => value >= other,
            Self::Above => value > other,
        }
    }
}

/// A state of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Written by mem or an agent and not edited by hand since.
    Managed,
    /// Any other note.
    Handwritten,
    /// Without links to or from it.
    Orphan,
    /// Without links to other notes.
    Deadend,
    /// With a link to a note that does not exist.
    Unresolved,
    /// Without text after the front matter.
    Empty,
    /// With an open task.
    Open,
    /// With a completed task.
    Done,
    /// No longer valid.
    Expired,
    /// Not valid yet.
    Upcoming,
    /// Replaced by another note.
    Superseded,
}

/// The states in the order of [`State`]: name in a query, description.
pub const STATES: [(State, &str, &str); 11] = [
    (
        State::Managed,
        "managed",
        "written by mem or an agent, and not edited by hand since",
    ),
    (State::Handwritten, "handwritten", "any other note"),
    (State::Orphan, "orphan", "without links to or from it"),
    (State::Deadend, "deadend", "without links to other notes"),
    (
        State::Unresolved,
        "unresolved",
        "with a link to a note that does not exist",
    ),
    (State::Empty, "empty", "without text after the front matter"),
    (
        State::Open,
        "open",
        "with an open task; `mem tasks` lists the tasks",
    ),
    (State::Done, "done", "with a completed task"),
    (State::Expired, "expired", "no longer valid"),
    (State::Upcoming, "upcoming", "not valid yet"),
    (State::Superseded, "superseded", "replaced by another note"),
];

impl State {
    /// Returns the state named `text`, ignoring case.
    pub(super) fn named(text: &str) -> Option<Self> {
        let mut states = STATES.into_iter();
        let found = states.find(|(_, name, _)| name.eq_ignore_ascii_case(text))?;
        Some(found.0)
    }
}

/// A feature that a note can have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    /// A contradicting note.
    Conflict,
    /// A property of this name with a value.
    Property(String),
}

/// A probable mistake in a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Hint {
    #[error("unclosed `\"`")]
    UnclosedQuote,
    #[error("unclosed `(`")]
    UnclosedGroup,
    /// The innermost parentheses become text.
    #[error("the parentheses are nested too deeply")]
    TooDeep,
    /// The `AND`, `OR` or `NOT` becomes a word.
    #[error("`{0}` lacks an operand")]
    StrayOperator(String),
    /// The field becomes a word.
    #[error("`{field}:` needs a value, as in `{example}`")]
    NoValue {
        field: &'static str,
        example: &'static str,
    },
    #[error("`{field}:` takes a date or an age like 2026-05, yesterday or <30d")]
    BadDate {
        /// The name as written.
        field: String,
        /// The value as written.
        value: String,
    },
    #[error("`{field}:` takes a number")]
    BadNumber {
        /// The name as written.
        field: String,
        /// The value as written.
        value: String,
    },
    #[error("unknown state `is:{0}`; known states: {known}", known = STATES.map(|(_, name, _)| name).join(", "))]
    UnknownState(String),
    #[error("unknown tier `tier:{0}`; known tiers: core, working, archival, forgotten")]
    UnknownTier(String),
    #[error("unknown order `sort:{0}`; known: {known}", known = Field::sort_keys().collect::<Vec<_>>().join(", "))]
    UnknownSort(String),
    #[error("no saved query `{name}`; {}", match .nearest {
        Some(nearest) => format!("did you mean `@{nearest}`?"),
        None => "`mem list @` lists saved queries".to_owned(),
    })]
    UnknownQuery {
        name: String,
        /// The nearest saved name.
        nearest: Option<String>,
    },
    #[error("saved query `@{0}` refers to itself or to too many others")]
    EndlessQuery(String),
    #[error("no note has a property `{name}`{}", did_you_mean(.nearest.as_deref()))]
    UnknownProperty {
        name: String,
        /// The nearest field or property.
        nearest: Option<String>,
    },
    #[error("{} `{name}`{}", match .field {
        NameField::Tag => "no note has the tag",
        NameField::Folder => "no folder is called",
        _ => "no note is called",
    }, did_you_mean(.nearest.as_deref()))]
    UnknownName {
        field: NameField,
        name: String,
        /// The nearest known name.
        nearest: Option<String>,
    },
}

impl Hint {
    /// Returns whether a condition could not be parsed as such.
    pub fn is_misread(&self) -> bool {
        matches!(
            self,
            Self::BadDate { .. }
                | Self::BadNumber { .. }
                | Self::UnknownState(_)
                | Self::UnknownTier(_)
                | Self::UnknownSort(_)
                | Self::EndlessQuery(_)
                // Without a similar name it may be a handle: `@anna`.
                | Self::UnknownQuery {
                    nearest: Some(_),
                    ..
                }
        )
    }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| {
        format!("; did you mean `{nearest}`?")
    })
}

/// The text conditions of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextParts {
    /// Clauses that a note should match.
    pub wanted: Vec<Clause>,
    /// Clauses that a note must not match.
    pub unwanted: Vec<Clause>,
}

impl Query {
    /// Returns whether the query has text to search for.
    pub fn has_text(&self) -> bool {
        !self.text().wanted.is_empty()
    }

    /// Returns whether the query filters by tier; forgotten notes are then not hidden.
    pub(in crate::recall) fn filters_by_tier(&self) -> bool {
        self.has_filter(|filter| matches!(filter, Filter::Tier(_)))
    }

    /// Returns whether the query filters by validity; notes that are not valid are then not hidden.
    pub(in crate::recall) fn filters_by_validity(&self) -> bool {
        self.has_filter(|filter| {
            matches!(
                filter,
                Filter::Is(State::Expired | State::Upcoming)
                    | Filter::Date {
                        field: DateField::ValidUntil,
                        ..
                    }
            )
        })
    }

    fn has_filter(&self, is_meant: impl Fn(&Filter) -> bool) -> bool {
        let mut leaves = self.expr.leaves().into_iter();
        leaves.any(|leaf| matches!(leaf, Expr::Filter(filter) if is_meant(filter)))
    }

    /// Returns the wanted words as written, for the embedding model.
    pub fn words(&self) -> String {
        let words: Vec<&str> = self
            .expr
            .patterns()
            .into_iter()
            .map(|pattern| match pattern {
                Pattern::Word(text) | Pattern::Phrase(text) | Pattern::Prefix(text) => {
                    text.as_str()
                }
            })
            .collect();
        words.join(" ")
    }

    /// Returns whether every condition of the query has an unreadable value.
    pub fn is_misread(&self) -> bool {
        let misread = self.hints.iter().filter(|hint| hint.is_misread()).count();
        misread > 0 && misread == self.members().len()
    }

    /// Returns the conjunction of this query and `other`.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let members = |expr| match expr {
            Expr::And(members) => members,
            one => vec![one],
        };
        let mut all = members(self.expr);
        all.extend(members(other.expr));
        Self {
            expr: match all.len() {
                1 => all.remove(0),
                _ => Expr::And(all),
            },
            sort: self.sort.or(other.sort),
            hints: [self.hints, other.hints].concat(),
        }
    }

    /// Returns the conditions that a note must all meet.
    pub fn members(&self) -> &[Expr] {
        match &self.expr {
            Expr::And(members) => members,
            one => std::slice::from_ref(one),
        }
    }

    /// Returns the members that ranked text cannot decide.
    pub fn conditions(&self) -> impl Iterator<Item = &Expr> {
        let members = self.members().iter();
        members.filter(|member| member.clause().is_none() || member.has_phrase())
    }

    /// Returns the members of the query that consist of text alone.
    ///
    /// A member that mixes text with fields (`tea OR tag:drink`) is in neither list: [`Expr::holds`] decides
    /// it per note.
    pub fn text(&self) -> TextParts {
        let mut parts = TextParts::default();
        for member in self.members() {
            match member {
                Expr::Not(inner) => parts.unwanted.extend(inner.clause()),
                _ => parts.wanted.extend(member.clause()),
            }
        }
        parts
    }

    /// Applies `respell` to each wanted word.
    #[must_use]
    pub fn with_words(mut self, respell: &dyn Fn(&str) -> String) -> Self {
        for leaf in self.expr.leaves_mut(false) {
            if let Expr::Text(Pattern::Word(word)) = leaf {
                *word = respell(word);
            }
        }
        self
    }

    /// Returns the wanted tags, folders and notes without `*`.
    pub fn names(&self) -> Vec<(NameField, &str)> {
        // A negated name need not exist.
        let leaves = self.expr.leaves_of(false).into_iter();
        let whole = leaves.filter_map(|leaf| match leaf {
            Expr::Filter(Filter::Names { field, value }) => Some((*field, value.as_str())),
            _ => None,
        });
        whole
            .filter(|(_, name)| !name.is_empty() && !name.contains('*'))
            .collect()
    }

    /// Turns conditions on properties other than `known` into words.
    ///
    /// Adds a hint for each.
    #[must_use]
    pub fn with_known_properties(mut self, known: &[&str]) -> Self {
        for leaf in self.expr.leaves_mut(true) {
            let Expr::Filter(Filter::Property { name, written, .. }) = &*leaf else {
                continue;
            };
            if known.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                continue;
            }
            let fields = FIELDS.iter().map(|field| field.name);
            let nearest = nearest(name, fields.chain(known.iter().copied()));
            self.hints.push(Hint::UnknownProperty {
                name: name.clone(),
                nearest: nearest.map(str::to_owned),
            });
            *leaf = Expr::Text(if written.contains(char::is_whitespace) {
                Pattern::Phrase(written.clone())
            } else {
                Pattern::Word(written.clone())
            });
        }
        self
    }
}

impl Expr {
    /// Returns whether a note meets the condition; `leaf` decides texts and fields.
    pub fn holds(&self, leaf: &mut dyn FnMut(&Expr) -> bool) -> bool {
        match self {
            Self::And(members) => members.iter().all(|member| member.holds(leaf)),
            Self::Or(members) => members.iter().any(|member| member.holds(leaf)),
            Self::Not(inner) => !inner.holds(leaf),
            Self::Text(_) | Self::Filter(_) => leaf(self),
        }
    }

    /// Returns the clause for the text index, if the condition consists of text alone.
    pub fn clause(&self) -> Option<Clause> {
        let all = |members: &[Self]| members.iter().map(Self::clause).collect::<Option<Vec<_>>>();
        match self {
            Self::And(members) => all(members).map(Clause::All),
            Self::Or(members) => all(members).map(Clause::Any),
            Self::Text(pattern) => Some(Clause::of(pattern.clone())),
            Self::Filter(Filter::Text { field, pattern }) => Some(Clause::Text {
                pattern: pattern.clone(),
                column: Some(match field {
                    TextField::Title => Column::Title,
                    TextField::Headings => Column::Headings,
                }),
            }),
            Self::Not(_) | Self::Filter(_) => None,
        }
    }

    /// Returns whether it contains a quoted phrase.
    pub fn has_phrase(&self) -> bool {
        self.leaves().iter().any(|leaf| {
            matches!(
                leaf,
                Self::Text(Pattern::Phrase(_))
                    | Self::Filter(Filter::Text {
                        pattern: Pattern::Phrase(_),
                        ..
                    })
            )
        })
    }

    /// Returns the leaf conditions.
    pub fn leaves(&self) -> Vec<&Self> {
        self.leaves_of(true)
    }

    /// Returns the leaf conditions; negated ones only with `with_negated`.
    fn leaves_of(&self, with_negated: bool) -> Vec<&Self> {
        match self {
            Self::And(members) | Self::Or(members) => {
                let leaves = members.iter().map(|member| member.leaves_of(with_negated));
                leaves.flatten().collect()
            }
            Self::Not(inner) if with_negated => inner.leaves_of(true),
            Self::Not(_) => Vec::new(),
            Self::Text(_) | Self::Filter(_) => vec![self],
        }
    }

    fn leaves_mut(&mut self, with_negated: bool) -> Vec<&mut Self> {
        match self {
            Self::And(members) | Self::Or(members) => {
                let leaves = members
                    .iter_mut()
                    .map(|member| member.leaves_mut(with_negated));
                leaves.flatten().collect()
            }
            Self::Not(inner) => {
                if with_negated {
                    inner.leaves_mut(true)
                } else {
                    Vec::new()
                }
            }
            Self::Text(_) | Self::Filter(_) => vec![self],
        }
    }

    /// Returns the wanted patterns, for highlights.
    pub fn patterns(&self) -> Vec<&Pattern> {
        let leaves = self.leaves_of(false).into_iter();
        let patterns = leaves.filter_map(|leaf| match leaf {
            Self::Text(pattern) | Self::Filter(Filter::Text { pattern, .. }) => Some(pattern),
            _ => None,
        });
        patterns.collect()
    }
}
