//! A circuit breaker as data.
//!
//! # States
//!
//! ```text
//!             threshold failures, one after the other
//!   ┌────────┐ ──────────────────────────────────▶ ┌──────┐
//!   │ closed │                                     │ open │ ◀─────────────┐
//!   └────────┘ ◀──────────┐                        └──────┘               │
//!                         │                           │ cool_down is over │ the attempt fails
//!                         │ the attempt succeeds      ▼                   │
//!                         └───────────────────── ┌───────────┐ ───────────┘
//!                                                │ half-open │ one attempt
//!                                                └───────────┘
//! ```
//!
//! Each change to open or half-open begins a new *period*. A permit is the number of the period in which it was given. What
//! becomes of an attempt counts only in the period of its permit. So an attempt that began before the breaker opened
//! neither closes nor opens it when it ends late.

use annulus_macros::{DeviceType, device_impl};

const CLOSED: u32 = 0;
const OPEN: u32 = 1;
const HALF_OPEN: u32 = 2;

/// A circuit breaker: after some failures, one after the other, it allows no attempt until a time has passed. Then it
/// allows one, whose end decides.
///
/// It is 32 bytes of data, and may be part of a handler's state or a variable of the host: in a `Mutex`, if several threads
/// use it. It is told the time, in nanoseconds of a clock that does not go back. `Default` opens after 5 failures, for 30
/// seconds. Make that time longer than an attempt may take: an attempt that lasts longer counts as lost.
///
/// ```
/// use annulus_runtime::resilience::{Breaker, Circuit};
///
/// let mut breaker = Breaker::new(2, 1_000); // opens after 2 failures, for 1000 ns
/// for now in [10, 20] {
///     let permit = breaker.permit(now).expect("it is closed");
///     breaker.failed(permit, now);
/// }
/// assert_eq!(breaker.permit(500), None);
/// assert_eq!(breaker.allows_in(500), 520); // then one attempt may be made
///
/// let attempt = breaker.permit(1_020).expect("the time has passed");
/// assert_eq!(breaker.permit(1_021), None); // one at a time
/// breaker.succeeded(attempt);
/// assert_eq!(breaker.circuit(), Circuit::Closed);
/// ```
#[derive(DeviceType, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Breaker {
    /// Nanoseconds for which it stays open.
    cool_down: u64,
    /// When the period began that is not closed.
    since: u64,
    /// How many failures, one after the other, open it; not 0.
    threshold: u32,
    /// How many there were.
    failures: u32,
    /// The number of the period.
    period: u32,
    state: u32,
}

/// In which state a [`Breaker`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Circuit {
    /// It allows attempts.
    Closed,
    /// It allows none.
    Open,
    /// It has allowed one attempt, whose end decides.
    HalfOpen,
}

impl Default for Breaker {
    fn default() -> Self {
        Self::new(5, 30_000_000_000)
    }
}

impl Breaker {
    /// In which state it is. An open breaker whose time has passed is open until somebody asks for a
    /// [permit](Self::permit).
    ///
    /// ```
    /// # use annulus_runtime::resilience::{Breaker, Circuit};
    /// assert_eq!(Breaker::default().circuit(), Circuit::Closed);
    /// ```
    pub fn circuit(&self) -> Circuit {
        match self.state {
            CLOSED => Circuit::Closed,
            OPEN => Circuit::Open,
            _ => Circuit::HalfOpen,
        }
    }
}

#[device_impl]
#[diagnostic::do_not_recommend]
impl Breaker {
    /// A closed one, which opens after `threshold` failures, one after the other (0 counts as 1), for `cool_down`
    /// nanoseconds.
    ///
    /// ```
    /// # use annulus_runtime::resilience::Breaker;
    /// assert_eq!(Breaker::new(5, 30_000_000_000), Breaker::default());
    /// ```
    pub fn new(threshold: u32, cool_down: u64) -> Breaker {
        Breaker { cool_down, since: 0, threshold: threshold.max(1), failures: 0, period: 0, state: CLOSED }
    }

    /// Asks for an attempt. Gives a permit, which [`succeeded`](Self::succeeded) or [`failed`](Self::failed) takes
    /// when the attempt has ended; `None` while it is open. `now`: nanoseconds.
    ///
    /// A half-open breaker gives no second permit until its attempt has ended. An attempt of which nobody says the end
    /// counts as failed when `cool_down` has passed once more: then another one gets a permit.
    ///
    /// ```
    /// # use annulus_runtime::resilience::Breaker;
    /// let mut breaker = Breaker::default();
    /// assert!(breaker.permit(0).is_some());
    /// ```
    pub fn permit(&mut self, now: u64) -> Option<u32> {
        if self.state == CLOSED {
            return Some(self.period);
        }
        if now < self.since {
            // Another clock: the state was restored in another runtime. Its time begins anew.
            self.since = now;
        }
        if now - self.since < self.cool_down {
            return None;
        }
        self.turn(HALF_OPEN, now);
        Some(self.period)
    }

    /// An attempt with this permit has succeeded: failures are counted from 0 again, and a half-open breaker closes.
    ///
    /// ```
    /// # use annulus_runtime::resilience::Breaker;
    /// let mut breaker = Breaker::new(2, 1_000);
    /// for _ in 0..10 {
    ///     let permit = breaker.permit(0).expect("never two failures one after the other");
    ///     breaker.failed(permit, 0);
    ///     breaker.succeeded(permit);
    /// }
    /// ```
    pub fn succeeded(&mut self, permit: u32) {
        if permit == self.period {
            self.failures = 0;
            self.state = CLOSED;
        }
    }

