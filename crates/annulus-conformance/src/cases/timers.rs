//! Messages of a kernel to itself: P-07.

use annulus_abi::error;
use annulus_runtime::{
    KernelHandle, LaunchError, LaunchOptions, LaunchProblem, SnapshotError, TimerStatus, prelude::RingKernel,
};

use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::timers::{Remind, Reminded, remind},
};

pub(super) const MILLISECOND: u64 = 1_000_000;
/// Longer than any case waits.
pub(super) const NEVER: u64 = 3600 * 1000 * MILLISECOND;

fn launch(bench: &Bench, options: LaunchOptions) -> KernelHandle<remind> {
    remind::launch(bench.runtime(), options.actors(4)).unwrap()
}

pub(super) fn timers(kernel: &KernelHandle<remind>) -> TimerStatus {
    kernel.status().timers.expect("the kernel has timers")
}

/// A message of the host, whose handler sets so many timers.
pub(super) fn sets(id: u32, sets: u32, after: u64) -> Remind {
    Remind { id, sets, after, ..Remind::default() }
}

pub(super) fn send<K: RingKernel<Message = Remind>>(kernel: &KernelHandle<K>, message: Remind) {
    let _ = kernel.send_blocking(message).unwrap();
}

fn receive(kernel: &KernelHandle<remind>, count: usize) -> Vec<Reminded> {
    (0..count).map(|_| kernel.recv_blocking().unwrap()).collect()
}

/// P-07: no timer comes before its time; those that wait together come by their times, and those of one time as they
/// were set. In between the kernel takes messages.
pub fn p07_timers_come_in_the_order_of_their_times(bench: &Bench) {
    let kernel = launch(bench, LaunchOptions::production().active(false));
    // Seven of the eight that there is room for.
    let wanted = [(100, 3, 3), (200, 1, 1), (300, 2, 2), (400, 1, 1)];
    for (id, count, millis) in wanted {
        send(&kernel, sets(id, count, millis * MILLISECOND));
    }
    kernel.activate_blocking().unwrap();
    let taken = receive(&kernel, 4 + 7);
    let (of_host, timed): (Vec<Reminded>, Vec<_>) = taken.into_iter().partition(|taken| taken.due == 0);
    let ids = |taken: &[Reminded]| taken.iter().map(|taken| taken.id).collect::<Vec<_>>();
    assert_eq!(ids(&of_host), [100, 200, 300, 400]);
    let error = bench.clock_error();
    for (taken, next) in timed.iter().zip(&timed[1..]) {
        let in_order = (taken.due, taken.id) < (next.due, next.id);
        assert!(in_order || next.set_at + error >= taken.now, "{taken:?} before {next:?}");
    }
    assert!(timed.iter().all(|taken| taken.due <= taken.now), "{timed:?}");
    let mut all = ids(&timed);
    all.sort_unstable();
    assert_eq!(all, [101, 102, 103, 201, 301, 302, 401]);
    // Those of one message have one time.
    let of =
        |id: u32| timed.iter().filter(|taken| taken.id / 100 == id).map(|taken| taken.id).collect::<Vec<_>>();
    assert_eq!((of(1), of(3)), (vec![101, 102, 103], vec![301, 302]));
    eventually(|| timers(&kernel).waiting == 0);
    assert_eq!(timers(&kernel).next_due, None);
    let status = balanced(&kernel);
    assert_eq!((status.sent, status.processed), (11, 11));
}

/// P-07: a kernel that has nothing to do until its timer comes, and that nobody sends anything to.
pub fn p07_a_kernel_that_sleeps_wakes_for_its_timer(bench: &Bench) {
    let kernel = launch(bench, LaunchOptions::production());
    for repeats in [0, 2] {
        let message = Remind { repeats, ..sets(1, 1, 60 * MILLISECOND) };
        send(&kernel, message);
        drain(&kernel);
        let taken = receive(&kernel, 2 + repeats as usize);
        let times: Vec<_> = taken.iter().map(|taken| (taken.due, taken.now)).collect();
        assert!(times[1..].iter().all(|(due, now)| due <= now), "{times:?}");
        assert!(taken.windows(2).all(|pair| pair[1].set_at == pair[0].now), "{taken:?}");
    }
}

/// P-07: a message whose timers find no room fails, and others are taken. What waits at the end is lost, and counted.
pub fn p07_full_timers_fail_the_message_and_are_lost_at_the_end(bench: &Bench) {
    let kernel = launch(bench, LaunchOptions::production());
    let before = bench.runtime().now();
    send(&kernel, sets(1, 5, NEVER));
    drain(&kernel);
    eventually(|| timers(&kernel).waiting == 5);
    let due = timers(&kernel).next_due.expect("five wait");
    // A clock that is not fine is as old as the host's last heartbeat.
    let least = if bench.has_fine_clock() { before - bench.clock_error().min(before) } else { 0 };
    let most = bench.runtime().now() + bench.clock_error();
    assert!((least..=most).contains(&(due - NEVER)), "{least} <= {due} - {NEVER} <= {most}");
    // More than are left, more than one message sets, and as many as are left.
    for (id, count) in [(2, 4), (3, 9), (4, 3), (5, 1)] {
        send(&kernel, sets(id, count, NEVER));
    }
    send(&kernel, sets(6, 0, 0));
    drain(&kernel);
    let taken = receive(&kernel, 3);
    let seen: Vec<_> = taken.iter().map(|taken| (taken.id, taken.count)).collect();
    assert_eq!(seen, [(1, 1), (4, 2), (6, 3)], "a message that fails leaves nothing");
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.drops.failed, status.last_error), (3, 3, error::TIMERS_FULL));
    assert_eq!(timers(&kernel).waiting, 8);
    assert!(status.to_string().contains(", 8 timers set"), "{status}");
    kernel.terminate_blocking();
    let left = timers(&kernel);
    assert_eq!((left.waiting, left.next_due, left.lost), (0, None, 8));
    assert_eq!(balanced(&kernel).processed, 3);
}

