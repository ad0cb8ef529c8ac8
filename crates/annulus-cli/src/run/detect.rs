//! The detector's arithmetic: is a reading far from what its series has shown so far?
//!
//! It is in `f32` throughout and uses nothing but `+ - * /`, a square root and comparisons, so that a ring
//! kernel can do the same steps on a device and reach the same verdicts.

use annulus::prelude::DeviceType;

/// Readings of a series before the first verdict on one.
pub(crate) const WARM_UP: u32 = 30;

/// At this count the statistics are halved. Without that, adding to `m2` would lose the addend once `m2` is
/// 2²⁴ times as large, the variance would seem to shrink, and a long run would end in false alarms.
pub(crate) const FORGET_AT: u32 = 1 << 20;

/// Welford's running mean and variance of one series.
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub(crate) struct Stats {
    /// Readings that the statistics rest on, at most [`FORGET_AT`].
    pub(crate) n: u32,
    /// Their mean; finite.
    pub(crate) mean: f32,
    /// The sum of the squares of their distances from the mean; finite, not negative.
    pub(crate) m2: f32,
}

/// Judges `value` by the statistics of the readings before it, then takes it into them.
///
/// Gives the value's distance from the mean in standard deviations where that is more than `threshold`, and
/// `None` where it is not, during the warm-up, and while all readings have been equal. `value` must be
/// finite.
///
/// The kernel does the same steps; this is what a test holds it to.
#[cfg(test)]
pub(crate) fn step(stats: &mut Stats, value: f32, threshold: f32) -> Option<f32> {
    let distance = value - stats.mean;

    let mut alert = None;
    if stats.n >= WARM_UP && stats.m2 > 0.0 {
        let variance = stats.m2 / (stats.n - 1) as f32;
        let z = distance / variance.sqrt();
        if z.abs() > threshold {
            alert = Some(z);
        }
    }

    let n = stats.n + 1;
    let mean = stats.mean + distance / n as f32;
    let m2 = stats.m2 + distance * (value - mean);
    // A value so far out that its square overflows is judged but not learned: the statistics stay finite.
    if mean.abs() <= f32::MAX && m2 <= f32::MAX {
        *stats = Stats { n, mean, m2 };
    }
    if stats.n >= FORGET_AT {
        stats.n /= 2;
        stats.m2 /= 2.0;
    }
    alert
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Statistics after `count` readings that alternate between `low` and `high`.
    fn warmed(count: u32, low: f32, high: f32) -> Stats {
        let mut stats = Stats::default();
        for i in 0..count {
            step(&mut stats, if i % 2 == 0 { low } else { high }, f32::INFINITY);
        }
        stats
    }

    #[test]
    fn mean_and_variance_are_those_of_the_textbook() {
        let mut stats = Stats::default();
        for value in [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0] {
            step(&mut stats, value, 3.0);
        }
        assert_eq!(stats.n, 8);
        assert!((stats.mean - 5.0).abs() < 1e-6, "{stats:?}");
        assert!((stats.m2 - 32.0).abs() < 1e-5, "{stats:?}");
    }

    #[test]
    fn an_outlier_is_judged_by_the_readings_before_it() {
        let mut stats = warmed(100, -1.0, 1.0);
        let z = step(&mut stats, 10.0, 3.0).expect("ten standard deviations are over three");
        // The deviation of ±1 over 100 readings is √(100/99); had the outlier counted, z would be about 7.
        assert!((z - 10.0 / (100.0_f32 / 99.0).sqrt()).abs() < 1e-4, "{z}");
        assert!(step(&mut stats, -10.0, 3.0).is_some_and(|z| z < 0.0));
    }

    #[test]
    fn the_threshold_itself_is_no_alert() {
        let stats = warmed(100, -1.0, 1.0);
        let z = step(&mut stats.clone(), 4.0, 3.0).expect("over three");
        assert_eq!(step(&mut stats.clone(), 4.0, z), None);
    }

    #[test]
    fn nothing_is_judged_during_the_warm_up() {
        let outlier = 1e6;
        assert_eq!(step(&mut warmed(WARM_UP - 1, -1.0, 1.0), outlier, 3.0), None);
        assert!(step(&mut warmed(WARM_UP, -1.0, 1.0), outlier, 3.0).is_some());
    }

    #[test]
    fn equal_readings_have_no_variance_to_judge_by() {
        assert_eq!(step(&mut warmed(100, 7.0, 7.0), 8.0, 3.0), None);
    }

    #[test]
    fn a_reading_beyond_f32_does_not_poison_the_statistics() {
        let mut stats = warmed(100, -1.0, 1.0);
        let before = stats;
        assert!(step(&mut stats, 3e38, 3.0).is_some());
        assert!(step(&mut stats, -3e38, 3.0).is_some());
        assert_eq!(stats, before);
        assert!(step(&mut stats, 10.0, 3.0).is_some());
    }

    #[test]
    fn a_distance_beyond_f32_does_not_poison_the_statistics_either() {
        let mut stats = Stats::default();
        step(&mut stats, 3e38, 3.0);
        let before = stats;
        step(&mut stats, -3e38, 3.0);
        assert_eq!(stats, before);
    }

    #[test]
    fn long_runs_keep_their_variance() {
        let stats = warmed(3 * FORGET_AT, -1.0, 1.0);
        let variance = stats.m2 / (stats.n - 1) as f32;
        assert!((variance - 1.0).abs() < 0.01, "{stats:?}");
    }
}
