//! The backend, and what its user decides.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use annulus_device::{DeviceHost, DeviceOptions, HostOptions, device_options};
use annulus_runtime::{BackendError, BackendSource, DeviceBackend};

use crate::{
    THREADS, device,
    driver::{CudaDriver, Reserve},
    program::Sources,
};

/// The CUDA backend, as `Runtime::builder().backend(…)` takes it.
///
/// ```no_run
/// use annulus_cuda::Cuda;
/// use annulus_runtime::Runtime;
/// let runtime = Runtime::builder().backend(Cuda::new().device_named("H200")).build()?;
/// println!("{:?}", runtime.devices());
/// # Ok::<(), annulus_runtime::BackendError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cuda {
    options: DeviceOptions,
    /// Machine code that was shipped with the program.
    shipped: Option<PathBuf>,
    reserve: Reserve,
}

/// The default number of bytes of host memory that are reserved. Rings, records and telemetry lie there.
pub const PINNED_BYTES: usize = 64 << 20;

impl Cuda {
    /// The first device of this machine, [`THREADS`] threads per block unless a launch says more.
    pub fn new() -> Self {
        let host = HostOptions { threads: THREADS, sealed: true, ..HostOptions::default() };
        Self {
            options: DeviceOptions::new("cuda", host),
            shipped: None,
            reserve: Reserve { pinned: PINNED_BYTES, device: None },
        }
    }

    device_options! {
        index: " It is the driver's order, which `CUDA_VISIBLE_DEVICES` changes.",
        named: "name",
        threads: "A block's threads share its messages: one warp's are 32.",
        cache: "cuda",
        uncached: " but what was shipped along",
    }

    /// Whether small messages come to blocks of several threads in sealed slots. In a sealed slot each 16
    /// bytes prove by themselves that they belong to the expected message. So the device waits for the bus
    /// once per message, not twice. A third more bytes cross the bus, and the host writes 16 bytes at a time.
    ///
    /// Sealed slots are the default where the host's processor stores 16 bytes in one access (x86-64 with
    /// AVX), messages with their envelope have up to 348 bytes, and NVRTC, if there is one, is that of CUDA
    /// 12.4 or newer. Elsewhere slots are open, whatever this option says. A launch that wants open slots says so by
    /// [`LaunchOptions::sealed`](annulus_runtime::LaunchOptions::sealed). On an H200 a round trip of 56 bytes takes
    /// 2.8 µs with sealed slots, and 4.4 µs with open ones. `annulus-bench rtt --backend cuda` measures both.
    pub fn sealed(mut self, sealed: bool) -> Self {
        self.options.host.sealed = sealed;
        self
    }

    /// The least number of bytes of host memory that are reserved, pinned, when the backend is opened. Rings,
    /// records and telemetry lie there. More is reserved when it is needed; kernels that stay leave the
    /// device during that time.
    pub fn pinned_bytes(mut self, bytes: usize) -> Self {
        self.reserve.pinned = bytes.max(PINNED_LEAST);
        self
    }

    /// The least number of bytes of device memory that are reserved when the backend is opened. States and
    /// bound memory lie there. The default is 256 MiB, or an eighth of the device's memory if that is less.
    /// More is reserved when it is needed; kernels that stay leave the device during that time.
    pub fn device_bytes(mut self, bytes: usize) -> Self {
        self.reserve.device = Some(bytes.max(1));
        self
    }

    /// A folder with machine code that `annulus emit KERNEL --cubin` has made. With it a program runs where
    /// there is no NVRTC. Programs that are not found there are compiled.
    pub fn cubins(mut self, folder: impl AsRef<Path>) -> Self {
        self.shipped = Some(folder.as_ref().into());
        self
    }
}

/// What a backend needs for itself: the pump's doorbell, and a buffer for copies.
const PINNED_LEAST: usize = 4 << 20;

impl Default for Cuda {
    fn default() -> Self {
        Self::new()
    }
}

impl BackendSource for Cuda {
    fn open(self) -> Result<Arc<dyn DeviceBackend>, BackendError> {
        let DeviceOptions { choice, cache, host } = self.options;
        let devices = device::devices()?;
        let device = choice.of(devices, "CUDA").map_err(BackendError::new)?;
        let sources = Sources { shipped: self.shipped, cache };
        let opened = device.open(&sources)?;
        let driver = CudaDriver::new(device, devices, opened, host.epochs, sources, self.reserve)?;
        Ok(Arc::new(DeviceHost::new(driver, host)?))
    }
}
