//! From looks at kernels to values of metrics.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc, time::Instant};

use annulus_abi::{
    control::Timers,
    vitals::{read::Shard, recorder::CAUSES},
};

use super::{
    Labels, Metric, MetricKind, Own, Sample, Value,
    counters::{Counters, Counts, Of, Totals, Which, add},
    instances::Common,
    table::{self, *},
};
use crate::{
    BridgeCounts, BridgeLook, Health, Kernel, KernelHealth, Liveness, Phase, PortLook, Process, ShardState,
    TypeLayout,
};

/// Bounds of the histogram's buckets are powers of two of nanoseconds, from 512 ns to 17 s: those are bounds
/// of our own buckets, too, so that no count is off.
const BOUNDS: std::ops::RangeInclusive<u32> = 9..=34;

/// The states that shards are counted by.
const STATES: [(ShardState, &str); 5] = [
    (ShardState::Active, "active"),
    (ShardState::Inactive, "inactive"),
    (ShardState::Launched, "launched"),
    (ShardState::StalledOnHost, "stalled_on_host"),
    (ShardState::StalledOnKernel, "stalled_on_kernel"),
];

/// What samples are about.
struct About {
    common: Arc<[(&'static Label, String)]>,
    /// See [`Sample::since`].
    since: u64,
}

impl About {
    fn sample(&self, metric: &'static Metric, own: Own, value: Value) -> Sample {
        let labels = Labels { common: Arc::clone(&self.common), own };
        let since = (metric.kind != MetricKind::Gauge).then_some(self.since);
        Sample { metric, labels, value, since }
    }

    fn number(&self, metric: &'static Metric, own: &Own, value: f64) -> Sample {
        self.sample(metric, own.clone(), Value::Number(value))
    }
}

/// No labels of its own.
const NONE: Own = [None, None];

fn shard_label(number: usize) -> Option<(&'static Label, Cow<'static, str>)> {
    Some((&SHARD, number.to_string().into()))
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
            let since = process.started.saturating_add(kernel.launched_at);
            counters.see(&process.file, kernel.id, &kernel.name, since, counts(kernel, per_shard));
        }
        for bridge in process.bridges() {
            let since = process.started.saturating_add(bridge.began);
            counters.see_bridge(&process.file, bridge.number, &ends(bridge), since, bridge_counts(bridge));
        }
    }
    counters.instances.see(processes, |process| process_labels(process, true));
    let labels_of = |process: &Process| {
        let instance = counters.instances.of(process).filter(|_| tell_processes);
        let instance = instance.map(|instance| (&PROCESS_INSTANCE, instance));
        process_labels(process, tell_processes).into_iter().chain(instance).collect::<Common>()
    };
    let all_labels: Vec<Common> = processes.iter().map(labels_of).collect();
    counters.end_look(Instant::now());
    counters.forget(|file| processes.iter().any(|process| process.file == file));

    let mut samples = Vec::new();
    for (process, labels) in processes.iter().zip(&all_labels) {
        let lives = process.liveness == Liveness::Running;
        if tell_processes && (lives || is_the_last(process, labels, processes.iter().zip(&all_labels))) {
            let about = About { common: labels.clone().into(), since: 0 };
            samples.push(about.number(&UP, &NONE, if lives { 1.0 } else { 0.0 }));
            samples.push(about.number(&DAMAGED_ENTRIES, &NONE, process.damage.entries as f64));
            samples.push(about.number(&MISSING_BYTES, &NONE, process.damage.missing as f64));
        }
        if !lives {
            continue;
        }
        let of_this = |health: &&KernelHealth| health.file == process.file;
        let (missing, judged): (Vec<&KernelHealth>, Vec<&KernelHealth>) =
            health.kernels.iter().filter(of_this).partition(|health| health.is_missing());
        for Totals { name, counts, launches, since } in counters.totals(&process.file) {
            // One that was left behind, since its handler does not return, may run beside its successor.
            let running = process.kernels.iter().filter(|kernel| kernel.name == name && !kernel.has_ended);
            let running = running.max_by_key(|kernel| (kernel.launched_at, kernel.id));
            let common = labels.iter().cloned().chain([(&KERNEL, name.to_owned())]).collect();
            let about = About { common, since };
            samples.push(about.sample(&LAUNCHES, NONE, Value::Count(launches)));
            count_samples(&about, &counts, per_shard, &mut samples);
            let Some(kernel) = running else { continue };
            gauges(&about, kernel, per_shard, &mut samples);
            samples.push(info(&about, process, kernel));
            if let Some(health) = judged.iter().find(|health| health.id == kernel.id) {
                // One that was left behind has the name of one that is missing, and a name has one sample.
                if missing.iter().all(|missing| missing.kernel != name) {
                    samples.push(about.number(&HEALTH, &NONE, f64::from(health.state() as u8)));
                }
                samples.push(about.number(&STUCK, &NONE, health.stuck_shards as f64));
            }
        }
        // Of one that does not run, nothing else is known now.
        let mut worst = BTreeMap::new();
        for health in missing {
            let state: &mut u8 = worst.entry(&health.kernel).or_default();
            *state = (*state).max(health.state() as u8);
        }
        for (name, state) in worst {
            let common = labels.iter().cloned().chain([(&KERNEL, name.clone())]).collect();
            let about = About { common, since: 0 };
            samples.push(about.number(&HEALTH, &NONE, f64::from(state)));
        }
        for totals in counters.totals_of_bridges(&process.file) {
            bridge_samples(process, labels, totals, &mut samples);
        }
    }
    samples.sort_by_key(|sample| sample.metric.place);
    samples
}

