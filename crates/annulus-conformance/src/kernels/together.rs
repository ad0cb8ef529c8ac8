//! Handlers whose whole block works on one message.

use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{DeviceType, ring_kernel};
use annulus_runtime::prelude::{Block, BlockCx, Failure, Outbox};

use super::{Item, Number, Total, Tracked, warps};

/// The most threads that [`tree_sum`](struct@tree_sum) takes.
pub const MOST: usize = 256;

/// Each thread multiplies the message with its number; a tree in shared memory adds that up. Answers with the
/// sum of all messages so far.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn tree_sum(cx: &BlockCx, message: &Number, total: &Block<Total>, replies: &Outbox<Number>) {
    let partial = cx.shared::<u64, MOST>();
    let me = cx.thread_index() as usize;
    partial.set(me, message.value.wrapping_mul(u64::from(cx.thread_index()) + 1));
    cx.barrier();
    let mut half = cx.block_dim().next_power_of_two() / 2;
    while half > 0 {
        if cx.thread_index() < half && cx.thread_index() + half < cx.block_dim() {
            let other = partial.get(me + half as usize);
            partial.set(me, partial.get(me).wrapping_add(other));
        }
        cx.barrier();
        half /= 2;
    }
    if cx.is_leader() {
        let sum = total.get().sum.wrapping_add(partial.get(0));
        total.set(Total { sum });
        replies.send(Number { value: sum });
    }
}

/// Adds up the numbers below the message, in rounds: each thread takes one in each, and a barrier ends a round. How many
/// rounds there are is a quotient by the block's threads, which all of them have alike.
#[ring_kernel]
pub fn in_rounds(cx: &BlockCx, message: &Number, replies: &Outbox<Number>) {
    let sums = cx.shared::<u64, MOST>();
    let me = cx.thread_index() as usize;
    sums.set(me, 0);
    let most = message.value as u32;
    for round in 0..most.div_ceil(cx.block_dim()) {
        let number = round * cx.block_dim() + cx.thread_index();
        if number < most {
            sums.set(me, sums.get(me) + u64::from(number));
        }
        cx.barrier();
    }
    let mut more = 0;
    for _ in 0..most.saturating_sub(cx.block_dim()) / cx.block_dim() {
        more += 1;
        cx.barrier();
    }
    let sum = cx.block_reduce(sums.get(me), |a, b| a + b);
    if cx.is_leader() {
        replies.send(Number { value: sum << 16 | more });
    }
}

/// What [`float_sum`](struct@float_sum) adds, which depends on the order.
pub fn term(value: u64, thread: u32) -> f32 {
    (value as f32 + 0.1) / (thread as f32 + 3.0) * (1 << (thread % 13)) as f32
}

/// Adds floats up in the order that the language gives: answers with the bits of the sum. Other threads than
/// the leader check that they have the same sum.
#[ring_kernel]
pub fn float_sum(cx: &BlockCx, message: &Number, replies: &Outbox<Number>) {
    let own = (message.value as f32 + 0.1) / (cx.thread_index() as f32 + 3.0)
        * (1u32 << (cx.thread_index() % 13)) as f32;
    let sum = cx.block_reduce(own, |a, b| a + b);
    let most = cx.block_reduce(sum.to_bits(), |a, b| a.max(b));
    let least = cx.block_reduce(sum.to_bits(), |a, b| if b < a { b } else { a });
    assert!(most == least);
    if cx.is_leader() {
        replies.send(Number { value: u64::from(most) });
    }
}

/// Each actor's sum, in blocks that work on one message together.
#[ring_kernel(mode = Adaptive, max_messages_per_iteration = 32)]
pub fn track_together(cx: &BlockCx, item: &Item, count: &Block<Total>, replies: &Outbox<Tracked>) {
    let threads = cx.block_reduce(1u32, |a, b| a + b);
    // All read what the leader has written.
    if cx.is_leader() {
        count.set(Total { sum: count.get().sum + u64::from(threads / cx.block_dim()) });
    }
    cx.barrier();
    let seen = cx.block_reduce(count.get().sum, |a, b| if a == b { a } else { 0 });
    if cx.is_leader() {
        let Item { key, producer, sequence } = *item;
        replies.send(Tracked { key, producer, sequence, count: seen });
    }
}

/// The failures of [`torn`](struct@torn).
pub const TORN: u16 = 77;

