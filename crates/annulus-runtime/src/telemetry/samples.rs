//! Telemetry at regular times: as an iterator, and as a stream.
//!
//! The iterator sleeps. A future has no clock, so a stream has a thread that sleeps for it, from the first
//! time that it waits until it is dropped. They agree under one lock: the stream leaves a time and its waker,
//! the thread takes both when the time has come, and wakes after it has released the lock.
//!
//! Neither waits for the kernel's end, since waiting makes a device's pump work: the end is seen at the next
//! regular time.

use std::{
    fmt,
    pin::Pin,
    sync::{Arc, Condvar, Mutex, PoisonError},
    task::{Context, Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use futures_core::Stream;

use super::{Interval, Telemetry, TelemetrySample};

impl Telemetry {
    /// [`poll`](Self::poll), with the time and the capacity, so that two samples give rates. It reads a clock
    /// as well.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// let telemetry = kernel.enable_telemetry()?;
    /// let sample = telemetry.sample();
    /// assert!(sample.at <= telemetry.now() && sample.capacity == 4096);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sample(&self) -> TelemetrySample {
        let core = self.kernel.core();
        let capacity = u64::from(core.options.inbound.capacity) * core.shards.len() as u64;
        let snapshot = self.poll();
        TelemetrySample { at: self.now(), snapshot, capacity }
    }

    /// Samples at regular times, the first one at once. The last one is that of the kernel's end; then it
    /// returns `None`. It keeps no kernel alive.
    ///
    /// A reader that is late gets one sample, not all that it has missed, and then the next at its regular
    /// time. [`into_stream`](Samples::into_stream) makes it a stream.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus_runtime::Interval;
    /// let kernel = launched();
    /// let mut samples = kernel.enable_telemetry()?.poll_every(Interval::DEBUGGING);
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// let mut before = samples.next().expect("the kernel runs");
    /// # let ends = std::thread::spawn(move || { kernel.drained_blocking(); kernel.terminate_blocking() });
    /// for sample in samples {
    ///     if let Some(rates) = sample.since(&before) {
    ///         println!("{rates}");
    ///     }
    ///     before = sample;
    /// }
    /// assert_eq!(before.snapshot.messages_processed, 10); // and the kernel has ended
    /// # ends.join().unwrap();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn poll_every(&self, interval: Interval) -> Samples {
        let telemetry = Self { kernel: Arc::clone(&self.kernel) };
        Samples { telemetry, interval: interval.time(), next: Instant::now(), has_ended: false }
    }
}

/// A kernel's telemetry at regular times: an iterator that blocks. See [`Telemetry::poll_every`].
pub struct Samples {
    telemetry: Telemetry,
    interval: Duration,
    /// When the next one is due.
    next: Instant,
    has_ended: bool,
}

impl Samples {
    /// As a stream, for futures. A thread keeps its time, from when it first waits until it is dropped. A
    /// stream that is [forgotten](crate#what-it-does-not-do) leaves its thread asleep.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus_runtime::Interval;
    /// # use std::{future::poll_fn, pin::pin};
    /// # use futures_core::Stream;
    /// # annulus::block_on(async {
    /// let kernel = launched();
    /// let stream = kernel.enable_telemetry()?.poll_every(Interval::DEBUGGING).into_stream();
    /// let mut stream = pin!(stream);
    /// for _ in 0..3 {
    ///     // As `stream.next().await` of `futures::StreamExt` does.
    ///     let sample = poll_fn(|context| stream.as_mut().poll_next(context)).await;
    ///     println!("{}", sample.expect("the kernel runs"));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_stream(self) -> SampleStream {
        SampleStream { samples: self, timer: None }
    }

    /// When the next sample is due; `None` if it is due now.
    fn due(&self) -> Option<Instant> {
        let is_early =
            !self.has_ended && Instant::now() < self.next && !self.telemetry.kernel.core().is_finished();
        is_early.then_some(self.next)
    }

    /// The sample that is due.
    fn sample_due(&mut self) -> Option<TelemetrySample> {
        if self.has_ended {
            return None;
        }
        // Asked first: after the end nothing changes.
        self.has_ended = self.telemetry.kernel.core().is_finished();
        self.next = after(self.next, self.interval, Instant::now());
        Some(self.telemetry.sample())
    }
}

