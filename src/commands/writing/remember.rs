//! `mem remember`

use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::{Map, Value, json};
use ulid::Ulid;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::from_template::{self, Wanted};
use crate::cache::row::Flags;
use crate::commands::args::given_text::{AUTHOR, GivenText};
use crate::commands::args::note_lookup::find_note;
use crate::commands::args::property_value;
use crate::commands::args::property_value::{date, new_tag, number_in, pair};
use crate::error::{Error, Exit};
use crate::finding::trigger::Trigger;
use crate::note::front_matter::relation::Relation;
use crate::note::front_matter::seal;
use crate::note::names::title::title_of;
use crate::note::path::VaultPath;
use crate::output::{Form, Output, shell_word};
use crate::run::remember::asked::Asked;
use crate::run::remember::nearby::{NearNote, Nearby};
use crate::run::remember::options::RememberOptions;
use crate::run::remember::{EarlierNote, EarlierState, Given, NewNote, Remembered, remember};
use crate::run::sleep::rule_turns::start_behind;
use crate::session::{Environment, Session};
use crate::signals::tier::Tier;
use crate::view::{Entry, View};

/// Save a text as a new note
///
/// The text comes from the arguments, from stdin or from your editor. Prints the note's path; --json adds its id. What
/// you type is yours: no job changes it unasked. What is piped, or has an author, mem maintains.
///
/// A text that a note already states is not saved twice, unless you give it a title, a tag or another property that
/// the note does not have. Said again on a later day, it gives that note the later date; the earlier date joins the
/// note's list `merged`. An event (`--type event`) of another day is a note of its own, and so is a text whose only
/// notes were replaced, have expired or are forgotten.
#[derive(Debug, Default, clap::Args)]
pub struct Args {
    /// The text; `-` reads stdin, as does what is piped; without, your editor opens
    text: Vec<String>,
    /// Title [default: the first heading or the first words; with --template, TEXT]
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Begin with this template; with --title, TEXT stands at its `{{cursor}}`
    #[arg(long, value_name = "TEMPLATE")]
    pub(crate) template: Option<String>,
    /// Alias; repeatable
    #[arg(long = "alias", value_name = "NAME")]
    aliases: Vec<String>,
    /// Tags; repeatable
    #[arg(short, long = "tag", value_name = "TAG,...", value_delimiter = ',', value_parser = new_tag)]
    pub(crate) tags: Vec<String>,
    /// Type: fact, decision, preference, event, person, project, …
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
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
    #[arg(long, value_name = "SHARE", value_parser = number_in(0.0..=1.0))]
    confidence: Option<f64>,
    /// Importance, 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = number_in(0.0..=1.0))]
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
    pub(crate) folder: Option<String>,
    /// Author; an agent's notes are maintained unattended [default: you at a terminal, else `mem`]
    #[arg(long, value_name = "NAME", env = AUTHOR)]
    by: Option<String>,
}

#[derive(Debug, Serialize)]
struct Record {
    path: String,
    id: Option<String>,
    title: String,
    /// False if the text was remembered before.
    created: bool,
    #[serde(flatten)]
    asked: Asked,
    /// Notes that it belongs to, if that is asked for.
    related: Vec<NearNote>,
    /// Notes with this text that hold no more; where there are some, those that hold, too.
    earlier: Vec<EarlierNote>,
    /// The date of a note that got a later one.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_date: Option<String>,
}

/// Writes the note.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let session = env.open()?;
    if let Some(template) = &args.template {
        return begin_with(&session, args, template);
    }
    let given = text(env, args)?;
    if given.text.trim().is_empty() {
        return Err(if given.from_editor {
            Error::new("nothing was saved in the editor; no note was written")
        } else {
            Error::new("nothing to remember: the text is empty")
                .hint("give a text, pipe what a program prints, or give nothing for your editor")
        });
    }
    given.or_keep(write(&session, args, &given))
}

