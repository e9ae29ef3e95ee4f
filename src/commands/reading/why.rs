//! `mem why`

use crate::commands::prelude::*;
use crate::embed::{EmbeddingPurpose, model_of_questions};
use crate::jobs::next_step::{LadderJobs, NextStep, next_step};
use crate::signals::dates::starts;
use crate::signals::dates::{self, Source};
use crate::signals::fields::SIGNALS;
use crate::signals::helped::{HelpedQuestion, context_match};
use crate::signals::lifecycle::{self, Protection};
use crate::signals::measure::{ExplainedSignal, TermCombination};
use crate::signals::{ContextOptions, Disposition, Signal};
use crate::view::signals::{WrittenFrom, written};
use crate::view::usage::LearnedFrom;

/// Explain the numbers of a note
///
/// Prints creation and last use with their sources, the number of uses, and each signal with the
/// terms it is computed from. Ends with the next job that will change the tier of the note, and
/// when.
#[derive(Debug, clap::Args)]
pub struct WhyRequest {
    /// The note
    pub note: String,
    /// Compare with the questions for which the note was useful
    #[arg(long, value_name = "QUESTION")]
    pub query: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Explanation {
    path: VaultPath,
    title: String,
    tier: Tier,
    created: Moment<Source>,
    last_used: Moment<LastUse>,
    accesses: u64,
    days: u64,
    feedback: u64,
    rewards: f64,
    links: u32,
    signals: Map<String, Value>,
    helped: Vec<HelpedQuestion>,
    /// Similarity of `--query` to those questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_match: Option<f64>,
    next: Next,
    #[serde(skip)]
    explained: Vec<(Signal, ExplainedSignal)>,
}

/// A time and its source.
#[derive(Debug, Serialize, JsonSchema)]
struct Moment<S> {
    at: Option<Timestamp>,
    days_ago: f64,
    from: S,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum LastUse {
    Journal,
    /// The snapshot of usage in the note.
    Snapshot,
    #[serde(untagged)]
    Written(WrittenFrom),
}

/// What happens next to the note if it is not used.
#[derive(Debug, Serialize, JsonSchema)]
struct Next {
    /// What the jobs will do with it.
    ladder: NextStep,
    /// The tier that its relevance suggests.
    fate: Disposition,
    /// Until when searches leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    starts: Option<Timestamp>,
    /// When searches start to leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<Timestamp>,
}

impl Request for WhyRequest {
    type Reply<'s> = Explanation;

