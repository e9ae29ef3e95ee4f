//! `views`: updates generated lists in notes.
//!
//! ```text
//! <!-- mem list tag:open sort:created -->
//! - [[Buy tea]]
//! <!-- /mem 1f0c22d9 -->
//! ```
//!
//! | condition | result |
//! |---|---|
//! | the lines between the marks differ from the current result of the query | they are rewritten: certain, as the author of the marks requested it |
//! | a person edited the lines | they are kept, and the note is reported |
//! | the command or its query is invalid | the same |
//!
//! A list depends on all notes and, depending on the query, on the date, so each run checks every list. The text
//! index finds the notes with lists. Other jobs ignore the lines
//! ([`listing`](crate::note::markdown::listing)), so an update causes no further findings.

mod lines;

use super::cluster;
use crate::config::did_you_mean;
use crate::jobs::prelude::*;
use crate::note::markdown::listing::{Listing, ListingForm};
use crate::note::markdown::marks::{Marks, scan};

/// Job table entry.
pub static JOB: Job = Job {
    name: ViewsOptions::NAME,
    aliases: &[],
    about: "Update the lists of notes inside notes",
    help: include_str!("help.txt"),
    looks: ("list", "checked"),
    done: "updated",
    nothing: "all lists are up to date",
    every: Interval::days(1),
    every_about: "how often `mem sleep` runs views",
    kinds: &[QuestionKind::View],
    options: job::JobOptions::of::<ViewsOptions>(),
};

section! {
    /// Which lists are updated.
    pub struct ViewsOptions: "views", everyday [notes] {
        /// in which notes lists between marks are updated: those written by mem or an agent, or all
        notes: NoteScope = NoteScope::All, "managed or all";
    }
}

impl Find for ViewsOptions {
    fn find(&self, view: &View<'_>, _: &Answers, seeds: &Seeds) -> Result<Findings> {
        let mut findings = Findings::default();
        for note in notes_with_lists(view)? {
            if !seeds.has(note.slot) || !self.notes.has(&note) {
                continue;
            }
            add_findings(view, &note, &mut findings)?;
        }
        Ok(findings)
    }

    /// Lists depend on all notes.
    fn always_full(&self) -> bool {
        true
    }
}

/// Adds the lists of `note` that differ from their current result, and the problems of others.
fn add_findings(view: &View<'_>, note: &Entry, findings: &mut Findings) -> Result<()> {
    let text = match view.text(note) {
        Ok(text) => text,
        Err(error) => {
            findings.skipped.extend(error.skipped());
            return Ok(());
        }
    };
    let path = &note.path;
    let marks = scan(&text);
    findings.skipped.extend(problems(note, &text, &marks));
    for block in marks.blocks {
        let command = &text[block.command.clone()];
        let Some(listing) = Listing::of(command) else {
            continue;
        };
        findings.compared += 1;
        if !block.is_untouched(&text) {
            continue;
        }
        let rendered = match listing {
            Ok(listing) => lines::render(view, note, &listing)?,
            Err(why) => Err(why),
        };
        match rendered {
            Ok(lines) if lines.is_empty() && text[block.inner.clone()].trim().is_empty() => {}
            Ok(lines) if block.replaced(&text, &lines).is_some() => {
                // Identical lists in a note are updated by one act.
                let finding = finding(view, note, command, lines)?;
                if !findings.found.iter().any(|found| found.key == finding.key) {
                    findings.found.push(finding);
                }
            }
            Ok(_) => {}
            Err(why) => findings
                .skipped
                .push(format!("`{path}`, line {}: `{command}`: {why}", block.line)),
        }
    }
    Ok(())
}

/// Returns the updates of the lists in `note`.
pub fn updates(view: &View<'_>, note: &Entry, options: &ViewsOptions) -> Result<Vec<Act>> {
    let mut findings = Findings::default();
    if options.notes.has(note) {
        add_findings(view, note, &mut findings)?;
    }
    Ok(findings
        .found
        .into_iter()
        .flat_map(|found| found.acts)
        .collect())
}

