//! How many messages were followed is seen from inside and from outside.

use std::{
    thread,
    time::{Duration, Instant},
};

use annulus::prelude::*;
use annulus_observe::{Kernel, Observer, look_inside};

use crate::{Device, Job, Watched, kernel, ready};

#[ring_kernel(untested, mode = Batch)]
fn take(_job: &Job) {}

/// Records of a kernel's shards, and those that were lost.
fn records(kernel: &Kernel) -> Vec<(u64, u64)> {
    kernel.shards.iter().map(|shard| (shard.traces.recorded, shard.traces.lost)).collect()
}

const JOBS: u64 = 3000;

/// A process that has followed all messages of one kernel, and none of another.
fn follow(runtime: &Runtime) {
    let options = |name: &str| LaunchOptions::default().name(name).capacity(4096);
    let followed = options("followed").tracing(true).trace_sample(1.0).grid(2).active(false);
    let followed = take::launch(runtime, followed.max_messages_per_iteration(4096)).unwrap();
    let plain = take::launch(runtime, options("plain")).unwrap();
    // The first shard gets more in one turn than there is room for.
    let jobs: Vec<Job> = (0..JOBS).map(|n| Job { key: 2 * n + u64::from(n % 100 == 0), what: 0 }).collect();
    followed.send_batch_blocking(&jobs).unwrap();
    let _ = plain.send_blocking(jobs[0]).unwrap();
    followed.activate_blocking().unwrap();
    followed.drained_blocking();
    plain.drained_blocking();
    let outside = Observer::of_machine(Some(std::process::id())).build();
    let of_all = |text: &str, metric: &str| {
        let begins = format!("annulus_traces_{metric}_total{{");
        let lines: Vec<_> = text.lines().filter(|line| line.starts_with(&begins)).collect();
        assert!(lines.len() == 1 && lines[0].contains("kernel=\"followed\""), "{text}");
        lines[0].rsplit(' ').next().unwrap().parse::<u64>().unwrap()
    };
    let begun = Instant::now();
    let sums = loop {
        // The host finds them soon after.
        let text = outside.prometheus();
        let sums = ["recorded", "lost"].map(|metric| of_all(&text, metric));
        if sums[0] + sums[1] == JOBS {
            break sums;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{text}");
        thread::sleep(Duration::from_millis(2));
    };
    let text = Observer::of(runtime).prometheus();
    assert_eq!(["recorded", "lost"].map(|metric| of_all(&text, metric)), sums);
    let status = followed.status().traces.unwrap();
    assert_eq!([status.recorded, status.lost], sums);
    let inside = look_inside(runtime);
    let seen = records(kernel(&inside, "followed"));
    assert_eq!((seen[1], seen[0].0 + seen[0].1), ((30, 0), JOBS - 30));
    assert!(kernel(&inside, "followed").tracing && !kernel(&inside, "plain").tracing);
    println!("{seen:?}");
    ready();
}

pub(crate) fn on_the_cpu() {
    follow(&Runtime::builder().backend(annulus::Cpu::new().workers(2)).build().unwrap());
}

pub(crate) fn on_a_device() {
    if let Some(runtime) = Device::runtime() {
        follow(&runtime);
    }
}

/// T-04 from outside: each shard says how many records of messages it has written and lost.
#[test]
fn t_04_how_many_were_followed_is_seen() {
    let on_the_cpu = Some(("the CPU", Watched::start("follows")));
    let on_devices = Device::ALL.into_iter().map(|device| {
        let watched = Watched::start_on(device, "follows_on_a_device")?;
        Some((if let Device::Cuda = device { "CUDA" } else { "OpenCL" }, watched))
    });
    for (place, watched) in [on_the_cpu].into_iter().chain(on_devices).flatten() {
        let process = watched.look();
        let seen = records(kernel(&process, "followed"));
        assert_eq!((seen[1], seen[0].0 + seen[0].1), ((30, 0), JOBS - 30), "{place}: {seen:?}");
        assert!(kernel(&process, "followed").tracing, "{place}");
        assert_eq!(records(kernel(&process, "plain")), [(0, 0)], "{place}");
        if place == "the CPU" {
            assert_eq!(seen[0].0, u64::from(annulus_abi::trace::RECORDS), "the whole queue is one turn");
        }
    }
}
