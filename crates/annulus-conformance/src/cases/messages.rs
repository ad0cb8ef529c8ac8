//! Sending, receiving, order.

use std::{
    collections::HashMap,
    future::Future,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Wake, Waker},
    thread,
    time::Duration,
};

use annulus_runtime::{
    LaunchOptions, ProcessingMode, RecvError, SendError, SendOutcome, TryRecvError, block_on,
};
use futures_core::Stream;

use crate::{
    Bench,
    bench::{Random, balanced, drain, eventually},
    kernels::{Done, Item, batch_echo, does, echo, misplaced, number, numbers, total, track},
};

/// a message goes in, its echo comes out.
pub fn launch_and_echo(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::low_latency()).unwrap();
    assert_eq!(kernel.try_recv(), Err(TryRecvError::Empty));
    assert_eq!(kernel.try_send(number(7)), Ok(SendOutcome::Accepted));
    assert_eq!(kernel.recv_blocking(), Ok(number(7)));
    block_on(async {
        assert_eq!(kernel.send(number(8)).await, Ok(SendOutcome::Accepted));
        assert_eq!(kernel.recv().await, Ok(number(8)));
    });
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.sent, status.processed, status.produced, status.outputs_waiting), (2, 2, 2, 0));
}

/// Messages of one producer for one key are handled in order, whatever the number of shards, keys and
/// producers.
pub fn order_per_key_and_producer(bench: &Bench) {
    for (grid, actors, batches) in [(1, 1, false), (3, 16, false), (2, 5, true)] {
        let options =
            LaunchOptions::default().grid(grid).actors(actors).capacity(64).name(format!("grid-{grid}"));
        let kernel = track::launch(bench.runtime(), options).unwrap();
        let each = bench.size(5_000, 100_000);
        let producers = 4;
        thread::scope(|scope| {
            for producer in 0..producers {
                let kernel = &kernel;
                scope.spawn(move || {
                    let mut random = Random(producer.into());
                    let item = |sequence| Item { key: random.below(actors) as u32, producer, sequence };
                    let items: Vec<_> = (0..each).map(item).collect();
                    if batches {
                        items.chunks(37).for_each(|chunk| kernel.send_batch_blocking(chunk).unwrap());
                    } else {
                        items.iter().for_each(|&item| {
                            assert_eq!(kernel.send_blocking(item), Ok(SendOutcome::Accepted))
                        });
                    }
                });
            }
            let mut last = HashMap::new();
            let mut counts = HashMap::new();
            for _ in 0..each * u64::from(producers) {
                let reply = kernel.recv_blocking().unwrap();
                // The state's own order is the order of the replies.
                let count = counts.entry(reply.key).or_insert(0);
                *count += 1;
                assert_eq!(reply.count, *count);
                let before = last.insert((reply.key, reply.producer), reply.sequence);
                assert!(before.is_none_or(|before| before < reply.sequence), "{before:?} before {reply:?}");
            }
        });
        drain(&kernel);
        let status = balanced(&kernel);
        assert_eq!((status.processed, status.outputs_waiting), (each * u64::from(producers), 0));
    }
}

/// Keys keep their order where actors have no state, too: it can be seen in what kernels share.
pub fn order_per_key_without_state(bench: &Bench) {
    const KEYS: u32 = 3;
    let kernel = misplaced::bind(&[0; KEYS as usize])
        .launch(bench.runtime(), LaunchOptions::default().capacity(256))
        .unwrap();
    let each = bench.size(3_000, 100_000);
    for sequence in 0..each {
        for key in 0..KEYS {
            let _ = kernel.send_blocking(Item { key, producer: 0, sequence }).unwrap();
        }
    }
    drain(&kernel);
    assert_eq!(kernel.try_recv(), Err(TryRecvError::Empty));
    assert_eq!(balanced(&kernel).processed, each * u64::from(KEYS));
}

/// Several receivers share the replies: each goes to exactly one.
pub fn receivers_share_the_replies(bench: &Bench) {
    let kernel = batch_echo::launch(bench.runtime(), LaunchOptions::default().grid(3).capacity(32)).unwrap();
    let count = bench.size(20_000, 400_000);
    let mut received: Vec<u64> = thread::scope(|scope| {
        let receive = || {
            let mut mine = Vec::new();
            while let Ok(reply) = kernel.recv_blocking() {
                mine.push(reply.value);
            }
            mine
        };
        let receivers: Vec<_> = (0..3).map(|_| scope.spawn(receive)).collect();
        numbers(0..count).chunks(100).for_each(|chunk| kernel.send_batch_blocking(chunk).unwrap());
        kernel.close();
        drain(&kernel);
        kernel.terminate_blocking();
        receivers.into_iter().flat_map(|receiver| receiver.join().unwrap()).collect()
    });
    received.sort_unstable();
    assert!(received.iter().copied().eq(0..count), "{} of {count}", received.len());
}

