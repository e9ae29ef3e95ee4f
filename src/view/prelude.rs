//! Common imports of this folder.

pub(crate) use std::collections::{HashMap, HashSet};
pub(crate) use std::path::Path;

pub(crate) use super::{Entry, View};
pub(crate) use crate::cache::key::IndexKey;
pub(crate) use crate::cache::row::LinkTo;
pub(crate) use crate::cache::{CacheError, Flags, Result, Row, Slot};
pub(crate) use crate::note::{Relation, VaultPath, folded};