/// The first regular time after now.
fn after(last: Instant, interval: Duration, now: Instant) -> Instant {
    let late = now.saturating_duration_since(last);
    let missed = late.as_nanos() / interval.as_nanos().max(1);
    let steps = u32::try_from(missed + 1).unwrap_or(u32::MAX);
    // A time that no clock can hold never comes.
    interval
        .checked_mul(steps)
        .and_then(|time| last.checked_add(time))
        .unwrap_or_else(|| crate::time::deadline(Duration::MAX))
}

impl Iterator for Samples {
    type Item = TelemetrySample;

    fn next(&mut self) -> Option<TelemetrySample> {
        while let Some(due) = self.due() {
            thread::sleep(due.saturating_duration_since(Instant::now()));
        }
        self.sample_due()
    }
}

impl fmt::Debug for Samples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Samples")
            .field("telemetry", &self.telemetry)
            .field("interval", &self.interval)
            .field("has_ended", &self.has_ended)
            .finish_non_exhaustive()
    }
}

/// A kernel's telemetry at regular times: a stream. See [`Samples::into_stream`].
#[must_use = "a stream does nothing unless it is polled"]
pub struct SampleStream {
    samples: Samples,
    timer: Option<Timer>,
}

impl Stream for SampleStream {
    type Item = TelemetrySample;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<TelemetrySample>> {
        while let Some(due) = self.samples.due() {
            if self.timer.is_none() {
                self.timer = Timer::start();
            }
            match &self.timer {
                Some(timer) => {
                    timer.wake_at(due, context.waker());
                    return Poll::Pending;
                }
                // No thread can be started: late is better than never.
                None => thread::sleep(due.saturating_duration_since(Instant::now())),
            }
        }
        Poll::Ready(self.samples.sample_due())
    }
}

impl fmt::Debug for SampleStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SampleStream").field("samples", &self.samples).finish_non_exhaustive()
    }
}

/// A thread that wakes one task at one time. It ends when this is dropped.
struct Timer(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

enum State {
    Idle,
    Due(Instant, Waker),
    Gone,
}

impl Timer {
    fn start() -> Option<Self> {
        let shared = Arc::new(Shared { state: Mutex::new(State::Idle), changed: Condvar::new() });
        let its = Arc::clone(&shared);
        thread::Builder::new().name("annulus-samples".into()).spawn(move || its.run()).ok()?;
        Some(Self(shared))
    }

    fn wake_at(&self, due: Instant, waker: &Waker) {
        self.set(State::Due(due, waker.clone()));
    }

    fn set(&self, state: State) {
        let before =
            std::mem::replace(&mut *self.0.state.lock().unwrap_or_else(PoisonError::into_inner), state);
        self.0.changed.notify_one();
        // Dropping a waker may run the program's code: not under the lock.
        drop(before);
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.set(State::Gone);
    }
}

impl Shared {
    fn run(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let now = Instant::now();
            state = match &*state {
                State::Gone => return,
                State::Idle => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                State::Due(due, _) if now < *due => {
                    let time = *due - now;
                    self.changed.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0
                }
                State::Due(..) => {
                    let due = std::mem::replace(&mut *state, State::Idle);
                    drop(state);
                    if let State::Due(_, waker) = due {
                        // A waker is the program's code: if it panics, later ones are woken all the same.
                        annulus_sync::event::wake(waker);
                    }
                    self.state.lock().unwrap_or_else(PoisonError::into_inner)
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regular times stay regular, whoever is late.
    #[test]
    fn a_late_reader_misses_times_and_keeps_the_rest() {
        let (begin, step) = (Instant::now(), Duration::from_millis(10));
        let at = |millis: u64| begin + Duration::from_millis(millis);
        for (now, next) in [(0, 10), (9, 10), (10, 20), (19, 20), (35, 40), (1000, 1010)] {
            assert_eq!(after(begin, step, at(now)), at(next), "{now} ms");
        }
        assert_eq!(after(at(50), step, at(30)), at(60), "a clock that was behind");
        assert!(after(begin, Duration::MAX, begin) > at(1_000_000));
    }

    /// The thread ends with the timer, also while it sleeps.
    #[test]
    fn a_timer_ends_with_its_stream() {
        let timer = Timer::start().unwrap();
        let shared = Arc::clone(&timer.0);
        timer.wake_at(Instant::now() + Duration::from_secs(3600), Waker::noop());
        drop(timer);
        while Arc::strong_count(&shared) > 1 {
            thread::yield_now();
        }
    }
}
