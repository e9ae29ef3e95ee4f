//! `mem` alone, and `mem pick`: fuzzy search of a note while typing.
//!
//! The first frame is drawn immediately. Names come from the existing index, then from the updated
//! one; texts are searched after a pause in typing.

mod draw;
mod notes;
mod preview;
mod state;
mod worker;

use std::io::IsTerminal as _;
use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::commands::prelude::*;
use crate::commands::writing::{edit, new};
use crate::output::keys::Key;
use crate::output::screen::Screen;
use crate::run::interrupt::exit_between;
use draw::{Layout, PickMode, frame};
use notes::NameIndex;
use state::{Action, PickRow, PickState};
use worker::{Event, Worker, WorkerRequest};

/// Choose a note as you type, and print its path
///
/// Matches titles, aliases and paths first, then texts, and shows the text of the chosen note.
/// Words match in any order and may be abbreviated; `'word` must match exactly, `^word` at the
/// beginning, `!word` not at all. `mem` alone opens the note in your editor instead. Exits with 1
/// if nothing was chosen.
#[derive(Debug, clap::Args)]
pub struct PickArgs {
    /// Initial query
    query: Vec<String>,
    /// Choose several notes, with Tab
    #[arg(short, long)]
    multi: bool,
    /// Print paths each followed by a NUL, for `xargs -0r`
    #[arg(short = '0', long)]
    null: bool,
}

/// Maximum number of listed notes, more than anyone scrolls through.
const MAX_LISTED_NOTES: usize = 500;
/// Pause in typing before texts are searched.
const SEARCH_DELAY: Duration = Duration::from_millis(120);

/// Delay before a message explains why the list is still missing.
const SLOW_DELAY: Duration = Duration::from_millis(400);

/// The result of the picker.
#[derive(Debug)]
enum Choice {
    /// These notes, and the line in the first one.
    Notes(Vec<String>, Option<usize>),
    New(String),
    Link(String),
    Nothing,
    /// Ctrl-C was pressed.
    Interrupted,
}

impl PickArgs {
    /// Prints the chosen paths.
    pub fn run(&self, env: &Environment) -> Result<Exit> {
        let vault = Vault::find(&env.start)?;
        let picker = Picker::begin(
            env,
            &vault,
            PickMode::Pick,
            self.query.join(" "),
            self.multi,
        )?
        .ok_or_else(|| {
            Error::new("mem pick needs a terminal")
                .hint("`mem search WORDS -0` and `mem list -0` print paths without asking")
        })?;
        let output = &env.output;
        match picker.choose()? {
            Choice::Notes(paths, _) => {
                if output.form != Form::Human && !self.null {
                    let records: Vec<_> =
                        paths.iter().map(|path| json!({ "path": path })).collect();
                    output.records("notes", &records);
                    return Ok(Exit::Done);
                }
                let relative_paths = RelativePaths::new(&vault);
                for path in paths {
                    let path = VaultPath::new(&path)?;
                    if self.null {
                        relative_paths.write_null(output, path.as_str());
                    } else {
                        let path = relative_paths.path(path.as_str());
                        output.line(&output.clean(&path.to_string_lossy()));
                    }
                }
                Ok(Exit::Done)
            }
            Choice::Link(link) => Ok(copied(output, &link)),
            Choice::New(_) | Choice::Nothing => Ok(Exit::Nothing),
            Choice::Interrupted => Ok(Exit::Interrupted),
        }
    }
}

/// Runs `mem` without a command; none without a terminal or outside a vault.
pub fn alone(env: &Environment) -> Result<Option<Exit>> {
    let is_watched = env.output.stdout_is_terminal && std::io::stdin().is_terminal();
    if !is_watched || env.output.form != Form::Human {
        return Ok(None);
    }
    let Ok(vault) = Vault::find(&env.start) else {
        return Ok(None);
    };
    let Some(picker) = Picker::begin(env, &vault, PickMode::Open, String::new(), false)? else {
        return Ok(None);
    };
    let exit = match picker.choose()? {
        Choice::Notes(paths, line) => {
            let paths = paths.iter().map(|path| VaultPath::new(path));
            let paths = paths.collect::<Result<Vec<_>, _>>()?;
            edit::open(&env.open()?, &paths, line, None)?
        }
        Choice::New(query) => new::NewArgs::titled(query).run(env)?,
        Choice::Link(link) => copied(&env.output, &link),
        Choice::Nothing => Exit::Nothing,
        Choice::Interrupted => Exit::Interrupted,
    };
    Ok(Some(exit))
}

fn copied(output: &Output, link: &str) -> Exit {
    output.line(&output.clean(link));
    output.say("copied, if your terminal allows programs to copy");
    Exit::Done
}

