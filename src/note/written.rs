//! Front matter as its author wrote it: what a value alone does not tell, the spelling of a number, quotes
//! and comments, comes along when a property is copied from one note to another.

use yaml_edit::{SyntaxKind, lex};

use super::matter;

/// A property of YAML front matter.
#[derive(Debug, PartialEq, Eq)]
pub struct Written<'y> {
    pub key: String,
    /// Its lines, with the comments and blank lines above it.
    pub lines: &'y str,
}

/// Returns the properties of `yaml` in their order, and the lines behind the last one.
#[must_use]
pub fn properties(yaml: &str) -> (Vec<Written<'_>>, &str) {
    let mut starts = Vec::new();
    let (mut at, mut above) = (0, 0);
    for line in yaml.split_inclusive('\n') {
        let is_comment = line.trim().is_empty() || line.starts_with('#');
        let is_inside = line.starts_with([' ', '\t', '-', ']', '}']);
        if !is_comment && !is_inside {
            starts.push(above);
        }
        at += line.len();
        // Comments and blank lines belong to what follows them.
        if !is_comment {
            above = at;
        }
    }
    let ends = starts.iter().skip(1).copied().chain([above]);
    let lines = starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &yaml[*start..end]);
    let written = lines.map(|lines| Written {
        key: key(lines),
        lines,
    });
    (written.collect(), &yaml[above..])
}

fn key(lines: &str) -> String {
    let parsed = matter::parse(lines).unwrap_or_default();
    let alone = parsed.into_iter().next().map(|(key, _)| key);
    // The name of an anchor in another property cannot be read here.
    alone.unwrap_or_else(|| {
        let said = lines
            .lines()
            .find(|line| !line.trim().is_empty() && !line.starts_with('#'));
        let key = said
            .and_then(|line| line.split_once(':'))
            .map_or("", |(key, _)| key);
        key.trim().trim_matches(['"', '\'']).to_owned()
    })
}

impl Written<'_> {
    /// Returns true if it says what it says only among the properties that stand beside it, or in a way
    /// that only its own note reads: by an anchor, an alias, a merge key, a tag.
    #[must_use]
    pub fn is_tied(&self) -> bool {
        let tokens = lex(self.lines);
        let tied = [
            SyntaxKind::ANCHOR,
            SyntaxKind::REFERENCE,
            SyntaxKind::TAG,
            SyntaxKind::MERGE_KEY,
        ];
        tokens.iter().any(|(kind, _)| tied.contains(kind))
    }
}

/// Returns the comments in some lines of YAML, each as a line of its own, with what it is about.
#[must_use]
pub fn comments(lines: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    for (kind, token) in lex(lines) {
        if kind == SyntaxKind::COMMENT {
            let start = lines[..at].rfind('\n').map_or(0, |start| start + 1);
            let about = lines[start..at].trim();
            let comment = token.trim();
            let line = if about.is_empty() {
                comment.to_owned()
            } else {
                format!("# {about} {comment}")
            };
            found.push((comment.to_owned(), line));
        }
        at += token.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_keep_their_lines() {
        let yaml = "# top\na: 0x1F # why\n\n# list\nb:\n- x\n\n  # in it\n- y\n'c d': |\n  # no comment\n\n  z\n# last\n";
        let (found, rest) = properties(yaml);
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|one| (one.key.as_str(), one.lines))
            .collect();
        assert_eq!(
            found,
            [
                ("a", "# top\na: 0x1F # why\n"),
                ("b", "\n# list\nb:\n- x\n\n  # in it\n- y\n"),
                ("c d", "'c d': |\n  # no comment\n\n  z\n"),
            ]
        );
        assert_eq!(rest, "# last\n");
        assert_eq!(properties("# only\n"), (Vec::new(), "# only\n"));
    }

    #[test]
    fn what_is_tied_to_its_note() {
        for (lines, expected) in [
            ("a: x & y * z ! b << c\n", false),
            ("a: '&b *c !d'\n", false),
            ("a: &b x\n", true),
            ("a: *b\n", true),
            ("<<: *b\n", true),
            ("a: !d x\n", true),
            ("a:\n  <<: {b: 1}\n", true),
        ] {
            let (found, _) = properties(lines);
            assert_eq!(found[0].is_tied(), expected, "{lines:?}");
        }
    }

    #[test]
    fn comments_say_what_they_are_about() {
        let found = comments("# top\na: 'x # y' # why\nb: c#d\n");
        let lines: Vec<&str> = found.iter().map(|(_, line)| line.as_str()).collect();
        assert_eq!(lines, ["# top", "# a: 'x # y' # why"]);
    }
}
