//! The text index: inverted lists of words, and their search.
//!
//! One tantivy document per note, keyed by a number of the caller's; the text itself is not stored. The
//! catalog decides which keys exist, and the payload of each commit keeps both in step. A
//! [`writer::TextWriter`] changes the index; a [`reader::TextReader`] per commit answers queries, in
//! [`search`].
//!
//! The index is a cache: damaged files are an error at opening, and the caller rebuilds. Writes are not
//! synced to disk (see `directory`). A reader keeps the commit that it opened, regardless of later writes.
//!
//! Deleted documents never count in scores (see `bm25`). A merge of segments removes them from disk;
//! each commit merges the small segments if there are too many.

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
