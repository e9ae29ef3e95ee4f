//! Prompts at a terminal: confirmations and choices.
//!
//! The only module that prompts; `mem review` and `mem pick` read their own keys. Prompts go to
//! stderr. Without a terminal on stdin and stderr nothing is asked, and callers act as in a script.

use std::fmt;
use std::process::exit;
use std::sync::{Mutex, Once, PoisonError};

use console::Term;
use dialoguer::theme::Theme;
use dialoguer::{Confirm, Select};

use crate::change::TrashedNote;
use crate::commands::prelude::*;
use crate::error::INTERRUPTED;
use crate::run::interrupt::exit_between;
use crate::run::trash::trashed_by_name;

/// Columns after a question for ` [y/N] ` and the answer.
const CONFIRM_COLUMNS: usize = 8;
/// Columns after a question for ` [Page 10/10] `.
const PAGE_COLUMNS: usize = 15;
/// Keys of a choice; shown if there is room.
const KEY_HINT: &str = " (arrows and Enter; Esc cancels)";
const MIN_COLUMNS_FOR_KEYS: usize = 72;
/// Minimum rows that dialoguer needs for a list.
const MIN_ROWS: usize = 4;
/// Maximum number of matches offered as a choice.
const MAX_MATCHES: usize = 100;

/// Asks for confirmation of `what`, with its `consequence` if it is grave. Without a terminal `yes`
/// is required.
pub(crate) fn confirmed(
    env: &Environment,
    yes: bool,
    what: &str,
    consequence: Option<&str>,
) -> Result<bool> {
    if yes {
        return Ok(true);
    }
    let question = match consequence {
        Some(consequence) => format!("{what}? ({consequence})"),
        None => format!("{what}?"),
    };
    confirm(env, &question, consequence.is_none()).ok_or_else(|| {
        let hint = "pass `--yes` to confirm, or `--dry-run` to preview";
        let error = Error::new(format!("refusing to {what} without confirmation"));
        match consequence {
            Some(consequence) => error.hint(format!("{consequence}; {hint}")),
            None => error.hint(hint),
        }
    })
}

/// Asks a yes-or-no question. Enter gives the `default`, Esc and `q` mean no. `None` without a
/// terminal.
pub(crate) fn confirm(env: &Environment, question: &str, default: bool) -> Option<bool> {
    let prompt = Prompt::open(env, question, &[], CONFIRM_COLUMNS)?;
    let confirm = Confirm::with_theme(&prompt).with_prompt(&prompt.row);
    let answer = prompt.answer(confirm.default(default).interact_opt());
    Some(answer.unwrap_or(false))
}

/// Asks for one of `items`, the first being the default. `None` if cancelled or without a terminal.
pub(crate) fn select(env: &Environment, question: &str, items: &[Line]) -> Option<usize> {
    let [width, height] = size();
    if height < MIN_ROWS {
        return None;
    }
    let keys = if width < MIN_COLUMNS_FOR_KEYS {
        ""
    } else {
        KEY_HINT
    };
    let prompt = Prompt::open(env, question, items, PAGE_COLUMNS + keys.len())?;
    // dialoguer counts the bytes of an item as columns, so it gets numbers; the theme writes the
    // items.
    let select = Select::with_theme(&prompt).with_prompt(format!("{}{keys}", prompt.row));
    prompt.answer(select.items(0..items.len()).default(0).interact_opt())
}

/// Asks which match of `name` is meant. `None` if cancelled or if prompts are not allowed.
pub(crate) fn select_match(
    env: &Environment,
    name: &str,
    count: usize,
    item: impl Fn(usize) -> Line,
) -> Option<usize> {
    if count > MAX_MATCHES || env.output.quiet || !env.output.stdout_is_terminal {
        return None;
    }
    let items: Vec<Line> = (0..count).map(item).collect();
    select(env, &format!("Which `{name}`?"), &items)
}

/// Returns the trashed notes that `name` names, see [`trashed_by_name`]; prompts if it is ambiguous.
pub(crate) fn select_trashed(
    env: &Environment,
    list: &[TrashedNote],
    name: &str,
) -> Result<Vec<TrashedNote>> {
    trashed_by_name(list, name, |names| {
        select_match(env, name, names.len(), |at| Line::of(None, &*names[at]))
    })
}

/// Returns whether choices may be prompted for: all streams are terminals, no `--quiet`, no JSON.
pub(crate) fn is_attended(env: &Environment) -> bool {
    let output = &env.output;
    !output.quiet && output.form == Form::Human && Terminal::of(output).is_some()
}

