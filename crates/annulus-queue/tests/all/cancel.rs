//! Waiting that ends early: dropped futures, timeouts, closes. Nothing may be lost, and nobody left asleep.

use std::{
    future::Future,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use annulus_queue::{QueueOptions, Receiver, RecvError, SendError, SendOutcome, Sender, queue};
use annulus_sync::{
    event::Event,
    wait::{block_on, block_on_deadline},
};

fn full() -> (Sender<Arc<u32>>, Receiver<Arc<u32>>) {
    let (tx, rx) = queue(QueueOptions::new().capacity(16)).unwrap();
    for n in 0..16 {
        assert_eq!(tx.try_send(Arc::new(n)), Ok(SendOutcome::Accepted));
    }
    (tx, rx)
}

fn poll<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// the message of a send that is dropped while it waits was simply not queued, and is dropped once.
#[test]
fn q_14_a_cancelled_send_queues_nothing() {
    let (tx, rx) = full();
    let message = Arc::new(99);
    let mut sending = tx.send(Arc::clone(&message));
    assert!(poll(&mut sending).is_pending());
    let before = tx.counters();
    drop(sending);
    assert_eq!(Arc::strong_count(&message), 1);
    assert_eq!(tx.counters(), before, "no verdict, so no count");
    assert_eq!((0..16).map(|_| *rx.try_recv().unwrap()).collect::<Vec<_>>(), (0..16).collect::<Vec<_>>());
}

/// a waiting send whose turn has come hands it on when it is dropped.
#[test]
fn q_14_a_cancelled_send_hands_its_turn_on() {
    let (tx, rx) = full();
    let mut first = tx.send(Arc::new(100));
    let mut second = tx.send(Arc::new(101));
    assert!(poll(&mut first).is_pending() && poll(&mut second).is_pending());
    let _ = rx.try_recv(); // the first one's turn
    thread::scope(|scope| {
        let waiter = scope.spawn(move || block_on(second));
        drop(first);
        assert_eq!(waiter.join().unwrap(), Ok(SendOutcome::Accepted));
    });
}

/// the same for a waiting receive.
#[test]
fn q_14_a_cancelled_receive_loses_nothing() {
    let (tx, rx) = queue(QueueOptions::new()).unwrap();
    let mut first = rx.recv();
    let mut second = rx.recv();
    assert!(poll(&mut first).is_pending() && poll(&mut second).is_pending());
    let _ = tx.try_send(1);
    drop(first);
    assert_eq!(block_on(second), Ok(1));
}

/// a send that times out hands its message back, and counts as rejected.
#[test]
fn q_14_a_timeout_hands_the_message_back() {
    let (tx, rx) = full();
    let refused = tx.send_timeout(Arc::new(7), Duration::from_millis(5));
    assert_eq!(refused, Err(SendError::Timeout(Arc::new(7))));
    assert_eq!(tx.counters().rejected, 1);
    assert_eq!(tx.counters().attempts(), 17);
    let _ = rx.try_recv();
    assert_eq!(tx.send_timeout(Arc::new(8), Duration::MAX), Ok(SendOutcome::Accepted));
}

/// A timeout is no shutdown.
#[test]
fn a_receive_that_times_out_differs_from_a_close() {
    let (tx, rx) = queue::<u32>(QueueOptions::new()).unwrap();
    assert_eq!(rx.recv_timeout(Duration::ZERO), Err(RecvError::Timeout));
    assert_eq!(rx.recv_timeout(Duration::from_millis(2)), Err(RecvError::Timeout));
    drop(tx);
    assert_eq!(rx.recv_timeout(Duration::from_secs(60)), Err(RecvError::Closed));
}

/// closing ends every wait, at both ends, with the messages handed back.
#[test]
fn q_14_close_ends_every_wait() {
    let (tx, rx) = full();
    thread::scope(|scope| {
        let senders: Vec<_> = (0..3)
            .map(|n| {
                scope.spawn({
                    let tx = &tx;
                    move || tx.send_blocking(Arc::new(n))
                })
            })
            .collect();
        thread::sleep(Duration::from_millis(5)); // most likely asleep by then; either way it must end
        rx.close();
        for (n, sender) in senders.into_iter().enumerate() {
            assert_eq!(sender.join().unwrap(), Err(SendError::Closed(Arc::new(n as u32))));
        }
    });
    assert_eq!(tx.counters().closed, 3);
    let (tx, rx) = queue::<u32>(QueueOptions::new()).unwrap();
    thread::scope(|scope| {
        let receivers: Vec<_> = (0..3).map(|_| scope.spawn(|| rx.recv_blocking())).collect();
        drop(tx);
        for receiver in receivers {
            assert_eq!(receiver.join().unwrap(), Err(RecvError::Closed));
        }
    });
}

/// An event's places are used again: leaving from the middle keeps the order of the others.
#[test]
fn events_serve_in_order_after_some_have_left() {
    let event = Event::new();
    let mut listeners: Vec<_> = (0..6).map(|_| Some(event.listen())).collect();
    listeners[0] = None;
    listeners[3] = None;
    listeners[5] = None;
    listeners.push(Some(event.listen()));
    for expected in [1, 2, 4, 6] {
        event.notify(1);
        let ready: Vec<_> =
            (0..7).filter(|&i| listeners[i].as_mut().is_some_and(|l| poll(l).is_ready())).collect();
        assert_eq!(ready, [expected]);
        listeners[expected] = None;
    }
    assert!(!event.has_waiters());
}

/// A future that blocks while it is polled does not swallow the outer wait's wake.
#[test]
fn blocking_within_blocking_keeps_both_wakes() {
    let (outer, inner) = (Event::new(), Event::new());
    let (first, second) = (outer.listen(), inner.listen());
    thread::scope(|scope| {
        scope.spawn(|| {
            outer.notify(1);
            inner.notify(1);
        });
        let mut second = Some(second);
        let mut first = first;
        block_on(std::future::poll_fn(|context| {
            let outcome = pin!(&mut first).poll(context);
            if let Some(second) = second.take() {
                block_on(second);
            }
            outcome
        }));
    });
    assert_eq!(block_on_deadline(std::future::pending::<()>(), Instant::now()), None);
}
