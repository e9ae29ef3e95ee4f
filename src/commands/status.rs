//! `mem status`

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use crate::cache::Cache;
use crate::cache::freshness::{self, Freshness, ON_THE_SPOT};
use crate::cache::meta::Meta;
use crate::change::history::History;
use crate::error::{Error, Exit};
use crate::jobs::JOBS;
use crate::output::{Form, Style, count};
use crate::run::schedule::Due;
use crate::run::sleep;
use crate::run::state::{JobState, RunState, State};
use crate::run::step::Step;
use crate::session::{Environment, Session};
use crate::vault::lock::{Holder, Lock};

/// Show the state of the vault: notes, index, jobs, open questions
#[derive(Debug, clap::Args)]
pub struct Args {}

#[derive(Debug, Serialize)]
struct Record {
    vault: String,
    notes: Option<u32>,
    index: Index,
    /// None before a note was embedded.
    vectors: Option<VectorsRecord>,
    /// Files that look like notes but cannot be read.
    problems: Vec<(String, String)>,
    /// True if a run was cut short; the next one that writes settles it.
    unfinished_run: bool,
    /// None where nobody watches.
    watch: Option<WatchRecord>,
    /// By job.
    jobs: BTreeMap<&'static str, JobRecord>,
    /// The latest runs, newest first.
    history: Vec<RunState>,
}

/// What is known of one job.
#[derive(Debug, Serialize)]
struct JobRecord {
    /// When a sleep runs it next; none if it is switched off.
    next_due: Option<Timestamp>,
    #[serde(flatten)]
    state: JobState,
}

impl JobRecord {
    /// Returns what is known of the jobs that a sleep runs.
    fn all(
        session: &Session,
        state: &State,
        cache: Option<&Cache>,
    ) -> Result<BTreeMap<&'static str, Self>, Error> {
        let due = sleep::due(session, state, cache, &session.env.now)?;
        let jobs = due.into_iter().map(|(step, due)| {
            let next_due = match due {
                Due::Now => Some(session.env.now.timestamp()),
                Due::At(at) => Some(at),
                Due::Never => None,
            };
            let mut state = state.jobs.get(step.name()).cloned().unwrap_or_default();
            if step == Step::Index {
                state.last_success = cache.and_then(Cache::last_pass).max(state.last_success);
            }
            (step.name(), Self { next_due, state })
        });
        Ok(jobs.collect())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Index {
    /// There is none that can be used; the next command builds it.
    NotBuilt,
    /// As far as a quick look can tell, it is where the notes are.
    Fresh,
    /// Notes changed since; the next search takes them in.
    Behind,
}

/// The vectors that searches by meaning look at.
#[derive(Debug, Serialize)]
struct VectorsRecord {
    /// What made them.
    model: String,
    /// The numbers of one.
    dims: u32,
    /// Passages that have one.
    passages: u32,
    /// Notes that wait for theirs.
    notes_waiting: u32,
    bytes: u64,
    /// The part of them that a graph leads to; a search looks at all others.
    graph: Option<GraphRecord>,
}

#[derive(Debug, Serialize)]
struct GraphRecord {
    passages: u32,
    bytes: u64,
}

/// The watch of the vault.
#[derive(Debug, Serialize)]
struct WatchRecord {
    pid: u32,
    since: String,
}

impl WatchRecord {
    fn of(session: &Session) -> Option<Self> {
        let Holder { pid, since, .. } = Lock::holder(&session.homes.watch_lock())?;
        Some(Self { pid, since })
    }

    fn words(&self, env: &Environment) -> String {
        let since = self.since.parse();
        let since = since.map_or_else(|_| self.since.clone(), |at| env.local_time(at));
        format!("by process {} since {since}", self.pid)
    }
}

impl VectorsRecord {
    fn of(session: &Session, cache: &Cache, meta: &Meta) -> Option<Self> {
        let file = meta.vectors.as_ref().filter(|file| file.rows > 0)?;
        // Damaged ones are made anew by the next search.
        let vectors = cache.vectors(file).ok()?;
        let graph = session.graph(cache, &vectors).map(|graph| GraphRecord {
            passages: graph.covered(),
            bytes: graph.bytes(),
        });
        Some(Self {
            model: file.model.clone(),
            dims: file.dims,
            passages: file.living,
            notes_waiting: meta.pending,
            bytes: vectors.bytes_on_disk(),
            graph,
        })
    }

