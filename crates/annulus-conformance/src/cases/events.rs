//! Messages that nobody sends: ticks, a message before all others, and a last one (P-07).

use std::thread;

use annulus_runtime::{
    KernelHandle, LaunchError, LaunchOptions, LaunchProblem, TimerStatus, prelude::RingKernel,
};

use super::links::{connect, received, source};
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{
        Number,
        events::{
            Beat, Begun, Closing, FAIL, PERIOD, Pulse, SET, START, TICK, beat, begun, closing, pass_beat,
            pass_begun, swift,
        },
        links::next,
        number,
    },
};

fn launch(bench: &Bench, options: LaunchOptions) -> KernelHandle<beat> {
    beat::bind(&[0]).launch(bench.runtime(), options).unwrap()
}

fn timers<K: RingKernel>(kernel: &KernelHandle<K>) -> TimerStatus {
    kernel.status().timers.expect("the kernel has ticks")
}

fn receive<K: RingKernel<Output = Beat>>(kernel: &KernelHandle<K>, count: usize) -> Vec<Beat> {
    (0..count).map(|_| kernel.recv_blocking().unwrap()).collect()
}

fn send(kernel: &KernelHandle<beat>, message: Pulse) {
    let _ = kernel.send_blocking(message).unwrap();
}

/// The times of ticks.
fn ticks(taken: &[Beat]) -> Vec<u64> {
    taken.iter().filter(|beat| beat.of == TICK).map(|beat| beat.now).collect()
}

