//! `mem related`

use std::collections::HashSet;

use serde::Serialize;

use crate::cache::{Cache, CacheError};
use crate::commands::args::note_lookup::find_note_to_show;
use crate::commands::args::property_value::number_in;
use crate::commands::args::row_args::RowArgs;
use crate::commands::render::hit_record::highlighted;
use crate::error::{Error, Exit};
use crate::note::path::VaultPath;
use crate::output::lines::Line;
use crate::output::{Form, Output, Style, count};
use crate::recall::related::{Mention, Neighbour, mentions};
use crate::session::{Environment, Session};
use crate::view::{Entry, View};

/// Show what is related to a note
///
/// Prints three lists: notes linked from or to it; notes that mention it without a link, the likeliest first; and
/// similar notes without a link to or from it. Exits with 1 if there are none.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The note
    note: String,
    /// Show at most N notes in each list
    #[arg(short = 'n', long, value_name = "N", default_value_t = DEFAULT_LIMIT)]
    limit: usize,
    /// Minimum cosine of similar notes [default: the model's threshold for related texts]
    #[arg(long, value_name = "COSINE", allow_negative_numbers = true, value_parser = number_in(-1.0_f32..=1.0))]
    min_cosine: Option<f32>,
    #[command(flatten)]
    rows: RowArgs,
}

/// How many notes of a list are shown unless it is said.
const DEFAULT_LIMIT: usize = 10;

/// All keys of a [`Row`].
const KEYS: &[&str] = &[
    "list",
    "path",
    "title",
    "direction",
    "relation",
    "name",
    "line",
    "snippet",
    "cosine",
];

#[derive(Debug, Serialize)]
struct Record {
    path: String,
    title: String,
    links: Vec<LinkRecord>,
    near: Vec<NearRecord>,
    mentions: Vec<MentionRecord>,
}

/// One of the related notes, of any of the lists.
#[derive(Debug, Serialize)]
#[serde(tag = "list", rename_all = "lowercase")]
enum Row {
    Links(LinkRecord),
    Mentions(MentionRecord),
    Near(NearRecord),
}

#[derive(Debug, Serialize)]
struct LinkRecord {
    path: String,
    title: String,
    direction: Direction,
    /// The property that links, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Direction {
    To,
    From,
}

#[derive(Debug, Serialize)]
struct NearRecord {
    path: String,
    title: String,
    cosine: f32,
}

#[derive(Debug, Serialize)]
struct MentionRecord {
    path: String,
    title: String,
    /// By which name.
    name: String,
    line: usize,
    snippet: String,
}

