//! The fields of a note: query syntax, comparison, sort order and merge rule.
//!
//! To add a rating (a number in a property, like `importance`), add a constant beside
//! [`IMPORTANCE`], use it in [`ratings`], raise [`RATINGS`], and add an entry to [`FIELDS`].
//! Catalog rows hold all ratings, because scans have no time to decode properties; raise
//! `cache::meta::FORMAT`. To add a signal (a computed number), add a variant of [`Signal`], a file
//! with its formula, a call in [`super::measure`], and an entry to [`FIELDS`]. `UPDATE_EXPECT=1
//! cargo test readme` rewrites README's table.

use serde_json::{Map, Value};

use crate::note::front_matter::property::{property, standard_name};
use crate::note::number_of;

/// A field of a note.
#[derive(Debug)]
pub struct Field {
    /// Name in a query, and of the property if it is one.
    pub name: &'static str,
    /// Other names in a query.
    pub aliases: &'static [&'static str],
    /// Type of the value, which determines comparisons.
    pub kind: FieldType,
    /// Description of the order in `mem list --sort`; every number and date has one.
    pub sort: Option<&'static str>,
    /// How a merge combines two values.
    pub merge: MergeRule,
    /// A query and the notes that it finds.
    pub example: (&'static str, &'static str),
}

/// Type of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldType {
    /// Words of a part of the note, found by the text index.
    Text(TextField),
    /// Names, compared as a whole; `*` is a wildcard.
    Names(NameField),
    /// A tier.
    Tier,
    /// A point in time.
    Date(DateField),
    /// The creation date, compared with a day.
    Day(DayComparison),
    Number(NumberField),
    /// Presence of a feature.
    Feature,
    /// One of a few states.
    State,
    /// The order of a list; not a condition.
    Sort,
    /// Any property.
    Property,
}

/// A part of a note that contains words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextField {
    Title,
    Headings,
}

/// A field that contains names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameField {
    Tag,
    /// The property with the name of the field.
    Property(&'static str),
    /// The path in the vault or a part of it.
    Path,
    /// The folder in the vault, or one above it.
    Folder,
    /// The notes that this one links to.
    Link,
    /// The notes that link to this one.
    LinkedFrom,
}

/// A field that contains a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateField {
    /// Creation.
    Created,
    /// Last change of the text.
    Updated,
    /// End of validity.
    ValidUntil,
    /// Last use according to the journal: listed, read, edited or confirmed.
    Accessed,
    /// Last use, or last written if the journal has no entry.
    Used,
}

/// A comparison with a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DayComparison {
    /// That day or later.
    After,
    /// Earlier.
    Before,
    /// That day.
    On,
}

/// A field that contains a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumberField {
    /// Stated by the author.
    Rating(Rating),
    /// Number of links to and from the note.
    Degree,
    /// Length of the body in bytes.
    Length,
    /// Computed from usage, links and the time.
    Signal(Signal),
}

impl NumberField {
    /// Whether it is a whole number.
    pub fn is_count(self) -> bool {
        matches!(
            self,
            Self::Degree | Self::Length | Self::Signal(Signal::Questions | Signal::Accesses)
        )
    }
}

/// A number computed from usage, links and the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signal {
    Importance,
    Retrievability,
    Stability,
    Relevance,
    Salience,
    Activity,
    Promotion,
    Questions,
    Accesses,
}

/// All signals, in the order of `mem why`.
pub const SIGNALS: [Signal; 9] = [
    Signal::Importance,
    Signal::Retrievability,
    Signal::Stability,
    Signal::Relevance,
    Signal::Salience,
    Signal::Activity,
    Signal::Promotion,
    Signal::Questions,
    Signal::Accesses,
];

/// Signals that can be written into notes. The others are part of the snapshot.
pub const PERSISTENT: [Signal; 4] = [
    Signal::Importance,
    Signal::Retrievability,
    Signal::Relevance,
    Signal::Promotion,
];

impl Signal {
    /// Returns its name in a query.
    pub fn name(self) -> &'static str {
        FieldType::Number(NumberField::Signal(self)).name()
    }

    /// Whether it depends on the links of the note.
    pub fn counts_links(self) -> bool {
        matches!(self, Self::Importance | Self::Relevance)
    }
}

/// A number that the author states in a property; stored in the catalog row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    property: &'static str,
    slot: usize,
    missing: f32,
}

