//! `mem show`

use crate::commands::prelude::*;
use crate::commands::render::note_record::NoteRecord;
use crate::note::markdown::links;
use crate::note::markdown::rendered_line::PieceTarget;

/// Print a note
///
/// Finds the note by path, id, title, alias, file name or a prefix of these. Renders Markdown on a
/// terminal with colours; a pipe gets the file, byte for byte. Reading on a terminal counts as a
/// use, so that the note fades later; in a pipe or with --json it counts as a recall, which has
/// less effect.
#[derive(Debug, clap::Args)]
pub struct ShowRequest {
    /// The note
    pub note: String,
    /// Print the Markdown source, also on a terminal
    #[arg(long)]
    pub raw: bool,
    #[command(flatten)]
    pub(crate) touch: UsageFlag,
}

#[derive(Serialize, JsonSchema)]
pub struct ShownNote<'s> {
    #[serde(flatten)]
    note: NoteRecord,
    properties: Map<String, Value>,
    body: String,
    links: Vec<LinkRecord>,
    backlinks: Vec<VaultPath>,
    #[serde(skip)]
    text: String,
    #[serde(skip)]
    is_raw: bool,
    /// The view and the note, to resolve its links.
    #[serde(skip)]
    place: (View<'s>, Entry),
}

#[derive(Debug, Serialize, JsonSchema)]
struct LinkRecord {
    path: VaultPath,
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<String>,
}

impl Request for ShowRequest {
    type Reply<'s> = ShownNote<'s>;

    fn open(&self, env: &Environment) -> Result<Session> {
        self.touch.open(env)
    }

    fn run(&self, env: &Environment) -> Result<Exit> {
        let session = self.open(env)?;
        let is_text = env.output.form == Form::Human;
        // A program reads output that is not a terminal.
        let kind = if is_text && env.output.stdout_is_terminal {
            EventKind::Shown
        } else {
            EventKind::Recalled
        };
        let note = self.read(&session, kind)?;
        session.env.print(&note)?;
        Ok(Exit::Done)
    }

    fn answer<'s>(&self, session: &'s Session) -> Result<ShownNote<'s>> {
        self.read(session, EventKind::Recalled)
    }
}

impl ShowRequest {
    /// Reads the note, which counts as a use of this kind.
    fn read<'s>(&self, session: &'s Session, kind: EventKind) -> Result<ShownNote<'s>> {
        let (_cache, view) = session.fresh_view()?;
        let entry = find_note_to_show(&session.env, &view, &self.note)?;
        session.note_use(kind, [&entry.path]);
        let file = session
            .vault
            .read(&entry.path)
            .map_err(|error| Error::from(error).hint("run `mem index` to scan the vault again"));
        let text = file?.text;
        let details = view.details(entry.slot)?;
        let backlinks = view.linking_to(&entry)?.into_iter();
        Ok(ShownNote {
            properties: details.properties(),
            note: NoteRecord::new(&entry, details),
            body: text[split(&text).body].to_owned(),
            links: links(&view, &entry)?,
            backlinks: backlinks.map(|source| source.path).collect(),
            text,
            is_raw: self.raw,
            place: (view, entry),
        })
    }
}

impl Reply for ShownNote<'_> {
    fn show(&self, page: &Page<'_>) {
        // Untrusted text is sanitised on a terminal.
        if page.stdout_is_terminal && page.is_coloured() && !self.is_raw {
            let body = split(&self.text).body.start;
            let [columns, _] = Terminal::size();
            let (view, entry) = &self.place;
            page.write_note(&self.text, body, columns, &|leads| {
                resolve_link(view, entry, leads)
            });
        } else if page.stdout_is_terminal {
            for line in self.text.lines() {
                page.line(&page.clean(line));
            }
        } else {
            page.raw(self.text.as_bytes());
        }
    }
}

fn links(view: &View<'_>, entry: &Entry) -> Result<Vec<LinkRecord>> {
    let linked = view.linked_from(entry)?.into_iter();
    let links = linked.map(|(link, target)| LinkRecord {
        path: target.path,
        relation: link.property,
    });
    Ok(links.collect())
}

/// Returns the path of the note that a link in `entry` points to.
fn resolve_link(view: &View<'_>, entry: &Entry, leads: &PieceTarget) -> Option<String> {
    let (target, is_markdown) = match leads {
        PieceTarget::Note(target) => (target.clone(), false),
        PieceTarget::Address(address) => (links::decoded(address), true),
    };
    let note = target.split('#').next().unwrap_or_default();
    let found = view.resolve(&entry.path, note, is_markdown).ok()??;
    Some(found.path.to_string())
}
