//! Rates, shares and averages of a window, as a value: R-05.

use std::{thread, time::Duration};

use annulus_kernel::RingKernel;
use annulus_runtime::{
    Bound, Deduplication, Interval, KernelMemory, KernelMetrics, LaunchOptions, NamedQueue, Runtime,
};

use super::policies::ticket;
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{
        Item, Scale, Total,
        bridged::batch_numbers,
        number,
        policies::{Ticket, gate},
        ports::spread,
        queues::batch_sorter,
        scale,
        sparse::{Account, buy},
        swallow,
        timers::remind,
        track,
    },
};

/// How many messages a rate stands for.
fn count(metrics: &KernelMetrics, rate: f64) -> u64 {
    (rate * metrics.window.as_secs_f64()).round() as u64
}

/// what happened between two statuses, and no more; nothing of a kernel that was another.
pub fn r05_rates_of_a_window(bench: &Bench) {
    let kernel = gate::launch(bench.runtime(), LaunchOptions::production().capacity(64)).unwrap();
    for id in 0..10 {
        let _ = kernel.send_blocking(ticket(id, 0)).unwrap();
    }
    drain(&kernel);
    let earlier = balanced(&kernel);
    for id in 0..20 {
        let _ = kernel.send_blocking(ticket(id, 0)).unwrap();
    }
    drain(&kernel);
    thread::sleep(Duration::from_millis(2));
    let status = balanced(&kernel);
    let metrics = status.since(&earlier).expect("time has passed");
    assert!(metrics.window >= Duration::from_millis(2), "{metrics}");
    let counts = [metrics.sent, metrics.processed, metrics.dropped, metrics.produced];
    assert_eq!(counts.map(|rate| count(&metrics, rate)), [20, 20, 0, 20], "{metrics}");
    assert_eq!(metrics.output_utilization, 30.0 / 64.0, "{metrics}");
    assert_eq!((metrics.utilization, metrics.average_latency), (0.0, None));
    assert!(earlier.since(&status).is_none() && status.since(&status).is_none());
    let since_launch = kernel.metrics();
    assert_eq!(count(&since_launch, since_launch.processed), 30);
    let other = gate::launch(bench.runtime(), LaunchOptions::production().name("other")).unwrap();
    assert!(other.status().since(&earlier).is_none());
}

/// how full a kernel's queues are: of the ring, or of all queues in front of it.
pub fn r05_utilization(bench: &Bench) {
    let options = LaunchOptions::production().capacity(16).active(false).grid(2);
    let kernel = swallow::launch(bench.runtime(), options.clone()).unwrap();
    kernel.deactivate_blocking().unwrap();
    kernel.try_send_batch(&(0..8).map(number).collect::<Vec<_>>()).unwrap();
    assert_eq!(kernel.metrics().utilization, 0.25);
    assert_eq!(kernel.status().inbound_capacity, 32);
    assert!(kernel.metrics().memory.inbound > 32 * 8, "{:?}", kernel.metrics());

    let options = options.grid(1).queue(NamedQueue::new("more").capacity(32)).name("queues");
    let kernel = batch_sorter::launch(bench.runtime(), options).unwrap();
    kernel.deactivate_blocking().unwrap();
    let tickets: Vec<_> = (0..24).map(|id| ticket(id, 0)).collect();
    kernel.queue("more").unwrap().try_send_batch(&tickets).unwrap();
    assert_eq!((kernel.status().inbound_capacity, kernel.metrics().utilization), (48, 0.5));
}

