//! Score factor of a note's tier and confidence.

use super::tier::Tier;

/// Returns the factor for a score. The constants are those of Ormah's search.
pub fn weight(tier: Tier, confidence: f32) -> f32 {
    let by_tier = match tier {
        Tier::Core => 1.1,
        Tier::Working => 1.0,
        Tier::Archival | Tier::Forgotten => 0.9,
    };
    by_tier * (0.4 + 0.6 * confidence)
}
