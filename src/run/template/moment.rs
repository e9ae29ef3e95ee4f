//! Formats dates with the patterns of Moment.js, which Obsidian uses.

use jiff::civil::DateTime;

use crate::note::words::lists;

/// Tokens of a format, each with the equivalent `strftime` pattern.
const TOKENS: &str = include_str!("moment.txt");

/// Formats `at` with the Moment.js pattern `format`.
///
/// # Errors
///
/// The first unsupported token of `format`.
pub fn format(format: &str, at: DateTime) -> Result<String, String> {
    let mut written = String::new();
    let mut rest = format;
    while let Some(sign) = rest.chars().next() {
        if let Some((literal, behind)) = rest
            .strip_prefix('[')
            .and_then(|inner| inner.split_once(']'))
        {
            written.push_str(literal);
            rest = behind;
            continue;
        }
        let mut tokens = lists::pairs(TOKENS, "tokens");
        let Some((token, same)) = tokens.find(|(token, _)| rest.starts_with(token)) else {
            written.push(sign);
            rest = &rest[sign.len_utf8()..];
            continue;
        };
        let part = match (token, same) {
            ("Do", _) => Some(ordinal(at.day())),
            (_, "") => None,
            _ => jiff::fmt::strtime::format(same, at).ok(),
        };
        written.push_str(&part.ok_or_else(|| token.to_owned())?);
        rest = &rest[token.len()..];
    }
    Ok(written)
}

fn ordinal(number: i8) -> String {
    let ending = match (number % 10, number) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_as_obsidian_does() {
        let at = jiff::civil::date(2026, 1, 3).at(16, 5, 9, 0);
        for (text, expected) in [
            ("YYYY-MM-DD", Ok("2026-01-03")),
            (
                "YYYY/MM-MMMM/YYYY-MM-DD-dddd",
                Ok("2026/01-January/2026-01-03-Saturday"),
            ),
            ("D. MMM YY", Ok("3. Jan 26")),
            ("dddd, MMMM Do YYYY", Ok("Saturday, January 3rd 2026")),
            ("[Day] DDDD [of] YYYY", Ok("Day 003 of 2026")),
            ("GGGG-[W]WW-E", Ok("2026-W01-6")),
            ("HH:mm:ss h:m A", Ok("16:05:09 4:5 PM")),
            ("YYYY-MM-DDTHH", Ok("2026-01-03T16")),
            ("YYYY[-MM", Ok("2026[-01")),
            ("日YYYY%Y", Err("Y")),
            ("gggg-[W]ww", Err("gggg")),
            ("", Ok("")),
        ] {
            let found = format(text, at);
            assert_eq!(
                found,
                expected.map(str::to_owned).map_err(str::to_owned),
                "{text}"
            );
        }
        let days = [1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 31].map(ordinal);
        assert_eq!(
            days.join(" "),
            "1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 23rd 31st"
        );
    }
}
