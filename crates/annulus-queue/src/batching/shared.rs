//! The part that a batcher and the timer share.
//!
//! There are two locks, so that pushes continue while a batch is delivered. **`outgoing`** has the sink, and
//! the batch that is being delivered or was refused. The thread that delivers holds it, so deliveries are in
//! order. **`filling`** has the batch that is being filled. It is held for a few instructions, never while
//! foreign code runs. It may be taken while `outgoing` is held, but not the other way round. To deliver, the
//! two vectors change places.
//!
//! The timer and `try_push` do not wait for `outgoing`: by [`CombiningLock`], the thread that holds it looks
//! for full and due batches before it leaves. The sink's own code, or the `Drop` of a message, does not wait
//! either when it calls its batcher: `deliverer` says which thread holds `outgoing`, and every call by that
//! thread acts as one that does not wait.
//!
//! At most one of a batcher's entries in the timer is valid: the one for the time in `armed`. Other entries
//! may be left from before an earlier time was needed; they do nothing when they fire.

use std::{
    mem,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, PoisonError, Weak},
    time::{Duration, Instant},
};

use super::{BatchCounters, BatchOptions, BatchSink, PushError};
use crate::monitor::{Due, MONITOR};
use annulus_sync::{
    AtomicUsize, Mutex, MutexGuard, Ordering,
    combining::CombiningLock,
    contain::{contained, this_thread},
};

pub(super) struct Shared<T, S> {
    outgoing: CombiningLock<Outgoing<T, S>>,
    /// The thread that has `outgoing`, or 0. Written by that thread.
    deliverer: AtomicUsize,
    filling: Mutex<Filling<T>>,
    options: BatchOptions,
    /// This value itself, for the timer.
    this: Weak<Self>,
}

pub(super) struct Outgoing<T, S> {
    /// `Some` until the batcher is closed or dropped.
    pub(super) sink: Option<S>,
    /// The messages that the sink has not taken yet. Empty, unless the sink is at work or has refused. It has
    /// memory for a whole batch.
    batch: Vec<T>,
    /// Why `batch` is delivered.
    cause: Cause,
    /// How many deliveries have failed in a row.
    failures: u32,
}

pub(super) struct Filling<T> {
    /// Never more than a batch. It has memory for a whole one.
    buffer: Vec<T>,
    /// When the first message of `buffer` will have waited long enough; `None` if there is no message, or if
    /// its wait never ends.
    deadline: Option<Instant>,
    /// When to offer a refused batch again. Nothing else can be delivered before it.
    retry: Option<Instant>,
    /// The time of the timer's valid entry. In the past while the timer's call runs.
    armed: Option<Instant>,
    closed: bool,
    pub(super) counters: BatchCounters,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    Count,
    /// Past the deadline, or full.
    Timer,
    Flush,
    Close,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    AsTheSinkDoes,
    No,
}

enum NotAppended<T> {
    Closed(T),
    Full(T),
}

/// The least and the greatest pause after a failure, if the delay is not longer.
const LEAST_PAUSE: Duration = Duration::from_millis(1);
const GREATEST_PAUSE: Duration = Duration::from_secs(1);

impl<T> Filling<T> {
    fn due(&self) -> Option<Instant> {
        self.retry.or(self.deadline)
    }

    /// The time for which the timer must be armed now. `None` if nothing is due, or if it is already armed
    /// for that time or an earlier one.
    #[must_use]
    fn arm(&mut self) -> Option<Instant> {
        let due = self.due()?;
        if self.armed.is_some_and(|armed| armed <= due) {
            return None;
        }
        self.armed = Some(due);
        Some(due)
    }
}

impl<T: Send + 'static, S: BatchSink<T> + 'static> Shared<T, S> {
    pub(super) fn new(options: BatchOptions, sink: S) -> Arc<Self> {
        let outgoing = Outgoing {
            sink: Some(sink),
            batch: Vec::with_capacity(options.messages),
            cause: Cause::Count,
            failures: 0,
        };
        let filling = Filling {
            buffer: Vec::with_capacity(options.messages),
            deadline: None,
            retry: None,
            armed: None,
            closed: false,
            counters: BatchCounters::default(),
        };
        Arc::new_cyclic(|this| Self {
            outgoing: CombiningLock::new(outgoing),
            deliverer: AtomicUsize::new(0),
            filling: Mutex::new(filling),
            options,
            this: Weak::clone(this),
        })
    }

