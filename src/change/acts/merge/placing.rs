//! Where the text of one note goes in another.
//!
//! A block is left out only if the same block stands under the same headings of the keeper, as often.
//! Any other goes to the end of what stands under these headings; a heading that the keeper lacks goes
//! below the one above it that both have; all the rest goes below a heading of its own at the end, with
//! its headings, and definitions of labels behind everything. The title of a note and the heading of an
//! earlier merge are no headings in this sense.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use crate::note::labels;
use crate::note::sections::{self, Block, Kind, Section, Sections, Unclosed};

/// Under which text goes that has no place in the keeper.
const HEADING: &str = "Merged from ";

/// A body with what another one adds.
#[derive(Debug, PartialEq)]
pub(super) struct Placed {
    pub(super) body: String,
    /// The first lines of the blocks that stood there already.
    pub(super) known: Vec<String>,
}

/// Why no text can be put into a body.
#[derive(Debug, PartialEq)]
pub(super) enum Unplaceable {
    /// Something in the keeper has no end, or something in the other.
    InKeeper(Unclosed),
    InOther(Unclosed),
    /// What begins so would read otherwise than before.
    Torn(String),
}

/// Where something goes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// Into this section of the keeper.
    In(usize),
    /// With its heading below this section of the keeper.
    Below(usize),
    /// Behind all.
    Rest,
}

/// A heading of the other note, or a block below it.
struct Piece<'t> {
    place: Place,
    section: usize,
    block: Option<&'t Block>,
}

/// How often blocks stand under headings.
type Counts<'a> = HashMap<(Vec<&'a str>, &'a str), usize>;

/// Puts what `other`, the note at `path`, adds into `keeper`; the two are called `titles`.
pub(super) fn place(
    keeper: &str,
    other: &str,
    path: &str,
    titles: [&str; 2],
) -> Result<Placed, Unplaceable> {
    let other = labels::apart(keeper, other);
    let ours = Outline::of(keeper, titles);
    let theirs = Outline::of(&other, titles);
    let mut free = ours.counts();
    let mut known = Vec::new();
    let mut places = Vec::new();
    let mut pieces = Vec::new();
    for (section, own) in theirs.sections.all.iter().enumerate() {
        let place = theirs.home(section, &ours, &places);
        places.push(place);
        if theirs.is_headed(section) && !matches!(place, Place::In(_)) && !ours.repeats(own) {
            pieces.push(Piece {
                place,
                section,
                block: None,
            });
        }
        for block in &own.blocks {
            match free.get_mut(&theirs.key(section, block)) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    known.push(first_line(&block.text));
                }
                _ => pieces.push(Piece {
                    place,
                    section,
                    block: Some(block),
                }),
            }
        }
    }
    if pieces.is_empty() {
        let body = keeper.to_owned();
        return Ok(Placed { body, known });
    }
    let body = Placing {
        ours: &ours,
        theirs: &theirs,
        pieces,
    }
    .written(&format!("{HEADING}{path}"));
    if let Some(unclosed) = &ours.sections.unclosed {
        return Err(Unplaceable::InKeeper(unclosed.clone()));
    }
    if let Some(unclosed) = &theirs.sections.unclosed {
        return Err(Unplaceable::InOther(unclosed.clone()));
    }
    let read = Outline::of(&body, titles);
    let found = read.counts();
    for (key, count) in ours.counts().iter().chain(&theirs.counts()) {
        if found.get(key) < Some(count) {
            return Err(Unplaceable::Torn(first_line(key.1)));
        }
    }
    let lost = ours
        .paths
        .iter()
        .chain(&theirs.paths)
        .find(|path| !read.paths.contains(path));
    match lost.and_then(|path| path.last()) {
        Some(heading) => Err(Unplaceable::Torn(heading.clone())),
        None => Ok(Placed { body, known }),
    }
}

fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty());
    line.unwrap_or_default().trim().to_owned()
}

