//! B-06, of the scope Grid: blocks that take their turns together.

use std::{thread, time::Duration};

use annulus_runtime::{
    KernelHandle, KernelState, LaunchOptions, ProcessingMode, RecvError, Shutdown, ShutdownOutcome,
    Transition,
};

use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{Item, MARCHERS, Marched, echo, march, number, swallow},
};

const GRID: u32 = MARCHERS as u32;
/// The most messages of each block: the whole ring.
const CAPACITY: u32 = 256;

fn options() -> LaunchOptions {
    LaunchOptions::default().supersteps(true).grid(GRID).capacity(CAPACITY)
}

fn launch(bench: &Bench, options: LaunchOptions) -> KernelHandle<march> {
    march::bind(&[0; MARCHERS]).launch(bench.runtime(), options).unwrap()
}

fn item(key: u32, sequence: u32) -> Item {
    Item { key, producer: 0, sequence: sequence.into() }
}

/// Everything that so many messages of each block have seen.
fn marched(kernel: &KernelHandle<march>, each: u32) -> Vec<Marched> {
    let seen: Vec<_> = (0..GRID * each).map(|_| kernel.recv_blocking().unwrap()).collect();
    drain(kernel);
    for key in 0..GRID {
        let own = seen.iter().filter(|marched| marched.key == key).map(|marched| marched.first[key as usize]);
        assert!(own.eq(0..each), "block {key} has had each of its messages once");
    }
    assert!(seen.iter().all(|marched| marched.strayed == 0), "each writes its own place alone");
    seen
}

/// How much two blocks differ as long as both have messages, least and most, and how often they were seen.
fn difference(seen: &[Marched], one: u32, other: u32, each: u32) -> Option<(i64, i64, usize)> {
    let looks = seen.iter().filter(|marched| marched.key == one).flat_map(|marched| {
        let own = i64::from(marched.first[one as usize]);
        [marched.first, marched.second].map(|look| (own, look[other as usize]))
    });
    // Before its first and after its last message the other one stands still.
    let both = looks.filter(|(_, other)| (1..each).contains(other));
    let differences: Vec<_> = both.map(|(own, other)| i64::from(other) - own).collect();
    let (least, most) = (differences.iter().min()?, differences.iter().max()?);
    Some((*least, *most, differences.len()))
}

/// Every block takes as many of its messages in a turn as `turn` says. As long as two blocks have some, each
/// sees the other where it itself is, or at most one turn ahead: all that was written in the turn before, and
/// nothing of the next one.
fn together(bench: &Bench, options: LaunchOptions, turn: u32) {
    let each = bench.size(64, CAPACITY.into()) as u32;
    let mut compared = 0;
    for round in 0..20 {
        let kernel = launch(bench, options.clone().active(false).name(format!("march-{round}")));
        for sequence in 0..each {
            for key in 0..GRID {
                let _ = kernel.send_blocking(item(key, sequence)).unwrap();
            }
        }
        kernel.activate_blocking().unwrap();
        let seen = marched(&kernel, each);
        for one in 0..GRID {
            for other in (0..GRID).filter(|&other| other != one) {
                let Some((least, most, looks)) = difference(&seen, one, other, each) else { continue };
                // Within a turn each of both may have had any number of its messages.
                let apart = i64::from(2 * turn - 1);
                assert!(most - least <= apart, "block {one} saw block {other} {least} to {most} turns ahead");
                compared += looks;
            }
        }
        // Commands reach the blocks one after the other: in some rounds one may have done all before another
        // has begun.
        if compared > 1000 && round >= 2 {
            return;
        }
    }
    panic!("blocks were seen beside each other {compared} times alone");
}

/// No block is more than a turn ahead of another one, and each sees all that the others wrote in the turns
/// before.
pub fn b06_blocks_take_their_turns_together(bench: &Bench) {
    together(bench, options().mode(ProcessingMode::Continuous), 1);
}

/// The same with blocks of a warp, whatever the backend's are.
pub fn b06_blocks_of_a_warp_do_too(bench: &Bench) {
    together(bench, options().mode(ProcessingMode::Continuous).block(32), 1);
}

