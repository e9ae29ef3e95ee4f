//! Problems of a note, each with the actions that solve it.

use std::collections::hash_map::Entry as MapEntry;

use super::context::{EditorNote, LspContext};
use super::workspace_edit::of_acts;
use crate::commands::prelude::*;
use crate::jobs::doctor::{self, DoctorFinding, ProblemKind};
use crate::output::{DAY_FORMAT, format_time};
use crate::vault::write_guard::is_note_name;
use crate::view::link_targets::OtherTargets;
use crate::view::links::{rebased, relative};
use crate::view::remap::repointed;

/// Severities of the protocol.
const WARNING: u32 = 2;
const INFORMATION: u32 = 3;
const HINT: u32 = 4;

/// Returns code actions.
type Actions<'c> = Box<dyn Fn() -> Result<Vec<Value>> + 'c>;

/// A problem at a span of a note.
pub(super) struct Diagnostic<'c> {
    pub(super) span: Range<usize>,
    severity: u32,
    code: &'static str,
    message: String,
    /// The code actions. Each compiles an edit of the note, so only those that are asked for are computed.
    pub(super) actions: Actions<'c>,
}

impl Diagnostic<'_> {
    pub(super) fn shown(&self, source: &EditorNote) -> Value {
        json!({
            "range": source.text.range(&self.span),
            "severity": self.severity,
            "code": self.code,
            "source": "mem",
            "message": self.message,
        })
    }
}

/// Returns the problems of an indexed note: dead links, links to replaced notes, open questions.
pub(super) fn of<'c>(
    context: &'c LspContext<'_>,
    source: &'c EditorNote,
) -> Result<Vec<Diagnostic<'c>>> {
    let Some(entry) = &source.entry else {
        return Ok(Vec::new());
    };
    let mut problems = defects(context, source, entry)?;
    problems.extend(replaced(context, source)?);
    let questions = context.client.questions.iter();
    problems.extend(questions.filter_map(|question| about(source, question)));
    Ok(problems)
}

/// Returns a code action that edits notes.
pub(super) fn edit_action(
    context: &LspContext<'_>,
    title: &str,
    kind: &str,
    acts: &[Act],
) -> Result<Value> {
    Ok(json!({"title": title, "kind": kind, "edit": of_acts(context, acts)?}))
}

/// Returns unreadable front matter and links without a target, as `mem doctor` reports them.
fn defects<'c>(
    context: &'c LspContext<'_>,
    source: &'c EditorNote,
    entry: &Entry,
) -> Result<Vec<Diagnostic<'c>>> {
    let (session, view) = (context.session, &context.view);
    let renamed = session.renamed()?;
    let among = Some(std::slice::from_ref(entry));
    let found = doctor::check(view, context.files()?, &renamed, among)?;
    let others = OtherTargets::of(view)?;
    let mut problems = Vec::new();
    for defect in found.findings {
        let target = defect.target.as_deref().unwrap_or_default();
        let is_markdown = defect
            .link
            .as_ref()
            .is_some_and(|link| !link.contains("[["));
        let code = match defect.kind {
            // Only notes are listed here; other files may exist.
            ProblemKind::BrokenLink | ProblemKind::BrokenEmbed
                if !others.is_broken(&source.path, target, is_markdown) =>
            {
                continue;
            }
            ProblemKind::BrokenLink | ProblemKind::BrokenEmbed => "broken-link",
            ProblemKind::BrokenHeading | ProblemKind::BrokenBlock => "broken-part",
            ProblemKind::BareAlias => "bare-alias",
            ProblemKind::FrontMatter => "front-matter",
            _ => continue,
        };
        let line = || source.text.line_span(defect.line.unwrap_or(1) - 1);
        problems.push(Diagnostic {
            span: defect.span.clone().unwrap_or_else(line),
            severity: WARNING,
            code,
            message: defect.message.clone(),
            actions: Box::new(move || {
                let mut actions = Vec::new();
                for repair in doctor::repairs(std::slice::from_ref(&defect)) {
                    let title = repair.reason.replacen(" becomes ", " → ", 1);
                    actions.extend(edit_action(context, &title, "quickfix", &[repair.act]).ok());
                }
                if code == "broken-link" && actions.is_empty() {
                    actions.extend(creation(context, source, &defect, is_markdown)?);
                }
                Ok(actions)
            }),
        });
    }
    Ok(problems)
}

/// Returns the action that creates the note which a link means.
fn creation(
    context: &LspContext<'_>,
    source: &EditorNote,
    defect: &DoctorFinding,
    is_markdown: bool,
) -> Result<Option<Value>> {
    let link = defect.target.as_deref().unwrap_or_default();
    let target = link.strip_suffix(".md").unwrap_or(link);
    let root = VaultPath::new("x")?;
    let from = if target.contains('/') && !is_markdown {
        &root
    } else {
        &source.path
    };
    let Some(path) = rebased(from, &format!("{target}.md"), &root) else {
        return Ok(None);
    };
    let path = VaultPath::new(&path)?;
    if !is_note_name(path.as_str()) || !context.can("create") {
        return Ok(None);
    }
    let text = format!("# {}\n", path.stem());
    let title = format!("Create {path}");
    edit_action(context, &title, "quickfix", &[Act::Create { path, text }]).map(Some)
}

