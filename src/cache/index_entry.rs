//! Derives the catalog and text index entries of a note from its text. Pure.

use jiff::tz::TimeZone;
use serde_json::{Map, Value};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::row::{Details, Flags, LinkTo, PassageRows, Row, type_hash};
use super::text::schema::Column;
use crate::note;
use crate::note::front_matter::property::{is_true, property, standard_name};
use crate::note::front_matter::seal;
use crate::note::markdown::content_spans;
use crate::note::markdown::listing;
use crate::note::markdown::tasks;
use crate::note::three_way::markers::conflicts;
use crate::note::words::segments::{SegmentHash, segments};
use crate::note::words::{hash, minhash, speaker};
use crate::note::{
    ContentHash, Document, Language, LanguageSetting, LinkKind, Note, Relation, TitleSource,
    VaultPath, list_of,
};
use crate::signals::fields::ratings;
use crate::signals::{Tier, dates, snapshot};
use crate::vault::Stat;

#[derive(Debug)]
pub(super) struct IndexEntry {
    pub(super) row: Row,
    pub(super) details: Details,
    pub(super) segments: Vec<SegmentHash>,
    pub(super) property_names: Vec<String>,
    /// Columns for the text index.
    pub(super) columns: Vec<(Column, String)>,
}

/// Returns the catalog entry of the note at `path` if its text were `text`.
pub fn entry_for_text(path: &VaultPath, text: &str, before: &Row) -> (Row, Details) {
    let blanked = listing::blanked(text);
    let document = Document::of_note(&blanked);
    let note = note::of(&document, path.stem());
    let language = before.flags.language();
    let entry = index_entry(path, (text, &document), before.stat, (note, language));
    (entry.row, entry.details)
}

