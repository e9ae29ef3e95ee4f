//! The options of the job: none beside how often it runs.

use serde::{Deserialize, Serialize};

use crate::config::{Key, Section};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {}

impl Section for Options {
    const NAME: &'static str = "split";

    fn keys() -> Vec<Key> {
        Vec::new()
    }
}
