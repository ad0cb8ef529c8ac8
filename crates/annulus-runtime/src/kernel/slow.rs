//! Handlers that take longer than a limit, for kernels that ask for it
//! ([`LaunchOptions::slow_after`](crate::LaunchOptions::slow_after)).
//!
//! A block reads no clock. It says which message it is at, and the process' [monitor](annulus_queue::monitor) looks
//! at these words: a shard that is in the handler of the same message at two looks has been there for the time in
//! between, at least. Numbers of messages only grow, so equal numbers are the same message.
//!
//! # When it looks
//!
//! Four times in the limit, and at most once a millisecond, as long as messages wait or a handler runs. So a handler
//! that takes a quarter longer than the limit is always found, unless the system runs the monitor late. A kernel
//! without messages is not looked at: the watch is a *runner* of a [`WakeFlag`], which finds work while there are
//! messages, parks when there are none, and is called by whoever wakes a block. A block on a device may get messages
//! from another kernel without the host; there the heartbeat calls it.

use std::{
    sync::{Arc, Mutex, OnceLock, PoisonError, Weak},
    time::{Duration, Instant},
};

use annulus_abi::vitals::{At, phase};
use annulus_queue::monitor::{Due, MONITOR};
use annulus_sync::{AtomicU64, Ordering, contain::contained, wake_flag::WakeFlag};
use tracing::{Dispatch, dispatcher};

/// The target of warnings about handlers that take longer than the launch's
/// [`slow_after`](crate::LaunchOptions::slow_after): one warning for each message, while its handler still runs.
///
/// Fields: `kernel` (the instance's name), `backend`, `shard`, `number` (the message's number in its shard, from 0),
/// `count` (how many messages the block handles at once, from that one on), `key` (0 without keys), `seconds` (how
/// long it has taken at least).
pub const SLOW_TARGET: &str = "annulus::slow";

/// Least time between two looks.
const LEAST: Duration = Duration::from_millis(1);

/// A kernel, as its watch sees it.
pub(crate) trait Handlers: Send + Sync {
    /// What a shard is at.
    fn at(&self, shard: usize) -> At;
    /// Whether a handler runs, or will without anybody's call.
    fn may_handle(&self) -> bool;
    /// Tells of a handler that has taken so long, at least. `count`: how many there were in this shard, with it.
    fn tell_slow(&self, shard: usize, at: &At, time: Duration, count: u64);
}

/// Looks at a kernel while it has messages.
pub(crate) struct SlowWatch {
    limit: Duration,
    /// Asleep while nobody looks.
    flag: WakeFlag,
    /// The subscriber for the warnings: that of whoever launched the kernel.
    dispatch: Dispatch,
    /// Set by the launch, before anyone else has the kernel.
    kernel: OnceLock<Weak<dyn Handlers>>,
    /// Whoever looks is the only one to lock it.
    shards: Mutex<Box<[Call]>>,
    /// Slow handlers so far, in all shards.
    count: AtomicU64,
}

/// The call that a shard was in at the last look.
#[derive(Clone, Default)]
pub(crate) struct Call {
    /// The message's number, and of how many it is the first.
    message: Option<(u64, u64)>,
    /// When it was seen first.
    since: Option<Instant>,
    told: bool,
    /// Slow ones so far.
    count: u64,
}

impl Call {
    /// Looks at what the shard is at. Returns how long the call has taken at least, if that is to be told now.
    pub(crate) fn look(&mut self, at: &At, now: Instant, limit: Duration) -> Option<Duration> {
        let message = (at.phase == phase::IN_HANDLER).then_some((at.number, at.count));
        if message.is_none() || message != self.message {
            (self.message, self.since, self.told) = (message, Some(now), false);
        }
        let time = now.saturating_duration_since(self.since?);
        if self.message.is_none() || self.told || time < limit {
            return None;
        }
        (self.told, self.count) = (true, self.count + 1);
        Some(time)
    }
}

impl SlowWatch {
    pub(crate) fn new(limit: Duration, shards: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            flag: WakeFlag::new(),
            dispatch: dispatcher::get_default(Dispatch::clone),
            kernel: OnceLock::new(),
            shards: Mutex::new(vec![Call::default(); shards].into()),
            count: AtomicU64::new(0),
        })
    }

    /// Says which kernel it is.
    pub(crate) fn set_kernel(&self, kernel: Weak<dyn Handlers>) {
        // A kernel is launched once.
        let _ = self.kernel.set(kernel);
    }

    /// Slow handlers so far.
    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Called after a block was given something to do.
    #[inline]
    pub(crate) fn wake(self: &Arc<Self>) {
        if self.flag.wake() {
            self.arm();
        }
    }

    #[cold]
    fn arm(self: &Arc<Self>) {
        // If no thread can be started, nothing is told.
        if MONITOR.start().is_ok() {
            MONITOR.arm(Instant::now() + self.pause(), Arc::downgrade(self) as Weak<dyn Due>);
        }
    }

    /// Time between two looks.
    fn pause(&self) -> Duration {
        (self.limit / 4).max(LEAST)
    }

    fn look(&self, kernel: &dyn Handlers, now: Instant) {
        // Whole at any time, so poison is ignored.
        let mut shards = self.shards.lock().unwrap_or_else(PoisonError::into_inner);
        for (shard, call) in shards.iter_mut().enumerate() {
            let at = kernel.at(shard);
            if let Some(time) = call.look(&at, now, self.limit) {
                self.count.fetch_add(1, Ordering::Relaxed);
                // A subscriber is code of the program, and may panic.
                contained(|| {
                    dispatcher::with_default(&self.dispatch, || {
                        kernel.tell_slow(shard, &at, time, call.count);
                    });
                });
            }
        }
    }
}

