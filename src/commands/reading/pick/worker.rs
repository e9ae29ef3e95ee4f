//! Slow work in a thread: reading names, updating the index, searching.
//!
//! Requests are handled in order; of several waiting searches only the last is run.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use super::notes::{NameIndex, NoteNames};
use super::state::PickRow;
use crate::commands::prelude::*;
use crate::commands::reading::related;
use crate::commands::render::hit_record::highlighted;
use crate::output::Color;
use crate::output::screen::Waker;

/// Maximum number of notes found by text, and by similar names.
const MAX_MATCHES: usize = 50;
/// Minimum length in bytes of a query for texts: a Chinese word is one or two characters.
const MIN_QUERY_BYTES: usize = 3;

/// A request of the screen.
#[derive(Debug)]
pub(super) enum WorkerRequest {
    /// Search texts and similar names.
    Search(String),
    /// The notes related to one.
    Related(String),
    /// The wikilink to a note.
    Link(String),
}

/// A result for the screen.
#[derive(Debug)]
pub(super) enum Event {
    /// The names of all notes.
    Notes(Arc<NameIndex>),
    /// The notes whose text matches a query, then those with similar names; true for the last
    /// rows of a query.
    Found(String, Vec<PickRow>, bool),
    Related(String, Vec<PickRow>),
    Link(String),
    Failed(String),
}

/// The worker thread.
#[derive(Debug)]
pub(super) struct Worker {
    requests: Sender<WorkerRequest>,
    pub events: Receiver<Event>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Starts the thread for the vault in `root`.
    pub(super) fn start(root: PathBuf, no_sync: bool, waker: Waker) -> Self {
        let (requests, asked) = channel();
        let (results, events) = channel();
        let thread = std::thread::spawn(move || {
            let tell = |event| {
                let is_received = results.send(event).is_ok();
                waker.wake();
                is_received
            };
            if let Err(error) = work(root, no_sync, &asked, &tell) {
                tell(Event::Failed(error.message()));
            }
        });
        Self {
            requests,
            events,
            thread,
        }
    }

    pub(super) fn ask(&self, request: WorkerRequest) {
        // A worker that has ended has reported why.
        let _ = self.requests.send(request);
    }

    /// Waits for the end of the worker, which must release the caches before this process can open
    /// them.
    ///
    /// This may wait for an index of all notes. A caller that needs no cache just exits.
    pub(super) fn end(self) {
        drop((self.requests, self.events));
        let _ = self.thread.join();
    }
}

fn work(
    root: PathBuf,
    no_sync: bool,
    requests: &Receiver<WorkerRequest>,
    tell: &dyn Fn(Event) -> bool,
) -> Result<()> {
    let output = Output::new(Form::Human, true, Color::Never);
    output.mute();
    let env = Environment::new(output, Some(root), no_sync, "pick".to_owned(), &SCHEMA)?;
    let mut session = env.open()?;
    let cache = session.cache()?;
    let (mut notes, seen) = session.ask(cache, load_names)?.0;
    if !tell(Event::Notes(Arc::clone(&notes))) {
        return Ok(());
    }
    if !no_sync {
        let cache = session.fresh_cache()?;
        if generation(&cache)? != seen {
            (notes, _) = session.ask(cache, load_names)?.0;
            tell(Event::Notes(Arc::clone(&notes)));
        }
        // From here on the index stays as shown.
        session.env.no_sync = true;
    }
    while let Ok(first) = requests.recv() {
        let mut waiting: Vec<WorkerRequest> =
            [first].into_iter().chain(requests.try_iter()).collect();
        // Earlier searches are obsolete.
        let is_search = |request: &WorkerRequest| matches!(request, WorkerRequest::Search(_));
        if let Some(last) = waiting.iter().rposition(is_search) {
            let mut index = 0..;
            waiting.retain(|request| index.next() >= Some(last) || !is_search(request));
        }
        for request in waiting {
            let mut similar = Vec::new();
            if let WorkerRequest::Search(query) = &request {
                let (found, _) = notes.named(query, true, MAX_MATCHES);
                similar = found.iter().map(|note| notes.row(*note, &[])).collect();
                let is_short = query.trim().len() < MIN_QUERY_BYTES;
                tell(Event::Found(query.clone(), similar.clone(), is_short));
                if is_short {
                    continue;
                }
            }
            let event = answer(&session, &request, similar);
            if !tell(event.unwrap_or_else(|error| Event::Failed(error.message()))) {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn generation(cache: &Cache) -> Result<u64, CacheError> {
    Ok(cache.read()?.meta()?.generation)
}

/// Returns the names of all notes that searches show, and the generation of the index.
fn load_names(cache: &Cache) -> Result<(Arc<NameIndex>, u64), CacheError> {
    let reading = cache.read()?;
    let generation = reading.meta()?.generation;
    let mut files = Vec::new();
    reading.scan(|_, row, path| {
        let is_forgotten = row.flags.tier() == Tier::Forgotten;
        files.push((path, row.stat.mtime_ns, is_forgotten));
    })?;
    let mut notes = Vec::with_capacity(files.len());
    let mut files = files.into_iter();
    // Both iterate in order of slots.
    reading.scan_heads(|_, note| {
        if let Some((path, changed, false)) = files.next() {
            let title = note.title.to_owned();
            notes.push(NoteNames::new(
                path.to_owned(),
                title,
                &note.aliases,
                changed,
            ));
        }
        Ok(())
    })?;
    Ok((Arc::new(NameIndex::new(notes)), generation))
}

fn answer(session: &Session, request: &WorkerRequest, similar: Vec<PickRow>) -> Result<Event> {
    match request {
        WorkerRequest::Search(query) => {
            let options = SearchOptions {
                limit: MAX_MATCHES,
                ..SearchOptions::default()
            };
            let found = session.search(query, &options)?.results.hits.into_iter();
            let rows = found.map(|hit| PickRow {
                path: hit.entry.path.to_string(),
                title: Line::of(None, hit.details.title),
                text: hit
                    .excerpt
                    .snippet
                    .map(|snippet| (snippet.line, highlighted(&snippet))),
            });
            Ok(Event::Found(
                query.clone(),
                rows.chain(similar).collect(),
                true,
            ))
        }
        WorkerRequest::Related(path) => {
            let path = VaultPath::new(path)?;
            let (title, related) = related::related(session, &path)?;
            let rows = related.into_iter().map(|(path, title)| PickRow {
                path,
                title: Line::of(None, title),
                text: None,
            });
            Ok(Event::Related(title, rows.collect()))
        }
        WorkerRequest::Link(path) => {
            let path = VaultPath::new(path)?;
            let cache = session.cache()?;
            let view = session.view(&cache)?;
            let entry = view.at(&path)?;
            let target = entry
                .map(|entry| view.wikilink_target(&entry))
                .transpose()?
                .unwrap_or_else(|| path.without_ending().to_owned());
            Ok(Event::Link(format!("[[{target}]]")))
        }
    }
}
