//! `consolidate`: replaces several similar notes by one digest.
//!
//! | condition | result |
//! |---|---|
//! | two to five working notes (by setting also near duplicates) are near the first of them | question: a digest of their own sentences, `derived_from` them, and they become archival (by setting the digest replaces them) |
//! | the digest would lose a number, date, name, link or symbol, split a table or code, or not be shorter apart from boilerplate | nothing |
//! | one of them has `keep`, or their properties do not fit in one note | nothing |
//!
//! Corresponds to Ormah's consolidator and OwnSona's sleep job. Digests and summaries are never sources, and a
//! note is a source of at most one digest. Rules cannot judge prose, so a digest is always a proposal.

mod digest;
mod options;
mod properties;
#[cfg(test)]
mod tests;
mod units;

pub use options::ConsolidateOptions;

use self::digest::digest;
use self::options::{ClusterSource, Originals};
use self::units::DigestSource;
use super::boilerplate::Boilerplate;
use super::conflicts;
use super::find::{is_evidence, living, not_replaced};
use super::fresh::{self, PathAllocator};
use super::pool::Pool;
use crate::jobs::prelude::*;
use crate::note;
use crate::note::words::segments::TextWeights;

/// Job table entry.
pub static JOB: Job = Job {
    name: ConsolidateOptions::NAME,
    aliases: &["consolidator"],
    about: "Propose a digest that replaces several similar notes",
    help: include_str!("help.txt"),
    looks: ("cluster", "looked at"),
    done: "consolidated",
    nothing: "nothing to consolidate",
    every: Interval::days(1),
    every_about: "how often `mem sleep` runs consolidate",
    kinds: &[QuestionKind::Consolidate],
    options: job::JobOptions::of::<ConsolidateOptions>(),
};

/// Maximum number of notes per digest.
const MAX_SOURCES: usize = 5;

/// Number of nearest notes considered for each note.
const NEIGHBOURS_PER_NOTE: usize = 20;

/// Prior probability that a digest is accepted, used before there are answers.
const PRIOR_ACCEPTANCE: f32 = 0.6;

impl Find for ConsolidateOptions {
    fn find(&self, view: &View<'_>, answers: &Answers, seeds: &Seeds) -> Result<Findings> {
        let mut findings = Findings::default();
        let Some(near) = view.near() else {
            return Ok(findings);
        };
        let pool = Pool::new(view, self.pool(view)?);
        let clusters = clusters(&pool, seeds, self.min_cosine(near.thresholds()));
        findings.compared = clusters.len();
        let mut paths = PathAllocator::default();
        let mut found = Vec::new();
        for (members, least) in clusters {
            let entries: Vec<&Entry> = members.iter().map(|at| &pool[*at]).collect();
            let entries = not_replaced(view, entries, |entry| *entry)?;
            if entries.len() < 2 || entries.iter().any(|entry| entry.row.flags.has(Flags::KEEP)) {
                continue;
            }
            let skipped = &mut findings.skipped;
            found.extend(self.finding(view, &entries, least, answers, &mut paths, skipped)?);
        }
        findings.found = without_boilerplate(view, found)?;
        Ok(findings)
    }

    fn notes(&self) -> NoteScope {
        self.notes
    }
}

/// Minimum score of a contradiction that keeps two notes apart.
const MIN_CONTRADICTION_SCORE: f32 = 0.4;

/// Returns true if two of the notes contradict each other. The digest would contain both versions; `conflicts`
/// decides between them.
fn has_contradiction(sources: &[DigestSource]) -> bool {
    let mut pairs = sources
        .iter()
        .enumerate()
        .flat_map(|(at, a)| sources[at + 1..].iter().map(move |b| (a, b)));
    pairs.any(|(a, b)| {
        let sign = conflicts::compare(&a.body, &b.body);
        sign.is_some_and(|sign| sign.score >= MIN_CONTRADICTION_SCORE)
    })
}

impl ConsolidateOptions {
    /// Returns the notes that may be in a cluster, ordered by path.
    fn pool(&self, view: &View<'_>) -> Result<Vec<Entry>> {
        let now = view.now.timestamp().as_second();
        let mut pool = living(view)?;
        pool.retain(|entry| {
            let is_meant = match entry.row.flags.tier() {
                Tier::Working => true,
                Tier::Archival => self.source == ClusterSource::NearDuplicates,
                Tier::Core | Tier::Forgotten => false,
            };
            is_meant
                && is_evidence(entry)
                && self.notes.has(entry)
                && entry.row.expires > now
                && entry.row.rows.count > 0
        });
        if pool.is_empty() {
            return Ok(pool);
        }
        let mut digested = HashSet::new();
        for entry in view.entries()? {
            if entry.row.flags.has(Flags::DERIVED) {
                let derived = view.linked_by(&entry, Relation::DerivedFrom)?;
                digested.extend(derived.into_iter().map(|of| of.slot));
            }
        }
        pool.retain(|entry| !digested.contains(&entry.slot));
        Ok(pool)
    }

