//! Health and metrics of a program's own kernels, as Prometheus and OpenTelemetry get them.

use std::{
    collections::BTreeMap,
    mem::ManuallyDrop,
    thread,
    time::{Duration, Instant},
};

use annulus::prelude::*;
use annulus_observe::{
    Health, HealthLimits, HealthState, Observer, PortLook,
    health::{KernelHealth, Symptom},
    metrics::{METRICS, MetricKind},
};

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Job {
    #[ring(key)]
    key: u64,
    /// 1: fail. 2: never return.
    what: u64,
}

#[derive(ErrorCode, Clone, Copy)]
enum Refusal {
    /// It was asked to fail.
    Asked = 5,
}

#[ring_kernel(cpu_only)]
fn work(job: &Job, count: &mut u64, out: &Outbox<Job>) -> Result<(), Refusal> {
    match job.what {
        1 => return Err(Refusal::Asked),
        2 => loop {
            thread::sleep(Duration::from_secs(60));
        },
        _ => *count += 1,
    }
    if job.what == 3 {
        out.send(*job);
    }
    Ok(())
}

/// Sends what fails by another outbox.
#[ring_kernel(cpu_only)]
fn sift(job: &Job, count: &mut u64, good: &Outbox<Job>, bad: &Outbox<Job>) {
    *count += 1;
    if job.what == 0 { good.send(*job) } else { bad.send(*job) }
}

/// A kernel whose outbox `bad` leads to an inactive one with room for 16 messages; what finds no room there is lost.
fn sifts(runtime: &Runtime) -> (KernelHandle<sift>, KernelHandle<work>) {
    let options = |name: &str| options().grid(1).capacity(64).connectable(true).active(false).name(name);
    let sifts = sift::launch(runtime, options("sift")).unwrap();
    let takes = work::launch(runtime, options("report").capacity(16)).unwrap();
    sifts.port(sift::BAD).connect_with(&takes, Backpressure::Reject).unwrap();
    sifts.activate_blocking().unwrap();
    (sifts, takes)
}

fn runtime() -> Runtime {
    Runtime::builder().backend(annulus::Cpu::new().workers(3)).build().unwrap()
}

fn options() -> LaunchOptions {
    LaunchOptions::default().actors(16).grid(2).capacity(64)
}

fn job(key: u64, what: u64) -> Job {
    Job { key, what }
}

/// Limits that a test can wait for.
fn limits() -> HealthLimits {
    HealthLimits { stuck: Duration::from_millis(20), slow: 0.0, ..HealthLimits::default() }
}

#[track_caller]
fn kernel<'a>(health: &'a Health, name: &str) -> &'a KernelHealth {
    health.kernels.iter().find(|kernel| kernel.kernel == name).unwrap_or_else(|| panic!("{health:#?}"))
}