/// The same with eight messages a turn.
pub fn b06_batches_do_too(bench: &Bench) {
    together(bench, options().mode(ProcessingMode::Batch).max_messages_per_iteration(8), 8);
}

/// Rounds that the host begins do not mix, whenever each block was told to be active: a message sees all others at the
/// beginning of its round, or at its end.
pub fn b06_rounds_that_the_host_begins_do_not_mix(bench: &Bench) {
    let rounds = bench.size(32, CAPACITY.into()) as u32;
    for launched in 0..4 {
        let kernel = launch(bench, options().active(false).name(format!("rounds-{launched}")));
        let send = |round| {
            for key in 0..GRID {
                let _ = kernel.send_blocking(item(key, round)).unwrap();
            }
        };
        send(0);
        kernel.activate_blocking().unwrap();
        for round in 0..rounds {
            for _ in 0..GRID {
                let Marched { key, strayed, first, second } = kernel.recv_blocking().unwrap();
                assert_eq!((strayed, first[key as usize]), (0, round));
                for seen in first.into_iter().chain(second) {
                    assert!((round..=round + 1).contains(&seen), "round {round}: {first:?}, {second:?}");
                }
            }
            if round + 1 < rounds {
                send(round + 1);
            }
        }
    }
}

/// One block has all messages; the others take part.
pub fn b06_uneven_load(bench: &Bench) {
    let each = bench.size(64, CAPACITY.into()) as u32;
    let kernel = launch(bench, options());
    for key in [3, 0] {
        for sequence in 0..each {
            let _ = kernel.send_blocking(item(key, sequence)).unwrap();
        }
        for before in 0..each {
            let marched = kernel.recv_blocking().unwrap();
            assert_eq!((marched.key, marched.first[key as usize]), (key, before));
        }
    }
    drain(&kernel);
    assert_eq!(balanced(&kernel).processed, u64::from(2 * each));
}

/// A grid of one block is in step with itself.
pub fn b06_one_block(bench: &Bench) {
    let kernel = launch(bench, options().grid(1));
    for sequence in 0..100 {
        assert_eq!(kernel.call_blocking(item(0, sequence)).unwrap().first[0], sequence);
    }
}

/// After all blocks have gone to sleep, one of them gets a message, and later another one.
pub fn b06_a_message_after_a_long_rest(bench: &Bench) {
    for spin in [Duration::ZERO, Duration::from_micros(200)] {
        let kernel = launch(bench, options().spin(spin).name(format!("rests-{spin:?}")));
        for round in 0..3 {
            for key in 0..GRID {
                thread::sleep(Duration::from_millis(20 * u64::from(key) * u64::from(round)));
                let marched = kernel.call_blocking(item(key, round)).unwrap();
                let before: u32 = marched.first.iter().sum();
                assert_eq!(before, round * GRID + key);
            }
        }
    }
}

/// A block whose answers nobody reads waits for room, and takes part all the same.
pub fn b06_a_block_without_room_stops_no_other(bench: &Bench) {
    let slots = 16;
    let kernel = launch(bench, options().output_capacity(slots));
    for sequence in 0..slots + 10 {
        let _ = kernel.send_blocking(item(1, sequence)).unwrap();
    }
    eventually(|| kernel.status().stalled_shards == 1);
    for sequence in 0..slots {
        let _ = kernel.send_blocking(item(2, sequence)).unwrap();
    }
    eventually(|| kernel.status().processed == u64::from(2 * slots));
    let mut of_each = [0; MARCHERS];
    for _ in 0..2 * slots + 10 {
        of_each[kernel.recv_blocking().unwrap().key as usize] += 1;
    }
    assert_eq!(of_each, [0, slots + 10, slots, 0]);
}

/// Commands are obeyed by blocks that have nothing to do.
pub fn b06_transitions(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), options().active(false)).unwrap();
    for _ in 0..20 {
        assert_eq!(kernel.activate_blocking(), Ok(Transition::Done));
        assert_eq!(kernel.deactivate_blocking(), Ok(Transition::Done));
    }
    assert_eq!(kernel.terminate_blocking(), Transition::Done);
    assert_eq!(kernel.status().state, KernelState::Terminated);
}

