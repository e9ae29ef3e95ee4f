//! Detects the link style of a vault, so that new links look like the existing ones.
//!
//! The links of the note decide, else those of the vault: wikilink or Markdown link, name or path,
//! with or without `.md`. Without examples, or if that style would lead elsewhere, the link is a
//! wikilink by name.

use std::cmp::Reverse;

use super::remap::{TargetForm, is_wikilink_target};
use crate::note::markdown::links::destination;
use crate::view::prelude::*;

/// Number of links to sample if the note has none.
const MAX_LINKS_SAMPLED: usize = 200;

/// Style of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Style {
    markdown: bool,
    form: TargetForm,
    /// Whether the target includes `.md`.
    ending: bool,
}

/// Forms in order of preference: of two that produce the same target, the first counts.
const MARKDOWN_FORMS: [TargetForm; 5] = [
    TargetForm::Dotted,
    TargetForm::Relative,
    TargetForm::Whole,
    TargetForm::Rooted,
    TargetForm::Name,
];
const WIKILINK_FORMS: [TargetForm; 4] = [
    TargetForm::Name,
    TargetForm::Whole,
    TargetForm::Dotted,
    TargetForm::Rooted,
];

fn forms(markdown: bool) -> &'static [TargetForm] {
    if markdown {
        &MARKDOWN_FORMS
    } else {
        &WIKILINK_FORMS
    }
}

impl View<'_> {
    /// Returns the link to `target` that replaces the words `written` in `source`.
    pub fn link_to(&self, source: &Entry, target: &Entry, written: &str) -> Result<String> {
        if let Some(style) = self.style(source)? {
            let name = style.form.write(&source.path, &target.path, style.ending);
            let is_usual = style.markdown
                || style.form != TargetForm::Name
                || folded(&name) == folded(&self.wikilink_target(target)?);
            let leads = self.resolve(&source.path, &name, style.markdown)?;
            if is_usual && leads.is_some_and(|led| led.slot == target.slot) {
                if style.markdown {
                    return Ok(format!("[{written}]({})", destination(&name)));
                }
                if is_wikilink_target(&name) {
                    return Ok(wikilink(&name, written));
                }
            }
        }
        let name = self.wikilink_target(target)?;
        if is_wikilink_target(&name) {
            return Ok(wikilink(&name, written));
        }
        // A wikilink cannot name `a [draft].md`.
        let path = TargetForm::Dotted.write(&source.path, &target.path, true);
        Ok(format!("[{written}]({})", destination(&path)))
    }

    /// Returns the most frequent style of `source`, or of the vault if `source` has no links.
    fn style(&self, source: &Entry) -> Result<Option<Style>> {
        let mut counts = HashMap::new();
        self.count_styles(source, &mut counts)?;
        if !counts.is_empty() {
            return Ok(most_frequent(counts));
        }
        if let Some(known) = self.link_style.get() {
            return Ok(known.map(|(markdown, form, ending)| Style {
                markdown,
                form: forms(markdown)[form],
                ending,
            }));
        }
        for entry in self.entries()? {
            self.count_styles(&entry, &mut counts)?;
            if counts.values().sum::<usize>() >= MAX_LINKS_SAMPLED {
                break;
            }
        }
        let style = most_frequent(counts);
        self.link_style.get_or_init(|| {
            let Style {
                markdown,
                form,
                ending,
            } = style?;
            let form = forms(markdown).iter().position(|known| *known == form)?;
            Some((markdown, form, ending))
        });
        Ok(style)
    }

    fn count_styles(&self, entry: &Entry, counts: &mut HashMap<Style, usize>) -> Result<()> {
        for link in self.details(entry.slot)?.links {
            if link.property.is_some() {
                continue;
            }
            let Some(target) = self.resolve(&entry.path, &link.target, link.markdown)? else {
                continue;
            };
            let ending = link.target.to_lowercase().ends_with(".md");
            let written = folded(&link.target);
            let form = forms(link.markdown)
                .iter()
                .find(|form| folded(&form.write(&entry.path, &target.path, ending)) == written);
            if let Some(form) = form {
                let style = Style {
                    markdown: link.markdown,
                    form: *form,
                    ending,
                };
                *counts.entry(style).or_default() += 1;
            }
        }
        Ok(())
    }
}

/// Returns the most frequent style. Ties go to the preferred form, which makes the result deterministic.
fn most_frequent(counts: HashMap<Style, usize>) -> Option<Style> {
    let most = counts.into_iter().max_by_key(|(style, count)| {
        let place = forms(style.markdown)
            .iter()
            .position(|form| *form == style.form);
        (*count, !style.markdown, !style.ending, Reverse(place))
    });
    most.map(|(style, _)| style)
}

/// Returns a wikilink to `target` with the text `written`.
pub(super) fn wikilink(target: &str, written: &str) -> String {
    if folded(target) == folded(written) {
        format!("[[{written}]]")
    } else {
        format!("[[{target}|{written}]]")
    }
}

#[cfg(test)]
mod tests {
    use crate::note::path::VaultPath;
    use crate::view::tests::IndexedVault;

    #[test]
    fn new_links_use_the_existing_style() {
        for (case, own, other, expected) in [
            ("no example", "x", "x", "[[Green Tea|green teas]]"),
            ("a wikilink", "[[Kyoto]]", "x", "[[Green Tea|green teas]]"),
            ("a path", "[[a/Kyoto|k]]", "x", "[[b/Green Tea|green teas]]"),
            (
                "the ending",
                "[[a/Kyoto.md]]",
                "x",
                "[[b/Green Tea.md|green teas]]",
            ),
            (
                "dots",
                "[k](./Kyoto.md)",
                "x",
                "[green teas](../b/Green%20Tea.md)",
            ),
            (
                "from the folder",
                "[k](Kyoto.md)",
                "x",
                "[green teas](../b/Green%20Tea.md)",
            ),
            (
                "from the root",
                "[k](a/Kyoto.md)",
                "x",
                "[green teas](b/Green%20Tea.md)",
            ),
            (
                "rooted",
                "[k](/a/Kyoto)",
                "x",
                "[green teas](/b/Green%20Tea)",
            ),
            (
                "of the vault",
                "x",
                "[k](/a/Kyoto.md)",
                "[green teas](/b/Green%20Tea.md)",
            ),
            (
                "its own first",
                "[[a/Kyoto]]",
                "[k](/a/Kyoto.md)",
                "[[b/Green Tea|green teas]]",
            ),
            (
                "as many by path",
                "[[a/Kyoto|k]] [[Kyoto]]",
                "x",
                "[[Green Tea|green teas]]",
            ),
            (
                "as many of each",
                "[k](/a/Kyoto.md) [k](a/Kyoto.md) [k](Kyoto.md) [k](./Kyoto.md)",
                "x",
                "[green teas](../b/Green%20Tea.md)",
            ),
            (
                "leads nowhere",
                "[[Gone]] [x](gone.md)",
                "x",
                "[[Green Tea|green teas]]",
            ),
        ] {
            let notes = [
                ("a/plan.md", own),
                ("a/Kyoto.md", "x"),
                ("b/Green Tea.md", "x"),
                ("b/other.md", other),
            ];
            let scene = IndexedVault::of(notes, None);
            let view = scene.view(false);
            let at = |path| view.at(&VaultPath::new(path).unwrap()).unwrap().unwrap();
            let link = view.link_to(&at("a/plan.md"), &at("b/Green Tea.md"), "green teas");
            assert_eq!(link.unwrap(), expected, "{case}");
        }
    }
}