fn write(session: &Session, args: &Args, typed: &GivenText) -> Result<Exit, Error> {
    let env = &session.env;
    let body = typed.text.replace("\r\n", "\n");
    let body = body.trim_matches('\n').to_owned() + "\n";
    let cache = session.fresh_cache()?;
    let view = session.view(&cache)?;
    let id = Ulid::from_parts(
        env.now.timestamp().as_millisecond().max(0) as u64,
        xxh3_128_with_seed(body.as_bytes(), env.seed),
    );
    let title = match &args.title {
        Some(title) => title.trim().to_owned(),
        None => title_of(&body),
    };
    let properties = properties(env, args, &view, id, &title, typed.by_hand)?;
    drop(view);
    let new = NewNote {
        title: title.clone(),
        given: given(args, &properties),
        folder: folder(args, session)?,
        properties,
        body,
    };
    let mut undo = None;
    let record = match remember(session, cache, new)? {
        Remembered::New {
            path,
            nearby,
            asked,
            earlier,
            is_linked,
            run,
        } => {
            undo = run.filter(|_| typed.by_hand);
            if env.output.form == Form::Human {
                show_earlier(&env.output, &earlier);
                show_near(&env.output, &asked, &nearby, path.as_str(), is_linked);
            }
            Record {
                path: path.to_string(),
                id: Some(id.to_string()),
                title,
                created: true,
                asked,
                related: nearby.related,
                earlier,
                previous_date: None,
            }
        }
        Remembered::Known {
            path,
            id,
            title,
            restated,
        } => {
            let (asked, previous_date) = match restated {
                None => {
                    env.output
                        .say("a note with this text already exists; nothing was written");
                    (Asked::default(), None)
                }
                Some(restated) => {
                    let date = &restated.previous_date;
                    env.output.say(&format!(
                        "a note with this text already exists; its date was {date}, and is now that of \
                         this statement"
                    ));
                    undo = restated.run.filter(|_| typed.by_hand);
                    if env.output.form == Form::Human {
                        let nearby = Nearby::default();
                        show_near(&env.output, &restated.asked, &nearby, path.as_str(), false);
                    }
                    (restated.asked, Some(restated.previous_date))
                }
            };
            Record {
                path: path.to_string(),
                id,
                title,
                created: false,
                asked,
                related: Vec::new(),
                earlier: Vec::new(),
                previous_date,
            }
        }
    };
    let is_new = record.created;
    let shown = show(env, &record);
    if let Some(run) = undo {
        env.output.hint_undo(run.as_str());
    }
    if is_new {
        start_behind(session, Trigger::Ingest);
    }
    shown
}

/// Makes a note from a template, with what the flags say.
fn begin_with(session: &Session, args: &Args, template: &str) -> Result<Exit, Error> {
    let env = &session.env;
    let (title, text) = match &args.title {
        Some(title) if args.text.is_empty() => (title.trim().to_owned(), String::new()),
        Some(title) => (title.trim().to_owned(), text(env, args)?.text),
        None => (args.text.join(" ").trim().to_owned(), String::new()),
    };
    if title.is_empty() {
        return Err(Error::new("a note from a template needs a title")
            .hint(format!("`mem remember --template {template} TITLE`")));
    }
    let cache = session.fresh_cache()?;
    let view = session.view(&cache)?;
    let mut properties = properties(env, args, &view, Ulid::default(), &title, true)?;
    properties.retain(|(key, _)| is_given(args, key));
    let folder = folder(args, session)?;
    let folder = folder.map_or_else(String::new, |folder| format!("{folder}/"));
    let name = view.naming(&folder)?.name(&title, 1);
    let path = VaultPath::new(&format!("{folder}{name}.md"))?;
    drop(view);
    drop(cache);
    let wanted = Wanted {
        path,
        title,
        text,
        properties,
    };
    from_template::run(session, template, wanted)
}

/// Whether the user gave a property of a new note; all notes have some.
fn is_given(args: &Args, key: &str) -> bool {
    match key {
        "id" | "mem" | "title" => false,
        "created" => args.created.is_some(),
        _ => true,
    }
}

/// Takes what the user gave out of the properties of the new note.
fn given<'a>(args: &'a Args, properties: &[(String, Value)]) -> Given<'a> {
    let given = properties.iter().filter(|(key, _)| is_given(args, key));
    Given {
        title: args.title.as_deref().map(str::trim),
        properties: given.cloned().collect(),
    }
}