/// P-07: a kernel that nobody sends anything to has a start, and then a tick each period: none comes before its time,
/// however late those before it were.
pub fn p07_ticks_come_by_their_period(bench: &Bench) {
    let kernel = launch(bench, LaunchOptions::production());
    let taken = receive(&kernel, 6);
    assert_eq!(taken[0].of, START);
    assert!(taken[1..].iter().all(|beat| beat.of == TICK), "{taken:?}");
    assert_eq!(taken.iter().map(|beat| beat.number).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    // The start is taken in the turn that arms them; a clock may be set back in between by its error.
    let error = bench.clock_error();
    for (tick, number) in ticks(&taken).into_iter().zip(1..) {
        assert!(tick + error >= taken[0].now + number * PERIOD, "{number}: {taken:?}");
    }
    // What is sent is received before the block tells what it has taken.
    eventually(|| timers(&kernel).taken >= 6);
    let status = timers(&kernel);
    assert_eq!((status.waiting, status.lost), (0, 0), "a tick is no timer that waits");
    let due = status.next_due.expect("a tick is always due");
    assert!(due > taken[5].now.saturating_sub(error), "{due} {taken:?}");
    kernel.terminate_blocking();
    let status = timers(&kernel);
    assert_eq!((status.waiting, status.lost, status.next_due), (0, 0, None));
    balanced(&kernel);
}

/// P-07: the start comes before all that waited for the kernel, and once, however often it is activated. A kernel with
/// a start and no ticks has nothing that is due afterwards.
pub fn p07_the_start_comes_first(bench: &Bench) {
    for connectable in [false, true] {
        let options = LaunchOptions::production().active(false).connectable(connectable);
        let kernel = begun::launch(bench.runtime(), options).unwrap();
        for value in 0..10 {
            let _ = kernel.send_blocking(Begun::Take(value)).unwrap();
        }
        for _ in 0..3 {
            kernel.activate_blocking().unwrap();
            drain(&kernel);
            kernel.deactivate_blocking().unwrap();
        }
        let taken: Vec<_> = received(&kernel).iter().map(|taken: &Number| taken.value).collect();
        assert_eq!(taken, [1000].into_iter().chain(0..10).collect::<Vec<_>>());
        let status = timers(&kernel);
        assert_eq!((status.taken, status.waiting, status.next_due), (1, 0, None));
        // One that was never active has not begun.
        let never = begun::launch(bench.runtime(), source("never")).unwrap();
        never.terminate_blocking();
        assert_eq!((timers(&never).taken, balanced(&never).processed), (0, 0));
    }
}

/// P-07: the start comes before what other kernels send.
pub fn p07_the_start_comes_before_other_kernels(bench: &Bench) {
    let kernel = begun::launch(bench.runtime(), source("begun").output_capacity(256)).unwrap();
    let feeder = pass_begun::launch(bench.runtime(), source("feeder")).unwrap();
    connect(&feeder, &kernel);
    for value in 0..12 {
        let _ = feeder.send_blocking(Begun::Take(value)).unwrap();
    }
    // It has a start, too, which it keeps to itself.
    eventually(|| feeder.status().processed == 13);
    kernel.activate_blocking().unwrap();
    drain(&kernel);
    let taken = received(&kernel);
    assert_eq!(taken, [1000].into_iter().chain(0..12).map(number).collect::<Vec<_>>());
    balanced(&kernel);
}

/// P-07: a tick whose handler fails leaves nothing behind, and the next one comes.
pub fn p07_a_failing_tick_goes_on(bench: &Bench) {
    let kernel = launch(bench, LaunchOptions::production());
    assert_eq!(receive(&kernel, 1)[0].of, START);
    send(&kernel, Pulse::Fail { ticks: 3 });
    eventually(|| kernel.status().drops.failed == 3);
    let mut taken = Vec::new();
    while ticks(&taken).is_empty() || taken.last().map(|beat: &Beat| beat.of) != Some(TICK) {
        taken.push(kernel.recv_blocking().unwrap());
    }
    eventually(|| kernel.status().processed > 4);
    let failed = taken.iter().position(|beat| beat.of == FAIL).expect("it was told");
    assert!(taken.iter().enumerate().all(|(i, beat)| beat.number == 1 + i as u64), "{failed}: {taken:?}");
    assert_eq!(balanced(&kernel).drops.failed, 3);
}

/// P-07: a kernel whose timers are full ticks all the same, and a tick takes no room from them.
pub fn p07_ticks_and_full_timers(bench: &Bench) {
    let kernel = launch(bench, LaunchOptions::production());
    send(&kernel, Pulse::Set { timers: 2, fails: 0 });
    eventually(|| timers(&kernel).waiting == 2);
    send(&kernel, Pulse::Set { timers: 1, fails: 0 });
    eventually(|| kernel.status().drops.failed == 1);
    let before = bench.runtime().now();
    loop {
        let beat = kernel.recv_blocking().unwrap();
        if beat.of == TICK && beat.now > before + 3 * PERIOD {
            break;
        }
    }
    assert_eq!(timers(&kernel).waiting, 2);
    kernel.terminate_blocking();
    assert_eq!(timers(&kernel).lost, 2, "the tick is not lost with them");
}

/// P-07: ticks that an inactive kernel misses come as one when it is active again, and a snapshot is taken of a
/// kernel with ticks.
pub fn p07_an_inactive_kernel_misses_ticks(bench: &Bench) {
    let kernel = launch(bench, LaunchOptions::production());
    assert_eq!(receive(&kernel, 2)[1].of, TICK);
    kernel.deactivate_blocking().unwrap();
    let before = received(&kernel).len() + 2;
    let snapshot = kernel.snapshot_blocking().unwrap();
    let inactive = bench.runtime().now();
    eventually(|| bench.runtime().now() > inactive + 6 * PERIOD);
    assert_eq!(balanced(&kernel).processed, before as u64, "an inactive kernel takes no ticks");
    kernel.activate_blocking().unwrap();
    let taken = receive(&kernel, 2);
    assert_eq!(ticks(&taken).len(), 2, "it has begun before: {taken:?}");
    let error = bench.clock_error();
    let late = taken[0].now.saturating_sub(inactive);
    assert!(taken[1].now + error >= taken[0].now, "{taken:?}");
    // A clock that is not fine is as old as the host's last heartbeat.
    assert!(!bench.has_fine_clock() || late + error >= 6 * PERIOD, "{late} {taken:?}");
    // A kernel that is restored begins anew, with the state that it had.
    kernel.terminate_blocking();
    let restored =
        beat::bind(&[0]).launch(bench.runtime(), LaunchOptions::production().active(false)).unwrap();
    restored.restore_blocking(&snapshot).unwrap();
    restored.activate_blocking().unwrap();
    let taken = receive(&restored, 2);
    assert_eq!((taken[0].of, taken[0].number, taken[1].of), (START, before as u64, TICK));
}

/// P-07: a kernel that ticks all the time takes what others send it, and one that others send to all the time ticks.
/// Its outputs wait for room like those of any message, and nothing is lost.
pub fn p07_ticks_of_connected_kernels(bench: &Bench) {
    let target =
        pass_beat::launch(bench.runtime(), source("target").capacity(16).output_capacity(1024)).unwrap();
    let kernel = swift::launch(bench.runtime(), source("swift").grid(2).capacity(16)).unwrap();
    connect(&kernel, &target);
    eventually(|| kernel.status().stall.is_some_and(|stall| stall.for_kernel == 2));
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..100 {
                let _ = kernel.send_blocking(Pulse::Set { timers: 0, fails: 0 }).unwrap();
            }
        });
        target.activate_blocking().unwrap();
        let mut sent = 0;
        let mut starts = Vec::new();
        let mut ticks = [0; 2];
        while sent < 100 || ticks.iter().any(|ticks| *ticks < 20) {
            let beat = target.recv_blocking().unwrap();
            match beat.of {
                SET => sent += 1,
                TICK => ticks[beat.block as usize] += 1,
                of => starts.push((of, beat.block)),
            }
        }
        starts.sort_unstable();
        assert_eq!(starts, [(START, 0), (START, 1)]);
    });
    kernel.deactivate_blocking().unwrap();
    // What waited for room then would wait until it is active again.
    while kernel.status().stalled_shards != 0 {
        kernel.activate_blocking().unwrap();
        kernel.deactivate_blocking().unwrap();
    }
    drain(&target);
    for status in [balanced(&kernel), balanced(&target)] {
        assert_eq!((status.outputs_lost, status.stalled_shards), (0, 0), "{status:?}");
    }
}

