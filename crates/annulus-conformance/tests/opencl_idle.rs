//! What idle kernels cost on the OpenCL backend, the pump included. Alone in its process, whose processor
//! time is measured.

use annulus_conformance::{Subject, idle_suite};
use annulus_opencl::OpenCl;
use annulus_runtime::Runtime;

struct Device;

impl Subject for Device {
    fn name(&self) -> &str {
        "opencl"
    }

    fn unavailable(&self) -> Option<String> {
        match Runtime::builder().backend(opencl()).build() {
            Err(error) => Some(error.to_string()),
            // Elsewhere blocks that stay have no naps.
            Ok(runtime) if !runtime.devices()[0].notes[0].starts_with("Portable Computing Language") => {
                Some("its blocks cannot nap".into())
            }
            Ok(_) => None,
        }
    }

    fn runtime(&self) -> Runtime {
        Runtime::builder().backend(opencl()).build().expect("it was available a moment ago")
    }
}

fn opencl() -> OpenCl {
    OpenCl::new().resident_groups(128)
}

idle_suite!(Device);
