//! What `annulus top` prints.

use std::{collections::BTreeMap, fmt::Write as _, time::Duration};

use annulus::for_people;
use annulus_observe::{
    BridgeKind, BridgeLook, Kernel, Liveness, Phase, PortLook, Process, Shard, ShardState, TypeLayout,
};
use serde_json::{Map, Value, json};

use super::{
    Sight,
    latency::{mean, range, within},
};

/// What changed between two looks.
struct Change {
    /// Messages for each second; `None` if there is no earlier look at the same kernel.
    rate: Option<f64>,
    /// The mean of the latencies that were measured.
    latency: Option<Duration>,
    /// What 99 of 100 of them were within, where the kernel tracks them.
    p99: Option<Duration>,
    elapsed: Duration,
}

impl Change {
    fn new(now: &Sight, before: &Sight, kernel: &Kernel, earlier: Option<&Kernel>) -> Self {
        // Of copies, the time between the two: what was copied once did not last.
        let copies = earlier.and_then(|earlier| kernel.since(earlier));
        let elapsed = copies.unwrap_or_else(|| now.at.duration_since(before.at));
        let done = |kernel: &Kernel| kernel.sum(|shard| shard.processed);
        let rate = earlier
            .filter(|_| !elapsed.is_zero() && !kernel.has_ended)
            .map(|earlier| done(kernel).saturating_sub(done(earlier)) as f64 / elapsed.as_secs_f64());
        let latency = earlier.and_then(|earlier| mean(&kernel.shards, &earlier.shards));
        let p99 = earlier.and_then(|earlier| within(kernel, earlier));
        Self { rate, latency, p99, elapsed }
    }
}

/// The same launch in an earlier look at its process.
fn earlier<'a>(kernel: &Kernel, process: Option<&'a Process>) -> Option<&'a Kernel> {
    process?.kernels.iter().find(|earlier| earlier.id == kernel.id)
}

/// Whether a shard has been in the handler of one message since the earlier look, and for how long at least.
fn held(shard: &Shard, before: Option<&Shard>, change: &Change) -> Option<Duration> {
    (!change.elapsed.is_zero() && is_held(shard, before)).then_some(change.elapsed)
}

/// Whether both looks found a shard at the same message.
fn is_held(shard: &Shard, before: Option<&Shard>) -> bool {
    before.is_some_and(|before| before.at == shard.at) && Phase::of(shard).is_work()
}

/// The shard that has been longest at one message, as far as two looks tell; else the first that works, or is
/// awake.
fn longest<'a>(kernel: &'a Kernel, earlier: Option<&Kernel>) -> Option<(usize, &'a Shard, bool)> {
    let before = |index: usize| earlier.and_then(|earlier| earlier.shards.get(index));
    let shards = || kernel.shards.iter().enumerate();
    let held = shards().find(|(index, shard)| is_held(shard, before(*index)));
    let works = || shards().find(|(_, shard)| Phase::of(shard).is_work());
    let awake = || shards().find(|(_, shard)| Phase::of(shard) != Phase::Asleep);
    let asks = || shards().find(|(_, shard)| shard.timers.asks != 0);
    let shown = held.or_else(works).or_else(awake).or_else(asks).or_else(|| shards().next())?;
    Some((shown.0, shown.1, held.is_some()))
}

/// The phase of a shard with the message, if it is about one, or with the outbox by which it waits.
fn phase_text(kernel: &Kernel, index: usize, shard: &Shard, held: Option<Duration>) -> String {
    let phase = Phase::of(shard);
    let mut text = phase.to_string();
    if phase == Phase::StalledOnKernel {
        text += &by_outboxes(kernel, index);
    }
    if phase == Phase::StalledOnHost
        && let Some(bridge) = kernel.waiting_bridges().next()
    {
        let _ = write!(text, " (bridge to {})", printable(&bridge.to));
    }
    if shard.timers.asks != 0 && phase != Phase::Ended {
        let _ = write!(text, ", {}", asks_text(shard.timers.asks.into()));
    }
    if phase == Phase::InHandler
        && let Some(time) = held
    {
        let first = phase.message(shard);
        let _ = match shard.at.count {
            0 | 1 => write!(text, " for {} or more, message {first}", for_people(time)),
            count => {
                let last = first.saturating_add(count - 1);
                write!(text, " for {} or more, messages {first} to {last}", for_people(time))
            }
        };
        if let Some(key) = kernel.key_at(shard) {
            let _ = write!(text, ", key {key}");
        }
    }
    text
}

