//! Memory: parts of arenas. Arenas are reserved before any kernel stays on the device.
//!
//! Allocating and freeing wait for the device. If a kernel stays there, they wait for ever. So memory is
//! reserved when a backend is opened, and later requests get parts of it. If more is needed, an arena grows,
//! and kernels that stay leave the device during that time. An arena is freed when nothing stays on the
//! device.
//!
//! Memory of the process, a part of a file that is mapped, may be *registered*: it is pinned where it lies, and seen by
//! kernels as an arena's shared memory is. That waits for the device as well, and so does the end of it, which comes before
//! the memory is unmapped.

use std::{
    ffi::c_void,
    mem::MaybeUninit,
    ptr::{self, NonNull},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use cudarc::driver::{result, sys};

use annulus_device::{FreeList, PART_ALIGN as ALIGN, Preference};
use annulus_runtime::SharedMemory;

use super::{Context, CuError, Reach, Stream};

/// Where memory lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// In the host's memory, pinned and mapped: both sides see each other's writes. The host caches it, and
    /// it is never write-combined, since the host reads it. It is asked of the device's NUMA node.
    Shared,
    /// In the device's own memory.
    Device,
}

impl Kind {
    /// What allocating and freeing wait for.
    fn reach(self) -> Reach {
        match self {
            Self::Shared => Reach::Process,
            Self::Device => Reach::Device,
        }
    }
}

/// Memory of one kind, given out in parts.
#[derive(Debug)]
pub(crate) struct Arena {
    context: Arc<Context>,
    kind: Kind,
    /// The least number of bytes that it grows by.
    step: usize,
    chunks: Mutex<Vec<(Chunk, FreeList)>>,
}

/// One allocation from the driver.
#[derive(Debug)]
pub(super) struct Chunk {
    /// Where the host sees it; `None` if the host does not.
    host: Option<NonNull<u8>>,
    device: sys::CUdeviceptr,
    /// Memory of the process that was registered.
    registered: Option<SharedMemory>,
}

// SAFETY: the driver's calls on memory may come from any thread. Each user argues for its own reads and
// writes of the memory.
unsafe impl Send for Chunk {}
// SAFETY: as for `Send`.
unsafe impl Sync for Chunk {}

/// Why an arena had no part to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoRoom {
    /// It is used up, and it could not grow because a kernel that stays does not leave the device.
    Resident {
        /// Its size.
        bytes: usize,
        /// How many bytes of it are free, in parts that are too short.
        free: usize,
    },
    /// The driver did not give more.
    Refused(CuError),
}

