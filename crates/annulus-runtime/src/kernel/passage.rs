//! The places of calls through pipelines: who has one, and when it is free again.
//!
//! A call takes a place before its message is sent, and has it until it has ended. The place's number and generation are
//! the call's address. Each kernel on the way has a slot for each place ([`Landings`]), where it says how the call has
//! ended, if it is the one that ends it. So a caller has one slot in each kernel of its pipeline to look at.
//!
//! ```text
//!            open                      take
//!   free -----------> its caller's -----------------------> free
//!                       |      |  drop                        ^
//!          end (host)   |      +-----------> given up --------+  its answer has come: found by who wants a place
//!                       v                       |
//!                     ended -- take, drop ------+-- a kernel on the way is lost --> retired, for ever
//! ```
//!
//! Every place ends free or retired, because every call ends: each kernel that has a call's address answers, or hands it
//! on, or says that it was lost; one that terminates says so of the messages that it has not read, and the host of those
//! that were left in the host's ring. Only of a kernel that is lost nobody knows what it had; a place that it may still
//! write to is never used again.
//!
//! All of this is under one lock, which is held for a few instructions; a caller that waits for its answer does not take
//! it. Callers are woken by whoever reports progress of a kernel on the way (`SYNC: event-registered`, of
//! [`Event`]): a block publishes an answer before it gives back the slot of the message, and before it tells that an
//! output was lost.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    mem,
    sync::{Arc, PoisonError},
};

use annulus_abi::ring::{call_through, kind};
use annulus_ring::ring::{Landings, Reply};
use annulus_sync::{AtomicU32, AtomicU64, AtomicUsize, Mutex, MutexGuard, Ordering, event::Event};

use crate::{
    error::CallError,
    kernel::{bytes::Bytes, shared::KernelShared},
};

/// A kernel's part in calls through pipelines.
pub(crate) struct Through {
    /// That of the runtime.
    pub(crate) passage: Arc<Passage>,
    /// Where its blocks say how calls have ended.
    pub(crate) landings: Landings,
    /// How many calls it has room for.
    pub(crate) room: u32,
    /// Pipelines that lead along its first outbox, or end with it. Raised under the kernel's command lock.
    pub(crate) pins: AtomicU32,
}

/// The way of a pipeline's calls.
pub(crate) struct Route {
    /// At least one. All take part in calls through pipelines, and each is connected to the next.
    pub(crate) kernels: Box<[Arc<KernelShared>]>,
    /// Places from this number on have no slots in some of the kernels.
    pub(crate) room: u32,
    pub(crate) tally: Tally,
}

/// What became of a pipeline's calls.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) called: AtomicU64,
    pub(crate) answered: AtomicU64,
    pub(crate) failed: AtomicU64,
    pub(crate) no_reply: AtomicU64,
    pub(crate) lost: AtomicU64,
    pub(crate) terminated: AtomicU64,
    pub(crate) given_up: AtomicU64,
}

impl Tally {
    fn count(&self, ended: Result<(), CallError>) {
        let count = match ended {
            Ok(()) => &self.answered,
            Err(CallError::Failed { .. }) => &self.failed,
            Err(CallError::NoReply) => &self.no_reply,
            Err(CallError::Lost) => &self.lost,
            Err(_) => &self.terminated,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }
}

impl Route {
    fn through(&self) -> impl Iterator<Item = &Through> {
        self.kernels.iter().filter_map(|kernel| kernel.through.as_ref())
    }

    /// Whether some kernel has answered this call.
    fn shows(&self, call: u64) -> bool {
        self.through().any(|through| through.landings.shows(call))
    }

