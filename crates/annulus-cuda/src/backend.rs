//! The backend and its launches.

use std::path::Path;

use std::sync::Arc;

use annulus_device::{DeviceHost, Faults, HandlerText, HostOptions, default_directory};
use annulus_kernel::KernelDefinition;
use annulus_runtime::{
    BackendError, BackendSource, DeviceBackend, DeviceInfo, DeviceKernel, LaunchSpec, SharedMemory,
};

use crate::{
    THREADS,
    cu::{self, Platform},
    device::{self, Device},
    driver::{CudaDriver, Reserve},
    probe::Verdict,
    program::{Sources, compiles_sealed},
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
    choice: Choice,
    sources: Sources,
    reserve: Reserve,
    host: HostOptions,
}

#[derive(Clone, Debug)]
enum Choice {
    Index(usize),
    Named(String),
}

/// Bytes of the host's memory that are reserved unless a program says otherwise: rings, records and telemetry
/// lie there.
pub const PINNED_BYTES: usize = 64 << 20;

impl Cuda {
    /// The first device of this machine, [`THREADS`] threads per block unless a launch says more.
    pub fn new() -> Self {
        Self {
            choice: Choice::Index(0),
            sources: Sources { shipped: None, cache: default_directory("cuda") },
            reserve: Reserve { pinned: PINNED_BYTES, device: None },
            host: HostOptions { threads: THREADS, sealed: true, ..HostOptions::default() },
        }
    }

    /// The device at this place of `annulus devices`' list. It is the driver's order, which
    /// `CUDA_VISIBLE_DEVICES` changes.
    pub fn device_index(mut self, index: usize) -> Self {
        self.choice = Choice::Index(index);
        self
    }

    /// The first device whose name contains this, upper or lower case.
    pub fn device_named(mut self, part: impl Into<String>) -> Self {
        self.choice = Choice::Named(part.into());
        self
    }

    /// Threads of a block, for launches that leave `LaunchOptions::block` at 1. A block's threads share its
    /// messages: one warp's are 32.
    pub fn threads_per_block(mut self, threads: u32) -> Self {
        self.host.threads = threads.max(1);
        self
    }

    /// Runs kernels in bounded epochs even where they could stay.
    pub fn force_epochs(mut self) -> Self {
        self.host.epochs = true;
        self
    }

    /// Whether small messages come to blocks of several threads in sealed slots: each 16 bytes of a slot
    /// prove by themselves that they are of the message which is waited for, so that the device waits for the
    /// bus once per message, and not twice. A third more bytes cross the bus, and the host writes 16 bytes at
    /// a time.
    ///
    /// They are by default, where the host's processor stores 16 bytes in one access (x86-64 with AVX),
    /// messages with their envelope have up to 256 bytes, and NVRTC, if there is one, is that of CUDA 12.4 or
    /// newer; elsewhere slots are open, whatever is said here. That this is faster is reasoned and has not
    /// been measured on a GPU. `annulus-bench rtt --backend cuda` measures both.
    pub fn sealed(mut self, sealed: bool) -> Self {
        self.host.sealed = sealed;
        self
    }

    /// How many bytes of the host's memory are reserved, pinned, when the backend is opened, at least: rings,
    /// records and telemetry lie there. More is reserved when it is needed; kernels that stay leave the
    /// device for as long.
    pub fn pinned_bytes(mut self, bytes: usize) -> Self {
        self.reserve.pinned = bytes.max(PINNED_LEAST);
        self
    }

    /// How many bytes of the device's memory are reserved when the backend is opened, at least: states and
    /// bound memory lie there. 256 MiB unless said, or an eighth of what the device has if that is less. More
    /// is reserved when it is needed; kernels that stay leave the device for as long.
    pub fn device_bytes(mut self, bytes: usize) -> Self {
        self.reserve.device = Some(bytes.max(1));
        self
    }

    /// A folder with machine code that was made beforehand, by `annulus emit KERNEL --cubin`: with it a
    /// program runs where there is no NVRTC. What is not found there is compiled.
    pub fn cubins(mut self, folder: impl AsRef<Path>) -> Self {
        self.sources.shipped = Some(folder.as_ref().into());
        self
    }

    /// Where machine code is kept. By default `annulus/cuda` in the user's cache directory. A directory in
    /// which others may write is not used, which is said once.
    pub fn cache_directory(mut self, directory: impl AsRef<Path>) -> Self {
        self.sources.cache = Some(directory.as_ref().into());
        self
    }

    /// Keeps no machine code on disk, and takes none from there but what was shipped along.
    pub fn without_cache(mut self) -> Self {
        self.sources.cache = None;
        self
    }

