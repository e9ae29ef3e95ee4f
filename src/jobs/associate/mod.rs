//! `associate`: relates some notes drawn at random.
//!
//! | two drawn notes without a link or relation | result |
//! |---|---|
//! | an insight and a pattern, cosine above .5 | `explains`: certain |
//! | of different types, cosine above .7 | `shares_theme`: certain |
//! | two decisions on one subject, cosine below .3 | `contrasts_with`: question |
//! | written within a week on one subject, cosine below .4 | `parallel_context`: question |
//!
//! Corresponds to AutoMem's creative job. There a note without a vector has similarity 0 and so contradicts all
//! others; here it is skipped. A low similarity alone proves nothing, so these pairs need a common subject,
//! unless [`SubjectRule::Any`] selects the original behaviour. The sample is seeded by the contents of all notes: the
//! same vault gives the same sample, and a changed vault another.

mod options;
mod rules;
#[cfg(test)]
mod tests;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::jobs::prelude::*;

pub use options::{AssociateOptions, SubjectRule};

use self::rules::{Association, AssociationFeatures, association};
use super::boilerplate::Boilerplate;
use super::find::{about_pair, is_evidence, living};
use super::pool::Pool;
use crate::note::WordEffect;
use crate::signals::Signal;
use crate::view::is_wikilink_target;

/// Job table entry.
pub static JOB: Job = Job {
    name: AssociateOptions::NAME,
    aliases: &["creative"],
    about: "Relate some notes drawn at random",
    help: include_str!("help.txt"),
    looks: ("pair", "compared"),
    done: "associated",
    nothing: "nothing to associate",
    every: Interval::days(7),
    every_about: "how often `mem sleep` runs associate",
    kinds: &[QuestionKind::Association],
    options: job::JobOptions::of::<AssociateOptions>(),
};

/// Number of notes whose relevance is computed at once.
const NOTES_PER_BATCH: usize = 100;

impl Find for AssociateOptions {
    fn find(&self, view: &View<'_>, answers: &Answers, seeds: &Seeds) -> Result<Findings> {
        let mut findings = Findings::default();
        let Some(near) = view.near() else {
            return Ok(findings);
        };
        let mut pool = living(view)?;
        pool.retain(|entry| {
            self.notes.has(entry) && is_evidence(entry) && entry.row.rows.count > 0
        });
        if !pool.iter().any(|entry| seeds.has(entry.slot)) {
            return Ok(findings);
        }
        let drawn = Pool::new(view, self.draw(view, pool)?);
        let facts = drawn
            .iter()
            .map(|entry| note_features(view, entry))
            .collect::<Result<Vec<_>, _>>()?;
        let joined = joined_pairs(view, &drawn)?;
        let mut pairs = Vec::new();
        for (at, a) in drawn.iter().enumerate() {
            for (other, b) in drawn.iter().enumerate().skip(at + 1) {
                let is_joined = joined.contains(&(a.slot, b.slot));
                findings.compared += usize::from(!is_joined);
                let found = near.cosine(a, b).and_then(|cosine| {
                    association([&facts[at], &facts[other]], cosine, self.subject)
                });
                pairs.extend(found.map(|found| ([at, other], found)));
            }
        }
        without_boilerplate(&drawn, &mut pairs)?;
        pairs.sort_by(|(a, one), (b, other)| {
            let order = other.confidence.total_cmp(&one.confidence);
            order.then_with(|| a.cmp(b))
        });
        let mut count: HashMap<Slot, usize> = HashMap::new();
        let limit = Some(self.per_note).filter(|most| *most > 0);
        let per_note = limit.unwrap_or(usize::MAX);
        for (notes, association) in pairs {
            let notes = notes.map(|at| &drawn[at]);
            let has_room = |note: &&Entry| count.get(&note.slot).is_none_or(|has| *has < per_note);
            if notes.iter().all(has_room) {
                for note in notes {
                    *count.entry(note.slot).or_default() += 1;
                }
                // Joined pairs keep their place, so that a "yes" does not bring up the next pair.
                if joined.contains(&(notes[0].slot, notes[1].slot)) {
                    continue;
                }
                let found = self.finding(view, notes, &association, answers)?;
                findings.found.extend(found);
            }
        }
        Ok(findings)
    }

    fn notes(&self) -> NoteScope {
        self.notes
    }
}

