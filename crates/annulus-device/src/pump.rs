//! The pump: one thread per backend, which looks at the words of its kernels on behalf of those who wait for them.
//!
//! A device cannot wake a thread of the host's, or not without cost, so somebody must look. The pump does, for the kernels of its
//! backend: it reports progress to the runtime, renews the heartbeats, launches epochs, and sees kernels off the device. It looks
//! busily for a moment, then sleeps ([`Bell`]): lightly while somebody waits, so that devices that can ring wake it, and others are
//! looked at often; deeply while nobody does, until its next heartbeat is due, a host thread rings, or it is time to see whether devices
//! that cannot ring have dead letters. Whoever is about to wait rings (`DeviceKernel::expect`); whoever sends to a kernel between epochs,
//! too.
//!
//! # Making way
//!
//! Where somebody needs the device to itself ([`Residency::ask_to_leave`]), kernels that stay leave and come again, by turns: *staying*;
//! *leaving*, told by their records' `leave`, until every block has stored `ended` and the run is over; *away*, with their places and
//! without a run, until nobody asks; then staying, in the next epoch. A kernel that terminates while it leaves is over, and does not
//! come again. One that is told to end while it is away is launched again to see it.
//!
//! # The end
//!
//! A kernel is let go when each of its shards has said *terminated* and its last run is over: only then is its memory freed, and
//! its places. If a device fails, or ends a kernel by itself, the kernel is reported lost. One over which the pump panics is told to end. When the backend is dropped the pump stays
//! until its last kernel is gone, for [`FAREWELL`] at most; what a hanging device may still touch is then leaked, not freed.

use std::{
    mem,
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use annulus_abi::control::{command, state};
use annulus_ring::ring::Ring;
use annulus_runtime::{BackendError, Clock, HostSignals, Progress};
use annulus_sync::{AtomicBool, AtomicU64, Ordering, contain::contained, spin_loop};

use crate::{
    bell::Bell,
    driver::Run,
    kernel::{Bounds, Running, Shard},
    pace::Pace,
    relation::{Moment, Relation},
    residency::Residency,
};

/// How often heartbeats are renewed, and the longest sleep.
const BEAT: Duration = Duration::from_millis(50);
/// The same where the heartbeat is the kernel's only clock.
const FINE_BEAT: Duration = Duration::from_millis(1);
/// How long the pump looks busily while somebody waits.
const BUSY: Duration = Duration::from_micros(20);
/// The first and the longest sleep while what is waited for cannot ring.
const SHORT: Duration = Duration::from_micros(50);
const LONG: Duration = Duration::from_micros(500);
/// The first sleep while nobody waits, but dead letters or prints may come of what cannot ring.
const LETTERS: Duration = Duration::from_millis(1);
/// How long the pump waits for the time on a device's clock: a block looks for questions every few microseconds. What is answered
/// later is learned later, and worth less.
const ANSWER: Duration = Duration::from_micros(60);
/// How often a kernel in epochs tries again to send to another kernel that had no room.
const RETRY: Duration = Duration::from_millis(1);
/// How long an epoch should take at most: one that finds nothing, and one that handles messages.
const IDLE_EPOCH: Duration = Duration::from_millis(4);
const BUSY_EPOCH: Duration = Duration::from_millis(16);
/// How long a block may take to begin after another one of its kernel has.
const GATHERING: Duration = Duration::from_secs(3);
/// After how long it is told that no block of a kernel has begun.
const TURN_TO_BEGIN: Duration = Duration::from_secs(10);
/// How long a backend that is dropped waits for its kernels to leave.
pub(crate) const FAREWELL: Duration = Duration::from_secs(10);

/// The handle on a pump; dropping it ends the thread.
pub(crate) struct Pump {
    shared: Arc<Shared>,
    thread: thread::ThreadId,
}

struct Shared {
    bell: Arc<Bell>,
    /// Launched, and not yet seen by the pump.
    arrived: Mutex<Vec<Watched>>,
    some_arrived: AtomicBool,
    stop: AtomicBool,
    rhythm: Rhythm,
    residency: Arc<Residency>,
    ended: (Mutex<bool>, Condvar),
}

/// What decides how often the pump looks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rhythm {
    /// Blocks can ring.
    pub(crate) rings: bool,
    /// Blocks have a clock.
    pub(crate) clock: bool,
    /// For tests: heartbeats are not renewed.
    pub(crate) no_heartbeat: bool,
}