/// The ends of a bridge as one name. A name that observers find has no such character:
/// [`name_field`](annulus_abi::vitals::bridges::name_field).
fn ends(bridge: &BridgeLook) -> String {
    format!("{}\0{}", bridge.from, bridge.to)
}

/// What a bridge counts.
fn bridge_counts(bridge: &BridgeLook) -> Counts {
    let BridgeCounts { moved, bytes, evicted, .. } = bridge.counts;
    let all = [(&BRIDGE_MOVED, moved), (&BRIDGE_BYTES, bytes), (&BRIDGE_EVICTED, evicted)];
    let all = all.map(|(metric, count)| (Which::new(metric, Of::All), count));
    let by = |metric: &'static Metric| move |(cause, count)| (Which::new(metric, Of::Cause(cause)), count);
    let drops = bridge.drops().into_iter().map(by(&BRIDGE_DROPPED));
    all.into_iter().chain(drops).chain(bridge.batches().into_iter().map(by(&BRIDGE_BATCHES))).collect()
}

/// What all bridges between the same ends have counted, and what those that work show now.
fn bridge_samples(process: &Process, labels: &Common, totals: Totals<'_>, samples: &mut Vec<Sample>) {
    let Totals { name, counts, launches, since } = totals;
    let (from, to) = name.split_once('\0').unwrap_or((name, ""));
    let common = labels.iter().cloned().chain([(&FROM, from.to_owned()), (&TO, to.to_owned())]).collect();
    let about = About { common, since };
    for (Which { metric, of, .. }, &count) in &*counts {
        let metric = METRICS[*metric];
        let label = if std::ptr::eq(metric, &raw const BRIDGE_BATCHES) { &BATCH } else { &CAUSE };
        let own = match of {
            Of::Cause(cause) => [None, Some((label, Cow::Borrowed(*cause)))],
            _ => NONE,
        };
        samples.push(about.sample(metric, own, Value::Count(count)));
    }
    samples.push(about.sample(&BRIDGES_BEGUN, NONE, Value::Count(launches)));
    let is_one = |bridge: &&BridgeLook| (&*bridge.from, &*bridge.to) == (from, to);
    let these: Vec<_> = process.bridges().filter(is_one).collect();
    let count = |is: fn(&BridgeLook) -> bool| these.iter().filter(|bridge| is(bridge)).count() as f64;
    samples.push(about.number(&BRIDGES, &NONE, count(|bridge| !bridge.has_ended)));
    samples.push(about.number(&BRIDGES_WAITING, &NONE, count(|bridge| bridge.waits_for.is_some())));
    let held = these
        .iter()
        .filter(|bridge| !bridge.has_ended)
        .map(|bridge| bridge.counts.held)
        .fold(0, u64::saturating_add);
    samples.push(about.number(&BRIDGE_HELD, &NONE, held as f64));
}

/// Whether no other process has the labels of this one, which is dead, and lives, or died later. Numbers are used again: in
/// containers each process of a program has the same one.
fn is_the_last<'a>(
    dead: &Process,
    labels: &Common,
    mut processes: impl Iterator<Item = (&'a Process, &'a Common)>,
) -> bool {
    let comes_later = |other: &Process| {
        other.liveness == Liveness::Running || (other.started, &other.file) > (dead.started, &dead.file)
    };
    !processes.any(|(other, of_other)| comes_later(other) && of_other == labels)
}