/// P-07: a kernel that ticks while its receiver has no room misses ticks, and takes messages in between.
pub fn p07_a_full_receiver_misses_ticks(bench: &Bench) {
    let kernel = swift::launch(bench.runtime(), LaunchOptions::production().output_capacity(16)).unwrap();
    eventually(|| kernel.status().stalled_shards == 1);
    let held = bench.runtime().now();
    eventually(|| bench.runtime().now() > held + 20_000_000);
    let processed = balanced(&kernel).processed;
    assert!(processed <= 16, "{processed}");
    let taken = receive(&kernel, 30);
    // Forty that were missed would come at one time, if each of them came.
    let now: Vec<_> = taken[16..].iter().map(|beat| beat.now).collect();
    let error = bench.clock_error();
    assert!(now.windows(3).all(|three| three[2] + error > three[0]), "{now:?}");
    assert!(now[13] + error >= now[0] + 6_000_000, "{now:?}");
}

/// P-07: a host may send what comes by itself, as any message; and the launch says what cannot be.
pub fn p07_ticks_are_messages_and_not_in_step(bench: &Bench) {
    let kernel = launch(bench, LaunchOptions::production().active(false));
    send(&kernel, Pulse::Tick);
    kernel.activate_blocking().unwrap();
    assert_eq!(receive(&kernel, 2).iter().map(|beat| beat.of).collect::<Vec<_>>(), [START, TICK]);
    let options = LaunchOptions::production().supersteps(true);
    let Err(LaunchError::Invalid(invalid)) = swift::launch(bench.runtime(), options) else {
        panic!("its blocks are in step");
    };
    assert_eq!(invalid.problems(), [LaunchProblem::Timers { kernel: swift::DEFINITION.name }]);
}

fn values(numbers: &[Number]) -> Vec<u64> {
    numbers.iter().map(|number| number.value).collect()
}

/// P-07: the end comes behind all that was taken, once, and before the kernel has terminated.
pub fn p07_the_stop_comes_last(bench: &Bench) {
    for connectable in [false, true] {
        let options = LaunchOptions::production().connectable(connectable);
        let kernel = closing::launch(bench.runtime(), options).unwrap();
        for value in 1..=10 {
            let _ = kernel.send_blocking(Closing::Take(value)).unwrap();
        }
        drain(&kernel);
        // It is no end when it is deactivated.
        kernel.deactivate_blocking().unwrap();
        kernel.activate_blocking().unwrap();
        assert_eq!((timers(&kernel).taken, timers(&kernel).next_due), (0, None));
        kernel.terminate_blocking();
        let taken = received(&kernel);
        assert_eq!(values(&taken), (1..=10).chain([1055]).collect::<Vec<_>>());
        let status = timers(&kernel);
        // What it sends to itself comes too late.
        assert_eq!((status.taken, status.lost), (1, 1));
        assert_eq!(balanced(&kernel).processed, 11);
    }
}