/// Returns the lists that are not updated, with the reason: invalid marks, or lines edited by hand.
fn problems(note: &Entry, text: &str, marks: &Marks) -> Vec<String> {
    let path = &note.path;
    let broken = marks.broken.iter();
    let mut problems: Vec<String> = broken
        .map(|(line, why)| format!("`{path}`, line {line}: {why}"))
        .collect();
    for block in &marks.blocks {
        let command = &text[block.command.clone()];
        let line = block.line;
        let form = command.split_whitespace().next().unwrap_or_default();
        if Listing::of(command).is_none() && form != cluster::COMMAND {
            let forms = ListingForm::ALL.map(|form| form.name().to_owned());
            let other = did_you_mean(form, forms);
            problems.push(format!(
                "`{path}`, line {line}: `{form}` is not a list command{other}"
            ));
        } else if Listing::of(command).is_some() && !block.is_untouched(text) {
            problems.push(format!(
                "`{path}`, line {line}: the lines of `{command}` were edited by hand"
            ));
        }
    }
    problems
}

/// Returns the results of [`problems`] for all notes.
pub fn all_problems(view: &View<'_>) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for note in notes_with_lists(view)? {
        // Unreadable notes are reported separately.
        if let Ok(text) = view.text(&note) {
            found.extend(problems(&note, &text, &scan(&text)));
        }
    }
    Ok(found)
}

