//! Bodies: the threads of a block take the messages of a turn themselves.

use std::thread;

use annulus_abi::error;
use annulus_runtime::{
    BodyOption, CallError, KernelState, LaunchError, LaunchOptions, LaunchProblem, Transition, TryRecvError,
};

use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{
        Number, Total,
        bodies::{
            by_fours, greedy_once, refuses_many, share_out, sum_of_turn, two_a_turn, unasked, unlucky,
            until_99,
        },
        number,
    },
};

/// W-14: each message is taken by one thread, whatever the number of threads, blocks and senders is.
pub fn w14_a_body_takes_each_message_once(bench: &Bench) {
    const SENDERS: u64 = 3;
    const EACH: u64 = 400;
    for (grid, threads) in [(1, 2), (1, 7), (2, 32), (1, 100), (1, 256)] {
        let options = LaunchOptions::default().grid(grid).block(threads).capacity(64);
        let kernel = share_out::bind(&[0; 256]).launch(bench.runtime(), options).unwrap();
        let mut found = Vec::new();
        thread::scope(|scope| {
            for sender in 0..SENDERS {
                let kernel = &kernel;
                scope.spawn(move || {
                    for value in 0..EACH {
                        let _ = kernel.send_blocking(number(sender * EACH + value)).unwrap();
                    }
                });
            }
            // Slower than the senders at first, so that the block waits for room.
            for _ in 0..SENDERS * EACH {
                found.push(kernel.recv_blocking().unwrap().value);
            }
        });
        found.sort_unstable();
        let wanted: Vec<u64> = (0..SENDERS * EACH).map(|value| 2 * value).collect();
        assert_eq!(found, wanted, "{grid} blocks of {threads}");
        assert_eq!(kernel.call_blocking(number(21)), Ok(number(42)));
        drain(&kernel);
        let status = balanced(&kernel);
        assert_eq!((status.processed, status.drops.total()), (SENDERS * EACH + 1, 0));
        kernel.deactivate_blocking().unwrap();
        let taken: Vec<u32> = kernel.snapshot_blocking().unwrap().memory("taken").unwrap();
        assert_eq!(taken.iter().sum::<u32>() as u64, SENDERS * EACH + 1);
    }
}

/// What no thread takes stays for the next turn: messages are taken in order, each once.
pub fn w14_what_a_body_leaves_comes_again(bench: &Bench) {
    let options = LaunchOptions::default().block(8).active(false);
    let kernel = two_a_turn::launch(bench.runtime(), options).unwrap();
    for value in 0..21 {
        let _ = kernel.send_blocking(number(value)).unwrap();
    }
    kernel.activate_blocking().unwrap();
    drain(&kernel);
    for value in 0..21u64 {
        let answer = kernel.recv_blocking().unwrap().value;
        // Two are taken in each turn, as long as there are two.
        assert_eq!((answer & 0xFFFF_FFFF, answer >> 32), (value, value / 2 + 1));
    }
    assert_eq!(kernel.try_recv(), Err(TryRecvError::Empty));
    drain(&kernel);
    assert_eq!(balanced(&kernel).processed, 21);
}

/// A body that takes nothing is called again, and neither keeps other kernels nor the end from their turns.
pub fn w14_a_body_may_wait_for_more(bench: &Bench) {
    let kernel = by_fours::launch(bench.runtime(), LaunchOptions::default().block(4)).unwrap();
    let other = share_out::bind(&[0; 2])
        .launch(bench.runtime(), LaunchOptions::default().block(2).name("beside"))
        .unwrap();
    for value in 0..6 {
        let _ = kernel.send_blocking(number(value)).unwrap();
    }
    for value in 0..4 {
        assert_eq!(kernel.recv_blocking(), Ok(number(value)));
    }
    for value in 0..20 {
        assert_eq!(other.call_blocking(number(value)), Ok(number(2 * value)));
    }
    assert_eq!(kernel.try_recv(), Err(TryRecvError::Empty));
    // What is sent is received before its message is given back.
    eventually(|| kernel.status().pending == 2);
    for value in 6..9 {
        let _ = kernel.send_blocking(number(value)).unwrap();
    }
    for value in 4..8 {
        assert_eq!(kernel.recv_blocking(), Ok(number(value)));
    }
    kernel.terminate_blocking();
    assert_eq!(kernel.take_undelivered(), [number(8)]);
    assert_eq!(balanced(&kernel).processed, 8);
}

