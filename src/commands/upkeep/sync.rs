//! `mem sync`

use crate::commands::prelude::*;
use crate::run::plan::open::merge_conflict_hint;
use crate::run::sync::{Conflict, ConflictResult, SleepVerdict, SyncReport, SyncRequest, sync};

/// Exchange notes with other machines through git
///
/// Commits your changes of notes, attachments and `.mem`, merges those of the remote branch, runs
/// the jobs that are due, and pushes. Nothing is forced. A conflict never stops it: both versions
/// are kept, and `mem review` asks about them. See `docs/sync.md`.
#[derive(Debug, clap::Args)]
pub struct SyncArgs {
    /// Fetch and preview, without changing notes or branches
    #[arg(long)]
    dry_run: bool,
    /// Run no jobs
    #[arg(long)]
    no_sleep: bool,
    /// Subject of the commit with your changes
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
}

impl Request for SyncArgs {
    type Reply<'s> = SyncReport;

    fn answer(&self, session: &Session) -> Result<SyncReport> {
        let request = SyncRequest {
            dry_run: self.dry_run,
            no_sleep: self.no_sleep,
            message: self.message.clone(),
        };
        sync(session, &request)
    }
}

impl Reply for SyncReport {
    fn show(&self, page: &Page<'_>) {
        let mut lines = Vec::new();
        let line = |verb: &str, number: usize, what: &str| {
            let title = format!("{verb} {}", count(number, what));
            (number > 0).then(|| act::outcome(&title, self.dry_run))
        };
        let remote = &self.remote;
        let committed = self.committed.iter().collect::<BTreeSet<_>>().len();
        lines.extend(line("commit", committed, "file"));
        let merged = line("merge", self.received, "commit");
        lines.extend(merged.map(|line| format!("{line} of {remote}")));
        match self.sleep {
            SleepVerdict::Due => lines.push("would run the due jobs".to_owned()),
            SleepVerdict::Done => {
                lines.push(format!(
                    "ran the due jobs: {}",
                    count(self.changes, "change")
                ));
            }
            SleepVerdict::NotDue | SleepVerdict::Skipped => {}
        }
        let pushed = line("push", self.sent, "commit");
        lines.extend(pushed.map(|line| format!("{line} to {remote}")));
        if lines.is_empty() {
            lines.push(format!("up to date with {remote}"));
        }
        for line in &lines {
            page.line(line);
        }
    }

    fn messages(&self) -> Vec<Message> {
        let mut messages: Vec<Message> = self
            .conflicts
            .iter()
            .map(|conflict| Message::Warning(describe(conflict)))
            .collect();
        let is_marked = |conflict: &Conflict| conflict.result == ConflictResult::Marked;
        if let Some(hint) = merge_conflict_hint(self.merge_conflicts) {
            messages.push(Message::Hint(hint));
        } else if self.conflicts.iter().any(is_marked) {
            let hint = "`mem review --kind merge-conflict` asks which version to keep";
            messages.push(Message::Hint(hint.to_owned()));
        }
        if !self.left.is_empty() {
            let shown: Vec<String> = self
                .left
                .iter()
                .take(3)
                .map(|it| format!("`{it}`"))
                .collect();
            let more = if self.left.len() > 3 { ", …" } else { "" };
            messages.push(Message::Hint(format!(
                "not notes, so not committed: {}{more}",
                shown.join(", ")
            )));
        }
        messages
    }
}

fn describe(conflict: &Conflict) -> String {
    let path = &conflict.path;
    let other = conflict.other.as_deref().unwrap_or_default();
    match conflict.result {
        ConflictResult::Marked => format!("`{path}` has both versions between conflict markers"),
        ConflictResult::KeptTwice => format!("the other version of `{path}` is `{other}`"),
        ConflictResult::Kept => {
            format!("`{path}` was kept: it was removed or renamed on one side only")
        }
        ConflictResult::Moved => {
            format!("the edit of `{path}` was made in `{other}`, which absorbed it")
        }
    }
}