/// The sections of a body and the headings above each, its own included.
struct Outline<'t> {
    text: &'t str,
    sections: Sections,
    paths: Vec<Vec<String>>,
    titles: [&'t str; 2],
}

impl<'t> Outline<'t> {
    fn of(text: &'t str, titles: [&'t str; 2]) -> Self {
        let sections = sections::read(text);
        let mut paths: Vec<Vec<String>> = vec![Vec::new()];
        for (number, section) in sections.all.iter().enumerate().skip(1) {
            let mut path = paths[section.parent].clone();
            if !is_title(number, section, titles) && !section.title.starts_with(HEADING) {
                path.push(section.title.clone());
            }
            paths.push(path);
        }
        Self {
            text,
            sections,
            paths,
            titles,
        }
    }

    fn section(&self, number: usize) -> &Section {
        &self.sections.all[number]
    }

    /// Returns true if the heading is text of the note.
    fn is_headed(&self, number: usize) -> bool {
        number > 0 && !is_title(number, self.section(number), self.titles)
    }

    /// Returns true if it has the heading of this earlier merge already.
    fn repeats(&self, section: &Section) -> bool {
        let mut titles = self.sections.all.iter().map(|section| &section.title);
        section.title.starts_with(HEADING) && titles.any(|title| *title == section.title)
    }

    /// Returns what a block is known by: a definition holds wherever it stands.
    fn key<'k>(&'k self, section: usize, block: &'k Block) -> (Vec<&'k str>, &'k str) {
        let path = match block.kind {
            Kind::Definition => vec!["\n"],
            _ => self.paths[section].iter().map(String::as_str).collect(),
        };
        (path, &block.text)
    }

    fn counts(&self) -> Counts<'_> {
        let mut counts = Counts::new();
        for (number, section) in self.sections.all.iter().enumerate() {
            for block in &section.blocks {
                *counts.entry(self.key(number, block)).or_default() += 1;
            }
        }
        counts
    }

    /// Returns where a section goes in `keeper`, when those before it go to `places`.
    fn home(&self, number: usize, keeper: &Self, places: &[Place]) -> Place {
        let path = &self.paths[number];
        if path.is_empty() {
            return Place::Rest;
        }
        let parent = self.section(number).parent;
        match (
            keeper.paths.iter().position(|known| known == path),
            places[parent],
        ) {
            (Some(home), _) => Place::In(home),
            (None, Place::In(home)) if self.fits(number, keeper.section(home)) => {
                Place::Below(home)
            }
            (None, Place::Below(home)) => Place::Below(home),
            (None, Place::In(_) | Place::Rest) => Place::Rest,
        }
    }

    /// Returns true if the section with all below it has room below that `home` of its parent.
    fn fits(&self, number: usize, home: &Section) -> bool {
        let own = self.section(number).level;
        let below = self.sections.all[number + 1..].iter();
        let below = below.take_while(|section| section.level > own).count();
        let above = self.above(number).len();
        let deepest = (number..=number + below)
            .map(|number| self.above(number).len())
            .max();
        usize::from(home.level) + 1 + deepest.unwrap_or(above) - above <= 6
    }

    /// Returns the sections whose headings stand above a text of this one, from the top down.
    fn above(&self, number: usize) -> Vec<usize> {
        let up =
            |number: &usize| Some(self.section(*number).parent).filter(|parent| parent != number);
        let mut above: Vec<usize> = std::iter::successors(Some(number), up).collect();
        above.retain(|number| self.is_headed(*number));
        above.reverse();
        above
    }

    /// Returns behind which line the section ends; with `below`, behind all sections below it.
    fn end(&self, number: usize, below: bool) -> usize {
        let own = self.section(number);
        let rest = self.sections.all[number + 1..].iter();
        let rest = rest.take_while(|section| below && section.level > own.level);
        rest.last().map_or(own.end, |last| last.end)
    }
}

/// Whether the heading is the note's title: it stands above all others.
fn is_title(number: usize, section: &Section, titles: [&str; 2]) -> bool {
    number == 1 && section.level == 1 && titles.contains(&section.title.as_str())
}

