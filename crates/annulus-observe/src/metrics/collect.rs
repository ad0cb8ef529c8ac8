//! From looks at kernels to values of metrics.

use std::collections::BTreeMap;

use annulus_abi::{
    control::Timers,
    vitals::{read::Shard, recorder::CAUSES},
};

use super::{
    Metric, MetricKind, Sample, Value,
    counters::{Counters, Launch, Totals, Which},
    table::{self, *},
};
use crate::{Health, Kernel, Liveness, Process, ShardState};

/// Bounds of the histogram's buckets are powers of two of nanoseconds, from 512 ns to 17 s: those are bounds
/// of our own buckets, too, so that no count is off.
const BOUNDS: std::ops::RangeInclusive<u32> = 9..=34;

/// The states that shards are counted by.
const STATES: [ShardState; 5] = [
    ShardState::Active,
    ShardState::Inactive,
    ShardState::Launched,
    ShardState::StalledOnHost,
    ShardState::StalledOnKernel,
];

/// What a sample is about.
struct About<'a> {
    process: Vec<(&'static Label, String)>,
    kernel: &'a str,
    /// See [`Sample::since`].
    since: u64,
}

impl About<'_> {
    fn sample(&self, metric: &'static Metric, own: &[(&'static Label, &str)], value: Value) -> Sample {
        let mut labels = self.process.clone();
        if !self.kernel.is_empty() {
            labels.push((&KERNEL, self.kernel.to_owned()));
        }
        labels.extend(own.iter().map(|(label, value)| (*label, (*value).to_owned())));
        let since = (metric.kind != MetricKind::Gauge).then_some(self.since);
        Sample { metric, labels, value, since }
    }
}

/// All values. Kernels of one name in one process are one kernel: those that have ended count, and only the
/// one that runs is measured.
pub(crate) fn collect(
    processes: &[Process],
    health: &Health,
    counters: &mut Counters,
    per_shard: bool,
    tell_processes: bool,
) -> Vec<Sample> {
    for process in processes {
        for kernel in &process.kernels {
            let launch = (process.file.clone(), kernel.id);
            let since = process.started.saturating_add(kernel.launched_at);
            counters.see(launch, &kernel.name, since, counts(kernel, per_shard));
        }
    }
    let is_there = |launch: &Launch| {
        let process = processes.iter().find(|process| process.file == launch.0);
        process.is_some_and(|process| process.kernels.iter().any(|kernel| kernel.id == launch.1))
    };
    counters.end_look(is_there);
    counters.forget(|file| processes.iter().any(|process| process.file == *file));

    let mut samples = Vec::new();
    for process in processes {
        let labels = process_labels(process, tell_processes);
        let lives = process.liveness == Liveness::Running;
        if tell_processes {
            let about = About { process: labels.clone(), kernel: "", since: 0 };
            samples.push(about.sample(&UP, &[], Value::Number(if lives { 1.0 } else { 0.0 })));
        }
        if !lives {
            continue;
        }
        for name in counters.names(&process.file) {
            let name = &*name;
            let running = process.kernels.iter().find(|kernel| kernel.name == name && !kernel.has_ended);
            let Totals { counts, launches, since } = counters.totals(&process.file, name);
            let about = About { process: labels.clone(), kernel: name, since };
            samples.push(about.sample(&LAUNCHES, &[], Value::Count(launches)));
            count_samples(&about, &counts, &mut samples);
            if let Some(kernel) = running {
                gauges(&about, kernel, per_shard, &mut samples);
                let health = health
                    .kernels
                    .iter()
                    .find(|health| health.file == process.file && health.id == kernel.id);
                if let Some(health) = health {
                    samples.push(about.sample(&HEALTH, &[], Value::Number(health.state() as u8 as f64)));
                    samples.push(about.sample(&STUCK, &[], Value::Number(health.stuck_shards as f64)));
                }
            }
        }
    }
    let place = |metric: &Metric| METRICS.iter().position(|known| std::ptr::eq(*known, metric));
    samples.sort_by_key(|sample| place(sample.metric));
    samples
}

fn process_labels(process: &Process, tell: bool) -> Vec<(&'static Label, String)> {
    let mut labels = vec![(&BACKEND, process.backend.clone())];
    if tell {
        let name = process.executable.rsplit('/').next().unwrap_or_default();
        labels.insert(0, (&PROCESS, name.to_owned()));
        labels.insert(1, (&PID, process.pid.to_string()));
        if let Some(number @ 2..) = number_of_runtime(process) {
            labels.insert(2, (&RUNTIME, number.to_string()));
        }
    }
    labels
}

