//! What the author's word on a note does to its score.

use super::tier::Tier;

/// Returns the factor of a score: the tier factors and the share of confidence of Ormah's search.
pub fn weight(tier: Tier, confidence: f32) -> f32 {
    let by_tier = match tier {
        Tier::Core => 1.1,
        Tier::Working => 1.0,
        Tier::Archival | Tier::Forgotten => 0.9,
    };
    by_tier * (0.4 + 0.6 * confidence)
}