/// Asks whose answers have not come: `5 asks open`.
pub(super) fn asks_text(asks: u64) -> String {
    format!("{asks} {} open", if asks == 1 { "ask" } else { "asks" })
}

/// By which of several outboxes a shard waits: ` (outbox bad)`.
fn by_outboxes(kernel: &Kernel, shard: usize) -> String {
    let names: Vec<String> = kernel.held_by(shard).map(|port| printable(&port.name)).collect();
    match &names[..] {
        [] => String::new(),
        [one] => format!(" (outbox {one})"),
        several => format!(" (outboxes {})", several.join(", ")),
    }
}

/// The name of a kernel in the same process.
pub(crate) fn name_of(process: &Process, id: u64) -> String {
    let found = process.kernels.iter().find(|kernel| kernel.id == id);
    found.map_or("a kernel that is not shown".into(), |kernel| printable(&kernel.name))
}

/// Which kernels take a kernel's outputs: `  -> sort`, or with several outboxes `  good -> merge, bad -> report`.
fn leads_to(process: &Process, kernel: &Kernel) -> String {
    let link = |(id, waits): (u64, bool)| {
        format!("-> {}{}", name_of(process, id), if waits { "" } else { ", or lost" })
    };
    let of_port = |port: &PortLook| Some(format!("{} {}", printable(&port.name), link(port.target?)));
    let links: Vec<String> = match &kernel.ports[..] {
        [] => kernel.target.into_iter().map(link).collect(),
        ports => ports.iter().filter_map(of_port).collect(),
    };
    if links.is_empty() { String::new() } else { format!("  {}", links.join(", ")) }
}

/// The table of a look, with latencies or without.
pub(super) fn text(now: &Sight, before: &Sight, with_shards: bool, with_latency: bool) -> String {
    let latency = |text: String| if with_latency { format!(" {text:>10}") } else { String::new() };
    let time = |time: Option<Duration>| latency(time.map_or("-".into(), |time| for_people(time).to_string()));
    let mut text = String::new();
    if now.processes.is_empty() {
        text += "no process of this user has kernels, as far as their files tell\n";
    }
    for process in &now.processes {
        let file = printable(&process.told_apart(&now.processes));
        // Writing to a string cannot fail.
        let _ = match process.liveness {
            Liveness::Running => writeln!(
                text,
                "process {}{file}, {}, {}, up {}",
                process.pid,
                process.backend,
                printable(&process.executable),
                for_people(Duration::from_nanos(process.now))
            ),
            Liveness::Dead => writeln!(
                text,
                "process {}{file}, {}, {}: {}",
                process.pid,
                process.backend,
                printable(&process.executable),
                process.told_death()
            ),
        };
        let earlier_process = now.earlier(process, before);
        if let Some(damage) = process.told_damage() {
            let _ = writeln!(text, "  {}", printable(&damage));
        }
        if process.kernels.is_empty() {
            let _ = writeln!(text, "  {}", process.no_kernels());
            continue;
        }
        let _ = writeln!(
            text,
            "  {:<20} {:>6} {:<17} {:>13} {:>10} {:>8} {:>8} {:>7} {:>10}{}  PHASE",
            "KERNEL",
            "SHARDS",
            "STATE",
            "DONE",
            "PER S",
            "PENDING",
            "DROPPED",
            "OUT",
            "AGE",
            latency("LATENCY".into()) + &latency("P99".into())
        );
        for kernel in &process.kernels {
            let earlier = earlier(kernel, earlier_process);
            let change = Change::new(now, before, kernel, earlier);
            row(&mut text, process, kernel, earlier, &change, &(time(change.latency) + &time(change.p99)));
            for bridge in kernel.bridges.iter().filter(|bridge| !bridge.has_ended) {
                let rate = bridge_rate(bridge, earlier, now.at.duration_since(before.at));
                let _ = writeln!(text, "    {}", bridge_text(bridge, rate.map(per_second)));
            }
            for (index, shard) in kernel.shards.iter().enumerate().filter(|_| with_shards) {
                let before = earlier.and_then(|earlier| earlier.shards.get(index));
                let rate = before.filter(|_| change.rate.is_some()).map(|before| {
                    shard.processed.saturating_sub(before.processed) as f64 / change.elapsed.as_secs_f64()
                });
                let held = held(shard, before, &change);
                let own = std::slice::from_ref;
                let latency = before.and_then(|before| mean(own(shard), own(before)));
                let _ = writeln!(
                    text,
                    "    {:<18} {:>6} {:<17} {:>13} {:>10} {:>8} {:>8} {:>7} {:>10}{}  {}",
                    format!("shard {index}"),
                    "",
                    ShardState::of(shard),
                    shard.processed,
                    rate.map_or("-".into(), per_second),
                    shard.waiting(),
                    shard.failed.saturating_add(shard.unknown_actor),
                    shard.outputs_waiting,
                    "",
                    time(latency) + &time(None),
                    phase_text(kernel, index, shard, held)
                );
            }
        }
    }
    for file in &now.unreadable {
        let _ = writeln!(text, "{}", printable(file));
    }
    text
}