impl Due for SlowWatch {
    fn fire(&self, _: Instant, now: Instant) -> Option<Instant> {
        let kernel = self.kernel.get()?.upgrade()?;
        self.look(&*kernel, now);
        if !kernel.may_handle() {
            self.flag.park();
            if !(kernel.may_handle() && self.flag.claim()) {
                return None;
            }
        }
        Some(now + self.pause())
    }
}

#[cfg(test)]
mod tests {
    use annulus_sync::AtomicBool;

    use super::*;

    const LIMIT: Duration = Duration::from_millis(8);

    fn in_handler(number: u64) -> At {
        At { phase: phase::IN_HANDLER, number, ..At::default() }
    }

    #[test]
    fn o_01_a_call_is_told_once_and_only_if_it_stays() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut call = Call::default();
        let mut look = |number: Option<u64>, millis| {
            let seen = number.map_or(At { phase: phase::LOOKING, ..At::default() }, in_handler);
            call.look(&seen, at(millis), LIMIT).map(|time| time.as_millis())
        };
        assert_eq!(
            [look(Some(0), 0), look(Some(0), 7), look(Some(0), 8), look(Some(0), 20)],
            [None, None, Some(8), None]
        );
        // Each of many, however many there are.
        assert!((1..50).all(|number| look(Some(number), 20 + 7 * number).is_none()));
        // In and out of handlers; the same number is not the same call if the shard was elsewhere: it was counted.
        assert_eq!([look(None, 400), look(Some(60), 401), look(None, 420), look(Some(61), 421)], [None; 4]);
        assert_eq!([look(Some(61), 428), look(Some(61), 1421)], [None, Some(1000)]);
        assert_eq!(call.count, 2);
    }

    /// A kernel whose only shard is where the test says.
    #[derive(Default)]
    struct Fake {
        number: AtomicU64,
        has_work: AtomicBool,
        told: Mutex<Vec<u64>>,
    }

    impl Handlers for Fake {
        fn at(&self, _: usize) -> At {
            in_handler(self.number.load(Ordering::Relaxed))
        }

        fn may_handle(&self) -> bool {
            self.has_work.load(Ordering::Relaxed)
        }

        fn tell_slow(&self, _: usize, at: &At, _: Duration, _: u64) {
            self.told.lock().unwrap().push(at.number);
        }
    }

    /// The watch's turns, with a clock of the test's own: it rests without messages, and until it is woken.
    #[test]
    fn o_01_a_watch_rests_without_messages() {
        let kernel = Arc::new(Fake::default());
        let watch = SlowWatch::new(LIMIT, 1);
        let weak = Arc::downgrade(&kernel) as Weak<dyn Handlers>;
        watch.set_kernel(weak);
        let start = Instant::now();
        let turn = |millis: u64| {
            let now = start + Duration::from_millis(millis);
            watch.fire(now, now).map(|again| (again - start).as_millis())
        };
        assert!(watch.flag.wake(), "it is asleep at first");
        assert!(!watch.flag.wake());
        kernel.has_work.store(true, Ordering::Relaxed);
        assert_eq!([turn(0), turn(2), turn(4), turn(6)], [Some(2), Some(4), Some(6), Some(8)]);
        assert_eq!(watch.count(), 0);
        assert_eq!(turn(8), Some(10));
        assert_eq!((turn(10), watch.count()), (Some(12), 1));
        kernel.has_work.store(false, Ordering::Relaxed);
        assert_eq!(turn(12), None);
        assert!(watch.flag.wake(), "whoever has work for it must arm it");
        kernel.number.store(1, Ordering::Relaxed);
        kernel.has_work.store(true, Ordering::Relaxed);
        assert_eq!((turn(100), turn(107), turn(108)), (Some(102), Some(109), Some(110)));
        assert_eq!((&**kernel.told.lock().unwrap(), watch.count()), (&[0, 1][..], 2));
        drop(kernel);
        assert_eq!(turn(200), None);
    }
}
