//! JSON schemas of the replies, one per command: the files in `schemas/`.

use schemars::Schema;
use schemars::generate::SchemaSettings;

use crate::commands::prelude::*;
use crate::commands::reading::extract::ExtractRequest;
use crate::commands::reading::graph::GraphRequest;
use crate::commands::reading::list::ListRequest;
use crate::commands::reading::outline::OutlineRequest;
use crate::commands::reading::recall::RecallRequest;
use crate::commands::reading::related::RelatedRequest;
use crate::commands::reading::resurface::ResurfaceRequest;
use crate::commands::reading::search::SearchRequest;
use crate::commands::reading::show::ShowRequest;
use crate::commands::reading::tasks::TasksRequest;
use crate::commands::reading::why::WhyRequest;
use crate::commands::setup::config::{SettingList, SettingRecord};
use crate::commands::setup::init::InitReport;
use crate::commands::setup::presets::{Preset, PresetList};
use crate::commands::upkeep::doctor::DoctorRequest;
use crate::commands::upkeep::history::HistoryRequest;
use crate::commands::upkeep::history_purge::PurgeRequest;
use crate::commands::upkeep::index::IndexRequest;
use crate::commands::upkeep::job::JobCommand;
use crate::commands::upkeep::judge::JudgingRequest;
use crate::commands::upkeep::review::{AnswerList, QuestionList};
use crate::commands::upkeep::rules::{self, CheckRequest, Differences, TestRequest};
use crate::commands::upkeep::score::ScoreRequest;
use crate::commands::upkeep::settle::SettleRequest;
use crate::commands::upkeep::status::StatusRequest;
use crate::commands::writing::append::AppendRequest;
use crate::commands::writing::confirm::ConfirmRequest;
use crate::commands::writing::edit::EditRequest;
use crate::commands::writing::mv::MoveRequest;
use crate::commands::writing::reinforce::ReinforceRequest;
use crate::commands::writing::remember::RememberRequest;
use crate::commands::writing::restore::RestoreRequest;
use crate::commands::writing::rm::RemoveRequest;
use crate::commands::writing::tag::RenameTagRequest;
use crate::commands::writing::tag::TagsRequest;
use crate::commands::writing::trash::EmptyTrashRequest;
use crate::commands::writing::trash::TrashListRequest;
use crate::commands::writing::undo::UndoRequest;

/// Returns the name of each command and the schema of what it prints with `--json`.
#[must_use]
pub fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("append", answer::<AppendRequest>()),
        ("config", of::<Either<SettingList<'_>, SettingRecord<'_>>>()),
        ("confirm", answer::<ConfirmRequest>()),
        ("doctor", answer::<DoctorRequest>()),
        ("edit", answer::<EditRequest>()),
        ("extract", answer::<ExtractRequest>()),
        ("graph", answer::<GraphRequest>()),
        ("history", answer::<HistoryRequest>()),
        ("history-purge", answer::<PurgeRequest>()),
        ("index", answer::<IndexRequest>()),
        ("init", of::<InitReport>()),
        ("job", answer::<JobCommand>()),
        ("judge", answer::<JudgingRequest>()),
        ("list", answer::<ListRequest>()),
        ("mv", answer::<MoveRequest>()),
        ("outline", answer::<OutlineRequest>()),
        ("presets", of::<Either<PresetList, Preset>>()),
        ("recall", answer::<RecallRequest>()),
        ("reinforce", answer::<ReinforceRequest>()),
        ("related", answer::<RelatedRequest>()),
        ("remember", answer::<RememberRequest>()),
        ("restore", answer::<RestoreRequest>()),
        ("resurface", answer::<ResurfaceRequest>()),
        ("review", of::<QuestionList>()),
        ("review-decided", of::<AnswerList>()),
        ("rm", answer::<RemoveRequest>()),
        ("rules-check", answer::<CheckRequest>()),
        ("rules-diff", of::<Differences>()),
        ("rules-list", answer::<rules::ListRequest>()),
        ("rules-test", answer::<TestRequest>()),
        ("score", answer::<ScoreRequest>()),
        ("search", answer::<SearchRequest>()),
        ("settle", answer::<SettleRequest>()),
        ("show", answer::<ShowRequest>()),
        ("status", answer::<StatusRequest>()),
        ("tag", answer::<TagsRequest>()),
        ("tag-mv", answer::<RenameTagRequest>()),
        ("tasks", answer::<TasksRequest>()),
        ("trash", answer::<TrashListRequest>()),
        ("trash-empty", answer::<EmptyTrashRequest>()),
        ("undo", answer::<UndoRequest>()),
        ("why", answer::<WhyRequest>()),
    ]
}

fn answer<R: Request>() -> Schema {
    of::<R::Reply<'static>>()
}

fn of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>()
}
