//! Memory of the process, here a part of a file that is mapped, as memory that kernels take.
//!
//! A device that reaches any memory of the process (fine-grain *system* shared virtual memory) takes the address.
//! Others take a buffer around the memory (`CL_MEM_USE_HOST_PTR`), mapped for as long as it lives. The standard lets a
//! driver keep a copy of such a buffer elsewhere, and says nothing of what a running kernel sees of it. So whoever adopts
//! memory tries it before it is used ([`probe`](crate::probe)).
//!
//! The memory may be unmapped when the driver says that it has let go of it, which may be later than the buffer's release:
//! a command that has ended may still hold the buffer for an instant, and a device may do nothing for it while a kernel stays.
//! Nobody waits for that: such memory is put aside, and dropped by whoever adopts or drops memory next.

use std::{
    ffi::c_void,
    ptr::{self, NonNull},
    sync::{Arc, Mutex, PoisonError},
};

use annulus_runtime::SharedMemory;
use annulus_sync::{AtomicBool, Ordering};
use cl3::{
    command_queue::{enqueue_map_buffer, enqueue_unmap_mem_object, flush},
    memory::{
        CL_MAP_READ, CL_MAP_WRITE, CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR, create_buffer, release_mem_object,
        set_mem_object_destructor_callback,
    },
    types::{CL_TRUE, cl_mem},
};

use super::{ClError, Context, Queue, memory::release};

/// Memory whose buffers were released, until the driver has let go of it.
static LEFT: Mutex<Vec<(Arc<AtomicBool>, SharedMemory)>> = Mutex::new(Vec::new());

/// Drops the memory that drivers have let go of.
pub(crate) fn drop_left() {
    let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
    // SYNC: let-go (acquire)
    let gone: Vec<_> = left.extract_if(.., |(gone, _)| gone.load(Ordering::Acquire)).collect();
    // Its owners may do anything.
    drop(left);
    drop(gone);
}

/// Why memory was not adopted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unadopted {
    /// A call failed.
    Failed(ClError),
    /// The driver shows the buffer at another place.
    Elsewhere,
}

/// Adopted memory.
#[derive(Debug)]
pub(super) struct Adopted {
    /// `None` for a device that reaches any memory.
    buffer: Option<Buffer>,
    /// `None` when it has been put aside.
    memory: Option<SharedMemory>,
    base: NonNull<u8>,
}

/// A buffer around it.
#[derive(Debug)]
struct Buffer {
    raw: cl_mem,
    /// Where it is mapped.
    host: NonNull<c_void>,
    queue: Queue,
    /// The driver has let go of the memory.
    gone: Arc<AtomicBool>,
}

impl Adopted {
    /// For a device that reaches any memory.
    pub(super) fn system(memory: SharedMemory) -> Self {
        Self { buffer: None, base: memory.base(), memory: Some(memory) }
    }

