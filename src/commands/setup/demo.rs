//! `mem demo`

use std::io::Read as _;
use std::process::{Command, Stdio};

use include_dir::{Dir, File, include_dir};

use super::bash::split;
use crate::commands::args::prompt::{at_interrupt, confirm};
use crate::commands::prelude::*;
use crate::vault::OWN_FOLDER;

// No request: it is a dialogue about other runs of mem.
/// Show what mem does, on sample notes
///
/// Copies a sample vault to a temporary folder and runs commands on it: a search by meaning, a
/// merge, a question with its answer, and undo. Touches no other files and removes the folder at
/// the end, unless you name one.
#[derive(Debug, clap::Args)]
pub struct DemoArgs {
    /// Keep the sample vault in this new folder [default: a temporary one]
    folder: Option<PathBuf>,
}

/// The sample notes.
static SAMPLE: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/fixtures/vaults/sample");

/// Maximum number of lines shown of a command's output.
const MAX_OUTPUT_LINES: usize = 9;

/// The commands of the demo, each with an explanation.
const SCENES: &str = include_str!("demo.txt");

/// Placeholder for the id of the last question.
const QUESTION_PLACEHOLDER: &str = "ID";

/// Environment variables of user folders, and their folders in the demo.
const USER_FOLDERS: [(&str, &str); 5] = [
    ("HOME", "home"),
    ("XDG_CACHE_HOME", "cache"),
    ("XDG_CONFIG_HOME", "config"),
    ("XDG_DATA_HOME", "data"),
    ("XDG_STATE_HOME", "state"),
];

/// A command of the demo and its output.
#[derive(Debug, Serialize)]
struct Scene {
    why: &'static str,
    command: String,
    output: String,
}

impl DemoArgs {
    pub fn run(&self, env: &Environment) -> Result<Exit> {
        let scratch = tempfile::Builder::new()
            .prefix("mem-demo-")
            .tempdir()
            .map_err(|error| Error::io("write", &std::env::temp_dir(), &error))?;
        let folder = scratch.path().to_owned();
        at_interrupt(env, move || remove(&folder));
        let notes = match &self.folder {
            Some(folder) => folder.clone(),
            None => scratch.path().join("notes"),
        };
        let copied = make_empty(&notes).and_then(|()| {
            let written = SAMPLE.extract(&notes);
            written.map_err(|error| Error::io("write", &notes, &error))
        });
        copied?;
        let stage = Stage {
            env,
            notes: &notes,
            scratch: scratch.path(),
        };
        let place = match &self.folder {
            Some(folder) => folder.display().to_string(),
            None => "a temporary folder".to_owned(),
        };
        let notes_copied = count(notes_in(&SAMPLE).len(), "note");
        stage.print(format!(
            "Copied {notes_copied} to {place}. The commands below run there."
        ));
        let _ = stage.output_of("init", false)?;
        let mut scenes: Vec<Scene> = Vec::new();
        for (command, why) in lists::rows(SCENES, "scenes").map(lists::split_comment) {
            let before = scenes.last().map(|scene| Line::read(&scene.output).text());
            if before.is_some() && !stage.should_continue()? {
                return Ok(Exit::Done);
            }
            let id = before.as_ref().and_then(|listed| listed.split(' ').next());
            let command = command.replace(QUESTION_PLACEHOLDER, id.unwrap_or_default());
            scenes.push(stage.play(why, &command)?);
        }
        let differing = notes_in(&SAMPLE).into_iter().find(|file| {
            fs::read(notes.join(file.path())).map_or(true, |bytes| bytes != file.contents())
        });
        if let Some(file) = differing {
            return Err(Error::new(format!("not undone: {}", file.path().display())));
        }
        stage.print("");
        stage.print("All notes are byte for byte unchanged. For yours: `cd NOTES && mem init`.");
        if env.output.form != Form::Human {
            env.output.records("scenes", &scenes);
        }
        if self.folder.is_some() {
            // What the demo undid would count as answered.
            remove(&notes.join(OWN_FOLDER));
            let folder = shell_word(&notes.to_string_lossy());
            env.output.hint(&format!(
                "try more with the sample: `cd {folder}`, then `mem init`"
            ));
        }
        Ok(Exit::Done)
    }
}

/// Removes a folder; retries, since child processes may still write into it.
fn remove(folder: &Path) {
    for _ in 0..MAX_REMOVAL_ATTEMPTS {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                thread::sleep(Duration::from_millis(10));
            }
            _ => return,
        }
    }
}

