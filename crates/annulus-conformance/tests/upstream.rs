//! Waits and shutdowns over bridges while something else happens: a kernel or a bridge ends, somebody is inactive, a cycle moves
//! between two looks. D-03, O-02. On the CPU alone: none of it depends on the backend.

use std::{
    future::Future,
    pin::{Pin, pin},
    sync::{Arc, mpsc::channel},
    task::{Context, Poll, Wake, Waker},
    thread,
    time::{Duration, Instant},
};

use annulus_conformance::kernels::{
    Item, Number, batch_echo,
    links::{Ball, hit},
    ports::sort_out,
};
use annulus_cpu::Cpu;
use annulus_runtime::{Backpressure, BridgeOptions, LaunchOptions, Runtime, ShutdownOutcome};

const LONG: Duration = Duration::from_secs(60);

fn runtime() -> Runtime {
    Runtime::builder().backend(Cpu::new().workers(2)).build().unwrap()
}
fn named(name: &str) -> LaunchOptions {
    LaunchOptions::production().name(name)
}
fn number(value: u64) -> Number {
    Number { value }
}
fn poll_once<F: Future>(future: Pin<&mut F>) -> Option<F::Output> {
    struct Nobody;
    impl Wake for Nobody {
        fn wake(self: Arc<Self>) {}
    }
    match future.poll(&mut Context::from_waker(&Waker::from(Arc::new(Nobody)))) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}
fn eventually(mut what: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    while began.elapsed() < LONG {
        if what() {
            return true;
        }
        thread::sleep(Duration::from_millis(1));
    }
    false
}

/// The target terminates while its `drained` waits for an inactive source.
#[test]
fn d03_drained_ends_when_the_kernel_terminates() {
    let (here, there) = (runtime(), runtime());
    let source = batch_echo::launch(&here, named("source").active(false)).unwrap();
    let target = batch_echo::launch(&there, named("target")).unwrap();
    let _bridge = source.bridge_to(&target).unwrap();
    let _ = source.send_blocking(number(1)).unwrap();
    let (done, ended) = channel();
    let control = (*target).clone();
    thread::spawn(move || {
        control.drained_blocking();
        done.send(()).unwrap();
    });
    assert!(ended.recv_timeout(Duration::from_millis(100)).is_err(), "a message is in the source");
    target.terminate_blocking();
    assert!(ended.recv_timeout(LONG).is_ok(), "the target has terminated, and drained() waits on");
}

/// The same, and the bridge ends.
#[test]
fn d03_drained_ends_when_the_bridge_ends() {
    let (here, there) = (runtime(), runtime());
    let source = batch_echo::launch(&here, named("source").active(false)).unwrap();
    let target = batch_echo::launch(&there, named("target")).unwrap();
    let bridge = source.bridge_to(&target).unwrap();
    let _ = source.send_blocking(number(1)).unwrap();
    let mut drained = pin!(target.drained());
    assert!(poll_once(drained.as_mut()).is_none());
    bridge.stop();
    assert!(bridge.ended_timeout(LONG));
    assert!(target.drained_timeout(LONG), "a new wait ends");
    assert!(eventually(|| poll_once(drained.as_mut()).is_some()), "the old one does not");
}

/// The same, and the target is closed and shut down by another thread.
#[test]
fn d03_drained_ends_when_the_kernel_is_shut_down() {
    let (here, there) = (runtime(), runtime());
    let source = batch_echo::launch(&here, named("source").active(false)).unwrap();
    let target = batch_echo::launch(&there, named("target")).unwrap();
    let _bridge = source.bridge_to(&target).unwrap();
    let _ = source.send_blocking(number(1)).unwrap();
    let mut drained = pin!(target.drained());
    assert!(poll_once(drained.as_mut()).is_none());
    assert_eq!(target.shutdown_blocking(LONG).outcome, ShutdownOutcome::Drained);
    assert!(eventually(|| poll_once(drained.as_mut()).is_some()));
}

/// A bridge of a cycle ends during the pass; what it has brought is not waited for.
#[test]
fn d03_a_cycle_whose_bridge_ends() {
    let (here, there) = (runtime(), runtime());
    let first = hit::launch(&here, named("first").actors(1)).unwrap();
    let second = hit::launch(&there, named("second").actors(1)).unwrap();
    let out = first.bridge_to(&second).unwrap();
    let _back = second.bridge_to(&first).unwrap();
    first.deactivate_blocking().unwrap();
    let _ = first.send_blocking(Ball { number: 0, left: 3 }).unwrap();
    let mut drained = pin!(first.drained());
    assert!(poll_once(drained.as_mut()).is_none());
    // The second one has been looked at. Now something comes to it, and stays there.
    second.deactivate_blocking().unwrap();
    first.activate_blocking().unwrap();
    assert!(eventually(|| out.status().moved == 1 && second.status().pending == 1));
    out.stop();
    assert!(out.ended_timeout(LONG));
    let is_drained = poll_once(drained.as_mut()).is_some();
    assert_eq!((is_drained, second.status().pending), (false, 1), "drained, and a message is upstream");
}

