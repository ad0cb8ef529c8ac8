//! The places of calls through pipelines: who has one, and when it is free again.
//!
//! A call takes a place before its message is sent, and has it until it has ended. The place's number and generation are
//! the call's address. Each kernel on the way has a slot for each place ([`Landings`]), where it says how the call has
//! ended, if it is the one that ends it. So a caller has one slot in each kernel of its pipeline to look at.
//!
//! ```text
//!            open                      take
//!   free -----------> its caller's -----------------------> free
//!    ^                  |      |  drop                        ^
//!    |     end (host)   |      +-----------> given up --------+  its answer has come: found by who reports progress, who
//!    |                  v                       |                wants a place, and who changes a link
//!    +-- take, drop - ended                     |
//!    +------------------------------------------+  a kernel on the way is lost
//! ```
//!
//! Every place ends free, because every call ends: each kernel that has a call's address answers, or hands it on, or says
//! that it was lost; one that terminates says so of the messages that it has not read, and the host of those that were
//! left in the host's ring. Only of a kernel that is *lost* nobody knows what it had. It may still hand the address on, to
//! kernels that live. So the place remembers the route of such a call, and is given only to calls whose routes have no
//! kernel in common with it, until all kernels of that route have finished; and the route keeps its pins so long.
//!
//! All of this is under one lock, which is held for a few instructions; a caller that waits for its answer does not take
//! it. Callers are woken by whoever reports progress of a kernel on the way (`SYNC: event-registered`, of
//! [`Event`]): a block publishes an answer before it gives back the slot of the message, and before it tells that an
//! output was lost.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    mem,
    ops::Deref,
    sync::{Arc, PoisonError},
};

use annulus_abi::{
    error::ErrorName,
    ring::{call_through, kind},
};
use annulus_ring::ring::{Landings, Reply};
use annulus_sync::{
    AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Mutex, MutexGuard, Ordering, event::Event, fence,
};

use crate::{
    error::CallError,
    kernel::{bytes::Bytes, shared::KernelShared},
    links::asks::Asked,
    stamps::Stamps,
};

/// A kernel's part in calls through pipelines.
pub(crate) struct Through {
    /// That of the runtime.
    pub(crate) passage: Arc<Passage>,
    /// Where its blocks say how calls have ended.
    pub(crate) landings: Landings,
    /// Where an answer of its handler lies in an output, if it answers: as the last kernel of a pipeline, or by its reply.
    pub(crate) answers_at: Option<usize>,
    /// Whether it has a reply.
    pub(crate) replies: bool,
    /// The names of its handler's failures.
    pub(crate) errors: &'static [ErrorName],
    /// How many calls it has room for, and how many asks.
    pub(crate) room: u32,
    /// Where other kernels' asks end.
    pub(crate) asked: Asked,
    /// Pipelines that lead along its first outbox, or end with it, and calls that have not ended: see [`Pinned`]. Raised under the kernel's command lock.
    pub(crate) pins: AtomicU32,
    /// The kernel is lost: no call begins that would go through it. Set under the lock of the places.
    pub(crate) lost: AtomicBool,
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
    /// Of these, by a kernel before the last one. Counted behind `answered`.
    pub(crate) on_the_way: AtomicU64,
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

    /// Takes back one pin of each kernel.
    pub(crate) fn unpin(&self) {
        for through in self.through() {
            // SYNC: pins (release)
            through.pins.fetch_sub(1, Ordering::Release);
        }
    }

    /// Whether some kernel has answered this call. What comes behind this, as the next call of the place does, comes after
    /// the answer was written.
    fn shows(&self, call: u64) -> bool {
        let shows = self.through().any(|through| through.landings.shows(call));
        if shows {
            // SYNC: slot-published (acquire)
            fence(Ordering::Acquire);
        }
        shows
    }

    /// Whether a kernel of it is lost. Asked under the lock of the places.
    fn is_lost(&self) -> bool {
        // SYNC: none: the lock orders it.
        self.through().any(|through| through.lost.load(Ordering::Relaxed))
    }

