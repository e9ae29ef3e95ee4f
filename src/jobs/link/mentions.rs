//! Unlinked mentions: texts that name another note without a link to it.
//!
//! All texts are searched for all names of the [`Lexicon`] at once. [`LinkFeatures`] estimates the probability that
//! the author would link a name at its position, mainly from how often the author did so elsewhere. Unlikely
//! mentions are dropped. A name that no link uses is dropped if it is as frequent as a common word, or if the
//! same word often has another spelling. Only the first position in a text is proposed, and only as a question,
//! because a word that equals a name does not always refer to the note.
//!
//! In an incremental run the texts of the seeds are searched for all names. The text index finds the other texts
//! that contain the names of the seeds.

use std::collections::hash_map;

use crate::jobs::pool::Pool;
use crate::jobs::prelude::*;
use crate::note::words::hash;
use crate::note::{RunningText, title_of};
use crate::view::anchors::Anchors;
use crate::view::lexicon::{Lexicon, LexiconEntry, NamedNote, is_common_word};
use crate::view::link_probability::{LinkFeatures, MentionContext};
use crate::view::{NoteSimilarity, is_wikilink_target};

/// Number of notes read to find the usual spelling of a word in an incremental run.
const MAX_SAMPLED_NOTES: usize = 40;

/// Minimum probability of a mention.
const MIN_PROBABILITY: f64 = 0.5;

/// Maximum number of notes that are read to count those with a name that is a link text.
const MAX_COUNTED_NOTES: usize = 400;

/// Maximum number of mentions reported per text, most likely first.
const MAX_MENTIONS_PER_TEXT: usize = 50;

/// The most favourable position of a name, for an upper bound without reading the text.
const BEST_POSITION: MentionContext = MentionContext {
    near: 20,
    share: 1.0,
    in_item: false,
    in_quote: false,
    in_lower: false,
    in_bold: false,
};

/// Notes that contain a name, and how many of them contain it in another spelling.
#[derive(Clone, Debug, Default)]
struct NameDistribution {
    /// Positions of the notes, ascending.
    notes_with_name: Vec<usize>,
    other_spellings: usize,
}

impl NameDistribution {
    fn is_common(&self, form: &LexiconEntry, notes: usize) -> bool {
        form.is_untried()
            && is_common_word(
                &form.name,
                self.notes_with_name.len(),
                self.other_spellings,
                notes,
            )
    }
}

/// Returns the forms in a text, and whether each also occurs in another spelling than the note's.
fn forms(lexicon: &Lexicon, text: &str) -> BTreeMap<usize, bool> {
    let body = &text[split::split(text).body];
    let mut found = BTreeMap::new();
    for (number, span) in lexicon.index.in_text(body) {
        let form = &lexicon.forms[number as usize];
        *found.entry(number as usize).or_default() |= !form.is_written(&body[span]);
    }
    found
}

/// State of a run.
struct MentionSearch<'a, 'v> {
    pool: &'a Pool<'a, 'v>,
    anchors: &'a Anchors,
    lexicon: Lexicon,
    seeds: &'a Seeds,
    links: usize,
}

/// Adds the mentions in and of the notes of `pool` to `findings`; `anchors` are the links between them.
pub(super) fn find(
    pool: &Pool<'_, '_>,
    anchors: &Anchors,
    answers: &Answers,
    seeds: &Seeds,
    findings: &mut Findings,
) -> Result<()> {
    let view = pool.view;
    let search = MentionSearch {
        pool,
        anchors,
        lexicon: Lexicon::of(pool, anchors),
        seeds,
        links: anchors.count(),
    };
    let distributions = match seeds {
        Seeds::Of(_) if view.has_text_index() => search.search_incrementally(findings)?,
        _ => search.search_all(findings),
    };
    let candidates = search.candidates(&distributions, findings)?;
    let reader = TextReader {
        entries: pool,
        lexicon: &search.lexicon,
        near: view.near(),
    };
    let notes = candidates.keys().copied();
    let found = pool.texts(notes, &mut findings.skipped, |at, entry, text| {
        reader.mentions(text, entry, &candidates[&at])
    });
    let mut finding_by_key: HashMap<QuestionKey, usize> = HashMap::new();
    for (at, found) in found {
        let entry = &pool[at];
        for found in found {
            let asked = MentionQuestion::of(view, entry, &pool[found.target])?;
            // A "no" for one line also applies to all other lines that name the note.
            let is_refused = |line: &u64| answers.get(asked.key(*line)) == Some(Answer::No);
            if found.lines.iter().any(is_refused) {
                continue;
            }
            let finding = search.finding(entry, &found, &asked);
            // Copies of a note share one question.
            match finding_by_key.entry(finding.key) {
                hash_map::Entry::Occupied(place) => {
                    findings.found[*place.get()].acts.extend(finding.acts);
                }
                hash_map::Entry::Vacant(place) => {
                    place.insert(findings.found.len());
                    findings.found.push(finding);
                }
            }
        }
    }
    Ok(())
}

