//! Checks that a group leaves all links of its notes intact, except as its acts specify.
//!
//! Compares the links of each edited note before and after. [`link_audit`] extracts them, and
//! shares no code with the planning of edits. A link may change
//!
//! * in a move or merge: its target, to another path of the same name or to the keeper;
//! * in the keeper of a merge: a link to one of the merged notes becomes text, unless the keeper has
//!   the heading or block that it names;
//! * in a property that an edit names;
//! * in a note of [`Group::rewritten`]: in the text that the act replaces, and in any property if
//!   it replaces text in the front matter.
//!
//! Any other missing link, and any text outside the edits that becomes a link, refuses the group.
//! All links of a note removed by a merge must occur in the keeper, and those of a moved section in the
//! new note. Links to headings of these notes, and of notes with a changed heading, are compared by the
//! headings that they lead to before and after.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::file_op::{FileOp, FileWrite};
use crate::finding::{Change, Group};
use crate::note::front_matter::split::split;
use crate::note::markdown::link_audit::{
    AuditedLink, LinkForm, links_of, links_of_properties, stem,
};
use crate::note::markdown::parts::{PartTarget, Parts};
use crate::note::splice::line_around;
use crate::note::words::one_line::shortened;
use crate::note::{self, Edit, LinkKind, VaultPath};
use crate::view::links::best_match;

/// The reason why a group is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkDamage {
    #[error("would break the link `{link}` on line {line}; make this change by hand")]
    Broken { link: String, line: usize },
    #[error("would turn `{link}` on line {line} into a link; make this change by hand")]
    Made { link: String, line: usize },
    #[error("would lose the link `{link}` of `{note}`; edit it there, then merge")]
    Lost { link: String, note: VaultPath },
}

/// A note of a group before and after its edits.
pub(super) struct EditedNote {
    pub(super) path: VaultPath,
    before: Arc<str>,
    after: Arc<str>,
    /// The ranges in the body that edits replace, before and after; both in order.
    replaced: Vec<(Range<usize>, Range<usize>)>,
    /// The properties that the edits name.
    keys: HashSet<String>,
    /// Whether an edit replaces text in the front matter.
    has_matter_splice: bool,
}

impl EditedNote {
    /// Returns an unchanged note that other notes are merged into.
    pub(super) fn unedited(path: &VaultPath, text: Arc<str>) -> Self {
        Self {
            path: path.clone(),
            before: Arc::clone(&text),
            after: text,
            replaced: Vec::new(),
            keys: HashSet::new(),
            has_matter_splice: false,
        }
    }

    /// Returns the note with the texts `before` (`original` with the edits `earlier`) and `after`
    /// (with `edits` as well).
    pub(super) fn new(
        path: &VaultPath,
        original: &str,
        [before, after]: [&Arc<str>; 2],
        earlier: &[Edit],
        edits: &[Edit],
    ) -> Self {
        let start = |text: &str| split(text).body.start;
        let body = start(original);
        let own = edits.iter().map(|edit| (edit, true));
        let all = earlier.iter().map(|edit| (edit, false)).chain(own);
        let mut splices: Vec<(&Range<usize>, usize, bool)> = all
            .filter_map(|(edit, is_own)| match edit {
                Edit::Replace { span, text, .. } if span.start >= body => {
                    Some((span, text.len(), is_own))
                }
                _ => None,
            })
            .collect();
        splices.sort_by_key(|(span, ..)| (span.start, span.end));
        // Current position in both texts.
        let (mut was, mut now) = (start(before), start(after));
        let mut at = body;
        let mut replaced = Vec::new();
        for (span, length, is_own) in splices {
            was += span.start - at;
            now += span.start - at;
            at = span.end;
            let old = if is_own { span.len() } else { length };
            if is_own {
                replaced.push((was..was + old, now..now + length));
            }
            was += old;
            now += length;
        }
        let mut keys = HashSet::new();
        let mut has_matter_splice = false;
        for edit in edits {
            match edit {
                Edit::Set { key, .. }
                | Edit::Unset { key }
                | Edit::Append { key, .. }
                | Edit::Remove { key, .. }
                | Edit::Comment { key, .. } => {
                    keys.insert(key.top().to_owned());
                }
                Edit::Copy { lines } => keys.extend(top_keys(lines)),
                Edit::Replace { span, .. } => has_matter_splice |= span.start < body,
            }
        }
        Self {
            path: path.clone(),
            before: Arc::clone(before),
            after: Arc::clone(after),
            replaced,
            keys,
            has_matter_splice,
        }
    }

