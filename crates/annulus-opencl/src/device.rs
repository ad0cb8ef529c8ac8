//! The devices of this process: each opened once, whatever number of backends use it.
//!
//! A device is shared because its limits are: kernels of all backends of a process take their places from one stock, and a program
//! that was built once serves all. What is opened stays open until the process ends.

use std::sync::{Arc, OnceLock};

use annulus_device::{Programs, Residency};
use annulus_runtime::BackendError;

use crate::{
    cl::{self, ClError, Context, DeviceId, MemoryKind, Program},
    probe::{self, Found, Verdict},
};

/// A device, and what is known of it without opening it.
pub(crate) struct Device {
    pub(crate) id: DeviceId,
    pub(crate) name: String,
    pub(crate) platform: String,
    pub(crate) version: String,
    pub(crate) driver: String,
    /// Places for groups of kernels that stay: each group takes a unit.
    pub(crate) residency: Arc<Residency>,
    opened: OnceLock<Result<Opened, BackendError>>,
}

/// What is there once a device is open.
pub(crate) struct Opened {
    pub(crate) context: Arc<Context>,
    /// How memory is shared.
    pub(crate) kind: MemoryKind,
    pub(crate) verdict: Verdict,
    /// Its blocks can nap, tell the time and wake the host.
    pub(crate) system: bool,
    pub(crate) programs: Programs<Program>,
}

/// PoCL's name as a platform.
const POCL: &str = "Portable Computing Language";

/// PoCL's variable for the number of its threads.
const POCL_THREADS: &str = "POCL_MAX_PTHREAD_COUNT";

/// What to install where there is no OpenCL.
const INSTALL: &str = "install the loader and a device's driver; for this machine's processor, on Debian: \
                       apt install ocl-icd-libopencl1 pocl-opencl-icd";

/// Every device of this machine. The first call of the process decides how many groups PoCL can keep resident.
pub(crate) fn devices(resident_groups: u32) -> Result<&'static [Arc<Device>], BackendError> {
    static DEVICES: OnceLock<Result<Vec<Arc<Device>>, BackendError>> = OnceLock::new();
    let devices = DEVICES.get_or_init(|| {
        give_pocl_threads(resident_groups);
        let found = cl::devices().map_err(explain)?;
        Ok(found.into_iter().map(|(id, platform)| Arc::new(Device::new(id, platform))).collect())
    });
    match devices {
        Ok(devices) if devices.is_empty() => {
            Err(BackendError::new(format!("the OpenCL library of this machine knows no device: {INSTALL}")))
        }
        Ok(devices) => Ok(devices),
        Err(error) => Err(error.clone()),
    }
}

/// PoCL runs each resident group on a thread of its own, as many as it has cores unless told otherwise, and needs one more for
/// everything else.
fn give_pocl_threads(resident_groups: u32) {
    if std::env::var_os(POCL_THREADS).is_some() {
        return;
    }
    let threads = resident_groups.saturating_add(1).to_string();
    // SAFETY: Rust's own accesses to the environment are ordered by the standard library's lock. What remains is C code of another
    // thread that reads the environment at this very moment; it cannot be excluded from here. This runs once, when the process opens its
    // first OpenCL device, and not at all where the variable is set; the crate's front page says so.
    unsafe { std::env::set_var(POCL_THREADS, threads) };
}

fn explain(error: ClError) -> BackendError {
    if error.is_no_library() {
        BackendError::new(format!("this machine has no OpenCL library that loads: {INSTALL}"))
    } else if error.is_no_platform() {
        BackendError::new(format!("the OpenCL library of this machine knows no device: {INSTALL}"))
    } else {
        BackendError::new(format!(
            "OpenCL cannot list its devices: {error}; `clinfo` shows what the library sees"
        ))
    }
}

impl Device {
    fn new(id: DeviceId, platform: String) -> Self {
        // PoCL shows its threads as compute units; one must stay free.
        let places = if platform == POCL { id.compute_units().saturating_sub(1) } else { id.compute_units() };
        Self {
            name: id.name(),
            version: id.version(),
            driver: id.driver(),
            residency: Arc::new(Residency::new(places)),
            opened: OnceLock::new(),
            id,
            platform,
        }
    }

    /// The build options: the newest C that the runtime is written for, and Rust's rounding where the device has it.
    pub(crate) fn build_options(&self) -> String {
        let language = match self.version.strip_prefix("OpenCL ").and_then(|rest| rest.chars().next()) {
            Some('3') => "-cl-std=CL3.0",
            Some('2') => "-cl-std=CL2.0",
            _ => "-cl-std=CL1.2",
        };
        let rounding = if self.id.rounds_division() { " -cl-fp32-correctly-rounded-divide-sqrt" } else { "" };
        format!("{language}{rounding}")
    }

    /// Whether a kernel needs a program for each size of its grid. PoCL counts the runs of a program's loaded versions, one version
    /// for each width of the grid, and takes the end of a run for that of any version's: when instances with different grids run
    /// beside each other, it closes what still runs, or aborts the process.
    pub(crate) fn programs_by_grid(&self) -> bool {
        self.platform == POCL
    }

    /// Opens the device, if nobody has: makes its context and finds out what it can do.
    pub(crate) fn open(&self) -> Result<&Opened, BackendError> {
        self.opened.get_or_init(|| self.open_first()).as_ref().map_err(Clone::clone)
    }

    fn open_first(&self) -> Result<Opened, BackendError> {
        if !self.id.is_like_the_host() {
            return Err(BackendError::new(format!(
                "`{}` has other numbers or addresses than this host (64-bit, little-endian): choose another device",
                self.name
            )));
        }
        let context = Context::new(self.id).map_err(|error| {
            BackendError::new(format!("`{}` cannot be opened: {error}; choose another device", self.name))
        })?;
        let context = Arc::new(context);
        let kind = if self.id.has_fine_grain_atomics() { MemoryKind::FineGrain } else { MemoryKind::Mapped };
        let Found { verdict, system } = probe::probe(&context, kind, &self.build_options());
        Ok(Opened { context, kind, verdict, system, programs: Programs::default() })
    }
}
