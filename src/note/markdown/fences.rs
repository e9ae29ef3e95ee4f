//! Which lines of a text are fenced code, for readers that go line by line.

/// The fences of code, as lines are read one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fences {
    /// The sign of the fence that is open, and how long it is.
    open: Option<(char, usize)>,
}

/// What a line is to code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    Fence,
    Inside,
    Outside,
}

impl Fences {
    /// Returns what the next line is.
    pub fn next(&mut self, line: &str) -> Code {
        let (_, line) = unquoted(line);
        let sign = line.chars().next().filter(|c| matches!(c, '`' | '~'));
        let length = line.chars().take_while(|c| Some(*c) == sign).count();
        match (self.open, sign) {
            // Three signs that end on the line set code within it.
            (None, Some(sign))
                if length >= 3 && (sign == '~' || !line[length..].contains(sign)) =>
            {
                self.open = Some((sign, length));
                Code::Fence
            }
            (Some((open, least)), Some(sign))
                if sign == open && length >= least && line[length..].trim().is_empty() =>
            {
                self.open = None;
                Code::Fence
            }
            (None, _) => Code::Outside,
            (Some(_), _) => Code::Inside,
        }
    }
}

/// Returns in how many quotes a line stands, and what stands in them.
pub fn unquoted(line: &str) -> (usize, &str) {
    let mut rest = line.trim_start();
    let mut depth = 0;
    while let Some(inside) = rest.strip_prefix('>') {
        depth += 1;
        rest = inside.strip_prefix(' ').unwrap_or(inside);
    }
    (depth, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_stands_between_its_fences() {
        let mut fences = Fences::default();
        let text = "a\n````md\n```\n~~~\n> x\n````\nb\n> ~~~\n> c\n> ~~~\n``x``\n```x```\n";
        let read: String = text
            .lines()
            .map(|line| match fences.next(line) {
                Code::Fence => 'f',
                Code::Inside => 'i',
                Code::Outside => 'o',
            })
            .collect();
        assert_eq!(read, "ofiiifofifoo");
    }
}
