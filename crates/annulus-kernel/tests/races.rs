//! B-03, B-09: races between the threads of a block are found on the CPU; their mended forms are silent. The
//! documents' pitfalls are among them.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    process::Command,
};

use annulus_kernel::{Block, BlockCx, Cx, FenceScope, check_block, run_block};

/// The race of a block of 256 threads; `None` if it has none.
#[track_caller]
fn race(thread: impl Fn(&BlockCx)) -> Option<String> {
    let cx = Cx::new(0, 1, 0).with_block_dim(256);
    let panic = catch_unwind(AssertUnwindSafe(|| check_block(cx, thread).unwrap())).err()?;
    let text = panic.downcast_ref::<String>().expect("a text").clone();
    assert!(text.starts_with("race: thread "), "{text}");
    Some(text)
}

/// The documents' first pitfall: a barrier narrower than the sharing. A fence of the block, or none, in place
/// of its barrier.
#[test]
fn b09_a_scope_narrower_than_the_sharing() {
    for waits in [false, true] {
        let found = race(|cx| {
            let shared = cx.shared::<u32, 256>();
            let me = cx.thread_index();
            shared.set(me as usize, me);
            if waits {
                cx.barrier();
            } else {
                cx.fence(FenceScope::Block);
            }
            let sum = shared.get(0) + shared.get(64) + shared.get(128);
            assert!(!waits || sum == 192);
        });
        assert_eq!(found.is_none(), waits, "{found:?}");
    }
}

/// A warp's barrier is enough for its own threads, and not for those of another warp; what only exchanges
/// values orders nothing else; a scan is a barrier of the block.
#[test]
fn b07_b09_a_barrier_of_a_warp_orders_its_threads() {
    type Operation = fn(&BlockCx);
    let neighbours: [(Operation, bool, bool); 5] = [
        (|cx| cx.warp_barrier(), true, false),
        (|cx| assert_eq!(cx.shuffle(1u8, 0), 1), false, false),
        (|cx| assert!(cx.all(true)), false, false),
        (|cx| assert_eq!(cx.warp_reduce(1u32, |a, b| a + b), 32), false, false),
        (|cx| assert_eq!(cx.block_scan(1u32, |a, b| a + b), cx.thread_index() + 1), true, true),
    ];
    for (index, (meets, in_warp, in_block)) in neighbours.into_iter().enumerate() {
        for (distance, ordered) in [(1, in_warp), (32, in_block)] {
            let found = race(|cx| {
                let shared = cx.shared::<u32, 256>();
                let me = cx.thread_index();
                shared.set(me as usize, me);
                meets(cx);
                assert_eq!(shared.get((me ^ distance) as usize), me ^ distance);
            });
            assert_eq!(found.is_none(), ordered, "{index}, {distance}: {found:?}");
        }
    }
}

