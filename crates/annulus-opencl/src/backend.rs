//! The backend and its launches.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    thread,
};

use annulus_device::{DeviceHost, Faults, HandlerText, HostOptions, default_directory};
use annulus_runtime::{
    BackendError, BackendSource, DeviceBackend, DeviceInfo, DeviceKernel, LaunchSpec, SharedMemory,
};

use crate::{
    cl::MemoryKind,
    device::{self, Device, Opened},
    driver::OpenClDriver,
    loader,
    probe::Verdict,
    program,
};

/// The OpenCL backend, as `Runtime::builder().backend(…)` takes it.
///
/// ```no_run
/// use annulus_opencl::OpenCl;
/// use annulus_runtime::Runtime;
/// let runtime = Runtime::builder().backend(OpenCl::new().device_named("pocl")).build()?;
/// println!("{:?}", runtime.devices());
/// # Ok::<(), annulus_runtime::BackendError>(())
/// ```
#[derive(Clone, Debug)]
pub struct OpenCl {
    choice: Choice,
    portable: bool,
    mapped: bool,
    resident_groups: u32,
    cache: Option<PathBuf>,
    device_heap_bytes: usize,
    host: HostOptions,
}

#[derive(Clone, Debug)]
enum Choice {
    Index(usize),
    Named(String),
}

/// Groups that PoCL can keep resident, unless told otherwise: each is a thread that sleeps while it has
/// nothing to do.
pub const RESIDENT_GROUPS: u32 = 64;

/// Memory for rings between kernels, unless told otherwise.
const DEVICE_HEAP_BYTES: usize = 16 << 20;

impl OpenCl {
    /// The first device of this machine, one thread per block unless a launch says more.
    pub fn new() -> Self {
        Self {
            choice: Choice::Index(0),
            portable: false,
            mapped: false,
            resident_groups: RESIDENT_GROUPS,
            cache: default_directory("opencl"),
            device_heap_bytes: DEVICE_HEAP_BYTES,
            host: HostOptions::default(),
        }
    }

    /// The device at this place of `annulus devices`' list.
    pub fn device_index(mut self, index: usize) -> Self {
        self.choice = Choice::Index(index);
        self
    }

    /// The first device whose name or platform contains this, upper or lower case.
    pub fn device_named(mut self, part: impl Into<String>) -> Self {
        self.choice = Choice::Named(part.into());
        self
    }

    /// How much memory rings between kernels have, all together
    /// ([`LaunchOptions::connectable`](annulus_runtime::LaunchOptions::connectable)); 16 MiB unless said
    /// otherwise. Taken when the first kernel is launched that may be connected.
    pub fn device_heap_bytes(mut self, bytes: usize) -> Self {
        self.device_heap_bytes = bytes;
        self
    }

    /// Threads of a block, for launches that leave `LaunchOptions::block` at 1. On a processor one is
    /// fastest; on a GPU a block needs many.
    pub fn threads_per_block(mut self, threads: u32) -> Self {
        self.host.threads = threads.max(1);
        self
    }

    /// Runs kernels in bounded epochs even where they could stay.
    pub fn force_epochs(mut self) -> Self {
        self.host.epochs = true;
        self
    }

    /// Does without what only some systems have: naps, a clock and the doorbell. For tests of what other
    /// devices do.
    pub fn force_portable(mut self) -> Self {
        self.portable = true;
        self
    }

    /// Shares memory through mapped buffers even where there is shared virtual memory.
    pub fn force_mapped_buffers(mut self) -> Self {
        self.mapped = true;
        self
    }

    /// How many groups PoCL can keep resident, by starting so many threads and one more: for the process's
    /// first use of OpenCL, and unless the environment's `POCL_MAX_PTHREAD_COUNT` says otherwise. Other
    /// drivers have limits of their own.
    pub fn resident_groups(mut self, groups: u32) -> Self {
        self.resident_groups = groups.max(1);
        self
    }

    /// Where built programs are kept. By default `annulus/opencl` in the user's cache directory. A directory
    /// in which others may write is not used, which is said once. PoCL keeps its programs by itself, in its
    /// own cache.
    pub fn cache_directory(mut self, directory: impl AsRef<Path>) -> Self {
        self.cache = Some(directory.as_ref().into());
        self
    }

