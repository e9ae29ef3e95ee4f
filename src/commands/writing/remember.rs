//! `mem remember`

use ulid::Ulid;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::from_template::{self, TemplateRequest};
use crate::commands::args::property_value::{self, date, pair};
use crate::commands::args::text_input::AUTHOR;
use crate::commands::prelude::*;
use crate::note::front_matter::seal;
use crate::note::title_of;
use crate::run::remember::batch::BatchNote;
use crate::run::remember::findings::{NoteFindings, RelatedFinding};
use crate::run::remember::options::RememberOptions;
use crate::run::remember::{EarlierState, GivenMetadata, NewNote, RememberedNote, remember};
use crate::signals::dates::moment;

#[derive(Clone, Debug, Default, clap::Args)]
pub struct RememberRequest {
    #[arg(skip)]
    pub text: String,
    /// Whether a person typed the text; jobs do not change such notes unasked.
    #[arg(skip)]
    pub by_hand: bool,
    /// The id; otherwise it is made from time and text.
    #[arg(skip)]
    pub id: Option<String>,
    /// Title [default: the first heading or the first words; with --template, TEXT]
    #[arg(long)]
    pub title: Option<String>,
    /// Begin with this template; with --title, TEXT replaces its `{{cursor}}`
    #[arg(long, value_name = "TEMPLATE")]
    pub template: Option<String>,
    /// Alias; repeatable
    #[arg(long = "alias", value_name = "NAME")]
    pub aliases: Vec<String>,
    /// Tags; repeatable
    #[arg(short, long = "tag", value_name = "TAG,...", value_delimiter = ',', value_parser = new_tag)]
    pub tags: Vec<String>,
    /// Type: fact, decision, preference, event, person, project, …
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
    /// Tier: core, working, archival, forgotten
    #[arg(long, value_parser = tier)]
    pub tier: Option<Tier>,
    /// Space (project)
    #[arg(long)]
    pub space: Option<String>,
    /// Prevent jobs from moving it to another space
    #[arg(long, requires = "space")]
    pub lock_space: bool,
    /// Date, if not now: 2026-01-31 or 2026-01-31T12:00:00Z
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub created: Option<String>,
    /// Confidence, 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = number_in(0.0..=1.0))]
    pub confidence: Option<f64>,
    /// Importance, 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = number_in(0.0..=1.0))]
    pub importance: Option<f64>,
    /// Date from which it is valid; searches leave it out before
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub valid_from: Option<String>,
    /// Date until which it is valid
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub valid_until: Option<String>,
    /// Never merge, demote or forget it
    #[arg(long)]
    pub keep: bool,
    /// Where it came from
    #[arg(long)]
    pub source: Option<String>,
    /// The outdated note that this one replaces, which recall then leaves out; repeatable
    #[arg(long, value_name = "NOTE")]
    pub replaces: Vec<String>,
    /// The wrong note that this one corrects; replaces it and adds the property `corrects`; repeatable
    #[arg(long, value_name = "NOTE")]
    pub corrects: Vec<String>,
    /// Relation to another note, like `evolved_from="Chose SQLite"`; repeatable
    #[arg(long = "relation", value_name = "RELATION=NOTE", value_parser = pair)]
    pub relations: Vec<(String, String)>,
    /// Any other property; repeatable
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = pair)]
    pub properties: Vec<(String, String)>,
    /// Folder [default: setting `remember.folder`]
    #[arg(long = "in", value_name = "FOLDER")]
    pub folder: Option<String>,
    /// Author; an agent's notes are maintained unattended [default: you at a terminal, else `mem`]
    #[arg(long, value_name = "NAME", env = AUTHOR)]
    pub by: Option<String>,
    #[command(flatten)]
    pub secrets: SecretCheck,
}

