//! Queues in front of a ring, one or several, in every combination of strategy, priority, deduplication and
//! expiry, against a plain model that does the same slowly: same verdicts, same messages in the ring in the
//! same order, same counts. The clock is moved by hand.

use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    collections::VecDeque,
    mem::MaybeUninit,
    ptr::NonNull,
    sync::Arc,
};

use annulus_abi::ring::{Envelope, RingLayout, kind};
use annulus_queue::{
    Backpressure,
    front::{Bytes, Facts, Fate, Front, LaneOptions, RUN, Share, Told},
};
use annulus_ring::{
    region::Region,
    ring::{Consumer, Header, Producers, Refused, Ring},
};
use annulus_sync::{AtomicUsize, Ordering};
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
    /// What the front says to observers.
    shown: Arc<AtomicUsize>,
}

impl Owned {
    fn new() -> Self {
        // Longer than any program, so that a reservation is never cut short at the ring's end: where it is,
        // fewer tombstones come of what expires.
        let layout = RingLayout::new(
            4096,
            8,
            8,
            Envelope { enqueue_time: true, correlation: true, trace: false, stamp: false },
        );
        let memory = Layout::from_size_align(layout.bytes(), 128).unwrap();
        // SAFETY: a ring has a header, so the layout's size is not zero.
        let base = NonNull::new(unsafe { alloc_zeroed(memory) }).unwrap();
        // SAFETY: the memory is that long and that aligned, and freed after the region's last use.
        let region = unsafe { Region::new(base, layout.bytes()) };
        // SAFETY: the region is as long as the layout says and zero; each test makes the ends that it may.
        Self { ring: unsafe { Ring::new(region, layout) }, base, memory, shown: Arc::default() }
    }

    fn front(&self, low: u64, lanes: &[LaneOptions]) -> Front {
        // SAFETY: no test makes a sole producer.
        let producers = unsafe { Producers::new(self.ring.clone()) };
        // SAFETY: the ring carries no bridged messages.
        let front = unsafe { Front::new(8, AHEAD, low, lanes, producers) };
        let shown = Arc::clone(&self.shown);
        front.shown_by(move |waiting| shown.store(waiting, Ordering::Relaxed))
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
    gone: Vec<(usize, Fate, u64)>,
    freed: Vec<(usize, usize)>,
}

impl Told for Notes {
    fn gone(&mut self, lane: usize, fate: Fate, message: &Bytes, _: Header) {
        self.gone.push((lane, fate, number_of(message)));
    }

    fn moved(&mut self) {}

    fn freed(&mut self, lane: usize, places: usize) {
        self.freed.push((lane, places));
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
    /// To a lane, modulo their number.
    Send(usize, Vec<Item>),
    /// The lane's next message is looked at; or all of the lane are taken out.
    Peek(usize),
    Clear(usize),
    CloseLane(usize),
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
        8 => (0usize..17, prop::collection::vec(item.clone(), 1..3)).prop_map(|(l, i)| Step::Send(l, i)),
        2 => (0usize..17, prop::collection::vec(item, 1..RUN)).prop_map(|(l, i)| Step::Send(l, i)),
        2 => (0usize..17).prop_map(Step::Peek),
        1 => (0usize..17).prop_map(Step::Clear),
        6 => (1usize..5).prop_map(Step::Take),
        3 => (0u64..LIFETIME).prop_map(Step::Advance),
    ];
    let close_lane = prop::option::weighted(0.3, (0usize..17).prop_map(Step::CloseLane));
    let some = |most| prop::collection::vec(step.clone(), 0..most);
    (some(100), close_lane, some(50), some(20)).prop_map(|(first, lane, open, closed)| {
        first.into_iter().chain(lane).chain(open).chain([Step::Close]).chain(closed).collect()
    })
}

struct ModelLane {
    options: LaneOptions,
    /// In the order of acceptance: number, item, time.
    waiting: Vec<(u64, Item, u64)>,
    window: VecDeque<u64>,
    closed: bool,
    accepted: u64,
    handed_over: u64,
    credit: i64,
    /// A sender that waits for space was refused.
    refused: bool,
}

struct Model {
    now: u64,
    lanes: Vec<ModelLane>,
    /// What the ring holds: the lane and the message; `None` for a tombstone.
    ring: VecDeque<Option<(usize, u64)>>,
    notes: Notes,
}

impl ModelLane {
    fn rank(&self, item: &Item) -> u8 {
        if self.options.priority { item.priority } else { 0 }
    }

