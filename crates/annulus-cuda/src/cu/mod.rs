//! CUDA's objects as safe types: a layer over `cudarc`, whose functions return results and are themselves a
//! layer over raw symbols.
//!
//! # What may be called when
//!
//! While a kernel stays on a device, a call that waits for the device waits for ever. Many calls that have
//! nothing to do with the kernel wait for the device: allocating, freeing, loading a program. They are made
//! only through [`Context::quietly`], for which kernels leave the device for a moment. Everything else here
//! neither waits nor makes the driver wait: launches and copies go to streams of their own, and their end is
//! polled.

mod context;
mod device;
mod memory;
mod module;
mod stream;

use std::fmt;

use cudarc::driver::{DriverError, sys};

pub(crate) use self::{
    context::{Context, PATIENCE, Reach, Staying},
    device::{ComputeMode, DeviceId, Platform, devices, driver_version, loads_eagerly},
    memory::{Arena, Copies, CopyError, Kind, Memory, NoRoom},
    module::{Entry, Program},
    stream::{Run, Stream},
};

/// A call that failed: the call's name, and the driver's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CuError {
    call: &'static str,
    code: DriverError,
}

/// Whether there is a driver that loads. Must come before all other calls: without a driver they panic.
pub(crate) fn is_present() -> bool {
    // SAFETY: the library is NVIDIA's, by its name. Its constructors have no conditions for us.
    unsafe { sys::is_culib_present() }
}

impl CuError {
    /// Makes the error of a call, for use in `map_err`.
    pub(crate) fn of(call: &'static str) -> impl Fn(DriverError) -> Self {
        move |code| Self { call, code }
    }

    /// Whether it has this code.
    pub(crate) fn is(self, code: sys::CUresult) -> bool {
        self.code.0 == code
    }
}

impl fmt::Display for CuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An error exists only if a driver returned it, so the driver can be asked for the words.
        let name = self.code.error_name().map_or("an unknown error".into(), |name| name.to_string_lossy());
        let words = self.code.error_string().map_or("".into(), |words| words.to_string_lossy());
        write!(f, "{} failed: {name} ({}), {words}", self.call, self.code.0 as u32)
    }
}
