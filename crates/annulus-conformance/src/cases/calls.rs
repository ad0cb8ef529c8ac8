//! A call gets the reply to its own message, whatever else is in flight.

use std::{pin::pin, thread, time::Duration};

use annulus_runtime::{Backpressure, CallError, LaunchOptions, SendOutcome, block_on};

use crate::{
    Bench,
    bench::{Random, balanced, drain, eventually},
    cases::messages::poll_once,
    kernels::{FAIL, Item, TEAPOT, echo, fragile, number, numbers, odd, swallow, track},
};

/// A value that no other message of a case has.
fn unique(thread: u64, round: u64, slot: u64) -> u64 {
    (thread << 48) | (round << 16) | slot
}

/// Eight threads with eight calls each in flight, among plain sends and receives: each caller gets its own
/// reply, each receiver only what was not called for.
pub fn replies_reach_their_callers(bench: &Bench) {
    let options = LaunchOptions::default().grid(3).capacity(64).output_capacity(32);
    let kernel = echo::launch(bench.runtime(), options).unwrap();
    let rounds = bench.size(200, 3_000);
    let plain = rounds * 8;
    let mut received = thread::scope(|scope| {
        let callers: Vec<_> = (1..=8)
            .map(|thread| {
                let kernel = &kernel;
                scope.spawn(move || {
                    for round in 0..rounds {
                        let call = |slot| Box::pin(kernel.call(number(unique(thread, round, slot))));
                        let mut calls: Vec<_> = (0..8).map(call).collect();
                        // All are under way before the first is waited for.
                        let early: Vec<_> = calls.iter_mut().map(|call| poll_once(call.as_mut())).collect();
                        for (slot, (call, early)) in calls.into_iter().zip(early).enumerate() {
                            let reply = early.unwrap_or_else(|| block_on(call));
                            assert_eq!(reply, Ok(number(unique(thread, round, slot as u64))));
                        }
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            numbers(0..plain).into_iter().for_each(|message| {
                let _ = kernel.send_blocking(message).unwrap();
            })
        });
        let receive = || std::iter::from_fn(|| kernel.recv_blocking().ok()).collect::<Vec<_>>();
        let receivers: Vec<_> = (0..2).map(|_| scope.spawn(receive)).collect();
        callers.into_iter().for_each(|caller| caller.join().unwrap());
        eventually(|| kernel.status().processed == plain + 64 * rounds);
        kernel.terminate_blocking();
        receivers.into_iter().flat_map(|receiver| receiver.join().unwrap()).collect::<Vec<_>>()
    });
    received.sort_unstable();
    assert_eq!(received, numbers(0..plain));
    balanced(&kernel);
}

/// D-07: ten threads, each with a hundred calls under way at once. Each call gets its own reply.
pub fn d07_ten_threads_with_a_hundred_calls_each(bench: &Bench) {
    let options = LaunchOptions::default().grid(2).capacity(256).output_capacity(64);
    let kernel = echo::launch(bench.runtime(), options).unwrap();
    let rounds = bench.size(3, 100);
    thread::scope(|scope| {
        for thread in 0..10 {
            let kernel = &kernel;
            scope.spawn(move || {
                for round in 0..rounds {
                    let call = |slot| Box::pin(kernel.call(number(unique(thread, round, slot))));
                    let mut calls: Vec<_> = (0..100).map(call).collect();
                    let early: Vec<_> = calls.iter_mut().map(|call| poll_once(call.as_mut())).collect();
                    for (slot, (call, early)) in (0..).zip(calls.into_iter().zip(early)) {
                        let reply = early.unwrap_or_else(|| block_on(call));
                        assert_eq!(reply, Ok(number(unique(thread, round, slot))));
                    }
                }
            });
        }
    });
    drain(&kernel);
    assert_eq!(balanced(&kernel).processed, 10 * 100 * rounds);
}

/// Calls without any receiver: nobody but the callers takes replies out.
pub fn callers_need_no_receiver(bench: &Bench) {
    let options =
        LaunchOptions::default().grid(2).actors(8).capacity(16).output_capacity(16).spin(Duration::ZERO);
    let kernel = track::launch(bench.runtime(), options).unwrap();
    let rounds = bench.size(1_000, 20_000);
    thread::scope(|scope| {
        for key in 0..8 {
            let kernel = &kernel;
            scope.spawn(move || {
                for sequence in 0..rounds {
                    let reply = kernel.call_blocking(Item { key, producer: key, sequence }).unwrap();
                    assert_eq!((reply.key, reply.sequence, reply.count), (key, sequence, sequence + 1));
                }
            });
        }
    });
    drain(&kernel);
    assert_eq!(balanced(&kernel).processed, 8 * rounds);
}

/// Calls whose messages wait in a queue in front of the ring, where policies are: each gets the reply to its
/// own, whether its caller sleeps by the time it is handed over or not.
pub fn calls_wait_in_front(bench: &Bench) {
    let options = || {
        let options = LaunchOptions::default().grid(2).actors(8).capacity(64).output_capacity(16);
        options.max_messages_per_iteration(1).spin(Duration::ZERO)
    };
    for options in [
        options().name("priority").priority(true),
        options().name("expiry").expiry(Duration::from_secs(3600)),
        options().name("oldest").backpressure(Backpressure::DropOldest),
    ] {
        let kernel = track::launch(bench.runtime(), options).unwrap();
        let rounds = bench.size(100, 2_000);
        thread::scope(|scope| {
            for key in 0..8 {
                let kernel = &kernel;
                scope.spawn(move || {
                    for round in 0..rounds {
                        let call =
                            |i| Box::pin(kernel.call(Item { key, producer: key, sequence: round * 6 + i }));
                        let mut calls: Vec<_> = (0..6).map(call).collect();
                        let early: Vec<_> = calls.iter_mut().map(|call| poll_once(call.as_mut())).collect();
                        for (i, (call, early)) in (0..).zip(calls.into_iter().zip(early)) {
                            if early.is_none() && (round + i) % 5 == 4 {
                                // It is given up, and counts all the same.
                                continue;
                            }
                            let reply = early.unwrap_or_else(|| block_on(call)).unwrap();
                            let sequence = round * 6 + i;
                            assert_eq!(
                                (reply.key, reply.sequence, reply.count),
                                (key, sequence, sequence + 1)
                            );
                        }
                    }
                });
            }
        });
        drain(&kernel);
        let status = balanced(&kernel);
        assert_eq!((status.processed, status.outputs_waiting, status.replies_waiting), (48 * rounds, 0, 0));
    }
}

/// A handler that sends nothing answers with that.
pub fn a_call_without_a_reply(bench: &Bench) {
    let kernel = odd::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    for value in 0..20 {
        let expected = if value % 2 == 1 { Ok(number(value)) } else { Err(CallError::NoReply) };
        assert_eq!(kernel.call_blocking(number(value)), expected);
    }
    let silent = swallow::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    assert_eq!(silent.call_blocking(number(1)), Err(CallError::NoReply));
}

/// A handler that fails answers with its code; an actor that there is not, with that.
pub fn a_call_that_fails(bench: &Bench) {
    let kernel = fragile::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    assert_eq!(kernel.call_blocking(number(FAIL)), Err(CallError::Failed { code: TEAPOT, name: None }));
    assert_eq!(kernel.call_blocking(number(2)), Ok(number(2)));
    let actors = track::launch(bench.runtime(), LaunchOptions::default().actors(2)).unwrap();
    let error = actors.call_blocking(Item { key: 2, producer: 0, sequence: 0 }).unwrap_err();
    assert_eq!(error, CallError::Failed { code: annulus_abi::error::UNKNOWN_ACTOR, name: None });
    assert!(error.to_string().contains("LaunchOptions::actors"), "{error}");
}

/// A call that waits in a kernel when that terminates is told so; so is one that waits for space, and one
/// that comes later.
pub fn termination_ends_calls(bench: &Bench) {
    for backpressure in [Backpressure::Block, Backpressure::DropOldest] {
        let options = LaunchOptions::default().capacity(16).active(false).backpressure(backpressure);
        let kernel = echo::launch(bench.runtime(), options.name(format!("{backpressure:?}"))).unwrap();
        kernel.deactivate_blocking().unwrap();
        thread::scope(|scope| {
            let waiting: Vec<_> = (0..16)
                .map(|value| {
                    let kernel = &kernel;
                    scope.spawn(move || kernel.call_blocking(number(value)))
                })
                .collect();
            eventually(|| kernel.status().pending == 16);
            let blocked = (backpressure == Backpressure::Block)
                .then(|| scope.spawn(|| kernel.call_blocking(number(99))));
            thread::sleep(Duration::from_millis(2));
            kernel.terminate_blocking();
            for call in waiting {
                assert_eq!(call.join().unwrap(), Err(CallError::Terminated));
            }
            if let Some(blocked) = blocked {
                assert_eq!(blocked.join().unwrap(), Err(CallError::Closed));
            }
        });
        assert_eq!(kernel.call_blocking(number(1)), Err(CallError::Closed));
        let status = balanced(&kernel);
        assert_eq!((status.sent, status.drops.undelivered), (16, 16));
        assert_eq!(kernel.take_undelivered().len(), 16);
    }
}

/// Calls race with the end: each gets its reply, or hears why not; none waits for ever.
pub fn calls_race_with_termination(bench: &Bench) {
    for round in bench.rounds(100, 1_000) {
        let options = LaunchOptions::default().capacity(16).output_capacity(16).grid(2).name("race");
        let kernel = echo::launch(bench.runtime(), options).unwrap();
        thread::scope(|scope| {
            for caller in 0..4 {
                let kernel = &kernel;
                scope.spawn(move || {
                    for value in 0.. {
                        let message = number(unique(caller, round, value));
                        match kernel.call_blocking(message) {
                            Ok(reply) => assert_eq!(reply, message),
                            Err(CallError::Terminated) => {}
                            Err(CallError::Closed) => return,
                            Err(error) => panic!("{error}"),
                        }
                    }
                });
            }
            eventually(|| kernel.status().processed > 50);
            kernel.terminate_blocking();
        });
        balanced(&kernel);
    }
}

/// A call that is given up costs nobody else a reply, wherever it was.
pub fn dropped_calls_harm_nobody(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default().grid(2).output_capacity(16)).unwrap();
    let rounds = bench.size(500, 10_000);
    thread::scope(|scope| {
        for thread in 0..4 {
            let kernel = &kernel;
            scope.spawn(move || {
                let mut random = Random(thread);
                for round in 0..rounds {
                    let message = number(unique(thread, round, 0));
                    match random.below(4) {
                        0 => {
                            let _ = poll_once(pin!(kernel.call(message)));
                        }
                        1 => drop(kernel.call(message)),
                        2 => drop(kernel.call_timeout(message, Duration::from_micros(random.below(50)))),
                        _ => {}
                    }
                    let message = number(unique(thread, round, 1));
                    assert_eq!(kernel.call_blocking(message), Ok(message));
                }
            });
        }
    });
    drain(&kernel);
    balanced(&kernel);
    // Replies that nobody waited for are not handed to receivers.
    assert!(kernel.try_recv().is_err());
    assert_eq!(kernel.status().replies_waiting, 0);
}

/// A call that is not admitted hears why.
pub fn calls_under_pressure(bench: &Bench) {
    let launch = |backpressure: Backpressure| {
        let options = LaunchOptions::default().capacity(16).active(false).backpressure(backpressure);
        let kernel = echo::launch(bench.runtime(), options.name(format!("{backpressure:?}"))).unwrap();
        kernel.deactivate_blocking().unwrap();
        kernel
    };
    let reject = launch(Backpressure::Reject);
    reject.send_batch_blocking(&numbers(0..16)).unwrap();
    assert_eq!(reject.call_blocking(number(1)), Err(CallError::Full));
    assert_eq!(balanced(&reject).drops.rejected, 1);

    let drop_new = launch(Backpressure::DropNew);
    drop_new.send_batch_blocking(&numbers(0..16)).unwrap();
    assert_eq!(drop_new.call_blocking(number(1)), Err(CallError::Dropped));
    assert_eq!(balanced(&drop_new).drops.discarded, 1);

    let block = launch(Backpressure::Block);
    block.send_batch_blocking(&numbers(0..16)).unwrap();
    assert_eq!(block.call_timeout(number(1), Duration::from_millis(2)), Err(CallError::Timeout));
    let status = balanced(&block);
    assert_eq!((status.sent, status.pending), (16, 16), "it was never sent");

    let drop_oldest = launch(Backpressure::DropOldest);
    drop_oldest.send_batch_blocking(&numbers(0..2)).unwrap();
    thread::scope(|scope| {
        let evicted = scope.spawn(|| drop_oldest.call_blocking(number(1)));
        eventually(|| drop_oldest.status().pending == 3);
        let outcomes: Vec<_> =
            numbers(10..26).into_iter().map(|m| drop_oldest.try_send(m).unwrap()).collect();
        assert_eq!(outcomes[15], SendOutcome::Evicted(number(1)));
        assert_eq!(evicted.join().unwrap(), Err(CallError::Dropped));
    });
    assert_eq!(balanced(&drop_oldest).drops.evicted, 1);
}

/// Calls can be left out at launch; then they say so.
pub fn calls_can_be_off(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default().calls(false)).unwrap();
    let error = kernel.call_blocking(number(1)).unwrap_err();
    assert_eq!(error, CallError::Disabled);
    assert!(error.to_string().contains("calls(false)"), "{error}");
    assert_eq!(balanced(&kernel).sent, 0);
}