/// A kernel under the pump's eyes.
pub(crate) struct Watched {
    running: Arc<Running>,
    clock: Clock,
    /// Until every shard has terminated.
    signals: Option<Arc<dyn HostSignals>>,
    seen: Vec<Seen>,
    epoch: u32,
    /// The run that may be in flight: the resident kernel's, or the last epoch's.
    run: Option<Box<dyn Run>>,
    /// Whether a block may be running.
    in_flight: bool,
    /// A kernel that stays was asked to leave its epoch.
    asked: bool,
    /// It is to go on in epochs when it has left.
    moves: bool,
    /// Every block of the start in flight has begun.
    gathered: bool,
    /// When the first of them was seen to have.
    first: Option<Instant>,
    /// How the device's clock relates to the host's, where it drifts.
    relation: Option<Arc<Relation>>,
    /// The last question for the time, and when it was asked, until it is answered.
    question: u32,
    questioned: Option<Instant>,
    /// When the last epoch began, what had been taken by then, and how it ends.
    begun: Instant,
    consumed: u64,
    bounds: Bounds,
    /// What those should be: messages of an epoch, and polls of one that finds nothing.
    messages: Pace,
    looks: Pace,
    /// The shortest epoch so far. What a launch takes by itself, no bound makes less.
    shortest: Duration,
}

/// What was reported of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    state: u32,
    /// Commands obeyed so far.
    obeyed: u32,
    consumed: u64,
    produced: u64,
    letters: u64,
    prints_lost: u64,
    traffic: Traffic,
}

/// What a shard of a kernel that may be connected has had to do with other kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Traffic {
    forwarded: u64,
    taken: u64,
    rested: u64,
    unforwarded: u64,
    /// That a shard waits for no room any more may be all that changes.
    stalled: u32,
}

impl Pump {
    pub(crate) fn start(
        bell: Arc<Bell>,
        rhythm: Rhythm,
        residency: &Arc<Residency>,
    ) -> Result<Self, BackendError> {
        residency.rings(&bell);
        let shared = Arc::new(Shared {
            residency: Arc::clone(residency),
            bell,
            arrived: Mutex::default(),
            some_arrived: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            rhythm,
            ended: Default::default(),
        });
        let its = Arc::clone(&shared);
        let thread =
            thread::Builder::new().name("annulus-pump".into()).spawn(move || its.run()).map_err(|error| {
                BackendError::new(format!(
                    "the pump's thread cannot be started: {error}; end other threads first"
                ))
            })?;
        Ok(Self { shared, thread: thread.thread().id() })
    }

    pub(crate) fn bell(&self) -> &Arc<Bell> {
        &self.shared.bell
    }

    /// Hands over a launched kernel.
    pub(crate) fn watch(&self, kernel: Watched) {
        let mut arrived = self.shared.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        arrived.push(kernel);
        self.shared.some_arrived.store(true, Ordering::Release);
        drop(arrived);
        self.shared.bell.ring();
    }
}

impl Drop for Pump {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        self.shared.bell.ring();
        // A waker that the pump called may be what drops the backend: it cannot wait for itself.
        if thread::current().id() == self.thread {
            return;
        }
        let ended = self.shared.ended.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Whether it has ended or the time is up: there is no more to do here.
        let _ = self.shared.ended.1.wait_timeout_while(ended, FAREWELL + BEAT, |ended| !*ended);
    }
}

