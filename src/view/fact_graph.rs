//! A graph of the facts that notes state about notes and other things.
//!
//! Facts are parsed on demand. The graph around a thing reads only the notes that name it or link
//! to it, found by the text index and the catalog. Results are therefore current and nothing is
//! stored.

use crate::cache::text::schema::Column;
use crate::note::facts::{self, Fact, FactSource, FactTerm, JudgedFact};
use crate::note::names::name_forms::NameForms;
use crate::note::{self};
use crate::view::prelude::*;

/// Number of notes read per batch; the maximum per graph is [`MAX_NOTES_READ`].
const NOTES_PER_BATCH: usize = 128;
const MAX_NOTES_READ: usize = 2000;

/// A subject or object of facts.
#[derive(Clone, Debug)]
pub struct FactEntity {
    /// Title of the note, or the first name used.
    pub name: String,
    pub note: Option<Entry>,
    /// Number of facts from the start.
    pub distance: usize,
    /// False for a plain value, whose other facts are not followed.
    is_followed: bool,
}

/// A fact between two things, given by their indices.
#[derive(Clone, Debug)]
pub struct StatedFact {
    pub subject: usize,
    pub predicate: String,
    pub object: usize,
    /// The note that states it.
    pub source: Entry,
    pub line: usize,
    pub rule: FactSource,
}

/// Things and the facts between them.
#[derive(Debug, Default)]
pub struct FactGraph {
    /// In traversal order.
    pub things: Vec<FactEntity>,
    pub facts: Vec<StatedFact>,
    /// Whether a limit cut the graph.
    pub is_cut: bool,
}

/// A filter and a limit for facts.
#[derive(Debug)]
pub struct FactFilter {
    /// Predicates to include; empty for all.
    pub predicates: Vec<String>,
    /// Include only facts that these notes state.
    pub among: Option<HashSet<Slot>>,
    pub limit: usize,
}

impl FactFilter {
    fn includes(&self, predicate: &str) -> bool {
        let mut names = self.predicates.iter();
        self.predicates.is_empty()
            || names.any(|name| facts::canonical_predicate(name).0 == predicate)
    }
}

/// Identity of a thing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ThingId {
    Note(Slot),
    Name(String),
}

/// A mention of a thing in a text.
#[derive(Clone, Debug)]
struct Mention {
    id: ThingId,
    /// As spelled in the text.
    name: String,
    is_followed: bool,
}

/// The facts of a note, or why it could not be read.
type ReadNote = Result<Vec<Fact>, Option<String>>;

/// Resolves terms to things; memoises names.
struct Resolver<'a, 'v> {
    view: &'a View<'v>,
    names: HashMap<String, Option<Slot>>,
}

impl Resolver<'_, '_> {
    fn term(&mut self, source: &Entry, term: &FactTerm) -> Result<Mention> {
        let of_note = |slot: Slot, name: &str| Mention {
            id: ThingId::Note(slot),
            name: name.to_owned(),
            is_followed: true,
        };
        let (name, is_followed) = match term {
            FactTerm::Itself => return Ok(of_note(source.slot, "")),
            FactTerm::Link {
                target,
                markdown,
                shown,
            } => match self.view.resolve(&source.path, target, *markdown)? {
                Some(note) => return Ok(of_note(note.slot, shown)),
                None => (shown.clone(), true),
            },
            FactTerm::Number(number) => {
                let stem = source.path.stem();
                let own = NameForms::of(stem);
                let before = own.number().and_then(|own| stem.strip_suffix(own));
                if let Some(before) = before
                    && let Some(slot) = self.slot(&format!("{before}{number}"))?
                {
                    return Ok(of_note(slot, number));
                }
                (number.clone(), false)
            }
            FactTerm::Name(name) => (name.clone(), true),
            FactTerm::Value(value) => (value.clone(), false),
        };
        Ok(match self.slot(&name)? {
            // A number that equals the name of a note remains a value.
            Some(slot) if is_followed || name.contains(char::is_alphabetic) => of_note(slot, &name),
            _ => Mention {
                id: ThingId::Name(folded(&name)),
                name,
                is_followed,
            },
        })
    }

