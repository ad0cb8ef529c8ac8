//! The protocols of queues with one receiver, of reservations, and of the lossy ring, in every interleaving
//! that loom can tell apart.
//!
//! Capacity 2, so that three messages reach the second lap. With one sender, two small messages share a stamp
//! in a model, and there are two such groups: the fifth message is the first of the second lap, so those
//! models run again after some messages have passed. The models have no bound on preemption, except those
//! with sleepers or reservations, which would take minutes: they have a bound of 3. Two involuntary switches
//! suffice for every known shape of lost wake-up (one to stop a thread between its two steps, one to return
//! to it); the third is margin.
//!
//! In a model a light barrier does nothing, and notifiers use a fence, as on systems without `membarrier`. No
//! model can check that a heavy barrier and a light one together work like fences; `barrier` argues for that.
#![cfg(loom)]

use annulus_queue::{
    Backpressure, RecvError, SendError, SendOutcome, TryRecvError, TrySendError,
    lossy::ring,
    queue_of,
    single_consumer::{Many, One, ProducerMode, Receiver, Sender, single_consumer_of},
};
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

/// The ends of a queue through which `passed` messages have passed.
fn used<P: ProducerMode>(
    passed: u32,
    backpressure: Backpressure,
) -> (Sender<Box<u32>, P>, Receiver<Box<u32>, P>) {
    let (mut tx, mut rx) = single_consumer_of::<_, P>(2, backpressure);
    for n in 0..passed {
        assert_eq!(tx.try_send(boxed(n)), Ok(SendOutcome::Accepted));
        assert_eq!(rx.try_recv(), Ok(boxed(n)));
    }
    (tx, rx)
}

/// Whole messages, in order, over the end of the ring; full and empty are exact.
fn three_through_two<P: ProducerMode>(passed: u32) {
    let (mut tx, mut rx) = used::<P>(passed, Backpressure::Reject);
    let sender = thread::spawn(move || (1..=3).map(|n| tx.try_send(boxed(n)).is_ok()).collect::<Vec<_>>());
    let mut received: Vec<u32> = (0..2).filter_map(|_| rx.try_recv().ok()).map(|message| *message).collect();
    let accepted = sender.join().unwrap();
    assert!(accepted[0] && accepted[1], "there is space for two");
    received.extend(rx.try_iter().map(|message| *message));
    let expected: Vec<u32> = (1..=3).filter(|&n| accepted[n as usize - 1]).collect();
    assert_eq!(received, expected);
    assert_eq!(rx.try_recv(), Err(TryRecvError::Closed));
    let counters = rx.counters();
    let sent = u64::from(passed) + expected.len() as u64;
    assert_eq!((counters.enqueued, counters.dequeued), (sent, sent));
    assert_eq!(counters.rejected, 3 - expected.len() as u64);
}

#[test]
fn one_sender_publish_and_free() {
    for passed in [0, 3] {
        model(move || three_through_two::<One>(passed));
    }
}

#[test]
fn many_senders_publish_and_free() {
    model(|| three_through_two::<Many>(0));
}

/// Two senders, one slot each: both messages arrive. After that a sender sees the real state.
#[test]
fn many_senders_share() {
    model(|| {
        let (mut tx, mut rx) = single_consumer_of::<_, Many>(2, Backpressure::Reject);
        let other = thread::spawn({
            let mut tx = tx.clone();
            move || assert_eq!(tx.try_send(boxed(1)), Ok(SendOutcome::Accepted))
        });
        assert_eq!(tx.try_send(boxed(2)), Ok(SendOutcome::Accepted));
        other.join().unwrap();
        assert!(matches!(tx.try_send(boxed(4)), Err(TrySendError::Full(_))));
        assert_eq!(*rx.try_recv().unwrap() + *rx.try_recv().unwrap(), 3);
    });
}