/// By the message: what goes wrong in some threads of a block.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 8)]
#[allow(clippy::collapsible_match)] // The condition is around a barrier.
pub fn torn(
    cx: &BlockCx,
    message: &Number,
    total: &Block<Total>,
    replies: &Outbox<Number>,
) -> Result<(), Failure> {
    let marks = cx.shared::<u32, 8>();
    let me = cx.thread_index();
    let zero = me.saturating_sub(me);
    if cx.is_leader() {
        total.set(Total { sum: total.get().sum + 1 });
        replies.send(*message);
    }
    // Conditions around barriers stand apart from those that differ between threads.
    match message.value {
        // A barrier under a condition that only some threads meet.
        1 => {
            if me < 3 {
                cx.barrier();
            }
        }
        // Threads go round a loop with a barrier differently often.
        8 => {
            let mut round = 0;
            while round < me {
                cx.barrier();
                round += 1;
            }
        }
        // Only the last thread fails, after the last barrier.
        9 => {
            cx.barrier();
            if me + 1 == cx.block_dim() {
                return Err(Failure::of(TORN));
            }
            return Ok(());
        }
        _ => {}
    }
    match message.value {
        // A thread that has returned.
        2 if me == 5 => return Ok(()),
        // Two threads fail between two barriers: the first one's code counts.
        3 if me == 6 => marks.set(8 + me as usize, 1),
        3 if me == 4 => marks.set(0, 1 / zero),
        4 if me == 1 => total.set(Total { sum: 99 }),
        5 if me == 1 => replies.send(*message),
        6 if me == 2 => return Err(Failure::of(TORN)),
        // All return, which leaves nobody waiting.
        7 => return Ok(()),
        _ => {}
    }
    cx.barrier();
    if me < 8 {
        marks.set(me as usize, me);
    }
    Ok(())
}

/// An element of a block's memory: with padding, and not all of its bytes a number's.
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Cell {
    pub sum: u64,
    pub writes: u32,
    pub marked: bool,
}

/// What [`kept_cells`](struct@kept_cells) does with a message.
pub mod cells {
    /// Each thread goes to the next element, and adds the message.
    pub const ROTATE: u64 = 0;
    /// A thread fails behind a barrier; what was written in front of it stays.
    pub const FAIL: u64 = 1;
    /// A thread writes behind the end.
    pub const BEYOND: u64 = 2;
    /// A thread reads behind the end, in a turn of a loop.
    pub const READ_BEYOND: u64 = 3;
}

/// Keeps elements that all threads read and write, as many as its launch binds, and words beside them. Answers with
/// a hash of all.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4)]
pub fn kept_cells(
    cx: &BlockCx,
    message: &Number,
    elements: &Block<[Cell]>,
    words: &Block<[u32]>,
    replies: &Outbox<Number>,
) -> Result<(), Failure> {
    let me = cx.thread_index() as usize;
    let dim = cx.block_dim() as usize;
    let what = message.value % 4;
    let added = message.value / 4;
    // Each thread has every `dim`-th element; all turn by one place.
    let mut first = 0;
    while first < elements.len() {
        let at = first + me;
        let mut cell = Cell { sum: 0, writes: 0, marked: false };
        if at < elements.len() {
            cell = elements.get((at + 1) % elements.len());
        }
        cx.barrier();
        if at < elements.len() && what == cells::ROTATE {
            let Cell { sum, writes, marked } = cell;
            let sum = sum.wrapping_mul(31).wrapping_add(added);
            elements.set(at, Cell { sum, writes: writes + 1, marked: !marked });
        }
        cx.barrier();
        first += dim;
    }
    if me < words.len() {
        words.set(me, words.get(me).wrapping_add(1));
    }
    cx.barrier();
    if what == cells::FAIL && me + 1 == dim {
        return Err(Failure::of(TORN));
    }
    if what == cells::BEYOND && me == 0 {
        elements.set(elements.len(), Cell { sum: 1, writes: 1, marked: true });
    }
    if what == cells::READ_BEYOND {
        for index in 0..=words.len() {
            let _ = words.get(index);
        }
    }
    cx.barrier();
    // Who has seen a failure does not come here.
    if cx.is_leader() {
        for index in 0..words.len() {
            words.set(index, words.get(index).wrapping_mul(3));
        }
    }
    cx.barrier();
    if cx.is_leader() {
        let mut hash = if elements.is_empty() { 1u64 } else { 2 };
        for index in 0..elements.len() {
            let cell = elements.get(index);
            hash = hash.wrapping_mul(0x100_0000_01B3) ^ cell.sum ^ u64::from(cell.writes);
            hash = hash.rotate_left(if cell.marked { 7 } else { 3 });
        }
        for index in 0..words.len() {
            hash = hash.wrapping_mul(0x100_0000_01B3) ^ u64::from(words.get(index));
        }
        replies.send(Number { value: hash });
    }
    Ok(())
}

/// All of them.
pub const TOGETHER: &[&KernelDefinition] = &[
    tree_sum::DEFINITION,
    float_sum::DEFINITION,
    track_together::DEFINITION,
    torn::DEFINITION,
    kept_cells::DEFINITION,
    warps::of_warps::DEFINITION,
    warps::torn_warps::DEFINITION,
];