/// An error names both accesses, with their lines, and the array.
#[test]
fn b03_an_error_names_both_accesses() {
    let here = line!();
    let found = race(|cx| {
        let shared = cx.shared::<u64, 256>();
        shared.set(cx.thread_index() as usize, 7);
        assert!(shared.get((cx.thread_index() as usize + 255) % 256) <= 7);
    });
    // Thread 1 is the first that reads what another one, thread 0, has written; or thread 255 writes what
    // thread 0 has read.
    let text = found.expect("there is no barrier");
    let [array, write, read] = [2, 3, 4].map(|below| format!("races.rs:{}:", here + below));
    for part in [
        "thread 1 reads element 0 of the array that is shared at ",
        &array,
        &read,
        "and thread 0 writes it at ",
        &write,
        "with no barrier in between",
    ] {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

/// The documents' second pitfall: what is sent may be seen before the state that was written. Here the leader
/// sends what others wrote.
#[test]
fn b03_a_message_before_what_it_tells_of() {
    for waits in [false, true] {
        let sent = Block::new(0u32);
        let found = race(|cx| {
            let state = cx.shared::<u32, 256>();
            state.set(cx.thread_index() as usize, cx.thread_index());
            if waits {
                cx.barrier();
            }
            if cx.is_leader() {
                sent.set((0..256).map(|i| state.get(i)).sum());
            }
        });
        assert_eq!(found.is_none(), waits, "{found:?}");
        assert_eq!(sent.get() == 255 * 128, waits);
    }
}

/// A tree that adds up without a barrier in its loop.
#[test]
fn b03_a_tree_without_its_barrier() {
    for waits in [false, true] {
        let found = race(|cx| {
            let sums = cx.shared::<u32, 256>();
            let me = cx.thread_index() as usize;
            sums.set(me, 1);
            cx.barrier();
            let mut half = 128;
            while half > 0 {
                if me < half {
                    sums.set(me, sums.get(me) + sums.get(me + half));
                }
                if waits {
                    cx.barrier();
                }
                half /= 2;
            }
            assert!(!waits || cx.thread_index() != 0 || sums.get(0) == 256);
        });
        assert_eq!(found.is_none(), waits, "{found:?}");
    }
}

/// A stencil that writes in place: all have read before anybody writes, or not.
#[test]
fn b03_a_stencil_that_writes_what_others_read() {
    for waits in [false, true] {
        let found = race(|cx| {
            let heat = cx.shared::<f32, 256>();
            let me = cx.thread_index() as usize;
            heat.set(me, me as f32);
            cx.barrier();
            let mean = f32::midpoint(heat.get((me + 255) % 256), heat.get((me + 1) % 256));
            if waits {
                cx.barrier();
            }
            heat.set(me, mean);
        });
        assert_eq!(found.is_none(), waits, "{found:?}");
    }
}

/// What the leader sets, others read behind a barrier, or not.
#[test]
fn b03_the_state_that_the_leader_sets() {
    for waits in [false, true] {
        let state = Block::new(1u32);
        let found = race(|cx| {
            if cx.is_leader() {
                state.set(state.get() + 1);
            }
            if waits {
                cx.barrier();
            }
            assert!(state.get() <= 2);
        });
        assert_eq!(found.is_none(), waits, "{found:?}");
        assert!(waits || found.is_some_and(|text| text.contains("reads the state at ")));
    }
}

/// Two threads that write one element are a race; one thread that does, twice, is none; nor are readers.
#[test]
fn b03_writers_and_readers() {
    let two = race(|cx| cx.shared::<u32, 1>().set(0, 1));
    assert!(two.is_some_and(
        |text| text.contains("thread 1 writes element 0") && text.contains("thread 0 writes it")
    ));
    let one = race(|cx| {
        let shared = cx.shared::<u32, 2>();
        if cx.thread_index() == 9 {
            shared.set(0, 1);
            shared.set(0, shared.get(0) + 1);
        }
        cx.barrier();
        assert_eq!((shared.get(0), shared.get(1)), (2, 0));
        let sum = cx.block_reduce(shared.get(0), |a, b| a + b);
        if cx.is_leader() {
            shared.set(1, sum);
        }
    });
    assert_eq!(one, None);
}

/// What one message shared does not matter to the next one.
#[test]
fn b03_messages_have_nothing_to_do_with_each_other() {
    let state = Block::new(0u32);
    for message in 0..3 {
        let found = race(|cx| {
            assert_eq!(state.get(), message);
            cx.barrier();
            if cx.is_leader() {
                state.set(message + 1);
            }
        });
        assert_eq!(found, None);
    }
}

/// Run by the test below.
#[test]
#[ignore = "has a race"]
fn racy() {
    let cx = Cx::new(0, 1, 0).with_block_dim(2);
    run_block(cx, |cx| cx.shared::<u32, 1>().set(0, 1)).unwrap();
}

/// The variable turns it on for all blocks, and only if it is 1.
#[test]
fn b03_a_variable_turns_it_on() {
    for (value, finds) in [("1", true), ("0", false), ("", false)] {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "racy", "--ignored"])
            .env("ANNULUS_RACES", value)
            .output()
            .unwrap();
        assert_eq!(output.status.success(), !finds, "{value}");
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(text.contains("race: thread 1 writes element 0"), finds, "{text}");
    }
}

/// What a kernel keeps for its block is watched as arrays are.
#[test]
fn b03_memory_that_a_block_keeps() {
    for waits in [false, true] {
        let mut memory = [0u32; 300];
        let kept = Block::from_mut(&mut memory);
        let found = race(|cx| {
            let me = cx.thread_index() as usize;
            kept.set(kept.len() - 1 - me, 5);
            if waits {
                cx.barrier();
            }
            assert!(kept.get(kept.len() - 256 + me) <= 5);
        });
        assert_eq!(found.is_none(), waits, "{found:?}");
        assert!(found.is_none_or(|text| text.contains("element 171 of the block's memory")));
    }
}
