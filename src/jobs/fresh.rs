//! New notes that jobs write about others: where they lie, and what all of them have.

use crate::jobs::prelude::*;
use crate::note::front_matter::seal;
use crate::note::front_matter::write::new_note;
use crate::note::read;
use crate::view::remap::is_wikilink_target;

/// Places for notes that one run writes.
#[derive(Debug, Default)]
pub(super) struct Places(HashSet<VaultPath>);

impl Places {
    /// Returns a free path for a note called `title` about `members`: in the deepest folder that all of
    /// them are in, under a name that no link means yet. None if it has no such name.
    pub(super) fn free(
        &mut self,
        view: &View<'_>,
        members: &[&Entry],
        title: &str,
    ) -> Result<Option<VaultPath>> {
        let folder = common_folder(members.iter().map(|entry| &entry.path));
        let naming = view.naming(&folder)?;
        for number in 1..1000 {
            let name = naming.name(title, number);
            let Ok(path) = VaultPath::new(&format!("{folder}{name}.md")) else {
                return Ok(None);
            };
            let is_known =
                view.at(&path)?.is_some() || view.resolve(&path, &name, false)?.is_some();
            if !is_known && self.0.insert(path.clone()) {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }
}

/// Returns the deepest folder that all of `paths` are in, with a slash; empty for the root.
fn common_folder<'p>(mut paths: impl Iterator<Item = &'p VaultPath>) -> String {
    let parts = |path: &VaultPath| -> Vec<String> {
        let path = path.as_str();
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let parts = folder.split('/').filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    };
    let mut common = paths.next().map(parts).unwrap_or_default();
    for path in paths {
        let other = parts(path);
        let same = common.iter().zip(&other).take_while(|(a, b)| a == b);
        common.truncate(same.count());
    }
    common.push(String::new());
    common.join("/")
}

/// Returns the text of a note that `job` writes; `created` is in seconds since 1970.
pub(super) fn text(
    job: &str,
    created: i64,
    mut properties: Vec<(String, Value)>,
    body: &str,
) -> String {
    let created = jiff::Timestamp::from_second(created).unwrap_or_default();
    properties.push(("created".to_owned(), created.to_string().into()));
    properties.push(seal::unsealed(job));
    seal::reseal(&new_note(&properties, body))
}

/// Returns links to `entries` as values of a property; none if the name of one cannot be in a link.
pub(super) fn links(view: &View<'_>, entries: &[&Entry]) -> Result<Option<Vec<Value>>> {
    let mut links = Vec::new();
    for entry in entries {
        let target = view.wikilink_target(entry)?;
        if !is_wikilink_target(&target) {
            return Ok(None);
        }
        links.push(format!("[[{target}]]").into());
    }
    Ok(Some(links))
}

/// Returns the texts of `entries`; none if one cannot be read, which is added to `skipped`.
pub(super) fn texts(
    view: &View<'_>,
    entries: &[&Entry],
    skipped: &mut Vec<String>,
) -> Option<Vec<String>> {
    let mut texts = Vec::new();
    for entry in entries {
        match view.text(entry) {
            Ok(text) => texts.push(text),
            Err(error) => {
                skipped.extend(error.skipped());
                return None;
            }
        }
    }
    Some(texts)
}

/// Returns a stretch of a note as one line of plain text, at most `most` characters: links by what they
/// show, and nothing in it that would be a link, a tag or a mark of a block.
pub(super) fn plain(stretch: &str, most: usize) -> String {
    let mut text = stretch.to_owned();
    for link in read(stretch, "").links.iter().rev() {
        text.replace_range(link.span.clone(), &link.unlinked());
    }
    let words = text.split_whitespace().map(|word| {
        let is_tag = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        match word.strip_prefix('#') {
            Some(rest) if is_tag(rest) => rest,
            _ => word,
        }
    });
    let is_mark =
        |word: &&str| word.starts_with('^') || word.contains("<!--") || word.contains("-->");
    let mut line = String::new();
    for word in words.filter(|word| !is_mark(word)) {
        if line.chars().count() + word.chars().count() >= most {
            line.push('…');
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line.replace("[[", "[").replace("]]", "]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::tests::Scene;

    #[test]
    fn a_new_note_takes_no_name_that_a_link_means() {
        let scene = Scene::new([
            ("a/x/tea.md", "t"),
            ("a/y/mate.md", "m"),
            ("green-tea.md", "g"),
        ]);
        let view = scene.view(false);
        let entries = view.entries().unwrap();
        let members: Vec<&Entry> = entries.iter().collect();
        let mut places = Places::default();
        let mut free = |members: &[&Entry], title: &str| {
            places
                .free(&view, members, title)
                .unwrap()
                .unwrap()
                .to_string()
        };
        assert_eq!(free(&members[..2], "Brews"), "a/brews.md");
        assert_eq!(free(&members[..2], "Brews"), "a/brews-2.md");
        assert_eq!(free(&members[..1], "Green tea"), "a/x/green-tea-2.md");
        assert_eq!(free(&members, "Brews"), "brews.md");
    }

    #[test]
    fn an_extract_links_and_tags_nothing() {
        for (stretch, expected) in [
            (
                "See [[a|the a]]\n and [b](b.md), #hot #1 ^id",
                "See the a and b, hot 1",
            ),
            ("a # b ![[c.png]] <!-- mem x -->", "a # b c.png mem x"),
            ("one two three four", "one two…"),
        ] {
            assert_eq!(
                plain(stretch, if expected.ends_with('…') { 10 } else { 80 }),
                expected
            );
        }
    }
}