    /// Whether it has no kernel in common with this one.
    fn is_apart_from(&self, other: &Self) -> bool {
        !self.kernels.iter().any(|kernel| other.leads_through(kernel))
    }

    fn has_finished(&self) -> bool {
        self.kernels.iter().all(|kernel| kernel.core().is_finished())
    }

    /// Whether calls go through this kernel.
    fn leads_through(&self, kernel: &KernelShared) -> bool {
        self.kernels.iter().any(|other| std::ptr::eq(&raw const **other, kernel))
    }
}

/// A route whose kernels are not connected anew while this is there. A pipeline has one, and each place that has not
/// seen the end of its call.
///
/// It ends under the lock of the places, where a place becomes free: who connects a kernel frees places first, and must
/// then find no pin of those that another thread has freed. The route itself goes without the lock, since it may be the
/// last of its kernels.
pub(crate) struct Pinned(Option<Arc<Route>>);

impl Pinned {
    /// Takes over one pin of each kernel of a route.
    pub(crate) fn adopt(route: Route) -> Self {
        Self(Some(Arc::new(route)))
    }

    /// Ends it. What is returned is to be dropped without the lock.
    fn unpin(mut self) -> Option<Arc<Route>> {
        self.0.take().inspect(|route| route.unpin())
    }
}

impl Clone for Pinned {
    fn clone(&self) -> Self {
        for through in self.through() {
            // SYNC: none: this one has a pin.
            through.pins.fetch_add(1, Ordering::Relaxed);
        }
        Self(self.0.clone())
    }
}

impl Deref for Pinned {
    type Target = Arc<Route>;

    fn deref(&self) -> &Arc<Route> {
        self.0.as_ref().expect("only its end takes it")
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if let Some(route) = self.0.take() {
            route.unpin();
        }
    }
}

/// The places of a runtime.
pub(crate) struct Passage {
    places: Mutex<Places>,
    /// The host's hybrid clock.
    stamps: Arc<Stamps>,
    /// How many are given up, or remember a lost kernel's call; and how many have ended without their callers knowing.
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
    /// The routes of calls of which nobody knows whether they will still be answered: a kernel on the way was lost.
    doubtful: Vec<Pinned>,
}

impl Place {
    /// Whether a call of this route may have it: nobody of the route can get an address of an earlier call.
    fn is_for(&self, route: &Route) -> bool {
        self.doubtful.iter().all(|doubtful| doubtful.is_apart_from(route))
    }
}

enum State {
    Free,
    Open(Pinned),
    GivenUp(Pinned),
    /// The host knows that no kernel will answer; or a kernel of this route is lost, and others may still answer.
    Ended(Option<Pinned>),
}

impl State {
    /// Ends its pin. What is returned is to be dropped without the lock.
    fn unpin(self) -> Option<Arc<Route>> {
        match self {
            Self::Open(route) | Self::GivenUp(route) | Self::Ended(Some(route)) => route.unpin(),
            Self::Free | Self::Ended(None) => None,
        }
    }
}

