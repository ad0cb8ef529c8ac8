//! `annulus emit KERNEL`: what a handler becomes for a device.

use std::io::{self, Write};

use annulus::{RegisteredKernel, kernel::Target};
use clap::Args;

use crate::failure::Failure;

/// Print the C that a kernel's handler becomes
///
/// Comments name the Rust lines that statements come from. `annulus run --list` lists the kernels.
#[derive(Args)]
pub(crate) struct Emit {
    /// The kernel's name, or `module::name` where several have it
    #[arg(value_name = "KERNEL")]
    kernel: String,

    /// The dialect: opencl, cuda or metal
    #[arg(long, short, value_name = "TARGET", default_value = "opencl")]
    target: Target,
}

impl Emit {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let kernel =
            RegisteredKernel::find(&self.kernel).map_err(|error| Failure::Usage(error.to_string()))?;
        let text = kernel.definition().handler_source(self.target).map_err(Failure::fault)?;
        io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)
    }
}
