//! The same for queues with policies.

use std::{
    future::Future,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

use annulus_queue::{
    Backpressure, Clock, Counters, DeadLetters, Deduplication, Message, MessageQueue, QueueOptions,
    SendOutcome, TryRecvError, TrySendError,
};

use super::Bytes;

/// A message that can be counted. Its properties come from the program's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Item {
    /// Unlike all others, and counted.
    number: Arc<u32>,
    priority: u8,
    id: Option<u64>,
}

impl Message for Item {
    fn id(&self) -> Option<u64> {
        self.id
    }

    fn priority(&self) -> u8 {
        self.priority
    }
}

type Sent = Result<SendOutcome<Item>, TrySendError<Item>>;

struct Model {
    options: QueueOptions,
    strategy: Backpressure,
    capacity: usize,
    priority: bool,
    window: Option<usize>,
    lifetime: Option<u64>,
    now: u64,
    /// In the order in which they were accepted, with the time of that.
    queued: Vec<(Item, u64)>,
    /// The accepted keys, newest last.
    keys: Vec<u64>,
    closed: bool,
    counters: Counters,
}

impl Model {
    fn from(bytes: &mut Bytes<'_>) -> Self {
        let capacity = if bytes.below(4) == 0 { 32 } else { 16 };
        let strategy = bytes.strategy();
        let switches = bytes.below(8);
        let mut options = QueueOptions::new().capacity(capacity).backpressure(strategy);
        let priority = switches & 1 != 0;
        let window = (switches & 2 != 0).then(|| 16 + usize::from(bytes.below(20)));
        // Without any policy it is the lock-free queue, which has no peek.
        let lifetime = (switches & 4 != 0 || switches == 0).then(|| 1 + u64::from(bytes.below(20)));
        options = options.priority(priority).expiry(lifetime.map(Duration::from_nanos));
        if let Some(window) = window {
            options = options.deduplication(Deduplication::ById).deduplication_window(window);
        }
        let (queued, keys, counters) = (Vec::new(), Vec::new(), Counters::default());
        Self {
            options,
            strategy,
            capacity,
            priority,
            window,
            lifetime,
            now: 0,
            queued,
            keys,
            closed: false,
            counters,
        }
    }

    fn priority_of(&self, item: &Item) -> u8 {
        if self.priority { item.priority } else { 0 }
    }

    fn send(&mut self, item: Item, is_verdict: bool) -> Sent {
        if self.closed {
            self.counters.closed += 1;
            return Err(TrySendError::Closed(item));
        }
        let key = item.id.filter(|_| self.window.is_some());
        if key.is_some_and(|key| self.keys.contains(&key)) {
            self.counters.duplicate += 1;
            return Ok(SendOutcome::Duplicate(item));
        }
        let mut outcome = SendOutcome::Accepted;
        if self.queued.len() == self.capacity {
            let lowest =
                self.queued.iter().map(|(item, _)| self.priority_of(item)).min().expect("it is full");
            match self.strategy {
                Backpressure::Block | Backpressure::Reject => {
                    self.counters.rejected += u64::from(is_verdict || self.strategy == Backpressure::Reject);
                    return Err(TrySendError::Full(item));
                }
                Backpressure::DropOldest if lowest <= self.priority_of(&item) => {
                    let oldest = self.queued.iter().position(|(item, _)| self.priority_of(item) == lowest);
                    outcome = SendOutcome::Evicted(self.queued.remove(oldest.expect("there is a lowest")).0);
                    self.counters.evicted += 1;
                }
                _ => {
                    self.counters.discarded += 1;
                    return Ok(SendOutcome::Discarded(item));
                }
            }
        }
        if let (Some(window), Some(key)) = (self.window, key) {
            self.keys.push(key);
            if self.keys.len() > window {
                self.keys.remove(0);
            }
        }
        self.queued.push((item, self.now));
        self.counters.enqueued += 1;
        Ok(outcome)
    }

    /// Where the next message is, after those that have expired have gone.
    fn next(&mut self) -> Result<usize, TryRecvError> {
        loop {
            let highest = self.queued.iter().map(|(item, _)| self.priority_of(item)).max();
            let Some(at) = self.queued.iter().position(|(item, _)| Some(self.priority_of(item)) == highest)
            else {
                return Err(if self.closed { TryRecvError::Closed } else { TryRecvError::Empty });
            };
            if self.lifetime.is_none_or(|lifetime| self.now - self.queued[at].1 < lifetime) {
                return Ok(at);
            }
            self.queued.remove(at);
            self.counters.expired += 1;
        }
    }