/// What belongs to a note.
struct Belongings {
    links: Vec<LinkRecord>,
    near: Vec<Neighbour>,
    mentions: Vec<Mention>,
    /// How many of what do not fit.
    left_out: [(usize, &'static str); 2],
}

/// Shows it.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let env = &args.rows.environment(env, &[KEYS])?;
    let session = env.open()?;
    let cache = session.fresh_cache()?;
    let cache = session.embed_at_once(cache)?;
    let entry = find_note_to_show(env, &session.view(&cache)?, &args.note)?;
    let ask = |cache: &Cache| -> Result<_, CacheError> {
        let view = session.view_with_near(cache)?;
        // Its number, if the index had to be made afresh.
        let entry = view.at(&entry.path)?.unwrap_or_else(|| entry.clone());
        let near = session.neighbours(cache, &view, &entry, args.limit, args.min_cosine)?;
        let mut links = links(&view, &entry)?;
        let mut mentions = mentions(&view, &cache.text, &entry)?;
        let left_out = [
            (links.len().saturating_sub(args.limit), "more link"),
            (mentions.len().saturating_sub(args.limit), "more mention"),
        ];
        links.truncate(args.limit);
        mentions.truncate(args.limit);
        let belongings = Belongings {
            links,
            near,
            mentions,
            left_out,
        };
        Ok((view, entry, belongings))
    };
    let ((view, entry, belongings), _cache) = session.ask(cache, ask)?;
    let Belongings {
        links,
        near,
        mentions,
        left_out,
    } = belongings;
    let found = !links.is_empty() || !near.is_empty() || !mentions.is_empty();
    let near = near
        .into_iter()
        .map(|Neighbour { entry, cosine }| -> Result<_, Error> {
            Ok(NearRecord {
                title: title(&view, &entry)?,
                path: entry.path.to_string(),
                cosine,
            })
        });
    let near: Vec<NearRecord> = near.collect::<Result<_, _>>()?;
    let output = &env.output;
    env.page(&session.settings)?;
    if output.form == Form::Human {
        show(output, &view, &links, &near, &mentions)?;
        if !found {
            output.say("no links, mentions or similar notes");
        }
        let left_out = left_out.into_iter().filter(|(many, _)| *many > 0);
        let left_out: Vec<String> = left_out.map(|(many, what)| count(many, what)).collect();
        if !left_out.is_empty() {
            output.say(&format!("{}; show them with `-n`", left_out.join(", ")));
        }
    } else {
        let mentions = mentions.into_iter().map(|mention| -> Result<_, Error> {
            Ok(MentionRecord {
                title: title(&view, &mention.entry)?,
                path: mention.entry.path.to_string(),
                name: mention.name,
                line: mention.snippet.line,
                snippet: mention.snippet.text,
            })
        });
        let mentions: Vec<MentionRecord> = mentions.collect::<Result<_, _>>()?;
        if output.form == Form::JsonLines {
            let rows = links.into_iter().map(Row::Links);
            let rows = rows.chain(mentions.into_iter().map(Row::Mentions));
            for row in rows.chain(near.into_iter().map(Row::Near)) {
                output.record(&row)?;
            }
        } else {
            output.record(&Record {
                title: title(&view, &entry)?,
                path: entry.path.to_string(),
                links,
                near,
                mentions,
            })?;
        }
    }
    Ok(Exit::found(found))
}

/// Returns the title of the note at `path`, and path and title of each note that is linked with it or like it.
pub(crate) fn related(
    session: &Session,
    path: &VaultPath,
) -> Result<(String, Vec<(String, String)>), Error> {
    let cache = session.cache()?;
    let view = session.view(&cache)?;
    let Some(entry) = view.at(path)? else {
        return Ok((path.stem().to_owned(), Vec::new()));
    };
    let links = links(&view, &entry)?.into_iter();
    let mut related: Vec<(String, String)> = links.map(|link| (link.path, link.title)).collect();
    for near in session.neighbours(&cache, &view, &entry, DEFAULT_LIMIT, None)? {
        related.push((near.entry.path.to_string(), title(&view, &near.entry)?));
    }
    let mut seen = HashSet::new();
    related.retain(|(path, _)| seen.insert(path.clone()));
    Ok((title(&view, &entry)?, related))
}

fn title(view: &View<'_>, entry: &Entry) -> Result<String, Error> {
    Ok(view.details(entry.slot)?.title)
}

/// Lists the links of `entry` in both directions.
fn links(view: &View<'_>, entry: &Entry) -> Result<Vec<LinkRecord>, CacheError> {
    let mut links = Vec::new();
    for (link, target) in view.linked_from(entry)? {
        links.push(LinkRecord {
            title: view.details(target.slot)?.title,
            path: target.path.to_string(),
            direction: Direction::To,
            relation: link.property,
        });
    }
    for source in view.linking_to(entry)? {
        let link = view.linked_from(&source)?.into_iter();
        let link = link.map(|(link, target)| (link.property, target.slot));
        let mut relation = link.filter(|(_, slot)| *slot == entry.slot);
        links.push(LinkRecord {
            title: view.details(source.slot)?.title,
            path: source.path.to_string(),
            direction: Direction::From,
            relation: relation.find_map(|(relation, _)| relation),
        });
    }
    Ok(links)
}

fn show(
    output: &Output,
    view: &View<'_>,
    links: &[LinkRecord],
    near: &[NearRecord],
    mentions: &[Mention],
) -> Result<(), Error> {
    let titled = |place: String, path: &str, title: &str| {
        let stem = path.rsplit('/').next().unwrap_or(path);
        if stem.strip_suffix(".md").unwrap_or(stem) == title {
            place
        } else {
            format!("{place}  {}", output.paint(Style::Title, title))
        }
    };
    let name = |path: &str, title: &str| titled(output.place(path), path, title);
    if !links.is_empty() {
        output.line("linked")?;
    }
    for link in links {
        let arrow = match link.direction {
            Direction::To => "->",
            Direction::From => "<-",
        };
        let mut line = format!("  {arrow} {}", name(&link.path, &link.title));
        if let Some(relation) = &link.relation {
            line = format!("{line}  {}", output.clean(relation));
        }
        output.line(&line)?;
    }
    if !mentions.is_empty() {
        output.line("mentioned without a link")?;
    }
    for mention in mentions {
        let title = title(view, &mention.entry)?;
        let (path, snippet) = (mention.entry.path.as_str(), &mention.snippet);
        let place = output.place_at(path, snippet.line);
        output.line(&format!("  {}", titled(place, path, &title)))?;
        output.write_wrapped(&Line::of(None, "    ").join(highlighted(snippet)))?;
    }
    if !near.is_empty() {
        output.line("near")?;
    }
    for near in near {
        let name = name(&near.path, &near.title);
        output.line(&format!("  {:.2} {name}", near.cosine))?;
    }
    Ok(())
}
