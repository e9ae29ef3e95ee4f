//! The keys at a question.

use crate::commands::prelude::*;
use crate::finding::EditablePart;
use crate::finding::question::Answer::{Inverse, Is};
use crate::output::terminal::KeyPress;

/// An action at a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Yes,
    No,
    Edit,
    Details,
    Skip,
    Undo,
    AllLikeThis,
    Quit,
    Help,
}

const KEYS: [(char, Choice); 9] = [
    ('y', Choice::Yes),
    ('n', Choice::No),
    ('e', Choice::Edit),
    ('d', Choice::Details),
    ('s', Choice::Skip),
    ('u', Choice::Undo),
    ('a', Choice::AllLikeThis),
    ('q', Choice::Quit),
    ('?', Choice::Help),
];

impl Choice {
    /// Returns the action of a key; `None` if it has none.
    pub(super) fn of(pressed: KeyPress) -> Option<Self> {
        match pressed {
            KeyPress::Char(c) if c.is_control() => None,
            // As in `git add -p`, unknown keys show the help.
            KeyPress::Char(c) => {
                let mut keys = KEYS.iter();
                let known = keys.find(|(key, _)| *key == c);
                Some(known.map_or(Self::Help, |(_, choice)| *choice))
            }
            KeyPress::Interrupt | KeyPress::End => Some(Self::Quit),
            KeyPress::Suspend | KeyPress::Other => None,
        }
    }

    /// Returns the key of the action.
    pub(super) fn key(self) -> char {
        let mut keys = KEYS.iter();
        keys.find(|(_, choice)| *choice == self)
            .map_or('?', |(key, _)| *key)
    }
}

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

/// Returns the relations to choose instead of the proposed one, with descriptions.
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

    #[test]
    fn keys_are_unique_and_in_the_prompt() {
        for (key, choice) in KEYS {
            assert_eq!(Choice::of(KeyPress::Char(key)), Some(choice));
            assert_eq!(choice.key(), key);
            let named = PROMPT.trim_matches(['[', ']']).split(' ');
            assert_eq!(
                named.filter(|name| name.chars().eq([key])).count(),
                1,
                "{key}"
            );
        }
        for (pressed, expected) in [
            (KeyPress::Char('x'), Some(Choice::Help)),
            (KeyPress::Char('\u{1}'), None),
            (KeyPress::Suspend, None),
            (KeyPress::Other, None),
            (KeyPress::End, Some(Choice::Quit)),
            (KeyPress::Interrupt, Some(Choice::Quit)),
        ] {
            assert_eq!(Choice::of(pressed), expected, "{pressed:?}");
        }
    }
}
