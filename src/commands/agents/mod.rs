//! Surfaces for agents other than the command line.

pub mod context;
pub mod hook;
pub mod install;
pub mod mcp;
mod memory;
mod named;
mod protocol;
mod tools;
