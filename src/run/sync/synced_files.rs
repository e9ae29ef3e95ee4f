//! The files that a sync commits.

use crate::run::prelude::*;

/// Endings of notes, and of files that notes embed, as in Obsidian.
const SYNCED_ENDINGS: &str = "md avif bmp gif jpeg jpg png svg webp flac m4a mp3 ogg wav webm 3gp mkv mov \
    mp4 ogv pdf canvas base";

/// Files of git that belong to the notes.
const GIT_FILES: [&str; 2] = [".gitattributes", ".gitignore"];

/// Whether a sync commits the file: a note, an attachment, or a record of mem.
pub(super) fn is_synced(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    if let Some(own) = path
        .strip_prefix(OWN_FOLDER)
        .filter(|own| own.starts_with('/'))
    {
        return !own.starts_with("/cache/") && !name.starts_with(".~mem-");
    }
    let is_hidden = path.split('/').any(|part| part.starts_with('.'));
    let ending = name
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_ascii_lowercase());
    // The name of a note may have a line break, although mem does not write such notes.
    let has_ending = ending.is_some_and(|it| SYNCED_ENDINGS.split(' ').any(|known| known == it));
    !is_hidden && has_ending || GIT_FILES.contains(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_notes_and_their_files_are_synced() {
        for (path, expected) in [
            ("a.md", true),
            ("x/b.MD", true),
            ("x/two\nlines.md", true),
            ("x/photo.JPG", true),
            (".gitattributes", true),
            (".mem/journal/1/moves.jsonl", true),
            (".mem/config.toml", true),
            (".mem/cache/learned", false),
            (".mem/.~mem-1", false),
            (".memory/a.md", false),
            (".obsidian/x.md", false),
            ("main.rs", false),
            ("x/.gitignore", false),
        ] {
            assert_eq!(is_synced(path), expected, "{path}");
        }
    }
}
