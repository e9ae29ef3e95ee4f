//! Decides which findings are applied unattended and which need an answer.
//!
//! One policy for all jobs. Certain findings are applied if `apply` allows it: `managed` requires
//! that every
//! touched note was written by mem or an agent and not edited since, or that its author asked for
//! the change
//! in that note. Findings answered "yes" are applied. All others are questions. Changes to notes in
//! use are
//! postponed.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::in_use::{InUse, InUseReason};
use crate::cache::Result;
use crate::run::prelude::*;
use crate::view::NoteTextError;

/// Findings, grouped by decision.
#[derive(Debug, Default)]
pub struct PolicyResult {
    /// The changes to apply.
    pub plan: Plan,
    /// Findings that need an answer.
    pub waiting: Vec<Finding>,
    /// Why some findings cannot be applied.
    pub skipped: Vec<String>,
    /// Notes in use whose changes are postponed, sorted and without duplicates.
    pub busy: Vec<InUse>,
}

impl PolicyResult {
    /// Records why a finding cannot be applied. Notes that changed or disappeared meanwhile are
    /// silently left to the
    /// next run.
    pub fn skip(&mut self, error: ActError) -> Result<()> {
        match error {
            ActError::Cache(error) => return Err(error),
            ActError::Text(NoteTextError::Changed(_)) | ActError::Missing(_) => {}
            error => self.skipped.push(error.to_string()),
        }
        Ok(())
    }
}

/// Findings whose changes were compiled without a refusal, as hashes of finding and catalog. Compiling is most of the
/// work of a run that finds nothing new.
#[derive(Debug, Default)]
pub struct ApplicableFindings {
    /// Hash of the catalog; `None` compiles all findings.
    catalog: Option<u64>,
    stored: BTreeSet<u64>,
    current: BTreeSet<u64>,
}

impl ApplicableFindings {
    /// Reads `file`; empty if it is missing or unreadable.
    pub fn load(file: &Path, catalog: Option<u64>) -> Self {
        let stored = fs::read(file).unwrap_or_default();
        Self {
            catalog,
            stored: postcard::from_bytes(&stored).unwrap_or_default(),
            current: BTreeSet::new(),
        }
    }

    /// Writes the findings of this run to `file`, unless it contains them.
    pub fn save(&self, file: &Path) {
        if !self.current.is_subset(&self.stored)
            && let Ok(bytes) = postcard::to_stdvec(&self.current)
        {
            // If it cannot be saved, the next run compiles them again.
            let _ = own_files::write_atomically(file, &bytes);
        }
    }

    /// Whether `finding` could be applied: questions that `change` would refuse are not asked.
    ///
    /// Only few kinds may be refused; all others are built when they are shown.
    fn has(&mut self, view: &View<'_>, finding: &Finding) -> Result<bool> {
        if !finding.kind().spec().may_be_refused {
            return Ok(true);
        }
        let hash = self.catalog.and_then(|catalog| {
            let bytes = postcard::to_stdvec(finding).ok()?;
            Some(xxh3_64_with_seed(&bytes, catalog))
        });
        if !hash.is_some_and(|hash| self.stored.contains(&hash)) {
            match acts::group(view, finding, Answer::Yes) {
                Ok(_) => {}
                Err(ActError::Text(_) | ActError::Missing(_)) => return Ok(true),
                Err(ActError::Cache(error)) => return Err(error),
                Err(_) => return Ok(false),
            }
        }
        self.current.extend(hash);
        Ok(true)
    }
}

