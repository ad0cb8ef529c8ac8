//! Memory: shared with the host while kernels run, or the device's own.

use std::{
    ffi::c_void,
    mem::MaybeUninit,
    ptr::{self, NonNull},
    sync::Arc,
};

use cl3::{
    command_queue::{
        enqueue_map_buffer, enqueue_read_buffer, enqueue_unmap_mem_object, enqueue_write_buffer,
    },
    memory::{
        CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR, CL_MEM_READ_WRITE,
        CL_MEM_SVM_ATOMICS, CL_MEM_SVM_FINE_GRAIN_BUFFER, create_buffer, release_mem_object, svm_alloc,
        svm_free,
    },
    types::{CL_TRUE, cl_event, cl_mem},
};

use annulus_runtime::SharedMemory;

use super::{ClError, Context, Queue, Unadopted, adopted::Adopted};

/// Alignment of shared memory: two cache lines. PoCL 3.1 refuses more.
const ALIGN: u32 = 128;

/// How memory is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryKind {
    /// Fine-grain shared virtual memory with atomics: the standard promises that both sides see each other's
    /// writes.
    FineGrain,
    /// A buffer in host memory, mapped for as long as it lives. The standard does not cover this while a
    /// kernel runs, so it is used only after a probe.
    Mapped,
}

/// A stretch of memory that kernels take as an argument.
#[derive(Debug)]
pub(crate) struct Memory {
    place: Place,
    bytes: usize,
    context: Arc<Context>,
}

#[derive(Debug)]
enum Place {
    FineGrain(NonNull<c_void>),
    Mapped { buffer: cl_mem, host: NonNull<c_void>, queue: Queue },
    Device(cl_mem),
    Adopted(Adopted),
}

// SAFETY: OpenCL's calls on memory may come from any thread. Each user argues for its own reads and writes of
// the memory.
unsafe impl Send for Memory {}
// SAFETY: as for `Send`.
unsafe impl Sync for Memory {}

impl Memory {
    /// Zeroed memory that the host sees, too.
    pub(crate) fn shared(context: &Arc<Context>, kind: MemoryKind, bytes: usize) -> Result<Self, ClError> {
        let bytes = bytes.max(ALIGN as usize);
        let place = match kind {
            MemoryKind::FineGrain => {
                let flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
                // SAFETY: the flags are a valid combination; devices without them are not asked.
                let pointer = unsafe { svm_alloc(context.raw(), flags, bytes, ALIGN) };
                Place::FineGrain(NonNull::new(pointer.map_err(ClError::of("clSVMAlloc"))?).ok_or(NO_MEMORY)?)
            }
            MemoryKind::Mapped => Self::map(context, bytes)?,
        };
        let memory = Self { place, bytes, context: Arc::clone(context) };
        if let Some(host) = memory.host() {
            // SAFETY: the memory was just allocated with this length, for reading and writing, and nobody
            // else has it yet.
            unsafe { ptr::write_bytes(host.as_ptr(), 0, bytes) };
        }
        Ok(memory)
    }

    fn map(context: &Arc<Context>, bytes: usize) -> Result<Place, ClError> {
        let queue = Queue::new(context)?;
        let flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
        // SAFETY: the flags ask for no host pointer.
        let buffer = unsafe { create_buffer(context.raw(), flags, bytes, ptr::null_mut()) }
            .map_err(ClError::of("clCreateBuffer"))?;
        let mut host: cl_mem = ptr::null_mut();
        let access = CL_MAP_READ | CL_MAP_WRITE;
        // SAFETY: the buffer is this long, and the call waits for the mapping.
        let mapped = unsafe {
            enqueue_map_buffer(queue.raw(), buffer, CL_TRUE, access, 0, bytes, &mut host, 0, ptr::null())
        };
        let host = mapped.map_err(ClError::of("clEnqueueMapBuffer")).map(|event| (event, NonNull::new(host)));
        match host {
            Ok((event, Some(host))) => {
                release(event);
                Ok(Place::Mapped { buffer, host: host.cast(), queue })
            }
            other => {
                // SAFETY: the buffer is ours, and released once.
                let _ = unsafe { release_mem_object(buffer) };
                Err(other.err().unwrap_or(NO_MEMORY))
            }
        }
    }

