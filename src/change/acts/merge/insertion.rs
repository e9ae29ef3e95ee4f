//! Inserts the text of one note into another.
//!
//! A block is omitted if the keeper has it under the same headings, as often, or has a paragraph
//! there that contains it ([`paragraphs`]). A paragraph that contains one of the keeper's replaces
//! it. Other blocks go to the end of the section with their headings. A heading that the keeper
//! lacks goes below its parent heading if both notes have that. The rest goes, with its headings,
//! below a new heading at the end. Link definitions come last.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use super::outline::MergeOutline;
use super::paragraphs;
use super::writing::{BlockWriter, LastBlock};
use crate::note::BlockKind;
use crate::note::markdown::labels;
use crate::note::markdown::loss_check::MERGED_FROM;
use crate::note::markdown::sections::{Block, Section, UnclosedConstruct};

/// A body with the blocks inserted from another one.
#[derive(Debug, PartialEq)]
pub(super) struct MergedBody {
    pub(super) body: String,
    /// The first lines of the omitted blocks.
    pub(super) omitted: Vec<String>,
}

/// The reason why text cannot be inserted into a body.
#[derive(Debug, PartialEq)]
pub(super) enum InsertError {
    /// The keeper, or the other note, contains an unclosed construct.
    InKeeper(UnclosedConstruct),
    InOther(UnclosedConstruct),
    /// The block with this first line would be parsed differently than before.
    Torn(String),
}

/// The destination of a piece.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Destination {
    /// Into this section of the keeper.
    In(usize),
    /// With its heading below this section of the keeper.
    Below(usize),
    /// At the end.
    Rest,
}

/// A heading of the other note, or a block below one.
struct Piece<'t> {
    target: Destination,
    section: usize,
    block: Option<&'t Block>,
}

/// Inserts into `keeper` what `other`, the note at `path`, adds; `titles` are the titles of the
/// two.
pub(super) fn insert(
    keeper: &str,
    other: &str,
    path: &str,
    titles: [&str; 2],
) -> Result<MergedBody, InsertError> {
    let other = labels::with_distinct_labels(keeper, other);
    let before = MergeOutline::of(keeper, titles);
    let theirs = MergeOutline::numbered_like(&other, titles, &before);
    let replaced = paragraphs::with_longer_paragraphs(&before, &theirs);
    let grown = replaced.as_deref().unwrap_or(keeper);
    let ours = MergeOutline::of(grown, titles);
    let theirs = MergeOutline::numbered_like(&other, titles, &ours);
    let (pieces, omitted) = pieces(&ours, &theirs);
    if pieces.is_empty() && grown == keeper {
        let body = keeper.to_owned();
        return Ok(MergedBody { body, omitted });
    }
    let body = Insertion {
        ours: &ours,
        theirs: &theirs,
        pieces,
    }
    .render(&format!("{MERGED_FROM}{path}"));
    if let Some(unclosed) = &ours.sections.unclosed {
        return Err(InsertError::InKeeper(unclosed.clone()));
    }
    if let Some(unclosed) = &theirs.sections.unclosed {
        return Err(InsertError::InOther(unclosed.clone()));
    }
    match reparsed_block(&ours, &theirs, &MergeOutline::of(&body, titles)) {
        Some(line) => Err(InsertError::Torn(line)),
        None => Ok(MergedBody { body, omitted }),
    }
}

/// Returns the headings and blocks of `theirs` missing from `ours`, and the first lines of the
/// others.
fn pieces<'t>(
    ours: &MergeOutline<'_>,
    theirs: &'t MergeOutline<'_>,
) -> (Vec<Piece<'t>>, Vec<String>) {
    let said = paragraphs::contained_paragraphs(ours, theirs);
    let mut free = ours.counts();
    let mut omitted = Vec::new();
    let mut targets = Vec::new();
    let mut pieces = Vec::new();
    for (section, own) in theirs.sections.all.iter().enumerate() {
        let target = target(theirs, section, ours, &targets);
        targets.push(target);
        if theirs.has_heading(section)
            && !matches!(target, Destination::In(_))
            && !ours.has_merge_heading(own)
        {
            pieces.push(Piece {
                target,
                section,
                block: None,
            });
        }
        for block in &own.blocks {
            match free.get_mut(&theirs.key(section, block)) {
                Some(count @ 1..) => {
                    *count -= 1;
                    omitted.push(first_line(&block.text));
                }
                _ if said.contains(&block.span.start) => omitted.push(first_line(&block.text)),
                _ => pieces.push(Piece {
                    target,
                    section,
                    block: Some(block),
                }),
            }
        }
    }
    (pieces, omitted)
}

