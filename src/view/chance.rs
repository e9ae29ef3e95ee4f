//! How likely it is that an author would make a link of a name in a text.
//!
//! A logistic model over what can be seen of the name, the place and the two notes. Its weights are
//! fitted on vaults of which a tenth of the links was hidden, so that what it says is how an author
//! links: `cargo bench --bench links`, and `benches/RESULTS.md` for what each part gives.

/// What can be seen of a name in a text and of the note that goes by it.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is seen by itself")]
pub struct Evidence {
    /// Notes that link to the note and show the name.
    pub links: usize,
    /// Notes that link to anything and show the name.
    pub all_links: usize,
    /// Other notes that have the name and do not link to the note.
    pub plain: usize,
    /// Whether it is spelled as the note or links spell it.
    pub is_exact: bool,
    /// Whether the file of the note is called by a capital, so that small letters may mean any word.
    pub is_capital: bool,
    /// What other notes the two have in common ([`Anchors::common`](super::anchors::Anchors::common)).
    pub common: f64,
    pub same_folder: bool,
    /// Whether the note links to the one with the text.
    pub links_back: bool,
    /// Between the two notes; none without vectors.
    pub cosine: Option<f32>,
    /// Links of the note with the text.
    pub out: usize,
    /// Its length in bytes.
    pub length: usize,
    /// Where the name stands; none before the text was read.
    pub place: Option<Place>,
    /// Links of the vault: few say little of what its author would link.
    pub vault_links: usize,
}

pub use crate::note::names::mention::Place;

/// One part of the sum.
struct Term {
    weight: f64,
    /// What stands in for what is not known: what is usual, and of a habit what is usual where a link is.
    usual: f64,
    /// Whether it tells of the habit of an author, of which a vault with few links says little.
    is_habit: bool,
    /// What the weight is multiplied with; none for what is not known.
    value: fn(&Evidence) -> Option<f64>,
}

const fn term(weight: f64, usual: f64, value: fn(&Evidence) -> Option<f64>) -> Term {
    Term {
        weight,
        usual,
        is_habit: false,
        value,
    }
}

const fn habit(weight: f64, usual: f64, value: fn(&Evidence) -> Option<f64>) -> Term {
    Term {
        is_habit: true,
        ..term(weight, usual, value)
    }
}

/// What the sum begins with, and what it is made of.
///
/// Fitted on five vaults, each as heavy as the others, then turned (`0.6 · sum + 1`) so that the chance
/// is that of a "yes" among names that no link was hidden from: what an author never linked is right more
/// often than what the hidden links say.
const START: f64 = -1.62;
const TERMS: [Term; 13] = [
    // How often the author links the name where it stands.
    habit(0.525, -0.12, |of| {
        let all = (of.all_links + of.plain) as f64;
        let share = (of.links as f64 + 0.25) / (all + 1.0);
        Some((share / (1.0 - share)).ln())
    }),
    // It is spelled as elsewhere.
    term(0.339, 0.69, |of| Some(yes(of.is_exact))),
    term(0.116, 0.26, |of| Some(of.common.min(MOST_COMMON))),
    term(0.509, 0.51, |of| Some(yes(of.same_folder))),
    // The two are joined already, the other way.
    term(-2.946, 0.03, |of| Some(yes(of.links_back))),
    term(2.195, 0.42, |of| of.cosine.map(f64::from)),
    // Links in the text, for its length.
    habit(0.165, 0.03, |of| {
        Some((1000.0 * (of.out as f64 + 0.3) / (of.length as f64 + 1000.0)).ln())
    }),
    // Links around the name.
    habit(0.658, 0.97, |of| Some((of.place?.near as f64).ln_1p())),
    // The share of its line that the name takes.
    term(1.969, 0.15, |of| Some(of.place?.share)),
    term(-0.462, 0.26, |of| Some(yes(of.place?.in_item))),
    term(-1.472, 0.14, |of| Some(yes(of.place?.in_quote))),
    // In small letters, though its file has a capital.
    term(-1.0, 0.12, |of| {
        Some(yes(of.place?.in_lower && of.is_capital))
    }),
    // In bold type, as labels are.
    term(-0.45, 0.04, |of| Some(yes(of.place?.in_bold))),
];

fn yes(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// Links by which the habit of an author is half believed.
const HALF_KNOWN: f64 = 20.0;

/// More common neighbours than this say no more.
const MOST_COMMON: f64 = 3.0;

impl Evidence {
    /// Returns the chance, from 0 to 1.
    pub fn chance(&self) -> f64 {
        let known = self.vault_links as f64 / (self.vault_links as f64 + HALF_KNOWN);
        let sum: f64 = TERMS
            .iter()
            .map(|term| {
                let known = if term.is_habit { known } else { 1.0 };
                let value = (term.value)(self).unwrap_or(term.usual);
                term.weight * (term.usual + known * (value - term.usual))
            })
            .sum();
        1.0 / (1.0 + (-START - sum).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name that its author links half the time, in a vault with many links.
    fn usual() -> Evidence {
        Evidence {
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
            place: Some(Place {
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
    fn what_speaks_for_a_link_and_what_against_it() {
        let chance = usual().chance();
        assert!((0.5..0.9).contains(&chance), "{chance}");
        let place = usual().place.unwrap();
        let at = |place| Evidence {
            place: Some(place),
            ..usual()
        };
        for (case, evidence, is_likelier) in [
            (
                "linked more often",
                Evidence {
                    plain: 1,
                    ..usual()
                },
                true,
            ),
            (
                "hardly ever linked",
                Evidence {
                    plain: 90,
                    ..usual()
                },
                false,
            ),
            (
                "another is meant",
                Evidence {
                    all_links: 40,
                    ..usual()
                },
                false,
            ),
            (
                "inflected",
                Evidence {
                    is_exact: false,
                    ..usual()
                },
                false,
            ),
            (
                "joined already",
                Evidence {
                    links_back: true,
                    ..usual()
                },
                false,
            ),
            (
                "about the same",
                Evidence {
                    cosine: Some(0.8),
                    ..usual()
                },
                true,
            ),
            (
                "a text without links",
                Evidence { out: 0, ..usual() },
                false,
            ),
            (
                "a line of its own",
                at(Place {
                    share: 1.0,
                    ..place
                }),
                true,
            ),
            ("among links", at(Place { near: 5, ..place }), true),
            (
                "in small letters",
                at(Place {
                    in_lower: true,
                    ..place
                }),
                false,
            ),
            (
                "in bold type",
                at(Place {
                    in_bold: true,
                    ..place
                }),
                false,
            ),
            (
                "quoted",
                at(Place {
                    in_quote: true,
                    ..place
                }),
                false,
            ),
        ] {
            assert_eq!(evidence.chance() > chance, is_likelier, "{case}");
        }
        // Where there are no links, none are missed.
        let none = Evidence {
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
