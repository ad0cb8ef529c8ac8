//! How many messages a turn takes, and when a kernel leaves: M-01 to M-06. Shown by counts.

use std::thread;

use annulus_runtime::{KernelHandle, KernelStatus, LaunchOptions, ProcessingMode, RunMode};
use annulus_sync::{AtomicBool, Ordering};

use super::links::connect;
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{echo, number, numbers, swallow, total},
};

/// The most messages of a turn here.
const CAP: u32 = 32;

fn counted(bench: &Bench, mode: ProcessingMode) -> KernelHandle<swallow> {
    let options = LaunchOptions::production()
        .capacity(1024)
        .mode(mode)
        .max_messages_per_iteration(CAP)
        .count_turns(true)
        .name(format!("{mode:?}"));
    swallow::launch(bench.runtime(), options).unwrap()
}

/// The status after so many messages that are all there when the kernel begins to take them.
fn after_burst(kernel: &KernelHandle<swallow>, messages: u64) -> KernelStatus {
    kernel.deactivate_blocking().unwrap();
    kernel.send_batch_blocking(&numbers(0..messages)).unwrap();
    kernel.activate_blocking().unwrap();
    drain(kernel);
    balanced(kernel)
}

/// The status after so many messages, each of which finds an empty queue.
fn after_trickle(kernel: &KernelHandle<swallow>, messages: u64) -> KernelStatus {
    for value in 0..messages {
        let _ = kernel.send_blocking(number(value)).unwrap();
        drain(kernel);
    }
    balanced(kernel)
}

/// M-03: a turn takes one message, however many wait.
pub fn m03_continuous_takes_one(bench: &Bench) {
    let kernel = counted(bench, ProcessingMode::Continuous);
    assert_eq!(after_burst(&kernel, 100).turns, 100);
    assert_eq!(after_trickle(&kernel, 5).turns, 105);
}

/// M-04: a turn takes what waits, up to the cap.
pub fn m04_a_batch_takes_up_to_the_cap(bench: &Bench) {
    let kernel = counted(bench, ProcessingMode::Batch);
    assert_eq!(after_burst(&kernel, 1000).turns, 1000_u64.div_ceil(CAP.into()));
    assert_eq!(after_trickle(&kernel, 5).turns, 37);
    assert_eq!(after_burst(&kernel, 9).turns, 38);
}

/// M-05: turns grow while the queue is deep, keep their size while its depth varies a little, and take one
/// message each while it is shallow. An epoch begins with a turn of up to two.
pub fn m05_adaptive_follows_the_depth(bench: &Bench) {
    let kernel = counted(bench, ProcessingMode::Adaptive);
    let status = after_burst(&kernel, 1000);
    // 2, 4, 8 and 16 messages, then 30 times 32, then 10.
    assert!((35..=35 + 5 * status.epochs).contains(&status.turns), "{status:?}");
    let again = after_burst(&kernel, 1000);
    let (turns, epochs) = (again.turns - status.turns, again.epochs - status.epochs);
    match epochs {
        // The size is 32 again after the first turns, since 10 messages are more than a quarter of that.
        0 => assert_eq!(turns, 32, "{again:?}"),
        _ => assert!((32..=35 + 5 * epochs).contains(&turns), "{again:?}"),
    }
    let status = after_trickle(&kernel, 20);
    assert_eq!(status.turns - again.turns, 20, "{status:?}");
}

/// M-06: the cap of a turn is what the launch says, also where it is no power of two.
pub fn m06_the_cap_holds_in_every_mode(bench: &Bench) {
    for (mode, turns) in [(ProcessingMode::Batch, 20), (ProcessingMode::Adaptive, 22)] {
        let options = LaunchOptions::production()
            .capacity(128)
            .mode(mode)
            .max_messages_per_iteration(5)
            .count_turns(true)
            .name(format!("{mode:?}"));
        let kernel = swallow::launch(bench.runtime(), options).unwrap();
        // Adaptive: 2, 4, 18 times 5, then 4.
        let status = after_burst(&kernel, 100);
        let more = if mode == ProcessingMode::Adaptive { 2 * status.epochs } else { 0 };
        assert!((turns - 1..=turns + more).contains(&status.turns), "{status:?}");
    }
}

