//! The OpenCL backend on Intel's runtime for processors, where it is.
#![cfg(target_os = "linux")]

use std::sync::OnceLock;

use annulus_conformance::{
    Subject, conformance_suite,
    icd::{self, Implementation},
    is_wrong_with_a_device,
};
use annulus_opencl::OpenCl;
use annulus_runtime::Runtime;

/// A backend, and its most blocks.
struct Device(OpenCl, u32);

impl Subject for Device {
    fn name(&self) -> &str {
        "opencl on Intel's runtime"
    }

    fn unavailable(&self) -> Option<String> {
        static CHOSEN: OnceLock<Result<(), String>> = OnceLock::new();
        let chosen = CHOSEN.get_or_init(|| icd::choose(Implementation::Intel));
        chosen.clone().and_then(|()| self.build().map(drop)).err()
    }

    fn runtime(&self) -> Runtime {
        self.build().expect("it was available a moment ago")
    }

    fn most_blocks(&self) -> u32 {
        self.1
    }

    fn has_fine_clock(&self) -> bool {
        false
    }

    fn may_refuse(&self, why: &str) -> bool {
        is_wrong_with_a_device(why)
    }
}

impl Device {
    fn build(&self) -> Result<Runtime, String> {
        Runtime::builder().backend(self.0.clone()).build().map_err(|error| error.to_string())
    }
}

/// One block stays, where nothing else wants the device; all else runs in epochs.
mod persistent {
    use super::*;
    conformance_suite!(Device(OpenCl::new(), u32::MAX));
}

/// Everything runs in epochs.
mod epochs {
    use super::*;
    conformance_suite!(Device(OpenCl::new().force_epochs(), u32::MAX));
}
