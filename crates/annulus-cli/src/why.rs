//! `annulus why`: why kernels do not go on.

use std::{
    fmt::Write as _,
    io::{self, Write},
    thread,
    time::Duration,
};

use annulus_observe::{Liveness, Process, Why as Found};
use clap::Args;

use crate::{
    failure::Failure,
    top::{Sight, printable, seconds},
    values::pid,
};

/// Say why kernels do not go on: who waits for whom, followed to the causes
///
/// Looks twice at the kernels of this user's processes, which need no preparation. A handler that does not
/// return is known by the same message in both looks; cycles of kernels that wait for each other are named.
/// Of a process that died, says what its kernels waited for at the end; `annulus autopsy` says what its shards were at.
#[derive(Args)]
#[command(after_long_help = CODES)]
pub(crate) struct Why {
    /// Only this process, by its number
    #[arg(value_name = "PID", value_parser = pid)]
    process: Option<u32>,

    /// The same, as other commands take it
    #[arg(long, value_name = "PID", value_parser = pid, hide = true, conflicts_with = "process")]
    pid: Option<u32>,

    /// Time between the two looks, in seconds: longer for handlers that rightly take long
    #[arg(long, value_name = "SECONDS", default_value = "0.5", value_parser = seconds)]
    interval: Duration,
}

const CODES: &str = "\
Exit codes:
  0  also if something waits, or without PID if nothing runs
  1  no process PID has kernels, or standard output cannot be written
  2  the command line is wrong";

/// What is said of a process, of which this was found. Nothing that a dead process does is in vain: its line names who says
/// more.
pub(crate) fn said_of(process: &Process, all: &[Process], found: &Found) -> String {
    match process.liveness {
        Liveness::Running => found.to_string(),
        Liveness::Dead => {
            let findings = if found.findings.is_empty() { String::new() } else { format!("{found}\n") };
            // Of several with one number, its file names it.
            let which = match process.told_apart(all).is_empty() {
                true => process.pid.to_string(),
                false => process.file.display().to_string(),
            };
            format!("{findings}`annulus autopsy {which}` says what its shards were at")
        }
    }
}

impl Why {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let pid = self.process.or(self.pid);
        let before = Sight::take(pid);
        thread::sleep(self.interval);
        let now = Sight::take(pid);
        let elapsed = now.at.duration_since(before.at);
        let mut text = String::new();
        if now.processes.is_empty() && pid.is_none() {
            text += "no process of this user has kernels, as far as their files tell\n";
        }
        for (process, found) in now.processes.iter().zip(&now.why(&before, elapsed)) {
            let dead = match process.liveness {
                Liveness::Dead => format!(": {}", process.told_death()),
                Liveness::Running => String::new(),
            };
            // Writing to a string cannot fail.
            let file = printable(&process.told_apart(&now.processes));
            let _ = writeln!(text, "process {}{file}, {}{dead}", process.pid, printable(&process.executable));
            if let Some(damage) = process.told_damage() {
                let _ = writeln!(text, "  {}", printable(&damage));
                if process.kernels.is_empty() {
                    let _ = writeln!(text, "  {}", process.no_kernels());
                    continue;
                }
            }
            for line in said_of(process, &now.processes, found).lines() {
                let _ = writeln!(text, "  {}", printable(line));
            }
        }
        for file in &now.unreadable {
            let _ = writeln!(text, "{}", printable(file));
        }
        io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)?;
        match pid {
            Some(pid) if now.processes.is_empty() => Err(Failure::Fault(format!(
                "no process {pid} of this user has kernels, as far as their files tell: see `annulus top`"
            ))),
            _ => Ok(()),
        }
    }
}
