//! Questions about the conflicts that merges left in notes. No job asks them: a setting must not hide them.

use crate::jobs::prelude::*;
use crate::note::edit;
use crate::note::front_matter::matter;
use crate::note::markdown::listing;
use crate::note::three_way::markers::{Version, conflicts};

/// Maximum number of characters quoted of a version.
const MAX_QUOTE_CHARS: usize = 200;

/// Returns a question for each conflict. If the front matter cannot be read, one for the whole note: an edit must make
/// it readable.
pub fn merge_conflicts(view: &View<'_>) -> Result<Vec<Finding>> {
    let mut found = Vec::new();
    if view.reading().meta()?.unmerged == 0 {
        return Ok(found);
    }
    for entry in view.entries()? {
        // A note that changed since it was indexed is examined by the next command.
        if entry.row.flags.has(Flags::UNMERGED)
            && let Ok(text) = view.text(&entry)
        {
            found.extend(of_note(&entry, &text));
        }
    }
    Ok(found)
}

fn of_note(entry: &Entry, text: &str) -> Vec<Finding> {
    let blanked = listing::blanked(text);
    let document = Document::of_note(&blanked);
    let is_unreadable = entry.row.flags.has(Flags::UNREADABLE);
    let mut known: HashMap<&str, u64> = HashMap::new();
    let all = conflicts(text, &document);
    let questions = all.chunk_by(|_, _| is_unreadable).filter_map(|conflicts| {
        let edits = [Version::Both, Version::Ours, Version::Theirs].map(|version| {
            let mut edits = Vec::new();
            for conflict in conflicts {
                edits.extend(conflict.edits(text, document.body().start, version)?);
            }
            Some(edits)
        });
        let [Some(both), Some(ours), Some(theirs)] = edits else {
            return None;
        };
        let edits = [both, ours, theirs];
        // A conflict across the border of the front matter is left to a person.
        let is_readable = |edits: &Vec<Edit>| {
            edit::apply(text, edits).is_ok_and(|after| matter::problem(&after).is_none())
        };
        if !edits.iter().any(is_readable) {
            return None;
        }
        let (first, last) = (conflicts.first()?, conflicts.last()?);
        let marked = &text[first.span.start..last.span.end];
        let same_before = known.entry(marked).or_default();
        *same_before += 1;
        let keys = [
            xxh3_64(entry.path.as_str().as_bytes()),
            xxh3_64(format!("{marked}{same_before}").as_bytes()),
        ];
        let line = text[..first.span.start].matches('\n').count() + 1;
        let more = match conflicts.len() {
            1 => String::new(),
            all => format!(" and {} more", all - 1),
        };
        let reason = match first.reason {
            "" => "git could not join both versions",
            reason => reason,
        };
        let key = QuestionKey::new(QuestionKind::MergeConflict, &keys);
        let act = Act::Resolve {
            note: entry.path.clone(),
            version: Version::Both,
            edits,
        };
        let reason = format!("line {line}{more}: {reason}");
        let mut finding = Finding::new(key, vec![entry.path.clone()], vec![act], 1.0, reason);
        finding.quotes = first.versions(text).map(|version| quote(&version)).to_vec();
        Some(finding)
    });
    questions.collect()
}

/// Returns a version on one line, cut.
fn quote(version: &str) -> String {
    let line = version.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_QUOTE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if line.is_empty() => "(removed)".to_owned(),
        None => line,
    }
}
