//! `annulus doctor`: what this machine has for kernels, what it lacks, and how to fix that.

#[cfg(any(feature = "cuda", feature = "opencl"))]
mod caches;
mod finding;
mod machine;
mod probe;

use std::io::{self, Write};

use annulus::Backend;
use clap::Args;

use self::finding::{Finding, State};
use crate::{failure::Failure, values};

/// Check what kernels need of this machine: drivers, compilers, caches, permissions
///
/// Launches a kernel on every backend, in a separate process; it must answer correctly. For everything that
/// is missing, prints the command that fixes it.
#[derive(Args)]
#[command(after_long_help = CODES)]
pub(crate) struct Doctor {
    /// Ask for this backend only, and fail if a kernel does not run there
    #[arg(long, value_name = "NAME", value_parser = values::handling_backend())]
    backend: Option<Backend>,

    /// Print JSON instead, one finding a line
    #[arg(long)]
    json: bool,
}

const CODES: &str = "\
Exit codes:
  0  a kernel runs on one backend at least, or on the one that was asked for
  1  it does not
  2  the command line is wrong";

impl Doctor {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        if let Some(backend) = probe::asked() {
            return probe::answer(backend);
        }
        let asked = match self.backend {
            Some(backend) => vec![backend],
            // Elsewhere Metal cannot be installed.
            None if cfg!(target_vendor = "apple") => vec![Backend::Cpu, Backend::Metal, Backend::OpenCl],
            None => vec![Backend::Cpu, Backend::OpenCl, Backend::Cuda],
        };
        let tried: Vec<Finding> = asked.iter().map(|&backend| probe::backend(backend)).collect();
        let runs = tried.iter().any(|finding| finding.state == State::Well);
        let mut findings = tried;
        #[cfg(feature = "cuda")]
        if asked.contains(&Backend::Cuda) {
            findings.push(probe::nvrtc());
        }
        findings.extend(machine::devices());
        // Only after the kernels were launched, so that the programs that they cached are there.
        #[cfg(any(feature = "cuda", feature = "opencl"))]
        findings.extend(caches::all(&asked));
        self.print(&findings)?;
        match runs {
            true => Ok(()),
            false => {
                let names: Vec<_> = asked.iter().map(ToString::to_string).collect();
                Err(Failure::Fault(format!("no kernel runs on {}", names.join(", "))))
            }
        }
    }

    fn print(&self, findings: &[Finding]) -> Result<(), Failure> {
        let mut text = String::new();
        for finding in findings {
            match self.json {
                true => text += &(serde_json::to_string(finding).map_err(Failure::fault)? + "\n"),
                false => text += &finding.to_string(),
            }
        }
        io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)
    }
}
