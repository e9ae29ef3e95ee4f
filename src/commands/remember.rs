//! `mem remember`

mod noticed;
pub(crate) mod options;

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::{Map, Value, json};
use ulid::Ulid;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use self::noticed::{NearNote, Noticed};
use self::options::{LinkNew, RememberOptions};
use super::editor;
use super::note_lookup::find_note;
use super::property_value::{self, pair, tag};
use crate::cache::key::Key;
use crate::change::Outcome;
use crate::change::acts;
use crate::change::apply::apply;
use crate::change::run_id::RunId;
use crate::error::{Error, Exit};
use crate::finding::act::Act;
use crate::finding::plan::{Group, Plan};
use crate::journal::provenance::{BodyHash, Origin};
use crate::note::path::VaultPath;
use crate::note::relation::Relation;
use crate::note::write::new_note;
use crate::note::{self, Note, hash, seal};
use crate::output::{Form, Style};
use crate::run::apply::{keep_origins, take_in};
use crate::session::{Environment, Session};
use crate::signals::dates::moment;
use crate::signals::tier::Tier;
use crate::view::{Entry, View};

/// Save a text as a new note
///
/// The text comes from the arguments, from stdin with `-`, or from your editor. Prints the note's
/// path and id. A text that already exists is not saved twice, unless you give it a title, a tag or
/// another property that it does not have.
///
/// Examples: `mem remember "The invoice service listens on port 8080" --tag work`, `pbpaste | mem
/// remember - --type decision --title "We chose SQLite"`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The text; `-` reads stdin; without TEXT, your editor opens
    text: Vec<String>,
    /// Title [default: the first heading or the first words]
    #[arg(long)]
    title: Option<String>,
    /// Alias; repeatable
    #[arg(long = "alias", value_name = "NAME")]
    aliases: Vec<String>,
    /// Tags; repeatable
    #[arg(short, long = "tag", value_name = "TAG,...", value_delimiter = ',', value_parser = tag)]
    tags: Vec<String>,
    /// Type: fact, decision, preference, event, person, project, …
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Tier: core, working, archival, forgotten
    #[arg(long, value_parser = tier)]
    tier: Option<Tier>,
    /// Space (project)
    #[arg(long)]
    space: Option<String>,
    /// Never let a job move it to another space
    #[arg(long, requires = "space")]
    lock_space: bool,
    /// Date, if not now: 2026-01-31 or 2026-01-31T12:00:00Z
    #[arg(long, value_name = "DATE", value_parser = date)]
    created: Option<String>,
    /// Confidence, 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = share)]
    confidence: Option<f64>,
    /// Importance, 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = share)]
    importance: Option<f64>,
    /// Date until which it is valid
    #[arg(long, value_name = "DATE", value_parser = date)]
    valid_until: Option<String>,
    /// Never merge, demote or forget it
    #[arg(long)]
    keep: bool,
    /// Where it came from
    #[arg(long)]
    source: Option<String>,
    /// Relation to another note, like `evolved_from="Chose SQLite"`; repeatable
    #[arg(long = "relation", value_name = "RELATION=NOTE", value_parser = pair)]
    relations: Vec<(String, String)>,
    /// Any other property; repeatable
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = pair)]
    properties: Vec<(String, String)>,
    /// Folder [default: setting `remember.folder`]
    #[arg(long = "in", value_name = "FOLDER")]
    folder: Option<String>,
    /// Author; notes of agents can be maintained unattended
    #[arg(long, value_name = "NAME", env = "MEM_BY", default_value = "mem")]
    by: String,
}

#[derive(Debug, Serialize)]
struct Record {
    path: String,
    id: Option<String>,
    title: String,
    /// False if the text was remembered before.
    created: bool,
    #[serde(flatten)]
    noticed: Noticed,
}

/// How long a title made of the first words may be.
const TITLE: usize = 60;

