//! What a query asks, as it was read; written out, it reads the same again.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use super::period::{self, Period};
use super::syntax;
use crate::cache::text::clause::Clause;
use crate::cache::text::schema::Column;
use crate::config::nearest;
use crate::note::words::analyzer::Pattern;
use crate::signals::fields::{Date, FIELDS, Field, Kind, Names, Number};
use crate::signals::tier::Tier;

/// Queries by the names that they are saved under.
pub type Saved = BTreeMap<String, String>;

/// A query that was read.
#[derive(Clone, Debug)]
pub struct Query {
    /// What to look for; an [`Expr::And`] of nothing is every note.
    pub expr: Expr,
    /// The order that it wants, and whether that is turned round.
    pub sort: Option<(&'static Field, bool)>,
    /// What looked like a mistake, in reading order.
    pub hints: Vec<Hint>,
}

/// A condition on a note.
///
/// As read from a text: no `And` directly in an `And`, no `Or` in an `Or`, no `Not` in a `Not`,
/// and at least two members in each, but for the empty `And`.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// All of them.
    And(Vec<Expr>),
    /// At least one of them.
    Or(Vec<Expr>),
    Not(Box<Expr>),
    /// The text of the note has it, in any column.
    Text(Pattern),
    /// A field has it.
    Filter(Filter),
}

/// A condition on one field.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    Title(Pattern),
    /// A field that holds names; `*` in the value stands for anything.
    Names {
        /// Which one.
        field: Names,
        /// What it is, without the `#` of a tag.
        value: String,
    },
    /// The note is on this step of the ladder of forgetting.
    Tier(Tier),
    /// A date of the note.
    Date {
        /// Which one.
        field: Date,
        /// How it relates to the period.
        comparison: Comparison,
        period: Period,
    },
    /// A number of the note.
    Number {
        /// Which one.
        field: Number,
        /// How it relates to the value.
        comparison: Comparison,
        /// The value, finite.
        value: f64,
    },
    /// Something is there.
    Has(Feature),
    /// The note is in this state.
    Is(State),
    /// A property of the front matter.
    Property {
        /// As it was written.
        name: String,
        /// How it relates to the value.
        comparison: Comparison,
        value: Value,
    },
}

/// What a property is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A text; `*` stands for anything when it is compared for equality.
    Text(String),
    /// A number, finite; only in comparisons other than [`Comparison::Is`].
    Number(f64),
    Time(Period),
}

/// How a value relates to another, or to a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`: before the stretch.
    Below,
    /// `<=`: before its end.
    AtMost,
    /// Nothing or `=`: in it.
    Is,
    /// `>=`: after its begin.
    AtLeast,
    /// `>`: after its end.
    Above,
}

impl Comparison {
    /// Returns whether `value` relates like this to the half-open `range`.
    pub fn holds_for_range<T: PartialOrd>(self, value: &T, range: &Range<T>) -> bool {
        match self {
            Self::Below => *value < range.start,
            Self::AtMost => *value < range.end,
            Self::Is => range.contains(value),
            Self::AtLeast => *value >= range.start,
            Self::Above => *value >= range.end,
        }
    }

    /// Returns whether `value` relates like this to `other`.
    pub fn holds<T: PartialOrd>(self, value: &T, other: &T) -> bool {
        match self {
            Self::Below => value < other,
            Self::AtMost => value <= other,
            Self::Is => value == other,
            Self::AtLeast => value >= other,
            Self::Above => value > other,
        }
    }

    fn sign(self) -> &'static str {
        match self {
            Self::Below => "<",
            Self::AtMost => "<=",
            Self::Is => "",
            Self::AtLeast => ">=",
            Self::Above => ">",
        }
    }
}