fn row(
    text: &mut String,
    process: &Process,
    kernel: &Kernel,
    earlier: Option<&Kernel>,
    change: &Change,
    latency: &str,
) {
    let mut phase = match longest(kernel, earlier) {
        _ if kernel.has_ended => String::new(),
        Some((index, shard, held)) => {
            let phase = phase_text(
                kernel,
                index,
                shard,
                (held && !change.elapsed.is_zero()).then_some(change.elapsed),
            );
            if kernel.shards.len() > 1 { format!("{phase} (shard {index})") } else { phase }
        }
        None => String::new(),
    };
    if !kernel.has_ended {
        phase += &leads_to(process, kernel);
    }
    if let Some(copied) = kernel.copied {
        let _ = write!(phase, "  (as of {} ago)", for_people(copied));
    }
    let _ = writeln!(
        text,
        "  {:<20} {:>6} {:<17} {:>13} {:>10} {:>8} {:>8} {:>7} {:>10}{latency}  {}",
        printable(&kernel.name),
        kernel.shards.len(),
        if kernel.left_behind { "left behind".into() } else { kernel.state().to_string() },
        kernel.sum(|shard| shard.processed),
        change.rate.map_or("-".into(), per_second),
        kernel.waiting(),
        kernel.sum(|shard| shard.failed.saturating_add(shard.unknown_actor)),
        kernel.sum(|shard| shard.outputs_waiting),
        kernel.age.map_or("-".into(), |age| for_people(age).to_string()),
        phase.trim_end()
    );
}

/// Messages that a bridge moves in a second; `None` if the earlier look did not find it, or it has ended.
pub(super) fn bridge_rate(bridge: &BridgeLook, earlier: Option<&Kernel>, elapsed: Duration) -> Option<f64> {
    let before = earlier?.bridges.iter().find(|before| before.number == bridge.number)?;
    let moved = bridge.counts.moved.saturating_sub(before.counts.moved);
    (!elapsed.is_zero() && !bridge.has_ended).then(|| moved as f64 / elapsed.as_secs_f64())
}

/// A bridge of a kernel in words: `=> count: 1000 moved, 12.5 per s, 3 held, waits for room`.
pub(super) fn bridge_text(bridge: &BridgeLook, rate: Option<String>) -> String {
    let mut text = match bridge.kind {
        BridgeKind::FromQueue => format!("<= queue {}", printable(&bridge.from)),
        BridgeKind::ToQueue => format!("=> queue {}", printable(&bridge.to)),
        _ => format!("=> {}", printable(&bridge.to)),
    };
    let (counts, dropped) = (&bridge.counts, bridge.dropped());
    // Writing to a string cannot fail.
    let _ = write!(text, ": {} moved", counts.moved);
    if let Some(rate) = rate {
        let _ = write!(text, ", {rate} per s");
    }
    if dropped != 0 {
        let _ = write!(text, ", {dropped} dropped");
    }
    let _ = write!(text, ", {} held", counts.held);
    match (bridge.has_ended, bridge.waits_for) {
        (true, _) => text += ", ended",
        (false, Some(_)) => text += ", waits for room",
        (false, None) => {}
    }
    text
}

