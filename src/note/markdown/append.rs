//! Finds where to add a text to a note, and with which blank lines. All other bytes stay the same.

use std::collections::HashMap;
use std::ops::Range;

use super::body::{BodyOutline, Heading};
use super::document::{self, Document};
use super::listing;
use super::sections;
use crate::note::edit::Edit;
use crate::note::front_matter::split::{line_end, line_start, split};
use crate::note::without_links;

/// A text to insert and its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Addition {
    pub at: usize,
    pub text: String,
    /// The heading line created for it, if any.
    pub heading: Option<String>,
}

impl Addition {
    pub fn edit(&self) -> Edit {
        Edit::Replace {
            span: self.at..self.at,
            was: String::new(),
            text: self.text.clone(),
        }
    }
}

/// Why a text cannot be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdditionError {
    /// Several headings match; these are their lines.
    Ambiguous(Vec<usize>),
    /// The insertion point is inside this construct, which begins at `line` and never ends.
    Unclosed { what: String, line: usize },
    /// The text opens this construct and never closes it, so it would swallow the text below.
    Open { what: String },
    /// The requested heading is not a valid heading.
    NoHeading,
}

/// Level of a new heading if none is given.
const DEFAULT_LEVEL: usize = 2;

/// Returns where to insert `added`: at the end of `text`, or of the section `under`, before its subsections.
///
/// `## Log` matches only headings of that level. A missing heading is created at the end.
pub fn addition(text: &str, added: &str, under: Option<&str>) -> Result<Addition, AdditionError> {
    let body = split(text).body;
    let Some(wanted) = under else {
        return place_at_end(text, body, added, None);
    };
    let (headings, found) = headings(text, wanted)?;
    match found[..] {
        [] => {
            let (level, name) = level_and_name(wanted)?;
            let level = if level == 0 { DEFAULT_LEVEL } else { level };
            let heading = format!("{} {name}", "#".repeat(level));
            place_at_end(text, body, added, Some(heading))
        }
        [at] => {
            let next = headings.get(at + 1);
            let end = next.map_or(text.len(), |next| line_start(text, next.at));
            place_at_end(text, headings[at].at..end, added, None)
        }
        _ => Err(ambiguous(text, &headings, &found)),
    }
}

/// Returns the span of the section including subsections, without trailing blank lines; `None` if the heading does
/// not exist.
pub fn section(text: &str, wanted: &str) -> Result<Option<Range<usize>>, AdditionError> {
    let (headings, found) = headings(text, wanted)?;
    match found[..] {
        [] => Ok(None),
        [at] => {
            let mut rest = headings[at + 1..].iter();
            let next = rest.find(|next| next.level <= headings[at].level);
            let end = next.map_or(text.len(), |next| line_start(text, next.at));
            let start = line_start(text, headings[at].at);
            let length = text[start..end].trim_end().len();
            Ok(Some(start..line_end(text, start + length).min(end)))
        }
        _ => Err(ambiguous(text, &headings, &found)),
    }
}

/// Returns the headings outside quotes and lists, and the indices of those that match `wanted`, in source or rendered
/// form.
fn headings(text: &str, wanted: &str) -> Result<(Vec<Heading>, Vec<usize>), AdditionError> {
    let (level, name) = level_and_name(wanted)?;
    let text = listing::blanked(text);
    let document = Document::of(&text, split(&text).body);
    let outermost: HashMap<usize, usize> = document
        .outermost()
        .filter(|node| matches!(node.kind, document::NodeKind::Heading(_)))
        .map(|node| (node.span.start, node.span.end))
        .collect();
    let mut headings = BodyOutline::of(&document).headings;
    headings.retain(|heading| outermost.contains_key(&heading.at));
    let is_wanted = |at: &usize| {
        let heading = &headings[*at];
        let written = &text[heading.at..outermost[&heading.at]];
        let has_name = is_same(&heading.text, name)
            || is_same(&without_links(&heading.text), name)
            || is_same(&sections::title(written), name);
        (level == 0 || usize::from(heading.level) == level) && has_name
    };
    let found = (0..headings.len()).filter(is_wanted).collect();
    Ok((headings, found))
}

/// Parses `## Log`; level 0 matches any level.
fn level_and_name(wanted: &str) -> Result<(usize, &str), AdditionError> {
    let name = wanted.trim().trim_start_matches('#');
    let level = wanted.trim().len() - name.len();
    let name = name.trim();
    if name.is_empty() || name.contains(['\n', '\r']) || level > 6 {
        return Err(AdditionError::NoHeading);
    }
    Ok((level, name))
}

