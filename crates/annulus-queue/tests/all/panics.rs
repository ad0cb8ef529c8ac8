//! User code that panics within a call, or uses the queue from within: nothing is lost, nothing is dropped
//! twice, nobody hangs.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use annulus_queue::{
    Message, MessageQueue, QueueOptions, SendOutcome, TryRecvError, queue,
    single_consumer::{self, Many, mpsc, spsc},
    spmc::spmc,
};

/// A message that panics when it is dropped, if it is told to, and is counted.
struct Bomb(Arc<()>, bool);

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(!self.1, "dropped, one of {}", Arc::strong_count(&self.0));
    }
}

impl Message for Bomb {}

fn panics<R>(run: impl FnOnce() -> R) -> bool {
    catch_unwind(AssertUnwindSafe(run)).is_err()
}

/// a message that panics while a queue is cleared is gone; the others stay, and can be cleared.
#[test]
fn q_27_clear_survives_a_message_that_panics() {
    let held = Arc::new(());
    let bombs = || (0..8).map(|n| Bomb(Arc::clone(&held), n == 3));
    let (tx, rx) = queue(QueueOptions::new()).unwrap();
    tx.try_send_batch(bombs(), |_| ());
    assert!(panics(|| rx.clear()));
    assert_eq!((rx.len(), rx.clear(), rx.len()), (4, 4, 0));

    let (mut tx, mut rx) = mpsc(QueueOptions::new()).unwrap();
    tx.try_send_batch(bombs(), |_| ());
    assert!(panics(|| rx.clear()));
    assert_eq!((rx.len(), rx.clear(), rx.len()), (4, 4, 0));
    assert_eq!(Arc::strong_count(&held), 1);
}

/// A closure that panics within a batch has taken its message; those behind it stay.
#[test]
fn q_27_a_batch_survives_its_closure() {
    let (mut tx, mut rx) = spsc(QueueOptions::new().capacity(16)).unwrap();
    for _ in 0..10 {
        assert_eq!(tx.try_send_batch(0..16, |_| panic!("there is space")), 16);
        assert!(panics(|| rx.try_recv_batch(16, |n| assert!(n < 5))));
        assert_eq!(rx.try_iter().collect::<Vec<_>>(), (6..16).collect::<Vec<_>>());
        assert!(panics(
            || tx.try_send_batch((0..4).map(|n| if n < 2 { n } else { panic!("no more") }), |_| ())
        ));
        assert_eq!(rx.try_iter().collect::<Vec<_>>(), [0, 1]);
    }
}

/// a look that panics takes nothing, and leaves the queue usable.
#[test]
fn q_27_peek_survives_its_closure() {
    let (mut tx, mut rx) = spsc(QueueOptions::new()).unwrap();
    let _ = tx.try_send(7);
    assert!(panics(|| rx.peek(|_| panic!("seen"))));
    assert_eq!((rx.peek(|n| *n), rx.try_recv()), (Ok(7), Ok(7)));

    let queue = MessageQueue::new(QueueOptions::new().priority(true)).unwrap();
    assert_eq!(queue.try_send(7), Ok(SendOutcome::Accepted));
    assert!(panics(|| queue.peek(|_| panic!("seen"))));
    assert_eq!((queue.peek(|n| *n), queue.try_recv()), (Ok(7), Ok(7)));
    assert_eq!(queue.peek(|n| *n), Err(TryRecvError::Empty));
}

/// A peek of a queue without policy says why there is none.
#[test]
fn q_27_peek_without_a_policy_is_refused() {
    let queue = MessageQueue::with_defaults();
    let _ = queue.try_send(7);
    let refused = queue.peek(|n| *n).unwrap_err();
    assert_eq!(refused, TryRecvError::NotOffered);
    assert!(refused.to_string().contains("single_consumer"));
}

/// a peek skips what has expired, and hands it on as a receive does.
#[test]
fn q_26_peek_skips_what_has_expired() {
    let clock = annulus_queue::Clock::manual();
    let dead_letters = annulus_queue::DeadLetters::new();
    let queue = MessageQueue::builder(QueueOptions::new().expiry(Duration::from_secs(1)))
        .clock(&clock)
        .dead_letters(&dead_letters)
        .build()
        .unwrap();
    let _ = queue.try_send(1);
    clock.advance(Duration::from_secs(1));
    let _ = queue.try_send(2);
    assert_eq!((queue.peek(|n| *n), queue.len(), dead_letters.len()), (Ok(2), 1, 1));
}

