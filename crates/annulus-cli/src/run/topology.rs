//! `annulus run TOPOLOGY.toml`: the kernels of a file, linked as it says, with messages from standard input.

use std::{
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use annulus::{
    Backend, DynamicKernel, Ending, KernelBridgeStatus, KernelStatus, RecvError, Runtime, ShutdownOutcome,
    Topology, for_people, in_toml,
};
use serde_json::json;

use super::{
    feeding::{Fed, feed},
    watch::Watch,
};
use crate::{
    failure::Failure,
    follow::Follow,
    format::{Format, Messages, OnBad, json as written},
    input::UntilStopped,
    send::unhandled,
    signals::Interrupt,
    told::{Told, tell},
};

/// What the command line says of it.
pub(super) struct Launch {
    pub(super) file: PathBuf,
    pub(super) backend: Backend,
    /// The kernel that messages are for, if not the only one to which no other sends.
    pub(super) to: Option<String>,
    /// How long the kernels may take to drain at the end.
    pub(super) limit: Duration,
    /// How the kernels are watched.
    pub(super) watch: Watch,
    /// Whether messages are followed, and where that is told.
    pub(super) follow: Follow,
}

/// The topology of a file. Its kernels are those of this program.
pub(crate) fn read(file: &Path) -> Result<Topology, Failure> {
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::Fault(format!("cannot read {}: {error}", file.display())))?;
    Topology::from_toml(&text).map_err(|error| in_file(file, &error))
}

/// What is wrong with a file, in the words of such files.
pub(crate) fn in_file(file: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::Fault(format!("{}: {}", file.display(), in_toml(&error.to_string())))
}

/// The name of a file with a topology.
pub(super) fn file(name: &str) -> Result<PathBuf, String> {
    match name.ends_with(".toml") {
        true => Ok(name.into()),
        false => Err("it is no job, which `annulus run --list` lists, and no file that ends in .toml; to send messages to a \
                  kernel write `annulus send KERNEL`"
            .into()),
    }
}

impl Launch {
    pub(super) fn execute(&self) -> Result<(), Failure> {
        let stop = Interrupt::on_signals()?;
        let canvas = self.watch.canvas()?;
        let mut follows = false;
        let topology = read(&self.file)?.map_options(|_, options| {
            let options = self.follow.options(options);
            follows |= options.observe.tracing;
            options
        });
        self.follow.check(follows)?;
        let plan = topology.check().map_err(|error| in_file(&self.file, &error))?;
        let to = match (&self.to, &plan.entries[..]) {
            (Some(to), _) | (None, [to]) => to.clone(),
            (None, []) => {
                return Err(Failure::Usage("each kernel is sent to by another: say --to NAME".into()));
            }
            (None, several) => {
                let names = several.join(", ");
                return Err(Failure::Usage(format!("no kernel sends to {names}: say --to NAME")));
            }
        };
        if !plan.order.contains(&to) {
            let names = plan.order.join(", ");
            return Err(Failure::Usage(format!("--to {to}: the kernels are {names}")));
        }
        let runtime = Runtime::builder().backend(self.backend).build().map_err(Failure::fault)?;
        let devices = topology.devices().into_iter().map(str::to_owned).collect::<Vec<_>>();
        let others =
            devices.iter().map(|device| self.device(device, &runtime)).collect::<Result<Vec<_>, _>>()?;
        let named: Vec<_> = devices.iter().map(String::as_str).zip(&others).collect();
        let running = topology.launch_on(&runtime, &named).map_err(|error| in_file(&self.file, &error))?;
        for kernel in running.kernels() {
            kernel.ready_blocking().map_err(Failure::fault)?;
            if self.watch.is_asked() {
                // Latencies are those of telemetry.
                kernel.enable_telemetry().map_err(Failure::fault)?;
            }
        }
        let watched = self.watch.begin(&runtime, !others.is_empty())?;
        let runtime_of = |name: &str| running.runtime_of(name).expect("the plan names its kernels");
        let dynamic = |name: &String| runtime_of(name).dynamic(name).map_err(Failure::fault);
        let entry = dynamic(&to)?;
        if let Some(bridged) = entry.definition().bridged {
            let name = bridged.name;
            return Err(Failure::Usage(format!(
                "`{to}` takes bridged messages, of type {name}: send them from a program"
            )));
        }
        let exits = plan.exits.iter().map(dynamic).collect::<Result<Vec<_>, _>>()?;
        let input: Box<dyn Read + Send> = match canvas.is_some_and(|canvas| canvas.has_input()) {
            true => Box::new(Silent),
            false => Box::new(io::stdin()),
        };
        let input = UntilStopped::new(input, &stop).map_err(Failure::fault)?;
        let prints = !canvas.is_some_and(|canvas| canvas.has_output());
        let ty = entry.definition().message;
        let mut messages = Messages::new(Box::new(input), Format::Json, ty, OnBad::Fail, &stop)?;
        let mut work = || {
            thread::scope(|scope| {
                let printers: Vec<_> = exits
                    .iter()
                    .map(|exit| {
                        scope.spawn(|| {
                            let printed = print_all(exit, prints);
                            if printed.is_err() {
                                // If nobody reads any more, there is no sense in sending.
                                let _ = entry.control().terminate_blocking();
                            }
                            printed
                        })
                    })
                    .collect();
                let Fed { outcome: sent, left } =
                    feed(runtime_of(&to), &entry, &mut messages, &stop, self.limit);
                let outcomes = running.shutdown_blocking(left);
                let printed = printers.into_iter().map(|printer| match printer.join() {
                    Ok(printed) => printed,
                    Err(panic) => std::panic::resume_unwind(panic),
                });
                // All of them end.
                let printed: Vec<_> = printed.collect();
                let is_late = |(_, outcome): &&(_, _)| *outcome == ShutdownOutcome::DeadlinePassed;
                let late: Vec<_> = outcomes.iter().filter(is_late).map(|(name, _)| name.clone()).collect();
                let mut faults = Vec::new();
                let kernels = running.kernels();
                for (name, outcome) in outcomes {
                    let Some(kernel) = kernels.iter().find(|kernel| kernel.name() == name) else { continue };
                    let status = kernel.status();
                    let _ = writeln!(Told, "{status}: {outcome:?}");
                    faults.extend(unwell(&status, outcome));
                }
                for bridge in running.bridges() {
                    let _ = writeln!(Told, "bridge {bridge}");
                    faults.extend(undelivered(&bridge));
                }
                // A closed pipe is why sending failed, if it did.
                match printed.into_iter().sum::<Result<u64, Failure>>()? {
                    0 => {}
                    unseen => tell(&format!(
                        "{unseen} outputs were not printed, since the table had the terminal: `> FILE` keeps them"
                    )),
                }
                faults.extend(self.not_in_time(&late));
                sent.and(if faults.is_empty() { Ok(()) } else { Err(Failure::Fault(faults.join("; "))) })
            })
        };
        let mut runtimes = vec![&runtime];
        runtimes.extend(others.iter().filter(|other| other.backend() != runtime.backend()));
        self.follow.pushing(&runtimes, || match canvas {
            Some(canvas) => canvas.beside(&watched.observer, &stop, work),
            None => work(),
        })
    }
}

