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
            Ok((root, _))
                if root == session.vault.root()
                    || further.iter().any(|(other, _)| *other == root) => {}
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

/// The folders of the vaults that were searched.
#[derive(Debug)]
pub(crate) struct Vaults(Vec<PathBuf>);

impl Vaults {
    /// Those of `first` and of the answers of the further ones; `None` if there is only one.
    pub(crate) fn of<R>(first: &Vault, further: &[(PathBuf, R)]) -> Option<Self> {
        let roots = further.iter().map(|(root, _)| root.clone());
        let roots = std::iter::once(first.root().to_owned()).chain(roots);
        (!further.is_empty()).then(|| Self(roots.collect()))
    }

    /// Returns whether `path` in the vault `own` is also a note of a searched vault inside of `own`, which lists it.
    pub(crate) fn has_inner(&self, own: &Path, path: &VaultPath) -> bool {
        let is_inner = |root: &&PathBuf| root.as_path() != own && root.starts_with(own);
        let note = own.join(path.as_str());
        self.0
            .iter()
            .filter(is_inner)
            .any(|root| note.starts_with(root))
    }
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
    use std::path::{Path, PathBuf};

    use super::{Vaults, merged};
    use crate::note::VaultPath;

    #[test]
    fn the_innermost_vault_has_a_note() {
        let vaults = Vaults(["/n", "/n/team", "/other"].map(PathBuf::from).to_vec());
        for (own, path, is_inner) in [
            ("/n", "team/a.md", true),
            ("/n", "teams/a.md", false),
            ("/n", "a.md", false),
            ("/n/team", "a.md", false),
            ("/other", "n/team/a.md", false),
        ] {
            let path = VaultPath::new(path).unwrap();
            assert_eq!(
                vaults.has_inner(Path::new(own), &path),
                is_inner,
                "{own} {path:?}"
            );
        }
    }

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
