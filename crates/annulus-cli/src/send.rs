//! `annulus send KERNEL`: messages from JSON lines, and what the kernel sends as JSON lines.

use std::{
    fs::File,
    io::{self, BufRead, IsTerminal, Read, Write},
    num::{NonZeroU32, NonZeroU64},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use annulus::{
    Backend, Drops, DynamicError, DynamicKernel, KernelStatus, LaunchError, RecvError, RegisteredKernel,
    Runtime,
    kernel::{Binding, BindingDefinition, BindingKind, KernelDefinition},
};
use clap::Args;

use crate::{
    dead_letters::{self, DeadLetterFile},
    failure::Failure,
    flags::{SEND, in_flags},
    follow::Follow,
    format::{Format, Messages, OnBad, Outputs, json},
    input::UntilStopped,
    run::{LaunchReport, example, shape},
    signals::Interrupt,
    values::{self, whole},
};

/// Send messages to a kernel as JSON lines, or in another format, and print what it sends
///
/// Each line is one message, up to 1 MiB of UTF-8: an object with the fields of the kernel's message type.
/// What the kernel sends comes out in the same format, in the order in which each of its blocks sent it; a
/// summary goes to standard error. `annulus run --list` lists the kernels.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Send {
    /// The kernel's name, or `module::name` where several have it
    #[arg(value_name = "KERNEL", value_parser = values::kernel())]
    kernel: &'static RegisteredKernel,

    /// Read messages from this file instead of standard input
    #[arg(value_name = "FILE")]
    input: Option<PathBuf>,

    /// What the launch binds to the handler's parameter NAME: JSON, or @FILE with JSON; of memory, an array
    /// or {"repeat": value, "count": n}
    #[arg(long, value_name = "NAME=JSON")]
    bind: Vec<String>,

    /// Send one message at a time, and print the reply to each, or an error
    #[arg(long)]
    calls: bool,

    /// How messages are written, and what the kernel sends
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Json)]
    format: Format,

    /// How what the kernel sends is written, if not as --format says
    #[arg(long, value_name = "FORMAT", value_enum)]
    output_format: Option<Format>,

    /// Skip and count bad messages instead of ending at the first. Where damage hides the beginning of the next one,
    /// nothing more can be read: bytes that are not MessagePack, a frame without a header, an endless line
    #[arg(long)]
    skip_bad: bool,

    /// Skip bad messages, and keep them in this file, with the messages that the kernel did not handle: for each a line of
    /// JSON with the reason. Of a bad message it has the input, as text (of MessagePack its value as JSON) or in hexadecimal
    /// digits; of one that failed, was for an unknown actor or expired, the message. Up to 1000 of them and 64 MiB
    #[arg(long, value_name = "FILE")]
    dead_letters: Option<PathBuf>,

    /// Keep the kernel's rings in a file, so that `annulus autopsy --messages` has its messages after a crash
    #[arg(long)]
    black_box: bool,

    #[command(flatten)]
    follow: Follow,

    /// Where the kernel runs
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = values::backend())]
    backend: Backend,

    /// Actors: keys are 0 to N - 1 [default: as the kernel's attribute says]
    #[arg(long, value_name = "N", value_parser = whole::<NonZeroU64>(ACTORS), help_heading = "Launch")]
    actors: Option<NonZeroU64>,

    /// Take any keys, not only 0 to N - 1: the first N that come get the actors
    #[arg(long, help_heading = "Launch")]
    sparse_keys: bool,

    /// As --sparse-keys; when all actors are in use, that without messages for longest gives way to a new key
    #[arg(long, help_heading = "Launch")]
    evict_actors: bool,

    /// Blocks, each with its own rings [default: as the kernel's attribute says]
    #[arg(long, value_name = "N", value_parser = whole::<NonZeroU32>(GRID), help_heading = "Launch")]
    grid: Option<NonZeroU32>,

    /// Threads of a block, on a device that has threads [default: as the kernel's attribute says]
    #[arg(long, value_name = "N", value_parser = whole::<NonZeroU32>(BLOCK), help_heading = "Launch")]
    block: Option<NonZeroU32>,

    /// Messages that wait for each block: a power of two from 16 on [default: as the kernel's attribute says]
    #[arg(long, value_name = "N", value_parser = whole::<NonZeroU32>(CAPACITY), help_heading = "Launch")]
    capacity: Option<NonZeroU32>,
}

// What is said of numbers that these options cannot have. Too large ones are refused by the launch, with its limits.
const ACTORS: &str = "how many actors there are: a whole number from 1 on, as far as memory goes";
const GRID: &str = "how many blocks there are: a whole number from 1 to 65536";
const BLOCK: &str = "how many threads a block has: a whole number from 1 to 1024";
const CAPACITY: &str = "how many messages may wait for each block: a power of two from 16 to 1048576";

