//! `mem recall`

use crate::commands::args::query_args::unknown_words;
use crate::commands::args::vaults::{Vaults, in_each_vault, merged};
use crate::commands::prelude::*;
use crate::commands::render::hit_record::HitRecord;
use crate::recall::HIDDEN;
use crate::recall::budget::{MIN_BUDGET, RecalledPassage, fit_to_budget};
use crate::run::plan::open_conflicts::{OpenConflicts, may_be_replaced, questioned};
use crate::session::search::SearchAnswer;

/// Print the passages that answer a question
///
/// Searches like `mem search` and prints the best passages with their sources, up to a token
/// budget. Replaces a superseded note by its successor, and marks contradicted notes and statements
/// that may be out of date. Exits with 1 if nothing relevant was found, or only forgotten or
/// expired notes.
/// `mem help agents` explains the use by agents.
#[derive(Debug, clap::Args)]
pub struct RecallRequest {
    #[command(flatten)]
    pub(crate) query: QueryArgs,
    #[command(flatten)]
    pub(crate) touch: UsageFlag,
    /// Print at most about this many tokens (1 token is about 4 bytes)
    #[arg(long, value_name = "TOKENS", default_value_t = DEFAULT_BUDGET, value_parser = budget)]
    pub budget: usize,
    /// Print everything found: without the budget, and passages of low relevance too
    #[arg(long)]
    pub all: bool,
    /// Use passages from at most N notes
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    /// Explain each score
    #[arg(long)]
    pub explain: bool,
}

/// Tokens printed by default. The right passage is complete after 231 on average, in four vaults.
const DEFAULT_BUDGET: usize = 800;

