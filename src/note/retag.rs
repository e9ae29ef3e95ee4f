//! Renames tags in the front matter and the body of a note.

use std::ops::Range;

use super::edit::{self, Edit};
use super::front_matter::property_names::{spelled, standard_name};
use super::front_matter::split::{line_start, split};
use super::markdown::tags::PROPERTY;
use super::markdown::{body, listing, tags};
use super::{Note, list_of, read};

/// Returns true if `name`, without `#`, is a valid tag.
pub fn is_tag(name: &str) -> bool {
    let tag = format!("#{name}");
    tags::inline(&tag, 0) == Some(tag.len()) && !name.starts_with('/') && !name.contains("//")
}

/// Replaces `old` by `new` in `tag`, which equals `old` or is nested below it, ignoring case.
pub fn renamed(tag: &str, old: &str, new: &str) -> Option<String> {
    let rest = &tag[prefix_length(tag, old)?..];
    Some(format!("{new}{rest}"))
}

/// Returns the edits that rename the tag `old` and its nested tags to `new`.
pub fn edits(text: &str, old: &str, new: &str) -> Vec<Edit> {
    let note = read(text, "");
    let outline = body::scan(&listing::blanked(text), note.body.clone());
    let in_body = outline.tags.into_iter().filter_map(|span| {
        let tag = &text[span.start + 1..span.end];
        let renamed = renamed(tag, old, new).filter(|renamed| renamed != tag)?;
        Some(Edit::replace(text, span.start + 1..span.end, renamed))
    });
    let mut edits = in_front_matter(text, &note, old, new);
    edits.extend(in_body);
    edits
}

/// Returns true if the body has this tag.
pub fn is_in_body(text: &str, tag: &str) -> bool {
    let body = split(text).body;
    let mut tags = body::scan(&listing::blanked(text), body)
        .tags
        .into_iter()
        .map(|span| &text[span.start + 1..span.end]);
    tags.any(|found| tags::is_same(found, tag))
}

fn in_front_matter(text: &str, note: &Note, old: &str, new: &str) -> Vec<Edit> {
    let stated = tags::of_property(&note.properties);
    let is_kept = |known: &&String| renamed(known, old, new).is_none();
    let (mut expected, mut duplicates): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
    for tag in &stated {
        match renamed(tag, old, new) {
            None => expected.push(tag.clone()),
            // A duplicate: the first one is kept, with its comment.
            Some(name)
                if expected
                    .iter()
                    .chain(stated.iter().filter(is_kept))
                    .any(|known| tags::is_same(known, &name)) =>
            {
                duplicates.push(tag);
            }
            Some(name) => expected.push(name),
        }
    }
    if note.problem.is_some() || expected == stated {
        return Vec::new();
    }
    let is_duplicate = |tag: &str| duplicates.contains(&tag);
    let (drops, renames): (Vec<_>, Vec<_>) = spans_in_front_matter(text, note, old)
        .into_iter()
        .partition(|span| is_duplicate(tag_at(text, span.start)));
    let renames = renames.into_iter();
    let mut in_place: Vec<Edit> = renames.map(|span| Edit::replace(text, span, new)).collect();
    in_place.extend(
        items(note)
            .into_iter()
            .filter(|item| is_duplicate(tags::bare(item)))
            .map(|item| {
                let key = PROPERTY.into();
                let value = item.into();
                Edit::Remove { key, value }
            }),
    );
    // Edits in place if the result has the expected tags, otherwise replaces the whole list.
    let has_expected_tags = |edited: &String| {
        tags::of_property(&read(edited, "").properties) == expected && !in_place.is_empty()
    };
    if let Ok(edited) = edit::apply(text, &in_place)
        && has_expected_tags(&edited)
    {
        let kept = items(&read(&edited, ""));
        in_place.extend(drops.iter().filter_map(|span| {
            let name = renamed(tag_at(text, span.start), old, new)?;
            let mut kept = kept.iter();
            Some(Edit::Comment {
                key: PROPERTY.into(),
                item: kept
                    .find(|item| tags::is_same(item, &name))?
                    .as_str()
                    .into(),
                comment: comment_of_item(text, span.end)?.to_owned(),
            })
        }));
        return in_place;
    }
    // A single property then holds all tags.
    let mut others = spelled(&note.properties, PROPERTY).map(|(key, _)| key.into());
    others.next();
    let mut edits: Vec<Edit> = others.map(|key| Edit::Unset { key }).collect();
    edits.push(Edit::set(PROPERTY, expected));
    edits
}

