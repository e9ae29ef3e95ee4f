//! Spelling variants of a name: `EIP-1559`, `eip 1559`, `eip1559` and `1559` identify the same note.

use crate::note::path::without_ending;
use crate::note::words::letters::folded;

/// A name in the forms used for comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameForms {
    /// Lower case, without file extension.
    pub folded: String,
    /// Lower case, with single spaces between words instead of hyphens and underscores.
    pub joined: String,
}

impl NameForms {
    /// Reads `name`, which may be a file name.
    pub fn of(name: &str) -> Self {
        let folded = folded(without_ending(name.trim()));
        let words: Vec<&str> = folded
            .split(|c: char| c.is_whitespace() || matches!(c, '-' | '_'))
            .filter(|word| !word.is_empty())
            .collect();
        Self {
            joined: words.join(" "),
            folded,
        }
    }

    /// Returns whether this typed name equals `name` except for word separators, which may be missing.
    pub fn is_joined_as(&self, name: &Self) -> bool {
        !self.joined.is_empty()
            && (self.joined == name.joined
                || !self.joined.contains(' ')
                    && name.joined.contains(' ')
                    && name.joined.split(' ').collect::<String>() == self.joined)
    }

    /// Returns the trailing number if the other words contain no digits; part of a date does not count.
    pub fn number(&self) -> Option<&str> {
        let (before, last) = self.joined.rsplit_once(' ').unwrap_or(("", &self.joined));
        let is_number = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
        (is_number && !before.bytes().any(|byte| byte.is_ascii_digit())).then_some(last)
    }

    /// Returns whether this typed name is the number at the end of the file name `stem`.
    pub fn is_number_of(&self, stem: &Self) -> bool {
        let number = self.number().filter(|number| *number == self.folded);
        number.is_some() && stem.number() == number
    }

    /// Returns it with a space between adjacent letters and digits.
    pub fn apart(&self) -> String {
        let mut apart = String::with_capacity(self.joined.len() + 2);
        let mut last: Option<char> = None;
        for c in self.joined.chars() {
            let meets = |last: char| {
                last.is_ascii_digit() && c.is_alphabetic()
                    || last.is_alphabetic() && c.is_ascii_digit()
            };
            if last.is_some_and(meets) {
                apart.push(' ');
            }
            apart.push(c);
            last = Some(c);
        }
        apart
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_in_many_forms() {
        for (typed, name, is_joined, is_number) in [
            ("eip 1559", "EIP_1559", true, false),
            ("eip1559", "EIP-1559", true, false),
            ("EIP-1559.md", "eip 1559", true, false),
            ("zerosum", "Zero-sum", true, false),
            ("now here", "Nowhere", false, false),
            ("1559", "eip-1559.md", false, true),
            ("59", "eip-1559", false, false),
            ("12", "2024-05-12", false, false),
            ("eip 1559", "1559", false, false),
            ("", "", false, false),
            ("-", "_", false, false),
        ] {
            let (typed, name) = (NameForms::of(typed), NameForms::of(name));
            assert_eq!(typed.is_joined_as(&name), is_joined, "{typed:?} {name:?}");
            assert_eq!(typed.is_number_of(&name), is_number, "{typed:?} {name:?}");
        }
        assert_eq!(NameForms::of("EIP1559 v2").apart(), "eip 1559 v 2");
    }
}
