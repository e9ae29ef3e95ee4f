//! JSON schemas of the replies, one per command: the files in `schemas/`.

use mem::commands::Request;
use mem::commands::agents::{context, install};
use mem::commands::reading::{
    extract, graph, list, outline, recall, related, resurface, search, show, tasks, timeline, why,
};
use mem::commands::setup::{completions, config, git, init, presets};
use mem::commands::upkeep::{
    doctor, history, history_purge, index, job, judge, merge_file, review, rules, score, settle,
    sleep, status, sync,
};
use mem::commands::writing::{
    append, confirm, daily, edit, import, merge, mv, reinforce, remember, remember_lines, restore,
    rm, tag, trash, undo,
};
use mem::run::report::SleepReport;
use mem::run::sleep::SleepRequest;
use mem::session::Environment;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

/// Returns the name of each command and the schema of its `--json` document.
pub(crate) fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("agent-install", reply::<install::InstallRequest>()),
        ("agent-status", reply::<install::AgentStatusRequest>()),
        ("append", answer::<append::AppendRequest>()),
        ("audit", reply::<doctor::AuditRequest>()),
        ("config", reply::<config::ConfigRequest>()),
        ("completions", reply::<completions::CompletionsRequest>()),
        ("confirm", answer::<confirm::ConfirmRequest>()),
        ("context", answer::<context::ContextRequest>()),
        ("daily", answer::<daily::DailyRequest>()),
        ("doctor", answer::<doctor::DoctorRequest>()),
        ("edit", answer::<edit::EditRequest>()),
        ("extract", answer::<extract::ExtractRequest>()),
        ("git", reply::<git::GitRequest>()),
        ("graph", answer::<graph::GraphRequest>()),
        ("history", answer::<history::HistoryRequest>()),
        ("history-purge", answer::<history_purge::PurgeRequest>()),
        ("import", answer::<import::ImportRequest>()),
        ("index", answer::<index::IndexRequest>()),
        ("init", reply::<init::InitRequest>()),
        ("job", answer::<job::JobCommand>()),
        ("judge", answer::<judge::JudgingRequest>()),
        ("list", answer::<list::ListRequest>()),
        ("merge", answer::<merge::MergeRequest>()),
        ("merge-file", reply::<merge_file::MergeFileRequest>()),
        ("mv", answer::<mv::MoveRequest>()),
        ("outline", answer::<outline::OutlineRequest>()),
        ("presets", reply::<presets::PresetsRequest>()),
        ("recall", answer::<recall::RecallRequest>()),
        ("reinforce", answer::<reinforce::ReinforceRequest>()),
        ("related", answer::<related::RelatedRequest>()),
        ("remember", answer::<remember::RememberRequest>()),
        ("remember-lines", of::<remember_lines::LineReply>()),
        ("restore", answer::<restore::RestoreRequest>()),
        ("resurface", answer::<resurface::ResurfaceRequest>()),
        ("review", of::<review::QuestionList>()),
        ("review-answers", of::<review::AnswerReport>()),
        ("review-decided", of::<review::AnswerList>()),
        ("rm", answer::<rm::RemoveRequest>()),
        ("rules-check", answer::<rules::CheckRequest>()),
        ("rules-list", answer::<rules::RulesListRequest>()),
        ("rules-test", answer::<rules::TestRequest>()),
        ("score", answer::<score::ScoreRequest>()),
        ("search", answer::<search::SearchRequest>()),
        ("settle", answer::<settle::SettleRequest>()),
        ("show", answer::<show::ShowRequest>()),
        ("sleep", answer::<SleepRequest>()),
        ("sleep-install", of::<sleep::TimerRecord>()),
        ("sleep-report", of::<Option<SleepReport>>()),
        ("status", answer::<status::StatusRequest>()),
        ("sync", answer::<sync::SyncArgs>()),
        ("tag", answer::<tag::TagsRequest>()),
        ("tag-mv", answer::<tag::RenameTagRequest>()),
        ("tasks", answer::<tasks::TasksRequest>()),
        ("timeline", answer::<timeline::TimelineRequest>()),
        ("trash", answer::<trash::TrashListRequest>()),
        ("trash-empty", answer::<trash::EmptyTrashRequest>()),
        ("undo", answer::<undo::UndoRequest>()),
        ("why", answer::<why::WhyRequest>()),
    ]
}

fn answer<R: Request>() -> Schema {
    of::<R::Reply<'static>>()
}

/// Returns the schema of a command that needs no vault.
fn reply<R: Request<Environment>>() -> Schema {
    of::<R::Reply<'static>>()
}

fn of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>()
}