/// The results of sends and the messages that the receiver gets agree, whenever the receiver closes: also for
/// a message that is published meanwhile.
fn close_against_send<P: ProducerMode>() {
    let (mut tx, mut rx) = single_consumer_of::<_, P>(2, Backpressure::Block);
    let sender = thread::spawn(move || {
        let outcomes = [tx.try_send(boxed(1)), tx.try_send(boxed(2))].map(|outcome| outcome.is_ok());
        assert!(outcomes[0] || !outcomes[1], "closed is closed");
        (outcomes, tx.counters())
    });
    rx.close();
    let mut received = Vec::new();
    loop {
        match rx.try_recv() {
            Ok(message) => received.push(*message),
            Err(TryRecvError::Closed) => break,
            Err(_) => thread::yield_now(),
        }
    }
    let (accepted, counters) = sender.join().unwrap();
    let expected: Vec<u32> = (1..=2).filter(|&n| accepted[n as usize - 1]).collect();
    assert_eq!(received, expected);
    assert_eq!((counters.enqueued, counters.closed), (expected.len() as u64, 2 - expected.len() as u64));
}

#[test]
fn one_sender_close_against_send() {
    model(close_against_send::<One>);
}

#[test]
fn many_senders_close_against_send() {
    model(close_against_send::<Many>);
}

/// Both ends close at once: the end is decided once, and what was sent before is received.
#[test]
fn one_sender_close_against_close() {
    model(|| {
        let (mut tx, mut rx) = single_consumer_of::<_, One>(2, Backpressure::Block);
        let sender = thread::spawn(move || {
            let accepted = tx.try_send(boxed(1)).is_ok();
            (accepted, tx.close())
        });
        let closed_here = rx.close();
        let received = rx.recv_blocking().is_ok();
        assert_eq!(rx.try_recv(), Err(TryRecvError::Closed));
        let (accepted, closed_there) = sender.join().unwrap();
        assert_eq!(received, accepted);
        assert!(closed_here ^ closed_there);
    });
}

/// A receiver that sleeps is woken by the send, and by the close after it.
fn receiver_sleeps<P: ProducerMode>() {
    let (mut tx, mut rx) = single_consumer_of::<_, P>(2, Backpressure::Block);
    let sender = thread::spawn(move || {
        let _ = tx.try_send(boxed(1));
    });
    assert_eq!(*block_on(rx.recv()).unwrap(), 1);
    assert_eq!(block_on(rx.recv()), Err(RecvError::Closed));
    sender.join().unwrap();
}

#[test]
fn one_sender_receiver_sleeps() {
    check(Some(3), receiver_sleeps::<One>);
}

#[test]
fn many_senders_receiver_sleeps() {
    check(Some(3), receiver_sleeps::<Many>);
}

/// A sender that sleeps is woken by the space.
fn sender_sleeps<P: ProducerMode>() {
    let (mut tx, mut rx) = single_consumer_of::<_, P>(2, Backpressure::Block);
    let _ = tx.try_send(boxed(1));
    let _ = tx.try_send(boxed(2));
    let sender = thread::spawn(move || block_on(tx.send(boxed(3))));
    assert_eq!(*rx.try_recv().unwrap(), 1);
    assert_eq!(sender.join().unwrap(), Ok(SendOutcome::Accepted));
    assert_eq!(*rx.try_recv().unwrap(), 2);
    assert_eq!(*rx.try_recv().unwrap(), 3);
}

#[test]
fn one_sender_sleeps() {
    check(Some(3), sender_sleeps::<One>);
}

#[test]
fn many_senders_sleep() {
    check(Some(3), sender_sleeps::<Many>);
}

/// Two senders sleep, and two places come free: both send.
#[test]
fn two_places_for_two_senders() {
    check(Some(2), || {
        let (mut tx, mut rx) = single_consumer_of::<_, Many>(2, Backpressure::Block);
        let _ = (tx.try_send(boxed(1)), tx.try_send(boxed(2)));
        let senders = [(tx.clone(), 3), (tx, 4)]
            .map(|(mut tx, n)| thread::spawn(move || block_on(tx.send(boxed(n))).is_ok()));
        let received = *rx.try_recv().unwrap() + *rx.try_recv().unwrap();
        assert!(senders.into_iter().all(|sender| sender.join().unwrap()));
        assert_eq!(received + rx.try_iter().map(|message| *message).sum::<u32>(), 10);
    });
}

/// A sender that sleeps is woken when the receiver goes away, and gets its message back; what was queued is
/// dropped once.
#[test]
fn sender_wakes_when_nobody_receives() {
    check(Some(3), || {
        let (mut tx, rx) = single_consumer_of::<_, One>(2, Backpressure::Block);
        let _ = tx.try_send(boxed(1));
        let _ = tx.try_send(boxed(2));
        let leaver = thread::spawn(move || drop(rx));
        assert_eq!(block_on(tx.send(boxed(3))), Err(SendError::Closed(boxed(3))));
        leaver.join().unwrap();
        assert_eq!(tx.counters().abandoned, 2);
    });
}

