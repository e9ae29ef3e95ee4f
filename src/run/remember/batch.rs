//! Writes many new notes as one run.

use super::super::plan::apply::apply;
use crate::change::apply::RunReport;
use crate::finding::plan::Change;
use crate::note::names::naming::FileNameStyle;
use crate::run::prelude::*;

/// Paths for new notes that are free in the vault and in the batch.
#[derive(Debug, Default)]
pub struct FreePaths {
    taken: HashSet<String>,
    styles: HashMap<String, FileNameStyle>,
}

impl FreePaths {
    /// Reserves the first free path in `folder` made from `title`.
    pub fn reserve(
        &mut self,
        session: &Session,
        view: &View<'_>,
        folder: Option<&VaultPath>,
        title: &str,
    ) -> Result<VaultPath> {
        let folder = folder.map_or_else(String::new, |folder| format!("{folder}/"));
        let style = match self.styles.get(&folder) {
            Some(style) => *style,
            None => view.naming(&folder)?,
        };
        self.styles.insert(folder.clone(), style);
        for number in 1.. {
            let name = style.name(title, number);
            let path = VaultPath::new(&format!("{folder}{name}.md"))
                .map_err(|error| Error::from(error).hint("give it another title"))?;
            if self.take(session, &path) {
                return Ok(path);
            }
        }
        unreachable!("there is always a greater number")
    }

    /// Reserves `path`, unless a file or a note of the batch has it.
    pub fn take(&mut self, session: &Session, path: &VaultPath) -> bool {
        !session.vault.exists(path) && self.taken.insert(path.as_str().to_lowercase())
    }
}

/// Returns the group that creates one note.
pub fn creation(path: VaultPath, text: String) -> Group {
    Group {
        title: format!("create {path}"),
        reason: "requested".to_owned(),
        changes: vec![Change::Create { path, text }],
        ..Group::default()
    }
}

/// Applies the groups of a batch as one run of `job`.
pub fn write(session: &Session, cache: Cache, job: &str, groups: Vec<Group>) -> Result<RunReport> {
    let report = apply(session, cache, &Plan::new(job, groups))?;
    if report.applied() > 0 {
        session.note_ingest();
    }
    Ok(report)
}
