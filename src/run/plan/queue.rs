//! Open findings and the notes each job has seen: one file per job, in the cache.
//!
//! A job begins only at notes that changed since it last looked: whose path or [authored] hash is new. What
//! it found before still holds as long as its notes are as they were. Nothing here is knowledge: without
//! the file a job looks at all notes and finds the same again, and what was answered is in the journal.
//!
//! Writing down what was found needs no word of what was done with it: a merge takes notes away, a
//! relation is seen in the note that states it, a "no" is an answer. Either way it is no longer open
//! at the next look.
//!
//! As long as the catalog is the one that the last look saw, no note is looked at.
//!
//! A job that goes by the age of notes, or by all of them at once, begins at all of them, always.
//!
//! [authored]: crate::cache::row::Row::authored

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::cache::Result;
use crate::cache::row::{Rows, Slot};
use crate::finding::question::Answers;
use crate::jobs::find::{Findings, Seeds};
use crate::jobs::job::Configured;
use crate::run::prelude::*;

/// The format of the file; of another one nothing is known.
const FORMAT: u32 = 7;

/// From one note in so many on, and from [`FEW`] on, looking at all is no more work than looking at
/// those.
const MANY: usize = 8;
const FEW: usize = 100;

/// Where to look.
#[derive(Clone, Debug)]
pub enum Scope {
    /// At what changed since the last time, and at what that one did not arrive at; what was found before still
    /// counts.
    Changed,
    /// The same, but what the last run did not arrive at waits for the next run of the job: who only wants to know
    /// what is open does not do its work.
    New,
    /// At all notes.
    All,
    /// At pairs of which one is here, for this once.
    Among(HashSet<Slot>),
}

/// What a job found and which notes it saw.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Stored {
    format: u32,
    /// What it went by: settings, model, forgotten answers. By others it would have found other things.
    basis: u64,
    /// Which state of the catalog it saw, if it was all of it but for what is left.
    catalog: Option<u64>,
    /// Hashes of path and authored hash of the notes that it saw, ascending.
    seen: Vec<u64>,
    /// Hashes of path and content of the same notes, ascending.
    exactly: Vec<u64>,
    /// The same hashes as in `seen` of the notes at which it has not arrived yet, ascending: it goes on there.
    left: Vec<u64>,
    found: Vec<Finding>,
    /// What was found and answered no: it is looked for again if that answer is lost.
    refused: Vec<Finding>,
}

impl Stored {
    /// Reads what is known; nothing if there is no file, or none that can be used.
    fn load(file: &Path, basis: u64) -> Self {
        let bytes = fs::read(file).unwrap_or_default();
        let known: Option<Self> = postcard::from_bytes(&bytes).ok();
        let known = known.filter(|known| known.format == FORMAT && known.basis == basis);
        known.unwrap_or_default()
    }

    /// Returns what was found and is answered no, each once.
    fn refused(&self, answers: &Answers) -> Vec<&Finding> {
        let mut keys = HashSet::new();
        let known = self.refused.iter().chain(&self.found);
        let refused = known.filter(|finding| finding.answer(answers) == Some(Answer::No));
        refused.filter(|finding| keys.insert(finding.key)).collect()
    }

    /// Keeps it, whole or not at all.
    fn save(&self, file: &Path) -> io::Result<()> {
        let bytes = postcard::to_stdvec(self).map_err(io::Error::other)?;
        own::write_atomically(file, &bytes)
    }
}

