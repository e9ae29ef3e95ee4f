//! Selects the questions of a day from the open findings.

use std::cmp::Ordering;

use super::chance::Estimate;
use crate::run::prelude::*;

/// Minimum probability of a yes for a question; less likely findings are suggestions.
pub const MIN_CHANCE: f32 = 0.7;

/// Factors for the worth of each further question of the same kind, and about the same note.
const KIND_DISCOUNT: f32 = 0.85;
const NOTE_DISCOUNT: f32 = 0.5;

/// Number of findings with the highest worth to select from.
const MAX_CANDIDATES: usize = 2_000;

/// Maximum number of questions per note and day.
pub const MAX_QUESTIONS_PER_NOTE: usize = 3;

/// Questions asked before.
#[derive(Clone, Debug, Default)]
pub struct QuestionHistory {
    /// Questions selected for today, in order, answered or not.
    pub today: Vec<QuestionKey>,
    /// Questions selected on an earlier day.
    pub before: Vec<QuestionKey>,
    /// Questions that a person skipped, oldest first.
    pub skipped: Vec<QuestionKey>,
    /// Number of answers that a person gave today.
    pub answers: usize,
    /// Findings whose changes are impossible because a note is read-only.
    pub read_only: HashSet<QuestionKey>,
}

/// Selects the questions of today, at most `daily` including the answered ones.
///
/// Earlier selections come first, then the best others, then skipped questions. Findings about
/// read-only notes are not selected. Returns indices of `open` in the order of the questions.
pub fn choose(
    open: &[Finding],
    judged: &[Estimate],
    asked: &QuestionHistory,
    daily: usize,
) -> Vec<usize> {
    let most = daily.saturating_sub(asked.answers);
    let is_possible = |at: usize| !asked.read_only.contains(&open[at].key);
    let possible = (0..open.len()).filter(|at| is_possible(*at));
    let places: HashMap<QuestionKey, usize> = possible.map(|at| (open[at].key, at)).collect();
    let is_worthy = |at: &usize| judged[*at].chance >= MIN_CHANCE && is_possible(*at);
    let is_fresh = |at: &usize| is_worthy(at) && !asked.skipped.contains(&open[*at].key);
    let place = |key: &QuestionKey| places.get(key).copied();
    let today = asked.today.iter().filter_map(place);
    let before = asked.before.iter().filter_map(place).filter(is_fresh);
    let mut selection = Selection::new(open);
    for at in today.chain(before) {
        if selection.places.len() < most && !selection.places.contains(&at) {
            selection.add(at);
        }
    }
    let mut rest: Vec<usize> = (0..open.len()).filter(is_fresh).collect();
    rest.retain(|at| !selection.places.contains(at));
    if rest.len() > MAX_CANDIDATES {
        rest.select_nth_unstable_by(MAX_CANDIDATES, |a, b| compare_worth(open, judged, *a, *b));
        rest.truncate(MAX_CANDIDATES);
    }
    while selection.places.len() < most {
        let gain = |at: usize| judged[at].worth * selection.discount(at);
        let with_room = rest.iter().copied().filter(|at| selection.has_room(*at));
        let best = with_room.max_by(|a, b| {
            let order = gain(*a).total_cmp(&gain(*b));
            order.then_with(|| open[*b].key.cmp(&open[*a].key))
        });
        let Some(best) = best else { break };
        rest.retain(|at| *at != best);
        selection.add(best);
    }
    let skipped = asked.skipped.iter().filter_map(place).filter(is_worthy);
    for at in skipped {
        if selection.places.len() < most
            && !selection.places.contains(&at)
            && selection.has_room(at)
        {
            selection.add(at);
        }
    }
    selection.places
}

/// Compares two findings by worth, descending.
pub fn compare_worth(open: &[Finding], judged: &[Estimate], a: usize, b: usize) -> Ordering {
    let order = judged[b].worth.total_cmp(&judged[a].worth);
    order.then_with(|| open[a].key.cmp(&open[b].key))
}

/// Returns the notes that count for the limit per note; none for a rule about many notes.
fn counted_notes(finding: &Finding) -> &[VaultPath] {
    if finding.kind().spec().is_of_many {
        &[]
    } else {
        &finding.notes
    }
}

/// The selection so far, with the number of questions per note.
struct Selection<'a> {
    open: &'a [Finding],
    places: Vec<usize>,
    notes: HashMap<&'a VaultPath, usize>,
}

impl<'a> Selection<'a> {
    fn new(open: &'a [Finding]) -> Self {
        Self {
            open,
            places: Vec::new(),
            notes: HashMap::new(),
        }
    }

    fn add(&mut self, at: usize) {
        self.places.push(at);
        for note in counted_notes(&self.open[at]) {
            *self.notes.entry(note).or_default() += 1;
        }
    }

    /// Returns the highest number of selected questions about any note of this finding.
    fn questions_per_note(&self, at: usize) -> usize {
        let notes = counted_notes(&self.open[at]).iter();
        let counts = notes.map(|note| self.notes.get(note).copied().unwrap_or(0));
        counts.max().unwrap_or(0)
    }

    fn has_room(&self, at: usize) -> bool {
        let is_alone = self.open[at].kind().spec().is_alone;
        let most = if is_alone { 1 } else { MAX_QUESTIONS_PER_NOTE };
        self.questions_per_note(at) < most
    }

