//! The dialogue of `mem review`: one question after another, each answered with one key.

use super::keys::{self, PROMPT};
use super::passage::passage;
use crate::commands::args::prompt::select;
use crate::commands::prelude::*;
use crate::finding::{EditablePart, EvidencePart};
use crate::journal::Opinions;
use crate::output::keys::Key;
use crate::output::lines::cut_middle;
use crate::run::answers::outcome::proposed_text;
use crate::run::answers::walk::{AnswerState, ReviewDialogue};
use crate::run::attention::ReviewBatch;
use crate::run::interrupt::exit_between;
use crate::run::plan::in_use::{InUse, InUseProbe};

/// What follows a key.
enum NextStep {
    /// The next question.
    Question,
    /// The same question; its passage is still visible.
    Prompt,
    End,
}

struct Dialogue<'s> {
    session: &'s Session,
    terminal: &'s Terminal,
    opinions: &'s Opinions,
    walk: ReviewDialogue<'s>,
    interrupted: bool,
}

/// Asks all questions of `offer`; `suggestions` is their number if only today's questions are
/// asked.
pub(super) fn run(
    session: &Session,
    terminal: &Terminal,
    offer: &ReviewBatch,
    suggestions: Option<usize>,
) -> Result<Exit> {
    let as_found = terminal.clone();
    exit_between(&session.env.stop, move || as_found.leave())?;
    let mut dialogue = Dialogue {
        session,
        terminal,
        opinions: &offer.opinions,
        walk: ReviewDialogue::new(session, &offer.findings),
        interrupted: false,
    };
    let ended = dialogue.ask_all();
    dialogue.sum_up(suggestions);
    ended?;
    session.env.output.flush()?;
    Ok(if dialogue.interrupted {
        Exit::Interrupted
    } else {
        Exit::Done
    })
}

