//! Kernels that send to themselves, and to each other: P-07.

use std::{
    future::Future,
    pin::pin,
    sync::Arc,
    task::{Context, Wake, Waker},
    thread,
};

use annulus_runtime::{KernelHandle, LaunchOptions, prelude::RingKernel};
use annulus_sync::{AtomicBool, Ordering};

use super::{
    links::{connect, linked, received, source},
    timers::{MILLISECOND, NEVER, send, sets, timers},
};
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    cases::messages::poll_once,
    kernels::{
        Number, number,
        timers::{Remind, Reminded, note, pass_remind, remind, remind_by_two},
    },
};

fn launch<T: RingKernel<Message = Reminded>>(
    bench: &Bench,
    options: LaunchOptions,
    target: &KernelHandle<T>,
) -> KernelHandle<remind> {
    let kernel = remind::launch(bench.runtime(), options.actors(4)).unwrap();
    connect(&kernel, target);
    kernel
}

/// The numbers of a chain that begins with `id`, that message included.
fn chain(id: u32, repeats: u32) -> Vec<u32> {
    (id..=id + repeats + 1).collect()
}

fn ids(taken: &[Reminded]) -> Vec<u32> {
    taken.iter().map(|taken| taken.id).collect()
}

/// P-07: what the handler of a message to oneself sends goes where the kernel is connected to. While the other kernel
/// has no room, it waits, no timer and no message is taken, and the kernel is not drained. Nothing is lost.
pub fn p07_a_timers_outputs_go_to_the_connected_kernel(bench: &Bench) {
    const REPEATS: u32 = 198;
    let target = note::launch(bench.runtime(), source("target").capacity(16).output_capacity(1024)).unwrap();
    let kernel = launch(bench, source("remind").capacity(64), &target);
    send(&kernel, Remind { repeats: REPEATS, ..sets(1000, 1, 0) });
    eventually(|| kernel.status().stall.is_some_and(|stall| stall.for_kernel == 1));
    for id in 0..10 {
        send(&kernel, sets(id, 0, 0));
    }
    let mut drained = pin!(target.drained());
    assert!(poll_once(drained.as_mut()).is_none());
    let processed = kernel.status().processed;
    assert!((16..=17).contains(&processed), "{processed}: the next one waits, counted or not");
    target.activate_blocking().unwrap();
    let taken: Vec<_> = (0..10 + 200).map(|_| target.recv_blocking().unwrap()).collect();
    let (of_chain, of_host): (Vec<u32>, Vec<_>) = ids(&taken).into_iter().partition(|id| *id >= 1000);
    assert_eq!((of_chain, of_host), (chain(1000, REPEATS), (0..10).collect()));
    assert!(taken.iter().all(|taken| taken.due <= taken.now), "{taken:?}");
    drain(&target);
    // An output can be received before its message is counted, and nobody waits for timers.
    eventually(|| kernel.status().processed == 210);
    for status in [balanced(&kernel), balanced(&target)] {
        assert_eq!((status.processed, status.produced, status.outputs_lost), (210, 210, 0), "{status:?}");
        assert_eq!(status.stalled_shards, 0);
    }
}

/// P-07: a kernel that others feed all the time takes its timers, and one whose timers are due all the time takes
/// what others send it.
pub fn p07_timers_and_messages_of_kernels_take_turns(bench: &Bench) {
    const FED: u32 = 400;
    const REPEATS: u32 = 600;
    let target = note::launch(bench.runtime(), linked("target").capacity(64).output_capacity(2048)).unwrap();
    let kernel = launch(bench, source("remind").capacity(256), &target);
    let feeder = pass_remind::launch(bench.runtime(), source("feeder").capacity(1024)).unwrap();
    for id in 0..FED {
        send(&feeder, sets(id, 0, 0));
    }
    send(&kernel, Remind { repeats: REPEATS, ..sets(1000, 1, 0) });
    connect(&feeder, &kernel);
    let all = FED + REPEATS + 2;
    let taken: Vec<_> = (0..all).map(|_| target.recv_blocking().unwrap()).collect();
    let (of_chain, fed): (Vec<u32>, Vec<_>) = ids(&taken).into_iter().partition(|id| *id >= 1000);
    assert_eq!((of_chain, fed), (chain(1000, REPEATS), (0..FED).collect()));
    drain(&target);
    eventually(|| kernel.status().processed == u64::from(all));
    for status in [balanced(&kernel), balanced(&target)] {
        assert_eq!((status.processed, status.outputs_lost), (all.into(), 0), "{status:?}");
    }
}

