//! `mem search`

use crate::commands::args::output_rows::values_of;
use crate::commands::args::query_args::unknown_words;
use crate::commands::args::vaults::{Vaults, in_each_vault, merged};
use crate::commands::prelude::*;
use crate::commands::render::hit_record::{HitRecord, highlighted};

/// Search notes by words and meaning
///
/// Notes with all words, in any form or case, come first; below them notes with some of the words,
/// then those similar in meaning. A word that occurs in no note is replaced by the nearest spelling
/// that does, or named. Phrases, `word*` and fields must match exactly; see `mem help query`. Exits
/// with 1 if nothing was found.
#[derive(Debug, clap::Args)]
pub struct SearchRequest {
    #[command(flatten)]
    pub(crate) query: QueryArgs,
    #[command(flatten)]
    pub(crate) touch: UsageFlag,
    /// Show at most N notes; 0 shows none, and the exit status reports matches
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub limit: usize,
    /// Explain each score
    #[arg(long, conflicts_with_all = ["null", "vimgrep"])]
    pub explain: bool,
    /// Print only paths, each followed by a NUL, for `xargs -0r`
    #[arg(short = '0', long, conflicts_with_all = ["json", "jsonl", "tsv", "format", "vimgrep"])]
    null: bool,
    /// Print `path:line:column:text` lines for editors
    #[arg(long, conflicts_with_all = ["json", "jsonl", "tsv", "format"])]
    vimgrep: bool,
    #[command(flatten)]
    rows: RowArgs,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchResults {
    query: String,
    /// The indexes used: `hybrid`, `lexical` or `semantic`.
    mode: Mode,
    total: usize,
    /// True if some hits contain only part of the words; they have `partial`.
    relaxed: bool,
    /// Words that occur in no note.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<String>,
    /// Replacements of unknown words by known spellings.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    respelled: BTreeMap<String, String>,
    hits: Vec<HitRecord>,
    /// Whether the query is a question. Nearly every note contains one of its words, so no total is
    /// shown.
    #[serde(skip)]
    is_question: bool,
    #[serde(skip)]
    is_found: bool,
}

impl Request for SearchRequest {
    type Reply<'s> = SearchResults;

    fn open(&self, env: &Environment) -> Result<Session> {
        self.touch.open(env)
    }

    fn run(&self, env: &Environment) -> Result<Exit> {
        let env = self.rows.environment_of_notes(env, &HitRecord::keys())?;
        let session = self.open(&env)?;
        let found = self.answer_in_each(&session, snippet_width(&env.output))?;
        let relative_paths = RelativePaths::new(&session.vault);
        env.print_as(&found, |found, page| {
            if self.null {
                found.report_partial(page);
                for hit in &found.hits {
                    relative_paths.write_null(page, &hit.shown_path());
                }
            } else if self.vimgrep {
                found.report_partial(page);
                vimgrep(page, &relative_paths, &found.hits);
            } else {
                found.show(page);
            }
        })
    }

    fn answer(&self, session: &Session) -> Result<SearchResults> {
        self.answer_in_each(session, SearchOptions::default().snippet_width)
    }
}

impl SearchRequest {
    /// Searches all vaults.
    fn answer_in_each(&self, session: &Session, snippet_width: usize) -> Result<SearchResults> {
        let (mut results, further) =
            in_each_vault(session, |session| self.results(session, snippet_width))?;
        let vaults = Vaults::of(&session.vault, &further);
        if let Some(vaults) = &vaults {
            results.place(session.vault.root(), vaults, false);
        }
        for (vault, mut found) in further {
            if let Some(vaults) = &vaults {
                found.place(&vault, vaults, true);
            }
            results.total += found.total;
            results.relaxed |= found.relaxed;
            results.is_found |= found.is_found;
            results.unknown.retain(|word| found.unknown.contains(word));
            results.hits = merged(results.hits, found.hits.into_iter(), HitRecord::rank);
        }
        results.hits.truncate(self.limit);
        Ok(results)
    }

    fn results(&self, session: &Session, snippet_width: usize) -> Result<SearchResults> {
        let options = SearchOptions {
            limit: self.limit,
            snippet_width,
            ..SearchOptions::default()
        };
        let results = self.query.search(session, &options)?.results;
        let paths = results.hits.iter().map(|hit| &hit.entry.path);
        session.note_use(EventKind::Listed, paths);
        let fields = self.rows.fields(&HitRecord::keys())?;
        let values = values_of_hits(session, &results.hits, &fields)?;
        let hits = results.hits.into_iter().zip(values).map(|(hit, fields)| {
            let mut record = HitRecord::new(hit, self.explain);
            record.fields = fields;
            record
        });
        let hits: Vec<HitRecord> = hits.collect();
        let respelled = results.respelled.into_iter();
        Ok(SearchResults {
            // A limit of 0 leaves the number of matches.
            is_found: !hits.is_empty() || self.limit == 0 && results.total > 0,
            query: self.query.text(),
            mode: results.mode,
            total: results.total,
            relaxed: results.relaxed,
            unknown: results.unknown,
            respelled: respelled.map(|word| (word.typed, word.meant)).collect(),
            hits,
            is_question: results.asks,
        })
    }
}

impl SearchResults {
    /// Makes the hits those of the vault `own`, one of `vaults`, without those that a vault inside of it has.
    fn place(&mut self, own: &Path, vaults: &Vaults, is_further: bool) {
        let found = self.hits.len();
        self.hits
            .retain(|hit| !vaults.has_inner(own, &hit.note.path));
        self.total = self.total.saturating_sub(found - self.hits.len());
        let hits = std::mem::take(&mut self.hits).into_iter();
        self.hits = hits.map(|hit| hit.of(own, is_further)).collect();
    }
}

impl Reply for SearchResults {
    fn show(&self, page: &Page<'_>) {
        if !self.hits.is_empty() && !self.unknown.is_empty() {
            page.line(&page.paint(Style::Faint, &unknown_words(&self.unknown)));
        }
        if self.mode != Mode::Hybrid {
            self.report_partial(page);
        }
        for (head, hits) in self.groups() {
            if !head.is_empty() && !hits.is_empty() {
                page.line(&page.paint(Style::Faint, head));
            }
            for hit in hits {
                show(page, hit);
                if let Some(explanation) = hit.explanation() {
                    page.write_wrapped(&format!("  {explanation}").into());
                }
            }
        }
        if page.stdout_is_terminal && (1..self.total).contains(&self.hits.len()) {
            let shown = if self.is_question {
                count(self.hits.len(), "note")
            } else {
                format!("{} of {}", self.hits.len(), count(self.total, "note"))
            };
            page.say(&format!("{shown}; `-n N` shows more"));
        }
    }