impl Shared {
    fn run(&self) {
        let mut kernels: Vec<Watched> = Vec::new();
        let mut idle_since = Instant::now();
        let mut nap = SHORT;
        let mut was_light = false;
        let mut last_beat: Option<Instant> = None;
        let mut stopping: Option<Instant> = None;
        let beat = if self.rhythm.clock { BEAT } else { FINE_BEAT };
        loop {
            if self.some_arrived.swap(false, Ordering::AcqRel) {
                kernels.append(&mut self.arrived.lock().unwrap_or_else(PoisonError::into_inner));
                last_beat = None;
            }
            let now = Instant::now();
            let beat_is_due = last_beat.is_none_or(|last| now.duration_since(last) >= beat);
            if beat_is_due {
                last_beat = Some(now);
                if !self.rhythm.no_heartbeat {
                    kernels.iter().for_each(Watched::beat);
                }
                kernels.iter().for_each(Watched::set_clock);
                // One block tells the time of the device for all.
                if let Some(kernel) = kernels.iter_mut().find(|kernel| kernel.can_tell_time()) {
                    kernel.wait_for_time();
                }
            }
            let mut progress = false;
            kernels.retain_mut(|kernel| {
                // What it calls is the program's code: wakers, alerts, and whatever is dropped with the last handle.
                match contained(|| kernel.look(beat_is_due, &self.residency)) {
                    Some(news) => progress |= news,
                    None => kernel.abandon(),
                }
                !kernel.is_gone()
            });
            if self.stop.load(Ordering::Acquire) {
                let since = *stopping.get_or_insert(now);
                let late = now.duration_since(since) > FAREWELL;
                if (kernels.is_empty() && !self.some_arrived.load(Ordering::Acquire)) || late {
                    // What is left hangs on its device, which may still touch its memory.
                    mem::forget(kernels);
                    break;
                }
            }
            if progress {
                idle_since = now;
                nap = SHORT;
            }
            let leaving = kernels.iter().any(Watched::is_leaving);
            let light = leaving || kernels.iter().any(Watched::is_watched_closely);
            if light && !was_light {
                // Somebody has begun to wait.
                idle_since = now;
                nap = SHORT;
            }
            was_light = light;
            if light && now.duration_since(idle_since) < BUSY {
                if progress {
                    thread::yield_now()
                } else {
                    spin_loop()
                }
                continue;
            }
            // Who cannot ring must be looked at, even if only for letters and prints; and no device says that it is done with a kernel.
            let limit = match self.rhythm.rings {
                _ if leaving => nap.min(LONG),
                true => beat,
                false if light => nap.min(LONG),
                false => nap.max(LETTERS),
            };
            let holds = kernels.iter().any(|kernel| kernel.running.holds());
            let limit = if holds { limit.min(RETRY) } else { limit };
            nap = (nap * 2).min(BEAT);
            let stopping = stopping.is_some();
            self.bell.sleep(!light, limit.min(beat), || {
                let quiet = |kernel: &Watched| match light {
                    true => !kernel.has_news(),
                    // Nobody waits: what is new can be reported at the next beat.
                    false => !kernel.is_watched_closely() && !kernel.running.is_due() && !kernel.has_notes(),
                };
                let asks = |kernel: &Watched| kernel.is_to_move(self.residency.is_asked());
                kernels.iter().all(quiet)
                    && !kernels.iter().any(asks)
                    && !self.some_arrived.load(Ordering::Acquire)
                    && (stopping || !self.stop.load(Ordering::Acquire))
            });
        }
        *self.ended.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.ended.1.notify_all();
    }
}

impl Watched {
    /// A kernel that was launched, with its run if it stays.
    pub(crate) fn new(
        running: Arc<Running>,
        clock: Clock,
        relation: Option<Arc<Relation>>,
        signals: Arc<dyn HostSignals>,
        run: Option<Box<dyn Run>>,
    ) -> Self {
        let nothing = Seen {
            state: state::LAUNCHED,
            obeyed: 0,
            consumed: 0,
            produced: 0,
            letters: 0,
            prints_lost: 0,
            traffic: Traffic::default(),
        };
        Self {
            seen: vec![nothing; running.shards.len()],
            clock,
            signals: Some(signals),
            epoch: u32::from(run.is_some()),
            in_flight: run.is_some(),
            asked: false,
            moves: false,
            gathered: false,
            first: None,
            relation,
            question: 0,
            questioned: None,
            begun: Instant::now(),
            consumed: 0,
            shortest: Duration::MAX,
            bounds: running.bounds,
            messages: Pace::new(running.bounds.messages, BUSY_EPOCH),
            looks: Pace::new(running.bounds.looks, IDLE_EPOCH),
            run,
            running,
        }
    }

    fn beat(&self) {
        for shard in &self.running.shards {
            shard.memory.host_heartbeat().store(self.clock.now(), Ordering::Relaxed);
        }
    }

    /// Tells the blocks what is known of the device's clock.
    fn set_clock(&self) {
        let Some(relation) = &self.relation else { return };
        let before = Instant::now();
        let now = self.clock.now();
        let between = before + before.elapsed() / 2;
        self.running.set_clock(relation.origin(between, now));
    }

    /// Whether a block is there to tell the time, and was not asked yet.
    fn can_tell_time(&self) -> bool {
        self.relation.is_some() && self.questioned.is_none() && self.in_flight && self.running.stays()
    }

