//! The command line: one variant of [`Command`] per subcommand, whose arguments live with its code.

use clap::{Parser, Subcommand};

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
