//! Derives file names from titles.

/// A style of file names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileNameStyle {
    /// `green-tea.md`: lower-case words with hyphens.
    Slug,
    /// `Green tea.md`: the title without characters that links or file systems forbid.
    Title,
}

/// Maximum lengths of a name in bytes.
const MAX_SLUG_BYTES: usize = 60;
const MAX_TITLE_BYTES: usize = 80;

/// Characters forbidden in file names or in links to them.
const FORBIDDEN_CHARS: &str = "*\"\\/<>:|?#^[]";

impl FileNameStyle {
    /// Returns the style of the majority of the multi-word `stems`; `None` on a tie or without such names.
    pub fn of<'n>(stems: impl IntoIterator<Item = &'n str>) -> Option<Self> {
        let (mut titles, mut slugs) = (0, 0);
        for stem in stems {
            let joined_by = |c: char| {
                let ends = stem.split(c).collect::<Vec<_>>();
                ends.windows(2).any(|two| {
                    two[0].ends_with(char::is_alphabetic) && two[1].starts_with(char::is_alphabetic)
                })
            };
            if joined_by(' ') {
                titles += 1;
            } else if joined_by('-') {
                slugs += 1;
            }
        }
        match titles.cmp(&slugs) {
            std::cmp::Ordering::Less => Some(Self::Slug),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(Self::Title),
        }
    }

    /// Returns the `number`th candidate name for a title, from 1, without extension.
    pub fn name(self, title: &str, number: usize) -> String {
        let (name, between) = match self {
            Self::Slug => (slug(title), '-'),
            Self::Title => (as_title(title), ' '),
        };
        match number {
            1 => name,
            number => format!("{name}{between}{number}"),
        }
    }
}

/// Returns lower-case words with hyphens.
pub fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            if slug.len() + c.len_utf8() > MAX_SLUG_BYTES {
                break;
            }
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') && !matches!(c, '\'' | '’') {
            slug.push('-');
        }
    }
    or_default_name(slug.trim_end_matches('-'))
}

fn as_title(title: &str) -> String {
    let title = title.replace(|c: char| c.is_control() || FORBIDDEN_CHARS.contains(c), " ");
    let mut name = String::new();
    for word in title.split_whitespace() {
        if !name.is_empty() && name.len() + 1 + word.len() > MAX_TITLE_BYTES {
            break;
        }
        if !name.is_empty() {
            name.push(' ');
        }
        name.push_str(word);
    }
    while name.len() > MAX_TITLE_BYTES {
        name.pop();
    }
    // A dot hides a file, a hyphen looks like a flag.
    let name = name.trim_start_matches(['.', '-', '~', ' ']);
    or_default_name(name.trim_end_matches(['.', '…', ' ']))
}

fn or_default_name(name: &str) -> String {
    if name.is_empty() { "note" } else { name }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_titles() {
        for (title, slug, as_written) in [
            ("Green tea", "green-tea", "Green tea"),
            ("Don't panic!", "dont-panic", "Don't panic!"),
            ("  --  ", "note", "note"),
            ("緑茶の淹れ方", "緑茶の淹れ方", "緑茶の淹れ方"),
            ("a/b: c", "a-b-c", "a b c"),
            ("../../etc/passwd", "etc-passwd", "etc passwd"),
            ("What is [[tea]]?", "what-is-tea", "What is tea"),
            ("-rf it all …", "rf-it-all", "rf it all"),
            ("vs. code", "vs-code", "vs. code"),
        ] {
            assert_eq!(FileNameStyle::Slug.name(title, 1), slug);
            assert_eq!(FileNameStyle::Title.name(title, 1), as_written);
        }
        assert_eq!(FileNameStyle::Slug.name("Green tea", 2), "green-tea-2");
        assert_eq!(FileNameStyle::Title.name("Green tea", 2), "Green tea 2");
        assert!(slug(&"word ".repeat(40)).len() <= MAX_SLUG_BYTES);
        assert_eq!(as_title(&"word ".repeat(40)).len(), 79);
        assert_eq!(as_title(&"緑".repeat(40)).len(), 78);
    }

    #[test]
    fn detects_the_style_of_a_vault() {
        for (stems, naming) in [
            (
                ["Green tea", "the-kettle", "My tea-pot"],
                Some(FileNameStyle::Title),
            ),
            (
                ["green-tea", "tea", "2026-03-05"],
                Some(FileNameStyle::Slug),
            ),
            (["2026-03-05 12", "tea", "2026-03-05"], None),
            (["Green tea", "the-kettle", "tea"], None),
        ] {
            assert_eq!(FileNameStyle::of(stems), naming, "{stems:?}");
        }
    }
}
