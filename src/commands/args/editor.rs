//! The user's editor.

use crate::commands::prelude::*;
use crate::vault::swap::TEMP_PREFIX;
use std::io::Write as _;
use std::process::{Command, ExitStatus};

/// Exit status of a shell that does not find the command.
const NOT_FOUND: i32 = 127;

/// Returns the editor of `VISUAL` or `EDITOR`, else `vi`.
pub(crate) fn name() -> String {
    configured().unwrap_or_else(|| "vi".to_owned())
}

/// Returns whether an editor can be opened: one is configured, or there is a terminal.
pub(crate) fn can_open(output: &Output) -> bool {
    configured().is_some() || output.stderr_is_terminal
}

fn configured() -> Option<String> {
    let editors = ["VISUAL", "EDITOR"].map(|name| std::env::var(name).ok());
    editors
        .into_iter()
        .flatten()
        .find(|editor| !editor.trim().is_empty())
}

/// Adds the line of the first file to the arguments of `editor`, if its syntax for that is known.
fn add_line(editor: &str, arguments: &mut Vec<OsString>, line: usize) {
    let program = editor.split_whitespace().next().unwrap_or_default();
    let Some(first) = arguments.first_mut() else {
        return;
    };
    match program.rsplit('/').next().unwrap_or_default() {
        "vi" | "vim" | "nvim" | "gvim" | "view" | "nano" | "emacs" | "emacsclient" | "micro"
        | "kak" | "joe" | "jed" | "ne" | "mg" | "mcedit" | "gedit" | "kate" => {
            arguments.insert(0, format!("+{line}").into());
        }
        "hx" | "helix" | "subl" | "zed" | "zeditor" => first.push(format!(":{line}")),
        "code" | "code-insiders" | "codium" | "cursor" => {
            first.push(format!(":{line}"));
            arguments.insert(0, "--goto".into());
        }
        _ => {}
    }
}

/// Opens files in the editor and waits for its end; the first at `line` if the syntax is known.
pub(crate) fn open(files: &[PathBuf], line: Option<usize>) -> Result<ExitStatus> {
    let editor = name();
    let mut arguments: Vec<OsString> = files.iter().map(OsString::from).collect();
    if let Some(line) = line {
        add_line(&editor, &mut arguments, line);
    }
    // As git does: a shell splits the setting, which may contain arguments.
    let script = format!("{editor} \"$@\"");
    let status = Command::new("sh")
        .args(["-c", &script, "sh"])
        .args(arguments)
        .status()
        .map_err(|error| Error::new(format!("cannot start `{editor}`")).caused_by(&error))?;
    if status.code() == Some(NOT_FOUND) {
        return Err(Error::new(format!("editor `{editor}` not found"))
            .hint("set `EDITOR`: `export EDITOR=nano`"));
    }
    Ok(status)
}

/// Lets a person edit a new file with the content `begun`; returns an empty text if it was not
/// saved.
///
/// The file is in the folder of `place`, if possible, so that the servers of an editor find the vault. It has the
/// name of a staged file of a run: never indexed, and `mem doctor --fix` moves it to the trash after a crash.
pub(crate) fn text(
    env: &Environment,
    place: Option<(&Vault, &str)>,
    begun: &str,
) -> Result<String> {
    let run = RunId::next(env.now.timestamp(), env.seed, &[]);
    let prefix = format!("{TEMP_PREFIX}{run}-");
    let mut builder = tempfile::Builder::new();
    let named = builder.prefix(&prefix).suffix(".md");
    let in_vault = place.and_then(|(vault, folder)| {
        let below = vault.root().join(folder);
        let is_inside = vault.path_of(&below).is_some();
        let folder = if is_inside { &below } else { vault.root() };
        named.tempfile_in(folder).ok()
    });
    let created = in_vault.map_or_else(|| named.tempfile(), Ok);
    let file =
        created.map_err(|error| Error::io("create a file in", &std::env::temp_dir(), &error))?;
    if !begun.is_empty() {
        std::fs::write(file.path(), begun)
            .map_err(|error| Error::io("write", file.path(), &error))?;
    }
    let written = || {
        std::fs::metadata(file.path())
            .and_then(|file| file.modified())
            .ok()
    };
    let begun_at = written();
    let status = open(&[file.path().to_owned()], None)?;
    let is_saved = written() != begun_at;
    let typed = std::fs::read(file.path());
    let typed = typed.map_err(|error| Error::io("read", file.path(), &error))?;
    let is_new = typed != begun.as_bytes();
    let reason = match std::str::from_utf8(&typed) {
        _ if !status.success() => format!("`{}` ended with {status}; nothing was written", name()),
        Ok(text) if is_saved || is_new => return Ok(text.to_owned()),
        Ok(_) => return Ok(String::new()),
        Err(_) => "the text is not UTF-8; nothing was written".to_owned(),
    };
    let failure = Error::new(reason);
    Err(if is_new {
        with_saved_text(failure, &typed)
    } else {
        failure
    })
}

/// Saves typed text to a file after a failure and adds its path to the error.
pub(crate) fn with_saved_text(error: Error, typed: impl AsRef<[u8]>) -> Error {
    let file = tempfile::Builder::new()
        .prefix("typed-")
        .suffix(".md")
        .tempfile();
    let written = file.and_then(|mut file| {
        file.write_all(typed.as_ref())?;
        Ok(file)
    });
    match written.map(tempfile::NamedTempFile::keep) {
        Ok(Ok((_, path))) => error.hint(format!("the text was saved to `{}`", path.display())),
        _ => error,
    }
}
