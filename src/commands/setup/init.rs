//! `mem init`

use rayon::prelude::*;
use ulid::Ulid;
use walkdir::{DirEntry, WalkDir};

use crate::commands::args::prompt::{confirm, is_attended, select};
use crate::commands::prelude::*;
use crate::config::values;
use crate::finding::first_names;
use crate::run::options::{Apply, SleepOptions};
use crate::run::presets::about;
use crate::session::settings::{settings_file, write};
use crate::vault::walk::walk;
use crate::vault::{self, OWN_FOLDER, ReadError, ignored};

/// Turn a folder of notes into a vault
///
/// Adds a `.mem` folder and changes no note. Safe to run again. At a terminal it asks for a preset
/// and what `mem sleep` may change unattended; Esc cancels. Deleting `.mem` reverts it and
/// loses settings, rules, answers, trash, usage statistics and undo history, but no note.
#[derive(Clone, Debug, clap::Args)]
pub struct InitRequest {
    /// The folder [default: the current one, or that of -C]
    folder: Option<PathBuf>,
    /// Allow a folder inside or above a vault, a home folder, or the root
    #[arg(long)]
    force: bool,
    /// Ask nothing and use the defaults
    #[arg(short, long)]
    yes: bool,
    /// Use the settings and rules of these presets; `mem presets` lists them
    #[arg(long, value_name = "NAME[,NAME]")]
    preset: Option<String>,
    /// The setting `sleep.apply`, if not the default.
    #[arg(skip)]
    apply: Option<&'static str>,
}

const CONFIG: &str = include_str!("init.toml");

/// The comment above a preset in a new file.
const PRESET_COMMENT: &str = "
# Settings and rules to begin with; `mem help presets` lists them, what this file sets comes first.
";

const CONFIRMATION: &str = "make it a vault anyway?";

/// Maximum number of vaults named in a question.
const MAX_NAMED_VAULTS: usize = 3;
/// Maximum depth and number of folders in the search for other vaults.
const MAX_DEPTH: usize = 5;
const MAX_FOLDERS: usize = 5_000;

#[derive(Debug, Serialize, JsonSchema)]
pub struct InitReport {
    vault: String,
    created: bool,
    notes: usize,
    /// The new and the previous preset of an existing vault.
    #[serde(skip)]
    changed_preset: Option<(String, String)>,
}

impl Reply for InitReport {
    fn show(&self, page: &Page<'_>) {
        let vault = page.clean(&self.vault);
        let notes = count(self.notes, "note");
        page.line(&if self.created {
            format!("created vault {vault} ({notes})")
        } else {
            format!("{vault} is already a vault ({notes})")
        });
        if let Some((preset, before)) = &self.changed_preset {
            let was = match before.as_str() {
                "" => "none".to_owned(),
                before => format!("`{before}`"),
            };
            page.say(&format!("its preset changed from {was} to `{preset}`"));
        }
        if self.created {
            page.hint(if self.notes == 0 {
                "`mem new TITLE` creates a note, `mem import` converts those of other programs"
            } else {
                "`mem search WORDS` finds notes; `mem sleep --dry-run` previews maintenance"
            });
        }
    }
}

impl Request<Environment> for InitRequest {
    type Reply<'s> = InitReport;

    /// Asks a person first.
    fn run(&self, env: &Environment) -> Result<Exit> {
        let mut request = self.clone();
        if !self.yes && is_attended(env) && request.ask(env)?.is_none() {
            return Ok(Exit::Nothing);
        }
        env.print(&request.answer(env)?)
    }

    /// Creates the vault.
    fn answer(&self, env: &Environment) -> Result<InitReport> {
        let folder = self.folder.as_ref().unwrap_or(&env.start);
        if let Some((doubt, hint)) = doubt(env, folder, self.force)? {
            return Err(Error::new(doubt).hint(hint));
        }
        let own = folder.join(OWN_FOLDER);
        let created = !own.exists();
        let preset = self.preset.as_deref().map(canonical_presets).transpose()?;
        fs::create_dir_all(&own).map_err(|error| Error::io("make", &own, &error))?;
        let vault = Vault::open(folder)?;
        let heading = if preset.is_some() { PRESET_COMMENT } else { "" };
        if created {
            let (now, seed) = (env.now.timestamp().as_millisecond(), env.seed);
            let id = Ulid::from_parts(now.unsigned_abs(), seed.into());
            write_if_missing(&vault, vault::ID, &format!("{id}\n"))?;
        }
        for (name, text) in [
            (vault::CONFIG, &*format!("{CONFIG}{heading}")),
            (ignored::IGNORE_FILES[0], ignored::IGNORE_TEXT),
            (ignored::IGNORE_FILES[1], ignored::IGNORE_TEXT),
        ] {
            write_if_missing(&vault, name, text)?;
        }
        let before: rules::RulesOptions = env.settings(Some(&vault)).of();
        let file = Origin::Vault(settings_file(&vault));
        for (key, value) in [
            (rules::RulesOptions::PRESET, preset.as_deref()),
            ("sleep.apply", self.apply),
        ] {
            if let Some(value) = value {
                write(&file, key, Some(&value.into()))?;
            }
        }
        let notes = walk(&vault)?.notes;
        // Files that are not UTF-8 are not notes.
        let reads = notes.par_iter().map(|note| vault.read(&note.path));
        let skipped: Vec<ReadError> = reads.filter_map(Result::err).collect();
        let notes = notes.len() - skipped.len();
        for error in skipped {
            let (path, why) = (error.path(), error.reason());
            env.output.warn(&format!("skipped `{path}`: {why}"));
        }
        let changed_preset = preset.map(|preset| (preset, before.preset));
        Ok(InitReport {
            vault: vault.root().display().to_string(),
            created,
            notes,
            changed_preset: changed_preset.filter(|(preset, before)| !created && preset != before),
        })
    }
}

