//! Whether 16 bytes that are stored in one access are ever seen torn, in both directions: sealed slots rest
//! on there being no such look.
//!
//! A look is one lane's load of its own unit, one of [`UNITS`] that lie next to each other: lanes of a warp that
//! load the same address share one request, and their loads would be one look. Warps that load the same lines
//! in the same moment may still be answered by one read of the bus, so looks are an upper bound of such reads.
//! How many saw something new is counted beside them.
//!
//! Each loop of the device takes a fraction of a second, and is launched again until enough looks were made
//! or the time is up: a device that looks slowly costs no more time than one that looks fast.

use std::time::Duration;
#[cfg(target_arch = "x86_64")]
use std::{mem::MaybeUninit, thread, time::Instant};

#[cfg(target_arch = "x86_64")]
use annulus_ring::region::Region;
#[cfg(target_arch = "x86_64")]
use annulus_sync::{AtomicBool, Ordering};
#[cfg(target_arch = "x86_64")]
use cudarc::driver::{LaunchConfig, PushKernelArg};

#[cfg(any(test, target_arch = "x86_64"))]
use super::Source;
#[cfg(target_arch = "x86_64")]
use super::{Buffer, Device, Own, failed};
#[cfg(target_arch = "x86_64")]
use crate::harness::Failure;
use crate::harness::Run;

#[cfg(any(test, target_arch = "x86_64"))]
pub(super) const SOURCE: Source = ("units", include_str!("units.cu"));
/// One for each lane of a warp.
#[cfg(target_arch = "x86_64")]
const UNITS: usize = 32;

/// What the figures of [`seen_by_device`] and [`seen_by_host`] are.
pub(crate) const METRICS: &[&str] = &["millions", "torn", "millions new"];

/// When it is enough.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "without such accesses nothing looks"))]
pub(crate) struct Enough {
    pub(crate) looks: u64,
    pub(crate) time: Duration,
}

#[cfg(target_arch = "x86_64")]
impl Enough {
    /// Calls `more` until it has made as many looks, all together, or as much time has gone by. At least
    /// once.
    fn until(self, mut more: impl FnMut() -> Result<u64, Failure>) -> Result<u64, Failure> {
        let begun = Instant::now();
        let mut looks = 0;
        loop {
            looks += more()?;
            if looks >= self.looks || begun.elapsed() >= self.time {
                return Ok(looks);
            }
        }
    }
}

/// Looks by many threads of the device, in whole warps, at units of 16 bytes that the host stores again and
/// again: millions of looks; those at which a unit's halves differed; and millions of those that saw another
/// unit than the lane's look before.
#[cfg(target_arch = "x86_64")]
pub(crate) fn seen_by_device(blocks: u32, threads: u32, enough: Enough) -> Run {
    /// Of each thread, in a launch.
    const ROUNDS: u32 = 1000;
    assert!(threads.is_multiple_of(UNITS as u32), "warps are whole");
    let device = Device::open(SOURCE)?;
    let function = device.function("units")?;
    // Not in the host's memory: counts on the bus would be in the looks' way.
    let counts = Own::new(&device.flags.context, 16)?;
    let shape = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 };
    let (stop, units) = (AtomicBool::new(false), units_of(&device.flags));
    let looks = thread::scope(|scope| {
        scope.spawn(|| store_until(&units, &stop));
        let looks = enough.until(|| {
            let mut launch = device.stream.launch_builder(&function);
            launch.arg(&device.flags.device).arg(&counts.device).arg(&ROUNDS);
            // SAFETY: `units` takes two pointers and a number; the memory lives until it has ended, below.
            unsafe { launch.launch(shape) }.map_err(failed("cuLaunchKernel"))?;
            device.wait()?;
            Ok(u64::from(ROUNDS) * u64::from(blocks * threads))
        });
        stop.store(true, Ordering::Relaxed);
        looks
    })?;
    let [torn, new] = counts.numbers()?;
    figures(looks, torn, new)
}

/// Looks by the host at units of 16 bytes that a warp of the device stores again and again, each lane one of
/// them: the same figures.
#[cfg(target_arch = "x86_64")]
pub(crate) fn seen_by_host(enough: Enough, stores: u32) -> Run {
    let device = Device::open(SOURCE)?;
    let function = device.function("store_units")?;
    let units = units_of(&device.flags);
    let shape = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (UNITS as u32, 1, 1), shared_mem_bytes: 0 };
    let (mut first, mut torn, mut new, mut last) = (1u64, 0, 0, [0; UNITS]);
    let looks = enough.until(|| {
        let mut launch = device.stream.launch_builder(&function);
        launch.arg(&device.flags.device).arg(&first).arg(&stores);
        // SAFETY: `store_units` takes a pointer and two numbers; the memory lives until it has ended, below.
        unsafe { launch.launch(shape) }.map_err(failed("cuLaunchKernel"))?;
        first += u64::from(stores);
        let mut looks = 0;
        // The driver is asked now and then only: looks are to come close to one another.
        while !device.is_done()? {
            for _ in 0..32 {
                for (index, last) in last.iter_mut().enumerate() {
                    let (low, high) = load(&units, index);
                    torn += u64::from(low != high);
                    new += u64::from(low != *last);
                    *last = low;
                }
            }
            looks += 32 * UNITS as u64;
        }
        Ok(looks)
    })?;
    figures(looks, torn, new)
}

#[cfg(target_arch = "x86_64")]
fn figures(looks: u64, torn: u64, new: u64) -> Run {
    if new == 0 {
        return Err(format!("none of {looks} looks saw a unit of the other side").into());
    }
    Ok(vec![looks as f64 / 1e6, torn as f64, new as f64 / 1e6])
}

/// The first units of the buffer, by the accesses that the runtime's host has for units of sealed slots.
#[cfg(target_arch = "x86_64")]
fn units_of(buffer: &Buffer) -> Region {
    // SAFETY: the driver aligns what it allocates to a page, and the buffer has more bytes; it lives until
    // the region was used for the last time, in both callers. Nobody takes a word of the units from the
    // region.
    unsafe { Region::new(buffer.words.cast(), 16 * UNITS) }
}

/// Stores units whose halves are equal, one place behind the other, until it is told to stop.
#[cfg(target_arch = "x86_64")]
fn store_until(units: &Region, stop: &AtomicBool) {
    let mut number = 0u64;
    while !stop.load(Ordering::Relaxed) {
        number += 1;
        let (low, high) = (number as u32, (number >> 32) as u32);
        let content = [low, high, low].map(MaybeUninit::new);
        for index in 0..UNITS {
            // SAFETY: the region has so many units, which this thread alone writes; x86-64 is named.
            unsafe { units.store_unit(16 * index, &content, high) };
        }
    }
}

/// Both halves of the unit in this place.
#[cfg(target_arch = "x86_64")]
fn load(units: &Region, index: usize) -> (u64, u64) {
    let [a, b, c, d] = units.load_unit(16 * index).map(u64::from);
    (a | b << 32, c | d << 32)
}

/// Without such accesses on this processor there is nothing to find out.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn seen_by_device(_: u32, _: u32, _: Enough) -> Run {
    Err(NO_ACCESS.into())
}

/// The same.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn seen_by_host(_: Enough, _: u32) -> Run {
    Err(NO_ACCESS.into())
}

#[cfg(not(target_arch = "x86_64"))]
const NO_ACCESS: &str = "this processor has no access of 16 bytes";
