//! Completion in bash: the script, parsing of the command line, and quoting of candidates.

use std::ffi::OsString;

/// The bash script. It calls `mem` for candidates for the word before the cursor, one per line.
///
/// Bash splits `tag:te` into several words and replaces only the last.
pub(crate) const SCRIPT: &str = include_str!("bash.sh");

/// A command line up to the cursor.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CommandLine {
    /// The unquoted words, from the program to the word before the cursor.
    pub words: Vec<OsString>,
    /// The begin of the last word that bash does not replace.
    kept: String,
    /// The quote that is open at the cursor.
    quote: Option<char>,
}

impl CommandLine {
    /// Parses `line`; `replaced` is the text that bash replaces at its end.
    pub(crate) fn new(line: &str, replaced: &str) -> Self {
        let (mut words, quote) = split(line, None);
        let last = words.last().map_or("", |word| word);
        let (replaced, _) = split(replaced, quote);
        let prefix = last.strip_suffix(&*replaced.join(" ")).unwrap_or_default();
        let kept = prefix.to_owned();
        if let Some(home) = std::env::home_dir() {
            for word in words.iter_mut().filter(|word| word.starts_with("~/")) {
                *word = word.replacen('~', &home.to_string_lossy(), 1);
            }
        }
        Self {
            words: words.into_iter().map(OsString::from).collect(),
            kept,
            quote,
        }
    }

    /// Returns the replacement that completes the last word to `word`, quoted.
    pub(crate) fn replacing(&self, word: &str) -> Option<String> {
        let rest = word.get(self.kept.len()..)?;
        if rest.is_empty() || rest.contains(char::is_control) {
            return None;
        }
        let mut quoted = String::new();
        for letter in rest.chars() {
            let escape = match self.quote {
                Some('\'') if letter == '\'' => r"'\'",
                // Inside double quotes `!` means history, even after a backslash.
                Some('"') if letter == '!' => {
                    quoted.push_str(r#""'!'""#);
                    continue;
                }
                Some('"') if "\"\\$`".contains(letter) => "\\",
                None if letter.is_ascii() && !is_plain(letter) => "\\",
                _ => "",
            };
            quoted.push_str(escape);
            quoted.push(letter);
        }
        Some(quoted)
    }
}

fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "_-./:=@%+,".contains(letter)
}

/// Splits a line that begins inside `quote` into words; returns the quote open at its end.
///
/// The last word may be empty.
pub(super) fn split(line: &str, mut quote: Option<char>) -> (Vec<String>, Option<char>) {
    let (mut words, mut word, mut is_begun) = (Vec::new(), String::new(), false);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        if quote.is_none() && letter.is_ascii_whitespace() {
            if is_begun {
                words.push(std::mem::take(&mut word));
            }
            is_begun = false;
            continue;
        }
        is_begun = true;
        match (quote, letter) {
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            (None, '\\') => word.extend(letters.next()),
            (Some('"'), '\\') => {
                let next = letters.next();
                if next.is_some_and(|next| !"\"\\$`".contains(next)) {
                    word.push('\\');
                }
                word.extend(next);
            }
            _ => word.push(letter),
        }
    }
    words.push(word);
    (words, quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The replaced texts were recorded with bash 5.2.
    #[test]
    fn lines_are_parsed_and_quoted_as_in_bash() {
        for (line, replaced, words, word, expected) in [
            (
                "mem show gr",
                "gr",
                "mem|show|gr",
                "Green tea",
                r"Green\ tea",
            ),
            (
                r"mem show green\ t",
                r"green\ t",
                "mem|show|green t",
                "Green tea",
                r"Green\ tea",
            ),
            (
                "mem show 'green t",
                "green t",
                "mem|show|green t",
                "Green tea",
                "Green tea",
            ),
            (
                "mem show 'Anna",
                "Anna",
                "mem|show|Anna",
                "Anna's",
                r"Anna'\''s",
            ),
            (
                "mem show \"Anna's",
                "Anna's",
                "mem|show|Anna's",
                "Anna's $5",
                r"Anna's \$5",
            ),
            (
                "mem show \"We",
                "We",
                "mem|show|We",
                "We won! \"",
                r#"We won"'!'" \""#,
            ),
            ("mem show 'a b'  c", "c", "mem|show|a b|c", "cup", "cup"),
            ("mem list is:", "", "mem|list|is:", "is:open", "open"),
            ("mem list tag:te", "te", "mem|list|tag:te", "tag:tea", "tea"),
            (
                "mem list 'tag:te",
                "tag:te",
                "mem|list|tag:te",
                "tag:tea",
                "tag:tea",
            ),
            (
                "mem list tag:'te",
                "te",
                "mem|list|tag:te",
                "tag:tea",
                "tea",
            ),
            (
                r"mem show re:\ t",
                r"\ t",
                "mem|show|re: t",
                "Re: tea",
                r"\ tea",
            ),
            ("mem list @o", "@o", "mem|list|@o", "@open", "@open"),
            ("mem show ", "", "mem|show|", "#1 of 2", r"\#1\ of\ 2"),
        ] {
            let line = CommandLine::new(line, replaced);
            let found: Vec<_> = line
                .words
                .iter()
                .map(|word| word.to_str().unwrap())
                .collect();
            assert_eq!(found.join("|"), words);
            assert_eq!(line.replacing(word).as_deref(), Some(expected));
        }
        assert_eq!(
            CommandLine::new("mem list x:", "").replacing("x:"),
            None,
            "nothing is new"
        );
    }
}
