//! Three-way merge of lines, as in diff3.

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::refusal::{Refusal, marked};

/// Merges lines. Changes that share or touch a region are a conflict; returns the text and the number of conflicts.
pub(super) fn merge(base: &str, sides: [&str; 2], refusal: &Refusal) -> (String, usize) {
    let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<&str>>();
    let (base, sides) = (lines(base), sides.map(lines));
    let matches = sides.each_ref().map(|side| {
        let mut at = vec![None; base.len()];
        for op in capture_diff_slices(Algorithm::Patience, &base, side) {
            if op.tag() == DiffTag::Equal {
                let pairs = op.old_range().zip(op.new_range());
                pairs.for_each(|(old, new)| at[old] = Some(new));
            }
        }
        at
    });
    let (mut text, mut conflicts, mut from) = (String::new(), 0, [0; 3]);
    let ends = [base.len(), sides[0].len(), sides[1].len()];
    loop {
        let common =
            (from[0]..base.len()).find_map(|at| Some([at, matches[0][at]?, matches[1][at]?]));
        let to = common.unwrap_or(ends);
        let old = &base[from[0]..to[0]];
        let [ours, theirs] = [0, 1].map(|side| &sides[side][from[side + 1]..to[side + 1]]);
        if old == ours || ours == theirs {
            text.push_str(&theirs.concat());
        } else if old == theirs {
            text.push_str(&ours.concat());
        } else {
            conflicts += 1;
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&marked(refusal, [&ours.concat(), &theirs.concat()]));
            text.push('\n');
        }
        let Some(at) = common else {
            return (text, conflicts);
        };
        text.push_str(base[at[0]]);
        from = at.map(|at| at + 1);
    }
}
