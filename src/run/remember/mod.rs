//! Takes a text into the vault as a new note, unless a note says it already.

pub mod asked;
pub mod nearby;
pub mod options;

use serde_json::{Map, Value};

use self::asked::Asked;
use self::nearby::{NearNote, Nearby};
use self::options::{LinkNew, RememberOptions};
use super::apply::{keep_origins, take_in};
use crate::cache::Cache;
use crate::cache::key::Key;
use crate::change::Outcome;
use crate::change::acts;
use crate::change::apply::apply;
use crate::change::run_id::RunId;
use crate::error::Error;
use crate::finding::act::Act;
use crate::finding::plan::{Group, Plan};
use crate::journal::provenance::{BodyHash, Origin};
use crate::note::path::VaultPath;
use crate::note::property::spelled;
use crate::note::relation::Relation;
use crate::note::write::new_note;
use crate::note::{self, Note, hash, seal};
use crate::session::{Environment, Session};
use crate::signals::tier::Tier;
use crate::view::{Entry, View};

/// A note that is to be.
#[derive(Debug)]
pub struct NewNote<'a> {
    pub title: String,
    pub properties: Vec<(String, Value)>,
    pub body: String,
    pub given: Given<'a>,
    /// None for the root of the vault.
    pub folder: Option<VaultPath>,
}

/// What was said of a text beside it: a note that does not say so does not make it known.
#[derive(Debug)]
pub struct Given<'a> {
    pub title: Option<&'a str>,
    pub properties: Vec<(String, Value)>,
}

impl Given<'_> {
    fn is_said_by(
        &self,
        title: &str,
        aliases: &[String],
        tags: &[String],
        properties: &Map<String, Value>,
    ) -> bool {
        let is_named = |given: &str| title == given || aliases.iter().any(|alias| alias == given);
        let says = |(key, given): &(String, Value)| match (key.as_str(), given) {
            ("tags", Value::Array(given)) => given.iter().all(|given| {
                let mut tags = tags.iter();
                tags.any(|tag| given.as_str() == Some(tag))
            }),
            (key, Value::Array(given)) => {
                let mut known = spelled(properties, key).filter_map(|(_, value)| value.as_array());
                known.any(|known| given.iter().all(|given| known.contains(given)))
            }
            (key, given) => properties.get(key) == Some(given),
        };
        self.title.is_none_or(is_named) && self.properties.iter().all(says)
    }
}

/// What became of a new note.
#[derive(Debug)]
pub enum Remembered {
    New {
        path: VaultPath,
        nearby: Nearby,
        asked: Asked,
        /// Whether it states what it belongs to.
        is_linked: bool,
        run: Option<RunId>,
    },
    /// This note says it already.
    Known {
        path: VaultPath,
        id: Option<String>,
        title: String,
    },
}

/// Writes `new`, unless a note says it already.
pub fn remember(
    session: &Session,
    cache: Cache,
    mut new: NewNote<'_>,
) -> Result<Remembered, Error> {
    let view = session.view(&cache)?;
    for entry in same_text(&view, &new.body)? {
        let details = view.details(entry.slot)?;
        if new.given.is_said_by(
            &details.title,
            &details.aliases,
            &details.tags,
            &details.properties(),
        ) {
            return Ok(Remembered::Known {
                path: entry.path,
                id: details.id,
                title: details.title,
            });
        }
    }
    let nearby = Nearby::of(
        session,
        &cache,
        &view,
        &new_note(&new.properties, &new.body),
    );
    let nearby = nearby.unwrap_or_else(|error| {
        // What it is near to is worth a word, no failure.
        let why = Error::from(error).message();
        let output = &session.env.output;
        output.warn(&format!("cannot look for similar notes: {why}"));
        Nearby::default()
    });
    let is_linked = session.settings.of::<RememberOptions>().link == LinkNew::On;
    if is_linked {
        relate(&mut new.properties, &nearby);
    }
    let (path, run) = match write(session, &view, &new)? {
        Written::New(path, run) => (path, run),
        Written::Known(path, known) => {
            return Ok(Remembered::Known {
                path,
                id: note::text_of(&known.properties, "id"),
                title: known.title,
            });
        }
    };
    drop(view);
    drop(cache);
    let asked = take_in(session, std::slice::from_ref(&path))
        .map_or_else(
            || Ok(Asked::default()),
            |cache| Asked::of(session, &cache, &path),
        )
        .unwrap_or_else(|error| {
            // It is written: what the jobs would ask they ask later.
            let why = error.message();
            let output = &session.env.output;
            output.warn(&format!("cannot look for similar notes: {why}"));
            Asked::default()
        });
    if let Some(run) = run.as_ref().filter(|_| is_linked) {
        let origins = origins(&session.env, &nearby, (&path, &new.body), run);
        keep_origins(session, &origins);
    }
    Ok(Remembered::New {
        path,
        nearby,
        asked,
        is_linked,
        run,
    })
}

