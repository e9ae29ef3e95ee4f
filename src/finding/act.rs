//! Acts: the changes that jobs propose, people request, and `doctor` repairs with.
//!
//! An act names the result. `change::acts` computes the edits from the current notes.

use serde::{Deserialize, Serialize};

use super::plan::RelationEdge;
use super::question::Answer;
use crate::note::three_way::markers::Version;
use crate::note::words::lists;
use crate::note::{Edit, Relation, VaultPath};

/// One change to notes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Act {
    /// Merges notes: the keeper gets all content, links lead to it, and the others go to the trash.
    Merge {
        keeper: VaultPath,
        others: Vec<VaultPath>,
        /// New body of the keeper; `None` keeps its own and adds what it lacks of the others.
        body: Option<String>,
    },
    Relate {
        edge: RelationEdge,
        /// Whether the older note expires when the newer one begins; only with `evolved_from`.
        supersedes: bool,
    },
    /// Turns the first mention of `to` by `name` in running text of `note` into a link.
    LinkMention {
        note: VaultPath,
        to: VaultPath,
        name: String,
        /// Hash of the line that contains it ([`crate::note::names::mention::RunningText::line`]).
        line: u64,
    },
    /// Sets, removes or extends properties, or replaces spans of the text.
    Edit {
        note: VaultPath,
        #[serde(with = "json_text")]
        edits: Vec<Edit>,
    },
    /// Keeps one version of a merge conflict, or both.
    Resolve {
        note: VaultPath,
        version: Version,
        /// The edits for each version.
        #[serde(with = "json_text")]
        edits: [Vec<Edit>; 3],
    },
    /// Replaces the lines of a marked block in `note`, as the author of the marks requested.
    Refresh {
        note: VaultPath,
        command: String,
        lines: String,
    },
    /// Creates a note.
    Create { path: VaultPath, text: String },
    /// Moves a note to another path and updates all links to it.
    Move { note: VaultPath, to: VaultPath },
    /// Moves a note to the trash.
    Trash { note: VaultPath, reason: String },
}

impl Act {
    /// Returns the act that edits `note`.
    pub fn edit(note: &VaultPath, edits: Vec<Edit>) -> Self {
        let note = note.clone();
        Self::Edit { note, edits }
    }

    /// Returns the act that states a relation of one note to another.
    pub fn relate(from: &VaultPath, relation: Relation, to: &VaultPath, weight: f32) -> Self {
        Self::Relate {
            edge: RelationEdge {
                from: from.clone(),
                relation,
                to: to.clone(),
                weight,
            },
            supersedes: false,
        }
    }

    /// Returns the act that moves `note` to the trash.
    pub fn trash(note: &VaultPath, reason: impl Into<String>) -> Self {
        let (note, reason) = (note.clone(), reason.into());
        Self::Trash { note, reason }
    }

    /// Returns the existing note that it certainly changes.
    pub fn changes(&self) -> Option<&VaultPath> {
        match self {
            Self::Relate { edge, .. } => Some(&edge.from),
            Self::Merge { keeper: note, .. }
            | Self::LinkMention { note, .. }
            | Self::Edit { note, .. }
            | Self::Resolve { note, .. }
            | Self::Refresh { note, .. }
            | Self::Move { note, .. }
            | Self::Trash { note, .. } => Some(note),
            Self::Create { .. } => None,
        }
    }

    /// Whether the changed note itself requests it.
    pub fn is_requested_by_note(&self) -> bool {
        matches!(self, Self::Refresh { .. })
    }

    /// Returns the act for `answer` to this proposal: another relation, or the relation in the
    /// opposite direction, or one version of a conflict.
    #[must_use]
    pub fn answered(&self, answer: Answer) -> Self {
        if let (Self::Resolve { note, edits, .. }, Answer::Ours | Answer::Theirs) = (self, answer) {
            return Self::Resolve {
                note: note.clone(),
                version: if answer == Answer::Ours {
                    Version::Ours
                } else {
                    Version::Theirs
                },
                edits: edits.clone(),
            };
        }
        let Self::Relate {
            edge: proposed,
            supersedes,
        } = self
        else {
            return self.clone();
        };
        let (from, relation, to) = match answer {
            Answer::Yes | Answer::No | Answer::Ours | Answer::Theirs => return self.clone(),
            Answer::Is(relation) => (&proposed.from, relation, &proposed.to),
            Answer::Inverse(relation) => (&proposed.to, relation, &proposed.from),
        };
        let weight = if relation == proposed.relation {
            proposed.weight
        } else {
            relation.weight()
        };
        Self::Relate {
            edge: RelationEdge {
                from: from.clone(),
                relation,
                to: to.clone(),
                weight,
            },
            supersedes: *supersedes && relation == Relation::EvolvedFrom,
        }
    }

