//! JSON schemas of the replies, one per command: the files in `schemas/`.

use schemars::Schema;
use schemars::generate::SchemaSettings;

use super::config::{SettingList, SettingRecord};
use crate::commands::prelude::*;
use crate::commands::reading::saved_queries::{SavedQueries, SavedQuery};
use crate::commands::{reading, upkeep, writing};
use crate::run::sleep::SleepRequest;

type ConfigReply<'a> =
    Either<Either<SettingList<'a>, SettingRecord<'a>>, Either<SavedQueries, SavedQuery>>;

/// Returns the name of each command and the schema of what it prints with `--json`.
pub fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("append", answer::<writing::append::AppendRequest>()),
        ("config", of::<ConfigReply<'_>>()),
        ("confirm", answer::<writing::confirm::ConfirmRequest>()),
        ("doctor", answer::<upkeep::doctor::DoctorRequest>()),
        ("edit", answer::<writing::edit::EditRequest>()),
        ("extract", answer::<reading::extract::ExtractRequest>()),
        ("graph", answer::<reading::graph::GraphRequest>()),
        ("history", answer::<upkeep::history::HistoryRequest>()),
        (
            "history-purge",
            answer::<upkeep::history_purge::PurgeRequest>(),
        ),
        ("index", answer::<upkeep::index::IndexRequest>()),
        ("init", of::<super::init::InitReport>()),
        ("job", answer::<upkeep::job::JobCommand>()),
        ("judge", answer::<upkeep::judge::JudgingRequest>()),
        ("list", answer::<reading::list::ListRequest>()),
        ("mv", answer::<writing::mv::MoveRequest>()),
        ("outline", answer::<reading::outline::OutlineRequest>()),
        (
            "presets",
            of::<Either<super::presets::PresetList, super::presets::Preset>>(),
        ),
        ("recall", answer::<reading::recall::RecallRequest>()),
        (
            "reinforce",
            answer::<writing::reinforce::ReinforceRequest>(),
        ),
        ("related", answer::<reading::related::RelatedRequest>()),
        ("remember", answer::<writing::remember::RememberRequest>()),
        ("restore", answer::<writing::restore::RestoreRequest>()),
        (
            "resurface",
            answer::<reading::resurface::ResurfaceRequest>(),
        ),
        ("review", of::<upkeep::review::QuestionList>()),
        ("review-decided", of::<upkeep::review::AnswerList>()),
        ("rm", answer::<writing::rm::RemoveRequest>()),
        ("rules-check", answer::<upkeep::rules::CheckRequest>()),
        ("rules-diff", of::<upkeep::rules::Differences>()),
        ("rules-list", answer::<upkeep::rules::ListRequest>()),
        ("rules-test", answer::<upkeep::rules::TestRequest>()),
        ("score", answer::<upkeep::score::ScoreRequest>()),
        ("search", answer::<reading::search::SearchRequest>()),
        ("settle", answer::<upkeep::settle::SettleRequest>()),
        ("show", answer::<reading::show::ShowRequest>()),
        ("sleep", answer::<SleepRequest>()),
        ("sleep-install", of::<upkeep::sleep::TimerRecord>()),
        ("status", answer::<upkeep::status::StatusRequest>()),
        ("tag", answer::<writing::tag::TagsRequest>()),
        ("tag-mv", answer::<writing::tag::RenameTagRequest>()),
        ("tasks", answer::<reading::tasks::TasksRequest>()),
        ("trash", answer::<writing::trash::TrashListRequest>()),
        ("trash-empty", answer::<writing::trash::EmptyTrashRequest>()),
        ("undo", answer::<writing::undo::UndoRequest>()),
        ("why", answer::<reading::why::WhyRequest>()),
    ]
}

fn answer<R: Request>() -> Schema {
    of::<R::Reply<'static>>()
}

fn of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>()
}
