//! `annulus autopsy`: what processes that died were at.

use std::{
    fmt::Write as _,
    io::{self, Write},
    path::PathBuf,
};

use annulus_observe::{Autopsy as Found, Liveness, Record, autopsy, files};
use clap::Args;
use serde_json::{Value, json};

use crate::{
    failure::Failure,
    top::{outboxes_json, printable, shard_json},
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
}

const CODES: &str = "\
Exit codes:
  0  also if no process has died
  1  the file cannot be read, no process of that number left one, or standard output cannot be written
  2  the command line is wrong";

impl Autopsy {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let mut text = String::new();
        let pid = self.what.as_ref().and_then(|what| what.parse::<u32>().ok());
        match (&self.what, pid) {
            (Some(file), None) => {
                let file = PathBuf::from(file);
                let found =
                    autopsy(&file).map_err(|error| Failure::Fault(format!("{}: {error}", file.display())))?;
                self.tell(&mut text, &found);
            }
            (_, pid) => {
                let mut told = 0;
                for file in files() {
                    match autopsy(&file) {
                        Ok(found) if is_wanted(&found, pid) => {
                            self.tell(&mut text, &found);
                            told += 1;
                        }
                        Ok(_) => {}
                        Err(error) if pid.is_none() && !self.json => {
                            let _ = writeln!(text, "{}: {error}", printable(&file.display().to_string()));
                        }
                        Err(_) => {}
                    }
                }
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

    fn tell(&self, text: &mut String, found: &Found) {
        if self.json {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}", json(found));
            return;
        }
        for line in found.to_string().lines() {
            let _ = writeln!(text, "{}", printable(line));
        }
    }
}

/// Whether an autopsy of a process was asked for. A number may have been used again: then both are told.
fn is_wanted(found: &Found, pid: Option<u32>) -> bool {
    match pid {
        Some(pid) => found.process.pid == pid,
        None => found.process.liveness == Liveness::Dead,
    }
}

fn json(found: &Found) -> Value {
    let process = &found.process;
    let record = |record: &Record| {
        json!({
            "number": record.number,
            "seconds": record.time as f64 / 1e9,
            "kernel": record.kernel,
            "event": record.name(),
            "shard": (record.shard != u32::MAX).then_some(record.shard),
            "values": record.values,
        })
    };
    let kernels = process.kernels.iter().map(|kernel| {
        let shards = kernel.shards.iter().enumerate();
        json!({
            "id": kernel.id,
            "name": kernel.name,
            "ended": kernel.has_ended,
            "drops": kernel.drops,
            "outboxes": outboxes_json(kernel),
            "shards": shards.map(|(index, shard)| shard_json(index, shard, None)).collect::<Vec<_>>(),
        })
    });
    json!({
        "pid": process.pid,
        "alive": process.liveness == Liveness::Running,
        "backend": process.backend,
        "executable": process.executable,
        "file": process.file,
        "started": process.started,
        "kernels": kernels.collect::<Vec<_>>(),
        "records": found.records.iter().map(record).collect::<Vec<_>>(),
    })
}
