//! `annulus autopsy`: what processes that died were at.

use std::{
    fmt::Write as _,
    io::{self, BufWriter, Write},
    path::PathBuf,
    time::Duration,
};

use annulus_observe::{
    Autopsy as Found, BlackBox, CAUSES, Kernel, Liveness, Process, Record, RecordValue, Recorded, autopsy,
    files, look, record_values,
};
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use crate::{
    failure::Failure,
    top::{bridges_json, damage_json, layout_json, memory_json, outboxes_json, printable, shard_json},
};

/// Say what a process that died was doing: its shards, its failures, its drops, its last events
///
/// Reads what the process left in its vitals file: it needs no preparation, and no core file. Without an argument,
/// all files of dead processes are read; the newest eight are kept, for a day.
#[derive(Args)]
#[command(after_long_help = CODES)]
pub(crate) struct Autopsy {
    /// A process by its number, or a vitals file. It may live
    #[arg(value_name = "PID|FILE")]
    what: Option<String>,

    /// Print JSON instead, one process a line
    #[arg(long)]
    json: bool,

    /// Print messages of a kernel's black box, one a line, as `annulus send` reads them. Each shard's are in their order
    #[arg(long, value_name = "WHICH", value_enum, conflicts_with = "json")]
    messages: Option<Which>,

    /// The kernel of these messages, by the name that it ran under, if several have black boxes
    #[arg(long, value_name = "NAME", requires = "messages")]
    kernel: Option<String>,
}

/// Which messages of a black box.
#[derive(Clone, Copy, ValueEnum)]
enum Which {
    /// Those that waited to be handled
    Waiting,
    /// Those whose handlers were running, or had just returned
    InHandler,
    /// The last ones before, as far as their slots were not used again
    Last,
}

impl From<Which> for Recorded {
    fn from(which: Which) -> Self {
        match which {
            Which::Waiting => Self::Waiting,
            Which::InHandler => Self::InHandler,
            Which::Last => Self::Last,
        }
    }
}

const CODES: &str = "\
Examples:
  Hand what waited when a program died to a kernel of the same kind:
      annulus autopsy --messages waiting | annulus send detect

Exit codes:
  0  also if no process has died
  1  the file cannot be read, no process of that number left one, there is no such black box, one of
     its messages is no value of its type, or standard output cannot be written
  2  the command line is wrong";

impl Autopsy {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        if let Some(which) = self.messages {
            return self.print_messages(which.into());
        }
        let mut text = String::new();
        let pid = self.what.as_ref().and_then(|what| what.parse::<u32>().ok());
        match (&self.what, pid) {
            (Some(file), None) => {
                let file = PathBuf::from(file);
                let found =
                    autopsy(&file).map_err(|error| Failure::Fault(format!("{}: {error}", file.display())))?;
                self.tell(&mut text, &found, &[]);
            }
            (_, pid) => {
                let mut wanted = Vec::new();
                for file in files() {
                    match autopsy(&file) {
                        Ok(found) if is_wanted(&found, pid) => wanted.push(found),
                        Ok(_) => {}
                        Err(error) if pid.is_none() && !self.json => {
                            let _ = writeln!(text, "{}: {error}", printable(&file.display().to_string()));
                        }
                        Err(_) => {}
                    }
                }
                let told = wanted.len();
                let processes: Vec<Process> = wanted.iter().map(|found| found.process.clone()).collect();
                wanted.iter().for_each(|found| self.tell(&mut text, found, &processes));
                match pid {
                    Some(pid) if told == 0 => {
                        return Err(Failure::Fault(format!(
                            "process {pid} left no vitals file: it ended in order, or its file was removed"
                        )));
                    }
                    None if told == 0 && !self.json => text += "no process has died and left a vitals file\n",
                    _ => {}
                }
            }
        }
        io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)
    }

    /// Prints messages of the one black box that fits.
    fn print_messages(&self, which: Recorded) -> Result<(), Failure> {
        let pid = self.what.as_ref().and_then(|what| what.parse::<u32>().ok());
        let processes: Vec<Process> = match (&self.what, pid) {
            (Some(file), None) => {
                let file = PathBuf::from(file);
                vec![look(&file).map_err(|error| Failure::Fault(format!("{}: {error}", file.display())))?]
            }
            (_, pid) => {
                let found = files().into_iter().filter_map(|file| look(&file).ok());
                found.filter(|process| is_meant(process, pid)).collect()
            }
        };
        let kernels =
            processes.iter().flat_map(|process| process.kernels.iter().map(move |kernel| (process, kernel)));
        let fits = |kernel: &Kernel| {
            let is_there = kernel.black_box.as_ref().is_some_and(|path| path.exists());
            is_there && self.kernel.as_ref().is_none_or(|name| *name == kernel.name)
        };
        let fitting: Vec<_> = kernels.filter(|(_, kernel)| fits(kernel)).collect();
        match fitting[..] {
            [] => Err(Failure::Fault(
                "there is no such black box: launch a kernel with LaunchOptions::black_box(true) to have one"
                    .into(),
            )),
            [(process, kernel)] => print(process, kernel, which),
            _ => {
                let one = |(process, kernel): &(&Process, &Kernel)| {
                    let which = match process.told_apart(&processes).is_empty() {
                        true => process.pid.to_string(),
                        false => process.file.display().to_string(),
                    };
                    format!("  {} --kernel {}", printable(&which), printable(&kernel.name))
                };
                let all = fitting.iter().map(one).collect::<Vec<_>>().join("\n");
                Err(Failure::Fault(format!("several black boxes fit, name one of them:\n{all}")))
            }
        }
    }

    /// Tells one of all that are told.
    fn tell(&self, text: &mut String, found: &Found, all: &[Process]) {
        if self.json {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}", json(found));
            return;
        }
        let file = found.process.told_apart(all);
        for (number, line) in found.to_string().lines().enumerate() {
            let _ = writeln!(text, "{}", printable(line));
            if number == 0 && !file.is_empty() {
                let _ = writeln!(text, "  in {}", printable(&found.process.file.display().to_string()));
            }
        }
    }
}

