//! Expected output of a stream: a text in the source of the test, which `UPDATE_EXPECT=1` updates,
//! or one computed by the test.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use expect_test::Expect;

#[derive(Default)]
pub(crate) enum ExpectedText {
    #[default]
    Nothing,
    Written(Expect),
    Computed(String),
}

impl From<Expect> for ExpectedText {
    fn from(written: Expect) -> Self {
        Self::Written(written)
    }
}

/// Only `String`: literals belong in `expect!`.
impl From<String> for ExpectedText {
    fn from(computed: String) -> Self {
        Self::Computed(computed)
    }
}

impl ExpectedText {
    #[track_caller]
    pub(crate) fn compare(&self, stream: &str, found: &str) {
        match self {
            Self::Nothing => assert_eq!(
                found, "",
                "{stream}, where `.{stream}(expect![])` is missing"
            ),
            Self::Written(expect) => compare(expect, found),
            Self::Computed(text) => assert_eq!(found, text, "{stream}"),
        }
    }
}

/// Compares a text in the source, or updates it. `expect_test` updates a place only once, so a loop
/// or a helper must find the same text each time.
#[track_caller]
pub(crate) fn compare(expect: &Expect, found: &str) {
    static UPDATED: LazyLock<Mutex<BTreeMap<String, String>>> = LazyLock::new(Mutex::default);
    let found = &shown(found);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let mut updated = UPDATED.lock().unwrap_or_else(PoisonError::into_inner);
        let place = expect.position.to_string();
        if let Some(before) = updated.insert(place.clone(), found.clone()) {
            assert_eq!(before, *found, "{place} expects two texts");
            return;
        }
    }
    expect.assert_eq(found);
}

/// Returns `text` as written in a test. Invisible characters become Unicode symbols. A single line
/// loses its line break (`rustfmt` would wrap it, and `expect_test` would not find it); a missing
/// last line break is stated in words.
pub(crate) fn shown(text: &str) -> String {
    let symbols = [("\0", "␀"), ("\r", "␍"), ("\u{1b}", "␛"), (" \n", "␠\n")];
    let replace = |text: String, (from, to)| text.replace(from, to);
    let text = symbols.into_iter().fold(text.to_owned(), replace);
    match text.strip_suffix('\n') {
        _ if text.is_empty() => text,
        None => text + "\n[no newline at the end]\n",
        Some(line) if (1..=40).contains(&line.len()) && !line.contains('\n') => line.to_owned(),
        Some(_) => text,
    }
}
