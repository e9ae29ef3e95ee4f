//! Checks each link of each note: its target and a possible repair.

use super::files::Files;
use super::finding::{DoctorFinding, ProblemKind, Repair, listed};
use crate::cache::key::IndexKey;
use crate::cache::target_stem;
use crate::jobs::prelude::*;
use crate::note::markdown::document::NodeKind as Node;
use crate::note::markdown::listing;
use crate::note::markdown::parts::{MissingPart, Parts};
use crate::note::path::strip_ending;
use crate::note::three_way::markers::conflicts;
use crate::note::{self, Link, LinkKind, folded};
use crate::signals::dates::unread;
use crate::view::links::relative;
use crate::view::text::NoteTexts;

/// Names that occur in many folders, so that a single match does not identify the target.
const GENERIC_NAMES: [&str; 4] = ["index", "_index", "readme", "home"];

/// A parsed note with the links that need checking against other notes.
pub(super) struct CheckedNote<'e> {
    pub(super) entry: &'e Entry,
    /// The `id` property and its line.
    pub(super) id: Option<(String, Option<usize>)>,
    /// Line and description of a front matter error.
    pub(super) problem: Option<(usize, String)>,
    /// Lines and text of wikilinks in properties that are not read as links.
    pub(super) unread_links: Vec<(usize, String)>,
    /// Lines of date properties that are not dates, and messages about them.
    pub(super) unread_dates: Vec<(Option<usize>, String)>,
    /// Line and reason of a conflict of a merge.
    pub(super) conflict: Option<(usize, String)>,
    parts: Parts,
    doubtful_links: Vec<DoubtfulLink>,
}

/// A link that may be wrong.
struct DoubtfulLink {
    link: Link,
    line: usize,
    /// Source text of the link.
    written: String,
    /// Its span in the note.
    span: Range<usize>,
    /// Span to replace in a repair.
    place: Range<usize>,
    /// Source text of the span and the character before it, which the spans of `link` refer to.
    source: String,
    /// True if the link is in a table.
    is_in_table: bool,
    kind: DoubtReason,
}

enum DoubtReason {
    /// No matching file.
    Unresolved,
    /// Resolved to the first by a tie-break rule.
    Ambiguous(VaultPath, Vec<VaultPath>),
    /// Needs a check of the heading or block in this file.
    Part(VaultPath),
}

impl<'e> CheckedNote<'e> {
    /// Parses the note, or its `unsaved` text; `None` if the file changed since it was indexed.
    pub(super) fn of(texts: NoteTexts<'_>, files: &Files, entry: &'e Entry) -> Option<Self> {
        let text: &str = &texts.of(entry).ok()?;
        let blanked = listing::blanked(text);
        let document = Document::of_note(&blanked);
        let note = note::of(&document, entry.path.stem());
        let mut doubtful_links = Vec::new();
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
        let nodes = document.nodes().iter();
        let tables: Vec<&Range<usize>> = nodes
            .filter(|node| matches!(node.kind, Node::Table(_)))
            .map(|node| &node.span)
            .collect();
        for link in &note.links {
            let at = link.span.start;
            let line = starts.partition_point(|start| *start <= at);
            let table = tables.partition_point(|table| table.end <= at);
            let is_in_table = tables.get(table).is_some_and(|table| table.contains(&at));
            let mut doubtful = |kind| {
                doubtful_links.push(DoubtfulLink::new(text, link, (line, is_in_table), kind));
            };
            // Placeholders of a template.
            if link.target.contains("{{") || link.target.contains("<%") {
                continue;
            }
            if link.target.is_empty() {
                doubtful(DoubtReason::Part(entry.path.clone()));
                continue;
            }
            let markdown = link.kind == LinkKind::Markdown;
            let Some(led) = files.resolve(&entry.path, &link.target, markdown) else {
                if !(markdown && may_be_external(files, &entry.path, &link.target)) {
                    doubtful(DoubtReason::Unresolved);
                }
                continue;
            };
            if !led.rivals.is_empty() {
                let rivals = led.rivals.into_iter().cloned().collect();
                doubtful(DoubtReason::Ambiguous(led.to.clone(), rivals));
            }
            if link.part.is_some() {
                doubtful(DoubtReason::Part(led.to.clone()));
            }
        }
        let line_of_key = |key: &str| {
            let is_line = |line: &str| {
                let name = line.split([':', '=']).next().unwrap_or_default();
                name.trim_end().eq_ignore_ascii_case(key)
            };
            Some(text.lines().position(is_line)? + 1)
        };
        let id = note::text_of(&note.properties, "id").map(|id| (id, line_of_key("id")));
        let unread_dates = unread(&note.properties)
            .map(|(key, why)| (line_of_key(key), why))
            .collect();
        let problem = note.problem.as_ref().map(|problem| {
            let message = problem.to_string();
            let prefix = format!("front matter line {}: ", problem.line());
            let message = message.strip_prefix(&prefix).unwrap_or(&message).to_owned();
            (problem.line(), message)
        });
        let conflict = conflicts(text, &document).first().map(|conflict| {
            let line = starts.partition_point(|start| *start <= conflict.span.start);
            (line, conflict.reason.to_owned())
        });
        let line_of = |at: usize| starts.partition_point(|start| *start <= at);
        let of_files = note
            .text_links
            .iter()
            .filter(|_| note.problem.is_none())
            .filter(|link| files.resolve(&entry.path, &link.target, false).is_some());
        let unread_links = of_files
            .map(|link| (line_of(link.span.start), text[link.span.clone()].to_owned()))
            .collect();
        Some(Self {
            entry,
            id,
            problem,
            unread_links,
            unread_dates,
            conflict,
            parts: Parts::of(&note, text),
            doubtful_links,
        })
    }
}

