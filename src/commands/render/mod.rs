//! Shows the results of runs and open questions to a person.

pub(crate) mod fact_record;
pub(crate) mod hit_record;
pub(crate) mod note_record;
pub(crate) mod relative_path;
use crate::commands::prelude::*;
use crate::finding::question::QuestionKind;
use crate::finding::{OmittedBlocks, act};
use crate::jobs;
use crate::journal::Opinions;
use crate::run::answers::{AnswerOutcome, AnswerRecord};

/// Returns `place`, followed by the title unless it equals the file name.
pub(super) fn titled(output: &Output, place: String, path: &VaultPath, title: &str) -> String {
    if path.stem() == title {
        return place;
    }
    format!("{place}  {}", output.paint(Style::Title, title))
}

/// Shows groups, with their diffs if they have any.
pub(super) fn show_groups(output: &Output, groups: &[GroupReport]) {
    for group in groups {
        let title = output.paint(Style::Title, &group.title);
        output.line(&match group.outcome {
            GroupOutcome::Planned => format!("would {title}"),
            GroupOutcome::Applied => output.paint(Style::Title, &act::done(&group.title)),
            GroupOutcome::Unchanged => format!("unchanged: {title}"),
            GroupOutcome::Dropped => format!("skipped: {title}"),
        });
        output.line(&format!("  reason: {}", output.clean(&group.reason)));
        if let Some(why) = &group.why {
            output.line(&format!("  not done: {}", output.clean(why)));
        }
        if let Some(diff) = &group.diff {
            diff::print(output, diff);
            show_left_out(output, &group.left_out);
        }
    }
}

/// Shows the blocks that a merge leaves out, by their first lines.
pub(super) fn show_left_out(output: &Output, left_out: &[OmittedBlocks]) {
    for OmittedBlocks {
        note,
        keeper,
        blocks,
    } in left_out
    {
        let blocks_of = count(blocks.len(), "block");
        let what = format!("already in {keeper}: {blocks_of} of {note}");
        output.line(&output.paint(Style::Faint, &what));
        for line in blocks {
            output.line(&format!("  {}", output.clean(line)));
        }
    }
}

/// Shows an open question and its quotes, one per note.
pub(super) fn show_open_question(output: &Output, asked: &QuestionReport) {
    let id = &asked.id.to_string()[..8];
    show_question(output, id, &asked.question, &asked.reason);
    let versions = ["ours", "theirs"].map(str::to_owned);
    let sources = match asked.kind {
        QuestionKind::MergeConflict => versions.as_slice(),
        _ => &asked.notes,
    };
    for (source, quote) in sources.iter().zip(&asked.quotes) {
        output.line(&output.clean(&format!("  {source}: \u{201c}{quote}\u{201d}")));
    }
}

/// Returns the opinions of judges on a finding, one per line.
pub(super) fn opinions(finding: &Finding, opinions: &Opinions) -> Vec<String> {
    let opinions = opinions.on(finding.key).iter();
    let said = opinions.filter_map(|opinion| {
        let answer = finding.named(opinion.answer?);
        // A relation equal to the proposed one is shown as yes.
        let is_yes = answer == Answer::Yes || Some(answer) == finding.relation().map(Answer::Is);
        let answer = if is_yes { Answer::Yes } else { answer };
        let why = match opinion.why.as_str() {
            "" => String::new(),
            why => format!(" ({why})"),
        };
        Some(format!("{}: {answer}{why}", opinion.judge))
    });
    said.collect()
}

/// Shows an open question with the prefix of its id.
pub(super) fn show_question(output: &Output, id: &str, question: &str, reason: &str) {
    let line = Line::of(Style::Faint, format!("{id} "));
    let column = line.width();
    let line = line.and(None, format!("{question} ({reason})"));
    output.write_wrapped_below(&line, column);
}

/// Shows the outcome of an answer.
pub(super) fn show_answer(record: &AnswerRecord, output: &Output, open: &[Finding]) {
    use AnswerOutcome::{Group, Remembered};
    use GroupOutcome::{Applied, Dropped, Planned};

    let asked = open.iter().find(|asked| asked.key.to_string() == record.id);
    let stated = record.title.clone().or_else(|| asked.map(Finding::title));
    let title = output.clean(&stated.unwrap_or_else(|| record.id.clone()));
    let job = asked.map(|asked| jobs::job_of_kind(asked.kind()));
    // A merge conflict stays open.
    let is_retried = job != Some(None);
    output.row(&match (record.outcome, &record.why) {
        (Group(Planned), _) if record.answer == Some(Answer::No) => {
            format!("would reject: {title}")
        }
        (Group(Planned), _) => format!("would {title}"),
        (Group(Applied), _) => act::done(&title),
        (Remembered, _) => format!("rejected: {title}"),
        (Group(Dropped), Some(why)) if record.is_kept() && is_retried => format!(
            "skipped for now: {title} ({}); the next `mem sleep` tries again, or `mem {}` if that job is off; \
             `mem review forget {}` takes the answer back",
            output.clean(why),
            job.flatten().map_or("JOB", |job| job.name),
            &record.id[..8.min(record.id.len())]
        ),
        (outcome, Some(why)) => format!("{}: {title} ({})", outcome.name(), output.clean(why)),
        (outcome, None) => format!("{}: {title}", outcome.name()),
    });
    if let Some(diff) = &record.diff {
        diff::print(output, diff);
    }
}
