//! The devices that handlers are tested on.

use std::sync::OnceLock;

use annulus_opencl::OpenCl;
use annulus_runtime::Runtime;

/// The device, or why there is none.
pub(crate) type Device = fn() -> Result<Runtime, String>;

/// The machine's OpenCL device.
pub(crate) fn opencl() -> Result<Runtime, String> {
    let _ = environment();
    Runtime::builder().backend(OpenCl::new()).build().map_err(|error| error.to_string())
}

/// Libraries that stand in for NVIDIA's.
#[cfg(target_os = "linux")]
pub(crate) fn cuda() -> Result<Runtime, String> {
    use annulus_conformance::cuda::on_a_gpu;
    use annulus_cuda::Cuda;

    environment()?;
    if !on_a_gpu() {
        annulus_conformance::cuda::stand_in()?;
    }
    // What the libraries compile must not lie beside what NVIDIA's do.
    let cuda = if on_a_gpu() { Cuda::new() } else { Cuda::new().without_cache() };
    let cuda = cuda.threads_per_block(2);
    let runtime = Runtime::builder().backend(cuda).build().map_err(|error| error.to_string());
    // A GPU, or the stand-in that was built just now: without it tests would pass that compared nothing.
    assert!(runtime.is_ok(), "CUDA does not run: {:?}", runtime.err());
    runtime
}

/// Says where the stand-in for NVIDIA's compiler is, once for the process, whichever device comes first.
fn environment() -> Result<(), String> {
    static SET: OnceLock<Result<(), String>> = OnceLock::new();
    let set = || {
        #[cfg(target_os = "linux")]
        if !annulus_conformance::cuda::on_a_gpu() {
            let folder = annulus_conformance::cuda::build()?;
            // SAFETY: each test comes here before anything of OpenCL or CUDA, and waits until this is done:
            // no C code reads the environment now.
            unsafe { std::env::set_var("ANNULUS_NVRTC", folder) };
        }
        Ok(())
    };
    SET.get_or_init(set).clone()
}