/// A note that a text may mention.
struct MentionCandidate {
    form: usize,
    target: usize,
    evidence: LinkFeatures,
}

/// A mention in running text.
struct Mention {
    target: usize,
    /// The name as in the text.
    name: String,
    /// Hash of the rendered line.
    line: u64,
    /// Hashes of all lines that name the note.
    lines: Vec<u64>,
    /// Excerpt around the name.
    around: String,
    probability: f64,
    span: Range<usize>,
}

impl MentionSearch<'_, '_> {
    fn is_seed(&self, note: usize) -> bool {
        self.seeds.has(self.pool[note].slot)
    }

    /// Searches all texts for all names.
    fn search_all(&self, findings: &mut Findings) -> BTreeMap<usize, NameDistribution> {
        let lexicon = &self.lexicon;
        let all = 0..self.pool.len();
        let found = |_, _: &Entry, text: &str| forms(lexicon, text);
        let texts = self.pool.texts(all, &mut findings.skipped, found);
        let mut distributions: BTreeMap<usize, NameDistribution> = BTreeMap::new();
        for (note, found) in texts {
            for (form, other_spellings) in found {
                let distribution = distributions.entry(form).or_default();
                distribution.notes_with_name.push(note);
                distribution.other_spellings += usize::from(other_spellings);
            }
        }
        distributions
    }

    /// Searches the texts of the seeds for all names, and all texts for the names of the seeds.
    fn search_incrementally(
        &self,
        findings: &mut Findings,
    ) -> Result<BTreeMap<usize, NameDistribution>> {
        let lexicon = &self.lexicon;
        let seed_positions = self.pool.seeds(self.seeds);
        let found = |_, _: &Entry, text: &str| forms(lexicon, text);
        let texts = self
            .pool
            .texts(seed_positions, &mut findings.skipped, found);
        let mut candidates = BTreeSet::new();
        for (note, found) in &texts {
            let owners = |form: usize| self.lexicon.forms[form].owners.iter();
            let is_open = |form: &&usize| owners(**form).any(|owner| self.is_open(*note, owner));
            candidates.extend(found.keys().filter(is_open).copied());
        }
        for (number, form) in self.lexicon.forms.iter().enumerate() {
            if form.owners.iter().any(|owner| self.is_seed(owner.note)) {
                candidates.insert(number);
            }
        }
        let notes = self.pool.len();
        let mut distributions = BTreeMap::new();
        let mut unread: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let forms = candidates.iter().map(|number| &self.lexicon.forms[*number]);
        let phrases: Vec<&str> = forms.map(|form| form.name.text.as_str()).collect();
        let holding = self.pool.view.with_phrases(&phrases)?;
        for (number, holding) in candidates.into_iter().zip(holding) {
            let form = &self.lexicon.forms[number];
            let mut distribution = NameDistribution::default();
            let notes_with_name = holding.iter().filter_map(|slot| self.pool.position(*slot));
            distribution.notes_with_name.extend(notes_with_name);
            distribution.notes_with_name.sort_unstable();
            let is_countable =
                form.is_untried() || distribution.notes_with_name.len() <= MAX_COUNTED_NOTES;
            if is_countable && form.name.is_literal() && !distribution.is_common(form, notes) {
                let sample = self.sample(form);
                for note in distribution.notes_with_name.iter().take(sample) {
                    unread.entry(*note).or_default().insert(number);
                }
            }
            distributions.insert(number, distribution);
        }
        self.count_spellings(&unread, &mut distributions);
        Ok(distributions)
    }

    /// Returns the number of notes to read for the spelling of a name; all of them for the name of a seed, and for one
    /// that is a link text: the text index also counts other forms of its words.
    fn sample(&self, form: &LexiconEntry) -> usize {
        let is_own = form.owners.iter().any(|owner| self.is_seed(owner.note));
        if is_own || !form.is_untried() {
            usize::MAX
        } else {
            MAX_SAMPLED_NOTES
        }
    }

