//! Messages behind one that panicked when it was dropped, or behind a forgotten reservation, were never
//! dropped.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use annulus_queue::{
    QueueOptions, queue,
    single_consumer::{Many, One, ProducerMode, Receiver, Sender, mpsc, spsc},
    spmc::spmc,
};

/// A message that panics when it is dropped, if it is told to.
struct Bomb {
    _held: Arc<()>,
    explodes: bool,
}

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(!self.explodes, "dropped");
    }
}

/// Eight messages, two of which explode.
fn bombs(held: &Arc<()>) -> impl Iterator<Item = Bomb> {
    (0..8).map(|n| Bomb { _held: Arc::clone(held), explodes: n == 3 || n == 5 })
}

fn panics<R>(run: impl FnOnce() -> R) -> bool {
    catch_unwind(AssertUnwindSafe(run)).is_err()
}

fn single_consumer_leaves<P: ProducerMode>((mut tx, rx): (Sender<Bomb, P>, Receiver<Bomb, P>)) {
    let held = Arc::new(());
    assert_eq!(tx.try_send_batch(bombs(&held), |_| ()), 8);
    assert!(panics(|| drop(rx)), "the first panic is passed on");
    assert_eq!((Arc::strong_count(&held), tx.counters().abandoned, tx.len()), (1, 8, 0));
}

#[test]
fn a_receiver_leaves_behind_messages_that_panic() {
    single_consumer_leaves::<One>(spsc(QueueOptions::new()).unwrap());
    single_consumer_leaves::<Many>(mpsc(QueueOptions::new()).unwrap());
    let held = Arc::new(());
    let (tx, rx) = queue(QueueOptions::new()).unwrap();
    assert_eq!(tx.try_send_batch(bombs(&held), |_| ()), 8);
    assert!(panics(|| drop(rx)), "the first panic is passed on");
    assert_eq!((Arc::strong_count(&held), tx.counters().abandoned, tx.len()), (1, 8, 0));
}

/// A receiver that leaves because of a panic does not cause a second panic.
#[test]
fn a_receiver_unwinds_beside_messages_that_panic() {
    let held = Arc::new(());
    let (mut tx, rx) = spsc(QueueOptions::new()).unwrap();
    assert_eq!(tx.try_send_batch(bombs(&held), |_| ()), 8);
    assert!(panics(|| {
        let _rx = rx;
        panic!("it leaves");
    }));
    assert_eq!((Arc::strong_count(&held), tx.counters().abandoned), (1, 8));
}

/// Behind a reservation that never ends nothing can be received, but when the queue is dropped, all messages
/// are dropped.
#[test]
fn a_forgotten_reservation_keeps_nothing_alive() {
    let held = Arc::new(());
    let harmless = || Bomb { _held: Arc::clone(&held), explodes: false };
    let (tx, rx) = queue(QueueOptions::new()).unwrap();
    let _ = tx.try_send(harmless());
    std::mem::forget(tx.try_reserve().unwrap());
    drop(tx.try_reserve().unwrap());
    assert_eq!(tx.try_send_batch(bombs(&held), |_| ()), 8);
    drop(rx);
    assert_eq!(tx.counters().abandoned, 1);
    assert!(panics(|| drop(tx)), "the first panic is passed on");
    assert_eq!(Arc::strong_count(&held), 1);

    let (mut tx, rx) = spmc(QueueOptions::new()).unwrap();
    std::mem::forget(tx.try_reserve().unwrap());
    let _ = tx.try_send(harmless());
    drop((rx, tx));
    assert_eq!(Arc::strong_count(&held), 1);

    let (mut tx, rx) = mpsc(QueueOptions::new()).unwrap();
    let _ = tx.try_send(harmless());
    std::mem::forget(tx.try_reserve().unwrap());
    drop(tx.try_reserve().unwrap());
    assert_eq!(tx.try_send_batch(bombs(&held), |_| ()), 8);
    drop(rx);
    assert_eq!(tx.counters().abandoned, 1);
    assert!(panics(|| drop(tx)), "the first panic is passed on");
    assert_eq!(Arc::strong_count(&held), 1);

    // One sender's reservation leaves no trace.
    let (mut tx, mut rx) = spsc(QueueOptions::new()).unwrap();
    std::mem::forget(tx.try_reserve().unwrap());
    let _ = tx.try_send(harmless());
    drop(rx.try_recv().unwrap());
    assert_eq!(Arc::strong_count(&held), 1);
}