/// Asks until something is there: the kernels' threads go their own way.
#[track_caller]
fn health_with(observer: &Observer, name: &str, symptom: Symptom) -> Health {
    let start = Instant::now();
    loop {
        let health = observer.health();
        if kernel(&health, name).reasons.iter().any(|reason| reason.symptom == symptom) {
            return health;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{health}");
    }
}

/// An idle kernel, one that works, one that is slow and keeps up: all of them are healthy.
#[test]
fn o_01_a_kernel_that_works_is_healthy() {
    let runtime = runtime();
    let kernel = work::launch(&runtime, options()).unwrap();
    let observer = Observer::builder(&runtime).build();
    assert_eq!(observer.health().to_string(), "healthy\nwork: healthy");
    for key in 0..10 {
        let _ = kernel.send_blocking(job(key, 0)).unwrap();
    }
    kernel.drained_blocking();
    let health = observer.health();
    assert_eq!((health.state(), health.is_ready()), (HealthState::Healthy, true));
}

/// A failure has its name, in the health, the status and the dead letter; a minute later it is past.
#[test]
fn o_01_failures_are_told_by_their_names() {
    let runtime = runtime();
    let kernel_handle = work::launch(&runtime, options()).unwrap();
    let observer =
        Observer::builder(&runtime).limits(HealthLimits { recent: Duration::ZERO, ..limits() }).build();
    let _ = kernel_handle.send_blocking(job(3, 1)).unwrap();
    kernel_handle.drained_blocking();
    let usual = Observer::of(&runtime).health();
    assert_eq!(usual.state(), HealthState::Degraded);
    assert!(usual.is_ready(), "it works");
    let text = &kernel(&usual, "work").reasons[0].evidence;
    assert_eq!(text, "1 message failed, the last one with Asked (0x0005)");
    assert_eq!(kernel_handle.status().error_name().unwrap().name, "Asked");
    let letters = kernel_handle.dead_letters().unwrap().take_batch();
    assert_eq!(letters[0].reason.to_string(), "failed in a kernel: Asked (0x0005): It was asked to fail");
    // With no time in which it counts, only the look that finds it tells it.
    let _ = observer.health();
    assert_eq!(observer.health().state(), HealthState::Healthy);
}

/// A handler that refuses messages as a matter of course: a share of them says from where on something is wrong.
#[test]
fn o_01_a_share_of_failures_may_be_usual() {
    let runtime = runtime();
    let kernel_handle = work::launch(&runtime, options()).unwrap();
    let observer = Observer::builder(&runtime).limits(HealthLimits { failed: 0.25, ..limits() }).build();
    let send = |fails: u64, succeed: u64| {
        for what in (0..fails).map(|_| 1).chain((0..succeed).map(|_| 0)) {
            let _ = kernel_handle.send_blocking(job(3, what)).unwrap();
        }
        kernel_handle.drained_blocking();
    };
    send(2, 6);
    assert_eq!(observer.health().to_string(), "healthy\nwork: healthy");
    send(1, 0);
    let health = observer.health();
    let text = &kernel(&health, "work").reasons[0].evidence;
    assert_eq!(text, "3 messages failed of 9, and the limit is 25.0 %, the last one with Asked (0x0005)");
    assert_eq!(health.state(), HealthState::Degraded);
    // It is a share of all in that time, so more that succeed make it well again; and where each may fail, no number is too large.
    send(0, 3);
    assert_eq!(observer.health().state(), HealthState::Healthy);
    let all = Observer::builder(&runtime).limits(HealthLimits { failed: 1.0, ..limits() }).build();
    send(300, 0);
    assert_eq!(all.health().to_string(), "healthy\nwork: healthy");
    assert_eq!(observer.health().state(), HealthState::Degraded);
}

/// A handler that does not return: unhealthy, and the evidence names the message.
#[test]
fn o_01_a_hung_handler_is_unhealthy() {
    // The handler never returns, and the runtime would wait for it.
    let runtime = ManuallyDrop::new(runtime());
    let kernel_handle = ManuallyDrop::new(work::launch(&runtime, options()).unwrap());
    let observer = ManuallyDrop::new(Observer::builder(&runtime).limits(limits()).build());
    let _ = kernel_handle.send_blocking(job(5, 2)).unwrap();
    // Its evidence is of the handler once that has begun.
    let health = loop {
        let health = health_with(&observer, "work", Symptom::Stuck);
        if kernel(&health, "work").reasons[0].evidence.contains("is in the handler") {
            break health;
        }
    };
    assert_eq!((health.state(), health.is_ready()), (HealthState::Unhealthy, false));
    let work = kernel(&health, "work");
    assert_eq!(work.stuck_shards, 1);
    let text = &work.reasons[0].evidence;
    assert!(text.starts_with("shard 1 took no message for "), "{text}");
    assert!(text.contains("`work` shard 1 is in the handler of message 0, key 5"), "{text}");
    let metrics = observer.prometheus();
    assert!(metrics.contains("annulus_kernel_health{backend=\"cpu\",kernel=\"work\"} 2\n"), "{metrics}");
    assert!(metrics.contains("annulus_shards_stuck{backend=\"cpu\",kernel=\"work\"} 1\n"), "{metrics}");
}

/// Inactive with messages: an error of the row. Inactive without: healthy, and not ready.
#[test]
fn o_01_an_inactive_kernel_with_messages_is_unhealthy() {
    let runtime = runtime();
    let kernel_handle = work::launch(&runtime, options().active(false)).unwrap();
    kernel_handle.deactivate_blocking().unwrap();
    let observer = Observer::builder(&runtime).limits(limits()).build();
    let health = observer.health();
    assert_eq!((health.state(), health.is_ready()), (HealthState::Healthy, false));
    let _ = kernel_handle.try_send(job(1, 0)).unwrap();
    let health = observer.health();
    assert_eq!(kernel(&health, "work").reasons[0].symptom, Symptom::Inactive);
    assert_eq!(health.state(), HealthState::Unhealthy);
}

/// A ring that is more than nine tenths full, and a kernel that handles little of what waits.
#[test]
fn o_01_a_full_ring_and_a_slow_kernel_are_degraded() {
    let runtime = runtime();
    let kernel_handle = work::launch(&runtime, options().active(false)).unwrap();
    kernel_handle.deactivate_blocking().unwrap();
    for _ in 0..58 {
        let _ = kernel_handle.try_send(job(1, 0)).unwrap();
    }
    let observer = Observer::builder(&runtime)
        .limits(HealthLimits { slow: 1000.0, stuck: Duration::MAX, ..limits() })
        .build();
    let health = observer.health();
    let symptoms: Vec<_> = kernel(&health, "work").reasons.iter().map(|reason| reason.symptom).collect();
    assert_eq!(symptoms, [Symptom::Inactive, Symptom::Full, Symptom::Slow]);
    let text = health.to_string();
    assert!(text.contains("91 % of the queue of shard 1 are taken, and the limit is 90 %"), "{text}");
    assert!(text.contains("0.0 messages a second are handled, the limit is 1000, and 58 wait"), "{text}");
}

/// Nobody receives: the kernel stalls, and says so.
#[test]
fn o_01_a_stall_is_told() {
    let runtime = runtime();
    let kernel_handle = work::launch(&runtime, options()).unwrap();
    let observer = Observer::builder(&runtime).limits(limits()).build();
    for _ in 0..64 {
        let _ = kernel_handle.send_blocking(job(4, 3)).unwrap();
    }
    kernel_handle.drained_blocking();
    assert_eq!(observer.health().state(), HealthState::Healthy, "the next message would have to wait");
    let _ = kernel_handle.send_blocking(job(4, 3)).unwrap();
    let health = health_with(&observer, "work", Symptom::Stuck);
    assert!(kernel(&health, "work").reasons[0].evidence.contains("nobody receives the outputs"), "{health}");
}

/// A line of Prometheus' text: name with labels, and value. What is wrong with it ends the test.
type Series = BTreeMap<String, f64>;

/// Reads the text as strictly as Prometheus does, and checks what belongs together.
#[track_caller]
fn parse(text: &str) -> Series {
    let mut series = Series::new();
    let mut kinds: BTreeMap<&str, &str> = BTreeMap::new();
    let mut current = "";
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').expect("a help text");
            assert!(!help.is_empty() && !kinds.contains_key(name), "{name} once, with a text");
            current = name;
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').expect("a type");
            assert_eq!(name, current, "type after help");
            assert!(["counter", "gauge", "histogram"].contains(&kind));
            assert_eq!(kind == "counter", name.ends_with("_total"), "{name}");
            kinds.insert(name, kind);
        } else {
            let (what, value) = line.rsplit_once(' ').expect("a value");
            let name = what.split('{').next().unwrap();
            let family = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
            let is_part = family == Some(current) && kinds[current] == "histogram";
            assert!(name == current || is_part, "{name} in the family {current}");
            assert!(what.ends_with('}') && what[name.len()..].starts_with('{'), "{what}");
            let value: f64 = value.parse().unwrap_or_else(|_| panic!("{line}"));
            assert!(series.insert(what.into(), value).is_none(), "{what} twice");
        }
    }
    series
}