    fn finding(
        &self,
        view: &View<'_>,
        entries: &[&Entry],
        least: f32,
        answers: &Answers,
        paths: &mut PathAllocator,
        skipped: &mut Vec<String>,
    ) -> Result<Option<(Finding, Vec<DigestSource>)>> {
        let keys = entries
            .iter()
            .map(|entry| view.content_key(entry))
            .collect::<Result<Vec<_>, _>>()?;
        let key = QuestionKey::new(QuestionKind::Consolidate, &keys);
        if answers.get(key) == Some(Answer::No) {
            return Ok(None);
        }
        let Some(texts) = fresh::texts(view, entries, skipped) else {
            return Ok(None);
        };
        let mut sources = Vec::new();
        for (entry, text) in entries.iter().zip(&texts) {
            let details = view.details(entry.slot)?;
            sources.push(DigestSource {
                title: details.title,
                aliases: details.aliases,
                weights: TextWeights::default(),
                body: text[split::split(text).body].replace("\r\n", "\n"),
                target: view.wikilink_target(entry)?,
            });
        }
        if has_contradiction(&sources) {
            return Ok(None);
        }
        let Some(links) = fresh::links(view, entries)? else {
            return Ok(None);
        };
        let Some(mut merged) = properties::merged_properties(view, entries)? else {
            return Ok(None);
        };
        let Ok(digest) = digest(&sources) else {
            return Ok(None);
        };
        let title = format!("Digest of {}", sources[0].title);
        let Some(path) = paths.allocate(view, entries, &title)? else {
            return Ok(None);
        };
        if !links_resolve_equally(view, entries, &sources, &path)? {
            return Ok(None);
        }
        merged.insert(0, ("title".to_owned(), title.into()));
        merged.push((
            Relation::DerivedFrom.name().to_owned(),
            links.clone().into(),
        ));
        if self.originals == Originals::Superseded {
            merged.push((Relation::EvolvedFrom.name().to_owned(), links.into()));
        }
        // The digest is dated like its newest source.
        let created = entries
            .iter()
            .map(|entry| entry.row.created)
            .max()
            .unwrap_or_default();
        let mut acts = vec![Act::Create {
            path,
            text: fresh::text(ConsolidateOptions::NAME, created, merged, &digest.body),
        }];
        let retired =
            |entry: &&Entry| Act::edit(&entry.path, vec![self.retiring_edit(view, created)]);
        acts.extend(entries.iter().map(retired));
        let [before, after] = digest.words;
        let finding = Finding::new(
            key,
            entries.iter().map(|entry| entry.path.clone()).collect(),
            acts,
            PRIOR_ACCEPTANCE * least.clamp(0.0, 1.0),
            format!(
                "{} notes, cosine {least:.2} or more; {after} of their {before} words, all {} numbers, names and links",
                entries.len(),
                digest.items
            ),
        );
        Ok(Some((finding, sources)))
    }

    /// Returns the edit that retires a source of a digest created at `created`.
    fn retiring_edit(&self, view: &View<'_>, created: i64) -> Edit {
        match self.originals {
            // Without a date, so that neither use restores it nor a rule demotes it further.
            Originals::Archival => Edit::set("tier", Tier::Archival.name()),
            Originals::Superseded => {
                let begins =
                    jiff::Timestamp::from_second(created).unwrap_or_else(|_| view.now.timestamp());
                Edit::set("valid_until", begins.to_string())
            }
        }
    }
}

/// Removes digests that are shorter only because of boilerplate.
fn without_boilerplate(
    view: &View<'_>,
    mut found: Vec<(Finding, Vec<DigestSource>)>,
) -> Result<Vec<Finding>> {
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let bodies = found
        .iter()
        .flat_map(|(_, sources)| sources)
        .map(|source| source.body.as_str());
    let boilerplate = Boilerplate::learn(view, bodies)?;
    found.retain_mut(|(_, sources)| {
        if sources
            .iter()
            .any(|source| boilerplate.is_form(&source.body))
        {
            return false;
        }
        for source in sources.iter_mut() {
            source.weights = boilerplate.weights(&source.body);
        }
        digest(sources).is_ok()
    });
    Ok(found.into_iter().map(|(finding, _)| finding).collect())
}

/// Returns clusters of notes near their first one, as positions with the lowest cosine to it. Starts with the
/// note that has the nearest neighbour.
fn clusters(pool: &Pool<'_, '_>, seeds: &Seeds, least: f32) -> Vec<(Vec<usize>, f32)> {
    let mut stars = pool.neighbours(&pool.seeds(seeds), NEIGHBOURS_PER_NOTE, least);
    stars.retain(|(_, others)| !others.is_empty());
    stars.sort_by(|a, b| b.1[0].1.total_cmp(&a.1[0].1).then(a.0.cmp(&b.0)));
    let mut used = HashSet::new();
    let mut clusters = Vec::new();
    for (first, others) in stars {
        if used.contains(&first) {
            continue;
        }
        let free = others.into_iter().filter(|(at, _)| !used.contains(at));
        let others: Vec<(usize, f32)> = free.take(MAX_SOURCES - 1).collect();
        let Some((_, least)) = others.last().copied() else {
            continue;
        };
        let mut members = vec![first];
        members.extend(others.into_iter().map(|(at, _)| at));
        used.extend(members.iter().copied());
        clusters.push((members, least));
    }
    clusters
}

/// Returns true if every link of the sources has the same target from `path`. Otherwise equal sentences could
/// have different meanings.
fn links_resolve_equally(
    view: &View<'_>,
    entries: &[&Entry],
    sources: &[DigestSource],
    path: &VaultPath,
) -> Result<bool> {
    for (entry, source) in entries.iter().zip(sources) {
        for link in note::read(&source.body, "").links {
            let is_markdown = link.kind == note::LinkKind::Markdown;
            if (is_markdown || link.embed) && entry.path.folder() != path.folder() {
                return Ok(false);
            }
            let slot = |from: &VaultPath| -> Result<Option<Slot>> {
                let to = view.resolve(from, &link.target, is_markdown)?;
                Ok(to.map(|to| to.slot))
            };
            if slot(&entry.path)? != slot(path)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
