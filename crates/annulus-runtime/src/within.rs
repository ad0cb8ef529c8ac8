//! Time limits for futures, and pauses.
//!
//! A future has no clock. The process' [monitor](annulus_queue::monitor) wakes those that wait for a time; it sleeps
//! until the next of these times, and for ever if there is none. It is started by the first future that has to wait.
//! A clock that is moved by hand has a monitor of its own; whoever moves it wakes those whose time has come.

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use annulus_block::RuntimeClock;
use annulus_queue::{Clock, monitor::Alarm};

use crate::time::deadline_by;

/// Waits until a time; not at all if the system starts no thread that could wake it.
#[derive(Debug)]
pub(crate) struct Until {
    at: Instant,
    clock: Clock,
    alarm: Option<Alarm>,
}

impl Until {
    /// Until a time of the machine's clock.
    pub(crate) fn at(at: Instant) -> Self {
        Self { at, clock: Clock::machine(), alarm: None }
    }

    /// For so long by a runtime's clock.
    fn after_by(clock: &RuntimeClock, limit: Duration) -> Self {
        Self { at: deadline_by(clock, limit), clock: clock.source().clone(), alarm: None }
    }

    /// For so long; at most a day.
    pub(crate) fn after(delay: Duration) -> Self {
        // A time that the clock cannot express never comes; a day is as long.
        Self::at(Instant::now() + delay.min(Duration::from_secs(86_400)))
    }

    /// Whether the time has come; if not, the task is woken then. `None` if the system starts no thread that could
    /// wake it.
    pub(crate) fn poll_time(&mut self, context: &mut Context<'_>) -> Option<Poll<()>> {
        if self.clock.instant() >= self.at {
            return Some(Poll::Ready(()));
        }
        match &self.alarm {
            Some(alarm) => alarm.renew(context.waker()),
            None => {
                let alarm = Alarm::new(&self.clock).ok()?;
                alarm.set(self.at, context.waker().clone());
                self.alarm = Some(alarm);
            }
        }
        // The alarm may have gone off for an earlier waker meanwhile; then the time has come.
        Some(if self.clock.instant() >= self.at { Poll::Ready(()) } else { Poll::Pending })
    }
}

impl Future for Until {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.poll_time(context).unwrap_or(Poll::Ready(()))
    }
}

/// Waits for a while. See [`Runtime::sleep`](crate::Runtime::sleep).
#[derive(Debug)]
#[must_use = "a future does nothing unless it is awaited"]
pub struct Sleep(Until);

impl Sleep {
    pub(crate) fn new(clock: &RuntimeClock, time: Duration) -> Self {
        Self(Until::after_by(clock, time))
    }

    /// By the machine's clock.
    pub(crate) fn after(time: Duration) -> Self {
        Self(Until::after(time))
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.0.poll_time(context).unwrap_or_else(|| {
            // No thread can be started: the task asks again and again, since early would be wrong.
            context.waker().wake_by_ref();
            Poll::Pending
        })
    }
}

/// What a future gives, unless it takes longer than `limit`, by this clock. The future is polled at least once. Without a thread that
/// could wake it, a future that has to wait is given up at once.
pub(crate) async fn within<F: Future>(clock: &RuntimeClock, limit: Duration, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut late = pin!(Until::after_by(clock, limit));
    poll_fn(|context| {
        if let Poll::Ready(output) = future.as_mut().poll(context) {
            return Poll::Ready(Some(output));
        }
        late.as_mut().poll(context).map(|()| None)
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::{
        future::pending,
        sync::{Arc, Condvar, Mutex},
        task::Wake,
    };

    use annulus_sync::wait::block_on;

    use super::*;

    /// Counts how often it was woken.
    #[derive(Default)]
    struct Woken(Mutex<u32>, Condvar);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            *self.0.lock().unwrap() += 1;
            self.1.notify_all();
        }
    }

    #[test]
    fn a_limit_ends_what_does_not_end() {
        let clock = &RuntimeClock::start();
        assert_eq!(block_on(within(clock, Duration::from_millis(5), pending::<()>())), None);
        assert_eq!(block_on(within(clock, Duration::from_secs(3600), async { 7 })), Some(7));
        assert_eq!(block_on(within(clock, Duration::ZERO, async { 7 })), Some(7), "it is polled once");
        assert_eq!(block_on(within(clock, Duration::ZERO, pending::<()>())), None);
    }

    /// By a clock that is moved by hand a limit passes when it is moved, and not before.
    #[test]
    fn a_limit_follows_a_clock_that_is_moved_by_hand() {
        let hand = Clock::manual();
        let clock = RuntimeClock::start_by(hand.clone());
        let woken = Arc::new(Woken::default());
        let waker = Arc::clone(&woken).into();
        let context = &mut Context::from_waker(&waker);
        let mut limited = pin!(within(&clock, Duration::from_secs(3600), pending::<()>()));
        assert!(limited.as_mut().poll(context).is_pending());
        hand.advance(Duration::from_secs(3599));
        assert_eq!(*woken.0.lock().unwrap(), 0);
        assert!(limited.as_mut().poll(context).is_pending());
        hand.advance(Duration::from_secs(1));
        assert_eq!(*woken.0.lock().unwrap(), 1, "whoever moves the clock wakes it");
        assert_eq!(limited.as_mut().poll(context), Poll::Ready(None));
    }

    /// It takes at least its time, also if it is polled for other reasons; and no time at all if it has none.
    #[test]
    fn a_pause_lasts() {
        let start = Instant::now();
        let time = Duration::from_millis(5);
        let clock = &RuntimeClock::start();
        let mut sleep = Sleep::new(clock, time);
        let mut polls = 0;
        block_on(poll_fn(|context| {
            polls += 1;
            // Woken at once, again and again.
            if polls < 100 {
                context.waker().wake_by_ref();
            }
            Pin::new(&mut sleep).poll(context)
        }));
        assert!(start.elapsed() >= time);
        block_on(Sleep::new(clock, Duration::ZERO));
        let mut forever = Sleep::new(clock, Duration::MAX);
        assert!(Pin::new(&mut forever).poll(&mut Context::from_waker(std::task::Waker::noop())).is_pending());
    }

    /// A future may be polled by one task and then by another: the last one is woken.
    #[test]
    fn the_task_of_the_last_poll_is_woken() {
        let (first, last) = (Arc::new(Woken::default()), Arc::new(Woken::default()));
        let at = Instant::now() + Duration::from_millis(200);
        let mut until = pin!(Until::at(at));
        let mut poll =
            |woken: &Arc<Woken>| until.as_mut().poll(&mut Context::from_waker(&Arc::clone(woken).into()));
        let early = [poll(&first), poll(&first), poll(&last)];
        if early.iter().all(Poll::is_pending) {
            let woken = last.0.lock().unwrap();
            let limit = Duration::from_secs(60);
            let (woken, _) = last.1.wait_timeout_while(woken, limit, |woken| *woken == 0).unwrap();
            assert_eq!((*woken, *first.0.lock().unwrap()), (1, 0));
            drop(woken);
            assert!(poll(&last).is_ready());
        }
    }
}