impl AssociateOptions {
    /// Returns the sample of notes, ordered by path.
    fn draw(&self, view: &View<'_>, pool: Vec<Entry>) -> Result<Vec<Entry>> {
        // A hash of all contents, independent of their order.
        let seed = pool.iter().fold(0_u64, |sum, entry| {
            sum.wrapping_add(xxh3_64_with_seed(&entry.row.body.to_le_bytes(), 0))
        });
        let mut draws: Vec<(u64, Entry)> = pool
            .into_iter()
            .map(|entry| {
                let draw = xxh3_64_with_seed(&entry.row.body.to_le_bytes(), seed);
                (draw, entry)
            })
            .collect();
        draws.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.path.cmp(&b.1.path)));
        let mut sample = Vec::new();
        let mut left = draws.into_iter().map(|(_, entry)| entry);
        while sample.len() < self.sample {
            let some: Vec<Entry> = left.by_ref().take(NOTES_PER_BATCH).collect();
            if some.is_empty() {
                break;
            }
            let usages = view.usages(&some)?;
            let relevance = view.measured(&some, &usages, &[Signal::Relevance])?;
            let relevant = some
                .into_iter()
                .zip(relevance)
                .filter(|(_, values)| values[0] > self.relevance);
            sample.extend(relevant.map(|(entry, _)| entry));
        }
        sample.truncate(self.sample);
        sample.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(sample)
    }

    fn finding(
        &self,
        view: &View<'_>,
        notes: [&Entry; 2],
        association: &Association,
        answers: &Answers,
    ) -> Result<Option<Finding>> {
        // The newer note states symmetric relations.
        let is_newer =
            (notes[0].row.created, &notes[0].path) > (notes[1].row.created, &notes[1].path);
        let is_swapped = if association.relation.is_symmetric() {
            !is_newer
        } else {
            association.is_swapped
        };
        let [from, to] = if is_swapped {
            [notes[1], notes[0]]
        } else {
            notes
        };
        // A person removed a relation that mem had stated.
        if view.origin_between(from, to)?.is_some()
            || !is_wikilink_target(&view.wikilink_target(to)?)
        {
            return Ok(None);
        }
        let (relation, weight) = (association.relation, association.confidence);
        let act = Act::relate(&from.path, relation, &to.path, weight);
        let mut finding = about_pair(view, QuestionKind::Association, [from, to], act)?;
        if finding.answer(answers) == Some(Answer::No) {
            return Ok(None);
        }
        finding.weight = association.confidence;
        finding.certain = (association.is_similar || self.subject == SubjectRule::Any)
            && notes.iter().all(|note| note.is_managed());
        finding.reason.clone_from(&association.why);
        Ok(Some(finding))
    }
}

/// Removes pairs in which a note is mostly boilerplate.
fn without_boilerplate(
    pool: &Pool<'_, '_>,
    pairs: &mut Vec<([usize; 2], Association)>,
) -> Result<()> {
    let notes = pairs.iter().flat_map(|(notes, _)| *notes);
    let bodies = pool.bodies(notes, &mut Vec::new());
    let boilerplate = Boilerplate::learn(pool.view, bodies.values().map(String::as_str))?;
    let says = |at: &usize| {
        let body = bodies.get(at);
        body.is_some_and(|body| !boilerplate.is_form(body))
    };
    pairs.retain(|(notes, _)| notes.iter().all(says));
    Ok(())
}

fn note_features(view: &View<'_>, entry: &Entry) -> Result<AssociationFeatures> {
    let details = view.details(entry.slot)?;
    let kind = text_of(&details.properties(), "type").unwrap_or_default();
    let tags = details.tags.iter().map(|tag| tag.to_lowercase());
    let mut subjects: BTreeMap<String, String> =
        tags.map(|tag| (english::stem(&tag), tag)).collect();
    each_word(&details.title, |word, _| {
        if english::word(word).content == WordEffect::Full && word.chars().count() > 2 {
            subjects.insert(english::stem(word), word.to_owned());
        }
    });
    let is_dated = !entry.row.flags.has(Flags::UNDATED);
    Ok(AssociationFeatures {
        kind: kind.to_lowercase(),
        day: is_dated.then(|| entry.row.created.div_euclid(86_400)),
        subjects,
    })
}

/// Returns the pairs in `drawn` with a link or relation, in both orders.
fn joined_pairs(view: &View<'_>, drawn: &[Entry]) -> Result<HashSet<(Slot, Slot)>> {
    let mut joined = HashSet::new();
    for entry in drawn {
        for (_, other) in view.linked_from(entry)? {
            joined.insert((entry.slot, other.slot));
            joined.insert((other.slot, entry.slot));
        }
    }
    Ok(joined)
}
