//! Batching: causes, refusals, panics, closing, sharing. Nothing here depends on how long anything takes.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex,
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::Duration,
};

use annulus_queue::{
    Backpressure, QueueOptions, TrySendError,
    batching::{Batch, BatchOptions, BatchSink, Batcher, PushError, Recycled, StartError},
    queue,
};
use annulus_sync::{AtomicBool, Ordering};

/// Full or flushed, never late.
fn patient(messages: usize) -> BatchOptions {
    BatchOptions::new().messages(messages).delay(Duration::MAX)
}

/// Collects batches; refuses, having taken the first `takes` messages, while it is told to.
#[derive(Clone, Default)]
struct Shelf {
    batches: Arc<Mutex<Vec<Vec<u32>>>>,
    refuses: Arc<AtomicBool>,
    takes: usize,
    abandoned: Arc<Mutex<Vec<u32>>>,
}

impl Shelf {
    fn batches(&self) -> Vec<Vec<u32>> {
        self.batches.lock().unwrap().clone()
    }

    fn refuse(&self, refuses: bool) {
        self.refuses.store(refuses, Ordering::SeqCst);
    }
}

impl BatchSink<u32> for Shelf {
    type Error = &'static str;

    fn deliver(&mut self, batch: &mut Vec<u32>) -> Result<(), &'static str> {
        let mut batches = self.batches.lock().unwrap();
        if self.refuses.load(Ordering::SeqCst) {
            let taken: Vec<_> = batch.drain(..self.takes.min(batch.len())).collect();
            if !taken.is_empty() {
                batches.push(taken);
            }
            return Err("full shelf");
        }
        batches.push(std::mem::take(batch));
        Ok(())
    }

    fn abandon(&mut self, undelivered: Vec<u32>) {
        self.abandoned.lock().unwrap().extend(undelivered);
    }
}

#[test]
fn d_04_causes_are_told_apart() {
    let shelf = Shelf::default();
    let batcher = Batcher::new(patient(3), shelf.clone()).unwrap();
    (0..7).for_each(|n| batcher.push(n).unwrap());
    assert_eq!(shelf.batches(), [vec![0, 1, 2], vec![3, 4, 5]]);
    batcher.flush().unwrap();
    batcher.flush().unwrap();
    batcher.push(7).unwrap();
    batcher.close().unwrap();
    assert_eq!(shelf.batches()[2..], [vec![6], vec![7]]);
    let counters = batcher.counters();
    assert_eq!((counters.by_count, counters.by_timer, counters.by_flush, counters.by_close), (2, 0, 1, 1));
    assert_eq!((counters.pushed, counters.delivered, counters.waiting(), counters.batches()), (8, 8, 0, 4));
}

#[test]
fn dropping_delivers_what_is_left_and_drops_the_sink() {
    let (tx, rx) = queue::<Vec<u32>>(QueueOptions::new()).unwrap();
    let batcher = Batcher::new(patient(64), tx).unwrap();
    batcher.push(1).unwrap();
    drop(batcher);
    assert!(rx.is_closed());
    assert_eq!(rx.try_recv(), Ok(vec![1]));
}

#[test]
fn closing_drops_the_sink_and_refuses_what_comes_after() {
    let (tx, rx) = queue::<Vec<u32>>(QueueOptions::new()).unwrap();
    let batcher = Batcher::new(patient(64), tx).unwrap();
    batcher.close().unwrap();
    assert!(rx.is_closed());
    assert_eq!(batcher.push(1), Err(PushError::Closed(1)));
    assert_eq!(batcher.try_push(2), Err(PushError::Closed(2)));
    batcher.close().unwrap();
    assert_eq!((batcher.counters().refused, batcher.counters().pushed), (2, 0));
}

#[test]
fn what_is_refused_is_kept_in_order_and_offered_again() {
    let shelf = Shelf { takes: 1, ..Shelf::default() };
    shelf.refuse(true);
    let batcher = Batcher::new(patient(3), shelf.clone()).unwrap();
    let mut refused = Vec::new();
    for n in 0..12 {
        if let Err(error) = batcher.try_push(n) {
            assert!(matches!(error, PushError::Refused(..)));
            refused.push(error.into_inner());
        }
        if n == 9 {
            shelf.refuse(false);
        }
    }
    batcher.close().unwrap();
    let delivered: Vec<_> = shelf.batches().concat();
    let expected: Vec<_> = (0..12).filter(|n| !refused.contains(n)).collect();
    assert_eq!(delivered, expected);
    let counters = batcher.counters();
    assert!(counters.failures > 0);
    assert_eq!((counters.refused, counters.delivered), (refused.len() as u64, delivered.len() as u64));
}

