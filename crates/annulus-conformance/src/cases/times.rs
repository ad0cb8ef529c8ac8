//! The time in handlers: M-07, W-13.

use std::collections::BTreeSet;

use annulus_runtime::{KernelHandle, LaunchOptions};

use crate::{
    Bench,
    bench::{balanced, drain},
    kernels::{
        Item, number,
        times::{batch_clock, clock, lateness},
    },
};

/// M-07: a handler's time is the host's: between two looks of the host, but for the clock's error. A clock
/// that is not fine is as old as the host's last heartbeat.
pub fn m07_a_handlers_time_is_the_hosts(bench: &Bench) {
    let runtime = bench.runtime();
    let kernel = clock::launch(runtime, LaunchOptions::production()).unwrap();
    let launched = runtime.now();
    let mut last = 0;
    for value in 0..20 {
        let before = if bench.has_fine_clock() { runtime.now() } else { 0 };
        let time = kernel.call_blocking(number(value)).unwrap().value;
        let after = runtime.now();
        let error = bench.clock_error();
        assert!(
            before.saturating_sub(error) <= time && time <= after + error,
            "{before} <= {time} <= {after}, but for {error}"
        );
        assert!(time + error >= last, "{time} after {last}");
        last = time;
    }
    assert!(runtime.now() > launched);
    let uncertainty = kernel.status().clock_uncertainty;
    assert_eq!(uncertainty.is_some(), bench.has_fine_clock(), "{uncertainty:?}");
    let most = std::time::Duration::from_nanos(bench.clock_error());
    assert!(uncertainty.is_none_or(|uncertainty| uncertainty <= most), "{uncertainty:?}");
}

/// M-07: the status says when the kernel was launched and how long it has executed. A message's time lies in
/// between, and the total stays when the kernel has ended.
pub fn m07_the_launch_and_the_whole_execution_have_times(bench: &Bench) {
    let runtime = bench.runtime();
    let before = runtime.now();
    let kernel = clock::launch(runtime, LaunchOptions::production()).unwrap();
    let launched_at = kernel.status().launched_at;
    assert!(before <= launched_at && launched_at <= runtime.now(), "{before} <= {launched_at}");
    let answered = kernel.call_blocking(number(1)).unwrap().value;
    let error = bench.clock_error();
    assert!(!bench.has_fine_clock() || launched_at <= answered + error, "{launched_at} <= {answered}");

    let so_far = kernel.status().execution_time;
    while runtime.now() - launched_at <= so_far.as_nanos() as u64 {
        std::thread::yield_now();
    }
    assert!(kernel.status().execution_time > so_far, "it grows while the kernel executes");

    kernel.terminate_blocking();
    let ended = kernel.status();
    let total = ended.execution_time.as_nanos() as u64;
    assert!(answered <= launched_at + total + error, "the handler ran before the end");
    assert!(launched_at + total <= runtime.now(), "the end has passed");
    let uptime = ended.uptime;
    while kernel.status().uptime == uptime {
        std::thread::yield_now();
    }
    let later = kernel.status();
    assert_eq!((later.launched_at, later.execution_time), (launched_at, ended.execution_time));
}

/// W-13: the clock is read once a turn, so all messages of a turn have the same time.
pub fn w13_a_turn_has_one_time(bench: &Bench) {
    let options = LaunchOptions::production().active(false).count_turns(true);
    let kernel: KernelHandle<batch_clock> = batch_clock::launch(bench.runtime(), options).unwrap();
    kernel.send_batch_blocking(&[number(0); 200]).unwrap();
    kernel.activate_blocking().unwrap();
    drain(&kernel);
    let times: Vec<_> = (0..200).map(|_| kernel.recv_blocking().unwrap().value).collect();
    let turns = balanced(&kernel).turns;
    assert_eq!(turns, 200_u64.div_ceil(16));
    assert!(times.chunks(16).all(|turn| turn.iter().all(|time| time == &turn[0])), "{times:?}");
    assert!(times.iter().collect::<BTreeSet<_>>().len() as u64 <= turns);
    assert!(!bench.has_fine_clock() || times[0] != 0);
    // A function that the handler calls has the same time.
    let _ = kernel.send_blocking(number(times[0])).unwrap();
    let since = kernel.recv_blocking().unwrap().value;
    assert!(since <= bench.runtime().now() + bench.clock_error(), "{since}");
}

/// W-13: a time can be kept in a state: each actor finds what it kept.
pub fn w13_an_actor_keeps_its_time(bench: &Bench) {
    let kernel = lateness::launch(bench.runtime(), LaunchOptions::production().actors(5).grid(2)).unwrap();
    let mut kept = [0; 5];
    for sequence in 0..50 {
        let key = sequence as u32 * 3 % 5;
        let reply = kernel.call_blocking(Item { key, producer: 0, sequence }).unwrap();
        assert_eq!((reply.key, reply.count), (key, kept[key as usize]));
        kept[key as usize] = reply.sequence;
    }
}