    /// Asks for the time on the device's clock.
    fn ask_time(&mut self) {
        if self.relation.is_some() && self.questioned.is_none() {
            self.questioned = Some(Instant::now());
            self.question = self.running.ask_time();
        }
    }

    /// Asks, and waits for the answer, but not for long.
    fn wait_for_time(&mut self) {
        self.ask_time();
        while self.questioned.is_some_and(|asked| asked.elapsed() < ANSWER) {
            self.hear_time();
            spin_loop();
        }
    }

    /// Learns from an answer that has come.
    fn hear_time(&mut self) {
        let (Some(relation), Some(asked)) = (&self.relation, self.questioned) else { return };
        if let Some(device) = self.running.told_time(self.question) {
            relation.learn(Moment::between(asked, Instant::now(), device));
            self.questioned = None;
        }
    }

    /// Whether what the kernel does must be seen soon: somebody waits for it, it is about to end, or an epoch is.
    fn is_watched_closely(&self) -> bool {
        let Some(signals) = &self.signals else { return false };
        self.in_flight_epoch() || self.running.is_ending() || signals.is_awaited()
    }

    fn in_flight_epoch(&self) -> bool {
        self.in_flight && !self.running.stays()
    }

    /// The kernel is to leave the device, and has not yet: nobody is reported to any more, or it was asked to.
    fn is_leaving(&self) -> bool {
        (self.signals.is_none() || self.asked) && self.run.is_some()
    }

    /// Whether a kernel that stays has to be asked to leave, or to be launched again.
    fn is_to_move(&self, asked: bool) -> bool {
        let stays = self.running.stays() && self.signals.is_some();
        stays && if asked { self.in_flight && !self.asked } else { !self.in_flight }
    }

    fn is_gone(&self) -> bool {
        self.signals.is_none() && self.run.is_none()
    }

    /// What a shard's words say now.
    fn words(&self, index: usize) -> Seen {
        let shard = &self.running.shards[index];
        // The acknowledgements first, then the state: whoever sees *terminated* then sees all that came before it. And what was consumed before what was
        // produced: its outputs are then seen with a message.
        let obeyed = shard.obeyed();
        let state = shard.memory.state().load(Ordering::Acquire);
        let consumed = shard.inbound.consumed();
        let produced = shard.outbound.reserved();
        let letters = shard.letters.as_ref().map_or(0, Ring::reserved);
        let prints_lost = shard.memory.prints_lost().load(Ordering::Acquire);
        let mut traffic = Traffic::default();
        if self.running.is_linked() {
            let word = |word: &AtomicU64| word.load(Ordering::Acquire);
            traffic.stalled = shard.memory.stalled().load(Ordering::Acquire);
            // At rest first: what came before is then seen.
            traffic.rested = word(shard.memory.rested());
            traffic.taken = word(shard.memory.taken());
            traffic.forwarded = word(shard.memory.forwarded());
            traffic.unforwarded = word(shard.memory.unforwarded());
        }
        Seen { state, obeyed, consumed, produced, letters, prints_lost, traffic }
    }

    /// Whether a look would find something new.
    fn has_news(&self) -> bool {
        let shards = 0..self.seen.len();
        self.running.is_due()
            || (self.signals.is_some()
                && shards.into_iter().any(|index| {
                    self.words(index) != self.seen[index] || self.running.shards[index].has_prints()
                }))
            || (self.in_flight_epoch() && self.running.has_ended(self.epoch))
    }

    /// Whether dead letters or prints wait, whose rings are small.
    fn has_notes(&self) -> bool {
        let unseen = |(shard, seen): (&Shard, &Seen)| {
            shard.letters.as_ref().is_some_and(|letters| letters.reserved() != seen.letters)
                || shard.has_prints()
        };
        self.signals.is_some() && self.running.shards.iter().zip(&self.seen).any(unseen)
    }

    /// Looks at every shard and reports what is new; says whether anything was.
    fn look(&mut self, closely: bool, residency: &Arc<Residency>) -> bool {
        let asked = residency.is_asked();
        self.hear_time();
        let mut progress = self.report();
        if self.signals.is_none() || self.asked || closely {
            self.look_after_run(residency);
        }
        if self.is_to_move(asked) {
            self.make_way(asked);
            progress = true;
        }
        if self.in_flight && !self.gathered {
            self.see_who_has_begun();
        }
        if !self.running.stays() {
            progress |= self.drive_epochs();
        } else if closely
            && self.in_flight
            && !self.asked
            && self.running.can_leave()
            && self.running.is_in_the_way()
        {
            self.leave_for_good("kernels in epochs need the place on the device that it had");
        }
        progress
    }

