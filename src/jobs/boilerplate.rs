//! Detects boilerplate: text that many notes of the vault share.
//!
//! Examples are the questions of a form, the keys of an infobox, navigation, a licence. Text in up to three notes
//! counts fully. Beyond that its weight decreases with the number of note pairs that share it. Text of a template
//! has weight 0. The counts cover all notes of the vault, not only the seeds. Copies of a note, detected by name
//! within a folder, count once.

use xxhash_rust::xxh3::Xxh3DefaultBuilder;

use super::find::is_living;
use crate::jobs::prelude::*;
use crate::note::markdown::content_spans::each_content_span;
use crate::note::names::filename::{meaningful_words, without_number};
use crate::note::words::segments::{SegmentHash, TextWeights, each_segment};

/// Maximum number of notes whose common text still counts as their own; two versions of a note leave a third behind.
pub(super) const MAX_SHARED_OWN_TEXT: usize = 3;

/// Minimum number of own words of a note that can be compared by them.
const MIN_OWN_WORDS: usize = 5;

/// Number of notes per segment.
#[derive(Debug, Default)]
pub(super) struct Boilerplate(HashMap<SegmentHash, u32>);

impl Boilerplate {
    /// Counts the notes that contain the segments of `bodies`.
    pub(super) fn learn<'b>(
        view: &View<'_>,
        bodies: impl Iterator<Item = &'b str>,
    ) -> Result<Self> {
        let mut wanted: HashSet<SegmentHash, Xxh3DefaultBuilder> = HashSet::default();
        for body in bodies {
            each_segment(body, |_, segment| {
                wanted.insert(segment);
            });
        }
        if wanted.is_empty() {
            return Ok(Self::default());
        }
        let mut holders: Vec<(SegmentHash, Slot)> = Vec::new();
        view.reading().scan_segments(|slot, segment| {
            if wanted.contains(&segment) {
                holders.push((segment, slot));
            }
        })?;
        holders.sort_unstable();
        let entries = view.entries()?;
        let is_template = |entry: &&Entry| is_in_templates_folder(entry.path.as_str());
        let templates: HashSet<Slot> = entries
            .iter()
            .filter(is_template)
            .map(|entry| entry.slot)
            .collect();
        let living = entries.iter().filter(|entry| is_living(entry));
        let entries: HashMap<Slot, &Entry> = living.map(|entry| (entry.slot, entry)).collect();
        let mut known = HashMap::new();
        let mut counts = HashMap::new();
        for holders in holders.chunk_by(|a, b| a.0 == b.0) {
            if holders.iter().any(|(_, slot)| templates.contains(slot)) {
                counts.insert(holders[0].0, u32::MAX);
                continue;
            }
            if holders.len() <= MAX_SHARED_OWN_TEXT {
                continue;
            }
            let named = holders.iter().filter_map(|(_, slot)| {
                let entry = entries.get(slot)?;
                Some(
                    *known
                        .entry(*slot)
                        .or_insert_with(|| CopyIdentity::of(entry)),
                )
            });
            let count = count_without_copies(&named.collect::<Vec<_>>());
            if count > MAX_SHARED_OWN_TEXT {
                counts.insert(holders[0].0, count as u32);
            }
        }
        Ok(Self(counts))
    }

    /// Returns the weight of a segment that two notes share, 0–1.
    fn weight(&self, segment: SegmentHash) -> f32 {
        let pairs = |notes: u32| notes as f32 * (notes as f32 - 1.0);
        let notes = self.0.get(&segment);
        notes.map_or(1.0, |notes| {
            pairs(MAX_SHARED_OWN_TEXT as u32) / pairs(*notes)
        })
    }

    /// Returns the weights of the segments of `body`.
    pub(super) fn weights(&self, body: &str) -> TextWeights {
        let mut weights = Vec::new();
        each_segment(body, |span, segment| {
            let weight = self.weight(segment);
            if weight < 1.0 {
                weights.push((span, weight));
            }
        });
        TextWeights(weights)
    }

    /// Returns the number of words in statements of `body` that are not boilerplate.
    pub(super) fn own_words(&self, body: &str) -> usize {
        let shared = self.weights(body);
        let mut own = 0;
        each_content_span(&Document::of_body(body), |span| {
            each_word(&body[span.clone()], |_, word| {
                own += usize::from(shared.at(span.start + word.start) >= 1.0);
            });
        });
        own
    }

    /// Returns true if `body` has enough own text to compare it with another; false if all of it is boilerplate.
    pub(super) fn is_own(&self, body: &str) -> bool {
        self.weights(body).is_empty() || self.own_words(body) >= MIN_OWN_WORDS
    }

    /// Returns true if `body` contains text of a template.
    pub(super) fn has_template_text(&self, body: &str) -> bool {
        let mut found = false;
        each_segment(body, |_, segment| {
            found |= self.0.get(&segment) == Some(&u32::MAX);
        });
        found
    }

    /// Returns true if `body` contains boilerplate and consists mostly of it.
    pub(super) fn is_form(&self, body: &str) -> bool {
        !self.weights(body).is_empty() && self.has_little_own_text(body)
    }

    /// Returns true if less than half of the words of `body`, or fewer than [`MIN_OWN_WORDS`], are its own.
    pub(super) fn has_little_own_text(&self, body: &str) -> bool {
        let mut all = 0;
        each_word(body, |_, _| all += 1);
        let own = self.own_words(body);
        own < MIN_OWN_WORDS || own * 2 < all
    }
}

