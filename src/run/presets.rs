//! Presets: the policies of other systems as settings and rules.
//!
//! A settings file selects a preset with `rules.preset`, see [`crate::config`]. [`FOREIGN_NAMES`] maps
//! names of jobs, events
//! and keys in other systems, for `mem help presets`.

use std::fmt::Write as _;

use crate::config::PresetText;
use crate::note::words::lists;

/// All presets, overlays last.
pub const PRESETS: &[PresetText] = &[
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

/// Names of jobs, events and keys in other systems, and their equivalents in mem.
const FOREIGN_NAMES: &str = include_str!("presets/seeds.txt");

/// Returns the description of a preset: the first line of its comment.
pub fn about(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    line.trim_start_matches('#').trim()
}

/// Returns the help text on presets and names in other systems.
pub fn help() -> String {
    let mut help = "Presets:\n".to_owned();
    for (name, text) in PRESETS {
        let _ = writeln!(help, "  {name:13} {}", about(text));
    }
    for (system, seeds) in lists::sections(FOREIGN_NAMES) {
        let _ = writeln!(help, "\nNames of {system}:");
        for (theirs, ours) in seeds.map(lists::split_comment) {
            let _ = writeln!(help, "  {theirs}\n          {ours}");
        }
    }
    help
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_preset_has_a_description() {
        for (name, text) in PRESETS {
            assert!(text.starts_with("# ") && about(text).len() > 20, "{name}");
        }
    }

    #[test]
    fn equivalents_of_foreign_names_occur_in_the_preset() {
        let mut checked = 0;
        for (system, seeds) in lists::sections(FOREIGN_NAMES) {
            let preset = system.to_lowercase();
            let text = PRESETS.iter().find(|(name, _)| *name == preset);
            let (_, text) = text.unwrap_or_else(|| panic!("no preset `{preset}`"));
            for (theirs, ours) in seeds.map(lists::split_comment) {
                assert!(!ours.is_empty(), "{theirs}");
                for value in ours.split('"').skip(1).step_by(2) {
                    checked += 1;
                    assert!(text.contains(&format!("\"{value}\"")), "{theirs}: {value}");
                }
            }
        }
        assert!(checked > 5);
    }
}
