//! The vault and the open documents as one request sees them.

use std::cell::OnceCell;

use super::document::{Documents, EditorDocument, Encoding, Lines, file, uri};
use crate::commands::prelude::*;
use crate::jobs::doctor::Files;
use crate::note::front_matter::split::line_start;
use crate::note::markdown::body::scan;
use crate::note::markdown::listing::blanked;
use crate::note::markdown::parts::{PartTarget, Parts};
use crate::note::markdown::tags;
use crate::note::retag::spans_in_front_matter;
use crate::note::{Link, Note};
use crate::vault::swap::TEMP_PREFIX;
use crate::vault::write_guard::is_note_name;

/// What the server has from the editor, and for it.
pub(super) struct Client {
    pub(super) capabilities: Value,
    pub(super) encoding: Encoding,
    pub(super) documents: Documents,
    /// The questions of today, as `mem review --json` prints them.
    pub(super) questions: Vec<Value>,
}

/// The vault and the open documents.
pub(super) struct LspContext<'s> {
    pub(super) session: &'s Session,
    pub(super) view: View<'s>,
    pub(super) client: &'s Client,
    /// The vault, by the path by which the editor opened it.
    root: PathBuf,
    /// The addresses of open notes.
    uris: HashMap<VaultPath, &'s str>,
    files: OnceCell<Files>,
}

/// A note, in the editor or on disk.
pub(super) struct EditorNote {
    pub(super) path: VaultPath,
    /// `None` for a note that is not indexed yet.
    pub(super) entry: Option<Entry>,
    pub(super) text: Lines,
    pub(super) note: Note,
}

/// A request about a note.
#[derive(Clone, Copy)]
pub(super) struct NoteRequest<'r, 's> {
    pub(super) context: &'r LspContext<'s>,
    pub(super) source: &'r EditorNote,
    pub(super) params: &'r Value,
}

impl NoteRequest<'_, '_> {
    /// Returns what the position refers to.
    pub(super) fn subject(self) -> Result<PositionTarget> {
        let (context, source) = (self.context, self.source);
        let offset = source.text.offset(&self.params["position"]);
        let is_at = |span: &Range<usize>| span.start <= offset && offset <= span.end;
        let mut subject = PositionTarget {
            span: offset..offset,
            tag: None,
            link: None,
            note: source.entry.clone(),
            part: None,
        };
        let links = source.note.links.iter().filter(|link| is_at(&link.span));
        // Of nested links the inner one counts.
        if let Some(link) = links.min_by_key(|link| link.span.len()) {
            subject.span = link.span.clone();
            subject.note = context.target(source, link)?;
            if let (Some(target), Some(_)) = (&subject.note, &link.part) {
                let parts = context.read(target.path.clone())?.parts();
                subject.part = parts.of_link(link).map(|found| found.target);
            }
            subject.link = Some(link.clone());
        } else if let Some((tag, span)) = source.tags().into_iter().find(|(_, span)| is_at(span)) {
            (subject.tag, subject.span) = (Some(tag), span);
        } else if let Some(heading) = source.heading_at(offset) {
            subject.span = source.heading_span(heading);
            let mut headings = source.note.headings.iter();
            let number = headings.position(|other| other.at == heading.at);
            subject.part = number
                .filter(|_| heading.level > 1)
                .map(PartTarget::Heading);
        }
        Ok(subject)
    }
}

/// What a position in a note refers to: a tag, a note, or a part of a note.
pub(super) struct PositionTarget {
    pub(super) span: Range<usize>,
    pub(super) tag: Option<String>,
    /// The link at the position.
    pub(super) link: Option<Link>,
    /// The target of the link, else the note itself.
    pub(super) note: Option<Entry>,
    /// The heading or block that the link names, or the heading at the position unless it is the
    /// title.
    pub(super) part: Option<PartTarget>,
}

impl<'s> LspContext<'s> {
    /// `opened` is the folder that the editor opened.
    pub(super) fn new(
        client: &'s Client,
        session: &'s Session,
        mut view: View<'s>,
        opened: &Path,
    ) -> Self {
        let documents = &client.documents;
        let path = |uri: &str| path_in(session, &file(uri)?);
        let open: HashMap<VaultPath, (&String, &EditorDocument)> = documents
            .iter()
            .filter_map(|(uri, document)| Some((path(uri)?, (uri, document))))
            .collect();
        let texts = open.iter();
        view.unsaved = texts
            .map(|(path, (_, document))| (path.clone(), document.text.text.clone()))
            .collect();
        let open = open.into_iter();
        let uris = open.map(|(path, (uri, _))| (path, uri.as_str()));
        Self {
            session,
            view,
            client,
            root: opened_root(opened, session.vault.root()),
            uris: uris.collect(),
            files: OnceCell::new(),
        }
    }