#[track_caller]
fn value(series: &Series, what: &str) -> f64 {
    *series.get(what).unwrap_or_else(|| panic!("{what} in {series:#?}"))
}

/// O-03, O-04, O-05: throughput, latency, depth, use and counts of a kernel, in Prometheus' words. The
/// histogram is one of measured latencies, and no mean in disguise.
#[test]
fn o_03_o_04_o_05_prometheus_gets_every_number() {
    let runtime = runtime();
    let kernel = work::launch(&runtime, options().track_latency(true).name("so\"rt\\ größe")).unwrap();
    let telemetry = kernel.enable_telemetry().unwrap();
    let observer = Observer::of(&runtime);
    for key in 0..10 {
        let _ = kernel.send_blocking(job(key, 3)).unwrap();
    }
    let _ = kernel.send_blocking(job(3, 1)).unwrap();
    let _ = kernel.send_blocking(job(99, 0)).unwrap();
    kernel.drained_blocking();
    let series = parse(&observer.prometheus());
    let labels = r#"backend="cpu",kernel="so\"rt\\ größe""#;
    let of = |name: &str, more: &str| value(&series, &format!("{name}{{{labels}{more}}}"));
    assert_eq!(of("annulus_messages_sent_total", ""), 12.0);
    assert_eq!(of("annulus_messages_consumed_total", ""), 12.0);
    assert_eq!(of("annulus_messages_processed_total", ""), 10.0);
    assert_eq!(of("annulus_messages_dropped_total", ",cause=\"failed\""), 1.0);
    assert_eq!(of("annulus_messages_dropped_total", ",cause=\"unknown_actor\""), 1.0);
    assert_eq!(of("annulus_messages_dropped_total", ",cause=\"rejected\""), 0.0);
    assert_eq!(of("annulus_outputs_sent_total", ""), 10.0);
    assert_eq!(of("annulus_outputs_waiting", ""), 10.0);
    assert_eq!((of("annulus_queue_depth", ""), of("annulus_queue_capacity", "")), (0.0, 128.0));
    assert_eq!(of("annulus_queue_utilization_ratio", ""), 0.0);
    assert_eq!(of("annulus_shards", ",state=\"active\""), 2.0);
    assert_eq!(of("annulus_kernel_launches_total", ""), 1.0);
    assert!(of("annulus_kernel_uptime_seconds", "") > 0.0);
    let latencies = kernel.latencies().unwrap();
    assert_eq!(of("annulus_latency_seconds_count", ""), latencies.count() as f64);
    assert_eq!(of("annulus_latency_seconds_bucket", ",le=\"+Inf\""), latencies.count() as f64);
    let buckets: Vec<f64> = series
        .range("annulus_latency_seconds_bucket".to_owned()..)
        .filter(|(name, _)| name.contains("_bucket") && !name.contains("Inf"))
        .map(|(_, count)| *count)
        .collect();
    assert_eq!(buckets.len(), 26);
    let snapshot = telemetry.poll();
    assert_eq!(
        of("annulus_latency_measured_total", ""),
        (snapshot.messages_processed - u64::from(snapshot.unmeasured)) as f64
    );
    let sum = of("annulus_latency_measured_seconds_total", "");
    assert_eq!(sum, snapshot.total_latency_nanos as f64 / 1e9);
    let min = of("annulus_latency_min_seconds", "");
    assert!(min > 0.0 && min <= of("annulus_latency_max_seconds", ""));
    // Buckets count what is at most so large: they grow, and the shortest is where the bound says.
    let mut bounds: Vec<(f64, f64)> = series
        .iter()
        .filter_map(|(name, count)| {
            let bound = name.split("le=\"").nth(1)?.trim_end_matches("\"}").parse::<f64>().ok()?;
            Some((bound, *count))
        })
        .collect();
    bounds.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(bounds.windows(2).all(|pair| pair[0].1 <= pair[1].1), "{bounds:?}");
    assert!(bounds.iter().filter(|(bound, _)| *bound < min).all(|(_, count)| *count == 0.0), "{bounds:?}");
}

/// D-03, O-05: bridges are counted by what they lead from and to, with what their targets did not take; and what earlier ones have
/// moved is counted on, also when many have ended.
#[test]
fn o_05_bridges_are_counted() {
    let [here, there] = [(); 2].map(|()| runtime());
    let source = sift::launch(&here, options().grid(1)).unwrap();
    let target = work::launch(&there, options().grid(1).capacity(16).active(false).name("far")).unwrap();
    let observer = Observer::of(&here);
    let send = |source: &KernelHandle<sift>, count: u64| {
        (0..count).for_each(|_| assert!(source.send_blocking(job(3, 4)).is_ok()));
        source.drained_blocking();
    };
    let of = |name: &str, more: &str| {
        let series = parse(&observer.prometheus());
        value(&series, &format!("annulus_bridge{name}{{backend=\"cpu\",from=\"sift\",to=\"far\"{more}}}"))
    };
    let bridges = annulus::BridgeOptions::new().messages(4).delay(Duration::from_secs(3600));
    let bridge = source.port(sift::BAD).bridge_to_with(&target, bridges, Backpressure::Reject).unwrap();
    send(&source, 20);
    while bridge.status().by_count != 5 {
        thread::yield_now();
    }
    let size = size_of::<Job>() as f64;
    assert_eq!((of("_moved_total", ""), of("_moved_bytes_total", "")), (16.0, 16.0 * size));
    let dropped = ["discarded", "lost", "duplicate", "too_large"];
    let dropped = dropped.map(|cause| of("_dropped_total", &format!(",cause=\"{cause}\"")));
    assert_eq!(dropped, [4.0, 0.0, 0.0, 0.0]);
    assert_eq!(of("_evicted_total", ""), 0.0);
    let batches = ["full", "time", "end"].map(|cause| of("_batches_total", &format!(",cause=\"{cause}\"")));
    assert_eq!(batches, [5.0, 0.0, 0.0]);
    assert_eq!([of("s_begun_total", ""), of("s_working", ""), of("s_waiting", "")], [1.0, 1.0, 0.0]);
    // Two that wait for others of their batch.
    send(&source, 2);
    while bridge.status().held != 2 {
        thread::yield_now();
    }
    assert_eq!(of("_held", ""), 2.0);
    bridge.stop();
    assert!(bridge.ended_timeout(Duration::from_secs(60)) && bridge.take_undelivered().len() == 2);
    target.activate_blocking().unwrap();
    for number in 1..=40u32 {
        let bridge = source.port(sift::BAD).bridge_to(&target).unwrap();
        send(&source, 1);
        while bridge.status().batches() != 1 {
            thread::yield_now();
        }
        bridge.stop();
        assert_eq!(of("_moved_total", ""), f64::from(16 + number));
    }
    assert_eq!([of("s_begun_total", ""), of("s_working", ""), of("_held", "")], [41.0, 0.0, 0.0]);
    // Of the kernel, nothing is counted twice.
    let series = parse(&observer.prometheus());
    assert_eq!(value(&series, "annulus_outputs_sent_total{backend=\"cpu\",kernel=\"sift\"}"), 62.0);
}