/// Barriers and shared memory in a body, for all messages of a turn.
pub fn w14_a_body_has_barriers(bench: &Bench) {
    for threads in [2, 5, 32, 40] {
        let options = LaunchOptions::default().block(threads).active(false);
        let kernel = sum_of_turn::launch(bench.runtime(), options).unwrap();
        for value in 1..=70 {
            let _ = kernel.send_blocking(number(value)).unwrap();
        }
        kernel.activate_blocking().unwrap();
        let mut left = 70u64;
        let mut first = 1u64;
        while left > 0 {
            let answer = kernel.recv_blocking().unwrap().value;
            let found = answer >> 32;
            assert!((1..=32).contains(&found) && found <= left, "{threads} threads: {found} of {left}");
            // Messages of one round see the sum up to it; those of the last round see all of the turn.
            let mut answers = vec![answer & 0xFFFF_FFFF];
            for _ in 1..found {
                answers.push(kernel.recv_blocking().unwrap().value & 0xFFFF_FFFF);
            }
            for (index, answer) in answers.into_iter().enumerate() {
                let end = ((index as u64 / u64::from(threads) + 1) * u64::from(threads)).min(found);
                let sum: u64 = (first..first + end).sum();
                assert_eq!(answer, sum, "{threads} threads, message {index} of {found}");
            }
            first += found;
            left -= found;
        }
        drain(&kernel);
        assert_eq!(balanced(&kernel).processed, 70);
    }
}

/// A body that fails: what it took in that turn fails, its state and its outputs are rolled back, and what it left is
/// not touched.
pub fn w14_a_body_that_fails_fails_what_it_took(bench: &Bench) {
    let options = LaunchOptions::default().block(4).dead_letters(64);
    let kernel = unlucky::launch(bench.runtime(), options.clone()).unwrap();
    assert_eq!(kernel.call_blocking(number(1)), Ok(number(1)));
    assert_eq!(kernel.call_blocking(number(13)), Err(CallError::Failed { code: 13, name: None }));
    let too_many = error::TOO_MANY_OUTPUTS;
    assert_eq!(kernel.call_blocking(number(14)), Err(CallError::Failed { code: too_many, name: None }));
    assert_eq!(kernel.call_blocking(number(2)), Ok(number(2)));
    kernel.deactivate_blocking().unwrap();
    assert_eq!(kernel.snapshot_blocking().unwrap().states::<Total>().unwrap(), [Total { sum: 2 }]);
    // A turn of four, of which the first one is unlucky; a thread that fails keeps no other from taking, and those that
    // came too late have their own turn.
    for value in [13, 3, 4, 5, 6] {
        let _ = kernel.send_blocking(number(value)).unwrap();
    }
    kernel.activate_blocking().unwrap();
    drain(&kernel);
    let status = balanced(&kernel);
    let failed = status.drops.failed - 2;
    assert!((1..=4).contains(&failed), "{status:?}");
    assert_eq!(status.processed, 2 + 5 - failed);
    assert_eq!(status.last_error, 13);
    for value in [13, 3, 4, 5, 6].into_iter().skip(failed as usize) {
        assert_eq!(kernel.recv_blocking(), Ok(number(value)));
    }
    assert_eq!(kernel.try_recv(), Err(TryRecvError::Empty));
    let letters = kernel.dead_letters().unwrap();
    eventually(|| letters.len() == 2 + failed as usize);
    let buried: Vec<u64> = letters.take_batch().into_iter().map(|letter| letter.message.value).collect();
    assert_eq!(buried[2..], [13, 3, 4, 5, 6][..failed as usize]);
}

