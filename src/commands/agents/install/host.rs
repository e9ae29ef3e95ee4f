//! The table of hosts: files, entries and their texts.

use serde_json::json;
use xxhash_rust::xxh3::xxh3_64;

use crate::commands::prelude::*;

/// A host, as in `hosts.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Host {
    pub(super) name: String,
    pub(super) about: String,
    /// The folder of its settings, below the home folder.
    folder: String,
    folder_on_macos: Option<String>,
    /// The environment variable that names another folder.
    variable: Option<String>,
    /// The folder below that of the variable.
    #[serde(default)]
    below_variable: String,
    /// What to do after a change.
    pub(super) note: Option<String>,
    pub(super) files: Vec<HostFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HostFile {
    /// Below the folder of the host; below the home folder if it begins with `~/`.
    path: String,
    path_with_variable: Option<String>,
    /// The name to use if only this file exists.
    alternative: Option<String>,
    /// The content of a new file.
    #[serde(default)]
    pub(super) base: Map<String, Value>,
    /// The entries of mem in a file of others.
    #[serde(default)]
    pub(super) entries: Vec<HostEntry>,
    /// The text, if the whole file is mem's.
    pub(super) whole: Option<WholeFile>,
}

/// A file that mem writes as a whole.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum WholeFile {
    Skill,
    /// The adapters of hosts whose hooks are programs in their own process.
    Opencode,
    Pi,
}

impl WholeFile {
    pub(super) fn part(self) -> Part {
        match self {
            Self::Skill => Part::Skill,
            Self::Opencode | Self::Pi => Part::Hooks,
        }
    }
}

/// An entry of mem in a file of a host.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HostEntry {
    pub(super) part: Part,
    /// The key of the entry, or of the list that contains it.
    key: Option<String>,
    list: Option<String>,
    /// Consecutive words of each entry that runs mem for this purpose.
    marker: String,
    /// The event in the keys under which Codex stores that a person approved a hook.
    pub(super) trust: Option<String>,
    value: Value,
}

/// What a host uses of mem.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub(super) enum Part {
    Hooks,
    Tools,
    Skill,
}

/// The command that hosts run.
#[derive(Clone, Debug, Default)]
pub(super) struct Command {
    pub(super) mem: String,
    pub(super) vault: String,
}

const SKILL: &str = include_str!("../../../../plugins/claude/skills/mem/SKILL.md");
const ADAPTER: &str = include_str!("adapter.ts");
/// Part of the last line of a file that is mem's; a hash of the text above follows.
const SEAL: &str = "written by mem agent install: ";

/// Returns all hosts.
pub(super) fn hosts() -> Result<Vec<Host>> {
    serde_json::from_str(include_str!("hosts.json"))
        .map_err(|error| Error::new("invalid table of hosts").caused_by(&error))
}

impl Host {
    /// Returns the folder of its settings. With `home` all environment variables are ignored.
    pub(super) fn folder(&self, env: &Environment, home: Option<&Path>) -> PathBuf {
        self.folder_of_variable(home).unwrap_or_else(|| {
            let on_macos = self.folder_on_macos.as_ref();
            let folder = on_macos.filter(|_| cfg!(target_os = "macos"));
            home.unwrap_or(&env.folders.home)
                .join(folder.unwrap_or(&self.folder))
        })
    }

    fn folder_of_variable(&self, home: Option<&Path>) -> Option<PathBuf> {
        let variable = self.variable.as_ref().filter(|_| home.is_none())?;
        let folder = PathBuf::from(std::env::var_os(variable)?);
        // A relative path would depend on the current folder.
        folder
            .is_absolute()
            .then(|| folder.join(&self.below_variable))
    }

    /// Returns the path of one of its files.
    pub(super) fn path(&self, env: &Environment, home: Option<&Path>, file: &HostFile) -> PathBuf {
        let folder = self.folder(env, home);
        let with_variable = file.path_with_variable.as_ref();
        let from_variable = with_variable.filter(|_| self.folder_of_variable(home).is_some());
        let path = from_variable.unwrap_or(&file.path);
        if let Some(path) = path.strip_prefix("~/") {
            return home.unwrap_or(&env.folders.home).join(path);
        }
        let alternative = file.alternative.as_ref().map(|name| folder.join(name));
        let path = folder.join(path);
        alternative
            .filter(|other| !path.exists() && other.exists())
            .unwrap_or(path)
    }
}

