//! W-14: handlers through the CUDA backend, beside the same kernels on the CPU: on libraries that stand in for NVIDIA's.
#![cfg(target_os = "linux")]

mod on_device;

use std::sync::OnceLock;

use annulus_conformance::cuda;
use annulus_cuda::Cuda;
use annulus_runtime::Runtime;

/// The device, or why there is none.
fn device() -> Result<Runtime, String> {
    static LOADED: OnceLock<Result<(), String>> = OnceLock::new();
    let load = || {
        // As `./test-gpu` runs it: NVIDIA's own.
        if std::env::var_os("ANNULUS_GPU").is_some() {
            return Ok(());
        }
        let folder = cuda::build()?;
        // SAFETY: each test comes here before anything else of CUDA, and waits until this is done: no C code reads the environment now.
        unsafe { std::env::set_var("ANNULUS_NVRTC", folder) };
        cuda::stand_in()
    };
    LOADED.get_or_init(load).clone()?;
    // What the libraries compile must not lie beside what NVIDIA's do.
    let cuda = Cuda::new().without_cache().threads_per_block(2);
    Runtime::builder().backend(cuda).build().map_err(|error| error.to_string())
}