/// Identity of copies of a note: folder and name.
#[derive(Clone, Copy)]
struct CopyIdentity {
    /// Hash of folder and name, or of the text if the name is generic, such as `readme`.
    hash: u64,
    /// The same without a number at the end.
    base: Option<u64>,
}

impl CopyIdentity {
    fn of(entry: &Entry) -> Self {
        let name = meaningful_words(entry.path.stem());
        let folder = entry.path.folder();
        let of = |name: &str| normal_hash(&format!("{folder}/{name}"));
        Self {
            hash: if name.is_empty() {
                entry.row.body ^ of("")
            } else {
                of(&name)
            },
            base: without_number(&name).map(of),
        }
    }
}

/// Returns the number of notes with these names, without copies such as `Tea 1` of `Tea`.
fn count_without_copies(names: &[CopyIdentity]) -> usize {
    let all: HashSet<u64> = names.iter().map(|name| name.hash).collect();
    let is_copy = |name: &&CopyIdentity| name.base.is_some_and(|base| all.contains(&base));
    let copies: HashSet<u64> = names.iter().filter(is_copy).map(|name| name.hash).collect();
    all.len() - copies.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::tests::IndexedVault;

    #[test]
    fn shared_text_has_low_weight() {
        let weights = |names: &[&str]| {
            let trees = ["Ash", "Elm", "Fir", "Yew", "Oak"];
            let notes = names
                .iter()
                .zip(trees)
                .map(|(name, tree)| (format!("{name}.md"), format!("# Form\n\n{tree}.\n")));
            let scene = IndexedVault::new(notes);
            let view = scene.view(false);
            let body = "# Form\n\nAsh.\n";
            let learned = Boilerplate::learn(&view, [body].into_iter()).unwrap();
            let weights = learned.weights(body);
            weights
                .0
                .into_iter()
                .map(|(_, weight)| weight)
                .collect::<Vec<f32>>()
        };
        assert_eq!(weights(&["a", "b", "c"]), Vec::<f32>::new());
        assert_eq!(weights(&["a", "b", "c", "d"]), [0.5]);
        assert_eq!(weights(&["a", "b", "c", "d", "e"]), [0.3]);
        // Copies of one note.
        assert_eq!(
            weights(&["a", "a 1", "a 2", "a (copy)", "b"]),
            Vec::<f32>::new()
        );
        assert_eq!(weights(&["part 1", "part 2", "part 3", "part 4"]), [0.5]);
    }

    #[test]
    fn own_words_exclude_boilerplate() {
        let form = "# Book\n\nWho wrote it and when was it read first?\n\nWhat stays?\n\n";
        let mut notes: Vec<(String, String)> = ["Ash", "Elm", "Fir", "Yew"]
            .map(|tree| (format!("{tree}.md"), format!("{form}{tree}.\n")))
            .into();
        let visit = "Who came through the door, and who stayed at home that evening?\n";
        notes.push(("Templates/visit.md".to_owned(), visit.to_owned()));
        let scene = IndexedVault::new(notes);
        let view = scene.view(false);
        let own = "The oak behind the barn lost a branch in the storm.\n";
        for (body, words, is_own, has_little_own_text) in [
            (own.to_owned(), 11, true, false),
            (form.to_owned(), 0, false, true),
            (format!("{form}Oak.\n"), 1, false, true),
            (format!("{form}{own}"), 11, true, true),
            (format!("{form}{own}{own}{own}"), 33, true, false),
            (visit.to_owned(), 0, false, true),
            ("# Oak\n\n## Bark\n".to_owned(), 0, true, true),
            ("# Oak\n\nGreen.\n".to_owned(), 1, true, true),
        ] {
            let learned = Boilerplate::learn(&view, [body.as_str()].into_iter()).unwrap();
            let found = (
                learned.own_words(&body),
                learned.is_own(&body),
                learned.has_little_own_text(&body),
            );
            assert_eq!(found, (words, is_own, has_little_own_text), "{body:?}");
        }
    }
}
