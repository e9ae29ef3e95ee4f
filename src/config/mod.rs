//! Settings in layers: defaults, the user's file, the vault's file, environment, flags. Each file
//! may name presets, which form layers below it with the same trust.
//!
//! This module does not know individual settings. Their owners declare them with [`section!`]:
//! description, type, default, accepted values, and how far vaults are trusted. A [`Schema`] lists
//! all sections; [`Settings`] contain the values and the origin of each.
//!
//! A vault's file is not trusted. It can restrict unattended changes but never extend them beyond
//! the user's settings, and it cannot set where texts are sent or whether git runs.

pub mod edit;
mod interval;
mod layers;
mod schema;
mod section;
pub mod values;

pub use interval::Interval;
pub use layers::{Origin, SettingError, Settings};
pub(crate) use section::section;

pub use schema::{
    PresetText, Schema, Setting, SettingBinding, SettingsSection, TextTable, Trust, did_you_mean,
    name_similarity, nearest,
};

/// Returns a TOML parser's message with its line number.
pub fn syntax_error(text: &str, span: Option<std::ops::Range<usize>>, message: &str) -> String {
    let before = span.and_then(|span| text.get(..span.start));
    let line = before.map_or(1, |before| before.matches('\n').count() + 1);
    // The parser takes a text without quotes for a misspelled `true` or `nan`.
    let is_bare = ["invalid boolean", "invalid float", "string values must be"]
        .iter()
        .any(|start| message.starts_with(start));
    let message = if is_bare {
        "invalid value; a text needs quotes"
    } else {
        message
    };
    format!("line {line}: {message}")
}