    /// Whether an edit changes a line that may be a heading.
    fn may_change_heading(&self) -> bool {
        self.replaced.iter().any(|(was, _)| {
            let lines = line_around(&self.before, was);
            let below = self.before[lines.end..].trim_start();
            let line = self.before[lines].trim_start_matches([' ', '\t', '>', '-', '*', '+']);
            line.starts_with('#') || below.starts_with(['=', '-'])
        })
    }
}

/// Returns the top-level keys of lines of YAML.
fn top_keys(lines: &str) -> impl Iterator<Item = String> {
    let keys = lines.lines().filter_map(|line| line.split_once(':'));
    keys.filter(|(key, _)| !key.starts_with([' ', '\t', '#', '-']))
        .map(|(key, _)| key.trim().trim_matches(['"', '\'']).to_owned())
}

/// Checks the edited notes of a group; `writes` are all its writes.
pub(super) fn check(
    group: &Group,
    notes: &[EditedNote],
    writes: &[FileWrite],
) -> Result<(), (VaultPath, LinkDamage)> {
    let renames = Renames::of(group);
    let mut targets = LinkTargets::of(notes, writes);
    targets.add_renamed_headings(group, notes);
    for note in notes {
        let merged = merged_into(&note.path, writes);
        let parts =
            (!merged.is_empty()).then(|| Parts::of(&note::read(&note.after, ""), &note.after));
        let check = NoteCheck {
            note,
            renames: &renames,
            targets: &targets,
            is_rewritten: group.rewritten.contains(&note.path),
            merged,
            parts: parts.unwrap_or_default(),
        };
        check.run().map_err(|damage| (note.path.clone(), damage))?;
    }
    Ok(())
}

/// The stems that moves and merges change.
#[derive(Default)]
struct Renames {
    gone: HashSet<String>,
    new: HashSet<String>,
}

impl Renames {
    fn of(group: &Group) -> Self {
        let mut renames = Self::default();
        for change in &group.changes {
            if let Change::Move { path, to, .. }
            | Change::Trash {
                path,
                keeper: Some(to),
                ..
            } = change
            {
                renames.gone.insert(stem(path.as_str()));
                renames.new.insert(stem(to.as_str()));
            }
        }
        renames
    }
}

/// The headings and blocks of the notes of merges and section moves, before and after.
#[derive(Default)]
struct LinkTargets {
    before: Vec<LinkTarget>,
    after: Vec<LinkTarget>,
    moved: Option<MovedSection>,
}

struct LinkTarget {
    path: VaultPath,
    keeper: VaultPath,
    parts: Parts,
    /// What identifies a heading or block before and after; empty for a title.
    ids: HashMap<PartTarget, String>,
}

/// A section that becomes a new note.
struct MovedSection {
    from: VaultPath,
    to: VaultPath,
    text: Arc<str>,
}

impl LinkTarget {
    /// Identifies headings by the headings above them.
    fn of_merge(path: &VaultPath, keeper: &VaultPath, parts: Parts) -> Self {
        let places = parts
            .places()
            .iter()
            .enumerate()
            .map(|(at, (path, number))| {
                let id = format!("{} {number}", path.join("#"));
                let id = if path.is_empty() { String::new() } else { id };
                (PartTarget::Heading(at), id)
            });
        Self {
            path: path.clone(),
            keeper: keeper.clone(),
            ids: places.collect(),
            parts,
        }
    }

    /// Identifies each target of this note by its number in the note that contained the section.
    fn of_section(path: &VaultPath, parts: &Parts, targets: Vec<(PartTarget, usize)>) -> Self {
        let id = |(target, number): (PartTarget, usize)| {
            (target, format!("{:?}", target.with_number(number)))
        };
        Self {
            path: path.clone(),
            keeper: path.clone(),
            ids: targets.into_iter().map(id).collect(),
            parts: parts.clone(),
        }
    }

    fn id(&self, link: &AuditedLink) -> Option<&String> {
        let found = self.parts.resolve(kind(link), &link.part).ok()?;
        self.ids.get(&found.target)
    }
}

