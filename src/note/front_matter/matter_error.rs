//! Errors and limits of front matter.

/// Maximum size of front matter in bytes.
pub const MAX_FRONT_MATTER_BYTES: usize = 64 * 1024;

/// Maximum aliases in a block, small enough that nested ones cannot expand into a bomb.
pub(crate) const MAX_ALIASES: usize = 16;

/// Maximum nesting depth. The parser recurses, and its result is copied once per level.
pub(crate) const MAX_DEPTH: usize = 64;

/// Why front matter cannot be read. Lines count from 1 at the opening fence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatterError {
    /// The block that the first line opens is never closed.
    #[error("front matter line 1: the block is never closed")]
    Unclosed,
    #[error("front matter is {bytes} bytes long, more than {MAX_FRONT_MATTER_BYTES}")]
    TooLarge { bytes: usize },
    /// A NUL byte, at which the parser would stop silently.
    #[error("front matter line {line}: a NUL byte")]
    NulByte { line: usize },
    /// More than `MAX_ALIASES` aliases.
    #[error("front matter line {line}: more than {MAX_ALIASES} aliases")]
    TooManyAliases { line: usize },
    #[error("front matter line {line}: nested more than {MAX_DEPTH} levels deep")]
    TooDeep { line: usize },
    /// Valid YAML, but not a map.
    #[error("front matter line 2: not a list of `key: value` lines")]
    NotProperties,
    /// A code block like `---js`, which is never run.
    #[error("front matter line 1: code is not read, only YAML, TOML and JSON")]
    Code,
    #[error("front matter line {line}: {cause}")]
    Syntax {
        /// Where the parser failed, often a line after the mistake.
        line: usize,
        /// The parser's message.
        cause: String,
    },
}

impl MatterError {
    /// Returns the line of the file where reading failed.
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
