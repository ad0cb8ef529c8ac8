//! A receiver that was woken and got the message woke the next one for nothing. So did a sender that got the
//! space.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Wake, Waker},
};

use annulus_queue::{MessageQueue, QueueOptions, queue, single_consumer::mpsc, spmc::spmc};
use annulus_sync::{AtomicUsize, Ordering};

#[derive(Default)]
struct Sleeper(AtomicUsize);

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Puts all to sleep, makes one `available`, lets the first take it, and returns the number of wake-ups.
fn wake_ups<F: Future>(futures: impl IntoIterator<Item = F>, available: impl FnOnce()) -> usize {
    let mut tasks: Vec<_> = futures
        .into_iter()
        .map(|future| {
            let sleeper = Arc::<Sleeper>::default();
            (Box::pin(future), Waker::from(Arc::clone(&sleeper)), sleeper)
        })
        .collect();
    for (future, waker, _) in &mut tasks {
        assert!(Pin::as_mut(future).poll(&mut Context::from_waker(waker)).is_pending());
    }
    available();
    let (first, waker, _) = &mut tasks[0];
    assert!(first.as_mut().poll(&mut Context::from_waker(waker)).is_ready());
    tasks.iter().map(|(.., sleeper)| sleeper.0.load(Ordering::Relaxed)).sum()
}

#[test]
fn one_message_wakes_one_receiver() {
    let (tx, rx) = queue(QueueOptions::new()).unwrap();
    assert_eq!(wake_ups((0..4).map(|_| rx.recv()), || assert!(tx.try_send(1).is_ok())), 1);
    let (mut tx, rx) = spmc(QueueOptions::new()).unwrap();
    assert_eq!(wake_ups((0..4).map(|_| rx.recv()), || assert!(tx.try_send(1).is_ok())), 1);
    let queue = MessageQueue::new(QueueOptions::new().priority(true)).unwrap();
    assert_eq!(wake_ups((0..4).map(|_| queue.recv()), || assert!(queue.try_send(1).is_ok())), 1);
}

#[test]
fn one_place_wakes_one_sender() {
    let options = QueueOptions::new().capacity(16);
    let (tx, rx) = queue(options.clone()).unwrap();
    tx.try_send_batch(0..16, |_| panic!("there is space"));
    assert_eq!(wake_ups((0..4).map(|n| tx.send(n)), || assert!(rx.try_recv().is_ok())), 1);

    let (mut tx, mut rx) = mpsc(options.clone()).unwrap();
    tx.try_send_batch(0..16, |_| panic!("there is space"));
    let mut senders = [(); 4].map(|()| tx.clone());
    assert_eq!(wake_ups(senders.iter_mut().map(|tx| tx.send(1)), || assert!(rx.try_recv().is_ok())), 1);

    let queue = MessageQueue::new(options.priority(true)).unwrap();
    queue.try_send_batch(0..16, |_| panic!("there is space"));
    assert_eq!(wake_ups((0..4).map(|n| queue.send(n)), || assert!(queue.try_recv().is_ok())), 1);
}