    /// No foreign code runs under the lock, so nothing panics under it, and poison can be ignored.
    pub(super) fn lock(&self) -> MutexGuard<'_, Filling<T>> {
        self.filling.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, message: T) -> Result<(), PushError<T, S::Error>> {
        if self.delivers_here() {
            return self.try_push(message);
        }
        let mut message = message;
        loop {
            message = match self.append(message) {
                Ok(full) => {
                    if full {
                        // The message is accepted even if the sink refuses; a refusal is counted, and the
                        // messages are kept for later.
                        drop(self.deliver_full());
                    }
                    return Ok(());
                }
                Err(NotAppended::Closed(message)) => return Err(self.refuse(PushError::Closed(message))),
                Err(NotAppended::Full(message)) => message,
            };
            if let Err(error) = self.deliver_full() {
                // The sink may have refused only the second of the two batches: then there is space.
                return self
                    .append(message)
                    .map(|_| ())
                    .map_err(|refused| self.refuse(refused.because(Some(error))));
            }
        }
    }

    pub(super) fn try_push(&self, message: T) -> Result<(), PushError<T, S::Error>> {
        let message = match self.append(message) {
            Ok(full) => {
                if full {
                    drop(self.serve());
                }
                return Ok(());
            }
            Err(NotAppended::Closed(message)) => return Err(self.refuse(PushError::Closed(message))),
            Err(NotAppended::Full(message)) => message,
        };
        let error = self.serve().err();
        self.append(message).map(|_| ()).map_err(|refused| self.refuse(refused.because(error)))
    }

    pub(super) fn flush(&self) -> Result<(), S::Error> {
        if self.delivers_here() {
            self.deliver_afterwards();
            return Ok(());
        }
        self.deliver_as(Cause::Flush)
    }

    /// Whether this thread is delivering, and the program's code that it runs has called back here. Then it
    /// must not wait for the delivery.
    pub(super) fn delivers_here(&self) -> bool {
        // Relaxed: it is this thread's number only if this thread has stored it.
        self.deliverer.load(Ordering::Relaxed) == this_thread()
    }

    /// Called by the thread that delivers: makes it deliver the pushed messages before it leaves.
    pub(super) fn deliver_afterwards(&self) {
        let mut filling = self.lock();
        if !filling.buffer.is_empty() {
            filling.deadline = Some(Instant::now());
        }
        drop(filling);
        // This thread has the lock, so this only records that there is something to do.
        self.outgoing.run(|_| ());
    }

    /// Calls `f` with the sink, waiting for other deliveries, then delivers what has become due meanwhile.
    pub(super) fn with_outgoing<R>(&self, f: impl FnOnce(&mut Outgoing<T, S>) -> R) -> R {
        self.outgoing.with(|out| self.as_deliverer(|| f(out)), |out| self.serve_due(out))
    }

    /// The job of the thread that holds `outgoing`.
    fn serve_due(&self, out: &mut Outgoing<T, S>) {
        self.as_deliverer(|| drop(self.deliver_due(out)));
    }

    /// Calls `f`, which delivers. The caller holds `outgoing`.
    fn as_deliverer<R>(&self, f: impl FnOnce() -> R) -> R {
        struct Done<'a>(&'a AtomicUsize);
        impl Drop for Done<'_> {
            fn drop(&mut self) {
                self.0.store(0, Ordering::Relaxed);
            }
        }
        self.deliverer.store(this_thread(), Ordering::Relaxed);
        let _done = Done(&self.deliverer);
        f()
    }

    pub(super) fn stop_accepting(&self) {
        self.lock().closed = true;
    }

    pub(super) fn disarm(&self) {
        let this: Weak<dyn Due> = self.this.clone();
        MONITOR.disarm(&this);
    }

    /// Everything that is not delivered, oldest first. Nothing is due afterwards.
    pub(super) fn take_all(&self, out: &mut Outgoing<T, S>) -> Vec<T> {
        let mut all = mem::take(&mut out.batch);
        let mut filling = self.lock();
        all.append(&mut filling.buffer);
        filling.deadline = None;
        filling.retry = None;
        filling.counters.returned += all.len() as u64;
        all
    }

    fn refuse(&self, error: PushError<T, S::Error>) -> PushError<T, S::Error> {
        self.lock().counters.refused += 1;
        error
    }

    /// Whether the batch is full now.
    fn append(&self, message: T) -> Result<bool, NotAppended<T>> {
        let mut filling = self.lock();
        if filling.closed {
            return Err(NotAppended::Closed(message));
        }
        if filling.buffer.len() == self.options.messages {
            return Err(NotAppended::Full(message));
        }
        filling.buffer.push(message);
        filling.counters.pushed += 1;
        let full = filling.buffer.len() == self.options.messages;
        if filling.buffer.len() == 1 {
            filling.deadline = Instant::now().checked_add(self.options.delay);
            let arm = filling.arm();
            drop(filling);
            self.arm(arm);
        }
        Ok(full)
    }

    fn arm(&self, at: Option<Instant>) {
        if let Some(at) = at {
            MONITOR.arm(at, self.this.clone());
        }
    }

    fn deliver_full(&self) -> Result<(), S::Error> {
        self.deliver_as(Cause::Count)
    }

    fn deliver_as(&self, cause: Cause) -> Result<(), S::Error> {
        self.with_outgoing(|out| self.deliver(out, cause, Wait::AsTheSinkDoes))
    }

    /// Has full and due batches delivered without waiting; `Ok` also if the thread that is delivering will do
    /// it.
    fn serve(&self) -> Result<(), S::Error> {
        let mut result = Ok(());
        self.outgoing.run(|out| {
            let last = self.as_deliverer(|| self.deliver_due(out));
            let before = std::mem::replace(&mut result, last);
            self.as_deliverer(|| drop(before));
        });
        result
    }

    fn deliver_due(&self, out: &mut Outgoing<T, S>) -> Result<(), S::Error> {
        let due = {
            let filling = self.lock();
            filling.buffer.len() == self.options.messages
                || filling.due().is_some_and(|due| due <= Instant::now())
        };
        if due { self.deliver(out, Cause::Timer, Wait::No) } else { Ok(()) }
    }

    /// Delivers what was refused before, then the batch that is being filled, if the cause holds for it.
    pub(super) fn deliver(&self, out: &mut Outgoing<T, S>, cause: Cause, wait: Wait) -> Result<(), S::Error> {
        if !out.batch.is_empty() {
            self.hand_over(out, wait)?;
        }
        if self.change_places(out, cause) { self.hand_over(out, wait) } else { Ok(()) }
    }

    fn change_places(&self, out: &mut Outgoing<T, S>, cause: Cause) -> bool {
        let mut filling = self.lock();
        let full = filling.buffer.len() == self.options.messages;
        let late = || filling.deadline.is_some_and(|deadline| deadline <= Instant::now());
        let holds = match cause {
            Cause::Count => full,
            Cause::Timer => full || late(),
            Cause::Flush | Cause::Close => !filling.buffer.is_empty(),
        };
        if holds {
            mem::swap(&mut filling.buffer, &mut out.batch);
            filling.deadline = None;
            out.cause = if full { Cause::Count } else { cause };
        }
        holds
    }

    fn hand_over(&self, out: &mut Outgoing<T, S>, wait: Wait) -> Result<(), S::Error> {
        let Outgoing { sink: Some(sink), batch, cause, failures } = out else {
            // Closed, and nothing is left.
            return Ok(());
        };
        let offered = batch.len();
        // A panic is counted like any other failure, and then continues.
        let result = catch_unwind(AssertUnwindSafe(|| match wait {
            Wait::AsTheSinkDoes => sink.deliver(batch),
            Wait::No => sink.try_deliver(batch),
        }));
        let failed = !matches!(result, Ok(Ok(())));
        if !failed {
            batch.clear();
        }
        let left = batch.len();
        // Allocates again if the sink kept the vector. A batch that was put back whole needs nothing.
        batch.reserve_exact(self.options.messages.saturating_sub(left));
        *failures = if failed { failures.saturating_add(1) } else { 0 };

        let mut filling = self.lock();
        let counters = &mut filling.counters;
        counters.delivered += offered.saturating_sub(left) as u64;
        counters.failures += u64::from(failed);
        if left == 0 {
            *match cause {
                Cause::Count => &mut counters.by_count,
                Cause::Timer => &mut counters.by_timer,
                Cause::Flush => &mut counters.by_flush,
                Cause::Close => &mut counters.by_close,
            } += 1;
        }
        filling.retry = if left == 0 { None } else { Instant::now().checked_add(self.pause(*failures)) };
        let arm = filling.arm();
        drop(filling);
        self.arm(arm);
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// How long to wait after so many failures in a row.
    fn pause(&self, failures: u32) -> Duration {
        let least = self.options.delay.max(LEAST_PAUSE);
        let doublings = failures.saturating_sub(1).min(10);
        least.saturating_mul(1 << doublings).min(least.max(GREATEST_PAUSE))
    }
}

impl<T: Send + 'static, S: BatchSink<T> + 'static> Due for Shared<T, S> {
    fn fire(&self, at: Instant, _: Instant) -> Option<Instant> {
        if self.lock().armed != Some(at) {
            return None;
        }
        // The panic of a sink is counted already, and no caller here needs to know of it.
        contained(|| drop(self.serve()));
        let mut filling = self.lock();
        let now = Instant::now();
        // If something is still due, another thread is delivering, and will do it. In case its sink panics,
        // check again later.
        filling.armed =
            filling.due().and_then(|due| if due > now { Some(due) } else { now.checked_add(self.pause(1)) });
        filling.armed
    }
}

impl<T> NotAppended<T> {
    /// The error of a push that found no space, even after trying to make some.
    fn because<E>(self, refusal: Option<E>) -> PushError<T, E> {
        match (self, refusal) {
            (Self::Closed(message), _) => PushError::Closed(message),
            (Self::Full(message), None) => PushError::Busy(message),
            (Self::Full(message), Some(error)) => PushError::Refused(message, error),
        }
    }
}
