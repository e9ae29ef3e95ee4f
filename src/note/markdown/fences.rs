//! Detects fenced code for readers that process text line by line.

/// The state of code fences while lines are read in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fences {
    /// Sign and length of the open fence.
    open: Option<(char, usize)>,
}

/// The position of a line relative to fenced code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    Fence,
    Inside,
    Outside,
}

impl Fences {
    /// Classifies the next line.
    pub fn next(&mut self, line: &str) -> Code {
        let (_, line) = unquoted(line);
        let sign = line.chars().next().filter(|c| matches!(c, '`' | '~'));
        let length = line.chars().take_while(|c| Some(*c) == sign).count();
        match (self.open, sign) {
            // Backticks that close on the same line are inline code.
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

/// Returns the quote depth of a line, and its text without quote markers.
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
    fn code_is_between_fences() {
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
