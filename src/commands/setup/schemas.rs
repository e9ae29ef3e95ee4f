//! JSON schemas of the replies, one per command: the files in `schemas/`.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use crate::commands::Request;
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
use crate::commands::upkeep::status::StatusRequest;
use crate::output::reply::Either;

/// Returns the name of each command and the schema of what it prints with `--json`.
#[must_use]
pub fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("config", of::<Either<SettingList<'_>, SettingRecord<'_>>>()),
        ("extract", answer::<ExtractRequest>()),
        ("graph", answer::<GraphRequest>()),
        ("init", of::<InitReport>()),
        ("list", answer::<ListRequest>()),
        ("outline", answer::<OutlineRequest>()),
        ("presets", of::<Either<PresetList, Preset>>()),
        ("recall", answer::<RecallRequest>()),
        ("related", answer::<RelatedRequest>()),
        ("resurface", answer::<ResurfaceRequest>()),
        ("search", answer::<SearchRequest>()),
        ("show", answer::<ShowRequest>()),
        ("status", answer::<StatusRequest>()),
        ("tasks", answer::<TasksRequest>()),
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