/// A body that fails before it has taken anything fails the first message, so it comes to the others.
pub fn w14_a_body_that_takes_nothing_and_fails_goes_on(bench: &Bench) {
    let options = LaunchOptions::default().block(3).active(false);
    let kernel = refuses_many::launch(bench.runtime(), options).unwrap();
    for value in 0..5 {
        let _ = kernel.send_blocking(number(value)).unwrap();
    }
    kernel.activate_blocking().unwrap();
    drain(&kernel);
    assert_eq!(kernel.recv_blocking(), Ok(number(4)));
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.drops.failed, status.last_error), (1, 4, 7));
    // And one that sends for no message.
    let kernel = unasked::launch(bench.runtime(), LaunchOptions::default().block(3)).unwrap();
    let code = error::TOO_MANY_OUTPUTS;
    assert_eq!(kernel.call_blocking(number(4)), Err(CallError::Failed { code, name: None }));
    drain(&kernel);
    assert_eq!(balanced(&kernel).drops.failed, 1);
    // One that sends too much for its first message fails, whatever it takes then.
    let options = LaunchOptions::default().block(2).active(false);
    let kernel = greedy_once::launch(bench.runtime(), options).unwrap();
    kernel.send_batch_blocking(&[1, 2, 3].map(number)).unwrap();
    kernel.activate_blocking().unwrap();
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.drops.failed, status.last_error), (0, 3, code), "{status:?}");
    let _ = kernel.send_blocking(number(4)).unwrap();
    assert_eq!(kernel.recv_blocking(), Ok(number(4)));
}

/// A body ends its kernel: what it took is answered, its state is kept, and what it left is undelivered.
pub fn w14_a_body_ends_its_kernel(bench: &Bench) {
    let options = LaunchOptions::default().block(2).active(false);
    let kernel = until_99::launch(bench.runtime(), options).unwrap();
    for value in [1, 2, 99, 4, 5] {
        let _ = kernel.send_blocking(number(value)).unwrap();
    }
    // It may have ended before this returns.
    let _ = kernel.activate_blocking();
    for sum in [1, 3, 102] {
        assert_eq!(kernel.recv_blocking(), Ok(number(sum)));
    }
    eventually(|| kernel.status().state == KernelState::Terminated);
    assert!(kernel.recv_blocking().is_err());
    assert!(kernel.send_blocking(number(6)).is_err());
    assert_eq!(kernel.terminate_blocking(), Transition::Already);
    assert_eq!(kernel.snapshot_blocking().unwrap().states::<Total>().unwrap(), [Total { sum: 102 }]);
    assert_eq!(kernel.take_undelivered(), [number(4), number(5)]);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.drops.failed, status.drops.undelivered), (3, 0, 2));
}

/// What bodies do not have is refused, with what to do instead.
pub fn w14_what_bodies_do_not_have_is_refused(bench: &Bench) {
    let refused = |options: LaunchOptions| match share_out::bind(&[0]).launch(bench.runtime(), options) {
        Err(LaunchError::Invalid(invalid)) => invalid,
        other => panic!("{other:?}"),
    };
    let options = LaunchOptions::default().block(2);
    for (options, option, words) in [
        (options.clone().block(1), BodyOption::Block, "use .block(2) or more"),
        (options.clone().connectable(true), BodyOption::Connectable, "leave it out"),
        (options.clone().supersteps(true), BodyOption::Supersteps, "leave supersteps and rounds out"),
        (options.clone().tracing(true), BodyOption::Tracing, "leave tracing out"),
        (options.clone().black_box(true), BodyOption::BlackBox, "leave black_box out"),
    ] {
        let invalid = refused(options);
        assert_eq!(invalid.problems(), [LaunchProblem::Body { kernel: "share_out", option }]);
        assert!(invalid.to_string().contains(words), "{invalid}");
    }
}

/// Answers without room: the block waits between turns, and loses nothing.
pub fn w14_a_body_waits_for_room(bench: &Bench) {
    let options = LaunchOptions::default().block(4).capacity(16).output_capacity(16);
    let kernel = two_a_turn::launch(bench.runtime(), options).unwrap();
    let mut sent = 0;
    while sent < 24 {
        if kernel.try_send(number(sent)).is_ok() {
            sent += 1;
        }
    }
    eventually(|| kernel.status().stalled_shards == 1);
    for value in 0..24 {
        assert_eq!(kernel.recv_blocking().unwrap().value & 0xFFFF_FFFF, value);
    }
    let calls: Vec<Number> = (0..20).map(|value| kernel.call_blocking(number(value)).unwrap()).collect();
    assert!(calls.iter().zip(0..).all(|(answer, value)| answer.value & 0xFFFF_FFFF == value));
    drain(&kernel);
    assert_eq!(balanced(&kernel).processed, 44);
}
