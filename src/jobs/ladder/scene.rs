//! Where notes are moved to after some time, for tests.

use jiff::{Span, Zoned};

use crate::finding::act::Act;
use crate::finding::question::Answers;
use crate::jobs::find::{Find, Seeds};
use crate::journal::adoption;
use crate::signals::options::Options;
use crate::vault::JOURNAL;
use crate::view::View;
use crate::view::scene::Scene;

/// A vault that was adopted in the year 2060.
pub(crate) struct Adopted(Scene);

/// A note of these properties, written long before.
pub(crate) fn note(properties: &str) -> String {
    format!("---\ncreated: 2021-03-01\n{properties}---\nThe same.\n")
}

/// Returns a vault of these notes, called `0.md`, `1.md`, ….
pub(crate) fn adopted(notes: &[String]) -> Adopted {
    let numbered = notes.iter().enumerate();
    let numbered = numbered.map(|(at, text)| (format!("{at}.md"), text.clone()));
    let scene = Adopted(Scene::of(numbered, None));
    let device = scene.0.vault.own_path(JOURNAL).join("x");
    std::fs::create_dir_all(&device).unwrap();
    let unknown = scene.view(0).unknown(|_| true).unwrap();
    adoption::append(&device, &unknown).unwrap();
    scene
}

impl Adopted {
    /// Returns the view of it so many days after.
    pub(crate) fn view(&self, days: i64) -> View<'_> {
        let mut view = self.0.view(false);
        let adopted: Zoned = "2060-03-01T12:00[UTC]".parse().unwrap();
        view.now = adopted.checked_add(Span::new().days(days)).unwrap();
        view
    }
}

/// The notes of these properties that `find` moves so many days after they were adopted, and where to.
pub(crate) fn moved_after(
    days: i64,
    find: &dyn Find,
    options: &Options,
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
