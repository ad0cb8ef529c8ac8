//! The runs of a kernel that the pump watches: staying, quiescing, and epochs.

use std::{
    mem,
    sync::Arc,
    time::{Duration, Instant},
};

use annulus_abi::control::state;
use annulus_runtime::HostSignals;
use annulus_sync::Ordering;

use super::watched::{RETRY, Watched};
use crate::{kernel::Bounds, residency::Residency, shard::DeviceShard};

/// How long the other blocks of a kernel may take to begin after the first one has begun.
const GATHERING: Duration = Duration::from_secs(3);
/// After this long without a block that has begun, a note reports it.
const TURN_TO_BEGIN: Duration = Duration::from_secs(10);
/// The same where more kernels stay than the driver has queues, so that the reason is known.
const TURN_AMONG_MANY: Duration = Duration::from_secs(3);
/// Between two looks for the reason why none has begun: they take a lock, and the pump comes by all the time.
const BETWEEN_REASONS: Duration = Duration::from_millis(500);

/// Why a kernel is lost whose blocks were ended by something else than their commands.
const HAS_NOT_SAID_SO: &str = "its run on the device is over, and its blocks have not said that they ended";

impl Watched {
    /// Starts the next epoch.
    pub(super) fn start(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
        self.begun = Instant::now();
        self.sought_why = None;
        self.consumed = self.consumed();
        self.gathered = false;
        self.first = None;
        if self.running.next_due().is_some() {
            // Where it is the blocks' only clock, they see what is due.
            self.tell_time();
        }
        // SAFETY: the run before is over, or all its blocks have ended and it only has to return. `self`
        // holds the kernel until this one is over, or for ever.
        match unsafe { self.running.start(self.epoch) } {
            Ok(run) => {
                self.run = Some(run);
                self.in_flight = true;
                // A block answers as it begins.
                self.question = self.running.question();
                self.questioned = self.clock_sync.is_some().then_some(self.begun);
            }
            Err(error) => {
                self.lose(&format!("the device has not started its run: {error}"));
                self.running.leave();
            }
        }
    }

