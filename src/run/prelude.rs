//! Common imports of this folder: session, jobs and error types.

pub(crate) use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
pub(crate) use std::fmt::Write as _;
pub(crate) use std::fs;
pub(crate) use std::io;
pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::sync::{Mutex, PoisonError};
pub(crate) use std::time::{Duration, Instant};

pub(crate) use jiff::{Timestamp, Zoned};
pub(crate) use schemars::JsonSchema;
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::Value;
pub(crate) use xxhash_rust::xxh3::xxh3_64;

pub(crate) use crate::cache::{Cache, CacheError};
pub(crate) use crate::change::{History, RunId};
pub(crate) use crate::config::section;
pub(crate) use crate::error::{Error, Result};
pub(crate) use crate::finding::question::{Answer, QuestionKind};
pub(crate) use crate::finding::{Act, Finding, Group, Plan, QuestionKey};
pub(crate) use crate::jobs::{self, job::Job};
pub(crate) use crate::journal::decisions::Decision;
pub(crate) use crate::note;
pub(crate) use crate::note::{Edit, VaultPath};
pub(crate) use crate::output::count;
pub(crate) use crate::session::{Environment, Session};
pub(crate) use crate::vault::{Lock, LockError, Vault, own_files};
pub(crate) use crate::view::{Entry, View};