/// the average of the latencies that telemetry measures, of the window.
pub fn r05_average_latency(bench: &Bench) {
    let kernel = gate::launch(bench.runtime(), LaunchOptions::production()).unwrap();
    let telemetry = kernel.enable_telemetry().unwrap();
    assert_eq!(kernel.call_blocking(ticket(0, 0)), Ok(ticket(0, 0)));
    eventually(|| kernel.status().latencies == 1);
    let earlier = balanced(&kernel);
    for id in 0..10 {
        assert_eq!(kernel.call_blocking(ticket(id, 0)), Ok(ticket(id, 0)));
    }
    eventually(|| kernel.status().latencies == 11);
    let status = balanced(&kernel);
    let metrics = status.since(&earlier).expect("time has passed");
    assert_eq!(metrics.average_latency, Some((status.latency_total - earlier.latency_total) / 10));
    assert_eq!(status.latency_total.as_nanos(), u128::from(telemetry.poll().total_latency_nanos));
    telemetry.reset();
    let after = kernel.status();
    assert_eq!((after.latencies, after.latency_total), (0, Duration::ZERO));
    assert_eq!(after.since(&status).and_then(|metrics| metrics.average_latency), None);
}

/// R-05, T-13: rates of a window, from telemetry alone; regular times end with the kernel.
pub fn r05_t13_samples(bench: &Bench) {
    let kernel = gate::launch(bench.runtime(), LaunchOptions::production().capacity(64).grid(1)).unwrap();
    let telemetry = kernel.enable_telemetry().unwrap();
    let processed = |count: u64| eventually(|| telemetry.poll().messages_processed == count);
    for id in 0..10 {
        let _ = kernel.send_blocking(ticket(id, 0)).unwrap();
    }
    drain(&kernel);
    processed(10);
    let mut samples = telemetry.poll_every(Interval::DEBUGGING);
    let earlier = samples.next().expect("the kernel runs");
    for id in 0..20 {
        let _ = kernel.send_blocking(ticket(id, 0)).unwrap();
    }
    drain(&kernel);
    processed(30);
    let sample = telemetry.sample();
    let rates = sample.since(&earlier).expect("time has passed");
    let seconds = rates.window.as_secs_f64();
    assert_eq!(
        [rates.processed, rates.dropped].map(|rate| (rate * seconds).round() as u64),
        [20, 0],
        "{rates}"
    );
    assert_eq!((sample.capacity, rates.utilization), (64, 0.0));
    let total = sample.snapshot.total_latency_nanos - earlier.snapshot.total_latency_nanos;
    let measured = 20 - u64::from(sample.snapshot.unmeasured - earlier.snapshot.unmeasured);
    assert_eq!(rates.average_latency, total.checked_div(measured).map(Duration::from_nanos));
    telemetry.reset();
    assert_eq!(telemetry.sample().since(&sample), None, "it was reset");
    kernel.terminate_blocking();
    let last = samples.last().expect("the end is a sample");
    assert_eq!(last.snapshot, telemetry.poll());
}

/// What a kernel's status says of its memory; the same is said before it is launched, all parts together are all of it, and so
/// are all places.
fn memory<K: RingKernel>(
    runtime: &Runtime,
    bind: impl Fn() -> Bound<K>,
    options: LaunchOptions,
) -> KernelMemory {
    let before = bind().memory(runtime, options.clone()).unwrap();
    let kernel = bind().launch(runtime, options).unwrap();
    let memory = kernel.status().memory;
    assert_eq!(memory, before, "{}", K::DEFINITION.name);
    assert_eq!(kernel.metrics().memory, memory);
    let sum = |parts: &[(&str, u64)]| parts.iter().map(|(_, bytes)| bytes).sum::<u64>();
    assert_eq!(sum(&memory.by_part()), memory.total(), "{memory:?}");
    assert_eq!(sum(&memory.by_place()), memory.total(), "{memory:?}");
    assert!(memory.inbound != 0 && memory.control != 0, "{memory:?}");
    match runtime.backend() {
        "cpu" => assert_eq!(memory.host, memory.total(), "{memory:?}"),
        _ => {
            let own = memory.states + memory.bindings + memory.links + memory.scratch;
            assert_eq!((memory.host, memory.device), (memory.queues, own), "{memory:?}");
            assert!(memory.scratch != 0, "a device has records of its blocks at least: {memory:?}");
        }
    }
    kernel.terminate_blocking();
    memory
}

