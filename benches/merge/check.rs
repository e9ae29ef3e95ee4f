//! What a merged note lacks of a note that went into it, by the events of a Markdown parser: every piece of
//! text with the headings, quotes and list items it stands in, and what its labels mean.

use std::collections::BTreeMap;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

const DIALECT: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_MATH);

/// A piece of text: what it stands in, and what it says.
type Piece = (Vec<String>, String);

/// Returns the pieces of `source` that stand less often in `merged`, written as `place: text`.
pub(crate) fn missing(source: &str, merged: &str, titles: &[String]) -> Vec<String> {
    let found = pieces(merged, titles);
    let lacking = pieces(source, titles)
        .into_iter()
        .filter(|(piece, count)| found.get(piece).unwrap_or(&0) < count);
    lacking
        .map(|((place, text), _)| format!("{}: {text}", place.join(" > ")))
        .collect()
}

/// A block that is open.
#[derive(Default)]
struct Frame {
    name: &'static str,
    /// What was said in it so far.
    text: String,
    /// The first that was said in it, by which it is known to what stands in it.
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
                    frame.text.trim_end().to_owned()
                } else {
                    said.join(" ")
                };
                // In a list with blank lines an item says it in paragraphs.
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
                    let count = found.entry((place, said)).or_default();
                    // Several headings of one name may become one.
                    *count = if is_heading { 1 } else { *count + 1 };
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
            Event::SoftBreak | Event::HardBreak => *text += " ",
            Event::FootnoteReference(label) => {
                let label = label.to_lowercase();
                text.extend(["[^", meant.get(&label).unwrap_or(&label), "]"]);
            }
            Event::Rule => *found.entry((Vec::new(), "---".to_owned())).or_default() += 1,
        }
        // What is said before a list in an item is what the item is known by.
        for at in 1..frames.len() {
            if frames[at].label.is_empty() && at + 1 < frames.len() {
                let said: Vec<&str> = frames[at].text.split_whitespace().collect();
                frames[at].label = said.join(" ");
            }
        }
    }
    found
}

/// Returns what each footnote says.
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
