//! Attempts with growing pauses, as data.

use annulus_macros::{DeviceType, device_impl};

/// How often to try, and how long to wait in between: each pause is twice as long as the one before.
///
/// It is 24 bytes of data, and may be part of a handler's state or message, or a variable of the host. `Default` makes 3
/// attempts, with pauses of 200 and 400 milliseconds, and no pause of more than a minute.
///
/// ```
/// use annulus_runtime::resilience::Retry;
///
/// let mut retry = Retry::default();
/// // … the first attempt fails
/// assert_eq!(retry.pause(), Some(200_000_000)); // then the second, in so many nanoseconds
/// assert_eq!(retry.pause(), Some(400_000_000));
/// assert_eq!(retry.pause(), None); // three have failed: give up
/// ```
///
/// Many callers that failed at the same time will try again at the same time. If that hurts, add to each pause something
/// of your own, for example a part of it by the caller's number.
#[derive(DeviceType, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Retry {
    /// Nanoseconds of the first pause.
    first: u64,
    /// Nanoseconds of the longest.
    longest: u64,
    /// How many attempts there may be.
    attempts: u32,
    /// How many have failed.
    failed: u32,
}

impl Default for Retry {
    fn default() -> Self {
        Self::new(3, 200_000_000, 60_000_000_000)
    }
}

#[device_impl]
#[diagnostic::do_not_recommend]
impl Retry {
    /// So many attempts, the first one included; `first` nanoseconds before the second, and never more than `longest`.
    ///
    /// ```
    /// # use annulus_runtime::resilience::Retry;
    /// let mut retry = Retry::new(4, 10, 25);
    /// assert_eq!([retry.pause(), retry.pause(), retry.pause()], [Some(10), Some(20), Some(25)]);
    /// ```
    pub fn new(attempts: u32, first: u64, longest: u64) -> Retry {
        Retry { first, longest, attempts, failed: 0 }
    }

    /// An attempt has failed. Says how many nanoseconds to wait before the next one; `None` if there may be none.
    ///
    /// ```
    /// # use annulus_runtime::resilience::Retry;
    /// assert_eq!(Retry::new(1, 10, 10).pause(), None);
    /// ```
    pub fn pause(&mut self) -> Option<u64> {
        self.failed = self.failed.saturating_add(1);
        if self.failed >= self.attempts {
            return None;
        }
        let doublings = self.failed - 1;
        if self.first == 0 {
            return Some(0);
        }
        if doublings > self.first.leading_zeros() {
            return Some(self.longest);
        }
        Some((self.first << doublings).min(self.longest))
    }

    /// How many attempts have failed.
    ///
    /// ```
    /// # use annulus_runtime::resilience::Retry;
    /// let mut retry = Retry::default();
    /// retry.pause();
    /// assert_eq!(retry.failed(), 1);
    /// ```
    pub fn failed(&self) -> u32 {
        self.failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// E-01: three attempts, with the document's pauses of 100 ms × 2^retries between them.
    #[test]
    fn e01_three_attempts_with_the_documents_pauses() {
        let mut retry = Retry::default();
        let pauses: Vec<_> = std::iter::from_fn(|| retry.pause()).map(|pause| pause / 1_000_000).collect();
        assert_eq!(pauses, [200, 400]);
        assert_eq!((retry.failed(), retry.pause()), (3, None));
    }

    /// E-01: pauses never overflow, and never fall.
    #[test]
    fn e01_pauses_grow_to_the_longest() {
        for first in [0, 1, 3, 1 << 40, u64::MAX] {
            let mut retry = Retry::new(u32::MAX, first, 1 << 41);
            let mut before = 0;
            for doublings in 0..200u32 {
                let pause = retry.pause().unwrap();
                let exact = (0..doublings).fold(u128::from(first), |pause, _| (pause * 2).min(1 << 100));
                assert_eq!(u128::from(pause), exact.min(1 << 41), "{first} {doublings}");
                assert!(pause >= before);
                before = pause;
            }
        }
        let mut none = Retry::new(0, 1, 1);
        assert_eq!(none.pause(), None);
        none.failed = u32::MAX;
        assert_eq!(none.pause(), None);
    }
}
