//! The command line: one variant of [`Command`] per subcommand, whose arguments live with its code.

use clap::{CommandFactory, Parser, Subcommand};

use crate::{
    autopsy::Autopsy, check::Check, completions::Completions, devices::Devices, doctor::Doctor, dump::Dump,
    emit::Emit, export::Export, graph::Graph, profile::Profile, run::Run, send::Send, top::Top, why::Why,
};

/// GPU-resident actors: kernels that are launched once, stay on the device and answer messages.
#[derive(Parser)]
#[command(name = "annulus", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The command with all below it. What follows an option and looks like a negative number is its value, wrong or not: else the
/// user is told of an option `-1`.
pub(crate) fn command() -> clap::Command {
    fn numbers(command: clap::Command) -> clap::Command {
        let numbers_of = |argument: clap::Arg| {
            let is_option = !argument.is_positional() && argument.get_action().takes_values();
            if is_option { argument.allow_negative_numbers(true) } else { argument }
        };
        command.mut_args(numbers_of).mut_subcommands(numbers)
    }
    numbers(Cli::command())
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Run(Run),
    Graph(Graph),
    Emit(Emit),
    Devices(Devices),
    Send(Send),
    Dump(Dump),
    Top(Top),
    Why(Why),
    Profile(Profile),
    Export(Export),
    Autopsy(Autopsy),
    Doctor(Doctor),
    Check(Check),
    Completions(Completions),
}
