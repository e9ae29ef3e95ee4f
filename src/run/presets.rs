//! Presets: how other systems look after their notes, as settings and rules that a person reads as policy.
//!
//! A preset is a file that a settings file names with `rules.preset`, see [`crate::config`]. What the systems call
//! their jobs, events and keys is in [`SEEDS`], for `mem help presets`.

use std::fmt::Write as _;

use crate::config::Preset;

/// All of them, overlays last.
pub const PRESETS: &[Preset] = &[
    ("mem", include_str!("presets/mem.toml")),
    ("ormah", include_str!("presets/ormah.toml")),
    ("automem", include_str!("presets/automem.toml")),
    ("automem-later", include_str!("presets/automem-later.toml")),
    ("ownsona", include_str!("presets/ownsona.toml")),
    ("memstate", include_str!("presets/memstate.toml")),
    ("openclaw", include_str!("presets/openclaw.toml")),
    ("busy", include_str!("presets/busy.toml")),
    ("quiet", include_str!("presets/quiet.toml")),
    ("small", include_str!("presets/small.toml")),
];

/// What another system calls a job, an event or a key, and what that is here.
#[derive(Debug)]
pub struct Seed {
    pub system: &'static str,
    pub theirs: &'static str,
    pub ours: &'static str,
}

const fn seed(system: &'static str, theirs: &'static str, ours: &'static str) -> Seed {
    Seed {
        system,
        theirs,
        ours,
    }
}

pub const SEEDS: &[Seed] = &[
    seed("Ormah", "index_updater", "`mem index`; `index.every`"),
    seed(
        "Ormah",
        "importance_scorer",
        "nothing to run: importance is worked out when it is asked for; `importance.*`, `mem score`",
    ),
    seed("Ormah", "duplicate_merger", "`mem dedupe`; `dedupe.every`"),
    seed(
        "Ormah",
        "conflict_detector",
        "`mem conflicts`; `conflicts.every`",
    ),
    seed("Ormah", "auto_linker", "`mem link`; `link.every`"),
    seed("Ormah", "auto_cluster", "`mem spaces`; `spaces.every`"),
    seed(
        "Ormah",
        "consolidator",
        "`mem consolidate`; `consolidate.every`",
    ),
    seed(
        "Ormah",
        "decay_manager",
        "`mem decay`; `decay.every`, `fate.fading`, `fate.important`",
    ),
    seed(
        "Ormah",
        "/admin/tasks/run-all",
        "`mem sleep --all`; `sleep.order`",
    ),
    seed(
        "AutoMem",
        "decay",
        "nothing to run: relevance is worked out when it is asked for; `mem score`",
    ),
    seed("AutoMem", "base_decay_rate", "`relevance.decay`"),
    seed(
        "AutoMem",
        "relationship_preservation",
        "`relevance.relations`",
    ),
    seed("AutoMem", "creative", "`mem associate`"),
    seed(
        "AutoMem",
        "CONSOLIDATION_CREATIVE_INTERVAL_SECONDS",
        "`associate.every`",
    ),
    seed("AutoMem", "cluster", "`mem cluster`"),
    seed(
        "AutoMem",
        "CONSOLIDATION_CLUSTER_INTERVAL_SECONDS",
        "`cluster.every`",
    ),
    seed("AutoMem", "similarity_threshold", "`cluster.least`"),
    seed("AutoMem", "forget", "`mem forget`"),
    seed(
        "AutoMem",
        "CONSOLIDATION_FORGET_INTERVAL_SECONDS",
        "`forget.every`",
    ),
    seed(
        "AutoMem",
        "archive_threshold, delete_threshold",
        "`fate.archive`, `fate.delete`",
    ),
    seed(
        "AutoMem",
        "CONSOLIDATION_TICK_SECONDS",
        "`mem watch` looks every 10 s; `mem sleep --install` chooses the time",
    ),
    seed(
        "AutoMem",
        "CONSOLIDATION_HISTORY_LIMIT",
        "20 runs, in `.mem/state`; `mem status --json`",
    ),
    seed(
        "AutoMem",
        "POST /consolidate",
        "`mem sleep --all`, `--only JOB`",
    ),
    seed("AutoMem", "GET /consolidate/status", "`mem status`"),
    seed(
        "OwnSona",
        "ConsolidationJob",
        "`mem consolidate`; `consolidate.*`",
    ),
    seed("OwnSona", "CONSOLIDATION_ENABLED", "`consolidate.every`"),
    seed("OwnSona", "CONSOLIDATION_THRESHOLD", "`consolidate.least`"),
    seed(
        "OwnSona",
        "CONFLICT_RESOLUTION_ENABLED",
        "`conflicts.every` with `conflicts.resolve`",
    ),
    seed(
        "OwnSona",
        "CONFLICT_RESOLUTION_THRESHOLD",
        "`conflicts.least`",
    ),
    seed(
        "OwnSona",
        "CONSOLIDATION_MAX_GROUPS",
        "`judge.calls_per_kind`",
    ),
    seed(
        "OwnSona",
        "GraphExtractionJob",
        "`mem extract`; `judge.facts`",
    ),
    seed("OwnSona", "LLM_*", "`judge.*`"),
    seed("OwnSona", "keep='Y'", "`keep: true`"),
    seed("MemState", "ingest_complete", "`on = \"ingest\"`"),
    seed("MemState", "query_complete", "`on = \"recall\"`"),
    seed("MemState", "cron", "`on = \"sleep\"`"),
    seed("MemState", "memory_pressure", "`on = \"pressure\"`"),
    seed(
        "MemState",
        "topic_count_soft_limit",
        "`when = \"notes:>=500\"`",
    ),
    seed(
        "MemState",
        "forget_salience_threshold",
        "`each = \"activity:<0.05\"`; its salience is `activity` here",
    ),
    seed("MemState", "query_salience_bump", "`activity.bump`"),
    seed(
        "MemState",
        "revise",
        "`mem dedupe` with `titles = \"merge\"`",
    ),
    seed(
        "OpenClaw",
        "dreaming",
        "a rule with `promotion:>=0.8`; `promotion.*`",
    ),
];

