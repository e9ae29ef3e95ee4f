//! Why two changes cannot be combined, and how both versions are kept.

/// The reason of a conflict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Both sides changed the same words.
    #[error("both sides changed the same words")]
    Words,
    /// Both sides changed neighbouring lines of a block that may not be torn.
    #[error("both sides changed this block")]
    Block,
    /// Both sides replaced the same text.
    #[error("both sides replaced the same text")]
    Replaced,
    /// One side deleted text that the other side changed or moved.
    #[error("one side deleted what the other changed")]
    Deleted,
    /// One side added text in the middle of text that the other side deleted.
    #[error("one side deleted the text around it")]
    DeletedAround,
    /// Both sides changed a property.
    #[error("both sides changed `{0}`")]
    Property(String),
    /// Both sides changed front matter that cannot be read.
    #[error("both sides changed front matter that cannot be read")]
    FrontMatter,
    /// A file with NUL bytes, for example in UTF-16.
    #[error("both sides changed a file that has NUL bytes, as UTF-16 does; ours was kept")]
    Binary,
    /// The merged text failed the independent check, so both versions of each changed region are kept.
    #[error("the merge by structure failed its check")]
    Check,
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
