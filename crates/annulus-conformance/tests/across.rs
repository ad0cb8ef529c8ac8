//! D-01, D-02, D-03: messages go from backend to backend: between the CPU, an OpenCL device, and CUDA on libraries that
//! stand in for NVIDIA's, as far as this machine has them. Where `ANNULUS_GPU` is set, as `./test-gpu` does, on NVIDIA's
//! own.
#![cfg(target_os = "linux")]

use std::{collections::HashMap, sync::OnceLock, time::Duration};

use annulus_conformance::{
    cuda::{self, on_a_gpu},
    kernels::{Item, Number, Total, Tracked, batch_echo, links::pass, total, track, visits_of},
};
use annulus_cpu::Cpu;
use annulus_cuda::Cuda;
use annulus_opencl::OpenCl;
use annulus_runtime::{
    Backpressure, BridgeOptions, GroupError, KernelGroup, LaunchOptions, Runtime, ShutdownOutcome, Topology,
};

const LONG: Duration = Duration::from_secs(120);

/// A runtime on each backend that there is. The CPU is the first.
fn runtimes() -> &'static [Runtime] {
    static RUNTIMES: OnceLock<Vec<Runtime>> = OnceLock::new();
    RUNTIMES.get_or_init(|| {
        let is_there = if on_a_gpu() {
            Ok(())
        } else {
            cuda::build().and_then(|folder| {
                // SAFETY: all tests begin here, and no device's library was opened before: no C code reads the
                // environment now.
                unsafe { std::env::set_var("ANNULUS_NVRTC", folder) };
                cuda::stand_in()
            })
        };
        let mut runtimes = vec![Runtime::builder().backend(Cpu::new().workers(2)).build().unwrap()];
        match Runtime::builder().backend(OpenCl::new()).build() {
            Ok(runtime) => runtimes.push(runtime),
            Err(error) => eprintln!("without OpenCL: {error}"),
        }
        match is_there.map(|()| Runtime::builder().backend(Cuda::new()).build()) {
            Ok(runtime) => runtimes.push(runtime.expect("CUDA, or what stands in for it, runs")),
            Err(why) => eprintln!("without CUDA: {why}"),
        }
        runtimes
    })
}

fn named(name: &str) -> LaunchOptions {
    LaunchOptions::production().name(name)
}

/// From each backend to each other one: every message once, in the order of its key.
#[test]
fn d03_from_each_backend_to_each() {
    let each = 200;
    for from in runtimes() {
        for to in runtimes() {
            let options = |name: &str| named(name).actors(6).grid(2).capacity(32).output_capacity(32);
            let source = pass::launch(from, options(&format!("to {}", to.backend()))).unwrap();
            let target = track::launch(to, options(&format!("from {}", from.backend()))).unwrap();
            let bridge = source.bridge_to(&target).unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    for sequence in 0..each {
                        let items: Vec<_> = (0..6).map(|key| Item { key, producer: 0, sequence }).collect();
                        source.send_batch_blocking(&items).unwrap();
                    }
                });
                let mut next: HashMap<u32, u64> = HashMap::new();
                for _ in 0..6 * each {
                    let Tracked { key, sequence, .. } = target.recv_timeout(LONG).unwrap();
                    let next = next.entry(key).or_default();
                    assert_eq!(sequence, *next, "{} to {}", from.backend(), to.backend());
                    *next += 1;
                }
            });
            source.shutdown_blocking(LONG);
            assert!(bridge.ended_timeout(LONG));
            assert_eq!((bridge.status().moved, bridge.status().held), (6 * each, 0));
            target.shutdown_blocking(LONG);
        }
    }
}

/// D-02: one kernel's outputs go to all backends, and those of all come together in one.
#[test]
fn d02_a_broadcast_to_all_backends_and_back() {
    let source = batch_echo::launch(&runtimes()[0], named("source of all")).unwrap();
    let targets: Vec<_> =
        runtimes().iter().map(|runtime| batch_echo::launch(runtime, named("one of all")).unwrap()).collect();
    let sum = total::launch(&runtimes()[0], named("sum of all")).unwrap();
    let out = source.bridge_to_all(&targets, BridgeOptions::new(), Backpressure::Block).unwrap();
    let back: Vec<_> = targets.iter().map(|target| target.bridge_to(&sum).unwrap()).collect();
    let numbers: Vec<_> = (1..=100).map(|value| Number { value }).collect();
    source.send_batch_blocking(&numbers).unwrap();
    source.shutdown_blocking(LONG);
    assert!(out.ended_timeout(LONG));
    for (target, bridge) in targets.iter().zip(&back) {
        target.shutdown_blocking(LONG);
        assert!(bridge.ended_timeout(LONG));
        assert_eq!(bridge.status().moved, 100);
    }
    sum.drained_blocking();
    let mut sums = Vec::new();
    while sum.try_recv_batch(&mut sums, 1000).is_ok() {}
    assert_eq!(sums.len(), 100 * targets.len());
    assert_eq!(sums.last().unwrap().value, 5050 * targets.len() as u64);
}

