//! `mem sync`

use crate::commands::prelude::*;
use crate::run::sync::{Conflict, ConflictResult, SleepVerdict, SyncReport, SyncRequest, sync};

/// Exchange notes with other machines through git
///
/// Commits your changes of notes, attachments and `.mem`, merges those of the remote branch, runs
/// the jobs that are due, and pushes. Nothing is forced. A conflict never stops it: both versions
/// are kept, and `mem doctor` lists the notes. See `docs/sync.md`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Fetch and preview, without changing notes or branches
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Run no jobs
    #[arg(long)]
    no_sleep: bool,
    /// Subject of the commit with your changes
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
}

impl Request for Args {
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
        let verb = |verb: &str, done: &str| {
            if self.dry_run {
                format!("would {verb}")
            } else {
                done.to_owned()
            }
        };
        let mut lines = Vec::new();
        let mut add = |verb: String, number: usize, what: &str, after: &str| {
            if number > 0 {
                lines.push(format!("{verb} {}{after}", count(number, what)));
            }
        };
        let remote = &self.remote;
        let committed = self.committed.iter().collect::<BTreeSet<_>>().len();
        add(verb("commit", "committed"), committed, "file", "");
        let from = format!(" of {remote}");
        add(verb("merge", "merged"), self.received, "commit", &from);
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
        if self.sent > 0 {
            let verb = verb("push", "pushed");
            lines.push(format!("{verb} {} to {remote}", count(self.sent, "commit")));
        }
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
        if self.conflicts.iter().any(is_marked) {
            let hint = "`mem doctor --only conflict-markers` lists these notes";
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
