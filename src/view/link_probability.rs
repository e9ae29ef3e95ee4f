//! Probability that the author would link a name in a text.
//!
//! A logistic model over features of the name, its position and the two notes. Its weights were
//! fitted on vaults with a tenth of the links hidden: `cargo bench --bench links`.
//! `benches/RESULTS.md` has the contribution of each term.

/// Features of a name in a text and of the note that has the name.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is seen by itself")]
pub struct LinkFeatures {
    /// Notes that link to the note with this name as link text.
    pub links: usize,
    /// Notes that link to any note with this name as link text.
    pub all_links: usize,
    /// Other notes that contain the name and do not link to the note.
    pub plain: usize,
    /// Whether the spelling is that of the note or of its links.
    pub is_exact: bool,
    /// Whether the file name is capitalised; in lower case the name may be an ordinary word.
    pub is_capital: bool,
    /// Common neighbours of the two notes ([`Anchors::common`](super::anchors::Anchors::common)).
    pub common: f64,
    pub same_folder: bool,
    /// Whether the named note links to the note with the text, other than by a relation: jobs state relations, too.
    pub links_back: bool,
    /// Cosine of the two notes; `None` without vectors.
    pub cosine: Option<f32>,
    /// Number of links in the note with the text.
    pub out: usize,
    /// Length of that note in bytes.
    pub length: usize,
    /// Position of the name; `None` until the text is read.
    pub place: Option<MentionContext>,
    /// Number of links in the vault: few links say little about the author's habits.
    pub vault_links: usize,
}

pub use crate::note::names::mention::MentionContext;

/// One term of the sum.
struct Term {
    weight: f64,
    /// Value used if the feature is unknown: its mean, and for a habit its mean where links exist.
    default_value: f64,
    /// Whether it describes the author's habits, which a vault with few links hardly shows.
    is_habit: bool,
    /// The feature; `None` if unknown.
    value: fn(&LinkFeatures) -> Option<f64>,
}

const fn term(weight: f64, default_value: f64, value: fn(&LinkFeatures) -> Option<f64>) -> Term {
    Term {
        weight,
        default_value,
        is_habit: false,
        value,
    }
}

const fn habit(weight: f64, default_value: f64, value: fn(&LinkFeatures) -> Option<f64>) -> Term {
    Term {
        is_habit: true,
        ..term(weight, default_value, value)
    }
}

/// Intercept and terms of the model.
///
/// Fitted on five vaults with equal weight, then recalibrated (`0.6 · sum + 1`) to the chance of a
/// "yes" for names whose links were not hidden: such suggestions are accepted more often than
/// hidden links predict.
const INTERCEPT: f64 = -1.62;
const TERMS: [Term; 13] = [
    // Log odds that the author links the name.
    habit(0.525, -0.12, |of| {
        let all = (of.all_links + of.plain) as f64;
        let share = (of.links as f64 + 0.25) / (all + 1.0);
        Some((share / (1.0 - share)).ln())
    }),
    // Known spelling.
    term(0.339, 0.69, |of| Some(indicator(of.is_exact))),
    term(0.116, 0.26, |of| Some(of.common.min(MAX_COMMON_NEIGHBOURS))),
    term(0.509, 0.51, |of| Some(indicator(of.same_folder))),
    // The other note already links here.
    term(-2.946, 0.03, |of| Some(indicator(of.links_back))),
    term(2.195, 0.42, |of| of.cosine.map(f64::from)),
    // Link density of the text.
    habit(0.165, 0.03, |of| {
        Some((1000.0 * (of.out as f64 + 0.3) / (of.length as f64 + 1000.0)).ln())
    }),
    // Links near the name.
    habit(0.658, 0.97, |of| Some((of.place?.near as f64).ln_1p())),
    // Share of its line that the name fills.
    term(1.969, 0.15, |of| Some(of.place?.share)),
    term(-0.462, 0.26, |of| Some(indicator(of.place?.in_item))),
    term(-1.472, 0.14, |of| Some(indicator(of.place?.in_quote))),
    // Lower case, although the file name is capitalised.
    term(-1.0, 0.12, |of| {
        Some(indicator(of.place?.in_lower && of.is_capital))
    }),
    // Bold, as labels are.
    term(-0.45, 0.04, |of| Some(indicator(of.place?.in_bold))),
];