fn process_labels(process: &Process, tell: bool) -> Common {
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

/// What a launch counts, by shard or of all shards together.
fn counts(kernel: &Kernel, per_shard: bool) -> Counts {
    let mut counts = Counts::new();
    if per_shard {
        for (number, shard) in kernel.shards.iter().enumerate() {
            of_some(kernel, Some(number), std::slice::from_ref(shard), &mut counts);
        }
    } else {
        of_some(kernel, None, &kernel.shards, &mut counts);
    }
    // Each shard's own in any case: a line that was being written when it was read is missing, which is no reset.
    for (number, shard) in kernel.shards.iter().enumerate() {
        let Some(line) = shard.telemetry else { continue };
        let measured = line.messages_processed.saturating_sub(line.unmeasured.into());
        let which = |metric: &'static Metric| Which { shard: Some(number), ..Which::new(metric, Of::All) };
        counts.insert(which(&LATENCIES), measured);
        counts.insert(which(&LATENCY_SUM), line.total_latency_nanos);
    }
    for port in &kernel.ports {
        let name: Arc<str> = port.name.as_str().into();
        for (number, words) in port.shards.iter().enumerate() {
            let shard = per_shard.then_some(number);
            let which =
                |metric: &Metric| Which { metric: metric.place, shard, of: Of::Outbox(Arc::clone(&name)) };
            add(&mut counts, which(&OUTBOX_SENT), words.sent);
            add(&mut counts, which(&OUTBOX_LOST), words.lost);
        }
    }
    add(&mut counts, Which::new(&SLOW, Of::All), kernel.slow);
    for (cause, count) in CAUSES.into_iter().zip(kernel.drops) {
        add(&mut counts, Which::new(&DROPPED, Of::Cause(cause)), count);
    }
    if let Some(latencies) = &kernel.latencies {
        for bound in BOUNDS {
            let within = latencies.buckets().filter(|(nanos, _)| *nanos < 1 << bound);
            let within = within.map(|(_, count)| count).fold(0, u64::saturating_add);
            add(&mut counts, Which::new(&LATENCY, Of::Below(bound)), within);
        }
        add(&mut counts, Which::new(&LATENCY, Of::Count), latencies.count());
        let sum = latencies.buckets().map(|(nanos, count)| nanos.saturating_mul(count));
        add(&mut counts, Which::new(&LATENCY, Of::Sum), sum.fold(0, u64::saturating_add));
    }
    counts
}

/// What some shards of a kernel count together.
fn of_some(kernel: &Kernel, shard: Option<usize>, shards: &[Shard], counts: &mut Counts) {
    // The numbers may be anything.
    let sum = |of: fn(&Shard) -> u64| shards.iter().map(of).fold(0, u64::saturating_add);
    let mut tell = |metric: &'static Metric, of: Of, count: u64| {
        counts.insert(Which { shard, ..Which::new(metric, of) }, count);
    };
    // Nobody counts which shard a message of another kernel is for, until it has arrived in a device's memory.
    let sent = match shard {
        None => kernel.sent(),
        Some(_) => sum(|shard| shard.accepted.saturating_add(shard.arrived())),
    };
    tell(&SENT, Of::All, sent);
    let consumed = |shard: &Shard| shard.accepted.saturating_sub(shard.pending).saturating_add(shard.taken);
    tell(&CONSUMED, Of::All, sum(consumed));
    tell(&PROCESSED, Of::All, sum(|shard| shard.processed));
    tell(&OUTPUTS, Of::All, sum(|shard| shard.sent));
    tell(&OUTPUTS_LOST, Of::All, sum(|shard| shard.unforwarded));
    tell(&DEAD_LETTERS_LOST, Of::All, sum(|shard| shard.dead_letters_lost));
    if shards.iter().any(|shard| shard.timers != Timers::default()) {
        tell(&TIMERS_TAKEN, Of::All, sum(|shard| shard.timers.taken));
    }
    if kernel.sparse_keys {
        tell(&ACTORS_EVICTED, Of::All, sum(|shard| shard.actors.evicted));
        tell(&ACTORS_ENDED, Of::All, sum(|shard| shard.actors.ended));
    }
    if kernel.tracing {
        tell(&TRACES_RECORDED, Of::All, sum(|shard| shard.traces.recorded));
        tell(&TRACES_LOST, Of::All, sum(|shard| shard.traces.lost));
    }
    tell(&DROPPED, Of::Cause("failed"), sum(|shard| shard.failed));
    tell(&DROPPED, Of::Cause("unknown_actor"), sum(|shard| shard.unknown_actor));
}

