//! What the specification's checklist asks of a device, by its numbers, on the first OpenCL device; more is
//! in the conformance suite.

extern crate annulus_runtime as annulus;

mod common;

use std::time::{Duration, Instant};

use annulus_abi::error;
use annulus_opencl::OpenCl;
use annulus_runtime::{BackendSource, LaunchOptions, Reason, Runtime};
use common::{Item, Number, alone, count, echo};

const LIMIT: Duration = Duration::from_secs(60);

fn runtime(options: OpenCl) -> Option<Runtime> {
    match Runtime::builder().backend(options.resident_groups(64)).build() {
        Ok(runtime) => Some(runtime),
        Err(error) => {
            println!("skipped: {error}");
            None
        }
    }
}

/// Q-03, T-09, R-13: rings, control blocks and telemetry lie in memory that host and device see at one
/// address or mapping, and which the host reads and writes through a pointer.
#[test]
fn q03_t09_r13_memory_is_seen_by_both_sides() {
    let _alone = alone();
    for options in [OpenCl::new(), OpenCl::new().force_mapped_buffers()] {
        let Ok(backend) = options.clone().resident_groups(64).open() else {
            return println!("skipped: no device");
        };
        let memory = backend.allocate(10_000).unwrap();
        assert!(memory.bytes() >= 10_000);
        let Some(runtime) = runtime(options) else { return };
        let kernel = echo::launch(&runtime, LaunchOptions::production()).unwrap();
        let telemetry = kernel.enable_telemetry().unwrap();
        for value in 0..100 {
            let _ = kernel.send_blocking(Number { value }).unwrap();
            assert_eq!(kernel.recv_timeout(LIMIT), Ok(Number { value }));
        }
        let begun = Instant::now();
        while telemetry.poll().messages_processed != 100 {
            assert!(begun.elapsed() < LIMIT, "{}", telemetry.poll());
        }
    }
}

/// any thread of a block takes messages and sends: with 32 threads and a batch dealt to them, none is
/// lost or doubled, and order per key holds.
#[test]
fn q35_any_thread_takes_and_sends() {
    let _alone = alone();
    let Some(runtime) = runtime(OpenCl::new().threads_per_block(32)) else { return };
    let kernel = count::launch(&runtime, LaunchOptions::production().block(32).actors(40).grid(2)).unwrap();
    let messages: Vec<Item> =
        (0..4000).map(|i| Item { key: i as u32 % 40, producer: 0, sequence: i * 100 + 1 }).collect();
    kernel.send_batch_blocking(&messages).unwrap();
    let mut counts = [0; 40];
    for _ in 0..4000 {
        let counted = kernel.recv_timeout(LIMIT).unwrap();
        counts[counted.key as usize] += 1;
        assert_eq!(counted.count, counts[counted.key as usize], "actor {}", counted.key);
    }
    assert_eq!(counts, [100; 40]);
}

/// T-06, T-07: the device writes every field of its telemetry by itself: processed, dropped, the error,
/// depth, latencies and the time of the last message. (What that costs per message is measured, not
/// asserted.)
#[test]
fn t06_t07_the_device_writes_its_telemetry() {
    let _alone = alone();
    let Some(runtime) = runtime(OpenCl::new()) else { return };
    let kernel = count::launch(&runtime, LaunchOptions::production().actors(3)).unwrap();
    let telemetry = kernel.enable_telemetry().unwrap();
    for (key, sequence) in [(0, 1), (1, 1), (2, 100), (7, 1), (1, 2)] {
        let _ = kernel.send_blocking(Item { key, producer: 0, sequence }).unwrap();
    }
    for _ in 0..3 {
        kernel.recv_timeout(LIMIT).unwrap();
    }
    let begun = Instant::now();
    let seen = loop {
        let seen = telemetry.poll();
        if seen.messages_processed + seen.messages_dropped == 5 {
            break seen;
        }
        assert!(begun.elapsed() < LIMIT, "{seen}");
    };
    assert_eq!((seen.messages_processed, seen.messages_dropped, seen.queue_depth), (3, 2, 0));
    assert!([7, error::UNKNOWN_ACTOR].contains(&seen.error_code), "{seen}");
    assert!(seen.last_processed_timestamp > 0);
    assert!(seen.min_latency_nanos <= seen.max_latency_nanos && seen.max_latency_nanos > 0, "{seen}");
    assert!(seen.total_latency_nanos >= seen.max_latency_nanos);
    let dead_letters = kernel.dead_letters().unwrap().take_batch();
    let reasons: Vec<_> = dead_letters.iter().map(|dead_letter| &dead_letter.reason).collect();
    assert_eq!(reasons[0], &Reason::Handler { code: 7 });
    assert!(matches!(reasons[1], Reason::Invalid(_)));
}

