//! Why two changes cannot be combined, and how both versions are kept.

use std::fmt;

/// The reason of a conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Both sides changed the same words.
    Words,
    /// Both sides changed neighbouring lines of a block that may not be torn.
    Block,
    /// Both sides replaced the same text.
    Replaced,
    /// One side deleted text that the other side changed or moved.
    Deleted,
    /// One side added text in the middle of text that the other side deleted.
    DeletedAround,
    /// Both sides changed a property.
    Property(String),
    /// Both sides changed front matter that cannot be read.
    FrontMatter,
    /// A file with NUL bytes, for example in UTF-16.
    Binary,
    /// The merged text failed the independent check, so both versions of each changed region are kept.
    Check,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Words => "both sides changed the same words",
            Self::Block => "both sides changed this block",
            Self::Replaced => "both sides replaced the same text",
            Self::Deleted => "one side deleted what the other changed",
            Self::DeletedAround => "one side deleted the text around it",
            Self::Property(key) => return write!(f, "both sides changed `{key}`"),
            Self::FrontMatter => "both sides changed front matter that cannot be read",
            Self::Binary => {
                "both sides changed a file that has NUL bytes, as UTF-16 does; ours was kept"
            }
            Self::Check => "the merge by structure failed its check",
        })
    }
}

/// A place where both versions are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextConflict {
    pub refusal: Refusal,
    /// First line of the text.
    pub near: String,
}

/// Returns both versions between conflict markers, without a final line ending.
pub(super) fn marked(refusal: &Refusal, [ours, theirs]: [&str; 2]) -> String {
    let lines = |text: &str| match text {
        "" => String::new(),
        text if text.ends_with('\n') => text.to_owned(),
        text => format!("{text}\n"),
    };
    let (ours, theirs) = (lines(ours), lines(theirs));
    format!("<<<<<<< ours (refused_by: {refusal})\n{ours}=======\n{theirs}>>>>>>> theirs")
}