/// Writes the note.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let session = env.open()?;
    let (body, by_hand) = text(env, args)?;
    if body.trim().is_empty() {
        return Err(Error::new("nothing to remember: the text is empty"));
    }
    let cache = session.fresh_cache()?;
    let view = session.view(&cache)?;
    let id = Ulid::from_parts(
        env.now.timestamp().as_millisecond().max(0) as u64,
        xxh3_128_with_seed(body.as_bytes(), env.seed),
    );
    let title = title(args, &body);
    let mut properties = properties(env, args, &view, id, &title, by_hand)?;
    let given = Given::of(args, &properties);
    for entry in same_text(&view, &body)? {
        let details = view.details(entry.slot)?;
        if given.is_said_by(
            &details.title,
            &details.aliases,
            &details.tags,
            &details.properties(),
        ) {
            return show_known(env, &entry.path, details.id, details.title);
        }
    }
    let noticed = Noticed::of(&session, &cache, &view, &new_note(&properties, &body));
    let noticed = noticed.unwrap_or_else(|error| {
        // What it is near to is worth a word, no failure.
        let why = Error::from(error);
        let why = why.message();
        env.output
            .warn(&format!("cannot look for similar notes: {why}"));
        Noticed::default()
    });
    let is_linked = session.settings.of::<RememberOptions>().link == LinkNew::On;
    if is_linked {
        relate(&mut properties, &noticed);
    }
    let text = seal::reseal(&new_note(&properties, &body));
    let folder = folder(args, &session)?;
    let (path, run) = match write(&session, &view, folder.as_ref(), &title, &text, &given)? {
        Written::New(path, run) => (path, run),
        Written::Known(path, known) => {
            let id = note::text_of(&known.properties, "id");
            return show_known(env, &path, id, known.title);
        }
    };
    drop(view);
    drop(cache);
    take_in(&session, std::slice::from_ref(&path));
    if let Some(run) = run.filter(|_| is_linked) {
        let origins = origins(env, &noticed, (&path, &body), &run);
        keep_origins(&session, &origins);
    }
    if env.output.form == Form::Human {
        noticed.tell(&env.output, path.as_str(), is_linked);
    }
    show(
        env,
        &Record {
            path: path.to_string(),
            id: Some(id.to_string()),
            title,
            created: true,
            noticed,
        },
    )
}

/// States in the new note what it belongs to.
fn relate(properties: &mut Vec<(String, Value)>, noticed: &Noticed) {
    let key = Relation::RelatedTo.name();
    let links = noticed.related.iter();
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
    noticed: &Noticed,
    (path, body): (&VaultPath, &str),
    run: &RunId,
) -> Vec<Origin> {
    let origin = |near: &NearNote| Origin {
        from: path.to_string(),
        relation: Relation::RelatedTo,
        to: near.path().to_string(),
        weight: (near.weight * 1000.0).round() / 1000.0,
        reason: near.reason(),
        by: "remember".to_owned(),
        at: env.now.timestamp(),
        run: run.to_string(),
        bodies: [hash::normal_hash(body), near.body].map(BodyHash),
    };
    noticed.related.iter().map(origin).collect()
}

/// Shows the note that says the same.
fn show_known(
    env: &Environment,
    path: &VaultPath,
    id: Option<String>,
    title: String,
) -> Result<Exit, Error> {
    env.output
        .say("a note with this text already exists; nothing was written");
    show(
        env,
        &Record {
            path: path.to_string(),
            id,
            title,
            created: false,
            noticed: Noticed::default(),
        },
    )
}

fn show(env: &Environment, record: &Record) -> Result<Exit, Error> {
    let output = &env.output;
    if output.form == Form::Human {
        let path = output.paint(Style::Place, &record.path);
        output.line(&match &record.id {
            Some(id) => format!("{path}\t{}", output.clean(id)),
            None => path,
        })?;
    } else {
        output.record(record)?;
    }
    Ok(Exit::Done)
}

/// The text, and whether a person typed it in an editor just now.
fn text(env: &Environment, args: &Args) -> Result<(String, bool), Error> {
    let written = args.text.join(" ");
    let stdin_is_terminal = std::io::IsTerminal::is_terminal(&std::io::stdin());
    let text = if written == "-" {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .map_err(|error| Error::io("read", Path::new("stdin"), &error))?;
        text
    } else if !written.trim().is_empty() {
        written
    } else if stdin_is_terminal && env.output.stderr_is_terminal {
        return Ok((from_editor(args)?, true));
    } else {
        return Err(Error::new("nothing to remember")
            .hint("`mem remember TEXT`, or `mem remember -` to read stdin"));
    };
    let text = text.replace("\r\n", "\n");
    Ok((text.trim_matches('\n').to_owned() + "\n", false))
}

