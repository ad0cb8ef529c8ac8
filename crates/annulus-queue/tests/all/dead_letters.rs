//! Dead letters: bounded, counted, alerted, drained, and sent again.

use std::{
    sync::{Arc, Mutex, OnceLock},
    thread,
    time::Duration,
};

use annulus_queue::{
    Backpressure, Clock, DeadLetter, DeadLetters, Deduplication, Message, MessageQueue, QueueOptions, Reason,
    SendOutcome, TryRecvError,
};

#[derive(Clone, Debug, PartialEq, Eq)]
struct Job(u64);

impl Message for Job {
    fn id(&self) -> Option<u64> {
        Some(self.0)
    }
}

fn failed() -> Reason {
    Reason::Failed("busy".into())
}

fn numbers(dead_letters: &[DeadLetter<Job>]) -> Vec<u64> {
    dead_letters.iter().map(|dead_letter| dead_letter.message.0).collect()
}

/// E-03: a thousand are kept, the oldest leaves, and they are drained in hundreds.
#[test]
fn e_03_a_thousand_are_kept_and_drained_in_hundreds() {
    let dead_letters = DeadLetters::new();
    for i in 0..1003 {
        let evicted = dead_letters.bury(Job(i), Reason::Invalid("no such account".into()));
        assert_eq!(evicted.map(|dead_letter| dead_letter.message.0), i.checked_sub(1000));
    }
    assert_eq!((dead_letters.len(), dead_letters.capacity()), (1000, 1000));
    let batch = dead_letters.take_batch();
    assert_eq!(numbers(&batch), (3..103).collect::<Vec<_>>());
    assert_eq!(batch[0].reason.to_string(), "invalid: no such account");
    while !dead_letters.take_batch().is_empty() {}
    let counters = dead_letters.counters();
    assert_eq!((counters.buried, counters.evicted, counters.taken), (1003, 3, 1000));
}

/// E-03: each dead letter alerts, once, with what happened, outside the lock: the alert may use the store.
#[test]
fn e_03_every_dead_letter_alerts_outside_the_lock() {
    let alerts = Arc::new(Mutex::new(Vec::new()));
    let store: Arc<OnceLock<DeadLetters<Job>>> = Arc::default();
    let dead_letters = DeadLetters::with_alert(2, {
        let (alerts, store) = (Arc::clone(&alerts), Arc::clone(&store));
        move |alert| {
            let stored = store.get().expect("it is set before anything is buried").len();
            alerts.lock().unwrap().push((alert.id, alert.reason.clone(), alert.evicted, stored));
        }
    });
    store.set(dead_letters.clone()).unwrap();
    (7..10).for_each(|i| drop(dead_letters.bury(Job(i), failed())));
    assert_eq!(
        *alerts.lock().unwrap(),
        [(Some(7), failed(), false, 1), (Some(8), failed(), false, 2), (Some(9), failed(), true, 2)]
    );
}

/// E-03, Q-26: what expires in a queue comes here, through whichever receive meets it.
#[test]
fn e_03_expired_messages_come_here() {
    let (clock, dead_letters) = (Clock::manual(), DeadLetters::new());
    let options = QueueOptions::new().expiry(Duration::from_secs(30));
    let queue = MessageQueue::builder(options).clock(&clock).dead_letters(&dead_letters).build().unwrap();
    (0..3).for_each(|i| assert!(queue.try_send(Job(i)).is_ok()));
    clock.advance(Duration::from_secs(31));
    assert!(queue.try_send(Job(3)).is_ok());
    assert_eq!(queue.take_all(), [Job(3)]);
    let batch = dead_letters.take_batch();
    assert_eq!(numbers(&batch), [0, 1, 2]);
    assert!(
        batch.iter().all(|dead_letter| dead_letter.reason == Reason::Expired && dead_letter.attempts == 1)
    );
}

/// E-03: a message that is sent again is not a duplicate of itself, its lifetime starts again, and its
/// attempts are counted until it stays.
#[test]
fn e_03_re_driving_counts_attempts() {
    let (clock, dead_letters) = (Clock::manual(), DeadLetters::new());
    let options = QueueOptions::new().expiry(Duration::from_secs(30)).deduplication(Deduplication::ById);
    let queue = MessageQueue::builder(options).clock(&clock).dead_letters(&dead_letters).build().unwrap();
    assert!(queue.try_send(Job(7)).is_ok());
    for attempts in 1..=3 {
        clock.advance(Duration::from_secs(30));
        assert_eq!(queue.try_recv(), Err(TryRecvError::Empty));
        let redriven = dead_letters.redrive(&queue, 3);
        let sent = usize::from(attempts < 3);
        assert_eq!((redriven.sent, redriven.exhausted, redriven.refused), (sent, 1 - sent, false));
    }
    let batch = dead_letters.take_batch();
    assert_eq!((batch[0].message.clone(), batch[0].attempts), (Job(7), 3));
    let counters = dead_letters.counters();
    assert_eq!((counters.buried, counters.redriven, counters.taken), (3, 2, 1));
}

