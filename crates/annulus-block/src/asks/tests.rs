//! All that may happen to a few asks, in every order, against what a list of them says.

use std::{
    cell::Cell,
    mem::offset_of,
    sync::{Arc, Mutex, Weak},
};

use annulus_kernel::{DeviceType, TimersDefinition, TypeDescriptor};

use super::*;
use crate::host::{Answered, Deliver, Delivery, Row};

/// What comes of an ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
struct Awaited {
    number: u64,
    ended: u32,
    code: u32,
    value: u64,
}

/// Enough of a type for as many bytes.
const AWAITED: &TypeDescriptor = <[u64; 3]>::DESCRIPTOR;
const _: () = assert!(size_of::<Awaited>() == AWAITED.size);

/// Places for answers, as the asked kernel has them.
#[derive(Default)]
struct Landings(Mutex<Vec<(u32, u8, u64)>>);

impl Deliver for Landings {
    unsafe fn deliver(&self, _: Row<'_>) -> Delivery {
        unreachable!("queries are kept by the test")
    }

    unsafe fn has_room(&self, _: *const u8) -> bool {
        true
    }
}

impl Answered for Landings {
    fn answered(&self, place: u32) -> u32 {
        self.0.lock().unwrap()[place as usize].0
    }

    unsafe fn answer(&self, call: u64, to: *mut u8) -> (u8, u16, u64) {
        let (_, kind, value) = self.0.lock().unwrap()[place_of(call) as usize];
        if kind == kind::MESSAGE {
            // SAFETY: an awaited message has eight bytes there.
            unsafe { to.cast::<u64>().write(value) };
        }
        (kind, if kind == kind::FAILED { value as u16 } else { 0 }, 0)
    }
}

const FIRST: u32 = 3;
const ROOM: u32 = 2;
/// How long an answer may take; a step takes 1.
const LIMIT: u64 = 4;

/// An ask that was made.
#[derive(Clone, Copy, Debug)]
struct Made {
    /// 0 if its query has gone nowhere.
    address: u64,
    due: u64,
    /// How it has to end, if that is known, and what was answered.
    ends: Option<(u32, u64)>,
    is_taken: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The handler asks, and succeeds.
    Ask,
    /// It asks, and fails.
    AskAndFail,
    /// The asked kernel answers the first query, or the last one.
    Answer(bool),
    Fail,
    /// The first query is lost, or is closed.
    Lose,
    Close,
    /// The block looks for answers, and takes what is due.
    Turn,
    /// The block holds the query that was asked last, for want of room.
    Hold,
    /// Nobody is asked any more, or again.
    Lead,
    /// The asked kernel has ended, and another one is asked. What had gone is closed; what is held has no ask any more.
    Elsewhere,
}

const STEPS: [Step; 11] = [
    Step::Ask,
    Step::AskAndFail,
    Step::Answer(true),
    Step::Answer(false),
    Step::Fail,
    Step::Lose,
    Step::Close,
    Step::Turn,
    Step::Hold,
    Step::Lead,
    Step::Elsewhere,
];

struct World {
    timers: Timers,
    landings: Arc<Landings>,
    now: u64,
    made: Vec<Made>,
    /// Asks whose queries are under way, in order.
    under_way: Vec<usize>,
    /// The query that is held, which is the last one, and carries this.
    held: Option<(usize, u64)>,
    leads: bool,
    refused: Cell<u32>,
}

impl World {
    fn new() -> Self {
        let asks = Asks {
            port: 0,
            answer: offset_of!(Awaited, ended),
            value: offset_of!(Awaited, value),
            block: 0,
            way: None,
            entries: vec![Entry::default(); ROOM as usize].into(),
            busy: 0,
            awaited: 0,
            asked: 0,
            is_untold: false,
        };
        let definition = TimersDefinition { room: ROOM + 1, each: 1, ..TimersDefinition::default() };
        let landings = Landings(Mutex::new(vec![(0, 0, 0); (FIRST + ROOM) as usize]));
        let mut world = Self {
            timers: Timers::new(definition, AWAITED, Some(asks)),
            landings: Arc::new(landings),
            now: 10,
            made: Vec::new(),
            under_way: Vec::new(),
            held: None,
            leads: false,
            refused: Cell::new(0),
        };
        world.lead();
        world
    }

