//! Finds the note that an argument names. Ambiguous names are prompted for or listed, never
//! guessed.

use strsim::osa_distance;

use super::prompt::select_match;
use crate::cache::PrefixKind;
use crate::cache::text::spelling::max_typos;
use crate::commands::prelude::*;
use crate::config::nearest;
use crate::note::words::letters::folded;
use crate::run::lookup::ambiguous;

/// Returns the note that `name` names; prompts on a terminal if it is ambiguous.
///
/// An existing file of that path comes first, since shell completion gives such paths. A symbolic
/// link names its target. A prefix of a name is not enough, since callers change or remove the
/// note.
pub(crate) fn find_note(env: &Environment, view: &View<'_>, name: &str) -> Result<Entry> {
    if let Some(entry) = view.at_file(&env.start.join(name))? {
        return Ok(entry);
    }
    let found = view.named_whole(name)?;
    if !found.is_empty() {
        return disambiguate(env, view, name, found);
    }
    let folder = env.start.join(name);
    if folder.is_dir()
        && let Some(path) = Vault::find(&env.start)?.path_of(&folder)
    {
        let path = shell_word(path.as_str());
        return Err(
            Error::new(format!("`{name}` is a folder, not a note")).hint(format!(
                "`mem list --in {path} -0` prints the paths of its notes for `xargs -0`"
            )),
        );
    }
    let entries = view.named(name)?.into_iter();
    let paths: Vec<VaultPath> = entries.map(|entry| entry.path).collect();
    match &paths[..] {
        [] => Err(no_match_error(env, view, name)?),
        [path] => Err(Error::new(format!("no note is called `{name}`"))
            .hint(format!("did you mean `{path}`?"))),
        _ => Err(ambiguous(name, "notes", NAME_BY_PATH, &paths)),
    }
}

/// Like [`find_note`], but accepts part of a name; for commands that only read.
pub(crate) fn find_note_to_show(env: &Environment, view: &View<'_>, name: &str) -> Result<Entry> {
    if let Some(entry) = view.at_file(&env.start.join(name))? {
        return Ok(entry);
    }
    match view.named(name)? {
        found if found.is_empty() => Err(no_match_error(env, view, name)?),
        found => disambiguate(env, view, name, found),
    }
}

/// Returns the notes that `names` name, without duplicates.
pub(crate) fn find_notes(
    env: &Environment,
    view: &View<'_>,
    names: &[String],
) -> Result<Vec<Entry>> {
    let mut entries: Vec<Entry> = Vec::new();
    for name in names {
        let entry = find_note(env, view, name)?;
        if !entries.iter().any(|known| known.slot == entry.slot) {
            entries.push(entry);
        }
    }
    Ok(entries)
}

/// Returns the path of an existing note, or of one that a run removed.
pub(crate) fn find_note_or_past(session: &Session, name: &str) -> Result<VaultPath> {
    let (_cache, view) = session.fresh_view()?;
    match VaultPath::new(name) {
        // A name with an ending is a path, also of a removed note.
        Ok(path) if view.at(&path)?.is_none() && path.stem().len() < path.as_str().len() => {
            Ok(path)
        }
        _ => Ok(find_note(&session.env, &view, name)?.path),
    }
}

/// Like [`find_note`], but avoids updating the index, so that appending a line is fast.
///
/// A path needs no index. A name found in the stale index is verified in the file.
pub(crate) fn find_note_unindexed(session: &Session, name: &str) -> Result<VaultPath> {
    let (env, vault) = (&session.env, &session.vault);
    let files = [
        env.start.join(name),
        vault.root().join(name),
        vault.root().join(format!("{name}.md")),
    ];
    let mut paths = files.iter().filter_map(|file| vault.path_of(file));
    if let Some(path) = paths.find(|path| vault.writable(path).is_ok()) {
        return Ok(path);
    }
    let cache = session.cache()?;
    if let [entry] = &session.view(&cache)?.named_exactly(name)?[..]
        && is_called(session, &entry.path, name)
    {
        return Ok(entry.path.clone());
    }
    drop(cache);
    let cache = session.fresh_cache()?;
    Ok(find_note(env, &session.view(&cache)?, name)?.path)
}

fn is_called(session: &Session, path: &VaultPath, name: &str) -> bool {
    let Ok(file) = session.vault.read(path) else {
        return false;
    };
    let note = note::read(&file.text, path.stem());
    let id = note::text_of(&note.properties, "id");
    let mut names = [note.title.as_str(), path.stem()]
        .into_iter()
        .chain(id.as_deref())
        .chain(note.aliases.iter().map(String::as_str));
    names.any(|known| known.to_lowercase() == name.trim().to_lowercase())
}

