//! `cluster`: maintains a summary of each group of similar notes.
//!
//! | condition | result |
//! |---|---|
//! | three or more notes are near each other, and no summary has half of them | a note of `type: meta` that `summarizes` them, with a sentence of each; certain if mem or an agent wrote all of them |
//! | a summary has half or more of a group's notes, and the group or its texts changed | the lines between its marks are rewritten, unless a person edited them |
//! | their texts are mostly boilerplate | nothing |
//! | the notes of a summary no longer form a group, and the summary is unedited | trash |
//!
//! AutoMem's cluster job writes another note in each run; here a group keeps its note. Summaries are derived from
//! their notes: they are never seeds of a job, and `recall` ranks them below their notes.

mod existing;
mod groups;
mod options;
mod summary;
#[cfg(test)]
mod tests;

pub use options::ClusterOptions;

use self::existing::{ExistingSummary, existing_summaries, match_groups};
use self::groups::{MIN_GROUP_SIZE, SimilarityGraph};
use self::summary::ClusterMember;
use super::boilerplate::Boilerplate;
use super::find::{is_evidence, living, not_replaced};
use super::fresh::{self, PathAllocator};
use super::pool::Pool;
use super::split::original;
use crate::embed::dot;
use crate::jobs::prelude::*;
use crate::note::markdown::marks;
use crate::note::markdown::marks::marked_blocks;
use crate::note::whole_wikilink;
use crate::signals::Signal;
use crate::view::NoteSimilarity;

/// Job table entry.
pub static JOB: Job = Job {
    name: ClusterOptions::NAME,
    aliases: &[],
    about: "Write a summary of each group of similar notes",
    help: include_str!("help.txt"),
    looks: ("note", "checked"),
    done: "summarized",
    nothing: "nothing to summarize",
    every: Interval::days(7),
    every_about: "how often `mem sleep` runs cluster",
    kinds: &[QuestionKind::Cluster],
    options: job::JobOptions::of::<ClusterOptions>(),
};

/// Command name in the marks of a generated block.
pub(super) const COMMAND: &str = "cluster";

/// Number of nearest notes considered for each note.
const NEIGHBOURS_PER_NOTE: usize = 24;

/// Below this number of words the threshold for short texts applies.
const MAX_SHORT_WORDS: u32 = 60;

/// Minimum number of words of a clustered note.
const MIN_WORDS: u32 = 5;

/// Confidence of a summary, as in AutoMem.
const CONFIDENCE: f64 = 0.8;

impl Find for ClusterOptions {
    fn find(&self, view: &View<'_>, answers: &Answers, seeds: &Seeds) -> Result<Findings> {
        let mut findings = Findings::default();
        let known = existing_summaries(view)?;
        let pool = Pool::new(view, self.pool(view, &known)?);
        let Some(near) = view.near() else {
            return Ok(findings);
        };
        if pool.is_empty() && known.is_empty() {
            return Ok(findings);
        }
        let start = start_positions(&pool, &known, seeds);
        let (similarity_graph, compared) = self.similarity_graph(near, &pool, &start);
        findings.compared = compared.len();
        let all_groups = self.groups(near, &pool, similarity_graph);
        let groups = summarizable(&pool, all_groups)?;
        let slots: Vec<Vec<Slot>> = groups
            .iter()
            .map(|group| group.iter().map(|at| pool[*at].slot).collect())
            .collect();
        let matched = match_groups(&slots, &known);
        let mut paths = PathAllocator::default();
        for (group, of) in groups.iter().zip(&matched) {
            let entries: Vec<&Entry> = group.iter().map(|at| &pool[*at]).collect();
            let of = of.map(|at| &known[at]);
            let found = finding(
                view,
                near,
                entries,
                of,
                answers,
                &mut paths,
                &mut findings.skipped,
            )?;
            findings.found.extend(found);
        }
        let compared: HashSet<Slot> = compared.iter().map(|at| pool[*at].slot).collect();
        for (at, one) in known.iter().enumerate() {
            // Without the neighbours of all its notes, a summary cannot be retired.
            let is_compared =
                |slot: &Slot| compared.contains(slot) || pool.position(*slot).is_none();
            if !matched.contains(&Some(at))
                && (one.has_missing_note
                    || seeds.has(one.entry.slot)
                    || one.members.iter().any(|slot| compared.contains(slot)))
                && one.members.iter().all(is_compared)
            {
                findings.found.extend(removal(view, one, answers)?);
            }
        }
        Ok(findings)
    }

