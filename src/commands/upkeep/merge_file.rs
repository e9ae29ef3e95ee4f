//! `mem merge-file`: git's merge driver.

use crate::commands::prelude::*;
use crate::journal;
use crate::note::three_way::check::{CheckVerdict, check};
use crate::note::three_way::refusal::{Refusal, TextConflict};
use crate::note::three_way::{self, TextMerge};
use crate::run::sleep::state::SleepState;

/// Merge two versions of a note, for git
///
/// `mem git install` makes git use it. Writes the result to OURS. Changes of both sides are joined by property, block,
/// sentence and word; where both changed the same words, both stay between conflict markers. Exits with 1 if so.
#[derive(Clone, Debug, clap::Args)]
pub struct MergeFileRequest {
    /// The common ancestor (`%O`)
    base: PathBuf,
    /// The version that gets the result (`%A`)
    ours: PathBuf,
    /// The other version (`%B`)
    theirs: PathBuf,
    /// Path of the file in the work tree (`%P`), which decides how it is merged [default: OURS]
    path: Option<PathBuf>,
    /// Check this merged note instead of writing one: 0 if no line is lost, 1 if some are, 2 if that cannot be told
    #[arg(long, value_name = "RESULT", conflicts_with = "path")]
    check: Option<PathBuf>,
}

/// What happened to a file.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct MergeFileReport {
    /// The merged file.
    path: String,
    /// Places where both versions are kept.
    conflicts: Vec<ConflictRecord>,
    /// What the check found missing; the file was merged by lines instead.
    findings: Vec<String>,
    /// Whether the result was only checked.
    #[serde(skip)]
    is_check: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ConflictRecord {
    reason: String,
    /// The first line of the text.
    near: String,
}

impl From<TextConflict> for ConflictRecord {
    fn from(conflict: TextConflict) -> Self {
        Self {
            reason: conflict.refusal.to_string(),
            near: conflict.near,
        }
    }
}

impl Reply for MergeFileReport {
    fn show(&self, page: &Page<'_>) {
        let path = page.clean(&self.path);
        if self.is_check {
            for finding in &self.findings {
                page.line(&page.clean(finding));
            }
            return;
        }
        if !self.findings.is_empty() {
            page.warn(&format!(
                "{path}: merged by lines, because the merge by structure failed its check"
            ));
        }
        for ConflictRecord { reason, near } in &self.conflicts {
            let near = if near.is_empty() {
                String::new()
            } else {
                format!(", near `{}`", page.clean(near))
            };
            page.say(&format!("{path}: {reason}{near}"));
        }
    }

    fn exit(&self) -> Result<Exit> {
        let has_failed = self.is_check && !self.findings.is_empty();
        Ok(Exit::found(self.conflicts.is_empty() && !has_failed))
    }
}

/// How a file is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileKind {
    Note,
    /// JSON Lines: the entries of both.
    Records,
    /// The state of the jobs of a device.
    State,
    /// Lines.
    Other,
}

impl FileKind {
    fn of(path: &Path) -> Self {
        let is_own = path.components().any(|part| part.as_os_str() == ".mem");
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("jsonl") if is_own => Self::Records,
            Some("json") if is_own => Self::State,
            Some("toml") if is_own => Self::Other,
            _ => Self::Note,
        }
    }
}

impl Request<Environment> for MergeFileRequest {
    type Reply<'s> = MergeFileReport;

