//! JSON records as other programs read them. An unknown field fails the test on purpose: records
//! are a stable interface.

#![expect(dead_code, reason = "a field is here to be expected, read or not")]
#![expect(clippy::struct_field_names, reason = "they are named as in the JSON")]

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Failure {
    pub(crate) error: FailureRecord,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct FailureRecord {
    pub(crate) message: String,
    pub(crate) causes: Vec<String>,
    pub(crate) hints: Vec<String>,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Init {
    pub(crate) vault: String,
    pub(crate) created: bool,
    pub(crate) notes: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Index {
    pub(crate) notes: usize,
    pub(crate) added: usize,
    pub(crate) changed: usize,
    pub(crate) moved: usize,
    pub(crate) removed: usize,
    pub(crate) problems: Vec<(String, String)>,
    /// Omitted where `sleep` reports it per job.
    pub(crate) seconds: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Search {
    pub(crate) query: String,
    pub(crate) mode: String,
    pub(crate) total: usize,
    pub(crate) relaxed: bool,
    #[serde(default)]
    pub(crate) unknown: Vec<String>,
    #[serde(default)]
    pub(crate) respelled: BTreeMap<String, String>,
    pub(crate) hits: Vec<Hit>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hit {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) id: Option<String>,
    pub(crate) r#type: Option<String>,
    pub(crate) tier: String,
    pub(crate) space: Option<String>,
    pub(crate) tags: Vec<String>,
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
    pub(crate) created: String,
    pub(crate) words: u32,
    pub(crate) managed: bool,
    pub(crate) problem: Option<String>,
    pub(crate) score: f64,
    pub(crate) cosine: Option<f64>,
    pub(crate) by_meaning: bool,
    pub(crate) partial: bool,
    pub(crate) replaced_by: Option<String>,
    pub(crate) explain: Option<Explain>,
    #[serde(default)]
    pub(crate) heading: String,
    pub(crate) line: Option<usize>,
    pub(crate) snippet: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Explain {
    pub(crate) words: f64,
    pub(crate) tokens: f64,
    pub(crate) meaning: f64,
    pub(crate) context: f64,
    pub(crate) weight: f64,
    pub(crate) voice: f64,
    pub(crate) space: f64,
    pub(crate) name: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {
    pub(crate) total: usize,
    pub(crate) notes: Vec<Note>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Note {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) id: Option<String>,
    pub(crate) r#type: Option<String>,
    pub(crate) tier: String,
    pub(crate) space: Option<String>,
    pub(crate) tags: Vec<String>,
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
    pub(crate) created: String,
    pub(crate) words: u32,
    pub(crate) managed: bool,
    pub(crate) problem: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Show {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) id: Option<String>,
    pub(crate) r#type: Option<String>,
    pub(crate) tier: String,
    pub(crate) space: Option<String>,
    pub(crate) tags: Vec<String>,
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
    pub(crate) created: String,
    pub(crate) words: u32,
    pub(crate) managed: bool,
    pub(crate) problem: Option<String>,
    pub(crate) properties: serde_json::Map<String, serde_json::Value>,
    pub(crate) body: String,
    pub(crate) links: Vec<Link>,
    pub(crate) backlinks: Vec<String>,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Link {
    pub(crate) path: String,
    pub(crate) relation: Option<String>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct RememberReply {
    pub(crate) path: String,
    pub(crate) id: Option<String>,
    pub(crate) title: String,
    pub(crate) created: bool,
    pub(crate) near: Vec<NearQuestion>,
    pub(crate) conflicts: Vec<NearQuestion>,
    pub(crate) earlier: Vec<EarlierNote>,
    #[serde(default)]
    pub(crate) previous_date: Option<String>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct EarlierNote {
    pub(crate) path: String,
    pub(crate) state: String,
    #[serde(default)]
    pub(crate) replaced_by: Option<String>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct NearQuestion {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) id: String,
    pub(crate) question: String,
    pub(crate) command: String,
    pub(crate) reason: String,
    #[serde(default)]
    pub(crate) quotes: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sleep {
    pub(crate) at: String,
    pub(crate) dry_run: bool,
    pub(crate) complete: bool,
    pub(crate) index: Option<Index>,
    pub(crate) jobs: Vec<Job>,
    pub(crate) open: Option<Open>,
    pub(crate) left: Vec<String>,
    pub(crate) not_due: Vec<NotDue>,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct NotDue {
    pub(crate) job: String,
    pub(crate) next_due: Option<String>,
}

impl Sleep {
    /// Returns the report of one job.
    pub(crate) fn job(&self, name: &str) -> &Job {
        let found = self.jobs.iter().find(|job| job.job == name);
        found.unwrap_or_else(|| panic!("no job {name} in {:?}", self.jobs))
    }

    /// Returns the changes of all jobs.
    pub(crate) fn groups(&self) -> Vec<&Group> {
        self.jobs.iter().flat_map(|job| &job.groups).collect()
    }

    /// Returns the jobs that ran, without the index.
    pub(crate) fn ran(&self) -> Vec<&str> {
        let jobs = self.jobs.iter().map(|job| job.job.as_str());
        jobs.filter(|job| *job != "index").collect()
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Job {
    pub(crate) job: String,
    pub(crate) outcome: String,
    pub(crate) processed: usize,
    pub(crate) changed: usize,
    pub(crate) needs_answer: usize,
    pub(crate) duration_seconds: f64,
    pub(crate) run: Option<String>,
    pub(crate) error: Option<String>,
    pub(crate) groups: Vec<Group>,
    /// Of a disabled job that ran by name.
    #[serde(default)]
    pub(crate) questions: Vec<WaitingQuestion>,
    pub(crate) skipped: Vec<String>,
    pub(crate) busy: Vec<BusyNote>,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct BusyNote {
    pub(crate) path: String,
    pub(crate) open_in: Option<String>,
    pub(crate) saved_seconds_ago: Option<u64>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct WaitingQuestion {
    pub(crate) id: String,
    pub(crate) question: String,
    pub(crate) reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Dedupe {
    pub(crate) dry_run: bool,
    pub(crate) compared: usize,
    pub(crate) run: Option<String>,
    #[serde(default)]
    pub(crate) followed_by: Vec<String>,
    pub(crate) groups: Vec<Group>,
    pub(crate) questions: Vec<Question>,
    pub(crate) needs_answer: usize,
    pub(crate) skipped: Vec<String>,
    pub(crate) busy: Vec<BusyNote>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    pub(crate) title: String,
    pub(crate) reason: String,
    pub(crate) outcome: String,
    pub(crate) why: Option<String>,
    pub(crate) files: Vec<String>,
    pub(crate) diff: Option<String>,
    #[serde(default)]
    pub(crate) left_out: Vec<LeftOut>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LeftOut {
    pub(crate) note: String,
    pub(crate) keeper: String,
    pub(crate) blocks: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Review {
    pub(crate) questions: Vec<Question>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) question: String,
    pub(crate) reason: String,
    #[serde(default)]
    pub(crate) quotes: Vec<String>,
    pub(crate) certain: bool,
    pub(crate) notes: Vec<String>,
    pub(crate) weight: f64,
    pub(crate) answers: Vec<String>,
    pub(crate) diff: String,
    pub(crate) why: Option<String>,
    #[serde(default)]
    pub(crate) left_out: Vec<LeftOut>,
    pub(crate) asked: Option<bool>,
    pub(crate) chance: Option<f64>,
    pub(crate) worth: Option<f64>,
    #[serde(default)]
    pub(crate) opinions: Vec<String>,
    #[serde(default)]
    pub(crate) terms: Vec<Term>,
    pub(crate) features: Option<BTreeMap<String, i32>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Term {
    pub(crate) name: String,
    pub(crate) log_odds: f64,
}

/// Open questions and suggestions.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
pub(crate) struct Open {
    pub(crate) questions: usize,
    pub(crate) suggestions: usize,
    #[serde(default)]
    pub(crate) silent: Vec<MutedKind>,
    #[serde(default)]
    pub(crate) asked: Vec<WaitingQuestion>,
    /// Only in `mem status`.
    pub(crate) current: Option<bool>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct MutedKind {
    pub(crate) kind: String,
    pub(crate) answers: usize,
    pub(crate) noes: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecisionList {
    pub(crate) decisions: Vec<DecisionRecord>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecisionRecord {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) answer: String,
    pub(crate) at: String,
    pub(crate) by: String,
    pub(crate) notes: Vec<String>,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerRecord {
    pub(crate) id: String,
    pub(crate) answer: Option<String>,
    pub(crate) outcome: String,
    pub(crate) why: Option<String>,
    pub(crate) run: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JudgeReply {
    pub(crate) dry_run: bool,
    pub(crate) judges: Vec<String>,
    pub(crate) calls: Vec<Call>,
    #[serde(default)]
    pub(crate) exam: Vec<Call>,
    pub(crate) failed: usize,
    pub(crate) tokens: usize,
    pub(crate) answers: Vec<AnswerRecord>,
    pub(crate) proposed: Vec<String>,
    pub(crate) left: usize,
    pub(crate) unasked: Vec<UnsentQuestion>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) question: String,
    pub(crate) judge: String,
    pub(crate) answer: Option<String>,
    #[serde(default)]
    pub(crate) why: String,
    pub(crate) text: Option<String>,
    pub(crate) text_unused: Option<String>,
    pub(crate) bytes: usize,
    pub(crate) tokens: Option<usize>,
    #[serde(default)]
    pub(crate) repairs: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UnsentQuestion {
    pub(crate) id: String,
    pub(crate) why: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct History {
    pub(crate) runs: Vec<PastRun>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PastRun {
    pub(crate) run: String,
    pub(crate) short: String,
    pub(crate) at: String,
    pub(crate) job: String,
    pub(crate) what: String,
    pub(crate) notes: usize,
    pub(crate) command: String,
    pub(crate) processed: Option<u64>,
    pub(crate) duration_seconds: Option<f64>,
    pub(crate) undoes: Option<String>,
    pub(crate) undone_by: Option<String>,
    pub(crate) changes: usize,
    pub(crate) standing: usize,
    pub(crate) groups: Vec<PastGroup>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PastGroup {
    pub(crate) title: String,
    pub(crate) reason: String,
    pub(crate) applied: bool,
    pub(crate) stands: bool,
    pub(crate) why: Option<String>,
    pub(crate) files: Vec<String>,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Undo {
    pub(crate) dry_run: bool,
    pub(crate) undoes: String,
    pub(crate) runs: Vec<String>,
    pub(crate) run: Option<String>,
    pub(crate) groups: Vec<UndoneGroup>,
    pub(crate) diff: Option<String>,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct UndoneGroup {
    pub(crate) title: String,
    pub(crate) outcome: String,
    pub(crate) why: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Status {
    pub(crate) vault: String,
    pub(crate) notes: Option<u32>,
    pub(crate) index: String,
    pub(crate) languages: BTreeMap<String, usize>,
    pub(crate) vectors: Option<Vectors>,
    pub(crate) read_only: usize,
    pub(crate) unreadable: usize,
    pub(crate) problems: Vec<(String, String)>,
    pub(crate) lists: Vec<String>,
    pub(crate) unfinished_run: bool,
    pub(crate) watch: Option<WatchRecord>,
    pub(crate) jobs: BTreeMap<String, JobState>,
    pub(crate) review: Option<Open>,
    pub(crate) history: Vec<RunState>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WatchRecord {
    pub(crate) pid: u32,
    pub(crate) since: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Vectors {
    pub(crate) model: String,
    pub(crate) dims: u32,
    pub(crate) passages: u32,
    pub(crate) notes_waiting: u32,
    pub(crate) bytes: u64,
    pub(crate) graph: Option<Graph>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Graph {
    pub(crate) passages: u32,
    pub(crate) bytes: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RelatedReply {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) links: Vec<RelatedLink>,
    pub(crate) near: Vec<NearNote>,
    pub(crate) mentions: Vec<Mention>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RelatedLink {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) direction: String,
    pub(crate) relation: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NearNote {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) cosine: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mention {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) snippet: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoteGraph {
    pub(crate) nodes: Vec<GraphNode>,
    pub(crate) edges: Vec<GraphEdge>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct GraphNode {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) distance: Option<usize>,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct GraphEdge {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) relation: Option<String>,
    pub(crate) weight: Option<f64>,
    pub(crate) reason: Option<String>,
    pub(crate) by: Option<String>,
    pub(crate) at: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Recall {
    pub(crate) query: String,
    pub(crate) mode: String,
    pub(crate) tokens: usize,
    pub(crate) left_out: usize,
    pub(crate) forgotten: usize,
    pub(crate) expired: usize,
    pub(crate) upcoming: usize,
    #[serde(default)]
    pub(crate) unknown: Vec<String>,
    pub(crate) hits: Vec<RecalledRecord>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecalledRecord {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) id: Option<String>,
    pub(crate) r#type: Option<String>,
    pub(crate) tier: String,
    pub(crate) space: Option<String>,
    pub(crate) tags: Vec<String>,
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
    pub(crate) created: String,
    pub(crate) explain: Option<Explain>,
    pub(crate) words: u32,
    pub(crate) managed: bool,
    pub(crate) problem: Option<String>,
    pub(crate) score: f64,
    pub(crate) cosine: Option<f64>,
    pub(crate) by_meaning: bool,
    pub(crate) partial: bool,
    pub(crate) replaced_by: Option<String>,
    #[serde(default)]
    pub(crate) heading: String,
    pub(crate) line: Option<usize>,
    pub(crate) snippet: Option<String>,
    pub(crate) text: String,
    pub(crate) text_line: usize,
    pub(crate) tokens: usize,
    pub(crate) replaces: Option<String>,
    #[serde(default)]
    pub(crate) contradicts: Vec<String>,
    pub(crate) maybe_outdated_by: Option<String>,
    pub(crate) question: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobState {
    pub(crate) next_due: Option<String>,
    pub(crate) last_start: Option<String>,
    pub(crate) last_success: Option<String>,
    pub(crate) last_error: Option<String>,
    pub(crate) runs: u64,
    pub(crate) errors: u64,
    #[serde(default)]
    pub(crate) failures: u64,
    #[serde(default)]
    pub(crate) left: u64,
    pub(crate) running: Option<u32>,
    pub(crate) duration_seconds: f64,
    pub(crate) processed: u64,
    pub(crate) changed: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunState {
    pub(crate) job: String,
    pub(crate) at: String,
    pub(crate) processed: Option<u64>,
    pub(crate) duration_seconds: Option<f64>,
    pub(crate) changed: u64,
    pub(crate) run: Option<String>,
    pub(crate) error: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Doctor {
    pub(crate) dry_run: bool,
    pub(crate) notes: usize,
    pub(crate) findings: Vec<Finding>,
    pub(crate) counts: BTreeMap<String, usize>,
    pub(crate) run: Option<String>,
    pub(crate) groups: Vec<Group>,
    #[serde(default)]
    pub(crate) places: Vec<PlaceSize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Finding {
    pub(crate) kind: String,
    pub(crate) path: String,
    pub(crate) line: Option<usize>,
    pub(crate) words: String,
    pub(crate) link: Option<String>,
    pub(crate) target: Option<String>,
    pub(crate) others: Vec<String>,
    pub(crate) repair: Option<String>,
    pub(crate) repaired: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlaceSize {
    pub(crate) what: String,
    pub(crate) path: String,
    pub(crate) files: u64,
    pub(crate) bytes: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeReply {
    pub(crate) dry_run: bool,
    pub(crate) run: Option<String>,
    pub(crate) groups: Vec<Group>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Move {
    pub(crate) dry_run: bool,
    pub(crate) run: Option<String>,
    pub(crate) groups: Vec<Group>,
    pub(crate) moved: Vec<MovedRecord>,
    pub(crate) canvases: Vec<String>,
    pub(crate) links: usize,
    pub(crate) linking: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MovedRecord {
    pub(crate) from: String,
    pub(crate) to: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveReply {
    pub(crate) dry_run: bool,
    pub(crate) run: Option<String>,
    pub(crate) groups: Vec<Group>,
    pub(crate) still_linked: Vec<StillLinked>,
    pub(crate) canvases: Vec<String>,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct StillLinked {
    pub(crate) note: String,
    pub(crate) from: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EditReply {
    pub(crate) run: Option<String>,
    pub(crate) notes: Vec<OpenedNote>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenedNote {
    pub(crate) path: String,
    pub(crate) changed: bool,
    pub(crate) problem: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trash {
    pub(crate) notes: Vec<TrashedNote>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EmptyTrashReply {
    pub(crate) dry_run: bool,
    pub(crate) deleted: Vec<TrashedNote>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrashedNote {
    pub(crate) path: String,
    pub(crate) run: String,
    pub(crate) at: Option<String>,
    pub(crate) job: Option<String>,
    pub(crate) reason: Option<String>,
    pub(crate) bytes: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) settings: Vec<Setting>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Setting {
    pub(crate) key: String,
    pub(crate) value: serde_json::Value,
    pub(crate) origin: SettingOrigin,
    pub(crate) default: serde_json::Value,
    pub(crate) takes: String,
    pub(crate) vault_may: String,
    pub(crate) about: String,
    pub(crate) everyday: bool,
    #[serde(default)]
    pub(crate) ignored: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SettingOrigin {
    pub(crate) from: String,
    pub(crate) place: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PurgeReply {
    pub(crate) dry_run: bool,
    pub(crate) runs: Vec<String>,
    pub(crate) note: Option<String>,
    pub(crate) texts: Vec<RunTexts>,
    pub(crate) trashed: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunTexts {
    pub(crate) run: String,
    pub(crate) texts: usize,
}

/// A line of `mem watch --jsonl`.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum WatchLine {
    Started {
        notes: usize,
        folders: usize,
        how: String,
    },
    Indexed {
        added: Vec<String>,
        changed: Vec<String>,
        moved: Vec<(String, String)>,
        removed: Vec<String>,
        seconds: f64,
        whole: bool,
    },
    Rebuilt {
        notes: usize,
        seconds: f64,
    },
    Slept {
        jobs: Vec<SleptJob>,
        open: Open,
        seconds: f64,
    },
    Polling {
        why: String,
    },
    Stopped,
}

/// One job of a sleep that a watch started.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SleptJob {
    pub(crate) job: String,
    pub(crate) outcome: String,
    pub(crate) changed: usize,
    pub(crate) needs_answer: usize,
    pub(crate) run: Option<String>,
    pub(crate) error: Option<String>,
}
