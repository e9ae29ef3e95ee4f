//! Ignore files for git and Syncthing that exclude machine-local files of a vault.

/// The ignore files in `.mem`.
pub const IGNORE_FILES: [&str; 2] = [".gitignore", ".stignore"];
pub const IGNORE_TEXT: &str = "cache/\nid\n.~mem-*\n";
