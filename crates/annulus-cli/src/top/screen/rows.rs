//! What the live table says of each kernel.

use std::{fmt::Write as _, path::PathBuf, time::Duration};

use annulus_observe::{Kernel, Liveness, Phase, PortLook, Process, Shard, ShardState};

use super::{
    super::{
        Sight,
        history::{History, Past},
        table::{asks_text, printable},
    },
    text::age,
};

/// Tells a row from others, whatever is sorted or comes and goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Id {
    pub(super) file: PathBuf,
    /// `None` for a process without kernels.
    pub(super) kernel: Option<u64>,
}

/// How a kernel is, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    Dead,
    /// By its supervisor.
    Left,
    Stalled,
    Launched,
    Inactive,
    Active,
    Ended,
    None,
}

impl State {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Dead => "DEAD",
            Self::Left => "left",
            Self::Stalled => "stalled",
            Self::Launched => "launched",
            Self::Inactive => "inactive",
            Self::Active => "active",
            Self::Ended => "ended",
            Self::None => "-",
        }
    }

    pub(super) fn of(state: ShardState) -> Self {
        match state {
            ShardState::Ended => Self::Ended,
            ShardState::Active => Self::Active,
            ShardState::Inactive => Self::Inactive,
            ShardState::Launched => Self::Launched,
            ShardState::StalledOnHost | ShardState::StalledOnKernel => Self::Stalled,
        }
    }
}

/// A kernel, or a process without kernels.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) id: Id,
    /// Its place as it was found.
    pub(super) order: usize,
    pub(super) pid: u32,
    /// The name of the executable.
    pub(super) process: String,
    pub(super) backend: String,
    pub(super) name: String,
    pub(super) shards: usize,
    pub(super) state: State,
    pub(super) done: u64,
    pub(super) rate: Option<f64>,
    pub(super) rates: Vec<f64>,
    /// The mean between the last two looks.
    pub(super) latency: Option<Duration>,
    pub(super) pending: u64,
    pub(super) dropped: u64,
    pub(super) out: u64,
    pub(super) age: Option<Duration>,
    pub(super) phase: String,
    /// How long a handler has been at the same message, at least.
    pub(super) held: Option<Duration>,
    /// With shards: a line for each.
    pub(super) lines: Vec<ShardLine>,
}

/// A shard.
#[derive(Clone, Debug)]
pub(super) struct ShardLine {
    pub(super) state: State,
    pub(super) done: u64,
    pub(super) rate: Option<f64>,
    pub(super) latency: Option<Duration>,
    pub(super) pending: u64,
    pub(super) dropped: u64,
    pub(super) out: u64,
    pub(super) phase: String,
    pub(super) held: Option<Duration>,
}

impl Row {
    /// Whether a text is in what tells this kernel from others.
    pub(super) fn matches(&self, filter: &str) -> bool {
        let filter = filter.to_lowercase();
        [&self.name, &self.process, &self.backend, &self.pid.to_string(), self.state.word()]
            .iter()
            .any(|text| text.to_lowercase().contains(&filter))
    }
}

/// All rows of a look.
pub(super) fn rows(sight: &Sight, history: &History) -> Vec<Row> {
    let mut rows = Vec::new();
    for process in &sight.processes {
        if process.kernels.is_empty() {
            rows.push(without_kernels(process, rows.len()));
        }
        for kernel in &process.kernels {
            rows.push(row(process, kernel, history.of(process, kernel), rows.len()));
        }
    }
    rows
}

/// The last part of an executable's path.
fn executable(process: &Process) -> String {
    printable(process.executable.rsplit('/').next().unwrap_or_default())
}

fn without_kernels(process: &Process, order: usize) -> Row {
    let is_dead = process.liveness == Liveness::Dead;
    Row {
        id: Id { file: process.file.clone(), kernel: None },
        order,
        pid: process.pid,
        process: executable(process),
        backend: process.backend.clone(),
        name: if process.damage.is_none() { "(no kernels)" } else { "(damaged)" }.into(),
        shards: 0,
        state: if is_dead { State::Dead } else { State::None },
        done: 0,
        rate: None,
        rates: Vec::new(),
        latency: None,
        pending: 0,
        dropped: 0,
        out: 0,
        age: (!is_dead).then(|| Duration::from_nanos(process.now)),
        phase: String::new(),
        held: None,
        lines: Vec::new(),
    }
}

