//! `mem presets`

use crate::commands::prelude::*;
use crate::run::presets::{about, help};

/// List presets, or print one
///
/// A preset is a set of settings and rules that imitates another system or changes the pace of
/// maintenance. Use it with `mem init --preset automem` or `mem config rules.preset automem`. In a
/// list like `automem, busy` the later one wins. Settings in the same file win over presets.
#[derive(Debug, clap::Args)]
#[command(after_long_help = help())]
pub struct PresetsRequest {
    /// The preset to print
    name: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct PresetList {
    presets: Vec<Preset>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Preset {
    name: &'static str,
    about: &'static str,
    text: &'static str,
}

impl Request<Environment> for PresetsRequest {
    type Reply<'s> = Either<PresetList, Preset>;

    fn answer(&self, _: &Environment) -> Result<Self::Reply<'_>> {
        let built_in = PRESETS.iter().map(|(name, text)| Preset {
            name,
            about: about(text),
            text,
        });
        let presets: Vec<Preset> = built_in.collect();
        let Some(name) = &self.name else {
            return Ok(Either::Left(PresetList { presets }));
        };
        let mut presets = presets.into_iter();
        let preset = presets.find(|preset| preset.name == name);
        preset.map(Either::Right).ok_or_else(|| unknown(name))
    }
}

impl Reply for PresetList {
    fn show(&self, page: &Page<'_>) {
        for Preset { name, about, .. } in &self.presets {
            let name = Line::of(Style::Title, format!("{name:13} "));
            let column = name.width();
            page.write_wrapped_below(&name.and(None, *about), column);
        }
    }

    list!(presets);
}

impl Reply for Preset {
    fn show(&self, page: &Page<'_>) {
        page.raw(self.text.as_bytes());
    }
}

/// The error for an unknown preset.
pub(crate) fn unknown(name: &str) -> Error {
    let error = Error::new(format!("unknown preset `{name}`"));
    match super::settings::SCHEMA.nearest_preset(name) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("`mem presets` lists them"),
    }
}
