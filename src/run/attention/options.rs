//! Settings of `mem review`.

use crate::config::{Trust, section, values};

section! {
    #[derive(Copy, Eq)]
    pub struct ReviewOptions: "review", everyday [daily, learn] {
        /// maximum number of questions a day; everything else is a suggestion (`mem review --all`); 0 asks nothing
        daily: usize = 10, 0..=10_000, Trust::may_lower::<usize>();
        /// whether mem learns from your answers what to ask; kinds that you mostly reject are muted
        learn: bool = true, values::BOOLEAN;
    }
}
