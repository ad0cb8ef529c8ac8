//! M-06: `max_messages_per_iteration` is the limit of fairness between kernels that share a worker. A kernel
//! with thousands of messages delays each turn of the others by one of its own turns, and no more.

use std::sync::Mutex;

use annulus::{Runtime, block_on, prelude::*};
use annulus_cpu::Cpu;
use annulus_sync::{AtomicBool, AtomicU64, Ordering};

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Number {
    value: u64,
}

/// Messages of the flooded kernel that were handled.
static FLOODED: AtomicU64 = AtomicU64::new(0);

/// Held while the one worker has to wait, so that all blocks find their messages there.
static GATE: Mutex<()> = Mutex::new(());
static ENTERED: AtomicBool = AtomicBool::new(false);

#[ring_kernel(mode = Batch, cpu_only)] // A static.
fn flood(message: &Number) {
    let _ = message;
    FLOODED.fetch_add(1, Ordering::Relaxed);
}

/// Answers how many of the flood came before.
#[ring_kernel(cpu_only)]
fn quiet(message: &Number, seen: &Outbox<Number>) {
    let _ = message;
    seen.send(Number { value: FLOODED.load(Ordering::Relaxed) });
}

#[ring_kernel(cpu_only)] // It waits for a lock.
fn gate(message: &Number) {
    let _ = message;
    ENTERED.store(true, Ordering::Relaxed);
    drop(GATE.lock());
}

/// The most messages of the flood that the quiet kernels' first, second and third messages waited for.
fn waited_for(cap: u32) -> [u64; 3] {
    const MESSAGES: u64 = 4096;
    FLOODED.store(0, Ordering::Relaxed);
    ENTERED.store(false, Ordering::Relaxed);
    let runtime = Runtime::builder().backend(Cpu::new().workers(1)).build().unwrap();
    let gate = gate::launch(&runtime, LaunchOptions::production()).unwrap();
    let options = LaunchOptions::production().max_messages_per_iteration(cap);
    let flooded = flood::launch(&runtime, options).unwrap();
    let quiet: Vec<_> = (0..31)
        .map(|i| quiet::launch(&runtime, LaunchOptions::production().name(format!("quiet {i}"))).unwrap())
        .collect();
    flooded.activate_blocking().unwrap();
    for kernel in &quiet {
        kernel.activate_blocking().unwrap();
    }
    let closed = GATE.lock().unwrap();
    let _ = gate.send_blocking(Number { value: 0 }).unwrap();
    while !ENTERED.load(Ordering::Relaxed) {
        std::thread::yield_now();
    }
    let batch: Vec<_> = (0..MESSAGES).map(|value| Number { value }).collect();
    flooded.send_batch_blocking(&batch).unwrap();
    quiet.iter().for_each(|kernel| kernel.send_batch_blocking(&batch[..3]).unwrap());
    drop(closed);
    let mut most = [0; 3];
    for kernel in &quiet {
        for most in &mut most {
            *most = kernel.recv_blocking().unwrap().value.max(*most);
        }
    }
    block_on(flooded.drained());
    assert_eq!(FLOODED.load(Ordering::Relaxed), MESSAGES);
    most
}

#[test]
fn m06_a_flooded_kernel_delays_others_by_one_turn_each() {
    for cap in [1, 16, 256] {
        let most = waited_for(cap);
        for (turn, most) in most.into_iter().enumerate() {
            // The flooded kernel may be in front of the others, or behind some of them.
            assert!(most <= u64::from(cap) * (turn as u64 + 1), "a cap of {cap}: {most} before turn {turn}");
        }
        assert!(most[2] >= u64::from(cap), "it did get its turns: {most:?}");
    }
}