/// P-07: a chain of kernels is drained although timers wait, and is not while something that was sent is under way.
pub fn p07_drained_does_not_wait_for_timers(bench: &Bench) {
    let target = note::launch(bench.runtime(), linked("target").output_capacity(256)).unwrap();
    let kernel = launch(bench, source("remind").capacity(64), &target);
    send(&kernel, sets(1, 1, NEVER));
    // Some of these are taken while it is looked whether all is at rest.
    send(&kernel, Remind { repeats: 100, ..sets(1000, 1, MILLISECOND / 20) });
    for id in 2..40 {
        send(&kernel, sets(id, 0, 0));
        drain(&target);
        let taken = received(&target);
        assert!(ids(&taken).contains(&id), "{id}: {taken:?}");
    }
    assert!(timers(&kernel).waiting >= 1);
    eventually(|| timers(&kernel).waiting == 1);
    drain(&kernel);
    drain(&target);
    eventually(|| kernel.status().processed == target.status().processed);
    assert_eq!(balanced(&target).processed, balanced(&kernel).processed);
}

/// P-07: whoever waits until a kernel is drained while a timer of it has no room is woken when the timer has found some, though the
/// kernel takes no further message.
pub fn p07_drained_goes_on_when_a_timer_has_found_room(bench: &Bench) {
    let options = |name: &str| linked(name).actors(1).capacity(64).output_capacity(16);
    let one = remind::launch(bench.runtime(), options("one")).unwrap();
    waits_for_room(&one, 16, 1);
    let two = remind_by_two::launch(bench.runtime(), options("two")).unwrap();
    waits_for_room(&two, 8, 2);
    let holding = remind_by_two::launch(bench.runtime(), options("holding").hold(4)).unwrap();
    waits_for_room(&holding, 8, 2);
}

/// There is room for the outputs of so many messages, each of which sends so many.
fn waits_for_room<K: RingKernel<Message = Remind>>(kernel: &KernelHandle<K>, messages: u32, outputs: u32) {
    struct Woken(AtomicBool);
    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::Release);
        }
    }
    for id in 1..messages {
        send(kernel, sets(id, 0, 0));
    }
    send(kernel, sets(messages, 1, MILLISECOND));
    eventually(|| {
        let status = kernel.status();
        (status.processed, status.pending, status.stalled_shards) == (messages.into(), 0, 1)
    });
    let woken = Arc::new(Woken(AtomicBool::new(false)));
    let waker = Waker::from(Arc::clone(&woken));
    let mut drained = pin!(kernel.drained());
    let mut is_drained = || drained.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
    assert!(!is_drained(), "a timer waits for room");
    for _ in 0..messages * outputs {
        let _ = kernel.recv_blocking().unwrap();
    }
    eventually(|| woken.0.swap(false, Ordering::Acquire) && is_drained());
    eventually(|| kernel.status().processed == u64::from(messages) + 1);
    kernel.terminate_blocking();
}

/// P-07: a message to oneself whose output waits for room counts as handled when its kernel ends, and the output as
/// lost; or it comes to the host if the kernel is disconnected first.
pub fn p07_a_held_timer_at_the_end(bench: &Bench) {
    for disconnected in [false, true] {
        let name = |kernel: &str| format!("{kernel}-{disconnected}");
        let target = note::launch(bench.runtime(), source(&name("full")).capacity(16)).unwrap();
        let kernel = launch(bench, source(&name("remind")).capacity(64), &target);
        send(&kernel, Remind { repeats: 100, ..sets(1, 1, 0) });
        eventually(|| kernel.status().stall.is_some_and(|stall| stall.for_kernel == 1));
        if disconnected {
            kernel.deactivate_blocking().unwrap();
            kernel.disconnect().unwrap();
            kernel.activate_blocking().unwrap();
            let taken: Vec<_> = (0..102 - 16).map(|_| kernel.recv_blocking().unwrap()).collect();
            assert_eq!(ids(&taken), (17..=102).collect::<Vec<_>>());
            drain(&kernel);
        }
        kernel.terminate_blocking();
        let status = balanced(&kernel);
        let (processed, lost) = if disconnected { (102, 0) } else { (17, 1) };
        assert_eq!((status.processed, status.outputs_lost), (processed, lost), "{status:?}");
        assert_eq!((status.produced, status.stalled_shards), (processed, 0), "{status:?}");
        target.activate_blocking().unwrap();
        drain(&target);
        assert_eq!(ids(&received(&target)), (1..=16).collect::<Vec<_>>());
    }
}