impl LinkTargets {
    fn of(notes: &[EditedNote], writes: &[FileWrite]) -> Self {
        let read = |path: &VaultPath, text: &str| note::read(text, path.stem());
        let mut targets = Self::default();
        for keeper in notes {
            let merged = merged_into(&keeper.path, writes);
            if merged.is_empty() {
                targets.add_section(keeper, writes);
                continue;
            }
            let own = read(&keeper.path, &keeper.before);
            let mut titles = vec![own.title_heading().to_owned()];
            for write in merged {
                let text = write.before.as_deref().unwrap_or_default();
                let note = read(&write.path, text);
                let target = || {
                    let parts = Parts::of(&note, text)
                        .with_titles(&[own.title_heading(), note.title_heading()]);
                    LinkTarget::of_merge(&write.path, &keeper.path, parts)
                };
                titles.push(note.title_heading().to_owned());
                targets.before.push(target());
                // Equal links that remain lead to another note.
                if stem(write.path.as_str()) != stem(keeper.path.as_str()) {
                    targets.after.push(target());
                }
            }
            let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
            for (all, text) in [
                (&mut targets.before, &keeper.before),
                (&mut targets.after, &keeper.after),
            ] {
                let parts = Parts::of(&read(&keeper.path, text), text).with_titles(&titles);
                all.push(LinkTarget::of_merge(&keeper.path, &keeper.path, parts));
            }
        }
        targets
    }

    /// Adds the targets of `note` if one of its sections becomes a new note.
    ///
    /// The replaced section and the new note have equally many headings.
    fn add_section(&mut self, note: &EditedNote, writes: &[FileWrite]) {
        let mut created = writes.iter().filter(|write| write.op == FileOp::Create);
        let (Some(new), None) = (created.next(), created.next()) else {
            return;
        };
        let Some(text) = &new.after else { return };
        let parts = |text: &str| Parts::of(&note::read(text, ""), text);
        let [before, after, section] = [&note.before, &note.after, text].map(|text| parts(text));
        let headings = |parts: &Parts, span: &Range<usize>| {
            let targets = parts.targets();
            let inside = targets.filter(|target| span.contains(&parts.offset(*target)));
            inside
                .filter(|target| matches!(target, PartTarget::Heading(_)))
                .count()
        };
        let all = headings(&section, &(0..text.len()));
        let is_moved = |span: &&Range<usize>| all > 0 && headings(&before, span) == all;
        let Some(span) = note.replaced.iter().map(|(was, _)| was).find(is_moved) else {
            return;
        };
        let (mut staying, mut leaving) = (Vec::new(), Vec::new());
        for target in before.targets() {
            let is_inside = span.contains(&before.offset(target));
            let number = before.count_before(target, |at| span.contains(&at) == is_inside);
            let place = (target.with_number(number), target.number());
            if is_inside {
                &mut leaving
            } else {
                &mut staying
            }
            .push(place);
        }
        let own = before.targets().map(|target| (target, target.number()));
        let own = LinkTarget::of_section(&note.path, &before, own.collect());
        self.before.push(own);
        self.after
            .push(LinkTarget::of_section(&note.path, &after, staying));
        // A broken link to the new note may lead to it afterwards.
        for all in [&mut self.before, &mut self.after] {
            all.push(LinkTarget::of_section(&new.path, &section, leaving.clone()));
        }
        self.moved = Some(MovedSection {
            from: note.path.clone(),
            to: new.path.clone(),
            text: Arc::clone(text),
        });
    }

    /// Adds the targets of the notes in which an edit changes a heading, by their numbers.
    fn add_renamed_headings(&mut self, group: &Group, notes: &[EditedNote]) {
        for note in notes {
            let is_known = self.before.iter().any(|known| known.path == note.path);
            if is_known || !note.may_change_heading() {
                continue;
            }
            let to = group.changes.iter().find_map(|change| match change {
                Change::Move { path, to, .. } if *path == note.path => Some(to),
                _ => None,
            });
            let parts = |text: &str| Parts::of(&note::read(text, ""), text);
            let (before, after) = (parts(&note.before), parts(&note.after));
            if !before.targets().eq(after.targets()) {
                continue;
            }
            let target = |path: &VaultPath, parts: &Parts| {
                let own = parts.targets().map(|target| (target, target.number()));
                let mut found = LinkTarget::of_section(path, parts, own.collect());
                // Headings of two notes have equal numbers.
                let ids = found.ids.values_mut();
                ids.for_each(|id| *id = format!("{id} {}", note.path));
                found
            };
            self.before.push(target(&note.path, &before));
            // Links without a target are read at the earlier path of the note.
            let paths = to.into_iter().chain([&note.path]);
            self.after.extend(paths.map(|path| target(path, &after)));
        }
    }