/// How a merge combines two values without losing information.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeRule {
    /// Keeps the value of the keeper. Lists are united; other values that differ go to the list
    /// `merged`.
    Own,
    /// The earlier date.
    Earliest,
    /// The later date.
    Latest,
    /// The later end; no end if either note has none.
    LatestEnd,
    /// The earlier start; no start if either note has none.
    EarliestStart,
    /// The larger number.
    Largest,
    /// True if either is.
    Any,
}

/// How confident the author is.
pub const CONFIDENCE: Rating = Rating::share("confidence", 0, 1.0);
/// How important the note is to the author.
pub const IMPORTANCE: Rating = Rating::share("importance", 1, 0.5);
/// Number of ratings in a row.
pub const RATINGS: usize = 2;

/// Stored value of a rating that is not stated.
const UNSTATED: f32 = -1.0;

impl Rating {
    const fn share(property: &'static str, slot: usize, missing: f32) -> Self {
        Self {
            property,
            slot,
            missing,
        }
    }

    /// Returns this rating, or its default if it is not stated.
    pub fn of(self, ratings: &[f32; RATINGS]) -> f32 {
        self.stated(ratings).unwrap_or(self.missing)
    }

    /// Returns this rating if its author stated it.
    pub fn stated(self, ratings: &[f32; RATINGS]) -> Option<f32> {
        Some(ratings[self.slot]).filter(|rating| *rating >= 0.0)
    }
}

/// Returns the ratings in front matter.
pub fn ratings(properties: &Map<String, Value>) -> [f32; RATINGS] {
    let mut ratings = [UNSTATED; RATINGS];
    for rating in [CONFIDENCE, IMPORTANCE] {
        let value = property(properties, rating.property).and_then(number_of);
        let stated = value.filter(|number| (0.0..=1.0).contains(number));
        ratings[rating.slot] = stated.map_or(UNSTATED, |number| number as f32);
    }
    ratings
}

impl Field {
    /// Returns the field called `name` in queries, ignoring case.
    pub fn named(name: &str) -> Option<&'static Self> {
        FIELDS.iter().find(|field| {
            let mut names = std::iter::once(&field.name).chain(field.aliases);
            names.any(|known| known.eq_ignore_ascii_case(name))
        })
    }

    /// Returns the merge rule of the property `key`.
    pub fn merge_of(key: &str) -> MergeRule {
        let key = standard_name(key);
        let mut fields = FIELDS.iter();
        let field = fields.find(|field| field.name == key || field.aliases.contains(&key));
        field.map_or_else(|| merge_of_date(key), |field| field.merge)
    }

    /// Returns the field of a sort key, and whether its default order is reversed: `-created`, `+created`.
    pub fn sorting(key: &str) -> Option<(&'static Self, bool)> {
        let name = key.trim_start_matches(['+', '-']);
        let field = Self::named(name).filter(|field| field.sort.is_some())?;
        let is_reversed = match key.chars().next() {
            Some('-') => true,
            // Ascending; dates and numbers are descending by default.
            Some('+') => field.is_value(),
            _ => false,
        };
        Some((field, is_reversed))
    }

    /// Returns the keys of `mem list --sort`.
    pub fn sort_keys() -> impl Iterator<Item = &'static str> {
        let fields = FIELDS.iter().filter(|field| field.sort.is_some());
        fields.map(|field| field.name)
    }

    /// Whether it is a number or date of every note, which templates may print.
    pub fn is_value(&self) -> bool {
        matches!(self.kind, FieldType::Date(_) | FieldType::Number(_))
    }

    /// Whether queries may compare it by size.
    pub fn is_ordered(&self) -> bool {
        matches!(
            self.kind,
            FieldType::Date(_) | FieldType::Day(_) | FieldType::Number(_) | FieldType::Property
        )
    }
}

/// Returns the merge rule of `valid_from` and of date properties that editors and plugins write: `date created`,
/// `lastmod`.
fn merge_of_date(key: &str) -> MergeRule {
    let letters = key.chars().filter(|c| c.is_alphanumeric());
    let name: String = letters.flat_map(char::to_lowercase).collect();
    match name.as_str() {
        "created" | "datecreated" | "createddate" | "createdat" | "createdon" | "creationdate" => {
            MergeRule::Earliest
        }
        "validfrom" => MergeRule::EarliestStart,
        "updated" | "dateupdated" | "updatedat" | "updatedon" | "lastupdated" | "lastupdate"
        | "modified" | "datemodified" | "modifieddate" | "modifiedat" | "modifiedon"
        | "lastmodified" | "lastmod" => MergeRule::Latest,
        _ => MergeRule::Own,
    }
}