    /// Which message is next.
    fn next(&self) -> Option<usize> {
        let highest = self.waiting.iter().map(|(_, item, _)| self.rank(item)).max()?;
        self.waiting.iter().position(|(_, item, _)| self.rank(item) == highest)
    }
}

impl Model {
    fn waiting(&self) -> usize {
        self.lanes.iter().map(|lane| lane.waiting.len()).sum()
    }

    /// Whose turn it is.
    fn turn(&mut self) -> Option<usize> {
        let level = |lane: &ModelLane| match lane.options.share {
            Share::Weight(_) => -1,
            Share::Rank(rank) => i32::from(rank),
        };
        let best = self.lanes.iter().filter(|lane| !lane.waiting.is_empty()).map(level).max()?;
        let takes_part = |lane: &ModelLane| !lane.waiting.is_empty() && level(lane) == best;
        let mut total = 0;
        for lane in self.lanes.iter_mut().filter(|lane| takes_part(lane)) {
            let weight = match lane.options.share {
                Share::Weight(weight) => i64::from(weight),
                Share::Rank(_) => 1,
            };
            lane.credit += weight;
            total += weight;
        }
        let most = self.lanes.iter().filter(|lane| takes_part(lane)).map(|lane| lane.credit).max()?;
        let turn = self.lanes.iter().position(|lane| takes_part(lane) && lane.credit == most)?;
        self.lanes[turn].credit -= total;
        Some(turn)
    }

    fn expire(&mut self, at: usize) {
        let lane = &mut self.lanes[at];
        while let Some(next) = lane.next() {
            let (number, _, time) = lane.waiting[next];
            if lane.options.expiry.is_none_or(|lifetime| self.now - time < lifetime) {
                return;
            }
            lane.waiting.remove(next);
            self.notes.gone.push((at, Fate::Expired, number));
        }
    }

    fn advance(&mut self) {
        (0..self.lanes.len()).for_each(|at| self.expire(at));
        let room = (AHEAD as usize).saturating_sub(self.ring.len()).min(self.waiting());
        for _ in 0..room {
            let Some(at) = self.turn() else {
                self.ring.push_back(None);
                continue;
            };
            let lane = &mut self.lanes[at];
            let next = lane.next().unwrap();
            lane.handed_over += 1;
            self.ring.push_back(Some((at, lane.waiting.remove(next).0)));
            self.expire(at);
        }
    }

