//! Imports memories of other systems as managed notes.
//!
//! A reader turns files into [`ImportRecord`]s; the fields of each system are a table in
//! [`sources`]. The id of a note is a hash of its source and its id there, so a second import finds
//! it, even renamed or edited. Usage becomes the snapshot in the note, from which the journal
//! continues; so undo takes it back with the note. Fields without an equivalent, and importance
//! that the source computed, stay under `imported`.

mod json;
mod markdown;
mod record;
pub mod sources;

use serde_json::json;
use ulid::Ulid;
use xxhash_rust::xxh3::xxh3_128;

use self::record::{Export, ImportEdge, ImportRecord};
use self::sources::{ImportSource, property_name, relation_of};
use super::plan::apply::record_origins;
use super::remember::batch::{self, FreePaths};
use super::remember::with_text;
use crate::journal::adoption::Adoption;
use crate::journal::events::TextHash;
use crate::journal::provenance::RelationOrigin;
use crate::note::front_matter::relation::Relation;
use crate::note::front_matter::seal;
use crate::note::front_matter::write::new_note;
use crate::note::names::title::title_of;
use crate::note::secrets;
use crate::note::words::hash;
use crate::run::prelude::*;
use crate::signals::fields::Field;
use crate::signals::snapshot;
use crate::signals::tier::Tier;
use crate::view::remap::is_wikilink_target;

/// Maximum size of a file to import, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 28;

/// Properties of a note in the order in which they are written.
const ORDER: &str = "id title type tier space space_locked tags description created updated confidence \
    importance valid_until keep source";

/// What happens to a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RecordState {
    /// It becomes a note.
    New,
    /// An earlier import wrote it.
    Known,
    /// A note has the same text.
    Same,
    Skipped,
}

/// A record and its note.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecordOutcome {
    /// File and position in the export.
    pub origin: String,
    pub state: RecordState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<VaultPath>,
    /// Why it is skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The result of an import or of its preview.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportReport {
    pub dry_run: bool,
    pub records: Vec<RecordOutcome>,
    /// Number of relations between the notes.
    pub relations: usize,
    /// Number of skipped records that cannot be read.
    pub unreadable: usize,
    /// Number of embeddings, which are not imported.
    pub vectors: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
}

/// How to import.
#[derive(Clone, Copy, Debug)]
pub struct ImportOptions<'a> {
    /// The folder of the notes; none is the root.
    pub into: Option<&'a VaultPath>,
    /// Whether to write the notes.
    pub is_applied: bool,
    /// Whether to import memories with keys, tokens or passwords.
    pub allow_secrets: bool,
}

/// Imports the memories in `path`, or previews that.
pub fn import(
    session: &Session,
    source: &'static ImportSource,
    path: &Path,
    options: ImportOptions<'_>,
) -> Result<ImportReport> {
    let export = read(source, path)?;
    let cache = session.fresh_cache()?;
    let view = session.view(&cache)?;
    let mut plan = ImportPlan {
        source,
        view: &view,
        ends: HashMap::new(),
        notes: Vec::new(),
        stems: HashSet::new(),
        report: ImportReport {
            dry_run: !options.is_applied,
            records: Vec::new(),
            relations: 0,
            unreadable: export.unreadable,
            vectors: 0,
            run: None,
        },
    };
    for (origin, reason) in export.skipped {
        plan.add_outcome(origin, RecordState::Skipped, None, Some(reason));
    }
    let mut paths = FreePaths::default();
    for record in export.records {
        plan.add(session, &mut paths, options, record)?;
    }
    let origins = plan.relate(&export.edges, session.env.now.timestamp());
    let ImportPlan {
        notes, mut report, ..
    } = plan;
    drop(view);
    if options.is_applied && !notes.is_empty() {
        write(session, cache, source, &notes, origins, &mut report)?;
    }
    Ok(report)
}

