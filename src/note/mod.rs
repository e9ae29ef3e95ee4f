//! Parsing and editing of notes; pure functions on text.
//!
//! [`read`] parses a note for the index, the graph and the jobs; [`edit`] and [`write`](front_matter::write) produce
//! text again. `vault` does all file access. Reading never fails: unparsable front matter is reported as the note's
//! [`problem`](Note::problem).

use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Map, Value};

pub mod edit;
pub mod facts;
pub mod front_matter;
pub mod markdown;
pub mod names;
pub mod path;
pub mod retag;
pub mod secrets;
pub mod splice;
#[cfg(test)]
mod tests;
pub mod three_way;
pub mod words;

pub use self::edit::Edit;
pub use self::front_matter::key::KeyPath;
pub use self::front_matter::matter::number_of;
pub use self::front_matter::relation::Relation;
pub use self::front_matter::write::new_note;
pub use self::markdown::document::Document;
pub use self::markdown::lines::LineRole;
pub use self::markdown::links::whole_wikilink;
pub use self::markdown::sections::BlockKind;
pub use self::names::filename::{is_copy_of, is_daily, is_in_templates_folder, is_template};
pub use self::names::mention::RunningText;
pub use self::names::title::title_of;
pub use self::path::{VaultPath, without_ending};
pub use self::splice::spliced;
pub use self::words::analyzer::{AnalysisPurpose, Analyzer, Pattern};
pub use self::words::english::{Class, WordEffect};
pub use self::words::hash::{ContentHash, normal_hash};
pub use self::words::language::{Language, LanguageSetting};
pub use self::words::letters::folded;
pub use self::words::tokens::each_word;
pub use self::words::wording::is_placeholder;

pub use front_matter::matter::{list_of, text_of};
use markdown::body::{BlockId, BodyOutline, Heading};
use markdown::links::HtmlId;
pub use markdown::links::{Link, LinkKind};

use front_matter::matter::MatterError;
use front_matter::split::{self, FrontMatterBlock, NoteParts};

/// A parsed note.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// Span of the front matter.
    pub block: Option<FrontMatterBlock>,
    /// Span of the body.
    pub body: Range<usize>,
    /// The front matter, or what could be [salvaged](front_matter::matter::salvage) if there is a problem.
    pub properties: Map<String, Value>,
    /// Why the front matter could not be read; properties of such a note are never edited.
    pub problem: Option<MatterError>,
    /// Title of the note.
    pub title: String,
    /// Origin of the title.
    pub title_from: TitleSource,
    /// Whether the title is a section: the first of several headings of level 1, and not the file's name.
    pub is_title_section: bool,
    /// Other names of the note.
    pub aliases: Vec<String>,
    /// Tags of the property, then of the body, without `#`. Duplicates are removed regardless of case; the first
    /// spelling is kept.
    pub tags: Vec<String>,
    /// Headings in document order.
    pub headings: Vec<Heading>,
    /// Links of the front matter, then of the body.
    pub links: Vec<Link>,
    /// Wikilinks in properties that are not values of their own: `up: [[Tea]]`, `"see [[Tea]]"`. They are text,
    /// but renames and merges update them.
    pub text_links: Vec<Link>,
    /// Block ids in document order.
    pub blocks: Vec<BlockId>,
    /// Ids of HTML tags in document order.
    pub html_ids: Vec<HtmlId>,
}

impl Note {
    /// Returns the links that must lead to the same note after a rename or merge.
    pub fn maintained_links(&self) -> impl Iterator<Item = &Link> {
        self.links.iter().chain(&self.text_links)
    }

    /// Returns the heading that a merge omits, because it states the title; one that no note has if
    /// the title is a section.
    pub fn title_heading(&self) -> &str {
        if self.is_title_section {
            "\n"
        } else {
            &self.title
        }
    }
}

/// Origin of a note's title.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TitleSource {
    /// The property `title`.
    Property,
    /// The first heading of level 1.
    Heading,
    /// The file name.
    Stem,
}

/// Parses `text`, a note with file stem `stem`.
pub fn read(text: &str, stem: &str) -> Note {
    let parts = front_matter::split::split(text);
    let outline = markdown::body::scan(&markdown::listing::blanked(text), parts.body.clone());
    with_outline(text, parts, outline, stem)
}