    /// Memory of the process, as memory that kernels take; `system` says that the device reaches any memory.
    pub(crate) fn adopted(
        context: &Arc<Context>,
        memory: SharedMemory,
        system: bool,
    ) -> Result<Self, Unadopted> {
        let bytes = memory.bytes();
        let adopted = if system { Adopted::system(memory) } else { Adopted::buffer(context, memory)? };
        Ok(Self { place: Place::Adopted(adopted), bytes, context: Arc::clone(context) })
    }

    /// As a driver would have adopted it that keeps a copy elsewhere.
    #[cfg(test)]
    pub(crate) fn copied(context: &Arc<Context>, memory: SharedMemory) -> Result<Self, ClError> {
        let bytes = memory.bytes();
        let place = Place::Adopted(Adopted::copied(context, memory)?);
        Ok(Self { place, bytes, context: Arc::clone(context) })
    }

    /// The device's own memory, with these contents.
    pub(crate) fn device(context: &Arc<Context>, contents: &[MaybeUninit<u8>]) -> Result<Self, ClError> {
        if contents.is_empty() {
            return Self::scratch(context, 0);
        }
        let flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
        let (bytes, contents) = (contents.len(), contents.as_ptr());
        // SAFETY: the host's bytes are read before the call returns.
        let buffer = unsafe { create_buffer(context.raw(), flags, bytes, contents.cast_mut().cast()) }
            .map_err(ClError::of("clCreateBuffer"))?;
        Ok(Self { place: Place::Device(buffer), bytes, context: Arc::clone(context) })
    }

    /// Memory that both sides see, with these contents.
    pub(crate) fn shared_copy(
        context: &Arc<Context>,
        kind: MemoryKind,
        contents: &[MaybeUninit<u8>],
    ) -> Result<Self, ClError> {
        let memory = Self::shared(context, kind, contents.len())?;
        // SAFETY: the memory is at least that long, new, and nobody else's.
        unsafe { memory.write(0, contents) }?;
        Ok(memory)
    }

    /// Copies the bytes at `offset` out of the memory.
    ///
    /// # Safety
    ///
    /// No kernel touches them meanwhile.
    pub(crate) unsafe fn read(&self, offset: usize, to: &mut [MaybeUninit<u8>]) -> Result<(), ClError> {
        let (length, to) = (to.len(), to.as_mut_ptr());
        assert!(offset + length <= self.bytes, "what is read lies inside the memory");
        match (&self.place, self.host()) {
            (_, Some(host)) => {
                let from = host.as_ptr().wrapping_add(offset).cast();
                // SAFETY: the place lies inside the memory, by the assertion; nobody writes there, by the
                // caller's promise.
                unsafe { to.copy_from_nonoverlapping(from, length) };
            }
            (Place::Device(buffer), None) if length != 0 => {
                let queue = Queue::new(&self.context)?;
                // SAFETY: both sides are that long, by the assertion and the slice; the call waits.
                let event = unsafe {
                    enqueue_read_buffer(
                        queue.raw(),
                        *buffer,
                        CL_TRUE,
                        offset,
                        length,
                        to.cast(),
                        0,
                        ptr::null(),
                    )
                };
                release(event.map_err(ClError::of("clEnqueueReadBuffer"))?);
            }
            _ => {}
        }
        Ok(())
    }