    /// Checks which blocks have begun. If some run and others do not get their turn, nothing else would
    /// notice it.
    pub(super) fn see_who_has_begun(&mut self, residency: &Residency) {
        let (begun, blocks) = (self.running.begun(), self.seen.len());
        if begun == blocks || self.running.has_ended(self.epoch) {
            self.gathered = true;
            if begun == blocks && std::mem::take(&mut self.told_late) {
                // Otherwise the note before would stand there for ever.
                let waited = self.begun.elapsed();
                self.note(format!("all of its {blocks} blocks have begun, {waited:.0?} after its start"));
            }
            return;
        }
        let now = Instant::now();
        if begun == 0 {
            let waited = now.duration_since(self.begun);
            let was_just_sought = self.sought_why.is_some_and(|at| now.duration_since(at) < BETWEEN_REASONS);
            if waited <= TURN_AMONG_MANY || was_just_sought {
                return;
            }
            self.sought_why = Some(now);
            self.told_late |= waited > TURN_TO_BEGIN;
            if let Some(why) = residency.why_late() {
                self.told_late = true;
                self.note(format!(
                    "none of its {blocks} blocks has begun within {TURN_AMONG_MANY:?} of its start: {why}"
                ));
            } else if waited > TURN_TO_BEGIN {
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

    /// Makes a kernel that stays leave the device, to go on in epochs.
    pub(super) fn leave_for_good(&mut self, why: &str) {
        self.note(format!("has gone into epochs: {why}"));
        self.moves = true;
        self.asked = true;
        self.running.ask_to_leave(self.epoch);
    }

    /// Asks a kernel that stays to leave; or launches it again, if nobody asks any more.
    pub(super) fn make_way(&mut self, asked: bool) {
        if asked {
            self.asked = true;
            self.running.ask_to_leave(self.epoch);
            return;
        }
        self.start();
    }

    /// Checks whether the run in flight is over, and handles how it ended.
    pub(super) fn look_after_run(&mut self, residency: &Arc<Residency>) {
        let Some(run) = &self.run else { return };
        match run.is_over() {
            Ok(false) => return,
            Ok(true) if self.signals.is_none() => {}
            // Normal between epochs. A resident kernel that is over without its shards saying so has failed.
            Ok(true) if !self.running.stays() => {
                if !self.in_flight || self.running.has_ended(self.epoch) {
                    return;
                }
                self.lose(HAS_NOT_SAID_SO);
            }
            Ok(true) if self.report() && self.signals.is_none() => {}
            // It left because it was asked to. It keeps its resident slots.
            Ok(true) if self.asked && self.running.has_ended(self.epoch) => {
                self.run = None;
                self.in_flight = false;
                self.asked = false;
                if self.moves
                    && let Err(error) = self.running.go_into_epochs(residency)
                {
                    self.lose(&format!("it could not go into epochs: {error}"));
                    self.running.leave();
                }
                return;
            }
            Ok(true) => self.lose(HAS_NOT_SAID_SO),
            Err(error) => self.lose(&format!("its device failed: {error}")),
        }
        self.run = None;
        self.running.leave();
        self.in_flight = false;
    }

    /// Whether an epoch would find something to do. Only the device sees what other kernels have sent.
    pub(super) fn has_work(&self) -> bool {
        let of_others = |signals: &Arc<dyn HostSignals>| match self.running.takes() {
            true => signals.is_fed(),
            false => self.running.shows_too_few(signals.unread()),
        };
        self.running.has_work(self.clock.now())
            || (self.running.is_connectable() && self.signals.as_ref().is_some_and(of_others))
    }

    /// Whether every block has reported that it has terminated, whether or not the kernel was told to.
    pub(super) fn has_terminated(&self) -> bool {
        // SYNC: state (acquire)
        let state = |shard: &DeviceShard| shard.memory.state().load(Ordering::Acquire);
        self.running.shards.iter().all(|shard| state(shard) == state::TERMINATED)
    }

    /// Messages that the blocks have taken from the host, wrapping.
    pub(super) fn consumed(&self) -> u64 {
        self.running.shards.iter().map(|shard| shard.inbound.consumed()).fold(0, u64::wrapping_add)
    }

    /// Makes the next epochs shorter or longer, depending on how long the last ones took.
    pub(super) fn adapt_bounds(&mut self) {
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

    /// How long it is until a timer is due, if the kernel is between epochs: then nobody else wakes it.
    pub(super) fn until_timer(&self) -> Option<Duration> {
        if self.in_flight || self.postponed || self.running.stays() || self.signals.is_none() {
            return None;
        }
        let due = self.running.next_due()?;
        Some(Duration::from_nanos(due.saturating_sub(self.clock.now())))
    }

    /// Launches the next epoch if there is something to do, else parks. While somebody needs the device alone
    /// (`asked`), no epoch begins.
    pub(super) fn drive_epochs(&mut self, asked: bool) -> bool {
        let running = Arc::clone(&self.running);
        let flag = running.wake_flag();
        let was_in_flight = self.in_flight;
        // The kernel was woken. Even a block that can take nothing has something to do: at least to show its
        // queue's new depth.
        let mut due = !asked && mem::take(&mut self.postponed);
        if self.in_flight {
            if !running.has_ended(self.epoch) {
                return false;
            }
            self.in_flight = false;
            self.adapt_bounds();
            // The next epoch starts before the results of the last one are reported and read.
            if !asked && !self.has_terminated() && self.signals.is_some() && self.has_work() {
                self.start();
                self.report();
                return true;
            }
            self.report();
        } else if !due {
            // A kernel that makes room for pending output says so, but may say it too early.
            if running.holds() && self.begun.elapsed() >= RETRY && flag.wake() {
                due = true;
            }
            if self.until_timer().is_some_and(|until| until.is_zero()) && flag.wake() {
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
        if asked {
            // It is not parked, so nobody would wake it: it goes on when nobody asks any more.
            self.postponed = true;
            return was_in_flight;
        }
        if !due && !self.has_work() {
            flag.park();
            if !self.has_work() || !flag.claim() {
                return was_in_flight;
            }
        }
        self.start();
        true
    }
}
