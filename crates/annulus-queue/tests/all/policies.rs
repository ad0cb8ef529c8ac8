//! The policies one by one, as sentences.

use std::{
    future::Future,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    thread,
    time::Duration,
};

use annulus_queue::{
    Backpressure, Clock, Deduplication, Message, MessageQueue, QueueOptions, RecvError, SendError,
    SendOutcome, TryRecvError, TrySendError,
};
use annulus_sync::wait::{WaitStrategy, block_on};

#[derive(Clone, Debug, PartialEq, Eq)]
struct Task {
    id: u64,
    priority: u8,
}

impl Message for Task {
    fn id(&self) -> Option<u64> {
        Some(self.id)
    }

    fn priority(&self) -> u8 {
        self.priority
    }
}

fn task(id: u64, priority: u8) -> Task {
    Task { id, priority }
}

fn small() -> QueueOptions {
    QueueOptions::new().capacity(16)
}

fn poll<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// 255 first, 0 last, equals in the order in which they came.
#[test]
fn q_25_priorities_leave_highest_first_and_equals_in_order() {
    let queue = MessageQueue::new(QueueOptions::new().priority(true)).unwrap();
    for id in 0..1024 {
        assert!(queue.try_send(task(id, (id % 256) as u8)).is_ok());
    }
    for priority in (0..=255).rev() {
        for lap in 0..4 {
            assert_eq!(queue.try_recv(), Ok(task(lap * 256 + u64::from(priority), priority)));
        }
    }
    assert_eq!(queue.try_recv(), Err(TryRecvError::Empty));
}

/// the oldest of the lowest leaves; a message lower than all others is discarded; equals evict.
#[test]
fn q_28_drop_oldest_evicts_the_oldest_of_the_lowest() {
    let queue = MessageQueue::new(small().priority(true).backpressure(Backpressure::DropOldest)).unwrap();
    for id in 0..16 {
        assert_eq!(queue.try_send(task(id, if id < 14 { 200 } else { 10 })), Ok(SendOutcome::Accepted));
    }
    assert_eq!(queue.try_send(task(100, 9)), Ok(SendOutcome::Discarded(task(100, 9))));
    assert_eq!(queue.try_send(task(101, 10)), Ok(SendOutcome::Evicted(task(14, 10))));
    assert_eq!(queue.try_send(task(102, 11)), Ok(SendOutcome::Evicted(task(15, 10))));
    assert_eq!(queue.try_send(task(103, 255)), Ok(SendOutcome::Evicted(task(101, 10))));
    let counters = queue.counters();
    assert_eq!((counters.evicted, counters.discarded, counters.enqueued), (3, 1, 19));
}

/// being received does not make a key free; N others do.
#[test]
fn q_21_the_window_does_not_depend_on_receiving() {
    let options = small().deduplication(Deduplication::ById).deduplication_window(16);
    let queue = MessageQueue::new(options).unwrap();
    assert_eq!(queue.try_send(task(0, 0)), Ok(SendOutcome::Accepted));
    assert_eq!(queue.try_recv(), Ok(task(0, 0)));
    for id in 1..16 {
        assert_eq!(queue.try_send(task(0, 0)), Ok(SendOutcome::Duplicate(task(0, 0))));
        assert_eq!(queue.try_send(task(id, 0)), Ok(SendOutcome::Accepted));
        assert!(queue.try_recv().is_ok());
    }
    assert_eq!(queue.try_send(task(0, 0)), Ok(SendOutcome::Duplicate(task(0, 0))));
    assert_eq!(queue.try_send(task(16, 0)), Ok(SendOutcome::Accepted));
    assert_eq!(queue.try_send(task(0, 0)), Ok(SendOutcome::Accepted), "the 17th key pushed it out");
    assert_eq!(queue.counters().duplicate, 16);
}

