//! Templates: notes with the initial text of new notes.

pub mod moment;

use std::ops::Range;

use jiff::civil::DateTime;

use crate::config::name_similarity;
use crate::note::front_matter::split::{FrontMatterLanguage, split};
use crate::note::front_matter::write::scalar;
use crate::note::markdown::append::addition;
use crate::note::{is_in_templates_folder, without_ending};
use crate::run::prelude::*;
use crate::run::remember::options::RememberOptions;
use crate::vault::walk::walk;

/// Obsidian's settings of templates.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ObsidianSettings {
    folder: String,
}

/// File with Obsidian's settings.
const SETTINGS_FILE: &str = ".obsidian/templates.json";
/// Default folder of templates.
const DEFAULT_FOLDER: &str = "templates";

/// A template with its placeholders replaced.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FilledTemplate {
    pub text: String,
    /// Byte offset of the cursor.
    pub cursor: Option<usize>,
    /// Placeholders with unknown formats, which are left unchanged.
    unknown: Vec<String>,
}

impl FilledTemplate {
    /// Appends the next part.
    fn add(&mut self, next: Self) {
        let start = self.text.len();
        self.cursor = self.cursor.or(next.cursor.map(|at| start + at));
        self.text.push_str(&next.text);
        self.unknown.extend(next.unknown);
    }

    /// Returns the line of the cursor, counted from 1.
    pub fn line(&self) -> Option<usize> {
        let before = &self.text[..self.cursor?];
        Some(before.matches('\n').count() + 1)
    }

    /// Inserts `text` at the cursor, or appends it as a paragraph.
    pub fn with(self, text: &str) -> String {
        let mut whole = self.text;
        if let Some(cursor) = self.cursor {
            whole.insert_str(cursor, text.trim_end_matches('\n'));
        } else if !text.is_empty() {
            if let Ok(added) = addition(&whole, text, None) {
                whole.insert_str(added.at, &added.text);
            } else {
                // An unclosed block takes the text in, as in an editor.
                whole.push('\n');
                whole.push_str(text);
            }
            if !whole.ends_with('\n') {
                whole.push('\n');
            }
        }
        whole
    }
}

/// Returns the text of the template at `path`, with or without extension, or why it cannot be read.
pub fn text(session: &Session, path: &str) -> Result<String, String> {
    let stem = without_ending(path.trim_start_matches('/'));
    let path = VaultPath::new(&format!("{stem}.md")).map_err(|error| error.to_string())?;
    let file = session.vault.read(&path);
    Ok(file.map_err(|error| error.to_string())?.text)
}

/// Returns the text of the template `name`, a path in the folder of templates.
pub fn named(session: &Session, name: &str) -> Result<String> {
    let folder = folder(session);
    text(session, &format!("{folder}/{name}")).map_err(|why| {
        let names = names(session);
        let error = Error::new(format!("no template `{name}` in `{folder}`"));
        let near = names.iter().max_by(|a, b| name_similarity(a, name).total_cmp(&name_similarity(b, name)));
        match near {
            None => error.hint(format!(
                "a template is a note in `{folder}` ({why}); `mem config remember.templates` names another folder"
            )),
            Some(near) if name_similarity(near, name) >= 0.8 => error.hint(format!("did you mean `{near}`?")),
            Some(_) => error.hint(format!("available: {}", names.join(", "))),
        }
    })
}

/// Returns the sorted names of all templates.
pub fn names(session: &Session) -> Vec<String> {
    let folder = folder(session) + "/";
    let walked = walk(&session.vault).map(|walked| walked.notes);
    let notes = walked.unwrap_or_default().into_iter();
    let name = |path: &VaultPath| {
        let name = path.without_ending().strip_prefix(folder.as_str())?;
        Some(name.to_owned())
    };
    let mut names: Vec<String> = notes.filter_map(|note| name(&note.path)).collect();
    names.sort();
    names
}

/// Removes the templates from `entries`: the notes in the folder of templates or in one with such a name.
pub fn remove_templates(session: &Session, entries: &mut Vec<Entry>) {
    let folder = folder(session) + "/";
    entries.retain(|entry| {
        let path = entry.path.as_str();
        !path.starts_with(&folder) && !is_in_templates_folder(path)
    });
}