#[test]
fn closing_hands_back_what_the_sink_refuses() {
    let shelf = Shelf::default();
    shelf.refuse(true);
    let batcher = Batcher::new(patient(2), shelf.clone()).unwrap();
    (0..4).for_each(|n| batcher.push(n).unwrap());
    assert_eq!(batcher.push(4), Err(PushError::Refused(4, "full shelf")));
    assert_eq!(batcher.flush(), Err("full shelf"));
    let error = batcher.close().unwrap_err();
    assert_eq!((error.error, error.undelivered), ("full shelf", vec![0, 1, 2, 3]));
    assert_eq!((batcher.counters().returned, batcher.counters().waiting()), (4, 0));
    drop(batcher);
    assert!(shelf.batches().is_empty() && shelf.abandoned.lock().unwrap().is_empty());
}

#[test]
fn dropping_gives_the_sink_what_it_refuses() {
    let shelf = Shelf::default();
    shelf.refuse(true);
    let batcher = Batcher::new(patient(2), shelf.clone()).unwrap();
    (0..3).for_each(|n| batcher.push(n).unwrap());
    drop(batcher);
    assert_eq!(*shelf.abandoned.lock().unwrap(), [0, 1, 2]);
}

#[test]
fn the_timer_offers_a_refused_batch_again() {
    let (tx, rx) = queue::<Vec<u32>>(QueueOptions::new().capacity(16)).unwrap();
    for _ in 0..16 {
        let _ = tx.try_send(Vec::new()).unwrap();
    }
    let batcher = Batcher::new(BatchOptions::new(), tx).unwrap();
    batcher.push(7).unwrap();
    while batcher.counters().failures == 0 {
        thread::yield_now();
    }
    let received = std::iter::from_fn(|| rx.recv_blocking().ok()).find(|batch| !batch.is_empty());
    assert_eq!(received, Some(vec![7]), "though nobody pushes or flushes");
}

#[test]
fn full_and_closed_queues_give_the_messages_back() {
    for backpressure in [Backpressure::Reject, Backpressure::DropNew] {
        let options = QueueOptions::new().capacity(16).backpressure(backpressure);
        let (tx, rx) = queue::<Batch<u32>>(options).unwrap();
        let batcher = Batcher::new(patient(2), Recycled::new(tx, patient(2), 20)).unwrap();
        (0..36).for_each(|n| batcher.push(n).unwrap());
        assert_eq!(batcher.push(36), Err(PushError::Refused(36, TrySendError::Full(()))));
        assert_eq!(*rx.recv_blocking().unwrap(), [0, 1]);
        batcher.push(36).unwrap();
        rx.close();
        let error = batcher.close().unwrap_err();
        assert_eq!((error.error, error.undelivered), (TrySendError::Closed(()), vec![34, 35, 36]));
    }
}

/// `push` waits in the queue; `try_push` says that it would.
#[test]
fn a_batcher_waits_as_its_queue_does() {
    let (tx, rx) = queue::<Vec<u32>>(QueueOptions::new().capacity(16)).unwrap();
    let batcher = Batcher::new(patient(1), tx).unwrap();
    thread::scope(|s| {
        s.spawn(|| (0..1000).for_each(|n| batcher.push(n).unwrap()));
        for n in 0..1000 {
            assert_eq!(rx.recv_blocking().unwrap(), [n]);
        }
    });
    while batcher.try_push(0).is_ok() {}
    assert_eq!(batcher.try_push(1), Err(PushError::Refused(1, TrySendError::Full(()))));
    // Close would wait for space.
    rx.close();
}

/// A sink that reports when it is at work, and stays at work until it is told to continue.
fn gate() -> (Receiver<Vec<u32>>, Sender<()>, impl BatchSink<u32, Error = ()>) {
    let (at_work, working) = mpsc::channel();
    let (go_on, told) = mpsc::channel();
    let sink = move |batch: &mut Vec<u32>| {
        at_work.send(batch.clone()).unwrap();
        told.recv().map_err(drop)
    };
    (working, go_on, sink)
}

