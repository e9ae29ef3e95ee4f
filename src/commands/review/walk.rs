//! A person at a terminal, one question after the other.
//!
//! Where somebody left off is remembered on this machine: what was skipped comes last the next time.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use console::Term;
use dialoguer::Select;

use super::answers::{self, AnswerRecord, Given};
use crate::change::acts;
use crate::change::compile::{Compiled, preview};
use crate::change::run_id::RunId;
use crate::change::undo::Target;
use crate::commands::{editor, render, undo};
use crate::error::{Error, Exit};
use crate::finding::Finding;
use crate::finding::plan::{Group, Plan};
use crate::finding::question::{Answer, Kind, QuestionKey};
use crate::journal::decisions::{Decision, REVIEW};
use crate::note;
use crate::note::path::VaultPath;
use crate::note::relation::Relation;
use crate::output::columns::side_by_side;
use crate::output::{Style, diff};
use crate::run::in_use::{InUse, InUseProbe};
use crate::run::report::question::QuestionReport;
use crate::session::Session;
use crate::view::View;

/// Lines of each note that are shown.
const LINES: usize = 18;

/// What a person may choose.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Choice {
    Answer(Answer),
    Edit,
    ShowChanges,
    Skip,
    UndoLast,
    Quit,
}

/// What was answered last, so that it can be taken back.
struct Last<'q> {
    asked: &'q Finding,
    at: usize,
    run: Option<String>,
}

/// Asks one question after the other.
pub(super) fn through(session: &Session, open: &[Finding]) -> Result<Exit, Error> {
    let output = &session.env.output;
    if open.is_empty() {
        output.say("no open questions");
        return Ok(Exit::Nothing);
    }
    let mut skipped = Skipped::load(session);
    let (mut order, later): (Vec<&Finding>, Vec<&Finding>) = open
        .iter()
        .partition(|asked| !skipped.keys.contains(&asked.key));
    order.extend(later);
    let mut last: Option<Last<'_>> = None;
    let mut at = 0;
    let mut answered = 0;
    while let Some(asked) = order.get(at) {
        show(session, asked, [at + 1, order.len()])?;
        let choice = choose(asked, last.is_some())?;
        match choice {
            Choice::Answer(_) | Choice::Edit => {
                let Some(given) = given(session, asked, choice)? else {
                    continue;
                };
                let run = give(session, given, open)?.run;
                last = Some(Last { asked, at, run });
                at += 1;
                answered += 1;
            }
            Choice::ShowChanges => {
                let cache = session.cache()?;
                let view = session.view(&cache)?;
                let report = QuestionReport::of(&session.vault, &view, asked)?;
                diff::print(output, &report.diff)?;
                render::show_left_out(output, &report.left_out)?;
                output.flush()?;
            }
            Choice::Skip => {
                skipped.add(asked.key);
                at += 1;
            }
            Choice::UndoLast => {
                if let Some(last) = last.take() {
                    take_back(session, &last)?;
                    at = last.at;
                    answered -= 1;
                }
            }
            Choice::Quit => {
                skipped.save();
                return Ok(Exit::Done);
            }
        }
    }
    skipped.save();
    let skips = open.len() - answered;
    output.say(&format!("{answered} answered, {skips} skipped"));
    Ok(Exit::Done)
}

/// Returns the answer that a choice is; `None` if the person thought better of it.
fn given(session: &Session, asked: &Finding, choice: Choice) -> Result<Option<Given>, Error> {
    if let Choice::Answer(answer) = choice {
        return Ok(Some(Given::new(asked.key, answer)));
    }
    let mut given = Given::new(asked.key, Answer::Yes);
    given.text = edited(session, asked)?;
    Ok(given.text.is_some().then_some(given))
}