    /// Returns the summaries with a note that is missing or no longer takes part.
    fn dirty_slots(&self, view: &View<'_>) -> Result<Vec<Slot>> {
        let mut known = existing_summaries(view)?;
        known.retain(|one| one.is_own);
        if known.is_empty() {
            return Ok(Vec::new());
        }
        let now = view.now.timestamp().as_second();
        let living = living(view)?;
        let valid = living.iter().filter(|entry| entry.row.expires > now);
        let valid: HashSet<Slot> = valid.map(|entry| entry.slot).collect();
        known.retain(|one| {
            one.has_missing_note || one.members.iter().any(|slot| !valid.contains(slot))
        });
        Ok(known.iter().map(|one| one.entry.slot).collect())
    }

    fn notes(&self) -> NoteScope {
        self.notes
    }
}

impl ClusterOptions {
    /// Returns the notes that may be in a group, ordered by path.
    fn pool(&self, view: &View<'_>, known: &[ExistingSummary]) -> Result<Vec<Entry>> {
        let now = view.now.timestamp().as_second();
        let mut pool = living(view)?;
        pool.retain(|entry| {
            self.notes.has(entry)
                && is_evidence(entry)
                && entry.row.expires > now
                && entry.row.words >= MIN_WORDS
                && entry.row.rows.count > 0
        });
        if self.relevance > 0.0 && !pool.is_empty() {
            // Notes in a summary stay in it while they fade.
            let summarized: HashSet<Slot> = known
                .iter()
                .flat_map(|one| one.members.iter().copied())
                .collect();
            let usages = view.usages(&pool)?;
            let mut measured = view
                .measured(&pool, &usages, &[Signal::Relevance])?
                .into_iter()
                .map(|values| values[0]);
            pool.retain(|entry| {
                let relevance = measured.next().unwrap_or(0.0);
                relevance > self.relevance || summarized.contains(&entry.slot)
            });
        }
        Ok(pool)
    }

    /// Returns the part of the similarity graph connected to `start`, and the positions of the compared notes.
    fn similarity_graph(
        &self,
        near: &NoteSimilarity,
        pool: &Pool<'_, '_>,
        start: &[usize],
    ) -> (SimilarityGraph, HashSet<usize>) {
        let thresholds = near.thresholds();
        let lowest = self
            .min_cosine(thresholds, true)
            .min(self.min_cosine(thresholds, false));
        let mut similarity_graph = SimilarityGraph::default();
        let mut compared: HashSet<usize> = HashSet::new();
        let mut next = start.to_vec();
        while !next.is_empty() {
            compared.extend(&next);
            // Above a quarter of the notes, comparing all at once is cheaper than by expansion.
            if compared.len() * 4 > pool.len() && compared.len() < pool.len() {
                next.extend((0..pool.len()).filter(|at| !compared.contains(at)));
                compared.extend(0..pool.len());
            }
            let mut further = Vec::new();
            for (from, others) in pool.neighbours(&next, NEIGHBOURS_PER_NOTE, lowest) {
                for (to, cosine) in others {
                    let is_short = pool[from].row.words.max(pool[to].row.words) < MAX_SHORT_WORDS;
                    if cosine >= self.min_cosine(thresholds, is_short) {
                        similarity_graph.add(from, to, cosine);
                        if !compared.contains(&to) {
                            further.push(to);
                        }
                    }
                }
            }
            further.sort_unstable();
            further.dedup();
            next = further;
        }
        (similarity_graph, compared)
    }

    fn groups(
        &self,
        near: &NoteSimilarity,
        pool: &[Entry],
        similarity_graph: SimilarityGraph,
    ) -> Vec<Vec<usize>> {
        if self.spread >= 1.0 {
            return similarity_graph.groups(None);
        }
        let thresholds = near.thresholds();
        let vectors: HashMap<usize, Vec<f32>> = similarity_graph
            .notes()
            .filter_map(|at| Some((at, near.vector(&pool[at])?)))
            .collect();
        let alike = |a: usize, b: usize| {
            let is_short = pool[a].row.words.max(pool[b].row.words) < MAX_SHORT_WORDS;
            let min_cosine = self.min_cosine(thresholds, is_short) - self.spread as f32;
            dot(&vectors[&a], &vectors[&b]) >= min_cosine
        };
        similarity_graph.groups(Some(&alike))
    }
}

/// Returns the start positions in `pool`: seeds, and the notes of summaries that changed, lost a note or contain
/// a seed.
fn start_positions(pool: &[Entry], known: &[ExistingSummary], seeds: &Seeds) -> Vec<usize> {
    let mut also = HashSet::new();
    for one in known {
        let is_touched = |slot: &Slot| seeds.has(*slot);
        if one.has_missing_note || is_touched(&one.entry.slot) || one.members.iter().any(is_touched)
        {
            also.extend(one.members.iter().copied());
        }
    }
    let positions = pool.iter().enumerate();
    positions
        .filter(|(_, entry)| seeds.has(entry.slot) || also.contains(&entry.slot))
        .map(|(at, _)| at)
        .collect()
}