/// Maximum number of attempts to remove a folder.
const MAX_REMOVAL_ATTEMPTS: usize = 50;

/// Creates a folder if it is missing; refuses one that is not empty or is inside a vault.
fn make_empty(folder: &Path) -> Result<()> {
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let above = whole.ancestors().find(|folder| folder.is_dir());
    if let Some(vault) = above.and_then(|above| Vault::find(above).ok()) {
        let (folder, vault) = (folder.display(), vault.root().display());
        let error = Error::new(format!("`{folder}` would be inside your vault `{vault}`"));
        return Err(error.hint("choose a folder outside your vault for the sample"));
    }
    if folder
        .read_dir()
        .is_ok_and(|mut entries| entries.next().is_some())
    {
        let error = Error::new(format!("`{}` is not empty", folder.display()));
        return Err(error.hint("choose a new folder for the sample"));
    }
    fs::create_dir_all(folder).map_err(|error| Error::io("write", folder, &error))
}

/// Returns all notes in an embedded folder, recursively.
fn notes_in(folder: &'static Dir<'static>) -> Vec<&'static File<'static>> {
    let below = folder.dirs().flat_map(notes_in);
    folder.files().chain(below).collect()
}

/// The folders in which the demo runs.
struct Stage<'e> {
    env: &'e Environment,
    notes: &'e Path,
    /// Replaces the user's folders, so that mem does not write into them.
    scratch: &'e Path,
}

impl Stage<'_> {
    /// Prints text for a person.
    fn print(&self, text: impl Into<Line>) {
        if self.env.output.form == Form::Human {
            self.env.output.write_wrapped(&text.into());
        }
    }

    /// Waits for a person; returns false if they stop.
    fn should_continue(&self) -> Result<bool> {
        if self.env.output.form != Form::Human || !self.env.output.stdout_is_terminal {
            return Ok(true);
        }
        self.print("");
        self.env.output.flush()?;
        Ok(confirm(self.env, "Go on?", true).unwrap_or(true))
    }

    /// Runs a command and shows its output.
    fn play(&self, why: &'static str, command: &str) -> Result<Scene> {
        let output = self.output_of(command, self.env.output.is_coloured())?;
        let command = format!("mem {command}");
        self.print("");
        self.print(why);
        self.print(Line::of(Style::Title, format!("> {command}")));
        for line in output.lines().take(MAX_OUTPUT_LINES) {
            self.print(Line::read(line));
        }
        let left = output.lines().count().saturating_sub(MAX_OUTPUT_LINES);
        if left > 0 {
            self.print(Line::of(Style::Faint, format!("… {left} more lines")));
        }
        Ok(Scene {
            why,
            command,
            output,
        })
    }

    /// Returns the output of a command, stdout and stderr in order.
    fn output_of(&self, command: &str, is_coloured: bool) -> Result<String> {
        let failed =
            |error: io::Error| Error::new("cannot run the mem executable").caused_by(&error);
        let (mut reader, writer) = io::pipe().map_err(failed)?;
        let mut mem = Command::new(std::env::current_exe().map_err(failed)?);
        // Hints refer to runs that do not exist after the demo.
        mem.arg("-C")
            .arg(self.notes)
            .arg("--quiet")
            .args(split(command, None).0);
        for (name, folder) in USER_FOLDERS {
            mem.env(name, self.scratch.join(folder));
        }
        for (name, _) in std::env::vars_os() {
            // Settings apply to other vaults; clock and seed are passed on.
            let is_setting = name.as_encoded_bytes().starts_with(b"MEM_");
            if is_setting && name != "MEM_NOW" && name != "MEM_SEED" {
                mem.env_remove(name);
            }
        }
        mem.args(["--color", if is_coloured { "always" } else { "never" }]);
        mem.stdin(Stdio::null())
            .stdout(writer.try_clone().map_err(failed)?)
            .stderr(writer);
        let mut child = mem.spawn().map_err(failed)?;
        // The command holds the write ends of the pipe, which must be closed before it is read to
        // the end.
        drop(mem);
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).map_err(failed)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if child.wait().map_err(failed)?.success() {
            return Ok(text);
        }
        let why = text.trim();
        Err(Error::new(format!("`mem {command}` failed: {why}")))
    }
}
