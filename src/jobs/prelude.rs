//! Common imports of the jobs.

pub(crate) use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
pub(crate) use std::ops::Range;

pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::{Map, Value};
pub(crate) use xxhash_rust::xxh3::xxh3_64;

pub(crate) use super::find::{Find, Findings, NoteScope, Seeds};
pub(crate) use super::job::{self, Job};
pub(crate) use crate::cache::Result;
pub(crate) use crate::cache::row::{Flags, Slot};
pub(crate) use crate::config::{Interval, Section as _, section};
pub(crate) use crate::finding::Finding;
pub(crate) use crate::finding::act::Act;
pub(crate) use crate::finding::question::{Answer, Answers, QuestionKey, QuestionKind};
pub(crate) use crate::note::edit::Edit;
pub(crate) use crate::note::front_matter::relation::Relation;
pub(crate) use crate::note::front_matter::split;
pub(crate) use crate::note::markdown::document::Document;
pub(crate) use crate::note::path::VaultPath;
pub(crate) use crate::note::text_of;
pub(crate) use crate::note::words::english::{self, Class, stem};
pub(crate) use crate::note::words::tokens::each_word;
pub(crate) use crate::signals::tier::Tier;
pub(crate) use crate::view::{Entry, View};