impl Launch {
    /// The runtime of a device that the file names: the name of a backend.
    fn device(&self, device: &str, runtime: &Runtime) -> Result<Runtime, Failure> {
        let backend: Backend = device.parse().map_err(|error| {
            in_file(
                &self.file,
                &format_args!("device = {device:?}: {error}; a device of a file is a backend"),
            )
        })?;
        if runtime.backend() == device {
            return Ok(runtime.clone());
        }
        let other = Runtime::builder().backend(backend).build().map_err(Failure::fault)?;
        // `auto` may be the one that there is.
        Ok(if runtime.backend() == other.backend() { runtime.clone() } else { other })
    }

    /// That these kernels had messages left.
    fn not_in_time(&self, late: &[String]) -> Option<String> {
        (!late.is_empty()).then(|| {
            let (late, limit) = (late.join(", "), for_people(self.limit));
            format!("--limit: {late} had messages left after {limit}: they were not handled")
        })
    }
}

/// What a bridge had not delivered at the end.
fn undelivered(bridge: &KernelBridgeStatus) -> Option<String> {
    let KernelBridgeStatus { from, to, held, lost, .. } = bridge;
    let left = held + lost;
    (left != 0).then(|| format!("{left} outputs of `{from}` had not come to `{to}` when that ended"))
}

/// What is not well with a kernel that has ended, besides messages that the limit left.
fn unwell(status: &KernelStatus, outcome: ShutdownOutcome) -> Option<String> {
    let (name, left) = (&status.name, status.drops.undelivered);
    if status.ending == Some(Ending::Lost) {
        return Some(format!("`{name}` was lost: {}", status.notes.join("; ")));
    }
    if outcome == ShutdownOutcome::Inactive && left != 0 {
        return Some(format!(
            "`{name}` was inactive, and messages for it were left: {left}; `active = true` in the topology"
        ));
    }
    unhandled(status)
}

/// An input without messages and without an end: a signal or a key ends the run.
struct Silent;

impl Read for Silent {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        loop {
            thread::park();
        }
    }
}

/// Prints what a kernel sends to the host, as lines of JSON that name it, or only takes it. Returns how many outputs were
/// not printed.
fn print_all(kernel: &DynamicKernel, prints: bool) -> Result<u64, Failure> {
    let from = json!(kernel.control().name());
    let mut unseen = 0;
    loop {
        let mut next = match kernel.recv_message_timeout(Duration::from_secs(3600)) {
            Ok(output) => Some(output),
            Err(RecvError::Timeout) => continue,
            Err(_) => return Ok(unseen),
        };
        let mut out = io::stdout().lock();
        while let Some(output) = next {
            match prints {
                true => {
                    let line = format!("{{\"from\":{from},\"output\":{}}}", written(&output));
                    writeln!(out, "{line}").map_err(Failure::stdout)?;
                }
                false => unseen += 1,
            }
            next = kernel.try_recv_message().ok();
        }
        if prints {
            out.flush().map_err(Failure::stdout)?;
        }
    }
}
