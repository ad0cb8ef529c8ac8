//! How long an epoch may be, learned from those before it.
//!
//! An epoch is bounded by numbers: of messages, and of polls that find nothing. The time that a number takes
//! depends on the device, on the handler, and on the machine's other load. So a [`Pace`] measures how long
//! epochs take, and halves or doubles their bound.
//!
//! On a busy machine an epoch can take long though its bound is small: its threads wait for a processor. A
//! smaller bound would not help; it would only make the kernel slow. Therefore
//!
//! - the *shortest* of several epochs decides: a delay of one epoch seldom delays all of them;
//! - a smaller bound that makes epochs hardly shorter is undone, and epochs may be longer for a while.

use std::time::Duration;

/// Epochs that are judged together.
const WINDOW: usize = 8;
/// An epoch that takes this many times as long as it should is acted on at once, not after `WINDOW` epochs.
const GROSS: u32 = 8;
/// For how many windows epochs may be longer, after a smaller bound did not help.
const RESPITE: u32 = 16;

/// A bound of epochs, and how long the last ones took.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    bound: u32,
    most: u32,
    /// How long an epoch should take at most.
    target: Duration,
    /// How long each took since the bound was set.
    took: [Duration; WINDOW],
    seen: usize,
    /// Whether each of those went up to its bound.
    full: bool,
    /// The bound before it was made smaller, and the shortest epoch then; kept until it is known whether the
    /// smaller bound helped.
    before: Option<(u32, Duration)>,
    /// How long an epoch may take meanwhile, and for how many more windows.
    respite: (Duration, u32),
}

impl Pace {
    /// Begins with the bound `most`, which is never exceeded. An epoch should take `target` at most.
    pub(crate) fn new(most: u32, target: Duration) -> Self {
        let took = [Duration::ZERO; WINDOW];
        let respite = (Duration::ZERO, 0);
        Self { bound: most, most, target, took, seen: 0, full: true, before: None, respite }
    }

    /// The bound of the next epoch: 1 or more.
    pub(crate) fn bound(&self) -> u32 {
        self.bound
    }

    /// Records an epoch's duration. `full` says that it reached its bound; `least` is how long an epoch takes
    /// whatever its bound is.
    pub(crate) fn ended(&mut self, took: Duration, full: bool, least: Duration) {
        self.took[self.seen] = took;
        self.seen += 1;
        self.full &= full;
        let mut target = self.target.max(least.saturating_mul(4));
        if self.respite.1 != 0 {
            target = target.max(self.respite.0);
        }
        let shortest = |epochs: &[Duration]| epochs.iter().min().copied().unwrap_or_default();
        if self.seen == WINDOW {
            self.window(shortest(&self.took), target);
        } else if self.seen >= 2 {
            let two = shortest(&self.took[self.seen - 2..self.seen]);
            if two > target.saturating_mul(GROSS) {
                self.shrink(GROSS, two);
            }
        }
    }

    /// Judges a whole window.
    fn window(&mut self, shortest: Duration, target: Duration) {
        self.respite.1 = self.respite.1.saturating_sub(1);
        match self.before.take() {
            Some((bound, before)) if shortest > before / 4 * 3 => {
                self.respite = (shortest.saturating_mul(4), RESPITE);
                self.set(bound);
            }
            _ if shortest > target => self.shrink(2, shortest),
            _ if shortest < target / 2 && self.full => self.set(self.bound.saturating_mul(2)),
            _ => self.set(self.bound),
        }
    }

    fn shrink(&mut self, by: u32, shortest: Duration) {
        let before = self.bound;
        self.set(before / by);
        self.before = (self.bound != before).then_some((before, shortest));
    }

    fn set(&mut self, bound: u32) {
        self.bound = bound.clamp(1, self.most);
        self.seen = 0;
        self.full = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: Duration = Duration::from_millis(16);
    const LAUNCH: Duration = Duration::from_micros(50);

    /// Pseudo-random numbers (SplitMix64).
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut mixed = self.0;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            (mixed ^ (mixed >> 31)) % limit
        }
    }

    /// Runs epochs that reach their bound. Each message takes the same time, and each epoch has a delay.
    fn run(pace: &mut Pace, epochs: usize, message: Duration, mut delay: impl FnMut() -> Duration) {
        for _ in 0..epochs {
            pace.ended(LAUNCH + message * pace.bound() + delay(), true, LAUNCH);
        }
    }

    #[test]
    fn slow_handlers_get_short_epochs() {
        for micros in [1, 10, 100, 1000, 10_000] {
            let message = Duration::from_micros(micros);
            let mut pace = Pace::new(16_384, TARGET);
            run(&mut pace, 64, message, || Duration::ZERO);
            let epoch = LAUNCH + message * pace.bound();
            assert!(epoch <= TARGET || pace.bound() == 1, "{micros} µs: {epoch:?}");
            assert!(pace.bound() == 16_384 || epoch >= TARGET / 8, "{micros} µs: {epoch:?}");
        }
    }

    /// Epochs wait for a processor up to a tenth of a second, and their messages take next to nothing.
    #[test]
    fn a_busy_machine_makes_no_short_epochs() {
        for seed in 0..20 {
            let mut random = Random(seed);
            let mut pace = Pace::new(16_384, TARGET);
            let mut smallest = u32::MAX;
            for _ in 0..200 {
                run(&mut pace, 10, Duration::from_nanos(100), || Duration::from_millis(random.below(60)));
                smallest = smallest.min(pace.bound());
            }
            assert!(smallest >= 1024, "seed {seed}: {smallest}");
        }
    }

    /// Every epoch waits for a processor for longer than an epoch should take in all.
    #[test]
    fn a_very_busy_machine_makes_no_short_epochs() {
        for seed in 0..20 {
            let mut random = Random(seed);
            let mut pace = Pace::new(16_384, TARGET);
            let mut smallest = u32::MAX;
            for _ in 0..200 {
                let delay = || Duration::from_millis(20 + random.below(60));
                run(&mut pace, 10, Duration::from_nanos(100), delay);
                smallest = smallest.min(pace.bound());
            }
            assert!(smallest >= 2048, "seed {seed}: {smallest}");
        }
    }

    #[test]
    fn a_bound_comes_back() {
        let mut pace = Pace::new(4096, TARGET);
        run(&mut pace, 100, Duration::from_millis(20), || Duration::ZERO);
        assert_eq!(pace.bound(), 1);
        run(&mut pace, 100, Duration::from_nanos(100), || Duration::ZERO);
        assert_eq!(pace.bound(), 4096);
    }

    #[test]
    fn epochs_with_little_to_do_say_nothing() {
        let mut pace = Pace::new(4096, TARGET);
        run(&mut pace, 100, Duration::from_millis(20), || Duration::ZERO);
        (0..100).for_each(|_| pace.ended(LAUNCH, false, LAUNCH));
        assert_eq!(pace.bound(), 1);
    }

    /// Where a launch alone takes longer than an epoch should, epochs are a few launches long.
    #[test]
    fn slow_launches_make_longer_epochs() {
        let launch = Duration::from_millis(250);
        let mut pace = Pace::new(4096, TARGET);
        for _ in 0..100 {
            pace.ended(launch + Duration::from_micros(100) * pace.bound(), true, launch);
        }
        assert_eq!(pace.bound(), 4096);
    }
}