/// Returns what a preset is, in a line: the first of its comment.
#[must_use]
pub fn about(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    line.trim_start_matches('#').trim()
}

/// Returns the presets as a table for the manual, in Markdown.
#[must_use]
pub fn manual() -> String {
    let mut table = "| preset | what it is |\n|---|---|\n".to_owned();
    for (name, text) in PRESETS {
        let _ = writeln!(table, "| `{name}` | {} |", about(text));
    }
    table
}

/// Returns the presets, and what other systems' names are here, for a help text.
#[must_use]
pub fn help() -> String {
    let mut help = "Presets:\n".to_owned();
    for (name, text) in PRESETS {
        let _ = writeln!(help, "  {name:13} {}", about(text));
    }
    let mut system = "";
    for seed in SEEDS {
        if seed.system != system {
            system = seed.system;
            let _ = writeln!(help, "\nNames of {system}:");
        }
        let _ = writeln!(help, "  {}\n          {}", seed.theirs, seed.ours);
    }
    help
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_preset_says_what_it_is() {
        for (name, text) in PRESETS {
            assert!(text.starts_with("# ") && about(text).len() > 20, "{name}");
        }
    }

    #[test]
    fn what_a_name_of_another_system_means_is_what_its_preset_does() {
        let mut checked = 0;
        for Seed {
            system,
            theirs,
            ours,
        } in SEEDS
        {
            let preset = system.to_lowercase();
            let text = PRESETS.iter().find(|(name, _)| *name == preset);
            let (_, text) = text.unwrap_or_else(|| panic!("no preset `{preset}`"));
            for value in ours.split('"').skip(1).step_by(2) {
                checked += 1;
                assert!(text.contains(&format!("\"{value}\"")), "{theirs}: {value}");
            }
        }
        assert!(checked > 5);
    }
}
