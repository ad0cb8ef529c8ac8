//! A message that a kernel sent to one that slept woke a second worker, so two kernels that answer each other
//! crossed cores at each message, although the worker that sent had nothing else to do.
extern crate annulus_runtime as annulus;

use std::{
    sync::Mutex,
    thread::{self, ThreadId},
    time::Duration,
};

use annulus_cpu::Cpu;
use annulus_runtime::{LaunchOptions, Runtime, block_on, prelude::*};
use annulus_sync::{AtomicU64, Ordering};

const HOPS: u64 = 200_000;

/// Goes to and fro so many times more. Its key is asked for by the worker that sends it, and by the one that
/// handles it.
#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(C)]
struct Ball {
    left: u64,
}

/// The ball whose key was asked for last, and by whom.
static LAST: Mutex<Option<(u64, ThreadId)>> = Mutex::new(None);
/// How many balls were handled on another thread than they were sent on.
static CROSSED: AtomicU64 = AtomicU64::new(0);

impl RingMessage for Ball {}

impl annulus_kernel::Message for Ball {
    const KEYED: bool = true;

    fn key(&self) -> u64 {
        let me = thread::current().id();
        let before = LAST.lock().unwrap().replace((self.left, me));
        if before.is_some_and(|(left, thread)| left == self.left && thread != me) {
            CROSSED.fetch_add(1, Ordering::Relaxed);
        }
        0
    }
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Hits {
    hits: u64,
}

#[ring_kernel(cpu_only)]
fn hit(ball: &Ball, hits: &mut Hits, next: &Outbox<Ball>) {
    hits.hits += 1;
    if ball.left > 0 {
        next.send(Ball { left: ball.left - 1 });
    }
}

/// How often the workers have gone to sleep so far.
#[cfg(target_os = "linux")]
fn sleeps() -> u64 {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let tasks = std::fs::read_dir("/proc/self/task").expect("a process knows its threads");
    tasks
        .map(|task| task.expect("a thread has a folder").path())
        .filter(|task| read(task.join("comm")).starts_with("annulus-cpu"))
        .map(|task| {
            let status = read(task.join("status"));
            let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
            count.map_or(0, |count| count.trim().parse::<u64>().expect("a count is a number"))
        })
        .sum()
}

/// Elsewhere it is not known.
#[cfg(not(target_os = "linux"))]
fn sleeps() -> u64 {
    0
}

#[test]
fn a_ball_stays_on_its_worker() {
    let runtime = Runtime::builder().backend(Cpu::new().workers(2)).build().expect("threads can be had");
    let [one, two] = ["one", "two"].map(|name| {
        let options = LaunchOptions::default().name(name).actors(1).connectable(true).active(false);
        hit::launch(&runtime, options.spin(Duration::ZERO)).expect("the options are right")
    });
    one.connect(&two).expect("both are inactive");
    two.connect(&one).expect("both are inactive");
    one.activate_blocking().expect("the kernel runs");
    two.activate_blocking().expect("the kernel runs");
    let before = sleeps();
    let _ = one.send_blocking(Ball { left: HOPS }).expect("there is room");
    while one.status().processed + two.status().processed <= HOPS {
        thread::sleep(Duration::from_millis(1));
    }
    let woken = sleeps() - before;
    assert!(woken < 10, "workers slept {woken} times while one of them had all the work");
    // The host's own ball was sent on the host's thread.
    let crossed = CROSSED.load(Ordering::Relaxed);
    assert!(crossed <= 1, "{crossed} of {HOPS} balls were handled on another worker than they were sent on");
    block_on(async {
        one.drained().await;
        two.drained().await;
    });
}