/// A reservation that unwinds leaves the queue usable, whether its message panics when it is dropped or not.
#[test]
fn reservations_survive_panics() {
    let held = Arc::new(());
    for explodes in [false, true] {
        let (tx, rx) = queue(QueueOptions::new()).unwrap();
        assert!(panics(|| {
            let mut place = tx.try_reserve().unwrap();
            place.write(Bomb(Arc::clone(&held), explodes));
            if !explodes {
                panic!("before the commit");
            }
        }));
        assert!(matches!(rx.try_recv(), Err(TryRecvError::Empty)));
        assert!(tx.try_send(Bomb(Arc::clone(&held), false)).is_ok() && rx.try_recv().is_ok());

        let (mut tx, mut rx) = mpsc(QueueOptions::new()).unwrap();
        assert!(panics(|| {
            let mut place = tx.try_reserve().unwrap();
            place.write(Bomb(Arc::clone(&held), explodes));
            if !explodes {
                panic!("before the commit");
            }
        }));
        assert!(matches!(rx.try_recv(), Err(TryRecvError::Empty)));
        assert!(tx.try_send(Bomb(Arc::clone(&held), false)).is_ok() && rx.try_recv().is_ok());
    }
    assert_eq!(Arc::strong_count(&held), 1);
}

/// Writing over a message that panics when it is dropped leaves the new one out, and the place empty.
#[test]
fn a_reservation_survives_a_second_write() {
    let held = Arc::new(());
    let (mut tx, mut rx) = spsc(QueueOptions::new()).unwrap();
    assert!(panics(|| {
        let mut place = tx.try_reserve().unwrap();
        place.write(Bomb(Arc::clone(&held), true));
        place.write(Bomb(Arc::clone(&held), false));
    }));
    assert!(rx.try_recv().is_err());
    assert_eq!(Arc::strong_count(&held), 1);
}

/// A receiver that leaves while this very thread holds a reservation does not wait for it; what is committed
/// then is dropped and counted.
#[test]
fn a_receiver_leaves_behind_a_reservation() {
    let held = Arc::new(());
    let (tx, rx) = queue(QueueOptions::new()).unwrap();
    let _ = tx.try_send(Arc::clone(&held));
    let mut place = tx.try_reserve().unwrap();
    place.write(Arc::clone(&held));
    let _ = tx.try_send(Arc::clone(&held));
    drop(rx);
    place.commit();
    assert_eq!((Arc::strong_count(&held), tx.counters().abandoned, tx.len()), (1, 3, 0));

    let (mut tx, rx) = mpsc(QueueOptions::new()).unwrap();
    let mut other = tx.clone();
    let _ = tx.try_send(Arc::clone(&held));
    let place = tx.try_reserve().unwrap();
    let _ = other.try_send(Arc::clone(&held));
    drop(rx);
    drop(place);
    assert_eq!((Arc::strong_count(&held), tx.counters().abandoned, tx.len()), (1, 2, 0));

    let (mut tx, rx) = spmc(QueueOptions::new()).unwrap();
    let mut place = tx.try_reserve().unwrap();
    place.write(Arc::clone(&held));
    drop(rx);
    place.commit();
    assert_eq!(Arc::strong_count(&held), 1);
    assert!(tx.is_closed() && tx.try_send(Arc::clone(&held)).is_err());
}

/// A message that sends to its own queue when it is dropped, as replies do, does not wait for itself.
#[test]
fn a_message_may_send_while_it_is_dropped() {
    struct Reply(Option<single_consumer::Sender<Reply, Many>>);
    impl Drop for Reply {
        fn drop(&mut self) {
            if let Some(mut tx) = self.0.take() {
                let _ = tx.try_send(Reply(None));
            }
        }
    }
    let (mut tx, mut rx) = mpsc(QueueOptions::new()).unwrap();
    let own = tx.clone();
    let _ = tx.try_send(Reply(Some(own)));
    assert_eq!(rx.clear(), 1);
    assert_eq!(rx.len(), 1);
    let own = tx.clone();
    let _ = tx.try_send(Reply(Some(own)));
    drop(rx);
    assert_eq!(tx.counters().abandoned, 2);
    assert_eq!(tx.counters().closed, 1);
}