/// The counts are compared, then a bridge moves messages, then it is found clear.
#[test]
fn d03_a_cycle_whose_bridge_moves_between_two_looks() {
    /// A receiver's waker that takes its time, as a program's may: the bridge behind it is woken later.
    struct Slow(Duration);
    impl Wake for Slow {
        fn wake(self: Arc<Self>) {
            let began = Instant::now();
            while began.elapsed() < self.0 {
                std::hint::spin_loop();
            }
        }
    }
    let (here, there) = (runtime(), runtime());
    let (rounds, mut early) = (400, 0);
    for round in 0..rounds {
        let first = batch_echo::launch(&here, named("first")).unwrap();
        let second = batch_echo::launch(&there, named("second")).unwrap();
        let mut receives = pin!(first.recv());
        let waker = Waker::from(Arc::new(Slow(Duration::from_micros(round % 100 * 3))));
        assert!(receives.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        let _out = first.bridge_to(&second).unwrap();
        let _back = second.bridge_to(&first).unwrap();
        // More bridges, so that a look takes longer.
        let _more: Vec<_> = (0..50).map(|_| second.bridge_to(&first).unwrap()).collect();
        first.deactivate_blocking().unwrap();
        first.send_batch_blocking(&[number(1), number(2)]).unwrap();
        let mut drained = pin!(first.drained());
        assert!(poll_once(drained.as_mut()).is_none());
        second.deactivate_blocking().unwrap();
        let control = (*first).clone();
        let activated = thread::spawn(move || control.activate_blocking().unwrap());
        let began = Instant::now();
        let mut is_drained = false;
        while began.elapsed() < Duration::from_millis(3) && !is_drained {
            is_drained = poll_once(drained.as_mut()).is_some();
        }
        activated.join().unwrap();
        // They lie in the second kernel, which is inactive, or come there.
        early += u32::from(is_drained);
        assert!(eventually(|| second.status().pending == 2));
    }
    assert_eq!(early, 0, "of {rounds} waits so many ended early");
}

/// The source has terminated before the runtime is shut down; its outputs are on the bridge.
#[test]
fn o02_a_source_that_has_terminated_before() {
    let runtime = runtime();
    let source = batch_echo::launch(&runtime, named("source").output_capacity(4096)).unwrap();
    let target = batch_echo::launch(&runtime, named("target").capacity(64).output_capacity(4096)).unwrap();
    let options = BridgeOptions::new().messages(16).delay(Duration::from_millis(2));
    let bridge = source.bridge_to_with(&target, options, Backpressure::Block).unwrap();
    target.deactivate_blocking().unwrap();
    source.send_batch_blocking(&(0..4000).map(number).collect::<Vec<_>>()).unwrap();
    assert_eq!(source.shutdown_blocking(LONG).outcome, ShutdownOutcome::Drained);
    target.activate_blocking().unwrap();
    runtime.shutdown_blocking(LONG);
    assert_eq!(target.status().processed, 4000, "{} {}", bridge.status(), source.status());
}

/// The target is inactive and full: a shutdown does not wait for it.
#[test]
fn o02_an_inactive_target() {
    let runtime = runtime();
    let source = batch_echo::launch(&runtime, named("source").output_capacity(4096)).unwrap();
    let target = batch_echo::launch(&runtime, named("target").active(false).capacity(16)).unwrap();
    let _bridge = source.bridge_to(&target).unwrap();
    source.send_batch_blocking(&(0..1000).map(number).collect::<Vec<_>>()).unwrap();
    // It would wait for hours.
    let outcomes = runtime.shutdown_blocking(Duration::from_secs(36_000));
    assert!(outcomes.contains(&("target".into(), ShutdownOutcome::Inactive)), "{outcomes:?}");
}

/// Nothing is on the way to the target; what lies in the source is for the program.
#[test]
fn d03_the_other_outboxes_outputs() {
    let (here, there) = (runtime(), runtime());
    let source = sort_out::launch(&here, named("source").actors(4).output_capacity(16)).unwrap();
    let target = batch_echo::launch(&there, named("target")).unwrap();
    source.port(sort_out::NUMBERS).bridge_to(&target).unwrap();
    for sequence in (0..24).map(|i| 4 * i + 1) {
        let _ = source.send_blocking(Item { key: 2, producer: 0, sequence }).unwrap();
    }
    source.drained_blocking();
    assert!(target.drained_timeout(LONG), "{:?}", source.status().ports);
}

/// A member of the group is inactive: the other one is drained.
#[test]
fn o02_an_inactive_member() {
    let runtime = runtime();
    let source = batch_echo::launch(&runtime, named("a source").output_capacity(4096)).unwrap();
    let first = batch_echo::launch(&runtime, named("first").output_capacity(4096)).unwrap();
    let second = batch_echo::launch(&runtime, named("second").active(false).capacity(16)).unwrap();
    let _bridge = source.bridge_to_all([&first, &second], BridgeOptions::new(), Backpressure::Block).unwrap();
    source.send_batch_blocking(&(0..1000).map(number).collect::<Vec<_>>()).unwrap();
    let outcomes = runtime.shutdown_blocking(Duration::from_secs(36_000));
    assert!(outcomes.contains(&("first".into(), ShutdownOutcome::Drained)), "{outcomes:?}");
}
