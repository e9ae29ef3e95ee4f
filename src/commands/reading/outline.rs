//! `mem outline`

use crate::commands::prelude::*;
use crate::note::markdown::rendered_line::render_line;

/// Show the headings of a note
///
/// Prints each heading with its line number, indented by level. Exits with 1 if there are none.
#[derive(Debug, clap::Args)]
pub struct OutlineRequest {
    /// The note
    pub note: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Outline {
    path: String,
    title: String,
    headings: Vec<Heading>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Heading {
    level: u8,
    text: String,
    line: usize,
}

impl Request for OutlineRequest {
    type Reply<'s> = Outline;

    fn answer(&self, session: &Session) -> Result<Outline> {
        let (_cache, view) = session.fresh_view()?;
        let entry = find_note_to_show(&session.env, &view, &self.note)?;
        let text = session.vault.read(&entry.path)?.text;
        let note = note::read(&text, entry.path.stem());
        let (mut line, mut counted) = (1, 0);
        let headings = note.headings.into_iter().map(|heading| {
            line += text[counted..heading.at].matches('\n').count();
            counted = heading.at;
            Heading {
                level: heading.level,
                text: heading.text,
                line,
            }
        });
        Ok(Outline {
            path: entry.path.to_string(),
            title: note.title,
            headings: headings.collect(),
        })
    }
}

impl Reply for Outline {
    fn show(&self, page: &Page<'_>) {
        let last = self.headings.last();
        let width = last.map_or(0, |last| last.line.to_string().len());
        for Heading { level, text, line } in &self.headings {
            let line = page.paint(Style::Faint, &format!("{line:>width$}"));
            let indent = usize::from(level.saturating_sub(1)) * 2;
            let text = page.paint(Style::Title, &rendered_heading(text));
            page.line(&format!("{line}  {:indent$}{text}", ""));
        }
        if self.headings.is_empty() {
            page.say("the note has no headings");
        }
    }

    fn exit(&self) -> Result<Exit> {
        Ok(Exit::found(!self.headings.is_empty()))
    }
}

/// Returns a heading without Markdown marks, unless nothing else remains.
fn rendered_heading(heading: &str) -> String {
    let text = render_line(heading).text();
    if text.is_empty() {
        heading.to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::commands::tests::TestVault;

    #[test]
    fn headings_have_level_and_line() {
        let vault = TestVault::new(&[("tea.md", "# Tea\n\nWarm.\n\n## *Green* tea\n")]);
        let request = OutlineRequest {
            note: "tea".to_owned(),
        };
        let reply = json!({"path": "tea.md", "title": "Tea", "headings": [
            {"level": 1, "text": "Tea", "line": 1},
            {"level": 2, "text": "Green tea", "line": 5},
        ]});
        assert_eq!(vault.json(&request).unwrap(), reply);
        let (text, _) = vault.text(&request).unwrap();
        assert_eq!(text, "1  Tea\n5    Green tea\n");
    }
}