    fn report(&mut self) -> bool {
        let Some(signals) = self.signals.clone() else { return false };
        let mut progress = false;
        for index in 0..self.seen.len() {
            let before = self.seen[index];
            let now = self.words(index);
            // By the words that tell how far the block is, then by its prints: what it printed before is then shown with them.
            let prints = self.running.shards[index].has_prints() || now.prints_lost != before.prints_lost;
            if now == before && !prints {
                continue;
            }
            self.seen[index] = now;
            progress = true;
            let ended = now.state == state::TERMINATED && before.state != state::TERMINATED;
            let wanted = self.running.shards[index].memory.command().load(Ordering::Acquire);
            if ended && wanted & command::TERMINATE == 0 {
                // It has given up by itself.
                signals.lost();
            }
            signals.progressed(
                index as u32,
                Progress {
                    consumed: now.consumed.wrapping_sub(before.consumed) as u32,
                    produced: now.produced.wrapping_sub(before.produced) as u32,
                    letters: now.letters.wrapping_sub(before.letters) as u32,
                    prints,
                    state_changed: (now.state, now.obeyed) != (before.state, before.obeyed),
                    traffic: now.traffic != before.traffic,
                    ..Progress::default()
                },
            );
        }
        if self.seen.iter().all(|seen| seen.state == state::TERMINATED) {
            self.signals = None;
        }
        progress
    }

    /// Whether the run in flight is over, and how it ended.
    fn look_after_run(&mut self, residency: &Arc<Residency>) {
        let Some(run) = &self.run else { return };
        match run.is_over() {
            Ok(false) => return,
            Ok(true) if self.signals.is_none() => {}
            // Between epochs; a resident kernel that is over while its shards do not say so has failed.
            Ok(true) if !self.running.stays() => {
                if !self.in_flight || self.running.has_ended(self.epoch) {
                    return;
                }
                // The run is over, and some block has not said so.
                self.lose();
            }
            Ok(true) if self.report() && self.signals.is_none() => {}
            // What was asked of it. It keeps its places.
            Ok(true) if self.asked && self.running.has_ended(self.epoch) => {
                self.run = None;
                self.in_flight = false;
                self.asked = false;
                if self.moves && self.running.go_into_epochs(residency).is_err() {
                    self.lose();
                    self.running.leave();
                }
                return;
            }
            Ok(true) | Err(_) => self.lose(),
        }
        self.run = None;
        self.running.leave();
        self.in_flight = false;
    }

    /// Asks a kernel that stays to leave, or launches it again.
    fn make_way(&mut self, asked: bool) {
        if asked {
            self.asked = true;
            self.running.ask_to_leave(self.epoch);
            return;
        }
        self.start();
    }

    /// Starts the next epoch.
    fn start(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
        self.begun = Instant::now();
        self.consumed = self.consumed();
        self.gathered = false;
        self.first = None;
        // SAFETY: the run before is over, or has ended but for returning; `self` holds the kernel until this one is over, or for ever.
        match unsafe { self.running.start(self.epoch) } {
            Ok(run) => {
                self.run = Some(run);
                self.in_flight = true;
                // A block answers as it begins.
                self.question = self.running.question();
                self.questioned = self.relation.is_some().then_some(self.begun);
            }
            Err(_) => {
                self.lose();
                self.running.leave();
            }
        }
    }

    /// Sees which blocks have begun. Where some run and others do not get their turn, nobody else would see to it.
    fn see_who_has_begun(&mut self) {
        let (begun, blocks) = (self.running.begun(), self.seen.len());
        if begun == blocks || self.running.has_ended(self.epoch) {
            self.gathered = true;
            return;
        }
        let now = Instant::now();
        if begun == 0 {
            if now.duration_since(self.begun) > TURN_TO_BEGIN {
                self.note(format!(
                    "none of its {blocks} blocks has begun within {TURN_TO_BEGIN:?} of its start: the device is busy with something else; end that, or \
                     choose another device"
                ));
            }
            return;
        }
        if now.duration_since(*self.first.get_or_insert(now)) < GATHERING {
            return;
        }
        if self.running.supersteps {
            self.gathered = true;
            self.note(format!(
                "has given up: its blocks take their turns in step, and of {blocks} only {begun} have begun within {GATHERING:?}; launch with a grid of \
                 {begun}, or without supersteps"
            ));
            self.running.abandon_steps(self.epoch);
        } else if self.running.stays() && !self.asked {
            self.leave_for_good(&format!(
                "of {blocks} blocks only {begun} have begun within {GATHERING:?}, and the others wait for these to end"
            ));
        }
    }