impl DoubtfulLink {
    fn new(text: &str, link: &Link, (row, is_in_table): (usize, bool), kind: DoubtReason) -> Self {
        let place = link.place();
        let previous_char = text[..place.start].char_indices().next_back();
        let start = previous_char.map_or(place.start, |(at, _)| at);
        let of_source = place.start - start..place.end - start;
        Self {
            link: Link {
                span: of_source.clone(),
                definition: link.definition.as_ref().map(|_| of_source),
                ..link.clone()
            },
            written: text[link.span.clone()].to_owned(),
            span: link.span.clone(),
            line: row,
            source: text[start..place.end].to_owned(),
            place,
            is_in_table,
            kind,
        }
    }

    fn finding(&self, note: &CheckedNote<'_>, kind: ProblemKind, message: String) -> DoctorFinding {
        DoctorFinding {
            line: Some(self.line),
            link: Some(self.written.clone()),
            span: Some(self.span.clone()),
            target: Some(self.link.target.clone()).filter(|target| !target.is_empty()),
            ..DoctorFinding::new(kind, note.entry.path.as_str(), message)
        }
    }

    /// Returns the repair that writes `text`; `None` for a note with unreadable front matter.
    fn repair(&self, note: &CheckedNote<'_>, text: String) -> Option<Repair> {
        note.problem.is_none().then(|| Repair {
            note: note.entry.path.clone(),
            span: self.place.clone(),
            was: self.source[self.link.place()].to_owned(),
            text,
        })
    }
}

/// Returns true if an unresolved Markdown link may still be valid.
fn may_be_external(files: &Files, source: &VaultPath, target: &str) -> bool {
    // A query, or a page address of the generated site.
    let is_address = target.contains('?') || target.starts_with('/');
    is_address && !is_note(target) || files.is_outside_notes(source, target)
}

fn is_note(path: &str) -> bool {
    strip_ending(path).is_some()
}

/// Checks the doubtful links of all notes.
pub(super) struct LinkCheck<'a, 'v> {
    view: &'a View<'v>,
    files: &'a Files,
    /// Renamed notes by their former stem: former and current path.
    renamed: HashMap<String, Vec<&'a (String, VaultPath)>>,
    checked: &'a [CheckedNote<'a>],
    by_path: HashMap<&'a VaultPath, &'a CheckedNote<'a>>,
    /// Parts of notes outside the checked set.
    others: HashMap<VaultPath, Option<Parts>>,
}

