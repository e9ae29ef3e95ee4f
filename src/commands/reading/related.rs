//! `mem related`

use crate::commands::args::text_input::TextInput;
use crate::commands::prelude::*;
use crate::commands::render::hit_record::highlighted;
use crate::recall::related::{Neighbour, mentions};
use crate::recall::snippet::Snippet;

/// Show what is related to a note
///
/// Prints three lists: linked notes, in both directions; notes that mention it without a link, most
/// likely first; and similar notes without a link. `-` reads a text from stdin and prints the notes
/// that it names and those similar to it. Exits with 1 if there are none.
#[derive(Debug, clap::Args)]
pub struct RelatedRequest {
    /// The note, or `-` for a text on stdin
    pub note: String,
    /// Show at most N notes in each list
    #[arg(short = 'n', long, value_name = "N", default_value_t = DEFAULT_LIMIT)]
    pub limit: usize,
    /// Minimum cosine of similar notes [default: the model's threshold for related texts]
    #[arg(long, value_name = "COSINE", allow_negative_numbers = true, value_parser = number_in(-1.0_f32..=1.0))]
    pub min_cosine: Option<f32>,
    #[command(flatten)]
    rows: RowArgs,
}

/// Number of notes per list by default.
const DEFAULT_LIMIT: usize = 10;

/// All keys of a [`RelatedRow`].
const KEYS: &str = "list path title direction relation name line snippet cosine";

