//! Common imports of this folder.

pub(crate) use std::collections::{HashMap, HashSet};
pub(crate) use std::path::Path;

pub(crate) use super::{Entry, View};
pub(crate) use crate::cache::key::Key;
pub(crate) use crate::cache::row::{Flags, LinkTo, Row, Slot};
pub(crate) use crate::cache::{CacheError, Result};
pub(crate) use crate::note::front_matter::relation::Relation;
pub(crate) use crate::note::path::VaultPath;
pub(crate) use crate::note::words::letters::folded;
