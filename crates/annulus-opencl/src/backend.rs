//! The backend, and what its user decides.

use std::sync::{Arc, Mutex};

use annulus_device::{DeviceHost, DeviceOptions, HostOptions, device_options};
use annulus_runtime::{BackendError, BackendSource, DeviceBackend};

use crate::{cl::MemoryKind, device, driver::OpenClDriver, loader, probe::Verdict};

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
    options: DeviceOptions,
    portable: bool,
    mapped: bool,
    resident_groups: u32,
    device_heap_bytes: usize,
}

/// The default number of groups that PoCL can keep resident. Each is a thread that sleeps while it has
/// nothing to do.
pub const RESIDENT_GROUPS: u32 = 64;

/// Default size of the memory for rings between kernels.
const DEVICE_HEAP_BYTES: usize = 16 << 20;

impl OpenCl {
    /// The first device of this machine, one thread per block unless a launch says more.
    pub fn new() -> Self {
        Self {
            options: DeviceOptions::new("opencl", HostOptions::default()),
            portable: false,
            mapped: false,
            resident_groups: RESIDENT_GROUPS,
            device_heap_bytes: DEVICE_HEAP_BYTES,
        }
    }

    device_options! {
        index: "",
        named: "name or platform",
        threads: "On a processor one is fastest; on a GPU a block needs many.",
        cache: "opencl",
        uncached: "; PoCL keeps its programs by itself, in its own cache",
    }

    /// How many bytes of memory all rings between kernels have together
    /// ([`LaunchOptions::connectable`](annulus_runtime::LaunchOptions::connectable)); 16 MiB by default. The
    /// memory is taken when the first connectable kernel is launched.
    pub fn device_heap_bytes(mut self, bytes: usize) -> Self {
        self.device_heap_bytes = bytes;
        self
    }

    /// Does not use what only some systems have: naps, a clock and the doorbell. For tests of how other
    /// devices behave.
    pub fn force_portable(mut self) -> Self {
        self.portable = true;
        self
    }

    /// Shares memory through mapped buffers even where there is shared virtual memory.
    pub fn force_mapped_buffers(mut self) -> Self {
        self.mapped = true;
        self
    }

    /// How many groups PoCL can keep resident: PoCL starts this many threads and one more. Takes effect only
    /// at the process's first use of OpenCL, and only if the environment variable `POCL_MAX_PTHREAD_COUNT` is
    /// not set. Other drivers have limits of their own.
    pub fn resident_groups(mut self, groups: u32) -> Self {
        self.resident_groups = groups.max(1);
        self
    }
}

impl Default for OpenCl {
    fn default() -> Self {
        Self::new()
    }
}

impl BackendSource for OpenCl {
    fn open(self) -> Result<Arc<dyn DeviceBackend>, BackendError> {
        let devices = device::devices(self.resident_groups)?;
        let device = self.options.choice.of(devices, "OpenCL").map_err(|none| {
            let mut all = vec![none];
            all.extend(loader::unloadable());
            BackendError::new(all.join("; "))
        })?;
        let opened = device.open()?;
        if let Verdict::Unusable(why) = &opened.found.verdict {
            return Err(BackendError::new(format!(
                "`{}` cannot run kernels: {why}; choose another device",
                device.name
            )));
        }
        let driver = OpenClDriver {
            device,
            devices,
            opened,
            kind: if self.mapped { MemoryKind::Mapped } else { opened.kind },
            portable: self.portable,
            cache: self.options.cache,
            device_heap_bytes: self.device_heap_bytes,
            device_heap: Mutex::default(),
        };
        Ok(Arc::new(DeviceHost::new(driver, self.options.host)?))
    }
}
