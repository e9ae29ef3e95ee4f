//! The keys at a question.

use crate::commands::prelude::*;
use crate::finding::EditablePart;
use crate::finding::question::Answer::{Inverse, Is};

/// The keys, as shown in the prompt.
pub(super) const PROMPT: &str = "[y n e d s u a q ?]";

/// Returns the help of the keys; `alike` is the number of other questions of the kind.
pub(super) fn help(asked: &Finding, alike: usize) -> Vec<String> {
    let kind = asked.kind();
    let edit = match kind.spec().edit {
        EditablePart::Body => format!("edit the merged text in `{}`, then yes", editor::name()),
        EditablePart::Line => format!(
            "edit the line with the link in `{}`, then yes",
            editor::name()
        ),
        EditablePart::Relation => "choose another relation".to_owned(),
        EditablePart::Version => "keep only one version".to_owned(),
        EditablePart::Nothing => "nothing to edit".to_owned(),
    };
    let all = format!(
        "all like this: the same answer for {}, after a preview",
        count(alike, kind.name())
    );
    let batch = format!(
        "many at once: `mem review accept --all --kind {}`, suggestions too with `--min-chance 0.9`",
        kind.name()
    );
    let keys = [
        ('y', "yes, do it now"),
        ('n', "no, and do not ask again"),
        ('e', &edit),
        ('d', "details: the whole diff"),
        ('s', "skip: asked again next time, last"),
        ('u', "undo: revert the last answer and ask again"),
        ('a', &all),
        ('q', "quit"),
        ('?', "this help"),
    ];
    let lines = keys.map(|(key, what)| format!("  {key}  {what}"));
    lines.into_iter().chain([format!("  {batch}")]).collect()
}

/// Returns the relations or versions to choose instead of the proposed one, with descriptions.
pub(super) fn relations(asked: &Finding) -> Vec<(Answer, String)> {
    let [a, b] = match asked.notes.as_slice() {
        [a, b, ..] => [a.stem(), b.stem()],
        _ => ["the first", "the second"],
    };
    let answers = asked.kind().answers().iter().copied();
    let relations = answers.filter_map(|answer| {
        // The proposed relation is the answer yes.
        if asked.relation().map(Is) == Some(answer) {
            return None;
        }
        let words = match answer {
            Answer::Yes | Answer::No => return None,
            Answer::Ours => format!("ours: {}", asked.quotes[0]),
            Answer::Theirs => format!("theirs: {}", asked.quotes[1]),
            Is(Relation::Contradicts) => format!("{a} and {b} contradict each other"),
            Is(Relation::EvolvedFrom) => format!("{a} replaces {b}"),
            Inverse(Relation::EvolvedFrom) => format!("{b} replaces {a}"),
            Is(Relation::RelatedTo) => format!("{a} is related to {b}"),
            answer => format!("{a} is `{answer}` {b}"),
        };
        Some((answer, words))
    });
    relations.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::question::QuestionKind;

    #[test]
    fn help_explains_the_keys_of_the_prompt() {
        let note = |name: &str| VaultPath::new(name).unwrap();
        let notes = vec![note("a.md"), note("b.md")];
        let key = crate::finding::QuestionKey::new(QuestionKind::Merge, &[1, 2]);
        let asked = Finding::new(key, notes, Vec::new(), 0.5, "test".to_owned());
        let help = help(&asked, 1);
        let explained = help.iter().map(|line| line.trim_start().split(' ').next());
        let keys = PROMPT.trim_matches(['[', ']']).split(' ').map(Some);
        assert!(explained.take(9).eq(keys), "{help:?}");
    }
}