    /// Replaces the parts of `links` of the note at `from` by what identifies their headings in `all`.
    ///
    /// A broken link may lead to any heading of the keeper afterwards.
    fn resolve(
        &self,
        mut links: Vec<AuditedLink>,
        from: &VaultPath,
        all: &[LinkTarget],
    ) -> Vec<AuditedLink> {
        for link in links.iter_mut().filter(|link| !link.part.is_empty()) {
            let (stem_of_link, is_markdown) = (link.stem(), link.form == LinkForm::Markdown);
            let has_name = |path: &VaultPath| {
                if link.target.is_empty() {
                    path == from
                } else {
                    stem(path.as_str()) == stem_of_link
                }
            };
            let named: Vec<_> = all.iter().filter(|target| has_name(&target.path)).collect();
            let paths = named.iter().map(|target| &target.path);
            // Of several notes with the name; a single one may be meant by any path.
            let best = best_match(from, &link.target, is_markdown, paths).unwrap_or(0);
            let Some(target) = named.get(best) else {
                continue;
            };
            let mut after = self.after.iter();
            let keeper = after.find(|keeper| keeper.path == target.keeper);
            let is_title = |target: &LinkTarget| target.id(link).is_some_and(String::is_empty);
            if let Some(id) = target.id(link).or_else(|| keeper?.id(link)) {
                let is_omitted = id.is_empty() && !keeper.is_some_and(is_title);
                link.part = if is_omitted {
                    String::new()
                } else {
                    format!("{RESOLVED}{id}")
                };
            }
        }
        links
    }
}

/// Returns the rule that resolves the part of a link.
fn kind(link: &AuditedLink) -> LinkKind {
    match link.form {
        LinkForm::Markdown | LinkForm::Address => LinkKind::Markdown,
        LinkForm::Wiki | LinkForm::Property(_) => LinkKind::Wiki,
    }
}

/// Marks a resolved part; no part contains a line break.
const RESOLVED: char = '\n';

/// Returns the removals of notes that are merged into `keeper`.
fn merged_into<'w>(keeper: &VaultPath, writes: &'w [FileWrite]) -> Vec<&'w FileWrite> {
    let is_merged = |write: &&FileWrite| match &write.op {
        FileOp::Trash { keeper: into, .. } => into.as_ref() == Some(keeper),
        _ => false,
    };
    writes.iter().filter(is_merged).collect()
}

struct NoteCheck<'c> {
    note: &'c EditedNote,
    renames: &'c Renames,
    targets: &'c LinkTargets,
    is_rewritten: bool,
    /// The notes that are merged into it.
    merged: Vec<&'c FileWrite>,
    /// Its headings and blocks after the merge.
    parts: Parts,
}

