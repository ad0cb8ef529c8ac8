//! What single instructions of a device cost, and what it promises of them: the figures that the design of a
//! resident kernel rests on.

use annulus_sync::Ordering;
use cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg, sys};

use super::{Buffer, Device, Own, Source, failed};
use crate::{
    clock::{await_answer, timed},
    harness::{Failure, Run},
};

pub(super) const SOURCE: Source = ("micro", include_str!("micro.cu"));
/// In 32-bit words: where what a loop found lies, far from what it works on.
const FOUND: usize = 512;

/// What a loop works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// Memory of the host that is pinned, and mapped for the device.
    Host,
    /// Managed memory that stays with the host.
    Managed,
    /// The device's own.
    Device,
}

/// The device, with room for what a loop works on.
struct Bench {
    device: Device,
    own: Own,
    /// If it is asked for: not every device has any.
    managed: Option<Buffer>,
}

impl Bench {
    fn open() -> Result<Self, Failure> {
        let device = Device::open(SOURCE)?;
        let own = Own::new(&device.flags.context, 4096)?;
        Ok(Self { device, own, managed: None })
    }

    /// With memory of this kind.
    fn open_with(on: Where) -> Result<Self, Failure> {
        let mut bench = Self::open()?;
        if on == Where::Managed {
            bench.managed = Some(Buffer::managed(&bench.device.flags.context, 1024)?);
        }
        Ok(bench)
    }

    fn place(&self, place: Where) -> sys::CUdeviceptr {
        match place {
            Where::Host => self.device.flags.device,
            Where::Managed => self.managed.as_ref().expect("`open_with` made it").device,
            Where::Device => self.own.device,
        }
    }

    fn found(&self) -> sys::CUdeviceptr {
        self.device.flags.device + FOUND as u64 * 4
    }

    /// The 64-bit value at `index` of what the last loop found.
    fn value(&self, index: usize) -> u64 {
        let half =
            |half: usize| u64::from(self.device.flags.word(FOUND + 2 * index + half).load(Ordering::Acquire));
        half(0) | half(1) << 32
    }

    /// Runs a loop with these arguments to its end, and gives nanoseconds a round.
    fn time(
        &self,
        name: &str,
        on: Option<Where>,
        threads: u32,
        rounds: u32,
        more: Option<u32>,
    ) -> Result<f64, Failure> {
        let function: CudaFunction = self.device.function(name)?;
        let (place, found) = (on.map(|on| self.place(on)), self.found());
        let mut launch = self.device.stream.launch_builder(&function);
        if let Some(place) = &place {
            launch.arg(place);
        }
        launch.arg(&found).arg(&rounds);
        if let Some(more) = &more {
            launch.arg(more);
        }
        let shape = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the arguments are those of the loop of this name in `micro.cu`; the memory lives until the
        // loop has ended, below.
        unsafe { launch.launch(shape) }.map_err(failed("cuLaunchKernel"))?;
        self.device.wait()?;
        Ok(self.value(0) as f64 / f64::from(rounds))
    }
}

/// Nanoseconds of a load that waits for the one before it.
pub(crate) fn load(on: Where, rounds: u32) -> Run {
    let name = match on {
        Where::Host | Where::Managed => "loads",
        Where::Device => "near_loads",
    };
    Ok(vec![Bench::open_with(on)?.time(name, Some(on), 1, rounds, None)?])
}

/// Nanoseconds of an atomic addition in the device's memory that waits for the one before it.
pub(crate) fn atomic(rounds: u32) -> Run {
    Ok(vec![Bench::open()?.time("atomics", Some(Where::Device), 1, rounds, None)?])
}

/// Nanoseconds of a system fence behind so many stores to lines of the host's memory, of this kind.
pub(crate) fn fence(on: Where, stores: u32, rounds: u32) -> Run {
    Ok(vec![Bench::open_with(on)?.time("fences", Some(on), 1, rounds, Some(stores))?])
}

/// Nanoseconds of a barrier of a block.
pub(crate) fn barrier(threads: u32, rounds: u32) -> Run {
    Ok(vec![Bench::open()?.time("barriers", None, threads, rounds, None)?])
}

/// Nanoseconds of a barrier of each warp of a block.
pub(crate) fn warp_barrier(threads: u32, rounds: u32) -> Run {
    Ok(vec![Bench::open()?.time("warp_barriers", None, threads, rounds, None)?])
}

/// The smallest step of the device's clock that was seen, in nanoseconds.
pub(crate) fn clock_step(looks: u32) -> Run {
    let bench = Bench::open()?;
    bench.time("steps", None, 1, looks, None)?;
    match bench.value(0) {
        u64::MAX => Err("the device's clock stood still".into()),
        step => Ok(vec![step as f64]),
    }
}

/// The percentiles of the way of a word to a thread that looks for it, and of its answer to the host, in
/// nanoseconds, through the host's memory of this kind.
pub(crate) fn word_round_trips(on: Where, samples: u32) -> Run {
    let bench = Bench::open_with(on)?;
    let device = &bench.device;
    let words = bench.managed.as_ref().unwrap_or(&device.flags);
    let function = device.function("echo")?;
    let answer = words.device + FOUND as u64 * 4;
    let mut launch = device.stream.launch_builder(&function);
    launch.arg(&words.device).arg(&answer);
    let shape = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: `echo` takes two pointers, to words that live until it has ended, below.
    unsafe { launch.launch(shape) }.map_err(failed("cuLaunchKernel"))?;
    let result = timed(samples, |number| {
        words.word(0).store(number, Ordering::Release);
        await_answer(words.word(FOUND), number)
    });
    words.word(0).store(u32::MAX, Ordering::Release);
    device.wait()?;
    result
}