/// Removes notes whose text is mostly boilerplate, since forms are similar to each other but have nothing to quote,
/// and replaced notes, whose statements do not hold any more.
fn summarizable(pool: &Pool<'_, '_>, mut groups: Vec<Vec<usize>>) -> Result<Vec<Vec<usize>>> {
    let view = pool.view;
    // Unreadable notes are reported when their group is summarized.
    let bodies = pool.bodies(groups.iter().flatten().copied(), &mut Vec::new());
    let boilerplate = Boilerplate::learn(view, bodies.values().map(String::as_str))?;
    let has_little_own_text = |at: &usize| {
        let body = bodies.get(at);
        body.is_some_and(|body| boilerplate.has_little_own_text(body))
    };
    for group in &mut groups {
        group.retain(|at| !has_little_own_text(at));
    }
    // Parts of a split note need no summary.
    let mut kept = Vec::new();
    for group in groups {
        let group = not_replaced(view, group, |at| &pool[*at])?;
        let originals = group.iter().map(|at| original(view, &pool[*at]));
        if originals.collect::<Result<HashSet<_>, _>>()?.len() >= MIN_GROUP_SIZE {
            kept.push(group);
        }
    }
    Ok(kept)
}

/// Returns the finding for a group with its existing summary `known`, if any.
fn finding(
    view: &View<'_>,
    near: &NoteSimilarity,
    mut entries: Vec<&Entry>,
    known: Option<&ExistingSummary>,
    answers: &Answers,
    paths: &mut PathAllocator,
    skipped: &mut Vec<String>,
) -> Result<Option<Finding>> {
    let keys = entries
        .iter()
        .map(|entry| view.content_key(entry))
        .collect::<Result<Vec<_>, _>>()?;
    let key = QuestionKey::new(QuestionKind::Cluster, &keys);
    if answers.get(key) == Some(Answer::No) {
        return Ok(None);
    }
    let [nearest, farthest] = sort_by_centrality(near, &mut entries);
    let Some(texts) = fresh::texts(view, &entries, skipped) else {
        return Ok(None);
    };
    let members = entries
        .iter()
        .zip(&texts)
        .map(|(entry, text)| ClusterMember::of(view, entry, text))
        .collect::<Result<Vec<_>, _>>()?;
    let Some(links) = fresh::links(view, &entries)? else {
        return Ok(None);
    };
    let targets: Vec<String> = links.iter().filter_map(target).collect();
    let mut notes: Vec<_> = entries.iter().map(|entry| entry.path.clone()).collect();
    let act = match known {
        None => {
            let title = summary::title(view, &members)?;
            let Some(path) = paths.allocate(view, &entries, &title)? else {
                return Ok(None);
            };
            let body = summary::lines(&members, &title, &targets);
            let mut properties = vec![
                ("title".to_owned(), title.into()),
                ("type".to_owned(), "meta".into()),
                ("confidence".to_owned(), CONFIDENCE.into()),
            ];
            for (key, value) in summary::properties(&members) {
                properties.extend(value.map(|value| (key.to_owned(), value)));
            }
            properties.push((Relation::Summarizes.name().to_owned(), links.into()));
            let body = marks::block(COMMAND, &body);
            let now = view.now.timestamp().as_second();
            let text = fresh::text(ClusterOptions::NAME, now, properties, &body);
            Act::Create { path, text }
        }
        Some(known) => {
            let Some(edits) = update_edits(view, known, &members, &entries, links, &targets)?
            else {
                return Ok(None);
            };
            notes.push(known.entry.path.clone());
            Act::edit(&known.entry.path, edits)
        }
    };
    Ok(Some(Finding {
        certain: entries.iter().all(|entry| entry.is_managed()),
        ..Finding::new(
            key,
            notes,
            vec![act],
            farthest.clamp(0.0, 1.0),
            format!(
                "{} notes, cosines {farthest:.2} to {nearest:.2}",
                entries.len()
            ),
        )
    }))
}

/// Sorts the notes of a group by similarity to the others, highest first; returns the highest and the lowest
/// cosine of any two.
fn sort_by_centrality(near: &NoteSimilarity, entries: &mut [&Entry]) -> [f32; 2] {
    let vectors: Vec<Vec<f32>> = entries
        .iter()
        .map(|entry| near.vector(entry).unwrap_or_default())
        .collect();
    let mut bounds = [f32::MIN, f32::MAX];
    let mut sums = HashMap::new();
    for (a, from) in vectors.iter().enumerate() {
        for (b, to) in vectors.iter().enumerate().filter(|(b, _)| *b != a) {
            let cosine = dot(from, to);
            *sums.entry(entries[a].slot).or_insert(0.0) += cosine;
            if a < b {
                bounds = [bounds[0].max(cosine), bounds[1].min(cosine)];
            }
        }
    }
    entries.sort_by(|a, b| {
        let order = f32::total_cmp(&sums[&b.slot], &sums[&a.slot]);
        order.then_with(|| a.path.cmp(&b.path))
    });
    bounds
}

