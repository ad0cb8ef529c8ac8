//! Bodies: the threads of a block take the messages of a turn themselves.

use std::sync::atomic::{AtomicU32, Ordering};

use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::ring_kernel;
use annulus_runtime::prelude::{Block, BlockCx, Failure, Inbox, Outbox};

use super::{Number, Total};

/// Each thread takes what there is, and doubles it: uneven, since a number is added that many times modulo 50.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64)]
pub fn share_out(cx: &BlockCx, inbox: &Inbox<Number>, taken: &[AtomicU32], out: &Outbox<Number>) {
    while let Some(message) = inbox.try_recv() {
        let mut doubled = message.value;
        for _ in 0..message.value % 50 {
            doubled += 1;
        }
        doubled += message.value - message.value % 50;
        taken[cx.thread_index() as usize].fetch_add(1, Ordering::Relaxed);
        out.send(Number { value: doubled });
    }
}

/// Takes two messages a turn at most, by its threads 0 and 1, whatever there is; answers with the number of the turn.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 32)]
pub fn two_a_turn(cx: &BlockCx, inbox: &Inbox<Number>, turns: &Block<Total>, out: &Outbox<Number>) {
    let turn = turns.get().sum + 1;
    if cx.thread_index() < 2
        && let Some(message) = inbox.try_recv()
    {
        out.send(Number { value: turn << 32 | message.value });
    }
    cx.barrier();
    if cx.is_leader() {
        turns.set(Total { sum: turn });
    }
}

/// All threads work on the sum of a turn, in shared memory and with barriers; each message is answered with the sum of
/// its turn, and how many there were.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 32)]
pub fn sum_of_turn(cx: &BlockCx, inbox: &Inbox<Number>, out: &Outbox<Number>) {
    let values = cx.shared::<u64, 256>();
    let me = cx.thread_index() as usize;
    let mut all = 0;
    let mut first = 0;
    while first < inbox.found() {
        let mine = inbox.try_recv();
        values.set(
            me,
            match mine {
                Some(message) => message.value,
                None => 0,
            },
        );
        cx.barrier();
        let mut sum = 0;
        for index in 0..cx.block_dim() as usize {
            sum += values.get(index);
        }
        all += sum;
        cx.barrier();
        if mine.is_some() {
            out.send(Number { value: u64::from(inbox.found()) << 32 | all });
        }
        first += cx.block_dim();
    }
}

/// Fails a turn in which a thread finds 13; its state is how many messages it has taken in turns that succeeded.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, max_outputs = 2)]
pub fn unlucky(
    cx: &BlockCx,
    inbox: &Inbox<Number>,
    total: &Block<Total>,
    out: &Outbox<Number>,
) -> Result<(), Failure> {
    let mut taken = 0u64;
    // Each thread takes one, so that on every backend several are taken in a turn.
    if let Some(message) = inbox.try_recv() {
        taken = 1;
        out.send(Number { value: message.value });
        if message.value == 13 {
            return Err(Failure::of(13));
        }
        if message.value == 14 {
            // One too many.
            out.send(Number { value: 1 });
            out.send(Number { value: 2 });
        }
    }
    let taken = cx.block_reduce(taken, |a, b| a + b);
    if cx.is_leader() {
        let sum = total.get().sum + taken;
        total.set(Total { sum });
    }
    Ok(())
}

/// Fails before it takes anything, if there is more than one message.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn refuses_many(cx: &BlockCx, inbox: &Inbox<Number>, out: &Outbox<Number>) -> Result<(), Failure> {
    if inbox.found() > 1 {
        return Err(Failure::of(7));
    }
    if cx.is_leader()
        && let Some(message) = inbox.try_recv()
    {
        out.send(message);
    }
    Ok(())
}

/// Takes one message a turn, and ends the kernel behind the one that says 99.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn until_99(cx: &BlockCx, inbox: &Inbox<Number>, total: &Block<Total>, out: &Outbox<Number>) {
    if cx.is_leader()
        && let Some(message) = inbox.try_recv()
    {
        total.set(Total { sum: total.get().sum + message.value });
        out.send(Number { value: total.get().sum });
        if message.value == 99 {
            inbox.end_kernel();
        }
    }
}

/// Waits until there are four messages, and takes them; else it leaves them.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4)]
pub fn by_fours(cx: &BlockCx, inbox: &Inbox<Number>, out: &Outbox<Number>) {
    if inbox.found() == 4
        && cx.thread_index() < 4
        && let Some(message) = inbox.try_recv()
    {
        out.send(message);
    }
}

/// Sends without having taken anything.
#[ring_kernel]
pub fn unasked(cx: &BlockCx, inbox: &Inbox<Number>, out: &Outbox<Number>) {
    if cx.thread_index() == 1 {
        out.send(Number { value: u64::from(inbox.found()) });
    }
}

/// One thread takes all, and sends two messages, of which one is allowed, for the first alone.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4)]
pub fn greedy_once(cx: &BlockCx, inbox: &Inbox<Number>, out: &Outbox<Number>) {
    if cx.thread_index() == 1 {
        while let Some(message) = inbox.try_recv() {
            out.send(message);
            if message.value == 1 {
                out.send(message);
            }
        }
    }
}

/// All of them.
pub const BODIES: &[&KernelDefinition] = &[
    share_out::DEFINITION,
    two_a_turn::DEFINITION,
    sum_of_turn::DEFINITION,
    unlucky::DEFINITION,
    refuses_many::DEFINITION,
    until_99::DEFINITION,
    by_fours::DEFINITION,
    unasked::DEFINITION,
    greedy_once::DEFINITION,
];
