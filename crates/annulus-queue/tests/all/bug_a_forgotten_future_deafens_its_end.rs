//! A receive that waited and was forgotten, neither finished nor dropped, kept its place before those that
//! the only receiver made afterwards, and swallowed their notification; so did a send of the only sender.

use std::{
    future::Future,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Wake, Waker},
};

use annulus_queue::{
    QueueOptions,
    single_consumer::{Many, One, ProducerMode, Receiver, Sender, mpsc, spsc},
};
use annulus_sync::{AtomicBool, Ordering};

#[derive(Default)]
struct Sleeper(AtomicBool);

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Polls once, and forgets the future.
fn forget(future: impl Future) {
    let mut forgotten = Box::pin(future);
    assert!(forgotten.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    std::mem::forget(forgotten);
}

/// Polls once, with a waker that tells the sleeper.
fn fall_asleep(future: Pin<&mut impl Future>) -> Arc<Sleeper> {
    let sleeper = Arc::<Sleeper>::default();
    assert!(future.poll(&mut Context::from_waker(&Waker::from(Arc::clone(&sleeper)))).is_pending());
    sleeper
}

fn wakes_the_living<P: ProducerMode>((mut tx, mut rx): (Sender<u32, P>, Receiver<u32, P>)) {
    forget(rx.recv());
    let mut living = pin!(rx.recv());
    let sleeper = fall_asleep(living.as_mut());
    assert!(tx.try_send(1).is_ok());
    assert!(sleeper.0.load(Ordering::Relaxed));
}

#[test]
fn the_only_receiver_hears_of_every_message() {
    wakes_the_living::<One>(spsc(QueueOptions::new()).unwrap());
    wakes_the_living::<Many>(mpsc(QueueOptions::new()).unwrap());
}

#[test]
fn the_only_sender_hears_of_every_place() {
    let (mut tx, mut rx) = spsc(QueueOptions::new().capacity(16)).unwrap();
    assert_eq!(tx.try_send_batch(0..16, |_| ()), 16);
    forget(tx.send(16));
    let mut living = pin!(tx.send(17));
    let sleeper = fall_asleep(living.as_mut());
    assert_eq!(rx.try_recv(), Ok(0));
    assert!(sleeper.0.load(Ordering::Relaxed));
}