/// D-03, O-05: what a bridge moves after its source has ended is counted, also if somebody has looked in between.
#[test]
fn o_05_what_a_bridge_moves_at_the_end_is_counted() {
    let [here, there] = [(); 2].map(|()| runtime());
    let source = work::launch(&here, options().grid(1)).unwrap();
    let far = options().grid(1).capacity(16).output_capacity(64).active(false).name("far");
    let target = work::launch(&there, far).unwrap();
    let observer = Observer::of(&here);
    let bridge = source.bridge_to(&target).unwrap();
    for _ in 0..40 {
        let _ = source.send_blocking(job(3, 3)).unwrap();
    }
    source.drained_blocking();
    while bridge.status().moved != 16 {
        thread::yield_now();
    }
    let moved = || {
        let series = parse(&observer.prometheus());
        value(&series, "annulus_bridge_moved_total{backend=\"cpu\",from=\"work\",to=\"far\"}")
    };
    assert_eq!(moved(), 16.0);
    source.terminate_blocking();
    drop(source);
    assert_eq!([(); 2].map(|()| moved()), [16.0; 2]);
    target.activate_blocking().unwrap();
    assert!(bridge.ended_timeout(Duration::from_secs(60)), "{}", bridge.status());
    assert_eq!([(); 5].map(|()| moved()), [40.0; 5]);
}

/// O-05: of several outboxes, what each has sent to kernels, what waits, and what was lost; by shards on request.
#[test]
fn o_05_outboxes_are_told_apart() {
    let runtime = runtime();
    let (sifts, _takes) = sifts(&runtime);
    for what in [0, 0, 0].into_iter().chain([4; 20]) {
        let _ = sifts.send_blocking(job(3, what)).unwrap();
    }
    sifts.drained_blocking();
    for (per_shard, shard) in [(false, ""), (true, "shard=\"0\",")] {
        let series = parse(&Observer::builder(&runtime).per_shard(per_shard).build().prometheus());
        let of = |name: &str, outbox: &str| {
            let labels = format!("backend=\"cpu\",kernel=\"sift\",{shard}outbox=\"{outbox}\"");
            value(&series, &format!("annulus_outbox_{name}{{{labels}}}"))
        };
        // Three went to the host, which is no kernel.
        assert_eq!(["sent_total", "lost_total", "held"].map(|name| of(name, "good")), [0.0; 3]);
        assert_eq!(["sent_total", "lost_total", "held"].map(|name| of(name, "bad")), [16.0, 4.0, 0.0]);
        assert!(series.keys().all(|name| !name.contains("outbox") || name.contains("kernel=\"sift\"")));
    }
}

/// Sends each job to the kernel that its key chooses; of what there is no kernel for, nobody gets it.
#[ring_kernel(cpu_only)]
fn hand_out(job: &Job, count: &mut u64, known: &[Peer<Job>], out: &Outbox<Addressed<Job>>) {
    *count += 1;
    let to = if job.key < known.len() as u64 { known[job.key as usize] } else { Peer::from_bits(1) };
    out.send(Addressed { to, message: *job });
}

/// The same on a topic.
#[ring_kernel(cpu_only)]
fn tell_all(job: &Job, count: &mut u64, out: &Outbox<Published<Job>>) {
    *count += 1;
    let topic = if job.what == 0 { Topic::of("jobs") } else { Topic::of("other") };
    out.send(Published { topic, message: *job });
}

