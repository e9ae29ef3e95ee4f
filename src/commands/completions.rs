//! `mem completions`

use clap_complete::Shell;
use clap_complete::env::Shells;

use crate::error::{Error, Exit};
use crate::session::Environment;

/// Print a shell completion script
///
/// For bash, add `source <(mem completions bash)` to ~/.bashrc; for zsh and fish, write it to a
/// completions directory. It asks mem itself: for commands and options, and for the notes, tags,
/// properties, questions, runs and settings that there are.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell
    shell: Shell,
}

/// In whose presence `mem` completes the command line that it is given.
pub const VARIABLE: &str = "MEM_COMPLETE";

/// Prints the script.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    env.output.raw(&script(args.shell))?;
    Ok(Exit::Done)
}

/// Returns the completion script for `shell`.
#[must_use]
pub fn script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    if let Some(completer) = Shells::builtins().completer(&shell.to_string()) {
        // Nothing fails that is written to memory.
        let _ = completer.write_registration(VARIABLE, "mem", "mem", "mem", &mut script);
    }
    if shell == Shell::Bash {
        let script = String::from_utf8_lossy(&script);
        return in_bash(&script).into_bytes();
    }
    script
}

/// Returns the script with what bash needs besides.
fn in_bash(script: &str) -> String {
    // As of file names, bash quotes the spaces of titles.
    let script = script.replace("-o bashdefault", "-o bashdefault -o filenames");
    let script = script.replace(WORDS, WHOLE_WORDS);
    let index = "local _CLAP_COMPLETE_INDEX=${COMP_CWORD}\n";
    let script = script.replace(index, "local _CLAP_COMPLETE_INDEX\n");
    script.replace(FAILED, WITHOUT_START)
}

/// How the generated script takes the words of the line.
const WORDS: &str = r#"    local words=("${COMP_WORDS[@]}")
    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
        words[COMP_CWORD]="$2"
    fi
"#;

/// Bash takes `tag:te` for three words, `tag`, `:` and `te`; only the line says that they are one.
const WHOLE_WORDS: &str = r#"    local words=() start="" rest="${COMP_LINE:0:COMP_POINT}" word i
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        if [[ $i -gt 0 && $rest != [[:space:]]* && "${COMP_WORDS[i-1]}$word" == *[:=]* ]]; then
            start="${words[${#words[@]}-1]}"
        else
            start=""
            words+=("")
        fi
        rest="${rest#*"$word"}"
        if [[ $i -eq COMP_CWORD && $word == [:=]* ]]; then
            start="$start$word"
            word=""
        elif [[ $i -eq COMP_CWORD && "${BASH_VERSINFO[0]}" -ge 4 ]]; then
            word="$2"
        fi
        words[${#words[@]}-1]="$start$word"
    done
    _CLAP_COMPLETE_INDEX=$((${#words[@]} - 1))
"#;

/// Where the generated script has what it asked for.
const FAILED: &str = "    if [[ $? != 0 ]]; then\n        unset COMPREPLY\n";

/// What stands before the colon stays as it was typed. Bash takes a tag or a title for a folder if one is
/// called so; then what is offered is quoted here.
const WITHOUT_START: &str = r#"    local status=$?
    COMPREPLY=("${COMPREPLY[@]#"$start"}")
    for word in "${COMPREPLY[@]}"; do
        if [[ -d $word && $word != */ ]] && compopt +o filenames 2> /dev/null; then
            for i in "${!COMPREPLY[@]}"; do
                printf -v "COMPREPLY[$i]" %q "${COMPREPLY[$i]}"
            done
            break
        fi
    done
    if [[ $status != 0 ]]; then
        unset COMPREPLY
"#;
