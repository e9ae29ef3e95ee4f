//! Options of the job, which has none besides its interval.

use crate::config::section;

section! {
    pub struct Options: "split" {}
}