/// A message that is on its way while the receiver leaves is handed back, or dropped and counted; none stays.
/// The same holds for messages behind a reservation.
fn send_against_leaving(reserve: bool) {
    check(Some(3), move || {
        let (mut tx, rx) = single_consumer_of::<_, Many>(2, Backpressure::Block);
        let senders = [1, 2].map(|n| {
            let mut tx = tx.clone();
            thread::spawn(move || {
                if !reserve || n == 1 {
                    return tx.try_send(Arc::new(n)).is_ok();
                }
                drop(tx.try_reserve());
                false
            })
        });
        drop(rx);
        let accepted = senders.into_iter().map(|sender| u64::from(sender.join().unwrap())).sum();
        let counters = tx.counters();
        assert_eq!((counters.enqueued, counters.abandoned, tx.len()), (accepted, accepted, 0));
        assert!(matches!(tx.try_send(Arc::new(3)), Err(TrySendError::Closed(_))));
    });
}

#[test]
fn many_senders_against_leaving() {
    send_against_leaving(false);
}

#[test]
fn many_senders_and_a_reservation_against_leaving() {
    send_against_leaving(true);
}

/// Batches: all messages reported as queued are received, in order.
fn batch_against_batch<P: ProducerMode>(passed: u32) {
    let (mut tx, mut rx) = used::<P>(passed, Backpressure::Reject);
    let sender = thread::spawn(move || {
        let mut back = Vec::new();
        let sent = tx.try_send_batch((1..=3).map(boxed), |refused| back.push(*refused));
        (sent, back)
    });
    let mut received = Vec::new();
    rx.try_recv_batch(2, |message| received.push(*message));
    let (sent, back) = sender.join().unwrap();
    rx.try_recv_batch(3, |message| received.push(*message));
    assert_eq!(received.len(), sent);
    let expected: Vec<u32> = (1..=3).filter(|n| !back.contains(n)).collect();
    assert_eq!(received, expected);
}

#[test]
fn one_sender_batches() {
    for passed in [0, 3] {
        model(move || batch_against_batch::<One>(passed));
    }
}

#[test]
fn many_senders_batches() {
    model(|| batch_against_batch::<Many>(0));
}

/// A batch against a receiver that closes: a run of messages may be accepted in part, and the rest comes
/// back, in order.
fn batch_against_close(passed: u32) {
    let (mut tx, mut rx) = used::<One>(passed, Backpressure::Block);
    let sender = thread::spawn(move || {
        let mut back = Vec::new();
        let sent = tx.try_send_batch((1..=2).map(boxed), |refused| back.push(*refused));
        let counters = tx.counters();
        (sent, back, counters)
    });
    rx.close();
    let mut received = Vec::new();
    loop {
        match rx.try_recv() {
            Ok(message) => received.push(*message),
            Err(TryRecvError::Closed) => break,
            Err(_) => thread::yield_now(),
        }
    }
    let (sent, back, counters) = sender.join().unwrap();
    assert_eq!(received, (1..=sent as u32).collect::<Vec<_>>());
    assert_eq!(back, (sent as u32 + 1..=2).collect::<Vec<_>>());
    assert_eq!((counters.enqueued, counters.closed), (u64::from(passed) + sent as u64, 2 - sent as u64));
}

#[test]
fn one_sender_batch_against_close() {
    for passed in [0, 3] {
        check(Some(3), move || batch_against_close(passed));
    }
}

/// A batch against a receiver that leaves: each message is handed back, or dropped and counted.
#[test]
fn one_sender_batch_against_leaving() {
    for passed in [0, 1] {
        check(Some(3), move || {
            let (mut tx, rx) = used::<One>(passed, Backpressure::Block);
            let leaver = thread::spawn(move || drop(rx));
            let mut back = 0;
            let sent = tx.try_send_batch((1..=2).map(boxed), |_| back += 1);
            leaver.join().unwrap();
            let counters = tx.counters();
            assert_eq!((sent + back, counters.abandoned, tx.len()), (2, sent as u64, 0));
        });
    }
}

