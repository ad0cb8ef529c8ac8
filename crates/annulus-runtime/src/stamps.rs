//! Causal stamps on the host's side: its hybrid clock, and what this thread has received.
//!
//! [`annulus_abi::stamp`] says what a stamp is. A runtime has one clock for all that the host sends and receives. A send takes
//! the next stamp of it; what is received raises it, before the receive returns. Both are single read-modify-write operations
//! on one word, so they need no order of their own: whoever sends after a receive, on whatever thread, has been told of it in
//! some way of the program's, and so finds the word as it was then, or greater.

use std::{cell::Cell, fmt};

use annulus_abi::stamp;
use annulus_sync::{AtomicU64, Ordering};

/// The stamp of a message: of the event that sent it, a call of a handler or a send of the host. A message that was sent because
/// of another one has a greater stamp, across blocks, kernels with [`causal`](crate::LaunchOptions::causal), and the host of
/// the runtime.
///
/// The converse does not hold: of two stamps one is always the greater, also if neither event knew of the other. Then they are
/// in the order of their times, as far as the clocks of host and devices agree
/// ([`KernelStatus::clock_uncertainty`](crate::KernelStatus::clock_uncertainty)).
///
/// ```
/// use annulus_runtime::Stamp;
/// let [first, second] = [7 << 16 | 1, 7 << 16 | 2].map(Stamp::of);
/// assert!(first < second);
/// assert_eq!((second.micros(), second.count()), (7, 2));
/// assert_eq!(second.to_string(), "7 µs, event 2");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp(u64);

thread_local! {
    static LAST: Cell<u64> = const { Cell::new(0) };
    /// The greatest one that the clock has not heard of.
    static MOST: Cell<u64> = const { Cell::new(0) };
}

impl Stamp {
    /// That of the word which a handler gets by [`Cx::stamp`](annulus_kernel::Cx::stamp), and may have sent.
    pub const fn of(word: u64) -> Self {
        Self(word)
    }

    /// The stamp of what this thread received last from a kernel with [`causal`](crate::LaunchOptions::causal): an output, or
    /// the reply to a call. Of a batch, that of the last output. `None` if it has received nothing of the kind.
    pub fn received() -> Option<Self> {
        Some(LAST.get()).filter(|last| *last != 0).map(Self)
    }

    /// The word.
    pub const fn word(self) -> u64 {
        self.0
    }

    /// The time of the event, in microseconds on the runtime's clock. It may be ahead of the time that the sender's own clock
    /// showed, since it is greater than the stamps of all that the event knew of.
    pub const fn micros(self) -> u64 {
        stamp::micros(self.0)
    }

    /// Which event of that microsecond it is.
    pub const fn count(self) -> u64 {
        stamp::count(self.0)
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} µs, event {}", self.micros(), self.count())
    }
}

/// This thread takes an output with this stamp out of a ring, 0 for none.
#[inline]
pub(crate) fn note_stamp(word: u64) {
    if word != 0 {
        LAST.set(word);
        MOST.set(MOST.get().max(word));
    }
}

/// What [`Stamp::received`] says on this thread.
pub(crate) fn last_received() -> u64 {
    LAST.get()
}

pub(crate) fn set_last_received(word: u64) {
    LAST.set(word);
}

/// The host's hybrid clock.
#[derive(Debug, Default)]
pub(crate) struct Stamps(AtomicU64);

impl Stamps {
    /// The stamp of an event at this time, in nanoseconds.
    #[inline]
    pub(crate) fn next(&self, now: u64) -> u64 {
        let next = |last| Some(stamp::next(last, now));
        let last = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        last.map_or(0, |last| stamp::next(last, now))
    }

    /// This thread has received what it has taken note of.
    #[inline]
    pub(crate) fn received(&self) {
        self.raise(MOST.replace(0));
    }

    /// This thread has received a reply with this stamp, 0 for none.
    #[inline]
    pub(crate) fn received_reply(&self, word: u64) {
        if word != 0 {
            LAST.set(word);
            self.raise(word);
        }
    }

    fn raise(&self, word: u64) {
        if word > self.0.load(Ordering::Relaxed) {
            self.0.fetch_max(word, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K-08: of many threads, no two events have the same stamp, and each is greater than what its thread has received.
    #[test]
    fn k08_the_host_s_clock_rises_for_all_threads() {
        let clock = Stamps::default();
        let each = |seed: u64| {
            let mut last = 0;
            (0..10_000)
                .map(|i| {
                    let heard = last + (seed * i) % 3 * 100_000;
                    note_stamp(heard);
                    clock.received();
                    // The clocks of threads may differ.
                    last = clock.next(i * 1000 / (seed + 1));
                    assert!(last > heard);
                    last
                })
                .collect::<Vec<_>>()
        };
        let mut all: Vec<u64> = std::thread::scope(|scope| {
            let threads = [1, 2, 3].map(|seed| scope.spawn(move || each(seed)));
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        all.sort_unstable();
        assert!(all.windows(2).all(|two| two[0] < two[1]));
    }
}
