//! Timing: percentiles, and what a look at the clock costs.

use std::{
    hint::black_box,
    sync::LazyLock,
    time::{Duration, Instant},
};
#[cfg(unix)]
use std::{io, mem::MaybeUninit};

use annulus_sync::{AtomicU32, Ordering, spin_loop};

use crate::harness::{Failure, Run};

/// The metrics that [`percentiles`] gives.
///
/// `middle` is the mean of the middle half. Clocks move in steps (10 ns on AMD's processors), so a median of
/// times as short as a few steps jumps from one to the next; a mean of many such samples does not.
pub(crate) const PERCENTILES: &[&str] = &["p50", "middle", "p99", "p99.9", "max"];

/// p50, the mean of the middle half, p99, p99.9 and the maximum of samples, of which there is at least one.
pub(crate) fn percentiles(mut samples: Vec<f64>) -> Vec<f64> {
    samples.sort_by(f64::total_cmp);
    let last = samples.len() - 1;
    let at = |share: f64| samples[(last as f64 * share).round() as usize];
    vec![at(0.5), middle(&samples), at(0.99), at(0.999), at(1.0)]
}

/// The mean of the middle half of sorted samples.
fn middle(sorted: &[f64]) -> f64 {
    let half = &sorted[sorted.len() / 4..=(sorted.len() * 3 / 4).min(sorted.len() - 1)];
    half.iter().sum::<f64>() / half.len() as f64
}

/// The processor time that this process has taken so far, on all cores; zero where there is no such clock.
#[cfg(unix)]
pub(crate) fn process_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes the time to a place that is ours.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    if status != 0 {
        return Duration::ZERO;
    }
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// The processor time that this process has taken so far, on all cores; zero where there is no such clock.
#[cfg(not(unix))]
pub(crate) fn process_time() -> Duration {
    Duration::ZERO
}

/// The processor time that the processes which this one started have taken, as far as they have ended; zero where nothing
/// counts it.
///
/// # Errors
///
/// If the system does not say.
#[cfg(unix)]
pub(crate) fn children_time() -> Result<Duration, Failure> {
    let mut usage = MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the place is valid for writes of what it is given.
    if unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error().into());
    }
    // SAFETY: the call has succeeded, so it has written all of it.
    let usage = unsafe { usage.assume_init() };
    let time = |time: libc::timeval| {
        Duration::new(time.tv_sec.unsigned_abs(), time.tv_usec.unsigned_abs() as u32 * 1000)
    };
    Ok(time(usage.ru_utime) + time(usage.ru_stime))
}

/// The processor time that the processes which this one started have taken, as far as they have ended; zero where nothing
/// counts it.
#[cfg(not(unix))]
pub(crate) fn children_time() -> Result<Duration, Failure> {
    Ok(Duration::ZERO)
}

/// Nanoseconds that one read of the clock takes now, the mean of the middle half of many.
///
/// Every sample that lies between two reads contains the cost of one, and it is subtracted from ours and from
/// the limits alike: leaving it in would flatter the ratio of the larger to the smaller.
pub(crate) fn read_cost() -> f64 {
    let mut last = Instant::now();
    let mut reads: Vec<f64> = (0..2001)
        .map(|_| {
            let now = black_box(Instant::now());
            let elapsed = (now - last).as_nanos() as f64;
            last = now;
            elapsed
        })
        .collect();
    reads.sort_by(f64::total_cmp);
    middle(&reads)
}

/// Nanoseconds that `f` takes with what `choices` holds, in which both are the same.
///
/// Which of the two is taken depends on the time that was read, so the processor cannot begin before it knows
/// that time. Without this it loads ahead of a clock read, and most of a cache line's way here is not seen.
#[inline(always)]
pub(crate) fn time_of<T, R>(choices: [&T; 2], read_cost: f64, f: impl FnOnce(&T) -> R) -> (f64, R) {
    let choices = black_box(choices);
    let start = Instant::now();
    let nanos = black_box(start.duration_since(*ORIGIN).as_nanos() as u64);
    // Never set: the process would have to run for 292 years.
    let result = f(choices[(nanos >> 63) as usize]);
    // By reference: a copy of what was just stored in other pieces waits for those stores, and is not what is
    // measured.
    black_box(&result);
    (between(start, Instant::now(), read_cost), result)
}

static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Nanoseconds between two reads, less the cost of one.
pub(crate) fn between(start: Instant, end: Instant, read_cost: f64) -> f64 {
    ((end - start).as_nanos() as f64 - read_cost).max(0.0)
}

/// The percentiles of `samples` round trips, after a tenth as many that do not count. Each is given its
/// number, from 1 on.
pub(crate) fn timed(samples: u32, round_trip: impl Fn(u32) -> Result<(), Failure>) -> Run {
    let warm_up = samples / 10 + 1;
    (1..=warm_up).try_for_each(&round_trip)?;
    let cost = read_cost();
    let mut times = Vec::with_capacity(samples as usize);
    let mut start = Instant::now();
    for number in warm_up + 1..=warm_up + samples {
        round_trip(number)?;
        let end = Instant::now();
        times.push(between(start, end, cost));
        start = end;
    }
    Ok(percentiles(times))
}

/// Looks, without a pause, until a bare loop that stays on a device has answered with this number.
pub(crate) fn await_answer(answer: &AtomicU32, number: u32) -> Result<(), Failure> {
    let begun = Instant::now();
    let mut looks = 0u32;
    while answer.load(Ordering::Acquire) != number {
        spin_loop();
        looks = looks.wrapping_add(1);
        if looks.is_multiple_of(1 << 16) && begun.elapsed().as_secs() > 10 {
            return Err("the resident kernel does not answer".into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_a_thousand() {
        let samples = (0..=1000).rev().map(f64::from).collect();
        assert_eq!(percentiles(samples), [500.0, 500.0, 990.0, 999.0, 1000.0]);
    }
}