/// Commands and messages come as they like, to some blocks first.
pub fn b06_transitions_race_with_sends(bench: &Bench) {
    let kernel = swallow::launch(bench.runtime(), options().spin(Duration::ZERO)).unwrap();
    let rounds = bench.size(1_000, 20_000);
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..rounds / 10 {
                let result =
                    if round % 2 == 0 { kernel.deactivate_blocking() } else { kernel.activate_blocking() };
                result.unwrap();
            }
            kernel.activate_blocking().unwrap();
        });
        for first in 0..2 {
            let kernel = &kernel;
            scope.spawn(move || {
                for value in 0..rounds / 2 {
                    let _ = kernel.send_blocking(number(2 * value + first)).unwrap();
                }
            });
        }
    });
    drain(&kernel);
    assert_eq!(balanced(&kernel).processed, rounds);
}

/// The end finds blocks in the middle of their turns, before them and asleep; what was not handled comes
/// back.
pub fn b06_the_end_comes_at_any_time(bench: &Bench) {
    for round in bench.rounds(30, 300) {
        let kernel = bench.relaunch(|| march::bind(&[0; MARCHERS]).launch(bench.runtime(), options()));
        for sequence in 0..20 {
            // To some blocks alone, in some rounds.
            for key in 0..GRID.min(1 + round as u32 % (GRID + 1)) {
                let _ = kernel.send_blocking(item(key, sequence)).unwrap();
            }
        }
        thread::sleep(Duration::from_micros(round % 7 * 100));
        assert_eq!(kernel.terminate_blocking(), Transition::Done);
        let status = kernel.status();
        let undelivered = kernel.take_undelivered().len() as u64;
        assert_eq!((status.processed + undelivered, undelivered), (status.sent, status.drops.undelivered));
        let answers = std::iter::from_fn(|| kernel.try_recv().ok()).count() as u64;
        assert_eq!(answers, status.processed);
        assert_eq!(kernel.recv_blocking(), Err(RecvError::Closed));
    }
}

/// A shutdown handles everything first, wherever it lies.
pub fn b06_a_shutdown_drains(bench: &Bench) {
    let kernel = swallow::launch(bench.runtime(), options()).unwrap();
    kernel.send_batch_blocking(&(0..900).map(number).collect::<Vec<_>>()).unwrap();
    let limit = Duration::from_secs(3600);
    assert_eq!(
        kernel.shutdown_blocking(limit),
        Shutdown { outcome: ShutdownOutcome::Drained, undelivered: vec![] }
    );
    assert_eq!(balanced(&kernel).processed, 900);
}

/// Handles are dropped in the middle of a superstep, asleep and inactive; the name is free again.
pub fn b06_a_handle_is_dropped(bench: &Bench) {
    for round in bench.rounds(20, 200) {
        let options = options().active(round % 5 != 4);
        let kernel = bench.relaunch(|| march::bind(&[0; MARCHERS]).launch(bench.runtime(), options.clone()));
        for sequence in 0..16 {
            let _ = kernel.send_blocking(item(sequence % GRID, sequence)).unwrap();
        }
        thread::sleep(Duration::from_micros(round % 3 * 300));
    }
}

/// Kernels in step run beside each other, and beside one that is not.
pub fn b06_kernels_in_step_and_others(bench: &Bench) {
    let kernels: Vec<_> =
        (0..3).map(|index| launch(bench, options().name(format!("in-step-{index}")))).collect();
    let other = echo::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    for sequence in 0..50 {
        for kernel in &kernels {
            for key in 0..GRID {
                let _ = kernel.send_blocking(item(key, sequence)).unwrap();
            }
        }
        assert_eq!(other.call_blocking(number(sequence.into())), Ok(number(sequence.into())));
    }
    for kernel in &kernels {
        marched(kernel, 50);
    }
}
