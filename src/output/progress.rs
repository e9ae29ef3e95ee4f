//! Progress on a terminal: nothing for short work, one line that disappears for long work.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Output;
use super::sanitise::sanitised;

/// Minimum duration of work before progress is shown.
const MIN_DURATION: Duration = Duration::from_millis(250);

/// A progress bar that appears if the work takes long.
pub struct Progress {
    started: Instant,
    shown: bool,
    label: String,
    bar: Mutex<Option<ProgressBar>>,
}

impl Progress {
    /// Returns a progress bar on stderr; hidden if stderr is not a terminal.
    pub fn new(output: &Output, label: &str) -> Self {
        Self {
            started: Instant::now(),
            shown: output.stderr_is_terminal && !output.quiet,
            label: label.to_owned(),
            bar: Mutex::new(None),
        }
    }

    /// Returns a spinner for work of unknown length.
    pub fn spinner(output: &Output, label: &str) -> Self {
        let progress = Self::new(output, label);
        if progress.shown
            && let Ok(mut bar) = progress.bar.lock()
        {
            let spinner =
                ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(20));
            if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {elapsed} {msg}") {
                spinner.set_style(style);
            }
            spinner.set_prefix(label.to_owned());
            spinner.enable_steady_tick(MIN_DURATION);
            *bar = Some(spinner);
        }
        progress
    }

    /// Sets the message behind a spinner.
    pub fn says(&self, words: &str) {
        if let Ok(bar) = self.bar.lock()
            && let Some(bar) = bar.as_ref()
        {
            bar.set_message(sanitised(words));
        }
    }

    /// Updates the progress.
    pub fn at(&self, done: usize, all: usize) {
        if !self.shown || self.started.elapsed() < MIN_DURATION {
            return;
        }
        let Ok(mut bar) = self.bar.lock() else { return };
        let bar = bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(20));
            if let Ok(style) =
                ProgressStyle::with_template("{prefix} {wide_bar} {human_pos}/{human_len}")
            {
                bar.set_style(style);
            }
            bar.set_prefix(self.label.clone());
            bar
        });
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Ok(mut bar) = self.bar.lock()
            && let Some(bar) = bar.take()
        {
            bar.finish_and_clear();
        }
    }
}
