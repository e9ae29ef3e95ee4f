//! Three-way merge of sequences of pieces: blocks, lines, sentences, properties.
//!
//! Both sides are aligned with the base: equal pieces, then similar ones, then pieces that moved. Every step treats the
//! sides alike, so a result without conflicts does not depend on which side is `ours`.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use regex::Regex;
use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::refusal::{Refusal, TextConflict};
use super::words::similarity;

/// A part of a text that is kept, replaced or removed as a whole.
#[derive(Clone, Debug)]
pub(super) struct MergePiece<'t> {
    /// Equal in versions of the same piece: its text, or the key of a property.
    pub id: Cow<'t, str>,
    pub text: &'t str,
    /// The blanks up to the next piece.
    pub gap: &'t str,
    /// Following pieces with a greater depth belong to this one.
    pub depth: u8,
    pub shape: Shape,
}

/// How two changed versions of a piece may be combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Sentences, possibly on several lines.
    Prose,
    Line,
    Table,
    /// Code, HTML and formulas: only whole lines, and no two changes at one place.
    Verbatim,
}

/// A text as a sequence of pieces.
#[derive(Debug, Default)]
pub(super) struct Sequence<'t> {
    /// The blanks before the first piece.
    pub lead: &'t str,
    pub pieces: Vec<MergePiece<'t>>,
}

/// What differs between kinds of pieces.
pub(super) trait SequenceLevel {
    /// Whether ids are keys: they occur once, and pieces with equal ids are versions of each other.
    const IS_KEYED: bool = false;
    /// The blanks between two pieces without neighbours.
    const GAP: &'static str = "\n";

