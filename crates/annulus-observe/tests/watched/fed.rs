//! What metrics say of a kernel that others feed is what its status says: on the CPU, where such messages go into the rings of
//! the host, and on a device, where they go into others.

use std::{
    thread,
    time::{Duration, Instant},
};

use annulus::prelude::*;
use annulus_observe::Observer;

use crate::{Device, Job, Watched, ponder, ready};

/// Messages of the other kernel, and of the host.
const FED: u64 = 8;
const OF_HOST: u64 = 3;
const ALL: u64 = FED + OF_HOST;

/// What a metric says of `target`, of all its shards together.
fn told(text: &str, metric: &str) -> u64 {
    let lines = text.lines().filter(|line| line.starts_with(metric) && line.contains("kernel=\"target\""));
    lines.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum()
}

fn feed(runtime: &Runtime) {
    let options = |name: &str| {
        LaunchOptions::default().actors(8).grid(2).capacity(16).connectable(true).active(false).name(name)
    };
    let source = ponder::launch(runtime, options("source")).unwrap();
    let target = ponder::launch(runtime, options("target")).unwrap();
    source.connect(&target).unwrap();
    source.activate_blocking().unwrap();
    for key in 0..FED {
        let _ = source.send_blocking(Job { key, what: 0 }).unwrap();
    }
    for key in 0..OF_HOST {
        let _ = target.send_blocking(Job { key, what: 0 }).unwrap();
    }
    source.drained_blocking();

    let of_machine = |per_shard| Observer::of_machine(Some(std::process::id())).per_shard(per_shard).build();
    let inside = Observer::of(runtime);
    let (outside, by_shard) = (of_machine(false), of_machine(true));
    let start = Instant::now();
    // From outside it is seen when the host has copied it.
    let until = |observer: &Observer, wanted: [u64; 3]| loop {
        let text = observer.prometheus();
        let told = ["sent", "consumed", "processed"]
            .map(|count| told(&text, &format!("annulus_messages_{count}_total")));
        if told == wanted {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{told:?}, not {wanted:?}: {}", target.status());
        thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(target.status().sent, ALL);
    // Nobody counts which shard the messages of kernels are for that wait.
    let known = if runtime.backend() == "cpu" { ALL } else { OF_HOST };
    for (observer, sent) in [(&inside, ALL), (&outside, ALL), (&by_shard, known)] {
        until(observer, [sent, 0, 0]);
    }
    target.activate_blocking().unwrap();
    target.drained_blocking();
    assert_eq!(target.status().sent, ALL);
    for observer in [&inside, &outside, &by_shard] {
        until(observer, [ALL; 3]);
    }
    // After its end nothing is taken back.
    target.terminate_blocking();
    for observer in [&outside, &by_shard] {
        until(observer, [ALL; 3]);
    }
    ready();
}

pub(crate) fn on_the_cpu() {
    feed(&Runtime::builder().backend(annulus::Cpu::new().workers(3)).build().unwrap());
}

pub(crate) fn on_a_device() {
    if let Some(runtime) = Device::runtime() {
        feed(&runtime);
    }
}

/// O-05, K-01: messages that go from kernel to kernel are counted as those of the host are.
#[test]
fn o_05_a_kernel_that_others_feed_counts_what_it_gets() {
    drop(Watched::start("fed"));
}

#[test]
fn o_05_a_kernel_that_others_feed_on_a_device_counts_what_it_gets() {
    for device in Device::ALL {
        drop(Watched::start_on(device, "fed_on_a_device"));
    }
}