impl Chunk {
    /// Allocates. The context is this thread's current one, and nothing stays on the device. Memory of the
    /// host is asked of this NUMA node; a node without room, or a system that refuses, gives it from
    /// elsewhere.
    fn allocate(kind: Kind, bytes: usize, node: Option<u32>) -> Result<Self, CuError> {
        match kind {
            Kind::Shared => {
                // The driver touches the pages while it pins them, on this thread.
                let _near = node.and_then(Preference::node);
                let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
                // SAFETY: nobody reads the memory before it is written.
                let host =
                    unsafe { result::malloc_host(bytes, flags) }.map_err(CuError::of("cuMemHostAlloc"))?;
                let mut device = 0;
                // SAFETY: the memory was just allocated, mapped.
                let asked = unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut device, host, 0) }.result();
                if let Err(code) = asked {
                    // SAFETY: it is ours, and freed once.
                    let _ = unsafe { result::free_host(host) };
                    return Err(CuError::of("cuMemHostGetDevicePointer")(code));
                }
                Ok(Self { host: NonNull::new(host.cast()), device, registered: None })
            }
            Kind::Device => {
                // SAFETY: nobody reads the memory before it is written.
                let device = unsafe { result::malloc_sync(bytes) }.map_err(CuError::of("cuMemAlloc"))?;
                Ok(Self { host: None, device, registered: None })
            }
        }
    }

    /// Registers memory of the process, which begins and ends at a page. The context is this thread's current one, and
    /// nothing stays on any device.
    fn register(memory: SharedMemory) -> Result<Self, CuError> {
        let host = memory.base();
        let flags = sys::CU_MEMHOSTREGISTER_PORTABLE | sys::CU_MEMHOSTREGISTER_DEVICEMAP;
        let place = host.as_ptr().cast::<c_void>();
        // SAFETY: so many bytes are mapped there for reading and writing, and nobody unmaps them before `memory` is dropped:
        // `free` does that when they are not registered any more.
        let registered = unsafe { sys::cuMemHostRegister_v2(place, memory.bytes(), flags) }.result();
        registered.map_err(CuError::of("cuMemHostRegister"))?;
        // From here on, `free` ends it.
        let mut chunk = Self { host: Some(host), device: 0, registered: Some(memory) };
        // SAFETY: the memory was just registered, mapped.
        let asked = unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut chunk.device, place, 0) }.result();
        match asked {
            Ok(()) => Ok(chunk),
            Err(code) => {
                chunk.free();
                Err(CuError::of("cuMemHostGetDevicePointer")(code))
            }
        }
    }

    /// What freeing it waits for.
    pub(super) fn reach(&self) -> Reach {
        if self.host.is_some() { Kind::Shared.reach() } else { Kind::Device.reach() }
    }

    /// Frees it. The context is this thread's current one, and nothing stays on the device.
    pub(super) fn free(self) {
        if let (Some(memory), Some(host)) = (self.registered, self.host) {
            // SAFETY: it was registered at this place, and ends to be once. Its user has given it back.
            let ended = unsafe { sys::cuMemHostUnregister(host.as_ptr().cast()) }.result();
            if ended.is_err() {
                // A device that has failed may still see it: it stays mapped.
                std::mem::forget(memory);
            }
            return;
        }
        let freed = match self.host {
            // SAFETY: it came from `malloc_host`, and is freed once. All users of its parts have given them
            // back.
            Some(host) => unsafe { result::free_host(host.as_ptr().cast()) },
            // SAFETY: it came from `malloc_sync`; otherwise as above.
            None => unsafe { result::free_sync(self.device) },
        };
        // A device that has failed frees nothing.
        let _ = freed;
    }
}

/// The least number of bytes by which an arena grows, unless its first part was smaller.
const GROWTH: usize = 64 << 20;

impl Arena {
    /// Reserves this many bytes.
    pub(crate) fn reserve(context: &Arc<Context>, kind: Kind, bytes: usize) -> Result<Arc<Self>, NoRoom> {
        let mut arena =
            Self { context: Arc::clone(context), kind, step: bytes.min(GROWTH), chunks: Mutex::default() };
        let first = arena.grow(0)?;
        arena.chunks.get_mut().unwrap_or_else(PoisonError::into_inner).push(first);
        Ok(Arc::new(arena))
    }

    /// Allocates one more chunk, with room for this many bytes. The chunks' lock is free meanwhile: a kernel
    /// that leaves may first give memory back.
    fn grow(&self, bytes: usize) -> Result<(Chunk, FreeList), NoRoom> {
        let free_list = FreeList::new(bytes.max(self.step));
        let node = self.context.device().node();
        let allocate = || Chunk::allocate(self.kind, free_list.bytes(), node);
        match self.context.quietly(self.kind.reach(), allocate) {
            Some(Ok(chunk)) => Ok((chunk, free_list)),
            Some(Err(error)) => Err(NoRoom::Refused(error)),
            None => {
                let chunks = self.chunks();
                Err(NoRoom::Resident {
                    bytes: chunks.iter().map(|(_, free_list)| free_list.bytes()).sum(),
                    free: chunks.iter().map(|(_, free_list)| free_list.free()).sum(),
                })
            }
        }
    }