    /// Builds every program anew, and keeps none on disk.
    pub fn without_cache(mut self) -> Self {
        self.cache = None;
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

    fn choose(&self, devices: &'static [Arc<Device>]) -> Result<&'static Arc<Device>, BackendError> {
        let found = match &self.choice {
            Choice::Index(index) => devices.get(*index),
            Choice::Named(part) => {
                let part = part.to_lowercase();
                devices.iter().find(|device| {
                    device.name.to_lowercase().contains(&part)
                        || device.platform.to_lowercase().contains(&part)
                })
            }
        };
        found.ok_or_else(|| {
            let wanted = match &self.choice {
                Choice::Index(index) => format!("has the index {index}"),
                Choice::Named(part) => format!("has `{part}` in its name"),
            };
            let names: Vec<_> =
                devices.iter().map(|device| format!("`{}` of {}", device.name, device.platform)).collect();
            let mut all = vec![format!("no OpenCL device {wanted}: there is {}", names.join(", "))];
            all.extend(loader::unloadable());
            BackendError::new(all.join("; "))
        })
    }
}

impl Default for OpenCl {
    fn default() -> Self {
        Self::new()
    }
}

impl BackendSource for OpenCl {
    fn open(self) -> Result<Arc<dyn DeviceBackend>, BackendError> {
        let device = self.choose(device::devices(self.resident_groups)?)?;
        let opened = device.open()?;
        if let Verdict::Unusable(why) = &opened.found.verdict {
            return Err(BackendError::new(format!(
                "`{}` cannot run kernels: {why}; choose another device",
                device.name
            )));
        }
        let kind = if self.mapped { MemoryKind::Mapped } else { opened.kind };
        let driver = OpenClDriver {
            device,
            opened,
            kind,
            portable: self.portable,
            cache: self.cache.clone(),
            device_heap_bytes: self.device_heap_bytes,
            device_heap: Mutex::default(),
        };
        let host = DeviceHost::new(driver, self.host.clone())?;
        Ok(Arc::new(OpenClBackend { device, host, options: self }))
    }
}

struct OpenClBackend {
    device: &'static Arc<Device>,
    host: DeviceHost,
    options: OpenCl,
}

// SAFETY: `DeviceHost` launches kernels whose blocks serve one shard each by the device runtime's protocol: a
// block's leader is the inbound ring's one consumer and the outbound ring's one producer, handlers are the
// definition's own text over types of the definition's layout, and a block that has stored *terminated*
// touches neither rings nor states again (`annulus_block`).
unsafe impl DeviceBackend for OpenClBackend {
    fn name(&self) -> &'static str {
        "opencl"
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        let all = device::devices(self.options.resident_groups).unwrap_or_default();
        let others = all.iter().filter(|device| !Arc::ptr_eq(device, self.device));
        std::iter::once(self.device).chain(others).map(|device| self.describe(device)).collect()
    }

    fn allocate(&self, bytes: usize) -> Result<SharedMemory, BackendError> {
        self.host.allocate(bytes)
    }

    fn launch(&self, spec: LaunchSpec) -> Result<Box<dyn DeviceKernel>, BackendError> {
        self.host.launch(spec)
    }
}

impl OpenClBackend {
    fn describe(&self, device: &Device) -> DeviceInfo {
        let mut notes = vec![format!("{}, {}, driver {}", device.platform, device.version, device.driver)];
        match device.open() {
            Err(error) => notes.push(error.to_string()),
            Ok(opened) => notes.push(match &opened.found.verdict {
                Verdict::Persistent(_) if self.options.host.epochs => "epochs: forced by the program".into(),
                Verdict::Persistent(why) => format!("persistent: {why}"),
                Verdict::Epochs(why) => format!("epochs: {why}"),
                Verdict::Unusable(why) => format!("cannot run kernels: {why}"),
            }),
        }
        let mut places = 0;
        if let Ok(Opened { found, residency, .. }) = device.open() {
            places = residency.units();
            notes.push(match found.verdict {
                Verdict::Persistent(_) if found.together => format!("up to {places} blocks of kernels that stay, at a time"),
                Verdict::Persistent(_) => format!(
                    "up to {places} kernels that stay, at a time, of one block each: it runs the blocks of a kernel one after the other, though it shows {} \
                     compute units; kernels of more blocks run in epochs, and so does one that has no place",
                    device.id.compute_units()
                ),
                _ if found.together => format!("up to {places} blocks take their turns in step"),
                _ => "blocks of a kernel run one after the other: they cannot take their turns in step".into(),
            });
            if !found.loops {
                notes.push(program::ENDS_LOOPS.into());
            }
        }
        // A processor keeps more blocks than it runs: those that wait nap.
        let cores = || thread::available_parallelism().map_or(u32::MAX, |cores| cores.get() as u32);
        let most = if device.id.is_processor() { cores() } else { u32::MAX };
        DeviceInfo { name: device.name.clone(), parallel_blocks: places.min(most), notes }
    }
}