impl HostEntry {
    /// Returns its key, or the key of its list.
    pub(super) fn key(&self) -> &str {
        let key = self.list.as_deref().or(self.key.as_deref());
        key.unwrap_or_default()
    }

    pub(super) fn is_item(&self) -> bool {
        self.list.is_some()
    }

    pub(super) fn value(&self, command: &Command) -> Value {
        command.filled(&self.value)
    }

    /// Returns whether `value` runs mem for the purpose of this entry.
    pub(super) fn is_own(&self, value: &Value) -> bool {
        let mut words = String::from(" ");
        collect_words(value, &mut words);
        words.contains(&format!(" {} ", self.marker))
    }

    /// Returns the positions of its items in the list `found`.
    pub(super) fn own_items(&self, found: &Value) -> Vec<usize> {
        let items = found.as_array().into_iter().flatten().enumerate();
        let own = items.filter(|(_, item)| self.is_own(item));
        own.map(|(at, _)| at).collect()
    }
}

/// Appends the words of all texts in `value`.
fn collect_words(value: &Value, words: &mut String) {
    match value {
        Value::String(text) => {
            words.push_str(text);
            words.push(' ');
        }
        Value::Array(items) => items.iter().for_each(|item| collect_words(item, words)),
        Value::Object(map) => map.values().for_each(|value| collect_words(value, words)),
        _ => {}
    }
}

impl Command {
    /// Returns the command with quotes for a shell.
    fn shell_words(&self) -> String {
        format!("{} -C {}", shell_word(&self.mem), shell_word(&self.vault))
    }

    /// Replaces the placeholders in a value.
    fn filled(&self, value: &Value) -> Value {
        match value {
            Value::String(text) if text == "$MEM" => self.mem.as_str().into(),
            Value::String(text) if text == "$VAULT" => self.vault.as_str().into(),
            Value::String(text) => text.replace("$SHELL", &self.shell_words()).into(),
            Value::Array(items) => items.iter().map(|item| self.filled(item)).collect(),
            Value::Object(map) => {
                let pair = |(key, value): (&String, &Value)| (key.clone(), self.filled(value));
                Value::Object(map.iter().map(pair).collect())
            }
            other => other.clone(),
        }
    }

    /// Returns the text of a file with this command.
    pub(super) fn whole(&self, file: WholeFile) -> String {
        let host = match file {
            WholeFile::Skill => {
                let words = self.shell_words();
                let text = format!(
                    "{SKILL}\n## On this machine\n\n`mem` is `{words}`: use this command if `mem` is not in \
                     the PATH or the current folder is not in the vault.\n"
                );
                return sealed(&text, ["<!-- ", " -->"]);
            }
            WholeFile::Opencode => include_str!("opencode.ts"),
            WholeFile::Pi => include_str!("pi.ts"),
        };
        let command = json!([self.mem, "-C", self.vault]).to_string();
        let text = ADAPTER.replace("$COMMAND", &command);
        sealed(&format!("{text}{host}"), ["// ", ""])
    }
}

/// Adds the last line, a comment between `marks`.
fn sealed(text: &str, marks: [&str; 2]) -> String {
    let hash = xxh3_64(text.as_bytes());
    format!("{text}{}{SEAL}{hash:016x}{}\n", marks[0], marks[1])
}

/// Returns whether mem wrote this text, without later edits.
pub(super) fn is_sealed(text: &str) -> bool {
    let last = text.trim_end().rfind('\n').map_or(0, |end| end + 1);
    let (above, seal) = text.split_at(last);
    let hash = format!("{SEAL}{:016x}", xxh3_64(above.as_bytes()));
    let marks = seal.split_once(&hash);
    marks.is_some_and(|marks| matches!(marks, ("<!-- ", " -->\n") | ("// ", "\n")))
}