    /// Where the C of a kernel's handler comes from: for tests of the device runtime.
    #[doc(hidden)]
    pub fn handlers(mut self, handler: HandlerText) -> Self {
        self.host.handler = Some(handler);
        self
    }

    /// For tests of what happens then.
    #[doc(hidden)]
    pub fn faults(mut self, faults: Faults) -> Self {
        self.host.faults = faults;
        self
    }

    fn choose(&self, devices: &'static [Device]) -> Result<&'static Device, BackendError> {
        let found = match &self.choice {
            Choice::Index(index) => devices.get(*index),
            Choice::Named(part) => {
                let part = part.to_lowercase();
                devices.iter().find(|device| device.name.to_lowercase().contains(&part))
            }
        };
        found.ok_or_else(|| {
            let wanted = match &self.choice {
                Choice::Index(index) => format!("has the index {index}"),
                Choice::Named(part) => format!("has `{part}` in its name"),
            };
            let names: Vec<_> = devices.iter().map(|device| format!("`{}`", device.name)).collect();
            BackendError::new(format!("no CUDA device {wanted}: there is {}", names.join(", ")))
        })
    }
}

/// What a backend needs for itself: the pump's doorbell, and room to copy through.
const PINNED_LEAST: usize = 4 << 20;

impl Default for Cuda {
    fn default() -> Self {
        Self::new()
    }
}

impl BackendSource for Cuda {
    fn open(self) -> Result<Arc<dyn DeviceBackend>, BackendError> {
        let device = self.choose(device::devices()?)?;
        let opened = device.open(&self.sources)?;
        let driver = CudaDriver::new(device, opened, self.host.epochs, self.sources.clone(), self.reserve)?;
        let host = DeviceHost::new(driver, self.host.clone())?;
        Ok(Arc::new(CudaBackend { device, host, options: self }))
    }
}

struct CudaBackend {
    device: &'static Device,
    host: DeviceHost,
    options: Cuda,
}

// SAFETY: `DeviceHost` launches kernels whose blocks serve one shard each by the device runtime's protocol: a
// block's leader is the inbound ring's one consumer and the outbound ring's one producer, handlers are the
// definition's own text over types of the definition's layout, and a block that has stored *terminated*
// touches neither rings nor states again (`annulus_block`).
unsafe impl DeviceBackend for CudaBackend {
    fn name(&self) -> &'static str {
        "cuda"
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        let others =
            device::devices().unwrap_or_default().iter().filter(|device| !std::ptr::eq(*device, self.device));
        std::iter::once(self.device).chain(others).map(|device| self.describe(device)).collect()
    }

    fn allocate(&self, bytes: usize) -> Result<SharedMemory, BackendError> {
        self.host.allocate(bytes)
    }

    fn seals(&self, definition: &KernelDefinition, block: u32) -> bool {
        self.host.seals(definition, block) && compiles_sealed()
    }

    fn launch(&self, spec: LaunchSpec) -> Result<Box<dyn DeviceKernel>, BackendError> {
        self.host.launch(spec)
    }
}

impl CudaBackend {
    fn describe(&self, device: &Device) -> DeviceInfo {
        let (major, minor) = cu::driver_version();
        let mut notes = vec![format!(
            "{}, {} multiprocessors, {} MiB, at {}, driver for CUDA {major}.{minor}",
            device.architecture,
            device.id.multiprocessors(),
            device.id.memory() >> 20,
            device.id.bus(),
        )];
        // Opening a device takes memory of it, which is left to who uses it.
        match device.opened() {
            None => notes.push(
                match device.id.platform() {
                    Platform::Plain => "not opened by this program",
                    Platform::Wddm => "not opened by this program; epochs: in display mode (WDDM)",
                    Platform::Wsl => "not opened by this program; epochs: in WSL2",
                    Platform::Watchdog => "not opened by this program; epochs: it has a display's watchdog",
                }
                .into(),
            ),
            Some(opened) => {
                notes.push(match &opened.verdict {
                    Verdict::Persistent(_) if self.options.host.epochs => {
                        "epochs: forced by the program".into()
                    }
                    Verdict::Persistent(why) => format!("persistent: {why}"),
                    Verdict::Epochs(why) => format!("epochs: {why}"),
                });
                let (step, known) = (opened.clock_sync.step(), opened.clock_sync.uncertainty());
                notes.push(format!("its clock goes in steps of {step:?}, and is known to {known:?}"));
            }
        }
        DeviceInfo { name: device.name.clone(), parallel_blocks: device.residency.units(), notes }
    }
}
