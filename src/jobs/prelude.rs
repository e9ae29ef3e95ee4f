//! Common imports of the jobs.

pub(crate) use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
pub(crate) use std::fmt;
pub(crate) use std::ops::Range;

pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::{Map, Value};
pub(crate) use xxhash_rust::xxh3::xxh3_64;

pub(crate) use super::find::{Find, Findings, NoteScope, Seeds};
pub(crate) use super::job::{self, Job};
pub(crate) use crate::cache::{Flags, Result, Slot};
pub(crate) use crate::config::{Interval, SettingsSection as _, section};
pub(crate) use crate::finding::question::{Answer, QuestionKind};
pub(crate) use crate::finding::{Act, Answers, Finding, QuestionKey};
pub(crate) use crate::note::front_matter::split;
pub(crate) use crate::note::words::english::{self, stem};
pub(crate) use crate::note::{
    Class, Document, Edit, Relation, VaultPath, each_word, folded, is_in_templates_folder,
    is_placeholder, normal_hash, text_of,
};
pub(crate) use crate::signals::lifecycle::Protection;
pub(crate) use crate::signals::{DAY, Tier};
pub(crate) use crate::view::{Entry, View, is_wikilink_target};