/// Returns preset names in canonical form; fails if one is unknown.
fn canonical_presets(names: &str) -> Result<String> {
    let names: Vec<&str> = values::names(names).collect();
    for name in &names {
        if SCHEMA.preset(name).is_none() {
            return Err(super::presets::unknown(name));
        }
    }
    Ok(names.join(", "))
}

impl InitRequest {
    /// Asks about doubts, and about the settings of a new vault; `None` if cancelled.
    fn ask(&mut self, env: &Environment) -> Result<Option<()>> {
        let folder = self.folder.as_ref().unwrap_or(&env.start);
        let is_new = !folder.join(OWN_FOLDER).exists();
        if let Some((doubt, _)) = doubt(env, folder, self.force)? {
            match confirm(env, &format!("{doubt}; {CONFIRMATION}"), false) {
                Some(false) => return Ok(None),
                Some(true) => self.force = true,
                // The answer reports the doubt.
                None => return Ok(Some(())),
            }
        }
        if let Some(names) = &self.preset {
            canonical_presets(names)?;
        }
        Ok(if is_new { self.choose(env) } else { Some(()) })
    }

    /// Asks for a preset, unless one was named, and for what may change unattended; `None` if
    /// cancelled.
    fn choose(&mut self, env: &Environment) -> Option<()> {
        if self.preset.is_none() {
            let items = PRESETS.iter().map(|(name, text)| {
                Line::of(None, format!("{name:13} ")).and(Style::Faint, about(text))
            });
            let chosen = select(env, "Which preset?", &items.collect::<Vec<_>>())?;
            // The first preset is the default.
            self.preset = (chosen > 0).then(|| PRESETS[chosen].0.to_owned());
        }
        let notes = match env.settings(None).of::<SleepOptions>().apply {
            // A vault cannot allow more than the user's settings.
            Apply::None => return Some(()),
            Apply::Managed => "notes that mem or an agent wrote",
            Apply::All => "all notes",
        };
        let question = "What may `mem sleep` change?";
        let items = [
            Line::of(None, notes).and(Style::Faint, "  certain changes only; `mem undo` reverts"),
            Line::of(None, "none").and(Style::Faint, "  `mem review` asks about each change"),
        ];
        self.apply = (select(env, question, &items)? > 0).then_some("none");
        Some(())
    }
}

/// Returns why `folder` should not become a vault, with the hint.
fn doubt(env: &Environment, folder: &Path, force: bool) -> Result<Option<(String, &'static str)>> {
    let shown = folder.display();
    if !folder.is_dir() {
        let error = Error::new(format!("`{shown}` is not a folder"));
        return Err(if folder.exists() {
            error.hint("name the folder that your notes are in")
        } else {
            error.hint(format!("create it with `mkdir -p {shown}`"))
        });
    }
    let folder = folder
        .canonicalize()
        .map_err(|error| Error::io("find", folder, &error))?;
    if force || folder.join(OWN_FOLDER).exists() {
        return Ok(None);
    }
    Ok(Some(
        if folder.parent().is_none() || folder == env.folders.home {
            (
                format!("every Markdown file below `{shown}` would become a note"),
                "name the folder that your notes are in, or pass `--force` to use this one",
            )
        } else if let Ok(outer) = Vault::find(&folder) {
            (
                format!(
                    "`{shown}` is a folder of the vault `{}`, which already contains its notes",
                    outer.root().display()
                ),
                "`--force` makes it a vault of its own; its notes are then in both",
            )
        } else {
            let below = vaults_below(&folder);
            if below.is_empty() {
                return Ok(None);
            }
            let listed = listed(&below, &folder);
            (
                format!("`{shown}` contains the vaults {listed}"),
                "`--force` makes it a vault too; their notes are then in both",
            )
        },
    ))
}

/// Returns vaults below `folder`, within the search limits.
fn vaults_below(folder: &Path) -> Vec<PathBuf> {
    let is_visible_folder = |entry: &DirEntry| {
        let name = entry.file_name().as_encoded_bytes();
        entry.file_type().is_dir() && (entry.depth() == 0 || !name.starts_with(b"."))
    };
    let walk = WalkDir::new(folder)
        .max_depth(MAX_DEPTH)
        .sort_by_file_name();
    let visible = walk.into_iter().filter_entry(is_visible_folder).flatten();
    let folders = visible.take(MAX_FOLDERS);
    let vaults = folders.filter(|entry| entry.path().join(OWN_FOLDER).is_dir());
    vaults.map(DirEntry::into_path).collect()
}

/// Returns the first few folders relative to `folder`, and the number of others.
fn listed(folders: &[PathBuf], folder: &Path) -> String {
    let names = folders.iter().map(|path| {
        let path = path.strip_prefix(folder).unwrap_or(path);
        format!("`{}`", path.display())
    });
    first_names(names, MAX_NAMED_VAULTS)
}

fn write_if_missing(vault: &Vault, name: &str, text: &str) -> Result<()> {
    let path = vault.own_path(name);
    match vault.fs().write_new(&path, text.as_bytes()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(Error::io("write", &path, &error)),
    }
}
