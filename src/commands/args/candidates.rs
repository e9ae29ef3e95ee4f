//! Shell completion of notes, tags, properties, questions, runs and settings.

use std::ffi::{OsStr, OsString};

use clap::Arg;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};

use crate::commands::prelude::*;
use crate::run::completion::CompletionCandidates;
use crate::session::environment::folders_of;

/// Returns the value name of `arg` in the help.
pub(crate) fn value_name(arg: &Arg) -> String {
    let name = arg.get_value_names().and_then(<[_]>::first);
    name.map_or_else(|| arg.get_id().as_str().to_uppercase(), ToString::to_string)
}

/// Adds completion to all values of `definition` and its subcommands, for the command line `words`.
pub(crate) fn with_completion(definition: clap::Command, words: &[OsString]) -> clap::Command {
    let named = words
        .windows(2)
        .find(|two| two[0] == "-C" || two[0] == "--dir")
        .map(|two| two[1].clone());
    let folder = named.or_else(|| std::env::var_os("MEM_VAULT"));
    let vault = folder.and_then(|vault| folders_of(Path::new(&vault)).into_iter().next());
    with_candidates(
        definition,
        &CompletionCandidates {
            vault,
            schema: &SCHEMA,
        },
    )
}

fn with_candidates(definition: clap::Command, candidates: &CompletionCandidates) -> clap::Command {
    let definition = definition.mut_args(|arg| with_values(arg, candidates));
    definition.mut_subcommands(|command| with_candidates(command, candidates))
}

/// Selects the completion by the value name.
fn with_values(arg: Arg, candidates: &CompletionCandidates) -> Arg {
    if !arg.get_possible_values().is_empty() {
        return arg;
    }
    let Some(complete) = CompletionCandidates::of(&value_name(&arg)) else {
        return arg;
    };
    let candidates = candidates.clone();
    arg.add(ArgValueCompleter::new(move |current: &OsStr| {
        let mut found = complete(&candidates, &current.to_string_lossy());
        // A value that begins with `-` would be parsed as a flag.
        found.retain(|value| !value.starts_with('-'));
        found.into_iter().map(CompletionCandidate::new).collect()
    }))
}
