//! Queues that look at their messages.

use std::{
    collections::BinaryHeap,
    sync::Mutex,
    time::{Duration, Instant},
};

use annulus_queue::{Deduplication, MessageQueue, QueueOptions, SendOutcome, queue};

use crate::harness::{Candidate, Case, Goal, Mark, Run};

use super::{
    case, drive,
    kind::{CAPACITY, Kind, Polling, Rx, Tx},
    mark,
    payload::{Bytes8, Bytes56, Bytes248, Payload},
};

const BACKLOG: u64 = 1024;
const PLAIN: &str = "annulus queue";
const PRIORITY: &str = "annulus priority";
const WITHOUT: &str = "annulus message queue";
const DEDUPLICATION: &str = "annulus dedup";

pub(super) fn cases(scale: u64) -> Vec<Case> {
    vec![
        priority::<Bytes8>(scale),
        priority::<Bytes56>(scale),
        priority::<Bytes248>(scale),
        priority_stream::<Bytes56>(scale),
        deduplication::<Bytes8>(scale),
        deduplication::<Bytes56>(scale),
        deduplication::<Bytes248>(scale),
    ]
}

/// Sends and receives, with as many messages queued: nanoseconds per pair. All that go in come out.
fn pairs<T: Payload>(
    backlog: u64,
    pairs: u64,
    mut send: impl FnMut(T) -> bool,
    mut receive: impl FnMut() -> Option<T>,
) -> Run {
    let mut sum = 0u64;
    if !(0..backlog).all(|number| send(T::new(number))) {
        return Err("a message was refused".into());
    }
    let start = Instant::now();
    for number in backlog..backlog + pairs {
        if !send(T::new(number)) {
            return Err("a message was refused".into());
        }
        let Some(message) = receive() else { return Err("a message got lost".into()) };
        sum = sum.wrapping_add(message.number());
    }
    let time = start.elapsed().as_nanos() as f64 / pairs as f64;
    while let Some(message) = receive() {
        sum = sum.wrapping_add(message.number());
    }
    if sum != (0..backlog + pairs).fold(0, u64::wrapping_add) {
        return Err("other messages came out than went in".into());
    }
    Ok(vec![time])
}

/// A message queue with these options, driven by one thread.
fn message_queue<T: Payload>(options: QueueOptions, backlog: u64, messages: u64) -> Run {
    let queue = MessageQueue::<T>::new(options)?;
    let send = |message| matches!(queue.try_send(message), Ok(SendOutcome::Accepted));
    pairs(backlog, messages, send, || queue.try_recv().ok())
}

fn options() -> QueueOptions {
    QueueOptions::new().capacity(2 * BACKLOG as usize)
}

/// A message that a heap sorts by priority, and then by age.
struct Ranked<T>(u8, u64, T);

impl<T> Ord for Ranked<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0, other.1).cmp(&(other.0, self.1))
    }
}

impl<T> PartialOrd for Ranked<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Ranked<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Ranked<T> {}

fn priority<T: Payload>(scale: u64) -> Case {
    let messages = 100_000 * scale;
    let candidates = vec![
        Candidate::new(PLAIN, move || {
            let (tx, rx) = queue::<T>(options())?;
            pairs(BACKLOG, messages, |message| tx.try_send(message).is_ok(), || rx.try_recv().ok())
        }),
        Candidate::new(PRIORITY, move || message_queue::<T>(options().priority(true), BACKLOG, messages)),
        Candidate::new("BinaryHeap and Mutex", move || {
            let heap = Mutex::new((BinaryHeap::with_capacity(2 * BACKLOG as usize), 0));
            let send = |message: T| {
                let Ok(mut heap) = heap.lock() else { return false };
                heap.1 += 1;
                let number = heap.1;
                heap.0.push(Ranked(message.priority(), number, message));
                true
            };
            pairs(BACKLOG, messages, send, || heap.lock().ok()?.0.pop().map(|ranked| ranked.2))
        }),
    ];
    let name = format!("priority at a backlog of {BACKLOG}, one thread, {} B", size_of::<T>());
    case(name, candidates, vec![mark(PRIORITY, 3.0, &[PLAIN])])
}

/// A message queue with priorities between two threads.
struct Priority;

impl Kind for Priority {
    const NAME: &'static str = PRIORITY;
    type Tx<T: Payload> = MessageQueue<T>;
    type Rx<T: Payload> = MessageQueue<T>;

    fn make<T: Payload>() -> (MessageQueue<T>, MessageQueue<T>) {
        let queue = MessageQueue::with_priority(QueueOptions::new().capacity(CAPACITY));
        let queue = queue.expect("the options are valid");
        (queue.clone(), queue)
    }
}

impl<T: Payload> Tx<T> for MessageQueue<T> {
    #[inline]
    fn push(&mut self, message: T) -> Result<(), T> {
        self.try_send(message).map(drop).map_err(|error| error.into_inner())
    }

    #[inline]
    fn put(&mut self, message: T, _: Polling) {
        assert!(self.send_blocking(message).is_ok());
    }
}

impl<T: Payload> Rx<T> for MessageQueue<T> {
    #[inline]
    fn pop(&mut self) -> Option<T> {
        self.try_recv().ok()
    }

    #[inline]
    fn get(&mut self, _: Polling) -> T {
        self.recv_blocking().expect("nobody closes the queue")
    }
}

fn priority_stream<T: Payload>(scale: u64) -> Case {
    let messages = 100_000 * scale;
    let candidates = vec![
        Candidate::new(PLAIN, move || drive::unordered::<super::ours::Mpmc, T>(messages)),
        Candidate::new(PRIORITY, move || drive::unordered::<Priority, T>(messages)),
    ];
    case(format!("priority, one to one, {} B", size_of::<T>()), candidates, Vec::new())
}

fn deduplication<T: Payload>(scale: u64) -> Case {
    let messages = 100_000 * scale;
    let by_id = || options().deduplication(Deduplication::ById).deduplication_window(1024);
    let candidates = vec![
        Candidate::new(WITHOUT, move || message_queue::<T>(options(), 0, messages)),
        Candidate::new(DEDUPLICATION, move || message_queue::<T>(by_id(), 0, messages)),
        Candidate::new("annulus priority", move || message_queue::<T>(options().priority(true), 0, messages)),
        Candidate::new("annulus priority and dedup", move || {
            message_queue::<T>(by_id().priority(true), 0, messages)
        }),
        Candidate::new("annulus expiry", move || {
            message_queue::<T>(options().expiry(Duration::from_secs(60)), 0, messages)
        }),
    ];
    let marks = vec![Mark { candidate: DEDUPLICATION, metric: "", goal: Goal::LimitPlus(12.0) }];
    let name = format!("dedup by id, window of 1024, {} B", size_of::<T>());
    Case { limit: Some(WITHOUT), ..case(name, candidates, marks) }
}