/// Whether an autopsy of a process was asked for. A number may have been used again: then both are told.
fn is_wanted(found: &Found, pid: Option<u32>) -> bool {
    is_meant(&found.process, pid)
}

fn is_meant(process: &Process, pid: Option<u32>) -> bool {
    match pid {
        Some(pid) => process.pid == pid,
        None => process.liveness == Liveness::Dead,
    }
}

fn print(process: &Process, kernel: &Kernel, which: Recorded) -> Result<(), Failure> {
    let fault = |why: &dyn std::fmt::Display| {
        Failure::Fault(format!("the black box of `{}`: {why}", printable(&kernel.name)))
    };
    let mut black_box = BlackBox::open(process, kernel).map_err(|error| fault(&error))?;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut bad = None;
    for message in black_box.messages(which) {
        let message = message.map_err(|error| fault(&error))?;
        match message.json {
            Ok(json) => writeln!(out, "{json}").map_err(Failure::stdout)?,
            Err(why) => bad = Some(format!("message {} of shard {}: {why}", message.number, message.shard)),
        }
    }
    out.flush().map_err(Failure::stdout)?;
    bad.map_or(Ok(()), |why| Err(fault(&printable(&why))))
}

/// Where a kernel's black box is, and what it holds; null without one.
fn black_box(found: &Found, kernel: &Kernel) -> Value {
    let Some(summary) = found.black_boxes.iter().find(|summary| summary.kernel == kernel.id) else {
        return Value::Null;
    };
    match &summary.messages {
        Ok([last, in_handler, waiting]) => json!({
            "file": kernel.black_box, "last": last, "in_handler": in_handler, "waiting": waiting,
        }),
        Err(why) => json!({ "file": kernel.black_box, "error": why }),
    }
}

/// Messages that were dropped, by cause.
fn drops_json(kernel: &Kernel) -> Map<String, Value> {
    CAUSES.iter().zip(kernel.drops).map(|(cause, count)| ((*cause).to_owned(), count.into())).collect()
}

fn json(found: &Found) -> Value {
    let process = &found.process;
    let value = |value: RecordValue| match value {
        RecordValue::Number(number) => json!(number),
        RecordValue::Seconds(seconds) => json!(seconds),
        RecordValue::Text(text) => json!(text),
    };
    let record = |record: &Record| {
        let kernel = process.kernels.iter().find(|kernel| kernel.id == record.kernel);
        let values = record_values(record, kernel).into_iter();
        let values: Map<_, _> = values.map(|(name, of)| (name.to_owned(), value(of))).collect();
        json!({
            "number": record.number,
            "seconds": record.time as f64 / 1e9,
            "kernel": record.kernel,
            "event": record.name(),
            "shard": (record.shard != u32::MAX).then_some(record.shard),
            "values": values,
        })
    };
    let kernels = process.kernels.iter().map(|kernel| {
        let shards = kernel.shards.iter().enumerate();
        json!({
            "id": kernel.id,
            "name": kernel.name,
            "ended": kernel.has_ended,
            "message": kernel.message,
            "message_layout": layout_json(kernel.message_layout),
            "output": kernel.output,
            "output_layout": layout_json(kernel.output_layout),
            "memory_bytes": kernel.memory.total(),
            "memory": memory_json(kernel),
            "drops": drops_json(kernel),
            "outboxes": outboxes_json(kernel),
            "bridges": bridges_json(kernel, None, Duration::ZERO),
            "black_box": black_box(found, kernel),
            "shards": shards.map(|(index, shard)| shard_json(kernel, index, shard, None)).collect::<Vec<_>>(),
        })
    });
    json!({
        "pid": process.pid,
        "alive": process.liveness == Liveness::Running,
        "backend": process.backend,
        "device": process.device,
        "other_boot": process.other_boot,
        "executable": process.executable,
        "file": process.file,
        "started": process.started,
        "damage": damage_json(process),
        "kernels": kernels.collect::<Vec<_>>(),
        "records": found.records.iter().map(record).collect::<Vec<_>>(),
    })
}