impl<'a, 'v> LinkCheck<'a, 'v> {
    pub(super) fn new(
        view: &'a View<'v>,
        files: &'a Files,
        renamed: &'a [(String, VaultPath)],
        checked: &'a [CheckedNote<'a>],
    ) -> Self {
        let by_path = checked.iter().map(|note| (&note.entry.path, note));
        let mut by_stem: HashMap<_, Vec<_>> = HashMap::new();
        for renamed in renamed {
            let stem = folded(target_stem(&renamed.0));
            by_stem.entry(stem).or_default().push(renamed);
        }
        Self {
            view,
            files,
            renamed: by_stem,
            checked,
            by_path: by_path.collect(),
            others: HashMap::new(),
        }
    }

    pub(super) fn findings(mut self) -> Result<Vec<DoctorFinding>> {
        let mut findings = Vec::new();
        for note in self.checked {
            for doubtful in &note.doubtful_links {
                match &doubtful.kind {
                    DoubtReason::Unresolved => findings.push(self.unresolved(note, doubtful)?),
                    DoubtReason::Ambiguous(to, rivals) => {
                        let others: Vec<String> = rivals.iter().map(ToString::to_string).collect();
                        let message = format!(
                            "`{}` resolves to `{to}` but also matches {}",
                            &doubtful.written,
                            listed(&others)
                        );
                        findings.push(DoctorFinding {
                            others,
                            ..doubtful.finding(note, ProblemKind::AmbiguousLink, message)
                        });
                    }
                    DoubtReason::Part(to) => findings.extend(self.part(note, doubtful, to)),
                }
            }
        }
        Ok(findings)
    }

    fn part(
        &mut self,
        note: &CheckedNote<'_>,
        doubtful: &DoubtfulLink,
        to: &VaultPath,
    ) -> Option<DoctorFinding> {
        let part = doubtful.link.part.as_deref()?;
        let parts = match self.by_path.get(to) {
            Some(target) => &target.parts,
            None => self.other(to)?,
        };
        let missing = parts.resolve(doubtful.link.kind, part).err()?;
        let written = &doubtful.written;
        let (kind, message) = match missing {
            MissingPart::Heading(heading) => {
                let message = format!("`{written}`: `{to}` has no heading `{heading}`");
                (ProblemKind::BrokenHeading, message)
            }
            MissingPart::Block(id) => {
                let message = format!("`{written}`: `{to}` has no block `^{id}`");
                (ProblemKind::BrokenBlock, message)
            }
        };
        Some(doubtful.finding(note, kind, message))
    }

    /// Returns the parts of a note outside the checked set; `None` for other files.
    fn other(&mut self, path: &VaultPath) -> Option<&Parts> {
        if !self.others.contains_key(path) {
            let parts = is_note(path.as_str())
                .then(|| self.view.file(path).ok())
                .flatten()
                .map(|file| Parts::of(&note::read(&file.text, path.stem()), &file.text));
            self.others.insert(path.clone(), parts);
        }
        self.others[path].as_ref()
    }

    fn unresolved(&self, note: &CheckedNote<'_>, doubtful: &DoubtfulLink) -> Result<DoctorFinding> {
        let (link, written) = (&doubtful.link, &doubtful.written);
        if link.kind == LinkKind::Wiki
            && let Some(finding) = self.bare_alias(note, doubtful)?
        {
            return Ok(finding);
        }
        let kind = if link.embed {
            ProblemKind::BrokenEmbed
        } else {
            ProblemKind::BrokenLink
        };
        let mut named = self.files.named(&link.target);
        let file = match (named.next(), named.next()) {
            (Some(one), None) => Some(one),
            _ => None,
        };
        let moved = file.filter(|moved| !GENERIC_NAMES.contains(&folded(moved.stem()).as_str()));
        let (now, message, target) = if let Some(moved) = moved {
            let message = format!("`{written}`: target not found; `{moved}` has that name");
            (moved, message, Self::path_like(note, link, moved))
        } else if let Some(now) = self.renamed(&note.entry.path, link)? {
            let message = format!("`{written}`: target not found; it is called `{now}` now");
            let is_path = link.kind == LinkKind::Markdown || link.target.contains('/');
            let target = if is_path {
                Self::path_like(note, link, now)
            } else {
                self.name_of(now).to_owned()
            };
            (now, message, target)
        } else {
            let message = format!("`{written}`: target not found");
            return Ok(doubtful.finding(note, kind, message));
        };
        let text = link.retargeted(&doubtful.source, &target);
        Ok(DoctorFinding {
            others: vec![now.to_string()],
            repair: doubtful.repair(note, text),
            ..doubtful.finding(note, kind, message)
        })
    }

    /// Returns the note that formerly had the name in `link`, if it is unique.
    fn renamed(&self, source: &VaultPath, link: &Link) -> Result<Option<&VaultPath>> {
        let target = link.target.trim_start_matches(['.', '/']);
        let name = target.rsplit('/').next().unwrap_or(target);
        let stem = folded(target_stem(name));
        let known = self.renamed.get(&stem);
        let Some(known) = known.filter(|_| !GENERIC_NAMES.contains(&stem.as_str())) else {
            return Ok(None);
        };
        let target = format!("/{}", folded(strip_ending(target).unwrap_or(target)));
        let mut meant: Option<&VaultPath> = None;
        for (was, now) in known.iter().copied() {
            let was = format!("/{}", folded(strip_ending(was).unwrap_or(was)));
            if !was.ends_with(&target) || now == source || self.view.at(now)?.is_none() {
                continue;
            }
            if meant.replace(now).is_some_and(|other| other != now) {
                return Ok(None);
            }
        }
        Ok(meant)
    }

    /// Returns the path of a moved file in the notation of `link`.
    fn path_like(note: &CheckedNote<'_>, link: &Link, moved: &VaultPath) -> String {
        let target = link.target.as_str();
        let from_folder = link.kind == LinkKind::Markdown || target.starts_with('.');
        let path = match (target.starts_with('/'), from_folder) {
            (true, _) => format!("/{moved}"),
            (false, true) => relative(&note.entry.path, moved),
            (false, false) => moved.to_string(),
        };
        match strip_ending(&path) {
            Some(rest) if !is_note(target) => rest.to_owned(),
            _ => path,
        }
    }

    /// Returns the finding for a wikilink that matches notes only by alias, title or id.
    fn bare_alias(
        &self,
        note: &CheckedNote<'_>,
        doubtful: &DoubtfulLink,
    ) -> Result<Option<DoctorFinding>> {
        let target = doubtful.link.target.as_str();
        let wanted = folded(target);
        let mut meant: Vec<(Entry, &str)> = Vec::new();
        for slot in self.view.reading().find(IndexKey::name(target))? {
            let details = self.view.details(slot)?;
            let how = if details.aliases.iter().any(|alias| folded(alias) == wanted) {
                "an alias"
            } else if folded(&details.title) == wanted {
                "the title"
            } else {
                "the id"
            };
            if let Some(entry) = self.view.entry(slot)? {
                meant.push((entry, how));
            }
        }
        meant.sort_unstable_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        let others: Vec<String> = meant
            .iter()
            .map(|(entry, _)| entry.path.to_string())
            .collect();
        let written = &doubtful.written;
        let (message, repair) = match meant.as_slice() {
            [] => return Ok(None),
            [(entry, how)] => {
                let text = self.with_label(doubtful, &entry.path);
                let message = format!(
                    "`{written}` is only {how} of `{}`; suggested: `{text}`",
                    entry.path
                );
                (message, doubtful.repair(note, text))
            }
            _ => {
                let message = format!("`{written}` is ambiguous: {}", listed(&others));
                (message, None)
            }
        };
        Ok(Some(DoctorFinding {
            others,
            repair,
            ..doubtful.finding(note, ProblemKind::BareAlias, message)
        }))
    }

    /// Returns the shortest unambiguous wikilink target for the note at `path`.
    fn name_of<'p>(&self, path: &'p VaultPath) -> &'p str {
        let is_alone = self.files.named(path.stem()).nth(1).is_none();
        if is_alone && target_stem(path.stem()) == path.stem() {
            path.stem()
        } else {
            path.without_ending()
        }
    }

    /// Returns the link with target `path`, displayed as before.
    fn with_label(&self, doubtful: &DoubtfulLink, path: &VaultPath) -> String {
        let text = doubtful
            .link
            .retargeted(&doubtful.source, self.name_of(path));
        if doubtful.link.label.is_some() || doubtful.link.embed {
            return text;
        }
        let written = &doubtful.written;
        let shown = written
            .trim_start_matches("[[")
            .trim_end_matches("]]")
            .trim();
        // In a table an unescaped bar would end the cell.
        let bar = if doubtful.is_in_table { "\\|" } else { "|" };
        format!("{}{bar}{shown}]]", text.trim_end_matches("]]"))
    }
}
