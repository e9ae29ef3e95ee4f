//! Prompts of judges: a general one and one per kind of question. Files of the user override them.

use std::io::ErrorKind;

use crate::run::prelude::*;

/// The name of the prompt that precedes every question.
pub const GENERAL: &str = "answer";

/// The name of the prompt for writing the body of merged notes.
pub const REWRITE: &str = "rewrite";

/// The name of the prompt for extracting facts.
pub const FACTS: &str = "facts";

/// Returns the names of all prompts.
pub fn names() -> impl Iterator<Item = &'static str> {
    let kinds = QuestionKind::ALL.iter().map(|kind| kind.name());
    [GENERAL, REWRITE, FACTS].into_iter().chain(kinds)
}

/// Returns the names of the prompts for a question of `kind`. `rewrites` adds the one for merged
/// notes.
pub(super) fn prompt_names(kind: &'static str, rewrites: bool) -> Vec<&'static str> {
    if kind == FACTS {
        return vec![FACTS];
    }
    let has_rewrite = rewrites && kind == QuestionKind::Merge.name();
    let rewrite = has_rewrite.then_some(REWRITE);
    [GENERAL, kind].into_iter().chain(rewrite).collect()
}

/// The prompts in use.
#[derive(Clone, Debug)]
pub struct Prompts {
    folder: PathBuf,
    /// In the order of [`names`].
    all: Vec<Prompt>,
}

#[derive(Clone, Debug)]
pub struct Prompt {
    pub name: &'static str,
    pub text: String,
    /// Whether it comes from a file of the user.
    pub is_own: bool,
}

impl Prompts {
    /// Reads the prompts in the folder `config` of user settings; the rest are built in.
    pub fn load(config: &Path) -> Result<Self> {
        let folder = config.join("prompts");
        let read = |name: &'static str| {
            let file = folder.join(format!("{name}.md"));
            let (text, is_own) = match fs::read_to_string(&file) {
                Ok(text) => (text, true),
                Err(error) if error.kind() == ErrorKind::NotFound => (built_in(name), false),
                Err(error) => return Err(Error::io("read", &file, &error)),
            };
            Ok(Prompt { name, text, is_own })
        };
        let all = names().map(read).collect::<Result<_, _>>()?;
        Ok(Self { folder, all })
    }

    /// Returns the file that overrides the prompt `name`.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.md"))
    }

    /// Returns the prompt called `name`.
    pub fn named(&self, name: &str) -> Option<&Prompt> {
        self.all.iter().find(|prompt| prompt.name == name)
    }

    /// Returns the texts of the prompts, separated by blank lines.
    pub fn joined(&self, names: &[&str]) -> String {
        let prompts = names.iter().filter_map(|name| self.named(name));
        let texts: Vec<&str> = prompts.map(|prompt| prompt.text.trim()).collect();
        texts.join("\n\n")
    }

    /// Returns a hash of the user's prompts among `names`, if there are any.
    pub fn own(&self, names: &[&str]) -> Option<u64> {
        let prompts = self
            .all
            .iter()
            .filter(|prompt| prompt.is_own && names.contains(&prompt.name));
        let own: Vec<_> = prompts.map(|prompt| (prompt.name, &prompt.text)).collect();
        (!own.is_empty()).then(|| xxh3_64(format!("{own:?}").as_bytes()))
    }
}

fn built_in(name: &str) -> String {
    let kind = QuestionKind::ALL
        .into_iter()
        .find(|kind| kind.name() == name);
    let text = match (kind, name) {
        (Some(kind), _) => kind.spec().prompt,
        (None, REWRITE) => include_str!("prompts/rewrite.md"),
        (None, FACTS) => include_str!("prompts/facts.md"),
        (None, _) => include_str!("prompts/answer.md"),
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::question::Answer;

    #[test]
    fn prompts_quote_only_valid_answers() {
        for kind in QuestionKind::ALL {
            let answers: Vec<String> = kind.answers().iter().map(Answer::to_string).collect();
            let quoted = kind.spec().prompt.split('"').skip(1).step_by(2);
            for word in quoted {
                assert!(
                    answers.iter().any(|answer| answer == word),
                    "{kind:?}: {word}"
                );
            }
        }
    }

    #[test]
    fn a_user_file_overrides_a_prompt() {
        let config = tempfile::tempdir().unwrap();
        let built_in = Prompts::load(config.path()).unwrap();
        let merge = prompt_names("merge", false);
        assert_eq!(built_in.own(&merge), None);
        fs::create_dir(config.path().join("prompts")).unwrap();
        fs::write(built_in.file("merge"), "Only twins.\n").unwrap();
        let own = Prompts::load(config.path()).unwrap();
        assert!(own.joined(&[GENERAL, "merge"]).ends_with("\n\nOnly twins."));
        assert!(own.named("merge").unwrap().is_own && !own.named("link").unwrap().is_own);
        let first = own.own(&merge);
        // Prompts of other kinds are unaffected.
        assert_eq!(own.own(&prompt_names("link", true)), None);
        fs::write(built_in.file("merge"), "Only copies.\n").unwrap();
        assert_ne!(Prompts::load(config.path()).unwrap().own(&merge), first);
    }
}
