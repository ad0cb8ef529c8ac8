//! What the page shows of one look.

use serde_json::{Value, json};

use crate::{
    BridgeKind, BridgeLook, Kernel, KernelHealth, Liveness, Phase, PortLook, Process, Shard, ShardState,
    Sight,
};

/// A look in JSON, in one line. Counts are totals: the page has the earlier look, and makes rates of both.
pub(super) fn news(sight: &Sight) -> String {
    let of_process = |process: &Process| {
        let of_kernel = |kernel: &Kernel| {
            let is_it = |health: &&KernelHealth| health.file == process.file && health.id == kernel.id;
            of_kernel(kernel, sight.health.kernels.iter().find(is_it))
        };
        json!({
            "pid": process.pid,
            "instance": process.file.file_stem().map(|name| name.display().to_string()),
            "apart": process.told_apart(&sight.processes),
            "name": process.executable.rsplit('/').next().unwrap_or_default(),
            "backend": process.backend,
            "alive": process.liveness == Liveness::Running,
            "up": process.now as f64 / 1e9,
            "kernels": process.kernels.iter().filter(|kernel| !kernel.has_ended).map(of_kernel).collect::<Vec<_>>(),
            "bridges": process.bridges().filter(|bridge| !bridge.has_ended).map(of_bridge).collect::<Vec<_>>(),
        })
    };
    // They have no card, since no kernel runs.
    let missing = sight.health.kernels.iter().filter(|health| health.is_missing()).flat_map(|health| {
        let told = |evidence: &str| format!("{}: {evidence}", health.kernel);
        health.reasons.iter().map(move |reason| told(&reason.evidence))
    });
    json!({
        "at": sight.at.as_secs_f64(),
        "health": sight.health.state().to_string(),
        "processes": sight.processes.iter().map(of_process).collect::<Vec<_>>(),
        "notes": missing.chain(sight.faults()).collect::<Vec<_>>(),
    })
    .to_string()
}

/// One of several outboxes. Counts are of what went to kernels.
fn of_outbox(port: &PortLook) -> Value {
    let sum = port.sum();
    json!({
        "name": port.name,
        "target": port.target.map(|(id, _)| id.to_string()),
        "nobody": port.is_nobody(),
        "sent": sum.sent,
        "held": sum.held,
        "lost": sum.lost,
    })
}

fn of_bridge(bridge: &BridgeLook) -> Value {
    json!({
        "number": bridge.number,
        "from": bridge.from,
        "to": bridge.to,
        "from_queue": bridge.kind == BridgeKind::FromQueue,
        "to_queue": bridge.kind == BridgeKind::ToQueue,
        "moved": bridge.counts.moved,
        "held": bridge.counts.held,
        "dropped": bridge.dropped(),
        "waits": bridge.waits_for.is_some(),
    })
}

fn of_kernel(kernel: &Kernel, health: Option<&KernelHealth>) -> Value {
    let lines = || kernel.shards.iter().filter_map(|shard| shard.telemetry);
    let measured = lines().map(|line| line.messages_processed.saturating_sub(line.unmeasured.into()));
    let total = lines().map(|line| line.total_latency_nanos).fold(0, u64::saturating_add);
    let capacity = kernel.queue_capacity.saturating_mul(kernel.shards.len() as u64);
    let pending = kernel.waiting();
    let of_shard = |shard: &Shard| json!({ "pending": shard.waiting(), "phase": Phase::of(shard).to_string(), "done": shard.processed });
    // Identities are pointers inside a process: more than a number of JavaScript holds.
    json!({
        "id": kernel.id.to_string(),
        "name": kernel.name,
        "message": kernel.message,
        "output": kernel.output,
        "target": kernel.target.map(|(id, _)| id.to_string()),
        "outboxes": kernel.ports.iter().map(of_outbox).collect::<Vec<_>>(),
        "state": kernel.state().to_string(),
        "stalled": kernel.shards.iter().filter(|shard| {
            matches!(ShardState::of(shard), ShardState::StalledOnHost | ShardState::StalledOnKernel)
        }).count(),
        "health": health.map_or_else(|| "unhealthy".to_owned(), |health| health.state().to_string()),
        "reasons": health.map_or_else(Vec::new, |health| {
            health.reasons.iter().map(|reason| reason.evidence.clone()).collect()
        }),
        "sent": kernel.sent(),
        "done": kernel.sum(|shard| shard.processed),
        "failed": kernel.sum(|shard| shard.failed.saturating_add(shard.unknown_actor)),
        "outputs": kernel.sum(|shard| shard.sent),
        "waiting": kernel.sum(|shard| shard.outputs_waiting),
        "pending": pending,
        "capacity": capacity,
        "fullness": kernel.fullness(),
        "measured": measured.fold(0, u64::saturating_add),
        "latency": total as f64 / 1e9,
        "p99": kernel.latencies.as_ref()
            .filter(|latencies| latencies.count() != 0).map(|latencies| latencies.quantile(0.99) as f64 / 1e9),
        "shards": kernel.shards.iter().map(of_shard).collect::<Vec<_>>(),
    })
}
