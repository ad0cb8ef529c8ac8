//! `annulus completions SHELL`: what a shell needs to complete the command line.

use std::io::{self, Write};

use clap::Args;
use clap_complete::Shell;

use crate::failure::Failure;

/// Print a script with which a shell completes this command
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  bash:  annulus completions bash > ~/.local/share/bash-completion/completions/annulus
  zsh:   annulus completions zsh > ~/.zfunc/_annulus      (with fpath+=~/.zfunc before compinit)
  fish:  annulus completions fish > ~/.config/fish/completions/annulus.fish";

impl Completions {
    /// `command` is the whole command line.
    pub(crate) fn execute(&self, mut command: clap::Command) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "annulus", &mut script);
        io::stdout().write_all(&script).map_err(Failure::stdout)
    }
}