    /// Sets the bytes at `offset`.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read).
    pub(crate) unsafe fn write(&self, offset: usize, from: &[MaybeUninit<u8>]) -> Result<(), ClError> {
        let (length, from) = (from.len(), from.as_ptr());
        assert!(offset + length <= self.bytes, "what is written lies inside the memory");
        match (&self.place, self.host()) {
            (_, Some(host)) => {
                let to = host.as_ptr().wrapping_add(offset).cast();
                // SAFETY: as for reading.
                unsafe { from.copy_to_nonoverlapping(to, length) };
            }
            (Place::Device(buffer), None) if length != 0 => {
                let queue = Queue::new(&self.context)?;
                // SAFETY: as for reading.
                let event = unsafe {
                    enqueue_write_buffer(
                        queue.raw(),
                        *buffer,
                        CL_TRUE,
                        offset,
                        length,
                        from.cast(),
                        0,
                        ptr::null(),
                    )
                };
                release(event.map_err(ClError::of("clEnqueueWriteBuffer"))?);
            }
            _ => {}
        }
        Ok(())
    }

    /// The device's own memory, not initialised.
    pub(crate) fn scratch(context: &Arc<Context>, bytes: usize) -> Result<Self, ClError> {
        let bytes = bytes.max(64);
        // SAFETY: the flags ask for no host pointer.
        let buffer = unsafe { create_buffer(context.raw(), CL_MEM_READ_WRITE, bytes, ptr::null_mut()) }
            .map_err(ClError::of("clCreateBuffer"))?;
        Ok(Self { place: Place::Device(buffer), bytes, context: Arc::clone(context) })
    }

    /// Where the host sees it; `None` if the host does not.
    pub(crate) fn host(&self) -> Option<NonNull<u8>> {
        match self.place {
            Place::FineGrain(pointer) => Some(pointer.cast()),
            Place::Mapped { host, .. } => Some(host.cast()),
            Place::Adopted(ref adopted) => Some(adopted.host().cast()),
            Place::Device(_) => None,
        }
    }

    /// Its length in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The buffer's handle; `None` for shared virtual memory, which has an address instead.
    pub(super) fn buffer(&self) -> Option<cl_mem> {
        match &self.place {
            Place::FineGrain(_) => None,
            Place::Mapped { buffer, .. } | Place::Device(buffer) => Some(*buffer),
            Place::Adopted(adopted) => adopted.raw(),
        }
    }

    /// Its address, for shared virtual memory.
    pub(super) fn address(&self) -> *const c_void {
        match &self.place {
            Place::FineGrain(pointer) => pointer.as_ptr(),
            Place::Adopted(adopted) => adopted.host().as_ptr(),
            Place::Mapped { .. } | Place::Device(_) => ptr::null(),
        }
    }
}

const NO_MEMORY: ClError = ClError { call: "an allocation", code: cl3::error_codes::CL_OUT_OF_HOST_MEMORY };

/// Releases an event that nobody waits for.
pub(super) fn release(event: cl_event) {
    // SAFETY: the event was just given to us, and is released once.
    let released = unsafe { cl3::event::release_event(event) };
    debug_assert!(released.is_ok());
}

impl Drop for Memory {
    fn drop(&mut self) {
        match &self.place {
            Place::FineGrain(pointer) => {
                // SAFETY: the memory is ours, and freed once. Every kernel that took it as an argument has
                // ended before its owner drops it (`annulus_device`).
                let freed = unsafe { svm_free(self.context.raw(), pointer.as_ptr()) };
                debug_assert!(freed.is_ok());
            }
            Place::Mapped { buffer, host, queue } => {
                // SAFETY: the buffer is mapped there, once.
                let unmapped =
                    unsafe { enqueue_unmap_mem_object(queue.raw(), *buffer, host.as_ptr(), 0, ptr::null()) };
                if let Ok(event) = unmapped {
                    release(event);
                }
                // SAFETY: the buffer is ours, and released once; the unmapping keeps it until it is done.
                let released = unsafe { release_mem_object(*buffer) };
                debug_assert!(released.is_ok());
            }
            Place::Device(buffer) => {
                // SAFETY: the buffer is ours, and released once; kernels in flight keep it.
                let released = unsafe { release_mem_object(*buffer) };
                debug_assert!(released.is_ok());
            }
            Place::Adopted(_) => {}
        }
    }
}