/// Returns true if the vault may contain a list.
pub fn may_have_lists(view: &View<'_>) -> Result<bool> {
    for form in ListingForm::ALL {
        if !view
            .with_phrase(&format!("mem {}", form.name()))?
            .is_empty()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the notes that may have a list, ordered by path.
fn notes_with_lists(view: &View<'_>) -> Result<Vec<Entry>> {
    // Search for the mark, whatever its command.
    let mut entries = view.sorted(view.with_phrase("mem")?)?;
    entries.retain(|entry| !entry.row.flags.has(Flags::UNREADABLE));
    Ok(entries)
}

fn finding(view: &View<'_>, note: &Entry, command: &str, lines: String) -> Result<Finding> {
    let said = [note.path.as_str(), command, &lines].join("\n");
    let keys = [view.content_key(note)?, xxh3_64(said.as_bytes())];
    let count = lines.lines().count();
    Ok(Finding {
        certain: true,
        ..Finding::new(
            QuestionKey::new(QuestionKind::View, &keys),
            vec![note.path.clone()],
            vec![Act::Refresh {
                note: note.path.clone(),
                command: command.to_owned(),
                lines,
            }],
            1.0,
            match count {
                1 => "1 line now".to_owned(),
                _ => format!("{count} lines now"),
            },
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::tests::IndexedVault;

    fn home(command: &str, lines: &str) -> String {
        format!("# Home\n\n<!-- mem {command} -->\n{lines}<!-- /mem -->\n\nEnd.\n")
    }

    fn scene(command: &str, lines: &str) -> IndexedVault {
        IndexedVault::new([
            ("Home.md", home(command, lines)),
            (
                "a/Tea.md",
                "---\ntitle: Tea | <pot>\ntags: [open]\ndue: 2026-07-01\nby: '[[Ann|A]]'\n---\nx"
                    .to_owned(),
            ),
            (
                "b/Cup.md",
                "---\ntitle: The cup\ntags: [open]\n---\nSee [[Ann]].".to_owned(),
            ),
            ("Ann.md", "x".to_owned()),
            (
                "t/Day.md",
                "---\ntitle: '{{title}}'\ntags: [open]\n---\nx".to_owned(),
            ),
        ])
    }

    /// The new lines of each block, or the reported problem.
    fn rendered(scene: &IndexedVault) -> Vec<String> {
        let options = ViewsOptions::default();
        let findings = options
            .find(&scene.view(false), &Answers::default(), &Seeds::All)
            .unwrap();
        let lines = findings.found.iter().map(|finding| match &finding.acts[0] {
            Act::Refresh { lines, .. } => lines.clone(),
            act => act.title(),
        });
        lines.chain(findings.skipped).collect()
    }

    #[test]
    fn lists_tables_and_counts() {
        for (command, lines, expected) in [
            (
                "list tag:open",
                "",
                &["- [[Tea|Tea pot]]\n- [[Cup|The cup]]\n"][..],
            ),
            (
                "list tag:open sort:title limit:1",
                "",
                &["- [[Tea|Tea pot]]\n"],
            ),
            (
                "list sort:-title tag:open limit:1",
                "",
                &["- [[Cup|The cup]]\n"],
            ),
            (
                "list tag:open sort:+length limit:1",
                "",
                &["- [[Tea|Tea pot]]\n"],
            ),
            (
                "table tag:open columns:due,by,created",
                "",
                &["| note | due | by | created |\n|---|---|---|---|\n\
                     | [[Tea\\|Tea pot]] | 2026-07-01 | [[Ann\\|A]] | |\n\
                     | [[Cup\\|The cup]] | | | |\n"],
            ),
            ("count tag:open", "", &["2\n"]),
            ("list tag:none", "", &[]),
            ("count", "", &["3\n"]),
            (
                "list tag:open sort:colour",
                "",
                &[
                    "`Home.md`, line 3: `list tag:open sort:colour`: unknown order `sort:colour`; known: path, title, created, updated, valid_until, confidence, importance, retrievability, stability, relevance, salience, activity, promotion, questions, accesses, accessed, idle, degree, length",
                ],
            ),
            (
                "list deu:2026",
                "",
                &["`Home.md`, line 3: `list deu:2026`: no note has a property `deu`"],
            ),
            (
                "list dues:2026",
                "",
                &[
                    "`Home.md`, line 3: `list dues:2026`: no note has a property `dues`; did you mean `due`?",
                ],
            ),
            (
                "table tag:open columns:dues",
                "",
                &[
                    "`Home.md`, line 3: `table tag:open columns:dues`: no note has a property `dues`; did you mean `due`?",
                ],
            ),
            (
                "table tag:open sort:title limit:1 columns:status",
                "",
                &["| note | status |\n|---|---|\n| [[Tea\\|Tea pot]] | |\n"],
            ),
            (
                "lst tag:open",
                "",
                &["`Home.md`, line 3: `lst` is not a list command; did you mean `list`?"],
            ),
            ("cluster", "- x\n", &[]),
            (
                "list created:>soon",
                "",
                &[
                    "`Home.md`, line 3: `list created:>soon`: `created:` takes a date or an age like 2026-05, yesterday or <30d",
                ],
            ),
            (
                "list tag:open",
                "- mine\n",
                &["`Home.md`, line 3: the lines of `list tag:open` were edited by hand"],
            ),
            (
                "links",
                "- x\n",
                &["`Home.md`, line 3: `links` is not a list command"],
            ),
        ] {
            assert_eq!(rendered(&scene(command, lines)), expected, "{command}");
        }
    }

    #[test]
    fn updated_list_is_stable() {
        let scene = scene("list tag:open", "");
        let view = scene.view(false);
        let findings = ViewsOptions::default().find(&view, &Answers::default(), &Seeds::All);
        let finding = findings.unwrap().found.remove(0);
        let home = &finding.notes[0];
        let text = scene.files[home.as_str()].clone();
        let Act::Refresh { lines, .. } = &finding.acts[0] else {
            unreachable!("it is all that the job does")
        };
        let edit = scan(&text).blocks[0].replaced(&text, lines).unwrap();
        let text = crate::note::edit::apply(&text, &[edit]).unwrap();
        drop(view);
        let before = {
            let view = scene.view(false);
            view.at(home).unwrap().unwrap().row.authored
        };
        let scene = scene.with([("Home.md", text)]);
        assert!(rendered(&scene).is_empty());
        // The links in it belong to no author, and the change does not concern other jobs.
        let view = scene.view(false);
        let note = view.at(home).unwrap().unwrap();
        assert_eq!(
            (note.row.authored, view.details(note.slot).unwrap().links),
            (before, vec![])
        );
        assert!(
            view.with_phrase("cup")
                .unwrap()
                .iter()
                .all(|slot| *slot != note.slot)
        );
    }
}
