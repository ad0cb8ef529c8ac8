use std::error::Error;

use annulus::prelude::*;

// ANCHOR: handler
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Number {
    value: u64,
}

/// Takes up to four numbers a turn, one by each thread; 0 is the last.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, block = 4)]
fn add(cx: &BlockCx, inbox: &Inbox<Number>, total: &Block<u64>, out: &Outbox<Number>) {
    let before = total.get();
    let mut value = 0;
    let mut is_last = false;
    if let Some(number) = inbox.try_recv() {
        value = number.value;
        is_last = number.value == 0;
    }
    // All threads have taken, and all know the sum.
    let sum = before + cx.block_reduce(value, |a, b| a + b);
    if cx.is_leader() {
        total.set(sum);
    }
    if is_last {
        out.send(Number { value: sum });
        inbox.end_kernel();
    }
}
// ANCHOR_END: handler

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: main
    let kernel = add::launch(&runtime, add::options())?;
    for value in (1..=10).chain([0]) {
        let _ = kernel.send_blocking(Number { value })?;
    }
    let sum = kernel.recv_blocking()?.value;
    kernel.terminate_blocking();
    println!("the sum is {sum}, and the kernel has {}", kernel.status().state);
    // ANCHOR_END: main
    Ok(())
}

#[test]
fn the_threads_of_a_block_take_what_there_is() {
    use annulus::kernel::{Cx, TestInbox, TestOutbox, run_block};

    let inbox = TestInbox::new([5, 6, 0, 7, 8].map(|value| Number { value }));
    let (total, mut out) = (Block::new(100), TestOutbox::new(1));
    run_block(Cx::new(0, 1, 0).with_block_dim(4), |cx| add(cx, &inbox, &total, &out)).unwrap();
    assert_eq!((total.get(), inbox.taken(), inbox.ends()), (118, 4, true));
    assert_eq!(out.take()[0].value, 118);
}
