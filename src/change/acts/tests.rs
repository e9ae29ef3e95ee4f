//! Links in generated notes lead to the same text before and after merges and moves of sections, by
//! an independent reader of links.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use regex::Regex;

use super::manual_group;
use crate::change::compile::{CompileOutcome, preview};
use crate::finding::{Act, Plan};
use crate::note::VaultPath;
use crate::view::section::extract_section;
use crate::view::tests::IndexedVault;

pub(super) type Files = BTreeMap<String, String>;

fn path(name: &str) -> VaultPath {
    VaultPath::new(name).unwrap()
}

/// Returns the notes after a merge of `other` into `keeper`, or why it is refused.
pub(super) fn merged(files: &Files, keeper: &str, other: &str) -> Result<Files, String> {
    let scene = IndexedVault::of(files.clone(), None);
    let act = Act::Merge {
        keeper: path(keeper),
        others: vec![path(other)],
        body: None,
    };
    let mut after = applied(&scene, &[act])?;
    after.remove(other);
    Ok(after)
}

/// Returns the notes after the section at `heading` of `from`, a line, becomes the note `to`.
fn section_moved(files: &Files, from: &str, heading: usize, to: &str) -> Result<Files, String> {
    let text = &files[from];
    let level = |line: &str| line.split(' ').next().map_or(0, str::len);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let own = level(lines[heading]);
    let is_next = |line: &&str| line.starts_with('#') && level(line) <= own;
    let count = lines[heading + 1..]
        .iter()
        .take_while(|line| !is_next(line))
        .count();
    let start = lines[..heading].concat().len();
    let length = lines[heading..=heading + count].concat().trim_end().len() + 1;
    let scene = IndexedVault::of(files.clone(), None);
    let view = scene.view(false);
    let entry = view.at(&path(from)).unwrap().unwrap();
    let span = start..(start + length).min(text.len());
    let acts = extract_section(&view, &entry, span, &path(to), Some("label"));
    applied(&scene, &acts.map_err(|error| error.to_string())?)
}

fn applied(scene: &IndexedVault, acts: &[Act]) -> Result<Files, String> {
    let group = manual_group(&scene.view(false), "", acts).map_err(|error| error.to_string())?;
    let plan = Plan {
        job: "test".to_owned(),
        groups: vec![group],
    };
    let mut after = scene.files.clone();
    match preview(&scene.vault, &plan).remove(0) {
        CompileOutcome::Ready(ready) => {
            for write in ready.writes {
                let text = write.after.map(|text| text.to_string());
                after.extend(text.map(|text| (write.path.to_string(), text)));
            }
            Ok(after)
        }
        CompileOutcome::Unchanged => Ok(after),
        CompileOutcome::Dropped { path, reason } => Err(format!("{path}: {reason}")),
    }
}

const NAMES: [&str; 14] = [
    "Log",
    "log!",
    "LOG",
    "Log in",
    "Login",
    "Home",
    "Home",
    "Step 1",
    "Step",
    "Step 1-1",
    "日本 茶",
    "🍵 Tea",
    "Alice",
    "Ben",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Names of headings, as Obsidian reads them.
    Path,
    /// A slug as GitHub numbers it, or the id of a tag.
    Anchor,
    Block,
}

/// Returns the marks of the text that a part leads to, and the level of the heading.
fn led(text: &str, part: &str, form: Form) -> Option<(usize, BTreeSet<String>)> {
    let marks = |line: &str| {
        let words = line.split([' ', '.', '>']).map(str::to_owned);
        words
            .filter(|word| word.starts_with("mark"))
            .collect::<Vec<_>>()
    };
    let mut lines = text.lines().enumerate();
    let section = |at: usize| {
        let below = text
            .lines()
            .skip(at + 1)
            .take_while(|line| !line.starts_with('#'));
        below.flat_map(marks).collect::<BTreeSet<_>>()
    };
    let heading = |line: &str| -> Option<(usize, String)> {
        let level = line.chars().take_while(|c| *c == '#').count();
        let name = line[level..].strip_prefix(' ').filter(|_| level > 0)?;
        Some((level, name.to_owned()))
    };
    match form {
        Form::Block => {
            let line = lines
                .find(|(_, line)| line.ends_with(&format!(" {part}")))?
                .1;
            Some((9, marks(line).into_iter().collect()))
        }
        Form::Anchor => {
            let mut taken: BTreeMap<String, usize> = BTreeMap::new();
            lines.find_map(|(at, line)| {
                if line.starts_with(&format!("<a id=\"{part}\">")) {
                    return Some((9, marks(line).into_iter().collect()));
                }
                let (level, name) = heading(line)?;
                let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
                let slug: String = name.to_lowercase().chars().filter(is_kept).collect();
                let slug = slug.replace(' ', "-");
                let mut unique = slug.clone();
                while taken.contains_key(&unique) {
                    let count = taken.get_mut(&slug).unwrap();
                    *count += 1;
                    unique = format!("{slug}-{count}");
                }
                taken.insert(unique.clone(), 0);
                (unique == part).then(|| (level, section(at)))
            })
        }
        Form::Path => {
            let plain = |name: &str| name.to_lowercase().replace(['!', '.'], "");
            let (mut level, mut found) = (0, None);
            for step in part.split('#') {
                let next = lines.find_map(|(at, line)| {
                    let (deep, name) = heading(line)?;
                    (deep > level && plain(&name) == plain(step)).then_some((deep, at))
                });
                let (deep, at) = next?;
                (level, found) = (deep, Some(at));
            }
            Some((level, section(found?)))
        }
    }
}