    /// Whether calls go through this kernel.
    fn leads_through(&self, kernel: &KernelShared) -> bool {
        self.kernels.iter().any(|other| std::ptr::eq(&raw const **other, kernel))
    }
}

impl Drop for Route {
    fn drop(&mut self) {
        for through in self.through() {
            through.pins.fetch_sub(1, Ordering::Release);
        }
    }
}

/// The places of a runtime.
pub(crate) struct Passage {
    places: Mutex<Places>,
    /// How many are given up, and how many have ended without their callers knowing.
    given_up: AtomicUsize,
    ended: AtomicUsize,
    /// Notified when a place may have become free.
    pub(crate) freed: Event,
    /// Notified when an answer may have come.
    pub(crate) answered: Event,
}

#[derive(Default)]
struct Places {
    all: Vec<Place>,
    /// The free ones, the lowest first.
    free: BinaryHeap<Reverse<u32>>,
}

struct Place {
    generation: u32,
    state: State,
}

enum State {
    Free,
    Open(Arc<Route>),
    GivenUp(Arc<Route>),
    /// The host knows that no kernel will answer, or with `true` that the kernel which may still answer is lost.
    Ended(bool),
    Retired,
}

impl Passage {
    pub(crate) fn new() -> Self {
        Self {
            places: Mutex::default(),
            given_up: AtomicUsize::new(0),
            ended: AtomicUsize::new(0),
            freed: Event::new(),
            answered: Event::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Places> {
        // A panic can interrupt no change: nothing that is called under the lock panics.
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Called when a kernel that such calls go through has made progress.
    pub(crate) fn progressed(&self) {
        self.answered.notify_all();
        if self.given_up.load(Ordering::Relaxed) != 0 {
            self.freed.notify_all();
        }
    }

    /// Whether somebody waits for progress.
    pub(crate) fn is_awaited(&self) -> bool {
        self.answered.has_waiters() || self.freed.has_waiters()
    }

    /// Takes a place for a call; `None` if all that the route has room for are taken.
    pub(crate) fn try_open(&self, route: &Arc<Route>) -> Option<OpenCall<'_>> {
        // Dropped when the lock is not held: it may be the last of its kernels.
        let mut done = Vec::new();
        let mut places = self.lock();
        let mut number = places.free_below(route.room);
        if number.is_none() && self.given_up.load(Ordering::Relaxed) != 0 {
            done = self.reclaim(&mut places);
            number = places.free_below(route.room);
        }
        let number = number?;
        let place = &mut places.all[number as usize];
        // A slot shows the call that it was last written for, which may be as old as generations are many.
        loop {
            place.generation = place.generation.wrapping_add(1).max(1);
            if !route.shows(call_through(number, place.generation)) {
                break;
            }
        }
        place.state = State::Open(Arc::clone(route));
        let word = call_through(number, place.generation);
        drop(places);
        drop(done);
        Some(OpenCall { passage: self, route: Arc::clone(route), word, number, sent: false, done: false })
    }

    /// Frees the places that were given up and whose answers have come. Returns what is to be dropped.
    fn reclaim(&self, places: &mut Places) -> Vec<State> {
        let mut done = Vec::new();
        for (number, place) in places.all.iter_mut().enumerate() {
            let number = number as u32;
            if let State::GivenUp(route) = &place.state
                && route.shows(call_through(number, place.generation))
            {
                done.push(mem::replace(&mut place.state, State::Free));
                places.free.push(Reverse(number));
                self.given_up.fetch_sub(1, Ordering::Relaxed);
            }
        }
        done
    }

    /// The message that carried this call will not be taken.
    pub(crate) fn end(&self, call: u64) {
        let (number, generation) = (call as u32 & !(1 << 31), (call >> 32) as u32);
        let before = {
            let mut places = self.lock();
            let Some(place) = places.all.get_mut(number as usize).filter(|p| p.generation == generation)
            else {
                return;
            };
            match &place.state {
                State::Open(_) => {
                    // SYNC: place-ended (release)
                    self.ended.fetch_add(1, Ordering::Release);
                    Some(mem::replace(&mut place.state, State::Ended(false)))
                }
                State::GivenUp(_) => {
                    let before = mem::replace(&mut place.state, State::Free);
                    self.given_up.fetch_sub(1, Ordering::Relaxed);
                    places.free.push(Reverse(number));
                    Some(before)
                }
                _ => None,
            }
        };
        drop(before);
        self.answered.notify_all();
        self.freed.notify_all();
    }

    /// A kernel is lost: nobody knows which calls it had. All that go through it end, unless their answers have come.
    pub(crate) fn lose(&self, kernel: &KernelShared) {
        let mut done = Vec::new();
        for (number, place) in self.lock().all.iter_mut().enumerate() {
            let call = call_through(number as u32, place.generation);
            let is_open = |route: &Route| route.leads_through(kernel) && !route.shows(call);
            match &place.state {
                State::Open(route) if is_open(route) => {
                    // SYNC: place-ended (release)
                    self.ended.fetch_add(1, Ordering::Release);
                    done.push(mem::replace(&mut place.state, State::Ended(true)));
                }
                State::GivenUp(route) if is_open(route) => {
                    self.given_up.fetch_sub(1, Ordering::Relaxed);
                    done.push(mem::replace(&mut place.state, State::Retired));
                }
                _ => {}
            }
        }
        drop(done);
        self.answered.notify_all();
    }
}

impl Places {
    /// The lowest free place, if it is below this one.
    fn free_below(&mut self, room: u32) -> Option<u32> {
        if let Some(&Reverse(number)) = self.free.peek() {
            return (number < room).then(|| self.free.pop()).flatten().map(|Reverse(number)| number);
        }
        let number = self.all.len() as u32;
        (number < room).then(|| {
            self.all.push(Place { generation: 0, state: State::Free });
            number
        })
    }
}

/// A call through a pipeline that has a place. Dropping it gives the call up.
pub(crate) struct OpenCall<'a> {
    passage: &'a Passage,
    route: Arc<Route>,
    /// Its address.
    word: u64,
    number: u32,
    /// Its message may be under way.
    sent: bool,
    done: bool,
}

impl OpenCall<'_> {
    /// What the message must carry, which is sent after this.
    pub(crate) fn send(&mut self) -> u64 {
        self.sent = true;
        self.route.tally.called.fetch_add(1, Ordering::Relaxed);
        self.word
    }