    /// In a buffer.
    pub(super) fn buffer(context: &Context, memory: SharedMemory) -> Result<Self, Unadopted> {
        drop_left();
        let failed = |call| move |code| Unadopted::Failed(ClError::of(call)(code));
        let queue = Queue::new(context).map_err(Unadopted::Failed)?;
        let (host, bytes) = (memory.base().cast::<c_void>(), memory.bytes());
        let flags = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
        // SAFETY: so many bytes are there, for reading and writing, until `memory` is dropped: `drop` does that when the
        // driver has let go of them.
        let raw = unsafe { create_buffer(context.raw(), flags, bytes, host.as_ptr()) }
            .map_err(failed("clCreateBuffer"))?;
        let gone = Arc::new(AtomicBool::new(false));
        let told = Arc::into_raw(Arc::clone(&gone)).cast_mut().cast();
        // SAFETY: the buffer is ours; the driver calls this once, with a reference of its own.
        if let Err(code) = unsafe { set_mem_object_destructor_callback(raw, let_go, told) } {
            // SAFETY: the driver did not take the reference.
            drop(unsafe { Arc::from_raw(told.cast_const().cast::<AtomicBool>()) });
            // SAFETY: the buffer is ours, and released once. Nothing was enqueued on it.
            let _ = unsafe { release_mem_object(raw) };
            // When the driver lets go of it, nobody says.
            std::mem::forget(memory);
            return Err(failed("clSetMemObjectDestructorCallback")(code));
        }
        // From here on, `drop` releases.
        let buffer = Some(Buffer { raw, host, queue, gone });
        let mut adopted = Self { buffer, base: memory.base(), memory: Some(memory) };
        let buffer = adopted.buffer.as_mut().expect("it was just made");
        let mut mapped: cl_mem = ptr::null_mut();
        let access = CL_MAP_READ | CL_MAP_WRITE;
        // SAFETY: the buffer is this long, and the call waits for the mapping.
        let event = unsafe {
            enqueue_map_buffer(
                buffer.queue.raw(),
                raw,
                CL_TRUE,
                access,
                0,
                bytes,
                &mut mapped,
                0,
                ptr::null(),
            )
        };
        release(event.map_err(failed("clEnqueueMapBuffer"))?);
        if let Some(place) = NonNull::new(mapped) {
            buffer.host = place.cast();
        }
        if buffer.host != host || mapped.is_null() { Err(Unadopted::Elsewhere) } else { Ok(adopted) }
    }

    /// As a driver would have it that keeps a copy elsewhere.
    #[cfg(test)]
    pub(super) fn copied(context: &Context, memory: SharedMemory) -> Result<Self, ClError> {
        let (host, bytes) = (memory.base().cast::<c_void>(), memory.bytes());
        let flags = CL_MEM_READ_WRITE | cl3::memory::CL_MEM_COPY_HOST_PTR;
        // SAFETY: the host's bytes are read before the call returns.
        let raw = unsafe { create_buffer(context.raw(), flags, bytes, host.as_ptr()) }
            .map_err(ClError::of("clCreateBuffer"))?;
        let gone = Arc::new(AtomicBool::new(true));
        let buffer = Some(Buffer { raw, host, queue: Queue::new(context)?, gone });
        Ok(Self { buffer, base: memory.base(), memory: Some(memory) })
    }

    /// Where the host sees it.
    pub(super) fn host(&self) -> NonNull<c_void> {
        self.base.cast()
    }

    /// The buffer's handle; `None` for a device that takes the address.
    pub(super) fn raw(&self) -> Option<cl_mem> {
        self.buffer.as_ref().map(|buffer| buffer.raw)
    }
}

/// The driver lets go of a buffer's memory.
extern "C" fn let_go(_: cl_mem, gone: *mut c_void) {
    // SAFETY: it is the reference that was given to the driver, which calls this once.
    let gone = unsafe { Arc::from_raw(gone.cast_const().cast::<AtomicBool>()) };
    // SYNC: let-go (release)
    gone.store(true, Ordering::Release);
}

impl Drop for Adopted {
    fn drop(&mut self) {
        // Every kernel that took it as an argument has ended before its owner drops it (`annulus_device`).
        let (Some(buffer), Some(memory)) = (&self.buffer, self.memory.take()) else { return };
        // SAFETY: the buffer is mapped there, or was never; then the call fails.
        let unmapped = unsafe {
            enqueue_unmap_mem_object(buffer.queue.raw(), buffer.raw, buffer.host.as_ptr(), 0, ptr::null())
        };
        if let Ok(event) = unmapped {
            release(event);
            // A device that has failed lets go of it, or never does.
            let _ = flush(buffer.queue.raw());
        }
        // SAFETY: the buffer is ours, and released once; the unmapping keeps it until it is done.
        let released = unsafe { release_mem_object(buffer.raw) };
        debug_assert!(released.is_ok());
        LEFT.lock().unwrap_or_else(PoisonError::into_inner).push((Arc::clone(&buffer.gone), memory));
        drop_left();
    }
}