/// Returns the links to notes that others replaced.
fn replaced<'c>(
    context: &'c LspContext<'_>,
    source: &'c EditorNote,
) -> Result<Vec<Diagnostic<'c>>> {
    let view = &context.view;
    let (mut problems, mut replacements) = (Vec::new(), HashMap::new());
    let known = view.reading().meta()?.properties;
    if !known.contains_key(Relation::EvolvedFrom.name()) {
        return Ok(problems);
    }
    for link in &source.note.links {
        if link.property.is_some() || link.target.is_empty() {
            continue;
        }
        let Some(target) = context.target(source, link)? else {
            continue;
        };
        let newer = match replacements.entry(target.slot) {
            MapEntry::Occupied(known) => known.into_mut(),
            MapEntry::Vacant(place) => place.insert(view.last_replacement(&target)?),
        };
        // The newer note may name what it replaced.
        let Some(newer) = newer.as_ref().filter(|newer| newer.path != source.path) else {
            continue;
        };
        let name = view.wikilink_target(newer)?;
        let new = match link.kind {
            LinkKind::Wiki => name.clone(),
            LinkKind::Markdown => relative(&source.path, &newer.path),
        };
        let stated = newer.row.stated();
        let since = stated.map(|at| format!(" on {}", format_time(at, &view.now, DAY_FORMAT)));
        problems.push(Diagnostic {
            span: link.span.clone(),
            severity: HINT,
            code: "replaced",
            message: format!("replaced by [[{name}]]{}", since.unwrap_or_default()),
            actions: Box::new(move || {
                let edit = repointed(&source.text.text, link, &new);
                let acts = [Act::edit(&source.path, vec![edit])];
                let title = format!("Point to [[{name}]]");
                Ok(vec![edit_action(context, &title, "quickfix", &acts)?])
            }),
        });
    }
    Ok(problems)
}

/// Returns the problem that a question is about, if it concerns this note.
fn about<'c>(source: &EditorNote, question: &'c Value) -> Option<Diagnostic<'c>> {
    let texts = |key: &str| {
        let texts = question[key].as_array().into_iter().flatten();
        texts.filter_map(Value::as_str).collect::<Vec<_>>()
    };
    let (notes, quotes) = (texts("notes"), texts("quotes"));
    let own = notes
        .iter()
        .position(|note| *note == source.path.as_str())?;
    let other = notes.iter().enumerate().find(|(at, _)| *at != own);
    let name = |note: &str| format!("[[{}]]", note.strip_suffix(".md").unwrap_or(note));
    let asked = question["question"].as_str().unwrap_or_default();
    let (code, severity, message) = match (question["kind"].as_str(), other) {
        (Some("conflict"), Some((at, other))) => {
            let quote = quotes.get(at).map(|quote| format!(": “{quote}”"));
            let message = format!(
                "may contradict {}{}",
                name(other),
                quote.unwrap_or_default()
            );
            ("conflict", INFORMATION, message)
        }
        (Some("merge"), Some((_, other))) => ("copy", HINT, format!("copy of {}", name(other))),
        _ => ("question", HINT, asked.to_owned()),
    };
    let id = question["id"].as_str()?;
    let answers = texts("answers");
    let diff = question["diff"].as_str().unwrap_or_default();
    let actions = move || {
        let action = |choice: &str, command: &str, arguments: &[&str]| {
            let title = format!("{asked} {choice}");
            let command = json!({"title": title, "command": command, "arguments": arguments});
            json!({"title": title, "kind": "quickfix", "command": command})
        };
        let preview = (!diff.is_empty()).then(|| action("preview", "mem.show", &[id]));
        let answers = answers.iter();
        let answers = answers.map(|answer| action(answer, "mem.answer", &[id, answer]));
        Ok(answers.chain(preview).collect())
    };
    Some(Diagnostic {
        span: evidence(source, &quotes, diff),
        severity,
        code,
        message,
        actions: Box::new(actions),
    })
}

/// Returns the span of a quote in the note, else of the first line that a yes replaces, else of the
/// title.
fn evidence(source: &EditorNote, quotes: &[&str], diff: &str) -> Range<usize> {
    let text = &source.text.text;
    let gone = diff.lines().filter_map(|line| line.strip_prefix('-'));
    let mut words = quotes.iter().copied().chain(gone);
    let found = words.find_map(|words| {
        let words = words.trim();
        let at = text.find(words).filter(|_| !words.is_empty())?;
        Some(at..at + words.len())
    });
    found.unwrap_or_else(|| match source.note.headings.first() {
        Some(heading) => source.heading_span(heading),
        None => source
            .text
            .line_span(source.text.line(source.note.body.start)),
    })
}
