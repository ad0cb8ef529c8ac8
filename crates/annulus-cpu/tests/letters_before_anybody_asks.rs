//! Dead letters that come before the program asks for them: they are kept until then, as those are that come
//! later.
extern crate annulus_runtime as annulus;

use std::{
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use annulus_cpu::Cpu;
use annulus_runtime::{KernelHandle, LaunchOptions, Reason, Runtime, prelude::*};

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Task {
    #[ring(id)]
    id: u64,
    fails: u32,
}

/// Fails with the code that the message says.
#[ring_kernel]
fn work(task: &Task) -> Result<(), Failure> {
    if task.fails == 0 { Ok(()) } else { Err(Failure::of(task.fails as u16)) }
}

fn fail(kernel: &KernelHandle<work>, ids: std::ops::Range<u64>) {
    for id in ids {
        let _ = kernel.send_blocking(Task { id, fails: 100 + id as u32 }).expect("it is open");
    }
    annulus_runtime::block_on(kernel.drained());
}

#[test]
fn they_are_kept_in_order() {
    let runtime = Runtime::builder().backend(Cpu::new().workers(1)).build().expect("threads can be had");
    let options = LaunchOptions::production().dead_letters(4);
    let kernel = work::launch(&runtime, options).expect("the options are right");
    fail(&kernel, 0..10);

    let dead_letters = kernel.dead_letters().expect("it was launched with them");
    let ids =
        || dead_letters.take_batch().iter().map(|dead_letter| dead_letter.message.id).collect::<Vec<_>>();
    let counters = dead_letters.counters();
    assert_eq!((counters.buried, counters.evicted, dead_letters.capacity()), (10, 6, 4));
    // The backlog is gone, and what comes now comes behind it.
    fail(&kernel, 10..11);
    let counters = kernel.dead_letters().expect("as before").counters();
    assert_eq!((counters.buried, counters.evicted), (11, 7));
    let batch = dead_letters.clone().take_batch();
    let found: Vec<_> = batch
        .iter()
        .map(|dead_letter| (dead_letter.message.id, &dead_letter.reason, dead_letter.attempts))
        .collect();
    let expected: Vec<_> = (7..11).map(|id| (id, Reason::Handler { code: 100 + id as u16 }, 1)).collect();
    assert_eq!(
        found,
        expected.iter().map(|(id, reason, attempts)| (*id, reason, *attempts)).collect::<Vec<_>>()
    );
    assert!(batch.is_sorted_by_key(|dead_letter| dead_letter.at));
    assert!(ids().is_empty());
}

#[test]
fn their_attempts_and_alerts_count() {
    let runtime = Runtime::builder().backend(Cpu::new().workers(1)).build().expect("threads can be had");
    let kernel = work::launch(&runtime, LaunchOptions::production()).expect("the options are right");
    fail(&kernel, 3..5);
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    let dead_letters = kernel.dead_letters().expect("it was launched with them");
    assert!(dead_letters.set_alert(move |alert| heard.lock().unwrap().push((alert.id, alert.attempts))));
    assert_eq!(kernel.redrive(3).sent, 2);
    annulus_runtime::block_on(kernel.drained());
    let again = kernel.dead_letters().expect("as before").take_batch();
    assert_eq!(again.iter().map(|dead_letter| dead_letter.attempts).collect::<Vec<_>>(), [2, 2]);
    // Whoever collects them tells of them afterwards, and may be another thread.
    let began = Instant::now();
    while told.lock().unwrap().len() < 2 && began.elapsed() < Duration::from_secs(60) {
        thread::yield_now();
    }
    assert_eq!(*told.lock().unwrap(), [(Some(3), 2), (Some(4), 2)]);
}
