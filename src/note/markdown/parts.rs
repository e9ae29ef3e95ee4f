//! Resolves the fragments of links: `[[Note#Heading]]`, `[x](note.md#heading-1)`, `[[Note#^block]]`.
//!
//! This is the only code that decides which heading or block a fragment means. Moves, merges, `doctor`, the check before
//! a write and the language server use it. A fragment means the first of
//!
//! 1. a block id, after `^`;
//! 2. in a Markdown link, the slug of a heading as GitHub numbers it, or the `id` of an HTML tag, the first in the text;
//! 3. a path of headings as in Obsidian: each step is the first heading of that name with a higher level than, and
//!    below, the one before it;
//! 4. a slug in another spelling;
//! 5. a path of headings compared by letters and digits alone. A false alarm of `doctor` costs more than a miss.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use super::body::Heading;
use super::links::{HtmlId, Link, LinkKind, anchor_of_heading, part_of_heading};
use super::loss_check::MERGED_FROM;
use super::sections;
use crate::note::words::letters::{folded, letters_of};
use crate::note::{BlockId, Note, without_links};

/// The link targets within a note.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    headings: Vec<HeadingNames>,
    blocks: Vec<BlockTarget>,
    html_ids: Vec<HtmlId>,
    /// Headings by their names in Obsidian, and by letters and digits, each in text order.
    by_name: HashMap<String, Vec<usize>>,
    by_key: HashMap<String, Vec<usize>>,
    /// Headings by slug, and HTML tags by id; the first in the text if both are equal.
    anchors: HashMap<String, PartTarget>,
    /// The first heading as written.
    first: String,
    /// Whether the first heading is the title.
    has_title: bool,
    places: OnceLock<Vec<HeadingPlace>>,
}

#[derive(Clone, Debug)]
struct HeadingNames {
    level: u8,
    /// The text with the labels of links.
    title: String,
    text: String,
    /// The address on GitHub.
    slug: String,
    /// Offset in the note.
    at: usize,
}

#[derive(Clone, Debug)]
struct BlockTarget {
    /// In lower case.
    id: String,
    at: usize,
    /// The line that contains the id.
    line: String,
}

/// A heading, block or HTML tag by its index in the note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PartTarget {
    Heading(usize),
    Block(usize),
    Html(usize),
}

impl PartTarget {
    /// Returns the index among the targets of its type.
    pub fn number(self) -> usize {
        let (Self::Heading(number) | Self::Block(number) | Self::Html(number)) = self;
        number
    }

    /// Returns the target of the same type with this index.
    #[must_use]
    pub fn with_number(self, number: usize) -> Self {
        match self {
            Self::Heading(_) => Self::Heading(number),
            Self::Block(_) => Self::Block(number),
            Self::Html(_) => Self::Html(number),
        }
    }
}

/// The meaning of a fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartMeaning {
    pub target: PartTarget,
    /// The headings that a path names, the target last; none for other forms.
    pub steps: Vec<usize>,
}

/// Identifies a heading before and after a merge: the titles of the headings above it and its own,
/// without titles and headings of merges, and its number among headings with the same titles.
pub type HeadingPlace = (Vec<String>, usize);

