//! `mem index`

use crate::cache::RebuildReason;
use crate::cache::options::Hnsw;
use crate::cache::sync::IndexSyncReport;
use crate::commands::prelude::*;
use crate::run::sleep::record;
use crate::run::sleep::state::JobOutcome;
use crate::session::upgrade::EncoderState;

/// Update the index
///
/// Other commands do this already for changes they notice. The index is stored outside the vault
/// and can be deleted at any time.
#[derive(Debug, clap::Args)]
pub struct IndexRequest {
    /// Only these notes
    pub notes: Vec<String>,
    /// Rebuild the index from the vault as it is now
    #[arg(long, conflicts_with = "notes")]
    pub rebuild: bool,
    /// Rebuild the HNSW search graph now if it is incomplete
    #[arg(long, conflicts_with = "notes")]
    pub hnsw: bool,
    /// Compute all vectors of the sentence encoder now and use it
    #[arg(long, conflicts_with = "notes")]
    pub encoder: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct IndexReport {
    #[serde(flatten)]
    report: IndexSyncReport,
    seconds: f64,
    /// Absent if the encoder was in use before or not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoder: Option<EncoderState>,
}

impl Request for IndexRequest {
    type Reply<'s> = IndexReport;

    fn answer(&self, session: &Session) -> Result<IndexReport> {
        if self.encoder {
            session.check_encoder()?;
        }
        let started = std::time::Instant::now();
        let mut encoder = None;
        let report = if self.notes.is_empty() {
            let (cache, report) = if self.rebuild {
                session.rebuild(&RebuildReason::Wanted)?
            } else {
                session.index()?
            };
            let cache = if self.encoder {
                session.embed_in_place(cache)?
            } else {
                session.embed(cache)?
            };
            // This takes minutes in a large vault; `sleep` does it as well.
            if self.hnsw || session.index.hnsw == Hnsw::Always {
                session.maintain_graph(&cache, self.hnsw)?;
            }
            if self.encoder {
                encoder = session.encode(cache, None)?;
            }
            report
        } else {
            let cache = session.cache()?;
            let view: View<'_> = session.view(&cache)?;
            let mut paths = Vec::new();
            for name in &self.notes {
                // A note that is not indexed yet is only known by its path.
                let path = VaultPath::new(name);
                match path {
                    Ok(path) if session.vault.stat(&path).is_ok() => paths.push(path),
                    _ => paths.push(find_note_to_show(&session.env, &view, name)?.path),
                }
            }
            drop(view);
            session.reindex_with_report(cache, &paths)?.1
        };
        let seconds = started.elapsed().as_secs_f64();
        if self.notes.is_empty() {
            let outcome = JobOutcome::of_index(&report);
            let now = session.env.now.timestamp();
            record::update(session, |state| {
                state.note(Step::Index.name(), now, seconds, &Ok(outcome));
            });
        }
        session.warn_of_skipped(&report);
        Ok(IndexReport {
            report,
            seconds,
            encoder,
        })
    }
}

impl Reply for IndexReport {
    fn show(&self, page: &Page<'_>) {
        page.line(&summary(&self.report));
        if let Some(encoder) = self.encoder {
            page.line(&encoder.summary());
        }
        let mut moved = self.report.changed_notes.moved.iter();
        if moved.any(|(was, now)| VaultPath::new(was).is_ok_and(|was| was.stem() != now.stem())) {
            page.hint("`mem doctor --fix` updates links to moved notes");
        }
    }
}

/// Returns the result of a scan in one line.
pub(crate) fn summary(report: &IndexSyncReport) -> String {
    let mut parts = Vec::new();
    for (number, what) in [
        (report.added, "added"),
        (report.changed, "changed"),
        (report.moved, "moved"),
        (report.removed, "removed"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    }
    let notes = count(report.notes, "note");
    if parts.is_empty() {
        format!("{notes}, no changes")
    } else {
        format!("{notes}: {}", parts.join(", "))
    }
}
