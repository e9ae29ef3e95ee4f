//! The title and the file name of a note that has only a text yet.

/// How long a title made of the first words may be.
const TITLE: usize = 60;

/// Returns the title of a text: the first heading, or the first words up to a word's end.
#[must_use]
pub fn title_of(body: &str) -> String {
    let read = super::read(body, "");
    if !read.title.is_empty() {
        return read.title;
    }
    let line = body
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    let words = line.trim_start_matches(['#', '-', '*', '>', ' ']).trim();
    if words.chars().count() <= TITLE {
        return words.trim_end_matches('.').to_owned();
    }
    let mut title = String::new();
    for word in words.split_whitespace() {
        if title.chars().count() + word.chars().count() >= TITLE {
            break;
        }
        if !title.is_empty() {
            title.push(' ');
        }
        title.push_str(word);
    }
    if title.is_empty() {
        title = words.chars().take(TITLE - 1).collect();
    }
    title.push('…');
    title
}

/// Returns a file name made of a title: lower-case words with hyphens, at most 60 bytes.
#[must_use]
pub fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            if slug.len() + c.len_utf8() > 60 {
                break;
            }
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') && !matches!(c, '\'' | '’') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() {
        "note".to_owned()
    } else {
        slug.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs() {
        for (title, expected) in [
            ("Green tea", "green-tea"),
            ("Don't panic!", "dont-panic"),
            ("  --  ", "note"),
            ("緑茶の淹れ方", "緑茶の淹れ方"),
            ("a/b: c", "a-b-c"),
            ("../../etc/passwd", "etc-passwd"),
        ] {
            assert_eq!(slug(title), expected);
        }
        assert!(slug(&"word ".repeat(40)).len() <= 60);
    }
}
