//! Every combination of strategy, priority, deduplication and expiry, against a plain model that does the
//! same slowly: same verdicts, same order, same counts, same dead letters. The clock is moved by hand.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use annulus_queue::{
    Backpressure, Clock, Counters, DeadLetters, Deduplication, Message, MessageQueue, QueueOptions, Reason,
    SendOutcome, TryRecvError, TrySendError,
};
use proptest::prelude::*;

const CAPACITY: usize = 16;
const WINDOW: usize = 20;
const LIFETIME: u64 = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Parcel {
    id: Option<u64>,
    priority: u8,
    payload: u64,
    /// Distinguishes parcels that are otherwise equal.
    nonce: u64,
}

impl Message for Parcel {
    const PAYLOAD_HASH: Option<fn(&Self) -> u64> =
        Some(|parcel| annulus_queue::message::hash_bytes(&parcel.payload.to_ne_bytes()));

    fn id(&self) -> Option<u64> {
        self.id
    }

    fn priority(&self) -> u8 {
        self.priority
    }
}

#[derive(Clone, Debug)]
enum Step {
    Send { id: Option<u64>, priority: u8, payload: u64 },
    Receive,
    Advance(u64),
    Drain,
    Close,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    // Ids and payloads from few, so that they come again, and from many, so that the window moves on.
    let id = prop_oneof![Just(None), (0u64..12).prop_map(Some), any::<u64>().prop_map(Some)];
    let priority = prop_oneof![0u8..4, Just(63), Just(64), Just(128), Just(255)];
    let payload = prop_oneof![0u64..10, any::<u64>()];
    let send =
        (id, priority, payload).prop_map(|(id, priority, payload)| Step::Send { id, priority, payload });
    let step = prop_oneof![
        14 => send,
        8 => Just(Step::Receive),
        2 => (0u64..LIFETIME).prop_map(Step::Advance),
        1 => Just(Step::Drain),
    ];
    (prop::collection::vec(step.clone(), 0..250), prop::collection::vec(step, 0..30))
        .prop_map(|(open, closed)| open.into_iter().chain([Step::Close]).chain(closed).collect())
}

#[derive(Clone, Copy, Debug)]
struct Policies {
    backpressure: Backpressure,
    priority: bool,
    deduplication: Deduplication,
    expiry: bool,
}

