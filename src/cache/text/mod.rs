//! The text index: which notes hold which words, where, and how well they match a query.
//!
//! One tantivy document per note, keyed by a number of the caller's; nothing of the note is
//! stored. The catalog decides which keys exist and keeps the index in step with itself through
//! the payload of each commit. A [`writer::TextWriter`] changes the index; a [`reader::TextReader`]
//! per commit answers queries, in [`search`].
//!
//! A cache: if anything is wrong with the files, opening says so and the caller builds afresh. Writes
//! do not wait for the disk (see `directory`). A reader sees the commit that was the last when
//! it opened, however much is written meanwhile.
//!
//! Deleted documents never count: neither in scores (see `bm25`) nor, for long, on disk, where
//! [`writer::TextWriter::tidy`] merges what is small or mostly deleted.

pub mod bm25;
pub mod clause;
mod directory;
pub mod error;
pub mod index;
pub mod reader;
pub mod schema;
mod scored_docs;
pub mod search;
pub mod spelling;
pub mod writer;