    fn send(&mut self, at: usize, first: u64, items: &[Item]) -> (usize, Option<Refused>) {
        if self.lanes[at].closed {
            return (0, Some(Refused::Closed));
        }
        let mut looked = false;
        // One queue without priorities hands over what waits before it looks at the new messages. Elsewhere,
        // the run is queued before the next in order are handed over.
        if self.waiting() != 0 && self.lanes.len() == 1 && !self.lanes[at].options.priority {
            self.advance();
        }
        let passes = self.waiting() == 0 && !self.lanes[at].options.priority;
        for (i, item) in items.iter().enumerate() {
            let number = first + i as u64;
            let lane = &self.lanes[at];
            if lane.options.window.is_some() && item.key.is_some_and(|key| lane.window.contains(&key)) {
                self.notes.gone.push((at, Fate::Duplicate, number));
                continue;
            }
            if passes && self.waiting() == 0 && self.ring.len() < AHEAD as usize {
                self.ring.push_back(Some((at, number)));
                self.lanes[at].handed_over += 1;
            } else {
                let is_full =
                    |model: &Self| model.lanes[at].waiting.len() == model.lanes[at].options.capacity;
                if is_full(self) && !std::mem::replace(&mut looked, true) {
                    self.advance();
                }
                if is_full(self) {
                    let lane = &mut self.lanes[at];
                    let lowest = lane.waiting.iter().map(|(_, item, _)| lane.rank(item)).min().unwrap();
                    match lane.options.backpressure {
                        wait @ (Backpressure::Block | Backpressure::Reject) => {
                            lane.refused |= wait == Backpressure::Block;
                            self.advance();
                            return (i, Some(Refused::Full));
                        }
                        Backpressure::DropOldest if lowest <= lane.rank(item) => {
                            let oldest =
                                lane.waiting.iter().position(|(_, item, _)| lane.rank(item) == lowest);
                            let (old, ..) = lane.waiting.remove(oldest.unwrap());
                            self.notes.gone.push((at, Fate::Evicted, old));
                        }
                        _ => {
                            self.notes.gone.push((at, Fate::Discarded, number));
                            continue;
                        }
                    }
                }
                self.lanes[at].waiting.push((number, *item, self.now));
            }
            let lane = &mut self.lanes[at];
            lane.accepted += 1;
            if let (Some(window), Some(key)) = (lane.options.window, item.key) {
                lane.window.push_back(key);
                if lane.window.len() > window {
                    lane.window.pop_front();
                }
            }
        }
        self.advance();
        (items.len(), None)
    }
}

fn combinations() -> Vec<LaneOptions> {
    let mut all = Vec::new();
    for backpressure in
        [Backpressure::Block, Backpressure::Reject, Backpressure::DropOldest, Backpressure::DropNew]
    {
        for bits in 0..8 {
            all.push(LaneOptions {
                capacity: CAPACITY,
                backpressure,
                priority: bits & 1 != 0,
                window: (bits & 2 != 0).then_some(WINDOW),
                expiry: (bits & 4 != 0).then_some(LIFETIME),
                share: Share::Weight(1),
            });
        }
    }
    all
}

fn agree(low: u64, lanes: &[LaneOptions], steps: &[Step]) -> Result<(), TestCaseError> {
    let owned = Owned::new();
    let front = owned.front(low, lanes);
    let mut consumer = owned.consumer();
    let lane = |&options| ModelLane {
        options,
        waiting: Vec::new(),
        window: VecDeque::new(),
        closed: false,
        accepted: 0,
        handed_over: 0,
        credit: 0,
        refused: false,
    };
    let mut model = Model {
        now: 0,
        lanes: lanes.iter().map(lane).collect(),
        ring: VecDeque::new(),
        notes: Notes::default(),
    };
    let mut number = 0;
    for step in steps {
        let mut notes = Notes::default();
        let before: Vec<_> =
            model.lanes.iter().map(|lane| (lane.waiting.len(), lane.accepted, lane.refused)).collect();
        let now = Header { enqueue_time: model.now, ..Header::default() };
        match step {
            Step::Send(at, items) => {
                let at = at % lanes.len();
                let options = lanes[at];
                let facts: Vec<_> = items
                    .iter()
                    .map(|item| Facts {
                        priority: model.lanes[at].rank(item),
                        key: options.window.and(item.key),
                    })
                    .collect();
                let messages: Vec<u64> = (number..number + items.len() as u64).collect();
                let expected = model.send(at, number, items);
                number += items.len() as u64;
                let offered = front.offer(at, &bytes_of(&messages), &facts, now, &mut notes);
                prop_assert_eq!((offered.taken, offered.refused), expected);
            }
            Step::Take(slots) => {
                for _ in 0..*slots {
                    let Some(slot) = consumer.peek() else { break };
                    // SAFETY: messages of this ring are numbers.
                    let message = (slot.kind == kind::MESSAGE)
                        .then(|| (slot.queue as usize, unsafe { consumer.read::<u64>(&slot) }));
                    prop_assert_eq!(Some(message), model.ring.pop_front());
                    prop_assert!(message.is_none() || slot.length == 8);
                    consumer.advance(&slot);
                }
                consumer.give_back();
                if (model.ring.len() as u64) < low {
                    model.advance();
                }
                if front.wants_refill() {
                    front.refill(now, &mut notes);
                }
            }
            Step::Peek(at) => {
                let at = at % lanes.len();
                let mut found = None;
                let is_there = front.peek(at, now, &mut notes, |message| found = Some(number_of(message)));
                prop_assert_eq!(is_there, found.is_some());
                model.advance();
                let expected = model.lanes[at].next().map(|next| model.lanes[at].waiting[next].0);
                prop_assert_eq!(found, expected);
            }
            Step::Clear(at) => {
                let at = at % lanes.len();
                let mut taken = Vec::new();
                front.clear(at, now, &mut notes, |message, _| taken.push(number_of(message)));
                model.expire(at);
                let mut expected = Vec::new();
                while let Some(next) = model.lanes[at].next() {
                    expected.push(model.lanes[at].waiting.remove(next).0);
                }
                prop_assert_eq!(taken, expected);
            }
            Step::CloseLane(at) => {
                let at = at % lanes.len();
                let was_open = !std::mem::replace(&mut model.lanes[at].closed, true);
                prop_assert_eq!(front.close_lane(at, now, &mut notes), was_open);
            }
            Step::Advance(by) => model.now += by,
            Step::Close => {
                model.lanes.iter_mut().for_each(|lane| lane.closed = true);
                front.close(now, &mut notes);
            }
        }
        let mut expected = std::mem::take(&mut model.notes);
        for (at, ((before, accepted, refused), lane)) in before.into_iter().zip(&model.lanes).enumerate() {
            // Where somebody may wait, the places of messages that left as others came are told as well.
            let came = if refused { (lane.accepted - accepted) as usize } else { 0 };
            let left = (before + came).saturating_sub(lane.waiting.len());
            if left != 0 {
                expected.freed.push((at, left));
            }
        }
        prop_assert_eq!(notes, expected);
        prop_assert_eq!(front.waiting(), model.waiting());
        prop_assert_eq!(owned.shown.load(Ordering::Relaxed), model.waiting(), "what observers see");
        prop_assert_eq!(owned.ring.depth(), model.ring.len() as u64);
        prop_assert_eq!(front.accepted(), model.lanes.iter().map(|lane| lane.accepted).sum::<u64>());
        for (at, lane) in model.lanes.iter().enumerate() {
            let found = front.counts(at);
            let expected = (lane.accepted, lane.handed_over, lane.waiting.len());
            prop_assert_eq!((found.accepted, found.handed_over, found.waiting), expected, "lane {}", at);
        }
    }
    let mut left = Vec::new();
    while let Some(at) = model.turn() {
        let next = model.lanes[at].next().unwrap();
        left.push((at, model.lanes[at].waiting.remove(next).0));
    }
    let mut drained = Vec::new();
    front.take_all(|lane, message, _| drained.push((lane, number_of(message))));
    prop_assert_eq!(drained, left);
    prop_assert_eq!((front.waiting(), owned.shown.load(Ordering::Relaxed)), (0, 0));
    Ok(())
}

fn shares() -> impl Strategy<Value = Share> {
    prop_oneof![(1u32..6).prop_map(Share::Weight), (0u8..3).prop_map(Share::Rank)]
}

/// Two senders wait. One place becomes free, of which the first is told; while that one sends, another message
/// leaves, and the second must be told of its place.
#[test]
fn bug_a_place_that_is_free_is_told_to_nobody() {
    let owned = Owned::new();
    let front = owned.front(AHEAD, &combinations()[..1]);
    let mut consumer = owned.consumer();
    let mut take = || {
        let slot = consumer.peek().unwrap();
        consumer.advance(&slot);
        consumer.give_back();
    };
    let offer = |count: usize| {
        let mut notes = Notes::default();
        let numbers: Vec<u64> = (0..count as u64).collect();
        let facts = vec![Facts::default(); count];
        let offered = front.offer(0, &bytes_of(&numbers), &facts, Header::default(), &mut notes);
        (offered.taken, offered.refused, notes.freed)
    };
    assert_eq!(offer(AHEAD as usize + CAPACITY), (AHEAD as usize + CAPACITY, None, vec![]));
    assert_eq!(offer(1), (0, Some(Refused::Full), vec![]));
    take();
    let mut notes = Notes::default();
    front.refill(Header::default(), &mut notes);
    assert_eq!(notes.freed, [(0, 1)]);
    take();
    assert_eq!(offer(1), (1, None, vec![(0, 1)]));
    assert_eq!(front.waiting(), CAPACITY - 1);
    // One that passes, since all others have left, does not keep the place that it was told of.
    while front.waiting() != 0 {
        take();
        front.refill(Header::default(), &mut notes);
    }
    take();
    assert_eq!(offer(1), (1, None, vec![(0, 1)]));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn a_front_does_what_its_model_does(steps in steps(), low in 1..=AHEAD) {
        for options in combinations() {
            agree(low, &[options], &steps)?;
        }
    }

    /// up to 17 queues, each with its own options and share.
    #[test]
    fn q31_q39_several_queues_do_what_their_model_does(
        steps in steps(),
        low in 1..=AHEAD,
        lanes in prop::collection::vec((0usize..32, shares()), 2..18),
    ) {
        let lane = |&(options, share): &(usize, Share)| LaneOptions { share, ..combinations()[options] };
        let lanes: Vec<_> = lanes.iter().map(lane).collect();
        agree(low, &lanes, &steps)?;
        agree(low, &lanes[..2], &steps)?;
    }
}