impl FieldType {
    /// Returns the name of the field of this kind.
    pub fn name(self) -> &'static str {
        let mut fields = FIELDS.iter();
        fields
            .find(|field| field.kind == self)
            .map_or("", |field| field.name)
    }
}

/// Declares fields as `name or alias: kind, sort "description", merge rule; example => meaning;`.
///
/// The alias, the sort order (default: not sortable) and the merge rule (default: [`MergeRule::Own`])
/// are optional.
macro_rules! fields {
    ($($name:literal $(or $alias:literal)?: $kind:expr $(, sort $sort:literal)? $(, merge $merge:expr)?;
        $example:literal => $about:literal;)*) => {
        &[$(Field {
            name: $name,
            aliases: &[$($alias)?],
            kind: $kind,
            sort: fields!(@or $(Some($sort))?; None),
            merge: fields!(@or $($merge)?; MergeRule::Own),
            example: ($example, $about),
        }),*]
    };
    (@or; $default:expr) => { $default };
    (@or $value:expr; $default:expr) => { $value };
}

/// All special fields; any other name is a property.
pub const FIELDS: &[Field] = fields! {
    "path": FieldType::Names(NameField::Path), sort "By path";
        "path:work/" => "whose path contains this";
    "in": FieldType::Names(NameField::Folder);
        "in:work" => "in this folder or below it";
    "title": FieldType::Text(TextField::Title), sort "By title";
        "title:weekly" => "with this in the title";
    "heading": FieldType::Text(TextField::Headings);
        "heading:tasks" => "with this in a heading";
    "tag": FieldType::Names(NameField::Tag);
        "tag:garden" => "with the tag or one below it, as `#garden`";
    "type": FieldType::Names(NameField::Property("type"));
        "type:decision" => "of this type";
    "space": FieldType::Names(NameField::Property("space"));
        "space:seedlist" => "of this space (project)";
    "tier": FieldType::Tier;
        "tier:core" => "of this tier: core, working, archival, forgotten";
    "link": FieldType::Names(NameField::Link);
        "link:Anna" => "that link to this note";
    "linked-from" or "linked_from": FieldType::Names(NameField::LinkedFrom);
        "linked-from:Home" => "that this note links to";
    // The date of the latest statement: a repeated fact is not older than one stated in between.
    "created": FieldType::Date(DateField::Created), sort "Newest first", merge MergeRule::Latest;
        "created:2026-02" => "by date, `2026-01..2026-03`, or by age, `<30d`";
    "updated" or "modified": FieldType::Date(DateField::Updated), sort "Most recently changed first", merge MergeRule::Latest;
        "updated:>=2026-02-01" => "whose text changed since then";
    "valid_until" or "expires": FieldType::Date(DateField::ValidUntil), sort "Latest end first", merge MergeRule::LatestEnd;
        "valid_until:<2026-06" => "valid until then; also `expires:`";
    "after": FieldType::Day(DayComparison::After);
        "after:\"last week\"" => "created then or later; also `last monday`, `3 days ago`, `2w`";
    "before": FieldType::Day(DayComparison::Before);
        "before:yesterday" => "created earlier";
    "on": FieldType::Day(DayComparison::On);
        "on:2026-03-05" => "created that day";
    "confidence": FieldType::Number(NumberField::Rating(CONFIDENCE)), sort "Highest confidence first";
        "confidence:>=0.8" => "by confidence, 0 to 1 (1 if absent)";
    "importance": FieldType::Number(NumberField::Signal(Signal::Importance)), sort "Most important first", merge MergeRule::Largest;
        "importance:<0.5" => "by importance, 0 to 1: as stated in the note, else by use, links and recency";
    "retrievability": FieldType::Number(NumberField::Signal(Signal::Retrievability)), sort "Highest retrievability first";
        "retrievability:<0.3" => "by estimated probability of recall, 0 to 1; falls without use";
    "stability": FieldType::Number(NumberField::Signal(Signal::Stability)), sort "Highest stability first";
        "stability:>30" => "by stability in days, which grows with use";
    "relevance": FieldType::Number(NumberField::Signal(Signal::Relevance)), sort "Most relevant first";
        "relevance:<0.2" => "by age, use, links, importance and confidence, 0 to 1";
    "salience": FieldType::Number(NumberField::Signal(Signal::Salience)), sort "Best feedback first";
        "salience:>1" => "by feedback, 0 to 3";
    "activity": FieldType::Number(NumberField::Signal(Signal::Activity)), sort "Most active first";
        "activity:>2" => "by use; 1 if unused";
    "promotion": FieldType::Number(NumberField::Signal(Signal::Promotion)), sort "Highest promotion first";
        "promotion:>=0.8" => "by number of useful recalls, questions and days, 0 to 1";
    "questions": FieldType::Number(NumberField::Signal(Signal::Questions)), sort "Most questions first";
        "questions:>=3" => "by number of questions it helped with";
    "accesses": FieldType::Number(NumberField::Signal(Signal::Accesses)), sort "Most used first";
        "accesses:0" => "by number of uses";
    "accessed": FieldType::Date(DateField::Accessed), sort "Most recently used first";
        "accessed:<7d" => "used in the last 7 days";
    "idle": FieldType::Date(DateField::Used), sort "Most recently used or written first";
        "idle:>90d" => "neither used nor written for 90 days";
    "degree": FieldType::Number(NumberField::Degree), sort "Most linked first";
        "degree:>=3" => "by number of links to and from the note";
    "length": FieldType::Number(NumberField::Length), sort "Longest first";
        "length:>2000" => "by length of the text in bytes";
    "has": FieldType::Feature;
        "has:due`, `has:conflict" => "with the property; with a stated contradiction";
    "is": FieldType::State;
        "is:orphan" => "in this state: managed, handwritten, orphan, deadend, unresolved, empty, open (with tasks), done, expired, upcoming, superseded";
    "sort": FieldType::Sort;
        "sort:-length" => "in this order of `mem list --sort`; `-` reverses it, `+` is ascending";
    "keep": FieldType::Property, merge MergeRule::Any;
        "keep:true" => "protected from merging and forgetting";
    "space_locked": FieldType::Property, merge MergeRule::Any;
        "space_locked:true" => "that jobs do not move to another space";
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_signal_is_a_field() {
        for signal in SIGNALS {
            assert!(!signal.name().is_empty(), "{signal:?}");
        }
    }

    #[test]
    fn every_number_and_date_is_sortable() {
        let unsorted = FIELDS
            .iter()
            .filter(|field| field.is_value() && field.sort.is_none());
        let names: Vec<&str> = unsorted.map(|field| field.name).collect();
        assert!(names.is_empty(), "{names:?}");
        for (key, expected) in [
            ("modified", Some(("updated", false))),
            ("-modified", Some(("updated", true))),
            ("+modified", Some(("updated", true))),
            ("-title", Some(("title", true))),
            ("+title", Some(("title", false))),
            ("tag", None),
        ] {
            let sorting = Field::sorting(key);
            let sorting = sorting.map(|(field, is_reversed)| (field.name, is_reversed));
            assert_eq!(sorting, expected, "{key}");
        }
    }

    #[test]
    fn ratings_out_of_range_are_ignored() {
        for (value, expected) in [
            (json!(0.7), 0.7),
            (json!("0.25"), 0.25),
            (json!(0), 0.0),
            (json!(7), 0.5),
            (json!(-0.1), 0.5),
            (json!("much"), 0.5),
            (Value::Null, 0.5),
        ] {
            let is_stated = (0.0..=1.0).contains(&number_of(&value).unwrap_or(-1.0));
            let properties = Map::from_iter([("importance".to_owned(), value.clone())]);
            let found = IMPORTANCE.of(&ratings(&properties));
            assert!((found - expected).abs() < 1e-6, "{value}: {found}");
            assert_eq!(
                IMPORTANCE.stated(&ratings(&properties)).is_some(),
                is_stated,
                "{value}"
            );
        }
    }

    #[test]
    fn field_names_are_unique() {
        let mut names: Vec<&str> = FIELDS
            .iter()
            .flat_map(|field| std::iter::once(&field.name).chain(field.aliases))
            .copied()
            .collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
        assert_eq!(
            Field::named("Linked_From").map(|field| field.name),
            Some("linked-from")
        );
        assert_eq!(FieldType::Date(DateField::ValidUntil).name(), "valid_until");
        assert_eq!(Field::merge_of("expires"), MergeRule::LatestEnd);
        for (key, merge) in [
            ("color", MergeRule::Own),
            ("date", MergeRule::Own),
            ("date created", MergeRule::Earliest),
            ("created_at", MergeRule::Earliest),
            ("creation date", MergeRule::Earliest),
            ("valid_from", MergeRule::EarliestStart),
            ("updated", MergeRule::Latest),
            ("Date Modified", MergeRule::Latest),
            ("lastmod", MergeRule::Latest),
        ] {
            assert_eq!(Field::merge_of(key), merge, "{key}");
        }
    }
}
