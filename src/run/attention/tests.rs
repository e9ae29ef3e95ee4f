//! Findings for tests.

use crate::finding::question::QuestionKind;
use crate::finding::{Act, Finding, QuestionKey, RelationEdge};
use crate::note::{Relation, VaultPath, normal_hash};

fn path(name: &str) -> VaultPath {
    VaultPath::new(name).unwrap()
}

fn finding(kind: QuestionKind, weight: f32, [a, b]: [&str; 2], act: Act) -> Finding {
    Finding::new(
        QuestionKey::new(kind, &[normal_hash(a), normal_hash(b)]),
        vec![path(a), path(b)],
        vec![act],
        weight,
        String::new(),
    )
}

pub(super) fn link(weight: f32, a: &str, b: &str) -> Finding {
    let edge = RelationEdge {
        from: path(a),
        relation: Relation::RelatedTo,
        to: path(b),
        weight,
    };
    let supersedes = false;
    finding(
        QuestionKind::Link,
        weight,
        [a, b],
        Act::Relate { edge, supersedes },
    )
}

pub(super) fn mention(weight: f32, a: &str, b: &str, name: &str) -> Finding {
    let act = Act::LinkMention {
        note: path(a),
        to: path(b),
        name: name.to_owned(),
        line: 0,
    };
    finding(QuestionKind::Mention, weight, [a, b], act)
}

pub(super) fn merge(weight: f32, a: &str, b: &str) -> Finding {
    let act = Act::Merge {
        keeper: path(a),
        others: vec![path(b)],
        body: None,
    };
    finding(QuestionKind::Merge, weight, [a, b], act)
}

pub(super) fn digest(weight: f32, a: &str, b: &str) -> Finding {
    let act = Act::Create {
        path: path("digest.md"),
        text: String::new(),
    };
    finding(QuestionKind::Consolidate, weight, [a, b], act)
}
