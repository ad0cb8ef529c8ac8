//! A queue in front of a ring, in every combination of strategy, priority, deduplication and expiry, against
//! a plain model that does the same slowly: same verdicts, same messages in the ring in the same order, same
//! counts. The clock is moved by hand.

use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    collections::VecDeque,
    mem::MaybeUninit,
    ptr::NonNull,
};

use annulus_abi::ring::{Envelope, RingLayout, kind};
use annulus_queue::{
    Backpressure,
    front::{Bytes, Facts, Fate, Front, FrontOptions, RUN, Told},
};
use annulus_ring::{
    region::Region,
    ring::{Consumer, Header, Producers, Refused, Ring},
};
use proptest::prelude::*;

const CAPACITY: usize = 5;
const WINDOW: usize = 7;
const LIFETIME: u64 = 100;
const AHEAD: u64 = 3;

/// A ring with memory of its own.
struct Owned {
    ring: Ring,
    base: NonNull<u8>,
    memory: Layout,
}

impl Owned {
    fn new() -> Self {
        // Longer than any program, so that a reservation is never cut short at the ring's end: where it is,
        // fewer tombstones come of what expires.
        let layout = RingLayout::new(4096, 8, 8, Envelope { enqueue_time: true, correlation: true });
        let memory = Layout::from_size_align(layout.bytes(), 128).unwrap();
        // SAFETY: a ring has a header, so the layout's size is not zero.
        let base = NonNull::new(unsafe { alloc_zeroed(memory) }).unwrap();
        // SAFETY: the memory is that long and that aligned, and freed after the region's last use.
        let region = unsafe { Region::new(base, layout.bytes()) };
        // SAFETY: the region is as long as the layout says and zero; each test makes the ends that it may.
        Self { ring: unsafe { Ring::new(region, layout) }, base, memory }
    }

    fn front(&self, options: FrontOptions) -> Front {
        // SAFETY: no test makes a sole producer.
        let producers = unsafe { Producers::new(self.ring.clone()) };
        // SAFETY: the ring carries no bridged messages.
        unsafe { Front::new(options, producers) }
    }

    fn consumer(&self) -> Consumer {
        // SAFETY: each test makes one.
        unsafe { Consumer::new(self.ring.clone()) }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout; the tests' ends are dropped before.
        unsafe { dealloc(self.base.as_ptr(), self.memory) };
    }
}

fn bytes_of(numbers: &[u64]) -> Vec<MaybeUninit<u8>> {
    numbers.iter().flat_map(|number| number.to_ne_bytes()).map(MaybeUninit::new).collect()
}

fn number_of(message: &Bytes) -> u64 {
    // SAFETY: each is one of `bytes_of`, all of whose bytes are written.
    u64::from_ne_bytes(std::array::from_fn(|i| unsafe { message[i].assume_init() }))
}

/// What an operation told.
#[derive(Debug, Default, PartialEq, Eq)]
struct Notes {
    gone: Vec<(Fate, u64)>,
    freed: usize,
}

impl Told for Notes {
    fn gone(&mut self, fate: Fate, message: &Bytes, _: Header) {
        self.gone.push((fate, number_of(message)));
    }

    fn moved(&mut self) {}

    fn freed(&mut self, places: usize) {
        self.freed += places;
    }
}

/// A message's number tells it from all others; what the queue knows of it stands beside it.
#[derive(Clone, Copy, Debug)]
struct Item {
    key: Option<u64>,
    priority: u8,
}

#[derive(Clone, Debug)]
enum Step {
    Send(Vec<Item>),
    /// The consumer takes up to so many slots, and says so.
    Take(usize),
    Advance(u64),
    Close,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let key = prop_oneof![Just(None), (0u64..9).prop_map(Some), any::<u64>().prop_map(Some)];
    let priority = prop_oneof![0u8..4, Just(63), Just(64), Just(255)];
    let item = (key, priority).prop_map(|(key, priority)| Item { key, priority });
    let step = prop_oneof![
        8 => prop::collection::vec(item.clone(), 1..3).prop_map(Step::Send),
        2 => prop::collection::vec(item, 1..RUN).prop_map(Step::Send),
        6 => (1usize..5).prop_map(Step::Take),
        3 => (0u64..LIFETIME).prop_map(Step::Advance),
    ];
    (prop::collection::vec(step.clone(), 0..150), prop::collection::vec(step, 0..20))
        .prop_map(|(open, closed)| open.into_iter().chain([Step::Close]).chain(closed).collect())
}

struct Model {
    options: FrontOptions,
    now: u64,
    /// In the order of acceptance: number, item, time.
    waiting: Vec<(u64, Item, u64)>,
    window: VecDeque<u64>,
    /// What the ring holds; `None` for a tombstone.
    ring: VecDeque<Option<u64>>,
    closed: bool,
    accepted: u64,
    notes: Notes,
}

impl Model {
    fn rank(&self, item: &Item) -> u8 {
        if self.options.priority { item.priority } else { 0 }
    }

    /// Which message is next.
    fn next(&self) -> Option<usize> {
        let highest = self.waiting.iter().map(|(_, item, _)| self.rank(item)).max()?;
        self.waiting.iter().position(|(_, item, _)| self.rank(item) == highest)
    }

    fn expire(&mut self) {
        while let Some(next) = self.next() {
            let (number, _, at) = self.waiting[next];
            if self.options.expiry.is_none_or(|lifetime| self.now - at < lifetime) {
                return;
            }
            self.waiting.remove(next);
            self.notes.gone.push((Fate::Expired, number));
        }
    }

