//! Locates a property in front matter of any language.

use super::layout::PropertyLocation;
use super::split::FrontMatterLanguage;
use super::{layout_toml, layout_yaml};

/// Follows `keys` into the maps of `text`; `None` if the layout cannot be determined.
pub(crate) fn locate(
    text: &str,
    keys: &[String],
    language: FrontMatterLanguage,
) -> Option<PropertyLocation> {
    match language {
        FrontMatterLanguage::Toml => layout_toml::locate(text, keys),
        _ => layout_yaml::locate(text, keys, language),
    }
}
