//! The devices, and what they report about themselves.

use cl3::{
    device::{
        CL_DEVICE_ADDRESS_BITS, CL_DEVICE_DOUBLE_FP_CONFIG, CL_DEVICE_ENDIAN_LITTLE, CL_DEVICE_EXTENSIONS,
        CL_DEVICE_LOCAL_MEM_SIZE, CL_DEVICE_MAX_COMPUTE_UNITS, CL_DEVICE_MAX_NUM_SUB_GROUPS,
        CL_DEVICE_MAX_WORK_GROUP_SIZE, CL_DEVICE_NAME, CL_DEVICE_SINGLE_FP_CONFIG, CL_DEVICE_SVM_ATOMICS,
        CL_DEVICE_SVM_CAPABILITIES, CL_DEVICE_SVM_FINE_GRAIN_BUFFER, CL_DEVICE_SVM_FINE_GRAIN_SYSTEM,
        CL_DEVICE_TYPE, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_VERSION, CL_DRIVER_VERSION,
        CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, get_device_data, get_device_ids,
    },
    platform::{CL_PLATFORM_NAME, get_platform_data, get_platform_ids},
    types::cl_device_id,
};

use super::ClError;

/// A device of a platform. Root devices live as long as the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DeviceId {
    raw: cl_device_id,
}

// SAFETY: a device's handle may be used from any thread, and is never freed.
unsafe impl Send for DeviceId {}
// SAFETY: as for `Send`.
unsafe impl Sync for DeviceId {}

/// Every device of every platform, with its platform's name.
pub(crate) fn devices() -> Result<Vec<(DeviceId, String)>, ClError> {
    let mut all = Vec::new();
    for platform in get_platform_ids().map_err(ClError::of("clGetPlatformIDs"))? {
        let name = get_platform_data(platform, CL_PLATFORM_NAME).map(text).unwrap_or_default();
        // A platform that cannot list its devices has no usable ones.
        let ids = get_device_ids(platform, CL_DEVICE_TYPE_ALL).unwrap_or_default();
        all.extend(ids.into_iter().map(|raw| (DeviceId { raw }, name.clone())));
    }
    Ok(all)
}

impl DeviceId {
    pub(super) fn raw(self) -> cl_device_id {
        self.raw
    }

    fn bytes(self, what: u32) -> Vec<u8> {
        // If a device does not know the question, the answer is empty.
        get_device_data(self.raw, what).unwrap_or_default()
    }

    fn number(self, what: u32) -> u64 {
        let bytes = self.bytes(what);
        let mut number = [0; 8];
        let length = bytes.len().min(8);
        number[..length].copy_from_slice(&bytes[..length]);
        u64::from_ne_bytes(number)
    }

    /// Its name, as it reports it.
    pub(crate) fn name(self) -> String {
        text(self.bytes(CL_DEVICE_NAME))
    }

    /// The OpenCL version, followed by the vendor's own text.
    pub(crate) fn version(self) -> String {
        text(self.bytes(CL_DEVICE_VERSION))
    }

    /// The driver's version.
    pub(crate) fn driver(self) -> String {
        text(self.bytes(CL_DRIVER_VERSION))
    }

    /// Compute units; on PoCL, threads.
    pub(crate) fn compute_units(self) -> u32 {
        self.number(CL_DEVICE_MAX_COMPUTE_UNITS) as u32
    }

    /// The most work-items of a group.
    pub(crate) fn max_group(self) -> u32 {
        self.number(CL_DEVICE_MAX_WORK_GROUP_SIZE) as u32
    }

    /// Whether it has 64-bit floats.
    pub(crate) fn has_f64(self) -> bool {
        self.number(CL_DEVICE_DOUBLE_FP_CONFIG) != 0 || self.has_extension("cl_khr_fp64")
    }

    /// Whether it has all atomics of 64 bits.
    pub(crate) fn has_wide_atomics(self) -> bool {
        self.has_extension("cl_khr_int64_base_atomics") && self.has_extension("cl_khr_int64_extended_atomics")
    }

    /// Whether the work-items of a subgroup can exchange values.
    pub(crate) fn has_subgroups(self) -> bool {
        self.number(CL_DEVICE_MAX_NUM_SUB_GROUPS) != 0 || self.has_extension("cl_khr_subgroups")
    }

    /// The size of a group's local memory, in bytes.
    pub(crate) fn local_memory(self) -> u64 {
        self.number(CL_DEVICE_LOCAL_MEM_SIZE)
    }

    fn has_extension(self, name: &str) -> bool {
        text(self.bytes(CL_DEVICE_EXTENSIONS)).split_whitespace().any(|extension| extension == name)
    }

    /// Whether a kernel and the host may use the same memory at the same time, with atomics.
    pub(crate) fn has_fine_grain_atomics(self) -> bool {
        let wanted = CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS;
        self.number(CL_DEVICE_SVM_CAPABILITIES) & wanted == wanted
    }

    /// Whether a kernel and the host may so use any memory of the process.
    pub(crate) fn has_fine_grain_system(self) -> bool {
        let wanted = CL_DEVICE_SVM_FINE_GRAIN_SYSTEM | CL_DEVICE_SVM_ATOMICS;
        self.number(CL_DEVICE_SVM_CAPABILITIES) & wanted == wanted
    }

    /// Whether it can round `f32` division and square root as Rust does, if a build option asks for it.
    pub(crate) fn rounds_division(self) -> bool {
        self.number(CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT != 0
    }

    /// Whether it is this machine's processor.
    pub(crate) fn is_processor(self) -> bool {
        self.number(CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU != 0
    }

    /// Whether host and device agree on the bytes of a number, and addresses have 64 bits.
    pub(crate) fn is_like_the_host(self) -> bool {
        cfg!(target_endian = "little")
            && self.number(CL_DEVICE_ENDIAN_LITTLE) != 0
            && self.number(CL_DEVICE_ADDRESS_BITS) == 64
    }
}

/// Text as OpenCL returns it: ended by a zero, sometimes padded.
fn text(bytes: Vec<u8>) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().into()
}