/// What is put into the keeper.
struct Placing<'t> {
    ours: &'t Outline<'t>,
    theirs: &'t Outline<'t>,
    pieces: Vec<Piece<'t>>,
}

impl Placing<'_> {
    /// Returns the keeper with all pieces; those that have no place there are below `heading`.
    fn written(&self, heading: &str) -> String {
        let is_definition = |piece: &&Piece<'_>| {
            piece
                .block
                .is_some_and(|block| block.kind == Kind::Definition)
        };
        let (definitions, pieces): (Vec<&Piece<'_>>, Vec<&Piece<'_>>) =
            self.pieces.iter().partition(is_definition);
        let mut rest = Vec::new();
        // Where two meet, what belongs to the deeper section comes first.
        let mut placed: BTreeMap<(usize, Reverse<usize>, bool), Vec<&Piece<'_>>> = BTreeMap::new();
        for piece in pieces {
            let (home, below) = match piece.place {
                Place::In(home) => (home, false),
                Place::Below(home) => (home, true),
                Place::Rest => {
                    rest.push(piece);
                    continue;
                }
            };
            let at = (self.ours.end(home, below), Reverse(home), below);
            placed.entry(at).or_default().push(piece);
        }
        let keeper = self.ours.text;
        let mut writing = Writing {
            text: String::new(),
            last: None,
        };
        let mut from = 0;
        for ((at, Reverse(home), below), pieces) in placed {
            writing.text.push_str(&keeper[from..at]);
            from = at;
            let last = self.ours.section(home).blocks.last();
            writing.last = last
                .filter(|_| !below)
                .map(|block| Last::of(block, keeper, None));
            writing.end_line();
            for piece in pieces {
                self.write(piece, &mut writing);
            }
            if !keeper[from..].is_empty() && !keeper[from..].starts_with('\n') {
                writing.text.push('\n');
            }
        }
        writing.text.push_str(&keeper[from..]);
        writing.end_line();
        self.write_rest(&rest, heading, &mut writing);
        writing.last = None;
        for piece in definitions {
            self.write(piece, &mut writing);
        }
        writing.text
    }

    /// Writes a piece that has a place in the keeper, or a definition.
    fn write(&self, piece: &Piece<'_>, writing: &mut Writing) {
        let section = self.theirs.section(piece.section);
        match (piece.block, piece.place) {
            (Some(block), _) => writing.block(block, self.theirs.text),
            (None, Place::Below(home)) => {
                let above = self.theirs.above(piece.section);
                let is_new =
                    |number: &&usize| !self.ours.paths.contains(&self.theirs.paths[**number]);
                let depth = above.iter().rev().take_while(is_new).count() as u8;
                let level = self.ours.section(home).level + depth;
                writing.heading(level, &section.title);
            }
            (None, Place::In(_) | Place::Rest) => {}
        }
    }

    /// Writes what has no place in the keeper, below `heading` as far as there is room for its headings.
    fn write_rest(&self, rest: &[&Piece<'_>], heading: &str, writing: &mut Writing) {
        if rest.is_empty() {
            return;
        }
        // Above all that the keeper has headings for, but its title.
        let keeper = self.ours;
        let is_top = |number: usize| keeper.is_headed(number) && keeper.section(number).level == 1;
        let top = if (0..keeper.paths.len()).any(is_top) {
            1
        } else {
            2
        };
        writing.heading(top, heading);
        let headings = rest.iter().map(|piece| self.theirs.above(piece.section));
        let headings: Vec<Vec<usize>> = headings.collect();
        let levels = || {
            headings
                .iter()
                .flatten()
                .map(|number| self.theirs.section(*number).level)
        };
        let (highest, deepest) = (levels().min().unwrap_or(6), levels().max().unwrap_or(6));
        let down = (top + 1).saturating_sub(highest).min(6 - deepest);
        let mut written: Vec<usize> = Vec::new();
        // What stands below no heading stays so.
        let all = || rest.iter().zip(&headings);
        let first = all().filter(|(_, above)| above.is_empty());
        for (piece, above) in first.chain(all().filter(|(_, above)| !above.is_empty())) {
            let same = written
                .iter()
                .zip(above)
                .take_while(|(a, b)| a == b)
                .count();
            for number in &above[same..] {
                let section = self.theirs.section(*number);
                writing.heading(section.level + down, &section.title);
            }
            written.clone_from(above);
            if let Some(block) = piece.block {
                writing.block(block, self.theirs.text);
            }
        }
    }
}

