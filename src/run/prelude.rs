//! Common imports of this folder: session, jobs and error types.

pub(crate) use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
pub(crate) use std::fmt::{self, Write as _};
pub(crate) use std::fs;
pub(crate) use std::io;
pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::process::Command;
pub(crate) use std::sync::{Arc, LazyLock, Mutex, PoisonError};
pub(crate) use std::thread;
pub(crate) use std::time::{Duration, Instant};

pub(crate) use jiff::{Timestamp, Zoned};
pub(crate) use schemars::JsonSchema;
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::{Map, Value, json};
pub(crate) use xxhash_rust::xxh3::xxh3_64;

pub(crate) use super::answers::AnswerRecord;
pub(crate) use super::judge::options::JudgeOptions;
pub(crate) use super::options::{Apply, SleepOptions};
pub(crate) use super::sleep::schedule::DueTime;
pub(crate) use super::sleep::state::SleepState;
pub(crate) use crate::cache::{Cache, CacheError};
pub(crate) use crate::change::acts::{self, ActError};
pub(crate) use crate::change::stop::Stop;
pub(crate) use crate::change::{FinishedRun, History, Outcome, RunId, RunReport};
pub(crate) use crate::config::{Interval, section, values};
pub(crate) use crate::error::{Error, Result};
pub(crate) use crate::finding::question::{Answer, QuestionKind};
pub(crate) use crate::finding::{Act, Answers, Change, Finding, Group, Plan, QuestionKey};
pub(crate) use crate::jobs;
pub(crate) use crate::jobs::doctor::{DoctorFinding, ProblemKind};
pub(crate) use crate::jobs::job::{ConfiguredJob, Job};
pub(crate) use crate::journal::decisions::{Decision, REVIEW};
pub(crate) use crate::journal::{self, Opinion, Opinions};
pub(crate) use crate::note;
pub(crate) use crate::note::{Edit, VaultPath};
pub(crate) use crate::output::progress::Progress;
pub(crate) use crate::output::{Output, count};
pub(crate) use crate::run::adapters::git::Git;
pub(crate) use crate::run::sleep::step::Step;
pub(crate) use crate::session::{Environment, Session};
pub(crate) use crate::vault::{Homes, JOURNAL, Lock, LockError, OWN_FOLDER, Vault, own_files};
pub(crate) use crate::view::{Entry, View};
