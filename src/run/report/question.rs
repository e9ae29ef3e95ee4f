//! Records of open questions.

use super::group::GroupReport;
use crate::cache::Result;
use crate::finding::OmittedBlocks;
use crate::run::prelude::*;

/// An open question, with the diff of a yes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct QuestionReport {
    pub id: QuestionKey,
    pub kind: QuestionKind,
    pub question: String,
    pub reason: String,
    /// Quotes of each note, if the reason is in their text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<String>,
    /// Whether fixed rules alone decide it, so that it could be applied unattended.
    pub certain: bool,
    pub notes: Vec<String>,
    /// Strength or probability, 0–1.
    pub weight: f32,
    pub answers: &'static [Answer],
    /// Empty if a yes cannot be applied now.
    pub diff: String,
    /// Why a yes cannot be applied now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What a merge omits because the remaining note already has it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<OmittedBlocks>,
}

impl QuestionReport {
    /// Returns the records of `findings` in order.
    pub fn all(vault: &Vault, view: &View<'_>, findings: &[Finding]) -> Result<Vec<Self>> {
        let questions = findings
            .iter()
            .map(|finding| Self::of(vault, view, finding));
        questions.collect()
    }

    /// Returns the record of `finding`.
    pub fn of(vault: &Vault, view: &View<'_>, finding: &Finding) -> Result<Self> {
        let (diff, why, left_out) = match acts::group(view, finding, Answer::Yes) {
            Ok(group) => {
                let preview = GroupReport::previews(vault, &Plan::new("", vec![group])).pop();
                preview.map_or_else(Default::default, |preview| {
                    let diff = preview.diff.unwrap_or_default();
                    (diff, preview.why, preview.left_out)
                })
            }
            Err(ActError::Cache(error)) => return Err(error),
            Err(error) => (String::new(), Some(error.to_string()), Vec::new()),
        };
        Ok(Self {
            id: finding.key,
            kind: finding.kind(),
            question: finding.question(),
            reason: finding.reason.clone(),
            quotes: finding.quotes.clone(),
            certain: finding.certain,
            notes: finding.notes.iter().map(ToString::to_string).collect(),
            weight: (finding.weight * 1000.0).round() / 1000.0,
            answers: finding.kind().answers(),
            diff,
            why,
            left_out,
        })
    }
}