    fn lead(&mut self) {
        self.leads = !self.leads;
        let target: Weak<Landings> = Arc::downgrade(&self.landings);
        let answers: Arc<Landings> = Arc::clone(&self.landings);
        let asks = Some(AskedIn { first: FIRST, answers });
        let link = Link { target, waits: true, inside: None, peer: 0, asks };
        if self.timers.lead_asks(&[self.leads.then_some(link)], self.now) {
            // `drop_query`.
            self.held = None;
        }
    }

    /// The asked kernel ends, and closes what it has not taken. Another one is asked, whose places have other numbers.
    fn elsewhere(&mut self) {
        if !self.leads {
            return;
        }
        if let Some((held, _)) = self.held {
            self.under_way.pop();
            let made = &mut self.made[held];
            made.ends = made.ends.or(Some((ended::CLOSED, 77)));
            made.address = 0;
        }
        while !self.under_way.is_empty() {
            self.end(0, kind::ENDED, 0);
        }
        self.landings = Arc::default();
        *self.landings.0.lock().unwrap() = vec![(0, 0, 0); (FIRST + ROOM) as usize];
        // Addresses in the one say nothing in the other.
        self.made.iter_mut().for_each(|made| made.address = 0);
        self.leads = false;
        self.lead();
        assert_eq!(self.held, None, "another kernel would get a place that it does not have");
    }

    /// The query that is held goes, or is lost.
    fn go(&mut self, is_lost: bool) {
        let Some((held, address)) = self.held.take() else { return };
        if is_lost {
            self.under_way.pop();
            self.timers.lose_ask(address, self.now);
            let made = &mut self.made[held];
            made.address = 0;
            made.ends = made.ends.or(Some((ended::LOST, 77)));
        }
    }

    /// Where the message of the next timer goes.
    fn set(&mut self) -> Option<*mut Awaited> {
        self.timers.begin(self.now);
        self.timers.later().next_ask(LIMIT).map(<*mut u8>::cast)
    }

    fn turn_that_asks(&mut self, succeeds: bool) {
        self.go(false);
        let number = self.made.len() as u64;
        let Some(place) = self.set() else {
            self.refused.set(self.refused.get() + 1);
            let waiting = self.made.iter().filter(|made| !made.is_taken).count() as u32;
            let busy = self.timers.asks.as_ref().unwrap().open();
            assert!(waiting == ROOM + 1 || busy == ROOM, "it was refused for nothing");
            return;
        };
        // SAFETY: the place is the call's, and has room for the message.
        unsafe { place.write(Awaited { number, ended: 0, code: 0, value: 77 }) };
        if !succeeds {
            return;
        }
        self.timers.keep(true, 0);
        let address = self.timers.asks.as_ref().unwrap().asked();
        assert_eq!(address != 0, self.leads);
        if address == 0 {
            self.made.push(Made { address, due: self.now, ends: Some((ended::LOST, 77)), is_taken: false });
            return;
        }
        assert!(self.made.iter().all(|made| made.address != address), "an address is used twice");
        self.under_way.push(self.made.len());
        self.made.push(Made { address, due: self.now + LIMIT, ends: None, is_taken: false });
    }