/// The thread that delivers also delivers what became full meanwhile, so that a caller of `try_push` need not
/// come back.
#[test]
fn try_push_does_not_wait_for_another_threads_delivery() {
    let (working, go_on, sink) = gate();
    let batcher = Batcher::new(patient(2), sink).unwrap();
    thread::scope(|s| {
        s.spawn(|| (0..2).for_each(|n| batcher.push(n).unwrap()));
        assert_eq!(working.recv().unwrap(), [0, 1]);
        assert_eq!(batcher.try_push(2), Ok(()));
        assert_eq!(batcher.try_push(3), Ok(()));
        assert_eq!(batcher.try_push(4), Err(PushError::Busy(4)));
        go_on.send(()).unwrap();
        assert_eq!(working.recv().unwrap(), [2, 3]);
        go_on.send(()).unwrap();
    });
    assert_eq!((batcher.counters().by_count, batcher.counters().refused), (2, 1));
}

#[test]
fn a_panic_of_the_sink_loses_nothing_and_stops_nobody_else() {
    let (tx, rx) = mpsc::channel();
    let mut panics = 2;
    let unlucky = Batcher::new(BatchOptions::new(), move |batch: &mut Vec<u32>| {
        if panics > 0 {
            panics -= 1;
            panic!("on the timer's thread");
        }
        tx.send(batch.clone())
    })
    .unwrap();
    unlucky.push(1).unwrap();
    assert_eq!(rx.recv(), Ok(vec![1]), "offered again");
    unlucky.flush().unwrap();
    assert_eq!(unlucky.counters().failures, 2);

    let always =
        Batcher::new(patient(1), |_: &mut Vec<u32>| -> Result<(), ()> { panic!("on the caller's") }).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| always.push(1))).is_err());
    assert_eq!((always.counters().waiting(), always.counters().failures), (1, 1));
    assert!(catch_unwind(AssertUnwindSafe(|| drop(always))).is_err());
}

#[test]
fn one_thread_is_the_timer_of_all() {
    let (tx, rx) = mpsc::channel();
    let batchers: Vec<_> = (1..=20)
        .map(|millis| {
            let tx = tx.clone();
            let options = BatchOptions::new().delay(Duration::from_millis(21 - millis));
            Batcher::new(options, move |_: &mut Vec<u32>| tx.send(thread::current().id())).unwrap()
        })
        .collect();
    batchers.iter().for_each(|batcher| batcher.push(0).unwrap());
    let threads: Vec<_> = (0..20).map(|_| rx.recv().unwrap()).collect();
    assert!(threads.iter().all(|thread| *thread == threads[0] && *thread != thread::current().id()));
}

#[test]
fn batches_of_no_messages_or_too_many_are_refused() {
    for messages in [0, (1 << 20) + 1] {
        let error = Batcher::new(patient(messages), Shelf::default()).unwrap_err();
        assert!(matches!(error, StartError::Messages(n) if n == messages), "{error}");
    }
}

/// Four producers, a timer that interferes, a consumer: every message once, in the order of its producer.
#[test]
fn d_04_four_producers_lose_nothing() {
    // Not a multiple of a batch, so that the timer delivers the last one.
    const EACH: u64 = 50_001;
    let (tx, rx) = queue::<Batch<(usize, u64)>>(QueueOptions::new().capacity(16)).unwrap();
    let options = BatchOptions::new().messages(32).delay(Duration::from_micros(50));
    let batcher = Batcher::new(options, Recycled::new(tx, options, 20)).unwrap();
    thread::scope(|s| {
        for producer in 0..4 {
            let batcher = &batcher;
            s.spawn(move || {
                for number in 0..EACH {
                    let mut message = (producer, number);
                    while let Err(error) =
                        if number % 2 == 0 { batcher.push(message) } else { batcher.try_push(message) }
                    {
                        message = error.into_inner();
                        thread::yield_now();
                    }
                    if number % 1000 == 0 {
                        thread::sleep(Duration::from_micros(100));
                    }
                }
            });
        }
        let mut next = [0; 4];
        while next != [EACH; 4] {
            for &(producer, number) in rx.recv_blocking().unwrap().iter() {
                assert_eq!(number, next[producer]);
                next[producer] += 1;
            }
        }
    });
    batcher.close().unwrap();
    let counters = batcher.counters();
    assert_eq!((counters.pushed, counters.delivered), (4 * EACH, 4 * EACH));
    assert!(counters.by_count > 0 && counters.by_timer > 0, "{counters:?}");
}