/// The picker on a screen.
struct Picker {
    screen: Screen,
    worker: Worker,
    output: Output,
    vault: Vault,
    mode: PickMode,
    state: PickState,
    notes: Arc<NameIndex>,
    /// The last query that was searched in texts and similar names, and its results.
    found: (String, Vec<PickRow>),
    /// The related notes, while they are listed, and the query and choice before that.
    related: Option<(Vec<PickRow>, [String; 2])>,
    /// When to search the texts.
    due: Option<Instant>,
    /// The query of a running text search.
    asked: Option<String>,
    /// A key that was pressed before there was a note to choose.
    held: Option<Key>,
    begun: Instant,
    /// Whether the worker failed before the first list.
    is_failed: bool,
}

impl Picker {
    /// Draws the first frame and starts the worker; none without a terminal.
    fn begin(
        env: &Environment,
        vault: &Vault,
        mode: PickMode,
        query: String,
        may_mark: bool,
    ) -> Result<Option<Self>> {
        let Some(screen) = Screen::take() else {
            return Ok(None);
        };
        let guard = screen.guard();
        exit_between(&env.stop, move || guard.leave())?;
        let output = env.output.for_screen();
        let state = PickState {
            cursor: query.chars().count(),
            query,
            may_mark,
            ..PickState::default()
        };
        let layout = Layout::of(screen.size());
        draw(&screen, &output, &state, &layout, &[], mode)?;
        let worker = Worker::start(vault.root().to_owned(), env.no_sync, screen.waker()?);
        Ok(Some(Self {
            screen,
            worker,
            output,
            vault: vault.clone(),
            mode,
            state,
            notes: Arc::default(),
            found: Default::default(),
            related: None,
            due: None,
            asked: None,
            held: None,
            begun: Instant::now(),
            is_failed: false,
        }))
    }

    /// Runs the picker; restores the screen, and frees the caches if the caller needs them.
    fn choose(mut self) -> Result<Choice> {
        let choice = self.choice()?;
        drop(self.screen);
        if self.mode == PickMode::Open && matches!(choice, Choice::Notes(..) | Choice::New(_)) {
            self.worker.end();
        }
        Ok(choice)
    }

    fn choice(&mut self) -> Result<Choice> {
        loop {
            let is_counting = self.state.counts.is_none() && self.state.problem.is_none();
            let slow = is_counting.then(|| self.begun + SLOW_DELAY);
            let due = self.due.into_iter().chain(slow).min();
            let wait = due.map(|due| due.saturating_duration_since(Instant::now()));
            for key in self.screen.wait(wait)? {
                if let Some(choice) = self.press(key) {
                    return Ok(choice);
                }
            }
            if slow.is_some() && self.begun.elapsed() >= SLOW_DELAY {
                self.state.problem = Some("reading the notes …".to_owned());
            }
            while let Ok(event) = self.worker.events.try_recv() {
                if let Event::Link(link) = event {
                    self.screen.send(&to_clipboard(&link))?;
                    return Ok(Choice::Link(link));
                }
                self.handle(event);
            }
            if self.due.is_some_and(|due| due <= Instant::now()) {
                self.due = None;
                self.asked = Some(self.state.query.clone());
                self.worker
                    .ask(WorkerRequest::Search(self.state.query.clone()));
            }
            if !self.is_waiting()
                && let Some(choice) = self.held.take().and_then(|key| self.press(key))
            {
                return Ok(choice);
            }
            self.show()?;
        }
    }

    /// Whether more notes may still be listed.
    fn is_waiting(&self) -> bool {
        let reads = self.state.counts.is_none() && !self.is_failed;
        reads || self.due.is_some() || self.asked.is_some()
    }

    fn press(&mut self, key: Key) -> Option<Choice> {
        let is_for_note = matches!(key, Key::Enter | Key::Ctrl('y' | 'r'));
        self.held = None;
        if is_for_note && self.state.chosen().is_none() && self.is_waiting() {
            self.held = Some(key);
            return None;
        }
        let layout = Layout::of(self.screen.size());
        let action = self.state.press(key, layout.list[1]);
        self.act(action)
    }