    fn chunks(&self) -> MutexGuard<'_, Vec<(Chunk, FreeList)>> {
        self.chunks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A part of this many bytes, aligned to 128. Shared memory is zeroed; device memory is not initialised.
    pub(crate) fn take(self: &Arc<Self>, bytes: usize) -> Result<Memory, NoRoom> {
        let fits =
            |(index, (_, free_list)): (usize, &mut (Chunk, FreeList))| Some((index, free_list.take(bytes)?));
        let mut chunks = self.chunks();
        let found = chunks.iter_mut().enumerate().find_map(fits);
        let (index, offset) = match found {
            Some(found) => found,
            None => {
                drop(chunks);
                let (chunk, mut free_list) = self.grow(bytes)?;
                let offset = free_list.take(bytes).expect("the chunk was made to have room for it");
                chunks = self.chunks();
                chunks.push((chunk, free_list));
                (chunks.len() - 1, offset)
            }
        };
        let Chunk { host, device, .. } = chunks[index].0;
        drop(chunks);
        let host = host.map(|host| {
            // SAFETY: the part lies in the chunk.
            unsafe { host.add(offset) }
        });
        if let Some(host) = host {
            // SAFETY: the part is that long, and nobody else has it.
            unsafe { ptr::write_bytes(host.as_ptr(), 0, bytes) };
        }
        let device = device + offset as u64;
        debug_assert!(device.is_multiple_of(ALIGN as u64), "the driver aligns to 256 bytes");
        let owner = Owner::Part { arena: Arc::clone(self), chunk: index, offset };
        Ok(Memory { owner, bytes, host, device })
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let chunks = self.chunks.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.context.leave(chunks.drain(..).map(|(chunk, _)| chunk).collect());
    }
}

/// A stretch of memory that kernels take as an argument. When it is dropped, it goes back to its arena, or is not registered
/// any more as soon as that can be.
#[derive(Debug)]
pub(crate) struct Memory {
    owner: Owner,
    bytes: usize,
    host: Option<NonNull<u8>>,
    device: sys::CUdeviceptr,
}

// SAFETY: the memory may be used from any thread. Each user argues for its own reads and writes of it.
unsafe impl Send for Memory {}
// SAFETY: as for `Send`.
unsafe impl Sync for Memory {}

/// Where memory comes from.
#[derive(Debug)]
enum Owner {
    /// A part of a chunk of an arena.
    Part { arena: Arc<Arena>, chunk: usize, offset: usize },
    /// The process; `Some` until it is dropped.
    Registered { context: Arc<Context>, chunk: Option<Chunk> },
}

impl Memory {
    /// Registers memory of the process, which begins and ends at a page. It lives at least as long as this.
    pub(crate) fn register(context: &Arc<Context>, memory: SharedMemory) -> Result<Self, NoRoom> {
        let bytes = memory.bytes();
        let register = || Chunk::register(memory);
        match context.quietly(Kind::Shared.reach(), register) {
            Some(Ok(chunk)) => {
                let Chunk { host, device, .. } = chunk;
                let owner = Owner::Registered { context: Arc::clone(context), chunk: Some(chunk) };
                Ok(Self { owner, bytes, host, device })
            }
            Some(Err(error)) => Err(NoRoom::Refused(error)),
            None => Err(NoRoom::Resident { bytes: 0, free: 0 }),
        }
    }

    /// Where the host sees it; `None` if the host does not.
    pub(crate) fn host(&self) -> Option<NonNull<u8>> {
        self.host
    }

    /// Where the device sees it.
    pub(crate) fn device(&self) -> sys::CUdeviceptr {
        self.device
    }

    /// Its length in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        match &mut self.owner {
            Owner::Part { arena, chunk, offset } => {
                arena.chunks()[*chunk].1.give_back(*offset, self.bytes);
            }
            Owner::Registered { context, chunk } => context.leave(chunk.take().into_iter().collect()),
        }
    }
}

/// Copies to and from the device's own memory that wait for no kernel: they use a stream of their own, and go
/// through shared memory.
#[derive(Debug)]
pub(crate) struct Copies {
    context: Arc<Context>,
    through: Mutex<Through>,
}

#[derive(Debug)]
struct Through {
    stream: Stream,
    memory: Memory,
    /// What the memory is a part of.
    arena: Arc<Arena>,
    /// The end of a copy was not seen: it may still use the memory.
    lost: bool,
}

/// Bytes of one step of a copy.
const STEP: usize = 1 << 20;
/// How long one step may take; it moves up to a mebibyte.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a copy failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopyError {
    Failed(CuError),
    /// The device does not answer.
    Late,
}

impl Copies {
    /// Copies through a part of this shared memory.
    pub(crate) fn new(context: &Arc<Context>, shared: &Arc<Arena>) -> Result<Self, NoRoom> {
        // Making a stream may wait for kernels that stay.
        let stream = context
            .quietly(Reach::Device, || Stream::new(context))
            .ok_or(NoRoom::Resident { bytes: 0, free: 0 })?;
        let stream = stream.map_err(NoRoom::Refused)?;
        let memory = shared.take(STEP)?;
        let through = Mutex::new(Through { stream, memory, arena: Arc::clone(shared), lost: false });
        Ok(Self { context: Arc::clone(context), through })
    }

