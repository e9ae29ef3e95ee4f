//! Append-only records that cannot be derived from the notes, one folder per device in the vault.
//!
//! ```text
//! .mem/journal/<device>/decisions.jsonl    answers
//! .mem/journal/<device>/opinions.jsonl     replies of judges
//! .mem/journal/<device>/facts.jsonl        facts that judges extracted from notes
//! .mem/journal/<device>/edges.jsonl        provenance of relations
//! .mem/journal/<device>/usage.jsonl        usage statistics of notes
//! .mem/journal/<device>/moves.jsonl        renames, merges and removals of notes
//! .mem/journal/<device>/adopted.jsonl      when mem first saw each note
//! <state home>/mem/<vault>/events          uses of notes not yet in the journal
//! ```
//!
//! Each device appends only to its own files, so git and sync tools merge by union. The state is
//! the fold over all devices. Losing the journal costs no knowledge.

pub mod adoption;
pub mod check;
pub mod decisions;
pub mod device;
pub mod events;
pub mod facts;
mod lines;
pub mod moves;
pub mod opinions;
pub mod provenance;
pub mod tally;
mod union;
pub mod usage;

pub use self::device::Device;
pub use self::events::{EventKind, TextHash, UsageEvent};
pub use self::opinions::{Opinion, Opinions};
pub use self::provenance::RelationOrigin;

pub use lines::{DeviceRecord, append, bytes};
pub use union::union;
