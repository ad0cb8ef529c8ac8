//! The pump: one thread per backend. It polls the words of its kernels on behalf of those who wait for them.
//!
//! A device cannot wake a thread of the host, or only at a cost, so somebody must poll. The pump does it for
//! the kernels of its backend: it reports progress to the runtime, renews the heartbeats, launches epochs,
//! and handles the end of kernels. It polls busily for a moment, then sleeps ([`PumpDoorbell`]). While
//! somebody waits it sleeps lightly: devices that can ring wake it, and it polls the others often. While
//! nobody waits it sleeps deeply: until its next heartbeat is due, until a host thread rings, or until it is
//! time to check devices that cannot ring for dead letters. A thread that is about to wait rings
//! (`DeviceKernel::expect`), and so does a sender to a kernel that is between epochs.
//!
//! # Copies
//!
//! The pump copies the words of its kernels to where other processes see them ([`HostSignals::copy`](annulus_runtime::HostSignals::copy)).
//! It wakes up when kernels or their callers ring, that is, in step with what they do; a copy that was made then would always
//! show the same point of a turn. So each copy has a moment of its own, a random time after the last one, for which the pump
//! ends its sleep ([`copies`]).
//!
//! # Quiescing
//!
//! Where somebody needs the device alone ([`Residency::ask_to_leave`]), kernels that stay leave and come
//! back. Their states are: *staying*; *leaving*, told by their records' `leave`, until every block has stored
//! `ended` and the run is over; *away*, with their resident slots and without a run, until nobody asks; then
//! staying again, in the next epoch. A kernel that terminates while it leaves is over, and does not come
//! back. A kernel that is told to end while it is away is launched again, so that it sees this.
//!
//! A kernel in epochs ends the epoch that is in flight, and begins none until nobody asks. Otherwise epochs
//! that follow one another without a gap, as they do under load, would keep the asker waiting.
//!
//! # The end
//!
//! The pump releases a kernel when each of its shards has reported *terminated* and its last run is over.
//! Only then are its memory and its resident slots freed. If a device fails, or ends a kernel by itself, the
//! kernel is reported lost. A kernel over which the pump panics is told to end. When the backend is dropped
//! the pump runs on until its last kernel is gone, for [`FAREWELL`] at most. Memory that a hanging device may
//! still touch is then leaked, not freed.

use std::{
    mem,
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use annulus_runtime::BackendError;
use annulus_sync::{AtomicBool, AtomicU64, Ordering, contain::contained, doorbell::Depth, spin_loop};

use crate::{doorbell::PumpDoorbell, numa::Place, residency::Residency};

mod copies;
mod epochs;
mod watched;

use copies::Copies;
use watched::RETRY;
pub(crate) use watched::Watched;

/// How often heartbeats are renewed, and the longest sleep.
const BEAT: Duration = Duration::from_millis(50);
/// The same where the heartbeat is the kernel's only clock.
const FINE_BEAT: Duration = Duration::from_millis(1);
/// How long the pump polls busily while somebody waits.
const BUSY: Duration = Duration::from_micros(20);
/// The first and the longest sleep while the pump waits for a device that cannot ring.
const SHORT: Duration = Duration::from_micros(50);
const LONG: Duration = Duration::from_micros(500);
/// The first sleep while nobody waits, but a device that cannot ring may produce dead letters or prints.
const DEAD_LETTERS: Duration = Duration::from_millis(1);
/// How long the drop of a backend waits for its kernels to leave.
pub(crate) const FAREWELL: Duration = Duration::from_secs(10);

/// The handle on a pump; dropping it ends the thread.
pub(crate) struct Pump {
    shared: Arc<Shared>,
    thread: thread::ThreadId,
}

struct Shared {
    doorbell: Arc<PumpDoorbell>,
    /// Launched kernels that the pump has not seen yet.
    arrived: Mutex<Vec<Watched>>,
    some_arrived: AtomicBool,
    stop: AtomicBool,
    rhythm: Rhythm,
    residency: Arc<Residency>,
    /// Where the thread ran at its last beat: a [`Place`]'s word, or 0.
    place: AtomicU64,
    ended: (Mutex<bool>, Condvar),
}

/// What decides how often the pump polls.
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
            place: AtomicU64::new(0),
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

    /// Where its thread ran at its last beat, if the system says.
    pub(crate) fn place(&self) -> Option<Place> {
        // Nothing is ordered by it: it is for people.
        Place::of_word(self.shared.place.load(Ordering::Relaxed))
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
        // A waker that the pump calls may drop the backend: the pump's thread cannot wait for itself.
        if thread::current().id() == self.thread {
            return;
        }
        let ended = self.shared.ended.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The thread has ended or the time is up: either way there is nothing more to do here.
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
        let mut copies = Copies::new(Instant::now());
        let mut stopping: Option<Instant> = None;
        let beat = if self.rhythm.clock { BEAT } else { FINE_BEAT };
        loop {
            // SYNC: pump-arrived (acquire)
            if self.some_arrived.swap(false, Ordering::AcqRel) {
                kernels.append(&mut self.arrived.lock().unwrap_or_else(PoisonError::into_inner));
                last_beat = None;
            }
            let now = Instant::now();
            if copies.is_due(now) {
                kernels.iter().for_each(Watched::copy);
            }
            let beat_is_due = last_beat.is_none_or(|last| now.duration_since(last) >= beat);
            if beat_is_due {
                last_beat = Some(now);
                self.place.store(Place::here().map_or(0, Place::word), Ordering::Relaxed);
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
                // This calls the program's code: wakers, alerts, and the destructors of what the last handle
                // holds.
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
                    // The remaining kernels hang on their device, which may still touch their memory.
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
            // Devices that cannot ring must be polled, even if only for dead letters and prints. And no
            // device reports that it is done with a kernel.
            let limit = match self.rhythm.rings {
                _ if leaving => nap.min(LONG),
                true => beat,
                false if light => nap.min(LONG),
                false => nap.max(DEAD_LETTERS),
            };
            let holds = kernels.iter().any(|kernel| kernel.running.holds());
            let limit = if holds { limit.min(RETRY) } else { limit };
            // A timer of a kernel in epochs ends the sleep.
            let until = |kernel: &Watched| kernel.until_timer().map(|until| until.max(SHORT));
            let limit = kernels.iter().filter_map(until).fold(limit, Duration::min);
            let limit = if kernels.is_empty() { limit } else { limit.min(copies.until(Instant::now())) };
            nap = (nap * 2).min(BEAT);
            let stopping = stopping.is_some();
            let depth = if light { Depth::Light } else { Depth::Deep };
            self.doorbell.sleep(depth, limit.min(beat), || {
                let quiet = |kernel: &Watched| match light {
                    true => !kernel.has_news(),
                    // Nobody waits: news can be reported at the next beat.
                    false => !kernel.is_watched_closely() && !kernel.running.is_due() && !kernel.has_notes(),
                };
                let asked = self.residency.is_asked();
                let asks = |kernel: &Watched| kernel.is_to_move(asked) || kernel.is_to_go_on(asked);
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