/// Groups the findings of `job` by decision; `in_use` returns why a note is in use.
pub fn decide(
    view: &View<'_>,
    job: &str,
    findings: Vec<Finding>,
    answers: &Answers,
    apply: Apply,
    in_use: impl Fn(&VaultPath) -> Option<InUseReason>,
    applicable: &mut ApplicableFindings,
) -> Result<PolicyResult> {
    let mut use_reasons: HashMap<VaultPath, Option<InUseReason>> = HashMap::new();
    let mut is_in_use = |path: &VaultPath| {
        let known = use_reasons.get(path).copied();
        let reason = known.unwrap_or_else(|| in_use(path));
        if known.is_none() {
            use_reasons.insert(path.clone(), reason);
        }
        reason.is_some()
    };
    let mut decided = PolicyResult {
        plan: Plan::new(job, Vec::new()),
        ..PolicyResult::default()
    };
    let may_apply = |finding: &Finding| -> Result<bool> {
        let is_refused = answers.were_refused(finding.kind(), &finding.notes);
        Ok(match apply {
            Apply::None => false,
            _ if is_refused || !finding.certain => false,
            Apply::Managed => is_own(view, finding)?,
            Apply::All => true,
        })
    };
    for finding in merge_rule_findings(findings, answers, &may_apply)? {
        let answer = finding.answer(answers);
        if answer == Some(Answer::No) {
            continue;
        }
        let is_allowed = may_apply(&finding)?;
        if answer.is_none() && !is_allowed {
            if applicable.has(view, &finding)? {
                decided.waiting.push(finding);
            }
            continue;
        }
        if finding.notes.iter().any(&mut is_in_use) {
            continue;
        }
        match acts::group(view, &finding, answer.unwrap_or(Answer::Yes)) {
            Ok(group) if (group.changes.iter().flat_map(Change::paths)).any(&mut is_in_use) => {}
            Ok(group)
                if answer.is_some()
                    || apply == Apply::All
                    || finding.acts.iter().all(Act::is_requested_by_note)
                    || is_managed(view, &group)? =>
            {
                decided.plan.groups.push(group);
            }
            Ok(_) => decided.waiting.push(finding),
            Err(error) => decided.skip(error)?,
        }
    }
    for (path, reason) in use_reasons {
        decided
            .busy
            .extend(reason.map(|reason| InUse { path, reason }));
    }
    decided.busy.sort_unstable();
    Ok(decided)
}

/// Combines all findings of one rule into one question, if they need an answer.
fn merge_rule_findings(
    findings: Vec<Finding>,
    answers: &Answers,
    may_apply: &dyn Fn(&Finding) -> Result<bool>,
) -> Result<Vec<Finding>> {
    let mut merged: Vec<Finding> = Vec::new();
    let mut asked: HashMap<String, usize> = HashMap::new();
    for finding in findings {
        let is_asked = finding.kind() == QuestionKind::Rule
            && finding.answer(answers).is_none()
            && !may_apply(&finding)?;
        let same = asked.get(&finding.reason).filter(|_| is_asked);
        if let Some(at) = same {
            merged[*at].join(finding);
            continue;
        }
        if is_asked {
            asked.insert(finding.reason.clone(), merged.len());
        }
        merged.push(finding);
    }
    Ok(merged)
}

/// Whether `answer` to `finding` may be applied without a person's answer.
pub fn may_apply_unattended(
    view: &View<'_>,
    finding: &Finding,
    answer: Answer,
    apply: Apply,
) -> Result<bool> {
    // A rule of someone else that may lose content needs a person's answer.
    if finding.kind() == QuestionKind::Rule && !finding.certain {
        return Ok(false);
    }
    match (apply, acts::group(view, finding, answer)) {
        (Apply::None, _) => Ok(false),
        (Apply::All, _) => Ok(true),
        (Apply::Managed, Ok(group)) => is_managed(view, &group),
        (_, Err(ActError::Cache(error))) => Err(error),
        // The error is reported when the change is attempted.
        (_, Err(_)) => is_own(view, finding),
    }
}

