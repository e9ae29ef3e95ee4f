//! Ctrl-C, SIGTERM and the closing of the terminal end a sleep between two groups of changes.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

use signal_hook::iterator::Signals;

use super::super::signals;
use crate::change::stop::Stop;

/// What a person is told.
const WORDS: &str = "stopped; what was done is kept, the next sleep does the rest";

/// How long to wait before looking again whether work is over.
const STEP: Duration = Duration::from_millis(5);

/// From here on a signal ends the process: at once while nothing is being changed, else after the group
/// under way and the record of it. A second signal does not wait. `last` is what is done before the end.
pub(super) fn listen(
    stop: &Stop,
    is_watched: bool,
    last: impl Fn() + Send + 'static,
) -> io::Result<()> {
    let stop = stop.clone();
    let mut signals = Signals::new(signals::to_end())?;
    std::thread::spawn(move || {
        let Some(signal) = signals.forever().next() else {
            return;
        };
        stop.request();
        let end = || {
            last();
            if is_watched {
                let mut stderr = io::stderr();
                // In the place of what shows how far it is.
                let erased = if stderr.is_terminal() { "\r\x1b[K" } else { "" };
                let _ = writeln!(stderr, "{erased}{WORDS}");
            }
            std::process::exit(128 + signal);
        };
        while !stop.if_idle(end) {
            if signals.pending().next().is_some() {
                std::process::exit(128 + signal);
            }
            std::thread::sleep(STEP);
        }
    });
    Ok(())
}
