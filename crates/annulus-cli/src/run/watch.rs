//! `--top`, `--metrics` and `--dashboard` of `annulus run`: how the kernels of a run are watched.

use std::net::SocketAddr;

use annulus::Runtime;
use annulus_observe::{Observer, serve::Server};
use clap::Args;

use crate::{
    export::{address, serve, serve_metrics},
    failure::Failure,
    top::Canvas,
};

/// What the command line says of it.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct Watch {
    /// Show the live table of `annulus top` of the kernels while they run, with its keys; `q` ends the run as a signal does
    ///
    /// It is drawn on the terminal of standard error, so that outputs can go elsewhere: `… --top < in.jsonl > out.jsonl`.
    /// What would be printed on the same terminal is not; messages of the program come when the table has gone. A standard
    /// input that is the terminal has its keys, and no messages.
    #[arg(long, help_heading = "Watching")]
    top: bool,

    /// Serve metrics for Prometheus, /metrics, and health for probes, /healthz and /readyz, while the kernels run: a
    /// port on this machine, or an address
    ///
    /// Whoever reaches the address sees everything.
    #[arg(long, value_name = "ADDRESS", value_parser = address, help_heading = "Watching")]
    metrics: Option<SocketAddr>,

    /// Serve a live page of the kernels, and the same metrics and health, while they run: a port on this machine, or an
    /// address
    #[arg(long, value_name = "ADDRESS", value_parser = address, help_heading = "Watching")]
    dashboard: Option<SocketAddr>,
}

/// A run that is watched: servers run as long as this is there.
pub(super) struct Watched {
    pub(super) observer: Observer,
    _servers: Vec<Server>,
}

impl Watch {
    /// Whether any of it was said.
    pub(super) fn is_asked(&self) -> bool {
        self.top || self.metrics.is_some() || self.dashboard.is_some()
    }

    /// Where the table is drawn, if it is.
    ///
    /// # Errors
    ///
    /// If there is no terminal, or both servers are to have one address.
    pub(super) fn canvas(&self) -> Result<Option<Canvas>, Failure> {
        if self.metrics.is_some_and(|address| address.port() != 0) && self.metrics == self.dashboard {
            return Err(Failure::Usage(
                "--dashboard serves the metrics, too: leave --metrics out, or give it an address of its own"
                    .into(),
            ));
        }
        self.top.then(Canvas::find).transpose()
    }

    /// Serves what was asked for, and says where.
    pub(super) fn begin(&self, runtime: &Runtime, are_several: bool) -> Result<Watched, Failure> {
        let observer = match are_several {
            false => Observer::of(runtime),
            // All runtimes of this process, as others see it.
            true => Observer::of_machine(Some(std::process::id())).build(),
        };
        let metrics = self.metrics.map(|address| serve_metrics(&observer, address)).transpose()?;
        let page = self.dashboard.map(|address| serve(&observer, address)).transpose()?;
        Ok(Watched { observer, _servers: metrics.into_iter().chain(page).collect() })
    }
}
