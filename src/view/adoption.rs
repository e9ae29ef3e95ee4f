//! Since when mem has known notes: `adopted`, on this machine alone.
//!
//! What goes by age counts from then, so that a vault that is years old when mem comes to it loses nothing
//! for its years. A note that lies elsewhere now is known anew; so are all if the file is lost.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::vault::own;

/// When each note was seen first, in seconds since 1970, by path.
pub(super) type Moments = HashMap<String, i64>;

#[derive(Debug, Default)]
pub(super) struct Adoption {
    file: PathBuf,
    moments: OnceLock<Moments>,
}

impl Adoption {
    pub(super) fn of(file: PathBuf) -> Self {
        Self {
            file,
            moments: OnceLock::new(),
        }
    }

    /// Returns what is known, read when it is first asked for.
    pub(super) fn moments(&self) -> &Moments {
        self.moments.get_or_init(|| {
            let bytes = own::read_bytes(&self.file).unwrap_or_default();
            postcard::from_bytes(&bytes).unwrap_or_default()
        })
    }

    /// Keeps `moments`. Where that cannot be, notes are new the next time, too.
    pub(super) fn keep(&self, moments: &Moments) {
        let bytes = postcard::to_stdvec(moments).unwrap_or_default();
        let _ = own::write_atomically(&self.file, &bytes);
    }
}
