//! Messages that are published behind one which is still being written wake receivers that find nothing and
//! sleep again. Once that one is written, all messages are there, but there is only one notification: each
//! receiver that finds something must pass it on to the next.
#![cfg(all(not(loom), feature = "futures"))]

use std::{
    cell::RefCell,
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, RawWaker, RawWakerVTable, Wake, Waker},
};

use annulus_queue::{QueueOptions, RecvError, SendError, queue, spmc::spmc};
use annulus_sync::{AtomicUsize, Ordering};
use futures_core::Stream;

/// Counts how often it is woken.
#[derive(Default)]
struct Sleeper(AtomicUsize);

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A task that is polled when it was woken, and the first time.
struct Task<F> {
    future: Pin<Box<F>>,
    sleeper: Arc<Sleeper>,
}

impl<F: Future> Task<F> {
    fn asleep(future: F) -> Self {
        let mut task = Self { future: Box::pin(future), sleeper: Arc::default() };
        assert!(task.poll().is_pending());
        task
    }

    fn poll(&mut self) -> Poll<F::Output> {
        self.sleeper.0.store(0, Ordering::Relaxed);
        let waker = Waker::from(Arc::clone(&self.sleeper));
        self.future.as_mut().poll(&mut Context::from_waker(&waker))
    }

    fn is_woken(&self) -> bool {
        self.sleeper.0.load(Ordering::Relaxed) != 0
    }

    /// Polls it as its runtime would: only if it was woken.
    fn run(&mut self) -> Option<F::Output> {
        assert!(self.is_woken(), "asleep beside what it waits for");
        match self.poll() {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        }
    }
}

thread_local! {
    /// What a waker of [`interrupted`] does when it is cloned next.
    static INTERRUPTION: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
}

/// A waker whose first clone runs `interruption`: it stands for what another thread does between a look at a
/// queue, after which a listener is given a waker, and the moment at which it has it.
fn interrupted(interruption: impl FnOnce() + 'static) -> Waker {
    const TABLE: RawWakerVTable = RawWakerVTable::new(
        |data| {
            if let Some(run) = INTERRUPTION.take() {
                run();
            }
            RawWaker::new(data, &TABLE)
        },
        |_| (),
        |_| (),
        |_| (),
    );
    INTERRUPTION.set(Some(Box::new(interruption)));
    // SAFETY: there is no data, so nothing is shared and nothing to be dropped; the functions may be called
    // from any thread.
    unsafe { Waker::from_raw(RawWaker::new(std::ptr::null(), &TABLE)) }
}

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// All three wait; messages behind the reservation wake them for nothing; then the reservation is dropped.
#[test]
fn a_void_in_front_lets_everybody_pass() {
    let (tx, rx) = queue(QueueOptions::new()).unwrap();
    let place = tx.try_reserve().unwrap();
    let mut tasks = [(); 3].map(|()| Task::asleep(rx.recv()));
    for (n, task) in tasks.iter_mut().enumerate() {
        let _ = tx.try_send(n).unwrap();
        assert_eq!(task.run(), None, "the reservation is in front of it");
    }
    drop(place);
    for (n, task) in tasks.iter_mut().enumerate() {
        assert_eq!(task.run(), Some(Ok(n)));
    }
}

/// The same with streams, and a reservation that is committed.
#[test]
fn a_message_in_front_lets_everybody_pass() {
    let (mut tx, rx) = spmc(QueueOptions::new()).unwrap();
    let mut tasks = [(); 3].map(|()| {
        let mut messages = rx.messages();
        Task::asleep(poll_fn(move |context| Pin::new(&mut messages).poll_next(context)))
    });
    let mut place = tx.try_reserve().unwrap();
    place.write(0);
    place.commit();
    let _ = tx.try_send(1).unwrap();
    let _ = tx.try_send(2).unwrap();
    for (n, task) in tasks.iter_mut().enumerate() {
        assert_eq!(task.run(), Some(Some(n)));
    }
}

/// Everybody learns that the queue is closed, also those whom the close woke too early.
#[test]
fn a_message_in_front_of_the_end_lets_everybody_pass() {
    let (tx, rx) = queue(QueueOptions::new()).unwrap();
    let mut place = tx.try_reserve().unwrap();
    let mut tasks = [(); 3].map(|()| Task::asleep(rx.recv()));
    tx.close();
    assert!(tasks.iter_mut().all(|task| task.run().is_none()), "the reservation is in front of the end");
    place.write(7);
    place.commit();
    assert_eq!(tasks[0].run(), Some(Ok(7)));
    assert_eq!(tasks[1].run(), Some(Err(RecvError::Closed)));
    assert_eq!(tasks[2].run(), Some(Err(RecvError::Closed)));
}

/// A receiver sees its notification between two looks, of which the first finds nothing and the second
/// something.
fn notified_between_two_looks(close: bool) {
    let (tx, rx) = queue(QueueOptions::new()).unwrap();
    let (tx, rx) = (leak(tx), leak(rx));
    let mut place = tx.try_reserve().unwrap();
    place.write(0);
    let sleeper = Arc::<Sleeper>::default();
    let mut other = Task { future: Box::pin(rx.recv()), sleeper: Arc::clone(&sleeper) };
    assert!(other.poll().is_pending());
    if close {
        rx.close();
    } else {
        let _ = tx.try_send(1).unwrap();
    }
    let waker = interrupted(move || {
        assert!(other.run().is_none(), "the reservation is in front");
        place.commit();
        std::mem::forget(other);
    });
    let mut first = pin!(rx.recv());
    assert_eq!(first.as_mut().poll(&mut Context::from_waker(&waker)), Poll::Ready(Ok(0)));
    assert_eq!(sleeper.0.load(Ordering::Relaxed), 1, "the other sleeps beside what there is to be had");
}

#[test]
fn a_notification_between_two_looks_is_handed_on() {
    notified_between_two_looks(false);
}

#[test]
fn a_notification_between_two_looks_is_handed_on_beside_the_end() {
    notified_between_two_looks(true);
}

/// Senders who sleep all learn of the end.
#[test]
fn everybody_learns_of_the_end() {
    let (tx, rx) = queue(QueueOptions::new().capacity(16)).unwrap();
    tx.try_send_batch(0..16, |_| panic!("there is space"));
    let mut tasks = [(); 3].map(|()| Task::asleep(tx.send(16)));
    rx.close();
    for task in &mut tasks {
        assert_eq!(task.run(), Some(Err(SendError::Closed(16))));
    }
}
