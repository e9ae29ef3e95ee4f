//! The files that a sync commits.

use crate::run::prelude::*;
use crate::vault::is_note_name;

/// Files that notes embed, as in Obsidian.
const ATTACHMENTS: &str = "avif bmp gif jpeg jpg png svg webp flac m4a mp3 ogg wav webm 3gp mkv mov \
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
    let is_attachment = ending.is_some_and(|it| ATTACHMENTS.split(' ').any(|known| known == it));
    !is_hidden && (is_attachment || is_note_name(path)) || GIT_FILES.contains(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_notes_and_their_files_are_synced() {
        for (path, expected) in [
            ("a.md", true),
            ("x/b.MD", true),
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