fn count_samples(about: &About, totals: &Counts, per_shard: bool, samples: &mut Vec<Sample>) {
    let mut together = Counts::new();
    let mut totals = totals;
    if !per_shard && totals.keys().any(|which| which.shard.is_some()) {
        for (which, &count) in totals {
            add(&mut together, Which { shard: None, ..which.clone() }, count);
        }
        totals = &together;
    }
    for (Which { metric, shard, of }, &count) in totals {
        let metric = METRICS[*metric];
        let own = match of {
            Of::All => None,
            Of::Cause(cause) => Some((&CAUSE, Cow::Borrowed(*cause))),
            Of::Outbox(name) => Some((&OUTBOX, Cow::Owned(name.to_string()))),
            Of::Below(_) | Of::Count | Of::Sum => continue,
        };
        let value = match std::ptr::eq(metric, &raw const LATENCY_SUM) {
            true => Value::Number(seconds(count)),
            false => Value::Count(count),
        };
        samples.push(about.sample(metric, [shard.and_then(shard_label), own], value));
    }
    let part = |of| totals.get(&Which::new(&LATENCY, of)).copied();
    if let (Some(count), Some(sum)) = (part(Of::Count), part(Of::Sum)) {
        let bucket = |bound: u32| Some((seconds(1 << bound), part(Of::Below(bound))?));
        let buckets = BOUNDS.filter_map(bucket).collect();
        samples.push(about.sample(
            &table::LATENCY,
            NONE,
            Value::Histogram { buckets, count, sum: seconds(sum) },
        ));
    }
}

fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

/// What a kernel that runs shows now.
fn gauges(about: &About, kernel: &Kernel, per_shard: bool, samples: &mut Vec<Sample>) {
    let capacity = kernel.queue_capacity;
    if per_shard {
        for (index, shard) in kernel.shards.iter().enumerate() {
            let own = [shard_label(index), None];
            let waiting = shard.waiting();
            depth(about, &own, waiting, capacity, waiting as f64 / capacity.max(1) as f64, samples);
            let one = std::slice::from_ref(shard);
            of_shards(about, &own, kernel, one, samples);
            for port in &kernel.ports {
                let held = port.shards.get(index).map_or(0, |words| words.held);
                let [shard, _] = own.clone();
                samples.push(about.number(&OUTBOX_HELD, &[shard, outbox(port)], held as f64));
            }
        }
    } else {
        // The numbers may be anything.
        let capacity = capacity.saturating_mul(kernel.shards.len() as u64);
        depth(about, &NONE, kernel.waiting(), capacity, kernel.fullness(), samples);
        of_shards(about, &NONE, kernel, &kernel.shards, samples);
        for port in &kernel.ports {
            samples.push(about.number(&OUTBOX_HELD, &[None, outbox(port)], port.sum().held as f64));
        }
    }
    for (state, name) in STATES {
        let count = kernel.shards.iter().filter(|shard| ShardState::of(shard) == state).count();
        samples.push(about.number(&SHARDS, &[None, Some((&STATE, name.into()))], count as f64));
    }
    for (part, place, bytes) in kernel.memory.parts_and_places() {
        if bytes != 0 {
            let own = [Some((&PLACE, place.into())), Some((&PART, part.into()))];
            samples.push(about.number(&MEMORY, &own, bytes as f64));
        }
    }
    if let Some(age) = kernel.age {
        samples.push(about.number(&UPTIME, &NONE, age.as_secs_f64()));
    }
}

/// What a kernel is.
fn info(about: &About, process: &Process, kernel: &Kernel) -> Sample {
    let layout = |layout: Option<TypeLayout>| layout.map_or(String::new(), |layout| format!("{layout:#}"));
    // One that is empty is none.
    let told = [
        (&DEVICE, process.device.clone()),
        (&DEFINITION, kernel.kernel.clone()),
        (&MESSAGE, kernel.message.clone()),
        (&MESSAGE_LAYOUT, layout(kernel.message_layout)),
        (&OUTPUT, kernel.output.clone()),
        (&OUTPUT_LAYOUT, layout(kernel.output_layout)),
    ];
    let told = told.into_iter().filter(|(_, value)| !value.is_empty());
    let common = about.common.iter().cloned().chain(told).collect();
    About { common, since: about.since }.number(&KERNEL_INFO, &NONE, 1.0)
}

