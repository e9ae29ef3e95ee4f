//! `mem import`

use crate::commands::prelude::*;
use crate::run::import::sources::{ImportSource, SOURCES};
use crate::run::import::{ImportOptions, ImportReport, RecordState, import};

/// Import the memories of another system as notes
///
/// Lists what would be written; --apply writes it as one run, which `mem undo` reverts. Dates, use,
/// relations with their weights, replacements and archival state are kept, and fields without an
/// equivalent stay under `imported`. Records that were imported before are not written again.
#[derive(Debug, clap::Args)]
pub struct ImportRequest {
    /// The system
    #[arg(value_parser = PossibleValuesParser::new(SOURCES.iter().map(|source| source.name)))]
    pub source: String,
    /// The exported file, or a folder of files
    pub path: PathBuf,
    /// Folder for the notes [default: the name of the system]
    #[arg(long, value_name = "FOLDER")]
    pub into: Option<String>,
    /// Write the notes
    #[arg(long)]
    pub apply: bool,
    #[command(flatten)]
    pub secrets: SecretCheck,
}

impl Request for ImportRequest {
    type Reply<'s> = ImportReport;

    fn answer(&self, session: &Session) -> Result<ImportReport> {
        let source = ImportSource::named(&self.source).expect("the parser knows the names");
        let inside = |error| Error::from(error).hint("name a folder inside the vault");
        let into = match self.into.as_deref().unwrap_or(&self.source) {
            "" | "." | "/" => None,
            folder => Some(VaultPath::new(folder).map_err(inside)?),
        };
        let options = ImportOptions {
            into: into.as_ref(),
            is_applied: self.apply,
            allow_secrets: self.secrets.allow_secrets,
        };
        import(session, source, &self.path, options)
    }
}

impl Reply for ImportReport {
    fn show(&self, page: &Page<'_>) {
        for record in &self.records {
            let (origin, place) = (&record.origin, record.path.as_ref());
            let place = place.map_or_else(String::new, |path| page.place(path.as_str()));
            page.line(&match &record.state {
                RecordState::New => format!("new      {place}  from {origin}"),
                RecordState::Known => format!("known    {place}  from {origin}"),
                RecordState::Same => format!("same     {place}  from {origin}"),
                RecordState::Skipped => {
                    let reason = record.reason.as_deref().unwrap_or_default();
                    format!("skipped  {origin}: {reason}")
                }
            });
        }
        let states = self.records.iter().map(|record| record.state);
        let of = |state| states.clone().filter(|one| *one == state).count();
        let verb = if self.dry_run { "to write" } else { "written" };
        page.line(&format!(
            "{}: {} {verb}, {} imported before, {} with the text of a note, {} skipped; {}",
            count(self.records.len(), "record"),
            of(RecordState::New),
            of(RecordState::Known),
            of(RecordState::Same),
            of(RecordState::Skipped),
            count(self.relations, "relation"),
        ));
        if self.vectors > 0 {
            page.say(&format!(
                "{} left out; mem computes its own",
                count(self.vectors, "embedding")
            ));
        }
        if self.unreadable > 0 {
            page.say(&format!(
                "{} cannot be read; export again and repeat the import, which writes only what is new",
                count(self.unreadable, "record")
            ));
        }
        if self.dry_run && of(RecordState::New) > 0 {
            page.hint("write them with `--apply`");
        }
    }

    fn messages(&self) -> Vec<Message> {
        let run = self.run.iter();
        run.map(|run| Message::undo(run.as_str())).collect()
    }

    fn exit(&self) -> Result<Exit> {
        Ok(Exit::found(self.unreadable == 0))
    }
}