    /// Combines two changed versions of a piece, without a base if both sides added it.
    fn merge(
        &self,
        base: Option<&MergePiece<'_>>,
        sides: [&MergePiece<'_>; 2],
    ) -> Result<String, Refusal>;

    /// Returns the text that keeps both versions; `None` if the enclosing piece must keep them.
    fn conflict(&self, _refusal: &Refusal, _sides: [&str; 2]) -> Option<String> {
        None
    }

    /// Returns the blanks between two pieces that are adjacent on neither side, given those between each of them and its
    /// neighbour.
    fn gap<'g>(&self, _texts: [&str; 2], known: &[(&'g str, &MergePiece<'_>)]) -> &'g str {
        let gaps = known.iter().map(|(gap, _)| *gap);
        gaps.max_by_key(|gap| (gap.len(), *gap))
            .unwrap_or(Self::GAP)
    }
}

/// A merged sequence.
#[derive(Debug, Default)]
pub(super) struct MergedText {
    pub text: String,
    pub conflicts: Vec<TextConflict>,
}

/// Merges two sides; fails if a conflict belongs to the enclosing piece.
pub(super) fn merge<L: SequenceLevel>(
    level: &L,
    base: &Sequence<'_>,
    sides: [&Sequence<'_>; 2],
) -> Result<MergedText, Refusal> {
    let mut aligned = sides.map(|side| Alignment::of::<L>(&base.pieces, &side.pieces));
    let followers = [0, 1].map(|side| {
        let [ours, theirs] = &mut aligned;
        let (mover, other) = if side == 0 {
            (ours, theirs)
        } else {
            (theirs, ours)
        };
        followers(mover, other, &sides[1 - side].pieces)
    });
    let mut merger = Merger {
        level,
        versions: [base, sides[0], sides[1]],
        aligned,
        followers,
        done: HashSet::new(),
        pieces: Vec::new(),
        conflicts: Vec::new(),
    };
    merger.walk()?;
    Ok(MergedText {
        text: merger.text(),
        conflicts: merger.conflicts,
    })
}

/// The pieces of a side in terms of the base.
struct Alignment {
    /// The version of each base piece, in order.
    at: Vec<Option<usize>>,
    /// The version of each base piece that moved.
    moved: Vec<Option<usize>>,
    /// The base piece of each piece that moved.
    origin: HashMap<usize, usize>,
    /// The other pieces of the side, by the number of the base piece that they precede.
    slots: Vec<Vec<usize>>,
}

/// Minimum similarity of two versions of a piece.
const MIN_SIMILARITY: f64 = 0.4;

/// Maximum bytes read to compare all pairs of pieces in one changed region.
const MAX_COMPARED_BYTES: usize = 16 << 20;

impl Alignment {
    fn of<L: SequenceLevel>(base: &[MergePiece<'_>], side: &[MergePiece<'_>]) -> Self {
        let [old, new] = [base, side].map(|pieces| pieces.iter().map(|piece| &*piece.id).collect());
        let (old, new): (Vec<&str>, Vec<&str>) = (old, new);
        let mut at = vec![None; base.len()];
        for op in capture_diff_slices(Algorithm::Patience, &old, &new) {
            let (old, new) = (op.old_range(), op.new_range());
            if op.tag() == DiffTag::Equal {
                old.zip(new).for_each(|(old, new)| at[old] = Some(new));
            } else if !L::IS_KEYED {
                for (i, j) in similar_pairs(&base[old.clone()], &side[new.clone()]) {
                    at[old.start + i] = Some(new.start + j);
                }
            }
        }
        let mut is_paired = vec![false; side.len()];
        at.iter().flatten().for_each(|at| is_paired[*at] = true);
        let mut counts: HashMap<&str, [usize; 2]> = HashMap::new();
        for (at, ids) in [&old, &new].into_iter().enumerate() {
            for id in ids {
                counts.entry(id).or_default()[at] += 1;
            }
        }
        let is_unique = |id: &str| counts[id] == [1, 1];
        let unpaired = (0..side.len()).filter(|at| !is_paired[*at] && is_unique(new[*at]));
        let by_id: HashMap<&str, usize> = unpaired.map(|at| (new[at], at)).collect();
        let moved: Vec<Option<usize>> = old.iter().map(|id| by_id.get(id).copied()).collect();
        let pairs = moved.iter().enumerate();
        let origin = pairs
            .filter_map(|(from, to)| Some(((*to)?, from)))
            .collect();
        let mut slots = vec![Vec::new(); base.len() + 1];
        let mut paired = at
            .iter()
            .enumerate()
            .filter_map(|(base, at)| Some((base, (*at)?)));
        let (mut slot, mut next) = (0, paired.next());
        for (index, is_paired) in is_paired.into_iter().enumerate() {
            if is_paired {
                slot = next.map_or(slot, |(base, _)| base + 1);
                next = paired.next();
            } else {
                slots[slot].push(index);
            }
        }
        Self {
            at,
            moved,
            origin,
            slots,
        }
    }

    /// Whether the side has no version of a base piece.
    fn is_deleted(&self, base: usize) -> bool {
        self.at[base].is_none() && self.moved[base].is_none()
    }

    /// Whether the side deleted the base pieces around a slot.
    fn is_deleted_around(&self, slot: usize) -> bool {
        let count = self.at.len();
        let around = match slot {
            _ if count == 0 => return false,
            0 => 0..count.min(2),
            slot => slot.min(count - 1).saturating_sub(1)..(slot + 1).min(count),
        };
        around.into_iter().all(|base| self.is_deleted(base))
    }
}

/// Pairs similar pieces in order so that the sum of their similarities is greatest.
fn similar_pairs(base: &[MergePiece<'_>], side: &[MergePiece<'_>]) -> Vec<(usize, usize)> {
    // Each piece counts as at least 16 bytes, which also limits the size of the tables.
    let bytes = |pieces: &[MergePiece<'_>]| {
        pieces
            .iter()
            .map(|piece| piece.text.len() + 16)
            .sum::<usize>()
    };
    if bytes(base) * side.len() + bytes(side) * base.len() > MAX_COMPARED_BYTES {
        return Vec::new();
    }
    let width = side.len() + 1;
    let mut best = vec![0.0_f64; (base.len() + 1) * width];
    let mut alike = vec![0.0_f64; best.len()];
    for i in (0..base.len()).rev() {
        for j in (0..side.len()).rev() {
            let cell = i * width + j;
            if base[i].shape == side[j].shape {
                alike[cell] = similarity(base[i].text, side[j].text);
            }
            best[cell] = best[cell + 1].max(best[cell + width]);
            if alike[cell] >= MIN_SIMILARITY {
                best[cell] = best[cell].max(alike[cell] + best[cell + width + 1]);
            }
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < base.len() && j < side.len() {
        let cell = i * width + j;
        if alike[cell] >= MIN_SIMILARITY && best[cell] <= alike[cell] + best[cell + width + 1] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if best[cell + width] >= best[cell + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// Depth of a block other than a heading.
pub(super) const BLOCK_DEPTH: u8 = 10;

/// Takes out the text that `other` added after a piece that the mover moved, by the place of that piece.
fn followers(
    mover: &Alignment,
    other: &mut Alignment,
    pieces: &[MergePiece<'_>],
) -> HashMap<usize, Vec<usize>> {
    let places = mover.moved.iter().enumerate();
    let after = places.filter_map(|(base, to)| Some((base + 1, (*to)?)));
    after
        .filter_map(|(slot, to)| {
            let added = &mut other.slots[slot];
            let belongs = added
                .iter()
                .all(|at| pieces[*at].depth >= BLOCK_DEPTH && !other.origin.contains_key(at));
            (belongs && !added.is_empty()).then(|| (to, std::mem::take(added)))
        })
        .collect()
}

/// A piece of the result.
struct Output {
    text: String,
    /// Its place in base, ours and theirs.
    at: [Option<usize>; 3],
}

/// The added pieces of one side, each with its slot.
type AddedPieces = Vec<(usize, usize)>;

struct Merger<'m, 't, L> {
    level: &'m L,
    /// Base, ours, theirs.
    versions: [&'m Sequence<'t>; 3],
    aligned: [Alignment; 2],
    /// Pieces of the other side that follow a moved piece of each side.
    followers: [HashMap<usize, Vec<usize>>; 2],
    /// Moved base pieces and added keys in the result.
    done: HashSet<&'m str>,
    pieces: Vec<Output>,
    conflicts: Vec<TextConflict>,
}

impl<'m, 't, L: SequenceLevel> Merger<'m, 't, L> {
    fn walk(&mut self) -> Result<(), Refusal> {
        let mut added: [AddedPieces; 2] = Default::default();
        let count = self.versions[0].pieces.len();
        for slot in 0..=count {
            for (added, aligned) in added.iter_mut().zip(&self.aligned) {
                added.extend(aligned.slots[slot].iter().map(|at| (slot, *at)));
            }
            let is_gone = slot < count
                && self
                    .aligned
                    .iter()
                    .all(|aligned| aligned.at[slot].is_none());
            if is_gone && self.shares_text(&added, slot + 1) {
                continue;
            }
            self.push_added(&std::mem::take(&mut added), slot)?;
            if slot < count && self.aligned.iter().all(|side| side.moved[slot].is_none()) {
                let [ours, theirs] = [0, 1].map(|side| self.aligned[side].at[slot]);
                self.push([Some(slot), ours, theirs])?;
            }
        }
        Ok(())
    }

    fn piece(&self, version: usize, at: usize) -> &'m MergePiece<'t> {
        &self.versions[version].pieces[at]
    }

    /// Whether both sides added the same piece, one of them at the next slot.
    fn shares_text(&self, added: &[AddedPieces; 2], next: usize) -> bool {
        let ids = |side: usize| {
            let known = added[side].iter().map(|(_, at)| *at);
            let all = known.chain(self.aligned[side].slots[next].iter().copied());
            all.map(move |at| &*self.piece(side + 1, at).id)
        };
        let ours: HashSet<&str> = ids(0).collect();
        ids(1).any(|id| ours.contains(id))
    }

    /// Adds what the sides inserted before a base piece.
    fn push_added(&mut self, added: &[AddedPieces; 2], slot: usize) -> Result<(), Refusal> {
        for side in 0..2 {
            let is_torn = !L::IS_KEYED
                && added[1 - side].is_empty()
                && !added[side].is_empty()
                && self.aligned[1 - side].is_deleted_around(slot)
                && !self.aligned[side].is_deleted_around(slot);
            if is_torn {
                let text = self.joined(side, &added[side]);
                let texts = if side == 0 {
                    [&*text, ""]
                } else {
                    ["", &*text]
                };
                let mut at = [None; 3];
                at[side + 1] = added[side].last().map(|(_, at)| *at);
                return self.refuse(Refusal::DeletedAround, texts, at);
            }
        }
        let is_replaced = !L::IS_KEYED
            && slot < self.versions[0].pieces.len()
            && self.aligned.iter().all(|side| side.is_deleted(slot));
        self.push_units(added, is_replaced)
    }

    /// Adds units of both sides: common ones once, the others in order.
    fn push_units(&mut self, added: &[AddedPieces; 2], is_replaced: bool) -> Result<(), Refusal> {
        let units = [0, 1].map(|side| self.units(side, &added[side]));
        let heads = [0, 1].map(|side: usize| -> Vec<&str> {
            let first = units[side].iter().map(|unit| unit[0].1);
            first.map(|at| &*self.piece(side + 1, at).id).collect()
        });
        // The choice among equally long diffs depends on the order of the texts.
        let [old, new] = if heads[0] <= heads[1] { [0, 1] } else { [1, 0] };
        for op in capture_diff_slices(Algorithm::Myers, &heads[old], &heads[new]) {
            let mut ranges = [op.old_range(), op.new_range()];
            ranges.rotate_left(old);
            let [ours, theirs] = [0, 1].map(|side: usize| &units[side][ranges[side].clone()]);
            if op.tag() == DiffTag::Equal {
                for (ours, theirs) in ours.iter().zip(theirs) {
                    self.push_twins(ours[0].1, theirs[0].1)?;
                    self.push_units(&[ours[1..].to_vec(), theirs[1..].to_vec()], false)?;
                }
                continue;
            }
            let runs = [ours.concat(), theirs.concat()];
            if is_replaced && op.tag() == DiffTag::Replace {
                let texts = [0, 1].map(|side| self.joined(side, &runs[side]));
                let [ours, theirs] = [0, 1].map(|side: usize| runs[side].last().map(|(_, at)| *at));
                let at = [None, ours, theirs];
                self.refuse(Refusal::Replaced, [&texts[0], &texts[1]], at)?;
                continue;
            }
            self.push_in_order([ours, theirs])?;
        }
        Ok(())
    }

    /// Adds different units of both sides: entries of a log by date, else one side after the other.
    fn push_in_order(&mut self, units: [&[&[(usize, usize)]]; 2]) -> Result<(), Refusal> {
        let is_dated = |side: usize| {
            let mut units = units[side].iter();
            units.all(|unit| date(&self.joined(side, unit)).is_some())
        };
        let are_logs = is_dated(0) && is_dated(1);
        let mut groups = [0, 1].map(|side: usize| match units[side] {
            units if are_logs => units.iter().rev().map(|unit| unit.to_vec()).collect(),
            [] => Vec::new(),
            units => vec![units.concat()],
        });
        loop {
            let side = match [groups[0].last(), groups[1].last()] {
                [Some(ours), Some(theirs)] => usize::from(self.is_after([ours, theirs])),
                [Some(_), None] => 0,
                _ => 1,
            };
            let Some(group) = groups[side].pop() else {
                return Ok(());
            };
            for (_, at) in group {
                let mut place = [None; 3];
                place[side + 1] = Some(at);
                self.push(place)?;
            }
        }
    }

    /// Adds a piece that both sides inserted: once, unless only one of them moved it there.
    fn push_twins(&mut self, ours: usize, theirs: usize) -> Result<(), Refusal> {
        let [from, to] =
            [(0, ours), (1, theirs)].map(|(side, at)| self.aligned[side].origin.get(&at));
        if from == to {
            return self.push([None, Some(ours), Some(theirs)]);
        }
        let mut places = [[None, Some(ours), None], [None, None, Some(theirs)]];
        if from.is_none() {
            places.reverse();
        }
        places.into_iter().try_for_each(|place| self.push(place))
    }

    /// Splits pieces into units: a piece and what belongs to it.
    fn units<'a>(&self, side: usize, added: &'a [(usize, usize)]) -> Vec<&'a [(usize, usize)]> {
        let depth = |at: usize| self.piece(side + 1, at).depth;
        let mut head = added.first().map_or(0, |(_, at)| depth(*at));
        let units = added.chunk_by(|_, (_, next)| {
            let belongs = !L::IS_KEYED && depth(*next) > head;
            if !belongs {
                head = depth(*next);
            }
            belongs
        });
        units.collect()
    }

    /// Whether `ours` follows `theirs`: by slot, by the dates in them, else by their text.
    fn is_after(&self, [ours, theirs]: [&[(usize, usize)]; 2]) -> bool {
        let slots = [ours[0].0, theirs[0].0];
        if slots[0] != slots[1] {
            return slots[0] > slots[1];
        }
        let texts = [self.joined(0, ours), self.joined(1, theirs)];
        let text_order = texts[0].cmp(&texts[1]);
        let dates = texts.each_ref().map(|text| date(text));
        let order = match dates {
            [Some(ours), Some(theirs)] if ours.len() == theirs.len() => {
                let next = self.versions[0].pieces.get(slots[0]);
                let next = next.and_then(|next| date(next.text));
                // Some logs have the newest entry first.
                let is_descending = next.is_some_and(|next| next < ours && next < theirs);
                let order = ours.cmp(theirs).then(text_order);
                if is_descending {
                    order.reverse()
                } else {
                    order
                }
            }
            _ => text_order,
        };
        order.is_gt()
    }

    /// Returns the text of some pieces of a side.
    fn joined(&self, side: usize, added: &[(usize, usize)]) -> String {
        let mut text = String::new();
        for (number, (_, at)) in added.iter().enumerate() {
            let piece = self.piece(side + 1, *at);
            text.push_str(piece.text);
            if number + 1 < added.len() {
                text.push_str(piece.gap);
            }
        }
        text
    }

    /// Adds a piece with its versions merged, and what follows it.
    fn push(&mut self, mut at: [Option<usize>; 3]) -> Result<(), Refusal> {
        let is_added = at[0].is_none();
        for side in 0..2 {
            let Some(place) = at[side + 1].filter(|_| is_added) else {
                continue;
            };
            let other = &self.aligned[1 - side];
            if let Some(base) = self.aligned[side].origin.get(&place) {
                at[0] = Some(*base);
                at[2 - side] = other.at[*base].or(other.moved[*base]).or(at[2 - side]);
            } else if L::IS_KEYED && at[2 - side].is_none() {
                let id = &self.piece(side + 1, place).id;
                let added = other.slots.iter().flatten().copied();
                at[2 - side] = added
                    .into_iter()
                    .find(|at| self.piece(2 - side, *at).id == *id);
            }
        }
        let id = |version: usize| Some(&*self.piece(version, at[version]?).id);
        let key = id(0).or(id(1)).or(id(2)).unwrap_or_default();
        if is_added && (L::IS_KEYED || at[0].is_some()) && !self.done.insert(key) {
            return Ok(());
        }
        let [base, ours, theirs] = [0, 1, 2].map(|version| Some(self.piece(version, at[version]?)));
        match (base, ours, theirs) {
            (_, Some(ours), Some(theirs)) => {
                let base_text = base.map(|base| base.text);
                if ours.text == theirs.text || Some(theirs.text) == base_text {
                    self.put(ours.text, at);
                } else if Some(ours.text) == base_text {
                    self.put(theirs.text, at);
                } else {
                    match self.level.merge(base, [ours, theirs]) {
                        Ok(text) => self.put(&text, at),
                        Err(refusal) => self.refuse(refusal, [ours.text, theirs.text], at)?,
                    }
                }
            }
            (Some(base), Some(one), None) | (Some(base), None, Some(one)) => {
                let is_moved = is_added;
                if one.text != base.text || is_moved {
                    let refusal = Refusal::Deleted;
                    let [ours, theirs] =
                        [ours, theirs].map(|side| side.map_or("", |side| side.text));
                    self.refuse(refusal, [ours, theirs], at)?;
                }
            }
            (None, Some(one), None) | (None, None, Some(one)) => self.put(one.text, at),
            (_, None, None) => {}
        }
        for side in 0..2 {
            let followers = at[side + 1].and_then(|at| self.followers[side].remove(&at));
            for at in followers.unwrap_or_default() {
                let mut place = [None; 3];
                place[2 - side] = Some(at);
                self.push(place)?;
            }
        }
        Ok(())
    }

    fn put(&mut self, text: &str, at: [Option<usize>; 3]) {
        let text = text.to_owned();
        self.pieces.push(Output { text, at });
    }

    fn refuse(
        &mut self,
        refusal: Refusal,
        texts: [&str; 2],
        at: [Option<usize>; 3],
    ) -> Result<(), Refusal> {
        let Some(text) = self.level.conflict(&refusal, texts) else {
            return Err(refusal);
        };
        let first = texts.iter().find_map(|text| text.lines().next());
        self.conflicts.push(TextConflict {
            refusal,
            near: first.unwrap_or_default().to_owned(),
        });
        self.put(&text, at);
        Ok(())
    }

    /// Returns the text of the result with the blanks between its pieces.
    fn text(&self) -> String {
        let leads = self.versions.map(|version| version.lead);
        let mut text = merged_blanks(Some(leads[0]), leads[1], leads[2]).to_owned();
        for (number, piece) in self.pieces.iter().enumerate() {
            text.push_str(&piece.text);
            if let Some(next) = self.pieces.get(number + 1) {
                text.push_str(self.gap(piece, next));
            }
        }
        if !self.pieces.is_empty() {
            let last = self.versions.map(|version| version.pieces.last());
            let [base, ours, theirs] = last.map(|last| last.map_or("", |piece| piece.gap));
            text.push_str(merged_blanks(Some(base), ours, theirs));
        }
        text
    }

    fn gap(&self, piece: &Output, next: &Output) -> &'m str {
        let between = [0, 1, 2].map(|version| match (piece.at[version], next.at[version]) {
            (Some(at), Some(next)) if next == at + 1 => Some(self.piece(version, at).gap),
            _ => None,
        });
        match between {
            [base, Some(ours), Some(theirs)] => merged_blanks(base, ours, theirs),
            [_, Some(one), None] | [_, None, Some(one)] => one,
            [_, None, None] => {
                let mut known = Vec::new();
                for version in 1..3 {
                    let pieces = &self.versions[version].pieces;
                    let after = piece.at[version]
                        .and_then(|at| Some((pieces[at].gap, pieces.get(at + 1)?)));
                    let before = next.at[version].and_then(|at| pieces.get(at.checked_sub(1)?));
                    known.extend(after);
                    known.extend(before.map(|before| (before.gap, before)));
                }
                self.level.gap([&piece.text, &next.text], &known)
            }
        }
    }
}

/// Returns the blanks of the side that changed them; the longer ones if both did.
pub(super) fn merged_blanks<'g>(base: Option<&str>, ours: &'g str, theirs: &'g str) -> &'g str {
    match base {
        Some(base) if base == ours => theirs,
        Some(base) if base == theirs => ours,
        _ => std::cmp::max_by_key(ours, theirs, |blanks| (blanks.len(), *blanks)),
    }
}

/// Returns the first date in a text, with its time if it has one; else the first time.
fn date(text: &str) -> Option<&str> {
    static DATE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?").expect("a pattern")
    });
    static TIME: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\b\d\d:\d\d\b").expect("a pattern"));
    let found = DATE.find(text).or_else(|| TIME.find(text));
    found.map(|found| found.as_str())
}