/// Returns the items of the property, including any `#`.
fn items(note: &Note) -> Vec<String> {
    let keys = spelled(&note.properties, PROPERTY).map(|(key, _)| key);
    keys.flat_map(|key| list_of(&note.properties, key))
        .collect()
}

/// Returns the spans of `old` as a separate word in the lines of the property, outside comments.
pub fn spans_in_front_matter(text: &str, note: &Note, old: &str) -> Vec<Range<usize>> {
    let Some(block) = &note.block else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let (mut at, mut is_within) = (block.inner.start, false);
    for line in text[block.inner.clone()].split_inclusive('\n') {
        let key = line.split([':', '=']).next().unwrap_or_default();
        let begins = key.len() < line.len() && standard_name(key.trim_end()) == PROPERTY;
        is_within = begins || is_within && line.starts_with([' ', '\t', '-', ']', '#', '\r', '\n']);
        if is_within {
            let from = if begins { key.len() } else { 0 };
            let until = comment(line).unwrap_or(line.len());
            found.extend(
                occurrences(&line[..until], from, old).map(|span| at + span.start..at + span.end),
            );
        }
        at += line.len();
    }
    found
}

/// Returns the start of a comment: a `#` at the start of the line or after a blank.
fn comment(line: &str) -> Option<usize> {
    let mut signs = line.match_indices('#').map(|(at, _)| at);
    signs.find(|at| line[..*at].is_empty() || line[..*at].ends_with([' ', '\t']))
}

/// Returns the comment after a list item on its own line; the item's tag continues at `at`.
fn comment_of_item(text: &str, at: usize) -> Option<&str> {
    let start = line_start(text, at);
    let line = text[start..].lines().next()?;
    let begins = comment(line).filter(|_| line.trim_start().starts_with('-'))?;
    Some(line[begins..].trim_end())
}

/// Returns the tag that begins at `at`.
fn tag_at(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    &rest[..rest.find(tags::ends_tag).unwrap_or(rest.len())]
}

/// Returns the spans of `old` at the start of tags in `line`.
fn occurrences<'t>(
    line: &'t str,
    from: usize,
    old: &'t str,
) -> impl Iterator<Item = Range<usize>> + 't {
    let starts = line
        .char_indices()
        .map(|(at, _)| at)
        .filter(move |at| *at >= from && line[..*at].ends_with(tags::ends_tag));
    starts.filter_map(move |at| Some(at..at + prefix_length(tag_at(line, at), old)?))
}

