//! `mem status`

use std::cmp::Reverse;

use crate::commands::prelude::*;
use crate::run::sleep::state::JobState;
use crate::run::status::{Index, JobRecord, Status, VectorsRecord};

/// Show the state of the vault: notes, index, jobs, open questions
#[derive(Debug, clap::Args)]
pub struct StatusRequest {}

impl Request for StatusRequest {
    type Reply<'s> = Status;

    fn answer(&self, session: &Session) -> Result<Status> {
        Status::of(session)
    }
}

impl Reply for Status {
    fn show(&self, page: &Page<'_>) {
        page.line(&format!("vault       {}", page.place(&self.vault)));
        let time = |at| page.local_time(at);
        let (index, failed) = match self.jobs.get(Step::Index.name()) {
            Some(JobRecord { state, .. }) => (state.last_success, failure(page, state)),
            None => (None, String::new()),
        };
        let looked = index.map_or(String::new(), |at| format!("; last full scan {}", time(at)));
        page.row(&match (self.index, self.notes) {
            (Index::NotBuilt, _) | (_, None) => {
                format!("index       not built yet: the next search builds it{failed}")
            }
            (Index::Fresh, Some(notes)) => {
                let notes = count(notes as usize, "note");
                format!("index       {notes}, fresh{looked}{failed}")
            }
            (Index::Behind, Some(notes)) => format!(
                "index       {}, stale: the next search updates it{looked}{failed}",
                count(notes as usize, "note")
            ),
        });
        if self.languages.keys().any(|name| *name != "english") {
            let mut languages: Vec<_> = self.languages.iter().collect();
            languages.sort_by_key(|(_, notes)| Reverse(**notes));
            let languages: Vec<String> = languages
                .iter()
                .map(|(name, notes)| format!("{name} {notes}"))
                .collect();
            page.row(&format!("languages   {}", languages.join(", ")));
        }
        if self.read_only > 0 {
            let notes = count(self.read_only, "note");
            page.row(&format!(
                "read-only   {notes}, which jobs cannot change; `chmod u+w` allows changes"
            ));
        }
        if self.unreadable > 0 {
            let notes = count(self.unreadable, "note");
            page.row(&format!(
                "properties  of {notes} cannot be read; `mem doctor` says where"
            ));
        }
        if let Some(vectors) = &self.vectors {
            page.row(&format!(
                "vectors     {}",
                page.clean(&vectors_line(vectors))
            ));
        }
        if let Some(encoder) = &self.encoder {
            page.row(&format!("encoder     {}", encoder.summary()));
        }
        if let Some(watch) = &self.watch {
            let parsed = watch.since.parse();
            let since = parsed.map_or_else(|_| watch.since.clone(), |at| page.local_time(at));
            let words = format!("by process {} since {since}", watch.pid);
            page.row(&format!("watch       {}", page.clean(&words)));
        }
        show_jobs(page, self);
        if let Some(review) = &self.review {
            let since = if review.current {
                ""
            } else {
                ", notes changed since"
            };
            page.row(&format!("review      {}{since}", review.tally.all.words()));
            for silent in &review.tally.silent {
                page.row(&format!("  {}", silent.words()));
            }
        }
        if !self.problems.is_empty() {
            page.row(&format!("skipped {}", count(self.problems.len(), "file")));
            for (path, why) in &self.problems {
                page.row(&format!("  {}: {}", page.place(path), page.clean(why)));
            }
        }
        if !self.lists.is_empty() {
            let lists = count(self.lists.len(), "list");
            page.row(&format!("lists       {lists} not updated"));
            for why in &self.lists {
                page.row(&format!("  {}", page.clean(why)));
            }
        }
        if self.unfinished_run {
            page.warn("an interrupted run will be recovered by the next write");
        }
    }
}

fn vectors_line(vectors: &VectorsRecord) -> String {
    let passages = count(vectors.passages as usize, "passage");
    let mut words = format!("{passages} by {}", vectors.model);
    if vectors.notes_waiting > 0 {
        let waiting = count(vectors.notes_waiting as usize, "note");
        words = format!("{words}, {waiting} pending");
    }
    match &vectors.graph {
        Some(graph) => format!("{words}, HNSW graph over {}", graph.passages),
        None => format!("{words}, exact search"),
    }
}

/// Shows the last and next run of each job; jobs with equal lines share one.
fn show_jobs(output: &Page<'_>, record: &Status) {
    let time = |at| output.local_time(at);
    let mut jobs: Vec<(Vec<&str>, String, &[String])> = Vec::new();
    let names = JOBS.iter().map(|job| job.name);
    for job in names.chain([Step::Judge.name(), Step::Settle.name()]) {
        let Some(JobRecord { next_due, state }) = record.jobs.get(job) else {
            continue;
        };
        let next = match next_due {
            None => "not scheduled".to_owned(),
            Some(at) if *at <= output.now.timestamp() => "due".to_owned(),
            Some(at) => format!("next {}", time(*at)),
        };
        let mut words = match state.last_success {
            Some(at) => format!("ran {}, {next}", time(at)),
            None => format!("never run, {next}"),
        };
        if state.left > 0 {
            words = format!("{words}, {} remaining", count(state.left as usize, "note"));
        }
        words.push_str(&failure(output, state));
        let alike = |(_, other, notices): &&mut (_, String, &[String])| {
            *other == words && notices.is_empty() && state.notices.is_empty()
        };
        match jobs.iter_mut().find(alike) {
            Some((names, _, _)) => names.push(job),
            None => jobs.push((vec![job], words, &state.notices)),
        }
    }
    let number: usize = jobs.iter().map(|(names, ..)| names.len()).sum();
    for (names, words, notices) in jobs {
        if let [name] = names.as_slice() {
            output.row(&format!("{name:<11} {words}"));
        } else if names.len() == number {
            output.row(&format!("jobs        {words}"));
        } else {
            output.row(&format!("jobs        {words}"));
            let names = Line::of(Style::Faint, format!("            {}", names.join(", ")));
            output.write_wrapped(&names);
        }
        for notice in notices {
            output.line(&format!("  {}", output.clean(notice)));
        }
    }
}

/// Returns the last error of a job, if it failed.
fn failure(output: &Output, state: &JobState) -> String {
    let error = state.last_error.as_ref();
    error.map_or(String::new(), |error| {
        output.paint(Style::Warning, &format!(", failed: {error}"))
    })
}