impl Policies {
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for backpressure in
            [Backpressure::Block, Backpressure::Reject, Backpressure::DropOldest, Backpressure::DropNew]
        {
            for priority in [false, true] {
                for deduplication in [Deduplication::Off, Deduplication::ById, Deduplication::ByPayload] {
                    for expiry in [false, true] {
                        all.push(Self { backpressure, priority, deduplication, expiry });
                    }
                }
            }
        }
        all
    }

    fn options(self) -> QueueOptions {
        QueueOptions::new()
            .capacity(CAPACITY)
            .backpressure(self.backpressure)
            .priority(self.priority)
            .deduplication(self.deduplication)
            .deduplication_window(WINDOW)
            .expiry(self.expiry.then_some(Duration::from_nanos(LIFETIME)))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Key {
    Id(u64),
    Payload(u64),
}

struct Model {
    policies: Policies,
    now: u64,
    /// In the order of acceptance, with the time of it.
    queued: Vec<(Parcel, u64)>,
    window: VecDeque<Key>,
    buried: Vec<Parcel>,
    closed: bool,
    counters: Counters,
    high_water: usize,
}

impl Model {
    fn new(policies: Policies) -> Self {
        Self {
            policies,
            now: 0,
            queued: Vec::new(),
            window: VecDeque::new(),
            buried: Vec::new(),
            closed: false,
            counters: Counters::default(),
            high_water: 0,
        }
    }

    fn rank(&self, parcel: &Parcel) -> u8 {
        if self.policies.priority { parcel.priority } else { 0 }
    }

    fn key(&self, parcel: &Parcel) -> Option<Key> {
        match self.policies.deduplication {
            Deduplication::Off => None,
            Deduplication::ById => parcel.id.map(Key::Id),
            Deduplication::ByPayload => Some(parcel.id.map_or(Key::Payload(parcel.payload), Key::Id)),
        }
    }

    fn send(&mut self, parcel: Parcel) -> Result<SendOutcome<Parcel>, TrySendError<Parcel>> {
        if self.closed {
            self.counters.closed += 1;
            return Err(TrySendError::Closed(parcel));
        }
        let key = self.key(&parcel);
        if key.as_ref().is_some_and(|key| self.window.contains(key)) {
            self.counters.duplicate += 1;
            return Ok(SendOutcome::Duplicate(parcel));
        }
        let mut outcome = SendOutcome::Accepted;
        if self.queued.len() == CAPACITY {
            let lowest = self.queued.iter().map(|(queued, _)| self.rank(queued)).min().expect("it is full");
            match self.policies.backpressure {
                Backpressure::Block | Backpressure::Reject => {
                    self.counters.rejected += 1;
                    return Err(TrySendError::Full(parcel));
                }
                Backpressure::DropOldest if self.rank(&parcel) >= lowest => {
                    let oldest = self.queued.iter().position(|(queued, _)| self.rank(queued) == lowest);
                    self.counters.evicted += 1;
                    outcome = SendOutcome::Evicted(self.queued.remove(oldest.expect("it is there")).0);
                }
                _ => {
                    self.counters.discarded += 1;
                    return Ok(SendOutcome::Discarded(parcel));
                }
            }
        }
        self.queued.push((parcel, self.now));
        self.window.extend(key);
        if self.window.len() > WINDOW {
            self.window.pop_front();
        }
        self.counters.enqueued += 1;
        self.high_water = self.high_water.max(self.queued.len());
        Ok(outcome)
    }

    fn receive(&mut self) -> Result<Parcel, TryRecvError> {
        loop {
            let Some(highest) = self.queued.iter().map(|(parcel, _)| self.rank(parcel)).max() else {
                return Err(if self.closed { TryRecvError::Closed } else { TryRecvError::Empty });
            };
            let first = self.queued.iter().position(|(parcel, _)| self.rank(parcel) == highest);
            let (parcel, at) = self.queued.remove(first.expect("it is there"));
            if self.policies.expiry && self.now - at >= LIFETIME {
                self.counters.expired += 1;
                self.buried.push(parcel);
                continue;
            }
            self.counters.dequeued += 1;
            return Ok(parcel);
        }
    }
}

fn agree(policies: Policies, steps: &[Step]) -> Result<(), TestCaseError> {
    let clock = Clock::manual();
    let dead_letters = DeadLetters::new();
    let mut builder = MessageQueue::builder(policies.options()).clock(&clock);
    if policies.expiry {
        builder = builder.dead_letters(&dead_letters);
    }
    // Shared, so that a lost or doubled message is detected.
    let queue: MessageQueue<Arc<Parcel>> = builder.build().expect("the options are valid");
    let mut model = Model::new(policies);
    for (nonce, step) in steps.iter().enumerate() {
        match *step {
            Step::Send { id, priority, payload } => {
                let parcel = Parcel { id, priority, payload, nonce: nonce as u64 };
                let outcome = queue.try_send(Arc::new(parcel.clone()));
                let outcome = match outcome {
                    Ok(SendOutcome::Accepted) => Ok(SendOutcome::Accepted),
                    Ok(SendOutcome::Evicted(parcel)) => Ok(SendOutcome::Evicted(sole(parcel))),
                    Ok(SendOutcome::Discarded(parcel)) => Ok(SendOutcome::Discarded(sole(parcel))),
                    Ok(SendOutcome::Duplicate(parcel)) => Ok(SendOutcome::Duplicate(sole(parcel))),
                    Err(refusal) => Err(refusal.map(sole)),
                };
                prop_assert_eq!(outcome, model.send(parcel));
            }
            Step::Receive => prop_assert_eq!(queue.try_recv().map(sole), model.receive()),
            Step::Advance(by) => {
                clock.advance(Duration::from_nanos(by));
                model.now += by;
            }
            Step::Drain => {
                let drained: Vec<_> = queue.take_all().into_iter().map(sole).collect();
                let expected: Vec<_> = std::iter::from_fn(|| model.receive().ok()).collect();
                prop_assert_eq!(drained, expected);
            }
            Step::Close => {
                prop_assert_eq!(queue.close(), !model.closed);
                model.closed = true;
            }
        }
        prop_assert_eq!(queue.len(), model.queued.len());
        prop_assert_eq!(queue.is_full(), model.queued.len() == CAPACITY);
        prop_assert_eq!(queue.is_closed(), model.closed);
        prop_assert_eq!(queue.counters(), model.counters);
        prop_assert_eq!(queue.counters().depth(), model.queued.len() as u64);
        let (high_water, certain) = queue.high_water();
        prop_assert_eq!((high_water, certain || model.high_water < CAPACITY), (model.high_water, true));
    }
    let buried: Vec<_> =
        std::iter::from_fn(|| Some(dead_letters.take_batch()).filter(|batch| !batch.is_empty()))
            .flatten()
            .collect();
    prop_assert!(buried.iter().all(|dead_letter| dead_letter.reason == Reason::Expired));
    prop_assert_eq!(
        buried.into_iter().map(|dead_letter| sole(dead_letter.message)).collect::<Vec<_>>(),
        model.buried
    );
    Ok(())
}

/// A message that came out of a queue is no longer in it.
fn sole(parcel: Arc<Parcel>) -> Parcel {
    Arc::into_inner(parcel).expect("it is nowhere else")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// the same steps for all 48 combinations.
    #[test]
    fn q_28_every_combination_of_policies_does_as_the_model(steps in steps()) {
        for policies in Policies::all() {
            agree(policies, &steps).map_err(|error| TestCaseError::fail(format!("{policies:?}: {error}")))?;
        }
    }
}
