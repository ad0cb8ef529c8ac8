//! When the words of kernels are copied for other processes.

use std::{
    hash::{BuildHasher, RandomState},
    time::{Duration, Instant},
};

/// The longest time between two copies. The shortest is half of it, so there are some 25 a second.
const LONGEST: Duration = Duration::from_millis(50);

/// Random moments, which nothing sets that kernels do. A copy that comes late is not made up for, and moves those behind it.
pub(super) struct Copies {
    due: Instant,
    seed: u64,
}

impl Copies {
    /// The first copy is made at once: nobody sees a kernel before.
    pub(super) fn new(now: Instant) -> Self {
        // Two pumps that begin together do not go on together.
        Self { due: now, seed: RandomState::new().hash_one(0) | 1 }
    }

    /// Whether it is time for a copy; then the next one is due later.
    pub(super) fn is_due(&mut self, now: Instant) -> bool {
        if now < self.due {
            return false;
        }
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        let part = (self.seed >> 11) as f64 / (1u64 << 53) as f64;
        self.due = now + LONGEST.mul_f64(0.5 + 0.5 * part);
        true
    }

    /// How long it is until then.
    pub(super) fn until(&self, now: Instant) -> Duration {
        self.due.saturating_duration_since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whenever the pump wakes up: copies are due at moments of their own, and no moment of a period is left out.
    #[test]
    fn copies_have_their_own_moments() {
        const PERIOD: u32 = 1000;
        let start = Instant::now();
        let mut copies = Copies::new(start);
        assert!(copies.is_due(start) && !copies.is_due(start), "one at once, and then none");
        let (mut now, mut tenths) = (start, [0u32; 10]);
        for _ in 0..2000 {
            let until = copies.until(now);
            assert!((LONGEST / 2..=LONGEST).contains(&until), "{until:?}");
            now += until;
            assert!(copies.is_due(now));
            let micros = now.duration_since(start).as_micros() as u32;
            tenths[(micros % PERIOD / (PERIOD / 10)) as usize] += 1;
        }
        assert!(tenths.iter().all(|count| (100..=300).contains(count)), "{tenths:?}");
    }
}
