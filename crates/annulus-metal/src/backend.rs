//! The backend, and what its user decides.

use std::sync::{Arc, Mutex};

use annulus_device::{DeviceHost, DeviceOptions, HostOptions, device_options};
use annulus_runtime::{BackendError, BackendSource, DeviceBackend};

use crate::{device, driver::MetalDriver};

/// The Metal backend, as `Runtime::builder().backend(…)` takes it.
///
/// ```no_run
/// use annulus_metal::Metal;
/// use annulus_runtime::Runtime;
/// let runtime = Runtime::builder().backend(Metal::new()).build()?;
/// println!("{:?}", runtime.devices());
/// # Ok::<(), annulus_runtime::BackendError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Metal {
    options: DeviceOptions,
    device_heap_bytes: usize,
}

/// Default size of the memory for rings between kernels.
const DEVICE_HEAP_BYTES: usize = 16 << 20;
/// Threads of a block unless something else is said: two SIMD groups.
const THREADS: u32 = 64;

impl Metal {
    /// The first device, 64 threads per block unless a launch says more.
    pub fn new() -> Self {
        let host = HostOptions { threads: THREADS, ..HostOptions::default() };
        Self { options: DeviceOptions::new("metal", host), device_heap_bytes: DEVICE_HEAP_BYTES }
    }

    device_options! {
        index: "",
        named: "name",
        threads: "A GPU runs 32 of them in step.",
        cache: "metal",
        uncached: "; Metal keeps its programs by itself, in its own cache",
    }

    /// How many bytes of memory all rings between kernels have together
    /// ([`LaunchOptions::connectable`](annulus_runtime::LaunchOptions::connectable)); 16 MiB by default. The
    /// memory is taken when the first connectable kernel is launched.
    pub fn device_heap_bytes(mut self, bytes: usize) -> Self {
        self.device_heap_bytes = bytes;
        self
    }
}

impl Default for Metal {
    fn default() -> Self {
        Self::new()
    }
}

impl BackendSource for Metal {
    fn open(self) -> Result<Arc<dyn DeviceBackend>, BackendError> {
        let devices = device::devices()?;
        let device = self.options.choice.of(devices, "Metal").map_err(BackendError::new)?;
        let opened = device.open()?;
        let driver = MetalDriver {
            device,
            devices,
            opened,
            device_heap_bytes: self.device_heap_bytes,
            device_heap: Mutex::default(),
        };
        Ok(Arc::new(DeviceHost::new(driver, self.options.host)?))
    }
}
