//! Ends a long run on Ctrl-C, SIGTERM or SIGHUP, between two groups of changes.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::output::pager;
use crate::run::prelude::*;

/// Interval between checks whether work has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// From now on a signal ends the process: at once while nothing is being changed, otherwise after
/// the current
/// group is applied and recorded. A second signal exits at once. `last` runs before the exit.
pub fn exit_on_signal(stop: &Stop, last: impl Fn() + Send + 'static) -> Result<()> {
    let requested = stop.clone();
    exit_when_idle(stop, move || requested.request(), last)
}

/// From now on a signal ends the process: at once while nothing is being changed, otherwise when
/// all changes are
/// done. A second signal exits at once. `last` runs before the exit.
pub fn exit_between(stop: &Stop, last: impl Fn() + Send + 'static) -> Result<()> {
    exit_when_idle(stop, || {}, last)
}

fn exit_when_idle(
    stop: &Stop,
    first: impl Fn() + Send + 'static,
    last: impl Fn() + Send + 'static,
) -> Result<()> {
    let stop = stop.clone();
    let mut signals = listen()?;
    std::thread::spawn(move || {
        let mut received = signals.forever();
        let Some(signal) = received.find(|signal| *signal != SIGINT || !pager::is_started()) else {
            return;
        };
        first();
        let end = || {
            last();
            std::process::exit(128 + signal);
        };
        while !stop.if_idle(end) {
            if signals.pending().next().is_some() {
                std::process::exit(128 + signal);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    });
    Ok(())
}

/// Listens for SIGINT, SIGTERM and SIGHUP, except those that the parent process ignores, as `nohup`
/// and `&` in a
/// script do.
pub fn listen() -> Result<Signals> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = ignored(&status);
    let mut signals = vec![SIGHUP, SIGINT, SIGTERM];
    signals.retain(|signal| ignored & (1 << (signal - 1)) == 0);
    Signals::new(signals).map_err(|error| Error::new("cannot listen to signals").caused_by(&error))
}

/// Parses the bit set of ignored signals in Linux's `/proc/self/status`.
fn ignored(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|set| u64::from_str_radix(set.trim(), 16).ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_of_ignored_signals_is_parsed() {
        for (status, expected) in [
            (
                "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000001\n",
                1 << (SIGHUP - 1),
            ),
            ("SigIgn:\t0000000000001006\n", 0x1006),
            ("SigIgn:\tsoon\n", 0),
            ("", 0),
        ] {
            assert_eq!(ignored(status), expected, "{status}");
        }
    }
}
