//! A crontab with a block of lines for each vault.
//!
//! ```text
//! # begin mem sleep notes-0123456789abcdef: /home/anna/notes
//! 17 * * * * nice -n 19 /usr/bin/mem -q -C /home/anna/notes sleep
//! # end mem sleep notes-0123456789abcdef
//! ```
//!
//! A block is found by the key of its vault; the rest of the table stays unchanged byte for byte.

use super::timer::{MAX_COMMAND_BYTES, SleepTimer};
use super::{failed, run};
use crate::run::prelude::*;

impl SleepTimer {
    /// Returns the crontab block for this vault.
    pub fn block(&self) -> Result<String> {
        Ok(format!(
            "{}: {}\n{} * * * * {}\n{}\n",
            self.begin(),
            self.vault,
            self.minute(),
            self.cron_command()?,
            self.end()
        ))
    }

    /// Returns the command, escaped for a crontab.
    fn cron_command(&self) -> Result<String> {
        let homes = self.homes.iter();
        let mut parts: Vec<String> = homes
            .map(|(name, value)| format!("{name}={}", quoted(value)))
            .collect();
        if !parts.is_empty() {
            // `env` is a program: not every shell supports `NAME=value command`.
            parts.insert(0, "env".to_owned());
        }
        parts.push(format!("nice -n 19 {}", quoted(&self.program)));
        // Cron sends what is printed by mail.
        parts.push(format!("-q -C {} sleep", quoted(&self.vault)));
        let command = parts.join(" ");
        let length = command.len();
        if length > MAX_COMMAND_BYTES {
            return Err(Error::new(format!(
                "the line would be {length} characters long; cron reads {MAX_COMMAND_BYTES} at most"
            ))
            .hint("use `--install systemd` instead"));
        }
        Ok(command)
    }

    fn begin(&self) -> String {
        format!("# begin mem sleep {}", self.key)
    }

    fn end(&self) -> String {
        format!("# end mem sleep {}", self.key)
    }

    /// Returns `table` with the block of this vault, in place of the old one or at the end.
    pub fn installed(&self, table: &[u8]) -> Result<Vec<u8>> {
        let [from, to] = self.found(table)?.unwrap_or([table.len(); 2]);
        let mut new = table[..from].to_vec();
        if new.last().is_some_and(|byte| *byte != b'\n') {
            new.push(b'\n');
        }
        new.extend_from_slice(self.block()?.as_bytes());
        new.extend_from_slice(&table[to..]);
        Ok(new)
    }

    /// Returns `table` without the block of this vault, and that block; `None` if it has none.
    pub fn uninstalled(&self, table: &[u8]) -> Result<Option<(Vec<u8>, String)>> {
        let found = self.found(table)?;
        Ok(found.map(|[from, to]| {
            let block = String::from_utf8_lossy(&table[from..to]).into_owned();
            ([&table[..from], &table[to..]].concat(), block)
        }))
    }

    /// Returns the byte range of the block of this vault.
    fn found(&self, table: &[u8]) -> Result<Option<[usize; 2]>> {
        let (begin, end) = (self.begin() + ":", self.end());
        let (mut begins, mut ends, mut at) = (Vec::new(), Vec::new(), 0);
        for line in table.split_inclusive(|byte| *byte == b'\n') {
            if line.starts_with(begin.as_bytes()) {
                begins.push(at);
            }
            at += line.len();
            if line.trim_ascii_end() == end.as_bytes() {
                ends.push(at);
            }
        }
        match (begins.as_slice(), ends.as_slice()) {
            ([], []) => Ok(None),
            ([from], [to]) if from < to => Ok(Some([*from, *to])),
            _ => Err(
                Error::new("the crontab has an incomplete mem block for this vault")
                    .hint("remove it with `crontab -e`; nothing was changed"),
            ),
        }
    }
}

/// Quotes `text` as one word of a shell command in a crontab.
///
/// cron replaces `\%` by `%` and ends the command at a bare `%`, even in quotes. So a backslash of
/// the text
/// must not directly precede a `%`.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    let mut word = "'".to_owned();
    for c in text.chars() {
        match c {
            '\'' => word.push_str("'\\''"),
            '%' if word.ends_with('\\') => word.push_str("''\\%"),
            '%' => word.push_str("\\%"),
            c => word.push(c),
        }
    }
    word.push('\'');
    word
}

/// Returns the user's crontab; empty if there is none.
pub fn read() -> Result<Vec<u8>> {
    let ended = run(Command::new("crontab").arg("-l").env("LC_ALL", "C"), b"");
    let (ended, _) = ended.map_err(|error| no_crontab(&error))?;
    if ended.status.success() {
        return Ok(ended.stdout);
    }
    let message = String::from_utf8_lossy(&ended.stderr);
    // Only unambiguous messages count, because the result replaces the whole table.
    let is_none =
        message.contains("no crontab for") || message.contains("No such file or directory");
    if is_none && ended.stdout.is_empty() {
        return Ok(Vec::new());
    }
    Err(failed("crontab -l", &ended).hint("nothing was changed"))
}

fn no_crontab(error: &io::Error) -> Error {
    Error::new("cannot run `crontab`; nothing was changed")
        .caused_by(error)
        .hint("`mem sleep --install systemd` needs no cron; `--install print` shows both")
}

