//! Notes related to a new note, by vectors and tags.
//!
//! Computed before the note is written, so that it can include the links; nothing else is changed.
//! Without an
//! in-process model or vectors the result is empty and costs nothing.

use super::options::{LinkNew, RememberOptions};
use crate::cache::vectors::hnsw::graph::HnswGraph;
use crate::cache::{Result, Slot, Vectors, embedding};
use crate::jobs::link;
use crate::note::{Note, folded, text_of};
use crate::recall::related::{Neighbour, neighbours, neighbours_of_vector};
use crate::run::prelude::*;
use crate::view::is_wikilink_target;

/// Maximum number of reported notes.
const MAX_NOTES: usize = 5;

/// Number of candidates; copies may precede the relevant ones.
const MAX_CANDIDATES: usize = 4 * MAX_NOTES;

/// A note related to the new one.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NearNote {
    pub path: VaultPath,
    title: String,
    pub cosine: f32,
    /// Tags that both notes have.
    #[serde(skip)]
    tags: Vec<String>,
    /// The cosine minus the penalty for different spaces.
    #[serde(skip)]
    pub weight: f32,
    /// Hash of its body.
    #[serde(skip)]
    pub body: u64,
    /// Target for a wikilink to it.
    #[serde(skip)]
    pub target: String,
}

impl NearNote {
    /// Returns why it is related, on one line.
    pub fn reason(&self) -> String {
        let mut reason = format!("cosine {:.2}", self.cosine);
        if !self.tags.is_empty() {
            reason.push_str(", both tagged");
            (self.tags.iter()).for_each(|tag| reason.extend([" #", tag]));
        }
        reason
    }
}

/// Returns the notes related to a new note with `text`, nearest first.
pub fn near_notes(
    session: &Session,
    cache: &Cache,
    view: &View<'_>,
    text: &str,
) -> Result<Vec<NearNote>> {
    if session.settings.of::<RememberOptions>().link == LinkNew::Off {
        return Ok(Vec::new());
    }
    let meta = view.reading().meta()?;
    let embedder = session.embedder_of(&meta);
    let Some(embedder) = embedder.filter(|embedder| embedder.is_local()) else {
        return Ok(Vec::new());
    };
    let model = embedder.model();
    let Some(vectors) = cache.vectors_of(&meta, &model.id)? else {
        return Ok(Vec::new());
    };
    let note = note::read(text, "");
    // An in-process model does not fail.
    let mean = embedding::mean(embedder, text, &note).ok().flatten();
    let Some(mean) = mean.filter(|_| link::is_latin_text(&text[note.body.clone()])) else {
        return Ok(Vec::new());
    };
    let graph = session.graph(cache, &vectors);
    let options: link::LinkOptions = session.settings.of();
    let search = NearbySearch {
        session,
        view,
        vectors: &vectors,
        graph: graph.as_ref(),
        note: &note,
        min_cosine: options.min_cosine(model.thresholds),
        options,
    };
    search.nearby(&mean)
}

/// Inputs of the search for related notes.
struct NearbySearch<'a> {
    session: &'a Session,
    view: &'a View<'a>,
    vectors: &'a Vectors,
    graph: Option<&'a HnswGraph>,
    note: &'a Note,
    options: link::LinkOptions,
    /// Minimum cosine of related notes.
    min_cosine: f32,
}

impl NearbySearch<'_> {
    fn nearby(&self, mean: &[f32]) -> Result<Vec<NearNote>> {
        let mut nearby = Vec::new();
        let Some(model) = self.session.embedder().map(crate::embed::Embedder::model) else {
            return Ok(nearby);
        };
        let (view, vectors, own) = (self.view, self.vectors, (mean, None));
        let found = neighbours_of_vector(
            view,
            vectors,
            self.graph,
            own,
            MAX_CANDIDATES,
            self.min_cosine,
        )?;
        let linked = self.linked()?;
        for Neighbour { entry, cosine } in found {
            let text = self.view.text(&entry).unwrap_or_default();
            let body = note::front_matter::split::split(&text).body;
            if cosine >= model.thresholds.duplicate || !link::is_latin_text(&text[body]) {
                continue;
            }
            let near = self.near_note(&entry, cosine)?;
            if near.weight >= self.min_cosine
                && nearby.len() < MAX_NOTES.min(self.options.per_note)
                && !linked.contains(&entry.slot)
                && is_wikilink_target(&near.target)
                && self.is_mutual(&entry, near.weight)?
            {
                nearby.push(near);
            }
        }
        Ok(nearby)
    }

    fn near_note(&self, entry: &Entry, cosine: f32) -> Result<NearNote> {
        let details = self.view.details(entry.slot)?;
        let own = &self.note.tags;
        let is_shared = |tag: &&String| own.iter().any(|other| folded(other) == folded(tag));
        let tags = details.tags.iter().filter(is_shared).cloned().collect();
        let space = text_of(&details.properties(), "space");
        Ok(NearNote {
            path: entry.path.clone(),
            cosine,
            tags,
            weight: cosine - self.space_penalty(space),
            body: entry.row.body,
            target: self.view.wikilink_target(entry)?,
            title: details.title,
        })
    }

    /// Returns the penalty if the note is in another space than the new one.
    fn space_penalty(&self, space: Option<String>) -> f32 {
        let own = text_of(&self.note.properties, "space");
        let [own, other] = [own, space].map(|space| space.unwrap_or_default().to_lowercase());
        if own == other {
            0.0
        } else {
            self.options.cross_space
        }
    }

    /// Whether the new note would be among the nearest of `entry`, at similarity `weight`.
    fn is_mutual(&self, entry: &Entry, weight: f32) -> Result<bool> {
        let most = self.options.per_note;
        let nearer = neighbours(self.view, self.vectors, self.graph, entry, most, weight)?;
        Ok(nearer.len() < most)
    }

    /// Returns the notes that the new note already links to.
    fn linked(&self) -> Result<Vec<Slot>> {
        // The new note has no path yet; links by name resolve the same from anywhere.
        let from = VaultPath::new("new.md").expect("a plain name is a path");
        let mut linked = Vec::new();
        for link in &self.note.links {
            let markdown = crate::view::remap::is_markdown(link);
            let target = self.view.resolve(&from, &link.target, markdown)?;
            linked.extend(target.map(|target| target.slot));
        }
        Ok(linked)
    }
}
