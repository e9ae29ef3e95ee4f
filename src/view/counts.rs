//! Counts of links and tags and link status of all notes, computed once and updated incrementally.

use std::collections::BTreeSet;

use super::graph::Stems;
use super::link_targets::OtherTargets;
use crate::cache::counts::{AllCounts, LinkStatus, NoteCounts};
use crate::cache::sync::ChangedNotes;
use crate::view::prelude::*;

/// Above this number of relinked notes a full recount is cheaper than an update.
const MAX_RELINKED_NOTES: usize = 2000;

impl View<'_> {
    pub(super) fn counts(&self) -> Result<&AllCounts> {
        if let Some(counts) = self.signals.counts.get() {
            return Ok(counts);
        }
        let (meta, kept) = (self.reading().meta()?, self.signals.kept.as_deref());
        if let Some(counts) = kept.and_then(|file| AllCounts::load(file, &meta)) {
            return Ok(self.signals.counts.get_or_init(|| counts));
        }
        let counts = self.count()?;
        if let Some(file) = kept {
            counts.keep(file, &meta);
        }
        Ok(self.signals.counts.get_or_init(|| counts))
    }

    /// Counts the links and tags of all notes.
    fn count(&self) -> Result<AllCounts> {
        let entries = self.by_slot(|_| true)?;
        let (stems, other_targets) = (Stems::of(&entries), OtherTargets::of(self)?);
        let mut counts = vec![NoteCounts::default(); entries.len()];
        let mut targets = Vec::new();
        let mut from = 0;
        self.reading().scan_heads(|slot, head| {
            while entries.get(from).is_some_and(|entry| entry.slot < slot) {
                from += 1;
            }
            let Some(entry) = entries.get(from).filter(|entry| entry.slot == slot) else {
                return Ok(());
            };
            let (tags, links) = head.tags_and_links()?;
            counts[from].tags = u32::try_from(tags).unwrap_or(u32::MAX);
            let mut status = LinkStatus::default();
            targets.clear();
            for link in &links {
                match stems.resolve(&entries, &entry.path, link.target, link.markdown) {
                    Some(to) => {
                        targets.push(to);
                        status.has_resolved |= to != from;
                    }
                    None => {
                        status.has_broken |=
                            other_targets.is_broken(&entry.path, link.target, link.markdown);
                    }
                }
            }
            counts[from].status = status;
            targets.sort_unstable();
            targets.dedup();
            for to in targets.iter().filter(|to| **to != from) {
                counts[from].links += 1;
                if entry.row.flags.has(Flags::DERIVED) {
                    counts[*to].summaries += 1;
                } else {
                    counts[*to].links += 1;
                }
            }
            Ok(())
        })?;
        let slots = entries.iter().map(|entry| entry.slot);
        Ok(AllCounts::of(slots.zip(counts)))
    }
}

/// Updates the counts in `file` from `before` to `after`, which differ by `changed`. If that is
/// impossible, the next reader recounts.
pub fn update_counts(
    file: &Path,
    before: &View<'_>,
    after: &View<'_>,
    changed: &ChangedNotes,
) -> Result<()> {
    let (was, is) = (before.reading().meta()?, after.reading().meta()?);
    if was.generation == is.generation {
        return Ok(());
    }
    let Some(mut counts) = AllCounts::load(file, &was) else {
        return Ok(());
    };
    let (had, has) = (OtherTargets::of(before)?, OtherTargets::of(after)?);
    let folders = had.differing(&has);
    let Some(slots) = notes_with_relinked_targets(before, after, changed, folders)? else {
        return Ok(());
    };
    for (view, other_targets, by) in [(before, &had, -1), (after, &has, 1)] {
        for slot in &slots {
            if add_contribution(&mut counts, view, other_targets, *slot, by)?.is_none() {
                return Ok(());
            }
        }
    }
    counts.keep(file, &is);
    Ok(())
}

/// Returns the notes whose links may resolve differently; `None` above [`MAX_RELINKED_NOTES`].
///
/// These are changed notes and notes that link to a changed name or to one of `folders`.
fn notes_with_relinked_targets<'f>(
    before: &View<'_>,
    after: &View<'_>,
    changed: &ChangedNotes,
    folders: impl Iterator<Item = &'f str>,
) -> Result<Option<BTreeSet<Slot>>> {
    let mut slots = BTreeSet::new();
    let mut renamed: Vec<VaultPath> = changed.added.clone();
    for (from, to) in &changed.moved {
        renamed.extend(VaultPath::new(from).ok());
        renamed.push(to.clone());
    }
    let removed = changed.removed.iter();
    renamed.extend(removed.filter_map(|path| VaultPath::new(path).ok()));
    if renamed.len() + changed.changed.len() > MAX_RELINKED_NOTES {
        return Ok(None);
    }
    let mut names: BTreeSet<IndexKey> = folders.map(IndexKey::link).collect();
    names.extend(renamed.iter().map(|path| IndexKey::link(path.stem())));
    for view in [before, after] {
        for path in renamed.iter().chain(&changed.changed) {
            slots.extend(view.reading().at(path)?);
        }
        for name in &names {
            slots.extend(view.reading().find(*name)?);
        }
    }
    Ok(Some(slots).filter(|slots| slots.len() <= MAX_RELINKED_NOTES))
}

