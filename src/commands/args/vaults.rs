//! Answers from several vaults.

use crate::commands::prelude::*;

/// Returns the answer of the open vault, and those of the further vaults with their folders.
///
/// A further vault that cannot be read gives a warning. A status message, such as "no matches", is printed only if no
/// further vault has an answer.
pub(crate) fn in_each_vault<R: Reply>(
    session: &Session,
    answer: impl Fn(&Session) -> Result<R>,
) -> Result<(R, Vec<(PathBuf, R)>)> {
    if session.env.further.is_empty() {
        return Ok((answer(session)?, Vec::new()));
    }
    let output = &session.env.output;
    let (first, messages) = output.collect(|| answer(session));
    let mut further = Vec::new();
    for start in &session.env.further {
        let answer_there = || {
            let there = session.env.of_further(start).open()?;
            Ok::<_, Error>((there.vault.root().to_owned(), answer(&there)?))
        };
        let (answered, messages) = output.collect(answer_there);
        let is_warning = |message: &&Message| matches!(message, Message::Warning(_));
        let warnings = messages.iter().filter(is_warning);
        warnings.for_each(|message| output.print_message(message));
        match answered {
            Ok((root, _)) if root == session.vault.root() => {}
            Ok(answered) => further.push(answered),
            Err(error) => output.warn(&format!(
                "`{}` is left out: {}",
                start.display(),
                error.message()
            )),
        }
    }
    let is_done = |(_, reply): &(PathBuf, R)| matches!(reply.exit(), Ok(Exit::Done));
    let is_found = further.iter().any(is_done);
    let is_needed = |message: &&Message| !is_found || !matches!(message, Message::Status(_));
    let needed = messages.iter().filter(is_needed);
    needed.for_each(|message| output.print_message(message));
    Ok((first?, further))
}

/// Merges two lists whose own order is kept: each time the item of the lesser rank comes next.
pub(crate) fn merged<T, K: Ord>(
    list: Vec<T>,
    other: impl Iterator<Item = T>,
    rank: impl Fn(&T) -> K,
) -> Vec<T> {
    let mut other = other.peekable();
    let mut all = Vec::new();
    for item in list {
        while let Some(better) = other.next_if(|theirs| rank(theirs) < rank(&item)) {
            all.push(better);
        }
        all.push(item);
    }
    all.extend(other);
    all
}

#[cfg(test)]
mod tests {
    use super::merged;

    #[test]
    fn order_of_each_list_is_kept() {
        for (list, other, expected) in [
            (&[][..], &[2, 1][..], "21"),
            (&[1, 3], &[2, 4], "1234"),
            // A statement that belongs to the one above it stays below it.
            (&[5, 1], &[4, 6], "4516"),
            (&[1, 1], &[1], "111"),
        ] {
            let all = merged(list.to_vec(), other.iter().copied(), |&number| number);
            let shown: String = all.iter().map(ToString::to_string).collect();
            assert_eq!(shown, expected, "{list:?} and {other:?}");
        }
    }
}
