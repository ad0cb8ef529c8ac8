//! The `annulus` command with its own kernels.

use std::process::ExitCode;

fn main() -> ExitCode {
    annulus_cli::main()
}