impl NoteCheck<'_> {
    fn run(&self) -> Result<(), LinkDamage> {
        let note = self.note;
        let body = |text: &Arc<str>| split(text).body;
        let is_same_body = note.before[body(&note.before)] == note.after[body(&note.after)];
        let read = if is_same_body && self.merged.is_empty() {
            links_of_properties
        } else {
            links_of
        };
        let all = self.targets;
        let [before, after] = [(&note.before, &all.before), (&note.after, &all.after)]
            .map(|(text, targets)| all.resolve(read(text), &note.path, targets));
        let mut moved = self.moved_links();
        let was = |link: &AuditedLink| self.replaced(link, Side::Before);
        let now = |link: &AuditedLink| self.replaced(link, Side::After);
        let removed = unmatched(&(&before[..], was), &(&after[..], now));
        let mut added: HashMap<Shape<'_>, Vec<&AuditedLink>> = HashMap::new();
        for link in unmatched(&(&after[..], now), &(&before[..], was)) {
            added.entry(shape(link)).or_default().push(link);
        }
        for link in removed {
            let new = added.get_mut(&shape(link)).and_then(|added| {
                let at = added.iter().position(|new| self.is_repointed(link, new))?;
                Some(added.swap_remove(at))
            });
            let mut may_be_removed = |link| match &mut moved {
                Some(moved) => self.is_property_named(link) || take(moved, &self.key(link)),
                None => self.may_be_removed(link),
            };
            if new.is_none() && !may_be_removed(link) && !self.is_relabelled(link, &mut added) {
                return Err(LinkDamage::Broken {
                    link: excerpt(&note.before, link),
                    line: line(&note.before, link),
                });
            }
        }
        let made = added.into_values().flatten();
        if let Some(link) = made.min_by_key(|link| (self.may_be_added(link), link.span.start))
            && !self.may_be_added(link)
        {
            return Err(LinkDamage::Made {
                link: excerpt(&note.after, link),
                line: line(&note.after, link),
            });
        }
        self.check_merged_links(&after)
    }

    /// Returns how the edits overlap a link.
    fn replaced(&self, link: &AuditedLink, side: Side) -> Overlap {
        let span = |place: &(Range<usize>, Range<usize>)| match side {
            Side::Before => place.0.clone(),
            Side::After => place.1.clone(),
        };
        let places = &self.note.replaced;
        let first = places.partition_point(|place| span(place).end < link.span.start);
        let near = places[first..].iter().map(span);
        let mut touch = Overlap::None;
        for place in near.take_while(|place| place.start <= link.span.end) {
            if place.start <= link.span.start && link.span.end <= place.end {
                return Overlap::Whole;
            }
            if place.start < link.span.end && link.span.start < place.end
                || place.is_empty() && link.span.contains(&place.start)
            {
                touch = Overlap::Partial;
            }
        }
        touch
    }

    /// Whether `new` is `link` with the target that the acts give it.
    fn is_repointed(&self, link: &AuditedLink, new: &AuditedLink) -> bool {
        let is_renamed = || {
            let stem = new.stem();
            stem == link.stem() || self.renames.new.contains(&stem)
        };
        // Text inserted into a link does not replace it.
        let is_inside = self.replaced(link, Side::Before) == Overlap::Partial
            && self.replaced(new, Side::After) == Overlap::Whole;
        // The move of a section changes only targets with a part.
        let may_lead_elsewhere = self.is_rewritten
            && (self.targets.moved.is_none()
                || new.part.starts_with(RESOLVED)
                || new.stem() == link.stem());
        !is_inside && (may_lead_elsewhere || !self.renames.new.is_empty() && is_renamed())
    }

    /// Whether the acts may remove the link.
    fn may_be_removed(&self, link: &AuditedLink) -> bool {
        self.is_property_named(link)
            || self.is_rewritten && self.replaced(link, Side::Before) == Overlap::Whole
            || self.renames.gone.contains(&link.stem()) && self.may_become_text(link)
    }

    /// Whether a merge may turn a link between its notes into text.
    fn may_become_text(&self, link: &AuditedLink) -> bool {
        let has_part = link.part.starts_with(RESOLVED)
            || !link.part.is_empty() && self.parts.resolve(kind(link), &link.part).is_ok();
        !self.merged.is_empty() && !has_part
    }

    fn may_be_added(&self, link: &AuditedLink) -> bool {
        self.is_property_named(link) || self.replaced(link, Side::After) != Overlap::None
    }

    /// Whether an edit names the property of the link; copied lines and JSON may contain any.
    fn is_property_named(&self, link: &AuditedLink) -> bool {
        match &link.form {
            LinkForm::Property(key) => {
                key.is_empty()
                    || self.note.keys.contains(key)
                    || self.is_rewritten && self.note.has_matter_splice
            }
            LinkForm::Wiki | LinkForm::Markdown | LinkForm::Address => false,
        }
    }

    /// Removes from `added` the link whose label a rewriting act changed; returns whether there is
    /// one.
    fn is_relabelled(
        &self,
        link: &AuditedLink,
        added: &mut HashMap<Shape<'_>, Vec<&AuditedLink>>,
    ) -> bool {
        if !self.is_rewritten || self.replaced(link, Side::Before) != Overlap::Partial {
            return false;
        }
        let is_same = |new: &&AuditedLink| {
            self.replaced(new, Side::After) == Overlap::Partial
                && (&new.form, new.embed, &new.target, &new.part)
                    == (&link.form, link.embed, &link.target, &link.part)
        };
        added.values_mut().any(|added| {
            let at = added.iter().position(is_same);
            at.map(|at| added.swap_remove(at)).is_some()
        })
    }

    /// Returns the links of the section that leaves this note, as they are in the new note; `None`
    /// if no section of any note moves.
    fn moved_links(&self) -> Option<HashMap<LinkKey, usize>> {
        let moved = self.targets.moved.as_ref()?;
        let mut found = HashMap::new();
        if moved.from == self.note.path {
            let links = links_of(&moved.text);
            for link in self.targets.resolve(links, &moved.to, &self.targets.after) {
                *found.entry(self.key(&link)).or_default() += 1;
            }
        }
        Some(found)
    }

    /// Returns what a link has in common with the same link in another note of the group.
    fn key(&self, link: &AuditedLink) -> LinkKey {
        let (target, moved) = (link.stem(), self.targets.moved.as_ref());
        let is_own = |path: &VaultPath| stem(path.as_str()) == target;
        let is_between = target.is_empty()
            || is_own(&self.note.path)
            || self.renames.gone.contains(&target)
            || moved.is_some_and(|moved| is_own(&moved.to));
        let is_property = matches!(link.form, LinkForm::Property(_));
        (
            (!is_property).then(|| link.form.clone()),
            link.embed,
            link.part.clone(),
            link.label.clone(),
            (!is_between).then_some(target),
        )
    }

    /// Checks that the note contains all links of the notes merged into it.
    fn check_merged_links(&self, after: &[AuditedLink]) -> Result<(), LinkDamage> {
        if self.is_rewritten {
            return Ok(());
        }
        let mut found: HashMap<_, usize> = HashMap::new();
        for link in after.iter().filter(|_| !self.merged.is_empty()) {
            *found.entry(self.key(link)).or_default() += 1;
        }
        for source in &self.merged {
            let text = source.before.as_deref().unwrap_or_default();
            let mut needed: HashMap<_, usize> = HashMap::new();
            let all = self.targets;
            for link in all.resolve(links_of(text), &source.path, &all.before) {
                let key = self.key(&link);
                let is_between = key.4.is_none();
                let found = found.get(&key).copied().unwrap_or(0);
                let count = needed.entry(key).or_default();
                *count += 1;
                if found < *count && !(is_between && self.may_become_text(&link)) {
                    return Err(LinkDamage::Lost {
                        link: excerpt(text, &link),
                        note: source.path.clone(),
                    });
                }
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum Side {
    Before,
    After,
}

/// The part of a link that edits replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Overlap {
    None,
    Partial,
    Whole,
}

/// All properties of a link except its span; no target if it is a note of the group.
type LinkKey = (Option<LinkForm>, bool, String, String, Option<String>);

/// Removes one of the equal links from `found`; returns whether there was one.
fn take(found: &mut HashMap<LinkKey, usize>, key: &LinkKey) -> bool {
    match found.get_mut(key) {
        Some(count @ 1..) => {
            *count -= 1;
            true
        }
        _ => false,
    }
}

/// All properties of a link except its target.
type Shape<'l> = (&'l LinkForm, bool, &'l str, &'l str);

fn shape(link: &AuditedLink) -> Shape<'_> {
    (&link.form, link.embed, &link.part, &link.label)
}