/// A state of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Written by mem or an agent and not edited by hand since.
    Managed,
    /// A person's.
    Handwritten,
    /// Without links to or from it.
    Orphan,
    /// Without links to other notes.
    Deadend,
    /// With a link to a note that is not there.
    Unresolved,
    /// With a task that is to be done.
    Open,
    /// With a task that is done.
    Done,
    /// No longer valid.
    Expired,
    /// Replaced by another note.
    Superseded,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Managed,
        Self::Handwritten,
        Self::Orphan,
        Self::Deadend,
        Self::Unresolved,
        Self::Open,
        Self::Done,
        Self::Expired,
        Self::Superseded,
    ];

    /// Returns how it is written in a query.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::Handwritten => "handwritten",
            Self::Orphan => "orphan",
            Self::Deadend => "deadend",
            Self::Unresolved => "unresolved",
            Self::Open => "open",
            Self::Done => "done",
            Self::Expired => "expired",
            Self::Superseded => "superseded",
        }
    }

    /// Returns what a note in it is like.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Managed => "written by mem or an agent, and not edited by hand since",
            Self::Handwritten => "yours: any other",
            Self::Orphan => "without links to or from it",
            Self::Deadend => "without links to other notes",
            Self::Unresolved => "with a link to a note that is not there",
            Self::Open => "with a task that is to be done; `mem tasks` lists them",
            Self::Done => "with a task that is done",
            Self::Expired => "no longer valid",
            Self::Superseded => "replaced by another note",
        }
    }

    /// Returns the one that is written `text`, in any case.
    pub(super) fn named(text: &str) -> Option<Self> {
        let is_it = |state: &Self| state.name().eq_ignore_ascii_case(text);
        Self::ALL.into_iter().find(is_it)
    }
}

/// Something that a note may have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    /// A note that contradicts it.
    Conflict,
    /// A property of this name with a value.
    Property(String),
}

/// What looked like a mistake in a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// A `"` without an end.
    UnclosedQuote,
    /// A `(` without an end.
    UnclosedGroup,
    /// Parentheses nested too deeply: the innermost were taken as text.
    TooDeep,
    /// An `AND`, `OR` or `NOT` with nothing to join: taken as a word.
    StrayOperator(String),
    /// A field with nothing behind its colon: taken as a word.
    NoValue {
        field: &'static str,
        example: &'static str,
    },
    /// The field wants a date or an age.
    BadDate {
        /// As in the query.
        field: String,
        /// What was there.
        value: String,
    },
    /// The field wants a number.
    BadNumber {
        /// As in the query.
        field: String,
        /// What was there.
        value: String,
    },
    /// No such state; see [`State::ALL`].
    UnknownState(String),
    /// No such tier; see [`Tier`].
    UnknownTier(String),
    /// No order that notes can be listed in.
    UnknownSort(String),
    /// A base that says nothing that a query could ask for.
    UnreadBase { name: String, why: String },
    /// Nothing is saved under this name.
    UnknownQuery {
        name: String,
        /// The one that was probably meant.
        nearest: Option<String>,
    },
    /// A saved query that refers to itself, or to more others than anybody wants.
    EndlessQuery(String),
    /// No field and no property that any note has.
    UnknownProperty {
        name: String,
        /// The field or property that was probably meant.
        nearest: Option<String>,
    },
    /// A tag, a folder or a note that there is not.
    UnknownName {
        field: Names,
        name: String,
        /// The one that was probably meant.
        nearest: Option<String>,
    },
}

impl Hint {
    /// Returns true if a condition cannot be read as such.
    #[must_use]
    pub fn is_misread(&self) -> bool {
        matches!(
            self,
            Self::BadDate { .. }
                | Self::BadNumber { .. }
                | Self::UnknownState(_)
                | Self::UnknownTier(_)
                | Self::UnknownSort(_)
                | Self::EndlessQuery(_)
                | Self::UnreadBase { .. }
                // With nothing like it, it may be a handle: `@anna`.
                | Self::UnknownQuery {
                    nearest: Some(_),
                    ..
                }
        )
    }