/// Shows a question and its notes side by side.
fn show(session: &Session, asked: &Finding, [number, all]: [usize; 2]) -> Result<(), Error> {
    let output = &session.env.output;
    output.line(&format!(
        "\n{} {}",
        output.paint(Style::Faint, &format!("[{number}/{all}]")),
        output.paint(Style::Title, &asked.question())
    ))?;
    output.line(&format!("reason: {}", output.clean(&asked.reason)))?;
    render::show_quotes(output, asked)?;
    let probe = InUseProbe::new(session, Duration::ZERO);
    for path in &asked.notes {
        if let Some(reason) = probe.reason(path) {
            let path = path.clone();
            output.line(&output.clean(&format!("note: {}", InUse { path, reason })))?;
        }
    }
    let cache = session.cache()?;
    let view = session.view(&cache)?;
    let mut texts = Vec::new();
    for path in &asked.notes {
        texts.push(shown(&view, path)?);
    }
    let (_, width) = Term::stdout().size();
    if let [first, rest @ ..] = texts.as_slice() {
        for other in rest {
            output.line("")?;
            for line in side_by_side([first, other], width.into(), LINES) {
                output.line(&output.clean(&line))?;
            }
        }
    }
    output.line("")?;
    output.flush()
}

/// Returns a note as it is shown beside another: where it lies, since when, what it says.
fn shown(view: &View<'_>, path: &crate::note::path::VaultPath) -> Result<String, Error> {
    let Some(entry) = view.at(path)? else {
        return Ok(format!("{path}\n(gone)"));
    };
    let text = match view.text(&entry) {
        Ok(text) => text,
        Err(error) => return Ok(format!("{path}\n({error})")),
    };
    let note = note::read(&text, path.stem());
    let since = jiff::Timestamp::from_second(entry.row.created)
        .map(|at| at.to_zoned(view.now.time_zone().clone()))
        .map(|at| at.strftime("%Y-%m-%d").to_string())
        .unwrap_or_default();
    Ok(format!(
        "{path}\n{} ({since})\n\n{}",
        note.title,
        text[note.body].trim()
    ))
}

fn choose(asked: &Finding, can_undo: bool) -> Result<Choice, Error> {
    let mut choices: Vec<(String, Choice)> = Vec::new();
    for answer in asked.kind().answers() {
        // What "yes" says already.
        if asked.relation().map(Answer::Is) == Some(*answer) {
            continue;
        }
        choices.push((words(*answer, asked), Choice::Answer(*answer)));
    }
    if asked.kind() == Kind::Merge {
        let edit = format!("yes, but edit the merged text (`{}`)", editor::name());
        choices.push((edit, Choice::Edit));
    }
    choices.push(("show the diff".to_owned(), Choice::ShowChanges));
    choices.push(("skip".to_owned(), Choice::Skip));
    if can_undo {
        choices.push(("undo the last answer".to_owned(), Choice::UndoLast));
    }
    choices.push(("quit".to_owned(), Choice::Quit));
    let skip = choices
        .iter()
        .position(|(_, choice)| *choice == Choice::Skip);
    let chosen = Select::new()
        .items(choices.iter().map(|(words, _)| words))
        .default(skip.unwrap_or(0))
        .interact_opt()
        .map_err(|error| Error::new("cannot ask on this terminal").caused_by(&error))?;
    Ok(chosen.map_or(Choice::Quit, |at| choices[at].1))
}

/// Returns how an answer reads in the menu.
fn words(answer: Answer, asked: &Finding) -> String {
    let other = if asked.kind() == Kind::Conflict {
        "no, the "
    } else {
        "the "
    };
    match answer {
        Answer::Yes => "yes".to_owned(),
        Answer::No => "no".to_owned(),
        Answer::Is(Relation::Contradicts) => "they contradict each other".to_owned(),
        Answer::Is(relation) => format!("{other}first is `{relation}` the second"),
        Answer::Inverse(relation) => format!("{other}second is `{relation}` the first"),
    }
}

fn give(session: &Session, given: Given, open: &[Finding]) -> Result<AnswerRecord, Error> {
    let cache = session.cache()?;
    let mut records = answers::give(session, cache, &[Ok(given)], open, false)?;
    let record = records.remove(0);
    record.show(&session.env.output, open)?;
    session.env.output.flush()?;
    Ok(record)
}

