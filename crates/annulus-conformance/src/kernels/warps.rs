//! Handlers whose warps exchange values.
#![allow(clippy::manual_is_multiple_of)] // Remainders, as one writes them.

use std::sync::atomic::{AtomicU32, Ordering};

use annulus_macros::{device_fn, ring_kernel};
use annulus_runtime::prelude::{BlockCx, Failure, Outbox};

use super::{Number, together::MOST, together::TORN};

/// A thread's own word.
#[device_fn]
pub fn word_of(value: u64, thread: u32) -> u64 {
    (value ^ (thread as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15))
        .wrapping_mul(0xBF58_476D_1CE4_E5B9)
        .rotate_left(31)
}

/// A thread's own number, of which sums depend on the order.
#[device_fn]
pub fn part_of(word: u64, thread: u32) -> f32 {
    (word % 1000) as f32 / (thread as f32 + 3.0) * (1u32 << (thread % 13)) as f32
}

/// A hash of all words so far and another one.
#[device_fn]
pub fn also(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(7) ^ word).wrapping_mul(0x100_0000_01B3)
}

/// A hash of what each thread gets; answers with all of them combined.
#[ring_kernel]
pub fn of_warps(cx: &BlockCx, message: &Number, replies: &Outbox<Number>) {
    let told = cx.shared::<u64, MOST>();
    let me = cx.thread_index();
    let own = word_of(message.value, me);
    let by = message.value as u32;
    let mut hash = cx.shuffle(own, by);
    hash = also(hash, u64::from(cx.shuffle_up(own as u32, by)));
    hash = also(hash, cx.shuffle_down(own as i16, by) as u64);
    hash = also(hash, u64::from(cx.shuffle_xor(own as f32, by).to_bits()));
    hash = also(hash, u64::from(cx.ballot(own % 3 == 0)));
    hash = also(hash, u64::from(cx.any(own % 64 == 0)));
    hash = also(hash, u64::from(cx.all(own % 16 != 0)));

    told.set(me as usize, hash);
    cx.warp_barrier();
    hash = also(hash, told.get((me ^ (me % 2)) as usize));

    let mut sum = own;
    let mut mask = 1;
    while mask < 32 {
        sum = sum.wrapping_add(cx.shuffle_xor(sum, mask));
        mask *= 2;
    }
    hash = also(hash, sum);

    let part = part_of(own, me);
    hash = also(hash, u64::from(cx.warp_reduce(part, |a, b| a + b).to_bits()));
    hash = also(hash, u64::from(cx.block_scan(part, |a, b| a + b).to_bits()));
    hash = also(hash, cx.block_scan_exclusive(own as i8, -7, |a, b| a.wrapping_add(b).rotate_left(1)) as u64);
    let all = cx.block_reduce(hash.wrapping_mul(u64::from(2 * me + 1)), |a, b| a ^ b);
    if cx.is_leader() {
        replies.send(Number { value: all });
    }
}

/// By the message: what goes wrong in some threads. Counts the threads that act behind the first shuffle, and
/// answers with their number so far.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 8)]
#[allow(clippy::collapsible_match)] // The condition is around a barrier.
pub fn torn_warps(
    cx: &BlockCx,
    message: &Number,
    acted: &[AtomicU32],
    replies: &Outbox<Number>,
) -> Result<(), Failure> {
    let list = cx.shared::<u32, 4>();
    let me = cx.thread_index();
    match message.value {
        // Some threads of a warp.
        1 => {
            if me < 3 {
                cx.warp_barrier();
            }
        }
        // A whole warp, and not the other one.
        2 => {
            if cx.warp() == 0 {
                list.set(0, cx.shuffle(me, 7));
            }
        }
        _ => {}
    }
    match message.value {
        3 if me == 5 => return Ok(()),
        4 => return Ok(()),
        5 if me == 33 => return Err(Failure::of(TORN)),
        5 if me == 35 => list.set(me as usize, 1),
        _ => {}
    }
    let next = cx.shuffle_down(me, 1);
    acted[0].fetch_add(1, Ordering::Relaxed);
    // In the first step thread 1 divides by zero, and thread 2 looks beyond the list.
    let most = cx.warp_reduce(next, |a, b| match message.value {
        6 => a / ((a - 1) ^ 1) + list.get((a as usize - 1) * 2),
        _ => a.max(b),
    });
    cx.barrier();
    if cx.is_leader() && most == 31 {
        replies.send(Number { value: u64::from(acted[0].load(Ordering::Relaxed)) });
    }
    Ok(())
}
