//! The devices, and what they report about themselves.

use cudarc::driver::{
    result,
    sys::{self, CUdevice_attribute as Attribute},
};

use super::CuError;
use crate::architecture::Architecture;

/// A device. Devices live as long as the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DeviceId {
    raw: sys::CUdevice,
}

/// What could end or break a kernel that stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Platform {
    /// Nothing that is known.
    Plain,
    /// Windows's display driver model, which ends kernels that take seconds and batches commands.
    Wddm,
    /// Windows's subsystem for Linux, whose devices do not see the host's writes while a kernel runs.
    Wsl,
    /// A display is attached to the device; its watchdog ends kernels that take seconds.
    Watchdog,
}

/// Which processes may use a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComputeMode {
    /// Any number of them.
    Shared,
    /// One at a time.
    Exclusive,
    /// None.
    Prohibited,
}

/// Every device, in the driver's order. Initialises the driver, which must be present.
pub(crate) fn devices() -> Result<Vec<DeviceId>, CuError> {
    result::init().map_err(CuError::of("cuInit"))?;
    let count = result::device::get_count().map_err(CuError::of("cuDeviceGetCount"))?;
    let device = |index| result::device::get(index).map(|raw| DeviceId { raw });
    (0..count).map(device).collect::<Result<_, _>>().map_err(CuError::of("cuDeviceGet"))
}

/// The newest CUDA that the driver knows, as (13, 0).
pub(crate) fn driver_version() -> (u32, u32) {
    let mut version = 0;
    // SAFETY: the place is live; the driver is present, since devices were listed.
    let asked = unsafe { sys::cuDriverGetVersion(&raw mut version) }.result();
    let version = if asked.is_ok() { version.unsigned_abs() } else { 0 };
    (version / 1000, version % 1000 / 10)
}

/// Whether the driver loads programs at the load call, not at their first launch. Devices must have been
/// listed.
pub(crate) fn loads_eagerly() -> bool {
    // The first driver that may load lazily, and that can be asked.
    if driver_version() < (11, 7) {
        return true;
    }
    let mut mode = sys::CUmoduleLoadingMode::CU_MODULE_EAGER_LOADING;
    // SAFETY: the place is live; the driver is present, and has the call.
    let asked = unsafe { sys::cuModuleGetLoadingMode(&raw mut mode) }.result();
    asked.is_err() || mode == sys::CUmoduleLoadingMode::CU_MODULE_EAGER_LOADING
}

impl DeviceId {
    pub(super) fn raw(self) -> sys::CUdevice {
        self.raw
    }

    /// The answer is 0 if the device does not know the attribute.
    fn number(self, attribute: Attribute) -> u32 {
        // SAFETY: the device is one that the driver returned.
        let asked = unsafe { result::device::get_attribute(self.raw, attribute) };
        asked.map_or(0, |number| number.max(0).unsigned_abs())
    }

    /// Its name, as it reports it.
    pub(crate) fn name(self) -> String {
        result::device::get_name(self.raw).unwrap_or_else(|_| "a device without a name".into())
    }

    /// Its compute capability.
    pub(crate) fn architecture(self) -> Architecture {
        let major = self.number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
        let minor = self.number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
        Architecture::new(major, minor)
    }

    /// How many multiprocessors it has.
    pub(crate) fn multiprocessors(self) -> u32 {
        self.number(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
    }

    /// The most threads of a block.
    pub(crate) fn max_block(self) -> u32 {
        self.number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
    }

    /// The size of a block's shared memory, in bytes, for programs that do not ask for more.
    pub(crate) fn shared_memory(self) -> u32 {
        self.number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)
    }

    /// The size of a block's shared memory, in bytes, for programs that ask for it.
    pub(crate) fn most_shared_memory(self) -> u32 {
        self.number(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
            .max(self.shared_memory())
    }

    /// The size of its own memory, in bytes.
    pub(crate) fn memory(self) -> usize {
        // SAFETY: as for `number`.
        unsafe { result::device::total_mem(self.raw) }.unwrap_or(0)
    }

    /// Its bus address: domain, bus and device, as `nvidia-smi` shows them.
    pub(crate) fn bus(self) -> String {
        format!(
            "{:04x}:{:02x}:{:02x}.0",
            self.number(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
            self.number(Attribute::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
            self.number(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)
        )
    }

    /// The NUMA node of the host that it is attached to, if the system says.
    pub(crate) fn node(self) -> Option<u32> {
        annulus_device::node_of_pci(&self.bus())
    }

    /// Who may use it.
    pub(crate) fn compute_mode(self) -> ComputeMode {
        match self.number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) {
            0 => ComputeMode::Shared,
            2 => ComputeMode::Prohibited,
            _ => ComputeMode::Exclusive,
        }
    }

    /// Whether the driver says that this process shares it with others through MPS.
    pub(crate) fn has_mps(self) -> bool {
        self.number(Attribute::CU_DEVICE_ATTRIBUTE_MPS_ENABLED) != 0
    }

    /// Whether its name says that it is a slice of a device.
    pub(crate) fn is_slice(self) -> bool {
        self.name().split_whitespace().any(|word| word == "MIG")
    }

    /// Whether kernels can use the host's memory at the host's addresses.
    pub(crate) fn maps_host_memory(self) -> bool {
        self.number(Attribute::CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY) != 0
            && self.number(Attribute::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING) != 0
    }

    /// Whether memory of the process can be registered for its kernels.
    pub(crate) fn registers_host_memory(self) -> bool {
        self.number(Attribute::CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED) != 0
    }

    /// Whether it can launch either all blocks of a kernel together or none (cooperative launch).
    pub(crate) fn launches_together(self) -> bool {
        self.number(Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) != 0
    }

    /// What could end or break a kernel that stays.
    pub(crate) fn platform(self) -> Platform {
        if cfg!(windows) && self.number(Attribute::CU_DEVICE_ATTRIBUTE_TCC_DRIVER) == 0 {
            Platform::Wddm
        } else if is_wsl() {
            Platform::Wsl
        } else if self.number(Attribute::CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT) != 0 {
            Platform::Watchdog
        } else {
            Platform::Plain
        }
    }
}

/// Whether this Linux is Windows's subsystem.
fn is_wsl() -> bool {
    cfg!(target_os = "linux")
        && std::fs::read_to_string("/proc/sys/kernel/osrelease").is_ok_and(|release| is_wsl_release(&release))
}

/// Whether a kernel's release is one of WSL2's.
fn is_wsl_release(release: &str) -> bool {
    release.to_lowercase().contains("microsoft")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WSL2 is known by the release of its kernel, and nothing else is taken for it.
    #[test]
    fn x06_wsl_is_known_by_its_kernel() {
        for release in ["5.15.153.1-microsoft-standard-WSL2\n", "4.4.0-19041-Microsoft\n"] {
            assert!(is_wsl_release(release), "{release}");
        }
        for release in ["6.8.0-45-generic\n", "5.14.0-427.el9.x86_64\n", ""] {
            assert!(!is_wsl_release(release), "{release}");
        }
    }
}
