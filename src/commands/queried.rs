//! The notes that the query of a command means.

use super::asking::show_hints;
use crate::cache::{Cache, CacheError};
use crate::error::Error;
use crate::invocation::{Invocation, Workplace};
use crate::recall;
use crate::view::{Entry, View};

/// Returns every note that meets the query `words`, in the order of paths, with the view and the
/// cache that say so; all notes if there are no words.
pub(super) fn queried<'p>(
    invocation: &Invocation,
    place: &'p Workplace,
    words: &[String],
) -> Result<(Vec<Entry>, View<'p>, Cache), Error> {
    let text = words.join(" ");
    let ask = |cache: &Cache| -> Result<_, CacheError> {
        let view = View::new(&place.vault, cache.read()?, invocation.now.clone());
        let query = recall::read_query(&view, &text)?;
        let entries = recall::matching(&view, &cache.text, &query)?;
        Ok((view, query, entries))
    };
    let cache = invocation.fresh_cache(place)?;
    let ((view, query, entries), cache) = invocation.ask(place, cache, ask)?;
    show_hints(&invocation.output, &query);
    Ok((entries, view, cache))
}