/// Reads all files of an export.
fn read(source: &ImportSource, path: &Path) -> Result<Export> {
    let mut export = Export::default();
    let failed = |error: &io::Error| Error::io("read", path, error);
    let root = if fs::metadata(path).map_err(|error| failed(&error))?.is_dir() {
        path
    } else {
        path.parent().unwrap_or(path)
    };
    let is_visible = |entry: &walkdir::DirEntry| {
        entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.')
    };
    let files = walkdir::WalkDir::new(path).sort_by_file_name().into_iter();
    for entry in files.filter_entry(is_visible) {
        let entry = entry.map_err(|error| failed(&error.into()))?;
        let file = entry.path().strip_prefix(root).unwrap_or(entry.path());
        let name = file.to_string_lossy().into_owned();
        let ending = file
            .extension()
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase();
        if entry.file_type().is_dir() {
            continue;
        }
        let endings = if source.is_markdown {
            "md"
        } else {
            "json or .jsonl"
        };
        if !endings.split(" or .").any(|known| known == ending) {
            export.skip(&name, format!("not a .{endings} file"));
            continue;
        }
        let meta = entry.metadata().map_err(|error| failed(&error.into()))?;
        let is_small = meta.len() <= MAX_FILE_BYTES;
        let modified = meta.modified().ok();
        let saved = modified.and_then(|at| Timestamp::try_from(at).ok());
        match fs::read_to_string(entry.path()) {
            _ if !is_small => export.skip_unreadable(&name, "larger than 256 MiB"),
            Err(error) => export.skip_unreadable(&name, error.to_string()),
            Ok(text) if source.is_markdown => {
                markdown::read(source, &name, &text, saved, &mut export);
            }
            Ok(text) => json::read(
                source,
                &name,
                text.trim_start_matches('\u{feff}'),
                &mut export,
            ),
        }
    }
    Ok(export)
}

/// The note of a record, as the end of a relation.
#[derive(Clone, Debug)]
struct RelationTarget {
    path: VaultPath,
    /// Text of a wikilink to it.
    link: String,
    body: u64,
    /// Index in the new notes, if it is new.
    new: Option<usize>,
}

/// A note to write.
#[derive(Debug)]
struct NewImport {
    path: VaultPath,
    record: ImportRecord,
    properties: Map<String, Value>,
    /// Index of its outcome in the report.
    outcome: usize,
}

struct ImportPlan<'v> {
    source: &'static ImportSource,
    view: &'v View<'v>,
    /// Notes by the identifiers of their records, in lower case.
    ends: HashMap<String, RelationTarget>,
    notes: Vec<NewImport>,
    /// Names of the new notes, in lower case.
    stems: HashSet<String>,
    report: ImportReport,
}

