//! Names in a query that do not exist in the vault.

use std::collections::BTreeSet;

use super::query::{Hint, Query};
use crate::cache::CacheError;
use crate::cache::prefix_index::PrefixKind;
use crate::config::nearest;
use crate::note::words::letters::folded;
use crate::signals::fields::NameField;
use crate::view::View;

/// Returns a hint for each unknown tag, folder or note in the query, with the nearest known name.
pub fn unknown_names(view: &View<'_>, query: &Query) -> Result<Vec<Hint>, CacheError> {
    let mut hints = Vec::new();
    let all = |kind| view.reading().beginning(kind, "", usize::MAX);
    for (field, name) in query.names() {
        let known: Vec<String> = match field {
            NameField::Tag => all(PrefixKind::Tag)?.into_iter().collect(),
            NameField::Folder => {
                let paths = all(PrefixKind::Path)?;
                let above = paths.iter().flat_map(|path| {
                    let ends = path.match_indices('/').map(|(at, _)| at);
                    ends.map(|end| path[..end].to_owned())
                });
                above.collect::<BTreeSet<String>>().into_iter().collect()
            }
            NameField::Link | NameField::LinkedFrom if view.named(name)?.is_empty() => {
                all(PrefixKind::Name)?.into_iter().collect()
            }
            _ => continue,
        };
        let wanted = folded(name.trim_start_matches("./").trim_matches('/'));
        let is_it = |known: &String| {
            let known = folded(known);
            known == wanted || known.starts_with(&format!("{wanted}/"))
        };
        if !wanted.is_empty() && !known.iter().any(is_it) {
            let nearest = nearest(name, known.iter().map(String::as_str));
            hints.push(Hint::UnknownName {
                field,
                name: name.to_owned(),
                nearest: nearest.map(str::to_owned),
            });
        }
    }
    Ok(hints)
}