fn ambiguous(text: &str, headings: &[Heading], found: &[usize]) -> AdditionError {
    let lines = found.iter().map(|at| line_number(text, headings[*at].at));
    AdditionError::Ambiguous(lines.collect())
}

fn is_same(a: &str, b: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let lower = text.to_lowercase();
        lower.split_whitespace().map(str::to_owned).collect()
    };
    words(a) == words(b)
}

/// Places `added` after the last non-blank line of `text[region]`.
fn place_at_end(
    text: &str,
    region: Range<usize>,
    added: &str,
    heading: Option<String>,
) -> Result<Addition, AdditionError> {
    let ending = split(text).ending;
    let added = added.trim_matches(['\n', '\r']).trim_end();
    let mut block = match &heading {
        Some(heading) => format!("{heading}\n\n{added}"),
        None => added.to_owned(),
    };
    block = block.replace("\r\n", "\n").replace('\n', ending);
    let existing = text[region.clone()].trim_end();
    let last = region.start + existing.len();
    let mut at = line_end(text, last).min(region.end);
    if let Some(unclosed) = unclosed(text, at) {
        return Err(unclosed);
    }
    let mut new = String::new();
    // `edit` completes the last line of the front matter.
    if at > region.start && !text[..at].ends_with('\n') {
        new.push_str(ending);
    }
    let is_joined = heading.is_none() && continues(existing, added);
    if !existing.trim().is_empty() && !is_joined {
        // Reuses an existing blank line.
        let next = line_end(text, at);
        if next > at && next <= region.end && text[at..next].trim().is_empty() {
            at = next;
            if !text[..at].ends_with('\n') {
                new.push_str(ending);
            }
        } else {
            new.push_str(ending);
        }
    }
    new.push_str(&block);
    let rest = &text[at..];
    if !rest.is_empty() {
        new.push_str(ending);
        let next = rest.lines().next().unwrap_or_default();
        // Another section follows.
        if !next.trim().is_empty() {
            new.push_str(ending);
        }
    } else if text.is_empty() || text.ends_with('\n') {
        new.push_str(ending);
    }
    let above = format!("{}{new}", &text[..at]);
    if !rest.trim().is_empty()
        && let Some(AdditionError::Unclosed { what, .. }) = unclosed(&above, above.len())
    {
        return Err(AdditionError::Open { what });
    }
    Ok(Addition {
        at,
        text: new,
        heading,
    })
}

/// Whether `added` continues the list or table at the end of `existing`.
fn continues(existing: &str, added: &str) -> bool {
    let first = added.lines().next().unwrap_or_default();
    let mut lines = existing.lines().rev();
    let last = lines.find(|line| line.trim().is_empty() || !line.starts_with([' ', '\t']));
    let (Some(last), Some(kind)) = (last, list_kind(first)) else {
        return false;
    };
    self::list_kind(last) == Some(kind)
}

/// The type of list or table that a line belongs to.
#[derive(PartialEq)]
enum ListKind {
    Bullet(char),
    Number,
    Row,
}

fn list_kind(line: &str) -> Option<ListKind> {
    let sign = line.chars().next()?;
    let is_number = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.starts_with(". ") || rest.starts_with(") ")
    };
    match sign {
        '-' | '*' | '+' if line[1..].starts_with([' ', '\t']) => Some(ListKind::Bullet(sign)),
        '|' => Some(ListKind::Row),
        sign if sign.is_ascii_digit() && is_number() => Some(ListKind::Number),
        _ => None,
    }
}

/// Returns the unclosed construct before `at` that would swallow an insertion.
fn unclosed(text: &str, at: usize) -> Option<AdditionError> {
    let body = split(text).body;
    let above = text.get(body.start..at)?;
    let sections::UnclosedConstruct { what, line: begun } =
        sections::read(&above.replace("\r\n", "\n")).unclosed?;
    Some(AdditionError::Unclosed {
        what,
        line: begun + line_number(text, body.start) - 1,
    })
}

