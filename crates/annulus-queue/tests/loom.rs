//! Every lock-free protocol of the crate, in every interleaving that loom can tell apart.
//!
//! Queues have capacity 2, the least that the slots' stamps allow, so that three messages reach the second
//! lap. The models have no bound on preemption, except those with sleepers, which would take minutes: they
//! have a bound of 3. Two involuntary switches suffice for every known shape of lost wake-up (one to stop a
//! thread between its two steps, one to return to it); the third is margin. Models with three working threads
//! do without it.
//!
//! Weakening any of the orderings of `slots.rs` that carry a `SYNC` label of a slot fails here, and so does
//! leaving out either fence of `annulus_sync::event`.
#![cfg(loom)]

use std::{future::Future, task::Context};

use annulus_queue::{Backpressure, RecvError, SendError, SendOutcome, TryRecvError, TrySendError, queue_of};
use annulus_sync::{Arc, wait::block_on};
use loom::thread;

fn model(run: impl Fn() + Send + Sync + 'static) {
    check(None, run);
}

fn check(preemptions: Option<usize>, run: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = preemptions;
    model.check(run);
}

/// A message with a heap allocation, so that loom and the allocator notice a lost or doubled one.
fn boxed(n: u32) -> Box<u32> {
    Box::new(n)
}

/// a message is visible only when it is written, and is taken once. Two producers, one consumer,
/// capacity 2.
#[test]
fn q_02_publish_and_take() {
    model(|| {
        let (tx, rx) = queue_of(2, Backpressure::Reject);
        let other = thread::spawn({
            let tx = tx.clone();
            move || assert_eq!(tx.try_send(boxed(1)), Ok(SendOutcome::Accepted))
        });
        assert_eq!(tx.try_send(boxed(2)), Ok(SendOutcome::Accepted));
        let early = rx.try_recv().expect("this thread has sent one");
        other.join().unwrap();
        let late = rx.try_recv().expect("the other has sent one");
        assert_eq!(*early + *late, 3);
        assert_eq!(rx.try_recv(), Err(TryRecvError::Empty));
    });
}

/// two consumers never take the same message, and leave none.
#[test]
fn q_02_two_consumers_share() {
    model(|| {
        let (tx, rx) = queue_of(2, Backpressure::Reject);
        let _ = tx.try_send(boxed(1));
        let _ = tx.try_send(boxed(2));
        let other = thread::spawn({
            let rx = rx.clone();
            move || rx.try_recv()
        });
        let (mine, theirs) = (rx.try_recv(), other.join().unwrap());
        assert_eq!(*mine.expect("two were there") + *theirs.expect("two were there"), 3);
    });
}

/// a slot is reused only when it is read. The third message needs the first one's slot; full means
/// full.
#[test]
fn q_02_full_and_empty_are_exact() {
    model(|| {
        let (tx, rx) = queue_of(2, Backpressure::Reject);
        let _ = tx.try_send(boxed(1));
        let _ = tx.try_send(boxed(2));
        let producer = thread::spawn(move || {
            let third = tx.try_send(boxed(3)).is_ok();
            (third, tx.len(), tx.counters())
        });
        assert_eq!(*rx.try_recv().expect("two were there"), 1);
        let (third, len, counters) = producer.join().unwrap();
        assert!(len <= 2);
        assert_eq!(counters.rejected, u64::from(!third));
        assert_eq!(*rx.try_recv().expect("one is left"), 2);
        match rx.try_recv() {
            Ok(message) => assert!(third && *message == 3),
            Err(error) => assert!(!third && error == TryRecvError::Closed),
        }
    });
}

