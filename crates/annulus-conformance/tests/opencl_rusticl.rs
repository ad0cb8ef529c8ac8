//! The OpenCL backend on Mesa's rusticl, where it is installed.
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
        "opencl on rusticl"
    }

    fn unavailable(&self) -> Option<String> {
        static CHOSEN: OnceLock<Result<(), String>> = OnceLock::new();
        let chosen = CHOSEN.get_or_init(|| icd::choose(Implementation::Rusticl));
        chosen.clone().and_then(|()| self.build().map(drop)).err()
    }

    fn runtime(&self) -> Runtime {
        self.build().expect("it was available a moment ago")
    }

    fn most_blocks(&self) -> u32 {
        self.1
    }

    /// Mesa 22.3's compiler crashes when the kernels of several programs are created one after the other.
    fn crashes(&self) -> bool {
        true
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

/// No kernel stays.
mod epochs {
    use super::*;
    conformance_suite!(Device(OpenCl::new(), u32::MAX));
}
