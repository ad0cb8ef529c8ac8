//! A handler did not return, and its supervisor left the kernel behind. Then the end of the runtime waited for the handler's
//! thread, and the process could not end.
extern crate annulus_runtime as annulus;

use std::{
    env,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use annulus_cpu::Cpu;
use annulus_runtime::{
    LaunchOptions, Runtime, ShutdownOutcome, Vitals,
    prelude::*,
    resilience::{NotRunning, Supervisor},
};

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Number {
    value: u64,
}

const FOREVER: u64 = 666;

#[ring_kernel(cpu_only)]
fn stuck(number: &Number, replies: &Outbox<Number>) {
    if number.value == FOREVER {
        loop {
            thread::park();
        }
    }
    replies.send(*number);
}

/// Set for the process that has to end.
const CHILD: &str = "ANNULUS_TEST_HAS_TO_END";
/// Longer than any machine takes for it.
const PATIENCE: Duration = Duration::from_secs(120);

fn eventually(condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < PATIENCE, "it takes too long");
        thread::sleep(Duration::from_millis(1));
    }
}

/// With so many workers: of one, nobody is left for the next kernel, so that one is never launched.
fn has_to_end(workers: usize) {
    // Its vitals would stay, as those of a process that died.
    let builder = Runtime::builder().backend(Cpu::new().workers(workers)).vitals(Vitals::Off);
    let runtime = builder.build().expect("threads can be had");
    let place = runtime.clone();
    let supervised = Supervisor::new()
        .stalled_after(Duration::from_millis(200))
        .restarts(u32::from(workers > 1), Duration::from_secs(600))
        .pauses(Duration::from_millis(1), Duration::from_millis(1))
        .start(move |_| Ok(stuck::launch(&place, LaunchOptions::production())?))
        .expect("the options are right");
    let kernel = supervised.kernel().expect("it was launched");
    let _ = kernel.send_blocking(Number { value: FOREVER }).expect("it is open");
    drop(kernel);
    if workers > 1 {
        eventually(|| supervised.status().restarts == 1);
        let next = supervised.running_timeout(PATIENCE).expect("another one was launched");
        assert_eq!(next.call_blocking(Number { value: 7 }), Ok(Number { value: 7 }));
        drop(next);
        let shutdown = supervised.shutdown_blocking(PATIENCE);
        assert_eq!(shutdown.outcome, ShutdownOutcome::Drained);
    } else {
        eventually(|| matches!(supervised.kernel(), Err(NotRunning::GaveUp { .. })));
        let shutdown = supervised.shutdown_blocking(PATIENCE);
        assert_eq!(shutdown.outcome, ShutdownOutcome::AlreadyTerminated);
    }
    drop(supervised);
    // The last that anybody has of it.
    drop(runtime);
}

fn ends(name: &str, workers: usize) {
    if env::var_os(CHILD).is_some() {
        return has_to_end(workers);
    }
    let this = env::current_exe().expect("a test knows its program");
    let mut child =
        Command::new(this).args(["--exact", name]).env(CHILD, "1").spawn().expect("it can be started");
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("it is a child of ours") {
            break status;
        }
        if begun.elapsed() > PATIENCE {
            child.kill().expect("it has not ended");
            let _ = child.wait();
            panic!("it does not end");
        }
        thread::sleep(Duration::from_millis(10));
    };
    assert!(status.success(), "{status}");
}

#[test]
fn after_a_shutdown() {
    ends("after_a_shutdown", 2);
}

#[test]
fn after_its_only_worker_is_gone() {
    ends("after_its_only_worker_is_gone", 1);
}
