//! `annulus profile`: what kernels spend their time on.

use std::{
    io::{self, Write},
    time::Duration,
};

use annulus_observe::{
    Liveness, Phase,
    profile::{KernelProfile, Profile as Profiled, ShardProfile, margin, record},
};
use clap::Args;
use serde_json::{Map, Value, json};

use crate::{
    failure::Failure,
    signals::Interrupt,
    top::{Sight, printable, seconds},
    values::pid,
};

/// Say what kernels spend their time on: shares by phase, and the keys that take most of it
///
/// Looks at the kernels of this user's processes about a thousand times a second, at random moments. The
/// processes need no preparation, and do nothing for it. The share of the looks that find a shard in its handler
/// is the share of its time. Of a device's kernels there are some 25 looks a second that tell something new.
/// Ctrl-C ends it early, with what it has found.
#[derive(Args)]
#[command(after_long_help = NOTES)]
pub(crate) struct Profile {
    /// Only this process
    #[arg(value_name = "PID", value_parser = pid)]
    pid: Option<u32>,

    /// How long to look
    #[arg(long, value_name = "SECONDS", default_value = "3", value_parser = seconds)]
    seconds: Duration,

    /// Looks a second
    #[arg(long, value_name = "NUMBER", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rate: u32,

    /// Print folded stacks, from which flame graphs are drawn
    #[arg(long, conflicts_with = "json")]
    folded: bool,

    /// Print JSON, one process a line
    #[arg(long)]
    json: bool,
}

const NOTES: &str = "\
Flame graph: annulus profile --folded | inferno-flamegraph > profile.svg

Exit codes:
  0  also if nothing runs
  1  a process cannot be looked at, or standard output cannot be written
  2  the command line is wrong";

impl Profile {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let stop = Interrupt::on_signals()?;
        let sight = Sight::take(self.pid);
        let living = |process: &&annulus_observe::Process| process.liveness == Liveness::Running;
        let files: Vec<_> =
            sight.processes.iter().filter(living).map(|process| process.file.clone()).collect();
        if let (Some(pid), true) = (self.pid, files.is_empty()) {
            return Err(Failure::Fault(format!(
                "no process {pid} of this user runs with kernels: see `annulus top`"
            )));
        }
        let profiles = match files.is_empty() {
            true => Vec::new(),
            false => {
                record(&files, self.seconds, self.rate.into(), || stop.is_asked()).map_err(Failure::fault)?
            }
        };
        let mut text = String::new();
        for profile in &profiles {
            if self.json {
                text += &format!("{}\n", json_of(profile));
            } else if self.folded {
                text += &profile.folded();
            } else {
                // The owner of a process chose the names.
                profile.to_string().lines().for_each(|line| text += &format!("{}\n", printable(line)));
            }
        }
        if profiles.is_empty() && !self.json && !self.folded {
            text += "no process of this user has kernels, as far as their files tell\n";
        }
        io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)
    }
}

/// Phases that are told by their names.
const PHASES: [Phase; 10] = [
    Phase::Unknown,
    Phase::Asleep,
    Phase::Looking,
    Phase::InHandler,
    Phase::Publishing,
    Phase::StalledOnHost,
    Phase::StalledOnKernel,
    Phase::AtBarrier,
    Phase::Inactive,
    Phase::Ended,
];

fn json_of(profile: &Profiled) -> Value {
    json!({
        "pid": profile.pid,
        "backend": profile.backend,
        "executable": profile.executable,
        "looks": profile.looks,
        "missed": profile.missed,
        "seconds": profile.elapsed.as_secs_f64(),
        "kernels": profile.kernels.iter().map(kernel_json).collect::<Vec<_>>(),
    })
}

fn kernel_json(kernel: &KernelProfile) -> Value {
    let elapsed = kernel.elapsed();
    let shares = |looks: &dyn Fn(Phase) -> (u64, f64)| {
        let seen =
            PHASES.into_iter().map(|phase| (phase, looks(phase))).filter(|(_, (looks, _))| *looks != 0);
        seen.map(|(phase, (_, share))| (phase.to_string(), share.into())).collect::<Map<_, Value>>()
    };
    let shard = |(index, shard): (usize, &ShardProfile)| {
        json!({
            "shard": index,
            "looks": shard.all_looks(),
            "phases": shares(&|phase| (shard.looks(phase), shard.share(phase))),
            "messages": shard.messages,
            "seconds_per_message": shard.time_of_a_message(elapsed).map(|time| time.as_secs_f64()),
        })
    };
    let looks = kernel.shards.iter().map(ShardProfile::all_looks).max().unwrap_or(0);
    let keys = kernel.hottest().into_iter().map(
        |hot| json!({ "key": hot.key, "shard": hot.shard, "at_least": hot.at_least, "at_most": hot.at_most }),
    );
    json!({
        "id": kernel.id,
        "name": kernel.name,
        "seconds": elapsed.as_secs_f64(),
        "messages": kernel.messages(),
        "margin": margin(looks),
        "phases": shares(&|phase| (kernel.looks(phase), kernel.share(phase))),
        "shards": kernel.shards.iter().enumerate().map(shard).collect::<Vec<_>>(),
        "keys": keys.collect::<Vec<_>>(),
    })
}