/// Looks for what `job` would do: everything that is open, as far as `scope` goes.
///
/// `folder` is that of the cache; if nothing can be written there, the next look begins where this one
/// did. Without `save` the look leaves no trace.
pub fn look(
    view: &View<'_>,
    job: &Configured,
    answers: &Answers,
    scope: &Scope,
    folder: &Path,
    save: bool,
) -> Result<Findings> {
    if let Scope::Among(slots) = scope {
        return job.find.find(view, answers, &Seeds::Of(slots.clone()));
    }
    if job.find.looks_anew() {
        return job.find.find(view, answers, &Seeds::All);
    }
    let file = folder.join("found").join(job.job.name);
    let basis = job.basis(view, answers);
    let known = match scope {
        Scope::Changed | Scope::New => Stored::load(&file, basis),
        Scope::All | Scope::Among(_) => Stored::default(),
    };
    if holds(view, job, answers, scope, &known)? {
        return Ok(Findings {
            found: known.found,
            ..Findings::default()
        });
    }
    let entries = view.entries()?;
    let is_new = |entry: &Entry| known.seen.binary_search(&authored(entry)).is_err();
    let waits = |entry: &Entry| {
        matches!(scope, Scope::New) && known.left.binary_search(&authored(entry)).is_ok()
    };
    let new = entries
        .iter()
        .filter(|entry| is_new(entry) && !waits(entry));
    let mut seeds: HashSet<Slot> = new.map(|entry| entry.slot).collect();
    // What mem stated and a person took out, maybe without knowing, is looked at again.
    for entry in &entries {
        if !is_new(entry)
            && known.exactly.binary_search(&content(entry)).is_err()
            && has_lost_relation(view, entry)?
        {
            seeds.insert(entry.slot);
        }
    }
    seeds.extend(job.find.stale(view)?);
    let mut still = Vec::new();
    let refused = known.refused(answers);
    for finding in &known.refused {
        if finding.answer(answers) != Some(Answer::No) {
            seeds.extend(notes_of(finding, &entries).iter().map(|note| note.slot));
        }
    }
    for finding in &known.found {
        let notes = notes_of(finding, &entries);
        let is_as_it_was = |note: &&Entry| known.exactly.binary_search(&content(note)).is_ok();
        let is_there = notes.len() == finding.notes.len();
        if is_there && !notes.iter().all(is_as_it_was) && view.are_done(&finding.acts)? {
            continue;
        }
        let holds = is_there
            && !notes.iter().any(|note| is_new(note) && !waits(note))
            && finding.answer(answers) != Some(Answer::No)
            && !job.find.is_outdated(view, finding)?;
        if holds {
            still.push(finding);
        } else {
            // It may have kept these notes from being found beside others.
            seeds.extend(notes.iter().map(|note| note.slot));
        }
    }
    let mut findings = if seeds.is_empty() {
        Findings::default()
    } else if known.left.is_empty()
        && seeds.len() >= FEW.min(entries.len())
        && seeds.len() * MANY >= entries.len()
    {
        job.find.find(view, answers, &Seeds::All)?
    } else {
        job.find.find(view, answers, &Seeds::Of(seeds))?
    };
    let found: HashSet<_> = findings.found.iter().map(|finding| finding.key).collect();
    let still = still.into_iter().filter(|old| !found.contains(&old.key));
    findings.found.extend(still.cloned());
    if save {
        // A note without vectors was not seen by what vectors would show of it.
        let awaits_vectors = view.near().is_some();
        let is_left = |entry: &&Entry| findings.left.contains(&entry.slot) || waits(entry);
        let was_seen = |entry: &&Entry| {
            let has_all = !awaits_vectors || entry.row.rows != Rows::PENDING;
            has_all && !is_left(entry)
        };
        let is_all = entries
            .iter()
            .all(|entry| was_seen(&entry) || is_left(&entry));
        let now = Stored {
            format: FORMAT,
            basis,
            catalog: catalog(view)?.filter(|_| is_all),
            seen: sorted(entries.iter().filter(was_seen).map(authored)),
            exactly: sorted(entries.iter().map(content)),
            left: sorted(entries.iter().filter(is_left).map(authored)),
            found: findings.found.clone(),
            refused: refused.into_iter().cloned().collect(),
        };
        if now != known {
            // What cannot be kept is found again.
            let _ = now.save(&file);
        }
    }
    Ok(findings)
}

/// Returns how many notes `job` has not seen as they are, beside those that its next run goes on at.
pub fn unseen(
    view: &View<'_>,
    job: &Configured,
    answers: &Answers,
    folder: &Path,
) -> Result<usize> {
    if job.find.looks_anew() {
        return Ok(0);
    }
    let known = Stored::load(
        &folder.join("found").join(job.job.name),
        job.basis(view, answers),
    );
    if known.catalog.is_some() && known.catalog == catalog(view)? {
        return Ok(0);
    }
    let entries = view.entries()?;
    let is_new = |entry: &&Entry| {
        let hash = authored(entry);
        known.seen.binary_search(&hash).is_err() && known.left.binary_search(&hash).is_err()
    };
    Ok(entries.iter().filter(is_new).count())
}

/// Returns what is the same as long as the notes are: a hash of all that is known of the vault as a whole.
fn catalog(view: &View<'_>) -> Result<Option<u64>> {
    let meta = postcard::to_stdvec(&view.reading().meta()?);
    Ok(meta
        .ok()
        .map(|meta| xxh3_64_with_seed(&meta, FORMAT.into())))
}

