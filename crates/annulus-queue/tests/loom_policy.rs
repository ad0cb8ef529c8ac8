//! Sleeping and waking of a queue with policies, in every interleaving that loom can tell apart.
//!
//! The models cover the lock, which is unlocked by a plain store although threads sleep on it, and notifiers
//! that look for waiters after unlocking without a fence (`Event::notify_after_unlock`). Each model would
//! hang if a wake-up were lost. Two involuntary switches suffice for every known shape of a lost wake-up (one
//! to stop a thread between its two steps, one to return to it); the third is margin.
#![cfg(loom)]

use annulus_queue::{Backpressure, MessageQueue, RecvError, SendError, SendOutcome, message_queue_of};
use loom::thread;

fn model(run: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(run);
}

/// One thread at a time has the lock, and every thread that sleeps for it gets it.
#[test]
fn the_lock_is_handed_on() {
    model(|| {
        let queue: MessageQueue<u32> = message_queue_of(4, Backpressure::Reject);
        let senders = [1, 2].map(|n| {
            let queue = queue.clone();
            thread::spawn(move || assert_eq!(queue.try_send(n), Ok(SendOutcome::Accepted)))
        });
        let early = queue.try_recv().unwrap_or(0);
        for sender in senders {
            sender.join().unwrap();
        }
        assert_eq!(early + queue.take_all().into_iter().sum::<u32>(), 3);
    });
}

/// A receiver that sleeps is woken by a message.
#[test]
fn a_message_wakes_a_receiver() {
    model(|| {
        let queue: MessageQueue<u32> = message_queue_of(2, Backpressure::Block);
        let sender = thread::spawn({
            let queue = queue.clone();
            move || assert_eq!(queue.try_send(1), Ok(SendOutcome::Accepted))
        });
        assert_eq!(queue.recv_blocking(), Ok(1));
        sender.join().unwrap();
    });
}

/// A sender that sleeps is woken by space, and another one by the close; nothing is lost.
#[test]
fn space_wakes_a_sender() {
    model(|| {
        let queue: MessageQueue<u32> = message_queue_of(1, Backpressure::Block);
        assert_eq!(queue.try_send(1), Ok(SendOutcome::Accepted));
        let sender = thread::spawn({
            let queue = queue.clone();
            move || queue.send_blocking(2)
        });
        assert_eq!(queue.try_recv(), Ok(1));
        assert_eq!(sender.join().unwrap(), Ok(SendOutcome::Accepted));
        assert_eq!(queue.try_recv(), Ok(2));
    });
}

/// Closing wakes both ends.
#[test]
fn closing_wakes_everybody() {
    model(|| {
        let queue: MessageQueue<u32> = message_queue_of(1, Backpressure::Block);
        let receiver = thread::spawn({
            let queue = queue.clone();
            move || queue.recv_blocking()
        });
        queue.close();
        assert_eq!(receiver.join().unwrap(), Err(RecvError::Closed));
    });
    model(|| {
        let queue: MessageQueue<u32> = message_queue_of(1, Backpressure::Block);
        assert_eq!(queue.try_send(1), Ok(SendOutcome::Accepted));
        let sender = thread::spawn({
            let queue = queue.clone();
            move || queue.send_blocking(2)
        });
        queue.close();
        assert_eq!(sender.join().unwrap(), Err(SendError::Closed(2)));
    });
}