/// Which of its process's runtimes it is, the first being 1: its file's name ends with what were before it.
fn number_of_runtime(process: &Process) -> Option<u32> {
    let name = process.file.file_stem()?.to_str()?;
    name.rsplit_once('-')?.1.parse::<u32>().ok()?.checked_add(1)
}

fn index(metric: &'static Metric) -> usize {
    METRICS.iter().position(|known| std::ptr::eq(*known, metric)).expect("the table has all metrics")
}

/// What a launch counts. The values of a count's own labels are told apart by their beginning: `shard=3`.
fn counts(kernel: &Kernel, per_shard: bool) -> BTreeMap<Which, u64> {
    let mut counts = BTreeMap::new();
    let mut add = |metric: &'static Metric, labels: Vec<String>, count: u64| {
        *counts.entry((index(metric), labels)).or_insert(0) += count;
    };
    for (number, shard) in kernel.shards.iter().enumerate() {
        let labels = |cause: Option<&str>| {
            let shard = per_shard.then(|| format!("shard={number}"));
            shard.into_iter().chain(cause.map(|cause| format!("cause={cause}"))).collect::<Vec<_>>()
        };
        add(&SENT, labels(None), shard.accepted);
        add(&CONSUMED, labels(None), shard.accepted.saturating_sub(shard.pending));
        add(&PROCESSED, labels(None), shard.processed);
        add(&OUTPUTS, labels(None), shard.sent);
        add(&OUTPUTS_LOST, labels(None), shard.unforwarded);
        add(&DEAD_LETTERS_LOST, labels(None), shard.dead_letters_lost);
        if shard.timers != Timers::default() {
            add(&TIMERS_TAKEN, labels(None), shard.timers.taken);
        }
        if kernel.tracing {
            add(&TRACES_RECORDED, labels(None), shard.traces.recorded);
            add(&TRACES_LOST, labels(None), shard.traces.lost);
        }
        add(&DROPPED, labels(Some("failed")), shard.failed);
        add(&DROPPED, labels(Some("unknown_actor")), shard.unknown_actor);
        if let Some(line) = shard.telemetry {
            let measured = line.messages_processed.saturating_sub(line.unmeasured.into());
            add(&LATENCIES, labels(None), measured);
            add(&LATENCY_SUM, labels(None), line.total_latency_nanos);
        }
    }
    for port in &kernel.ports {
        for (number, words) in port.shards.iter().enumerate() {
            let shard = per_shard.then(|| format!("shard={number}"));
            let labels: Vec<_> = shard.into_iter().chain([format!("outbox={}", port.name)]).collect();
            add(&OUTBOX_SENT, labels.clone(), words.sent);
            add(&OUTBOX_LOST, labels, words.lost);
        }
    }
    add(&SLOW, Vec::new(), kernel.slow);
    for (cause, count) in CAUSES.iter().zip(kernel.drops) {
        add(&DROPPED, vec![format!("cause={cause}")], count);
    }
    if let Some(latencies) = &kernel.latencies {
        // Of numbers up to the bound, and the sum of all.
        let mut add = |label: String, count: u64| counts.insert((index(&LATENCY), vec![label]), count);
        for bound in BOUNDS {
            let within = latencies.buckets().filter(|(nanos, _)| *nanos < 1 << bound);
            add(format!("le={bound:02}"), within.map(|(_, count)| count).sum());
        }
        add("count".into(), latencies.count());
        let sum = latencies.buckets().map(|(nanos, count)| nanos.saturating_mul(count));
        add("sum".into(), sum.fold(0, u64::saturating_add));
    }
    counts
}

fn count_samples(about: &About<'_>, totals: &BTreeMap<Which, u64>, samples: &mut Vec<Sample>) {
    for ((metric, labels), &count) in totals {
        let metric = METRICS[*metric];
        if metric.kind == MetricKind::Histogram {
            continue;
        }
        let own: Vec<(&'static Label, &str)> = labels
            .iter()
            .filter_map(|label| label.split_once('='))
            .map(|(label, value)| (own_label(label), value))
            .collect();
        let value = match std::ptr::eq(metric, &raw const LATENCY_SUM) {
            true => Value::Number(seconds(count)),
            false => Value::Count(count),
        };
        samples.push(about.sample(metric, &own, value));
    }
    let part = |label: &str| totals.get(&(index(&LATENCY), vec![label.to_owned()])).copied();
    if let (Some(count), Some(sum)) = (part("count"), part("sum")) {
        let bucket = |bound: u32| Some((seconds(1 << bound), part(&format!("le={bound:02}"))?));
        let buckets = BOUNDS.filter_map(bucket).collect();
        samples.push(about.sample(
            &table::LATENCY,
            &[],
            Value::Histogram { buckets, count, sum: seconds(sum) },
        ));
    }
}

/// The label that a count's own labels begin with.
fn own_label(name: &str) -> &'static Label {
    match name {
        "shard" => &SHARD,
        "outbox" => &OUTBOX,
        _ => &CAUSE,
    }
}

fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

/// What a kernel that runs shows now.
fn gauges(about: &About<'_>, kernel: &Kernel, per_shard: bool, samples: &mut Vec<Sample>) {
    let capacity = kernel.queue_capacity;
    if per_shard {
        for (index, shard) in kernel.shards.iter().enumerate() {
            let number = index.to_string();
            let own = [(&SHARD, &*number)];
            depth(about, &own, shard.waiting(), capacity, samples);
            let one = std::slice::from_ref(shard);
            of_shards(about, &own, one, samples);
            for port in &kernel.ports {
                let held = port.shards.get(index).map_or(0, |words| words.held);
                let own = [own[0], (&OUTBOX, &*port.name)];
                samples.push(about.sample(&OUTBOX_HELD, &own, Value::Number(held as f64)));
            }
        }
    } else {
        // The numbers may be anything.
        let capacity = capacity.saturating_mul(kernel.shards.len() as u64);
        depth(about, &[], kernel.sum(Shard::waiting), capacity, samples);
        of_shards(about, &[], &kernel.shards, samples);
        for port in &kernel.ports {
            let held = Value::Number(port.sum().held as f64);
            samples.push(about.sample(&OUTBOX_HELD, &[(&OUTBOX, &port.name)], held));
        }
    }
    for state in STATES {
        let count = kernel.shards.iter().filter(|shard| ShardState::of(shard) == state).count();
        let name = state.to_string().replace(' ', "_");
        samples.push(about.sample(&SHARDS, &[(&STATE, &name)], Value::Number(count as f64)));
    }
    if let Some(age) = kernel.age {
        samples.push(about.sample(&UPTIME, &[], Value::Number(age.as_secs_f64())));
    }
}

fn depth(
    about: &About<'_>,
    own: &[(&'static Label, &str)],
    pending: u64,
    capacity: u64,
    samples: &mut Vec<Sample>,
) {
    let share = pending as f64 / capacity.max(1) as f64;
    samples.push(about.sample(&DEPTH, own, Value::Number(pending as f64)));
    samples.push(about.sample(&CAPACITY, own, Value::Number(capacity as f64)));
    samples.push(about.sample(&UTILIZATION, own, Value::Number(share)));
}

fn of_shards(about: &About<'_>, own: &[(&'static Label, &str)], shards: &[Shard], samples: &mut Vec<Sample>) {
    let waiting = shards.iter().map(|shard| shard.outputs_waiting).fold(0, u64::saturating_add);
    samples.push(about.sample(&OUTPUTS_WAITING, own, Value::Number(waiting as f64)));
    if shards.iter().any(|shard| shard.timers != Timers::default()) {
        let waiting: u64 = shards.iter().map(|shard| u64::from(shard.timers.waiting)).sum();
        samples.push(about.sample(&TIMERS_WAITING, own, Value::Number(waiting as f64)));
        let open: u64 = shards.iter().map(|shard| u64::from(shard.timers.asks)).sum();
        samples.push(about.sample(&ASKS_OPEN, own, Value::Number(open as f64)));
    }
    let error = shards.iter().map(|shard| shard.last_error).find(|&code| code != 0).unwrap_or(0);
    samples.push(about.sample(&LAST_ERROR, own, Value::Number(error.into())));
    // A line in which nothing was measured has the largest number as its minimum.
    let lines = || {
        shards.iter().filter_map(|shard| shard.telemetry).filter(|line| line.min_latency_nanos != u64::MAX)
    };
    if let (Some(min), Some(max)) =
        (lines().map(|line| line.min_latency_nanos).min(), lines().map(|line| line.max_latency_nanos).max())
    {
        samples.push(about.sample(&LATENCY_MIN, own, Value::Number(seconds(min))));
        samples.push(about.sample(&LATENCY_MAX, own, Value::Number(seconds(max))));
    }
}
