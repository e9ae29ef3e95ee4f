//! Where a property stands, whatever the front matter is written in.

use super::layout::Location;
use super::split::Language;
use super::{layout_toml, layout_yaml};

/// Follows `keys` into the maps of `text`; `None` when its layout cannot be made out.
pub(crate) fn locate(text: &str, keys: &[String], language: Language) -> Option<Location> {
    match language {
        Language::Toml => layout_toml::locate(text, keys),
        _ => layout_yaml::locate(text, keys, language),
    }
}