fn from_editor(args: &Args) -> Result<String, Error> {
    let file = tempfile::Builder::new()
        .prefix("remember-")
        .suffix(".md")
        .tempfile()
        .map_err(|error| Error::io("create a file in", &std::env::temp_dir(), &error))?;
    if let Some(title) = &args.title {
        std::fs::write(file.path(), format!("# {title}\n\n"))
            .map_err(|error| Error::io("write", file.path(), &error))?;
    }
    let status = editor::open(&[file.path().to_owned()])?;
    if !status.success() {
        return Err(Error::new(format!(
            "`{}` ended with {status}; nothing was remembered",
            editor::name()
        )));
    }
    let text = std::fs::read_to_string(file.path())
        .map_err(|error| Error::io("read", file.path(), &error))?;
    Ok(text.trim_matches('\n').to_owned() + "\n")
}

/// The notes with the same text.
fn same_text(view: &View<'_>, body: &str) -> Result<Vec<Entry>, Error> {
    let hash = hash::normal_hash(body);
    let mut same = Vec::new();
    for slot in view.reading().find(Key::body(hash))? {
        same.extend(view.entry(slot)?.filter(|entry| entry.row.body == hash));
    }
    Ok(same)
}

/// What was said of a text beside it: a note that does not say so does not make it known.
struct Given<'a> {
    title: Option<&'a str>,
    properties: Vec<(String, Value)>,
}

impl<'a> Given<'a> {
    /// Takes what the user gave out of the properties of the new note.
    fn of(args: &'a Args, properties: &[(String, Value)]) -> Self {
        let is_given = |key: &str| match key {
            "id" | "mem" | "title" => false,
            "created" => args.created.is_some(),
            _ => true,
        };
        let given = properties.iter().filter(|(key, _)| is_given(key));
        Self {
            title: args.title.as_deref().map(str::trim),
            properties: given.cloned().collect(),
        }
    }

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
                let known = properties.get(key).and_then(Value::as_array);
                known.is_some_and(|known| given.iter().all(|given| known.contains(given)))
            }
            (key, given) => properties.get(key) == Some(given),
        };
        self.title.is_none_or(is_named) && self.properties.iter().all(says)
    }
}

/// The title: given, or the first heading, or the first words up to a word's end.
fn title(args: &Args, body: &str) -> String {
    if let Some(title) = &args.title {
        return title.trim().to_owned();
    }
    let read = note::read(body, "");
    if !read.title.is_empty() {
        return read.title;
    }
    let line = body
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    let words = line.trim_start_matches(['#', '-', '*', '>', ' ']).trim();
    if words.chars().count() <= TITLE {
        return words.trim_end_matches('.').to_owned();
    }
    let mut title = String::new();
    for word in words.split_whitespace() {
        if title.chars().count() + word.chars().count() >= TITLE {
            break;
        }
        if !title.is_empty() {
            title.push(' ');
        }
        title.push_str(word);
    }
    if title.is_empty() {
        title = words.chars().take(TITLE - 1).collect();
    }
    title.push('…');
    title
}

fn properties(
    env: &Environment,
    args: &Args,
    view: &View<'_>,
    id: Ulid,
    title: &str,
    by_hand: bool,
) -> Result<Vec<(String, Value)>, Error> {
    let now = env
        .now
        .with_time_zone(TimeZone::UTC)
        .strftime("%Y-%m-%dT%H:%M:%SZ");
    let mut properties: Vec<(String, Value)> = Vec::new();
    let mut add = |key: &str, value: Value| properties.push((key.to_owned(), value));
    add("id", id.to_string().into());
    add("title", title.into());
    if let Some(kind) = &args.kind {
        add("type", kind.as_str().into());
    }
    if let Some(tier) = args.tier.filter(|tier| *tier != Tier::Working) {
        add("tier", tier.name().into());
    }
    if let Some(space) = &args.space {
        add("space", space.as_str().into());
    }
    if args.lock_space {
        add("space_locked", true.into());
    }
    if !args.tags.is_empty() {
        add("tags", args.tags.clone().into());
    }
    if !args.aliases.is_empty() {
        add("aliases", args.aliases.clone().into());
    }
    add(
        "created",
        args.created
            .clone()
            .unwrap_or_else(|| now.to_string())
            .into(),
    );
    for (key, share) in [
        ("confidence", args.confidence),
        ("importance", args.importance),
    ] {
        if let Some(share) = share {
            add(key, share.into());
        }
    }
    if let Some(end) = &args.valid_until {
        add("valid_until", end.as_str().into());
    }
    if args.keep {
        add("keep", true.into());
    }
    if let Some(source) = &args.source {
        add("source", source.as_str().into());
    }
    let mut relations: Map<String, Value> = Map::new();
    for (relation, name) in &args.relations {
        if Relation::named(relation).is_none() {
            let names: Vec<&str> = Relation::all().map(Relation::name).collect();
            return Err(Error::new(format!("unknown relation `{relation}`"))
                .hint(format!("known relations: {}", names.join(", "))));
        }
        let target = find_note(env, view, name)?;
        let link = format!("[[{}]]", view.wikilink_target(&target)?);
        let links = relations
            .entry(relation.clone())
            .or_insert_with(|| json!([]));
        if let Value::Array(links) = links {
            links.push(link.into());
        }
    }
    for (relation, links) in relations {
        add(&relation, links);
    }
    for (key, value) in &args.properties {
        if properties.iter().any(|(known, _)| known == key) || key == "mem" {
            return Err(Error::new(format!(
                "`--set {key}=…` is set by another flag or by mem"
            )));
        }
        properties.push((key.clone(), property_value::value(value)));
    }
    if !by_hand {
        properties.push((
            "mem".to_owned(),
            json!({"by": args.by, "seal": "0000000000000000"}),
        ));
    }
    Ok(properties)
}