/// P-07: what a failed handler has sent to itself never comes.
pub fn p07_a_failed_handler_sets_nothing(bench: &Bench) {
    let kernel = launch(bench, LaunchOptions::production());
    // Those that succeed set eight, for which there is room.
    for id in 0..8 {
        send(&kernel, Remind { fails: u32::from(id % 2 == 0), ..sets(100 * id, 2, 0) });
    }
    let taken = receive(&kernel, 3 * 4);
    drain(&kernel);
    eventually(|| balanced(&kernel).processed == 12);
    assert!(taken.iter().all(|taken| taken.id / 100 % 2 == 1), "{taken:?}");
    let status = balanced(&kernel);
    assert_eq!((status.drops.failed, status.sent), (4, 16));
    assert_eq!(timers(&kernel).waiting, 0);
}

/// P-07: a handler that sends to itself without end keeps no message of the host waiting, and many messages of the
/// host keep no timer waiting.
pub fn p07_timers_and_messages_take_turns(bench: &Bench) {
    const HOST: u32 = 200;
    const CHAIN: u32 = 600;
    let options = LaunchOptions::production().active(false).capacity(256).output_capacity(1024);
    let kernel = launch(bench, options);
    send(&kernel, Remind { repeats: CHAIN - 1, ..sets(1000, 1, 0) });
    for id in 0..HOST {
        send(&kernel, sets(id, 0, 0));
    }
    kernel.activate_blocking().unwrap();
    let taken = receive(&kernel, (1 + HOST + CHAIN) as usize);
    let at = |id: u32| taken.iter().position(|taken| taken.id == id).unwrap();
    let last_of_host = at(HOST - 1);
    assert!(at(1001) < last_of_host, "a timer is not kept waiting");
    assert!(last_of_host < at(1000 + CHAIN), "and keeps nobody waiting");
    let chain: Vec<_> = taken.iter().map(|taken| taken.id).filter(|id| *id > 1000).collect();
    assert_eq!(chain, (1001..=1000 + CHAIN).collect::<Vec<_>>());
    balanced(&kernel);
}

/// P-07: timers of an inactive kernel wait until it is active again, and a snapshot says that it has none of them.
pub fn p07_an_inactive_kernel_keeps_its_timers(bench: &Bench) {
    let kernel = launch(bench, LaunchOptions::production());
    send(&kernel, sets(1, 2, 200 * MILLISECOND));
    assert_eq!(kernel.recv_blocking().unwrap().id, 1);
    kernel.deactivate_blocking().unwrap();
    let waiting = timers(&kernel).waiting;
    if waiting != 0 {
        let refused = kernel.snapshot_blocking().unwrap_err();
        let expected = SnapshotError::Timers { kernel: "remind".into(), timers: waiting };
        assert_eq!(refused, expected);
        let due = timers(&kernel).next_due.unwrap();
        eventually(|| bench.runtime().now() > due + MILLISECOND);
        assert_eq!(timers(&kernel).waiting, waiting);
    }
    kernel.activate_blocking().unwrap();
    let taken = receive(&kernel, 2);
    assert_eq!(taken.iter().map(|taken| taken.id).collect::<Vec<_>>(), [2, 3]);
    assert!(taken.iter().all(|taken| taken.due <= taken.now), "{taken:?}");
}

/// P-07: a message to oneself is for an actor of the same block; another one is no actor there.
pub fn p07_a_timer_is_for_its_own_block(bench: &Bench) {
    let kernel = launch(bench, LaunchOptions::production().grid(2));
    for (id, actor, to) in [(10, 1, 3), (20, 3, 2), (30, 0, 0)] {
        send(&kernel, Remind { actor, to, ..sets(id, 1, 0) });
    }
    let mut taken: Vec<_> = receive(&kernel, 5).iter().map(|taken| (taken.id, taken.actor)).collect();
    taken.sort_unstable();
    assert_eq!(taken, [(10, 1), (11, 3), (20, 3), (30, 0), (31, 0)]);
    eventually(|| kernel.status().drops.unknown_actor == 1);
    assert_eq!(balanced(&kernel).last_error, error::UNKNOWN_ACTOR);
    // A dead letter says so, and that of a kernel without timers does not.
    let dead_letters = kernel.dead_letters().expect("they are kept").take_batch();
    let reason = dead_letters[0].reason.to_string();
    assert!(
        reason.ends_with("an actor of another block: use the handler's own key, or launch with grid(1)"),
        "{reason}"
    );
}

/// P-07: what a kernel with timers cannot do yet, its launch says.
pub fn p07_timers_are_not_in_step(bench: &Bench) {
    let options = LaunchOptions::production().actors(1).supersteps(true);
    let Err(LaunchError::Invalid(invalid)) = remind::launch(bench.runtime(), options) else {
        panic!("its blocks are in step");
    };
    assert_eq!(invalid.problems(), [LaunchProblem::Timers { kernel: remind::DEFINITION.name }]);
}