/// O-05, K-01: of a kernel whose outputs name who gets them, each such kernel is told apart, and nobody; from inside, and
/// by the file.
#[test]
fn o_05_peers_are_told_apart() {
    let runtime = runtime();
    let options = |name: &str| options().grid(1).capacity(16).connectable(true).active(false).name(name);
    let [one, two] = ["one", "two"].map(|name| work::launch(&runtime, options(name)).unwrap());
    let peers = [one.peer(), two.peer()];
    let sender = hand_out::bind(&peers).launch(&runtime, options("sender").capacity(64)).unwrap();
    let outside = Observer::of_machine(Some(std::process::id())).build();
    let ports = |name: &str| {
        let told = [&outside.look(), &Observer::of(&runtime).look()].map(|sight| {
            let kernels = sight.processes.iter().flat_map(|process| &process.kernels);
            let kernel = kernels.into_iter().find(|kernel| kernel.name == name).unwrap();
            let to = |port: &PortLook| {
                let sum = port.sum();
                (port.name.clone(), port.target.is_some(), port.is_nobody(), [sum.sent, sum.held, sum.lost])
            };
            kernel.ports.iter().map(to).collect::<Vec<_>>()
        });
        assert_eq!(told[0], told[1], "the file tells what is known inside");
        told.into_iter().next().unwrap()
    };
    assert_eq!(ports("sender"), []);
    sender.connect_peers_with(&peers, Backpressure::Reject).unwrap();
    sender.activate_blocking().unwrap();
    let keys = [0; 3].into_iter().chain([1; 20]).chain([5; 2]);
    for key in keys {
        let _ = sender.send_blocking(job(key, 0)).unwrap();
    }
    sender.drained_blocking();
    let of = |name: &str, leads: bool, counts: [u64; 3]| {
        (name.to_owned(), leads, name.ends_with("no peer"), counts)
    };
    let expected = [
        of("peer 1", true, [3, 0, 0]),
        of("peer 2", true, [16, 0, 4]),
        of("any or no peer", false, [0, 0, 2]),
    ];
    assert_eq!(ports("sender"), expected);
    let series = parse(&Observer::of(&runtime).prometheus());
    let labels = "backend=\"cpu\",kernel=\"sender\",outbox=\"peer 2\"";
    assert_eq!(value(&series, &format!("annulus_outbox_lost_total{{{labels}}}")), 4.0);
    assert!(series.keys().all(|name| !name.contains("peer 3")));

    // A place that leads nowhere any more is not shown.
    sender.deactivate_blocking().unwrap();
    sender.connect_peers(&peers[1..]).unwrap();
    assert_eq!(ports("sender").iter().map(|port| &*port.0).collect::<Vec<_>>(), ["peer 1", "any or no peer"]);
    sender.disconnect().unwrap();
    assert_eq!(ports("sender"), []);

    let teller = tell_all::launch(&runtime, options("teller").capacity(64)).unwrap();
    let topics = teller.connect_topics(&peers).unwrap();
    topics.subscribe("jobs", peers[0]).unwrap();
    teller.activate_blocking().unwrap();
    for what in [0, 0, 7] {
        let _ = teller.send_blocking(job(0, what)).unwrap();
    }
    teller.drained_blocking();
    let of_the_last = |counts| of("host or no peer", false, counts);
    let expected = [of("peer 1", true, [2, 0, 0]), of("peer 2", true, [0; 3]), of_the_last([0, 0, 1])];
    assert_eq!(ports("teller"), expected);
    topics.listen("jobs").unwrap();
    let _ = teller.send_blocking(job(0, 0)).unwrap();
    let _ = teller.recv_blocking().unwrap();
    teller.drained_blocking();
    let expected = [of("peer 1", true, [3, 0, 0]), of("peer 2", true, [0; 3]), of_the_last([1, 0, 1])];
    assert_eq!(ports("teller"), expected);
}

/// O-05: a kernel that is launched again under its name goes on counting, also what came last.
#[test]
fn o_05_counts_survive_a_restart() {
    let runtime = runtime();
    let observer = Observer::of(&runtime);
    for (launch, total) in [(1, 5.0), (2, 10.0), (3, 15.0)] {
        let kernel = work::launch(&runtime, options()).unwrap();
        let _ = observer.look();
        for key in 0..5 {
            let _ = kernel.send_blocking(job(key, 0)).unwrap();
        }
        kernel.shutdown_blocking(Duration::from_secs(60));
        drop(kernel);
        let series = parse(&observer.prometheus());
        let labels = r#"{backend="cpu",kernel="work"}"#;
        assert_eq!(value(&series, &format!("annulus_messages_processed_total{labels}")), total);
        assert_eq!(value(&series, &format!("annulus_kernel_launches_total{labels}")), f64::from(launch));
        assert!(!series.contains_key(&format!("annulus_queue_depth{labels}")), "nothing runs");
    }
}

/// Shards are told where they were asked for, and keys never.
#[test]
fn o_03_shards_are_told_on_request() {
    let runtime = runtime();
    let kernel = work::launch(&runtime, options()).unwrap();
    for key in [0, 1, 1] {
        let _ = kernel.send_blocking(job(key, 0)).unwrap();
    }
    kernel.drained_blocking();
    let series = parse(&Observer::builder(&runtime).per_shard(true).build().prometheus());
    for (shard, count) in [(0, 1.0), (1, 2.0)] {
        let what =
            format!("annulus_messages_processed_total{{backend=\"cpu\",kernel=\"work\",shard=\"{shard}\"}}");
        assert_eq!(value(&series, &what), count);
    }
    assert!(
        series
            .keys()
            .all(|name| !name.starts_with("annulus_messages_processed_total") || name.contains("shard="))
    );
    assert!(series.keys().all(|name| !name.contains("key=")));
}

/// The table's names are those that their receivers take, and each stands once.
#[test]
fn o_04_names_are_well_formed() {
    let mut names: Vec<_> = METRICS.iter().flat_map(|metric| [metric.otel, metric.prometheus]).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    for metric in METRICS {
        assert!(
            metric.otel.chars().all(|c| c.is_ascii_lowercase() || c == '.' || c == '_'),
            "{}",
            metric.otel
        );
        assert!(!metric.otel.contains("total"), "OpenTelemetry's names have no `total`: {}", metric.otel);
        assert!(metric.prometheus.starts_with("annulus_"));
        assert_eq!(metric.kind == MetricKind::Counter, metric.prometheus.ends_with("_total"));
        let is_unit = metric.unit == "s" && metric.prometheus.contains("_seconds");
        assert!(
            is_unit || (metric.unit != "s" && !metric.prometheus.contains("_seconds")),
            "{}",
            metric.prometheus
        );
        assert!(metric.help.ends_with('.') && !metric.help.contains(['\\', '\n']));
    }
}

