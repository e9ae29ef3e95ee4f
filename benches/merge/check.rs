//! Finds what a merged note lacks of its sources, using the events of a Markdown parser: every
//! piece of text with its headings, quotes and list items, and the meaning of its labels.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};
use regex::Regex;

const DIALECT: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_MATH);

/// A piece of text: its enclosing blocks and its words.
type Piece = (Vec<String>, String);

/// Returns `text` with the last step alone of each part of a wikilink, and without the number of each fragment: a merge
/// lengthens the path of a heading that two notes have, and numbers its address.
pub(crate) fn with_last_steps(text: &str) -> String {
    static PART: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\[\[[^\]\[|\n]*#").expect("a valid pattern"));
    static NUMBER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(\]\(#[^)\s]*?)(?:-\d+)+\)").expect("a valid pattern"));
    let text = PART.replace_all(text, "[[#");
    NUMBER.replace_all(&text, "$1)").into_owned()
}

/// Returns the pieces that `source` has more often than `merged`, as `place: text`. A paragraph may
/// be part of a longer one.
pub(crate) fn missing(source: &str, merged: &str, titles: &[String]) -> Vec<String> {
    let (own, found) = (pieces(source, titles), pieces(merged, titles));
    let mut more: Vec<&Piece> = Vec::new();
    for (piece, count) in &found {
        let count = count.saturating_sub(*own.get(piece).unwrap_or(&0));
        more.extend(std::iter::repeat_n(piece, count));
    }
    let mut missing = Vec::new();
    for (piece, count) in &own {
        let lacking = count.saturating_sub(*found.get(piece).unwrap_or(&0));
        for _ in 0..lacking {
            let bare = piece.1.trim_end_matches('.');
            let sentences = || bare.split_inclusive(['.', '!', '?', '…']);
            let says = |longer: &&Piece| {
                let mut rest = longer.1.as_str();
                longer.0 == piece.0
                    && sentences().all(|sentence| match rest.split_once(sentence.trim()) {
                        Some((_, behind)) => {
                            rest = behind;
                            true
                        }
                        None => false,
                    })
            };
            let spoken_of_it = normalised_words(&piece.1);
            let restates = |longer: &&Piece| {
                let longer_one = normalised_words(&longer.1);
                let mut rest = longer_one.iter();
                longer.0 == piece.0 && spoken_of_it.iter().all(|word| rest.any(|it| it == word))
            };
            let same = || more.iter().position(restates);
            match more.iter().position(says).or_else(same) {
                Some(longer) => drop(more.swap_remove(longer)),
                None => missing.push(format!("{}: {}", piece.0.join(" > "), piece.1)),
            }
        }
    }
    missing
}

/// Returns the normalised words of a text: without function words, verb endings, capitals and
/// punctuation.
fn normalised_words(text: &str) -> Vec<String> {
    let words = text.split_whitespace().map(|word| {
        let word = word.trim_matches(['.', ',', ';', ':', '!', '…', '(', ')', '"']);
        word.to_lowercase()
    });
    let is_small = |word: &str| matches!(word, "" | "the" | "is" | "are" | "a" | "an" | "to");
    let words = words.filter(|word| !is_small(word));
    let bare = |word: String| {
        let ends = ["ing", "es", "s", "e"];
        let end = ends.iter().find(|end| word.ends_with(*end));
        word[..word.len() - end.map_or(0, |end| end.len())].to_owned()
    };
    words.map(bare).collect()
}

/// Returns the first heading if it may be the title of a note.
pub(crate) fn title(body: &str) -> Option<String> {
    // A heading in an item or a quote is not the title.
    let mut depth = 0;
    let mut events = Parser::new_ext(body, DIALECT).skip_while(|event| {
        let is_heading = depth == 0 && matches!(event, Event::Start(Tag::Heading { .. }));
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
        !is_heading
    });
    if !matches!(events.next()?, Event::Start(Tag::Heading { level, .. }) if level as usize == 1) {
        return None;
    }
    let mut title: Option<String> = None;
    for event in events {
        match event {
            Event::End(TagEnd::Heading(_)) => break,
            Event::Text(text) => *title.get_or_insert_default() += &text,
            Event::SoftBreak => *title.get_or_insert_default() += " ",
            _ => {}
        }
    }
    title.map(|title| title.trim().to_owned())
}

/// Returns the lines of `source` that do not occur in `merged`, without parsing: heading marks and
/// label names are ignored, and wrapped prose is compared as text.
pub(crate) fn missing_lines(source: &str, merged: &str, titles: &[String]) -> Vec<String> {
    let lines = |text: &str| {
        let mut lines: BTreeMap<String, usize> = BTreeMap::new();
        // The text of a link may be wrapped.
        let mut in_label = false;
        for line in text.lines() {
            in_label &= !line.trim().is_empty();
            let line = bare(line, &mut in_label);
            if !line.is_empty() {
                *lines.entry(line).or_default() += 1;
            }
        }
        lines
    };
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let found = lines(merged);
    let unmarked = |line: &str| line.trim().trim_matches('#').to_owned();
    let merged: Vec<String> = merged.lines().map(unmarked).collect();
    let flat = words(&bare(&merged.join(" "), &mut false));
    let said = normalised_words(&flat);
    let lost = lines(source).into_iter().filter(|(line, count)| {
        found.get(line).unwrap_or(&0) < count
            && !titles.iter().any(|title| title.contains(line.as_str()))
            && flat.matches(words(line).trim_end_matches('.')).count() < *count
            && {
                let line = normalised_words(line);
                let all = said.windows(line.len().max(1));
                all.filter(|part| *part == line.as_slice()).count() < *count
            }
    });
    lost.map(|(line, _)| format!("line: {line}")).collect()
}

/// Returns a line without differences that a merge may make; tracks whether it ends inside a label.
fn bare(line: &str, in_label: &mut bool) -> String {
    let mut bare = String::new();
    for c in line
        .trim()
        .trim_start_matches('#')
        .trim_end_matches('#')
        .trim()
        .chars()
    {
        match c {
            '\\' => {}
            '[' => {
                *in_label = true;
                bare.push(c);
            }
            ']' => {
                *in_label = false;
                // A label may follow the text of a link.
                if bare.ends_with("][") {
                    bare.truncate(bare.len() - 2);
                }
                bare.push(c);
            }
            c if !*in_label => bare.push(c),
            _ => {}
        }
    }
    if bare.chars().all(|c| matches!(c, '=' | '-')) {
        bare.clear();
    }
    bare
}

/// An open block.
#[derive(Default)]
struct Frame {
    name: &'static str,
    /// Its text so far.
    text: String,
    /// Its first text, which identifies it for nested blocks.
    label: String,
}

#[expect(clippy::too_many_lines, reason = "one arm an event")]
fn pieces(body: &str, titles: &[String]) -> BTreeMap<Piece, usize> {
    let meant = footnotes(body);
    let mut found = BTreeMap::new();
    let mut path: Vec<(usize, String)> = Vec::new();
    let mut frames: Vec<Frame> = vec![Frame::default()];
    for event in Parser::new_ext(body, DIALECT) {
        let last = frames.len() - 1;
        let text = &mut frames[last].text;
        match event {
            Event::Start(tag) => match tag {
                Tag::Link {
                    link_type,
                    dest_url,
                    title,
                    ..
                }
                | Tag::Image {
                    link_type,
                    dest_url,
                    title,
                    ..
                } => {
                    if link_type != LinkType::Autolink {
                        text.extend(["(", &dest_url, " ", &title, ")"]);
                    }
                }
                Tag::Emphasis | Tag::Strong => *text += "*",
                tag => frames.push(Frame {
                    name: name(&tag),
                    ..Frame::default()
                }),
            },
            Event::End(TagEnd::Link | TagEnd::Image) | Event::TaskListMarker(_) => {}
            Event::End(TagEnd::Emphasis | TagEnd::Strong) => *text += "*",
            Event::End(end) => {
                let mut frame = frames.pop().unwrap_or_default();
                let said: Vec<&str> = frame.text.split_whitespace().collect();
                let said = if frame.name == "code" {
                    frame.text.trim_end_matches('\n').to_owned()
                } else {
                    said.join(" ")
                };
                // In a list with blank lines the text of an item is in paragraphs.
                if matches!(end, TagEnd::Paragraph)
                    && let Some(item) = frames.last_mut().filter(|above| above.name == "item")
                {
                    item.text.extend([" ", &said]);
                    continue;
                }
                if frame.label.is_empty() {
                    frame.label.clone_from(&said);
                }
                let is_heading = matches!(end, TagEnd::Heading(_)) && frames.len() == 1;
                if let TagEnd::Heading(level) = end
                    && is_heading
                {
                    path.retain(|(above, _)| *above < level as usize);
                    if !titles.contains(&said) && !said.starts_with("Merged from ") {
                        path.push((level as usize, said.clone()));
                    } else {
                        continue;
                    }
                }
                let is_definition =
                    frame.name == "note" || frames.iter().any(|frame| frame.name == "note");
                let mut place: Vec<String> =
                    path.iter().map(|(_, heading)| heading.clone()).collect();
                if is_definition || is_heading {
                    place.clear();
                }
                place.extend(
                    frames
                        .iter()
                        .filter(|frame| !matches!(frame.name, "" | "note"))
                        .map(|frame| format!("{} {}", frame.name, frame.label)),
                );
                if !said.is_empty() {
                    *found.entry((place, said)).or_default() += 1;
                }
                if let Some(above) = frames.last_mut()
                    && above.label.is_empty()
                {
                    above.label = frame.label;
                }
            }
            Event::Text(piece) | Event::Html(piece) | Event::InlineHtml(piece) => *text += &piece,
            Event::Code(piece) => text.extend(["`", &piece, "`"]),
            Event::InlineMath(piece) | Event::DisplayMath(piece) => {
                text.extend(["$", &piece, "$"]);
            }
            Event::SoftBreak => *text += " ",
            Event::HardBreak => *text += " ⏎ ",
            Event::FootnoteReference(label) => {
                let label = label.to_lowercase();
                text.extend(["[^", meant.get(&label).unwrap_or(&label), "]"]);
            }
            Event::Rule => *found.entry((Vec::new(), "---".to_owned())).or_default() += 1,
        }
        // The text before a nested list identifies the item.
        for at in 1..frames.len() {
            if frames[at].label.is_empty() && at + 1 < frames.len() {
                let said: Vec<&str> = frames[at].text.split_whitespace().collect();
                frames[at].label = said.join(" ");
            }
        }
    }
    found
}

/// Returns the text of each footnote.
fn footnotes(body: &str) -> BTreeMap<String, String> {
    let mut meant = BTreeMap::new();
    let mut open: Option<(String, String)> = None;
    for event in Parser::new_ext(body, DIALECT) {
        match (event, &mut open) {
            (Event::Start(Tag::FootnoteDefinition(label)), _) => {
                open = Some((label.to_lowercase(), String::new()));
            }
            (Event::End(TagEnd::FootnoteDefinition), Some((label, text))) => {
                let words: Vec<&str> = text.split_whitespace().collect();
                meant
                    .entry(label.clone())
                    .or_insert_with(|| format!("={}", words.join(" ")));
                open = None;
            }
            (Event::Text(piece) | Event::Code(piece), Some((_, text))) => *text += &piece,
            (Event::SoftBreak, Some((_, text))) => *text += " ",
            _ => {}
        }
    }
    meant
}

fn name(tag: &Tag<'_>) -> &'static str {
    match tag {
        Tag::BlockQuote(_) => "quote",
        Tag::Item => "item",
        Tag::CodeBlock(_) => "code",
        Tag::FootnoteDefinition(_) => "note",
        Tag::TableRow | Tag::TableHead => "row",
        _ => "",
    }
}
