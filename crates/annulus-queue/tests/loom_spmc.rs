//! The queue with one sender and several receivers, in every interleaving that loom can tell apart.
//!
//! Two things differ from the shared queue: the sender moves `tail` by a plain store, and closes on behalf of
//! the last receiver. Capacity 2, so that three messages reach the second lap. A bound of 3 on preemption
//! where somebody sleeps, evicts or leaves; see `loom.rs` for why that suffices.
#![cfg(loom)]

use annulus_queue::{Backpressure, RecvError, SendOutcome, TryRecvError, TrySendError, spmc::spmc_of};
use annulus_sync::{Arc, wait::block_on};
use loom::thread;

fn check(preemptions: Option<usize>, run: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = preemptions;
    model.check(run);
}

/// Each message goes to one receiver, whole; a slot is used again only after it was read.
#[test]
fn two_receivers_share() {
    check(None, || {
        let (mut tx, rx) = spmc_of(2, Backpressure::Reject);
        let sender =
            thread::spawn(move || (1..=3).filter(|&n| tx.try_send(Arc::new(n)).is_ok()).sum::<u32>());
        let other = thread::spawn({
            let rx = rx.clone();
            move || rx.try_recv().map_or(0, |message| *message)
        });
        let mut received = rx.try_recv().map_or(0, |message| *message);
        received += other.join().unwrap();
        let sent = sender.join().unwrap();
        received += rx.try_iter().map(|message| *message).sum::<u32>();
        assert_eq!(received, sent);
        assert!(matches!(rx.try_recv(), Err(TryRecvError::Closed)));
    });
}

/// A message that is sent while the last receiver leaves comes back, or is dropped and counted. After that
/// the queue stays closed.
#[test]
fn send_against_leaving() {
    check(Some(3), || {
        let (mut tx, rx) = spmc_of(2, Backpressure::Reject);
        let leaver = thread::spawn({
            let rx = rx.clone();
            move || drop(rx)
        });
        drop(rx);
        let accepted = (1..=2).filter(|&n| tx.try_send(Arc::new(n)).is_ok()).count() as u64;
        leaver.join().unwrap();
        assert!(matches!(tx.try_send(Arc::new(3)), Err(TrySendError::Closed(_))));
        assert!(tx.is_closed());
        let counters = tx.counters();
        assert_eq!((counters.enqueued, counters.abandoned, tx.len()), (accepted, accepted, 0));
    });
}

/// The oldest message is received or evicted, once.
#[test]
fn evict_against_take() {
    check(Some(3), || {
        let (mut tx, rx) = spmc_of(2, Backpressure::DropOldest);
        let _ = (tx.try_send(Arc::new(1)), tx.try_send(Arc::new(2)));
        let taker = thread::spawn(move || *rx.try_recv().expect("two were there"));
        let evicted = match tx.try_send(Arc::new(3)) {
            Ok(SendOutcome::Accepted) => None,
            Ok(SendOutcome::Evicted(old)) => Some(*old),
            // The receiver has taken one and left.
            Err(TrySendError::Closed(_)) => None,
            other => panic!("{other:?}"),
        };
        let taken = taker.join().unwrap();
        assert_eq!(taken, if evicted == Some(1) { 2 } else { 1 });
        assert_eq!(tx.counters().depth(), 0);
    });
}

/// A receiver that sleeps is woken by the send, and by the sender's leaving.
#[test]
fn receiver_sleeps_and_wakes() {
    check(Some(3), || {
        let (mut tx, rx) = spmc_of(2, Backpressure::Block);
        let sender = thread::spawn(move || {
            let _ = tx.try_send(Arc::new(1));
        });
        assert_eq!(*block_on(rx.recv()).unwrap(), 1);
        assert!(matches!(block_on(rx.recv()), Err(RecvError::Closed)));
        sender.join().unwrap();
    });
}