/// Returns the edits that update the summary of a group; `None` if it is current, or if a person edited its
/// lines.
fn update_edits(
    view: &View<'_>,
    known: &ExistingSummary,
    members: &[ClusterMember<'_>],
    entries: &[&Entry],
    links: Vec<Value>,
    targets: &[String],
) -> Result<Option<Vec<Edit>>> {
    let Ok(text) = view.text(&known.entry) else {
        return Ok(None);
    };
    let blocks = marked_blocks(&text);
    let block = blocks
        .iter()
        .find(|block| &text[block.command.clone()] == COMMAND);
    let Some(block) = block.filter(|block| block.is_untouched(&text)) else {
        return Ok(None);
    };
    let title = view.details(known.entry.slot)?.title;
    let body = summary::lines(members, &title, targets);
    let mut edits: Vec<Edit> = block.replaced(&text, &body).into_iter().collect();
    edits.extend(property_edits(view, known, members)?);
    let quoted = &text[block.span()];
    edits.extend(link_edits(view, known, entries, links, quoted)?);
    Ok(Some(edits).filter(|edits| !edits.is_empty()))
}

/// Returns the edits of the descriptive properties. Properties that a person removed stay removed.
fn property_edits(
    view: &View<'_>,
    known: &ExistingSummary,
    members: &[ClusterMember<'_>],
) -> Result<Vec<Edit>> {
    let stated = view.details(known.entry.slot)?.properties();
    let mut edits = Vec::new();
    for (key, value) in summary::properties(members) {
        let own = stated.get(key);
        if own == value.as_ref() || (own.is_none() && !known.entry.is_managed()) {
            continue;
        }
        let key = key.into();
        edits.push(match value {
            Some(value) => Edit::Set { key, value },
            None => Edit::Unset { key },
        });
    }
    Ok(edits)
}

/// Returns the edits of the links to the notes of the group. In a summary edited by a person, links that its
/// lines do not quote are kept, because the person may have added them.
fn link_edits(
    view: &View<'_>,
    known: &ExistingSummary,
    entries: &[&Entry],
    links: Vec<Value>,
    quoted: &str,
) -> Result<Vec<Edit>> {
    let key = Relation::Summarizes.name();
    let slots: BTreeSet<Slot> = entries.iter().map(|entry| entry.slot).collect();
    if !known.has_missing_note && known.members == slots {
        return Ok(Vec::new());
    }
    let properties = view.details(known.entry.slot)?.properties();
    let Some(Value::Array(stated)) = properties.get(key) else {
        return Ok(Vec::new());
    };
    if known.entry.is_managed() {
        return Ok(vec![Edit::set(key, links)]);
    }
    let new = entries
        .iter()
        .zip(links)
        .filter(|(entry, _)| !known.members.contains(&entry.slot));
    let mut edits: Vec<Edit> = new.map(|(_, value)| Edit::append(key, value)).collect();
    for value in stated {
        let Some(own) = target(value).filter(|own| quoted.contains(&format!("[[{own}]]"))) else {
            continue;
        };
        let member = view.resolve(&known.entry.path, &own, false)?;
        if !member.is_some_and(|member| slots.contains(&member.slot)) {
            edits.push(Edit::Remove {
                key: key.into(),
                value: value.clone(),
            });
        }
    }
    Ok(edits)
}

fn target(link: &Value) -> Option<String> {
    Some(whole_wikilink(link.as_str()?)?.target)
}

/// Returns the removal of an unedited summary without a group.
fn removal(view: &View<'_>, known: &ExistingSummary, answers: &Answers) -> Result<Option<Finding>> {
    let key = QuestionKey::new(QuestionKind::Cluster, &[view.content_key(&known.entry)?]);
    if !known.is_own || !known.entry.is_managed() || answers.get(key) == Some(Answer::No) {
        return Ok(None);
    }
    let reason = match known.members.len() {
        0 => "its notes no longer exist".to_owned(),
        left if left < MIN_GROUP_SIZE => format!("only {left} of its notes are left"),
        _ => "its notes no longer form a group".to_owned(),
    };
    Ok(Some(Finding {
        certain: true,
        ..Finding::new(
            key,
            vec![known.entry.path.clone()],
            vec![Act::trash(&known.entry.path, &reason)],
            0.5,
            reason,
        )
    }))
}