impl ImportPlan<'_> {
    fn add_outcome(
        &mut self,
        origin: String,
        state: RecordState,
        path: Option<VaultPath>,
        reason: Option<String>,
    ) {
        self.report.records.push(RecordOutcome {
            origin,
            state,
            path,
            reason,
        });
    }

    /// Decides what happens to a record.
    fn add(
        &mut self,
        session: &Session,
        paths: &mut FreePaths,
        options: ImportOptions<'_>,
        mut record: ImportRecord,
    ) -> Result<()> {
        let origin = record.origin.clone();
        self.report.vectors += usize::from(record.had_vector);
        if record.id.is_empty() {
            // Without an identifier the text is the identity.
            record.id = format!("{:032x}", xxh3_128(record.body.as_bytes()));
        }
        if record.body.trim().is_empty() && !self.source.is_markdown {
            let title = record.title.iter().map(|title| format!("{title}\n"));
            record.body = title.collect();
        }
        let refusal = if record.body.trim().is_empty() {
            Some("no text".to_owned())
        } else if self.ends.contains_key(&record.id.to_lowercase()) {
            Some(format!("a second record with the id `{}`", record.id))
        } else {
            let others = json!([record.properties, record.rest]).to_string();
            let texts = [record.body.as_str(), &others].into_iter();
            let found = texts.flat_map(secrets::find).next();
            let secret = found.filter(|_| !options.allow_secrets);
            secret.map(|secret| format!("contains a secret ({})", secret.form))
        };
        if refusal.is_some() {
            self.add_outcome(origin, RecordState::Skipped, None, refusal);
            return Ok(());
        }
        let id = note_id(self.source, &record.id);
        let known = self.view.namesakes(&id)?.into_iter().next();
        let state = if known.is_some() {
            RecordState::Known
        } else {
            RecordState::Same
        };
        let existing = match known {
            Some(entry) => Some(entry),
            None => with_text(self.view, &record.body)?.into_iter().next(),
        };
        if let Some(entry) = existing {
            let target = RelationTarget {
                link: self.view.wikilink_target(&entry)?,
                body: entry.row.body,
                path: entry.path.clone(),
                new: None,
            };
            self.add_end(&record, target);
            self.add_outcome(origin, state, Some(entry.path), None);
            return Ok(());
        }
        let into = options.into;
        let title = record
            .title
            .clone()
            .unwrap_or_else(|| title_of(&record.body));
        let path = match kept_path(&record, into).filter(|path| paths.take(session, path)) {
            Some(path) => path,
            None => paths.reserve(session, self.view, into, &title)?,
        };
        let stem = path.stem();
        let is_unique =
            self.view.namesakes(stem)?.is_empty() && self.stems.insert(stem.to_lowercase());
        let link = if is_unique {
            stem
        } else {
            path.without_ending()
        };
        let target = RelationTarget {
            link: link.to_owned(),
            body: hash::normal_hash(&record.body),
            path: path.clone(),
            new: Some(self.notes.len()),
        };
        self.add_end(&record, target);
        let mut properties = std::mem::take(&mut record.properties);
        properties.insert("id".to_owned(), id.into());
        properties.insert("title".to_owned(), title.into());
        let outcome = self.report.records.len();
        self.add_outcome(origin, RecordState::New, Some(path.clone()), None);
        self.notes.push(NewImport {
            path,
            record,
            properties,
            outcome,
        });
        Ok(())
    }

    fn add_end(&mut self, record: &ImportRecord, target: RelationTarget) {
        for id in &record.other_ids {
            let end = self.ends.entry(id.to_lowercase());
            end.or_insert_with(|| target.clone());
        }
        self.ends.insert(record.id.to_lowercase(), target);
    }

    /// Adds relations to the new notes and returns their origins; what cannot be stated stays in
    /// `imported`.
    fn relate(&mut self, edges: &[ImportEdge], at: Timestamp) -> Vec<RelationOrigin> {
        let replaced = self.notes.iter().filter_map(|note| {
            let newer = note.record.replaced_by.clone()?;
            Some(ImportEdge {
                from: newer.clone(),
                to: note.record.id.clone(),
                label: Relation::EvolvedFrom.name().to_owned(),
                raw: json!({ "replaced_by": newer }),
                ..ImportEdge::default()
            })
        });
        let replaced: Vec<ImportEdge> = replaced.collect();
        let mut origins = Vec::new();
        for edge in edges.iter().chain(&replaced) {
            let origin = self.state(edge, at);
            if origin.is_none() {
                // Without its successor a deleted memory is forgotten.
                let mut notes = self.notes.iter_mut();
                let old = notes.find(|note| note.record.replaced_by.as_ref() == Some(&edge.from));
                if let Some(old) = old.filter(|_| edge.label == Relation::EvolvedFrom.name()) {
                    old.record.replaced_by = None;
                }
            }
            let is_whole = origin.as_ref().is_some_and(|(_, is_whole)| *is_whole);
            self.report.relations += usize::from(origin.is_some());
            origins.extend(origin.and_then(|(origin, _)| origin));
            let is_bare = edge.raw.as_object().is_none_or(Map::is_empty);
            if is_whole || is_bare {
                continue;
            }
            let ends = [&edge.from, &edge.to].map(|id| self.ends.get(&id.to_lowercase()));
            if ends.iter().all(Option::is_none) {
                let relation = format!("{} {} {}", edge.from, edge.label, edge.to);
                let reason = Some("a relation between unknown records".to_owned());
                self.add_outcome(relation, RecordState::Skipped, None, reason);
            } else if let Some(at) = ends.into_iter().flatten().find_map(|end| end.new) {
                let rest = &mut self.notes[at].record.rest;
                let kept = rest.entry("relations").or_insert_with(|| json!([]));
                if let Value::Array(kept) = kept {
                    kept.push(edge.raw.clone());
                }
            }
        }
        origins
    }

    /// States a relation in its new note; returns its origin, and whether nothing of it is lost.
    fn state(
        &mut self,
        edge: &ImportEdge,
        at: Timestamp,
    ) -> Option<(Option<RelationOrigin>, bool)> {
        let known = relation_of(&edge.label);
        let is_swapped = known.is_some_and(|(_, is_swapped)| is_swapped);
        let (from, to) = if is_swapped {
            (&edge.to, &edge.from)
        } else {
            (&edge.from, &edge.to)
        };
        let from = self.ends.get(&from.to_lowercase())?.clone();
        let to = self.ends.get(&to.to_lowercase())?.clone();
        let note = &mut self.notes[from.new?];
        if from.path == to.path || !is_wikilink_target(&to.link) {
            return None;
        }
        let key = match known {
            Some((relation, _)) => relation.name().to_owned(),
            None => property_name(&edge.label),
        };
        let is_own = known.is_none()
            && (Field::named(&key).is_some()
                || ["", "id", "mem", "aliases", "imported"].contains(&&*key)
                || note
                    .properties
                    .get(&key)
                    .is_some_and(|value| !value.is_array()));
        if is_own {
            return None;
        }
        let links = note.properties.entry(key).or_insert_with(|| json!([]));
        let link = Value::from(format!("[[{}]]", to.link));
        if let Value::Array(links) = links
            && !links.contains(&link)
        {
            links.push(link);
        }
        let weight = edge.weight.filter(|weight| (0.0..=1.0).contains(weight));
        let origin = known.map(|(relation, _)| RelationOrigin {
            from: from.path.to_string(),
            relation,
            to: to.path.to_string(),
            weight: weight.map_or_else(|| relation.weight(), |weight| weight as f32),
            reason: edge
                .reason
                .clone()
                .unwrap_or_else(|| format!("imported from {}", self.source.name)),
            by: "import".to_owned(),
            at,
            run: String::new(),
            bodies: [from.body, to.body].map(TextHash),
        });
        let is_weighed = edge.weight == weight && (origin.is_some() || weight.is_none());
        let is_whole = is_weighed
            && !edge.has_more
            && (origin.is_some()
                || edge.reason.is_none() && property_name(&edge.label) == edge.label);
        Some((origin, is_whole))
    }
}