fn outbox(port: &PortLook) -> Option<(&'static Label, Cow<'static, str>)> {
    Some((&OUTBOX, port.name.clone().into()))
}

fn depth(about: &About, own: &Own, pending: u64, capacity: u64, share: f64, samples: &mut Vec<Sample>) {
    samples.push(about.number(&DEPTH, own, pending as f64));
    samples.push(about.number(&CAPACITY, own, capacity as f64));
    samples.push(about.number(&UTILIZATION, own, share));
}

fn of_shards(about: &About, own: &Own, kernel: &Kernel, shards: &[Shard], samples: &mut Vec<Sample>) {
    let waiting = shards.iter().map(|shard| shard.outputs_waiting).fold(0, u64::saturating_add);
    samples.push(about.number(&OUTPUTS_WAITING, own, waiting as f64));
    let working = shards.iter().filter(|shard| Phase::of(shard) == Phase::InHandler).count();
    samples.push(about.number(&IN_HANDLER, own, working as f64));
    if shards.iter().any(|shard| shard.timers != Timers::default()) {
        let waiting: u64 = shards.iter().map(|shard| u64::from(shard.timers.waiting)).sum();
        samples.push(about.number(&TIMERS_WAITING, own, waiting as f64));
        let open: u64 = shards.iter().map(|shard| u64::from(shard.timers.asks)).sum();
        samples.push(about.number(&ASKS_OPEN, own, open as f64));
    }
    if kernel.sparse_keys {
        let used = shards.iter().map(|shard| shard.actors.used).fold(0, u64::saturating_add);
        samples.push(about.number(&ACTORS, own, used as f64));
        let places = kernel.places_of_shard().saturating_mul(shards.len() as u64);
        samples.push(about.number(&ACTORS_CAPACITY, own, places as f64));
    }
    let error = shards.iter().map(|shard| shard.last_error).find(|&code| code != 0).unwrap_or(0);
    samples.push(about.number(&LAST_ERROR, own, error.into()));
    // A line in which nothing was measured has the largest number as its minimum.
    let lines = || {
        shards.iter().filter_map(|shard| shard.telemetry).filter(|line| line.min_latency_nanos != u64::MAX)
    };
    if let (Some(min), Some(max)) =
        (lines().map(|line| line.min_latency_nanos).min(), lines().map(|line| line.max_latency_nanos).max())
    {
        samples.push(about.number(&LATENCY_MIN, own, seconds(min)));
        samples.push(about.number(&LATENCY_MAX, own, seconds(max)));
    }
}

#[cfg(test)]
mod tests {
    use annulus_abi::telemetry::Telemetry;

    use super::*;
    use crate::{
        Phase,
        profile::tests::{look, shard},
    };

