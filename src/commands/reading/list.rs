//! `mem list`

use clap::builder::PossibleValue;

use super::missing_notes::MissingNotes;
use super::saved_queries::SavedQueries;
use crate::commands::args::output_rows::{self, values_of};
use crate::commands::args::query_args::select_with;
use crate::commands::prelude::*;
use crate::commands::render::note_record::NoteRecord;
use crate::output::columns::widths;
use crate::recall::order::sort;
use crate::recall::query::Query;
use crate::signals::{FIELDS, FieldType, NumberField};

/// List notes
///
/// Without a query, lists all notes; `mem help query` explains queries. If sorted by a number,
/// shows it next to each note.
///
/// `mem config queries.open 'status:open sort:created'` saves a query: `mem list @open`, `mem
/// search @open tea`. `mem list @` lists saved queries.
#[derive(Debug, clap::Args)]
pub struct ListRequest {
    /// Query for the notes to list
    #[arg(value_parser = query_text())]
    pub query: Vec<String>,
    #[command(flatten)]
    pub(crate) only: NoteFilter,
    /// List at most N
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Sort key [default: path]; `-` before it reverses the order, `+` makes it ascending
    #[arg(long, value_name = "KEY", allow_hyphen_values = true, value_parser = sort_key())]
    pub sort: Option<(&'static Field, bool)>,
    /// Reverse the order
    #[arg(short, long)]
    pub reverse: bool,
    /// Print only paths, each followed by a NUL, for `xargs -0r`
    #[arg(short = '0', long, conflicts_with_all = ["json", "jsonl", "tsv", "format"])]
    null: bool,
    /// List missing link targets, most linked first
    #[arg(long, conflicts_with_all = ["null", "sort", "reverse", "tsv", "format"])]
    missing: bool,
    #[command(flatten)]
    rows: RowArgs,
}

/// Minimum width to which a column is cut.
const MIN_COLUMN_WIDTH: usize = 10;

#[derive(Debug, Serialize, JsonSchema)]
pub struct NoteList {
    total: usize,
    notes: Vec<ListedNote>,
    /// Whether a query was given.
    #[serde(skip)]
    is_selection: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ListedNote {
    #[serde(flatten)]
    note: NoteRecord,
    /// The value of the sort key, if it is a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    /// The value as text.
    #[serde(skip)]
    number: Option<String>,
    /// Other fields used by `--format`.
    #[serde(flatten)]
    fields: Map<String, Value>,
}

impl Request for ListRequest {
    type Reply<'s> = Either<NoteList, Either<SavedQueries, MissingNotes>>;

    fn run(&self, env: &Environment) -> Result<Exit> {
        let env = self.rows.environment_of_notes(env, &keys())?;
        let session = env.open()?;
        if !self.null || self.is_saved_queries() {
            return session.env.print(&self.answer(&session)?);
        }
        // Only paths are needed, so no details are read.
        let (list, paths) = self.list(&session, |_, entries, _| {
            let paths = entries.iter().map(|entry| entry.path.clone());
            Ok((Vec::new(), paths.collect::<Vec<_>>()))
        })?;
        let relative_paths = RelativePaths::new(&session.vault);
        env.print_as(&list, |_, page| {
            for path in &paths {
                relative_paths.write_null(page, path.as_str());
            }
        })
    }

    fn answer(&self, session: &Session) -> Result<Self::Reply<'_>> {
        if self.is_saved_queries() {
            let saved = SavedQueries::of(&session.settings);
            return Ok(Either::Right(Either::Left(saved)));
        }
        if self.missing {
            let words = self.only.with(&self.query);
            let (_, missing) = select_with(session, &words, |view, _, entries| {
                MissingNotes::of(view, entries, self.limit)
            })?;
            return Ok(Either::Right(Either::Right(missing)));
        }
        let fields = self.rows.fields(&keys())?;
        let (list, ()) = self.list(session, |view, entries, number| {
            let places = if number.is_some_and(NumberField::is_count) {
                0
            } else {
                3
            };
            let notes = entries.iter().map(|entry| {
                let value = number.map(|number| view.number(entry, number));
                let value = value.transpose()?;
                Ok(ListedNote {
                    note: NoteRecord::new(entry, view.details(entry.slot)?),
                    number: value.map(|value| format!("{value:.places$}")),
                    value,
                    fields: values_of(view, entry, &fields)?,
                })
            });
            Ok((notes.collect::<Result<_, CacheError>>()?, ()))
        })?;
        Ok(Either::Left(list))
    }
}

/// Returns all keys of a [`ListedNote`].
fn keys() -> Vec<&'static str> {
    output_rows::keys(NoteRecord::KEYS)
        .chain(["value"])
        .collect()
}