const EXAMPLES: &str = r#"Examples:
  See which kernels there are, and what they take:
      annulus run --list

  Keep what is no message of the kernel's type, and what it does not handle, to see later why:
      annulus send anomalies --actors 8 --bind 'limits={"threshold": 3}' \
          --dead-letters bad.json < lines.json

  Ask a kernel something:
      echo '{"sequence": 1, "series": 0, "value": 20.5}' |
          annulus send anomalies --actors 8 --bind 'limits={"threshold": 3}'

The kernel ends when the input has ended and all messages are handled. Messages that it has set for
later, to itself, are not waited for: if some were still to come they are lost, and the summary
tells how many. To wait for them, keep the input open.

Signals: SIGINT (Ctrl-C) and SIGTERM end the input; what was sent is handled, and summed up. A
second one ends the program at once.

Exit codes:
  0  done, also after a signal, or nobody reads standard output any more
  1  the data or the machine is at fault, or messages failed or were for unknown actors (not those
     that --skip-bad and --dead-letters skip, since they are no messages)
  2  the command line is
  130, 143  a second signal ended it"#;

impl Send {
    pub(crate) fn execute(self) -> Result<(), Failure> {
        let stop = Interrupt::on_signals()?;
        let kernel = self.kernel;
        let bindings = self.bindings(kernel.definition().bindings)?;
        let mut options = kernel.options();
        if let Some(actors) = self.actors {
            options = options.actors(actors.get());
        }
        if self.sparse_keys {
            options = options.sparse_keys(true);
        }
        if self.evict_actors {
            options = options.evict_actors(true);
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
        if self.black_box {
            options = options.black_box(true);
        }
        if self.dead_letters.is_some() {
            // As many as the file has room for.
            options = options.dead_letters(dead_letters::MOST);
        }
        options = self.follow.options(options);
        self.follow.check(options.observe.tracing)?;
        let definition = kernel.definition();
        let output = self.output_format.unwrap_or(if self.calls { Format::Json } else { self.format });
        if self.calls && output != Format::Json {
            return Err(Failure::Usage(
                "--calls prints JSON, so that errors have a place: leave --output-format out".into(),
            ));
        }
        if let Some(bridged) = definition.bridged {
            return Err(Failure::Usage(format!(
                "`{}` takes bridged messages, of type {}: send them from a program, with its typed handle",
                definition.name, bridged.name
            )));
        }
        if let Some(ty) = definition.output {
            output.check(ty)?;
        }
        let input = self.open(&stop)?;
        let on_bad = match &self.dead_letters {
            Some(path) => OnBad::Bury(DeadLetterFile::create(path)?),
            None if self.skip_bad => OnBad::Skip,
            None => OnBad::Fail,
        };
        let mut messages = Messages::new(input, self.format, definition.message, on_bad, &stop)?;
        let in_words = |error: &dyn std::fmt::Display| in_flags(&error.to_string(), SEND);
        let runtime = Runtime::builder().backend(self.backend).build();
        let runtime = runtime.map_err(|error| Failure::Fault(in_words(&error)))?;
        let began = Instant::now();
        let kernel = kernel.launch(&runtime, options, bindings).map_err(|error| match error {
            LaunchError::Invalid(_) => Failure::Usage(in_words(&error)),
            _ => Failure::Fault(in_words(&error)),
        })?;
        kernel.control().ready_blocking().map_err(Failure::fault)?;
        let launch = LaunchReport { compilation: kernel.control().compilation(), ready: began.elapsed() };
        if self.waits_for_a_terminal() {
            hint(kernel.definition(), self.format);
        }
        let outcome = self.follow.pushing(&[&runtime], || {
            let outcome = match self.calls {
                true => call_all(&kernel, &mut messages),
                false => stream(&kernel, &mut messages, output),
            };
            let _ = kernel.control().terminate_blocking();
            let buried = bury_unhandled(&kernel, &mut messages);
            summary(&kernel, &messages, launch);
            outcome.and(buried).and(all_handled(&kernel, &messages))
        });
        if stop.is_asked() {
            let cut = if messages.is_cut() { "; a message that was not whole was not sent" } else { "" };
            let _ = writeln!(io::stderr(), "interrupted by a signal: what was sent before was handled{cut}");
        }
        outcome
    }

    /// The file that messages are read from, if not from standard input.
    fn file(&self) -> Option<&PathBuf> {
        self.input.as_ref().filter(|path| path.as_os_str() != "-")
    }

    fn waits_for_a_terminal(&self) -> bool {
        self.file().is_none() && io::stdin().is_terminal()
    }

    fn open(&self, stop: &Interrupt) -> Result<Box<dyn BufRead>, Failure> {
        let input = match self.file() {
            None => UntilStopped::new(io::stdin(), stop),
            Some(path) => {
                let file = opened(path)?;
                UntilStopped::new(file, stop)
            }
        };
        let input = input.map_err(Failure::fault)?;
        Ok(Box::new(if self.format.has_lines() { input } else { input.without_lines() }))
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
        let is_missing =
            |definition: &&BindingDefinition| given.iter().all(|(name, _)| *name != definition.name);
        let missing = definitions
            .iter()
            .filter(is_missing)
            .map(|definition| format!("--bind {}=JSON", definition.name));
        let missing = missing.collect::<Vec<_>>();
        if !missing.is_empty() {
            let names = listed(definitions);
            return Err(Failure::Usage(format!("the kernel binds {names}: give {}", missing.join(" and "))));
        }
        let bind = |definition: &BindingDefinition| {
            let mut values = given.iter().filter(|(name, _)| *name == definition.name);
            match (values.next(), values.next()) {
                (Some((_, value)), None) => binding(definition, value),
                _ => Err(Failure::Usage(format!("--bind {}: said twice", definition.name))),
            }
        };
        definitions.iter().map(bind).collect()
    }
}

/// A file to read from. That a folder is none is seen before anything is launched.
pub(crate) fn opened(path: &Path) -> Result<File, Failure> {
    let opened = File::open(path).and_then(|file| match file.metadata() {
        Ok(about) if about.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        _ => Ok(file),
    });
    opened.map_err(|error| Failure::Fault(format!("cannot read {}: {error}", path.display())))
}

/// The bound parameters with their types.
fn listed(definitions: &[BindingDefinition]) -> String {
    if definitions.is_empty() {
        return "nothing".into();
    }
    let one = |definition: &BindingDefinition| {
        let values = if definition.kind == BindingKind::Parameter { "" } else { "values of " };
        format!("{} ({values}{})", definition.name, definition.ty.name)
    };
    definitions.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn binding(definition: &BindingDefinition, value: &str) -> Result<Binding, Failure> {
    let text;
    let json = match value.strip_prefix('@') {
        None => value,
        Some(path) => {
            text = contents(path).map_err(|error| {
                Failure::Fault(format!("--bind {}: cannot read {path}: {error}", definition.name))
            })?;
            &text
        }
    };
    let mut json = serde_json::Deserializer::from_str(json);
    Binding::read(definition, &mut json).and_then(|binding| json.end().map(|()| binding)).map_err(|error| {
        // What is no JSON says nothing of the type that is wanted.
        let wanted = match error.classify() {
            serde_json::error::Category::Data => String::new(),
            _ => format!("; it is {}: write JSON, as {}", listed(&[*definition]), example_of(definition)),
        };
        Failure::Usage(format!("--bind {}: {error}{wanted}", definition.name))
    })
}

/// A value that could be bound, as JSON. Text in JSON has quotes, and so has the shell.
fn example_of(definition: &BindingDefinition) -> String {
    let value = example(definition.ty);
    let value = if definition.kind == BindingKind::Parameter { value } else { format!("[{value}]") };
    match value.contains(['"', ' ', '[']) {
        true => format!("--bind '{}={value}'", definition.name),
        false => format!("--bind {}={value}", definition.name),
    }
}

/// The text of a file that `--bind` names. It may be a pipe, so its length is known when it has been read.
fn contents(path: &str) -> io::Result<String> {
    const MOST: u64 = 1 << 30;
    let mut text = String::new();
    if File::open(path)?.take(MOST + 1).read_to_string(&mut text)? as u64 > MOST {
        return Err(io::Error::other("it is longer than 1 GiB: bind larger tables in a program"));
    }
    Ok(text)
}

fn call_all(kernel: &DynamicKernel, messages: &mut Messages) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    while let Some(message) = messages.next()? {
        let reply = match kernel.call_message_blocking(&message) {
            Ok(reply) => json(&reply),
            Err(error @ DynamicError::Text { .. }) => return Err(messages.failure(error)),
            Err(why) => serde_json::json!({ "error": in_flags(&why.to_string(), SEND) }).to_string(),
        };
        writeln!(out, "{reply}").and_then(|()| out.flush()).map_err(Failure::stdout)?;
    }
    Ok(())
}

/// One thread sends and another prints; otherwise outputs that nobody receives would stop the sends.
fn stream(kernel: &DynamicKernel, messages: &mut Messages, to: Format) -> Result<(), Failure> {
    thread::scope(|scope| {
        let printer = scope.spawn(|| {
            let printed = print_all(kernel, to);
            // If nobody reads any more, there is no sense in sending.
            let _ = kernel.control().terminate_blocking();
            printed
        });
        let sent = send_all(kernel, messages);
        kernel.control().close();
        kernel.control().drained_blocking();
        let _ = kernel.control().terminate_blocking();
        let printed = printer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        // A closed pipe is why sending failed, if it did.
        printed.and(sent)
    })
}

pub(crate) fn send_all(kernel: &DynamicKernel, messages: &mut Messages) -> Result<(), Failure> {
    while let Some(message) = messages.next()? {
        kernel.send_message_blocking(&message).map_err(|error| messages.failure(error))?;
    }
    Ok(())
}

fn print_all(kernel: &DynamicKernel, format: Format) -> Result<(), Failure> {
    let to = io::BufWriter::new(io::stdout().lock());
    let mut out = Outputs::new(to, format, kernel.definition().output)?;
    loop {
        match kernel.try_recv_message() {
            Ok(output) => {
                out.write(&output)?;
                continue;
            }
            // Available outputs are shown before the next wait.
            Err(_) => out.flush()?,
        }
        match kernel.recv_message_timeout(Duration::from_secs(3600)) {
            Ok(output) => out.write(&output)?,
            Err(RecvError::Timeout) => {}
            Err(_) => return out.flush(),
        }
    }
}

/// Says what the program waits for, since the user sees nothing happen.
fn hint(definition: &KernelDefinition, format: Format) {
    let keys = if cfg!(windows) { "Ctrl-Z and Enter" } else { "Ctrl-D" };
    let text = format!(
        "reading messages from the terminal: {}, of the type {}; {keys} ends them",
        match format {
            Format::Json => "a JSON object a line",
            Format::Csv => "names of columns, then a row a line",
            Format::Msgpack => "MessagePack",
            Format::Wire => "frames",
        },
        shape(definition.message)
    );
    let _ = writeln!(io::stderr(), "{text}");
}

/// Puts the messages that the kernel did not handle into the file of dead letters, if there is one.
fn bury_unhandled(kernel: &DynamicKernel, messages: &mut Messages) -> Result<(), Failure> {
    let Some(file) = messages.dead_letter_file() else { return Ok(()) };
    let in_words = |reason: &str| in_flags(reason, SEND);
    kernel.take_dead_letters().iter().try_for_each(|letter| file.bury_message(letter, in_words))
}

/// Refuses an end at which messages had failed, or were for no actor.
fn all_handled(kernel: &DynamicKernel, messages: &Messages) -> Result<(), Failure> {
    let Some(what) = unhandled(&kernel.control().status()) else { return Ok(()) };
    let remedy = match messages.dead_letters() {
        Some((_, file)) => format!("{file} has them, with the reason, as far as they were kept"),
        None => "--dead-letters FILE keeps them, with the reason".into(),
    };
    Err(Failure::Fault(format!("{what}; {remedy}")))
}

/// How many messages a kernel has refused, in words, if there are any.
pub(crate) fn unhandled(status: &KernelStatus) -> Option<String> {
    let Drops { failed, unknown_actor, .. } = status.drops;
    let what = match (failed, unknown_actor) {
        (0, 0) => return None,
        (failed, 0) => format!("{failed} failed"),
        (0, unknown) => format!("{unknown} for unknown actors"),
        (failed, unknown) => format!("{failed} failed, {unknown} for unknown actors"),
    };
    Some(format!("not all messages were handled by `{}`: {what}", status.name))
}

fn summary(kernel: &DynamicKernel, messages: &Messages, launch: LaunchReport) {
    let status = kernel.control().status();
    let mut text = format!(
        "{} on {}: {} processed, {} sent back",
        status.name, status.backend, status.processed, status.produced
    );
    let skipped: u64 = messages.skipped().values().sum();
    for (cause, count) in status.drops.by_cause().into_iter().chain([("skipped lines", skipped)]) {
        if count != 0 {
            text += &format!(", {count} {}", cause.replace('_', " "));
        }
    }
    // Those that were still to come when it had ended.
    if let Some(timers) = status.timers.filter(|timers| timers.waiting + timers.lost != 0) {
        let lost = timers.waiting + timers.lost;
        text += &format!(", {lost} messages that it had set for later lost");
    }
    if let Some((kept, file)) = messages.dead_letters() {
        let causes =
            messages.skipped().iter().map(|(cause, count)| format!("{count} {}", cause.replace('_', " ")));
        let causes = causes.collect::<Vec<_>>().join(", ");
        let causes = if causes.is_empty() { causes } else { format!(" ({causes})") };
        text += &format!("{causes}; {kept} dead letters in {file}");
        if status.dead_letters_lost != 0 {
            text += &format!(", {} lost", status.dead_letters_lost);
        }
    }
    if status.last_error != 0 {
        let what = annulus::describe_error(status.last_error);
        text += &match status.error_name() {
            Some(name) => format!("; last error {name}"),
            None => format!("; last error {:#06x}: {}", status.last_error, in_flags(what, SEND)),
        };
    }
    text += &format!("; {launch}");
    let _ = writeln!(io::stderr(), "{text}");
}