/// Adds the contribution of note `slot`, multiplied by `by`; `None` if a count would become
/// negative.
fn add_contribution(
    counts: &mut AllCounts,
    view: &View<'_>,
    other_targets: &OtherTargets,
    slot: Slot,
    by: i32,
) -> Result<Option<()>> {
    let mut status = LinkStatus::default();
    let Some(entry) = view.entry(slot)? else {
        counts.set_status(slot, status);
        return Ok(Some(()));
    };
    let details = view.details(slot)?;
    let mut targets = BTreeSet::new();
    for link in &details.links {
        match view.resolve(&entry.path, &link.target, link.markdown)? {
            Some(target) => {
                targets.insert(target.slot);
            }
            None => {
                status.has_broken |=
                    other_targets.is_broken(&entry.path, &link.target, link.markdown);
            }
        }
    }
    targets.remove(&slot);
    status.has_resolved = !targets.is_empty();
    counts.set_status(slot, status);
    let (links, tags) = (targets.len() as i32 * by, details.tags.len() as i32 * by);
    let mut is_done = counts.add(slot, links, 0, tags);
    let (links, summaries) = if entry.row.flags.has(Flags::DERIVED) {
        (0, by)
    } else {
        (by, 0)
    };
    for target in targets {
        is_done = is_done.and_then(|()| counts.add(target, links, summaries, 0));
    }
    Ok(is_done)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::view::tests::IndexedVault;

    #[test]
    fn single_and_bulk_link_counts_agree() {
        let scene = IndexedVault::new([
            ("a.md", "[[b]] [[b]] [[c]] [[a]] [[nowhere]]"),
            ("b.md", "[a](a.md) #x #y/z"),
            ("c.md", "nothing"),
            ("d/c.md", "[[c]] [[d/c]] [[x/c]] [c](c.md)"),
            ("d/ä.md", "[[../A]] [[/B]] [[Ä]]"),
            ("e.md", "---\nsupports: [\"[[a]]\"]\n---\n"),
            ("f.md", "---\ntype: meta\nsummarizes: [\"[[a]]\"]\n---\n"),
        ]);
        let view = scene.view(false);
        let all = view.count().unwrap();
        for entry in view.entries().unwrap() {
            let counts = all.get(entry.slot);
            assert_eq!(
                view.links(&entry).unwrap(),
                (counts.links, counts.summaries),
                "{}",
                entry.path
            );
            assert_eq!(view.tags(&entry).unwrap(), all.get(entry.slot).tags);
        }
    }

    const NAMES: [&str; 6] = ["a.md", "b.md", "d/a.md", "d/b.md", "e/A.md", "e/c.md"];

    /// Notes by their index in [`NAMES`]: the targets of their links, and whether each is a
    /// summary.
    fn vault() -> impl Strategy<Value = BTreeMap<usize, (Vec<usize>, bool)>> {
        let note = (prop::collection::vec(0..11_usize, 0..4), any::<bool>());
        prop::collection::btree_map(0..NAMES.len(), note, 1..6)
    }

    fn files(notes: &BTreeMap<usize, (Vec<usize>, bool)>) -> BTreeMap<String, String> {
        const LINKS: [&str; 11] = [
            "[[a]]",
            "[[b]]",
            "[[d/a]]",
            "[[./b]]",
            "[b](b.md)",
            "[a](../a.md)",
            "[[c]]",
            "#x #y",
            "[[/A]]",
            "[folder](d)",
            "[folder](../e)",
        ];
        let text = |(links, is_summary): &(Vec<usize>, bool)| {
            let links: Vec<&str> = links.iter().map(|link| LINKS[*link]).collect();
            let head = if *is_summary {
                "---\ntype: meta\nsummarizes: [\"[[b]]\"]\n---\n"
            } else {
                ""
            };
            format!("{head}{}\n", links.join(" "))
        };
        let notes = notes.iter();
        notes
            .map(|(name, note)| (NAMES[*name].to_owned(), text(note)))
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn updated_counts_equal_a_recount(
            versions in prop::collection::vec(vault(), 2..5),
        ) {
            let mut scene = IndexedVault::of(files(&versions[0]), None);
            let kept = scene.home("counts");
            let counted = |scene: &IndexedVault| {
                let mut view = scene.view(false);
                view.signals.kept = Some(kept.clone());
                let all = view.counts().unwrap();
                let entries = view.entries().unwrap();
                entries.iter().map(|entry| all.get(entry.slot)).collect::<Vec<_>>()
            };
            counted(&scene);
            for version in &versions[1..] {
                let before = scene.reading();
                let changed = scene.becomes(files(version));
                let before = View::new(&scene.vault, before, scene.view(false).now);
                let after = scene.view(false);
                update_counts(&kept, &before, &after, &changed).unwrap();
                let meta = after.reading().meta().unwrap();
                prop_assert!(AllCounts::load(&kept, &meta).is_some());
                let brought = counted(&scene);
                std::fs::remove_file(&kept).unwrap();
                prop_assert_eq!(brought, counted(&scene));
            }
        }
    }
}