    /// The answer, if it has come; an output is written to `to`. Called until it returns one.
    #[inline]
    pub(crate) fn try_take(&mut self, to: &mut Bytes) -> Option<Result<(), CallError>> {
        let word = self.word;
        let last = self.route.kernels.len() - 1;
        let mut answer = None;
        for (index, through) in self.route.through().enumerate() {
            answer = through.landings.look(word, |reply| read(&reply, index == last, to));
            if answer.is_some() {
                break;
            }
        }
        // SYNC: place-ended (acquire)
        if answer.is_none() && self.passage.ended.load(Ordering::Acquire) != 0 && self.has_ended() {
            answer = Some(Err(CallError::Terminated));
        }
        let answer = answer?;
        self.route.tally.count(answer);
        self.give_back(false);
        Some(answer)
    }

    #[cold]
    fn has_ended(&self) -> bool {
        matches!(self.passage.lock().all[self.number as usize].state, State::Ended(..))
    }

    /// Gives its place back; `is_open` says whether an answer may still come.
    fn give_back(&mut self, is_open: bool) {
        self.done = true;
        let before = {
            let mut places = self.passage.lock();
            let place = &mut places.all[self.number as usize];
            let next = match &place.state {
                State::Ended(true) => State::Retired,
                State::Open(route) if is_open && !route.shows(self.word) => State::GivenUp(Arc::clone(route)),
                _ => State::Free,
            };
            if matches!(next, State::GivenUp(_)) {
                self.passage.given_up.fetch_add(1, Ordering::Relaxed);
            }
            let is_free = matches!(next, State::Free);
            let before = mem::replace(&mut place.state, next);
            if matches!(before, State::Ended(..)) {
                self.passage.ended.fetch_sub(1, Ordering::Relaxed);
            }
            if is_free {
                places.free.push(Reverse(self.number));
            }
            before
        };
        drop(before);
        self.passage.freed.notify(1);
    }
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        if self.sent {
            self.route.tally.given_up.fetch_add(1, Ordering::Relaxed);
        }
        self.give_back(self.sent);
    }
}

/// Reads an answer: an output of the last kernel, which is written to `to`, or the reason why there is none.
fn read(reply: &Reply<'_>, is_last: bool, to: &mut Bytes) -> Result<(), CallError> {
    match reply.kind {
        kind::MESSAGE if is_last => {
            // SAFETY: it is a message.
            unsafe { reply.read_bytes(to) };
            Ok(())
        }
        kind::FAILED => Err(CallError::Failed { code: reply.length as u16 }),
        kind::NO_REPLY => Err(CallError::NoReply),
        kind::ENDED => Err(CallError::Terminated),
        // Also an output of a kernel on the way: it went to the host, for the kernel was disconnected.
        _ => Err(CallError::Lost),
    }
}
