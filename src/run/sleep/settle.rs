//! Settle: writes learned usage into managed notes, so that a vault without its journal loses
//! little.
//!
//! Writes only significant changes ([`snapshot::is_significant_change`]), only into notes that mem or an agent
//! wrote and that
//! were not edited since, and only below `mem`, which neither seals nor jobs depend on. So a second
//! sleep
//! changes nothing.

use crate::change::SETTLE_JOB;
use crate::note::KeyPath;
use crate::run::plan::in_use::{InUse, InUseProbe};
use crate::run::plan::job::JobPlan;
use crate::run::plan::perform::JobRun;
use crate::run::plan::policy::PolicyResult;
use crate::run::prelude::*;
use crate::signals::{IMPORTANCE, snapshot};

/// Writes the snapshots, or previews them; skips notes saved within `idle`.
pub fn settle(session: &Session, cache: Cache, dry_run: bool, idle: Duration) -> Result<JobRun> {
    let began = Instant::now();
    if !dry_run {
        session.require_settings()?;
        session.fold_uses(&cache)?;
    }
    let probe = InUseProbe::new(session, idle);
    let planned = session.ask(cache, |cache| plan(&session.view(cache)?, &probe))?;
    JobRun::of(session, planned, Vec::new(), (dry_run, began))
}

fn plan(view: &View<'_>, probe: &InUseProbe<'_>) -> Result<JobPlan, CacheError> {
    let mut entries = view.entries()?;
    entries.retain(Entry::is_managed);
    let usages = view.usages(&entries)?;
    let mut decided = PolicyResult {
        plan: Plan::new(SETTLE_JOB, Vec::new()),
        ..PolicyResult::default()
    };
    for (entry, usage) in entries.iter().zip(&usages) {
        let importance = IMPORTANCE.of(&entry.row.ratings).into();
        let known = view.snapshot(entry)?;
        if !snapshot::is_significant_change(known.as_ref(), usage, importance) {
            continue;
        }
        if let Some(reason) = probe.reason(&entry.path) {
            decided.busy.push(InUse {
                path: entry.path.clone(),
                reason,
            });
            continue;
        }
        let properties = view.details(entry.slot)?.properties();
        let stored = properties.get("mem").and_then(Value::as_object);
        let edits = edits(stored, &snapshot::write(usage, importance));
        let note = entry.path.clone();
        let title = format!("record usage of {note}");
        let act = Act::Edit { note, edits };
        match acts::automatic_group(view, "usage since the last snapshot", &[act]) {
            Ok(group) => decided.plan.groups.push(Group { title, ..group }),
            Err(error) => decided.skip(error)?,
        }
    }
    let skipped = std::mem::take(&mut decided.skipped);
    Ok(JobPlan {
        decided,
        processed: entries.len(),
        left: 0,
        skipped,
        notices: Vec::new(),
    })
}

/// Returns the edits that change the stored entries of `mem` to those of the snapshot.
fn edits(stored: Option<&Map<String, Value>>, snapshot: &Map<String, Value>) -> Vec<Edit> {
    let key = |name: &str| KeyPath::from("mem").below(name);
    let stored = |name: &str| stored.and_then(|stored| stored.get(name));
    let absent = snapshot::keys().filter(|name| !snapshot.contains_key(*name));
    let gone = absent.filter(|name| stored(name).is_some());
    let unset = gone.map(|name| Edit::Unset { key: key(name) });
    let values = snapshot.iter();
    let changed = values.filter(|(name, value)| stored(name) != Some(value));
    let set = changed.map(|(name, value)| Edit::set(key(name), value.clone()));
    unset.chain(set).collect()
}