/// P-07: of two outboxes one is connected; each output of a message to oneself goes its way.
pub fn p07_a_timers_outputs_by_two_outboxes(bench: &Bench) {
    const REPEATS: u32 = 98;
    let target = note::launch(bench.runtime(), source("target").capacity(16).output_capacity(256)).unwrap();
    let options = source("remind").capacity(64).output_capacity(256).actors(4);
    let kernel = remind_by_two::launch(bench.runtime(), options).unwrap();
    kernel.port(remind_by_two::REMINDED).connect(&target).unwrap();
    kernel.activate_blocking().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            eventually(|| kernel.status().stall.is_some_and(|stall| stall.for_kernel == 1));
            target.activate_blocking().unwrap();
        });
        let _ = kernel.send_blocking(Remind { repeats: REPEATS, ..sets(1, 1, 0) }).unwrap();
        let taken: Vec<_> = (0..100).map(|_| target.recv_blocking().unwrap()).collect();
        assert_eq!(ids(&taken), chain(1, REPEATS));
    });
    let numbers = kernel.port(remind_by_two::NUMBERS);
    let numbers: Vec<Number> = (0..100).map(|_| numbers.recv_blocking().unwrap()).collect();
    assert_eq!(numbers, (1..=100).map(number).collect::<Vec<_>>());
    drain(&kernel);
    drain(&target);
    eventually(|| kernel.status().processed == 100);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.produced, status.outputs_lost), (100, 200, 0), "{status:?}");
}

/// P-07, P-04: with a longer hold a kernel takes its timers while what they send waits for one kernel, and what they send
/// elsewhere goes on. When the hold is full no timer is taken; when there is room all come, in order, and nothing is lost.
pub fn p07_timers_go_on_while_the_hold_has_room(bench: &Bench) {
    const REPEATS: u32 = 34;
    const CHAIN: u64 = REPEATS as u64 + 2;
    let target = note::launch(bench.runtime(), source("target").capacity(16).output_capacity(256)).unwrap();
    let options = source("remind").hold(24).actors(4).capacity(64).output_capacity(256);
    let kernel = remind_by_two::launch(bench.runtime(), options).unwrap();
    kernel.port(remind_by_two::REMINDED).connect(&target).unwrap();
    kernel.activate_blocking().unwrap();
    let numbers = kernel.port(remind_by_two::NUMBERS);
    let told = |count: u64| (0..count).map(|_| numbers.recv_blocking().unwrap().value).collect::<Vec<_>>();

    send(&kernel, Remind { repeats: REPEATS, ..sets(1000, 1, 0) });
    assert!(told(CHAIN).into_iter().eq(1000..1000 + CHAIN));
    eventually(|| kernel.status().processed == CHAIN && kernel.status().ports[0].held == CHAIN - 16);
    let status = kernel.status();
    assert_eq!((status.stall, status.stalled_shards), (None, 0));
    let waiting = || kernel.status().timers.expect("the kernel has timers").waiting;
    assert_eq!(waiting(), 0);

    // A message may send two outputs: one is taken as long as there is room for both.
    send(&kernel, Remind { repeats: REPEATS, ..sets(2000, 1, 0) });
    // A block tells that it stalls before it tells what it took.
    eventually(|| {
        let status = kernel.status();
        let stalls = status.stall.as_ref().is_some_and(|stall| stall.waits_for == ["target"]);
        stalls && (status.processed, status.ports[0].held) == (CHAIN + 3, 23)
    });
    assert_eq!(waiting(), 1);
    assert!(told(3).into_iter().eq(2000..2003));
    assert!(numbers.try_recv().is_err());

    target.activate_blocking().unwrap();
    assert!(told(CHAIN - 3).into_iter().eq(2003..2000 + CHAIN));
    let taken: Vec<_> = (0..2 * CHAIN).map(|_| target.recv_blocking().unwrap()).collect();
    assert_eq!(ids(&taken), [chain(1000, REPEATS), chain(2000, REPEATS)].concat());
    drain(&target);
    eventually(|| kernel.status().processed == 2 * CHAIN);
    let status = balanced(&kernel);
    let kept = &status.ports[0];
    assert_eq!((kept.sent, kept.held, kept.lost, status.outputs_lost), (2 * CHAIN, 0, 0, 0), "{status:?}");
    assert_eq!((waiting(), balanced(&target).processed), (0, 2 * CHAIN));
}
