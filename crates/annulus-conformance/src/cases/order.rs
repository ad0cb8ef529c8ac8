//! B-02 to B-04: what messages and fences order. Blocks that run at the same time do the accesses of a litmus
//! test in many rounds; what the ordering forbids is seen in none.

use annulus_runtime::{CallError, Consistency, KernelHandle, LaunchOptions, prelude::RingKernel};

use crate::{
    Bench,
    bench::{balanced, drain},
    kernels::order::{
        Litmus, PLANES,
        access::{LOAD_X, LOAD_Y, NONE, STORE_X, STORE_Y},
        litmus, litmus_of_a_device,
    },
};

const SIDES: u32 = 4;
const DEVICE: u32 = 2;
const SYSTEM: u32 = 3;

/// What each side does: the first access, the fence's scope, the second access.
type Side = (u32, u32, u32);

/// What a round has seen: for each side its two loads, `None` where it has no load.
type Seen = [[Option<u32>; 2]; SIDES as usize];

/// A kernel whose fences are for the device at most.
fn launch(bench: &Bench, rounds: u32, options: LaunchOptions) -> KernelHandle<litmus_of_a_device> {
    let words = vec![0u32; PLANES * rounds as usize];
    litmus_of_a_device::bind(&words).launch(bench.runtime(), options.grid(SIDES)).unwrap()
}

/// One whose fences may be for the system.
fn launch_for_the_system(bench: &Bench, rounds: u32, options: LaunchOptions) -> KernelHandle<litmus> {
    let words = vec![0u32; PLANES * rounds as usize];
    litmus::bind(&words).launch(bench.runtime(), options.grid(SIDES)).unwrap()
}

fn message(side: u32, (first, fence, second): Side, from: u32, until: u32) -> Litmus {
    Litmus { side, first, fence, second, from, until }
}

/// What the rounds have seen.
fn seen<K: RingKernel>(kernel: &KernelHandle<K>, rounds: u32) -> Vec<Seen> {
    kernel.deactivate_blocking().unwrap();
    let words = kernel.snapshot_blocking().unwrap().memory::<u32>("words").unwrap();
    let result = |round: u32, side: usize, which: usize| {
        let plane = 2 + 2 * side + which;
        words[plane * rounds as usize + round as usize].checked_sub(1)
    };
    (0..rounds)
        .map(|round| std::array::from_fn(|side| [0, 1].map(|which| result(round, side, which))))
        .collect()
}

/// Runs all sides at the same time, each through all rounds in a handler of its own.
fn run(bench: &Bench, sides: &[Side]) -> Vec<Seen> {
    let rounds = bench.size(2_000, 200_000) as u32;
    run_by(&launch(bench, rounds, inactive()), rounds, sides)
}

fn inactive() -> LaunchOptions {
    LaunchOptions::default().consistency(Consistency::Relaxed).active(false)
}

fn run_by<K: RingKernel<Message = Litmus>>(
    kernel: &KernelHandle<K>,
    rounds: u32,
    sides: &[Side],
) -> Vec<Seen> {
    for (side, &what) in sides.iter().enumerate() {
        let _ = kernel.send_blocking(message(side as u32, what, 0, rounds)).unwrap();
    }
    kernel.activate_blocking().unwrap();
    drain(kernel);
    assert_eq!(balanced(kernel).processed, sides.len() as u64);
    seen(kernel, rounds)
}

/// How many of the rounds have seen this.
fn count(rounds: &[Seen], is: impl Fn(&Seen) -> bool) -> usize {
    rounds.iter().filter(|seen| is(seen)).count()
}

/// Both sides store, and load what the other one stores.
fn buffered(seen: &Seen) -> bool {
    (seen[0][1], seen[1][1]) == (Some(0), Some(0))
}

/// With a fence between store and load, one of two sides sees what the other has stored.
pub fn b03_a_fence_forbids_store_buffering(bench: &Bench) {
    let rounds = run(bench, &[(STORE_X, DEVICE, LOAD_Y), (STORE_Y, DEVICE, LOAD_X)]);
    assert_eq!(count(&rounds, buffered), 0, "of {} rounds", rounds.len());
}

/// The same with a fence for the whole system.
pub fn b03_a_fence_for_the_system_forbids_it_too(bench: &Bench) {
    let rounds = bench.size(2_000, 200_000) as u32;
    let kernel = launch_for_the_system(bench, rounds, inactive());
    let rounds = run_by(&kernel, rounds, &[(STORE_X, SYSTEM, LOAD_Y), (STORE_Y, SYSTEM, LOAD_X)]);
    assert_eq!(count(&rounds, buffered), 0, "of {} rounds", rounds.len());
}

