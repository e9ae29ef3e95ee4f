//! `mem` keeps a directory of markdown notes in good order.
//!
//! The notes are the database; the caches can be deleted at any time. A folder here is a stage of
//! the data's way, and arrows point one way:
//!
//! ```text
//! note, finding, config, signals ← vault, http ← embed ← cache, journal ← view ← recall ← jobs ← change ← error ← output
//!     ← session ← run ← commands ← cli
//! ```
//!
//! | folder | what it is for |
//! |---|---|
//! | [`note`] | pure: text to note and back |
//! | [`finding`] | pure data: what the stages of a run say to each other |
//! | [`config`] | settings: their layers and where each value comes from |
//! | [`signals`] | pure: the table of fields, and the formulas of ranking |
//! | [`vault`] | the only code that touches note files |
//! | [`http`] | a server that the user set up, asked in JSON |
//! | [`embed`] | text to vector |
//! | [`cache`] | disposable: catalog, text index, vectors, sync, freshness |
//! | [`journal`] | what was decided |
//! | [`view`] | the read-only picture that recall and jobs see |
//! | [`recall`] | query to hits |
//! | [`jobs`] | the maintenance jobs: a view in, findings out |
//! | [`change`] | plans become bytes on disk: apply, history, undo, trash |
//! | [`error`] | how failures are worded, and exit codes |
//! | [`output`] | human, JSON, progress, colour |
//! | [`session`] | an open vault: its folders, settings, fresh caches, view, embedder; and the run's surroundings |
//! | [`run`] | what happens over time: policy, schedule, the record of runs, watch |
//! | [`commands`] | one file per subcommand |
//! | [`cli`] | the command line |
//!
//! Below `commands` nothing knows clap; below `output` nothing knows colour or stdout; clock and seed are values.

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

/// The stack of a run, whatever `ulimit -s` says.
const STACK: usize = 8 << 20;

/// Runs the program with `arguments`, its name first, and returns how it ended: 0 done or found,
/// 1 nothing found or a check found problems, 2 an error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    if !cli::has_address_space() {
        return ExitCode::from(2);
    }
    // A file above `ulimit -f` is then an error of the write, not the end of the process.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    let shown = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !cache::panics::are_caught() {
            shown(panic);
        }
    }));
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let run = thread::Builder::new().stack_size(STACK);
    let ended = match run.spawn(move || cli::run(arguments)) {
        // The hook has told of the panic.
        Ok(run) => run.join().ok(),
        Err(error) => {
            let error = Error::new("cannot start a thread").caused_by(&error);
            Output::new(Form::Human, false, Color::Never).fail(&error);
            None
        }
    };
    ended.unwrap_or(ExitCode::from(2))
}