/// P-07: a kernel that was never active has no end, nor has one that is inactive when it terminates.
pub fn p07_an_inactive_kernel_has_no_stop(bench: &Bench) {
    for was_active in [false, true] {
        let kernel =
            closing::launch(bench.runtime(), LaunchOptions::production().active(was_active)).unwrap();
        if was_active {
            let _ = kernel.send_blocking(Closing::Take(1)).unwrap();
            drain(&kernel);
            kernel.deactivate_blocking().unwrap();
        }
        kernel.terminate_blocking();
        assert_eq!((timers(&kernel).taken, timers(&kernel).lost), (0, 0));
        assert_eq!(balanced(&kernel).processed, u64::from(was_active));
    }
}

/// P-07: an end that fails leaves nothing behind, and the kernel ends.
pub fn p07_a_failing_stop_ends(bench: &Bench) {
    let kernel = closing::launch(bench.runtime(), LaunchOptions::production()).unwrap();
    let _ = kernel.send_blocking(Closing::Fail).unwrap();
    drain(&kernel);
    kernel.terminate_blocking();
    assert_eq!(values(&received(&kernel)), [0]);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.drops.failed), (1, 1));
    assert_eq!((timers(&kernel).taken, timers(&kernel).lost), (1, 0));
}

/// P-07: an end that finds no room is lost, and counted: nobody waits for a receiver that has gone.
pub fn p07_a_stop_without_room_is_lost(bench: &Bench) {
    let options = LaunchOptions::production().output_capacity(16);
    let kernel = closing::launch(bench.runtime(), options).unwrap();
    for value in 0..16 {
        let _ = kernel.send_blocking(Closing::Take(value)).unwrap();
    }
    eventually(|| kernel.status().processed == 16);
    kernel.terminate_blocking();
    assert_eq!(values(&received(&kernel)), (0..16).collect::<Vec<_>>());
    assert_eq!((timers(&kernel).taken, timers(&kernel).lost), (0, 1));
    assert_eq!(balanced(&kernel).processed, 16);
}

/// P-07: the connected kernel is full, and nothing is held: the end comes, and what it sends there is lost, and counted.
pub fn p07_a_stop_at_a_full_kernel(bench: &Bench) {
    let target = next::launch(bench.runtime(), source("target").capacity(16).output_capacity(64)).unwrap();
    let kernel = closing::launch(bench.runtime(), source("closing")).unwrap();
    connect(&kernel, &target);
    kernel.activate_blocking().unwrap();
    for value in 0..16 {
        let _ = kernel.send_blocking(Closing::Take(value)).unwrap();
    }
    eventually(|| kernel.status().processed == 16);
    kernel.terminate_blocking();
    assert_eq!((timers(&kernel).taken, balanced(&kernel).outputs_lost), (1, 1));
    target.activate_blocking().unwrap();
    drain(&target);
    assert_eq!(values(&received(&target)), (1..17).collect::<Vec<_>>());
}

/// P-07: what an end sends goes to the connected kernel. If other outputs still wait for room there, it is lost.
pub fn p07_a_stop_of_a_connected_kernel(bench: &Bench) {
    let target = next::launch(bench.runtime(), source("target").capacity(16).output_capacity(64)).unwrap();
    let kernel = closing::launch(bench.runtime(), source("closing")).unwrap();
    connect(&kernel, &target);
    kernel.activate_blocking().unwrap();
    let _ = kernel.send_blocking(Closing::Take(5)).unwrap();
    drain(&kernel);
    kernel.terminate_blocking();
    assert_eq!((timers(&kernel).taken, timers(&kernel).lost), (1, 1));
    target.activate_blocking().unwrap();
    drain(&target);
    assert_eq!(values(&received(&target)), [6, 1006]);
    assert_eq!(balanced(&kernel).outputs_lost, 0);
    target.deactivate_blocking().unwrap();

    let kernel = closing::launch(bench.runtime(), source("held").capacity(64)).unwrap();
    connect(&kernel, &target);
    kernel.activate_blocking().unwrap();
    for value in 0..32 {
        let _ = kernel.send_blocking(Closing::Take(value)).unwrap();
    }
    eventually(|| kernel.status().stall.is_some_and(|stall| stall.for_kernel == 1));
    kernel.terminate_blocking();
    let status = balanced(&kernel);
    assert_eq!((timers(&kernel).taken, timers(&kernel).lost), (0, 1), "{status:?}");
    assert!(status.outputs_lost != 0, "{status:?}");
}
