//! `--tsv` and `--format`: records as lines of text.

use crate::commands::prelude::*;
use crate::output::rows::RowFormat;
use crate::output::template::Template;
use crate::signals::FIELDS;

#[derive(Debug, clap::Args)]
pub struct RowArgs {
    /// Print each record with a template, like `'{{ path }}: {{ tags | join(" ") }}'`
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["tsv", "json", "jsonl"])]
    format: Option<String>,
    /// Print records as tab-separated columns with a header line
    #[arg(long, conflicts_with_all = ["json", "jsonl"])]
    tsv: bool,
}

impl RowArgs {
    /// Returns an environment whose output writes records in the requested form.
    ///
    /// `keys` are all keys that a record may have.
    pub(crate) fn environment(
        &self,
        env: &Environment,
        keys: impl IntoIterator<Item = &'static str>,
    ) -> Result<Environment> {
        let row = match (&self.format, self.tsv) {
            (Some(text), _) => RowFormat::Template(Box::new(Template::read(&unescaped(text))?)),
            (None, true) => RowFormat::Tsv,
            (None, false) => return Ok(env.clone()),
        };
        let output = env.output.with_rows(row, keys.into_iter().collect())?;
        Ok(Environment {
            output,
            ..env.clone()
        })
    }

    /// Like [`Self::environment`], for notes: a template may name any field with a value.
    pub(crate) fn environment_of_notes(
        &self,
        env: &Environment,
        keys: &[&'static str],
    ) -> Result<Environment> {
        let candidates = FIELDS.iter().filter(|_| self.format.is_some());
        let fields = candidates.filter(|field| field.is_value() && !keys.contains(&field.name));
        let keys = keys.iter().copied().chain(fields.map(|field| field.name));
        self.environment(env, keys)
    }

    /// Returns the fields in the template that are not in `keys`, for [`values_of`].
    pub(crate) fn fields(&self, keys: &[&str]) -> Result<Vec<&'static Field>> {
        let Some(text) = &self.format else {
            return Ok(Vec::new());
        };
        let named = Template::read(&unescaped(text))?.names()?;
        let fields = FIELDS.iter().filter(|field| {
            let is_named = named.iter().any(|name| name == field.name);
            field.is_value() && is_named && !keys.contains(&field.name)
        });
        Ok(fields.collect())
    }
}

/// Splits a list of keys separated by blanks.
pub(crate) fn keys(keys: &'static str) -> std::str::Split<'static, char> {
    keys.split(' ')
}

/// Returns the values of `fields` of a note, for its record.
pub(crate) fn values_of(
    view: &View<'_>,
    entry: &Entry,
    fields: &[&'static Field],
) -> Result<Map<String, Value>, CacheError> {
    let values = fields.iter().map(|field| {
        let value = view.field(entry, field)?;
        Ok((field.name.to_owned(), value))
    });
    values.collect()
}

/// Replaces `\t`, `\n`, `\0` and `\\` in a template, since few shells do this.
fn unescaped(text: &str) -> String {
    let parts = text.split(r"\\").map(|part| {
        let part = part.replace(r"\t", "\t").replace(r"\n", "\n");
        part.replace(r"\0", "\0")
    });
    parts.collect::<Vec<_>>().join("\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_replaced() {
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
