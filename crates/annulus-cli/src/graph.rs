//! `annulus graph TOPOLOGY.toml`: the kernels of a file and the links between them, drawn.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use clap::Args;

use crate::{
    failure::Failure,
    run::topology::{in_file, read},
};

/// Draw the kernels of a topology in TOML, and the links between them
///
/// Checks it whole, as a launch does, and launches nothing: every problem is named. An arrow a line says what goes
/// where; then come cycles that can stand still, and the memory. The kernels are those of this program:
/// `annulus run --list`.
#[derive(Args)]
pub(crate) struct Graph {
    /// The file
    #[arg(value_name = "TOPOLOGY.toml")]
    file: PathBuf,

    /// Print it in the language of Graphviz, for `dot -Tsvg`
    #[arg(long, conflicts_with = "svg")]
    dot: bool,

    /// Print it as a picture, in SVG
    #[arg(long)]
    svg: bool,
}

impl Graph {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let topology = read(&self.file)?;
        let drawn = match (self.dot, self.svg) {
            (true, _) => topology.to_dot(),
            (_, true) => topology.to_svg(),
            _ => topology.drawn(),
        };
        let text = drawn.map_err(|error| in_file(&self.file, &error))?;
        io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)
    }
}