/// A link target that does not exist.
#[derive(Debug, PartialEq, Eq)]
pub enum MissingPart<'p> {
    Heading(&'p str),
    Block(&'p str),
}

impl Parts {
    pub fn of(note: &Note, text: &str) -> Self {
        let mut parts = Self::default();
        let mut slugs = Slugs::default();
        for (at, heading) in note.headings.iter().enumerate() {
            parts.add_heading(at, heading, text, &mut slugs);
        }
        parts.blocks = note
            .blocks
            .iter()
            .map(|id| BlockTarget::of(id, text))
            .collect();
        parts.html_ids.clone_from(&note.html_ids);
        let ids = note.html_ids.iter().enumerate();
        for (at, id) in ids {
            let is_first = |known: &PartTarget| parts.offset(*known) <= id.at;
            if !parts.anchors.get(&id.name).is_some_and(is_first) {
                parts.anchors.insert(id.name.clone(), PartTarget::Html(at));
            }
        }
        parts
    }

    fn add_heading(&mut self, at: usize, heading: &Heading, text: &str, slugs: &mut Slugs) {
        // The raw line includes the addresses of links.
        let line = text[heading.at..].lines().next().unwrap_or_default();
        let spellings = [heading.text.as_str(), line];
        if at == 0 {
            let is_underlined = !line.starts_with('#');
            self.first = if is_underlined {
                heading.text.clone()
            } else {
                sections::title(line)
            };
        }
        for (names, name) in [
            (&mut self.by_name, name_of_heading as fn(&str) -> String),
            (&mut self.by_key, letters_of),
        ] {
            for name in spellings.map(name) {
                let known = names.entry(name).or_default();
                if known.last() != Some(&at) {
                    known.push(at);
                }
            }
        }
        let slug = slugs.next(&anchor_of_heading(&heading.text));
        self.anchors.insert(slug.clone(), PartTarget::Heading(at));
        self.headings.push(HeadingNames {
            level: heading.level,
            title: without_links(&heading.text),
            text: heading.text.clone(),
            slug,
            at: heading.at,
        });
    }

    /// Returns the targets of a note with one of `titles` as its first heading, which a merge omits.
    #[must_use]
    pub fn with_titles(self, titles: &[&str]) -> Self {
        let level = self.headings.first().map(|first| first.level);
        let has_title = level == Some(1) && titles.contains(&self.first.as_str());
        Self { has_title, ..self }
    }

    /// Returns the meaning of the fragment `part` of a link.
    pub fn resolve<'p>(
        &self,
        kind: LinkKind,
        part: &'p str,
    ) -> Result<PartMeaning, MissingPart<'p>> {
        let alone = |target| PartMeaning {
            target,
            steps: Vec::new(),
        };
        if let Some(id) = block_id(part) {
            let wanted = id.to_ascii_lowercase();
            let at = self.blocks.iter().position(|block| block.id == wanted);
            let at = at.ok_or(MissingPart::Block(id))?;
            return Ok(alone(PartTarget::Block(at)));
        }
        let is_markdown = kind == LinkKind::Markdown;
        if let Some(target) = self.anchors.get(part).filter(|_| is_markdown) {
            return Ok(alone(*target));
        }
        if let Ok(path) = self.path(part, false) {
            return Ok(path);
        }
        let slug = self.anchors.get(&anchor_of_heading(part));
        if let Some(target @ PartTarget::Heading(_)) = slug.filter(|_| !part.contains('#')) {
            return Ok(alone(*target));
        }
        self.path(part, true)
    }

    /// Returns the meaning of the fragment of `link`; `None` without one.
    pub fn of_link(&self, link: &Link) -> Option<PartMeaning> {
        self.resolve(link.kind, link.part.as_deref()?).ok()
    }

    /// Whether the fragment `part` means `target`.
    pub fn is_meant(&self, kind: LinkKind, part: &str, target: PartTarget) -> bool {
        let found = self.resolve(kind, part);
        found.is_ok_and(|found| found.target == target)
    }

    fn path<'p>(&self, part: &'p str, by_key: bool) -> Result<PartMeaning, MissingPart<'p>> {
        let mut found: Vec<usize> = Vec::new();
        for step in steps(part) {
            let (from, above) = match found.last() {
                Some(at) => (at + 1, self.headings[*at].level),
                None => (0, 0),
            };
            let first = |names: &HashMap<String, Vec<usize>>, name: String| {
                let all = names.get(&name)?;
                let next = all.partition_point(|at| *at < from);
                let mut below = all[next..].iter().copied();
                below.find(|at| self.headings[*at].level > above)
            };
            let named = first(&self.by_name, name_of_heading(step));
            let named = named.or_else(|| first(&self.by_key, letters_of(step)).filter(|_| by_key));
            found.push(named.ok_or(MissingPart::Heading(step.trim()))?);
        }
        let target = found.last().ok_or(MissingPart::Heading(part))?;
        Ok(PartMeaning {
            target: PartTarget::Heading(*target),
            steps: found,
        })
    }

    /// Returns a fragment that means `target`; `None` if no form does so for certain.
    ///
    /// A path names `steps`, then as many headings above as it needs. Without steps the fragment is
    /// a slug.
    pub fn address(&self, kind: LinkKind, target: PartTarget, steps: &[usize]) -> Option<String> {
        let is_right = |part: &String| !part.is_empty() && self.is_meant(kind, part, target);
        let at = match target {
            PartTarget::Block(at) => {
                return Some(format!("^{}", self.blocks.get(at)?.id)).filter(is_right);
            }
            PartTarget::Html(at) => {
                return Some(self.html_ids.get(at)?.name.clone()).filter(is_right);
            }
            PartTarget::Heading(at) => at,
        };
        if steps.is_empty() && kind == LinkKind::Markdown {
            return Some(self.headings.get(at)?.slug.clone()).filter(is_right);
        }
        let name = |at: &usize| part_of_heading(&self.headings[*at].text);
        let named: Vec<String> = steps.iter().map(name).collect();
        let mut parts = vec![named.join("#"), name(&at)];
        let mut level = self.headings.get(at)?.level;
        for (above, heading) in self.headings[..at].iter().enumerate().rev() {
            if heading.level < level {
                level = heading.level;
                parts.push(format!("{}#{}", name(&above), parts.last()?));
            }
        }
        parts.into_iter().find(is_right)
    }

    /// Returns the fragment with which a link of the form of `part` means `target`, the same as
    /// `part` if possible. `step` maps the headings of `old`, a path, to those of this note.
    pub fn readdressed(
        &self,
        kind: LinkKind,
        part: &str,
        target: PartTarget,
        old: &PartMeaning,
        step: impl Fn(usize) -> Option<usize>,
    ) -> Option<String> {
        if self.is_meant(kind, part, target) {
            return Some(part.to_owned());
        }
        let mut steps: Vec<usize> = old.steps.iter().filter_map(|at| step(*at)).collect();
        if let (PartTarget::Heading(at), [_, ..], []) = (target, &old.steps[..], &steps[..]) {
            steps.push(at);
        }
        self.address(kind, target, &steps)
    }

    /// Returns all targets.
    pub fn targets(&self) -> impl Iterator<Item = PartTarget> {
        let headings = (0..self.headings.len()).map(PartTarget::Heading);
        let blocks = (0..self.blocks.len()).map(PartTarget::Block);
        let html = (0..self.html_ids.len()).map(PartTarget::Html);
        headings.chain(blocks).chain(html)
    }

    /// Returns the offset of a target in the note.
    pub fn offset(&self, target: PartTarget) -> usize {
        match target {
            PartTarget::Heading(at) => self.headings[at].at,
            PartTarget::Block(at) => self.blocks[at].at,
            PartTarget::Html(at) => self.html_ids[at].at,
        }
    }

    /// Returns the number of targets of the same type before `target` whose offsets satisfy `is_counted`.
    pub fn count_before(&self, target: PartTarget, is_counted: impl Fn(usize) -> bool) -> usize {
        let before = (0..target.number()).map(|number| self.offset(target.with_number(number)));
        before.filter(|at| is_counted(*at)).count()
    }

    /// Returns what identifies a target in another text: the text of a heading, the line of a block.
    pub fn name(&self, target: PartTarget) -> Option<&str> {
        match target {
            PartTarget::Heading(at) => self.headings.get(at).map(|heading| &*heading.title),
            PartTarget::Block(at) => self.blocks.get(at).map(|block| &*block.line),
            PartTarget::Html(at) => self.html_ids.get(at).map(|id| &*id.name),
        }
    }

    /// Returns the number of blocks with the id of `target`, or of HTML tags.
    pub fn count_of_id(&self, of: &Self, target: PartTarget) -> usize {
        match target {
            PartTarget::Heading(_) => 1,
            PartTarget::Block(at) => {
                let id = &of.blocks[at].id;
                self.blocks.iter().filter(|block| block.id == *id).count()
            }
            PartTarget::Html(at) => {
                let name = &of.html_ids[at].name;
                self.html_ids.iter().filter(|id| id.name == *name).count()
            }
        }
    }

    /// Returns the place of each heading; that of the title has no titles.
    pub fn places(&self) -> &[HeadingPlace] {
        self.places.get_or_init(|| self.read_places())
    }

    fn read_places(&self) -> Vec<HeadingPlace> {
        let mut counts: HashMap<Vec<String>, usize> = HashMap::new();
        let mut above: Vec<(usize, u8)> = Vec::new();
        let mut places = Vec::with_capacity(self.headings.len());
        for (at, heading) in self.headings.iter().enumerate() {
            above.retain(|(_, level)| *level < heading.level);
            above.push((at, heading.level));
            let is_counted = |&&(other, _): &&(usize, u8)| {
                let is_of_merge = self.headings[other].text.starts_with(MERGED_FROM);
                !(self.has_title && other == 0 || is_of_merge && other != at)
            };
            let counted = above.iter().filter(is_counted);
            let path: Vec<String> = counted
                .map(|(at, _)| self.headings[*at].title.clone())
                .collect();
            let count = counts.entry(path.clone()).or_default();
            places.push((path, *count));
            *count += 1;
        }
        places
    }

    /// Whether a fragment of `other` may mean another heading here: one with the same key occurs
    /// more often.
    pub fn repeats_headings_of(&self, other: &Self) -> bool {
        let mut keys = other.by_key.iter();
        keys.any(|(key, known)| {
            self.by_key
                .get(key)
                .is_some_and(|here| here.len() > known.len())
        })
    }
}