/// Returns true if the notes are the same, what was found among them still counts, and there is nothing to
/// look at again.
fn holds(
    view: &View<'_>,
    job: &Configured,
    answers: &Answers,
    scope: &Scope,
    known: &Stored,
) -> Result<bool> {
    let is_refused = |finding: &Finding| finding.answer(answers) == Some(Answer::No);
    let is_through = known.left.is_empty() || matches!(scope, Scope::New);
    if !is_through
        || known.catalog.is_none()
        || known.catalog != catalog(view)?
        || known.found.iter().any(is_refused)
        || !known.refused.iter().all(is_refused)
        || !job.find.stale(view)?.is_empty()
    {
        return Ok(false);
    }
    for finding in &known.found {
        if job.find.is_outdated(view, finding)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns true if a relation that mem stated in the note does not stand there any more.
fn has_lost_relation(view: &View<'_>, entry: &Entry) -> Result<bool> {
    let mut links = None;
    for origin in view.provenance()?.stated_by(&entry.path) {
        let links = match &mut links {
            Some(links) => links,
            None => links.insert(view.details(entry.slot)?.links),
        };
        let mut stands = false;
        for link in links
            .iter()
            .filter(|link| link.property.as_deref() == Some(origin.relation.name()))
        {
            let target = view.resolve(&entry.path, &link.target, link.markdown)?;
            stands |= target.is_some_and(|target| target.path.as_str() == origin.to);
        }
        if !stands {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the notes of `finding` that are there, of all, which are in the order of paths.
fn notes_of<'e>(finding: &Finding, entries: &'e [Entry]) -> Vec<&'e Entry> {
    let at = |path| entries.binary_search_by(|entry| entry.path.cmp(path));
    let found = finding.notes.iter().filter_map(|path| at(path).ok());
    found.map(|at| &entries[at]).collect()
}

fn authored(entry: &Entry) -> u64 {
    xxh3_64_with_seed(entry.path.as_str().as_bytes(), entry.row.authored)
}

fn content(entry: &Entry) -> u64 {
    let content = entry.row.content.0;
    xxh3_64_with_seed(
        entry.path.as_str().as_bytes(),
        content as u64 ^ (content >> 64) as u64,
    )
}

fn sorted(hashes: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut hashes: Vec<u64> = hashes.collect();
    hashes.sort_unstable();
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::conflicts;
    use crate::view::tests::Scene;

    #[test]
    fn what_is_too_much_for_one_run_is_done_in_several() {
        let note = |number: usize| {
            let name: String = [number / 30, number / 3 % 10]
                .into_iter()
                .filter_map(|digit| "bcdfghjklm".chars().nth(digit))
                .collect();
            let text = format!("The port of service qu{name} is {number}.\n");
            (format!("{number:03}.md"), text)
        };
        let scene = Scene::new((0..240).map(note));
        let folder = tempfile::tempdir().unwrap();
        let view = scene.view(true);
        let options = conflicts::Options {
            cap: 200,
            near: 5,
            ..conflicts::Options::default()
        };
        let run = |options: &conflicts::Options| {
            let job = Configured {
                job: &conflicts::JOB,
                find: Box::new(options.clone()),
            };
            let answers = Answers::default();
            let folder = folder.path();
            look(&view, &job, &answers, &Scope::Changed, folder, true).unwrap()
        };
        let mut left = vec![240];
        while left.last() != Some(&0) && left.len() < 50 {
            left.push(run(&options).left.len());
        }
        assert!(
            left.len() > 3 && left.is_sorted_by(|a, b| a > b),
            "{left:?}"
        );
        // Who only asks what is open leaves the rest to the job.
        let other = tempfile::tempdir().unwrap();
        let asked = |options: &conflicts::Options, scope: &Scope| {
            let job = Configured {
                job: &conflicts::JOB,
                find: Box::new(options.clone()),
            };
            let folder = other.path();
            let found = look(&view, &job, &Answers::default(), scope, folder, true).unwrap();
            let unseen = unseen(&view, &job, &Answers::default(), folder).unwrap();
            (found.found.len(), found.compared, unseen)
        };
        let (first, ..) = asked(&options, &Scope::Changed);
        assert_eq!(asked(&options, &Scope::New), (first, 0, 0));
        assert!(asked(&options, &Scope::Changed).0 > first);
        // All that one run without a cap finds.
        let mut found: Vec<_> = run(&options).found.iter().map(|found| found.key).collect();
        let all = conflicts::Options {
            cap: usize::MAX,
            ..options.clone()
        };
        let mut expected: Vec<_> = run(&all).found.iter().map(|found| found.key).collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert!(expected.len() >= 160, "{}", expected.len());
        assert_eq!(found, expected);
        assert_eq!(run(&all).compared, 0);
    }
}