/// With fences on both sides, who sees the flag sees the value.
pub fn b03_fences_on_both_sides_pass_a_value(bench: &Bench) {
    let rounds = run(bench, &[(STORE_X, DEVICE, STORE_Y), (LOAD_Y, DEVICE, LOAD_X)]);
    assert_eq!(count(&rounds, |seen| seen[1] == [Some(1), Some(0)]), 0);
}

/// With fences, no two sides see what each of them stores only after its load.
pub fn b03_fences_forbid_load_buffering(bench: &Bench) {
    let rounds = run(bench, &[(LOAD_X, DEVICE, STORE_Y), (LOAD_Y, DEVICE, STORE_X)]);
    assert_eq!(count(&rounds, |seen| (seen[0][0], seen[1][0]) == (Some(1), Some(1))), 0);
}

/// With fences, two readers agree which of two writes came first.
pub fn b03_readers_with_fences_agree(bench: &Bench) {
    let sides = [(STORE_X, 0, NONE), (STORE_Y, 0, NONE), (LOAD_X, DEVICE, LOAD_Y), (LOAD_Y, DEVICE, LOAD_X)];
    let rounds = run(bench, &sides);
    let disagree = |seen: &Seen| seen[2] == [Some(1), Some(0)] && seen[3] == [Some(1), Some(0)];
    assert_eq!(count(&rounds, disagree), 0);
}

/// Without any fence: who has seen a word's new value does not see the old one again.
pub fn b03_one_word_is_coherent(bench: &Bench) {
    let rounds = run(bench, &[(STORE_X, 0, NONE), (LOAD_X, 0, LOAD_X), (LOAD_X, 0, LOAD_X)]);
    assert_eq!(count(&rounds, |seen| seen[1..3].contains(&[Some(1), Some(0)])), 0);
}

/// What a handler wrote before its reply, a handler sees whose message was sent after the reply.
pub fn b02_a_reply_carries_what_came_before(bench: &Bench) {
    let rounds = bench.size(100, 5_000) as u32;
    for options in [
        LaunchOptions::default(),
        LaunchOptions::default().causal_ordering(true),
        LaunchOptions::default().consistency(Consistency::Sequential),
    ] {
        pass_on(&launch(bench, rounds, options), rounds, 0);
    }
}

/// With `Relaxed`, fences of both do the same.
pub fn b02_fences_carry_what_a_reply_does_not(bench: &Bench) {
    let rounds = bench.size(100, 5_000) as u32;
    let options = LaunchOptions::default().consistency(Consistency::Relaxed);
    pass_on(&launch_for_the_system(bench, rounds, options), rounds, SYSTEM);
}

/// In each round one side writes, and another one reads when the host has the first one's reply.
fn pass_on<K: RingKernel<Message = Litmus>>(kernel: &KernelHandle<K>, rounds: u32, fence: u32) {
    for round in 0..rounds {
        let (writer, reader) = (round % SIDES, (round + 1) % SIDES);
        for (side, what) in [(writer, (STORE_X, fence, NONE)), (reader, (NONE, fence, LOAD_X))] {
            let answer = kernel.call_blocking(message(side, what, round, round + 1));
            assert!(matches!(answer, Err(CallError::NoReply)));
        }
    }
    drain(kernel);
    for (round, seen) in (0..rounds).zip(seen(kernel, rounds)) {
        assert_eq!(seen[((round + 1) % SIDES) as usize][1], Some(1), "round {round}");
    }
}

/// With `Sequential` handlers of one access each have one order: a store and a load in two handlers of a
/// block are not exchanged.
pub fn b04_sequential_forbids_store_buffering_between_handlers(bench: &Bench) {
    let rounds = bench.size(500, 50_000) as u32;
    let capacity = (2 * rounds).next_power_of_two();
    let options = LaunchOptions::default().consistency(Consistency::Sequential).capacity(capacity);
    let kernel = launch(bench, rounds, options.active(false));
    for round in 0..rounds {
        let sides = [[(STORE_X, 0, NONE), (NONE, 0, LOAD_Y)], [(STORE_Y, 0, NONE), (NONE, 0, LOAD_X)]];
        for (side, what) in sides.into_iter().enumerate() {
            for what in what {
                let _ = kernel.send_blocking(message(side as u32, what, round, round + 1)).unwrap();
            }
        }
    }
    kernel.activate_blocking().unwrap();
    drain(&kernel);
    assert_eq!(balanced(&kernel).processed, 4 * u64::from(rounds));
    assert_eq!(count(&seen(&kernel, rounds), buffered), 0);
}