/// M-06: a kernel that never runs out of messages keeps none of 31 others from answering, however often they
/// are asked, and they do not keep it from going on.
pub fn m06_a_flood_starves_nobody(bench: &Bench) {
    let options = LaunchOptions::production().capacity(1024).max_messages_per_iteration(16);
    let flooded = swallow::launch(bench.runtime(), options).unwrap();
    let quiet: Vec<_> = (0..31)
        .map(|i| {
            echo::launch(bench.runtime(), LaunchOptions::low_latency().name(format!("quiet {i}"))).unwrap()
        })
        .collect();
    let answered = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            // More than the ring holds: it is full again before the flooded kernel has taken all of it.
            let flood = numbers(0..2048);
            while !answered.load(Ordering::Relaxed) {
                flooded.send_batch_blocking(&flood).unwrap();
            }
        });
        // Also when a case fails, the flood ends.
        let _ends = Ends(&answered);
        for round in bench.rounds(3, 100) {
            let before = flooded.status().processed;
            for kernel in &quiet {
                assert_eq!(kernel.call_blocking(number(round)), Ok(number(round)));
            }
            eventually(|| flooded.status().processed > before);
        }
    });
    drain(&flooded);
    balanced(&flooded);
}

struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Turns are counted only if the launch asks for it.
pub fn turns_are_counted_if_asked_for(bench: &Bench) {
    let kernel = swallow::launch(bench.runtime(), LaunchOptions::production()).unwrap();
    let status = after_burst(&kernel, 10);
    assert_eq!((status.processed, status.turns), (10, 0));
}

/// M-02: an event-driven kernel leaves after so many messages, and comes back as long as there are more. A
/// persistent one does not come and go with its messages.
pub fn m02_event_driven_leaves_and_comes_back(bench: &Bench) {
    let count = 100;
    let run = |options: LaunchOptions| {
        let options = options.active(false).mode(ProcessingMode::Continuous);
        let kernel = total::launch(bench.runtime(), options).unwrap();
        kernel.send_batch_blocking(&numbers(0..count)).unwrap();
        kernel.activate_blocking().unwrap();
        // Its state stays.
        for value in 0..count {
            assert_eq!(kernel.recv_blocking(), Ok(number(value * (value + 1) / 2)));
        }
        kernel.drained_blocking(); // What it counts may come after its answers.
        let epochs = balanced(&kernel).epochs;
        kernel.terminate_blocking();
        epochs
    };
    let event_driven = || LaunchOptions::production().run_mode(RunMode::EventDriven);
    let each = run(event_driven().leave_after(1).name("each"));
    assert!(each >= count, "{each} epochs of one message");
    let ten = run(event_driven().leave_after(10).name("ten"));
    assert!((count / 10..each).contains(&ten), "{ten} epochs of ten messages, {each} of one");
    let persistent = run(LaunchOptions::production().leave_after(1).name("persistent"));
    assert!(persistent < count / 2, "{persistent} epochs");
}

/// M-02: it leaves when it has nothing to do, and a message brings it back.
pub fn m02_an_event_brings_it_back(bench: &Bench) {
    let options = LaunchOptions::low_latency().run_mode(RunMode::EventDriven).spin(std::time::Duration::ZERO);
    let kernel = total::launch(bench.runtime(), options).unwrap();
    let mut sum = 0;
    let before = kernel.status().epochs;
    for value in bench.rounds(20, 2000).map(|round| round + 1) {
        sum += value;
        assert_eq!(kernel.call_blocking(number(value)), Ok(number(sum)));
        drain(&kernel);
    }
    assert!(kernel.status().epochs > before, "it left in between");
    kernel.deactivate_blocking().unwrap();
    let _ = kernel.send_blocking(number(1)).unwrap();
    kernel.activate_blocking().unwrap();
    assert_eq!(kernel.recv_blocking(), Ok(number(sum + 1)));
    kernel.terminate_blocking();
}

/// M-02: blocks in step come and go together, and connected kernels bring each other back.
pub fn m02_event_driven_kernels_are_connected(bench: &Bench) {
    let options = || {
        LaunchOptions::production()
            .run_mode(RunMode::EventDriven)
            .leave_after(8)
            .connectable(true)
            .capacity(64)
    };
    let first =
        crate::kernels::batch_echo::launch(bench.runtime(), options().active(false).name("first")).unwrap();
    let second = total::launch(bench.runtime(), options().name("second")).unwrap();
    connect(&first, &second);
    let count = bench.size(500, 5_000);
    let mut sum = 0;
    for value in 0..count {
        let _ = first.send_blocking(number(value)).unwrap();
        if value % 8 == 7 {
            for _ in 0..8 {
                sum = second.recv_blocking().unwrap().value;
            }
        }
    }
    for _ in 0..count % 8 {
        sum = second.recv_blocking().unwrap().value;
    }
    assert_eq!(sum, count * (count - 1) / 2);
    assert!(first.status().epochs > 0 && second.status().epochs > 0);
}