/// A rate with three digits or none behind the point.
fn per_second(rate: f64) -> String {
    if rate >= 100.0 || rate == 0.0 { format!("{rate:.0}") } else { format!("{rate:.1}") }
}

/// The owner of a file chose the names, and a terminal would obey control characters in them.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// A look, one process a line.
pub(super) fn json(now: &Sight, before: &Sight) -> String {
    let mut text = String::new();
    for process in &now.processes {
        let earlier_process = now.earlier(process, before);
        let kernel = |kernel: &Kernel| {
            let earlier = earlier(kernel, earlier_process);
            let change = Change::new(now, before, kernel, earlier);
            let shard = |(index, shard): (usize, &Shard)| {
                let before = earlier.and_then(|earlier| earlier.shards.get(index));
                shard_json(kernel, index, shard, held(shard, before, &change))
            };
            json!({
                "id": kernel.id,
                "name": kernel.name,
                "kernel": kernel.kernel,
                "state": kernel.state().to_string(),
                "ended": kernel.has_ended,
                "left_behind": kernel.left_behind,
                "mode": kernel.mode,
                "message": kernel.message,
                "output": kernel.output,
                "message_layout": layout_json(kernel.message_layout),
                "output_layout": layout_json(kernel.output_layout),
                "memory_bytes": kernel.memory.total(),
                "memory": memory_json(kernel),
                "target": kernel.target.map(|(id, _)| id),
                "waits_for_target": kernel.target.map(|(_, waits)| waits),
                "outboxes": outboxes_json(kernel),
                "bridges": bridges_json(kernel, earlier, now.at.duration_since(before.at)),
                "age_seconds": kernel.age.map(|age| age.as_secs_f64()),
                "copied_seconds_ago": kernel.copied.map(|age| age.as_secs_f64()),
                "processed": kernel.sum(|shard| shard.processed),
                "per_second": change.rate,
                "latency_seconds": change.latency.map(|latency| latency.as_secs_f64()),
                "latency_p99_seconds": change.p99.map(|latency| latency.as_secs_f64()),
                "latency_min_seconds": range(&kernel.shards).map(|[least, _]| least.as_secs_f64()),
                "latency_max_seconds": range(&kernel.shards).map(|[_, most]| most.as_secs_f64()),
                "pending": kernel.waiting(),
                "pending_of_kernels_on_device": kernel.linked,
                "in_front": kernel.sum(|shard| shard.staged),
                "failed": kernel.sum(|shard| shard.failed),
                "unknown_actor": kernel.sum(|shard| shard.unknown_actor),
                "outputs_waiting": kernel.sum(|shard| shard.outputs_waiting),
                "timers_waiting": kernel.sum(|shard| shard.timers.waiting.into()),
                "timers_taken": kernel.sum(|shard| shard.timers.taken),
                "actors_used": kernel.sparse_keys.then(|| kernel.sum(|shard| shard.actors.used)),
                "actors_evicted": kernel.sparse_keys.then(|| kernel.sum(|shard| shard.actors.evicted)),
                "actors_ended": kernel.sparse_keys.then(|| kernel.sum(|shard| shard.actors.ended)),
                "asks_open": kernel.open_asks(),
                "asked": kernel.asked(),
                "traces_recorded": kernel.tracing.then(|| kernel.sum(|shard| shard.traces.recorded)),
                "traces_lost": kernel.tracing.then(|| kernel.sum(|shard| shard.traces.lost)),
                "shards": kernel.shards.iter().enumerate().map(shard).collect::<Vec<_>>(),
            })
        };
        let line = json!({
            "pid": process.pid,
            "alive": process.liveness == Liveness::Running,
            "backend": process.backend,
            "device": process.device,
            "other_boot": process.other_boot,
            "library": process.library,
            "executable": process.executable,
            "file": process.file,
            "damage": damage_json(process),
            "kernels": process.kernels.iter().map(kernel).collect::<Vec<_>>(),
        });
        let _ = writeln!(text, "{line}");
    }
    for file in &now.unreadable {
        let _ = writeln!(text, "{}", json!({ "unreadable": file }));
    }
    text
}