    fn receive(&mut self) -> Result<Item, TryRecvError> {
        let at = self.next()?;
        self.counters.dequeued += 1;
        Ok(self.queued.remove(at).0)
    }

    fn receive_batch(&mut self, most: usize) -> Vec<Item> {
        std::iter::from_fn(|| self.receive().ok()).take(most).collect()
    }
}

pub(super) fn run(bytes: &mut Bytes<'_>) {
    let mut model = Model::from(bytes);
    let clock = Clock::manual();
    let dead_letters = DeadLetters::new();
    let mut builder = MessageQueue::builder(model.options.clone()).clock(&clock);
    if model.lifetime.is_some() {
        builder = builder.dead_letters(&dead_letters);
    }
    let queue = builder.build().expect("the options are valid");
    let mut numbers: Vec<Arc<u32>> = Vec::new();
    while let Some(operation) = bytes.next() {
        let mut new = |bytes: &mut Bytes<'_>| {
            numbers.push(Arc::new(numbers.len() as u32));
            let what = bytes.next().unwrap_or(0);
            let id = (what & 3 != 0).then_some(u64::from(what >> 2));
            Item { number: Arc::clone(&numbers[numbers.len() - 1]), priority: what.wrapping_mul(67), id }
        };
        match operation % 16 {
            0..=4 => {
                let item = new(bytes);
                assert_eq!(queue.try_send(item.clone()), model.send(item, true));
            }
            5 | 6 => assert_eq!(queue.try_recv(), model.receive()),
            7 => {
                let batch: Vec<_> = (0..bytes.below(8)).map(|_| new(bytes)).collect();
                let mut back = Vec::new();
                let sent = queue.try_send_batch(batch.clone(), |item| back.push(item));
                let (mut expected, mut queued) = (Vec::new(), 0);
                for item in batch {
                    let outcome = model.send(item, true);
                    queued += usize::from(outcome.as_ref().is_ok_and(SendOutcome::is_queued));
                    match outcome {
                        Ok(SendOutcome::Accepted) => {}
                        Ok(
                            SendOutcome::Evicted(item)
                            | SendOutcome::Discarded(item)
                            | SendOutcome::Duplicate(item),
                        ) => {
                            expected.push(item);
                        }
                        Err(error) => expected.push(error.into_inner()),
                    }
                }
                assert_eq!((sent, back), (queued, expected));
            }
            8 => {
                let most = bytes.below(20).into();
                let mut items = Vec::new();
                queue.try_recv_batch(most, |item| items.push(item));
                assert_eq!(items, model.receive_batch(most));
            }
            9 => {
                let expected = model.next().map(|at| *model.queued[at].0.number);
                assert_eq!(queue.peek(|item| *item.number), expected);
            }
            10 => assert_eq!(queue.take_all(), model.receive_batch(usize::MAX)),
            11 if bytes.below(2) == 0 => assert_eq!(queue.clear(), model.receive_batch(usize::MAX).len()),
            11 => assert_eq!(queue.flush_timeout(Duration::ZERO), model.queued.is_empty()),
            12 => {
                let item = new(bytes);
                let context = &mut Context::from_waker(Waker::noop());
                let outcome = pin!(queue.send(item.clone())).poll(context).map(|outcome| outcome.is_ok());
                let expected = match model.send(item, false) {
                    Err(TrySendError::Full(_)) if model.strategy == Backpressure::Block => Poll::Pending,
                    outcome => Poll::Ready(outcome.is_ok()),
                };
                assert_eq!(outcome, expected);
            }
            13 => {
                let context = &mut Context::from_waker(Waker::noop());
                let outcome = pin!(queue.recv()).poll(context).map(Result::ok);
                let expected = match model.receive() {
                    Err(TryRecvError::Empty) => Poll::Pending,
                    outcome => Poll::Ready(outcome.ok()),
                };
                assert_eq!(outcome, expected);
            }
            14 => {
                let step = u64::from(bytes.below(6));
                clock.advance(Duration::from_nanos(step));
                model.now += step;
            }
            // Seldom, because not much can happen afterwards.
            _ if bytes.below(8) == 0 => {
                assert_eq!(queue.close(), !std::mem::replace(&mut model.closed, true));
            }
            _ => {}
        }
        assert_eq!((queue.len(), queue.is_closed()), (model.queued.len(), model.closed));
        assert_eq!(queue.counters(), model.counters);
    }
    drop(model);
    drop((queue, dead_letters));
    assert!(numbers.iter().all(|number| Arc::strong_count(number) == 1), "every message is dropped once");
}
