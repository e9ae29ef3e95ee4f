//! A person at a terminal, one question after the other, each answered by one key.
//!
//! Where somebody left off is remembered on this machine: what was skipped comes last the next time.

use std::collections::BTreeMap;
use std::time::Duration;

use super::answers::{self, AnswerLine};
use super::keys::{self, Choice, PROMPT};
use super::outcome::edited;
use super::passage::passage;

use crate::change::run_id::{RunId, short as short_id};
use crate::change::undo::{Target, UndoVerdict};
use crate::commands::args::editor;
use crate::commands::args::prompt::{INTERRUPTED, select};
use crate::commands::render;
use crate::commands::writing::undo;
use crate::error::{Error, Exit};
use crate::finding::Finding;
use crate::finding::question::{Answer, Kind, QuestionKey};
use crate::journal::decisions::{Decision, REVIEW};
use crate::journal::opinions::Opinions;
use crate::output::lines::{Line, cut_in_the_middle};
use crate::output::terminal::{Pressed, Terminal};
use crate::output::{Style, count, diff};
use crate::run::answers::skipped::Skipped;
use crate::run::answers::{forget, parts};
use crate::run::attention::Offer;
use crate::run::plan::in_use::{InUse, InUseProbe};
use crate::run::report::question::QuestionReport;
use crate::run::sleep::signals::exit_between;
use crate::session::Session;

/// What became of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    Yes,
    No,
    Skipped,
    /// It cannot be asked any more.
    Gone,
}

/// What can be taken back at once.
struct Step {
    /// The question at which it was said.
    at: usize,
    /// The questions that it answered.
    numbers: Vec<usize>,
    run: Option<String>,
}

/// What follows a key.
enum Next {
    /// The next question.
    Question,
    /// The same one, of which the passage is still on the screen.
    Prompt,
    End,
}

struct Walk<'s> {
    session: &'s Session,
    terminal: &'s Terminal,
    open: &'s [Finding],
    opinions: &'s Opinions,
    order: Vec<&'s Finding>,
    states: Vec<State>,
    steps: Vec<Step>,
    at: usize,
    skipped: Skipped,
    interrupted: bool,
}

/// Asks one question after the other: those of today, beside which there are so many `suggestions`, or
/// what a person asked for.
pub(super) fn through(
    session: &Session,
    terminal: &Terminal,
    offer: &Offer,
    suggestions: Option<usize>,
) -> Result<Exit, Error> {
    let open = &offer.findings;
    let as_found = terminal.clone();
    exit_between(&session.env.stop, move || as_found.leave())?;
    let skipped = Skipped::load(session);
    let order = skipped.last(open);
    let mut walk = Walk {
        session,
        terminal,
        open,
        opinions: &offer.opinions,
        states: vec![State::Open; order.len()],
        order,
        steps: Vec::new(),
        at: 0,
        skipped,
        interrupted: false,
    };
    let ended = walk.ask_all();
    walk.sum_up(suggestions);
    ended?;
    session.env.output.flush()?;
    if walk.interrupted {
        std::process::exit(INTERRUPTED);
    }
    Ok(Exit::Done)
}

