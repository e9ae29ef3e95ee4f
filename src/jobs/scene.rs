//! A vault that a job looks at and that becomes what it proposes, for tests.

use std::collections::BTreeMap;

use super::find::{Find, Seeds};
use crate::change::acts;
use crate::finding::Finding;
use crate::finding::plan::Change;
use crate::finding::question::{Answer, Answers};
use crate::note::edit;
use crate::note::front_matter::seal;
use crate::view::scene::Scene;

/// A note of these properties that an agent wrote.
pub(super) fn managed(properties: &str, body: &str) -> String {
    seal::reseal(&format!(
        "---\n{properties}mem: {{by: a, seal: 0000000000000000}}\n---\n{body}\n"
    ))
}

pub(super) fn found(scene: &Scene, find: &dyn Find) -> Vec<Finding> {
    let findings = find.find(&scene.view(true), &Answers::default(), &Seeds::All);
    findings.unwrap().found
}

/// The vault after everything that was found was answered with yes.
pub(super) fn done(scene: &Scene, find: &dyn Find) -> Scene {
    let mut files: BTreeMap<String, String> = scene.files.clone();
    for finding in found(scene, find) {
        let group = acts::group(&scene.view(true), &finding, Answer::Yes).unwrap();
        for change in group.changes {
            match change {
                Change::Create { path, text } => drop(files.insert(path.to_string(), text)),
                Change::Edit { path, edits, .. } => {
                    let before = &files[path.as_str()];
                    let mut text = edit::apply(before, &edits).unwrap();
                    if seal::is_sealed(before) {
                        text = seal::reseal(&text);
                    }
                    files.insert(path.to_string(), text);
                }
                Change::Trash { path, .. } => drop(files.remove(path.as_str())),
                Change::Move { .. } => panic!("{change:?}"),
            }
        }
    }
    Scene::new(files)
}