    /// Returns what is wrong.
    #[must_use]
    pub fn problem(&self) -> String {
        match self {
            Self::UnclosedQuote => "a `\"` is not closed".to_owned(),
            Self::UnclosedGroup => "a `(` is not closed".to_owned(),
            Self::TooDeep => "the parentheses are nested too deeply".to_owned(),
            Self::NoValue { field, example } => {
                format!("`{field}:` needs a value, as in `{example}`")
            }
            Self::StrayOperator(word) => format!("`{word}` has nothing to join here"),
            Self::UnknownProperty { name, nearest } => match nearest {
                Some(nearest) => {
                    format!("no note has a property `{name}`; did you mean `{nearest}`?")
                }
                None => format!("no note has a property `{name}`"),
            },
            Self::UnknownName {
                field,
                name,
                nearest,
            } => {
                let problem = match field {
                    Names::Tag => format!("no note has the tag `{name}`"),
                    Names::Folder => format!("there is no folder `{name}`"),
                    _ => format!("no note is called `{name}`"),
                };
                match nearest {
                    Some(nearest) => format!("{problem}; did you mean `{nearest}`?"),
                    None => problem,
                }
            }
            Self::BadDate { field, .. } => {
                format!("`{field}:` takes a date or an age like 2026-05, yesterday or <30d")
            }
            Self::UnknownSort(key) => {
                let keys: Vec<&str> = Field::sort_keys().collect();
                format!("unknown order `sort:{key}`; known: {}", keys.join(", "))
            }
            Self::UnknownQuery { name, nearest } => match nearest {
                Some(nearest) => {
                    format!("no query is saved as `{name}`; did you mean `@{nearest}`?")
                }
                None => format!("no query is saved as `{name}`; `mem list @` shows those that are"),
            },
            Self::UnreadBase { name, why } => format!("cannot ask for `{name}`: {why}"),
            Self::EndlessQuery(name) => {
                format!("the saved query `@{name}` leads back to itself or through too many others")
            }
            Self::BadNumber { field, .. } => format!("`{field}:` takes a number"),
            Self::UnknownState(word) => {
                let names: Vec<&str> = State::ALL.iter().map(|state| state.name()).collect();
                let names = names.join(", ");
                format!("unknown state `is:{word}`; known states: {names}")
            }
            Self::UnknownTier(word) => {
                format!(
                    "unknown tier `tier:{word}`; known tiers: core, working, archival, forgotten"
                )
            }
        }
    }
}

/// The text that a query asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextParts {
    /// What a note should have.
    pub wanted: Vec<Clause>,
    /// What it must not have.
    pub unwanted: Vec<Clause>,
}

impl Query {
    /// Returns true if some part of the query asks for words.
    #[must_use]
    pub fn asks_for_text(&self) -> bool {
        !self.text().wanted.is_empty()
    }

    /// Returns true if the query names tiers, so that forgotten notes are meant if it says so.
    pub(in crate::recall) fn speaks_of_tiers(&self) -> bool {
        self.expr
            .any(&mut |filter| matches!(filter, Filter::Tier(_)))
    }

    /// Returns true if the query names the end of notes, so that expired ones may be meant.
    pub(in crate::recall) fn speaks_of_ends(&self) -> bool {
        self.expr.any(&mut |filter| {
            matches!(
                filter,
                Filter::Is(State::Expired)
                    | Filter::Date {
                        field: Date::ValidUntil,
                        ..
                    }
            )
        })
    }

    /// Returns true if it takes what was learned of a note to answer it.
    pub(in crate::recall) fn asks_of_use(&self) -> bool {
        self.expr.any(&mut |filter| {
            matches!(
                filter,
                Filter::Date {
                    field: Date::Accessed | Date::Used,
                    ..
                } | Filter::Number {
                    field: Number::Signal(_),
                    ..
                }
            )
        })
    }

    /// Returns the words that speak for a note, as they were written: what a model is asked about.
    #[must_use]
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

    /// Returns whether all that is asked are conditions whose values cannot be read.
    #[must_use]
    pub fn is_misread(&self) -> bool {
        let misread = self.hints.iter().filter(|hint| hint.is_misread()).count();
        misread > 0 && misread == self.members().len()
    }

    /// Returns the query with what `other` asks for on top of it.
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

    /// Returns the conditions that a note has to meet, all of them.
    #[must_use]
    pub fn members(&self) -> &[Expr] {
        match &self.expr {
            Expr::And(members) => members,
            one => std::slice::from_ref(one),
        }
    }

    /// Returns the members of the query that are about text alone.
    ///
    /// A member that mixes text with fields (`tea OR tag:drink`) is in neither list: it has to be
    /// decided note by note with [`Expr::holds`].
    #[must_use]
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

    /// Returns the query with each word that speaks for a note as `respell` writes it.
    #[must_use]
    pub fn with_words(mut self, respell: &dyn Fn(&str) -> String) -> Self {
        self.expr.respell(respell);
        self
    }

    /// Returns the tags, folders and notes that it names whole, without `*`.
    #[must_use]
    pub fn names(&self) -> Vec<(Names, &str)> {
        let mut names = Vec::new();
        self.expr.collect_names(&mut names);
        names
    }

