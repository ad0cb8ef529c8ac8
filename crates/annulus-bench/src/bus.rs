//! Where the first NVIDIA device lies on the bus, by which `nvidia-smi` knows it.

use cudarc::driver::{
    DriverError,
    result::{self, device},
    sys::CUdevice_attribute as Attribute,
};

/// The address of the first device.
pub(crate) fn of_first_device() -> Result<String, DriverError> {
    result::init()?;
    let device = device::get(0)?;
    let number = |attribute| {
        // SAFETY: the device is one that the driver gave.
        unsafe { device::get_attribute(device, attribute) }
    };
    Ok(format!(
        "{:04x}:{:02x}:{:02x}.0",
        number(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)?,
        number(Attribute::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)?,
        number(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)?
    ))
}