/// Takes the last answer back: what it did is undone, and the question is open again.
fn take_back(session: &Session, last: &Last<'_>) -> Result<(), Error> {
    if let Some(run) = &last.run {
        let run = run
            .parse::<RunId>()
            .map_err(|error| Error::new(error.to_string()))?;
        undo::take_back(session, &Target::Run(run), None)?;
    }
    let (answer, about) = last.asked.stored(Answer::No);
    answers::forget(
        session,
        &[Decision {
            key: last.asked.key,
            kind: last.asked.kind(),
            answer: Some(answer),
            at: session.env.now.timestamp(),
            by: REVIEW.to_owned(),
            about: about.into_iter().map(ToString::to_string).collect(),
            features: BTreeMap::new(),
        }],
    )?;
    session.env.output.line("undone")?;
    session.env.output.flush()
}

/// Returns what the note at `path` says after `group`; `None` if the group does not change it.
fn text_after(session: &Session, group: Group, path: &VaultPath) -> Option<String> {
    let plan = Plan {
        job: String::new(),
        groups: vec![group],
    };
    let compiled = preview(&session.vault, &plan).into_iter().next()?;
    let Compiled::Ready(ready) = compiled else {
        return None;
    };
    let write = ready.writes.iter().find(|write| write.path == *path)?;
    write.after.as_deref().map(str::to_owned)
}

/// Lets the person write the text of the note that a merge keeps; `None` if the editor was left in
/// anger, or with nothing written.
fn edited(session: &Session, asked: &Finding) -> Result<Option<String>, Error> {
    let cache = session.cache()?;
    let view = session.view(&cache)?;
    let group = acts::group(&view, asked, Answer::Yes)
        .map_err(|error| Error::new(format!("cannot be merged: {error}")))?;
    let keeper = &asked.notes[0];
    let merged = match text_after(session, group, keeper) {
        Some(text) => text,
        // It gains nothing.
        None => {
            session
                .vault
                .read(keeper)
                .map_err(|error| Error::new(error.to_string()))?
                .text
        }
    };
    let body = note::read(&merged, keeper.stem()).body;
    let cannot =
        |error: std::io::Error| Error::new("cannot write a file for the editor").caused_by(&error);
    let mut file = tempfile::Builder::new()
        .prefix("mem-review-")
        .suffix(".md")
        .tempfile()
        .map_err(cannot)?;
    file.write_all(merged[body].as_bytes()).map_err(cannot)?;
    file.flush().map_err(cannot)?;
    let ended = editor::open(&[file.path().to_owned()])?;
    if !ended.success() {
        session
            .env
            .output
            .say("the editor failed; nothing was changed");
        return Ok(None);
    }
    // Read by name: an editor may have put another file in its place.
    let text = fs::read_to_string(file.path()).map_err(cannot)?;
    // Emptied to say that it was not meant, as in a commit of git.
    if text.trim().is_empty() {
        session
            .env
            .output
            .say("the text is empty; nothing was changed");
        return Ok(None);
    }
    Ok(Some(text))
}

/// Which questions were skipped, in this vault on this machine.
struct Skipped {
    file: PathBuf,
    keys: Vec<QuestionKey>,
}

impl Skipped {
    fn load(session: &Session) -> Self {
        let file = session.homes.skipped();
        let text = fs::read_to_string(&file).unwrap_or_default();
        Self {
            file,
            keys: text.lines().filter_map(|line| line.parse().ok()).collect(),
        }
    }

    fn add(&mut self, key: QuestionKey) {
        self.keys.retain(|known| *known != key);
        self.keys.push(key);
    }

    /// Keeps it; that it could not be kept costs only the order.
    fn save(&self) {
        let mut lines = String::new();
        for key in &self.keys {
            let _ = writeln!(lines, "{key}");
        }
        let _ = fs::write(&self.file, lines);
    }
}
