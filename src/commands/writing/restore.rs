//! `mem restore`

use crate::change::restore::{Restoration, plan_restore, restore};
use crate::change::{CompileOutcome, DropReason, Outcome, trash};
use crate::commands::args::prompt::select_trashed;
use crate::commands::prelude::*;
use crate::jobs::ladder;
use crate::run::plan::apply::{record_recovered, reindex};
use crate::session::usage::NoteMove;
use crate::vault::WriteRefusal;

/// Restore notes from the trash
///
/// Name a note by its former path, its file name, or the run that removed it; a run restores all of
/// its notes. A forgotten or archival note that is not in the trash moves up one tier instead:
/// forgotten to archival, archival to working.
#[derive(Debug, clap::Args)]
pub struct RestoreRequest {
    /// Notes, or the runs that removed them
    #[arg(required = true, value_name = "NOTE|RUN")]
    pub names: Vec<String>,
    /// Restore under this name or into this folder
    #[arg(long, value_name = "PATH")]
    pub to: Option<String>,
    /// Preview the changes without making them
    #[arg(long)]
    pub dry_run: bool,
}

/// The notes to restore.
#[derive(Default)]
struct RestorePlan {
    /// Notes from the trash.
    returns: Vec<Restoration>,
    /// Notes that move up a tier.
    steps: Vec<Group>,
}

impl Request for RestoreRequest {
    type Reply<'s> = ChangeReport;

    fn answer(&self, session: &Session) -> Result<ChangeReport> {
        let cache = session.fresh_cache()?;
        let RestorePlan { returns, steps } = restore_plan(session, &cache, self)?;
        let mut occupied = false;
        let mut changes = if returns.is_empty() {
            change_report::make(session, cache, "restore", steps, self.dry_run)?
        } else if steps.is_empty() {
            drop(cache);
            restore_trashed(session, &returns, self.dry_run, &mut occupied)?
        } else {
            return Err(Error::new(
                "some of these are in the trash and others were forgotten; restore them separately",
            ));
        };
        let hint = "restore it under another name with `--to PATH`";
        changes.error_hint = occupied.then_some(hint);
        Ok(changes)
    }
}

fn restore_plan(session: &Session, cache: &Cache, args: &RestoreRequest) -> Result<RestorePlan> {
    let view = session.view(cache)?;
    let list = trash::list(&session.vault)?;
    let to = args.to.as_deref();
    let goal = to.map(|to| Destination::of(session, to)).transpose()?;
    let mut wanted = RestorePlan::default();
    for name in &args.names {
        let found = select_trashed(&session.env, &list, name)?;
        if found.is_empty() {
            let step = tier_up(&session.env, &view, name)?;
            if !wanted.steps.contains(&step) {
                wanted.steps.push(step);
            }
        }
        for from in found {
            let to = match &goal {
                Some(goal) => goal.of_note(&from.path, false)?,
                None => from.path.clone(),
            };
            if !wanted.returns.iter().any(|known| known.from == from) {
                wanted.returns.push(Restoration { from, to });
            }
        }
    }
    if to.is_some() && (wanted.returns.len() != 1 || !wanted.steps.is_empty()) {
        return Err(Error::new("`--to` works with one note from the trash")
            .hint("restore them where they were, then move them: `mem mv NOTE … FOLDER/`"));
    }
    Ok(wanted)
}

/// Returns the group that moves a note up a tier.
fn tier_up(env: &Environment, view: &View<'_>, name: &str) -> Result<Group> {
    let stands = view.at_file(&env.start.join(name))?;
    if stands.is_none() && view.named_whole(name)?.is_empty() {
        return Err(Error::new(format!("no note `{name}` in the trash"))
            .hint("`mem trash` lists the trash, `mem history` the runs"));
    }
    // Another note of that name may be in tier working.
    let mut faded = view.namesakes(name)?;
    faded.retain(|entry| entry.row.flags.tier() < Tier::Working);
    let entry = match faded.pop() {
        Some(entry) if stands.is_none() && faded.is_empty() => entry,
        _ => find_note(env, view, name)?,
    };
    let tier = match entry.row.flags.tier() {
        Tier::Forgotten => Tier::Archival,
        Tier::Archival => Tier::Working,
        Tier::Core | Tier::Working => {
            return Err(Error::new(format!(
                "`{}` is neither in the trash nor forgotten",
                entry.path
            )));
        }
    };
    let title = format!("restore {} to tier {}", entry.path, tier.name());
    let [tier, moved] = ladder::tier_edits(tier, env.now.timestamp());
    let mut edits = vec![tier];
    // Sets the date from which demotion counts, if the note can be demoted.
    if entry.is_managed() || ladder::last_move(&view.details(entry.slot)?.properties()).is_some() {
        edits.push(moved);
    }
    let note = entry.path;
    Ok(Group {
        title,
        ..acts::manual_group(view, "requested", &[Act::Edit { note, edits }])?
    })
}

/// Restores notes from the trash, or previews it; sets `occupied` if a path is taken.
fn restore_trashed(
    session: &Session,
    returns: &[Restoration],
    dry_run: bool,
    occupied: &mut bool,
) -> Result<ChangeReport> {
    let record = |wanted: &Restoration| GroupReport {
        title: wanted.title(),
        reason: wanted.reason(),
        files: vec![wanted.to.to_string()],
        ..GroupReport::default()
    };
    let is_occupied = |reason: &DropReason| *reason == DropReason::Refused(WriteRefusal::Exists);
    if dry_run {
        let planned = plan_restore(&session.vault, returns);
        let groups = returns.iter().zip(&planned).map(|(wanted, compiled)| {
            let mut report = record(wanted).compiled(compiled);
            match compiled {
                CompileOutcome::Ready(ready) => report.diff = Some(diff::of_ready(ready)),
                CompileOutcome::Dropped { reason, .. } => *occupied |= is_occupied(reason),
                CompileOutcome::Unchanged => {}
            }
            report
        });
        return Ok(ChangeReport::new(true, None, groups.collect()));
    }
    let info = session.env.run_info();
    let report = restore(&session.vault, &session.homes, returns, &info)?;
    record_recovered(session, &report.recovered);
    let places: Vec<VaultPath> = returns.iter().map(|wanted| wanted.to.clone()).collect();
    if let Some(cache) = reindex(session, &places) {
        session.note_moves(&cache, &moves(returns, &report.outcomes));
    }
    *occupied = report.outcomes.iter().any(|outcome| match outcome {
        Outcome::Dropped { reason, .. } => is_occupied(reason),
        Outcome::Applied | Outcome::Unchanged => false,
    });
    let outcomes = returns.iter().zip(&report.outcomes);
    let groups = outcomes.map(|(wanted, outcome)| record(wanted).done(outcome));
    let run = report.run.as_ref().map(ToString::to_string);
    Ok(ChangeReport::new(false, run, groups.collect()))
}

/// Returns the moves of restored notes.
fn moves(returns: &[Restoration], outcomes: &[Outcome]) -> Vec<NoteMove> {
    let pairs = returns.iter().zip(outcomes);
    let returned = pairs.filter(|(_, outcome)| **outcome == Outcome::Applied);
    let mut moves = Vec::new();
    for (Restoration { from, to }, _) in returned {
        moves.push((EventKind::Returned, from.path.clone(), None));
        if from.path != *to {
            moves.push((EventKind::Moved, from.path.clone(), Some(to.clone())));
        }
    }
    moves
}