/// a launch with each thing that takes memory; what it takes is known before, and adds up.
pub fn r05_q37_memory_is_the_sum_of_its_parts(bench: &Bench) {
    let runtime = bench.runtime();
    let options = || LaunchOptions::production().capacity(64);
    let plain = memory(runtime, gate::bind, options());
    assert!(plain.inbound >= 64 * size_of::<Ticket>() as u64);
    assert_eq!((plain.states, plain.bindings, plain.links, plain.queues), (0, 0, 0, 0));
    let quiet = memory(runtime, gate::bind, options().dead_letters(0).calls(false));
    assert_eq!((quiet.dead_letters, quiet.replies, quiet.traces), (0, 0, 0));
    assert!(plain.dead_letters != 0 && plain.replies != 0, "{plain:?}");
    assert_ne!(memory(runtime, gate::bind, options().tracing(true)).traces, 0);
    let followed = memory(runtime, gate::bind, options().track_latency(true));
    assert!(followed.control > plain.control + 8 * 1024, "a histogram takes 15 KB");

    let bound = memory(
        runtime,
        || scale::bind(Scale { factor: 1, offset: 0 }, &[0; 100], &[0; 50]),
        options().grid(2),
    );
    assert_eq!(bound.bindings, 16 + 100 * 8 + 50 * 4, "once for all blocks");
    let timers = memory(runtime, remind::bind, options().actors(3));
    assert!(timers.scratch >= 8 * 40, "room for eight messages to itself: {timers:?}");

    let linked = memory(runtime, spread::bind, options().connectable(true));
    let held = memory(runtime, spread::bind, options().connectable(true).hold(200));
    assert!(held.scratch > linked.scratch + 150 * size_of::<Item>() as u64, "{linked:?}, {held:?}");
    if runtime.backend() != "cpu" {
        assert!(linked.links >= linked.inbound, "a second inbound ring: {linked:?}");
    }
    let bridged = |bytes| memory(runtime, batch_numbers::bind, options().max_payload(bytes)).inbound;
    assert_eq!(bridged(8192) - bridged(4096), 64 * 4096, "each slot has its spill block");
}

/// the states of actors are counted, and so are the tables of sparse keys.
pub fn r05_q37_twice_the_actors_take_twice_the_memory(bench: &Bench) {
    let of = |actors| {
        let options = LaunchOptions::production().capacity(16).grid(2).actors(actors);
        memory(bench.runtime(), track::bind, options)
    };
    let [some, more] = [of(1000), of(2000)];
    assert_eq!(some.states, 1000 * size_of::<Total>() as u64);
    assert_eq!(more.states, 2 * some.states);
    assert_eq!(more.total() - some.total(), some.states, "nothing else grows");

    let sparse = |evicts| {
        let options = LaunchOptions::production().capacity(16).actors(1000).sparse_keys(true);
        memory(bench.runtime(), buy::bind, options.evict_actors(evicts)).states
    };
    let states = 1000 * size_of::<Account>() as u64;
    let [kept, evicted] = [sparse(false), sparse(true)];
    assert!((states + 1000 * 16..states + 1000 * 48).contains(&kept), "{kept}");
    assert!((kept + 1000 * 16..kept + 1000 * 17).contains(&evicted), "{kept}, {evicted}");
}

/// the queues in front of the rings are counted, each with what it remembers of duplicates.
pub fn r05_q37_queues_in_front_count(bench: &Bench) {
    let of = |options: LaunchOptions| memory(bench.runtime(), batch_sorter::bind, options);
    let options = || LaunchOptions::production().capacity(64).grid(2);
    assert_eq!(of(options()).queues, 0);
    let message = size_of::<Ticket>() as u64;
    let sorted = of(options().priority(true)).queues;
    assert!(sorted >= 2 * 64 * message, "two shards with 64 places each: {sorted}");
    let named = of(options().priority(true).queue(NamedQueue::new("more").capacity(1024))).queues;
    assert!(named >= sorted + 2 * 1024 * message, "{sorted}, {named}");
    let known =
        of(options().priority(true).deduplication(Deduplication::ById).deduplication_window(64)).queues;
    assert!(known >= sorted + 2 * 64 * 40, "{sorted}, {known}: 40 bytes for each remembered key");
}