#[derive(Clone, Debug)]
struct Part {
    to_first: bool,
    names: Vec<usize>,
    form: Form,
    number: usize,
    is_own: bool,
    /// Whether the link is in the form of the other syntax.
    is_markdown: bool,
}

/// A link as generated: its label, the note that it leads to, its part.
struct WrittenLink {
    label: String,
    to: &'static str,
    part: String,
    form: Form,
}

impl Part {
    /// Returns the link with this label in the note named `from`.
    fn written(&self, from: &str, label: String) -> (String, WrittenLink) {
        let to = if self.to_first { "A" } else { "B" };
        let names: Vec<&str> = self.names.iter().map(|name| NAMES[*name]).collect();
        let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | ' ');
        let slug: String = names[0].to_lowercase().chars().filter(is_kept).collect();
        let slug = slug.replace(' ', "-");
        let part = match self.form {
            Form::Path => names.join("#"),
            Form::Anchor if self.number == 0 => slug,
            Form::Anchor => format!("{slug}-{}", self.number),
            Form::Block => format!("^{}", ["x", "y"][self.number % 2]),
        };
        let is_own = self.is_own && from == to;
        let is_markdown = self.form == Form::Anchor || self.is_markdown && self.form == Form::Block;
        let link = match (is_markdown, is_own) {
            (true, true) => format!("[{label}](#{part})"),
            (true, false) => format!("[{label}]({to}.md#{part})"),
            (false, true) => format!("[[#{part}|{label}]]"),
            (false, false) => format!("[[{to}#{part}|{label}]]"),
        };
        let form = self.form;
        (
            link,
            WrittenLink {
                label,
                to,
                part,
                form,
            },
        )
    }
}

fn part() -> impl Strategy<Value = Part> {
    let names = prop::collection::vec(0..NAMES.len(), 1..3);
    let form = prop::sample::select(vec![
        Form::Path,
        Form::Path,
        Form::Anchor,
        Form::Anchor,
        Form::Block,
    ]);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (names, form, 0..3_usize, flags).prop_map(|(names, form, number, flags)| Part {
        to_first: flags.0,
        is_own: flags.1,
        is_markdown: flags.2,
        names,
        form,
        number,
    })
}

#[derive(Clone, Debug)]
struct Section {
    level: usize,
    name: usize,
    links: Vec<Part>,
    /// A block id, or an HTML id.
    extra: usize,
}

fn note() -> impl Strategy<Value = (bool, Vec<Section>)> {
    let links = prop::collection::vec(part(), 0..3);
    let section = (1..4_usize, 0..NAMES.len(), links, 0..8_usize);
    let section = section.prop_map(|(level, name, links, extra)| Section {
        level,
        name,
        links,
        extra,
    });
    (any::<bool>(), prop::collection::vec(section, 0..6))
}

/// Returns the notes `A`, `B` and `C` with these sections and links, and the links.
fn vault(notes: [&(bool, Vec<Section>); 2], linking: &[Part]) -> (Files, Vec<WrittenLink>) {
    let mut links = Vec::new();
    let mut written = |from: &str, parts: &[Part]| {
        let mut text = String::new();
        for part in parts {
            let (link, written) = part.written(from, format!("l{}e", links.len()));
            links.push(written);
            text.push(' ');
            text.push_str(&link);
        }
        text
    };
    let mut files = Files::new();
    for (name, title, (has_title, sections)) in [("A", "Alice", notes[0]), ("B", "Ben", notes[1])] {
        let mut text = format!("text {name}.");
        if *has_title {
            text = format!("# {title}\n\n{text}");
        }
        for (number, section) in sections.iter().enumerate() {
            let links = written(name, &section.links);
            let (marks, heading) = ("#".repeat(section.level), NAMES[section.name]);
            text = format!("{text}\n\n{marks} {heading}\n\nmark{name}{number}.{links}");
            let mark = format!("mark{name}{number}x");
            let extra = match section.extra {
                0 => format!("\n\n{mark}. ^x"),
                1 => format!("\n\n{mark}. ^y"),
                2 => format!("\n\n<a id=\"log\"></a>{mark}."),
                _ => String::new(),
            };
            text.push_str(&extra);
        }
        files.insert(format!("{name}.md"), text + "\n");
    }
    files.insert("C.md".to_owned(), written("C", linking) + "\n");
    (files, links)
}