    /// Lets a kernel that stays leave the device, to go on in epochs.
    fn leave_for_good(&mut self, why: &str) {
        self.note(format!("has gone into epochs: {why}"));
        self.moves = true;
        self.asked = true;
        self.running.ask_to_leave(self.epoch);
    }

    fn note(&self, note: String) {
        if let Some(signals) = &self.signals {
            signals.noted(note);
        }
    }

    /// The device has failed: nothing of the kernel runs any more.
    fn lose(&mut self) {
        let Some(signals) = self.signals.take() else { return };
        for shard in &self.running.shards {
            shard.memory.state().store(state::TERMINATED, Ordering::Release);
        }
        signals.lost();
    }

    /// What was told of this kernel panicked (wakers are caught where they are called; this is something else): whoever else was to be told may wait
    /// for ever. So it is told to end, and looked after until it has, as any other: its blocks may be running.
    fn abandon(&mut self) {
        if let Some(signals) = self.signals.clone() {
            // If this panics too, the kernel has been told by then.
            contained(|| signals.lost());
        }
        // Between two epochs the look may have ended before it saw whether there is to be another.
        self.running.make_due();
    }

    /// Whether an epoch would find something to do. What other kernels have sent lies where only the device sees it.
    fn has_work(&self) -> bool {
        let fed = || self.signals.as_ref().is_some_and(|signals| signals.is_fed());
        self.running.has_work() || (self.running.is_linked() && self.running.takes() && fed())
    }

    /// Whether every block says that it has terminated, told or not.
    fn has_terminated(&self) -> bool {
        let state = |shard: &Shard| shard.memory.state().load(Ordering::Acquire);
        self.running.shards.iter().all(|shard| state(shard) == state::TERMINATED)
    }

    /// Messages that the blocks have taken from the host, wrapping.
    fn consumed(&self) -> u64 {
        self.running.shards.iter().map(|shard| shard.inbound.consumed()).fold(0, u64::wrapping_add)
    }

    /// Makes the next epochs shorter or longer, by how long the last ones took.
    fn adapt_bounds(&mut self) {
        let took = self.begun.elapsed();
        let taken = self.consumed().wrapping_sub(self.consumed);
        self.shortest = self.shortest.min(took);
        if taken == 0 {
            self.looks.ended(took, true, self.shortest);
        } else {
            self.messages.ended(took, taken >= u64::from(self.messages.bound()), self.shortest);
        }
        let bounds = Bounds { messages: self.messages.bound(), looks: self.looks.bound() };
        // SAFETY: the epoch has ended, and the next one has not begun.
        if bounds != self.bounds && unsafe { self.running.set_bounds(bounds) }.is_ok() {
            self.bounds = bounds;
        }
    }

    /// Launches the next epoch if there is something to do, else lies down.
    fn drive_epochs(&mut self) -> bool {
        let running = Arc::clone(&self.running);
        let doze = running.doze();
        let was_in_flight = self.in_flight;
        // Roused: even a block that can take nothing has something to see, if only how long its queue has become.
        let mut due = false;
        if self.in_flight {
            if !running.has_ended(self.epoch) {
                return false;
            }
            self.in_flight = false;
            self.adapt_bounds();
            // The next epoch is on its way before what this one did last is told and read.
            if !self.has_terminated() && self.signals.is_some() && self.has_work() {
                self.start();
                self.report();
                return true;
            }
            self.report();
        } else {
            // Whoever makes room for what a block holds back says so, but may come too early.
            if running.holds() && self.begun.elapsed() >= RETRY && doze.rouse() {
                due = true;
            }
            due |= running.take_due();
            if !due {
                return false;
            }
        }
        if self.signals.is_none() {
            return was_in_flight;
        }
        if !due && !self.has_work() {
            doze.lie_down();
            if !self.has_work() || !doze.claim() {
                return was_in_flight;
            }
        }
        self.start();
        true
    }
}