impl Passage {
    pub(crate) fn new(stamps: Arc<Stamps>) -> Self {
        Self {
            places: Mutex::default(),
            stamps,
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
        // Fences, so this or who gives a call up sees that its answer has come (SYNC: event-registered).
        self.answered.notify_all();
        self.tidy();
    }

    /// Frees the places whose answers have come though nobody waits for them.
    #[inline]
    pub(crate) fn tidy(&self) {
        // SYNC: given-up (acquire)
        if self.given_up.load(Ordering::Acquire) == 0 {
            return;
        }
        // Dropped when the lock is not held: it may be the last of its kernels.
        let done = self.reclaim(&mut self.lock());
        if !done.is_empty() {
            self.freed.notify_all();
        }
    }

    /// Whether somebody waits for progress.
    pub(crate) fn is_awaited(&self) -> bool {
        self.answered.has_waiters() || self.freed.has_waiters()
    }

    /// Takes a place for a call; `None` if all that the route has room for are taken.
    ///
    /// # Errors
    ///
    /// [`CallError::Terminated`]: a kernel on the way is lost. [`CallError::Lost`]: an earlier one was, with calls in all
    /// places, and others of the route may still get them.
    pub(crate) fn try_open(&self, route: &Pinned) -> Result<Option<OpenCall<'_>>, CallError> {
        // Dropped when the lock is not held: it may be the last of its kernels.
        let mut done = Vec::new();
        let mut places = self.lock();
        if route.is_lost() {
            return Err(CallError::Terminated);
        }
        let mut number = places.take_for(route);
        if number.is_none() && self.given_up.load(Ordering::Relaxed) != 0 {
            done = self.reclaim(&mut places);
            number = places.take_for(route);
        }
        let Some(number) = number else {
            // Otherwise somebody gives one back.
            let doubtful = places.free.iter().filter(|place| place.0 < route.room).count();
            return if doubtful as u32 >= route.room { Err(CallError::Lost) } else { Ok(None) };
        };
        let place = &mut places.all[number as usize];
        // A slot shows the call that it was last written for, which may be as old as generations are many.
        loop {
            place.generation = place.generation.wrapping_add(1).max(1);
            if !route.shows(call_through(number, place.generation)) {
                break;
            }
        }
        place.state = State::Open(route.clone());
        let word = call_through(number, place.generation);
        drop(places);
        if done.len() > 1 {
            // Others may wait for what this one has not taken.
            self.freed.notify_all();
        }
        drop(done);
        Ok(Some(OpenCall { passage: self, route: Arc::clone(route), word, number, sent: false, done: false }))
    }

    /// Frees the places that were given up and whose answers have come, and forgets lost kernels' calls that nobody can
    /// answer any more. Returns what is to be dropped.
    fn reclaim(&self, places: &mut Places) -> Vec<Arc<Route>> {
        let mut done = Vec::new();
        for (number, place) in places.all.iter_mut().enumerate() {
            let number = number as u32;
            if let State::GivenUp(route) = &place.state
                && route.shows(call_through(number, place.generation))
            {
                done.extend(mem::replace(&mut place.state, State::Free).unpin());
                places.free.push(Reverse(number));
            }
            done.extend(
                place.doubtful.extract_if(.., |route| route.has_finished()).filter_map(Pinned::unpin),
            );
        }
        // SYNC: given-up (release)
        self.given_up.fetch_sub(done.len(), Ordering::Release);
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
                    mem::replace(&mut place.state, State::Ended(None)).unpin()
                }
                State::GivenUp(_) => {
                    let before = mem::replace(&mut place.state, State::Free).unpin();
                    // SYNC: given-up (release)
                    self.given_up.fetch_sub(1, Ordering::Release);
                    places.free.push(Reverse(number));
                    before
                }
                _ => None,
            }
        };
        drop(before);
        self.answered.notify_all();
        self.freed.notify_all();
    }

    /// A kernel is lost: nobody knows which calls it had. All that go through it end, unless their answers have come, and
    /// none begins any more.
    pub(crate) fn lose(&self, kernel: &KernelShared) {
        let mut places = self.lock();
        if let Some(through) = &kernel.through {
            through.lost.store(true, Ordering::Relaxed);
        }
        let Places { all, free } = &mut *places;
        for (number, place) in all.iter_mut().enumerate() {
            let call = call_through(number as u32, place.generation);
            match &place.state {
                State::Open(route) if route.leads_through(kernel) && !route.shows(call) => {
                    // SYNC: place-ended (release)
                    self.ended.fetch_add(1, Ordering::Release);
                    place.state = State::Ended(Some(route.clone()));
                }
                // It stays counted as given up, until nobody can answer.
                State::GivenUp(route) if route.leads_through(kernel) && !route.shows(call) => {
                    place.doubtful.push(route.clone());
                    place.state = State::Free;
                    free.push(Reverse(number as u32));
                }
                _ => {}
            }
        }
        drop(places);
        self.answered.notify_all();
        self.freed.notify_all();
    }
}