impl RememberRequest {
    /// Creates a note from a template with the properties of the flags.
    fn begin_with(&self, session: &Session, template: &str) -> Result<NotePath> {
        let title = self.title.as_deref().unwrap_or_default().trim().to_owned();
        if title.is_empty() {
            return Err(Error::new("a note from a template needs a title")
                .hint(format!("`mem remember --template {template} TITLE`")));
        }
        let (cache, view) = session.fresh_view()?;
        let env = &session.env;
        let mut properties = self.properties(env, &view, Ulid::default(), &title, true, &[])?;
        properties.retain(|(key, _)| self.is_given(key));
        self.secrets.check("the text", &self.text)?;
        let chosen = self.folder(session)?;
        let folder = chosen.map_or_else(String::new, |folder| format!("{folder}/"));
        let name = view.naming(&folder)?.name(&title, 1);
        let path = VaultPath::new(&format!("{folder}{name}.md"))?;
        drop(view);
        drop(cache);
        let wanted = TemplateRequest {
            path,
            title,
            text: self.text.clone(),
            properties,
        };
        from_template::make(session, template, wanted)
    }
}

impl Request for RememberRequest {
    type Reply<'s> = Either<RememberedNote, NotePath>;

    fn answer(&self, session: &Session) -> Result<Self::Reply<'_>> {
        let env = &session.env;
        if let Some(template) = &self.template {
            return self.begin_with(session, template).map(Either::Right);
        }
        let (cache, view) = session.fresh_view()?;
        let new = self.new_note(session, &view, &mut BTreeSet::new(), &[])?;
        drop(view);
        let mut note = remember(session, cache, new)?;
        if note.created {
            start_in_background(session, RuleEvent::Ingest);
        } else {
            let previous = note.previous_date.as_ref();
            let date = previous.map_or("nothing was written".to_owned(), |date| {
                format!("updated its date from {date}")
            });
            let output = &env.output;
            output.say(&format!("a note with this text already exists; {date}"));
        }
        // On the command line an agent finds the run in `mem history`; another surface reports it.
        note.run = note
            .run
            .filter(|_| self.by_hand || env.output.is_buffered());
        Ok(Either::Left(note))
    }
}

/// Prints the path of a saved note and the best question about it, which is enough: most notes replace one note.
pub(super) fn show_saved(page: &Page<'_>, path: &VaultPath, conflicts: &[RelatedFinding]) {
    page.line(&page.place(path.as_str()));
    let Some(best) = conflicts.first() else {
        return;
    };
    let RelatedFinding {
        question,
        reason,
        command,
        ..
    } = best;
    page.line(&format!("{question} ({reason}) Yes: {command}"));
    let more = conflicts.len() - 1;
    if more > 0 {
        page.hint(&format!("{more} more: `mem review --all --kind conflict`"));
    }
}

impl Reply for RememberedNote {
    fn show(&self, page: &Page<'_>) {
        for note in &self.earlier {
            let path = &note.path;
            let why = match (&note.replaced_by, note.state) {
                (Some(newer), _) => format!("was replaced by `{newer}`"),
                (None, EarlierState::Standing) => {
                    page.say(&format!("`{path}` has this text, too"));
                    continue;
                }
                (None, EarlierState::Forgotten) => "is forgotten".to_owned(),
                (None, EarlierState::Upcoming) => "is not valid yet".to_owned(),
                (None, _) => "has expired".to_owned(),
            };
            page.say(&format!(
                "an older note with this text, `{path}`, {why}; written as a new statement"
            ));
        }
        let NoteFindings { near, conflicts } = &self.asked;
        for RelatedFinding { path, reason, .. } in near {
            page.say(&format!("`{path}` is nearly the same ({reason})"));
        }
        if !near.is_empty() {
            let path = shell_word(self.path.as_str());
            page.hint(&format!("resolve it with `mem dedupe {path}`"));
        }
        show_saved(page, &self.path, conflicts);
    }

    fn messages(&self) -> Vec<Message> {
        let run = self.run.iter();
        run.map(|run| Message::undo(run.as_str())).collect()
    }
}

impl RememberRequest {
    /// Whether the user gave this property; some are set for every note.
    fn is_given(&self, key: &str) -> bool {
        match key {
            "id" | "mem" | "title" => false,
            "created" => self.created.is_some(),
            _ => true,
        }
    }

