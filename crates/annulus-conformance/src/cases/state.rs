//! What a kernel keeps between messages, and what a launch binds to it.

use annulus_runtime::{LaunchError, LaunchOptions};

use crate::{
    Bench,
    bench::{balanced, drain},
    kernels::{Item, Scale, exchange, number, numbers, scale, total, track},
};

/// Each actor has a state of its own, which outlives its messages.
pub fn actors_have_states_of_their_own(bench: &Bench) {
    for (grid, actors) in [(1, 7), (3, 7), (4, 4), (5, 3)] {
        let options = LaunchOptions::default().grid(grid).actors(actors).name(format!("{grid}-{actors}"));
        let kernel = track::launch(bench.runtime(), options).unwrap();
        for round in 1..=5 {
            for key in 0..actors as u32 {
                let times = u64::from(key) + 1;
                for sequence in 0..times {
                    let reply = kernel.call_blocking(Item { key, producer: 0, sequence }).unwrap();
                    assert_eq!((reply.key, reply.count), (key, (round - 1) * times + sequence + 1));
                }
            }
        }
    }
}

/// Without a key the state is the kernel's, and its messages are handled one by one.
pub fn a_kernel_has_one_state(bench: &Bench) {
    let kernel = total::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    let mut sum = 0;
    for value in 0..100 {
        sum += value;
        assert_eq!(kernel.call_blocking(number(value)), Ok(number(sum)));
    }
}

/// Such a kernel cannot have two blocks, and the error says what can be done.
pub fn one_state_needs_one_block(bench: &Bench) {
    let two = || LaunchOptions::default().grid(2);
    for (error, remedy) in [
        (total::launch(bench.runtime(), two()).unwrap_err(), "#[ring(key)]"),
        (exchange::bind(&[0; 4]).launch(bench.runtime(), two()).unwrap_err(), "&[AtomicU32]"),
    ] {
        assert!(matches!(error, LaunchError::Invalid(_)));
        let text = error.to_string();
        assert!(text.contains("grid is 2") && text.contains(".grid(1)") && text.contains(remedy), "{text}");
    }
}

/// Two instances of one kernel share nothing.
pub fn instances_share_no_state(bench: &Bench) {
    let launch = |name: &str| total::launch(bench.runtime(), LaunchOptions::default().name(name)).unwrap();
    let (one, two) = (launch("one"), launch("two"));
    assert_eq!(one.call_blocking(number(5)), Ok(number(5)));
    assert_eq!(two.call_blocking(number(7)), Ok(number(7)));
    assert_eq!(one.call_blocking(number(1)), Ok(number(6)));
    two.terminate_blocking();
    assert_eq!(one.call_blocking(number(1)), Ok(number(7)));
}

/// Instances of one kernel with grids of their own run and end beside each other.
pub fn instances_of_several_grids(bench: &Bench) {
    let launch = |grid: u32, name: String| {
        track::launch(bench.runtime(), LaunchOptions::default().grid(grid).actors(4).name(name)).unwrap()
    };
    for round in 0..3 {
        let small: Vec<_> = (0..6).map(|index| launch(1, format!("small-{round}-{index}"))).collect();
        let large = launch(2, format!("large-{round}"));
        for kernel in small.into_iter().chain([large]) {
            let reply = kernel.call_blocking(Item { key: 3, producer: 0, sequence: 0 }).unwrap();
            assert_eq!((reply.key, reply.count), (3, 1));
            kernel.terminate_blocking();
        }
    }
}

/// `&P`, `&[T]` and `&[AtomicU32]`: bound at launch, the atomics shared by all blocks.
pub fn parameters_tables_and_shared_counters(bench: &Bench) {
    let parameters = Scale { factor: 10, offset: 3 };
    let table = [1, 2, 3, 5];
    let uses = [0, 100, 0, 7];
    let kernel = scale::bind(parameters, &table, &uses)
        .launch(bench.runtime(), LaunchOptions::default().grid(4))
        .unwrap();
    let rounds = 64;
    for _ in 0..rounds {
        kernel.send_batch_blocking(&numbers(0..4)).unwrap();
    }
    let mut replies: Vec<u64> = (0..4 * rounds).map(|_| kernel.recv_blocking().unwrap().value).collect();
    replies.sort_unstable();
    // Every lookup saw a count of its own, whichever block it was in.
    let lookup = |index: usize| {
        (0..rounds).map(move |i| table[index] * 10 + 3 + (u64::from(uses[index]) + i) * 1_000_000)
    };
    let mut expected: Vec<u64> = (0..4).flat_map(lookup).collect();
    expected.sort_unstable();
    assert_eq!(replies, expected);
}

/// `&mut [T]`: the kernel's own memory, begun with what was bound.
pub fn memory_of_the_kernel(bench: &Bench) {
    let kernel = exchange::bind(&[70, 71, 72, 73]).launch(bench.runtime(), LaunchOptions::default()).unwrap();
    for (value, old) in [(0, 70), (5, 71), (9, 5), (4, 0), (1, 9), (3, 73)] {
        assert_eq!(kernel.call_blocking(number(value)), Ok(number(old)));
    }
}

/// A key beyond the actors is an error that counts, and harms nobody.
pub fn an_unknown_actor_is_counted(bench: &Bench) {
    let kernel = track::launch(bench.runtime(), LaunchOptions::default().actors(3).grid(2)).unwrap();
    let item = |key, sequence| Item { key, producer: 0, sequence };
    for key in [0, 3, 1, 4, u32::MAX, 2] {
        let _ = kernel.send_blocking(item(key, 0)).unwrap();
    }
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.drops.unknown_actor, status.drops.failed), (3, 3, 0));
    assert_eq!((status.produced, status.last_error), (3, annulus_abi::error::UNKNOWN_ACTOR));
    for key in 0..3 {
        assert_eq!(kernel.call_blocking(item(key, 1)).unwrap().count, 2);
    }
}