/// Names the notes with the same text that hold no more.
fn show_earlier(output: &Output, earlier: &[EarlierNote]) {
    for note in earlier {
        let path = &note.path;
        let why = match (&note.replaced_by, note.state) {
            (Some(newer), _) => format!("was replaced by `{newer}`"),
            (None, EarlierState::Standing) => {
                output.say(&format!("`{path}` has this text, too"));
                continue;
            }
            (None, EarlierState::Forgotten) => "is forgotten".to_owned(),
            (None, _) => "has expired".to_owned(),
        };
        output.say(&format!(
            "an older note with this text, `{path}`, {why}; written as a new statement"
        ));
    }
}

/// Tells a person, a line for each; `is_linked` if the new note states what it belongs to.
fn show_near(output: &Output, asked: &Asked, nearby: &Nearby, path: &str, is_linked: bool) {
    for near in &asked.near {
        let (path, reason) = (&near.path, &near.reason);
        output.say(&format!("`{path}` says nearly the same ({reason})"));
    }
    for near in &asked.conflicts {
        let (path, reason) = (&near.path, &near.reason);
        output.say(&format!("`{path}` may contradict it ({reason})"));
    }
    for near in &nearby.related {
        let (path, reason) = (&near.path, near.reason());
        let how = if is_linked {
            "is now related to it"
        } else {
            "may be related"
        };
        output.say(&format!("`{path}` {how} ({reason})"));
    }
    for (job, near) in [("dedupe", &asked.near), ("conflicts", &asked.conflicts)] {
        if !near.is_empty() {
            output.hint(&format!("settle it with `mem {job} {}`", shell_word(path)));
        }
    }
}

fn show(env: &Environment, record: &Record) -> Result<Exit, Error> {
    let output = &env.output;
    if output.form == Form::Human {
        output.line(&output.place(&record.path))?;
    } else {
        output.record(record)?;
    }
    Ok(Exit::Done)
}

/// Takes the text that the note is to have.
fn text(env: &Environment, args: &Args) -> Result<GivenText, Error> {
    let title = args.title.as_ref();
    let begun = title.map(|title| format!("# {title}\n\n"));
    let author = args.by.as_deref();
    GivenText::take(env, &args.text, &begun.unwrap_or_default(), author)
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
        let Some(relation) = Relation::named(relation) else {
            let names: Vec<&str> = Relation::all().map(Relation::name).collect();
            return Err(Error::new(format!("unknown relation `{relation}`"))
                .hint(format!("known relations: {}", names.join(", "))));
        };
        let target = find_note(env, view, name)?;
        if relation == Relation::EvolvedFrom && target.row.flags.has(Flags::KEEP) {
            replaces_kept(&env.output, &target, by_hand)?;
        }
        let link = format!("[[{}]]", view.wikilink_target(&target)?);
        let links = relations
            .entry(relation.name())
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
            return Err(
                Error::new(format!("`--set {key}=…` is set by another flag or by mem"))
                    .hint("`mem remember --help` lists the flags"),
            );
        }
        properties.push((key.clone(), property_value::value(value)));
    }
    if !by_hand {
        properties.push(seal::unsealed(args.by.as_deref().unwrap_or("mem")));
    }
    Ok(properties)
}

/// Refuses to replace a note with `keep: true`, or says so to a person, who may.
fn replaces_kept(output: &Output, older: &Entry, by_hand: bool) -> Result<(), Error> {
    let path = &older.path;
    let kept = format!("`{path}` is marked `keep: true`");
    let release = format!("mem edit --no-keep {}", shell_word(path.as_str()));
    if !by_hand {
        return Err(
            Error::new(format!("{kept} and cannot be replaced")).hint(format!(
                "use `--relation contradicts=…`, or `{release}` first"
            )),
        );
    }
    output.warn(&format!(
        "{kept}; recall answers with the new note in its place"
    ));
    Ok(())
}

fn folder(args: &Args, session: &Session) -> Result<Option<VaultPath>, Error> {
    match &args.folder {
        None => Ok(session.settings.of::<RememberOptions>().folder.0),
        Some(folder) if matches!(folder.trim_matches('/'), "" | ".") => Ok(None),
        // The setting may begin with a slash; on the command line `/tmp` is outside the vault.
        Some(folder) => VaultPath::new(folder)
            .map(Some)
            .map_err(|error| Error::from(error).hint("name a folder inside the vault")),
    }
}

fn tier(text: &str) -> Result<Tier, String> {
    Tier::named(text).ok_or_else(|| "known tiers: core, working, archival, forgotten".to_owned())
}
