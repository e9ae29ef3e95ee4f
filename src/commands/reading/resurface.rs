//! `mem resurface`

use crate::commands::prelude::*;
use crate::recall::resurface::{Criterion, SelectionReason, resurface};

/// Show notes worth another look
///
/// Shows in turn notes written on this day in earlier years, notes about to fade (unused so long
/// that their retrievability nears `lifecycle.min_retrievability`), and random notes. Changes nothing and does not
/// count as a use. Exits with 1 if there are none.
#[derive(Debug, clap::Args)]
pub struct ResurfaceRequest {
    /// Query for the notes to choose from
    #[arg(value_parser = query_text())]
    pub query: Vec<String>,
    #[command(flatten)]
    pub(crate) only: NoteFilter,
    /// Show at most N
    #[arg(short = 'n', long, value_name = "N", default_value_t = 5)]
    pub limit: usize,
    /// Only notes written on this day
    #[arg(long, group = "kind")]
    pub on_this_day: bool,
    /// Only notes about to fade
    #[arg(long, group = "kind")]
    pub due: bool,
    /// Only random notes
    #[arg(long, group = "kind")]
    pub chance: bool,
    /// Seed of the random choice, to repeat it
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,
    #[command(flatten)]
    rows: RowArgs,
}

const KEYS: &str = "path title reason years retrievability";

#[derive(Debug, Serialize, JsonSchema)]
pub struct ResurfacedNotes {
    notes: Vec<ResurfacedNote>,
    #[serde(skip)]
    empty_message: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ResurfacedNote {
    path: VaultPath,
    title: String,
    #[serde(flatten)]
    reason: SelectionReason,
}

impl Request for ResurfaceRequest {
    type Reply<'s> = ResurfacedNotes;

    fn rows(&self) -> Option<(&RowArgs, &'static str)> {
        Some((&self.rows, KEYS))
    }

    fn answer(&self, session: &Session) -> Result<ResurfacedNotes> {
        let Selection { entries, view, .. } = selected(session, &self.only.with(&self.query))?;
        let kinds: &[Criterion] = match (self.on_this_day, self.due, self.chance) {
            (true, ..) => &[Criterion::Day],
            (_, true, _) => &[Criterion::Due],
            (.., true) => &[Criterion::Chance],
            _ => &[Criterion::Day, Criterion::Due, Criterion::Chance],
        };
        let seed = self.seed.unwrap_or(session.env.seed);
        let chosen = resurface(&view, &entries, kinds, self.limit, seed)?.into_iter();
        let notes = chosen.map(|(entry, reason)| {
            Ok(ResurfacedNote {
                title: view.details(entry.slot)?.title,
                path: entry.path,
                reason,
            })
        });
        Ok(ResurfacedNotes {
            notes: notes.collect::<Result<_>>()?,
            empty_message: if self.on_this_day {
                "no note was written on this day"
            } else if self.due && !entries.is_empty() {
                "no note is about to fade; `mem list --sort retrievability` shows how close each note is"
            } else {
                "no matches"
            },
        })
    }
}

/// Maximum width of a path that the column of reasons makes room for.
const MAX_PATH_WIDTH: usize = 60;

impl Reply for ResurfacedNotes {
    fn show(&self, page: &Page<'_>) {
        let widths = self.notes.iter().map(|note| width(note.path.as_str()));
        let room = widths.filter(|width| *width <= MAX_PATH_WIDTH).max();
        let room = room.unwrap_or_default();
        for note in &self.notes {
            let path = note.path.as_str();
            let gap = if page.stdout_is_terminal {
                fill(path, room) + GAP
            } else {
                "\t".to_owned()
            };
            page.row(&format!(
                "{}{gap}{}",
                page.place(path),
                describe(note.reason)
            ));
        }
    }

    list!(notes);

    fn empty_message(&self) -> &'static str {
        self.empty_message
    }
}

fn describe(reason: SelectionReason) -> String {
    match reason {
        SelectionReason::OnThisDay { years: 1 } => "a year ago today".to_owned(),
        SelectionReason::OnThisDay { years } => format!("{years} years ago today"),
        SelectionReason::Due { retrievability } => {
            format!("fading: retrievability {retrievability:.2}")
        }
        SelectionReason::Chance => "by chance".to_owned(),
    }
}