    fn act(&mut self, action: Action) -> Option<Choice> {
        let chosen = self.state.chosen().cloned();
        match action {
            Action::Rows => {
                let is_more = !self.state.query.trim().is_empty() && self.related.is_none();
                self.due = is_more.then(|| Instant::now() + SEARCH_DELAY);
                self.list();
            }
            Action::Choose => {
                let row = chosen?;
                let marks = self.state.marked.iter();
                let mut wanted = marks.chain(self.state.marked.is_empty().then_some(&row.path));
                let is_gone =
                    |path: &str| VaultPath::new(path).is_ok_and(|path| !self.vault.exists(&path));
                if let Some(gone) = wanted.find(|path| is_gone(path)) {
                    self.state.message = Some(format!("`{gone}` no longer exists"));
                    return None;
                }
                let marked = std::mem::take(&mut self.state.marked);
                return Some(if marked.is_empty() {
                    Choice::Notes(vec![row.path], row.text.map(|(line, _)| line))
                } else {
                    Choice::Notes(marked.into_iter().collect(), None)
                });
            }
            Action::New if self.mode == PickMode::Open => {
                return Some(Choice::New(self.state.query.trim().to_owned()));
            }
            Action::Nothing | Action::New => {}
            Action::Related | Action::CopyLink => {
                let path = chosen.unwrap_or_default().path;
                self.worker.ask(if action == Action::Related {
                    WorkerRequest::Related(path)
                } else {
                    WorkerRequest::Link(path)
                });
                self.state.message = Some("…".to_owned());
            }
            Action::All => {
                self.state.related_to = None;
                if let Some((_, [query, chosen])) = self.related.take() {
                    self.state.cursor = query.chars().count();
                    self.state.query = query;
                    self.list();
                    self.state.choose(&chosen);
                }
            }
            Action::Suspend => self.screen.suspend(),
            Action::Leave => return Some(Choice::Nothing),
            Action::Interrupt => return Some(Choice::Interrupted),
        }
        None
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Notes(notes) => {
                self.notes = notes;
                self.state.problem = None;
                self.found.1.clear();
                if !self.state.query.trim().is_empty() {
                    self.due = Some(Instant::now());
                }
                self.list();
            }
            Event::Found(query, rows, is_last) => {
                self.asked.take_if(|asked| is_last && *asked == query);
                self.found = (query, rows);
                if self.related.is_none() {
                    self.list();
                }
            }
            Event::Related(title, rows) if rows.is_empty() => {
                self.state.message = Some(format!("no notes are linked to `{title}` or similar"));
            }
            Event::Related(title, rows) => {
                self.state.message = None;
                self.state.related_to = Some(title);
                self.state.cursor = 0;
                let query = std::mem::take(&mut self.state.query);
                let chosen = self.state.chosen().cloned().unwrap_or_default().path;
                self.state.at = 0;
                let before = self.related.take().map(|(_, before)| before);
                self.related = Some((rows, before.unwrap_or([query, chosen])));
                self.list();
            }
            Event::Link(_) => {}
            Event::Failed(why) => {
                self.asked = None;
                self.held = None;
                if self.state.counts.is_none() {
                    self.is_failed = true;
                    self.state.problem = Some(why);
                } else {
                    self.state.message = Some(why);
                }
            }
        }
    }

    /// Lists the matches: by name, then by text, then by similar names.
    fn list(&mut self) {
        if let Some((related, _)) = &self.related {
            let words = self.words();
            let has_all = |row: &&PickRow| {
                let names = format!("{} {}", row.title.text(), row.path).to_lowercase();
                words.iter().all(|word| names.contains(word))
            };
            let rows: Vec<PickRow> = related.iter().filter(has_all).cloned().collect();
            self.state.counts = Some((rows.len(), related.len()));
            self.state.list(rows);
            return;
        }
        let query = self.state.query.trim_start();
        let (named, count) = self.notes.named(query, false, MAX_LISTED_NOTES);
        let mut words = self.words();
        // Without colour, signs in titles would not help.
        words.retain(|_| self.output.is_coloured());
        let notes = named.iter();
        let mut rows: Vec<PickRow> = notes.map(|note| self.notes.row(*note, &words)).collect();
        let (found_query, found) = &self.found;
        for row in found.iter().filter(|_| *found_query == self.state.query) {
            if rows.len() < MAX_LISTED_NOTES && !rows.iter().any(|other| other.path == row.path) {
                rows.push(row.clone());
            }
        }
        let count = count + rows.len() - named.len();
        self.state.counts = Some((count, self.notes.len()));
        self.state.list(rows);
    }

    fn words(&self) -> Vec<String> {
        let terms = self.state.query.split_whitespace();
        let words = terms.map(|word| word.trim_start_matches(['\'', '^']));
        words.map(str::to_lowercase).collect()
    }

    fn show(&mut self) -> Result<()> {
        let layout = Layout::of(self.screen.size());
        let mut text = Vec::new();
        if let Some(row) = self.state.chosen()
            && layout.text[1] > 0
        {
            let path = VaultPath::new(&row.path).ok();
            let file = path.and_then(|path| self.vault.read(&path).ok());
            let note = file.map(|file| file.text).unwrap_or_default();
            let line = row.text.as_ref().map(|(line, _)| *line);
            text = preview::rows(&self.output, &note, line, &self.words(), layout.text);
        }
        draw(
            &self.screen,
            &self.output,
            &self.state,
            &layout,
            &text,
            self.mode,
        )
    }
}

fn draw(
    screen: &Screen,
    output: &Output,
    state: &PickState,
    layout: &Layout,
    text: &[Line],
    mode: PickMode,
) -> Result<()> {
    let (rows, cursor) = frame(output, state, layout, text, mode);
    let rows: Vec<String> = rows.iter().map(|row| output.painted(row)).collect();
    screen.draw(&rows, cursor)
}

/// Returns the escape sequence that copies `text` to the clipboard (OSC 52).
fn to_clipboard(text: &str) -> Vec<u8> {
    format!("\x1b]52;c;{}\x07", STANDARD.encode(text)).into_bytes()
}