/// Returns the destination in `ours` of a section of `theirs`, given those of earlier sections.
fn target(
    theirs: &MergeOutline<'_>,
    number: usize,
    ours: &MergeOutline<'_>,
    targets: &[Destination],
) -> Destination {
    let path = &theirs.paths[number];
    if path.is_empty() {
        return Destination::Rest;
    }
    match (
        ours.section_at(path),
        targets[theirs.section(number).parent],
    ) {
        (Some(home), _) => Destination::In(home),
        (None, Destination::In(home)) if has_room(theirs, number, ours.section(home)) => {
            Destination::Below(home)
        }
        (None, Destination::Below(home)) => Destination::Below(home),
        (None, Destination::In(_) | Destination::Rest) => Destination::Rest,
    }
}

/// Whether the section with its subsections fits below `home` with at most six heading levels.
fn has_room(theirs: &MergeOutline<'_>, number: usize, home: &Section) -> bool {
    let own = theirs.section(number).level;
    let below = theirs.sections.all[number + 1..]
        .iter()
        .take_while(|section| section.level > own)
        .count();
    let above = theirs.above(number).len();
    let deepest = (number..=number + below)
        .map(|number| theirs.above(number).len())
        .max();
    usize::from(home.level) + 1 + deepest.unwrap_or(above) - above <= 6
}

/// Returns a heading or block of the two that `result` has less often under the same headings.
fn reparsed_block(
    ours: &MergeOutline<'_>,
    theirs: &MergeOutline<'_>,
    result: &MergeOutline<'_>,
) -> Option<String> {
    let said = paragraphs::contained_paragraphs(ours, theirs);
    let found = result.totals(&HashSet::new());
    let totals = [ours.totals(&HashSet::new()), theirs.totals(&said)];
    let lost = totals
        .iter()
        .flatten()
        .find(|(key, count)| found.get(*key) < Some(*count));
    let ((headings, text), _) = lost?;
    Some(if text.is_empty() {
        (*headings.last()?).to_owned()
    } else {
        first_line(text)
    })
}

fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty());
    line.unwrap_or_default().trim().to_owned()
}

/// The pieces to insert into the keeper.
struct Insertion<'t> {
    ours: &'t MergeOutline<'t>,
    theirs: &'t MergeOutline<'t>,
    pieces: Vec<Piece<'t>>,
}

