//! Derives a title from the text of a note.

/// Maximum length of a title made of the first words.
const MAX_TITLE_CHARS: usize = 60;

/// Returns the title of a text: the first heading, or the first words, cut at a word end.
pub fn title_of(body: &str) -> String {
    let read = crate::note::read(body, "");
    if !read.title.is_empty() {
        return read.title;
    }
    let line = body
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    let words = line.trim_start_matches(['#', '-', '*', '>', ' ']).trim();
    if words.chars().count() <= MAX_TITLE_CHARS {
        return words.trim_end_matches('.').to_owned();
    }
    let mut title = String::new();
    for word in words.split_whitespace() {
        if title.chars().count() + word.chars().count() >= MAX_TITLE_CHARS {
            break;
        }
        if !title.is_empty() {
            title.push(' ');
        }
        title.push_str(word);
    }
    if title.is_empty() {
        title = words.chars().take(MAX_TITLE_CHARS - 1).collect();
    }
    title.push('…');
    title
}
