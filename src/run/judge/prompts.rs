//! What judges are told before a question: one text for all, one for each kind; a file of the user's comes first.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use crate::error::Error;
use crate::finding::question::Kind;

/// The name of the text that stands before every question.
pub const GENERAL: &str = "answer";

/// The name of the text that asks for the body of merged notes.
pub const REWRITE: &str = "rewrite";

/// The texts in use.
#[derive(Clone, Debug)]
pub struct Prompts {
    folder: PathBuf,
    general: Prompt,
    rewrite: Prompt,
    /// In the order of [`Kind::ALL`].
    kinds: Vec<Prompt>,
}

#[derive(Clone, Debug)]
pub struct Prompt {
    pub text: String,
    /// Whether it is the user's.
    pub is_own: bool,
}

impl Prompts {
    /// Reads those that stand in `config`, the folder of the user's settings, and takes the rest from mem.
    pub fn load(config: &Path) -> Result<Self, Error> {
        let folder = config.join("prompts");
        let read = |name: &str, text: &str| {
            let file = folder.join(format!("{name}.md"));
            match fs::read_to_string(&file) {
                Ok(text) => Ok(Prompt { text, is_own: true }),
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(Prompt {
                    text: text.to_owned(),
                    is_own: false,
                }),
                Err(error) => Err(Error::io("read", &file, &error)),
            }
        };
        let kinds = Kind::ALL.iter().map(|kind| read(kind.name(), of(*kind)));
        let kinds = kinds.collect::<Result<_, _>>()?;
        let general = read(GENERAL, include_str!("prompts/answer.md"))?;
        let rewrite = read(REWRITE, include_str!("prompts/rewrite.md"))?;
        Ok(Self {
            folder,
            general,
            rewrite,
            kinds,
        })
    }

    /// Returns the file in which the user can have `name` otherwise.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.md"))
    }

    #[must_use]
    pub fn general(&self) -> &Prompt {
        &self.general
    }

    #[must_use]
    pub fn of(&self, kind: Kind) -> &Prompt {
        &self.kinds[kind as usize]
    }

    #[must_use]
    pub fn rewrite(&self) -> &Prompt {
        &self.rewrite
    }

    /// Returns all that is said before a question of `kind`.
    #[must_use]
    pub fn instructions(&self, kind: Kind) -> String {
        let (general, kind) = (self.general.text.trim(), self.of(kind).text.trim());
        format!("{general}\n\n{kind}")
    }

    /// Returns a number that changes with what the user has otherwise; none if that is nothing.
    #[must_use]
    pub fn own(&self) -> Option<u64> {
        let own = [&self.general, &self.rewrite]
            .into_iter()
            .chain(&self.kinds);
        let own: Vec<_> = own
            .map(|prompt| prompt.is_own.then_some(&prompt.text))
            .collect();
        let is_any = own.iter().any(Option::is_some);
        is_any.then(|| xxh3_64(format!("{own:?}").as_bytes()))
    }
}

fn of(kind: Kind) -> &'static str {
    match kind {
        Kind::Merge => include_str!("prompts/merge.md"),
        Kind::Conflict => include_str!("prompts/conflict.md"),
        Kind::Link => include_str!("prompts/link.md"),
        Kind::Mention => include_str!("prompts/mention.md"),
        Kind::Space => include_str!("prompts/space.md"),
        Kind::Decay => include_str!("prompts/decay.md"),
        Kind::Forget => include_str!("prompts/forget.md"),
        Kind::Cluster => include_str!("prompts/cluster.md"),
        Kind::Consolidate => include_str!("prompts/consolidate.md"),
        Kind::Association => include_str!("prompts/association.md"),
        Kind::View => include_str!("prompts/view.md"),
        Kind::Split => include_str!("prompts/split.md"),
    }
}