    fn advance(&mut self) {
        self.expire();
        let room = (self.options.ahead as usize).saturating_sub(self.ring.len()).min(self.waiting.len());
        for _ in 0..room {
            let next = self.next();
            self.ring.push_back(next.map(|next| self.waiting.remove(next).0));
            self.expire();
        }
    }

    fn send(&mut self, first: u64, items: &[Item]) -> (usize, Option<Refused>) {
        if self.closed {
            return (0, Some(Refused::Closed));
        }
        let mut looked = false;
        // Where there are priorities, and where messages wait, the run is queued before the next in order are
        // handed over.
        let passes = self.waiting.is_empty() && !self.options.priority;
        for (i, item) in items.iter().enumerate() {
            let number = first + i as u64;
            if self.options.window.is_some() && item.key.is_some_and(|key| self.window.contains(&key)) {
                self.notes.gone.push((Fate::Duplicate, number));
                continue;
            }
            if passes && self.waiting.is_empty() && self.ring.len() < self.options.ahead as usize {
                self.ring.push_back(Some(number));
            } else {
                if self.waiting.len() == self.options.capacity && !std::mem::replace(&mut looked, true) {
                    self.advance();
                }
                if self.waiting.len() == self.options.capacity {
                    let lowest = self.waiting.iter().map(|(_, item, _)| self.rank(item)).min().unwrap();
                    match self.options.backpressure {
                        Backpressure::Block | Backpressure::Reject => {
                            self.advance();
                            return (i, Some(Refused::Full));
                        }
                        Backpressure::DropOldest if lowest <= self.rank(item) => {
                            let oldest =
                                self.waiting.iter().position(|(_, item, _)| self.rank(item) == lowest);
                            let (old, ..) = self.waiting.remove(oldest.unwrap());
                            self.notes.gone.push((Fate::Evicted, old));
                        }
                        _ => {
                            self.notes.gone.push((Fate::Discarded, number));
                            continue;
                        }
                    }
                }
                self.waiting.push((number, *item, self.now));
            }
            self.accepted += 1;
            if let (Some(window), Some(key)) = (self.options.window, item.key) {
                self.window.push_back(key);
                if self.window.len() > window {
                    self.window.pop_front();
                }
            }
        }
        self.advance();
        (items.len(), None)
    }
}

fn combinations() -> Vec<FrontOptions> {
    let mut all = Vec::new();
    for backpressure in
        [Backpressure::Block, Backpressure::Reject, Backpressure::DropOldest, Backpressure::DropNew]
    {
        for bits in 0..8 {
            all.push(FrontOptions {
                size: 8,
                capacity: CAPACITY,
                backpressure,
                priority: bits & 1 != 0,
                window: (bits & 2 != 0).then_some(WINDOW),
                expiry: (bits & 4 != 0).then_some(LIFETIME),
                ahead: AHEAD,
            });
        }
    }
    all
}

fn agree(options: FrontOptions, steps: &[Step]) -> Result<(), TestCaseError> {
    let owned = Owned::new();
    let front = owned.front(options);
    let mut consumer = owned.consumer();
    let mut model = Model {
        options,
        now: 0,
        waiting: Vec::new(),
        window: VecDeque::new(),
        ring: VecDeque::new(),
        closed: false,
        accepted: 0,
        notes: Notes::default(),
    };
    let mut number = 0;
    for step in steps {
        let mut notes = Notes::default();
        let before = model.waiting.len();
        let now = Header { enqueue_time: model.now, ..Header::default() };
        match step {
            Step::Send(items) => {
                let facts: Vec<_> = items
                    .iter()
                    .map(|item| Facts { priority: model.rank(item), key: options.window.and(item.key) })
                    .collect();
                let messages: Vec<u64> = (number..number + items.len() as u64).collect();
                let expected = model.send(number, items);
                number += items.len() as u64;
                let offered = front.offer(&bytes_of(&messages), &facts, now, &mut notes);
                prop_assert_eq!((offered.taken, offered.refused), expected);
            }
            Step::Take(slots) => {
                for _ in 0..*slots {
                    let Some(slot) = consumer.peek() else { break };
                    // SAFETY: messages of this ring are numbers.
                    let message =
                        (slot.kind == kind::MESSAGE).then(|| unsafe { consumer.read::<u64>(&slot) });
                    prop_assert_eq!(Some(message), model.ring.pop_front());
                    consumer.advance(&slot);
                }
                consumer.give_back();
                model.advance();
                front.refill(now, &mut notes);
            }
            Step::Advance(by) => model.now += by,
            Step::Close => {
                model.closed = true;
                front.close(now, &mut notes);
            }
        }
        let mut expected = std::mem::take(&mut model.notes);
        expected.freed = before.saturating_sub(model.waiting.len());
        prop_assert_eq!(notes, expected);
        prop_assert_eq!(front.waiting(), model.waiting.len());
        prop_assert_eq!(owned.ring.depth(), model.ring.len() as u64);
        prop_assert_eq!(front.accepted(), model.accepted);
    }
    let mut left = Vec::new();
    while let Some(next) = model.next() {
        left.push(model.waiting.remove(next).0);
    }
    let mut drained = Vec::new();
    front.take_all(|message, _| drained.push(number_of(message)));
    prop_assert_eq!(drained, left);
    prop_assert_eq!(front.waiting(), 0);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn a_front_does_what_its_model_does(steps in steps()) {
        for options in combinations() {
            agree(options, &steps)?;
        }
    }
}
