//! Surfaces for agents other than the command line.

pub mod context;
pub mod mcp;
mod protocol;
mod tools;