    /// Returns the note to write, with an id that is not in `taken`, and adds the id. It can name notes of `earlier` lines.
    pub(super) fn new_note(
        &self,
        session: &Session,
        view: &View<'_>,
        taken: &mut BTreeSet<Ulid>,
        earlier: &[Result<BatchNote, String>],
    ) -> Result<NewNote<'_>> {
        let env = &session.env;
        let text = self.text.replace("\r\n", "\n");
        let body = text.trim_matches('\n').to_owned() + "\n";
        let now = env.now.timestamp().as_millisecond().max(0) as u64;
        let hash = |seed| xxh3_128_with_seed(body.as_bytes(), env.seed.wrapping_add(seed));
        // Ids in the order of a batch tell which of two statements of one second is newer.
        let next = taken.last().and_then(|last| last.increment().ok());
        let mut id = next.unwrap_or_else(|| Ulid::from_parts(now, hash(0)));
        // The same text at the same time has the same hash.
        while !taken.insert(id) || !view.namesakes(&id.to_string())?.is_empty() {
            id = Ulid::from_parts(now, hash(taken.len() as u64));
        }
        let title = match &self.title {
            Some(title) => title.trim().to_owned(),
            None => title_of(&body),
        };
        let properties = self.properties(env, view, id, &title, self.by_hand, earlier)?;
        let validity = self.valid_from.as_deref().zip(self.valid_until.as_deref());
        if let Some((from, until)) = validity
            && moment(from) > moment(until)
        {
            let message = format!("it would never be valid: from {from} until {until}");
            return Err(Error::new(message).hint("`--valid-until` is the later date"));
        }
        self.secrets.check("the text", &body)?;
        for (key, value) in &properties {
            let text = format!("{key}: {value}");
            self.secrets.check(&format!("`{key}`"), &text)?;
        }
        let given = properties.iter().filter(|(key, _)| self.is_given(key));
        Ok(NewNote {
            title,
            given: GivenMetadata {
                title: self.title.as_deref().map(str::trim),
                properties: given.cloned().collect(),
            },
            folder: self.folder(session)?,
            properties,
            body,
        })
    }

    fn properties(
        &self,
        env: &Environment,
        view: &View<'_>,
        id: Ulid,
        title: &str,
        by_hand: bool,
        earlier: &[Result<BatchNote, String>],
    ) -> Result<Vec<(String, Value)>> {
        let now = env.now.timestamp().strftime("%Y-%m-%dT%H:%M:%SZ");
        let id = self.id.clone().unwrap_or_else(|| id.to_string());
        let created = self.created.clone().unwrap_or_else(|| now.to_string());
        let tier = self.tier.filter(|tier| *tier != Tier::Working);
        let text = |text: &Option<String>| text.as_deref().map(Value::from);
        let list = |list: &[String]| (!list.is_empty()).then(|| list.into());
        let given = [
            ("id", Some(id.into())),
            ("title", Some(title.into())),
            ("type", text(&self.kind)),
            ("tier", tier.map(|tier| tier.name().into())),
            ("space", text(&self.space)),
            ("space_locked", self.lock_space.then(|| true.into())),
            ("tags", list(&self.tags)),
            ("aliases", list(&self.aliases)),
            ("created", Some(created.into())),
            ("confidence", self.confidence.map(Value::from)),
            ("importance", self.importance.map(Value::from)),
            ("valid_from", text(&self.valid_from)),
            ("valid_until", text(&self.valid_until)),
            ("keep", self.keep.then(|| true.into())),
            ("source", text(&self.source)),
        ]
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)));
        let mut properties: Vec<(String, Value)> = given.collect();
        let mut add = |key: &str, value: Value| properties.push((key.to_owned(), value));
        let mut relations: Map<String, Value> = Map::new();
        let pairs = self.relations.iter();
        let stated = pairs.map(|(relation, name)| (relation.as_str(), name));
        let targets = self.replaces.iter().chain(&self.corrects);
        let replaced = targets.map(|name| (Relation::EvolvedFrom.name(), name));
        for (relation, name) in stated.chain(replaced) {
            let Some(relation) = Relation::named(relation) else {
                let names: Vec<&str> = Relation::all().map(Relation::name).collect();
                return Err(Error::new(format!("unknown relation `{relation}`"))
                    .hint(format!("known relations: {}", names.join(", "))));
            };
            let (link, target) = link_to(env, view, name, earlier)?;
            if let Some(target) = target.filter(|target| target.row.flags.has(Flags::KEEP))
                && relation == Relation::EvolvedFrom
            {
                check_not_kept(&env.output, &target, by_hand)?;
            }
            let entry = relations.entry(relation.name());
            let links = entry.or_insert_with(|| json!([]));
            if let Value::Array(links) = links {
                links.push(link.into());
            }
        }
        for (relation, links) in relations {
            add(&relation, links);
        }
        if !self.corrects.is_empty() {
            let names = self.corrects.iter();
            let links = names.map(|name| Ok(link_to(env, view, name, earlier)?.0));
            add("corrects", links.collect::<Result<Vec<_>>>()?.into());
        }
        for (key, value) in &self.properties {
            if properties.iter().any(|(known, _)| known == key) || key == "mem" {
                return Err(Error::new(format!(
                    "`--set {key}=…` is set by another flag or by mem"
                ))
                .hint("`mem remember --help` lists the flags"));
            }
            properties.push((key.clone(), property_value::value(value)));
        }
        if !by_hand {
            properties.push(seal::placeholder_property(
                self.by.as_deref().unwrap_or("mem"),
            ));
        }
        Ok(properties)
    }

    /// Returns the folder of the note; `None` for the root.
    pub(super) fn folder(&self, session: &Session) -> Result<Option<VaultPath>> {
        match &self.folder {
            None => Ok(session.settings.of::<RememberOptions>().folder.0),
            Some(folder) if matches!(folder.trim_matches('/'), "" | ".") => Ok(None),
            // The setting may begin with a slash; on the command line `/tmp` is outside the vault.
            Some(folder) => VaultPath::new(folder)
                .map(Some)
                .map_err(|error| Error::from(error).hint("name a folder inside the vault")),
        }
    }
}