/// Writes the notes, then the records about them.
fn write(
    session: &Session,
    cache: Cache,
    source: &ImportSource,
    notes: &[NewImport],
    mut origins: Vec<RelationOrigin>,
    report: &mut ImportReport,
) -> Result<()> {
    let groups = notes
        .iter()
        .map(|new| batch::creation(new.path.clone(), text(source, new)));
    let written = batch::write(session, cache, "import", groups.collect())?;
    let mut adoptions = Vec::new();
    for (new, outcome) in notes.iter().zip(&written.outcomes) {
        if let Outcome::Dropped { reason, .. } = outcome {
            let outcome = &mut report.records[new.outcome];
            outcome.state = RecordState::Skipped;
            outcome.reason = Some(reason.to_string());
        } else {
            adoptions.push(Adoption {
                note: new.path.to_string(),
                at: session.env.now.timestamp().as_second(),
            });
        }
    }
    let run = written.run.as_ref().map_or("", RunId::as_str);
    for origin in &mut origins {
        run.clone_into(&mut origin.run);
    }
    record_origins(session, &origins);
    let adopted = session.write_journal(|folder| journal::append(folder, &adoptions));
    if let Err(error) = adopted {
        let why = error.message();
        session.env.output.warn(&format!(
            "cannot record when the notes were imported: {why}"
        ));
    }
    report.run = written.run;
    Ok(())
}

/// Returns the text of a new note.
fn text(source: &ImportSource, new: &NewImport) -> String {
    let record = &new.record;
    let mut given = new.properties.clone();
    if record.is_deleted && record.replaced_by.is_none() {
        given.insert("tier".to_owned(), Tier::Forgotten.name().into());
    }
    let importance = given.get("importance").and_then(Value::as_f64);
    let mut properties: Vec<(String, Value)> = Vec::new();
    for key in ORDER.split_whitespace() {
        properties.extend(given.remove(key).map(|value| (key.to_owned(), value)));
    }
    properties.extend(given);
    let mut imported = Map::new();
    imported.insert("from".to_owned(), source.name.into());
    imported.insert("id".to_owned(), record.id.clone().into());
    for (key, value) in &record.rest {
        // The source's own keys `from` and `id` must not hide these.
        let key = if imported.contains_key(key) {
            format!("{key}_")
        } else {
            key.clone()
        };
        imported.insert(key, value.clone());
    }
    properties.push(("imported".to_owned(), imported.into()));
    let (key, mut mem) = seal::placeholder_property(source.name);
    if let Value::Object(mem) = &mut mem {
        mem.extend(snapshot::write(&record.usage, importance.unwrap_or(0.5)));
    }
    properties.push((key, mem));
    seal::reseal(&new_note(&properties, &record.body))
}

/// Returns the id of the note of a record: the same in every import.
fn note_id(source: &ImportSource, id: &str) -> String {
    Ulid(xxh3_128(format!("{}\0{id}", source.name).as_bytes())).to_string()
}

/// Returns the path of a note that keeps its place below the imported folder.
fn kept_path(record: &ImportRecord, into: Option<&VaultPath>) -> Option<VaultPath> {
    let path = record.path.as_ref()?;
    let folder = into.map_or_else(String::new, |folder| format!("{folder}/"));
    VaultPath::new(&format!("{folder}{path}")).ok()
}
