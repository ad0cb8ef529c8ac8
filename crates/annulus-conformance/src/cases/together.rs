//! Handlers whose whole block works on one message.

use annulus_abi::error;
use annulus_kernel::RingKernel;
use annulus_runtime::{CallError, LaunchOptions, TryRecvError};

use crate::{
    Bench,
    bench::{balanced, drain},
    kernels::{
        Item, number,
        shared::{MUCH, shares_much},
        together::{
            Cell, TORN, cells, float_sum, in_rounds, kept_cells, term, torn, track_together, tree_sum,
        },
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

/// A loop around a barrier has as many turns as a quotient by the block's threads says.
pub fn b06_rounds_by_the_blocks_threads(bench: &Bench) {
    for threads in BLOCKS {
        let kernel = in_rounds::launch(bench.runtime(), LaunchOptions::default().block(threads)).unwrap();
        for most in [0, 1, 31, 256, 257, 1000] {
            let sum = most * u64::saturating_sub(most, 1) / 2;
            let more = most.saturating_sub(threads.into()) / u64::from(threads);
            let expected = number(sum << 16 | more);
            assert_eq!(kernel.call_blocking(number(most)), Ok(expected), "{threads} threads, {most}");
        }
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

/// arrays of 100 KiB, on a device whose blocks have that much. Another one refuses the launch, and says what is
/// wanted and what it has.
pub fn x02_a_block_shares_a_hundred_kib(bench: &Bench) {
    let needs = shares_much::DEFINITION.needs().unwrap();
    assert_eq!(needs.array_bytes(), 100 << 10);
    for threads in [32, 100, 256] {
        let launched = shares_much::launch(bench.runtime(), LaunchOptions::default().block(threads));
        let (wanted, most) =
            (needs.shared_bytes(threads) as u64, bench.runtime().devices()[0].capabilities.shared_memory);
        if let Some(most) = most.filter(|most| *most < wanted) {
            let refused = launched.expect_err("the device has less").to_string();
            for part in [format!("shares {wanted} bytes"), format!("can share {most}: share smaller arrays")]
            {
                assert!(refused.contains(&part), "`{part}` is not in: {refused}");
            }
            continue;
        }
        let kernel = launched.unwrap();
        for value in [1, 7, u64::MAX / 5] {
            let sum = (0..MUCH as u64)
                .fold(0u64, |sum, at| sum.wrapping_add(value.wrapping_mul(at + 1).wrapping_mul(at)));
            assert_eq!(kernel.call_blocking(number(value)), Ok(number(sum)), "{threads} threads");
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
        Err(CallError::Failed { code: error::UNKNOWN_ACTOR, name: None })
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
            Err(CallError::Failed { code, name: None }),
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

/// What [`kept_cells`] keeps, by one thread.
struct Kept {
    elements: Vec<Cell>,
    words: Vec<u32>,
}

impl Kept {
    /// A message that succeeds or, if it fails, gets so far.
    fn handle(&mut self, threads: usize, added: u64, turns: bool, fails: bool) -> u64 {
        if turns {
            for first in (0..self.elements.len()).step_by(threads) {
                let before = self.elements.clone();
                for at in first..before.len().min(first + threads) {
                    let Cell { sum, writes, marked } = before[(at + 1) % before.len()];
                    let sum = sum.wrapping_mul(31).wrapping_add(added);
                    self.elements[at] = Cell { sum, writes: writes + 1, marked: !marked };
                }
            }
        }
        for word in self.words.iter_mut().take(threads) {
            *word = word.wrapping_add(1);
        }
        if !fails {
            self.words.iter_mut().for_each(|word| *word = word.wrapping_mul(3));
        }
        let mut hash = if self.elements.is_empty() { 1u64 } else { 2 };
        for cell in &self.elements {
            hash = hash.wrapping_mul(0x100_0000_01B3) ^ cell.sum ^ u64::from(cell.writes);
            hash = hash.rotate_left(if cell.marked { 7 } else { 3 });
        }
        for word in &self.words {
            hash = hash.wrapping_mul(0x100_0000_01B3) ^ u64::from(*word);
        }
        hash
    }
}

/// The memory of a block, of any length: all threads read and write it, it lasts from message to message, and
/// nobody who has seen that a message failed writes it.
pub fn b06_a_block_keeps_a_slice(bench: &Bench) {
    let lengths = [(0, 0), (1, 1), (5, 40), (64, 3), (201, 200)];
    for (threads, (elements, words)) in
        [1, 7, 32, 40].into_iter().flat_map(|dim| lengths.map(|len| (dim, len)))
    {
        let cell = |index| Cell { sum: index, writes: 0, marked: index % 3 == 0 };
        let mut kept = Kept { elements: (0..elements).map(cell).collect(), words: (0..words).collect() };
        let options = LaunchOptions::default().block(threads);
        let kernel = kept_cells::bind(&kept.elements, &kept.words).launch(bench.runtime(), options).unwrap();
        let mut rotates = |added: u64| {
            let hash = kept.handle(threads as usize, added, true, false);
            let reply = kernel.call_blocking(number(added * 4 + cells::ROTATE));
            assert_eq!(reply, Ok(number(hash)), "{threads} threads, {elements} elements");
        };
        for added in [0, 1, 77, u64::MAX >> 3] {
            rotates(added);
        }
        for (what, code) in [
            (cells::FAIL, TORN),
            (cells::BEYOND, error::INDEX_OUT_OF_BOUNDS),
            (cells::READ_BEYOND, error::INDEX_OUT_OF_BOUNDS),
        ] {
            let failed = kernel.call_blocking(number(what));
            assert_eq!(
                failed,
                Err(CallError::Failed { code, name: None }),
                "{threads} threads, {elements} elements"
            );
            let _ = kept.handle(threads as usize, 0, false, true);
            let hash = kept.handle(threads as usize, 5, true, false);
            let reply = kernel.call_blocking(number(5 * 4));
            assert_eq!(
                reply,
                Ok(number(hash)),
                "after message {what}: {threads} threads, {elements} elements"
            );
        }
    }
}

/// A snapshot has what a block keeps, and a kernel that it is restored into goes on from there.
pub fn b06_what_a_block_keeps_is_in_a_snapshot(bench: &Bench) {
    let cell = |index| Cell { sum: index, writes: 0, marked: false };
    let mut kept = Kept { elements: (0..50).map(cell).collect(), words: vec![3; 4] };
    let launch = |name: &str| {
        let options = LaunchOptions::default().name(name).block(16);
        kept_cells::bind(&vec![cell(0); 50], &[0; 4]).launch(bench.runtime(), options).unwrap()
    };
    let (first, second) = (launch("first"), launch("second"));
    for kernel in [&first, &second] {
        kernel.deactivate_blocking().unwrap();
        let mut snapshot = kernel.snapshot_blocking().unwrap();
        snapshot.set_memory("elements", &kept.elements).unwrap();
        snapshot.set_memory("words", &kept.words).unwrap();
        kernel.restore_blocking(&snapshot).unwrap();
        kernel.activate_blocking().unwrap();
        let hash = kept.handle(16, 9, true, false);
        assert_eq!(kernel.call_blocking(number(9 * 4 + cells::ROTATE)), Ok(number(hash)));
        kernel.deactivate_blocking().unwrap();
        let snapshot = kernel.snapshot_blocking().unwrap();
        assert_eq!(snapshot.memory::<Cell>("elements").unwrap(), kept.elements);
        assert_eq!(snapshot.memory::<u32>("words").unwrap(), kept.words);
    }
}

/// A block's memory belongs to the whole kernel, so one block has it.
pub fn b06_a_slice_is_one_block_s(bench: &Bench) {
    let options = LaunchOptions::default().grid(2);
    let refused = kept_cells::bind(&[], &[1]).launch(bench.runtime(), options).unwrap_err().to_string();
    let wanted = "`kept_cells` has memory of the whole kernel, which one block owns, and grid is 2: use .grid(1), or let";
    assert!(refused.contains(wanted), "{refused}");
}