impl Places {
    /// The lowest free place that a call of this route may have, if the route has room for it.
    fn take_for(&mut self, route: &Route) -> Option<u32> {
        let mut others = Vec::new();
        let found = loop {
            match self.free.peek() {
                Some(&Reverse(number)) if number < route.room => {
                    self.free.pop();
                    if self.all[number as usize].is_for(route) {
                        break Some(number);
                    }
                    others.push(Reverse(number));
                }
                _ => {
                    let number = self.all.len() as u32;
                    break (number < route.room).then(|| {
                        self.all.push(Place { generation: 0, state: State::Free, doubtful: Vec::new() });
                        number
                    });
                }
            }
        };
        self.free.extend(others);
        found
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
        let mut on_the_way = false;
        for (index, through) in self.route.through().enumerate() {
            let answers_at = through.answers_at.filter(|_| index == last || through.replies);
            let stamps = &self.passage.stamps;
            answer = through.landings.look(word, |reply| {
                stamps.received_reply(reply.stamp());
                read(&reply, answers_at, through.errors, to)
            });
            if let Some(answer) = answer {
                on_the_way = answer.is_ok() && index != last;
                break;
            }
        }
        // SYNC: place-ended (acquire)
        if answer.is_none() && self.passage.ended.load(Ordering::Acquire) != 0 && self.has_ended() {
            answer = Some(Err(CallError::Terminated));
        }
        let answer = answer?;
        self.route.tally.count(answer);
        if on_the_way {
            // Behind the count of its end, which `status` looks at later.
            // SYNC: on-the-way (release)
            self.route.tally.on_the_way.fetch_add(1, Ordering::Release);
        }
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
        let mut waits = false;
        let before = {
            let mut places = self.passage.lock();
            let Places { all, free } = &mut *places;
            let place = &mut all[self.number as usize];
            let next = match &place.state {
                State::Open(route) if is_open && !route.shows(self.word) => {
                    waits = true;
                    State::GivenUp(route.clone())
                }
                State::Ended(Some(route)) => {
                    place.doubtful.push(route.clone());
                    State::Free
                }
                _ => State::Free,
            };
            if waits || matches!(place.state, State::Ended(Some(_))) {
                self.passage.given_up.fetch_add(1, Ordering::Relaxed);
            }
            if matches!(next, State::Free) {
                free.push(Reverse(self.number));
            }
            let before = mem::replace(&mut place.state, next);
            if matches!(before, State::Ended(..)) {
                self.passage.ended.fetch_sub(1, Ordering::Relaxed);
            }
            before.unpin()
        };
        drop(before);
        // All: a place may be beyond the room of whoever has waited longest.
        self.passage.freed.notify_all();
        if waits {
            // Its answer may have come before whoever reported it knew that nobody waits. The event has fenced.
            self.passage.tidy();
        }
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

/// Reads an answer: what a kernel has answered, which is written to `to`, or the reason why there is none. `answers_at` says
/// where in an output the answer lies, if the kernel answers; `errors` are the names of its handler's failures.
fn read(
    reply: &Reply<'_>,
    answers_at: Option<usize>,
    errors: &'static [ErrorName],
    to: &mut Bytes,
) -> Result<(), CallError> {
    if let (kind::MESSAGE, Some(at)) = (reply.kind, answers_at) {
        // SAFETY: it is a message.
        unsafe { reply.read_part(at, to) };
        return Ok(());
    }
    match reply.kind {
        kind::FAILED => Err(CallError::failed(reply.length as u16, errors)),
        kind::NO_REPLY => Err(CallError::NoReply),
        kind::ENDED => Err(CallError::Terminated),
        // Also an output of a kernel on the way: it went to the host, for the kernel was disconnected.
        _ => Err(CallError::Lost),
    }
}