    fn discount(&self, at: usize) -> f32 {
        let kind = self.open[at].kind();
        let kinds = self.places.iter().map(|at| self.open[*at].kind());
        let same = kinds.filter(|other| *other == kind);
        KIND_DISCOUNT.powi(same.count() as i32)
            * NOTE_DISCOUNT.powi(self.questions_per_note(at) as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::question::QuestionKind;
    use crate::run::attention::chance::Chances;
    use crate::run::attention::tests::{digest, link, mention, merge};

    fn chosen(open: &[Finding], asked: &QuestionHistory, daily: usize) -> Vec<usize> {
        let chances = Chances::default();
        let judged: Vec<Estimate> = open.iter().map(|one| chances.judge(one)).collect();
        choose(open, &judged, asked, daily)
    }

    fn mentions(number: usize) -> Vec<Finding> {
        let one = |at| mention(0.9, &format!("a{at}.md"), &format!("b{at}.md"), "Green tea");
        (0..number).map(one).collect()
    }

    #[test]
    fn the_best_questions_of_all_kinds_are_mixed() {
        let mut open = mentions(20);
        open.extend((0..20).map(|at| merge(0.95, &format!("c{at}.md"), &format!("d/c{at}.md"))));
        let of = |kind: QuestionKind, chosen: &[usize]| {
            let of = chosen.iter().filter(|at| open[**at].kind() == kind);
            of.count()
        };
        let chosen = chosen(&open, &QuestionHistory::default(), 10);
        assert_eq!(chosen.len(), 10);
        assert!(of(QuestionKind::Merge, &chosen) > of(QuestionKind::Mention, &chosen));
        assert!(of(QuestionKind::Mention, &chosen) >= 2, "{chosen:?}");
        assert_eq!(open[chosen[0]].kind(), QuestionKind::Merge);
    }

    #[test]
    fn questions_per_note_are_limited() {
        let about = |to: &str, number: usize| -> Vec<Finding> {
            let one = |at| mention(0.9, &format!("{to}{at}.md"), to, "Green tea");
            (0..number).map(one).collect()
        };
        let open = [about("hub.md", 30), about("other.md", 2)].concat();
        let chosen = chosen(&open, &QuestionHistory::default(), 10);
        assert_eq!(chosen.len(), MAX_QUESTIONS_PER_NOTE + 2);
    }

    #[test]
    fn findings_about_read_only_notes_are_not_asked() {
        let open = mentions(4);
        let keys = |numbers: &'static [usize]| numbers.iter().map(|at| open[*at].key);
        let asked = QuestionHistory {
            today: keys(&[0, 1]).collect(),
            before: keys(&[2]).collect(),
            skipped: keys(&[2]).collect(),
            read_only: keys(&[0, 2]).collect(),
            ..QuestionHistory::default()
        };
        assert_eq!(chosen(&open, &asked, 10), [1, 3]);
    }

    #[test]
    fn mergeable_notes_are_not_consolidated_on_the_same_day() {
        let open = [
            merge(0.95, "a.md", "a 1.md"),
            digest(0.9, "a.md", "b.md"),
            digest(0.9, "c.md", "d.md"),
        ];
        assert_eq!(chosen(&open, &QuestionHistory::default(), 10), [0, 2]);
    }

    #[test]
    fn unlikely_findings_are_not_asked() {
        let open = [link(0.05, "a.md", "b.md"), merge(0.95, "c.md", "c 1.md")];
        assert_eq!(chosen(&open, &QuestionHistory::default(), 10), [1]);
    }

    #[test]
    fn a_day_has_ten_stable_questions() {
        let mut open = mentions(12);
        let first = chosen(&open, &QuestionHistory::default(), 10);
        let keys: Vec<QuestionKey> = first.iter().map(|at| open[*at].key).collect();
        let today = |answers: usize| QuestionHistory {
            today: keys.clone(),
            answers,
            ..QuestionHistory::default()
        };
        // A better finding appears: the selection stays.
        open.push(merge(0.95, "c.md", "c 1.md"));
        assert_eq!(chosen(&open, &today(0), 10), first);
        // Three are answered.
        let left: Vec<Finding> = open
            .iter()
            .filter(|one| !keys[..3].contains(&one.key))
            .cloned()
            .collect();
        let asked: Vec<QuestionKey> = chosen(&left, &today(3), 10)
            .iter()
            .map(|at| left[*at].key)
            .collect();
        assert_eq!(asked, keys[3..]);
        assert!(chosen(&left, &today(10), 10).is_empty());
        assert!(chosen(&left, &today(300), 10).is_empty());
        // The next day: the rest of them, new ones, then the skipped ones.
        let tomorrow = QuestionHistory {
            before: keys.clone(),
            skipped: vec![keys[3]],
            ..QuestionHistory::default()
        };
        let asked: Vec<QuestionKey> = chosen(&left, &tomorrow, 10)
            .iter()
            .map(|at| left[*at].key)
            .collect();
        assert_eq!(asked[..6], keys[4..]);
        assert_eq!(asked.len(), 10);
        assert!(asked.contains(&open[12].key));
        assert_eq!(asked[9], keys[3]);
        // A skipped question waits while there are enough others.
        assert!(
            chosen(&left, &tomorrow, 9)
                .iter()
                .all(|at| left[*at].key != keys[3])
        );
        assert!(chosen(&left, &tomorrow, 0).is_empty());
    }
}
