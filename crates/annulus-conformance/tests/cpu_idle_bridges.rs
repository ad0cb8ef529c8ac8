//! W-09: bridges between queues and kernels wake nobody while nothing flows. Alone in its process, whose
//! threads are counted.
#![cfg(target_os = "linux")]

use std::{collections::BTreeMap, fs, thread, time::Duration};

use annulus_conformance::kernels::policies::{Ticket, batch_gate};
use annulus_cpu::Cpu;
use annulus_queue::QueueOptions;
use annulus_runtime::{BridgeOptions, LaunchOptions, Runtime};

/// How often each thread of the process, other than this one, was switched out, by its number.
fn switches() -> BTreeMap<String, u64> {
    let this = fs::read_link("/proc/thread-self").unwrap();
    let of = |thread: &str| -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/self/task/{thread}/status")).ok()?;
        let count =
            |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
        Some(count("voluntary_ctxt_switches:")? + count("nonvoluntary_ctxt_switches:")?)
    };
    let threads = fs::read_dir("/proc/self/task").unwrap().map(|entry| entry.unwrap().file_name());
    let others = threads.filter(|thread| *thread != *this.file_name().unwrap());
    others
        .filter_map(|thread| {
            let thread = thread.into_string().ok()?;
            let count = of(&thread)?;
            Some((thread, count))
        })
        .collect()
}

#[test]
fn w09_idle_bridges_wake_nobody() {
    let runtime = Runtime::builder().backend(Cpu::new()).build().unwrap();
    let queue = |name: &str| runtime.queues().create::<Ticket>(QueueOptions::new().name(name)).unwrap();
    let (source, target) = (queue("source"), queue("target"));
    let kernels: Vec<_> = (0..10)
        .map(|number| {
            batch_gate::launch(&runtime, LaunchOptions::production().name(format!("kernel {number}")))
                .unwrap()
        })
        .collect();
    let bridges: Vec<_> = kernels
        .iter()
        .map(|kernel| {
            // One that has used the timer.
            let options = BridgeOptions::new().delay(Duration::from_micros(100));
            (kernel.consume_with(&source, options), kernel.publish_to(&target))
        })
        .collect();
    let send = |id| {
        let _ = source.send_blocking(Ticket { id, value: id, priority: 0 }).unwrap();
        assert_eq!(target.recv_blocking().unwrap().id, id);
    };
    (0..1000).for_each(send);
    let long = std::env::var("ANNULUS_LONG").is_ok_and(|value| value != "0");
    let window = Duration::from_secs(if long { 10 } else { 2 });
    // Until those that have polled for work have gone to sleep, which takes a busy machine a while.
    let mut before = switches();
    for _ in 0..60 {
        thread::sleep(Duration::from_millis(500));
        let now = switches();
        let is_asleep = now == before;
        before = now;
        if is_asleep {
            break;
        }
    }
    thread::sleep(window);
    let after = switches();
    assert!(before.len() >= 2, "there are threads: {before:?}");
    println!("{} threads, {} bridges, {window:?}: {} wake-ups", before.len(), 2 * bridges.len(), {
        let sum = |counts: &BTreeMap<String, u64>| counts.values().sum::<u64>();
        sum(&after) - sum(&before)
    });
    assert_eq!(before, after, "threads and how often each was switched out");
    (1000..2000).for_each(send);
    let moved: u64 = bridges.iter().map(|(consumes, _)| consumes.status().moved).sum();
    assert_eq!(moved, 2000);
}
