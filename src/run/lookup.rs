//! Resolves names and id prefixes; several matches are listed, never guessed.

use std::fmt::Display;

use crate::error::{Error, Result};

/// Maximum number of matches listed in an error.
const MAX_LISTED: usize = 10;

/// Result of resolving an id prefix.
#[derive(Debug)]
pub enum Match<T> {
    One(T),
    None,
    /// The ids of all matches.
    Several(Vec<String>),
}

impl<T> Match<T> {
    /// Returns the single match; otherwise fails with `none` or a list of the matching `things`.
    pub fn one(self, prefix: &str, things: &str, none: Error) -> Result<T> {
        match self {
            Self::One(one) => Ok(one),
            Self::None => Err(none),
            Self::Several(ids) => Err(ambiguous(prefix, things, "use a longer prefix:", &ids)),
        }
    }
}

/// Returns the item whose id starts with `prefix`; an exact id takes precedence.
pub fn by_prefix<T>(
    all: impl IntoIterator<Item = T>,
    id: impl Fn(&T) -> String,
    prefix: &str,
) -> Match<T> {
    by_part(all, id, prefix, |id| id.starts_with(prefix))
}

/// Returns the item whose id satisfies `fits`; an exact id takes precedence.
pub fn by_part<T>(
    all: impl IntoIterator<Item = T>,
    id: impl Fn(&T) -> String,
    part: &str,
    fits: impl Fn(&str) -> bool,
) -> Match<T> {
    if part.is_empty() {
        return Match::None;
    }
    let all = all.into_iter();
    let mut found: Vec<T> = all.filter(|one| fits(&id(one))).collect();
    if let Some(at) = found.iter().position(|one| id(one) == part) {
        return Match::One(found.swap_remove(at));
    }
    match found.len() {
        0 => Match::None,
        1 => Match::One(found.swap_remove(0)),
        _ => Match::Several(found.iter().map(id).collect()),
    }
}

/// Returns the error that `name` has several `matches`; `hint` explains how to select one.
pub fn ambiguous<M: Display>(name: &str, things: &str, hint: &str, matches: &[M]) -> Error {
    let total = matches.len();
    let error = Error::new(format!("`{name}` matches {total} {things}")).hint(hint);
    let listed = matches.iter().take(MAX_LISTED);
    let error = listed.fold(error, |error, one| error.hint(format!("  {one}")));
    if total > MAX_LISTED {
        error.hint(format!("  … and {} more", total - MAX_LISTED))
    } else {
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_prefix_is_resolved() {
        let found = |prefix: &str| {
            let ids = ["ab1", "ab12", "c3"];
            let none = Error::new("none");
            let found = by_prefix(ids, ToString::to_string, prefix).one(prefix, "runs", none);
            found.map_err(|error| error.to_string())
        };
        assert_eq!(found("c"), Ok("c3"));
        assert_eq!(found("ab1"), Ok("ab1"));
        let several = "error: `a` matches 2 runs\nhint: use a longer prefix:\n\
                       hint:   ab1\nhint:   ab12\n";
        assert_eq!(found("a"), Err(several.to_owned()));
        for nothing in ["", "x", "c34"] {
            assert_eq!(found(nothing), Err("error: none\n".to_owned()));
        }
    }
}
