//! `annulus send KERNEL`: messages from JSON lines, and what the kernel sends as JSON lines.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Write},
    num::{NonZeroU32, NonZeroU64},
    path::PathBuf,
    thread,
    time::Duration,
};

use annulus::{
    Backend, DynamicError, DynamicKernel, RecvError, RegisteredKernel, Runtime,
    kernel::{Binding, BindingDefinition},
};
use clap::Args;

use crate::failure::Failure;

/// Send messages to a kernel as JSON lines, and print what it sends
///
/// Each line is one message: an object with the fields of the kernel's message type. What the kernel sends comes out as JSON lines
/// in the order in which each of its blocks sent it; a summary goes to standard error. `annulus run --list` lists the kernels.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Send {
    /// The kernel's name, or `module::name` where several have it
    #[arg(value_name = "KERNEL")]
    kernel: String,

    /// Read messages from this file instead of standard input
    #[arg(value_name = "FILE")]
    input: Option<PathBuf>,

    /// What the launch binds to the handler's parameter NAME: JSON, or @FILE with JSON; of memory, an array or {"repeat": value, "count": n}
    #[arg(long, value_name = "NAME=JSON")]
    bind: Vec<String>,

    /// Send one message at a time, and print the reply to each, or an error
    #[arg(long)]
    calls: bool,

    /// Skip and count bad lines instead of ending at the first
    #[arg(long)]
    skip_bad: bool,

    /// Where the kernel runs
    #[arg(long, value_name = "NAME", default_value = "auto")]
    backend: Backend,

    /// Actors: keys are 0 to N - 1 [default: as the kernel's attribute says]
    #[arg(long, value_name = "N", help_heading = "Launch")]
    actors: Option<NonZeroU64>,

    /// Blocks, each with its own rings [default: as the kernel's attribute says]
    #[arg(long, value_name = "N", help_heading = "Launch")]
    grid: Option<NonZeroU32>,

    /// Threads of a block, on a device that has threads [default: as the kernel's attribute says]
    #[arg(long, value_name = "N", help_heading = "Launch")]
    block: Option<NonZeroU32>,

    /// Messages that wait for each block: a power of two from 16 on [default: as the kernel's attribute says]
    #[arg(long, value_name = "N", help_heading = "Launch")]
    capacity: Option<NonZeroU32>,
}

const EXAMPLES: &str = r#"Examples:
  See which kernels there are, and what they take:
      annulus run --list

  Ask a kernel something:
      echo '{"sequence": 1, "series": 0, "value": 20.5}' | annulus send anomalies --actors 8 --bind 'limits={"threshold": 3}'

Exit codes:
  0  done, or nobody reads standard output any more
  1  the data or the machine is at fault
  2  the command line is"#;

impl Send {
    pub(crate) fn execute(self) -> Result<(), Failure> {
        let usage = |error: &dyn std::fmt::Display| Failure::Usage(error.to_string());
        let kernel = RegisteredKernel::find(&self.kernel).map_err(|error| usage(&error))?;
        let bindings = self.bindings(kernel.definition().bindings)?;
        let mut options = kernel.options();
        if let Some(actors) = self.actors {
            options = options.actors(actors.get());
        }
        if let Some(blocks) = self.grid {
            options = options.grid(blocks.get());
        }
        if let Some(threads) = self.block {
            options = options.block(threads.get());
        }
        if let Some(slots) = self.capacity {
            options = options.capacity(slots.get());
        }
        let input = self.open()?;
        let runtime = Runtime::builder().backend(self.backend).build().map_err(Failure::fault)?;
        let kernel = kernel.launch(&runtime, options, bindings).map_err(Failure::fault)?;
        let mut lines = Lines { input, number: 0, skipped: 0, skip_bad: self.skip_bad };
        let outcome = if self.calls { call_all(&kernel, &mut lines) } else { stream(&kernel, &mut lines) };
        summary(&kernel, lines.skipped);
        outcome
    }

    fn open(&self) -> Result<Box<dyn BufRead>, Failure> {
        match &self.input {
            None => Ok(Box::new(io::stdin().lock())),
            Some(path) if path.as_os_str() == "-" => Ok(Box::new(io::stdin().lock())),
            Some(path) => {
                let file = File::open(path)
                    .map_err(|error| Failure::Fault(format!("cannot read {}: {error}", path.display())))?;
                Ok(Box::new(BufReader::new(file)))
            }
        }
    }

    /// What `--bind` says, in the definition's order.
    fn bindings(&self, definitions: &[BindingDefinition]) -> Result<Vec<Binding>, Failure> {
        let mut given = Vec::new();
        for text in &self.bind {
            let Some((name, value)) = text.split_once('=') else {
                return Err(Failure::Usage(format!("--bind {text}: write NAME=JSON")));
            };
            if !definitions.iter().any(|definition| definition.name == name) {
                let names = listed(definitions);
                return Err(Failure::Usage(format!("--bind {name}: the kernel binds {names}")));
            }
            given.push((name, value));
        }
        let bind = |definition: &BindingDefinition| {
            let mut values = given.iter().filter(|(name, _)| *name == definition.name);
            match (values.next(), values.next()) {
                (Some((_, value)), None) => binding(definition, value),
                (Some(_), Some(_)) => Err(Failure::Usage(format!("--bind {}: said twice", definition.name))),
                (None, _) => Err(Failure::Usage(format!(
                    "the kernel binds {}: give --bind {}=JSON",
                    listed(definitions),
                    definition.name
                ))),
            }
        };
        definitions.iter().map(bind).collect()
    }
}

