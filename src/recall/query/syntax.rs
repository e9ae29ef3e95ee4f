//! Lexical classes of query words.

use crate::note::markdown::tags;

/// Returns whether a `-` before `text` negates it.
pub(super) fn can_negate(text: &str) -> bool {
    text.starts_with(|c: char| !c.is_whitespace() && !matches!(c, '-' | '>' | '=' | ')'))
}

/// Returns `migr` for `migr*`.
pub(super) fn prefix_of(word: &str) -> Option<&str> {
    let stem = word.strip_suffix('*')?;
    (!stem.contains(['*', '(', ')']) && stem.contains(char::is_alphanumeric)).then_some(stem)
}

/// Returns `garden/herbs` for `#garden/herbs`, if it is a valid tag; `*` matches anything.
pub(super) fn tag_of(word: &str) -> Option<&str> {
    let plain = word.replace('*', "");
    let tag = word.strip_prefix('#')?.trim_end_matches('/');
    let end = tags::inline(&plain, 0)?;
    (end == plain.trim_end_matches('/').len()).then_some(tag)
}

/// Returns `open` for `@open`.
pub(super) fn saved_of(word: &str) -> Option<&str> {
    word.strip_prefix('@').filter(|name| is_saved_name(name))
}

/// Returns whether a query can be saved under `name`.
pub fn is_saved_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

/// Splits `name:value` if it can be a field: not in an address, time or path.
pub(super) fn name_of(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once(':')?;
    let is_name = name.starts_with(char::is_alphabetic)
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let is_drive = name.len() == 1 && value.starts_with(['/', '\\']);
    let is_address = value.starts_with("//") || name.eq_ignore_ascii_case("mailto");
    let is_field = is_name && !value.is_empty() && !value.starts_with(':') && !is_drive;
    (is_field && !is_address).then_some((name, value))
}