/// Checks that each link leads to the same marks. `may_lack` returns whether a link to a heading of
/// this note and level may have lost its part.
fn check(
    before: &Files,
    after: &Files,
    links: &[WrittenLink],
    may_lack: impl Fn(&str, usize) -> bool,
) -> TestCaseResult {
    for WrittenLink {
        label,
        to,
        part,
        form,
    } in links
    {
        let Some((level, marks)) = led(&before[&format!("{to}.md")], part, *form) else {
            continue;
        };
        let pattern =
            format!(r"\[\[([^\[\]#|]*)#([^|\]]*)\|{label}\]\]|\[{label}\]\(([^()#]*)#([^()]*)\)");
        let link = Regex::new(&pattern).unwrap();
        let mut found = after
            .iter()
            .filter_map(|(name, text)| Some((name, link.captures(text)?)));
        let [all, was] = [after, before].map(|files| {
            let texts = files
                .iter()
                .map(|(name, text)| format!("--- {name}\n{text}"));
            texts.collect::<Vec<_>>().concat()
        });
        let Some((source, link)) = found.next() else {
            prop_assert!(
                may_lack(to, level),
                "{} is gone from\n{}\nwas\n{}",
                label,
                all,
                was
            );
            continue;
        };
        let is_markdown = link.get(4).is_some();
        let target = link.get(1).or(link.get(3)).unwrap().as_str();
        let target = match target.trim_end_matches(".md") {
            "" => source.clone(),
            name => format!("{name}.md"),
        };
        let new = link
            .get(2)
            .or(link.get(4))
            .unwrap()
            .as_str()
            .replace("%20", " ");
        let form = match (new.starts_with('^'), is_markdown) {
            (true, _) => Form::Block,
            (false, true) => Form::Anchor,
            (false, false) => Form::Path,
        };
        let section = after.get(&target).and_then(|text| led(text, &new, form));
        let is_there = section.is_some_and(|(deep, found)| {
            // Both titles may be equal.
            found.is_superset(&marks) || deep == 1 && may_lack(to, level)
        });
        prop_assert!(
            is_there,
            "{} led to {} of {}, now to {} of {} without {:?} in\n{}\nwas\n{}",
            label,
            part,
            to,
            new,
            target,
            marks,
            all,
            was
        );
    }
    Ok(())
}

/// The number of cases; `MEM_LINK_CASES` for more.
fn cases() -> u32 {
    let wanted = std::env::var("MEM_LINK_CASES").ok();
    wanted.and_then(|cases| cases.parse().ok()).unwrap_or(48)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn links_lead_to_the_same_text_after_a_merge(
        notes in (note(), note()),
        linking in prop::collection::vec(part(), 1..6),
    ) {
        let (before, links) = vault([&notes.0, &notes.1], &linking);
        if let Ok(after) = merged(&before, "A.md", "B.md") {
            // A merge omits the title of the other note.
            let tops = before["B.md"].lines().filter(|line| line.starts_with("# ")).count();
            check(&before, &after, &links, |to, level| to == "B" && level == 1 && tops == 1)?;
        }
    }

    #[test]
    fn links_lead_to_the_same_text_after_the_move_of_a_section(
        notes in (note(), note()),
        linking in prop::collection::vec(part(), 1..6),
        chosen in any::<prop::sample::Index>(),
    ) {
        let (before, links) = vault([&notes.0, &notes.1], &linking);
        let lines = before["A.md"].lines().enumerate();
        let headings: Vec<usize> = lines.filter(|(_, line)| line.starts_with('#')).map(|(at, _)| at).collect();
        if !headings.is_empty() {
            let heading = headings[chosen.index(headings.len())];
            if let Ok(after) = section_moved(&before, "A.md", heading, "New.md") {
                check(&before, &after, &links, |_, _| false)?;
            }
        }
    }
}