/// the oldest message is received or evicted, once; the new one is always queued.
#[test]
fn q_16_evict_against_take() {
    model(|| {
        let (tx, rx) = queue_of(2, Backpressure::DropOldest);
        let _ = tx.try_send(boxed(1));
        let _ = tx.try_send(boxed(2));
        let producer = thread::spawn(move || tx.try_send(boxed(3)).expect("nobody closes"));
        let taken = *rx.try_recv().expect("two were there");
        match producer.join().unwrap() {
            SendOutcome::Accepted => assert_eq!(taken, 1),
            SendOutcome::Evicted(old) => assert!((*old, taken) == (1, 2)),
            other => panic!("{other:?}"),
        }
        let mut rest = Vec::new();
        while let Ok(message) = rx.try_recv() {
            rest.push(*message);
        }
        assert_eq!(rest, if taken == 1 { vec![2, 3] } else { vec![3] });
        let counters = rx.counters();
        assert_eq!(counters.enqueued, 3);
        assert_eq!(counters.depth(), 0);
    });
}

/// two producers that find the queue full evict two different messages, the two oldest.
#[test]
fn q_16_evict_against_evict() {
    model(|| {
        let (tx, rx) = queue_of(2, Backpressure::DropOldest);
        let _ = tx.try_send(boxed(1));
        let _ = tx.try_send(boxed(2));
        let other = thread::spawn({
            let tx = tx.clone();
            move || tx.try_send(boxed(3))
        });
        let mine = tx.try_send(boxed(4));
        let theirs = other.join().unwrap();
        let (Ok(SendOutcome::Evicted(a)), Ok(SendOutcome::Evicted(b))) = (mine, theirs) else {
            panic!("not full?")
        };
        assert_eq!(*a + *b, 3);
        assert_eq!(*rx.try_recv().unwrap() + *rx.try_recv().unwrap(), 7);
        assert_eq!(rx.counters().evicted, 2);
    });
}

/// The result of a send and the messages that a receiver gets agree, whenever the queue is closed.
fn close_against_send(backpressure: Backpressure) {
    model(move || {
        let (tx, rx) = queue_of(2, backpressure);
        let _ = tx.try_send(boxed(1));
        let _ = tx.try_send(boxed(2));
        assert_eq!(*rx.try_recv().unwrap(), 1);
        let producer = thread::spawn({
            let tx = tx.clone();
            move || tx.try_send(boxed(3))
        });
        rx.close();
        assert!(matches!(tx.try_send(boxed(4)), Err(TrySendError::Closed(_))), "closed is closed");
        let mut received = Vec::new();
        while let Ok(message) = rx.recv_blocking() {
            received.push(*message);
        }
        match producer.join().unwrap() {
            Ok(_) => assert_eq!(received, [2, 3]),
            Err(error) => assert!(received == [2] && *error.into_inner() == 3),
        }
    });
}

/// close is one moment, for sends that fill a free slot.
#[test]
fn q_14_close_against_send() {
    close_against_send(Backpressure::Block);
}

/// close is one moment, for sends that may evict.
#[test]
fn q_16_close_against_evicting_send() {
    close_against_send(Backpressure::DropOldest);
}

/// a receiver that sleeps is woken by the send, and by the close after it.
#[test]
fn q_14_receiver_sleeps_and_wakes() {
    check(Some(3), || {
        let (tx, rx) = queue_of(2, Backpressure::Block);
        let producer = thread::spawn(move || {
            let _ = tx.try_send(boxed(1));
        });
        assert_eq!(*block_on(rx.recv()).unwrap(), 1);
        assert_eq!(block_on(rx.recv()), Err(RecvError::Closed));
        producer.join().unwrap();
    });
}

/// a sender that sleeps is woken by the space, and its message arrives.
#[test]
fn q_14_sender_sleeps_and_wakes() {
    check(Some(3), || {
        let (tx, rx) = queue_of(2, Backpressure::Block);
        let _ = tx.try_send(boxed(1));
        let _ = tx.try_send(boxed(2));
        let producer = thread::spawn(move || block_on(tx.send(boxed(3))));
        assert_eq!(*rx.try_recv().unwrap(), 1);
        assert_eq!(producer.join().unwrap(), Ok(SendOutcome::Accepted));
        assert_eq!(*rx.try_recv().unwrap(), 2);
        assert_eq!(*rx.try_recv().unwrap(), 3);
    });
}