impl Dialogue<'_> {
    fn ask_all(&mut self) -> Result<()> {
        while self.walk.advance() {
            let prompt = match self.show()? {
                Ok(prompt) => prompt,
                Err(why) => {
                    self.walk.pass_over();
                    let output = &self.session.env.output;
                    let question = output.clean(&self.walk.asked().question());
                    output.line(&format!("skipped: {question} ({})", output.clean(&why)));
                    continue;
                }
            };
            loop {
                let choice = self.choose(&prompt)?;
                match self.act(choice)? {
                    NextStep::Question => break,
                    NextStep::Prompt => {}
                    NextStep::End => return Ok(()),
                }
            }
        }
        Ok(())
    }

    /// Shows the passage of a question, cut to the screen, and returns the prompt.
    ///
    /// Returns the reason if the question is obsolete.
    fn show(&self) -> Result<Result<Vec<Line>, String>> {
        let (output, asked) = (&self.session.env.output, self.walk.asked());
        let [width, height] = Terminal::size();
        let cache = self.session.cache()?;
        let view = self.session.view(&cache)?;
        let lines = match passage(self.session, &view, asked)? {
            Ok(lines) => lines,
            Err(why) => return Ok(Err(why)),
        };
        let mut below = vec![Line::default()];
        // The reason of a mention is its passage.
        if asked.kind().spec().evidence != EvidencePart::Line {
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
        let place = format!("({}/{}) ", self.walk.at + 1, self.walk.order.len());
        let question = Line::of(Style::Faint, place).and(Style::Title, asked.question());
        let prompt = self.prompt(question, PROMPT);
        let room = height.saturating_sub(below.len() + prompt.len() + 1);
        let fitted = output.fitted(&lines, width);
        let lines = cut_middle(fitted, room, |left_out| {
            format!("… {} more, d shows all", count(left_out, "line"))
        });
        output.line("");
        output.write_lines(&lines);
        output.write_lines(&below);
        Ok(Ok(prompt))
    }

    /// Returns the rows of a question with its keys on one row, leaving room for input.
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

    /// Waits for a key.
    fn press(&self, prompt: &[Line]) -> Result<Key> {
        let output = &self.session.env.output;
        let rows: Vec<String> = prompt.iter().map(|row| output.painted(row)).collect();
        loop {
            let pressed = self.terminal.ask(|| {
                output.raw(format!("{} ", rows.join("\n")).as_bytes());
                output.flush()
            })?;
            match pressed {
                Key::Ctrl('z') => self.terminal.suspend(),
                pressed => return Ok(pressed),
            }
        }
    }

    /// Waits for a key that has an action.
    fn choose(&mut self, prompt: &[Line]) -> Result<Key> {
        let mut pressed = self.press(prompt)?;
        let typed = loop {
            match pressed {
                Key::Char(c) => break c.to_string(),
                Key::Ctrl(c @ ('c' | 'd')) => break format!("^{}", c.to_ascii_uppercase()),
                Key::Ctrl('z') => {
                    self.terminal.suspend();
                    pressed = self.press(prompt)?;
                }
                _ => pressed = self.terminal.ask(|| Ok(()))?,
            }
        };
        self.interrupted = pressed == Key::Ctrl('c');
        self.session.env.output.line(&typed);
        Ok(pressed)
    }

    fn act(&mut self, pressed: Key) -> Result<NextStep> {
        let at = self.walk.at;
        match pressed {
            Key::Char('y') => self.give(&[at], Answer::Yes, None)?,
            Key::Char('n') => self.give(&[at], Answer::No, None)?,
            Key::Char('e') => return self.edit(),
            Key::Char('d') => {
                self.show_details(&[at])?;
                return Ok(NextStep::Prompt);
            }
            Key::Char('s') => self.walk.skip(),
            Key::Char('u') => return self.undo_last(),
            Key::Char('a') => return self.all_like_this(),
            Key::Char('q') | Key::Ctrl(_) => return Ok(NextStep::End),
            // As in `git add -p`, unknown keys show the help.
            _ => {
                let output = &self.session.env.output;
                for line in keys::help(self.walk.asked(), self.walk.similar_questions().len()) {
                    output.write_wrapped(&Line::of(None, line));
                }
                return Ok(NextStep::Prompt);
            }
        }
        Ok(NextStep::Question)
    }

    /// Answers yes with an edited text, another relation or one version.
    fn edit(&mut self) -> Result<NextStep> {
        if self.walk.asked().kind().spec().edit.is_text() {
            // Ctrl-C belongs to the editor; the saved text is an answer.
            let stop = self.session.env.stop.clone();
            let _section = stop.critical_section();
            let Some(text) = edited_text(self.session, self.walk.asked())? else {
                return Ok(NextStep::Prompt);
            };
            self.give(&[self.walk.at], Answer::Yes, Some(&text))
                .map_err(|error| editor::with_saved_text(error, &text))?;
            if self.walk.state() == AnswerState::Gone {
                let error = Error::new("the edited text was rejected");
                let output = &self.session.env.output;
                output.fail(&editor::with_saved_text(error, &text));
            }
            return Ok(NextStep::Question);
        }
        let output = &self.session.env.output;
        let relations = keys::relations(self.walk.asked());
        if relations.is_empty() {
            output.line("nothing to edit; answer yes or no");
            return Ok(NextStep::Prompt);
        }
        let lines = relations.iter().map(|(_, words)| Line::of(None, words));
        let items: Vec<Line> = lines.collect();
        let title = match self.walk.asked().kind().spec().edit {
            EditablePart::Version => "Which version?",
            _ => "Which relation?",
        };
        let Some(chosen) = select(&self.session.env, title, &items) else {
            return Ok(NextStep::Prompt);
        };
        let (answer, _) = relations[chosen];
        self.give(&[self.walk.at], answer, None)?;
        Ok(NextStep::Question)
    }

    /// Shows the diffs of a yes to each of these questions.
    fn show_details(&self, numbers: &[usize]) -> Result<()> {
        let output = &self.session.env.output;
        let cache = self.session.cache()?;
        let view = self.session.view(&cache)?;
        for number in numbers {
            let report = QuestionReport::of(&self.session.vault, &view, self.walk.order[*number])?;
            if report.diff.is_empty() {
                output.line("nothing can be changed now");
            }
            diff::print(output, &report.diff);
            render::show_left_out(output, &report.left_out);
        }
        output.line("");
        Ok(())
    }

    /// Previews the same answer for all questions of the kind, and asks for confirmation.
    fn all_like_this(&mut self) -> Result<NextStep> {
        let output = &self.session.env.output;
        let numbers = self.walk.similar_questions();
        let all = count(numbers.len(), self.walk.asked().kind().name());
        let [width, height] = Terminal::size();
        let fitted = output.fitted(&self.dry_run(&numbers)?, width);
        let lines = cut_middle(fitted, height.saturating_sub(2), |left_out| {
            format!("… {} more, d shows all", count(left_out, "line"))
        });
        output.write_lines(&lines);
        let question = Line::of(Style::Title, format!("Yes to {all}?"));
        let prompt = self.prompt(
            question,
            "[y yes to all, r reject all, d details, other keys go back]",
        );
        loop {
            let pressed = self.press(&prompt)?;
            let shown = match pressed {
                Key::Char(c) => c.to_string(),
                _ => String::new(),
            };
            output.line(&shown);
            match pressed {
                Key::Char('y') => self.give(&numbers, Answer::Yes, None)?,
                Key::Char('r') => self.give(&numbers, Answer::No, None)?,
                Key::Char('d') => {
                    self.show_details(&numbers)?;
                    continue;
                }
                Key::Ctrl('c' | 'd') => {
                    self.interrupted = pressed == Key::Ctrl('c');
                    return Ok(NextStep::End);
                }
                // Shows the question again, since its passage may have scrolled away.
                _ => {}
            }
            return Ok(NextStep::Question);
        }
    }

    /// Returns the effect of a yes to each of these questions, one line each.
    fn dry_run(&self, numbers: &[usize]) -> Result<Vec<Line>> {
        let records = self.walk.preview(numbers)?;
        let lines = records.into_iter().zip(numbers).map(|(record, number)| {
            let title = self.walk.order[*number].title();
            match (record.is_well(), record.why) {
                (true, _) => Line::of(None, format!("would {title}")),
                (false, why) => {
                    let why = why.unwrap_or_else(|| record.outcome.name().to_owned());
                    Line::of(Style::Warning, format!("would skip: {title} ({why})"))
                }
            }
        });
        Ok(lines.collect())
    }

    /// Gives one answer to these questions and shows the outcomes.
    fn give(&mut self, numbers: &[usize], answer: Answer, text: Option<&str>) -> Result<()> {
        for record in self.walk.give(numbers, answer, text)? {
            render::show_answer(&record, &self.session.env.output, self.walk.open);
        }
        Ok(())
    }

    /// Undoes the last answer.
    fn undo_last(&mut self) -> Result<NextStep> {
        let output = &self.session.env.output;
        let Some(kept) = self.walk.take_back()? else {
            output.line("nothing to undo");
            return Ok(NextStep::Prompt);
        };
        for why in kept {
            output.line(&output.clean(&format!("kept: {why}")));
        }
        output.line("undone");
        Ok(NextStep::Question)
    }

    /// Reports the numbers of answers and the hint to undo.
    fn sum_up(&self, suggestions: Option<usize>) {
        let of = |state| self.walk.count(state);
        let (yes, no, skipped) = (
            of(AnswerState::Yes),
            of(AnswerState::No),
            of(AnswerState::Skipped),
        );
        let output = &self.session.env.output;
        let left = count(skipped + of(AnswerState::Open), "question");
        let today = suggestions.map_or("", |_| " today");
        output.say(&format!(
            "{yes} yes, {no} no, {skipped} skipped; {left} left{today}"
        ));
        if let Some(suggestions) = suggestions.filter(|suggestions| *suggestions > 0) {
            let suggestions = count(suggestions, "suggestion");
            output.say(&format!("{suggestions}: `mem review --all`"));
        }
        let mut runs = self.walk.runs();
        if let Some(run) = runs.next_back() {
            let others = match runs.count() {
                0 => String::new(),
                others => format!("; {others} more in `mem history --job review`"),
            };
            output.say(&format!("undo with `mem undo {}`{others}", short_id(run)));
        }
    }
}

/// Opens the proposed text in an editor; `None` if nothing was saved.
fn edited_text(session: &Session, asked: &Finding) -> Result<Option<String>> {
    let proposed = proposed_text(session, asked)?;
    let output = &session.env.output;
    let text = match editor::text(&session.env, None, &proposed) {
        Ok(text) => text,
        Err(error) => {
            output.fail(&error);
            return Ok(None);
        }
    };
    // An emptied text cancels, as for a git commit message.
    if text.trim().is_empty() {
        output.say("nothing was saved; the question is still open");
        return Ok(None);
    }
    Ok(Some(match asked.kind().spec().edit {
        EditablePart::Line => text.trim_end_matches(['\n', '\r']).to_owned(),
        _ => text,
    }))
}