    fn words(&self) -> String {
        let passages = count(self.passages as usize, "passage");
        let mut words = format!("{passages} by {}", self.model);
        if self.notes_waiting > 0 {
            let waiting = count(self.notes_waiting as usize, "note");
            words = format!("{words}, {waiting} pending");
        }
        match &self.graph {
            Some(graph) => format!("{words}, HNSW graph over {}", graph.passages),
            None => format!("{words}, exact search"),
        }
    }
}

/// Says it.
pub fn run(env: &Environment, _: &Args) -> Result<Exit, Error> {
    let session = env.open()?;
    let cache = Cache::open(&session.homes.cache, session.index.language).ok();
    let (notes, problems, index, vectors) = match &cache {
        None => (None, Vec::new(), Index::NotBuilt, None),
        Some(cache) => {
            let reading = cache.read()?;
            let meta = reading.meta().map_err(crate::cache::CacheError::from)?;
            let index = match freshness::check(&session.vault, &reading, &[], ON_THE_SPOT)? {
                Freshness::Fresh => Index::Fresh,
                Freshness::Few(plan) if plan.changes_nothing(&session.vault, &reading)? => {
                    Index::Fresh
                }
                Freshness::Few(_) | Freshness::Many => Index::Behind,
            };
            let vectors = VectorsRecord::of(&session, cache, &meta);
            (Some(meta.notes), meta.problems, index, vectors)
        }
    };
    let mut state = State::load(&session.state_folder(), &env.device()?);
    let jobs = JobRecord::all(&session, &state, cache.as_ref())?;
    let record = Record {
        vault: session.vault.root().display().to_string(),
        notes,
        index,
        vectors,
        problems,
        unfinished_run: History::new(session.vault.fs(), &session.homes).is_unfinished(),
        watch: WatchRecord::of(&session),
        jobs,
        history: std::mem::take(&mut state.history),
    };
    if env.output.form == Form::Human {
        show(env, &record)?;
    } else {
        env.output.record(&record)?;
    }
    Ok(Exit::Done)
}

fn show(env: &Environment, record: &Record) -> Result<(), Error> {
    let output = &env.output;
    output.line(&format!(
        "vault     {}",
        output.paint(Style::Place, &record.vault)
    ))?;
    let time = |at| env.local_time(at);
    let failure = |state: &JobState| {
        let error = state.last_error.as_ref();
        error.map_or(String::new(), |error| {
            output.paint(Style::Warning, &format!(", failed: {error}"))
        })
    };
    let (index, failed) = match record.jobs.get(Step::Index.name()) {
        Some(JobRecord { state, .. }) => (state.last_success, failure(state)),
        None => (None, String::new()),
    };
    let looked = index.map_or(String::new(), |at| format!("; last full scan {}", time(at)));
    output.line(&match (record.index, record.notes) {
        (Index::NotBuilt, _) | (_, None) => {
            format!("index     not built yet: the next search builds it{failed}")
        }
        (Index::Fresh, Some(notes)) => {
            let notes = count(notes as usize, "note");
            format!("index     {notes}, fresh{looked}{failed}")
        }
        (Index::Behind, Some(notes)) => format!(
            "index     {}, stale: the next search updates it{looked}{failed}",
            count(notes as usize, "note")
        ),
    })?;
    if let Some(vectors) = &record.vectors {
        output.line(&format!("vectors   {}", output.clean(&vectors.words())))?;
    }
    if let Some(watch) = &record.watch {
        let words = watch.words(env);
        output.line(&format!("watch     {}", output.clean(&words)))?;
    }
    for job in JOBS.iter().map(|job| job.name) {
        let Some(JobRecord { next_due, state }) = record.jobs.get(job) else {
            continue;
        };
        let next = match next_due {
            None => "off".to_owned(),
            Some(at) if *at <= env.now.timestamp() => "due".to_owned(),
            Some(at) => format!("next {}", time(*at)),
        };
        let mut line = match state.last_success {
            Some(at) => format!("{job:<9} {}, {next}", time(at)),
            None => format!("{job:<9} never run, {next}"),
        };
        if state.needs_answer > 0 {
            let questions = count(state.needs_answer as usize, "open question");
            line = format!("{line}, {questions}");
        }
        if state.left > 0 {
            line = format!("{line}, {} remaining", count(state.left as usize, "note"));
        }
        line.push_str(&failure(state));
        output.line(&line)?;
    }
    if !record.problems.is_empty() {
        output.line(&format!("skipped {}", count(record.problems.len(), "file")))?;
        for (path, why) in &record.problems {
            output.line(&format!(
                "  {}: {}",
                output.paint(Style::Place, path),
                output.clean(why)
            ))?;
        }
    }
    if record.unfinished_run {
        output.warn("an interrupted run will be recovered by the next write");
    }
    Ok(())
}