/// A text that grows by whole lines.
struct Writing {
    text: String,
    /// The block that was written last, unless a heading was.
    last: Option<Last>,
}

struct Last {
    kind: Kind,
    /// What its lines begin with.
    mark: Option<char>,
    /// Where it ends in the note that text moves from.
    end: Option<usize>,
}

impl Last {
    fn of(block: &Block, text: &str, end: Option<usize>) -> Self {
        Self {
            kind: block.kind,
            mark: text[block.span.clone()].trim_start().chars().next(),
            end,
        }
    }
}

impl Writing {
    fn end_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn heading(&mut self, level: u8, title: &str) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
        self.text
            .extend(["#".repeat(level.into()).as_str(), " ", title]);
        // Else it would be taken for the end of the heading's mark.
        self.text
            .push_str(if title.ends_with('#') { " #\n" } else { "\n" });
        self.last = None;
    }

    /// Writes a block of `source` so that it stays apart from what stands before it.
    fn block(&mut self, block: &Block, source: &str) {
        let lines = &source[block.span.clone()];
        let new = Last::of(block, source, Some(block.span.end));
        let between = self
            .last
            .as_ref()
            .and_then(|last| source.get(last.end?..block.span.start));
        let is_address =
            |line: &str| line.starts_with('[') && !line.starts_with("[^") && line.contains("]:");
        let gap = match &self.last {
            _ if is_address(lines) && self.text.lines().last().is_some_and(is_address) => "",
            Some(_) if between.is_some_and(|between| between.trim().is_empty()) => {
                let lines = between.unwrap_or_default().matches('\n').count();
                if lines > 1 { "\n" } else { "" }
            }
            // Indented, or counted on, it would belong to the list before it.
            Some(last)
                if last.kind != Kind::Paragraph && lines.starts_with([' ', '\t'])
                    || last.kind == Kind::Ordered && block.kind == Kind::Ordered =>
            {
                "\n<!-- -->\n\n"
            }
            Some(last)
                if last.kind == block.kind && last.mark == new.mark && block.kind == Kind::Item =>
            {
                ""
            }
            _ if self.text.is_empty() || self.text.ends_with("\n\n") => "",
            _ => "\n",
        };
        self.text.extend([gap, lines, "\n"]);
        self.last = Some(new);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn placed(keeper: &str, other: &str) -> Result<Placed, Unplaceable> {
        place(keeper, other, "b.md", ["Key", "Other"])
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table")]
    fn text_goes_where_it_belongs() {
        for (name, keeper, other, expected) in [
            ("nothing new", "a b\n\nc\n", "a\nb  \n\nc", "a b\n\nc\n"),
            (
                "a paragraph",
                "a\n",
                "a\n\nb\n",
                "a\n\n## Merged from b.md\n\nb\n",
            ),
            (
                "into an empty note",
                "",
                "b\n",
                "## Merged from b.md\n\nb\n",
            ),
            (
                "no last line ending",
                "a",
                "b",
                "a\n\n## Merged from b.md\n\nb\n",
            ),
            (
                "a part is not the whole",
                "a b c\n",
                "b c\n",
                "a b c\n\n## Merged from b.md\n\nb c\n",
            ),
            (
                "the same tasks under another heading",
                "## House\n\n- paint\n- sweep\n",
                "## House\n\n- paint\n- sweep\n\n## Shed\n\n- paint\n- sweep\n",
                "## House\n\n- paint\n- sweep\n\n## Merged from b.md\n\n### Shed\n\n- paint\n- sweep\n",
            ),
            (
                "an empty heading",
                "a\n",
                "## B\n",
                "a\n\n## Merged from b.md\n\n### B\n",
            ),
            (
                "under a heading of both",
                "# Key\n\n## House\n\n- paint\n\n## Garden\n\nx\n",
                "# Other\n\n## House\n- paint\n- sweep\n",
                "# Key\n\n## House\n\n- paint\n- sweep\n\n## Garden\n\nx\n",
            ),
            (
                "a heading below one of both",
                "## House\na\n### Roof\nb\n## Garden\n",
                "# House\na\n## Cellar\nc\n### Wine\nd\n",
                "## House\na\n### Roof\nb\n\n### Cellar\n\nc\n\n#### Wine\n\nd\n\n## Garden\n",
            ),
            (
                "no room below",
                "###### House\na\n",
                "# House\n## Cellar\nc\n",
                "###### House\na\n\n## Merged from b.md\n\n### House\n\n#### Cellar\n\nc\n",
            ),
            (
                "headings as deep as there are",
                "a\n",
                "## B\n###### C\nc\n",
                "a\n\n## Merged from b.md\n\n## B\n\n###### C\n\nc\n",
            ),
            (
                "nested under another item",
                "- a\n  - x\n- b\n",
                "- a\n- b\n  - x\n",
                "- a\n  - x\n- b\n\n## Merged from b.md\n\n- a\n- b\n  - x\n",
            ),
            (
                "as often",
                "- a\n",
                "- a\n- a\n",
                "- a\n\n## Merged from b.md\n\n- a\n",
            ),
            (
                "steps",
                "1. a\n2. b\n",
                "1. b\n2. a\n",
                "1. a\n2. b\n\n## Merged from b.md\n\n1. b\n2. a\n",
            ),
            (
                "two lists of steps",
                "## A\n1. a\n",
                "## A\n1. b\n",
                "## A\n1. a\n\n<!-- -->\n\n1. b\n",
            ),
            (
                "an indented list",
                "## A\n- a\n",
                "## A\n  - b\n",
                "## A\n- a\n\n<!-- -->\n\n  - b\n",
            ),
            (
                "code behind an item",
                "## A\n- a\n",
                "## A\n- a\n\nx\n\n    b\n",
                "## A\n- a\n\nx\n\n    b\n",
            ),
            (
                "what stood between stays",
                "## A\n- a\n\nx\n",
                "## A\n- c\n\nx\n\n    b\n",
                "## A\n- a\n\nx\n\n- c\n\n<!-- -->\n\n    b\n",
            ),
            (
                "code in another order",
                "```\na\nb\n```\n",
                "```\nb\na\n```\n",
                "```\na\nb\n```\n\n## Merged from b.md\n\n```\nb\na\n```\n",
            ),
            (
                "a table",
                "a | b\n--|--\n1 | 2\n",
                "a | b\n--|--\n1 | 2\n1 | 2\n",
                "a | b\n--|--\n1 | 2\n\n## Merged from b.md\n\na | b\n--|--\n1 | 2\n1 | 2\n",
            ),
            (
                "a comment",
                "%%\na\n\nb\n%%\n",
                "%%\na\n\nc\n%%\n",
                "%%\na\n\nb\n%%\n\n## Merged from b.md\n\n%%\na\n\nc\n%%\n",
            ),
            (
                "a callout",
                "> [!note] a\n> b\n",
                "> [!note] a\n> c\n",
                "> [!note] a\n> b\n\n## Merged from b.md\n\n> [!note] a\n> c\n",
            ),
            (
                "a rule above setext",
                "A\n=\nx\n",
                "A\n=\nx\n\ny\n",
                "A\n=\nx\n\ny\n",
            ),
            (
                "a heading of marks",
                "a\n",
                "## C \\#\nb\n",
                "a\n\n## Merged from b.md\n\n### C \\# #\n\nb\n",
            ),
            (
                "footnotes",
                "a[^1]\n\n[^1]: x\n",
                "b[^1]\n\n[^1]: y\n",
                "a[^1]\n\n[^1]: x\n\n## Merged from b.md\n\nb[^1-2]\n\n[^1-2]: y\n",
            ),
            (
                "addresses",
                "a [s]\n\n[s]: x\n",
                "a [s]\n\n[s]: x\n[t]: y\n",
                "a [s]\n\n[s]: x\n[t]: y\n",
            ),
            (
                "an earlier merge",
                "a\n\n## Merged from c.md\n\n### C\n\nc\n",
                "a\n\n# C\nc\nd\n\n# D\n",
                "a\n\n## Merged from c.md\n\n### C\n\nc\n\nc\nd\n\n## Merged from b.md\n\n### D\n",
            ),
        ] {
            let found = placed(keeper, other).map(|placed| placed.body);
            assert_eq!(found.as_deref(), Ok(expected), "{name}");
        }
    }

    #[test]
    fn what_is_left_out_is_told() {
        let placed = placed("## A\n\n- a\n  - b\n\nc\n", "## A\n\n- a\n  - b\n- d\n").unwrap();
        assert_eq!(placed.known, ["- a"]);
    }

    #[test]
    fn what_has_no_end_is_not_merged() {
        for (keeper, other, expected) in [
            ("```\na\n", "b\n", "keeper ``` 1"),
            ("a\n", "b %%\n", "other %% 1"),
            ("a %%\n", "a %%\n", "known"),
        ] {
            let found = match placed(keeper, other) {
                Ok(_) => "known".to_owned(),
                Err(Unplaceable::InKeeper(at)) => format!("keeper {} {}", at.what, at.line),
                Err(Unplaceable::InOther(at)) => format!("other {} {}", at.what, at.line),
                Err(Unplaceable::Torn(line)) => line,
            };
            assert_eq!(found, expected, "{keeper:?} {other:?}");
        }
    }

    /// Blocks of every kind, some of which mean something else beside others.
    fn body(said: &'static str) -> impl Strategy<Value = String> {
        let block = prop::sample::select(vec![
            "a",
            "b c",
            "b\nc",
            "# Key",
            "# Top",
            "## A",
            "## B",
            "### A",
            "#### D",
            "- x",
            "- x\n  - y",
            "- z\n  - y",
            "  - x",
            "* x",
            "1. x",
            "1. x\n2. y",
            "> q",
            "> [!note]\n> q",
            "```\nx\ny\n```",
            "```\ny\nx\n```",
            "    code",
            "%%\na\n\n- x\n%%",
            "<!--\n# a\n\n-->",
            "$$\nx\n\ny\n$$",
            "<details>\n\n## A\n\n</details>",
            "Set\n---",
            "Set\n===",
            "|x|\n|-|\n|y|",
            "x|z\n-|-\n1|2",
            "[^1]: said",
            "n[^1]",
            "[s]: said",
            "[t][s]",
            "[s]",
            "^id",
            "- x ^id",
            "---",
            "b [[c|d]]",
            "## Merged from c.md",
            "\\[s]",
        ]);
        let gap = prop::sample::select(vec!["\n\n", "\n\n\n"]);
        let blocks = prop::collection::vec((block, gap), 0..10);
        blocks.prop_map(|blocks| {
            blocks
                .into_iter()
                .flat_map(|(block, gap)| [block, gap])
                .collect::<String>()
                .replace("said", said)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn nothing_is_missing_and_merging_again_adds_nothing(keeper in body("n"), other in body("m")) {
            if let Ok(Placed { body, .. }) = placed(&keeper, &other) {
                let sources = [keeper.as_str(), other.as_str()];
                let missing = super::super::account::missing_text(&sources, &["Key", "Other"], &body);
                prop_assert_eq!(missing, None, "{}", body);
                let again = placed(&body, &labels::apart(&keeper, &other));
                prop_assert_eq!(again.map(|placed| placed.body), Ok(body));
            }
        }
    }
}