/// Returns the folder of templates from the settings, from Obsidian, or the default.
fn folder(session: &Session) -> String {
    if let Some(folder) = session.settings.of::<RememberOptions>().templates.0 {
        return folder.to_string();
    }
    let obsidian = VaultPath::new(SETTINGS_FILE)
        .ok()
        .and_then(|path| session.vault.read(&path).ok())
        .and_then(|file| serde_json::from_str::<ObsidianSettings>(&file.text).ok())
        .unwrap_or_default();
    match obsidian.folder.trim_matches('/') {
        "" => DEFAULT_FOLDER.to_owned(),
        folder => folder.to_owned(),
    }
}

/// Fills in a template for a note called `title`; warns about unknown formats.
pub fn fill_for_note(
    session: &Session,
    template: &str,
    title: &str,
    at: DateTime,
) -> FilledTemplate {
    let filled = fill(template, title, at);
    for mark in &filled.unknown {
        let output = &session.env.output;
        output.warn(&format!(
            "`{mark}` in the template is not supported and was left unchanged"
        ));
    }
    filled
}

/// Fills in a template. A title in the front matter is quoted as YAML requires.
fn fill(template: &str, title: &str, at: DateTime) -> FilledTemplate {
    let leading_block = split(template).block;
    let block = leading_block.filter(|block| block.language == FrontMatterLanguage::Yaml);
    let front_matter = block.map_or(0..0, |block| block.inner);
    let mut filled = FilledTemplate::default();
    filled.add(fill_placeholders(
        &template[..front_matter.start],
        title,
        at,
    ));
    for line in template[front_matter.clone()].split_inclusive('\n') {
        filled.add(fill_yaml_line(line, title, at));
    }
    filled.add(fill_placeholders(&template[front_matter.end..], title, at));
    filled
}

/// Fills in a line of YAML.
fn fill_yaml_line(line: &str, title: &str, at: DateTime) -> FilledTemplate {
    let fill = |text: &str, title: &str| fill_placeholders(text, title, at);
    let value = value_range(line);
    let raw = &line[value.clone()];
    if fill(raw, "").text == fill(raw, title).text {
        return fill(line, title);
    }
    let begins = |sign: &str| raw.starts_with(sign) || raw.contains(&format!("{sign}{{{{"));
    if begins("\"") {
        fill(line, &title.replace('\\', "\\\\").replace('"', "\\\""))
    } else if begins("'") {
        fill(line, &title.replace('\'', "''"))
    } else if raw.starts_with('[') {
        fill(line, &scalar(title, true))
    } else {
        let mut filled = fill(&line[..value.start], title);
        let inner = fill(raw, title);
        let text = scalar(&inner.text, false);
        filled.add(FilledTemplate { text, ..inner });
        filled.add(fill(&line[value.end..], title));
        filled
    }
}

/// Returns the range of the value in a line of YAML: after dashes and key, before a comment.
fn value_range(line: &str) -> Range<usize> {
    let mut rest = line.trim_start();
    while let Some(item) = rest.strip_prefix("- ") {
        rest = item.trim_start();
    }
    if !rest.starts_with(['"', '\'', '[']) {
        rest = rest
            .split_once(": ")
            .map_or(rest, |(_, value)| value)
            .trim_start();
    }
    let value = rest.split(" #").next().unwrap_or(rest).trim_end();
    let start = line.len() - rest.len();
    start..start + value.len()
}

