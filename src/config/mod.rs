//! Settings in layers: built in, then the user's file, then the vault's, then the environment, then
//! flags. A file may name presets: layers of their own right below it, trusted as it is.
//!
//! Nothing here knows what a setting is for. An owner of settings declares them with [`section!`] beside the
//! code that they steer: one entry for each, with what it decides, its type, default and accepted values, and how
//! far a vault is trusted with it. The list of all sections is a [`Schema`]; [`Settings`] are the values that
//! the layers set, and who set them.
//!
//! A vault's own file is not trusted: it can lower what is done unattended, never raise it above
//! what the user set, and it cannot say where texts are sent or that git is run.

pub mod edit;
mod every;
mod layers;
mod schema;
mod section;
pub mod values;

pub use every::Every;
pub use layers::{Origin, SettingError, Settings};
pub(crate) use section::section;

pub use schema::{Key, Preset, Schema, Section, Setting, Texts, Trust, likeness, meant, nearest};

/// Returns what a parser of TOML says about `text`, and in which line.
pub fn syntax_error(text: &str, span: Option<std::ops::Range<usize>>, message: &str) -> String {
    let before = span.and_then(|span| text.get(..span.start));
    let line = before.map_or(1, |before| before.matches('\n').count() + 1);
    format!("line {line}: {message}")
}