/// equal content is legitimate unless deduplication by payload was asked for.
#[test]
fn q_19_equal_payloads_are_duplicates_only_if_asked_for() {
    for (by, duplicate) in [(Deduplication::ById, false), (Deduplication::ByPayload, true)] {
        let queue = MessageQueue::new(small().deduplication(by)).unwrap();
        assert_eq!(queue.try_send("heartbeat"), Ok(SendOutcome::Accepted));
        let again = queue.try_send("heartbeat").unwrap();
        assert_eq!(
            again,
            if duplicate { SendOutcome::Duplicate("heartbeat") } else { SendOutcome::Accepted }
        );
    }
}

/// whatever did not get in may be sent again: refused, discarded, timed out, cancelled.
#[test]
fn q_21_a_refused_or_cancelled_send_leaves_its_key_free() {
    let queue = MessageQueue::new(small().deduplication(Deduplication::ById)).unwrap();
    (0..16).for_each(|id| assert!(queue.try_send(task(id, 0)).is_ok()));
    let late = task(99, 0);
    assert_eq!(queue.try_send(late.clone()), Err(TrySendError::Full(late.clone())));
    let timed_out = queue.send_timeout(late.clone(), Duration::from_millis(1));
    assert_eq!(timed_out, Err(SendError::Timeout(late.clone())));
    let mut cancelled = queue.send(late.clone());
    assert!(poll(&mut cancelled).is_pending());
    drop(cancelled);
    assert_eq!(queue.try_recv(), Ok(task(0, 0)));
    assert_eq!(queue.try_send(late), Ok(SendOutcome::Accepted));
    assert_eq!(queue.counters().rejected, 2);
}

/// A duplicate is told from a lack of space, so that nobody waits to send what is there.
#[test]
fn q_21_a_duplicate_does_not_wait_for_space() {
    let queue = MessageQueue::new(small().deduplication(Deduplication::ById)).unwrap();
    (0..16).for_each(|id| assert!(queue.try_send(task(id, 0)).is_ok()));
    assert_eq!(queue.send_blocking(task(3, 0)), Ok(SendOutcome::Duplicate(task(3, 0))));
}

/// age counts from a message's own acceptance, and a live one behind expired ones is received.
#[test]
fn q_26_expired_messages_never_hide_a_live_one() {
    let clock = Clock::manual();
    let options = small().expiry(Duration::from_secs(30));
    let queue = MessageQueue::builder(options).clock(&clock).build().unwrap();
    clock.advance(Duration::from_secs(1000)); // the queue's own age does not count
    (0..10).for_each(|id| assert!(queue.try_send(task(id, 0)).is_ok()));
    clock.advance(Duration::from_secs(29));
    assert_eq!(queue.try_recv(), Ok(task(0, 0)));
    assert!(queue.try_send(task(10, 0)).is_ok());
    clock.advance(Duration::from_secs(1));
    assert_eq!(queue.try_recv(), Ok(task(10, 0)));
    assert_eq!(queue.try_recv(), Err(TryRecvError::Empty));
    let counters = queue.counters();
    assert_eq!((counters.expired, counters.dequeued, counters.depth()), (9, 2, 0));
}

/// a sender that waits goes on when a receive skips expired messages.
#[test]
fn q_26_skipping_makes_space_for_who_waits() {
    let clock = Clock::manual();
    let options = small().expiry(Duration::from_secs(30));
    let queue = MessageQueue::builder(options).clock(&clock).build().unwrap();
    (0..16).for_each(|id| assert!(queue.try_send(task(id, 0)).is_ok()));
    thread::scope(|scope| {
        let waiting = scope.spawn(|| queue.send_blocking(task(99, 0)));
        clock.advance(Duration::from_secs(30));
        // Some receive skips the sixteen, and then the sender's message is there, or will be.
        assert_eq!(queue.recv_blocking(), Ok(task(99, 0)));
        assert_eq!(waiting.join().unwrap(), Ok(SendOutcome::Accepted));
    });
}

