//! State of a vault for `mem status`.

use super::plan::open::{self, OpenCounts};
use super::sleep::state::{JobState, RunState};
use crate::cache::freshness::{self, Freshness};
use crate::cache::meta::CacheMeta;
use crate::cache::{Flags, MAX_NOTES_INDEXED_BY_READ};
use crate::jobs::views;
use crate::run::prelude::*;
use crate::session::upgrade::EncoderState;
use crate::vault::Holder;

#[derive(Debug, Serialize, JsonSchema)]
pub struct Status {
    pub vault: String,
    pub notes: Option<u32>,
    pub index: Index,
    /// Notes by language.
    pub languages: BTreeMap<&'static str, usize>,
    /// Absent if no note was embedded.
    pub vectors: Option<VectorsRecord>,
    /// Absent if the sentence encoder is in use or disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoder: Option<EncoderState>,
    /// Number of notes that jobs cannot change because their files are read-only.
    pub read_only: usize,
    /// Number of notes whose front matter cannot be read.
    pub unreadable: usize,
    /// Files that look like notes but cannot be read.
    pub problems: Vec<(String, String)>,
    /// Lists in notes that are not maintained, with the reason.
    pub lists: Vec<String>,
    /// Whether a run was interrupted; the next write recovers it.
    pub unfinished_run: bool,
    /// Absent if no watch is running.
    pub watch: Option<WatchRecord>,
    /// By job.
    pub jobs: BTreeMap<&'static str, JobRecord>,
    /// Open questions and suggestions; absent if never counted.
    pub review: Option<OpenCounts>,
    /// Recent runs, newest first.
    pub history: Vec<RunState>,
}

/// State of one job.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JobRecord {
    /// When a sleep runs it next; absent if only rules run it, or if `rules.enabled` is false.
    pub next_due: Option<Timestamp>,
    #[serde(flatten)]
    pub state: JobState,
}

impl JobRecord {
    /// Returns the states of all enabled jobs.
    fn all(
        session: &Session,
        state: &SleepState,
        cache: Option<&Cache>,
    ) -> Result<BTreeMap<&'static str, Self>> {
        let enabled = Step::enabled(&session.settings);
        let mut due = super::sleep::due(session, state, cache, &[], None)?;
        due.retain(|(step, _)| enabled.contains(step));
        let jobs = due.into_iter().map(|(step, due)| {
            let next_due = match due {
                DueTime::Now => Some(session.env.now.timestamp()),
                DueTime::At(at) => Some(at),
                DueTime::Never => None,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Index {
    /// Missing or unusable; the next command builds it.
    NotBuilt,
    /// Up to date, as far as a quick check can tell.
    Fresh,
    /// Notes changed since; the next search updates it.
    Behind,
}

/// The vectors of semantic search.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VectorsRecord {
    /// The embedding model.
    pub model: String,
    /// Number of dimensions.
    pub dims: u32,
    /// Number of passages with a vector.
    pub passages: u32,
    /// Number of notes without vectors.
    pub notes_waiting: u32,
    pub bytes: u64,
    /// The part covered by a graph; a search scans the rest.
    pub graph: Option<GraphRecord>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct GraphRecord {
    pub passages: u32,
    pub bytes: u64,
}

/// The running watch of the vault.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WatchRecord {
    pub pid: u32,
    pub since: String,
}

impl WatchRecord {
    fn of(session: &Session) -> Option<Self> {
        let Holder { pid, since, .. } = Lock::holder(&session.homes.watch_lock())?;
        Some(Self { pid, since })
    }
}

impl VectorsRecord {
    fn of(session: &Session, cache: &Cache, meta: &CacheMeta) -> Option<Self> {
        let file = meta.vectors.as_ref().filter(|file| file.rows > 0)?;
        // The next search rebuilds damaged vectors.
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
}

impl Status {
    /// Returns the state of the vault without changing it, except that a damaged index is rebuilt.
    pub fn of(session: &Session) -> Result<Self> {
        let look = |cache: &Cache| -> Result<_, CacheError> {
            let reading = cache.read()?;
            let meta = reading.meta()?;
            let index =
                match freshness::check(&session.vault, &reading, &[], MAX_NOTES_INDEXED_BY_READ)? {
                    Freshness::Fresh => Index::Fresh,
                    Freshness::Few(plan) if plan.changes_nothing(&session.vault, &reading)? => {
                        Index::Fresh
                    }
                    Freshness::Few(_) | Freshness::Many => Index::Behind,
                };
            let view = session.view(cache)?.with_text_index(cache.text.reader()?);
            let lists = if jobs::enabled(&session.settings).contains(&&views::JOB) {
                views::all_problems(&view)?
            } else {
                Vec::new()
            };
            let (mut languages, mut read_only, mut unreadable) = (BTreeMap::new(), 0, 0);
            reading.scan(|_, row, path| {
                *languages.entry(row.flags.language().name()).or_default() += 1;
                read_only += usize::from(session.vault.is_read_only(path));
                unreadable += usize::from(row.flags.has(Flags::UNREADABLE));
            })?;
            let counts = (languages, read_only, unreadable);
            Ok((meta, (index, counts), lists))
        };
        let cache = session.open_cache().ok();
        let looked = cache.map(|cache| session.ask(cache, look)).transpose()?;
        let (found, cache) = looked.unzip();
        let (meta, (index, counts), lists) = found.unwrap_or_else(|| {
            let not_built = (Index::NotBuilt, (BTreeMap::new(), 0, 0));
            (CacheMeta::default(), not_built, Vec::new())
        });
        let (languages, read_only, unreadable) = counts;
        let vectors = cache
            .as_ref()
            .and_then(|cache| VectorsRecord::of(session, cache, &meta));
        // Without it the next sleep reports the damage.
        let encoder = cache
            .as_ref()
            .and_then(|cache| session.encoder_state(cache).ok()?);
        let state = SleepState::load(&session.state_folder(), &session.env.device()?);
        Ok(Self {
            vault: session.vault.root().display().to_string(),
            notes: cache.is_some().then_some(meta.notes),
            index,
            languages,
            vectors,
            encoder,
            read_only,
            unreadable,
            problems: meta.problems,
            lists,
            unfinished_run: History::new(session.vault.fs(), &session.homes).is_unfinished(),
            watch: WatchRecord::of(session),
            jobs: JobRecord::all(session, &state, cache.as_ref())?,
            review: match cache {
                Some(cache) => open::count_open(session, cache, index == Index::Fresh)?,
                None => None,
            },
            history: state.history,
        })
    }
}