    fn answer(&self, session: &Session) -> Result<Explanation> {
        let (_cache, view) = session.fresh_view()?;
        let entry = find_note_to_show(&session.env, &view, &self.note)?;
        let mut explanation = explain(&session.settings, &view, &entry)?;
        if let Some(question) = &self.query {
            let cosine = context(session, question, &explanation.helped)?;
            explanation.context_match = Some(cosine);
        }
        Ok(explanation)
    }
}

fn explain(settings: &Settings, view: &View<'_>, entry: &Entry) -> Result<Explanation> {
    let (usage, learned_from) = view.usage_and_source(entry)?;
    let known = view.known(entry, &usage)?;
    let explained = SIGNALS.map(|signal| (signal, known.explained(signal, view.signal_options())));
    let details = view.details(entry.slot)?;
    let properties = details.properties();
    let options = view.signal_options();
    let at = |second: i64| Timestamp::from_second(second).ok();
    let used_from = match (known.usage.anchor(), learned_from) {
        (Some(_), LearnedFrom::Journal) => LastUse::Journal,
        (Some(_), LearnedFrom::Snapshot) => LastUse::Snapshot,
        (None, _) => LastUse::Written(written(&entry.row).1),
    };
    let value = |wanted: Signal| {
        let mut all = explained.iter();
        all.find(|(signal, _)| *signal == wanted)
            .map_or(0.0, |(_, explained)| explained.value)
    };
    let signals = explained.iter().map(|(signal, explained)| {
        let terms = explained.terms.iter();
        let pairs = terms.map(|(name, value)| ((*name).to_owned(), json!(value)));
        let terms: Map<String, Value> = pairs.collect();
        let mut record = json!({"value": explained.value, "made": explained.made});
        if !terms.is_empty() {
            record["terms"] = terms.into();
        }
        (signal.name().to_owned(), record)
    });
    Ok(Explanation {
        path: entry.path.clone(),
        tier: entry.row.flags.tier(),
        created: Moment {
            at: at(known.created),
            days_ago: known.age_days(),
            from: dates::source(&properties, &entry.path),
        },
        last_used: Moment {
            at: at(known.last_used()),
            days_ago: known.idle_days(),
            from: used_from,
        },
        accesses: known.usage.accesses,
        days: known.usage.days,
        feedback: known.usage.uses,
        rewards: known.usage.rewards,
        links: known.links,
        signals: signals.collect(),
        helped: known.usage.helped.clone(),
        context_match: None,
        next: Next {
            ladder: next_step(view, entry, known.usage, &LadderJobs::of(settings))?,
            fate: lifecycle::disposition(value(Signal::Relevance), &options.lifecycle),
            starts: starts(&details.properties()).and_then(at),
            expires: Some(entry.row.expires)
                .filter(|end| *end < i64::MAX)
                .and_then(at),
        },
        title: details.title,
        explained: explained.into(),
    })
}

/// Returns the similarity of `question` to the questions for which the note was useful.
fn context(session: &Session, question: &str, helped: &[HelpedQuestion]) -> Result<f64> {
    let embedder = session.embedder();
    // The comparison of a recall, or for a server its own.
    let embedder = embedder.map(|embedder| model_of_questions(embedder).unwrap_or(embedder));
    let embedder = embedder.ok_or_else(|| {
        Error::new("cannot compare questions without an embedding model")
            .hint("`mem config embed` shows how one is set")
    })?;
    let questions = helped.iter().map(|helped| &*helped.question);
    let texts: Vec<&str> = questions.chain([question]).collect();
    let mut vectors = embedder
        .embed(&texts, EmbeddingPurpose::Query)
        .map_err(|error| Error::new("cannot compare questions").caused_by(&error))?;
    let asked = vectors.pop().unwrap_or_default();
    let weights = helped.iter().map(|helped| helped.weight);
    let helped: Vec<_> = vectors.into_iter().zip(weights).collect();
    let options: ContextOptions = session.settings.of();
    Ok(context_match(&asked, &helped, &options))
}

/// Column of the values.
const VALUE_COLUMN: usize = 16;

impl Reply for Explanation {
    fn show(&self, page: &Page<'_>) {
        let line = |name: &str, value: &str| {
            page.write_wrapped_below(
                &format!("{name:<VALUE_COLUMN$}{value}").into(),
                VALUE_COLUMN,
            );
        };
        let title = page.place(self.path.as_str());
        page.line(&title);
        let created = match self.created.from {
            Source::Property(name) => format!("property `{name}`"),
            Source::FileName => "file name".to_owned(),
            Source::FileTime => "file time".to_owned(),
        };
        line("created", &moment(page, &self.created, &created));
        let used = match self.last_used.from {
            LastUse::Journal => "journal",
            LastUse::Snapshot => "snapshot in the note",
            LastUse::Written(WrittenFrom::Updated) => "property `updated`",
            LastUse::Written(WrittenFrom::Created) => "when it was created",
            LastUse::Written(WrittenFrom::FileTime) => "file time",
        };
        line("last used", &moment(page, &self.last_used, used));
        line("used", &uses(self));
        line("links", &self.links.to_string());
        for (signal, explained) in &self.explained {
            match signal {
                // Shown on the line `used`, and below with the questions.
                Signal::Accesses | Signal::Questions => {}
                Signal::Importance if explained.made == TermCombination::Stated => {
                    let stated = number(explained) + " (property `importance`)";
                    line(signal.name(), &stated);
                }
                Signal::Stability => line(signal.name(), &format!("{} days", number(explained))),
                _ => line(signal.name(), &number(explained)),
            }
        }
        if let Some(cosine) = self.context_match {
            line("context match", &format!("{cosine:.3}"));
        }
        for helped in &self.helped {
            let (question, weight) = (page.clean(&helped.question), helped.weight);
            line("helped with", &format!("{question} ({weight:.2})"));
        }
        for words in next(page, &self.next) {
            line("next", &words);
        }
    }
}

fn moment<S>(page: &Page<'_>, moment: &Moment<S>, from: &str) -> String {
    let at = moment.at.map_or_else(String::new, |at| page.local_time(at));
    let days = moment.days_ago;
    let digits = usize::from(days < 10.0);
    format!("{at}, {days:.digits$} days ago ({from})")
}

fn uses(record: &Explanation) -> String {
    let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let mut words = match record.accesses {
        0 => "never".to_owned(),
        accesses => {
            let days = count(number(record.days), "day");
            format!("{} on {days}", count(number(accesses), "time"))
        }
    };
    if record.feedback > 0 {
        let feedback = count(number(record.feedback), "time");
        words = format!("{words}; feedback {feedback}, sum {:.2}", record.rewards);
    }
    words
}

fn number(explained: &ExplainedSignal) -> String {
    let terms = |sign: &str| {
        let terms = explained.terms.iter();
        let terms = terms.map(|(name, value)| format!("{name} {value:.3}"));
        terms.collect::<Vec<_>>().join(sign)
    };
    let value = explained.value;
    match explained.made {
        TermCombination::Sum => format!("{value:.3} = {}", terms(" + ")),
        TermCombination::Product => {
            let product: f64 = explained.terms.iter().map(|(_, value)| value).product();
            let bound = if (product - value).abs() < 1e-9 {
                return format!("{value:.3} = {}", terms(" * "));
            } else if product > value {
                "the most"
            } else {
                "its floor"
            };
            let terms = terms(" * ");
            format!("{value:.3} = {bound}; without it {product:.3} = {terms}")
        }
        TermCombination::Stated if value.fract() == 0.0 => format!("{value}"),
        TermCombination::Stated => format!("{value:.3}"),
    }
}

fn next(page: &Page<'_>, next: &Next) -> Vec<String> {
    let mut words = vec![ladder(page, &next.ladder)];
    if let Some(at) = next.starts.filter(|at| *at > page.now.timestamp()) {
        let time = page.local_time(at);
        words.push(format!("searches leave it out until {time} (`valid_from`)"));
    }
    if let Some(at) = next.expires {
        let time = page.local_time(at);
        words.push(if at <= page.now.timestamp() {
            format!("expired {time}: searches leave it out")
        } else {
            format!("searches leave it out from {time} (`valid_until`)")
        });
    }
    words
}

fn ladder(page: &Page<'_>, ahead: &NextStep) -> String {
    match ahead {
        NextStep::Stays => "jobs keep its tier".to_owned(),
        NextStep::Protected { by } => {
            let by = match by {
                Protection::Keep => "`keep`, or as a summary of other notes",
                Protection::Importance => "its importance",
                Protection::Age => "its age",
                Protection::Type => "its type",
            };
            format!("jobs keep its tier: protected by {by}")
        }
        NextStep::Returns { job } => format!("`mem {job}` moves it up a tier: it was used"),
        NextStep::Goes { job, to, at, is_on } => {
            let does = match to {
                Some(tier) => format!("makes it {}", tier.name()),
                None => "moves it to the trash".to_owned(),
            };
            let at = Timestamp::from_second(*at).unwrap_or_default();
            let time = if at <= page.now.timestamp() {
                "when it runs next".to_owned()
            } else {
                format!("after {}, if it stays unused", page.local_time(at))
            };
            if *is_on {
                format!("`mem {job}` {does} {time}")
            } else {
                format!("it is yours: jobs keep its tier unless `{job}.notes` is \"all\"")
            }
        }
    }
}