impl ListRequest {
    fn is_saved_queries(&self) -> bool {
        self.query == ["@"]
    }

    /// Returns the selected notes, sorted and cut to the limit.
    ///
    /// `read` makes records of the entries; its third argument is the number they are sorted by, if
    /// any.
    fn list<T>(
        &self,
        session: &Session,
        read: impl Fn(
            &View<'_>,
            &[Entry],
            Option<NumberField>,
        ) -> Result<(Vec<ListedNote>, T), CacheError>,
    ) -> Result<(NoteList, T)> {
        let words = self.only.with(&self.query);
        let read = |view: &View<'_>, query: &Query, entries: &mut Vec<Entry>| {
            let wanted = self.sort.or(query.sort);
            // The entries are in order of their paths.
            let is_reversed = wanted.is_some_and(|(_, is_reversed)| is_reversed);
            if let Some((order, _)) = wanted {
                sort(view, entries, order)?;
            }
            if self.reverse != is_reversed {
                entries.reverse();
            }
            let total = entries.len();
            entries.truncate(self.limit.unwrap_or(usize::MAX));
            let number = wanted.and_then(|(field, _)| match field.kind {
                FieldType::Number(number) => Some(number),
                _ => None,
            });
            Ok((total, read(view, entries, number)?))
        };
        let (_, (total, (notes, more))) = select_with(session, &words, read)?;
        let list = NoteList {
            total,
            notes,
            is_selection: !words.is_empty(),
        };
        Ok((list, more))
    }
}

impl Reply for NoteList {
    fn show(&self, page: &Page<'_>) {
        if page.stdout_is_terminal {
            columns(page, &self.notes);
            if self.notes.len() < self.total {
                let (shown, total) = (self.notes.len(), count(self.total, "note"));
                page.say(&format!("{shown} of {total}; `-n N` shows more"));
            }
            return;
        }
        for ListedNote { note, number, .. } in &self.notes {
            let mut line = page.place(note.path.as_str());
            if let Some(number) = number {
                let _ = write!(line, "\t{number}");
            }
            page.line(&line);
        }
    }

    list!(notes);

    fn messages(&self) -> Vec<Message> {
        let words = match (self.total, self.is_selection) {
            (0, false) => "the vault has no notes",
            (0, true) => "no matches",
            _ => return Vec::new(),
        };
        vec![Message::status(words)]
    }

    fn exit(&self) -> Result<Exit> {
        Ok(Exit::found(self.total > 0))
    }
}

/// Returns a parser of the sort keys in the table of fields, alone or after `-` or `+`.
fn sort_key() -> impl TypedValueParser<Value = (&'static Field, bool)> {
    let sorting = FIELDS.iter().filter_map(|field| Some((field, field.sort?)));
    let values = sorting.flat_map(|(field, help)| {
        let names = [field.name]
            .into_iter()
            .chain(field.aliases.iter().copied());
        let signed = names.flat_map(|name| ["-", "+"].map(|sign| format!("{sign}{name}")));
        [
            PossibleValue::new(field.name)
                .help(help)
                .aliases(field.aliases),
            PossibleValue::new("-").aliases(signed).hide(true),
        ]
    });
    PossibleValuesParser::new(values)
        .try_map(|typed| Field::sorting(&typed).ok_or("expected a key"))
}

/// Writes path, number, title and creation date of each note in columns, cut to the terminal.
fn columns(page: &Page<'_>, notes: &[ListedNote]) {
    let lines = notes.iter().map(|ListedNote { note, number, .. }| {
        let created = note.created.map(|at| page.local_day(at));
        [
            page.clean(note.path.as_str()),
            number.clone().unwrap_or_default(),
            page.clean(note.own_title().unwrap_or_default()),
            created.unwrap_or_default(),
        ]
    });
    let lines: Vec<[String; 4]> = lines.collect();
    let widest = |column: usize| lines.iter().map(|line| width(&line[column])).max();
    let [screen, _] = Terminal::size();
    let texts = [0, 1, 2, 3].map(|column| widest(column).unwrap_or(0));
    let widths = widths(texts, screen, MIN_COLUMN_WIDTH);
    for ([path, value, title, day], ListedNote { note, .. }) in lines.iter().zip(notes) {
        let path = cut(path, widths[0], CutSide::Begin);
        let title = cut(title, widths[2], CutSide::End);
        let mut line = page.place_as(note.path.as_str(), &path);
        line.push_str(&fill(&path, widths[0]));
        for (column, text) in [(1, value), (2, &title)] {
            if widths[column] > 0 {
                let _ = write!(line, "{GAP}{text}{}", fill(text, widths[column]));
            }
        }
        let _ = write!(line, "{GAP}{}", page.paint(Style::Faint, day));
        page.line(line.trim_end());
    }
}
