//! The device runtime with handlers written by hand: every way in which a device may be used.

// What the kernel macros name.
extern crate annulus_runtime as annulus;

mod common;

use std::{collections::HashMap, time::Duration};

use annulus_opencl::OpenCl;
use annulus_runtime::{CallError, LaunchOptions, Runtime};
use common::{Counted, Item, Number, alone, count, echo};

/// Every way to run: resident or in epochs, with what only some systems have or without, by both kinds of
/// shared memory.
fn ways() -> [(&'static str, OpenCl); 5] {
    [
        ("resident", OpenCl::new()),
        ("resident, mapped buffers", OpenCl::new().force_mapped_buffers()),
        ("resident, portable", OpenCl::new().force_portable()),
        ("epochs", OpenCl::new().force_epochs()),
        (
            "epochs, portable, mapped buffers",
            OpenCl::new().force_epochs().force_portable().force_mapped_buffers(),
        ),
    ]
}

fn in_every_way(case: fn(&Runtime)) {
    for (way, options) in ways() {
        let Some(runtime) = common::runtime(options) else { return };
        println!("{way}");
        case(&runtime);
    }
}

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn a_device_tells_how_it_runs_kernels() {
    let _alone = alone();
    let Some(runtime) = common::runtime(OpenCl::new()) else { return };
    let notes = runtime.devices()[0].notes.join("\n");
    assert!(notes.contains("persistent: ") || notes.contains("epochs: "), "{notes}");
    let Some(runtime) = common::runtime(OpenCl::new().force_epochs()) else { return };
    let notes = runtime.devices()[0].notes.join("\n");
    assert!(notes.contains("epochs: forced"), "{notes}");
}

#[test]
fn messages_are_answered_one_by_one() {
    let _alone = alone();
    in_every_way(|runtime| {
        let kernel = echo::launch(runtime, LaunchOptions::low_latency()).unwrap();
        for value in 0..500 {
            let _ = kernel.send_blocking(Number { value }).unwrap();
            assert_eq!(kernel.recv_timeout(LIMIT), Ok(Number { value }));
        }
        let shutdown = kernel.shutdown_blocking(LIMIT);
        assert!(shutdown.undelivered.is_empty());
        let status = kernel.status();
        assert_eq!((status.processed, status.produced, status.drops.total()), (500, 500, 0), "{status}");
    });
}

/// Items of two producers for each of 50 actors, with a failure here and there.
fn actors_count(runtime: &Runtime, options: LaunchOptions) {
    const ACTORS: u32 = 50;
    const EACH: u64 = 250;
    let kernel = count::launch(runtime, options.actors(ACTORS.into())).unwrap();
    let items: Vec<Item> = (1..=EACH)
        .flat_map(|sequence| (0..2 * ACTORS).map(move |i| Item { key: i / 2, producer: i % 2, sequence }))
        .collect();
    let fail = items.iter().filter(|item| item.sequence.is_multiple_of(100)).count() as u64;
    let unknown = Item { key: ACTORS, producer: 0, sequence: 1 };

    let mut answers: Vec<Counted> = Vec::new();
    std::thread::scope(|scope| {
        let sender = || {
            for batch in items.chunks(97) {
                kernel.send_batch_blocking(batch).unwrap();
            }
            let _ = kernel.send_blocking(unknown).unwrap();
        };
        scope.spawn(sender);
        while (answers.len() as u64) < items.len() as u64 - fail {
            answers.push(kernel.recv_timeout(LIMIT).unwrap());
        }
    });

    let mut counts: HashMap<u32, u64> = HashMap::new();
    let mut last: HashMap<(u32, u32), u64> = HashMap::new();
    for answer in answers {
        let count = counts.entry(answer.key).or_default();
        *count += 1;
        assert_eq!(
            answer.count, *count,
            "an actor's messages are handled one at a time, and failures rolled back"
        );
        let before = last.insert((answer.key, answer.producer), answer.sequence).unwrap_or(0);
        assert!(answer.sequence > before, "order of a producer for an actor");
        assert!(!answer.sequence.is_multiple_of(100), "what a failed handler sent is not sent");
    }
    annulus_runtime::block_on(kernel.drained());
    let status = kernel.status();
    assert_eq!(status.processed, items.len() as u64 - fail, "{status}");
    assert_eq!((status.drops.failed, status.drops.unknown_actor), (fail, 1), "{status}");
    assert!(matches!(status.last_error, 7 | annulus_abi::error::UNKNOWN_ACTOR), "{status}");
}

#[test]
fn actors_count_in_one_thread() {
    let _alone = alone();
    in_every_way(|runtime| {
        actors_count(runtime, LaunchOptions::production());
        actors_count(
            runtime,
            LaunchOptions::production().grid(3).capacity(16).max_messages_per_iteration(16),
        );
    });
}

#[test]
fn actors_count_in_many_threads() {
    let _alone = alone();
    in_every_way(|runtime| {
        actors_count(runtime, LaunchOptions::production().block(64));
        actors_count(
            runtime,
            LaunchOptions::production().block(8).grid(3).capacity(16).max_messages_per_iteration(16),
        );
    });
}

#[test]
fn calls_are_answered() {
    let _alone = alone();
    in_every_way(|runtime| {
        for block in [1, 8] {
            let kernel =
                count::launch(runtime, LaunchOptions::production().actors(4).grid(2).block(block)).unwrap();
            let call = |key, sequence| kernel.call_timeout(Item { key, producer: 0, sequence }, LIMIT);
            assert_eq!(call(3, 1).map(|reply| reply.count), Ok(1));
            assert_eq!(call(3, 100), Err(CallError::Failed { code: 7, name: None }));
            assert_eq!(call(3, 2).map(|reply| reply.count), Ok(2));
            assert_eq!(
                call(4, 1),
                Err(CallError::Failed { code: annulus_abi::error::UNKNOWN_ACTOR, name: None })
            );
            assert!(kernel.shutdown_blocking(LIMIT).undelivered.is_empty());
        }
    });
}

#[test]
fn telemetry_counts() {
    let _alone = alone();
    in_every_way(|runtime| {
        for block in [1, 8] {
            let options = LaunchOptions::production().track_latency(true).block(block);
            let kernel = echo::launch(runtime, options).unwrap();
            let telemetry = kernel.enable_telemetry().unwrap();
            for value in 0..300 {
                let _ = kernel.send_blocking(Number { value }).unwrap();
            }
            for value in 0..300 {
                assert_eq!(kernel.recv_timeout(LIMIT), Ok(Number { value }));
            }
            annulus_runtime::block_on(kernel.drained());
            let snapshot = telemetry.poll();
            assert_eq!((snapshot.messages_processed, snapshot.unmeasured, snapshot.queue_depth), (300, 0, 0));
            assert!(snapshot.min_latency_nanos <= snapshot.max_latency_nanos);
            assert!(snapshot.total_latency_nanos >= snapshot.max_latency_nanos);
            assert!(snapshot.last_processed_timestamp as u64 <= telemetry.now());
            assert_eq!(kernel.latencies().unwrap().count(), 300);
        }
    });
}

#[test]
fn an_inactive_kernel_waits() {
    let _alone = alone();
    in_every_way(|runtime| {
        let kernel = echo::launch(runtime, LaunchOptions::production().active(false)).unwrap();
        let _ = kernel.send_blocking(Number { value: 1 }).unwrap();
        assert!(kernel.recv_timeout(Duration::from_millis(50)).is_err());
        kernel.activate_blocking().unwrap();
        assert_eq!(kernel.recv_timeout(LIMIT), Ok(Number { value: 1 }));
        kernel.deactivate_blocking().unwrap();
        let _ = kernel.send_blocking(Number { value: 2 }).unwrap();
        kernel.terminate_blocking();
        assert_eq!(kernel.take_undelivered(), [Number { value: 2 }]);
    });
}
