//! Why front matter cannot be read, and the limits that it must keep.

/// Front matter above this size is refused.
pub const LARGEST: usize = 64 * 1024;

/// Aliases in one block; few enough that even nested ones cannot multiply into a bomb.
pub(crate) const MOST_ALIASES: usize = 16;

/// Nested collections. The parser recurses and its result is copied once per level.
pub(crate) const DEEPEST: usize = 64;

/// Why the front matter of a note has no values. Lines count from 1 at the opening fence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatterError {
    /// The block that the first line opens is never closed.
    #[error("front matter line 1: the block is never closed")]
    Unclosed,
    #[error("front matter is {bytes} bytes long, more than {LARGEST}")]
    TooLarge { bytes: usize },
    /// A NUL byte, at which the parser would silently stop.
    #[error("front matter line {line}: a NUL byte")]
    NulByte { line: usize },
    /// So many aliases that they may multiply.
    #[error("front matter line {line}: more than {MOST_ALIASES} aliases")]
    TooManyAliases { line: usize },
    #[error("front matter line {line}: nested more than {DEEPEST} levels deep")]
    TooDeep { line: usize },
    /// Valid, but a list or a single value.
    #[error("front matter line 2: not a list of `key: value` lines")]
    NotProperties,
    /// Code behind `---js` or the like, which is not run.
    #[error("front matter line 1: code is not read, only YAML, TOML and JSON")]
    Code,
    #[error("front matter line {line}: {cause}")]
    Syntax {
        /// Where the parser gave up, often a line after the mistake.
        line: usize,
        /// The parser's words.
        cause: String,
    },
}

impl MatterError {
    /// Returns the line of the file at which reading failed.
    pub fn line(&self) -> usize {
        match self {
            Self::Unclosed | Self::TooLarge { .. } | Self::Code => 1,
            Self::NotProperties => 2,
            Self::NulByte { line }
            | Self::TooManyAliases { line }
            | Self::TooDeep { line }
            | Self::Syntax { line, .. } => *line,
        }
    }
}