/// Returns the link to the note called `name`: one of the `earlier` lines, which is not written yet, or one of the vault.
fn link_to(
    env: &Environment,
    view: &View<'_>,
    name: &str,
    earlier: &[Result<BatchNote, String>],
) -> Result<(String, Option<Entry>)> {
    let named = earlier.iter().flatten().filter(|note| note.is_named(name));
    let named: Vec<&BatchNote> = named.collect();
    match named.as_slice() {
        [] => {
            let target = find_note(env, view, name)?;
            let link = format!("[[{}]]", view.wikilink_target(&target)?);
            Ok((link, Some(target)))
        }
        [note] if view.named_exactly(name)?.is_empty() => {
            Ok((format!("[[{}]]", note.path.without_ending()), None))
        }
        _ => Err(Error::new(format!("several notes are called `{name}`"))
            .hint("name it by its path or id")),
    }
}

/// Refuses to replace a note with `keep: true`; only warns a person.
fn check_not_kept(output: &Output, older: &Entry, by_hand: bool) -> Result<()> {
    let path = &older.path;
    let kept = format!("`{path}` is marked `keep: true`");
    let release = format!("mem edit --no-keep {}", shell_word(path.as_str()));
    if !by_hand {
        let error = Error::new(format!("{kept} and cannot be replaced"));
        return Err(error.hint(format!(
            "use `--relation contradicts=…`, or `{release}` first"
        )));
    }
    output.warn(&format!(
        "{kept}; recall answers with the new note in its place"
    ));
    Ok(())
}

fn tier(text: &str) -> Result<Tier, String> {
    Tier::named(text).ok_or_else(|| "known tiers: core, working, archival, forgotten".to_owned())
}
