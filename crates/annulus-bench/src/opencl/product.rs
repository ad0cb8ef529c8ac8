//! A matrix product in OpenCL C as a person writes it, which a launch does.

use std::time::Instant;

use annulus_sync::Ordering;

use super::{Buffer, Device, OPTIONS};
use crate::{harness::Failure, kernels::cooperate::SIDE};

/// Threads of the work-group.
const ITEMS: usize = 256;

/// A built program with its matrices.
pub(crate) struct ByHand {
    device: Device,
    right: Buffer,
}

impl ByHand {
    pub(crate) fn new(a: &[f32], b: &[f32]) -> Result<Self, Failure> {
        let device = Device::open(include_str!("by_hand/product.cl"), OPTIONS)?;
        let right = Buffer::new(device.context, device.queue, SIDE * SIDE)?;
        for (buffer, values) in [(&device.input, a), (&right, b)] {
            for (at, value) in values.iter().enumerate() {
                buffer.word(at).store(value.to_bits(), Ordering::Relaxed);
            }
        }
        Ok(Self { device, right })
    }

    /// Microseconds of a launch that computes the product.
    pub(crate) fn run(&self) -> Result<f64, Failure> {
        let kernel = self.device.kernel(c"product")?;
        kernel.set(2, &self.right.memory)?;
        kernel.set(3, &1u32)?;
        let begun = Instant::now();
        kernel.launch(ITEMS)?;
        kernel.wait()?;
        Ok(begun.elapsed().as_secs_f64() * 1e6)
    }

    /// The product's bits.
    pub(crate) fn answer(&self) -> Vec<u32> {
        (0..SIDE * SIDE).map(|at| self.device.output.word(at).load(Ordering::Relaxed)).collect()
    }
}

impl Drop for ByHand {
    fn drop(&mut self) {
        // Failing to release leaks, which a benchmark survives.
        // SAFETY: made by `Buffer::new`, released once; `run` waits until its kernel has ended.
        let _ = unsafe { cl3::memory::release_mem_object(self.right.memory) };
    }
}