/// The bound parameters with their types.
fn listed(definitions: &[BindingDefinition]) -> String {
    if definitions.is_empty() {
        return "nothing".into();
    }
    let one = |definition: &BindingDefinition| {
        format!("{} ({:?} of {})", definition.name, definition.kind, definition.ty.name)
    };
    definitions.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn binding(definition: &BindingDefinition, value: &str) -> Result<Binding, Failure> {
    let text;
    let json = match value.strip_prefix('@') {
        None => value,
        Some(path) => {
            text = std::fs::read_to_string(path).map_err(|error| {
                Failure::Fault(format!("--bind {}: cannot read {path}: {error}", definition.name))
            })?;
            &text
        }
    };
    let mut json = serde_json::Deserializer::from_str(json);
    Binding::read(definition, &mut json)
        .and_then(|binding| json.end().map(|()| binding))
        .map_err(|error| Failure::Usage(format!("--bind {}: {error}", definition.name)))
}

/// The messages' lines.
struct Lines {
    input: Box<dyn BufRead>,
    number: u64,
    skipped: u64,
    skip_bad: bool,
}

impl Lines {
    /// Gives each line that is not empty to `send`, until the input ends or `send` says that it has had enough.
    fn each(&mut self, mut send: impl FnMut(&str) -> Result<(), Stop>) -> Result<(), Failure> {
        let mut line = String::new();
        loop {
            line.clear();
            self.number += 1;
            let number = self.number;
            let at = |error: &dyn std::fmt::Display| Failure::Fault(format!("line {number}: {error}"));
            if self.input.read_line(&mut line).map_err(|error| at(&error))? == 0 {
                return Ok(());
            }
            if line.trim().is_empty() {
                continue;
            }
            match send(&line) {
                Ok(()) => {}
                Err(Stop::Dynamic(DynamicError::Text { .. })) if self.skip_bad => self.skipped += 1,
                Err(Stop::Dynamic(error)) => return Err(at(&error)),
                Err(Stop::Output(failure)) => return Err(failure),
            }
        }
    }
}

/// Why no more lines are read.
enum Stop {
    Dynamic(DynamicError),
    Output(Failure),
}

fn print(out: &mut impl Write, line: &str) -> Result<(), Failure> {
    writeln!(out, "{line}").map_err(Failure::stdout)
}

fn call_all(kernel: &DynamicKernel, lines: &mut Lines) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    lines.each(|line| {
        let reply = match kernel.call(line) {
            Ok(reply) => reply,
            Err(DynamicError::Kernel(why)) => serde_json::json!({ "error": why }).to_string(),
            Err(error) => return Err(Stop::Dynamic(error)),
        };
        print(&mut out, &reply).and_then(|()| out.flush().map_err(Failure::stdout)).map_err(Stop::Output)
    })
}

/// One thread sends, another prints, so that a kernel whose outputs nobody takes does not stop the way in.
fn stream(kernel: &DynamicKernel, lines: &mut Lines) -> Result<(), Failure> {
    thread::scope(|scope| {
        let printer = scope.spawn(|| {
            let printed = print_all(kernel);
            // If nobody reads any more, there is no sense in sending.
            let _ = kernel.control().terminate_blocking();
            printed
        });
        let sent = lines.each(|line| kernel.send(line).map_err(Stop::Dynamic));
        kernel.control().close();
        annulus::block_on(kernel.control().drained());
        let _ = kernel.control().terminate_blocking();
        let printed = printer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        // A closed pipe is why sending failed, if it did.
        printed.and(sent)
    })
}

fn print_all(kernel: &DynamicKernel) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    loop {
        match kernel.try_recv() {
            Ok(line) => {
                print(&mut out, &line)?;
                continue;
            }
            // What is there is shown before anything is waited for.
            Err(_) => out.flush().map_err(Failure::stdout)?,
        }
        match kernel.recv(Duration::from_secs(3600)) {
            Ok(line) => print(&mut out, &line)?,
            Err(RecvError::Timeout) => {}
            Err(_) => return out.flush().map_err(Failure::stdout),
        }
    }
}

fn summary(kernel: &DynamicKernel, skipped: u64) {
    let _ = kernel.control().terminate_blocking();
    let status = kernel.control().status();
    let mut text = format!(
        "{} on {}: {} processed, {} sent back",
        status.name, status.backend, status.processed, status.produced
    );
    for (cause, count) in status.drops.by_cause().into_iter().chain([("skipped lines", skipped)]) {
        if count != 0 {
            text += &format!(", {count} {}", cause.replace('_', " "));
        }
    }
    if status.last_error != 0 {
        let what = annulus::describe_error(status.last_error);
        text += &format!("; last error {:#06x}: {what}", status.last_error);
    }
    let _ = writeln!(io::stderr(), "{text}");
}
