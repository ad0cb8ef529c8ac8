//! `annulus top`: what runs on this machine.

mod beside;
mod history;
mod latency;
mod screen;
mod table;
mod terminal;

use std::{
    env,
    io::{self, IsTerminal, Write},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use annulus_observe::{Liveness, Machine, Process, Why, refused, why_together};
use clap::Args;

use self::latency::Asking;
use crate::{failure::Failure, signals::Interrupt, values::pid};

/// Show the kernels of this user's processes: what runs, how fast, what waits
///
/// The processes need no preparation, and do nothing for it. They are found by the files that their runtimes
/// keep in $ANNULUS_DIR, else $XDG_RUNTIME_DIR/annulus or /dev/shm/annulus-UID. Rates are those between two
/// looks. On a terminal the table is live: keys sort, filter and pause it and show a kernel's shards, and `?`
/// explains them. Elsewhere, and with --json, it is printed again and again; --once prints it once.
#[derive(Args)]
#[command(after_long_help = COLUMNS)]
pub(crate) struct Top {
    /// Print one table, and end
    #[arg(long)]
    once: bool,

    /// Print JSON instead, one process a line
    #[arg(long)]
    json: bool,

    /// A line for each shard, too
    #[arg(long)]
    shards: bool,

    /// Ask the processes for telemetry as long as this looks, and show latencies
    ///
    /// Their kernels then measure, which costs them some nanoseconds a message, until ten seconds after the last look.
    #[arg(long)]
    telemetry: bool,

    /// Only this process
    #[arg(long, value_name = "NUMBER", value_parser = pid)]
    pid: Option<u32>,

    /// Time between two looks, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0.5", value_parser = seconds)]
    interval: Duration,
}

const COLUMNS: &str = "\
Columns:
  STATE      of the shard that is worst off
  DONE       messages whose handler succeeded, since the launch
  PER S      the same, for each second between the two looks
  PENDING    messages in the inbound rings, and in the host's queues in front of them
  DROPPED    messages whose handler failed, or whose key named no actor
  OUT        outputs that nobody has received
  PHASE      what the shard that is longest at one message is at
  TREND      on a terminal: PER S at earlier looks
  =>         a bridge from the kernel: how many messages it has moved, the same for each second, and
             how many it holds
  LATENCY    with --telemetry: the mean time from the sending of a message to the end of the
             handlers of its turn, of those between the two looks
  P99        with --telemetry, in a printed table: what 99 of 100 of these latencies were within, of
             a kernel that was launched with track_latency

Keys on a terminal:
  arrows     select a kernel, sort by another column
  Enter      the kernel's shards, and why it does not go on
  /          show only what has a text in its name, state, process or number
  Space      pause
  ?          all keys
  q, Ctrl-C  quit

Exit codes:
  0  also if nothing runs
  1  there is no process of the number that --pid names, or standard output cannot be written
  2  the command line is wrong";

pub(crate) use beside::Canvas;
pub(crate) use table::{
    bridges_json, damage_json, layout_json, memory_json, outboxes_json, printable, shard_json,
};

/// The time between two looks.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().unwrap_or(f64::NAN);
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if (0.01..=3600.0).contains(&seconds) => Ok(time),
        _ => Err("write a number of seconds, from 0.01 to 3600 (an hour)".into()),
    }
}

/// What one look at everything has found.
pub(crate) struct Sight {
    pub(crate) at: Instant,
    pub(crate) processes: Vec<Process>,
    /// Files that show nothing, and why.
    pub(crate) unreadable: Vec<String>,
}

impl Sight {
    /// Looks at all processes, or at one.
    pub(crate) fn take(pid: Option<u32>) -> Self {
        Self::of(&mut Machine::default(), pid)
    }

    /// The same, by files that stay open.
    fn of(machine: &mut Machine, pid: Option<u32>) -> Self {
        let at = Instant::now();
        let (processes, others) = machine.look(pid);
        let mut sight = Self { at, processes, unreadable: refused() };
        sight.unreadable.extend(others.iter().map(|(file, error)| format!("{}: {error}", file.display())));
        // The living first; among equals, the oldest.
        sight.processes.sort_by_key(|process| (process.liveness == Liveness::Dead, process.started));
        sight
    }

    /// The same runtime in an earlier look.
    pub(crate) fn earlier<'a>(&self, process: &Process, before: &'a Self) -> Option<&'a Process> {
        before.processes.iter().find(|earlier| earlier.file == process.file)
    }

    /// Why the kernels of each process do not go on. Bridges lead from one runtime of a process to another: all are looked
    /// at together.
    pub(crate) fn why(&self, before: &Self, elapsed: Duration) -> Vec<Why> {
        let pair = |process| (self.earlier(process, before).unwrap_or(process), process);
        why_together(&self.processes.iter().map(pair).collect::<Vec<_>>(), elapsed)
    }
}

/// What is kept from look to look.
struct Looking {
    machine: Machine,
    /// Asks for telemetry, if somebody wants latencies.
    asking: Option<Asking>,
}

impl Top {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let stop = Interrupt::on_signals()?;
        self.find_process()?;
        if !self.once && !self.json && is_screen() {
            return terminal::show(self, &stop);
        }
        let mut looking = self.looking();
        let mut before = self.look(&mut looking);
        loop {
            self.wait(&stop);
            let now = self.look(&mut looking);
            let text = match self.json {
                true => table::json(&now, &before),
                false => table::text(&now, &before, self.shards, self.telemetry),
            };
            let mut out = io::stdout().lock();
            out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Failure::stdout)?;
            if self.once || stop.is_asked() {
                return Ok(());
            }
            if !self.json {
                writeln!(out).map_err(Failure::stdout)?;
            }
            before = now;
        }
    }

    /// A process that has no kernels yet may launch some. One that is not there, and has left no files, never will.
    fn find_process(&self) -> Result<(), Failure> {
        let Some(pid) = self.pid else { return Ok(()) };
        let sight = Sight::take(Some(pid));
        let is_seen = !sight.processes.is_empty() || !sight.unreadable.is_empty();
        // Where the system does not tell of processes there, nothing is known.
        let processes = Path::new("/proc");
        if is_seen || !processes.join("self").exists() || processes.join(pid.to_string()).exists() {
            return Ok(());
        }
        Err(Failure::Fault(format!(
            "there is no process {pid}, and none of that number has left files: see `annulus top`"
        )))
    }

    fn looking(&self) -> Looking {
        let asking = self.telemetry.then(|| Asking::new(self.interval));
        Looking { machine: Machine::default(), asking }
    }

    fn look(&self, looking: &mut Looking) -> Sight {
        let sight = Sight::of(&mut looking.machine, self.pid);
        if let Some(asking) = &mut looking.asking {
            asking.look(&sight);
        }
        sight
    }

    /// Waits for the next look, unless somebody asks for the end.
    fn wait(&self, stop: &Interrupt) {
        const SLICE: Duration = Duration::from_millis(50);
        let start = Instant::now();
        while !stop.is_asked() && start.elapsed() < self.interval {
            thread::sleep(SLICE.min(self.interval.saturating_sub(start.elapsed())));
        }
    }
}

/// Whether standard output is a terminal that can do more than print lines.
fn is_screen() -> bool {
    io::stdout().is_terminal() && is_smart()
}

/// Whether a terminal, if there is one, can do more than print lines.
fn is_smart() -> bool {
    env::var_os("TERM").is_none_or(|name| name != "dumb")
}