    list!(hits);

    fn exit(&self) -> Result<Exit> {
        Ok(Exit::found(self.is_found))
    }
}

impl SearchResults {
    /// Reports that the hits include notes without some of the words.
    fn report_partial(&self, page: &Page<'_>) {
        let is_partial = |hit: &HitRecord| hit.partial && !hit.by_meaning;
        if self.mode != Mode::Semantic && !self.is_question && self.hits.iter().any(is_partial) {
            page.say("some of these notes have only some of the words");
        }
    }

    /// Returns the hits below their headings: with all words, with some of them, by meaning alone. Those of
    /// a question have one heading, because nearly every note lacks one of its words, and so have those of
    /// other modes, which order by score alone.
    fn groups(&self) -> [(&'static str, Vec<&HitRecord>); 3] {
        let is_hybrid = self.mode == Mode::Hybrid;
        let is_by_meaning = |hit: &&HitRecord| is_hybrid && hit.by_meaning;
        let is_partial = |hit: &&HitRecord| is_hybrid && !self.is_question && hit.partial;
        let (by_meaning, by_words): (Vec<_>, Vec<_>) = self.hits.iter().partition(is_by_meaning);
        let (partial, full) = by_words.into_iter().partition(is_partial);
        [
            ("", full),
            ("with some of the words:", partial),
            ("by meaning:", by_meaning),
        ]
    }
}

/// Returns the values of `fields` for each hit.
fn values_of_hits(
    session: &Session,
    hits: &[Hit],
    fields: &[&'static Field],
) -> Result<Vec<Map<String, Value>>> {
    if fields.is_empty() {
        return Ok(vec![Map::new(); hits.len()]);
    }
    let cache = session.cache()?;
    let view = session.view(&cache)?;
    let values = hits.iter().map(|hit| {
        let now = view.at(&hit.entry.path)?;
        values_of(&view, now.as_ref().unwrap_or(&hit.entry), fields)
    });
    Ok(values.collect::<Result<Vec<_>, _>>()?)
}

/// Returns the snippet width in columns: at most two rows of the terminal.
fn snippet_width(output: &Output) -> usize {
    let width = SearchOptions::default().snippet_width;
    if output.form != Form::Human || !output.stdout_is_terminal {
        return width;
    }
    let [columns, _] = Terminal::size();
    (2 * columns.saturating_sub(SNIPPET_MARGIN)).clamp(40, width)
}

/// Columns of a row used by the indent, cut marks and words that do not fit.
const SNIPPET_MARGIN: usize = 8;

/// Minimum width to which a title or heading is cut; below it is left out.
const MIN_HEAD_WIDTH: usize = 8;

fn show(output: &Output, hit: &HitRecord) {
    let path = &*hit.shown_path();
    let (place, mut taken) = match &hit.snippet {
        Some(snippet) => {
            let taken = width(path) + 1 + snippet.line.to_string().len();
            (output.place_at(path, snippet.line), taken)
        }
        None => (output.place(path), width(path)),
    };
    let heading = Some(&*hit.heading).filter(|heading| !heading.is_empty());
    let mut head = place;
    for (sign, text) in [("  ", hit.note.own_title()), (" > ", heading)] {
        let Some(text) = text else { continue };
        let mut text = output.clean(text);
        if output.stdout_is_terminal {
            let [columns, _] = Terminal::size();
            let room = columns.saturating_sub(taken + sign.len());
            if room < MIN_HEAD_WIDTH && width(&text) > room {
                break;
            }
            text = cut(&text, room, CutSide::End);
        }
        taken += sign.len() + width(&text);
        if !text.is_empty() {
            head.push_str(sign);
            head.push_str(&output.paint(Style::Title, &text));
        }
    }
    if let Some(newer) = &hit.replaced_by {
        let note = format!("  replaced by {newer}");
        head.push_str(&output.paint(Style::Faint, &note));
    }
    output.line(&head);
    if let Some(snippet) = &hit.snippet {
        output.write_wrapped(&Line::of(None, "  ").join(highlighted(snippet)));
    }
}

fn vimgrep(output: &Output, relative_paths: &RelativePaths<'_>, hits: &[HitRecord]) {
    for hit in hits {
        let relative = relative_paths.path(&hit.shown_path());
        let path = output.clean(&relative.to_string_lossy());
        let (line, column, text) = match &hit.snippet {
            Some(snippet) => (snippet.line, snippet.column + 1, &snippet.text),
            None => (1, 1, &hit.note.title),
        };
        output.line(&format!("{path}:{line}:{column}:{}", output.clean(text)));
    }
}