/// R-12, M-01: a kernel that stays is launched once and answers until it is terminated; afterwards it is
/// gone.
#[test]
fn r12_m01_a_kernel_stays_until_it_is_terminated() {
    let _alone = alone();
    let Some(runtime) = runtime(OpenCl::new()) else { return };
    let notes = runtime.devices()[0].notes.join("\n");
    if !notes.contains("persistent") {
        return println!("skipped: this device runs kernels in epochs: {notes}");
    }
    let kernel = echo::launch(&runtime, LaunchOptions::production()).unwrap();
    for value in 0..3 {
        let _ = kernel.send_blocking(Number { value }).unwrap();
        assert_eq!(kernel.recv_timeout(LIMIT), Ok(Number { value }));
        // Long enough for it to nap.
        std::thread::sleep(Duration::from_millis(150));
    }
    let _ = kernel.terminate_blocking();
    assert!(kernel.try_send(Number { value: 9 }).is_err());
    assert_eq!(kernel.status().processed, 3);
}

/// M-02: a kernel that cannot stay comes back after at most so many messages, is launched again with its
/// state kept, and all its blocks take part.
#[test]
fn m02_epochs_keep_state() {
    let _alone = alone();
    let Some(runtime) = runtime(OpenCl::new().force_epochs()) else { return };
    assert!(runtime.devices()[0].notes.iter().any(|note| note.contains("epochs")), "{:?}", runtime.devices());
    let kernel = count::launch(&runtime, LaunchOptions::production().actors(4).grid(2)).unwrap();
    // More than one epoch takes, one at a time and in batches.
    let total = 12_000u64;
    let messages: Vec<Item> =
        (0..total).map(|i| Item { key: i as u32 % 4, producer: 0, sequence: i * 100 + 1 }).collect();
    let mut received = 0;
    for part in messages.chunks(1000) {
        kernel.send_batch_blocking(part).unwrap();
        for _ in part {
            kernel.recv_timeout(LIMIT).unwrap();
            received += 1;
        }
    }
    assert_eq!(received, total);
    let last = kernel.call_blocking(Item { key: 3, producer: 0, sequence: 1 }).unwrap();
    assert_eq!(last.count, total / 4 + 1);
}

/// every device tells its name, how it runs kernels and why; a handler with `f64` is for devices
/// that have it.
#[test]
fn x01_x04_devices_tell_what_they_can_do() {
    let _alone = alone();
    let Some(runtime) = runtime(OpenCl::new()) else { return };
    for device in runtime.devices() {
        assert!(!device.name.is_empty() && device.parallel_blocks > 0, "{device:?}");
        let can = device.capabilities;
        assert!(can.max_block >= 1 && can.shared_memory.is_some_and(|bytes| bytes > 0), "{can}");
        let notes = device.notes.join("\n");
        assert!(
            notes.contains("persistent") || notes.contains("epochs") || notes.contains("cannot"),
            "{notes}"
        );
    }
    let can = runtime.devices()[0].capabilities;
    let launched = halves::launch(&runtime, LaunchOptions::production());
    let Some(kernel) = launched.as_ref().ok().filter(|_| can.f64) else {
        let error = launched.unwrap_err().to_string();
        assert!(!can.f64 && error.contains("has no `f64` (OpenCL's cl_khr_fp64)"), "{error}");
        return;
    };
    assert_eq!(kernel.call_blocking(Half { value: 3.0 }), Ok(Half { value: 1.5 }));
}

#[derive(annulus_macros::RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Half {
    value: f64,
}

#[annulus_macros::ring_kernel]
fn halves(message: &Half, replies: &annulus_kernel::Outbox<Half>) {
    replies.send(Half { value: message.value / 2.0 });
}

/// what the host publishes, a running kernel sees whole, and the other way round: 100,000 messages
/// through a ring of 16 slots, each checked, in both directions.
#[test]
fn x07_both_sides_see_whole_messages() {
    let _alone = alone();
    let Some(runtime) = runtime(OpenCl::new()) else { return };
    let kernel = echo::launch(&runtime, LaunchOptions::production().capacity(16)).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            (0..100_000).for_each(|value| {
                let _ = kernel.send_blocking(Number { value }).unwrap();
            });
        });
        for value in 0..100_000 {
            assert_eq!(kernel.recv_timeout(LIMIT), Ok(Number { value }));
        }
    });
}