    /// O-05: processes that live at the same time with the same number are told apart, and each keeps its name from look to
    /// look: also when another one ends, or is started again.
    #[test]
    fn o_05_processes_of_one_number_are_told_apart() {
        let process = |started: u64, liveness| Process {
            file: format!("1-{started:x}-0.vitals").into(),
            pid: 1,
            liveness,
            started,
            ..look(0, Vec::new())
        };
        let (lives, dead) = (Liveness::Running, Liveness::Dead);
        let mut counters = Counters::default();
        let mut up = |processes: &[Process]| -> Vec<(Option<String>, f64)> {
            let samples = collect(processes, &Health::default(), &mut counters, false, true);
            let up = samples.iter().filter(|sample| std::ptr::eq(sample.metric, &raw const UP));
            let told = |sample: &Sample| {
                let is_it =
                    |(label, _): &(&'static Label, &str)| std::ptr::eq(*label, &raw const PROCESS_INSTANCE);
                let instance = sample.labels.iter().find(is_it).map(|(_, value)| value.to_string());
                let Value::Number(number) = sample.value else { panic!("{:?}", sample.value) };
                (instance, number)
            };
            let mut told: Vec<_> = up.map(told).collect();
            told.sort_by(|a, b| a.0.cmp(&b.0));
            told
        };
        let of = |instance: &str| Some(instance.to_owned());
        assert_eq!(up(&[process(0xA, lives)]), [(None, 1.0)], "nothing else has its labels");
        let both = [process(0xB, lives), process(0xA, lives)];
        assert_eq!(up(&both), [(None, 1.0), (of("b"), 1.0)]);
        // The first one dies, and the other one keeps its name. Then it is started again.
        assert_eq!(up(&[process(0xB, lives), process(0xA, dead)]), [(None, 0.0), (of("b"), 1.0)]);
        let again = [process(0xB, lives), process(0xA, dead), process(0xC, lives)];
        assert_eq!(up(&again), [(None, 1.0), (of("b"), 1.0)]);
        // The other one dies, which is told under its own name.
        let now = [process(0xB, dead), process(0xC, lives)];
        assert_eq!(up(&now), [(None, 1.0), (of("b"), 0.0)]);
        assert_eq!(up(&[process(0xC, lives)]), [(None, 1.0)]);
        // Another observer takes the oldest for the first one.
        counters = Counters::default();
        let samples = collect(&both, &Health::default(), &mut counters, false, true);
        assert!(samples.iter().any(|sample| sample.labels.iter().any(|(_, value)| value == "b")));
        assert!(!samples.iter().any(|sample| sample.labels.iter().any(|(_, value)| value == "a")));
        // Inside a process there is one.
        let samples = collect(&both, &Health::default(), &mut counters, false, false);
        assert!(!samples.iter().any(|sample| sample.labels.iter().any(|(_, value)| value == "b")));
    }

    /// O-01: a process that died is told, once; and not if another one of its name and number lives.
    #[test]
    fn o_01_a_number_that_is_used_again_is_no_death() {
        let process = |file: &str, pid, liveness, started| Process {
            file: file.into(),
            pid,
            liveness,
            started,
            ..look(0, Vec::new())
        };
        let up = |processes: &[Process]| -> Vec<(String, f64)> {
            let samples = collect(processes, &Health::default(), &mut Counters::default(), false, true);
            let up = samples.iter().filter(|sample| std::ptr::eq(sample.metric, &raw const UP));
            let told = |sample: &Sample| {
                let pid = sample.labels.iter().find(|(label, _)| std::ptr::eq(*label, &raw const PID));
                let Value::Number(number) = sample.value else { panic!("{:?}", sample.value) };
                (pid.unwrap().1.to_string(), number)
            };
            up.map(told).collect()
        };
        let first = process("2-1-0.vitals", 2, Liveness::Dead, 1);
        let second = process("2-5-0.vitals", 2, Liveness::Dead, 5);
        let third = process("2-9-0.vitals", 2, Liveness::Running, 9);
        let other = process("3-2-0.vitals", 3, Liveness::Dead, 2);
        let (two, three) = ("2".to_owned(), "3".to_owned());
        assert_eq!(up(std::slice::from_ref(&first)), [(two.clone(), 0.0)]);
        assert_eq!(up(&[second.clone(), first.clone()]), [(two.clone(), 0.0)]);
        assert_eq!(up(&[first, third, other, second]), [(two, 1.0), (three, 0.0)]);
    }

    /// O-05: a line that was being written when it was read is missing in one look. Nothing was reset by that.
    #[test]
    fn o_05_a_line_that_is_missing_once_is_no_reset() {
        let line = |n| Some(Telemetry { messages_processed: n, total_latency_nanos: n, ..Telemetry::new(0) });
        let mut counters = Counters::default();
        let mut measured = |lines: [Option<Telemetry>; 2]| {
            let shards = lines.map(|telemetry| Shard { telemetry, ..shard(Phase::Asleep, 0, 0) });
            let process = look(0, shards.to_vec());
            let samples = collect(&[process], &Health::default(), &mut counters, false, false);
            let of = |sample: &&Sample| std::ptr::eq(sample.metric, &raw const LATENCIES);
            match samples.iter().filter(of).collect::<Vec<_>>()[..] {
                [Sample { value: Value::Count(count), .. }] => *count,
                ref others => panic!("{others:?}"),
            }
        };
        assert_eq!(measured([line(5), line(3)]), 8);
        assert_eq!(measured([line(6), None]), 9);
        assert_eq!(measured([line(7), line(4)]), 11);
        // This is one.
        assert_eq!(measured([line(8), line(1)]), 13);
    }
}
