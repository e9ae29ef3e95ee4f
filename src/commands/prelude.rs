//! The imports of nearly every command.

pub(crate) use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
pub(crate) use std::ffi::OsString;
pub(crate) use std::fmt::Write as _;
pub(crate) use std::fs;
pub(crate) use std::io;
pub(crate) use std::ops::Range;
pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::sync::Arc;
pub(crate) use std::thread;
pub(crate) use std::time::Duration;

pub(crate) use clap::builder::{PossibleValuesParser, TypedValueParser};
pub(crate) use jiff::Timestamp;
pub(crate) use schemars::JsonSchema;
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::{Map, Value, json};

pub(crate) use super::Request;
pub(crate) use super::args::change_report::{self, ChangeReport, NotePath};
pub(crate) use super::args::choice::named;
pub(crate) use super::args::destination::{Destination, link_update_error};
pub(crate) use super::args::editor;
pub(crate) use super::args::note_lookup::{find_note, find_note_to_show, find_notes};
pub(crate) use super::args::output_rows::RowArgs;
pub(crate) use super::args::prompt::confirmed;
pub(crate) use super::args::property_value::{new_tag, number_in, tag};
pub(crate) use super::args::query_args::{
    NoteFilter, QueryArgs, named_or_selected, query_text, selected,
};
pub(crate) use super::args::secret_check::SecretCheck;
pub(crate) use super::args::usage_flag::UsageFlag;
pub(crate) use super::render;
pub(crate) use super::render::relative_path::RelativePaths;
pub(crate) use super::setup::settings::SCHEMA;
pub(crate) use crate::cache::{Cache, CacheError, Flags};
pub(crate) use crate::change::run_id::short as short_id;
pub(crate) use crate::change::{RunId, acts};
pub(crate) use crate::config::{Origin, Settings};
pub(crate) use crate::error::{Error, Exit, Result};
pub(crate) use crate::finding::question::Answer;
pub(crate) use crate::finding::{Act, Finding, Group, RuleEvent, act};
pub(crate) use crate::jobs::{JOBS, rules};
pub(crate) use crate::journal::EventKind;
pub(crate) use crate::note;
pub(crate) use crate::note::front_matter::split::split;
pub(crate) use crate::note::markdown::body::Heading;
pub(crate) use crate::note::words::lists;
pub(crate) use crate::note::{Edit, LinkKind, Relation, VaultPath};
pub(crate) use crate::output::columns::{CutSide, GAP, cut, fill, width};
pub(crate) use crate::output::diff;
pub(crate) use crate::output::lines::Line;
pub(crate) use crate::output::reply::{Either, Message, Page, Records, Reply, list, records};
pub(crate) use crate::output::terminal::Terminal;
pub(crate) use crate::output::{Form, Output, Style, count, shell_word};
pub(crate) use crate::recall::mode::Mode;
pub(crate) use crate::recall::outdated::OutdatedReason;
pub(crate) use crate::recall::{Hit, SearchOptions};
pub(crate) use crate::run::presets::PRESETS;
pub(crate) use crate::run::report::group::{GroupOutcome, GroupReport};
pub(crate) use crate::run::report::question::QuestionReport;
pub(crate) use crate::run::sleep::rule_schedule::start_in_background;
pub(crate) use crate::run::sleep::step::Step;
pub(crate) use crate::session::search::Selection;
pub(crate) use crate::session::{Environment, Session};
pub(crate) use crate::signals::{Field, Tier};
pub(crate) use crate::vault::{Vault, own_files};
pub(crate) use crate::view::{Entry, View};