#[derive(Debug, Serialize, JsonSchema)]
pub struct RelatedNotes {
    /// Absent for a text from stdin.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<VaultPath>,
    title: String,
    links: Vec<LinkRecord>,
    near: Vec<NearRecord>,
    mentions: Vec<MentionRecord>,
    /// The numbers of links and mentions that are not listed.
    #[serde(skip)]
    left_out: [(usize, &'static str); 2],
}

/// A related note of one of the three lists.
#[derive(Debug, Serialize)]
#[serde(tag = "list", rename_all = "lowercase")]
enum RelatedRow<'r> {
    Links(&'r LinkRecord),
    Mentions(&'r MentionRecord),
    Near(&'r NearRecord),
}

#[derive(Debug, Serialize, JsonSchema)]
struct LinkRecord {
    path: VaultPath,
    title: String,
    direction: Direction,
    /// The property that contains the link, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Direction {
    To,
    From,
}

#[derive(Debug, Serialize, JsonSchema)]
struct NearRecord {
    path: VaultPath,
    title: String,
    cosine: f32,
}

#[derive(Debug, Serialize, JsonSchema)]
struct MentionRecord {
    path: VaultPath,
    title: String,
    /// The name by which it is mentioned.
    name: String,
    #[serde(flatten)]
    snippet: Snippet,
}

impl Request for RelatedRequest {
    type Reply<'s> = RelatedNotes;

    fn rows(&self) -> Option<(&RowArgs, &'static str)> {
        Some((&self.rows, KEYS))
    }

    fn answer(&self, session: &Session) -> Result<RelatedNotes> {
        let cache = session.embed_few(session.fresh_cache()?)?;
        if self.note == "-" {
            let words = std::slice::from_ref(&self.note);
            let TextInput { text, .. } = TextInput::take(&session.env, words, (None, ""), None)?;
            return self.near_text(session, cache, &text);
        }
        let entry = find_note_to_show(&session.env, &session.view(&cache)?, &self.note)?;
        let ask = |cache: &Cache| -> Result<_, CacheError> {
            let view = session.view_with_near(cache)?;
            // Looks up the slot again, because the index may have been rebuilt.
            let entry = view.at(&entry.path)?.unwrap_or_else(|| entry.clone());
            let near = session.neighbours(cache, &view, &entry, self.limit, self.min_cosine)?;
            let mut links = links(&view, &entry)?;
            let mut mentions = mentions(&view, &cache.text, &entry)?;
            let left_out = [
                (links.len().saturating_sub(self.limit), "more link"),
                (mentions.len().saturating_sub(self.limit), "more mention"),
            ];
            links.truncate(self.limit);
            mentions.truncate(self.limit);
            let mentions = mentions.into_iter().map(|mention| {
                Ok(MentionRecord {
                    title: title(&view, &mention.entry)?,
                    path: mention.entry.path,
                    name: mention.name,
                    snippet: mention.snippet,
                })
            });
            Ok(RelatedNotes {
                title: title(&view, &entry)?,
                path: Some(entry.path),
                links,
                near: near_records(&view, near)?,
                mentions: mentions.collect::<Result<_, CacheError>>()?,
                left_out,
            })
        };
        Ok(session.ask(cache, ask)?.0)
    }
}

impl RelatedRequest {
    /// Returns the notes that `text` names, and those similar to it.
    fn near_text(&self, session: &Session, cache: Cache, text: &str) -> Result<RelatedNotes> {
        let mut links = named_in(&session.view(&cache)?, text)?;
        let left_out = [
            (links.len().saturating_sub(self.limit), "more name"),
            (0, ""),
        ];
        links.truncate(self.limit);
        let near = match session.neighbours_of_text(cache, text, self.limit, self.min_cosine)? {
            Some((near, cache)) => near_records(&session.view(&cache)?, near)?,
            None if links.is_empty() => {
                let error = Error::new("cannot compare the text with the notes");
                let hint = "the model has no vector for it; search for its words with `mem search`";
                return Err(error.hint(hint));
            }
            None => Vec::new(),
        };
        Ok(RelatedNotes {
            path: None,
            title: String::new(),
            links,
            near,
            mentions: Vec::new(),
            left_out,
        })
    }
}

/// Maximum number of words of a text, and of a name in it, that are looked up.
const MAX_WORDS: usize = 2_000;
const MAX_WORDS_OF_NAME: usize = 5;

/// Returns the notes that `text` names, in its order. A name of one word needs a capital: most words of a language
/// may be the title of a note.
fn named_in(view: &View<'_>, text: &str) -> Result<Vec<LinkRecord>> {
    let words = text.split_whitespace().take(MAX_WORDS).map(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        start..start + word.len()
    });
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    let mut links: Vec<LinkRecord> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let mut next = at + 1;
        for end in (at + 1..=words.len().min(at + MAX_WORDS_OF_NAME)).rev() {
            let name = &text[words[at].start..words[end - 1].end];
            if end == at + 1 && !name.starts_with(char::is_uppercase) {
                continue;
            }
            let named = view.namesakes(name)?;
            if named.is_empty() {
                continue;
            }
            for entry in named {
                if links.iter().all(|link| link.path != entry.path) {
                    links.push(LinkRecord {
                        title: title(view, &entry)?,
                        path: entry.path,
                        direction: Direction::To,
                        relation: None,
                    });
                }
            }
            next = end;
            break;
        }
        at = next;
    }
    Ok(links)
}

fn near_records(view: &View<'_>, near: Vec<Neighbour>) -> Result<Vec<NearRecord>, CacheError> {
    let records = near.into_iter().map(|Neighbour { entry, cosine }| {
        Ok(NearRecord {
            title: title(view, &entry)?,
            path: entry.path,
            cosine,
        })
    });
    records.collect()
}

impl Reply for RelatedNotes {
    fn show(&self, page: &Page<'_>) {
        let name = |path: &VaultPath, title: &str| {
            render::titled(page, page.place(path.as_str()), path, title)
        };
        if !self.links.is_empty() {
            page.line(match self.path {
                Some(_) => "linked",
                None => "named in the text",
            });
        }
        for link in &self.links {
            let arrow = match link.direction {
                Direction::To => "->",
                Direction::From => "<-",
            };
            let mut line = format!("  {arrow} {}", name(&link.path, &link.title));
            if let Some(relation) = &link.relation {
                line = format!("{line}  {}", page.clean(relation));
            }
            page.row(&line);
        }
        if !self.mentions.is_empty() {
            page.line("mentioned without a link");
        }
        for mention in &self.mentions {
            let (path, snippet) = (&mention.path, &mention.snippet);
            let place = page.place_at(path.as_str(), snippet.line);
            let name = render::titled(page, place, path, &mention.title);
            page.row(&format!("  {name}"));
            page.write_wrapped(&Line::of(None, "    ").join(highlighted(snippet)));
        }
        if !self.near.is_empty() {
            page.line("near");
        }
        for near in &self.near {
            let name = name(&near.path, &near.title);
            page.row(&format!("  {:.2} {name}", near.cosine));
        }
        if self.links.is_empty() && self.near.is_empty() && self.mentions.is_empty() {
            page.say("no links, mentions or similar notes");
        }
        let counts = self.left_out.iter().filter(|(many, _)| *many > 0);
        let left_out: Vec<String> = counts.map(|(many, what)| count(*many, what)).collect();
        if !left_out.is_empty() {
            page.say(&format!("{}; `-n N` shows them", left_out.join(", ")));
        }
    }

    fn records(&self) -> Option<Records<'_>> {
        let linked = self.links.iter().map(RelatedRow::Links);
        let rows = linked.chain(self.mentions.iter().map(RelatedRow::Mentions));
        records(rows.chain(self.near.iter().map(RelatedRow::Near)))
    }
}

/// Returns the title of the note at `path`, and paths and titles of its linked and similar notes.
pub(crate) fn related(
    session: &Session,
    path: &VaultPath,
) -> Result<(String, Vec<(String, String)>)> {
    let cache = session.cache()?;
    let view = session.view(&cache)?;
    let Some(entry) = view.at(path)? else {
        return Ok((path.stem().to_owned(), Vec::new()));
    };
    let found = links(&view, &entry)?.into_iter();
    let links = found.map(|link| (link.path.to_string(), link.title));
    let mut related: Vec<(String, String)> = links.collect();
    for near in session.neighbours(&cache, &view, &entry, DEFAULT_LIMIT, None)? {
        related.push((near.entry.path.to_string(), title(&view, &near.entry)?));
    }
    let mut seen = HashSet::new();
    related.retain(|(path, _)| seen.insert(path.clone()));
    Ok((title(&view, &entry)?, related))
}

fn title(view: &View<'_>, entry: &Entry) -> Result<String, CacheError> {
    Ok(view.details(entry.slot)?.title)
}

/// Returns the links of `entry` in both directions.
fn links(view: &View<'_>, entry: &Entry) -> Result<Vec<LinkRecord>, CacheError> {
    let mut links = Vec::new();
    for (link, target) in view.linked_from(entry)? {
        links.push(LinkRecord {
            title: view.details(target.slot)?.title,
            path: target.path,
            direction: Direction::To,
            relation: link.property,
        });
    }
    for source in view.linking_to(entry)? {
        let link_targets = view.linked_from(&source)?.into_iter();
        let link = link_targets.map(|(link, target)| (link.property, target.slot));
        let mut relation = link.filter(|(_, slot)| *slot == entry.slot);
        links.push(LinkRecord {
            title: view.details(source.slot)?.title,
            path: source.path,
            direction: Direction::From,
            relation: relation.find_map(|(relation, _)| relation),
        });
    }
    Ok(links)
}