/// Returns the number of the line that contains `at`, from 1.
fn line_number(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::edit;

    fn added(text: &str, added: &str, under: Option<&str>) -> String {
        let addition = addition(text, added, under).unwrap();
        edit::apply(text, &[addition.edit()]).unwrap()
    }

    #[test]
    fn text_is_added_with_fitting_blank_lines() {
        for (before, new, after) in [
            ("", "New.", "New.\n"),
            ("Old.\n", "New.", "Old.\n\nNew.\n"),
            ("Old.\n", "\n\nNew.\n\n", "Old.\n\nNew.\n"),
            // No final line ending before and after.
            ("Old.", "New.", "Old.\n\nNew."),
            ("Old.\n\n", "New.", "Old.\n\nNew.\n"),
            ("Old.\n\n\n\n", "New.", "Old.\n\nNew.\n\n\n"),
            ("Old.\r\n", "New\nlines.", "Old.\r\n\r\nNew\r\nlines.\r\n"),
            ("Old.\r\n", "New\r\nlines.", "Old.\r\n\r\nNew\r\nlines.\r\n"),
            ("Old.\n  ", "New.", "Old.\n  \nNew."),
            ("---\na: 1\n---\n", "New.", "---\na: 1\n---\nNew.\n"),
            ("---\na: 1\n---", "New.", "---\na: 1\n---\nNew."),
            ("---\na: 1\n---\n\n", "New.", "---\na: 1\n---\n\nNew.\n"),
            ("\u{feff}Old.\n", "New.", "\u{feff}Old.\n\nNew.\n"),
            ("- a\n- b\n", "- c", "- a\n- b\n- c\n"),
            ("- a\n- b", "- c", "- a\n- b\n- c"),
            ("- a\n- b\n\n", "- c", "- a\n- b\n- c\n\n"),
            (
                "- a\n  more\n\t- deep\n",
                "- c",
                "- a\n  more\n\t- deep\n- c\n",
            ),
            (
                "- [ ] a\n",
                "- [x] b\n- [ ] c",
                "- [ ] a\n- [x] b\n- [ ] c\n",
            ),
            ("* a\n", "- c", "* a\n\n- c\n"),
            ("1. a\n", "2. b", "1. a\n2. b\n"),
            ("1. a\n", "2b", "1. a\n\n2b\n"),
            ("- a\n", "New.", "- a\n\nNew.\n"),
            ("Old.\n", "- c", "Old.\n\n- c\n"),
            ("Old.\n    - a\n", "- c", "Old.\n    - a\n\n- c\n"),
            ("|a|\n|-|\n|b|\n", "|c|", "|a|\n|-|\n|b|\n|c|\n"),
            ("```\n- a\n```\n", "- c", "```\n- a\n```\n\n- c\n"),
            ("# Log\n", "New.", "# Log\n\nNew.\n"),
        ] {
            assert_eq!(added(before, new, None), after, "{before:?} + {new:?}");
        }
    }

    #[test]
    fn text_is_added_under_a_heading() {
        let plan = "# Plan\n\nIntro.\n\n## Log\n- a\n\n### Sub\nx\n## Next *week*\n";
        for (before, under, new, after) in [
            (
                plan,
                "log",
                "- b",
                "# Plan\n\nIntro.\n\n## Log\n- a\n- b\n\n### Sub\nx\n## Next *week*\n",
            ),
            (
                plan,
                "## Sub  ",
                "y",
                "# Plan\n\nIntro.\n\n## Log\n- a\n\n### Sub\nx\n## Next *week*\n\n## Sub\n\ny\n",
            ),
            (
                plan,
                "Sub",
                "y",
                "# Plan\n\nIntro.\n\n## Log\n- a\n\n### Sub\nx\n\ny\n\n## Next *week*\n",
            ),
            (
                plan,
                "Plan",
                "y",
                "# Plan\n\nIntro.\n\ny\n\n## Log\n- a\n\n### Sub\nx\n## Next *week*\n",
            ),
            (
                plan,
                "next  week",
                "y",
                "# Plan\n\nIntro.\n\n## Log\n- a\n\n### Sub\nx\n## Next *week*\n\ny\n",
            ),
            ("## A\n## B\n", "A", "x", "## A\n\nx\n\n## B\n"),
            (
                "## A\r\n\r\n## B\r\n",
                "A",
                "x",
                "## A\r\n\r\nx\r\n\r\n## B\r\n",
            ),
            ("A\n=\n\nB\n-\n", "A", "x", "A\n=\n\nx\n\nB\n-\n"),
            // A heading within an item does not end a section.
            (
                "## A\n- i\n\n  ## In\n",
                "A",
                "x",
                "## A\n- i\n\n  ## In\n\nx\n",
            ),
            ("```\n## A\n```", "A", "x", "```\n## A\n```\n\n## A\n\nx"),
            ("", "A", "x", "## A\n\nx\n"),
            ("---\na: 1\n---\n", "# A", "x", "---\na: 1\n---\n# A\n\nx\n"),
        ] {
            assert_eq!(
                added(before, new, Some(under)),
                after,
                "{under} of {before:?}"
            );
        }
    }

    #[test]
    fn a_section_ends_at_the_next_heading_of_its_level() {
        let text = "---\na: 1\n---\n# Top\n\n## Log of [[Anna|her]] and [[Ben]]\n\na\n\n### Deep\nb\n\n\n\
                    ## Log\r\n\n```\n## Fake\n```\n\n> ## Quoted\n\nSetext\n---\nend";
        for (wanted, found) in [
            ("deep", Some("### Deep\nb\n")),
            ("### Deep", Some("### Deep\nb\n")),
            ("## Deep", None),
            (
                "log of her and ben",
                Some("## Log of [[Anna|her]] and [[Ben]]\n\na\n\n### Deep\nb\n"),
            ),
            (
                "Log of [[Anna|her]] and [[Ben]]",
                Some("## Log of [[Anna|her]] and [[Ben]]\n\na\n\n### Deep\nb\n"),
            ),
            (
                "Log",
                Some("## Log\r\n\n```\n## Fake\n```\n\n> ## Quoted\n"),
            ),
            ("setext", Some("Setext\n---\nend")),
            ("Fake", None),
            ("Quoted", None),
        ] {
            let span = section(text, wanted).unwrap();
            assert_eq!(span.map(|span| &text[span]), found, "{wanted}");
        }
        assert_eq!(
            section("# A\n\n# a\n", "A"),
            Err(AdditionError::Ambiguous(vec![1, 3]))
        );
    }

    #[test]
    fn headings_match_as_source_and_as_rendered() {
        for (heading, names) in [
            (
                "## Setup `x` $y$\n",
                &["Setup `x` $y$", "## Setup `x` $y$", "Setup x y"][..],
            ),
            (
                "## Use *bold* \\# [c](d.md) ##\n",
                &["Use *bold* \\# [c](d.md)", "use bold # c"],
            ),
            ("`x` $y$\n---\n", &["`x` $y$", "x y"]),
        ] {
            let text = format!("# Top\n\n{heading}\na\n");
            for name in names {
                let found = section(&text, name).unwrap().map(|span| &text[span]);
                assert_eq!(found, Some(format!("{heading}\na\n").as_str()), "{name}");
                assert_eq!(
                    addition(&text, "b", Some(name)).unwrap().heading,
                    None,
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn unplaceable_texts_are_refused() {
        let unclosed = |what: &str, line| AdditionError::Unclosed {
            what: what.to_owned(),
            line,
        };
        for (text, under, why) in [
            (
                "## A\n\n## B\n\n# a\n",
                Some("A"),
                AdditionError::Ambiguous(vec![1, 5]),
            ),
            ("x", Some("##"), AdditionError::NoHeading),
            ("x", Some("a\nb"), AdditionError::NoHeading),
            ("x", Some("####### a"), AdditionError::NoHeading),
            ("---\na: 1\n---\nx\n\n```\ncode\n", None, unclosed("```", 6)),
            ("x\r\n\r\n%% y\r\n", None, unclosed("%%", 3)),
        ] {
            assert_eq!(addition(text, "new", under), Err(why), "{text:?}");
        }
        assert!(addition("## A\n\n## B\n```\n", "new", Some("A")).is_ok());
    }

    #[test]
    fn unclosed_texts_are_refused() {
        let text = "# A\n\nx\n\n# B\n\ny\n";
        for (new, what) in [
            ("```\ncode", "```"),
            ("~~~~ rust", "```"),
            ("see <!-- this", "<!--"),
            ("%%\nhidden", "%%"),
        ] {
            let found = addition(text, new, Some("A"));
            let what = what.to_owned();
            assert_eq!(found, Err(AdditionError::Open { what }), "{new}");
            assert!(addition(text, new, Some("B")).is_ok(), "{new}");
            assert!(addition(text, new, None).is_ok(), "{new}");
        }
        for new in ["```\ncode\n```", "`<!--`", "a <!-- b --> %%c%%"] {
            assert!(addition(text, new, Some("A")).is_ok(), "{new}");
        }
    }
}