/// Replaces the user's crontab.
pub fn write(table: &[u8]) -> Result<()> {
    let ended = run(Command::new("crontab").arg("-"), table);
    let (ended, written) = ended.map_err(|error| no_crontab(&error))?;
    if !ended.status.success() {
        return Err(failed("crontab -", &ended).hint(
            "the crontab is unchanged; `mem sleep --install print` shows the lines for `crontab -e`",
        ));
    }
    written.map_err(|error| {
        Error::new("`crontab -` did not read the whole table")
            .caused_by(&error)
            .hint("check it with `crontab -l`")
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn timer(vault: &str) -> SleepTimer {
        SleepTimer::new("/usr/bin/mem", vault, "notes-0123", Vec::new()).unwrap()
    }

    #[test]
    fn a_block_names_program_and_vault() {
        assert_eq!(
            timer("/home/anna/notes").block().unwrap(),
            "# begin mem sleep notes-0123: /home/anna/notes\n\
             19 * * * * nice -n 19 /usr/bin/mem -q -C /home/anna/notes sleep\n\
             # end mem sleep notes-0123\n"
        );
        let homes = vec![
            ("XDG_CACHE_HOME", "/var/my cache".to_owned()),
            ("XDG_STATE_HOME", "/s".to_owned()),
        ];
        let timer = SleepTimer::new("/opt/it's/mem", "/100% 日記", "k", homes).unwrap();
        assert_eq!(
            timer.cron_command().unwrap(),
            r"env XDG_CACHE_HOME='/var/my cache' XDG_STATE_HOME=/s nice -n 19 '/opt/it'\''s/mem' -q -C '/100\% 日記' sleep"
        );
        let long = format!("/{}", "a".repeat(1000));
        let refused = self::timer(&long).block().unwrap_err().message();
        assert!(refused.contains(" 1037 characters"), "{refused}");
    }

    #[test]
    fn other_lines_of_the_table_stay() {
        let timer = timer("/n");
        let block = timer.block().unwrap();
        let old =
            "# begin mem sleep notes-0123: /n\n0 3 * * * old\n\n# end mem sleep notes-0123  \n";
        let other = "# begin mem sleep notes-01234: /o\n1 * * * * o\n# end mem sleep notes-01234\n";
        for (name, table, with, without) in [
            ("empty", String::new(), block.clone(), None),
            (
                "others",
                format!("MAILTO=me\n{other}\t# x\r\n"),
                format!("MAILTO=me\n{other}\t# x\r\n{block}"),
                None,
            ),
            (
                "no line break at the end",
                "1 2 3 4 5 x".to_owned(),
                format!("1 2 3 4 5 x\n{block}"),
                None,
            ),
            (
                "an old one",
                format!("a\n{old}{other}"),
                format!("a\n{block}{other}"),
                Some(format!("a\n{other}")),
            ),
            (
                "the same one, last",
                format!("{other}{block}"),
                format!("{other}{block}"),
                Some(other.to_owned()),
            ),
        ] {
            let installed = timer.installed(table.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(installed).unwrap(), with, "{name}");
            let uninstalled = timer.uninstalled(table.as_bytes()).unwrap();
            let rest = uninstalled.map(|(rest, _)| String::from_utf8(rest).unwrap());
            assert_eq!(rest, without, "{name}");
        }
        let bytes = b"# \xff\n".to_vec();
        let installed = timer.installed(&bytes).unwrap();
        assert_eq!(timer.uninstalled(&installed).unwrap(), Some((bytes, block)));
    }

    #[test]
    fn an_incomplete_block_is_an_error() {
        let (begin, end) = (
            "# begin mem sleep notes-0123: /n\n",
            "# end mem sleep notes-0123\n",
        );
        for table in [
            format!("a\n{begin}b\n"),
            format!("a\nb\n{end}"),
            format!("{end}{begin}"),
            format!("{begin}{begin}{end}"),
            format!("{begin}{end}{begin}{end}"),
        ] {
            assert!(timer("/n").found(table.as_bytes()).is_err(), "{table}");
        }
    }

    /// Applies what Debian's cron, cronie and the BSDs do to a command before a shell runs it.
    fn as_cron_passes_it(command: &str) -> String {
        let (mut handed, mut is_escaped) = (String::new(), false);
        for c in command.chars() {
            if is_escaped && c == '%' {
                handed.pop();
            } else if !is_escaped && c == '%' {
                break;
            }
            is_escaped = !is_escaped && c == '\\';
            handed.push(c);
        }
        handed
    }

    fn assert_word_survives(text: &str) {
        let command = as_cron_passes_it(&format!("printf '\\%s' {}", quoted(text)));
        let output = Command::new("/bin/sh")
            .args(["-c", &command])
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8(output.stdout).unwrap(),
            text,
            "{command:?}"
        );
    }

    #[test]
    fn words_survive_cron_and_shell() {
        for text in [
            "/notes",
            "/my notes",
            "/it's",
            "/100%",
            "/%%",
            r"/\%",
            r"/\\%",
            r"/\\\%\",
            r"/'%'\%'",
            "/$HOME `x` \"y\" ~ * ; & | # !",
            "-n",
            "",
        ] {
            assert_word_survives(text);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_word_survives(text in r#"[%\\' a$"*]{0,12}"#) {
            assert_word_survives(&text);
        }
    }
}
