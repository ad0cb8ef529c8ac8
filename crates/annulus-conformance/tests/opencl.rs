//! The OpenCL backend, where this machine has a device for it: kernels that stay, and kernels that run in
//! epochs.

use std::sync::OnceLock;

use annulus_conformance::{Subject, conformance_suite};
use annulus_opencl::OpenCl;
use annulus_runtime::Runtime;

/// A backend, its most blocks, whether its kernels have a clock, and by how much cases are smaller.
struct Device(OpenCl, u32, bool, u64);

impl Subject for Device {
    fn name(&self) -> &str {
        "opencl"
    }

    /// Asked once for all cases: a device is probed whenever it is opened.
    fn unavailable(&self) -> Option<String> {
        static TRIED: OnceLock<Option<String>> = OnceLock::new();
        let backend = || Runtime::builder().backend(self.0.clone()).build();
        TRIED.get_or_init(|| backend().err().map(|error| error.to_string())).clone()
    }

    fn runtime(&self) -> Runtime {
        Runtime::builder().backend(self.0.clone()).build().expect("it was available a moment ago")
    }

    fn most_blocks(&self) -> u32 {
        self.1
    }

    fn has_fine_clock(&self) -> bool {
        self.2
    }

    /// What stays answers at once: blocks of one thread go through the cases at their usual size.
    fn shrinks(&self) -> u64 {
        self.3
    }
}

/// How many blocks the tests of this process can keep on a device.
const BLOCKS: u32 = 256;

/// Room for the cases that launch a hundred kernels, two at a time.
fn opencl() -> OpenCl {
    OpenCl::new().resident_groups(BLOCKS)
}

/// Kernels stay on the device.
mod persistent {
    use super::*;
    conformance_suite!(Device(opencl(), BLOCKS, true, 1));
}

/// Kernels come back after each epoch.
mod epochs {
    use super::*;
    conformance_suite!(Device(opencl().force_epochs(), u32::MAX, true, 4));
}

/// Blocks of several threads, among which messages are dealt.
mod many_threads {
    use super::*;
    conformance_suite!(Device(opencl().threads_per_block(8), BLOCKS, true, 4));
}

/// As devices run it that have no more than OpenCL itself: no naps, no clock, no doorbell, and buffers
/// instead of shared virtual memory.
mod portable {
    use super::*;
    conformance_suite!(Device(
        opencl().force_epochs().force_portable().force_mapped_buffers(),
        u32::MAX,
        false,
        4
    ));
}