    /// Whether the editor makes changes of this kind to files: `create`, `rename`.
    pub(super) fn can(&self, operation: &str) -> bool {
        let edits = &self.client.capabilities["workspace"]["workspaceEdit"];
        let known = edits["resourceOperations"].as_array();
        known.is_some_and(|known| known.contains(&json!(operation)))
    }

    /// Returns the notes by name, for checks of links.
    pub(super) fn files(&self) -> Result<&Files> {
        if self.files.get().is_none() {
            let notes = self.view.entries()?.into_iter();
            let _ = self.files.set(Files::new(notes.map(|entry| entry.path)));
        }
        Ok(self.files.get_or_init(Files::default))
    }

    /// Returns the address of a file of the vault.
    pub(super) fn uri(&self, path: &VaultPath) -> String {
        let open = self.uris.get(path).map(|uri| (*uri).to_owned());
        open.unwrap_or_else(|| uri(&self.root.join(path)))
    }

    /// Returns the version of an open note; null for others.
    pub(super) fn version(&self, path: &VaultPath) -> Value {
        let open = self
            .uris
            .get(path)
            .and_then(|uri| self.client.documents.get(*uri));
        open.map_or(Value::Null, |document| document.version.clone())
    }

    /// Returns the path of a file or folder in the vault.
    pub(super) fn path(&self, file: &Path) -> Option<VaultPath> {
        path_in(self.session, file)
    }

    /// Returns the note that `params` names; `None` if it is outside the vault.
    pub(super) fn source(&self, params: &Value) -> Result<Option<EditorNote>> {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let path = file(uri).and_then(|file| path_in(self.session, &file));
        // A note that `mem new` edits is a hidden file until it is saved.
        let name = |path: &VaultPath| path.as_str().replacen(TEMP_PREFIX, "", 1);
        let path = path.filter(|path| is_note_name(&name(path)));
        path.map(|path| self.read(path)).transpose()
    }

    /// Reads a note.
    pub(super) fn read(&self, path: VaultPath) -> Result<EditorNote> {
        let text = self.view.file(&path).map_err(acts::ActError::from)?.text;
        Ok(EditorNote {
            entry: self.view.at(&path)?,
            note: note::read(&text, path.stem()),
            text: Lines::new(text, self.client.encoding),
            path,
        })
    }

    /// Returns the note that a link in `source` leads to.
    pub(super) fn target(&self, source: &EditorNote, link: &Link) -> Result<Option<Entry>> {
        if link.target.is_empty() {
            return Ok(source.entry.clone());
        }
        let is_markdown = link.kind == LinkKind::Markdown;
        Ok(self.view.resolve(&source.path, &link.target, is_markdown)?)
    }

    /// Returns the links to `entry` from other notes and from itself, by note.
    pub(super) fn links_to(&self, entry: &Entry) -> Result<Vec<(EditorNote, Vec<Link>)>> {
        let sources = self.view.linking_to(entry)?.into_iter();
        let mut paths: BTreeSet<VaultPath> = sources.map(|source| source.path).collect();
        paths.insert(entry.path.clone());
        paths.extend(self.uris.keys().cloned());
        let mut found = Vec::new();
        for path in paths {
            let source = self.read(path)?;
            let mut links = Vec::new();
            for link in &source.note.links {
                let target = self.target(&source, link)?;
                if target.is_some_and(|target| target.slot == entry.slot) {
                    links.push(link.clone());
                }
            }
            if !links.is_empty() {
                found.push((source, links));
            }
        }
        Ok(found)
    }

    /// Returns the location of a span.
    pub(super) fn location(&self, source: &EditorNote, span: &Range<usize>) -> Value {
        json!({"uri": self.uri(&source.path), "range": source.text.range(span)})
    }
}

/// Returns the folder at or above `opened` that is the vault at `root`; `root` itself if there is none.
///
/// An editor that opened a vault through a symlink takes other paths for other files.
fn opened_root(opened: &Path, root: &Path) -> PathBuf {
    let is_root = |folder: &&Path| folder.canonicalize().is_ok_and(|real| real == root);
    opened.ancestors().find(is_root).unwrap_or(root).to_owned()
}