/// Returns the entry of the note at `path`. `note` was read from the document of `text` with blanked lists.
pub(super) fn index_entry(
    path: &VaultPath,
    (text, document): (&str, &Document<'_>),
    stat: Stat,
    (note, language): (Note, Language),
) -> IndexEntry {
    // Text that a generated list copies is found and compared in its source notes.
    let body = &*listing::without_copies(&text[note.body.clone()]);
    let (bands, words) = minhash::bands(body);
    let titled = note.title_from != TitleSource::Stem;
    let property = |key: &str| property(&note.properties, key);
    let created = dates::created(&note.properties, path);
    let tasks = tasks::of(document);
    let flags = Flags::default()
        .with_language(language)
        .with(Flags::OPEN_TASK, tasks.iter().any(|task| !task.done))
        .with(Flags::DONE_TASK, tasks.iter().any(|task| task.done))
        .with_tier(tier(&note.properties))
        .with(
            Flags::MANAGED,
            property("mem").is_some() && seal::is_sealed(text),
        )
        .with(
            Flags::LEARNED,
            property("mem").and_then(snapshot::read).is_some(),
        )
        .with(Flags::KEEP, property("keep").is_some_and(is_true))
        .with(Flags::STARTS, dates::starts(&note.properties).is_some())
        .with(Flags::UNREADABLE, note.problem.is_some())
        .with(Flags::UNDATED, created.is_none())
        .with(
            Flags::REPLY,
            speaker::is_assistant(&note.properties) || speaker::is_meta(&note.properties),
        )
        .with(Flags::DERIVED, speaker::is_derived(&note.properties))
        .with(Flags::BLANK, content_spans::is_blank(document))
        .with(Flags::UNMERGED, !conflicts(text, document).is_empty());
    let row = Row {
        stat,
        content: ContentHash::of(text.as_bytes()),
        title: if titled {
            hash::normal_hash(&note.title)
        } else {
            0
        },
        body: hash::normal_hash(body),
        authored: authored(body, &note.properties),
        created: created.unwrap_or_else(|| stat.mtime_ns.div_euclid(1_000_000_000)),
        updated: property("updated")
            .and_then(dates::moment_of)
            .unwrap_or(i64::MIN),
        expires: dates::expires(&note.properties),
        bands,
        words,
        length: body.len() as u32,
        flags,
        ratings: ratings(&note.properties),
        rows: PassageRows::PENDING,
        kind: type_hash(&list_of(&note.properties, "type")),
    };
    IndexEntry {
        row,
        property_names: note
            .properties
            .keys()
            .map(|key| standard_name(key).to_owned())
            .collect(),
        columns: columns(path, body, &note, created),
        segments: segments(body),
        details: details(note, titled),
    }
}

/// Returns the language of a note.
pub(super) fn language(setting: LanguageSetting, document: &Document<'_>, note: &Note) -> Language {
    let (text, body) = (document.text(), document.body());
    let end = body.end;
    let code = document.code().chain(std::iter::once(end..end));
    let pieces = code.scan(body.start, |from, code| {
        let piece = text.get(*from..code.start).unwrap_or_default();
        *from = code.end.max(*from);
        Some(piece)
    });
    setting.of_note(&note.properties, pieces)
}

fn columns(
    path: &VaultPath,
    body: &str,
    note: &Note,
    created: Option<i64>,
) -> Vec<(Column, String)> {
    let mut columns = vec![
        (Column::Title, note.title.clone()),
        (Column::Body, body.to_owned()),
        (Column::Path, path.without_ending().to_owned()),
    ];
    let mut add = |column, text: &String| columns.push((column, text.clone()));
    note.aliases
        .iter()
        .for_each(|alias| add(Column::Aliases, alias));
    for heading in &note.headings {
        add(Column::Headings, &heading.text);
    }
    note.tags.iter().for_each(|tag| add(Column::Tags, tag));
    add_property_text(&note.properties, &mut columns);
    let day = created.and_then(long_date);
    columns.extend(day.map(|day| (Column::Properties, day)));
    columns
}

/// Returns the hash of the authored content. Jobs write relations and learned state; their own writes must
/// not mark a note as changed.
fn authored(body: &str, properties: &Map<String, Value>) -> u64 {
    let mut hash = xxh3_64(body.as_bytes());
    for (key, value) in properties {
        if Relation::named(key).is_none() && !matches!(standard_name(key), "mem" | "updated") {
            hash = xxh3_64_with_seed(key.as_bytes(), hash);
            hash = xxh3_64_with_seed(value.to_string().as_bytes(), hash);
        }
    }
    hash
}

fn details(note: Note, titled: bool) -> Details {
    Details {
        titled,
        id: note::text_of(&note.properties, "id"),
        tags: note.tags,
        aliases: note.aliases,
        links: note
            .links
            .into_iter()
            .filter(|link| !link.target.is_empty())
            .map(|link| LinkTo {
                target: link.target,
                property: link.property,
                markdown: link.kind == LinkKind::Markdown,
                // The label of a link to a block is not a name of the note; a tag has none.
                label: link
                    .label
                    .filter(|label| !label.is_empty() && !is_block(link.part.as_deref())),
            })
            .collect(),
        text_links: note
            .text_links
            .into_iter()
            .map(|link| link.target)
            .collect(),
        problem: note.problem.map(|problem| problem.to_string()),
        title: note.title,
        ..Details::default()
    }
    .with_properties(&note.properties)
}

fn is_block(part: Option<&str>) -> bool {
    part.is_some_and(|part| part.starts_with('^'))
}

/// Adds property values that a person might search for, except those with their own column and those of mem.
fn add_property_text(properties: &Map<String, Value>, columns: &mut Vec<(Column, String)>) {
    fn add(value: &Value, columns: &mut Vec<(Column, String)>) {
        match value {
            Value::String(text) => columns.push((Column::Properties, text.clone())),
            Value::Number(number) => columns.push((Column::Properties, number.to_string())),
            Value::Array(values) => values.iter().for_each(|value| add(value, columns)),
            Value::Object(map) => map.values().for_each(|value| add(value, columns)),
            Value::Bool(_) | Value::Null => {}
        }
    }
    for (key, value) in properties {
        if !matches!(standard_name(key), "title" | "aliases" | "tags" | "mem") {
            add(value, columns);
        }
    }
}

/// Returns a date as people write it: `8 May 2023`.
///
/// On conversations whose titles lack the date (`LoCoMo`) this raises lexical recall at 10 from .637 to .659.
fn long_date(second: i64) -> Option<String> {
    let moment = jiff::Timestamp::from_second(second).ok()?;
    let day = moment.to_zoned(TimeZone::UTC).strftime("%-d %B %Y");
    Some(day.to_string())
}

fn tier(properties: &Map<String, Value>) -> Tier {
    property(properties, "tier")
        .and_then(Value::as_str)
        .and_then(Tier::named)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::fields::{CONFIDENCE, IMPORTANCE};

    fn entry_of(path: &str, text: &str) -> IndexEntry {
        let stat = Stat {
            size: text.len() as u64,
            mtime_ns: 86_400_000_000_000,
        };
        let path = VaultPath::new(path).unwrap();
        let blanked = listing::blanked(text);
        let document = Document::of_note(&blanked);
        let note = note::of(&document, path.stem());
        index_entry(&path, (text, &document), stat, (note, Language::ENGLISH))
    }

    #[test]
    fn created_falls_back() {
        for (path, text, day) in [
            ("a.md", "---\ncreated: 1970-01-03\n---\n", 2),
            ("a.md", "---\ndate: \"1970-01-03T00:00:00Z\"\n---\n", 2),
            ("1970-01-04.md", "---\ntitle: x\n---\n", 3),
            ("log 19700105 tea.md", "", 4),
            ("1234567890.md", "", 1),
            ("a.md", "---\ncreated: soon\n---\n", 1),
        ] {
            assert_eq!(
                entry_of(path, text).row.created,
                day * 86_400,
                "{path} {text}"
            );
        }
    }

    #[test]
    fn finds_dates_as_written_in_prose() {
        for (path, text, expected) in [
            (
                "a.md",
                "---\ncreated: 2023-05-08T23:30:00Z\n---\n",
                Some("8 May 2023"),
            ),
            ("2023-05-08.md", "", Some("8 May 2023")),
            ("a.md", "", None),
        ] {
            let columns = entry_of(path, text).columns;
            let mut properties = columns
                .iter()
                .filter(|(column, _)| *column == Column::Properties);
            let last = properties.next_back().map(|(_, text)| text.as_str());
            assert_eq!(last, expected, "{path} {text}");
        }
    }

    #[test]
    fn attributes_become_flags() {
        let row = entry_of(
            "a.md",
            "---\ntier: Core\nkeep: true\nconfidence: 0.7\nimportance: 7\n---\nTwo words\n",
        )
        .row;
        assert_eq!((row.flags.tier(), row.words), (Tier::Core, 2));
        assert!(row.flags.has(Flags::KEEP));
        assert!((CONFIDENCE.of(&row.ratings) - 0.7).abs() < 1e-6);
        assert!((IMPORTANCE.of(&row.ratings) - 0.5).abs() < 1e-6);
        assert_eq!(entry_of("a.md", "x").row.flags.tier(), Tier::Working);
    }

    #[test]
    fn reads_mem_properties_in_any_case_and_as_text() {
        for text in [
            "Tier: Core\nKeep: true\nImportance: 7\nCREATED: 1970-01-03\nValid_Until: 1970-01-09\nID: x1",
            "tier: core\nkeep: \"true\"\nimportance: \"7\"\ncreated: 1970-01-03\nexpires: 1970-01-09\nId: x1",
            "tier: core\nkeep: Yes\nimportance: 7\nDate: 1970-01-03\nExpires: 1970-01-09\nid: x1",
        ] {
            let entry = entry_of("a.md", &format!("---\n{text}\n---\nTwo words\n"));
            let row = entry.row;
            assert_eq!(row.flags.tier(), Tier::Core, "{text}");
            assert!(row.flags.has(Flags::KEEP), "{text}");
            assert!((IMPORTANCE.of(&row.ratings) - 0.5).abs() < 1e-6, "{text}");
            assert_eq!(
                (row.created, row.expires),
                (2 * 86_400, 9 * 86_400),
                "{text}"
            );
            assert_eq!(entry.details.id.as_deref(), Some("x1"), "{text}");
        }
    }

    #[test]
    fn only_a_given_title_counts_as_one() {
        assert_eq!(entry_of("tea.md", "x").row.title, 0);
        let heading = entry_of("x.md", "# Tea\n").row.title;
        assert_eq!(
            heading,
            entry_of("y.md", "---\ntitle: tea\n---\n").row.title
        );
        assert_ne!(heading, 0);
    }
}