    /// Returns the change in one line that begins with a verb.
    pub fn title(&self) -> String {
        match self {
            Self::Edit { note, .. } | Self::Trash { note, .. } | Self::LinkMention { note, .. } => {
                self.title_about(note.as_str())
            }
            Self::Merge { keeper, others, .. } => {
                let others: Vec<&str> = others.iter().map(VaultPath::as_str).collect();
                format!("merge {} into {keeper}", others.join(", "))
            }
            Self::Relate { edge, .. } => edge.title(),
            Self::Refresh { note, command, .. } => format!("update `{command}` in {note}"),
            Self::Resolve { note, version, .. } => match version {
                Version::Both => format!("keep both versions in {note}"),
                Version::Ours => format!("keep ours in {note}"),
                Version::Theirs => format!("keep theirs in {note}"),
            },
            Self::Create { path, .. } => format!("create {path}"),
            Self::Move { note, to } if note.folder() == to.folder() => {
                format!("rename {note} to {to}")
            }
            Self::Move { note, to } => format!("move {note} to {to}"),
        }
    }

    /// Returns the title of an edit or a removal of `what`.
    fn title_about(&self, what: &str) -> String {
        match self {
            Self::Edit { edits, .. } => match edits.as_slice() {
                [Edit::Append { key, value }] => format!("add {value} to {key} of {what}"),
                // Changes of `mem` properties in the same edit are not mentioned.
                [first @ Edit::Set { key, value }, rest @ ..]
                    if rest.is_empty()
                        || !sets_mem_property(first) && rest.iter().all(sets_mem_property) =>
                {
                    let text = value
                        .as_str()
                        .map_or_else(|| value.to_string(), str::to_owned);
                    format!("set {key} of {what} to {text}")
                }
                _ => format!("edit {what}"),
            },
            Self::Trash { .. } => format!("remove {what}"),
            Self::LinkMention { to, name, .. } => format!("link \"{name}\" in {what} to {to}"),
            _ => self.title(),
        }
    }
}

/// Returns the title of acts applied as a whole: the number of notes if all acts are the same, else
/// the title of the first act.
pub fn title(acts: &[Act]) -> String {
    let Some(first) = acts.first() else {
        return String::new();
    };
    let is_same = |act: &Act| match (first, act) {
        (Act::Edit { edits: a, .. }, Act::Edit { edits: b, .. }) => a == b,
        (Act::Trash { .. }, Act::Trash { .. }) => true,
        (
            Act::LinkMention { to, name, .. },
            Act::LinkMention {
                to: to_also,
                name: name_also,
                ..
            },
        ) => (to, name) == (to_also, name_also),
        _ => false,
    };
    let new = acts
        .iter()
        .filter(|act| matches!(act, Act::Create { .. }))
        .count();
    if new > 1 {
        format!("create {new} notes")
    } else if acts.len() > 1 && acts.iter().all(is_same) {
        first.title_about(&format!("{} notes", acts.len()))
    } else {
        first.title()
    }
}

fn sets_mem_property(edit: &Edit) -> bool {
    matches!(edit, Edit::Set { key, .. } if key.top() == "mem")
}

/// Verbs of titles and their past forms.
const VERBS: &str = include_str!("verbs.txt");

/// Returns the title of a completed act or group, in the past tense.
pub fn done(title: &str) -> String {
    let past = lists::pairs(VERBS, "verbs").find_map(|(verb, past)| {
        let rest = title.strip_prefix(verb)?.strip_prefix(' ')?;
        Some(format!("{past} {rest}"))
    });
    past.unwrap_or_else(|| format!("done: {title}"))
}

/// Returns the title in the past tense, or with "would" if nothing was changed.
pub fn outcome(title: &str, is_planned: bool) -> String {
    if is_planned {
        format!("would {title}")
    } else {
        done(title)
    }
}