    /// Copies the bytes at `offset` out of the memory.
    ///
    /// # Safety
    ///
    /// No kernel touches them meanwhile.
    pub(crate) unsafe fn read(
        &self,
        memory: &Memory,
        offset: usize,
        to: &mut [MaybeUninit<u8>],
    ) -> Result<(), CopyError> {
        assert!(offset + to.len() <= memory.bytes, "what is read lies inside the memory");
        if let Some(host) = memory.host {
            let from = host.as_ptr().wrapping_add(offset).cast();
            // SAFETY: the place lies inside the memory, by the assertion; nobody writes there, by the
            // caller's promise.
            unsafe { to.as_mut_ptr().copy_from_nonoverlapping(from, to.len()) };
            return Ok(());
        }
        let mut through = self.through.lock().unwrap_or_else(PoisonError::into_inner);
        for (index, to) in to.chunks_mut(STEP).enumerate() {
            let from = memory.device + (offset + index * STEP) as u64;
            through.step(&self.context, "cuMemcpyDtoHAsync", |host, stream| {
                // SAFETY: `host` has room for a step, and the place lies inside the memory, by the assertion.
                unsafe { sys::cuMemcpyDtoHAsync_v2(host, from, to.len(), stream) }
            })?;
            let from = through.host().as_ptr().cast();
            // SAFETY: the copy has ended, and `host` holds that many bytes.
            unsafe { to.as_mut_ptr().copy_from_nonoverlapping(from, to.len()) };
        }
        Ok(())
    }

    /// Sets the bytes at `offset`.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read).
    pub(crate) unsafe fn write(
        &self,
        memory: &Memory,
        offset: usize,
        from: &[MaybeUninit<u8>],
    ) -> Result<(), CopyError> {
        assert!(offset + from.len() <= memory.bytes, "what is written lies inside the memory");
        if let Some(host) = memory.host {
            let to = host.as_ptr().wrapping_add(offset).cast();
            // SAFETY: the place lies inside the memory, by the assertion; nobody touches it, by the caller's
            // promise.
            unsafe { from.as_ptr().copy_to_nonoverlapping(to, from.len()) };
            return Ok(());
        }
        let mut through = self.through.lock().unwrap_or_else(PoisonError::into_inner);
        for (index, from) in from.chunks(STEP).enumerate() {
            through.check()?;
            let host = through.host().as_ptr().cast();
            // SAFETY: `host` has room for a step, and no copy uses it.
            unsafe { from.as_ptr().copy_to_nonoverlapping(host, from.len()) };
            let to = memory.device + (offset + index * STEP) as u64;
            through.step(&self.context, "cuMemcpyHtoDAsync", |host, stream| {
                // SAFETY: `host` holds that many bytes, and the place lies inside the memory, by the
                // assertion.
                unsafe { sys::cuMemcpyHtoDAsync_v2(to, host, from.len(), stream) }
            })?;
        }
        Ok(())
    }
}

impl Through {
    fn host(&self) -> NonNull<u8> {
        self.memory.host.expect("shared memory is seen by the host")
    }

    fn check(&self) -> Result<(), CopyError> {
        if self.lost { Err(CopyError::Late) } else { Ok(()) }
    }

    /// Starts a copy and waits for its end.
    fn step(
        &mut self,
        context: &Context,
        call: &'static str,
        copy: impl FnOnce(*mut c_void, sys::CUstream) -> sys::CUresult,
    ) -> Result<(), CopyError> {
        self.check()?;
        let _entered = context.enter().map_err(CopyError::Failed)?;
        let started = copy(self.host().as_ptr().cast(), self.stream.raw()).result();
        started.map_err(CuError::of(call)).map_err(CopyError::Failed)?;
        let begun = Instant::now();
        while !self.stream.is_idle().map_err(CopyError::Failed)? {
            if begun.elapsed() > PATIENCE {
                self.lost = true;
                return Err(CopyError::Late);
            }
            thread::yield_now();
        }
        Ok(())
    }
}

impl Drop for Through {
    fn drop(&mut self) {
        if self.lost {
            // The copy may still happen: the memory stays taken, and the arena with it.
            std::mem::forget(Arc::clone(&self.arena));
        }
    }
}
