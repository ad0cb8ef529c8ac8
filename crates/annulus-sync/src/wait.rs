//! How a thread waits: it spins for a moment, then sleeps.

use std::{
    future::Future,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    time::Instant,
};

pub use crate::{backoff::Backoff, wait_strategy::WaitStrategy};

use crate::{AtomicBool, Ordering, thread};

/// Runs a future on this thread, which sleeps between polls. Other threads may wake it at any time.
///
/// It drives nothing else: a future that needs a runtime's reactor or timers still needs that runtime.
///
/// ```
/// assert_eq!(annulus_sync::wait::block_on(async { 6 * 7 }), 42);
/// ```
pub fn block_on<F: Future>(future: F) -> F::Output {
    match drive(future, None) {
        Some(output) => output,
        None => unreachable!("without a deadline nothing ends the wait but the future"),
    }
}

/// Runs a future on this thread until the deadline. If the deadline passes first, drops the future and
/// returns `None`.
///
/// It is polled at least once, and a last time after the deadline, so `None` means that it was not ready
/// *then*.
///
/// ```
/// use std::{future::pending, time::Instant};
/// use annulus_sync::wait::block_on_deadline;
/// assert_eq!(block_on_deadline(async { 1 }, Instant::now()), Some(1));
/// assert_eq!(block_on_deadline(pending::<()>(), Instant::now()), None);
/// ```
pub fn block_on_deadline<F: Future>(future: F, deadline: Instant) -> Option<F::Output> {
    drive(future, Some(deadline))
}

fn drive<F: Future>(future: F, deadline: Option<Instant>) -> Option<F::Output> {
    let mut future = pin!(future);
    let parker = Parker::for_this_thread();
    let waker = Waker::from(Arc::clone(&parker));
    let mut context = Context::from_waker(&waker);
    loop {
        let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            Parker::keep(parker);
            return Some(output);
        }
        if late {
            Parker::keep(parker);
            return None;
        }
        parker.park(deadline);
    }
}

/// Puts one thread to sleep and wakes it. `woken` says whether it was woken; the thread's own park token only
/// makes it look at `woken`.
struct Parker {
    /// Set by wakers, cleared by the thread when it goes on. Stays set if the thread was not asleep, so no
    /// wake is lost. A thread that uses its parker again may therefore find an old wake, and polls once in
    /// vain.
    woken: AtomicBool,
    thread: thread::Thread,
}

impl Parker {
    fn new() -> Arc<Self> {
        Arc::new(Self { woken: AtomicBool::new(false), thread: thread::current() })
    }

    /// The parker that this thread used last, so that blocking does not allocate. A future that blocks while
    /// it is polled gets a new one, since the outer wait must keep its own wakes.
    #[cfg(not(loom))]
    fn for_this_thread() -> Arc<Self> {
        KEPT.try_with(std::cell::Cell::take).ok().flatten().unwrap_or_else(Self::new)
    }

    #[cfg(not(loom))]
    fn keep(parker: Arc<Self>) {
        // Fails while the thread's locals are being destroyed. Then the parker is not needed again.
        let _ = KEPT.try_with(|kept| kept.set(Some(parker)));
    }

    // loom runs all its threads on one thread of the system.
    #[cfg(loom)]
    fn for_this_thread() -> Arc<Self> {
        Self::new()
    }

    #[cfg(loom)]
    fn keep(_: Arc<Self>) {}

    /// Sleeps until woken or until the deadline has passed.
    fn park(&self, deadline: Option<Instant>) {
        // SYNC: woken
        while !self.woken.swap(false, Ordering::Acquire) {
            match deadline {
                None => thread::park(),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return;
                    }
                    #[cfg(not(loom))]
                    thread::park_timeout(left);
                    // loom has no time.
                    #[cfg(loom)]
                    crate::yield_now();
                }
            }
        }
    }
}

impl Wake for Parker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // SYNC: woken
        if !self.woken.swap(true, Ordering::Release) {
            self.thread.unpark();
        }
    }
}

#[cfg(not(loom))]
thread_local! {
    static KEPT: std::cell::Cell<Option<Arc<Parker>>> = const { std::cell::Cell::new(None) };
}
