//! A receive that waited and was forgotten, neither finished nor dropped, kept its place before those that the only receiver made
//! afterwards, and swallowed their notification.
#![cfg(not(loom))]

use std::{
    future::Future,
    sync::Arc,
    task::{Context, Wake, Waker},
};

use annulus_queue::{
    QueueOptions,
    solo::{Many, One, Producers, Receiver, Sender, mpsc, spsc},
    sync::{AtomicBool, Ordering},
};

#[derive(Default)]
struct Sleeper(AtomicBool);

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn wakes_the_living<P: Producers>((mut tx, mut rx): (Sender<u32, P>, Receiver<u32, P>)) {
    let sleeper = Arc::<Sleeper>::default();
    let waker = Waker::from(Arc::clone(&sleeper));
    let mut forgotten = Box::pin(rx.recv());
    assert!(forgotten.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    std::mem::forget(forgotten);
    let mut living = Box::pin(rx.recv());
    assert!(living.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    assert!(tx.try_send(1).is_ok());
    assert!(sleeper.0.load(Ordering::Relaxed));
}

#[test]
fn the_only_receiver_hears_every_message() {
    wakes_the_living::<One>(spsc(QueueOptions::new()).unwrap());
    wakes_the_living::<Many>(mpsc(QueueOptions::new()).unwrap());
}
