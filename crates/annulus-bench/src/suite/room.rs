//! Sends to a kernel with room that works on one message meanwhile: nobody is asleep, so nobody is woken, and nothing is taken.

use std::time::{Duration, Instant};

use annulus::prelude::*;
use annulus_sync::spin_loop;

use super::stream::await_processed;
use crate::{
    harness::Failure,
    kernels::{Held, held_sink},
};

/// A kernel that is kept busy, and how it is.
pub(super) struct Busy {
    kernel: KernelHandle<held_sink>,
    /// Turns of a loop that its handler makes meanwhile.
    turns: u64,
    processed: u64,
}

/// A device's loops may have so many.
const MOST_TURNS: u64 = (1 << 24) - 1;

impl Busy {
    pub(super) fn new(kernel: KernelHandle<held_sink>) -> Self {
        Self { kernel, turns: 1 << 21, processed: 0 }
    }

    /// How long so many sends take. When this returns, all has been processed.
    pub(super) fn time(
        &mut self,
        messages: u64,
        mut send: impl FnMut(&KernelHandle<held_sink>, Held) -> Result<(), Failure>,
    ) -> Result<Duration, Failure> {
        for _ in 0..1000 {
            let _ = self.kernel.send_blocking(Held { number: 0, turns: self.turns })?;
            // Until the block is at it.
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_micros(50) {
                spin_loop();
            }
            let start = Instant::now();
            for number in 0..messages {
                send(&self.kernel, Held { number, turns: 0 })?;
            }
            let took = start.elapsed();
            let was_busy = self.kernel.status().processed == self.processed;
            self.processed += messages + 1;
            await_processed(&self.kernel, self.processed);
            if was_busy {
                return Ok(took);
            }
            self.turns = MOST_TURNS.min(2 * self.turns);
        }
        Err("the kernel is never busy for as long as the sends take".into())
    }

    /// The kernel, and how many messages it has processed.
    pub(super) fn into_kernel(self) -> (KernelHandle<held_sink>, u64) {
        (self.kernel, self.processed)
    }
}
