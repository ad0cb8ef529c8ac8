//! What a kernel's queues dropped, and why, is told outside of the process as inside.

use std::{collections::BTreeSet, time::Duration};

use annulus::prelude::*;
use annulus_observe::{HealthState, Observer};

use crate::{Job, Watched, kernel, ready, work};

/// Counts of drops in Prometheus' text, without the labels of processes.
fn drops(text: &str) -> BTreeSet<String> {
    let lines = text.lines().filter(|line| line.starts_with("annulus_messages_dropped_total{"));
    lines.filter_map(|line| Some(line[line.find("kernel=")?..].to_owned())).collect()
}

/// The watched process. It drops a message for each cause, and compares what it knows with what its file says.
pub(crate) fn child() {
    let runtime = Runtime::builder().backend(annulus::Cpu::new().workers(2)).build().unwrap();
    let options = |name: &str| {
        let options = LaunchOptions::default().actors(16).capacity(16).active(false).name(name);
        options.max_messages_per_iteration(1)
    };
    let job = |key, what| Job { key, what };
    let send = |kernel: &KernelHandle<work>, count: u32| {
        for _ in 0..count {
            let _ = kernel.try_send(job(2, 0)).unwrap();
        }
    };
    let refuses = work::launch(&runtime, options("refuses")).unwrap();
    let rejected = (0..19).filter(|_| refuses.try_send(job(2, 0)).is_err()).count();
    // Two batches of one message are in the ring, and behind policies' reach.
    let evicts = work::launch(&runtime, options("evicts").backpressure(Backpressure::DropOldest)).unwrap();
    send(&evicts, 20);
    let cleared = evicts.own_queue().clear().messages.len();
    let discards = work::launch(&runtime, options("discards").backpressure(Backpressure::DropNew)).unwrap();
    send(&discards, 20);
    let doubles = options("doubles").deduplication(annulus::Deduplication::ByPayload);
    let doubles = work::launch(&runtime, doubles).unwrap();
    send(&doubles, 4);
    let expires = work::launch(&runtime, options("expires").expiry(Duration::from_nanos(1))).unwrap();
    send(&expires, 5);
    let _ = expires.own_queue().peek();
    let fails = work::launch(&runtime, options("fails").active(true)).unwrap();
    for job in [job(2, 1), job(99, 0)] {
        let _ = fails.send_blocking(job).unwrap();
        fails.drained_blocking();
    }

    let inside = Observer::of(&runtime);
    let _ = inside.look();
    discards.terminate_blocking();
    let outside = Observer::of_machine(Some(std::process::id())).build();
    let told = drops(&outside.prometheus());
    assert_eq!(told, drops(&inside.prometheus()));
    for (kernel, cause, count) in [
        ("refuses", "rejected", rejected),
        ("evicts", "evicted", 2),
        ("evicts", "cleared", cleared),
        ("discards", "discarded", 4),
        ("discards", "undelivered", 16),
        ("doubles", "duplicate", 3),
        ("expires", "expired", 3),
        ("fails", "failed", 1),
        ("fails", "unknown_actor", 1),
    ] {
        assert!(
            count != 0 && told.contains(&format!("kernel=\"{kernel}\",cause=\"{cause}\"}} {count}")),
            "{told:?}"
        );
    }
    assert_eq!(told.iter().filter(|line| !line.ends_with(" 0")).count(), 9, "{told:?}");
    let health = outside.health();
    for (name, state) in [("evicts", HealthState::Unhealthy), ("fails", HealthState::Degraded)] {
        let of = health.kernels.iter().find(|kernel| kernel.kernel == name).unwrap();
        assert_eq!(of.state(), state, "{health}");
    }
    let losses = health.to_string();
    assert!(losses.contains("dropped or lost"), "{losses}");
    ready();
}

/// O-04, O-05: `annulus export` tells by cause what queues dropped, which only the process itself could say before.
#[test]
fn o_04_o_05_causes_of_drops_are_told_from_outside() {
    let watched = Watched::start("drops");
    let process = watched.look();
    assert_eq!(kernel(&process, "refuses").drops, [3, 0, 0, 0, 0, 0, 0]);
    assert_eq!(kernel(&process, "evicts").drops, [0, 2, 0, 0, 0, 0, 16]);
}
