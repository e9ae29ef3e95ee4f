//! Text written by a person instead of the proposed one: a merged body, or a line with a link.

use std::ops::Range;

use crate::note::splice::line_around;
use crate::run::prelude::*;

/// A name in running text that a yes turns into a link.
pub struct MentionSpan {
    /// The text of the note.
    pub text: String,
    /// Position of the name.
    pub span: Range<usize>,
    /// The link.
    link: String,
}

impl MentionSpan {
    pub fn of(view: &View<'_>, asked: &Finding) -> Result<Self, ActError> {
        let note = &asked.notes[0];
        let entry = view
            .at(note)?
            .ok_or_else(|| ActError::Missing(note.clone()))?;
        let group = acts::group(view, asked, Answer::Yes)?;
        let edits = group.changes.into_iter().filter_map(|change| match change {
            Change::Edit { path, edits, .. } if path == *note => Some(edits),
            _ => None,
        });
        let replaced = edits.flatten().find_map(|edit| match edit {
            Edit::Replace { span, text, .. } => Some((span, text)),
            _ => None,
        });
        let (span, link) = replaced.ok_or_else(|| ActError::MissingMention {
            note: note.clone(),
            name: asked.title(),
        })?;
        Ok(Self {
            text: view.text(&entry)?,
            span,
            link,
        })
    }

    /// Returns the range of the line with the name, without its line ending.
    fn line(&self) -> Range<usize> {
        let line = line_around(&self.text, &self.span);
        line.start..line.start + self.text[line].trim_end_matches('\r').len()
    }

    /// Returns the line with the link.
    pub fn line_after(&self) -> String {
        let line = self.line();
        let before = &self.text[line.start..self.span.start];
        let behind = &self.text[self.span.end..line.end];
        format!("{before}{}{behind}", self.link)
    }
}

/// Returns the acts that write `text`: as the body of the merged note, or as the line with the
/// mention.
pub fn edited_acts(view: &View<'_>, asked: &Finding, text: String) -> Result<Vec<Act>, ActError> {
    let mut acts = asked.answered(Answer::Yes);
    if let [Act::Merge { body, .. }] = acts.as_mut_slice() {
        *body = Some(text);
        return Ok(acts);
    }
    let mention = MentionSpan::of(view, asked)?;
    let span = mention.line();
    let was = mention.text[span.clone()].to_owned();
    let links = |line: &str| -> Vec<String> {
        let links = note::read(line, "").links;
        links
            .iter()
            .map(|link| line[link.span.clone()].to_owned())
            .collect()
    };
    let mut kept = links(&text);
    for link in links(&was) {
        let Some(at) = kept.iter().position(|kept| *kept == link) else {
            let note = asked.notes[0].clone();
            return Err(ActError::OmittedLink { note, link });
        };
        kept.swap_remove(at);
    }
    let edit = Edit::Replace { span, was, text };
    Ok(vec![Act::edit(&asked.notes[0], vec![edit])])
}