    /// Ends the query of this number among those that are under way.
    fn end(&mut self, at: usize, kind: u8, value: u64) {
        if at >= self.under_way.len() || self.held.is_some_and(|(held, _)| held == self.under_way[at]) {
            return;
        }
        let made = self.under_way.remove(at);
        let address = self.made[made].address;
        let place = place_of(address) as usize;
        self.landings.0.lock().unwrap()[place] = ((address >> 32) as u32, kind, value);
        let made = &mut self.made[made];
        if made.ends.is_none() {
            let value = if kind == kind::MESSAGE { value } else { 77 };
            made.ends = Some((ended_by(kind), value));
        }
    }

    fn turn(&mut self) {
        self.go(false);
        self.timers.look_for_answers(self.now);
        while let Some((_, message, _)) = self.timers.take(self.now) {
            // SAFETY: an awaited message was written there.
            let message = unsafe { message.cast::<Awaited>().read() };
            self.timers.release();
            let made = &mut self.made[message.number as usize];
            assert!(!made.is_taken, "it ends twice");
            made.is_taken = true;
            let (ended, value) = made.ends.unwrap_or((ended::OUT_OF_TIME, 77));
            assert!(made.ends.is_some() || made.due <= self.now, "it ends too early");
            made.ends = Some((ended, value));
            assert_eq!((message.ended, message.value), (ended, value), "{made:?}");
        }
    }

    fn step(&mut self, step: Step) {
        self.now += 1;
        match step {
            Step::Ask => self.turn_that_asks(true),
            Step::AskAndFail => self.turn_that_asks(false),
            Step::Answer(first) => {
                let at = if first { 0 } else { self.under_way.len().saturating_sub(1) };
                self.end(at, kind::MESSAGE, 1000 + self.now);
            }
            Step::Fail => self.end(0, kind::FAILED, 5),
            Step::Close => self.end(0, kind::ENDED, 0),
            Step::Lose if self.held.is_some() => self.go(true),
            Step::Lose if self.under_way.is_empty() => {}
            Step::Lose => {
                let made = self.under_way.remove(0);
                let address = self.made[made].address;
                self.timers.lose_ask(address, self.now);
                let made = &mut self.made[made];
                // Nobody has it, so it may be used again.
                made.address = 0;
                made.ends = made.ends.or(Some((ended::LOST, 77)));
            }
            Step::Turn => self.turn(),
            Step::Hold => {
                let last = self.under_way.last().filter(|&&last| last + 1 == self.made.len());
                self.held = last.map(|&last| (last, self.made[last].address));
            }
            Step::Elsewhere => self.elsewhere(),
            Step::Lead => {
                // The host does so only if no answer is to come.
                if !self.leads || self.under_way.is_empty() {
                    self.lead();
                }
            }
        }
        let asks = self.timers.asks.as_ref().unwrap();
        assert_eq!(asks.awaited & !asks.busy, 0);
        // Whoever is under way has a place.
        assert!(asks.open() as usize >= self.under_way.len());
    }

    fn end_all(&mut self) {
        self.go(false);
        while !self.under_way.is_empty() {
            self.end(0, kind::NO_REPLY, 0);
        }
        self.now += 2 * LIMIT;
        self.turn();
        assert!(self.made.iter().all(|made| made.is_taken), "some never end: {:?}", self.made);
        let asks = self.timers.asks.as_ref().unwrap();
        assert_eq!((asks.open(), asks.awaited, self.timers.count()), (0, 0, 0));
    }
}

/// P-02: whatever happens, in whatever order, each ask ends once, with what was said of it first, and its place is used again
/// only when nobody can write there any more.
#[test]
fn p02_each_ask_ends_once_in_every_order() {
    let depth = if cfg!(miri) { 3 } else { 6 };
    let (mut refused, mut asked) = (0, 0);
    for number in 0..STEPS.len().pow(depth) {
        let mut world = World::new();
        let mut left = number;
        for _ in 0..depth {
            world.step(STEPS[left % STEPS.len()]);
            left /= STEPS.len();
        }
        world.end_all();
        refused += world.refused.get();
        asked += world.made.len();
    }
    assert!(refused > 100 && asked > 1000, "{refused}, {asked}");
}
