//! `mem status`

use serde::Serialize;

use crate::cache::Cache;
use crate::cache::catalog::Meta;
use crate::cache::freshness::{self, Freshness};
use crate::change::history::History;
use crate::error::{Error, Exit};
use crate::invocation::{Invocation, Workplace};
use crate::output::{Form, Style, count};
use crate::run::state::State;

/// Say how the vault is: notes, index, jobs, what waits for an answer
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
    #[serde(flatten)]
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Index {
    /// There is none that can be used; the next command builds it.
    None,
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

impl VectorsRecord {
    fn of(place: &Workplace, cache: &Cache, meta: &Meta) -> Option<Self> {
        let file = meta.vectors.as_ref().filter(|file| file.rows > 0)?;
        // Damaged ones are made anew by the next search.
        let vectors = cache.vectors(file).ok()?;
        let graph = place.graph(cache, &vectors).map(|graph| GraphRecord {
            passages: graph.built(),
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
            words = format!("{words}, {waiting} to come");
        }
        match &self.graph {
            Some(graph) => format!("{words}, searched by a graph over {}", graph.passages),
            None => format!("{words}, searched one by one"),
        }
    }
}

/// Says it.
pub fn run(invocation: &Invocation, _: &Args) -> Result<Exit, Error> {
    let place = invocation.workplace()?;
    let (notes, problems, index, vectors) =
        match Cache::open(&place.homes.cache, place.settings.language) {
            Err(_) => (None, Vec::new(), Index::None, None),
            Ok(cache) => {
                let reading = cache.read()?;
                let meta = reading.meta().map_err(crate::cache::CacheError::from)?;
                let index = match freshness::look(&place.vault, &reading, &[])? {
                    Freshness::Fresh => Index::Fresh,
                    Freshness::Few(changes)
                        if changes.say_nothing_new(&place.vault, &reading)? =>
                    {
                        Index::Fresh
                    }
                    Freshness::Few(_) | Freshness::Many => Index::Behind,
                };
                let vectors = VectorsRecord::of(&place, &cache, &meta);
                (Some(meta.notes), meta.problems, index, vectors)
            }
        };
    let record = Record {
        vault: place.vault.root().display().to_string(),
        notes,
        index,
        vectors,
        problems,
        unfinished_run: History::new(place.vault.fs(), &place.homes).is_unfinished(),
        state: State::load(&place.state_folder(), &invocation.device()?),
    };
    if invocation.output.form == Form::Human {
        show(invocation, &record)?;
    } else {
        invocation.output.record(&record)?;
    }
    Ok(Exit::Done)
}

fn show(invocation: &Invocation, record: &Record) -> Result<(), Error> {
    let output = &invocation.output;
    output.line(&format!(
        "vault     {}",
        output.paint(Style::Place, &record.vault)
    ))?;
    output.line(&match (record.index, record.notes) {
        (Index::None, _) | (_, None) => "index     none yet".to_owned(),
        (Index::Fresh, Some(notes)) => {
            format!("index     {}, fresh", count(notes as usize, "note"))
        }
        (Index::Behind, Some(notes)) => format!(
            "index     {}, some changed since: the next search takes them in",
            count(notes as usize, "note")
        ),
    })?;
    if let Some(vectors) = &record.vectors {
        output.line(&format!("vectors   {}", output.clean(&vectors.words())))?;
    }
    for (job, state) in &record.state.jobs {
        let when = match state.last_success {
            Some(at) => {
                let at = at.to_zoned(invocation.now.time_zone().clone());
                at.strftime("%Y-%m-%d %H:%M").to_string()
            }
            None => "never yet".to_owned(),
        };
        let mut line = format!("{job:<9} {when}");
        if state.needs_answer > 0 {
            let questions = count(state.needs_answer as usize, "open question");
            line = format!("{line}, {questions}");
        }
        if let Some(error) = &state.last_error {
            line.push_str(&output.paint(Style::Warning, &format!(", failed: {error}")));
        }
        output.line(&line)?;
    }
    if !record.problems.is_empty() {
        output.line(&format!(
            "left out {}",
            count(record.problems.len(), "file")
        ))?;
        for (path, why) in &record.problems {
            output.line(&format!(
                "  {}: {}",
                output.paint(Style::Place, path),
                output.clean(why)
            ))?;
        }
    }
    if record.unfinished_run {
        output.warn("a run was cut short; the next one that writes settles it");
    }
    Ok(())
}
