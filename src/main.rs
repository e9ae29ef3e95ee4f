//! The `mem` binary; all code is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    mem::run(std::env::args_os())
}