/// Stores values as JSON text: an [`Edit`] contains values of any type, which formats that are not
/// self-describing cannot read back.
mod json_text {
    use serde::de::{DeserializeOwned, Error as _};
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        value: &impl Serialize,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&serde_json::to_string(value).map_err(S::Error::custom)?)
    }

    pub(super) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        serde_json::from_str(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::words::lists::assert_read_whole;

    #[test]
    fn verbs_list_is_complete() {
        assert_read_whole(VERBS, &["verbs"]);
    }

    fn path(name: &str) -> VaultPath {
        VaultPath::new(name).unwrap()
    }

    fn replaced(supersedes: bool) -> Act {
        let edge = RelationEdge {
            from: path("new.md"),
            relation: Relation::EvolvedFrom,
            to: path("old.md"),
            weight: 0.7,
        };
        Act::Relate { edge, supersedes }
    }

    #[test]
    fn equal_acts_share_a_title() {
        let set = |note: &str, tier: &str| Act::Edit {
            note: path(note),
            edits: [("tier", tier), ("mem", "x")]
                .map(|(key, value)| Edit::Set {
                    key: key.into(),
                    value: value.into(),
                })
                .to_vec(),
        };
        let new = |note: &str| Act::Create {
            path: path(note),
            text: String::new(),
        };
        let trash = |note: &str| Act::Trash {
            note: path(note),
            reason: note.to_owned(),
        };
        for (acts, expected) in [
            (vec![], ""),
            (vec![new("a.md"), set("b.md", "core")], "create a.md"),
            (
                vec![new("a.md"), new("b.md"), set("c.md", "core")],
                "create 2 notes",
            ),
            (vec![set("a.md", "core")], "set tier of a.md to core"),
            (
                vec![set("a.md", "core"), set("b.md", "core")],
                "set tier of 2 notes to core",
            ),
            (
                vec![set("a.md", "core"), set("b.md", "working")],
                "set tier of a.md to core",
            ),
            (vec![trash("a.md"), trash("b.md")], "remove 2 notes"),
            (vec![trash("a.md"), set("b.md", "core")], "remove a.md"),
        ] {
            assert_eq!(title(&acts), expected);
        }
    }

    #[test]
    fn answers_select_the_act() {
        for (answer, title, weight, supersedes) in [
            (Answer::Yes, "record that new.md replaces old.md", 0.7, true),
            (
                Answer::Is(Relation::EvolvedFrom),
                "record that new.md replaces old.md",
                0.7,
                true,
            ),
            (
                Answer::Inverse(Relation::EvolvedFrom),
                "record that old.md replaces new.md",
                0.7,
                true,
            ),
            (
                Answer::Is(Relation::Contradicts),
                "record that new.md contradicts old.md",
                0.9,
                false,
            ),
            (
                Answer::Inverse(Relation::PartOf),
                "record part_of from old.md to new.md",
                0.5,
                false,
            ),
        ] {
            let act = replaced(true).answered(answer);
            assert_eq!(act.title(), title);
            let Act::Relate {
                edge,
                supersedes: ends,
            } = act
            else {
                panic!("{act:?}");
            };
            assert_eq!((edge.weight, ends), (weight, supersedes), "{title}");
        }
        let trash = Act::Trash {
            note: path("a.md"),
            reason: String::new(),
        };
        assert_eq!(trash.answered(Answer::Inverse(Relation::PartOf)), trash);
    }

    #[test]
    fn titles_in_past_tense() {
        for (title, expected) in [
            ("remove a.md", "removed a.md"),
            ("write a.md from b.md", "wrote a.md from b.md"),
            ("made up", "done: made up"),
        ] {
            assert_eq!(done(title), expected);
        }
        let [note, to] = ["a.md", "b/a.md"].map(path);
        let name = String::new();
        for act in [
            replaced(true),
            replaced(true).answered(Answer::Is(Relation::RelatedTo)),
            Act::Merge {
                keeper: note.clone(),
                others: vec![to.clone()],
                body: None,
            },
            Act::LinkMention {
                note: note.clone(),
                to: to.clone(),
                name,
                line: 0,
            },
            Act::Edit {
                note: note.clone(),
                edits: Vec::new(),
            },
            Act::Create {
                path: to.clone(),
                text: String::new(),
            },
            Act::Move { note, to },
        ] {
            assert!(!done(&act.title()).starts_with("done: "), "{act:?}");
        }
    }

    /// The queue stores findings in a format that is not self-describing.
    #[test]
    fn acts_round_trip_through_postcard() {
        let edits = vec![
            Edit::Append {
                key: "tags".into(),
                value: "echo".into(),
            },
            Edit::Unset { key: "a.b".into() },
            Edit::Replace {
                span: 3..4,
                was: "x".to_owned(),
                text: "y".to_owned(),
            },
        ];
        for act in [
            Act::Edit {
                note: path("a.md"),
                edits,
            },
            replaced(true),
            Act::Merge {
                keeper: path("a.md"),
                others: vec![path("b.md")],
                body: Some("x".to_owned()),
            },
        ] {
            let kept = postcard::to_stdvec(&act).unwrap();
            assert_eq!(postcard::from_bytes(&kept), Ok(act));
        }
    }
}
