//! Where notes are moved to after some time, for tests.

use jiff::Zoned;

use crate::finding::act::Act;
use crate::finding::question::Answers;
use crate::jobs::find::{Find, Seeds};
use crate::signals::options::Options;
use crate::view::scene::Scene;

/// The notes that `find` moves, and where to, in a vault of notes with these properties that was adopted in
/// the year 2060, so many days later.
pub(crate) fn moved_after(
    days: i64,
    find: &dyn Find,
    options: &Options,
    answers: &Answers,
    notes: &[&str],
) -> Vec<String> {
    let numbered = notes.iter().enumerate();
    let scene = Scene::of(
        numbered.map(|(at, properties)| {
            let text = format!("---\ncreated: 2021-03-01\n{properties}---\nThe same.\n");
            (format!("{at}.md"), text)
        }),
        None,
    );
    let folder = tempfile::tempdir().unwrap();
    let view = |days: i64| {
        let view = scene
            .view(false)
            .with_adoption(folder.path().join("adopted"));
        let mut view = view.with_signals(options.clone());
        let adopted: Zoned = "2060-03-01T12:00[UTC]".parse().unwrap();
        view.now = adopted.checked_add(jiff::Span::new().days(days)).unwrap();
        view
    };
    view(0).adopt(|_| true).unwrap();
    let view = view(days);
    let found = find.find(&view, answers, &Seeds::All).unwrap().found;
    let acts = found.iter().flat_map(|finding| &finding.acts);
    acts.map(Act::title).collect()
}
