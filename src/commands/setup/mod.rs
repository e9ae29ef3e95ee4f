//! Commands that set up and explain `mem`.

pub(crate) mod bash;
pub mod completions;
pub mod config;
pub mod demo;
pub mod git;
pub mod help;
pub mod init;
pub mod presets;
pub mod settings;