    /// Returns the query with conditions on properties that are not among the `known` taken as words.
    ///
    /// A hint tells of each.
    #[must_use]
    pub fn with_known_properties(mut self, known: &[&str]) -> Self {
        self.expr.forget_properties(known, &mut self.hints);
        self
    }
}

impl Expr {
    fn collect_names<'e>(&'e self, names: &mut Vec<(Names, &'e str)>) {
        match self {
            Self::And(members) | Self::Or(members) => {
                for member in members {
                    member.collect_names(names);
                }
            }
            Self::Filter(Filter::Names { field, value })
                if !value.is_empty() && !value.contains('*') =>
            {
                names.push((*field, value));
            }
            // That no note has what should be missing is as it should be.
            Self::Not(_) | Self::Text(_) | Self::Filter(_) => {}
        }
    }

    /// Returns true if `test` is true for any field of the expression.
    fn any(&self, test: &mut dyn FnMut(&Filter) -> bool) -> bool {
        match self {
            Self::And(members) | Self::Or(members) => members.iter().any(|member| member.any(test)),
            Self::Not(inner) => inner.any(test),
            Self::Text(_) => false,
            Self::Filter(filter) => test(filter),
        }
    }

    /// Returns whether a note meets the condition, when `leaf` decides on texts and fields.
    pub fn holds(&self, leaf: &mut dyn FnMut(&Expr) -> bool) -> bool {
        match self {
            Self::And(members) => members.iter().all(|member| member.holds(leaf)),
            Self::Or(members) => members.iter().any(|member| member.holds(leaf)),
            Self::Not(inner) => !inner.holds(leaf),
            Self::Text(_) | Self::Filter(_) => leaf(self),
        }
    }

    /// Returns the condition as a question to the text index, if it is about text alone.
    #[must_use]
    pub fn clause(&self) -> Option<Clause> {
        let all = |members: &[Self]| members.iter().map(Self::clause).collect::<Option<Vec<_>>>();
        match self {
            Self::And(members) => all(members).map(Clause::All),
            Self::Or(members) => all(members).map(Clause::Any),
            Self::Text(pattern) => Some(Clause::of(pattern.clone())),
            Self::Filter(Filter::Title(pattern)) => Some(Clause::Text {
                pattern: pattern.clone(),
                column: Some(Column::Title),
            }),
            Self::Not(_) | Self::Filter(_) => None,
        }
    }

    /// Returns the conditions that it is made of.
    #[must_use]
    pub fn leaves(&self) -> Vec<&Self> {
        match self {
            Self::And(members) | Self::Or(members) => {
                members.iter().flat_map(Self::leaves).collect()
            }
            Self::Not(inner) => inner.leaves(),
            Self::Text(_) | Self::Filter(_) => vec![self],
        }
    }

    /// Returns the patterns that speak for a note, for showing where it has them.
    #[must_use]
    pub fn patterns(&self) -> Vec<&Pattern> {
        match self {
            Self::And(members) | Self::Or(members) => {
                members.iter().flat_map(Self::patterns).collect()
            }
            Self::Text(pattern) | Self::Filter(Filter::Title(pattern)) => vec![pattern],
            Self::Not(_) | Self::Filter(_) => Vec::new(),
        }
    }

    fn respell(&mut self, respell: &dyn Fn(&str) -> String) {
        match self {
            Self::And(members) | Self::Or(members) => {
                for member in members {
                    member.respell(respell);
                }
            }
            Self::Text(Pattern::Word(word)) => *word = respell(word),
            Self::Not(_) | Self::Text(_) | Self::Filter(_) => {}
        }
    }

    fn forget_properties(&mut self, known: &[&str], hints: &mut Vec<Hint>) {
        match self {
            Self::And(members) | Self::Or(members) => {
                for member in members {
                    member.forget_properties(known, hints);
                }
            }
            Self::Not(inner) => inner.forget_properties(known, hints),
            Self::Filter(Filter::Property { name, .. })
                if !known.iter().any(|known| known.eq_ignore_ascii_case(name)) =>
            {
                let fields = FIELDS.iter().map(|field| field.name);
                let nearest = nearest(name, fields.chain(known.iter().copied()));
                hints.push(Hint::UnknownProperty {
                    name: name.clone(),
                    nearest: nearest.map(str::to_owned),
                });
                let written = self.to_string();
                *self = Self::Text(if written.contains(char::is_whitespace) {
                    Pattern::Phrase(written.replace('"', ""))
                } else {
                    Pattern::Word(written)
                });
            }
            Self::Text(_) | Self::Filter(_) => {}
        }
    }
}