/// A receiver that stops after one reply leaves the other replies to the other receivers.
pub fn a_reply_wakes_another_receiver(bench: &Bench) {
    let kernel =
        echo::launch(bench.runtime(), LaunchOptions::default().grid(3).spin(Duration::ZERO)).unwrap();
    for round in bench.rounds(500, 5_000) {
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| kernel.recv_blocking().unwrap());
            }
            for value in 0..2 {
                let _ = kernel.send_blocking(number(round + value)).unwrap();
            }
            // The reply goes to the caller, past the receivers.
            assert_eq!(kernel.call_blocking(number(9)), Ok(number(9)));
            let _ = kernel.send_blocking(number(round + 2)).unwrap();
        });
    }
}

/// Continuous, Batch and Adaptive differ in speed, not in results.
pub fn the_modes_agree(bench: &Bench) {
    let count = 1_000;
    let run = |mode, cap| {
        let options = LaunchOptions::default().mode(mode).max_messages_per_iteration(cap);
        let kernel = total::launch(bench.runtime(), options).unwrap();
        kernel.send_batch_blocking(&numbers(0..count)).unwrap();
        let replies: Vec<_> = (0..count).map(|_| kernel.recv_blocking().unwrap().value).collect();
        kernel.terminate_blocking();
        replies
    };
    let expected: Vec<u64> = (0..count).map(|n| n * (n + 1) / 2).collect();
    assert_eq!(run(ProcessingMode::Continuous, 1), expected);
    for cap in [1, 2, 64, 4096] {
        assert_eq!(run(ProcessingMode::Batch, cap), expected);
        assert_eq!(run(ProcessingMode::Adaptive, cap), expected);
    }
}

/// Several replies can be taken at once.
pub fn receive_in_batches(bench: &Bench) {
    let kernel = batch_echo::launch(bench.runtime(), LaunchOptions::default().grid(2)).unwrap();
    let mut replies = Vec::new();
    assert_eq!(kernel.try_recv_batch(&mut replies, 8), Err(TryRecvError::Empty));
    kernel.send_batch_blocking(&numbers(0..100)).unwrap();
    drain(&kernel);
    assert_eq!(kernel.try_recv_batch(&mut replies, 8), Ok(8));
    assert_eq!(kernel.try_recv_batch(&mut replies, 0), Ok(0));
    assert_eq!(kernel.try_recv_batch(&mut replies, 1000), Ok(92));
    kernel.terminate_blocking();
    assert_eq!(kernel.try_recv_batch(&mut replies, 8), Err(TryRecvError::Closed));
    replies.sort_unstable();
    assert_eq!(replies, numbers(0..100));
}

/// The outputs as a stream, which ends with the kernel.
pub fn outputs_are_a_stream(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    kernel.send_batch_blocking(&numbers(0..50)).unwrap();
    drain(&kernel);
    kernel.terminate_blocking();
    let mut outputs = kernel.outputs();
    let next = |outputs: &mut annulus_runtime::Outputs<echo>| {
        block_on(std::future::poll_fn(|context| Pin::new(&mut *outputs).poll_next(context)))
    };
    for value in 0..50 {
        assert_eq!(next(&mut outputs), Some(number(value)));
    }
    assert_eq!(next(&mut outputs), None);
    assert_eq!(next(&mut outputs), None);
}

/// Outputs of no bytes are as many as were sent, and lie in nobody's way.
pub fn outputs_of_no_bytes(bench: &Bench) {
    let options = || LaunchOptions::default().grid(2).capacity(256);
    let kernel = does::launch(bench.runtime(), options()).unwrap();
    let neighbour = batch_echo::launch(bench.runtime(), options().grid(1)).unwrap();
    for first in (0..1000).step_by(100) {
        kernel.send_batch_blocking(&numbers(first..first + 100)).unwrap();
        neighbour.send_batch_blocking(&numbers(first..first + 100)).unwrap();
        for value in first..first + 100 {
            if value != 0 {
                assert_eq!(kernel.recv_blocking(), Ok(Done {}));
            }
            assert_eq!(neighbour.recv_blocking(), Ok(number(value)));
        }
    }
    drain(&kernel);
    assert_eq!(kernel.try_recv(), Err(TryRecvError::Empty));
    assert_eq!(balanced(&kernel).processed, 1000);
}