/// Returns the same as [`read`] for a document that is also needed elsewhere. Its lists must be
/// [blanked](markdown::listing::blanked); `stem` is the file's stem.
pub fn of(document: &Document<'_>, stem: &str) -> Note {
    let text = document.text();
    let parts = front_matter::split::split(text);
    with_outline(text, parts, BodyOutline::of(document), stem)
}

fn with_outline(text: &str, parts: NoteParts, outline: BodyOutline, stem: &str) -> Note {
    let inner = parts
        .block
        .as_ref()
        .map_or(0..0, |block| block.inner.clone());
    let (properties, problem) = match front_matter::matter::of(text, &parts) {
        Ok(properties) => (properties, None),
        Err(error) => {
            let block = parts.block.as_ref();
            let language = block.map_or(split::FrontMatterLanguage::Yaml, |block| block.language);
            let salvaged = front_matter::matter::salvage_as(&text[inner.clone()], language);
            (salvaged, Some(error))
        }
    };
    // Input that is unsafe for the parser is unsafe for the lexer too.
    let is_unsafe = matches!(
        problem,
        Some(MatterError::TooLarge { .. } | MatterError::TooDeep { .. })
    );
    let matter = if is_unsafe { 0..0 } else { inner };
    let block = parts.block.as_ref();
    let is_toml = block.is_some_and(|block| block.language == split::FrontMatterLanguage::Toml);
    let mut links = if is_toml {
        markdown::links::in_toml(text, matter.clone(), &properties)
    } else {
        markdown::links::in_front_matter(text, matter.clone(), &properties)
    };
    let text_links = markdown::links::in_property_texts(text, matter, &links);
    links.extend(outline.links);
    let (title, title_from) = title(&properties, &outline.headings, stem);
    let tops = outline.headings.iter().filter(|heading| heading.level == 1);
    let is_title_section = title_from == TitleSource::Heading
        && tops.count() > 1
        && words::letters::letters_of(&title) != words::letters::letters_of(stem);
    Note {
        is_title_section,
        title,
        title_from,
        aliases: aliases(&properties),
        tags: all_tags(
            &properties,
            outline
                .tags
                .into_iter()
                .map(|tag| text[tag.start + 1..tag.end].to_owned()),
        ),
        headings: outline.headings,
        links,
        text_links,
        blocks: outline.blocks,
        html_ids: outline.html_ids,
        block: parts.block,
        body: parts.body,
        properties,
        problem,
    }
}

fn title(
    properties: &Map<String, Value>,
    headings: &[Heading],
    stem: &str,
) -> (String, TitleSource) {
    if let Some(title) = text_of(properties, "title") {
        return (title, TitleSource::Property);
    }
    let heading = headings
        .iter()
        .find(|heading| heading.level == 1 && !heading.text.is_empty());
    match heading {
        Some(heading) => (without_links(&heading.text), TitleSource::Heading),
        None => (stem.to_owned(), TitleSource::Stem),
    }
}

/// Returns a heading with wikilinks replaced by their labels.
pub(crate) fn without_links(heading: &str) -> String {
    let mut plain = heading.to_owned();
    let mut until = plain.len();
    while let Some(at) = plain[..until].rfind("[[") {
        until = at;
        if let Some(link) = markdown::links::wikilink(&plain, at) {
            plain.replace_range(
                link.span.clone(),
                &markdown::without_marks(&link.unlinked()),
            );
            // Removes the `!` before an embed.
            until = link.span.start;
        }
    }
    plain
}

/// Returns the names in the property `aliases`.
pub fn aliases(properties: &Map<String, Value>) -> Vec<String> {
    let mut aliases = Vec::new();
    for (key, value) in front_matter::property::spelled(properties, "aliases") {
        match value {
            // Several names in one text, as in Obsidian.
            Value::String(names) => {
                let names = names.split(',').map(str::trim);
                aliases.extend(names.filter(|name| !name.is_empty()).map(str::to_owned));
            }
            _ => aliases.extend(list_of(properties, key)),
        }
    }
    aliases
}

fn all_tags(properties: &Map<String, Value>, inline: impl Iterator<Item = String>) -> Vec<String> {
    let mut all = markdown::tags::of_property(properties);
    all.extend(inline);
    let mut seen = HashSet::new();
    all.retain(|tag| !tag.is_empty() && seen.insert(words::letters::folded(tag)));
    all
}