    /// Reads the notes in `unread` once each and counts the spellings of their names.
    fn count_spellings(
        &self,
        unread: &BTreeMap<usize, BTreeSet<usize>>,
        distributions: &mut BTreeMap<usize, NameDistribution>,
    ) {
        let lexicon = &self.lexicon;
        let notes = unread.keys().copied();
        let texts = self.pool.texts(notes, &mut Vec::new(), |at, _, text| {
            let mut found = forms(lexicon, text);
            found.retain(|number, _| unread[&at].contains(number));
            found
        });
        let mut written: BTreeMap<usize, BTreeMap<usize, bool>> = BTreeMap::new();
        for (note, found) in texts {
            for (number, has_other_spelling) in found {
                let notes = written.entry(number).or_default();
                notes.insert(note, has_other_spelling);
            }
        }
        let numbers: BTreeSet<usize> = unread.values().flatten().copied().collect();
        for number in numbers {
            let read = written.remove(&number).unwrap_or_default();
            let sample = self.sample(&lexicon.forms[number]);
            if let Some(distribution) = distributions.get_mut(&number) {
                // Unread notes are assumed to contain the name as it is.
                let rest = distribution.notes_with_name.iter().skip(sample);
                distribution.notes_with_name = read.keys().chain(rest).copied().collect();
                distribution.other_spellings = read
                    .values()
                    .filter(|has_other_spelling| **has_other_spelling)
                    .count();
            }
        }
    }

    /// Returns true if `note` may still link to this owner of a name, and one of the two is a seed.
    fn is_open(&self, note: usize, owner: &NamedNote) -> bool {
        owner.note != note
            && (self.is_seed(note) || self.is_seed(owner.note))
            && !self.anchors.has(note, owner.note)
    }

    /// Returns the possible mentions by note: all that would be likely enough at the best position.
    fn candidates(
        &self,
        distributions: &BTreeMap<usize, NameDistribution>,
        findings: &mut Findings,
    ) -> Result<BTreeMap<usize, Vec<MentionCandidate>>> {
        let notes = self.pool.len();
        let mut candidates: BTreeMap<usize, Vec<MentionCandidate>> = BTreeMap::new();
        let mut can_be_named: HashMap<usize, bool> = HashMap::new();
        for (number, distribution) in distributions {
            let form = &self.lexicon.forms[*number];
            if distribution.is_common(form, notes) {
                continue;
            }
            for owner in &form.owners {
                let is_plain = |note: &&usize| {
                    **note != owner.note && !self.anchors.has_written(**note, owner.note)
                };
                let plain = distribution.notes_with_name.iter().filter(is_plain).count();
                // The name means a note that this one links to, or is, if that has the name more often.
                let is_other = |note: usize| {
                    form.owners.iter().any(|other| {
                        other.note != owner.note
                            && other.links >= owner.links
                            && (other.note == note || self.anchors.has_written(note, other.note))
                    })
                };
                let is_open = |note: &&usize| self.is_open(**note, owner);
                for note in distribution.notes_with_name.iter().filter(is_open) {
                    findings.compared += 1;
                    if is_other(*note) {
                        continue;
                    }
                    let evidence = self.evidence(*note, form, owner, plain - 1);
                    let best = LinkFeatures {
                        place: Some(BEST_POSITION),
                        cosine: Some(1.0),
                        ..evidence.clone()
                    };
                    if best.chance() < MIN_PROBABILITY {
                        continue;
                    }
                    let known = can_be_named.get(&owner.note).copied();
                    let can_be_named = known.map_or_else(
                        || -> Result<bool> {
                            let can = self.can_be_named(&self.pool[owner.note])?;
                            can_be_named.insert(owner.note, can);
                            Ok(can)
                        },
                        Ok,
                    )?;
                    if can_be_named {
                        candidates.entry(*note).or_default().push(MentionCandidate {
                            form: *number,
                            target: owner.note,
                            evidence,
                        });
                    }
                }
            }
        }
        Ok(candidates)
    }

    /// Returns true if a link can point to a note and its title is a name. Notes without an explicit title are
    /// titled by their first words.
    fn can_be_named(&self, entry: &Entry) -> Result<bool> {
        if !is_wikilink_target(&self.pool.view.wikilink_target(entry)?) {
            return Ok(false);
        }
        if !entry.is_managed() {
            return Ok(true);
        }
        let title = self.pool.view.details(entry.slot)?.title;
        // The next run handles an unreadable note.
        let text = self.pool.view.text(entry).unwrap_or_default();
        let body = &text[split::split(&text).body];
        Ok(title_of(body) != title || body.trim_start().starts_with('#'))
    }

    /// Returns the evidence that is known before the text of `note` is read.
    fn evidence(
        &self,
        note: usize,
        form: &LexiconEntry,
        owner: &NamedNote,
        plain: usize,
    ) -> LinkFeatures {
        let (entry, target) = (&self.pool[note], &self.pool[owner.note]);
        LinkFeatures {
            links: owner.links,
            all_links: form.links,
            plain,
            is_exact: true,
            is_capital: target.path.stem().starts_with(char::is_uppercase),
            common: self.anchors.common(note, owner.note),
            same_folder: entry.path.folder() == target.path.folder(),
            links_back: self.anchors.has_written(owner.note, note),
            cosine: None,
            out: self.anchors.written(note).len(),
            length: entry.row.length as usize,
            place: None,
            vault_links: self.links,
        }
    }