/// The bytes of a kernel's memory, by what they are for and by where they lie.
pub(crate) fn memory_json(kernel: &Kernel) -> Value {
    let memory = &kernel.memory;
    let parts = memory.by_part().into_iter().chain(memory.by_place());
    parts.map(|(name, bytes)| (name.to_owned(), bytes.into())).collect::<Map<_, _>>().into()
}

/// The memory layout of a type; null if it is not known, or there is none. The hash is text, since JSON's readers have no
/// numbers of 64 bits.
pub(crate) fn layout_json(layout: Option<TypeLayout>) -> Value {
    layout.map_or(Value::Null, |TypeLayout { size, align, hash }| {
        json!({ "size": size, "align": align, "hash": format!("{hash:016x}") })
    })
}

/// What is wrong with a process's file; null if nothing is.
pub(crate) fn damage_json(process: &Process) -> Value {
    let damage = process.damage;
    match process.told_damage() {
        Some(told) => json!({
            "entries": damage.entries,
            "missing_bytes": damage.missing,
            "without_shards": damage.without_shards,
            "told": told,
        }),
        None => Value::Null,
    }
}

/// Several outboxes: where each leads, and what it has sent to kernels.
pub(crate) fn outboxes_json(kernel: &Kernel) -> Vec<Value> {
    let of_port = |port: &PortLook| {
        let sum = port.sum();
        json!({
            "name": port.name,
            "target": port.target.map(|(id, _)| id),
            "waits_for_target": port.target.map(|(_, waits)| waits),
            "sent": sum.sent,
            "held": sum.held,
            "lost": sum.lost,
            "held_by_shard": port.shards.iter().map(|shard| shard.held).collect::<Vec<_>>(),
        })
    };
    kernel.ports.iter().map(of_port).collect()
}

/// The bridges of a kernel.
pub(crate) fn bridges_json(kernel: &Kernel, earlier: Option<&Kernel>, elapsed: Duration) -> Vec<Value> {
    let of_bridge = |bridge: &BridgeLook| {
        let counts = &bridge.counts;
        json!({
            "kind": bridge.kind.name(),
            "from": bridge.from,
            "outbox": bridge.outbox,
            "to": bridge.to,
            "moved": counts.moved,
            "per_second": bridge_rate(bridge, earlier, elapsed),
            "moved_bytes": counts.bytes,
            "dropped": bridge.drops().into_iter().collect::<BTreeMap<_, _>>(),
            "batches": bridge.batches().into_iter().collect::<BTreeMap<_, _>>(),
            "held": counts.held,
            "waits_for_room": bridge.waits_for.is_some(),
            "ended": bridge.has_ended,
        })
    };
    kernel.bridges.iter().map(of_bridge).collect()
}

pub(crate) fn shard_json(kernel: &Kernel, index: usize, shard: &Shard, held: Option<Duration>) -> Value {
    let phase = Phase::of(shard);
    json!({
        "shard": index,
        "state": ShardState::of(shard).to_string(),
        "phase": phase.to_string(),
        "message": phase.is_work().then(|| phase.message(shard)),
        "key": kernel.key_at(shard).filter(|_| phase.is_work()),
        "unchanged_for_seconds": held.map(|time| time.as_secs_f64()),
        "processed": shard.processed,
        "pending": shard.waiting(),
        "in_front": shard.staged,
        "failed": shard.failed,
        "unknown_actor": shard.unknown_actor,
        "sent": shard.sent,
        "outputs_waiting": shard.outputs_waiting,
        "asks_open": shard.timers.asks,
        "last_error": shard.last_error,
    })
}