/// Returns the links without an equal one in `others`, preferring those that edits touch.
///
/// A link inside replaced text never equals one outside.
fn unmatched<'l>(
    links: &(&'l [AuditedLink], impl Fn(&AuditedLink) -> Overlap),
    others: &(&'l [AuditedLink], impl Fn(&AuditedLink) -> Overlap),
) -> Vec<&'l AuditedLink> {
    let key = |link: &'l AuditedLink, touch| (shape(link), &link.target, touch == Overlap::Whole);
    let mut counts: HashMap<_, usize> = HashMap::new();
    for other in others.0 {
        *counts.entry(key(other, others.1(other))).or_default() += 1;
    }
    let touched = links.0.iter().map(|link| (link, links.1(link)));
    let (quiet, touched): (Vec<_>, Vec<_>) =
        touched.partition(|(_, touch)| *touch == Overlap::None);
    let mut unmatched = Vec::new();
    for (link, touch) in quiet.into_iter().chain(touched) {
        match counts.get_mut(&key(link, touch)) {
            Some(count @ 1..) => *count -= 1,
            _ => unmatched.push(link),
        }
    }
    unmatched
}

/// Links longer than this are truncated in messages.
const MAX_EXCERPT_CHARS: usize = 80;

fn excerpt(text: &str, link: &AuditedLink) -> String {
    shortened(&text[link.span.clone()], MAX_EXCERPT_CHARS)
}