    /// An attempt with this permit has failed: counts it, and opens if that is one too many. A half-open breaker opens
    /// again. `now`: nanoseconds.
    ///
    /// ```
    /// # use annulus_runtime::resilience::{Breaker, Circuit};
    /// let mut breaker = Breaker::new(1, 1_000);
    /// let (first, second) = (breaker.permit(0).unwrap(), breaker.permit(0).unwrap());
    /// breaker.failed(first, 5);
    /// breaker.succeeded(second); // began before the breaker opened: does not count
    /// assert_eq!(breaker.circuit(), Circuit::Open);
    /// ```
    pub fn failed(&mut self, permit: u32, now: u64) {
        if permit != self.period {
            return;
        }
        self.failures = self.failures.saturating_add(1);
        if self.state == HALF_OPEN || self.failures >= self.threshold {
            self.turn(OPEN, now);
        }
    }

    /// Nanoseconds until an attempt may be made; 0 if one may be made now.
    ///
    /// ```
    /// # use annulus_runtime::resilience::Breaker;
    /// assert_eq!(Breaker::default().allows_in(7), 0);
    /// ```
    pub fn allows_in(&self, now: u64) -> u64 {
        if self.state == CLOSED {
            return 0;
        }
        self.cool_down.saturating_sub(now.saturating_sub(self.since))
    }

    fn turn(&mut self, state: u32, now: u64) {
        self.state = state;
        self.since = now;
        self.period = self.period.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// E-02: with the document's numbers: five failures open it for 30 seconds.
    #[test]
    fn e02_five_failures_open_for_thirty_seconds() {
        const SECOND: u64 = 1_000_000_000;
        let mut breaker = Breaker::default();
        let fail = |breaker: &mut Breaker, now| {
            let permit = breaker.permit(now).unwrap();
            breaker.failed(permit, now);
        };
        (0..4).for_each(|now| fail(&mut breaker, now * SECOND));
        assert_eq!(breaker.circuit(), Circuit::Closed);
        fail(&mut breaker, 4 * SECOND);
        assert_eq!(breaker.circuit(), Circuit::Open);
        assert_eq!((breaker.permit(34 * SECOND - 1), breaker.allows_in(34 * SECOND - 1)), (None, 1));
        // A failure half-open opens it again, for as long.
        fail(&mut breaker, 34 * SECOND);
        assert_eq!((breaker.circuit(), breaker.permit(63 * SECOND)), (Circuit::Open, None));
        let attempt = breaker.permit(64 * SECOND).unwrap();
        assert_eq!((breaker.circuit(), breaker.permit(65 * SECOND)), (Circuit::HalfOpen, None));
        breaker.succeeded(attempt);
        // Closed again, it takes five more.
        (70..74).for_each(|now| fail(&mut breaker, now * SECOND));
        assert_eq!(breaker.circuit(), Circuit::Closed);
        fail(&mut breaker, 75 * SECOND);
        assert_eq!(breaker.circuit(), Circuit::Open);
    }

    /// E-02 and DECISIONS 22: the document's breaker never forgets a failure while it is closed, so that five in a year
    /// open it. Here a success counts from 0 again.
    #[test]
    fn e02_a_success_counts_from_zero_again() {
        let mut breaker = Breaker::default();
        for round in 0..100 {
            for _ in 0..4 {
                let permit = breaker.permit(round).unwrap();
                breaker.failed(permit, round);
            }
            let permit = breaker.permit(round).unwrap();
            breaker.succeeded(permit);
        }
        assert_eq!(breaker.circuit(), Circuit::Closed);
    }

    /// E-02: what began in an earlier period changes nothing, and an attempt that nobody ends is given up.
    #[test]
    fn e02_late_ends_change_nothing() {
        let mut breaker = Breaker::new(2, 100);
        let early: Vec<u32> = (0..6).map(|_| breaker.permit(0).unwrap()).collect();
        breaker.failed(early[0], 10);
        breaker.failed(early[1], 11);
        assert_eq!(breaker.allows_in(11), 100);
        breaker.failed(early[2], 90);
        breaker.succeeded(early[3]);
        assert_eq!((breaker.circuit(), breaker.allows_in(100)), (Circuit::Open, 11));
        let lost = breaker.permit(111).unwrap();
        breaker.succeeded(early[4]);
        assert_eq!((breaker.circuit(), breaker.permit(210)), (Circuit::HalfOpen, None));
        let second = breaker.permit(211).expect("nobody has said how the first ended");
        breaker.failed(lost, 212);
        assert_eq!(breaker.circuit(), Circuit::HalfOpen);
        breaker.succeeded(second);
        breaker.failed(early[5], 213);
        breaker.failed(lost, 213);
        assert_eq!((breaker.circuit(), breaker.failures), (Circuit::Closed, 0));
        // A clock that goes back begins the time anew, and numbers of periods begin again.
        breaker.period = u32::MAX;
        let permit = breaker.permit(213).unwrap();
        breaker.failed(permit, 300);
        breaker.failed(permit, 300);
        assert_eq!((breaker.period, breaker.permit(5)), (0, None));
        assert_eq!((breaker.allows_in(50), breaker.permit(104), breaker.permit(105)), (55, None, Some(1)));
    }
}
