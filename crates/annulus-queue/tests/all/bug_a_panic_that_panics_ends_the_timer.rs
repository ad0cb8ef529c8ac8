//! The payload of a panic was dropped outside of the guard that had caught the panic. If its `Drop` panicked
//! too, that ended the thread: the timer of all batchers, or a thread that woke a task.

use std::{
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind, panic_any},
    pin::pin,
    sync::{
        Arc,
        mpsc::{channel, sync_channel},
    },
    task::{Context, Wake, Waker},
    time::Duration,
};

use annulus_queue::{
    QueueOptions,
    batching::{BatchOptions, BatchSink, Batcher},
    queue,
};
use annulus_sync::event::Event;

/// Its `Drop` panics with another one, for ever.
#[derive(Debug)]
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic_any(Bomb);
    }
}

const SOON: Duration = Duration::from_millis(1);

/// Panics with a bomb, whatever is asked of it.
struct Explosive;

impl BatchSink<u32> for Explosive {
    type Error = ();

    fn deliver(&mut self, _: &mut Vec<u32>) -> Result<(), ()> {
        panic_any(Bomb)
    }

    fn abandon(&mut self, _: Vec<u32>) {
        panic_any(Bomb)
    }
}

#[test]
fn the_timer_goes_on() {
    let bad = Batcher::new(BatchOptions::new().delay(SOON), Explosive).unwrap();
    bad.push(1).unwrap();
    while bad.counters().failures < 2 {
        std::thread::sleep(SOON);
    }
    let (tx, rx) = channel();
    let good = Batcher::new(BatchOptions::new().delay(SOON), move |batch: &mut Vec<u32>| {
        batch.drain(..).try_for_each(|message| tx.send(message))
    });
    let good = good.unwrap();
    good.push(2).unwrap();
    assert_eq!(rx.recv_timeout(Duration::from_secs(60)), Ok(2));
    // It continues once, in the code that drops the batcher. The second panic, of `abandon`, is forgotten.
    let dropped = catch_unwind(AssertUnwindSafe(|| drop(bad)));
    std::mem::forget(dropped.unwrap_err());
}

/// The error of a refusal is the program's, too.
#[test]
fn an_error_that_panics_ends_no_timer() {
    let bad = Batcher::new(BatchOptions::new().delay(SOON), |_: &mut Vec<u32>| Err::<(), _>(Bomb)).unwrap();
    bad.push(1).unwrap();
    while bad.counters().failures < 2 {
        std::thread::sleep(SOON);
    }
    let (tx, rx) = sync_channel(1);
    let good = Batcher::new(BatchOptions::new().delay(SOON), move |batch: &mut Vec<u32>| {
        batch.drain(..).try_for_each(|message| tx.try_send(message))
    });
    let good = good.unwrap();
    good.push(2).unwrap();
    assert_eq!(rx.recv_timeout(Duration::from_secs(60)), Ok(2));
    std::mem::forget(catch_unwind(AssertUnwindSafe(|| drop(bad))));
}

struct Explodes;

impl Wake for Explodes {
    fn wake(self: Arc<Self>) {
        panic_any(Bomb)
    }
}

#[test]
fn whoever_wakes_goes_on() {
    let event = Event::new();
    let waker = Waker::from(Arc::new(Explodes));
    let mut bad = pin!(event.listen());
    assert!(bad.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    let mut good = pin!(event.listen());
    assert!(good.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    event.notify_all();
    assert!(good.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
}

/// Messages that panic as they are dropped with their queue: all are dropped, and one panic goes on.
#[test]
fn messages_are_dropped_to_the_last() {
    struct Message(std::sync::mpsc::Sender<()>);
    impl Drop for Message {
        fn drop(&mut self) {
            self.0.send(()).unwrap();
            panic_any(Bomb);
        }
    }
    let (tx, rx) = queue(QueueOptions::new().capacity(16)).unwrap();
    let (tell, told) = channel();
    for _ in 0..3 {
        assert!(tx.try_send(Message(tell.clone())).is_ok());
    }
    let dropped = catch_unwind(AssertUnwindSafe(|| drop((rx, tx))));
    std::mem::forget(dropped.unwrap_err());
    drop(tell);
    assert_eq!(told.iter().count(), 3);
}
