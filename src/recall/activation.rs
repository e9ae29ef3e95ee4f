//! Ormah's spreading activation: adds notes related to the best ones.
//!
//! One step over the relations of the best notes, in both directions. Added notes must meet the filters;
//! Ormah ignores them. A contradicting note follows its counterpart, regardless of the number of other
//! related notes: half of a tension misleads. A superseded note is replaced
//! by its successor, which does not add the superseded note again.

use super::filters::Filters;
use super::ranking::{RankedHit, Score};
use super::semantic::SemanticQuery;
use super::succession::head;
use crate::cache::CacheError;
use crate::note::front_matter::relation::Relation;
use crate::view::View;

/// Number of best notes that add others, and the maximum number that each adds.
const MAX_SEEDS: usize = 5;
const MAX_ADDED_PER_SEED: usize = 3;
/// Share of the score passed to a related note, and to a contradicting one.
const RELATED_SHARE: f32 = 0.5;
const CONTRADICTION_SHARE: f32 = 0.9;

/// Adds related notes to the relevant notes in `ranked`.
pub(super) fn spread(
    view: &View<'_>,
    filters: &Filters<'_>,
    semantic: Option<&SemanticQuery<'_>>,
    ranked: &mut Vec<RankedHit>,
) -> Result<(), CacheError> {
    let top_hits = ranked.iter().take(MAX_SEEDS);
    let seeds: Vec<_> = top_hits
        .map(|seed| (seed.entry.clone(), seed.score.total() - seed.score.name))
        .collect();
    for (seed, score) in seeds {
        let mut related = view.relations_of(&seed)?;
        related.retain(|(relation, _)| *relation != Relation::EvolvedFrom);
        related.sort_by(|(a, _), (b, _)| share(*b).total_cmp(&share(*a)));
        let mut added = 0;
        for (relation, entry) in related {
            let is_counterpart = relation == Relation::Contradicts;
            if added == MAX_ADDED_PER_SEED && !is_counterpart {
                break;
            }
            if !filters.admits(entry.slot)? {
                continue;
            }
            let entry = head(view, filters, &entry)?.map_or(entry, |(head, _)| head);
            if entry.slot == seed.slot {
                continue;
            }
            added += usize::from(!is_counterpart);
            let context = share(relation) * score;
            let known = ranked
                .iter_mut()
                .find(|candidate| candidate.entry.slot == entry.slot);
            if let Some(known) = known {
                let score = &mut known.score;
                score.context += score.unscaled((context - score.total()).max(0.0));
                continue;
            }
            let passage = semantic.map(|semantic| semantic.nearest_passage(view, entry.slot));
            let near = passage.transpose()?.flatten();
            ranked.push(RankedHit {
                cosine: near.map(|near| near.cosine),
                passage: near.map(|near| near.passage),
                is_complete: false,
                share: 0.0,
                score: Score {
                    context,
                    weight: 1.0,
                    voice: 1.0,
                    space: 1.0,
                    ..Score::default()
                },
                ..RankedHit::unscored(entry)
            });
        }
    }
    ranked.sort_by(|a, b| {
        let by_score = b.score.total().total_cmp(&a.score.total());
        by_score.then_with(|| a.newer_first(b))
    });
    Ok(())
}

/// Returns the share for a relation; as in Ormah, except for contradictions.
fn share(relation: Relation) -> f32 {
    use Relation as R;
    match relation {
        R::Contradicts => CONTRADICTION_SHARE,
        R::Supports | R::PartOf | R::DependsOn | R::Defines | R::DerivedFrom => RELATED_SHARE,
        R::RelatedTo | R::InstanceOf | R::CausedBy | R::PrecededBy => 0.7 * RELATED_SHARE,
        _ => 0.5 * RELATED_SHARE,
    }
}
