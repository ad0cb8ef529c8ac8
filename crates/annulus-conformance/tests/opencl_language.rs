//! W-14: handlers on an OpenCL device, beside the same kernels on the CPU.

mod on_device;

use annulus_opencl::OpenCl;
use annulus_runtime::Runtime;

/// The device, or why there is none.
fn device() -> Result<Runtime, String> {
    Runtime::builder().backend(OpenCl::new()).build().map_err(|error| error.to_string())
}
