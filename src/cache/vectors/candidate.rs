//! A row and its cosine as one number that sorts by cosine, then by row.

/// Larger is better; of equal cosines the lower row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RowCandidate(u64);

impl RowCandidate {
    pub(super) fn new(cosine: f32, row: u32) -> Self {
        Self(u64::from(ascending(cosine)) << 32 | u64::from(!row))
    }

    pub(super) fn row(self) -> u32 {
        !(self.0 as u32)
    }

    pub(super) fn cosine(self) -> f32 {
        let bits = (self.0 >> 32) as u32;
        f32::from_bits(if bits >> 31 == 1 {
            bits ^ 1 << 31
        } else {
            !bits
        })
    }
}

/// Maps floats to integers in the same order.
fn ascending(x: f32) -> u32 {
    // Zero has two representations, which are equal.
    let bits = (x + 0.0).to_bits();
    if bits >> 31 == 1 {
        !bits
    } else {
        bits | 1 << 31
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn candidates_round_trip() {
        for cosine in [-1.0, -0.5, -f32::MIN_POSITIVE, 0.0, 0.25, 1.0] {
            for row in [0, 1, 7_000_000, u32::MAX] {
                let candidate = RowCandidate::new(cosine, row);
                assert_eq!((candidate.cosine(), candidate.row()), (cosine, row));
            }
        }
        assert_eq!(RowCandidate::new(0.0, 1), RowCandidate::new(-0.0, 1));
    }

    proptest! {
        #[test]
        fn candidates_sort_by_cosine_and_then_by_row(
            a in -1.0f32..1.0, b in -1.0f32..1.0, i: u32, j: u32,
        ) {
            let expected = a.total_cmp(&b).then(j.cmp(&i));
            prop_assert_eq!(RowCandidate::new(a, i).cmp(&RowCandidate::new(b, j)), expected);
        }
    }
}
