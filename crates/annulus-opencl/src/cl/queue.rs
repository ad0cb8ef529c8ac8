//! Contexts, queues and events.

use std::ptr;

use cl3::{
    command_queue::{enqueue_nd_range_kernel, flush, release_command_queue},
    context::{create_context, release_context},
    event::{CL_EVENT_COMMAND_EXECUTION_STATUS, get_event_info, release_event},
    info_type::InfoType,
    types::{cl_command_queue, cl_context, cl_event},
};

use super::{ClError, DeviceId, Kernel};

/// A context of one device.
#[derive(Debug)]
pub(crate) struct Context {
    raw: cl_context,
    device: DeviceId,
}

// SAFETY: a context's handle may be used from any thread.
unsafe impl Send for Context {}
// SAFETY: as for `Send`.
unsafe impl Sync for Context {}

impl Context {
    pub(crate) fn new(device: DeviceId) -> Result<Self, ClError> {
        let raw = create_context(&[device.raw()], ptr::null(), None, ptr::null_mut())
            .map_err(ClError::of("clCreateContext"))?;
        Ok(Self { raw, device })
    }

    pub(super) fn raw(&self) -> cl_context {
        self.raw
    }

    pub(crate) fn device(&self) -> DeviceId {
        self.device
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the handle is ours, and released once. Everything that was made in the context keeps it
        // alive.
        let released = unsafe { release_context(self.raw) };
        debug_assert!(released.is_ok());
    }
}

/// A queue whose commands run one after the other.
#[derive(Debug)]
pub(crate) struct Queue {
    raw: cl_command_queue,
}

// SAFETY: a queue's handle may be used from any thread.
unsafe impl Send for Queue {}
// SAFETY: as for `Send`.
unsafe impl Sync for Queue {}

impl Queue {
    pub(crate) fn new(context: &Context) -> Result<Self, ClError> {
        // This is the call of OpenCL 1.2, which every version has. Its successor only adds properties.
        #[allow(deprecated)]
        // SAFETY: the device is the context's.
        let raw =
            unsafe { cl3::command_queue::create_command_queue(context.raw(), context.device().raw(), 0) }
                .map_err(ClError::of("clCreateCommandQueue"))?;
        Ok(Self { raw })
    }

    pub(super) fn raw(&self) -> cl_command_queue {
        self.raw
    }

    /// Starts a kernel of `groups` groups, and submits it to the device at once.
    ///
    /// # Safety
    ///
    /// The kernel's arguments are set, they are what its source takes, and the memory they point to lives
    /// until the returned event is complete. The kernel's use of that memory is sound beside all other use of
    /// it meanwhile.
    pub(crate) unsafe fn start(&self, kernel: &Kernel, groups: u32, threads: u32) -> Result<Event, ClError> {
        let global = [groups as usize * threads as usize];
        let local = [threads as usize];
        let (offset, waits) = (ptr::null(), ptr::null());
        // SAFETY: the sizes are arrays of one dimension, as stated; the kernel is the caller's promise.
        let raw = unsafe {
            enqueue_nd_range_kernel(
                self.raw,
                kernel.raw(),
                1,
                offset,
                global.as_ptr(),
                local.as_ptr(),
                0,
                waits,
            )
        }
        .map_err(ClError::of("clEnqueueNDRangeKernel"))?;
        // The kernel may run from here on, whatever the flush returns: its event must not be lost. If the
        // device could not flush, it never ends the kernel, or reports a failure.
        let _ = flush(self.raw);
        Ok(Event { raw })
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // SAFETY: the handle is ours, and released once; commands in flight keep what they need.
        let released = unsafe { release_command_queue(self.raw) };
        debug_assert!(released.is_ok());
    }
}

/// A command in flight.
#[derive(Debug)]
pub(crate) struct Event {
    raw: cl_event,
}

// SAFETY: an event's handle may be used from any thread.
unsafe impl Send for Event {}
// SAFETY: as for `Send`.
unsafe impl Sync for Event {}

impl Event {
    /// Whether the command has ended. An error if the command, or its device, has failed.
    pub(crate) fn is_over(&self) -> Result<bool, ClError> {
        const CALL: &str = "a kernel's execution";
        match get_event_info(self.raw, CL_EVENT_COMMAND_EXECUTION_STATUS) {
            Ok(InfoType::Int(status)) if status < 0 => Err(ClError::of(CALL)(status)),
            Ok(InfoType::Int(status)) => Ok(status == cl3::event::CL_COMPLETE),
            // A failed query tells nothing: the command may be running.
            Ok(_) | Err(_) => Ok(false),
        }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the handle is ours, and released once.
        let released = unsafe { release_event(self.raw) };
        debug_assert!(released.is_ok());
    }
}
