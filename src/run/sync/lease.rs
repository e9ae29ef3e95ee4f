//! The lease of the machine that runs the jobs of a synced vault.
//!
//! Each lease is a commit without files whose message names the machine and the end of the lease.
//! It has the previous lease as parent, so a push without force succeeds for one machine only. A
//! machine that dies keeps its lease until it ends; clocks that differ by minutes do not matter.

use super::remote::Remote;
use crate::run::prelude::*;

/// How long a lease is valid. A sleep under it stops earlier.
pub(super) const LEASE_TIME: Duration = Duration::from_secs(30 * 60);

const RECORD: &str = "lease";

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Lease {
    pub device: String,
    pub until: Timestamp,
}

/// Takes the lease at `now` for `device`; returns that of another machine if it is valid.
pub(super) fn take(remote: &Remote<'_>, device: &str, now: Timestamp) -> Result<Option<Lease>> {
    if let Some(held) = read(remote)?.filter(|held| held.until > now && held.device != device) {
        return Ok(Some(held));
    }
    let Err(error) = write(remote, device, now + LEASE_TIME) else {
        return Ok(None);
    };
    // Another machine was first, or the server refuses such refs.
    remote.fetch()?;
    let held = read(remote)?.filter(|held| held.until > now && held.device != device);
    held.map(Some).ok_or(error)
}

/// Ends the lease of `device` at `now`.
pub(super) fn release(remote: &Remote<'_>, device: &str, now: Timestamp) -> Result<()> {
    write(remote, device, now)
}

fn read(remote: &Remote<'_>) -> Result<Option<Lease>> {
    let lease = remote.record(RECORD);
    let text = remote.git.answer("log -1 --format=%B", &[&lease, "--"])?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

fn write(remote: &Remote<'_>, device: &str, until: Timestamp) -> Result<()> {
    let git = remote.git;
    let lease = Lease {
        device: device.to_owned(),
        until,
    };
    let tree = git.text("mktree", &[])?;
    let parent = git.commit_id(&remote.record(RECORD))?;
    let mut arguments = vec![tree.trim_end()];
    arguments.extend(parent.iter().flat_map(|parent| ["-p", parent]));
    let message = serde_json::to_string(&lease).map_err(io::Error::from);
    let message = message.map_err(|error| Error::new("cannot write a lease").caused_by(&error))?;
    let commit = git.succeed("commit-tree", &arguments, &message)?;
    remote.push_record(commit.trim_end(), RECORD)
}
