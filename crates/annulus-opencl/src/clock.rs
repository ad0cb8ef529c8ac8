//! The clock of kernels that run on this machine's processor: the system's monotonic clock.

use annulus_device::DeviceClock;
use annulus_runtime::RuntimeClock;

/// The function by which kernels in this process read the clock, and what it shows when the runtime's clock
/// shows 0.
#[cfg(target_os = "linux")]
pub(crate) fn clock(runtime: RuntimeClock) -> DeviceClock {
    DeviceClock {
        needs: libc::clock_gettime as *const () as u64,
        origin: origin(monotonic, || runtime.now()),
    }
}

/// What the kernels' clock shows when the runtime's shows 0. Of several looks at both the shortest counts: one
/// that was interrupted is wrong by as long. Kernels are never ahead of the runtime.
#[cfg(target_os = "linux")]
fn origin(kernels: impl Fn() -> u64, runtime: impl Fn() -> u64) -> u64 {
    let look = || {
        let (before, now, after) = (kernels(), runtime(), kernels());
        (after.saturating_sub(before), after.wrapping_sub(now))
    };
    let mut best = look();
    // As many as take about a microsecond.
    for _ in 1..16 {
        best = best.min(look());
    }
    best.1
}

/// What the system's monotonic clock shows, in nanoseconds.
#[cfg(target_os = "linux")]
fn monotonic() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is valid for writes.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Kernels have no clock elsewhere.
#[cfg(not(target_os = "linux"))]
pub(crate) fn clock(_: RuntimeClock) -> DeviceClock {
    DeviceClock::default()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::cell::Cell;

    use super::origin;

    /// All times of a kernel were wrong by three milliseconds if the host was interrupted for six as it looked.
    #[test]
    fn bug_an_interrupted_look_shifts_all_times() {
        // Whoever reads a clock takes 10 nanoseconds, but for one who is interrupted.
        for interrupted in 0..48 {
            let (time, reads) = (Cell::new(1_000_000), Cell::new(0));
            let read = || {
                let took = if reads.replace(reads.get() + 1) == interrupted { 6_000_000 } else { 10 };
                time.set(time.get() + took);
                time.get()
            };
            let origin = origin(read, || read() - 700_000);
            assert!((700_000..=700_020).contains(&origin), "{interrupted}: {origin}");
        }
    }
}