/// a sender that sleeps is woken by the last receiver's leaving, and gets its message back.
#[test]
fn q_14_sender_wakes_when_nobody_receives() {
    check(Some(3), || {
        let (tx, rx) = queue_of(2, Backpressure::Block);
        let _ = tx.try_send(boxed(1));
        let _ = tx.try_send(boxed(2));
        let leaver = thread::spawn(move || drop(rx));
        assert_eq!(block_on(tx.send(boxed(3))), Err(SendError::Closed(boxed(3))));
        leaver.join().unwrap();
        assert_eq!(tx.counters().abandoned, 2);
    });
}

/// one message for two sleeping receivers, one of which gives up: the other gets it, or it is still
/// there.
#[test]
fn q_14_a_cancelled_receiver_hands_its_turn_on() {
    check(Some(3), || {
        let (tx, rx) = queue_of(2, Backpressure::Block);
        let producer = thread::spawn({
            let tx = tx.clone();
            move || tx.try_send(boxed(1)).map(|_| ())
        });
        let mut leaver = Box::pin(rx.recv());
        let waker = std::task::Waker::noop();
        let early = leaver.as_mut().poll(&mut Context::from_waker(waker));
        if early.is_pending() {
            let stayer = rx.recv();
            drop(leaver);
            assert_eq!(*block_on(stayer).unwrap(), 1);
        }
        producer.join().unwrap().unwrap();
    });
}

/// a message that is on its way while the last receiver leaves is handed back, or dropped and
/// counted; none stays.
fn send_against_leaving(backpressure: Backpressure) {
    check(Some(2), move || {
        let (tx, rx) = queue_of(2, backpressure);
        let senders = [1, 2].map(|n| {
            let tx = tx.clone();
            thread::spawn(move || tx.try_send(Arc::new(n)).is_ok())
        });
        drop(rx);
        let accepted = senders.into_iter().map(|sender| u64::from(sender.join().unwrap())).sum();
        let counters = tx.counters();
        assert_eq!((counters.enqueued, counters.abandoned), (accepted, accepted));
        assert!(matches!(tx.try_send(Arc::new(3)), Err(TrySendError::Closed(_))));
    });
}

#[test]
fn q_02_send_against_leaving() {
    send_against_leaving(Backpressure::Reject);
}

#[test]
fn q_16_evicting_send_against_leaving() {
    send_against_leaving(Backpressure::DropOldest);
}

/// two sleepers, and one message in front of the end, which is published last. One gets it, and both
/// learn of the end.
#[test]
fn q_14_a_reservation_in_front_of_the_end_leaves_nobody_asleep() {
    check(Some(3), || {
        let (tx, rx) = queue_of(2, Backpressure::Block);
        let mut place = tx.try_reserve().unwrap();
        place.write(boxed(1));
        rx.close();
        let receivers = [rx.clone(), rx].map(|rx| thread::spawn(move || block_on(rx.recv())));
        place.commit();
        let outcomes = receivers.map(|receiver| receiver.join().unwrap());
        assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == Err(RecvError::Closed)).count(), 1);
    });
}

/// the same with a message behind the reservation: both get one.
#[test]
fn q_14_a_reservation_in_front_of_a_message_leaves_nobody_asleep() {
    check(Some(3), || {
        let (tx, rx) = queue_of(2, Backpressure::Block);
        let mut place = tx.try_reserve().unwrap();
        place.write(boxed(1));
        let _ = tx.try_send(boxed(2));
        let receivers = [rx.clone(), rx].map(|rx| thread::spawn(move || block_on(rx.recv())));
        place.commit();
        let sum: u32 = receivers.map(|receiver| *receiver.join().unwrap().unwrap()).iter().sum();
        assert_eq!(sum, 3);
    });
}