/// T-14: dashboard, alert rules and their tests, and the guide: each name in them is one of the table, and each metric
/// of the table is in the guide.
#[test]
fn t_14_what_is_shipped_names_what_there_is() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/");
    let read = |name: &str| std::fs::read_to_string(format!("{docs}{name}")).unwrap();
    let is_known = |name: &str| {
        METRICS.iter().any(|metric| {
            let ends: &[&str] =
                if metric.kind == MetricKind::Histogram { &["", "_bucket", "_sum", "_count"] } else { &[""] };
            ends.iter().any(|end| name.strip_suffix(end) == Some(metric.prometheus))
        })
    };
    let names_in = |text: &str| {
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        words.filter(|word| word.starts_with("annulus_")).map(str::to_owned).collect::<Vec<_>>()
    };
    for file in ["monitoring/grafana.json", "monitoring/alerts.yml", "monitoring/alerts_test.yml"] {
        let names = names_in(&read(file));
        assert!(names.len() > 10, "{file}");
        for name in names {
            assert!(is_known(&name), "{name} in {file}");
        }
    }
    // Each alert of the row is there: dropped, filling up, stagnant, latency that varies; and stuck, lost, stalled.
    let rules = read("monitoring/alerts.yml");
    for alert in [
        "MessagesDropped",
        "QueueFillsUp",
        "KernelStagnant",
        "LatencyVaries",
        "ShardStuck",
        "OutputsLost",
        "StalledOnHost",
    ] {
        assert!(rules.contains(&format!("alert: Annulus{alert}\n")), "{alert}");
    }
    let thresholds = annulus::Thresholds::default();
    assert!(rules.contains(&format!("annulus_queue_utilization_ratio > {}\n", thresholds.fills_up)));
    assert!(rules.contains(&format!("annulus_latency_min_seconds > {}\n", thresholds.latency_variance)));
    let dashboard: serde_json::Value = serde_json::from_str(&read("monitoring/grafana.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    assert!(panels.iter().all(|panel| panel["targets"][0]["expr"].is_string()));
    let guide = read("guide/metrics.md");
    for metric in METRICS {
        let family = metric.prometheus.trim_start_matches("annulus_queue");
        assert!(
            guide.contains(metric.prometheus) || guide.contains(&format!("`{family}`")),
            "{}",
            metric.prometheus
        );
    }
}

/// R-05: what is known of a device's use: the memory of a kernel's shards, and which shards look after look finds in a
/// handler, so that their mean is the share of time. What a kernel is, too, as labels.
#[test]
fn r_05_memory_and_time_in_handlers_are_told() {
    // The handler never returns, and the runtime would wait for it.
    let runtime = ManuallyDrop::new(runtime());
    let kernel = ManuallyDrop::new(work::launch(&runtime, options()).unwrap());
    let observer = Observer::of(&runtime);
    let shards = Observer::builder(&runtime).per_shard(true).build();
    let series = parse(&observer.prometheus());
    let labels = "backend=\"cpu\",kernel=\"work\"";
    assert_eq!(value(&series, &format!("annulus_shards_in_handler{{{labels}}}")), 0.0);
    let told = kernel.status().memory;
    for (part, place, bytes) in told.parts_and_places().into_iter().filter(|(.., bytes)| *bytes != 0) {
        let labels = format!("{labels},place=\"{place}\",part=\"{part}\"");
        assert_eq!(value(&series, &format!("annulus_kernel_memory_bytes{{{labels}}}")), bytes as f64);
        assert_eq!(place, "host", "the CPU has no other");
    }
    assert!(told.inbound > 64 * 16 && told.outbound > 64 * 16, "its two rings of 64 messages are in it");
    let ty = <Job as annulus::kernel::DeviceType>::DESCRIPTOR;
    let layout = format!("16:8:{:016x}", ty.layout_hash());
    let info = format!(
        "annulus_kernel_info{{{labels},device=\"CPU, 3 workers\",definition=\"work\",message=\"Job\",\
         message_layout=\"{layout}\",output=\"Job\",output_layout=\"{layout}\"}} 1\n"
    );
    let text = observer.prometheus();
    assert!(text.contains(&info), "{info} in {text}");

    let _ = kernel.send_blocking(job(1, 2)).unwrap();
    let start = Instant::now();
    while value(&parse(&observer.prometheus()), &format!("annulus_shards_in_handler{{{labels}}}")) != 1.0 {
        assert!(start.elapsed() < Duration::from_secs(60));
    }
    let series = parse(&shards.prometheus());
    let of =
        |shard: usize| value(&series, &format!("annulus_shards_in_handler{{{labels},shard=\"{shard}\"}}"));
    assert_eq!([of(0) + of(1), of(0) * of(1)], [1.0, 0.0], "one of the two");
}

/// A hundred kernels in one text. How long that took is printed, and not judged.
#[test]
fn r_14_a_hundred_kernels_are_told_at_once() {
    let runtime = runtime();
    let kernels: Vec<_> = (0..100)
        .map(|number| work::launch(&runtime, options().capacity(16).name(format!("work-{number}"))).unwrap())
        .collect();
    let _ = kernels[42].send_blocking(job(1, 0)).unwrap();
    kernels[42].drained_blocking();
    let observer = Observer::of(&runtime);
    let start = Instant::now();
    let text = observer.prometheus();
    println!("a look at 100 kernels and its text: {:?}", start.elapsed());
    let series = parse(&text);
    let sent = series.keys().filter(|name| name.starts_with("annulus_messages_sent_total"));
    assert_eq!(sent.count(), 100);
    assert_eq!(value(&series, "annulus_messages_processed_total{backend=\"cpu\",kernel=\"work-42\"}"), 1.0);
}

#[cfg(feature = "otel")]
mod otel {
    use std::sync::mpsc;

    use opentelemetry::metrics::MeterProvider as _;
    use opentelemetry_sdk::{
        error::OTelSdkResult,
        metrics::{
            PeriodicReader, SdkMeterProvider, Temporality,
            data::{AggregatedMetrics, MetricData, ResourceMetrics},
            exporter::PushMetricExporter,
        },
    };

    use super::*;

    /// Sends what would leave the process: by metric, unit and labels.
    struct Sender(mpsc::SyncSender<BTreeMap<String, f64>>);

    impl PushMetricExporter for Sender {
        async fn export(&self, metrics: &ResourceMetrics) -> OTelSdkResult {
            let mut told = BTreeMap::new();
            for metric in metrics.scope_metrics().flat_map(|scope| scope.metrics()) {
                let mut tell = |labels: Vec<String>, value: f64| {
                    let mut labels = labels;
                    labels.sort();
                    told.insert(format!("{} [{}] {}", metric.name(), metric.unit(), labels.join(" ")), value);
                };
                let text = |label: &opentelemetry::KeyValue| format!("{}={}", label.key, label.value);
                match metric.data() {
                    AggregatedMetrics::U64(MetricData::Sum(sum)) => {
                        assert!(sum.is_monotonic());
                        sum.data_points().for_each(|point| {
                            tell(point.attributes().map(text).collect(), point.value() as f64)
                        });
                    }
                    AggregatedMetrics::F64(MetricData::Sum(sum)) => {
                        assert!(sum.is_monotonic());
                        sum.data_points()
                            .for_each(|point| tell(point.attributes().map(text).collect(), point.value()));
                    }
                    AggregatedMetrics::F64(MetricData::Gauge(gauge)) => {
                        gauge
                            .data_points()
                            .for_each(|point| tell(point.attributes().map(text).collect(), point.value()));
                    }
                    other => panic!("{}: {other:?}", metric.name()),
                }
            }
            let _ = self.0.try_send(told);
            Ok(())
        }

        fn force_flush(&self) -> OTelSdkResult {
            Ok(())
        }

        fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
            Ok(())
        }

        fn temporality(&self) -> Temporality {
            Temporality::Cumulative
        }
    }

    /// O-03, O-04: the same numbers by one meter provider, with OpenTelemetry's names and units. When the
    /// observer is gone, so are they.
    #[test]
    fn o_03_o_04_opentelemetry_gets_every_number() {
        let (sender, told) = mpsc::sync_channel(1);
        let reader = PeriodicReader::builder(Sender(sender)).with_interval(Duration::from_secs(3600)).build();
        let provider = SdkMeterProvider::builder().with_reader(reader).build();
        let collect = || {
            provider.force_flush().unwrap();
            // A provider that has nothing to say says nothing.
            told.try_recv().unwrap_or_default()
        };
        let runtime = runtime();
        let kernel = work::launch(&runtime, options().track_latency(true)).unwrap();
        let _telemetry = kernel.enable_telemetry().unwrap();
        for key in 0..10 {
            let _ = kernel.send_blocking(job(key, 0)).unwrap();
        }
        let _ = kernel.send_blocking(job(3, 1)).unwrap();
        kernel.drained_blocking();
        let (sifts, takes) = sifts(&runtime);
        sifts.port(sift::GOOD).bridge_to(&takes).unwrap();
        let observer = Observer::of(&runtime);
        observer.instrument(&provider.meter("annulus"));
        let metrics = collect();
        let of = |name: &str, more: &str| {
            let labels = "annulus.backend=cpu";
            let system = "messaging.destination.name=work messaging.system=annulus";
            let what = format!("{name} {labels} {more}{system}");
            *metrics.get(&what).unwrap_or_else(|| panic!("{what} in {metrics:#?}"))
        };
        assert_eq!(of("messaging.client.sent.messages [{message}]", ""), 11.0);
        assert_eq!(of("messaging.client.consumed.messages [{message}]", ""), 11.0);
        assert_eq!(of("annulus.kernel.messages.processed [{message}]", ""), 10.0);
        assert_eq!(of("annulus.kernel.messages.dropped [{message}]", "annulus.drop.cause=failed "), 1.0);
        assert_eq!(of("annulus.kernel.queue.depth [{message}]", ""), 0.0);
        assert_eq!(of("annulus.kernel.queue.utilization [1]", ""), 0.0);
        assert_eq!(of("annulus.kernel.health [1]", ""), 1.0);
        assert_eq!(of("annulus.kernel.latency.measured [{message}]", ""), 10.0);
        assert!(of("annulus.kernel.latency.sum [s]", "") > 0.0);
        let ends = "annulus.bridge.from=sift annulus.bridge.to=report messaging.system=annulus";
        let working = format!("annulus.bridge.working [{{bridge}}] annulus.backend=cpu {ends}");
        assert_eq!(metrics.get(&working), Some(&1.0), "{metrics:#?}");
        // Units are not in names.
        let bytes = format!("annulus.bridge.payload.moved [By] annulus.backend=cpu {ends}");
        assert_eq!(metrics.get(&bytes), Some(&0.0), "{metrics:#?}");
        let median = metrics.keys().filter(|name| name.starts_with("annulus.kernel.latency.quantile [s]"));
        assert_eq!(median.count(), 4);
        // Every metric of the table comes, but those of other processes, and of kernels with timers, asks, traces or sparse keys.
        let elsewhere = [
            "annulus.process.",
            "annulus.kernel.timers.",
            "annulus.kernel.asks.",
            "annulus.kernel.traces.",
            "annulus.kernel.actors",
        ];
        let is_here = |name: &str| !elsewhere.iter().any(|other| name.starts_with(other));
        for metric in METRICS.iter().filter(|metric| is_here(metric.otel)) {
            assert!(
                metrics.keys().any(|name| name.starts_with(metric.otel)),
                "{} in {metrics:#?}",
                metric.otel
            );
        }
        drop(observer);
        assert_eq!(collect(), BTreeMap::new());
        provider.shutdown().unwrap();
    }
}

