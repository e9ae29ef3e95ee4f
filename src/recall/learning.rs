//! Ranks a recall by feedback: notes that helped rise, most with similar questions; misleading notes fall.
//!
//! Only relevant notes are considered: feedback changes the position of a note, not its inclusion. A note
//! whose name equals the query stays first. Events on this machine that are not in the journal yet are
//! ignored: they are seldom feedback and can be a day's recalls.

use std::collections::HashMap;

use super::ranking::RankedHit;
use super::semantic::SemanticQuery;
use crate::cache::CacheError;
use crate::signals::fields::IMPORTANCE;
use crate::signals::helped::{ContextOptions, HelpedQuestion, context_match};
use crate::signals::recall_options::RecallOptions;
use crate::signals::usage::Usage;
use crate::view::View;

/// Number of best candidates to adjust.
const MAX_ADJUSTED: usize = 100;
/// Maximum number of questions to compare; each takes the model a few microseconds.
const MAX_QUESTIONS: usize = 64;

/// Adds feedback terms to the best of `ranked`; returns whether any is not zero.
pub(super) fn add_learned(
    view: &View<'_>,
    semantic: Option<&SemanticQuery<'_>>,
    options: &RecallOptions,
    ranked: &mut [RankedHit],
) -> Result<bool, CacheError> {
    let adjusted = ranked.len().min(MAX_ADJUSTED);
    let mut usages = Vec::with_capacity(adjusted);
    for candidate in &ranked[..adjusted] {
        usages.push(view.feedback(&candidate.entry)?);
    }
    let usage_vectors = semantic.map(|semantic| vectors(semantic, &usages));
    let vectors = usage_vectors.unwrap_or_default();
    let blend = view.context_options();
    let mut max_gain = 0.0_f32;
    let mut is_any = false;
    for (candidate, usage) in ranked.iter_mut().zip(&usages) {
        let importance = f64::from(IMPORTANCE.of(&candidate.entry.row.ratings));
        let salience = match usage {
            Some(usage) => usage.salience.of(importance),
            None => importance,
        };
        let similarity = semantic
            .zip(usage.as_ref())
            .map_or(0.0, |(semantic, usage)| {
                let asked = vectors.get(semantic.words);
                asked.map_or(0.0, |asked| {
                    context_similarity(asked, &usage.helped, &vectors, &blend)
                })
            });
        let [salience, helped] = options.terms(salience, importance, similarity);
        let before = candidate.score.total();
        candidate.score.salience = salience as f32;
        candidate.score.helped = helped as f32;
        max_gain = max_gain.max(candidate.score.total() - before);
        is_any |= salience != 0.0 || helped != 0.0;
    }
    for candidate in ranked {
        if candidate.name_match.is_some() {
            candidate.score.name *= 1.0 + max_gain;
        }
    }
    Ok(is_any)
}

/// Returns the vectors of the query and of the questions that these notes helped with, unless the model is a
/// server. Questions of the best note come first, the newest of each note first.
fn vectors<'u>(
    semantic: &SemanticQuery<'u>,
    usages: &'u [Option<Usage>],
) -> HashMap<&'u str, Vec<f32>> {
    let records = usages.iter().flatten();
    let helped = records.flat_map(|usage| usage.helped.iter().rev());
    let mut questions: Vec<&str> = vec![semantic.words];
    for HelpedQuestion { question, .. } in helped {
        if questions.len() > MAX_QUESTIONS {
            break;
        }
        if !questions.contains(&question.as_str()) {
            questions.push(question);
        }
    }
    let is_any = questions.len() > 1;
    let vectors = is_any.then(|| semantic.questions(&questions)).flatten();
    let vectors = vectors.unwrap_or_default();
    questions.into_iter().zip(vectors).collect()
}

fn context_similarity(
    asked: &[f32],
    helped: &[HelpedQuestion],
    vectors: &HashMap<&str, Vec<f32>>,
    options: &ContextOptions,
) -> f64 {
    let compared = helped.iter().filter_map(|helped| {
        let vector = vectors.get(helped.question.as_str())?;
        Some((vector.clone(), helped.weight))
    });
    context_match(asked, &compared.collect::<Vec<_>>(), options)
}