fn row(process: &Process, kernel: &Kernel, past: Option<&Past>, order: usize) -> Row {
    let is_dead = process.liveness == Liveness::Dead;
    let state = match State::of(kernel.state()) {
        State::Ended => State::Ended,
        _ if is_dead => State::Dead,
        _ if kernel.left_behind => State::Left,
        state => state,
    };
    let (phase, held) = phase_of_kernel(process, kernel, past);
    let lines = kernel.shards.iter().enumerate().map(|(index, shard)| {
        let held = past.and_then(|past| past.held(index));
        ShardLine {
            state: if is_dead { State::Dead } else { State::of(ShardState::of(shard)) },
            done: shard.processed,
            rate: past.and_then(|past| past.shard_rate(index)),
            latency: past.and_then(|past| past.shard_latency(index)),
            pending: shard.waiting(),
            dropped: dropped(shard),
            out: shard.outputs_waiting,
            phase: phase_text(kernel, shard, held, waits_for(process, kernel, index)),
            held,
        }
    });
    Row {
        id: Id { file: process.file.clone(), kernel: Some(kernel.id) },
        order,
        pid: process.pid,
        process: executable(process),
        backend: process.backend.clone(),
        name: printable(&kernel.name),
        shards: kernel.shards.len(),
        state,
        done: kernel.sum(|shard| shard.processed),
        rate: past.and_then(|past| past.rate),
        latency: past.and_then(|past| past.latency),
        rates: past.map(|past| past.rates.iter().copied().collect()).unwrap_or_default(),
        pending: kernel.waiting(),
        dropped: kernel.sum(dropped),
        out: kernel.sum(|shard| shard.outputs_waiting),
        age: kernel.age,
        phase,
        held,
        lines: lines.collect(),
    }
}

fn dropped(shard: &Shard) -> u64 {
    shard.failed.saturating_add(shard.unknown_actor)
}

/// The names of the kernels that outputs go to.
fn targets(process: &Process, kernel: &Kernel) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    let of_ports = kernel.ports.iter().filter_map(|port| port.target);
    for (id, _) in of_ports.chain(kernel.target.filter(|_| kernel.ports.is_empty())) {
        let name = target(process, id);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    (!names.is_empty()).then(|| names.join(", "))
}

/// The kernels in which a shard waits for room, those behind a bridge included; with several outboxes, by which it waits: `report (bad)`.
fn waits_for(process: &Process, kernel: &Kernel, shard: usize) -> Option<String> {
    if kernel.shards.get(shard).is_some_and(|shard| Phase::of(shard) == Phase::StalledOnHost) {
        return kernel.waiting_bridges().next().map(|bridge| format!("{} (bridge)", printable(&bridge.to)));
    }
    let of_port = |port: &PortLook| {
        let name = port.target.map_or("the host".into(), |(id, _)| target(process, id));
        format!("{name} ({})", printable(&port.name))
    };
    let held: Vec<String> = kernel.held_by(shard).map(of_port).collect();
    // A look may find a shard that has just begun to wait.
    if held.is_empty() { kernel.target.map(|(id, _)| target(process, id)) } else { Some(held.join(", ")) }
}

fn target(process: &Process, id: u64) -> String {
    let target = process.kernels.iter().find(|kernel| kernel.id == id);
    target.map_or("an unseen kernel".into(), |target| printable(&target.name))
}

/// What the shard that is longest at the same message is at, else one that works, else one that is awake.
fn phase_of_kernel(process: &Process, kernel: &Kernel, past: Option<&Past>) -> (String, Option<Duration>) {
    if kernel.has_ended {
        return (String::new(), None);
    }
    let longest = past.and_then(Past::longest);
    let find = |is: fn(Phase) -> bool| kernel.shards.iter().position(|shard| is(Phase::of(shard)));
    let index = longest
        .map(|(index, _)| index)
        .or_else(|| find(Phase::is_work))
        .or_else(|| find(|phase| phase != Phase::Asleep))
        .or_else(|| kernel.shards.iter().position(|shard| shard.timers.asks != 0))
        .unwrap_or(0);
    let Some(shard) = kernel.shards.get(index) else { return (String::new(), None) };
    let held = longest.map(|(_, held)| held);
    let mut text = phase_text(kernel, shard, held, waits_for(process, kernel, index));
    if kernel.shards.len() > 1 && (Phase::of(shard) != Phase::Asleep || shard.timers.asks != 0) {
        let _ = write!(text, " (shard {index})");
    }
    if let Some(targets) = targets(process, kernel).filter(|_| Phase::of(shard) != Phase::StalledOnKernel) {
        let _ = write!(text, " → {targets}");
    }
    if let Some(copied) = kernel.copied.filter(|&copied| copied >= Duration::from_secs(1)) {
        let _ = write!(text, ", as of {} ago", age(copied));
    }
    (text, held)
}

/// What a shard is at. What matters comes first, since the end may be cut off.
pub(super) fn phase_text(
    kernel: &Kernel,
    shard: &Shard,
    held: Option<Duration>,
    target: Option<String>,
) -> String {
    let phase = Phase::of(shard);
    let mut text = match (phase, target) {
        (Phase::StalledOnKernel | Phase::StalledOnHost, Some(target)) => format!("for {target}"),
        (Phase::StalledOnHost, _) => "for the host".into(),
        (Phase::InHandler, _) if held.is_some() => "handler".into(),
        // It has nothing to do until answers come.
        (Phase::Asleep, _) if shard.timers.asks != 0 => asks_text(shard.timers.asks.into()),
        _ => phase.to_string(),
    };
    // Writing to a string cannot fail.
    if let Some(held) = held {
        let _ = write!(text, " {}+", age(held));
    }
    if phase == Phase::InHandler && held.is_some() {
        let first = phase.message(shard);
        let _ = match shard.at.count {
            0 | 1 => write!(text, ", message {first}"),
            count => write!(text, ", messages {first} to {}", first.saturating_add(count - 1)),
        };
        if let Some(key) = kernel.key_at(shard) {
            let _ = write!(text, ", key {key}");
        }
    }
    text
}