/// A receiver that sleeps is woken by a batch, whose messages are published together.
#[test]
fn one_sender_batch_wakes() {
    check(Some(3), || {
        let (mut tx, mut rx) = used::<One>(0, Backpressure::Block);
        let sender = thread::spawn(move || tx.send_batch_blocking((1..=2).map(boxed), |_| ()));
        assert_eq!((*block_on(rx.recv()).unwrap(), *block_on(rx.recv()).unwrap()), (1, 2));
        assert_eq!(block_on(rx.recv()), Err(RecvError::Closed));
        assert_eq!(sender.join().unwrap(), 2);
    });
}

/// A reservation with several senders: if dropped, it is skipped; if committed, it arrives. A message behind
/// it arrives in both cases.
fn reservation_of_many(commit: bool) {
    check(Some(3), move || {
        let (mut tx, mut rx) = single_consumer_of::<_, Many>(2, Backpressure::Block);
        let sender = thread::spawn(move || {
            let mut place = tx.try_reserve().unwrap();
            place.write(boxed(1));
            if commit {
                place.commit().unwrap();
            } else {
                drop(place);
            }
            let _ = tx.try_send(boxed(2));
        });
        let first = *block_on(rx.recv()).unwrap();
        assert_eq!(first, if commit { 1 } else { 2 });
        if commit {
            assert_eq!(*block_on(rx.recv()).unwrap(), 2);
        }
        sender.join().unwrap();
        assert_eq!(block_on(rx.recv()), Err(RecvError::Closed));
        let sent = if commit { 2 } else { 1 };
        assert_eq!((rx.counters().enqueued, rx.counters().dequeued, rx.len()), (sent, sent, 0));
    });
}

#[test]
fn reservation_of_many_committed() {
    reservation_of_many(true);
}

#[test]
fn reservation_of_many_dropped() {
    reservation_of_many(false);
}

/// The same for the shared queue, with the void skipped or passed by. Meanwhile no count goes down.
#[test]
fn reservation_shared() {
    check(Some(3), || {
        let (tx, rx) = queue_of(2, Backpressure::Reject);
        let sender = thread::spawn(move || {
            let mut place = tx.try_reserve().unwrap();
            place.write(boxed(1));
            drop(place);
            (2..=3).filter(|&n| tx.try_send(boxed(n)).is_ok()).count()
        });
        let before = rx.counters().enqueued;
        let mut received = usize::from(rx.try_recv().is_ok());
        assert!(rx.counters().enqueued >= before.max(received as u64));
        let sent = sender.join().unwrap();
        received += rx.try_iter().count();
        let counters = rx.counters();
        assert_eq!(received, sent);
        assert_eq!((counters.enqueued, counters.depth()), (sent as u64, 0));
    });
}

/// A reservation with one sender: if the receiver closes before it is committed, it comes back; otherwise it
/// arrives.
#[test]
fn reservation_of_one_against_close() {
    model(|| {
        let (mut tx, mut rx) = single_consumer_of::<_, One>(2, Backpressure::Block);
        let sender = thread::spawn(move || {
            let Ok(mut place) = tx.try_reserve() else { return false };
            place.write(boxed(1));
            place.commit().is_ok()
        });
        rx.close();
        let received = rx.recv_blocking().is_ok();
        assert_eq!(sender.join().unwrap(), received);
    });
}

/// The messages that a reader of the lossy ring returns are whole and in order; those that it does not return
/// are counted.
#[test]
fn lossy_reads_are_whole() {
    model(|| {
        let (mut tx, mut rx) = ring::<[u64; 2]>(2).unwrap();
        let writer = thread::spawn(move || (1..=3).for_each(|n| tx.send([n, !n])));
        let mut seen = Vec::new();
        let mut look = |rx: &mut annulus_queue::lossy::Reader<[u64; 2]>| match rx.try_recv() {
            Ok([n, inverse]) => {
                assert_eq!(n, !inverse, "torn");
                seen.push(n);
                Ok(())
            }
            Err(missed) => Err(missed),
        };
        let _ = look(&mut rx);
        let _ = look(&mut rx);
        writer.join().unwrap();
        while look(&mut rx) != Err(TryRecvError::Closed) {}
        assert!(seen.is_sorted());
        assert_eq!(seen.len() as u64 + rx.lost(), 3);
        assert_eq!(seen.last(), Some(&3));
    });
}
