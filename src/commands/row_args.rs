//! Records as lines of the user's own: `--tsv` and `--format` of the commands that list something.

use crate::error::Error;
use crate::output::rows::Row;
use crate::output::template::Template;
use crate::session::Environment;

#[derive(Debug, clap::Args)]
pub(super) struct RowArgs {
    /// Print each record by a template, like `'{{ path }}: {{ tags | join(" ") }}'`
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["tsv", "json", "jsonl"])]
    format: Option<String>,
    /// Print records as columns parted by tabs, below a line with their names
    #[arg(long, conflicts_with_all = ["json", "jsonl"])]
    tsv: bool,
}

impl RowArgs {
    /// Returns an environment whose output writes records as they are asked for; `keys` are all that such a
    /// record may have.
    pub(super) fn environment(
        &self,
        env: &Environment,
        keys: &[&[&'static str]],
    ) -> Result<Environment, Error> {
        let row = match (&self.format, self.tsv) {
            (Some(text), _) => Row::Template(Box::new(Template::read(&unescaped(text))?)),
            (None, true) => Row::Tsv,
            (None, false) => return Ok(env.clone()),
        };
        let output = env.output.in_rows(row, keys.concat())?;
        Ok(Environment {
            output,
            ..env.clone()
        })
    }
}

/// Returns a template with `\t`, `\n` and `\0` as what they mean: few shells do this.
fn unescaped(text: &str) -> String {
    let mut unescaped = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let meant = match (c, chars.as_str().chars().next()) {
            ('\\', Some('t')) => '\t',
            ('\\', Some('n')) => '\n',
            ('\\', Some('0')) => '\0',
            ('\\', Some('\\')) => '\\',
            _ => {
                unescaped.push(c);
                continue;
            }
        };
        chars.next();
        unescaped.push(meant);
    }
    unescaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_what_they_mean() {
        for (text, expected) in [
            (r"a\tb\n\0", "a\tb\n\0"),
            (r"a\\tb", r"a\tb"),
            (r"\x\", r"\x\"),
            ("", ""),
        ] {
            assert_eq!(unescaped(text), expected, "{text}");
        }
    }
}
