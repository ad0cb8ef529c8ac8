//! The clock of kernels that run on this machine's processor: the system's monotonic clock.

use annulus_device::DeviceClock;
use annulus_runtime::RuntimeClock;

/// The function by which kernels in this process read the clock, and what it shows when the runtime's clock
/// shows 0.
#[cfg(target_os = "linux")]
pub(crate) fn clock(runtime: RuntimeClock) -> DeviceClock {
    let before = monotonic();
    let now = runtime.now();
    let after = monotonic();
    DeviceClock {
        needs: libc::clock_gettime as *const () as u64,
        origin: (before + (after - before) / 2).wrapping_sub(now),
    }
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