fn folder(args: &Args, session: &Session) -> Result<Option<VaultPath>, Error> {
    match &args.folder {
        None => Ok(session.settings.of::<RememberOptions>().folder.0),
        Some(folder) if matches!(folder.trim_matches('/'), "" | ".") => Ok(None),
        // The setting may begin with a slash; on the command line `/tmp` is outside the vault.
        Some(folder) => VaultPath::new(folder)
            .map(Some)
            .map_err(|error| Error::new(error.to_string()).hint("name a folder inside the vault")),
    }
}

/// What became of a text.
enum Written {
    /// It is a note now, by this run.
    New(VaultPath, Option<RunId>),
    /// This note says it already.
    Known(VaultPath, Box<Note>),
}

/// Writes the note under the first name made of its title that is free.
fn write(
    session: &Session,
    view: &View<'_>,
    folder: Option<&VaultPath>,
    title: &str,
    text: &str,
    given: &Given<'_>,
) -> Result<Written, Error> {
    let slug = slug(title);
    for number in 1.. {
        let mut name = folder
            .map(|folder| format!("{folder}/"))
            .unwrap_or_default();
        name.push_str(&slug);
        if number > 1 {
            let _ = write!(name, "-{number}");
        }
        name.push_str(".md");
        let path = VaultPath::new(&name)
            .map_err(|error| Error::new(error.to_string()).hint("give it another `--title`"))?;
        if session.vault.absolute(&path).symlink_metadata().is_ok() {
            if let Some(known) = says_the_same(session, &path, text, given) {
                return Ok(Written::Known(path, Box::new(known)));
            }
            continue;
        }
        let create = Act::Create {
            path: path.clone(),
            text: text.to_owned(),
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
                if let Some(known) = says_the_same(session, &path, text, given) {
                    return Ok(Written::Known(path, Box::new(known)));
                }
            }
            Some(Outcome::Dropped { reason, .. }) => {
                return Err(Error::new(format!("cannot write `{path}`: {reason}")));
            }
            _ => return Ok(Written::New(path, report.run)),
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
    let hash = |text: &str, note: &Note| hash::normal_hash(&text[note.body.clone()]);
    let is_same = hash(&there, &known) == hash(text, &new)
        && given.is_said_by(&known.title, &known.aliases, &known.tags, &known.properties);
    is_same.then_some(known)
}

/// A file name made of a title: lower-case words with hyphens, at most 60 bytes.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            if slug.len() + c.len_utf8() > 60 {
                break;
            }
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') && !matches!(c, '\'' | '’') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() {
        "note".to_owned()
    } else {
        slug.to_owned()
    }
}

fn tier(text: &str) -> Result<Tier, String> {
    Tier::named(text).ok_or_else(|| "known tiers: core, working, archival, forgotten".to_owned())
}

pub(super) fn date(text: &str) -> Result<String, String> {
    match moment(text) {
        Some(_) => Ok(text.trim().to_owned()),
        None => Err("expected a time like 2026-01-31 or 2026-01-31T12:00:00Z".to_owned()),
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("expected a number from 0 to 1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs() {
        for (title, expected) in [
            ("Green tea", "green-tea"),
            ("Don't panic!", "dont-panic"),
            ("  --  ", "note"),
            ("緑茶の淹れ方", "緑茶の淹れ方"),
            ("a/b: c", "a-b-c"),
            ("../../etc/passwd", "etc-passwd"),
        ] {
            assert_eq!(slug(title), expected);
        }
        assert!(slug(&"word ".repeat(40)).len() <= 60);
    }
}
