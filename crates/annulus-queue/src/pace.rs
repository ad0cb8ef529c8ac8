//! How often a receiver that spins polls.
//!
//! A poll costs the sender time: each poll takes away the line that the sender will write next. If messages
//! come in a stream, a receiver that polls at once gets one message per poll, each for a whole transfer
//! between cores, and is then as far behind as before. If it had paused, the sender would have got ahead
//! undisturbed, and many messages would have come, each for a fraction of a transfer. If messages come one by
//! one, because the sender waits for an answer, every pause is lost time. The receiver does not know which
//! case it is, so it **tries**: from time to time it pauses longer before it polls, and sees whether more
//! than a few messages were there before it had to wait again. If so, it continues, with still longer pauses.
//! If not, it polls often again, and tries less often.
//!
//! A sender that finds the queue full has the same problem: it would send one message per poll, each to a
//! line that the receiver has just released. But nobody waits for its message, since the receiver has a queue
//! full of others. So the sender need not try: while it spins, it waits until there is [`room`].

use annulus_sync::{AtomicU64, Ordering, spin_loop};

/// The state that a receiver learns from its waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// The next ticket at the receiver's last wait.
    waited_at: u64,
    /// The number of pauses between two polls: 1 if messages come one by one.
    pauses: u32,
    /// The number of waits until the next trial.
    rest: u32,
}

impl Pace {
    /// If fewer messages than this come between two waits, they count as coming one by one.
    const FEW: u64 = 4;
    /// The pauses of the first trial: enough for a stream to get ahead by more than a few messages.
    const TRIAL: u32 = 16;
    /// The greatest number of pauses, about 2 µs on current x86-64.
    const MOST: u32 = 128;
    /// How many pauses a receiver makes before it lets other threads run. In a model it sleeps at once, so
    /// that the model checks more.
    const PATIENCE: u32 = if cfg!(loom) { 0 } else { 512 };
    /// Waits between two trials.
    const REST: u32 = 64;

    pub(crate) fn new() -> Self {
        Self { waited_at: 0, pauses: 1, rest: 4 }
    }

    /// Spins for the message with ticket `head` until `is_there`, or until sleeping is cheaper.
    pub(crate) fn watch(&mut self, head: u64, is_there: impl Fn() -> bool) {
        let pauses = self.wait(head);
        for _ in 0..(Self::PATIENCE / pauses) {
            (0..pauses).for_each(|_| spin_loop());
            if is_there() {
                return;
            }
        }
    }

    /// Called when the receiver has to wait for the message with ticket `head`. Returns how many pauses it
    /// should make between two polls.
    fn wait(&mut self, head: u64) -> u32 {
        let few = head.wrapping_sub(self.waited_at) < Self::FEW;
        self.waited_at = head;
        if self.pauses > 1 {
            if few {
                *self = Self { waited_at: head, pauses: 1, rest: Self::REST };
            } else {
                self.pauses = (self.pauses * 2).min(Self::MOST);
            }
        } else if self.rest > 0 {
            self.rest -= 1;
        } else {
            self.pauses = Self::TRIAL;
        }
        self.pauses
    }
}

/// A [`Pace`] for an end that several threads may use. A thread may overwrite what others have learnt: it is
/// only a hint.
#[derive(Debug)]
pub(crate) struct SharedPace {
    waited_at: AtomicU64,
    /// Pauses, and the rest above them.
    pauses: AtomicU64,
}

impl SharedPace {
    pub(crate) fn new() -> Self {
        let Pace { waited_at, pauses, rest } = Pace::new();
        let packed = u64::from(rest) << 32 | u64::from(pauses);
        Self { waited_at: AtomicU64::new(waited_at), pauses: AtomicU64::new(packed) }
    }

    /// [`Pace::watch`].
    pub(crate) fn watch(&self, head: u64, is_there: impl Fn() -> bool) {
        let packed = self.pauses.load(Ordering::Relaxed);
        let mut pace = Pace {
            waited_at: self.waited_at.load(Ordering::Relaxed),
            pauses: packed as u32,
            rest: (packed >> 32) as u32,
        };
        pace.watch(head, is_there);
        self.waited_at.store(pace.waited_at, Ordering::Relaxed);
        self.pauses.store(u64::from(pace.rest) << 32 | u64::from(pace.pauses), Ordering::Relaxed);
    }
}

/// How many messages there should be space for before a sender that waited goes on.
pub(crate) fn room(capacity: usize) -> u64 {
    (capacity as u64 / 4).clamp(1, 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_by_one_it_looks_often() {
        let mut pace = Pace::new();
        let pauses: u32 = (0..1000).map(|head| pace.wait(head)).sum();
        assert!(pauses < 1000 + 1000 / Pace::REST * Pace::TRIAL + 5 * Pace::TRIAL, "{pauses}");
    }

    #[test]
    fn in_a_stream_it_learns_to_pause() {
        let mut pace = Pace::new();
        let mut head = 0;
        let mut last = 0;
        for _ in 0..100 {
            // The longer the pause, the more messages there are.
            head += u64::from(last.max(1));
            last = pace.wait(head);
        }
        assert_eq!(last, Pace::MOST);
    }
}
