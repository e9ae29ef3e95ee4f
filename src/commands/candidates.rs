//! What a shell completes where a note, a tag, a property, a question, a run or a setting is meant.
//!
//! Asked at every press of a key: reads the caches as they are, waits for nobody, writes nothing, says nothing.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::PathBuf;

use clap::Arg;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};

use super::settings::SCHEMA;
use crate::cache::Cache;
use crate::cache::beginnings::Kind;
use crate::cache::catalog::CatalogReader;
use crate::cache::error::CatalogError;
use crate::config::Setting;
use crate::note::letters::folded;
use crate::output::{Color, Form, Output};
use crate::run::open;
use crate::run::presets::PRESETS;
use crate::run::template;
use crate::session::{Environment, Session};
use crate::signals::fields::FIELDS;

/// More than anybody reads; the next letter makes them fewer.
const MOST: usize = 200;

/// Gives the values of `definition` and of all below it what completes them.
#[must_use]
pub fn completing(definition: clap::Command) -> clap::Command {
    let definition = definition.mut_args(completing_value);
    definition.mut_subcommands(completing)
}

/// Goes by what the value is called, which is what the help calls it.
fn completing_value(arg: Arg) -> Arg {
    let name = arg.get_value_names().and_then(<[_]>::first);
    let name = name.map_or_else(|| arg.get_id().as_str().to_uppercase(), ToString::to_string);
    let complete: fn(&OsStr) -> Vec<CompletionCandidate> = match name.as_str() {
        "NOTE" | "NOTES" | "NOTE|RUN" => |current| notes(&text(current)),
        "TAG" | "TAG,..." => |current| after_comma(&text(current), tags),
        "QUERY" => |current| query(&text(current)),
        "KEY=VALUE" => |current| properties(&text(current)),
        "KEY" => |current| settings(&text(current)),
        "RUN" => |current| runs(&text(current)),
        "QUESTION" => |current| questions(&text(current)),
        "PRESET" => |current| presets(&text(current)),
        "TEMPLATE" => |current| templates(&text(current)),
        _ => return arg,
    };
    arg.add(ArgValueCompleter::new(complete))
}

fn text(current: &OsStr) -> String {
    current.to_string_lossy().into_owned()
}

/// Returns those of `values` that begin as `current` does, in any case, each once, in order.
fn beginning(current: &str, values: impl IntoIterator<Item = String>) -> Vec<CompletionCandidate> {
    let wanted = folded(current);
    let found: BTreeSet<String> = values
        .into_iter()
        .filter(|value| folded(value).starts_with(&*wanted))
        .collect();
    let found = found.into_iter().take(MOST);
    found.map(CompletionCandidate::new).collect()
}

/// Completes what stands after the last comma.
fn after_comma(
    current: &str,
    complete: fn(&str) -> Vec<CompletionCandidate>,
) -> Vec<CompletionCandidate> {
    let at = current.rfind(',').map_or(0, |comma| comma + 1);
    let (before, last) = current.split_at(at);
    let found = complete(last).into_iter();
    found.map(|one| one.add_prefix(before)).collect()
}

/// Titles, aliases and paths.
fn notes(current: &str) -> Vec<CompletionCandidate> {
    let names = named(Kind::Name, current);
    let paths = (!current.is_empty()).then(|| named(Kind::Path, current));
    beginning(current, names.into_iter().chain(paths.unwrap_or_default()))
}

fn tags(current: &str) -> Vec<CompletionCandidate> {
    beginning(current, named(Kind::Tag, current))
}

fn named(kind: Kind, current: &str) -> Vec<String> {
    let found = looked_up(|reading| reading.beginning(kind, current, MOST));
    found.unwrap_or_default()
}

/// Properties, each with its `=`.
fn properties(current: &str) -> Vec<CompletionCandidate> {
    beginning(current, property_names().map(|name| format!("{name}=")))
}

fn property_names() -> impl Iterator<Item = String> {
    let meta = looked_up(CatalogReader::meta);
    meta.unwrap_or_default().properties.into_keys()
}

/// The fields of queries, saved queries, tags and the properties of the vault.
fn query(current: &str) -> Vec<CompletionCandidate> {
    if let Some(tag) = current.strip_prefix('#') {
        return tags(tag)
            .into_iter()
            .map(|tag| tag.add_prefix("#"))
            .collect();
    }
    if let Some(tag) = current.strip_prefix("tag:") {
        return tags(tag)
            .into_iter()
            .map(|tag| tag.add_prefix("tag:"))
            .collect();
    }
    let mut found: Vec<String> = FIELDS
        .iter()
        .map(|field| format!("{}:", field.name))
        .collect();
    found.extend(property_names().map(|name| format!("{name}:")));
    beginning(current, found)
}

fn settings(current: &str) -> Vec<CompletionCandidate> {
    beginning(
        current,
        SCHEMA.all().map(|setting: &Setting| setting.key.clone()),
    )
}

fn templates(current: &str) -> Vec<CompletionCandidate> {
    let names = session().map(|session| template::names(&session));
    beginning(current, names.unwrap_or_default())
}

fn presets(current: &str) -> Vec<CompletionCandidate> {
    beginning(current, PRESETS.iter().map(|(name, _)| (*name).to_owned()))
}

/// The questions of today.
fn questions(current: &str) -> Vec<CompletionCandidate> {
    let asked = session().map(|session| open::asked_last(&session));
    let ids = asked.unwrap_or_default().into_iter();
    beginning(current, ids.map(|id| id.to_string()))
}

/// The runs that can be undone.
fn runs(current: &str) -> Vec<CompletionCandidate> {
    let session = session();
    let folder = session.map(|session| session.homes.state.join("history"));
    let entries = folder
        .and_then(|folder| folder.read_dir().ok())
        .into_iter()
        .flatten();
    let names = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok());
    beginning(current, names)
}

/// Looks something up in the catalog as it is; without any there is nothing to complete.
fn looked_up<T>(look: impl FnOnce(&CatalogReader) -> Result<T, CatalogError>) -> Option<T> {
    let catalog = Cache::catalog(&session()?.homes.cache)?;
    look(&catalog.read().ok()?).ok()
}

fn session() -> Option<Session> {
    let output = Output::new(Form::Human, true, Color::Never);
    output.hush();
    let env = Environment::new(output, vault_meant(), true, String::new(), &SCHEMA).ok()?;
    env.open().ok()
}

/// Returns the folder that the command line being typed names.
fn vault_meant() -> Option<PathBuf> {
    let words: Vec<_> = std::env::args_os().collect();
    let named = words
        .windows(2)
        .find(|two| two[0] == "-C" || two[0] == "--dir");
    let named = named.map(|two| two[1].clone());
    named
        .or_else(|| std::env::var_os("MEM_VAULT"))
        .map(PathBuf::from)
}
