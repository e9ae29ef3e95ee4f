//! `mem` maintains a directory of Markdown notes.
//!
//! The notes are the database; caches can be deleted at any time. Each module is a stage of data
//! processing, and imports point one way:
//!
//! ```text
//! note, finding, config, signals ← vault, http ← embed ← cache, journal ← view ← recall ← jobs ← change ← error ← output
//!     ← session ← run ← commands ← cli
//! ```
//!
//! | module | purpose |
//! |---|---|
//! | [`note`] | pure: parsing and editing of notes |
//! | [`finding`] | pure data exchanged by the stages of a run |
//! | [`config`] | settings: layers and origins |
//! | [`signals`] | pure: the table of fields, and ranking formulas |
//! | [`vault`] | the only code that touches note files |
//! | [`http`] | JSON requests to a server that the user configured |
//! | [`embed`] | text to vector |
//! | [`cache`] | disposable: catalog, text index, vectors, sync, freshness |
//! | [`journal`] | append-only records: answers, provenance, usage |
//! | [`view`] | read-only picture of a vault for recall and jobs |
//! | [`recall`] | query to hits |
//! | [`jobs`] | maintenance jobs: from a view to findings |
//! | [`change`] | applies plans to files: apply, history, undo, trash |
//! | [`error`] | error messages and exit codes |
//! | [`output`] | text, JSON, progress, colour |
//! | [`session`] | an open vault: folders, settings, fresh caches, view, embedder; and the environment of the process |
//! | [`run`] | operation over time: policy, schedule, records of runs, watch |
//! | [`commands`] | one file per subcommand |
//! | [`cli`] | the command line |
//!
//! Modules below `commands` do not use clap; modules below `output` use neither colour nor stdout.
//! Clock and seed are values.

pub mod cache;
pub mod change;
pub mod cli;
pub mod commands;
pub mod config;
pub mod embed;
pub mod error;
pub mod finding;
pub mod http;
pub mod jobs;
pub mod journal;
pub mod note;
pub mod output;
pub mod recall;
pub mod run;
pub mod session;
pub mod signals;
pub mod vault;
pub mod view;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use signal_hook::consts::SIGXFSZ;

use error::Error;
use output::{Color, Form, Output};

/// Stack size in bytes of the main thread, independent of `ulimit -s`.
const STACK_BYTES: usize = 8 << 20;

/// Runs the program with `arguments`, its name first. Exit codes: 0 done or found, 1 nothing found
/// or a check found problems, 2 error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    if !cli::has_address_space() {
        return ExitCode::from(2);
    }
    // Turns a file above `ulimit -f` into a write error instead of a fatal signal.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    let shown = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !cache::panics::is_panic_caught() {
            shown(panic);
        }
    }));
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let run = thread::Builder::new().stack_size(STACK_BYTES);
    let ended = match run.spawn(move || cli::run(arguments)) {
        // The hook has reported the panic.
        Ok(run) => run.join().ok(),
        Err(error) => {
            let error = Error::new("cannot start a thread").caused_by(&error);
            Output::new(Form::Human, false, Color::Never).fail(&error);
            None
        }
    };
    ended.unwrap_or(ExitCode::from(2))
}