    fn finding(&self, entry: &Entry, found: &Mention, asked: &MentionQuestion) -> Finding {
        let target = &self.pool[found.target];
        Finding::new(
            asked.key(found.line),
            vec![entry.path.clone(), target.path.clone()],
            vec![Act::LinkMention {
                note: entry.path.clone(),
                to: target.path.clone(),
                name: found.name.clone(),
                line: found.line,
            }],
            found.probability as f32,
            format!("text: \"{}\"", found.around),
        )
    }
}

/// Shared state for reading texts in parallel.
struct TextReader<'a> {
    entries: &'a [Entry],
    lexicon: &'a Lexicon,
    near: Option<&'a NoteSimilarity>,
}

impl TextReader<'_> {
    /// Returns the notes that the text of `entry` mentions, each by its most likely name.
    fn mentions(&self, text: &str, entry: &Entry, candidates: &[MentionCandidate]) -> Vec<Mention> {
        let running = RunningText::of(text, entry.path.stem());
        // First position of each name in the required spelling.
        let mut first: BTreeMap<usize, Range<usize>> = BTreeMap::new();
        let mut lines: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
        for (number, span) in running.mentions(&self.lexicon.index) {
            let number = number as usize;
            let owners = self.lexicon.forms[number].owners.iter();
            for owner in
                owners.filter(|owner| candidates.iter().any(|one| one.target == owner.note))
            {
                let line = running.line(&span);
                lines.entry(owner.note).or_default().push(line);
            }
            if self.lexicon.forms[number].is_written(&text[span.clone()]) {
                first.entry(number).or_insert(span);
            }
        }
        let mut found: BTreeMap<usize, Mention> = BTreeMap::new();
        for candidate in candidates {
            let (form, target, evidence) =
                (&candidate.form, &candidate.target, &candidate.evidence);
            let Some(span) = first.get(form) else {
                continue;
            };
            let owners = &self.lexicon.forms[*form].owners;
            let owner = owners.iter().find(|owner| owner.note == *target);
            let other = &self.entries[*target];
            let evidence = LinkFeatures {
                is_exact: owner.is_some_and(|owner| owner.spells(&text[span.clone()])),
                cosine: Some(1.0),
                place: Some(running.place(span)),
                ..evidence.clone()
            };
            if evidence.chance() < MIN_PROBABILITY {
                continue;
            }
            let evidence = LinkFeatures {
                cosine: self.near.and_then(|near| near.cosine(entry, other)),
                ..evidence
            };
            let probability = evidence.chance();
            let known = found
                .get(target)
                .map_or(MIN_PROBABILITY, |known| known.probability);
            if probability >= known {
                let one = Mention {
                    target: *target,
                    name: text[span.clone()].to_owned(),
                    line: running.line(span),
                    lines: lines.get(target).cloned().unwrap_or_default(),
                    around: running.excerpt(span),
                    probability,
                    span: span.clone(),
                };
                found.insert(*target, one);
            }
        }
        let mut found: Vec<Mention> = found.into_values().collect();
        found.sort_by(|a, b| {
            let order = b.probability.total_cmp(&a.probability);
            order.then(a.span.start.cmp(&b.span.start))
        });
        found.truncate(MAX_MENTIONS_PER_TEXT);
        // If a name is ambiguous at a position, keep the most likely note.
        let mut taken: Vec<Range<usize>> = Vec::new();
        found.retain(|one| {
            let is_free = !taken.contains(&one.span);
            taken.push(one.span.clone());
            is_free
        });
        found
    }
}

/// Question key for a mention: whether a line of one note refers to another, independent of the rest.
struct MentionQuestion {
    from: u64,
    to: u64,
}

impl MentionQuestion {
    fn of(view: &View<'_>, entry: &Entry, target: &Entry) -> Result<Self> {
        let title = |entry: &Entry| -> Result<u64> {
            Ok(hash::normal_hash(&view.details(entry.slot)?.title))
        };
        // The rotations keep the two directions distinct.
        Ok(Self {
            from: title(entry)?.rotate_left(1),
            to: title(target)?.rotate_left(2),
        })
    }

    fn key(&self, line: u64) -> QuestionKey {
        QuestionKey::new(QuestionKind::Mention, &[self.from ^ line, self.to])
    }
}
