//! Handlers whose whole block works on one message.

use annulus_abi::error;
use annulus_runtime::{CallError, LaunchOptions, TryRecvError};

use crate::{
    Bench,
    bench::{balanced, drain},
    kernels::{
        Item, number,
        together::{TORN, float_sum, term, torn, track_together, tree_sum},
    },
};

/// Sizes of blocks: parts of a warp, whole warps, and both.
const BLOCKS: [u32; 7] = [1, 2, 7, 32, 33, 100, 256];

/// A tree reduction in shared memory, with barriers, on blocks of many sizes.
pub fn b08_a_tree_adds_up(bench: &Bench) {
    for threads in BLOCKS {
        let kernel = tree_sum::launch(bench.runtime(), LaunchOptions::default().block(threads)).unwrap();
        let each = u64::from(threads) * u64::from(threads + 1) / 2;
        let mut sum = 0;
        for value in [1, 10, 0, 5, u64::MAX] {
            sum = value.wrapping_mul(each).wrapping_add(sum);
            assert_eq!(kernel.call_blocking(number(value)), Ok(number(sum)), "{threads} threads");
        }
        for value in 0..40 {
            let _ = kernel.send_blocking(number(value)).unwrap();
        }
        drain(&kernel);
        for value in 0..40 {
            sum += value * each;
            assert_eq!(kernel.try_recv(), Ok(number(sum)), "{threads} threads");
        }
        assert_eq!(balanced(&kernel).drops.failed, 0);
    }
}

/// The sum of these terms in the order of the language.
fn in_order(mut terms: Vec<f32>) -> f32 {
    fn tree(values: &mut [f32]) -> f32 {
        for distance in [16, 8, 4, 2, 1] {
            for i in 0..distance {
                if i + distance < values.len() {
                    values[i] += values[i + distance];
                }
            }
        }
        values[0]
    }
    let mut warps: Vec<f32> = terms.chunks_mut(32).map(tree).collect();
    tree(&mut warps)
}

/// A reduction of floats has the same bits everywhere.
pub fn b08_a_reduction_has_one_order(bench: &Bench) {
    for threads in BLOCKS {
        let kernel = float_sum::launch(bench.runtime(), LaunchOptions::default().block(threads)).unwrap();
        for value in [0, 3, 1000, 12_345] {
            let sum = in_order((0..threads).map(|thread| term(value, thread)).collect());
            let bits = u64::from(sum.to_bits());
            assert_eq!(kernel.call_blocking(number(value)), Ok(number(bits)), "{threads} threads, {value}");
        }
    }
}

/// Actors whose messages are worked on by whole blocks.
pub fn b06_actors_of_whole_blocks(bench: &Bench) {
    let options = LaunchOptions::default().grid(2).block(48).actors(5);
    let kernel = track_together::launch(bench.runtime(), options).unwrap();
    for sequence in 0..60 {
        let key = (sequence % 5) as u32;
        let reply = kernel.call_blocking(Item { key, producer: 7, sequence }).unwrap();
        assert_eq!((reply.key, reply.sequence, reply.count), (key, sequence, sequence / 5 + 1));
    }
    assert_eq!(
        kernel.call_blocking(Item { key: 5, producer: 0, sequence: 0 }),
        Err(CallError::Failed { code: error::UNKNOWN_ACTOR })
    );
}

/// What goes wrong in some threads fails the message, and leaves nobody waiting.
pub fn b06_a_torn_block_fails_and_goes_on(bench: &Bench) {
    let kernel = torn::launch(bench.runtime(), LaunchOptions::default().block(40)).unwrap();
    let codes = [
        (1, error::BARRIER_NOT_REACHED),
        (2, error::BARRIER_NOT_REACHED),
        (3, error::DIVISION_BY_ZERO),
        (4, error::NOT_THE_LEADER),
        (5, error::TOO_MANY_OUTPUTS),
        (6, TORN),
        (8, error::BARRIER_NOT_REACHED),
        (9, TORN),
    ];
    for (value, code) in codes {
        assert_eq!(
            kernel.call_blocking(number(value)),
            Err(CallError::Failed { code }),
            "message {value}: {}",
            error::describe(code)
        );
        assert_eq!(kernel.call_blocking(number(0)), Ok(number(0)), "after message {value}");
        assert_eq!(kernel.call_blocking(number(7)), Ok(number(7)), "after message {value}");
    }
    for value in [0, 1, 7, 2, 3, 0, 9, 0] {
        let _ = kernel.send_blocking(number(value)).unwrap();
    }
    drain(&kernel);
    for value in [0, 7, 0, 0] {
        assert_eq!(kernel.try_recv(), Ok(number(value)));
    }
    assert_eq!(kernel.try_recv(), Err(TryRecvError::Empty));
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.drops.failed, status.last_error), (20, 12, TORN));
}