/// Whether every note that `finding` certainly changes is managed, or its author asked for the
/// change there.
/// True if it only creates notes.
pub(crate) fn is_own(view: &View<'_>, finding: &Finding) -> Result<bool> {
    let acts = finding
        .acts
        .iter()
        .filter(|act| !act.is_requested_by_note());
    for note in acts.filter_map(Act::changes) {
        if !view.at(note)?.is_some_and(|entry| entry.is_managed()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether every note that `group` touches is managed.
fn is_managed(view: &View<'_>, group: &Group) -> Result<bool> {
    for change in &group.changes {
        let managed = match change {
            Change::Create { .. } => true,
            Change::Edit { path, .. } | Change::Move { path, .. } | Change::Trash { path, .. } => {
                view.at(path)?.is_some_and(|entry| entry.is_managed())
            }
        };
        if !managed {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::plan::RelationEdge;
    use crate::finding::question::{QuestionKey, QuestionKind};
    use crate::note::front_matter::relation::Relation;
    use crate::view::tests::IndexedVault;

    fn finding(acts: Vec<Act>) -> Finding {
        Finding {
            certain: true,
            ..Finding::new(
                QuestionKey::new(QuestionKind::Merge, &[1]),
                Vec::new(),
                acts,
                1.0,
                "because".to_owned(),
            )
        }
    }

    /// A note that does not exist yet has no author.
    #[test]
    fn unattended_runs_create_notes_but_keep_those_of_people() {
        let scene = IndexedVault::new([("own.md", "Mine.\n")]);
        let path = |name: &str| VaultPath::new(name).unwrap();
        let create = Act::Create {
            path: path("digest.md"),
            text: "All of it.\n".to_owned(),
        };
        let trash = Act::Trash {
            note: path("own.md"),
            reason: "in the digest".to_owned(),
        };
        for (acts, apply, applied) in [
            (vec![create.clone()], Apply::Managed, 1),
            (vec![create.clone()], Apply::None, 0),
            (vec![create.clone(), trash.clone()], Apply::Managed, 0),
            (vec![create, trash], Apply::All, 1),
        ] {
            let view = scene.view(false);
            let findings = vec![finding(acts)];
            let known = &mut ApplicableFindings::default();
            let answers = Answers::default();
            let decided = decide(&view, "job", findings, &answers, apply, |_| None, known);
            let PolicyResult { plan, waiting, .. } = decided.unwrap();
            assert_eq!((plan.groups.len(), waiting.len()), (applied, 1 - applied));
        }
    }

    #[test]
    fn refused_changes_are_not_asked() {
        let scene = IndexedVault::new([
            ("kept.md", "---\nkeep: true\n---\nWe use SQLite.\n"),
            ("new.md", "We use Postgres.\n"),
            ("tied.md", "---\na: &a {b: 1}\nc:\n  <<: *a\n---\nTea.\n"),
            ("open.md", "Tea.\n\n```sh\nmake\n"),
            ("tea.md", "Tea.\n\nGreen.\n"),
        ]);
        let path = |name: &str| VaultPath::new(name).unwrap();
        let merge = |keeper: &str, other: &str| Act::Merge {
            keeper: path(keeper),
            others: vec![path(other)],
            body: None,
        };
        let relate = |from: &str, relation: Relation, to: &str| Act::Relate {
            edge: RelationEdge {
                from: path(from),
                relation,
                to: path(to),
                weight: 0.9,
            },
            supersedes: false,
        };
        for (kind, act, asked) in [
            (QuestionKind::Merge, merge("tea.md", "new.md"), true),
            (QuestionKind::Merge, merge("kept.md", "new.md"), true),
            (QuestionKind::Merge, merge("new.md", "kept.md"), false),
            (QuestionKind::Merge, merge("tea.md", "tied.md"), false),
            (QuestionKind::Merge, merge("open.md", "tea.md"), false),
            (
                QuestionKind::Conflict,
                relate("kept.md", Relation::EvolvedFrom, "new.md"),
                true,
            ),
            (
                QuestionKind::Conflict,
                relate("new.md", Relation::EvolvedFrom, "kept.md"),
                false,
            ),
            (
                QuestionKind::Conflict,
                relate("new.md", Relation::Contradicts, "kept.md"),
                true,
            ),
        ] {
            let view = scene.view(false);
            let finding = Finding {
                key: QuestionKey::new(kind, &[1]),
                certain: false,
                ..finding(vec![act.clone()])
            };
            // Other answers to the same pair are refused, too.
            let replaces = Answer::Is(Relation::EvolvedFrom);
            let is_kept = matches!(&act, Act::Relate { edge, .. } if edge.to == path("kept.md"));
            let refused = acts::group(&view, &finding, replaces).is_err();
            assert!(refused || !is_kept, "{act:?}");
            let decided = decide(
                &view,
                "job",
                vec![finding],
                &Answers::default(),
                Apply::All,
                |_| None,
                &mut ApplicableFindings::default(),
            )
            .unwrap();
            assert_eq!(decided.waiting.len(), usize::from(asked), "{act:?}");
            assert_eq!((decided.plan.groups.len(), decided.skipped.len()), (0, 0));
        }
    }
}
