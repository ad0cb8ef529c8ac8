//! `annulus export`: metrics of what runs on this machine.

use std::{
    io::{self, Write},
    net::{Ipv4Addr, SocketAddr},
    thread,
    time::{Duration, Instant},
};

use annulus_observe::{
    Observer,
    otlp::{Collector, PushError},
    serve::Server,
};
use clap::Args;

use crate::{failure::Failure, signals::Interrupt, told::tell, values::pid};

/// Print, serve or push the metrics of this user's processes, for Prometheus or OpenTelemetry
///
/// The processes need no preparation, and do nothing for it: see `annulus top`. Each metric has the labels process,
/// pid, backend and kernel; of processes that live with the same pid, as in containers, the later one has process_instance, too. A program can show more of its own kernels: see the guide on health and metrics.
#[derive(Args)]
#[command(after_long_help = CODES)]
pub(crate) struct Export {
    /// Only this process
    #[arg(long, value_name = "NUMBER", value_parser = pid)]
    pid: Option<u32>,

    /// Metrics of each shard instead of each kernel
    #[arg(long)]
    shards: bool,

    /// Ask the processes for telemetry, so that latencies are known
    ///
    /// Their kernels then measure for a minute after each look, which costs them some nanoseconds a message. What is
    /// measured before is not there: without --serve and --every, the metrics are those of a second; with an --every of
    /// more than 60, those of a minute after each push.
    #[arg(long)]
    telemetry: bool,

    /// Serve them instead, with the health and a live page, until a signal: a port on this machine, or an address
    ///
    /// The pages are /, /metrics, /healthz and /readyz. Whoever reaches the address sees everything.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    serve: Option<SocketAddr>,

    /// Push them to a collector of OpenTelemetry instead, by OTLP over HTTP: http://HOST:PORT, usually port 4318
    ///
    /// Each process is a resource of its own: service.name is its executable's name, service.instance.id its number
    /// and the machine's name.
    /// There is no TLS: let a collector on this machine send on to others.
    #[arg(long, value_name = "URL", conflicts_with = "serve", value_parser = collector)]
    otlp: Option<Collector>,

    /// Push again and again, until a signal: each time so many seconds after the last
    ///
    /// A push that fails is told on standard error, and the next one is made all the same: counts are cumulative.
    #[arg(long, value_name = "SECONDS", requires = "otlp", value_parser = seconds)]
    every: Option<Duration>,
}

/// The collector of an address.
pub(crate) fn collector(text: &str) -> Result<Collector, String> {
    Collector::at(text).map_err(|error| error.to_string())
}

/// From a tenth of a second, in which health is seen to move, to a day.
fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse().ok().filter(|seconds| (0.1..=86_400.0).contains(seconds));
    let number: f64 = number.ok_or("write a number of seconds, from 0.1 to 86400 (a day)")?;
    Ok(Duration::from_secs_f64(number))
}

/// How long a signal may wait to be seen.
const SLICE: Duration = Duration::from_millis(50);

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
    let server = observer.serve(address).map_err(Failure::fault)?;
    tell(&format!("a live page is at http://{}/", server.address()));
    Ok(server)
}

/// The same of what programs read alone.
pub(crate) fn serve_metrics(observer: &Observer, address: SocketAddr) -> Result<Server, Failure> {
    let server = observer.serve_metrics(address).map_err(Failure::fault)?;
    tell(&format!("metrics are at http://{}/metrics", server.address()));
    Ok(server)
}

const CODES: &str = "\
Exit codes:
  0  also if nothing runs
  1  standard output cannot be written, the address cannot be had, or the collector has not taken
     them
  2  the command line is wrong";

impl Export {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let observer =
            Observer::of_machine(self.pid).per_shard(self.shards).telemetry(self.telemetry).build();
        if let Some(address) = self.serve {
            let stop = Interrupt::on_signals()?;
            let _server = serve(&observer, address)?;
            while !stop.is_asked() {
                thread::sleep(SLICE);
            }
            return Ok(());
        }
        if let (Some(collector), Some(period)) = (&self.otlp, self.every) {
            let stop = Interrupt::on_signals()?;
            while !stop.is_asked() {
                if let Err(error) = Self::push(&observer, collector) {
                    tell(&error.to_string());
                }
                let begun = Instant::now();
                while !stop.is_asked() && begun.elapsed() < period {
                    thread::sleep(SLICE.min(period.saturating_sub(begun.elapsed())));
                }
            }
            return Ok(());
        }
        // Health takes two looks.
        observer.health();
        if self.telemetry {
            thread::sleep(Duration::from_secs(1));
        }
        if let Some(collector) = &self.otlp {
            return Self::push(&observer, collector).map_err(|error| Failure::Fault(error.to_string()));
        }
        for file in &observer.look().faults() {
            tell(file);
        }
        let text = observer.prometheus();
        io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)
    }

    /// Looks, and pushes what is seen.
    fn push(observer: &Observer, collector: &Collector) -> Result<(), PushError> {
        let sight = observer.look();
        for file in &sight.faults() {
            tell(file);
        }
        collector.push_metrics(&sight.samples)
    }
}