    /// Returns the only note named `name`.
    fn slot(&mut self, name: &str) -> Result<Option<Slot>> {
        let key = folded(name);
        if let Some(known) = self.names.get(&key) {
            return Ok(*known);
        }
        let slot = self.view.thing(name)?.map(|entry| entry.slot);
        self.names.insert(key, slot);
        Ok(slot)
    }
}

impl View<'_> {
    /// Returns the only note with exactly this name, however its words are joined: `EIP 20` finds
    /// `eip-20.md`.
    pub fn thing(&self, name: &str) -> Result<Option<Entry>> {
        let one = |mut found: Vec<Entry>| (found.len() == 1).then(|| found.swap_remove(0));
        if name.trim().is_empty() || name.len() > 200 {
            return Ok(None);
        }
        let exact = self.named_exactly(name)?;
        if !exact.is_empty() {
            return Ok(one(exact));
        }
        let apart = NameForms::of(name).apart();
        if !apart.contains(' ') {
            return Ok(None);
        }
        for joint in ["-", " ", "_", ""] {
            let form = apart.replace(' ', joint);
            if let Some(entry) = one(self.namesakes(&form)?) {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    /// Returns the facts in `entries`, in the order of notes and text, and messages about
    /// unreadable notes.
    pub fn facts_of(
        &self,
        entries: &[Entry],
        filter: &FactFilter,
    ) -> Result<(FactGraph, Vec<String>)> {
        let mut graph = GraphBuilder::of(self, filter);
        let mut skipped = Vec::new();
        for chunk in entries.chunks(NOTES_PER_BATCH) {
            for (entry, read) in chunk.iter().zip(self.read_facts(chunk)?) {
                match read {
                    Ok(facts) => {
                        for fact in facts {
                            graph.add_fact(entry, &fact, 0, None)?;
                        }
                    }
                    Err(why) => skipped.extend(why),
                }
            }
            if graph.graph.is_cut {
                break;
            }
        }
        Ok((graph.graph, skipped))
    }

    /// Returns the facts at most `hops` away from `middle`, a note or a name, in either direction.
    pub fn facts_around(
        &self,
        middle: &Result<Entry, String>,
        hops: usize,
        filter: &FactFilter,
    ) -> Result<FactGraph> {
        let mut graph = GraphBuilder::of(self, filter);
        let named = match middle {
            Ok(note) => Mention {
                id: ThingId::Note(note.slot),
                name: String::new(),
                is_followed: true,
            },
            Err(name) => Mention {
                id: ThingId::Name(folded(name)),
                name: name.clone(),
                is_followed: true,
            },
        };
        graph.index_of(&named, 0)?;
        let mut known: HashMap<Slot, Vec<Fact>> = HashMap::new();
        let mut at = 0;
        while at < graph.graph.things.len() && !graph.graph.is_cut {
            let thing = graph.graph.things[at].clone();
            if thing.distance < hops && (thing.is_followed || at == 0) {
                let id = graph.ids[at].clone();
                for chunk in self.notes_about(&thing, filter)?.chunks(NOTES_PER_BATCH) {
                    let mut new = chunk.to_vec();
                    new.retain(|entry| !known.contains_key(&entry.slot));
                    if known.len() + new.len() > MAX_NOTES_READ {
                        graph.graph.is_cut = true;
                        break;
                    }
                    for (entry, read) in new.iter().zip(self.read_facts(&new)?) {
                        known.insert(entry.slot, read.unwrap_or_default());
                    }
                    for entry in chunk {
                        for fact in &known[&entry.slot] {
                            graph.add_fact(entry, fact, thing.distance + 1, Some(&id))?;
                        }
                    }
                }
            }
            at += 1;
        }
        Ok(graph.graph)
    }

    /// Returns the facts of each note, or why it could not be read.
    fn read_facts(&self, entries: &[Entry]) -> Result<Vec<ReadNote>> {
        let mut judged: HashMap<Slot, Vec<&JudgedFact>> = HashMap::new();
        let known = self.known_facts()?;
        for entry in entries.iter().filter(|_| !known.is_empty()) {
            let read = known.of(self.content_key(entry)?).iter();
            judged.insert(entry.slot, read.flat_map(|read| &read.facts).collect());
        }
        let read = self.each_text(entries, |entry, text| {
            let stem = entry.path.stem();
            let note = note::read(text, stem);
            let mut facts = facts::extract(text, &note, stem);
            for judged in judged.get(&entry.slot).into_iter().flatten() {
                let new = judged.fact(text, &note, stem).ok();
                facts.extend(new.filter(|new| !facts.iter().any(|fact| fact.is_same_fact(new))));
            }
            facts
        });
        let each = read
            .into_iter()
            .map(|read| read.map_err(|error| error.skipped()));
        Ok(each.collect())
    }

    /// Returns the notes that may state facts about `thing`: its own note first, then by path those
    /// that link to it or name it.
    fn notes_about(&self, thing: &FactEntity, filter: &FactFilter) -> Result<Vec<Entry>> {
        let mut names = vec![thing.name.clone()];
        let mut slots = Vec::new();
        if let Some(note) = &thing.note {
            let details = self.details(note.slot)?;
            let stem = note.path.stem();
            names.push(stem.to_owned());
            names.extend(details.aliases);
            slots.push(note.slot);
            slots.extend(self.reading().find(IndexKey::link(stem))?);
            if let Some(number) = NameForms::of(stem).number() {
                slots.extend(self.with_phrase_in(number, Some(Column::Properties))?);
            }
        }
        for name in &names {
            slots.extend(self.with_phrase_in(name, None)?);
        }
        if let Some(among) = &filter.among {
            slots.retain(|slot| among.contains(slot));
        }
        let mut entries = self.sorted(slots)?;
        entries.retain(|entry| !entry.row.flags.has(Flags::UNREADABLE));
        let own = thing.note.as_ref().map(|note| note.slot);
        entries.sort_by_key(|entry| Some(entry.slot) != own);
        Ok(entries)
    }
}

/// A graph under construction.
struct GraphBuilder<'a, 'v> {
    resolver: Resolver<'a, 'v>,
    filter: &'a FactFilter,
    graph: FactGraph,
    ids: Vec<ThingId>,
    indices: HashMap<ThingId, usize>,
    seen: HashSet<(usize, String, usize, Slot)>,
}

impl<'a, 'v> GraphBuilder<'a, 'v> {
    fn of(view: &'a View<'v>, filter: &'a FactFilter) -> Self {
        Self {
            resolver: Resolver {
                view,
                names: HashMap::new(),
            },
            filter,
            graph: FactGraph::default(),
            ids: Vec::new(),
            indices: HashMap::new(),
            seen: HashSet::new(),
        }
    }

    /// Adds a fact; if `middle` is given, only a fact about it.
    fn add_fact(
        &mut self,
        source: &Entry,
        fact: &Fact,
        distance: usize,
        middle: Option<&ThingId>,
    ) -> Result<()> {
        if !self.filter.includes(&fact.predicate) {
            return Ok(());
        }
        let subject = self.resolver.term(source, &fact.subject)?;
        let object = self.resolver.term(source, &fact.object)?;
        let is_about = middle.is_none_or(|id| subject.id == *id || object.id == *id);
        // The heading of a list of links states relations between notes only.
        let ends = [&subject.id, &object.id];
        let is_heading_of_others = fact.rule == FactSource::Heading
            && !ends.iter().all(|id| matches!(id, ThingId::Note(_)));
        if !is_about || subject.id == object.id || is_heading_of_others {
            return Ok(());
        }
        if self.graph.facts.len() == self.filter.limit {
            let index = |named: &Mention| self.indices.get(&named.id).copied();
            let indices = index(&subject).zip(index(&object));
            let is_known = indices.is_some_and(|(subject, object)| {
                let key = (subject, fact.predicate.clone(), object, source.slot);
                self.seen.contains(&key)
            });
            self.graph.is_cut |= !is_known;
            return Ok(());
        }
        let subject = self.index_of(&subject, distance)?;
        let object = self.index_of(&object, distance)?;
        let key = (subject, fact.predicate.clone(), object, source.slot);
        if self.seen.insert(key) {
            self.graph.facts.push(StatedFact {
                subject,
                predicate: fact.predicate.clone(),
                object,
                source: source.clone(),
                line: fact.line,
                rule: fact.rule,
            });
        }
        Ok(())
    }

    fn index_of(&mut self, named: &Mention, distance: usize) -> Result<usize> {
        if let Some(index) = self.indices.get(&named.id) {
            let thing = &mut self.graph.things[*index];
            thing.is_followed |= named.is_followed;
            // The start takes its name from the first mention in a note.
            if *index == 0 && thing.note.is_none() && self.graph.facts.is_empty() {
                thing.name.clone_from(&named.name);
            }
            return Ok(*index);
        }
        let view = self.resolver.view;
        let (name, note) = match &named.id {
            ThingId::Note(slot) => (view.details(*slot)?.title, view.entry(*slot)?),
            ThingId::Name(_) => (named.name.clone(), None),
        };
        self.graph.things.push(FactEntity {
            name,
            note,
            distance,
            is_followed: named.is_followed,
        });
        self.ids.push(named.id.clone());
        self.indices.insert(named.id.clone(), self.ids.len() - 1);
        Ok(self.ids.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::tests::IndexedVault;

    fn scene() -> IndexedVault {
        IndexedVault::new([
            (
                "eip-20.md",
                "---\ntitle: Token Standard\nstatus: Final\n---\nA token.",
            ),
            (
                "eip-21.md",
                "---\nstatus: Final\nrequires: 20\n---\nSuperseded by EIP 22.",
            ),
            ("eip-22.md", "---\nauthor: Ann Lee, Bo Ray\n---\nx"),
            (
                "Ann Lee.md",
                "---\naliases: [annie]\n---\nAnn Lee lives in Bern.",
            ),
            ("log.md", "Annie founded Acme. Cy Young works at Acme."),
        ])
    }

    fn around(scene: &IndexedVault, name: &str, hops: usize, limit: usize) -> (Vec<String>, bool) {
        let view = scene.view(false);
        let filter = FactFilter {
            predicates: Vec::new(),
            among: None,
            limit,
        };
        let middle = view.thing(name).unwrap().ok_or(name.to_owned());
        let graph = view.facts_around(&middle, hops, &filter).unwrap();
        let said = graph.facts.iter().map(|fact| {
            let [subject, object] =
                [fact.subject, fact.object].map(|index| graph.things[index].name.as_str());
            format!(
                "{subject} {} {object} ({})",
                fact.predicate, fact.source.path
            )
        });
        (said.collect(), graph.is_cut)
    }

    #[test]
    fn names_of_a_thing_are_unified() {
        let scene = scene();
        let (facts, is_cut) = around(&scene, "annie", 1, 200);
        assert_eq!(
            facts,
            [
                "Ann Lee lives in Bern (Ann Lee.md)",
                "eip-22 author Ann Lee (eip-22.md)",
                "Ann Lee founded Acme (log.md)",
            ]
        );
        assert!(!is_cut);
        let (facts, _) = around(&scene, "EIP 20", 2, 200);
        assert_eq!(
            facts,
            [
                "Token Standard status Final (eip-20.md)",
                "eip-21 requires Token Standard (eip-21.md)",
                "eip-21 status Final (eip-21.md)",
                "eip-22 supersedes eip-21 (eip-21.md)",
            ]
        );
    }

    #[test]
    fn heading_relations_join_only_notes() {
        let text = "# Tea\n\n## Related teas\n\n- [[eip-20]]\n- [[Unwritten]]\n";
        let scene = scene().with([("tea.md", text.to_owned())]);
        let (facts, _) = around(&scene, "tea", 1, 200);
        assert_eq!(facts, ["Tea related teas Token Standard (tea.md)"]);
    }

    #[test]
    fn hops_follow_names_but_not_values() {
        let scene = scene();
        for (name, hops, limit, expected, cut) in [
            ("Acme", 1, 200, 2, false),
            ("Acme", 2, 200, 4, false),
            ("ACME", 5, 200, 9, false),
            ("Acme", 5, 3, 3, true),
            ("Acme", 5, 9, 9, false),
            // A value at the start is followed.
            ("final", 1, 200, 2, false),
            ("Unknown Person", 5, 200, 0, false),
        ] {
            let (facts, is_cut) = around(&scene, name, hops, limit);
            assert_eq!(
                (facts.len(), is_cut),
                (expected, cut),
                "{name} {hops}: {facts:#?}"
            );
        }
    }
}
