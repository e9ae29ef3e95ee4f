//! The options of the job: none beside how often it runs.

use crate::config::section;

section! {
    pub struct Options: "split" {}
}