/// The notes with the same text, up to the space around it: in code, addresses and units case and blanks
/// say something.
fn same_text(view: &View<'_>, body: &str) -> Result<Vec<Entry>, Error> {
    let hash = hash::normal_hash(body);
    let mut same = Vec::new();
    for slot in view.reading().find(Key::body(hash))? {
        // What is forgotten or over is no longer said.
        let says = |entry: &Entry| {
            entry.row.body == hash
                && entry.row.flags.tier() != Tier::Forgotten
                && entry.row.expires > view.now.timestamp().as_second()
                && view
                    .text(entry)
                    .is_ok_and(|text| text.trim_end().ends_with(body.trim()))
        };
        same.extend(view.entry(slot)?.filter(says));
    }
    Ok(same)
}

/// States in the new note what it belongs to.
fn relate(properties: &mut Vec<(String, Value)>, nearby: &Nearby) {
    let key = Relation::RelatedTo.name();
    let links = nearby.related.iter();
    let links: Vec<Value> = links
        .map(|near| format!("[[{}]]", near.target).into())
        .collect();
    if links.is_empty() {
        return;
    }
    let stated = properties.iter_mut().find(|(known, _)| known == key);
    if let Some((_, Value::Array(known))) = stated {
        known.extend(links);
    } else {
        // What mem keeps stays at the end.
        let own = properties.iter().position(|(known, _)| known == "mem");
        let place = own.unwrap_or(properties.len());
        properties.insert(place, (key.to_owned(), links.into()));
    }
}

/// Returns where these relations come from.
fn origins(
    env: &Environment,
    nearby: &Nearby,
    (path, body): (&VaultPath, &str),
    run: &RunId,
) -> Vec<Origin> {
    let origin = |near: &NearNote| Origin {
        from: path.to_string(),
        relation: Relation::RelatedTo,
        to: near.path.to_string(),
        weight: (near.weight * 1000.0).round() / 1000.0,
        reason: near.reason(),
        by: "remember".to_owned(),
        at: env.now.timestamp(),
        run: run.to_string(),
        bodies: [hash::normal_hash(body), near.body].map(BodyHash),
    };
    nearby.related.iter().map(origin).collect()
}

/// What became of a text.
enum Written {
    /// It is a note now, by this run.
    New(VaultPath, Option<RunId>),
    /// This note says it already.
    Known(VaultPath, Box<Note>),
}

/// Writes the note under the first name made of its title that is free.
fn write(session: &Session, view: &View<'_>, new: &NewNote<'_>) -> Result<Written, Error> {
    let text = seal::reseal(&new_note(&new.properties, &new.body));
    let folder = new.folder.as_ref();
    let folder = folder.map_or_else(String::new, |folder| format!("{folder}/"));
    let naming = view.naming(&folder)?;
    for number in 1.. {
        let name = naming.name(&new.title, number);
        let path = VaultPath::new(&format!("{folder}{name}.md"))
            .map_err(|error| Error::from(error).hint("give it another `--title`"))?;
        if session.vault.exists(&path) {
            if let Some(known) = says_the_same(session, &path, &text, &new.given) {
                return Ok(Written::Known(path, Box::new(known)));
            }
            continue;
        }
        let create = Act::Create {
            path: path.clone(),
            text: text.clone(),
        };
        let group = Group {
            title: format!("remember {path}"),
            ..acts::by_hand(view, "requested", &[create])?
        };
        let plan = Plan {
            job: "remember".to_owned(),
            groups: vec![group],
        };
        let report = apply(
            &session.vault,
            &session.homes,
            &plan,
            &session.env.run_info(),
        )?;
        match report.outcomes.first() {
            // Somebody took the name in the meantime, maybe for the same text: else try the next one.
            Some(Outcome::Dropped { .. }) if session.vault.absolute(&path).exists() => {
                if let Some(known) = says_the_same(session, &path, &text, &new.given) {
                    return Ok(Written::Known(path, Box::new(known)));
                }
            }
            Some(Outcome::Dropped { reason, .. }) => {
                return Err(Error::new(format!("cannot write `{path}`: {reason}")));
            }
            _ => {
                session.note_ingest();
                return Ok(Written::New(path, report.run));
            }
        }
    }
    unreachable!("there is always a greater number")
}

/// Returns the note at `path` if its body is that of `text`, and it says what was given: whoever
/// remembers the same at the same moment wants the same name for it.
fn says_the_same(
    session: &Session,
    path: &VaultPath,
    text: &str,
    given: &Given<'_>,
) -> Option<Note> {
    let there = session.vault.read(path).ok()?.text;
    let [known, new] = [&there, text].map(|text| note::read(text, path.stem()));
    let is_same = there[known.body.clone()].trim() == text[new.body.clone()].trim()
        && given.is_said_by(&known.title, &known.aliases, &known.tags, &known.properties);
    is_same.then_some(known)
}