impl fmt::Display for Query {
    /// Writes the query so that reading it again gives the same condition.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expr.fmt(f)
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::And(members) => {
                for (at, member) in members.iter().enumerate() {
                    f.write_str(if at == 0 { "" } else { " " })?;
                    match member {
                        Self::Or(_) => write_group(f, member)?,
                        _ => member.fmt(f)?,
                    }
                }
                Ok(())
            }
            Self::Or(members) => {
                for (at, member) in members.iter().enumerate() {
                    f.write_str(if at == 0 { "" } else { " OR " })?;
                    member.fmt(f)?;
                }
                Ok(())
            }
            Self::Not(inner) => match &**inner {
                Self::And(_) | Self::Or(_) => {
                    f.write_str("-")?;
                    write_group(f, inner)
                }
                inner => {
                    let inner = inner.to_string();
                    let sign = if syntax::can_negate(&inner) {
                        "-"
                    } else {
                        "NOT "
                    };
                    write!(f, "{sign}{inner}")
                }
            },
            Self::Text(pattern) => write_pattern(f, pattern),
            Self::Filter(filter) => filter.fmt(f),
        }
    }
}

fn write_group(f: &mut fmt::Formatter<'_>, expr: &Expr) -> fmt::Result {
    let inner = expr.to_string();
    // A word that is written as it stands runs up to the next space, one with a parenthesis in it up
    // to the one that closes it.
    let last = inner.rsplit(' ').next().unwrap_or_default();
    let runs_on = inner.contains('\\') || last.contains('(');
    let gap = if runs_on { " " } else { "" };
    write!(f, "({inner}{gap})")
}

fn write_pattern(f: &mut fmt::Formatter<'_>, pattern: &Pattern) -> fmt::Result {
    match pattern {
        Pattern::Word(word) if syntax::is_plain(word) => f.write_str(word),
        Pattern::Word(word) => write!(f, "\\{word}"),
        Pattern::Phrase(phrase) => write!(f, "\"{phrase}\""),
        Pattern::Prefix(prefix) => write!(f, "{prefix}*"),
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Title(Pattern::Phrase(phrase)) => write!(f, "title:\"{phrase}\""),
            Self::Title(Pattern::Word(word)) => write!(f, "title:{word}"),
            Self::Title(Pattern::Prefix(prefix)) => write!(f, "title:{prefix}*"),
            Self::Names { field, value } => {
                write!(f, "{}:", Kind::Names(*field).name())?;
                write_value(f, value)
            }
            Self::Tier(tier) => write!(f, "tier:{}", tier.name()),
            Self::Date {
                field,
                comparison,
                period,
            } => {
                let name = Kind::Date(*field).name();
                write!(f, "{name}:{}{period}", comparison.sign())
            }
            Self::Number {
                field,
                comparison,
                value,
            } => {
                let name = Kind::Number(*field).name();
                write!(f, "{name}:{}{value}", comparison.sign())
            }
            Self::Has(Feature::Conflict) => f.write_str("has:conflict"),
            Self::Has(Feature::Property(name)) => {
                f.write_str("has:")?;
                write_value(f, name)
            }
            Self::Is(state) => write!(f, "is:{}", state.name()),
            Self::Property {
                name,
                comparison,
                value,
            } => {
                write!(f, "{name}:{}", comparison.sign())?;
                match value {
                    // In quotes a date, and a number to compare with, are texts.
                    Value::Text(text)
                        if period::may_be_period(text)
                            || *comparison != Comparison::Is && text.parse::<f64>().is_ok() =>
                    {
                        write!(f, "\"{text}\"")
                    }
                    Value::Text(text) => write_value(f, text),
                    Value::Number(number) => write!(f, "{number}"),
                    Value::Time(period) => write!(f, "{period}"),
                }
            }
        }
    }
}

/// Writes the value of a field, in quotes unless it is plainly one word.
fn write_value(f: &mut fmt::Formatter<'_>, value: &str) -> fmt::Result {
    let is_plain = value.starts_with(char::is_alphanumeric)
        && value
            .chars()
            .all(|c| c.is_alphanumeric() || "-_./#*+@".contains(c));
    if is_plain {
        f.write_str(value)
    } else {
        write!(f, "\"{value}\"")
    }
}