/// Minimum letters of a name with a typo; shorter ones are too similar to each other.
const MIN_LETTERS_OF_TYPO: usize = 4;
/// Maximum number of suggested names.
const MAX_NEAR_NAMES: usize = 3;

const NAME_BY_PATH: &str = "use its path:";

fn disambiguate(
    env: &Environment,
    view: &View<'_>,
    name: &str,
    mut found: Vec<Entry>,
) -> Result<Entry> {
    let paths: Vec<VaultPath> = found.iter().map(|entry| entry.path.clone()).collect();
    let at = match paths.len() {
        1 => Some(0),
        count => select_match(env, name, count, |at| described(view, &found[at])),
    };
    match at {
        Some(at) => Ok(found.swap_remove(at)),
        None => Err(ambiguous(name, "notes", NAME_BY_PATH, &paths)),
    }
}

/// Returns the path of a note and its first line of text.
fn described(view: &View<'_>, entry: &Entry) -> Line {
    let line = Line::of(None, entry.path.as_str());
    let Ok(text) = view.text(entry) else {
        return line;
    };
    let body = &text[note::read(&text, entry.path.stem()).body];
    let mut lines = body.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    line.and(Style::Faint, format!("  {}", first.unwrap_or_default()))
}

fn no_match_error(env: &Environment, view: &View<'_>, name: &str) -> Result<Error, CacheError> {
    if let Some(why) = view.refused(&env.start.join(name)) {
        return Ok(why.into());
    }
    let error = Error::new(format!("no note matches `{name}`"));
    let names = view.reading().beginning(PrefixKind::Name, "", usize::MAX)?;
    let mut near = names_with_typos(name, &names);
    if near.is_empty() {
        near.extend(nearest(name, &names).map(String::as_str));
    }
    let near: Vec<String> = near.iter().map(|near| format!("`{near}`")).collect();
    Ok(match &near[..] {
        [_, ..] => error.hint(format!("did you mean {}?", near.join(" or "))),
        [] => error.hint(format!(
            "search the notes with `mem search {}`",
            shell_word(name)
        )),
    })
}

/// Returns the names with the words of `name`, each name with few typos, fewest first.
///
/// Part of a name is enough, because `show` accepts the beginning of one.
fn names_with_typos<'n>(name: &str, names: &'n [String]) -> Vec<&'n str> {
    let typed = folded(name);
    let (words, letters) = (typed.split_whitespace().count(), typed.chars().count());
    if letters < MIN_LETTERS_OF_TYPO {
        return Vec::new();
    }
    let typos_in = |known: &str| {
        let known = folded(known);
        let parts: Vec<&str> = known.split_whitespace().collect();
        let spans = parts.windows(words.max(1)).map(|part| part.join(" "));
        let similar = spans.filter(|span| span.chars().count().abs_diff(letters) <= 2);
        let typos = similar.map(|span| osa_distance(&span, &typed)).min()?;
        (typos <= max_typos(letters)).then_some((typos, parts.len()))
    };
    let rated = names
        .iter()
        .filter_map(|known| Some((typos_in(known)?, known.as_str())));
    let mut rated: Vec<((usize, usize), &str)> = rated.collect();
    rated.sort_unstable();
    let near = rated.into_iter().map(|(_, known)| known);
    near.take(MAX_NEAR_NAMES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_in_part_of_a_name_is_found() {
        let names = [
            "CRDTs and text editors",
            "Grüner Tee im Garten",
            "Green tea",
            "Réunion de mars à Lyon",
            "Receta de gazpacho",
            "Viaggio in Sardegna",
            "Horta comunitária",
            "Key",
        ]
        .map(str::to_owned);
        for (typed, expected) in [
            ("crtds", &["CRDTs and text editors"][..]),
            ("Grüenr Tee", &["Grüner Tee im Garten"]),
            ("green tae", &["Green tea"]),
            ("réunoin", &["Réunion de mars à Lyon"]),
            ("gazpahco", &["Receta de gazpacho"]),
            ("sardenga", &["Viaggio in Sardegna"]),
            ("horta comunitaira", &["Horta comunitária"]),
            ("kye", &[]),
            ("lantern", &[]),
            ("", &[]),
        ] {
            assert_eq!(names_with_typos(typed, &names), expected, "{typed}");
        }
    }
}