/// Replaces title, date and time as Obsidian does, and removes the cursor placeholder.
fn fill_placeholders(template: &str, title: &str, at: DateTime) -> FilledTemplate {
    let mut filled = String::new();
    let (mut cursor, mut unknown) = (None, Vec::new());
    let mut rest = template;
    while let Some(open) = rest.find("{{") {
        filled.push_str(&rest[..open]);
        let Some(close) = rest[open..].find("}}") else {
            rest = &rest[open..];
            break;
        };
        let mark = &rest[open..open + close + 2];
        let inner = &mark[2..mark.len() - 2];
        let (name, format) = match inner.split_once(':') {
            Some((name, format)) => (name, Some(format.trim())),
            None => (inner, None),
        };
        let value = match (name.trim().to_ascii_lowercase().as_str(), format) {
            ("title", None) => Ok(title.to_owned()),
            ("cursor", None) => {
                cursor.get_or_insert(filled.len());
                Ok(String::new())
            }
            ("date", format) => moment::format(format.unwrap_or("YYYY-MM-DD"), at),
            ("time", format) => moment::format(format.unwrap_or("HH:mm"), at),
            // A plugin's placeholder, or ordinary text.
            _ => Ok(mark.to_owned()),
        };
        filled.push_str(&value.unwrap_or_else(|_| {
            unknown.push(mark.to_owned());
            mark.to_owned()
        }));
        rest = &rest[open + close + 2..];
    }
    filled.push_str(rest);
    FilledTemplate {
        text: filled,
        cursor,
        unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_filled() {
        let at = jiff::civil::date(2026, 1, 3).at(16, 5, 9, 0);
        for (template, expected, unknown) in [
            ("# {{title}}\n", "# Note\n", 0),
            ("{{date}} {{ Time }}", "2026-01-03 16:05", 0),
            ("{{date: dddd}}, {{time:HH[h]}}", "Saturday, 16h", 0),
            ("{{date:gggg}}", "{{date:gggg}}", 1),
            ("{{other}} {{title:x}} {{", "{{other}} {{title:x}} {{", 0),
            ("{{{title}}}", "{{{title}}}", 0),
            ("", "", 0),
            ("a {{cursor}}b{{cursor}}\n", "a b\n", 0),
        ] {
            let filled = fill(template, "Note", at);
            assert_eq!(
                (filled.text.as_str(), filled.unknown.len()),
                (expected, unknown)
            );
        }
    }

    #[test]
    fn a_title_in_front_matter_is_quoted() {
        let at = jiff::civil::date(2026, 1, 3).at(16, 5, 9, 0);
        let titles = [
            "Plain",
            "The \"real\" one",
            "it's: a # b",
            "C:\\x",
            "2026",
            "[a], b",
        ];
        for value in [
            "\"{{title}}\"",
            "'{{title}}' # as is",
            "{{ Title }}",
            "On {{title}} # why",
            "[{{title}}]",
            "[\"{{title}}\", 'x']",
            "\n  - {{title}}",
        ] {
            for title in titles {
                let template = format!("---\nd: {{{{time}}}}\nk: {value}\n---\n{{{{title}}}}\n");
                let filled = fill(&template, title, at).text;
                let note = crate::note::read(&filled, "");
                assert_eq!(note.problem, None, "{filled}");
                let mut read = &note.properties["k"];
                if let Some(items) = read.as_array() {
                    read = &items[0];
                }
                let title_read = read
                    .as_str()
                    .map(|title_read| title_read.trim_start_matches("On "));
                assert_eq!(title_read, Some(title), "{filled}");
                assert!(filled.starts_with("---\nd: 16:05\n"), "{filled}");
                assert!(filled.ends_with(&format!("---\n{title}\n")), "{filled}");
            }
        }
        let plain = fill("---\nk: {{title}}\n---\n", "Plain", at).text;
        assert_eq!(plain, "---\nk: Plain\n---\n");
    }

    #[test]
    fn a_text_is_inserted_at_the_cursor() {
        let at = jiff::civil::date(2026, 1, 3).at(16, 5, 9, 0);
        for (template, line, expected) in [
            (
                "# {{title}}\n\n- {{cursor}}\n\nEnd\n",
                Some(3),
                "# Note\n\n- a text\n\nEnd\n",
            ),
            ("{{cursor}}", Some(1), "a text"),
            ("# {{title}}\n", None, "# Note\n\na text\n"),
            ("End", None, "End\n\na text\n"),
            ("- End\n", None, "- End\n\na text\n"),
            ("End\n\n", None, "End\n\na text\n"),
            ("---\na: 1\n---\n", None, "---\na: 1\n---\na text\n"),
            ("```\nEnd", None, "```\nEnd\na text\n"),
            ("", None, "a text\n"),
        ] {
            let filled = fill(template, "Note", at);
            assert_eq!(filled.line(), line, "{template}");
            assert_eq!(filled.with("a text\n"), expected);
        }
    }
}
