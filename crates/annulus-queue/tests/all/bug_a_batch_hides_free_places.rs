//! While a batch was handed over, the places of the messages already handed over were not free: a sender that
//! waited for one meanwhile, or that sent from within, found the queue full.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::channel,
    thread,
};

use annulus_queue::{
    QueueOptions, SendOutcome,
    single_consumer::{ProducerMode, Receiver, Sender, mpsc, spsc},
};

const CAPACITY: usize = 16;

fn options() -> QueueOptions {
    QueueOptions::new().capacity(CAPACITY)
}

/// What is handed over can be sent back at once.
fn sends_back<P: ProducerMode>((mut tx, mut rx): (Sender<usize, P>, Receiver<usize, P>)) {
    assert_eq!(tx.try_send_batch(0..CAPACITY, |_| ()), CAPACITY);
    let mut seen = Vec::new();
    let received = rx.try_recv_batch(CAPACITY, |n| {
        seen.push(n);
        assert_eq!(tx.try_send(n), Ok(SendOutcome::Accepted));
    });
    assert_eq!((received, seen), (CAPACITY, (0..CAPACITY).collect()));
    assert_eq!(rx.try_iter().collect::<Vec<_>>(), (0..CAPACITY).collect::<Vec<_>>());
}

#[test]
fn a_message_can_be_sent_back_from_within_a_batch() {
    sends_back(spsc(options()).unwrap());
    sends_back(mpsc(options()).unwrap());
}

/// A batch may wait for what its sender does next.
#[test]
fn a_sender_goes_on_while_a_batch_is_handed_over() {
    let (mut tx, mut rx) = spsc(options()).unwrap();
    assert_eq!(tx.try_send_batch(0..CAPACITY, |_| ()), CAPACITY);
    let (sent, is_sent) = channel();
    let sender = thread::spawn(move || {
        assert_eq!(tx.send_blocking(CAPACITY), Ok(SendOutcome::Accepted));
        sent.send(()).unwrap();
    });
    let mut first = true;
    rx.try_recv_batch(1 + CAPACITY, |_| {
        if std::mem::take(&mut first) {
            is_sent.recv().unwrap();
        }
    });
    sender.join().unwrap();
}

/// A panic takes the message that was handed over, and no other.
#[test]
fn a_panic_loses_one_message() {
    let (mut tx, mut rx) = spsc(options()).unwrap();
    assert_eq!(tx.try_send_batch(0..CAPACITY, |_| ()), CAPACITY);
    let batch = catch_unwind(AssertUnwindSafe(|| rx.try_recv_batch(CAPACITY, |n| assert_ne!(n, 5))));
    assert!(batch.is_err());
    assert_eq!(tx.try_send_batch(0..CAPACITY, |_| ()), 6);
    assert_eq!(rx.try_iter().collect::<Vec<_>>(), (6..CAPACITY).chain(0..6).collect::<Vec<_>>());
}
