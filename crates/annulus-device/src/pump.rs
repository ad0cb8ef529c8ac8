//! The pump: one thread per backend, which looks at the words of its kernels on behalf of those who wait for
//! them.
//!
//! A device cannot wake a thread of the host's, or not without cost, so somebody must look. The pump does,
//! for the kernels of its backend: it reports progress to the runtime, renews the heartbeats, launches
//! epochs, and sees kernels off the device. It looks busily for a moment, then sleeps ([`PumpDoorbell`]): lightly
//! while somebody waits, so that devices that can ring wake it, and others are looked at often; deeply while
//! nobody does, until its next heartbeat is due, a host thread rings, or it is time to see whether devices
//! that cannot ring have dead letters. Whoever is about to wait rings (`DeviceKernel::expect`); whoever sends
//! to a kernel between epochs, too.
//!
//! # Quiescing
//!
//! Where somebody needs the device to itself ([`Residency::ask_to_leave`]), kernels that stay leave and come
//! again, by turns: *staying*; *leaving*, told by their records' `leave`, until every block has stored
//! `ended` and the run is over; *away*, with their resident slots and without a run, until nobody asks; then
//! staying, in the next epoch. A kernel that terminates while it leaves is over, and does not come again. One
//! that is told to end while it is away is launched again to see it.
//!
//! # The end
//!
//! A kernel is let go when each of its shards has said *terminated* and its last run is over: only then is
//! its memory freed, and its resident slots. If a device fails, or ends a kernel by itself, the kernel is
//! reported lost. One over which the pump panics is told to end. When the backend is dropped the pump stays
//! until its last kernel is gone, for [`FAREWELL`] at most; what a hanging device may still touch is then
//! leaked, not freed.

use std::{
    mem,
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use annulus_runtime::BackendError;
use annulus_sync::{AtomicBool, Ordering, contain::contained, doorbell::Depth, spin_loop};

use crate::{doorbell::PumpDoorbell, residency::Residency};

mod epochs;
mod watched;

use watched::RETRY;
pub(crate) use watched::Watched;

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
const DEAD_LETTERS: Duration = Duration::from_millis(1);
/// How long a backend that is dropped waits for its kernels to leave.
pub(crate) const FAREWELL: Duration = Duration::from_secs(10);

/// The handle on a pump; dropping it ends the thread.
pub(crate) struct Pump {
    shared: Arc<Shared>,
    thread: thread::ThreadId,
}

struct Shared {
    doorbell: Arc<PumpDoorbell>,
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

impl Pump {
    pub(crate) fn start(
        doorbell: Arc<PumpDoorbell>,
        rhythm: Rhythm,
        residency: &Arc<Residency>,
    ) -> Result<Self, BackendError> {
        residency.rings(&doorbell);
        let shared = Arc::new(Shared {
            residency: Arc::clone(residency),
            doorbell,
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

    pub(crate) fn doorbell(&self) -> &Arc<PumpDoorbell> {
        &self.shared.doorbell
    }

    /// Hands over a launched kernel.
    pub(crate) fn watch(&self, kernel: Watched) {
        let mut arrived = self.shared.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        arrived.push(kernel);
        // SYNC: pump-arrived (release)
        self.shared.some_arrived.store(true, Ordering::Release);
        drop(arrived);
        self.shared.doorbell.ring();
    }
}

impl Drop for Pump {
    fn drop(&mut self) {
        // SYNC: pump-stop (release)
        self.shared.stop.store(true, Ordering::Release);
        self.shared.doorbell.ring();
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
            // SYNC: pump-arrived (acquire)
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
                // What it calls is the program's code: wakers, alerts, and whatever is dropped with the last
                // handle.
                match contained(|| kernel.look(beat_is_due, &self.residency)) {
                    Some(news) => progress |= news,
                    None => kernel.abandon(),
                }
                !kernel.is_gone()
            });
            // SYNC: pump-stop (acquire)
            if self.stop.load(Ordering::Acquire) {
                let since = *stopping.get_or_insert(now);
                let late = now.duration_since(since) > FAREWELL;
                // SYNC: pump-arrived (acquire)
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
            // Who cannot ring must be looked at, even if only for dead letters and prints; and no device says
            // that it is done with a kernel.
            let limit = match self.rhythm.rings {
                _ if leaving => nap.min(LONG),
                true => beat,
                false if light => nap.min(LONG),
                false => nap.max(DEAD_LETTERS),
            };
            let holds = kernels.iter().any(|kernel| kernel.running.holds());
            let limit = if holds { limit.min(RETRY) } else { limit };
            nap = (nap * 2).min(BEAT);
            let stopping = stopping.is_some();
            let depth = if light { Depth::Light } else { Depth::Deep };
            self.doorbell.sleep(depth, limit.min(beat), || {
                let quiet = |kernel: &Watched| match light {
                    true => !kernel.has_news(),
                    // Nobody waits: what is new can be reported at the next beat.
                    false => !kernel.is_watched_closely() && !kernel.running.is_due() && !kernel.has_notes(),
                };
                let asks = |kernel: &Watched| kernel.is_to_move(self.residency.is_asked());
                kernels.iter().all(quiet)
                    && !kernels.iter().any(asks)
                    // SYNC: pump-arrived, pump-stop (acquire)
                    && !self.some_arrived.load(Ordering::Acquire)
                    && (stopping || !self.stop.load(Ordering::Acquire))
            });
        }
        *self.ended.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.ended.1.notify_all();
    }
}