fn indicator(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// Number of links in a vault at which habits count half.
const LINKS_FOR_HALF_WEIGHT: f64 = 20.0;

/// Cap on the number of common neighbours.
const MAX_COMMON_NEIGHBOURS: f64 = 3.0;

impl LinkFeatures {
    /// Returns the probability, 0 to 1.
    pub fn chance(&self) -> f64 {
        let known = self.vault_links as f64 / (self.vault_links as f64 + LINKS_FOR_HALF_WEIGHT);
        let sum: f64 = TERMS
            .iter()
            .map(|term| {
                let known = if term.is_habit { known } else { 1.0 };
                let value = (term.value)(self).unwrap_or(term.default_value);
                term.weight * (term.default_value + known * (value - term.default_value))
            })
            .sum();
        1.0 / (1.0 + (-INTERCEPT - sum).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name that its author links half the time, in a vault with many links.
    fn usual() -> LinkFeatures {
        LinkFeatures {
            links: 4,
            all_links: 4,
            plain: 4,
            is_exact: true,
            is_capital: true,
            common: 0.5,
            same_folder: true,
            links_back: false,
            cosine: Some(0.5),
            out: 5,
            length: 4_000,
            place: Some(MentionContext {
                near: 1,
                share: 0.1,
                in_item: false,
                in_quote: false,
                in_lower: false,
                in_bold: false,
            }),
            vault_links: 1_000,
        }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table")]
    fn each_feature_moves_the_probability_the_right_way() {
        let chance = usual().chance();
        assert!((0.5..0.9).contains(&chance), "{chance}");
        let place = usual().place.unwrap();
        let at = |place| LinkFeatures {
            place: Some(place),
            ..usual()
        };
        for (case, evidence, is_likelier) in [
            (
                "linked more often",
                LinkFeatures {
                    plain: 1,
                    ..usual()
                },
                true,
            ),
            (
                "hardly ever linked",
                LinkFeatures {
                    plain: 90,
                    ..usual()
                },
                false,
            ),
            (
                "another is meant",
                LinkFeatures {
                    all_links: 40,
                    ..usual()
                },
                false,
            ),
            (
                "inflected",
                LinkFeatures {
                    is_exact: false,
                    ..usual()
                },
                false,
            ),
            (
                "joined already",
                LinkFeatures {
                    links_back: true,
                    ..usual()
                },
                false,
            ),
            (
                "about the same",
                LinkFeatures {
                    cosine: Some(0.8),
                    ..usual()
                },
                true,
            ),
            (
                "a text without links",
                LinkFeatures { out: 0, ..usual() },
                false,
            ),
            (
                "a line of its own",
                at(MentionContext {
                    share: 1.0,
                    ..place
                }),
                true,
            ),
            ("among links", at(MentionContext { near: 5, ..place }), true),
            (
                "in small letters",
                at(MentionContext {
                    in_lower: true,
                    ..place
                }),
                false,
            ),
            (
                "in bold type",
                at(MentionContext {
                    in_bold: true,
                    ..place
                }),
                false,
            ),
            (
                "quoted",
                at(MentionContext {
                    in_quote: true,
                    ..place
                }),
                false,
            ),
        ] {
            assert_eq!(evidence.chance() > chance, is_likelier, "{case}");
        }
        // Without links none are missing.
        let none = LinkFeatures {
            links: 0,
            all_links: 0,
            plain: 0,
            out: 0,
            vault_links: 0,
            ..usual()
        };
        assert!(none.chance() > 0.5);
    }
}
