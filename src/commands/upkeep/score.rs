//! `mem score`

use crate::commands::prelude::*;
use crate::run::sleep::score::{ChangeCause, Scores, SignalChanges, persist};
use crate::signals::options::SignalOptions;

/// Recompute signals and show changes
///
/// Computes importance, retrievability, relevance, salience and promotion of all notes. Prints
/// notes whose signals changed by .01 or more since the last run, largest changes first, with the
/// cause. Signals named by `signals.persist` are written into managed notes, below `mem`.
#[derive(Debug, clap::Args)]
pub struct ScoreRequest {
    /// Query for the notes to score
    #[arg(value_parser = query_text())]
    pub query: Vec<String>,
    /// Print at most N notes
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    /// Preview the changes without making them
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ScoreReport {
    notes: usize,
    /// When the previous scores were computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Timestamp>,
    moved: Vec<SignalChanges>,
    #[serde(flatten)]
    written: ChangeReport,
    /// Maximum number of notes shown.
    #[serde(skip)]
    limit: usize,
}

impl Request for ScoreRequest {
    type Reply<'s> = ScoreReport;

    fn answer(&self, session: &Session) -> Result<ScoreReport> {
        let selection = selected(session, &self.query)?;
        let view = &selection.view;
        let scores = Scores::of(view, &selection.entries)?;
        let mut kept = Scores::load(session);
        let since = scores.since(&kept);
        let moved = scores.moved_since(&kept);
        let notes = scores.notes.len();
        let options: SignalOptions = session.settings.of();
        let groups = persist(view, &selection.entries, &options.persist.0)?;
        let all = view.entries()?;
        let there: HashSet<&str> = all.iter().map(|entry| entry.path.as_str()).collect();
        kept.notes.extend(scores.notes);
        kept.notes.retain(|path, _| there.contains(path.as_str()));
        // The view must be closed before writing.
        drop(selection.view);
        let written = change_report::make(session, selection.cache, "score", groups, self.dry_run)?;
        if !self.dry_run {
            // Only after a successful write, so that the next run reports the changes again.
            kept.keep(session)?;
        }
        Ok(ScoreReport {
            notes,
            since,
            moved,
            written,
            limit: self.limit,
        })
    }
}

impl Reply for ScoreReport {
    fn show(&self, page: &Page<'_>) {
        for moved in self.moved.iter().take(self.limit) {
            page.line(&line(page, moved));
        }
        self.written.show(page);
        if self.notes == 0 {
            return page.say("no notes to score");
        }
        let notes = count(self.notes, "note");
        page.say(&match self.since {
            None => format!("scored {notes}; the next run reports changes"),
            Some(since) => {
                let since = page.local_time(since);
                format!("scored {notes}; {} moved since {since}", self.moved.len())
            }
        });
    }

    fn messages(&self) -> Vec<Message> {
        self.written.messages()
    }

    fn exit(&self) -> Result<Exit> {
        Ok(Exit::found(self.notes > 0).and(self.written.exit()?))
    }
}

fn line(output: &Output, moved: &SignalChanges) -> String {
    let changes = moved.changes.iter().map(|change| {
        let (signal, from, to) = (change.signal, change.from, change.to);
        format!("{signal} {from:.2} -> {to:.2}")
    });
    let changes: Vec<String> = changes.collect();
    let why: Vec<String> = moved.why.iter().map(|why| describe_cause(*why)).collect();
    let path = output.place(&moved.path);
    format!("{path}\t{} ({})", changes.join(", "), why.join(", "))
}

fn describe_cause(why: ChangeCause) -> String {
    let times = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    match why {
        ChangeCause::Use(uses) => count(times(uses), "use"),
        ChangeCause::Feedback(feedback) => format!("feedback {}", count(times(feedback), "time")),
        ChangeCause::Links(links) => format!("links {links:+}"),
        ChangeCause::Time => "time".to_owned(),
    }
}
