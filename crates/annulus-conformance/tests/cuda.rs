//! The CUDA backend, on libraries that stand in for NVIDIA's: kernels that stay, and kernels that run in epochs.
#![cfg(target_os = "linux")]

use std::sync::OnceLock;

use annulus_conformance::{Subject, conformance_suite, cuda};
use annulus_cuda::Cuda;
use annulus_runtime::Runtime;

/// A backend, and its most blocks.
struct Device(Cuda, u32);

/// Loads the libraries, for the whole process; says why they cannot be had.
fn stand_in() -> Option<String> {
    static LOADED: OnceLock<Result<(), String>> = OnceLock::new();
    let load = || {
        let folder = cuda::build()?;
        // SAFETY: cases run one at a time, and the first comes here before anything else of CUDA: no C code reads the environment now.
        unsafe { std::env::set_var("ANNULUS_NVRTC", folder) };
        for (name, value) in SETTINGS {
            // SAFETY: as above.
            unsafe { std::env::set_var(name, value) };
        }
        cuda::stand_in()
    };
    LOADED.get_or_init(load).clone().err()
}

/// A device with room for the cases that launch a hundred kernels, two at a time.
const SETTINGS: [(&str, &str); 2] =
    [("ANNULUS_STAND_IN_MULTIPROCESSORS", "16"), ("ANNULUS_STAND_IN_BLOCKS", "16")];
const BLOCKS: u32 = 256;

impl Subject for Device {
    fn name(&self) -> &str {
        "cuda"
    }

    fn unavailable(&self) -> Option<String> {
        stand_in().or_else(|| {
            Runtime::builder().backend(self.0.clone()).build().err().map(|error| error.to_string())
        })
    }

    fn runtime(&self) -> Runtime {
        Runtime::builder().backend(self.0.clone()).build().expect("it was available a moment ago")
    }

    fn most_blocks(&self) -> u32 {
        self.1
    }
}

/// What the libraries compile must not lie beside what NVIDIA's do.
fn cuda() -> Cuda {
    Cuda::new().without_cache()
}

/// Kernels stay on the device, blocks of one thread.
mod persistent {
    use super::*;
    conformance_suite!(Device(cuda().threads_per_block(1), BLOCKS));
}

/// Blocks of as many threads as the backend takes unless told otherwise, among which messages are dealt.
mod many_threads {
    use super::*;
    conformance_suite!(Device(cuda(), BLOCKS));
}

/// Kernels come back after each epoch.
mod epochs {
    use super::*;
    conformance_suite!(Device(cuda().threads_per_block(1).force_epochs(), u32::MAX));
}