/// Returns the length of `old` at the start of `tag`, followed by `/` or the end; ignores case.
fn prefix_length(tag: &str, old: &str) -> Option<usize> {
    let slashes = tag.match_indices('/').map(|(at, _)| at);
    let mut ends = slashes.chain([tag.len()]);
    ends.find(|end| tags::is_same(&tag[..*end], old))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_tags() {
        for (name, expected) in [
            ("tea", true),
            ("tea/green", true),
            ("日本", true),
            ("y2024", true),
            ("2024", false),
            ("two words", false),
            ("tea/", false),
            ("/tea", false),
            ("a//b", false),
            ("#tea", false),
            ("tea!", false),
            ("", false),
        ] {
            assert_eq!(is_tag(name), expected, "{name}");
        }
    }

    #[test]
    fn tags_are_renamed_everywhere() {
        for (before, after) in [
            (
                "#tea, #Tea/green #teapot `#tea` x#tea",
                "#drink, #drink/green #teapot `#tea` x#tea",
            ),
            (
                "```\n#tea\n```\n# tea\n<!-- #tea -->\n#tea\r\n",
                "```\n#tea\n```\n# tea\n<!-- #tea -->\n#drink\r\n",
            ),
            (
                "---\ntags: [a, tea, \"b\"] # tea\n---\n",
                "---\ntags: [a, drink, \"b\"] # tea\n---\n",
            ),
            (
                "---\ntags:\n  - tea/green\n  - '#Tea'\n  # tea\n  - teapot\ntitle: tea\n---\n",
                "---\ntags:\n  - drink/green\n  - '#drink'\n  # tea\n  - teapot\ntitle: tea\n---\n",
            ),
            ("---\ntags: tea, x\n---\n", "---\ntags: drink, x\n---\n"),
            (
                "+++\ntags = [\"tea\"]\n+++\n",
                "+++\ntags = [\"drink\"]\n+++\n",
            ),
            // The new tag already exists.
            (
                "---\ntags: [tea, drink]\n---\n#drink\n",
                "---\ntags: [drink]\n---\n#drink\n",
            ),
            (
                "---\ntags:\n  # hot\n  - tea # mine\n  - \"x\"\n  - 'drink' # kept\n  - tea/green\n  - teapot\n---\n",
                "---\ntags:\n  # hot\n  - \"x\"\n  - 'drink' # kept\n  - drink/green\n  - teapot\n# tags: \"drink\" # mine\n---\n",
            ),
            (
                "---\ntags:\n  - drink\n  - tea # mine\n---\n",
                "---\ntags:\n  - drink # mine\n---\n",
            ),
            (
                "---\ntags:\n  - tea # one\n  - Tea # two\n  - \"x\" # x\n---\n",
                "---\ntags:\n  - drink # one\n  - \"x\" # x\n# tags: \"drink\" # two\n---\n",
            ),
            ("---\ntags: drink, tea\n---\n", "---\ntags: [drink]\n---\n"),
            (
                "---\ntags: [x]\ntea: tea\n---\n",
                "---\ntags: [x]\ntea: tea\n---\n",
            ),
        ] {
            let edits = edits(before, "tea", "drink");
            assert_eq!(edit::apply(before, &edits).unwrap(), after, "{before}");
        }
    }

    #[test]
    fn tags_can_change_case_and_composition() {
        for (before, old, new, after) in [
            (
                "---\ntags: [tea, work] # x\n---\n#tea\n",
                "tea",
                "Tea",
                "---\ntags: [Tea, work] # x\n---\n#Tea\n",
            ),
            (
                "---\ntags:\n  - tea # a\n  - tea/green\n---\n",
                "tea",
                "Tea",
                "---\ntags:\n  - Tea # a\n  - Tea/green\n---\n",
            ),
            (
                "---\ntags: [Tea, tea, x]\n---\n",
                "TEA",
                "tea",
                "---\ntags: [tea, x]\n---\n",
            ),
            (
                "---\ntags: tea, x\n---\n",
                "tea",
                "TEA",
                "---\ntags: TEA, x\n---\n",
            ),
            (
                "---\ntags: [tea/green, tea]\n---\n",
                "tea",
                "tea/Green",
                "---\ntags: [tea/Green/green, tea/Green]\n---\n",
            ),
            (
                "---\ntags: [cafe\u{301}/x, \"#caf\u{e9}s\"]\n---\n#cafe\u{301} #cafe\n",
                "caf\u{e9}",
                "bar",
                "---\ntags: [bar/x, \"#caf\u{e9}s\"]\n---\n#bar #cafe\n",
            ),
            (
                "---\ntags: [cafe\u{301}, bar]\n---\n",
                "bar",
                "caf\u{e9}",
                "---\ntags: [cafe\u{301}]\n---\n",
            ),
        ] {
            let edits = edits(before, old, new);
            assert_eq!(edit::apply(before, &edits).unwrap(), after, "{before}");
        }
    }
}
