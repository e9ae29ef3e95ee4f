//! `mem reinforce`, and `mem confirm`, which is a reward as well.

use crate::commands::prelude::*;
use crate::journal::UsageEvent;
use crate::signals::IMPORTANCE;

/// Report that notes were useful or misleading
///
/// A reward raises the salience of a note; a negative one lowers it. A useful note also counts as
/// used, and QUERY is kept as a question it helped with. Notes are not changed: mem keeps this in
/// its journal, and `mem sleep` writes a summary into managed notes. Ignores notes marked `keep`.
/// Exits with 1 if a note was not found.
#[derive(Debug, clap::Args)]
pub struct ReinforceRequest {
    /// The notes
    #[arg(required = true, value_name = "NOTE")]
    pub notes: Vec<String>,
    /// The question they were useful for; kept unless `context.keep` is false
    #[arg(long, value_name = "TEXT")]
    pub query: Option<String>,
    /// How useful, from -1 (misleading) to 1
    #[arg(
        long,
        value_name = "R",
        default_value_t = 1.0,
        allow_negative_numbers = true,
        value_parser = number_in(-1.0..=1.0)
    )]
    pub reward: f64,
}

/// Recorded feedback.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Feedback {
    reward: f64,
    notes: Vec<NoteRecord>,
    /// Names that match no note, or several.
    unknown: Vec<String>,
    /// Notes marked `keep`, which get no rewards.
    kept: Vec<VaultPath>,
    #[serde(skip)]
    is_confirmation: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct NoteRecord {
    path: VaultPath,
    accesses: u64,
    /// How often feedback was given, and its sum.
    uses: u64,
    rewards: f64,
    salience: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stability: Option<f64>,
    /// The note that replaced it.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced_by: Option<VaultPath>,
    /// The last in the chain of replacements.
    #[serde(skip)]
    answered_by: Option<VaultPath>,
}

impl Request for ReinforceRequest {
    type Reply<'s> = Feedback;

    fn answer(&self, session: &Session) -> Result<Feedback> {
        let query = self.query.as_ref().map(|text| text.trim());
        let question = query.filter(|text| !text.is_empty());
        let names = &self.notes;
        feedback(session, names, EventKind::Reinforced, self.reward, question)
    }
}

impl Reply for Feedback {
    fn show(&self, page: &Page<'_>) {
        let done = if self.is_confirmation {
            "confirmed"
        } else {
            "reinforced"
        };
        for note in &self.notes {
            let path = page.place(note.path.as_str());
            let times = count(note.uses as usize, "time");
            let salience = note.salience;
            page.line(&format!("{done} {path}  salience {salience}, {times}"));
        }
        // Feedback on replaced notes has no effect on search.
        for note in &self.notes {
            let path = &note.path;
            match (&note.replaced_by, &note.answered_by) {
                (Some(newer), Some(last)) if newer != last => page.warn(&format!(
                    "`{path}` was replaced by `{newer}`; searches return `{last}` instead"
                )),
                (Some(newer), _) => page.warn(&format!(
                    "`{path}` was replaced by `{newer}`, which searches return instead"
                )),
                (None, _) => {}
            }
        }
        for path in &self.kept {
            if self.is_confirmation {
                let path = page.place(path.as_str());
                page.line(&format!("{done} {path}  marked `keep`: salience unchanged"));
            } else {
                page.say(&format!("`{path}` is marked `keep` and is unchanged"));
            }
        }
    }

    fn exit(&self) -> Result<Exit> {
        Ok(Exit::found(self.unknown.is_empty()))
    }
}

/// Records feedback of a kind on the notes that `names` name.
pub(crate) fn feedback(
    session: &Session,
    names: &[String],
    kind: EventKind,
    reward: f64,
    question: Option<&str>,
) -> Result<Feedback> {
    let env = &session.env;
    let (cache, view) = session.fresh_view()?;
    let (mut entries, mut unknown, mut kept): (Vec<Entry>, Vec<String>, Vec<VaultPath>) =
        <_>::default();
    for name in names {
        match find_note(env, &view, name) {
            Ok(entry) if entry.row.flags.has(Flags::KEEP) => {
                if !kept.contains(&entry.path) {
                    kept.push(entry.path);
                }
            }
            Ok(entry) if entries.iter().any(|known| known.slot == entry.slot) => {}
            Ok(entry) => entries.push(entry),
            Err(error) => {
                env.output.warn(&error.message());
                for line in error.lines().skip(1) {
                    env.output.say(&line);
                }
                unknown.push(name.clone());
            }
        }
    }
    // Confirmations of notes marked `keep` only set the date.
    let confirmed: &[VaultPath] = if kind == EventKind::Confirmed {
        &kept
    } else {
        &[]
    };
    if !entries.is_empty() || !confirmed.is_empty() {
        let at = env.now.timestamp().as_second();
        let keeps_questions = session.usage_options().parameters.context.keep;
        let question = question.filter(|_| keeps_questions);
        let event = UsageEvent {
            reward: Some(reward),
            question: question.map(ToOwned::to_owned),
            ..UsageEvent::new(kind, at, entries.iter().map(|entry| &entry.path))
        };
        let mut events = vec![event, UsageEvent::new(kind, at, confirmed)];
        events.retain(|event| !event.notes.is_empty());
        let appended = session.events().append(&events);
        appended.map_err(|error| Error::io("write to", &session.homes.state, &error))?;
        if let Err(error) = session.fold_uses(&cache) {
            let (output, why) = (&env.output, error.message());
            output.warn(&format!(
                "kept on this machine until the journal can be written: {why}"
            ));
        }
    }
    drop(view);
    let view = session.view(&cache)?;
    let mut notes = Vec::new();
    for entry in &entries {
        let usage = view.usage(entry)?;
        notes.push(NoteRecord {
            path: entry.path.clone(),
            accesses: usage.accesses,
            uses: usage.uses,
            rewards: usage.rewards,
            salience: rounded(usage.salience.of(IMPORTANCE.of(&entry.row.ratings).into())),
            stability: usage.stability.map(rounded),
            replaced_by: view.replaced_by(entry)?.map(|newer| newer.path),
            answered_by: view.last_replacement(entry)?.map(|newer| newer.path),
        });
    }
    Ok(Feedback {
        reward,
        notes,
        unknown,
        kept,
        is_confirmation: kind == EventKind::Confirmed,
    })
}

fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}