#[cfg(feature = "page")]
mod page {
    use std::{
        io::{BufRead, BufReader, Read, Write},
        net::{SocketAddr, TcpStream},
    };

    use annulus_observe::serve::Server;

    use super::*;

    fn ask(server: &Server, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// The status and the body of an answer.
    fn get(server: &Server, path: &str) -> (u16, String) {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address());
        answer(ask(server, &request))
    }

    fn answer(mut stream: TcpStream) -> (u16, String) {
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap();
        assert!(body.is_empty() || length.parse() == Ok(body.len()), "{head}");
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    fn serve(observer: &Observer) -> Server {
        observer.serve(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap()
    }

    /// O-01, O-05: what a probe, a scraper and a person get.
    #[test]
    fn o_01_o_05_pages_are_served() {
        let runtime = runtime();
        let kernel = work::launch(&runtime, options()).unwrap();
        let _ = kernel.send_blocking(job(1, 0)).unwrap();
        kernel.drained_blocking();
        let observer = Observer::builder(&runtime).limits(limits()).build();
        let server = serve(&observer);
        assert_eq!(get(&server, "/healthz"), (200, "healthy\nwork: healthy\n".into()));
        assert_eq!(get(&server, "/readyz?verbose").0, 200);
        let (status, text) = get(&server, "/metrics");
        assert_eq!(status, 200);
        let processed = "annulus_messages_processed_total{backend=\"cpu\",kernel=\"work\"}";
        assert_eq!(value(&parse(&text), processed), 1.0);
        let (status, page) = get(&server, "/");
        assert!(status == 200 && page.starts_with("<!doctype html>") && page.contains("EventSource"));
        let assets = page.replace("http://www.w3.org/2000/svg", "");
        assert!(
            !assets.contains("://") && !assets.contains("src=") && !assets.contains("@import"),
            "one file"
        );
        assert_eq!(get(&server, "/etc/passwd").0, 404);

        kernel.deactivate_blocking().unwrap();
        assert_eq!((get(&server, "/healthz").0, get(&server, "/readyz").0), (200, 503));
        let _ = kernel.try_send(job(1, 0)).unwrap();
        let (status, text) = get(&server, "/healthz");
        assert!(status == 503 && text.contains("it is inactive, and 1 message waits"), "{text}");
        kernel.activate_blocking().unwrap();
    }

    /// The page's news: one line of JSON after the other, as long as somebody listens.
    #[test]
    fn o_03_news_come_as_events() {
        let runtime = runtime();
        let kernel = work::launch(&runtime, options().name("<b>")).unwrap();
        let (sifts, takes) = sifts(&runtime);
        takes.activate_blocking().unwrap();
        let _ = sifts.send_blocking(job(3, 4)).unwrap();
        let bridge = sifts.port(sift::GOOD).bridge_to(&takes).unwrap();
        let _ = sifts.send_blocking(job(3, 0)).unwrap();
        sifts.drained_blocking();
        while bridge.status().moved != 1 {
            thread::yield_now();
        }
        let server = serve(&Observer::of(&runtime));
        let stream = ask(&server, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
        let mut news = || {
            let line = lines.by_ref().find(|line| line.starts_with("data: ")).expect("it goes on");
            serde_json::from_str::<serde_json::Value>(&line[6..]).unwrap()
        };
        let of = |news: &serde_json::Value, name: &str| {
            let kernels = news["processes"][0]["kernels"].as_array().unwrap();
            kernels.iter().find(|kernel| kernel["name"] == name).unwrap().clone()
        };
        let first = news();
        let seen = of(&first, "<b>");
        assert_eq!((seen["name"].as_str(), seen["done"].as_u64()), (Some("<b>"), Some(0)));
        assert_eq!(
            (first["health"].as_str(), seen["shards"].as_array().unwrap().len()),
            (Some("healthy"), 2)
        );
        let _ = kernel.send_blocking(job(1, 0)).unwrap();
        kernel.drained_blocking();
        let start = Instant::now();
        while of(&news(), "<b>")["done"] != 1 {
            assert!(start.elapsed() < Duration::from_secs(60));
        }
        // Where each of several outboxes leads: the drawing is made of it.
        assert_eq!(seen["outboxes"], serde_json::json!([]));
        let target = of(&first, "report")["id"].clone();
        assert!(target.is_string(), "{first}");
        let outboxes = [("good", serde_json::Value::Null, 0), ("bad", target, 1)];
        let outboxes = outboxes.map(|(name, target, sent)| {
            serde_json::json!({ "name": name, "nobody": false, "target": target, "sent": sent, "held": 0, "lost": 0 })
        });
        assert_eq!(of(&first, "sift")["outboxes"], serde_json::json!(outboxes));
        // Bridges that work.
        let bridges = &first["processes"][0]["bridges"];
        let expected = serde_json::json!([{
            "number": bridges[0]["number"], "from": "sift", "from_queue": false, "to": "report", "to_queue": false, "moved": 1,
            "held": 0, "dropped": 0, "waits": false,
        }]);
        assert!(bridges[0]["number"].as_u64() != Some(0) && *bridges == expected, "{bridges}");
        bridge.stop();
        let start = Instant::now();
        while news()["processes"][0]["bridges"] != serde_json::json!([]) {
            assert!(start.elapsed() < Duration::from_secs(60));
        }
    }

    /// Nobody's page but this one may ask, and what is no question ends nothing.
    #[test]
    fn strangers_are_refused() {
        let runtime = runtime();
        let server = serve(&Observer::of(&runtime));
        let status = |request: &str| answer(ask(&server, request)).0;
        assert_eq!(status("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 403);
        assert_eq!(status("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"), 405);
        assert_eq!(status("nonsense\r\n\r\n"), 400);
        drop(ask(&server, "GET /met"));
        // Forty that say nothing: some are closed at once. When they have gone, there is room again.
        let many: Vec<_> = (0..40).map(|_| ask(&server, "GET / HTTP/1.1\r\n")).collect();
        drop(many);
        let is_there = || {
            let mut text = String::new();
            let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
            let _ = ask(&server, request).read_to_string(&mut text);
            text.starts_with("HTTP/1.1 200 OK\r\n")
        };
        let start = Instant::now();
        while !is_there() {
            assert!(start.elapsed() < Duration::from_secs(60));
        }
        let address = server.address();
        drop(server);
        assert!(TcpStream::connect(address).is_err(), "it has ended");
    }
}
