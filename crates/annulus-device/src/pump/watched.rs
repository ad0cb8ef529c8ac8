//! A kernel that the pump watches: changes are seen, and reported.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use annulus_abi::control::{Timers, command, state};
use annulus_ring::ring::Ring;
use annulus_runtime::{HostSignals, Progress, RuntimeClock};
use annulus_sync::{AtomicU64, Ordering, contain::contained, spin_loop};

use crate::{
    clock_sync::{ClockSync, Moment},
    driver::Run,
    kernel::{Bounds, Running},
    pace::Pace,
    residency::Residency,
    shard::DeviceShard,
};

/// How long the pump waits for the time on a device's clock: a block checks for questions every few
/// microseconds. A later answer is used when it is seen, but is worth less.
const ANSWER: Duration = Duration::from_micros(60);
/// The longest time that an epoch should take: one that finds nothing, and one that handles messages.
const IDLE_EPOCH: Duration = Duration::from_millis(4);
const BUSY_EPOCH: Duration = Duration::from_millis(16);
/// How often a kernel in epochs tries again to send to another kernel that had no room.
pub(super) const RETRY: Duration = Duration::from_millis(1);

/// A kernel that the pump watches.
pub(crate) struct Watched {
    pub(super) running: Arc<Running>,
    pub(super) clock: RuntimeClock,
    /// `None` when every shard has terminated.
    pub(super) signals: Option<Arc<dyn HostSignals>>,
    pub(super) seen: Vec<Seen>,
    pub(super) epoch: u32,
    /// The run that may be in flight: the resident kernel's, or the last epoch's.
    pub(super) run: Option<Box<dyn Run>>,
    /// Whether a block may be running.
    pub(super) in_flight: bool,
    /// A kernel that stays was asked to leave its epoch.
    pub(super) asked: bool,
    /// Its next epoch waits until nobody needs the device alone.
    pub(super) postponed: bool,
    /// It will go on in epochs when it has left.
    pub(super) moves: bool,
    /// Every block of the current start has begun.
    pub(super) gathered: bool,
    /// When the reason was last sought why no block of this epoch has begun.
    pub(super) sought_why: Option<Instant>,
    /// Whether a note tells that none has begun.
    pub(super) told_late: bool,
    /// When the first block was seen to have begun.
    pub(super) first: Option<Instant>,
    /// How the device's clock relates to the host's, if it drifts.
    pub(super) clock_sync: Option<Arc<ClockSync>>,
    /// The last question for the time, and when it was asked (`None` once it is answered).
    pub(super) question: u32,
    pub(super) questioned: Option<Instant>,
    /// When the last epoch began, how many messages had been taken by then, and its bounds.
    pub(super) begun: Instant,
    pub(super) consumed: u64,
    pub(super) bounds: Bounds,
    /// What the bounds should be: messages of an epoch, and polls of one that finds nothing.
    pub(super) messages: Pace,
    pub(super) looks: Pace,
    /// The shortest epoch so far: what a launch itself costs, which no bound reduces.
    pub(super) shortest: Duration,
}

/// What was reported about a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) state: u32,
    /// Commands obeyed so far.
    pub(super) obeyed: u32,
    /// A body has ended the kernel.
    pub(super) leaving: bool,
    pub(super) consumed: u64,
    pub(super) produced: u64,
    pub(super) dead_letters: u64,
    pub(super) prints_lost: u64,
    /// Messages to itself that were taken, of a connectable kernel, and how many places its asks use. One may have waited for room, for a time that began and ended
    /// between two looks; it was counted after that, and gives back no slot.
    pub(super) timed: (u64, u32),
    pub(super) traffic: Traffic,
}

/// What a shard of a connectable kernel has exchanged with other kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Traffic {
    pub(super) forwarded: u64,
    /// The counts of several outboxes, by which their targets know what they are to take. A block of several threads stores the sum
    /// before its messages, and these behind them: a target that was woken for the sum may have looked too early.
    pub(super) ported: u64,
    pub(super) taken: u64,
    pub(super) rested: u64,
    pub(super) unforwarded: u64,
    /// Included because the end of a wait for room may be the only change.
    pub(super) stalled: u32,
}