    fn answer(&self, env: &Environment) -> Result<MergeFileReport> {
        let read = |path: &Path| {
            let path = env.start.join(path);
            fs::read(&path).map_err(|error| Error::io("read", &path, &error))
        };
        let [base, ours, theirs] = [read(&self.base)?, read(&self.ours)?, read(&self.theirs)?];
        let path = self.path.as_ref().unwrap_or(&self.ours);
        let mut report = MergeFileReport {
            path: path.display().to_string(),
            is_check: self.check.is_some(),
            ..MergeFileReport::default()
        };
        let texts = [&base, &ours, &theirs].map(|bytes| std::str::from_utf8(bytes).ok());
        if let Some(result) = &self.check {
            let result = String::from_utf8(read(result)?).ok();
            let ([Some(base), Some(ours), Some(theirs)], Some(result)) = (texts, result) else {
                return Err(Error::new("cannot check a file that is not UTF-8"));
            };
            match check(base, [ours, theirs], &result) {
                CheckVerdict::Proven => {}
                CheckVerdict::Findings(findings) => report.findings = findings,
                CheckVerdict::Unverified(why) => {
                    return Err(Error::new(format!("cannot check: {why}")));
                }
            }
            return Ok(report);
        }
        let kind = FileKind::of(path);
        let is_text = matches!(kind, FileKind::Records | FileKind::State)
            || ![&base, &ours, &theirs]
                .iter()
                .any(|bytes| bytes.contains(&0));
        if !is_text && ours != theirs && base != ours && base != theirs {
            // As git does with binary files: lines of UTF-16 cannot be cut at bytes.
            report.conflicts.push(ConflictRecord {
                reason: Refusal::Binary.to_string(),
                near: String::new(),
            });
            return Ok(report);
        }
        let (merged, outcome) = if let [Some(base), Some(ours), Some(theirs)] = texts {
            let outcome = merge(kind, [base, ours, theirs]);
            (outcome.text.clone().into_bytes(), outcome)
        } else {
            // Each byte as a character, to merge lines in any encoding.
            let [base, ours, theirs] = [base, ours, theirs]
                .map(|bytes| bytes.into_iter().map(char::from).collect::<String>());
            let outcome = three_way::merge_lines(&base, &ours, &theirs);
            (outcome.text.chars().map(|c| c as u8).collect(), outcome)
        };
        let target = env.start.join(&self.ours);
        // Whole or not at all: on an error, the driver merges the lines of `ours` instead.
        own_files::write_atomically(&target, &merged)
            .map_err(|error| Error::io("write", &target, &error))?;
        report.conflicts = outcome
            .conflicts
            .into_iter()
            .map(ConflictRecord::from)
            .collect();
        report.findings = outcome.findings;
        Ok(report)
    }
}

/// Merges texts; a state that cannot be read is merged by lines.
fn merge(kind: FileKind, [base, ours, theirs]: [&str; 3]) -> TextMerge {
    let text = match kind {
        FileKind::Note => return three_way::merge(base, ours, theirs),
        FileKind::Records => Some(journal::union(base, ours, theirs)),
        FileKind::State => merged_state(ours, theirs),
        FileKind::Other => None,
    };
    match text {
        Some(text) => TextMerge {
            text,
            conflicts: Vec::new(),
            findings: Vec::new(),
        },
        None => three_way::merge_lines(base, ours, theirs),
    }
}

fn merged_state(ours: &str, theirs: &str) -> Option<String> {
    let [ours, theirs] = [ours, theirs].map(serde_json::from_str::<SleepState>);
    let merged = ours.ok()?.merge_with(theirs.ok()?);
    Some(serde_json::to_string_pretty(&merged).ok()? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_decide_the_kind() {
        for (path, kind) in [
            ("a.md", FileKind::Note),
            ("/tmp/.merge_file_x1", FileKind::Note),
            (".mem/journal/pc/decisions.jsonl", FileKind::Records),
            ("notes/.mem/trash/1/trash.jsonl", FileKind::Records),
            ("mine.jsonl", FileKind::Note),
            (".mem/state/pc.json", FileKind::State),
            (".mem/config.toml", FileKind::Other),
        ] {
            assert_eq!(FileKind::of(Path::new(path)), kind, "{path}");
        }
    }

    #[test]
    fn states_keep_the_newer_job() {
        let state = |job: &str, day: u8, runs: u8| {
            format!(
                r#"{{"jobs":{{"{job}":{{"last_start":"2026-01-0{day}T00:00:00Z","runs":{runs}}}}},"history":[{{"job":"{job}","at":"2026-01-0{day}T00:00:00Z","changed":1,"run":null,"error":null}}]}}"#
            )
        };
        let merged = merge(
            FileKind::State,
            ["{}", &state("link", 1, 5), &state("link", 2, 6)],
        );
        let other = merge(
            FileKind::State,
            ["{}", &state("link", 2, 6), &state("link", 1, 5)],
        );
        assert_eq!(merged.text, other.text);
        let merged: SleepState = serde_json::from_str(&merged.text).unwrap();
        assert_eq!((merged.jobs["link"].runs, merged.history.len()), (6, 2));
        let both = merge(
            FileKind::State,
            ["{}", &state("link", 1, 5), &state("decay", 2, 6)],
        );
        assert_eq!(
            serde_json::from_str::<SleepState>(&both.text)
                .unwrap()
                .jobs
                .len(),
            2
        );
        assert_eq!(merge(FileKind::State, ["{}\n", "{\n", "{}\n"]).text, "{\n");
    }
}