/// A question on the screen. Also the dialoguer theme that writes it.
struct Prompt<'a> {
    terminal: Terminal,
    output: Output,
    items: &'a [Line],
    /// The last row of the question. Earlier rows are already written, since dialoguer redraws only
    /// one.
    row: String,
}

impl<'a> Prompt<'a> {
    /// Writes all rows of the question but the last, which leaves `columns` free.
    fn open(env: &Environment, question: &str, items: &'a [Line], columns: usize) -> Option<Self> {
        let terminal = Terminal::of_prompts(&env.output)?;
        env.output.flush().ok()?;
        restore_terminal_on_signal(env, &terminal);
        // Raw mode starts before the question is shown, so that typed keys do not mix with redraws.
        terminal.enter_raw_mode();
        let output = env.output.for_screen();
        let width = size()[0].saturating_sub(columns);
        let mut rows = output.fitted(&[Line::of(None, question)], width);
        let last = output.clipped(&rows.pop().unwrap_or_default(), width);
        let prompt = Self {
            terminal,
            row: output.painted(&last),
            output,
            items,
        };
        for row in rows {
            Term::stderr()
                .write_line(&prompt.output.painted(&row))
                .ok()?;
        }
        Some(prompt)
    }

    /// Returns the answer, `None` if cancelled. Ctrl-C ends the process.
    fn answer<T>(&self, answer: dialoguer::Result<Option<T>>) -> Option<T> {
        match answer {
            Ok(answer) => answer,
            Err(dialoguer::Error::IO(error)) if error.kind() == io::ErrorKind::Interrupted => {
                self.terminal.leave();
                clean_up();
                exit(INTERRUPTED.into())
            }
            // The terminal was closed.
            Err(_) => None,
        }
    }

    /// Returns an item after `before`, cut to the width of a row.
    fn item(&self, before: &str, number: &str, style: Option<Style>) -> String {
        let number = number.parse().ok();
        let item = number.and_then(|number: usize| self.items.get(number));
        let plain = Line::of(None, before).join(item.cloned().unwrap_or_default());
        let line = match style {
            Some(style) => plain.styled(style),
            None => plain,
        };
        let [width, _] = size();
        let clipped = self.output.clipped(&line, width.saturating_sub(1));
        self.output.painted(&clipped)
    }
}

impl Theme for Prompt<'_> {
    fn format_select_prompt(&self, f: &mut dyn fmt::Write, prompt: &str) -> fmt::Result {
        f.write_str(prompt)
    }

    fn format_select_prompt_item(
        &self,
        f: &mut dyn fmt::Write,
        number: &str,
        is_active: bool,
    ) -> fmt::Result {
        f.write_str(&if is_active {
            self.item("> ", number, Some(Style::Title))
        } else {
            self.item("  ", number, None)
        })
    }

    fn format_select_prompt_selection(
        &self,
        f: &mut dyn fmt::Write,
        _: &str,
        number: &str,
    ) -> fmt::Result {
        f.write_str(&self.item(&format!("{} ", self.row), number, None))
    }
}

impl Drop for Prompt<'_> {
    /// dialoguer hides the cursor and does not show it again when it fails.
    fn drop(&mut self) {
        self.terminal.restore();
        let _ = Term::stderr().show_cursor();
    }
}

/// Restores the terminal when a later signal ends the process.
fn restore_terminal_on_signal(env: &Environment, terminal: &Terminal) {
    static IS_REGISTERED: Once = Once::new();
    IS_REGISTERED.call_once(|| {
        let terminal = terminal.clone();
        // If this fails, signals end the process without restoring it.
        let _ = exit_between(&env.stop, move || {
            terminal.leave();
            clean_up();
        });
    });
}

/// An action before a signal or Ctrl-C ends the process.
type Cleanup = Box<dyn FnOnce() + Send>;

static CLEANUP: Mutex<Option<Cleanup>> = Mutex::new(None);

/// Runs `cleanup` once, before a signal or Ctrl-C at a prompt ends the process.
pub(crate) fn at_interrupt(env: &Environment, cleanup: impl FnOnce() + Send + 'static) {
    *CLEANUP.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(cleanup));
    // If this fails, signals end the process without cleanup.
    let _ = exit_between(&env.stop, clean_up);
}

/// Runs the cleanup; a concurrent caller waits for it.
fn clean_up() {
    let mut cleanup = CLEANUP.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(cleanup) = cleanup.take() {
        cleanup();
    }
}

/// Returns the width and height of the terminal on stderr.
fn size() -> [usize; 2] {
    let (rows, columns) = Term::stderr().size();
    [columns.into(), rows.into()]
}