impl BlockTarget {
    fn of(id: &BlockId, text: &str) -> Self {
        let start = text[..id.span.start].rfind('\n').map_or(0, |at| at + 1);
        Self {
            id: id.id.to_ascii_lowercase(),
            at: id.span.start,
            line: text[start..id.span.end].to_owned(),
        }
    }
}

/// Numbers repeated slugs as GitHub does.
#[derive(Default)]
struct Slugs {
    counts: HashMap<String, usize>,
    taken: HashSet<String>,
}

impl Slugs {
    fn next(&mut self, slug: &str) -> String {
        let mut unique = slug.to_owned();
        while !self.taken.insert(unique.clone()) {
            let count = self.counts.entry(slug.to_owned()).or_default();
            *count += 1;
            unique = format!("{slug}-{count}");
        }
        unique
    }
}

/// Returns the headings of a part, from the top down.
fn steps(part: &str) -> impl Iterator<Item = &str> {
    part.split('#').filter(|step| !step.trim().is_empty())
}

/// Returns the block id that a part names.
fn block_id(part: &str) -> Option<&str> {
    let last = part.rsplit('#').next().unwrap_or(part);
    last.trim().strip_prefix('^')
}

/// Returns the name by which Obsidian compares headings: without case and most punctuation.
fn name_of_heading(text: &str) -> String {
    let folded = folded(text);
    let is_ignored = |c: char| c.is_whitespace() || "!\"#$%&()*+,.:;<=>?@^`{|}~/[]\\".contains(c);
    let words: Vec<&str> = folded
        .split(is_ignored)
        .filter(|word| !word.is_empty())
        .collect();
    if words.is_empty() {
        folded
    } else {
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::read;

    fn parts(text: &str) -> Parts {
        Parts::of(&read(text, "stem"), text)
    }

    #[test]
    fn fragments_mean_headings_and_blocks() {
        use LinkKind::{Markdown, Wiki};
        use PartTarget::{Block, Heading, Html};
        let tea = "# Tea & *water*: 80 °C\n\n## Usage\n\n### See [[Cup|cups]]\n\n## Usage\n\n\
                   ## [Cup](cup.md)\n\n## 日本茶\n\n## 🍵\n\nx ^Abc-1\n";
        let log =
            "# Ben\n\n## Log\n\n## Home\n\n### Log\n\n## Work\n\n### Log\n\n### Log\n\n## Log 7\n";
        let similar = "# Log\n\n# Log!\n\n# Log in\n\n# Login\n\n# log-1\n\n# LOG\n";
        let html = "<a id=\"log\"></a>\n\n# Log\n\n# Log\n\n`<a id=\"code\">`\n\n<a name='x'>y</a> <p id=log>\n";
        for (text, kind, part, expected) in [
            (tea, Wiki, "Tea & water: 80 °C", Some(Heading(0))),
            (tea, Wiki, "tea water 80 °C", Some(Heading(0))),
            (tea, Wiki, "tea--water-80-c", Some(Heading(0))),
            (tea, Markdown, "tea--water-80-c", Some(Heading(0))),
            (tea, Wiki, "Usage", Some(Heading(1))),
            (tea, Markdown, "usage-1", Some(Heading(3))),
            (tea, Wiki, "usage-1", Some(Heading(3))),
            (tea, Markdown, "usage-2", None),
            (tea, Wiki, "usage-7", None),
            (tea, Wiki, "usage1", None),
            (tea, Wiki, "See Cup cups", Some(Heading(2))),
            (tea, Wiki, "Cup cup.md", Some(Heading(4))),
            (tea, Wiki, "日本茶", Some(Heading(5))),
            (tea, Wiki, "🍵", Some(Heading(6))),
            (tea, Wiki, "🍵#Usage", None),
            (tea, Wiki, "^abc-1", Some(Block(0))),
            (tea, Markdown, "Usage#^Abc-1", Some(Block(0))),
            (tea, Wiki, "^abc", None),
            (log, Wiki, "Log", Some(Heading(1))),
            (log, Markdown, "log-2", Some(Heading(5))),
            (log, Markdown, "log-3", Some(Heading(6))),
            (log, Markdown, "log-4", None),
            (log, Markdown, "log-7", Some(Heading(7))),
            (log, Wiki, "Ben#Log", Some(Heading(1))),
            (log, Wiki, "Ben#Home#Log", Some(Heading(3))),
            (log, Wiki, "Work#Log", Some(Heading(5))),
            // The heading after it is not below it.
            (log, Wiki, "Log#Home", None),
            (log, Wiki, "^log", None),
            (similar, Wiki, "Log!", Some(Heading(0))),
            (similar, Markdown, "log-1", Some(Heading(1))),
            (similar, Wiki, "Log in", Some(Heading(2))),
            (similar, Wiki, "Login", Some(Heading(3))),
            (similar, Markdown, "login", Some(Heading(3))),
            (similar, Wiki, "log-1", Some(Heading(4))),
            (similar, Markdown, "log-1-1", Some(Heading(4))),
            (similar, Markdown, "log-2", Some(Heading(5))),
            (html, Markdown, "log", Some(Html(0))),
            (html, Wiki, "log", Some(Heading(0))),
            (html, Markdown, "log-1", Some(Heading(1))),
            (html, Markdown, "x", Some(Html(1))),
            (html, Wiki, "x", None),
            (html, Markdown, "code", None),
        ] {
            let parts = parts(text);
            let found = parts.resolve(kind, part).ok().map(|found| found.target);
            assert_eq!(found, expected, "{kind:?} {part} in {text:?}");
        }
    }

    /// By the rule of github-slugger: a number counts on until the slug is free.
    #[test]
    fn slugs_are_numbered_as_on_github() {
        for (headings, expected) in [
            (&["Log", "Log", "Log"][..], &["log", "log-1", "log-2"][..]),
            (&["Log", "log!", "LOG?"], &["log", "log-1", "log-2"]),
            (&["Log", "Log 1", "Log"], &["log", "log-1", "log-2"]),
            (&["Log", "Log", "Log 1"], &["log", "log-1", "log-1-1"]),
            (
                &["Step 1", "Step 1", "Step"],
                &["step-1", "step-1-1", "step"],
            ),
            (&["a_b - c", "Q&A", "Was?!"], &["a_b---c", "qa", "was"]),
            (&["日本 茶", "Größe", "x²"], &["日本-茶", "größe", "x"]),
            (&["🍵 Tea", "⚙\u{fe0f} Set"], &["-tea", "\u{fe0f}-set"]),
            (
                &["Caf\u{e9}", "Cafe\u{301}s"],
                &["caf\u{e9}", "cafe\u{301}s"],
            ),
        ] {
            let lines = headings.iter().map(|name| format!("# {name}\n\n"));
            let parts = parts(&lines.collect::<Vec<_>>().concat());
            let found: Vec<&str> = parts.headings.iter().map(|names| &*names.slug).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn every_heading_has_an_address_or_none() {
        let text =
            "# Ben\n\n## Log\n\n## Home\n\n### Log\n\n## Work\n\n### Log\n\n### Log\n\n## Log 7\n";
        let parts = parts(text).with_titles(&["Ben"]);
        for (at, path, slug) in [
            (0, Some("Ben"), "ben"),
            (1, Some("Log"), "log"),
            (3, Some("Home#Log"), "log-1"),
            (5, Some("Work#Log"), "log-2"),
            // Names cannot tell it from the heading before it.
            (6, None, "log-3"),
        ] {
            let target = PartTarget::Heading(at);
            let found = parts.address(LinkKind::Wiki, target, &[]);
            assert_eq!(found.as_deref(), path, "{at}");
            let found = parts.address(LinkKind::Markdown, target, &[]);
            assert_eq!(found.as_deref(), Some(slug), "{at}");
        }
        let long = parts.address(LinkKind::Wiki, PartTarget::Heading(3), &[0, 2, 3]);
        assert_eq!(long.as_deref(), Some("Ben#Home#Log"));
        let places = parts.places();
        let place = |at: usize| (places[at].0.join(">"), places[at].1);
        assert_eq!(place(0), (String::new(), 0));
        assert_eq!(place(3), ("Home>Log".to_owned(), 0));
        assert_eq!(place(6), ("Work>Log".to_owned(), 1));
    }
}
