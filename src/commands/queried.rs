//! The notes that the query of a command means.

use super::asking::show_hints;
use crate::cache::{Cache, CacheError};
use crate::error::Error;
use crate::recall;
use crate::session::Session;
use crate::view::{Entry, View};

/// Returns every note that meets the query `words`, in the order of paths, with the view and the
/// cache that say so; all notes if there are no words.
pub(super) fn queried<'p>(
    session: &'p Session,
    words: &[String],
) -> Result<(Vec<Entry>, View<'p>, Cache), Error> {
    let text = words.join(" ");
    let ask = |cache: &Cache| -> Result<_, CacheError> {
        let view = View::new(&session.vault, cache.read()?, session.env.now.clone());
        let query = recall::read_query(&view, &text)?;
        let entries = recall::matching(&view, &cache.text, &query)?;
        Ok((view, query, entries))
    };
    let cache = session.fresh_cache()?;
    let ((view, query, entries), cache) = session.ask(cache, ask)?;
    show_hints(&session.env.output, &query);
    Ok((entries, view, cache))
}
