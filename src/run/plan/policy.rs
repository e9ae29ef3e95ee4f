//! Which findings are applied unattended, and which wait for an answer.
//!
//! One rule for all jobs. What rules alone decide is done if the setting allows it: for `managed`,
//! only if every note that it touches was written by mem or an agent and not edited since, or if its author
//! asked for it in that very note. What was
//! answered "yes" is done. Everything else is a question. What would be done to a note that a person is
//! at work on is left for the next time.

use super::in_use::{InUse, InUseReason};
use crate::cache::Result;
use crate::change::acts::{self, ActError};
use crate::finding::plan::Change;
use crate::finding::question::Answers;
use crate::run::options::Apply;
use crate::run::prelude::*;
use crate::view::TextError;

/// Findings, sorted by what becomes of them.
#[derive(Debug, Default)]
pub struct Decided {
    /// What is carried out.
    pub plan: Plan,
    /// What waits for an answer.
    pub waiting: Vec<Finding>,
    /// What cannot be carried out, and why.
    pub skipped: Vec<String>,
    /// The notes that something is left for the next time for, each once, in order.
    pub busy: Vec<InUse>,
}

impl Decided {
    /// Notes why something cannot be carried out. A note that is being edited right now is looked at next time,
    /// without a word.
    pub fn skip(&mut self, error: ActError) -> Result<()> {
        match error {
            ActError::Cache(error) => return Err(error),
            ActError::Text(TextError::Changed(_)) | ActError::Gone(_) => {}
            error => self.skipped.push(error.to_string()),
        }
        Ok(())
    }
}

