//! The best notes bring those along that are related to them: Ormah's spreading activation.
//!
//! One step over the relations of the best, in both directions; what is brought has to meet the filters as
//! anything found. Ormah's ignores every filter. A note that contradicts another comes right behind it, however
//! many others are related: half of a tension misleads. In the place of a
//! replaced note its successor comes, which does not bring the note back that it replaced.

use super::filters::Filters;
use super::ranking::{Ranked, Score};
use super::semantic::SemanticQuery;
use super::succession::head;
use crate::cache::CacheError;
use crate::note::front_matter::relation::Relation;
use crate::view::View;

/// How many of the best bring others, and how many each.
const SEEDS: usize = 5;
const EACH: usize = 3;
/// What of its score one hands on, and what to a note that contradicts it.
const SHARE: f32 = 0.5;
const COUNTERPART: f32 = 0.9;

/// Adds what the best of `ranked`, which all belong to the question, are related to.
pub(super) fn spread(
    view: &View<'_>,
    filters: &Filters<'_>,
    semantic: Option<&SemanticQuery<'_>>,
    ranked: &mut Vec<Ranked>,
) -> Result<(), CacheError> {
    let seeds = ranked.iter().take(SEEDS);
    let seeds: Vec<_> = seeds
        .map(|seed| (seed.entry.clone(), seed.score.total() - seed.score.name))
        .collect();
    for (seed, score) in seeds {
        let mut related = view.relations_of(&seed)?;
        related.retain(|(relation, _)| *relation != Relation::EvolvedFrom);
        related.sort_by(|(a, _), (b, _)| share(*b).total_cmp(&share(*a)));
        let mut brought = 0;
        for (relation, entry) in related {
            let is_counterpart = relation == Relation::Contradicts;
            if brought == EACH && !is_counterpart {
                break;
            }
            if !filters.admit(entry.slot)? {
                continue;
            }
            let entry = head(view, filters, &entry)?.map_or(entry, |(head, _)| head);
            if entry.slot == seed.slot {
                continue;
            }
            brought += usize::from(!is_counterpart);
            let context = share(relation) * score;
            let known = ranked
                .iter_mut()
                .find(|candidate| candidate.entry.slot == entry.slot);
            if let Some(known) = known {
                let score = &mut known.score;
                score.context += score.before_factors((context - score.total()).max(0.0));
                continue;
            }
            let near = semantic.map(|semantic| semantic.nearest_passage(view, entry.slot));
            let near = near.transpose()?.flatten();
            ranked.push(Ranked {
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
                ..Ranked::unscored(entry)
            });
        }
    }
    ranked.sort_by(|a, b| {
        let by_score = b.score.total().total_cmp(&a.score.total());
        by_score.then_with(|| a.newer_first(b))
    });
    Ok(())
}

/// Returns what of a score goes over a relation: beside contradictions, as Ormah has it.
fn share(relation: Relation) -> f32 {
    use Relation as R;
    match relation {
        R::Contradicts => COUNTERPART,
        R::Supports | R::PartOf | R::DependsOn | R::Defines | R::DerivedFrom => SHARE,
        R::RelatedTo | R::InstanceOf | R::CausedBy | R::PrecededBy => 0.7 * SHARE,
        _ => 0.5 * SHARE,
    }
}