impl Watched {
    /// A kernel that was launched, with its run if it stays.
    pub(crate) fn new(
        running: Arc<Running>,
        clock: RuntimeClock,
        clock_sync: Option<Arc<ClockSync>>,
        signals: Arc<dyn HostSignals>,
        run: Option<Box<dyn Run>>,
    ) -> Self {
        let nothing = Seen {
            state: state::LAUNCHED,
            obeyed: 0,
            leaving: false,
            consumed: 0,
            produced: 0,
            dead_letters: 0,
            prints_lost: 0,
            timed: (0, 0),
            traffic: Traffic::default(),
        };
        Self {
            seen: vec![nothing; running.shards.len()],
            clock,
            signals: Some(signals),
            epoch: u32::from(run.is_some()),
            in_flight: run.is_some(),
            asked: false,
            postponed: false,
            moves: false,
            gathered: false,
            sought_why: None,
            told_late: false,
            first: None,
            clock_sync,
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

    /// Renews the heartbeats.
    pub(super) fn tell_time(&self) {
        for shard in &self.running.shards {
            shard.memory.host_heartbeat().store(self.clock.now(), Ordering::Relaxed);
        }
    }

    pub(super) fn beat(&self) {
        self.tell_time();
        if let Some(signals) = &self.signals {
            signals.beat();
        }
    }

    /// Shows other processes what the shards' words say.
    pub(super) fn copy(&self) {
        if let Some(signals) = &self.signals {
            signals.copy();
        }
    }

    /// Tells the blocks how the device's clock relates to the host's.
    pub(super) fn set_clock(&self) {
        let Some(clock_sync) = &self.clock_sync else { return };
        let before = Instant::now();
        let now = self.clock.now();
        let between = before + before.elapsed() / 2;
        self.running.set_clock(clock_sync.origin(between, now));
    }

    /// Whether a block is there to tell the time, and no question is open.
    pub(super) fn can_tell_time(&self) -> bool {
        self.clock_sync.is_some() && self.questioned.is_none() && self.in_flight && self.running.stays()
    }

    /// Asks for the time on the device's clock.
    pub(super) fn ask_time(&mut self) {
        if self.clock_sync.is_some() && self.questioned.is_none() {
            self.questioned = Some(Instant::now());
            self.question = self.running.ask_time();
        }
    }

    /// Asks, and waits a short time for the answer.
    pub(super) fn wait_for_time(&mut self) {
        self.ask_time();
        while self.questioned.is_some_and(|asked| asked.elapsed() < ANSWER) {
            self.hear_time();
            spin_loop();
        }
    }

    /// Uses an answer that has come.
    pub(super) fn hear_time(&mut self) {
        let (Some(clock_sync), Some(asked)) = (&self.clock_sync, self.questioned) else { return };
        if let Some(device) = self.running.told_time(self.question) {
            clock_sync.learn(Moment::between(asked, Instant::now(), device));
            self.questioned = None;
        }
    }

    /// Whether changes of the kernel must be seen soon: somebody waits for it, or it, or an epoch of it, is
    /// about to end.
    pub(super) fn is_watched_closely(&self) -> bool {
        let Some(signals) = &self.signals else { return false };
        self.in_flight_epoch() || self.running.is_ending() || signals.is_awaited()
    }

    pub(super) fn in_flight_epoch(&self) -> bool {
        self.in_flight && !self.running.stays()
    }

    /// Whether the kernel is to leave the device and has not left yet: nobody receives its reports any more,
    /// or it was asked to leave.
    pub(super) fn is_leaving(&self) -> bool {
        (self.signals.is_none() || self.asked) && self.run.is_some()
    }

    /// Whether the next epoch has waited for others, and may begin.
    pub(super) fn is_to_go_on(&self, asked: bool) -> bool {
        self.postponed && !asked && self.signals.is_some()
    }

    /// Whether a kernel that stays has to be asked to leave, or to be launched again.
    pub(super) fn is_to_move(&self, asked: bool) -> bool {
        let stays = self.running.stays() && self.signals.is_some();
        stays && if asked { self.in_flight && !self.asked } else { !self.in_flight }
    }

    pub(super) fn is_gone(&self) -> bool {
        self.signals.is_none() && self.run.is_none()
    }

    /// The current words of a shard.
    pub(super) fn words(&self, index: usize) -> Seen {
        let shard = &self.running.shards[index];
        // The acknowledgements first, then the state: a reader that sees *terminated* then sees all that came
        // before it. And what was consumed before what was produced: the outputs of a message are then seen
        // together with the message.
        let obeyed = shard.obeyed();
        // SYNC: state (acquire)
        let state = shard.memory.state().load(Ordering::Acquire);
        let consumed = shard.inbound.consumed();
        // SYNC: leaving (acquire)
        let leaving = shard.memory.leaving().load(Ordering::Acquire) != 0;
        let produced = shard.outbound.reserved();
        let dead_letters = shard.dead_letters.as_ref().map_or(0, Ring::reserved);
        // SYNC: prints-lost (acquire)
        let prints_lost = shard.memory.prints_lost().load(Ordering::Acquire);
        let (mut traffic, mut timed) = (Traffic::default(), (0, 0));
        if self.running.is_connectable() {
            // SYNC: rested, unrested, stalled-after-taken, unforwarded (acquire)
            let word = |word: &AtomicU64| word.load(Ordering::Acquire);
            let timers = Timers::of_word(word(shard.memory.timers()));
            timed = (timers.taken, timers.asks);
            traffic.stalled = shard.memory.stalled().load(Ordering::Acquire);
            // `rested` first: everything before it is then seen.
            traffic.rested = word(shard.memory.rested());
            traffic.taken = word(shard.memory.taken());
            traffic.forwarded = word(shard.memory.forwarded());
            traffic.ported = shard.memory.forwarded_by_ports();
            traffic.unforwarded = word(shard.memory.unforwarded());
        }
        Seen { state, obeyed, leaving, consumed, produced, dead_letters, prints_lost, timed, traffic }
    }

    /// Whether a poll would find something new.
    pub(super) fn has_news(&self) -> bool {
        let shards = 0..self.seen.len();
        self.running.is_due()
            || (self.signals.is_some()
                && shards.into_iter().any(|index| {
                    self.words(index) != self.seen[index] || self.running.shards[index].has_prints()
                }))
            || (self.in_flight_epoch() && self.running.has_ended(self.epoch))
    }

    /// Whether dead letters or prints wait; their rings are small.
    pub(super) fn has_notes(&self) -> bool {
        let unseen = |(shard, seen): (&DeviceShard, &Seen)| {
            shard
                .dead_letters
                .as_ref()
                .is_some_and(|dead_letters| dead_letters.reserved() != seen.dead_letters)
                || shard.has_prints()
        };
        self.signals.is_some() && self.running.shards.iter().zip(&self.seen).any(unseen)
    }

    /// Checks every shard and reports news; returns whether there was any.
    pub(super) fn look(&mut self, closely: bool, residency: &Arc<Residency>) -> bool {
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
            self.see_who_has_begun(residency);
        }
        if !self.running.stays() {
            progress |= self.drive_epochs(asked);
        } else if closely
            && self.in_flight
            && !self.asked
            && self.running.can_leave()
            && self.running.must_yield()
        {
            self.leave_for_good("kernels in epochs need the place on the device that it had");
        }
        progress
    }

    pub(super) fn report(&mut self) -> bool {
        let Some(signals) = self.signals.clone() else { return false };
        let mut progress = false;
        for index in 0..self.seen.len() {
            let before = self.seen[index];
            let now = self.words(index);
            // First the words that tell how far the block is, then its prints: everything that it printed up
            // to then is shown with them.
            let prints = self.running.shards[index].has_prints() || now.prints_lost != before.prints_lost;
            if now == before && !prints {
                continue;
            }
            self.seen[index] = now;
            progress = true;
            let ended = now.state == state::TERMINATED && before.state != state::TERMINATED;
            // SYNC: command (acquire)
            let wanted = self.running.shards[index].memory.command().load(Ordering::Acquire);
            if ended && wanted & command::TERMINATE == 0 {
                // The kernel has given up by itself.
                signals.lost("a block has ended, and nobody had asked for it");
            }
            signals.progressed(
                index as u32,
                Progress {
                    consumed: now.consumed.wrapping_sub(before.consumed) as u32,
                    produced: now.produced.wrapping_sub(before.produced) as u32,
                    dead_letters: now.dead_letters.wrapping_sub(before.dead_letters) as u32,
                    prints,
                    state_changed: (now.state, now.obeyed) != (before.state, before.obeyed),
                    traffic: now.traffic != before.traffic,
                    goes_on: now.timed != before.timed,
                    leaving: now.leaving && !before.leaving,
                    ..Progress::default()
                },
            );
        }
        if self.seen.iter().all(|seen| seen.state == state::TERMINATED) {
            self.signals = None;
        }
        progress
    }

    pub(super) fn note(&self, note: String) {
        if let Some(signals) = &self.signals {
            signals.noted(note);
        }
    }

    /// Handles a failure of the device: nothing of the kernel runs any more.
    pub(super) fn lose(&mut self, why: &str) {
        let Some(signals) = self.signals.take() else { return };
        for shard in &self.running.shards {
            // SYNC: state (release)
            shard.memory.state().store(state::TERMINATED, Ordering::Release);
        }
        signals.lost(why);
    }

    /// Code that this kernel's report called has panicked (wakers are caught where they are called; this is
    /// something else). Others that were to be told may wait for ever. So the kernel is told to end, and the
    /// pump watches it until it has ended, like any other kernel: its blocks may be running.
    pub(super) fn abandon(&mut self) {
        if let Some(signals) = self.signals.clone() {
            // If this panics too, the kernel has been told by then.
            contained(|| signals.lost("whoever was told of its progress has panicked"));
        }
        // Between two epochs the poll may have ended before it saw whether another epoch is needed.
        self.running.make_due();
    }
}