/// Sorts the findings of `job`; `in_use` tells why a note is in use.
pub fn decide(
    view: &View<'_>,
    job: &str,
    findings: Vec<Finding>,
    answers: &Answers,
    apply: Apply,
    in_use: impl Fn(&VaultPath) -> Option<InUseReason>,
) -> Result<Decided> {
    let mut looked: HashMap<VaultPath, Option<InUseReason>> = HashMap::new();
    let mut is_in_use = |path: &VaultPath| {
        let known = looked.get(path).copied();
        let reason = known.unwrap_or_else(|| in_use(path));
        if known.is_none() {
            looked.insert(path.clone(), reason);
        }
        reason.is_some()
    };
    let mut decided = Decided {
        plan: Plan::new(job, Vec::new()),
        ..Decided::default()
    };
    let may_do = |finding: &Finding| -> Result<bool> {
        let is_refused = answers.were_refused(finding.kind(), &finding.notes);
        Ok(match apply {
            Apply::None => false,
            _ if is_refused || !finding.certain => false,
            Apply::Managed => is_own(view, finding)?,
            Apply::All => true,
        })
    };
    for finding in joined(findings, answers, &may_do)? {
        let answer = finding.answer(answers);
        if answer == Some(Answer::No) {
            continue;
        }
        let may = may_do(&finding)?;
        if answer.is_none() && !may {
            if can_be_done(view, &finding)? {
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
                    || finding.acts.iter().all(Act::is_asked_for)
                    || is_managed(view, &group)? =>
            {
                decided.plan.groups.push(group);
            }
            Ok(_) => decided.waiting.push(finding),
            Err(error) => decided.skip(error)?,
        }
    }
    for (path, reason) in looked {
        decided
            .busy
            .extend(reason.map(|reason| InUse { path, reason }));
    }
    decided.busy.sort_unstable();
    Ok(decided)
}

/// Returns true if a yes to `finding` could be carried out: nobody is asked what `change` would refuse.
///
/// There are few of the kinds that it may refuse; the others are worked out when they are shown.
fn can_be_done(view: &View<'_>, finding: &Finding) -> Result<bool> {
    if !finding.kind().spec().may_be_refused {
        return Ok(true);
    }
    match acts::group(view, finding, Answer::Yes) {
        Ok(_) | Err(ActError::Text(_) | ActError::Gone(_)) => Ok(true),
        Err(ActError::Cache(error)) => Err(error),
        Err(_) => Ok(false),
    }
}

/// Returns these findings with what one rule would do to many notes as one, where it has to be asked: nobody wants to
/// be asked the same for each of them.
fn joined(
    findings: Vec<Finding>,
    answers: &Answers,
    may_do: &dyn Fn(&Finding) -> Result<bool>,
) -> Result<Vec<Finding>> {
    let mut joined: Vec<Finding> = Vec::new();
    let mut asked: HashMap<String, usize> = HashMap::new();
    for finding in findings {
        let is_asked =
            finding.kind() == Kind::Rule && finding.answer(answers).is_none() && !may_do(&finding)?;
        let same = asked.get(&finding.reason).filter(|_| is_asked);
        if let Some(at) = same {
            joined[*at].join(finding);
            continue;
        }
        if is_asked {
            asked.insert(finding.reason.clone(), joined.len());
        }
        joined.push(finding);
    }
    Ok(joined)
}

/// Returns true if `answer` to `finding` may be carried out though no person gave it.
pub fn allows(view: &View<'_>, finding: &Finding, answer: Answer, apply: Apply) -> Result<bool> {
    // What a stranger's rule would lose needs the yes of a person.
    if finding.kind() == Kind::Rule && !finding.certain {
        return Ok(false);
    }
    match (apply, acts::group(view, finding, answer)) {
        (Apply::None, _) => Ok(false),
        (Apply::All, _) => Ok(true),
        (Apply::Managed, Ok(group)) => is_managed(view, &group),
        (_, Err(ActError::Cache(error))) => Err(error),
        // Why it cannot be done is said when it is tried.
        (_, Err(_)) => is_own(view, finding),
    }
}

/// Returns true if every note that `finding` is sure to change belongs to mem or an agent, or its author
/// asked for it there; also if it changes none and only makes new ones.
pub(crate) fn is_own(view: &View<'_>, finding: &Finding) -> Result<bool> {
    let acts = finding.acts.iter().filter(|act| !act.is_asked_for());
    for note in acts.filter_map(Act::changes) {
        if !view.at(note)?.is_some_and(|entry| entry.is_managed()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns true if every note that `group` touches belongs to mem or an agent.
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
    use crate::finding::plan::Edge;
    use crate::finding::question::{Kind, QuestionKey};
    use crate::note::front_matter::relation::Relation;
    use crate::view::tests::Scene;

    fn finding(acts: Vec<Act>) -> Finding {
        Finding {
            certain: true,
            ..Finding::new(
                QuestionKey::new(Kind::Merge, &[1]),
                Vec::new(),
                acts,
                1.0,
                "because".to_owned(),
            )
        }
    }

    /// A note that is not there yet has no author.
    #[test]
    fn a_new_note_is_written_unattended_and_a_persons_is_left_alone() {
        let scene = Scene::new([("own.md", "Mine.\n")]);
        let path = |name: &str| VaultPath::new(name).unwrap();
        let create = Act::Create {
            path: path("digest.md"),
            text: "All of it.\n".to_owned(),
        };
        let trash = Act::Trash {
            note: path("own.md"),
            reason: "in the digest".to_owned(),
        };
        for (acts, apply, done) in [
            (vec![create.clone()], Apply::Managed, 1),
            (vec![create.clone()], Apply::None, 0),
            (vec![create.clone(), trash.clone()], Apply::Managed, 0),
            (vec![create, trash], Apply::All, 1),
        ] {
            let view = scene.view(false);
            let findings = vec![finding(acts)];
            let decided = decide(&view, "job", findings, &Answers::default(), apply, |_| None);
            let Decided { plan, waiting, .. } = decided.unwrap();
            assert_eq!((plan.groups.len(), waiting.len()), (done, 1 - done));
        }
    }

    #[test]
    fn what_would_be_refused_is_not_asked() {
        let scene = Scene::new([
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
            edge: Edge {
                from: path(from),
                relation,
                to: path(to),
                weight: 0.9,
            },
            supersedes: false,
        };
        for (kind, act, asked) in [
            (Kind::Merge, merge("tea.md", "new.md"), true),
            (Kind::Merge, merge("kept.md", "new.md"), true),
            (Kind::Merge, merge("new.md", "kept.md"), false),
            (Kind::Merge, merge("tea.md", "tied.md"), false),
            (Kind::Merge, merge("open.md", "tea.md"), false),
            (
                Kind::Conflict,
                relate("kept.md", Relation::EvolvedFrom, "new.md"),
                true,
            ),
            (
                Kind::Conflict,
                relate("new.md", Relation::EvolvedFrom, "kept.md"),
                false,
            ),
            (
                Kind::Conflict,
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
            // An answer to another question of the pair is refused, too.
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
            );
            let decided = decided.unwrap();
            assert_eq!(decided.waiting.len(), usize::from(asked), "{act:?}");
            assert_eq!((decided.plan.groups.len(), decided.skipped.len()), (0, 0));
        }
    }
}