/// D-02, M-10: a group of members on different backends; what they count becomes one.
#[test]
fn d02_a_group_of_all_backends() {
    let member = |runtime: &Runtime| {
        // Snapshots of kernels that stay are refused where a device's memory is its own.
        visits_of::bind(&vec![0; 1000]).launch(runtime, named("counts").actors(12).grid(2)).unwrap()
    };
    let group = KernelGroup::new(runtimes().iter().map(member)).unwrap();
    let items: Vec<_> =
        (0..6000_u64).map(|n| Item { key: n as u32 % 12, producer: 0, sequence: n % 1000 }).collect();
    group.send_batch_blocking(&items).unwrap();
    group.drained_blocking();
    for member in group.members() {
        assert_eq!(member.status().processed, 6000 / 12 * keys_of(group.members().len(), member.backend()));
    }
    match group.all_reduce_memory_blocking("bins", |a: u32, b: u32| a + b) {
        Ok(bins) => assert_eq!(bins, [6; 1000]),
        Err(GroupError::Snapshot { cause, .. }) if on_a_gpu() => eprintln!("not read: {cause}"),
        Err(error) => panic!("{error}"),
    }
    let counts = group.all_reduce_states_blocking(|a: Total, b: Total| Total { sum: a.sum + b.sum }).unwrap();
    assert_eq!(counts, [Total { sum: 500 }; 12]);
}

/// How many of twelve keys a member has, by its backend: runs of two, dealt around.
fn keys_of(members: usize, backend: &str) -> u64 {
    let place = runtimes().iter().position(|runtime| runtime.backend() == backend).unwrap();
    (0..12).filter(|key| key * members / 12 == place).count() as u64
}

/// D-03: a whole system over all backends as one value: in a chain, and in a ring that comes back to the first.
#[test]
fn d03_a_topology_over_all_backends() {
    let (first, others) = runtimes().split_first().unwrap();
    let devices: Vec<_> = others.iter().map(|runtime| (runtime.backend(), runtime)).collect();
    let mut topology = Topology::new().kernel("k0", pass::bind(), pass::options().actors(4));
    for (number, (device, _)) in devices.iter().enumerate() {
        let name = format!("k{}", number + 1);
        topology = topology
            .kernel(&name, pass::bind(), pass::options().actors(4).grid(2))
            .on(&name, device)
            .link(&format!("k{number}"), &name);
    }
    let topology = topology
        .kernel("end", track::bind(), track::options().actors(4))
        .link(&format!("k{}", devices.len()), "end");
    let plan = topology.check().unwrap();
    let expected = if devices.is_empty() { 0 } else { devices.len() + 1 };
    assert_eq!(plan.bridges.len(), expected);
    let running = topology.launch_on(first, &devices).unwrap();
    let source = running.runtime_of("k0").unwrap().sender::<Item>("k0").unwrap();
    let end = running.runtime().receiver::<Tracked>("end").unwrap();
    for sequence in 0..500 {
        let _ = source.send_blocking(Item { key: sequence as u32 % 4, producer: 0, sequence }).unwrap();
    }
    let outcomes = running.shutdown_blocking(LONG);
    let names: Vec<_> = outcomes.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((names[0], *names.last().unwrap()), ("k0", "end"));
    assert!(outcomes.iter().all(|(_, outcome)| *outcome == ShutdownOutcome::Drained), "{outcomes:?}");
    for bridge in running.bridges() {
        assert_eq!((bridge.moved, bridge.held, bridge.ended), (500, 0, true), "{bridge}");
    }
    let mut next = [0; 4];
    for _ in 0..500 {
        let Tracked { key, sequence, .. } = end.recv_blocking().unwrap();
        assert_eq!(sequence, 4 * next[key as usize] + u64::from(key));
        next[key as usize] += 1;
    }
    assert!(end.try_recv().is_err());
}
