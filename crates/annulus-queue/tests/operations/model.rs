//! The slow and simple queue.

use std::{collections::VecDeque, task::Poll};

use annulus_queue::{Backpressure, Counters, SendOutcome, TryRecvError, TrySendError};

use super::{Item, Sent};

pub(super) struct Model {
    strategy: Backpressure,
    capacity: usize,
    /// Whether a dropped reservation leaves its place in the queue.
    leaves_voids: bool,
    /// The messages in the places; `None` for those of dropped reservations.
    places: VecDeque<Option<Item>>,
    closed: bool,
    counters: Counters,
}

impl Model {
    pub(super) fn new(strategy: Backpressure, capacity: usize, leaves_voids: bool) -> Self {
        let (places, counters) = (VecDeque::new(), Counters::default());
        Self { strategy, capacity, leaves_voids, places, closed: false, counters }
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    pub(super) fn counters(&self) -> Counters {
        self.counters
    }

    fn is_full(&self) -> bool {
        self.places.len() == self.capacity
    }

    fn accept(&mut self, item: Item) {
        self.places.push_back(Some(item));
        self.counters.enqueued += 1;
    }

    /// `is_verdict`: whether `Full` of a queue that blocks counts.
    pub(super) fn send(&mut self, item: Item, is_verdict: bool) -> Sent {
        if self.closed {
            self.counters.closed += 1;
            return Err(TrySendError::Closed(item));
        }
        let mut outcome = SendOutcome::Accepted;
        if self.is_full() {
            match self.strategy {
                Backpressure::Block | Backpressure::Reject => {
                    if is_verdict || self.strategy == Backpressure::Reject {
                        self.counters.rejected += 1;
                    }
                    return Err(TrySendError::Full(item));
                }
                Backpressure::DropNew => {
                    self.counters.discarded += 1;
                    return Ok(SendOutcome::Discarded(item));
                }
                Backpressure::DropOldest => {
                    let oldest = self.places.pop_front().expect("it is full");
                    self.counters.evicted += 1;
                    outcome = SendOutcome::Evicted(oldest.expect("nobody reserves where senders evict"));
                }
            }
        }
        self.accept(item);
        Ok(outcome)
    }

    pub(super) fn send_batch(&mut self, items: Vec<Item>, back: &mut Vec<Item>) -> usize {
        let mut sent = 0;
        for item in items {
            match self.send(item, true) {
                Ok(SendOutcome::Accepted) => sent += 1,
                Ok(SendOutcome::Evicted(oldest)) => {
                    sent += 1;
                    back.push(oldest);
                }
                Ok(SendOutcome::Discarded(item) | SendOutcome::Duplicate(item)) => back.push(item),
                Err(error) => back.push(error.into_inner()),
            }
        }
        sent
    }

    pub(super) fn receive(&mut self) -> Result<Item, TryRecvError> {
        while let Some(place) = self.places.pop_front() {
            if let Some(item) = place {
                self.counters.dequeued += 1;
                return Ok(item);
            }
        }
        Err(if self.closed { TryRecvError::Closed } else { TryRecvError::Empty })
    }

    pub(super) fn receive_batch(&mut self, most: usize) -> Vec<Item> {
        let mut items = Vec::new();
        while items.len() < most
            && let Ok(item) = self.receive()
        {
            items.push(item);
        }
        items
    }

    pub(super) fn peek(&mut self) -> Result<u32, TryRecvError> {
        while let Some(None) = self.places.front() {
            self.places.pop_front();
        }
        match self.places.front() {
            Some(Some(item)) => Ok(**item),
            _ => Err(if self.closed { TryRecvError::Closed } else { TryRecvError::Empty }),
        }
    }

    pub(super) fn clear(&mut self) -> usize {
        self.receive_batch(usize::MAX).len()
    }

    fn cannot_reserve(&self) -> Option<TrySendError<()>> {
        match () {
            () if self.strategy == Backpressure::DropOldest => Some(TrySendError::NotOffered(())),
            () if self.closed => Some(TrySendError::Closed(())),
            () if self.is_full() => Some(TrySendError::Full(())),
            () => None,
        }
    }

    pub(super) fn reserve(&mut self, item: Item) -> Result<(), TrySendError<()>> {
        self.cannot_reserve().map_or(Ok(()), Err)?;
        self.accept(item);
        Ok(())
    }

    pub(super) fn reserve_and_drop(&mut self) -> Result<(), TrySendError<()>> {
        self.cannot_reserve().map_or(Ok(()), Err)?;
        if self.leaves_voids {
            self.places.push_back(None);
        }
        Ok(())
    }

    /// The receiver closes, if it can, before the commit.
    pub(super) fn reserve_and_close(
        &mut self,
        item: Item,
        receivers_close: bool,
        is_final: bool,
    ) -> Result<(), TrySendError<()>> {
        self.cannot_reserve().map_or(Ok(()), Err)?;
        self.closed |= receivers_close;
        if self.closed && !is_final {
            self.counters.closed += 1;
            return Err(TrySendError::Closed(()));
        }
        self.accept(item);
        Ok(())
    }

    pub(super) fn poll_send(&mut self, item: Item) -> Poll<Sent> {
        match self.send(item, false) {
            Err(TrySendError::Full(_)) if self.strategy == Backpressure::Block => Poll::Pending,
            outcome => Poll::Ready(outcome),
        }
    }

    pub(super) fn poll_receive(&mut self) -> Poll<Result<Item, TryRecvError>> {
        match self.receive() {
            Err(TryRecvError::Empty) => Poll::Pending,
            outcome => Poll::Ready(outcome),
        }
    }

    pub(super) fn poll_sink(&mut self, item: Item) -> Poll<bool> {
        self.poll_send(item).map(|outcome| outcome.is_ok())
    }

    pub(super) fn poll_stream(&mut self) -> Poll<Option<Item>> {
        self.poll_receive().map(Result::ok)
    }

    pub(super) fn close(&mut self) -> bool {
        !std::mem::replace(&mut self.closed, true)
    }

    /// The receivers leave, and then the senders.
    pub(super) fn abandon(&mut self) -> Counters {
        let dequeued = self.counters.dequeued;
        self.counters.abandoned = self.clear() as u64;
        self.counters.dequeued = dequeued;
        self.counters
    }
}