/// E-03: what is invalid stays, and everything else gets another try; each that was there gets one, also if it comes back
/// while others are sent.
#[test]
fn e_03_what_is_invalid_gets_no_other_try() {
    let dead_letters = DeadLetters::new();
    let reasons =
        [Reason::Invalid("negative".into()), failed(), Reason::Expired, Reason::Handler { code: 7 }];
    for number in 0..40 {
        dead_letters.bury(Job(number), reasons[number as usize % 4].clone());
    }
    let mut sent = Vec::new();
    let redriven = dead_letters.redrive_by(5, |job| {
        sent.push(job.0);
        dead_letters.bury(job, failed());
        Ok(SendOutcome::Accepted)
    });
    assert_eq!((redriven.sent, redriven.invalid, redriven.exhausted, redriven.refused), (30, 10, 0, false));
    let (stay, go): (Vec<_>, Vec<_>) = (0..40).partition(|number| number % 4 == 0);
    assert_eq!(sent, go);
    let batch = dead_letters.take_batch();
    assert_eq!(numbers(&batch), [stay, go].concat());
    assert!(batch.iter().all(|letter| letter.attempts == if letter.message.0 % 4 == 0 { 1 } else { 2 }));
}

/// E-03: what the queue refuses stays in its place, with its attempts; what it evicts is handed back.
#[test]
fn e_03_a_refused_dead_letter_stays_in_its_place() {
    let dead_letters = DeadLetters::new();
    (0..20).for_each(|i| drop(dead_letters.bury(Job(i), failed())));
    let queue = MessageQueue::new(QueueOptions::new().capacity(16)).unwrap();
    let redriven = dead_letters.redrive(&queue, 5);
    assert_eq!((redriven.sent, redriven.refused), (16, true));
    assert_eq!(queue.take_all().iter().map(|job| job.0).collect::<Vec<_>>(), (0..16).collect::<Vec<_>>());
    // They come back from their handler, behind those that stayed.
    dead_letters.bury(Job(0), failed());
    let batch = dead_letters.take_batch();
    assert_eq!(numbers(&batch), [16, 17, 18, 19, 0]);
    assert_eq!(batch.iter().map(|dead_letter| dead_letter.attempts).collect::<Vec<_>>(), [1, 1, 1, 1, 2]);

    let dropping = QueueOptions::new().capacity(16).backpressure(Backpressure::DropOldest);
    let queue = MessageQueue::new(dropping).unwrap();
    (100..116).for_each(|i| assert!(queue.try_send(Job(i)).is_ok()));
    dead_letters.bury(Job(50), failed());
    let redriven = dead_letters.redrive(&queue, 5);
    assert_eq!((redriven.sent, redriven.evicted), (1, vec![Job(100)]));
    queue.close();
    dead_letters.bury(Job(51), failed());
    assert!(dead_letters.redrive(&queue, 5).refused);
    assert_eq!(dead_letters.len(), 1);
}

/// E-03: many threads bury, drain and re-drive, and every message is somewhere.
#[test]
fn e_03_nothing_is_lost_among_threads() {
    let dead_letters = DeadLetters::with_alert(64, |_| ());
    let queue = MessageQueue::new(QueueOptions::new().capacity(64)).unwrap();
    let found: u64 = thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                let (dead_letters, queue) = (&dead_letters, &queue);
                scope.spawn(move || {
                    let mut found = 0;
                    for i in 0..20_000 {
                        found += u64::from(dead_letters.bury(Job(thread * 100_000 + i), failed()).is_some());
                        if i % 7 == thread {
                            found += dead_letters.redrive(queue, 100).evicted.len() as u64;
                            found += queue.take_all().len() as u64;
                        }
                        if i % 11 == thread {
                            found += dead_letters.take_batch().len() as u64;
                        }
                    }
                    found
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    let left = dead_letters.len() as u64 + queue.len() as u64;
    assert_eq!(found + left, 80_000);
    let counters = dead_letters.counters();
    assert_eq!(
        counters.buried,
        counters.taken + counters.redriven + counters.evicted + dead_letters.len() as u64
    );
}
