//! Front matter in YAML, TOML and JSON: parsed as values, edited by spans.

pub(crate) mod as_text;
pub mod items;
pub mod key;
pub(crate) mod layout;
pub(crate) mod layout_toml;
pub(crate) mod layout_yaml;
pub(crate) mod locate;
pub mod matter;
pub(crate) mod matter_error;
pub mod property;
pub(crate) mod property_names;
pub mod relation;
pub(crate) mod reshape;
pub(crate) mod rewrite;
pub(crate) mod salvage;
pub mod seal;
pub(crate) mod spelling;
pub mod split;
pub mod verbatim;
pub mod write;
pub(crate) mod yaml;
