//! Removes links from a vault and leaves their labels as text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use regex::Regex;

use crate::support::random::Random;
use crate::support::{AtPath, Outcome, rough};

/// Two note paths in ascending order.
pub(crate) type Pair = (String, String);

/// The removed links.
pub(crate) struct HiddenLinks {
    pub(crate) pairs: BTreeSet<Pair>,
}

/// A link to another note in a text.
struct Link {
    start: usize,
    end: usize,
    to: String,
    label: String,
}

pub(crate) fn pair(a: &str, b: &str) -> Pair {
    let (first, second) = if a < b { (a, b) } else { (b, a) };
    (first.to_owned(), second.to_owned())
}

/// Draws `share` of the linked pairs and removes all links between them.
pub(crate) fn hide(vault: &Path, share: f64, random: &mut Random) -> Outcome<HiddenLinks> {
    let mut texts = BTreeMap::new();
    for file in rough::markdown_files(vault)? {
        let path = file.strip_prefix(vault)?.to_string_lossy().into_owned();
        texts.insert(
            path,
            String::from_utf8_lossy(&fs::read(&file).at(&file)?).into_owned(),
        );
    }
    let reader = Reader::of(texts.keys().map(String::as_str))?;
    let links: BTreeMap<&String, Vec<Link>> = texts
        .iter()
        .map(|(path, text)| (path, reader.links(path, text)))
        .collect();
    let joined: BTreeSet<Pair> = links
        .iter()
        .flat_map(|(path, links)| links.iter().map(|link| pair(path, &link.to)))
        .collect();
    let mut drawn: Vec<Pair> = joined.into_iter().collect();
    for at in (1..drawn.len()).rev() {
        drawn.swap(at, random.below(at + 1));
    }
    drawn.truncate((drawn.len() as f64 * share) as usize);
    let pairs: BTreeSet<Pair> = drawn.into_iter().collect();
    for (path, links) in &links {
        let mut text = texts[*path].clone();
        for link in links.iter().rev() {
            if pairs.contains(&pair(path, &link.to)) {
                text.replace_range(link.start..link.end, &link.label);
            }
        }
        if text != texts[*path] {
            let file = vault.join(path);
            fs::write(&file, text).at(&file)?;
        }
    }
    Ok(HiddenLinks { pairs })
}

struct Reader {
    link: Regex,
    code: Regex,
    /// Paths by lower-case file name.
    named: BTreeMap<String, Vec<String>>,
}

impl Reader {
    fn of<'p>(paths: impl Iterator<Item = &'p str>) -> Outcome<Self> {
        let mut named: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for path in paths {
            named.entry(stem(path)).or_default().push(path.to_owned());
        }
        Ok(Self {
            link: Regex::new(
                r"!?\[\[([^\[\]\n|]+?)(?:\|([^\]\n]*))?\]\]|!?\[([^\[\]\n]*)\]\(<?([^()\s>]+)>?\)",
            )?,
            code: Regex::new(r"(?s)```.*?```|~~~.*?~~~|`[^`\n]+`")?,
            named,
        })
    }

    /// Returns the links of a text to other notes, in order.
    fn links(&self, path: &str, text: &str) -> Vec<Link> {
        let code: Vec<_> = self
            .code
            .find_iter(text)
            .map(|found| found.range())
            .collect();
        let mut links = Vec::new();
        for found in self.link.captures_iter(text) {
            let Some(whole) = found.get(0) else {
                continue;
            };
            if code.iter().any(|code| code.contains(&whole.start())) {
                continue;
            }
            let group = |number: usize| found.get(number).map(|group| group.as_str());
            let Some(target) = group(1).or(group(4)) else {
                continue;
            };
            let Some(to) = self.resolve(path, target).filter(|to| to != path) else {
                continue;
            };
            let label = match (group(2), group(3)) {
                (Some(label), _) | (None, Some(label)) => label.to_owned(),
                // Programs show the name without folders.
                (None, None) => {
                    let name = target.split('#').next().unwrap_or(target);
                    let name = name.rsplit('/').next().unwrap_or(name);
                    name.trim_end_matches(".md").to_owned()
                }
            };
            links.push(Link {
                start: whole.start(),
                end: whole.end(),
                to,
                label,
            });
        }
        links
    }

    fn resolve(&self, from: &str, target: &str) -> Option<String> {
        if target.contains("://") {
            return None;
        }
        let target = target.replace("%20", " ");
        let target = target.split('#').next()?.trim();
        let candidates = self.named.get(&stem(target))?;
        if let [one] = candidates.as_slice() {
            return Some(one.clone());
        }
        let wanted = target.trim_start_matches(['.', '/']).to_lowercase();
        let wanted = format!("/{}", wanted.trim_end_matches(".md"));
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let fits = |path: &&String| {
            format!("/{}", path.to_lowercase().trim_end_matches(".md")).ends_with(&wanted)
        };
        let is_beside =
            |path: &String| path.rsplit_once('/').map_or("", |(folder, _)| folder) == folder;
        let fitting = candidates.iter().filter(fits);
        fitting
            .min_by_key(|path| (!is_beside(path), path.len()))
            .cloned()
    }
}

fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.split('#').next().unwrap_or(name);
    name.trim_end_matches(".md").trim().to_lowercase()
}
