//! `annulus export`: metrics of what runs on this machine.

use std::{
    io::{self, Write},
    net::{Ipv4Addr, SocketAddr},
    thread,
    time::Duration,
};

use annulus_observe::{Observer, serve::Server};
use clap::Args;

use crate::{failure::Failure, signals::Interrupt, top::printable};

/// Print or serve the metrics of this user's processes, as Prometheus reads them
///
/// The processes need no preparation, and do nothing for it: see `annulus top`. Each metric has the labels process,
/// pid, backend and kernel. A program can show more of its own kernels: see the guide on health and metrics.
#[derive(Args)]
#[command(after_long_help = CODES)]
pub(crate) struct Export {
    /// Only this process
    #[arg(long, value_name = "NUMBER")]
    pid: Option<u32>,

    /// Metrics of each shard instead of each kernel
    #[arg(long)]
    shards: bool,

    /// Ask the processes for telemetry, so that latencies are known
    ///
    /// Their kernels then measure for a minute after each look, which costs them some nanoseconds a message. What is
    /// measured before is not there: without --serve, the metrics are those of a second.
    #[arg(long)]
    telemetry: bool,

    /// Serve them instead, with the health and a live page, until a signal: a port on this machine, or an address
    ///
    /// The pages are /, /metrics, /healthz and /readyz. Whoever reaches the address sees everything.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    serve: Option<SocketAddr>,
}

/// A port of this machine's own address, or an address with a port.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    match text.parse() {
        Ok(port) => Ok((Ipv4Addr::LOCALHOST, port).into()),
        Err(_) => {
            text.parse().map_err(|_| "write a port, or an address with a port, as 127.0.0.1:9464".into())
        }
    }
}

/// Serves an observer's pages, and says where.
pub(crate) fn serve(observer: &Observer, address: SocketAddr) -> Result<Server, Failure> {
    let server = observer
        .serve(address)
        .map_err(|error| Failure::Fault(format!("cannot serve at {address}: {error}")))?;
    // If even standard error is gone, the pages are there all the same.
    let _ = writeln!(io::stderr(), "annulus: a live page is at http://{}/", server.address());
    Ok(server)
}

const CODES: &str = "\
Exit codes:
  0  also if nothing runs
  1  standard output cannot be written, or the address cannot be had
  2  the command line is wrong";

impl Export {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let observer =
            Observer::of_machine(self.pid).per_shard(self.shards).telemetry(self.telemetry).build();
        if let Some(address) = self.serve {
            const SLICE: Duration = Duration::from_millis(50);
            let stop = Interrupt::on_signals()?;
            let _server = serve(&observer, address)?;
            while !stop.is_asked() {
                thread::sleep(SLICE);
            }
            return Ok(());
        }
        // Health takes two looks.
        observer.health();
        if self.telemetry {
            thread::sleep(Duration::from_secs(1));
        }
        let sight = observer.look();
        for file in &sight.unreadable {
            // If even standard error is gone, the metrics are told all the same.
            let _ = writeln!(io::stderr(), "annulus: {}", printable(file));
        }
        let text = observer.prometheus();
        io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)
    }
}