/// the options' timeout bounds a blocking send, and an explicit one takes its place.
#[test]
fn q_18_block_timeout_bounds_blocking_sends() {
    for priority in [false, true] {
        let options = small().priority(priority).block_timeout(Duration::from_millis(2));
        let queue = MessageQueue::new(options).unwrap();
        (0..16).for_each(|id| assert!(queue.send_blocking(task(id, 0)).is_ok()));
        assert_eq!(queue.send_blocking(task(16, 0)), Err(SendError::Timeout(task(16, 0))));
        assert_eq!(queue.send_timeout(task(16, 0), Duration::ZERO), Err(SendError::Timeout(task(16, 0))));
        assert_eq!(queue.counters().rejected, 2);
    }
}

/// every way of waiting gets every message, and ends on close, with either kind of queue.
#[test]
fn q_18_every_wait_strategy_works() {
    let waits = [WaitStrategy::Spin, WaitStrategy::SpinThenPark { spin: Duration::ZERO }, WaitStrategy::Park];
    for (wait, priority) in waits.into_iter().flat_map(|wait| [(wait, false), (wait, true)]) {
        let queue = MessageQueue::<Task>::new(small().priority(priority).wait(wait)).unwrap();
        thread::scope(|scope| {
            let consumer = scope.spawn(|| {
                let mut sum = 0;
                while let Ok(task) = queue.recv_blocking() {
                    sum += task.id;
                }
                assert_eq!(queue.recv_timeout(Duration::from_secs(60)), Err(RecvError::Closed));
                sum
            });
            (0..10_000).for_each(|id| assert!(queue.send_blocking(task(id, id as u8)).is_ok()));
            queue.close();
            assert_eq!(consumer.join().unwrap(), 10_000 * 9999 / 2, "{wait:?}");
        });
        assert_eq!(queue.recv_timeout(Duration::ZERO), Err(RecvError::Closed));
    }
}

/// a waiting send whose turn has come hands it on when it is dropped; a waiting receive likewise.
#[test]
fn q_14_cancelled_futures_hand_their_turn_on() {
    let queue = MessageQueue::new(small().priority(true)).unwrap();
    let mut first = queue.recv();
    let mut second = queue.recv();
    assert!(poll(&mut first).is_pending() && poll(&mut second).is_pending());
    assert!(queue.try_send(task(1, 0)).is_ok());
    drop(first);
    assert_eq!(block_on(second), Ok(task(1, 0)));

    (0..16).for_each(|id| assert!(queue.try_send(task(id, 0)).is_ok()));
    let mut first = queue.send(task(100, 0));
    let mut second = queue.send(task(101, 0));
    assert!(poll(&mut first).is_pending() && poll(&mut second).is_pending());
    assert!(queue.try_recv().is_ok());
    drop(first);
    assert_eq!(block_on(second), Ok(SendOutcome::Accepted));
}

/// draining takes all in order, makes space for who waits, and leaves the queue usable.
#[test]
fn q_27_drain_makes_space_and_leaves_the_queue_usable() {
    let queue = MessageQueue::new(small().priority(true)).unwrap();
    (0..16).for_each(|id| assert!(queue.try_send(task(id, (id % 2) as u8)).is_ok()));
    thread::scope(|scope| {
        let waiting = scope.spawn(|| queue.send_blocking(task(99, 0)));
        let drained: Vec<_> = queue.take_all().iter().map(|task| task.id).take(16).collect();
        let expected: Vec<_> = (0..8).map(|i| 2 * i + 1).chain((0..8).map(|i| 2 * i)).collect();
        assert_eq!(drained, expected);
        assert_eq!(waiting.join().unwrap(), Ok(SendOutcome::Accepted));
    });
    assert_eq!(queue.clear(), 1);
    assert_eq!(queue.len(), 0);
}

/// Messages that are queued when the last handle goes away are dropped, once.
#[test]
fn q_02_a_dropped_queue_drops_its_messages() {
    for priority in [false, true] {
        let held = Arc::new(String::new());
        let queue = MessageQueue::new(small().priority(priority)).unwrap();
        for _ in 0..100 {
            let _ = queue.try_send(Arc::clone(&held));
            let _ = queue.try_recv();
        }
        (0..7).for_each(|_| assert!(queue.try_send(Arc::clone(&held)).is_ok()));
        assert_eq!(Arc::strong_count(&held), 8);
        drop(queue);
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
