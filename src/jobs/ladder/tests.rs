use jiff::{Span, Zoned};

use super::*;
use crate::finding::{Act, Answers};
use crate::jobs::find::{Find, Seeds};
use crate::journal;
use crate::signals::options::SignalFormulaOptions;
use crate::vault::JOURNAL;
use crate::view::{IndexedVault, View};

/// Time of adoption, in the year 2060.
pub(crate) struct AdoptedVault(IndexedVault);

/// Returns a note with these properties, created long before.
pub(crate) fn note(properties: &str) -> String {
    format!("---\ncreated: 2021-03-01\n{properties}---\nThe same.\n")
}

/// Returns a vault with these notes, named `0.md`, `1.md`, ….
pub(crate) fn adopted(notes: &[String]) -> AdoptedVault {
    let texts = notes.iter().enumerate();
    let numbered = texts.map(|(at, text)| (format!("{at}.md"), text.clone()));
    let scene = AdoptedVault(IndexedVault::of(numbered, None));
    let device = scene.0.vault.own_path(JOURNAL).join("x");
    std::fs::create_dir_all(&device).unwrap();
    let unknown = scene.view(0).unknown(|_| true).unwrap();
    journal::append(&device, &unknown).unwrap();
    scene
}

impl AdoptedVault {
    /// Returns the view `days` days later.
    pub(crate) fn view(&self, days: i64) -> View<'_> {
        let mut view = self.0.view(false);
        let adopted: Zoned = "2060-03-01T12:00[UTC]".parse().unwrap();
        view.now = adopted.checked_add(Span::new().days(days)).unwrap();
        view
    }
}

/// Returns the moves that `find` proposes for notes with these properties `days` after adoption.
pub(crate) fn moved_after(
    days: i64,
    find: &dyn Find,
    options: &SignalFormulaOptions,
    notes: &[&str],
) -> Vec<String> {
    let notes: Vec<String> = notes.iter().map(|properties| note(properties)).collect();
    let scene = adopted(&notes);
    let view = scene.view(days).with_signals(options.clone());
    let found = find
        .find(&view, &Answers::default(), &Seeds::All)
        .unwrap()
        .found;
    let acts = found.iter().flat_map(|finding| &finding.acts);
    acts.map(Act::title).collect()
}

#[test]
fn a_no_applies_to_moves_due_before_it() {
    let scene = IndexedVault::of([("a.md", "x"), ("b.md", "x"), ("c.md", "x")], None);
    let view = scene.view(false);
    let start = |month: &str| -> i64 {
        let at: Timestamp = format!("2060-{month}-01T00:00:00Z").parse().unwrap();
        at.as_second()
    };
    let moves: Vec<LadderMove> = view
        .entries()
        .unwrap()
        .into_iter()
        .zip(["02", "03", "04"])
        .map(|(entry, month)| LadderMove {
            act: Act::Trash {
                note: entry.path.clone(),
                reason: String::new(),
            },
            entry,
            rule: LadderRule::Remove,
            due: start(month),
            reason: String::new(),
        })
        .collect();
    let asked = |now: &str, answers: &Answers| {
        let now = month(start(now));
        let found = monthly_question(
            answers,
            QuestionKind::Forget,
            LadderRule::Remove,
            now,
            moves.iter(),
        );
        found.map(|finding| (finding.notes.len(), finding.key))
    };
    let mut answers = Answers::default();
    assert_eq!(asked("02", &answers), None);
    let february = asked("03", &answers).unwrap();
    let march = asked("04", &answers).unwrap();
    assert_eq!((february.0, march.0), (1, 2));
    answers.insert(february.1, Answer::No);
    assert_eq!(asked("03", &answers), None);
    assert_eq!(asked("04", &answers), Some((1, march.1)));
    assert_eq!(asked("05", &answers).unwrap().0, 2);
    answers.insert(march.1, Answer::No);
    assert_eq!(asked("04", &answers), None);
    assert_eq!(asked("12", &answers).unwrap().0, 1);
}
