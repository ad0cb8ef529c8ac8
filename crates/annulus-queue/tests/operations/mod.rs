//! A program in bytes: options, then operations on a queue. Each is compared with a slow and simple queue.
//!
//! For any bytes, every outcome, length and count must agree, and every message must be dropped once.
//! Proptest and a fuzzer supply the bytes.

mod ends;
mod model;
mod policies;

use std::sync::Arc;

use annulus_queue::{
    Backpressure, QueueOptions, SendOutcome, TryRecvError, TrySendError, queue,
    single_consumer::{mpsc, spsc},
    spmc::spmc,
};

use ends::Ends;
use model::Model;

/// A message that can be counted.
pub(crate) type Item = Arc<u32>;
/// The result of a send.
pub(crate) type Sent = Result<SendOutcome<Item>, TrySendError<Item>>;

/// Reads a program byte by byte. Missing bytes are zero.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl Bytes<'_> {
    pub(crate) fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u8) -> u8 {
        self.next().unwrap_or(0) % end
    }

    pub(crate) fn strategy(&mut self) -> Backpressure {
        [Backpressure::Block, Backpressure::Reject, Backpressure::DropOldest, Backpressure::DropNew]
            [usize::from(self.below(4))]
    }
}

/// Runs a program; panics where the queue and the model differ.
pub(crate) fn run(program: &[u8]) {
    let mut bytes = Bytes(program);
    match bytes.below(6) {
        0 => {
            let strategy = bytes.strategy();
            on_ends(&mut bytes, strategy, true, |options| queue(options).expect(VALID));
        }
        1 => {
            let strategy = bytes.strategy();
            on_ends(&mut bytes, strategy, true, |options| spmc(options).expect(VALID));
        }
        2 => {
            let strategy = without_eviction(bytes.strategy());
            on_ends(&mut bytes, strategy, false, |options| spsc(options).expect(VALID));
        }
        3 => {
            let strategy = without_eviction(bytes.strategy());
            on_ends(&mut bytes, strategy, true, |options| mpsc(options).expect(VALID));
        }
        4 => policies::run(&mut bytes),
        _ => lossy(&mut bytes),
    }
}

const VALID: &str = "the options are valid";
const CAPACITY: usize = 16;

fn without_eviction(strategy: Backpressure) -> Backpressure {
    if strategy == Backpressure::DropOldest { Backpressure::Block } else { strategy }
}

/// `leaves_voids`: whether a dropped reservation leaves a void.
fn on_ends<E: Ends>(
    bytes: &mut Bytes<'_>,
    strategy: Backpressure,
    leaves_voids: bool,
    make: impl FnOnce(QueueOptions) -> E,
) {
    let mut ends = make(QueueOptions::new().capacity(CAPACITY).backpressure(strategy));
    let mut model = Model::new(strategy, CAPACITY, leaves_voids);
    let mut items: Vec<Item> = Vec::new();
    let mut new = || {
        items.push(Arc::new(items.len() as u32));
        Arc::clone(&items[items.len() - 1])
    };
    while let Some(operation) = bytes.next() {
        match operation % 20 {
            0..=4 => {
                let item = new();
                assert_eq!(ends.send(Arc::clone(&item)), model.send(item, true));
            }
            5 | 6 => assert_eq!(ends.receive(), model.receive()),
            7 => {
                let batch: Vec<_> = (0..bytes.below(20)).map(|_| new()).collect();
                let (mut back, mut expected) = (Vec::new(), Vec::new());
                let sent = ends.send_batch(batch.clone(), &mut back);
                assert_eq!(sent, model.send_batch(batch, &mut expected));
                assert_eq!(back, expected);
            }
            8 => {
                let most = bytes.below(20).into();
                assert_eq!(ends.receive_batch(most), model.receive_batch(most));
            }
            9 => {
                let item = new();
                assert_eq!(ends.reserve(Arc::clone(&item), false), model.reserve(item));
            }
            10 => assert_eq!(ends.reserve_and_drop(new()), model.reserve_and_drop()),
            11 if bytes.below(8) == 0 => {
                let item = new();
                let outcome = ends.reserve(Arc::clone(&item), true);
                assert_eq!(outcome, model.reserve_and_close(item, E::RECEIVERS_CLOSE, E::COMMIT_IS_FINAL));
            }
            12 => {
                if let Some(seen) = ends.peek() {
                    assert_eq!(seen, model.peek());
                }
            }
            13 => assert_eq!(ends.drain(), model.receive_batch(usize::MAX)),
            14 => assert_eq!(ends.clear(), model.clear()),
            15 => assert_eq!(ends.flush(), model.len() == 0),
            16 => {
                let item = new();
                assert_eq!(ends.poll_send(Arc::clone(&item)), model.poll_send(item));
            }
            17 => assert_eq!(ends.poll_receive(), model.poll_receive()),
            18 => {
                let item = new();
                assert_eq!(ends.poll_sink(Arc::clone(&item)), model.poll_sink(item));
            }
            19 => assert_eq!(ends.poll_stream(), model.poll_stream()),
            // Seldom, because not much can happen afterwards.
            _ if bytes.below(8) == 0 => assert_eq!(ends.close(), model.close()),
            _ => {}
        }
        assert_eq!((ends.len(), ends.is_closed()), (model.len(), model.is_closed()));
        assert_eq!(ends.counters(), model.counters());
    }
    let counters = ends.abandon();
    assert_eq!(counters, model.abandon());
    assert!(items.iter().all(|item| Arc::strong_count(item) == 1), "every message is dropped once");
}

/// A lossy ring and its readers, compared with all messages that were sent.
fn lossy(bytes: &mut Bytes<'_>) {
    use annulus_queue::{TryRecvError, lossy::ring};
    let (tx, rx) = ring::<[u64; 9]>(8).unwrap();
    let mut tx = Some(tx);
    let mut sent = 0u64;
    // Each with the next number that it has not seen.
    let mut readers = vec![(rx, 0u64, 0u64)];
    while let Some(operation) = bytes.next() {
        match operation % 8 {
            0..=3 => {
                if let Some(tx) = &mut tx {
                    tx.send([sent; 9]);
                    sent += 1;
                }
            }
            4..=6 => {
                let which = usize::from(bytes.below(readers.len() as u8));
                let (rx, next, lost) = &mut readers[which];
                let oldest = sent.saturating_sub(8);
                *lost += oldest.saturating_sub(*next);
                *next = oldest.max(*next);
                let expected = if *next < sent {
                    *next += 1;
                    Ok([*next - 1; 9])
                } else {
                    Err(if tx.is_some() { TryRecvError::Empty } else { TryRecvError::Closed })
                };
                assert_eq!((rx.try_recv(), rx.lost()), (expected, *lost));
            }
            _ if readers.len() < 4 => {
                let (rx, next, lost) = &readers[0];
                readers.push((rx.clone(), *next, *lost));
            }
            _ => drop(tx.take()),
        }
    }
}

/// The result of a receive, with only the message's number.
pub(crate) fn number(outcome: Result<Item, TryRecvError>) -> Result<u32, TryRecvError> {
    outcome.map(|item| *item)
}