fn line(text: &str, link: &AuditedLink) -> usize {
    text[..link.span.start].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::compile::{CompileOutcome, preview};
    use crate::change::tests::{TestVault, path, plan};

    /// Returns why `changes` to these notes are refused.
    fn refusal(
        files: &[(&str, &str)],
        rewritten: &[&str],
        changes: impl Fn(&TestVault) -> Vec<Change>,
    ) -> String {
        let vault = TestVault::new(files);
        let mut plan = plan(vec![changes(&vault)]);
        plan.groups[0].rewritten = rewritten.iter().map(|name| path(name)).collect();
        match &preview(&vault.vault(), &plan)[0] {
            CompileOutcome::Dropped { path, reason } => format!("{path}: {reason}"),
            CompileOutcome::Ready(_) | CompileOutcome::Unchanged => String::new(),
        }
    }

    #[test]
    fn an_edit_must_not_break_surrounding_links() {
        let broken = |link: &str, line: usize| {
            format!("n.md: would break the link `{link}` on line {line}; make this change by hand")
        };
        for (text, was, new, expected) in [
            ("a tea b", "tea", "[[Tea]]", String::new()),
            ("[[A]] tea [[A]]", "tea", "[[Tea|tea]]", String::new()),
            (
                "x\n[[Send|the `Send` trait]]",
                "trait",
                "[[Trait]]",
                broken("[[Send|the `Send` trait]]", 2),
            ),
            ("[[B|tea]]", "tea", "[[B|tea]]", broken("[[B|tea]]", 1)),
            (
                "[[T#Sec $x$ tea|b]]",
                "tea",
                "[[Tea]]",
                broken("[[T#Sec $x$ tea|b]]", 1),
            ),
            (
                "[a tea](b.md)",
                "tea",
                "[[Tea]]",
                broken("[a tea](b.md)", 1),
            ),
            ("[a](tea.md)", "tea", "[[Tea]]", broken("[a](tea.md)", 1)),
            (
                "[a][tea]\n\n[tea]: b.md",
                "][tea",
                "][[[Tea]]",
                broken("[a][tea]", 1),
            ),
            ("![[tea.png]]", "tea", "[[Tea]]", broken("![[tea.png]]", 1)),
            (
                "https://x.y/tea/b",
                "tea",
                "[[Tea]]",
                broken("https://x.y/tea/b", 1),
            ),
            ("x `tea [[A]] b", "tea", "[[Tea`]]", String::new()),
            ("x ` tea [[A]] b", "tea", "`[[Tea]]`", String::new()),
            ("x ` tea [[A]] b", "tea", "[[A]] ` `", String::new()),
            ("tea [[A]]", "tea", "``` `", String::new()),
            ("tea [[A]] `", "tea", "`", broken("[[A]]", 1)),
            ("tea\n[[A]]\n", "tea", "```", broken("[[A]]", 2)),
            ("[[A]]", "[[A]]", "[[B]]", broken("[[A]]", 1)),
            (
                "tea\n\n[x] y",
                "tea",
                "[x]: z",
                "n.md: would turn `[x]` on line 3 into a link; make this change by hand".to_owned(),
            ),
        ] {
            let found = refusal(&[("n.md", text)], &[], |vault| {
                vec![vault.edit("n.md", was, new)]
            });
            assert_eq!(found, expected, "{text:?} {was:?} {new:?}");
        }
    }

    #[test]
    fn a_rewriting_act_may_change_links_in_its_text() {
        for (text, was, new, is_allowed) in [
            ("a [[A]] b", "[[A]] b", "c", true),
            ("a [[A]] b", "[[A]]", "[[B|A]]", true),
            ("[a #b](c.md)", "#b", "#d", true),
            ("[a][b]\n\n[b]: c.md", "c.md", "d.md", true),
            ("a [[A]] b [[C]]", "A", "x]] [[", true),
            ("[[A|tea]]", "tea", "[[Tea]]", false),
            ("a [[A]] b [[C]]", "A]] b", "x", false),
            ("[[B|tea]] c", "tea", "[[B|tea]]", false),
            ("a [[A]] b", "a", "`", true),
            ("a [[A]] ` b", "a", "`", false),
        ] {
            let found = refusal(&[("n.md", text)], &["n.md"], |vault| {
                vec![vault.edit("n.md", was, new)]
            });
            assert_eq!(
                found.is_empty(),
                is_allowed,
                "{text:?} {was:?} {new:?}: {found}"
            );
        }
    }

    #[test]
    fn a_move_changes_targets_only() {
        for (was, new, is_allowed) in [
            ("[[A|b]]", "[[x/B|b]]", true),
            ("[[A|b]]", "[[B]]", false),
            ("[[A#H]]", "[[B]]", false),
            ("![[A]]", "[[B]]", false),
            ("[[A]]", "[[C]]", false),
            ("[[C]]", "[[y/C]]", true),
            ("[[A]]", "A", false),
        ] {
            let found = refusal(&[("A.md", "a"), ("n.md", was)], &[], |vault| {
                vec![
                    vault.move_to("A.md", "x/B.md", "a", "a"),
                    vault.edit("n.md", was, new),
                ]
            });
            assert_eq!(found.is_empty(), is_allowed, "{was} {new}: {found}");
        }
    }

    const TWO: &str = "## I\n### H";

    #[test]
    fn a_merge_keeps_the_headings_of_links_in_other_notes() {
        for (link, new, is_allowed) in [
            ("[[B#H]]", "[[A#H]]", false),
            ("[[B#H]]", "[[A#J#H]]", true),
            ("[[A#H]]", "[[A#J#H]]", false),
            ("[[B#B]]", "[[A]]", true),
            ("[[B#B|c]]", "[[A|c]]", true),
            ("[[B#J]]", "[[A]]", false),
            ("[[B#Gone]]", "[[A#Gone]]", true),
            ("[[B#^b]]", "[[A#^b]]", true),
        ] {
            let files = [
                ("A.md", TWO),
                ("B.md", "# B\n## J\n### H\nb ^b"),
                ("C.md", link),
            ];
            let found = refusal(&files, &[], |vault| {
                vec![
                    vault.edit("A.md", TWO, &format!("{TWO}\n## J\n### H\nb ^b")),
                    vault.merge_into("B.md", "A.md"),
                    vault.edit("C.md", link, new),
                ]
            });
            assert_eq!(found.is_empty(), is_allowed, "{link} {new}: {found}");
        }
    }

    #[test]
    fn a_merge_keeps_the_links_of_all_its_notes() {
        for (keeper, other, after, is_allowed) in [
            ("a", "[[C]]", "a [[C]]", true),
            ("a", "[[C]]", "a", false),
            ("a [[C]]", "[[C]] [[A]]", "a [[C]]", true),
            ("a [[C]]", "[[C]] [[C]]", "a [[C]]", false),
            ("a [[C]]", "[[C|d]]", "a [[C]]", false),
            ("a [b](c.md)", "[b](../c.md)", "a [b](c.md)", true),
            ("a [[B]] b", "c", "a B b", true),
            ("a [[B#H]] b", "## H", "a H b\n\n## H", false),
            ("a [[B#H]] b", "## H", "a [[A#H]] b\n\n## H", true),
            ("a [[B#H]] b", "# I", "a H b\n\n# I", true),
            ("a [[A#H]] b\n\n# H", "c", "a H b\n\n# H", false),
            ("a [[A]] b", "c", "a A b", false),
            ("# H", "![[B#H]]", "# H\n\nB > H", false),
            ("# H", "![[B#H]]", "# H\n\n![[A#H]]", true),
            ("a [[C]] b", "c", "a C b", false),
            // To the title, which the merge omits.
            ("a", "# B\n\n[[#B]]", "a\n\nB", true),
            ("a", "# B\n\n[[#B]]", "a\n\n[[#B]]", true),
            // To one of two headings with the same name.
            (
                TWO,
                "## J\n### H\n[[#H]]",
                "## I\n### H\n## J\n### H\n[[#H]]",
                false,
            ),
            (
                TWO,
                "## J\n### H\n[[#H]]",
                "## I\n### H\n## J\n### H\n[[#J#H]]",
                true,
            ),
            (
                TWO,
                "## J\n### H\n[x](B.md#h)",
                "## I\n### H\n## J\n### H\n[x](A.md#h-1)",
                true,
            ),
            (
                TWO,
                "## J\n### H\n[x](B.md#h)",
                "## I\n### H\n## J\n### H\n[x](A.md#h)",
                false,
            ),
            (
                TWO,
                "---\nup: \"[[B#J]]\"\n---\n## J",
                "## I\n### H\n## J",
                false,
            ),
            (
                "## H\n[[#H]]",
                "## J\n### H",
                "## J\n### H\n## H\n[[#H]]",
                false,
            ),
        ] {
            let found = refusal(&[("A.md", keeper), ("x/B.md", other)], &[], |vault| {
                let edit = (keeper != after).then(|| vault.edit("A.md", keeper, after));
                let merge = vault.merge_into("x/B.md", "A.md");
                edit.into_iter().chain([merge]).collect()
            });
            assert_eq!(
                found.is_empty(),
                is_allowed,
                "{keeper} {other} {after}: {found}"
            );
        }
    }

    #[test]
    fn positions_account_for_earlier_edits() {
        let text = "---\na: 1\n---\none [[A]] two [[A]] three\n";
        let vault = TestVault::new(&[("n.md", text)]);
        let first = vault.edit("n.md", "one", "much longer than one");
        let mut plan = plan(vec![
            vec![first],
            vec![vault.edit("n.md", "two [[A]]", "2")],
            vec![vault.edit("n.md", "three", "`")],
        ]);
        plan.groups[1].rewritten = vec![path("n.md")];
        let compiled = preview(&vault.vault(), &plan);
        for compiled in &compiled {
            assert!(matches!(compiled, CompileOutcome::Ready(_)), "{compiled:?}");
        }
    }
}