/// The wait for a message may pass; that is no shutdown.
pub fn a_timeout_is_not_the_end(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    assert_eq!(kernel.recv_timeout(Duration::from_millis(1)), Err(RecvError::Timeout));
    assert_eq!(kernel.recv_timeout(Duration::ZERO), Err(RecvError::Timeout));
    kernel.close();
    assert_eq!(
        kernel.recv_timeout(Duration::from_millis(1)),
        Err(RecvError::Timeout),
        "closed, and still running"
    );
    kernel.terminate_blocking();
    assert_eq!(kernel.recv_timeout(Duration::from_millis(1)), Err(RecvError::Closed));
    assert_eq!(kernel.recv_blocking(), Err(RecvError::Closed));
}

/// Waiting receivers see the end.
pub fn the_end_wakes_receivers(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default().grid(2)).unwrap();
    thread::scope(|scope| {
        let receivers: Vec<_> = (0..4).map(|_| scope.spawn(|| kernel.recv_blocking())).collect();
        thread::sleep(Duration::from_millis(5));
        kernel.terminate_blocking();
        receivers.into_iter().for_each(|r| assert_eq!(r.join().unwrap(), Err(RecvError::Closed)));
    });
}

/// A send that is given up sends nothing; it does not swallow the space that others wait for.
pub fn a_cancelled_send_loses_nothing(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default().capacity(16).active(false)).unwrap();
    kernel.send_batch_blocking(&numbers(0..16)).unwrap();
    {
        let mut given_up = pin!(kernel.send(number(100)));
        assert!(poll_once(given_up.as_mut()).is_none());
        let mut batch = pin!(kernel.send_batch(&[]));
        assert_eq!(poll_once(batch.as_mut()), Some(Ok(())));
        thread::scope(|scope| {
            let sender = scope.spawn(|| kernel.send_blocking(number(16)));
            thread::sleep(Duration::from_millis(2));
            kernel.activate_blocking().unwrap();
            assert_eq!(sender.join().unwrap(), Ok(SendOutcome::Accepted));
        });
    }
    for value in 0..17 {
        assert_eq!(kernel.recv_blocking(), Ok(number(value)));
    }
    drain(&kernel);
    assert_eq!(kernel.try_recv(), Err(TryRecvError::Empty));
    assert_eq!(balanced(&kernel).sent, 17);
}

/// A receive that is given up takes nothing with it, even if it had been notified.
pub fn a_cancelled_receive_loses_nothing(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default().grid(2)).unwrap();
    for value in bench.rounds(500, 10_000) {
        let mut given_up = pin!(kernel.recv());
        assert!(poll_once(given_up.as_mut()).is_none());
        thread::scope(|scope| {
            let receiver = scope.spawn(|| kernel.recv_blocking());
            let _ = kernel.send_blocking(number(value)).unwrap();
            let mut given_up = given_up;
            if value % 2 == 0 {
                eventually(|| kernel.status().produced > value);
            }
            // Dropped here, whether it was notified or not.
            given_up.set(kernel.recv());
            assert_eq!(receiver.join().unwrap(), Ok(number(value)));
        });
    }
}

/// what waits for space is refused when the kernel closes, with the message.
pub fn closing_ends_waiting_sends(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default().capacity(16).active(false)).unwrap();
    kernel.send_batch_blocking(&numbers(0..16)).unwrap();
    thread::scope(|scope| {
        let send = |value| {
            scope.spawn({
                let kernel = &kernel;
                move || kernel.send_blocking(number(value))
            })
        };
        let (one, two) = (send(1), send(2));
        let batch = scope.spawn(|| kernel.send_batch_blocking(&numbers(0..4)).unwrap_err());
        thread::sleep(Duration::from_millis(5));
        kernel.close();
        assert_eq!(one.join().unwrap(), Err(SendError::Closed(number(1))));
        assert_eq!(two.join().unwrap(), Err(SendError::Closed(number(2))));
        let error = batch.join().unwrap();
        assert_eq!((error.sent, error.cause), (0, SendError::Closed(())));
    });
    let status = balanced(&kernel);
    assert_eq!((status.sent, status.pending), (16, 16));
}

/// Polls a future once, with a waker that does nothing.
pub(crate) fn poll_once<F: Future>(future: Pin<&mut F>) -> Option<F::Output> {
    struct Nobody;
    impl Wake for Nobody {
        fn wake(self: Arc<Self>) {}
    }
    let waker = Waker::from(Arc::new(Nobody));
    match future.poll(&mut Context::from_waker(&waker)) {
        std::task::Poll::Ready(output) => Some(output),
        std::task::Poll::Pending => None,
    }
}
