//! OpenCL's objects as safe types: a layer over `cl3`, whose functions return results and are themselves a
//! layer over raw symbols.
//!
//! Handles are released when they are dropped. OpenCL's functions may be called from any thread at any time,
//! with one exception: setting a kernel's arguments, which therefore takes `&mut`.

mod adopted;
mod device;
mod memory;
mod program;
mod queue;

use std::fmt;

#[cfg(test)]
pub(crate) use self::adopted::drop_left;
pub(crate) use self::{
    adopted::Unadopted,
    device::{DeviceId, devices},
    memory::{Memory, MemoryKind},
    program::{BuildError, Kernel, Program},
    queue::{Context, Event, Queue},
};

/// A call that failed: the call's name, and OpenCL's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClError {
    call: &'static str,
    code: i32,
}

impl ClError {
    /// Makes the error of a call, for use in `map_err`.
    pub(crate) fn of(call: &'static str) -> impl Fn(i32) -> Self {
        move |code| Self { call, code }
    }

    /// Whether there is no OpenCL library on this machine.
    pub(crate) fn is_no_library(self) -> bool {
        self.code == cl3::error_codes::DLOPEN_RUNTIME_LOAD_FAILED
    }

    /// Whether there is an OpenCL library, but no driver of a device.
    pub(crate) fn is_no_platform(self) -> bool {
        self.code == cl3::error_codes::CL_PLATFORM_NOT_FOUND_KHR
    }
}

impl fmt::Display for ClError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} failed: {} ({})", self.call, cl3::error_codes::ClError(self.code), self.code)
    }
}