impl Walk<'_> {
    fn ask_all(&mut self) -> Result<(), Error> {
        while let Some(at) = self.next() {
            self.at = at;
            let prompt = match self.show()? {
                Ok(prompt) => prompt,
                Err(why) => {
                    self.states[at] = State::Gone;
                    let output = &self.session.env.output;
                    let question = output.clean(&self.order[at].question());
                    output.line(&format!("passed over: {question} ({})", output.clean(&why)))?;
                    continue;
                }
            };
            loop {
                let choice = self.choose(&prompt)?;
                match self.act(choice)? {
                    Next::Question => break,
                    Next::Prompt => {}
                    Next::End => return Ok(()),
                }
            }
        }
        Ok(())
    }

    /// Returns the next open question, the one at which the walk stands first.
    fn next(&self) -> Option<usize> {
        let mut rest = self.at..self.order.len();
        rest.find(|at| self.states[*at] == State::Open)
    }

    fn asked(&self) -> &Finding {
        self.order[self.at]
    }

    /// Shows what a question is about, no more than the screen has room for, and returns the question;
    /// the reason if it cannot be asked any more.
    fn show(&self) -> Result<Result<Vec<Line>, String>, Error> {
        let (output, asked) = (&self.session.env.output, self.asked());
        let [width, height] = Terminal::size();
        let cache = self.session.cache()?;
        let view = self.session.view(&cache)?;
        let lines = match passage(self.session, &view, asked)? {
            Ok(lines) => lines,
            Err(why) => return Ok(Err(why)),
        };
        let mut below = vec![Line::default()];
        // Of a mention the reason is the passage.
        if asked.kind() != Kind::Mention {
            below.push(Line::of(Style::Faint, format!("reason: {}", asked.reason)));
        }
        let said = render::opinions(asked, self.opinions).into_iter();
        below.extend(said.map(|said| Line::of(Style::Faint, said)));
        let probe = InUseProbe::new(self.session, Duration::ZERO);
        for path in &asked.notes {
            if let Some(reason) = probe.reason(path) {
                let path = path.clone();
                let note = format!("note: {}", InUse { path, reason });
                below.push(Line::of(Style::Warning, note));
            }
        }
        let below = output.fitted(&below, width);
        let place = format!("({}/{}) ", self.at + 1, self.order.len());
        let question = Line::of(Style::Faint, place).and(Style::Title, asked.question());
        let prompt = self.prompt(question, PROMPT);
        let room = height.saturating_sub(below.len() + prompt.len() + 1);
        let lines = output.fitted(&lines, width);
        let lines = cut_in_the_middle(lines, room, |left_out| {
            format!("… {} more, d shows all", count(left_out, "line"))
        });
        output.line("")?;
        output.write_lines(&lines)?;
        output.write_lines(&below)?;
        Ok(Ok(prompt))
    }

    /// Returns a question with its keys, which stay together, with room for what is typed.
    fn prompt(&self, question: Line, keys: &str) -> Vec<Line> {
        let [width, _] = Terminal::size();
        let mut rows = self.session.env.output.fitted(&[question], width);
        let keys = Line::of(Style::Faint, keys);
        match rows.pop() {
            Some(last) if last.width() + keys.width() + 3 <= width => {
                rows.push(last.and(None, " ").join(keys));
            }
            last => rows.extend(last.into_iter().chain([keys])),
        }
        rows
    }

    /// Asks for a key.
    fn press(&self, prompt: &[Line]) -> Result<Pressed, Error> {
        let output = &self.session.env.output;
        let rows: Vec<String> = prompt.iter().map(|row| output.painted(row)).collect();
        loop {
            let pressed = self.terminal.ask(|| {
                output.raw(format!("{} ", rows.join("\n")).as_bytes())?;
                output.flush()
            })?;
            match pressed {
                Pressed::Suspend => self.terminal.suspend(),
                pressed => return Ok(pressed),
            }
        }
    }

    fn choose(&mut self, prompt: &[Line]) -> Result<Choice, Error> {
        let mut pressed = self.press(prompt)?;
        let choice = loop {
            match Choice::of(pressed) {
                Some(choice) => break choice,
                None if pressed == Pressed::Suspend => {
                    self.terminal.suspend();
                    pressed = self.press(prompt)?;
                }
                None => pressed = self.terminal.ask(|| Ok(()))?,
            }
        };
        self.interrupted = pressed == Pressed::Interrupt;
        let typed = if self.interrupted {
            "^C".to_owned()
        } else {
            choice.key().to_string()
        };
        self.session.env.output.line(&typed)?;
        Ok(choice)
    }

    fn act(&mut self, choice: Choice) -> Result<Next, Error> {
        let key = self.asked().key;
        match choice {
            Choice::Yes => self.give(&[self.at], Answer::Yes, None)?,
            Choice::No => self.give(&[self.at], Answer::No, None)?,
            Choice::Edit => return self.edit(),
            Choice::Details => {
                self.show_details(&[self.at])?;
                return Ok(Next::Prompt);
            }
            Choice::Skip => {
                self.states[self.at] = State::Skipped;
                self.skipped.add(key);
                self.steps.push(Step {
                    at: self.at,
                    numbers: vec![self.at],
                    run: None,
                });
            }
            Choice::Undo => {
                let Some(step) = self.steps.pop() else {
                    self.session.env.output.line("nothing to undo here")?;
                    return Ok(Next::Prompt);
                };
                self.take_back(&step)?;
            }
            Choice::AllLikeThis => return self.all_like_this(),
            Choice::Quit => return Ok(Next::End),
            Choice::Help => {
                let output = &self.session.env.output;
                for line in keys::help(self.asked(), self.alike().len()) {
                    output.write_wrapped(&Line::of(None, line))?;
                }
                return Ok(Next::Prompt);
            }
        }
        Ok(Next::Question)
    }

    /// Yes, but otherwise: with another text, or by another relation.
    fn edit(&mut self) -> Result<Next, Error> {
        if matches!(self.asked().kind(), Kind::Merge | Kind::Mention) {
            // Ctrl-C belongs to the editor; what it leaves is an answer.
            let stop = self.session.env.stop.clone();
            let _section = stop.critical_section();
            let Some(text) = edited(self.session, self.asked())? else {
                return Ok(Next::Prompt);
            };
            self.give(&[self.at], Answer::Yes, Some(&text))
                .map_err(|error| editor::keeping(error, &text))?;
            if self.states[self.at] == State::Gone {
                let error = Error::new("the text was not taken");
                let output = &self.session.env.output;
                output.fail(&editor::keeping(error, &text));
            }
            return Ok(Next::Question);
        }
        let output = &self.session.env.output;
        let relations = keys::relations(self.asked());
        if relations.is_empty() {
            output.line("there is nothing to edit: yes or no")?;
            return Ok(Next::Prompt);
        }
        let items: Vec<Line> = relations
            .iter()
            .map(|(_, words)| Line::of(None, words))
            .collect();
        let Some(chosen) = select(&self.session.env, "Which relation?", &items) else {
            return Ok(Next::Prompt);
        };
        let (answer, _) = relations[chosen];
        self.give(&[self.at], answer, None)?;
        Ok(Next::Question)
    }

    /// Shows how the files change by a yes to each of these.
    fn show_details(&self, numbers: &[usize]) -> Result<(), Error> {
        let output = &self.session.env.output;
        let cache = self.session.cache()?;
        let view = self.session.view(&cache)?;
        for number in numbers {
            let report = QuestionReport::of(&self.session.vault, &view, self.order[*number])?;
            if report.diff.is_empty() {
                output.line("nothing can be changed now")?;
            }
            diff::print(output, &report.diff)?;
            render::show_left_out(output, &report.left_out)?;
        }
        output.line("")
    }

    /// Returns the questions like this one that are open and were not skipped, this one included: of its
    /// kind, about the same relation.
    fn alike(&self) -> Vec<usize> {
        let like = |asked: &Finding| (asked.kind(), asked.relation());
        let this = like(self.asked());
        let all = 0..self.order.len();
        let open = all.filter(|at| self.states[*at] == State::Open);
        open.filter(|at| like(self.order[*at]) == this).collect()
    }

    /// Shows what a yes to all would do, and asks whether that is meant.
    fn all_like_this(&mut self) -> Result<Next, Error> {
        let output = &self.session.env.output;
        let numbers = self.alike();
        let all = count(numbers.len(), self.asked().kind().name());
        let [width, height] = Terminal::size();
        let lines = output.fitted(&self.dry_run(&numbers)?, width);
        let lines = cut_in_the_middle(lines, height.saturating_sub(2), |left_out| {
            format!("… {} more, d shows all", count(left_out, "line"))
        });
        output.write_lines(&lines)?;
        let question = Line::of(Style::Title, format!("Yes to {all}?"));
        let prompt = self.prompt(
            question,
            "[y yes to all, r reject all, d details, other keys go back]",
        );
        loop {
            let pressed = self.press(&prompt)?;
            let shown = match pressed {
                Pressed::Char(c) if !c.is_control() => c.to_string(),
                _ => String::new(),
            };
            output.line(&shown)?;
            match pressed {
                Pressed::Char('y') => self.give(&numbers, Answer::Yes, None)?,
                Pressed::Char('r') => self.give(&numbers, Answer::No, None)?,
                Pressed::Char('d') => {
                    self.show_details(&numbers)?;
                    continue;
                }
                Pressed::Interrupt | Pressed::End => {
                    self.interrupted = pressed == Pressed::Interrupt;
                    return Ok(Next::End);
                }
                // Where the passage may not be on the screen any more.
                _ => {}
            }
            return Ok(Next::Question);
        }
    }

    /// Returns what a yes to each of these would do, a line each.
    fn dry_run(&self, numbers: &[usize]) -> Result<Vec<Line>, Error> {
        let lines = self.lines(numbers, Answer::Yes, None);
        let cache = self.session.cache()?;
        let records = answers::give(self.session, cache, &lines, self.open, true)?;
        let lines = records.into_iter().zip(numbers).map(|(record, number)| {
            let title = self.order[*number].title();
            match (record.is_well(), record.why) {
                (true, _) => Line::of(None, format!("would {title}")),
                (false, why) => {
                    let why = why.unwrap_or_else(|| record.outcome.to_owned());
                    Line::of(Style::Warning, format!("would skip: {title} ({why})"))
                }
            }
        });
        Ok(lines.collect())
    }

    /// Returns the same answer for each of these questions.
    fn lines(
        &self,
        numbers: &[usize],
        answer: Answer,
        text: Option<&str>,
    ) -> Vec<Result<AnswerLine, String>> {
        let keys = numbers.iter().map(|number| self.order[*number].key);
        let given = keys.map(|key| AnswerLine::new(key, answer).with_text(text.map(str::to_owned)));
        given.map(Ok).collect()
    }

    /// Gives one answer to these questions, in one run, and says what became of it.
    fn give(&mut self, numbers: &[usize], answer: Answer, text: Option<&str>) -> Result<(), Error> {
        let lines = self.lines(numbers, answer, text);
        let records = {
            // A signal waits until what was answered is done.
            let _section = self.session.env.stop.critical_section();
            let cache = self.session.cache()?;
            answers::give(self.session, cache, &lines, self.open, false)?
        };
        self.skipped = Skipped::load(self.session);
        let output = &self.session.env.output;
        for record in &records {
            answers::show(record, output, self.open)?;
        }
        let mut step = Step {
            at: self.at,
            numbers: Vec::new(),
            run: records.iter().find_map(|record| record.run.clone()),
        };
        for (number, record) in numbers.iter().zip(&records) {
            self.states[*number] = match answer {
                // It was not taken, and is still open.
                _ if !record.is_kept() => State::Gone,
                Answer::No => State::No,
                _ => State::Yes,
            };
            if record.is_kept() {
                step.numbers.push(*number);
            }
        }
        if !step.numbers.is_empty() {
            self.steps.push(step);
        }
        Ok(())
    }

    /// Takes back what was said last: what it did is undone, and the questions are open again.
    fn take_back(&mut self, step: &Step) -> Result<(), Error> {
        let output = &self.session.env.output;
        let mut undone: Vec<QuestionKey> = Vec::new();
        let mut stays: Vec<QuestionKey> = Vec::new();
        {
            let _section = self.session.env.stop.critical_section();
            if let Some(run) = &step.run {
                let run = run
                    .parse::<RunId>()
                    .map_err(|error| Error::new(error.to_string()))?;
                let report = undo::take_back(self.session, &Target::Run(run), None)?;
                for group in report.groups {
                    match group.verdict {
                        UndoVerdict::Undone => undone.extend(group.question),
                        UndoVerdict::NothingLeft => {}
                        UndoVerdict::Kept { path, reason } => {
                            output.line(&output.clean(&format!("kept: {path}: {reason}")))?;
                            stays.extend(group.question);
                        }
                    }
                }
            }
            // The undo has forgotten those that it took back.
            let asked = step.numbers.iter().map(|number| self.order[*number]);
            let forgotten = asked
                .filter(|asked| self.is_answered(asked))
                .filter(|asked| !undone.contains(&asked.key) && !stays.contains(&asked.key))
                .flat_map(|asked| {
                    let decision = self.decision(asked);
                    let mut parts = parts(asked, &decision);
                    parts.push(decision);
                    parts
                });
            forget(self.session, &forgotten.collect::<Vec<_>>())?;
        }
        for number in &step.numbers {
            let key = self.order[*number].key;
            if !stays.contains(&key) {
                self.states[*number] = State::Open;
                self.skipped.remove(&[key]);
            }
        }
        self.at = step.at;
        output.line("undone")
    }

    fn is_answered(&self, asked: &Finding) -> bool {
        let mut states = self.order.iter().zip(&self.states);
        states
            .any(|(other, state)| other.key == asked.key && matches!(state, State::Yes | State::No))
    }

    /// Returns an answer to `asked`, to be forgotten.
    fn decision(&self, asked: &Finding) -> Decision {
        let (answer, about) = asked.stored(Answer::No);
        Decision {
            key: asked.key,
            kind: asked.kind(),
            answer: Some(answer),
            at: self.session.env.now.timestamp(),
            by: REVIEW.to_owned(),
            about: about.into_iter().map(ToString::to_string).collect(),
            features: BTreeMap::new(),
        }
    }

    /// Says what was answered, what is left, and how to take it back.
    fn sum_up(&self, suggestions: Option<usize>) {
        let of = |state| self.states.iter().filter(|one| **one == state).count();
        let (yes, no, skipped) = (of(State::Yes), of(State::No), of(State::Skipped));
        let output = &self.session.env.output;
        let left = count(skipped + of(State::Open), "question");
        let today = suggestions.map_or("", |_| " today");
        output.say(&format!(
            "{yes} yes, {no} no, {skipped} skipped; {left} left{today}"
        ));
        if let Some(suggestions) = suggestions.filter(|suggestions| *suggestions > 0) {
            let suggestions = count(suggestions, "suggestion");
            output.say(&format!("{suggestions}: `mem review --all`"));
        }
        let mut runs = self.steps.iter().filter_map(|step| step.run.as_deref());
        if let Some(run) = runs.next_back() {
            let others = match runs.count() {
                0 => String::new(),
                others => format!("; {others} more in `mem history --job review`"),
            };
            output.say(&format!("undo with `mem undo {}`{others}", short_id(run)));
        }
    }
}