impl Insertion<'_> {
    /// Returns the keeper with all pieces; those without a place there go below `heading`.
    fn render(&self, heading: &str) -> String {
        let is_definition = |piece: &&Piece<'_>| {
            piece
                .block
                .is_some_and(|block| block.kind == BlockKind::Definition)
        };
        let (definitions, pieces): (Vec<&Piece<'_>>, Vec<&Piece<'_>>) =
            self.pieces.iter().partition(is_definition);
        let mut rest = Vec::new();
        // At equal positions, pieces of the deeper section come first.
        let mut placed: BTreeMap<(usize, Reverse<usize>, bool), Vec<&Piece<'_>>> = BTreeMap::new();
        for piece in pieces {
            let (home, below) = match piece.target {
                Destination::In(home) => (home, false),
                Destination::Below(home) => (home, true),
                Destination::Rest => {
                    rest.push(piece);
                    continue;
                }
            };
            let at = (self.ours.end(home, below), Reverse(home), below);
            placed.entry(at).or_default().push(piece);
        }
        let keeper = self.ours.text;
        let mut writing = BlockWriter {
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
                .map(|block| LastBlock::of(block, keeper, None));
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
    fn write(&self, piece: &Piece<'_>, writing: &mut BlockWriter) {
        let section = self.theirs.section(piece.section);
        match (piece.block, piece.target) {
            (Some(block), _) => writing.block(block, self.theirs.text),
            (None, Destination::Below(home)) => {
                let above = self.theirs.above(piece.section);
                let is_new =
                    |number: &&usize| !self.ours.paths.contains(&self.theirs.paths[**number]);
                let depth = above.iter().rev().take_while(is_new).count() as u8;
                let level = self.ours.section(home).level + depth;
                writing.heading(level, &section.title);
            }
            (None, Destination::In(_) | Destination::Rest) => {}
        }
    }

    /// Writes the remaining pieces below `heading`, keeping their heading levels as far as
    /// possible.
    fn write_rest(&self, rest: &[&Piece<'_>], heading: &str, writing: &mut BlockWriter) {
        if rest.is_empty() {
            return;
        }
        // Above all levels of the keeper's headings except its title.
        let keeper = self.ours;
        let is_top =
            |number: usize| keeper.has_heading(number) && keeper.section(number).level == 1;
        let top = if (0..keeper.paths.len()).any(is_top) {
            1
        } else {
            2
        };
        writing.heading(top, heading);
        let headings: Vec<Vec<usize>> = rest
            .iter()
            .map(|piece| self.theirs.above(piece.section))
            .collect();
        let levels = || {
            headings
                .iter()
                .flatten()
                .map(|number| self.theirs.section(*number).level)
        };
        let (highest, deepest) = (levels().min().unwrap_or(6), levels().max().unwrap_or(6));
        let down = (top + 1).saturating_sub(highest).min(6 - deepest);
        let mut written: Vec<usize> = Vec::new();
        // Text without a heading stays without one.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn inserted(keeper: &str, other: &str) -> Result<MergedBody, InsertError> {
        insert(keeper, other, "b.md", ["Key", "Other"])
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table")]
    fn blocks_are_inserted_below_their_headings() {
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
                "x b c\n",
                "b c\n",
                "x b c\n\n## Merged from b.md\n\nb c\n",
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
                "a heading twice, the same below",
                "## A\n\n- x\n",
                "## A\n\n- x\n\n## A\n\n- x\n",
                "## A\n\n- x\n\n## Merged from b.md\n\n### A\n\n- x\n",
            ),
            (
                "the second of a name",
                "## A\n\na\n\n## A\n\nb\n",
                "## A\n\nb\n\nc\n",
                "## A\n\na\n\n## A\n\nb\n\nc\n",
            ),
            (
                "of two with a name in another order",
                "## A\n\nx\n\n## B\n\na\n\n### B\n\nc\n\n## B\n\nb\n",
                "## B\n\nb\n\n## B\n\na\n\nd\n",
                "## A\n\nx\n\n## B\n\na\n\nd\n\n### B\n\nc\n\n## B\n\nb\n",
            ),
            (
                "blanks in code",
                "```\na\n```\n",
                "```\na  \n```\n",
                "```\na\n```\n\n## Merged from b.md\n\n```\na  \n```\n",
            ),
            (
                "a line that breaks",
                "## A\na\nb\n",
                "## A\na  \nb\n",
                "## A\na\nb\n\na  \nb\n",
            ),
            (
                "a longer paragraph",
                "x\n\na b.\n\n- y\n",
                "a b. More.\n\n- z\n",
                "x\n\na b. More.\n\n- y\n\n## Merged from b.md\n\n- z\n",
            ),
            (
                "a shorter paragraph",
                "a b. More.\n",
                "a\nb\n",
                "a b. More.\n",
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
            let found = inserted(keeper, other).map(|placed| placed.body);
            assert_eq!(found.as_deref(), Ok(expected), "{name}");
        }
    }

    #[test]
    fn omitted_blocks_are_reported() {
        let placed = inserted("## A\n\n- a\n  - b\n\nc\n", "## A\n\n- a\n  - b\n- d\n").unwrap();
        assert_eq!(placed.omitted, ["- a"]);
    }

    #[test]
    fn unclosed_constructs_are_not_merged() {
        for (keeper, other, expected) in [
            ("```\na\n", "b\n", "keeper ``` 1"),
            ("a\n", "b %%\n", "other %% 1"),
            ("a %%\n", "a %%\n", "known"),
        ] {
            let found = match inserted(keeper, other) {
                Ok(_) => "known".to_owned(),
                Err(InsertError::InKeeper(at)) => format!("keeper {} {}", at.what, at.line),
                Err(InsertError::InOther(at)) => format!("other {} {}", at.what, at.line),
                Err(InsertError::Torn(line)) => line,
            };
            assert_eq!(found, expected, "{keeper:?} {other:?}");
        }
    }

    /// Blocks of every kind, including ones that change their meaning next to others.
    fn body(said: &'static str) -> impl Strategy<Value = String> {
        let block = prop::sample::select(vec![
            "a",
            "a. b c.",
            "a. d. b c. e.",
            "b c",
            "b\nc",
            "b  \nc",
            "b\\\nc",
            "- x  \n  y",
            "```\nx \ny\n```",
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
        fn merging_loses_nothing_and_is_idempotent(keeper in body("n"), other in body("m")) {
            if let Ok(MergedBody { body, .. }) = inserted(&keeper, &other) {
                let sources = [keeper.as_str(), other.as_str()];
                let missing = crate::note::markdown::loss_check::missing_text(&sources, &["Key", "Other"], &body);
                prop_assert_eq!(missing, None, "{}", body);
                // A second section with an equal title may be inserted at the first one.
                let sections = crate::note::markdown::sections::read(&other).all;
                let titles: BTreeSet<&str> = sections.iter().map(|of| of.title.as_str()).collect();
                if titles.len() == sections.len() {
                    let again = inserted(&body, &labels::with_distinct_labels(&keeper, &other));
                    prop_assert_eq!(again.map(|placed| placed.body), Ok(body));
                }
            }
        }
    }
}