/// Returns the path in the vault of a file that may not exist yet, nor its folder.
fn path_in(session: &Session, file: &Path) -> Option<VaultPath> {
    let vault = &session.vault;
    vault.path_of(file).or_else(|| {
        let (folder, name) = (file.parent()?, file.file_name()?);
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let below = real.strip_prefix(vault.root()).ok()?.join(name);
        VaultPath::new(below.to_str()?).ok()
    })
}

impl EditorNote {
    /// Returns the heading on the line of `offset`.
    pub(super) fn heading_at(&self, offset: usize) -> Option<&Heading> {
        let line = self.text.line(offset);
        let headings = &self.note.headings;
        let first = headings.partition_point(|heading| self.text.line(heading.at) < line);
        headings
            .get(first)
            .filter(|heading| self.text.line(heading.at) == line)
    }

    /// Returns the tags of the front matter and the body with their spans.
    pub(super) fn tags(&self) -> Vec<(String, Range<usize>)> {
        let text = &self.text.text;
        let spans = scan(&blanked(text), self.note.body.clone())
            .tags
            .into_iter();
        let in_body = spans.map(|span| (text[span.start + 1..span.end].to_owned(), span));
        let stated = tags::of_property(&self.note.properties).into_iter();
        let in_matter = stated.flat_map(|tag| {
            let spans = spans_in_front_matter(text, &self.note, &tag).into_iter();
            spans.map(move |span| (tag.clone(), span))
        });
        in_matter.chain(in_body).collect()
    }

    /// Returns the headings and blocks that links can name.
    pub(super) fn parts(&self) -> Parts {
        Parts::of(&self.note, &self.text.text)
    }

    /// Returns the heading that `link`, to this note, leads to.
    pub(super) fn heading_of(&self, link: &Link) -> Option<&Heading> {
        match self.parts().of_link(link)?.target {
            PartTarget::Heading(at) => self.note.headings.get(at),
            PartTarget::Block(_) | PartTarget::Html(_) => None,
        }
    }

    /// Returns the span of a heading's text, without `#`.
    pub(super) fn heading_span(&self, heading: &Heading) -> Range<usize> {
        let text = &self.text.text;
        let line = self.text.line_span(self.text.line(heading.at));
        let written = &text[heading.at..line.end];
        let inner = written.trim_start_matches('#').trim_start();
        let start = line.end - inner.len();
        let plain = inner.trim_end().trim_end_matches('#').trim_end();
        start..start + plain.len()
    }

    /// Returns the span of the section from its heading to the next one of its level.
    pub(super) fn section(&self, heading: &Heading) -> Range<usize> {
        let headings = &self.note.headings;
        let after = headings.partition_point(|other| other.at <= heading.at);
        let mut later = headings[after..].iter();
        let next = later.find(|next| next.level <= heading.level);
        let text = &self.text.text;
        let end = next.map_or(text.len(), |next| line_start(text, next.at));
        let start = line_start(text, heading.at);
        let end = start + text[start..end].trim_end().len();
        // An empty heading may end in blanks.
        start..end.max(self.heading_span(heading).end)
    }

    /// Returns the span of the heading or block that `link`, to this note, leads to; the start of
    /// the note without one.
    pub(super) fn part(&self, link: &Link) -> Range<usize> {
        let parts = self.parts();
        let target = parts.of_link(link).map(|found| found.target);
        target.map_or(0..0, |target| match target {
            PartTarget::Heading(at) => self.heading_span(&self.note.headings[at]),
            _ => self.text.line_span(self.text.line(parts.offset(target))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vault_keeps_the_path_by_which_it_was_opened() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let (root, link) = (home.join("vault"), home.join("link"));
        fs::create_dir_all(root.join("sub")).unwrap();
        std::os::unix::fs::symlink(&root, &link).unwrap();
        std::os::unix::fs::symlink(root.join("sub"), home.join("below")).unwrap();
        for (opened, expected) in [
            (link.join("sub"), &link),
            (link.clone(), &link),
            (root.join("sub"), &root),
            (home.join("below"), &root),
            (home.clone(), &root),
        ] {
            assert_eq!(opened_root(&opened, &root), *expected, "{opened:?}");
        }
    }
}