/// Parses `--budget`.
fn budget(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(tokens) if tokens >= MIN_BUDGET => Ok(tokens),
        _ => Err(format!("expected a number of at least {MIN_BUDGET}")),
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct RecalledPassages {
    query: String,
    mode: Mode,
    /// Approximate number of tokens of all passages.
    tokens: usize,
    /// Number of notes found that did not fit.
    left_out: usize,
    /// Number of forgotten notes that match, if nothing else was found or nothing with half of the
    /// words.
    forgotten: usize,
    /// Number of expired notes that match, in the same cases.
    expired: usize,
    /// Number of notes that match and are not valid yet, in the same cases.
    upcoming: usize,
    /// Words that occur in no note.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<String>,
    hits: Vec<PassageRecord>,
    #[serde(skip)]
    budget: usize,
    /// Whether any note was found, even if none of its passages fits.
    #[serde(skip)]
    is_found: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct PassageRecord {
    #[serde(flatten)]
    hit: HitRecord,
    /// The passage, verbatim.
    text: String,
    tokens: usize,
    /// The line of the note where the passage begins.
    text_line: usize,
    /// The superseded note that matched and that this note replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces: Option<VaultPath>,
    /// Notes that contradict this one, in either direction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contradicts: Vec<VaultPath>,
    /// A newer statement about the same subject with another value. No replacement is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    maybe_outdated_by: Option<VaultPath>,
    /// The id of the open question whether that statement replaces this one, for `mem review`.
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<String>,
    /// Whether the statement has ended by its own dates, such as `until 6 January`, is struck out,
    /// or quotes a note that ended or was removed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    expired: bool,
    /// The line with the source of the passage.
    #[serde(skip)]
    head: String,
}

impl PassageRecord {
    fn new(recalled: RecalledPassage, explain: bool) -> Self {
        let mut hit = recalled.hit;
        let expired = matches!(
            hit.outdated,
            Some(OutdatedReason::Ended | OutdatedReason::Struck | OutdatedReason::SourceEnded(_))
        );
        let (maybe_outdated_by, question) = match hit.outdated.take() {
            Some(OutdatedReason::NewerStatement { newer, question }) => (Some(newer), question),
            _ => (None, None),
        };
        Self {
            text: std::mem::take(&mut hit.excerpt.text),
            tokens: recalled.tokens,
            text_line: hit.excerpt.at.0,
            replaces: hit.replaces.take(),
            contradicts: std::mem::take(&mut hit.contradicts),
            expired,
            maybe_outdated_by,
            question,
            head: recalled.head,
            hit: HitRecord::new(hit, explain),
        }
    }
}

impl PassageRecord {
    /// Returns it as a passage of `vault`, one of several.
    fn of(mut self, vault: &Path, is_further: bool) -> Self {
        if is_further {
            let place = vault.to_string_lossy();
            self.head = self.head.replacen("## ", &format!("## {place}/"), 1);
            if let Some(newer) = &self.maybe_outdated_by {
                let [known, placed] = [
                    format!("newer in {newer}"),
                    format!("newer in {place}/{newer}"),
                ];
                self.head = self.head.replacen(&known, &placed, 1);
            }
        }
        self.hit = self.hit.of(vault, is_further);
        self
    }
}

impl RecalledPassages {
    /// Makes the passages those of the vault `own`, one of `vaults`, without those that a vault inside of it has.
    fn place(&mut self, own: &Path, vaults: &Vaults, is_further: bool) {
        let passages = std::mem::take(&mut self.hits).into_iter();
        let passages = passages.filter(|one| !vaults.has_inner(own, &one.hit.note.path));
        self.hits = passages.map(|one| one.of(own, is_further)).collect();
    }

    /// Drops what does not fit into the budget.
    fn fit(&mut self) {
        self.tokens = 0;
        let (budget, found) = (self.budget, self.hits.len());
        self.hits.retain(|passage| {
            let fits = self.tokens + passage.tokens <= budget;
            self.tokens += if fits { passage.tokens } else { 0 };
            fits
        });
        self.left_out += found - self.hits.len();
    }
}

impl Request for RecallRequest {
    type Reply<'s> = RecalledPassages;

    fn open(&self, env: &Environment) -> Result<Session> {
        self.touch.open(env)
    }

    fn answer(&self, session: &Session) -> Result<RecalledPassages> {
        let (mut recalled, further) = in_each_vault(session, |session| self.recalled(session))?;
        start_in_background(session, RuleEvent::Recall);
        let vaults = Vaults::of(&session.vault, &further);
        if let Some(vaults) = &vaults {
            recalled.place(session.vault.root(), vaults, false);
        }
        for (vault, mut found) in further {
            if let Some(vaults) = &vaults {
                found.place(&vault, vaults, true);
            }
            recalled.is_found |= found.is_found;
            recalled.left_out += found.left_out;
            recalled.forgotten += found.forgotten;
            recalled.unknown.retain(|word| found.unknown.contains(word));
            let hits = found.hits.into_iter();
            recalled.hits = merged(recalled.hits, hits, |passage| passage.hit.rank());
        }
        recalled.fit();
        Ok(recalled)
    }
}

/// Marks hits that an open question of `conflicts` calls replaced, and moves them behind the newer hit. If it was not
/// found, it comes behind them, as it may be about another thing: `find` returns it, and whether it meets the conditions of
/// the query.
fn mark_questioned(
    session: &Session,
    hits: &mut Vec<Hit>,
    find: impl Fn(&VaultPath) -> Result<Option<(Hit, bool)>>,
) -> Result<()> {
    let Some(conflicts) = OpenConflicts::load(session) else {
        return Ok(());
    };
    let key = |hit: &Hit| hit.entry.content_key_with(&hit.details.title);
    for finding in &conflicts.findings {
        let [newer, older] = finding.notes.as_slice() else {
            continue;
        };
        let is_older = |hit: &Hit| hit.entry.path == *older && may_be_replaced(&hit.entry);
        let Some(at) = hits.iter().position(is_older) else {
            continue;
        };
        let is_marked = matches!(
            &hits[at].outdated,
            Some(OutdatedReason::NewerStatement { newer: known, .. }) if known == newer
        );
        if !is_marked && finding.relation() != Some(Relation::EvolvedFrom) {
            continue;
        }
        let newer_at = hits.iter().position(|hit| hit.entry.path == *newer);
        let unfound = match newer_at {
            Some(_) => None,
            None => find(newer)?,
        };
        let unfound_hit = unfound.as_ref().map(|(hit, _)| hit);
        let Some(newer) = newer_at.map(|at| &hits[at]).or(unfound_hit) else {
            continue;
        };
        let keys = [newer, &hits[at]].map(key);
        if newer.outdated.is_some() || !conflicts.is_open(finding, &newer.entry, keys)? {
            continue;
        }
        hits[at].outdated = Some(questioned(finding));
        match newer_at {
            Some(newer_at) if newer_at > at => hits[at..=newer_at].rotate_right(1),
            Some(_) => {}
            None => {
                if let Some((hit, true)) = unfound {
                    hits.insert(at + 1, hit);
                }
            }
        }
    }
    Ok(())
}

impl RecallRequest {
    /// Returns the note at `path` as a hit, unless it is hidden, and whether it meets the flags of the query.
    fn hit_at(&self, session: &Session, path: &VaultPath) -> Result<Option<(Hit, bool)>> {
        let found_with = |only: String| -> Result<Option<Hit>> {
            let options = SearchOptions {
                mode: Mode::Lexical,
                limit: usize::MAX,
                only,
                ..SearchOptions::default()
            };
            let found = session.search(&format!("path:\"{path}\""), &options)?;
            let mut hits = found.results.hits.into_iter();
            Ok(hits.find(|hit| hit.entry.path == *path))
        };
        if let Some(hit) = found_with(self.query.restrictions())? {
            return Ok(Some((hit, true)));
        }
        Ok(found_with(String::new())?.map(|hit| (hit, false)))
    }

    /// Recalls from one vault.
    fn recalled(&self, session: &Session) -> Result<RecalledPassages> {
        let options = SearchOptions {
            limit: self.limit,
            only_relevant: !self.all,
            learned: Some(session.settings.of()),
            ..SearchOptions::default()
        };
        let SearchAnswer { query, mut results } = self.query.search(session, &options)?;
        let is_restricted = query.conditions().next().is_some();
        mark_questioned(session, &mut results.hits, |newer| {
            let found = self.hit_at(session, newer)?;
            Ok(found.map(|(hit, is_met)| (hit, is_met && !is_restricted)))
        })?;
        results.hits.truncate(self.limit);
        let is_found = !results.hits.is_empty();
        let budget = if self.all && self.budget == DEFAULT_BUDGET {
            usize::MAX
        } else {
            self.budget
        };
        let (recalled, left_out) = fit_to_budget(results.hits, budget);
        let notes = recalled.iter().map(|one| &one.hit.entry.path);
        session.note_use(EventKind::Recalled, notes);
        let tokens = recalled.iter().map(|one| one.tokens).sum();
        let passages = recalled.into_iter();
        let hits = passages.map(|one| PassageRecord::new(one, self.explain));
        Ok(RecalledPassages {
            query: self.query.text(),
            mode: results.mode,
            tokens,
            left_out,
            forgotten: results.hidden[0],
            expired: results.hidden[1],
            upcoming: results.hidden[2],
            unknown: results.unknown,
            hits: hits.collect(),
            budget,
            is_found,
        })
    }
}

impl Reply for RecalledPassages {
    fn show(&self, page: &Page<'_>) {
        for (number, passage) in self.hits.iter().enumerate() {
            if number > 0 {
                page.line("");
            }
            page.write_wrapped(&Line::of(Style::Title, &*passage.head));
            if let Some(explanation) = passage.hit.explanation() {
                page.write_wrapped(&explanation.into());
            }
            for line in passage.text.lines() {
                page.write_wrapped(&line.into());
            }
        }
        if self.is_found && !self.unknown.is_empty() {
            page.line("");
            page.line(&unknown_words(&self.unknown));
        }
        let hidden = [self.forgotten, self.expired, self.upcoming];
        if self.is_found && hidden.iter().any(|number| *number > 0) {
            page.line("");
        }
        let found = ["found only", "also found"][usize::from(self.is_found)];
        for (number, kind) in hidden.into_iter().zip(&HIDDEN) {
            if number > 0 {
                let notes = count(number, &format!("{} note", kind.adjective));
                page.line(&format!(
                    "{found} {notes}: add `{}` to the question",
                    kind.condition
                ));
            }
        }
        if self.left_out > 0 {
            let notes = count(self.left_out, "more note");
            page.say(&format!(
                "{notes} did not fit into {} tokens; print them with `--all`",
                self.budget
            ));
        }
    }

    list!(hits);

    fn exit(&self) -> Result<Exit> {
        Ok(Exit::found(self.is_found))
    }
}
